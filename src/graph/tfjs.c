// model.json: finds its members, refuses what is no graph model, makes the GraphDef and the signature.
#include "graph/tfjs.h"

#include <sys/stat.h>

#include "base/library.h"
#include "graph/tfjs_internal.h"

// Members of model.json that are read; each stands at an offset of the text, 0 when it is not there.
typedef struct members {
  size_t topology, manifest, signature, metadata, initializer, format, generated_by;
} members;

static const struct {
  const char *name;
  size_t offset;
} member_names[] = {
    {"modelTopology", offsetof(members, topology)},
    {"weightsManifest", offsetof(members, manifest)},
    {"signature", offsetof(members, signature)},
    {"userDefinedMetadata", offsetof(members, metadata)},
    {"modelInitializer", offsetof(members, initializer)},
    {"format", offsetof(members, format)},
    {"generatedBy", offsetof(members, generated_by)},
};

// Field numbers of the public saved_model.proto and meta_graph.proto.
enum { SAVED_MODEL_META_GRAPH = 2, META_INFO = 1, META_SIGNATURE = 5, INFO_VERSION = 5 };
enum { MAP_KEY = 1, MAP_VALUE = 2, SIGNATURE_INPUTS = 1, SIGNATURE_OUTPUTS = 2 };
enum { INFO_NAME = 1, INFO_DTYPE = 2, INFO_SHAPE = 3 };
// Of the public graph.proto, node_def.proto, attr_value.proto.
enum { GRAPH_NODE = 1, NODE_NAME = 1, NODE_OP = 2, NODE_ATTR = 5, ATTR_TYPE = 6, ATTR_SHAPE = 7 };

dvt_status tfjs_error(const tfjs_reader *r, const char *format, ...) {
  dvt_buf message = {0};
  va_list args;
  va_start(args, format);
  dvt_buf_vprintf(&message, format, args);
  va_end(args);
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT, "%s: %s", r->path, message.data ? message.data : "malformed");
  dvt_buf_deinit(&message);
  return status;
}

// ---- members ----

static dvt_status find_members(tfjs_reader *r, members *out) {
  bool first = true, more;
  dvt_str name;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '{', "a TensorFlow.js model"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_member(&r->json, &first, &more, &name));
    if (!more) return dvt_json_finish(&r->json);
    dvt_json_peek(&r->json);
    for (size_t i = 0; i < DVT_COUNT_OF(member_names); ++i) {
      size_t *at = (size_t *)((char *)out + member_names[i].offset);
      if (!dvt_str_is(name, member_names[i].name)) continue;
      if (*at) return dvt_json_error(&r->json, r->json.at, "\"%s\" is there twice", member_names[i].name);
      *at = r->json.at;
    }
    DVT_RETURN_IF_ERROR(dvt_json_skip(&r->json));
  }
}

// The text of a member into json.scratch; empty when it is absent or no string.
static dvt_str text_at(tfjs_reader *r, size_t at) {
  r->json.at = at;
  dvt_buf_clear(&r->json.scratch);
  if (!at || dvt_json_peek(&r->json) != '"') return (dvt_str){0};
  dvt_status status = dvt_json_take_string(&r->json, &r->json.scratch);
  dvt_str text = status ? (dvt_str){0} : dvt_buf_str(&r->json.scratch);
  dvt_status_free(status);
  return text;
}

// Whether the object at an offset has a member of this name; the cursor is then at its value.
static dvt_status find_inside(tfjs_reader *r, size_t at, const char *wanted, bool *out_found) {
  bool first = true, more;
  dvt_str name;
  *out_found = false;
  r->json.at = at;
  if (!at || dvt_json_peek(&r->json) != '{') return NULL;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '{', wanted));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_member(&r->json, &first, &more, &name));
    if (!more) return NULL;
    *out_found = dvt_str_is(name, wanted);
    if (*out_found) {
      dvt_json_peek(&r->json);
      --r->json.depth;
      return NULL;
    }
    DVT_RETURN_IF_ERROR(dvt_json_skip(&r->json));
  }
}

#define AS_A_GRAPH_MODEL                                                                                 \
  "Convert the model it was made from with tensorflowjs_converter --output_format=tfjs_graph_model, or " \
  "save that as a SavedModel"

static dvt_status check_kind(tfjs_reader *r, const members *at) {
  bool keras;
  dvt_str format = text_at(r, at->format);
  if (format.len && !dvt_str_is(format, "graph-model") && !dvt_str_is(format, "layers-model"))
    return tfjs_error(r,
                      "its format is \"" DVT_STR_FMT "\"; \"graph-model\" is wanted. " AS_A_GRAPH_MODEL ".",
                      (int)DVT_MIN(format.len, (size_t)80), format.data);
  bool layers = dvt_str_is(format, "layers-model");
  DVT_RETURN_IF_ERROR(find_inside(r, at->topology, "model_config", &keras));
  if (keras || layers)
    return tfjs_error(
        r, "it is a layers model, which describes Keras layers instead of a graph. " AS_A_GRAPH_MODEL ".");
  if (!at->topology)
    return tfjs_error(
        r,
        "it has no \"modelTopology\", so it is no TensorFlow.js graph model. The model.json that "
        "tensorflowjs_converter writes is wanted.");
  return NULL;
}

