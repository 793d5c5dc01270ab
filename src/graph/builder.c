// Building a node step by step: collects inputs and attrs, infers type and number attrs from the inputs the
// way stock's NodeDefBuilder does, and hands the whole to dvt_graph_add_node.
#include "graph/builder.h"

#include "op/registry.h"
#include "tensor/dtype.h"

static dvt_str text_at(const TF_OperationDescription *desc, dvt_span span) {
  return dvt_str_make(desc->text.data + span.begin, span.len);
}

// Appends with a NUL behind it.
static dvt_span add_text(TF_OperationDescription *desc, dvt_str s) {
  dvt_span span = {(uint32_t)desc->text.len, (uint32_t)s.len};
  dvt_buf_append_str(&desc->text, s);
  dvt_buf_append_byte(&desc->text, '\0');
  return span;
}

static void fail_memory(TF_OperationDescription *desc) { dvt_builder_fail(desc, dvt_error_out_of_memory(0)); }

void dvt_builder_fail(TF_OperationDescription *desc, dvt_status error) {
  if (desc->error)
    dvt_status_free(error);
  else
    desc->error = error;
}

enum { KEPT_TEXT_BYTES = 1 << 16 };  // a description that held a large tensor gives the memory back

static void reset(TF_OperationDescription *desc) {
  if (desc->text.capacity > KEPT_TEXT_BYTES) dvt_buf_deinit(&desc->text);
  dvt_buf_clear(&desc->text);
  dvt_status_free(desc->error);
  desc->error = NULL;
  desc->device = (dvt_span){0, 0};
  desc->attr_count = desc->arg_count = desc->input_count = desc->control_count = desc->colocation_count = 0;
}

TF_OperationDescription *dvt_builder_create(TF_Graph *graph, dvt_str op_type, dvt_str name, bool locked) {
  if (!locked) pthread_mutex_lock(&graph->lock);
  TF_OperationDescription *desc = graph->free_descriptions;
  if (desc)
    graph->free_descriptions = desc->next_free;
  else
    desc = dvt_calloc(1, sizeof *desc);
  const dvt_op_def *op = desc ? dvt_graph_find_op(graph, op_type) : NULL;
  if (!locked) pthread_mutex_unlock(&graph->lock);
  if (!desc) return NULL;
  desc->graph = graph;
  desc->op = op;
  desc->name = add_text(desc, name);
  if (!op) {
    dvt_status error = dvt_op_lookup_or_error(op_type, &desc->op);
    if (error) dvt_builder_fail(desc, dvt_error(TF_INVALID_ARGUMENT, "%s", dvt_status_message(error)));
    dvt_status_free(error);
  }
  return desc;
}

static void free_description(TF_OperationDescription *desc) {
  dvt_buf_deinit(&desc->text);
  dvt_status_free(desc->error);
  dvt_free(desc->attrs);
  dvt_free(desc->args);
  dvt_free(desc->inputs);
  dvt_free(desc->control_inputs);
  dvt_free(desc->colocations);
  dvt_free(desc);
}

void dvt_builder_free_all(TF_Graph *graph) {
  while (graph->free_descriptions) {
    TF_OperationDescription *desc = graph->free_descriptions;
    graph->free_descriptions = desc->next_free;
    free_description(desc);
  }
}

void dvt_builder_set_device(TF_OperationDescription *desc, dvt_str device) {
  desc->device = add_text(desc, device);
}

// A producer must be a node of the same graph and have that output.
static bool accept_input(TF_OperationDescription *desc, dvt_edge input) {
  if (DVT_LIKELY(input.node && input.node->graph == desc->graph && input.index >= 0 &&
                 input.index < input.node->def.output_count))
    return true;
  if (!input.node)
    dvt_builder_fail(desc, dvt_error(TF_INVALID_ARGUMENT, "an input of node '" DVT_STR_FMT "' is NULL",
                                     DVT_STR_ARG(text_at(desc, desc->name))));
  else if (input.node->graph != desc->graph)
    dvt_builder_fail(
        desc,
        dvt_error(TF_INVALID_ARGUMENT,
                  "input '" DVT_STR_FMT ":%d' of node '" DVT_STR_FMT "' is a node of another graph",
                  DVT_STR_ARG(input.node->def.name), input.index, DVT_STR_ARG(text_at(desc, desc->name))));
  else
    dvt_builder_fail(desc, dvt_error(TF_INVALID_ARGUMENT,
                                     "Node '" DVT_STR_FMT "' (type: '" DVT_STR_FMT
                                     "', num of outputs: %d) does not have output %d",
                                     DVT_STR_ARG(input.node->def.name), DVT_STR_ARG(input.node->def.op->name),
                                     input.node->def.output_count, input.index));
  return false;
}

