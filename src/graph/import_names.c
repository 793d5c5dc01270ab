// See import_names.h. A name is taken if a node or a scope of that name was in the graph before the import.
#include "graph/import_names.h"

#include <stdio.h>

static const dvt_str group_prefix = {"loc:@", 5};

static dvt_status index_scopes(TF_Graph *graph) {
  for (; graph->prefixed_count < graph->node_count; graph->prefixed_count++) {
    if (!dvt_scopes_add(&graph->scopes, graph->nodes[graph->prefixed_count]->def.name))
      return dvt_error_out_of_memory(sizeof(dvt_map_slot));
  }
  return NULL;
}

dvt_status dvt_graph_name_is_taken(TF_Graph *graph, dvt_str name, bool *out_taken) {
  DVT_RETURN_IF_ERROR(index_scopes(graph));
  *out_taken = dvt_graph_find(graph, name) || dvt_scopes_has(&graph->scopes, name);
  return NULL;
}

static bool is_taken(const dvt_import_names *names, size_t first_node, dvt_str name) {
  const TF_Operation *node = dvt_graph_find(names->graph, name);
  return (node && (size_t)node->id < first_node) || dvt_scopes_has(&names->graph->scopes, name);
}

static bool is_in_def(const dvt_import_names *names, dvt_str name) {
  if (names->prefix.len && dvt_str_starts_with(name, names->prefix))
    name = dvt_str_drop(name, names->prefix.len);
  return dvt_map_get(&names->in_def, name) || dvt_scopes_has(&names->scopes_in_def, name);
}

// name_1, name_2, ...: the first that is neither taken nor in the GraphDef. One more byte has room behind it.
static dvt_status unique_name(const dvt_import_names *names, size_t first_node, dvt_str name,
                              dvt_str *out_name) {
  size_t room = name.len + 24;
  char *text = dvt_arena_alloc(&names->graph->arena, room);
  if (!text) return dvt_error_out_of_memory(room);
  memcpy(text, name.data, name.len);
  for (unsigned long long count = 1;; count++) {
    int digits = snprintf(text + name.len, room - name.len, "_%llu", count);
    dvt_str candidate = dvt_str_make(text, name.len + (size_t)digits);
    if (is_taken(names, first_node, candidate) || is_in_def(names, candidate)) continue;
    *out_name = candidate;
    return NULL;
  }
}

static dvt_status begin_prefix(dvt_import_names *names) {
  dvt_str bare = names->options->prefix;
  bare.len--;
  if (!dvt_node_name_is_valid(bare))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Imported node name prefix '" DVT_STR_FMT "/' would lead to invalid node names",
                     DVT_STR_ARG(bare));
  names->prefix = names->options->prefix;
  if (!names->options->uniquify_prefix || !is_taken(names, names->graph->node_count, bare)) return NULL;
  DVT_RETURN_IF_ERROR(unique_name(names, names->graph->node_count, bare, &names->prefix));
  ((char *)(uintptr_t)names->prefix.data)[names->prefix.len++] = '/';  // over the NUL; unique_name left room
  return NULL;
}

static dvt_status index_def(dvt_import_names *names, const dvt_loader *loader) {
  for (size_t i = 0; i < loader->node_count; i++) {
    dvt_str op, name;
    if (!dvt_parse_node_op(loader->nodes[i], &op, &name)) continue;  // reported when it is loaded
    if (!dvt_map_put(&names->in_def, name, names) || !dvt_scopes_add(&names->scopes_in_def, name))
      return dvt_error_out_of_memory(sizeof(dvt_map_slot));
  }
  return NULL;
}

dvt_status dvt_import_names_begin(dvt_import_names *names, TF_Graph *graph,
                                  const TF_ImportGraphDefOptions *options, dvt_loader *loader) {
  *names = (dvt_import_names){.options = options, .graph = graph, .prefix = DVT_STR("")};
  DVT_RETURN_IF_ERROR(index_scopes(graph));
  if (options->prefix.len) DVT_RETURN_IF_ERROR(begin_prefix(names));
  names->uniquify = options->uniquify_names && (names->prefix.len == 0 || !options->uniquify_prefix);
  loader->names = names->prefix.len || names->uniquify ? &loader->own_names : &graph->by_name;
  return names->uniquify ? index_def(names, loader) : NULL;
}

