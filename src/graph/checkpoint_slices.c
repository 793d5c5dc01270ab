// Tensors that were saved in slices (partitioned variables): the entry of the whole tensor lists the slices,
// each lies under a key made of the tensor's name and the slice's extents in an order-preserving code. The
// slices are read one by one and copied to their places; together they must cover every element exactly once.
#include <inttypes.h>

#include "base/buf.h"
#include "graph/checkpoint_internal.h"
#include "tensor/tstring.h"

#define MAX_SLICE_ENTRY_BYTES 16384  // a shape of the highest rank takes less

typedef struct slice {
  int rank;
  int64_t start[DVT_MAX_RANK];
  int64_t length[DVT_MAX_RANK];  // FULL_EXTENT: the whole dimension
} slice;

static bool slice_parse(dvt_str proto, slice *out) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field, value;
  out->rank = 0;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != SLICE_EXTENT || field.type != DVT_WIRE_BYTES) continue;
    if (out->rank == DVT_MAX_RANK) return false;
    bool has_start = dvt_wire_find(field.bytes, EXTENT_START, DVT_WIRE_VARINT, &value);
    out->start[out->rank] = has_start ? (int64_t)value.value : 0;
    bool has_length = dvt_wire_find(field.bytes, EXTENT_LENGTH, DVT_WIRE_VARINT, &value);
    out->length[out->rank++] = has_length ? (int64_t)value.value : FULL_EXTENT;
  }
  return !wire.bad;
}

// ---- keys: numbers and strings coded so that byte order is their order ----

static void key_put_number(dvt_buf *key, uint64_t value) {
  uint8_t bytes[8];
  int len = 0;
  for (uint64_t v = value; v; v >>= 8) ++len;
  dvt_buf_append_byte(key, (char)len);
  for (int i = 0; i < len; ++i) bytes[i] = (uint8_t)(value >> (8 * (len - 1 - i)));
  dvt_buf_append(key, bytes, (size_t)len);
}

static void key_put_string(dvt_buf *key, dvt_str s) {
  for (size_t i = 0; i < s.len; ++i) {
    dvt_buf_append_byte(key, s.data[i]);
    if (s.data[i] == '\0') dvt_buf_append_byte(key, (char)0xff);
    if ((uint8_t)s.data[i] == 0xff) dvt_buf_append_byte(key, '\0');
  }
  dvt_buf_append(key, "\0\1", 2);
}

// A signed number takes 1 to 10 bytes; the leading bits say how many (like UTF-8) and are flipped for
// negative numbers.
static void key_put_signed(dvt_buf *key, int64_t value) {
  uint64_t magnitude = value < 0 ? ~(uint64_t)value : (uint64_t)value;
  int bits = 0;
  for (uint64_t v = magnitude; v; v >>= 1) ++bits;
  int len = bits / 7 + 1;
  uint8_t bytes[10];
  for (int i = 0; i < 10; ++i) {
    int shift = 8 * (9 - i);
    bytes[i] = shift >= 64 ? (value < 0 ? 0xff : 0) : (uint8_t)((uint64_t)value >> shift);
  }
  uint8_t *begin = bytes + 10 - len;
  begin[0] ^= len >= 8 ? 0xff : (uint8_t) ~(0xff >> len);
  if (len > 8) begin[1] ^= (uint8_t) ~(0xff >> (len - 8));
  dvt_buf_append(key, begin, (size_t)len);
}

void dvt_bundle_slice_key(dvt_str name, int rank, const int64_t *start, const int64_t *length, dvt_buf *key) {
  key_put_number(key, 0);
  key_put_string(key, name);
  key_put_number(key, (uint64_t)rank);
  for (int d = 0; d < rank; ++d) {
    key_put_signed(key, start[d]);
    key_put_signed(key, length[d]);
  }
}

// ---- assembling ----

typedef struct assembly {
  const dvt_checkpoint *checkpoint;
  const dvt_bundle_entry *whole;
  TF_Tensor *out;
  uint8_t *covered;  // one bit an element
} assembly;

static dvt_status slice_find(const assembly *a, const slice *s, dvt_bundle_entry *out_entry) {
  const dvt_bundle_entry *whole = a->whole;
  dvt_buf key = {0};
  dvt_bundle_slice_key(whole->name, s->rank, s->start, s->length, &key);
  const dvt_table_entry *found = key.failed ? NULL : dvt_table_find(&a->checkpoint->table, dvt_buf_str(&key));
  dvt_buf_deinit(&key);
  if (!found) return dvt_checkpoint_damaged(a->checkpoint, whole->name, "a slice of it is not in the index");
  if (found->value.len > MAX_SLICE_ENTRY_BYTES)
    return dvt_checkpoint_damaged(a->checkpoint, whole->name, "the entry of a slice is far too long");
  DVT_RETURN_IF_ERROR(dvt_bundle_entry_parse(a->checkpoint, found, out_entry));
  out_entry->name = whole->name;
  bool fits = s->rank == whole->rank && out_entry->rank == whole->rank && out_entry->dtype == whole->dtype;
  for (int d = 0; fits && d < s->rank; ++d) {
    int64_t length = s->length[d] == FULL_EXTENT ? whole->dims[d] : s->length[d];
    fits = s->start[d] >= 0 && length >= 0 && length <= whole->dims[d] &&
           s->start[d] <= whole->dims[d] - length && out_entry->dims[d] == length;
  }
  return fits ? NULL
              : dvt_checkpoint_damaged(a->checkpoint, whole->name, "a slice of it does not fit the whole");
}

