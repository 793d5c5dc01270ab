// TensorProto to tensor. The message is walked twice: once for dtype, shape, content, once for the values of
// the field that the dtype uses. Sizes are checked before memory is asked for. As in stock, values beyond the
// last element are ignored, missing ones repeat the last value, and no value at all means zeros.
#include "tensor/tensor_proto.h"

#include <unistd.h>

#include "base/wire.h"
#include "tensor/proto_fields.h"
#include "tensor/tstring.h"

typedef struct proto_parts {
  int dtype;
  dvt_str shape, content;
} proto_parts;

static dvt_status malformed(const char *what) {
  return dvt_error(TF_INVALID_ARGUMENT, "malformed TensorProto: %s", what);
}

static dvt_status read_parts(dvt_str proto, proto_parts *out_parts) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == DVT_TENSOR_DTYPE && field.type == DVT_WIRE_VARINT)
      out_parts->dtype = field.value > INT32_MAX ? 0 : (int)field.value;
    if (field.number == DVT_TENSOR_SHAPE && field.type == DVT_WIRE_BYTES) out_parts->shape = field.bytes;
    if (field.number == DVT_TENSOR_CONTENT && field.type == DVT_WIRE_BYTES) out_parts->content = field.bytes;
  }
  return wire.bad ? malformed("it is cut off or corrupt") : NULL;
}

const dvt_value_field *dvt_value_field_of(int dtype) {
  static const dvt_value_field fields[DVT_DTYPE_MAX + 1] = {
#define FIELD(dtype, number, wire, bytes, lanes) [dtype] = {number, wire, bytes, lanes},
      DVT_VALUE_FIELDS(FIELD)
#undef FIELD
  };
  return dvt_dtype_is_valid(dtype) && fields[dtype].number ? &fields[dtype] : NULL;
}

dvt_status dvt_tensor_proto_header(dvt_str proto, int *out_dtype, int64_t *out_dims, int capacity,
                                   int *out_rank) {
  proto_parts parts = {0};
  DVT_RETURN_IF_ERROR(read_parts(proto, &parts));
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(parts.shape, out_dims, capacity, out_rank));
  *out_dtype = parts.dtype;
  return NULL;
}

// Where the scalars of a value field go: `bytes` each, into at most `room` of them.
typedef struct scalar_sink {
  char *data;
  size_t bytes;
  int64_t room, count;
} scalar_sink;

static void sink_put(scalar_sink *sink, uint64_t bits, bool is_bool) {
  if (sink->count == sink->room) return;
  if (is_bool) bits = bits != 0;
  memcpy(sink->data + (size_t)sink->count * sink->bytes, &bits, sink->bytes);  // little endian: the low bytes
  sink->count++;
}

// A packed run of fixed-size values is copied as it is.
static bool put_fixed_run(scalar_sink *sink, const dvt_field *field, dvt_wire_type element) {
  size_t wire_bytes = element == DVT_WIRE_FIXED32 ? 4 : element == DVT_WIRE_FIXED64 ? 8 : 0;
  if (field->type != DVT_WIRE_BYTES || wire_bytes != sink->bytes || field->bytes.len % wire_bytes)
    return false;
  int64_t n = DVT_MIN((int64_t)(field->bytes.len / wire_bytes), sink->room - sink->count);
  if (n > 0)
    memcpy(sink->data + (size_t)sink->count * sink->bytes, field->bytes.data, (size_t)n * wire_bytes);
  sink->count += n;
  return true;
}

static dvt_status put_field(scalar_sink *sink, const dvt_field *field, const dvt_value_field *how,
                            bool is_bool) {
  if (how->number == DVT_TENSOR_FLOAT8_VAL) {
    if (field->type != DVT_WIRE_BYTES) return malformed("float8_val is not bytes");
    for (size_t i = 0; i < field->bytes.len; i++) sink_put(sink, (uint8_t)field->bytes.data[i], false);
    return NULL;
  }
  if (put_fixed_run(sink, field, how->wire)) return NULL;
  dvt_wire_packed packed = {0};
  uint64_t bits;
  bool bad = false;
  while (dvt_wire_packed_next(&packed, field, how->wire, &bits, &bad)) sink_put(sink, bits, is_bool);
  return bad ? malformed("a list of values is cut off or has the wrong wire type") : NULL;
}

