// dovetail/shape.h: the node that a shape function is called for: its arguments by name, dtypes, outputs.
#include "capi/shape_handles.h"
#include "dovetail/shape.h"
#include "tensor/dtype.h"

int64_t TF_ShapeInferenceContext_NumOutputs(TF_ShapeInferenceContext *ctx) {
  return ctx->node->output_count + ctx->more_output_count;
}

int TF_ShapeInferenceContext_GraphDefVersion(TF_ShapeInferenceContext *ctx) { return ctx->graph_def_version; }

static TF_DataType type_at(const int16_t *types, int count, int i) {
  if (i < 0 || i >= count || !types) return (TF_DataType)0;
  return (TF_DataType)(types[i] > DVT_DTYPE_REF_OFFSET ? types[i] - DVT_DTYPE_REF_OFFSET : types[i]);
}

TF_DataType TF_ShapeInferenceContext_InputType(TF_ShapeInferenceContext *ctx, int i) {
  return type_at(ctx->node->input_types, ctx->node->input_count, i);
}

TF_DataType TF_ShapeInferenceContext_OutputType(TF_ShapeInferenceContext *ctx, int i) {
  return type_at(ctx->node->output_types, ctx->node->output_count, i);
}

void TF_ShapeInferenceContext_InputRange(TF_ShapeInferenceContext *ctx, const char *name, int *start,
                                         int *stop, TF_Status *status) {
  dvt_status_to_tf(dvt_node_input_range(ctx->node, dvt_str_from(name), start, stop), status);
}

void TF_ShapeInferenceContext_OutputRange(TF_ShapeInferenceContext *ctx, const char *name, int *start,
                                          int *stop, TF_Status *status) {
  dvt_status_to_tf(dvt_node_output_range(ctx->node, dvt_str_from(name), start, stop), status);
}

static void copy_shapes(const TF_ShapeInferenceContext *ctx, const dvt_shape *shapes, int count,
                        TF_ShapeHandle *const *results, int max_results) {
  for (int i = 0; i < count && i < max_results; i++)
    if (results[i]) *results[i] = dvt_shape_handle_of(ctx, shapes[i]);
}

void TF_ShapeInferenceContext_GetInputsByName(TF_ShapeInferenceContext *ctx, const char *name,
                                              TF_ShapeHandle *const *results, int max_results,
                                              TF_Status *status) {
  int start = 0, stop = 0;
  dvt_status error = dvt_node_input_range(ctx->node, dvt_str_from(name), &start, &stop);
  if (!error) copy_shapes(ctx, ctx->inputs + start, stop - start, results, max_results);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetOutputsByName(TF_ShapeInferenceContext *ctx, const char *name,
                                               TF_ShapeHandle *const *results, int max_results,
                                               TF_Status *status) {
  int start = 0, stop = 0;
  dvt_status error = dvt_node_output_range(ctx->node, dvt_str_from(name), &start, &stop);
  if (!error) copy_shapes(ctx, ctx->outputs + start, stop - start, results, max_results);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_SetOutputsByName(TF_ShapeInferenceContext *ctx, const char *name,
                                               TF_ShapeHandle *const *shapes, int num_shapes,
                                               TF_Status *status) {
  int start = 0, stop = 0;
  dvt_status error = dvt_node_output_range(ctx->node, dvt_str_from(name), &start, &stop);
  if (!error && stop - start != num_shapes)
    error = dvt_error(TF_INVALID_ARGUMENT, "Must have exactly %d shapes for output '%s', got %d",
                      stop - start, name, num_shapes);
  for (int i = 0; !error && i < num_shapes; i++) ctx->outputs[start + i] = dvt_handle_shape(ctx, shapes[i]);
  dvt_status_to_tf(error, status);
}

void TF_ShapeInferenceContext_GetOutput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *result,
                                        TF_Status *status) {
  dvt_status error = NULL;
  const dvt_shape *output = dvt_shape_output(ctx, i);
  if (!output)
    error = dvt_error(TF_INVALID_ARGUMENT, "output index out of range: %d, the node has %d outputs", i,
                      ctx->node->output_count);
  dvt_shape_store(ctx, error, output ? *output : NULL, result, status);
}

enum { MAX_OUTPUTS = 1 << 18 };  // of a node

void TF_ShapeInferenceContext_ExpandOutputs(TF_ShapeInferenceContext *ctx, int new_output_count,
                                            TF_Status *status) {
  int now = ctx->node->output_count + ctx->more_output_count,
      more = new_output_count - ctx->node->output_count;
  dvt_shape *shapes = NULL;
  dvt_status error = NULL;
  if (new_output_count < now || new_output_count > MAX_OUTPUTS)
    error = dvt_error(TF_INVALID_ARGUMENT, "%d outputs were asked for; the node has %d, %d are possible",
                      new_output_count, now, MAX_OUTPUTS);
  if (!error && !(shapes = dvt_arena_calloc(&ctx->arena->arena, (size_t)more, sizeof *shapes)))
    error = dvt_error_out_of_memory((size_t)more * sizeof *shapes);
  if (!error) {
    for (int i = 0; i < ctx->more_output_count; i++) shapes[i] = ctx->more_outputs[i];
    ctx->more_outputs = shapes;
    ctx->more_output_count = more;
  }
  dvt_status_to_tf(error, status);
}

char *TF_ShapeInferenceContext_NodeDebugString(TF_ShapeInferenceContext *ctx) {
  dvt_buf text = {0};
  dvt_shape_describe_node(ctx, &text);
  dvt_buf_append_str(&text, DVT_STR(" with input shapes: "));
  dvt_shape_print_inputs(ctx, &text);
  return dvt_shape_text_copy(&text);
}
