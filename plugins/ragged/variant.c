// RaggedTensorToVariant and RaggedTensorFromVariant: ragged tensors as values of variants, whole or row by
// row, so that loops and lists can carry them.
#include <inttypes.h>
#include <stdlib.h>

#include "dovetail/object.h"
#include "ragged/ragged.h"

typedef struct ragged_value {
  int ragged_rank;
  TF_Tensor *values;
  TF_Tensor *splits[];
} ragged_value;

static void value_free(void *arg) {
  ragged_value *v = arg;
  if (!v) return;
  TF_DeleteTensor(v->values);
  for (int i = 0; i < v->ragged_rank; i++) TF_DeleteTensor(v->splits[i]);
  free(v);
}

static const dvt_value_type ragged_type = {sizeof(dvt_value_type), "tensorflow::RaggedTensorVariant",
                                           value_free, NULL, NULL, NULL};

static ragged_value *value_new(dvp_call *call, int ragged_rank) {
  ragged_value *v = calloc(1, sizeof(*v) + (size_t)ragged_rank * sizeof(v->splits[0]));
  if (v)
    v->ragged_rank = ragged_rank;
  else
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a ragged tensor");
  return v;
}

static TF_Tensor *new_tensor(dvp_call *call, TF_DataType dtype, const int64_t *dims, int rank) {
  TF_Tensor *tensor = TF_AllocateTemp(call->ctx, dtype, dims, rank, NULL, call->status);
  if (!tensor && TF_GetCode(call->status) == TF_OK)
    TF_SetStatus(call->status, TF_RESOURCE_EXHAUSTED, "Out of memory for a tensor");
  return dvp_ok(call) ? tensor : NULL;
}

static void view_of(const TF_Tensor *tensor, dvp_view *out) {
  out->data = TF_TensorData(tensor);
  out->dtype = TF_TensorType(tensor);
  out->rank = TF_NumDims(tensor);
  out->count = TF_TensorElementCount(tensor);
  for (int i = 0; i < out->rank; i++) out->dims[i] = TF_Dim(tensor, i);
}

// Puts the value into element i; takes it over.
static bool store(dvp_call *call, TF_Tensor *to, int64_t i, ragged_value *v) {
  dvt_object_set(to, i, &ragged_type, v, call->status);
  return dvp_ok(call);
}

// ---- RaggedTensorToVariant ----

static void *batched_create(TF_OpKernelConstruction *ctx) {
  bool *batched = dvp_state_new(ctx, sizeof(*batched));
  if (batched) *batched = dvp_attr_bool(ctx, "batched_input");
  return batched;
}
static void batched_destroy(void *state) { free(state); }

// The whole tensor: the inputs themselves.
static ragged_value *whole(dvp_call *call, int ragged_rank) {
  ragged_value *v = value_new(call, ragged_rank);
  for (int i = 0; v && i <= ragged_rank; i++) {
    TF_GetInput(call->ctx, i, i < ragged_rank ? &v->splits[i] : &v->values, call->status);
    if (dvp_ok(call)) continue;
    value_free(v);
    return NULL;
  }
  return v;
}

// Splits [begin, end] of `from`, counted from 0.
static TF_Tensor *part_of_splits(dvp_call *call, const dvp_view *from, int64_t begin, int64_t end) {
  int64_t count = end - begin + 1;
  TF_Tensor *to = new_tensor(call, from->dtype, &count, 1);
  for (int64_t i = 0; to && i < count; i++)
    dvr_set_int(from->dtype, TF_TensorData(to), i, dvr_int(from, begin + i) - dvr_int(from, begin));
  return to;
}

static TF_Tensor *part_of_values(dvp_call *call, const dvp_view *from, int64_t begin, int64_t end) {
  int64_t dims[DVP_MAX_RANK], row = dvp_product(from->dims, 1, from->rank);
  for (int i = 0; i < from->rank; i++) dims[i] = i ? from->dims[i] : end - begin;
  TF_Tensor *to = new_tensor(call, from->dtype, dims, from->rank);
  if (to) dvr_copy(from->dtype, TF_TensorData(to), 0, from->data, begin * row, (end - begin) * row);
  return to;
}

// Row i of the tensor, which has one ragged dimension less. The splits are checked.
static ragged_value *row_of(dvp_call *call, const dvp_view *splits, int ragged_rank, const dvp_view *values,
                            int64_t i) {
  ragged_value *v = value_new(call, ragged_rank - 1);
  if (!v) return NULL;
  int64_t begin = dvr_int(&splits[0], i), end = dvr_int(&splits[0], i + 1);
  bool fine = true;
  for (int k = 1; fine && k < ragged_rank; k++) {
    fine = (v->splits[k - 1] = part_of_splits(call, &splits[k], begin, end)) != NULL;
    begin = dvr_int(&splits[k], begin);
    end = dvr_int(&splits[k], end);
  }
  fine = fine && (v->values = part_of_values(call, values, begin, end)) != NULL;
  if (fine) return v;
  value_free(v);
  return NULL;
}

