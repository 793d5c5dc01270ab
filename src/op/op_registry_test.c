// The registry: strict registration, duplicates, owners, autoload, lists, and OpDefs in and out.
#include "op/registry.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/testing.h"
#include "op/op_def_builder.h"

static TF_OpDefinitionBuilder *simple_builder(const char *name) {
  TF_OpDefinitionBuilder *builder = dvt_op_builder_new(dvt_str_from(name));
  dvt_op_builder_add(builder, DVT_SPEC_INPUT, DVT_STR("x: float"));
  dvt_op_builder_add(builder, DVT_SPEC_OUTPUT, DVT_STR("y: float"));
  return builder;
}

static void test_rule_043_errors_come_from_registration(void **state) {
  (void)state;
  TF_OpDefinitionBuilder *builder = simple_builder("RegBad");
  dvt_op_builder_add(builder, DVT_SPEC_ATTR, DVT_STR("a: int32"));
  dvt_test_expect_error(dvt_op_register(builder), TF_INVALID_ARGUMENT, "Extra '32' unparsed");
  assert_null(dvt_op_lookup(DVT_STR("RegBad")));
  // A failed registration leaves the name free.
  assert_null(dvt_op_register(simple_builder("RegBad")));
  assert_non_null(dvt_op_lookup(DVT_STR("RegBad")));
}

static void test_rule_044_duplicates(void **state) {
  (void)state;
  assert_null(dvt_op_register(simple_builder("RegTwice")));
  const dvt_op_def *first = dvt_op_lookup(DVT_STR("RegTwice"));
  dvt_test_expect_error(dvt_op_register(simple_builder("RegTwice")), TF_ALREADY_EXISTS,
                        "Op with name RegTwice");
  assert_ptr_equal(dvt_op_lookup(DVT_STR("RegTwice")), first);
  dvt_test_expect_error(dvt_op_register(NULL), TF_INVALID_ARGUMENT, "builder is NULL");
}

static int plugin_a, plugin_b;  // only their addresses count

static void test_rules_045_046_duplicates_in_plugins(void **state) {
  (void)state;
  dvt_plugin *a = (dvt_plugin *)&plugin_a, *b = (dvt_plugin *)&plugin_b;
  assert_null(dvt_op_register(simple_builder("RegHost")));
  size_t before = dvt_op_registry_count();
  dvt_load *in_a = dvt_load_begin(a);
  assert_ptr_equal(dvt_load_current(), in_a);
  assert_null(dvt_op_register(simple_builder("RegInA")));
  // Same name twice in one library: a constructor and TF_InitKernel may register one op, but not two.
  assert_null(dvt_op_register(simple_builder("RegInA")));
  TF_OpDefinitionBuilder *twin = simple_builder("RegInA");
  twin->is_stateful = true;
  dvt_test_expect_error(dvt_op_register(twin), TF_ALREADY_EXISTS, "Op with name RegInA");
  // Known before the load: ignored when it is the same op, refused when it is another.
  assert_null(dvt_op_register(simple_builder("RegHost")));
  TF_OpDefinitionBuilder *other = simple_builder("RegHost");
  dvt_op_builder_add(other, DVT_SPEC_ATTR, DVT_STR("a: int"));
  dvt_test_expect_error(dvt_op_register(other), TF_ALREADY_EXISTS, "a:int");
  dvt_load *in_b = dvt_load_begin(b);
  assert_null(dvt_op_register(simple_builder("RegInB")));
  dvt_load_end(in_b, true);
  assert_ptr_equal(dvt_load_current(), in_a);
  assert_int_equal(dvt_op_registry_count(), before + 2);
  assert_ptr_equal(dvt_op_lookup(DVT_STR("RegInA"))->plugin, a);

  dvt_buf list = {0};
  dvt_op_registry_list_load(in_a, &list);
  dvt_field op, name;
  assert_true(dvt_wire_find(dvt_buf_str(&list), 1, DVT_WIRE_BYTES, &op));
  assert_true(dvt_wire_find(op.bytes, 1, DVT_WIRE_BYTES, &name));
  assert_true(dvt_str_is(name.bytes, "RegInA"));
  assert_int_equal(list.len, op.bytes.len + 2);
  dvt_buf_deinit(&list);

  dvt_op_registry_remove_load(in_a);
  dvt_load_end(in_a, false);
  assert_null(dvt_load_current());
  assert_null(dvt_op_lookup(DVT_STR("RegInA")));
  assert_non_null(dvt_op_lookup(DVT_STR("RegInB")));
  assert_non_null(dvt_op_lookup(DVT_STR("RegHost")));
  assert_int_equal(dvt_op_registry_count(), before + 1);
  assert_null(dvt_op_register(simple_builder("RegInA")));
  assert_non_null(dvt_op_lookup(DVT_STR("RegInA")));
}

