// The shape engine: runs the shape functions of a net's nodes in order, follows values, and repeats what
// loops feed back until nothing changes. See shapes.h.
#include "graph/shapes.h"

#include "graph/shapes_internal.h"
#include "op/shape_algebra.h"

enum { MAX_CONST_ELEMENTS = 1 << 16, MAX_PASSES = 64, MAX_BODY_NODES = 1 << 20 };

struct dvt_shape_constant {
  struct dvt_shape_constant *next;
  int index;
  TF_Tensor tensor;
};

// ---- what a shape function asks ----

static dvt_source source_at(const dvt_shape_pass *pass, int index) {
  return pass->net->sources[pass->net->first_input[pass->node] + index];
}

static int32_t position(const dvt_shapes *shapes, dvt_source source) {
  return shapes->first_output[source.node] + source.index;
}

static bool is_const(const dvt_node_def *def) { return def && dvt_str_is(def->op->name, "Const"); }

static const TF_Tensor *constant_of(const dvt_shape_pass *pass, dvt_source source) {
  return pass->net->constant ? pass->net->constant(pass->net->arg, source.node, source.index) : NULL;
}

// Values of constants are made when first asked for.
static const dvt_value *value_of_source(const dvt_shape_pass *pass, dvt_source source) {
  if (source.node < 0) return NULL;
  const dvt_value **value = &pass->shapes->values[position(pass->shapes, source)];
  if (*value) return *value;
  const dvt_node_def *def = pass->net->defs[source.node];
  const TF_Tensor *constant = constant_of(pass, source);
  if (constant) {
    *value = dvt_value_of_tensor(pass->run->values, constant);
  } else if (!pass->net->constant && is_const(def) && dvt_value_has_dtype(def->output_types[0])) {
    TF_Tensor tensor = {0};
    if (!dvt_const_tensor(def, DVT_VALUE_MAX_COUNT, &tensor)) return NULL;
    *value = dvt_value_of_tensor(pass->run->values, &tensor);
    dvt_tensor_reset(&tensor);
  }
  return *value;
}

static dvt_shape shape_of_input(void *arg, int index) {
  const dvt_shape_pass *pass = arg;
  return dvt_shapes_of(pass->shapes, source_at(pass, index));
}

static const dvt_value *value_of_input(void *arg, int index) {
  const dvt_shape_pass *pass = arg;
  return value_of_source(pass, source_at(pass, index));
}

static bool read_tensor(const dvt_shape_pass *pass, int index, TF_Tensor *out) {
  dvt_source source = source_at(pass, index);
  const dvt_node_def *def = source.node < 0 ? NULL : pass->net->defs[source.node];
  if (is_const(def)) return dvt_const_tensor(def, MAX_CONST_ELEMENTS, out);
  const dvt_value *value = value_of_source(pass, source);
  return value && dvt_value_to_tensor(value, out);
}

static const TF_Tensor *input_tensor(void *arg, int index) {
  dvt_shape_pass *pass = arg;
  dvt_source source = source_at(pass, index);
  const TF_Tensor *constant = source.node < 0 ? NULL : constant_of(pass, source);
  if (constant && !dvt_tensor_is_empty(constant)) return constant;
  for (struct dvt_shape_constant *c = pass->constants; c; c = c->next)
    if (c->index == index) return &c->tensor;
  struct dvt_shape_constant *made = dvt_arena_calloc(&pass->run->scratch, 1, sizeof *made);
  if (!made || !read_tensor(pass, index, &made->tensor)) return NULL;
  made->index = index;
  made->next = pass->constants;
  pass->constants = made;
  return &made->tensor;
}

static bool input_as_shape(void *arg, int index, dvt_shape *out_shape) {
  dvt_shape_pass *pass = arg;
  const dvt_value *value = value_of_input(arg, index);
  return value && dvt_value_to_shape(value, pass->run->arena, out_shape);
}

static const dvt_handle_shapes *input_handle(void *arg, int index) {
  const dvt_shape_pass *pass = arg;
  dvt_source source = source_at(pass, index);
  return source.node < 0 ? NULL : pass->shapes->handles[position(pass->shapes, source)];
}

