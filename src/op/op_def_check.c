// The rules of a valid op definition and of a valid value for an attr of it (semantics rules 49, 58, 61-64,
// 71).
#include "op/op_def_check.h"

#include "base/map.h"
#include "base/nearest.h"
#include "tensor/dtype.h"

enum { ERRORS_LIMIT = 1 << 16 };  // bytes; each line names the op, and a file may hold many wrong lines

bool dvt_spec_error_begin(dvt_buf *errors) {
  if (errors->len > ERRORS_LIMIT) return false;
  if (errors->len) dvt_buf_append_byte(errors, '\n');
  return true;
}

void dvt_spec_error(dvt_buf *errors, const char *format, ...) {
  va_list args;
  if (!dvt_spec_error_begin(errors)) return;
  va_start(args, format);
  dvt_buf_vprintf(errors, format, args);
  va_end(args);
}

dvt_status dvt_spec_errors_to_status(dvt_buf *errors) {
  if (errors->failed) return dvt_error_out_of_memory(errors->len);
  if (errors->len == 0) return NULL;
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT, "%s", errors->data);
  dvt_buf_clear(errors);
  return status;
}

const char *dvt_attr_def_type_name(const dvt_attr_def *attr) {
  static const char *const lists[] = {"list(string)", "list(int)",         "list(float)",
                                      "list(bool)",   "list(type)",        "list(shape)",
                                      "list(tensor)", "list(placeholder)", "list(func)"};
  return attr->is_list ? lists[attr->kind] : dvt_attr_kind_name(attr->kind);
}

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || is_upper(c) || (c >= '0' && c <= '9') || c == '_';
}

void dvt_op_def_check_name(dvt_str name, dvt_buf *errors) {
  if (name.len && name.data[0] == '_') return;
  bool at_start = true, ok = name.len > 0;
  size_t i = 0;
  for (; i < name.len && ok; i++) {
    char c = name.data[i];
    if (at_start)
      ok = is_upper(c);
    else if (c != '>')
      ok = is_word(c);
    at_start = !at_start && c == '>';
  }
  if (ok && !at_start) return;
  dvt_spec_error(errors,
                 "Invalid name: " DVT_STR_FMT
                 " (Did you use CamelCase?). A name is a capital letter, then letters, digits and '_'; "
                 "namespaces are divided by '>', as in \"Ns>Name\"",
                 DVT_STR_ARG(name));
  if (name.len) dvt_spec_point(errors, name, dvt_str_make(name.data + (ok ? i : i - 1), 1));
}

// "float, int32" or "\"x\", \"y\"".
static void print_allowed(const dvt_attr_def *attr, dvt_buf *out) {
  dvt_attr_list list;
  uint64_t dtype = 0;
  dvt_str text = {0};
  dvt_status status = dvt_attr_list_open(attr->allowed, attr->kind, &list);
  for (int i = 0; !status && dvt_attr_list_next(&list, &dtype, &text); i++) {
    if (i) dvt_buf_append(out, ", ", 2);
    if (attr->kind == TF_ATTR_TYPE)
      dvt_buf_append_str(out, dvt_str_from(dvt_dtype_name((int)dtype)));
    else
      dvt_buf_printf(out, "\"" DVT_STR_FMT "\"", DVT_STR_ARG(text));
  }
  dvt_status_free(status);
}

// The names among the allowed values that are close to `value`.
static void offer_allowed(const dvt_attr_def *attr, dvt_nearest *nearest) {
  dvt_attr_list list;
  uint64_t dtype = 0;
  dvt_str text = {0};
  dvt_status status = dvt_attr_list_open(attr->allowed, attr->kind, &list);
  while (!status && dvt_attr_list_next(&list, &dtype, &text))
    dvt_nearest_offer(nearest, attr->kind == TF_ATTR_TYPE ? dvt_str_from(dvt_dtype_name((int)dtype)) : text);
  dvt_status_free(status);
}

