// include/dovetail/kernel_construction.h: what create functions may do beyond the stock C ABI, and the
// message of every wrong use. What takes a session (functions, options, device names) is tested with one.
#include "dovetail/kernel_construction.h"

#include "capi/construction_test_util.h"
#include "dovetail/function.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/ops.h"

static TF_Tensor *kept;  // by the kernel: a persistent tensor

static void *create(TF_OpKernelConstruction *ctx) {
  if (probe) probe(ctx);
  return NULL;
}

static int setup(void **state) {
  status = TF_NewStatus();
  test_op(
      "Shapes",
      SPECS("a:known: shape = { dim { size: 2 } dim { size: 3 } }", "a:none: shape = { unknown_rank: true }",
            "a:part: shape = { dim { size: 2 } dim { size: -1 } }", "a:scalar: shape = { }", "a:i: int = 1",
            "a:list: list(shape) = [{ dim { size: 2 } dim { size: 3 } }, { unknown_rank: true }, {}, "
            "{ dim { size: -1 } }]",
            "a:all_known: list(shape) = [{ dim { size: 4 } }, { dim { size: 5 } dim { size: 6 } }]",
            "a:empty: list(shape) = []", "a:ints: list(int) = [1, 2]",
            "a:fns: list(func) = [{ name: 'foo' }, { name: 'bar' }]", "a:fn: func = { name: 'foo' }",
            "a:no_fns: list(func) = []"));
  test_op("Ends", SPECS("a:N: int", "i:head: int32", "i:xs: N * float", "o:y: float", "o:n: int64"));
  TF_KernelBuilder *ends = TF_NewKernelBuilder("Ends", "CPU", create, compute, NULL);
  TF_KernelBuilder_HostMemory(ends, "head");
  TF_KernelBuilder_HostMemory(ends, "n");
  test_register(ends);
  test_register(TF_NewKernelBuilder("Shapes", "CPU", create, compute, NULL));
  test_op("Reference", SPECS("i:r: Ref(float)", "i:x: float", "o:y: Ref(float)"));
  test_register(TF_NewKernelBuilder("Reference", "CPU", create, compute, NULL));
  TF_OpDefinitionBuilder *source = TF_NewOpDefinitionBuilder("Source");
  TF_OpDefinitionBuilderAddOutput(source, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(source, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(source, status);
  assert_tf_status(status, TF_OK, "");
  test_register(TF_NewKernelBuilder("Source", "CPU", create, compute, NULL));
  return test_setup(state);
}

static dvt_status run_create(const char *op, void (*with)(TF_OpKernelConstruction *ctx)) {
  return create_node(op, strcmp(op, "Ends") == 0 ? "N" : NULL, 2, with);
}

// Every error of these functions says where it happened.
static void assert_wrong(TF_Code code, const char *part, const char *attr, const char *op) {
  char line[128];
  assert_tf_status(status, code, part);
  assert_tf_status(status, code, "{{node n}}");
  snprintf(line, sizeof line, "op '%s'", op);
  assert_tf_status(status, code, line);
  snprintf(line, sizeof line, "'%s'", attr);
  if (attr) assert_tf_status(status, code, line);
}

// ---- shapes ----

static void partial_shapes(TF_OpKernelConstruction *ctx) {
  int64_t dims[3] = {9, 9, 9};
  int rank = 9;
  TF_SetStatus(status, TF_UNKNOWN, "before");
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "known", dims, 3, &rank, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(rank == 2 && dims[0] == 2 && dims[1] == 3 && dims[2] == 9);
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "part", dims, 2, &rank, status);
  assert_true(rank == 2 && dims[0] == 2 && dims[1] == -1);
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "none", NULL, 0, &rank, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(rank, -1);
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "scalar", NULL, 0, &rank, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(rank, 0);
}

static void wrong_partial_shapes(TF_OpKernelConstruction *ctx) {
  int64_t dims[2] = {9, 9};
  int rank = 9;
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "x", dims, 2, &rank, status);
  assert_wrong(TF_NOT_FOUND, "No attr named 'x' in NodeDef", "x", "Shapes");
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "i", dims, 2, &rank, status);
  assert_wrong(TF_INVALID_ARGUMENT, "type 'int' when 'shape' expected", "i", "Shapes");
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "list", dims, 2, &rank, status);
  assert_wrong(TF_INVALID_ARGUMENT, "when 'shape' expected", "list", "Shapes");
  TF_OpKernelConstruction_GetAttrPartialShape(ctx, "known", dims, 1, &rank, status);
  assert_wrong(TF_INVALID_ARGUMENT, "2 dimensions, more than the 1", "known", "Shapes");
  assert_true(rank == 9 && dims[0] == 9 && dims[1] == 9);
}

