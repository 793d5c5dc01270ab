// Arithmetic on values that are known in part: see known_value.h. A result is a dim's symbol only where it
// cannot be negative, so that sums, products and quotients of sizes stay sizes, and differences do not.
#include <math.h>

#include "op/dim_expr.h"
#include "op/known_value_internal.h"
#include "op/shape_algebra.h"

dvt_element dvt_element_of_real(double real, int dtype) {
  dvt_element e = {.known = true};
  if (dtype == TF_FLOAT) real = (double)(float)real;
  memcpy(&e.value, &real, sizeof real);
  return e;
}

// What was computed into *dim, unless that failed.
static dvt_element computed_dim(dvt_status status, const dvt_dim *dim) {
  dvt_status_free(status);
  return status ? dvt_element_unknown() : dvt_element_of_dim(*dim);
}

static bool is_one(dvt_element e) { return e.known && e.value == 1; }
static bool is_zero(dvt_element e) { return e.known && e.value == 0; }

// ---- integers ----

typedef dvt_element (*element_fn)(const dvt_value_query *q, dvt_element a, dvt_element b);

static dvt_element int_add(const dvt_value_query *q, dvt_element a, dvt_element b) {
  dvt_dim dim = 0;
  int64_t sum;
  if (a.known && b.known)
    return __builtin_add_overflow(a.value, b.value, &sum) ? dvt_element_unknown() : dvt_element_of_int(sum);
  if (is_zero(a) || is_zero(b)) return is_zero(a) ? b : a;
  if (dvt_element_is_dim(a) && dvt_element_is_dim(b))
    return computed_dim(dvt_dim_add(q->symbols, a.value, b.value, &dim), &dim);
  if ((b.known && b.value == INT64_MIN) || (a.known && a.value == INT64_MIN)) return dvt_element_unknown();
  if (dvt_element_is_dim(a) && b.known && dvt_dim_difference(q->symbols, a.value, -b.value, &dim))
    return dvt_element_of_dim(dim);
  if (dvt_element_is_dim(b) && a.known && dvt_dim_difference(q->symbols, b.value, -a.value, &dim))
    return dvt_element_of_dim(dim);
  return dvt_element_unknown();
}

static dvt_element int_sub(const dvt_value_query *q, dvt_element a, dvt_element b) {
  dvt_dim dim;
  if (b.known && b.value != INT64_MIN) return int_add(q, a, dvt_element_of_int(-b.value));
  if (dvt_element_is_dim(a) && dvt_element_is_dim(b) &&
      dvt_dim_difference(q->symbols, a.value, b.value, &dim))
    return dvt_element_of_dim(dim);
  return dvt_element_unknown();
}

static dvt_element int_mul(const dvt_value_query *q, dvt_element a, dvt_element b) {
  dvt_dim dim = 0;
  int64_t product;
  if (a.known && b.known)
    return __builtin_mul_overflow(a.value, b.value, &product) ? dvt_element_unknown()
                                                              : dvt_element_of_int(product);
  if (is_zero(a) || is_zero(b)) return dvt_element_of_int(0);
  if (is_one(a) || is_one(b)) return is_one(a) ? b : a;
  if (dvt_element_is_dim(a) && dvt_element_is_dim(b))
    return computed_dim(dvt_dim_multiply(q->symbols, a.value, b.value, &dim), &dim);
  return dvt_element_unknown();
}

static dvt_element int_floor_div(const dvt_value_query *q, dvt_element a, dvt_element b) {
  dvt_dim dim = 0;
  if (is_one(b)) return a;
  if (is_zero(b) || (b.known && b.value == -1 && a.known && a.value == INT64_MIN))
    return dvt_element_unknown();
  if (a.known && b.known)
    return dvt_element_of_int(a.value / b.value - (a.value % b.value != 0 && (a.value < 0) != (b.value < 0)));
  if (dvt_element_is_dim(a) && dvt_element_is_dim(b))
    return computed_dim(dvt_dim_divide(q->symbols, a.value, b.value, false, &dim), &dim);
  return dvt_element_unknown();
}

static dvt_element int_truncate_div(const dvt_value_query *q, dvt_element a, dvt_element b) {
  bool same_way = dvt_element_is_dim(a) && dvt_element_is_dim(b);
  if (same_way || !a.known || !b.known || b.value == 0 || b.value == -1) return int_floor_div(q, a, b);
  return dvt_element_of_int(a.value / b.value);
}

static dvt_element int_floor_mod(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  if (is_one(b)) return dvt_element_of_int(0);
  if (!a.known || !b.known || b.value == 0 || b.value == -1)
    return b.known && b.value == -1 ? dvt_element_of_int(0) : dvt_element_unknown();
  int64_t rest = a.value % b.value;
  return dvt_element_of_int(rest != 0 && (rest < 0) != (b.value < 0) ? rest + b.value : rest);
}

