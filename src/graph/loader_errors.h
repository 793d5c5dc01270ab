// What loader.c and loader_errors.c share: nodes that wait, and the search for what is wrong once a load
// cannot go on.
#ifndef DVT_GRAPH_LOADER_ERRORS_H_
#define DVT_GRAPH_LOADER_ERRORS_H_

#include "graph/loader.h"

struct dvt_pending {
  dvt_parsed_node node;
  size_t position;   // in loader->nodes
  dvt_str *missing;  // what it waited for when it was met
  size_t name_count;
  size_t missing_count;  // how many of them are still missing
  bool done;             // taken from the heap
};

// Lists all ops of the NodeDefs that are not registered, with the number of nodes of each. NOT_FOUND.
dvt_status dvt_loader_unknown_ops(dvt_loader *loader) DVT_NODISCARD DVT_COLD;
// A clearer error than `status` (consumed) where the name of the node is the problem.
dvt_status dvt_loader_explain(dvt_loader *loader, const dvt_parsed_node *node,
                              dvt_status status) DVT_NODISCARD DVT_COLD;
// After the last NodeDef: are there nodes that still wait? An input that does not exist, or a cycle:
// INVALID_ARGUMENT.
dvt_status dvt_loader_check_all_done(dvt_loader *loader) DVT_NODISCARD;

#endif  // DVT_GRAPH_LOADER_ERRORS_H_
