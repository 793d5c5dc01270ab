// dvt_model_open: telling apart the kinds of files, reading them, loading plugins, importing the graph,
// restoring variables.
#include <stdio.h>
#include <sys/stat.h>

#include "base/schema.h"
#include "capi/model.h"
#include "graph/checkpoint.h"
#include "graph/import.h"
#include "graph/tfjs.h"
#include "graph/unfuse.h"
#include "op/registry.h"
#include "plugin/plugin.h"

enum { CONFIG_INTRA_OP = 2, CONFIG_INTER_OP = 5 };  // ConfigProto

const char *dvt_model_copy(dvt_model *model, dvt_str s) {
  dvt_str copy;
  return dvt_arena_copy_str(&model->arena, s, &copy) ? copy.data : NULL;
}

// ---- GraphDef files ----

static bool ends_with(const char *path, const char *end) {
  size_t len = strlen(path), tail = strlen(end);
  return len >= tail && strcmp(path + len - tail, end) == 0;
}

// Files that people try, with what to do instead. `at` is where the magic bytes stand.
static const struct {
  size_t at;
  dvt_str magic;
  const char *what;
} known_files[] = {
    {0, {"\x89HDF", 4}, "a Keras HDF5 file; save the model with model.export(DIR) and give DIR"},
    {0, {"PK\3\4", 4}, "a zip archive (a .keras file?); save the model with model.export(DIR) and give DIR"},
    {4, {"TFL3", 4}, "a TensorFlow Lite file, which has ops of its own and cannot be run"},
    {0,
     {"\x7f"
      "ELF",
      4},
     "a shared library; a plugin is given with --plugin or dvt_load_plugin"},
    {0, {"\x93NUMPY", 6}, "a NumPy array, not a model"},
};

static dvt_status not_a_graph(const char *path, dvt_str bytes) {
  for (size_t i = 0; i < DVT_COUNT_OF(known_files); ++i) {
    dvt_str magic = known_files[i].magic;
    if (bytes.len >= known_files[i].at + magic.len &&
        memcmp(bytes.data + known_files[i].at, magic.data, magic.len) == 0)
      return dvt_error(TF_INVALID_ARGUMENT, "%s is %s.", path, known_files[i].what);
  }
  dvt_field field;
  dvt_wire wire = dvt_wire_open(bytes);
  if (dvt_wire_next(&wire, &field) && field.number == 1 && field.type == DVT_WIRE_VARINT)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "%s is the inside of a SavedModel; give the directory that it lies in.", path);
  return dvt_error(
      TF_INVALID_ARGUMENT,
      "%s is not a model: its bytes are no GraphDef, or it is damaged. A SavedModel directory, a GraphDef "
      "file (.pb or .pbtxt), a meta graph (.meta) beside its checkpoint or a TensorFlow.js model.json is "
      "wanted.",
      path);
}

static bool is_graph_def(dvt_str bytes) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    bool message = field.type == DVT_WIRE_BYTES;
    if (field.number < 1 || field.number > 5 || message != (field.number != 3)) return false;
    if (field.number == GRAPH_NODE && !dvt_wire_valid(field.bytes)) return false;
  }
  return !wire.bad;
}

static bool is_text(dvt_str bytes) {
  for (size_t i = 0; i < bytes.len && i < 4096; ++i) {
    unsigned char c = (unsigned char)bytes.data[i];
    if (c < 32 && c != '\n' && c != '\r' && c != '\t') return false;
  }
  return true;
}

static dvt_status read_graph_file(dvt_model *model, const char *path) {
  DVT_RETURN_IF_ERROR(dvt_file_read(path, &model->file));
  dvt_str bytes = dvt_buf_str(&model->file);
  model->info.format = "GraphDef";
  if (bytes.len == 0) return dvt_error(TF_INVALID_ARGUMENT, "%s is empty; a GraphDef is wanted.", path);
  if (ends_with(path, ".pbtxt") || !is_graph_def(bytes)) {
    if (!is_text(bytes)) return not_a_graph(path, bytes);
    dvt_buf binary = {0};
    dvt_status status = dvt_text_parse(&dvt_schema_graph_def, bytes, path, &binary);
    dvt_buf_deinit(&model->file);
    model->file = binary;
    if (status) return dvt_status_annotate(status, " (the file was read as a GraphDef in text form)");
  }
  model->graph_def = dvt_buf_str(&model->file);
  return NULL;
}

// ---- SavedModels and their signatures ----

