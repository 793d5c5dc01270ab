// `dovetail new NAME`: a folder with a plugin that builds and passes its tests as it is. Templates are files
// in which @name@ and the like stand for what the plugin is called.
#include "new.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { MAX_NAME = 64 };

typedef struct word {
  const char *from, *to;
} word;

typedef struct plugin_names {
  const char *folder;
  char op[2 * MAX_NAME], function[3 * MAX_NAME], source[2 * MAX_NAME];
  word words[6];
} plugin_names;

// ---- names ----

// A name is that of a file, a CMake target and, in capitals, an op.
static bool is_name(const char *name) {
  size_t len = strlen(name);
  if (len == 0 || len >= MAX_NAME || name[0] < 'a' || name[0] > 'z' || name[len - 1] == '_') return false;
  for (size_t i = 0; i < len; i++) {
    bool good = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') || name[i] == '_';
    if (!good || (name[i] == '_' && name[i + 1] == '_')) return false;
  }
  return true;
}

// "my_ops" -> "MyOpsScale".
static void make_op(const char *name, char *out) {
  bool up = true;
  for (; *name; name++) {
    if (*name == '_') {
      up = true;
      continue;
    }
    *out++ = up ? (char)toupper((unsigned char)*name) : *name;
    up = false;
  }
  strcpy(out, "Scale");
}

// The name that TensorFlow's Python gives to the op: "my_ops_scale". A capital after a small letter or digit
// begins a new word.
static void make_function(const char *op, char *out) {
  for (size_t i = 0; op[i]; i++) {
    if (i > 0 && isupper((unsigned char)op[i])) *out++ = '_';
    *out++ = (char)tolower((unsigned char)op[i]);
  }
  *out = '\0';
}

static void make_names(const char *name, const char *folder, bool is_cc, plugin_names *out) {
  out->folder = folder;
  make_op(name, out->op);
  make_function(out->op, out->function);
  snprintf(out->source, sizeof out->source, "%s.%s", name, is_cc ? "cc" : "c");
  const word words[] = {{"@name@", name},
                        {"@Op@", out->op},
                        {"@function@", out->function},
                        {"@source@", out->source},
                        {"@languages@", is_cc ? "C CXX" : "C"},
                        {NULL, NULL}};
  memcpy(out->words, words, sizeof words);
}

// ---- files ----

static void write_filled(const plugin_names *names, const char *text, FILE *out) {
  while (*text) {
    const word *w = names->words;
    while (w->from && strncmp(text, w->from, strlen(w->from)) != 0) w++;
    if (w->from) {
      fputs(w->to, out);
      text += strlen(w->from);
    } else {
      fputc(*text++, out);
    }
  }
}

static bool make_folders_of(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    bool good = mkdir(path, 0777) == 0 || errno == EEXIST;
    *slash = '/';
    if (!good) return false;
  }
  return true;
}

static int write_file(const plugin_names *names, const new_template *t) {
  char *path = NULL;
  size_t len = 0;
  FILE *stream = open_memstream(&path, &len);
  if (!stream) return cli_error(CLI_NO_OUTPUT, "out of memory");
  fprintf(stream, "%s/", names->folder);
  write_filled(names, strchr(t->path, '/') + 1, stream);
  fclose(stream);
  FILE *file = make_folders_of(path) ? fopen(path, "wx") : NULL;
  if (file) write_filled(names, t->text, file);
  bool failed = !file || ferror(file) != 0;
  if (file && fclose(file) != 0) failed = true;
  int exit_code = CLI_OK;
  if (failed)
    exit_code = cli_error(CLI_NO_OUTPUT, "%s cannot be written: %s.", path, strerror(errno));
  else
    printf("  %s\n", path);
  free(path);
  return exit_code;
}

static bool is_for(const new_template *t, const char *kind) {
  size_t len = strlen(kind);
  return (strncmp(t->path, kind, len) == 0 && t->path[len] == '/') || strncmp(t->path, "common/", 7) == 0;
}

static int run(const cli_options *options) {
  if (options->cuda)
    return cli_error(CLI_USAGE,
                     "--cuda: plugins with kernels for GPUs come with the device API, which this version "
                     "does not have.");
  if (options->xla)
    return cli_error(
        CLI_USAGE,
        "--xla: plugins with custom calls for XLA come with the custom calls, which this version "
        "does not have.");
  if (options->positional_count != 1)
    return cli_error(CLI_USAGE, "new wants one NAME. See dovetail new --help.");
  if (options->c && options->cc) return cli_error(CLI_USAGE, "--c and --cc exclude each other.");
  const char *name = options->positional[0], *folder = options->out_file ? options->out_file : name;
  plugin_names names;
  if (!is_name(name))
    return cli_error(
        CLI_USAGE,
        "'%s' cannot be a plugin's name: small letters, digits and single '_' are wanted, a letter first, "
        "at most %d of them, as in my_ops.",
        name, MAX_NAME - 1);
  if (access(folder, F_OK) == 0 && rmdir(folder) != 0)
    return cli_error(CLI_NO_OUTPUT, "%s is there already, and not an empty folder.", folder);
  make_names(name, folder, options->cc, &names);
  for (const new_template *t = new_templates; t->path; t++) {
    int exit_code = is_for(t, options->cc ? "cc" : "c") ? write_file(&names, t) : CLI_OK;
    if (exit_code != CLI_OK) return exit_code;
  }
  printf("\n  cd %s\n  cmake -S . -B build && cmake --build build && ctest --test-dir build\n", folder);
  return CLI_OK;
}

const cli_verb cli_new = {
    "new",
    "NAME",
    "Makes a folder with a plugin of one op that builds and passes its tests as it is",
    "CKUXO",
    "The plugin is in C, or with --cc in TensorFlow's C++ over Dovetail's headers. It comes with\n"
    "CMake files, tests in Dovetail and TensorFlow, a README and a workflow for CI.\n"
    "\n"
    "Examples:\n"
    "  dovetail new my_ops\n"
    "  dovetail new my_ops --cc -o plugins/my_ops\n",
    run};