static dvt_element int_max(const dvt_value_query *q, dvt_element a, dvt_element b) {
  if (a.known && b.known) return dvt_element_of_int(DVT_MAX(a.value, b.value));
  if (dvt_element_is_dim(a) && dvt_element_is_dim(b))
    return dvt_element_of_dim(dvt_dim_max(q->symbols, a.value, b.value));
  if (dvt_element_is_dim(a) && b.known) return a;  // a negative number
  return dvt_element_is_dim(b) && a.known ? b : dvt_element_unknown();
}

static dvt_element int_min(const dvt_value_query *q, dvt_element a, dvt_element b) {
  if (a.known && b.known) return dvt_element_of_int(DVT_MIN(a.value, b.value));
  if (dvt_element_is_dim(a) && dvt_element_is_dim(b))
    return dvt_element_of_dim(dvt_dim_min(q->symbols, a.value, b.value));
  if (dvt_element_is_dim(a) && b.known) return b;
  return dvt_element_is_dim(b) && a.known ? a : dvt_element_unknown();
}

// a < b as far as it is sure: 1, 0, or -1 for not known.
static int is_less(dvt_element a, dvt_element b) {
  if (a.known && b.known) return a.value < b.value;
  if (a.value == b.value && dvt_element_is_dim(a) && !a.known && !b.known) return 0;
  if (!a.known && dvt_element_is_dim(a) && b.known && b.value <= 0) return 0;
  if (!b.known && dvt_element_is_dim(b) && a.known && a.value < 0) return 1;
  return -1;
}

static int is_equal(dvt_element a, dvt_element b) {
  if (a.known && b.known) return a.value == b.value;
  if (a.value == b.value && !a.known && !b.known && a.value < 0) return 1;
  if (is_less(a, b) == 1 || is_less(b, a) == 1) return 0;
  return -1;
}

static dvt_element truth(int sure) { return sure < 0 ? dvt_element_unknown() : dvt_element_of_int(sure); }
static int negate(int sure) { return sure < 0 ? sure : !sure; }

static dvt_element int_equal(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  return truth(is_equal(a, b));
}
static dvt_element int_not_equal(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  return truth(negate(is_equal(a, b)));
}
static dvt_element int_less(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  return truth(is_less(a, b));
}
static dvt_element int_greater(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  return truth(is_less(b, a));
}
static dvt_element int_less_equal(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  return truth(negate(is_less(b, a)));
}
static dvt_element int_greater_equal(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  return truth(negate(is_less(a, b)));
}
static dvt_element bool_and(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  if (is_zero(a) || is_zero(b)) return dvt_element_of_int(0);
  return a.known && b.known ? dvt_element_of_int(1) : dvt_element_unknown();
}
static dvt_element bool_or(const dvt_value_query *q, dvt_element a, dvt_element b) {
  (void)q;
  if ((a.known && a.value) || (b.known && b.value)) return dvt_element_of_int(1);
  return a.known && b.known ? dvt_element_of_int(0) : dvt_element_unknown();
}

// ---- ops by name ----

typedef struct math_op {
  const char *name;
  element_fn of_ints;
  char of_reals;  // the operation; 0: only integers
} math_op;

static const math_op binary_ops[] = {
    {"Add", int_add, '+'},
    {"AddV2", int_add, '+'},
    {"Sub", int_sub, '-'},
    {"Mul", int_mul, '*'},
    {"FloorDiv", int_floor_div, 'f'},
    {"Div", int_truncate_div, '/'},
    {"TruncateDiv", int_truncate_div, 't'},
    {"RealDiv", NULL, '/'},
    {"FloorMod", int_floor_mod, 0},
    {"Maximum", int_max, 'M'},
    {"Minimum", int_min, 'm'},
    {"Equal", int_equal, '='},
    {"NotEqual", int_not_equal, '!'},
    {"Less", int_less, '<'},
    {"LessEqual", int_less_equal, 'l'},
    {"Greater", int_greater, '>'},
    {"GreaterEqual", int_greater_equal, 'g'},
    {"LogicalAnd", bool_and, 0},
    {"LogicalOr", bool_or, 0},
};

static const math_op *find(const math_op *ops, size_t count, dvt_str name) {
  for (size_t i = 0; i < count; i++)
    if (dvt_str_eq(name, dvt_str_from(ops[i].name))) return &ops[i];
  return NULL;
}

