// Functions: a signature (an op definition) and a body of nodes. A graph and a session hold libraries of
// them; the same TF_Function may be in several. The body is kept as its FunctionDef bytes and turned into a
// graph (a TF_Graph of its own, with one _Arg node an input and one _Retval node an output) when first
// called.
#ifndef DVT_GRAPH_FUNCTION_H_
#define DVT_GRAPH_FUNCTION_H_

#include "graph/graph.h"

struct TF_Function {
  atomic_int refs;
  dvt_str name;                 // NUL-terminated
  dvt_str proto;                // serialised FunctionDef, owned
  const dvt_op_def *signature;  // its shape function leaves all outputs unknown
  dvt_arena arena;
};
dvt_status dvt_function_from_proto(dvt_str proto,
                                   TF_Function **out_function) DVT_NODISCARD;  // copies the bytes
TF_Function *dvt_function_retain(TF_Function *function);
void dvt_function_release(TF_Function *function);
// An attr of the FunctionDef itself ("_noinline", ...); false when absent.
bool dvt_function_attr(const TF_Function *function, dvt_str name, dvt_str *out_value);
// Same meaning? (order of map entries does not count)
bool dvt_function_equal(const TF_Function *a, const TF_Function *b);

typedef struct dvt_gradient {
  dvt_str function, gradient;
} dvt_gradient;

// Reference-counted and safe for concurrent use. A function that is removed stays alive, for whoever has
// found it before, until the library goes.
struct dvt_function_library {
  atomic_int refs;
  pthread_mutex_t lock;
  dvt_map by_name;          // name -> TF_Function
  TF_Function **functions;  // in the order added; one reference each
  size_t count, capacity;
  dvt_gradient **gradients;  // in the order added; they and their names in the arena of the library
  size_t gradient_count, gradient_capacity;
  dvt_map gradient_of;  // name of a function -> dvt_gradient
  TF_Function **removed;
  size_t removed_count, removed_capacity;
  dvt_arena arena;
  atomic_size_t published_count;  // of functions, readable without the lock
};
dvt_status dvt_function_library_create(dvt_function_library **out_library) DVT_NODISCARD;
dvt_function_library *dvt_function_library_retain(dvt_function_library *library);
void dvt_function_library_release(dvt_function_library *library);
static inline size_t dvt_function_library_count(dvt_function_library *library) {
  return atomic_load_explicit(&library->published_count, memory_order_acquire);
}
// Adds a reference to `function`. ALREADY the same definition: OK. INVALID_ARGUMENT when the name holds a
// different one or is the name of an op.
dvt_status dvt_function_library_add(dvt_function_library *library, TF_Function *function) DVT_NODISCARD;
dvt_status dvt_function_library_add_gradient(dvt_function_library *library, dvt_str function,
                                             dvt_str gradient) DVT_NODISCARD;
// Every function and gradient of a serialised FunctionDefLibrary; what came before an error stays added.
dvt_status dvt_function_library_add_proto(dvt_function_library *library, dvt_str proto) DVT_NODISCARD;
dvt_status dvt_function_library_remove(dvt_function_library *library, dvt_str name) DVT_NODISCARD;
// Drops what was added after the first `count` functions and `gradient_count` gradients; nobody may have seen it.
void dvt_function_library_truncate(dvt_function_library *library, size_t count, size_t gradient_count);
TF_Function *dvt_function_library_find(const dvt_function_library *library,
                                       dvt_str name);  // borrowed or NULL
// The i-th in the order added, borrowed; NULL past the end.
TF_Function *dvt_function_library_at(const dvt_function_library *library, size_t i);
// Serialised FunctionDefLibrary fields.
void dvt_function_library_to_proto(const dvt_function_library *library, dvt_buf *out);

// The ops of a body's first and last nodes. They are not in the registry.
extern const dvt_op_def dvt_op_arg;     // "_Arg": output T; attrs T, index
extern const dvt_op_def dvt_op_retval;  // "_Retval": input T; attrs T, index

// The body as a graph, for one set of attr values of the call (`attrs` of the calling node or NameAttrList).
// Body nodes:
// `_Arg` (attrs T, index), `_Retval` (T, index), the rest as in node_def with input references ("arg",
// "node:out:0") resolved and placeholder attrs substituted. Functions it calls are found in `library` (NULL:
// none), which is shared into the graph. The caller owns the graph. `out_args`/`out_rets` (counts from the
// signature, flat) live in the graph.
typedef struct dvt_function_body {
  TF_Graph *graph;
  TF_Operation **args, **rets;
  int32_t arg_count, ret_count;
  TF_Operation **control_rets;  // nodes that must run for their effects
  int32_t control_ret_count;
} dvt_function_body;
dvt_status dvt_function_instantiate(const TF_Function *function, const dvt_attr *attrs, int attr_count,
                                    const dvt_function_library *library,
                                    dvt_function_body *out_body) DVT_NODISCARD;
void dvt_function_body_deinit(dvt_function_body *body);

// A new function from nodes of `graph`, whose lock the caller holds (TF_GraphToFunctionWithControlOutputs).
typedef struct dvt_function_spec {
  const char *name;
  bool append_hash;
  int32_t op_count;  // -1: every node that is not an input
  const TF_Operation *const *ops;
  int32_t input_count, output_count, control_output_count;
  const TF_Output *inputs, *outputs;
  const char *const *output_names;  // NULL: from the nodes
  const TF_Operation *const *control_outputs;
  const char *const *control_output_names;  // NULL: from the nodes
  const char *description;                  // may be NULL
} dvt_function_spec;
dvt_status dvt_function_from_graph(const TF_Graph *graph, const dvt_function_spec *spec,
                                   TF_Function **out_function) DVT_NODISCARD;

#endif  // DVT_GRAPH_FUNCTION_H_
