// The ready-made shape functions that stock's table (shape_fn_test.c) does not cover: those without inputs,
// with handles, identity of unknown dims, results that say more than stock's, and misuse.
#include "op/shape_fn_testing.h"

// Runs the function; the outcome, shapes or the start of an error, must be `expected`.
static void expect(dvt_shape_fn fn, const char *attrs, const char *inputs, int outputs,
                   const char *expected) {
  call c;
  char text[512];
  dvt_buf got = {0};
  snprintf(text, sizeof text, "%s", inputs);
  start(&c, fn, attrs);
  c.node.output_count = outputs;
  read_inputs(&c, text);
  dvt_status status = dvt_shape_infer(&c.ctx);
  print_outcome(&c, status, &got);
  const char *message = got.data ? got.data : "";
  if (status ? strncmp(message, expected, strlen(expected)) != 0 : strcmp(message, expected) != 0)
    fail_msg("(%s) {%s}: got %s, wanted %s", inputs, attrs, message, expected);
  dvt_status_free(status);
  dvt_buf_deinit(&got);
  finish(&c);
}

static void test_general_functions(void **state) {
  (void)state;
  expect(dvt_shape_fn_unknown, "", "[2]", 2, "?;?");
  expect(dvt_shape_fn_no_outputs, "", "[2]", 0, "");
  expect(dvt_shape_fn_scalar, "", "[2]", 2, "[];[]");
  expect(dvt_shape_fn_unchanged, "", "[2,?]", 1, "[2,?]");
  expect(dvt_shape_fn_unchanged_vector, "", "?", 1, "[?]");
  expect(dvt_shape_fn_unchanged_vector, "", "[2,2]", 1, "Shape must be rank 1 but is rank 2");
  expect(dvt_shape_fn_identity_list, "", "[2];?;[]", 3, "[2];?;[]");
  expect(dvt_shape_fn_identity_list, "", "[2];?;[]", 2, "dvt_shape_fn_identity_list: 3 inputs but 2 outputs");
}

#define INT(name, value) "attr { key: '" name "' value { i: " value " } }"

// A mask with only the sign bit has no bit below it to clear.
static void test_extreme_masks(void **state) {
  (void)state;
  expect(dvt_shape_fn_strided_slice,
         INT("begin_mask", "0") INT("end_mask", "0") INT("ellipsis_mask", "-9223372036854775808")
             INT("new_axis_mask", "0") INT("shrink_axis_mask", "0"),
         "[2,2];i32[1]=0;i32[1]=1;i32[1]=1", 1, "[1,2]");
}

#define SHAPES(name)   \
  "attr { key: '" name \
  "' value { list { shape { dim { size: 2 } } shape { unknown_rank: true } shape { } } } }"

static void test_output_shapes(void **state) {
  (void)state;
  expect(dvt_shape_fn_output_shapes, SHAPES("output_shapes"), "", 3, "[2];?;[]");
  expect(dvt_shape_fn_output_shapes, SHAPES("_output_shapes"), "", 3, "[2];?;[]");
  expect(dvt_shape_fn_output_shapes, SHAPES("output_shapes"), "", 2,
         "`output_shapes` has 3 shapes but the node has 2");
  expect(dvt_shape_fn_output_shapes, "attr { key: 'output_shapes' value { list { } } }", "", 2, "?;?");
  expect(dvt_shape_fn_output_shapes, "", "", 1, "?");
}

// What the definitions of Enter, LoopCond and While say; loops may change shapes where nothing says they do
// not.
static void test_control_flow(void **state) {
  (void)state;
  expect(dvt_shape_fn_enter, "attr { key: 'is_constant' value { b: false } }", "[2,3]", 1, "?");
  expect(dvt_shape_fn_enter, "attr { key: 'is_constant' value { b: true } }", "[2,3]", 1, "[2,3]");
  expect(dvt_shape_fn_enter, "", "[2]", 1, "?");
  expect(dvt_shape_fn_unchanged_scalar, "", "[]", 1, "[]");
  expect(dvt_shape_fn_unchanged_scalar, "", "?", 1, "[]");
  expect(dvt_shape_fn_unchanged_scalar, "", "[2]", 1, "Shape must be rank 0 but is rank 1");
  expect(dvt_shape_fn_while, "", "[2];?", 2, "[2];?");
  expect(dvt_shape_fn_while, "attr { key: 'output_shapes' value { list { } } }", "[2];[?]", 2, "[2];[?]");
  expect(dvt_shape_fn_while, SHAPES("output_shapes"), "[5];[6];[7]", 3, "[2];?;[]");
  expect(dvt_shape_fn_while, SHAPES("output_shapes"), "[5];[6]", 2,
         "`output_shapes` has 3 shapes but the node has 2");
}

