// What a kernel's compute function may ask and do: rules 135 to 186.
#include <pthread.h>

#include "conformance.h"

// The kernel of the op Probe runs the function that the case has chosen.
typedef void probe_fn(TF_OpKernelContext *ctx, TF_Status *s);
static probe_fn *probe;

static void compute_probe(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  probe(ctx, s);
  TF_DeleteStatus(s);
}

static void define_probe(void) {
  define_op("Probe", shape_unknown,
            "in x: float|in l: N*float|in s: string|out y: float|out z: M*float|out i: int32|"
            "attr N: int|attr M: int = 2|stateful");
  define_kernel("Probe", NULL, compute_probe, NULL);
}

static void set_outputs(TF_OpKernelContext *ctx, TF_Status *s, int from) {
  for (int i = from; i < 4; i++) {
    TF_Tensor *t = TF_AllocateOutput(ctx, i, i == 3 ? TF_INT32 : TF_FLOAT, NULL, 0, 4, s);
    if (t) memset(TF_TensorData(t), 0, 4);
    TF_DeleteTensor(t);
  }
  TF_SetStatus(s, TF_OK, "");
}

// Runs the probe in one step; x = {1, 2, 3}, l = {x, x}, s = a string; fetches y.
static void see_probe(const char *label, probe_fn *function, const char *phrases) {
  ISOLATED(label) {
    probe = function;
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = feed_point(graph, "x", TF_FLOAT), s = feed_point(graph, "s", TF_STRING);
    TF_OperationDescription *desc = TF_NewOperation(graph, "Probe", "scope/probe");
    TF_AddInput(desc, x);
    TF_AddInputList(desc, (TF_Output[]){x, x}, 2);
    TF_AddInput(desc, s);
    TF_Output y = finish(desc);
    TF_Session *session = open_session(graph);
    TF_Tensor *values[2] = {float_vector(3, (float[]){1, 2, 3}), string_scalar("text")}, *results[1] = {0};
    TF_SessionRun(session, NULL, (TF_Output[]){x, s}, values, 2, &y, results, 1, NULL, 0, NULL, st);
    bool fine = TF_GetCode(st) == TF_OK;
    see_status(text("%s run", label), fine ? "" : phrases);
    see_tensor(text("%s fetched", label), results[0]);
    TF_DeleteTensor(results[0]);
    TF_DeleteTensor(values[0]);
    TF_DeleteTensor(values[1]);
    close_session(session);
  }
}

// ---- inputs ----

static void probe_inputs(TF_OpKernelContext *ctx, TF_Status *s) {
  see("rule-146 counts", "inputs %d outputs %d", TF_NumInputs(ctx), TF_NumOutputs(ctx));
  static const int indices[] = {-1, 0, 1, 2, 3, 4, 99};
  for (int i = 0; i < COUNT(indices); i++) {
    TF_Tensor *t = (TF_Tensor *)&t;
    TF_SetStatus(s, TF_ABORTED, "before");
    TF_GetInput(ctx, indices[i], &t, s);
    bool untouched = t == (TF_Tensor *)&t;
    see_other_status(text("rule-137 input %d status", indices[i]), s, NULL);
    if (untouched)
      see(text("rule-137 input %d", indices[i]), "untouched");
    else
      see_tensor(text("rule-137 input %d", indices[i]), t);
    if (!untouched) {
      see(text("rule-143 input %d", indices[i]), "aligned %d maybe move %d", TF_TensorIsAligned(t),
          TF_TensorMaybeMove(t) != NULL);
      TF_Tensor *again = NULL;
      TF_GetInput(ctx, indices[i], &again, s);
      see(text("rule-138 input %d again", indices[i]), "new handle %d same data %d", again != t,
          TF_TensorData(again) == TF_TensorData(t));
      TF_DeleteTensor(again);
      TF_DeleteTensor(t);
    }
  }
  for (int i = 0; i < 4; i++) see(text("rule-148 type of input %d", i), "%d", (int)TF_InputDatatype(ctx, i));
  for (int i = 0; i < 4; i++)
    see(text("rule-148 type of output %d", i), "%d", (int)TF_ExpectedOutputDataType(ctx, i));
  static const char *const names[] = {"x", "l", "s", "y", "zz", "N", ""};
  for (int i = 0; i < COUNT(names); i++)
    for (size_t size = 0; size <= 64; size += 32) {
      TF_InputRange_Args args = {
          .struct_size = size ? TF_InputRange_Args_STRUCT_SIZE : 0, .start = -77, .stop = -77, .status = s};
      TF_SetStatus(s, TF_OK, "");
      TF_InputRange(ctx, names[i], &args);
      see_other_status(text("rule-146 range of '%s' size %zu status", names[i], size), s,
                       i == 4 ? "zz" : NULL);
      see(text("rule-146 range of '%s' size %zu", names[i], size), "%d %d", args.start, args.stop);
    }
  for (size_t i = 0; i < 4; i++) {
    TF_StringView name = TF_GetOpKernelRequestedInput(ctx, i);
    see(text("rule-151 requested input %zu", i), "length %d", name.len > 0);
  }
  set_outputs(ctx, s, 0);
}

