// Throws C++ exceptions into the runtime: from the function that WHERE names.
#include <stdexcept>

extern "C" {
#include "../fault.h"
}

enum { CREATE, COMPUTE, SHAPE, DESTROY, ASYNC, INIT };

static void throw_from(int where) {
  if (where == WHERE && where == SHAPE) throw 42;
  if (where == WHERE) throw std::runtime_error("the plugin is out of order");
}

static void *create(TF_OpKernelConstruction *) {
  throw_from(CREATE);
  return nullptr;
}

static void destroy(void *) { throw_from(DESTROY); }

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  throw_from(COMPUTE);
  fault_pass(kernel, ctx);
}

static void compute_async(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  throw_from(ASYNC);
  fault_pass(kernel, ctx);
  TF_RunAsyncOpKernelDoneCallback(done);
}

static void shape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  throw_from(SHAPE);
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

__attribute__((constructor)) static void load() {
  fault_ops(shape);
  fault_kernel("Fault", WHERE == ASYNC
                            ? TF_NewAsyncKernelBuilder("Fault", "CPU", create, compute_async, destroy)
                            : TF_NewKernelBuilder("Fault", "CPU", create, compute, destroy));
}

extern "C" __attribute__((visibility("default"))) void TF_InitKernel(void) { throw_from(INIT); }
