// The thread pool. Two kinds of work: tasks in per-worker queues (a worker takes its newest, others steal the
// oldest), and open parallel loops, which the caller publishes in a slot and whose chunks every idle worker
// takes from a shared counter. Idle workers spin for some microseconds, so that work that follows quickly
// starts at once, then sleep.
#include "device/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/catch.h"
#include "base/log.h"

enum {
  LOOP_SLOTS = 64,  // parallel loops open at once; more run in their callers
  MAX_THREADS = 1024,
  IDLE_SPINS = 2000,      // pauses before a worker sleeps, 20 to 80 us
  WAIT_SPINS = 4000,      // pauses before a caller sleeps until the last chunk is done
  CHUNKS_PER_THREAD = 4,  // evens out chunks of unequal length
  MAX_RESCUERS = 64,
  STALL_NS = 1000000,  // queued tasks wait this long before workers may be taken to be blocked
};
// The shared counter runs past the end by a chunk for each thread: in loops up to here without an overflow.
// Longer ones run in their callers, where it may be negative once, after the end.
#define LONGEST_LOOP (INT64_MAX / (2 * MAX_THREADS))
#define MIN_LOOP_NS 8000.0   // shorter loops are done before a second thread would have started
#define MIN_CHUNK_NS 2000.0  // shorter chunks are dominated by taking them
#define LONG_CHUNK_NS 50000.0

typedef struct task {
  void (*fn)(void *arg);
  void *arg;
} task;

// A ring of tasks; `count` is also read without the mutex, to skip empty queues.
typedef struct queue {
  _Alignas(64) pthread_mutex_t mutex;
  task *items;
  size_t capacity, oldest;
  atomic_size_t count;
} queue;

// A parallel loop, on its caller's stack.
typedef struct loop {
  void (*fn)(void *arg, int64_t begin, int64_t end);
  void *arg;
  int64_t total, chunk;
  _Atomic(dvt_status) failure;
  _Alignas(64) atomic_llong next;
} loop;

// Where workers find a loop. A worker counts itself in before it looks, so that the caller knows when none
// looks any more.
typedef struct loop_slot {
  _Alignas(64) _Atomic(loop *) loop;  // NULL when closed
  atomic_int users;
  atomic_bool caller_sleeps;
} loop_slot;

struct dvt_pool {
  int threads;
  int worker_count;  // started ones; constant once `started`
  atomic_bool started, stop;
  atomic_uint next_queue;  // for tasks from outside
  atomic_int queued;       // tasks in all queues
  atomic_int sleepers;
  atomic_ullong open_slots;  // bit i: slots[i] has chunks left
  atomic_ullong used_slots;  // bit i: slots[i] belongs to a caller
  pthread_mutex_t mutex;     // sleeping and waking, starting
  pthread_cond_t wake, loop_done;
  queue *queues;
  pthread_t *workers;
  struct worker_start *starts;
  // Threads that take the place of blocked workers.
  pthread_cond_t stalled;
  int rescuer_count, idle_rescuers;  // guarded by `mutex`
  atomic_bool is_watched;            // one of them looks whether the queues move
  pthread_t *rescuers;
  dvt_pool *next;  // in `all_pools`
  loop_slot slots[LOOP_SLOTS];
};

struct worker_start {
  dvt_pool *pool;
  int index;
};

static _Thread_local struct worker_start self;  // pool NULL on threads that are no workers

static inline void cpu_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// ---- queues ----

static bool queue_push(queue *q, task t) {
  pthread_mutex_lock(&q->mutex);
  size_t count = atomic_load_explicit(&q->count, memory_order_relaxed);
  bool fits = count < q->capacity;
  if (!fits) {
    size_t capacity = q->capacity ? q->capacity * 2 : 64;
    task *items = dvt_calloc(capacity, sizeof *items);
    for (size_t i = 0; items && i < count; i++) items[i] = q->items[(q->oldest + i) & (q->capacity - 1)];
    if (items) {
      dvt_free(q->items);
      q->items = items;
      q->capacity = capacity;
      q->oldest = 0;
      fits = true;
    }
  }
  if (fits) {
    q->items[(q->oldest + count) & (q->capacity - 1)] = t;
    atomic_store_explicit(&q->count, count + 1, memory_order_relaxed);
  }
  pthread_mutex_unlock(&q->mutex);
  return fits;
}

