// TF_Status, TF_Buffer and the log functions: semantics rules 1 to 14. Both families of status functions are
// run.
#include "tensorflow/c/tf_status.h"
#include "base/testing.h"
#include "capi/buffer.h"
#include "tensorflow/c/logging.h"
#include "tensorflow/c/tf_buffer.h"

static void test_rule_001_new_status_is_ok(void **state) {
  (void)state;
  TF_Status *s = TF_NewStatus();
  assert_int_equal(TF_GetCode(s), TF_OK);
  assert_string_equal(TF_Message(s), "");
  TF_DeleteStatus(s);
  TSL_Status *t = TSL_NewStatus();
  assert_int_equal(TSL_GetCode(t), TSL_OK);
  assert_string_equal(TSL_Message(t), "");
  TSL_DeleteStatus(t);
}

static void test_rule_002_to_004_messages(void **state) {
  (void)state;
  TF_Status *s = TF_NewStatus();
  TF_SetStatus(s, TF_NOT_FOUND, "gone");
  assert_string_equal(TF_Message(s), "gone");
  TF_SetStatus(s, TF_OK, "text");
  assert_int_equal(TF_GetCode(s), TF_OK);
  assert_string_equal(TF_Message(s), "");
  TF_SetStatus(s, TF_ABORTED, NULL);
  assert_int_equal(TF_GetCode(s), TF_ABORTED);
  assert_string_equal(TF_Message(s), "");
  TSL_SetStatus(s, TSL_ABORTED, "");
  assert_int_equal(TF_GetCode(s), TF_ABORTED);
  assert_string_equal(TF_Message(s), "");
  TF_DeleteStatus(s);
}

static void test_rule_005_foreign_codes_are_unknown(void **state) {
  (void)state;
  static const int codes[] = {99, -1, 17, INT32_MAX, INT32_MIN};
  TF_Status *s = TF_NewStatus();
  for (size_t i = 0; i < DVT_COUNT_OF(codes); i++) {
    TF_SetStatus(s, (TF_Code)codes[i], "kept");
    assert_int_equal(TF_GetCode(s), TF_UNKNOWN);
    assert_string_equal(TF_Message(s), "kept");
  }
  for (int code = 1; code <= 16; code++) {
    TF_SetStatus(s, (TF_Code)code, "x");
    assert_int_equal(TF_GetCode(s), code);
  }
  TF_DeleteStatus(s);
}

typedef struct visits {
  int calls;
  char text[256];
} visits;
static void visit(const char *key, const char *value, void *capture) {
  visits *v = capture;
  v->calls++;
  snprintf(v->text + strlen(v->text), sizeof v->text - strlen(v->text), "[%s=%s]", key, value);
}

static void test_rule_006_set_status_discards_payloads(void **state) {
  (void)state;
  TF_Status *s = TF_NewStatus();
  visits v = {0};
  TF_SetStatus(s, TF_ABORTED, "x");
  TF_SetPayload(s, "a", "1");
  TF_SetStatus(s, TF_INTERNAL, "y");
  TF_ForEachPayload(s, visit, &v);
  assert_int_equal(v.calls, 0);
  TF_DeleteStatus(s);
}

static void test_rule_007_payloads(void **state) {
  (void)state;
  TF_Status *s = TF_NewStatus();
  visits v = {0};
  TF_SetPayload(s, "ignored", "on ok");
  TF_ForEachPayload(s, visit, &v);
  assert_int_equal(v.calls, 0);
  TF_SetStatus(s, TF_ABORTED, "x");
  TF_SetPayload(s, "a", "1");
  TSL_SetPayload(s, "b", "2");
  TF_SetPayload(s, "a", "3");
  TSL_ForEachPayload(s, visit, &v);
  assert_int_equal(v.calls, 2);
  assert_non_null(strstr(v.text, "[a=3]"));
  assert_non_null(strstr(v.text, "[b=2]"));
  TF_SetPayload(s, "c", NULL);
  TF_SetPayload(s, NULL, "x");
  TF_ForEachPayload(s, NULL, NULL);
  TF_DeleteStatus(s);
}

