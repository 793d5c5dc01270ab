// dvt_model_infer_shapes: the shape engine (graph/shapes.h) over a model's graph and functions, as text with
// named sizes.
#include "capi/model.h"
#include "graph/import.h"
#include "graph/shapes.h"
#include "op/dim_expr.h"

// The rows of a graph or a function.
typedef struct section {
  dvt_str function;
  dvt_inferred_output *rows;
  size_t count;
  struct section *next;
} section;

// What is handed out: the rows follow.
typedef struct listing {
  dvt_arena arena;
  dvt_inferred_output rows[];
} listing;

typedef struct collector {
  dvt_arena arena;         // becomes the listing's
  section *first, **last;  // the graph, then functions in the order met
  dvt_map functions;       // name -> section
  dvt_map errors;          // "function\0node" -> text
  const dvt_shape_arena *symbols;
  dvt_map names;  // bytes of a symbol -> the number of its name, from 1
  size_t name_count;
  bool failed;  // out of memory
} collector;

// ---- names of sizes ----

static void put_name(void *arg, dvt_dim symbol, dvt_buf *out) {
  collector *c = arg;
  dvt_str key = dvt_str_make((const char *)&symbol, sizeof symbol);
  uintptr_t number = (uintptr_t)dvt_map_get(&c->names, key);
  if (!number) {
    number = ++c->name_count;
    c->failed |= !dvt_arena_copy_str(&c->arena, key, &key) || !dvt_map_put(&c->names, key, (void *)number);
  }
  dvt_buf_append_byte(out, 'N');
  if (number > 1) dvt_buf_printf(out, "%zu", (size_t)number - 1);
}

static void put_shape(collector *c, dvt_shape shape, dvt_buf *out) {
  if (!shape) {
    dvt_buf_append_byte(out, '?');
    return;
  }
  dvt_buf_append_byte(out, '[');
  for (int i = 0; i < shape->rank; i++) {
    if (i) dvt_buf_append_byte(out, ',');
    dvt_dim_describe(c->symbols, shape->dims[i], put_name, c, out);
  }
  dvt_buf_append_byte(out, ']');
}

static const char *keep(collector *c, dvt_str text) {
  dvt_str kept = DVT_STR("");
  if (!dvt_arena_copy_str(&c->arena, text, &kept)) c->failed = true;
  return kept.data;
}

// ---- rows ----

static dvt_str error_key(dvt_str function, dvt_str node, dvt_buf *key) {
  dvt_buf_append_str(key, function);
  dvt_buf_append_byte(key, '\0');
  dvt_buf_append_str(key, node);
  return dvt_buf_str(key);
}

static void hear_failure(void *arg, dvt_str function, const dvt_node_def *node, dvt_status status) {
  collector *c = arg;
  dvt_buf key = {0};
  dvt_str kept;
  error_key(function, node->name, &key);
  const char *text = keep(c, dvt_str_from(dvt_status_message(status)));
  if (key.failed || !dvt_arena_copy_str(&c->arena, dvt_buf_str(&key), &kept) ||
      !dvt_map_put(&c->errors, kept, (void *)(uintptr_t)text))
    c->failed = true;
  dvt_buf_deinit(&key);
}

static const char *error_of(collector *c, dvt_str function, dvt_str node) {
  dvt_buf key = {0};
  if (c->errors.count == 0) return NULL;
  const char *text = dvt_map_get(&c->errors, error_key(function, node, &key));
  dvt_buf_deinit(&key);
  return text;
}

static void set_dims(collector *c, dvt_shape shape, dvt_inferred_output *row) {
  dvt_buf text = {0};
  row->rank = shape ? shape->rank : -1;
  int64_t *dims = dvt_arena_alloc(&c->arena, (size_t)DVT_MAX(row->rank, 0) * sizeof *dims);
  for (int i = 0; dims && i < row->rank; i++) dims[i] = DVT_MAX(shape->dims[i], -1);
  put_shape(c, shape, &text);
  row->dims = dims;
  row->shape = keep(c, dvt_buf_str(&text));
  c->failed |= !dims || text.failed;
  dvt_buf_deinit(&text);
}

