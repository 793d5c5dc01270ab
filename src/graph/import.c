// GraphDef import: reads the message's frame (versions, library, nodes), runs the loader over the nodes with
// the options' renaming and remapping, and fills in the results. A failed import takes back all it did.
#include "graph/import.h"

#include "base/log.h"
#include "graph/function.h"
#include "graph/import_names.h"
#include "graph/loader.h"
#include "graph/versions.h"

enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, GRAPH_VERSIONS = 4 };
enum { FORWARD_COMPATIBLE_VERSIONS = 21 };  // three weeks of daily versions

typedef struct importer {
  dvt_loader loader;
  const TF_ImportGraphDefOptions *options;
  dvt_versions versions;
  dvt_str *nodes;
  size_t node_count, node_capacity;
  dvt_import_names names;
  bool *used;                  // by mapping id
  dvt_str default_device;      // in the graph's arena
  bool met_control, inherits;  // of the node at hand: a control input; an input that is imported too
} importer;

static const TF_ImportGraphDefOptions no_options = {.validate_colocation = true};

static dvt_status read_frame(importer *im, dvt_str bytes) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  while (dvt_wire_next_short(&wire, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == GRAPH_VERSIONS)
      DVT_RETURN_IF_ERROR(dvt_versions_parse(field.bytes, &im->loader.arena, &im->versions));
    if (field.number != GRAPH_NODE) continue;
    if (!dvt_grow((void **)&im->nodes, &im->node_capacity, im->node_count + 1, sizeof *im->nodes))
      return dvt_error_out_of_memory(im->node_count * sizeof *im->nodes);
    im->nodes[im->node_count++] = field.bytes;
  }
  if (wire.bad)
    return dvt_error(TF_INVALID_ARGUMENT, "Invalid GraphDef: the bytes are malformed or cut short");
  return dvt_versions_check(&im->versions);
}

static dvt_status add_libraries(TF_Graph *graph, dvt_str bytes) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field field;
  while (dvt_wire_next(&wire, &field))
    if (field.number == GRAPH_LIBRARY && field.type == DVT_WIRE_BYTES)
      DVT_RETURN_IF_ERROR(dvt_function_library_add_proto(graph->functions, field.bytes));
  if (dvt_function_library_count(graph->functions) > 0) dvt_graph_note_functions(graph);
  return NULL;
}

static const dvt_import_mapping *find_mapping(const importer *im, dvt_str name, int32_t index) {
  if (im->options->mapping_count == 0) return NULL;
  const dvt_import_mapping *m = dvt_map_get(&im->options->mappings_by_name, name);
  while (m && m->index != index) m = m->next;
  return m;
}

static dvt_status resolve(dvt_loader *loader, const dvt_parsed_node *node, dvt_str input) {
  importer *im = loader->arg;
  dvt_str name;
  int index;
  bool is_control;
  if (DVT_UNLIKELY(!dvt_parse_tensor_name(input, &name, &index, &is_control)))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Node '" DVT_STR_FMT "': input '" DVT_STR_FMT
                     "' is not of the form node, node:output or ^node",
                     DVT_STR_ARG(node->name), DVT_STR_ARG(input));
  if (is_control)
    im->met_control = true;
  else if (DVT_UNLIKELY(im->met_control))
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Node '" DVT_STR_FMT "': Control dependencies must come after regular dependencies",
                     DVT_STR_ARG(node->name));
  const dvt_import_mapping *mapping = find_mapping(im, name, index);
  if (mapping) {
    im->used[mapping->id] = true;
    if (is_control) return dvt_loader_control(loader, mapping->source.node);
    return dvt_loader_input(loader, mapping->source.node, mapping->source.index);
  }
  TF_Operation *source = dvt_loader_find(loader, name);
  if (!source) return dvt_loader_missing(loader, name, index);
  im->inherits = true;
  return is_control ? dvt_loader_control(loader, source) : dvt_loader_input(loader, source, index);
}

static dvt_status prepare(dvt_loader *loader, const dvt_parsed_node *node, dvt_new_node *new_node) {
  importer *im = loader->arg;
  const TF_ImportGraphDefOptions *options = im->options;
  // Nodes that read imported nodes inherit the control dependencies from them.
  for (size_t i = 0; !im->inherits && i < options->control_dependency_count; i++)
    DVT_RETURN_IF_ERROR(dvt_loader_control(loader, options->control_dependencies[i]));
  if (new_node->device.len == 0 && options->default_device.len) {
    if (!im->default_device.len &&
        !dvt_arena_copy_str(&loader->graph->arena, options->default_device, &im->default_device))
      return dvt_error_out_of_memory(options->default_device.len);
    new_node->device = im->default_device;
  }
  return dvt_import_names_rename(&im->names, loader, node, new_node);
}

