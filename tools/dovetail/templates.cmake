# What `dovetail new` writes is part of the command: DVT_TEMPLATES_SOURCE has the files under sdk/templates.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB_RECURSE DVT_TEMPLATES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sdk/templates/*)
set(DVT_TEMPLATES_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/templates.c)
add_custom_command(OUTPUT ${DVT_TEMPLATES_SOURCE}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/embed_templates.py ${CMAKE_SOURCE_DIR}/sdk/templates
          ${DVT_TEMPLATES_SOURCE}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/embed_templates.py ${DVT_TEMPLATES} VERBATIM)