// Rows of all nodes of the graph into *s.
static void fill(collector *c, section *s, const char *function, const TF_Graph *graph,
                 const dvt_shapes *shapes) {
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    count += (size_t)DVT_MAX(graph->nodes[i]->def.output_count, 1);
  s->count = 0;
  s->rows = dvt_arena_alloc(&c->arena, (count + 1) * sizeof *s->rows);
  c->failed |= !s->rows;
  c->symbols = shapes->arena;
  for (size_t i = 0; i < graph->node_count && !c->failed; i++) {
    const dvt_node_def *def = &graph->nodes[i]->def;
    dvt_inferred_output row = {.function = function,
                               .node = keep(c, def->name),
                               .op = keep(c, def->op->name),
                               .output = -1,
                               .rank = -1,
                               .shape = "",
                               .error = error_of(c, s->function, def->name)};
    if (def->output_count == 0) s->rows[s->count++] = row;
    for (int32_t k = 0; k < def->output_count && !c->failed; k++) {
      row.output = k;
      row.dtype = (TF_DataType)(def->output_types[k] % DVT_DTYPE_REF_OFFSET);
      set_dims(c, dvt_shapes_of(shapes, (dvt_source){(int32_t)i, k}), &row);
      s->rows[s->count++] = row;
    }
  }
}

static section *add_section(collector *c, dvt_str function) {
  section *s = dvt_arena_calloc(&c->arena, 1, sizeof *s);
  c->failed |= !s || !dvt_arena_copy_str(&c->arena, function, &s->function);
  if (c->failed) return NULL;
  *c->last = s;
  c->last = &s->next;
  return s;
}

// A function that is called more than once is shown as the last call has it.
static void hear_body(void *arg, dvt_str function, const TF_Graph *body, const dvt_shapes *shapes) {
  collector *c = arg;
  section *s = dvt_map_get(&c->functions, function);
  if (!s && (s = add_section(c, function)) != NULL) c->failed |= !dvt_map_put(&c->functions, s->function, s);
  if (s && !c->failed) fill(c, s, s->function.data, body, shapes);
}

// Functions that nobody calls, with what they declare themselves. Those that cannot be made without a
// caller's attrs are left out.
static dvt_status add_uncalled(collector *c, const TF_Graph *graph, const dvt_shapes_listener *listener) {
  TF_Function *function;
  for (size_t i = 0; (function = dvt_function_library_at(graph->functions, i)) != NULL && !c->failed; i++) {
    dvt_function_body body = {0};
    dvt_shapes shapes = {0};
    if (dvt_map_get(&c->functions, function->name)) continue;
    dvt_status status = dvt_function_instantiate(function, NULL, 0, graph->functions, &body);
    if (status) {
      dvt_status_free(status);
      continue;
    }
    dvt_map_clear(&c->names);  // symbols of another arena
    status = dvt_graph_infer_shapes(body.graph, NULL, 0, listener, &shapes);
    if (!status) hear_body(c, function->name, body.graph, &shapes);
    dvt_shapes_deinit(&shapes);
    dvt_function_body_deinit(&body);
    if (status) return status;
  }
  return NULL;
}

// ---- feeds ----

static dvt_status find_fed(dvt_model *model, TF_Graph *graph, const char *name, TF_Output *out) {
  dvt_str node;
  int index;
  bool control;
  TF_Status *ignored = TF_NewStatus();
  if (!ignored) return dvt_error_out_of_memory(sizeof(void *));
  const dvt_tensor_info *info = dvt_model_find_input(model, NULL, name, ignored);
  TF_DeleteStatus(ignored);
  dvt_str tensor = dvt_str_from(info ? info->tensor : name);
  bool parsed = dvt_parse_tensor_name(tensor, &node, &index, &control) && !control;
  TF_Operation *oper = parsed ? dvt_graph_find(graph, node) : NULL;
  if (!oper)
    return dvt_error(TF_NOT_FOUND,
                     "there is neither an input nor a tensor '%s' to feed; inputs are listed by inspect",
                     name);
  *out = (TF_Output){oper, index};
  return NULL;
}

