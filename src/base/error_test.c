// dvt_status: ownership, annotation, the bridge to TF_Status, and errors when memory is out.
#include "base/status_internal.h"
#include "base/testing.h"

static void test_ok_is_null(void **state) {
  (void)state;
  assert_int_equal(dvt_status_code(NULL), TF_OK);
  assert_string_equal(dvt_status_message(NULL), "");
  assert_null(dvt_status_clone(NULL));
  assert_null(dvt_status_annotate(NULL, "%d", 1));
  dvt_status_free(NULL);
}

static void test_error_carries_code_and_sentence(void **state) {
  (void)state;
  dvt_status error = dvt_error(TF_NOT_FOUND, "no %s in %d places", "op", 3);
  assert_int_equal(dvt_status_code(error), TF_NOT_FOUND);
  assert_string_equal(dvt_status_message(error), "no op in 3 places");
  dvt_status copy = dvt_status_clone(error);
  error = dvt_status_annotate(error, "\n\t [[{{node %s}}]]", "x");
  assert_string_equal(dvt_status_message(error), "no op in 3 places\n\t [[{{node x}}]]");
  assert_int_equal(dvt_status_code(error), TF_NOT_FOUND);
  assert_string_equal(dvt_status_message(copy), "no op in 3 places");
  dvt_status_free(error);
  dvt_status_free(copy);
}

static void test_error_is_never_ok(void **state) {
  (void)state;
  dvt_test_expect_error(dvt_error(TF_OK, "x"), TF_INTERNAL, "x");
  dvt_test_expect_error(dvt_error((TF_Code)99, "x"), TF_UNKNOWN, "x");
  dvt_test_expect_error(dvt_error(TF_ABORTED, "%s", ""), TF_ABORTED, "");
}

static void test_out_of_memory_needs_no_memory(void **state) {
  (void)state;
  dvt_status kept = dvt_error(TF_ABORTED, "kept");
  dvt_alloc_fail_at(1);
  dvt_status error = dvt_error(TF_ABORTED, "lost"), big = dvt_error_out_of_memory(SIZE_MAX);
  dvt_status copy = dvt_status_clone(kept);
  kept = dvt_status_annotate(kept, " more");
  dvt_alloc_fail_at(0);
  assert_string_equal(dvt_status_message(kept), "kept");
  dvt_status_free(kept);
  dvt_test_expect_error(copy, TF_RESOURCE_EXHAUSTED, "out of memory");
  dvt_test_expect_error(big, TF_RESOURCE_EXHAUSTED, "out of memory");
  error = dvt_status_annotate(error, " at %s", "home");
  dvt_test_expect_error(error, TF_RESOURCE_EXHAUSTED, "at home");
  dvt_test_expect_error(dvt_error_out_of_memory(1u << 20), TF_RESOURCE_EXHAUSTED, "1048576 bytes");
}

static void test_bridge_to_tf_status(void **state) {
  (void)state;
  TF_Status *tf = TF_NewStatus();
  dvt_status_to_tf(dvt_error(TF_DATA_LOSS, "gone"), tf);
  assert_int_equal(TF_GetCode(tf), TF_DATA_LOSS);
  assert_string_equal(TF_Message(tf), "gone");
  TF_SetPayload(tf, "k", "v");
  dvt_test_expect_error(dvt_status_from_tf(tf), TF_DATA_LOSS, "gone");
  dvt_status_to_tf(NULL, tf);
  assert_int_equal(TF_GetCode(tf), TF_OK);
  assert_null(tf->payloads);
  assert_null(dvt_status_from_tf(tf));
  assert_null(dvt_status_from_tf(NULL));
  dvt_status_to_tf(dvt_error(TF_DATA_LOSS, "gone"), NULL);
  TF_DeleteStatus(tf);
}

static void count_payload(const char *key, const char *value, void *capture) {
  int *seen = capture;
  *seen += strcmp(key, "k") == 0 && strcmp(value, "v") == 0;
  *seen += 10 * (strcmp(key, "k2") == 0 && strcmp(value, "v2") == 0);
}

// What a kernel attached to its failure reaches the caller of the session.
static void test_payloads_stay_with_the_error(void **state) {
  (void)state;
  TF_Status *tf = TF_NewStatus();
  TF_SetStatus(tf, TF_DATA_LOSS, "gone");
  TF_SetPayload(tf, "k", "v");
  TF_SetPayload(tf, "k2", "v2");
  dvt_status first = dvt_status_from_tf(tf), copy = dvt_status_clone(first);
  copy = dvt_status_annotate(copy, " at %s", "home");
  dvt_status_free(first);
  TF_SetPayload(tf, "old", "dropped");
  dvt_status_to_tf(copy, tf);
  int seen = 0;
  TF_ForEachPayload(tf, count_payload, &seen);
  assert_int_equal(seen, 11);
  assert_string_equal(TF_Message(tf), "gone at home");
  TF_SetStatus(tf, TF_DATA_LOSS, "gone");
  assert_null(tf->payloads);
  TF_DeleteStatus(tf);
}

static void test_code_names(void **state) {
  (void)state;
  assert_string_equal(dvt_code_name(TF_OK), "OK");
  assert_string_equal(dvt_code_name(TF_UNAUTHENTICATED), "UNAUTHENTICATED");
  assert_string_equal(dvt_code_name(TF_FAILED_PRECONDITION), "FAILED_PRECONDITION");
  assert_string_equal(dvt_code_name((TF_Code)1000), "UNKNOWN");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ok_is_null),
      cmocka_unit_test(test_error_carries_code_and_sentence),
      cmocka_unit_test(test_error_is_never_ok),
      cmocka_unit_test(test_out_of_memory_needs_no_memory),
      cmocka_unit_test(test_bridge_to_tf_status),
      cmocka_unit_test(test_code_names),
      cmocka_unit_test(test_payloads_stay_with_the_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
