// Symbolic shapes and the call of an op's shape function.
#include "op/shape_inference.h"

#include "base/catch.h"
#include "base/debug.h"
#include "op/dim_expr.h"
#include "op/registry.h"
#include "op/shape_algebra.h"
#include "op/shape_watch.h"

void dvt_shape_arena_deinit(dvt_shape_arena *arena) {
  dvt_arena_deinit(&arena->arena);
  dvt_dim_exprs_destroy(arena->exprs);
  arena->exprs = NULL;
  arena->last_unknown = 0;
}

dvt_status dvt_shape_make(dvt_shape_arena *arena, const dvt_dim *dims, int rank, bool fresh_unknowns,
                          dvt_shape *out_shape) {
  if (rank < 0 || rank > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "a shape of rank %d was asked for; ranks 0 to %d are possible",
                     rank, DVT_MAX_RANK);
  dvt_shape_object *shape = dvt_arena_alloc(&arena->arena, sizeof *shape + sizeof(dvt_dim) * (size_t)rank);
  if (!shape) return dvt_error_out_of_memory(sizeof *shape + sizeof(dvt_dim) * (size_t)rank);
  shape->rank = rank;
  for (int i = 0; i < rank; i++)
    shape->dims[i] = fresh_unknowns && dims[i] < 0 ? dvt_dim_new_unknown(arena) : dims[i];
  *out_shape = shape;
  return NULL;
}

dvt_status dvt_shape_merge(dvt_shape_arena *arena, dvt_shape a, dvt_shape b, dvt_shape *out_shape) {
  if (a == b || !b || !a) {
    *out_shape = a ? a : b;
    return NULL;
  }
  if (a->rank != b->rank)
    return dvt_error(TF_INVALID_ARGUMENT, "Shapes must be equal rank, but are %d and %d", a->rank, b->rank);
  bool is_a = true, is_b = true;
  for (int i = 0; i < a->rank; i++) {
    dvt_dim x = a->dims[i], y = b->dims[i];
    if (x == y) continue;
    if (dvt_dim_known(x) && dvt_dim_known(y))
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Dimension %d in both shapes must be equal, but are %lld and %lld", i, (long long)x,
                       (long long)y);
    if (!dvt_dim_known(x) && dvt_dim_known(y)) is_a = false;
    if (dvt_dim_known(x)) is_b = false;
  }
  if (is_a || is_b) {
    *out_shape = is_a ? a : b;
    return NULL;
  }
  dvt_dim dims[DVT_MAX_RANK];
  for (int i = 0; i < a->rank; i++) DVT_RETURN_IF_ERROR(dvt_dim_merge(a->dims[i], b->dims[i], &dims[i]));
  return dvt_shape_make(arena, dims, a->rank, false, out_shape);
}

bool dvt_shape_is_full(dvt_shape shape) {
  if (!shape) return false;
  for (int i = 0; i < shape->rank; i++)
    if (!dvt_dim_known(shape->dims[i])) return false;
  return true;
}

void dvt_shape_print(dvt_shape shape, dvt_buf *out) {
  if (!shape) {
    dvt_buf_append_byte(out, '?');
    return;
  }
  dvt_buf_append_byte(out, '[');
  for (int i = 0; i < shape->rank; i++) {
    if (i) dvt_buf_append_byte(out, ',');
    dvt_dim_print(shape->dims[i], out);
  }
  dvt_buf_append_byte(out, ']');
}

dvt_status dvt_handle_shapes_make(dvt_shape_arena *arena, const dvt_shape_and_type *values, int count,
                                  const dvt_handle_shapes **out_handle) {
  size_t bytes = sizeof(dvt_handle_shapes) + sizeof(dvt_shape_and_type) * (size_t)count;
  dvt_handle_shapes *handle = dvt_arena_alloc(&arena->arena, bytes);
  if (!handle) return dvt_error_out_of_memory(bytes);
  handle->count = count;
  for (int i = 0; i < count; i++) handle->at[i] = values[i];
  *out_handle = handle;
  return NULL;
}

const dvt_handle_shapes *dvt_shape_input_handle(TF_ShapeInferenceContext *ctx, int index) {
  if (index < 0 || index >= ctx->node->input_count) return NULL;
  if (ctx->merged_input_handles && ctx->merged_input_handles[index]) return ctx->merged_input_handles[index];
  return ctx->input_handle ? ctx->input_handle(ctx->arg, index) : NULL;
}

void dvt_shape_describe_node(const TF_ShapeInferenceContext *ctx, dvt_buf *out) {
  dvt_node_describe(ctx->node, out);
  if (!ctx->input_name) return;
  dvt_buf_append_byte(out, '(');
  for (int i = 0; i < ctx->node->input_count; i++) {
    if (i) dvt_buf_append(out, ", ", 2);
    dvt_buf_append_str(out, ctx->input_name(ctx->arg, i));
  }
  dvt_buf_append_byte(out, ')');
}

