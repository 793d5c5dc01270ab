// What the files of freezing share: freeze.c (what is kept), freeze_flow.c (which tensors are variables),
// freeze_write.c (nodes and functions without them).
#ifndef DVT_GRAPH_FREEZE_INTERNAL_H_
#define DVT_GRAPH_FREEZE_INTERNAL_H_

#include "base/arena.h"
#include "base/map.h"
#include "base/wire.h"
#include "graph/freeze.h"

// Field numbers of the public graph.proto, node_def.proto, function.proto, op_def.proto, attr_value.proto.
enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, LIBRARY_FUNCTION = 1 };
enum { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_DEVICE = 4, NODE_ATTR = 5 };
enum {
  FUNCTION_SIGNATURE = 1,
  FUNCTION_NODE = 3,
  FUNCTION_RET = 4,
  FUNCTION_ATTR = 5,
  FUNCTION_ARG_ATTR = 7
};
enum { FUNCTION_RESOURCE_ARG_ID = 8 };
enum {
  OP_NAME = 1,
  OP_INPUT = 2,
  OP_OUTPUT = 3,
  ARG_NAME = 1,
  ARG_TYPE = 3,
  ARG_HANDLE = 7,
  ARG_FULL_TYPE = 17
};
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2, ATTR_LIST = 1, LIST_SHAPE = 7, SHAPE_UNKNOWN_RANK = 3 };

// A variable that is made a constant. A tensor "is" this variable when its one element is the handle of it.
typedef struct dvt_frozen {
  int dtype;
  dvt_str container, name;
} dvt_frozen;

// What an op does with handles of variables.
typedef enum dvt_handle_use {
  DVT_USE_UNKNOWN,  // nothing that a constant could stand for
  DVT_USE_VARIABLE,
  DVT_USE_PASS,
  DVT_USE_PASS_LIST,
  DVT_USE_MERGE,
  DVT_USE_CALL,
  DVT_USE_LOOP,
  DVT_USE_BRANCH,
  DVT_USE_CASE,
  DVT_USE_NAMED_CALL,
  DVT_USE_READ,
  DVT_USE_GATHER,
  DVT_USE_GATHER_ND,
  DVT_USE_SHAPE,
  DVT_USE_IS_SET,
  DVT_USE_NOTHING,
} dvt_handle_use;

typedef struct dvt_freeze_node {
  dvt_str proto, name, op;
  dvt_str *inputs;  // data inputs, then control inputs
  size_t input_count, data_count;
  dvt_handle_use use;
  bool is_wanted, is_known;  // is_known: `value` has been looked for
  const dvt_frozen *value;   // of nodes that hand on one handle
} dvt_freeze_node;

// The graph itself, or a function for one choice of arguments that are variables.
typedef struct dvt_freeze_scope dvt_freeze_scope;
struct dvt_freeze_scope {
  dvt_str proto;              // GraphDef or FunctionDef
  dvt_str source_name, name;  // of a function: before and now; empty for the graph
  dvt_freeze_node *nodes;
  size_t node_count;
  dvt_map by_name;
  dvt_str *arg_names, *ret_names;
  const dvt_frozen **args;  // NULL: no variable
  size_t arg_count, ret_count;
  int *ret_dtypes;
  bool has_frozen_args, is_looking;  // is_looking: for what a result is
  dvt_freeze_scope *next;
};

typedef struct dvt_freezer {
  const dvt_freeze_spec *spec;
  dvt_arena arena;
  dvt_map functions;  // name -> dvt_str, the FunctionDef
  dvt_freeze_scope graph, *first, *last;
  dvt_map variables;  // container/name -> dvt_frozen
  dvt_buf refused;    // what cannot be frozen, for the message
  int refused_count;
} dvt_freezer;

static inline dvt_str dvt_freeze_bytes(dvt_str message, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(message, number, DVT_WIRE_BYTES, &field) ? field.bytes : (dvt_str){0};
}
// The attr's AttrValue; data NULL when absent.
dvt_str dvt_freeze_attr(dvt_str node, const char *name);
dvt_handle_use dvt_freeze_use_of(const dvt_freezer *f, dvt_str op);

// Reads nodes, arguments and results into a scope whose `proto` is set.
dvt_status dvt_freeze_scope_read(dvt_freezer *f, dvt_freeze_scope *scope) DVT_NODISCARD;
// The node that an input or result of the scope refers to and which of its outputs; NULL for an argument, for
// a control input, and when there is none.
dvt_freeze_node *dvt_freeze_producer(const dvt_freeze_scope *scope, dvt_str ref, dvt_str *out_output);
// The variable that the input or result `ref` of a scope is; *out NULL when it is none.
dvt_status dvt_freeze_value(dvt_freezer *f, dvt_freeze_scope *scope, dvt_str ref,
                            const dvt_frozen **out) DVT_NODISCARD;
// The variables that the node's data inputs from `first` on are; the array belongs to the arena.
dvt_status dvt_freeze_inputs(dvt_freezer *f, dvt_freeze_scope *scope, const dvt_freeze_node *node,
                             size_t first, const dvt_frozen ***out_values, size_t *out_count) DVT_NODISCARD;
// The function for these arguments; *out NULL when the library has none of this name.
dvt_status dvt_freeze_instance(dvt_freezer *f, dvt_str name, const dvt_frozen **args, size_t arg_count,
                               dvt_freeze_scope **out) DVT_NODISCARD;
// What result `index` of a function is.
dvt_status dvt_freeze_result(dvt_freezer *f, dvt_freeze_scope *scope, size_t index,
                             const dvt_frozen **out) DVT_NODISCARD;
// The names in an attr of one function or of a list of them, one a call; false at the end.
bool dvt_freeze_next_function(dvt_wire *wire, dvt_str *out_name);
dvt_wire dvt_freeze_functions_of(dvt_str attr_value);

// Appends the node, or those that take its place, as field `number` of what is being written.
dvt_status dvt_freeze_write_node(dvt_freezer *f, dvt_freeze_scope *scope, dvt_freeze_node *node,
                                 uint32_t number, dvt_buf *out) DVT_NODISCARD;
dvt_status dvt_freeze_write_function(dvt_freezer *f, dvt_freeze_scope *scope, dvt_buf *out) DVT_NODISCARD;

#endif  // DVT_GRAPH_FREEZE_INTERNAL_H_
