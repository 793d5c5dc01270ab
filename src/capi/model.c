// Dovetail's model API: signatures, finding inputs and outputs by name, running. Opening is in model_open.c.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "capi/model.h"
#include "tensor/tensor_proto.h"

const char *dvt_version(void) { return DVT_VERSION; }

const dvt_model_info *dvt_model_describe(const dvt_model *model) { return model ? &model->info : NULL; }

// ---- signatures ----

int dvt_model_signature_count(const dvt_model *model) { return model ? model->signature_count : 0; }

const char *dvt_model_signature_name(const dvt_model *model, int index) {
  return model && index >= 0 && index < model->signature_count ? model->signatures[index].name : NULL;
}

const char *dvt_model_default_signature(const dvt_model *model) {
  return model ? dvt_model_signature_name(model, model->default_signature) : NULL;
}

static const dvt_model_signature *find_signature(const dvt_model *model, const char *name) {
  if (!model) return NULL;
  if (!name) return model->default_signature < 0 ? NULL : &model->signatures[model->default_signature];
  for (int i = 0; i < model->signature_count; ++i)
    if (strcmp(model->signatures[i].name, name) == 0) return &model->signatures[i];
  return NULL;
}

dvt_status dvt_model_get_signature(const dvt_model *model, const char *name,
                                   const dvt_model_signature **out) {
  *out = find_signature(model, name);
  if (*out) return NULL;
  dvt_buf names = {0};
  for (int i = 0; i < model->signature_count; ++i)
    dvt_buf_printf(&names, "%s'%s'", i ? ", " : "", model->signatures[i].name);
  dvt_status status =
      model->signature_count == 0
          ? dvt_error(TF_NOT_FOUND,
                      "the model %s has no signatures; name inputs and outputs by their tensors.",
                      model->info.path)
      : name && model->signatures[0].name[0] == '\0'
          ? dvt_error(TF_NOT_FOUND, "the model %s has no signature '%s': it is a graph without signatures.",
                      model->info.path, name)
      : name ? dvt_error(TF_NOT_FOUND, "the model %s has no signature '%s'; it has %s.", model->info.path,
                         name, names.data ? names.data : "")
             : dvt_error(TF_INVALID_ARGUMENT, "the model %s has several signatures; choose one of %s.",
                         model->info.path, names.data ? names.data : "");
  dvt_buf_deinit(&names);
  return status;
}

int dvt_model_input_count(const dvt_model *model, const char *signature) {
  const dvt_model_signature *s = find_signature(model, signature);
  return s ? s->input_count : -1;
}

int dvt_model_output_count(const dvt_model *model, const char *signature) {
  const dvt_model_signature *s = find_signature(model, signature);
  return s ? s->output_count : -1;
}

const dvt_tensor_info *dvt_model_input(const dvt_model *model, const char *signature, int index) {
  const dvt_model_signature *s = find_signature(model, signature);
  return s && index >= 0 && index < s->input_count ? &s->inputs[index].info : NULL;
}

const dvt_tensor_info *dvt_model_output(const dvt_model *model, const char *signature, int index) {
  const dvt_model_signature *s = find_signature(model, signature);
  return s && index >= 0 && index < s->output_count ? &s->outputs[index].info : NULL;
}

// ---- names ----

static bool is_same_tensor(const char *tensor, const char *name) {
  size_t len = strlen(name);
  return strcmp(tensor, name) == 0 || (strncmp(tensor, name, len) == 0 && strcmp(tensor + len, ":0") == 0);
}

// Position written as a number, or -1.
static int position_of(const char *name) {
  char *end;
  if (name[0] < '0' || name[0] > '9') return -1;
  long value = strtol(name, &end, 10);
  return *end == '\0' && value < INT32_MAX ? (int)value : -1;
}

static const dvt_model_tensor *find_listed(const dvt_model_tensor *list, int count, const char *name) {
  for (int i = 0; i < count; ++i)
    if (strcmp(list[i].info.name, name) == 0) return &list[i];
  for (int i = 0; i < count; ++i)
    if (is_same_tensor(list[i].info.tensor, name)) return &list[i];
  int position = position_of(name);
  return position >= 0 && position < count ? &list[position] : NULL;
}

