// Whose code an address is in, and what is counted for its owner; threads that look while owners come and go.
#include "base/code_owner.h"

#include <pthread.h>

#include "base/testing.h"

static char memory[4096];  // stands for code

static void test_ranges(void **state) {
  (void)state;
  assert_null(dvt_code_owner_find(memory));
  dvt_code_owner *b = dvt_code_owner_add(memory + 200, memory + 300);
  dvt_code_owner *a = dvt_code_owner_add(memory + 100, memory + 200);
  dvt_code_owner *c = dvt_code_owner_add(memory + 1000, memory + 1001);
  assert_ptr_equal(dvt_code_owner_find(memory + 100), a);
  assert_ptr_equal(dvt_code_owner_find(memory + 199), a);
  assert_ptr_equal(dvt_code_owner_find(memory + 200), b);
  assert_ptr_equal(dvt_code_owner_find(memory + 1000), c);
  assert_null(dvt_code_owner_find(memory + 99));
  assert_null(dvt_code_owner_find(memory + 300));
  assert_null(dvt_code_owner_find(memory + 1001));
  assert_null(dvt_code_owner_find(NULL));
  assert_true(dvt_code_owner_has(a, memory + 150));
  assert_false(dvt_code_owner_has(a, memory + 250) || dvt_code_owner_has(NULL, memory));
  dvt_code_owner_remove(b);
  dvt_code_owner_remove(NULL);
  assert_null(dvt_code_owner_find(memory + 200));
  assert_ptr_equal(dvt_code_owner_find(memory + 199), a);
  dvt_code_owner_remove(a);
  dvt_code_owner_remove(c);
  assert_null(dvt_code_owner_find(memory + 1000));
}

static void test_what_is_alive(void **state) {
  (void)state;
  static const char tensors[] = "tensors";
  dvt_code_owner *owner = dvt_code_owner_add(memory, memory + 10);
  dvt_buf text = {0};
  assert_int_equal(dvt_code_owner_live(owner, &text), 0);
  assert_int_equal(text.len, 0);
  assert_null(dvt_owned_find(owner, tensors));
  dvt_owned_kind *one = dvt_owned_take(owner, tensors, tensors, NULL);
  dvt_owned_kind *box = dvt_owned_take(owner, memory, "values", "a::Box");
  assert_ptr_equal(dvt_owned_take(owner, tensors, tensors, NULL), one);
  assert_ptr_equal(dvt_owned_find(owner, tensors), one);
  assert_int_equal(dvt_code_owner_live(owner, &text), 3);
  assert_string_equal(text.data, "1 values of type 'a::Box', 2 tensors");
  dvt_owned_drop(one);
  dvt_owned_drop(one);
  dvt_owned_drop(box);
  dvt_owned_drop(NULL);
  assert_int_equal(dvt_code_owner_live(owner, NULL), 0);
  assert_int_equal(dvt_code_owner_live(NULL, NULL), 0);
  assert_null(dvt_owned_take(NULL, tensors, tensors, NULL));
  dvt_code_owner_remove(owner);
  dvt_buf_deinit(&text);
}

static void test_out_of_memory(void **state) {
  (void)state;
  static const char key[] = "things";
  for (int64_t nth = 1; nth <= 2; nth++) {
    dvt_alloc_fail_at(nth);
    dvt_code_owner *owner = dvt_code_owner_add(memory, memory + 10);
    dvt_alloc_fail_at(0);
    assert_null(owner);
  }
  dvt_code_owner *owner = dvt_code_owner_add(memory, memory + 10);
  dvt_alloc_fail_at(1);
  assert_null(dvt_owned_take(owner, key, key, NULL));
  dvt_code_owner_remove(owner);
  dvt_alloc_fail_at(0);
  assert_null(dvt_code_owner_find(memory));
  dvt_code_owner *next = dvt_code_owner_add(memory, memory + 10);
  assert_ptr_equal(dvt_code_owner_find(memory), next);
  dvt_code_owner_remove(next);
}

static atomic_bool over;

static void *look(void *arg) {
  static const char key[] = "looks";
  size_t found = 0;
  (void)arg;
  while (!atomic_load(&over)) {
    dvt_code_owner *owner = dvt_code_owner_find(memory + 50);
    dvt_owned_kind *kind = dvt_owned_take(owner, key, key, NULL);
    found += kind != NULL;
    dvt_owned_drop(kind);
  }
  return (void *)found;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, look, NULL);
  for (int i = 0; i < 300; i++) {
    dvt_code_owner *owner = dvt_code_owner_add(memory, memory + 100);
    dvt_code_owner_remove(owner);
    assert_non_null(owner);
  }
  atomic_store(&over, true);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_what_is_alive),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