static bool queue_take(queue *q, bool newest, task *out) {
  if (atomic_load_explicit(&q->count, memory_order_relaxed) == 0) return false;
  pthread_mutex_lock(&q->mutex);
  size_t count = atomic_load_explicit(&q->count, memory_order_relaxed);
  if (count) {
    *out = q->items[(q->oldest + (newest ? count - 1 : 0)) & (q->capacity - 1)];
    if (!newest) q->oldest = (q->oldest + 1) & (q->capacity - 1);
    atomic_store_explicit(&q->count, count - 1, memory_order_relaxed);
  }
  pthread_mutex_unlock(&q->mutex);
  return count != 0;
}

// A task from the worker's own queue or another's; `index` -1 for threads that are no workers.
static bool take_task(dvt_pool *pool, int index, task *out) {
  if (atomic_load_explicit(&pool->queued, memory_order_acquire) <= 0) return false;
  bool found = index >= 0 && queue_take(&pool->queues[index], true, out);
  for (int i = 1; !found && i <= pool->worker_count; i++)
    found = queue_take(&pool->queues[(index + i + pool->worker_count) % pool->worker_count], false, out);
  if (found) atomic_fetch_sub(&pool->queued, 1);
  return found;
}

// ---- loops ----

static void call_chunks(void *arg) {
  loop *l = arg;
  for (;;) {
    int64_t begin = atomic_fetch_add_explicit(&l->next, l->chunk, memory_order_relaxed);
    if (begin >= l->total || begin < 0) return;
    l->fn(l->arg, begin, l->total - begin > l->chunk ? begin + l->chunk : l->total);
  }
}

// The first failure stays; nobody takes another chunk.
static void DVT_COLD fail_loop(loop *l, dvt_status failure) {
  dvt_status none = NULL;
  if (!atomic_compare_exchange_strong(&l->failure, &none, failure)) dvt_status_free(failure);
  atomic_store(&l->next, l->total);
}

static void run_chunks(loop *l) {
  dvt_exception *thrown = dvt_catch_call(call_chunks, l);
  if (DVT_UNLIKELY(thrown != NULL))
    fail_loop(l, dvt_exception_status(thrown, "The function of a parallel loop"));
}

static void leave_slot(dvt_pool *pool, loop_slot *slot) {
  if (atomic_fetch_sub(&slot->users, 1) != 1 || !atomic_load(&slot->caller_sleeps)) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->loop_done);
  pthread_mutex_unlock(&pool->mutex);
}

// Works on open loops until none is left; true if there was one.
static bool help_loops(dvt_pool *pool) {
  bool helped = false;
  unsigned long long open;
  while ((open = atomic_load(&pool->open_slots)) != 0) {
    int i = __builtin_ctzll(open);
    loop_slot *slot = &pool->slots[i];
    atomic_fetch_add(&slot->users, 1);
    loop *l = atomic_load(&slot->loop);
    if (l) {
      run_chunks(l);
      helped = true;
      // Nothing left to take. While this thread is counted in, the slot cannot be given to another loop.
      atomic_fetch_and(&pool->open_slots, ~(1ull << i));
    }
    leave_slot(pool, slot);
    if (!l) break;
  }
  return helped;
}

static int take_slot(dvt_pool *pool) {
  unsigned long long used = atomic_load_explicit(&pool->used_slots, memory_order_relaxed);
  while (~used) {
    int i = __builtin_ctzll(~used);
    if (atomic_compare_exchange_weak(&pool->used_slots, &used, used | 1ull << i)) return i;
  }
  return -1;
}

static void wait_for_users(dvt_pool *pool, loop_slot *slot) {
  for (int i = 0; i < WAIT_SPINS; i++) {
    if (atomic_load(&slot->users) == 0) return;
    cpu_pause();
  }
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&slot->caller_sleeps, true);
  while (atomic_load(&slot->users) > 0) pthread_cond_wait(&pool->loop_done, &pool->mutex);
  atomic_store(&slot->caller_sleeps, false);
  pthread_mutex_unlock(&pool->mutex);
}