static void test_partial_shapes(void **state) {
  (void)state;
  assert_ok(run_create("Shapes", partial_shapes));
  assert_ok(run_create("Shapes", wrong_partial_shapes));
}

static void shape_lists(TF_OpKernelConstruction *ctx) {
  int64_t storage[4], *dims[5] = {NULL, NULL, NULL, NULL, storage + 3};
  int ranks[5] = {9, 9, 9, 9, 9};
  int32_t count, total;
  TF_SetStatus(status, TF_OK, "");
  TF_OpKernelConstruction_GetAttrSize(ctx, "list", &count, &total, status);
  assert_true(count == 4 && total == 3);
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "list", dims, ranks, 5, storage, total, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(ranks[0] == 2 && ranks[1] == -1 && ranks[2] == 0 && ranks[3] == 1 && ranks[4] == 9);
  assert_true(dims[0] == storage && dims[3] == storage + 2 && dims[4] == storage + 3);
  assert_true(dims[0][0] == 2 && dims[0][1] == 3 && dims[3][0] == -1);
  TF_OpKernelConstruction_GetAttrTensorShapeList(ctx, "all_known", dims, ranks, 5, storage, 4, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(ranks[0] == 1 && ranks[1] == 2);
  assert_true(dims[0][0] == 4 && dims[1][0] == 5 && dims[1][1] == 6);
  // Fewer than there are: the rest is not looked at, and needs no room.
  TF_OpKernelConstruction_GetAttrTensorShapeList(ctx, "list", dims, ranks, 1, storage, 2, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "empty", NULL, NULL, 5, NULL, 0, status);
  assert_tf_status(status, TF_OK, "");
  // Rule 124: an empty list satisfies any kind.
  TF_OpKernelConstruction_GetAttrTensorShapeList(ctx, "no_fns", NULL, NULL, 5, NULL, 0, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "list", NULL, NULL, -1, NULL, 0, status);
  assert_tf_status(status, TF_OK, "");
}

static void wrong_shape_lists(TF_OpKernelConstruction *ctx) {
  int64_t storage[4] = {9, 9, 9, 9}, *dims[4] = {NULL};
  int ranks[4] = {9, 9, 9, 9};
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "x", dims, ranks, 4, storage, 4, status);
  assert_wrong(TF_NOT_FOUND, "No attr named 'x'", "x", "Shapes");
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "ints", dims, ranks, 4, storage, 4, status);
  assert_wrong(TF_INVALID_ARGUMENT, "'list(shape)' expected", "ints", "Shapes");
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "known", dims, ranks, 4, storage, 4, status);
  assert_wrong(TF_INVALID_ARGUMENT, "'list(shape)' expected", "known", "Shapes");
  TF_OpKernelConstruction_GetAttrPartialShapeList(ctx, "list", dims, ranks, 4, storage, 2, status);
  assert_wrong(TF_INVALID_ARGUMENT, "Not enough storage", "list", "Shapes");
  assert_wrong(TF_INVALID_ARGUMENT, "shape 3 needs 1 sizes, 0 of 2 are left", "list", "Shapes");
  TF_OpKernelConstruction_GetAttrTensorShapeList(ctx, "list", dims, ranks, 4, storage, 4, status);
  assert_wrong(TF_INVALID_ARGUMENT, "unknown rank", "list", "Shapes");
  assert_true(storage[0] == 9 && ranks[0] == 9 && !dims[0]);
}

static void test_shape_lists(void **state) {
  (void)state;
  assert_ok(run_create("Shapes", shape_lists));
  assert_ok(run_create("Shapes", wrong_shape_lists));
}

