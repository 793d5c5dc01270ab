# Every src/**/X_test.c and tests/*/X_test.c becomes the executable and ctest entry X_test, linked to the runtime's
# objects so that it can look at one layer, and exporting the C ABI so that plugins it loads bind to it.
# (The leak checker of gcc 12 crashes on the thread-local storage of dlopened libraries unless it leaves it alone.)
# Where tests keep what they recorded of stock TensorFlow (tests/recorded.py): one folder for all builds of a checkout, so
# that each is recorded once.
set(DVT_RECORDED ${CMAKE_SOURCE_DIR}/build/recorded)

# Off for ThreadSanitizer: tests of what one thread does (reading, rewriting, inferring, writing) and of kernels that differ in
# nothing but arithmetic from those that another test runs there.
set(DVT_TEST_ONE_THREAD ON)
if(DVT_SANITIZE STREQUAL "thread")
  set(DVT_TEST_ONE_THREAD OFF)
endif()

function(dvt_add_test name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE dvt_core PkgConfig::CMOCKA)
  # Optimising the tests, too, takes longer than they run.
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O0)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON LINKER_LANGUAGE C
                                           RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE DVT_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                             DVT_BUILD_DIR="${CMAKE_BINARY_DIR}"
                                             DVT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300
    ENVIRONMENT "ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0;UBSAN_OPTIONS=print_stacktrace=1")
endfunction()

# ThreadSanitizer has something to find only where a test speaks of threads or runs a session.
file(GLOB_RECURSE DVT_TESTS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*_test.c)
foreach(source ${DVT_TESTS})
  if(DVT_SANITIZE STREQUAL "thread")
    file(STRINGS ${source} parallel REGEX "thread|pool|Session|async" LIMIT_COUNT 1)
    if(NOT parallel)
      continue()
    endif()
  endif()
  get_filename_component(name ${source} NAME_WE)
  dvt_add_test(${name} ${source})
  # Tests of one layer register ops by the names of standard ones themselves.
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT DOVETAIL_NO_STANDARD_PLUGINS=1)
endforeach()
