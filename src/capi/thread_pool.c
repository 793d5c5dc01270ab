// dovetail/thread_pool.h: tasks and loops of kernels on the step's pool. A task holds its step, as a deferred
// op does, so that its failure has a place to go.
#include "dovetail/thread_pool.h"

#include "base/catch.h"
#include "capi/context_error.h"
#include "kernel/context.h"

// The pool counts in nanoseconds; 3 GHz is near enough for deciding on a number of parts.
static int64_t cycles_to_ns(int64_t cycles) { return cycles / 3; }

int TF_ThreadPool_NumThreads(TF_OpKernelContext *ctx) {
  return dvt_context_refuses(ctx, __func__, NULL) ? 0 : dvt_pool_threads(ctx->step->pool);
}

int TF_ThreadPool_CurrentThreadId(TF_OpKernelContext *ctx) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return -1;
  return ctx->step->pool ? dvt_pool_worker_index(ctx->step->pool) - 1 : -1;
}

static void fail(TF_OpKernelContext *ctx, dvt_status error) {
  if (DVT_UNLIKELY(error != NULL)) dvt_status_free(dvt_context_misuse(ctx, error));
}

static void delete_func(void (*delete_func_ptr)(void *), void *func_ptr) {
  if (delete_func_ptr) delete_func_ptr(func_ptr);
}

// As dvt_context_refuses; what was handed over with the call ends with it.
static bool refuses(const TF_OpKernelContext *ctx, const char *function, void (*delete_func_ptr)(void *),
                    void *func_ptr) {
  if (!dvt_context_refuses(ctx, function, NULL)) return false;
  delete_func(delete_func_ptr, func_ptr);
  return true;
}

// ---- tasks ----

typedef struct task {
  TF_FuncWrap fn;
  dvt_step *step;
  const dvt_kernel *kernel;
} task;

static dvt_status call_task(TF_FuncWrap fn) {
  dvt_status error =
      dvt_exception_status(dvt_catch_call(fn.call_func_ptr, fn.func_ptr), "A task of the thread pool");
  delete_func(fn.delete_func_ptr, fn.func_ptr);
  return error;
}

static void run_task(void *arg) {
  task t = *(task *)arg;
  dvt_free(arg);
  dvt_status error = call_task(t.fn);
  if (DVT_UNLIKELY(error != NULL)) dvt_step_fail(t.step, dvt_kernel_error(t.kernel, error));
  dvt_step_undefer(t.step);  // the step may be gone now
}

static dvt_status queue_task(const TF_OpKernelContext *ctx, TF_FuncWrap fn, int start, int limit) {
  dvt_step *step = ctx->step;
  task *t = dvt_malloc(sizeof *t);
  if (!t) return dvt_error_out_of_memory(sizeof *t);
  *t = (task){fn, step, ctx->kernel};
  dvt_step_defer(step);
  dvt_pool_schedule_task(step->pool, run_task, t, start, limit);
  return NULL;
}

static void schedule(TF_OpKernelContext *ctx, TF_FuncWrap fn, int start, int limit) {
  const dvt_step *step = ctx->step;
  dvt_status error = NULL;
  if (!fn.call_func_ptr)
    error = dvt_error(TF_INVALID_ARGUMENT, "TF_ThreadPool_Schedule was given no function");
  else if (start < 0 || limit <= start)
    error = dvt_error(TF_INVALID_ARGUMENT,
                      "TF_ThreadPool_ScheduleWithHint was asked for the threads from %d to before %d; "
                      "wanted is 0 <= start < limit",
                      start, limit);
  else if (!step->in_caller && dvt_pool_threads(step->pool) > 1)
    error = queue_task(ctx, fn, start, limit);
  else
    fail(ctx, call_task(fn));
  if (error) delete_func(fn.delete_func_ptr, fn.func_ptr);
  fail(ctx, error);
}

typedef struct bare_task {
  void (*fn)(void);
} bare_task;

static void call_bare(void *func_ptr) { ((bare_task *)func_ptr)->fn(); }

static void schedule_bare(TF_OpKernelContext *ctx, void (*fn)(void), int start, int limit) {
  bare_task *bare = fn ? dvt_malloc(sizeof *bare) : NULL;
  if (fn && !bare) {
    fail(ctx, dvt_error_out_of_memory(sizeof *bare));
    return;
  }
  if (bare) bare->fn = fn;
  schedule(ctx, (TF_FuncWrap){bare, fn ? call_bare : NULL, dvt_free}, start, limit);
}

void TF_ThreadPool_Schedule(TF_OpKernelContext *ctx, void (*fn)(void)) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  schedule_bare(ctx, fn, 0, DVT_ANY_THREAD);
}

void TF_ThreadPool_ScheduleFunc(TF_OpKernelContext *ctx, TF_FuncWrap fn) {
  if (refuses(ctx, __func__, fn.delete_func_ptr, fn.func_ptr)) return;
  schedule(ctx, fn, 0, DVT_ANY_THREAD);
}

void TF_ThreadPool_ScheduleWithHint(TF_OpKernelContext *ctx, void (*fn)(void), int start, int limit) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  schedule_bare(ctx, fn, start, limit);
}

void TF_ThreadPool_ScheduleFuncWithHint(TF_OpKernelContext *ctx, TF_FuncWrap fn, int start, int limit) {
  if (refuses(ctx, __func__, fn.delete_func_ptr, fn.func_ptr)) return;
  schedule(ctx, fn, start, limit);
}

