// What a session makes of a model's signature: dvt_model_plan.
#include "capi/model.h"

static const char *const fates[] = {
    [DVT_FATE_RUNS] = "runs",   [DVT_FATE_CONSTANT] = "constant", [DVT_FATE_FOLDED] = "folded",
    [DVT_FATE_FUSED] = "fused", [DVT_FATE_SHARED] = "shared",     [DVT_FATE_UNNEEDED] = "unneeded"};

static const char *put_text(char **at, dvt_str s) {
  char *text = *at;
  if (s.len) memcpy(text, s.data, s.len);
  text[s.len] = '\0';
  *at += s.len + 1;
  return text;
}

// One block: the array, then its text.
static dvt_planned_node *to_nodes(const dvt_plan_report *report) {
  size_t bytes = (report->count + 1) * sizeof(dvt_planned_node);
  for (size_t i = 0; i < report->count; ++i) {
    const dvt_report_entry *e = &report->entries[i];
    bytes += e->node.len + e->op.len + e->plugin.len + e->into.len + e->made_of.len + 5;
  }
  dvt_planned_node *nodes = dvt_malloc(bytes);
  if (!nodes) return NULL;
  char *text = (char *)(nodes + report->count + 1);
  for (size_t i = 0; i < report->count; ++i) {
    const dvt_report_entry *e = &report->entries[i];
    nodes[i] = (dvt_planned_node){.node = put_text(&text, e->node),
                                  .op = put_text(&text, e->op),
                                  .plugin = put_text(&text, e->plugin),
                                  .fate = fates[e->fate],
                                  .into = e->into.len ? put_text(&text, e->into) : NULL,
                                  .made_of = e->made_of.len ? put_text(&text, e->made_of) : NULL};
  }
  return nodes;
}

// The ends of the signature that are in the graph.
static int ends_of(const dvt_model_tensor *tensors, int count, TF_Output *out) {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    bool twice = false;
    for (int k = 0; k < found; ++k)
      twice |= out[k].oper == tensors[i].output.oper && out[k].index == tensors[i].output.index;
    if (tensors[i].output.oper && !twice) out[found++] = tensors[i].output;
  }
  return found;
}

dvt_status dvt_model_explain(dvt_model *model, const char *name, dvt_plan_report *report) {
  const dvt_model_signature *s;
  if (!model)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_model_plan: the model is NULL; open one with dvt_model_open.");
  if (!model->session)
    return dvt_error(TF_FAILED_PRECONDITION,
                     "the model %s was opened with describe_only; open it without to plan it.",
                     model->info.path);
  DVT_RETURN_IF_ERROR(dvt_model_get_signature(model, name, &s));
  size_t count = (size_t)s->input_count + (size_t)s->output_count + 1;
  TF_Output *feeds = dvt_calloc(count, sizeof *feeds), *fetches = feeds + s->input_count;
  if (!feeds) return dvt_error_out_of_memory(count * sizeof *feeds);
  int feed_count = ends_of(s->inputs, s->input_count, feeds),
      fetch_count = ends_of(s->outputs, s->output_count, fetches);
  dvt_status status = dvt_session_explain(model->session, feeds, feed_count, fetches, fetch_count, report);
  dvt_free(feeds);
  return status;
}

int dvt_model_plan(dvt_model *model, const char *signature, dvt_planned_node **out_nodes, TF_Status *status) {
  dvt_plan_report report = {0};
  dvt_planned_node *nodes = NULL;
  int count = 0;
  dvt_status failure = dvt_model_explain(model, signature, &report);
  if (!failure) {
    nodes = to_nodes(&report);
    if (nodes)
      count = (int)report.count;
    else
      failure = dvt_error_out_of_memory(report.count * sizeof *nodes);
  }
  dvt_report_deinit(&report);
  if (!failure) *out_nodes = nodes;
  dvt_status_to_tf(failure, status);
  return count;
}

void dvt_planned_nodes_free(dvt_planned_node *nodes) { dvt_free(nodes); }