static dvt_status not_allowed(const dvt_attr_def *attr, dvt_str value, dvt_str name) {
  dvt_buf text = {0};
  dvt_nearest nearest = {.wanted = name};
  print_allowed(attr, &text);
  offer_allowed(attr, &nearest);
  if (nearest.count) dvt_buf_append_byte(&text, '.');
  dvt_nearest_print(&nearest, &text);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT,
                                "Value for attr '" DVT_STR_FMT "' of " DVT_STR_FMT
                                " is not in the list of allowed values: %s",
                                DVT_STR_ARG(attr->name), DVT_STR_ARG(value), text.data ? text.data : "");
  dvt_buf_deinit(&text);
  return status;
}

static dvt_status check_allowed_type(const dvt_attr_def *attr, uint64_t dtype) {
  dvt_attr_list allowed;
  uint64_t candidate;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(attr->allowed, TF_ATTR_TYPE, &allowed));
  while (dvt_attr_list_next(&allowed, &candidate, NULL))
    if (candidate == dtype) return NULL;
  dvt_str name = dvt_str_from(dvt_dtype_name((int)dtype));
  return not_allowed(attr, name, name);
}

static dvt_status check_allowed_string(const dvt_attr_def *attr, dvt_str value) {
  dvt_attr_list allowed;
  dvt_str candidate;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(attr->allowed, TF_ATTR_STRING, &allowed));
  while (dvt_attr_list_next(&allowed, NULL, &candidate))
    if (dvt_str_eq(candidate, value)) return NULL;
  dvt_buf quoted = {0};
  dvt_buf_printf(&quoted, "\"" DVT_STR_FMT "\"", DVT_STR_ARG(value));
  dvt_status status = not_allowed(attr, dvt_buf_str(&quoted), value);
  dvt_buf_deinit(&quoted);
  return status;
}

static dvt_status check_dtype(uint64_t dtype) {
  int number = (int)(int32_t)dtype;
  if (DVT_LIKELY(dvt_dtype_is_valid(number))) return NULL;
  if (number == 0) return dvt_error(TF_INVALID_ARGUMENT, "AttrValue has invalid DataType");
  if (dvt_dtype_is_valid(number - DVT_DTYPE_REF_OFFSET))
    return dvt_error(TF_INVALID_ARGUMENT, "AttrValue must not have reference type value of %s",
                     dvt_dtype_name(number));
  return dvt_error(TF_INVALID_ARGUMENT, "AttrValue has invalid DataType enum: %d", number);
}

static dvt_status check_element(const dvt_attr_def *attr, uint64_t bits, dvt_str bytes) {
  if (attr->kind == TF_ATTR_TYPE) DVT_RETURN_IF_ERROR(check_dtype(bits));
  if (attr->allowed.len == 0) return NULL;
  return attr->kind == TF_ATTR_TYPE ? check_allowed_type(attr, bits) : check_allowed_string(attr, bytes);
}

// The allowed dtypes as bits, so that a long list of types is not compared with all of them one by one.
static uint64_t allowed_types(const dvt_attr_def *attr) {
  dvt_attr_list allowed;
  uint64_t dtype, bits = 0;
  dvt_status status = dvt_attr_list_open(attr->allowed, TF_ATTR_TYPE, &allowed);
  while (!status && dvt_attr_list_next(&allowed, &dtype, NULL))
    if (dtype < 64) bits |= UINT64_C(1) << dtype;
  dvt_status_free(status);
  return bits;
}