static void encode_rows(dvp_call *call, const dvp_view *inputs, int ragged_rank) {
  const dvp_view *values = &inputs[ragged_rank];
  if (ragged_rank == 0 || values->rank == 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "A batch of ragged tensors has splits, and values that are no scalar");
    return;
  }
  if (!dvr_check_splits(call, inputs, ragged_rank, values->dims[0])) return;
  int64_t rows = inputs[0].count - 1;
  TF_Tensor *to = TF_AllocateOutput(call->ctx, 0, TF_VARIANT, &rows, 1, 0, call->status);
  bool fine = dvp_ok(call);
  for (int64_t i = 0; fine && i < rows; i++) {
    ragged_value *row = row_of(call, inputs, ragged_rank, values, i);
    fine = row && store(call, to, i, row);
  }
  TF_DeleteTensor(to);
}

DVP_COMPUTE(to_variant_compute) {
  const bool *batched = state;
  int ragged_rank = TF_NumInputs(call->ctx) - 1;
  dvp_view *inputs = dvr_inputs(call, 0, ragged_rank + 1);
  if (!inputs) return;
  TF_DataType dtype = inputs[ragged_rank].dtype;
  if (dtype == TF_VARIANT || dtype == TF_RESOURCE) {
    dvp_fail(call, TF_UNIMPLEMENTED, "Ragged tensors of dtype %d", dtype);
  } else if (*batched) {
    encode_rows(call, inputs, ragged_rank);
  } else {
    TF_Tensor *to = TF_AllocateOutput(call->ctx, 0, TF_VARIANT, NULL, 0, 0, call->status);
    ragged_value *v = dvp_ok(call) ? whole(call, ragged_rank) : NULL;
    if (v) store(call, to, 0, v);
    TF_DeleteTensor(to);
  }
  free(inputs);
}
DVP_DEFINE_ANY(to_variant, batched_create, batched_destroy, to_variant_compute);

// ---- RaggedTensorFromVariant ----

typedef struct from_state {
  int64_t input_rank, output_rank;
} from_state;

static void *from_create(TF_OpKernelConstruction *ctx) {
  from_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->input_rank = dvp_attr_int(ctx, "input_ragged_rank");
  state->output_rank = dvp_attr_int(ctx, "output_ragged_rank");
  return state;
}
static void from_destroy(void *state) { free(state); }

typedef struct stacking {
  const TF_Tensor *encoded;
  int64_t count;               // of components
  const ragged_value **parts;  // each of `input_rank`
  int input_rank, output_rank;
  TF_DataType splits, values;
} stacking;

static bool check_part(dvp_call *call, const stacking *s, const ragged_value *part, int64_t i) {
  if (part->ragged_rank != s->input_rank)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Element %" PRId64 " has ragged rank %d, but %d is expected",
                    i, part->ragged_rank, s->input_rank);
  if (TF_TensorType(part->values) != s->values)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "Element %" PRId64 " has values of dtype %d, but %d is expected", i,
                    TF_TensorType(part->values), s->values);
  if (TF_NumDims(part->values) < 1)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "Element %" PRId64 " has a scalar as values", i);
  const TF_Tensor *first = s->parts[0]->values;
  for (int k = 1; k < TF_NumDims(first) || k < TF_NumDims(part->values); k++)
    if (TF_NumDims(first) != TF_NumDims(part->values) || TF_Dim(first, k) != TF_Dim(part->values, k))
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Elements 0 and %" PRId64 " have values of shapes that do not match", i);
  for (int k = 0; k < part->ragged_rank; k++)
    if (TF_TensorType(part->splits[k]) != s->splits || TF_NumDims(part->splits[k]) != 1 ||
        TF_Dim(part->splits[k], 0) < 1)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Element %" PRId64 " has splits of dtype %d, but vectors of %d are expected", i,
                      TF_TensorType(part->splits[k]), s->splits);
  return true;
}

// A vector of splits as output `index`; entry 0 is 0.
static void *output_splits(dvp_call *call, const stacking *s, int index, int64_t rows) {
  int64_t count = rows + 1;
  void *out = dvp_output(call, index, &count, 1);
  if (out) dvr_set_int(s->splits, out, 0, 0);
  return out;
}

