// The grammar of attr, input and output specs against what stock makes of the same texts (rules 49-66).
#include "base/schema.h"
#include "base/testing.h"
#include "op/op_def_builder.h"
#include "op/spec_grammar_cases.h"

typedef struct fixture {
  dvt_arena arena;
  dvt_buf errors, scratch;
} fixture;

static void release(fixture *f) {
  dvt_arena_deinit(&f->arena);
  dvt_buf_deinit(&f->errors);
  dvt_buf_deinit(&f->scratch);
}

// Adds the texts that '|' divides.
static void add_all(TF_OpDefinitionBuilder *builder, dvt_spec_kind kind, const char *specs) {
  dvt_str rest = dvt_str_from(specs);
  bool more = specs[0] != '\0';
  while (more) {
    size_t n = dvt_str_find(rest, '|');
    dvt_op_builder_add(builder, kind, dvt_str_make(rest.data, n));
    more = n < rest.len;
    if (more) rest = dvt_str_drop(rest, n + 1);
  }
}

static dvt_status build(fixture *f, const char *name, const char *attrs, const char *inputs,
                        const char *outputs, TF_OpDefinitionBuilder **out_builder,
                        const dvt_op_def **out_op) {
  TF_OpDefinitionBuilder *builder = dvt_op_builder_new(dvt_str_from(name));
  assert_non_null(builder);
  add_all(builder, DVT_SPEC_ATTR, attrs);
  add_all(builder, DVT_SPEC_INPUT, inputs);
  add_all(builder, DVT_SPEC_OUTPUT, outputs);
  *out_builder = builder;
  return dvt_op_builder_finish(builder, &f->arena, &f->errors, &f->scratch, out_op);
}

// Whole op as one line of text, without the name.
static void op_text(const dvt_op_def *op, dvt_buf *out) {
  dvt_buf wire = {0};
  dvt_op_def nameless = *op;
  nameless.name = DVT_STR("");
  dvt_op_def_to_proto(&nameless, &wire);
  assert_null(dvt_text_print(&dvt_schema_op_def, dvt_buf_str(&wire), true, out));
  dvt_buf_deinit(&wire);
}

// The recorded text in the spelling of our printer.
static void respell(const char *text, dvt_buf *out) {
  dvt_buf wire = {0};
  assert_null(dvt_text_parse(&dvt_schema_op_def, dvt_str_from(text), text, &wire));
  assert_null(dvt_text_print(&dvt_schema_op_def, dvt_buf_str(&wire), true, out));
  dvt_buf_deinit(&wire);
}

static void test_rules_050_to_066_accepted_specs(void **state) {
  (void)state;
  for (size_t i = 0; i < DVT_COUNT_OF(accepted); i++) {
    const spec_case *c = &accepted[i];
    fixture f = {0};
    TF_OpDefinitionBuilder *builder;
    const dvt_op_def *op;
    dvt_buf text = {0}, wanted = {0};
    dvt_status status = build(&f, "Op", c->attrs, c->inputs, c->outputs, &builder, &op);
    if (status) fail_msg("%s / %s / %s: %s", c->attrs, c->inputs, c->outputs, dvt_status_message(status));
    op_text(op, &text);
    respell(c->expected, &wanted);
    if (!dvt_str_eq(dvt_buf_str(&text), dvt_buf_str(&wanted)))
      fail_msg("%s / %s / %s\n got %s\nwant %s", c->attrs, c->inputs, c->outputs, text.data, wanted.data);
    dvt_buf_deinit(&text);
    dvt_buf_deinit(&wanted);
    dvt_op_builder_delete(builder);
    release(&f);
  }
}

