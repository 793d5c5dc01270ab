// Variables, behind handles and behind references: reading, assigning, adding to and subtracting from them.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "dovetail/object.h"
#include "state/variable.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/tf_tstring.h"

// shared_name of a variable that no name leads to; every run of the op makes a new one.
#define ANONYMOUS_NAME "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

typedef struct var_handle_state {
  char *container, *name;
  size_t container_bytes, name_bytes;
  bool anonymous;
  TF_DataType dtype;
  _Atomic(TF_Tensor *) handle;  // made by the first run
} var_handle_state;

static void *var_handle_create(TF_OpKernelConstruction *ctx) {
  var_handle_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->container = dvp_attr_string_new(ctx, "container", &state->container_bytes);
  state->name = dvp_attr_string_new(ctx, "shared_name", &state->name_bytes);
  state->dtype = dvp_attr_type(ctx, "dtype");
  state->anonymous = state->name && strcmp(state->name, ANONYMOUS_NAME) == 0;
  if (state->name && state->name_bytes == 0) {
    TF_StringView node = TF_OpKernelConstruction_GetName(ctx);
    free(state->name);
    state->name = strndup(node.data, node.len);
    state->name_bytes = state->name ? node.len : 0;
  }
  return state;
}

static void var_handle_destroy(void *arg) {
  var_handle_state *state = arg;
  if (!state) return;
  TF_DeleteTensor(state->handle);
  free(state->container);
  free(state->name);
  free(state);
}

DVP_COMPUTE(var_handle_compute) {
  var_handle_state *variable = state;
  TF_Tensor *handle = atomic_load(&variable->handle), *none = NULL;
  if (handle) {
    TF_SetOutput(call->ctx, 0, handle, call->status);
    dvp_ok(call);
    return;
  }
  handle = dvt_variable_handle(call->ctx, variable->container, variable->container_bytes, variable->name,
                               variable->anonymous ? 0 : variable->name_bytes, variable->dtype, call->status);
  if (!dvp_ok(call)) return;
  TF_SetOutput(call->ctx, 0, handle, call->status);
  dvp_ok(call);
  if (variable->anonymous || !atomic_compare_exchange_strong(&variable->handle, &none, handle))
    TF_DeleteTensor(handle);
}
DVP_DEFINE_ANY(var_handle, var_handle_create, var_handle_destroy, var_handle_compute);
// A reference to a variable is its handle, too.
DVP_DEFINE_ANY(ref_variable, var_handle_create, var_handle_destroy, var_handle_compute);

// ---- reading and assigning ----

void dvp_copy_tensor(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest) {
  (void)ctx;
  TF_DataType dtype = TF_TensorType(source);
  dvp_copy_elements(dtype, TF_TensorData(source), 0, TF_TensorData(dest), 0, TF_TensorElementCount(source),
                    (int64_t)TF_DataTypeSize(dtype));
}

DVP_COMPUTE(read_variable_compute) {
  (void)state;
  TF_Tensor *value = dvt_variable_value(call->ctx, 0, call->status);
  if (!dvp_ok(call)) return;
  TF_DataType wanted = TF_ExpectedOutputDataType(call->ctx, 0);
  if (TF_TensorType(value) != wanted)
    dvp_fail(call, TF_INVALID_ARGUMENT, "Trying to read variable with wrong dtype. Expected %d got %d",
             wanted, TF_TensorType(value));
  else
    TF_SetOutput(call->ctx, 0, value, call->status);
  TF_DeleteTensor(value);
  dvp_ok(call);
}
DVP_DEFINE_ANY(read_variable, NULL, NULL, read_variable_compute);

typedef struct assign_state {
  bool validate_shape;
} assign_state;
static void *assign_create(TF_OpKernelConstruction *ctx) {
  assign_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->validate_shape = dvp_attr_bool(ctx, "validate_shape");
  return state;
}
static void assign_destroy(void *state) { free(state); }

DVP_COMPUTE(assign_variable_compute) {
  TF_AssignVariable(call->ctx, 0, 1, ((const assign_state *)state)->validate_shape, dvp_copy_tensor,
                    call->status);
  dvp_ok(call);
}
DVP_DEFINE_ANY(assign_variable, assign_create, assign_destroy, assign_variable_compute);