static void *look_up(void *name) { return (void *)dvt_op_lookup(dvt_str_from(name)); }

static const dvt_op_def *seen_elsewhere(const char *name) {
  pthread_t thread;
  void *op;
  assert_int_equal(pthread_create(&thread, NULL, look_up, (void *)name), 0);
  pthread_join(thread, &op);
  return op;
}

static void *register_twin(void *name) { return dvt_op_register(simple_builder(name)); }

static void count_named(void *arg, const dvt_op_def *op) {
  if (dvt_str_is(op->name, "RegPending")) ++*(int *)arg;
}

static void *visit_pending(void *arg) {
  dvt_op_registry_visit(count_named, arg);
  return NULL;
}

// The code of a plugin whose load fails goes away: nobody else may have got at its ops by then.
static void test_ops_of_a_running_load_are_hidden_from_other_threads(void **state) {
  (void)state;
  pthread_t thread;
  void *result;
  for (int success = 0; success < 2; success++) {
    dvt_load *load = dvt_load_begin((dvt_plugin *)&plugin_a);
    assert_null(dvt_op_register(simple_builder("RegPending")));
    assert_non_null(dvt_op_lookup(DVT_STR("RegPending")));
    assert_null(seen_elsewhere("RegPending"));
    int visited = 0;
    pthread_create(&thread, NULL, visit_pending, &visited);
    pthread_join(thread, NULL);
    assert_int_equal(visited, 0);
    // An op of the same name from another thread is a duplicate only if the load succeeds.
    pthread_create(&thread, NULL, register_twin, "RegPending");
    if (!success) dvt_op_registry_remove_load(load);
    dvt_load_end(load, success);
    pthread_join(thread, &result);
    if (success) {
      dvt_test_expect_error(result, TF_ALREADY_EXISTS, "Op with name RegPending");
      assert_ptr_equal(seen_elsewhere("RegPending")->load, load);
    } else {
      assert_null(result);
      const dvt_op_def *op = dvt_op_lookup(DVT_STR("RegPending"));
      assert_null(op->load);
      dvt_load twins = {.last_op = op, .op_count = 1};
      dvt_op_registry_remove_load(&twins);
      assert_null(dvt_op_lookup(DVT_STR("RegPending")));
    }
  }
}

static void check_sorted(void *arg, const dvt_op_def *op) {
  dvt_str *last = arg;
  assert_true(last->len == 0 || dvt_str_compare(*last, op->name) < 0);
  *last = op->name;
}

static void test_many_ops_are_found_and_visited_in_order(void **state) {
  (void)state;
  char name[32];
  for (int i = 0; i < 3000; i++) {
    snprintf(name, sizeof name, "RegMany%d", i);
    assert_null(dvt_op_register(simple_builder(name)));
  }
  for (int i = 0; i < 3000; i++) {
    snprintf(name, sizeof name, "RegMany%d", i);
    const dvt_op_def *op = dvt_op_lookup(dvt_str_from(name));
    assert_non_null(op);
    assert_string_equal(op->name.data, name);  // NUL-terminated
  }
  assert_null(dvt_op_lookup(DVT_STR("RegMany3000")));
  dvt_str last = {0};
  dvt_op_registry_visit(check_sorted, &last);
}

static int hook_calls, all_calls;
static bool autoload(dvt_str name) {
  hook_calls++;
  return dvt_str_is(name, "RegAuto") && !dvt_op_register(simple_builder("RegAuto"));
}
static void autoload_all(void) { all_calls++; }

static void test_autoload(void **state) {
  (void)state;
  assert_null(dvt_op_lookup(DVT_STR("RegAuto")));
  dvt_op_registry_set_autoload(autoload, autoload_all, NULL);
  assert_null(dvt_op_lookup_loaded(DVT_STR("RegAuto")));
  assert_int_equal(hook_calls, 0);
  assert_non_null(dvt_op_lookup(DVT_STR("RegAuto")));
  assert_int_equal(hook_calls, 1);
  assert_non_null(dvt_op_lookup(DVT_STR("RegAuto")));
  assert_int_equal(hook_calls, 1);
  assert_null(dvt_op_lookup(DVT_STR("RegNever")));
  dvt_op_registry_load_all();
  assert_int_equal(all_calls, 1);
  dvt_op_registry_set_autoload(NULL, NULL, NULL);
}

