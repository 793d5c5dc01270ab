// Shapes: counting elements and bytes with every product checked, reading and writing TensorShapeProto,
// printing.
#include "base/wire.h"
#include "tensor/tensor.h"
#include "tensor/tensor_proto.h"

// Field numbers of the public tensor_shape.proto.
enum { SHAPE_DIM = 2, SHAPE_UNKNOWN_RANK = 3, DIM_SIZE = 1 };

// The shape as text for an error message; lives in `text`, which the caller releases.
static const char *shape_text(const int64_t *dims, int rank, dvt_buf *text) {
  dvt_shape_describe(dims, rank, text);
  return text->data ? text->data : "(a shape)";
}

DVT_COLD static dvt_status shape_error(const int64_t *dims, int rank, const char *complaint) {
  dvt_buf text = {0};
  dvt_status error = dvt_error(TF_INVALID_ARGUMENT, "shape %s %s", shape_text(dims, rank, &text), complaint);
  dvt_buf_deinit(&text);
  return error;
}

dvt_status dvt_shape_count(const int64_t *dims, int rank, int64_t *out_count) {
  int64_t count = 1;
  if (DVT_UNLIKELY(rank < 0 || rank > DVT_MAX_RANK))
    return dvt_error(TF_INVALID_ARGUMENT, "a shape of rank %d was given; ranks 0 to %d are possible", rank,
                     DVT_MAX_RANK);
  if (DVT_UNLIKELY(rank > 0 && !dims))
    return dvt_error(TF_INVALID_ARGUMENT, "a shape of rank %d was given with NULL for its dimensions", rank);
  for (int i = 0; i < rank; i++) {
    if (DVT_UNLIKELY(dims[i] < 0))
      return shape_error(dims, rank, "has a negative dimension where all must be known");
    if (DVT_UNLIKELY(__builtin_mul_overflow(count, dims[i], &count)))
      return shape_error(dims, rank, "has more elements than 63 bits can count");
  }
  *out_count = count;
  return NULL;
}

dvt_status dvt_shape_bytes(int dtype, const int64_t *dims, int rank, size_t *out_bytes) {
  int64_t count;
  DVT_RETURN_IF_ERROR(dvt_shape_count(dims, rank, &count));
  size_t stride = dvt_dtype_stride(dtype);
  if (DVT_UNLIKELY(!stride))
    return dvt_error(TF_INVALID_ARGUMENT, "dtype number %d is none that this library knows (1 to %d)", dtype,
                     DVT_DTYPE_MAX);
  size_t bytes;
  if (DVT_UNLIKELY(!dvt_size_mul((size_t)count, stride, &bytes) || bytes > PTRDIFF_MAX))
    return shape_error(dims, rank, "needs more bytes than this machine can address");
  *out_bytes = bytes;
  return NULL;
}

int64_t dvt_tensor_count(const TF_Tensor *t) {
  const int64_t *dims = dvt_tensor_dims(t);
  int64_t count = 1;
  for (int i = 0; i < t->rank; i++) count *= dims[i];
  return count;
}

void dvt_shape_describe(const int64_t *dims, int rank, dvt_buf *out) {
  if (rank < 0) {
    dvt_buf_append_str(out, DVT_STR("<unknown>"));
    return;
  }
  dvt_buf_append_byte(out, '[');
  for (int i = 0; i < rank; i++) {
    if (i) dvt_buf_append_byte(out, ',');
    if (dims[i] == -1)
      dvt_buf_append_byte(out, '?');
    else
      dvt_buf_printf(out, "%lld", (long long)dims[i]);
  }
  dvt_buf_append_byte(out, ']');
}

static dvt_status dim_from_proto(dvt_str proto, int64_t *out_dim) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  int64_t size = 0;
  while (dvt_wire_next(&wire, &field))
    if (field.number == DIM_SIZE && field.type == DVT_WIRE_VARINT) size = (int64_t)field.value;
  if (wire.bad)
    return dvt_error(TF_INVALID_ARGUMENT, "malformed TensorShapeProto: a dimension is cut off or corrupt");
  if (size < -1)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "TensorShapeProto has dimension %lld; -1 (unknown) is the smallest allowed",
                     (long long)size);
  *out_dim = size;
  return NULL;
}

dvt_status dvt_shape_from_proto(dvt_str proto, int64_t *out_dims, int capacity, int *out_rank) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_field field;
  int rank = 0;
  bool unknown = false;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number == SHAPE_UNKNOWN_RANK && field.type == DVT_WIRE_VARINT) unknown = field.value != 0;
    if (field.number != SHAPE_DIM || field.type != DVT_WIRE_BYTES) continue;
    int64_t dim = 0;
    DVT_RETURN_IF_ERROR(dim_from_proto(field.bytes, &dim));
    if (rank == DVT_MAX_RANK)
      return dvt_error(TF_INVALID_ARGUMENT, "TensorShapeProto has more than %d dimensions", DVT_MAX_RANK);
    if (rank < capacity) out_dims[rank] = dim;
    rank++;
  }
  if (wire.bad) return dvt_error(TF_INVALID_ARGUMENT, "malformed TensorShapeProto: it is cut off or corrupt");
  if (unknown && rank)
    return dvt_error(TF_INVALID_ARGUMENT, "TensorShapeProto says unknown_rank but lists %d dimensions", rank);
  *out_rank = unknown ? -1 : rank;
  return NULL;
}

void dvt_shape_to_proto(const int64_t *dims, int rank, dvt_buf *out) {
  if (rank < 0) {
    dvt_wire_put_varint(out, SHAPE_UNKNOWN_RANK, 1);
    return;
  }
  for (int i = 0; i < rank; i++) {
    size_t dim = dvt_wire_begin(out, SHAPE_DIM);
    if (dims[i] != 0) dvt_wire_put_varint(out, DIM_SIZE, (uint64_t)dims[i]);
    dvt_wire_end(out, dim);
  }
}
