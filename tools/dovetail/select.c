// `dovetail select`: which ops and kernels models need, as a header for selective registration
// (dovetail/selective_registration.h).
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct name_list {
  char **names;
  size_t count, capacity;
} name_list;

static bool add(name_list *list, const char *name) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    char **names = realloc(list->names, capacity * sizeof *names);
    if (!names) return false;
    list->names = names;
    list->capacity = capacity;
  }
  list->names[list->count] = strdup(name);
  return list->names[list->count] && ++list->count;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void sort_unique(name_list *list) {
  size_t kept = 0;
  if (list->count) qsort(list->names, list->count, sizeof *list->names, by_name);
  for (size_t i = 0; i < list->count; ++i) {
    if (kept && strcmp(list->names[kept - 1], list->names[i]) == 0)
      free(list->names[i]);
    else
      list->names[kept++] = list->names[i];
  }
  list->count = kept;
}

static void free_list(name_list *list) {
  for (size_t i = 0; i < list->count; ++i) free(list->names[i]);
  free(list->names);
}

typedef struct selection {
  name_list ops, classes, plugins;
} selection;

static int add_model(selection *selected, const cli_options *options, const char *path) {
  int exit_code = CLI_OK;
  dvt_model *model = cli_open_model(options, path, false, &exit_code);
  if (!model) return exit_code;
  dvt_kernel_use *uses = NULL;
  TF_Status *status = TF_NewStatus();
  int count = dvt_model_kernels(model, &uses, status);
  if (TF_GetCode(status) != TF_OK) exit_code = cli_error(CLI_BAD_MODEL, "%s", TF_Message(status));
  bool fits = true;
  // Every op of the graph must be defined, also one that only the runtime knows how to run.
  for (int i = 0; exit_code == CLI_OK && i < dvt_model_op_count(model); ++i)
    fits &= add(&selected->ops, dvt_model_op(model, i)->op);
  for (int i = 0; i < count; ++i)
    fits &= add(&selected->ops, uses[i].op) && add(&selected->classes, uses[i].kernel_class) &&
            add(&selected->plugins, uses[i].plugin);
  if (!fits) exit_code = cli_error(CLI_RUN_FAILED, "out of memory");
  dvt_kernel_uses_free(uses);
  TF_DeleteStatus(status);
  dvt_model_close(model);
  return exit_code;
}

static bool is_identifier(const char *name) {
  for (const char *c = name; *c; ++c)
    if (!isalnum((unsigned char)*c) && *c != '_') return false;
  return *name != '\0';
}

static void write_list(FILE *file, const char *macro, const name_list *list) {
  fprintf(file, "#define %s(X)", macro);
  for (size_t i = 0; i < list->count; ++i) fprintf(file, " \\\n  X(\"%s\")", list->names[i]);
  fputs("\n\n", file);
}

static void write_marks(FILE *file, const char *prefix, const name_list *list) {
  for (size_t i = 0; i < list->count; ++i)
    if (is_identifier(list->names[i])) fprintf(file, "#define %s%s 1\n", prefix, list->names[i]);
  putc('\n', file);
}

