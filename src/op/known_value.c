// Following values through the ops that make and move them: see known_value.h. Arithmetic is in
// known_value_math.c.
#include "op/known_value.h"

#include <stdlib.h>

#include "op/known_value_internal.h"
#include "op/shape_algebra.h"

bool dvt_value_has_dtype(int dtype) {
  return dtype == TF_INT32 || dtype == TF_INT64 || dtype == TF_BOOL || dvt_value_is_real(dtype);
}

dvt_value *dvt_value_new(dvt_arena *arena, int dtype, const int64_t *dims, int rank) {
  int64_t count = 1;
  if (rank > DVT_VALUE_MAX_RANK || !dvt_value_has_dtype(dtype)) return NULL;
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0 || dims[i] > DVT_VALUE_MAX_COUNT) return NULL;
    count *= dims[i];
  }
  if (count > DVT_VALUE_MAX_COUNT) return NULL;
  dvt_value *v = dvt_arena_alloc(arena, sizeof *v + sizeof v->at[0] * (size_t)count);
  if (!v) return NULL;
  *v = (dvt_value){.dtype = dtype, .rank = rank, .count = (int32_t)count};
  for (int i = 0; i < rank; i++) v->dims[i] = (int32_t)dims[i];
  for (int64_t i = 0; i < count; i++) v->at[i] = dvt_element_unknown();
  return v;
}

static int dtype_of(const dvt_value_query *q) { return q->node->output_types[q->output]; }

static dvt_value *new_of_shape(const dvt_value_query *q, int dtype, dvt_shape shape) {
  return shape ? dvt_value_new(q->arena, dtype, shape->dims, shape->rank) : NULL;
}

dvt_value *dvt_value_result(const dvt_value_query *q) { return new_of_shape(q, dtype_of(q), q->shape); }

dvt_value *dvt_value_result_like(const dvt_value_query *q, const dvt_value *operand) {
  int64_t dims[DVT_VALUE_MAX_RANK];
  for (int i = 0; i < operand->rank; i++) dims[i] = operand->dims[i];
  return dvt_value_new(q->arena, dtype_of(q), dims, operand->rank);
}

const dvt_value *dvt_value_operand(const dvt_value_query *q, int i) {
  const dvt_value *v = q->inputs->value(q->inputs->arg, i);
  return v ? v : new_of_shape(q, q->node->input_types[i], q->inputs->shape(q->inputs->arg, i));
}

bool dvt_value_scalar(const dvt_value_query *q, int i, int64_t *out) {
  const dvt_value *v = q->inputs->value(q->inputs->arg, i);
  if (!v || v->count != 1 || !v->at[0].known || dvt_value_is_real(v->dtype)) return false;
  *out = v->at[0].value;
  return true;
}

// ---- tensors and shapes ----

static double real_at(const TF_Tensor *t, int64_t i) {
  return t->dtype == TF_FLOAT ? (double)((const float *)t->data)[i] : ((const double *)t->data)[i];
}

static int64_t int_at(const TF_Tensor *t, int64_t i) {
  if (t->dtype == TF_BOOL) return ((const unsigned char *)t->data)[i] != 0;
  return t->dtype == TF_INT32 ? ((const int32_t *)t->data)[i] : ((const int64_t *)t->data)[i];
}

const dvt_value *dvt_value_of_tensor(dvt_arena *arena, const TF_Tensor *tensor) {
  if (dvt_tensor_is_empty(tensor) || !dvt_value_has_dtype(tensor->dtype)) return NULL;
  dvt_value *v = dvt_value_new(arena, tensor->dtype, dvt_tensor_dims(tensor), tensor->rank);
  if (!v) return NULL;
  for (int i = 0; i < v->count; i++)
    v->at[i] = dvt_value_is_real(tensor->dtype) ? dvt_element_of_real(real_at(tensor, i), tensor->dtype)
                                                : dvt_element_of_int(int_at(tensor, i));
  return v;
}

static bool store(const dvt_value *v, int i, void *data) {
  dvt_element e = v->at[i];
  if (!e.known) return false;
  switch (v->dtype) {
    case TF_INT32:
      ((int32_t *)data)[i] = (int32_t)e.value;
      return e.value == (int32_t)e.value;
    case TF_INT64:
      ((int64_t *)data)[i] = e.value;
      return true;
    case TF_BOOL:
      ((unsigned char *)data)[i] = e.value != 0;
      return true;
    case TF_FLOAT:
      ((float *)data)[i] = (float)dvt_element_real(e);
      return true;
    default:
      ((double *)data)[i] = dvt_element_real(e);
      return true;
  }
}

