// Any bytes as an OpDef, as the signature of a function and as an attribute value.
#include <stdlib.h>

#include "op/op_def.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_list(dvt_str value, int kind) {
  dvt_attr_list list;
  uint64_t bits;
  dvt_str bytes;
  dvt_status status = dvt_attr_list_open(value, kind, &list);
  while (!status && dvt_attr_list_next(&list, &bits, &bytes)) {
  }
  dvt_status_free(status);
}

static void read_value(dvt_str value) {
  dvt_attr_info info;
  dvt_buf text = {0};
  dvt_status status = dvt_attr_inspect(value, &info);
  for (int kind = TF_ATTR_STRING; kind <= TF_ATTR_FUNC; kind++) read_list(value, kind);
  dvt_attr_describe(value, &text);
  if (!dvt_attr_equal(value, value)) abort();
  dvt_status_free(status);
  dvt_buf_deinit(&text);
}

static void read_op(dvt_str bytes, bool is_function) {
  dvt_arena arena = {0};
  const dvt_op_def *op, *copy;
  dvt_status status =
      is_function ? dvt_op_def_from_signature(bytes, &arena, &op) : dvt_op_def_from_proto(bytes, &arena, &op);
  if (!status) {
    dvt_buf wire = {0}, text = {0};
    dvt_op_def_describe(op, &text);
    dvt_op_def_to_proto(op, &wire);
    if (dvt_op_def_from_signature(dvt_buf_str(&wire), &arena, &copy)) abort();
    dvt_buf_deinit(&wire);
    dvt_buf_deinit(&text);
  }
  dvt_status_free(status);
  dvt_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dvt_str bytes = dvt_str_make((const char *)data, size);
  read_value(bytes);
  read_op(bytes, false);
  read_op(bytes, true);
  return 0;
}