#define SHAPE_ATTR(shape) "attr { key: 'shape' value { shape { " shape " } } }"

static void test_sources(void **state) {
  (void)state;
  expect(dvt_shape_fn_const,
         "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } dim { size: 0 "
         "} } } } }",
         "", 1, "[3,0]");
  expect(dvt_shape_fn_const, "attr { key: 'value' value { i: 1 } }", "", 1,
         "AttrValue had value with type 'int' when 'tensor' expected");
  expect(dvt_shape_fn_const, "", "", 1, "No attr named 'value' in NodeDef");
  expect(dvt_shape_fn_placeholder, SHAPE_ATTR("dim { size: 2 } dim { size: -1 }"), "", 1, "[2,?]");
  expect(dvt_shape_fn_placeholder, SHAPE_ATTR("unknown_rank: true"), "", 1, "?");
  expect(dvt_shape_fn_placeholder, SHAPE_ATTR(""), "", 1, "[]");
  expect(dvt_shape_fn_placeholder, "", "", 1, "?");
  expect(dvt_shape_fn_placeholder_with_default, SHAPE_ATTR("dim { size: -1 }"), "[4]", 1, "[?]");
  expect(dvt_shape_fn_placeholder_with_default, SHAPE_ATTR("dim { size: 3 }"), "[4]", 1,
         "Dimension 0 in both shapes");
  expect(dvt_shape_fn_var_handle, "", "", 1, "[]");
}

// Graphs up to version 21 could not write an unknown shape.
static void test_old_placeholders_are_unknown(void **state) {
  (void)state;
  call c;
  start(&c, dvt_shape_fn_placeholder, SHAPE_ATTR(""));
  c.node.output_count = 1;
  c.ctx.graph_def_version = 21;
  assert_null(dvt_shape_infer(&c.ctx));
  assert_null(c.outputs[0]);
  finish(&c);
}

static void test_joining_and_scattering(void **state) {
  (void)state;
  expect(dvt_shape_fn_concat_v1, "", "i32[]=1;[2,3];[?,4]", 1, "[2,7]");
  expect(dvt_shape_fn_concat_offset, "", "[];[3];[3]", 2, "[3];[3]");
  expect(dvt_shape_fn_scatter_nd, "", "[2,1];[2];i32[2]=4,5", 1, "[4,5]");
}

static const dvt_handle_shapes *float_3_4(void *arg, int index) {
  call *c = arg;
  const dvt_handle_shapes *handle;
  dvt_shape_and_type value = {shape_of(&c->arena, (int64_t[]){3, 4}, 2), TF_FLOAT};
  assert_int_equal(index, 0);
  assert_null(dvt_handle_shapes_make(&c->arena, &value, 1, &handle));
  return handle;
}

static void expect_with_handle(dvt_shape_fn fn, const char *attrs, const char *inputs, int outputs,
                               const char *expected) {
  call c;
  char text[64];
  dvt_buf got = {0};
  snprintf(text, sizeof text, "%s", inputs);
  start(&c, fn, attrs);
  c.node.output_count = outputs;
  c.ctx.input_handle = float_3_4;
  read_inputs(&c, text);
  dvt_status status = dvt_shape_infer(&c.ctx);
  print_outcome(&c, status, &got);
  assert_int_equal(strncmp(got.data ? got.data : "", expected, strlen(expected)), 0);
  dvt_status_free(status);
  dvt_buf_deinit(&got);
  finish(&c);
}

static void test_variables(void **state) {
  (void)state;
  expect(dvt_shape_fn_read_variable, "", "[]", 1, "?");
  expect(dvt_shape_fn_read_variable, "", "[2]", 1, "Shape must be rank 0 but is rank 1");
  expect(dvt_shape_fn_assign_variable, "", "[];[7]", 0, "");
  expect_with_handle(dvt_shape_fn_read_variable, "", "[]", 1, "[3,4]");
  expect_with_handle(dvt_shape_fn_assign_variable, "", "[];[3,?]", 0, "");
  expect_with_handle(dvt_shape_fn_assign_variable, "", "[];[3,5]", 0,
                     "Dimension 1 in both shapes must be equal");
  expect_with_handle(dvt_shape_fn_resource_gather, "", "[];[?,2]", 1, "[?,2,4]");
}

static void test_reading_needs_the_declared_dtype(void **state) {
  (void)state;
  expect_with_handle(dvt_shape_fn_read_variable, "attr { key: 'dtype' value { type: DT_FLOAT } }", "[]", 1,
                     "[3,4]");
  expect_with_handle(dvt_shape_fn_read_variable, "attr { key: 'dtype' value { type: DT_INT32 } }", "[]", 1,
                     "Trying to read variable with wrong dtype. Expected float got int32");
}