static void probe_handle(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Buffer *b = TF_NewBuffer();
  TF_GetSerializedResourceHandleProto(ctx, 0, b, s);
  see_other_status("rule-144 handle of a float", s, NULL);
  TF_DeleteBuffer(b);
  set_outputs(ctx, s, 0);
}

static void probe_input_type(TF_OpKernelContext *ctx, TF_Status *s) {
  see("rule-148 input type out of range", "%d", (int)TF_InputDatatype(ctx, 99));
  set_outputs(ctx, s, 0);
}

static void probe_output_type(TF_OpKernelContext *ctx, TF_Status *s) {
  see("rule-148 output type out of range", "%d", (int)TF_ExpectedOutputDataType(ctx, 99));
  set_outputs(ctx, s, 0);
}

static void probe_handle_range(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Buffer *b = TF_NewBuffer();
  TF_GetSerializedResourceHandleProto(ctx, 99, b, s);
  see_other_status("rule-144 handle out of range", s, NULL);
  TF_DeleteBuffer(b);
  set_outputs(ctx, s, 0);
}

void case_compute_inputs(void) {
  define_probe();
  see_probe("inputs", probe_inputs, NULL);
  see_probe("rule-148 input type out of range", probe_input_type, NULL);
  see_probe("rule-148 output type out of range", probe_output_type, NULL);
  see_probe("rule-144 handle of a float", probe_handle, NULL);
  see_probe("rule-144 handle out of range", probe_handle_range, NULL);
}

// ---- outputs ----

static void see_output(const char *label, TF_Tensor *t, TF_Status *s) {
  see_other_status(text("%s status", label), s, NULL);
  if (t)
    see(label, "type %d rank %d count %lld bytes %zu aligned %d", (int)TF_TensorType(t), TF_NumDims(t),
        (long long)TF_TensorElementCount(t), TF_TensorByteSize(t), TF_TensorIsAligned(t));
  else
    see(label, "NULL");
  TF_DeleteTensor(t);
  TF_SetStatus(s, TF_OK, "");
}

static void out_allocate(TF_OpKernelContext *ctx, TF_Status *s) {
  see_output("rule-159 output -1", TF_AllocateOutput(ctx, -1, TF_FLOAT, NULL, 0, 4, s), s);
  see_output("rule-159 output 4", TF_AllocateOutput(ctx, 4, TF_FLOAT, NULL, 0, 4, s), s);
  see_output("rule-158 other dtype and length",
             TF_AllocateOutput(ctx, 0, TF_DOUBLE, (int64_t[]){2, 3}, 2, 1, s), s);
  see_output("rule-159 twice", TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, s), s);
  see_output("rule-166 scalar", TF_AllocateOutput(ctx, 1, TF_FLOAT, NULL, 0, 4, s), s);
  see_output("rule-166 zero elements", TF_AllocateOutput(ctx, 2, TF_FLOAT, (int64_t[]){3, 0}, 2, 0, s), s);
  TF_Tensor *t = TF_GetMutableOutput(ctx, 0, s), *again = TF_GetMutableOutput(ctx, 0, s);
  see("rule-162 mutable output", "new handle %d same data %d", t != again,
      TF_TensorData(t) == TF_TensorData(again));
  for (int i = 0; i < 6; i++) ((float *)TF_TensorData(t))[i] = (float)i;
  TF_DeleteTensor(again);
  see_output("rule-162 mutable output state", t, s);
  see_output("rule-162 mutable output -1", TF_GetMutableOutput(ctx, -1, s), s);
  see_output("rule-162 mutable output 9", TF_GetMutableOutput(ctx, 9, s), s);
  set_outputs(ctx, s, 3);
}

