// What surrounds TF_SessionRun: partial runs, sessions of the first C API, step statistics, constant
// evaluation, named queues, option helpers, SavedModels.
#include <sys/stat.h>
#include <unistd.h>

#include "base/library.h"
#include "base/wire.h"
#include "exec/exec_test_util.h"
#include "tensorflow/c/c_api_experimental.h"

// ---- partial runs ----

// a + b, doubled; then + c
typedef struct partial {
  TF_Graph *g;
  TF_Output a, b, c, twice, sum;
  TF_Session *s;
  const char *handle;
} partial;

static partial make_partial(void) {
  partial p = {.g = TF_NewGraph()};
  p.a = placeholder(p.g, "a", TF_FLOAT);
  p.b = placeholder(p.g, "b", TF_FLOAT);
  p.c = placeholder(p.g, "c", TF_FLOAT);
  p.twice =
      OUT(node(p.g, "TestDouble", "twice", OUT(node(p.g, "TestAdd", "ab", p.a, p.b, NULL)), NONE, NULL));
  p.sum = OUT(node(p.g, "TestAdd", "sum", p.twice, p.c, NULL));
  p.s = new_session(p.g, NULL, 0);
  TF_SessionPRunSetup(p.s, (TF_Output[]){p.a, p.b, p.c}, 3, (TF_Output[]){p.twice, p.sum}, 2, NULL, 0,
                      &p.handle, S);
  assert_ok();
  return p;
}
static TF_Tensor *part(partial *p, int count, const TF_Output *feeds, TF_Tensor **values, TF_Output *fetch) {
  TF_Tensor *got = NULL;
  TF_SessionPRun(p->s, p->handle, feeds, values, count, fetch, &got, fetch != NULL, NULL, 0, S);
  for (int i = 0; i < count; i++) TF_DeleteTensor(values[i]);
  return got;
}

static void test_partial_run(void **state) {
  (void)state;
  partial p = make_partial();
  atomic_store(&pure_calls, 0);
  assert_null(part(&p, 1, &p.a, (TF_Tensor *[]){make_scalar(1)}, &p.twice));
  assert_error(TF_INVALID_ARGUMENT, "Must feed more values");
  TF_Tensor *t = part(&p, 1, &p.b, (TF_Tensor *[]){make_scalar(2)}, &p.twice);
  assert_ok();
  assert_true(first_of(t) == 6);
  *(float *)TF_TensorData(t) = 6;
  TF_DeleteTensor(t);
  assert_null(part(&p, 1, &p.a, (TF_Tensor *[]){make_scalar(1)}, NULL));
  assert_error(TF_INVALID_ARGUMENT, "already been fed");
  assert_null(part(&p, 0, NULL, NULL, &p.twice));
  assert_error(TF_INVALID_ARGUMENT, "already been fetched");
  t = part(&p, 1, &p.c, (TF_Tensor *[]){make_scalar(10)}, &p.sum);
  assert_ok();
  assert_true(first_of(t) == 16);
  assert_int_equal(atomic_load(&pure_calls), 1);  // each node ran once in the whole step
  TF_DeleteTensor(t);
  assert_null(part(&p, 0, NULL, NULL, &p.sum));
  assert_error(TF_INVALID_ARGUMENT, "partial_run_1");  // over
  TF_DeletePRunHandle(p.handle);
  TF_DeletePRunHandle(NULL);
  end_session(p.s);
  TF_DeleteGraph(p.g);
}

static void test_partial_run_takes_all_feeds_or_none(void **state) {
  (void)state;
  partial p = make_partial();
  TF_Output both[] = {p.a, p.b};
  assert_null(part(&p, 2, both, (TF_Tensor *[]){make_scalar(1), make_bool(true)}, &p.twice));
  assert_error(TF_INVALID_ARGUMENT, "bool[]");
  assert_null(part(&p, 2, (TF_Output[]){p.a, p.a}, (TF_Tensor *[]){make_scalar(1), make_scalar(1)}, NULL));
  assert_error(TF_INVALID_ARGUMENT, "already been fed");
  TF_Tensor *t = part(&p, 2, both, (TF_Tensor *[]){make_scalar(3), make_scalar(4)}, &p.twice);
  assert_ok();
  assert_true(first_of(t) == 14);
  TF_DeleteTensor(t);
  TF_DeletePRunHandle(p.handle);
  end_session(p.s);
  TF_DeleteGraph(p.g);
}

