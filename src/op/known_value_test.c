// Values that are known in part, through every kind of op that values are followed through.
#include "op/known_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
// cmocka.h needs the four above.
#include <cmocka.h>

#include "op/dim_expr.h"

// Operands are written "[2,a,?]" or "5": numbers; letters, which are dims that are not known; "?" unknown.
// "f2.5" is a float, "t" and "F" are bools.
enum { MAX_INPUTS = 4 };

static dvt_arena arena;
static dvt_shape_arena symbols;
static dvt_dim dim_of[26];
static const dvt_value *values[MAX_INPUTS];
static dvt_shape shapes[MAX_INPUTS];

static dvt_shape shape_of(void *arg, int index) {
  (void)arg;
  return shapes[index];
}

static const dvt_value *value_of(void *arg, int index) {
  (void)arg;
  return values[index];
}

static dvt_shape make_shape(const int64_t *dims, int rank) {
  dvt_shape shape = NULL;
  assert_null(dvt_shape_make(&symbols, dims, rank, false, &shape));
  return shape;
}

static dvt_element parse_element(const char **at, int *dtype) {
  char *end;
  char c = **at;
  if (c == '?' || c == 't' || c == 'F' || (c >= 'a' && c <= 'e')) ++*at;
  if (c == '?') return (dvt_element){0, false};
  if (c == 't' || c == 'F') *dtype = TF_BOOL;
  if (c == 't' || c == 'F') return (dvt_element){c == 't', true};
  if (c >= 'a' && c <= 'e') return (dvt_element){dim_of[c - 'a'], false};
  dvt_element e = {.known = true};
  if (c == 'f') {
    double real = strtod(*at + 1, &end);
    *dtype = TF_FLOAT;
    memcpy(&e.value, &real, sizeof real);
  } else {
    e.value = strtoll(*at, &end, 10);
  }
  *at = end;
  return e;
}

static dvt_value *parse(const char *text) {
  dvt_element elements[16];
  int dtype = TF_INT32;
  int64_t count = 0;
  bool is_vector = *text == '[';
  if (is_vector) text++;
  while (*text && *text != ']') {
    elements[count++] = parse_element(&text, &dtype);
    if (*text == ',') text++;
  }
  dvt_value *v = dvt_value_new(&arena, dtype, &count, is_vector);
  assert_non_null(v);
  memcpy(v->at, elements, sizeof elements[0] * (size_t)count);
  return v;
}

static void name(void *arg, dvt_dim symbol, dvt_buf *out) {
  (void)arg;
  for (int i = 0; i < 26; i++)
    if (dim_of[i] == symbol) dvt_buf_append_byte(out, (char)('a' + i));
}

static void print(const dvt_value *v, dvt_buf *out) {
  if (v->rank) dvt_buf_append_byte(out, '[');
  for (int i = 0; i < v->count; i++) {
    dvt_element e = v->at[i];
    double real;
    memcpy(&real, &e.value, sizeof real);
    if (i) dvt_buf_append_byte(out, ',');
    if (!e.known && e.value < 0)
      dvt_dim_describe(&symbols, e.value, name, NULL, out);
    else if (!e.known)
      dvt_buf_append_byte(out, '?');
    else if (v->dtype == TF_FLOAT)
      dvt_buf_printf(out, "f%g", real);
    else if (v->dtype == TF_BOOL)
      dvt_buf_append_byte(out, e.value ? 't' : 'F');
    else
      dvt_buf_printf(out, "%lld", (long long)e.value);
  }
  if (v->rank) dvt_buf_append_byte(out, ']');
}

static dvt_attr attrs[4];
static int attr_count;
static dvt_buf attr_bytes;

static void set_attr(const char *attr, int64_t value) {
  size_t at = attr_bytes.len;
  dvt_attr_put_int(&attr_bytes, value);
  dvt_str copy;
  assert_true(dvt_arena_copy_str(&arena, dvt_str_make(attr_bytes.data + at, attr_bytes.len - at), &copy));
  attrs[attr_count++] = (dvt_attr){dvt_str_from(attr), copy};
}

// `out_shape` is "?" or the dims of the result; the rest are operands, NULL at the end.
static void expect(const char *op_name, int output_type, const char *out_shape, const char *expected, ...) {
  dvt_op_def op = {.name = dvt_str_from(op_name)};
  int16_t input_types[MAX_INPUTS], output_types[1] = {(int16_t)output_type};
  dvt_node_def node = {.op = &op,
                       .output_count = 1,
                       .input_types = input_types,
                       .output_types = output_types,
                       .attrs = attrs,
                       .attr_count = attr_count};
  dvt_value_inputs inputs = {shape_of, value_of, NULL};
  dvt_shape shape = NULL;
  dvt_buf text = {0};
  va_list list;
  va_start(list, expected);
  for (const char *operand; (operand = va_arg(list, const char *)); node.input_count++) {
    const dvt_value *v = parse(operand);
    int64_t count = v->count;
    values[node.input_count] = v;
    shapes[node.input_count] = make_shape(&count, v->rank);
    input_types[node.input_count] = (int16_t)v->dtype;
  }
  va_end(list);
  if (out_shape[0] != '?') {
    const dvt_value *dims = parse(out_shape);
    int64_t sizes[16];
    for (int i = 0; i < dims->count; i++) sizes[i] = dims->at[i].value;
    shape = make_shape(sizes, dims->count);
  }
  const dvt_value *v = dvt_value_compute(&arena, &symbols, &node, 0, shape, &inputs);
  if (v)
    print(v, &text);
  else
    dvt_buf_printf(&text, "nothing");
  assert_string_equal(text.data ? text.data : "", expected);
  dvt_buf_deinit(&text);
  attr_count = 0;
}
#define INT(op, shape, expected, ...) expect(op, TF_INT32, shape, expected, __VA_ARGS__, NULL)

