// The host's thread pool for kernels: single tasks and parallel loops, after "ThreadPool API" of the RFC on kernel and op
// registration (2019) and its appendix 1. One pool serves the nodes of all steps and the loops and tasks inside kernels, so
// that no more threads run than there are cores.
//
// Each function has two forms. The RFC's takes a bare function, which can only reach what is static. The other takes a
// function with what belongs to it, as a std::function has it: the host calls `call_func_ptr(func_ptr, ...)`, and
// `delete_func_ptr(func_ptr)` exactly once, after the last call or instead of all calls, also when the call is refused.
// delete_func_ptr may be NULL where there is nothing to delete.
//
// Threads: any, also one that the kernel started, until the kernel has returned from compute or called done: a task that
//   runs later must not use the context. Loops inside loops and tasks inside tasks are fine.
// Errors: no function reports a status. A call that makes no sense (a NULL function, a negative count) and a function that
//   throws a C++ exception fail the kernel or, when it has returned, its step.
// Units: `cost_per_unit` is the estimated cost of one element in CPU cycles, as in stock; it decides into how many parts a
//   loop is divided, 1 when it is small.
#ifndef DOVETAIL_THREAD_POOL_H_
#define DOVETAIL_THREAD_POOL_H_

#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// A task. The RFC calls it FuncWrap.
typedef struct TF_FuncWrap {
  void *func_ptr;
  void (*call_func_ptr)(void *func_ptr);
  void (*delete_func_ptr)(void *func_ptr);
} TF_FuncWrap;

// The body of a loop, for elements begin to limit, the latter not included.
typedef struct TF_RangeFuncWrap {
  void *func_ptr;
  void (*call_func_ptr)(void *func_ptr, int64_t begin, int64_t limit);
  void (*delete_func_ptr)(void *func_ptr);
} TF_RangeFuncWrap;

// The same with a number for the thread, see TF_ThreadPool_ParallelForWithWorkerId.
typedef struct TF_WorkerRangeFuncWrap {
  void *func_ptr;
  void (*call_func_ptr)(void *func_ptr, int64_t begin, int64_t limit, int worker_id);
  void (*delete_func_ptr)(void *func_ptr);
} TF_WorkerRangeFuncWrap;

// How many threads may work on a loop, the one that calls included; at least 1.
// Since: dovetail
DVT_EXPORT int TF_ThreadPool_NumThreads(TF_OpKernelContext *context);

// Which thread of the pool the caller is: 0 to NumThreads - 2; -1 for a thread that is not of the pool.
// Since: dovetail
DVT_EXPORT int TF_ThreadPool_CurrentThreadId(TF_OpKernelContext *context);

// Runs the task once on a thread of the pool, perhaps after the kernel has returned: the step waits for it. In the calling
// thread before this returns where all of the step runs in one thread. A kernel may wait for its tasks; where all threads
// wait so, the pool starts another one, up to 64.
// Owner: see above. Since: dovetail
DVT_EXPORT void TF_ThreadPool_Schedule(TF_OpKernelContext *context, void (*fn)(void));
// The same for a function with what belongs to it.
// Owner: the host deletes fn. Since: dovetail
DVT_EXPORT void TF_ThreadPool_ScheduleFunc(TF_OpKernelContext *context, TF_FuncWrap fn);

// The same, preferably on one of the threads `start` to `limit` - 1 (as TF_ThreadPool_CurrentThreadId counts). A hint: an
// idle thread takes the task from a busy one.
// Errors: INVALID_ARGUMENT unless 0 <= start < limit; a limit past the last thread means the last.
// Since: dovetail
DVT_EXPORT void TF_ThreadPool_ScheduleWithHint(TF_OpKernelContext *context, void (*fn)(void), int start, int limit);
// The same for a function with what belongs to it.
// Owner: the host deletes fn. Since: dovetail
DVT_EXPORT void TF_ThreadPool_ScheduleFuncWithHint(TF_OpKernelContext *context, TF_FuncWrap fn, int start, int limit);

// Runs fn over disjoint ranges that cover 0 to total, on the pool and in the calling thread; returns when all have ended.
// Errors: INVALID_ARGUMENT (total < 0). After a failure some ranges may not have run.
// Since: dovetail
DVT_EXPORT void TF_ThreadPool_ParallelFor(TF_OpKernelContext *context, int64_t total, int64_t cost_per_unit,
                                          void (*fn)(int64_t begin, int64_t limit));
// The same for a function with what belongs to it.
// Owner: the host deletes fn before this returns. Since: dovetail
DVT_EXPORT void TF_ThreadPool_ParallelForFunc(TF_OpKernelContext *context, int64_t total, int64_t cost_per_unit,
                                              TF_RangeFuncWrap fn);

// The same with a number for the thread that runs the range: two ranges of a loop that run at the same time have different
// ones, from 0 to NumThreads - 1, so that it can index memory that each thread has for itself.
// Since: dovetail
DVT_EXPORT void TF_ThreadPool_ParallelForWithWorkerId(TF_OpKernelContext *context, int64_t total, int64_t cost_per_unit,
                                                      void (*fn)(int64_t begin, int64_t limit, int worker_id));
// The same for a function with what belongs to it.
// Owner: the host deletes fn before this returns. Since: dovetail
DVT_EXPORT void TF_ThreadPool_ParallelForFuncWithWorkerId(TF_OpKernelContext *context, int64_t total,
                                                          int64_t cost_per_unit, TF_WorkerRangeFuncWrap fn);

// The same in ranges that begin at multiples of `block_align`: SIMD widths, cache lines, rows. Eigen's block alignment.
// Errors: as above, and INVALID_ARGUMENT (block_align < 1). Since: dovetail
DVT_EXPORT void TF_ThreadPool_ParallelForAligned(TF_OpKernelContext *context, int64_t total, int64_t cost_per_unit,
                                                 int64_t block_align, TF_RangeFuncWrap fn);

// The same in ranges of `block_size` elements each, but for the last: stock's TransformRangeConcurrently.
// Errors: as above, and INVALID_ARGUMENT (block_size < 1). Since: dovetail
DVT_EXPORT void TF_ThreadPool_TransformRangeConcurrently(TF_OpKernelContext *context, int64_t block_size, int64_t total,
                                                         TF_RangeFuncWrap fn);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_THREAD_POOL_H_