static void test_partial_run_of_a_fetch_named_twice(void **state) {
  (void)state;
  partial p = make_partial();
  const char *first = p.handle;
  TF_SessionPRunSetup(p.s, &p.a, 1, (TF_Output[]){p.a, p.a}, 2, NULL, 0, &p.handle, S);
  assert_ok();
  TF_DeleteTensor(part(&p, 1, &p.a, (TF_Tensor *[]){make_scalar(1)}, &p.a));
  assert_ok();
  assert_null(part(&p, 0, NULL, NULL, &p.a));
  assert_error(TF_INVALID_ARGUMENT, "or it is over");
  TF_DeletePRunHandle(first);
  TF_DeletePRunHandle(p.handle);
  end_session(p.s);
  TF_DeleteGraph(p.g);
}

static void test_partial_run_left_unfinished(void **state) {
  (void)state;
  partial p = make_partial();
  TF_Output stranger = placeholder(p.g, "stranger", TF_FLOAT);
  assert_null(part(&p, 1, &stranger, (TF_Tensor *[]){make_scalar(1)}, NULL));
  assert_error(TF_INVALID_ARGUMENT, "'stranger:0' was not named");
  assert_null(part(&p, 1, &p.a, (TF_Tensor *[]){make_bool(true)}, NULL));
  assert_error(TF_INVALID_ARGUMENT, "bool[]");
  assert_null(part(&p, 1, &p.a, (TF_Tensor *[]){make_scalar(1)}, NULL));
  assert_ok();
  TF_DeletePRunHandle(p.handle);
  end_session(p.s);
  TF_DeleteGraph(p.g);
}

// ---- the first C API ----

static void test_deprecated_session(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  node(g, "TestDouble", "y", x, NONE, NULL);
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(g, def, S);
  assert_ok();
  TF_DeprecatedSession *s = TF_NewDeprecatedSession(NULL, S);
  assert_ok();
  TF_ExtendGraph(s, def->data, def->length, S);
  assert_ok();
  TF_Tensor *feed = make_scalar(4), *got = NULL;
  TF_Run(s, NULL, (const char *[]){"x"}, &feed, 1, (const char *[]){"y:0"}, &got, 1, (const char *[]){"y"}, 1,
         NULL, S);
  assert_ok();
  assert_true(first_of(got) == 8);
  TF_DeleteTensor(got);
  feed = make_scalar(4);
  TF_Run(s, NULL, (const char *[]){"nowhere"}, &feed, 1, (const char *[]){"y:0"}, &got, 1, NULL, 0, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "'nowhere'");
  const char *handle;
  TF_PRunSetup(s, (const char *[]){"x:0"}, 1, (const char *[]){"y"}, 1, NULL, 0, &handle, S);
  assert_ok();
  feed = make_scalar(5);
  TF_PRun(s, handle, (const char *[]){"x:0"}, &feed, 1, (const char *[]){"y"}, &got, 1, NULL, 0, S);
  assert_ok();
  assert_true(first_of(got) == 10);
  TF_DeleteTensor(got);
  TF_DeletePRunHandle(handle);
  TF_DeviceList *devices = TF_DeprecatedSessionListDevices(s, S);
  assert_true(TF_DeviceListCount(devices) >= 1);
  TF_DeleteDeviceList(devices);
  TF_Reset(NULL, NULL, 0, S);
  assert_error(TF_UNIMPLEMENTED, "TF_Reset");
  TF_CloseDeprecatedSession(s, S);
  assert_ok();
  TF_DeleteDeprecatedSession(s, S);
  assert_ok();
  TF_DeleteBuffer(def);
  TF_DeleteGraph(g);
}

// ---- step statistics ----

static int count_fields(dvt_str message, uint32_t number, dvt_str *out_first) {
  int count = 0;
  dvt_field field;
  for (dvt_wire w = dvt_wire_open(message); dvt_wire_next(&w, &field);)
    if (field.number == number && field.type == DVT_WIRE_BYTES && count++ == 0) *out_first = field.bytes;
  return count;
}

