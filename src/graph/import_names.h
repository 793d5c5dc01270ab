// What becomes of names when a GraphDef is imported: prefix, names made unique, colocation groups that
// follow.
#ifndef DVT_GRAPH_IMPORT_NAMES_H_
#define DVT_GRAPH_IMPORT_NAMES_H_

#include "graph/import.h"
#include "graph/loader.h"

typedef struct dvt_import_names {
  const TF_ImportGraphDefOptions *options;
  TF_Graph *graph;
  dvt_str prefix;             // "p/", made unique if asked; empty = none
  bool uniquify;              // every name that the graph has already gets a suffix
  dvt_map in_def;             // names of the GraphDef, if uniquify
  dvt_scopes scopes_in_def;   // and their scopes
  TF_Operation **with_class;  // nodes with colocation groups
  size_t with_class_count, with_class_capacity;
} dvt_import_names;

// Chooses the loader's map of names. `loader` has its list of nodes.
dvt_status dvt_import_names_begin(dvt_import_names *names, TF_Graph *graph,
                                  const TF_ImportGraphDefOptions *options, dvt_loader *loader) DVT_NODISCARD;
// Refuses a name that is taken where names are not to be changed.
dvt_status dvt_import_names_check(const dvt_import_names *names, const dvt_loader *loader,
                                  const dvt_parsed_node *node) DVT_NODISCARD;
dvt_status dvt_import_names_rename(dvt_import_names *names, const dvt_loader *loader,
                                   const dvt_parsed_node *node, dvt_new_node *new_node) DVT_NODISCARD;
dvt_status dvt_import_names_note_class(dvt_import_names *names, TF_Operation *op) DVT_NODISCARD;
// After the last node: colocation groups get the new names; groups of unknown nodes are an error if
// validated.
dvt_status dvt_import_names_finish(dvt_import_names *names, const dvt_loader *loader) DVT_NODISCARD;
void dvt_import_names_deinit(dvt_import_names *names);

// Is `name` that of a node or of a scope of nodes ("a" and "a/b" for "a/b/c")? The graph's lock is held.
dvt_status dvt_graph_name_is_taken(TF_Graph *graph, dvt_str name, bool *out_taken) DVT_NODISCARD;

#endif  // DVT_GRAPH_IMPORT_NAMES_H_
