// Debug mode: every function of a kernel's context or construction is called when its call is over, and with
// a pointer that is none at all. Each must say so, name the node, and touch nothing. The tables hold all
// functions that the headers declare; the last test counts. Beside that: builders after their registration.
#include <dirent.h>

#include "base/debug.h"
#include "base/log.h"
#include "capi/context_session_test_util.h"
#include "dovetail/function.h"
#include "dovetail/kernel_construction.h"
#include "dovetail/object.h"
#include "dovetail/plugin.h"
#include "dovetail/thread_pool.h"
#include "dovetail/trace.h"
#include "tensorflow/c/kernels_experimental.h"

// Name and arguments: c is the context or construction, S the status.
// clang-format off
#define CONTEXT_CALLS(CALL) \
  CALL(TF_AddNVariant, (c, NULL, S)) \
  CALL(TF_AllocateOutput, (c, 0, 0, NULL, 0, 0, S)) \
  CALL(TF_AllocateTemp, (c, 0, NULL, 0, NULL, S)) \
  CALL(TF_AssignRefVariable, (c, 0, 0, 0, 0, 0, NULL, S)) \
  CALL(TF_AssignUpdateVariable, (c, 0, 0, 0, 0, NULL, NULL, S)) \
  CALL(TF_AssignVariable, (c, 0, 0, 0, NULL, S)) \
  CALL(TF_DestroyTemporaryVariable, (c, 0, NULL, S)) \
  CALL(TF_ExpectedOutputDataType, (c, 0)) \
  CALL(TF_ForwardInputOrAllocateOutput, (c, NULL, 0, 0, NULL, 0, NULL, S)) \
  CALL(TF_GetDeviceId, (c)) \
  CALL(TF_GetDeviceName, (c)) \
  CALL(TF_GetFrameId, (c)) \
  CALL(TF_GetGraphDefVersion, (c)) \
  CALL(TF_GetInput, (c, 0, NULL, S)) \
  CALL(TF_GetInputByName, (c, NULL, NULL, S)) \
  CALL(TF_GetInputTensorFromVariable, (c, 0, 0, 0, 0, NULL, NULL, S)) \
  CALL(TF_GetIterId, (c)) \
  CALL(TF_GetMutableOutput, (c, 0, S)) \
  CALL(TF_GetOpKernelName, (c)) \
  CALL(TF_GetOpKernelRequestedInput, (c, 0)) \
  CALL(TF_GetRendezvous, (c)) \
  CALL(TF_GetResourceMgrDefaultContainerName, (c)) \
  CALL(TF_GetSerializedConfigProto, (c, NULL, S)) \
  CALL(TF_GetSerializedFunctionDefLibrary, (c, NULL, S)) \
  CALL(TF_GetSerializedResourceHandleProto, (c, 0, NULL, S)) \
  CALL(TF_GetStepId, (c)) \
  CALL(TF_GetStream, (c, S)) \
  CALL(TF_IncNumDeferredOps, (c)) \
  CALL(TF_InputDatatype, (c, 0)) \
  CALL(TF_InputRange, (c, NULL, &range)) \
  CALL(TF_IsHostMemoryInput, (c, 0, S)) \
  CALL(TF_IsHostMemoryOutput, (c, 0, S)) \
  CALL(TF_IsRefInput, (c, 0, S)) \
  CALL(TF_MaybeLockVariableInputMutexesInOrder, (c, 0, 0, NULL, 0, NULL, &holder, S)) \
  CALL(TF_NumInputs, (c)) \
  CALL(TF_NumOutputs, (c)) \
  CALL(TF_OpKernelContext_AllocateOutput, (c, 0, NULL, 0, NULL, S)) \
  CALL(TF_OpKernelContext_AllocateOutputByName, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelContext_AllocateRaw, (c, NULL, 0, 0, S)) \
  CALL(TF_OpKernelContext_AllocateTemp, (c, 0, NULL, 0, NULL, S)) \
  CALL(TF_OpKernelContext_Deadline, (c, NULL)) \
  CALL(TF_OpKernelContext_DeleteRefInput, (c, 0, S)) \
  CALL(TF_OpKernelContext_DeregisterCancellation, (c, 0)) \
  CALL(TF_OpKernelContext_DeviceType, (c)) \
  CALL(TF_OpKernelContext_Failure, (c, S)) \
  CALL(TF_OpKernelContext_ForwardInput, (c, 0, 0, NULL, 0, NULL, S)) \
  CALL(TF_OpKernelContext_ForwardInputOrAllocateTemp, (c, NULL, 0, 0, NULL, 0, NULL, NULL, S)) \
  CALL(TF_OpKernelContext_ForwardInputToOutputWithShape, (c, 0, 0, NULL, 0, S)) \
  CALL(TF_OpKernelContext_ForwardRefInputToRefOutput, (c, 0, 0)) \
  CALL(TF_OpKernelContext_GetDeviceAttributes, (c, S)) \
  CALL(TF_OpKernelContext_GetMutableOutputByName, (c, NULL, S)) \
  CALL(TF_OpKernelContext_GetNodeDef, (c, S)) \
  CALL(TF_OpKernelContext_GetStatus, (c, S)) \
  CALL(TF_OpKernelContext_HasInput, (c, 0, S)) \
  CALL(TF_OpKernelContext_InputAllocatorAttributes, (c, 0, NULL, S)) \
  CALL(TF_OpKernelContext_InputDatatypeByName, (c, NULL, S)) \
  CALL(TF_OpKernelContext_InputsShareMemory, (c, 0, 0, S)) \
  CALL(TF_OpKernelContext_IsCancelled, (c)) \
  CALL(TF_OpKernelContext_IsExpensive, (c)) \
  CALL(TF_OpKernelContext_IsInputDead, (c)) \
  CALL(TF_OpKernelContext_MatchSignature, (c, NULL, 0, NULL, 0, S)) \
  CALL(TF_OpKernelContext_OutputAllocatorAttributes, (c, 0, NULL, S)) \
  CALL(TF_OpKernelContext_OutputExpectsForwarding, (c, 0, S)) \
  CALL(TF_OpKernelContext_OutputRange, (c, NULL, NULL, NULL, S)) \
  CALL(TF_OpKernelContext_OutputRequired, (c, 0, S)) \
  CALL(TF_OpKernelContext_OutputSharesInput, (c, 0, 0, S)) \
  CALL(TF_OpKernelContext_RegisterCancellation, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelContext_ReleaseOutput, (c, 0, S)) \
  CALL(TF_OpKernelContext_ReplaceRefInput, (c, 0, NULL, S)) \
  CALL(TF_OpKernelContext_RequestedDevice, (c)) \
  CALL(TF_OpKernelContext_Run, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelContext_RunAllKernelsInline, (c)) \
  CALL(TF_OpKernelContext_SessionHandle, (c)) \
  CALL(TF_OpKernelContext_SessionMetadata, (c, NULL, NULL)) \
  CALL(TF_OpKernelContext_SetOutputByName, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelContext_SetOutputRef, (c, 0, NULL, S)) \
  CALL(TF_OpKernelContext_StartTime, (c)) \
  CALL(TF_OpKernelContext_StepContainer, (c)) \
  CALL(TF_OpKernelContext_TryDeregisterCancellation, (c, 0)) \
  CALL(TF_OpKernelContext_TypeString, (c)) \
  CALL(TF_OpKernelContext_ValidateInputsAreSameShape, (c, S)) \
  CALL(TF_SetOutput, (c, 0, NULL, S)) \
  CALL(TF_StepId, (c)) \
  CALL(TF_TemporaryVariable, (c, 0, NULL, 0, NULL, NULL, S)) \
  CALL(TF_ThreadPool_CurrentThreadId, (c)) \
  CALL(TF_ThreadPool_NumThreads, (c)) \
  CALL(TF_ThreadPool_ParallelFor, (c, 0, 0, NULL)) \
  CALL(TF_ThreadPool_ParallelForAligned, (c, 0, 0, 0, (TF_RangeFuncWrap){0})) \
  CALL(TF_ThreadPool_ParallelForFunc, (c, 0, 0, (TF_RangeFuncWrap){0})) \
  CALL(TF_ThreadPool_ParallelForFuncWithWorkerId, (c, 0, 0, (TF_WorkerRangeFuncWrap){0})) \
  CALL(TF_ThreadPool_ParallelForWithWorkerId, (c, 0, 0, NULL)) \
  CALL(TF_ThreadPool_Schedule, (c, NULL)) \
  CALL(TF_ThreadPool_ScheduleFunc, (c, (TF_FuncWrap){0})) \
  CALL(TF_ThreadPool_ScheduleFuncWithHint, (c, (TF_FuncWrap){0}, 0, 0)) \
  CALL(TF_ThreadPool_ScheduleWithHint, (c, NULL, 0, 0)) \
  CALL(TF_ThreadPool_TransformRangeConcurrently, (c, 0, 0, (TF_RangeFuncWrap){0})) \
  CALL(TF_ZerosLikeVariant, (c, NULL, S)) \
  CALL(dvt_callable_run, (c, NULL, 0, NULL, 0, NULL, 0, S)) \
  CALL(dvt_input_is_stable, (c, 0)) \
  CALL(dvt_num_threads, (c)) \
  CALL(dvt_object_add, (c, NULL, 0, NULL, 0, NULL, 0, S)) \
  CALL(dvt_object_zeros_like, (c, NULL, 0, NULL, 0, S)) \
  CALL(dvt_parallel_for, (c, 0, 0, NULL, NULL)) \
  CALL(dvt_resource_destroy, (c, 0, S)) \
  CALL(dvt_resource_get, (c, 0, NULL, S)) \
  CALL(dvt_resource_handle, (c, NULL, 0, NULL, 0, NULL, NULL, NULL, S)) \
  CALL(dvt_resource_list, (c, NULL, 0, NULL, NULL, S)) \
  CALL(dvt_resource_remove, (c, NULL, 0, NULL, 0, S)) \
  CALL(dvt_resource_remove_all, (c, NULL, 0, S)) \
  CALL(dvt_trace_begin, (c, NULL)) \
  CALL(dvt_trace_end, (c, 0)) \
  CALL(dvt_trace_is_on, (c)) \
  CALL(dvt_trace_number, (c, 0, NULL, 0)) \
  CALL(dvt_variable_handle, (c, NULL, 0, NULL, 0, 0, S)) \
  CALL(dvt_variable_is_initialized, (c, 0, S)) \
  CALL(dvt_variable_value, (c, 0, S))