static void test_run_metadata(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "x", TF_FLOAT), y = OUT(node_ms(g, "TestSleep", "slow", x, 3));
  TF_Output z = OUT(node(g, "TestDouble", "z", y, NONE, NULL));
  TF_Output async = OUT(node(g, "TestAsyncNow", "async", z, NONE, NULL));
  TF_Session *s = new_session(g, NULL, 0);
  TF_Buffer *options = TF_CreateRunOptions(1);
  for (int k = 0; k < 2; k++) {  // array walk, dataflow walk
    TF_Buffer *metadata = TF_NewBuffer();
    TF_Tensor *feed = make_scalar(1), *got;
    TF_SessionRun(s, options, &x, &feed, 1, k ? &async : &z, &got, 1, NULL, 0, metadata, S);
    assert_ok();
    dvt_str stats, device, first;
    dvt_field field;
    assert_int_equal(count_fields(dvt_str_make(metadata->data, metadata->length), 1, &stats), 1);
    assert_int_equal(count_fields(stats, 1, &device), 1);
    assert_true(dvt_wire_find(device, 1, DVT_WIRE_BYTES, &field));
    assert_true(dvt_str_is(field.bytes, "/job:localhost/replica:0/task:0/device:CPU:0"));
    assert_int_equal(count_fields(device, 2, &first), k ? 5 : 4);
    assert_true(dvt_wire_find(first, 1, DVT_WIRE_BYTES, &field) && dvt_str_is(field.bytes, "_arg_x_0_0"));
    // A buffer that is not empty is refused.
    TF_DeleteTensor(got);
    TF_SessionRun(s, options, &x, &feed, 1, &z, &got, 1, NULL, 0, metadata, S);
    assert_error(TF_INVALID_ARGUMENT, "non-empty run_metadata");
    assert_null(got);
    TF_DeleteTensor(feed);
    TF_DeleteBuffer(metadata);
  }
  TF_DeleteBuffer(options);
  end_session(s);
  TF_DeleteGraph(g);
}

// ---- constants, queues, helpers ----

static void test_try_evaluate_constant(void **state) {
  (void)state;
  TF_Graph *g = TF_NewGraph();
  TF_Output c = float_constant(g, "c", 3), y = OUT(node(g, "TestDouble", "y", c, NONE, NULL));
  TF_Output x = placeholder(g, "x", TF_FLOAT), z = OUT(node(g, "TestAdd", "z", y, x, NULL));
  TF_Output effect = OUT(node(g, "TestEffect", "effect", NONE, NONE, NULL));
  TF_Output broken = OUT(node(g, "TestFail", "broken", c, NONE, NULL));
  TF_Tensor *value = NULL;
  assert_int_equal(TF_TryEvaluateConstant(g, y, &value, S), 1);
  assert_ok();
  assert_true(first_of(value) == 6);
  TF_DeleteTensor(value);
  assert_int_equal(TF_TryEvaluateConstant(g, z, &value, S), 0);
  assert_ok();
  assert_int_equal(TF_TryEvaluateConstant(g, effect, &value, S), 0);
  assert_ok();
  assert_int_equal(TF_TryEvaluateConstant(g, broken, &value, S), 0);
  assert_error(TF_FAILED_PRECONDITION, "{{node broken}}");
  assert_int_equal(TF_TryEvaluateConstant(g, OUT1(y.oper), &value, S), 0);
  assert_error(TF_OUT_OF_RANGE, "asked for output 1");
  TF_DeleteGraph(g);
}

static float queued;
static void enqueue_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  TF_Tensor *x = input(ctx, 0, status);
  queued = first_of(x);
  TF_DeleteTensor(x);
  report(ctx, status);
}
static void dequeue_compute(void *state, TF_OpKernelContext *ctx) {
  ENTER_KERNEL(ctx);
  scalar_output(ctx, queued, status);
  report(ctx, status);
}

static void test_named_queues(void **state) {
  (void)state;
  register_op("TestEnqueue", "x: float ->", true);
  register_op("TestDequeue", "-> y: float", true);
  add_kernel("TestEnqueue", NULL, enqueue_compute, NULL);
  add_kernel("TestDequeue", NULL, dequeue_compute, NULL);
  TF_Graph *g = TF_NewGraph();
  TF_Output x = placeholder(g, "arg_tensor_enqueue_7", TF_FLOAT);
  node(g, "TestEnqueue", "fifo_queue_enqueue_7", x, NONE, NULL);
  node(g, "TestDequeue", "fifo_queue_dequeue_7", NONE, NONE, NULL);
  TF_Session *s = new_session(g, NULL, 0);
  TF_Tensor *t = make_scalar(42);
  TF_EnqueueNamedTensor(s, 7, t, S);
  assert_ok();
  TF_DeleteTensor(t);
  t = TF_DequeueNamedTensor(s, 7, S);
  assert_ok();
  assert_true(first_of(t) == 42);
  TF_DeleteTensor(t);
  assert_null(TF_DequeueNamedTensor(s, 8, S));
  assert_error(TF_INVALID_ARGUMENT, "fifo_queue_dequeue_8");
  TF_EnqueueNamedTensor(s, 8, NULL, S);
  assert_error(TF_INVALID_ARGUMENT, "fifo_queue_enqueue_8");
  end_session(s);
  TF_DeleteGraph(g);
}

