// What the files of the TensorFlow.js reader share.
#ifndef DVT_GRAPH_TFJS_INTERNAL_H_
#define DVT_GRAPH_TFJS_INTERNAL_H_

#include "base/json_reader.h"
#include "base/map.h"
#include "graph/tfjs.h"

typedef enum tfjs_code {  // how the values of a weight are stored
  TFJS_PLAIN,             // as its dtype; strings as 4 bytes of length and the bytes
  TFJS_UINT8,             // value * scale + min
  TFJS_UINT16,
  TFJS_FLOAT16,
} tfjs_code;

typedef struct tfjs_weight {
  dvt_str name, bytes;
  int dtype;  // of the values when decoded
  tfjs_code code;
  double scale, min;
  const int64_t *dims;
  int rank;
  int64_t count;
  bool used;
} tfjs_weight;

typedef struct tfjs_reader {
  const char *path;  // of model.json
  dvt_json json;
  dvt_tfjs_read read;
  void *arg;
  dvt_arena arena;
  dvt_buf *groups;  // the contents of each group's files, one behind the other; the weights are slices
  size_t group_count, group_capacity;
  tfjs_weight **weights;
  size_t weight_count, weight_capacity;
  dvt_map by_name;
  dvt_map files;  // paths read so far
} tfjs_reader;

// INVALID_ARGUMENT "PATH: <message>".
dvt_status tfjs_error(const tfjs_reader *r, const char *format, ...) DVT_PRINTF(2, 3) DVT_NODISCARD DVT_COLD;

// The value of "weightsManifest" at the cursor, and the files it names.
dvt_status tfjs_manifest_read(tfjs_reader *r) DVT_NODISCARD;
// Bytes that the weight takes at the start of `rest`, checked against what is there.
dvt_status tfjs_weight_size(const tfjs_reader *r, const tfjs_weight *w, dvt_str rest,
                            size_t *out_bytes) DVT_NODISCARD;
// Appends a TensorProto of `dtype` with the weight's values.
dvt_status tfjs_weight_to_proto(const tfjs_reader *r, const tfjs_weight *w, int dtype,
                                dvt_buf *out) DVT_NODISCARD;
// Appends the GraphDef `topology` with every weight as the value of the Const node of its name.
dvt_status tfjs_graph_fill(tfjs_reader *r, dvt_str topology, bool all_used, dvt_buf *out) DVT_NODISCARD;
// The same for the graph of "modelInitializer". Its functions, which converters write whether they are called
// or not, are left out: those of the model stand for them.
dvt_status tfjs_initializer_fill(tfjs_reader *r, dvt_str initializer, dvt_buf *out) DVT_NODISCARD;

#endif  // DVT_GRAPH_TFJS_INTERNAL_H_
