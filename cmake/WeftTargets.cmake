include(GoogleTest OPTIONAL)

# Warning and sanitizer flags of Weft's own code, attached to every target below.
add_library(weft_flags INTERFACE)
target_compile_options(weft_flags INTERFACE -Wall -Wextra -Wpedantic)
if(WEFT_WERROR)
  target_compile_options(weft_flags INTERFACE -Werror)
endif()
if(WEFT_SANITIZE)
  # With sanitizers gcc 12 finds uninitialised variables in std::regex where there are none.
  # Optimised as a release, tests quickly compiled: a third of the time of RelWithDebInfo. Lines are enough for a report.
  target_compile_options(weft_flags INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1
    -Wno-maybe-uninitialized)
  target_link_options(weft_flags INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()

# Sources of a target are compiled in batches: most of the time of one goes into the headers and templates that its
# neighbours use, too. So a name in an unnamed namespace is unique within its folder; the debug and tidy presets, without
# batches, check that every source includes what it uses. Tests are compiled without optimisation, so that headers are still
# more of it: their batches are larger.
function(weft_batches target)
  if(WEFT_UNITY GREATER 1)
    set(size ${WEFT_UNITY})
    if(ARGN STREQUAL TESTS)
      math(EXPR size "${WEFT_UNITY} * 5 / 2")
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    # A test's fixture in an unnamed namespace is no less local in a batch.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# Links several times faster than ld.
find_program(WEFT_MOLD mold)
if(WEFT_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# weft_library(NAME SOURCES... [DEPENDS targets...] [PER_LINE])  ->  target weft_NAME, aliases weft::NAME and Weft::NAME
# PER_LINE: its code runs for every line; it is compiled with -O3.
function(weft_library name)
  cmake_parse_arguments(ARG "PER_LINE" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(weft_${name} STATIC ${ARG_SOURCES})
  add_library(weft::${name} ALIAS weft_${name})
  add_library(Weft::${name} ALIAS weft_${name})
  target_include_directories(weft_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(weft_${name} PUBLIC ${ARG_DEPENDS} PRIVATE $<BUILD_INTERFACE:weft_flags>)
  weft_batches(weft_${name})
  if(ARG_PER_LINE)
    target_compile_options(weft_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
  endif()
endfunction()

# weft_test(NAME SOURCES... [DEPENDS targets...] [LABELS ...] [TIMEOUT s] [LONG patterns...] [SHARDS n [SHARED patterns...]] [ONE_AT_A_TIME]
#   [COMPUTES])
# One GoogleTest program; ctest runs each TEST in a process of its own, because SystemC cannot
# elaborate twice. SHARDS, for tests that do not simulate: so many processes run them all; but for those that need
# the shared folder, which are skipped one by one. ONE_AT_A_TIME: tests that build the same thing when it is not there,
# and would wait for each other. LONG: tests that only `./weft test --all` runs. COMPUTES: the code of the tests themselves
# takes long. Patterns are those of --gtest_filter. `main` comes from testbenches/support, never from gtest_main (libsystemc
# defines a `main` that would win and run no test).
function(weft_test name)
  cmake_parse_arguments(ARG "ONE_AT_A_TIME;COMPUTES" "TIMEOUT;SHARDS" "SOURCES;DEPENDS;LABELS;LONG;SHARED" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE
    WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WEFT_SHARED_DIR="${WEFT_SHARED_DIR}"
    WEFT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE weft_test_main ${ARG_DEPENDS} GTest::gtest weft_flags)
  # The time of a test goes into the libraries and into programs that it starts; its own code is compiled quickly.
  set(level 0)
  if(ARG_COMPUTES OR ARG_SHARDS)
    set(level 1)
  endif()
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  weft_batches(${name} TESTS)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  set(properties TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABELS)
    list(APPEND properties LABELS ${ARG_LABELS})
  endif()
  if(ARG_ONE_AT_A_TIME)
    list(APPEND properties RESOURCE_LOCK ${name})
  endif()
  if(ARG_SHARDS)
    set(filter *)
    if(ARG_SHARED)
      list(JOIN ARG_SHARED ":" shared)
      set(filter -${shared})
      gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_FILTER "${shared}" PROPERTIES ${properties})
    endif()
    math(EXPR last "${ARG_SHARDS} - 1")
    foreach(shard RANGE ${last})
      set(test ${name})
      if(ARG_SHARDS GREATER 1)
        set(test ${name}_${shard})
      endif()
      add_test(NAME ${test} COMMAND ${name} --gtest_filter=${filter} --gtest_brief=1)
      # The longest first.
      set_tests_properties(${test} PROPERTIES ${properties} COST ${ARG_SHARDS}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
    return()
  endif()
  set(usual "")
  if(ARG_LONG)
    list(JOIN ARG_LONG ":" long)
    set(usual TEST_FILTER "-${long}")
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_FILTER "${long}"
      PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS long)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST ${usual} PROPERTIES ${properties})
endfunction()
