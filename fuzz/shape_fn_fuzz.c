// Ready-made shape functions on nodes that nobody checked. Lines of the input: the function, its number of
// outputs, the attrs as the text of a NodeDef, then an input each: "[2,?]", "?" or, with a known value,
// "i[2]=1,2" ("l": 64 bits). What they infer must be shapes: ranks up to the highest, no size that is neither
// known nor an unknown.
#include <stdlib.h>

#include "base/schema.h"
#include "dovetail/shape_fn.h"
#include "op/shape_inference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUNCTIONS(X)                                                                                         \
  X(unknown)                                                                                                 \
  X(no_outputs) X(scalar) X(unchanged) X(unchanged_vector) X(unchanged_rank_at_least_1) X(                   \
      unchanged_rank_at_least_2) X(unchanged_rank_at_least_3) X(unchanged_rank_at_most_1)                    \
      X(unchanged_matrix) X(explicit_shape) X(explicit_shapes) X(merge_inputs) X(identity_list) X(           \
          output_shapes) X(broadcast_binary) X(select) X(select_v2) X(matmul) X(batch_matmul) X(reduction)   \
          X(arg_extremum) X(range) X(batch_matmul_v1) X(einsum) X(cross) X(rfft) X(rfft2d) X(rfft3d) X(      \
              irfft) X(irfft2d) X(irfft3d) X(segment_reduction) X(segment_reduction_with_num_segments)       \
              X(sparse_segment_reduction) X(sparse_segment_reduction_with_num_segments) X(                   \
                  sparse_segment_reduction_grad) X(sparse_segment_reduction_grad_v2) X(sparse_reduce)        \
                  X(matrix_diag_part) X(matrix_diag) X(matrix_set_diag) X(bias_add) X(conv2d) X(             \
                      conv2d_backprop_input) X(depthwise_conv2d) X(pool) X(fused_batch_norm) X(conv)         \
                      X(conv2d_backprop_filter) X(conv3d_backprop_filter) X(depthwise_conv2d_backprop_input) \
                          X(depthwise_conv2d_backprop_filter) X(max_pool_v2) X(max_pool_grad) X(             \
                              max_pool3d_grad) X(avg_pool_grad) X(avg_pool3d_grad) X(bias_add_grad)          \
                              X(fused_batch_norm_grad) X(resize) X(top_k) X(conv3d) X(conv3d_backprop_input) \
                                  X(pool3d) X(depth_to_space) X(space_to_depth) X(space_to_batch_nd) X(      \
                                      batch_to_space_nd) X(non_max_suppression) X(crop_and_resize) X(random) \
                                      X(stateless_random) X(multinomial) X(const) X(placeholder) X(          \
                                          placeholder_with_default) X(shape) X(reshape) X(expand_dims)       \
                                          X(squeeze) X(transpose) X(concat) X(concat_v1) X(concat_offset) X( \
                                              pack) X(unpack) X(split) X(split_v) X(slice) X(strided_slice)  \
                                              X(gather) X(gather_nd) X(scatter_nd) X(pad) X(tile) X(fill) X( \
                                                  broadcast_to) X(one_hot)                                   \
                                                  X(where) X(reverse_v2) X(unique) X(scatter_nd_update) X(   \
                                                      quantized_conv2d)                                      \
                                                      X(quantized_pool) X(quantized_matmul) X(               \
                                                          quantized_binary) X(quantized_unchanged)           \
                                                          X(quantized_bias_add) X(quantized_concat) X(       \
                                                              quantize) X(dequantize)                        \
                                                              X(reduce_scatter) X(var_handle)                \
                                                                  X(read_variable) X(resource_gather) X(     \
                                                                      assign_variable) X(variable_shape)     \
                                                                      X(resource_scatter_update) X(assign)   \
                                                                          X(iterator_get_next) X(restore)    \
                                                                              X(switch) X(merge) X(enter)    \
                                                                                  X(unchanged_scalar)        \
                                                                                      X(while)

static const struct {
  dvt_str name;
  dvt_shape_fn fn;
} functions[] = {
#define ROW(function) {{#function, sizeof #function - 1}, dvt_shape_fn_##function},
    FUNCTIONS(ROW)
#undef ROW
};

enum { MAX_INPUTS = 8, MAX_OUTPUTS = 16, MAX_VALUES = 64, MAX_ATTRS = 32 };

typedef struct call {
  dvt_shape_arena arena;
  dvt_op_def op;
  dvt_node_def node;
  dvt_attr attrs[MAX_ATTRS];
  dvt_shape inputs[MAX_INPUTS], outputs[MAX_OUTPUTS];
  TF_Tensor values[MAX_INPUTS];  // empty = not known
} call;

static const TF_Tensor *known_value(void *arg, int index) {
  const TF_Tensor *value = &((call *)arg)->values[index];
  return dvt_tensor_is_empty(value) ? NULL : value;
}

static dvt_str next_line(dvt_str *rest) {
  size_t n = dvt_str_find(*rest, '\n');
  dvt_str line = dvt_str_make(rest->data, n);
  *rest = dvt_str_drop(*rest, n < rest->len ? n + 1 : n);
  return line;
}