static dvt_status added(dvt_loader *loader, const dvt_parsed_node *node, TF_Operation *op) {
  importer *im = loader->arg;
  if (node->class_attr >= 0) DVT_RETURN_IF_ERROR(dvt_import_names_note_class(&im->names, op));
  return node->output_shapes.data ? dvt_loader_claim_shapes(op, node->output_shapes) : NULL;
}

static dvt_status begin_node(dvt_loader *loader, const dvt_parsed_node *node) {
  importer *im = loader->arg;
  im->met_control = im->inherits = false;
  return dvt_import_names_check(&im->names, loader, node);
}

static const dvt_loader_hooks hooks = {begin_node, resolve, prepare, added};

static dvt_status check_options(const TF_Graph *graph, const TF_ImportGraphDefOptions *options) {
  if (options->failed) return dvt_error_out_of_memory(0);
  for (size_t i = 0; i < options->mapping_count; i++) {
    const dvt_import_mapping *m = options->mappings[i];
    const TF_Operation *source = m->source.node;
    if (!source || source->graph != graph)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "the node that input_map gives for '" DVT_STR_FMT ":%d' does not exist in graph",
                       DVT_STR_ARG(m->name), m->index);
    if ((m->index < 0) != (m->source.index < 0))
      return dvt_error(TF_INVALID_ARGUMENT,
                       "input_map entry " DVT_STR_FMT ":%d->" DVT_STR_FMT
                       ":%d between control edge and non-control edge",
                       DVT_STR_ARG(m->name), m->index, DVT_STR_ARG(source->def.name), m->source.index);
  }
  for (size_t i = 0; i < options->control_dependency_count; i++)
    if (!options->control_dependencies[i] || options->control_dependencies[i]->graph != graph)
      return dvt_error(TF_INVALID_ARGUMENT, "a node in control_dependencies does not exist in graph");
  return NULL;
}

static dvt_status find_return_outputs(const importer *im, TF_ImportGraphDefResults *results) {
  const TF_ImportGraphDefOptions *options = im->options;
  for (size_t i = 0; i < options->return_output_count; i++) {
    dvt_import_return want = options->return_outputs[i];
    const dvt_import_mapping *mapping = find_mapping(im, want.name, want.index);
    if (mapping) {
      results->return_outputs[i] = (TF_Output){mapping->source.node, mapping->source.index};
      continue;
    }
    TF_Operation *node = dvt_loader_find(&im->loader, want.name);
    if (!node)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Requested return tensor '" DVT_STR_FMT ":%d' not found in graph def",
                       DVT_STR_ARG(want.name), want.index);
    if (want.index < -1 || want.index >= node->def.output_count)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Invalid return output %d of node '" DVT_STR_FMT "', which has %d output(s)",
                       want.index, DVT_STR_ARG(want.name), node->def.output_count);
    results->return_outputs[i] = (TF_Output){node, want.index};
  }
  return NULL;
}

static dvt_status find_return_nodes(const importer *im, TF_ImportGraphDefResults *results) {
  const TF_ImportGraphDefOptions *options = im->options;
  for (size_t i = 0; i < options->return_node_count; i++) {
    results->return_nodes[i] = dvt_loader_find(&im->loader, options->return_nodes[i].name);
    if (!results->return_nodes[i])
      return dvt_error(TF_INVALID_ARGUMENT, "Requested return node '" DVT_STR_FMT "' not found in graph def",
                       DVT_STR_ARG(options->return_nodes[i].name));
  }
  return NULL;
}

static bool is_missing_key(const importer *im, const dvt_import_mapping *m) {
  if (im->used[m->id]) return false;
  const TF_Operation *node = dvt_loader_find(&im->loader, m->name);
  return !node || m->index >= node->def.output_count;
}

// Sorted by name and index.
static dvt_status find_missing_keys(const importer *im, TF_ImportGraphDefResults *results) {
  for (size_t i = 0; i < im->options->mapping_count; i++) {
    const dvt_import_mapping *m = im->options->mappings[i];
    dvt_str name;
    if (!is_missing_key(im, m)) continue;
    if (!dvt_arena_copy_str(&results->arena, m->name, &name)) return dvt_error_out_of_memory(m->name.len);
    int32_t at = results->missing_count++;
    for (; at > 0; at--) {
      int order = dvt_str_compare(dvt_str_from(results->missing_names[at - 1]), name);
      if (order < 0 || (order == 0 && results->missing_indexes[at - 1] <= m->index)) break;
      results->missing_names[at] = results->missing_names[at - 1];
      results->missing_indexes[at] = results->missing_indexes[at - 1];
    }
    results->missing_names[at] = name.data;
    results->missing_indexes[at] = m->index;
  }
  return NULL;
}

