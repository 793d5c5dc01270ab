// Writing checkpoints that every TensorFlow since 1.0 reads: one data file, tensors in order of their keys,
// then the index. A tensor that comes in slices has an entry that lists them, and one for each slice. Both
// are written under temporary names and renamed, the index last, so that a prefix whose index exists is
// complete.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "graph/checkpoint_internal.h"
#include "graph/crc32c.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

// An entry of the index.
typedef struct item {
  dvt_str name, key;                  // the key is the name, but for a slice
  const TF_Tensor *tensor;            // NULL: the entry lists slices
  const dvt_checkpoint_slice *slice;  // NULL: whole
  size_t entry_begin, entry_end;      // its BundleEntryProto in `protos`
} item;

typedef struct writer {
  const char *prefix;
  FILE *data;
  uint64_t offset;
  item *items;
  size_t count;
  dvt_buf protos;
  dvt_arena keys;
} writer;

static dvt_status file_error(const char *path) {
  int code = errno;
  return dvt_error(code == ENOENT ? TF_NOT_FOUND : TF_UNKNOWN, "checkpoint file %s cannot be written: %s",
                   path, strerror(code));
}

// Of one name, slices come first.
static int by_name(const void *a, const void *b) {
  const item *x = a, *y = b;
  int order = dvt_str_compare(x->name, y->name);
  return order ? order : (y->slice != NULL) - (x->slice != NULL);
}
static int by_key(const void *a, const void *b) {
  return dvt_str_compare(((const item *)a)->key, ((const item *)b)->key);
}

static bool is_full(const dvt_checkpoint_slice *s, int d) {
  return s->begin[d] == 0 && s->size[d] == s->dims[d];
}

// *out_slice: NULL for one that is all of its tensor.
static dvt_status check_slice(const writer *w, const item *i, const dvt_checkpoint_slice **out_slice) {
  const dvt_checkpoint_slice *s = *out_slice;
  const int64_t *dims = dvt_tensor_dims(i->tensor);
  bool fits = s->rank == i->tensor->rank && (s->rank == 0 || (s->dims && s->begin && s->size)), all = true;
  for (int d = 0; fits && d < s->rank; ++d) {
    fits = s->begin[d] >= 0 && s->size[d] >= 0 && s->size[d] <= s->dims[d] &&
           s->begin[d] <= s->dims[d] - s->size[d] && dims[d] == s->size[d];
    all = all && is_full(s, d);
  }
  if (!fits)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "checkpoint %s: the slice given for tensor '" DVT_STR_FMT
                     "' is not within the whole tensor, or the tensor has not the slice's shape.",
                     w->prefix, DVT_STR_ARG(i->name));
  if (all) *out_slice = NULL;
  return NULL;
}

static dvt_status check_item(const writer *w, item *i, size_t position) {
  if (i->name.len == 0 || i->name.data[0] == '\0')
    return dvt_error(TF_INVALID_ARGUMENT, "checkpoint %s: tensor %zu has no name.", w->prefix, position);
  if (i->tensor->dtype != TF_STRING && dvt_dtype_size(i->tensor->dtype) == 0)
    return dvt_error(TF_UNIMPLEMENTED,
                     "checkpoint %s: tensor '" DVT_STR_FMT "' is of dtype %s, which cannot be saved.",
                     w->prefix, DVT_STR_ARG(i->name), dvt_dtype_name(i->tensor->dtype));
  return i->slice ? check_slice(w, i, &i->slice) : NULL;
}

// ---- slices ----

static void put_extents(const dvt_checkpoint_slice *s, dvt_buf *out) {
  size_t slice = dvt_wire_begin(out, ENTRY_SLICES);
  for (int d = 0; d < s->rank; ++d) {
    size_t extent = dvt_wire_begin(out, SLICE_EXTENT);
    if (!is_full(s, d)) {
      if (s->begin[d]) dvt_wire_put_varint(out, EXTENT_START, (uint64_t)s->begin[d]);
      dvt_wire_put_varint(out, EXTENT_LENGTH, (uint64_t)s->size[d]);
    }
    dvt_wire_end(out, extent);
  }
  dvt_wire_end(out, slice);
}

static dvt_status make_key(writer *w, item *i) {
  int64_t length[DVT_MAX_RANK];
  dvt_buf key = {0};
  for (int d = 0; d < i->slice->rank; ++d) length[d] = is_full(i->slice, d) ? FULL_EXTENT : i->slice->size[d];
  dvt_bundle_slice_key(i->name, i->slice->rank, i->slice->begin, length, &key);
  bool made = !key.failed && dvt_arena_copy_str(&w->keys, dvt_buf_str(&key), &i->key);
  dvt_status status = made ? NULL : dvt_error_out_of_memory(key.len);
  dvt_buf_deinit(&key);
  return status;
}