static void test_handles_travel(void **state) {
  (void)state;
  static const struct {
    dvt_shape_fn fn;
    const char *inputs;
    int outputs;
  } cases[] = {{dvt_shape_fn_unchanged, "[]", 1},
               {dvt_shape_fn_identity_list, "[]", 1},
               {dvt_shape_fn_switch, "[];[]", 2}};
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    call c;
    char text[16];
    const dvt_handle_shapes *handles[2] = {NULL, NULL};
    snprintf(text, sizeof text, "%s", cases[i].inputs);
    start(&c, cases[i].fn, "");
    c.node.output_count = cases[i].outputs;
    c.ctx.input_handle = float_3_4;
    c.ctx.output_handles = handles;
    read_inputs(&c, text);
    assert_null(dvt_shape_infer(&c.ctx));
    for (int k = 0; k < cases[i].outputs; k++) {
      assert_non_null(handles[k]);
      assert_int_equal(handles[k]->at[0].dtype, TF_FLOAT);
      assert_int_equal(handles[k]->at[0].shape->dims[1], 4);
    }
    finish(&c);
  }
}

static void test_a_variable_declares_itself(void **state) {
  (void)state;
  call c;
  const dvt_handle_shapes *handle = NULL;
  start(&c, dvt_shape_fn_var_handle,
        "attr { key: 'shape' value { shape { dim { size: 5 } } } }"
        "attr { key: 'dtype' value { type: DT_DOUBLE } }");
  c.node.output_count = 1;
  c.ctx.output_handles = &handle;
  assert_null(dvt_shape_infer(&c.ctx));
  assert_int_equal(handle->count, 1);
  assert_int_equal(handle->at[0].dtype, TF_DOUBLE);
  assert_int_equal(handle->at[0].shape->dims[0], 5);
  finish(&c);
}

static void test_shapes_from_attributes(void **state) {
  (void)state;
  expect(dvt_shape_fn_explicit_shape, "attr { key: 'shape' value { shape { dim { size: 2 } } } }", "", 1,
         "[2]");
  expect(dvt_shape_fn_explicit_shape, "", "", 1, "No attr named 'shape'");
  expect(dvt_shape_fn_explicit_shapes, SHAPES("shapes"), "", 3, "[2];?;[]");
  expect(dvt_shape_fn_explicit_shapes, SHAPES("shapes"), "", 2,
         "`shapes` must have one shape for each of the 2");
  expect(dvt_shape_fn_explicit_shapes, SHAPES("shapes"), "", 4,
         "`shapes` must have one shape for each of the 4");
}

static void test_unchanged_of_a_rank(void **state) {
  (void)state;
  expect(dvt_shape_fn_unchanged_rank_at_most_1, "", "[3]", 1, "[3]");
  expect(dvt_shape_fn_unchanged_rank_at_most_1, "", "[3,4]", 1, "Shape must be at most rank 1 but is rank 2");
  expect(dvt_shape_fn_unchanged_matrix, "", "?", 1, "[?,?]");
  expect(dvt_shape_fn_unchanged_matrix, "", "[3]", 1, "Shape must be rank 2 but is rank 1");
}

static void test_state(void **state) {
  (void)state;
  expect(dvt_shape_fn_variable_shape, "", "[]", 1, "[?]");
  expect_with_handle(dvt_shape_fn_variable_shape, "", "[]", 1, "[2]");
  expect_with_handle(dvt_shape_fn_resource_scatter_update, "", "[];[7];[7,?]", 0, "");
  expect_with_handle(dvt_shape_fn_resource_scatter_update, "", "[];[7];[]", 0, "");
  expect_with_handle(dvt_shape_fn_resource_scatter_update, "", "[];[7];[7,5]", 0,
                     "Dimension 1 in both shapes must be equal, but are 5 and 4");
  expect_with_handle(dvt_shape_fn_scatter_nd_update, "", "[];[2,1];[2,4]", 0, "");
  expect_with_handle(dvt_shape_fn_scatter_nd_update, "", "[];[2,1];[2,5]", 0, "Dimension 0 in both shapes");
  expect_with_handle(dvt_shape_fn_gather_nd, "", "[];[7,1]", 1, "[7,4]");
  expect_with_handle(dvt_shape_fn_gather_nd, "", "[];[7,3]", 1, "indices.shape[-1] must be <= params.rank");
  expect(dvt_shape_fn_assign, "", "[?,2];[3,?]", 1, "[3,2]");
  expect(dvt_shape_fn_assign, "", "[4];[3]", 1, "Dimension 0 in both shapes must be equal");
  expect(dvt_shape_fn_assign, "attr { key: 'validate_shape' value { b: false } }", "[4];[3]", 1, "[3]");
}

