// The shape functions of list.so.
#include "list/shape.h"

#include "common/infer.h"

#define DEFINE(name) DVP_SHAPE_FN(dvl_shape_fn_##name)

// ---- lists ----

DEFINE(make_list) {
  dvp_infer_spelled(in, 0);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(scatter_list) {
  dvp_infer_spelled(in, 2);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(from_tensor) {
  dvp_infer_check(in, dvp_infer_tail(in, dvp_infer_input(in, 0)), dvp_infer_spelled(in, 1));
  dvp_infer_output_scalar(in, 0);
}
DEFINE(split_list) {
  TF_ShapeHandle *rows = dvp_infer_rows(in, 0);
  dvp_infer_ranked(in, 2, 1);
  TF_ShapeHandle *row = dvp_infer_tail(in, rows), *part = dvp_infer_join(in, dvp_infer_vector(in, -1), row);
  dvp_infer_check(in, part, dvp_infer_spelled(in, 1));
  dvp_infer_output_scalar(in, 0);
}
DEFINE(scatter_into_list) {
  dvp_infer_rows(in, 1);
  dvp_infer_ranked(in, 2, 1);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(resize_list) {
  dvp_infer_ranked(in, 1, 0);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(push_back_batch) {
  TF_ShapeHandle *lists = dvp_infer_ranked(in, 0, 1), *rows = dvp_infer_rows(in, 1);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_MergePrefix(in->ctx, rows, lists, rows, lists, in->status);
  dvp_infer_output(in, 0, lists);
}
DEFINE(concat_lists) {
  TF_ShapeHandle *a = dvp_infer_input(in, 0), *b = dvp_infer_input(in, 1), *both = dvp_infer_new(in);
  if (dvp_infer_fine(in)) TF_ShapeInferenceContext_Merge(in->ctx, a, b, both, in->status);
  dvp_infer_output(in, 0, both);
}
DEFINE(pop_back) { dvp_infer_output_scalar(in, 0); }
DEFINE(get_item) {
  TF_ShapeHandle *shape = dvp_infer_spelled(in, 2);
  dvp_infer_output(in, 0, shape);
}
DEFINE(stack) {
  int64_t count = -1;
  TF_ShapeInferenceContext_GetAttrInt(in->ctx, "num_elements", &count, in->status);
  TF_ShapeHandle *shape = dvp_infer_spelled(in, 1),
                 *whole = dvp_infer_join(in, dvp_infer_vector(in, count), shape);
  dvp_infer_output(in, 0, whole);
}
DEFINE(gather) {
  TF_ShapeHandle *shape = dvp_infer_spelled(in, 2),
                 *whole = dvp_infer_join(in, dvp_infer_input(in, 1), shape);
  dvp_infer_output(in, 0, whole);
}

static void output_concat(dvp_infer *in, TF_ShapeHandle *element) {
  if (dvp_infer_fine(in) && TF_ShapeInferenceContextRankKnown(in->ctx, element)) {
    TF_ShapeHandle *whole = dvp_infer_join(in, dvp_infer_vector(in, -1), dvp_infer_tail(in, element));
    dvp_infer_output(in, 0, whole);
  }
  TF_ShapeHandle *lengths = dvp_infer_vector(in, -1);
  dvp_infer_output(in, 1, lengths);
}
DEFINE(concat) {
  TF_ShapeHandle *element = dvp_infer_new(in);
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_GetAttrShape(in->ctx, "element_shape", element, in->status);
  output_concat(in, element);
}
DEFINE(concat_v2) { output_concat(in, dvp_infer_spelled(in, 1)); }

// ---- TensorArrays ----

// Stock declares the handle to be a vector of two, as it was when handles were strings.
static void check_handle(dvp_infer *in) {
  TF_ShapeHandle *handle = dvp_infer_ranked(in, 0, 1), *pair = dvp_infer_vector(in, 2);
  dvp_infer_check(in, handle, pair);
}

DEFINE(array) {
  TF_ShapeHandle *handle = dvp_infer_vector(in, 2);
  dvp_infer_output(in, 0, handle);
  dvp_infer_output_scalar(in, 1);
}
DEFINE(array_close) { check_handle(in); }
DEFINE(new_stack) {
  TF_ShapeHandle *handle = dvp_infer_vector(in, 2);
  dvp_infer_output(in, 0, handle);
}
DEFINE(push) {
  TF_ShapeHandle *shape = dvp_infer_input(in, 1);
  dvp_infer_output(in, 0, shape);
}
DEFINE(array_read) {
  check_handle(in);
  dvp_infer_ranked(in, 1, 0);
  dvp_infer_ranked(in, 2, 0);
}
DEFINE(array_write) {
  check_handle(in);
  dvp_infer_ranked(in, 1, 0);
  dvp_infer_ranked(in, 3, 0);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(array_gather) {
  check_handle(in);
  dvp_infer_ranked(in, 1, 1);
  dvp_infer_ranked(in, 2, 0);
}
DEFINE(array_scatter) {
  check_handle(in);
  TF_ShapeHandle *indices = dvp_infer_ranked(in, 1, 1), *value = dvp_infer_rows(in, 2);
  dvp_infer_ranked(in, 3, 0);
  if (dvp_infer_fine(in))
    TF_ShapeInferenceContext_MergePrefix(in->ctx, value, indices, value, indices, in->status);
  dvp_infer_output_scalar(in, 0);
}
DEFINE(array_concat) {
  check_handle(in);
  dvp_infer_ranked(in, 1, 0);
  TF_ShapeHandle *lengths = dvp_infer_vector(in, -1);
  dvp_infer_output(in, 1, lengths);
}
DEFINE(array_split) {
  check_handle(in);
  dvp_infer_ranked(in, 2, 1);
  dvp_infer_ranked(in, 3, 0);
  dvp_infer_output_scalar(in, 0);
}