// The splits of the dimensions of the tensor of variants: even, and at last those between the components.
static bool stack_outer(dvp_call *call, const stacking *s) {
  int dims = TF_NumDims(s->encoded);
  for (int i = 0; i < dims; i++) {
    void *out = output_splits(call, s, i, i + 1 < dims ? TF_Dim(s->encoded, i) : s->count);
    if (!out) return false;
    // As in stock, a middle dimension has the splits of its first tensor only.
    int64_t total = 0, sections = i + 1 < dims ? TF_Dim(s->encoded, i) : s->count;
    for (int64_t k = 0; k < sections; k++) {
      const ragged_value *part = i + 1 < dims ? NULL : s->parts[k];
      total += !part               ? TF_Dim(s->encoded, i + 1)
               : s->input_rank > 0 ? TF_Dim(part->splits[0], 0) - 1
                                   : TF_Dim(part->values, 0);
      dvr_set_int(s->splits, out, k + 1, total);
    }
  }
  return true;
}

// Splits k of all components one after the other.
static bool stack_splits(dvp_call *call, const stacking *s, int k) {
  int64_t rows = 0, at = 1, offset = 0;
  for (int64_t i = 0; i < s->count; i++) rows += TF_Dim(s->parts[i]->splits[k], 0) - 1;
  void *out = output_splits(call, s, TF_NumDims(s->encoded) + k, rows);
  for (int64_t i = 0; out && i < s->count; i++) {
    dvp_view splits;
    view_of(s->parts[i]->splits[k], &splits);
    for (int64_t j = 1; j < splits.count; j++)
      dvr_set_int(s->splits, out, at++, offset + dvr_int(&splits, j));
    offset += splits.count > 1 ? dvr_int(&splits, splits.count - 1) : 0;
  }
  return out != NULL;
}

static bool stack_values(dvp_call *call, const stacking *s) {
  int64_t dims[DVP_MAX_RANK] = {0}, at = 0;
  int rank = s->count ? TF_NumDims(s->parts[0]->values) : 1;
  for (int i = 1; i < rank; i++) dims[i] = TF_Dim(s->parts[0]->values, i);
  for (int64_t i = 0; i < s->count; i++) dims[0] += TF_Dim(s->parts[i]->values, 0);
  void *out = dvp_output(call, s->output_rank, dims, rank);
  for (int64_t i = 0; out && i < s->count; i++) {
    int64_t count = TF_TensorElementCount(s->parts[i]->values);
    dvr_copy(s->values, out, at, TF_TensorData(s->parts[i]->values), 0, count);
    at += count;
  }
  return out != NULL;
}

// A scalar gives back what was put in.
static bool give_back(dvp_call *call, const ragged_value *v) {
  for (int i = 0; i <= v->ragged_rank; i++) {
    TF_SetOutput(call->ctx, i, i < v->ragged_rank ? v->splits[i] : v->values, call->status);
    if (!dvp_ok(call)) return false;
  }
  return true;
}

static void stack(dvp_call *call, stacking *s) {
  bool fine = true;
  for (int64_t i = 0; fine && i < s->count; i++) {
    s->parts[i] = dvt_object_get(s->encoded, i, &ragged_type, call->status);
    fine = dvp_ok(call) && check_part(call, s, s->parts[i], i);
  }
  if (fine && TF_NumDims(s->encoded) == 0) {
    give_back(call, s->parts[0]);
    return;
  }
  fine = fine && stack_outer(call, s);
  for (int k = 0; fine && k < s->input_rank; k++) fine = stack_splits(call, s, k);
  if (fine) stack_values(call, s);
}

DVP_COMPUTE(from_variant_compute) {
  const from_state *from = state;
  TF_Tensor *encoded = NULL;
  TF_GetInput(call->ctx, 0, &encoded, call->status);
  if (!dvp_ok(call)) return;
  int64_t dims = TF_NumDims(encoded),
          input_rank = from->input_rank == -1 ? from->output_rank - dims : from->input_rank;
  stacking s = {.encoded = encoded,
                .count = TF_TensorElementCount(encoded),
                .input_rank = (int)input_rank,
                .output_rank = (int)from->output_rank,
                .splits = TF_INT64,
                .values = TF_ExpectedOutputDataType(call->ctx, (int)from->output_rank)};
  if (from->output_rank > 0) s.splits = TF_ExpectedOutputDataType(call->ctx, 0);
  if (input_rank < 0 || from->output_rank != input_rank + dims) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "output_ragged_rank must be input_ragged_rank and the rank of the input together, but %" PRId64
             " is not %" PRId64 " + %" PRId64,
             from->output_rank, input_rank, dims);
  } else {
    s.parts = malloc((size_t)DVP_MAX(s.count, 1) * sizeof(*s.parts));
    if (s.parts)
      stack(call, &s);
    else
      dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %" PRId64 " ragged tensors", s.count);
    free(s.parts);
  }
  TF_DeleteTensor(encoded);
}
DVP_DEFINE_ANY(from_variant, from_create, from_destroy, from_variant_compute);
