// Writing checkpoints that every TensorFlow since 1.0 reads: one data file, tensors in order of their names,
// then the index. Both are written under temporary names and renamed, the index last, so that a prefix whose
// index exists is complete.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/checkpoint_internal.h"
#include "graph/crc32c.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

typedef struct named {
  dvt_str name;
  const TF_Tensor *tensor;
  size_t entry_begin, entry_end;  // its BundleEntryProto in `protos`
} named;

typedef struct writer {
  const char *prefix;
  FILE *data;
  uint64_t offset;
  named *items;
  size_t count;
  dvt_buf protos;
} writer;

static dvt_status file_error(const char *path) {
  int code = errno;
  return dvt_error(code == ENOENT ? TF_NOT_FOUND : TF_UNKNOWN, "checkpoint file %s cannot be written: %s",
                   path, strerror(code));
}

static int by_name(const void *a, const void *b) {
  return dvt_str_compare(((const named *)a)->name, ((const named *)b)->name);
}

static dvt_status items_sort(writer *w, const dvt_str *names, const TF_Tensor *const *tensors) {
  for (size_t i = 0; i < w->count; ++i) {
    if (names[i].len == 0 || names[i].data[0] == '\0')
      return dvt_error(TF_INVALID_ARGUMENT, "checkpoint %s: tensor %zu has no name.", w->prefix, i);
    if (tensors[i]->dtype != TF_STRING && dvt_dtype_size(tensors[i]->dtype) == 0)
      return dvt_error(TF_UNIMPLEMENTED,
                       "checkpoint %s: tensor '" DVT_STR_FMT "' is of dtype %s, which cannot be saved.",
                       w->prefix, DVT_STR_ARG(names[i]), dvt_dtype_name(tensors[i]->dtype));
    w->items[i] = (named){.name = names[i], .tensor = tensors[i]};
  }
  qsort(w->items, w->count, sizeof *w->items, by_name);
  for (size_t i = 1; i < w->count; ++i)
    if (dvt_str_eq(w->items[i - 1].name, w->items[i].name))
      return dvt_error(TF_INVALID_ARGUMENT, "checkpoint %s: the name '" DVT_STR_FMT "' is given twice.",
                       w->prefix, DVT_STR_ARG(w->items[i].name));
  return NULL;
}

static void emit(writer *w, const void *bytes, size_t len) {
  if (len) fwrite(bytes, 1, len, w->data);  // errors are sticky in the stream and looked at once
  w->offset += len;
}

// Layout and checksums of string tensors: see checkpoint.c.
static dvt_status emit_strings(writer *w, const TF_Tensor *tensor, uint32_t *crc) {
  const TF_TString *strings = tensor->data;
  int64_t count = dvt_tensor_count(tensor);
  dvt_buf lengths = {0};
  for (int64_t i = 0; i < count; ++i) {
    uint64_t len = dvt_tstring_view(&strings[i]).len;
    dvt_wire_put_raw_varint(&lengths, len);
    *crc = dvt_crc32c_extend(*crc, &len, len <= UINT32_MAX ? 4 : 8);
  }
  dvt_status status = lengths.failed ? dvt_error_out_of_memory(lengths.len) : NULL;
  emit(w, lengths.data, lengths.len);
  dvt_buf_deinit(&lengths);
  uint32_t masked = dvt_crc32c_mask(*crc);
  *crc = dvt_crc32c_extend(*crc, &masked, sizeof masked);
  emit(w, &masked, sizeof masked);
  for (int64_t i = 0; i < count; ++i) {
    dvt_str text = dvt_tstring_view(&strings[i]);
    *crc = dvt_crc32c_extend(*crc, text.data, text.len);
    emit(w, text.data, text.len);
  }
  return status;
}

static dvt_status emit_tensor(writer *w, named *item) {
  const TF_Tensor *tensor = item->tensor;
  uint64_t begin = w->offset;
  uint32_t crc = 0;
  if (tensor->dtype == TF_STRING) {
    DVT_RETURN_IF_ERROR(emit_strings(w, tensor, &crc));
  } else {
    size_t bytes;
    DVT_RETURN_IF_ERROR(dvt_shape_bytes(tensor->dtype, dvt_tensor_dims(tensor), tensor->rank, &bytes));
    crc = dvt_crc32c_extend(0, tensor->data, bytes);
    emit(w, tensor->data, bytes);
  }
  dvt_buf *p = &w->protos;
  item->entry_begin = p->len;
  dvt_wire_put_varint(p, ENTRY_DTYPE, (uint64_t)tensor->dtype);
  size_t shape = dvt_wire_begin(p, ENTRY_SHAPE);
  dvt_shape_to_proto(dvt_tensor_dims(tensor), tensor->rank, p);
  dvt_wire_end(p, shape);
  if (begin) dvt_wire_put_varint(p, ENTRY_OFFSET, begin);
  if (w->offset > begin) dvt_wire_put_varint(p, ENTRY_SIZE, w->offset - begin);
  dvt_wire_put_fixed32(p, ENTRY_CRC32C, dvt_crc32c_mask(crc));
  item->entry_end = p->len;
  return NULL;
}