static void expect_refused(const spec_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const spec_case *c = &cases[i];
    fixture f = {0};
    TF_OpDefinitionBuilder *builder;
    const dvt_op_def *op;
    dvt_status status = build(&f, "Op", c->attrs, c->inputs, c->outputs, &builder, &op);
    if (!status) fail_msg("accepted: %s / %s / %s", c->attrs, c->inputs, c->outputs);
    dvt_test_expect_error(status, TF_INVALID_ARGUMENT, c->expected);
    dvt_op_builder_delete(builder);
    release(&f);
  }
}

static void test_rules_050_to_064_refused_specs(void **state) {
  (void)state;
  expect_refused(refused, DVT_COUNT_OF(refused));
}

static void test_rule_057_no_text_is_left_unread(void **state) {
  (void)state;
  expect_refused(stricter_than_stock, DVT_COUNT_OF(stricter_than_stock));
}

static void expect_name(const char *name, bool valid) {
  fixture f = {0};
  TF_OpDefinitionBuilder *builder;
  const dvt_op_def *op;
  dvt_status status = build(&f, name, "", "", "", &builder, &op);
  if (valid)
    assert_null(status);
  else
    dvt_test_expect_error(status, TF_INVALID_ARGUMENT, "(Did you use CamelCase?)");
  dvt_op_builder_delete(builder);
  release(&f);
}

static void test_rule_049_names(void **state) {
  (void)state;
  static const char *const good[] = {"Abc", "A", "A_b9", "_internal", "_a-b", "Ns>Op", "A>B>C"};
  static const char *const bad[] = {"abc", "A-b", "A.b", "1A", "", "Ns>op", "Ns>", "A>>B", ">A", "Abc def"};
  for (size_t i = 0; i < DVT_COUNT_OF(good); i++) expect_name(good[i], true);
  for (size_t i = 0; i < DVT_COUNT_OF(bad); i++) expect_name(bad[i], false);
}

static void test_rule_061_attrs_may_come_after_arguments(void **state) {
  (void)state;
  fixture f = {0};
  const dvt_op_def *op;
  TF_OpDefinitionBuilder *builder = dvt_op_builder_new(DVT_STR("Op"));
  dvt_op_builder_add(builder, DVT_SPEC_OUTPUT, DVT_STR("y: T"));
  dvt_op_builder_add(builder, DVT_SPEC_INPUT, DVT_STR("x: N * T"));
  dvt_op_builder_add(builder, DVT_SPEC_ATTR, DVT_STR("T: type"));
  dvt_op_builder_add(builder, DVT_SPEC_ATTR, DVT_STR("N: int"));
  assert_null(dvt_op_builder_finish(builder, &f.arena, &f.errors, &f.scratch, &op));
  assert_int_equal(op->inputs[0].type_attr, 0);
  assert_int_equal(op->inputs[0].number_attr, 1);
  assert_int_equal(op->outputs[0].number_attr, -1);
  dvt_op_builder_delete(builder);
  release(&f);
}

static void test_rule_059_default_minimum(void **state) {
  (void)state;
  fixture f = {0};
  TF_OpDefinitionBuilder *builder;
  const dvt_op_def *op;
  assert_null(build(&f, "Op", "N: int|T: type|L: list(type)|M: int >= 0|K: int", "x: N*T|z: L|w: M*T", "",
                    &builder, &op));
  assert_true(op->attrs[0].has_minimum && op->attrs[0].minimum == 1);
  assert_true(op->attrs[2].has_minimum && op->attrs[2].minimum == 1);
  assert_true(op->attrs[3].has_minimum && op->attrs[3].minimum == 0);
  assert_false(op->attrs[4].has_minimum);
  dvt_op_builder_delete(builder);
  release(&f);
}

