// The ready-made shape functions against TensorFlow 2.21.0. The file shape_fn_cases.txt holds one call a
// line:
//   function|outputs|attrs in text form|inputs|what stock inferred
// Inputs are shapes ("[2,?]", "?") or known values ("i32[2]=1,2"), divided by ';'. Stock's result is the
// shapes of the outputs, or "error". Ours must agree and may know more where stock says "?".
// tests/shapes/record_calls.py asks stock again, and for new calls.
#include "op/shape_fn_testing.h"

static const struct {
  const char *name;
  dvt_shape_fn fn;
} functions[] = {
    {"broadcast_binary", dvt_shape_fn_broadcast_binary},
    {"select", dvt_shape_fn_select},
    {"select_v2", dvt_shape_fn_select_v2},
    {"matmul", dvt_shape_fn_matmul},
    {"batch_matmul", dvt_shape_fn_batch_matmul},
    {"reduction", dvt_shape_fn_reduction},
    {"arg_extremum", dvt_shape_fn_arg_extremum},
    {"range", dvt_shape_fn_range},
    {"bias_add", dvt_shape_fn_bias_add},
    {"conv2d", dvt_shape_fn_conv2d},
    {"conv2d_backprop_input", dvt_shape_fn_conv2d_backprop_input},
    {"depthwise_conv2d", dvt_shape_fn_depthwise_conv2d},
    {"pool", dvt_shape_fn_pool},
    {"fused_batch_norm", dvt_shape_fn_fused_batch_norm},
    {"resize", dvt_shape_fn_resize},
    {"top_k", dvt_shape_fn_top_k},
    {"conv3d", dvt_shape_fn_conv3d},
    {"conv3d_backprop_input", dvt_shape_fn_conv3d_backprop_input},
    {"pool3d", dvt_shape_fn_pool3d},
    {"depth_to_space", dvt_shape_fn_depth_to_space},
    {"space_to_depth", dvt_shape_fn_space_to_depth},
    {"space_to_batch_nd", dvt_shape_fn_space_to_batch_nd},
    {"batch_to_space_nd", dvt_shape_fn_batch_to_space_nd},
    {"non_max_suppression", dvt_shape_fn_non_max_suppression},
    {"crop_and_resize", dvt_shape_fn_crop_and_resize},
    {"random", dvt_shape_fn_random},
    {"multinomial", dvt_shape_fn_multinomial},
    {"unchanged_rank_at_least_1", dvt_shape_fn_unchanged_rank_at_least_1},
    {"merge_inputs", dvt_shape_fn_merge_inputs},
    {"shape", dvt_shape_fn_shape},
    {"reshape", dvt_shape_fn_reshape},
    {"expand_dims", dvt_shape_fn_expand_dims},
    {"squeeze", dvt_shape_fn_squeeze},
    {"transpose", dvt_shape_fn_transpose},
    {"concat", dvt_shape_fn_concat},
    {"pack", dvt_shape_fn_pack},
    {"unpack", dvt_shape_fn_unpack},
    {"split", dvt_shape_fn_split},
    {"split_v", dvt_shape_fn_split_v},
    {"slice", dvt_shape_fn_slice},
    {"strided_slice", dvt_shape_fn_strided_slice},
    {"gather", dvt_shape_fn_gather},
    {"gather_nd", dvt_shape_fn_gather_nd},
    {"pad", dvt_shape_fn_pad},
    {"tile", dvt_shape_fn_tile},
    {"fill", dvt_shape_fn_fill},
    {"broadcast_to", dvt_shape_fn_broadcast_to},
    {"one_hot", dvt_shape_fn_one_hot},
    {"where", dvt_shape_fn_where},
    {"reverse_v2", dvt_shape_fn_reverse_v2},
    {"unique", dvt_shape_fn_unique},
    {"switch", dvt_shape_fn_switch},
    {"merge", dvt_shape_fn_merge},
    {"restore", dvt_shape_fn_restore},
    {"iterator_get_next", dvt_shape_fn_iterator_get_next},
    {"reduce_scatter", dvt_shape_fn_reduce_scatter},
    {"unchanged_rank_at_least_2", dvt_shape_fn_unchanged_rank_at_least_2},
    {"unchanged_rank_at_least_3", dvt_shape_fn_unchanged_rank_at_least_3},
    {"batch_matmul_v1", dvt_shape_fn_batch_matmul_v1},
    {"einsum", dvt_shape_fn_einsum},
    {"cross", dvt_shape_fn_cross},
    {"rfft", dvt_shape_fn_rfft},
    {"rfft2d", dvt_shape_fn_rfft2d},
    {"rfft3d", dvt_shape_fn_rfft3d},
    {"irfft", dvt_shape_fn_irfft},
    {"irfft2d", dvt_shape_fn_irfft2d},
    {"irfft3d", dvt_shape_fn_irfft3d},
    {"segment_reduction", dvt_shape_fn_segment_reduction},
    {"segment_reduction_with_num_segments", dvt_shape_fn_segment_reduction_with_num_segments},
    {"sparse_segment_reduction", dvt_shape_fn_sparse_segment_reduction},
    {"sparse_segment_reduction_with_num_segments", dvt_shape_fn_sparse_segment_reduction_with_num_segments},
    {"sparse_segment_reduction_grad", dvt_shape_fn_sparse_segment_reduction_grad},
    {"sparse_segment_reduction_grad_v2", dvt_shape_fn_sparse_segment_reduction_grad_v2},
    {"sparse_reduce", dvt_shape_fn_sparse_reduce},
    {"matrix_diag_part", dvt_shape_fn_matrix_diag_part},
    {"matrix_diag", dvt_shape_fn_matrix_diag},
    {"matrix_set_diag", dvt_shape_fn_matrix_set_diag},
    {"conv", dvt_shape_fn_conv},
    {"conv2d_backprop_filter", dvt_shape_fn_conv2d_backprop_filter},
    {"conv3d_backprop_filter", dvt_shape_fn_conv3d_backprop_filter},
    {"depthwise_conv2d_backprop_input", dvt_shape_fn_depthwise_conv2d_backprop_input},
    {"depthwise_conv2d_backprop_filter", dvt_shape_fn_depthwise_conv2d_backprop_filter},
    {"max_pool_v2", dvt_shape_fn_max_pool_v2},
    {"max_pool_grad", dvt_shape_fn_max_pool_grad},
    {"max_pool3d_grad", dvt_shape_fn_max_pool3d_grad},
    {"avg_pool_grad", dvt_shape_fn_avg_pool_grad},
    {"avg_pool3d_grad", dvt_shape_fn_avg_pool3d_grad},
    {"bias_add_grad", dvt_shape_fn_bias_add_grad},
    {"fused_batch_norm_grad", dvt_shape_fn_fused_batch_norm_grad},
    {"stateless_random", dvt_shape_fn_stateless_random},
    {"scatter_nd_update", dvt_shape_fn_scatter_nd_update},
    {"quantized_conv2d", dvt_shape_fn_quantized_conv2d},
    {"quantized_pool", dvt_shape_fn_quantized_pool},
    {"quantized_matmul", dvt_shape_fn_quantized_matmul},
    {"quantized_binary", dvt_shape_fn_quantized_binary},
    {"quantized_unchanged", dvt_shape_fn_quantized_unchanged},
    {"quantized_bias_add", dvt_shape_fn_quantized_bias_add},
    {"quantized_concat", dvt_shape_fn_quantized_concat},
    {"quantize", dvt_shape_fn_quantize},
    {"dequantize", dvt_shape_fn_dequantize},
};