static dvt_status write_tensors(writer *w, const char *path, const char *temporary) {
  dvt_status status = NULL;
  for (size_t i = 0; i < w->count && !status; ++i) status = emit_tensor(w, &w->items[i]);
  bool bad = ferror(w->data) != 0;
  bad = fclose(w->data) != 0 || bad;
  if (!status && (bad || rename(temporary, path) != 0)) status = file_error(path);
  return status;
}

static dvt_status write_data(writer *w, const char *path) {
  dvt_buf temporary = {0};
  int fd = -1;
  dvt_status status = dvt_file_create_beside(path, &temporary, &fd);
  if (!status) {
    w->data = fdopen(fd, "wb");
    if (!w->data) close(fd);
    status = w->data ? write_tensors(w, path, temporary.data) : file_error(path);
    if (status) unlink(temporary.data);
  }
  dvt_buf_deinit(&temporary);
  return status;
}

static dvt_status write_index(writer *w, const char *path) {
  dvt_buf header = {0}, file = {0};
  dvt_wire_put_varint(&header, BUNDLE_NUM_SHARDS, 1);
  size_t version = dvt_wire_begin(&header, BUNDLE_VERSION);
  dvt_wire_put_varint(&header, VERSION_PRODUCER, BUNDLE_FORMAT_VERSION);
  dvt_wire_end(&header, version);
  dvt_table_entry *entries = dvt_calloc(w->count + 1, sizeof *entries);
  if (entries) {
    entries[0] = (dvt_table_entry){DVT_STR(""), dvt_buf_str(&header)};
    for (size_t i = 0; i < w->count; ++i) {
      const named *item = &w->items[i];
      entries[i + 1] = (dvt_table_entry){
          item->name, dvt_str_make(w->protos.data + item->entry_begin, item->entry_end - item->entry_begin)};
    }
    dvt_table_write(entries, w->count + 1, &file);
  }
  bool failed = !entries || header.failed || file.failed;
  dvt_status status = failed ? dvt_error_out_of_memory(file.len) : dvt_file_write(path, dvt_buf_str(&file));
  dvt_free(entries);
  dvt_buf_deinit(&header);
  dvt_buf_deinit(&file);
  return status;
}

// Makes the folder of the prefix; a real problem shows when the files are opened.
static void make_folder(const char *prefix) {
  const char *slash = strrchr(prefix, '/');
  char *folder =
      slash && slash != prefix ? dvt_strndup(dvt_str_make(prefix, (size_t)(slash - prefix))) : NULL;
  if (folder) mkdir(folder, 0777);
  dvt_free(folder);
}

static dvt_status write_files(writer *w) {
  dvt_buf data = {0}, index = {0};
  dvt_buf_printf(&data, "%s.data-00000-of-00001", w->prefix);
  dvt_buf_printf(&index, "%s.index", w->prefix);
  dvt_status status = data.failed || index.failed ? dvt_error_out_of_memory(data.len) : NULL;
  if (!status) status = write_data(w, data.data);
  if (!status && w->protos.failed) status = dvt_error_out_of_memory(w->protos.len);
  if (!status) status = write_index(w, index.data);
  dvt_buf_deinit(&data);
  dvt_buf_deinit(&index);
  return status;
}

dvt_status dvt_checkpoint_write(const char *prefix, const dvt_str *names, const TF_Tensor *const *tensors,
                                size_t count) {
  writer w = {.prefix = prefix, .count = count};
  w.items = dvt_calloc(count ? count : 1, sizeof *w.items);
  if (!w.items) return dvt_error_out_of_memory(count * sizeof *w.items);
  dvt_status status = items_sort(&w, names, tensors);
  if (!status) {
    make_folder(prefix);
    status = write_files(&w);
  }
  dvt_buf_deinit(&w.protos);
  dvt_free(w.items);
  return status;
}