// A tensor of the graph that is in no list; remembered, so that each name costs memory once. The lock is
// held.
static dvt_status find_in_graph(dvt_model *model, const char *name, const dvt_model_tensor **out) {
  for (const dvt_model_tensor *t = model->looked_up; t; t = t->next)
    if (strcmp(t->info.name, name) == 0) {
      *out = t;
      return NULL;
    }
  dvt_str node;
  int index;
  bool control;
  *out = NULL;
  if (!model->graph || !dvt_parse_tensor_name(dvt_str_from(name), &node, &index, &control) || control)
    return NULL;
  pthread_mutex_lock(&model->graph->lock);
  TF_Operation *oper = dvt_graph_find(model->graph, node);
  pthread_mutex_unlock(&model->graph->lock);
  if (!oper || index >= oper->def.output_count) return NULL;
  dvt_model_tensor *t = dvt_arena_calloc(&model->arena, 1, sizeof *t);
  dvt_buf tensor = {0};
  dvt_buf_printf(&tensor, DVT_STR_FMT ":%d", DVT_STR_ARG(node), index);
  bool ok = t && !tensor.failed;
  if (ok) {
    t->info.name = dvt_model_copy(model, dvt_str_from(name));
    t->info.tensor = dvt_model_copy(model, dvt_buf_str(&tensor));
    t->output = (TF_Output){oper, index};
    ok = t->info.name && t->info.tensor;
  }
  dvt_buf_deinit(&tensor);
  if (!ok) return dvt_error_out_of_memory(sizeof *t);
  DVT_RETURN_IF_ERROR(dvt_model_describe_output(model, t->output, &t->info));
  t->next = model->looked_up;
  model->looked_up = t;
  *out = t;
  return NULL;
}

static dvt_status no_such_name(const dvt_model *model, const dvt_model_signature *s, const char *name,
                               bool is_output) {
  const char *kind = is_output ? "output" : "input";
  dvt_nearest nearest = {.wanted = dvt_str_from(name)};
  dvt_buf names = {0};
  int count = s ? is_output ? s->output_count : s->input_count : 0, position = position_of(name);
  for (int i = 0; i < count; ++i) {
    const dvt_tensor_info *info = is_output ? &s->outputs[i].info : &s->inputs[i].info;
    if (position < 0) dvt_nearest_offer(&nearest, dvt_str_from(info->name));
    if (i < 20) dvt_buf_printf(&names, "%s'%s'", i ? ", " : "", info->name);
    if (i == 20) dvt_buf_printf(&names, ", ... (%d in all)", count);
  }
  if (count) dvt_buf_append_byte(&names, '.');
  if (position >= 0 && count) dvt_buf_printf(&names, " Positions go from 0 to %d.", count - 1);
  dvt_nearest_print(&nearest, &names);
  dvt_status status =
      !s      ? dvt_error(TF_NOT_FOUND, "the model %s has no %s '%s', and no signature that would list them.",
                          model->info.path, kind, name)
      : count ? dvt_error(TF_NOT_FOUND, "the model %s has no %s '%s'. Its %ss are %s", model->info.path, kind,
                          name, kind, names.data ? names.data : "")
              : dvt_error(TF_NOT_FOUND, "the model %s has no %s '%s'; it has no %ss at all.",
                          model->info.path, kind, name, kind);
  dvt_buf_deinit(&names);
  return status;
}

static dvt_status find_tensor(dvt_model *model, const char *signature, const char *name, bool is_output,
                              const dvt_model_tensor **out) {
  if (!model) return dvt_error(TF_INVALID_ARGUMENT, "the model is NULL; open one with dvt_model_open.");
  const dvt_model_signature *s = find_signature(model, signature);
  if (signature && !s) return dvt_model_get_signature(model, signature, &s);
  if (!name)
    return dvt_error(TF_INVALID_ARGUMENT, "the name of an %s is NULL.", is_output ? "output" : "input");
  if (s) {
    *out = is_output ? find_listed(s->outputs, s->output_count, name)
                     : find_listed(s->inputs, s->input_count, name);
    if (*out) return NULL;
  }
  pthread_mutex_lock(&model->lock);
  dvt_status status = find_in_graph(model, name, out);
  pthread_mutex_unlock(&model->lock);
  if (!status && !*out) status = no_such_name(model, s, name, is_output);
  return status;
}

static const dvt_tensor_info *find_info(dvt_model *model, const char *signature, const char *name,
                                        bool is_output, TF_Status *status) {
  const dvt_model_tensor *found = NULL;
  dvt_status result = find_tensor(model, signature, name, is_output, &found);
  const dvt_tensor_info *info = result ? NULL : &found->info;
  dvt_status_to_tf(result, status);
  return info;
}

const dvt_tensor_info *dvt_model_find_input(dvt_model *model, const char *signature, const char *name,
                                            TF_Status *status) {
  return find_info(model, signature, name, false, status);
}

const dvt_tensor_info *dvt_model_find_output(dvt_model *model, const char *signature, const char *name,
                                             TF_Status *status) {
  return find_info(model, signature, name, true, status);
}

// ---- running ----

typedef struct run {
  dvt_model *model;
  const dvt_model_signature *signature;  // may be NULL: tensor names only
  TF_Output *feeds, *fetches;
  int feed_count, fetch_count;
} run;