bool dvt_value_to_tensor(const dvt_value *value, TF_Tensor *out) {
  int64_t dims[DVT_VALUE_MAX_RANK];
  for (int i = 0; i < value->count; i++)
    if (!value->at[i].known) return false;
  for (int i = 0; i < value->rank; i++) dims[i] = value->dims[i];
  dvt_status status = dvt_tensor_init_allocate(out, value->dtype, dims, value->rank);
  bool ok = !status;
  dvt_status_free(status);
  for (int i = 0; ok && i < value->count; i++) ok = store(value, i, out->data);
  if (!ok) dvt_tensor_reset(out);
  return ok;
}

bool dvt_value_to_shape(const dvt_value *value, dvt_shape_arena *symbols, dvt_shape *out_shape) {
  dvt_dim dims[DVT_VALUE_MAX_COUNT];
  if (value->rank > 1 || value->count > DVT_MAX_RANK ||
      (value->dtype != TF_INT32 && value->dtype != TF_INT64))
    return false;
  if (value->rank == 0) {
    if (!value->at[0].known || value->at[0].value != -1) return false;
    *out_shape = NULL;
    return true;
  }
  for (int i = 0; i < value->count; i++) {
    dvt_element e = value->at[i];
    if (e.known && e.value < -1) return false;
    dims[i] = dvt_element_is_dim(e) ? e.value : dvt_dim_new_unknown(symbols);
  }
  dvt_status status = dvt_shape_make(symbols, dims, value->count, false, out_shape);
  dvt_status_free(status);
  return status == NULL;
}

// ---- ops that make values ----

static const dvt_value *shape_of(const dvt_value_query *q) {
  dvt_shape shape = q->inputs->shape(q->inputs->arg, q->output);
  if (!shape) return NULL;
  dvt_value *v = dvt_value_new(q->arena, dtype_of(q), &(int64_t){shape->rank}, 1);
  for (int i = 0; v && i < shape->rank; i++) v->at[i] = dvt_element_of_dim(shape->dims[i]);
  return v;
}

static const dvt_value *one_dim(const dvt_value_query *q, dvt_dim dim) {
  dvt_value *v = dvt_value_new(q->arena, dtype_of(q), NULL, 0);
  if (v) v->at[0] = dvt_element_of_dim(dim);
  return v;
}

static const dvt_value *size_of(const dvt_value_query *q) {
  dvt_shape shape = q->inputs->shape(q->inputs->arg, 0);
  dvt_dim size = 1;
  for (int i = 0; shape && i < shape->rank; i++) {
    dvt_status status = dvt_dim_multiply(q->symbols, size, shape->dims[i], &size);
    if (status) shape = NULL;
    dvt_status_free(status);
  }
  return shape ? one_dim(q, size) : NULL;
}

static const dvt_value *rank_of(const dvt_value_query *q) {
  dvt_shape shape = q->inputs->shape(q->inputs->arg, 0);
  return shape ? one_dim(q, shape->rank) : NULL;
}

static const dvt_value *all_equal(const dvt_value_query *q, dvt_element e) {
  dvt_value *v = dvt_value_result(q);
  for (int i = 0; v && i < v->count; i++) v->at[i] = e;
  return v;
}

static const dvt_value *fill(const dvt_value_query *q) {
  const dvt_value *v = q->inputs->value(q->inputs->arg, 1);
  return v && v->count == 1 ? all_equal(q, v->at[0]) : NULL;
}

static const dvt_value *like(const dvt_value_query *q, int number) {
  int dtype = dtype_of(q);
  return all_equal(
      q, dvt_value_is_real(dtype) ? dvt_element_of_real(number, dtype) : dvt_element_of_int(number));
}
static const dvt_value *zeros_like(const dvt_value_query *q) { return like(q, 0); }
static const dvt_value *ones_like(const dvt_value_query *q) { return like(q, 1); }

