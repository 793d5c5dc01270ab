// Reading and writing the protocol buffers wire format. The reader never allocates and never looks past the
// end it was given; the writer appends to a dvt_buf, whose sticky failure stands for "out of memory".
#include "base/wire.h"

#define MAX_FIELD_NUMBER 536870911u  // 2^29 - 1

static bool read_varint(dvt_wire *wire, uint64_t *out_value) {
  uint64_t value = 0;
  const uint8_t *p = wire->next;
  for (int shift = 0; shift < 70; shift += 7) {
    if (p == wire->end) return false;
    uint8_t byte = *p++;
    if (shift == 63 && byte > 1) return false;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      wire->next = p;
      *out_value = value;
      return true;
    }
  }
  return false;
}

static bool read_fixed(dvt_wire *wire, size_t bytes, uint64_t *out_value) {
  if ((size_t)(wire->end - wire->next) < bytes) return false;
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) value |= (uint64_t)wire->next[i] << (8 * i);
  wire->next += bytes;
  *out_value = value;
  return true;
}

static bool read_bytes(dvt_wire *wire, dvt_str *out_bytes) {
  uint64_t len;
  if (!read_varint(wire, &len) || len > (uint64_t)(wire->end - wire->next)) return false;
  *out_bytes = dvt_str_make((const char *)wire->next, (size_t)len);
  wire->next += len;
  return true;
}

static bool read_scalar(dvt_wire *wire, dvt_wire_type type, uint64_t *out_bits) {
  switch (type) {
    case DVT_WIRE_VARINT:
      return read_varint(wire, out_bits);
    case DVT_WIRE_FIXED64:
      return read_fixed(wire, 8, out_bits);
    case DVT_WIRE_FIXED32:
      return read_fixed(wire, 4, out_bits);
    default:
      return false;
  }
}

bool dvt_wire_next(dvt_wire *wire, dvt_field *out_field) {
  if (wire->bad || wire->next == wire->end) return false;
  uint64_t tag;
  dvt_field field = {0};
  bool ok = read_varint(wire, &tag) && tag >> 3 != 0 && tag >> 3 <= MAX_FIELD_NUMBER;
  if (ok) {
    field.number = (uint32_t)(tag >> 3);
    field.type = (dvt_wire_type)(tag & 7);
    ok = field.type == DVT_WIRE_BYTES ? read_bytes(wire, &field.bytes)
                                      : read_scalar(wire, field.type, &field.value);
  }
  if (!ok) {
    wire->bad = true;
    return false;
  }
  *out_field = field;
  return true;
}

bool dvt_wire_packed_next(dvt_wire_packed *packed, const dvt_field *field, dvt_wire_type element,
                          uint64_t *out_bits, bool *out_bad) {
  if (packed->done) return false;
  if (!packed->started) {
    packed->started = true;
    if (field->type != DVT_WIRE_BYTES) {
      packed->done = true;
      if (field->type != element) {
        *out_bad = true;
        return false;
      }
      *out_bits = field->value;
      return true;
    }
    packed->inner = dvt_wire_open(field->bytes);
  }
  if (packed->inner.next == packed->inner.end) {
    packed->done = true;
    return false;
  }
  if (!read_scalar(&packed->inner, element, out_bits)) {
    packed->done = true;
    *out_bad = true;
    return false;
  }
  return true;
}

bool dvt_wire_find(dvt_str message, uint32_t number, dvt_wire_type type, dvt_field *out_field) {
  dvt_wire wire = dvt_wire_open(message);
  dvt_field field;
  bool found = false;
  while (dvt_wire_next(&wire, &field)) {
    if (field.number != number || field.type != type) continue;
    *out_field = field;
    found = true;
  }
  return found;
}

bool dvt_wire_valid(dvt_str message) {
  dvt_wire wire = dvt_wire_open(message);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) {
  }
  return !wire.bad;
}

static size_t encode_varint(uint64_t value, uint8_t out[10]) {
  size_t n = 0;
  while (value >= 0x80) {
    out[n++] = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  out[n++] = (uint8_t)value;
  return n;
}

void dvt_wire_put_raw_varint(dvt_buf *buf, uint64_t value) {
  uint8_t bytes[10];
  dvt_buf_append(buf, bytes, encode_varint(value, bytes));
}

static void put_tag(dvt_buf *buf, uint32_t number, dvt_wire_type type) {
  dvt_wire_put_raw_varint(buf, (uint64_t)number << 3 | (uint64_t)type);
}

static void put_fixed(dvt_buf *buf, uint64_t bits, size_t bytes) {
  uint8_t raw[8];
  for (size_t i = 0; i < bytes; i++) raw[i] = (uint8_t)(bits >> (8 * i));
  dvt_buf_append(buf, raw, bytes);
}

void dvt_wire_put_varint(dvt_buf *buf, uint32_t number, uint64_t value) {
  put_tag(buf, number, DVT_WIRE_VARINT);
  dvt_wire_put_raw_varint(buf, value);
}

void dvt_wire_put_fixed32(dvt_buf *buf, uint32_t number, uint32_t bits) {
  put_tag(buf, number, DVT_WIRE_FIXED32);
  put_fixed(buf, bits, 4);
}

void dvt_wire_put_fixed64(dvt_buf *buf, uint32_t number, uint64_t bits) {
  put_tag(buf, number, DVT_WIRE_FIXED64);
  put_fixed(buf, bits, 8);
}

void dvt_wire_put_float(dvt_buf *buf, uint32_t number, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  dvt_wire_put_fixed32(buf, number, bits);
}

void dvt_wire_put_bytes(dvt_buf *buf, uint32_t number, dvt_str bytes) {
  put_tag(buf, number, DVT_WIRE_BYTES);
  dvt_wire_put_raw_varint(buf, bytes.len);
  dvt_buf_append_str(buf, bytes);
}

// One byte is reserved for the length; payloads of 128 bytes and more are moved up when they end.
size_t dvt_wire_begin(dvt_buf *buf, uint32_t number) {
  put_tag(buf, number, DVT_WIRE_BYTES);
  dvt_buf_append_byte(buf, 0);
  return buf->len;
}

void dvt_wire_end(dvt_buf *buf, size_t begin) {
  if (buf->failed) return;
  size_t len = buf->len - begin;
  uint8_t bytes[10];
  size_t n = encode_varint(len, bytes);
  if (n > 1) {
    if (!dvt_buf_extend(buf, n - 1)) return;
    memmove(buf->data + begin + n - 1, buf->data + begin, len);
  }
  memcpy(buf->data + begin - 1, bytes, n);
}

void dvt_wire_put_field(const dvt_field *field, dvt_buf *out) {
  switch (field->type) {
    case DVT_WIRE_VARINT:
      dvt_wire_put_varint(out, field->number, field->value);
      break;
    case DVT_WIRE_FIXED32:
      dvt_wire_put_fixed32(out, field->number, (uint32_t)field->value);
      break;
    case DVT_WIRE_FIXED64:
      dvt_wire_put_fixed64(out, field->number, field->value);
      break;
    case DVT_WIRE_BYTES:
      dvt_wire_put_bytes(out, field->number, field->bytes);
      break;
  }
}
