// Const, Placeholder, and the ops that hand their inputs on: Identity, IdentityN, StopGradient,
// PlaceholderWithDefault.
#include <stdlib.h>

#include "common/call.h"
#include "common/plugin.h"

// ---- Const: the tensor of attr `value`, decoded once ----

typedef struct const_state {
  TF_Tensor *value;
} const_state;

static void *const_create(TF_OpKernelConstruction *ctx) {
  const_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  TF_Status *status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrTensor(ctx, "value", &state->value, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  TF_DataType dtype = dvp_attr_type(ctx, "dtype");
  if (state->value && TF_TensorType(state->value) != dtype)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Type mismatch between value (dtype %d) and attr dtype (%d)",
                    TF_TensorType(state->value), dtype);
  return state;
}
static void const_destroy(void *arg) {
  const_state *state = arg;
  if (!state) return;
  TF_DeleteTensor(state->value);
  free(state);
}
DVP_COMPUTE(const_compute) {
  const const_state *constant = state;
  TF_SetOutput(call->ctx, 0, constant->value, call->status);
  dvp_ok(call);
}
DVP_DEFINE_ANY(const, const_create, const_destroy, const_compute);

// ---- Placeholder: only runs when it was not fed ----

DVP_COMPUTE(placeholder_compute) {
  (void)state;
  TF_StringView name = TF_GetOpKernelName(call->ctx);
  dvp_fail(call, TF_INVALID_ARGUMENT, "You must feed a value for placeholder tensor '%.*s' with dtype %d",
           (int)name.len, name.data, TF_ExpectedOutputDataType(call->ctx, 0));
}
DVP_DEFINE_ANY(placeholder, NULL, NULL, placeholder_compute);

// ---- Identity and its kin ----

DVP_COMPUTE(identity_compute) {
  (void)state;
  int count = TF_NumOutputs(call->ctx);
  for (int i = 0; i < count; i++) {
    TF_Tensor *tensor = NULL;
    TF_GetInput(call->ctx, i, &tensor, call->status);
    if (!dvp_ok(call)) return;
    if (!tensor) {
      dvp_fail(call, TF_FAILED_PRECONDITION, "Input %d has no value", i);
      return;
    }
    TF_SetOutput(call->ctx, i, tensor, call->status);
    TF_DeleteTensor(tensor);
    if (!dvp_ok(call)) return;
  }
}
DVP_DEFINE_ANY(identity, NULL, NULL, identity_compute);