static bool convert_tensors(dvt_model *model, const dvt_signature_tensor *from, int count,
                            dvt_model_tensor **out) {
  *out = dvt_arena_calloc(&model->arena, (size_t)count + 1, sizeof **out);
  for (int i = 0; *out && i < count; ++i) {
    const dvt_signature_tensor *t = &from[i];
    dvt_tensor_info *info = &(*out)[i].info;
    info->name = dvt_model_copy(model, t->name);
    info->tensor = dvt_model_copy(model, t->tensor_name);
    info->dtype = (TF_DataType)t->dtype;
    info->rank = t->rank;
    int rank = t->rank < 0 ? 0 : t->rank;
    int64_t *dims = dvt_arena_alloc(&model->arena, (size_t)rank * sizeof *dims);
    if (!info->name || !info->tensor || !dims) return false;
    for (int d = 0; d < rank; ++d) dims[d] = rank <= (int)DVT_COUNT_OF(t->dims) ? t->dims[d] : -1;
    info->dims = dims;
  }
  return *out != NULL;
}

static dvt_status convert_signatures(dvt_model *model, const dvt_saved_model *from) {
  model->signature_count = from->signature_count;
  model->signatures =
      dvt_arena_calloc(&model->arena, (size_t)from->signature_count + 1, sizeof *model->signatures);
  bool ok = model->signatures != NULL;
  for (int i = 0; ok && i < from->signature_count; ++i) {
    const dvt_signature *s = &from->signatures[i];
    dvt_model_signature *to = &model->signatures[i];
    to->name = dvt_model_copy(model, s->key);
    to->input_count = s->input_count;
    to->output_count = s->output_count;
    ok = to->name && convert_tensors(model, s->inputs, s->input_count, &to->inputs) &&
         convert_tensors(model, s->outputs, s->output_count, &to->outputs);
    if (ok && strcmp(to->name, "serving_default") == 0) model->default_signature = i;
  }
  if (from->signature_count == 1) model->default_signature = 0;
  return ok ? NULL : dvt_error_out_of_memory(sizeof *model->signatures);
}

// Number and bytes of variables. A checkpoint that cannot be read is reported when the variables are
// restored.
static void describe_variables(dvt_model *model) {
  dvt_checkpoint *checkpoint = NULL;
  dvt_status status = dvt_checkpoint_open(model->saved_model->checkpoint, &checkpoint);
  for (size_t i = 0; checkpoint && i < dvt_checkpoint_count(checkpoint); ++i) {
    dvt_str name = dvt_checkpoint_name(checkpoint, i);
    int64_t dims[DVT_MAX_RANK];
    int dtype, rank;
    size_t bytes;
    if (dvt_str_is(name, "_CHECKPOINTABLE_OBJECT_GRAPH")) continue;
    dvt_status described = dvt_checkpoint_describe(checkpoint, name, &dtype, dims, DVT_MAX_RANK, &rank);
    if (!described) described = dvt_shape_bytes(dtype, dims, rank, &bytes);
    if (!described) {
      ++model->info.variable_count;
      model->info.variable_bytes += (int64_t)bytes;
    }
    dvt_status_free(described);
  }
  dvt_status_free(status);
  dvt_checkpoint_close(checkpoint);
}

static dvt_status describe_saved_model(dvt_model *model) {
  dvt_buf tags = {0};
  for (int i = 0; i < model->saved_model->tag_count; ++i)
    dvt_buf_printf(&tags, "%s" DVT_STR_FMT, i ? "," : "", DVT_STR_ARG(model->saved_model->tags[i]));
  model->info.tags = dvt_model_copy(model, dvt_buf_str(&tags));
  model->info.writer_version = dvt_model_copy(model, model->saved_model->writer_version);
  dvt_buf_deinit(&tags);
  if (!model->info.tags || !model->info.writer_version) return dvt_error_out_of_memory(64);
  model->graph_def = model->saved_model->graph_def;
  describe_variables(model);
  return convert_signatures(model, model->saved_model);
}

static dvt_status read_saved_model(dvt_model *model, const char *path, const dvt_model_options *options) {
  static const char *const serve[] = {"serve"};
  model->info.format = "SavedModel";
  if (options->tag_count > 0) {
    DVT_RETURN_IF_ERROR(dvt_saved_model_open(path, options->tags, options->tag_count, &model->saved_model));
  } else {
    dvt_status status = dvt_saved_model_open(path, serve, 1, &model->saved_model);
    if (dvt_status_code(status) == TF_NOT_FOUND) {
      dvt_status_free(status);
      status = dvt_saved_model_open(path, NULL, 0, &model->saved_model);
    }
    DVT_RETURN_IF_ERROR(status);
  }
  return describe_saved_model(model);
}