static void out_set(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Tensor *t = float_vector(2, (float[]){5, 6});
  TF_SetOutput(ctx, -1, t, s);
  see_other_status("rule-152 set -1", s, NULL);
  TF_SetOutput(ctx, 4, t, s);
  see_other_status("rule-152 set 4", s, NULL);
  TF_SetStatus(s, TF_ABORTED, "before");
  TF_SetOutput(ctx, 0, t, s);
  see_other_status("rule-153 set", s, NULL);
  TF_SetOutput(ctx, 1, t, s);
  see_other_status("rule-153 set the same tensor elsewhere", s, NULL);
  see("rule-153 shared", "%d", TF_TensorMaybeMove(t) != NULL);
  TF_DeleteTensor(t);
  set_outputs(ctx, s, 2);
}

static int freed;
static void count_free(void *data, size_t length, void *argument) {
  (void)length, (void)argument;
  freed++;
  free(data);
}

static void out_user_memory(TF_OpKernelContext *ctx, TF_Status *s) {
  float *data = aligned_alloc(64, 64);
  data[0] = 42;
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, NULL, 0, data, 4, count_free, NULL);
  TF_SetOutput(ctx, 0, t, s);
  TF_DeleteTensor(t);
  see("rule-153 freed during compute", "%d", freed);
  set_outputs(ctx, s, 1);
}

static void out_input(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Tensor *t = NULL;
  TF_GetInput(ctx, 0, &t, s);
  TF_SetOutput(ctx, 0, t, s);
  see_other_status("rule-145 input as output", s, NULL);
  TF_DeleteTensor(t);
  set_outputs(ctx, s, 1);
}

static void out_set_twice(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Tensor *t = float_scalar(1), *u = float_scalar(2);
  TF_SetOutput(ctx, 0, t, s);
  TF_SetOutput(ctx, 0, u, s);
  see_other_status("rule-155 set twice", s, NULL);
  TF_DeleteTensor(t);
  TF_DeleteTensor(u);
  set_outputs(ctx, s, 1);
}

static void out_set_allocated(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_DeleteTensor(TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, s));
  TF_Tensor *u = float_scalar(2);
  TF_SetOutput(ctx, 0, u, s);
  see_other_status("rule-155 set after allocation", s, NULL);
  TF_DeleteTensor(u);
  set_outputs(ctx, s, 1);
}

static void out_allocate_set(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Tensor *u = float_scalar(2);
  TF_SetOutput(ctx, 0, u, s);
  TF_DeleteTensor(u);
  see_output("rule-159 allocate after set", TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, s), s);
  set_outputs(ctx, s, 1);
}

static void out_null(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_SetOutput(ctx, 0, NULL, s);
  see_other_status("rule-156 set NULL", s, NULL);
  set_outputs(ctx, s, 0);
}

static void out_wrong_type(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Tensor *t = int_scalar(3);
  TF_SetOutput(ctx, 0, t, s);
  see_other_status("rule-154 wrong type", s, NULL);
  TF_DeleteTensor(t);
  set_outputs(ctx, s, 1);
}

static void out_none(TF_OpKernelContext *ctx, TF_Status *s) { set_outputs(ctx, s, 1); }
static void out_not_fetched(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_DeleteTensor(TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){0}, 1, 0, s));
}
static void out_mutable_early(TF_OpKernelContext *ctx, TF_Status *s) {
  see_output("rule-162 mutable output too early", TF_GetMutableOutput(ctx, 0, s), s);
  set_outputs(ctx, s, 0);
}
static void out_negative(TF_OpKernelContext *ctx, TF_Status *s) {
  see_output("rule-160 negative output", TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){-1}, 1, 4, s), s);
}
static void out_overflow(TF_OpKernelContext *ctx, TF_Status *s) {
  see_output("rule-160 output overflow",
             TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){1LL << 40, 1LL << 40}, 2, 4, s), s);
}
static void out_huge(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_Tensor *t = TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){1LL << 45}, 1, 4, s);
  see("rule-161 huge", "%s", t ? "tensor" : "NULL");
  see_other_status("rule-161 huge status", s, t ? NULL : "");
  if (TF_GetCode(s) != TF_OK) TF_OpKernelContext_Failure(ctx, s);
}