static dvt_status check_list(const dvt_attr_def *attr, dvt_str value) {
  dvt_attr_list list;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, attr->kind, &list));
  uint64_t bits = 0;
  dvt_str bytes = {0};
  int64_t count = 0;
  bool is_type = attr->kind == TF_ATTR_TYPE, each = is_type || attr->allowed.len > 0;
  uint64_t good = is_type && attr->allowed.len ? allowed_types(attr) : 0;
  for (; dvt_attr_list_next(&list, &bits, &bytes); count++)
    if (each && !(bits < 64 && good >> bits & 1 && dvt_dtype_is_valid((int)bits)))
      DVT_RETURN_IF_ERROR(check_element(attr, bits, bytes));
  if (attr->has_minimum && count < attr->minimum)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Length for attr '" DVT_STR_FMT "' of %lld must be at least minimum %lld",
                     DVT_STR_ARG(attr->name), (long long)count, (long long)attr->minimum);
  return NULL;
}

static dvt_status check_scalar(const dvt_attr_def *attr, dvt_str value) {
  dvt_str bytes = {0};
  int64_t number = 0;
  int dtype = 0;
  float f;
  bool b;
  switch (attr->kind) {
    case TF_ATTR_STRING:
      DVT_RETURN_IF_ERROR(dvt_attr_get_string(value, &bytes));
      return check_element(attr, 0, bytes);
    case TF_ATTR_TYPE:
      DVT_RETURN_IF_ERROR(dvt_attr_get_type(value, &dtype));
      return check_element(attr, (uint64_t)(int64_t)dtype, bytes);
    case TF_ATTR_INT:
      DVT_RETURN_IF_ERROR(dvt_attr_get_int(value, &number));
      if (attr->has_minimum && number < attr->minimum)
        return dvt_error(TF_INVALID_ARGUMENT,
                         "Value for attr '" DVT_STR_FMT "' of %lld must be at least minimum %lld",
                         DVT_STR_ARG(attr->name), (long long)number, (long long)attr->minimum);
      return NULL;
    case TF_ATTR_FLOAT:
      return dvt_attr_get_float(value, &f);
    case TF_ATTR_BOOL:
      return dvt_attr_get_bool(value, &b);
    case TF_ATTR_SHAPE:
      return dvt_attr_get_shape(value, &bytes);
    case TF_ATTR_TENSOR:
      return dvt_attr_get_tensor(value, &bytes);
    default:
      return dvt_attr_get_func(value, &bytes, NULL);
  }
}

dvt_status dvt_attr_def_check_value(const dvt_attr_def *attr, dvt_str value) {
  dvt_status status = attr->is_list ? check_list(attr, value) : check_scalar(attr, value);
  if (status && strncmp(dvt_status_message(status), "AttrValue", 9) == 0)
    status = dvt_status_annotate(status, "\n\t for attr '" DVT_STR_FMT "'", DVT_STR_ARG(attr->name));
  return status;
}

static void check_allowed_list(const dvt_op_def *op, const dvt_attr_def *attr, dvt_buf *errors) {
  dvt_attr_list list;
  dvt_status status = NULL;
  if (attr->kind != TF_ATTR_TYPE && attr->kind != TF_ATTR_STRING) {
    status = dvt_error(TF_UNIMPLEMENTED, "Support for allowed_values not implemented for type %s",
                       dvt_attr_def_type_name(attr));
  } else {
    status = dvt_attr_list_open(attr->allowed, attr->kind, &list);
  }
  if (!status) return;
  dvt_spec_error(errors, "%s for attr '" DVT_STR_FMT "' in Op '" DVT_STR_FMT "'", dvt_status_message(status),
                 DVT_STR_ARG(attr->name), DVT_STR_ARG(op->name));
  dvt_status_free(status);
}

// Shows the spec of an attr, `part` of it marked or its name.
static void point(const dvt_spec_locator *locator, dvt_str name, bool at_default, dvt_buf *errors) {
  if (!locator) return;
  dvt_str spec = locator->spec_of(locator->arg, name.data);
  dvt_spec_point(errors, spec, at_default ? dvt_spec_default_text(spec) : name);
}

