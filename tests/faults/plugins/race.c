/* Its kernel counts its calls in its state, which two steps at once share, without a lock or an atomic. Each
 * call waits for another to be under way, so that two steps always meet; the wait orders nothing between
 * them. */
#include <sched.h>
#include <stdatomic.h>

#include "../fault.h"

typedef struct state {
  atomic_int under_way;
  int calls;
} state;

static void *create(TF_OpKernelConstruction *ctx) {
  (void)ctx;
  return calloc(1, sizeof(state));
}

static void count_call(state *s) { s->calls++; }

static void compute(void *kernel, TF_OpKernelContext *ctx) {
  state *s = kernel;
  const char *threads = getenv("FAULT_THREADS");
  atomic_fetch_add_explicit(&s->under_way, 1, memory_order_relaxed);
  while (threads && atomic_load_explicit(&s->under_way, memory_order_relaxed) < atoi(threads)) sched_yield();
  count_call(s);
  fault_pass(kernel, ctx);
}

FAULT_PLUGIN(create, compute, free)