// ---- temporaries ----

static void temp_kinds(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_AllocatorAttributes attrs = {.struct_size = 0, .on_host = 0};
  see_output("rule-163 no attrs", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){2, 3}, 2, NULL, s), s);
  see_output("rule-163 size 0", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){2}, 1, &attrs, s), s);
  attrs.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
  see_output("rule-163 size set", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){2}, 1, &attrs, s), s);
  attrs.on_host = 1;
  see_output("rule-164 on host", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){2}, 1, &attrs, s), s);
  attrs.struct_size = 1;
  see_output("rule-163 size 1", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){2}, 1, &attrs, s), s);
  attrs.struct_size = 999;
  see_output("rule-163 size 999", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){2}, 1, &attrs, s), s);
  see_output("rule-166 scalar temp", TF_AllocateTemp(ctx, TF_FLOAT, NULL, 0, NULL, s), s);
  see_output("rule-166 empty temp", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){0}, 1, NULL, s), s);
  see_output("rule-163 int64 temp", TF_AllocateTemp(ctx, TF_INT64, (int64_t[]){5}, 1, NULL, s), s);
  TF_Tensor *t = TF_AllocateTemp(ctx, TF_STRING, (int64_t[]){2}, 1, NULL, s);
  see_tensor("rule-167 strings", t);
  TF_DeleteTensor(t);
  t = TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){2}, 1, NULL, s);
  ((float *)TF_TensorData(t))[0] = 8;
  ((float *)TF_TensorData(t))[1] = 9;
  see("rule-165 temp", "maybe move %d", TF_TensorMaybeMove(t) != NULL);
  TF_SetOutput(ctx, 0, t, s);
  see_other_status("rule-165 temp as output", s, NULL);
  TF_DeleteTensor(t);
  set_outputs(ctx, s, 1);
}

static void temp_negative(TF_OpKernelContext *ctx, TF_Status *s) {
  see_output("rule-160 negative temp", TF_AllocateTemp(ctx, TF_FLOAT, (int64_t[]){-1}, 1, NULL, s), s);
}

void case_compute_outputs(void) {
  define_probe();
  static const struct {
    const char *name;
    probe_fn *probe;
    const char *phrases;
  } probes[] = {{"allocate", out_allocate, NULL},
                {"set", out_set, NULL},
                {"rule-153 user memory", out_user_memory, NULL},
                {"rule-145 input as output", out_input, NULL},
                {"rule-155 set twice", out_set_twice, NULL},
                {"rule-155 set after allocation", out_set_allocated, NULL},
                {"rule-159 allocate after set", out_allocate_set, NULL},
                {"rule-156 set NULL", out_null, NULL},
                {"rule-154 wrong type", out_wrong_type, "{{node scope/probe}}"},
                {"rule-157 unset", out_none, "{{node scope/probe}}"},
                {"rule-157 unset, not fetched", out_not_fetched, NULL},
                {"rule-162 mutable output too early", out_mutable_early, NULL},
                {"rule-160 negative output", out_negative, NULL},
                {"rule-160 output overflow", out_overflow, NULL},
                {"rule-161 huge", out_huge, NULL},
                {"temps", temp_kinds, NULL},
                {"rule-160 negative temp", temp_negative, NULL}};
  for (int i = 0; i < COUNT(probes); i++) see_probe(probes[i].name, probes[i].probe, probes[i].phrases);
}

// ---- forwarding ----

static struct {
  const char *name;
  int candidates[3], count, rank, output;
  int64_t dims[2];
  bool hold, no_pointer;
} forward;

