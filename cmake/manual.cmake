# Writes manual pages and completion for bash into OUTPUT, from what PROGRAM says with --help: the same text in all places.
# cmake -D PROGRAM=weft -D OUTPUT=folder -D VERSION=x -P manual.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${OUTPUT})

function(say result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ${ARGN} ended with ${code}")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# A page that shows the text as it is laid out.
function(write_page name summary text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  string(REPLACE "-" "\\-" shown "${name}")
  file(WRITE ${OUTPUT}/man/man1/${name}.1
    ".TH ${name} 1 \"\" \"weft ${VERSION}\" \"Weft\"\n.SH NAME\n${shown} \\- ${summary}\n.SH DESCRIPTION\n.nf\n${text}.fi\n")
endfunction()

say(overview help)
write_page(weft "co\\-simulation of multi\\-GPU systems" "${overview}")
string(REGEX MATCHALL "\n  [a-z]+ +[^\n]+" lines "${overview}")
set(commands "")
set(cases "")
foreach(line ${lines})
  string(REGEX REPLACE "^\n  ([a-z]+) +.*" "\\1" command "${line}")
  string(REGEX REPLACE "^\n  [a-z]+ +(.*)" "\\1" summary "${line}")
  # Below the commands the overview lists units.
  if(command MATCHES "^(sizes|times|rates)$")
    continue()
  endif()
  say(page ${command} --help)
  write_page(weft-${command} "${summary}" "${page}")
  string(REGEX MATCHALL "\n  (-[a-z], )?--[a-z-]+" options "\n${page}")
  string(REGEX REPLACE "\n  (-[a-z], )?" "" options "${options}")
  list(REMOVE_DUPLICATES options)
  list(JOIN options " " options)
  string(APPEND commands " ${command}")
  string(APPEND cases "    ${command}) words=\"${options}\" ;;\n")
endforeach()
string(STRIP "${commands}" commands)

file(WRITE ${OUTPUT}/bash-completion/completions/weft
"# Completion of weft for bash: commands, then options of the command, files otherwise.
_weft()
{
  local word=\${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  if [[ \$COMP_CWORD -eq 1 ]]; then
    COMPREPLY=(\$(compgen -W \"${commands} --version --help\" -- \"\$word\"))
    return
  fi
  [[ \$word == -* ]] || return
  case \${COMP_WORDS[1]} in
${cases}  esac
  COMPREPLY=(\$(compgen -W \"\$words\" -- \"\$word\"))
}
complete -o default -F _weft weft
")
