// dovetail/shape.h: what is known of the values behind resources and variants. Every change makes a new list;
// the one that a producer or another call holds stays as it was.
#include "capi/shape_handles.h"
#include "dovetail/shape.h"

static const dvt_handle_shapes *output_handle(const TF_ShapeInferenceContext *ctx, int i) {
  return ctx->output_handles && i >= 0 && i < ctx->node->output_count ? ctx->output_handles[i] : NULL;
}

static void get(TF_ShapeInferenceContext *ctx, const dvt_handle_shapes *handle, const char *what, int i,
                int index, TF_ShapeHandle *shape, TF_DataType *type, TF_Status *status) {
  int count = handle ? handle->count : 0;
  dvt_status error = NULL;
  if (index < 0 || index >= count)
    error = dvt_error(TF_INVALID_ARGUMENT, "value %d behind %s %d is out of range: %d are known", index, what,
                      i, count);
  if (!error && type) *type = (TF_DataType)handle->at[index].dtype;
  dvt_shape_store(ctx, error, error ? NULL : handle->at[index].shape, shape, status);
}

int TF_ShapeInferenceContext_NumInputHandleShapes(TF_ShapeInferenceContext *ctx, int i) {
  const dvt_handle_shapes *handle = dvt_shape_input_handle(ctx, i);
  return handle ? handle->count : -1;
}

void TF_ShapeInferenceContext_GetInputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i, int index,
                                                         TF_ShapeHandle *shape, TF_DataType *type,
                                                         TF_Status *status) {
  get(ctx, dvt_shape_input_handle(ctx, i), "input", i, index, shape, type, status);
}

int TF_ShapeInferenceContext_NumOutputHandleShapes(TF_ShapeInferenceContext *ctx, int i) {
  const dvt_handle_shapes *handle = output_handle(ctx, i);
  return handle ? handle->count : -1;
}

void TF_ShapeInferenceContext_GetOutputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i, int index,
                                                          TF_ShapeHandle *shape, TF_DataType *type,
                                                          TF_Status *status) {
  get(ctx, output_handle(ctx, i), "output", i, index, shape, type, status);
}

enum { MAX_VALUES = 1024 };  // no iterator has more components

// A list with the given values, in the arena of the shapes.
static dvt_status make(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *const *shapes, const TF_DataType *types,
                       int count, const dvt_handle_shapes **out_handle) {
  if (count < 0 || count > MAX_VALUES)
    return dvt_error(TF_INVALID_ARGUMENT, "%d values behind a handle; 0 to %d are possible", count,
                     MAX_VALUES);
  size_t bytes = sizeof(dvt_shape_and_type) * (size_t)count;
  dvt_shape_and_type *values = dvt_arena_alloc(&ctx->arena->arena, bytes);
  if (!values) return dvt_error_out_of_memory(bytes);
  for (int k = 0; k < count; k++)
    values[k] = (dvt_shape_and_type){dvt_handle_shape(ctx, shapes[k]), (int)types[k]};
  return dvt_handle_shapes_make(ctx->arena, values, count, out_handle);
}

void TF_ShapeInferenceContext_SetOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                            TF_ShapeHandle *const *shapes,
                                                            const TF_DataType *types, int num_values,
                                                            TF_Status *status) {
  const dvt_handle_shapes *handle = NULL;
  dvt_status error = NULL;
  if (i < 0 || i >= ctx->node->output_count)
    error = dvt_error(TF_INVALID_ARGUMENT, "output index out of range: %d, the node has %d outputs", i,
                      ctx->node->output_count);
  if (!error) error = make(ctx, shapes, types, num_values, &handle);
  if (!error && ctx->output_handles) ctx->output_handles[i] = handle;
  dvt_status_to_tf(error, status);
}

typedef dvt_status (*combine_fn)(dvt_shape_arena *arena, dvt_shape old_shape, dvt_shape new_shape,
                                 dvt_shape *out_shape);

