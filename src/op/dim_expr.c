// Computed symbols, each once: see dim_expr.h. They are kept in the order made, in which symbols descend,
// with a hash table of positions over them. A sum with a number is kept as ADD of the symbol and the number,
// which may be negative there; numbers stand right.
#include "op/dim_expr.h"

typedef struct dim_expr {
  int64_t a, b;  // symbols or, where b_is_number, a symbol and a number
  dvt_dim symbol;
  uint8_t op;
  bool a_is_number, b_is_number;
} dim_expr;

struct dvt_dim_exprs {
  dim_expr *at;
  size_t count, capacity;
  int32_t *slots;  // position + 1; 0: empty
  size_t slot_count;
};

void dvt_dim_exprs_destroy(dvt_dim_exprs *exprs) {
  if (!exprs) return;
  dvt_free(exprs->at);
  dvt_free(exprs->slots);
  dvt_free(exprs);
}

static size_t hash_of(const dim_expr *e) {
  uint64_t h = (uint64_t)e->a * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)e->b;
  h = (h ^ (h >> 29)) * UINT64_C(0xBF58476D1CE4E5B9) + e->op * 4u + e->a_is_number * 2u + e->b_is_number;
  return (size_t)(h ^ (h >> 32));
}

static bool same(const dim_expr *x, const dim_expr *y) {
  return x->op == y->op && x->a == y->a && x->b == y->b && x->a_is_number == y->a_is_number &&
         x->b_is_number == y->b_is_number;
}

static int32_t *slot_of(const dvt_dim_exprs *exprs, const dim_expr *e) {
  size_t mask = exprs->slot_count - 1, i = hash_of(e) & mask;
  while (exprs->slots[i] && !same(&exprs->at[exprs->slots[i] - 1], e)) i = (i + 1) & mask;
  return &exprs->slots[i];
}

static bool grow_slots(dvt_dim_exprs *exprs) {
  size_t count = exprs->slot_count ? exprs->slot_count * 2 : 64;
  int32_t *slots = dvt_calloc(count, sizeof *slots);
  if (!slots) return false;
  dvt_free(exprs->slots);
  exprs->slots = slots;
  exprs->slot_count = count;
  for (size_t i = 0; i < exprs->count; i++) *slot_of(exprs, &exprs->at[i]) = (int32_t)(i + 1);
  return true;
}

static bool make_room(dvt_shape_arena *arena) {
  if (!arena->exprs) arena->exprs = dvt_calloc(1, sizeof *arena->exprs);
  dvt_dim_exprs *exprs = arena->exprs;
  return exprs && exprs->count < INT32_MAX / 4 &&
         ((exprs->count + 1) * 2 <= exprs->slot_count || grow_slots(exprs)) &&
         dvt_grow((void **)&exprs->at, &exprs->capacity, exprs->count + 1, sizeof *exprs->at);
}

// The symbol of an expression, made at the first time.
static dvt_dim symbol_of(dvt_shape_arena *arena, dim_expr e) {
  if (!make_room(arena)) return dvt_dim_new_unknown(arena);
  dvt_dim_exprs *exprs = arena->exprs;
  int32_t *slot = slot_of(exprs, &e);
  if (*slot) return exprs->at[*slot - 1].symbol;
  e.symbol = dvt_dim_new_unknown(arena);
  exprs->at[exprs->count++] = e;
  *slot = (int32_t)exprs->count;
  return e.symbol;
}

// How the symbol was computed; NULL if it was not.
static const dim_expr *find(const dvt_shape_arena *arena, dvt_dim symbol) {
  const dvt_dim_exprs *exprs = arena->exprs;
  size_t low = 0, high = exprs ? exprs->count : 0;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (exprs->at[middle].symbol > symbol)
      low = middle + 1;
    else
      high = middle;
  }
  return exprs && low < exprs->count && exprs->at[low].symbol == symbol ? &exprs->at[low] : NULL;
}

static const dim_expr *find_op(const dvt_shape_arena *arena, dvt_dim symbol, dvt_dim_op op,
                               bool with_number) {
  const dim_expr *e = dvt_dim_known(symbol) ? NULL : find(arena, symbol);
  return e && e->op == op && e->b_is_number == with_number && !e->a_is_number ? e : NULL;
}