static void test_rule_065_all_errors_are_reported(void **state) {
  (void)state;
  fixture f = {0};
  TF_OpDefinitionBuilder *builder;
  const dvt_op_def *op;
  dvt_status status = build(&f, "badName", "a: int32|b: list(", "X: float", "y: foo", &builder, &op);
  static const char *const lines[] = {
      "Invalid name: badName (Did you use CamelCase?)",
      "Extra '32' unparsed at the end from Attr(\"a: int32\") for Op badName",
      "Trouble parsing type string at '' from Attr(\"b: list(\") for Op badName",
      "Trouble parsing 'name:' from Input(\"X: float\") for Op badName",
      "Reference to unknown attr 'foo' from Output(\"y: foo\") for Op badName"};
  const char *at = dvt_status_message(status);
  for (size_t i = 0; i < DVT_COUNT_OF(lines); i++) {
    const char *found = strstr(at, lines[i]);
    if (!found) fail_msg("no \"%s\" in \"%s\"", lines[i], at);
    assert_true(i == 0 ? found == at : found[-1] == '\n');
    at = found + 1;
  }
  dvt_status_free(status);
  dvt_op_builder_delete(builder);
  release(&f);
}

// The whole message: what is wrong, what may have been meant, and where.
static void test_rules_049_to_064_errors_show_the_place(void **state) {
  (void)state;
  static const struct {
    const char *name, *attrs, *inputs, *expected;
  } cases[] = {
      {"Op", "T: {float, int33}", "",
       "Unrecognized type string 'int33' from Attr(\"T: {float, int33}\") for Op Op. Did you mean 'int32', "
       "'int16' or 'int8'?\n"
       "    T: {float, int33}\n"
       "               ^~~~~"},
      {"Op", "T: tpye", "",
       "Trouble parsing type string at 'tpye' from Attr(\"T: tpye\") for Op Op. Did you mean 'type'?\n"
       "    T: tpye\n"
       "       ^~~~"},
      {"Op", "T: realnumerictype", "",
       "Trouble parsing type string at 'realnumerictype' from Attr(\"T: realnumerictype\") for Op Op. That "
       "name is "
       "only known inside of braces: {realnumerictype}.\n"
       "    T: realnumerictype\n"
       "       ^~~~~~~~~~~~~~~"},
      {"Op", "a: int32", "",
       "Extra '32' unparsed at the end from Attr(\"a: int32\") for Op Op. That is a dtype: for numbers write "
       "\"int\" or \"float\", for a dtype \"type\" or the allowed ones, \"{float, int32}\".\n"
       "    a: int32\n"
       "          ^~"},
      {"Op", "a: float >= 2", "",
       "Extra '>= 2' unparsed at the end from Attr(\"a: float >= 2\") for Op Op. Only an int and a list can "
       "have a "
       "minimum.\n"
       "    a: float >= 2\n"
       "             ^"},
      {"Op", "a: int >= x", "",
       "Could not parse integer lower limit after '>=', found ' x' instead from Attr(\"a: int >= x\") for Op "
       "Op\n"
       "    a: int >= x\n"
       "              ^"},
      {"Op", "T: type = DT_FLAOT", "",
       "Could not parse default value 'DT_FLAOT' of type type from Attr(\"T: type = DT_FLAOT\") for Op Op. "
       "Did you "
       "mean 'DT_FLOAT'?\n"
       "    T: type = DT_FLAOT\n"
       "              ^~~~~~~~"},
      {"Op", "s: string = hello", "",
       "Could not parse default value 'hello' of type string from Attr(\"s: string = hello\") for Op Op. "
       "Strings are "
       "written in quotes: 'text'.\n"
       "    s: string = hello\n"
       "                ^~~~~"},
      {"Op", "s: {'a', \"b\\q\"}", "",
       "Trouble unescaping \"b\\q\", got error: unknown escape sequence from Attr(\"s: {'a', \"b\\q\"}\") "
       "for Op "
       "Op\n"
       "    s: {'a', \"b\\q\"}\n"
       "              ^~~"},
      {"Op", "a: int >= 5 = 3", "",
       "Value for attr 'a' of 3 must be at least minimum 5 in Op 'Op'\n"
       "    a: int >= 5 = 3\n"
       "                  ^"},
      {"Op", "p: {'SAME', 'VALID'} = 'SAMME'", "",
       "Value for attr 'p' of \"SAMME\" is not in the list of allowed values: \"SAME\", \"VALID\". Did you "
       "mean "
       "'SAME'? in Op 'Op'\n"
       "    p: {'SAME', 'VALID'} = 'SAMME'\n"
       "                           ^~~~~~~"},
      {"Op", "2a: int", "",
       "Trouble parsing '<name>:' from Attr(\"2a: int\") for Op Op. A name is a letter, then letters, digits "
       "and '_'; "
       "a ':' follows.\n"
       "    2a: int\n"
       "    ^~"},
      {"Op", "T: type", "x: t",
       "Reference to unknown attr 't' from Input(\"x: t\") for Op Op. Did you mean 'T'?\n"
       "    x: t\n"
       "       ^"},
      {"Op", "N: int", "x: Ref(N)",
       "Reference to attr 'N' with type int that isn't type or list(type) from Input(\"x: Ref(N)\") for Op "
       "Op\n"
       "    x: Ref(N)\n"
       "           ^"},
      {"Op", "Tl: list(type)", "x: N * Tl",
       "No attr with name 'N' for input 'x' in Op 'Op'\n"
       "    x: N * Tl\n"
       "       ^"},
      {"Op", "", "x: float_ref",
       "Illegal use of ref type 'float_ref'. Use 'Ref(type)' instead for input 'x' in Op 'Op'\n"
       "    x: float_ref\n"
       "       ^~~~~~~~~"},
      {"Op", "x: int", "x: float",
       "Duplicate name: x in Op 'Op': inputs, outputs and attrs share one name space\n"
       "    x: float\n"
       "    ^"},
      {"Ns>op-x", "", "",
       "Invalid name: Ns>op-x (Did you use CamelCase?). A name is a capital letter, then letters, digits and "
       "'_'; "
       "namespaces are divided by '>', as in \"Ns>Name\"\n"
       "    Ns>op-x\n"
       "       ^"},
      {"Op", "s: {'\xC3\xA4', float}", "",
       "Trouble parsing allowed string at 'float}' from Attr(\"s: {'\xC3\xA4', float}\") for Op Op\n"
       "    s: {'\xC3\xA4', float}\n"
       "             ^~~~~"},
  };
  int wrong = 0;
  for (size_t i = 0; i < DVT_COUNT_OF(cases); i++) {
    fixture f = {0};
    TF_OpDefinitionBuilder *builder;
    const dvt_op_def *op;
    dvt_status status = build(&f, cases[i].name, cases[i].attrs, cases[i].inputs, "", &builder, &op);
    assert_non_null(status);
    if (strcmp(dvt_status_message(status), cases[i].expected) != 0) {
      print_error("got\n%s\nwanted\n%s\n", dvt_status_message(status), cases[i].expected);
      wrong++;
    }
    dvt_status_free(status);
    dvt_op_builder_delete(builder);
    release(&f);
  }
  assert_int_equal(wrong, 0);
}

