// Throws C++ exceptions on the threads of the pool: in a parallel loop, or in a task that outlives its kernel.
#include <stdexcept>

#include "dovetail/thread_pool.h"

extern "C" {
#include "../fault.h"
}

enum { LOOP, TASK };

static void fail() { throw std::runtime_error("the plugin is out of order"); }
static void fail_range(void *, int64_t, int64_t) { fail(); }
static void fail_task(void *) { fail(); }

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  if (WHERE == LOOP)
    TF_ThreadPool_ParallelForFunc(ctx, 1000, 1000000, {nullptr, fail_range, nullptr});
  else
    TF_ThreadPool_ScheduleFunc(ctx, {nullptr, fail_task, nullptr});
  fault_pass(kernel, ctx);
}

__attribute__((constructor)) static void load() {
  fault_ops(TF_ShapeInferenceContextSetUnknownShape);
  fault_kernel("Fault", TF_NewKernelBuilder("Fault", "CPU", nullptr, compute, nullptr));
}