DVP_COMPUTE(assign_compute) {
  TF_AssignRefVariable(call->ctx, 0, 0, 1, true, ((const assign_state *)state)->validate_shape,
                       dvp_copy_tensor, call->status);
  dvp_ok(call);
}
DVP_DEFINE_ANY(assign, assign_create, assign_destroy, assign_compute);

DVP_COMPUTE(ref_identity_compute) {
  (void)state;
  TF_OpKernelContext_ForwardRefInputToRefOutput(call->ctx, 0, 0);
}
DVP_DEFINE_ANY(ref_identity, NULL, NULL, ref_identity_compute);

// ---- updates in place ----

enum { ADD, SUBTRACT };

#define UPDATE_CASE(t, unused)                                                                       \
  case DVP_TYPE_##t: {                                                                               \
    dvp_##t *x = TF_TensorData(tensor);                                                              \
    const dvp_##t *y = TF_TensorData(value);                                                         \
    if (op == ADD)                                                                                   \
      for (int64_t i = 0; i < n; i++) x[i] = DVP_STORE_##t(DVP_LOAD_##t(x[i]) + DVP_LOAD_##t(y[i])); \
    else                                                                                             \
      for (int64_t i = 0; i < n; i++) x[i] = DVP_STORE_##t(DVP_LOAD_##t(x[i]) - DVP_LOAD_##t(y[i])); \
    break;                                                                                           \
  }
static void update(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_Tensor *value, int op) {
  (void)ctx;
  int64_t n = TF_TensorElementCount(tensor);
  switch (TF_TensorType(tensor)) {
    DVP_NUMBERS(UPDATE_CASE, )
    default:
      break;  // the kernels' constraint admits numbers only
  }
}

// For variables behind a handle (attr dtype) and behind a reference (attr T), which becomes the output.
#define UPDATE_OP(name, attr, op)                                                           \
  DVP_COMPUTE(name##_compute) {                                                             \
    (void)state;                                                                            \
    TF_AssignUpdateVariable(call->ctx, 0, 1, op, 0, dvp_copy_tensor, update, call->status); \
    if (dvp_ok(call)) TF_OpKernelContext_ForwardRefInputToRefOutput(call->ctx, 0, 0);       \
  }                                                                                         \
  static const dvp_kernel name##_rows[] = {DVP_NUMBERS(DVP_SHARED_ROW, name)};              \
  DVP_DEFINE_SET(name, attr, NULL, NULL, name##_rows);
UPDATE_OP(assign_add_variable, "dtype", ADD)
UPDATE_OP(assign_sub_variable, "dtype", SUBTRACT)
UPDATE_OP(assign_add, "T", ADD)
UPDATE_OP(assign_sub, "T", SUBTRACT)

DVP_COMPUTE(var_is_initialized_compute) {
  (void)state;
  bool is_set = dvt_variable_is_initialized(call->ctx, 0, call->status);
  if (!dvp_ok(call)) return;
  uint8_t *out = dvp_output(call, 0, NULL, 0);
  if (out) *out = is_set;
}
DVP_DEFINE_ANY(var_is_initialized, NULL, NULL, var_is_initialized_compute);
DVP_DEFINE_ANY(is_variable_initialized, NULL, NULL, var_is_initialized_compute);

static void *destroy_create(TF_OpKernelConstruction *ctx) {
  bool *ignores = dvp_state_new(ctx, sizeof(*ignores));
  if (ignores) *ignores = dvp_attr_bool(ctx, "ignore_lookup_error");
  return ignores;
}
static void destroy_destroy(void *state) { free(state); }

DVP_COMPUTE(destroy_resource_compute) {
  const bool *ignores = state;
  dvt_resource_destroy(call->ctx, 0, call->status);
  if (*ignores && TF_GetCode(call->status) == TF_NOT_FOUND) TF_SetStatus(call->status, TF_OK, "");
  dvp_ok(call);
}
DVP_DEFINE_ANY(destroy_resource, destroy_create, destroy_destroy, destroy_resource_compute);

// Reads never copy here, so there is nothing to switch off.
DVP_COMPUTE(disable_copy_on_read_compute) {
  (void)call;
  (void)state;
}
DVP_DEFINE_ANY(disable_copy_on_read, NULL, NULL, disable_copy_on_read_compute);
