// The TF_Tensor functions: semantics rules 15 to 34. Where a rule says that stock aborts, the error value and
// the one log line that take its place are tested.
#include "base/testing.h"
#include "tensor/tensor.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/tf_tstring.h"

static dvt_test_log lines;
static int start_log(void **state) {
  (void)state;
  dvt_test_log_start(&lines);
  return 0;
}
static int stop_log(void **state) {
  (void)state;
  dvt_test_log_stop();
  return 0;
}

typedef struct freed {
  int calls;
  void *data;
  size_t len;
} freed;
static void note_free(void *data, size_t len, void *arg) {
  freed *f = arg;
  *f = (freed){f->calls + 1, data, len};
}

static const int64_t dims_2x3[] = {2, 3};
static _Alignas(64) char aligned_bytes[256];

static void test_rule_015_alignment(void **state) {
  (void)state;
  assert_int_equal(TF_TensorDefaultAlignment(), 64);
  for (int64_t n = 0; n < 200; n += 7) {
    TF_Tensor *t = TF_AllocateTensor(TF_UINT8, &n, 1, (size_t)n);
    assert_int_equal((uintptr_t)TF_TensorData(t) % 64, 0);
    TF_DeleteTensor(t);
  }
}

static void test_rule_016_length(void **state) {
  (void)state;
  assert_null(TF_AllocateTensor(TF_FLOAT, dims_2x3, 2, 23));
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims_2x3, 2, 24);
  assert_int_equal(TF_TensorByteSize(t), 24);
  TF_DeleteTensor(t);
  t = TF_AllocateTensor(TF_FLOAT, dims_2x3, 2, 1000);
  assert_int_equal(TF_TensorByteSize(t), 1000);
  memset(TF_TensorData(t), 1, 1000);
  TF_DeleteTensor(t);
  assert_int_equal(lines.lines, 0);
}

static void test_rule_017_short_string_tensor_is_accepted_and_safe(void **state) {
  (void)state;
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims_2x3, 2, 0);
  assert_non_null(t);
  assert_int_equal(TF_TensorByteSize(t), 0);
  for (int i = 0; i < 6; i++)
    TF_StringCopy((TF_TString *)TF_TensorData(t) + i, "a string longer than twenty-two", 31);
  TF_DeleteTensor(t);
  freed f = {0};
  t = TF_NewTensor(TF_STRING, dims_2x3, 2, aligned_bytes, 24, note_free, &f);
  assert_non_null(t);
  TF_DeleteTensor(t);
  assert_int_equal(f.calls, 1);
}

static void test_rule_018_string_tensors_are_zeroed(void **state) {
  (void)state;
  static const char zeros[144];
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims_2x3, 2, 144);
  assert_memory_equal(TF_TensorData(t), zeros, 144);
  assert_int_equal(TF_StringGetSize(TF_TensorData(t)), 0);
  TF_DeleteTensor(t);
}

static void test_rule_019_aligned_data_is_adopted(void **state) {
  (void)state;
  freed f = {0};
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, dims_2x3, 2, aligned_bytes, 24, note_free, &f);
  assert_ptr_equal(TF_TensorData(t), aligned_bytes);
  assert_int_equal(f.calls, 0);
  TF_DeleteTensor(t);
  assert_int_equal(f.calls, 1);
  assert_ptr_equal(f.data, aligned_bytes);
  assert_int_equal(f.len, 24);
  t = TF_NewTensor(TF_STRING, NULL, 0, aligned_bytes + 8, 24, note_free, &f);  // strings at any address
  assert_ptr_equal(TF_TensorData(t), aligned_bytes + 8);
  TF_DeleteTensor(t);
  assert_int_equal(f.calls, 2);
}

static void test_rule_020_misaligned_data_is_copied(void **state) {
  (void)state;
  static const int offsets[] = {4, 8, 16, 32};
  for (size_t i = 0; i < DVT_COUNT_OF(offsets); i++) {
    freed f = {0};
    float *data = (float *)(void *)(aligned_bytes + offsets[i]);
    for (int k = 0; k < 6; k++) data[k] = (float)k;
    TF_Tensor *t = TF_NewTensor(TF_FLOAT, dims_2x3, 2, data, 24, note_free, &f);
    assert_int_equal(f.calls, 1);
    assert_ptr_equal(f.data, data);
    assert_ptr_not_equal(TF_TensorData(t), data);
    assert_memory_equal(TF_TensorData(t), data, 24);
    assert_true(TF_TensorIsAligned(t));
    TF_DeleteTensor(t);
    assert_int_equal(f.calls, 1);
  }
}

