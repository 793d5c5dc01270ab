// DLPack in and out: sharing, copying where sharing is impossible, and the errors.
#include "dovetail/dlpack.h"
#include "base/testing.h"
#include "tensor/tensor.h"

static TF_Status *status;
static int setup(void **state) {
  (void)state;
  status = TF_NewStatus();
  return 0;
}
static int teardown(void **state) {
  (void)state;
  TF_DeleteStatus(status);
  return 0;
}

static void expect_failure(TF_Code code, const char *part) {
  assert_int_equal(TF_GetCode(status), code);
  if (!strstr(TF_Message(status), part)) fail_msg("\"%s\" lacks \"%s\"", TF_Message(status), part);
}

// The layout is the specification's (64-bit): 48 bytes of tensor, then manager and deleter; versioned: header
// first.
static void test_struct_layout(void **state) {
  (void)state;
  assert_int_equal(sizeof(dvt_dl_tensor), 48);
  assert_int_equal(offsetof(dvt_dl_tensor, ndim), 16);
  assert_int_equal(offsetof(dvt_dl_tensor, dtype), 20);
  assert_int_equal(offsetof(dvt_dl_tensor, shape), 24);
  assert_int_equal(offsetof(dvt_dl_tensor, byte_offset), 40);
  assert_int_equal(sizeof(dvt_dl_managed), 64);
  assert_int_equal(offsetof(dvt_dl_managed, deleter), 56);
  assert_int_equal(sizeof(dvt_dl_managed_versioned), 80);
  assert_int_equal(offsetof(dvt_dl_managed_versioned, flags), 24);
  assert_int_equal(offsetof(dvt_dl_managed_versioned, tensor), 32);
}

static void test_export_shares_memory_and_outlives_the_tensor(void **state) {
  (void)state;
  const int64_t dims[] = {2, 3};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 2, 24);
  memset(TF_TensorData(t), 0, 24);
  dvt_dl_managed *plain = dvt_dlpack_export(t, status);
  dvt_dl_managed_versioned *versioned = dvt_dlpack_export_versioned(t, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_ptr_equal(plain->tensor.data, TF_TensorData(t));
  assert_ptr_equal(versioned->tensor.data, TF_TensorData(t));
  assert_int_equal(plain->tensor.device.device_type, DVT_DL_CPU);
  assert_int_equal(plain->tensor.dtype.code, DVT_DL_FLOAT);
  assert_int_equal(plain->tensor.dtype.bits, 32);
  assert_int_equal(plain->tensor.dtype.lanes, 1);
  assert_int_equal(plain->tensor.ndim, 2);
  assert_memory_equal(plain->tensor.shape, dims, sizeof dims);
  assert_int_equal(plain->tensor.strides[0], 3);
  assert_int_equal(plain->tensor.strides[1], 1);
  assert_int_equal(plain->tensor.byte_offset, 0);
  assert_int_equal(versioned->version.major, 1);
  assert_int_equal(versioned->flags, 0);
  assert_null(TF_TensorMaybeMove(t));
  TF_DeleteTensor(t);
  ((float *)plain->tensor.data)[5] = 7;
  assert_true(((float *)versioned->tensor.data)[5] == 7);
  plain->deleter(plain);
  versioned->deleter(versioned);
}

static void test_every_exported_dtype_comes_back(void **state) {
  (void)state;
  static const int lacking[] = {TF_STRING, TF_RESOURCE, TF_VARIANT, TF_QINT8,
                                TF_QUINT8, TF_QINT32,   TF_QINT16,  TF_QUINT16};
  for (int dtype = 1; dtype <= DVT_DTYPE_MAX; dtype++) {
    const int64_t dims[] = {4};
    bool lacks = false;
    for (size_t i = 0; i < DVT_COUNT_OF(lacking); i++) lacks = lacks || lacking[i] == dtype;
    TF_Tensor *t = TF_AllocateTensor((TF_DataType)dtype, dims, 1, 96);
    dvt_dl_managed_versioned *dl = dvt_dlpack_export_versioned(t, status);
    if (lacks) {
      assert_null(dl);
      expect_failure(TF_UNIMPLEMENTED, dvt_dtype_name(dtype));
    } else {
      assert_int_equal((dl->flags & DVT_DL_FLAG_SUBBYTE_PADDED) != 0, dl->tensor.dtype.bits < 8);
      TF_Tensor *back = dvt_dlpack_import_versioned(dl, status);
      assert_non_null(back);
      assert_int_equal(TF_TensorType(back), dtype);
      assert_ptr_equal(TF_TensorData(back), TF_TensorData(t));
      TF_DeleteTensor(back);
    }
    TF_DeleteTensor(t);
  }
  TF_Tensor *t = TF_AllocateTensor(TF_INT4, NULL, 0, 1);
  assert_null(dvt_dlpack_export(t, status));
  expect_failure(TF_UNIMPLEMENTED, "dvt_dlpack_export_versioned");
  TF_DeleteTensor(t);
}

