// Cancellation of steps: callbacks run once, whoever comes first; a callback that was taken back does not
// run; called steps go with their callers; time limits fire by themselves. Races are for ThreadSanitizer to
// look at.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "kernel/kernel_test_util.h"

enum { THREADS = 4, ROUNDS = 500 };

static dvt_resource_manager *resources;

static int setup(void **state) {
  assert_ok(dvt_resource_manager_create(&resources));
  return test_setup(state);
}

static int teardown(void **state) {
  (void)state;
  dvt_resource_manager_destroy(resources);
  return 0;
}

static dvt_step step_make(void) { return (dvt_step){.id = 1, .resources = resources}; }

static void step_end(dvt_step *step) {
  assert_null(dvt_step_finish(step, NULL));
  dvt_step_deinit(step);
}

static void count(void *arg) { atomic_fetch_add((atomic_int *)arg, 1); }

static void test_callback_runs_once_when_cancelled(void **state) {
  (void)state;
  dvt_step step = step_make();
  atomic_int calls = 0;
  int64_t token = 0;
  assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
  assert_true(token > 0);
  assert_false(dvt_step_is_cancelled(&step));
  dvt_step_cancel(&step);
  dvt_step_cancel(&step);
  assert_true(dvt_step_is_cancelled(&step));
  assert_int_equal(calls, 1);
  assert_false(dvt_step_off_cancel(&step, token, true));
  step_end(&step);
  assert_int_equal(calls, 1);
  assert_false(dvt_step_is_cancelled(&step));
}

static void test_nothing_is_registered_after_cancelling(void **state) {
  (void)state;
  dvt_step step = step_make();
  atomic_int calls = 0;
  int64_t token = -1;
  dvt_step_cancel(&step);
  assert_status(dvt_step_on_cancel(&step, count, &calls, &token), TF_CANCELLED, "has been cancelled");
  assert_int_equal(token, -1);
  step_end(&step);
  assert_int_equal(calls, 0);
}

static void test_taken_back_is_never_run(void **state) {
  (void)state;
  dvt_step step = step_make();
  atomic_int calls = 0, others = 0;
  int64_t token = 0, other = 0;
  assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
  assert_ok(dvt_step_on_cancel(&step, count, &others, &other));
  assert_true(token != other);
  assert_true(dvt_step_off_cancel(&step, token, true));
  assert_false(dvt_step_off_cancel(&step, token, true));
  assert_false(dvt_step_off_cancel(&step, 123456789, true));
  dvt_step_cancel(&step);
  step_end(&step);
  assert_int_equal(calls, 0);
  assert_int_equal(others, 1);
}

static void test_what_is_left_runs_at_the_end_and_the_step_is_new_again(void **state) {
  (void)state;
  dvt_step step = step_make();
  atomic_int calls = 0;
  int64_t token = 0;
  for (int i = 1; i <= 3; i++) {
    assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
    assert_null(dvt_step_finish(&step, NULL));
    assert_int_equal(calls, i);
    assert_false(dvt_step_is_cancelled(&step));
  }
  step_end(&step);
}

static void test_called_step_goes_with_its_caller(void **state) {
  (void)state;
  dvt_step outer = step_make(), middle = step_make(), inner = step_make();
  middle.caller = &outer;
  inner.caller = &middle;
  atomic_int calls = 0, outer_calls = 0;
  int64_t token = 0;
  assert_ok(dvt_step_on_cancel(&outer, count, &outer_calls, &token));
  assert_ok(dvt_step_on_cancel(&inner, count, &calls, &token));
  dvt_step_cancel(&middle);
  assert_int_equal(calls, 1);
  assert_int_equal(outer_calls, 0);
  assert_false(dvt_step_is_cancelled(&outer));
  step_end(&inner);
  step_end(&middle);
  // A step that was called by one that is cancelled registers nothing.
  inner = step_make();
  inner.caller = &outer;
  dvt_step_cancel(&outer);
  assert_true(dvt_step_is_cancelled(&inner));
  assert_status(dvt_step_on_cancel(&inner, count, &calls, &token), TF_CANCELLED, "has been cancelled");
  step_end(&inner);
  step_end(&outer);
  assert_int_equal(calls, 1);
  assert_int_equal(outer_calls, 1);
}

static void test_called_step_leaves_its_caller(void **state) {
  (void)state;
  dvt_step outer = step_make();
  atomic_int calls = 0;
  int64_t token = 0;
  for (int i = 0; i < 3; i++) {
    dvt_step inner = step_make();
    inner.caller = &outer;
    assert_ok(dvt_step_on_cancel(&inner, count, &calls, &token));
    assert_true(dvt_step_off_cancel(&inner, token, true));
    step_end(&inner);
  }
  dvt_step_cancel(&outer);  // does not touch the steps that are gone
  step_end(&outer);
  assert_int_equal(calls, 0);
}

typedef struct nested {
  dvt_step *step;
  int64_t own, other;
  atomic_int calls;
} nested;

static void deregister_within(void *arg) {
  nested *n = arg;
  atomic_fetch_add(&n->calls, 1);
  assert_false(dvt_step_off_cancel(n->step, n->own, true));
  dvt_step_off_cancel(n->step, n->other, true);
  int64_t token = 0;
  assert_status(dvt_step_on_cancel(n->step, count, &n->calls, &token), TF_CANCELLED, "");
}