dvt_status dvt_import_names_check(const dvt_import_names *names, const dvt_loader *loader,
                                  const dvt_parsed_node *node) {
  if (loader->first_node == 0 || names->prefix.len || names->uniquify) return NULL;
  if (!is_taken(names, loader->first_node, node->name)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Node name '" DVT_STR_FMT
                   "' already exists in the Graph. Import with a prefix or with unique names",
                   DVT_STR_ARG(node->name));
}

dvt_status dvt_import_names_rename(dvt_import_names *names, const dvt_loader *loader,
                                   const dvt_parsed_node *node, dvt_new_node *new_node) {
  if (DVT_LIKELY(names->prefix.len == 0 && !names->uniquify)) return NULL;
  if (names->prefix.len) {
    size_t len = names->prefix.len + node->name.len;
    char *text = dvt_arena_alloc(&names->graph->arena, len + 1);
    if (!text) return dvt_error_out_of_memory(len);
    memcpy(text, names->prefix.data, names->prefix.len);
    memcpy(text + names->prefix.len, node->name.data, node->name.len);
    text[len] = '\0';
    new_node->name = dvt_str_make(text, len);
  }
  if (!names->uniquify || !is_taken(names, loader->first_node, new_node->name)) return NULL;
  return unique_name(names, loader->first_node, new_node->name, &new_node->name);
}

dvt_status dvt_import_names_note_class(dvt_import_names *names, TF_Operation *op) {
  if (!dvt_grow((void **)&names->with_class, &names->with_class_capacity, names->with_class_count + 1,
                sizeof *names->with_class))
    return dvt_error_out_of_memory(sizeof *names->with_class * names->with_class_count);
  names->with_class[names->with_class_count++] = op;
  return NULL;
}

static dvt_attr *class_attr(TF_Operation *op) {
  dvt_attr *attr = op->def.attrs;
  while (!dvt_str_eq(attr->name, DVT_STR("_class"))) attr++;
  return attr;
}

// Appends "loc:@" and the new name of the node that `group` names.
static dvt_status put_group(const dvt_import_names *names, const dvt_loader *loader, const TF_Operation *op,
                            dvt_str group, dvt_buf *out) {
  dvt_str target = dvt_str_drop(group, group_prefix.len);
  const TF_Operation *node = dvt_loader_find(loader, target);
  if (!node && names->options->validate_colocation)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Node '" DVT_STR_FMT "' expects to be colocated with unknown node '" DVT_STR_FMT "'",
                     DVT_STR_ARG(op->def.name), DVT_STR_ARG(target));
  dvt_buf_append_str(out, group_prefix);
  if (!node) dvt_buf_append_str(out, names->prefix);
  dvt_buf_append_str(out, node ? node->def.name : target);
  return NULL;
}

static dvt_status rename_groups(const dvt_import_names *names, const dvt_loader *loader, TF_Operation *op) {
  dvt_attr *attr = class_attr(op);
  dvt_attr_list list;
  dvt_str group;
  dvt_buf value = {0}, text = {0};
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(attr->value, TF_ATTR_STRING, &list));
  dvt_status status = NULL;
  size_t begin = dvt_wire_begin(&value, 1);
  while (!status && dvt_attr_list_next(&list, NULL, &group)) {
    dvt_buf_clear(&text);
    if (dvt_str_starts_with(group, group_prefix))
      status = put_group(names, loader, op, group, &text);
    else
      dvt_buf_append_str(&text, group);
    dvt_wire_put_bytes(&value, 2, dvt_buf_str(&text));
  }
  dvt_wire_end(&value, begin);
  bool changes = loader->names == &loader->own_names;
  if (!status && changes &&
      (value.failed || text.failed ||
       !dvt_arena_copy_str(&op->graph->arena, dvt_buf_str(&value), &attr->value)))
    status = dvt_error_out_of_memory(value.len);
  dvt_buf_deinit(&value);
  dvt_buf_deinit(&text);
  return status;
}

dvt_status dvt_import_names_finish(dvt_import_names *names, const dvt_loader *loader) {
  for (size_t i = 0; i < names->with_class_count; i++)
    DVT_RETURN_IF_ERROR(rename_groups(names, loader, names->with_class[i]));
  return NULL;
}

void dvt_import_names_deinit(dvt_import_names *names) {
  dvt_map_deinit(&names->in_def);
  dvt_scopes_deinit(&names->scopes_in_def);
  dvt_free(names->with_class);
}