// Marks elements [first, first + count); false when one was marked before.
static bool cover(uint8_t *covered, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i) {
    uint8_t bit = (uint8_t)(1u << (i & 7));
    if (covered[i >> 3] & bit) return false;
    covered[i >> 3] |= bit;
  }
  return true;
}

static bool copy_run(const assembly *a, const TF_Tensor *part, int64_t from, int64_t to, int64_t count) {
  if (!cover(a->covered, to, count)) return false;
  size_t stride = dvt_dtype_stride(a->whole->dtype);
  if (a->whole->dtype == TF_STRING) {
    for (int64_t i = 0; i < count; ++i)
      TF_TString_Move((TF_TString *)a->out->data + to + i, (TF_TString *)part->data + from + i);
  } else {
    memcpy((char *)a->out->data + (size_t)to * stride, (const char *)part->data + (size_t)from * stride,
           (size_t)count * stride);
  }
  return true;
}

// Copies runs along the last dimension; `at` counts through the leading ones.
static bool slice_copy(const assembly *a, const slice *s, const TF_Tensor *part) {
  int rank = a->whole->rank;
  const int64_t *dims = dvt_tensor_dims(part);
  int64_t total = dvt_tensor_count(part), run = rank ? dims[rank - 1] : 1;
  int64_t at[DVT_MAX_RANK] = {0};
  for (int64_t from = 0; from < total; from += run) {
    int64_t to = 0;
    for (int d = 0; d < rank; ++d) to = to * a->whole->dims[d] + s->start[d] + at[d];
    if (!copy_run(a, part, from, to, run)) return false;
    for (int d = rank - 2; d >= 0 && ++at[d] == dims[d]; --d) at[d] = 0;
  }
  return true;
}

// One pass over the listed slices: without `a->covered` only checks them and adds up their elements, else
// copies them.
static dvt_status walk(const assembly *a, int64_t *out_elements) {
  dvt_wire wire = dvt_wire_open(a->whole->proto);
  dvt_field field;
  *out_elements = 0;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != ENTRY_SLICES || field.type != DVT_WIRE_BYTES) continue;
    slice s;
    dvt_bundle_entry entry;
    int64_t count;
    if (!slice_parse(field.bytes, &s))
      return dvt_checkpoint_damaged(a->checkpoint, a->whole->name, "a slice is malformed");
    DVT_RETURN_IF_ERROR(slice_find(a, &s, &entry));
    DVT_RETURN_IF_ERROR(dvt_shape_count(entry.dims, entry.rank, &count));
    if (__builtin_add_overflow(*out_elements, count, out_elements))
      return dvt_checkpoint_damaged(a->checkpoint, a->whole->name, "its slices hold more than the whole");
    if (!a->covered) {
      DVT_RETURN_IF_ERROR(dvt_bundle_entry_locate(a->checkpoint, &entry));
      if ((uint64_t)count > entry.size)
        return dvt_checkpoint_damaged(a->checkpoint, a->whole->name, "a slice has more elements than bytes");
      continue;
    }
    TF_Tensor part = {0};
    DVT_RETURN_IF_ERROR(dvt_bundle_entry_read(a->checkpoint, &entry, &part));
    bool copied = slice_copy(a, &s, &part);
    dvt_tensor_reset(&part);
    if (!copied) return dvt_checkpoint_damaged(a->checkpoint, a->whole->name, "its slices overlap");
  }
  return NULL;
}

static dvt_status assemble(assembly *a, int64_t count) {
  int64_t found;
  a->covered = dvt_calloc((size_t)count / 8 + 1, 1);
  if (!a->covered) return dvt_error_out_of_memory((size_t)count / 8 + 1);
  dvt_status status = dvt_tensor_init_allocate(a->out, a->whole->dtype, a->whole->dims, a->whole->rank);
  if (!status) {
    status = walk(a, &found);
    if (status) dvt_tensor_reset(a->out);
  }
  dvt_free(a->covered);
  return status;
}

dvt_status dvt_bundle_slices_read(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry,
                                  TF_Tensor *out) {
  assembly a = {checkpoint, entry, out, NULL};
  const dvt_table *table = &checkpoint->table;
  int64_t count, found;
  size_t slices = (size_t)entry->slice_count, name_bytes;
  // Each slice has a key of its own that holds the name. Listing one of them again and again would make the
  // work quadratic.
  if (slices > table->count || !dvt_size_mul(slices, entry->name.len, &name_bytes) ||
      name_bytes > table->key_bytes)
    return dvt_checkpoint_damaged(checkpoint, entry->name, "it lists more slices than the index has");
  DVT_RETURN_IF_ERROR(dvt_shape_count(entry->dims, entry->rank, &count));
  DVT_RETURN_IF_ERROR(walk(&a, &found));
  // Every element takes a byte or more of a data file, so this bounds what is allocated for the whole.
  if (found != count || (uint64_t)count > dvt_bundle_opened_bytes(checkpoint))
    return dvt_checkpoint_damaged(checkpoint, entry->name, "its slices do not make up the whole");
  return assemble(&a, count);
}
