// Options as a table: letter (which verbs take it), name, argument, where it goes, help. Both "--name VALUE"
// and
// "--name=VALUE" are read; options and arguments mix in any order.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef enum option_kind {
  OPTION_FLAG,
  OPTION_TEXT,
  OPTION_LIST,
  OPTION_COMMA_LIST,
  OPTION_NUMBER
} option_kind;

typedef struct option_row {
  char letter;
  const char *name, *argument, *help;
  option_kind kind;
  size_t offset, count_offset;  // in cli_options; count of lists
} option_row;

#define AT(field) offsetof(cli_options, field)
static const option_row rows[] = {
    {'s', "signature", "NAME", "signature to run (default: serving_default, or the only one)", OPTION_TEXT,
     AT(signature), 0},
    {'i', "input", "NAME=FILE", "value of an input: .npy .png .jpg .wav .txt; repeat for more inputs",
     OPTION_LIST, AT(inputs), AT(input_count)},
    {'o', "output", "NAME", "output to compute; repeat for more (default: all)", OPTION_LIST, AT(outputs),
     AT(output_count)},
    {'d', "out-dir", "DIR", "write the outputs there as .npy files, listed in outputs.json", OPTION_TEXT,
     AT(out_dir), 0},
    {'O', "out", "FILE", "write the result there, -o for short", OPTION_TEXT, AT(out_file), 0},
    {'e', "feed", "NAME=2x3", "shape of an input, ? for an open size; repeat for more inputs", OPTION_LIST,
     AT(feeds), AT(feed_count)},
    {'p', "plugin", "FILE", "load this plugin first; repeat for more", OPTION_LIST, AT(plugins),
     AT(plugin_count)},
    {'g', "tags", "A,B", "which graph of a SavedModel (default: serve, or the only one)", OPTION_COMMA_LIST,
     AT(tags), AT(tag_count)},
    {'H', "host", "NAME", "only this host, as tensorflow-2.19 or dovetail; repeat for more", OPTION_LIST,
     AT(hosts), AT(host_count)},
    {'t', "threads", "N", "threads to compute with (default: all cores)", OPTION_NUMBER, AT(threads), 0},
    {'n', "runs", "N", "runs that are timed (default: as many as 3 seconds hold, 10 to 1000)", OPTION_NUMBER,
     AT(runs), 0},
    {'w', "warmup", "N", "runs before those (default: 3)", OPTION_NUMBER, AT(warmup), 0},
    {'a', "against", "DIR", "also time the libtensorflow_cc.so.2 of this folder, side by side", OPTION_TEXT,
     AT(against), 0},
    {'z', "optimize", "WHAT", "all, none, or some of fold,share,fuse,batch_norm,elementwise (default: all)",
     OPTION_TEXT, AT(optimize), 0},
    {'f', "profile", NULL, "tell which plugin ran which op and how long it took", OPTION_FLAG, AT(profile),
     0},
    {'T', "trace", "FILE", "write there what each node did, for ui.perfetto.dev or chrome://tracing",
     OPTION_TEXT, AT(trace), 0},
    {'S', "suite", NULL, "run the plugin's kernels through the conformance suite", OPTION_FLAG, AT(suite), 0},
    {'I', "inputs", "FILE", "what their inputs must be like (default: PLUGIN.check.json)", OPTION_TEXT,
     AT(inputs_file), 0},
    {'C', "c", NULL, "a plugin in C (the default)", OPTION_FLAG, AT(c), 0},
    {'K', "cc", NULL, "a plugin in TensorFlow's C++", OPTION_FLAG, AT(cc), 0},
    {'U', "cuda", NULL, "a plugin for GPUs: not in this version", OPTION_FLAG, AT(cuda), 0},
    {'X', "xla", NULL, "a plugin with custom calls: not in this version", OPTION_FLAG, AT(xla), 0},
    {'j', "json", NULL, "print JSON", OPTION_FLAG, AT(json), 0},
    {'h', "help", NULL, "this text", OPTION_FLAG, AT(help), 0},
};

static bool takes(const cli_verb *verb, const option_row *row) {
  return row->letter == 'h' || strchr(verb->option_letters, row->letter) != NULL;
}

