// TensorFlow.js graph models: model.json (a GraphDef in JSON, signatures, a manifest of weights) and the
// binary files the manifest names. Reading one gives the bytes of a GraphDef whose Const nodes hold the
// weights, so that the rest of the runtime sees an ordinary frozen graph. tfjs.c reads model.json,
// tfjs_manifest.c the manifest and its files, tfjs_weight.c decodes values, tfjs_graph.c puts them into the
// graph.
#ifndef DVT_GRAPH_TFJS_H_
#define DVT_GRAPH_TFJS_H_

#include "graph/saved_model.h"

typedef struct dvt_tfjs_model {
  dvt_buf graph_def;
  dvt_saved_model *about;  // its one signature, "serving_default", if model.json has one; who wrote it
  int64_t weight_count, weight_bytes;  // bytes as stored, quantised
  dvt_buf initializer;  // a GraphDef whose nodes, run once before all else, fill the graph's tables; or empty
  dvt_buf about_bytes;
} dvt_tfjs_model;

// Appends the contents of the file `path`, as the manifest writes it, to *out.
typedef dvt_status (*dvt_tfjs_read)(void *arg, dvt_str path, dvt_buf *out);

// `path` is a model.json, whatever its name, or the folder that holds one of that name. Errors name the file
// and the place in it, or the weight: NOT_FOUND for missing files, INVALID_ARGUMENT for everything malformed.
dvt_status dvt_tfjs_open(const char *path, dvt_tfjs_model **out_model) DVT_NODISCARD;
// The same from text. `path` is used in messages only.
dvt_status dvt_tfjs_parse(const char *path, dvt_str json, dvt_tfjs_read read, void *arg,
                          dvt_tfjs_model **out_model) DVT_NODISCARD;
void dvt_tfjs_close(dvt_tfjs_model *model);

#endif  // DVT_GRAPH_TFJS_H_