// Names are compared without spaces: the preprocessor puts them into the text of a C++ class as it likes.
static const char conditions[] =
    "#ifdef __cplusplus\n"
    "namespace dovetail_selection {\n"
    "constexpr const char *skip(const char *s) { return *s == ' ' ? skip(s + 1) : s; }\n"
    "constexpr bool same_here(const char *a, const char *b);\n"
    "constexpr bool same(const char *a, const char *b) { return same_here(skip(a), skip(b)); }\n"
    "constexpr bool same_here(const char *a, const char *b) {\n"
    "  return *a == *b && (*a == '\\0' || same(a + 1, b + 1));\n"
    "}\n"
    "#define DVT_OR_SAME_(selected) || same(name, selected)\n"
    "constexpr bool has_op(const char *name) { return false DVT_SELECTED_OPS(DVT_OR_SAME_); }\n"
    "constexpr bool has_kernel(const char *name) { return false DVT_SELECTED_KERNELS(DVT_OR_SAME_); }\n"
    "}  // namespace dovetail_selection\n"
    "#define SHOULD_REGISTER_OP(op) ::dovetail_selection::has_op(op)\n"
    "#define SHOULD_REGISTER_OP_KERNEL(kernel_class) ::dovetail_selection::has_kernel(kernel_class)\n"
    "#else\n"
    "#include <string.h>\n"
    "#define DVT_OR_SAME_(selected) || strcmp(name, selected) == 0\n"
    "static inline int dvt_selection_has_op(const char *name) { return 0 DVT_SELECTED_OPS(DVT_OR_SAME_); }\n"
    "static inline int dvt_selection_has_kernel(const char *name) {\n"
    "  return 0 DVT_SELECTED_KERNELS(DVT_OR_SAME_);\n"
    "}\n"
    "#define SHOULD_REGISTER_OP(op) dvt_selection_has_op(op)\n"
    "#define SHOULD_REGISTER_OP_KERNEL(kernel_class) dvt_selection_has_kernel(kernel_class)\n"
    "#endif\n"
    "#define SHOULD_REGISTER_OP_GRADIENT false\n";

static void write_header(FILE *file, const selection *selected, const cli_options *options) {
  fputs("// The ops and kernels of these models, for selective registration; written by dovetail select:\n",
        file);
  for (int i = 0; i < options->positional_count; ++i) {
    fputs("//   ", file);
    for (const char *c = options->positional[i]; *c; ++c) putc(*c == '\n' || *c == '\\' ? '?' : *c, file);
    putc('\n', file);
  }
  fputs("#ifndef OPS_TO_REGISTER\n#define OPS_TO_REGISTER\n\n", file);
  write_list(file, "DVT_SELECTED_OPS", &selected->ops);
  write_list(file, "DVT_SELECTED_KERNELS", &selected->classes);
  write_marks(file, "DVT_OP_", &selected->ops);
  write_marks(file, "DVT_KERNEL_", &selected->classes);
  fputs(conditions, file);
  fputs("\n#endif  // OPS_TO_REGISTER\n", file);
}

static int write_result(const selection *selected, const cli_options *options) {
  const char *path = options->out_file;
  FILE *file = path ? fopen(path, "w") : stdout;
  if (!file) return cli_error(CLI_NO_OUTPUT, "%s cannot be written: %s", path, strerror(errno));
  write_header(file, selected, options);
  bool fine = !ferror(file);
  if (path) fine &= fclose(file) == 0;
  if (!fine)
    return cli_error(CLI_NO_OUTPUT, "%s cannot be written: %s", path ? path : "the output", strerror(errno));
  if (path)
    printf("%s: %zu ops, %zu kernels of %zu plugins\n", path, selected->ops.count, selected->classes.count,
           selected->plugins.count);
  return CLI_OK;
}

static int run(const cli_options *options) {
  selection selected = {0};
  int exit_code = CLI_OK;
  if (options->positional_count == 0)
    return cli_error(CLI_USAGE, "select wants at least one MODEL. See dovetail select --help.");
  for (int i = 0; exit_code == CLI_OK && i < options->positional_count; ++i)
    exit_code = add_model(&selected, options, options->positional[i]);
  sort_unique(&selected.ops);
  sort_unique(&selected.classes);
  sort_unique(&selected.plugins);
  if (exit_code == CLI_OK) exit_code = write_result(&selected, options);
  free_list(&selected.ops);
  free_list(&selected.classes);
  free_list(&selected.plugins);
  return exit_code;
}

const cli_verb cli_select = {
    "select",
    "MODEL...",
    "Writes ops_to_register.h: the ops and kernels that models need, for a program that has no others",
    "Opg",
    "The header goes with -DSELECTIVE_REGISTRATION; dovetail/selective_registration.h tells more. A program "
    "of\n"
    "one file with the standard plugins in it is built with\n"
    "  scripts/static.sh FOLDER MODEL...\n"
    "\n"
    "Examples:\n"
    "  dovetail select model_dir -o ops_to_register.h\n"
    "  dovetail select detect.pb classify/model.json --plugin my_ops.so -o ops_to_register.h\n",
    run};
