// dvt_model_save_graph: a model's graph as a file of its own.
#include "base/schema.h"
#include "capi/model.h"
#include "graph/freeze.h"
#include "graph/unfuse.h"
#include "tensorflow/c/tf_tstring.h"

static bool ends_with(const char *path, const char *end) {
  size_t len = strlen(path), tail = strlen(end);
  return len >= tail && strcmp(path + len - tail, end) == 0;
}

// ---- SavedModels: what lies in their other files becomes constants ----

typedef struct source {
  const dvt_model *model;
  TF_Graph *graph;      // of `session`
  TF_Session *session;  // made when a model that is only described has to tell the value of a variable
} source;

// Whether the init op put the path of an asset into this variable.
static bool holds_asset(const dvt_saved_model *saved, const TF_Tensor *value) {
  if (value->dtype != TF_STRING || value->rank != 0) return false;
  dvt_buf path = {0};
  bool found = false;
  for (int32_t i = 0; i < saved->asset_count && !found; ++i) {
    dvt_buf_clear(&path);
    dvt_buf_printf(&path, "%s/assets/" DVT_STR_FMT, saved->directory, DVT_STR_ARG(saved->assets[i].file));
    const TF_TString *text = value->data;
    found = dvt_str_eq(dvt_buf_str(&path),
                       dvt_str_make(TF_TString_GetDataPointer(text), TF_TString_GetSize(text)));
  }
  dvt_buf_deinit(&path);
  return found;
}

static dvt_status read_variable(void *arg, dvt_str container, dvt_str name, TF_Tensor *out) {
  source *from = arg;
  const dvt_saved_model *saved = from->model->saved_model;
  if (!from->model->session && !from->session) {
    DVT_RETURN_IF_ERROR(dvt_graph_create(&from->graph));
    DVT_RETURN_IF_ERROR(dvt_session_load_saved_model(saved, NULL, NULL, from->graph, &from->session));
  }
  const TF_Session *session = from->session ? from->session : from->model->session;
  DVT_RETURN_IF_ERROR(dvt_session_variable(session, container, name, out));
  if (!holds_asset(saved, out)) return NULL;
  dvt_tensor_reset(out);
  return dvt_error(TF_UNIMPLEMENTED,
                   "the variable '" DVT_STR_FMT
                   "' holds the path of a file among the model's assets, which a "
                   "GraphDef cannot hold.",
                   DVT_STR_ARG(name));
}

// Signatures whose tensors are kept: the default one, or all when there is none.
static void wanted_signatures(const dvt_model *model, int *out_first, int *out_count) {
  bool one = model->default_signature >= 0;
  *out_first = one ? model->default_signature : 0;
  *out_count = one ? 1 : model->signature_count;
}

static dvt_status freeze(const dvt_model *model, dvt_buf *out) {
  const dvt_saved_model *saved = model->saved_model;
  int first, count;
  wanted_signatures(model, &first, &count);
  size_t room = (size_t)saved->asset_count;
  for (int i = 0; i < count; ++i)
    room += (size_t)(model->signatures[first + i].input_count + model->signatures[first + i].output_count);
  dvt_str *names = dvt_calloc(room + 1, sizeof *names);
  if (!names) return dvt_error_out_of_memory(room * sizeof *names);
  source from = {.model = model};
  dvt_freeze_spec spec = {.tensors = names, .read = read_variable, .arg = &from};
  for (int i = 0; i < count; ++i) {
    const dvt_model_signature *s = &model->signatures[first + i];
    for (int k = 0; k < s->input_count + s->output_count; ++k) {
      const dvt_model_tensor *t = k < s->input_count ? &s->inputs[k] : &s->outputs[k - s->input_count];
      dvt_str name = dvt_str_from(t->info.tensor);
      if (name.len) names[spec.tensor_count++] = name;
    }
  }
  spec.assets = names + spec.tensor_count;
  for (; spec.asset_count < (size_t)saved->asset_count; ++spec.asset_count)
    names[spec.tensor_count + spec.asset_count] = saved->assets[spec.asset_count].tensor_name;
  dvt_status status = dvt_graph_freeze(model->graph_def, &spec, out);
  dvt_free(names);
  dvt_session_destroy(from.session);
  dvt_graph_release(from.graph);
  return status;
}

static dvt_status save(const dvt_model *model, const char *path) {
  if (!model || !path)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_model_save_graph: the %s is NULL.", model ? "path" : "model");
  dvt_buf frozen = {0}, plain = {0}, text = {0};
  dvt_str graph_def = model->graph_def;
  dvt_status status = NULL;
  if (model->saved_model && model->signature_count > 0) {
    status = freeze(model, &frozen);
    graph_def = dvt_buf_str(&frozen);
    if (status) status = dvt_status_annotate(status, "\n\t (while freezing %s)", model->info.path);
  }
  if (!status) status = dvt_graph_unfuse(graph_def, NULL, &plain);
  bool as_text = ends_with(path, ".pbtxt");
  if (!status && as_text) status = dvt_text_print(&dvt_schema_graph_def, dvt_buf_str(&plain), false, &text);
  if (!status) status = dvt_file_write(path, dvt_buf_str(as_text ? &text : &plain));
  dvt_buf_deinit(&frozen);
  dvt_buf_deinit(&plain);
  dvt_buf_deinit(&text);
  return status;
}

void dvt_model_save_graph(const dvt_model *model, const char *path, TF_Status *status) {
  dvt_status_to_tf(save(model, path), status);
}