static void compute_forward(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *held = NULL;
  if (forward.hold) TF_GetInput(ctx, 0, &held, s);
  int forwarded = -77;
  TF_Tensor *t = TF_ForwardInputOrAllocateOutput(ctx, forward.count ? forward.candidates : NULL,
                                                 forward.count, forward.output, forward.dims, forward.rank,
                                                 forward.no_pointer ? NULL : &forwarded, s);
  see_other_status(text("%s status", forward.name), s, NULL);
  see(text("%s forward", forward.name), "input %d, rank %d count %lld", forwarded, t ? TF_NumDims(t) : -1,
      t ? (long long)TF_TensorElementCount(t) : -1);
  if (t && forwarded < 0) memset(TF_TensorData(t), 0, TF_TensorByteSize(t));
  TF_DeleteTensor(t);
  TF_DeleteTensor(held);
  if (forward.output) {
    TF_SetStatus(s, TF_OK, "");
    t = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, 4, s);
    if (t) *(float *)TF_TensorData(t) = 0;
    TF_DeleteTensor(t);
  }
  TF_DeleteStatus(s);
}

static void compute_fresh(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *t = TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){6}, 1, 24, s);
  for (int i = 0; i < 6; i++) ((float *)TF_TensorData(t))[i] = (float)i;
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

void case_compute_forward(void) {
  define_op("Fresh", shape_unknown, "in x: float|out y: float|stateful");
  define_kernel("Fresh", NULL, compute_fresh, NULL);
  define_op("Forward", shape_unknown, "in x: float|in other: float|out y: float|stateful");
  define_kernel("Forward", NULL, compute_forward, NULL);
  define_op("ForwardInt", shape_unknown, "in x: float|in other: float|out y: float|out i: int32|stateful");
  define_kernel("ForwardInt", NULL, compute_forward, NULL);
  static const struct {
    const char *name, *op;
    int candidates[3], count, rank, output;
    int64_t dims[2];
    bool hold, no_pointer, fetch_producer, from_feed;
  } tries[] = {
      {"rule-168 same shape", "Forward", {0}, 1, 1, 0, {6}, false, false, false, false},
      {"rule-168 other shape, same count", "Forward", {0}, 1, 2, 0, {2, 3}, false, false, false, false},
      {"rule-168 other count", "Forward", {0}, 1, 1, 0, {5}, false, false, false, false},
      {"rule-168 second candidate", "Forward", {1, 0}, 2, 1, 0, {6}, false, false, false, false},
      {"rule-168 no pointer", "Forward", {0}, 1, 1, 0, {6}, false, true, false, false},
      {"rule-168 other dtype", "ForwardInt", {0}, 1, 1, 1, {6}, false, false, false, false},
      {"rule-169 handle held", "Forward", {0}, 1, 1, 0, {6}, true, false, false, false},
      {"rule-169 producer fetched", "Forward", {0}, 1, 1, 0, {6}, false, false, true, false},
      {"rule-169 feed", "Forward", {1}, 1, 1, 0, {6}, false, false, false, true},
      {"rule-170 no candidates", "Forward", {0}, 0, 1, 0, {6}, false, false, false, false},
      {"rule-170 candidate out of range", "Forward", {7}, 1, 1, 0, {6}, false, false, false, false},
      {"rule-170 candidate negative", "Forward", {-1}, 1, 1, 0, {6}, false, false, false, false},
      {"rule-160 negative dimension", "Forward", {0}, 1, 1, 0, {-6}, false, false, false, false},
      {"rule-168 output out of range", "Forward", {0}, 1, 1, 9, {6}, false, false, false, false},
      {"rule-168 zero elements", "Forward", {0}, 1, 1, 0, {0}, false, false, false, false},
  };
  for (int i = 0; i < COUNT(tries); i++) ISOLATED(tries[i].name) {
      memcpy(forward.candidates, tries[i].candidates, sizeof forward.candidates);
      forward.name = tries[i].name;
      forward.count = tries[i].count, forward.rank = tries[i].rank, forward.output = tries[i].output;
      memcpy(forward.dims, tries[i].dims, sizeof forward.dims);
      forward.hold = tries[i].hold, forward.no_pointer = tries[i].no_pointer;
      TF_Graph *graph = TF_NewGraph();
      TF_Output x = feed_point(graph, "x", TF_FLOAT), fresh = node(graph, "Fresh", "fresh", INPUTS(x)),
                y = node(graph, tries[i].op, "y", INPUTS(fresh, x));
      TF_Session *session = open_session(graph);
      TF_Tensor *value = float_vector(6, (float[]){9, 9, 9, 9, 9, 9}), *results[2] = {0};
      TF_SessionRun(session, NULL, &x, &value, 1, (TF_Output[]){y, fresh}, results,
                    tries[i].fetch_producer ? 2 : 1, NULL, 0, NULL, st);
      see_status(text("%s run", tries[i].name), NULL);
      see_tensor(text("%s result", tries[i].name), results[0]);
      see_tensor(text("%s fed", tries[i].name), value);
      close_session(session);
    }
}