void cli_print_options(const cli_verb *verb, FILE *file) {
  fputs("\nOptions:\n", file);
  for (size_t i = 0; i < DVT_COUNT_OF(rows); ++i) {
    char left[64];
    if (!takes(verb, &rows[i])) continue;
    snprintf(left, sizeof left, "--%s %s", rows[i].name, rows[i].argument ? rows[i].argument : "");
    fprintf(file, "  %-20s %s\n", left, rows[i].help);
  }
}

static const option_row *find_row(const cli_verb *verb, const char *name, size_t len) {
  for (size_t i = 0; i < DVT_COUNT_OF(rows); ++i)
    if (takes(verb, &rows[i]) && strlen(rows[i].name) == len && strncmp(rows[i].name, name, len) == 0)
      return &rows[i];
  return NULL;
}

static bool append(const char **list, int *count, const char *value) {
  if (*count == CLI_MAX_LIST) return false;
  list[(*count)++] = value;
  return true;
}

// `value` may be changed: comma lists are split in place.
static bool store(const option_row *row, char *value, cli_options *out) {
  char *base = (char *)out, *end;
  switch (row->kind) {
    case OPTION_FLAG:
      *(bool *)(base + row->offset) = true;
      return true;
    case OPTION_TEXT:
      *(const char **)(base + row->offset) = value;
      return true;
    case OPTION_LIST:
      return append((const char **)(base + row->offset), (int *)(base + row->count_offset), value);
    case OPTION_COMMA_LIST:
      for (char *part = strtok(value, ","); part; part = strtok(NULL, ","))
        if (!append((const char **)(base + row->offset), (int *)(base + row->count_offset), part))
          return false;
      return true;
    case OPTION_NUMBER: {
      long number = strtol(value, &end, 10);
      if (*value == '\0' || *end != '\0' || number < 1 || number > 1024) return false;
      *(int *)(base + row->offset) = (int)number;
      return true;
    }
  }
  return false;
}

static bool bad(const cli_verb *verb, const char *format, const char *a, const char *b) {
  char text[512];
  snprintf(text, sizeof text, format, a, b);
  cli_error(CLI_USAGE, "%s See dovetail %s --help.", text, verb->name);
  return false;
}

// One of the verb's options that begins as `name` does, or NULL: "--in", "--inptu".
static const option_row *similar(const cli_verb *verb, const char *name, size_t len) {
  for (size_t common = len < 8 ? len : 8; common >= 2; --common)
    for (size_t i = 0; i < DVT_COUNT_OF(rows); ++i)
      if (takes(verb, &rows[i]) && strncmp(rows[i].name, name, common) == 0) return &rows[i];
  return NULL;
}

static bool bad_option(const cli_verb *verb, const char *arg, const char *name, size_t len) {
  const option_row *row = similar(verb, name, len);
  cli_error(CLI_USAGE, "%s takes no option '%s'.%s%s%s See dovetail %s --help.", verb->name, arg,
            row ? " Did you mean --" : "", row ? row->name : "", row ? "?" : "", verb->name);
  return false;
}

bool cli_options_parse(const cli_verb *verb, int argc, char **argv, cli_options *out) {
  for (int i = 0; i < argc; ++i) {
    char *arg = argv[i];
    if (strcmp(arg, "-h") == 0) arg = "--help";
    if (strcmp(arg, "-o") == 0) arg = "--out";
    if (arg[0] != '-' || arg[1] == '\0') {
      if (!append(out->positional, &out->positional_count, arg))
        return bad(verb, "too many arguments.%s%s", "", "");
      continue;
    }
    const char *name = arg + (arg[1] == '-' ? 2 : 1);
    char *equals = strchr(arg, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const option_row *row = arg[1] == '-' ? find_row(verb, name, len) : NULL;
    if (!row) return bad_option(verb, arg, name, len);
    char *value = equals ? equals + 1 : NULL;
    if (!row->argument && value) return bad(verb, "--%s takes no value%s.", row->name, "");
    if (row->argument && !value) {
      if (i + 1 == argc) return bad(verb, "--%s wants a value: %s.", row->name, row->argument);
      value = argv[++i];
    }
    if (!store(row, value, out))
      return bad(verb,
                 row->kind == OPTION_NUMBER ? "--%s cannot be '%s'; a number from 1 to 1024 is wanted."
                                            : "--%s '%s' is one too many.",
                 row->name, value);
  }
  return true;
}