// ---- workers ----

static bool has_work(dvt_pool *pool) {
  return atomic_load(&pool->queued) > 0 || atomic_load(&pool->open_slots) != 0;
}

static void wake_workers(dvt_pool *pool, int count) {
  int sleepers = atomic_load(&pool->sleepers);
  if (sleepers <= 0) return;
  pthread_mutex_lock(&pool->mutex);
  if (count >= sleepers)
    pthread_cond_broadcast(&pool->wake);
  else
    for (int i = 0; i < count; i++) pthread_cond_signal(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

// Sleeps until there may be work; false when the pool ends and none is left.
static bool sleep_until_work(dvt_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  while (!has_work(pool) && !atomic_load(&pool->stop)) pthread_cond_wait(&pool->wake, &pool->mutex);
  atomic_fetch_sub(&pool->sleepers, 1);
  bool go_on = has_work(pool) || !atomic_load(&pool->stop);
  pthread_mutex_unlock(&pool->mutex);
  return go_on;
}

static void *worker_main(void *arg) {
  self = *(struct worker_start *)arg;
  dvt_pool *pool = self.pool;
  int idle = 0;
  for (;;) {
    task t;
    if (take_task(pool, self.index, &t)) {
      t.fn(t.arg);
      idle = 0;
    } else if (help_loops(pool)) {
      idle = 0;
    } else if (idle < IDLE_SPINS && !atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
      idle++;
      cpu_pause();
    } else if (sleep_until_work(pool)) {
      idle = 0;
    } else {
      return NULL;
    }
  }
}

// The pool's threads take no signals: those are the program's own threads' business.
static bool start_thread(pthread_t *thread, void *(*fn)(void *), void *arg) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(thread, NULL, fn, arg) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static void start_workers(dvt_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  if (!atomic_load(&pool->started)) {
    int count = 0;
    // A worker reads worker_count only when something is queued, and that comes after `started`.
    for (int i = 0; i < pool->threads - 1; i++) {
      pool->starts[count] = (struct worker_start){pool, count};
      if (!start_thread(&pool->workers[count], worker_main, &pool->starts[count])) break;
      count++;
    }
    pool->worker_count = count;
    atomic_store(&pool->started, true);
  }
  pthread_mutex_unlock(&pool->mutex);
}

// False when everything has to run in the caller: a pool of one, or no thread could be started.
static bool has_workers(dvt_pool *pool) {
  if (pool->threads < 2) return false;
  if (DVT_UNLIKELY(!atomic_load_explicit(&pool->started, memory_order_acquire))) start_workers(pool);
  return pool->worker_count > 0;
}

// ---- blocked workers ----
// A task may wait for a task behind it in a queue. Where all workers do that, somebody else has to run it.

static int64_t cpu_time_ns(pthread_t thread) {
  clockid_t clock;
  struct timespec t;
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// With the mutex held.
static int64_t computed_ns(const dvt_pool *pool) {
  int64_t sum = 0;
  for (int i = 0; i < pool->worker_count; i++) sum += cpu_time_ns(pool->workers[i]);
  for (int i = 0; i < pool->rescuer_count; i++) sum += cpu_time_ns(pool->rescuers[i]);
  return sum;
}

static void *rescuer_main(void *arg);

// With the mutex held.
static void start_rescuer(dvt_pool *pool) {
  if (pool->rescuer_count == MAX_RESCUERS || atomic_load(&pool->stop)) return;
  if (!start_thread(&pool->rescuers[pool->rescuer_count], rescuer_main, pool)) return;
  pool->rescuer_count++;
  pool->idle_rescuers++;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// With the mutex held, which is let go meanwhile: whether tasks wait and the pool's threads together used
// less than half of a core. Threads that look again and again whether they may go on use little.
static bool is_stalled(dvt_pool *pool) {
  int64_t computed = computed_ns(pool), begin = now_ns();
  pthread_mutex_unlock(&pool->mutex);
  nanosleep(&(struct timespec){.tv_nsec = STALL_NS}, NULL);
  pthread_mutex_lock(&pool->mutex);
  return atomic_load(&pool->queued) > 0 && computed_ns(pool) - computed < (now_ns() - begin) / 2;
}

// What it runs may wait as well: before, another one is there to look.
static void rescue(dvt_pool *pool) {
  if (--pool->idle_rescuers == 0) start_rescuer(pool);
  pthread_cond_signal(&pool->stalled);
  pthread_mutex_unlock(&pool->mutex);
  dvt_pool_run_one(pool);
  pthread_mutex_lock(&pool->mutex);
  pool->idle_rescuers++;
}

static void *rescuer_main(void *arg) {
  dvt_pool *pool = arg;
  pthread_mutex_lock(&pool->mutex);
  while (!atomic_load(&pool->stop)) {
    if (atomic_load(&pool->queued) <= 0 || atomic_load(&pool->is_watched)) {
      pthread_cond_wait(&pool->stalled, &pool->mutex);
      continue;
    }
    atomic_store(&pool->is_watched, true);
    bool stalled = is_stalled(pool);
    atomic_store(&pool->is_watched, false);
    if (stalled) rescue(pool);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

static void call_rescuer(dvt_pool *pool) {
  // Enough workers are about to wake.
  if (atomic_load(&pool->queued) <= atomic_load(&pool->sleepers) || atomic_load(&pool->is_watched)) return;
  pthread_mutex_lock(&pool->mutex);
  if (pool->rescuer_count == 0) start_rescuer(pool);
  pthread_cond_signal(&pool->stalled);
  pthread_mutex_unlock(&pool->mutex);
}

// ---- fork ----
// A child process has none of the workers: its pools start their own when they are used. The locks are held
// over the fork, so that no queue is halfway through a change.

static pthread_mutex_t pools_mutex = PTHREAD_MUTEX_INITIALIZER;
static dvt_pool *all_pools;

static void lock_all(void) {
  pthread_mutex_lock(&pools_mutex);
  for (dvt_pool *pool = all_pools; pool; pool = pool->next) {
    pthread_mutex_lock(&pool->mutex);
    for (int i = 0; i < pool->threads; i++) pthread_mutex_lock(&pool->queues[i].mutex);
  }
}

static void unlock_all(void) {
  for (dvt_pool *pool = all_pools; pool; pool = pool->next) {
    for (int i = 0; i < pool->threads; i++) pthread_mutex_unlock(&pool->queues[i].mutex);
    pthread_mutex_unlock(&pool->mutex);
  }
  pthread_mutex_unlock(&pools_mutex);
}

// As new, but for the tasks that wait in the queues. The conditions still count the parent's sleepers.
static void forget_workers(dvt_pool *pool) {
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->loop_done, NULL);
  pthread_cond_init(&pool->stalled, NULL);
  pool->worker_count = pool->rescuer_count = pool->idle_rescuers = 0;
  atomic_store(&pool->is_watched, false);
  atomic_store(&pool->started, false);
  atomic_store(&pool->sleepers, 0);
  atomic_store(&pool->open_slots, 0);
  atomic_store(&pool->used_slots, 0);
  memset(pool->slots, 0, sizeof pool->slots);
}

static void renew_in_child(void) {
  for (dvt_pool *pool = all_pools; pool; pool = pool->next) forget_workers(pool);
  unlock_all();
}

static void watch_forks(void) { pthread_atfork(lock_all, unlock_all, renew_in_child); }

static void list_pool(dvt_pool *pool) {
  static pthread_once_t watched = PTHREAD_ONCE_INIT;
  pthread_once(&watched, watch_forks);
  pthread_mutex_lock(&pools_mutex);
  pool->next = all_pools;
  all_pools = pool;
  pthread_mutex_unlock(&pools_mutex);
}

static void unlist_pool(dvt_pool *pool) {
  pthread_mutex_lock(&pools_mutex);
  dvt_pool **link = &all_pools;
  while (*link != pool) link = &(*link)->next;
  *link = pool->next;
  pthread_mutex_unlock(&pools_mutex);
}

// ---- the pool ----

static int usable_cores(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > 0 ? count : 1;
}

// A whole number from 1 to MAX_THREADS in decimal digits; 0 when `text` is anything else.
static int parse_threads(const char *text) {
  int count = 0;
  for (; *text >= '0' && *text <= '9' && count <= MAX_THREADS; text++) count = count * 10 + (*text - '0');
  return *text == '\0' && count <= MAX_THREADS ? count : 0;
}

static int default_threads(void) {
  const char *text = getenv("DOVETAIL_NUM_THREADS");
  int cores = DVT_MIN(usable_cores(), MAX_THREADS);
  if (!text || !*text) return cores;
  int count = parse_threads(text);
  if (count > 0) return count;
  dvt_log(DVT_ERROR,
          "the environment variable DOVETAIL_NUM_THREADS is '%s', wanted is a whole number from 1 to %d; %d "
          "threads are used, one for each usable core. Correct or unset it",
          text, MAX_THREADS, cores);
  return cores;
}

static void pool_free(dvt_pool *pool) {
  for (int i = 0; pool->queues && i < pool->threads; i++) {
    pthread_mutex_destroy(&pool->queues[i].mutex);
    dvt_free(pool->queues[i].items);
  }
  pthread_mutex_destroy(&pool->mutex);
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->loop_done);
  pthread_cond_destroy(&pool->stalled);
  dvt_free(pool->queues);
  dvt_free(pool->workers);
  dvt_free(pool->rescuers);
  dvt_free(pool->starts);
  dvt_free(pool);
}

dvt_status dvt_pool_create(int threads, dvt_pool **out_pool) {
  if (threads < 0 || threads > MAX_THREADS)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "a thread pool of %d threads was asked for; 0 (all cores) to %d are possible", threads,
                     MAX_THREADS);
  if (threads == 0) threads = default_threads();
  dvt_pool *pool = dvt_aligned_alloc(64, sizeof *pool);
  if (!pool) return dvt_error_out_of_memory(sizeof *pool);
  memset(pool, 0, sizeof *pool);
  pool->threads = threads;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->loop_done, NULL);
  pthread_cond_init(&pool->stalled, NULL);
  pool->rescuers = dvt_calloc(MAX_RESCUERS, sizeof *pool->rescuers);
  pool->workers = dvt_calloc((size_t)threads, sizeof *pool->workers);
  pool->starts = dvt_calloc((size_t)threads, sizeof *pool->starts);
  size_t bytes = (size_t)threads * sizeof *pool->queues;
  pool->queues = dvt_aligned_alloc(64, bytes);
  if (pool->queues) memset(pool->queues, 0, bytes);
  for (int i = 0; pool->queues && i < threads; i++) pthread_mutex_init(&pool->queues[i].mutex, NULL);
  if (!pool->workers || !pool->rescuers || !pool->starts || !pool->queues) {
    pool_free(pool);
    return dvt_error_out_of_memory(bytes);
  }
  list_pool(pool);
  *out_pool = pool;
  return NULL;
}

void dvt_pool_destroy(dvt_pool *pool) {
  if (!pool) return;
  unlist_pool(pool);
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->stop, true);
  pthread_cond_broadcast(&pool->wake);
  pthread_cond_broadcast(&pool->stalled);
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->worker_count; i++) pthread_join(pool->workers[i], NULL);
  for (int i = 0; i < pool->rescuer_count; i++) pthread_join(pool->rescuers[i], NULL);
  while (dvt_pool_run_one(pool)) continue;
  pool_free(pool);
}