#define CONSTRUCTION_CALLS(CALL) \
  CALL(TF_OpKernelConstruction_AllocateTemp, (c, 0, NULL, 0, NULL, S)) \
  CALL(TF_OpKernelConstruction_Failure, (c, S)) \
  CALL(TF_OpKernelConstruction_FailureWithWarning, (c, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrBool, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrBoolList, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrFloat, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrFloatList, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrFunction, (c, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrFunctionList, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrInt32, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrInt32List, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrInt64, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrInt64List, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrPartialShape, (c, NULL, NULL, 0, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrPartialShapeList, (c, NULL, NULL, NULL, 0, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrSize, (c, NULL, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrString, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrStringList, (c, NULL, NULL, NULL, 0, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrTensor, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrTensorList, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrTensorShape, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrTensorShapeList, (c, NULL, NULL, NULL, 0, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrType, (c, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetAttrTypeList, (c, NULL, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_GetAttrValueProto, (c, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetDeviceId, (c)) \
  CALL(TF_OpKernelConstruction_GetDeviceName, (c)) \
  CALL(TF_OpKernelConstruction_GetDeviceType, (c)) \
  CALL(TF_OpKernelConstruction_GetGraphDefVersion, (c)) \
  CALL(TF_OpKernelConstruction_GetName, (c)) \
  CALL(TF_OpKernelConstruction_GetNodeDef, (c, S)) \
  CALL(TF_OpKernelConstruction_GetResourceMgrDefaultContainerName, (c)) \
  CALL(TF_OpKernelConstruction_GetSerializedConfigProto, (c, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetSerializedFunctionDefLibrary, (c, NULL, S)) \
  CALL(TF_OpKernelConstruction_GetStatus, (c, S)) \
  CALL(TF_OpKernelConstruction_HasAttr, (c, NULL, S)) \
  CALL(TF_OpKernelConstruction_InputType, (c, 0, S)) \
  CALL(TF_OpKernelConstruction_InputTypes, (c, NULL, 0)) \
  CALL(TF_OpKernelConstruction_IsHostMemoryInput, (c, 0, S)) \
  CALL(TF_OpKernelConstruction_IsHostMemoryOutput, (c, 0, S)) \
  CALL(TF_OpKernelConstruction_MatchSignature, (c, NULL, 0, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_NumInputs, (c)) \
  CALL(TF_OpKernelConstruction_NumOutputs, (c)) \
  CALL(TF_OpKernelConstruction_OutputType, (c, 0, S)) \
  CALL(TF_OpKernelConstruction_OutputTypes, (c, NULL, 0)) \
  CALL(TF_OpKernelConstruction_RemoveResource, (c, NULL, 0, NULL, 0, S)) \
  CALL(TF_OpKernelConstruction_ResourceHandle, (c, NULL, 0, NULL, 0, NULL, NULL, NULL, S)) \
  CALL(TF_OpKernelConstruction_VariableHandle, (c, NULL, 0, NULL, 0, 0, S)) \
  CALL(dvt_callable_count, (c, NULL, S)) \
  CALL(dvt_callable_find, (c, NULL, 0, S))
// clang-format on

static TF_InputRange_Args range = {sizeof range, NULL, 0, 0, NULL};
static TF_VariableInputLockHolder *holder;

#define THUNK(name, args) \
  static void call_##name(void *c) { (void)name args; }
CONTEXT_CALLS(THUNK)
CONSTRUCTION_CALLS(THUNK)

typedef struct api_call {
  const char *name;
  void (*call)(void *c);
  const char *args;
} api_call;

#define ROW(name, args) {#name, call_##name, #args},
static const api_call context_calls[] = {CONTEXT_CALLS(ROW)};
static const api_call construction_calls[] = {CONSTRUCTION_CALLS(ROW)};

static char logged[8192];

static void keep_line(void *arg, dvt_log_level level, const char *line) {
  (void)arg;
  (void)level;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof logged - used, "%s\n", line);
}

// Functions that report a status do not get one.
static bool sets_status(const api_call *call) {
  return strstr(call->args, "S)") && !strstr(call->name, "_Failure");
}

static void check_call(const api_call *call, void *c, TF_Code code, const char *what) {
  char begin[128];
  snprintf(begin, sizeof begin, "DOVETAIL_DEBUG: %s: ", call->name);
  logged[0] = '\0';
  TF_SetStatus(S, TF_OK, "");
  call->call(c);
  bool is_told = strstr(logged, begin) && strstr(logged, what);
  bool has_code = !sets_status(call) || (TF_GetCode(S) == code && strstr(TF_Message(S), call->name));
  if (is_told && has_code) return;
  fprintf(stderr, "%s: code %d: %s, logged: %s\n", call->name, TF_GetCode(S), TF_Message(S), logged);
  fail();
}

static TF_OpKernelContext *kept;
static TF_OpKernelConstruction *kept_construction;

static void keep_body(TF_OpKernelContext *ctx, TF_Status *status) {
  kept = ctx;
  pass(ctx, status);
}

static void keep_async_body(TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done) {
  TF_Status *status = TF_NewStatus();
  keep_body(ctx, status);
  TF_DeleteStatus(status);
  TF_RunAsyncOpKernelDoneCallback(done);
}

static void *keep_create(TF_OpKernelConstruction *ctx) {
  kept_construction = ctx;
  assert_int_equal(TF_OpKernelConstruction_NumInputs(ctx), 1);
  return NULL;
}

static void run_kernel(const char *op) {
  setting s = make(op, false, NULL, 0);
  TF_Tensor *x = make_scalar(1), *y = NULL;
  TF_SessionRun(s.session, NULL, &s.x, &x, 1, &s.y, &y, 1, NULL, 0, NULL, S);
  assert_ok();
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  unmake(&s);
}

static void check_contexts(const char *op) {
  char whose[128];
  run_kernel(op);
  snprintf(whose, sizeof whose,
           "the kernel context of a call of node 'body' (op '%s') was used after that call", op);
  for (size_t i = 0; i < DVT_COUNT_OF(context_calls); i++)
    check_call(&context_calls[i], kept, TF_FAILED_PRECONDITION, whose);
}

static void test_contexts_whose_call_is_over(void **state) {
  (void)state;
  body = keep_body;
  check_contexts("TestBody");
}

static void test_contexts_of_asynchronous_kernels(void **state) {
  (void)state;
  async_body = keep_async_body;
  check_contexts("TestBodyAsync");
}

static void test_rule_118_constructions_that_are_over(void **state) {
  (void)state;
  body = keep_body;
  run_kernel("TestKeep");
  for (size_t i = 0; i < DVT_COUNT_OF(construction_calls); i++)
    check_call(
        &construction_calls[i], kept_construction, TF_FAILED_PRECONDITION,
        "the kernel construction of node 'body' (op 'TestKeep') was used after its create function had");
}

// No page is mapped there, and 8 bytes of a program's own are no context either.
static void test_what_is_none_is_not_read(void **state) {
  (void)state;
  static char own[8];
  void *const none[] = {(void *)16, own, NULL};
  for (size_t k = 0; k < DVT_COUNT_OF(none); k++) {
    for (size_t i = 0; i < DVT_COUNT_OF(context_calls); i++)
      check_call(&context_calls[i], none[k], TF_INVALID_ARGUMENT, "is no TF_OpKernelContext");
    for (size_t i = 0; i < DVT_COUNT_OF(construction_calls); i++)
      check_call(&construction_calls[i], none[k], TF_INVALID_ARGUMENT, "is no TF_OpKernelConstruction");
  }
  logged[0] = '\0';
  TF_DecNumDeferredOps((TF_OpKernelContext *)16);
  assert_non_null(strstr(logged, "TF_DecNumDeferredOps: 0x10 is no TF_OpKernelContext"));
}

static void test_rendezvous_of_a_call_that_is_over(void **state) {
  (void)state;
  body = keep_body;
  run_kernel("TestBody");
  TF_RendezvousThunk thunk = TF_GetRendezvous(kept);
  TF_RendezvousParsedKey key = {.full_key = "k", .full_key_size = 1};
  TF_RendezvousSend_Params send = {.key = &key, .status = S};
  thunk.send_func(thunk.rendezvous, &send);
  assert_error(TF_FAILED_PRECONDITION, "the call that the rendezvous was asked of is over");
  thunk.start_abort_func(thunk.rendezvous, S);
}

static void test_rule_097_kernel_builders_after_registration(void **state) {
  (void)state;
  TF_KernelBuilder *builder = TF_NewKernelBuilder("TestBuilt", "CPU", NULL, body_compute, NULL);
  TF_RegisterKernelBuilder("TestBuilt", builder, S);
  assert_ok();
  logged[0] = '\0';
  TF_DeleteKernelBuilder(builder);
  assert_non_null(strstr(logged, "TF_DeleteKernelBuilder: the TF_KernelBuilder at "));
  assert_non_null(strstr(logged, " was registered or deleted before, in the program"));
  TF_KernelBuilder_Priority(builder, 1);
  TF_KernelBuilder_HostMemory(builder, "x");
  TF_KernelBuilder_Label(builder, "label");
  assert_non_null(strstr(logged, "TF_KernelBuilder_Priority: "));
  assert_non_null(strstr(logged, "TF_KernelBuilder_HostMemory: "));
  assert_non_null(strstr(logged, "TF_KernelBuilder_Label: "));
  TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, S);
  assert_error(TF_INVALID_ARGUMENT, "registered or deleted already");
  TF_RegisterKernelBuilder("TestBuilt", builder, S);
  assert_error(TF_FAILED_PRECONDITION,
               "TF_RegisterKernelBuilder: the builder was registered or deleted before");
}

static void test_op_builders_after_registration(void **state) {
  (void)state;
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("TestBuiltOp");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(op, S);
  assert_ok();
  logged[0] = '\0';
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderSetIsStateful(op, true);
  assert_non_null(strstr(logged, "TF_OpDefinitionBuilderAddInput: the TF_OpDefinitionBuilder at "));
  assert_non_null(strstr(logged, "TF_OpDefinitionBuilderSetIsStateful: "));
  TF_RegisterOpDefinition(op, S);
  assert_error(TF_FAILED_PRECONDITION,
               "TF_RegisterOpDefinition: the builder was registered or deleted before");
  TF_DeleteOpDefinitionBuilder(op);
  assert_non_null(strstr(logged, "TF_DeleteOpDefinitionBuilder: "));
  TF_DeleteOpDefinitionBuilder(NULL);
}

// ---- the tables are whole ----

static char *read_header(const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = calloc(1, 1 << 17);
  assert_true(fread(text, 1, (1 << 17) - 1, file) < (1 << 17) - 1);
  fclose(file);
  return text;
}

static bool is_listed(const char *name, size_t len) {
  for (size_t i = 0; i < DVT_COUNT_OF(context_calls); i++)
    if (strlen(context_calls[i].name) == len && strncmp(context_calls[i].name, name, len) == 0) return true;
  for (size_t i = 0; i < DVT_COUNT_OF(construction_calls); i++)
    if (strlen(construction_calls[i].name) == len && strncmp(construction_calls[i].name, name, len) == 0)
      return true;
  return len == strlen("TF_DecNumDeferredOps") && strncmp(name, "TF_DecNumDeferredOps", len) == 0;
}

static bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

// Functions whose first parameter is one of the two; the names before it. Callbacks have none.
static int check_header(const char *path) {
  char *text = read_header(path);
  int found = 0;
  for (const char *at = text; (at = strstr(at, "TF_OpKernelCon")); at++) {
    if (strncmp(at, "TF_OpKernelContext *", 20) != 0 && strncmp(at, "TF_OpKernelConstruction *", 25) != 0)
      continue;
    const char *end = at;
    while (end > text && strchr(" \n", end[-1])) end--;
    if (end - text > 5 && strncmp(end - 5, "const", 5) == 0) end -= 5;
    while (end > text && strchr(" \n", end[-1])) end--;
    if (end == text || end[-1] != '(') continue;
    const char *name = --end;
    while (name > text && is_word(name[-1])) name--;
    if (name == end) continue;
    found++;
    if (is_listed(name, (size_t)(end - name))) continue;
    fprintf(stderr, "%s: %.*s is not in the tables\n", path, (int)(end - name), name);
    fail();
  }
  free(text);
  return found;
}

static void test_the_tables_are_whole(void **state) {
  (void)state;
  int found = 0;
  const char *folder = DVT_SOURCE_DIR "/include/dovetail";
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));) {
    char path[512];
    if (!strstr(entry->d_name, ".h")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    found += check_header(path);
  }
  closedir(dir);
  found += check_header(DVT_SOURCE_DIR "/include/tensorflow/c/kernels.h");
  found += check_header(DVT_SOURCE_DIR "/include/tensorflow/c/kernels_experimental.h");
  assert_int_equal(found, DVT_COUNT_OF(context_calls) + DVT_COUNT_OF(construction_calls) + 1);
}

static int set_up_debug(void **state) {
  set_up(state);
  register_op("TestKeep", "x: float -> y: float", true);
  add_kernel("TestKeep", keep_create, body_compute, NULL);
  range.status = S;
  return 0;
}

int main(void) {
  setenv("DOVETAIL_DEBUG", "1", 1);
  if (dvt_debug_read() != DVT_DEBUG_ALL) return 1;
  dvt_log_set_sink(keep_line, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contexts_whose_call_is_over),
      cmocka_unit_test(test_contexts_of_asynchronous_kernels),
      cmocka_unit_test(test_rule_118_constructions_that_are_over),
      cmocka_unit_test(test_what_is_none_is_not_read),
      cmocka_unit_test(test_rendezvous_of_a_call_that_is_over),
      cmocka_unit_test(test_rule_097_kernel_builders_after_registration),
      cmocka_unit_test(test_op_builders_after_registration),
      cmocka_unit_test(test_the_tables_are_whole),
  };
  return cmocka_run_group_tests(tests, set_up_debug, tear_down_ops);
}