static dvt_shape_fn find_function(const char *name) {
  for (size_t i = 0; i < DVT_COUNT_OF(functions); i++)
    if (strcmp(name, functions[i].name) == 0) return functions[i].fn;
  fail_msg("no shape function %s", name);
  return NULL;
}

// Does ours say all that stock says?
static bool refines(dvt_shape ours, const int64_t *stock, int stock_rank) {
  if (stock_rank < 0) return true;
  if (!ours || ours->rank != stock_rank) return false;
  for (int i = 0; i < stock_rank; i++)
    if (stock[i] >= 0 && ours->dims[i] != stock[i]) return false;
  return true;
}

static bool outputs_agree(call *c, const char *expected) {
  for (int i = 0; i < c->node.output_count; i++) {
    int64_t dims[DVT_MAX_RANK];
    int rank = read_dims(&expected, dims);
    if (!refines(c->outputs[i], dims, rank)) return false;
    if (*expected == ';') expected++;
  }
  return *expected == '\0';
}

static bool run_line(char *line) {
  char *part[5] = {line};
  for (int i = 1; i < 5; i++) {
    part[i] = strchr(part[i - 1], '|');
    assert_non_null(part[i]);
    *part[i]++ = '\0';
  }
  part[4][strcspn(part[4], "\n")] = '\0';
  call c;
  start(&c, find_function(part[0]), part[2]);
  c.node.output_count = atoi(part[1]);
  read_inputs(&c, part[3]);
  dvt_status status = dvt_shape_infer(&c.ctx);
  bool want_error = strcmp(part[4], "error") == 0;
  bool ok = want_error ? status != NULL : !status && outputs_agree(&c, part[4]);
  if (!ok) {
    dvt_buf text = {0};
    print_outcome(&c, status, &text);
    print_error("%s(", part[0]);
    for (int i = 0; i < c.node.input_count; i++) {
      dvt_buf input = {0};
      if (dvt_tensor_is_empty(&c.values[i]))
        dvt_shape_print(c.inputs[i], &input);
      else
        dvt_tensor_describe(&c.values[i], 8, &input);
      print_error("%s%s", i ? ", " : "", input.data);
      dvt_buf_deinit(&input);
    }
    print_error(") {%s}\n   ours  %s\n   stock %s\n", part[2], text.data, part[4]);
    dvt_buf_deinit(&text);
  }
  dvt_status_free(status);
  finish(&c);
  return ok;
}

static const char *cases_path = DVT_SOURCE_DIR "/src/op/shape_fn_cases.txt";

static void test_agree_with_stock(void **state) {
  (void)state;
  char line[4096];
  int wrong = 0, count = 0;
  FILE *file = fopen(cases_path, "r");
  assert_non_null(file);
  for (; fgets(line, sizeof line, file); count++) wrong += !run_line(line);
  fclose(file);
  assert_true(count > 0);
  if (wrong) fail_msg("%d of %d cases differ", wrong, count);
}

int main(int argc, char **argv) {
  if (argc > 1) cases_path = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_agree_with_stock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
