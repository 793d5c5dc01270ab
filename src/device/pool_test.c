// The thread pool: every element exactly once, nesting, many callers, tasks, shutting down.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "device/pool.h"

enum { COUNT = 20000, PRETEND_SLOW_NS = 100000 };

static atomic_uchar seen[COUNT];

static void mark(void *arg, int64_t begin, int64_t end) {
  atomic_uchar *marks = arg;
  for (int64_t i = begin; i < end; i++) atomic_fetch_add(&marks[i], 1);
}

// From any thread.
static void loop(dvt_pool *pool, int64_t total, void (*fn)(void *arg, int64_t begin, int64_t end),
                 void *arg) {
  if (dvt_pool_parallel_for(pool, total, PRETEND_SLOW_NS, fn, arg) != NULL) abort();
}

static void check_loop(dvt_pool *pool, int64_t total, int64_t cost) {
  for (int64_t i = 0; i < COUNT; i++) atomic_store(&seen[i], 0);
  assert_null(dvt_pool_parallel_for(pool, total, cost, mark, seen));
  for (int64_t i = 0; i < COUNT; i++) assert_int_equal(atomic_load(&seen[i]), i < total);
}

static void test_loop_covers_each_element_once(void **state) {
  (void)state;
  for (int threads = 1; threads <= 5; threads += 2) {
    dvt_pool *pool;
    assert_null(dvt_pool_create(threads, &pool));
    assert_int_equal(dvt_pool_threads(pool), threads);
    const int64_t totals[] = {0, 1, 2, 3, 7, 64, 1000, COUNT};
    for (size_t k = 0; k < DVT_COUNT_OF(totals); k++) {
      check_loop(pool, totals[k], 0);
      check_loop(pool, totals[k], 1);
      check_loop(pool, totals[k], PRETEND_SLOW_NS);
      check_loop(pool, totals[k], INT64_MAX);
    }
    dvt_pool_destroy(pool);
  }
}

static void test_no_pool_runs_in_place(void **state) {
  (void)state;
  check_loop(NULL, 100, PRETEND_SLOW_NS);
  assert_int_equal(dvt_pool_threads(NULL), 1);
  assert_int_equal(dvt_pool_worker_index(NULL), 0);
  assert_false(dvt_pool_run_one(NULL));
}

static void add_range(void *arg, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_llong *)arg, end - begin);
}

typedef struct nested {
  dvt_pool *pool;
  atomic_llong sum;
} nested;

static void inner_loops(void *arg, int64_t begin, int64_t end) {
  nested *n = arg;
  for (int64_t i = begin; i < end; i++) loop(n->pool, 50, add_range, &n->sum);
}

static void test_nested_loops(void **state) {
  (void)state;
  nested n = {0};
  assert_null(dvt_pool_create(4, &n.pool));
  for (int round = 0; round < 20; round++) {
    atomic_store(&n.sum, 0);
    loop(n.pool, 30, inner_loops, &n);
    assert_int_equal(atomic_load(&n.sum), 30 * 50);
  }
  dvt_pool_destroy(n.pool);
}

static void *call_loops(void *arg) {
  nested *n = arg;
  for (int i = 0; i < 200; i++) {
    atomic_llong sum = 0;
    loop(n->pool, 97, add_range, &sum);
    atomic_fetch_add(&n->sum, atomic_load(&sum));
  }
  return NULL;
}

static void test_many_callers(void **state) {
  (void)state;
  nested n = {0};
  pthread_t threads[6];
  assert_null(dvt_pool_create(3, &n.pool));
  for (int i = 0; i < 6; i++) assert_int_equal(pthread_create(&threads[i], NULL, call_loops, &n), 0);
  for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&n.sum), 6 * 200 * 97);
  dvt_pool_destroy(n.pool);
}

typedef struct counter {
  dvt_pool *pool;
  atomic_int runs;
  int depth;
} counter;

static void count_run(void *arg) { atomic_fetch_add(&((counter *)arg)->runs, 1); }

static void spawn_two(void *arg) {
  counter *c = arg;
  int worker = dvt_pool_worker_index(c->pool);
  assert_true(worker >= 0 && worker < dvt_pool_threads(c->pool));
  dvt_pool_schedule(c->pool, count_run, c);
  dvt_pool_schedule(c->pool, count_run, c);
}

static void test_destroy_waits_for_tasks(void **state) {
  (void)state;
  for (int threads = 1; threads <= 4; threads++) {
    counter c = {0};
    assert_null(dvt_pool_create(threads, &c.pool));
    for (int i = 0; i < 500; i++) dvt_pool_schedule(c.pool, spawn_two, &c);
    dvt_pool_destroy(c.pool);
    assert_int_equal(atomic_load(&c.runs), 1000);
  }
}

