// Reading SavedModels. The file is kept in memory; names and the GraphDef are slices of it. Field numbers are
// those of the public saved_model.proto and meta_graph.proto.
#include "graph/saved_model.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/schema.h"
#include "tensor/tensor_proto.h"

#define META_GRAPH_SUFFIX ".meta"
enum { SAVED_MODEL_META_GRAPH = 2 };
enum {
  META_INFO = 1,
  META_GRAPH_DEF = 2,
  META_SAVER = 3,
  META_COLLECTION = 4,
  META_SIGNATURE = 5,
  META_ASSET = 6
};
enum { INFO_TAG = 4, INFO_VERSION = 5 };
enum { SAVER_FILENAME = 1, SAVER_RESTORE_OP = 3 };
enum { MAP_KEY = 1, MAP_VALUE = 2 };
enum { COLLECTION_NODES = 1, COLLECTION_ANY = 5 };
enum { LIST_VALUE = 1, ANY_VALUE = 2 };
enum { SIGNATURE_INPUT = 1, SIGNATURE_OUTPUT = 2, SIGNATURE_METHOD = 3 };
enum { INFO_NAME = 1, INFO_DTYPE = 2, INFO_SHAPE = 3 };
enum { ASSET_TENSOR = 1, ASSET_FILE = 2 };

#define INIT_OP_KEY "__saved_model_init_op"
#define MAX_ITEMS \
  (1 << 20)  // signatures, tensors of one, assets: far beyond any model, keeps counts in int32

typedef struct entry {  // of a map field
  dvt_str key, value;
} entry;

static dvt_status malformed(const dvt_saved_model *model, const char *part) {
  return dvt_error(TF_INVALID_ARGUMENT,
                   "the %s %s is damaged: its %s cannot be read. Copy %s again from where it was written.",
                   model->kind, model->directory, part, model->file_name);
}

static entry map_entry(dvt_str proto) {
  entry e = {0};
  dvt_field field;
  if (dvt_wire_find(proto, MAP_KEY, DVT_WIRE_BYTES, &field)) e.key = field.bytes;
  if (dvt_wire_find(proto, MAP_VALUE, DVT_WIRE_BYTES, &field)) e.value = field.bytes;
  return e;
}

static dvt_str bytes_field(dvt_str proto, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(proto, number, DVT_WIRE_BYTES, &field) ? field.bytes : (dvt_str){0};
}

static int32_t count_fields(dvt_str proto, uint32_t number) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  int32_t count = 0;
  while (count < MAX_ITEMS && dvt_wire_next(&wire, &field))
    count += field.number == number && field.type == DVT_WIRE_BYTES;
  return count;
}

// The next bytes field `number`; false at the end.
static bool next_of(dvt_wire *wire, uint32_t number, dvt_str *out) {
  dvt_field field;
  while (dvt_wire_next(wire, &field)) {
    if (field.number != number || field.type != DVT_WIRE_BYTES) continue;
    *out = field.bytes;
    return true;
  }
  return false;
}

// ---- choosing the MetaGraphDef ----

static bool tags_match(dvt_str meta_graph, const char *const *tags, int tag_count) {
  dvt_str info = bytes_field(meta_graph, META_INFO), tag;
  dvt_wire wire = dvt_wire_open(info);
  int found = 0;
  while (next_of(&wire, INFO_TAG, &tag)) {
    int i = 0;
    while (i < tag_count && !dvt_str_is(tag, tags[i])) ++i;
    if (i == tag_count) return false;
    ++found;
  }
  return found == tag_count;
}

static void describe_tag_sets(dvt_str bytes, dvt_buf *out) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_str meta_graph, tag;
  for (int i = 0; next_of(&wire, SAVED_MODEL_META_GRAPH, &meta_graph); ++i) {
    dvt_buf_printf(out, "%s{", i ? ", " : "");
    dvt_wire tags = dvt_wire_open(bytes_field(meta_graph, META_INFO));
    for (int j = 0; next_of(&tags, INFO_TAG, &tag); ++j)
      dvt_buf_printf(out, "%s" DVT_STR_FMT, j ? ", " : "", DVT_STR_ARG(tag));
    dvt_buf_append_byte(out, '}');
  }
}

