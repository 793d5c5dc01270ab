// Parallel loops for hosts that offer kernels no thread pool: stock's C ABI has none. The plugin has a pool
// of its own, started by the first loop that is worth it, with one thread a CPU that the process may use, the
// calling one included. A loop's caller works on it as well and returns when all ranges have ended, so loops
// in loops and loops of several kernels at a time go on even where all threads are busy.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "binding.h"
#include "dovetail/plugin.h"

enum { MAX_THREADS = 64, WORTH_NS = 20000, BLOCKS_A_THREAD = 4 };

typedef struct loop {
  void (*fn)(void *arg, int64_t begin, int64_t end);
  void *arg;
  int64_t total, block;
  _Atomic int64_t next;  // first index that nobody has taken
  int helpers;           // threads of the pool that are in the loop; under the mutex
  struct loop *below;
} loop;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, left = PTHREAD_COND_INITIALIZER;
static loop *loops;  // that may have ranges left, the latest first
static pthread_once_t started = PTHREAD_ONCE_INIT;
static int worker_count;

static int cpu_count(void) {
  static atomic_int known;
  int count = known;
  if (count) return count;
  cpu_set_t set;
  count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  count = count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
  known = count;
  return count;
}

static void run_ranges(loop *l) {
  for (;;) {
    int64_t begin = atomic_fetch_add(&l->next, l->block);
    if (begin >= l->total) return;
    l->fn(l->arg, begin, l->total - begin < l->block ? l->total : begin + l->block);
  }
}

static loop *find_work(void) {
  for (loop *l = loops; l; l = l->below)
    if (atomic_load(&l->next) < l->total) return l;
  return NULL;
}

static void *serve(void *unused) {
  pthread_mutex_lock(&mutex);
  for (;;) {
    loop *l = find_work();
    if (!l) {
      pthread_cond_wait(&work, &mutex);
      continue;
    }
    l->helpers++;
    pthread_mutex_unlock(&mutex);
    run_ranges(l);
    pthread_mutex_lock(&mutex);
    if (--l->helpers == 0) pthread_cond_broadcast(&left);
  }
  return unused;
}

static void start_workers(void) {
  for (int i = 1; i < cpu_count(); i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, NULL) != 0) return;
    pthread_detach(thread);
    worker_count++;
  }
}

static void unlink_loop(loop *l) {
  loop **link = &loops;
  while (*link != l) link = &(*link)->below;
  *link = l->below;
}

// The size of a range: enough ranges that threads end together, none so short that taking it costs more than
// it is worth.
static int64_t block_size(int64_t total, int64_t cost_ns) {
  int64_t even = total / ((int64_t)cpu_count() * BLOCKS_A_THREAD), worth = WORTH_NS / 2 / cost_ns;
  int64_t block = even > worth ? even : worth;
  return block < 1 ? 1 : block;
}

static void run_loop(loop *l) {
  pthread_once(&started, start_workers);
  pthread_mutex_lock(&mutex);
  l->below = loops;
  loops = l;
  pthread_cond_broadcast(&work);
  pthread_mutex_unlock(&mutex);
  run_ranges(l);
  pthread_mutex_lock(&mutex);
  unlink_loop(l);
  while (l->helpers) pthread_cond_wait(&left, &mutex);
  pthread_mutex_unlock(&mutex);
}

void DVT_POLYFILL(dvt_parallel_for)(TF_OpKernelContext *ctx, int64_t total, int64_t cost_per_unit_ns,
                                    void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
  (void)ctx;
  if (total <= 0) return;
  int64_t cost = cost_per_unit_ns < 1 ? 1 : cost_per_unit_ns;
  loop l = {.fn = fn, .arg = arg, .total = total, .block = block_size(total, cost)};
  if (cpu_count() == 1 || l.block >= total || total < WORTH_NS / cost)
    fn(arg, 0, total);
  else
    run_loop(&l);
}

int DVT_POLYFILL(dvt_num_threads)(TF_OpKernelContext *ctx) {
  (void)ctx;
  return cpu_count();
}