static void test_waiting_thread_can_help(void **state) {
  (void)state;
  counter c = {0};
  assert_null(dvt_pool_create(2, &c.pool));
  for (int i = 0; i < 300; i++) dvt_pool_schedule(c.pool, count_run, &c);
  while (atomic_load(&c.runs) < 300) dvt_pool_run_one(c.pool);
  assert_int_equal(dvt_pool_worker_index(c.pool), 0);
  dvt_pool_destroy(c.pool);
}

static void test_unused_pool_starts_no_thread(void **state) {
  (void)state;
  dvt_pool *pool;
  assert_null(dvt_pool_create(1024, &pool));
  dvt_pool_destroy(pool);
  dvt_pool_destroy(NULL);
}

static void test_bad_thread_counts(void **state) {
  (void)state;
  dvt_pool *pool = NULL;
  const int bad[] = {-1, 1025, 1 << 30};
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++) {
    dvt_status status = dvt_pool_create(bad[i], &pool);
    assert_int_equal(dvt_status_code(status), TF_INVALID_ARGUMENT);
    assert_null(pool);
    dvt_status_free(status);
  }
}

static void test_default_pool(void **state) {
  (void)state;
  dvt_pool *pool = dvt_pool_default();
  assert_non_null(pool);
  assert_ptr_equal(pool, dvt_pool_default());
  assert_true(dvt_pool_threads(pool) >= 1);
  check_loop(pool, 1000, PRETEND_SLOW_NS);
}

static atomic_int tasks_run;
static void count_task(void *arg) {
  (void)arg;
  atomic_fetch_add(&tasks_run, 1);
}

// In the child: 0 when its tasks ran and its loop covered everything.
static int use_pool_after_fork(dvt_pool *pool) {
  alarm(20);  // a child that waits for its parent's threads ends here
  atomic_store(&tasks_run, 0);
  for (int i = 0; i < 10; i++) dvt_pool_schedule(pool, count_task, NULL);
  for (int64_t i = 0; i < COUNT; i++) atomic_store(&seen[i], 0);
  loop(pool, COUNT, mark, seen);
  while (atomic_load(&tasks_run) < 10) sched_yield();
  dvt_pool_destroy(pool);
  int64_t good = 0;
  for (int64_t i = 0; i < COUNT; i++) good += atomic_load(&seen[i]) == 1;
  return good == COUNT ? 0 : 1;
}

// A process that has used its pool forks: the threads stay with the parent, the child starts its own.
static void test_child_process_has_threads_of_its_own(void **state) {
  (void)state;
#ifdef __SANITIZE_THREAD__
  skip();  // the thread sanitizer starts no threads in a child of a threaded process
#endif
  dvt_pool *pool;
  assert_null(dvt_pool_create(3, &pool));
  check_loop(pool, COUNT, PRETEND_SLOW_NS);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(use_pool_after_fork(pool));
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  check_loop(pool, COUNT, PRETEND_SLOW_NS);
  dvt_pool_destroy(pool);
}

static char log_line[512];
static void keep_line(void *arg, dvt_log_level level, const char *line) {
  (void)arg, (void)level;
  snprintf(log_line, sizeof log_line, "%s", line);
}

static int threads_for(const char *value) {
  dvt_pool *pool;
  setenv("DOVETAIL_NUM_THREADS", value, 1);
  log_line[0] = '\0';
  assert_null(dvt_pool_create(0, &pool));
  int threads = dvt_pool_threads(pool);
  dvt_pool_destroy(pool);
  return threads;
}

static void test_number_of_threads_from_the_environment(void **state) {
  (void)state;
  dvt_log_set_sink(keep_line, NULL);
  int cores = threads_for("");
  assert_true(cores >= 1);
  assert_string_equal(log_line, "");
  assert_int_equal(threads_for("3"), 3);
  assert_int_equal(threads_for("1024"), 1024);
  assert_string_equal(log_line, "");
  static const char *const bad[] = {
      "0", "-2", "+2", "4x", " 4", "4.0", "all", "1025", "99999999999999999999"};
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++) {
    assert_int_equal(threads_for(bad[i]), cores);
    assert_non_null(strstr(log_line, "DOVETAIL_NUM_THREADS"));
    assert_non_null(strstr(log_line, bad[i]));
    assert_non_null(strstr(log_line, "from 1 to 1024"));
  }
  unsetenv("DOVETAIL_NUM_THREADS");
  dvt_log_set_sink(NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loop_covers_each_element_once),
      cmocka_unit_test(test_no_pool_runs_in_place),
      cmocka_unit_test(test_nested_loops),
      cmocka_unit_test(test_many_callers),
      cmocka_unit_test(test_destroy_waits_for_tasks),
      cmocka_unit_test(test_waiting_thread_can_help),
      cmocka_unit_test(test_unused_pool_starts_no_thread),
      cmocka_unit_test(test_bad_thread_counts),
      cmocka_unit_test(test_default_pool),
      cmocka_unit_test(test_child_process_has_threads_of_its_own),
      cmocka_unit_test(test_number_of_threads_from_the_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