// Stock reads an unknown length as -1, and an unknown band as the main diagonal, and gives errors or shapes
// from that.
static void test_bands_that_are_not_known(void **state) {
  (void)state;
  expect(dvt_shape_fn_matrix_diag, "", "[?];i32[]=0;i32[]=5;i32[]=4;[]", 1, "[5,4]");
  expect(dvt_shape_fn_matrix_diag, "", "[7,?,1];i32[2]=0,2;i32[]=-1;i32[]=-1;[]", 1, "[7,1,1]");
  expect(dvt_shape_fn_matrix_set_diag, "", "?;[3,3,1];[]", 1, "?");
  expect(dvt_shape_fn_matrix_set_diag, "", "[?,?,4];[2,3,3];i32[2]=-1,1", 1, "[2,?,4]");
}

// Graphs of before version 21 may give axes as a matrix.
static void test_axes_of_old_graphs(void **state) {
  (void)state;
  static const struct {
    int version;
    const char *inputs, *wanted;
  } cases[] = {{20, "[2,4,5];i32[2,1]=-1,-2", "[2,1,1]"},
               {20, "[?,?,?];[?,?]", "[?,?,?]"},
               {21, "[?,?,?];[?,?]", "Shape must be at most rank 1 but is rank 2"}};
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    call c;
    char inputs[64];
    dvt_buf text = {0};
    start(&c, dvt_shape_fn_reduction, "attr { key: 'keep_dims' value { b: true } }");
    c.node.output_count = 1;
    c.ctx.graph_def_version = cases[i].version;
    snprintf(inputs, sizeof inputs, "%s", cases[i].inputs);
    read_inputs(&c, inputs);
    dvt_status status = dvt_shape_infer(&c.ctx);
    print_outcome(&c, status, &text);
    assert_memory_equal(text.data, cases[i].wanted, strlen(cases[i].wanted));
    dvt_buf_deinit(&text);
    dvt_status_free(status);
    finish(&c);
  }
}

// Stock makes the innermost dimension 4, whatever it was.
static void test_vectors_of_32_channels(void **state) {
  (void)state;
  expect(dvt_shape_fn_pool,
         "attr { key: 'data_format' value { s: 'NCHW_VECT_C' } } attr { key: 'padding' value { s: 'VALID' } }"
         "attr { key: 'ksize' value { list { i: [1, 1, 2, 2] } } }"
         "attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } }",
         "[2,3,8,8,32]", 1, "[2,3,7,7,32]");
}

// Ours knows more than stock: the rank where only an axis is unknown.
static void test_ranks_survive_unknown_values(void **state) {
  (void)state;
  expect(dvt_shape_fn_expand_dims, "", "[2,3];[]", 1, "[?,?,?]");
  expect(dvt_shape_fn_pad, "", "[2,3];[?,2]", 1, "[?,?]");
  expect(dvt_shape_fn_split_v, "", "[4];i32[2]=1,-1;[]", 2, "[1];[3]");
  expect(dvt_shape_fn_broadcast_to, "", "[4,1];[3]", 1, "[?,4,?]");
}

static call *symbols(dvt_shape_fn fn, const char *attrs, const char *inputs, int outputs) {
  static call c;
  char text[128];
  snprintf(text, sizeof text, "%s", inputs);
  start(&c, fn, attrs);
  c.node.output_count = outputs;
  read_inputs(&c, text);
  assert_null(dvt_shape_infer(&c.ctx));
  return &c;
}

#define STRIDED(begin, end, shrink)                                                            \
  "attr { key: 'begin_mask' value { i: " begin " } } attr { key: 'end_mask' value { i: " end   \
  " } } "                                                                                      \
  "attr { key: 'ellipsis_mask' value { i: 0 } } attr { key: 'new_axis_mask' value { i: 0 } } " \
  "attr { key: 'shrink_axis_mask' value { i: " shrink " } }"

