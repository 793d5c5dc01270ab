// Functions of the graph, called by kernels: what an op with an attribute of kind func or list(func) needs to run it
// (While, If, Case, and ops of your own that take a function). Stock's C ABI has no way to do this; a kernel that uses it
// runs in Dovetail only.
#ifndef DOVETAIL_FUNCTION_H_
#define DOVETAIL_FUNCTION_H_

#include <stdbool.h>

#include "dovetail/export.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// A function of the graph's library with the attribute values of one NameAttrList. It lives as long as the kernel that
// found it. Kernels of its nodes are made when it is first called.
typedef struct dvt_callable dvt_callable;

// The number of functions in attribute `attr_name`: 1 for a func, the length of a list(func).
// Threads: in create. Errors: NOT_FOUND without such an attribute, INVALID_ARGUMENT when it is of another kind; the result
// is then 0. Since: dovetail
DVT_EXPORT int dvt_callable_count(TF_OpKernelConstruction *ctx, const char *attr_name, TF_Status *status);

// Function `index` of attribute `attr_name`; index 0 for a func. NULL after a failure.
// Owner: the runtime. Threads: in create.
// Errors: NOT_FOUND (no such attribute), INVALID_ARGUMENT (another kind), OUT_OF_RANGE (index), FAILED_PRECONDITION (the kernel is not
// made for a session). That the library lacks the function shows when it is first called. Since: dovetail
DVT_EXPORT const dvt_callable *dvt_callable_find(TF_OpKernelConstruction *ctx, const char *attr_name, int index,
                                                 TF_Status *status);

// Whether dvt_callable_run gives its arguments away.
typedef enum dvt_callable_args {
  DVT_CALLABLE_KEEP_ARGS = 0,  // the handles stay the caller's, and their memory is not written to
  DVT_CALLABLE_GIVE_ARGS = 1,  // the handles are deleted, also on failure, and args[] set to NULL; a kernel inside may
                               // reuse memory that nobody else refers to, so a loop can update a value in place
} dvt_callable_args;

// Runs the function as part of the step of `ctx` and returns when it is done. Its nodes share the step's id, resources,
// thread pool, time limit and cancellation.
// Shapes: any that the function's ops take; dtypes as in its signature.
// Owner: results[] are new handles for the caller; untouched on failure. Threads: from compute or compute_async, any
// thread; one callable may run many times at once.
// Errors: NOT_FOUND (no such function in the graph's library), INVALID_ARGUMENT (number or dtypes of args, number of
// results), RESOURCE_EXHAUSTED (functions that call each other
// too deep), CANCELLED, DEADLINE_EXCEEDED, and whatever a node of the function reports. Since: dovetail
DVT_EXPORT void dvt_callable_run(TF_OpKernelContext *ctx, const dvt_callable *callable, dvt_callable_args mode,
                                 TF_Tensor **args, int arg_count, TF_Tensor **results, int result_count,
                                 TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_FUNCTION_H_
