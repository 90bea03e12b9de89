# Writes OUTPUT, a header with the commit of SOURCE, if it changed; without git, or outside a repository, it is empty.
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE code ERROR_QUIET)
  if(NOT code EQUAL 0)
    set(commit "")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define WEFT_COMMIT \"@commit@\"\n" @ONLY)
