// Functions: a signature (an op definition) and a body of nodes. A graph and a session hold libraries of them; the same
// TF_Function may be in several. The body is kept as its FunctionDef bytes and turned into a graph (a TF_Graph of its own,
// with one _Arg node an input and one _Retval node an output) when first called.
#ifndef DVT_GRAPH_FUNCTION_H_
#define DVT_GRAPH_FUNCTION_H_

#include "graph/graph.h"

struct TF_Function {
  atomic_int refs;
  dvt_str name;
  dvt_str proto;            // serialised FunctionDef, owned
  const dvt_op_def *signature;
  dvt_arena arena;
};
dvt_status dvt_function_from_proto(dvt_str proto, TF_Function **out_function) DVT_NODISCARD;  // copies the bytes
TF_Function *dvt_function_retain(TF_Function *function);
void dvt_function_release(TF_Function *function);

struct dvt_function_library {
  dvt_map by_name;             // name -> TF_Function (one reference)
  dvt_map gradients;           // function name -> gradient function name (char*, arena)
  dvt_arena arena;
};
// ALREADY the same definition: OK. INVALID_ARGUMENT when the name holds a different one.
dvt_status dvt_function_library_add(dvt_function_library *library, TF_Function *function) DVT_NODISCARD;
TF_Function *dvt_function_library_find(const dvt_function_library *library, dvt_str name);  // borrowed or NULL
// Serialised FunctionDefLibrary fields.
void dvt_function_library_to_proto(const dvt_function_library *library, dvt_buf *out);

// The body as a graph, for one set of attr values of the call (`attrs` of the calling node or NameAttrList). Body nodes:
// `_Arg` (attrs T, index), `_Retval` (T, index), the rest as in node_def with input references ("arg", "node:out:0")
// resolved and placeholder attrs substituted. Functions it calls are found in `library`, which is shared into the
// graph. The caller owns the graph. `out_args`/`out_rets` (counts from the signature, flat) live in the graph.
typedef struct dvt_function_body {
  TF_Graph *graph;
  TF_Operation **args, **rets;
  int32_t arg_count, ret_count;
  TF_Operation **control_rets;  // nodes that must run for their effects
  int32_t control_ret_count;
} dvt_function_body;
dvt_status dvt_function_instantiate(const TF_Function *function, const dvt_attr *attrs, int attr_count,
                                    const dvt_function_library *library, dvt_function_body *out_body) DVT_NODISCARD;
void dvt_function_body_deinit(dvt_function_body *body);

#endif  // DVT_GRAPH_FUNCTION_H_
