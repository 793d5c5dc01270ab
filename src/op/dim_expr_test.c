// Computed dims: what is the same size is the same symbol.
#include "op/dim_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
// cmocka.h needs the four above.
#include <cmocka.h>

static dvt_shape_arena arena;

static dvt_dim add(dvt_dim a, dvt_dim b) { return dvt_dim_compute(&arena, DVT_DIM_ADD, a, b); }
static dvt_dim subtract(dvt_dim a, dvt_dim b) { return dvt_dim_compute(&arena, DVT_DIM_SUBTRACT, a, b); }
static dvt_dim multiply(dvt_dim a, dvt_dim b) { return dvt_dim_compute(&arena, DVT_DIM_MULTIPLY, a, b); }
static dvt_dim divide(dvt_dim a, dvt_dim b) { return dvt_dim_compute(&arena, DVT_DIM_DIVIDE, a, b); }

static void test_the_same_computation_is_the_same_symbol(void **state) {
  (void)state;
  dvt_dim n = dvt_dim_new_unknown(&arena), m = dvt_dim_new_unknown(&arena);
  assert_int_equal(divide(add(n, 1), 2), divide(add(1, n), 2));
  assert_int_equal(multiply(n, m), multiply(m, n));
  assert_int_equal(add(n, m), add(m, n));
  assert_int_equal(dvt_dim_compute(&arena, DVT_DIM_MAX, n, m), dvt_dim_compute(&arena, DVT_DIM_MAX, m, n));
  assert_int_not_equal(add(n, 1), add(n, 2));
  assert_int_not_equal(add(n, 1), multiply(n, 1));
  assert_int_not_equal(divide(n, m), divide(m, n));
  assert_int_not_equal(subtract(5, n), subtract(n, 5));
}

static void test_what_undoes_itself_is_gone(void **state) {
  (void)state;
  dvt_dim n = dvt_dim_new_unknown(&arena), m = dvt_dim_new_unknown(&arena);
  assert_int_equal(subtract(add(n, 2), 2), n);
  assert_int_equal(add(subtract(n, 3), 3), n);
  assert_int_equal(subtract(add(n, 5), 3), add(n, 2));
  assert_int_equal(subtract(n, n), 0);
  assert_int_equal(subtract(add(n, m), n), m);
  assert_int_equal(divide(multiply(n, 12), 4), multiply(n, 3));
  assert_int_equal(divide(multiply(n, 4), 4), n);
  assert_int_equal(divide(multiply(n, m), m), n);
  assert_int_equal(multiply(multiply(n, 7), 7), multiply(n, 49));
  assert_int_equal(divide(divide(n, 2), 2), divide(n, 4));
  assert_int_equal(add(n, n), multiply(2, n));
}

static void test_only_sure_differences(void **state) {
  (void)state;
  dvt_dim n = dvt_dim_new_unknown(&arena), m = dvt_dim_new_unknown(&arena), d;
  assert_true(dvt_dim_difference(&arena, 5, 3, &d));
  assert_int_equal(d, 2);
  assert_false(dvt_dim_difference(&arena, 3, 5, &d));
  assert_false(dvt_dim_difference(&arena, n, 1, &d));
  assert_false(dvt_dim_difference(&arena, n, m, &d));
  assert_true(dvt_dim_difference(&arena, add(n, 4), 4, &d));
  assert_int_equal(d, n);
  assert_true(dvt_dim_difference(&arena, add(n, m), n, &d));
  assert_int_equal(d, m);
}

static void test_overflow_is_a_symbol_of_its_own(void **state) {
  (void)state;
  dvt_dim n = dvt_dim_new_unknown(&arena), large = multiply(n, INT64_MAX);
  assert_int_not_equal(multiply(large, 2), multiply(large, 2));
  assert_int_not_equal(add(add(n, INT64_MAX), INT64_MAX), n);
}

static void test_many(void **state) {
  (void)state;
  dvt_dim n = dvt_dim_new_unknown(&arena), made[2000];
  for (int i = 0; i < 2000; i++) made[i] = add(n, i + 1);
  for (int i = 0; i < 2000; i++) assert_int_equal(add(n, i + 1), made[i]);
}

static void name(void *arg, dvt_dim symbol, dvt_buf *out) {
  (void)symbol;
  dvt_buf_append_byte(out, *(const char *)arg);
}

static void assert_text(dvt_dim dim, const char *expected) {
  dvt_buf text = {0};
  dvt_dim_describe(&arena, dim, name, "N", &text);
  assert_true(dvt_str_is(dvt_buf_str(&text), expected));
  dvt_buf_deinit(&text);
}

static void test_text(void **state) {
  (void)state;
  dvt_dim n = dvt_dim_new_unknown(&arena);
  assert_text(7, "7");
  assert_text(n, "N");
  assert_text(divide(subtract(n, 3), 2), "(N-3)/2");
  assert_text(add(multiply(n, 4), 1), "(N*4)+1");
  assert_text(dvt_dim_compute(&arena, DVT_DIM_MIN, n, 9), "min(N,9)");
}

static int teardown(void **state) {
  (void)state;
  dvt_shape_arena_deinit(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_the_same_computation_is_the_same_symbol, teardown),
      cmocka_unit_test_teardown(test_what_undoes_itself_is_gone, teardown),
      cmocka_unit_test_teardown(test_only_sure_differences, teardown),
      cmocka_unit_test_teardown(test_overflow_is_a_symbol_of_its_own, teardown),
      cmocka_unit_test_teardown(test_many, teardown),
      cmocka_unit_test_teardown(test_text, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
