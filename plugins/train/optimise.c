// The driver of optimise.h. All variables of a step are locked while they change, in an order that cannot
// deadlock; what does not fit is refused before anything is written.
#include "train/optimise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/dtype.h"
#include "tensorflow/c/kernels_experimental.h"

// Picoseconds an element.
#define COST 2000

static bool bool_attr(TF_OpKernelConstruction *ctx, const char *name) {
  TF_Status *status = TF_NewStatus();
  bool has = TF_OpKernelConstruction_HasAttr(ctx, name, status);
  TF_DeleteStatus(status);
  return has && dvp_attr_bool(ctx, name);
}

void *dvr_options_create(TF_OpKernelConstruction *ctx) {
  dvr_options *options = dvp_state_new(ctx, sizeof(*options));
  if (!options) return NULL;
  options->nesterov = bool_attr(ctx, "use_nesterov");
  options->update_slots = bool_attr(ctx, "update_slots");
  options->multiply_linear_by_lr = bool_attr(ctx, "multiply_linear_by_lr");
  return options;
}

static void copy_tensor(TF_OpKernelContext *ctx, TF_Tensor *source, TF_Tensor *dest) {
  (void)ctx;
  memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
}

// ---- inputs ----

static double real_part(const dvp_view *scalar) {
  switch (scalar->dtype) {
    case TF_HALF:
      return (double)dvp_f16_load(*(const dvp_f16 *)scalar->data);
    case TF_BFLOAT16:
      return (double)dvp_bf16_load(*(const dvp_bf16 *)scalar->data);
    case TF_FLOAT:
    case TF_COMPLEX64:
      return (double)*(const float *)scalar->data;
    default:
      return *(const double *)scalar->data;
  }
}

// Whether a parameter is in the range that its letter says.
static bool check_scalar(dvp_call *call, int index, char letter, const dvr_options *options,
                         const dvp_view *scalar) {
  double x = real_part(scalar);
  bool fine = letter == 's' || (letter == 'p' && (x > 0 || (x == 0 && options->multiply_linear_by_lr))) ||
              (letter == 'z' && x >= 0) || (letter == 'm' && x <= 0);
  return fine || dvp_fail(call, TF_INVALID_ARGUMENT, "Input %d must be a scalar %s, but is %g", index,
                          letter == 'p'   ? "above 0"
                          : letter == 'z' ? "of 0 or more"
                                          : "of 0 or less",
                          x);
}

typedef struct given {
  dvp_view gradient, indices;  // indices.data NULL: none
} given;

static bool read_inputs(dvp_call *call, const dvr_inputs *inputs, dvr_step *step, given *out) {
  int scalars = 0, index = inputs->variables;
  out->indices.data = NULL;
  for (const char *letter = inputs->rest; *letter; letter++, index++) {
    dvp_view scalar;
    if (*letter == 'g' || *letter == 'i') {
      if (!dvp_input(call, index, *letter == 'g' ? &out->gradient : &out->indices)) return false;
      continue;
    }
    if (!dvp_input_scalar(call, index, "each parameter of an optimiser", &scalar)) return false;
    if (*letter == 'n') {
      step->global_step = *(const int64_t *)scalar.data;
      continue;
    }
    if (!check_scalar(call, index, *letter, step->options, &scalar)) return false;
    step->scalars[scalars++] = scalar.data;
  }
  step->gradient = out->gradient.data;
  return true;
}

// ---- variables ----

// The variable holds elements of the gradient's dtype and, from dimension `from` on, its shape.
static bool check_variable(dvp_call *call, int index, const TF_Tensor *variable, const dvp_view *gradient,
                           int from) {
  int64_t dims[DVP_MAX_RANK];
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  int rank = TF_NumDims(variable);
  bool same = rank == gradient->rank && TF_TensorType(variable) == gradient->dtype;
  for (int i = 0; i < rank; i++) {
    dims[i] = TF_Dim(variable, i);
    same = same && (i < from || dims[i] == gradient->dims[i]);
  }
  return same || dvp_fail(call, TF_INVALID_ARGUMENT,
                          "Variable %d, %s of dtype %d, and the gradient, %s of dtype %d, do not fit", index,
                          dvp_shape_text(dims, rank, ta), TF_TensorType(variable),
                          dvp_shape_text(gradient->dims, gradient->rank, tb), gradient->dtype);
}

