// The 24 inline helpers of tsl/platform/ctstring_internal.h, as a plugin compiles them.
// Byte patterns and capacities are those measured on stock TensorFlow (the facts behind rules 35 to 41); the cases
// about word 2 of a view and about aliasing are Dovetail's own contract, stated at the head of that header.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensorflow/c/tf_tstring.h"

static const char k_long[] = "a sentence that is longer than the twenty-two characters of the small form";

static void assert_string(const TF_TString *str, const char *data, size_t size) {
  assert_int_equal(TF_TString_GetSize(str), size);
  assert_memory_equal(TF_TString_GetDataPointer(str), data, size);
}

// A view as helpers of an older release leave it: text bytes where newer ones keep the owner.
static TF_TString view_with_leftovers(const char *data, size_t size) {
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_AssignView(&str, data, size);
  memset(str.u.raw.raw + 16, 'x', 8);
  return str;
}

static void test_rule_035_zero_bytes_are_an_empty_small_string(void **state) {
  (void)state;
  TF_TString str;
  memset(&str, 0xff, sizeof str);
  TF_TString_Init(&str);
  static const uint8_t zero[24];
  assert_memory_equal(&str, zero, 24);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_SMALL);
  assert_int_equal(TF_TString_GetSize(&str), 0);
  assert_int_equal(TF_TString_GetCapacity(&str), 22);
  assert_string_equal(TF_TString_GetDataPointer(&str), "");
  assert_int_equal(sizeof(TF_TString), 24);
}

static void test_rule_036_small_up_to_22_characters(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, "abc", 3);
  static const uint8_t abc[24] = {0x0c, 'a', 'b', 'c'};
  assert_memory_equal(&str, abc, 24);

  char q[22];
  memset(q, 'q', sizeof q);
  TF_TString_Copy(&str, q, 22);
  assert_int_equal(str.u.raw.raw[0], 0x58);
  assert_int_equal(str.u.raw.raw[23], 0);
  assert_string(&str, q, 22);
}

static void test_rule_036_large_from_23_characters(void **state) {
  (void)state;
  static const struct {
    size_t size, capacity;
  } cases[] = {{23, 31}, {31, 31}, {32, 47}, {100, 111}};
  char text[128];
  memset(text, 'z', sizeof text);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TF_TString str;
    TF_TString_Init(&str);
    TF_TString_Copy(&str, text, cases[i].size);
    assert_int_equal(TF_TString_GetType(&str), TF_TSTR_LARGE);
    assert_int_equal(TF_TString_GetCapacity(&str), cases[i].capacity);
    assert_int_equal(str.u.large.size, cases[i].size << 2 | 1);
    assert_int_equal(str.u.large.ptr[cases[i].size], 0);
    TF_TString_Dealloc(&str);
    assert_int_equal(TF_TString_GetSize(&str), 0);
  }
}

static void test_rule_036_block_is_reused_halved_and_freed(void **state) {
  (void)state;
  char text[128];
  memset(text, 'z', sizeof text);
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, text, 100);
  const char *block = TF_TString_GetDataPointer(&str);
  TF_TString_Copy(&str, text, 60);
  assert_ptr_equal(TF_TString_GetDataPointer(&str), block);
  assert_int_equal(TF_TString_GetCapacity(&str), 111);
  TF_TString_Copy(&str, text, 40);
  assert_int_equal(TF_TString_GetCapacity(&str), 63);
  TF_TString_Copy(&str, text, 5);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_SMALL);
  assert_string(&str, "zzzzz", 5);
}

static void test_rule_037_dealloc_leaves_small_and_view_alone(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, "abc", 3);
  TF_TString_Dealloc(&str);
  assert_string(&str, "abc", 3);
  TF_TString_AssignView(&str, k_long, 30);
  TF_TString_Dealloc(&str);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_VIEW);
  assert_string(&str, k_long, 30);
}

static void test_rule_038_view_points_and_mutation_copies(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_AssignView(&str, k_long, 30);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_VIEW);
  assert_int_equal(TF_TString_GetCapacity(&str), 0);
  assert_ptr_equal(TF_TString_GetDataPointer(&str), k_long);
  char *data = TF_TString_GetMutableDataPointer(&str);
  assert_ptr_not_equal(data, k_long);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_LARGE);
  assert_string(&str, k_long, 30);
  TF_TString_Dealloc(&str);

  TF_TString_AssignView(&str, k_long, 10);
  assert_non_null(TF_TString_GetMutableDataPointer(&str));
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_SMALL);
  assert_string(&str, k_long, 10);
}