static bool add_arg(TF_OperationDescription *desc, int count, bool is_list) {
  if (!dvt_grow((void **)&desc->args, &desc->arg_capacity, desc->arg_count + 1, sizeof *desc->args) ||
      !dvt_grow((void **)&desc->inputs, &desc->input_capacity, desc->input_count + (size_t)count,
                sizeof *desc->inputs)) {
    fail_memory(desc);
    return false;
  }
  desc->args[desc->arg_count++] = (dvt_builder_arg){(int32_t)desc->input_count, count, is_list};
  return true;
}

void dvt_builder_add_input(TF_OperationDescription *desc, dvt_edge input) {
  if (!accept_input(desc, input) || !add_arg(desc, 1, false)) return;
  desc->inputs[desc->input_count++] = input;
}

void dvt_builder_add_input_list(TF_OperationDescription *desc, const TF_Output *inputs, int count) {
  for (int i = 0; i < count; i++)
    if (!accept_input(desc, (dvt_edge){inputs[i].oper, inputs[i].index})) return;
  if (!add_arg(desc, count > 0 ? count : 0, true)) return;
  for (int i = 0; i < count; i++)
    desc->inputs[desc->input_count++] = (dvt_edge){inputs[i].oper, inputs[i].index};
}

void dvt_builder_add_control_input(TF_OperationDescription *desc, TF_Operation *before) {
  if (!before || before->graph != desc->graph) {
    dvt_builder_fail(
        desc, dvt_error(TF_INVALID_ARGUMENT, "a control input of node '" DVT_STR_FMT "' is %s",
                        DVT_STR_ARG(text_at(desc, desc->name)), before ? "a node of another graph" : "NULL"));
    return;
  }
  if (!dvt_grow((void **)&desc->control_inputs, &desc->control_capacity, desc->control_count + 1,
                sizeof *desc->control_inputs)) {
    fail_memory(desc);
    return;
  }
  desc->control_inputs[desc->control_count++] = before;
}

void dvt_builder_add_colocation(TF_OperationDescription *desc, dvt_str prefix, dvt_str text) {
  if (!dvt_grow((void **)&desc->colocations, &desc->colocation_capacity, desc->colocation_count + 1,
                sizeof *desc->colocations)) {
    fail_memory(desc);
    return;
  }
  dvt_span span = {(uint32_t)desc->text.len, (uint32_t)(prefix.len + text.len)};
  dvt_buf_append_str(&desc->text, prefix);
  add_text(desc, text);
  desc->colocations[desc->colocation_count++] = span;
}

void dvt_builder_clear_colocations(TF_OperationDescription *desc) { desc->colocation_count = 0; }

dvt_buf *dvt_builder_begin_attr(TF_OperationDescription *desc, dvt_str name) {
  if (!dvt_grow((void **)&desc->attrs, &desc->attr_capacity, desc->attr_count + 1, sizeof *desc->attrs)) {
    fail_memory(desc);
    desc->text.failed = true;
    return &desc->text;
  }
  dvt_span span = {(uint32_t)desc->text.len, (uint32_t)name.len};
  dvt_buf_append_str(&desc->text, name);
  desc->attrs[desc->attr_count] = (dvt_builder_attr){span, {(uint32_t)desc->text.len, 0}};
  return &desc->text;
}

static const dvt_builder_attr *find_attr(const TF_OperationDescription *desc, dvt_str name) {
  for (size_t i = 0; i < desc->attr_count; i++)
    if (dvt_str_eq(text_at(desc, desc->attrs[i].name), name)) return &desc->attrs[i];
  return NULL;
}

DVT_COLD static dvt_status inconsistent(dvt_str name, dvt_str first, dvt_str second) {
  dvt_buf a = {0}, b = {0};
  dvt_attr_describe(first, &a);
  dvt_attr_describe(second, &b);
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT, "Inconsistent values for attr '" DVT_STR_FMT "' %s vs. %s",
                DVT_STR_ARG(name), a.data ? a.data : "", b.data ? b.data : "");
  dvt_buf_deinit(&a);
  dvt_buf_deinit(&b);
  return status;
}

void dvt_builder_end_attr(TF_OperationDescription *desc) {
  if (desc->text.failed) return;
  dvt_builder_attr *attr = &desc->attrs[desc->attr_count];
  attr->value.len = (uint32_t)(desc->text.len - attr->value.begin);
  dvt_str name = text_at(desc, attr->name), value = text_at(desc, attr->value);
  const dvt_builder_attr *earlier = find_attr(desc, name);
  if (!earlier)
    desc->attr_count++;
  else if (!dvt_attr_equal(text_at(desc, earlier->value), value))
    dvt_builder_fail(desc, inconsistent(name, text_at(desc, earlier->value), value));
}