static bool check_indices(dvp_call *call, const TF_Tensor *variable, const given *in) {
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  if (in->indices.rank != 1 || in->gradient.rank < 1 || in->gradient.dims[0] != in->indices.count)
    return dvp_fail(call, TF_INVALID_ARGUMENT,
                    "indices must be a vector, with a row of the gradient for each: got %s and %s",
                    dvp_shape_text(in->indices.dims, in->indices.rank, ta),
                    dvp_shape_text(in->gradient.dims, in->gradient.rank, tb));
  int64_t rows = TF_Dim(variable, 0);
  for (int64_t i = 0; i < in->indices.count; i++) {
    int64_t row = dvp_index_at(&in->indices, i);
    if (row < 0 || row >= rows)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "Index %" PRId64 " at offset %" PRId64 " in indices is out of range [0, %" PRId64 ")",
                      row, i, rows);
  }
  return true;
}

// All variables have one shape.
static bool check_same(dvp_call *call, const TF_Tensor *a, const TF_Tensor *b, int index) {
  bool same = TF_NumDims(a) == TF_NumDims(b);
  for (int i = 0; same && i < TF_NumDims(a); i++) same = TF_Dim(a, i) == TF_Dim(b, i);
  return same || dvp_fail(call, TF_INVALID_ARGUMENT, "Variables 0 and %d do not have one shape", index);
}

// ---- running ----

typedef struct dense_run {
  const dvr_step *step;
  dvr_range range;
} dense_run;
static void run_dense(void *arg, int64_t begin, int64_t end) {
  const dense_run *run = arg;
  run->range(run->step, begin, begin, end - begin);
}

// Rows may be named twice, and then take one step after the other.
static void run_rows(const dvr_step *step, const given *in, dvr_range range) {
  int64_t inner = dvp_product(in->gradient.dims, 1, in->gradient.rank);
  for (int64_t i = 0; inner && i < in->indices.count; i++)
    range(step, dvp_index_at(&in->indices, i) * inner, i * inner, inner);
}

// With the variables locked.
static bool take_step(dvp_call *call, const dvr_options *options, const dvr_inputs *inputs, dvr_range range) {
  TF_Tensor *tensors[DVR_MAX_VARIABLES] = {NULL};
  dvr_step step = {.options = options};
  given in;
  bool fine = read_inputs(call, inputs, &step, &in), sparse = in.indices.data != NULL;
  for (int i = 0; fine && i < inputs->variables; i++) {
    TF_GetInputTensorFromVariable(call->ctx, i, true, false, sparse, copy_tensor, &tensors[i], call->status);
    fine = dvp_ok(call) && check_variable(call, i, tensors[i], &in.gradient, sparse ? 1 : 0) &&
           (i == 0 || check_same(call, tensors[0], tensors[i], i));
  }
  fine = fine && (!sparse || check_indices(call, tensors[0], &in));
  if (fine) {
    for (int i = 0; i < DVR_MAX_VARIABLES; i++)
      step.variables[i] = TF_TensorData(tensors[i < inputs->variables ? i : 0]);
    dense_run run = {&step, range};
    if (sparse)
      run_rows(&step, &in, range);
    else
      dvp_parallel(call, in.gradient.count, COST, run_dense, &run);
  }
  for (int i = 0; i < inputs->variables; i++) TF_DeleteTensor(tensors[i]);
  return fine;
}

void dvr_optimise(TF_OpKernelContext *ctx, const dvr_options *options, const dvr_inputs *inputs,
                  dvr_range range) {
  static const int indices[DVR_MAX_VARIABLES] = {0, 1, 2, 3};
  dvp_call call = {ctx, TF_NewStatus()};
  TF_VariableInputLockHolder *lock = NULL;
  bool sparse = strchr(inputs->rest, 'i') != NULL;
  TF_MaybeLockVariableInputMutexesInOrder(ctx, true, sparse, indices, (size_t)inputs->variables, copy_tensor,
                                          &lock, call.status);
  if (dvp_ok(&call)) {
    if (take_step(&call, options, inputs, range)) TF_OpKernelContext_ForwardRefInputToRefOutput(ctx, 0, 0);
    TF_ReleaseVariableInputLockHolder(lock);
  }
  TF_DeleteStatus(call.status);
}
