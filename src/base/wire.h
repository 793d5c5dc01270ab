// Protocol buffers wire format: a cursor that walks a message in place, and writers that append to a dvt_buf. Messages
// are kept as their bytes and read where needed; nothing is unpacked into a tree. (Format: the public protobuf
// encoding document.) dvt_wire_next is strict: truncated or malformed input sets `bad` and ends the walk.
#ifndef DVT_BASE_WIRE_H_
#define DVT_BASE_WIRE_H_

#include "base/buf.h"
#include "base/str.h"

typedef enum dvt_wire_type {
  DVT_WIRE_VARINT = 0,
  DVT_WIRE_FIXED64 = 1,
  DVT_WIRE_BYTES = 2,
  DVT_WIRE_FIXED32 = 5,
} dvt_wire_type;

typedef struct dvt_wire {
  const uint8_t *next, *end;
  bool bad;  // malformed input was met
} dvt_wire;

// One field of a message. For VARINT, FIXED64 and FIXED32 `value` holds the raw bits; for BYTES `bytes` the payload.
typedef struct dvt_field {
  uint32_t number;
  dvt_wire_type type;
  uint64_t value;
  dvt_str bytes;
} dvt_field;

static inline dvt_wire dvt_wire_open(dvt_str message) {
  const uint8_t *p = (const uint8_t *)message.data;
  return (dvt_wire){p, p ? p + message.len : p, false};
}
// Next field; false at the end or on malformed input (then wire->bad). Groups (types 3, 4) count as malformed.
bool dvt_wire_next(dvt_wire *wire, dvt_field *out_field);
// Walks the packed or unpacked repeated varint/fixed values of one field: call with a zeroed cursor for each field
// met; yields every scalar. `element` is the wire type of an unpacked element.
typedef struct dvt_wire_packed {
  dvt_wire inner;
  bool started, done;
} dvt_wire_packed;
bool dvt_wire_packed_next(dvt_wire_packed *packed, const dvt_field *field, dvt_wire_type element, uint64_t *out_bits,
                          bool *out_bad);
// Last occurrence of field `number` with wire type `type` in `message`; false if absent (or malformed before it).
bool dvt_wire_find(dvt_str message, uint32_t number, dvt_wire_type type, dvt_field *out_field);
// Every field well-formed at the top level?
bool dvt_wire_valid(dvt_str message);

static inline float dvt_bits_to_float(uint64_t bits) {
  uint32_t b = (uint32_t)bits;
  float f;
  memcpy(&f, &b, sizeof f);
  return f;
}
static inline double dvt_bits_to_double(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

void dvt_wire_put_varint(dvt_buf *buf, uint32_t number, uint64_t value);
void dvt_wire_put_fixed32(dvt_buf *buf, uint32_t number, uint32_t bits);
void dvt_wire_put_fixed64(dvt_buf *buf, uint32_t number, uint64_t bits);
void dvt_wire_put_float(dvt_buf *buf, uint32_t number, float value);
void dvt_wire_put_bytes(dvt_buf *buf, uint32_t number, dvt_str bytes);
// A field as it was read.
void dvt_wire_put_field(const dvt_field *field, dvt_buf *out);
void dvt_wire_put_raw_varint(dvt_buf *buf, uint64_t value);  // no tag: elements of packed fields
// Nested messages: begin writes the tag and reserves a length; end (with begin's result) fills it in.
size_t dvt_wire_begin(dvt_buf *buf, uint32_t number);
void dvt_wire_end(dvt_buf *buf, size_t begin);

#endif  // DVT_BASE_WIRE_H_