static void test_option_helpers(void **state) {
  (void)state;
  assert_string_equal(TF_Version(), "2.21.0");
  TF_Buffer *config = TF_CreateConfig(1, 1, 3);
  dvt_str bytes = dvt_str_make(config->data, config->length), nested;
  dvt_field field;
  assert_int_equal(count_fields(bytes, 1, &nested), 1);  // device_count
  assert_true(dvt_wire_find(nested, 2, DVT_WIRE_VARINT, &field) && field.value == 3);
  assert_int_equal(count_fields(bytes, 6, &nested), 1);  // gpu_options.allow_growth
  assert_true(dvt_wire_find(nested, 4, DVT_WIRE_VARINT, &field) && field.value == 1);
  assert_int_equal(count_fields(bytes, 10, &nested), 1);  // graph_options.optimizer_options.global_jit_level
  assert_int_equal(count_fields(nested, 3, &nested), 1);
  assert_true(dvt_wire_find(nested, 5, DVT_WIRE_VARINT, &field) && field.value == 1);
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, config->data, config->length, S);
  assert_ok();
  TF_EnableXLACompilation(options, 0);
  TF_Graph *g = TF_NewGraph();
  TF_Session *s = TF_NewSession(g, options, S);
  assert_ok();
  end_session(s);
  TF_DeleteGraph(g);
  TF_DeleteSessionOptions(options);
  TF_DeleteBuffer(config);
  TF_Buffer *plain = TF_CreateRunOptions(0);
  assert_int_equal(plain->length, 0);
  TF_DeleteBuffer(plain);
}

// ---- SavedModels ----

static char restored_from[512], asset_seen[512];
static atomic_int init_calls;
static void string_input(TF_OpKernelContext *ctx, char *to) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = input(ctx, 0, status);
  const TF_TString *s = TF_TensorData(x);
  snprintf(to, 512, "%.*s", (int)TF_TString_GetSize(s), TF_TString_GetDataPointer(s));
  TF_DeleteTensor(x);
  report(ctx, status);
}
static void restore_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  string_input(ctx, restored_from);
}
static void init_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  atomic_fetch_add(&init_calls, 1);
  string_input(ctx, asset_seen);
}

static void put_tensor_info(dvt_buf *out, uint32_t number, const char *name) {
  size_t info = dvt_wire_begin(out, number);
  dvt_wire_put_bytes(out, 1, dvt_str_from(name));
  dvt_wire_end(out, info);
}

static void put_meta_graph(dvt_buf *out, const TF_Buffer *graph_def) {
  size_t meta = dvt_wire_begin(out, 2), part;
  part = dvt_wire_begin(out, 1);
  dvt_wire_put_bytes(out, 4, DVT_STR("serve"));
  dvt_wire_end(out, part);
  dvt_wire_put_bytes(out, 2, dvt_str_make(graph_def->data, graph_def->length));
  part = dvt_wire_begin(out, 3);
  dvt_wire_put_bytes(out, 1, DVT_STR("checkpoint:0"));
  dvt_wire_put_bytes(out, 3, DVT_STR("restore"));
  dvt_wire_end(out, part);
  part = dvt_wire_begin(out, 5);  // signature_def entry that names the init op
  dvt_wire_put_bytes(out, 1, DVT_STR("__saved_model_init_op"));
  size_t signature = dvt_wire_begin(out, 2), output = dvt_wire_begin(out, 2);
  dvt_wire_put_bytes(out, 1, DVT_STR("__saved_model_init_op"));
  put_tensor_info(out, 2, "init");
  dvt_wire_end(out, output);
  dvt_wire_end(out, signature);
  dvt_wire_end(out, part);
  part = dvt_wire_begin(out, 6);
  put_tensor_info(out, 1, "asset:0");
  dvt_wire_put_bytes(out, 2, DVT_STR("words.txt"));
  dvt_wire_end(out, part);
  dvt_wire_end(out, meta);
}

