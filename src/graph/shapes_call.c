// Inference through calls: bodies of functions, branches, and loops to a fixed point. A body is made once in
// a run, and inferred for each call with what is known of the arguments there.
#include "graph/node_parse.h"
#include "graph/shapes_internal.h"
#include "op/shape_algebra.h"

enum { MAX_DEPTH = 32, MAX_PASSES = 64, MAX_BRANCHES = 256, CALL_COST = 64 };

typedef struct called_body {
  dvt_function_body body;
  dvt_graph_net net;
  dvt_str name;
} called_body;

dvt_shape_kind dvt_shape_kind_of(const dvt_op_def *op, const dvt_function_library *functions) {
  static const struct {
    const char *name;
    dvt_shape_kind kind;
  } kinds[] = {{"Const", DVT_SHAPE_CONST},
               {"_Arg", DVT_SHAPE_ARG},
               {"Merge", DVT_SHAPE_MERGE},
               {"RefMerge", DVT_SHAPE_MERGE},
               {"Enter", DVT_SHAPE_ENTER},
               {"RefEnter", DVT_SHAPE_ENTER},
               {"PartitionedCall", DVT_SHAPE_CALL},
               {"StatefulPartitionedCall", DVT_SHAPE_CALL},
               {"If", DVT_SHAPE_IF},
               {"StatelessIf", DVT_SHAPE_IF},
               {"Case", DVT_SHAPE_CASE},
               {"StatelessCase", DVT_SHAPE_CASE},
               {"While", DVT_SHAPE_WHILE},
               {"StatelessWhile", DVT_SHAPE_WHILE}};
  for (size_t i = 0; i < DVT_COUNT_OF(kinds); i++) {
    if (!dvt_str_eq(op->name, dvt_str_from(kinds[i].name))) continue;
    return functions || kinds[i].kind < DVT_SHAPE_CALL ? kinds[i].kind : DVT_SHAPE_PLAIN;
  }
  return functions && dvt_function_library_find(functions, op->name) ? DVT_SHAPE_FUNCTION : DVT_SHAPE_PLAIN;
}

// ---- bodies ----

// The attrs of a NameAttrList.
static dvt_status read_attrs(dvt_shape_run *run, dvt_str list, dvt_attr **out_attrs, int *out_count) {
  dvt_wire wire = dvt_wire_open(list);
  dvt_field field;
  int count = 0;
  while (dvt_wire_next(&wire, &field)) count += field.number == 2 && field.type == DVT_WIRE_BYTES;
  dvt_attr *attrs = dvt_arena_alloc(&run->keys, (size_t)count * sizeof *attrs);
  if (!attrs) return dvt_error_out_of_memory((size_t)count * sizeof *attrs);
  *out_count = 0;
  wire = dvt_wire_open(list);
  while (dvt_wire_next(&wire, &field)) {
    dvt_attr *attr = &attrs[*out_count];
    if (field.number == 2 && field.type == DVT_WIRE_BYTES)
      *out_count += dvt_parse_map_entry(field.bytes, &attr->name, &attr->value);
  }
  *out_attrs = attrs;
  return NULL;
}

static dvt_status make_body(dvt_shape_run *run, dvt_str name, const dvt_attr *attrs, int attr_count,
                            called_body *body) {
  const TF_Function *function = dvt_function_library_find(run->functions, name);
  if (!function)
    return dvt_error(TF_NOT_FOUND, "function '" DVT_STR_FMT "' is not in the graph's library",
                     DVT_STR_ARG(name));
  body->name = function->name;
  DVT_RETURN_IF_ERROR(dvt_function_instantiate(function, attrs, attr_count, run->functions, &body->body));
  return dvt_graph_net_init(&body->net, body->body.graph);
}

static void destroy_body(called_body *body) {
  dvt_graph_net_deinit(&body->net);
  if (body->body.graph) dvt_function_body_deinit(&body->body);
}

