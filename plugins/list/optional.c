// Optionals: variants that hold a tuple of tensors or nothing.
#include <stdlib.h>
#include <string.h>

#include "common/plugin.h"
#include "dovetail/object.h"
#include "list/element.h"

typedef struct optional {
  bool has_value;
  int count;
  dvl_item *items[];
} optional;

static optional *optional_new(dvp_call *call, bool has_value, int count) {
  optional *o = calloc(1, sizeof(*o) + (size_t)count * sizeof(o->items[0]));
  if (!o) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for an optional of %d components", count);
    return NULL;
  }
  o->has_value = has_value;
  o->count = count;
  return o;
}

static void optional_free(void *value) {
  optional *o = value;
  for (int i = 0; o && i < o->count; i++) dvl_item_release(o->items[i]);
  free(o);
}

static void *map_tensors(TF_OpKernelContext *ctx, const void *left, const void *right, dvt_tensor_fn fn,
                         void *arg, TF_Status *status) {
  const optional *a = left, *b = right;
  dvp_call call = {ctx, status};
  if (b && (a->has_value != b->has_value || a->count != b->count)) {
    dvp_fail(&call, TF_INVALID_ARGUMENT, "Cannot add optionals of which one has a value, or more components");
    return NULL;
  }
  optional *o = optional_new(&call, a->has_value, a->count);
  for (int i = 0; o && i < o->count; i++) {
    TF_Tensor *tensor =
        fn(ctx, arg, dvl_item_tensor(a->items[i]), b ? dvl_item_tensor(b->items[i]) : NULL, status);
    o->items[i] = tensor ? dvl_item_new(&call, tensor) : NULL;
    if (o->items[i]) continue;
    optional_free(o);
    return NULL;
  }
  return o;
}

static void *zeros_like(TF_OpKernelContext *ctx, const void *value, TF_Status *status) {
  return map_tensors(ctx, value, NULL, dvl_zeros_fn, NULL, status);
}
static void *add(TF_OpKernelContext *ctx, const void *a, const void *b, TF_Status *status) {
  return map_tensors(ctx, a, b, dvl_add_fn, NULL, status);
}

static const dvt_value_type optional_type = {
    sizeof(dvt_value_type), "tensorflow::data::Optional", optional_free, zeros_like, add, map_tensors};

static void output_optional(dvp_call *call, optional *o) {
  TF_Tensor *to = TF_AllocateOutput(call->ctx, 0, TF_VARIANT, NULL, 0, 0, call->status);
  if (to)
    dvt_object_set(to, 0, &optional_type, o, call->status);
  else
    optional_free(o);
  TF_DeleteTensor(to);
  dvp_ok(call);
}

DVP_COMPUTE(none_compute) {
  (void)state;
  optional *o = optional_new(call, false, 0);
  if (o) output_optional(call, o);
}
DVP_DEFINE_ANY(optional_none, NULL, NULL, none_compute);

DVP_COMPUTE(from_value_compute) {
  (void)state;
  optional *o = optional_new(call, true, TF_NumInputs(call->ctx));
  if (!o) return;
  bool fine = true;
  for (int i = 0; fine && i < o->count; i++) fine = (o->items[i] = dvl_item_input(call, i)) != NULL;
  if (fine)
    output_optional(call, o);
  else
    optional_free(o);
}
DVP_DEFINE_ANY(optional_from_value, NULL, NULL, from_value_compute);

static const optional *optional_input(dvp_call *call) {
  TF_Tensor *tensor = NULL;
  TF_GetInput(call->ctx, 0, &tensor, call->status);
  if (!dvp_ok(call)) return NULL;
  const optional *o = NULL;
  if (TF_NumDims(tensor) == 0)
    o = dvt_object_get(tensor, 0, &optional_type, call->status);
  else
    dvp_fail(call, TF_INVALID_ARGUMENT, "An optional must be a scalar, but has rank %d", TF_NumDims(tensor));
  TF_DeleteTensor(tensor);  // the executor holds the input
  return dvp_ok(call) ? o : NULL;
}

DVP_COMPUTE(has_value_compute) {
  (void)state;
  const optional *o = optional_input(call);
  uint8_t *out = o ? dvp_output(call, 0, NULL, 0) : NULL;
  if (out) *out = o->has_value;
}
DVP_DEFINE_ANY(optional_has_value, NULL, NULL, has_value_compute);

// ---- GetValue ----

typedef struct get_state {
  int count;
  dvl_shape shapes[];
} get_state;

// The shapes of the components: `count` of them with `total` dimensions.
static void get_shapes(TF_OpKernelConstruction *ctx, get_state *state, int total, TF_Status *status) {
  size_t count = (size_t)state->count, sizes = (size_t)DVP_MAX(total, 0);
  int64_t **dims = malloc(count * (sizeof(*dims) + sizeof(int)) + sizes * sizeof(int64_t) + 1);
  if (!dims) {
    dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for the shapes of an optional");
    return;
  }
  int64_t *storage = (int64_t *)(dims + count);
  int *ranks = (int *)(storage + sizes);
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "output_shapes", dims, ranks, state->count, storage,
                                                  (int)sizes, status);
  for (size_t i = 0; TF_GetCode(status) == TF_OK && i < count; i++) {
    state->shapes[i].rank = ranks[i];
    if (ranks[i] > 0) memcpy(state->shapes[i].dims, dims[i], (size_t)ranks[i] * sizeof(int64_t));
  }
  free(dims);
}

static void *get_create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  int32_t count = 0, total = 0;
  TF_OpKernelConstruction_GetAttrSize(ctx, "output_shapes", &count, &total, status);
  count = DVP_MAX(count, 0);
  get_state *state = dvp_state_new(ctx, sizeof(*state) + (size_t)count * sizeof(state->shapes[0]));
  if (state) {
    state->count = count;
    if (count > 0) get_shapes(ctx, state, total, status);
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return state;
}
static void get_destroy(void *state) { free(state); }

static bool output_component(dvp_call *call, int i, const TF_Tensor *tensor, const dvl_shape *wanted) {
  dvl_shape shape;
  char a[DVP_SHAPE_TEXT], b[DVP_SHAPE_TEXT];
  dvl_shape_of(tensor, &shape);
  if (TF_TensorType(tensor) != TF_ExpectedOutputDataType(call->ctx, i) ||
      !dvl_shape_fits(wanted, shape.dims, shape.rank))
    return dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "Component %d of the optional has dtype %d and shape %s; wanted are dtype %d and shape %s", i,
        (int)TF_TensorType(tensor), dvl_shape_text(&shape, a), (int)TF_ExpectedOutputDataType(call->ctx, i),
        dvl_shape_text(wanted, b));
  TF_SetOutput(call->ctx, i, tensor, call->status);
  return dvp_ok(call);
}

DVP_COMPUTE(get_value_compute) {
  const get_state *get = state;
  const optional *o = optional_input(call);
  if (!o) return;
  if (!o->has_value) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The given optional does not have a value.");
    return;
  }
  if (o->count != get->count || o->count != TF_NumOutputs(call->ctx)) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The optional has %d components; wanted are %d of %d shapes",
             o->count, TF_NumOutputs(call->ctx), get->count);
    return;
  }
  for (int i = 0; i < o->count; i++)
    if (!output_component(call, i, dvl_item_tensor(o->items[i]), &get->shapes[i])) return;
}
DVP_DEFINE_ANY(optional_get_value, get_create, get_destroy, get_value_compute);
