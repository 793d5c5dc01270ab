// TF_OperationDescription: a node under construction. Names, attrs and the device are collected in one
// buffer, which is copied into the graph's arena in one piece when the node is finished; descriptions are
// reused, so that building a node costs no allocation of its own.
#ifndef DVT_GRAPH_BUILDER_H_
#define DVT_GRAPH_BUILDER_H_

#include "graph/graph.h"

typedef struct dvt_span {  // within the description's text
  uint32_t begin, len;
} dvt_span;

typedef struct dvt_builder_attr {
  dvt_span name, value;
} dvt_builder_attr;

typedef struct dvt_builder_arg {  // one TF_AddInput or TF_AddInputList
  int32_t begin, count;           // in inputs
  bool is_list;
} dvt_builder_arg;

struct TF_OperationDescription {
  TF_Graph *graph;
  TF_OperationDescription *next_free;
  const dvt_op_def *op;  // NULL: unknown, then `error` says so
  dvt_buf text;
  dvt_span name, device;
  dvt_builder_attr *attrs;
  dvt_builder_arg *args;
  dvt_edge *inputs;
  TF_Operation **control_inputs;
  dvt_span *colocations;  // "loc:@x" strings, in the order given
  size_t attr_count, attr_capacity, arg_count, arg_capacity, input_count, input_capacity, control_count,
      control_capacity, colocation_count, colocation_capacity;
  dvt_status error;  // the first; reported when the node is finished
};

// Takes the graph's lock unless `locked`. NULL when out of memory.
TF_OperationDescription *dvt_builder_create(TF_Graph *graph, dvt_str op_type, dvt_str name, bool locked);
void dvt_builder_free_all(TF_Graph *graph);

void dvt_builder_set_device(TF_OperationDescription *desc, dvt_str device);
void dvt_builder_add_input(TF_OperationDescription *desc, dvt_edge input);
void dvt_builder_add_input_list(TF_OperationDescription *desc, const TF_Output *inputs, int count);
void dvt_builder_add_control_input(TF_OperationDescription *desc, TF_Operation *before);
void dvt_builder_add_colocation(TF_OperationDescription *desc, dvt_str prefix, dvt_str text);
void dvt_builder_clear_colocations(TF_OperationDescription *desc);
// Between begin and end the caller appends the serialised AttrValue to the buf.
dvt_buf *dvt_builder_begin_attr(TF_OperationDescription *desc, dvt_str name);
void dvt_builder_end_attr(TF_OperationDescription *desc);
// Records an error (takes it) unless there is one.
void dvt_builder_fail(TF_OperationDescription *desc, dvt_status error);

// Adds the node; the description is used up in any case. Takes the graph's lock unless `locked`.
dvt_status dvt_builder_finish(TF_OperationDescription *desc, bool locked,
                              TF_Operation **out_node) DVT_NODISCARD;

#endif  // DVT_GRAPH_BUILDER_H_
