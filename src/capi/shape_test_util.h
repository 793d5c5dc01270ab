// What tests of dovetail/shape.h share: the context of a node with three inputs, two outputs and an attribute
// of every kind.
#ifndef DVT_CAPI_SHAPE_TEST_UTIL_H_
#define DVT_CAPI_SHAPE_TEST_UTIL_H_

#include "base/testing.h"
#include "dovetail/shape.h"
#include "op/op_def_builder.h"
#include "op/shape_inference.h"
#include "tensor/tensor.h"

typedef struct fixture {
  dvt_shape_arena arena;
  dvt_arena op_arena;
  dvt_buf errors, scratch;
  TF_OpDefinitionBuilder *builder;
  dvt_node_def node;
  dvt_attr attrs[16];
  dvt_buf values[16];
  int16_t input_types[3], output_types[2];
  dvt_shape inputs[3], outputs[2];
  TF_Tensor constant;                     // value of input 1, when not empty
  const dvt_handle_shapes *input_handle;  // of input 0
  const dvt_handle_shapes *output_handles[2];
  TF_ShapeInferenceContext ctx;
  TF_Status *status;
  TF_ShapeHandle *a, *b, *r;
  TF_DimensionHandle *x, *y, *d;
} fixture;

static inline const TF_Tensor *input_tensor(void *arg, int index) {
  fixture *f = arg;
  return index == 1 && !dvt_tensor_is_empty(&f->constant) ? &f->constant : NULL;
}

static inline const dvt_handle_shapes *input_handle(void *arg, int index) {
  return index == 0 ? ((fixture *)arg)->input_handle : NULL;
}

static inline dvt_str input_name(void *arg, int index) {
  (void)arg;
  static const dvt_str names[] = {{"first", 5}, {"second:1", 8}, {"third", 5}};
  return names[index];
}

static inline dvt_buf *attr(fixture *f, const char *name) {
  int i = f->node.attr_count++;
  f->attrs[i].name = dvt_str_from(name);
  return &f->values[i];
}

static inline void add_attrs(fixture *f) {
  static const int64_t dims0[] = {2, -1}, dims1[] = {3};
  dvt_attr_put_int(attr(f, "i"), 5);
  dvt_attr_put_float(attr(f, "f"), 1.5f);
  dvt_attr_put_bool(attr(f, "b"), true);
  dvt_attr_put_string(attr(f, "s"), DVT_STR("text"));
  dvt_attr_put_shape(attr(f, "shape"), dims0, 2);
  dvt_attr_put_tensor_proto(attr(f, "t"), DVT_STR("\x08\x03\x12\x00\x3a\x01\x07"));
  dvt_attr_put_int_list(attr(f, "li"), (int64_t[]){1, 2, 3}, 3);
  dvt_attr_put_float_list(attr(f, "lf"), (float[]){1, 2.5f}, 2);
  dvt_attr_put_bool_list(attr(f, "lb"), (unsigned char[]){1, 0}, 2);
  dvt_attr_put_type_list(attr(f, "lt"), (int[]){TF_FLOAT, TF_BOOL}, 2);
  dvt_attr_put_string_list(attr(f, "ls"), (dvt_str[]){DVT_STR("ab"), DVT_STR("c")}, 2);
  dvt_attr_put_shape_list(attr(f, "lsh"), (const int64_t *const[]){dims0, NULL, dims1}, (int[]){2, -1, 1}, 3);
  dvt_attr_put_func_name(attr(f, "fn"), DVT_STR("g"));
  dvt_buf_append(attr(f, "lfn"), "\x0a\x0a\x4a\x03\x0a\x01g\x4a\x03\x0a\x01h", 12);
  dvt_buf_append(attr(f, "lten"), "\x0a\x09\x42\x07\x08\x03\x12\x00\x3a\x01\x07", 11);
  for (int i = 0; i < f->node.attr_count; i++) f->attrs[i].value = dvt_buf_str(&f->values[i]);
}