// ---- signature ----

static dvt_status read_signature(tfjs_reader *r, const members *at, dvt_buf *out) {
  bool found = at->signature != 0;
  r->json.at = at->signature;
  if (!found) DVT_RETURN_IF_ERROR(find_inside(r, at->metadata, "signature", &found));
  if (!found || dvt_json_peek(&r->json) != '{') return NULL;
  r->json.ignore_unknown = true;  // "resourceId" of tables
  dvt_status status = dvt_json_take_message(&r->json, &dvt_schema_signature_def, out);
  r->json.ignore_unknown = false;
  return status ? dvt_status_annotate(status, " (in the signature)") : NULL;
}

static dvt_str bytes_of(dvt_str message, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(message, number, DVT_WIRE_BYTES, &field) ? field.bytes : (dvt_str){0};
}

static void put_input(dvt_str node, dvt_buf *out) {
  dvt_str name = bytes_of(node, NODE_NAME);
  size_t entry = dvt_wire_begin(out, SIGNATURE_INPUTS);
  dvt_wire_put_bytes(out, MAP_KEY, name);
  size_t info = dvt_wire_begin(out, MAP_VALUE), tensor = dvt_wire_begin(out, INFO_NAME);
  dvt_buf_append_str(out, name);
  dvt_buf_append_str(out, DVT_STR(":0"));
  dvt_wire_end(out, tensor);
  dvt_wire wire = dvt_wire_open(node);
  dvt_field attr, field;
  while (dvt_wire_next(&wire, &attr)) {
    if (attr.number != NODE_ATTR) continue;
    dvt_str key = bytes_of(attr.bytes, MAP_KEY), value = bytes_of(attr.bytes, MAP_VALUE);
    if (dvt_str_is(key, "dtype") && dvt_wire_find(value, ATTR_TYPE, DVT_WIRE_VARINT, &field))
      dvt_wire_put_varint(out, INFO_DTYPE, field.value);
    if (dvt_str_is(key, "shape") && dvt_wire_find(value, ATTR_SHAPE, DVT_WIRE_BYTES, &field) &&
        field.bytes.len > 0)  // in old graphs an empty shape also stands for an unknown one
      dvt_wire_put_bytes(out, INFO_SHAPE, field.bytes);
  }
  dvt_wire_end(out, info);
  dvt_wire_end(out, entry);
}

// Some converters name only outputs; the inputs are then the placeholders, as TensorFlow.js has it.
static void add_inputs(dvt_str graph_def, dvt_buf *signature) {
  dvt_field field;
  if (dvt_wire_find(dvt_buf_str(signature), SIGNATURE_INPUTS, DVT_WIRE_BYTES, &field)) return;
  dvt_wire wire = dvt_wire_open(graph_def);
  while (dvt_wire_next(&wire, &field))
    if (field.number == GRAPH_NODE && dvt_str_is(bytes_of(field.bytes, NODE_OP), "Placeholder"))
      put_input(field.bytes, signature);
}

static void put_version(tfjs_reader *r, size_t at, dvt_buf *out) {
  dvt_str version = text_at(r, at);
  if (version.len == 0 || version.data[0] < '0' || version.data[0] > '9') return;
  size_t info = dvt_wire_begin(out, META_INFO);
  dvt_wire_put_bytes(out, INFO_VERSION, version);
  dvt_wire_end(out, info);
}

// The signature is wrapped as a SavedModel has it, whose reader then understands it.
static dvt_status read_about(tfjs_reader *r, const members *at, dvt_tfjs_model *model) {
  dvt_buf *bytes = &model->about_bytes;
  dvt_buf signature = {0};
  dvt_field field;
  dvt_status status = read_signature(r, at, &signature);
  size_t meta = dvt_wire_begin(bytes, SAVED_MODEL_META_GRAPH);
  put_version(r, at->generated_by, bytes);
  if (!status && dvt_wire_find(dvt_buf_str(&signature), SIGNATURE_OUTPUTS, DVT_WIRE_BYTES, &field)) {
    add_inputs(dvt_buf_str(&model->graph_def), &signature);
    size_t entry = dvt_wire_begin(bytes, META_SIGNATURE);
    dvt_wire_put_bytes(bytes, MAP_KEY, DVT_STR("serving_default"));
    dvt_wire_put_bytes(bytes, MAP_VALUE, dvt_buf_str(&signature));
    dvt_wire_end(bytes, entry);
  }
  dvt_wire_end(bytes, meta);
  if (!status && (bytes->failed || signature.failed)) status = dvt_error_out_of_memory(signature.len);
  if (!status) status = dvt_saved_model_parse(r->path, dvt_buf_str(bytes), NULL, 0, &model->about);
  dvt_buf_deinit(&signature);
  return status;
}