static void infer_type(TF_OperationDescription *desc, int16_t attr_index, int dtype) {
  dvt_attr_put_type(dvt_builder_begin_attr(desc, desc->op->attrs[attr_index].name), dtype);
  dvt_builder_end_attr(desc);
}

static int base_dtype(int dtype) {
  return dtype > DVT_DTYPE_REF_OFFSET ? dtype - DVT_DTYPE_REF_OFFSET : dtype;
}

static int input_dtype(const TF_OperationDescription *desc, int32_t i) {
  dvt_edge input = desc->inputs[i];
  return input.node->def.output_types[input.index];
}

static dvt_status check_dtypes(const TF_OperationDescription *desc, const dvt_arg_def *def,
                               const dvt_builder_arg *arg, int dtype) {
  int expected = dtype + (def->is_ref ? DVT_DTYPE_REF_OFFSET : 0);
  for (int32_t i = arg->begin; i < arg->begin + arg->count; i++) {
    int actual = input_dtype(desc, i);
    if (!dvt_dtypes_connect(expected, actual))
      return dvt_error(TF_INVALID_ARGUMENT, "Input '" DVT_STR_FMT "' passed %s expected %s",
                       DVT_STR_ARG(def->name), dvt_dtype_name(actual), dvt_dtype_name(expected));
  }
  return NULL;
}

static dvt_status check_refs(const TF_OperationDescription *desc, const dvt_arg_def *def,
                             const dvt_builder_arg *arg) {
  for (int32_t i = arg->begin; def->is_ref && i < arg->begin + arg->count; i++) {
    if (input_dtype(desc, i) <= DVT_DTYPE_REF_OFFSET)
      return dvt_error(TF_INVALID_ARGUMENT, "Input '" DVT_STR_FMT "' passed %s expected ref type",
                       DVT_STR_ARG(def->name), dvt_dtype_name(input_dtype(desc, i)));
  }
  return NULL;
}

static void infer_type_list(TF_OperationDescription *desc, const dvt_arg_def *def,
                            const dvt_builder_arg *arg) {
  enum { FEW = 64 };
  int few[FEW], *dtypes = few;
  if (arg->count > FEW && !(dtypes = dvt_malloc(sizeof *dtypes * (size_t)arg->count))) {
    fail_memory(desc);
    return;
  }
  for (int32_t i = 0; i < arg->count; i++) dtypes[i] = base_dtype(input_dtype(desc, arg->begin + i));
  dvt_attr_put_type_list(dvt_builder_begin_attr(desc, desc->op->attrs[def->type_list_attr].name), dtypes,
                         (size_t)arg->count);
  dvt_builder_end_attr(desc);
  if (dtypes != few) dvt_free(dtypes);
}

// One argument against its definition: single or list, dtypes, and the attrs that follow from it.
static dvt_status take_arg(TF_OperationDescription *desc, const dvt_arg_def *def,
                           const dvt_builder_arg *arg) {
  bool wants_list = def->number_attr >= 0 || def->type_list_attr >= 0;
  if (wants_list && !arg->is_list)
    return dvt_error(TF_INVALID_ARGUMENT, "Single tensor passed to '" DVT_STR_FMT "', expected list",
                     DVT_STR_ARG(def->name));
  if (!wants_list && arg->is_list)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "List provided to input '" DVT_STR_FMT "' when single Tensor expected",
                     DVT_STR_ARG(def->name));
  if (def->number_attr >= 0) {
    dvt_attr_put_int(dvt_builder_begin_attr(desc, desc->op->attrs[def->number_attr].name), arg->count);
    dvt_builder_end_attr(desc);
  }
  if (def->type_list_attr >= 0) {
    infer_type_list(desc, def, arg);
    return check_refs(desc, def, arg);
  }
  if (def->type_attr < 0) return check_dtypes(desc, def, arg, def->dtype);
  if (arg->count == 0) return NULL;
  int dtype = base_dtype(input_dtype(desc, arg->begin));
  infer_type(desc, def->type_attr, dtype);
  DVT_RETURN_IF_ERROR(check_refs(desc, def, arg));
  return check_dtypes(desc, def, arg, dtype);
}

static dvt_status take_args(TF_OperationDescription *desc) {
  const dvt_op_def *op = desc->op;
  if (desc->arg_count > (size_t)op->input_count)
    return dvt_error(TF_INVALID_ARGUMENT, "More Input() calls than the %d input_args", op->input_count);
  for (size_t i = 0; i < desc->arg_count; i++)
    DVT_RETURN_IF_ERROR(take_arg(desc, &op->inputs[i], &desc->args[i]));
  if (desc->arg_count < (size_t)op->input_count)
    return dvt_error(TF_INVALID_ARGUMENT, "%zu inputs specified of %d inputs in Op", desc->arg_count,
                     op->input_count);
  return NULL;
}

