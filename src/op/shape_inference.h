// Shape inference: immutable shapes with symbolic dimensions, the context that a shape function sees, and
// running it. A dim is an int64: >= 0 a known size, < 0 an unknown with identity: equal negative values are
// the same unknown. A shape is a pointer to an immutable object in an arena; NULL is the shape of unknown
// rank.
#ifndef DVT_OP_SHAPE_INFERENCE_H_
#define DVT_OP_SHAPE_INFERENCE_H_

#include "op/node_def.h"

typedef int64_t dvt_dim;
static inline bool dvt_dim_known(dvt_dim d) { return d >= 0; }

typedef struct dvt_shape_object {
  int32_t rank;
  dvt_dim dims[];
} dvt_shape_object;
typedef const dvt_shape_object *dvt_shape;

// Where shapes live and unknown dims are numbered: one per graph (and one per temporary inference).
typedef struct dvt_dim_exprs dvt_dim_exprs;  // dim_expr.h
typedef struct dvt_shape_arena {
  dvt_arena arena;
  int64_t last_unknown;  // counts down from 0; the first unknown dim is -1
  dvt_dim_exprs *exprs;  // unknown dims that were computed from others; NULL: none
} dvt_shape_arena;
void dvt_shape_arena_deinit(dvt_shape_arena *arena);
static inline dvt_dim dvt_dim_new_unknown(dvt_shape_arena *arena) { return --arena->last_unknown; }
// Dims < 0 are symbols to keep, or, with `fresh_unknowns`, each becomes a new unknown.
dvt_status dvt_shape_make(dvt_shape_arena *arena, const dvt_dim *dims, int rank, bool fresh_unknowns,
                          dvt_shape *out_shape) DVT_NODISCARD;
dvt_status dvt_shape_merge(dvt_shape_arena *arena, dvt_shape a, dvt_shape b,
                           dvt_shape *out_shape) DVT_NODISCARD;
bool dvt_shape_is_full(dvt_shape shape);              // known rank, all dims known
void dvt_shape_print(dvt_shape shape, dvt_buf *out);  // "[2,?,5]" or "?"

// What is known of the values behind a resource or variant: a variable has one, an iterator one for each
// component, a TensorList the shape of its elements. Immutable, in the arena of its shapes.
typedef struct dvt_shape_and_type {
  dvt_shape shape;
  int dtype;
} dvt_shape_and_type;
typedef struct dvt_handle_shapes {
  int32_t count;
  dvt_shape_and_type at[];
} dvt_handle_shapes;
dvt_status dvt_handle_shapes_make(dvt_shape_arena *arena, const dvt_shape_and_type *values, int count,
                                  const dvt_handle_shapes **out_handle) DVT_NODISCARD;

// What a shape function reads and writes. The struct is filled by the caller of dvt_shape_infer.
struct TF_ShapeInferenceContext {
  const dvt_node_def *node;
  dvt_shape_arena *arena;
  const dvt_shape *inputs;  // node->input_count
  dvt_shape *outputs;       // node->output_count; unknown (NULL) on entry
  int graph_def_version;
  // Known values of inputs, or NULL when not known now; any of the hooks may be NULL. The returned tensor and
  // shape live at least as long as the call of dvt_shape_infer.
  const TF_Tensor *(*input_tensor)(void *arg, int index);
  bool (*input_as_shape)(void *arg, int index, dvt_shape *out_shape);
  // Values behind a resource or variant input; NULL when nothing is known.
  const dvt_handle_shapes *(*input_handle)(void *arg, int index);
  // node->output_count entries, NULL on entry, which the shape function may fill for outputs that are
  // handles; NULL where the caller has no use for them.
  const dvt_handle_shapes **output_handles;
  // Name of an input's producer, for messages; may be NULL.
  dvt_str (*input_name)(void *arg, int index);
  void *arg;
  dvt_arena *scratch;  // for handles and lists made during the call; may be NULL
  // Of the call itself, zero on entry: what functions of dovetail/shape.h merged into handles of inputs, and
  // outputs beyond those of the node (ExpandOutputs), which are forgotten after the call.
  const dvt_handle_shapes **merged_input_handles;
  dvt_shape *more_outputs;
  int32_t more_output_count;
  // In debug mode: the number of this call, which its handles carry, how often the shape function has asked,
  // and what it did wrong. 0 and NULL otherwise.
  uint32_t call, question_count;
  const char *misuse;
};
// Where the shape of output `i` is stored; NULL for an index out of range.
static inline dvt_shape *dvt_shape_output(TF_ShapeInferenceContext *ctx, int i) {
  if (DVT_LIKELY(i >= 0 && i < ctx->node->output_count)) return &ctx->outputs[i];
  int more = i - ctx->node->output_count;
  return i >= 0 && more < ctx->more_output_count ? &ctx->more_outputs[more] : NULL;
}
// "{{node n}} = Op[attrs](inputs)", as far as the names of the inputs are known, and "[2,?,5], ?".
void dvt_shape_describe_node(const TF_ShapeInferenceContext *ctx, dvt_buf *out);
void dvt_shape_print_inputs(const TF_ShapeInferenceContext *ctx, dvt_buf *out);
// What is known of the values behind input `index`, also of what was merged since; NULL when nothing is.
const dvt_handle_shapes *dvt_shape_input_handle(TF_ShapeInferenceContext *ctx, int index);

// Handles as the C ABI shows them. Both halves of the second word are 32 bits, so that one store fills them.
struct TF_ShapeHandle {
  dvt_shape shape;
  uint32_t is_set;
  uint32_t call;  // of the context it was made in
};
struct TF_DimensionHandle {
  dvt_dim dim;
  uint32_t is_set;
  uint32_t call;
};

// Runs the op's shape function. Errors get " for '{{node n}} = Op[attrs](inputs)' with input shapes: [..],
// ?." appended (rule 74). INVALID_ARGUMENT "No shape inference function exists for op 'X', did you forget to
// define it?" when the op has none (rule 72). In debug mode INTERNAL for a function that used a handle of an
// earlier call or asked without end, DEADLINE_EXCEEDED for one that had to be stopped (shape_watch.h).
dvt_status dvt_shape_infer(TF_ShapeInferenceContext *ctx) DVT_NODISCARD;

#endif  // DVT_OP_SHAPE_INFERENCE_H_