int dvt_pool_threads(const dvt_pool *pool) { return pool ? pool->threads : 1; }

// Made on first use; a failure for want of memory is tried again by the next caller.
dvt_pool *dvt_pool_default(void) {
  static _Atomic(dvt_pool *) default_pool;
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  dvt_pool *pool = atomic_load_explicit(&default_pool, memory_order_acquire);
  if (pool) return pool;
  pthread_mutex_lock(&making);
  pool = atomic_load(&default_pool);
  if (!pool) {
    dvt_status_free(dvt_pool_create(0, &pool));
    atomic_store_explicit(&default_pool, pool, memory_order_release);
  }
  pthread_mutex_unlock(&making);
  return pool;
}

int dvt_pool_worker_index(const dvt_pool *pool) { return pool && self.pool == pool ? self.index + 1 : 0; }

// The calling worker's own queue if it is one of [start, limit), else one of those in turn.
static unsigned choose_queue(dvt_pool *pool, int start, int limit) {
  int count = pool->worker_count;
  limit = DVT_MIN(limit, count);
  start = DVT_MIN(start, limit - 1);
  if (self.pool == pool && self.index >= start && self.index < limit) return (unsigned)self.index;
  unsigned turn = atomic_fetch_add_explicit(&pool->next_queue, 1, memory_order_relaxed);
  return (unsigned)start + turn % (unsigned)(limit - start);
}

