// Values passed between kernels of a step by name: order, waiting, dead values, what happens to those who
// wait when the step is cancelled or ends, and senders and receivers on several threads.
#include <pthread.h>

#include "kernel/kernel_test_util.h"

enum { THREADS = 4, VALUES = 300 };

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

static dvt_status send_number(dvt_step *step, const char *key, float number) {
  TF_Tensor t = {0};
  assert_ok(dvt_tensor_init_allocate(&t, TF_FLOAT, NULL, 0));
  *(float *)t.data = number;
  dvt_status status = dvt_rendezvous_send(step, dvt_str_from(key), &t, false);
  dvt_tensor_reset(&t);
  return status;
}

typedef struct receipt {
  atomic_int calls;
  TF_Code code;
  bool is_dead, has_value;
  float number;
  char message[128];
} receipt;

static void receive(void *arg, dvt_status error, const TF_Tensor *value, bool is_dead) {
  receipt *r = arg;
  r->code = dvt_status_code(error);
  r->is_dead = is_dead;
  r->has_value = value != NULL;
  if (value) r->number = *(const float *)value->data;
  snprintf(r->message, sizeof r->message, "%s", dvt_status_message(error));
  atomic_fetch_add(&r->calls, 1);
}

static void ask(dvt_step *step, const char *key, receipt *r) {
  *r = (receipt){0};
  dvt_rendezvous_receive(step, dvt_str_from(key), receive, r);
}

static void check(const receipt *r, float number) {
  assert_int_equal(r->calls, 1);
  assert_int_equal(r->code, TF_OK);
  assert_true(r->has_value && !r->is_dead);
  assert_true(r->number == number);
}

static void test_values_wait_in_order(void **state) {
  (void)state;
  dvt_step step = step_make();
  receipt r;
  assert_ok(send_number(&step, "a", 1));
  assert_ok(send_number(&step, "b", 2));
  assert_ok(send_number(&step, "a", 3));
  ask(&step, "a", &r);
  check(&r, 1);
  ask(&step, "a", &r);
  check(&r, 3);
  ask(&step, "b", &r);
  check(&r, 2);
  step_end(&step);
}

static void test_receivers_wait_in_order(void **state) {
  (void)state;
  dvt_step step = step_make();
  receipt first, second, other;
  ask(&step, "a", &first);
  ask(&step, "b", &other);
  ask(&step, "a", &second);
  assert_int_equal(first.calls + second.calls + other.calls, 0);
  assert_ok(send_number(&step, "a", 1));
  check(&first, 1);
  assert_int_equal(second.calls, 0);
  assert_ok(send_number(&step, "a", 2));
  check(&second, 2);
  assert_ok(send_number(&step, "b", 3));
  check(&other, 3);
  step_end(&step);
}

static void test_dead_values_and_missing_ones(void **state) {
  (void)state;
  dvt_step step = step_make();
  receipt r;
  assert_ok(dvt_rendezvous_send(&step, DVT_STR("a"), NULL, true));
  ask(&step, "a", &r);
  assert_int_equal(r.calls, 1);
  assert_true(r.is_dead && !r.has_value && r.code == TF_OK);
  assert_status(dvt_rendezvous_send(&step, DVT_STR("a"), NULL, false), TF_INVALID_ARGUMENT,
                "no tensor was given to send under 'a'");
  step_end(&step);
}

static void test_cancelling_answers_who_waits_and_who_comes(void **state) {
  (void)state;
  dvt_step step = step_make();
  receipt waiting, late;
  ask(&step, "a", &waiting);
  dvt_step_cancel(&step);
  assert_int_equal(waiting.calls, 1);
  assert_int_equal(waiting.code, TF_CANCELLED);
  ask(&step, "a", &late);
  assert_int_equal(late.code, TF_CANCELLED);
  assert_status(send_number(&step, "a", 1), TF_CANCELLED, "was cancelled");
  assert_null(dvt_step_finish(&step, NULL));
  assert_ok(send_number(&step, "a", 1));  // a new step in the same memory
  step_end(&step);
}

static void test_abort_gives_its_reason_and_drops_values(void **state) {
  (void)state;
  dvt_step step = step_make();
  receipt r;
  assert_ok(send_number(&step, "kept", 1));
  ask(&step, "a", &r);
  dvt_rendezvous_abort_step(&step, dvt_error(TF_DATA_LOSS, "the disk is gone"));
  dvt_rendezvous_abort_step(&step, dvt_error(TF_INTERNAL, "later"));
  assert_int_equal(r.code, TF_DATA_LOSS);
  assert_string_equal(r.message, "the disk is gone");
  ask(&step, "kept", &r);
  assert_int_equal(r.code, TF_DATA_LOSS);
  step_end(&step);
}

static void test_end_answers_who_waits_and_drops_values(void **state) {
  (void)state;
  dvt_step step = step_make();
  receipt r;
  assert_ok(send_number(&step, "a", 1));
  ask(&step, "b", &r);
  assert_null(dvt_step_finish(&step, NULL));
  assert_int_equal(r.calls, 1);
  assert_int_equal(r.code, TF_CANCELLED);
  ask(&step, "a", &r);  // the next step has no value of the last one
  assert_int_equal(r.calls, 0);
  step_end(&step);
  assert_int_equal(r.calls, 1);
}

static void test_called_step_shares_with_its_caller(void **state) {
  (void)state;
  dvt_step outer = step_make(), inner = step_make();
  inner.caller = &outer;
  receipt r;
  assert_ok(send_number(&inner, "a", 5));
  step_end(&inner);
  ask(&outer, "a", &r);
  check(&r, 5);
  step_end(&outer);
}

// ---- races ----

typedef struct worker {
  dvt_step *step;
  int number;
  atomic_int *sum, *received;
} worker;

static void add(void *arg, dvt_status error, const TF_Tensor *value, bool is_dead) {
  (void)is_dead;
  worker *w = arg;
  if (error) return;
  atomic_fetch_add(w->sum, (int)*(const float *)value->data);
  atomic_fetch_add(w->received, 1);
}

static void *work(void *arg) {
  worker *w = arg;
  for (int i = 0; i < VALUES; i++) {
    char key[16];
    snprintf(key, sizeof key, "%d", i % 5);
    if (w->number % 2)
      dvt_rendezvous_receive(w->step, dvt_str_from(key), add, w);
    else
      dvt_status_free(send_number(w->step, key, 1));
  }
  return NULL;
}

static void test_race_of_senders_and_receivers(void **state) {
  (void)state;
  dvt_step step = step_make();
  atomic_int sum = 0, received = 0;
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){&step, i, &sum, &received};
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert_int_equal(received, THREADS / 2 * VALUES);
  assert_int_equal(sum, THREADS / 2 * VALUES);
  step_end(&step);
}

static void test_race_with_cancelling(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    dvt_step step = step_make();
    atomic_int sum = 0, received = 0;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
      workers[i] = (worker){&step, i, &sum, &received};
      pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    dvt_step_cancel(&step);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(sum, received);
    step_end(&step);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_wait_in_order),
      cmocka_unit_test(test_receivers_wait_in_order),
      cmocka_unit_test(test_dead_values_and_missing_ones),
      cmocka_unit_test(test_cancelling_answers_who_waits_and_who_comes),
      cmocka_unit_test(test_abort_gives_its_reason_and_drops_values),
      cmocka_unit_test(test_end_answers_who_waits_and_drops_values),
      cmocka_unit_test(test_called_step_shares_with_its_caller),
      cmocka_unit_test(test_race_of_senders_and_receivers),
      cmocka_unit_test(test_race_with_cancelling),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