static void test_unknown_op_names_neighbours(void **state) {
  (void)state;
  const dvt_op_def *op = NULL;
  assert_null(dvt_op_register(simple_builder("RegConvolve")));
  dvt_test_expect_error(dvt_op_lookup_or_error(DVT_STR("RegConvolv"), &op), TF_NOT_FOUND, "RegConvolve");
  dvt_test_expect_error(dvt_op_lookup_or_error(DVT_STR("Zyxwvu"), &op), TF_NOT_FOUND,
                        "Op type not registered 'Zyxwvu'");
  assert_null(op);
  assert_null(dvt_op_lookup_or_error(DVT_STR("RegConvolve"), &op));
  assert_non_null(op);
}

// Rule 67: stock ignores the value and always sets the flag.
static void test_rule_067_flags_and_rule_068_deprecation_round_trip(void **state) {
  (void)state;
  TF_OpDefinitionBuilder *builder = simple_builder("RegFlags");
  builder->is_commutative = true;
  builder->is_aggregate = false;
  dvt_op_builder_deprecate(builder, 21, DVT_STR("use Other"));
  assert_null(dvt_op_register(builder));
  const dvt_op_def *op = dvt_op_lookup(DVT_STR("RegFlags")), *copy;
  dvt_buf wire = {0}, again = {0};
  dvt_op_def_to_proto(op, &wire);
  dvt_arena arena = {0};
  assert_null(dvt_op_def_from_proto(dvt_buf_str(&wire), &arena, &copy));
  assert_true(copy->is_commutative);
  assert_false(copy->is_aggregate);
  assert_false(copy->is_stateful);
  assert_int_equal(copy->deprecated_since, 21);
  assert_true(dvt_str_is(copy->deprecation_text, "use Other"));
  dvt_op_def_to_proto(copy, &again);
  assert_true(dvt_str_eq(dvt_buf_str(&wire), dvt_buf_str(&again)));
  dvt_arena_deinit(&arena);
  dvt_buf_deinit(&wire);
  dvt_buf_deinit(&again);
}

static void expect_proto_error(const char *bytes, size_t len, const char *part) {
  dvt_arena arena = {0};
  const dvt_op_def *op;
  dvt_test_expect_error(dvt_op_def_from_proto(dvt_str_make(bytes, len), &arena, &op), TF_INVALID_ARGUMENT,
                        part);
  dvt_arena_deinit(&arena);
}
#define EXPECT_PROTO_ERROR(literal, part) expect_proto_error(literal, sizeof literal - 1, part)

// Each wrong line names the op: what a file can make them add up to is bounded.
static void test_text_of_many_errors_is_bounded(void **state) {
  (void)state;
  enum { NAME_BYTES = 50000, ATTRS = 1000 };
  static char name[NAME_BYTES];
  dvt_buf proto = {0};
  dvt_arena arena = {0};
  const dvt_op_def *op;
  memset(name, 'X', sizeof name);
  dvt_wire_put_bytes(&proto, 1, dvt_str_make(name, sizeof name));
  for (int i = 0; i < ATTRS; i++)
    dvt_wire_put_bytes(&proto, 4,
                       DVT_STR("\x0a\x01N\x12\x03"
                               "foo"));
  dvt_status status = dvt_op_def_from_proto(dvt_buf_str(&proto), &arena, &op);
  assert_non_null(status);
  assert_true(strlen(dvt_status_message(status)) < 4 * NAME_BYTES);
  dvt_status_free(status);
  for (int i = 0; i < 100; i++) dvt_wire_put_bytes(&proto, 4, DVT_STR("\x0a\x01N\x12\x03int"));
  dvt_test_expect_error(dvt_op_def_from_proto(dvt_buf_str(&proto), &arena, &op), TF_INVALID_ARGUMENT,
                        "1024 attrs are allowed");
  dvt_arena_deinit(&arena);
  dvt_buf_deinit(&proto);
}

