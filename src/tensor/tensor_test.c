// Buffers, slots and tensor values: who owns what, when memory is reused, and what happens when there is
// none.
#include <pthread.h>

#include "base/testing.h"
#include "tensor/object.h"
#include "tensor/tensor.h"
#include "tensor/tstring.h"

static const int64_t dims_2x3[] = {2, 3};

static void test_owned_buffers_are_aligned_and_counted(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 63, 64, 65, 256, 257, 1024, 4096, 4097, 100000};
  for (size_t i = 0; i < DVT_COUNT_OF(sizes); i++) {
    dvt_buffer *buffer = dvt_buffer_allocate(sizes[i], TF_FLOAT);
    assert_non_null(buffer);
    assert_int_equal((uintptr_t)buffer->data % DVT_TENSOR_ALIGNMENT, 0);
    assert_int_equal(buffer->bytes, sizes[i]);
    assert_true(buffer->capacity >= sizes[i]);
    assert_true(buffer->owned);
    memset(buffer->data, 1, buffer->capacity);
    assert_true(dvt_buffer_is_unique(buffer));
    dvt_buffer_retain(buffer);
    assert_false(dvt_buffer_is_unique(buffer));
    dvt_buffer_release(buffer);
    assert_true(dvt_buffer_is_unique(buffer));
    dvt_buffer_release(buffer);
  }
  assert_null(dvt_buffer_allocate(SIZE_MAX, TF_FLOAT));
  assert_null(dvt_buffer_allocate(SIZE_MAX - 63, TF_FLOAT));
  dvt_buffer_release(NULL);
}

typedef struct freed {
  int calls;
  void *data;
  size_t bytes;
} freed;
static void note_free(void *data, size_t bytes, void *arg) {
  freed *f = arg;
  *f = (freed){f->calls + 1, data, bytes};
}

static void test_adopted_buffers_give_back_what_they_got(void **state) {
  (void)state;
  char data[8];
  freed f = {0};
  dvt_buffer *buffer = dvt_buffer_adopt(data, sizeof data, note_free, &f);
  assert_ptr_equal(buffer->data, data);
  assert_false(buffer->owned);
  dvt_buffer_release(dvt_buffer_retain(buffer));
  assert_int_equal(f.calls, 0);
  dvt_buffer_release(buffer);
  assert_int_equal(f.calls, 1);
  assert_ptr_equal(f.data, data);
  assert_int_equal(f.bytes, 8);
  buffer = dvt_buffer_adopt(NULL, 0, note_free, &f);
  assert_non_null(buffer->data);
  dvt_buffer_release(buffer);
  assert_int_equal(f.calls, 2);
  assert_null(f.data);
  dvt_buffer_release(dvt_buffer_adopt(data, 8, NULL, NULL));
  dvt_cache_drain();
  dvt_alloc_fail_at(1);
  assert_null(dvt_buffer_adopt(data, 8, note_free, &f));
  dvt_alloc_fail_at(0);
  assert_int_equal(f.calls, 3);
}

static int destroyed;
static void count_destroy(dvt_object *object) {
  (void)object;
  destroyed++;
}
static const dvt_object_type counted_type = {"Counted", count_destroy};

static void test_elements_are_destroyed_with_their_buffer(void **state) {
  (void)state;
  TF_Tensor t = {0}, copy = {0};
  dvt_object object;
  dvt_object_init(&object, &counted_type);
  dvt_test_expect_ok(dvt_tensor_init_allocate(&t, TF_RESOURCE, (int64_t[]){3}, 1));
  dvt_object **elements = t.data;
  for (int i = 0; i < 3; i++) assert_null(elements[i]);
  elements[0] = &object;
  elements[2] = dvt_object_retain(&object);
  dvt_test_expect_ok(dvt_tensor_clone(&t, &copy));
  assert_int_equal(atomic_load(&object.refs), 4);
  dvt_tensor_reset(&t);
  assert_int_equal(atomic_load(&object.refs), 2);
  assert_int_equal(destroyed, 0);
  dvt_tensor_reset(&copy);
  assert_int_equal(destroyed, 1);
  // Strings of every size and more elements than one block of the free lists; leaks are the sanitizer's to
  // find.
  dvt_test_expect_ok(dvt_tensor_init_allocate(&t, TF_STRING, (int64_t[]){300}, 1));
  for (int i = 0; i < 300; i++) TF_TString_ResizeUninitialized((TF_TString *)t.data + i, (size_t)i);
  dvt_tensor_reset(&t);
}

