// A session on a SavedModel: the graph imported, the variables restored from the checkpoint by the model's
// own restore op, the init op run.
#include <unistd.h>

#include "exec/session.h"
#include "graph/import.h"
#include "tensorflow/c/tf_tstring.h"

typedef struct loader {
  const dvt_saved_model *model;
  TF_Session *session;
  TF_Graph *graph;
  const dvt_run_options *options;
  TF_Output *feeds;  // the checkpoint's name, then the assets
  TF_Tensor **values;
  int count;
} loader;

static dvt_status string_scalar(dvt_str text, TF_Tensor **out_tensor) {
  TF_Tensor *t = dvt_tensor_handle_new();
  if (!t) return dvt_error_out_of_memory(sizeof *t);
  dvt_status status = dvt_tensor_init_allocate(t, TF_STRING, NULL, 0);
  if (!status) {
    TF_TString_Copy(t->data, text.data, text.len);
    if (TF_TString_GetSize(t->data) != text.len) status = dvt_error_out_of_memory(text.len);
  }
  if (status)
    dvt_tensor_handle_delete(t);
  else
    *out_tensor = t;
  return status;
}

static dvt_status find_op(const loader *l, dvt_str name, const char *what, TF_Operation **out_op) {
  pthread_mutex_lock(&l->graph->lock);
  TF_Operation *op = dvt_graph_find(l->graph, name);
  pthread_mutex_unlock(&l->graph->lock);
  if (!op)
    return dvt_error(TF_NOT_FOUND,
                     "the %s in '%s' names '" DVT_STR_FMT "' as its %s, but its graph has no such node",
                     l->model->kind, l->model->directory, DVT_STR_ARG(name), what);
  *out_op = op;
  return NULL;
}

static dvt_status add_feed(loader *l, dvt_str tensor_name, const char *what, dvt_str text) {
  dvt_str node;
  int index = 0;
  bool control = false;
  TF_Operation *op;
  if (!dvt_parse_tensor_name(tensor_name, &node, &index, &control) || control)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "the %s in '%s' names '" DVT_STR_FMT "' as its %s, which is no tensor name",
                     l->model->kind, l->model->directory, DVT_STR_ARG(tensor_name), what);
  DVT_RETURN_IF_ERROR(find_op(l, node, what, &op));
  DVT_RETURN_IF_ERROR(string_scalar(text, &l->values[l->count]));
  l->feeds[l->count++] = (TF_Output){op, index};
  return NULL;
}

static dvt_status add_asset(loader *l, const dvt_saved_model_asset *asset) {
  dvt_buf path = {0};
  dvt_buf_printf(&path, "%s/assets/" DVT_STR_FMT, l->model->directory, DVT_STR_ARG(asset->file));
  dvt_status status = path.failed ? dvt_error_out_of_memory(path.len)
                                  : add_feed(l, asset->tensor_name, "asset tensor", dvt_buf_str(&path));
  dvt_buf_deinit(&path);
  return status;
}

static dvt_status run_op(const loader *l, dvt_str name, const char *what, int first_feed) {
  TF_Operation *op;
  DVT_RETURN_IF_ERROR(find_op(l, name, what, &op));
  const TF_Operation *target = op;
  dvt_status status = dvt_session_run(l->session, l->options, l->feeds + first_feed, l->values + first_feed,
                                      l->count - first_feed, NULL, NULL, 0, &target, 1, NULL);
  return status ? dvt_status_annotate(status, "\n\t while running the %s of the %s in '%s'", what,
                                      l->model->kind, l->model->directory)
                : NULL;
}

static bool has_checkpoint(const char *prefix) {
  dvt_buf path = {0};
  dvt_buf_printf(&path, "%s.index", prefix);
  bool found = !path.failed && access(path.data, R_OK) == 0;
  dvt_buf_deinit(&path);
  return found;
}

// Without a checkpoint the model has no variables and nothing is restored. The checkpoint's name is feed 0.
static dvt_status restore(loader *l, int *out_first_asset) {
  const dvt_saved_model *model = l->model;
  bool wanted =
      model->restore_op.len && model->restore_filename_tensor.len && has_checkpoint(model->checkpoint);
  if (wanted)
    DVT_RETURN_IF_ERROR(add_feed(l, model->restore_filename_tensor, "checkpoint name tensor",
                                 dvt_str_from(model->checkpoint)));
  *out_first_asset = l->count;
  for (int32_t i = 0; i < model->asset_count; i++) DVT_RETURN_IF_ERROR(add_asset(l, &model->assets[i]));
  return wanted ? run_op(l, model->restore_op, "restore op", 0) : NULL;
}

static dvt_status initialise(loader *l) {
  int first_asset = 0;
  DVT_RETURN_IF_ERROR(restore(l, &first_asset));
  return l->model->init_op.len ? run_op(l, l->model->init_op, "init op", first_asset) : NULL;
}

static dvt_status import(TF_Graph *graph, const dvt_saved_model *model) {
  pthread_mutex_lock(&graph->lock);
  dvt_status status =
      graph->node_count > 0
          ? dvt_error(TF_INVALID_ARGUMENT, "Graph is non-empty: a SavedModel is loaded into a new graph")
          : dvt_graph_import(graph, model->graph_def, NULL, NULL);
  pthread_mutex_unlock(&graph->lock);
  return status;
}

dvt_status dvt_session_load_saved_model(const dvt_saved_model *model, const TF_SessionOptions *options,
                                        const dvt_run_options *run_options, TF_Graph *graph,
                                        TF_Session **out_session) {
  if (!graph) return dvt_error(TF_INVALID_ARGUMENT, "a SavedModel is loaded into a graph, got NULL");
  DVT_RETURN_IF_ERROR(import(graph, model));
  loader l = {.model = model, .graph = graph, .options = run_options};
  DVT_RETURN_IF_ERROR(dvt_session_create(graph, options, &l.session));
  size_t most = (size_t)model->asset_count + 1;
  l.feeds = dvt_calloc(most, sizeof *l.feeds);
  l.values = dvt_calloc(most, sizeof *l.values);
  dvt_status status = l.feeds && l.values ? initialise(&l) : dvt_error_out_of_memory(most * sizeof *l.feeds);
  for (int i = 0; i < l.count; i++) dvt_tensor_handle_delete(l.values[i]);
  dvt_free(l.feeds);
  dvt_free(l.values);
  if (status)
    dvt_session_destroy(l.session);
  else
    *out_session = l.session;
  return status;
}
