// Running the shape functions of an expansion's nodes in order: see infer.h.
#include "exec/infer.h"

#include "op/shape_algebra.h"

typedef struct inference {
  const dvt_expansion *x;
  dvt_shapes *to;
  const dvt_expanded_node *at;
  dvt_arena scratch;
} inference;

static dvt_source source_at(const inference *in, int index) {
  return in->x->inputs[in->at->first_input + index];
}

static const TF_Tensor *input_tensor(void *arg, int index) {
  const inference *in = arg;
  dvt_source source = source_at(in, index);
  if (source.node < 0 || !in->x->nodes[source.node].is_constant) return NULL;
  return &in->x->nodes[source.node].session_node->constants[source.index];
}

static bool shape_attr(const dvt_node_def *def, dvt_shape_arena *arena, dvt_shape *out_shape) {
  dvt_str value, proto;
  if (!dvt_node_attr(def, DVT_STR("shape"), &value)) return false;
  dvt_status status = dvt_attr_get_shape(value, &proto);
  if (!status) status = dvt_shape_of_proto(arena, proto, out_shape);
  bool known = !status;
  dvt_status_free(status);
  return known;
}

// The shape that the variable was declared with.
static const dvt_handle_shapes *input_handle(void *arg, int index) {
  const inference *in = arg;
  const dvt_handle_shapes *handle = NULL;
  dvt_source source = source_at(in, index);
  if (source.node < 0) return NULL;
  const dvt_node_def *def = &in->x->nodes[source.node].session_node->op->def;
  dvt_shape_and_type declared = {NULL, 0};
  dvt_str dtype;
  if (!dvt_str_is(def->op->name, "VarHandleOp") || !shape_attr(def, &in->to->arena, &declared.shape) ||
      !dvt_node_attr(def, DVT_STR("dtype"), &dtype))
    return NULL;
  dvt_status status = dvt_attr_get_type(dtype, &declared.dtype);
  if (!status) status = dvt_handle_shapes_make(&in->to->arena, &declared, 1, &handle);
  dvt_status_free(status);
  return status ? NULL : handle;
}

static dvt_status constant_shapes(const inference *in, dvt_shape *outputs) {
  const dvt_session_node *sn = in->at->session_node;
  for (int32_t i = 0; i < sn->op->def.output_count; i++) {
    const TF_Tensor *t = &sn->constants[i];
    DVT_RETURN_IF_ERROR(dvt_shape_make(&in->to->arena, dvt_tensor_dims(t), t->rank, false, &outputs[i]));
  }
  return NULL;
}

// A node that its op's shape function does not like has outputs of unknown shape; running it tells why.
static dvt_status infer_node(inference *in, dvt_shape *outputs) {
  const dvt_node_def *def = &in->at->session_node->op->def;
  if (in->at->is_constant) return constant_shapes(in, outputs);
  if (in->at->session_node->kind != DVT_NODE_KERNEL || !def->op->shape_fn) return NULL;
  dvt_shape *inputs = dvt_arena_calloc(&in->scratch, (size_t)def->input_count, sizeof *inputs);
  if (!inputs) return dvt_error_out_of_memory((size_t)def->input_count * sizeof *inputs);
  for (int32_t i = 0; i < def->input_count; i++) inputs[i] = dvt_shapes_of(in->to, source_at(in, i));
  TF_ShapeInferenceContext ctx = {.node = def,
                                  .arena = &in->to->arena,
                                  .inputs = inputs,
                                  .outputs = outputs,
                                  .graph_def_version = in->x->session->graph_def_version,
                                  .input_tensor = input_tensor,
                                  .input_handle = input_handle,
                                  .arg = in,
                                  .scratch = &in->scratch};
  dvt_status status = dvt_shape_infer(&ctx);
  bool out_of_memory = dvt_status_code(status) == TF_RESOURCE_EXHAUSTED;
  if (status && !out_of_memory)
    for (int32_t i = 0; i < def->output_count; i++) outputs[i] = NULL;
  if (out_of_memory) return status;
  dvt_status_free(status);
  dvt_arena_reset(&in->scratch);
  return NULL;
}

// Only what a placeholder declares is checked of what is fed, and a declared scalar may be anything.
static dvt_status infer_feeds(inference *in) {
  for (int i = 0; i < in->x->feed_count; i++) {
    const dvt_node_def *def = &in->x->feeds[i].oper->def;
    dvt_shape shape = NULL;
    bool declares = dvt_str_is(def->op->name, "Placeholder") || dvt_str_is(def->op->name, "PlaceholderV2");
    if (declares && shape_attr(def, &in->to->arena, &shape) && shape && shape->rank > 0)
      in->to->feeds[i] = shape;
  }
  return NULL;
}

dvt_status dvt_shapes_infer(const dvt_expansion *x, dvt_shapes *out) {
  inference in = {.x = x, .to = out};
  out->node_count = x->node_count;
  int32_t total = 0;
  out->first_output = dvt_calloc(x->node_count + 1, sizeof *out->first_output);
  out->feeds = dvt_calloc((size_t)x->feed_count + 1, sizeof *out->feeds);
  if (!out->first_output || !out->feeds) return dvt_error_out_of_memory(x->node_count * sizeof(int32_t));
  for (size_t i = 0; i < x->node_count; i++) {
    out->first_output[i] = total;
    total += x->nodes[i].session_node->op->def.output_count;
  }
  out->outputs = dvt_calloc((size_t)total + 1, sizeof *out->outputs);
  if (!out->outputs) return dvt_error_out_of_memory((size_t)total * sizeof *out->outputs);
  dvt_status status = infer_feeds(&in);
  for (size_t i = 0; i < x->order_count && !status; i++) {
    in.at = &x->nodes[x->order[i]];
    status = infer_node(&in, out->outputs + out->first_output[x->order[i]]);
  }
  dvt_arena_deinit(&in.scratch);
  return status;
}

void dvt_shapes_deinit(dvt_shapes *shapes) {
  dvt_shape_arena_deinit(&shapes->arena);
  dvt_free(shapes->first_output);
  dvt_free(shapes->outputs);
  dvt_free(shapes->feeds);
}

dvt_shape dvt_shapes_of(const dvt_shapes *shapes, dvt_source source) {
  if (source.node == DVT_SOURCE_FEED) return shapes->feeds[source.index];
  return source.node >= 0 && (size_t)source.node < shapes->node_count
             ? shapes->outputs[shapes->first_output[source.node] + source.index]
             : NULL;
}
