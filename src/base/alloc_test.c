// The allocator's contracts: distinct pointers for nothing, checked products, failure injection; the arena
// and the growable buffer on top of it.
#include "base/arena.h"
#include "base/buf.h"
#include "base/testing.h"

static void test_zero_bytes_give_a_pointer(void **state) {
  (void)state;
  void *p = dvt_malloc(0), *q = dvt_calloc(0, 8);
  assert_non_null(p);
  assert_non_null(q);
  dvt_free(p);
  dvt_free(q);
  dvt_free(NULL);
}

static void test_products_are_checked(void **state) {
  (void)state;
  assert_null(dvt_calloc(SIZE_MAX / 2, 3));
  void *items = NULL;
  size_t capacity = 0;
  assert_false(dvt_grow(&items, &capacity, SIZE_MAX / 2, 16));
  assert_null(items);
  assert_int_equal(capacity, 0);
}

static void test_grow_doubles_and_keeps_content(void **state) {
  (void)state;
  int *items = NULL;
  size_t capacity = 0;
  for (size_t n = 0; n < 1000; n++) {
    void *p = items;
    assert_true(dvt_grow(&p, &capacity, n + 1, sizeof *items));
    items = p;
    items[n] = (int)n;
  }
  assert_in_range(capacity, 1000, 2000);
  for (int n = 0; n < 1000; n++) assert_int_equal(items[n], n);
  dvt_free(items);
}

static void test_aligned(void **state) {
  (void)state;
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void *p = dvt_aligned_alloc(alignment, 10);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % alignment, 0);
    dvt_free(p);
  }
}

static void test_injected_failure_stays_until_lifted(void **state) {
  (void)state;
  dvt_alloc_fail_at(2);
  void *first = dvt_malloc(1);
  assert_non_null(first);
  assert_null(dvt_malloc(1));
  assert_null(dvt_calloc(1, 1));
  assert_null(dvt_realloc(first, 100));
  assert_null(dvt_aligned_alloc(64, 64));
  assert_null(dvt_strndup(DVT_STR("x")));
  assert_int_equal(dvt_alloc_attempts(), 6);
  dvt_alloc_fail_at(0);
  assert_int_equal(dvt_alloc_attempts(), 0);
  void *again = dvt_malloc(1);
  assert_non_null(again);
  assert_int_equal(dvt_alloc_attempts(), 1);
  dvt_free(first);
  dvt_free(again);
}

static void test_strndup_keeps_nul_bytes(void **state) {
  (void)state;
  char *copy = dvt_strndup(dvt_str_make("a\0b", 3));
  assert_memory_equal(copy, "a\0b", 4);
  dvt_free(copy);
}

static void test_arena_hands_out_distinct_aligned_memory(void **state) {
  (void)state;
  dvt_arena arena = {0};
  char *previous = NULL;
  for (size_t n = 0; n < 2000; n++) {
    char *p = dvt_arena_alloc(&arena, n % 97);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 8, 0);
    if (n % 97) assert_ptr_not_equal(p, previous);
    memset(p, (int)n, n % 97);
    previous = n % 97 ? p : NULL;
  }
  void *large = dvt_arena_alloc(&arena, 3u << 20);
  assert_non_null(large);
  memset(large, 1, 3u << 20);
  assert_true(dvt_arena_bytes(&arena) > 3u << 20);
  dvt_arena_reset(&arena);
  assert_non_null(dvt_arena_alloc(&arena, 16));
  assert_null(dvt_arena_alloc(&arena, SIZE_MAX));
  assert_null(dvt_arena_calloc(&arena, SIZE_MAX / 2, 4));
  dvt_arena_deinit(&arena);
  dvt_arena_deinit(&arena);
}