// ---- the whole ----

static dvt_status read_initializer(tfjs_reader *r, size_t at, dvt_buf *out) {
  dvt_buf graph = {0};
  r->json.at = at;
  r->json.ignore_unknown = true;  // "handleData" of functions, which are not used
  dvt_status status = dvt_json_take_message(&r->json, &dvt_schema_graph_def, &graph);
  r->json.ignore_unknown = false;
  if (!status) status = tfjs_initializer_fill(r, dvt_buf_str(&graph), out);
  dvt_buf_deinit(&graph);
  return status ? dvt_status_annotate(status, " (in the modelInitializer)") : NULL;
}

static dvt_status read_model(tfjs_reader *r, dvt_tfjs_model *model) {
  members at = {0};
  bool has_initializer;
  dvt_buf topology = {0};
  DVT_RETURN_IF_ERROR(find_members(r, &at));
  DVT_RETURN_IF_ERROR(check_kind(r, &at));
  r->json.at = at.manifest;
  if (at.manifest) DVT_RETURN_IF_ERROR(tfjs_manifest_read(r));
  DVT_RETURN_IF_ERROR(find_inside(r, at.initializer, "node", &has_initializer));
  if (has_initializer) DVT_RETURN_IF_ERROR(read_initializer(r, at.initializer, &model->initializer));
  r->json.at = at.topology;
  dvt_status status = dvt_json_take_message(&r->json, &dvt_schema_graph_def, &topology);
  if (!status) status = tfjs_graph_fill(r, dvt_buf_str(&topology), !has_initializer, &model->graph_def);
  dvt_buf_deinit(&topology);
  if (!status) status = read_about(r, &at, model);
  model->weight_count = (int64_t)r->weight_count;
  for (size_t i = 0; i < r->weight_count; ++i) model->weight_bytes += (int64_t)r->weights[i]->bytes.len;
  return status;
}

dvt_status dvt_tfjs_parse(const char *path, dvt_str json, dvt_tfjs_read read, void *arg,
                          dvt_tfjs_model **out_model) {
  tfjs_reader r = {.path = path, .json = {.what = path, .text = json}, .read = read, .arg = arg};
  dvt_tfjs_model *model = dvt_calloc(1, sizeof *model);
  if (!model) return dvt_error_out_of_memory(sizeof *model);
  dvt_status status = read_model(&r, model);
  for (size_t i = 0; i < r.group_count; ++i) dvt_buf_deinit(&r.groups[i]);
  dvt_free(r.groups);
  dvt_free(r.weights);
  dvt_map_deinit(&r.by_name);
  dvt_map_deinit(&r.files);
  dvt_arena_deinit(&r.arena);
  dvt_json_deinit(&r.json);
  if (status)
    dvt_tfjs_close(model);
  else
    *out_model = model;
  return status;
}

static dvt_str folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return dvt_str_make(path, slash ? (size_t)(slash - path) + 1 : 0);
}

// `arg` is the path of model.json, beside which the manifest's files lie.
static dvt_status read_beside(void *arg, dvt_str name, dvt_buf *out) {
  dvt_buf path = {0};
  dvt_buf_append_str(&path, folder_of(arg));
  dvt_buf_append_str(&path, name);
  dvt_status status = path.failed ? dvt_error_out_of_memory(path.len) : dvt_file_read(path.data, out);
  dvt_buf_deinit(&path);
  return status;
}

dvt_status dvt_tfjs_open(const char *path, dvt_tfjs_model **out_model) {
  struct stat info;
  dvt_buf file = {0}, json = {0};
  dvt_buf_printf(&file, "%s%s", path, stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? "/model.json" : "");
  dvt_status status = file.failed ? dvt_error_out_of_memory(strlen(path)) : dvt_file_read(file.data, &json);
  if (!status) status = dvt_tfjs_parse(file.data, dvt_buf_str(&json), read_beside, file.data, out_model);
  dvt_buf_deinit(&json);
  dvt_buf_deinit(&file);
  return status;
}

void dvt_tfjs_close(dvt_tfjs_model *model) {
  if (!model) return;
  dvt_saved_model_close(model->about);
  dvt_buf_deinit(&model->about_bytes);
  dvt_buf_deinit(&model->graph_def);
  dvt_buf_deinit(&model->initializer);
  dvt_free(model);
}