static void test_rule_021_short_data_is_refused_and_freed(void **state) {
  (void)state;
  freed f = {0};
  assert_null(TF_NewTensor(TF_FLOAT, dims_2x3, 2, aligned_bytes, 23, note_free, &f));
  assert_int_equal(f.calls, 1);
  assert_null(TF_NewTensor(TF_FLOAT, dims_2x3, 2, aligned_bytes + 4, 23, note_free, &f));
  assert_int_equal(f.calls, 2);
}

static void test_rule_022_scalars_and_empty_tensors(void **state) {
  (void)state;
  freed f = {0};
  assert_null(TF_NewTensor(TF_FLOAT, NULL, 0, NULL, 0, note_free, &f));
  assert_int_equal(f.calls, 1);
  const int64_t none[] = {0, 5};
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, none, 2, NULL, 0, note_free, &f);
  assert_non_null(t);
  assert_int_equal(f.calls, 1);
  TF_DeleteTensor(t);
  assert_int_equal(f.calls, 2);
  assert_null(f.data);
  assert_null(TF_NewTensor(TF_FLOAT, NULL, 0, NULL, 4, note_free, &f));  // bytes promised, none given
  assert_int_equal(f.calls, 3);
}

static void test_rule_023_null_deallocator_is_not_called(void **state) {
  (void)state;
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, dims_2x3, 2, aligned_bytes, 24, NULL, NULL);
  assert_int_equal(lines.lines, 0);
  TF_DeleteTensor(t);
  assert_int_equal(lines.lines, 1);
  assert_int_equal(lines.level, DVT_ERROR);
  assert_non_null(strstr(lines.last, "no deallocator"));
}

static void test_rule_024_maybe_move(void **state) {
  (void)state;
  freed f = {0};
  TF_Tensor *owned = TF_AllocateTensor(TF_FLOAT, dims_2x3, 2, 24);
  assert_ptr_equal(TF_TensorMaybeMove(owned), owned);
  TF_Tensor *shared = dvt_tensor_handle_copy(owned);
  assert_null(TF_TensorMaybeMove(owned));
  assert_null(TF_TensorMaybeMove(shared));
  TF_DeleteTensor(shared);
  assert_ptr_equal(TF_TensorMaybeMove(owned), owned);
  TF_DeleteTensor(owned);
  TF_Tensor *adopted = TF_NewTensor(TF_FLOAT, dims_2x3, 2, aligned_bytes, 24, note_free, &f);
  assert_null(TF_TensorMaybeMove(adopted));
  TF_DeleteTensor(adopted);
  TF_Tensor *copied = TF_NewTensor(TF_FLOAT, dims_2x3, 2, aligned_bytes + 4, 24, note_free, &f);
  assert_ptr_equal(TF_TensorMaybeMove(copied), copied);
  TF_DeleteTensor(copied);
  assert_null(TF_TensorMaybeMove(NULL));
}

static void test_rule_025_strings_are_freed_with_owned_tensors_only(void **state) {
  (void)state;
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims_2x3, 2, 144);
  for (int i = 0; i < 6; i++)
    TF_StringCopy((TF_TString *)TF_TensorData(t) + i, "a string longer than twenty-two", 31);
  TF_DeleteTensor(t);  // a leak would be found by the sanitizer
  freed f = {0};
  TF_TString mine;
  TF_StringInit(&mine);
  TF_StringCopy(&mine, "a string longer than twenty-two", 31);
  t = TF_NewTensor(TF_STRING, NULL, 0, &mine, sizeof mine, note_free, &f);
  TF_DeleteTensor(t);
  assert_memory_equal(TF_StringGetDataPointer(&mine), "a string", 8);
  TF_StringDealloc(&mine);
}

static void test_rules_026_027_set_shape(void **state) {
  (void)state;
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, (int64_t[]){3}, 1, 12);
  TF_SetShape(t, (int64_t[]){1000}, 1);
  assert_int_equal(TF_Dim(t, 0), 1000);
  assert_int_equal(TF_TensorElementCount(t), 1000);
  assert_int_equal(TF_TensorByteSize(t), 12);
  TF_SetShape(t, NULL, 0);
  assert_int_equal(TF_NumDims(t), 0);
  TF_DeleteTensor(t);
}