// symbol + number, which may be negative.
static dvt_dim add_number(dvt_shape_arena *arena, dvt_dim symbol, int64_t number) {
  const dim_expr *e = find_op(arena, symbol, DVT_DIM_ADD, true);
  int64_t sum = number;
  if (e) {
    if (__builtin_add_overflow(e->b, number, &sum)) return dvt_dim_new_unknown(arena);
    symbol = e->a;
  }
  if (sum == 0) return symbol;
  return symbol_of(arena, (dim_expr){.a = symbol, .b = sum, .op = DVT_DIM_ADD, .b_is_number = true});
}

static dvt_dim multiply_number(dvt_shape_arena *arena, dvt_dim symbol, int64_t number) {
  const dim_expr *e = find_op(arena, symbol, DVT_DIM_MULTIPLY, true);
  int64_t product = number;
  if (number == 0) return 0;
  if (e) {
    if (__builtin_mul_overflow(e->b, number, &product)) return dvt_dim_new_unknown(arena);
    symbol = e->a;
  }
  if (product == 1) return symbol;
  return symbol_of(arena, (dim_expr){.a = symbol, .b = product, .op = DVT_DIM_MULTIPLY, .b_is_number = true});
}

static dvt_dim divide_number(dvt_shape_arena *arena, dvt_dim symbol, int64_t number) {
  const dim_expr *e = find_op(arena, symbol, DVT_DIM_MULTIPLY, true);
  int64_t divisor = number;
  if (number == 1) return symbol;
  if (e && e->b % number == 0) return multiply_number(arena, e->a, e->b / number);
  e = find_op(arena, symbol, DVT_DIM_DIVIDE, true);
  if (e) {
    if (__builtin_mul_overflow(e->b, number, &divisor)) return dvt_dim_new_unknown(arena);
    symbol = e->a;
  }
  return symbol_of(arena, (dim_expr){.a = symbol, .b = divisor, .op = DVT_DIM_DIVIDE, .b_is_number = true});
}

static dvt_dim of_two(dvt_shape_arena *arena, dvt_dim_op op, dvt_dim a, dvt_dim b) {
  return symbol_of(arena, (dim_expr){.a = a,
                                     .b = b,
                                     .op = (uint8_t)op,
                                     .a_is_number = dvt_dim_known(a),
                                     .b_is_number = dvt_dim_known(b)});
}

// The numbers of both products stand outside: (a*2)*b is (a*b)*2.
static dvt_dim multiply_symbols(dvt_shape_arena *arena, dvt_dim a, dvt_dim b) {
  const dim_expr *x = find_op(arena, a, DVT_DIM_MULTIPLY, true),
                 *y = find_op(arena, b, DVT_DIM_MULTIPLY, true);
  dvt_dim of_a = x ? x->a : a, of_b = y ? y->a : b;
  int64_t number;
  if (__builtin_mul_overflow(x ? x->b : 1, y ? y->b : 1, &number)) return dvt_dim_new_unknown(arena);
  return multiply_number(arena, of_two(arena, DVT_DIM_MULTIPLY, DVT_MAX(of_a, of_b), DVT_MIN(of_a, of_b)),
                         number);
}

static dvt_dim of_symbols(dvt_shape_arena *arena, dvt_dim_op op, dvt_dim a, dvt_dim b) {
  dvt_dim part;
  switch (op) {
    case DVT_DIM_ADD:
      if (a == b) return multiply_number(arena, a, 2);
      break;
    case DVT_DIM_SUBTRACT:
      return dvt_dim_difference(arena, a, b, &part) ? part : of_two(arena, op, a, b);
    case DVT_DIM_DIVIDE: {
      const dim_expr *e = find_op(arena, a, DVT_DIM_MULTIPLY, false);
      if (e && (e->a == b || e->b == b)) return e->a == b ? e->b : e->a;
      return of_two(arena, op, a, b);
    }
    case DVT_DIM_MIN:
    case DVT_DIM_MAX:
      if (a == b) return a;
      break;
    case DVT_DIM_MULTIPLY:
      return multiply_symbols(arena, a, b);
  }
  return of_two(arena, op, DVT_MAX(a, b), DVT_MIN(a, b));  // the order of operands does not count
}