static dvt_status fill_results(const importer *im, TF_ImportGraphDefResults *results) {
  const TF_ImportGraphDefOptions *options = im->options;
  dvt_arena *arena = &results->arena;
  results->return_outputs =
      dvt_arena_calloc(arena, options->return_output_count, sizeof *results->return_outputs);
  results->return_nodes = dvt_arena_calloc(arena, options->return_node_count, sizeof *results->return_nodes);
  results->missing_names = dvt_arena_calloc(arena, options->mapping_count, sizeof *results->missing_names);
  results->missing_indexes =
      dvt_arena_calloc(arena, options->mapping_count, sizeof *results->missing_indexes);
  if (!results->return_outputs || !results->return_nodes || !results->missing_names ||
      !results->missing_indexes)
    return dvt_error_out_of_memory(options->mapping_count * sizeof *results->missing_names);
  results->return_output_count = (int32_t)options->return_output_count;
  results->return_node_count = (int32_t)options->return_node_count;
  DVT_RETURN_IF_ERROR(find_return_outputs(im, results));
  DVT_RETURN_IF_ERROR(find_return_nodes(im, results));
  return find_missing_keys(im, results);
}

static dvt_status run(importer *im, TF_Graph *graph, dvt_str bytes, TF_ImportGraphDefResults *results) {
  DVT_RETURN_IF_ERROR(check_options(graph, im->options));
  DVT_RETURN_IF_ERROR(read_frame(im, bytes));
  im->used = dvt_arena_calloc(&im->loader.arena, im->options->mapping_count, sizeof *im->used);
  if (!im->used) return dvt_error_out_of_memory(im->options->mapping_count);
  if (graph->node_count && im->versions.producer > 0 && im->versions.producer < graph->producer_version)
    dvt_log(
        DVT_INFO,
        "Importing a graph with a lower producer version %d into an existing graph with producer version %d",
        im->versions.producer, graph->producer_version);
  DVT_RETURN_IF_ERROR(dvt_graph_merge_versions(graph, &im->versions));
  DVT_RETURN_IF_ERROR(add_libraries(graph, bytes));
  im->loader.nodes = im->nodes;
  im->loader.node_count = im->node_count;
  DVT_RETURN_IF_ERROR(dvt_import_names_begin(&im->names, graph, im->options, &im->loader));
  DVT_RETURN_IF_ERROR(dvt_loader_run(&im->loader));
  DVT_RETURN_IF_ERROR(dvt_import_names_finish(&im->names, &im->loader));
  return results ? fill_results(im, results) : NULL;
}

static dvt_status explain_version(const importer *im, dvt_status status) {
  if (im->versions.producer - DVT_GRAPH_DEF_VERSION <= FORWARD_COMPATIBLE_VERSIONS) return status;
  return dvt_status_annotate(
      status,
      ". The GraphDef was made by version %d; this library reads up to version %d, which may "
      "be the cause",
      im->versions.producer, DVT_GRAPH_DEF_VERSION);
}

dvt_status dvt_graph_import(TF_Graph *graph, dvt_str graph_def, const TF_ImportGraphDefOptions *options,
                            TF_ImportGraphDefResults *results) {
  importer im = {.options = options ? options : &no_options};
  size_t node_count = graph->node_count, function_count = dvt_function_library_count(graph->functions),
         gradient_count = graph->functions->gradient_count;
  dvt_versions versions = dvt_graph_versions(graph);
  char *copy = dvt_graph_add_block(graph, graph_def.len + 1);
  if (!copy) return dvt_error_out_of_memory(graph_def.len);
  if (graph_def.len) memcpy(copy, graph_def.data, graph_def.len);
  im.loader.graph = graph;
  im.loader.hooks = &hooks;
  im.loader.arg = &im;
  im.loader.bytes_are_ours = true;
  im.loader.check_names = true;
  dvt_status status = run(&im, graph, dvt_str_make(copy, graph_def.len), results);
  if (status) {
    status = explain_version(&im, status);
    dvt_graph_truncate(graph, node_count);
    dvt_function_library_truncate(graph->functions, function_count, gradient_count);
    dvt_graph_set_versions(graph, &versions);
    dvt_graph_drop_block(graph);
  }
  dvt_import_names_deinit(&im.names);
  dvt_loader_deinit(&im.loader);
  dvt_free(im.nodes);
  return status;
}
