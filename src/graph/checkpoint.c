// Opening checkpoints and reading tensors from them. The index is decoded when a checkpoint is opened, data
// files are opened when a tensor of theirs is first read, and read straight into the tensors: a file that is
// cut short meanwhile gives an error, where a mapped one would end the process. checkpoint_slices.c puts
// partitioned tensors together, checkpoint_write.c writes.
#include "graph/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/nearest.h"
#include "graph/checkpoint_internal.h"
#include "graph/crc32c.h"
#include "tensor/tensor_proto.h"
#include "tensor/tstring.h"

#define MAX_SHARDS 100000  // what five digits can name

dvt_status dvt_checkpoint_damaged(const dvt_checkpoint *checkpoint, dvt_str name, const char *detail) {
  return dvt_error(TF_DATA_LOSS,
                   "checkpoint %s: tensor '" DVT_STR_FMT
                   "': %s. Copy the checkpoint's files again from where they were "
                   "written.",
                   checkpoint->prefix, DVT_STR_ARG(name), detail);
}

// ---- opening ----

static dvt_status header_check(dvt_checkpoint *checkpoint, dvt_str header) {
  dvt_wire wire = dvt_wire_open(header);
  dvt_field field, version;
  uint64_t shards = 0, endianness = 0, min_consumer = 0;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == BUNDLE_NUM_SHARDS) shards = field.value;
    if (field.number == BUNDLE_ENDIANNESS) endianness = field.value;
    if (field.number == BUNDLE_VERSION && field.type == DVT_WIRE_BYTES &&
        dvt_wire_find(field.bytes, VERSION_MIN_CONSUMER, DVT_WIRE_VARINT, &version))
      min_consumer = version.value;
  }
  if (wire.bad)
    return dvt_error(TF_DATA_LOSS, "checkpoint %s: the header of its index is malformed.",
                     checkpoint->prefix);
  if (endianness != 0)
    return dvt_error(
        TF_UNIMPLEMENTED,
        "checkpoint %s was written on a big-endian machine; only little-endian ones can be read.",
        checkpoint->prefix);
  if (min_consumer > BUNDLE_FORMAT_VERSION)
    return dvt_error(TF_UNIMPLEMENTED,
                     "checkpoint %s needs a reader of checkpoint format version %" PRIu64
                     "; this one knows version %d.",
                     checkpoint->prefix, min_consumer, BUNDLE_FORMAT_VERSION);
  if (shards < 1 || shards > MAX_SHARDS)
    return dvt_error(TF_DATA_LOSS,
                     "checkpoint %s: its index names %" PRIu64 " data files; 1 to %d are possible.",
                     checkpoint->prefix, shards, MAX_SHARDS);
  checkpoint->shard_count = (int32_t)shards;
  return NULL;
}

static dvt_status index_read(dvt_checkpoint *checkpoint, dvt_str index, const char *what) {
  DVT_RETURN_IF_ERROR(dvt_table_read(index, what, checkpoint->check_crc, &checkpoint->table));
  const dvt_table *table = &checkpoint->table;
  if (table->count == 0 || table->entries[0].key.len != 0)
    return dvt_error(TF_DATA_LOSS,
                     "%s is a table, but not the index of a checkpoint in V2 format: it has no header entry. "
                     "Checkpoints in "
                     "the older V1 format are not supported; save the model again with a current TensorFlow.",
                     what);
  DVT_RETURN_IF_ERROR(header_check(checkpoint, table->entries[0].value));
  checkpoint->variables = dvt_calloc(table->count, sizeof *checkpoint->variables);
  checkpoint->shards = dvt_calloc((size_t)checkpoint->shard_count, sizeof *checkpoint->shards);
  if (!checkpoint->variables || !checkpoint->shards)
    return dvt_error_out_of_memory(table->count * sizeof(void *));
  for (size_t i = 1; i < table->count; ++i)  // keys of slices start with a zero byte
    if (table->entries[i].key.data[0] != '\0')
      checkpoint->variables[checkpoint->variable_count++] = &table->entries[i];
  return NULL;
}

