// Long-lived buffers: alignment, that they do not overlap, and that their chunks go when they do, in any
// order and from any thread.
#include <pthread.h>
#include <stdint.h>

#include "base/testing.h"
#include "tensor/buffer.h"

enum { COUNT = 300, THREADS = 4 };

static size_t bytes_of(int i) { return (size_t)1000 + (size_t)(i * 7919 % 97) * 3001; }

static void take_and_give_back(int step) {
  dvt_buffer *buffers[COUNT];
  for (int i = 0; i < COUNT; i++) {
    buffers[i] = dvt_buffer_allocate_lasting(bytes_of(i));
    assert_non_null(buffers[i]);
    assert_int_equal((uintptr_t)buffers[i]->data % DVT_TENSOR_ALIGNMENT, 0);
    assert_int_equal(buffers[i]->bytes, bytes_of(i));
    assert_true(buffers[i]->owned && dvt_buffer_is_unique(buffers[i]));
    memset(buffers[i]->data, i & 0xff, bytes_of(i));
  }
  for (int k = 0, i = 0; k < COUNT; k++, i = (i + step) % COUNT) {
    const unsigned char *data = buffers[i]->data;
    assert_int_equal(data[0], i & 0xff);
    assert_int_equal(data[bytes_of(i) - 1], i & 0xff);
    dvt_buffer_release(buffers[i]);
  }
}

static void test_any_order(void **state) {
  (void)state;
  take_and_give_back(1);
  take_and_give_back(COUNT - 1);
  take_and_give_back(7);
}

static void *in_thread(void *arg) {
  (void)arg;
  take_and_give_back(11);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, in_thread, NULL), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

// Sizes that chunks do not hold.
static void test_sizes(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, (size_t)2 << 20, ((size_t)2 << 20) + 1, (size_t)9 << 20};
  for (size_t i = 0; i < DVT_COUNT_OF(sizes); i++) {
    dvt_buffer *buffer = dvt_buffer_allocate_lasting(sizes[i]);
    assert_non_null(buffer);
    assert_int_equal((uintptr_t)buffer->data % DVT_TENSOR_ALIGNMENT, 0);
    memset(buffer->data, 1, sizes[i]);
    dvt_buffer_release(buffer);
  }
  assert_null(dvt_buffer_allocate_lasting(SIZE_MAX));
  assert_null(dvt_buffer_allocate_lasting(SIZE_MAX / 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_order),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