static dvt_element of_reals(char op, dvt_element a, dvt_element b, int dtype) {
  if (!a.known || !b.known) return dvt_element_unknown();
  double x = dvt_element_real(a), y = dvt_element_real(b);
  if (isnan(x) || isnan(y)) return dvt_element_unknown();
  switch (op) {
    case '+':
      return dvt_element_of_real(x + y, dtype);
    case '-':
      return dvt_element_of_real(x - y, dtype);
    case '*':
      return dvt_element_of_real(x * y, dtype);
    case '/':
      return dvt_element_of_real(x / y, dtype);
    case 't':
      return dvt_element_of_real(trunc(x / y), dtype);
    case 'f':
      return dvt_element_of_real(dtype == TF_FLOAT ? floorf((float)x / (float)y) : floor(x / y), dtype);
    case 'M':
      return dvt_element_of_real(x > y ? x : y, dtype);
    case 'm':
      return dvt_element_of_real(x < y ? x : y, dtype);
    case '=':
      return dvt_element_of_int(x == y);
    case '!':
      return dvt_element_of_int(x != y);
    case '<':
      return dvt_element_of_int(x < y);
    case 'l':
      return dvt_element_of_int(x <= y);
    case '>':
      return dvt_element_of_int(x > y);
    case 'g':
      return dvt_element_of_int(x >= y);
    default:
      return dvt_element_unknown();
  }
}

// In the range of its dtype, where stock would wrap around.
static dvt_element in_range(dvt_element e, int dtype) {
  return dtype == TF_INT32 && e.known && e.value != (int32_t)e.value ? dvt_element_unknown() : e;
}

static dvt_element element_of(const dvt_value *v, int i) { return v->at[v->count == 1 ? 0 : i]; }

// Operands of equal shape, or one element and any.
static bool fits(const dvt_value *operand, const dvt_value *result) {
  return operand->count == 1 || (operand->count == result->count && operand->rank == result->rank &&
                                 memcmp(operand->dims, result->dims, sizeof operand->dims) == 0);
}

const dvt_value *dvt_value_binary(const dvt_value_query *q) {
  const math_op *op = find(binary_ops, DVT_COUNT_OF(binary_ops), q->node->op->name);
  const dvt_value *a = dvt_value_operand(q, 0), *b = dvt_value_operand(q, 1);
  if (!op || !a || !b || a->dtype != b->dtype) return NULL;
  dvt_value *v = dvt_value_result_like(q, a->rank > b->rank || a->count > b->count ? a : b);
  bool real = dvt_value_is_real(a->dtype);
  if (!v || !fits(a, v) || !fits(b, v) || (!real && !op->of_ints)) return NULL;
  for (int i = 0; i < v->count; i++) {
    dvt_element x = element_of(a, i), y = element_of(b, i);
    v->at[i] = real ? of_reals(op->of_reals, x, y, a->dtype) : in_range(op->of_ints(q, x, y), v->dtype);
  }
  return v;
}

static dvt_element unary(dvt_str op, dvt_element e, int dtype) {
  if (dvt_str_is(op, "Abs") && !dvt_value_is_real(dtype) && dvt_element_is_dim(e)) return e;
  if (!e.known) return dvt_element_unknown();
  if (dvt_str_is(op, "LogicalNot")) return dvt_element_of_int(!e.value);
  if (!dvt_value_is_real(dtype)) {
    bool negate_it = dvt_str_is(op, "Neg") || (dvt_str_is(op, "Abs") && e.value < 0);
    if (e.value == INT64_MIN || (!negate_it && !dvt_str_is(op, "Abs"))) return dvt_element_unknown();
    return in_range(dvt_element_of_int(negate_it ? -e.value : e.value), dtype);
  }
  double x = dvt_element_real(e);
  if (dvt_str_is(op, "Neg")) return dvt_element_of_real(-x, dtype);
  if (dvt_str_is(op, "Abs")) return dvt_element_of_real(fabs(x), dtype);
  if (dvt_str_is(op, "Floor")) return dvt_element_of_real(floor(x), dtype);
  if (dvt_str_is(op, "Ceil")) return dvt_element_of_real(ceil(x), dtype);
  if (dvt_str_is(op, "Sqrt"))
    return dvt_element_of_real(dtype == TF_FLOAT ? sqrtf((float)x) : sqrt(x), dtype);
  return dvt_element_unknown();
}

const dvt_value *dvt_value_unary(const dvt_value_query *q) {
  const dvt_value *a = q->inputs->value(q->inputs->arg, 0);
  dvt_value *v = a ? dvt_value_result_like(q, a) : NULL;
  for (int i = 0; v && i < v->count; i++) v->at[i] = unary(q->node->op->name, a->at[i], a->dtype);
  return v;
}

