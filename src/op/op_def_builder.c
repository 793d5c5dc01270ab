// The builder behind TF_NewOpDefinitionBuilder: storing specs, and making a definition of them.
#include "op/op_def_builder.h"

#include "base/handles.h"
#include "op/spec_grammar.h"

enum { RECORD_HEADER = 1 + sizeof(uint32_t) };

TF_OpDefinitionBuilder *dvt_op_builder_new(dvt_str name) {
  TF_OpDefinitionBuilder *builder = dvt_malloc(sizeof *builder);
  if (!builder) return NULL;
  memset(builder, 0, offsetof(struct TF_OpDefinitionBuilder, inline_text));
  builder->text = builder->inline_text;
  builder->capacity = sizeof builder->inline_text;
  if (name.len > builder->capacity) {
    builder->text = dvt_malloc(name.len);
    builder->capacity = name.len;
    if (!builder->text) {
      dvt_free(builder);
      return NULL;
    }
  }
  if (name.len) memcpy(builder->text, name.data, name.len);
  builder->len = builder->name_len = name.len;
  return builder;
}

void dvt_op_builder_delete(TF_OpDefinitionBuilder *builder) {
  if (!builder) return;
  if (builder->text != builder->inline_text) dvt_free(builder->text);
  dvt_free(builder->deprecation_text);
  if (dvt_debug_has(DVT_DEBUG_HANDLES))
    dvt_handle_retire(builder);
  else
    dvt_free(builder);
}

static bool reserve(TF_OpDefinitionBuilder *builder, size_t more) {
  if (more <= builder->capacity - builder->len) return true;
  size_t want = DVT_MAX(builder->capacity * 2, builder->len + more);
  char *text = dvt_malloc(want);
  if (!text) return false;
  memcpy(text, builder->text, builder->len);
  if (builder->text != builder->inline_text) dvt_free(builder->text);
  builder->text = text;
  builder->capacity = want;
  return true;
}

void dvt_op_builder_add(TF_OpDefinitionBuilder *builder, dvt_spec_kind kind, dvt_str spec) {
  if (spec.len > UINT32_MAX || builder->counts[kind] == INT16_MAX ||
      !reserve(builder, RECORD_HEADER + spec.len)) {
    builder->failed = true;
    return;
  }
  char *at = builder->text + builder->len;
  uint32_t len = (uint32_t)spec.len;
  at[0] = (char)kind;
  memcpy(at + 1, &len, sizeof len);
  if (spec.len) memcpy(at + RECORD_HEADER, spec.data, spec.len);
  builder->len += RECORD_HEADER + spec.len;
  builder->counts[kind]++;
}

void dvt_op_builder_deprecate(TF_OpDefinitionBuilder *builder, int version, dvt_str text) {
  builder->deprecated_twice = builder->deprecation_text != NULL;
  builder->deprecated_since = version;
  dvt_free(builder->deprecation_text);
  builder->deprecation_text = dvt_strndup(text);
  if (!builder->deprecation_text) builder->failed = true;
}

typedef struct spec_cursor {
  const char *at;  // the next record
  int32_t left;    // records of the kind looked for: no look beyond the last one
} spec_cursor;

static spec_cursor first_spec(const TF_OpDefinitionBuilder *builder, dvt_spec_kind kind) {
  return (spec_cursor){builder->text + builder->name_len, builder->counts[kind]};
}

// The next record of `kind`; false when there are no more.
static inline bool next_spec(spec_cursor *cursor, dvt_spec_kind kind, dvt_str *out_spec) {
  while (cursor->left > 0) {
    const char *record = cursor->at;
    uint32_t len;
    memcpy(&len, record + 1, sizeof len);
    cursor->at += RECORD_HEADER + len;
    if (record[0] != (char)kind) continue;
    cursor->left--;
    *out_spec = dvt_str_make(record + RECORD_HEADER, len);
    return true;
  }
  return false;
}

static void parse_attrs(const TF_OpDefinitionBuilder *builder, dvt_spec_context *context, dvt_op_def *op) {
  dvt_str spec;
  for (spec_cursor at = first_spec(builder, DVT_SPEC_ATTR); next_spec(&at, DVT_SPEC_ATTR, &spec);)
    if (dvt_spec_parse_attr(context, spec, &op->attrs[op->attr_count])) op->attr_count++;
}

