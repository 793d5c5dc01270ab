// .npy files: every dtype, both byte orders, Fortran order, strings, and headers that lie. Arrays are spelled
// out by hand from NumPy's format description; tests/cli/cli_test.py compares with NumPy itself.
#include "npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "input.h"

typedef struct file {
  char bytes[4096];
  size_t len;
} file;

// A file of version `major` with the header text and the data.
static file make(int major, const char *header, const void *data, size_t data_len) {
  file f = {{0}, 0};
  size_t len = strlen(header);
  const char start[12] = {(char)0x93,       'N', 'U', 'M', 'P', 'Y', (char)major, 0, (char)(len & 0xff),
                          (char)(len >> 8), 0,   0};
  f.len = major == 1 ? 10 : 12;
  memcpy(f.bytes, start, f.len);
  memcpy(f.bytes + f.len, header, len);
  f.len += len;
  if (data_len) memcpy(f.bytes + f.len, data, data_len);
  f.len += data_len;
  return f;
}

static TF_Tensor *parse(file f) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *t = npy_parse(f.bytes, f.len, (TF_DataType)0, status);
  if (!t) fail_msg("%s", TF_Message(status));
  TF_DeleteStatus(status);
  return t;
}

static void assert_refused(file f, const char *part) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *t = npy_parse(f.bytes, f.len, (TF_DataType)0, status);
  assert_null(t);
  if (!strstr(TF_Message(status), part)) fail_msg("got: %s", TF_Message(status));
  TF_DeleteStatus(status);
}