// False: it ran in place.
static bool schedule(dvt_pool *pool, task t, int start, int limit) {
  bool queued = pool && has_workers(pool) && queue_push(&pool->queues[choose_queue(pool, start, limit)], t);
  if (queued) {
    atomic_fetch_add(&pool->queued, 1);
    wake_workers(pool, 1);
  } else {
    t.fn(t.arg);
  }
  return queued;
}

void dvt_pool_schedule(dvt_pool *pool, void (*fn)(void *arg), void *arg) {
  schedule(pool, (task){fn, arg}, 0, DVT_ANY_THREAD);
}

void dvt_pool_schedule_task(dvt_pool *pool, void (*fn)(void *arg), void *arg, int start, int limit) {
  if (schedule(pool, (task){fn, arg}, start, limit)) call_rescuer(pool);
}

bool dvt_pool_run_one(dvt_pool *pool) {
  task t;
  if (!pool || pool->threads < 2 || !atomic_load_explicit(&pool->started, memory_order_acquire)) return false;
  if (!take_task(pool, self.pool == pool ? self.index : -1, &t)) return false;
  t.fn(t.arg);
  return true;
}

// Into how many chunks the loop is worth dividing. Into more where they stay long, so that no thread waits
// long for the last one.
static int64_t chunk_count(const dvt_pool *pool, int64_t total, int64_t cost_ns) {
  double cost = (double)total * (double)(cost_ns > 0 ? cost_ns : 1);
  if (cost < MIN_LOOP_NS || total > LONGEST_LOOP) return 1;
  double most = DVT_MIN(cost / MIN_CHUNK_NS, (double)pool->threads * CHUNKS_PER_THREAD);
  most = DVT_MAX(most, cost / LONG_CHUNK_NS);
  return most < (double)total ? (int64_t)most : total;
}

