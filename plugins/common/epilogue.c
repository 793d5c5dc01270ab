// Attributes and operands of pre-fused ops: see epilogue.h.
#include "common/epilogue.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"

#define MAX_OPS 4
#define NAME_BYTES 32

static const struct {
  const char *name;
  dvp_activation activation;
} activations[] = {
    {"Relu", DVP_ACT_RELU},
    {"Relu6", DVP_ACT_RELU6},
    {"Elu", DVP_ACT_ELU},
    {"LeakyRelu", DVP_ACT_LEAKY_RELU},
    {"Tanh", DVP_ACT_TANH},
    {"Sigmoid", DVP_ACT_SIGMOID},
    {"GeluExact", DVP_ACT_GELU_EXACT},
    {"GeluApproximate", DVP_ACT_GELU_APPROXIMATE},
    {"_FusedHardSwish", DVP_ACT_HARD_SWISH},
    {"_DovetailSwish", DVP_ACT_SWISH},
    {"Prelu", DVP_ACT_PRELU},
};

static dvp_activation activation_of(const char *name) {
  for (int i = 0; i < DVP_COUNT_OF(activations); i++)
    if (strcmp(name, activations[i].name) == 0) return activations[i].activation;
  return DVP_ACT_NONE;
}

// The names of attr fused_ops; the number of them, or -1 after the construction has failed.
static int read_names(TF_OpKernelConstruction *ctx, char names[MAX_OPS][NAME_BYTES]) {
  TF_Status *status = TF_NewStatus();
  int32_t count = 0, bytes = 0;
  char *values[MAX_OPS], storage[MAX_OPS * NAME_BYTES];
  size_t lengths[MAX_OPS];
  TF_OpKernelConstruction_GetAttrSize(ctx, "fused_ops", &count, &bytes, status);
  bool fits = count <= MAX_OPS && bytes <= (int32_t)sizeof(storage);
  if (TF_GetCode(status) == TF_OK && fits && count > 0)
    TF_OpKernelConstruction_GetAttrStringList(ctx, "fused_ops", values, lengths, MAX_OPS, storage,
                                              sizeof(storage), status);
  if (TF_GetCode(status) != TF_OK) {
    TF_OpKernelConstruction_Failure(ctx, status);
    count = -1;
  } else if (count <= 0) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "fused_ops is empty; a fused op must name at least one");
    count = -1;
  } else if (!fits) {
    dvp_create_fail(ctx, TF_UNIMPLEMENTED, "Fusion of %d ops is not implemented", count);
    count = -1;
  }
  for (int i = 0; i < count; i++) {
    size_t length = DVP_MIN(lengths[i], (size_t)NAME_BYTES - 1);
    memcpy(names[i], values[i], length);
    names[i][length] = 0;
  }
  TF_DeleteStatus(status);
  return count;
}

void dvp_fusion_read(TF_OpKernelConstruction *ctx, dvp_fusion *out) {
  char names[MAX_OPS][NAME_BYTES];
  *out = (dvp_fusion){.epsilon = dvp_attr_float(ctx, "epsilon"),
                      .alpha = dvp_attr_float(ctx, "leakyrelu_alpha")};
  int count = read_names(ctx, names), at = 0;
  if (count < 0) return;
  if (strcmp(names[at], "BiasAdd") == 0) {
    out->bias = true;
    at++;
  } else if (strcmp(names[at], "FusedBatchNorm") == 0) {
    out->batch_norm = true;
    at++;
  }
  if (at < count && (strcmp(names[at], "Add") == 0 || strcmp(names[at], "AddV2") == 0)) {
    out->add = true;
    at++;
  }
  if (at < count && (out->activation = activation_of(names[at])) != DVP_ACT_NONE) at++;
  if (at < count) {
    dvp_create_fail(ctx, TF_UNIMPLEMENTED,
                    "Fusion is not implemented: %s is unknown or at the wrong place in fused_ops", names[at]);
    return;
  }
  out->args = out->bias + 4 * out->batch_norm + out->add + (out->activation == DVP_ACT_PRELU);
  int64_t given = dvp_attr_int(ctx, "num_args");
  if (given != out->args)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "The fused ops take %d extra arguments, but num_args is %" PRId64, out->args, given);
}