static const dvt_value *range(const dvt_value_query *q) {
  int64_t start, delta;
  if (dvt_value_is_real(dtype_of(q)) || !dvt_value_scalar(q, 0, &start) || !dvt_value_scalar(q, 2, &delta))
    return NULL;
  dvt_value *v = dvt_value_result(q);
  for (int i = 0; v && i < v->count; i++)
    v->at[i].known = !__builtin_mul_overflow(delta, i, &v->at[i].value) &&
                     !__builtin_add_overflow(v->at[i].value, start, &v->at[i].value);
  return v;
}

// ---- ops that move values ----

// The elements of input 0 in the shape of the output.
static const dvt_value *same_elements(const dvt_value_query *q) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, 0);
  dvt_value *v = from ? dvt_value_result(q) : NULL;
  if (!v || v->count != from->count) return NULL;
  memcpy(v->at, from->at, sizeof v->at[0] * (size_t)v->count);
  return v;
}

static const dvt_value *identity(const dvt_value_query *q) {
  return q->inputs->value(q->inputs->arg, q->output);
}

static int64_t int_attr(const dvt_value_query *q, dvt_str name, int64_t otherwise) {
  dvt_str value;
  int64_t number = otherwise;
  if (dvt_node_attr(q->node, name, &value)) dvt_status_free(dvt_attr_get_int(value, &number));
  return number;
}

// The output, or where the op's shape function does not tell its shape, a vector of `count`.
static dvt_value *result_or_vector(const dvt_value_query *q, int64_t count) {
  dvt_value *v = q->shape ? dvt_value_result(q) : dvt_value_new(q->arena, dtype_of(q), &count, 1);
  return v && v->count == count ? v : NULL;
}

// Inputs [begin, end), of rank `rank` if the output's is not known, one behind the other.
static const dvt_value *append(const dvt_value_query *q, int begin, int end, int rank) {
  const dvt_value *parts[DVT_VALUE_MAX_COUNT];
  int count = 0;
  if (end - begin > DVT_VALUE_MAX_COUNT) return NULL;
  for (int i = begin; i < end; i++) {
    const dvt_value *operand = parts[i - begin] = dvt_value_operand(q, i);
    if (!operand || (!q->shape && operand->rank != rank)) return NULL;
    count += operand->count;
  }
  dvt_value *v = result_or_vector(q, count);
  for (int i = begin, at = 0; v && i < end; i++) {
    const dvt_value *operand = parts[i - begin];
    memcpy(v->at + at, operand->at, sizeof v->at[0] * (size_t)operand->count);
    at += operand->count;
  }
  return v;
}

static const dvt_value *pack(const dvt_value_query *q) {
  int64_t axis = int_attr(q, DVT_STR("axis"), 0);
  if (axis != 0 && (!q->shape || axis != -q->shape->rank)) return NULL;
  return append(q, 0, q->node->input_count, 0);
}

static const dvt_value *join(const dvt_value_query *q, int begin, int end, int axis_input) {
  int64_t axis;
  if (!dvt_value_scalar(q, axis_input, &axis) || (axis != 0 && (!q->shape || axis != -q->shape->rank)))
    return NULL;
  return append(q, begin, end, 1);
}
static const dvt_value *concat(const dvt_value_query *q) {
  return join(q, 0, q->node->input_count - 1, q->node->input_count - 1);
}
static const dvt_value *concat_v1(const dvt_value_query *q) { return join(q, 1, q->node->input_count, 0); }

// Parts of equal size along the first axis: Unpack, Split.
static const dvt_value *part(const dvt_value_query *q, int input) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, input);
  dvt_value *v = from ? dvt_value_result(q) : NULL;
  if (!v || from->count != v->count * q->node->output_count) return NULL;
  memcpy(v->at, from->at + v->count * q->output, sizeof v->at[0] * (size_t)v->count);
  return v;
}
static const dvt_value *unpack(const dvt_value_query *q) {
  return int_attr(q, DVT_STR("axis"), 0) == 0 ? part(q, 0) : NULL;
}
static const dvt_value *split(const dvt_value_query *q) {
  int64_t axis;
  return dvt_value_scalar(q, 0, &axis) && axis == 0 ? part(q, 1) : NULL;
}

