// Checkpoints: the writer's files read back, entries made by hand from the format's description, damage of
// every kind. What stock TensorFlow writes and reads is compared in tests/model.
#include "graph/checkpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph/checkpoint_internal.h"
#include "graph/crc32c.h"
#include "graph/snappy.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

static void assert_ok(dvt_status status) {
  if (status) fail_msg("%s", dvt_status_message(status));
}

static void assert_fails(dvt_status status, TF_Code code, const char *part) {
  assert_non_null(status);
  if (dvt_status_code(status) != code || !strstr(dvt_status_message(status), part))
    fail_msg("got code %d: %s", dvt_status_code(status), dvt_status_message(status));
  dvt_status_free(status);
}

// ---- checksums and compression ----

static void test_crc32c_known_values(void **state) {
  (void)state;
  char zeros[32] = {0}, ones[32];
  memset(ones, 0xff, sizeof ones);
  // RFC 3720, appendix B.4, and the usual check value.
  uint32_t (*const functions[])(uint32_t, const void *, size_t) = {dvt_crc32c_extend,
                                                                   dvt_crc32c_extend_portable};
  for (size_t i = 0; i < DVT_COUNT_OF(functions); ++i) {
    assert_int_equal(functions[i](0, zeros, sizeof zeros), 0x8a9136aau);
    assert_int_equal(functions[i](0, ones, sizeof ones), 0x62a8ab43u);
    assert_int_equal(functions[i](0, "123456789", 9), 0xe3069283u);
    assert_int_equal(functions[i](functions[i](0, "1234", 4), "56789", 5), 0xe3069283u);
  }
  assert_int_equal(dvt_crc32c_unmask(dvt_crc32c_mask(0xe3069283u)), 0xe3069283u);
}

static void test_snappy(void **state) {
  (void)state;
  // "abcabcabcabc" + "xy": 14 bytes; literal abc; copy of 9 from 3 back (1-byte offset); literal xy.
  const char stream[] = {14, 2 << 2, 'a', 'b', 'c', (char)((9 - 4) << 2 | 1), 3, 1 << 2, 'x', 'y'};
  dvt_str in = {stream, sizeof stream};
  char out[14];
  size_t len;
  assert_true(dvt_snappy_length(in, &len));
  assert_int_equal(len, 14);
  assert_true(dvt_snappy_decode(in, out, len));
  assert_memory_equal(out, "abcabcabcabcxy", 14);
  for (size_t cut = 0; cut < sizeof stream; ++cut)
    assert_false(dvt_snappy_decode(dvt_str_make(stream, cut), out, 14));
  const char bad_offset[] = {8, 0, 'a', (char)((7 - 4) << 2 | 1), 2};
  assert_false(dvt_snappy_decode(dvt_str_make(bad_offset, sizeof bad_offset), out, 8));
  const char too_long[] = {(char)0xff, (char)0xff, (char)0xff, (char)0xff, 0x0f, 0, 'a'};
  assert_false(dvt_snappy_length(dvt_str_make(too_long, sizeof too_long), &len));
}

// ---- writing and reading ----

static char *folder;

