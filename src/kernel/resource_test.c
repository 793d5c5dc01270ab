// The resource manager, and resources as elements of tensors.
#include "kernel/resource.h"

#include "kernel/kernel_test_util.h"

static dvt_status make(void *arg, dvt_object **out_object) {
  ++*(int *)arg;
  return dvt_variable_create(DVT_STR("made"), TF_FLOAT, out_object);
}

static dvt_status refuse(void *arg, dvt_object **out_object) {
  (void)arg, (void)out_object;
  return dvt_error(TF_ABORTED, "no");
}

static void test_manager(void **state) {
  (void)state;
  static const dvt_object_type other_type = {"Table", NULL};
  dvt_resource_manager *manager;
  dvt_object *a = NULL, *b = NULL, *c = NULL;
  int made = 0;
  assert_ok(dvt_resource_manager_create(&manager));
  assert_status(dvt_resource_lookup(manager, DVT_STR(""), DVT_STR("v"), &dvt_variable_type, NULL, NULL, &a),
                TF_NOT_FOUND, "Resource localhost/v/Variable does not exist.");
  assert_status(dvt_resource_lookup(manager, DVT_STR(""), DVT_STR("v"), &dvt_variable_type, refuse, NULL, &a),
                TF_ABORTED, "no");
  assert_ok(dvt_resource_lookup(manager, DVT_STR(""), DVT_STR("v"), &dvt_variable_type, make, &made, &a));
  assert_ok(
      dvt_resource_lookup(manager, DVT_STR("localhost"), DVT_STR("v"), &dvt_variable_type, make, &made, &b));
  assert_ok(
      dvt_resource_lookup(manager, DVT_STR("other"), DVT_STR("v"), &dvt_variable_type, make, &made, &c));
  assert_int_equal(made, 2);
  assert_ptr_equal(a, b);
  assert_ptr_not_equal(a, c);
  assert_status(dvt_resource_lookup(manager, DVT_STR(""), DVT_STR("v"), &other_type, NULL, NULL, &b),
                TF_INVALID_ARGUMENT, "is a Variable, wanted was a Table");
  static const char *const names[] = {"w", "w2", "w3"};
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++) {
    dvt_object *more;
    assert_ok(dvt_resource_lookup(manager, DVT_STR("other"), dvt_str_from(names[i]), &dvt_variable_type, make,
                                  &made, &more));
    dvt_object_release(more);
  }
  dvt_resource_clear(manager, DVT_STR("other"));
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++)
    assert_status(dvt_resource_delete(manager, DVT_STR("other"), dvt_str_from(names[i])), TF_NOT_FOUND,
                  "does not exist");
  assert_status(dvt_resource_delete(manager, DVT_STR("other"), DVT_STR("v")), TF_NOT_FOUND, "does not exist");
  assert_ok(dvt_resource_delete(manager, DVT_STR(""), DVT_STR("v")));
  assert_int_equal(atomic_load(&a->refs), 2);
  dvt_object_release(a);
  dvt_object_release(a);
  dvt_object_release(c);
  assert_ok(dvt_resource_lookup(manager, DVT_STR(""), DVT_STR("kept"), &dvt_variable_type, make, &made, &a));
  dvt_object_release(a);
  dvt_resource_manager_destroy(manager);
  dvt_resource_manager_destroy(NULL);
}

static void keep(void *data, size_t bytes, void *arg) { (void)data, (void)bytes, (void)arg; }

static void test_resource_tensor_errors(void **state) {
  (void)state;
  static const dvt_object_type other_type = {"Table", NULL};
  dvt_object *made, *object;
  assert_ok(dvt_variable_create(DVT_STR("localhost/v"), 0, &made));
  dvt_variable *variable = (dvt_variable *)made;
  TF_Tensor t = {0}, f = {0}, empty = {0}, list = {0};
  assert_ok(dvt_resource_tensor(&variable->object, &t));
  assert_ok(dvt_resource_from_tensor(&t, &dvt_variable_type, &object));
  assert_ptr_equal(object, variable);
  assert_status(dvt_resource_from_tensor(&t, &other_type, &object), TF_INVALID_ARGUMENT,
                "wanted was a Table");
  assert_ok(dvt_tensor_init_allocate(&f, TF_FLOAT, NULL, 0));
  assert_status(dvt_resource_from_tensor(&f, &dvt_variable_type, &object), TF_INVALID_ARGUMENT, "type float");
  assert_status(dvt_resource_from_tensor(&empty, &dvt_variable_type, &object), TF_INVALID_ARGUMENT,
                "missing");
  // Bytes that a program calls a resource are no pointer to follow.
  uint64_t bytes[2] = {0x1234, 0x5678};
  TF_Tensor *foreign = TF_NewTensor(TF_RESOURCE, NULL, 0, bytes, sizeof bytes, keep, NULL), copied = {0};
  assert_non_null(foreign);
  assert_status(dvt_resource_from_tensor(foreign, &dvt_variable_type, &object), TF_INVALID_ARGUMENT,
                "Malformed TF_RESOURCE tensor");
  assert_status(dvt_tensor_clone(foreign, &copied), TF_INVALID_ARGUMENT, "no objects to copy");
  TF_DeleteTensor(foreign);
  assert_ok(dvt_tensor_init_allocate(&list, TF_RESOURCE, (int64_t[]){0}, 1));
  assert_status(dvt_resource_from_tensor(&list, &dvt_variable_type, &object), TF_INVALID_ARGUMENT,
                "no resource");
  dvt_tensor_reset(&t);
  dvt_tensor_reset(&f);
  dvt_tensor_reset(&list);
  dvt_object_release(&variable->object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_manager),
      cmocka_unit_test(test_resource_tensor_errors),
  };
  return cmocka_run_group_tests(tests, test_setup, NULL);
}