// Element `have` - 1 into all after it, by doubling the run that is already there.
static void repeat_last(char *data, int64_t have, int64_t count, size_t bytes) {
  char *from = data + (size_t)(have - 1) * bytes;
  size_t total = (size_t)(count - have + 1) * bytes;
  for (size_t done = bytes; done < total; done *= 2) memcpy(from + done, from, DVT_MIN(done, total - done));
}

static dvt_status read_values(dvt_str proto, TF_Tensor *out, int64_t count) {
  const dvt_value_field *how = dvt_value_field_of(out->dtype);
  size_t element_bytes = how->scalar_bytes * how->lanes;
  scalar_sink sink = {out->data, how->scalar_bytes, count * (int64_t)how->lanes, 0};
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == how->number)
      DVT_RETURN_IF_ERROR(put_field(&sink, &field, how, out->dtype == TF_BOOL));
  int64_t have = sink.count / (int64_t)how->lanes;
  if (have == 0)
    memset(out->data, 0, (size_t)count * element_bytes);
  else
    repeat_last(out->data, have, count, element_bytes);
  return NULL;
}

// Before memory is asked for: can the content be that of `count` elements? A string takes at least its
// length's byte.
static dvt_status check_content(const proto_parts *parts, int64_t count) {
  size_t size = dvt_dtype_size(parts->dtype);
  if (!parts->content.len || !count || parts->dtype == TF_RESOURCE || parts->dtype == TF_VARIANT) return NULL;
  bool fits = size ? parts->content.len % size == 0 && parts->content.len / size == (size_t)count
                   : parts->content.len >= (size_t)count;
  if (fits) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "TensorProto has %zu bytes of tensor_content for %lld elements of %s",
                   parts->content.len, (long long)count, dvt_dtype_name(parts->dtype));
}

static dvt_status read_content(dvt_str content, TF_Tensor *out) {
  if (out->dtype == TF_BOOL)
    for (size_t i = 0; i < content.len; i++)
      if ((uint8_t)content.data[i] > 1)
        return malformed("tensor_content of dtype bool has a byte other than 0 and 1");
  memcpy(out->data, content.data, content.len);
  return NULL;
}

// A few bytes can claim a tensor of terabytes; what cannot be in this machine's memory is refused before it
// is filled.
static dvt_status check_fits_machine(size_t bytes) {
  enum { SURELY_FITS = 1 << 20 };  // asking the system takes longer than reading a small tensor
  if (bytes <= SURELY_FITS) return NULL;
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0 || bytes / (size_t)page_bytes < (size_t)pages) return NULL;
  return dvt_error(TF_RESOURCE_EXHAUSTED,
                   "TensorProto describes a tensor of %zu bytes, more than this machine has", bytes);
}

static dvt_status string_copy(TF_TString *to, dvt_str from) {
  TF_TString_Copy(to, from.data, from.len);
  return TF_TString_GetSize(to) == from.len ? NULL : dvt_error_out_of_memory(from.len);
}

static dvt_status read_string_values(dvt_str proto, TF_Tensor *out, int64_t count) {
  TF_TString *strings = out->data;
  int64_t have = 0;
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  while (have < count && dvt_wire_next(&wire, &field)) {
    if (field.number != DVT_TENSOR_STRING_VAL) continue;
    if (field.type != DVT_WIRE_BYTES) return malformed("string_val is not bytes");
    DVT_RETURN_IF_ERROR(string_copy(&strings[have++], field.bytes));
  }
  if (have == 0) return NULL;
  dvt_str last = dvt_tstring_view(&strings[have - 1]);
  size_t repeated;
  if (!dvt_size_mul((size_t)(count - have), last.len, &repeated)) repeated = SIZE_MAX;
  DVT_RETURN_IF_ERROR(check_fits_machine(repeated));
  for (; have < count; have++) DVT_RETURN_IF_ERROR(string_copy(&strings[have], last));
  return NULL;
}

// Strings as content: all lengths as varints, then all bytes.
static dvt_status read_string_content(dvt_str content, TF_Tensor *out, int64_t count) {
  dvt_field run = {.type = DVT_WIRE_BYTES, .bytes = content};
  dvt_wire_packed packed = {0};
  uint64_t len;
  bool bad = false;
  size_t lengths_end = 0;
  for (int64_t i = 0; i < count; i++)
    if (!dvt_wire_packed_next(&packed, &run, DVT_WIRE_VARINT, &len, &bad))
      return malformed("tensor_content ends before the lengths of all strings");
  lengths_end = (size_t)((const char *)packed.inner.next - content.data);
  dvt_str bytes = dvt_str_drop(content, lengths_end);
  packed = (dvt_wire_packed){0};
  for (int64_t i = 0; i < count; i++) {
    if (!dvt_wire_packed_next(&packed, &run, DVT_WIRE_VARINT, &len, &bad) || len > bytes.len)
      return malformed("tensor_content ends before the characters of all strings");
    DVT_RETURN_IF_ERROR(string_copy((TF_TString *)out->data + i, dvt_str_make(bytes.data, (size_t)len)));
    bytes = dvt_str_drop(bytes, (size_t)len);
  }
  return bytes.len ? malformed("tensor_content goes on behind its strings") : NULL;
}

