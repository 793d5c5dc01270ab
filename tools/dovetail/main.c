// The `dovetail` command: finds the verb, prints help.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_verb *const verbs[] = {&cli_run,     &cli_inspect, &cli_plan,   &cli_bench,
                                        &cli_convert, &cli_shapes,  &cli_select, &cli_ops,
                                        &cli_kernels, &cli_check,   &cli_new};

static void print_exit_codes(FILE *file) {
  fputs("Exit codes:\n", file);
#define X(code, name, meaning) fprintf(file, "  %d  %s\n", code, meaning);
  CLI_EXIT_CODES(X)
#undef X
}

static void print_help(FILE *file) {
  fprintf(file,
          "dovetail %s - runs trained graphs with plugin kernels\n\n"
          "Usage: dovetail VERB [ARGUMENTS] [OPTIONS]\n\n"
          "Verbs (dovetail VERB --help tells more):\n",
          dvt_version());
  for (size_t i = 0; i < DVT_COUNT_OF(verbs); ++i)
    fprintf(file, "  %-8s %-18s %s\n", verbs[i]->name, verbs[i]->arguments, verbs[i]->summary);
  fputs(
      "\nMODEL is a SavedModel directory, a file holding a GraphDef (.pb, .pbtxt), a meta graph (.meta), or "
      "a TensorFlow.js model.json.\n\n"
      "Examples:\n"
      "  dovetail inspect model_dir\n"
      "  dovetail run model_dir --input image=cat.png --out-dir out\n"
      "  dovetail run graph.pbtxt --input x=x.npy --output y --plugin my_ops.so\n"
      "  dovetail run model.json --input 0=cat.png\n"
      "  dovetail plan model_dir\n"
      "  dovetail bench model_dir --threads 2\n"
      "  dovetail convert model.json graph.pb\n"
      "  dovetail shapes graph.pb --feed x=1x224x224x3\n"
      "  dovetail select model_dir -o ops_to_register.h\n"
      "  dovetail inspect my_ops.so\n"
      "  dovetail ops MatMul\n"
      "  dovetail new my_ops\n"
      "  dovetail check my_ops.so\n\n",
      file);
  print_exit_codes(file);
}

static void print_verb_help(const cli_verb *verb) {
  printf("Usage: dovetail %s %s [OPTIONS]\n\n%s.\n", verb->name, verb->arguments, verb->summary);
  cli_print_options(verb, stdout);
  printf("\n%s\n", verb->notes);
  print_exit_codes(stdout);
}

static const cli_verb *find_verb(const char *name) {
  for (size_t i = 0; i < DVT_COUNT_OF(verbs); ++i)
    if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  const char *first = argv[1];
  if (strcmp(first, "--version") == 0) {
    printf("dovetail %s (C ABI of TensorFlow %s)\n", dvt_version(), TF_Version());
    return CLI_OK;
  }
  bool help = strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0;
  const cli_verb *verb = find_verb(help && argc > 2 ? argv[2] : first);
  if (help) {
    if (verb)
      print_verb_help(verb);
    else
      print_help(stdout);
    return CLI_OK;
  }
  if (first[0] == '-')
    return cli_error(CLI_USAGE, "options come after the verb: dovetail VERB ... %s. See dovetail --help.",
                     first);
  if (!verb)
    return cli_error(CLI_USAGE,
                     "there is no verb '%s'. The verbs are run, inspect, plan, bench, convert, shapes, "
                     "select, ops, kernels, check, new; see "
                     "dovetail --help.",
                     first);
  cli_options *options = calloc(1, sizeof *options);
  if (!options) return cli_error(CLI_RUN_FAILED, "out of memory");
  int exit_code = CLI_USAGE;
  if (cli_options_parse(verb, argc - 2, argv + 2, options)) {
    if (options->help) {
      print_verb_help(verb);
      exit_code = CLI_OK;
    } else {
      exit_code = verb->run(options);
    }
  }
  free(options);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("dovetail: standard output");
    if (exit_code == CLI_OK) exit_code = CLI_NO_OUTPUT;
  }
  return exit_code;
}
