/* A plugin that is unloaded and built anew: LifeAdd adds ADDEND; the other ops make what may outlive a step.
 * OTHER_SIGNATURE gives LifeAdd an attr more; STAYS keeps the code in the process (-z nodelete). */
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "dovetail/dlpack.h"
#include "dovetail/object.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int life_addend = ADDEND;
EXPORT atomic_int life_hold, life_holding, life_heard; /* the test sets the first */

static void scalar_shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_ShapeInferenceContextScalar(ctx);
  TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void finish(TF_OpKernelContext *ctx, TF_Tensor *output, TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) TF_SetOutput(ctx, 0, output, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(output);
  TF_DeleteStatus(status);
}

/* Memory of its own, so that each kernel has something to free. */
static void *add_create(TF_OpKernelConstruction *ctx) {
  (void)ctx;
  int *state = malloc(sizeof *state);
  if (state) *state = life_addend;
  return state;
}

static void add_compute(void *state, TF_OpKernelContext *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK)
    *(float *)TF_TensorData(y) = *(const float *)TF_TensorData(x) + (float)*(const int *)state;
  TF_DeleteTensor(x);
  finish(ctx, y, status);
}

/* Its output once life_hold is 0. */
static void hold_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  atomic_fetch_add(&life_holding, 1);
  while (atomic_load(&life_hold)) nanosleep(&(struct timespec){0, 100000}, NULL);
  atomic_fetch_sub(&life_holding, 1);
  TF_Status *status = TF_NewStatus();
  TF_Tensor *y = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(y) = 1;
  finish(ctx, y, status);
}

/* Reports nothing: the test has the call's done object and says when. */
EXPORT TF_AsyncOpKernelDoneCallback *_Atomic life_done;
static void async_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *y = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(y) = 1;
  finish(ctx, y, status);
  atomic_store(&life_done, done);
}

static void free_bytes(void *data, size_t bytes, void *arg) {
  (void)bytes;
  (void)arg;
  free(data);
}

/* A tensor that calls the plugin when it is deleted. */
static void memory_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  float *data = aligned_alloc(64, 64); /* other memory would be copied */
  if (data) *data = 0;
  finish(ctx, TF_NewTensor(TF_FLOAT, NULL, 0, data, sizeof *data, free_bytes, NULL), TF_NewStatus());
}

static void destroy_box(void *value) { free(value); }

#ifndef BOX_BYTES
#define BOX_BYTES sizeof(dvt_value_type)
#endif
/* BOX_BYTES other than the struct's: built against other headers, with fields more or less. */
static const struct {
  dvt_value_type known;
  void (*of_tomorrow[4])(void);
} box = {.known = {.struct_size = BOX_BYTES, .name = "life::Box", .destroy = destroy_box}};

static void value_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *y = TF_AllocateTensor(TF_VARIANT, NULL, 0, sizeof(void *));
  dvt_object_set(y, 0, &box.known, malloc(8), status);
  finish(ctx, y, status);
}

static void *make_box(TF_OpKernelContext *ctx, void *arg, TF_Status *status) {
  (void)ctx;
  (void)arg;
  (void)status;
  return malloc(8);
}

static void resource_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *handle = dvt_resource_handle(ctx, "", 0, "box", 3, &box.known, make_box, NULL, status);
  TF_DeleteTensor(handle);
  TF_Tensor *y = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(y) = 0;
  finish(ctx, y, status);
}

static void hear(const char *message) {
  (void)message;
  atomic_fetch_add(&life_heard, 1);
}
EXPORT void life_listen(void);
void life_listen(void) { TF_RegisterLogListener(hear); }

/* Functions that the test hands on to the library. */
EXPORT void life_delete(struct dvt_dl_managed *managed);
void life_delete(struct dvt_dl_managed *managed) { *(int *)managed->manager_ctx += 1; }
EXPORT void life_work(void *arg);
void life_work(void *arg) { *(int *)arg += 1; }

static void add_op(const char *name, const char *input, const char *output, int stateful,
                   TF_KernelBuilder *kernel) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
  if (input) TF_OpDefinitionBuilderAddInput(op, input);
  TF_OpDefinitionBuilderAddOutput(op, output);
#ifdef OTHER_SIGNATURE
  TF_OpDefinitionBuilderAddAttr(op, "more: int = 1");
#endif
  TF_OpDefinitionBuilderSetIsStateful(op, stateful);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, scalar_shape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder(name, kernel, status);
  TF_DeleteStatus(status);
}

EXPORT void TF_InitKernel(void);
void TF_InitKernel(void) {
  add_op("LifeAdd", "x: float", "y: float", 0,
         TF_NewKernelBuilder("LifeAdd", "CPU", add_create, add_compute, free));
  add_op("LifeHold", NULL, "y: float", 1, TF_NewKernelBuilder("LifeHold", "CPU", NULL, hold_compute, NULL));
  add_op("LifeAsync", NULL, "y: float", 1,
         TF_NewAsyncKernelBuilder("LifeAsync", "CPU", NULL, async_compute, NULL));
  add_op("LifeMemory", NULL, "y: float", 1,
         TF_NewKernelBuilder("LifeMemory", "CPU", NULL, memory_compute, NULL));
  add_op("LifeValue", NULL, "y: variant", 1,
         TF_NewKernelBuilder("LifeValue", "CPU", NULL, value_compute, NULL));
  add_op("LifeResource", NULL, "y: float", 1,
         TF_NewKernelBuilder("LifeResource", "CPU", NULL, resource_compute, NULL));
}