// The colocation groups become the list attr _class, sorted and without duplicates as stock's set gives them.
static void put_colocations(TF_OperationDescription *desc) {
  size_t count = 0;
  dvt_str *groups = dvt_malloc(sizeof *groups * desc->colocation_count);
  dvt_buf copy = {0};  // the text moves while the attr is appended to it
  dvt_buf_append(&copy, desc->text.data, desc->text.len);
  if (!groups || copy.failed) fail_memory(desc);
  for (size_t i = 0; !desc->error && i < desc->colocation_count; i++) {
    dvt_str group = dvt_str_make(copy.data + desc->colocations[i].begin, desc->colocations[i].len);
    size_t at = count;
    while (at > 0 && dvt_str_compare(groups[at - 1], group) > 0) at--;
    if (at > 0 && dvt_str_eq(groups[at - 1], group)) continue;
    memmove(groups + at + 1, groups + at, sizeof *groups * (count - at));
    groups[at] = group;
    count++;
  }
  if (!desc->error) {
    dvt_attr_put_string_list(dvt_builder_begin_attr(desc, DVT_STR("_class")), groups, count);
    dvt_builder_end_attr(desc);
  }
  dvt_buf_deinit(&copy);
  dvt_free(groups);
}

DVT_COLD static dvt_status with_context(const TF_OperationDescription *desc, dvt_status status) {
  dvt_buf op = {0};
  if (!status || dvt_status_code(status) == TF_RESOURCE_EXHAUSTED) return status;
  dvt_op_def_describe(desc->op, &op);
  status = dvt_status_annotate(status, " while building NodeDef '" DVT_STR_FMT "' using %s",
                               DVT_STR_ARG(text_at(desc, desc->name)), op.data ? op.data : "");
  dvt_buf_deinit(&op);
  return status;
}

static dvt_str moved(const char *text, dvt_span span) { return dvt_str_make(text + span.begin, span.len); }

// Stock takes any name here, and so do we; only a GraphDef's names are checked.
static dvt_status add_to_graph(TF_OperationDescription *desc, TF_Operation **out_node) {
  enum { FEW = 16 };
  TF_Graph *graph = desc->graph;
  dvt_attr few[FEW], *attrs = few;
  if (desc->text.failed || desc->text.len > UINT32_MAX) return dvt_error_out_of_memory(desc->text.len);
  char *text = dvt_arena_alloc(&graph->arena, desc->text.len);
  if (!text) return dvt_error_out_of_memory(desc->text.len);
  memcpy(text, desc->text.data, desc->text.len);
  if (desc->attr_count > FEW) {
    attrs = dvt_arena_alloc(&graph->arena, sizeof *attrs * desc->attr_count);
    if (!attrs) return dvt_error_out_of_memory(sizeof *attrs * desc->attr_count);
  }
  for (size_t i = 0; i < desc->attr_count; i++)
    attrs[i] = (dvt_attr){moved(text, desc->attrs[i].name), moved(text, desc->attrs[i].value)};
  dvt_new_node node = {.name = moved(text, desc->name),
                       .device = desc->device.len ? moved(text, desc->device) : DVT_STR(""),
                       .op = desc->op,
                       .attrs = attrs,
                       .attr_count = (int32_t)desc->attr_count,
                       .inputs = desc->inputs,
                       .input_count = (int32_t)desc->input_count,
                       .control_inputs = desc->control_inputs,
                       .control_input_count = (int32_t)desc->control_count};
  return dvt_graph_add_node(graph, &node, out_node);
}

static dvt_status finish(TF_OperationDescription *desc, TF_Operation **out_node) {
  if (desc->error) {
    dvt_status error = desc->error;
    desc->error = NULL;
    return error;
  }
  dvt_status status = take_args(desc);
  if (!status && desc->colocation_count) put_colocations(desc);
  if (!status) {
    status = desc->error;
    desc->error = NULL;
  }
  if (status) return with_context(desc, status);
  return add_to_graph(desc, out_node);
}

dvt_status dvt_builder_finish(TF_OperationDescription *desc, bool locked, TF_Operation **out_node) {
  TF_Graph *graph = desc->graph;
  if (!locked) pthread_mutex_lock(&graph->lock);
  dvt_status status = finish(desc, out_node);
  reset(desc);
  desc->next_free = graph->free_descriptions;
  graph->free_descriptions = desc;
  if (!locked) pthread_mutex_unlock(&graph->lock);
  return status;
}
