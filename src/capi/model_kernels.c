// dvt_model_explain_kernel: which kernel the nodes of a name take, and why not another. Works on the bytes of
// the GraphDef, because a graph with unknown ops cannot be imported.
#include "base/nearest.h"
#include "capi/model.h"
#include "kernel/registry.h"
#include "op/registry.h"
#include "plugin/plugin.h"

// What is handed out: the rows follow, everything that they point to is in the arena.
typedef struct listing {
  dvt_arena arena;
  dvt_kernel_choice rows[];
} listing;

typedef struct search {
  dvt_model *model;
  dvt_str wanted;
  dvt_arena arena;  // becomes the listing's
  dvt_kernel_choice *rows;
  size_t count, capacity;
  dvt_map functions;  // name -> anything
  dvt_nearest nearest;
  bool failed;  // out of memory
} search;

// The text as a C string in the arena; empties *text.
static const char *keep(search *s, dvt_buf *text) {
  dvt_str copy;
  dvt_buf_append_byte(text, '\0');
  bool ok = !text->failed && dvt_arena_copy_str(&s->arena, dvt_buf_str(text), &copy);
  dvt_buf_deinit(text);
  s->failed |= !ok;
  return ok ? copy.data : "";
}

static const char *keep_str(search *s, dvt_str str) {
  dvt_buf text = {0};
  dvt_buf_append_str(&text, str);
  return keep(s, &text);
}

// ---- candidates ----

typedef struct candidates {
  search *search;
  const dvt_node_def *node;
  dvt_str device_type;
  dvt_kernel_candidate *rows;
  size_t count, capacity;
  dvt_buf attrs;  // of the node, those that kernels constrain
  dvt_map named;  // those already in `attrs`
} candidates;

static void put_types(const dvt_kernel_constraint *c, const char *last_separator, dvt_buf *out) {
  for (int i = 0; i < c->dtype_count; ++i)
    dvt_buf_printf(out, "%s%s",
                   i == 0                    ? ""
                   : i == c->dtype_count - 1 ? last_separator
                                             : ", ",
                   dvt_dtype_name(c->dtypes[i]));
}

// "float" for a single dtype, else as messages show it.
static void put_value(dvt_str value, dvt_buf *out) {
  int dtype;
  dvt_status status = dvt_attr_get_type(value, &dtype);
  if (status)
    dvt_attr_describe(value, out);
  else
    dvt_buf_append_str(out, dvt_str_from(dvt_dtype_name(dtype)));
  dvt_status_free(status);
}

static void put_mismatch(const dvt_kernel_candidate_fit *fit, dvt_buf *out) {
  dvt_buf_printf(out, DVT_STR_FMT " is ", DVT_STR_ARG(fit->constraint->attr));
  put_value(fit->value, out);
  dvt_buf_append_str(out, DVT_STR(", wanted is "));
  put_types(fit->constraint, " or ", out);
}

static void put_why(const candidates *c, const dvt_kernel_candidate_fit *fit, dvt_buf *out) {
  switch (fit->fit) {
    case DVT_KERNEL_TAKEN:
      dvt_buf_append_str(out, DVT_STR("taken"));
      break;
    case DVT_KERNEL_OTHER_DEVICE:
      dvt_buf_printf(out, "it is for " DVT_STR_FMT " devices, wanted is " DVT_STR_FMT,
                     DVT_STR_ARG(fit->def->device_type), DVT_STR_ARG(c->device_type));
      break;
    case DVT_KERNEL_OTHER_LABEL:
      dvt_buf_printf(out, "its label is '" DVT_STR_FMT "', which the node's attr _kernel does not ask for",
                     DVT_STR_ARG(fit->def->label));
      break;
    case DVT_KERNEL_ATTR_MISMATCH:
      put_mismatch(fit, out);
      break;
    case DVT_KERNEL_BAD_CONSTRAINT:
      dvt_buf_printf(out, "it constrains " DVT_STR_FMT ", %s", DVT_STR_ARG(fit->constraint->attr),
                     fit->value.len ? "which is no dtype: " : "which the node does not have");
      if (fit->value.len) dvt_attr_describe(fit->value, out);
      break;
    case DVT_KERNEL_LOWER_PRIORITY:
      dvt_buf_append_str(out, DVT_STR("it fits, but another has a higher priority"));
      break;
    case DVT_KERNEL_TIED:
      dvt_buf_append_str(out, DVT_STR("it fits, and another has the same right"));
      break;
    case DVT_KERNEL_DEFAULT_UNUSED:
      dvt_buf_append_str(
          out, DVT_STR("it fits, but DEFAULT kernels are for devices without a kernel of their own"));
      break;
  }
}