// Shapes that contradict tell nothing new.
static dvt_status merge_or_keep(dvt_shape_arena *arena, dvt_shape old_shape, dvt_shape new_shape,
                                dvt_shape *out_shape) {
  dvt_status status = dvt_shape_merge(arena, old_shape, new_shape, out_shape);
  if (dvt_status_code(status) == TF_RESOURCE_EXHAUSTED) return status;
  if (status) *out_shape = old_shape;
  dvt_status_free(status);
  return NULL;
}

// Combines *at with the given values; *out_changed false leaves it as it is.
static dvt_status update(TF_ShapeInferenceContext *ctx, combine_fn combine, const dvt_handle_shapes *given,
                         const dvt_handle_shapes **at, bool *out_changed) {
  const dvt_handle_shapes *old = *at;
  bool changed = !old;
  *out_changed = false;
  if (old && old->count != given->count) return NULL;
  dvt_handle_shapes *combined = (dvt_handle_shapes *)given;  // made for this call alone
  for (int k = 0; old && k < old->count; k++) {
    dvt_shape_and_type *value = &combined->at[k];
    if (old->at[k].dtype && value->dtype != old->at[k].dtype) return NULL;
    changed = changed || value->dtype != old->at[k].dtype;
    DVT_RETURN_IF_ERROR(combine(ctx->arena, old->at[k].shape, value->shape, &value->shape));
    changed = changed || value->shape != old->at[k].shape;
  }
  if (changed) *at = combined;
  *out_changed = changed;
  return NULL;
}

static bool update_input(TF_ShapeInferenceContext *ctx, combine_fn combine, int i,
                         TF_ShapeHandle *const *shapes, const TF_DataType *types, int num_values) {
  const dvt_handle_shapes *given = NULL, *known;
  bool changed = false;
  size_t inputs = (size_t)ctx->node->input_count;
  if (i < 0 || i >= ctx->node->input_count) return false;
  if (!ctx->merged_input_handles)
    ctx->merged_input_handles =
        dvt_arena_calloc(&ctx->arena->arena, inputs, sizeof *ctx->merged_input_handles);
  if (!ctx->merged_input_handles) return false;
  known = dvt_shape_input_handle(ctx, i);
  dvt_status status = make(ctx, shapes, types, num_values, &given);
  if (!status) status = update(ctx, combine, given, &known, &changed);
  if (changed) ctx->merged_input_handles[i] = known;
  dvt_status_free(status);
  return changed;
}

static bool update_output(TF_ShapeInferenceContext *ctx, combine_fn combine, int i,
                          TF_ShapeHandle *const *shapes, const TF_DataType *types, int num_values) {
  const dvt_handle_shapes *given = NULL;
  bool changed = false;
  if (!ctx->output_handles || i < 0 || i >= ctx->node->output_count) return false;
  dvt_status status = make(ctx, shapes, types, num_values, &given);
  if (!status) status = update(ctx, combine, given, &ctx->output_handles[i], &changed);
  dvt_status_free(status);
  return changed;
}

bool TF_ShapeInferenceContext_MergeInputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                             TF_ShapeHandle *const *shapes,
                                                             const TF_DataType *types, int num_values) {
  return update_input(ctx, merge_or_keep, i, shapes, types, num_values);
}

bool TF_ShapeInferenceContext_RelaxInputHandleShapesAndMergeTypes(TF_ShapeInferenceContext *ctx, int i,
                                                                  TF_ShapeHandle *const *shapes,
                                                                  const TF_DataType *types, int num_values) {
  return update_input(ctx, dvt_shape_relax, i, shapes, types, num_values);
}

bool TF_ShapeInferenceContext_MergeOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                              TF_ShapeHandle *const *shapes,
                                                              const TF_DataType *types, int num_values) {
  return update_output(ctx, merge_or_keep, i, shapes, types, num_values);
}

bool TF_ShapeInferenceContext_RelaxOutputHandleShapesAndMergeTypes(TF_ShapeInferenceContext *ctx, int i,
                                                                   TF_ShapeHandle *const *shapes,
                                                                   const TF_DataType *types, int num_values) {
  return update_output(ctx, dvt_shape_relax, i, shapes, types, num_values);
}