// Of a long spec only what is around the place is shown.
static void test_long_specs_are_cut(void **state) {
  (void)state;
  fixture f = {0};
  TF_OpDefinitionBuilder *builder;
  const dvt_op_def *op;
  char spec[1000] = "T: {";
  for (int i = 0; i < 90; i++) strcat(spec, "float, ");
  strcat(spec, "flat, float, float, float, float, float, float, float, float}");
  dvt_status status = build(&f, "Op", spec, "", "", &builder, &op);
  const char *shown = strstr(dvt_status_message(status), "\n    ...");
  assert_non_null(shown);
  assert_non_null(strstr(shown, "flat"));
  assert_non_null(strstr(shown, "...\n"));
  const char *marks = strrchr(shown, '\n');
  assert_string_equal(strchr(marks, '^'), "^~~~");
  assert_int_equal(strchr(marks, '^') - marks, strstr(shown, "flat") - shown);
  dvt_status_free(status);
  dvt_op_builder_delete(builder);
  release(&f);
}

static void test_rule_066_resource_is_stateful(void **state) {
  (void)state;
  fixture f = {0};
  TF_OpDefinitionBuilder *builder;
  const dvt_op_def *op;
  assert_null(build(&f, "Op", "", "", "r: resource", &builder, &op));
  assert_true(op->is_stateful);
  dvt_op_builder_delete(builder);
  release(&f);
  f = (fixture){0};
  assert_null(build(&f, "Op", "T: type = DT_RESOURCE", "r: T", "", &builder, &op));
  assert_false(op->is_stateful);
  dvt_op_builder_delete(builder);
  release(&f);
}

