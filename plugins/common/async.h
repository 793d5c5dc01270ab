// Asynchronous kernels: their compute function returns early, and runs `done` once, then or later, on any
// thread.
#ifndef DOVETAIL_PLUGINS_COMMON_ASYNC_H_
#define DOVETAIL_PLUGINS_COMMON_ASYNC_H_

#include "common/call.h"
#include "common/plugin.h"

// Defines `name` as the compute function of an asynchronous kernel around the body that follows; `call` ends
// with the body.
#define DVP_COMPUTE_ASYNC(name)                                                                \
  static void name##_body(dvp_call *call, void *state, TF_AsyncOpKernelDoneCallback *done);    \
  static void name(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) { \
    dvp_call call = {ctx, TF_NewStatus()};                                                     \
    name##_body(&call, state, done);                                                           \
    TF_DeleteStatus(call.status);                                                              \
  }                                                                                            \
  static void name##_body(dvp_call *call, void *state, TF_AsyncOpKernelDoneCallback *done)

// A set of one asynchronous kernel for every dtype.
#define DVP_DEFINE_ASYNC(name, create_fn, destroy_fn, compute_fn)                                          \
  static const dvp_kernel name##_async_rows[] = {DVP_KERNEL_ROW(0, name, NULL)};                           \
  extern const dvp_kernel_set DVP_SET(name);                                                               \
  const dvp_kernel_set DVP_SET(name) = {NULL,                                                              \
                                        DVP_OF_ROWS(name##_async_rows, create_fn),                         \
                                        DVP_OF_ROWS(name##_async_rows, destroy_fn),                        \
                                        (int)(sizeof(name##_async_rows) / sizeof((name##_async_rows)[0])), \
                                        name##_async_rows,                                                 \
                                        DVP_OF_ROWS(name##_async_rows, compute_fn)}

#endif  // DOVETAIL_PLUGINS_COMMON_ASYNC_H_