static dvt_status no_such_tags(const dvt_saved_model *model, const char *const *tags, int tag_count,
                               int graphs) {
  if (graphs == 0) return dvt_error(TF_NOT_FOUND, "the SavedModel %s holds no graph.", model->directory);
  dvt_buf sets = {0}, wanted = {0};
  describe_tag_sets(model->bytes, &sets);
  for (int i = 0; i < tag_count; ++i) dvt_buf_printf(&wanted, "%s%s", i ? ", " : "", tags[i]);
  dvt_status status =
      tag_count
          ? dvt_error(TF_NOT_FOUND,
                      "Could not find meta graph def matching supplied tags: { %s } in the SavedModel %s; it "
                      "has the "
                      "tag sets %s.",
                      wanted.data, model->directory, sets.data ? sets.data : "")
          : dvt_error(TF_INVALID_ARGUMENT,
                      "the SavedModel %s holds %d graphs, with the tag sets %s; choose one by its tags.",
                      model->directory, graphs, sets.data ? sets.data : "");
  dvt_buf_deinit(&sets);
  dvt_buf_deinit(&wanted);
  return status;
}

static dvt_status choose(dvt_saved_model *model, const char *const *tags, int tag_count) {
  dvt_wire wire = dvt_wire_open(model->bytes);
  dvt_str meta_graph;
  int graphs = 0, matches = 0;
  while (next_of(&wire, SAVED_MODEL_META_GRAPH, &meta_graph)) {
    ++graphs;
    if (tag_count && !tags_match(meta_graph, tags, tag_count)) continue;
    if (matches++ == 0) model->meta_graph = meta_graph;
  }
  if (wire.bad) return malformed(model, "list of graphs");
  if (matches == 0 || (tag_count == 0 && matches > 1)) return no_such_tags(model, tags, tag_count, graphs);
  return NULL;
}

// ---- parts of the MetaGraphDef ----

static dvt_status tensor_parse(dvt_saved_model *model, entry e, dvt_signature_tensor *out) {
  out->name = e.key;
  out->rank = -1;
  dvt_wire wire = dvt_wire_open(e.value);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == INFO_NAME) out->tensor_name = field.bytes;
    if (field.number == INFO_DTYPE && field.value <= DVT_DTYPE_REF_OFFSET + DVT_DTYPE_MAX)
      out->dtype = (int)field.value;
    if (field.number == INFO_SHAPE) {
      dvt_status status =
          dvt_shape_from_proto(field.bytes, out->dims, (int)DVT_COUNT_OF(out->dims), &out->rank);
      if (status)
        return dvt_status_annotate(status, " (signature tensor '" DVT_STR_FMT "' of the SavedModel %s)",
                                   DVT_STR_ARG(out->name), model->directory);
    }
  }
  return wire.bad ? malformed(model, "tensors of a signature") : NULL;
}

static int by_tensor_name(const void *a, const void *b) {
  return dvt_str_compare(((const dvt_signature_tensor *)a)->name, ((const dvt_signature_tensor *)b)->name);
}

static dvt_status tensors_parse(dvt_saved_model *model, dvt_str proto, uint32_t number,
                                dvt_signature_tensor **out, int32_t *out_count) {
  int32_t count = count_fields(proto, number), i = 0;
  *out = dvt_arena_calloc(&model->arena, (size_t)count + 1, sizeof **out);
  if (!*out) return dvt_error_out_of_memory((size_t)count * sizeof **out);
  dvt_wire wire = dvt_wire_open(proto);
  dvt_str value;
  for (; i < count && next_of(&wire, number, &value); ++i)
    DVT_RETURN_IF_ERROR(tensor_parse(model, map_entry(value), &(*out)[i]));
  qsort(*out, (size_t)i, sizeof **out, by_tensor_name);
  *out_count = i;
  return NULL;
}