// ---- loops ----

typedef enum chunking { BY_COST, ALIGNED, FIXED } chunking;

// `size` is the alignment or the size of the blocks.
static int64_t chunk_length(const dvt_pool *pool, int64_t total, int64_t cost, chunking how, int64_t size) {
  if (how == FIXED) return size;
  int64_t chunk = dvt_pool_chunk(pool, total, cycles_to_ns(cost));
  if (how == BY_COST || chunk >= total) return chunk;
  int64_t rest = chunk % size;
  return rest == 0 ? chunk : chunk > INT64_MAX - size ? total : chunk + size - rest;
}

static dvt_status check_loop(int64_t total, bool has_fn, int64_t size) {
  if (!has_fn) return dvt_error(TF_INVALID_ARGUMENT, "a parallel loop was given no function");
  if (total < 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "a parallel loop over %lld elements was asked for; the total must be 0 or more",
                     (long long)total);
  if (size < 1)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "a parallel loop in blocks of %lld elements was asked for; wanted is 1 or more",
                     (long long)size);
  return NULL;
}

static void run_loop(TF_OpKernelContext *ctx, int64_t total, int64_t cost, chunking how, int64_t size,
                     bool has_fn, void (*body)(void *arg, int64_t begin, int64_t limit), void *arg) {
  dvt_pool *pool = ctx->step->pool;
  dvt_status error = check_loop(total, has_fn, size);
  if (!error) error = dvt_pool_loop(pool, total, chunk_length(pool, total, cost, how, size), body, arg);
  fail(ctx, error);
}

static void run_range(TF_OpKernelContext *ctx, int64_t total, int64_t cost, chunking how, int64_t size,
                      TF_RangeFuncWrap fn) {
  run_loop(ctx, total, cost, how, size, fn.call_func_ptr != NULL, fn.call_func_ptr, fn.func_ptr);
  delete_func(fn.delete_func_ptr, fn.func_ptr);
}

void TF_ThreadPool_ParallelForFunc(TF_OpKernelContext *ctx, int64_t total, int64_t cost,
                                   TF_RangeFuncWrap fn) {
  if (refuses(ctx, __func__, fn.delete_func_ptr, fn.func_ptr)) return;
  run_range(ctx, total, cost, BY_COST, 1, fn);
}

void TF_ThreadPool_ParallelForAligned(TF_OpKernelContext *ctx, int64_t total, int64_t cost,
                                      int64_t block_align, TF_RangeFuncWrap fn) {
  if (refuses(ctx, __func__, fn.delete_func_ptr, fn.func_ptr)) return;
  run_range(ctx, total, cost, ALIGNED, block_align, fn);
}

void TF_ThreadPool_TransformRangeConcurrently(TF_OpKernelContext *ctx, int64_t block_size, int64_t total,
                                              TF_RangeFuncWrap fn) {
  if (refuses(ctx, __func__, fn.delete_func_ptr, fn.func_ptr)) return;
  run_range(ctx, total, 0, FIXED, block_size, fn);
}

typedef struct bare_range {
  void (*fn)(int64_t begin, int64_t limit);
} bare_range;

static void call_bare_range(void *arg, int64_t begin, int64_t limit) {
  ((bare_range *)arg)->fn(begin, limit);
}

void TF_ThreadPool_ParallelFor(TF_OpKernelContext *ctx, int64_t total, int64_t cost,
                               void (*fn)(int64_t begin, int64_t limit)) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  bare_range bare = {fn};
  run_loop(ctx, total, cost, BY_COST, 1, fn != NULL, call_bare_range, &bare);
}

typedef struct worker_range {
  TF_WorkerRangeFuncWrap fn;
  const dvt_pool *pool;
} worker_range;

// The caller of a loop is the only thread in it that may be none of the pool.
static void call_worker_range(void *arg, int64_t begin, int64_t limit) {
  const worker_range *w = arg;
  w->fn.call_func_ptr(w->fn.func_ptr, begin, limit, w->pool ? dvt_pool_worker_index(w->pool) : 0);
}

void TF_ThreadPool_ParallelForFuncWithWorkerId(TF_OpKernelContext *ctx, int64_t total, int64_t cost,
                                               TF_WorkerRangeFuncWrap fn) {
  if (refuses(ctx, __func__, fn.delete_func_ptr, fn.func_ptr)) return;
  worker_range w = {fn, ctx->step->pool};
  run_loop(ctx, total, cost, BY_COST, 1, fn.call_func_ptr != NULL, call_worker_range, &w);
  delete_func(fn.delete_func_ptr, fn.func_ptr);
}

typedef struct bare_worker_range {
  void (*fn)(int64_t begin, int64_t limit, int worker_id);
} bare_worker_range;

static void call_bare_worker_range(void *arg, int64_t begin, int64_t limit, int worker_id) {
  ((bare_worker_range *)arg)->fn(begin, limit, worker_id);
}

void TF_ThreadPool_ParallelForWithWorkerId(TF_OpKernelContext *ctx, int64_t total, int64_t cost,
                                           void (*fn)(int64_t begin, int64_t limit, int worker_id)) {
  if (dvt_context_refuses(ctx, __func__, NULL)) return;
  bare_worker_range bare = {fn};
  TF_ThreadPool_ParallelForFuncWithWorkerId(
      ctx, total, cost, (TF_WorkerRangeFuncWrap){&bare, fn ? call_bare_worker_range : NULL, NULL});
}