static dvt_status infer(dvt_model *model, TF_Graph *graph, const dvt_fed_dims *feeds, int feed_count,
                        collector *c) {
  dvt_shapes_listener listener = {hear_failure, hear_body, c};
  dvt_shapes shapes = {0};
  dvt_status status = NULL;
  section *s = add_section(c, DVT_STR(""));
  dvt_fed_shape *fed = dvt_calloc((size_t)feed_count + 1, sizeof *fed);
  if (!s || !fed) status = dvt_error_out_of_memory((size_t)feed_count * sizeof *fed);
  for (int i = 0; i < feed_count && !status; i++) {
    fed[i].rank = feeds[i].rank;
    fed[i].dims = feeds[i].dims;
    status = find_fed(model, graph, feeds[i].name, &fed[i].output);
  }
  pthread_mutex_lock(&graph->lock);
  if (!status) status = dvt_graph_infer_shapes(graph, fed, feed_count, &listener, &shapes);
  if (!status) fill(c, s, "", graph, &shapes);
  pthread_mutex_unlock(&graph->lock);
  dvt_shapes_deinit(&shapes);
  dvt_free(fed);
  return status ? status : add_uncalled(c, graph, &listener);
}

static dvt_status with_graph(dvt_model *model, const dvt_fed_dims *feeds, int feed_count, collector *c) {
  TF_Graph *graph = model->graph;
  if (graph) return infer(model, graph, feeds, feed_count, c);
  DVT_RETURN_IF_ERROR(dvt_graph_create(&graph));
  dvt_status status = dvt_graph_import(graph, model->graph_def, NULL, NULL);
  if (!status) status = infer(model, graph, feeds, feed_count, c);
  dvt_graph_release(graph);
  return status;
}

// ---- the listing ----

static listing *finish(collector *c, size_t *out_count) {
  size_t count = 0;
  for (const section *s = c->first; s; s = s->next) count += s->count;
  listing *list = c->failed ? NULL : dvt_malloc(sizeof *list + (count + 1) * sizeof list->rows[0]);
  if (!list) return NULL;
  count = 0;
  for (const section *s = c->first; s; s = s->next) {
    if (s->count) memcpy(list->rows + count, s->rows, s->count * sizeof list->rows[0]);
    count += s->count;
  }
  list->arena = c->arena;
  c->arena = (dvt_arena){0};
  *out_count = count;
  return list;
}

static dvt_status check_feeds(const dvt_model *model, const dvt_fed_dims *feeds, int feed_count) {
  if (!model)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "dvt_model_infer_shapes: the model is NULL; open one with dvt_model_open.");
  for (int i = 0; i < feed_count; i++)
    if (!feeds[i].name)
      return dvt_error(TF_INVALID_ARGUMENT, "dvt_model_infer_shapes: feed %d has no name.", i);
  return NULL;
}

int dvt_model_infer_shapes(dvt_model *model, const dvt_fed_dims *feeds, int feed_count,
                           dvt_inferred_output **out_outputs, TF_Status *status) {
  collector c = {0};
  size_t count = 0;
  c.last = &c.first;
  dvt_status failure = check_feeds(model, feeds, feed_count);
  if (!failure) failure = with_graph(model, feeds, feed_count, &c);
  if (!failure) {
    listing *list = finish(&c, &count);
    if (list)
      *out_outputs = list->rows;
    else
      failure = dvt_error_out_of_memory(sizeof *list);
  }
  dvt_map_deinit(&c.functions);
  dvt_map_deinit(&c.errors);
  dvt_map_deinit(&c.names);
  dvt_arena_deinit(&c.arena);
  dvt_status_to_tf(failure, status);
  return (int)count;
}

void dvt_inferred_outputs_free(dvt_inferred_output *outputs) {
  if (!outputs) return;
  listing *list = (listing *)((char *)outputs - offsetof(listing, rows));
  dvt_arena_deinit(&list->arena);
  dvt_free(list);
}