static void check_attr(const dvt_op_def *op, const dvt_attr_def *attr, const dvt_spec_locator *locator,
                       dvt_buf *errors) {
  size_t at_first = errors->len;
  int dtype;
  if (dvt_dtype_from_name(attr->name, &dtype))
    dvt_spec_error(errors,
                   "Attr can't have name " DVT_STR_FMT " that matches a data type, in Op '" DVT_STR_FMT "'",
                   DVT_STR_ARG(attr->name), DVT_STR_ARG(op->name));
  if (attr->has_minimum && attr->kind != TF_ATTR_INT && !attr->is_list)
    dvt_spec_error(errors,
                   "Attr '" DVT_STR_FMT "' has minimum for unsupported type %s, in Op '" DVT_STR_FMT "'",
                   DVT_STR_ARG(attr->name), dvt_attr_def_type_name(attr), DVT_STR_ARG(op->name));
  if (attr->has_minimum && attr->is_list && attr->minimum < 0)
    dvt_spec_error(errors,
                   "Attr '" DVT_STR_FMT
                   "' with list type must have a non-negative minimum, not %lld, in Op '" DVT_STR_FMT "'",
                   DVT_STR_ARG(attr->name), (long long)attr->minimum, DVT_STR_ARG(op->name));
  size_t before = errors->len;
  if (attr->allowed.len) check_allowed_list(op, attr, errors);
  bool is_checkable = attr->has_default && errors->len == before;
  if (errors->len != at_first) point(locator, attr->name, false, errors);
  if (!is_checkable) return;
  dvt_status status = dvt_attr_def_check_value(attr, attr->default_value);
  if (!status) return;
  dvt_spec_error(errors, "%s in Op '" DVT_STR_FMT "'", dvt_status_message(status), DVT_STR_ARG(op->name));
  point(locator, attr->name, true, errors);
  dvt_status_free(status);
}

void dvt_op_def_check_attrs(const dvt_op_def *op, const dvt_spec_locator *locator, dvt_buf *errors) {
  for (int i = 0; i < op->attr_count; i++) check_attr(op, &op->attrs[i], locator, errors);
}

typedef struct arg_context {
  const dvt_op_def *op;
  dvt_buf *errors;
  const char *what;  // " for input '"
  dvt_str name;
} arg_context;

#define ARG_ERROR(context, format, ...)                                                               \
  dvt_spec_error((context)->errors, format "%s" DVT_STR_FMT "' in Op '" DVT_STR_FMT "'", __VA_ARGS__, \
                 (context)->what, DVT_STR_ARG((context)->name), DVT_STR_ARG((context)->op->name))

// Index of attr `name`, which must have the given type; -1 and an error otherwise.
static int attr_of_type(const arg_context *context, dvt_str name, int kind, bool is_list, const char *role) {
  int index = dvt_op_def_find_attr(context->op, name);
  if (index < 0) {
    ARG_ERROR(context, "No attr with name '" DVT_STR_FMT "'", DVT_STR_ARG(name));
    return -1;
  }
  const dvt_attr_def *attr = &context->op->attrs[index];
  if (attr->kind == kind && attr->is_list == is_list) return index;
  dvt_attr_def want = {.kind = (int8_t)kind, .is_list = is_list};
  ARG_ERROR(context, "Attr '" DVT_STR_FMT "' used as %s has type %s != %s", DVT_STR_ARG(name), role,
            dvt_attr_def_type_name(attr), dvt_attr_def_type_name(&want));
  return -1;
}

static bool resolve_number(const arg_context *context, dvt_str name, int16_t *out_index) {
  int index = attr_of_type(context, name, TF_ATTR_INT, false, "length");
  if (index < 0) return false;
  const dvt_attr_def *attr = &context->op->attrs[index];
  if (!attr->has_minimum || attr->minimum < 0) {
    ARG_ERROR(context, "Attr '" DVT_STR_FMT "' used as length must have minimum%s", DVT_STR_ARG(name),
              attr->has_minimum ? " >= 0" : "");
    return false;
  }
  *out_index = (int16_t)index;
  return true;
}