static dvt_status signature_parse(dvt_saved_model *model, entry e, dvt_signature *out) {
  if (!dvt_wire_valid(e.value)) return malformed(model, "signatures");
  out->key = e.key;
  out->method = bytes_field(e.value, SIGNATURE_METHOD);
  DVT_RETURN_IF_ERROR(tensors_parse(model, e.value, SIGNATURE_INPUT, &out->inputs, &out->input_count));
  return tensors_parse(model, e.value, SIGNATURE_OUTPUT, &out->outputs, &out->output_count);
}

// "node:0" or "node" -> "node"
static dvt_str node_of(dvt_str tensor) {
  dvt_str node;
  int index;
  bool control;
  return dvt_parse_tensor_name(tensor, &node, &index, &control) ? node : tensor;
}

static int by_key(const void *a, const void *b) {
  return dvt_str_compare(((const dvt_signature *)a)->key, ((const dvt_signature *)b)->key);
}

static dvt_status signatures_parse(dvt_saved_model *model) {
  int32_t count = count_fields(model->meta_graph, META_SIGNATURE);
  model->signatures = dvt_arena_calloc(&model->arena, (size_t)count + 1, sizeof *model->signatures);
  if (!model->signatures) return dvt_error_out_of_memory((size_t)count * sizeof *model->signatures);
  dvt_wire wire = dvt_wire_open(model->meta_graph);
  dvt_str value;
  for (int32_t i = 0; i < count && next_of(&wire, META_SIGNATURE, &value); ++i) {
    entry e = map_entry(value);
    dvt_signature signature = {0};
    DVT_RETURN_IF_ERROR(signature_parse(model, e, &signature));
    if (!dvt_str_is(e.key, INIT_OP_KEY))
      model->signatures[model->signature_count++] = signature;
    else if (signature.output_count > 0)
      model->init_op = node_of(signature.outputs[0].tensor_name);
  }
  qsort(model->signatures, (size_t)model->signature_count, sizeof *model->signatures, by_key);
  return NULL;
}

static bool collection_find(const dvt_saved_model *model, const char *key, dvt_str *out) {
  dvt_wire wire = dvt_wire_open(model->meta_graph);
  dvt_str value;
  while (next_of(&wire, META_COLLECTION, &value)) {
    entry e = map_entry(value);
    if (!dvt_str_is(e.key, key)) continue;
    *out = e.value;
    return true;
  }
  return false;
}

// Models written before TensorFlow 2 name the init op in a collection.
static dvt_status legacy_init_op(dvt_saved_model *model) {
  dvt_str collection, node;
  const char *key = "saved_model_main_op";
  if (model->init_op.len) return NULL;
  if (!collection_find(model, key, &collection)) key = "legacy_init_op";
  if (!collection_find(model, key, &collection)) return NULL;
  dvt_wire wire = dvt_wire_open(bytes_field(collection, COLLECTION_NODES));
  int count = 0;
  for (; next_of(&wire, LIST_VALUE, &node); ++count) model->init_op = node_of(node);
  if (count == 1) return NULL;
  return dvt_error(TF_FAILED_PRECONDITION, "Expected exactly one main op in : %s (collection %s names %d).",
                   model->directory, key, count);
}