static const dvt_value *gather(const dvt_value_query *q) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, 0), *at = q->inputs->value(q->inputs->arg, 1);
  int64_t axis = 0;
  if (!from || !at || from->rank != 1 || dvt_value_is_real(at->dtype)) return NULL;
  if (q->node->input_count > 2 && (!dvt_value_scalar(q, 2, &axis) || axis > 0 || axis < -1)) return NULL;
  if (int_attr(q, DVT_STR("batch_dims"), 0) != 0) return NULL;
  dvt_value *v = dvt_value_result(q);
  if (!v || v->count != at->count) return NULL;
  for (int i = 0; i < v->count; i++)
    if (at->at[i].known && at->at[i].value >= 0 && at->at[i].value < from->count)
      v->at[i] = from->at[at->at[i].value];
  return v;
}

// vector[begin : begin + size]
static const dvt_value *slice(const dvt_value_query *q) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, 0);
  int64_t begin;
  if (!from || from->rank != 1 || !dvt_value_scalar(q, 1, &begin)) return NULL;
  dvt_value *v = dvt_value_result(q);
  if (!v || begin < 0 || begin > from->count - v->count) return NULL;
  memcpy(v->at, from->at + begin, sizeof v->at[0] * (size_t)v->count);
  return v;
}

static int64_t clamp(int64_t at, int64_t low, int64_t high) { return at < low ? low : at > high ? high : at; }

// One element of the first axis: vector[begin].
static const dvt_value *element(const dvt_value_query *q, const dvt_value *from, int64_t begin) {
  dvt_value *v = dvt_value_new(q->arena, dtype_of(q), NULL, 0);
  if (begin < 0) begin += from->count;
  if (!v || begin < 0 || begin >= from->count) return NULL;
  v->at[0] = from->at[begin];
  return v;
}

// vector[begin:end:stride] or vector[begin] with the masks of the op.
static const dvt_value *strided_slice(const dvt_value_query *q) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, 0);
  int64_t begin, end, stride;
  if (!from || from->rank != 1 || int_attr(q, DVT_STR("ellipsis_mask"), 0) ||
      int_attr(q, DVT_STR("new_axis_mask"), 0))
    return NULL;
  bool from_begin = int_attr(q, DVT_STR("begin_mask"), 0) & 1,
       to_end = int_attr(q, DVT_STR("end_mask"), 0) & 1,
       shrink = int_attr(q, DVT_STR("shrink_axis_mask"), 0) & 1;
  if (!dvt_value_scalar(q, 3, &stride) || stride == 0) return NULL;
  if (!dvt_value_scalar(q, 1, &begin) && (!from_begin || shrink)) return NULL;
  if (shrink) return element(q, from, begin);
  if (!dvt_value_scalar(q, 2, &end) && !to_end) return NULL;
  int64_t count = from->count;
  bool back = stride < 0;
  int64_t low = back ? -1 : 0, high = back ? count - 1 : count;
  begin = from_begin ? (back ? high : low) : clamp(begin < 0 ? begin + count : begin, low, high);
  end = to_end ? (back ? low : high) : clamp(end < 0 ? end + count : end, low, high);
  stride = clamp(stride, -DVT_VALUE_MAX_COUNT - 1, DVT_VALUE_MAX_COUNT + 1);
  int64_t length = back ? (begin - end - stride - 1) / -stride : (end - begin + stride - 1) / stride;
  if (length < 0) length = 0;
  dvt_value *v = dvt_value_new(q->arena, dtype_of(q), &length, 1);
  for (int64_t i = 0; v && i < length; i++) v->at[i] = from->at[begin + i * stride];
  return v;
}

static const dvt_value *tile(const dvt_value_query *q) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, 0);
  dvt_value *v = from && from->rank == 1 && from->count ? dvt_value_result(q) : NULL;
  for (int i = 0; v && i < v->count; i++) v->at[i] = from->at[i % from->count];
  return v;
}

static const dvt_value *broadcast_to(const dvt_value_query *q) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, 0);
  if (!from) return NULL;
  return from->count == 1 ? all_equal(q, from->at[0]) : same_elements(q);
}

static const dvt_value *reverse(const dvt_value_query *q) {
  const dvt_value *from = q->inputs->value(q->inputs->arg, 0);
  int64_t axis;
  if (!from || from->rank != 1 || !dvt_value_scalar(q, 1, &axis)) return NULL;
  dvt_value *v = dvt_value_result(q);
  if (!v || v->count != from->count) return NULL;
  for (int i = 0; i < v->count; i++) v->at[i] = from->at[v->count - 1 - i];
  return v;
}

// ---- the ops ----