// Inputs x: [2,?], v: [3] and w: ?; outputs y and z.
static inline void set_up(fixture *f) {
  *f = (fixture){.builder = dvt_op_builder_new(DVT_STR("Op")),
                 .status = TF_NewStatus(),
                 .a = TF_NewShapeHandle(),
                 .b = TF_NewShapeHandle(),
                 .r = TF_NewShapeHandle(),
                 .x = TF_NewDimensionHandle(),
                 .y = TF_NewDimensionHandle(),
                 .d = TF_NewDimensionHandle()};
  dvt_op_builder_add(f->builder, DVT_SPEC_INPUT, DVT_STR("x: float"));
  dvt_op_builder_add(f->builder, DVT_SPEC_INPUT, DVT_STR("v: int32"));
  dvt_op_builder_add(f->builder, DVT_SPEC_INPUT, DVT_STR("w: float"));
  dvt_op_builder_add(f->builder, DVT_SPEC_OUTPUT, DVT_STR("y: float"));
  dvt_op_builder_add(f->builder, DVT_SPEC_OUTPUT, DVT_STR("z: float"));
  const dvt_op_def *op;
  assert_null(dvt_op_builder_finish(f->builder, &f->op_arena, &f->errors, &f->scratch, &op));
  memcpy(f->input_types, (int16_t[]){TF_FLOAT, TF_INT32, TF_FLOAT}, sizeof f->input_types);
  memcpy(f->output_types, (int16_t[]){TF_FLOAT, TF_FLOAT + 100}, sizeof f->output_types);
  f->node = (dvt_node_def){.name = DVT_STR("n"),
                           .op = op,
                           .attrs = f->attrs,
                           .input_count = 3,
                           .output_count = 2,
                           .input_types = f->input_types,
                           .output_types = f->output_types};
  add_attrs(f);
  assert_null(dvt_shape_make(&f->arena, (int64_t[]){2, -1}, 2, true, &f->inputs[0]));
  assert_null(dvt_shape_make(&f->arena, (int64_t[]){3}, 1, true, &f->inputs[1]));
  f->ctx = (TF_ShapeInferenceContext){.node = &f->node,
                                      .arena = &f->arena,
                                      .inputs = f->inputs,
                                      .outputs = f->outputs,
                                      .graph_def_version = 2474,
                                      .input_tensor = input_tensor,
                                      .input_handle = input_handle,
                                      .output_handles = f->output_handles,
                                      .input_name = input_name,
                                      .arg = f};
}

static inline void tear_down(fixture *f) {
  TF_DeleteStatus(f->status);
  TF_DeleteShapeHandle(f->a);
  TF_DeleteShapeHandle(f->b);
  TF_DeleteShapeHandle(f->r);
  TF_DeleteDimensionHandle(f->x);
  TF_DeleteDimensionHandle(f->y);
  TF_DeleteDimensionHandle(f->d);
  for (size_t i = 0; i < DVT_COUNT_OF(f->values); i++) dvt_buf_deinit(&f->values[i]);
  dvt_tensor_reset(&f->constant);
  dvt_op_builder_delete(f->builder);
  dvt_buf_deinit(&f->errors);
  dvt_buf_deinit(&f->scratch);
  dvt_arena_deinit(&f->op_arena);
  dvt_shape_arena_deinit(&f->arena);
}

static inline void expect_status(fixture *f, TF_Code code, const char *part) {
  if (TF_GetCode(f->status) != code || !strstr(TF_Message(f->status), part))
    fail_msg("got %d \"%s\", wanted %d with \"%s\"", (int)TF_GetCode(f->status), TF_Message(f->status),
             (int)code, part);
}
static inline void expect_ok(fixture *f) { expect_status(f, TF_OK, ""); }

static inline void expect_shape(fixture *f, TF_ShapeHandle *handle, const char *wanted) {
  char *text = TF_ShapeInferenceContext_DebugString(&f->ctx, handle);
  assert_string_equal(text, wanted);
  free(text);
}

static inline void dims(fixture *f, TF_ShapeHandle *handle, int rank, const int64_t *sizes) {
  TF_ShapeInferenceContext_MakeShapeFromDims(&f->ctx, sizes, rank, handle, f->status);
  expect_ok(f);
}
#define DIMS(f, handle, ...) \
  dims(f, handle, DVT_COUNT_OF(((int64_t[]){__VA_ARGS__})), (int64_t[]){__VA_ARGS__})

static inline void set_dim(fixture *f, TF_DimensionHandle *handle, int64_t size) {
  TF_DimensionHandle *made = TF_ShapeInferenceContext_MakeDim(&f->ctx, size);
  *handle = *made;
  TF_DeleteDimensionHandle(made);
}

#endif  // DVT_CAPI_SHAPE_TEST_UTIL_H_
