// The ops that make tables: HashTableV2, MutableHashTableV2, MutableHashTableOfTensorsV2, and their anonymous
// forms.
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dovetail/kernel_construction.h"
#include "lookup/table.h"

typedef struct make_state {
  dvk_options options;
  char *container, *name;  // no name: a table of its own for every run
  size_t container_bytes, name_bytes;
  _Atomic(TF_Tensor *) handle;  // made by the first run, if there is a name
} make_state;

static bool is_key(TF_DataType t) { return t == TF_INT32 || t == TF_INT64 || t == TF_STRING; }
static bool is_value(TF_DataType t) { return is_key(t) || t == TF_FLOAT || t == TF_DOUBLE || t == TF_BOOL; }

static make_state *new_state(TF_OpKernelConstruction *ctx, dvk_kind kind) {
  make_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->options =
      (dvk_options){kind, dvp_attr_type(ctx, "key_dtype"), dvp_attr_type(ctx, "value_dtype"), 0, 1};
  if (!is_key(state->options.key) || !is_value(state->options.value))
    dvp_create_fail(
        ctx, TF_UNIMPLEMENTED,
        "There are no tables from dtype %d to dtype %d: keys are int32, int64 or string, values these, "
        "float, double or bool",
        state->options.key, state->options.value);
  return state;
}

// Values of a table of tensors are vectors.
static void get_value_shape(TF_OpKernelConstruction *ctx, make_state *state) {
  int64_t dims[1] = {0};
  int rank = -1;
  TF_Status *status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "value_shape", dims, 1, &rank, status);
  bool fine = TF_GetCode(status) == TF_OK && rank == 1 && dims[0] >= 0;
  TF_DeleteStatus(status);
  if (!fine)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Attribute value_shape must be that of a vector of known size");
  else if (state) {
    state->options.value_rank = 1;
    state->options.value_size = dims[0];
  }
}

// The name of the table; a node without one has a table of its own under its own name.
static void get_name(TF_OpKernelConstruction *ctx, make_state *state) {
  if (!state) return;
  state->container = dvp_attr_string_new(ctx, "container", &state->container_bytes);
  state->name = dvp_attr_string_new(ctx, "shared_name", &state->name_bytes);
  if (!state->name || state->name_bytes > 0) return;
  bool by_node = dvp_attr_bool(ctx, "use_node_name_sharing");
  const char *prefix = by_node ? "" : "_own/";
  TF_StringView node = TF_OpKernelConstruction_GetName(ctx);
  char *name = malloc(node.len + strlen(prefix) + 1);
  if (!name) {
    dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory for the name of a table");
    return;
  }
  memcpy(name, prefix, strlen(prefix));
  memcpy(name + strlen(prefix), node.data, node.len);
  free(state->name);
  state->name = name;
  state->name_bytes = strlen(prefix) + node.len;
}

static void *hash_table_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_STATIC);
  get_name(ctx, state);
  return state;
}
static void *mutable_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_MUTABLE);
  get_name(ctx, state);
  return state;
}
static void *of_tensors_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_OF_TENSORS);
  get_value_shape(ctx, state);
  get_name(ctx, state);
  return state;
}
static void *anonymous_create(TF_OpKernelConstruction *ctx) { return new_state(ctx, DVK_STATIC); }
static void *anonymous_mutable_create(TF_OpKernelConstruction *ctx) { return new_state(ctx, DVK_MUTABLE); }
static void *anonymous_of_tensors_create(TF_OpKernelConstruction *ctx) {
  make_state *state = new_state(ctx, DVK_OF_TENSORS);
  get_value_shape(ctx, state);
  return state;
}

static void make_destroy(void *arg) {
  make_state *state = arg;
  if (!state) return;
  TF_DeleteTensor(state->handle);
  free(state->container);
  free(state->name);
  free(state);
}

DVP_COMPUTE(make_table_compute) {
  make_state *make = state;
  TF_Tensor *handle = atomic_load(&make->handle), *none = NULL;
  bool keep = false;
  if (!handle) {
    handle = dvk_table_handle(call, make->container, make->container_bytes, make->name, make->name_bytes,
                              &make->options);
    if (!handle) return;
    keep = make->name_bytes > 0 && atomic_compare_exchange_strong(&make->handle, &none, handle);
  } else {
    keep = true;
  }
  TF_SetOutput(call->ctx, 0, handle, call->status);
  if (!keep) TF_DeleteTensor(handle);
  dvp_ok(call);
}

#define MAKE_OP(name)                                                  \
  static const dvp_kernel name##_rows[] = {DVP_KERNEL(0, make_table)}; \
  DVP_DEFINE_SET(name, NULL, name##_create, make_destroy, name##_rows)
MAKE_OP(hash_table);
MAKE_OP(mutable);
MAKE_OP(of_tensors);
MAKE_OP(anonymous);
MAKE_OP(anonymous_mutable);
MAKE_OP(anonymous_of_tensors);
