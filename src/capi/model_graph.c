// Describing a model's GraphDef from its bytes, which works when ops are missing: counts, and for a graph
// without signatures the inputs and outputs. Once the graph is imported, it says the dtypes and shapes.
#include "base/map.h"
#include "capi/model.h"
#include "graph/import.h"
#include "op/attr.h"
#include "op/registry.h"
#include "tensor/tensor_proto.h"

static bool is_placeholder(dvt_str op) {
  return dvt_str_is(op, "Placeholder") || dvt_str_is(op, "PlaceholderV2") ||
         dvt_str_is(op, "PlaceholderWithDefault");
}

// "node:1", "node", "^node" -> "node"
static dvt_str producer_of(dvt_str input) {
  dvt_str node;
  int index;
  bool control;
  return dvt_parse_tensor_name(input, &node, &index, &control) ? node : input;
}

static void count_all(dvt_model *model) {
  dvt_wire wire = dvt_wire_open(model->graph_def);
  dvt_field field, producer;
  while (dvt_wire_next(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == GRAPH_NODE) ++model->info.node_count;
    if (field.number == GRAPH_VERSIONS &&
        dvt_wire_find(field.bytes, VERSIONS_PRODUCER, DVT_WIRE_VARINT, &producer))
      model->info.graph_def_version = (int64_t)producer.value;
    if (field.number != GRAPH_LIBRARY) continue;
    dvt_wire functions = dvt_wire_open(field.bytes);
    dvt_str function, node;
    while (dvt_proto_next(&functions, LIBRARY_FUNCTION, &function)) {
      ++model->info.function_count;
      dvt_wire nodes = dvt_wire_open(function);
      while (dvt_proto_next(&nodes, FUNCTION_NODE, &node)) ++model->info.function_node_count;
    }
  }
}

// ---- the signature of a graph that has none ----

typedef struct collector {
  dvt_model *model;
  dvt_map consumed;  // names of nodes that somebody reads -> anything
  dvt_model_signature *signature;
  size_t input_capacity, output_capacity;
} collector;

// The number of outputs of a node, from its op; 1 when the op is not known here.
static int output_count(dvt_str op_name, dvt_str node) {
  const dvt_op_def *op = dvt_op_lookup(op_name);
  if (!op) return 1;
  if (op->output_count == 0) return 0;
  dvt_arena arena = {0};
  dvt_node_def def = {.name = DVT_STR("node"), .op = op};
  dvt_attr attrs[64];
  dvt_wire wire = dvt_wire_open(node);
  dvt_str entry;
  while (def.attr_count < (int32_t)DVT_COUNT_OF(attrs) && dvt_proto_next(&wire, NODE_ATTR, &entry))
    attrs[def.attr_count++] =
        (dvt_attr){dvt_proto_bytes(entry, ENTRY_KEY), dvt_proto_bytes(entry, ENTRY_VALUE)};
  def.attrs = attrs;
  dvt_status status = dvt_node_resolve(&def, &arena);
  int count = status ? op->output_count : def.output_count;
  dvt_status_free(status);
  dvt_arena_deinit(&arena);
  return count;
}

static bool add_tensor(dvt_model *model, dvt_model_tensor **list, int *count, size_t *capacity, dvt_str node,
                       int index, bool show_index) {
  dvt_buf name = {0};
  if (!dvt_grow((void **)list, capacity, (size_t)*count + 1, sizeof **list)) return false;
  dvt_model_tensor *t = &(*list)[*count];
  *t = (dvt_model_tensor){.info = {.rank = -1}};
  dvt_buf_printf(&name, DVT_STR_FMT ":%d", DVT_STR_ARG(node), index);
  t->info.tensor = name.failed ? NULL : dvt_model_copy(model, dvt_buf_str(&name));
  t->info.name = show_index ? t->info.tensor : dvt_model_copy(model, node);
  dvt_buf_deinit(&name);
  *count += t->info.tensor && t->info.name;
  return t->info.tensor && t->info.name;
}

// Dtype and shape as the placeholder's attrs declare them; what is missing or damaged stays unknown.
static void declare(dvt_model *model, dvt_str node, dvt_tensor_info *info) {
  dvt_wire wire = dvt_wire_open(node);
  dvt_str entry, shape;
  int64_t dims[254];
  int dtype, rank;
  while (dvt_proto_next(&wire, NODE_ATTR, &entry)) {
    dvt_str key = dvt_proto_bytes(entry, ENTRY_KEY), value = dvt_proto_bytes(entry, ENTRY_VALUE);
    dvt_status status = NULL;
    if (dvt_str_is(key, "dtype")) {
      status = dvt_attr_get_type(value, &dtype);
      if (!status && dvt_dtype_is_valid(dtype)) info->dtype = (TF_DataType)dtype;
    } else if (dvt_str_is(key, "shape")) {
      status = dvt_attr_get_shape(value, &shape);
      if (!status) status = dvt_shape_from_proto(shape, dims, (int)DVT_COUNT_OF(dims), &rank);
      // In old graphs an empty shape also stands for an unknown one.
      int64_t *kept =
          status || rank <= 0 ? NULL : dvt_arena_alloc(&model->arena, (size_t)rank * sizeof *kept);
      if (kept) {
        memcpy(kept, dims, (size_t)rank * sizeof *kept);
        info->dims = kept;
        info->rank = rank;
      }
    }
    dvt_status_free(status);
  }
}

