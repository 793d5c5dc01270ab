// `dovetail inspect`: what a model consists of and what is missing to run it, or what a plugin registers. A
// model is only read, so this works when ops are missing.
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "dtype.h"
#include "list.h"
#include "tensorflow/c/c_api_experimental.h"

// ---- plugins ----

static bool is_shared_library(const char *path) {
  char magic[4] = {0};
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  bool elf = fread(magic, 1, 4, file) == 4 && memcmp(magic,
                                                     "\x7f"
                                                     "ELF",
                                                     4) == 0;
  fclose(file);
  return elf;
}

typedef struct plugin_list {
  json *json;
  int count;
  int without_op;  // kernels whose op nobody defines
} plugin_list;

static void show_op(void *arg, const dvt_op_info *op) {
  plugin_list *list = arg;
  ++list->count;
  if (list->json)
    list_op_json(list->json, op);
  else
    list_op_text(op);
}

static void show_kernel(void *arg, const dvt_kernel_info *kernel) {
  plugin_list *list = arg;
  ++list->count;
  if (list->json)
    list_kernel_json(list->json, kernel);
  else
    list_kernel_text(kernel);
}

static void show_without_op(void *arg, const dvt_kernel_info *kernel) {
  plugin_list *list = arg;
  TF_Status *status = TF_NewStatus();
  TF_OpIsStateful(kernel->op, status);
  if (TF_GetCode(status) == TF_NOT_FOUND) {
    ++list->without_op;
    if (list->json)
      json_string(list->json, NULL, kernel->op);
    else
      printf("%s  %s (%s)\n",
             list->without_op == 1
                 ? "\nkernels of ops that neither this plugin nor another loaded one defines:\n"
                 : "",
             kernel->op, kernel->device);
  }
  TF_DeleteStatus(status);
}

static int inspect_plugin(const cli_options *options, const char *path) {
  TF_Status *status = TF_NewStatus();
  const char *name = dvt_load_plugin(path, status);
  int exit_code = CLI_OK;
  if (!name) {
    exit_code = cli_error(CLI_BAD_PLUGIN, "%s", TF_Message(status));
  } else if (options->json) {
    json j = {.file = stdout};
    plugin_list list = {.json = &j};
    json_open(&j, NULL, '{');
    json_string(&j, "plugin", name);
    json_string(&j, "path", path);
    json_open(&j, "ops", '[');
    dvt_list_ops(name, show_op, &list);
    json_close(&j, ']');
    json_open(&j, "kernels", '[');
    dvt_list_kernels(NULL, name, show_kernel, &list);
    json_close(&j, ']');
    json_open(&j, "kernels_without_op", '[');
    dvt_list_kernels(NULL, name, show_without_op, &list);
    json_close(&j, ']');
    json_close(&j, '}');
  } else {
    plugin_list ops = {0}, kernels = {0};
    printf("%s: plugin %s\n\nops\n", path, name);
    dvt_list_ops(name, show_op, &ops);
    printf("%d op%s\n\nkernels\n", ops.count, ops.count == 1 ? "" : "s");
    dvt_list_kernels(NULL, name, show_kernel, &kernels);
    printf("%d kernel%s\n", kernels.count, kernels.count == 1 ? "" : "s");
    dvt_list_kernels(NULL, name, show_without_op, &kernels);
    if (kernels.without_op)
      puts("No graph can use them: register the op too, correct its name, or give its plugin with --plugin.");
    if (ops.count + kernels.count == 0)
      puts(
          "\nIt registers nothing: a plugin defines TF_InitKernel, which calls TF_RegisterOpDefinition and\n"
          "TF_RegisterKernelBuilder.");
  }
  TF_DeleteStatus(status);
  return exit_code;
}

// ---- models ----

static void print_size(int64_t bytes) {
  if (bytes < 10000)
    printf("%" PRId64 " B", bytes);
  else if (bytes < 10000000)
    printf("%.0f kB", (double)bytes * 1e-3);
  else
    printf("%.1f MB", (double)bytes * 1e-6);
}

static void print_info(const dvt_model_info *info) {
  printf("%s: %s", info->path, info->format);
  if (info->tags[0]) printf(", tags %s", info->tags);
  if (info->writer_version[0]) printf(", written by TensorFlow %s", info->writer_version);
  if (info->graph_def_version) printf(", GraphDef version %" PRId64, info->graph_def_version);
  printf("\n  graph      %" PRId64 " nodes", info->node_count);
  if (info->function_count)
    printf(", %" PRId64 " functions with %" PRId64 " nodes", info->function_count, info->function_node_count);
  fputs(", ", stdout);
  print_size(info->graph_bytes);
  if (info->variable_count) {
    printf("\n  variables  %" PRId64 ", ", info->variable_count);
    print_size(info->variable_bytes);
  }
  fputc('\n', stdout);
}

static void print_end(const char *kind, int index, const dvt_tensor_info *info) {
  char text[DTYPE_TEXT_BYTES];
  printf("  %-4s %d  %-24s %-28s %s\n", kind, index, info->name,
         dtype_text(info->dtype, info->dims, info->rank, text),
         strcmp(info->name, info->tensor) == 0 ? "" : info->tensor);
}

