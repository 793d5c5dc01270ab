// What the files of the `dovetail` command share: exit codes, verbs, options, errors. One file a verb (run.c,
// inspect.c, ops.c, kernels.c); one file a format (npy.c, image.c, sound.c, text.c). The command uses public
// headers only, plus header-only helpers of src/.
#ifndef DVT_TOOLS_CLI_H_
#define DVT_TOOLS_CLI_H_

#include <stdbool.h>
#include <stdio.h>

#include "base/base.h"
#include "dovetail/dovetail.h"
#include "tensorflow/c/c_api.h"

// X(code, NAME, "meaning") - printed by --help.
#define CLI_EXIT_CODES(X)                                         \
  X(0, OK, "done")                                                \
  X(1, RUN_FAILED, "running the model failed")                    \
  X(2, USAGE, "wrong command line")                               \
  X(3, BAD_INPUT, "an input file cannot be read or does not fit") \
  X(4, BAD_MODEL, "the model cannot be opened")                   \
  X(5, BAD_PLUGIN, "a plugin cannot be loaded")                   \
  X(6, NO_OUTPUT, "an output file cannot be written")

enum {
#define X(code, name, meaning) CLI_##name = code,
  CLI_EXIT_CODES(X)
#undef X
};

#define CLI_MAX_LIST 256  // --input, --output, --plugin, names: far more than anybody types

typedef struct cli_options {
  const char *positional[CLI_MAX_LIST];
  int positional_count;
  const char *inputs[CLI_MAX_LIST];  // "NAME=FILE"
  int input_count;
  const char *outputs[CLI_MAX_LIST];
  int output_count;
  const char *plugins[CLI_MAX_LIST];
  int plugin_count;
  const char *feeds[CLI_MAX_LIST];  // "NAME=2x3"
  int feed_count;
  const char *tags[CLI_MAX_LIST];
  int tag_count;
  const char *hosts[CLI_MAX_LIST];
  int host_count;
  const char *signature, *out_dir, *out_file, *against, *optimize, *trace, *inputs_file;
  int threads, runs, warmup;
  bool json, profile, suite, c, cc, cuda, xla, help;
} cli_options;

typedef struct cli_verb {
  const char *name, *arguments, *summary;
  const char *option_letters;  // which options it takes: see options.c
  const char *notes;           // more help: what it prints, examples
  int (*run)(const cli_options *options);
} cli_verb;

extern const cli_verb cli_run, cli_inspect, cli_plan, cli_bench, cli_convert, cli_ops, cli_kernels,
    cli_shapes, cli_select, cli_check, cli_new;

// Fills *out from argv; an error has been printed and CLI_USAGE is to be returned when false.
bool cli_options_parse(const cli_verb *verb, int argc, char **argv, cli_options *out);
void cli_print_options(const cli_verb *verb, FILE *file);

// "dovetail: MESSAGE" on stderr; returns `exit_code`.
int cli_error(int exit_code, const char *format, ...) DVT_PRINTF(2, 3);
// Stores the message into status; returns false.
bool cli_fail(TF_Status *status, TF_Code code, const char *format, ...) DVT_PRINTF(3, 4);

// Loads --plugin files; false when one failed, with the error printed.
bool cli_load_plugins(const cli_options *options);
// Opens the model; NULL with the error printed and *out_exit set.
dvt_model *cli_open_model(const cli_options *options, const char *path, bool describe_only, int *out_exit);

// Tells on stderr what is being done when it takes long: on a terminal a line that is rewritten, else a plain
// line. Each call ends the stage before; NULL ends the last. Does nothing with --json.
void cli_stage(const cli_options *options, const char *format, ...) DVT_PRINTF(2, 3);

#endif  // DVT_TOOLS_CLI_H_