static void put_head(dvt_buf *p, int dtype, const int64_t *dims, int rank) {
  dvt_wire_put_varint(p, ENTRY_DTYPE, (uint64_t)dtype);
  size_t shape = dvt_wire_begin(p, ENTRY_SHAPE);
  dvt_shape_to_proto(dims, rank, p);
  dvt_wire_end(p, shape);
}

// The entry of the tensor that the slices [begin, end) of w->items, all of one name, are of.
static dvt_status add_whole(writer *w, size_t begin, size_t end) {
  const item *first = &w->items[begin];
  item *whole = &w->items[w->count++];
  *whole = (item){.name = first->name, .key = first->name, .entry_begin = w->protos.len};
  put_head(&w->protos, first->tensor->dtype, first->slice->dims, first->slice->rank);
  for (size_t i = begin; i < end; ++i) {
    const dvt_checkpoint_slice *s = w->items[i].slice;
    bool same = s && s->rank == first->slice->rank && w->items[i].tensor->dtype == first->tensor->dtype;
    for (int d = 0; same && d < s->rank; ++d) same = s->dims[d] == first->slice->dims[d];
    if (!same)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "checkpoint %s: the slices of tensor '" DVT_STR_FMT
                       "' disagree about its shape or dtype, or it is saved both whole and in slices.",
                       w->prefix, DVT_STR_ARG(first->name));
    put_extents(s, &w->protos);
    DVT_RETURN_IF_ERROR(make_key(w, &w->items[i]));
  }
  whole->entry_end = w->protos.len;
  return NULL;
}

static dvt_status add_wholes(writer *w) {
  qsort(w->items, w->count, sizeof *w->items, by_name);
  size_t parts = w->count;
  for (size_t begin = 0, end; begin < parts; begin = end) {
    end = begin + 1;
    while (end < parts && dvt_str_eq(w->items[end].name, w->items[begin].name)) ++end;
    if (w->items[begin].slice) DVT_RETURN_IF_ERROR(add_whole(w, begin, end));
  }
  return NULL;
}

// `w->items` has room for twice as many.
static dvt_status make_items(writer *w, const dvt_str *names, const TF_Tensor *const *tensors,
                             const dvt_checkpoint_slice *const *slices) {
  for (size_t i = 0; i < w->count; ++i) {
    w->items[i] =
        (item){.name = names[i], .key = names[i], .tensor = tensors[i], .slice = slices ? slices[i] : NULL};
    DVT_RETURN_IF_ERROR(check_item(w, &w->items[i], i));
  }
  if (slices) DVT_RETURN_IF_ERROR(add_wholes(w));
  qsort(w->items, w->count, sizeof *w->items, by_key);
  for (size_t i = 1; i < w->count; ++i)
    if (dvt_str_eq(w->items[i - 1].key, w->items[i].key))
      return dvt_error(TF_INVALID_ARGUMENT, "checkpoint %s: %s '" DVT_STR_FMT "' is given twice.", w->prefix,
                       w->items[i].slice ? "a slice of" : "the name", DVT_STR_ARG(w->items[i].name));
  return NULL;
}

// ---- files ----

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

static dvt_status emit_tensor(writer *w, item *item) {
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
  put_head(p, tensor->dtype, dvt_tensor_dims(tensor), tensor->rank);
  if (begin) dvt_wire_put_varint(p, ENTRY_OFFSET, begin);
  if (w->offset > begin) dvt_wire_put_varint(p, ENTRY_SIZE, w->offset - begin);
  dvt_wire_put_fixed32(p, ENTRY_CRC32C, dvt_crc32c_mask(crc));
  item->entry_end = p->len;
  return NULL;
}

static dvt_status write_tensors(writer *w, const char *path, const char *temporary) {
  dvt_status status = NULL;
  for (size_t i = 0; i < w->count && !status; ++i)
    if (w->items[i].tensor) status = emit_tensor(w, &w->items[i]);
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
      const item *item = &w->items[i];
      entries[i + 1] = (dvt_table_entry){
          item->key, dvt_str_make(w->protos.data + item->entry_begin, item->entry_end - item->entry_begin)};
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
                                const dvt_checkpoint_slice *const *slices, size_t count) {
  writer w = {.prefix = prefix, .count = count};
  w.items = dvt_calloc(2 * count + 1, sizeof *w.items);
  if (!w.items) return dvt_error_out_of_memory(count * sizeof *w.items);
  dvt_status status = make_items(&w, names, tensors, slices);
  if (!status) {
    make_folder(prefix);
    status = write_files(&w);
  }
  dvt_buf_deinit(&w.protos);
  dvt_arena_deinit(&w.keys);
  dvt_free(w.items);
  return status;
}