dvt_known dvt_shape_pass_input(dvt_shape_pass *pass, int index) {
  return (dvt_known){shape_of_input(pass, index), input_handle(pass, index), value_of_input(pass, index)};
}

static dvt_str input_name(void *arg, int index) {
  const dvt_shape_pass *pass = arg;
  dvt_source source = source_at(pass, index);
  const dvt_node_def *def = source.node < 0 ? NULL : pass->net->defs[source.node];
  return def ? def->name : DVT_STR("?");
}

// ---- one node ----

void dvt_shape_pass_failed(dvt_shape_pass *pass, const dvt_node_def *node, dvt_status status) {
  const dvt_shapes_listener *listener = pass->run->listener;
  pass->failed[pass->node] = true;
  if (pass->reporting && listener->failed) listener->failed(listener->arg, pass->function, node, status);
}

// A node that its op's shape function does not like has outputs of unknown shape; running it tells why.
static dvt_status run_shape_fn(dvt_shape_pass *pass, const dvt_node_def *def, const dvt_shape *inputs,
                               dvt_known *outputs) {
  enum { FEW = 8 };
  dvt_shape few[FEW] = {NULL}, *shapes = few;
  const dvt_handle_shapes *few_handles[FEW] = {NULL}, **handles = few_handles;
  size_t count = (size_t)def->output_count;
  if (count > FEW) {
    shapes = dvt_arena_calloc(&pass->run->scratch, count, sizeof *shapes);
    handles = dvt_arena_calloc(&pass->run->scratch, count, sizeof *handles);
    if (!shapes || !handles) return dvt_error_out_of_memory(count * sizeof *shapes);
  }
  TF_ShapeInferenceContext ctx = {.node = def,
                                  .arena = pass->run->arena,
                                  .inputs = inputs,
                                  .outputs = shapes,
                                  .output_handles = handles,
                                  .graph_def_version = pass->run->graph_def_version,
                                  .input_tensor = input_tensor,
                                  .input_as_shape = input_as_shape,
                                  .input_handle = input_handle,
                                  .input_name = input_name,
                                  .arg = pass,
                                  .scratch = &pass->run->scratch};
  dvt_status status = dvt_shape_infer(&ctx);
  if (status) dvt_shape_pass_failed(pass, def, status);
  for (size_t i = 0; i < count; i++)
    outputs[i] = (dvt_known){status ? NULL : shapes[i], status ? NULL : handles[i], NULL};
  bool out_of_memory = dvt_status_code(status) == TF_RESOURCE_EXHAUSTED;
  if (out_of_memory) return status;
  dvt_status_free(status);
  return NULL;
}

static void drop_constants(dvt_shape_pass *pass) {
  for (struct dvt_shape_constant *c = pass->constants; c; c = c->next) dvt_tensor_reset(&c->tensor);
  pass->constants = NULL;
}

static dvt_status infer_plain(dvt_shape_pass *pass, const dvt_node_def *def, bool has_value,
                              dvt_known *outputs) {
  enum { FEW = 16 };
  dvt_shape few[FEW], *inputs = few;
  if (!def->op->shape_fn) return NULL;
  if (def->input_count > FEW) {
    inputs = dvt_arena_alloc(&pass->run->scratch, (size_t)def->input_count * sizeof *inputs);
    if (!inputs) return dvt_error_out_of_memory((size_t)def->input_count * sizeof *inputs);
  }
  for (int32_t i = 0; i < def->input_count; i++) inputs[i] = shape_of_input(pass, i);
  DVT_RETURN_IF_ERROR(run_shape_fn(pass, def, inputs, outputs));
  if (!has_value) return NULL;
  dvt_value_inputs known = {shape_of_input, value_of_input, pass};
  for (int32_t i = 0; i < def->output_count; i++)
    outputs[i].value =
        dvt_value_compute(pass->run->values, pass->run->arena, def, i, outputs[i].shape, &known);
  return NULL;
}

static dvt_known output_now(const dvt_shape_pass *pass, int32_t at) {
  const dvt_shapes *s = pass->shapes;
  return (dvt_known){s->outputs[at], s->handles[at], s->values[at]};
}

