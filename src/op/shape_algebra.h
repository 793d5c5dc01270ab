// Computing with symbolic dims and shapes: what shape functions are made of. Unknown results get a fresh
// symbol unless the result is provably one of the operands. Errors use stock's wording (semantics rules
// 82-87).
#ifndef DVT_OP_SHAPE_ALGEBRA_H_
#define DVT_OP_SHAPE_ALGEBRA_H_

#include "op/shape_inference.h"

// ---- dims ----
dvt_status dvt_dim_merge(dvt_dim a, dvt_dim b, dvt_dim *out_dim) DVT_NODISCARD;
dvt_status dvt_dim_with_value(dvt_dim dim, int64_t value, dvt_dim *out_dim) DVT_NODISCARD;
dvt_status dvt_dim_add(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) DVT_NODISCARD;
dvt_status dvt_dim_subtract(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) DVT_NODISCARD;
dvt_status dvt_dim_multiply(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) DVT_NODISCARD;
// `evenly`: a remainder is an error; else the quotient is rounded down.
dvt_status dvt_dim_divide(dvt_shape_arena *arena, dvt_dim a, dvt_dim b, bool evenly,
                          dvt_dim *out_dim) DVT_NODISCARD;
dvt_dim dvt_dim_min(dvt_shape_arena *arena, dvt_dim a, dvt_dim b);
dvt_dim dvt_dim_max(dvt_shape_arena *arena, dvt_dim a, dvt_dim b);
// What is left to know of `old_dim` when the value may be `new_dim`, too.
dvt_dim dvt_dim_relax(dvt_shape_arena *arena, dvt_dim old_dim, dvt_dim new_dim);
void dvt_dim_print(dvt_dim dim, dvt_buf *out);

// ---- shapes ----
static inline int dvt_shape_rank(dvt_shape shape) { return shape ? shape->rank : -1; }
// i in -rank..rank-1; a fresh unknown for an unknown rank or an index out of range.
dvt_dim dvt_shape_dim(dvt_shape_arena *arena, dvt_shape shape, int64_t i);
dvt_dim dvt_shape_element_count(dvt_shape_arena *arena, dvt_shape shape);
dvt_status dvt_shape_unknown_of_rank(dvt_shape_arena *arena, int64_t rank,
                                     dvt_shape *out_shape) DVT_NODISCARD;
dvt_status dvt_shape_with_rank(dvt_shape_arena *arena, dvt_shape shape, int64_t rank,
                               dvt_shape *out_shape) DVT_NODISCARD;
dvt_status dvt_shape_with_rank_at_least(dvt_shape shape, int64_t rank, dvt_shape *out_shape) DVT_NODISCARD;
dvt_status dvt_shape_with_rank_at_most(dvt_shape shape, int64_t rank, dvt_shape *out_shape) DVT_NODISCARD;
// Dims [start, end); negative positions count from the end, larger ones than the rank are cut to it (rule
// 85).
dvt_status dvt_shape_slice(dvt_shape_arena *arena, dvt_shape shape, int64_t start, int64_t end,
                           dvt_shape *out_shape) DVT_NODISCARD;
dvt_status dvt_shape_concat(dvt_shape_arena *arena, dvt_shape a, dvt_shape b,
                            dvt_shape *out_shape) DVT_NODISCARD;
dvt_status dvt_shape_replace_dim(dvt_shape_arena *arena, dvt_shape shape, int64_t index, dvt_dim dim,
                                 dvt_shape *out_shape) DVT_NODISCARD;
// What both shapes agree on, else new unknown dims; unknown where the ranks differ.
dvt_status dvt_shape_relax(dvt_shape_arena *arena, dvt_shape old_shape, dvt_shape new_shape,
                           dvt_shape *out_shape) DVT_NODISCARD;
// The shape two operands broadcast to.
dvt_status dvt_shape_broadcast(dvt_shape_arena *arena, dvt_shape a, dvt_shape b,
                               dvt_shape *out_shape) DVT_NODISCARD;
// A TensorShapeProto's shape; unknown dims become fresh symbols.
dvt_status dvt_shape_of_proto(dvt_shape_arena *arena, dvt_str proto, dvt_shape *out_shape) DVT_NODISCARD;

// ---- known values of inputs ----
// The shape that a vector of integers (int32, int64; -1 = unknown) or, with `scalar_is_unknown`, the scalar
// -1 spells.
dvt_status dvt_shape_of_tensor(dvt_shape_arena *arena, const TF_Tensor *tensor, bool scalar_is_unknown,
                               dvt_shape *out_shape) DVT_NODISCARD;
// The shape given by input `index`: its value if known, else a partial value, else by its length unknown
// dims.
dvt_status dvt_shape_of_input(TF_ShapeInferenceContext *ctx, int index, dvt_shape *out_shape) DVT_NODISCARD;
// The value of input `index` if it is known now, else NULL. Borrowed.
const TF_Tensor *dvt_shape_input_value(TF_ShapeInferenceContext *ctx, int index);
// Element i of an int32 or int64 tensor. INVALID_ARGUMENT for other dtypes.
dvt_status dvt_tensor_int_at(const TF_Tensor *tensor, int64_t i, int64_t *out_value) DVT_NODISCARD;
// The same, where the scalar -1 or a scalar that is not known stands for an unknown shape.
dvt_status dvt_shape_of_input_or_scalar(TF_ShapeInferenceContext *ctx, int index,
                                        dvt_shape *out_shape) DVT_NODISCARD;
// The same of a tensor that is no input: NULL when not known, then `given` is its shape.
dvt_status dvt_shape_of_tensor_or_length(dvt_shape_arena *arena, const TF_Tensor *tensor, dvt_shape given,
                                         dvt_shape *out_shape) DVT_NODISCARD;
// The value of a scalar of integers; INVALID_ARGUMENT for another rank or dtype.
dvt_status dvt_tensor_scalar_int(const TF_Tensor *tensor, int64_t *out_value) DVT_NODISCARD;
// The dim that scalar input `index` gives; unknown when its value is. Negative values are an error, or, with
// `from_end`, count from `rank` (-1: unknown, and so is the dim).
dvt_status dvt_dim_of_axis_input(TF_ShapeInferenceContext *ctx, int index, bool from_end, int rank,
                                 dvt_dim *out_dim) DVT_NODISCARD;
static inline dvt_status dvt_dim_of_scalar_input(TF_ShapeInferenceContext *ctx, int index, dvt_dim *out_dim) {
  return dvt_dim_of_axis_input(ctx, index, false, -1, out_dim);
}

#endif  // DVT_OP_SHAPE_ALGEBRA_H_
