# A program of one file: the runtime, the ops and kernels of the standard plugins that DVT_OPS_TO_REGISTER selects
# (written by `dovetail select`), and the command, linked statically. Also lib/libdovetail.a, for programs of one's own:
#   cc -static app.c -Iinclude -Lbuild/static/lib -ldovetail -lm -lpthread
# scripts/static.sh does all steps. What a static program lacks: plugins in files, oneDNN, SLEEF (the C library's
# functions stand in), pictures and sounds as input of the command.
get_filename_component(DVT_SELECTION "${DVT_OPS_TO_REGISTER}" ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
if(NOT EXISTS ${DVT_SELECTION})
  message(FATAL_ERROR "DVT_OPS_TO_REGISTER: there is no file ${DVT_SELECTION}; `dovetail select MODEL -o FILE` writes one")
endif()
configure_file(${DVT_SELECTION} ${CMAKE_BINARY_DIR}/selection/ops_to_register.h COPYONLY)

# What is not reached is left out. Warnings are the ordinary build's business: here it is natural that functions of
# kernels are used no more.
add_compile_options(-ffunction-sections -fdata-sections -w)

# ---- the runtime ----
list(FILTER DVT_SOURCES EXCLUDE REGEX "src/plugin/")
list(APPEND DVT_SOURCES ${CMAKE_SOURCE_DIR}/src/plugin/linked.c)
add_library(dovetail STATIC ${DVT_SOURCES})
target_include_directories(dovetail PUBLIC ${CMAKE_SOURCE_DIR}/include PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(dovetail PRIVATE DVT_VERSION="${PROJECT_VERSION}" DVT_LINKED_PLUGINS)
target_link_libraries(dovetail PUBLIC Threads::Threads m)

# ---- the plugins, each with an entry point of its own, into the same archive ----
include(plugins/options.cmake)
set(declarations "")
set(rows "")
file(GLOB common_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/plugins/common/*.c)
file(GLOB tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/plugins/*/*_ops.def)
foreach(table ${tables})
  get_filename_component(folder ${table} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  string(APPEND declarations "void dvp_init_${name}(void);\n")
  string(APPEND rows "    {\"${name}\", dvp_init_${name}},\n")
  list(APPEND names ${name})
endforeach()
foreach(name common ${names})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/plugins/${name}/*.c ${CMAKE_SOURCE_DIR}/plugins/${name}/*.cc)
  set(variants plugin_${name})
  add_library(plugin_${name} OBJECT ${sources})
  list(FILTER sources INCLUDE REGEX "_loops\\.c$")
  if(sources AND DVP_HAVE_V3)
    add_library(plugin_${name}_v3 OBJECT ${sources})
    target_compile_options(plugin_${name}_v3 PRIVATE -march=x86-64-v3)
    target_compile_definitions(plugin_${name}_v3 PRIVATE DVP_ISA_V3)
    list(APPEND variants plugin_${name}_v3)
  endif()
  foreach(variant ${variants})
    target_include_directories(${variant} PRIVATE ${CMAKE_SOURCE_DIR}/plugins ${CMAKE_SOURCE_DIR}/include
                                                  ${CMAKE_BINARY_DIR}/selection ${DVP_DNNL_INCLUDE})
    target_compile_options(${variant} PRIVATE ${DVP_LOOP_OPTIONS})
    target_compile_definitions(${variant} PRIVATE SELECTIVE_REGISTRATION DVP_LINKED_IN TF_InitKernel=dvp_init_${name})
    target_sources(dovetail PRIVATE $<TARGET_OBJECTS:${variant}>)
  endforeach()
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/selection/linked_plugins.c.new
"#include \"plugin/plugin.h\"\n\n${declarations}\nconst dvt_linked_plugin dvt_linked_plugins[] = {\n${rows}    {0, 0}};\n")
configure_file(${CMAKE_BINARY_DIR}/selection/linked_plugins.c.new ${CMAKE_BINARY_DIR}/selection/linked_plugins.c COPYONLY)
target_sources(dovetail PRIVATE ${CMAKE_BINARY_DIR}/selection/linked_plugins.c)

# ---- the command ----
include(tools/dovetail/templates.cmake)
file(GLOB cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/dovetail/*.c)
list(FILTER cli_sources EXCLUDE REGEX "(_test|/image|/sound)\\.c$")
add_executable(dovetail_cli ${cli_sources} ${DVT_TEMPLATES_SOURCE})
target_include_directories(dovetail_cli PRIVATE ${CMAKE_SOURCE_DIR}/tools/dovetail ${CMAKE_SOURCE_DIR}/src)
find_library(DVT_RE2_ARCHIVE libre2.a REQUIRED)
target_link_libraries(dovetail_cli PRIVATE dovetail ${DVT_RE2_ARCHIVE} stdc++)
target_link_options(dovetail_cli PRIVATE -static -s -Wl,--gc-sections)
set_target_properties(dovetail_cli PROPERTIES OUTPUT_NAME dovetail)
