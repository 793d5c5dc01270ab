// The wire format against bytes from the public encoding document, malformed input included.
#include "base/wire.h"
#include "base/testing.h"

#define BYTES(literal) dvt_str_make("" literal, sizeof(literal) - 1)

static void test_reads_each_wire_type(void **state) {
  (void)state;
  // 1: 150 as varint, 2: "testing", 3: fixed32 1.0f, 4: fixed64 -1
  dvt_wire wire = dvt_wire_open(
      BYTES("\x08\x96\x01\x12\x07testing\x1d\x00\x00\x80\x3f\x21\xff\xff\xff\xff\xff\xff\xff\xff"));
  dvt_field field;
  assert_true(dvt_wire_next(&wire, &field));
  assert_int_equal(field.number, 1);
  assert_int_equal(field.type, DVT_WIRE_VARINT);
  assert_int_equal(field.value, 150);
  assert_true(dvt_wire_next(&wire, &field));
  assert_true(dvt_str_is(field.bytes, "testing"));
  assert_true(dvt_wire_next(&wire, &field));
  assert_true(dvt_bits_to_float(field.value) == 1.0f);
  assert_true(dvt_wire_next(&wire, &field));
  assert_true(field.value == UINT64_MAX);
  assert_false(dvt_wire_next(&wire, &field));
  assert_false(wire.bad);
}

static void test_malformed_messages_are_seen(void **state) {
  (void)state;
  const dvt_str bad[] = {
      BYTES("\x08"),                                              // no value
      BYTES("\x08\x80"),                                          // varint cut off
      BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),      // more than 64 bits
      BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // eleven bytes
      BYTES("\x12\x05"
            "abc"),                                           // length past the end
      BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // length near 2^64
      BYTES("\x1d\x00\x00"),                                  // fixed32 cut off
      BYTES("\x21\x00\x00\x00\x00"),                          // fixed64 cut off
      BYTES("\x00\x01"),                                      // field number 0
      BYTES("\x0b\x0c"),                                      // groups
      BYTES("\x0e\x00"),                                      // wire type 6
      BYTES("\xf8\xff\xff\xff\x1f\x01"),                      // field number 2^29 and more
  };
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++) {
    dvt_field field;
    dvt_wire wire = dvt_wire_open(bad[i]);
    while (dvt_wire_next(&wire, &field)) {
    }
    assert_true(wire.bad);
    assert_false(dvt_wire_next(&wire, &field));
    assert_false(dvt_wire_valid(bad[i]));
  }
  assert_true(dvt_wire_valid((dvt_str){0}));
}

static void test_packed_and_unpacked_values_read_alike(void **state) {
  (void)state;
  const dvt_str messages[] = {BYTES("\x22\x06\x03\x8e\x02\x9e\xa7\x05"),
                              BYTES("\x20\x03\x20\x8e\x02\x20\x9e\xa7\x05")};
  for (size_t m = 0; m < 2; m++) {
    uint64_t want[] = {3, 270, 86942}, bits;
    size_t n = 0;
    bool bad = false;
    dvt_wire wire = dvt_wire_open(messages[m]);
    dvt_field field;
    while (dvt_wire_next(&wire, &field)) {
      dvt_wire_packed packed = {0};
      while (dvt_wire_packed_next(&packed, &field, DVT_WIRE_VARINT, &bits, &bad))
        assert_int_equal(bits, want[n++]);
    }
    assert_int_equal(n, 3);
    assert_false(bad);
  }
}

static void test_packed_errors(void **state) {
  (void)state;
  dvt_field field = {.type = DVT_WIRE_BYTES, .bytes = BYTES("\x00\x00\x80\x3f\x00")};
  dvt_wire_packed packed = {0};
  uint64_t bits;
  bool bad = false;
  assert_true(dvt_wire_packed_next(&packed, &field, DVT_WIRE_FIXED32, &bits, &bad));
  assert_false(dvt_wire_packed_next(&packed, &field, DVT_WIRE_FIXED32, &bits, &bad));
  assert_true(bad);
  bad = false;
  packed = (dvt_wire_packed){0};
  field = (dvt_field){.type = DVT_WIRE_VARINT, .value = 1};
  assert_false(dvt_wire_packed_next(&packed, &field, DVT_WIRE_FIXED32, &bits, &bad));
  assert_true(bad);
}

