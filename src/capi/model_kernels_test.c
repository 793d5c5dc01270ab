// dvt_model_explain_kernel: nodes of the graph and of functions, labels, calls, what the runtime runs itself,
// ops that nobody registers, and names that do not exist.
#include <stdlib.h>
#include <unistd.h>

#include "dovetail/dovetail.h"
#include "kernel/kernel_test_util.h"
#include "tensorflow/c/c_api.h"

static TF_Status *status;
static char path[] = DVT_BUILD_DIR "/whyXXXXXX.pbtxt";

static const char graph[] =
    "node { name: 'a' op: 'Value' attr { key: 'T' value { type: DT_FLOAT } } }\n"
    "node { name: 'b' op: 'Value' device: '/device:GPU:0' attr { key: 'T' value { type: DT_INT8 } } }\n"
    "node { name: 'c' op: 'Value' attr { key: 'T' value { type: DT_FLOAT } }\n"
    "       attr { key: '_kernel' value { s: 'fast' } } }\n"
    "node { name: 'call' op: 'my_function' }\n"
    "node { name: 'const' op: 'Const' }\n"
    "node { name: 'lost' op: 'Valeu' }\n"
    "library { function {\n"
    "  signature { name: 'my_function' output_arg { name: 'y' type: DT_INT32 } }\n"
    "  node_def { name: 'a' op: 'Value' attr { key: 'T' value { type: DT_INT32 } } }\n"
    "  ret { key: 'y' value: 'a:y:0' } }\n"
    "function {\n"
    "  signature { name: 'generic' output_arg { name: 'y' type_attr: 'T' } attr { name: 'T' type: 'type' } "
    "}\n"
    "  node_def { name: 'g' op: 'Value' attr { key: 'T' value { placeholder: 'T' } } }\n"
    "  ret { key: 'y' value: 'g:y:0' } } }\n";

static void compute(void *kernel, TF_OpKernelContext *ctx) { (void)kernel, (void)ctx; }

static void add(const char *device, const char *label, TF_DataType type, int priority) {
  TF_KernelBuilder *builder = TF_NewKernelBuilder("Value", device, NULL, compute, NULL);
  TF_KernelBuilder_TypeConstraint(builder, "T", type, status);
  if (label) TF_KernelBuilder_Label(builder, label);
  TF_KernelBuilder_Priority(builder, priority);
  test_register(builder);
}

static int setup(void **state) {
  status = TF_NewStatus();
  test_op("Value", SPECS("a:T: type", "o:y: T"));
  add("CPU", NULL, TF_FLOAT, 2);
  add("CPU", NULL, TF_FLOAT, 1);
  add("CPU", "fast", TF_FLOAT, 0);
  add("CPU", NULL, TF_INT32, 0);
  add("GPU", NULL, TF_FLOAT, 0);
  int file = mkstemps(path, 6);
  assert_true(file >= 0);
  assert_int_equal(write(file, graph, sizeof graph - 1), sizeof graph - 1);
  close(file);
  dvt_model *model = NULL;
  dvt_model_open(path, &(dvt_model_options){.struct_size = sizeof(dvt_model_options), .describe_only = true},
                 &model, status);
  assert_tf_status(status, TF_OK, "");
  *state = model;
  return test_setup(state);
}

static int teardown(void **state) {
  dvt_model_close(*state);
  unlink(path);
  TF_DeleteStatus(status);
  return 0;
}

static dvt_kernel_choice *choices;

static int explain(void **state, const char *node) {
  dvt_kernel_choices_free(choices);
  choices = NULL;
  int count = dvt_model_explain_kernel(*state, node, &choices, status);
  assert_tf_status(status, TF_OK, "");
  return count;
}

static void assert_candidate(int choice, int i, bool taken, const char *why) {
  const dvt_kernel_candidate *c = &choices[choice].candidates[i];
  if (strcmp(c->why, why) != 0) print_error("candidate %d: %s\n", i, c->why);
  assert_string_equal(c->why, why);
  assert_int_equal(c->is_taken, taken);
}