// What comes round a loop is not known at first: the value is taken to be what enters, and widened when it is
// not.
static dvt_status infer_merge(dvt_shape_pass *pass, const dvt_node_def *def, dvt_known *outputs) {
  bool any = pass->computed_at[pass->node] != 0, changed = false;
  if (any) outputs[0] = output_now(pass, pass->shapes->first_output[pass->node]);
  for (int32_t i = 0; i < def->input_count; i++) {
    dvt_source source = source_at(pass, i);
    if (source.node >= 0 && !pass->computed_at[source.node]) continue;
    dvt_known input = dvt_shape_pass_input(pass, i);
    input.value = NULL;
    if (any)
      DVT_RETURN_IF_ERROR(
          dvt_known_join(pass->run, pass->first_owner + pass->node, &outputs[0], input, &changed));
    else
      outputs[0] = input;
    any = true;
  }
  return def->output_count > 1 ? dvt_shape_make(pass->run->arena, NULL, 0, false, &outputs[1].shape) : NULL;
}

static dvt_known argument(const dvt_shape_pass *pass, const dvt_node_def *def) {
  dvt_str value;
  int64_t index = -1;
  if (dvt_node_attr(def, DVT_STR("index"), &value)) dvt_status_free(dvt_attr_get_int(value, &index));
  return index >= 0 && index < pass->arg_count ? pass->args[index] : (dvt_known){0};
}

static dvt_status infer_constant(dvt_shape_pass *pass, const dvt_node_def *def, dvt_known *outputs) {
  for (int32_t i = 0; i < def->output_count; i++) {
    const TF_Tensor *t = constant_of(pass, (dvt_source){pass->node, i});
    DVT_RETURN_IF_ERROR(
        dvt_shape_make(pass->run->arena, dvt_tensor_dims(t), t->rank, false, &outputs[i].shape));
  }
  return NULL;
}

static dvt_status infer_outputs(dvt_shape_pass *pass, const dvt_node_def *def, dvt_known *outputs) {
  size_t slot = ((uintptr_t)def->op >> 4) % DVT_COUNT_OF(pass->kinds);
  if (pass->kinds[slot].op != def->op) {
    pass->kinds[slot].op = def->op;
    pass->kinds[slot].kind = dvt_shape_kind_of(def->op, pass->run->functions);
    pass->kinds[slot].has_value = dvt_value_op_is_known(def->op);
  }
  if (constant_of(pass, (dvt_source){pass->node, 0})) return infer_constant(pass, def, outputs);
  switch (pass->kinds[slot].kind) {
    case DVT_SHAPE_PLAIN:
    case DVT_SHAPE_CONST:
      return infer_plain(pass, def, pass->kinds[slot].has_value, outputs);
    case DVT_SHAPE_ARG:
      outputs[0] = argument(pass, def);
      return NULL;
    case DVT_SHAPE_ENTER:
      outputs[0] = dvt_shape_pass_input(pass, 0);
      outputs[0].value = NULL;
      return NULL;
    case DVT_SHAPE_MERGE:
      return infer_merge(pass, def, outputs);
    default:
      return dvt_shape_call(pass, def, pass->kinds[slot].kind, false, outputs);
  }
}

static dvt_status infer_node(dvt_shape_pass *pass) {
  enum { FEW = 8 };
  const dvt_node_def *def = pass->net->defs[pass->node];
  dvt_known few[FEW] = {{0}}, *outputs = few;
  dvt_shapes *s = pass->shapes;
  int32_t first = s->first_output[pass->node];
  pass->failed[pass->node] = false;
  bool again = pass->computed_at[pass->node] != 0, changed = !again;
  if (def && def->output_count > FEW) {
    outputs = dvt_arena_calloc(&pass->run->scratch, (size_t)def->output_count, sizeof *outputs);
    if (!outputs) return dvt_error_out_of_memory((size_t)def->output_count * sizeof *outputs);
  }
  dvt_status status = def ? infer_outputs(pass, def, outputs) : NULL;
  const dvt_shape *hints = pass->net->hints ? pass->net->hints[pass->node] : NULL;
  for (int32_t i = 0; def && !status && i < def->output_count; i++) {
    dvt_known *o = &outputs[i], before = output_now(pass, first + i);
    if (hints) status = dvt_shape_take_hint(pass->run, o->shape, hints[i], &o->shape);
    changed = changed || !dvt_known_equal(o, &before);
    s->outputs[first + i] = o->shape;
    s->handles[first + i] = o->handle;
    s->values[first + i] = o->value;
  }
  drop_constants(pass);
  dvt_arena_reset(&pass->run->scratch);
  pass->computed_at[pass->node] = ++pass->step;
  if (changed) pass->changed_at[pass->node] = pass->step;
  return status;
}

