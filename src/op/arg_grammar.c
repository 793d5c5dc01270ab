// Input and output specs: "name: T", "name: N * T", "name: Ref(T)" (the grammar is in spec_grammar.h).
#include "op/spec_grammar.h"
#include "tensor/dtype.h"

typedef dvt_spec_parser arg_parser;

#define FAIL(p, ...) dvt_spec_fail(p, dvt_spec_word((p)->rest), __VA_ARGS__)

static bool unknown_attr(arg_parser *p, const dvt_op_def *op, dvt_str name) {
  p->nearest = (dvt_nearest){.wanted = name};
  for (int i = 0; i < op->attr_count; i++)
    if (op->attrs[i].kind == TF_ATTR_TYPE) dvt_nearest_offer(&p->nearest, op->attrs[i].name);
  for (int dtype = 1; dtype <= DVT_DTYPE_MAX; dtype++)
    if (dvt_dtype_is_valid(dtype)) dvt_nearest_offer(&p->nearest, dvt_str_from(dvt_dtype_name(dtype)));
  if (p->nearest.count == 0) p->hint = "It is no dtype, and the op has no such attr of type \"type\".";
  return dvt_spec_fail(p, name, "Reference to unknown attr '" DVT_STR_FMT "'", DVT_STR_ARG(name));
}

// A dtype, or the attr that gives it.
static bool parse_type(arg_parser *p, const dvt_op_def *op, dvt_str name, dvt_arg_spec *spec) {
  if (dvt_spec_dtype_from_name(name, &spec->dtype)) return true;
  int index = dvt_op_def_find_attr(op, name);
  if (index < 0) return unknown_attr(p, op, name);
  const dvt_attr_def *attr = &op->attrs[index];
  if (attr->kind != TF_ATTR_TYPE)
    return dvt_spec_fail(p, name,
                         "Reference to attr '" DVT_STR_FMT "' with type %s that isn't type or list(type)",
                         DVT_STR_ARG(name), dvt_attr_def_type_name(attr));
  if (attr->is_list)
    spec->type_list_attr = name;
  else
    spec->type_attr = name;
  return true;
}

static bool parse_spec(arg_parser *p, const dvt_op_def *op, dvt_arg_spec *spec) {
  if (!dvt_scan_name_colon(&p->rest, dvt_scan_is_lower, dvt_scan_is_lower_word, &spec->name)) {
    p->hint = "A name is a small letter, then small letters, digits and '_'; a ':' follows.";
    return dvt_spec_fail(p, dvt_spec_bad_name(p->orig, dvt_scan_is_lower, dvt_scan_is_lower_word), "%s",
                         "Trouble parsing 'name:'");
  }
  spec->is_ref = dvt_scan_open(&p->rest, DVT_STR("Ref"));
  dvt_str type;
  if (!dvt_scan_name(&p->rest, dvt_scan_is_letter, dvt_scan_is_word, &type))
    return FAIL(p, "Trouble parsing either a type or an attr name at '" DVT_STR_FMT "'",
                DVT_STR_ARG(p->rest));
  dvt_str after = p->rest, second;
  if (dvt_scan_literal(&after, DVT_STR("*"))) {
    dvt_scan_space(&after);
    if (dvt_scan_name(&after, dvt_scan_is_letter, dvt_scan_is_word, &second)) {
      spec->number_attr = type;
      type = second;
      p->rest = after;
    }
  }
  if (!parse_type(p, op, type, spec)) return false;
  if (spec->is_ref) {
    if (!dvt_scan_literal(&p->rest, DVT_STR(")")))
      return FAIL(p, "Did not find closing ')' for 'Ref(', instead found: '" DVT_STR_FMT "'",
                  DVT_STR_ARG(p->rest));
    dvt_scan_space(&p->rest);
  }
  if (p->rest.len) return FAIL(p, "Extra '" DVT_STR_FMT "' unparsed at the end", DVT_STR_ARG(p->rest));
  return true;
}

static void default_minimum(dvt_op_def *op, dvt_str name, int kind) {
  int index = name.len ? dvt_op_def_find_attr(op, name) : -1;
  if (index < 0 || op->attrs[index].has_minimum || op->attrs[index].kind != kind) return;
  op->attrs[index].has_minimum = true;
  op->attrs[index].minimum = 1;
}

// The part of the spec that says what the argument is made of.
static dvt_str type_of(const dvt_arg_spec *arg, dvt_str spec) {
  if (arg->number_attr.len) return arg->number_attr;
  if (arg->type_attr.len) return arg->type_attr;
  if (arg->type_list_attr.len) return arg->type_list_attr;
  dvt_str rest = dvt_str_drop(spec, dvt_str_find(spec, ':') + 1);
  dvt_scan_space(&rest);
  return dvt_spec_word(rest);
}

bool dvt_spec_parse_arg(dvt_spec_context *context, dvt_str spec, bool is_output, dvt_op_def *op,
                        dvt_arg_def *out_arg) {
  arg_parser parser = {
      .context = context, .kind = is_output ? "Output" : "Input", .orig = spec, .rest = spec};
  dvt_arg_spec arg = {0};
  if (!parse_spec(&parser, op, &arg)) return false;
  default_minimum(op, arg.number_attr, TF_ATTR_INT);
  if (arg.number_attr.len == 0) default_minimum(op, arg.type_list_attr, TF_ATTR_TYPE);
  if (dvt_op_def_resolve_arg(op, &arg, is_output, context->errors, out_arg)) return true;
  dvt_spec_point(context->errors, spec, type_of(&arg, spec));
  return false;
}