static void test_bad_protos(void **state) {
  (void)state;
  EXPECT_PROTO_ERROR("\x0a\x05x", "malformed OpDef");
  EXPECT_PROTO_ERROR("\x0a\x01x", "Invalid name: x");
  EXPECT_PROTO_ERROR("\x0a\x01X\x12\x02\x0a\x05", "malformed OpDef 'X'");
  EXPECT_PROTO_ERROR("\x0a\x01X\x12\x03\x0a\x01y", "Missing type for input 'y'");
  EXPECT_PROTO_ERROR("\x0a\x01X\x1a\x05\x0a\x01y\x18\x65", "Illegal use of ref type 'float_ref'");
  EXPECT_PROTO_ERROR("\x0a\x01X\x1a\x05\x0a\x01y\x18\x4d", "Unknown dtype number 77");
  EXPECT_PROTO_ERROR("\x0a\x01X\x1a\x06\x0a\x01y\x22\x01T", "No attr with name 'T' for output 'y'");
  EXPECT_PROTO_ERROR(
      "\x0a\x01X\x22\x08\x0a\x01N\x12\x03"
      "foo",
      "Unrecognized type 'foo' in attr 'N'");
  EXPECT_PROTO_ERROR("\x0a\x01X\x12\x08\x0a\x01y\x18\x01\x2a\x01N\x22\x08\x0a\x01N\x12\x03int",
                     "Attr 'N' used as length must have minimum");
  EXPECT_PROTO_ERROR("\x0a\x01X\x12\x05\x0a\x01y\x18\x01\x1a\x05\x0a\x01y\x18\x01", "Duplicate name: y");
}

static void test_function_signatures_are_freer(void **state) {
  (void)state;
  dvt_arena arena = {0};
  const dvt_op_def *op;
  static const char bytes[] = "\x0a\x06lower!\x12\x05\x0a\x01y\x18\x01\x1a\x05\x0a\x01y\x18\x01\x2a\x03sum";
  assert_null(dvt_op_def_from_signature(dvt_str_make(bytes, sizeof bytes - 1), &arena, &op));
  assert_string_equal(op->name.data, "lower!");
  // The summary is not understood but kept.
  dvt_buf out = {0};
  dvt_op_def_to_proto(op, &out);
  assert_true(dvt_str_eq(dvt_buf_str(&out), dvt_str_make(bytes, sizeof bytes - 1)));
  dvt_buf_deinit(&out);
  dvt_arena_deinit(&arena);
}

enum { THREADS = 4, OPS_EACH = 400 };
static atomic_int found_wrong;

static void *register_and_look(void *arg) {
  int thread = (int)(intptr_t)arg;
  char name[32];
  for (int i = 0; i < OPS_EACH; i++) {
    snprintf(name, sizeof name, "RegThread%dx%d", thread, i);
    dvt_status status = dvt_op_register(simple_builder(name));
    const dvt_op_def *op = dvt_op_lookup(dvt_str_from(name));
    if (status || !op || !dvt_str_is(op->name, name)) atomic_fetch_add(&found_wrong, 1);
    dvt_status_free(status);
    snprintf(name, sizeof name, "RegThread%dx%d", (thread + 1) % THREADS, i);
    op = dvt_op_lookup(dvt_str_from(name));  // there or not yet
    if (op && !dvt_str_is(op->name, name)) atomic_fetch_add(&found_wrong, 1);
    // Everybody wants this one; one gets it.
    snprintf(name, sizeof name, "RegShared%d", i);
    status = dvt_op_register(simple_builder(name));
    if (!dvt_op_lookup(dvt_str_from(name))) atomic_fetch_add(&found_wrong, 1);
    if (status && dvt_status_code(status) != TF_ALREADY_EXISTS) atomic_fetch_add(&found_wrong, 1);
    dvt_status_free(status);
  }
  return NULL;
}

static void test_threads_register_and_look_up(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  size_t before = dvt_op_registry_count();
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, register_and_look, (void *)(intptr_t)i), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&found_wrong), 0);
  assert_int_equal(dvt_op_registry_count(), before + THREADS * OPS_EACH + OPS_EACH);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_043_errors_come_from_registration),
      cmocka_unit_test(test_rule_044_duplicates),
      cmocka_unit_test(test_rules_045_046_duplicates_in_plugins),
      cmocka_unit_test(test_ops_of_a_running_load_are_hidden_from_other_threads),
      cmocka_unit_test(test_many_ops_are_found_and_visited_in_order),
      cmocka_unit_test(test_autoload),
      cmocka_unit_test(test_unknown_op_names_neighbours),
      cmocka_unit_test(test_rule_067_flags_and_rule_068_deprecation_round_trip),
      cmocka_unit_test(test_bad_protos),
      cmocka_unit_test(test_text_of_many_errors_is_bounded),
      cmocka_unit_test(test_function_signatures_are_freer),
      cmocka_unit_test(test_threads_register_and_look_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