static void test_slot_reuses_and_gives_way(void **state) {
  (void)state;
  dvt_slot slot = {0};
  dvt_buffer *first = dvt_slot_acquire(&slot, 1000);
  void *data = first->data;
  assert_true(dvt_buffer_is_unique(first));
  assert_int_equal(first->bytes, 1000);
  dvt_buffer_release(first);
  dvt_buffer *second = dvt_slot_acquire(&slot, 500);
  assert_ptr_equal(second->data, data);
  assert_int_equal(second->bytes, 500);
  dvt_buffer_retain(second);
  assert_false(dvt_buffer_is_unique(second));
  dvt_buffer_release(second);
  dvt_buffer *third = dvt_slot_acquire(&slot, 500);  // the second is still held
  assert_ptr_not_equal(third->data, data);
  assert_true(dvt_buffer_is_unique(second));
  dvt_buffer_release(second);
  dvt_buffer_release(third);
  dvt_buffer *larger = dvt_slot_acquire(&slot, 100000);
  assert_int_equal(larger->bytes, 100000);
  dvt_slot_deinit(&slot);
  assert_true(dvt_buffer_is_unique(larger));
  memset(larger->data, 1, 100000);
  dvt_buffer_release(larger);
  dvt_slot_deinit(&slot);
}

static void test_slot_steady_state_needs_no_allocation(void **state) {
  (void)state;
  dvt_slot slot = {0};
  TF_Tensor t = {0};
  for (int step = 0; step < 5; step++) {
    if (step == 1) dvt_alloc_fail_at(1);
    dvt_test_expect_ok(dvt_tensor_init_in_slot(&t, TF_FLOAT, dims_2x3, 2, &slot));
    assert_int_equal(t.buffer->bytes, 24);
    dvt_tensor_reset(&t);
  }
  dvt_alloc_fail_at(0);
  dvt_test_expect_ok(dvt_tensor_init_in_slot(&t, TF_STRING, dims_2x3, 2, &slot));
  assert_int_equal(t.buffer->element_dtype, TF_STRING);
  dvt_tensor_reset(&t);
  dvt_slot_deinit(&slot);
}

