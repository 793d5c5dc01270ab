// dovetail/dovetail.h: opening graphs, names, checks of a run, times, what is missing, lists of ops and
// kernels. The op Square64 is registered here; Placeholder and Identity come from the standard plugins.
// SavedModels and stock's values are in model_test.py.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dovetail/dovetail.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

// ---- the op ----

static void square_compute(void *state, TF_OpKernelContext *ctx) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[8];
  TF_GetInput(ctx, 0, &x, status);
  for (int i = 0; i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
  y = TF_AllocateOutput(ctx, 0, TF_DOUBLE, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  for (int64_t i = 0; i < TF_TensorElementCount(x); ++i) {
    double v = ((double *)TF_TensorData(x))[i];
    ((double *)TF_TensorData(y))[i] = v * v;
    if (v == 13) {
      TF_SetStatus(status, TF_OUT_OF_RANGE, "13 is not squared");
      TF_OpKernelContext_Failure(ctx, status);
    }
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static int register_op(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Square64");
  TF_OpDefinitionBuilderAddInput(op, "x: double");
  TF_OpDefinitionBuilderAddOutput(op, "y: double");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, TF_ShapeInferenceContextSetUnknownShape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder("Square64Kernel",
                           TF_NewKernelBuilder("Square64", "CPU", NULL, square_compute, NULL), status);
  bool ok = TF_GetCode(status) == TF_OK;
  TF_DeleteStatus(status);
  return ok ? 0 : -1;
}

// ---- graphs in files ----

#define PLACEHOLDER(name)                                                \
  "node { name: '" name                                                  \
  "' op: 'Placeholder' attr { key: 'dtype' value { type: DT_DOUBLE } } " \
  "attr { key: 'shape' value { shape { dim { size: -1 } dim { size: 2 } } } } }\n"
#define SQUARE(name, input) "node { name: '" name "' op: 'Square64' input: '" input "' }\n"

static const char *const two_squares = PLACEHOLDER("a") PLACEHOLDER("b") SQUARE("p", "a") SQUARE("q", "b");

static char file_name[64];

static const char *write_graph(const char *text) {
  snprintf(file_name, sizeof file_name, "/tmp/dvt_model_api_%ld.pbtxt", (long)getpid());
  FILE *file = fopen(file_name, "wb");
  assert_non_null(file);
  fwrite(text, 1, strlen(text), file);
  fclose(file);
  return file_name;
}

static int remove_graph(void **state) {
  (void)state;
  return unlink(file_name);
}

static dvt_model *open_ok(const char *text, const dvt_model_options *options) {
  TF_Status *status = TF_NewStatus();
  dvt_model *model = NULL;
  dvt_model_open(write_graph(text), options, &model, status);
  if (!model) fail_msg("%s", TF_Message(status));
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_DeleteStatus(status);
  return model;
}

static TF_Tensor *matrix(double first, double second) {
  const int64_t dims[] = {1, 2};
  TF_Tensor *t = TF_AllocateTensor(TF_DOUBLE, dims, 2, 16);
  ((double *)TF_TensorData(t))[0] = first;
  ((double *)TF_TensorData(t))[1] = second;
  return t;
}

static void assert_message(TF_Status *status, TF_Code code, const char *part) {
  if (TF_GetCode(status) != code || !strstr(TF_Message(status), part))
    fail_msg("got code %d: %s", TF_GetCode(status), TF_Message(status));
}

// ---- tests ----

static void test_describe(void **state) {
  (void)state;
  dvt_model *model = open_ok(two_squares, NULL);
  const dvt_model_info *info = dvt_model_describe(model);
  assert_string_equal(info->format, "GraphDef");
  assert_string_equal(info->path, file_name);
  assert_int_equal(info->node_count, 4);
  assert_int_equal(info->function_count, 0);
  assert_int_equal(dvt_model_signature_count(model), 1);
  assert_string_equal(dvt_model_signature_name(model, 0), "");
  assert_null(dvt_model_signature_name(model, 1));
  assert_string_equal(dvt_model_default_signature(model), "");
  assert_int_equal(dvt_model_input_count(model, NULL), 2);
  assert_int_equal(dvt_model_output_count(model, ""), 2);
  assert_int_equal(dvt_model_input_count(model, "none"), -1);
  assert_int_equal(dvt_model_output_count(model, "none"), -1);
  const dvt_tensor_info *a = dvt_model_input(model, NULL, 0), *q = dvt_model_output(model, NULL, 1);
  assert_string_equal(a->name, "a");
  assert_string_equal(a->tensor, "a:0");
  assert_true(a->dtype == TF_DOUBLE && a->rank == 2 && a->dims[0] == -1 && a->dims[1] == 2);
  assert_string_equal(q->name, "q");
  assert_true(q->dtype == TF_DOUBLE && q->rank == -1);
  assert_null(dvt_model_input(model, NULL, 2));
  assert_null(dvt_model_output(model, NULL, -1));
  assert_true(strlen(dvt_version()) >= 5);
  dvt_model_close(model);
  dvt_model_close(NULL);
}

static void test_names(void **state) {
  (void)state;
  dvt_model *model = open_ok(two_squares, NULL);
  TF_Status *status = TF_NewStatus();
  const dvt_tensor_info *b = dvt_model_input(model, NULL, 1);
  assert_ptr_equal(dvt_model_find_input(model, NULL, "b", status), b);
  assert_ptr_equal(dvt_model_find_input(model, NULL, "b:0", status), b);
  assert_ptr_equal(dvt_model_find_input(model, NULL, "1", status), b);
  const dvt_tensor_info *p = dvt_model_find_input(model, NULL, "p", status);  // any tensor may be fed
  assert_true(p && p->dtype == TF_DOUBLE);
  assert_ptr_equal(dvt_model_find_input(model, NULL, "p", status), p);
  assert_string_equal(dvt_model_find_output(model, NULL, "a:0", status)->tensor, "a:0");
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_null(dvt_model_find_input(model, NULL, "c", status));
  assert_message(status, TF_NOT_FOUND, "no input 'c'. Its inputs are 'a', 'b'");
  assert_null(dvt_model_find_output(model, NULL, "p:1", status));
  assert_message(status, TF_NOT_FOUND, "no output 'p:1'");
  assert_null(dvt_model_find_output(model, "other", "p", status));
  assert_message(status, TF_NOT_FOUND, "no signature 'other'");
  TF_DeleteStatus(status);
  dvt_model_close(model);
}

static void test_run(void **state) {
  (void)state;
  dvt_model *model = open_ok(two_squares, NULL);
  TF_Status *status = TF_NewStatus();
  TF_Tensor *inputs[] = {matrix(3, 4), matrix(5, 6)}, *outputs[2] = {NULL, NULL};
  const char *names[] = {"b", "0"}, *only_q[] = {"q"};
  dvt_model_run(model, NULL, names, inputs, 2, NULL, outputs, 2, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_true(((double *)TF_TensorData(outputs[0]))[0] == 25 &&
              ((double *)TF_TensorData(outputs[1]))[1] == 16);
  TF_DeleteTensor(outputs[0]);
  TF_DeleteTensor(outputs[1]);
  dvt_model_run(model, NULL, names, inputs, 1, only_q, outputs, 1, status);  // a is not needed for q
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_true(((double *)TF_TensorData(outputs[0]))[0] == 9);
  TF_DeleteTensor(outputs[0]);
  TF_DeleteTensor(inputs[0]);
  TF_DeleteTensor(inputs[1]);
  TF_DeleteStatus(status);
  dvt_model_close(model);
}

static void test_run_errors(void **state) {
  (void)state;
  dvt_model *model = open_ok(two_squares, NULL);
  TF_Status *status = TF_NewStatus();
  const int64_t three = 3;
  TF_Tensor *good = matrix(1, 2), *flat = TF_AllocateTensor(TF_DOUBLE, &three, 1, 24), *whole = NULL;
  TF_Tensor *bad = matrix(13, 0), *untouched[2] = {good, good};
  const int64_t dims[] = {1, 2};
  whole = TF_AllocateTensor(TF_INT32, dims, 2, 8);
  const char *a[] = {"a"}, *twice[] = {"a", "a:0"}, *unknown[] = {"x"}, *p[] = {"p"};
  TF_Tensor *pair[] = {good, good};
  const struct {
    const char **names;
    TF_Tensor **values;
    int count, outputs;
    const char **output_names;
    TF_Code code;
    const char *part;
  } cases[] = {
      {NULL, NULL, 0, 2, NULL, TF_INVALID_ARGUMENT,
       "needs the inputs 'a' (float64[?,2]), 'b' (float64[?,2])"},
      {a, pair, 1, 2, NULL, TF_INVALID_ARGUMENT, "needs the input 'b'"},
      {NULL, NULL, 0, 1, p, TF_INVALID_ARGUMENT, "needs the input 'a'"},
      {twice, pair, 2, 1, p, TF_INVALID_ARGUMENT, "given twice"},
      {unknown, pair, 1, 1, p, TF_NOT_FOUND, "no input 'x'"},
      {a, pair, 1, 1, unknown, TF_NOT_FOUND, "no output 'x'"},
      {a, &flat, 1, 1, p, TF_INVALID_ARGUMENT, "float64[3]; the model wants float64[?,2]"},
      {a, &whole, 1, 1, p, TF_INVALID_ARGUMENT, "int32"},
      {a, pair, 1, 1, NULL, TF_INVALID_ARGUMENT, "room for 1 outputs"},
      {NULL, NULL, 1, 1, p, TF_INVALID_ARGUMENT, "array"},
      {a, &bad, 1, 1, p, TF_OUT_OF_RANGE, "13 is not squared"},
      {a, &bad, 1, 1, p, TF_OUT_OF_RANGE, "{{node p}}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    dvt_model_run(model, NULL, (const char *const *)cases[i].names, cases[i].values, cases[i].count,
                  (const char *const *)cases[i].output_names, untouched, cases[i].outputs, status);
    assert_message(status, cases[i].code, cases[i].part);
    assert_ptr_equal(untouched[0], good);
  }
  TF_DeleteTensor(good);
  TF_DeleteTensor(flat);
  TF_DeleteTensor(whole);
  TF_DeleteTensor(bad);
  TF_DeleteStatus(status);
  dvt_model_close(model);
}

static void test_profile(void **state) {
  (void)state;
  dvt_model *model = open_ok(two_squares, NULL);
  TF_Status *status = TF_NewStatus();
  TF_Tensor *inputs[] = {matrix(3, 4), matrix(5, 6)}, *outputs[2];
  const char *names[] = {"a", "b"};
  dvt_op_time *times;
  assert_int_equal(dvt_model_profile(model, &times), 0);
  assert_null(times);
  TF_Buffer *none = TF_NewBuffer();
  dvt_model_trace(model, none, status);
  assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
  TF_DeleteBuffer(none);
  dvt_model_set_profiling(model, true);
  dvt_model_run(model, NULL, names, inputs, 2, NULL, outputs, 2, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  int count = dvt_model_profile(model, &times), squares = 0;
  for (int i = 0; i < count; ++i) {
    if (strcmp(times[i].op, "Square64") != 0) continue;
    assert_true(strcmp(times[i].node, "p") == 0 || strcmp(times[i].node, "q") == 0);
    assert_string_equal(times[i].plugin, "");
    assert_int_equal(times[i].count, 1);
    assert_true(times[i].total_ns >= 0);
    ++squares;
  }
  assert_int_equal(squares, 2);
  dvt_op_times_free(times);
  dvt_op_times_free(NULL);
  TF_Buffer *trace = TF_NewBuffer();
  dvt_model_trace(model, trace, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  char *text = strndup(trace->data, trace->length);
  assert_non_null(strstr(text, "\"name\":\"Square64\""));
  assert_non_null(strstr(text, "\"outputs\":[\"double[1,2]\"]"));
  free(text);
  dvt_model_trace(model, trace, status);  // which is not empty any more
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  TF_DeleteBuffer(trace);
  for (int i = 0; i < 2; ++i) {
    TF_DeleteTensor(inputs[i]);
    TF_DeleteTensor(outputs[i]);
  }
  TF_DeleteStatus(status);
  dvt_model_close(model);
}

static void test_describe_only_and_missing(void **state) {
  (void)state;
  const char *graph = PLACEHOLDER("a") SQUARE("p", "a") "node { name: 'z' op: 'NoSuchOp' input: 'p' }\n"
                      "node { name: 'f' op: 'Square64' input: 'a' }\n";
  dvt_model_options options = {.struct_size = sizeof options, .describe_only = true};
  dvt_model *model = open_ok(graph, &options);
  assert_int_equal(dvt_model_missing_count(model), 1);
  assert_int_equal(dvt_model_op_count(model), 3);
  const dvt_op_use *square = dvt_model_op(model, 0);
  assert_string_equal(square->op, "Square64");
  assert_true(square->count == 2 && square->needed == 2 && !square->missing);
  assert_string_equal(square->plugin, "");
  assert_null(dvt_model_op(model, 3));
  for (int i = 0; i < 3; ++i)
    if (strcmp(dvt_model_op(model, i)->op, "NoSuchOp") == 0)
      assert_non_null(strstr(dvt_model_op(model, i)->missing, "no plugin registers"));
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x = matrix(1, 2), *y = NULL;
  const char *a[] = {"a"}, *p[] = {"p"};
  dvt_model_run(model, NULL, a, &x, 1, p, &y, 1, status);
  assert_message(status, TF_FAILED_PRECONDITION, "describe_only");
  dvt_model_close(model);
  model = NULL;
  dvt_model_open(file_name, NULL, &model, status);
  assert_null(model);
  assert_message(status, TF_NOT_FOUND, "NoSuchOp");
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void test_open_errors(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  dvt_model *model = NULL;
  dvt_model_open(NULL, NULL, &model, status);
  assert_message(status, TF_INVALID_ARGUMENT, "NULL");
  dvt_model_open("/nonexistent/model", NULL, &model, status);
  assert_message(status, TF_NOT_FOUND, "does not exist");
  dvt_model_options options = {0};
  dvt_model_open(write_graph(two_squares), &options, &model, status);
  assert_message(status, TF_INVALID_ARGUMENT, "struct_size");
  const char *plugins[] = {"/nonexistent/plugin.so"};
  options = (dvt_model_options){.struct_size = sizeof options, .plugins = plugins, .plugin_count = 1};
  dvt_model_open(file_name, &options, &model, status);
  assert_message(status, TF_NOT_FOUND, "/nonexistent/plugin.so");
  assert_null(dvt_load_plugin("/nonexistent/plugin.so", status));
  assert_message(status, TF_NOT_FOUND, "/nonexistent/plugin.so");
  assert_null(dvt_load_plugin(NULL, status));
  assert_message(status, TF_INVALID_ARGUMENT, "NULL");
  assert_null(model);
  TF_DeleteStatus(status);
}

static void see_op(void *arg, const dvt_op_info *op) {
  if (strcmp(op->name, "Square64") != 0) return;
  assert_string_equal(op->signature, "(x: double) -> (y: double)");
  assert_string_equal(op->attrs, "");
  assert_string_equal(op->plugin, "");
  assert_true(op->kernel_count == 1 && op->has_shape_function && !op->is_stateful);
  ++*(int *)arg;
}

static void see_kernel(void *arg, const dvt_kernel_info *kernel) {
  assert_string_equal(kernel->op, "Square64");
  assert_string_equal(kernel->device, "CPU");
  assert_string_equal(kernel->constraints, "");
  assert_string_equal(kernel->label, "");
  assert_true(kernel->priority == 0 && !kernel->is_async);
  ++*(int *)arg;
}

// What is written opens again, in both forms, with the same ends; failures leave no file.
static void test_save_graph(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  dvt_model_options only_describe = {.struct_size = sizeof only_describe, .describe_only = true};
  dvt_model *model = open_ok(two_squares, &only_describe);
  char saved[80];
  for (int text = 0; text < 2; ++text) {
    dvt_model *again = NULL;
    TF_Tensor *inputs[] = {matrix(3, -2), matrix(1, 5)}, *outputs[2] = {NULL};
    snprintf(saved, sizeof saved, "/tmp/dvt_model_saved_%ld.%s", (long)getpid(), text ? "pbtxt" : "pb");
    dvt_model_save_graph(model, saved, status);
    assert_message(status, TF_OK, "");
    dvt_model_open(saved, NULL, &again, status);
    assert_message(status, TF_OK, "");
    unlink(saved);
    dvt_model_run(again, NULL, (const char *[]){"a", "b"}, inputs, 2, (const char *[]){"p", "q"}, outputs, 2,
                  status);
    assert_message(status, TF_OK, "");
    assert_true(((double *)TF_TensorData(outputs[0]))[0] == 9 &&
                ((double *)TF_TensorData(outputs[1]))[1] == 25);
    for (int i = 0; i < 2; ++i) {
      TF_DeleteTensor(inputs[i]);
      TF_DeleteTensor(outputs[i]);
    }
    dvt_model_close(again);
  }
  dvt_model_save_graph(model, "/nowhere/at/all.pb", status);
  assert_message(status, TF_NOT_FOUND, "/nowhere/at/all.pb");
  dvt_model_save_graph(model, NULL, status);
  assert_message(status, TF_INVALID_ARGUMENT, "the path is NULL");
  dvt_model_save_graph(NULL, saved, status);
  assert_message(status, TF_INVALID_ARGUMENT, "the model is NULL");
  dvt_model_close(model);
  TF_DeleteStatus(status);
}

static void test_lists(void **state) {
  (void)state;
  int ops = 0, kernels = 0;
  dvt_list_ops(NULL, see_op, &ops);
  dvt_list_ops("", see_op, &ops);  // those of the program itself
  assert_int_equal(ops, 2);
  dvt_list_ops("no plugin of that name", see_op, &ops);
  assert_int_equal(ops, 2);
  dvt_list_kernels("Square64", NULL, see_kernel, &kernels);
  dvt_list_kernels("Square64", "", see_kernel, &kernels);
  assert_int_equal(kernels, 2);
}

typedef struct worker {
  pthread_t thread;
  dvt_model *model;
  int failures;
} worker;

static void *run_often(void *arg) {
  worker *w = arg;
  TF_Status *status = TF_NewStatus();
  const char *a[] = {"a"}, *p[] = {"p"}, *looked_up[] = {"a:0"};
  for (int i = 0; i < 200; ++i) {
    TF_Tensor *x = matrix(i + 20, 1), *y = NULL;
    dvt_model_run(w->model, NULL, i % 2 ? a : looked_up, &x, 1, p, &y, 1, status);
    bool ok = TF_GetCode(status) == TF_OK && ((double *)TF_TensorData(y))[0] == (double)(i + 20) * (i + 20);
    dvt_op_time *times;
    dvt_model_profile(w->model, &times);
    dvt_op_times_free(times);
    dvt_model_find_output(w->model, NULL, "b", status);
    w->failures += !ok;
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void test_many_threads(void **state) {
  (void)state;
  dvt_model *model = open_ok(two_squares, NULL);
  dvt_model_set_profiling(model, true);
  worker workers[4] = {{0}};
  for (int i = 0; i < 4; ++i) {
    workers[i].model = model;
    assert_int_equal(pthread_create(&workers[i].thread, NULL, run_often, &workers[i]), 0);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(workers[i].thread, NULL);
    assert_int_equal(workers[i].failures, 0);
  }
  dvt_model_close(model);
}

// What dvt_model_plan says of the model's node, or of the one made in its place.
static const dvt_planned_node *planned(const dvt_planned_node *nodes, int count, const char *name,
                                       bool made) {
  for (int i = 0; i < count; ++i)
    if (strcmp(nodes[i].node, name) == 0 && (nodes[i].made_of != NULL) == made) return &nodes[i];
  fail_msg("no node %s", name);
  return NULL;
}

static void test_plan(void **state) {
  (void)state;
  const char *graph =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
      "node { name: 'w' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value "
      "{ "
      "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 1 } } } }\n"
      "node { name: 'v' op: 'Identity' input: 'w' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'mm' op: 'MatMul' input: 'x' input: 'v' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'relu' op: 'Relu' input: 'mm' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'y' op: 'Identity' input: 'relu' attr { key: 'T' value { type: DT_FLOAT } } }\n";
  TF_Status *status = TF_NewStatus();
  dvt_planned_node *nodes = NULL;
  dvt_model *model = open_ok(graph, NULL);
  int count = dvt_model_plan(model, NULL, &nodes, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_int_equal(count, 6);
  assert_string_equal(planned(nodes, count, "w", false)->fate, "constant");
  assert_string_equal(planned(nodes, count, "v", false)->fate, "folded");
  assert_string_equal(planned(nodes, count, "mm", false)->fate, "fused");
  assert_string_equal(planned(nodes, count, "mm", false)->into, "relu");
  assert_string_equal(planned(nodes, count, "relu", false)->fate, "fused");
  assert_string_equal(planned(nodes, count, "y", false)->fate, "runs");
  const dvt_planned_node *made = planned(nodes, count, "relu", true);
  assert_string_equal(made->op, "_FusedMatMul");
  assert_string_equal(made->plugin, "linalg");
  assert_string_equal(made->made_of, "MatMul + Relu");
  dvt_planned_nodes_free(nodes);
  nodes = NULL;
  assert_int_equal(dvt_model_plan(model, "nope", &nodes, status), 0);
  assert_message(status, TF_NOT_FOUND, "nope");
  dvt_model_close(model);
  model =
      open_ok(graph, &(dvt_model_options){.struct_size = sizeof(dvt_model_options), .describe_only = true});
  assert_int_equal(dvt_model_plan(model, NULL, &nodes, status), 0);
  assert_message(status, TF_FAILED_PRECONDITION, "describe_only");
  dvt_model_close(model);
  assert_int_equal(dvt_model_plan(NULL, NULL, &nodes, status), 0);
  assert_message(status, TF_INVALID_ARGUMENT, "NULL");
  assert_null(nodes);
  dvt_planned_nodes_free(NULL);
  TF_DeleteStatus(status);
}

static bool takes(const dvt_kernel_use *uses, int count, const char *op, const char *kernel_class,
                  const char *plugin) {
  for (int i = 0; i < count; ++i)
    if (strcmp(uses[i].op, op) == 0 && strcmp(uses[i].kernel_class, kernel_class) == 0 &&
        strcmp(uses[i].plugin, plugin) == 0)
      return true;
  return false;
}

static void test_kernels(void **state) {
  (void)state;
  const char *graph =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
      "node { name: 'mm' op: 'MatMul' input: 'x' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'a' op: 'Relu' input: 'mm' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'b' op: 'Abs' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'c' op: 'Abs' input: 'b' attr { key: 'T' value { type: DT_FLOAT } } }\n";
  TF_Status *status = TF_NewStatus();
  dvt_kernel_use *uses = NULL;
  dvt_model *model = open_ok(graph, NULL);
  int count = dvt_model_kernels(model, &uses, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_true(takes(uses, count, "Abs", "abs_f32", "math"));
  assert_true(takes(uses, count, "Relu", "relu_f32", "nn"));
  assert_true(takes(uses, count, "MatMul", "mat_mul_f32", "linalg"));
  assert_true(takes(uses, count, "_FusedMatMul", "fused_mat_mul_f32", "linalg"));
  for (int i = 1; i < count; ++i) {
    int order = strcmp(uses[i - 1].op, uses[i].op);
    assert_true(order < 0 || (order == 0 && strcmp(uses[i - 1].kernel_class, uses[i].kernel_class) < 0));
  }
  dvt_kernel_uses_free(uses);
  dvt_model_close(model);
  uses = NULL;
  model =
      open_ok(graph, &(dvt_model_options){.struct_size = sizeof(dvt_model_options), .describe_only = true});
  assert_int_equal(dvt_model_kernels(model, &uses, status), 0);
  assert_message(status, TF_FAILED_PRECONDITION, "describe_only");
  dvt_model_close(model);
  assert_int_equal(dvt_model_kernels(NULL, &uses, status), 0);
  assert_message(status, TF_INVALID_ARGUMENT, "NULL");
  assert_null(uses);
  dvt_kernel_uses_free(NULL);
  TF_DeleteStatus(status);
}

static void test_shapes(void **state) {
  (void)state;
  const char *graph =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' "
      "value { shape { dim { size: -1 } dim { size: 4 } } } } }\n"
      "node { name: 'y' op: 'Relu' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }\n";
  TF_Status *status = TF_NewStatus();
  dvt_inferred_output *rows = NULL;
  dvt_model *model = open_ok(graph, NULL);
  assert_int_equal(dvt_model_infer_shapes(model, NULL, 0, &rows, status), 2);
  assert_string_equal(rows[1].node, "y");
  assert_string_equal(rows[1].op, "Relu");
  assert_string_equal(rows[1].function, "");
  assert_string_equal(rows[1].shape, "[N,4]");
  assert_int_equal(rows[1].dtype, TF_FLOAT);
  assert_int_equal(rows[1].rank, 2);
  assert_int_equal(rows[1].dims[0], -1);
  assert_null(rows[1].error);
  dvt_inferred_outputs_free(rows);
  dvt_fed_dims feed = {"x", 2, (int64_t[]){7, 4}};
  assert_int_equal(dvt_model_infer_shapes(model, &feed, 1, &rows, status), 2);
  assert_string_equal(rows[1].shape, "[7,4]");
  dvt_inferred_outputs_free(rows);
  rows = NULL;
  feed.rank = 1;
  assert_int_equal(dvt_model_infer_shapes(model, &feed, 1, &rows, status), 0);
  assert_message(status, TF_INVALID_ARGUMENT, "but the graph declares [?,4]");
  feed.name = "nobody";
  assert_int_equal(dvt_model_infer_shapes(model, &feed, 1, &rows, status), 0);
  assert_message(status, TF_NOT_FOUND, "nobody");
  feed.name = NULL;
  assert_int_equal(dvt_model_infer_shapes(model, &feed, 1, &rows, status), 0);
  assert_message(status, TF_INVALID_ARGUMENT, "feed 0 has no name");
  dvt_model_close(model);
  assert_int_equal(dvt_model_infer_shapes(NULL, NULL, 0, &rows, status), 0);
  assert_message(status, TF_INVALID_ARGUMENT, "NULL");
  assert_null(rows);
  dvt_inferred_outputs_free(NULL);
  TF_DeleteStatus(status);
}

static void test_null_model(void **state) {
  (void)state;
  TF_Status *status = TF_NewStatus();
  dvt_op_time *times = (dvt_op_time *)&status;
  assert_null(dvt_model_describe(NULL));
  assert_int_equal(dvt_model_signature_count(NULL), 0);
  assert_null(dvt_model_signature_name(NULL, 0));
  assert_null(dvt_model_default_signature(NULL));
  assert_int_equal(dvt_model_input_count(NULL, NULL), -1);
  assert_int_equal(dvt_model_output_count(NULL, "x"), -1);
  assert_null(dvt_model_input(NULL, NULL, 0));
  assert_null(dvt_model_output(NULL, NULL, 0));
  assert_null(dvt_model_find_input(NULL, "s", "x", status));
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_null(dvt_model_find_output(NULL, NULL, "x", status));
  dvt_model_set_profiling(NULL, true);
  assert_int_equal(dvt_model_profile(NULL, &times), 0);
  assert_null(times);
  dvt_model_trace(NULL, NULL, status);
  assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
  assert_int_equal(dvt_model_op_count(NULL), 0);
  assert_null(dvt_model_op(NULL, 0));
  assert_int_equal(dvt_model_missing_count(NULL), 0);
  dvt_model_close(NULL);
  TF_DeleteStatus(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_describe),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_run),
      cmocka_unit_test(test_run_errors),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_profile),
      cmocka_unit_test(test_describe_only_and_missing),
      cmocka_unit_test(test_open_errors),
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_many_threads),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_null_model),
      cmocka_unit_test(test_save_graph),
      cmocka_unit_test(test_plan),
  };
  return cmocka_run_group_tests(tests, register_op, remove_graph);
}