static void test_find_takes_the_last(void **state) {
  (void)state;
  dvt_field field;
  dvt_str message = BYTES("\x08\x01\x08\x02\x12\x01x");
  assert_true(dvt_wire_find(message, 1, DVT_WIRE_VARINT, &field));
  assert_int_equal(field.value, 2);
  assert_false(dvt_wire_find(message, 1, DVT_WIRE_BYTES, &field));
  assert_false(dvt_wire_find(message, 7, DVT_WIRE_VARINT, &field));
}

static void test_writes_what_the_document_shows(void **state) {
  (void)state;
  dvt_buf buf = {0};
  dvt_wire_put_varint(&buf, 1, 150);
  dvt_wire_put_bytes(&buf, 2, DVT_STR("testing"));
  size_t inner = dvt_wire_begin(&buf, 3);
  dvt_wire_put_varint(&buf, 1, 150);
  dvt_wire_end(&buf, inner);
  dvt_wire_put_float(&buf, 5, 1.0f);
  dvt_wire_put_fixed64(&buf, 6, 1);
  dvt_wire_put_varint(&buf, 7, (uint64_t)-2);
  static const char want[] =
      "\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01\x2d\x00\x00\x80\x3f\x31\x01\x00\x00\x00\x00\x00"
      "\x00\x00\x38\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  assert_int_equal(buf.len, sizeof want - 1);
  assert_memory_equal(buf.data, want, buf.len);
  dvt_buf_deinit(&buf);
}

// Lengths of every size of varint, and messages inside messages.
static void test_nested_messages_of_any_length_round_trip(void **state) {
  (void)state;
  const size_t lengths[] = {0, 1, 124, 125, 126, 127, 128, 129, 16000, 16383, 16384, 70000};
  static char payload[70000];
  for (size_t i = 0; i < DVT_COUNT_OF(lengths); i++) {
    dvt_buf buf = {0};
    size_t outer = dvt_wire_begin(&buf, 9), inner = dvt_wire_begin(&buf, 8);
    dvt_wire_put_bytes(&buf, 7, dvt_str_make(payload, lengths[i]));
    dvt_wire_end(&buf, inner);
    dvt_wire_put_varint(&buf, 6, 5);
    dvt_wire_end(&buf, outer);
    dvt_field a, b, c, after;
    assert_true(dvt_wire_find(dvt_buf_str(&buf), 9, DVT_WIRE_BYTES, &a));
    assert_true(dvt_wire_find(a.bytes, 8, DVT_WIRE_BYTES, &b));
    assert_true(dvt_wire_find(a.bytes, 6, DVT_WIRE_VARINT, &after));
    assert_true(dvt_wire_find(b.bytes, 7, DVT_WIRE_BYTES, &c));
    assert_int_equal(c.bytes.len, lengths[i]);
    assert_int_equal(after.value, 5);
    assert_true(dvt_wire_valid(dvt_buf_str(&buf)));
    dvt_buf_deinit(&buf);
  }
}

static bool write_attempt(void *arg) {
  (void)arg;
  dvt_buf buf = {0};
  size_t outer = dvt_wire_begin(&buf, 1);
  for (int i = 0; i < 200; i++) dvt_wire_put_varint(&buf, 2, 1u << 20);
  dvt_wire_end(&buf, outer);
  bool ok = !buf.failed;
  dvt_buf_deinit(&buf);
  return ok;
}
static void test_writing_survives_failures(void **state) {
  (void)state;
  dvt_test_fail_each_allocation(write_attempt, NULL, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_each_wire_type),
      cmocka_unit_test(test_malformed_messages_are_seen),
      cmocka_unit_test(test_packed_and_unpacked_values_read_alike),
      cmocka_unit_test(test_packed_errors),
      cmocka_unit_test(test_find_takes_the_last),
      cmocka_unit_test(test_writes_what_the_document_shows),
      cmocka_unit_test(test_nested_messages_of_any_length_round_trip),
      cmocka_unit_test(test_writing_survives_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