static bool is_table_file(const char *path) {
  char footer[DVT_TABLE_FOOTER_BYTES];
  int fd;
  uint64_t bytes;
  dvt_status status = dvt_file_open(path, &fd, &bytes);
  bool found = false;
  if (!status) {
    if (bytes >= sizeof footer)
      status = dvt_file_read_at(fd, path, bytes - sizeof footer, footer, sizeof footer);
    found = !status && bytes >= sizeof footer && dvt_table_has_footer(dvt_str_make(footer, sizeof footer));
    close(fd);
  }
  dvt_status_free(status);
  return found;
}

static dvt_status missing_index(const char *prefix, dvt_status cause) {
  if (dvt_status_code(cause) != TF_NOT_FOUND) return cause;
  if (is_table_file(prefix)) {
    dvt_status_free(cause);
    return dvt_error(
        TF_UNIMPLEMENTED,
        "%s is a checkpoint in the V1 format (one file), which is not supported; save the model again with a "
        "current TensorFlow.",
        prefix);
  }
  return dvt_status_annotate(cause,
                             " (a checkpoint is given by its prefix: %s stands for the files %s.index and "
                             "%s.data-00000-of-00001)",
                             prefix, prefix, prefix);
}

static dvt_status create(const char *prefix, bool check_crc, dvt_checkpoint **out) {
  dvt_checkpoint *checkpoint = dvt_calloc(1, sizeof *checkpoint);
  if (!checkpoint) return dvt_error_out_of_memory(sizeof *checkpoint);
  checkpoint->prefix = dvt_strndup(dvt_str_from(prefix));
  checkpoint->check_crc = check_crc;
  pthread_mutex_init(&checkpoint->lock, NULL);
  if (!checkpoint->prefix) {
    dvt_checkpoint_close(checkpoint);
    return dvt_error_out_of_memory(strlen(prefix) + 1);
  }
  *out = checkpoint;
  return NULL;
}

static dvt_status open_files(dvt_checkpoint *checkpoint) {
  dvt_buf path = {0};
  dvt_buf_printf(&path, "%s.index", checkpoint->prefix);
  dvt_status status = path.failed ? dvt_error_out_of_memory(path.len) : NULL;
  if (!status) {
    status = dvt_file_read(path.data, &checkpoint->index);
    if (status) status = missing_index(checkpoint->prefix, status);
  }
  if (!status) status = index_read(checkpoint, dvt_buf_str(&checkpoint->index), path.data);
  dvt_buf_deinit(&path);
  return status;
}

dvt_status dvt_checkpoint_open(const char *prefix, dvt_checkpoint **out_checkpoint) {
  dvt_checkpoint *checkpoint;
  DVT_RETURN_IF_ERROR(create(prefix, true, &checkpoint));
  dvt_status status = open_files(checkpoint);
  if (status)
    dvt_checkpoint_close(checkpoint);
  else
    *out_checkpoint = checkpoint;
  return status;
}

dvt_status dvt_checkpoint_open_memory(dvt_str index, dvt_str data, bool check_crc,
                                      dvt_checkpoint **out_checkpoint) {
  dvt_checkpoint *checkpoint;
  DVT_RETURN_IF_ERROR(create("memory", check_crc, &checkpoint));
  dvt_status status = index_read(checkpoint, index, "the index in memory");
  if (!status && checkpoint->shard_count != 1)
    status = dvt_error(TF_INVALID_ARGUMENT, "the index in memory names %d data files; one is given.",
                       checkpoint->shard_count);
  if (status) {
    dvt_checkpoint_close(checkpoint);
    return status;
  }
  checkpoint->shards[0] = (dvt_shard){true, -1, data.data, data.len};
  *out_checkpoint = checkpoint;
  return NULL;
}

void dvt_checkpoint_close(dvt_checkpoint *checkpoint) {
  if (!checkpoint) return;
  for (int32_t i = 0; checkpoint->shards && i < checkpoint->shard_count; ++i)
    if (checkpoint->shards[i].is_open && checkpoint->shards[i].fd >= 0) close(checkpoint->shards[i].fd);
  dvt_free(checkpoint->shards);
  dvt_free(checkpoint->variables);
  dvt_table_deinit(&checkpoint->table);
  dvt_buf_deinit(&checkpoint->index);
  dvt_free(checkpoint->prefix);
  pthread_mutex_destroy(&checkpoint->lock);
  dvt_free(checkpoint);
}

