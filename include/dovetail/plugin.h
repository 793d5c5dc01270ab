// Dovetail's additions for kernels, beside the stock tensorflow/c/kernels.h: loops on the host's thread pool, lasting
// memory and handles of variables. What a create function may do beyond stock is in dovetail/kernel_construction.h. A
// kernel that uses them runs in Dovetail only, unless it is built with the SDK.
#ifndef DOVETAIL_PLUGIN_H_
#define DOVETAIL_PLUGIN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs fn(arg, begin, end) over disjoint ranges that cover [0, total), on the step's thread pool and the calling
// thread, and returns when all are done. `cost_per_unit_ns` is the estimated time of one unit in nanoseconds; small
// loops run in the calling thread. A C++ exception in fn ends the loop and fails the kernel.
// Owner: arg stays the caller's. Threads: call from compute; fn runs on several threads at once. Since: dovetail
DVT_EXPORT void dvt_parallel_for(TF_OpKernelContext *ctx, int64_t total, int64_t cost_per_unit_ns,
                                 void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);

// Number of threads that dvt_parallel_for may use, the calling one included; at least 1.
// Threads: any while compute runs. Since: dovetail
DVT_EXPORT int dvt_num_threads(TF_OpKernelContext *ctx);

// Whether input `index` is a constant or the value of a variable. Its memory does not change while a handle to it is
// held: a kernel that keeps the handle from TF_GetInput, and finds the same data pointer in a later step, may reuse what
// it made from the values before (a packed weight, say). False for an index out of range.
// Threads: any while compute runs. Since: dovetail
DVT_EXPORT bool dvt_input_is_stable(TF_OpKernelContext *ctx, int index);

// A TF_UINT8 vector of `bytes` that lasts: for what a kernel makes once and keeps while it lives, as a packed weight. Taking
// and first writing much memory costs a fraction of what it costs from malloc; memory that comes and goes is no use of it,
// since what is given back may be reused only after its neighbours. NULL when out of memory. Aligned to 64 bytes.
// Owner: the caller deletes the tensor. Threads: any. Since: dovetail
DVT_EXPORT TF_Tensor *dvt_allocate_lasting(size_t bytes);

// A scalar TF_RESOURCE tensor that refers to the variable container/name of the session, created (without a value) if it
// does not exist. An empty container is the default one; an empty name gives an anonymous variable that lives as long as
// handles to it. `dtype` is the dtype of values it will hold.
// Owner: the caller deletes the tensor. Threads: any while compute runs.
// Errors: INVALID_ARGUMENT when the name holds another kind of resource. Since: dovetail
DVT_EXPORT TF_Tensor *dvt_variable_handle(TF_OpKernelContext *ctx, const char *container, size_t container_bytes,
                                          const char *name, size_t name_bytes, TF_DataType dtype,
                                          TF_Status *status);

// The value of the variable in resource input `index`, sharing the variable's memory: for reading only. Whoever writes to
// the variable later gives it memory of its own first, so the value stays as it is. NULL after an error.
// Owner: the caller deletes the tensor. Threads: any while compute runs.
// Errors: INVALID_ARGUMENT when the input is no variable, FAILED_PRECONDITION when it holds no value. Since: dovetail
DVT_EXPORT TF_Tensor *dvt_variable_value(TF_OpKernelContext *ctx, int index, TF_Status *status);

// Whether the variable in resource input `index` holds a value.
// Threads: any while compute runs. Errors: INVALID_ARGUMENT when the input is no variable. Since: dovetail
DVT_EXPORT bool dvt_variable_is_initialized(TF_OpKernelContext *ctx, int index, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_PLUGIN_H_