static void print_signatures(const dvt_model *model) {
  for (int i = 0; i < dvt_model_signature_count(model); ++i) {
    const char *name = dvt_model_signature_name(model, i);
    printf("\n%s%s\n", name[0] ? "signature " : "inputs and outputs (no signature)", name);
    for (int k = 0; k < dvt_model_input_count(model, name); ++k)
      print_end("in", k, dvt_model_input(model, name, k));
    for (int k = 0; k < dvt_model_output_count(model, name); ++k)
      print_end("out", k, dvt_model_output(model, name, k));
  }
}

static void print_ops(dvt_model *model) {
  int count = dvt_model_op_count(model);
  printf("\nops (%d types; \"needed\" is what the signatures and loading reach)\n  %-28s %7s %7s  %s\n",
         count, "op", "nodes", "needed", "plugin");
  for (int i = 0; i < count; ++i) {
    const dvt_op_use *use = dvt_model_op(model, i);
    const char *plugin = use->missing     ? "MISSING"
                         : !use->plugin   ? "-"
                         : use->plugin[0] ? use->plugin
                                          : "(runtime)";
    printf("  %-28s %7" PRId64 " %7" PRId64 "  %s\n", use->op, use->count, use->needed, plugin);
  }
  int missing = dvt_model_missing_count(model);
  puts(missing ? "\nmissing to run it (plugins are given with --plugin FILE):"
               : "\nmissing to run it: nothing");
  for (int i = 0; missing && i < count; ++i) {
    const dvt_op_use *use = dvt_model_op(model, i);
    if (use->missing) printf("  %s: %s\n", use->op, use->missing);
  }
}

static void json_ends(json *j, const char *key, const dvt_model *model, const char *name,
                      int (*count)(const dvt_model *, const char *),
                      const dvt_tensor_info *(*get)(const dvt_model *, const char *, int)) {
  json_open(j, key, '[');
  for (int k = 0; k < count(model, name); ++k) {
    const dvt_tensor_info *info = get(model, name, k);
    json_open(j, NULL, '{');
    json_string(j, "name", info->name);
    json_string(j, "tensor", info->tensor);
    json_string(j, "dtype", info->dtype ? dtype_name(info->dtype) : NULL);
    json_shape(j, "shape", info->dims, info->rank);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void print_json(dvt_model *model) {
  json j = {.file = stdout};
  const dvt_model_info *info = dvt_model_describe(model);
  json_open(&j, NULL, '{');
  json_string(&j, "model", info->path);
  json_string(&j, "format", info->format);
  json_string(&j, "tags", info->tags);
  json_string(&j, "tensorflow", info->writer_version);
  json_int(&j, "graph_def_version", info->graph_def_version);
  json_int(&j, "nodes", info->node_count);
  json_int(&j, "functions", info->function_count);
  json_int(&j, "function_nodes", info->function_node_count);
  json_int(&j, "graph_bytes", info->graph_bytes);
  json_int(&j, "variables", info->variable_count);
  json_int(&j, "variable_bytes", info->variable_bytes);
  json_open(&j, "signatures", '[');
  for (int i = 0; i < dvt_model_signature_count(model); ++i) {
    const char *name = dvt_model_signature_name(model, i);
    json_open(&j, NULL, '{');
    json_string(&j, "name", name);
    json_ends(&j, "inputs", model, name, dvt_model_input_count, dvt_model_input);
    json_ends(&j, "outputs", model, name, dvt_model_output_count, dvt_model_output);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_open(&j, "ops", '[');
  for (int i = 0; i < dvt_model_op_count(model); ++i) {
    const dvt_op_use *use = dvt_model_op(model, i);
    json_open(&j, NULL, '{');
    json_string(&j, "op", use->op);
    json_int(&j, "nodes", use->count);
    json_int(&j, "needed", use->needed);
    json_string(&j, "plugin", use->plugin);
    json_string(&j, "missing", use->missing);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_int(&j, "missing", dvt_model_missing_count(model));
  json_close(&j, '}');
}

static int run(const cli_options *options) {
  int exit_code = CLI_OK;
  if (options->positional_count != 1)
    return cli_error(CLI_USAGE, "inspect wants one MODEL or PLUGIN. See dovetail inspect --help.");
  const char *path = options->positional[0];
  if (is_shared_library(path))
    return cli_load_plugins(options) ? inspect_plugin(options, path) : CLI_BAD_PLUGIN;
  if (access(path, F_OK) != 0)
    return cli_error(CLI_BAD_MODEL, "there is neither a model nor a plugin at %s: the path does not exist.",
                     path);
  dvt_model *model = cli_open_model(options, path, true, &exit_code);
  if (!model) return exit_code;
  if (options->json) {
    print_json(model);
  } else {
    print_info(dvt_model_describe(model));
    print_signatures(model);
    print_ops(model);
  }
  dvt_model_close(model);
  return CLI_OK;
}

const cli_verb cli_inspect = {
    "inspect",
    "MODEL|PLUGIN",
    "Tells what a model consists of and what is missing to run it, or what a plugin registers",
    "pgj",
    "A model is only read: this works when ops are missing, and the exit code is 0 all the same.\n"
    "\n"
    "Examples:\n"
    "  dovetail inspect model_dir\n"
    "  dovetail inspect graph.pb --plugin my_ops.so --json\n"
    "  dovetail inspect my_ops.so\n",
    run};
