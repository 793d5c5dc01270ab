// The files of sdk/templates as `dovetail new` has them: in the program, written by embed_templates.py.
#ifndef DVT_TOOLS_NEW_H_
#define DVT_TOOLS_NEW_H_

typedef struct new_template {
  const char *path;  // "c/src/@name@.c"; the first folder says for which kind of plugin, "common" for all
  const char *text;
} new_template;

extern const new_template new_templates[];  // ends with one without a path

#endif  // DVT_TOOLS_NEW_H_