static void test_versions(void **state) {
  (void)state;
  const float values[] = {1, 2, 3};
  for (int major = 1; major <= 3; ++major) {
    TF_Tensor *t =
        parse(make(major, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  \n", values, 12));
    assert_int_equal(TF_TensorType(t), TF_FLOAT);
    assert_int_equal(TF_NumDims(t), 1);
    assert_memory_equal(TF_TensorData(t), values, 12);
    TF_DeleteTensor(t);
  }
  assert_refused(make(4, "{}", NULL, 0), "version 4");
}

static void test_scalar_and_empty(void **state) {
  (void)state;
  const int64_t value = -5;
  TF_Tensor *t = parse(make(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }", &value, 8));
  assert_int_equal(TF_NumDims(t), 0);
  assert_int_equal(*(int64_t *)TF_TensorData(t), -5);
  TF_DeleteTensor(t);
  t = parse(make(1, "{'shape': (0, 7), 'fortran_order': False, 'descr': '|b1'}", NULL, 0));
  assert_int_equal(TF_TensorElementCount(t), 0);
  assert_int_equal(TF_Dim(t, 1), 7);
  TF_DeleteTensor(t);
}

static void test_fortran_order_and_byte_order(void **state) {
  (void)state;
  const char big[] = {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6};  // columns of {{1,2,3},{4,5,6}}
  const int16_t expected[] = {1, 2, 3, 4, 5, 6};
  TF_Tensor *t =
      parse(make(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", big, sizeof big));
  assert_memory_equal(TF_TensorData(t), expected, sizeof expected);
  TF_DeleteTensor(t);
  const int8_t cube[] = {0, 4, 2, 6, 1, 5, 3, 7};  // element (i,j,k) = 4i + 2j + k
  t = parse(make(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2, 2), }", cube, sizeof cube));
  for (int i = 0; i < 8; ++i) assert_int_equal(((int8_t *)TF_TensorData(t))[i], i);
  TF_DeleteTensor(t);
  const char complex_big[] = {0x3f, (char)0x80, 0, 0, 0x40, 0, 0, 0};  // 1 + 2j
  t = parse(make(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", complex_big, 8));
  assert_true(((float *)TF_TensorData(t))[0] == 1.0f && ((float *)TF_TensorData(t))[1] == 2.0f);
  TF_DeleteTensor(t);
}

static void test_strings(void **state) {
  (void)state;
  TF_Tensor *t = parse(make(1, "{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", "ab\0xyz", 6));
  TF_TString *s = TF_TensorData(t);
  assert_int_equal(TF_TensorType(t), TF_STRING);
  assert_int_equal(TF_TString_GetSize(&s[0]), 2);
  assert_memory_equal(TF_TString_GetDataPointer(&s[1]), "xyz", 3);
  TF_DeleteTensor(t);
  const uint32_t text[] = {0x41, 0xe9, 0x20ac, 0x1f600};  // A, e acute, euro, a face
  t = parse(make(1, "{'descr': '<U4', 'fortran_order': False, 'shape': (), }", text, sizeof text));
  s = TF_TensorData(t);
  assert_int_equal(TF_TString_GetSize(s), 10);
  assert_memory_equal(TF_TString_GetDataPointer(s), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10);
  TF_DeleteTensor(t);
  const uint32_t no_text = 0x110000;
  assert_refused(make(1, "{'descr': '<U1', 'fortran_order': False, 'shape': (), }", &no_text, 4),
                 "no Unicode");
}

static void test_refused(void **state) {
  (void)state;
  const char two = 2;
  assert_refused(make(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678", 8),
                 "pickle");
  assert_refused(make(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234", 4),
                 "records");
  assert_refused(make(1, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,), }", "12345678", 8),
                 "<M8[ns]");
  assert_refused(
      make(1, "{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }", "1234567812345678", 16),
      "'f' of 16");
  assert_refused(make(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", &two, 1),
                 "booleans is 2");
  assert_refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "12345678901", 11),
                 "cut off");
  assert_refused(
      make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", "", 0),
      "cut off");
  assert_refused(make(1, "{'descr': '|S0', 'fortran_order': False, 'shape': (99999999999,), }", "", 0),
                 "cut off");
  assert_refused(
      make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "", 0),
      "malformed");
  assert_refused(make(1, "{'descr': '<f4', 'shape': (1,), }", "1234", 4), "lacks");
  assert_refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "1234", 4),
                 "malformed");
  assert_refused(make(1, "import os", "", 0), "malformed");
  file short_header = make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "1234", 4);
  for (size_t cut = 0; cut < short_header.len; ++cut) {
    file f = short_header;
    f.len = cut;
    TF_Status *status = TF_NewStatus();
    assert_null(npy_parse(f.bytes, f.len, (TF_DataType)0, status));
    TF_DeleteStatus(status);
  }
}

// bfloat16 is saved as two raw bytes; only a reader who knows can tell.
static void test_raw_elements(void **state) {
  (void)state;
  file f = make(1, "{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", "\x80\x3f\x00\x40", 4);
  TF_Status *status = TF_NewStatus();
  TF_Tensor *t = npy_parse(f.bytes, f.len, TF_BFLOAT16, status);
  assert_non_null(t);
  assert_int_equal(TF_TensorType(t), TF_BFLOAT16);
  TF_DeleteTensor(t);
  assert_null(npy_parse(f.bytes, f.len, TF_FLOAT, status));
  TF_DeleteStatus(status);
}

static void test_write_and_read_back(void **state) {
  (void)state;
  char path[] = "/tmp/dvt_npy_XXXXXX";
  close(mkstemp(path));
  const TF_DataType dtypes[] = {TF_FLOAT,  TF_DOUBLE, TF_HALF,      TF_INT8,      TF_INT16,
                                TF_INT32,  TF_INT64,  TF_UINT8,     TF_UINT16,    TF_UINT32,
                                TF_UINT64, TF_BOOL,   TF_COMPLEX64, TF_COMPLEX128};
  const int64_t dims[] = {2, 3};
  TF_Status *status = TF_NewStatus();
  for (size_t i = 0; i < DVT_COUNT_OF(dtypes); ++i) {
    size_t bytes = 6 * TF_DataTypeSize(dtypes[i]), len;
    TF_Tensor *t = TF_AllocateTensor(dtypes[i], dims, 2, bytes);
    memset(TF_TensorData(t), 1, bytes);
    assert_true(npy_write(path, t, status));
    char *content = file_read(path, &len, status);
    assert_int_equal((len - bytes) % 64, 0);
    TF_Tensor *back = npy_parse(content, len, (TF_DataType)0, status);
    assert_non_null(back);
    assert_int_equal(TF_TensorType(back), dtypes[i]);
    assert_int_equal(TF_Dim(back, 1), 3);
    assert_memory_equal(TF_TensorData(back), TF_TensorData(t), bytes);
    TF_DeleteTensor(t);
    TF_DeleteTensor(back);
    free(content);
  }
  TF_DeleteStatus(status);
  unlink(path);
}

// ---- dtype conversion, rules in convert.c ----

static TF_Tensor *converted(TF_DataType from, const void *value, TF_DataType to, TF_Status *status) {
  TF_Tensor *t = TF_AllocateTensor(from, NULL, 0, TF_DataTypeSize(from));
  memcpy(TF_TensorData(t), value, TF_DataTypeSize(from));
  return convert_tensor(t, to, status);
}

static void test_conversion(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  const int64_t fits = -128, large = 128, odd = 16777217;
  const double tenth = 0.1;
  const uint64_t most = UINT64_MAX;
  const int8_t minus = -1;
  TF_Tensor *t = converted(TF_INT64, &fits, TF_INT8, status);
  assert_int_equal(*(int8_t *)TF_TensorData(t), -128);
  TF_DeleteTensor(t);
  assert_null(converted(TF_INT64, &large, TF_INT8, status));
  assert_non_null(strstr(TF_Message(status), "128"));
  assert_null(converted(TF_INT64, &odd, TF_FLOAT, status));
  t = converted(TF_INT64, &odd, TF_DOUBLE, status);
  assert_true(*(double *)TF_TensorData(t) == 16777217.0);
  TF_DeleteTensor(t);
  t = converted(TF_DOUBLE, &tenth, TF_FLOAT, status);
  assert_true(*(float *)TF_TensorData(t) == 0.1f);
  TF_DeleteTensor(t);
  assert_null(converted(TF_DOUBLE, &tenth, TF_INT32, status));
  assert_null(converted(TF_UINT64, &most, TF_INT64, status));
  assert_null(converted(TF_INT8, &minus, TF_UINT64, status));
  assert_null(converted(TF_INT8, &minus, TF_BOOL, status));
  t = converted(TF_INT8, &minus, TF_QINT8, status);
  assert_int_equal(TF_TensorType(t), TF_QINT8);
  TF_DeleteTensor(t);
  TF_DeleteStatus(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_versions),
      cmocka_unit_test(test_scalar_and_empty),
      cmocka_unit_test(test_fortran_order_and_byte_order),
      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_raw_elements),
      cmocka_unit_test(test_write_and_read_back),
      cmocka_unit_test(test_conversion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