static void test_in_the_graph_and_in_a_function(void **state) {
  assert_int_equal(explain(state, "a"), 2);
  assert_string_equal(choices[0].function, "");
  assert_string_equal(choices[0].op, "Value");
  assert_string_equal(choices[0].device, "CPU");
  assert_string_equal(choices[0].attrs, "T = float");
  assert_string_equal(choices[0].outcome, "a kernel of the program itself");
  assert_true(choices[0].can_run);
  assert_int_equal(choices[0].candidate_count, 5);
  assert_candidate(0, 0, true, "taken");
  assert_candidate(0, 1, false, "it fits, but another has a higher priority");
  assert_candidate(0, 2, false, "its label is 'fast', which the node's attr _kernel does not ask for");
  assert_candidate(0, 3, false, "T is float, wanted is int32");
  assert_candidate(0, 4, false, "it is for GPU devices, wanted is CPU");
  assert_string_equal(choices[0].candidates[3].constraints, "T in {int32}");
  assert_string_equal(choices[0].candidates[4].device, "GPU");
  assert_string_equal(choices[0].candidates[2].label, "fast");
  assert_int_equal(choices[0].candidates[0].priority, 2);

  assert_string_equal(choices[1].function, "my_function");
  assert_candidate(1, 0, false, "T is int32, wanted is float");
  assert_candidate(1, 3, true, "taken");
}

static void test_no_kernel_and_label(void **state) {
  assert_int_equal(explain(state, "b"), 1);  // a device that is not here is replaced by the CPU
  assert_false(choices[0].can_run);
  assert_string_equal(choices[0].device, "CPU");
  assert_non_null(strstr(choices[0].outcome, "No registered 'Value' OpKernel for CPU devices"));
  assert_candidate(0, 0, false, "T is int8, wanted is float");
  assert_int_equal(explain(state, "c"), 1);
  assert_string_equal(choices[0].label, "fast");
  assert_candidate(0, 0, false, "its label is '', which the node's attr _kernel does not ask for");
  assert_candidate(0, 2, true, "taken");
}

static void test_nodes_without_kernels(void **state) {
  explain(state, "call");
  assert_string_equal(choices[0].outcome, "calls the function my_function");
  assert_true(choices[0].can_run && choices[0].candidate_count == 0);
  explain(state, "const");
  assert_string_equal(choices[0].outcome, "the runtime runs it itself, without a kernel");
  explain(state, "lost");
  assert_false(choices[0].can_run);
  assert_non_null(strstr(choices[0].outcome, "Did you mean 'Value'?"));
  explain(state, "g");
  assert_string_equal(choices[0].function, "generic");
  assert_non_null(strstr(choices[0].outcome, "attributes are those of a call"));
  dvt_kernel_choices_free(choices);
  choices = NULL;
}

static void test_wrong_use(void **state) {
  dvt_kernel_choice *untouched = (dvt_kernel_choice *)&status;
  assert_int_equal(dvt_model_explain_kernel(*state, "consd", &untouched, status), 0);
  assert_tf_status(status, TF_NOT_FOUND, "no node 'consd'");
  assert_tf_status(status, TF_NOT_FOUND, "Did you mean 'const'?");
  assert_int_equal(dvt_model_explain_kernel(NULL, "a", &untouched, status), 0);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "model is NULL");
  assert_int_equal(dvt_model_explain_kernel(*state, NULL, &untouched, status), 0);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "name is NULL");
  assert_ptr_equal(untouched, &status);
  dvt_kernel_choices_free(NULL);
}

static void test_out_of_memory(void **state) {
  dvt_kernel_choice *found = NULL;
  for (int n = 1; !found; n++) {
    dvt_alloc_fail_at(n);
    dvt_model_explain_kernel(*state, "a", &found, status);
    dvt_alloc_fail_at(0);
    assert_true(found || TF_GetCode(status) == TF_RESOURCE_EXHAUSTED);
  }
  dvt_kernel_choices_free(found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_in_the_graph_and_in_a_function),
      cmocka_unit_test(test_no_kernel_and_label),
      cmocka_unit_test(test_nodes_without_kernels),
      cmocka_unit_test(test_wrong_use),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