static void test_callbacks_may_deregister(void **state) {
  (void)state;
  dvt_step step = step_make();
  nested n = {.step = &step};
  assert_ok(dvt_step_on_cancel(&step, deregister_within, &n, &n.own));
  dvt_step_cancel(&step);
  assert_int_equal(n.calls, 1);
  step_end(&step);
}

// The last kernel of an abandoned step may report done from a callback, which ends the step there.
static void end_within(void *arg) { assert_null(dvt_step_finish(arg, NULL)); }

static void test_callback_may_end_the_step(void **state) {
  (void)state;
  dvt_step step = step_make();
  atomic_int calls = 0;
  int64_t token = 0;
  assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
  assert_ok(dvt_step_on_cancel(&step, end_within, &step, &token));
  assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
  dvt_step_cancel(&step);
  assert_int_equal(calls, 2);
  assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
  assert_true(dvt_step_off_cancel(&step, token, true));
  step_end(&step);
}

static void test_time_limit_cancels_by_itself(void **state) {
  (void)state;
  dvt_step step = step_make();
  atomic_int calls = 0;
  int64_t token = 0;
  step.deadline_ns = 1;  // long ago
  assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
  while (atomic_load(&calls) == 0) sched_yield();
  assert_true(dvt_step_is_cancelled(&step));
  step_end(&step);
  // A limit that lies ahead is forgotten with the step.
  step = step_make();
  step.deadline_ns = INT64_MAX / 2;
  assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
  assert_true(dvt_step_off_cancel(&step, token, true));
  step_end(&step);
  assert_int_equal(calls, 1);
}

// ---- races ----

typedef struct race {
  dvt_step *step;
  pthread_barrier_t barrier;
  atomic_int called, taken_back, refused, wrong;
} race;

static void *register_and_deregister(void *arg) {
  race *r = arg;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(&r->barrier);
    atomic_int calls = 0;
    int64_t token = 0;
    dvt_status status = dvt_step_on_cancel(r->step, count, &calls, &token);
    if (status) {
      atomic_fetch_add(&r->refused, 1);
      dvt_status_free(status);
    } else {
      bool gone = dvt_step_off_cancel(r->step, token, true);
      // `calls` lives on this stack: after this no callback may touch it.
      atomic_fetch_add(gone ? &r->taken_back : &r->called, 1);
      if (atomic_load(&calls) != !gone) atomic_fetch_add(&r->wrong, 1);
    }
    pthread_barrier_wait(&r->barrier);
  }
  return NULL;
}

static void test_race_of_registering_and_cancelling(void **state) {
  (void)state;
  dvt_step step = step_make();
  race r = {.step = &step};
  pthread_t threads[THREADS];
  pthread_barrier_init(&r.barrier, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, register_and_deregister, &r);
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(&r.barrier);
    dvt_step_cancel(&step);
    pthread_barrier_wait(&r.barrier);
    assert_null(dvt_step_finish(&step, NULL));
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&r.barrier);
  assert_int_equal(r.wrong, 0);
  assert_int_equal(r.called + r.taken_back + r.refused, THREADS * ROUNDS);
  step_end(&step);
}

static void *cancel_often(void *arg) {
  race *r = arg;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(&r->barrier);
    dvt_step_cancel(r->step);
    pthread_barrier_wait(&r->barrier);
  }
  return NULL;
}

static void test_race_of_cancellers(void **state) {
  (void)state;
  dvt_step step = step_make();
  race r = {.step = &step};
  pthread_t threads[THREADS];
  atomic_int calls = 0;
  int64_t token = 0;
  pthread_barrier_init(&r.barrier, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, cancel_often, &r);
  for (int i = 0; i < ROUNDS; i++) {
    for (int k = 0; k < 3; k++) assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
    pthread_barrier_wait(&r.barrier);
    if (i % 2) dvt_step_off_cancel(&step, token, true);
    pthread_barrier_wait(&r.barrier);
    assert_null(dvt_step_finish(&step, NULL));
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&r.barrier);
  assert_true(calls >= ROUNDS * 2 + ROUNDS / 2 && calls <= ROUNDS * 3);
  step_end(&step);
}

static void test_race_of_time_limit_and_end(void **state) {
  (void)state;
  struct timespec now;
  for (int i = 0; i < ROUNDS; i++) {
    dvt_step step = step_make();
    atomic_int calls = 0;
    int64_t token = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    step.deadline_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec + i % 7 * 10000;
    assert_ok(dvt_step_on_cancel(&step, count, &calls, &token));
    bool gone = dvt_step_off_cancel(&step, token, true);
    assert_int_equal(calls, !gone);
    step_end(&step);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_callback_runs_once_when_cancelled),
      cmocka_unit_test(test_nothing_is_registered_after_cancelling),
      cmocka_unit_test(test_taken_back_is_never_run),
      cmocka_unit_test(test_what_is_left_runs_at_the_end_and_the_step_is_new_again),
      cmocka_unit_test(test_called_step_goes_with_its_caller),
      cmocka_unit_test(test_called_step_leaves_its_caller),
      cmocka_unit_test(test_callbacks_may_deregister),
      cmocka_unit_test(test_callback_may_end_the_step),
      cmocka_unit_test(test_time_limit_cancels_by_itself),
      cmocka_unit_test(test_race_of_registering_and_cancelling),
      cmocka_unit_test(test_race_of_cancellers),
      cmocka_unit_test(test_race_of_time_limit_and_end),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
