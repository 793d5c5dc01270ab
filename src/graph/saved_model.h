// SavedModel directories: saved_model.pb (or .pbtxt), variables/, assets/; and what came before them, a file NAME.meta
// beside a checkpoint NAME. Reading the MetaGraphDef with wanted tags, its signatures, its saver, its init op. Restoring
// runs in the session (exec layer).
#ifndef DVT_GRAPH_SAVED_MODEL_H_
#define DVT_GRAPH_SAVED_MODEL_H_

#include "base/library.h"
#include "graph/graph.h"

typedef struct dvt_signature_tensor {
  dvt_str name;         // key in the signature
  dvt_str tensor_name;  // "node:0"; len 0 when the tensor is sparse or composite (several tensors)
  int dtype;
  int rank;         // -1 unknown
  int64_t dims[8];  // -1 unknown; only ranks <= 8 carry dims
} dvt_signature_tensor;

typedef struct dvt_signature {
  dvt_str key, method;
  dvt_signature_tensor *inputs, *outputs;  // sorted by name
  int32_t input_count, output_count;
} dvt_signature;

typedef struct dvt_saved_model_asset {
  dvt_str tensor_name, file;  // the file's name within assets/
} dvt_saved_model_asset;

typedef struct dvt_saved_model {
  dvt_arena arena;
  const char *kind;           // "SavedModel" or "meta graph"
  const char *file_name;      // "saved_model.pb", or "the file" of a meta graph
  char *directory;            // of a meta graph: the file
  char *checkpoint;           // where the variables are: prefix of the names of the files, which need not exist
  dvt_str bytes;              // serialised SavedModel; of a meta graph, itself
  dvt_str meta_graph;         // the chosen MetaGraphDef, within bytes
  dvt_str graph_def;          // its GraphDef
  dvt_str *tags;              // of the chosen MetaGraphDef
  dvt_str writer_version;     // the TensorFlow that wrote it, e.g. "2.4.1"; may be empty
  dvt_signature *signatures;  // sorted by key; the init op's pseudo-signature is not among them
  int32_t signature_count, tag_count;
  dvt_str restore_op, restore_filename_tensor;  // from saver_def; len 0 = none
  dvt_str init_op;                              // node name; len 0 = none
  dvt_saved_model_asset *assets;
  int32_t asset_count;
  dvt_buf file;  // what `bytes` lies in: a .pb, or what was made of a .pbtxt
} dvt_saved_model;

// `tags` as TF_LoadSessionFromSavedModel (usually {"serve"}); tag_count 0 takes the only MetaGraphDef.
// NOT_FOUND with the tag sets that exist otherwise.
dvt_status dvt_saved_model_open(const char *directory, const char *const *tags, int tag_count,
                                dvt_saved_model **out_model) DVT_NODISCARD;
// The same from the bytes of a saved_model.pb, which must outlive the model; `directory` is used in messages
// only.
dvt_status dvt_saved_model_parse(const char *directory, dvt_str bytes, const char *const *tags, int tag_count,
                                 dvt_saved_model **out_model) DVT_NODISCARD;
// A file NAME.meta, as tf.compat.v1.train.Saver writes it: a MetaGraphDef. Without signatures, as a rule.
dvt_status dvt_meta_graph_open(const char *path, dvt_saved_model **out_model) DVT_NODISCARD;
bool dvt_is_meta_graph_path(const char *path);
void dvt_saved_model_close(dvt_saved_model *model);

#endif  // DVT_GRAPH_SAVED_MODEL_H_
