// dvt_checkpoint_save and its form for slices: what they write, the reader gives back; what cannot be written
// is refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/testing.h"
#include "dovetail/checkpoint.h"
#include "tensorflow/c/c_api_experimental.h"

static char folder[] = "/tmp/checkpoint_save_XXXXXX";
static char prefix[64];

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(prefix, sizeof prefix, "%s/model", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char file[96];
  snprintf(file, sizeof file, "%s.index", prefix);
  unlink(file);
  snprintf(file, sizeof file, "%s.data-00000-of-00001", prefix);
  unlink(file);
  return rmdir(folder);
}

static TF_Tensor *numbers(TF_DataType dtype) {
  int64_t dims[] = {2, 3};
  TF_Tensor *t = TF_AllocateTensor(dtype, dims, 2, 24);
  for (int i = 0; i < 6; i++) ((float *)TF_TensorData(t))[i] = (float)i + 0.5f;
  return t;
}

static void test_save_and_read(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *t = numbers(TF_FLOAT);
  const char *names[] = {"b", "a/long name"};
  const TF_Tensor *tensors[] = {t, t};
  dvt_checkpoint_save(prefix, names, tensors, 2, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_CheckpointReader *reader = TF_NewCheckpointReader(prefix, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_int_equal(TF_CheckpointReaderSize(reader), 2);
  for (int i = 0; i < 2; i++) {
    TF_Tensor *back = TF_CheckpointReaderGetTensor(reader, names[i], status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(TF_NumDims(back), 2);
    assert_memory_equal(TF_TensorData(back), TF_TensorData(t), 24);
    TF_DeleteTensor(back);
  }
  TF_DeleteCheckpointReader(reader);
  TF_DeleteTensor(t);
  TF_DeleteStatus(status);
}

static void test_slices(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *t = numbers(TF_FLOAT);
  const int64_t dims[] = {4, 3}, top[] = {0, 0}, bottom[] = {2, 0}, size[] = {2, 3}, wrong[] = {3, 0};
  const dvt_checkpoint_slice first = {2, dims, top, size}, second = {2, dims, bottom, size},
                             outside = {2, dims, wrong, size}, flat = {1, dims, top, size};
  const dvt_checkpoint_slice *const slices[] = {&first, &second, NULL};
  const char *names[] = {"x", "x", "y"};
  const TF_Tensor *tensors[] = {t, t, t};
  dvt_checkpoint_save_slices(prefix, names, tensors, slices, 3, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_CheckpointReader *reader = TF_NewCheckpointReader(prefix, status);
  assert_int_equal(TF_CheckpointReaderSize(reader), 2);
  TF_Tensor *back = TF_CheckpointReaderGetTensor(reader, "x", status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_int_equal(TF_Dim(back, 0), 4);
  assert_memory_equal(TF_TensorData(back), TF_TensorData(t), 24);
  assert_memory_equal((char *)TF_TensorData(back) + 24, TF_TensorData(t), 24);
  TF_DeleteTensor(back);
  TF_DeleteCheckpointReader(reader);
  const dvt_checkpoint_slice *const refused[] = {&outside, &flat};
  for (int i = 0; i < 2; i++) {
    dvt_checkpoint_save_slices(prefix, names, tensors, &refused[i], 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  }
  TF_DeleteTensor(t);
  TF_DeleteStatus(status);
}

static void expect_refused(const char *where, const char *const *names, const TF_Tensor *const *tensors,
                           int count) {
  TF_Status *status = TF_NewStatus();
  dvt_checkpoint_save(where, names, tensors, count, status);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_true(strlen(TF_Message(status)) > 10);
  TF_DeleteStatus(status);
}

static void test_refused(void **state) {
  (void)state;
  TF_Tensor *t = numbers(TF_FLOAT);
  const char *twice[] = {"x", "x"}, *empty[] = {""}, *none[] = {NULL};
  const TF_Tensor *tensors[] = {t, t}, *no_tensor[] = {NULL};
  expect_refused(NULL, twice, tensors, 1);
  expect_refused(prefix, NULL, tensors, 1);
  expect_refused(prefix, twice, NULL, 1);
  expect_refused(prefix, twice, tensors, -1);
  expect_refused(prefix, twice, tensors, 2);
  expect_refused(prefix, empty, tensors, 1);
  expect_refused(prefix, none, tensors, 1);
  expect_refused(prefix, twice, no_tensor, 1);
  TF_DeleteTensor(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_save_and_read),
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