static void parse_args(const TF_OpDefinitionBuilder *builder, dvt_spec_context *context, dvt_op_def *op) {
  dvt_str spec;
  for (spec_cursor at = first_spec(builder, DVT_SPEC_INPUT); next_spec(&at, DVT_SPEC_INPUT, &spec);)
    if (dvt_spec_parse_arg(context, spec, false, op, &op->inputs[op->input_count])) op->input_count++;
  for (spec_cursor at = first_spec(builder, DVT_SPEC_OUTPUT); next_spec(&at, DVT_SPEC_OUTPUT, &spec);)
    if (dvt_spec_parse_arg(context, spec, true, op, &op->outputs[op->output_count])) op->output_count++;
}

// The record whose text `at` points into; names of a definition do.
static dvt_str spec_of(const void *arg, const char *at) {
  const TF_OpDefinitionBuilder *builder = arg;
  const char *record = builder->text + builder->name_len, *end = builder->text + builder->len;
  while (record < end) {
    uint32_t len;
    memcpy(&len, record + 1, sizeof len);
    const char *text = record + RECORD_HEADER;
    if (at >= text && at <= text + len) return dvt_str_make(text, len);
    record = text + len;
  }
  return (dvt_str){0};
}

// A literal resource argument makes the op stateful: it touches state elsewhere (rule 66).
static bool has_resource(const dvt_arg_def *args, int count) {
  for (int i = 0; i < count; i++)
    if (args[i].dtype == TF_RESOURCE) return true;
  return false;
}

static void fill_flags(const TF_OpDefinitionBuilder *builder, dvt_op_def *op) {
  op->is_stateful = builder->is_stateful || has_resource(op->inputs, op->input_count) ||
                    has_resource(op->outputs, op->output_count);
  op->is_commutative = builder->is_commutative;
  op->is_aggregate = builder->is_aggregate;
  op->allows_uninitialized_input = builder->allows_uninitialized_input;
  op->deprecated_since = builder->deprecated_since;
  op->deprecation_text = dvt_str_from(builder->deprecation_text);
  op->shape_fn = builder->shape_fn;
}

// The definition with room for what the builder holds, in one piece.
static dvt_op_def *new_op(const TF_OpDefinitionBuilder *builder, dvt_arena *arena) {
  size_t attrs = (size_t)builder->counts[DVT_SPEC_ATTR], inputs = (size_t)builder->counts[DVT_SPEC_INPUT];
  size_t outputs = (size_t)builder->counts[DVT_SPEC_OUTPUT];  // all at most INT16_MAX
  size_t bytes = sizeof(dvt_op_def) + attrs * sizeof(dvt_attr_def) + (inputs + outputs) * sizeof(dvt_arg_def);
  dvt_op_def *op = dvt_arena_alloc(arena, bytes);
  if (!op) return NULL;
  memset(op, 0, bytes);
  op->name = dvt_str_make(builder->text, builder->name_len);
  op->attrs = (dvt_attr_def *)(void *)(op + 1);
  op->inputs = (dvt_arg_def *)(void *)(op->attrs + attrs);
  op->outputs = op->inputs + inputs;
  return op;
}

dvt_status dvt_op_builder_finish(const TF_OpDefinitionBuilder *builder, dvt_arena *arena, dvt_buf *errors,
                                 dvt_buf *scratch, const dvt_op_def **out_op) {
  dvt_op_def *op = builder->failed ? NULL : new_op(builder, arena);
  if (!op) return dvt_error_out_of_memory(builder->len);
  dvt_buf_clear(errors);
  dvt_spec_context context = {op->name, arena, errors, scratch};
  dvt_op_def_check_name(op->name, errors);
  size_t before = errors->len;
  parse_attrs(builder, &context, op);
  parse_args(builder, &context, op);
  if (builder->deprecated_twice)
    dvt_buf_printf(errors, "%sDeprecated more than once in Op " DVT_STR_FMT, errors->len ? "\n" : "",
                   DVT_STR_ARG(op->name));
  // After a spec error some names are missing; further checks would only repeat it. Attrs come after the
  // arguments because those set minimums that defaults must meet.
  if (errors->len == before) {
    dvt_spec_locator locator = {spec_of, builder};
    dvt_op_def_check_attrs(op, &locator, errors);
    dvt_op_def_check_unique_names(op, &locator, errors);
  }
  DVT_RETURN_IF_ERROR(dvt_spec_errors_to_status(errors));
  fill_flags(builder, op);
  *out_op = op;
  return NULL;
}
