// The few eager functions that the shared benchmark names, declared so that it compiles with Dovetail's own headers. The
// library does not have them: the benchmark's references are weak, and it reports them as missing.
#ifndef DVT_TEST_EAGER_C_API_H_
#define DVT_TEST_EAGER_C_API_H_

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

typedef struct TFE_ContextOptions TFE_ContextOptions;

TF_CAPI_EXPORT TFE_ContextOptions *TFE_NewContextOptions(void);
TF_CAPI_EXPORT TFE_Context *TFE_NewContext(const TFE_ContextOptions *options, TF_Status *status);
TF_CAPI_EXPORT TFE_TensorHandle *TFE_NewTensorHandle(const TF_Tensor *tensor, TF_Status *status);
TF_CAPI_EXPORT void TFE_DeleteTensorHandle(TFE_TensorHandle *handle);
TF_CAPI_EXPORT TF_Tensor *TFE_TensorHandleResolve(TFE_TensorHandle *handle, TF_Status *status);
TF_CAPI_EXPORT TFE_Op *TFE_NewOp(TFE_Context *context, const char *op_name, TF_Status *status);
TF_CAPI_EXPORT void TFE_DeleteOp(TFE_Op *op);
TF_CAPI_EXPORT void TFE_OpAddInput(TFE_Op *op, TFE_TensorHandle *input, TF_Status *status);
TF_CAPI_EXPORT void TFE_Execute(TFE_Op *op, TFE_TensorHandle **results, int *result_count, TF_Status *status);

#endif  // DVT_TEST_EAGER_C_API_H_
