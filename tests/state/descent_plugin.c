/* A plugin that trains, written as a vendor of a device writes one: stock headers only, variables through
 * kernels_experimental.h. Its ops assign variables, step down a gradient (in place, under the variable's
 * lock), step with momentum (two variables, locked in order) and make the gradient of a linear model. */
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/ops.h"

/* ---- what the runtime calls back for ---- */

static void copy(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest) {
  (void)ctx;
  memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
  TF_DeleteTensor(source);
  TF_DeleteTensor(dest);
}

static int finish(TF_OpKernelContext *ctx, TF_Status *status) {
  int fine = TF_GetCode(status) == TF_OK;
  if (!fine) TF_OpKernelContext_Failure(ctx, status);
  return fine;
}

static TF_Tensor *input(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  TF_Tensor *tensor = NULL;
  if (TF_GetCode(status) == TF_OK) TF_GetInput(ctx, i, &tensor, status);
  return tensor;
}

static float scalar_input(TF_OpKernelContext *ctx, int i, TF_Status *status) {
  TF_Tensor *tensor = input(ctx, i, status);
  float value = tensor ? *(const float *)TF_TensorData(tensor) : 0;
  TF_DeleteTensor(tensor);
  return value;
}

/* tensor -= rate * gradient; the rate is input 2. */
static void descend(TF_OpKernelContext *ctx, TF_Tensor *tensor, TF_Tensor *gradient, int op) {
  TF_Status *status = TF_NewStatus();
  float *x = TF_TensorData(tensor), rate = scalar_input(ctx, 2, status);
  const float *g = TF_TensorData(gradient);
  (void)op;
  for (int64_t i = 0, n = TF_TensorElementCount(tensor); i < n; i++) x[i] -= rate * g[i];
  finish(ctx, status);
  TF_DeleteTensor(tensor);
  TF_DeleteTensor(gradient);
  TF_DeleteStatus(status);
}

/* ---- kernels ---- */

static void assign(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  (void)kernel;
  TF_AssignVariable(ctx, 0, 1, true, copy, status);
  finish(ctx, status);
  TF_DeleteStatus(status);
}

static void step(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  (void)kernel;
  TF_AssignUpdateVariable(ctx, 0, 1, 0, 0, copy, descend, status);
  finish(ctx, status);
  TF_DeleteStatus(status);
}

/* velocity = momentum * velocity + gradient; variable -= rate * velocity */
static void move(TF_OpKernelContext *ctx, TF_Tensor *variable, TF_Tensor *velocity, TF_Status *status) {
  TF_Tensor *gradient = input(ctx, 2, status);
  float rate = scalar_input(ctx, 3, status), momentum = scalar_input(ctx, 4, status);
  if (TF_GetCode(status) == TF_OK && (TF_TensorElementCount(gradient) != TF_TensorElementCount(variable) ||
                                      TF_TensorElementCount(gradient) != TF_TensorElementCount(velocity)))
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "variable, velocity and gradient must have one shape");
  if (TF_GetCode(status) == TF_OK) {
    float *x = TF_TensorData(variable), *v = TF_TensorData(velocity);
    const float *g = TF_TensorData(gradient);
    for (int64_t i = 0, n = TF_TensorElementCount(gradient); i < n; i++) {
      v[i] = momentum * v[i] + g[i];
      x[i] -= rate * v[i];
    }
  }
  TF_DeleteTensor(gradient);
}

static void step_with_momentum(void *kernel, TF_OpKernelContext *ctx) {
  const int inputs[] = {0, 1};
  TF_Status *status = TF_NewStatus();
  TF_VariableInputLockHolder *locks = NULL;
  TF_Tensor *tensors[2] = {NULL, NULL};
  (void)kernel;
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, inputs, 2, copy, &locks, status);
  for (int i = 0; i < 2 && TF_GetCode(status) == TF_OK; i++)
    TF_GetInputTensorFromVariable(ctx, i, true, false, false, copy, &tensors[i], status);
  if (TF_GetCode(status) == TF_OK) move(ctx, tensors[0], tensors[1], status);
  TF_DeleteTensor(tensors[0]);
  TF_DeleteTensor(tensors[1]);
  TF_ReleaseVariableInputLockHolder(locks);
  finish(ctx, status);
  TF_DeleteStatus(status);
}