static dvt_status read_meta_graph(dvt_model *model, const char *path) {
  model->info.format = "MetaGraphDef";
  DVT_RETURN_IF_ERROR(dvt_meta_graph_open(path, &model->saved_model));
  return describe_saved_model(model);
}

// ---- TensorFlow.js models ----

static bool is_json(const char *path) {
  char head[64] = {0};
  FILE *file = fopen(path, "rb");
  size_t len = file ? fread(head, 1, sizeof head - 1, file) : 0, at = 0;
  if (file) fclose(file);
  while (at < len && strchr(" \t\r\n", head[at])) ++at;
  return head[at] == '{';
}

static bool has_file(const char *directory, const char *name) {
  struct stat info;
  dvt_buf path = {0};
  dvt_buf_printf(&path, "%s/%s", directory, name);
  bool is_file = !path.failed && stat(path.data, &info) == 0 && S_ISREG(info.st_mode);
  dvt_buf_deinit(&path);
  return is_file;
}

static bool is_tfjs(const char *path, mode_t mode) {
  if (!S_ISDIR(mode)) return S_ISREG(mode) && is_json(path);
  return has_file(path, "model.json") && !has_file(path, "saved_model.pb") &&
         !has_file(path, "saved_model.pbtxt");
}

static bool is_undefined(dvt_str op) { return !dvt_op_lookup(op); }

// Where no plugin defines the fused ops of the web, the graph runs in ordinary ones.
static dvt_status take_apart_undefined(dvt_model *model) {
  dvt_buf plain = {0};
  if (!dvt_graph_has_fused(model->graph_def, is_undefined)) return NULL;
  dvt_status status = dvt_graph_unfuse(model->graph_def, is_undefined, &plain);
  dvt_buf old = model->file;
  model->file = plain;
  model->graph_def = dvt_buf_str(&plain);
  dvt_buf_deinit(&old);
  return status;
}

static dvt_status read_tfjs(dvt_model *model, const char *path, bool describe_only) {
  dvt_tfjs_model *tfjs;
  DVT_RETURN_IF_ERROR(dvt_tfjs_open(path, &tfjs));
  model->info.format = "TensorFlow.js";
  model->info.writer_version = dvt_model_copy(model, tfjs->about->writer_version);
  model->file = tfjs->graph_def;
  tfjs->graph_def = (dvt_buf){0};
  model->graph_def = dvt_buf_str(&model->file);
  dvt_status status = model->info.writer_version ? convert_signatures(model, tfjs->about)
                                                 : dvt_error_out_of_memory(tfjs->about->writer_version.len);
  model->initializer = tfjs->initializer;
  tfjs->initializer = (dvt_buf){0};
  if (!status && !describe_only) status = take_apart_undefined(model);
  dvt_tfjs_close(tfjs);
  return status;
}

// ---- loading ----

// The nodes of model.json's "modelInitializer", under names of their own.
static dvt_status import_initializer(dvt_model *model) {
  TF_ImportGraphDefOptions options;
  dvt_import_options_init(&options);
  dvt_import_options_set_prefix(&options, DVT_STR("modelInitializer"));
  options.uniquify_prefix = true;
  dvt_status status = dvt_graph_import(model->graph, dvt_buf_str(&model->initializer), &options, NULL);
  dvt_import_options_deinit(&options);
  return status;
}

// Runs those of the graph's nodes from `first` on that nobody reads.
static dvt_status run_initializer(dvt_model *model, size_t first) {
  size_t count = model->graph->node_count - first;
  const TF_Operation **targets = dvt_calloc(count + 1, sizeof *targets);
  int target_count = 0;
  if (!targets) return dvt_error_out_of_memory(count * sizeof *targets);
  for (size_t i = 0; i < count; ++i)
    if (!model->graph->nodes[first + i]->consumers) targets[target_count++] = model->graph->nodes[first + i];
  dvt_status status =
      dvt_session_run(model->session, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, target_count, NULL);
  dvt_free(targets);
  return status;
}

static dvt_status load_graph(dvt_model *model, const TF_SessionOptions *options) {
  DVT_RETURN_IF_ERROR(dvt_graph_import(model->graph, model->graph_def, NULL, NULL));
  size_t first = model->graph->node_count;
  bool has_initializer = model->initializer.len > 0;
  dvt_status status = has_initializer ? import_initializer(model) : NULL;
  if (!status) status = dvt_session_create(model->graph, options, &model->session);
  if (!status && has_initializer) status = run_initializer(model, first);
  return status && has_initializer
             ? dvt_status_annotate(status, "\n\t (with the modelInitializer of model.json)")
             : status;
}

