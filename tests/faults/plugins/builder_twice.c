/* Deletes a builder that it has registered. */
#include "../fault.h"

__attribute__((constructor)) static void fault_load(void) {
  fault_ops(TF_ShapeInferenceContextSetUnknownShape);
  TF_KernelBuilder *builder = TF_NewKernelBuilder("Fault", "CPU", NULL, fault_pass, NULL);
  fault_kernel("Fault", builder);
  TF_DeleteKernelBuilder(builder);
}