// ---- the net ----

static bool is_stale(const dvt_shape_pass *pass, int32_t node) {
  const dvt_node_def *def = pass->net->defs[node];
  const dvt_source *sources = pass->net->sources + pass->net->first_input[node];
  if (!pass->computed_at[node]) return true;
  for (int32_t i = 0; def && i < def->input_count; i++)
    if (sources[i].node >= 0 && pass->changed_at[sources[i].node] > pass->computed_at[node]) return true;
  return false;
}

// Gives up on what still changes, as only shape functions that answer differently each time make it.
static dvt_status give_up(dvt_shape_pass *pass, int32_t node) {
  const dvt_node_def *def = pass->net->defs[node];
  if (!def) return NULL;
  dvt_buf text = {0};
  for (int32_t i = 0; i < def->output_count; i++) {
    int32_t at = pass->shapes->first_output[node] + i;
    if (i) dvt_buf_append(&text, ", ", 2);
    dvt_shape_print(pass->shapes->outputs[at], &text);
    pass->shapes->outputs[at] = NULL;
    pass->shapes->handles[at] = NULL;
    pass->shapes->values[at] = NULL;
  }
  dvt_status status =
      dvt_error(TF_INTERNAL,
                "the shapes of node '" DVT_STR_FMT "' (op " DVT_STR_FMT
                ") in a loop still change after %d passes; the last were %s. They count as unknown",
                DVT_STR_ARG(def->name), DVT_STR_ARG(def->op->name), MAX_PASSES, text.data ? text.data : "");
  dvt_buf_deinit(&text);
  pass->reporting = pass->run->listener != NULL;
  dvt_shape_pass_failed(pass, def, status);
  pass->reporting = pass->failed[node] = false;
  dvt_status_free(status);
  pass->computed_at[node] = pass->changed_at[node] = ++pass->step;
  return NULL;
}

static dvt_status one_pass(dvt_shape_pass *pass, bool last, bool *out_any) {
  const dvt_net *net = pass->net;
  size_t count = net->order ? net->order_count : net->node_count;
  *out_any = false;
  for (size_t i = 0; i < count; i++) {
    pass->node = net->order ? net->order[i] : (int32_t)i;
    if (!is_stale(pass, pass->node)) continue;
    *out_any = true;
    DVT_RETURN_IF_ERROR(last ? give_up(pass, pass->node) : infer_node(pass));
  }
  return NULL;
}

dvt_status dvt_shape_pass_run(dvt_shape_pass *pass) {
  size_t count = pass->net->node_count;
  bool any = true;
  pass->computed_at = dvt_calloc(2 * count + 1, sizeof *pass->computed_at);
  pass->failed = dvt_calloc(count + 1, sizeof *pass->failed);
  if (!pass->computed_at || !pass->failed)
    return dvt_error_out_of_memory(2 * count * sizeof *pass->computed_at);
  pass->changed_at = pass->computed_at + count;
  pass->first_owner = pass->run->last_owner + 1;
  pass->run->last_owner += (int64_t)count;
  dvt_status status = NULL;
  for (int i = 0; i <= MAX_PASSES && any && !status; i++) status = one_pass(pass, i == MAX_PASSES, &any);
  return status;
}

void dvt_shape_pass_deinit(dvt_shape_pass *pass) {
  dvt_free(pass->computed_at);
  dvt_free(pass->failed);
}

