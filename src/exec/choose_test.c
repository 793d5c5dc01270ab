// Choosing between the walkers, from measured times that the test makes up.
#include "exec/exec_test_util.h"
#include "exec/run.h"

enum { US = 1000 };

static const unsigned char two_threads[] = {0x10, 2, 0x28, 2};

typedef struct diamond {
  TF_Graph *g;
  TF_Output x, z;
  TF_Session *s;
  dvt_plan *plan;
} diamond;

// x -> a, b (independent) -> z
static diamond make_diamond(const void *config, size_t config_bytes) {
  diamond d = {.g = TF_NewGraph()};
  d.x = placeholder(d.g, "x", TF_FLOAT);
  TF_Output a = OUT(node(d.g, "TestDouble", "a", d.x, NONE, NULL)),
            b = OUT(node(d.g, "TestIdentity", "b", d.x, NONE, NULL));
  d.z = OUT(node(d.g, "TestAdd", "z", a, b, NULL));
  d.s = new_session(d.g, config, config_bytes);
  assert_null(dvt_plan_get(d.s, &d.x, 1, &d.z, 1, NULL, 0, &d.plan));
  return d;
}

static void end_diamond(diamond *d) {
  assert_true(run_float(d->s, d->x, make_scalar(2), d->z) == 6);
  end_session(d->s);
  TF_DeleteGraph(d->g);
}

static void learn(diamond *d, int64_t node_ns, bool flow, int64_t step_ns, int times) {
  for (int32_t i = 0; i < d->plan->node_count; i++) dvt_node_cost(&d->plan->nodes[i], node_ns);
  for (int i = 0; i < times; i++) dvt_choose_learn(d->plan, flow, step_ns);
}

static bool measures(const diamond *d, bool in_caller) {
  bool measure;
  dvt_choose_flow(d->plan, &(dvt_run){.plan = d->plan, .in_caller = in_caller}, &measure);
  return measure;
}

static bool chooses_flow(const diamond *d, bool in_caller) {
  bool measure;
  return dvt_choose_flow(d->plan, &(dvt_run){.plan = d->plan, .in_caller = in_caller}, &measure);
}

static void test_small_nodes_stay_in_the_array(void **state) {
  (void)state;
  diamond d = make_diamond(two_threads, sizeof two_threads);
  assert_int_equal(atomic_load(&d.plan->mode), DVT_PLAN_MEASURE);
  assert_false(chooses_flow(&d, false));
  learn(&d, 5 * US, false, 15 * US, 3);
  assert_int_equal(atomic_load(&d.plan->mode), DVT_PLAN_ARRAY);
  assert_false(chooses_flow(&d, false));
  end_diamond(&d);
}

static void test_large_independent_nodes_are_tried_and_kept(void **state) {
  (void)state;
  diamond d = make_diamond(two_threads, sizeof two_threads);
  learn(&d, 500 * US, false, 1500 * US, 3);
  assert_int_equal(atomic_load(&d.plan->mode), DVT_PLAN_TRY);
  assert_true(chooses_flow(&d, false));
  assert_false(chooses_flow(&d, true));  // the caller wants its own thread only
  assert_true(measures(&d, false));
  assert_false(measures(&d, true));
  learn(&d, 500 * US, true, 1000 * US, 4);
  assert_int_equal(atomic_load(&d.plan->mode), DVT_PLAN_PARALLEL);
  assert_true(chooses_flow(&d, false));
  end_diamond(&d);
}

static void test_no_gain_goes_back_to_the_array(void **state) {
  (void)state;
  diamond d = make_diamond(two_threads, sizeof two_threads);
  learn(&d, 500 * US, false, 1500 * US, 3);
  learn(&d, 500 * US, true, 1480 * US, 4);
  assert_int_equal(atomic_load(&d.plan->mode), DVT_PLAN_ARRAY);
  end_diamond(&d);
}

static void test_one_thread_never_measures(void **state) {
  (void)state;
  static const unsigned char one_thread[] = {0x10, 1, 0x28, 1};
  static const unsigned char single[] =
      "\x10\x02\x82\x01\x1a\x1a\x18"
      "SINGLE_THREADED_EXECUTOR";
  diamond d = make_diamond(one_thread, sizeof one_thread);
  assert_int_equal(atomic_load(&d.plan->mode), DVT_PLAN_ARRAY);
  end_diamond(&d);
  d = make_diamond(single, sizeof single - 1);
  assert_int_equal(atomic_load(&d.plan->mode), DVT_PLAN_ARRAY);
  end_diamond(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_nodes_stay_in_the_array),
      cmocka_unit_test(test_large_independent_nodes_are_tried_and_kept),
      cmocka_unit_test(test_no_gain_goes_back_to_the_array),
      cmocka_unit_test(test_one_thread_never_measures),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