// ---- the index ----

size_t dvt_checkpoint_count(const dvt_checkpoint *checkpoint) { return checkpoint->variable_count; }

dvt_str dvt_checkpoint_name(const dvt_checkpoint *checkpoint, size_t index) {
  return index < checkpoint->variable_count ? checkpoint->variables[index]->key : (dvt_str){0};
}

bool dvt_checkpoint_has(const dvt_checkpoint *checkpoint, dvt_str name) {
  return name.len && name.data[0] != '\0' && dvt_table_find(&checkpoint->table, name);
}

static dvt_status find(const dvt_checkpoint *checkpoint, dvt_str name, const dvt_table_entry **out) {
  *out = name.len && name.data[0] != '\0' ? dvt_table_find(&checkpoint->table, name) : NULL;
  if (*out) return NULL;
  dvt_nearest nearest = {.wanted = name};
  for (size_t i = 0; i < checkpoint->variable_count; ++i)
    dvt_nearest_offer(&nearest, checkpoint->variables[i]->key);
  dvt_buf hint = {0};
  dvt_nearest_print(&nearest, &hint);
  dvt_status status = dvt_error(
      TF_NOT_FOUND, "Key " DVT_STR_FMT " not found in checkpoint %s, which holds %zu tensors.%s",
      DVT_STR_ARG(name), checkpoint->prefix, checkpoint->variable_count, hint.data ? hint.data : "");
  dvt_buf_deinit(&hint);
  return status;
}

dvt_status dvt_bundle_entry_parse(const dvt_checkpoint *checkpoint, const dvt_table_entry *from,
                                  dvt_bundle_entry *out_entry) {
  dvt_bundle_entry *e = out_entry;
  e->name = from->key;
  e->proto = from->value;
  e->dtype = e->rank = e->shard = e->slice_count = 0;
  e->offset = e->size = e->crc = 0;
  dvt_str shape = {0};
  uint64_t shard = 0, dtype = 0;
  dvt_wire wire = dvt_wire_open(from->value);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    switch (field.number) {
      case ENTRY_DTYPE:
        dtype = field.value;
        break;
      case ENTRY_SHAPE:
        shape = field.bytes;
        break;
      case ENTRY_SHARD:
        shard = field.value;
        break;
      case ENTRY_OFFSET:
        e->offset = field.value;
        break;
      case ENTRY_SIZE:
        e->size = field.value;
        break;
      case ENTRY_CRC32C:
        e->crc = (uint32_t)field.value;
        break;
      case ENTRY_SLICES:
        e->slice_count += field.type == DVT_WIRE_BYTES;
        break;
      default:
        break;
    }
  }
  if (wire.bad) return dvt_checkpoint_damaged(checkpoint, e->name, "its index entry is malformed");
  if (dtype < 1 || dtype > DVT_DTYPE_MAX)
    return dvt_checkpoint_damaged(checkpoint, e->name, "its dtype is unknown");
  e->dtype = (int)dtype;
  dvt_status status = dvt_shape_from_proto(shape, e->dims, DVT_MAX_RANK, &e->rank);
  int64_t count = 0;
  if (!status && e->rank < 0) status = dvt_checkpoint_damaged(checkpoint, e->name, "its rank is unknown");
  if (!status) status = dvt_shape_count(e->dims, e->rank, &count);
  if (status)
    return dvt_status_annotate(status, " (tensor '" DVT_STR_FMT "' of checkpoint %s)", DVT_STR_ARG(e->name),
                               checkpoint->prefix);
  if (shard >= (uint64_t)checkpoint->shard_count)
    return dvt_checkpoint_damaged(checkpoint, e->name, "it lies in a data file beyond the last one");
  e->shard = (int32_t)shard;
  return NULL;
}

dvt_status dvt_checkpoint_describe(const dvt_checkpoint *checkpoint, dvt_str name, int *out_dtype,
                                   int64_t *out_dims, int capacity, int *out_rank) {
  const dvt_table_entry *found;
  dvt_bundle_entry entry;
  DVT_RETURN_IF_ERROR(find(checkpoint, name, &found));
  DVT_RETURN_IF_ERROR(dvt_bundle_entry_parse(checkpoint, found, &entry));
  if (out_dtype) *out_dtype = entry.dtype;
  if (out_rank) *out_rank = entry.rank;
  for (int i = 0; i < entry.rank && i < capacity; ++i) out_dims[i] = entry.dims[i];
  return NULL;
}

