# How the sources of plugins are compiled: DVP_LOOP_OPTIONS, and DVP_HAVE_V3 where files named *_loops.c are compiled a
# second time for x86-64-v3.
# Integer arithmetic wraps, multiplications and additions may fuse, and the typed macros compare unsigned
# values with 0.
set(DVP_LOOP_OPTIONS -fwrapv -ffp-contract=fast -fno-math-errno -fno-trapping-math
                     -Wno-type-limits -Wno-psabi)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  # Loops over halves and complex numbers are marked like the others, but clang does not vectorise them.
  list(APPEND DVP_LOOP_OPTIONS -Wno-pass-failed)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  list(APPEND DVP_LOOP_OPTIONS -O3)
endif()
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" DVP_PROCESSOR)
if(DVP_PROCESSOR MATCHES "^(x86_64|amd64)$")
  set(DVP_HAVE_V3 ON)
endif()
# oneDNN is loaded when it is first needed; only its headers are used here.
find_path(DVP_DNNL_INCLUDE oneapi/dnnl/dnnl.h REQUIRED)
