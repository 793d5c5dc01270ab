/* Its shape function sets an output that the op has not, and heeds no status. */
#include "../fault.h"

static void shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *handle = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, handle, status);
  TF_ShapeInferenceContextSetOutput(ctx, 9, handle, status);
  TF_DeleteShapeHandle(handle);
}

__attribute__((constructor)) static void load(void) {
  fault_ops(shape);
  fault_kernel("Fault", TF_NewKernelBuilder("Fault", "CPU", NULL, fault_pass, NULL));
}
