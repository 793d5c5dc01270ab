// A plugin in C++ that registers in a static initialiser and declares itself without a function.
#include <cstdio>

#include "dovetail/sdk.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

namespace {

struct Registration {
  Registration() {
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("EntryCc");
    TF_OpDefinitionBuilderAddOutput(op, "y: int32");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
    TF_RegisterOpDefinition(op, status);
    std::fprintf(stderr, "registered EntryCc: %d\n", static_cast<int>(TF_GetCode(status)));
    TF_DeleteStatus(status);
  }
} registration;

}  // namespace

DVT_PLUGIN("entry_cc", "1.0", "Apache-2.0", "", nullptr)