void dvt_shape_print_inputs(const TF_ShapeInferenceContext *ctx, dvt_buf *out) {
  for (int i = 0; i < ctx->node->input_count; i++) {
    if (i) dvt_buf_append(out, ", ", 2);
    dvt_shape_print(ctx->inputs[i], out);
  }
}

// " for '{{node n}} = Op[attrs](inputs)' with input shapes: [2,?,5], ?."
static dvt_status with_node(const TF_ShapeInferenceContext *ctx, dvt_status status) {
  dvt_buf text = {0};
  dvt_shape_describe_node(ctx, &text);
  dvt_buf_append_str(&text, DVT_STR("' with input shapes: "));
  dvt_shape_print_inputs(ctx, &text);
  const dvt_load *load = ctx->node->op->load;
  dvt_buf_append_byte(&text, '.');
  if (load && load->plugin_name)
    dvt_buf_printf(&text, " The shape function is that of plugin '%s'.", load->plugin_name);
  status = dvt_status_annotate(status, " for '%s", text.data ? text.data : "");
  dvt_buf_deinit(&text);
  return status;
}

// Never 0: that is the call of a context outside of debug mode.
static uint32_t next_call(void) {
  static _Atomic uint32_t last;
  uint32_t call = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
  return call ? call : 1;
}

typedef struct shape_call {
  TF_ShapeInferenceContext *ctx;
  dvt_shape_fn shape_fn;
  TF_Status *status;
} shape_call;

static void run_shape_fn(void *arg) {
  shape_call *call = arg;
  call->shape_fn(call->ctx, call->status);
}

dvt_status dvt_shape_fn_call(TF_ShapeInferenceContext *ctx, dvt_shape_fn shape_fn, TF_Status *status) {
  shape_call call = {ctx, shape_fn, status};
  return dvt_exception_status(dvt_catch_call(run_shape_fn, &call), "The shape function");
}

// The call in debug mode, with what the shape function did wrong.
DVT_COLD static dvt_status call_checked(TF_ShapeInferenceContext *ctx, dvt_shape_fn shape_fn,
                                        TF_Status *tf_status) {
  ctx->call = next_call();
  DVT_RETURN_IF_ERROR(dvt_shape_watch(ctx, shape_fn, tf_status));
  return ctx->misuse ? dvt_error(TF_INTERNAL, "The shape function %s", ctx->misuse) : NULL;
}

DVT_COLD static dvt_status unloaded_error(const dvt_node_def *node) {
  return dvt_error(TF_FAILED_PRECONDITION,
                   "the shape function of op '" DVT_STR_FMT
                   "' was unloaded with its plugin. Load the plugin again. Needed by {{node " DVT_STR_FMT
                   "}}",
                   DVT_STR_ARG(node->op->name), DVT_STR_ARG(node->name));
}

dvt_status dvt_shape_infer(TF_ShapeInferenceContext *ctx) {
  const dvt_node_def *node = ctx->node;
  if (!node->op->shape_fn)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "No shape inference function exists for op '" DVT_STR_FMT
                     "', did you forget to define it? Give the op one with "
                     "TF_OpDefinitionBuilderSetShapeInferenceFunction; "
                     "TF_ShapeInferenceContextSetUnknownShape serves any op. Needed by {{node " DVT_STR_FMT
                     "}}",
                     DVT_STR_ARG(node->op->name), DVT_STR_ARG(node->name));
  TF_Status *tf_status = TF_NewStatus();
  if (!tf_status) return dvt_error_out_of_memory(sizeof(void *));
  dvt_load *user;
  dvt_shape_fn shape_fn = dvt_op_enter_shape_fn(node->op, &user);
  if (DVT_UNLIKELY(!shape_fn)) {
    TF_DeleteStatus(tf_status);
    return unloaded_error(node);
  }
  dvt_status status = dvt_debug_has(DVT_DEBUG_SHAPES) ? call_checked(ctx, shape_fn, tf_status)
                                                      : dvt_shape_fn_call(ctx, shape_fn, tf_status);
  dvt_load_leave(user);
  if (!status) status = dvt_status_from_tf(tf_status);
  TF_DeleteStatus(tf_status);
  if (DVT_LIKELY(!status)) return NULL;
  for (int i = 0; i < node->output_count; i++) {
    ctx->outputs[i] = NULL;
    if (ctx->output_handles) ctx->output_handles[i] = NULL;
  }
  return with_node(ctx, status);
}