static dvt_status assets_parse(dvt_saved_model *model) {
  // Newer models list assets in a field, older ones as Any messages in a collection.
  bool legacy = count_fields(model->meta_graph, META_ASSET) == 0;
  uint32_t number = legacy ? (uint32_t)LIST_VALUE : (uint32_t)META_ASSET;
  dvt_str list = model->meta_graph, collection, value;
  if (legacy && !collection_find(model, "saved_model_assets", &collection)) return NULL;
  if (legacy) list = bytes_field(collection, COLLECTION_ANY);
  int32_t count = count_fields(list, number);
  model->assets = dvt_arena_calloc(&model->arena, (size_t)count + 1, sizeof *model->assets);
  if (!model->assets) return dvt_error_out_of_memory((size_t)count * sizeof *model->assets);
  dvt_wire wire = dvt_wire_open(list);
  for (int32_t i = 0; i < count && next_of(&wire, number, &value); ++i) {
    if (legacy) value = bytes_field(value, ANY_VALUE);
    dvt_saved_model_asset *asset = &model->assets[model->asset_count++];
    asset->tensor_name = bytes_field(bytes_field(value, ASSET_TENSOR), INFO_NAME);
    asset->file = bytes_field(value, ASSET_FILE);
    if (!asset->tensor_name.len || !asset->file.len) return malformed(model, "list of assets");
  }
  return NULL;
}

static dvt_status tags_parse(dvt_saved_model *model) {
  dvt_str info = bytes_field(model->meta_graph, META_INFO), tag;
  int32_t count = count_fields(info, INFO_TAG);
  model->writer_version = bytes_field(info, INFO_VERSION);
  model->tags = dvt_arena_calloc(&model->arena, (size_t)count + 1, sizeof *model->tags);
  if (!model->tags) return dvt_error_out_of_memory((size_t)count * sizeof *model->tags);
  dvt_wire wire = dvt_wire_open(info);
  while (model->tag_count < count && next_of(&wire, INFO_TAG, &tag)) model->tags[model->tag_count++] = tag;
  return NULL;
}

static dvt_status parse(dvt_saved_model *model) {
  if (!dvt_wire_valid(model->meta_graph)) return malformed(model, "chosen graph");
  model->graph_def = bytes_field(model->meta_graph, META_GRAPH_DEF);
  dvt_str saver = bytes_field(model->meta_graph, META_SAVER);
  model->restore_op = node_of(bytes_field(saver, SAVER_RESTORE_OP));
  model->restore_filename_tensor = bytes_field(saver, SAVER_FILENAME);
  DVT_RETURN_IF_ERROR(tags_parse(model));
  DVT_RETURN_IF_ERROR(signatures_parse(model));
  DVT_RETURN_IF_ERROR(legacy_init_op(model));
  return assets_parse(model);
}

// ---- files ----

static dvt_status not_a_saved_model(const char *directory) {
  struct stat info;
  if (stat(directory, &info) != 0)
    return dvt_error(TF_NOT_FOUND, "there is no SavedModel at %s: the path does not exist.", directory);
  if (!S_ISDIR(info.st_mode))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "%s is a file; a SavedModel is a directory that holds saved_model.pb.", directory);
  return dvt_error(TF_NOT_FOUND,
                   "Could not find SavedModel .pb or .pbtxt at supplied export directory path: %s. The "
                   "directory that holds "
                   "saved_model.pb is wanted.",
                   directory);
}

static bool is_file(const dvt_buf *path) {
  struct stat info;
  return !path->failed && stat(path->data, &info) == 0 && S_ISREG(info.st_mode);
}

static dvt_status load(dvt_saved_model *model) {
  dvt_buf path = {0};
  dvt_status status = NULL;
  dvt_buf_printf(&path, "%s/saved_model.pb", model->directory);
  if (is_file(&path)) {
    status = dvt_file_read(path.data, &model->file);
    if (!status && model->file.len == 0)
      status = dvt_error(TF_INVALID_ARGUMENT,
                         "%s is empty: it holds no graph. Copy or export the SavedModel again", path.data);
  } else {
    dvt_buf_append(&path, "txt", 3);
    if (is_file(&path)) {
      dvt_buf text = {0};
      status = dvt_file_read(path.data, &text);
      if (!status)
        status = dvt_text_parse(&dvt_schema_saved_model, dvt_buf_str(&text), path.data, &model->file);
      dvt_buf_deinit(&text);
    } else {
      dvt_buf_clear(&path);
      dvt_buf_printf(&path, "%s/saved_model.cpb", model->directory);
      status =
          is_file(&path)
              ? dvt_error(TF_UNIMPLEMENTED,
                          "%s: SavedModels that are split into chunks (models over 2 GB) are not supported.",
                          path.data)
              : not_a_saved_model(model->directory);
    }
  }
  if (!status && path.failed) status = dvt_error_out_of_memory(path.len);
  model->bytes = dvt_buf_str(&model->file);
  dvt_buf_deinit(&path);
  return status;
}

