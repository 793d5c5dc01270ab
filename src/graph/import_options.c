// TF_ImportGraphDefOptions: what an import is to rename, remap and return. Setters cannot fail where they are
// called, so that a lack of memory is noted and reported by the import.
#include "graph/import.h"

void dvt_import_options_init(TF_ImportGraphDefOptions *options) {
  *options = (TF_ImportGraphDefOptions){.validate_colocation = true};
}

void dvt_import_options_deinit(TF_ImportGraphDefOptions *options) {
  dvt_free(options->mappings);
  dvt_free(options->control_dependencies);
  dvt_free(options->return_outputs);
  dvt_free(options->return_nodes);
  dvt_map_deinit(&options->mappings_by_name);
  dvt_arena_deinit(&options->arena);
}

void dvt_import_options_set_prefix(TF_ImportGraphDefOptions *options, dvt_str prefix) {
  bool has_slash = prefix.len && prefix.data[prefix.len - 1] == '/';
  char *text = dvt_arena_alloc(&options->arena, prefix.len + 1);
  if (!text) {
    options->failed = true;
    return;
  }
  if (prefix.len) memcpy(text, prefix.data, prefix.len);
  text[prefix.len] = '/';
  options->prefix = dvt_str_make(text, prefix.len + (prefix.len && !has_slash));
}

void dvt_import_options_set_default_device(TF_ImportGraphDefOptions *options, dvt_str device) {
  if (!dvt_arena_copy_str(&options->arena, device, &options->default_device)) options->failed = true;
}

// A second mapping of the same input replaces the first.
static bool add_mapping(TF_ImportGraphDefOptions *options, dvt_str name, int index, dvt_edge source) {
  dvt_import_mapping *first = dvt_map_get(&options->mappings_by_name, name);
  for (dvt_import_mapping *m = first; m; m = m->next) {
    if (m->index != index) continue;
    m->source = source;
    return true;
  }
  dvt_import_mapping *mapping = dvt_arena_calloc(&options->arena, 1, sizeof *mapping);
  if (!mapping || !dvt_arena_copy_str(&options->arena, name, &mapping->name) ||
      !dvt_grow((void **)&options->mappings, &options->mapping_capacity, options->mapping_count + 1,
                sizeof *options->mappings))
    return false;
  mapping->index = index;
  mapping->source = source;
  mapping->id = (int32_t)options->mapping_count;
  if (first) {
    mapping->next = first->next;
    first->next = mapping;
  } else if (!dvt_map_put(&options->mappings_by_name, mapping->name, mapping)) {
    return false;
  }
  options->mappings[options->mapping_count++] = mapping;
  return true;
}

void dvt_import_options_map_input(TF_ImportGraphDefOptions *options, dvt_str name, int index,
                                  dvt_edge source) {
  if (!add_mapping(options, name, index, source)) options->failed = true;
}

static void add_return(TF_ImportGraphDefOptions *options, dvt_import_return **list, size_t *count,
                       size_t *capacity, dvt_str name, int index) {
  dvt_import_return entry = {.index = index};
  if (!dvt_arena_copy_str(&options->arena, name, &entry.name) ||
      !dvt_grow((void **)list, capacity, *count + 1, sizeof **list)) {
    options->failed = true;
    return;
  }
  (*list)[(*count)++] = entry;
}

void dvt_import_options_add_return_output(TF_ImportGraphDefOptions *options, dvt_str name, int index) {
  add_return(options, &options->return_outputs, &options->return_output_count,
             &options->return_output_capacity, name, index);
}

void dvt_import_options_add_return_node(TF_ImportGraphDefOptions *options, dvt_str name) {
  add_return(options, &options->return_nodes, &options->return_node_count, &options->return_node_capacity,
             name, 0);
}

void dvt_import_options_add_control_dependency(TF_ImportGraphDefOptions *options, TF_Operation *node) {
  if (!dvt_grow((void **)&options->control_dependencies, &options->control_dependency_capacity,
                options->control_dependency_count + 1, sizeof *options->control_dependencies)) {
    options->failed = true;
    return;
  }
  options->control_dependencies[options->control_dependency_count++] = node;
}
