// VersionDef: which producers and consumers a GraphDef fits.
#ifndef DVT_GRAPH_VERSIONS_H_
#define DVT_GRAPH_VERSIONS_H_

#include "graph/graph.h"

// What of the graph an import may change, to be put back if it fails.
typedef struct dvt_versions {
  int32_t producer, min_consumer;
  int32_t *bad_consumers;
  int32_t bad_consumer_count;
} dvt_versions;

// Reads a VersionDef into *out (over what it holds); its array grows in the arena.
dvt_status dvt_versions_parse(dvt_str proto, dvt_arena *arena, dvt_versions *out) DVT_NODISCARD;
// Can this library read a GraphDef of these versions? INVALID_ARGUMENT otherwise.
dvt_status dvt_versions_check(const dvt_versions *versions) DVT_NODISCARD;
dvt_versions dvt_graph_versions(const TF_Graph *graph);
void dvt_graph_set_versions(TF_Graph *graph, const dvt_versions *versions);
// What holds for a graph that took in a GraphDef of `other`: the older producer, all demands on consumers.
dvt_status dvt_graph_merge_versions(TF_Graph *graph, const dvt_versions *other) DVT_NODISCARD;
// The graph has functions now: consumers from before there were any cannot read it.
void dvt_graph_note_functions(TF_Graph *graph);

#endif  // DVT_GRAPH_VERSIONS_H_