static void test_values_copy_move_and_reset(void **state) {
  (void)state;
  TF_Tensor a = {0}, b = {0}, c = {0};
  int64_t deep[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
  dvt_test_expect_ok(dvt_tensor_init_allocate(&a, TF_FLOAT, deep, 12));
  assert_int_equal(dvt_tensor_count(&a), 6);
  dvt_test_expect_ok(dvt_tensor_init_copy(&b, &a));
  assert_ptr_equal(b.data, a.data);
  assert_int_equal(b.rank, 12);
  assert_int_equal(dvt_tensor_dims(&b)[11], 3);
  dvt_tensor_move(&c, &b);
  assert_true(dvt_tensor_is_empty(&b));
  assert_int_equal(b.rank, 0);
  dvt_tensor_reset(&a);
  assert_true(dvt_buffer_is_unique(c.buffer));
  dvt_test_expect_ok(dvt_tensor_set_shape(&c, dims_2x3, 2));
  dvt_test_expect_ok(dvt_tensor_set_shape(&c, deep, 12));
  dvt_test_expect_ok(dvt_tensor_set_shape(&c, dvt_tensor_dims(&c), 12));
  dvt_test_expect_error(dvt_tensor_set_shape(&c, (int64_t[]){-1}, 1), TF_INVALID_ARGUMENT, "negative");
  assert_int_equal(c.rank, 12);
  dvt_tensor_reset(&c);
  dvt_tensor_reset(&c);
}

static void test_clone_is_deep(void **state) {
  (void)state;
  TF_Tensor t = {0}, copy = {0};
  char text[] = "a view of characters that are not the tensor's";
  dvt_test_expect_ok(dvt_tensor_init_allocate(&t, TF_STRING, (int64_t[]){2}, 1));
  TF_TString_AssignView(t.data, text, sizeof text - 1);
  dvt_test_expect_ok(dvt_tensor_clone(&t, &copy));
  memset(text, 'z', sizeof text - 1);
  assert_true(dvt_str_starts_with(dvt_tstring_view(copy.data), DVT_STR("a view")));
  dvt_tensor_reset(&t);
  dvt_tensor_reset(&copy);
  float values[6] = {1, 2, 3, 4, 5, 6};
  dvt_test_expect_ok(dvt_tensor_init_with_buffer(&t, TF_FLOAT, dims_2x3, 2,
                                                 dvt_buffer_adopt(values, sizeof values, NULL, NULL)));
  dvt_test_expect_ok(dvt_tensor_clone(&t, &copy));
  assert_true(copy.buffer->owned);
  assert_memory_equal(copy.data, values, sizeof values);
  dvt_tensor_reset(&copy);
  dvt_test_expect_ok(dvt_tensor_set_shape(&t, (int64_t[]){1000}, 1));
  dvt_test_expect_error(dvt_tensor_check_size(&t), TF_INVALID_ARGUMENT,
                        "float[1000] needs 4000 bytes but its buffer has 24");
  dvt_test_expect_error(dvt_tensor_clone(&t, &copy), TF_INVALID_ARGUMENT, "needs 4000 bytes");
  assert_true(dvt_tensor_is_empty(&copy));
  dvt_tensor_reset(&t);
}

static void *hold_and_release(void *arg) {
  for (int i = 0; i < 1000; i++) {
    TF_Tensor *handle = dvt_tensor_handle_copy(arg);
    assert_non_null(handle);
    TF_Tensor own = {0};
    dvt_status_free(dvt_tensor_init_allocate(&own, TF_FLOAT, dims_2x3, 2));
    dvt_tensor_reset(&own);
    dvt_tensor_handle_delete(handle);
  }
  return NULL;
}
static void test_references_from_many_threads(void **state) {
  (void)state;
  TF_Tensor t = {0};
  pthread_t threads[4];
  dvt_test_expect_ok(dvt_tensor_init_allocate(&t, TF_STRING, dims_2x3, 2));
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, hold_and_release, &t), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  assert_true(dvt_buffer_is_unique(t.buffer));
  dvt_tensor_reset(&t);
}

static bool value_attempt(void *arg) {
  int64_t deep[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
  dvt_slot slot = {0};
  TF_Tensor a = {0}, b = {0}, c = {0}, d = {0};
  TF_Tensor *handle = NULL;
  dvt_status status = dvt_tensor_init_allocate(&a, *(int *)arg, deep, 12);
  if (!status) status = dvt_tensor_init_copy(&b, &a);
  if (!status) status = dvt_tensor_clone(&a, &c);
  if (!status) status = dvt_tensor_init_in_slot(&d, *(int *)arg, deep, 12, &slot);
  bool ok = !status;
  if (status) assert_int_equal(dvt_status_code(status), TF_RESOURCE_EXHAUSTED);
  dvt_status_free(status);
  if (ok) {
    handle = dvt_tensor_handle_copy(&a);
    ok = handle != NULL;
  }
  dvt_tensor_handle_delete(handle);
  dvt_tensor_reset(&a);
  dvt_tensor_reset(&b);
  dvt_tensor_reset(&c);
  dvt_tensor_reset(&d);
  dvt_slot_deinit(&slot);
  return ok;
}
static void test_constructors_survive_allocation_failures(void **state) {
  (void)state;
  static int dtypes[] = {TF_FLOAT, TF_STRING, TF_VARIANT};
  for (size_t i = 0; i < DVT_COUNT_OF(dtypes); i++)
    dvt_test_fail_each_allocation(value_attempt, &dtypes[i], 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_owned_buffers_are_aligned_and_counted),
      cmocka_unit_test(test_adopted_buffers_give_back_what_they_got),
      cmocka_unit_test(test_elements_are_destroyed_with_their_buffer),
      cmocka_unit_test(test_slot_reuses_and_gives_way),
      cmocka_unit_test(test_slot_steady_state_needs_no_allocation),
      cmocka_unit_test(test_values_copy_move_and_reset),
      cmocka_unit_test(test_clone_is_deep),
      cmocka_unit_test(test_references_from_many_threads),
      cmocka_unit_test(test_constructors_survive_allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