// ---- errors ----

static void fail_twice(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_OpKernelContext_Failure(ctx, s);
  TF_SetStatus(s, TF_DATA_LOSS, "first");
  TF_OpKernelContext_Failure(ctx, s);
  TF_SetStatus(s, TF_ABORTED, "second");
  TF_OpKernelContext_Failure(ctx, s);
  TF_SetStatus(s, TF_OK, "");
  TF_OpKernelContext_Failure(ctx, s);
  set_outputs(ctx, s, 0);
}
static void fail_ok(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_OpKernelContext_Failure(ctx, s);
  set_outputs(ctx, s, 0);
}
static void fail_after_output(TF_OpKernelContext *ctx, TF_Status *s) {
  set_outputs(ctx, s, 0);
  TF_SetStatus(s, TF_UNAUTHENTICATED, "");
  TF_OpKernelContext_Failure(ctx, s);
}

static TF_Code failing_code;
static void fail_with_code(TF_OpKernelContext *ctx, TF_Status *s) {
  TF_SetStatus(s, failing_code, "by code");
  TF_OpKernelContext_Failure(ctx, s);
  set_outputs(ctx, s, 0);
}

void case_compute_errors(void) {
  define_probe();
  see_probe("rule-172 two failures", fail_twice, "first|{{node scope/probe}}");
  see_probe("rule-172 OK", fail_ok, NULL);
  see_probe("rule-172 after the output", fail_after_output, NULL);
  for (int code = 1; code <= 16; code++) {
    failing_code = (TF_Code)code;
    see_probe(text("rule-172 code %d", code), fail_with_code,
              code == TF_OUT_OF_RANGE ? NULL : "by code|{{node scope/probe}}");
  }
}

// ---- surroundings ----

static void see_view(const char *label, TF_StringView view) {
  see(label, "'%.*s'", (int)view.len, view.data);
}

static void probe_context(TF_OpKernelContext *ctx, TF_Status *s) {
  see("rule-174 stream", "%s", TF_GetStream(ctx, s) ? "stream" : "NULL");
  see_other_status("rule-174 stream status", s, "CPU");
  TF_SetStatus(s, TF_OK, "");
  see("rule-175 step", "same %d positive %d", TF_StepId(ctx) == TF_GetStepId(ctx), TF_StepId(ctx) > 0);
  see("rule-175 frame", "%llu iteration %lld", (unsigned long long)TF_GetFrameId(ctx),
      (long long)TF_GetIterId(ctx));
  see("rule-176 device id", "%d", TF_GetDeviceId(ctx));
  see_view("rule-176 device", TF_GetDeviceName(ctx));
  see_view("rule-176 container", TF_GetResourceMgrDefaultContainerName(ctx));
  see_view("rule-176 kernel name", TF_GetOpKernelName(ctx));
  see("rule-176 version", "%d", TF_GetGraphDefVersion(ctx));
  TF_Buffer *b = TF_NewBuffer();
  TF_GetSerializedFunctionDefLibrary(ctx, b, s);
  see_other_status("rule-178 library status", s, NULL);
  see_buffer("rule-178 library", "FunctionDefLibrary", b);
  b = TF_NewBuffer();
  TF_GetSerializedConfigProto(ctx, b, s);
  see_other_status("rule-178 config status", s, NULL);
  TF_DeleteBuffer(b);
  TF_IncNumDeferredOps(ctx);
  TF_DecNumDeferredOps(ctx);
  see("rule-184 deferred", "survived");
  set_outputs(ctx, s, 0);
}