// The node again, for the listener only.
static dvt_status report_node(dvt_shape_pass *pass, const dvt_node_def *def, dvt_shape_kind kind) {
  dvt_known *outputs = dvt_arena_calloc(&pass->run->scratch, (size_t)def->output_count + 1, sizeof *outputs);
  if (!outputs) return dvt_error_out_of_memory((size_t)def->output_count * sizeof *outputs);
  return kind < DVT_SHAPE_CALL ? infer_outputs(pass, def, outputs)
                               : dvt_shape_call(pass, def, kind, true, outputs);
}

// What failed while a loop was not yet at its fixed point need not fail in the end.
dvt_status dvt_shape_pass_report(dvt_shape_pass *pass) {
  dvt_status status = NULL;
  pass->reporting = true;
  for (size_t i = 0; i < pass->net->node_count && !status; i++) {
    const dvt_node_def *def = pass->net->defs[i];
    dvt_shape_kind kind = def ? dvt_shape_kind_of(def->op, pass->run->functions) : DVT_SHAPE_PLAIN;
    pass->node = (int32_t)i;
    if (!pass->failed[i] && kind < DVT_SHAPE_CALL) continue;
    status = report_node(pass, def, kind);
    drop_constants(pass);
    dvt_arena_reset(&pass->run->scratch);
  }
  return status;
}

dvt_status dvt_shapes_begin(const dvt_net *net, int feed_count, dvt_shapes *out) {
  size_t count = net->node_count;
  int64_t total = 0;
  out->arena = &out->own;
  out->node_count = count;
  out->first_output = dvt_calloc(count + 1, sizeof *out->first_output);
  out->feeds = dvt_calloc((size_t)feed_count + 1, sizeof *out->feeds);
  if (!out->first_output || !out->feeds) return dvt_error_out_of_memory(count * sizeof *out->first_output);
  for (size_t i = 0; i < count; i++) {
    out->first_output[i] = (int32_t)total;
    total += net->defs[i] ? net->defs[i]->output_count : 0;
    if (total > INT32_MAX / 2)
      return dvt_error(TF_RESOURCE_EXHAUSTED, "the nodes have more than %d outputs", INT32_MAX / 2);
  }
  out->first_output[count] = (int32_t)total;
  out->outputs = dvt_calloc((size_t)total + 1, sizeof *out->outputs);
  out->handles = dvt_calloc((size_t)total + 1, sizeof *out->handles);
  out->values = dvt_calloc((size_t)total + 1, sizeof *out->values);
  if (!out->outputs || !out->handles || !out->values)
    return dvt_error_out_of_memory((size_t)total * 3 * sizeof(void *));
  return NULL;
}

dvt_status dvt_shapes_run(const dvt_net *net, dvt_shapes *shapes) {
  dvt_shape_run run = {.arena = shapes->arena,
                       .values = &shapes->values_arena,
                       .functions = net->functions,
                       .listener = net->listener,
                       .graph_def_version = net->graph_def_version,
                       .nodes_left = MAX_BODY_NODES};
  dvt_shape_pass pass = {.run = &run, .net = net, .shapes = shapes};
  dvt_status status = dvt_shape_pass_run(&pass);
  if (!status && net->listener) status = dvt_shape_pass_report(&pass);
  dvt_shape_pass_deinit(&pass);
  dvt_shape_run_deinit(&run);
  return status;
}

void dvt_shapes_deinit(dvt_shapes *shapes) {
  dvt_shape_arena_deinit(&shapes->own);
  dvt_arena_deinit(&shapes->values_arena);
  dvt_free(shapes->first_output);
  dvt_free(shapes->outputs);
  dvt_free(shapes->handles);
  dvt_free(shapes->values);
  dvt_free(shapes->feeds);
}

dvt_shape dvt_shapes_of(const dvt_shapes *shapes, dvt_source source) {
  if (source.node == DVT_SOURCE_FEED) return shapes->feeds[source.index];
  return source.node >= 0 && (size_t)source.node < shapes->node_count
             ? shapes->outputs[shapes->first_output[source.node] + source.index]
             : NULL;
}
