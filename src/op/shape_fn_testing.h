// One call of a shape function for tests: a node whose attrs come from text, inputs written as "[2,?]", "?"
// or, with a known value, "i32[2]=1,2".
#ifndef DVT_OP_SHAPE_FN_TESTING_H_
#define DVT_OP_SHAPE_FN_TESTING_H_

#include <stdio.h>

#include "base/schema.h"
#include "base/testing.h"
#include "op/shape_fn.h"
#include "tensor/tstring.h"

enum { MAX_ARGS = 8 };

typedef struct call {
  dvt_shape_arena arena;
  dvt_arena attrs_arena;
  dvt_buf attr_bytes;
  dvt_op_def op;
  dvt_node_def node;
  dvt_attr attrs[16];
  dvt_shape inputs[MAX_ARGS], outputs[MAX_ARGS];
  TF_Tensor values[MAX_ARGS];  // empty = not known
  TF_ShapeInferenceContext ctx;
} call;

static inline const TF_Tensor *known_value(void *arg, int index) {
  const TF_Tensor *value = &((call *)arg)->values[index];
  return dvt_tensor_is_empty(value) ? NULL : value;
}

// "[2,?,3]" or "?" at *text; moves behind it.
static inline int read_dims(const char **text, int64_t *dims) {
  const char *p = *text;
  int rank = 0;
  if (*p == '?') {
    *text = p + 1;
    return -1;
  }
  assert_int_equal(*p, '[');
  for (p++; *p != ']'; p += *p == ',') {
    if (*p == '?') {
      dims[rank++] = -1;
      p++;
    } else {
      char *end;
      dims[rank++] = strtoll(p, &end, 10);
      assert_ptr_not_equal(p, end);
      p = end;
    }
  }
  *text = p + 1;
  return rank;
}

static inline dvt_shape shape_of(dvt_shape_arena *arena, const int64_t *dims, int rank) {
  dvt_shape shape = NULL;
  if (rank >= 0) assert_null(dvt_shape_make(arena, dims, rank, true, &shape));
  return shape;
}

static inline void store_element(TF_Tensor *tensor, int64_t i, const char *text, size_t len) {
  switch (tensor->dtype) {
    case TF_INT32:
      ((int32_t *)tensor->data)[i] = (int32_t)strtol(text, NULL, 10);
      break;
    case TF_INT64:
      ((int64_t *)tensor->data)[i] = strtoll(text, NULL, 10);
      break;
    case TF_FLOAT:
      ((float *)tensor->data)[i] = strtof(text, NULL);
      break;
    case TF_DOUBLE:
      ((double *)tensor->data)[i] = strtod(text, NULL);
      break;
    default:
      TF_TString_Copy((TF_TString *)tensor->data + i, text, len);
  }
}

static inline void read_input(call *c, int index, const char *text) {
  static const struct {
    const char *name;
    int dtype;
  } dtypes[] = {
      {"i32", TF_INT32}, {"i64", TF_INT64}, {"f32", TF_FLOAT}, {"f64", TF_DOUBLE}, {"str", TF_STRING}};
  int64_t dims[DVT_MAX_RANK];
  int dtype = 0;
  for (size_t i = 0; i < DVT_COUNT_OF(dtypes); i++)
    if (strncmp(text, dtypes[i].name, 3) == 0) dtype = dtypes[i].dtype;
  if (dtype) text += 3;
  int rank = read_dims(&text, dims);
  c->inputs[index] = shape_of(&c->arena, dims, rank);
  if (!dtype) return;
  assert_int_equal(*text, '=');
  assert_null(dvt_tensor_init_allocate(&c->values[index], dtype, dims, rank));
  text++;
  // A string may hold commas; there is one to a tensor.
  for (int64_t i = 0, n = dvt_tensor_count(&c->values[index]); i < n; i++) {
    size_t len = dtype == TF_STRING ? strlen(text) : strcspn(text, ",");
    store_element(&c->values[index], i, text, len);
    text += len + (text[len] == ',');
  }
}

static inline void read_attrs(call *c, const char *text) {
  assert_null(dvt_text_parse(&dvt_schema_node_def, dvt_str_from(text), text, &c->attr_bytes));
  dvt_wire wire = dvt_wire_open(dvt_buf_str(&c->attr_bytes));
  dvt_field entry, part;
  while (dvt_wire_next(&wire, &entry)) {
    dvt_attr *attr = &c->attrs[c->node.attr_count++];
    if (dvt_wire_find(entry.bytes, 1, DVT_WIRE_BYTES, &part)) attr->name = part.bytes;
    if (dvt_wire_find(entry.bytes, 2, DVT_WIRE_BYTES, &part)) attr->value = part.bytes;
  }
}

// A node with the given attrs (text form) and no inputs or outputs yet, for shape function `fn`.
static inline void start(call *c, dvt_shape_fn fn, const char *attrs) {
  memset(c, 0, sizeof *c);
  c->op = (dvt_op_def){.name = DVT_STR("Op"), .shape_fn = fn};
  c->node = (dvt_node_def){.name = DVT_STR("n"), .op = &c->op, .attrs = c->attrs};
  c->ctx = (TF_ShapeInferenceContext){.node = &c->node,
                                      .arena = &c->arena,
                                      .inputs = c->inputs,
                                      .outputs = c->outputs,
                                      .graph_def_version = 2474,
                                      .input_tensor = known_value,
                                      .arg = c};
  read_attrs(c, attrs);
}

static inline void finish(call *c) {
  for (int i = 0; i < MAX_ARGS; i++) dvt_tensor_reset(&c->values[i]);
  dvt_shape_arena_deinit(&c->arena);
  dvt_arena_deinit(&c->attrs_arena);
  dvt_buf_deinit(&c->attr_bytes);
}

// Reads inputs divided by ';' into the call; the text is changed.
static inline void read_inputs(call *c, char *inputs) {
  while (inputs && *inputs) {
    char *next = strchr(inputs, ';');
    if (next) *next++ = '\0';
    read_input(c, c->node.input_count++, inputs);
    inputs = next;
  }
}

// Shapes of the outputs with ';' between them, or the error.
static inline void print_outcome(call *c, dvt_status status, dvt_buf *out) {
  for (int i = 0; !status && i < c->node.output_count; i++) {
    if (i) dvt_buf_append_byte(out, ';');
    dvt_shape_print(c->outputs[i], out);
  }
  if (status) dvt_buf_append_str(out, dvt_str_from(dvt_status_message(status)));
}

#endif  // DVT_OP_SHAPE_FN_TESTING_H_
