// SavedModel directories: saved_model.pb (or .pbtxt), variables/, assets/. Reading the MetaGraphDef with wanted tags, its
// signatures, its saver, its init op. Restoring runs in the session (exec layer).
#ifndef DVT_GRAPH_SAVED_MODEL_H_
#define DVT_GRAPH_SAVED_MODEL_H_

#include "base/library.h"
#include "graph/graph.h"

typedef struct dvt_signature_tensor {
  dvt_str name;         // key in the signature
  dvt_str tensor_name;  // "node:0"
  int dtype;
  int rank;             // -1 unknown
  int64_t dims[8];      // -1 unknown; only ranks <= 8 carry dims
} dvt_signature_tensor;

typedef struct dvt_signature {
  dvt_str key, method;
  dvt_signature_tensor *inputs, *outputs;  // sorted by name
  int32_t input_count, output_count;
} dvt_signature;

typedef struct dvt_saved_model {
  dvt_arena arena;
  char *directory;
  dvt_str bytes;           // saved_model.pb, owned
  dvt_str meta_graph;      // the chosen MetaGraphDef, within bytes
  dvt_str graph_def;       // its GraphDef
  dvt_signature *signatures;
  int32_t signature_count;
  dvt_str restore_op, restore_filename_tensor;  // from saver_def; len 0 = none
  dvt_str init_op;         // node name; len 0 = none
  struct { dvt_str tensor_name, file; } *assets;
  int32_t asset_count;
} dvt_saved_model;

// `tags` as TF_LoadSessionFromSavedModel (usually {"serve"}); tag_count 0 takes the only MetaGraphDef. NOT_FOUND with the
// tag sets that exist otherwise.
dvt_status dvt_saved_model_open(const char *directory, const char *const *tags, int tag_count,
                                dvt_saved_model **out_model) DVT_NODISCARD;
void dvt_saved_model_close(dvt_saved_model *model);

#endif  // DVT_GRAPH_SAVED_MODEL_H_