int dvp_fusion_add_input(const dvp_fusion *fusion) {
  return fusion->add ? 2 + fusion->bias + 4 * fusion->batch_norm : -1;
}

static bool typed_input(dvp_call *call, int index, TF_DataType dtype, dvp_view *out) {
  if (!dvp_input(call, index, out)) return false;
  return out->dtype == dtype ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "Input %d of a fused op must be of dtype %d as the first two, not %d", index, dtype,
                  out->dtype);
}

// A vector with one element per channel.
static bool vector_input(dvp_call *call, int index, const char *what, TF_DataType dtype, int64_t channels,
                         dvp_view *out) {
  char text[DVP_SHAPE_TEXT];
  if (!typed_input(call, index, dtype, out)) return false;
  return (out->rank == 1 && out->count == channels) ||
         dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be a vector of %" PRId64 " elements, but is %s", what,
                  channels, dvp_shape_text(out->dims, out->rank, text));
}

static double element(const dvp_view *in, int64_t i) {
  switch (in->dtype) {
    case TF_HALF:
      return dvp_f16_load(((const dvp_f16 *)in->data)[i]);
    case TF_BFLOAT16:
      return dvp_bf16_load(((const dvp_bf16 *)in->data)[i]);
    case TF_DOUBLE:
      return ((const double *)in->data)[i];
    default:
      return ((const float *)in->data)[i];
  }
}

// Vectors are kept in float, or in double for results of double.
static void put(TF_DataType dtype, void *out, int64_t i, double x) {
  if (dtype == TF_DOUBLE)
    ((double *)out)[i] = x;
  else
    ((float *)out)[i] = (float)x;
}

static bool open_bias(dvp_call *call, TF_DataType dtype, dvp_epilogue *e) {
  dvp_view bias;
  if (!vector_input(call, 2, "bias", dtype, e->channels, &bias)) return false;
  e->shift = bias.data;
  if (dtype == TF_FLOAT || dtype == TF_DOUBLE) return true;
  float *wide = dvp_temp(call, (size_t)e->channels * sizeof(float), &e->scratch);
  if (!wide) return false;
  for (int64_t i = 0; i < e->channels; i++) put(dtype, wide, i, element(&bias, i));
  e->shift = wide;
  return true;
}

// (x - mean) * factor + offset as x * factor + (offset - mean * factor).
typedef struct batch_norm {
  TF_DataType dtype;
  float epsilon;
  const dvp_view *inputs;  // scale, offset, mean, variance
} batch_norm;

static void batch_norm_fill(const batch_norm *norm, void *out_factor, void *out_summand) {
  const dvp_view *v = norm->inputs;
  for (int64_t i = 0; i < v->count; i++) {
    double factor = element(&v[0], i) / sqrt(element(&v[3], i) + (double)norm->epsilon);
    put(norm->dtype, out_factor, i, factor);
    put(norm->dtype, out_summand, i, element(&v[1], i) - element(&v[2], i) * factor);
  }
}

static bool batch_norm_make(dvp_call *call, void *arg, dvp_kept *kept) {
  (void)call;
  const batch_norm *norm = arg;
  batch_norm_fill(norm, kept->data, kept->data + norm->inputs->count);
  return true;
}

static bool open_batch_norm(dvp_call *call, const dvp_fusion *fusion, TF_DataType dtype, dvp_keeper *keeper,
                            dvp_epilogue *e) {
  static const char *const names[4] = {"scale", "offset", "estimated mean", "estimated variance"};
  static const int inputs[4] = {2, 3, 4, 5};
  dvp_view v[4];
  for (int i = 0; i < 4; i++)
    if (!vector_input(call, inputs[i], names[i], dtype, e->channels, &v[i])) return false;
  batch_norm norm = {dtype, fusion->epsilon, v};
  if (keeper && dtype == TF_FLOAT && dvp_inputs_are_stable(call, inputs, 4)) {
    e->kept = dvp_keeper_get(call, keeper, inputs, 4, (int64_t[2]){e->channels, 0}, 2 * e->channels,
                             batch_norm_make, &norm);
    if (!e->kept) return false;
    e->scale = e->kept->data;
    e->shift = e->kept->data + e->channels;
    return true;
  }
  size_t bytes = (size_t)e->channels * (dtype == TF_DOUBLE ? sizeof(double) : sizeof(float));
  char *both = dvp_temp(call, 2 * bytes, &e->scratch);
  if (!both) return false;
  batch_norm_fill(&norm, both, both + bytes);
  e->scale = both;
  e->shift = both + bytes;
  return true;
}

