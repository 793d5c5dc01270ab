// Plugins that were compiled against newer headers: their structs are longer, with members that this runtime
// does not know. What it knows is used; nothing is read or written behind it, nothing is refused.
#include "capi/context_session_test_util.h"
#include "dovetail/dovetail.h"
#include "dovetail/kernel_construction.h"
#include "dovetail/object.h"

// Members of a later version: canaries that must stay.
#define LATER 64
static const unsigned char canary = 0xE7;
static void set_later(void *later) { memset(later, canary, LATER); }
static void check_later(const void *later) {
  for (int i = 0; i < LATER; i++) assert_int_equal(((const unsigned char *)later)[i], canary);
}

typedef struct newer_attributes {
  TF_AllocatorAttributes known;
  char later[LATER];
} newer_attributes;

typedef struct newer_context_attributes {
  TF_OpKernelContext_AllocatorAttributes known;
  char later[LATER];
} newer_context_attributes;

typedef struct newer_range {
  TF_InputRange_Args known;
  char later[LATER];
} newer_range;

static void with_attributes(TF_OpKernelContext *ctx, TF_Status *status) {
  newer_attributes a = {.known = {.struct_size = sizeof a, .on_host = 1}};
  int64_t dim = 2;
  set_later(a.later);
  TF_Tensor *t = TF_AllocateTemp(ctx, TF_FLOAT, &dim, 1, &a.known, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  check_later(a.later);
  TF_DeleteTensor(t);

  newer_context_attributes c = {.known = {.struct_size = sizeof c}};
  set_later(c.later);
  TF_OpKernelContext_InputAllocatorAttributes(ctx, 0, &c.known, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_int_equal(c.known.struct_size, sizeof c);
  TF_OpKernelContext_OutputAllocatorAttributes(ctx, 0, &c.known, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  t = TF_OpKernelContext_AllocateTemp(ctx, TF_FLOAT, &dim, 1, &c.known, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  check_later(c.later);
  TF_DeleteTensor(t);

  newer_range r = {.known = {.struct_size = sizeof r, .status = status}};
  set_later(r.later);
  TF_InputRange(ctx, "x", &r.known);
  assert_int_equal(TF_GetCode(status), TF_OK);
  assert_int_equal(r.known.start, 0);
  assert_int_equal(r.known.stop, 1);
  check_later(r.later);
  pass(ctx, status);
}

static void test_structs_of_running_kernels(void **state) {
  (void)state;
  body = with_attributes;
  for (int flow = 0; flow < 2; flow++) {
    setting s = make("TestBody", flow, NULL, 0);
    run_once(&s);
    unmake(&s);
  }
}

// ---- structs that the plugin hands over with functions in them ----

typedef struct newer_type {
  dvt_value_type known;
  char later[LATER];
} newer_type;

static int destroyed;
static void destroy_value(void *value) { destroyed += value != NULL; }

static newer_type type = {.known = {.struct_size = sizeof type, .name = "newer", .destroy = destroy_value}};
static int token;

static void *create_value(TF_OpKernelContext *ctx, void *arg, TF_Status *status) {
  (void)ctx;
  (void)status;
  return arg;
}

static void with_type(TF_OpKernelContext *ctx, TF_Status *status) {
  TF_Tensor *handle = dvt_resource_handle(ctx, "", 0, "newer", 5, &type.known, create_value, &token, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  TF_DeleteTensor(handle);
  check_later(type.later);
  pass(ctx, status);
}

static void test_types_of_values(void **state) {
  (void)state;
  body = with_type;
  destroyed = 0;
  set_later(type.later);
  setting s = make("TestBody", false, NULL, 0);
  run_once(&s);
  unmake(&s);
  assert_int_equal(destroyed, 1);
}

static void *create_with_attributes(TF_OpKernelConstruction *ctx) {
  newer_attributes a = {.known = {.struct_size = sizeof a}};
  TF_Status *status = TF_NewStatus();
  set_later(a.later);
  TF_Tensor *t = TF_OpKernelConstruction_AllocateTemp(ctx, TF_FLOAT, NULL, 0, &a.known, status);
  assert_int_equal(TF_GetCode(status), TF_OK);
  check_later(a.later);
  TF_DeleteTensor(t);
  TF_DeleteStatus(status);
  return NULL;
}

static void test_structs_of_kernels_that_are_made(void **state) {
  (void)state;
  body = pass;
  setting s = make("TestCreate", false, NULL, 0);
  run_once(&s);
  unmake(&s);
}

// The file is looked for, so the options were taken.
static void test_options_of_models(void **state) {
  (void)state;
  struct {
    dvt_model_options known;
    char later[LATER];
  } options = {.known = {.struct_size = sizeof options, .describe_only = true}};
  set_later(options.later);
  dvt_model *model = NULL;
  dvt_model_open("/no/such/model", &options.known, &model, S);
  assert_null(model);
  assert_error(TF_NOT_FOUND, "/no/such/model");
  check_later(options.later);
}

static int set_up_structs(void **state) {
  set_up(state);
  register_op("TestCreate", "x: float -> y: float", true);
  add_kernel("TestCreate", create_with_attributes, body_compute, NULL);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_structs_of_running_kernels),
      cmocka_unit_test(test_types_of_values),
      cmocka_unit_test(test_structs_of_kernels_that_are_made),
      cmocka_unit_test(test_options_of_models),
  };
  return cmocka_run_group_tests(tests, set_up_structs, tear_down_ops);
}
