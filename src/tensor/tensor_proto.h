// TensorProto bytes to tensors and back: every dtype, packed and unpacked values, tensor_content, the last value
// repeated when fewer values than elements are given, strings.
#ifndef DVT_TENSOR_TENSOR_PROTO_H_
#define DVT_TENSOR_TENSOR_PROTO_H_

#include "base/buf.h"
#include "tensor/tensor.h"

// *out must be empty. INVALID_ARGUMENT for malformed bytes, bad dtype or shape, content of the wrong length. As in stock,
// values beyond the last element are ignored and an unknown rank means a scalar. RESOURCE_EXHAUSTED for shapes larger than
// memory.
dvt_status dvt_tensor_from_proto(dvt_str proto, TF_Tensor *out) DVT_NODISCARD;
// The same for a value that stays (dvt_tensor_init_lasting).
dvt_status dvt_tensor_from_proto_lasting(dvt_str proto, TF_Tensor *out) DVT_NODISCARD;
// Shape and dtype only, checked as above, if reading the values then can fail for want of memory only and they are
// `least_bytes` at least; else *out stays empty. The tensor has no buffer.
dvt_status dvt_tensor_from_proto_later(dvt_str proto, size_t least_bytes, TF_Tensor *out) DVT_NODISCARD;
// Appends the TensorProto's fields to *out. UNIMPLEMENTED for resource and variant.
dvt_status dvt_tensor_to_proto(const TF_Tensor *t, dvt_buf *out) DVT_NODISCARD;
// dtype and shape only (no values are read). *out_rank -1 for unknown rank; dims up to `capacity` are written.
dvt_status dvt_tensor_proto_header(dvt_str proto, int *out_dtype, int64_t *out_dims, int capacity,
                                   int *out_rank) DVT_NODISCARD;

// TensorShapeProto: rank -1 = unknown, dim -1 = unknown.
dvt_status dvt_shape_from_proto(dvt_str proto, int64_t *out_dims, int capacity, int *out_rank) DVT_NODISCARD;
void dvt_shape_to_proto(const int64_t *dims, int rank, dvt_buf *out);
// "[2,?,3]" or "<unknown>".
void dvt_shape_describe(const int64_t *dims, int rank, dvt_buf *out);

#endif  // DVT_TENSOR_TENSOR_PROTO_H_