// ---- functions and any kind ----

static void functions(TF_OpKernelConstruction *ctx) {
  TF_Buffer *vals[3] = {NULL, NULL, NULL};
  TF_OpKernelConstruction_GetAttrFunctionList(ctx, "fns", vals, 3, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(vals[0]->length, 5);  // NameAttrList {1: "foo"}
  assert_memory_equal(vals[1]->data,
                      "\x0a\x03"
                      "bar",
                      5);
  assert_null(vals[2]);
  TF_DeleteBuffer(vals[0]);
  TF_DeleteBuffer(vals[1]);
  vals[1] = NULL;
  TF_OpKernelConstruction_GetAttrFunctionList(ctx, "fns", vals, 1, status);
  assert_tf_status(status, TF_OK, "");
  assert_null(vals[1]);
  TF_DeleteBuffer(vals[0]);
  vals[0] = NULL;
  TF_OpKernelConstruction_GetAttrFunctionList(ctx, "no_fns", vals, 3, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_GetAttrFunctionList(ctx, "fns", vals, 0, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_GetAttrFunctionList(ctx, "fn", vals, 3, status);
  assert_wrong(TF_INVALID_ARGUMENT, "'list(func)' expected", "fn", "Shapes");
  TF_OpKernelConstruction_GetAttrFunctionList(ctx, "ints", vals, 3, status);
  assert_wrong(TF_INVALID_ARGUMENT, "'list(func)' expected", "ints", "Shapes");
  TF_OpKernelConstruction_GetAttrFunctionList(ctx, "x", vals, 3, status);
  assert_wrong(TF_NOT_FOUND, "No attr named 'x'", "x", "Shapes");
  assert_null(vals[0]);
  assert_int_equal(dvt_callable_count(ctx, "fns", status), 2);
  assert_int_equal(dvt_callable_count(ctx, "ints", status), 0);
  assert_wrong(TF_INVALID_ARGUMENT, "attr 'ints' holds no function", "ints", "Shapes");
  assert_null(dvt_callable_find(ctx, "fns", 2, status));
  assert_wrong(TF_OUT_OF_RANGE, "function 2 of attr 'fns'", "fns", "Shapes");
  assert_null(dvt_callable_find(ctx, "fns", 0, status));
  assert_wrong(TF_FAILED_PRECONDITION, "a session's graph only", "fns", "Shapes");
}

static void any_kind(TF_OpKernelConstruction *ctx) {
  TF_Buffer *value = TF_OpKernelConstruction_GetAttrValueProto(ctx, "i", status);
  assert_tf_status(status, TF_OK, "");
  assert_memory_equal(value->data, "\x18\x01", 2);  // AttrValue {3: 1}
  TF_DeleteBuffer(value);
  value = TF_OpKernelConstruction_GetAttrValueProto(ctx, "ints", status);
  assert_memory_equal(value->data, "\x0a\x04\x1a\x02\x01\x02", 6);  // {1: {3: [1, 2]}}
  TF_DeleteBuffer(value);
  assert_null(TF_OpKernelConstruction_GetAttrValueProto(ctx, "x", status));
  assert_wrong(TF_NOT_FOUND, "No attr named 'x'", "x", "Shapes");
}

static void test_functions_and_any_kind(void **state) {
  (void)state;
  assert_ok(run_create("Shapes", functions));
  assert_ok(run_create("Shapes", any_kind));
}

static void stock_errors(TF_OpKernelConstruction *ctx) {
  int64_t value;
  TF_OpKernelConstruction_GetAttrInt64(ctx, "fn", &value, status);
  assert_wrong(TF_INVALID_ARGUMENT, "type 'func' when 'int' expected", "fn", "Shapes");
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "x", &value, 1, status);
  assert_wrong(TF_INVALID_ARGUMENT, "has no attr named 'x'", "x", "Shapes");
}

static void test_stock_getters_name_the_op_too(void **state) {
  (void)state;
  assert_ok(run_create("Shapes", stock_errors));
}

// ---- inputs and outputs ----

static void ends(TF_OpKernelConstruction *ctx) {
  TF_DataType types[4] = {0, 0, 0, TF_BOOL};
  assert_int_equal(TF_OpKernelConstruction_NumInputs(ctx), 3);
  assert_int_equal(TF_OpKernelConstruction_NumOutputs(ctx), 2);
  assert_int_equal(TF_OpKernelConstruction_InputType(ctx, 0, status), TF_INT32);
  assert_int_equal(TF_OpKernelConstruction_InputType(ctx, 2, status), TF_FLOAT);
  assert_int_equal(TF_OpKernelConstruction_OutputType(ctx, 1, status), TF_INT64);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_InputTypes(ctx, types, 4);
  assert_true(types[0] == TF_INT32 && types[1] == TF_FLOAT && types[2] == TF_FLOAT && types[3] == TF_BOOL);
  TF_OpKernelConstruction_OutputTypes(ctx, types, 1);
  assert_true(types[0] == TF_FLOAT && types[1] == TF_FLOAT);
  TF_OpKernelConstruction_OutputTypes(ctx, types, -1);
  assert_true(TF_OpKernelConstruction_IsHostMemoryInput(ctx, 0, status));
  assert_false(TF_OpKernelConstruction_IsHostMemoryInput(ctx, 1, status));
  assert_false(TF_OpKernelConstruction_IsHostMemoryOutput(ctx, 0, status));
  assert_true(TF_OpKernelConstruction_IsHostMemoryOutput(ctx, 1, status));
  assert_tf_status(status, TF_OK, "");
}

static void wrong_ends(TF_OpKernelConstruction *ctx) {
  assert_int_equal(TF_OpKernelConstruction_InputType(ctx, 3, status), 0);
  assert_wrong(TF_OUT_OF_RANGE, "input index 3 out of range, the node has 3", NULL, "Ends");
  assert_int_equal(TF_OpKernelConstruction_OutputType(ctx, -1, status), 0);
  assert_wrong(TF_OUT_OF_RANGE, "output index -1 out of range, the node has 2", NULL, "Ends");
  assert_false(TF_OpKernelConstruction_IsHostMemoryInput(ctx, -1, status));
  assert_wrong(TF_OUT_OF_RANGE, "input index -1", NULL, "Ends");
  assert_false(TF_OpKernelConstruction_IsHostMemoryOutput(ctx, 2, status));
  assert_wrong(TF_OUT_OF_RANGE, "output index 2", NULL, "Ends");
}

static void test_inputs_and_outputs(void **state) {
  (void)state;
  assert_ok(run_create("Ends", ends));
  assert_ok(run_create("Ends", wrong_ends));
}

static void signature(TF_OpKernelConstruction *ctx) {
  const TF_DataType ins[] = {TF_INT32, TF_FLOAT, TF_FLOAT}, outs[] = {TF_FLOAT, TF_INT64};
  TF_OpKernelConstruction_MatchSignature(ctx, ins, 3, outs, 2, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_MatchSignature(ctx, ins, 2, outs, 2, status);
  assert_wrong(
      TF_INVALID_ARGUMENT,
      "Signature mismatch, have: int32, float, float->float, int64 expected: int32, float->float, int64",
      NULL, "Ends");
  TF_OpKernelConstruction_MatchSignature(ctx, ins, 3, ins, 2, status);
  assert_wrong(TF_INVALID_ARGUMENT, "Signature mismatch", NULL, "Ends");
  TF_OpKernelConstruction_MatchSignature(ctx, ins, 3, NULL, 2, status);
  assert_wrong(TF_INVALID_ARGUMENT, "NULL", NULL, "Ends");
  TF_OpKernelConstruction_MatchSignature(ctx, ins, -1, NULL, 0, status);
  assert_wrong(TF_INVALID_ARGUMENT, "-1 inputs", NULL, "Ends");
}

static void reference_signature(TF_OpKernelConstruction *ctx) {
  const TF_DataType ref = (TF_DataType)(TF_FLOAT + 100);
  assert_int_equal(TF_OpKernelConstruction_InputType(ctx, 0, status), ref);
  TF_OpKernelConstruction_MatchSignature(ctx, (TF_DataType[]){ref, TF_FLOAT}, 2, &ref, 1, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_MatchSignature(ctx, (TF_DataType[]){TF_FLOAT, TF_FLOAT}, 2, &ref, 1, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_MatchSignature(ctx, (TF_DataType[]){ref, ref}, 2, &ref, 1, status);
  assert_wrong(TF_INVALID_ARGUMENT,
               "have: float_ref, float->float_ref expected: float_ref, float_ref->float_ref", NULL,
               "Reference");
}

static void test_match_signature(void **state) {
  (void)state;
  assert_ok(run_create("Ends", signature));
  assert_ok(run_create("Reference", reference_signature));
}

// ---- status ----

static void first_failure(TF_OpKernelConstruction *ctx) {
  TF_OpKernelConstruction_GetStatus(ctx, status);
  assert_tf_status(status, TF_OK, "");
  test_last_log[0] = '\0';
  TF_OpKernelConstruction_FailureWithWarning(ctx, "kernel.c", 12, status);  // OK: nothing
  assert_string_equal(test_last_log, "");
  TF_SetStatus(status, TF_ABORTED, "first reason");
  TF_OpKernelConstruction_FailureWithWarning(ctx, "kernel.c", 12, status);
  assert_non_null(
      strstr(test_last_log, "kernel.c:12: the kernel of op 'Shapes' could not be made: first reason"));
  assert_non_null(strstr(test_last_log, "{{node n}}"));
  TF_SetStatus(status, TF_UNKNOWN, "second reason");
  TF_OpKernelConstruction_FailureWithWarning(ctx, NULL, 0, status);
  assert_non_null(strstr(test_last_log, "second reason"));
  TF_OpKernelConstruction_GetStatus(ctx, status);
  assert_tf_status(status, TF_ABORTED, "first reason");
}

static void test_rule_117_status_and_warning(void **state) {
  (void)state;
  assert_status(run_create("Shapes", first_failure), TF_ABORTED, "first reason");
}

// ---- memory ----

static void memory(TF_OpKernelConstruction *ctx) {
  TF_AllocatorAttributes attrs = {.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, .on_host = 1};
  const int64_t dims[] = {2, 3};
  kept = TF_OpKernelConstruction_AllocateTemp(ctx, TF_FLOAT, dims, 2, &attrs, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorByteSize(kept), 24);
  ((float *)TF_TensorData(kept))[5] = 6;
  TF_Tensor *scalar = TF_OpKernelConstruction_AllocateTemp(ctx, TF_STRING, NULL, 0, NULL, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_StringGetSize(TF_TensorData(scalar)), 0);
  TF_DeleteTensor(scalar);
}

static void wrong_memory(TF_OpKernelConstruction *ctx) {
  TF_AllocatorAttributes attrs = {0};
  const int64_t dims[] = {2, -3}, huge[] = {INT64_MAX, INT64_MAX};
  assert_null(TF_OpKernelConstruction_AllocateTemp(ctx, TF_FLOAT, dims, 1, &attrs, status));
  assert_wrong(TF_INVALID_ARGUMENT, "TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE", NULL, "Shapes");
  assert_null(TF_OpKernelConstruction_AllocateTemp(ctx, (TF_DataType)77, dims, 1, NULL, status));
  assert_wrong(TF_INVALID_ARGUMENT, "unknown type 77", NULL, "Shapes");
  assert_null(TF_OpKernelConstruction_AllocateTemp(ctx, TF_FLOAT, dims, 2, NULL, status));
  assert_wrong(TF_INVALID_ARGUMENT, "-3", NULL, "Shapes");
  assert_null(TF_OpKernelConstruction_AllocateTemp(ctx, TF_FLOAT, NULL, 2, NULL, status));
  assert_wrong(TF_INVALID_ARGUMENT, "NULL", NULL, "Shapes");
  assert_null(TF_OpKernelConstruction_AllocateTemp(ctx, TF_FLOAT, huge, 2, NULL, status));
  assert_wrong(TF_INVALID_ARGUMENT, "", NULL, "Shapes");
}

// Every allocation of these fails once; then nothing is stored and nothing is lost.
static void little_memory(TF_OpKernelConstruction *ctx) {
  const int64_t dims[] = {1 << 20};
  TF_Buffer *vals[2] = {NULL, NULL};
  TF_Tensor *tensor = NULL;
  int failures = 0;
  for (int n = 1; !tensor; n++) {
    dvt_alloc_fail_at(n);
    tensor = TF_OpKernelConstruction_AllocateTemp(ctx, TF_FLOAT, dims, 1, NULL, status);
    dvt_alloc_fail_at(0);
    if (!tensor) assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    failures += !tensor;
  }
  TF_DeleteTensor(tensor);
  assert_true(failures > 0);
  for (int n = 1; !vals[0]; n++) {
    dvt_alloc_fail_at(n);
    TF_OpKernelConstruction_GetAttrFunctionList(ctx, "fns", vals, 2, status);
    dvt_alloc_fail_at(0);
    if (vals[0]) break;
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    assert_null(vals[1]);
  }
  TF_DeleteBuffer(vals[0]);
  TF_DeleteBuffer(vals[1]);
}

static void test_memory(void **state) {
  (void)state;
  assert_ok(run_create("Shapes", memory));
  // The kernel is gone; what it allocated lives until its owner deletes it.
  assert_true(((float *)TF_TensorData(kept))[5] == 6);
  TF_DeleteTensor(kept);
  assert_ok(run_create("Shapes", wrong_memory));
  assert_ok(run_create("Shapes", little_memory));
}

// ---- device, graph and session ----

static bool view_is(TF_StringView view, const char *text) {
  return view.len == strlen(text) && memcmp(view.data, text, view.len) == 0;
}

static void surroundings(TF_OpKernelConstruction *ctx) {
  assert_true(
      view_is(TF_OpKernelConstruction_GetDeviceName(ctx), "/job:localhost/replica:0/task:0/device:CPU:0"));
  assert_true(view_is(TF_OpKernelConstruction_GetDeviceType(ctx), "CPU"));
  assert_int_equal(TF_OpKernelConstruction_GetDeviceId(ctx), 0);
  assert_int_equal(TF_OpKernelConstruction_GetGraphDefVersion(ctx), 2474);
}

// Rule 178: without functions and options the buffers are empty, and the status OK.
static void empty_buffers(TF_OpKernelConstruction *ctx) {
  TF_Buffer *buffer = TF_NewBuffer();
  TF_OpKernelConstruction_GetSerializedFunctionDefLibrary(ctx, buffer, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(buffer->length, 0);
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBuffer();
  TF_OpKernelConstruction_GetSerializedConfigProto(ctx, buffer, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(buffer->length, 0);
  TF_DeleteBuffer(buffer);
  TF_Buffer *full = TF_NewBufferFromString("x", 1);
  TF_OpKernelConstruction_GetSerializedFunctionDefLibrary(ctx, full, status);
  assert_wrong(TF_INVALID_ARGUMENT, "", NULL, "Shapes");
  TF_OpKernelConstruction_GetSerializedConfigProto(ctx, full, status);
  assert_wrong(TF_INVALID_ARGUMENT, "", NULL, "Shapes");
  TF_DeleteBuffer(full);
}

static void test_rules_176_178_surroundings(void **state) {
  (void)state;
  assert_ok(run_create("Shapes", surroundings));
  assert_ok(run_create("Shapes", empty_buffers));
}

static int looked;

static void look_around(TF_OpKernelConstruction *ctx) {
  TF_Buffer *library = TF_NewBuffer(), *config = TF_NewBuffer();
  TF_OpKernelConstruction_GetSerializedFunctionDefLibrary(ctx, library, status);
  assert_tf_status(status, TF_OK, "");
  assert_non_null(memmem(library->data, library->length, "my_function", 11));
  TF_OpKernelConstruction_GetSerializedConfigProto(ctx, config, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(config->length, 2);
  assert_memory_equal(config->data, "\x10\x01", 2);  // ConfigProto {2: intra_op_parallelism_threads 1}
  TF_DeleteBuffer(library);
  TF_DeleteBuffer(config);
  looked++;
  TF_SetStatus(status, TF_ABORTED, "seen enough");
  TF_OpKernelConstruction_Failure(ctx, status);
}

static TF_Operation *add_node(TF_Graph *graph, const char *op, const char *name) {
  TF_OperationDescription *desc = TF_NewOperation(graph, op, name);
  TF_Operation *node = TF_FinishOperation(desc, status);
  assert_tf_status(status, TF_OK, "");
  return node;
}

static void run_session(TF_Graph *graph, TF_Operation *node, const TF_SessionOptions *options) {
  TF_SessionOptions *plain = options ? NULL : TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options ? options : plain, status);
  TF_DeleteSessionOptions(plain);
  assert_tf_status(status, TF_OK, "");
  TF_Tensor *value = NULL;
  TF_Status *result = TF_NewStatus();
  TF_SessionRun(session, NULL, NULL, NULL, 0, &(TF_Output){node, 0}, &value, 1, NULL, 0, NULL, result);
  TF_SetStatus(status, TF_GetCode(result), TF_Message(result));
  TF_DeleteStatus(result);
  TF_DeleteTensor(value);
  TF_Status *ignored = TF_NewStatus();
  TF_DeleteSession(session, ignored);
  TF_DeleteStatus(ignored);
}

static void test_session(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph(), *body = TF_NewGraph();
  TF_Output end = {add_node(body, "Source", "inner"), 0};
  TF_Function *function =
      TF_GraphToFunction(body, "my_function", 0, -1, NULL, 0, NULL, 1, &end, NULL, NULL, NULL, status);
  assert_tf_status(status, TF_OK, "");
  TF_GraphCopyFunction(graph, function, NULL, status);
  assert_tf_status(status, TF_OK, "");
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, "\x10\x01", 2, status);
  probe = look_around;
  run_session(graph, add_node(graph, "Source", "outer"), options);
  probe = NULL;
  assert_tf_status(status, TF_ABORTED, "seen enough");
  assert_tf_status(status, TF_ABORTED, "[[{{node outer}}]]");
  assert_int_equal(looked, 1);
  TF_DeleteSessionOptions(options);
  TF_DeleteFunction(function);
  TF_DeleteGraph(body);
  TF_DeleteGraph(graph);
}

// ---- resources ----

static int made, destroyed;
static TF_Tensor *held;  // a handle that outlives create

static void destroy_value(void *value) {
  destroyed++;
  free(value);
}
static const dvt_value_type number_type = {
    .struct_size = sizeof(dvt_value_type), .name = "test number", .destroy = destroy_value};
static const dvt_value_type other_type = {.struct_size = sizeof(dvt_value_type), .name = "other"};

static void *make_number(TF_OpKernelConstruction *ctx, void *arg, TF_Status *s) {
  (void)s;
  assert_int_equal(TF_OpKernelConstruction_NumOutputs(ctx), 1);
  made++;
  int *number = malloc(sizeof *number);
  *number = *(int *)arg;
  return number;
}
static void *refuse_number(TF_OpKernelConstruction *ctx, void *arg, TF_Status *s) {
  (void)ctx, (void)arg;
  TF_SetStatus(s, TF_DATA_LOSS, "no number today");
  return NULL;
}

static void resources(TF_OpKernelConstruction *ctx) {
  int seven = 7, eight = 8;
  assert_true(view_is(TF_OpKernelConstruction_GetResourceMgrDefaultContainerName(ctx), "localhost"));
  TF_Tensor *a =
      TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "r", 1, &number_type, make_number, &seven, status);
  assert_tf_status(status, TF_OK, "");
  held = TF_OpKernelConstruction_ResourceHandle(ctx, "localhost", 9, "r", 1, &number_type, make_number,
                                                &eight, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(made, 1);
  assert_int_equal(*(int *)dvt_object_get(held, 0, &number_type, status), 7);
  TF_DeleteTensor(a);
  a = TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "", 0, &number_type, make_number, &eight, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(a);  // one of its own: nobody else holds it
  assert_true(made == 2 && destroyed == 1);

  TF_Tensor *v = TF_OpKernelConstruction_VariableHandle(ctx, "", 0, "v", 1, TF_FLOAT, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorType(v), TF_RESOURCE);
  TF_DeleteTensor(v);
  TF_SetStatus(status, TF_ABORTED, "seen enough");
  TF_OpKernelConstruction_Failure(ctx, status);
}

static void assert_outer(TF_Code code, const char *part) {
  assert_tf_status(status, code, part);
  assert_tf_status(status, code, "{{node outer}}");
  assert_tf_status(status, code, "op 'Source'");
}

static void wrong_resources(TF_OpKernelConstruction *ctx) {
  int seven = 7;
  assert_null(TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "r", 1, &number_type, NULL, NULL, status));
  assert_outer(TF_NOT_FOUND, "localhost/r");
  assert_null(TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "r", 1, NULL, make_number, &seven, status));
  assert_outer(TF_INVALID_ARGUMENT, "dvt_value_type");
  assert_null(
      TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "r", 1, &number_type, refuse_number, NULL, status));
  assert_outer(TF_DATA_LOSS, "no number today");
  TF_DeleteTensor(
      TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "r", 1, &number_type, make_number, &seven, status));
  assert_null(TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "r", 1, &other_type, NULL, NULL, status));
  assert_outer(TF_INVALID_ARGUMENT, "holds a test number; wanted was a other");
  assert_null(TF_OpKernelConstruction_VariableHandle(ctx, "", 0, "r", 1, TF_FLOAT, status));
  assert_outer(TF_INVALID_ARGUMENT, "localhost/r");
  assert_null(TF_OpKernelConstruction_VariableHandle(ctx, "", 0, "v", 1, (TF_DataType)77, status));
  assert_outer(TF_INVALID_ARGUMENT, "unknown type 77");
  TF_OpKernelConstruction_RemoveResource(ctx, "", 0, "r", 1, status);
  assert_tf_status(status, TF_OK, "");
  TF_OpKernelConstruction_RemoveResource(ctx, "", 0, "r", 1, status);
  assert_outer(TF_NOT_FOUND, "localhost/r");
  TF_SetStatus(status, TF_ABORTED, "seen enough");
  TF_OpKernelConstruction_Failure(ctx, status);
}

static void no_session(TF_OpKernelConstruction *ctx) {
  assert_null(TF_OpKernelConstruction_ResourceHandle(ctx, "", 0, "r", 1, &number_type, NULL, NULL, status));
  assert_wrong(TF_FAILED_PRECONDITION, "without a session", NULL, "Shapes");
  assert_null(TF_OpKernelConstruction_VariableHandle(ctx, "", 0, "v", 1, TF_FLOAT, status));
  assert_wrong(TF_FAILED_PRECONDITION, "without a session", NULL, "Shapes");
  TF_OpKernelConstruction_RemoveResource(ctx, "", 0, "r", 1, status);
  assert_wrong(TF_FAILED_PRECONDITION, "without a session", NULL, "Shapes");
}

static void test_resources(void **state) {
  (void)state;
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *node = add_node(graph, "Source", "outer");
  probe = resources;
  run_session(graph, node, NULL);
  assert_tf_status(status, TF_ABORTED, "seen enough");
  // The session and its containers are gone; the handle keeps its resource.
  assert_int_equal(destroyed, 1);
  assert_int_equal(*(int *)dvt_object_get(held, 0, &number_type, status), 7);
  TF_DeleteTensor(held);
  assert_int_equal(destroyed, 2);
  probe = wrong_resources;
  run_session(graph, node, NULL);
  assert_tf_status(status, TF_ABORTED, "seen enough");
  probe = NULL;
  assert_int_equal(made, destroyed);
  TF_DeleteGraph(graph);
  assert_ok(run_create("Shapes", no_session));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_partial_shapes),
      cmocka_unit_test(test_shape_lists),
      cmocka_unit_test(test_functions_and_any_kind),
      cmocka_unit_test(test_stock_getters_name_the_op_too),
      cmocka_unit_test(test_inputs_and_outputs),
      cmocka_unit_test(test_match_signature),
      cmocka_unit_test(test_rule_117_status_and_warning),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_rules_176_178_surroundings),
      cmocka_unit_test(test_session),
      cmocka_unit_test(test_resources),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