// A name that is no function's stands for some function all the same.
static dvt_shape_fn find_function(dvt_str name) {
  size_t sum = 0;
  for (size_t i = 0; i < DVT_COUNT_OF(functions); i++)
    if (dvt_str_eq(name, functions[i].name)) return functions[i].fn;
  for (size_t i = 0; i < name.len; i++) sum = sum * 31 + (unsigned char)name.data[i];
  return functions[sum % DVT_COUNT_OF(functions)].fn;
}

// Numbers and question marks up to a ']' or the end; -1 for the latter.
static int read_numbers(dvt_str *rest, int64_t *numbers, int capacity) {
  int count = 0;
  while (rest->len && rest->data[0] != ']' && count < capacity) {
    bool minus = rest->data[0] == '-', is_number = false;
    uint64_t value = 0;
    if (minus) *rest = dvt_str_drop(*rest, 1);
    for (; rest->len && rest->data[0] >= '0' && rest->data[0] <= '9'; *rest = dvt_str_drop(*rest, 1)) {
      value = value * 10 + (uint64_t)(rest->data[0] - '0');
      is_number = true;
    }
    numbers[count++] = is_number ? (int64_t)(minus ? 0 - value : value) : -1;
    if (rest->len && rest->data[0] != ']') *rest = dvt_str_drop(*rest, 1);
  }
  return count;
}

// A value only fits a shape of as many elements; else the shape alone counts.
static void read_value(call *c, int index, int dtype, const int64_t *dims, int rank, dvt_str text) {
  int64_t numbers[MAX_VALUES], count = 1;
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0 || dims[i] > MAX_VALUES) return;
    count *= dims[i];
    if (count > MAX_VALUES) return;
  }
  int given = read_numbers(&text, numbers, MAX_VALUES);
  dvt_status status = dvt_tensor_init_allocate(&c->values[index], dtype, dims, rank);
  dvt_status_free(status);
  for (int64_t i = 0; !status && i < count; i++) {
    int64_t number = i < given ? numbers[i] : 0;
    if (dtype == TF_INT32)
      ((int32_t *)c->values[index].data)[i] = (int32_t)(uint32_t)number;
    else
      ((int64_t *)c->values[index].data)[i] = number;
  }
}

static void read_input(call *c, dvt_str line) {
  int64_t dims[DVT_MAX_RANK];
  int index = c->node.input_count++, dtype = 0;
  if (line.len && (line.data[0] == 'i' || line.data[0] == 'l')) {
    dtype = line.data[0] == 'i' ? TF_INT32 : TF_INT64;
    line = dvt_str_drop(line, 1);
  }
  if (line.len == 0 || line.data[0] != '[') return;
  line = dvt_str_drop(line, 1);
  int rank = read_numbers(&line, dims, DVT_MAX_RANK);
  dvt_status_free(dvt_shape_make(&c->arena, dims, rank, true, &c->inputs[index]));
  if (dtype && line.len > 1) read_value(c, index, dtype, dims, rank, dvt_str_drop(line, 2));
}

static void read_attrs(call *c, dvt_str bytes) {
  dvt_wire wire = dvt_wire_open(bytes);
  dvt_field entry, part;
  while (c->node.attr_count < MAX_ATTRS && dvt_wire_next(&wire, &entry)) {
    if (entry.number != 5 || entry.type != DVT_WIRE_BYTES) continue;
    dvt_attr *attr = &c->attrs[c->node.attr_count++];
    if (dvt_wire_find(entry.bytes, 1, DVT_WIRE_BYTES, &part)) attr->name = part.bytes;
    if (dvt_wire_find(entry.bytes, 2, DVT_WIRE_BYTES, &part)) attr->value = part.bytes;
  }
}

static void check_outputs(const call *c) {
  for (int i = 0; i < c->node.output_count; i++)
    for (int d = 0; c->outputs[i] && d < c->outputs[i]->rank; d++)
      if (c->outputs[i]->rank > DVT_MAX_RANK || c->outputs[i]->dims[d] < c->arena.last_unknown) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static call c;
  dvt_str rest = dvt_str_make((const char *)data, size);
  dvt_buf attrs = {0};
  c = (call){.op = {.name = DVT_STR("Op")}};
  c.node = (dvt_node_def){.name = DVT_STR("n"), .op = &c.op, .attrs = c.attrs};
  c.op.shape_fn = find_function(next_line(&rest));
  dvt_str outputs = next_line(&rest);
  c.node.output_count = outputs.len ? (unsigned char)outputs.data[0] % MAX_OUTPUTS : 1;
  dvt_status status = dvt_text_parse(&dvt_schema_node_def, next_line(&rest), "attrs", &attrs);
  if (!status) read_attrs(&c, dvt_buf_str(&attrs));
  dvt_status_free(status);
  while (rest.len && c.node.input_count < MAX_INPUTS) read_input(&c, next_line(&rest));
  TF_ShapeInferenceContext ctx = {.node = &c.node,
                                  .arena = &c.arena,
                                  .inputs = c.inputs,
                                  .outputs = c.outputs,
                                  .graph_def_version = 2474,
                                  .input_tensor = known_value,
                                  .arg = &c};
  status = dvt_shape_infer(&ctx);
  if (!status) check_outputs(&c);
  dvt_status_free(status);
  for (int i = 0; i < MAX_INPUTS; i++) dvt_tensor_reset(&c.values[i]);
  dvt_shape_arena_deinit(&c.arena);
  dvt_buf_deinit(&attrs);
  return 0;
}