static void *use_context(void *argument) {
  TF_OpKernelContext *ctx = argument;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *x = NULL;
  TF_GetInput(ctx, 0, &x, s);
  TF_SetOutput(ctx, 0, x, s);
  see_other_status("rule-136 in a helper thread", s, NULL);
  TF_DeleteTensor(x);
  TF_DeleteStatus(s);
  return NULL;
}

static void probe_thread(TF_OpKernelContext *ctx, TF_Status *s) {
  pthread_t thread;
  pthread_create(&thread, NULL, use_context, ctx);
  pthread_join(thread, NULL);
  set_outputs(ctx, s, 1);
}

static int64_t steps[3];
static int step_count;
static void probe_step(TF_OpKernelContext *ctx, TF_Status *s) {
  if (step_count < 3) steps[step_count++] = TF_GetStepId(ctx);
  set_outputs(ctx, s, 0);
}

void case_compute_context(void) {
  define_probe();
  see_probe("context", probe_context, NULL);
  see_probe("rule-136 helper thread", probe_thread, NULL);
  ISOLATED("rule-175 step numbers") {
    probe = probe_step;
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = feed_point(graph, "x", TF_FLOAT), s = feed_point(graph, "s", TF_STRING);
    TF_OperationDescription *desc = TF_NewOperation(graph, "Probe", "probe");
    TF_AddInput(desc, x);
    TF_AddInputList(desc, &x, 1);
    TF_AddInput(desc, s);
    TF_Output y = finish(desc);
    TF_Session *session = open_session(graph);
    for (int i = 0; i < 3; i++) {
      TF_Tensor *values[2] = {float_scalar(1), string_scalar("t")}, *result = NULL;
      TF_SessionRun(session, NULL, (TF_Output[]){x, s}, values, 2, &y, &result, 1, NULL, 0, NULL, st);
      TF_DeleteTensor(result);
    }
    see("rule-175 step numbers", "%d steps, rising by %lld %lld", step_count,
        (long long)(steps[1] - steps[0]), (long long)(steps[2] - steps[1]));
  }
}

// Producers by name, seen by a kernel behind another kernel (rules 133, 151).
static void *create_behind(TF_OpKernelConstruction *ctx) {
  TF_Status *s = TF_NewStatus();
  TF_Buffer *def = TF_OpKernelConstruction_GetNodeDef(ctx, s);
  see_buffer("rule-133 node def", "NodeDef", def);
  TF_DeleteStatus(s);
  return NULL;
}

static void compute_behind(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  for (size_t i = 0; i < 2; i++)
    see_view(text("rule-151 requested input %zu", i), TF_GetOpKernelRequestedInput(ctx, i));
  TF_Status *s = TF_NewStatus();
  TF_DeleteTensor(TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){0}, 1, 0, s));
  TF_DeleteStatus(s);
}

static void compute_fresh_two(void *kernel, TF_OpKernelContext *ctx) {
  compute_fresh(kernel, ctx);
  TF_Status *s = TF_NewStatus();
  TF_DeleteTensor(TF_AllocateOutput(ctx, 1, TF_FLOAT, (int64_t[]){0}, 1, 0, s));
  TF_DeleteStatus(s);
}

void case_compute_names(void) {
  define_op("Fresh", shape_unknown, "in x: float|out y: float|stateful");
  define_kernel("Fresh", NULL, compute_fresh, NULL);
  define_op("FreshTwo", shape_unknown, "in x: float|out y: float|out z: float|stateful");
  define_kernel("FreshTwo", NULL, compute_fresh_two, NULL);
  define_op("Behind", shape_unknown, "in a: float|in b: float|out y: float|stateful");
  define_kernel("Behind", create_behind, compute_behind, NULL);
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), a = node(graph, "Fresh", "scope/a", INPUTS(x)),
            b = node(graph, "FreshTwo", "b", INPUTS(x)),
            y = node(graph, "Behind", "y", INPUTS(a, (TF_Output){b.oper, 1}));
  TF_AddOperationControlInput(graph, y.oper, b.oper);
  see_run("run", graph, &x, float_scalar(1), &y, NULL);
  TF_DeleteGraph(graph);
}
