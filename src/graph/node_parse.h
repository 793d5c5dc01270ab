// A NodeDef read from its bytes, before its op and inputs are looked up.
#ifndef DVT_GRAPH_NODE_PARSE_H_
#define DVT_GRAPH_NODE_PARSE_H_

#include "base/arena.h"
#include "base/status.h"
#include "op/attr.h"

// The slices point into the NodeDef, `extra` into extra_bytes; arrays and bytes belong to the struct and are reused
// from node to node.
typedef struct dvt_parsed_node {
  dvt_str name, op, device;
  dvt_str *inputs;
  dvt_attr *attrs;  // without _output_shapes
  size_t input_count, input_capacity, attr_count, attr_capacity;
  int32_t class_attr;     // index of the attr _class, or -1
  dvt_str output_shapes;  // value of _output_shapes; data NULL = absent
  dvt_str extra;          // fields kept as they are: debug info, full type
  dvt_buf extra_bytes;
} dvt_parsed_node;

// Reads `bytes` into *node. INVALID_ARGUMENT when malformed.
dvt_status dvt_parse_node(dvt_str bytes, dvt_parsed_node *node) DVT_NODISCARD;
// Only the op (and the name, for messages); false when malformed.
bool dvt_parse_node_op(dvt_str bytes, dvt_str *out_op, dvt_str *out_name);
// A copy whose arrays and bytes live in the arena.
dvt_status dvt_parsed_node_copy(const dvt_parsed_node *node, dvt_arena *arena,
                                dvt_parsed_node *out) DVT_NODISCARD;
void dvt_parsed_node_deinit(dvt_parsed_node *node);

// dvt_wire_next, with the usual case in line: a field of bytes whose number is below 16 and length below 128.
static inline bool dvt_wire_next_short(dvt_wire *wire, dvt_field *out_field) {
  const uint8_t *p = wire->next;
  if (DVT_LIKELY(!wire->bad && wire->end - p >= 2 && p[0] >= 8 && p[0] < 0x80 &&
                 (p[0] & 7) == DVT_WIRE_BYTES && p[1] < 0x80 && p[1] <= wire->end - p - 2)) {
    out_field->number = p[0] >> 3;
    out_field->type = DVT_WIRE_BYTES;
    out_field->bytes = dvt_str_make((const char *)p + 2, p[1]);
    wire->next = p + 2 + p[1];
    return true;
  }
  return dvt_wire_next(wire, out_field);
}

// One entry {1 key, 2 value} of a map<string, message or string>.
bool dvt_parse_map_entry(dvt_str bytes, dvt_str *out_key, dvt_str *out_value);

#endif  // DVT_GRAPH_NODE_PARSE_H_
