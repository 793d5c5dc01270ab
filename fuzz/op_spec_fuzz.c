// Op specs: each line of the input is a spec, its first byte says of what (a attr, i input, o output, n op
// name). What is accepted must survive a round trip through its OpDef, and make nodes.
#include <stdlib.h>

#include "op/node_def.h"
#include "op/op_def_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_line(TF_OpDefinitionBuilder *builder, dvt_str line) {
  if (line.len == 0) return;
  dvt_spec_kind kind = line.data[0] == 'i'   ? DVT_SPEC_INPUT
                       : line.data[0] == 'o' ? DVT_SPEC_OUTPUT
                                             : DVT_SPEC_ATTR;
  dvt_op_builder_add(builder, kind, dvt_str_drop(line, 1));
}

static TF_OpDefinitionBuilder *read_specs(dvt_str text) {
  dvt_str name = DVT_STR("Fuzz");
  if (text.len && text.data[0] == 'n') {
    size_t n = dvt_str_find(text, '\n');
    name = dvt_str_make(text.data + 1, n - 1);
    text = dvt_str_drop(text, n);
  }
  TF_OpDefinitionBuilder *builder = dvt_op_builder_new(name);
  while (builder && text.len) {
    size_t n = dvt_str_find(text, '\n');
    add_line(builder, dvt_str_make(text.data, n));
    text = dvt_str_drop(text, n < text.len ? n + 1 : n);
  }
  return builder;
}

static void use(const dvt_op_def *op, dvt_arena *arena) {
  dvt_buf wire = {0}, again = {0}, text = {0};
  const dvt_op_def *copy;
  dvt_op_def_to_proto(op, &wire);
  if (dvt_op_def_from_proto(dvt_buf_str(&wire), arena, &copy)) abort();
  dvt_op_def_to_proto(dvt_op_def_clone(copy, arena), &again);
  if (!dvt_str_eq(dvt_buf_str(&wire), dvt_buf_str(&again))) abort();
  dvt_op_def_describe(op, &text);
  dvt_node_def node = {.name = DVT_STR("n"), .op = op};
  dvt_status_free(dvt_node_resolve(&node, arena));
  dvt_buf_deinit(&wire);
  dvt_buf_deinit(&again);
  dvt_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TF_OpDefinitionBuilder *builder = read_specs(dvt_str_make((const char *)data, size));
  if (!builder) return 0;
  dvt_arena arena = {0};
  dvt_buf errors = {0}, scratch = {0};
  const dvt_op_def *op;
  dvt_status status = dvt_op_builder_finish(builder, &arena, &errors, &scratch, &op);
  if (!status) use(op, &arena);
  dvt_status_free(status);
  dvt_buf_deinit(&errors);
  dvt_buf_deinit(&scratch);
  dvt_arena_deinit(&arena);
  dvt_op_builder_delete(builder);
  return 0;
}