// "T = float" for each attr that a kernel constrains, once.
static void note_attrs(candidates *c, const dvt_kernel_def *def) {
  for (int i = 0; i < def->constraint_count; ++i) {
    dvt_str name = def->constraints[i].attr, value;
    if (dvt_map_get(&c->named, name) || !dvt_node_attr(c->node, name, &value)) continue;
    c->search->failed |= !dvt_map_put(&c->named, name, c);
    dvt_buf_printf(&c->attrs, "%s" DVT_STR_FMT " = ", c->attrs.len ? ", " : "", DVT_STR_ARG(name));
    put_value(value, &c->attrs);
  }
}

static void add_candidate(void *arg, const dvt_kernel_candidate_fit *fit) {
  candidates *c = arg;
  search *s = c->search;
  const dvt_kernel_def *def = fit->def;
  dvt_buf constraints = {0}, why = {0};
  for (int i = 0; i < def->constraint_count; ++i) {
    dvt_buf_printf(&constraints, "%s" DVT_STR_FMT " in {", i ? ", " : "",
                   DVT_STR_ARG(def->constraints[i].attr));
    put_types(&def->constraints[i], ", ", &constraints);
    dvt_buf_append_byte(&constraints, '}');
  }
  put_why(c, fit, &why);
  note_attrs(c, def);
  dvt_kernel_candidate row = {.device = keep_str(s, def->device_type),
                              .constraints = keep(s, &constraints),
                              .label = keep_str(s, def->label),
                              .plugin = keep_str(s, dvt_str_from(def->plugin ? def->plugin->name : "")),
                              .priority = def->priority,
                              .is_taken = fit->fit == DVT_KERNEL_TAKEN,
                              .why = keep(s, &why)};
  if (dvt_grow((void **)&c->rows, &c->capacity, c->count + 1, sizeof *c->rows))
    c->rows[c->count++] = row;
  else
    s->failed = true;
}

// The candidates move into the arena.
static void keep_candidates(candidates *c, dvt_kernel_choice *choice) {
  search *s = c->search;
  dvt_kernel_candidate *rows = dvt_arena_calloc(&s->arena, c->count + 1, sizeof *rows);
  s->failed |= !rows;
  if (rows && c->count) memcpy(rows, c->rows, c->count * sizeof *rows);
  choice->candidates = rows;
  choice->candidate_count = rows ? (int)c->count : 0;
  choice->attrs = keep(s, &c->attrs);
  dvt_free(c->rows);
  dvt_map_deinit(&c->named);
}

// ---- one node ----

// As sessions place nodes: a device that is not here is replaced by the CPU.
static dvt_str device_type_of(const dvt_node_def *def) {
  const dvt_device *device = dvt_device_cpu();
  if (def->device.len) dvt_status_free(dvt_device_find(def->device, &device));
  return device->type;
}

// The plugin of the candidate that was taken; consumes the status.
static const char *outcome_of(search *s, dvt_status status, const candidates *c) {
  const char *plugin = "";
  for (size_t i = 0; c && i < c->count; ++i)
    if (c->rows[i].is_taken) plugin = c->rows[i].plugin;
  dvt_buf text = {0};
  if (status)
    dvt_buf_append_str(&text, dvt_str_from(dvt_status_message(status)));
  else if (*plugin)
    dvt_buf_printf(&text, "a kernel of plugin %s", plugin);
  else
    dvt_buf_append_str(&text, DVT_STR("a kernel of the program itself"));
  dvt_status_free(status);
  return keep(s, &text);
}

static void explain(search *s, dvt_str proto, const dvt_op_def *op, dvt_kernel_choice *choice) {
  dvt_arena arena = {0};
  dvt_node_def def;
  dvt_str label;
  const dvt_kernel_def *taken = NULL;
  s->failed |= !dvt_node_from_proto(proto, op, &arena, &def);
  if (s->failed) {
    dvt_arena_deinit(&arena);
    return;
  }
  candidates c = {.search = s, .node = &def, .device_type = device_type_of(&def)};
  dvt_status status = NULL;
  choice->device = keep_str(s, c.device_type);
  if (dvt_node_attr(&def, DVT_STR("_kernel"), &label)) {
    dvt_str text;
    dvt_status wrong = dvt_attr_get_string(label, &text);
    if (!wrong) choice->label = keep_str(s, text);
    dvt_status_free(wrong);
  }
  if (dvt_node_is_generic(&def)) {
    choice->can_run = true;
    choice->outcome = "its attributes are those of a call of the function, and the kernel with them";
  } else {
    status = dvt_node_resolve(&def, &arena);
    if (!status) status = dvt_kernel_explain(&def, c.device_type, add_candidate, &c, &taken);
    choice->can_run = !status;
    choice->outcome = outcome_of(s, status, &c);
  }
  keep_candidates(&c, choice);
  dvt_arena_deinit(&arena);
}

