// GraphDef import. The GraphDef's bytes are copied once into the graph; node names, attr values and strings
// point into that copy. Struct TF_ImportGraphDefOptions and TF_ImportGraphDefResults live here.
#ifndef DVT_GRAPH_IMPORT_H_
#define DVT_GRAPH_IMPORT_H_

#include "graph/graph.h"

// An input "name:index" (index -1: "^name") of the GraphDef that is taken from the graph instead.
typedef struct dvt_import_mapping {
  dvt_str name;
  int32_t index;
  int32_t id;                       // position in the options
  dvt_edge source;                  // index -1 for control
  struct dvt_import_mapping *next;  // of the same name
} dvt_import_mapping;

typedef struct dvt_import_return {
  dvt_str name;
  int32_t index;
} dvt_import_return;

struct TF_ImportGraphDefOptions {
  dvt_arena arena;  // every string and array element below
  dvt_str prefix;   // empty, or with '/' at the end
  dvt_str default_device;
  bool uniquify_names, uniquify_prefix;
  bool validate_colocation;  // true from TF_NewImportGraphDefOptions
  dvt_import_mapping **mappings;
  size_t mapping_count, mapping_capacity;
  dvt_map mappings_by_name;  // name -> first dvt_import_mapping
  TF_Operation **control_dependencies;
  size_t control_dependency_count, control_dependency_capacity;
  dvt_import_return *return_outputs, *return_nodes;  // `index` unused in return_nodes
  size_t return_output_count, return_output_capacity, return_node_count, return_node_capacity;
  bool failed;  // a setter ran out of memory; the import says so
};
void dvt_import_options_init(TF_ImportGraphDefOptions *options);
void dvt_import_options_deinit(TF_ImportGraphDefOptions *options);
void dvt_import_options_map_input(TF_ImportGraphDefOptions *options, dvt_str name, int index,
                                  dvt_edge source);
void dvt_import_options_add_return_output(TF_ImportGraphDefOptions *options, dvt_str name, int index);
void dvt_import_options_add_return_node(TF_ImportGraphDefOptions *options, dvt_str name);
void dvt_import_options_add_control_dependency(TF_ImportGraphDefOptions *options, TF_Operation *node);
void dvt_import_options_set_prefix(TF_ImportGraphDefOptions *options, dvt_str prefix);
void dvt_import_options_set_default_device(TF_ImportGraphDefOptions *options, dvt_str device);

struct TF_ImportGraphDefResults {
  dvt_arena arena;
  TF_Output *return_outputs;
  TF_Operation **return_nodes;
  const char **missing_names;  // mappings whose key the GraphDef does not have
  int *missing_indexes;
  int32_t return_output_count, return_node_count, missing_count;
};

// Imports; the caller holds the graph's lock. Errors list all unknown ops at once; cycles other than v1 loops
// (through NextIteration), missing inputs, duplicate names, bad indices are INVALID_ARGUMENT naming the node.
// On failure the graph is unchanged. `options` may be NULL; `results` (zeroed, its arena released by the
// caller) may be NULL.
dvt_status dvt_graph_import(TF_Graph *graph, dvt_str graph_def, const TF_ImportGraphDefOptions *options,
                            TF_ImportGraphDefResults *results) DVT_NODISCARD;

#endif  // DVT_GRAPH_IMPORT_H_
