// GraphDef import. The GraphDef's bytes are copied once into the graph; node names, attr values and strings point into that
// copy. Struct TF_ImportGraphDefOptions and TF_ImportGraphDefResults live here.
#ifndef DVT_GRAPH_IMPORT_H_
#define DVT_GRAPH_IMPORT_H_

#include "graph/graph.h"

// Imports under the graph's lock. Errors list all unknown ops at once; cycles other than v1 loops (through
// NextIteration), missing inputs, duplicate names, bad indices are INVALID_ARGUMENT naming the node. On failure the
// graph is unchanged. `options` may be NULL; `results` may be NULL.
dvt_status dvt_graph_import(TF_Graph *graph, dvt_str graph_def, const TF_ImportGraphDefOptions *options,
                            TF_ImportGraphDefResults *results) DVT_NODISCARD;

#endif  // DVT_GRAPH_IMPORT_H_
