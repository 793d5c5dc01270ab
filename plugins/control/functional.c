// Ops that call functions: If and Case pick one, While and For repeat one. Stateless forms share the kernels.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"
#include "dovetail/function.h"

// ---- values on their way through functions ----

static void delete_all(TF_Tensor **tensors, int count) {
  for (int i = 0; i < count; i++) {
    if (tensors[i]) TF_DeleteTensor(tensors[i]);
    tensors[i] = NULL;
  }
}

static TF_Tensor **new_array(dvp_call *call, int count) {
  TF_Tensor **tensors = calloc((size_t)count + 1, sizeof(*tensors));
  if (!tensors) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "no memory for an array of %d tensors", count);
  return tensors;
}

// Handles to `count` inputs from `first` on.
static bool take_inputs(dvp_call *call, int first, TF_Tensor **out, int count) {
  for (int i = 0; i < count; i++) {
    TF_GetInput(call->ctx, first + i, &out[i], call->status);
    if (!dvp_ok(call)) return false;
  }
  return true;
}

static bool set_outputs(dvp_call *call, TF_Tensor **values, int count) {
  for (int i = 0; i < count; i++) {
    TF_SetOutput(call->ctx, i, values[i], call->status);
    if (!dvp_ok(call)) return false;
  }
  return true;
}

static bool run(dvp_call *call, const dvt_callable *function, dvt_callable_args mode, TF_Tensor **args,
                int arg_count, TF_Tensor **results, int result_count) {
  dvt_callable_run(call->ctx, function, mode, args, arg_count, results, result_count, call->status);
  return dvp_ok(call);
}

// ---- conditions ----

// Stock's rule: a scalar counts by its value (a string by being non-empty), any other tensor by having
// elements.
#define REAL_CASE(t, unused) \
  case DVP_TYPE_##t:         \
    return DVP_LOAD_##t(*(const dvp_##t *)data) != 0;
#define INT_CASE(t, unused) \
  case DVP_TYPE_##t:        \
    return *(const dvp_##t *)data != 0;
static bool is_true(const TF_Tensor *t) {
  if (TF_NumDims(t) != 0) return TF_TensorElementCount(t) > 0;
  const void *data = TF_TensorData(t);
  switch (TF_TensorType(t)) {
    DVP_FLOATS(REAL_CASE, )
    DVP_SIGNED(INT_CASE, )
    DVP_UNSIGNED(INT_CASE, )
    case TF_BOOL:
      return *(const uint8_t *)data != 0;
    case TF_STRING:
      return TF_StringGetSize(data) > 0;
    default:
      return false;
  }
}

static bool check_condition(dvp_call *call, const TF_Tensor *t) {
  TF_DataType type = TF_TensorType(t);
  if (TF_NumDims(t) != 0 ||
      (type != TF_COMPLEX64 && type != TF_COMPLEX128 && type != TF_RESOURCE && type != TF_VARIANT))
    return true;
  return dvp_fail(call, TF_INVALID_ARGUMENT, "a condition must be a bool, number or string; got dtype %d",
                  (int)type);
}

// ---- If and Case ----

typedef struct branches {
  int count;
  const dvt_callable *functions[];
} branches;

static void destroy(void *state) { free(state); }

static bool is_fine(TF_OpKernelConstruction *ctx, TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return true;
  TF_OpKernelConstruction_Failure(ctx, status);
  return false;
}

// One function from each attr of `attrs`, or all functions of the only attr.
static branches *find_branches(TF_OpKernelConstruction *ctx, const char *const *attrs, int attr_count) {
  TF_Status *status = TF_NewStatus();
  int count = attr_count == 1 ? dvt_callable_count(ctx, attrs[0], status) : attr_count;
  branches *state = dvp_state_new(ctx, sizeof(*state) + (size_t)count * sizeof(state->functions[0]));
  if (state) state->count = count;
  bool fine = state && is_fine(ctx, status);
  for (int i = 0; fine && i < count; i++) {
    state->functions[i] =
        dvt_callable_find(ctx, attrs[attr_count == 1 ? 0 : i], attr_count == 1 ? i : 0, status);
    fine = is_fine(ctx, status);
  }
  TF_DeleteStatus(status);
  return state;
}

static void *if_create(TF_OpKernelConstruction *ctx) {
  static const char *const attrs[] = {"then_branch", "else_branch"};
  return find_branches(ctx, attrs, 2);
}

static void *case_create(TF_OpKernelConstruction *ctx) {
  static const char *const attrs[] = {"branches"};
  return find_branches(ctx, attrs, 1);
}

static void run_branch(dvp_call *call, const dvt_callable *function) {
  int inputs = TF_NumInputs(call->ctx) - 1, outputs = TF_NumOutputs(call->ctx);
  TF_Tensor **args = new_array(call, inputs), **results = new_array(call, outputs);
  if (args && results && take_inputs(call, 1, args, inputs) &&
      run(call, function, DVT_CALLABLE_GIVE_ARGS, args, inputs, results, outputs))
    set_outputs(call, results, outputs);
  if (args) delete_all(args, inputs);
  if (results) delete_all(results, outputs);
  free(args);
  free(results);
}

DVP_COMPUTE(if_compute) {
  const branches *b = state;
  TF_Tensor *condition = NULL;
  if (!take_inputs(call, 0, &condition, 1)) return;
  bool known = check_condition(call, condition), taken = known && is_true(condition);
  TF_DeleteTensor(condition);
  if (known) run_branch(call, b->functions[taken ? 0 : 1]);
}
DVP_DEFINE_ANY(if, if_create, destroy, if_compute);

// An index out of range takes the last branch.
DVP_COMPUTE(case_compute) {
  const branches *b = state;
  int64_t index;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "branch_index must be a scalar, but has rank %d", in.rank);
    return;
  }
  if (!dvp_input_int(call, 0, "branch_index", &index)) return;
  run_branch(call, b->functions[index < 0 || index >= b->count ? b->count - 1 : index]);
}
DVP_DEFINE_ANY(case, case_create, destroy, case_compute);