// Specs longer than the builder's own memory, and many of them.
static void test_large_builders(void **state) {
  (void)state;
  fixture f = {0};
  const dvt_op_def *op;
  char name[3000], spec[64];
  memset(name, 'a', sizeof name);
  name[0] = 'A';
  TF_OpDefinitionBuilder *builder = dvt_op_builder_new(dvt_str_make(name, sizeof name));
  for (int i = 0; i < 500; i++) {
    snprintf(spec, sizeof spec, "attr%d: int >= %d = %d", i, i, i + 1);
    dvt_op_builder_add(builder, DVT_SPEC_ATTR, dvt_str_from(spec));
  }
  assert_null(dvt_op_builder_finish(builder, &f.arena, &f.errors, &f.scratch, &op));
  assert_int_equal(op->attr_count, 500);
  assert_int_equal(op->attrs[499].minimum, 499);
  dvt_op_builder_add(builder, DVT_SPEC_ATTR, DVT_STR("attr77: int"));
  dvt_test_expect_error(dvt_op_builder_finish(builder, &f.arena, &f.errors, &f.scratch, &op),
                        TF_INVALID_ARGUMENT, "Duplicate name: attr77");
  dvt_op_builder_delete(builder);
  release(&f);
}

static bool attempt_build(void *arg) {
  (void)arg;
  fixture f = {0};
  const dvt_op_def *op;
  TF_OpDefinitionBuilder *builder = dvt_op_builder_new(DVT_STR("Op"));
  dvt_status status = NULL;
  if (builder) {
    add_all(builder, DVT_SPEC_ATTR,
            "a: {'x', 'y'} = 'x'|b: list(int) = [1, 2]|c: shape = { dim { size: 1 } }|T: type");
    add_all(builder, DVT_SPEC_INPUT, "x: T");
    dvt_op_builder_deprecate(builder, 7, DVT_STR("old"));
    status = dvt_op_builder_finish(builder, &f.arena, &f.errors, &f.scratch, &op);
  }
  bool ok = builder && !status;
  if (status) assert_int_equal(dvt_status_code(status), TF_RESOURCE_EXHAUSTED);
  dvt_status_free(status);
  dvt_op_builder_delete(builder);
  release(&f);
  return ok;
}

static void test_every_allocation_may_fail(void **state) {
  (void)state;
  dvt_test_fail_each_allocation(attempt_build, NULL, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules_050_to_066_accepted_specs),
      cmocka_unit_test(test_rules_050_to_064_refused_specs),
      cmocka_unit_test(test_rule_057_no_text_is_left_unread),
      cmocka_unit_test(test_rule_049_names),
      cmocka_unit_test(test_rule_061_attrs_may_come_after_arguments),
      cmocka_unit_test(test_rule_059_default_minimum),
      cmocka_unit_test(test_rule_065_all_errors_are_reported),
      cmocka_unit_test(test_rules_049_to_064_errors_show_the_place),
      cmocka_unit_test(test_long_specs_are_cut),
      cmocka_unit_test(test_rule_066_resource_is_stateful),
      cmocka_unit_test(test_large_builders),
      cmocka_unit_test(test_every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
