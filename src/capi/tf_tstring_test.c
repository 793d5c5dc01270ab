// The exported string functions: semantics rules 35 to 41. The inline helpers of the header have their own
// test under tests/abi.
#include "tensorflow/c/tf_tstring.h"
#include "base/testing.h"
#include "tensorflow/c/tf_tensor.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

static void test_rule_035_layout(void **state) {
  (void)state;
  TF_TString s;
  assert_int_equal(sizeof s, 24);
  memset(&s, 0xff, sizeof s);
  TF_StringInit(&s);
  static const unsigned char zeros[24];
  assert_memory_equal(&s, zeros, 24);
  assert_int_equal(TF_StringGetType(&s), TF_TSTR_SMALL);
  assert_int_equal(TF_StringGetSize(&s), 0);
  assert_int_equal(TF_StringGetCapacity(&s), 22);
  assert_string_equal(TF_StringGetDataPointer(&s), "");
  TF_StringCopy(&s, "abc", 3);
  assert_memory_equal(&s,
                      "\x0c"
                      "abc",
                      5);
}

static void test_rule_036_small_and_large(void **state) {
  (void)state;
  TF_TString s;
  TF_StringInit(&s);
  TF_StringCopy(&s, letters, 22);
  assert_int_equal(TF_StringGetType(&s), TF_TSTR_SMALL);
  TF_StringCopy(&s, letters, 23);
  assert_int_equal(TF_StringGetType(&s), TF_TSTR_LARGE);
  assert_int_equal(TF_StringGetSize(&s), 23);
  assert_int_equal(TF_StringGetCapacity(&s), 31);
  const char *block = TF_StringGetDataPointer(&s);
  assert_int_equal(block[23], 0);
  TF_StringCopy(&s, letters, 30);
  assert_ptr_equal(TF_StringGetDataPointer(&s), block);
  TF_StringCopy(&s, letters, 32);
  assert_int_equal(TF_StringGetCapacity(&s), 47);
  TF_StringCopy(&s, letters, 5);
  assert_int_equal(TF_StringGetType(&s), TF_TSTR_SMALL);
  assert_string_equal(TF_StringGetDataPointer(&s), "abcde");
}

static void test_rule_037_dealloc(void **state) {
  (void)state;
  TF_TString s;
  TF_StringInit(&s);
  TF_StringCopy(&s, letters, 40);
  TF_StringDealloc(&s);
  assert_int_equal(TF_StringGetSize(&s), 0);
  TF_StringCopy(&s, "small", 5);
  TF_StringDealloc(&s);
  assert_string_equal(TF_StringGetDataPointer(&s), "small");
}

static void test_rule_038_views(void **state) {
  (void)state;
  TF_TString s;
  TF_StringInit(&s);
  TF_StringAssignView(&s, letters, 30);
  assert_int_equal(TF_StringGetType(&s), TF_TSTR_VIEW);
  assert_ptr_equal(TF_StringGetDataPointer(&s), letters);
  assert_int_equal(TF_StringGetSize(&s), 30);
  assert_int_equal(TF_StringGetCapacity(&s), 0);
  TF_StringDealloc(&s);
  assert_ptr_equal(TF_StringGetDataPointer(&s), letters);
  TF_StringCopy(&s, letters, 30);
  assert_int_equal(TF_StringGetType(&s), TF_TSTR_LARGE);
  TF_StringDealloc(&s);
}

// A view made by code compiled with older headers over a former small string: its last 8 bytes are text,
// which newer headers would take for an owner. Nothing here may follow them, not even when the tensor that
// holds it goes.
static void test_rule_039_leftover_bytes_of_a_view_are_not_followed(void **state) {
  (void)state;
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, NULL, 0, 24);
  TF_TString *s = TF_TensorData(t);
  memset(s, 'g', sizeof *s);
  s->u.view.size = (size_t)5 << 2 | TF_TSTR_VIEW;
  s->u.view.ptr = letters;
  assert_int_equal(TF_StringGetSize(s), 5);
  TF_StringDealloc(s);
  assert_memory_equal(TF_StringGetDataPointer(s), "abcde", 5);
  TF_DeleteTensor(t);
  TF_TString mine;
  memset(&mine, 'g', sizeof mine);
  mine.u.view.size = (size_t)40 << 2 | TF_TSTR_VIEW;
  mine.u.view.ptr = letters;
  TF_StringCopy(&mine, letters, 40);
  assert_int_equal(TF_StringGetType(&mine), TF_TSTR_LARGE);
  TF_StringAssignView(&mine, letters, 3);
  assert_null(mine.u.view.owner_ref);
}

static void test_rule_040_one_heap_for_both_sides(void **state) {
  (void)state;
  TF_TString s;
  TF_StringInit(&s);
  char *block = malloc(48);
  memcpy(block, letters, 40);
  block[40] = '\0';
  s.u.large.size = (size_t)40 << 2 | TF_TSTR_LARGE;
  s.u.large.cap = 47;
  s.u.large.ptr = block;
  TF_StringDealloc(&s);  // the library frees what this program allocated
  TF_StringCopy(&s, letters, 40);
  free(s.u.large.ptr);  // and the other way round
}

static void test_rule_041_elements_lie_24_bytes_apart(void **state) {
  (void)state;
  const int64_t three[] = {3};
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, three, 1, 72);
  TF_TString *s = TF_TensorData(t);
  TF_StringCopy(&s[2], letters, 40);
  assert_int_equal(TF_StringGetSize((const TF_TString *)(const void *)((const char *)TF_TensorData(t) + 48)),
                   40);
  assert_int_equal(TF_StringGetSize(&s[1]), 0);
  TF_DeleteTensor(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_035_layout),
      cmocka_unit_test(test_rule_036_small_and_large),
      cmocka_unit_test(test_rule_037_dealloc),
      cmocka_unit_test(test_rule_038_views),
      cmocka_unit_test(test_rule_039_leftover_bytes_of_a_view_are_not_followed),
      cmocka_unit_test(test_rule_040_one_heap_for_both_sides),
      cmocka_unit_test(test_rule_041_elements_lie_24_bytes_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