static void test_integer_arithmetic(void **state) {
  (void)state;
  INT("AddV2", "[]", "5", "2", "3");
  INT("Mul", "[2]", "[6,a*3]", "[2,a]", "3");
  INT("Mul", "[]", "0", "0", "?");
  INT("Sub", "[3]", "[-1,?,a]", "[1,a,a]", "[2,1,0]");
  INT("Sub", "[]", "0", "a", "a");
  INT("FloorDiv", "[3]", "[-4,a/2,?]", "[-7,a,?]", "2");
  INT("FloorDiv", "[]", "?", "4", "0");
  INT("Div", "[]", "-3", "-7", "2");
  INT("FloorMod", "[2]", "[1,0]", "[-7,8]", "2");
  INT("Maximum", "[2]", "[a,?]", "[a,?]", "-1");
  INT("Minimum", "[2]", "[-1,3]", "[a,7]", "[-1,3]");
  INT("Mul", "[]", "?", "65536", "65536");
  INT("Neg", "[2]", "[-3,?]", "[3,a]");
  INT("Abs", "[2]", "[3,a]", "[-3,a]");
}

// A difference is no size, so that -1 in a shape is never mistaken for one.
static void test_what_may_be_negative_has_no_symbol(void **state) {
  (void)state;
  INT("Sub", "[]", "?", "a", "b");
  INT("AddV2", "[]", "?", "a", "-1");
  INT("Mul", "[]", "?", "a", "-1");
  INT("Minimum", "[]", "?", "?", "a");
}

static void test_other_dtypes(void **state) {
  (void)state;
  expect("Mul", TF_FLOAT, "[]", "f2.5", "f0.5", "f5", NULL);
  INT("Cast", "?", "[2,?]", "[f2.9,?]");
  expect("Cast", TF_FLOAT, "[2]", "[f3,?]", "[3,a]", NULL);
  expect("Floor", TF_FLOAT, "[]", "f-3", "f-2.5", NULL);
  expect("Equal", TF_BOOL, "[4]", "[t,F,?,t]", "[2,2,a,b]", "[2,-1,2,b]", NULL);
  expect("Equal", TF_BOOL, "[]", "F", "a", "-1", NULL);
  expect("GreaterEqual", TF_BOOL, "[]", "t", "a", "0", NULL);
  expect("LogicalAnd", TF_BOOL, "[2]", "[F,t]", "[F,t]", "[t,t]", NULL);
  INT("SelectV2", "[2]", "[a,4]", "[t,F]", "[a,b]", "[3,4]");
  INT("Select", "[]", "a", "t", "a", "7");
}

static void test_moving(void **state) {
  (void)state;
  INT("Pack", "[3]", "[a,2,?]", "a", "2", "?");
  INT("ConcatV2", "[3]", "[a,2,3]", "[a]", "[2,3]", "0");
  INT("Gather", "[2]", "[b,1]", "[1,a,b]", "[2,0]");
  INT("GatherV2", "[]", "a", "[1,a,b]", "1", "0");
  INT("Slice", "[2]", "[a,b]", "[1,a,b]", "[1]", "[2]");
  INT("ExpandDims", "[1]", "[a]", "a", "0");
  INT("Squeeze", "[]", "a", "[a]");
  INT("Reshape", "[1]", "[a]", "a", "[1]");
  INT("Fill", "[3]", "[a,a,a]", "[3]", "a");
  INT("Range", "[3]", "[2,4,6]", "2", "8", "2");
  INT("ReverseV2", "[2]", "[a,1]", "[1,a]", "[0]");
  INT("Tile", "[4]", "[a,2,a,2]", "[a,2]", "[2]");
  INT("BroadcastArgs", "[2]", "[a,b]", "[a,1]", "[b]");
  set_attr("begin_mask", 1);
  INT("StridedSlice", "?", "[1,a]", "[1,a,b]", "[0]", "[-1]", "[1]");
  set_attr("shrink_axis_mask", 1);
  INT("StridedSlice", "?", "b", "[1,a,b]", "[-1]", "[0]", "[1]");
}

static void test_reductions(void **state) {
  (void)state;
  INT("Prod", "[]", "(a*b)*6", "[2,a,b,3]", "[0]");
  INT("Prod", "[]", "1", "[]", "0");
  INT("Sum", "[]", "a+4", "[a,4]", "[0]");
  INT("Max", "[]", "max(a,5)", "[2,a,5]", "[-1]");
  INT("Max", "[]", "nothing", "[]", "[0]");
  INT("Prod", "[1]", "[8]", "[2,4]", "[0]");
}

static void test_shapes(void **state) {
  (void)state;
  shapes[0] = NULL;
  INT("Shape", "[1]", "[3]", "[7,8,9]");
  INT("Size", "[]", "3", "[7,8,9]");
  INT("Rank", "[]", "1", "[7,8,9]");
  expect("MatMul", TF_INT32, "[]", "nothing", "3", NULL);
}

static int setup(void **state) {
  (void)state;
  for (int i = 0; i < 26; i++) dim_of[i] = dvt_dim_new_unknown(&symbols);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  dvt_shape_arena_deinit(&symbols);
  dvt_arena_deinit(&arena);
  dvt_buf_deinit(&attr_bytes);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integer_arithmetic), cmocka_unit_test(test_what_may_be_negative_has_no_symbol),
      cmocka_unit_test(test_other_dtypes),       cmocka_unit_test(test_moving),
      cmocka_unit_test(test_reductions),         cmocka_unit_test(test_shapes),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
