// What a traced step records: rows and labels as in stock, times, shapes and bytes, spans of kernels, and all
// of it for steps that fail, run out of time, loop, and run in parallel.
#include "base/log.h"
#include "base/wire.h"
#include "dovetail/trace.h"
#include "exec/exec_test_util.h"
#include "exec/plan.h"
#include "exec/plan_names.h"

// ---- helpers ----

static dvt_profile *run_profiled(TF_Session *s, TF_Output x, float value, TF_Output y, TF_Code code) {
  dvt_profile *profile = dvt_profile_new();
  dvt_run_options options = {.profile = profile};
  TF_Tensor *feed = make_scalar(value), *got = NULL;
  dvt_status status = dvt_session_run(s, &options, &x, &feed, 1, &y, &got, 1, NULL, 0, NULL);
  assert_int_equal(status ? dvt_status_code(status) : TF_OK, code);
  dvt_status_free(status);
  TF_DeleteTensor(feed);
  TF_DeleteTensor(got);
  return profile;
}

static bool is_node(const dvt_profile_entry *e, const char *name) {
  dvt_buf text = {0};
  dvt_plan_node_name(e->plan, e->node, &text);
  bool same = dvt_str_is(dvt_buf_str(&text), name);
  dvt_buf_deinit(&text);
  return same;
}

static int count_entries(const dvt_profile *profile, const char *name) {
  int count = 0;
  for (size_t i = 0; i < profile->count; i++) count += is_node(&profile->entries[i], name);
  return count;
}

static const dvt_profile_entry *entry_of(const dvt_profile *profile, const char *name) {
  for (size_t i = 0; i < profile->count; i++)
    if (is_node(&profile->entries[i], name)) return &profile->entries[i];
  fail_msg("no entry for %s", name);
  return NULL;
}

// Times lie within the step, and the walk's order is kept.
static void check_times(const dvt_profile *profile) {
  assert_true(profile->start_ns > 0 && profile->start_ns <= profile->end_ns);
  int64_t slack = (profile->end_ns - profile->start_ns) / 100 + 1000;  // of turning counts into nanoseconds
  for (size_t i = 0; i < profile->count; i++) {
    const dvt_profile_entry *e = &profile->entries[i];
    assert_true(e->scheduled_ns <= e->start_ns && e->start_ns <= e->end_ns);
    assert_true(e->scheduled_ns >= profile->start_ns - slack && e->end_ns <= profile->end_ns + slack);
  }
}

// "name|label" of each row of the RunMetadata.
static void list_rows(dvt_str metadata, dvt_buf *out) {
  dvt_field stats, device, row, name, label;
  assert_true(dvt_wire_find(metadata, 1, DVT_WIRE_BYTES, &stats));
  assert_true(dvt_wire_find(stats.bytes, 1, DVT_WIRE_BYTES, &device));
  for (dvt_wire w = dvt_wire_open(device.bytes); dvt_wire_next(&w, &row);) {
    if (row.number != 2) continue;
    assert_true(dvt_wire_find(row.bytes, 1, DVT_WIRE_BYTES, &name));
    assert_true(dvt_wire_find(row.bytes, 8, DVT_WIRE_BYTES, &label));
    dvt_buf_printf(out, DVT_STR_FMT "|" DVT_STR_FMT "\n", DVT_STR_ARG(name.bytes), DVT_STR_ARG(label.bytes));
  }
}

static void check_rows(TF_Session *s, TF_Output x, float value, TF_Output y, TF_Code code,
                       const char *wanted) {
  dvt_run_options options = {.trace = true};
  dvt_buf metadata = {0}, rows = {0};
  TF_Tensor *feed = make_scalar(value), *got = NULL;
  dvt_status status = dvt_session_run(s, &options, &x, &feed, 1, &y, &got, 1, NULL, 0, &metadata);
  assert_int_equal(status ? dvt_status_code(status) : TF_OK, code);
  dvt_status_free(status);
  list_rows(dvt_buf_str(&metadata), &rows);
  assert_string_equal(rows.data, wanted);
  dvt_buf_deinit(&metadata);
  dvt_buf_deinit(&rows);
  TF_DeleteTensor(feed);
  TF_DeleteTensor(got);
}

// ---- rows ----