static void test_unknown_dims_keep_their_identity(void **state) {
  (void)state;
  call *c = symbols(dvt_shape_fn_broadcast_binary, "", "[?,3];[3]", 1);
  assert_true(c->outputs[0]->dims[0] == c->inputs[0]->dims[0]);
  finish(c);
  c = symbols(dvt_shape_fn_reshape, "", "[?,2,3];i32[2]=-1,6", 1);
  assert_true(c->outputs[0]->dims[0] == c->inputs[0]->dims[0]);
  finish(c);
  c = symbols(dvt_shape_fn_reshape, "", "[?,2,3];i32[2]=-1,3", 1);
  assert_true(c->outputs[0]->dims[0] < 0 && c->outputs[0]->dims[0] != c->inputs[0]->dims[0]);
  finish(c);
  c = symbols(dvt_shape_fn_strided_slice, STRIDED("1", "1", "2"), "[?,3];i32[2]=0,1;i32[2]=0,2;i32[2]=1,1",
              1);
  assert_int_equal(c->outputs[0]->rank, 1);
  assert_true(c->outputs[0]->dims[0] == c->inputs[0]->dims[0]);
  finish(c);
  c = symbols(dvt_shape_fn_transpose, "", "[?,3,?];i32[3]=2,1,0", 1);
  assert_true(c->outputs[0]->dims[0] == c->inputs[0]->dims[2]);
  assert_true(c->outputs[0]->dims[2] == c->inputs[0]->dims[0]);
  finish(c);
  c = symbols(dvt_shape_fn_conv2d,
              "attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } } attr { key: 'padding' value { s: "
              "'SAME' } }",
              "[?,?,?,3];[3,3,3,8]", 1);
  for (int i = 0; i < 3; i++) assert_true(c->outputs[0]->dims[i] == c->inputs[0]->dims[i]);
  assert_true(c->outputs[0]->dims[3] == 8);
  finish(c);
}

static void test_misuse_is_an_error(void **state) {
  (void)state;
  expect(dvt_shape_fn_matmul, "", "[2,3]", 1,
         "shape function dvt_shape_fn_matmul needs at least 2 inputs and 1 outputs");
  expect(dvt_shape_fn_unchanged, "", "[2]", 0, "shape function dvt_shape_fn_unchanged needs");
  expect(dvt_shape_fn_matmul, "", "[2,3];[3,2]", 1, "No attr named 'transpose_a'");
  expect(dvt_shape_fn_pool, "attr { key: 'strides' value { list { i: [1, 1] } } }", "[1,2,3,4]", 1,
         "Op requires the strides attribute to contain 4 values, but got: 2");
  expect(dvt_shape_fn_reduction, "", "[2];f32[1]=0", 1, "Input tensor must be int32 or int64, but was float");
}

static void test_sizes_that_overflow_are_errors(void **state) {
  (void)state;
  expect(dvt_shape_fn_tile, "", "[4611686018427387904];i64[1]=2", 1,
         "Negative dimension size caused by overflow");
  expect(dvt_shape_fn_pad, "", "[9223372036854775807];i64[1,2]=1,0", 1,
         "Dimension size overflow from adding");
  expect(dvt_shape_fn_reshape, "", "[4611686018427387904,4];i64[1]=-1", 1,
         "Negative dimension size caused by overflow");
  expect(dvt_shape_fn_range, "", "i64[]=-9223372036854775808;i64[]=9223372036854775807;i64[]=1", 1,
         "the range would have more than 2^63 elements");
  expect(dvt_shape_fn_range, "", "f64[]=0;f64[]=1e300;f64[]=1e-300", 1,
         "the range would have more than 2^63 elements");
  expect(dvt_shape_fn_fill, "", "[255]", 1, "a shape of rank 255 was asked for; the highest rank is 254");
  expect(dvt_shape_fn_fill, "", "i64[1]=-2", 1, "Invalid value in tensor used for shape: -2");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_general_functions),
      cmocka_unit_test(test_output_shapes),
      cmocka_unit_test(test_control_flow),
      cmocka_unit_test(test_extreme_masks),
      cmocka_unit_test(test_sources),
      cmocka_unit_test(test_old_placeholders_are_unknown),
      cmocka_unit_test(test_joining_and_scattering),
      cmocka_unit_test(test_variables),
      cmocka_unit_test(test_reading_needs_the_declared_dtype),
      cmocka_unit_test(test_handles_travel),
      cmocka_unit_test(test_a_variable_declares_itself),
      cmocka_unit_test(test_shapes_from_attributes),
      cmocka_unit_test(test_unchanged_of_a_rank),
      cmocka_unit_test(test_state),
      cmocka_unit_test(test_bands_that_are_not_known),
      cmocka_unit_test(test_axes_of_old_graphs),
      cmocka_unit_test(test_vectors_of_32_channels),
      cmocka_unit_test(test_ranks_survive_unknown_values),
      cmocka_unit_test(test_unknown_dims_keep_their_identity),
      cmocka_unit_test(test_misuse_is_an_error),
      cmocka_unit_test(test_sizes_that_overflow_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