static void test_rule_008_message_stays_until_the_next_change(void **state) {
  (void)state;
  TF_Status *s = TF_NewStatus();
  TF_SetStatus(s, TF_ABORTED, "a long message that needs memory of its own");
  const char *message = TF_Message(s);
  TF_SetPayload(s, "k", "v");
  assert_ptr_equal(TF_Message(s), message);
  TF_SetStatus(s, TF_INTERNAL, message);  // its own text may be given back
  assert_string_equal(TF_Message(s), "a long message that needs memory of its own");
  TF_DeleteStatus(s);
}

// All numbers of Linux as stock 2.21.0 maps them; what is not listed is UNKNOWN.
static void test_rule_009_errno_table(void **state) {
  (void)state;
  static const struct {
    int code;
    int numbers[16];
  } rows[] = {{1, {125}},
              {3, {7, 14, 22, 25, 29, 33, 36, 60, 84, 88, 89, 91, 92}},
              {4, {62, 110}},
              {5, {2, 3, 6, 19}},
              {6, {17, 99, 114}},
              {7, {1, 13, 30}},
              {8, {12, 23, 24, 28, 31, 61, 63, 87, 105, 122}},
              {9, {9, 10, 15, 16, 20, 21, 26, 32, 39, 98, 106, 107, 108}},
              {10, {35, 116}},
              {11, {27, 34, 75}},
              {12, {18, 38, 93, 94, 95, 96, 97}},
              {14, {4, 11, 37, 64, 67, 100, 101, 102, 103, 104, 111, 112, 113}}};
  TF_Status *s = TF_NewStatus();
  for (int number = 1; number < 140; number++) {
    int want = 2;
    for (size_t r = 0; r < DVT_COUNT_OF(rows); r++)
      for (size_t i = 0; i < 16; i++)
        if (rows[r].numbers[i] == number) want = rows[r].code;
    TF_SetStatusFromIOError(s, number, "context");
    if ((int)TF_GetCode(s) != want) fail_msg("errno %d gives %d, stock %d", number, (int)TF_GetCode(s), want);
  }
  TF_SetStatusFromIOError(s, 2, "the/file");
  assert_string_equal(TF_Message(s), "the/file; No such file or directory");
  TSL_SetStatusFromIOError(s, 5, NULL);
  assert_string_equal(TF_Message(s), "; Input/output error");
  TF_SetStatusFromIOError(s, 0, "context");
  assert_int_equal(TF_GetCode(s), TF_OK);
  assert_string_equal(TF_Message(s), "");
  TF_DeleteStatus(s);
}

static void test_rule_010_null_is_accepted(void **state) {
  (void)state;
  TF_DeleteStatus(NULL);
  TSL_DeleteStatus(NULL);
  TF_DeleteBuffer(NULL);
  TF_SetStatus(NULL, TF_ABORTED, "x");
  TF_SetPayload(NULL, "a", "b");
  TF_ForEachPayload(NULL, visit, NULL);
  TF_SetStatusFromIOError(NULL, 2, "x");
  assert_int_equal(TF_GetCode(NULL), TF_OK);
  assert_string_equal(TF_Message(NULL), "");
}

static void *freed_data;
static size_t freed_length;
static int freed_calls;
static void note_free(void *data, size_t length) {
  freed_data = data;
  freed_length = length;
  freed_calls++;
}

static void test_rule_011_new_buffers(void **state) {
  (void)state;
  TF_Buffer *b = TF_NewBuffer();
  assert_null(b->data);
  assert_int_equal(b->length, 0);
  assert_null(b->data_deallocator);
  TF_DeleteBuffer(b);
  char text[] = "abc";
  b = TF_NewBufferFromString(text, 3);
  text[0] = 'x';
  assert_int_equal(b->length, 3);
  assert_memory_equal(b->data, "abc", 3);
  assert_non_null(b->data_deallocator);
  TF_DeleteBuffer(b);
  b = TF_NewBufferFromString(NULL, 0);
  assert_int_equal(b->length, 0);
  TF_DeleteBuffer(b);
}

static void test_rule_012_deallocator_runs_even_for_null_data(void **state) {
  (void)state;
  TF_Buffer *b = TF_NewBuffer();
  b->length = 7;
  b->data_deallocator = note_free;
  freed_data = b;
  TF_DeleteBuffer(b);
  assert_int_equal(freed_calls, 1);
  assert_null(freed_data);
  assert_int_equal(freed_length, 7);
}