// As files, the command and Python have it; stock's messages about ops say float, double and half.
static const char *numpy_name(int dtype) {
  switch (dtype) {
    case TF_FLOAT:
      return "float32";
    case TF_DOUBLE:
      return "float64";
    case TF_HALF:
      return "float16";
    default:
      return dvt_dtype_name(dtype);
  }
}

static void describe_info(const dvt_tensor_info *info, dvt_buf *out) {
  dvt_buf_printf(out, "%s", info->dtype ? numpy_name((int)info->dtype) : "?");
  dvt_shape_describe(info->dims, info->rank, out);
}

static dvt_status check_value(const dvt_model *model, const dvt_tensor_info *info, const TF_Tensor *value) {
  if (!value) return dvt_error(TF_INVALID_ARGUMENT, "input '%s': its tensor is NULL.", info->name);
  bool fits =
      (info->dtype == 0 || value->dtype == (int)info->dtype) && (info->rank < 0 || value->rank == info->rank);
  const int64_t *dims = dvt_tensor_dims(value);
  for (int d = 0; fits && info->rank >= 0 && d < info->rank; ++d)
    fits = info->dims[d] < 0 || info->dims[d] == dims[d];
  if (fits) return NULL;
  dvt_buf got = {0}, want = {0};
  dvt_buf_printf(&got, "%s", numpy_name(value->dtype));
  dvt_shape_describe(dims, value->rank, &got);
  describe_info(info, &want);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT, "input '%s' of %s is %s; the model wants %s.",
                                info->name, model->info.path, got.data, want.data);
  dvt_buf_deinit(&got);
  dvt_buf_deinit(&want);
  return status;
}

static dvt_status not_in_graph(const dvt_model *model, const dvt_model_tensor *t) {
  if (t->info.tensor[0] == '\0')
    return dvt_error(TF_UNIMPLEMENTED,
                     "'%s' of %s is a sparse or composite tensor; only dense ones can be fed or fetched.",
                     t->info.name, model->info.path);
  return dvt_error(TF_INVALID_ARGUMENT, "'%s' of %s stands for the tensor '%s', which is not in its graph.",
                   t->info.name, model->info.path, t->info.tensor);
}

static bool same(TF_Output a, TF_Output b) { return a.oper == b.oper && a.index == b.index; }

static dvt_status prepare_feeds(run *r, const char *signature, const char *const *names,
                                TF_Tensor *const *values, int count) {
  for (int i = 0; i < count; ++i) {
    const dvt_model_tensor *t;
    DVT_RETURN_IF_ERROR(find_tensor(r->model, signature, names[i], false, &t));
    if (!t->output.oper) return not_in_graph(r->model, t);
    DVT_RETURN_IF_ERROR(check_value(r->model, &t->info, values[i]));
    for (int j = 0; j < i; ++j)
      if (same(r->feeds[j], t->output))
        return strcmp(names[i], names[j]) == 0
                   ? dvt_error(TF_INVALID_ARGUMENT, "input '%s' is given twice.", names[i])
                   : dvt_error(TF_INVALID_ARGUMENT, "input '%s' is given twice (also as '%s').", names[i],
                               names[j]);
    r->feeds[r->feed_count++] = t->output;
  }
  return NULL;
}

static dvt_status prepare_fetches(run *r, const char *signature, const char *const *names, int count) {
  if (!names) {
    DVT_RETURN_IF_ERROR(dvt_model_get_signature(r->model, signature, &r->signature));
    if (count != r->signature->output_count)
      return dvt_error(TF_INVALID_ARGUMENT, "room for %d outputs is given; the signature '%s' has %d.", count,
                       r->signature->name, r->signature->output_count);
  }
  for (int i = 0; i < count; ++i) {
    const dvt_model_tensor *t = names ? NULL : &r->signature->outputs[i];
    if (names) DVT_RETURN_IF_ERROR(find_tensor(r->model, signature, names[i], true, &t));
    if (!t->output.oper) return not_in_graph(r->model, t);
    r->fetches[r->fetch_count++] = t->output;
  }
  return NULL;
}

// Marks in `reached` (by node id) what the fetches depend on when the feeds are given. The graph's lock is
// held.
static void mark_needed(const run *r, uint8_t *reached, TF_Operation **stack) {
  size_t depth = 0;
  for (int i = 0; i < r->fetch_count; ++i) {
    TF_Operation *oper = r->fetches[i].oper;
    if (!reached[oper->id]) stack[depth++] = oper;
    reached[oper->id] = 1;
  }
  while (depth > 0) {
    TF_Operation *oper = stack[--depth];
    for (int i = 0; i < oper->def.input_count + oper->control_input_count; ++i) {
      bool data = i < oper->def.input_count;
      TF_Operation *from = data ? oper->inputs[i].node : oper->control_inputs[i - oper->def.input_count];
      bool fed = false;
      for (int f = 0; data && f < r->feed_count; ++f)
        fed |= same(r->feeds[f], (TF_Output){from, oper->inputs[i].index});
      if (fed || !from || reached[from->id]) continue;
      reached[from->id] = 1;
      stack[depth++] = from;
    }
  }
}