// ---- tensors ----

static void shard_path(const dvt_checkpoint *checkpoint, int32_t shard, dvt_buf *out) {
  dvt_buf_printf(out, "%s.data-%05d-of-%05d", checkpoint->prefix, shard, checkpoint->shard_count);
}

static dvt_status shard_open(const dvt_checkpoint *checkpoint, int32_t shard, const dvt_shard **out) {
  dvt_shard *file = &checkpoint->shards[shard];
  pthread_mutex_t *lock = (pthread_mutex_t *)&checkpoint->lock;
  dvt_status status = NULL;
  pthread_mutex_lock(lock);
  if (!file->is_open) {
    dvt_buf path = {0};
    shard_path(checkpoint, shard, &path);
    status =
        path.failed ? dvt_error_out_of_memory(path.len) : dvt_file_open(path.data, &file->fd, &file->bytes);
    file->is_open = !status;
    if (dvt_status_code(status) == TF_NOT_FOUND)
      status =
          dvt_status_annotate(status, " (the index %s.index needs this file beside it)", checkpoint->prefix);
    dvt_buf_deinit(&path);
  }
  pthread_mutex_unlock(lock);
  *out = file;
  return status;
}

dvt_status dvt_bundle_entry_locate(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry) {
  const dvt_shard *file;
  DVT_RETURN_IF_ERROR(shard_open(checkpoint, entry->shard, &file));
  if (entry->offset > file->bytes || entry->size > file->bytes - entry->offset)
    return dvt_checkpoint_damaged(checkpoint, entry->name, "its bytes lie past the end of the data file");
  return NULL;
}

// The bytes of an entry that was located, to `to`, which has room for them.
static dvt_status entry_load(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry, void *to) {
  const dvt_shard *file = &checkpoint->shards[entry->shard];
  if (entry->size == 0) return NULL;
  if (file->fd < 0) {
    memcpy(to, file->memory + entry->offset, (size_t)entry->size);
    return NULL;
  }
  dvt_buf path = {0};
  shard_path(checkpoint, entry->shard, &path);
  dvt_status status = dvt_file_read_at(file->fd, path.failed ? checkpoint->prefix : path.data, entry->offset,
                                       to, (size_t)entry->size);
  dvt_buf_deinit(&path);
  return status;
}

static dvt_status checksum_mismatch(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry) {
  return dvt_checkpoint_damaged(checkpoint, entry->name, "the checksum of its bytes does not match");
}

static bool take_length(dvt_str stored, size_t *at, uint64_t *out) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && *at < stored.len; shift += 7) {
    uint8_t byte = (uint8_t)stored.data[(*at)++];
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out = value;
      return true;
    }
  }
  return false;
}

// String tensors: a varint length for each element, a masked checksum of the lengths, then the bytes back to
// back. The entry's checksum covers the lengths as fixed-width integers, the stored checksum, and the bytes.
static dvt_status strings_check(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry,
                                dvt_str stored, int64_t count, size_t *out_text) {
  const char *cut = "its strings are longer than what is stored";
  size_t at = 0, total = 0;
  uint32_t crc = 0, lengths_crc;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t len;
    if (!take_length(stored, &at, &len) || len > stored.len - total)
      return dvt_checkpoint_damaged(checkpoint, entry->name, cut);
    total += (size_t)len;
    crc = dvt_crc32c_extend(crc, &len, len <= UINT32_MAX ? 4 : 8);
  }
  if (stored.len - at < 4 || stored.len - at - 4 != total)
    return dvt_checkpoint_damaged(checkpoint, entry->name, cut);
  *out_text = at + 4;
  if (!checkpoint->check_crc) return NULL;
  memcpy(&lengths_crc, stored.data + at, 4);
  if (dvt_crc32c_mask(crc) != lengths_crc) return checksum_mismatch(checkpoint, entry);
  crc = dvt_crc32c_extend(crc, stored.data + at, 4 + total);
  return dvt_crc32c_mask(crc) == entry->crc ? NULL : checksum_mismatch(checkpoint, entry);
}

