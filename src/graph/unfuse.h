// Takes pre-fused nodes apart. Web converters write convolutions and matrix products together with their bias
// and activation as one node (_FusedConv2D, FusedDepthwiseConv2dNative, _FusedMatMul, Prelu), in forms that
// other TensorFlows do not have; the same in ordinary ops runs everywhere.
#ifndef DVT_GRAPH_UNFUSE_H_
#define DVT_GRAPH_UNFUSE_H_

#include "base/buf.h"
#include "base/status.h"

// Appends the GraphDef to *out with those nodes of the graph and of its functions replaced whose op `wanted`
// (NULL: any) asks for; the last of the new nodes keeps the name. What is fused in no known way stays.
dvt_status dvt_graph_unfuse(dvt_str graph_def, bool (*wanted)(dvt_str op), dvt_buf *out) DVT_NODISCARD;
// Whether the graph or a function of it has such nodes that `wanted` asks for.
bool dvt_graph_has_fused(dvt_str graph_def, bool (*wanted)(dvt_str op));

#endif  // DVT_GRAPH_UNFUSE_H_