static bool collect_consumed(collector *c) {
  dvt_wire wire = dvt_wire_open(c->model->graph_def);
  dvt_str node, input;
  while (dvt_proto_next(&wire, GRAPH_NODE, &node)) {
    dvt_wire inputs = dvt_wire_open(node);
    while (dvt_proto_next(&inputs, NODE_INPUT, &input))
      if (!dvt_map_put(&c->consumed, producer_of(input), c)) return false;
  }
  return true;
}

static bool collect_ends(collector *c) {
  dvt_model_signature *s = c->signature;
  dvt_wire wire = dvt_wire_open(c->model->graph_def);
  dvt_str node;
  while (dvt_proto_next(&wire, GRAPH_NODE, &node)) {
    dvt_str name = dvt_proto_bytes(node, NODE_NAME), op = dvt_proto_bytes(node, NODE_OP);
    if (is_placeholder(op)) {
      if (!add_tensor(c->model, &s->inputs, &s->input_count, &c->input_capacity, name, 0, false))
        return false;
      declare(c->model, node, &s->inputs[s->input_count - 1].info);
      continue;
    }
    if (dvt_map_get(&c->consumed, name)) continue;
    int outputs = output_count(op, node);
    for (int i = 0; i < outputs; ++i)
      if (!add_tensor(c->model, &s->outputs, &s->output_count, &c->output_capacity, name, i, outputs > 1))
        return false;
  }
  return true;
}

// Moves a grown list into the model's arena.
static bool keep(dvt_model *model, dvt_model_tensor **list, int count) {
  dvt_model_tensor *kept = dvt_arena_calloc(&model->arena, (size_t)count + 1, sizeof *kept);
  if (kept && count) memcpy(kept, *list, (size_t)count * sizeof *kept);
  dvt_free(*list);
  *list = kept;
  return kept != NULL;
}

dvt_status dvt_model_read_graph(dvt_model *model, bool make_signature) {
  if (!dvt_wire_valid(model->graph_def))
    return dvt_error(TF_INVALID_ARGUMENT, "the graph is damaged: its bytes are no GraphDef.");
  count_all(model);
  if (!make_signature) return NULL;
  dvt_model_signature *signature = dvt_arena_calloc(&model->arena, 1, sizeof *signature);
  if (!signature) return dvt_error_out_of_memory(sizeof *signature);
  signature->name = "";
  collector c = {.model = model, .signature = signature};
  bool ok = collect_consumed(&c) && collect_ends(&c);
  ok = keep(model, &signature->inputs, signature->input_count) && ok;
  ok = keep(model, &signature->outputs, signature->output_count) && ok;
  dvt_map_deinit(&c.consumed);
  if (!ok) return dvt_error_out_of_memory(sizeof *signature);
  model->signatures = signature;
  model->signature_count = 1;
  model->default_signature = 0;
  return NULL;
}

// ---- with the imported graph ----

dvt_status dvt_model_describe_output(dvt_model *model, TF_Output output, dvt_tensor_info *info) {
  const dvt_node_def *def = &output.oper->def;
  pthread_mutex_lock(&model->graph->lock);
  dvt_shape shape = output.oper->output_shapes[output.index];
  int rank = shape ? shape->rank : 0;
  int64_t *dims = dvt_arena_alloc(&model->arena, (size_t)rank * sizeof *dims);
  for (int d = 0; dims && d < rank; ++d) dims[d] = shape->dims[d] < 0 ? -1 : shape->dims[d];
  pthread_mutex_unlock(&model->graph->lock);
  if (!dims) return dvt_error_out_of_memory((size_t)rank * sizeof *dims);
  info->dtype = (TF_DataType)(def->output_types[output.index] % DVT_DTYPE_REF_OFFSET);
  info->rank = shape ? rank : -1;
  info->dims = dims;
  return NULL;
}

static void resolve(dvt_model *model, dvt_model_tensor *tensors, int count, bool describe) {
  for (int i = 0; i < count; ++i) {
    dvt_str node;
    int index;
    bool control;
    if (!dvt_parse_tensor_name(dvt_str_from(tensors[i].info.tensor), &node, &index, &control) || control)
      continue;
    pthread_mutex_lock(&model->graph->lock);
    TF_Operation *oper = dvt_graph_find(model->graph, node);
    pthread_mutex_unlock(&model->graph->lock);
    if (!oper || index >= oper->def.output_count) continue;
    tensors[i].output = (TF_Output){oper, index};
    if (describe || tensors[i].info.dtype == 0)
      dvt_status_free(dvt_model_describe_output(model, tensors[i].output, &tensors[i].info));
  }
}

void dvt_model_resolve(dvt_model *model) {
  for (int i = 0; i < model->signature_count; ++i) {
    dvt_model_signature *s = &model->signatures[i];
    resolve(model, s->inputs, s->input_count, model->signature_is_made);
    resolve(model, s->outputs, s->output_count, model->signature_is_made);
  }
}

static void forget_outputs(dvt_model_tensor *tensors, int count) {
  for (int i = 0; i < count; ++i) tensors[i].output = (TF_Output){0};
}

void dvt_model_describe_ends(dvt_model *model) {
  dvt_status status = dvt_graph_create(&model->graph);
  if (!status) status = dvt_graph_import(model->graph, model->graph_def, NULL, NULL);
  if (!status) dvt_model_resolve(model);
  dvt_status_free(status);
  dvt_graph_release(model->graph);
  model->graph = NULL;
  for (int i = 0; i < model->signature_count; ++i) {
    forget_outputs(model->signatures[i].inputs, model->signatures[i].input_count);
    forget_outputs(model->signatures[i].outputs, model->signatures[i].output_count);
  }
}