static void describe(search *s, dvt_str function, dvt_str proto) {
  dvt_str op_name = dvt_proto_bytes(proto, NODE_OP);
  dvt_kernel_choice choice = {.function = keep_str(s, function),
                              .node = keep_str(s, dvt_proto_bytes(proto, NODE_NAME)),
                              .op = keep_str(s, op_name),
                              .device = "",
                              .label = "",
                              .attrs = "",
                              .can_run = true};
  const dvt_op_def *op;
  dvt_buf text = {0};
  if (dvt_map_get(&s->functions, op_name)) {
    dvt_buf_printf(&text, "calls the function " DVT_STR_FMT, DVT_STR_ARG(op_name));
    choice.outcome = keep(s, &text);
  } else if (dvt_exec_runs_op(op_name)) {
    choice.outcome = "the runtime runs it itself, without a kernel";
  } else {
    dvt_status status = dvt_op_lookup_or_error(op_name, &op);
    if (!status) {
      explain(s, proto, op, &choice);
    } else {
      choice.can_run = false;
      choice.outcome = outcome_of(s, status, NULL);
    }
  }
  if (dvt_grow((void **)&s->rows, &s->capacity, s->count + 1, sizeof *s->rows))
    s->rows[s->count++] = choice;
  else
    s->failed = true;
}

// ---- all nodes ----

static void walk(search *s, dvt_str function, dvt_str proto, uint32_t node_field) {
  dvt_wire wire = dvt_wire_open(proto);
  dvt_str node;
  while (!s->failed && dvt_proto_next(&wire, node_field, &node)) {
    dvt_str name = dvt_proto_bytes(node, NODE_NAME);
    if (dvt_str_eq(name, s->wanted))
      describe(s, function, node);
    else
      dvt_nearest_offer(&s->nearest, name);
  }
}

static dvt_str function_name(dvt_str function) {
  return dvt_proto_bytes(dvt_proto_bytes(function, FUNCTION_SIGNATURE), OP_NAME);
}

static dvt_status walk_all(search *s) {
  dvt_str library = dvt_proto_bytes(s->model->graph_def, GRAPH_LIBRARY), function;
  dvt_wire wire = dvt_wire_open(library);
  while (dvt_proto_next(&wire, LIBRARY_FUNCTION, &function))
    s->failed |= !dvt_map_put(&s->functions, function_name(function), s);
  walk(s, DVT_STR(""), s->model->graph_def, GRAPH_NODE);
  wire = dvt_wire_open(library);
  while (dvt_proto_next(&wire, LIBRARY_FUNCTION, &function))
    walk(s, function_name(function), function, FUNCTION_NODE);
  if (s->failed) return dvt_error_out_of_memory(0);
  if (s->count) return NULL;
  dvt_buf hint = {0};
  dvt_nearest_print(&s->nearest, &hint);
  dvt_status status = dvt_error(TF_NOT_FOUND,
                                "the model has no node '" DVT_STR_FMT
                                "', neither in its graph nor in its functions." DVT_STR_FMT,
                                DVT_STR_ARG(s->wanted), DVT_STR_ARG(dvt_buf_str(&hint)));
  dvt_buf_deinit(&hint);
  return status;
}

static dvt_status to_listing(search *s, dvt_kernel_choice **out_choices) {
  size_t bytes = sizeof(listing) + s->count * sizeof *s->rows;
  listing *out = dvt_malloc(bytes);
  if (!out) return dvt_error_out_of_memory(bytes);
  out->arena = s->arena;
  s->arena = (dvt_arena){0};
  memcpy(out->rows, s->rows, s->count * sizeof *s->rows);
  *out_choices = out->rows;
  return NULL;
}

static dvt_status run(search *s, const char *node, dvt_kernel_choice **out_choices) {
  if (!s->model || !node)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "dvt_model_explain_kernel: the %s is NULL. Open a model with dvt_model_open and name one "
        "of its nodes",
        s->model ? "node's name" : "model");
  s->wanted = s->nearest.wanted = dvt_str_from(node);
  dvt_plugin_autoload_init();
  DVT_RETURN_IF_ERROR(walk_all(s));
  return to_listing(s, out_choices);
}

int dvt_model_explain_kernel(dvt_model *model, const char *node, dvt_kernel_choice **out_choices,
                             TF_Status *status) {
  search s = {.model = model};
  dvt_status error = run(&s, node, out_choices);
  int count = error ? 0 : (int)s.count;
  dvt_map_deinit(&s.functions);
  dvt_arena_deinit(&s.arena);
  dvt_free(s.rows);
  dvt_status_to_tf(error, status);
  return count;
}

void dvt_kernel_choices_free(dvt_kernel_choice *choices) {
  if (!choices) return;
  listing *l = (listing *)(void *)((char *)choices - offsetof(listing, rows));
  dvt_arena_deinit(&l->arena);
  dvt_free(l);
}
