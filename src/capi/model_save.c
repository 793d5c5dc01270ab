// dvt_model_save_graph: a model's graph as a file of its own.
#include "base/schema.h"
#include "capi/model.h"
#include "graph/unfuse.h"

static bool ends_with(const char *path, const char *end) {
  size_t len = strlen(path), tail = strlen(end);
  return len >= tail && strcmp(path + len - tail, end) == 0;
}

// A GraphDef has no place for what lies in the other files of a SavedModel.
static dvt_status check_alone(const dvt_model *model) {
  const dvt_saved_model *saved = model->saved_model;
  if (saved && model->info.variable_count > 0)
    return dvt_error(TF_UNIMPLEMENTED,
                     "%s has %lld variables, which a GraphDef cannot hold. Freeze the model first, as "
                     "convert_variables_to_constants_v2 of TensorFlow's Python does.",
                     model->info.path, (long long)model->info.variable_count);
  if (saved && saved->asset_count > 0)
    return dvt_error(TF_UNIMPLEMENTED, "%s has %d assets, which a GraphDef cannot hold.", model->info.path,
                     (int)saved->asset_count);
  return NULL;
}

static dvt_status save(const dvt_model *model, const char *path) {
  if (!model || !path)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_model_save_graph: the %s is NULL.", model ? "path" : "model");
  dvt_buf plain = {0}, text = {0};
  DVT_RETURN_IF_ERROR(check_alone(model));
  dvt_status status = dvt_graph_unfuse(model->graph_def, NULL, &plain);
  bool as_text = ends_with(path, ".pbtxt");
  if (!status && as_text) status = dvt_text_print(&dvt_schema_graph_def, dvt_buf_str(&plain), false, &text);
  if (!status) status = dvt_file_write(path, dvt_buf_str(as_text ? &text : &plain));
  dvt_buf_deinit(&plain);
  dvt_buf_deinit(&text);
  return status;
}

void dvt_model_save_graph(const dvt_model *model, const char *path, TF_Status *status) {
  dvt_status_to_tf(save(model, path), status);
}
