// dvt_node_def: a node as kernels, shape functions and the plan see it: name, op, attrs, device, dtypes of
// its flat inputs and outputs. The graph's TF_Operation and function bodies embed one; memory belongs to
// their arena.
#ifndef DVT_OP_NODE_DEF_H_
#define DVT_OP_NODE_DEF_H_

#include "op/op_def.h"

typedef struct dvt_node_def {
  dvt_str name;
  dvt_str device;  // as requested; may be empty
  const dvt_op_def *op;
  dvt_attr *attrs;  // as given; defaults are looked up in the op
  int32_t attr_count;
  int32_t input_count, output_count;    // flat: lists expanded
  int16_t *input_types, *output_types;  // dtypes; +100 for refs
} dvt_node_def;

// The node's value for the attr, or the op's default; false when neither exists. Internal attrs ("_kernel")
// are found too. *out_value points into the node or the op.
bool dvt_node_attr(const dvt_node_def *node, dvt_str name, dvt_str *out_value);
// NOT_FOUND "No attr named 'x' in NodeDef:\n\t [[{{node n}}]]" when absent.
dvt_status dvt_node_attr_or_error(const dvt_node_def *node, dvt_str name, dvt_str *out_value) DVT_NODISCARD;

// Checks attrs against the op (missing, kind, minimum, allowed values: rule 71; unknown attrs are logged and
// kept) and fills input_count, output_count and the dtype arrays from the arena. Errors carry "; NodeDef:
// {{node n}}; Op<...>".
dvt_status dvt_node_resolve(dvt_node_def *node, dvt_arena *arena) DVT_NODISCARD;
// Flat range of a named argument; INVALID_ARGUMENT "Unknown input name: x" when absent.
dvt_status dvt_node_input_range(const dvt_node_def *node, dvt_str name, int *out_start,
                                int *out_stop) DVT_NODISCARD;
dvt_status dvt_node_output_range(const dvt_node_def *node, dvt_str name, int *out_start,
                                 int *out_stop) DVT_NODISCARD;
// Number of flat elements of argument `arg` (inputs or outputs of the op), from the attrs.
dvt_status dvt_node_arg_count(const dvt_node_def *node, const dvt_arg_def *arg, int *out_count) DVT_NODISCARD;
// UNIMPLEMENTED "Op X is not available in GraphDef version V. It has been removed in version D. text" (rule
// 68).
dvt_status dvt_op_check_deprecation(const dvt_op_def *op, int graph_def_version) DVT_NODISCARD;

// Serialised NodeDef: name, op, inputs (`input_names` has one for each; NULL: none are written), device, attrs
// with defaults filled in (rule 133).
void dvt_node_to_proto(const dvt_node_def *node, const dvt_str *input_names, dvt_str device, dvt_buf *out);
// "{{node n}} = Op[T=DT_FLOAT]", for messages; the names of the inputs are the graph's to add.
void dvt_node_describe(const dvt_node_def *node, dvt_buf *out);

#define DVT_GRAPH_DEF_VERSION 2474  // producer version of 2.21.0 (rule 176)
#define DVT_GRAPH_DEF_MIN_CONSUMER 0

#endif  // DVT_OP_NODE_DEF_H_