static void test_rule_039_view_zeroes_word_2_and_never_follows_it(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, "abcdefghijklmnopqrstuv", 22);
  TF_TString_AssignView(&str, k_long, 40);
  assert_null(str.u.view.owner_ref);

  TF_TString stale = view_with_leftovers(k_long, 40);
  TF_TString copy;
  TF_TString_Init(&copy);
  TF_TString_Assign(&copy, &stale);
  assert_int_equal(TF_TString_GetType(&copy), TF_TSTR_LARGE);
  assert_string(&copy, k_long, 40);
  TF_TString_Dealloc(&copy);

  TF_TString_Dealloc(&stale);
  TF_TString_Reserve(&stale, 60);
  assert_string(&stale, k_long, 40);
  TF_TString_Dealloc(&stale);

  stale = view_with_leftovers(k_long, 40);
  assert_non_null(TF_TString_Resize(&stale, 50, '.'));
  assert_memory_equal(TF_TString_GetDataPointer(&stale) + 40, "..........", 10);
  TF_TString_Dealloc(&stale);

  stale = view_with_leftovers(k_long, 40);
  TF_TString_Copy(&stale, "new", 3);
  assert_string(&stale, "new", 3);
}

static void owner_ref_called(TStringOwnerCApi *self) { ++*(int *)self->obj; }
static bool owner_unref_called(TStringOwnerCApi *self) {
  ++*(int *)self->obj;
  return false;
}

static void test_view_with_owner_copies_and_leaves_the_owner_alone(void **state) {
  (void)state;
  int calls = 0;
  TStringOwnerCApi owner = {owner_ref_called, owner_unref_called, &calls};
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_AssignViewWithOwner(&str, k_long, 40, &owner);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_LARGE);
  assert_string(&str, k_long, 40);
  TF_TString_AssignViewWithOwner(&str, k_long, 40, NULL);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_VIEW);
  TF_TString_Dealloc(&str);
  assert_int_equal(calls, 0);
}

static void test_rule_040_blocks_come_from_malloc(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, k_long, 50);
  free(str.u.large.ptr);
  str.u.large.ptr = malloc(64);
  memset(str.u.large.ptr, 'm', 64);
  str.u.large.cap = 63;
  TF_TString_Dealloc(&str);
}

static void test_reserve_keeps_the_value_and_never_shrinks(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, "abc", 3);
  TF_TString_Reserve(&str, 22);
  assert_int_equal(TF_TString_GetType(&str), TF_TSTR_SMALL);
  TF_TString_Reserve(&str, 40);
  assert_int_equal(TF_TString_GetCapacity(&str), 47);
  assert_string(&str, "abc", 3);
  TF_TString_Reserve(&str, 30);
  assert_int_equal(TF_TString_GetCapacity(&str), 47);
  TF_TString_ReserveAmortized(&str, 48);
  assert_int_equal(TF_TString_GetCapacity(&str), 95);
  assert_string(&str, "abc", 3);
  TF_TString_Dealloc(&str);
}

static void test_resize_fills_and_cuts(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  assert_non_null(TF_TString_Resize(&str, 4, 'a'));
  assert_string(&str, "aaaa", 4);
  assert_non_null(TF_TString_Resize(&str, 2, 'b'));
  assert_string(&str, "aa", 2);
  assert_non_null(TF_TString_Resize(&str, 30, 'c'));
  assert_memory_equal(TF_TString_GetDataPointer(&str), "aacccc", 6);
  assert_non_null(TF_TString_ResizeUninitialized(&str, 3));
  assert_string(&str, "aac", 3);
}

static void test_append_within_and_across_forms(void **state) {
  (void)state;
  TF_TString str, more;
  TF_TString_Init(&str);
  TF_TString_Init(&more);
  TF_TString_AppendN(&str, "ab", 2);
  TF_TString_AppendN(&str, NULL, 0);
  TF_TString_Append(&str, &str);
  assert_string(&str, "abab", 4);
  for (int i = 0; i < 3; i++) TF_TString_Append(&str, &str);
  assert_string(&str, "abababababababababababababababab", 32);
  TF_TString_AssignView(&more, "cd", 2);
  TF_TString_Append(&str, &more);
  assert_int_equal(TF_TString_GetSize(&str), 34);
  TF_TString_AppendN(&str, TF_TString_GetDataPointer(&str) + 30, 4);
  assert_memory_equal(TF_TString_GetDataPointer(&str) + 30, "abcdabcd", 8);
  TF_TString_Dealloc(&str);
}

static void test_copy_from_inside_the_string(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, k_long, 60);
  TF_TString_Copy(&str, TF_TString_GetDataPointer(&str) + 2, 8);
  assert_string(&str, "sentence", 8);
  TF_TString_Copy(&str, TF_TString_GetDataPointer(&str), 4);
  assert_string(&str, "sent", 4);
}