// From half a MiB on, pieces lie in blocks that fill a large page; what does not fit gets its own memory.
static void test_arena_in_large_pages(void **state) {
  (void)state;
  enum { PIECE = 1000, PIECES = 5000 };
  dvt_arena arena = {.in_large_pages = true};
  static char *pieces[PIECES];
  size_t in_order = 0;
  for (size_t i = 0; i < PIECES; i++) {
    pieces[i] = dvt_arena_alloc(&arena, PIECE);
    assert_non_null(pieces[i]);
    memset(pieces[i], (int)i, PIECE);
    if (i && pieces[i] == pieces[i - 1] + PIECE) in_order++;
  }
  for (size_t i = 0; i < PIECES; i++) {
    assert_int_equal(pieces[i][0], (char)i);
    assert_int_equal(pieces[i][PIECE - 1], (char)i);
  }
  assert_true(in_order >= PIECES - 12);  // seven blocks below a large page, three that fill one
  assert_int_equal((uintptr_t)pieces[PIECES - 1] / DVT_LARGE_PAGE,
                   (uintptr_t)pieces[PIECES - 9] / DVT_LARGE_PAGE);
  assert_true(dvt_arena_bytes(&arena) < (size_t)PIECE * PIECES + 20000);
  dvt_arena_deinit(&arena);
}

static void test_arena_copies_strings(void **state) {
  (void)state;
  dvt_arena arena = {0};
  dvt_str copy;
  assert_true(dvt_arena_copy_str(&arena, DVT_STR("hello"), &copy));
  assert_string_equal(copy.data, "hello");
  assert_int_equal(copy.len, 5);
  assert_true(dvt_arena_copy_str(&arena, (dvt_str){0}, &copy));
  assert_string_equal(copy.data, "");
  int *zeros = dvt_arena_calloc(&arena, 10, sizeof *zeros);
  for (int i = 0; i < 10; i++) assert_int_equal(zeros[i], 0);
  dvt_arena_deinit(&arena);
}

static bool arena_attempt(void *arg) {
  (void)arg;
  dvt_arena arena = {0};
  bool ok = true;
  for (int i = 0; i < 3000 && ok; i++) ok = dvt_arena_alloc(&arena, 100) != NULL;
  dvt_arena_deinit(&arena);
  return ok;
}
static void test_arena_survives_failures(void **state) {
  (void)state;
  dvt_test_fail_each_allocation(arena_attempt, NULL, 3);
}

static void test_buf_composes(void **state) {
  (void)state;
  dvt_buf buf = {0};
  dvt_buf_printf(&buf, "%d-%s", 42, "x");
  dvt_buf_append_byte(&buf, '\0');
  dvt_buf_append_str(&buf, DVT_STR("end"));
  assert_int_equal(buf.len, 8);
  assert_memory_equal(buf.data, "42-x\0end", 9);
  dvt_buf_clear(&buf);
  dvt_buf_printf(&buf, "%0500d", 7);
  assert_int_equal(buf.len, 500);
  assert_int_equal(strlen(buf.data), 500);
  char *room = dvt_buf_extend(&buf, 3);
  memcpy(room, "abc", 3);
  char *bytes = dvt_buf_release(&buf);
  assert_string_equal(bytes + 500, "abc");
  assert_null(buf.data);
  dvt_free(bytes);
  dvt_buf_deinit(&buf);
}

static void test_buf_failure_is_sticky(void **state) {
  (void)state;
  dvt_buf buf = {0};
  dvt_buf_append(&buf, "abc", 3);
  dvt_alloc_fail_at(1);
  assert_null(dvt_buf_extend(&buf, 1000));
  dvt_alloc_fail_at(0);
  assert_true(buf.failed);
  dvt_buf_append(&buf, "def", 3);
  assert_int_equal(buf.len, 3);
  assert_string_equal(buf.data, "abc");
  dvt_buf_clear(&buf);
  assert_false(buf.failed);
  assert_null(dvt_buf_extend(&buf, SIZE_MAX));
  dvt_buf_deinit(&buf);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_zero_bytes_give_a_pointer),
      cmocka_unit_test(test_products_are_checked),
      cmocka_unit_test(test_grow_doubles_and_keeps_content),
      cmocka_unit_test(test_aligned),
      cmocka_unit_test(test_injected_failure_stays_until_lifted),
      cmocka_unit_test(test_strndup_keeps_nul_bytes),
      cmocka_unit_test(test_arena_hands_out_distinct_aligned_memory),
      cmocka_unit_test(test_arena_in_large_pages),
      cmocka_unit_test(test_arena_copies_strings),
      cmocka_unit_test(test_arena_survives_failures),
      cmocka_unit_test(test_buf_composes),
      cmocka_unit_test(test_buf_failure_is_sticky),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