static void test_rule_028_where_stock_aborts(void **state) {
  (void)state;
  int64_t ones[255];
  for (int i = 0; i < 255; i++) ones[i] = 1;
  freed f = {0};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, ones, 254, 4);
  assert_int_equal(TF_NumDims(t), 254);
  assert_int_equal(TF_Dim(t, 253), 1);
  assert_int_equal(TF_Dim(t, 254), -1);
  assert_int_equal(lines.lines, 1);
  assert_int_equal(TF_Dim(t, -1), -1);
  assert_int_equal(lines.lines, 2);
  TF_SetShape(t, (int64_t[]){-1}, 1);
  assert_int_equal(TF_NumDims(t), 254);
  assert_int_equal(lines.lines, 3);
  TF_DeleteTensor(t);
  assert_null(TF_AllocateTensor(TF_FLOAT, ones, 255, 4));
  assert_null(TF_AllocateTensor(TF_FLOAT, ones, -1, 4));
  assert_null(TF_AllocateTensor(TF_FLOAT, (int64_t[]){-2}, 1, 4));
  assert_null(TF_AllocateTensor(TF_FLOAT, (int64_t[]){INT64_MAX, INT64_MAX}, 2, 4));
  assert_int_equal(lines.lines, 7);
  assert_null(TF_NewTensor(TF_FLOAT, (int64_t[]){-2}, 1, aligned_bytes, 24, note_free, &f));
  assert_null(TF_NewTensor(TF_FLOAT, ones, 255, aligned_bytes, 24, note_free, &f));
  assert_int_equal(lines.lines, 9);
  assert_int_equal(lines.level, DVT_ERROR);
  assert_int_equal(f.calls, 2);
  assert_null(TF_AllocateTensor(TF_DOUBLE, (int64_t[]){INT64_MAX}, 1, SIZE_MAX));
  assert_null(TF_AllocateTensor(TF_UINT8, (int64_t[]){INT64_MAX}, 1, SIZE_MAX));
  assert_null(TF_AllocateTensor(TF_STRING, (int64_t[]){INT64_MAX}, 1, 0));
}

static void test_rule_029_scalar_has_one_element(void **state) {
  (void)state;
  TF_Tensor *t = TF_AllocateTensor(TF_DOUBLE, NULL, 0, 8);
  assert_int_equal(TF_TensorElementCount(t), 1);
  assert_int_equal(TF_TensorType(t), TF_DOUBLE);
  TF_DeleteTensor(t);
}

static void test_rule_030_bitcast(void **state) {
  (void)state;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *from = TF_AllocateTensor(TF_FLOAT, dims_2x3, 2, 24),
            *to = TF_AllocateTensor(TF_INT8, NULL, 0, 1);
  TF_TensorBitcastFrom(from, TF_INT64, to, (int64_t[]){3}, 1, s);
  assert_int_equal(TF_GetCode(s), TF_OK);
  assert_int_equal(TF_TensorType(to), TF_INT64);
  assert_int_equal(TF_Dim(to, 0), 3);
  assert_ptr_equal(TF_TensorData(to), TF_TensorData(from));
  TF_TensorBitcastFrom(from, TF_INT64, to, (int64_t[]){4}, 1, s);
  assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
  assert_non_null(strstr(TF_Message(s), "not compatible"));
  assert_int_equal(TF_Dim(to, 0), 3);
  TF_TensorBitcastFrom(from, TF_STRING, to, (int64_t[]){1}, 1, s);
  assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
  TF_TensorBitcastFrom(from, TF_FLOAT, to, (int64_t[]){-6}, 1, s);
  assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
  TF_TensorBitcastFrom(from, TF_INT32, from, (int64_t[]){6}, 1, s);  // onto itself
  assert_int_equal(TF_GetCode(s), TF_OK);
  assert_int_equal(TF_TensorType(from), TF_INT32);
  assert_int_equal(TF_NumDims(from), 1);
  TF_TensorBitcastFrom(NULL, TF_INT32, from, (int64_t[]){6}, 1, s);
  assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
  TF_DeleteTensor(from);
  TF_DeleteTensor(to);
  TF_DeleteStatus(s);
}

