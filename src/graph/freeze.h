// Freezing: a GraphDef whose variables have become constants, so that it is whole without a checkpoint. What
// the wanted tensors do not depend on is left out; functions stay functions, those that take variables as
// arguments become ones that take tensors.
#ifndef DVT_GRAPH_FREEZE_H_
#define DVT_GRAPH_FREEZE_H_

#include "tensor/tensor.h"

typedef struct dvt_freeze_spec {
  const dvt_str *tensors;  // wanted, "node:0" or "node"; what they depend on is kept
  size_t tensor_count;
  const dvt_str *assets;  // nodes that hold names of files, which no graph may depend on
  size_t asset_count;
  // The present value of a variable; `out` is empty.
  dvt_status (*read)(void *arg, dvt_str container, dvt_str name, TF_Tensor *out);
  void *arg;
} dvt_freeze_spec;

// Appends the GraphDef to *out. UNIMPLEMENTED with names for what a graph without state cannot do: writing
// variables, looking up in tables that an initialiser fills, reading assets.
dvt_status dvt_graph_freeze(dvt_str graph_def, const dvt_freeze_spec *spec, dvt_buf *out) DVT_NODISCARD;

#endif  // DVT_GRAPH_FREEZE_H_