static dvt_status load(dvt_model *model, int threads) {
  dvt_buf config = {0};
  if (threads > 0) {
    dvt_wire_put_varint(&config, CONFIG_INTRA_OP, (uint64_t)threads);
    dvt_wire_put_varint(&config, CONFIG_INTER_OP, (uint64_t)threads);
  }
  TF_SessionOptions options = {.config = dvt_buf_str(&config)};
  dvt_status status = dvt_graph_create(&model->graph);
  if (!status && model->saved_model)
    status = dvt_session_load_saved_model(model->saved_model, &options, NULL, model->graph, &model->session);
  if (!status && !model->saved_model) status = load_graph(model, &options);
  dvt_buf_deinit(&config);
  return status;
}

static dvt_status open_model(dvt_model *model, const char *path, const dvt_model_options *options) {
  struct stat info;
  dvt_plugin_autoload_init();
  for (int i = 0; i < options->plugin_count; ++i) {
    dvt_plugin *plugin;
    DVT_RETURN_IF_ERROR(dvt_plugin_load(options->plugins[i], &plugin));
  }
  model->info.path = dvt_model_copy(model, dvt_str_from(path));
  if (!model->info.path) return dvt_error_out_of_memory(strlen(path));
  if (stat(path, &info) != 0)
    return dvt_error(
        TF_NOT_FOUND,
        "there is no model at %s: the path does not exist. A SavedModel directory, a GraphDef file (.pb or "
        ".pbtxt), a meta graph (.meta) or a TensorFlow.js model.json is wanted.",
        path);
  bool is_directory = S_ISDIR(info.st_mode), tfjs = is_tfjs(path, info.st_mode);
  if ((tfjs || !is_directory) && options->tag_count > 0)
    return dvt_error(TF_INVALID_ARGUMENT, "%s is %s; only a SavedModel directory has graphs with tags.", path,
                     tfjs ? "a TensorFlow.js model" : "a file");
  bool meta_graph = !is_directory && dvt_is_meta_graph_path(path);
  dvt_status status = tfjs           ? read_tfjs(model, path, options->describe_only)
                      : is_directory ? read_saved_model(model, path, options)
                      : meta_graph   ? read_meta_graph(model, path)
                                     : read_graph_file(model, path);
  if (status && tfjs)
    status = dvt_status_annotate(status, "\n\t (while opening the TensorFlow.js model %s)", path);
  DVT_RETURN_IF_ERROR(status);
  model->info.graph_bytes = (int64_t)model->graph_def.len;
  model->signature_is_made = model->signature_count == 0 && (!model->saved_model || meta_graph);
  status = dvt_model_read_graph(model, model->signature_is_made);
  if (!status && !options->describe_only) status = load(model, options->threads);
  if (status) return dvt_status_annotate(status, "\n\t (while opening the model %s)", path);
  if (model->graph)
    dvt_model_resolve(model);
  else if (model->signature_is_made)
    dvt_model_describe_ends(model);
  return NULL;
}

void dvt_model_open(const char *path, const dvt_model_options *options, dvt_model **out_model,
                    TF_Status *status) {
  dvt_model_options filled = {0};
  dvt_status result = NULL;
  dvt_model *model = NULL;
  if (!path) result = dvt_error(TF_INVALID_ARGUMENT, "dvt_model_open: the path is NULL.");
  if (!result && options && (options->struct_size < offsetof(dvt_model_options, tags) + sizeof options->tags))
    result = dvt_error(TF_INVALID_ARGUMENT,
                       "dvt_model_open: options.struct_size is %zu; set it to "
                       "sizeof(dvt_model_options).",
                       options->struct_size);
  if (!result) {
    if (options) memcpy(&filled, options, DVT_MIN(options->struct_size, sizeof filled));
    model = dvt_calloc(1, sizeof *model);
    if (!model) result = dvt_error_out_of_memory(sizeof *model);
  }
  if (!result) {
    pthread_mutex_init(&model->lock, NULL);
    model->default_signature = -1;
    model->info.tags = model->info.writer_version = "";
    result = open_model(model, path, &filled);
  }
  if (result)
    dvt_model_close(model);
  else
    *out_model = model;
  dvt_status_to_tf(result, status);
}

void dvt_model_close(dvt_model *model) {
  if (!model) return;
  dvt_session_destroy(model->session);
  dvt_graph_release(model->graph);
  dvt_saved_model_close(model->saved_model);
  dvt_buf_deinit(&model->file);
  dvt_buf_deinit(&model->initializer);
  dvt_profile_release(model->profile);
  dvt_arena_deinit(&model->arena);
  pthread_mutex_destroy(&model->lock);
  dvt_free(model);
}
