// What the ready-made shape functions (shape_fn_*.c, declared in dovetail/shape.h) share: the frame that
// turns a status into the ABI's, and short ways to attrs, inputs and outputs.
#ifndef DVT_OP_SHAPE_FN_H_
#define DVT_OP_SHAPE_FN_H_

#include "dovetail/shape.h"
#include "op/shape_algebra.h"
#include "tensor/tensor_proto.h"

// Defines dvt_shape_fn_NAME with the body that follows, which sees `c` and returns a dvt_status. The op it
// was registered for must have at least so many inputs and outputs.
#define DVT_SHAPE_FN(name, min_inputs, min_outputs)                                             \
  static dvt_status infer_##name(TF_ShapeInferenceContext *c);                                  \
  void dvt_shape_fn_##name(TF_ShapeInferenceContext *c, TF_Status *status) {                    \
    dvt_status result = dvt_fn_check_counts(c, "dvt_shape_fn_" #name, min_inputs, min_outputs); \
    dvt_status_to_tf(result ? result : infer_##name(c), status);                                \
  }                                                                                             \
  static dvt_status infer_##name(TF_ShapeInferenceContext *c)

dvt_status dvt_fn_check_counts(const TF_ShapeInferenceContext *c, const char *function, int min_inputs,
                               int min_outputs) DVT_NODISCARD;

// Attrs. Kind errors and absence are errors; dvt_fn_has_attr asks first where an attr is optional.
bool dvt_fn_has_attr(const TF_ShapeInferenceContext *c, const char *name);
dvt_status dvt_fn_attr_int(const TF_ShapeInferenceContext *c, const char *name, int64_t *out) DVT_NODISCARD;
dvt_status dvt_fn_attr_bool(const TF_ShapeInferenceContext *c, const char *name, bool *out) DVT_NODISCARD;
dvt_status dvt_fn_attr_float(const TF_ShapeInferenceContext *c, const char *name, float *out) DVT_NODISCARD;
dvt_status dvt_fn_attr_string(const TF_ShapeInferenceContext *c, const char *name,
                              dvt_str *out) DVT_NODISCARD;
// Up to `capacity` values; *out_count is the length of the list, also when larger.
dvt_status dvt_fn_attr_ints(const TF_ShapeInferenceContext *c, const char *name, int64_t *values,
                            int capacity, int *out_count) DVT_NODISCARD;
dvt_status dvt_fn_attr_shape(TF_ShapeInferenceContext *c, const char *name,
                             dvt_shape *out_shape) DVT_NODISCARD;

static inline dvt_dim dvt_fn_dim(TF_ShapeInferenceContext *c, dvt_shape shape, int64_t i) {
  return dvt_shape_dim(c->arena, shape, i);
}
static inline dvt_status dvt_fn_rank(TF_ShapeInferenceContext *c, int input, int64_t rank,
                                     dvt_shape *out_shape) {
  return dvt_shape_with_rank(c->arena, c->inputs[input], rank, out_shape);
}
static inline dvt_status dvt_fn_set(TF_ShapeInferenceContext *c, int output, const dvt_dim *dims, int rank) {
  return dvt_shape_make(c->arena, dims, rank, false, &c->outputs[output]);
}
static inline dvt_status dvt_fn_set_unknown_of_rank(TF_ShapeInferenceContext *c, int output, int64_t rank) {
  return dvt_shape_unknown_of_rank(c->arena, rank, &c->outputs[output]);
}
// What is known of the values behind handle input `input` is known of output `output`, too.
static inline void dvt_fn_pass_handle(TF_ShapeInferenceContext *c, int input, int output) {
  int dtype = c->node->input_types ? c->node->input_types[input] : TF_RESOURCE;
  if (c->output_handles && (dtype == TF_RESOURCE || dtype == TF_VARIANT))
    c->output_handles[output] = dvt_shape_input_handle(c, input);
}
static inline dvt_dim dvt_fn_unknown(TF_ShapeInferenceContext *c) { return dvt_dim_new_unknown(c->arena); }

// A window that moves over a dim: how many positions it has. `before` and `after` count with explicit padding
// only.
typedef enum dvt_padding { DVT_PADDING_VALID, DVT_PADDING_SAME, DVT_PADDING_EXPLICIT } dvt_padding;
typedef struct dvt_window {
  int64_t stride, dilation, before, after;
  dvt_padding padding;
} dvt_window;
dvt_status dvt_padding_of_name(dvt_str name, dvt_padding *out_padding) DVT_NODISCARD;
dvt_status dvt_dim_windows(dvt_shape_arena *arena, dvt_dim input, dvt_dim filter, dvt_window window,
                           dvt_dim *out_dim) DVT_NODISCARD;

// What all inputs have in common; an error when they differ.
dvt_status dvt_fn_merge_inputs(TF_ShapeInferenceContext *c, dvt_shape *out_shape) DVT_NODISCARD;
// The axis that scalar input `input` gives for a shape of rank `rank`, made non-negative; *out_known false
// while its value is unknown. INVALID_ARGUMENT outside [-rank, rank).
dvt_status dvt_fn_axis(TF_ShapeInferenceContext *c, int input, int64_t rank, int64_t *out_axis,
                       bool *out_known) DVT_NODISCARD;

#endif  // DVT_OP_SHAPE_FN_H_