static dvt_status strings_read(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry,
                               dvt_str stored, int64_t count, TF_Tensor *out) {
  size_t at = 0, text = 0;
  if ((uint64_t)count > stored.len)  // every element has at least one byte of length
    return dvt_checkpoint_damaged(checkpoint, entry->name, "it has more elements than bytes");
  DVT_RETURN_IF_ERROR(strings_check(checkpoint, entry, stored, count, &text));
  DVT_RETURN_IF_ERROR(dvt_tensor_init_allocate(out, entry->dtype, entry->dims, entry->rank));
  TF_TString *strings = out->data;
  uint64_t len = 0;
  for (int64_t i = 0; i < count && take_length(stored, &at, &len); ++i, text += (size_t)len) {
    TF_TString_Copy(&strings[i], stored.data + text, (size_t)len);
    if (TF_TString_GetSize(&strings[i]) == len) continue;
    dvt_tensor_reset(out);
    return dvt_error_out_of_memory((size_t)len);
  }
  return NULL;
}

uint64_t dvt_bundle_opened_bytes(const dvt_checkpoint *checkpoint) {
  pthread_mutex_t *lock = (pthread_mutex_t *)&checkpoint->lock;
  uint64_t total = 0;
  pthread_mutex_lock(lock);
  for (int32_t i = 0; i < checkpoint->shard_count; ++i) total += checkpoint->shards[i].bytes;
  pthread_mutex_unlock(lock);
  return total;
}

static dvt_status numbers_read(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry,
                               TF_Tensor *out) {
  size_t bytes;
  if (dvt_dtype_size(entry->dtype) == 0)
    return dvt_error(TF_UNIMPLEMENTED,
                     "checkpoint %s: tensor '" DVT_STR_FMT "' is of dtype %s, which cannot be read.",
                     checkpoint->prefix, DVT_STR_ARG(entry->name), dvt_dtype_name(entry->dtype));
  DVT_RETURN_IF_ERROR(dvt_shape_bytes(entry->dtype, entry->dims, entry->rank, &bytes));
  if (bytes != entry->size)
    return dvt_checkpoint_damaged(checkpoint, entry->name, "the size of its bytes does not fit its shape");
  DVT_RETURN_IF_ERROR(dvt_tensor_init_lasting(out, entry->dtype, entry->dims, entry->rank));
  dvt_status status = entry_load(checkpoint, entry, out->data);
  if (!status && checkpoint->check_crc &&
      dvt_crc32c_mask(dvt_crc32c_extend(0, out->data, bytes)) != entry->crc)
    status = checksum_mismatch(checkpoint, entry);
  if (status) dvt_tensor_reset(out);
  return status;
}

dvt_status dvt_bundle_entry_read(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry,
                                 TF_Tensor *out) {
  int64_t count;
  DVT_RETURN_IF_ERROR(dvt_bundle_entry_locate(checkpoint, entry));
  DVT_RETURN_IF_ERROR(dvt_shape_count(entry->dims, entry->rank, &count));
  if (entry->dtype != TF_STRING) return numbers_read(checkpoint, entry, out);
  char *stored = dvt_malloc((size_t)entry->size);
  if (!stored) return dvt_error_out_of_memory((size_t)entry->size);
  dvt_status status = entry_load(checkpoint, entry, stored);
  if (!status)
    status = strings_read(checkpoint, entry, dvt_str_make(stored, (size_t)entry->size), count, out);
  dvt_free(stored);
  return status;
}

dvt_status dvt_checkpoint_read(const dvt_checkpoint *checkpoint, dvt_str name, TF_Tensor *out) {
  const dvt_table_entry *found;
  dvt_bundle_entry entry;
  DVT_RETURN_IF_ERROR(find(checkpoint, name, &found));
  DVT_RETURN_IF_ERROR(dvt_bundle_entry_parse(checkpoint, found, &entry));
  return entry.slice_count ? dvt_bundle_slices_read(checkpoint, &entry, out)
                           : dvt_bundle_entry_read(checkpoint, &entry, out);
}