// `key` tells functions with other attrs apart.
static dvt_status find_body(dvt_shape_run *run, dvt_str key, dvt_str name, const dvt_attr *attrs,
                            int attr_count, called_body **out_body) {
  dvt_str kept;
  *out_body = dvt_map_get(&run->bodies, key);
  if (*out_body) return NULL;
  called_body *body = dvt_arena_calloc(&run->keys, 1, sizeof *body);
  if (!body || !dvt_arena_copy_str(&run->keys, key, &kept)) return dvt_error_out_of_memory(sizeof *body);
  dvt_status status = make_body(run, name, attrs, attr_count, body);
  if (!status && !dvt_map_put(&run->bodies, kept, body)) status = dvt_error_out_of_memory(sizeof *body);
  if (status)
    destroy_body(body);
  else
    *out_body = body;
  return status;
}

// The body of the function that a NameAttrList names.
static dvt_status body_of_list(dvt_shape_run *run, dvt_str list, called_body **out_body) {
  dvt_field name = {0};
  dvt_attr *attrs;
  int count;
  *out_body = dvt_map_get(&run->bodies, list);
  if (*out_body) return NULL;
  dvt_wire_find(list, 1, DVT_WIRE_BYTES, &name);
  DVT_RETURN_IF_ERROR(read_attrs(run, list, &attrs, &count));
  return find_body(run, list, name.bytes, attrs, count, out_body);
}

// The node's op is the function, its attrs are the call's.
static dvt_status body_of_node(dvt_shape_run *run, const dvt_node_def *node, called_body **out_body) {
  dvt_buf key = {0};
  dvt_buf_append_str(&key, node->op->name);
  for (int32_t i = 0; i < node->attr_count; i++) {
    dvt_buf_append_byte(&key, '\0');
    dvt_buf_append_str(&key, node->attrs[i].name);
    dvt_buf_append_byte(&key, '\0');
    dvt_buf_append_str(&key, node->attrs[i].value);
  }
  dvt_status status =
      key.failed ? dvt_error_out_of_memory(key.len)
                 : find_body(run, dvt_buf_str(&key), node->op->name, node->attrs, node->attr_count, out_body);
  dvt_buf_deinit(&key);
  return status;
}

void dvt_shape_run_deinit(dvt_shape_run *run) {
  size_t cursor = 0;
  dvt_str key;
  void *body;
  while (dvt_map_next(&run->bodies, &cursor, &key, &body)) destroy_body(body);
  dvt_map_deinit(&run->bodies);
  dvt_arena_deinit(&run->keys);
  dvt_arena_deinit(&run->scratch);
  dvt_free(run->joins);
}

// ---- one call ----

static dvt_known known_at(const dvt_shapes *s, const TF_Operation *ret) {
  dvt_edge source = ret->inputs[0];
  if (!source.node) return (dvt_known){0};
  int32_t at = s->first_output[source.node->id] + source.index;
  return (dvt_known){s->outputs[at], s->handles[at], s->values[at]};
}

// `rets` gets the body's results, of which the caller wants `ret_count`.
static dvt_status run_body(dvt_shape_pass *caller, called_body *called, const dvt_known *args,
                           int32_t arg_count, bool report, dvt_known *rets, int32_t ret_count) {
  dvt_shape_run *run = caller->run;
  dvt_net net = called->net.net;
  dvt_shapes shapes = {0};
  dvt_status status = dvt_shapes_begin(&net, 0, &shapes);
  shapes.arena = run->arena;
  dvt_shape_pass *pass = status ? NULL : dvt_calloc(1, sizeof *pass);
  if (!status && !pass) status = dvt_error_out_of_memory(sizeof *pass);
  dvt_arena scratch = run->scratch;  // the caller's node is still at work in it
  run->scratch = (dvt_arena){0};
  run->depth++;
  run->nodes_left -= net.node_count + CALL_COST;
  if (!status) {
    *pass = (dvt_shape_pass){.run = run,
                             .net = &net,
                             .shapes = &shapes,
                             .function = called->name,
                             .args = args,
                             .arg_count = arg_count};
    status = dvt_shape_pass_run(pass);
    if (!status && report) status = dvt_shape_pass_report(pass);
  }
  for (int32_t i = 0; !status && i < ret_count && i < called->body.ret_count; i++)
    rets[i] = known_at(&shapes, called->body.rets[i]);
  if (!status && report && run->listener->body)
    run->listener->body(run->listener->arg, called->name, called->body.graph, &shapes);
  run->depth--;
  dvt_arena_deinit(&run->scratch);
  run->scratch = scratch;
  if (pass) dvt_shape_pass_deinit(pass);
  dvt_free(pass);
  dvt_shapes_deinit(&shapes);
  return status;
}

