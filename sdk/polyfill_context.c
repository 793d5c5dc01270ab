// What running kernels ask beyond tensorflow/c/kernels.h and stock can be made to answer: inputs by name,
// which 2.19 lost, and questions whose answer is the same for every node of a host that does not tell.
#include <stdio.h>

#include "binding.h"
#include "dovetail/kernel_context.h"
#include "dovetail/plugin.h"
#include "tensorflow/c/kernels_experimental.h"

// The flat index of a single input; -1 with an error in `status`.
static int index_of(TF_OpKernelContext *ctx, const char *name, TF_Status *status) {
  TF_InputRange_Args range = {.struct_size = TF_InputRange_Args_STRUCT_SIZE, .status = status};
  TF_InputRange(ctx, name, &range);
  if (TF_GetCode(status) != TF_OK) return -1;
  if (range.stop == range.start + 1) return range.start;
  char text[256];
  snprintf(text, sizeof text, "input %s is a list of %d inputs, not a single one", name,
           range.stop - range.start);
  TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
  return -1;
}

void DVT_POLYFILL(TF_GetInputByName)(TF_OpKernelContext *ctx, const char *name, TF_Tensor **tensor,
                                     TF_Status *status) {
  int index = index_of(ctx, name, status);
  if (index >= 0) TF_GetInput(ctx, index, tensor, status);
}

TF_DataType DVT_POLYFILL(TF_OpKernelContext_InputDatatypeByName)(TF_OpKernelContext *ctx, const char *name,
                                                                 TF_Status *status) {
  int index = index_of(ctx, name, status);
  return index >= 0 ? TF_InputDatatype(ctx, index) : (TF_DataType)0;
}

static bool is_input(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  int count = TF_NumInputs(ctx);
  if (index >= 0 && index < count) return true;
  char text[96];
  snprintf(text, sizeof text, "input %d was asked for; the node has %d", index, count);
  TF_SetStatus(status, TF_OUT_OF_RANGE, text);
  return false;
}

// Types of references are 100 more than those of their values.
bool DVT_POLYFILL(TF_IsRefInput)(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  if (!is_input(ctx, i, status)) return false;
  TF_SetStatus(status, TF_OK, "");
  return TF_InputDatatype(ctx, i) > 100;
}

// Stock's executor does not run kernels behind dead branches, as Dovetail's does not.
bool DVT_POLYFILL(TF_OpKernelContext_IsInputDead)(TF_OpKernelContext *ctx) {
  (void)ctx;
  return false;
}

// Outputs may always be read, and memory of inputs is never promised: kernels are right with these answers.
bool DVT_POLYFILL(TF_OpKernelContext_OutputRequired)(TF_OpKernelContext *ctx, int index, TF_Status *status) {
  (void)ctx, (void)index;
  TF_SetStatus(status, TF_OK, "");
  return true;
}

bool DVT_POLYFILL(TF_OpKernelContext_OutputExpectsForwarding)(TF_OpKernelContext *ctx, int index,
                                                              TF_Status *status) {
  (void)ctx, (void)index;
  TF_SetStatus(status, TF_OK, "");
  return false;
}

bool DVT_POLYFILL(dvt_input_is_stable)(TF_OpKernelContext *ctx, int index) {
  (void)ctx, (void)index;
  return false;
}

// The C ABI of stock does not tell; a kernel that asks then runs to its end.
bool DVT_POLYFILL(TF_OpKernelContext_IsCancelled)(TF_OpKernelContext *ctx) {
  (void)ctx;
  return false;
}

TF_Tensor *DVT_POLYFILL(dvt_allocate_lasting)(size_t bytes) {
  int64_t dim = (int64_t)bytes;
  return dim < 0 ? NULL : TF_AllocateTensor(TF_UINT8, &dim, 1, bytes);
}