// Stock lists constants, _Arg and _Retval nodes too; those that take part in no walk take no time here.
static void test_rows_are_named_as_in_stock(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), c = float_constant(g, "c", 3);
  TF_Output d = OUT(node(g, "TestDouble", "d", x, NONE, NULL));
  TF_Operation *first = node(g, "NoOp", "first", NONE, NONE, d.oper);
  TF_Output z = OUT(node(g, "TestAdd", "z", d, c, first));
  TF_Output a = OUT(node(g, "TestAsyncNow", "a", z, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  check_rows(s, x, 1, z, TF_OK,
             "c|c = Const()\n_arg_x_0_0|_arg_x_0_0 = _Arg()\nd|d = TestDouble(_arg_x_0_0)\n"
             "z|z = TestAdd(d, c)\nfirst|first = NoOp()\n_retval_z_0_0|_retval_z_0_0 = _Retval(z)\n");
  check_rows(
      s, x, 1, a, TF_OK,
      "c|c = Const()\n_arg_x_0_0|_arg_x_0_0 = _Arg()\nd|d = TestDouble(_arg_x_0_0)\nfirst|first = NoOp()\n"
      "z|z = TestAdd(d, c)\na|a = TestAsyncNow(z)\n_retval_a_0_0|_retval_a_0_0 = _Retval(a)\n");
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_rows_of_called_functions_carry_the_call(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output bx = placeholder(body, "bx", TF_FLOAT), by = OUT(node(body, "TestDouble", "by", bx, NONE, NULL));
  add_function(g, "twice", body, 1, &bx, 1, &by, 0, NULL, NULL);
  TF_DeleteGraph(body);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Output y = OUT(call(g, "PartitionedCall", "call", "twice", 1, &x, 1, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  check_rows(s, x, 1, y, TF_OK,
             "_arg_x_0_0|_arg_x_0_0 = _Arg()\ncall/by_0|call/by_0 = TestDouble(_arg_x_0_0)\n"
             "_retval_call_0_0|_retval_call_0_0 = _Retval(call/by_0)\n");
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_failed_step_tells_what_ran(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), d = OUT(node(g, "TestDouble", "d", x, NONE, NULL));
  TF_Output f = OUT(node(g, "TestFail", "f", d, NONE, NULL)),
            y = OUT(node(g, "TestDouble", "y", f, NONE, NULL));
  TF_Output a = OUT(node(g, "TestAsyncFail", "a", d, NONE, NULL)),
            z = OUT(node(g, "TestDouble", "z", a, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  const char *common = "_arg_x_0_0|_arg_x_0_0 = _Arg()\nd|d = TestDouble(_arg_x_0_0)\n";
  dvt_buf wanted = {0};
  dvt_buf_printf(&wanted, "%sf|f = TestFail(d)\n", common);
  check_rows(s, x, 1, y, TF_FAILED_PRECONDITION, wanted.data);
  dvt_buf_clear(&wanted);
  dvt_buf_printf(&wanted, "%sa|a = TestAsyncFail(d)\n", common);
  check_rows(s, x, 1, z, TF_FAILED_PRECONDITION, wanted.data);
  dvt_buf_deinit(&wanted);
  for (int k = 0; k < 2; k++) {
    dvt_profile *profile = run_profiled(s, x, 1, k ? z : y, TF_FAILED_PRECONDITION);
    assert_true(profile->has_failed && entry_of(profile, k ? "a" : "f")->has_failed);
    assert_false(entry_of(profile, "d")->has_failed);
    check_times(profile);
    dvt_profile_release(profile);
  }
  end_session(s);
  TF_DeleteGraph(g);
}

// ---- times, shapes, bytes ----

static void test_entries_have_times_shapes_and_bytes(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  TF_Operation *h = node(g, "TestHalves", "h", x, NONE, NULL);
  TF_Output d = OUT(node(g, "TestDouble", "d", OUT1(h), NONE, NULL));
  TF_Output y = OUT(node_ms(g, "TestSleep", "y", d, 3));
  TF_Session *s = new_session(g, NULL, 0);
  dvt_profile *profile = dvt_profile_new();
  dvt_run_options options = {.profile = profile};
  TF_Tensor *feed = make_vector(5, 0), *got = NULL;
  dvt_status status = dvt_session_run(s, &options, &x, &feed, 1, &y, &got, 1, NULL, 0, NULL);
  assert_null(status);
  check_times(profile);
  const dvt_profile_entry *e = entry_of(profile, "h");
  size_t word = e->first_word;
  assert_int_equal(e->output_count, 2);
  for (int i = 0; i < 2; i++) {
    dvt_profile_output o = dvt_profile_next_output(profile, &word);
    assert_true(o.slot == i && o.dtype == TF_FLOAT && o.rank == 1 && o.dims[0] == 2 + i);
    assert_true(o.bytes == 4 * (2 + i) && o.address != 0);
  }
  assert_true(e->output_bytes == 20 && e->temp_bytes == 0);
  assert_int_equal(entry_of(profile, "d")->output_bytes, 0);  // in place
  assert_true(entry_of(profile, "y")->end_ns - entry_of(profile, "y")->start_ns >= 2900000);
  assert_int_equal(profile->feed_count, 1);
  TF_DeleteTensor(feed);
  TF_DeleteTensor(got);
  dvt_profile_release(profile);
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_dead_branches_have_no_entries(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), one = float_constant(g, "one", 1);
  TF_Operation *sw = node(g, "Switch", "sw", x, OUT(node(g, "TestLess", "less", x, one, NULL)), NULL);
  TF_Output a = OUT(node(g, "TestDouble", "a", OUT(sw), NONE, NULL)),
            b = OUT(node(g, "TestDouble", "b", OUT1(sw), NONE, NULL)), y = OUT(merge(g, "y", a, b));
  TF_Session *s = new_session(g, NULL, 0);
  dvt_profile *profile = run_profiled(s, x, 0, y, TF_OK);
  assert_true(count_entries(profile, "b") == 1 && count_entries(profile, "a") == 0);
  assert_true(count_entries(profile, "sw") == 1 && count_entries(profile, "y") == 1);
  const dvt_profile_entry *e = entry_of(profile, "sw");
  size_t word = e->first_word;
  assert_int_equal(e->output_count, 1);
  assert_int_equal(dvt_profile_next_output(profile, &word).slot, 1);
  dvt_profile_release(profile);
  end_session(s);
  TF_DeleteGraph(g);
}

// ---- asynchronous kernels ----

static TF_AsyncOpKernelDoneCallback *kept_done;
static TF_OpKernelContext *kept_context;
static dvt_trace_span kept_span;
static void async_kept_compute(void *state, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  (void)state;
  kept_context = ctx;
  kept_span = dvt_trace_begin(ctx, "waits");
  kept_done = done;
}

// What it does after the step was given up is recorded nowhere, and breaks nothing.
static void test_given_up_async_kernel_is_unfinished(void **state) {
  (void)state;
  register_op("TestAsyncKept", "x: float -> y: float", false);
  add_async_kernel("TestAsyncKept", NULL, async_kept_compute, NULL);
  for (int rest = 0; rest < 2; rest++) {  // 1: the profile is gone when the kernel goes on
    TF_Graph *g = TF_NewGraph();
    TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestAsyncKept", "y", x, NONE, NULL));
    TF_Session *s = new_session(g, NULL, 0);
    dvt_profile *profile = dvt_profile_new();
    dvt_run_options options = {.profile = profile, .timeout_ms = 20};
    TF_Tensor *feed = make_scalar(1), *got = NULL;
    dvt_status status = dvt_session_run(s, &options, &x, &feed, 1, &y, &got, 1, NULL, 0, NULL);
    assert_int_equal(dvt_status_code(status), TF_DEADLINE_EXCEEDED);
    dvt_status_free(status);
    TF_DeleteTensor(feed);
    const dvt_profile_entry *e = entry_of(profile, "y");
    assert_true(e->is_async && e->is_unfinished && !e->has_failed && e->output_count == 0);
    check_times(profile);
    assert_true(profile->span_count == 1 && profile->spans[0].end_ns == 0);
    if (rest) dvt_profile_release(profile);
    dvt_trace_end(kept_context, kept_span);
    assert_int_equal(dvt_trace_begin(kept_context, "late"), 0);
    identity_compute(NULL, kept_context);
    TF_RunAsyncOpKernelDoneCallback(kept_done);
    if (!rest) {
      assert_true(profile->count == 1 && profile->span_count == 1 && profile->spans[0].end_ns == 0);
      dvt_profile_release(profile);
    }
    end_session(s);
    TF_DeleteGraph(g);
  }
}

static void test_async_kernels_last_until_done(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), a = OUT(node_ms(g, "TestAsync", "a", x, 5));
  TF_Output y = OUT(node(g, "TestDouble", "y", a, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  dvt_profile *profile = run_profiled(s, x, 1, y, TF_OK);
  const dvt_profile_entry *e = entry_of(profile, "a");
  assert_true(e->is_async && !e->is_unfinished && e->output_count == 1);
  assert_true(e->end_ns - e->start_ns >= 4900000 && entry_of(profile, "y")->start_ns >= e->end_ns - 1000);
  check_times(profile);
  dvt_profile_release(profile);
  end_session(s);
  TF_DeleteGraph(g);
}

// ---- spans ----

static int log_lines;
static void count_line(void *arg, dvt_log_level level, const char *line) {
  (void)arg, (void)line;
  log_lines += level == DVT_ERROR;
}

static void spans_compute(void *state, TF_OpKernelContext *ctx) {
  dvt_trace_span outer = dvt_trace_begin(ctx, "outer \"part\""), inner = dvt_trace_begin(ctx, "inner");
  assert_true((outer != 0) == dvt_trace_is_on(ctx));
  dvt_trace_number(ctx, inner, "rows", 7);
  dvt_trace_end(ctx, inner);
  dvt_trace_end(ctx, outer);
  log_lines = 0;
  dvt_log_set_sink(count_line, NULL);
  dvt_trace_end(ctx, outer);  // twice
  dvt_trace_number(ctx, 77, "rows", 1);
  dvt_log_set_sink(NULL, NULL);
  // A number that is none of an untraced step's is not looked at.
  assert_int_equal(log_lines, dvt_trace_is_on(ctx) ? 2 : 0);
  identity_compute(state, ctx);
}

static void test_kernels_name_spans(void **state) {
  (void)state;
  register_op("TestSpans", "x: float -> y: float", false);
  add_kernel("TestSpans", NULL, spans_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node(g, "TestSpans", "y", x, NONE, NULL));
  TF_Output a = OUT(node(g, "TestAsyncNow", "a", y, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  run_float(s, x, make_scalar(1), y);  // not traced
  for (int k = 0; k < 2; k++) {        // array walk, dataflow walk
    dvt_profile *profile = run_profiled(s, x, 1, k ? a : y, TF_OK);
    assert_int_equal(profile->span_count, 2);
    const dvt_profile_span *outer = &profile->spans[0], *inner = &profile->spans[1];
    assert_true(dvt_str_is(outer->name, "outer \"part\"") && dvt_str_is(inner->name, "inner"));
    assert_true(outer->node == entry_of(profile, "y")->node && outer->thread == 0);
    assert_true(outer->start_ns <= inner->start_ns && inner->start_ns <= inner->end_ns);
    assert_true(inner->end_ns <= outer->end_ns && outer->end_ns <= entry_of(profile, "y")->end_ns);
    assert_true(inner->number_count == 1 && inner->numbers[0].value == 7);
    dvt_buf json = {0};
    dvt_profile_to_chrome(profile, &json);
    assert_non_null(strstr(json.data, "\"outer \\\"part\\\"\""));
    assert_non_null(strstr(json.data, "\"rows\":7"));
    dvt_buf_deinit(&json);
    dvt_profile_release(profile);
  }
  run_float(s, x, make_scalar(1), y);  // not traced any more
  end_session(s);
  TF_DeleteGraph(g);
}

// ---- parallel walks ----

// Independent nodes of one millisecond run on several threads; each has one entry, and the steps one profile
// each.
static void test_parallel_steps(void **state) {
  (void)state;
  enum { NODES = 12, STEPS = 12 };
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), parts[NODES];
  for (int i = 0; i < NODES; i++) {
    char begin[24], part[24];
    snprintf(begin, sizeof begin, "begin%d", i);
    snprintf(part, sizeof part, "part%d", i);
    parts[i] = OUT(node_ms(g, "TestSleep", part, OUT(node(g, "TestAsyncNow", begin, x, NONE, NULL)), 1));
  }
  TF_OperationDescription *d = TF_NewOperation(g, "TestSum", "sum");
  TF_AddInputList(d, parts, NODES);
  TF_Output sum = OUT(finish(d));
  setenv("DOVETAIL_OPTIMIZE", "none", true);              // equal nodes are to run each
  TF_Session *s = new_session(g, "\x10\x04\x28\x04", 4);  // 4 threads
  unsetenv("DOVETAIL_OPTIMIZE");
  for (int k = 0; k < STEPS; k++) {
    dvt_profile *profile = run_profiled(s, x, 1, sum, TF_OK);
    assert_int_equal(profile->count, 2 * NODES + 1);
    assert_int_equal(count_entries(profile, "sum"), 1);
    check_times(profile);
    dvt_profile_release(profile);
    if (k % 2) run_float(s, x, make_scalar(1), sum);
  }
  end_session(s);
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_are_named_as_in_stock),
      cmocka_unit_test(test_rows_of_called_functions_carry_the_call),
      cmocka_unit_test(test_failed_step_tells_what_ran),
      cmocka_unit_test(test_entries_have_times_shapes_and_bytes),
      cmocka_unit_test(test_dead_branches_have_no_entries),
      cmocka_unit_test(test_given_up_async_kernel_is_unfinished),
      cmocka_unit_test(test_async_kernels_last_until_done),
      cmocka_unit_test(test_kernels_name_spans),
      cmocka_unit_test(test_parallel_steps),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