// Whether the body may be followed: calls in calls may be endless, or far too many.
static bool may_follow(const dvt_shape_run *run, const called_body *called) {
  return run->depth < MAX_DEPTH && called->net.net.node_count + CALL_COST <= run->nodes_left;
}

static dvt_status call_list(dvt_shape_pass *pass, dvt_str list, const dvt_known *args, int32_t arg_count,
                            bool report, dvt_known *rets, int32_t ret_count) {
  called_body *called = NULL;
  for (int32_t i = 0; i < ret_count; i++) rets[i] = (dvt_known){0};
  DVT_RETURN_IF_ERROR(body_of_list(pass->run, list, &called));
  return may_follow(pass->run, called) ? run_body(pass, called, args, arg_count, report, rets, ret_count)
                                       : NULL;
}

static dvt_known *new_known(dvt_shape_pass *pass, int32_t count) {
  return dvt_arena_calloc(&pass->run->scratch, (size_t)count + 1, sizeof(dvt_known));
}

// The NameAttrList of an attr.
static dvt_status func_attr(const dvt_node_def *node, const char *attr, dvt_str *out_list) {
  dvt_str value, name;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(node, dvt_str_from(attr), &value));
  return dvt_attr_get_func(value, &name, out_list);
}

// Branch after branch; the results are what all have in common.
static dvt_status join_branches(dvt_shape_pass *pass, const dvt_node_def *node, const dvt_str *lists,
                                int count, const dvt_known *args, bool report, dvt_known *outputs) {
  dvt_known *rets = new_known(pass, node->output_count);
  int64_t owner = ++pass->run->last_owner;
  bool changed = false;
  if (!rets) return dvt_error_out_of_memory((size_t)node->output_count * sizeof *rets);
  for (int i = 0; i < count; i++) {
    dvt_known *to = i ? rets : outputs;
    DVT_RETURN_IF_ERROR(
        call_list(pass, lists[i], args + 1, node->input_count - 1, report, to, node->output_count));
    for (int32_t k = 0; i && k < node->output_count; k++)
      DVT_RETURN_IF_ERROR(dvt_known_join(pass->run, owner, &outputs[k], rets[k], &changed));
  }
  return NULL;
}

static dvt_status infer_if(dvt_shape_pass *pass, const dvt_node_def *node, const dvt_known *args, bool report,
                           dvt_known *outputs) {
  dvt_str branches[2];
  DVT_RETURN_IF_ERROR(func_attr(node, "then_branch", &branches[0]));
  DVT_RETURN_IF_ERROR(func_attr(node, "else_branch", &branches[1]));
  return join_branches(pass, node, branches, 2, args, report, outputs);
}

static dvt_status infer_case(dvt_shape_pass *pass, const dvt_node_def *node, const dvt_known *args,
                             bool report, dvt_known *outputs) {
  dvt_str value, branches[MAX_BRANCHES + 1];
  dvt_attr_list list;
  int count = 0;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(node, DVT_STR("branches"), &value));
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_FUNC, &list));
  while (count <= MAX_BRANCHES && dvt_attr_list_next(&list, NULL, &branches[count])) count++;
  return count > MAX_BRANCHES ? NULL : join_branches(pass, node, branches, count, args, report, outputs);
}