static dvt_status create(const char *kind, const char *file_name, const char *directory, dvt_str checkpoint,
                         dvt_saved_model **out) {
  dvt_saved_model *model = dvt_calloc(1, sizeof *model);
  if (!model) return dvt_error_out_of_memory(sizeof *model);
  model->kind = kind;
  model->file_name = file_name;
  model->directory = dvt_strndup(dvt_str_from(directory));
  model->checkpoint = dvt_strndup(checkpoint);
  if (!model->directory || !model->checkpoint) {
    dvt_saved_model_close(model);
    return dvt_error_out_of_memory(strlen(directory));
  }
  *out = model;
  return NULL;
}

static dvt_status create_in(const char *directory, dvt_saved_model **out) {
  dvt_buf checkpoint = {0};
  dvt_buf_printf(&checkpoint, "%s/variables/variables", directory);
  dvt_status status = checkpoint.failed
                          ? dvt_error_out_of_memory(checkpoint.len)
                          : create("SavedModel", "saved_model.pb", directory, dvt_buf_str(&checkpoint), out);
  dvt_buf_deinit(&checkpoint);
  return status;
}

static dvt_status finish(dvt_saved_model *model, dvt_status status, dvt_saved_model **out_model) {
  if (!status) status = parse(model);
  if (status)
    dvt_saved_model_close(model);
  else
    *out_model = model;
  return status;
}

dvt_status dvt_saved_model_open(const char *directory, const char *const *tags, int tag_count,
                                dvt_saved_model **out_model) {
  dvt_saved_model *model;
  DVT_RETURN_IF_ERROR(create_in(directory, &model));
  dvt_status status = load(model);
  return finish(model, status ? status : choose(model, tags, tag_count), out_model);
}

dvt_status dvt_saved_model_parse(const char *directory, dvt_str bytes, const char *const *tags, int tag_count,
                                 dvt_saved_model **out_model) {
  dvt_saved_model *model;
  DVT_RETURN_IF_ERROR(create_in(directory, &model));
  model->bytes = bytes;
  return finish(model, choose(model, tags, tag_count), out_model);
}

bool dvt_is_meta_graph_path(const char *path) {
  size_t len = strlen(path), end = strlen(META_GRAPH_SUFFIX);
  return len > end && strcmp(path + len - end, META_GRAPH_SUFFIX) == 0;
}

static dvt_status load_meta_graph(dvt_saved_model *model) {
  DVT_RETURN_IF_ERROR(dvt_file_read(model->directory, &model->file));
  model->bytes = model->meta_graph = dvt_buf_str(&model->file);
  if (dvt_wire_valid(model->bytes) && bytes_field(model->bytes, META_GRAPH_DEF).len > 0) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "%s is no meta graph, or it is damaged: a MetaGraphDef that holds a graph is wanted, as a "
                   "Saver of TensorFlow writes it",
                   model->directory);
}

dvt_status dvt_meta_graph_open(const char *path, dvt_saved_model **out_model) {
  dvt_saved_model *model;
  dvt_str checkpoint = dvt_str_from(path);
  if (dvt_is_meta_graph_path(path)) checkpoint.len -= strlen(META_GRAPH_SUFFIX);
  DVT_RETURN_IF_ERROR(create("meta graph", "the file", path, checkpoint, &model));
  return finish(model, load_meta_graph(model), out_model);
}

void dvt_saved_model_close(dvt_saved_model *model) {
  if (!model) return;
  dvt_buf_deinit(&model->file);
  dvt_arena_deinit(&model->arena);
  dvt_free(model->directory);
  dvt_free(model->checkpoint);
  dvt_free(model);
}