static int make_folder(void **state) {
  (void)state;
  static char name[] = "/tmp/dvt_checkpoint_XXXXXX";
  folder = mkdtemp(name);
  return folder ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static TF_Tensor *tensor_of(int dtype, const int64_t *dims, int rank, const void *values) {
  TF_Tensor *t = dvt_tensor_handle_new();
  assert_ok(dvt_tensor_init_allocate(t, dtype, dims, rank));
  size_t bytes = (size_t)dvt_tensor_count(t) * dvt_dtype_size(dtype);
  if (bytes && values) memcpy(t->data, values, bytes);
  return t;
}

static TF_Tensor *strings_of(const dvt_str *values, int64_t count) {
  TF_Tensor *t = dvt_tensor_handle_new();
  assert_ok(dvt_tensor_init_allocate(t, TF_STRING, &count, 1));
  for (int64_t i = 0; i < count; ++i)
    TF_TString_Copy((TF_TString *)t->data + i, values[i].data, values[i].len);
  return t;
}

static void test_round_trip(void **state) {
  (void)state;
  char prefix[256], longer[300];
  snprintf(prefix, sizeof prefix, "%s/made/model", folder);
  memset(longer, 'x', sizeof longer);
  const dvt_str words[] = {DVT_STR("one"), DVT_STR(""), {longer, sizeof longer}, DVT_STR("a\0b")};
  const float floats[] = {1, 2.5f, -3, 4, 5, 6};
  const int64_t big = -7;
  const int64_t dims23[] = {2, 3}, none[] = {0, 4};
  TF_Tensor *tensors[] = {tensor_of(TF_FLOAT, dims23, 2, floats), tensor_of(TF_INT64, NULL, 0, &big),
                          tensor_of(TF_DOUBLE, none, 2, NULL), strings_of(words, 4)};
  const dvt_str names[] = {DVT_STR("layer/kernel"), DVT_STR("a"), DVT_STR("layer/empty"), DVT_STR("words")};
  assert_ok(dvt_checkpoint_write(prefix, names, (const TF_Tensor *const *)tensors, NULL, 4));

  dvt_checkpoint *checkpoint = NULL;
  assert_ok(dvt_checkpoint_open(prefix, &checkpoint));
  assert_int_equal(dvt_checkpoint_count(checkpoint), 4);
  assert_string_equal(dvt_checkpoint_name(checkpoint, 0).data, "a");
  assert_string_equal(dvt_checkpoint_name(checkpoint, 3).data, "words");
  assert_int_equal(dvt_checkpoint_name(checkpoint, 4).len, 0);
  assert_true(dvt_checkpoint_has(checkpoint, DVT_STR("layer/kernel")));
  assert_false(dvt_checkpoint_has(checkpoint, DVT_STR("")));
  int dtype, rank;
  int64_t dims[2];
  assert_ok(dvt_checkpoint_describe(checkpoint, DVT_STR("layer/empty"), &dtype, dims, 2, &rank));
  assert_true(dtype == TF_DOUBLE && rank == 2 && dims[0] == 0 && dims[1] == 4);
  for (size_t i = 0; i < 4; ++i) {
    TF_Tensor read = {0};
    assert_ok(dvt_checkpoint_read(checkpoint, names[i], &read));
    assert_int_equal(read.dtype, tensors[i]->dtype);
    assert_int_equal(read.rank, tensors[i]->rank);
    assert_memory_equal(dvt_tensor_dims(&read), dvt_tensor_dims(tensors[i]),
                        (size_t)read.rank * sizeof(int64_t));
    for (int64_t j = 0; i == 3 && j < 4; ++j)
      assert_true(dvt_str_eq(dvt_tstring_view((TF_TString *)read.data + j), words[j]));
    size_t bytes = (size_t)dvt_tensor_count(&read) * dvt_dtype_size(read.dtype);
    if (bytes) assert_memory_equal(read.data, tensors[i]->data, bytes);
    dvt_tensor_reset(&read);
  }
  TF_Tensor none_read = {0};
  assert_fails(dvt_checkpoint_read(checkpoint, DVT_STR("layer/kernal"), &none_read), TF_NOT_FOUND,
               "Did you mean 'layer/kernel'");
  dvt_checkpoint_close(checkpoint);
  const dvt_str twice[] = {DVT_STR("a"), DVT_STR("a")};
  assert_fails(dvt_checkpoint_write(prefix, twice, (const TF_Tensor *const *)tensors, NULL, 2), TF_INVALID_ARGUMENT,
               "'a' is given twice");
  for (size_t i = 0; i < 4; ++i) dvt_tensor_handle_delete(tensors[i]);
}

static void test_missing_files(void **state) {
  (void)state;
  char prefix[256], path[300];
  dvt_checkpoint *checkpoint = NULL;
  snprintf(prefix, sizeof prefix, "%s/absent", folder);
  assert_fails(dvt_checkpoint_open(prefix, &checkpoint), TF_NOT_FOUND, "given by its prefix");
  snprintf(prefix, sizeof prefix, "%s/half", folder);
  const int32_t one = 1;
  TF_Tensor *t = tensor_of(TF_INT32, NULL, 0, &one);
  const dvt_str name = DVT_STR("x");
  assert_ok(dvt_checkpoint_write(prefix, &name, (const TF_Tensor *const *)&t, NULL, 1));
  dvt_tensor_handle_delete(t);
  snprintf(path, sizeof path, "%s.data-00000-of-00001", prefix);
  assert_int_equal(unlink(path), 0);
  assert_ok(dvt_checkpoint_open(prefix, &checkpoint));
  TF_Tensor read = {0};
  assert_fails(dvt_checkpoint_read(checkpoint, name, &read), TF_NOT_FOUND, "needs this file beside it");
  dvt_checkpoint_close(checkpoint);
}

// A file that is cut short under its reader gives an error; were it mapped, the process would end.
static void test_files_cut_short_while_open(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  char prefix[256], path[300];
  const int64_t dim = COUNT;
  static int32_t values[COUNT];
  const dvt_str words[] = {DVT_STR("a string of more than a few letters"), DVT_STR("another")};
  snprintf(prefix, sizeof prefix, "%s/cut", folder);
  TF_Tensor *tensors[] = {tensor_of(TF_INT32, NULL, 0, values), tensor_of(TF_INT32, &dim, 1, values),
                          strings_of(words, 2)};
  const dvt_str names[] = {DVT_STR("a"), DVT_STR("b"), DVT_STR("words")};
  assert_ok(dvt_checkpoint_write(prefix, names, (const TF_Tensor *const *)tensors, NULL, 3));
  dvt_checkpoint *checkpoint = NULL;
  TF_Tensor read = {0};
  assert_ok(dvt_checkpoint_open(prefix, &checkpoint));
  snprintf(path, sizeof path, "%s.index", prefix);
  assert_int_equal(truncate(path, 0), 0);
  assert_ok(dvt_checkpoint_read(checkpoint, names[0], &read));
  dvt_tensor_reset(&read);
  snprintf(path, sizeof path, "%s.data-00000-of-00001", prefix);
  assert_int_equal(truncate(path, 4), 0);
  assert_ok(dvt_checkpoint_read(checkpoint, names[0], &read));
  dvt_tensor_reset(&read);
  for (int i = 1; i < 3; ++i) {
    assert_fails(dvt_checkpoint_read(checkpoint, names[i], &read), TF_DATA_LOSS, path);
    assert_true(dvt_tensor_is_empty(&read));
  }
  dvt_checkpoint_close(checkpoint);
  for (int i = 0; i < 3; ++i) dvt_tensor_handle_delete(tensors[i]);
}

static void test_many_names_fill_several_blocks(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  static dvt_table_entry entries[COUNT];
  static char keys[COUNT][32];
  for (int i = 0; i < COUNT; ++i) {
    snprintf(keys[i], sizeof keys[i], "scope/name_%06d", i);
    entries[i] = (dvt_table_entry){dvt_str_from(keys[i]), dvt_str_make(keys[i] + 6, 11)};
  }
  dvt_buf file = {0};
  dvt_table_write(entries, COUNT, &file);
  assert_true(file.len > 300000);
  dvt_table table = {0};
  assert_ok(dvt_table_read(dvt_buf_str(&file), "test", true, &table));
  assert_int_equal(table.count, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    const dvt_table_entry *found = dvt_table_find(&table, entries[i].key);
    assert_non_null(found);
    assert_true(dvt_str_eq(found->value, entries[i].value));
  }
  assert_null(dvt_table_find(&table, DVT_STR("scope/name_")));
  dvt_table_deinit(&table);
  dvt_buf_deinit(&file);
}

// ---- entries made by hand ----

static dvt_str header_proto(dvt_buf *buf, uint64_t shards) {
  dvt_wire_put_varint(buf, BUNDLE_NUM_SHARDS, shards);
  return dvt_buf_str(buf);
}

static void put_entry(dvt_buf *buf, int dtype, const int64_t *dims, int rank, uint64_t offset,
                      dvt_str bytes) {
  dvt_wire_put_varint(buf, ENTRY_DTYPE, (uint64_t)dtype);
  size_t shape = dvt_wire_begin(buf, ENTRY_SHAPE);
  dvt_shape_to_proto(dims, rank, buf);
  dvt_wire_end(buf, shape);
  dvt_wire_put_varint(buf, ENTRY_OFFSET, offset);
  dvt_wire_put_varint(buf, ENTRY_SIZE, bytes.len);
  dvt_wire_put_fixed32(buf, ENTRY_CRC32C, dvt_crc32c_mask(dvt_crc32c_extend(0, bytes.data, bytes.len)));
}

static void put_slice(dvt_buf *buf, int64_t start, int64_t length) {  // of dimension 0 of 2
  size_t slice = dvt_wire_begin(buf, ENTRY_SLICES);
  size_t extent = dvt_wire_begin(buf, 1);
  if (start) dvt_wire_put_varint(buf, 1, (uint64_t)start);
  dvt_wire_put_varint(buf, 2, (uint64_t)length);
  dvt_wire_end(buf, extent);
  dvt_wire_end(buf, dvt_wire_begin(buf, 1));
  dvt_wire_end(buf, slice);
}

// A float [3,2] saved as rows 0 and 1, and row `second`, which is listed `times` times; `second` 2 is right,
// others overlap or leave a hole.
static dvt_status read_sliced(int64_t second, int64_t second_rows, int times, TF_Tensor *out) {
  const float data[] = {1, 2, 3, 4, 5, 6};
  const int64_t whole[] = {3, 2}, part0[] = {2, 2}, part1[] = {second_rows, 2};
  dvt_buf protos[4] = {{0}}, index = {0};
  put_entry(&protos[1], TF_FLOAT, part0, 2, 0, dvt_str_make((const char *)data, 16));
  put_entry(&protos[2], TF_FLOAT, part1, 2, 16,
            dvt_str_make((const char *)data + 16, (size_t)second_rows * 8));
  put_entry(&protos[3], TF_FLOAT, whole, 2, 0, DVT_STR(""));
  put_slice(&protos[3], 0, 2);
  for (int i = 0; i < times; ++i) put_slice(&protos[3], second, second_rows);
  // Key of a slice: number 0, the name and its end, the rank, start and length of each dimension; 0x80 is 0,
  // 0x7f is -1.
  char key0[] = {0, 'v', 0, 1, 1, 2, (char)0x80, (char)0x82, (char)0x80, 0x7f};
  char key1[] = {0, 'v', 0, 1, 1, 2, (char)(0x80 + second), (char)(0x80 + second_rows), (char)0x80, 0x7f};
  dvt_table_entry entries[] = {
      {DVT_STR(""), header_proto(&protos[0], 1)},
      {dvt_str_make(key0, sizeof key0), dvt_buf_str(&protos[1])},
      {dvt_str_make(key1, sizeof key1), dvt_buf_str(&protos[2])},
      {DVT_STR("v"), dvt_buf_str(&protos[3])},
  };
  dvt_table_write(entries, DVT_COUNT_OF(entries), &index);
  dvt_checkpoint *checkpoint = NULL;
  assert_ok(dvt_checkpoint_open_memory(dvt_buf_str(&index), dvt_str_make((const char *)data, sizeof data),
                                       true, &checkpoint));
  assert_int_equal(dvt_checkpoint_count(checkpoint), 1);
  dvt_status status = dvt_checkpoint_read(checkpoint, DVT_STR("v"), out);
  dvt_checkpoint_close(checkpoint);
  for (int i = 0; i < 4; ++i) dvt_buf_deinit(&protos[i]);
  dvt_buf_deinit(&index);
  return status;
}

static void test_slices(void **state) {
  (void)state;
  const float expected[] = {1, 2, 3, 4, 5, 6};
  TF_Tensor whole = {0};
  assert_ok(read_sliced(2, 1, 1, &whole));
  assert_int_equal(whole.rank, 2);
  assert_memory_equal(whole.data, expected, sizeof expected);
  dvt_tensor_reset(&whole);
  assert_fails(read_sliced(1, 1, 1, &whole), TF_DATA_LOSS, "overlap");
  assert_fails(read_sliced(3, 1, 1, &whole), TF_DATA_LOSS, "does not fit the whole");
  assert_fails(read_sliced(2, 0, 1, &whole), TF_DATA_LOSS, "do not make up the whole");
  assert_fails(read_sliced(2, 0, 100, &whole), TF_DATA_LOSS, "more slices than the index has");
}

// ---- damage ----

typedef struct sample {
  dvt_buf index, data;
} sample;

static sample sample_make(void) {
  const float values[] = {1, 2, 3};
  const int64_t dims[] = {3}, one[] = {1};
  sample s = {{0}, {0}};
  dvt_buf protos[3] = {{0}};
  dvt_buf_append(&s.data, values, sizeof values);
  // A string tensor {"hi"}: length 2, masked checksum of the length, the bytes.
  const uint32_t length = 2;
  uint32_t crc = dvt_crc32c_extend(0, &length, 4), masked = dvt_crc32c_mask(crc);
  dvt_buf_append(&s.data, "\2", 1);
  dvt_buf_append(&s.data, &masked, 4);
  dvt_buf_append(&s.data, "hi", 2);
  crc = dvt_crc32c_extend(dvt_crc32c_extend(crc, &masked, 4), "hi", 2);
  put_entry(&protos[1], TF_FLOAT, dims, 1, 0, dvt_str_make((const char *)values, sizeof values));
  put_entry(&protos[2], TF_STRING, one, 1, 12, dvt_str_make(s.data.data + 12, 7));
  dvt_wire_put_fixed32(&protos[2], ENTRY_CRC32C, dvt_crc32c_mask(crc));
  dvt_table_entry entries[] = {{DVT_STR(""), header_proto(&protos[0], 1)},
                               {DVT_STR("floats"), dvt_buf_str(&protos[1])},
                               {DVT_STR("words"), dvt_buf_str(&protos[2])}};
  dvt_table_write(entries, DVT_COUNT_OF(entries), &s.index);
  for (int i = 0; i < 3; ++i) dvt_buf_deinit(&protos[i]);
  return s;
}

// Opens and reads everything; true when nothing was refused.
static bool read_everything(dvt_str index, dvt_str data, bool check_crc) {
  dvt_checkpoint *checkpoint = NULL;
  dvt_status status = dvt_checkpoint_open_memory(index, data, check_crc, &checkpoint);
  for (size_t i = 0; !status && i < dvt_checkpoint_count(checkpoint); ++i) {
    TF_Tensor t = {0};
    status = dvt_checkpoint_read(checkpoint, dvt_checkpoint_name(checkpoint, i), &t);
    dvt_tensor_reset(&t);
  }
  bool ok = status == NULL;
  if (!ok) assert_true(strlen(dvt_status_message(status)) > 20);
  dvt_status_free(status);
  dvt_checkpoint_close(checkpoint);
  return ok;
}

static void test_damage(void **state) {
  (void)state;
  sample s = sample_make();
  dvt_str index = dvt_buf_str(&s.index), data = dvt_buf_str(&s.data);
  assert_true(read_everything(index, data, true));
  for (size_t cut = 0; cut < index.len; ++cut)
    assert_false(read_everything(dvt_str_make(index.data, cut), data, true));
  for (size_t cut = 0; cut < data.len; ++cut)
    assert_false(read_everything(index, dvt_str_make(data.data, cut), true));
  for (size_t i = 0; i < data.len; ++i) {
    s.data.data[i] ^= 0x10;
    assert_false(read_everything(index, data, true));
    s.data.data[i] ^= 0x10;
  }
  // Everywhere but in the footer, which is partly padding, a changed byte shows.
  for (size_t i = 0; i + DVT_TABLE_FOOTER_BYTES < index.len; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      s.index.data[i] ^= (char)(1 << bit);
      assert_false(read_everything(index, data, true));
      read_everything(index, data, false);
      s.index.data[i] ^= (char)(1 << bit);
    }
  dvt_buf_deinit(&s.index);
  dvt_buf_deinit(&s.data);
}

static dvt_status open_one(dvt_str header, dvt_str name, dvt_str entry) {
  dvt_table_entry entries[] = {{DVT_STR(""), header}, {name, entry}};
  dvt_buf index = {0};
  dvt_checkpoint *checkpoint = NULL;
  dvt_table_write(entries, name.len ? 2 : 1, &index);
  dvt_status status =
      dvt_checkpoint_open_memory(dvt_buf_str(&index), DVT_STR("0123456789abcdef"), true, &checkpoint);
  TF_Tensor t = {0};
  if (!status && name.len) status = dvt_checkpoint_read(checkpoint, name, &t);
  dvt_tensor_reset(&t);
  dvt_checkpoint_close(checkpoint);
  dvt_buf_deinit(&index);
  return status;
}

static void test_hostile_entries(void **state) {
  (void)state;
  dvt_buf header = {0}, other = {0}, entry = {0};
  dvt_str one_shard = header_proto(&header, 1), name = DVT_STR("x"), none = DVT_STR("");
  assert_fails(open_one(DVT_STR(""), none, none), TF_DATA_LOSS, "names 0 data files");
  assert_fails(open_one(header_proto(&other, 1u << 31), none, none), TF_DATA_LOSS, "data files");
  dvt_buf_clear(&other);
  header_proto(&other, 1);
  dvt_wire_put_varint(&other, BUNDLE_ENDIANNESS, 1);
  assert_fails(open_one(dvt_buf_str(&other), none, none), TF_UNIMPLEMENTED, "big-endian");
  dvt_buf_clear(&other);
  header_proto(&other, 1);
  dvt_wire_end(&other, (dvt_wire_begin(&other, BUNDLE_VERSION)));
  size_t version = dvt_wire_begin(&other, BUNDLE_VERSION);
  dvt_wire_put_varint(&other, VERSION_MIN_CONSUMER, 9);
  dvt_wire_end(&other, version);
  assert_fails(open_one(dvt_buf_str(&other), none, none), TF_UNIMPLEMENTED, "version 9");

  const int64_t huge[] = {(int64_t)1 << 40, (int64_t)1 << 40}, large[] = {(int64_t)1 << 40}, four[] = {4};
  put_entry(&entry, TF_FLOAT, huge, 2, 0, DVT_STR("0123456789abcdef"));
  assert_fails(open_one(one_shard, name, dvt_buf_str(&entry)), TF_INVALID_ARGUMENT, "tensor 'x'");
  dvt_buf_clear(&entry);
  put_entry(&entry, TF_FLOAT, large, 1, 0, DVT_STR("0123456789abcdef"));
  assert_fails(open_one(one_shard, name, dvt_buf_str(&entry)), TF_DATA_LOSS, "does not fit its shape");
  dvt_buf_clear(&entry);
  put_entry(&entry, TF_STRING, large, 1, 0, DVT_STR("0123456789abcdef"));
  assert_fails(open_one(one_shard, name, dvt_buf_str(&entry)), TF_DATA_LOSS, "more elements than bytes");
  dvt_buf_clear(&entry);
  put_entry(&entry, TF_FLOAT, four, 1, UINT64_MAX - 3, DVT_STR("0123456789abcdef"));
  assert_fails(open_one(one_shard, name, dvt_buf_str(&entry)), TF_DATA_LOSS, "past the end");
  dvt_buf_clear(&entry);
  put_entry(&entry, 99, four, 1, 0, DVT_STR("0123456789abcdef"));
  assert_fails(open_one(one_shard, name, dvt_buf_str(&entry)), TF_DATA_LOSS, "dtype is unknown");
  dvt_buf_clear(&entry);
  put_entry(&entry, TF_VARIANT, four, 1, 0, DVT_STR("0123456789abcdef"));
  assert_fails(open_one(one_shard, name, dvt_buf_str(&entry)), TF_UNIMPLEMENTED, "variant");
  dvt_wire_put_varint(&entry, ENTRY_SHARD, 7);
  assert_fails(open_one(one_shard, name, dvt_buf_str(&entry)), TF_DATA_LOSS, "data file beyond");
  dvt_buf_deinit(&header);
  dvt_buf_deinit(&other);
  dvt_buf_deinit(&entry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crc32c_known_values),
      cmocka_unit_test(test_snappy),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_missing_files),
      cmocka_unit_test(test_files_cut_short_while_open),
      cmocka_unit_test(test_many_names_fill_several_blocks),
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_hostile_entries),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