static void write_model(const char *directory, bool with_variables) {
  TF_Graph *g = TF_NewGraph();
  TF_Output checkpoint = placeholder(g, "checkpoint", TF_STRING), asset = placeholder(g, "asset", TF_STRING);
  TF_Output x = placeholder(g, "x", TF_FLOAT);
  node(g, "TestRestore", "restore", checkpoint, NONE, NULL);
  node(g, "TestInit", "init", asset, NONE, NULL);
  node(g, "TestDouble", "y", x, NONE, NULL);
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(g, def, S);
  assert_ok();
  dvt_buf model = {0};
  dvt_wire_put_varint(&model, 1, 1);
  put_meta_graph(&model, def);
  char path[600];
  snprintf(path, sizeof path, "%s/saved_model.pb", directory);
  assert_null(dvt_file_write(path, dvt_buf_str(&model)));
  snprintf(path, sizeof path, "%s/variables", directory);
  if (with_variables) {
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/variables/variables.index", directory);
    assert_null(dvt_file_write(path, DVT_STR("any")));
  }
  dvt_buf_deinit(&model);
  TF_DeleteBuffer(def);
  TF_DeleteGraph(g);
}

static void load_and_run(const char *directory, bool with_variables) {
  const char *tags[] = {"serve"}, *wrong[] = {"train"};
  char wanted[600];
  TF_Graph *g = TF_NewGraph();
  TF_Buffer *meta = TF_NewBuffer();
  restored_from[0] = 0;
  atomic_store(&init_calls, 0);
  assert_null(TF_LoadSessionFromSavedModel(NULL, NULL, directory, wrong, 1, g, NULL, S));
  assert_error(TF_NOT_FOUND, "train");
  TF_Session *s = TF_LoadSessionFromSavedModel(NULL, NULL, directory, tags, 1, g, meta, S);
  assert_ok();
  assert_true(meta->length > 100);
  snprintf(wanted, sizeof wanted, "%s/variables/variables", directory);
  assert_string_equal(restored_from, with_variables ? wanted : "");
  snprintf(wanted, sizeof wanted, "%s/assets/words.txt", directory);
  assert_string_equal(asset_seen, wanted);
  assert_int_equal(atomic_load(&init_calls), 1);
  TF_Output x = OUT(TF_GraphOperationByName(g, "x")), y = OUT(TF_GraphOperationByName(g, "y"));
  assert_true(run_float(s, x, make_scalar(2), y) == 4);
  end_session(s);
  assert_null(TF_LoadSessionFromSavedModel(NULL, NULL, directory, tags, 1, g, NULL, S));
  assert_error(TF_INVALID_ARGUMENT, "Graph is non-empty");
  TF_DeleteBuffer(meta);
  TF_DeleteGraph(g);
}

static void remove_model(const char *directory) {
  static const char *const names[] = {"variables/variables.index", "variables", "saved_model.pb", ""};
  char path[600];
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++) {
    snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    remove(path);
  }
}

static void test_saved_model(void **state) {
  (void)state;
  register_op("TestRestore", "name: string ->", true);
  register_op("TestInit", "asset: string ->", true);
  add_kernel("TestRestore", NULL, restore_compute, NULL);
  add_kernel("TestInit", NULL, init_compute, NULL);
  for (int k = 0; k < 2; k++) {
    char directory[] = "dovetail_saved_model_XXXXXX";
    assert_non_null(mkdtemp(directory));
    write_model(directory, k);
    load_and_run(directory, k);
    remove_model(directory);
  }
  TF_Graph *g = TF_NewGraph();
  assert_null(TF_LoadSessionFromSavedModel(NULL, NULL, "no/such/directory", (const char *[]){"serve"}, 1, g,
                                           NULL, S));
  assert_error(TF_NOT_FOUND, "no/such/directory");
  assert_null(TF_LoadSessionFromSavedModel(NULL, NULL, NULL, NULL, 0, g, NULL, S));
  assert_error(TF_INVALID_ARGUMENT, "NULL");
  TF_DeleteGraph(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_partial_run),
      cmocka_unit_test(test_partial_run_left_unfinished),
      cmocka_unit_test(test_partial_run_takes_all_feeds_or_none),
      cmocka_unit_test(test_partial_run_of_a_fetch_named_twice),
      cmocka_unit_test(test_deprecated_session),
      cmocka_unit_test(test_run_metadata),
      cmocka_unit_test(test_try_evaluate_constant),
      cmocka_unit_test(test_named_queues),
      cmocka_unit_test(test_option_helpers),
      cmocka_unit_test(test_saved_model),
  };
  return cmocka_run_group_tests(tests, set_up_ops, tear_down_ops);
}
