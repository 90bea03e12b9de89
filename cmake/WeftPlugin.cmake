# weft_plugin_headers: the headers that a plug-in can reach from include/weft, by their names from the root. They are found by
# following #include, so that the package holds what a plug-in needs and nothing else.
file(GLOB weft_public_headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/weft/*.h)
set(weft_plugin_headers "")
set(open ${weft_public_headers})
list(TRANSFORM open PREPEND include/)
while(open)
  list(POP_FRONT open header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" name "${line}")
    if(NOT name MATCHES "^weft/" AND NOT name IN_LIST weft_plugin_headers)
      list(APPEND weft_plugin_headers ${name})
      list(APPEND open ${name})
    endif()
  endforeach()
endwhile()

# weft::plugin in the build tree, as find_package(weft) gives it: include paths and definitions, no library. A plug-in takes
# everything from the program that loads it.
add_library(weft_plugin INTERFACE)
add_library(weft::plugin ALIAS weft_plugin)
add_library(Weft::plugin ALIAS weft_plugin)
target_include_directories(weft_plugin SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}
  $<TARGET_PROPERTY:weft_systemc,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_features(weft_plugin INTERFACE cxx_std_17)
target_compile_definitions(weft_plugin INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)
if(TARGET weft)
  add_executable(Weft::weft ALIAS weft)
endif()