// Handles are addresses in the process that wrote them; without values the elements are empty.
static dvt_status read_objects(dvt_str proto, const TF_Tensor *out) {
  uint32_t number = out->dtype == TF_RESOURCE ? DVT_TENSOR_RESOURCE_VAL : DVT_TENSOR_VARIANT_VAL;
  dvt_field field;
  if (!dvt_wire_find(proto, number, DVT_WIRE_BYTES, &field)) return NULL;
  return dvt_error(TF_UNIMPLEMENTED,
                   "a TensorProto of dtype %s with values cannot be read: they mean something only in "
                   "the process that wrote them",
                   dvt_dtype_name(out->dtype));
}

static dvt_status read_elements(dvt_str proto, dvt_str content, TF_Tensor *out, int64_t count) {
  if (count == 0) return NULL;
  switch (out->dtype) {
    case TF_STRING:
      return content.len ? read_string_content(content, out, count) : read_string_values(proto, out, count);
    case TF_RESOURCE:
    case TF_VARIANT:
      return read_objects(proto, out);
    default:
      return content.len ? read_content(content, out) : read_values(proto, out, count);
  }
}

typedef struct proto_shape {
  int64_t dims[DVT_MAX_RANK], count;
  int rank;
  size_t bytes;
} proto_shape;

// All that can be wrong but for the elements.
static dvt_status read_frame(dvt_str proto, proto_parts *parts, proto_shape *shape) {
  DVT_RETURN_IF_ERROR(read_parts(proto, parts));
  if (!dvt_dtype_is_valid(parts->dtype))
    return dvt_error(TF_INVALID_ARGUMENT, "TensorProto has dtype %d (%s), which no tensor can have",
                     parts->dtype, dvt_dtype_name(parts->dtype));
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(parts->shape, shape->dims, DVT_MAX_RANK, &shape->rank));
  if (shape->rank < 0) shape->rank = 0;
  DVT_RETURN_IF_ERROR(dvt_shape_count(shape->dims, shape->rank, &shape->count));
  DVT_RETURN_IF_ERROR(check_content(parts, shape->count));
  DVT_RETURN_IF_ERROR(dvt_shape_bytes(parts->dtype, shape->dims, shape->rank, &shape->bytes));
  return check_fits_machine(shape->bytes);
}

static dvt_status from_proto(dvt_str proto, bool lasting, TF_Tensor *out) {
  proto_parts parts = {0};
  proto_shape shape;
  TF_Tensor tensor = {0};
  DVT_RETURN_IF_ERROR(read_frame(proto, &parts, &shape));
  DVT_RETURN_IF_ERROR((lasting ? dvt_tensor_init_lasting : dvt_tensor_init_allocate)(&tensor, parts.dtype,
                                                                                     shape.dims, shape.rank));
  dvt_status status = read_elements(proto, parts.content, &tensor, shape.count);
  if (status) {
    dvt_tensor_reset(&tensor);
    return status;
  }
  dvt_tensor_move(out, &tensor);
  return NULL;
}

dvt_status dvt_tensor_from_proto(dvt_str proto, TF_Tensor *out) { return from_proto(proto, false, out); }

dvt_status dvt_tensor_from_proto_lasting(dvt_str proto, TF_Tensor *out) {
  return from_proto(proto, true, out);
}

dvt_status dvt_tensor_from_proto_later(dvt_str proto, size_t least_bytes, TF_Tensor *out) {
  proto_parts parts = {0};
  proto_shape shape;
  DVT_RETURN_IF_ERROR(read_frame(proto, &parts, &shape));
  if (parts.content.len < least_bytes || shape.count == 0 || parts.dtype == TF_BOOL ||
      dvt_dtype_size(parts.dtype) == 0)
    return NULL;
  DVT_RETURN_IF_ERROR(dvt_tensor_set_shape(out, shape.dims, shape.rank));
  out->dtype = parts.dtype;
  return NULL;
}