static dvt_element cast(dvt_element e, int from, int to) {
  bool from_real = dvt_value_is_real(from), to_real = dvt_value_is_real(to);
  if (!e.known) return to_real || from_real || to == TF_BOOL ? dvt_element_unknown() : e;
  if (from_real && to_real) return dvt_element_of_real(dvt_element_real(e), to);
  if (to_real) return dvt_element_of_real(to == TF_FLOAT ? (double)(float)e.value : (double)e.value, to);
  if (to == TF_BOOL) return dvt_element_of_int(from_real ? dvt_element_real(e) != 0 : e.value != 0);
  if (!from_real) return in_range(e, to);
  double real = dvt_element_real(e);
  if (!(real > -9.0e18 && real < 9.0e18)) return dvt_element_unknown();
  return in_range(dvt_element_of_int((int64_t)real), to);
}

const dvt_value *dvt_value_cast(const dvt_value_query *q) {
  const dvt_value *a = q->inputs->value(q->inputs->arg, 0);
  dvt_value *v = a ? dvt_value_result_like(q, a) : NULL;
  for (int i = 0; v && i < v->count; i++) v->at[i] = cast(a->at[i], a->dtype, v->dtype);
  return v;
}

static const math_op reductions[] = {
    {"Prod", int_mul, 0},  {"Sum", int_add, 0},  {"Max", int_max, 'M'},
    {"Min", int_min, 'm'}, {"All", bool_and, 0}, {"Any", bool_or, 0},
};

// A vector to one element, along its only axis; a scalar stays what it is. Sums and products of reals depend
// on the order, which is the kernel's.
const dvt_value *dvt_value_reduce(const dvt_value_query *q) {
  const math_op *op = find(reductions, DVT_COUNT_OF(reductions), q->node->op->name);
  const dvt_value *a = q->inputs->value(q->inputs->arg, 0), *axes = q->inputs->value(q->inputs->arg, 1);
  dvt_value *v = op && a && axes ? dvt_value_result(q) : NULL;
  if (!v || a->rank > 1 || v->count != 1 || (a->rank == 1 && axes->count != 1)) return NULL;
  bool real = dvt_value_is_real(a->dtype);
  if (real && !op->of_reals) return NULL;
  if (a->count == 0) {
    bool one = dvt_str_is(q->node->op->name, "Prod") || dvt_str_is(q->node->op->name, "All");
    bool defined = one || dvt_str_is(q->node->op->name, "Sum") || dvt_str_is(q->node->op->name, "Any");
    if (!defined || real) return NULL;
    v->at[0] = dvt_element_of_int(one);
    return v;
  }
  v->at[0] = a->at[0];
  for (int i = 1; i < a->count; i++)
    v->at[0] = real ? of_reals(op->of_reals, v->at[0], a->at[i], a->dtype)
                    : in_range(op->of_ints(q, v->at[0], a->at[i]), v->dtype);
  return v;
}

const dvt_value *dvt_value_select(const dvt_value_query *q) {
  const dvt_value *c = dvt_value_operand(q, 0), *a = dvt_value_operand(q, 1), *b = dvt_value_operand(q, 2);
  dvt_value *v = c && a && b ? dvt_value_result(q) : NULL;
  if (!v || !fits(a, v) || !fits(b, v) || !fits(c, v)) return NULL;
  for (int i = 0; i < v->count; i++) {
    dvt_element condition = element_of(c, i), x = element_of(a, i), y = element_of(b, i);
    if (condition.known)
      v->at[i] = condition.value ? x : y;
    else if (x.known == y.known && x.value == y.value)
      v->at[i] = x;
  }
  return v;
}

// The shape that two shapes broadcast to.
const dvt_value *dvt_value_broadcast_args(const dvt_value_query *q) {
  const dvt_value *a = dvt_value_operand(q, 0), *b = dvt_value_operand(q, 1);
  if (!a || !b || a->rank != 1 || b->rank != 1) return NULL;
  int64_t count = DVT_MAX(a->count, b->count);
  dvt_value *v = dvt_value_new(q->arena, q->node->output_types[0], &count, 1);
  for (int i = 0; v && i < count; i++) {
    int at_a = i - (int)(count - a->count), at_b = i - (int)(count - b->count);
    dvt_element x = at_a < 0 ? dvt_element_of_int(1) : a->at[at_a],
                y = at_b < 0 ? dvt_element_of_int(1) : b->at[at_b];
    if (is_one(x) || is_equal(x, y) == 1)
      v->at[i] = y;
    else if (is_one(y) || (x.known && x.value > 1))
      v->at[i] = x;
    else if (y.known && y.value > 1)
      v->at[i] = y;
  }
  return v;
}