// When not all inputs of the signature are given: are those that the outputs depend on? Lists all that are
// not.
static dvt_status check_complete(const run *r) {
  const dvt_model_signature *s = r->signature;
  if (!s || r->feed_count >= s->input_count) return NULL;
  TF_Graph *graph = r->model->graph;
  dvt_buf missing = {0};
  pthread_mutex_lock(&graph->lock);
  uint8_t *reached = dvt_calloc(graph->node_count + 1, 1);
  TF_Operation **stack = dvt_calloc(graph->node_count + 1, sizeof *stack);
  if (reached && stack) mark_needed(r, reached, stack);
  for (int i = 0; reached && stack && i < s->input_count; ++i) {
    const dvt_model_tensor *t = &s->inputs[i];
    bool given = !t->output.oper;
    for (int f = 0; f < r->feed_count; ++f) given |= same(r->feeds[f], t->output);
    if (given || !reached[t->output.oper->id] || t->output.oper->def.input_count > 0) continue;
    dvt_buf_printf(&missing, "%s'%s' (", missing.len ? ", " : "", t->info.name);
    describe_info(&t->info, &missing);
    dvt_buf_append_byte(&missing, ')');
  }
  pthread_mutex_unlock(&graph->lock);
  bool failed = !reached || !stack || missing.failed;
  dvt_status status =
      failed        ? dvt_error_out_of_memory(graph->node_count)
      : missing.len ? dvt_error(TF_INVALID_ARGUMENT, "the model %s also needs the input%s %s.",
                                r->model->info.path, strstr(missing.data, "), ") ? "s" : "", missing.data)
                    : NULL;
  dvt_free(reached);
  dvt_free(stack);
  dvt_buf_deinit(&missing);
  return status;
}

static dvt_status run_session(const run *r, TF_Tensor *const *inputs, TF_Tensor **outputs) {
  dvt_run_options options;
  DVT_RETURN_IF_ERROR(dvt_run_options_parse((dvt_str){0}, &options));
  if (atomic_load_explicit(&r->model->profiling, memory_order_relaxed)) {
    options.profile = dvt_profile_new();
    if (!options.profile) return dvt_error_out_of_memory(sizeof *options.profile);
  }
  dvt_status status = dvt_session_run(r->model->session, &options, r->feeds, inputs, r->feed_count,
                                      r->fetches, outputs, r->fetch_count, NULL, 0, NULL);
  if (options.profile) dvt_model_take_profile(r->model, options.profile);
  return status;
}

#define RUN_INLINE 32  // inputs and outputs that need no heap

static dvt_status run_model(dvt_model *model, const char *signature, const char *const *input_names,
                            TF_Tensor *const *inputs, int input_count, const char *const *output_names,
                            TF_Tensor **outputs, int output_count) {
  if (!model)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_model_run: the model is NULL; open one with dvt_model_open.");
  if (!model->session)
    return dvt_error(TF_FAILED_PRECONDITION,
                     "the model %s was opened with describe_only; open it without to run it.",
                     model->info.path);
  if (input_count < 0 || output_count < 0 || (input_count && (!input_names || !inputs)) ||
      (output_count && !outputs))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "dvt_model_run: %d inputs and %d outputs, but an array for them is missing.",
                     input_count, output_count);
  TF_Output room[RUN_INLINE];
  size_t count = (size_t)input_count + (size_t)output_count;
  TF_Output *ends = count <= RUN_INLINE ? room : dvt_calloc(count, sizeof *ends);
  if (!ends) return dvt_error_out_of_memory(count * sizeof *ends);
  run r = {.model = model,
           .signature = find_signature(model, signature),
           .feeds = ends,
           .fetches = ends + input_count};
  dvt_status status = prepare_feeds(&r, signature, input_names, inputs, input_count);
  if (!status) status = prepare_fetches(&r, signature, output_names, output_count);
  if (!status) status = check_complete(&r);
  if (!status) status = run_session(&r, inputs, outputs);
  if (ends != room) dvt_free(ends);
  return status;
}

void dvt_model_run(dvt_model *model, const char *signature, const char *const *input_names,
                   TF_Tensor *const *inputs, int input_count, const char *const *output_names,
                   TF_Tensor **outputs, int output_count, TF_Status *status) {
  dvt_status_to_tf(
      run_model(model, signature, input_names, inputs, input_count, output_names, outputs, output_count),
      status);
}