// The slopes repeat along the result when their shape, after leading ones, is the end of the result's.
static bool open_slope(dvp_call *call, const dvp_fusion *fusion, TF_DataType dtype, const int64_t *dims,
                       int rank, dvp_epilogue *e) {
  dvp_view slope;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!typed_input(call, 1 + fusion->args, dtype, &slope)) return false;
  int first = 0;
  while (first < slope.rank && slope.dims[first] == 1) first++;
  int left = slope.rank - first;
  bool fits = left <= rank;
  for (int i = 0; fits && i < left; i++) fits = slope.dims[first + i] == dims[rank - left + i];
  if (!fits)
    return dvp_fail(call, TF_UNIMPLEMENTED,
                    "The slopes of a fused Prelu must repeat along the result: got %s for a result of %s",
                    dvp_shape_text(slope.dims, slope.rank, ta), dvp_shape_text(dims, rank, tb));
  e->slope = slope.data;
  e->slope_count = slope.count;
  return true;
}

static bool open_side(dvp_call *call, const dvp_fusion *fusion, TF_DataType dtype, const int64_t *dims,
                      int rank, dvp_epilogue *e) {
  dvp_view side;
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (!typed_input(call, dvp_fusion_add_input(fusion), dtype, &side)) return false;
  bool fits = side.rank == rank;
  for (int i = 0; fits && i < rank; i++) fits = side.dims[i] == dims[i];
  e->side = side.data;
  return fits || dvp_fail(call, TF_INVALID_ARGUMENT,
                          "The summand of a fused op must have the result's shape %s, but is %s",
                          dvp_shape_text(dims, rank, ta), dvp_shape_text(side.dims, side.rank, tb));
}

bool dvp_epilogue_open(dvp_call *call, const dvp_fusion *fusion, TF_DataType dtype, const int64_t *dims,
                       int rank, const int64_t *side_dims, dvp_keeper *keeper, dvp_epilogue *out) {
  *out = (dvp_epilogue){.activation = fusion->activation, .alpha = fusion->alpha, .channels = dims[rank - 1]};
  bool fine = (!fusion->bias || open_bias(call, dtype, out)) &&
              (!fusion->batch_norm || open_batch_norm(call, fusion, dtype, keeper, out)) &&
              (!fusion->add || open_side(call, fusion, dtype, side_dims, rank, out)) &&
              (fusion->activation != DVP_ACT_PRELU || open_slope(call, fusion, dtype, dims, rank, out));
  if (!fine) dvp_epilogue_close(out);
  return fine;
}

void dvp_epilogue_close(dvp_epilogue *epilogue) {
  dvp_free_temp(epilogue->scratch);
  epilogue->scratch = NULL;
  dvp_kept_release(epilogue->kept);
  epilogue->kept = NULL;
}

typedef struct rows_run {
  const dvp_epilogue *e;
  dvp_epilogue_apply apply;
  void *out;
} rows_run;

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const rows_run *run = arg;
  run->apply(run->e, run->out, begin, end, 0, run->e->channels);
}

void dvp_epilogue_run(dvp_call *call, const dvp_epilogue *e, dvp_epilogue_apply apply, void *out,
                      int64_t rows) {
  rows_run run = {e, apply, out};
  int64_t cost = e->activation > DVP_ACT_RELU6 ? 2000 : 300;
  dvp_parallel(call, rows, DVP_MIN(e->channels, INT64_C(1) << 40) * cost, run_rows, &run);
}