static void test_assign_and_move_follow_the_form(void **state) {
  (void)state;
  TF_TString from, to;
  TF_TString_Init(&from);
  TF_TString_Init(&to);
  TF_TString_Copy(&from, k_long, 60);
  TF_TString_Assign(&to, &from);
  assert_ptr_not_equal(TF_TString_GetDataPointer(&to), TF_TString_GetDataPointer(&from));
  assert_string(&to, k_long, 60);
  const char *block = TF_TString_GetDataPointer(&from);
  TF_TString_Move(&to, &from);
  assert_ptr_equal(TF_TString_GetDataPointer(&to), block);
  assert_int_equal(TF_TString_GetSize(&from), 0);
  TF_TString_Move(&to, &to);
  assert_string(&to, k_long, 60);

  TF_TString_AssignView(&from, k_long, 5);
  TF_TString_Assign(&to, &from);
  assert_int_equal(TF_TString_GetType(&to), TF_TSTR_VIEW);
  TF_TString_Copy(&from, "small", 5);
  TF_TString_Assign(&to, &from);
  assert_string(&to, "small", 5);
  TF_TString_Move(&to, &from);
  assert_string(&from, "small", 5);
}

static void test_offset_strings_are_read_in_place(void **state) {
  (void)state;
  struct {
    TF_TString str;
    char text[32];
  } block;
  memset(&block, 0, sizeof block);
  strcpy(block.text, "characters behind");
  block.str.u.offset.size = 17u << 2 | TF_TSTR_OFFSET;
  block.str.u.offset.offset = offsetof(__typeof__(block), text);
  block.str.u.offset.count = 1;
  assert_string(&block.str, "characters behind", 17);
  assert_int_equal(TF_TString_GetCapacity(&block.str), 0);
  TF_TString other;
  TF_TString_Init(&other);
  TF_TString_Assign(&other, &block.str);
  assert_int_equal(TF_TString_GetType(&other), TF_TSTR_VIEW);
  TF_TString_Move(&other, &block.str);
  assert_ptr_equal(TF_TString_GetDataPointer(&other), block.text);
  assert_non_null(TF_TString_GetMutableDataPointer(&block.str));
  assert_string(&block.str, "characters behind", 17);
}

static void test_sizes_that_cannot_be_leave_the_string_alone(void **state) {
  (void)state;
  TF_TString str;
  TF_TString_Init(&str);
  TF_TString_Copy(&str, "abc", 3);
  assert_null(TF_TString_ResizeUninitialized(&str, SIZE_MAX));
  assert_null(TF_TString_Resize(&str, SIZE_MAX >> 2, 'x'));
  TF_TString_Reserve(&str, SIZE_MAX);
  volatile size_t huge = SIZE_MAX - 1;  // volatile: the compiler would refuse a constant of this size
  TF_TString_AppendN(&str, "x", huge);
  assert_string(&str, "abc", 3);
}

static void test_numbers(void **state) {
  (void)state;
  assert_int_equal(TF_swap32(0x11223344u), 0x44332211u);
  assert_int_equal(TF_align16(0), 0);
  assert_int_equal(TF_align16(1), 16);
  assert_int_equal(TF_align16(32), 32);
  assert_int_equal(TF_max(2, 3), 3);
  assert_int_equal(TF_min(2, 3), 2);
  assert_int_equal(TF_TString_ToInternalSizeT(5, TF_TSTR_VIEW), 5 << 2 | 3);
  assert_int_equal(TF_TString_ToActualSizeT(5 << 2 | 3), 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_035_zero_bytes_are_an_empty_small_string),
      cmocka_unit_test(test_rule_036_small_up_to_22_characters),
      cmocka_unit_test(test_rule_036_large_from_23_characters),
      cmocka_unit_test(test_rule_036_block_is_reused_halved_and_freed),
      cmocka_unit_test(test_rule_037_dealloc_leaves_small_and_view_alone),
      cmocka_unit_test(test_rule_038_view_points_and_mutation_copies),
      cmocka_unit_test(test_rule_039_view_zeroes_word_2_and_never_follows_it),
      cmocka_unit_test(test_view_with_owner_copies_and_leaves_the_owner_alone),
      cmocka_unit_test(test_rule_040_blocks_come_from_malloc),
      cmocka_unit_test(test_reserve_keeps_the_value_and_never_shrinks),
      cmocka_unit_test(test_resize_fills_and_cuts),
      cmocka_unit_test(test_append_within_and_across_forms),
      cmocka_unit_test(test_copy_from_inside_the_string),
      cmocka_unit_test(test_assign_and_move_follow_the_form),
      cmocka_unit_test(test_offset_strings_are_read_in_place),
      cmocka_unit_test(test_sizes_that_cannot_be_leave_the_string_alone),
      cmocka_unit_test(test_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