int64_t dvt_pool_chunk(const dvt_pool *pool, int64_t total, int64_t cost_ns) {
  int64_t chunks = pool && pool->threads > 1 ? chunk_count(pool, total, cost_ns) : 1;
  return chunks > 1 ? (total + chunks - 1) / chunks : total;
}

// Shares the loop with workers where there are any and a slot is free.
static void run_loop(dvt_pool *pool, loop *l, int64_t helpers) {
  int i = helpers > 0 && has_workers(pool) ? take_slot(pool) : -1;
  if (i < 0) {
    run_chunks(l);
    return;
  }
  loop_slot *slot = &pool->slots[i];
  atomic_store(&slot->loop, l);
  atomic_fetch_or(&pool->open_slots, 1ull << i);
  wake_workers(pool, (int)helpers);
  run_chunks(l);
  atomic_store(&slot->loop, NULL);
  atomic_fetch_and(&pool->open_slots, ~(1ull << i));
  wait_for_users(pool, slot);
  atomic_fetch_and(&pool->used_slots, ~(1ull << i));
}

dvt_status dvt_pool_loop(dvt_pool *pool, int64_t total, int64_t chunk,
                         void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
  if (total <= 0) return NULL;
  loop l = {.fn = fn, .arg = arg, .total = total, .chunk = DVT_MIN(chunk, total)};
  int64_t chunks = (total - 1) / l.chunk + 1;
  bool shared = pool && pool->threads > 1 && total <= LONGEST_LOOP;
  run_loop(pool, &l, shared ? DVT_MIN(chunks, pool->threads) - 1 : 0);
  return atomic_load_explicit(&l.failure, memory_order_relaxed);
}

dvt_status dvt_pool_parallel_for(dvt_pool *pool, int64_t total, int64_t cost_ns,
                                 void (*fn)(void *arg, int64_t begin, int64_t end), void *arg) {
  return dvt_pool_loop(pool, total, dvt_pool_chunk(pool, total, cost_ns), fn, arg);
}
