// GraphDef import through the C ABI: options, the import itself, results.
#include "capi/buffer.h"
#include "capi/unimplemented.h"
#include "graph/import.h"
#include "tensorflow/c/c_api_experimental.h"

TF_ImportGraphDefOptions *TF_NewImportGraphDefOptions(void) {
  TF_ImportGraphDefOptions *options = dvt_malloc(sizeof *options);
  if (options) dvt_import_options_init(options);
  return options;
}

void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions *opts) {
  if (!opts) return;
  dvt_import_options_deinit(opts);
  dvt_free(opts);
}

void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions *opts, const char *prefix) {
  dvt_import_options_set_prefix(opts, dvt_str_from(prefix));
}

void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions *opts, const char *device) {
  dvt_import_options_set_default_device(opts, dvt_str_from(device));
}

void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions *opts, unsigned char uniquify_names) {
  opts->uniquify_names = uniquify_names != 0;
}

void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions *opts,
                                               unsigned char uniquify_prefix) {
  opts->uniquify_prefix = uniquify_prefix != 0;
}

void TF_ImportGraphDefOptionsSetValidateColocationConstraints(TF_ImportGraphDefOptions *opts,
                                                              unsigned char enable) {
  opts->validate_colocation = enable != 0;
}

void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions *opts, const char *src_name,
                                             int src_index, TF_Output dst) {
  dvt_import_options_map_input(opts, dvt_str_from(src_name), src_index, (dvt_edge){dst.oper, dst.index});
}

void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions *opts, const char *src_name,
                                                    TF_Operation *dst) {
  dvt_import_options_map_input(opts, dvt_str_from(src_name), -1, (dvt_edge){dst, -1});
}

void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions *opts, TF_Operation *oper) {
  dvt_import_options_add_control_dependency(opts, oper);
}

void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions *opts, const char *oper_name,
                                             int index) {
  dvt_import_options_add_return_output(opts, dvt_str_from(oper_name), index);
}

int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions *opts) {
  return (int)opts->return_output_count;
}

void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions *opts, const char *oper_name) {
  dvt_import_options_add_return_node(opts, dvt_str_from(oper_name));
}

int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions *opts) {
  return (int)opts->return_node_count;
}

void TF_GraphImportGraphDef(TF_Graph *graph, const TF_Buffer *graph_def,
                            const TF_ImportGraphDefOptions *options, TF_Status *status) {
  TF_GraphImportGraphDefWithReturnOutputs(graph, graph_def, options, NULL, 0, status);
}

static dvt_status import(TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options,
                         TF_ImportGraphDefResults *results) {
  if (!graph || !graph_def)
    return dvt_error(TF_INVALID_ARGUMENT, "importing a GraphDef needs a graph and a buffer, got NULL");
  pthread_mutex_lock(&graph->lock);
  dvt_status status = dvt_graph_import(graph, dvt_tf_buffer_str(graph_def), options, results);
  pthread_mutex_unlock(&graph->lock);
  return status;
}

static dvt_status import_outputs(TF_Graph *graph, const TF_Buffer *graph_def,
                                 const TF_ImportGraphDefOptions *options, TF_Output *outputs, int count) {
  size_t wanted = options ? options->return_output_count : 0;
  TF_ImportGraphDefResults results = {0};
  if (count < 0 || (size_t)count != wanted)
    return dvt_error(TF_INVALID_ARGUMENT, "Expected 'num_return_outputs' to be %zu, got %d", wanted, count);
  if (count > 0 && !outputs)
    return dvt_error(TF_INVALID_ARGUMENT, "'return_outputs' must be preallocated to length %d", count);
  dvt_status status = import(graph, graph_def, options, &results);
  if (!status && count) memcpy(outputs, results.return_outputs, sizeof *outputs * (size_t)count);
  dvt_arena_deinit(&results.arena);
  return status;
}

void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph *graph, const TF_Buffer *graph_def,
                                             const TF_ImportGraphDefOptions *options,
                                             TF_Output *return_outputs, int num_return_outputs,
                                             TF_Status *status) {
  dvt_status_to_tf(import_outputs(graph, graph_def, options, return_outputs, num_return_outputs), status);
}

TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResults(TF_Graph *graph, const TF_Buffer *graph_def,
                                                            const TF_ImportGraphDefOptions *options,
                                                            TF_Status *status) {
  TF_ImportGraphDefResults *results = dvt_calloc(1, sizeof *results);
  dvt_status error =
      results ? import(graph, graph_def, options, results) : dvt_error_out_of_memory(sizeof *results);
  if (error) {
    TF_DeleteImportGraphDefResults(results);
    results = NULL;
  }
  dvt_status_to_tf(error, status);
  return results;
}

TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResultsNoSerialization(
    TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status) {
  (void)graph;
  (void)graph_def;
  (void)options;
  dvt_answer_unimplemented(DVT_UNIMPLEMENTED(TF_GraphImportGraphDefWithResultsNoSerialization),
                           "serialize the GraphDef and call TF_GraphImportGraphDefWithResults", status);
  return NULL;
}

void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults *results, int *num_outputs,
                                           TF_Output **outputs) {
  *num_outputs = results->return_output_count;
  *outputs = results->return_outputs;
}

void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults *results, int *num_opers,
                                              TF_Operation ***opers) {
  *num_opers = results->return_node_count;
  *opers = results->return_nodes;
}

void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults *results,
                                                        int *num_missing_unused_input_mappings,
                                                        const char ***src_names, int **src_indexes) {
  *num_missing_unused_input_mappings = results->missing_count;
  *src_names = results->missing_names;
  *src_indexes = results->missing_indexes;
}

void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults *results) {
  if (!results) return;
  dvt_arena_deinit(&results->arena);
  dvt_free(results);
}
