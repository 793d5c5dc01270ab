/* Plugins that do one thing unusual or wrong each; the macro says which. */
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#define VISIBLE __attribute__((visibility("default")))

static void compute(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }

static void register_op(const char *name, const char *attr, const char *input) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  if (attr) TF_OpDefinitionBuilderAddAttr(op, attr);
  TF_OpDefinitionBuilderAddInput(op, input);
  TF_RegisterOpDefinition(op, status);
  TF_DeleteStatus(status);
}

static void register_kernel(const char *name) {
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder(name, TF_NewKernelBuilder(name, "CPU", NULL, compute, NULL), status);
  TF_DeleteStatus(status);
}

VISIBLE void *keep_used(void);
void *keep_used(void) {
  register_op("Unused", NULL, "x: float");
  register_kernel("Unused");
  return NULL;
}

#if defined(HALF)
/* A good op and kernel, then a bad spec whose status nobody looks at, then another good op. */
void TF_InitKernel(void) {
  register_op("HalfGood", NULL, "x: float");
  register_kernel("HalfGood");
  register_kernel("HostOp");
  register_op("HalfBad", "a: no_such_type", "x: float");
  register_op("HalfAfter", NULL, "x: float");
}
#elif defined(TWICE)
__attribute__((constructor)) static void on_load(void) {
  register_op("TwiceOp", NULL, "x: float");
  register_op("TwiceOp", NULL, "x: int32");
}
#elif defined(SELF)
/* Asks for itself while it is loaded; the variable that names it gets the code of the answer. */
void TF_InitKernel(void) {
  const char *path = getenv("DOVETAIL_TEST_SELF");
  TF_Status *status = TF_NewStatus();
  char code[12];
  TF_DeleteLibraryHandle(TF_LoadLibrary(path, status));
  snprintf(code, sizeof code, "%d", (int)TF_GetCode(status));
  setenv("DOVETAIL_TEST_SELF", code, 1);
  TF_DeleteStatus(status);
  register_op("SelfOp", NULL, "x: float");
}
#elif defined(EXISTING)
/* An op that the test's own program has registered already, the same way; and one of its own. */
__attribute__((constructor)) static void on_load(void) {
  register_op("HostOp", NULL, "x: float");
  register_op("ExistingOwn", NULL, "x: float");
}
#elif defined(DEVICE)
void SE_InitPlugin(SE_PlatformRegistrationParams *params, TF_Status *status) { (void)params, (void)status; }
void TF_InitKernel(void) { register_kernel("DeviceKernel"); }
__attribute__((constructor)) static void on_load(void) { register_op("DeviceOp", NULL, "x: float"); }
#elif defined(OPTIMIZER)
VISIBLE void TF_InitGraph(void *params, void *status);
void TF_InitGraph(void *params, void *status) { (void)params, (void)status; }
void TF_InitKernel(void) { register_op("OptimizerOp", NULL, "x: float"); }
#elif defined(MISSING)
void TF_FunctionOfTomorrow(TF_OpKernelContext *ctx);
void TF_AnotherOfTomorrow(TF_OpKernelContext *ctx);
VISIBLE void use(TF_OpKernelContext *ctx);
void use(TF_OpKernelContext *ctx) {
  TF_FunctionOfTomorrow(ctx);
  TF_AnotherOfTomorrow(ctx);
}
__attribute__((constructor)) static void on_load(void) { register_op("MissingOp", NULL, "x: float"); }
#elif defined(MISSING_CPP)
void of_the_framework(void) __asm__("_ZN10tensorflow14OpKernelNoSuchEv");
VISIBLE void use(void);
void use(void) { of_the_framework(); }
#elif defined(HWASAN)
void __hwasan_init(void);
VISIBLE void use(void);
void use(void) { __hwasan_init(); }
#elif defined(MISSING_OTHER)
void some_vendor_function(void);
VISIBLE void use(void);
void use(void) { some_vendor_function(); }
#endif
