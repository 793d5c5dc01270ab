// Strings and the hash map keyed by them, checked against a plain array of keys through many insertions and
// removals.
#include "base/map.h"
#include "base/testing.h"

#define KEYS 3000

static void test_compare_and_search(void **state) {
  (void)state;
  assert_true(dvt_str_compare(DVT_STR("a"), DVT_STR("b")) < 0);
  assert_true(dvt_str_compare(DVT_STR("ab"), DVT_STR("a")) > 0);
  assert_true(dvt_str_compare(DVT_STR("\xff"), DVT_STR("a")) > 0);
  assert_int_equal(dvt_str_compare((dvt_str){0}, DVT_STR("")), 0);
  assert_true(dvt_str_eq((dvt_str){0}, DVT_STR("")));
  assert_true(dvt_str_is(DVT_STR("abc"), "abc"));
  assert_true(dvt_str_starts_with(DVT_STR("abc"), DVT_STR("ab")));
  assert_false(dvt_str_starts_with(DVT_STR("a"), DVT_STR("ab")));
  assert_int_equal(dvt_str_find(DVT_STR("a:b"), ':'), 1);
  assert_int_equal(dvt_str_find(DVT_STR("ab"), ':'), 2);
  assert_int_equal(dvt_str_find((dvt_str){0}, ':'), 0);
}

static void test_hash_depends_on_every_byte_and_length(void **state) {
  (void)state;
  char text[64];
  for (size_t len = 0; len < sizeof text; len++) {
    memset(text, 'x', sizeof text);
    uint64_t base = dvt_str_hash(dvt_str_make(text, len));
    assert_true(base != dvt_str_hash(dvt_str_make(text, len + 1 < sizeof text ? len + 1 : 0)));
    for (size_t i = 0; i < len; i++) {
      text[i] ^= 1;
      assert_true(base != dvt_str_hash(dvt_str_make(text, len)));
      text[i] ^= 1;
    }
  }
}

static char keys[KEYS][16];

static void test_map_against_a_plain_array(void **state) {
  (void)state;
  dvt_map map = {0};
  bool present[KEYS] = {false};
  size_t count = 0;
  uint32_t random = 1;
  for (int i = 0; i < KEYS; i++) snprintf(keys[i], sizeof keys[i], "key_%d", i);
  for (int step = 0; step < 40000; step++) {
    random = random * 1664525u + 1013904223u;
    int i = (int)((random >> 8) % KEYS);
    dvt_str key = dvt_str_from(keys[i]);
    if (random >> 31 || step < 2000) {
      assert_true(dvt_map_put(&map, key, keys[i]));
      count += !present[i];
      present[i] = true;
    } else {
      assert_ptr_equal(dvt_map_remove(&map, key), present[i] ? keys[i] : NULL);
      count -= present[i];
      present[i] = false;
    }
    assert_int_equal(map.count, count);
  }
  for (int i = 0; i < KEYS; i++)
    assert_ptr_equal(dvt_map_get(&map, dvt_str_from(keys[i])), present[i] ? keys[i] : NULL);
  size_t cursor = 0, met = 0;
  dvt_str key;
  void *value;
  while (dvt_map_next(&map, &cursor, &key, &value)) {
    met++;
    assert_true(dvt_str_is(key, value));
  }
  assert_int_equal(met, count);
  dvt_map_clear(&map);
  assert_null(dvt_map_get(&map, dvt_str_from(keys[0])));
  assert_int_equal(map.count, 0);
  dvt_map_deinit(&map);
}

static void test_map_edges(void **state) {
  (void)state;
  dvt_map map = {0};
  int a = 1, b = 2;
  assert_null(dvt_map_get(&map, DVT_STR("x")));
  assert_null(dvt_map_remove(&map, DVT_STR("x")));
  assert_true(dvt_map_put(&map, (dvt_str){0}, &a));
  assert_ptr_equal(dvt_map_get(&map, DVT_STR("")), &a);
  void **slot = dvt_map_slot_for(&map, DVT_STR("new"));
  assert_non_null(slot);
  assert_null(*slot);
  *slot = &b;
  assert_ptr_equal(*dvt_map_slot_for(&map, DVT_STR("new")), &b);
  assert_int_equal(map.count, 2);
  assert_false(dvt_map_reserve(&map, SIZE_MAX));
  dvt_map_deinit(&map);
}

static void test_map_unchanged_when_out_of_memory(void **state) {
  (void)state;
  dvt_map map = {0};
  int value = 0;
  dvt_alloc_fail_at(1);
  assert_false(dvt_map_put(&map, DVT_STR("a"), &value));
  dvt_alloc_fail_at(0);
  assert_int_equal(map.count, 0);
  for (int i = 0; i < 6; i++) assert_true(dvt_map_put(&map, dvt_str_from(keys[i]), keys[i]));
  dvt_alloc_fail_at(1);
  assert_false(dvt_map_put(&map, DVT_STR("seventh"), &value));
  dvt_alloc_fail_at(0);
  assert_int_equal(map.count, 6);
  for (int i = 0; i < 6; i++) assert_ptr_equal(dvt_map_get(&map, dvt_str_from(keys[i])), keys[i]);
  dvt_map_deinit(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compare_and_search),
      cmocka_unit_test(test_hash_depends_on_every_byte_and_length),
      cmocka_unit_test(test_map_against_a_plain_array),
      cmocka_unit_test(test_map_edges),
      cmocka_unit_test(test_map_unchanged_when_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
