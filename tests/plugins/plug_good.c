/* A plugin as the documents and stock's users write it. PREFIX begins its op names; CONSTRUCTOR, INIT_KERNEL
 * and INIT_PLUGIN say from where it registers. With more than one it registers everything again each time. */
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#define OP(name) TEXT(PREFIX) name

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void identity(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) TF_SetOutput(ctx, 0, x, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void register_op(const char *name) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddAttr(op, "T: {float, int32}");
  TF_OpDefinitionBuilderAddInput(op, "x: T");
  TF_OpDefinitionBuilderAddOutput(op, "y: T");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
  TF_RegisterOpDefinition(op, status);
  TF_KernelBuilder *kernel = TF_NewKernelBuilder(name, "CPU", NULL, identity, NULL);
  TF_KernelBuilder_TypeConstraint(kernel, "T", TF_FLOAT, status);
  TF_RegisterKernelBuilder(name, kernel, status);
  TF_DeleteStatus(status);
}

static void register_all(void) {
  register_op(OP("One"));
  register_op(OP("Two"));
}

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void on_load(void) { register_all(); }
#endif
#ifdef INIT_KERNEL
void TF_InitKernel(void) { register_all(); }
#endif
#ifdef INIT_PLUGIN
__attribute__((visibility("default"))) void InitPlugin(void);
void InitPlugin(void) { register_all(); }
#endif