static void read(void *kernel, TF_OpKernelContext *ctx) {
  const int inputs[] = {0};
  TF_Status *status = TF_NewStatus();
  TF_VariableInputLockHolder *locks = NULL;
  TF_Tensor *value = NULL, *out = NULL;
  int64_t dims[8];
  (void)kernel;
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, false, inputs, 1, copy, &locks, status);
  if (TF_GetCode(status) == TF_OK)
    TF_GetInputTensorFromVariable(ctx, 0, true, false, false, copy, &value, status);
  int rank = value ? TF_NumDims(value) : 0;
  for (int i = 0; i < rank && i < 8; i++) dims[i] = TF_Dim(value, i);
  if (value) out = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, rank, TF_TensorByteSize(value), status);
  if (out) memcpy(TF_TensorData(out), TF_TensorData(value), TF_TensorByteSize(value));
  TF_DeleteTensor(out);
  TF_DeleteTensor(value);
  TF_ReleaseVariableInputLockHolder(locks);
  finish(ctx, status);
  TF_DeleteStatus(status);
}

static float *output(TF_OpKernelContext *ctx, int i, const int64_t *dims, int rank, TF_Status *status) {
  int64_t count = 1;
  for (int k = 0; k < rank; k++) count *= dims[k];
  TF_Tensor *tensor = TF_GetCode(status) == TF_OK ? TF_AllocateOutput(ctx, i, TF_FLOAT, dims, rank,
                                                                      (size_t)count * sizeof(float), status)
                                                  : NULL;
  float *data = tensor ? TF_TensorData(tensor) : NULL;
  if (data) memset(data, 0, (size_t)count * sizeof(float));
  TF_DeleteTensor(tensor);
  return data;
}

/* Mean squared error of x w + b, and its gradient. Shapes: w [n], b scalar, x [m,n], y [m]. */
static void gradient(void *kernel, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *in[4] = {NULL, NULL, NULL, NULL};
  (void)kernel;
  for (int i = 0; i < 4; i++) in[i] = input(ctx, i, status);
  if (TF_GetCode(status) == TF_OK &&
      (TF_NumDims(in[0]) != 1 || TF_NumDims(in[1]) != 0 || TF_NumDims(in[2]) != 2 || TF_NumDims(in[3]) != 1 ||
       TF_Dim(in[2], 0) != TF_Dim(in[3], 0) || TF_Dim(in[2], 1) != TF_Dim(in[0], 0)))
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "wanted are w [n], b [], x [m,n] and y [m]");
  int64_t m = TF_GetCode(status) == TF_OK ? TF_Dim(in[2], 0) : 0,
          n = TF_GetCode(status) == TF_OK ? TF_Dim(in[2], 1) : 0;
  float *loss = output(ctx, 0, NULL, 0, status), *dw = output(ctx, 1, &n, 1, status),
        *db = output(ctx, 2, NULL, 0, status);
  if (finish(ctx, status)) {
    const float *w = TF_TensorData(in[0]), *b = TF_TensorData(in[1]), *x = TF_TensorData(in[2]),
                *y = TF_TensorData(in[3]);
    for (int64_t i = 0; i < m; i++) {
      float error = *b - y[i];
      for (int64_t k = 0; k < n; k++) error += x[i * n + k] * w[k];
      *loss += error * error / (float)m;
      *db += 2 * error / (float)m;
      for (int64_t k = 0; k < n; k++) dw[k] += 2 * error * x[i * n + k] / (float)m;
    }
  }
  for (int i = 0; i < 4; i++) TF_DeleteTensor(in[i]);
  TF_DeleteStatus(status);
}

/* ---- registration ---- */

static void define(const char *name, const char *const *inputs, const char *const *outputs,
                   void (*compute)(void *, TF_OpKernelContext *)) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  for (; *inputs; inputs++) TF_OpDefinitionBuilderAddInput(op, *inputs);
  for (; *outputs; outputs++) TF_OpDefinitionBuilderAddOutput(op, *outputs);
  TF_OpDefinitionBuilderSetIsStateful(op, true);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder(name, TF_NewKernelBuilder(name, "CPU", NULL, compute, NULL), status);
  TF_DeleteStatus(status);
}
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NONE ((const char *const[]){NULL})

void TF_InitKernel(void);
void TF_InitKernel(void) {
  define("DescentAssign", LIST("variable: resource", "value: float"), NONE, assign);
  define("DescentStep", LIST("variable: resource", "gradient: float", "rate: float"), NONE, step);
  define(
      "DescentMomentum",
      LIST("variable: resource", "velocity: resource", "gradient: float", "rate: float", "momentum: float"),
      NONE, step_with_momentum);
  define("DescentRead", LIST("variable: resource"), LIST("value: float"), read);
  define("DescentGradient", LIST("w: float", "b: float", "x: float", "y: float"),
         LIST("loss: float", "dw: float", "db: float"), gradient);
}
