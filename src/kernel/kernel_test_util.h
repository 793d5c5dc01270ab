// A node on its own for tests: op and attrs, the kernel found for it, inputs, and running it once as an
// executor would.
#ifndef DVT_KERNEL_KERNEL_TEST_UTIL_H_
#define DVT_KERNEL_KERNEL_TEST_UTIL_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/log.h"
#include "kernel/context.h"
#include "op/registry.h"
#include "tensorflow/c/ops.h"

#define TEST_MAX 8

typedef struct test_node {
  dvt_arena arena;
  dvt_node_def node;
  dvt_attr attrs[TEST_MAX];
  const dvt_kernel_def *def;
  dvt_kernel kernel;
  dvt_resource_manager *resources;
  dvt_step step;
  TF_OpKernelContext ctx;
  TF_Tensor values[TEST_MAX];
  TF_Tensor *inputs[TEST_MAX];
  bool last_use[TEST_MAX];
  dvt_str input_names[TEST_MAX];
  dvt_kernel_output outputs[TEST_MAX];
  dvt_slot slots[TEST_MAX];
} test_node;

// Log lines of the code under test, so that expected errors do not clutter the output.
static char test_last_log[512];
static void test_log_sink(void *arg, dvt_log_level level, const char *line) {
  (void)arg;
  (void)level;
  snprintf(test_last_log, sizeof test_last_log, "%s", line);
}

static int test_setup(void **state) {
  (void)state;
  test_last_log[0] = '\0';
  dvt_log_set_sink(test_log_sink, NULL);
  return 0;
}

// Fails the test unless the status has the code and its message contains `part`; frees it.
#define assert_status(status, wanted_code, part) \
  check_status((status), (wanted_code), (part), __FILE__, __LINE__)
static inline void check_status(dvt_status status, TF_Code code, const char *part, const char *file,
                                int line) {
  TF_Code got = dvt_status_code(status);
  bool has_part = strstr(dvt_status_message(status), part) != NULL;
  if (got != code || !has_part)
    print_error("%s:%d: code %d, message: %s\n", file, line, (int)got, dvt_status_message(status));
  dvt_status_free(status);
  _assert_true(got == code && has_part, "status", file, line);
}
#define assert_ok(status) check_status((status), TF_OK, "", __FILE__, __LINE__)

#define assert_tf_status(status, code, part) check_tf_status((status), (code), (part), __FILE__, __LINE__)
static inline void check_tf_status(const TF_Status *status, TF_Code code, const char *part, const char *file,
                                   int line) {
  bool good = TF_GetCode(status) == code && strstr(TF_Message(status), part);
  if (!good)
    print_error("%s:%d: code %d, message: %s\n", file, line, (int)TF_GetCode(status), TF_Message(status));
  _assert_true(good, "status", file, line);
}

// Registers an op; specs are "a:..." attr, "i:..." input, "o:..." output; NULL ends them.
static inline void test_op(const char *name, const char *const *specs) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
  for (; *specs; specs++) {
    if ((*specs)[0] == 'a') TF_OpDefinitionBuilderAddAttr(builder, *specs + 2);
    if ((*specs)[0] == 'i') TF_OpDefinitionBuilderAddInput(builder, *specs + 2);
    if ((*specs)[0] == 'o') TF_OpDefinitionBuilderAddOutput(builder, *specs + 2);
  }
  TF_RegisterOpDefinition(builder, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteStatus(status);
}
#define SPECS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void test_register(TF_KernelBuilder *builder) {
  TF_Status *status = TF_NewStatus();
  TF_RegisterKernelBuilder("TestKernel", builder, status);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteStatus(status);
}

static inline void test_kernel(const char *op, void (*compute)(void *, TF_OpKernelContext *)) {
  test_register(TF_NewKernelBuilder(op, "CPU", NULL, compute, NULL));
}

static inline void test_node_init(test_node *t, const char *op, const char *name) {
  *t = (test_node){0};
  t->node.name = dvt_str_from(name);
  t->node.op = dvt_op_lookup_loaded(dvt_str_from(op));
  assert_non_null(t->node.op);
  t->node.attrs = t->attrs;
  assert_ok(dvt_resource_manager_create(&t->resources));
}

