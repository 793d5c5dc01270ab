// TensorFlow.js models: the text of a model.json, a NUL, and the bytes of every file that it names. A model
// that is accepted must be a well-formed GraphDef, and stay one when its fused nodes are taken apart.
#include <stdlib.h>

#include "base/schema.h"
#include "base/wire.h"
#include "graph/tfjs.h"
#include "graph/unfuse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static dvt_status read_same(void *arg, dvt_str path, dvt_buf *out) {
  (void)path;
  dvt_buf_append_str(out, *(const dvt_str *)arg);
  return NULL;
}

static void check_graph(dvt_str graph_def) {
  dvt_buf text = {0};
  dvt_status status = dvt_text_print(&dvt_schema_graph_def, graph_def, false, &text);
  if (status) abort();
  dvt_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
  dvt_str all = dvt_str_make((const char *)bytes, len), file = {0};
  dvt_str json = dvt_str_make(all.data, dvt_str_find(all, '\0'));
  dvt_tfjs_model *model = NULL;
  dvt_buf plain = {0};
  if (json.len < all.len) file = dvt_str_drop(all, json.len + 1);
  dvt_status status = dvt_tfjs_parse("fuzzed", json, read_same, &file, &model);
  if (!status) {
    check_graph(dvt_buf_str(&model->graph_def));
    status = dvt_graph_unfuse(dvt_buf_str(&model->graph_def), NULL, &plain);
    if (status) abort();
    check_graph(dvt_buf_str(&plain));
  }
  dvt_status_free(status);
  dvt_buf_deinit(&plain);
  dvt_tfjs_close(model);
  return 0;
}
