// include/dovetail/object.h: objects in tensors, who shares them, when they end, zeros and sums, resources that
// threads make at the same time.
#include <pthread.h>

#include "capi/kernel_context_test_util.h"
#include "dovetail/object.h"
#include "tensorflow/c/c_api.h"

// ---- a type that counts how many values there are ----

static atomic_int alive, made;

static int *number_new(int value) {
  int *number = malloc(sizeof *number);
  *number = value;
  atomic_fetch_add(&alive, 1);
  atomic_fetch_add(&made, 1);
  return number;
}
static void number_free(void *number) {
  atomic_fetch_sub(&alive, 1);
  free(number);
}
static void *number_zero(TF_OpKernelContext *ctx, const void *value, TF_Status *s) {
  (void)ctx;
  if (*(const int *)value >= 0) return number_new(0);
  TF_SetStatus(s, TF_ABORTED, "negative numbers refuse");
  return NULL;
}
static void *number_add(TF_OpKernelContext *ctx, const void *a, const void *b, TF_Status *s) {
  (void)ctx, (void)s;
  return number_new(*(const int *)a + *(const int *)b);
}

static const dvt_value_type number_type = {
    sizeof(dvt_value_type), "test::Number", number_free, number_zero, number_add, NULL};
static const dvt_value_type number_again = {
    sizeof(dvt_value_type), "test::Number", number_free, NULL, NULL, NULL};
static const dvt_value_type other_type = {
    sizeof(dvt_value_type), "test::Other", number_free, NULL, NULL, NULL};
// As a plugin built for an older header would have it.
static const dvt_value_type short_type = {
    offsetof(dvt_value_type, zeros_like), "test::Short", number_free, number_zero, number_add, NULL};
static const dvt_value_type nameless_type = {sizeof(dvt_value_type), NULL, number_free, NULL, NULL, NULL};

static TF_Tensor *new_tensor(TF_DataType dtype, int64_t count) {
  return TF_AllocateTensor(dtype, &count, 1, (size_t)count * 8);
}
static void set(TF_Tensor *t, int64_t i, int value) {
  dvt_object_set(t, i, &number_type, number_new(value), status);
  assert_tf_status(status, TF_OK, "");
}
static int get(const TF_Tensor *t, int64_t i) {
  const int *number = dvt_object_get(t, i, &number_type, status);
  assert_tf_status(status, TF_OK, "");
  return *number;
}

static int start_counting(void **state) {
  (void)state;
  atomic_store(&alive, 0);
  atomic_store(&made, 0);
  return 0;
}
static int end_counting(void **state) {
  (void)state;
  assert_int_equal(atomic_load(&alive), 0);
  return 0;
}

// ---- objects in tensors ----

static void test_set_and_get(void **state) {
  (void)state;
  static const TF_DataType dtypes[] = {TF_VARIANT, TF_RESOURCE};
  for (int k = 0; k < 2; k++) {
    TF_Tensor *t = new_tensor(dtypes[k], 3);
    set(t, 0, 10);
    set(t, 2, 12);
    assert_int_equal(get(t, 0), 10);
    assert_int_equal(get(t, 2), 12);
    assert_string_equal(dvt_object_type_name(t, 2), "test::Number");
    assert_null(dvt_object_type_name(t, 1));
    assert_null(dvt_object_type_name(t, 3));
    assert_null(dvt_object_type_name(NULL, 0));
    set(t, 0, 20);  // replaces
    assert_int_equal(atomic_load(&alive), 2);
    assert_int_equal(get(t, 0), 20);
    // Another description of the same name is the same type.
    assert_int_equal(*(int *)dvt_object_get(t, 0, &number_again, status), 20);
    TF_DeleteTensor(t);
    assert_int_equal(atomic_load(&alive), 0);
  }
}