// What enters and what comes round, until the latter brings nothing new.
static dvt_status infer_while(dvt_shape_pass *pass, const dvt_node_def *node, bool report,
                              dvt_known *outputs) {
  int32_t count = DVT_MIN(node->input_count, node->output_count);
  dvt_known *rets = new_known(pass, count);
  dvt_str cond, body;
  int64_t owner = ++pass->run->last_owner;
  bool changed = true;
  DVT_RETURN_IF_ERROR(func_attr(node, "cond", &cond));
  DVT_RETURN_IF_ERROR(func_attr(node, "body", &body));
  if (!rets) return dvt_error_out_of_memory((size_t)count * sizeof *rets);
  for (int i = 0; changed && i < MAX_PASSES; i++) {
    changed = false;
    DVT_RETURN_IF_ERROR(call_list(pass, body, outputs, count, false, rets, count));
    for (int32_t k = 0; k < count; k++)
      DVT_RETURN_IF_ERROR(dvt_known_join(pass->run, owner, &outputs[k], rets[k], &changed));
  }
  if (changed)
    for (int32_t k = 0; k < count; k++) outputs[k] = (dvt_known){0};
  if (!report) return NULL;
  DVT_RETURN_IF_ERROR(call_list(pass, cond, outputs, count, true, rets, 1));
  return call_list(pass, body, outputs, count, true, rets, count);
}

static dvt_status infer_function(dvt_shape_pass *pass, const dvt_node_def *node, const dvt_known *args,
                                 bool report, dvt_known *outputs) {
  called_body *called = NULL;
  DVT_RETURN_IF_ERROR(body_of_node(pass->run, node, &called));
  if (!may_follow(pass->run, called)) return NULL;
  return run_body(pass, called, args, node->input_count, report, outputs, node->output_count);
}

static dvt_status follow(dvt_shape_pass *pass, const dvt_node_def *node, dvt_shape_kind kind, bool report,
                         dvt_known *outputs) {
  dvt_str list;
  dvt_known *args = new_known(pass, node->input_count);
  if (!args) return dvt_error_out_of_memory((size_t)node->input_count * sizeof *args);
  for (int32_t i = 0; i < node->input_count; i++) args[i] = dvt_shape_pass_input(pass, i);
  switch (kind) {
    case DVT_SHAPE_IF:
      return infer_if(pass, node, args, report, outputs);
    case DVT_SHAPE_CASE:
      return infer_case(pass, node, args, report, outputs);
    case DVT_SHAPE_WHILE:
      memcpy(outputs, args, sizeof *args * (size_t)DVT_MIN(node->input_count, node->output_count));
      return infer_while(pass, node, report, outputs);
    case DVT_SHAPE_FUNCTION:
      return infer_function(pass, node, args, report, outputs);
    default:
      DVT_RETURN_IF_ERROR(func_attr(node, "f", &list));
      return call_list(pass, list, args, node->input_count, report, outputs, node->output_count);
  }
}

// What the node's attr `output_shapes` claims.
static dvt_status take_claims(dvt_shape_pass *pass, const dvt_node_def *node, dvt_known *outputs) {
  dvt_str value, proto;
  dvt_attr_list list;
  dvt_shape claim;
  if (!dvt_node_attr(node, DVT_STR("output_shapes"), &value)) return NULL;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_SHAPE, &list));
  for (int32_t i = 0; i < node->output_count && dvt_attr_list_next(&list, NULL, &proto); i++) {
    DVT_RETURN_IF_ERROR(dvt_shape_of_proto(pass->run->arena, proto, &claim));
    DVT_RETURN_IF_ERROR(dvt_shape_take_hint(pass->run, outputs[i].shape, claim, &outputs[i].shape));
  }
  return NULL;
}

dvt_status dvt_shape_call(dvt_shape_pass *pass, const dvt_node_def *node, dvt_shape_kind kind, bool report,
                          dvt_known *outputs) {
  dvt_status status = follow(pass, node, kind, report, outputs);
  if (status) {
    if (dvt_status_code(status) == TF_RESOURCE_EXHAUSTED) return status;
    dvt_shape_pass_failed(pass, node, status);
    dvt_status_free(status);
    for (int32_t i = 0; i < node->output_count; i++) outputs[i] = (dvt_known){0};
  }
  status = take_claims(pass, node, outputs);
  if (!status || dvt_status_code(status) == TF_RESOURCE_EXHAUSTED) return status;
  dvt_shape_pass_failed(pass, node, status);
  dvt_status_free(status);
  return NULL;
}
