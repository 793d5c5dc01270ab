// struct dvt_model and what its files share: model_open.c (reading and loading), model.c (looking up and
// running), model_graph.c (describing a GraphDef), model_needs.c (which ops it needs), model_plan.c
// (what plans make of it), model_kernels.c (which kernel a node takes), model_select.c (all kernels it may
// take), model_profile.c (times).
#ifndef DVT_CAPI_MODEL_H_
#define DVT_CAPI_MODEL_H_

#include <pthread.h>

#include "dovetail/dovetail.h"
#include "exec/report.h"
#include "exec/session.h"
#include "graph/saved_model.h"

typedef struct dvt_model_tensor {
  dvt_tensor_info info;
  TF_Output output;  // oper NULL: not in the graph, or the model is only described
  struct dvt_model_tensor *next;
} dvt_model_tensor;

typedef struct dvt_model_signature {
  const char *name;
  dvt_model_tensor *inputs, *outputs;
  int input_count, output_count;
} dvt_model_signature;

struct dvt_model {
  dvt_model_info info;
  dvt_arena arena;  // all text and arrays; under `lock` once the model is open
  pthread_mutex_t lock;
  dvt_saved_model *saved_model;  // or a GraphDef file:
  dvt_buf file;                  // its bytes, or what was made of a .pbtxt or model.json
  dvt_str graph_def;
  dvt_buf initializer;  // of model.json: a GraphDef that fills tables when the model is opened; or empty
  dvt_model_signature *signatures;
  int signature_count, default_signature;  // -1: none
  bool signature_is_made;       // of the graph's ends; they know dtypes and shapes once it is imported
  dvt_model_tensor *looked_up;  // tensors asked for by name that are in no signature
  TF_Graph *graph;              // NULL when only described
  TF_Session *session;
  dvt_op_use *ops;
  int op_count, missing_count;
  dvt_kernel_use *node_kernels;  // those that needed nodes find as they are, some more than once
  size_t node_kernel_count;
  bool ops_known;
  atomic_bool profiling;
  dvt_profile *profile;  // of the profiled run that finished last; NULL: none
};

// NAME NULL: the default. NOT_FOUND with the names that exist.
dvt_status dvt_model_get_signature(const dvt_model *model, const char *name,
                                   const dvt_model_signature **out_signature) DVT_NODISCARD;
// Makes the plan of a signature; *report is then to be deinitialised, also on failure. NAME NULL: the
// default.
dvt_status dvt_model_explain(dvt_model *model, const char *name, dvt_plan_report *report) DVT_NODISCARD;
// NUL-terminated copy in the model's arena; NULL when out of memory.
const char *dvt_model_copy(dvt_model *model, dvt_str s) DVT_NODISCARD;
// Fills info's counts from the GraphDef and, for a model without signatures, makes the one of its
// placeholders and of the nodes nobody consumes.
dvt_status dvt_model_read_graph(dvt_model *model, bool make_signature) DVT_NODISCARD;
// For a model that is only described: imports the graph for a moment to learn dtypes and shapes; what cannot
// be imported says at least what its placeholders declare.
void dvt_model_describe_ends(dvt_model *model);
// After the graph was imported: dtypes and shapes of the made signature, TF_Outputs of all.
void dvt_model_resolve(dvt_model *model);
// dtype and shape of a graph output into `info` (dims from the arena). The graph must be there.
dvt_status dvt_model_describe_output(dvt_model *model, TF_Output output, dvt_tensor_info *info) DVT_NODISCARD;
void dvt_model_take_profile(dvt_model *model, dvt_profile *profile);  // takes the reference over

// Walking a serialised GraphDef. Field numbers of the public graph.proto, node_def.proto, function.proto,
// op_def.proto.
enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, GRAPH_VERSIONS = 4, VERSIONS_PRODUCER = 1 };
enum { LIBRARY_FUNCTION = 1 };
enum { FUNCTION_SIGNATURE = 1, FUNCTION_NODE = 3, FUNCTION_RET = 4, FUNCTION_CONTROL_RET = 6, OP_NAME = 1 };
enum { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_DEVICE = 4, NODE_ATTR = 5 };
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
static inline dvt_str dvt_proto_bytes(dvt_str message, uint32_t number) {
  dvt_field field;
  return dvt_wire_find(message, number, DVT_WIRE_BYTES, &field) ? field.bytes : (dvt_str){0};
}
// The next bytes field `number`; false at the end.
static inline bool dvt_proto_next(dvt_wire *wire, uint32_t number, dvt_str *out) {
  dvt_field field;
  while (dvt_wire_next(wire, &field)) {
    if (field.number != number || field.type != DVT_WIRE_BYTES) continue;
    *out = field.bytes;
    return true;
  }
  return false;
}
// A NodeDef as kernels are looked for with: name, device and attrs, which point into `proto`. False when out
// of memory.
bool dvt_node_from_proto(dvt_str proto, const dvt_op_def *op, dvt_arena *arena, dvt_node_def *out_def);
// Does an attr stand for one of the function's own, known only when it is called?
bool dvt_node_is_generic(const dvt_node_def *def);

#endif  // DVT_CAPI_MODEL_H_