static void test_export_errors(void **state) {
  (void)state;
  assert_null(dvt_dlpack_export(NULL, status));
  expect_failure(TF_INVALID_ARGUMENT, "NULL");
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
  TF_SetShape(t, (int64_t[]){1000}, 1);
  assert_null(dvt_dlpack_export_versioned(t, status));
  expect_failure(TF_INVALID_ARGUMENT, "needs 4000 bytes");
  TF_DeleteTensor(t);
}

// A foreign tensor whose deleter counts.
typedef struct foreign {
  _Alignas(64) float data[24];
  int64_t shape[3], strides[3];
  int deleted;
  dvt_dl_managed plain;
  dvt_dl_managed_versioned versioned;
} foreign;
static void delete_plain(dvt_dl_managed *self) { ((foreign *)self->manager_ctx)->deleted++; }
static void delete_versioned(dvt_dl_managed_versioned *self) { ((foreign *)self->manager_ctx)->deleted++; }

// 2 x 3 x 4 floats 0, 1, 2, ... in row-major order.
static void make_foreign(foreign *f) {
  *f = (foreign){.shape = {2, 3, 4}, .strides = {12, 4, 1}};
  for (int i = 0; i < 24; i++) f->data[i] = (float)i;
  dvt_dl_tensor t = {f->data, {DVT_DL_CPU, 0}, 3, {DVT_DL_FLOAT, 32, 1}, f->shape, f->strides, 0};
  f->plain = (dvt_dl_managed){t, f, delete_plain};
  f->versioned = (dvt_dl_managed_versioned){{1, 0}, f, delete_versioned, 0, t};
}

static void test_import_adopts_compact_memory(void **state) {
  (void)state;
  static foreign f;
  make_foreign(&f);
  for (int with_strides = 0; with_strides < 2; with_strides++) {
    f.plain.tensor.strides = with_strides ? f.strides : NULL;
    TF_Tensor *t = dvt_dlpack_import(&f.plain, status);
    assert_non_null(t);
    assert_ptr_equal(TF_TensorData(t), f.data);
    assert_int_equal(TF_TensorByteSize(t), 96);
    assert_int_equal(TF_Dim(t, 2), 4);
    assert_null(TF_TensorMaybeMove(t));
    assert_int_equal(f.deleted, with_strides);
    TF_DeleteTensor(t);
    assert_int_equal(f.deleted, with_strides + 1);
  }
  f.versioned.flags = DVT_DL_FLAG_READ_ONLY;
  f.versioned.deleter = NULL;
  TF_Tensor *t = dvt_dlpack_import_versioned(&f.versioned, status);
  assert_ptr_equal(TF_TensorData(t), f.data);
  TF_DeleteTensor(t);
}

static void expect_floats(TF_Tensor *t, const float *want, size_t count) {
  assert_non_null(t);
  assert_int_equal(TF_TensorByteSize(t), count * 4);
  assert_true(TF_TensorIsAligned(t));
  const float *got = TF_TensorData(t);
  for (size_t i = 0; i < count; i++) assert_true(got[i] == want[i]);
  TF_DeleteTensor(t);
}

static void test_import_copies_other_layouts(void **state) {
  (void)state;
  static foreign f;
  make_foreign(&f);
  // The transpose of the last 3 x 4 block, from a byte offset.
  f.plain.tensor.ndim = 2;
  f.shape[0] = 4, f.shape[1] = 3, f.strides[0] = 1, f.strides[1] = 4;
  f.plain.tensor.byte_offset = 48;
  expect_floats(dvt_dlpack_import(&f.plain, status),
                (float[]){12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23}, 12);
  assert_int_equal(f.deleted, 1);
  // Broadcast rows (stride 0) and reversed columns (stride -1).
  f.shape[0] = 2, f.shape[1] = 3, f.strides[0] = 0, f.strides[1] = -1;
  f.plain.tensor.byte_offset = 8;
  expect_floats(dvt_dlpack_import(&f.plain, status), (float[]){2, 1, 0, 2, 1, 0}, 6);
  // Compact but not aligned to 64 bytes.
  f.strides[0] = 3, f.strides[1] = 1;
  f.plain.tensor.byte_offset = 4;
  expect_floats(dvt_dlpack_import(&f.plain, status), (float[]){1, 2, 3, 4, 5, 6}, 6);
  assert_int_equal(f.deleted, 3);
  // No elements: strides and data do not matter.
  f.shape[0] = 0, f.plain.tensor.data = NULL;
  TF_Tensor *t = dvt_dlpack_import(&f.plain, status);
  assert_int_equal(TF_TensorElementCount(t), 0);
  TF_DeleteTensor(t);
  assert_int_equal(f.deleted, 4);
}