bool dvt_op_def_resolve_arg(const dvt_op_def *op, const dvt_arg_spec *spec, bool is_output, dvt_buf *errors,
                            dvt_arg_def *out_arg) {
  arg_context context = {op, errors, is_output ? " for output '" : " for input '", spec->name};
  dvt_arg_def arg = {
      .name = spec->name, .type_attr = -1, .number_attr = -1, .type_list_attr = -1, .is_ref = spec->is_ref};
  int type_fields = (spec->dtype != 0) + (spec->type_attr.len > 0) + (spec->type_list_attr.len > 0);
  if (spec->number_attr.len) {
    if (!resolve_number(&context, spec->number_attr, &arg.number_attr)) return false;
    if (spec->type_list_attr.len) {
      ARG_ERROR(&context, "Can't have both number_attr and type_list_attr%s", "");
      return false;
    }
  }
  if (type_fields != 1) {
    ARG_ERROR(
        &context, "%s",
        type_fields == 0 ? "Missing type" : "Exactly one of type, type_attr, type_list_attr must be set");
    return false;
  }
  int index = 0;
  if (spec->type_attr.len) {
    arg.type_attr =
        (int16_t)(index = attr_of_type(&context, spec->type_attr, TF_ATTR_TYPE, false, "type_attr"));
  } else if (spec->type_list_attr.len) {
    index = attr_of_type(&context, spec->type_list_attr, TF_ATTR_TYPE, true, "type_list_attr");
    arg.type_list_attr = (int16_t)index;
  } else if (dvt_dtype_is_valid(spec->dtype)) {
    arg.dtype = (int16_t)spec->dtype;
  } else if (dvt_dtype_is_valid(spec->dtype - DVT_DTYPE_REF_OFFSET)) {
    ARG_ERROR(&context, "Illegal use of ref type '%s'. Use 'Ref(type)' instead", dvt_dtype_name(spec->dtype));
    return false;
  } else {
    ARG_ERROR(&context, "Unknown dtype number %d", spec->dtype);
    return false;
  }
  if (index < 0) return false;
  *out_arg = arg;
  return true;
}

enum { QUADRATIC_LIMIT = 48 };  // names up to which comparing all pairs beats building a map

static dvt_str name_at(const dvt_op_def *op, int i) {
  if (i < op->attr_count) return op->attrs[i].name;
  i -= op->attr_count;
  return i < op->input_count ? op->inputs[i].name : op->outputs[i - op->input_count].name;
}

static void duplicate_name(const dvt_op_def *op, dvt_str name, const dvt_spec_locator *locator,
                           dvt_buf *errors) {
  dvt_spec_error(errors,
                 "Duplicate name: " DVT_STR_FMT " in Op '" DVT_STR_FMT
                 "': inputs, outputs and attrs share one name space",
                 DVT_STR_ARG(name), DVT_STR_ARG(op->name));
  point(locator, name, false, errors);
}

void dvt_op_def_check_unique_names(const dvt_op_def *op, const dvt_spec_locator *locator, dvt_buf *errors) {
  int count = op->attr_count + op->input_count + op->output_count;
  if (count <= QUADRATIC_LIMIT) {
    for (int i = 1; i < count; i++)
      for (int j = 0; j < i; j++)
        if (dvt_str_eq(name_at(op, i), name_at(op, j))) {
          duplicate_name(op, name_at(op, i), locator, errors);
          break;
        }
    return;
  }
  dvt_map seen = {0};
  for (int i = 0; i < count; i++) {
    dvt_str name = name_at(op, i);
    if (dvt_map_get(&seen, name))
      duplicate_name(op, name, locator, errors);
    else if (!dvt_map_put(&seen, name, &seen))
      errors->failed = true;
  }
  dvt_map_deinit(&seen);
}
