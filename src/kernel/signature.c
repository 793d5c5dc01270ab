// MatchSignature: do a node's dtypes equal those that a kernel expects?
#include "kernel/signature.h"

#include "tensor/dtype.h"

static bool fits(int expected, int actual) {
  return expected == actual || expected + DVT_DTYPE_REF_OFFSET == actual;
}

static bool all_fit(const TF_DataType *expected, int expected_count, const int16_t *actual, int count) {
  if (expected_count != count) return false;
  for (int i = 0; i < count; i++)
    if (!fits((int)expected[i], actual[i])) return false;
  return true;
}

static void list_types(dvt_buf *out, const TF_DataType *types, int count) {
  for (int i = 0; i < count; i++) dvt_buf_printf(out, "%s%s", i ? ", " : "", dvt_dtype_name((int)types[i]));
}

static void list_actual(dvt_buf *out, const int16_t *types, int count) {
  for (int i = 0; i < count; i++) dvt_buf_printf(out, "%s%s", i ? ", " : "", dvt_dtype_name(types[i]));
}

static dvt_status DVT_COLD mismatch(const dvt_node_def *node, const TF_DataType *inputs, int input_count,
                                    const TF_DataType *outputs, int output_count) {
  dvt_buf text = {0};
  list_actual(&text, node->input_types, node->input_count);
  dvt_buf_append_str(&text, DVT_STR("->"));
  list_actual(&text, node->output_types, node->output_count);
  dvt_buf_append_str(&text, DVT_STR(" expected: "));
  list_types(&text, inputs, input_count);
  dvt_buf_append_str(&text, DVT_STR("->"));
  list_types(&text, outputs, output_count);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT, "Signature mismatch, have: " DVT_STR_FMT,
                                DVT_STR_ARG(dvt_buf_str(&text)));
  dvt_buf_deinit(&text);
  return status;
}

dvt_status dvt_node_match_signature(const dvt_node_def *node, const TF_DataType *inputs, int input_count,
                                    const TF_DataType *outputs, int output_count) {
  if (input_count < 0 || output_count < 0 || (input_count > 0 && !inputs) || (output_count > 0 && !outputs))
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "the expected signature has %d inputs or %d outputs, which is negative, or their array is "
        "NULL",
        input_count, output_count);
  if (all_fit(inputs, input_count, node->input_types, node->input_count) &&
      all_fit(outputs, output_count, node->output_types, node->output_count))
    return NULL;
  return mismatch(node, inputs, input_count, outputs, output_count);
}