static void test_get_errors(void **state) {
  (void)state;
  TF_Tensor *t = new_tensor(TF_VARIANT, 2), *floats = new_tensor(TF_FLOAT, 2);
  set(t, 0, 1);
  assert_null(dvt_object_get(t, 0, &other_type, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "test::Other");
  assert_null(dvt_object_get(t, 1, &number_type, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "holds no object");
  assert_null(dvt_object_get(t, 2, &number_type, status));
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  assert_null(dvt_object_get(t, -1, &number_type, status));
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  assert_null(dvt_object_get(floats, 0, &number_type, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "float");
  assert_null(dvt_object_get(NULL, 0, &number_type, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_null(dvt_object_get(t, 0, NULL, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_null(dvt_object_get(t, 0, &nameless_type, status));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_int_equal(*(int *)dvt_object_get(t, 0, &number_type, status), 1);
  assert_tf_status(status, TF_OK, "");
  TF_DeleteTensor(t);
  TF_DeleteTensor(floats);
}

// A value that cannot be stored is destroyed.
static void test_set_errors(void **state) {
  (void)state;
  TF_Tensor *t = new_tensor(TF_VARIANT, 2), *floats = new_tensor(TF_FLOAT, 2);
  dvt_object_set(t, 2, &number_type, number_new(1), status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  dvt_object_set(floats, 0, &number_type, number_new(1), status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "float");
  dvt_object_set(NULL, 0, &number_type, number_new(1), status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  dvt_object_set(t, 0, NULL, NULL, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_null(dvt_object_type_name(t, 0));
  assert_int_equal(atomic_load(&alive), 0);
  TF_DeleteTensor(t);
  TF_DeleteTensor(floats);
}

static void test_sharing(void **state) {
  (void)state;
  TF_Tensor *a = new_tensor(TF_VARIANT, 2), *b = new_tensor(TF_VARIANT, 1), *r = new_tensor(TF_RESOURCE, 1);
  set(a, 0, 1);
  assert_false(dvt_object_is_shared(a, 0));
  assert_false(dvt_object_is_shared(a, 1));
  assert_false(dvt_object_is_shared(a, 9));
  dvt_object_share(b, 0, a, 0, status);
  assert_tf_status(status, TF_OK, "");
  assert_true(dvt_object_is_shared(a, 0) && dvt_object_is_shared(b, 0));
  assert_int_equal(get(b, 0), 1);
  dvt_object_share(a, 0, a, 0, status);  // with itself: nothing changes
  assert_tf_status(status, TF_OK, "");
  assert_true(dvt_object_is_shared(a, 0));
  dvt_object_share(b, 0, a, 1, status);  // nothing
  assert_tf_status(status, TF_OK, "");
  assert_null(dvt_object_type_name(b, 0));
  assert_false(dvt_object_is_shared(a, 0));
  dvt_object_share(b, 0, a, 0, status);
  TF_DeleteTensor(a);
  assert_int_equal(get(b, 0), 1);  // lives on
  assert_false(dvt_object_is_shared(b, 0));
  dvt_object_share(r, 0, b, 0, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "variant");
  dvt_object_share(b, 1, b, 0, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  dvt_object_share(b, 0, b, 1, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  TF_DeleteTensor(b);
  TF_DeleteTensor(r);
}

// ---- zeros and sums ----

static void zeros(TF_OpKernelContext *ctx) {
  TF_Tensor *from = new_tensor(TF_VARIANT, 4), *to = new_tensor(TF_VARIANT, 2),
            *resources = new_tensor(TF_RESOURCE, 1);
  set(from, 0, 7);
  set(from, 1, -7);
  dvt_object_set(from, 2, &short_type, number_new(1), status);
  dvt_object_zeros_like(ctx, to, 1, from, 0, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(get(to, 1), 0);
  dvt_object_zeros_like(ctx, to, 1, from, 1, status);
  assert_tf_status(status, TF_ABORTED, "negative numbers refuse");
  assert_int_equal(get(to, 1), 0);  // as before
  dvt_object_zeros_like(ctx, to, 1, from, 2, status);
  assert_tf_status(status, TF_UNIMPLEMENTED, "test::Short");
  dvt_object_zeros_like(ctx, to, 1, from, 3, status);
  assert_tf_status(status, TF_OK, "");
  assert_null(dvt_object_type_name(to, 1));
  dvt_object_zeros_like(ctx, to, 2, from, 0, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  dvt_object_zeros_like(ctx, resources, 0, from, 0, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "resource");
  TF_DeleteTensor(from);
  TF_DeleteTensor(to);
  TF_DeleteTensor(resources);
  pass_input(ctx);
}

static void sums(TF_OpKernelContext *ctx) {
  TF_Tensor *a = new_tensor(TF_VARIANT, 4), *to = new_tensor(TF_VARIANT, 1);
  set(a, 0, 7);
  set(a, 1, 5);
  dvt_object_set(a, 2, &other_type, number_new(1), status);
  dvt_object_add(ctx, to, 0, a, 0, a, 1, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(get(to, 0), 12);
  dvt_object_add(ctx, to, 0, to, 0, a, 0, status);  // in place
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(get(to, 0), 19);
  dvt_object_add(ctx, to, 0, a, 0, a, 2, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "test::Other");
  dvt_object_add(ctx, to, 0, a, 2, a, 2, status);
  assert_tf_status(status, TF_UNIMPLEMENTED, "test::Other");
  dvt_object_add(ctx, to, 0, a, 0, a, 3, status);
  assert_tf_status(status, TF_INVALID_ARGUMENT, "holds no object");
  dvt_object_add(ctx, to, 0, a, 4, a, 0, status);
  assert_tf_status(status, TF_OUT_OF_RANGE, "");
  assert_int_equal(get(to, 0), 19);
  TF_DeleteTensor(a);
  TF_DeleteTensor(to);
  pass_input(ctx);
}

static void test_zeros_and_sums(void **state) {
  (void)state;
  assert_ok(run_once("One", zeros));
  assert_ok(run_once("One", sums));
}

// ---- resources ----

typedef struct wanted {
  int value;
  pthread_barrier_t *together;  // NULL: alone
} wanted;

static void *make_number(TF_OpKernelContext *ctx, void *arg, TF_Status *s) {
  (void)ctx;
  const wanted *w = arg;
  if (w->together) pthread_barrier_wait(w->together);
  if (w->value >= 0) return number_new(w->value);
  TF_SetStatus(s, TF_RESOURCE_EXHAUSTED, "none left");
  return NULL;
}

static TF_Tensor *handle_of(TF_OpKernelContext *ctx, const char *container, const char *name,
                            const dvt_value_type *type, wanted *w) {
  return dvt_resource_handle(ctx, container, strlen(container), name, strlen(name), type,
                             w ? make_number : NULL, w, status);
}

static void named_resources(TF_OpKernelContext *ctx) {
  wanted five = {5, NULL}, six = {6, NULL}, none = {-1, NULL};
  assert_null(handle_of(ctx, "", "x", &number_type, NULL));
  assert_tf_status(status, TF_NOT_FOUND, "x");
  assert_null(handle_of(ctx, "", "x", &number_type, &none));
  assert_tf_status(status, TF_RESOURCE_EXHAUSTED, "none left");
  TF_Tensor *x = handle_of(ctx, "", "x", &number_type, &five);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(TF_TensorType(x), TF_RESOURCE);
  assert_int_equal(TF_NumDims(x), 0);
  TF_Tensor *again = handle_of(ctx, "", "x", &number_again, &six),
            *found = handle_of(ctx, "", "x", &number_type, NULL),
            *elsewhere = handle_of(ctx, "there", "x", &number_type, &six);
  assert_int_equal(get(x, 0), 5);
  assert_int_equal(get(again, 0), 5);
  assert_int_equal(get(found, 0), 5);
  assert_int_equal(get(elsewhere, 0), 6);
  assert_true(dvt_object_is_shared(x, 0));
  assert_null(handle_of(ctx, "", "x", &other_type, &six));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "test::Other");
  assert_null(handle_of(ctx, "", "y", &nameless_type, &six));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "");
  assert_int_equal(atomic_load(&made), 2);
  dvt_resource_remove(ctx, "", 0, "x", 1, status);
  assert_tf_status(status, TF_OK, "");
  assert_int_equal(get(x, 0), 5);  // handles keep it
  dvt_resource_remove(ctx, "", 0, "x", 1, status);
  assert_tf_status(status, TF_NOT_FOUND, "x");
  assert_int_equal(atomic_load(&alive), 2);
  TF_Tensor *handles[] = {x, again, found, elsewhere};
  for (int i = 0; i < 4; i++) TF_DeleteTensor(handles[i]);
  assert_int_equal(atomic_load(&alive), 1);  // the one in "there" stays with the session
  pass_input(ctx);
}

static void test_named_resources(void **state) {
  (void)state;
  assert_ok(run_once("One", named_resources));
}

static void anonymous_resources(TF_OpKernelContext *ctx) {
  wanted five = {5, NULL}, six = {6, NULL};
  TF_Tensor *a = handle_of(ctx, "", "", &number_type, &five), *b = handle_of(ctx, "", "", &number_type, &six);
  assert_int_equal(get(a, 0), 5);
  assert_int_equal(get(b, 0), 6);
  assert_false(dvt_object_is_shared(a, 0));
  TF_DeleteTensor(a);
  assert_int_equal(atomic_load(&alive), 1);
  TF_DeleteTensor(b);
  assert_int_equal(atomic_load(&alive), 0);
  pass_input(ctx);
}

static void test_anonymous_resources(void **state) {
  (void)state;
  assert_ok(run_once("One", anonymous_resources));
}

// ---- found by a handle, listed, removed together ----

static const dvt_value_type *wanted_type;
static int wanted_input;
static void get_by_handle(TF_OpKernelContext *ctx) {
  int *number = dvt_resource_get(ctx, wanted_input, wanted_type, status);
  if (number) assert_int_equal(*number, 5);
}

static void test_resource_behind_an_input(void **state) {
  (void)state;
  test_op("UsesResource", SPECS("i:r: resource", "i:x: float"));
  test_kernel("UsesResource", compute);
  test_node t;
  start(&t, "UsesResource");
  assert_ok(dvt_tensor_init_allocate(&t.values[0], TF_RESOURCE, NULL, 0));
  wanted_input = 0;
  wanted_type = &number_type;
  assert_ok(run(&t, get_by_handle));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "input 0 of {{node n}} is no handle of a resource");
  dvt_object_set(&t.values[0], 0, &number_type, number_new(5), status);
  assert_ok(run(&t, get_by_handle));
  assert_tf_status(status, TF_OK, "");
  wanted_type = &other_type;
  assert_ok(run(&t, get_by_handle));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "holds a test::Number; wanted was a test::Other");
  wanted_type = &nameless_type;
  assert_ok(run(&t, get_by_handle));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "has no name");
  wanted_type = &number_type;
  wanted_input = 1;
  assert_ok(run(&t, get_by_handle));
  assert_tf_status(status, TF_INVALID_ARGUMENT, "input 1 of {{node n}} is no handle");
  wanted_input = 2;
  assert_ok(run(&t, get_by_handle));
  assert_tf_status(status, TF_OUT_OF_RANGE, "the node has 2");
  test_node_deinit(&t);
}

static char listed[256];
static void note_resource(void *ctx, const dvt_resource_info *info) {
  assert_int_equal(strlen(info->name), info->name_bytes);
  assert_int_equal(strlen(info->container), info->container_bytes);
  size_t used = strlen(listed);
  snprintf(listed + used, sizeof listed - used, "%s/%s %s %d; ", info->container, info->name, info->type,
           (int)info->references);
  // Resources may be used while they are listed.
  dvt_resource_remove(ctx, info->container, info->container_bytes, info->name, info->name_bytes, status);
  assert_tf_status(status, TF_OK, "");
}

static void list_resources(TF_OpKernelContext *ctx) {
  wanted five = {5, NULL};
  TF_Tensor *handles[] = {
      handle_of(ctx, "", "b", &number_type, &five), handle_of(ctx, "", "a", &number_type, &five),
      handle_of(ctx, "", "ab", &number_type, &five), handle_of(ctx, "box", "c", &number_type, &five)};
  TF_DeleteTensor(handles[1]);
  listed[0] = '\0';
  dvt_resource_list(ctx, "", 0, note_resource, ctx, status);
  assert_tf_status(status, TF_OK, "");
  assert_string_equal(
      listed, "localhost/a test::Number 1; localhost/ab test::Number 2; localhost/b test::Number 2; ");
  listed[0] = '\0';
  dvt_resource_list(ctx, "", 0, note_resource, ctx, status);
  dvt_resource_list(ctx, "nowhere", 7, note_resource, ctx, status);
  assert_string_equal(listed, "");
  dvt_resource_remove_all(ctx, "box", 3, status);
  assert_tf_status(status, TF_OK, "");
  dvt_resource_remove_all(ctx, "nowhere", 7, status);
  assert_tf_status(status, TF_OK, "");
  assert_null(handle_of(ctx, "box", "c", &number_type, NULL));
  assert_tf_status(status, TF_NOT_FOUND, "box/c");
  assert_int_equal(atomic_load(&alive), 3);
  TF_DeleteTensor(handles[0]);
  TF_DeleteTensor(handles[2]);
  TF_DeleteTensor(handles[3]);
  assert_int_equal(atomic_load(&alive), 0);
  pass_input(ctx);
}

static void without_manager(TF_OpKernelContext *ctx) {
  dvt_resource_manager *manager = ctx->step->resources;
  ctx->step->resources = NULL;
  dvt_resource_list(ctx, "", 0, note_resource, ctx, status);
  assert_tf_status(status, TF_INTERNAL, "no resource manager");
  dvt_resource_remove_all(ctx, "", 0, status);
  assert_tf_status(status, TF_INTERNAL, "no resource manager");
  ctx->step->resources = manager;
  pass_input(ctx);
}

static void test_list_of_resources(void **state) {
  (void)state;
  assert_ok(run_once("One", list_resources));
  assert_ok(run_once("One", without_manager));
}

typedef struct maker {
  TF_OpKernelContext *ctx;
  wanted w;
  TF_Tensor *handle;
} maker;

static void *make_in_thread(void *arg) {
  maker *m = arg;
  TF_Status *s = TF_NewStatus();
  m->handle = dvt_resource_handle(m->ctx, "", 0, "both", 4, &number_type, make_number, &m->w, s);
  TF_DeleteStatus(s);
  return NULL;
}

// Both threads are in `create` before either returns: one value stays, the other is destroyed.
static void two_makers(TF_OpKernelContext *ctx) {
  pthread_barrier_t together;
  pthread_barrier_init(&together, NULL, 2);
  maker a = {ctx, {1, &together}, NULL}, b = {ctx, {2, &together}, NULL};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, make_in_thread, &a), 0);
  make_in_thread(&b);
  pthread_join(thread, NULL);
  assert_non_null(a.handle);
  assert_non_null(b.handle);
  assert_int_equal(atomic_load(&made), 2);
  assert_int_equal(atomic_load(&alive), 1);
  assert_int_equal(get(a.handle, 0), get(b.handle, 0));
  TF_DeleteTensor(a.handle);
  TF_DeleteTensor(b.handle);
  pthread_barrier_destroy(&together);
  pass_input(ctx);
}

static void test_two_threads_make_one_resource(void **state) {
  (void)state;
  assert_ok(run_once("One", two_makers));
}

// ---- variants through nodes ----

static int *seen_before;
static bool was_shared;

// Hands the variant on, in place where it may, and adds one to what it holds.
static void increase(TF_OpKernelContext *ctx) {
  int from = -1;
  TF_Tensor *in = NULL, *out = TF_ForwardInputOrAllocateOutput(ctx, (int[]){0}, 1, 0, NULL, 0, &from, status);
  assert_tf_status(status, TF_OK, "");
  if (from < 0) {
    in = input(ctx, 0);
    dvt_object_set(out, 0, &number_type, number_new(get(in, 0)), status);
  }
  was_shared = dvt_object_is_shared(out, 0);
  seen_before = dvt_object_get(out, 0, &number_type, status);
  (*seen_before)++;
  TF_DeleteTensor(in);
  TF_DeleteTensor(out);
}

static void test_forwarded_variant_is_updated_in_place(void **state) {
  (void)state;
  test_op("TestVariant", SPECS("i:x: variant", "o:y: variant"));
  test_kernel("TestVariant", compute);
  for (int last_use = 0; last_use < 2; last_use++) {
    test_node t;
    start(&t, "TestVariant");
    assert_ok(dvt_tensor_init_allocate(&t.values[0], TF_VARIANT, NULL, 0));
    int *number = number_new(41);
    dvt_object_set(&t.values[0], 0, &number_type, number, status);
    t.last_use[0] = last_use;
    assert_ok(run(&t, increase));
    assert_int_equal(seen_before == number, last_use);
    assert_false(was_shared);
    assert_int_equal(get(&t.outputs[0].tensor, 0), 42);
    assert_int_equal(*number, last_use ? 42 : 41);
    test_node_deinit(&t);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start_counting, end_counting)
  const struct CMUnitTest tests[] = {
      TEST(test_set_and_get),
      TEST(test_get_errors),
      TEST(test_set_errors),
      TEST(test_sharing),
      TEST(test_zeros_and_sums),
      TEST(test_named_resources),
      TEST(test_anonymous_resources),
      TEST(test_resource_behind_an_input),
      TEST(test_list_of_resources),
      TEST(test_two_threads_make_one_resource),
      TEST(test_forwarded_variant_is_updated_in_place),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
