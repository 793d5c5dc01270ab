// TF_OpDefinitionBuilder: collects the spec strings of one op and turns them into a definition. The strings
// are copied when given and parsed all at once at registration, because arguments may be added before the
// attrs they use.
#ifndef DVT_OP_OP_DEF_BUILDER_H_
#define DVT_OP_OP_DEF_BUILDER_H_

#include "op/op_def.h"

typedef enum dvt_spec_kind { DVT_SPEC_ATTR, DVT_SPEC_INPUT, DVT_SPEC_OUTPUT, DVT_SPEC_KINDS } dvt_spec_kind;

enum { DVT_BUILDER_INLINE_BYTES = 700 };  // specs of nearly every op fit

struct TF_OpDefinitionBuilder {
  char *text;  // records: kind byte, 32-bit length, spec; the op name is the first `name_len` bytes
  size_t len, capacity, name_len;
  int32_t counts[DVT_SPEC_KINDS];
  bool failed;  // out of memory while adding
  bool is_stateful, is_commutative, is_aggregate, allows_uninitialized_input;
  int32_t deprecated_since;
  char *deprecation_text;  // NULL: not deprecated
  bool deprecated_twice;   // refused at registration
  dvt_shape_fn shape_fn;
  char inline_text[DVT_BUILDER_INLINE_BYTES];
};

// NULL when out of memory. A NULL name is kept as "" and refused at registration.
TF_OpDefinitionBuilder *dvt_op_builder_new(dvt_str name) DVT_NODISCARD;
void dvt_op_builder_delete(TF_OpDefinitionBuilder *builder);  // NULL is fine
void dvt_op_builder_add(TF_OpDefinitionBuilder *builder, dvt_spec_kind kind, dvt_str spec);
void dvt_op_builder_deprecate(TF_OpDefinitionBuilder *builder, int version, dvt_str text);

// Parses and checks everything (rules 49-66). The result lives in the arena and points into the builder's
// text: clone it before the builder goes. INVALID_ARGUMENT with one line an error. `errors` and `scratch` are
// emptied and reused.
dvt_status dvt_op_builder_finish(const TF_OpDefinitionBuilder *builder, dvt_arena *arena, dvt_buf *errors,
                                 dvt_buf *scratch, const dvt_op_def **out_op) DVT_NODISCARD;

#endif  // DVT_OP_OP_DEF_BUILDER_H_