static void test_rule_013_get_buffer_shares(void **state) {
  (void)state;
  TF_Buffer *b = TF_NewBufferFromString("abc", 3);
  TF_Buffer copy = TF_GetBuffer(b);
  assert_ptr_equal(copy.data, b->data);
  assert_int_equal(copy.length, 3);
  TF_DeleteBuffer(b);
  assert_null(TF_GetBuffer(NULL).data);
}

static void test_rule_014_out_buffers_must_be_fresh(void **state) {
  (void)state;
  TF_Buffer *out = TF_NewBuffer();
  dvt_buf buf = {0};
  dvt_buf_append_str(&buf, DVT_STR("bytes"));
  dvt_test_expect_ok(dvt_buf_to_tf_buffer(&buf, out));
  assert_null(buf.data);
  assert_true(dvt_str_is(dvt_tf_buffer_str(out), "bytes"));
  dvt_buf_append_str(&buf, DVT_STR("more"));
  dvt_test_expect_error(dvt_buf_to_tf_buffer(&buf, out), TF_INVALID_ARGUMENT, "fresh");
  assert_true(dvt_str_is(dvt_tf_buffer_str(out), "bytes"));
  TF_DeleteBuffer(out);
  out = TF_NewBuffer();
  dvt_test_expect_ok(dvt_buf_to_tf_buffer(&buf, out));  // nothing at all still gives a pointer
  assert_non_null(out->data);
  assert_int_equal(out->length, 0);
  TF_DeleteBuffer(out);
}

static bool status_attempt(void *arg) {
  (void)arg;
  TF_Status *s = TF_NewStatus();
  if (!s) return false;
  TF_SetStatus(s, TF_ABORTED, "message");
  assert_int_equal(TF_GetCode(s), TF_ABORTED);
  bool ok = strcmp(TF_Message(s), "message") == 0;
  assert_true(ok || strstr(TF_Message(s), "out of memory"));
  visits v = {0};
  TF_SetPayload(s, "key", "value");
  TF_ForEachPayload(s, visit, &v);
  ok = ok && v.calls == 1;
  TF_DeleteStatus(s);
  TF_Buffer *b = TF_NewBufferFromString("abc", 3);
  ok = ok && b;
  TF_DeleteBuffer(b);
  return ok;
}
static void test_survives_allocation_failures(void **state) {
  (void)state;
  dvt_test_log log;
  dvt_test_log_start(&log);
  dvt_test_fail_each_allocation(status_attempt, NULL, 5);
  dvt_test_log_stop();
}

static void test_log_functions(void **state) {
  (void)state;
  dvt_test_log log;
  dvt_test_log_start(&log);
  TF_Log(TF_INFO, "hidden by default");
  assert_int_equal(log.lines, 0);
  TF_Log(TF_ERROR, "%s %d", "error", 5);
  assert_string_equal(log.last, "error 5");
  assert_int_equal(log.level, DVT_ERROR);
  TF_Log(TF_FATAL, "the process lives");
  assert_int_equal(log.lines, 2);
  TF_VLog(3, "off unless asked for");
  TF_DVLog(3, "off unless asked for");
  assert_int_equal(log.lines, 2);
  TF_VLog(0, "level %d is on", 0);
  assert_string_equal(log.last, "level 0 is on");
  dvt_test_log_stop();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule_001_new_status_is_ok),
      cmocka_unit_test(test_rule_002_to_004_messages),
      cmocka_unit_test(test_rule_005_foreign_codes_are_unknown),
      cmocka_unit_test(test_rule_006_set_status_discards_payloads),
      cmocka_unit_test(test_rule_007_payloads),
      cmocka_unit_test(test_rule_008_message_stays_until_the_next_change),
      cmocka_unit_test(test_rule_009_errno_table),
      cmocka_unit_test(test_rule_010_null_is_accepted),
      cmocka_unit_test(test_rule_011_new_buffers),
      cmocka_unit_test(test_rule_012_deallocator_runs_even_for_null_data),
      cmocka_unit_test(test_rule_013_get_buffer_shares),
      cmocka_unit_test(test_rule_014_out_buffers_must_be_fresh),
      cmocka_unit_test(test_survives_allocation_failures),
      cmocka_unit_test(test_log_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