static void test_rule_031_newer_and_unknown_dtypes(void **state) {
  (void)state;
  for (int dtype = 24; dtype <= 33; dtype++) {
    assert_null(TF_AllocateTensor((TF_DataType)dtype, dims_2x3, 2, 5));
    TF_Tensor *t = TF_AllocateTensor((TF_DataType)dtype, dims_2x3, 2, 6);
    assert_int_equal(TF_TensorType(t), dtype);
    TF_DeleteTensor(t);
  }
  freed f = {0};
  TF_Tensor *t = TF_AllocateTensor((TF_DataType)77, dims_2x3, 2, 6);
  assert_int_equal(TF_TensorType(t), 77);
  TF_DeleteTensor(t);
  t = TF_NewTensor((TF_DataType)77, dims_2x3, 2, aligned_bytes + 1, 6, note_free, &f);
  assert_ptr_equal(TF_TensorData(t), aligned_bytes + 1);
  TF_DeleteTensor(t);
  assert_int_equal(f.calls, 1);
}

static void test_rules_032_033_empty_tensors_have_aligned_data(void **state) {
  (void)state;
  const int64_t none[] = {0};
  freed f = {0};
  TF_Tensor *tensors[] = {TF_AllocateTensor(TF_FLOAT, none, 1, 0),
                          TF_NewTensor(TF_FLOAT, none, 1, NULL, 0, note_free, &f)};
  for (size_t i = 0; i < DVT_COUNT_OF(tensors); i++) {
    assert_non_null(TF_TensorData(tensors[i]));
    assert_true(TF_TensorIsAligned(tensors[i]));
    assert_int_equal(TF_TensorElementCount(tensors[i]), 0);
    TF_DeleteTensor(tensors[i]);
  }
  TF_DeleteTensor(NULL);
}

static void test_tensor_from_proto(void **state) {
  (void)state;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *t = TF_AllocateTensor(TF_INT8, dims_2x3, 2, 6);
  TF_Buffer *good = TF_NewBufferFromString("\x08\x01\x12\x04\x12\x02\x08\x02\x2a\x04\x00\x00\x80\x3f", 14);
  TF_TensorFromProto(good, t, s);
  assert_int_equal(TF_GetCode(s), TF_OK);
  assert_int_equal(TF_TensorType(t), TF_FLOAT);
  assert_int_equal(TF_Dim(t, 0), 2);
  assert_true(((float *)TF_TensorData(t))[1] == 1.0f);
  TF_Buffer *bad = TF_NewBufferFromString("\x08", 1);
  TF_TensorFromProto(bad, t, s);
  assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
  assert_int_equal(TF_TensorType(t), TF_FLOAT);  // untouched
  TF_TensorFromProto(NULL, t, s);
  assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
  TF_DeleteBuffer(good);
  TF_DeleteBuffer(bad);
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

static bool tensor_attempt(void *arg) {
  (void)arg;
  int64_t deep[9] = {1, 1, 1, 1, 1, 1, 1, 2, 3};
  freed f = {0};
  bool ok = true;
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, deep, 9, 24);
  ok = ok && t;
  TF_DeleteTensor(t);
  for (int offset = 0; offset <= 4; offset += 4) {
    int calls = f.calls;
    t = TF_NewTensor(TF_FLOAT, deep, 9, aligned_bytes + offset, 24, note_free, &f);
    ok = ok && t;
    TF_DeleteTensor(t);
    assert_int_equal(f.calls, calls + 1);  // in every case exactly once
  }
  return ok;
}
static void test_survives_allocation_failures(void **state) {
  (void)state;
  dvt_test_fail_each_allocation(tensor_attempt, NULL, 4);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start_log, stop_log)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_rule_015_alignment),
      TEST(test_rule_016_length),
      TEST(test_rule_017_short_string_tensor_is_accepted_and_safe),
      TEST(test_rule_018_string_tensors_are_zeroed),
      TEST(test_rule_019_aligned_data_is_adopted),
      TEST(test_rule_020_misaligned_data_is_copied),
      TEST(test_rule_021_short_data_is_refused_and_freed),
      TEST(test_rule_022_scalars_and_empty_tensors),
      TEST(test_rule_023_null_deallocator_is_not_called),
      TEST(test_rule_024_maybe_move),
      TEST(test_rule_025_strings_are_freed_with_owned_tensors_only),
      TEST(test_rules_026_027_set_shape),
      TEST(test_rule_028_where_stock_aborts),
      TEST(test_rule_029_scalar_has_one_element),
      TEST(test_rule_030_bitcast),
      TEST(test_rule_031_newer_and_unknown_dtypes),
      TEST(test_rules_032_033_empty_tensors_have_aligned_data),
      TEST(test_tensor_from_proto),
      TEST(test_survives_allocation_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