static void test_import_errors_leave_the_struct_to_its_owner(void **state) {
  (void)state;
  static foreign f;
  static const struct {
    dvt_dl_type type;
    int32_t device, ndim;
    int64_t first_dim;
    TF_Code code;
    const char *part;
  } rows[] = {
      {{DVT_DL_FLOAT, 32, 1}, DVT_DL_CUDA, 3, 2, TF_UNIMPLEMENTED, "device type 2"},
      {{DVT_DL_FLOAT, 32, 4}, DVT_DL_CPU, 3, 2, TF_UNIMPLEMENTED, "4 lanes"},
      {{DVT_DL_OPAQUE, 64, 1}, DVT_DL_CPU, 3, 2, TF_UNIMPLEMENTED, "type code 3"},
      {{DVT_DL_FLOAT, 24, 1}, DVT_DL_CPU, 3, 2, TF_UNIMPLEMENTED, "24 bits"},
      {{DVT_DL_FLOAT6_E2M3FN, 6, 1}, DVT_DL_CPU, 3, 2, TF_UNIMPLEMENTED, "6 bits"},
      {{DVT_DL_INT, 4, 1}, DVT_DL_CPU, 3, 2, TF_UNIMPLEMENTED, "packed elements of 4 bits"},
      {{DVT_DL_FLOAT, 32, 1}, DVT_DL_CPU, -1, 2, TF_INVALID_ARGUMENT, "rank -1"},
      {{DVT_DL_FLOAT, 32, 1}, DVT_DL_CPU, 300, 2, TF_INVALID_ARGUMENT, "rank 300"},
      {{DVT_DL_FLOAT, 32, 1}, DVT_DL_CPU, 3, -2, TF_INVALID_ARGUMENT, "negative"},
      {{DVT_DL_FLOAT, 32, 1}, DVT_DL_CPU, 3, INT64_MAX, TF_INVALID_ARGUMENT, "more elements"},
  };
  for (size_t i = 0; i < DVT_COUNT_OF(rows); i++) {
    make_foreign(&f);
    f.plain.tensor.dtype = rows[i].type;
    f.plain.tensor.device.device_type = rows[i].device;
    f.plain.tensor.ndim = rows[i].ndim;
    f.shape[0] = rows[i].first_dim;
    assert_null(dvt_dlpack_import(&f.plain, status));
    expect_failure(rows[i].code, rows[i].part);
    assert_int_equal(f.deleted, 0);
  }
  make_foreign(&f);
  f.plain.tensor.data = NULL;
  assert_null(dvt_dlpack_import(&f.plain, status));
  expect_failure(TF_INVALID_ARGUMENT, "data pointer");
  f.versioned.version.major = 2;
  assert_null(dvt_dlpack_import_versioned(&f.versioned, status));
  expect_failure(TF_UNIMPLEMENTED, "2.0");
  assert_null(dvt_dlpack_import(NULL, status));
  assert_null(dvt_dlpack_import_versioned(NULL, status));
  expect_failure(TF_INVALID_ARGUMENT, "NULL");
  assert_int_equal(f.deleted, 0);
}

static bool exchange_attempt(void *arg) {
  foreign *f = arg;
  f->deleted = 0;
  TF_Tensor *t = dvt_dlpack_import(&f->plain, status);
  assert_int_equal(f->deleted, t && f->plain.tensor.byte_offset);
  dvt_dl_managed *out = t ? dvt_dlpack_export(t, status) : NULL;
  TF_DeleteTensor(t);
  assert_int_equal(f->deleted, t && (!out || f->plain.tensor.byte_offset));
  if (!out) {
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    return false;
  }
  out->deleter(out);
  assert_int_equal(f->deleted, 1);
  return true;
}
static void test_survives_allocation_failures(void **state) {
  (void)state;
  static foreign f;
  make_foreign(&f);
  dvt_test_fail_each_allocation(exchange_attempt, &f, 3);
  f.plain.tensor.byte_offset = 4;  // now copied
  f.shape[0] = 1;
  f.strides[2] = 2;
  f.shape[2] = 2;
  dvt_test_fail_each_allocation(exchange_attempt, &f, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_struct_layout),
      cmocka_unit_test(test_export_shares_memory_and_outlives_the_tensor),
      cmocka_unit_test(test_every_exported_dtype_comes_back),
      cmocka_unit_test(test_export_errors),
      cmocka_unit_test(test_import_adopts_compact_memory),
      cmocka_unit_test(test_import_copies_other_layouts),
      cmocka_unit_test(test_import_errors_leave_the_struct_to_its_owner),
      cmocka_unit_test(test_survives_allocation_failures),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