// Takes over the buf's bytes as the attr's value.
static inline void test_node_attr(test_node *t, const char *name, dvt_buf *value) {
  dvt_attr *attr = &t->attrs[t->node.attr_count++];
  attr->name = dvt_str_from(name);
  assert_true(dvt_arena_copy_str(&t->arena, dvt_buf_str(value), &attr->value));
  dvt_buf_deinit(value);
}

static inline void test_node_type(test_node *t, const char *name, int dtype) {
  dvt_buf value = {0};
  dvt_attr_put_type(&value, dtype);
  test_node_attr(t, name, &value);
}

static inline void test_node_int(test_node *t, const char *name, int64_t n) {
  dvt_buf value = {0};
  dvt_attr_put_int(&value, n);
  test_node_attr(t, name, &value);
}

static inline void test_node_label(test_node *t, const char *label) {
  dvt_buf value = {0};
  dvt_attr_put_string(&value, dvt_str_from(label));
  test_node_attr(t, "_kernel", &value);
}

static inline dvt_status test_node_find(test_node *t) {
  DVT_RETURN_IF_ERROR(dvt_node_resolve(&t->node, &t->arena));
  return dvt_kernel_find(&t->node, DVT_STR("CPU"), &t->def);
}

// Finds and creates the kernel and makes the context ready; inputs are set afterwards.
static inline dvt_status test_node_create(test_node *t) {
  DVT_RETURN_IF_ERROR(test_node_find(t));
  for (int i = 0; i < TEST_MAX; i++) t->input_names[i] = DVT_STR("producer");
  DVT_RETURN_IF_ERROR(dvt_kernel_create(t->def, &t->node, dvt_device_cpu(), DVT_GRAPH_DEF_VERSION,
                                        t->input_names, NULL, &t->arena, &t->kernel));
  t->step = (dvt_step){.id = 7, .device = dvt_device_cpu(), .resources = t->resources};
  for (int i = 0; i < TEST_MAX; i++) t->inputs[i] = &t->values[i];
  t->ctx = (TF_OpKernelContext){.kernel = &t->kernel,
                                .step = &t->step,
                                .inputs = t->inputs,
                                .last_use = t->last_use,
                                .outputs = t->outputs,
                                .input_count = t->node.input_count,
                                .output_count = t->node.output_count};
  for (int i = 0; i < TEST_MAX; i++) t->outputs[i].slot = &t->slots[i];
  return NULL;
}

static inline void test_node_input(test_node *t, int i, int dtype, const int64_t *dims, int rank,
                                   const void *data, size_t bytes) {
  dvt_tensor_reset(&t->values[i]);
  assert_ok(dvt_tensor_init_allocate(&t->values[i], dtype, dims, rank));
  if (bytes) memcpy(t->values[i].data, data, bytes);
}

static inline void test_node_floats(test_node *t, int i, const float *values, int64_t count) {
  test_node_input(t, i, TF_FLOAT, &count, 1, values, (size_t)count * sizeof *values);
}

static inline void test_node_reset_outputs(test_node *t) {
  for (int i = 0; i < TEST_MAX; i++) {
    dvt_tensor_reset(&t->outputs[i].tensor);
    t->outputs[i].is_set = false;
  }
}

static inline dvt_status test_node_run(test_node *t) {
  test_node_reset_outputs(t);
  dvt_kernel_compute(&t->ctx);
  return dvt_context_finish(&t->ctx, false);
}

static inline void test_node_deinit(test_node *t) {
  test_node_reset_outputs(t);
  for (int i = 0; i < TEST_MAX; i++) {
    dvt_tensor_reset(&t->values[i]);
    dvt_slot_deinit(&t->slots[i]);
  }
  dvt_status_free(t->ctx.status);
  assert_null(dvt_step_finish(&t->step, NULL));
  dvt_step_deinit(&t->step);
  dvt_kernel_destroy(&t->kernel);
  dvt_resource_manager_destroy(t->resources);
  dvt_arena_deinit(&t->arena);
}

#endif  // DVT_KERNEL_KERNEL_TEST_UTIL_H_