// max(max(N,2),5) is max(N,5).
static dvt_dim bound(dvt_shape_arena *arena, dvt_dim_op op, dvt_dim symbol, int64_t number) {
  const dim_expr *e = find_op(arena, symbol, op, true);
  if (!e) return of_two(arena, op, symbol, number);
  return of_two(arena, op, e->a, op == DVT_DIM_MAX ? DVT_MAX(e->b, number) : DVT_MIN(e->b, number));
}

dvt_dim dvt_dim_compute(dvt_shape_arena *arena, dvt_dim_op op, dvt_dim a, dvt_dim b) {
  if (!dvt_dim_known(a) && !dvt_dim_known(b)) return of_symbols(arena, op, a, b);
  dvt_dim symbol = dvt_dim_known(a) ? b : a;
  int64_t number = dvt_dim_known(a) ? a : b;
  switch (op) {
    case DVT_DIM_ADD:
      return add_number(arena, symbol, number);
    case DVT_DIM_MULTIPLY:
      return multiply_number(arena, symbol, number);
    case DVT_DIM_SUBTRACT:
      return symbol == a ? add_number(arena, symbol, -number) : of_two(arena, op, a, b);
    case DVT_DIM_DIVIDE:
      return symbol == a && number > 0 ? divide_number(arena, symbol, number) : of_two(arena, op, a, b);
    case DVT_DIM_MIN:
      return number == 0 ? 0 : bound(arena, op, symbol, number);
    case DVT_DIM_MAX:
      return number == 0 ? symbol : bound(arena, op, symbol, number);
  }
  return dvt_dim_new_unknown(arena);
}

bool dvt_dim_difference(const dvt_shape_arena *arena, dvt_dim a, dvt_dim b, dvt_dim *out_dim) {
  if (a == b) {
    *out_dim = 0;
    return true;
  }
  if (dvt_dim_known(a) && dvt_dim_known(b)) {
    *out_dim = a - b;
    return a >= b;
  }
  const dim_expr *e = find_op(arena, a, DVT_DIM_ADD, dvt_dim_known(b));
  if (!e || (e->b != b && e->a != b)) return false;
  *out_dim = e->b == b ? e->a : e->b;
  return true;
}

static void describe(const dvt_shape_arena *arena, int64_t value, bool is_number, bool inner, int depth,
                     void (*name)(void *arg, dvt_dim symbol, dvt_buf *out), void *arg, dvt_buf *out) {
  enum { MAX_DEPTH = 8 };
  static const char *const signs[] = {
      [DVT_DIM_ADD] = "+", [DVT_DIM_SUBTRACT] = "-", [DVT_DIM_MULTIPLY] = "*", [DVT_DIM_DIVIDE] = "/"};
  if (is_number) {
    dvt_buf_printf(out, "%lld", (long long)value);
    return;
  }
  const dim_expr *e = depth < MAX_DEPTH ? find(arena, value) : NULL;
  if (!e) {
    name(arg, value, out);
    return;
  }
  bool call = e->op == DVT_DIM_MIN || e->op == DVT_DIM_MAX;
  if (call) dvt_buf_printf(out, "%s", e->op == DVT_DIM_MIN ? "min" : "max");
  if (call || inner) dvt_buf_append_byte(out, '(');
  describe(arena, e->a, e->a_is_number, true, depth + 1, name, arg, out);
  bool negative = e->op == DVT_DIM_ADD && e->b_is_number && e->b < 0;
  if (!negative) dvt_buf_printf(out, "%s", call ? "," : signs[e->op]);
  describe(arena, e->b, e->b_is_number, true, depth + 1, name, arg, out);
  if (call || inner) dvt_buf_append_byte(out, ')');
}

void dvt_dim_describe(const dvt_shape_arena *arena, dvt_dim dim,
                      void (*name)(void *arg, dvt_dim symbol, dvt_buf *out), void *arg, dvt_buf *out) {
  describe(arena, dim, dvt_dim_known(dim), false, 0, name, arg, out);
}