typedef struct value_op {
  const char *name;
  int16_t inputs;  // at least
  dvt_value_fn fn;
} value_op;

static const value_op value_ops[] = {
    // by name
    {"Abs", 1, dvt_value_unary},
    {"Add", 2, dvt_value_binary},
    {"AddV2", 2, dvt_value_binary},
    {"All", 2, dvt_value_reduce},
    {"Any", 2, dvt_value_reduce},
    {"BroadcastArgs", 2, dvt_value_broadcast_args},
    {"BroadcastTo", 2, broadcast_to},
    {"Cast", 1, dvt_value_cast},
    {"Ceil", 1, dvt_value_unary},
    {"Concat", 2, concat_v1},
    {"ConcatV2", 2, concat},
    {"Div", 2, dvt_value_binary},
    {"EnsureShape", 1, same_elements},
    {"Equal", 2, dvt_value_binary},
    {"ExpandDims", 2, same_elements},
    {"Fill", 2, fill},
    {"Floor", 1, dvt_value_unary},
    {"FloorDiv", 2, dvt_value_binary},
    {"FloorMod", 2, dvt_value_binary},
    {"Gather", 2, gather},
    {"GatherV2", 3, gather},
    {"Greater", 2, dvt_value_binary},
    {"GreaterEqual", 2, dvt_value_binary},
    {"GuaranteeConst", 1, identity},
    {"Identity", 1, identity},
    {"IdentityN", 1, identity},
    {"Less", 2, dvt_value_binary},
    {"LessEqual", 2, dvt_value_binary},
    {"LogicalAnd", 2, dvt_value_binary},
    {"LogicalNot", 1, dvt_value_unary},
    {"LogicalOr", 2, dvt_value_binary},
    {"Max", 2, dvt_value_reduce},
    {"Maximum", 2, dvt_value_binary},
    {"Min", 2, dvt_value_reduce},
    {"Minimum", 2, dvt_value_binary},
    {"Mul", 2, dvt_value_binary},
    {"Neg", 1, dvt_value_unary},
    {"NotEqual", 2, dvt_value_binary},
    {"OnesLike", 1, ones_like},
    {"Pack", 1, pack},
    {"PreventGradient", 1, identity},
    {"Prod", 2, dvt_value_reduce},
    {"Range", 3, range},
    {"Rank", 1, rank_of},
    {"RealDiv", 2, dvt_value_binary},
    {"Reshape", 2, same_elements},
    {"ReverseV2", 2, reverse},
    {"Select", 3, dvt_value_select},
    {"SelectV2", 3, dvt_value_select},
    {"Shape", 1, shape_of},
    {"ShapeN", 1, shape_of},
    {"Size", 1, size_of},
    {"Slice", 3, slice},
    {"Snapshot", 1, identity},
    {"Split", 2, split},
    {"Sqrt", 1, dvt_value_unary},
    {"Squeeze", 1, same_elements},
    {"StopGradient", 1, identity},
    {"StridedSlice", 4, strided_slice},
    {"Sub", 2, dvt_value_binary},
    {"Sum", 2, dvt_value_reduce},
    {"Tile", 2, tile},
    {"TruncateDiv", 2, dvt_value_binary},
    {"Unpack", 1, unpack},
    {"ZerosLike", 1, zeros_like},
};

static int by_name(const void *key, const void *entry) {
  const dvt_str *name = key;
  return dvt_str_compare(*name, dvt_str_from(((const value_op *)entry)->name));
}

static const value_op *find_op(const dvt_op_def *op) {
  return bsearch(&op->name, value_ops, DVT_COUNT_OF(value_ops), sizeof value_ops[0], by_name);
}

bool dvt_value_op_is_known(const dvt_op_def *op) { return find_op(op) != NULL; }

const dvt_value *dvt_value_compute(dvt_arena *arena, dvt_shape_arena *symbols, const dvt_node_def *node,
                                   int output, dvt_shape shape, const dvt_value_inputs *inputs) {
  const value_op *op = find_op(node->op);
  if (!op || node->input_count < op->inputs || !dvt_value_has_dtype(node->output_types[output])) return NULL;
  dvt_value_query q = {arena, symbols, node, output, shape, inputs};
  const dvt_value *v = op->fn(&q);
  return v && v->dtype == node->output_types[output] ? v : NULL;
}