// ---- While ----

static void *while_create(TF_OpKernelConstruction *ctx) {
  static const char *const attrs[] = {"cond", "body"};
  return find_branches(ctx, attrs, 2);
}

static bool goes_on(dvp_call *call, const dvt_callable *condition, TF_Tensor **values, int count,
                    bool *out_answer) {
  TF_Tensor *answer = NULL;
  if (!run(call, condition, DVT_CALLABLE_KEEP_ARGS, values, count, &answer, 1)) return false;
  bool known = check_condition(call, answer);
  *out_answer = known && is_true(answer);
  TF_DeleteTensor(answer);
  return known;
}

// The body's results become its next arguments. They are given away, so what is not shared is updated in
// place.
static bool repeat(dvp_call *call, const branches *b, TF_Tensor **values, TF_Tensor **next, int count) {
  for (;;) {
    bool more = false;
    if (!goes_on(call, b->functions[0], values, count, &more)) return false;
    if (!more) return true;
    if (!run(call, b->functions[1], DVT_CALLABLE_GIVE_ARGS, values, count, next, count)) return false;
    memcpy(values, next, (size_t)count * sizeof(*values));
    memset(next, 0, (size_t)count * sizeof(*next));
  }
}

DVP_COMPUTE(while_compute) {
  int count = TF_NumInputs(call->ctx);
  TF_Tensor **values = new_array(call, count), **next = new_array(call, count);
  if (values && next && take_inputs(call, 0, values, count) && repeat(call, state, values, next, count))
    set_outputs(call, values, count);
  if (values) delete_all(values, count);
  free(values);
  free(next);
}
DVP_DEFINE_ANY(while, while_create, destroy, while_compute);

// ---- For ----

static void *for_create(TF_OpKernelConstruction *ctx) {
  static const char *const attrs[] = {"body"};
  return find_branches(ctx, attrs, 1);
}

static bool scalar_int32(dvp_call *call, int index, const char *what, int32_t *out) {
  dvp_view in;
  if (!dvp_input(call, index, &in)) return false;
  if (in.rank != 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be a scalar, but has rank %d", what, in.rank);
  *out = *(const int32_t *)in.data;
  return true;
}

// args: the number of the iteration, then the values.
static bool count_up(dvp_call *call, const dvt_callable *body, int32_t start, int32_t limit, int32_t delta,
                     TF_Tensor **args, TF_Tensor **next, int count) {
  for (int64_t i = start; delta > 0 ? i < limit : i > limit; i += delta) {
    args[0] = TF_AllocateTensor(TF_INT32, NULL, 0, sizeof(int32_t));
    if (!args[0]) return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "no memory for the loop's counter");
    *(int32_t *)TF_TensorData(args[0]) = (int32_t)i;
    if (!run(call, body, DVT_CALLABLE_GIVE_ARGS, args, count + 1, next, count)) return false;
    memcpy(args + 1, next, (size_t)count * sizeof(*next));
    memset(next, 0, (size_t)count * sizeof(*next));
  }
  return true;
}

DVP_COMPUTE(for_compute) {
  const branches *b = state;
  int32_t start, limit, delta;
  if (!scalar_int32(call, 0, "start", &start) || !scalar_int32(call, 1, "limit", &limit) ||
      !scalar_int32(call, 2, "delta", &delta))
    return;
  if (!((delta > 0 && start <= limit) || (delta < 0 && start >= limit) || (delta == 0 && start == limit))) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "start %d, limit %d and delta %d do not lead from start to limit",
             (int)start, (int)limit, (int)delta);
    return;
  }
  int count = TF_NumInputs(call->ctx) - 3;
  TF_Tensor **args = new_array(call, count + 1), **next = new_array(call, count);
  if (args && next && take_inputs(call, 3, args + 1, count) &&
      count_up(call, b->functions[0], start, limit, delta, args, next, count))
    set_outputs(call, args + 1, count);
  if (args) delete_all(args, count + 1);
  free(args);
  free(next);
}
DVP_DEFINE_ANY(for, for_create, destroy, for_compute);
