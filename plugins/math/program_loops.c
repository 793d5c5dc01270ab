// _DovetailElementwise: runs a program of element-wise steps over blocks that stay in the cache, with
// broadcasting. Each step is the loop that the op of that name has, so results are those of the ops one after
// the other. See program.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "common/broadcast.h"
#include "common/elementwise.h"
#include "common/vector_math.h"
#include "program.h"

#define BLOCK_BYTES 4096  // at most

// ---- the steps ----

typedef void (*unary_step)(const void *in, void *out, int64_t n);

#define UNARY_STEPS(X, t)                             \
  X(t, neg, t, -a)                                    \
  X(t, abs, t, fabs(a))                               \
  X(t, square, t, a *a)                               \
  X(t, sqrt, t, sqrt(a))                              \
  X(t, rsqrt, t, 1 / sqrt(a))                         \
  X(t, reciprocal, t, 1 / a)                          \
  X(t, relu, t, a > 0 || a != a ? a : 0)              \
  X(t, relu6, t, a > 6 ? 6 : a > 0 || a != a ? a : 0) \
  X(t, softsign, t, a / (1 + fabs(a)))
UNARY_STEPS(DVP_UNARY_LOOP, f32)
UNARY_STEPS(DVP_UNARY_LOOP, f64)

#define BINARY_STEPS(X, t)                  \
  X(t, add, t, a + b)                       \
  X(t, sub, t, a - b)                       \
  X(t, mul, t, a *b)                        \
  X(t, real_div, t, a / b)                  \
  X(t, maximum, t, a > b || a != a ? a : b) \
  X(t, minimum, t, a < b || a != a ? a : b) \
  X(t, squared_difference, t, (a - b) * (a - b))
BINARY_STEPS(DVP_BINARY_LOOPS, f32)
BINARY_STEPS(DVP_BINARY_LOOPS, f64)

// Exponents 2 and 3 are products.
#define POW_STEP(t, unused)                                                         \
  static bool pow_##t##_vv(const void *a, const void *b, void *out, int64_t n) {    \
    DVP_VECTOR(pow, t)(a, 1, b, 1, out, n);                                         \
    return true;                                                                    \
  }                                                                                 \
  static bool pow_##t##_sv(const void *a, const void *b, void *out, int64_t n) {    \
    DVP_VECTOR(pow, t)(a, 0, b, 1, out, n);                                         \
    return true;                                                                    \
  }                                                                                 \
  static bool pow_##t##_vs(const void *pa, const void *pb, void *pout, int64_t n) { \
    const dvp_##t *a = pa, *b = pb;                                                 \
    dvp_##t *out = pout;                                                            \
    if (*b == 2)                                                                    \
      for (int64_t i = 0; i < n; i++) out[i] = a[i] * a[i];                         \
    else if (*b == 3)                                                               \
      for (int64_t i = 0; i < n; i++) out[i] = a[i] * a[i] * a[i];                  \
    else                                                                            \
      DVP_VECTOR(pow, t)(a, 1, b, 0, out, n);                                       \
    return true;                                                                    \
  }
DVP_SINGLES(POW_STEP, )

#define VECTOR_STEP(t, f) \
  static void f##_##t##_loop(const void *in, void *out, int64_t n) { DVP_VECTOR(f, t)(in, out, n); }
#define VECTOR_STEPS(t, unused)                                                                          \
  VECTOR_STEP(t, exp)                                                                                    \
  VECTOR_STEP(t, expm1)                                                                                  \
  VECTOR_STEP(t, log) VECTOR_STEP(t, log1p) VECTOR_STEP(t, sin) VECTOR_STEP(t, cos) VECTOR_STEP(t, tanh) \
      VECTOR_STEP(t, sigmoid) VECTOR_STEP(t, erf) VECTOR_STEP(t, erfc)
DVP_SINGLES(VECTOR_STEPS, )

typedef struct step_table {
  size_t bytes;  // of an element
  unary_step unary[DVP_STEP_ADD];
  struct {
    dvp_binary_loop vv, vs, sv;
  } binary[DVP_STEP_COUNT - DVP_STEP_ADD];
} step_table;

#define UNARY_ENTRY(t, OP, op) [DVP_STEP_##OP] = op##_##t##_loop,
#define BINARY_ENTRY(t, OP, op) \
  [DVP_STEP_##OP - DVP_STEP_ADD] = {op##_##t##_vv, op##_##t##_vs, op##_##t##_sv},
#define TABLE(t, unused)                                                                                  \
  static const step_table table_##t = {                                                                   \
      sizeof(dvp_##t),                                                                                    \
      {UNARY_ENTRY(t, NEG, neg) UNARY_ENTRY(t, ABS, abs) UNARY_ENTRY(t, SQUARE, square)                   \
           UNARY_ENTRY(t, SQRT, sqrt) UNARY_ENTRY(t, RSQRT, rsqrt) UNARY_ENTRY(t, RECIPROCAL, reciprocal) \
               UNARY_ENTRY(t, RELU, relu) UNARY_ENTRY(t, RELU6, relu6) UNARY_ENTRY(t, SOFTSIGN, softsign) \
                   UNARY_ENTRY(t, EXP, exp) UNARY_ENTRY(t, EXPM1, expm1) UNARY_ENTRY(t, LOG, log)         \
                       UNARY_ENTRY(t, LOG1P, log1p) UNARY_ENTRY(t, SIN, sin) UNARY_ENTRY(t, COS, cos)     \
                           UNARY_ENTRY(t, TANH, tanh) UNARY_ENTRY(t, SIGMOID, sigmoid)                    \
                               UNARY_ENTRY(t, ERF, erf) UNARY_ENTRY(t, ERFC, erfc)},                      \
      {BINARY_ENTRY(t, ADD, add) BINARY_ENTRY(t, SUB, sub) BINARY_ENTRY(t, MUL, mul) BINARY_ENTRY(        \
          t, REAL_DIV, real_div) BINARY_ENTRY(t, MAXIMUM, maximum) BINARY_ENTRY(t, MINIMUM, minimum)      \
           BINARY_ENTRY(t, SQUARED_DIFFERENCE, squared_difference) BINARY_ENTRY(t, POW, pow)}};
DVP_SINGLES(TABLE, )

// ---- running ----

// How an input's elements are found for a block of the result.
typedef enum source_kind { WHOLE, ONE, REPEATED } source_kind;

typedef struct program_run {
  const dvp_program *program;
  const step_table *table;
  const dvp_broadcast *space;
  const char *data[DVP_PROGRAM_INPUTS];
  source_kind kinds[DVP_PROGRAM_INPUTS];
  char *out;
  int64_t block;
  bool repeats;  // blocks are all alike to inputs that are repeated
} program_run;

typedef struct value {
  const char *data;
  bool one;  // a single element for the whole block
} value;

// Buffers of one thread's range: repeated inputs, then results.
typedef struct block_run {
  const program_run *run;
  int64_t begin;
  char *inputs[DVP_PROGRAM_INPUTS];
  char *results[DVP_MAX_STEPS];
  double *ones;  // results of a single element, which must not be overwritten by those that read them
} block_run;

static void fill(char *out, const char *element, int64_t n, size_t bytes) {
  for (int64_t i = 0; i < n; i++) memcpy(out + (size_t)i * bytes, element, bytes);
}

static void copy_row(void *arg, const int64_t *offsets, int64_t out_offset, int64_t n) {
  const block_run *b = arg;
  const program_run *run = b->run;
  size_t bytes = run->table->bytes;
  for (int k = 0; k < run->program->inputs; k++) {
    if (run->kinds[k] != REPEATED) continue;
    const char *from = run->data[k] + (size_t)offsets[k] * bytes;
    char *to = b->inputs[k] + (size_t)(out_offset - b->begin) * bytes;
    if (run->space->strides[k][run->space->rank - 1] == 0)
      fill(to, from, n, bytes);
    else
      memcpy(to, from, (size_t)n * bytes);
  }
}

static void run_step(const step_table *table, const dvp_program_step *step, value a, value b, char *out,
                     int64_t n) {
  if (step->op < DVP_STEP_ADD) {
    table->unary[step->op](a.data, out, n);
    return;
  }
  int op = (int)step->op - DVP_STEP_ADD;
  if (b.one)
    table->binary[op].vs(a.data, b.data, out, n);
  else if (a.one)
    table->binary[op].sv(a.data, b.data, out, n);
  else
    table->binary[op].vv(a.data, b.data, out, n);
}

static void run_block(const block_run *b, int64_t n) {
  const program_run *run = b->run;
  const dvp_program *p = run->program;
  value values[DVP_PROGRAM_INPUTS + DVP_MAX_STEPS];
  char *result = run->out + (size_t)b->begin * run->table->bytes;
  for (int k = 0; k < p->inputs; k++)
    values[k] = run->kinds[k] == WHOLE ? (value){run->data[k] + (size_t)b->begin * run->table->bytes, false}
                : run->kinds[k] == ONE ? (value){run->data[k], true}
                                       : (value){b->inputs[k], false};
  for (int i = 0; i < p->step_count; i++) {
    const dvp_program_step *step = &p->steps[i];
    value x = values[step->a], y = values[step->b];
    bool one = x.one && y.one;
    char *out = step->buffer < 0 ? result : one ? (char *)&b->ones[i] : b->results[step->buffer];
    run_step(run->table, step, x, y, out, one ? 1 : n);
    if (one && step->buffer < 0) fill(out + run->table->bytes, out, n - 1, run->table->bytes);
    values[p->inputs + i] = (value){out, one};
  }
}

// Units are blocks.
static void run_range(void *arg, int64_t begin, int64_t end) {
  const program_run *run = arg;
  const dvp_program *p = run->program;
  _Alignas(64) char storage[(DVP_PROGRAM_INPUTS + DVP_MAX_STEPS) * BLOCK_BYTES];
  double ones[DVP_MAX_STEPS];
  block_run b = {.run = run, .ones = ones};
  char *free_bytes = storage;
  bool repeated = false;
  for (int k = 0; k < p->inputs; k++) {
    if (run->kinds[k] != REPEATED) continue;
    b.inputs[k] = free_bytes;
    free_bytes += BLOCK_BYTES;
    repeated = true;
  }
  for (int k = 0; k < p->buffers; k++, free_bytes += BLOCK_BYTES) b.results[k] = free_bytes;
  for (int64_t unit = begin; unit < end; unit++) {
    b.begin = unit * run->block;
    int64_t n = DVP_MIN(run->block, run->space->out_count - b.begin);
    if (repeated && (unit == begin || !run->repeats))
      dvp_broadcast_rows(run->space, b.begin, b.begin + n, copy_row, &b);
    run_block(&b, n);
  }
}

static source_kind kind_of(const dvp_broadcast *space, int64_t count) {
  return count == 1 ? ONE : count == space->out_count ? WHOLE : REPEATED;
}

// Whole rows to a block where they are short; then inputs that vary along rows only are filled in once.
static void choose_block(program_run *run) {
  const dvp_broadcast *space = run->space;
  int64_t row = space->dims[space->rank - 1], most = BLOCK_BYTES / (int64_t)run->table->bytes;
  run->block = row <= most ? most / row * row : most;
  run->repeats = row <= most;
  for (int k = 0; k < run->program->inputs; k++)
    for (int d = 0; run->kinds[k] == REPEATED && d < space->rank - 1; d++)
      run->repeats &= space->strides[k][d] == 0;
}

static void run_program(dvp_call *call, const dvp_program *p, const step_table *table) {
  dvp_view views[DVP_PROGRAM_INPUTS];
  const dvp_view *operands[DVP_PROGRAM_INPUTS];
  dvp_broadcast space;
  program_run run = {.program = p, .table = table, .space = &space};
  for (int k = 0; k < p->inputs; k++) {
    if (!dvp_input(call, k, &views[k])) return;
    operands[k] = &views[k];
  }
  if (!dvp_broadcast_init(&space, operands, p->inputs)) {
    char text[DVP_SHAPE_TEXT];
    dvp_fail(call, TF_INVALID_ARGUMENT, "Incompatible shapes: the first of %d is %s", p->inputs,
             dvp_shape_text(views[0].dims, views[0].rank, text));
    return;
  }
  int over[2] = {-1, -1}, found = 0;
  for (int k = 0; k < p->inputs; k++) {
    run.data[k] = views[k].data;
    run.kinds[k] = kind_of(&space, views[k].count);
    if (run.kinds[k] == WHOLE && found < 2) over[found++] = k;
  }
  run.out = dvp_output_over(call, over[0], over[1], 0, space.out_dims, space.out_rank);
  if (!run.out || space.out_count == 0) return;
  choose_block(&run);
  int64_t blocks = (space.out_count + run.block - 1) / run.block;
  dvp_parallel(call, blocks, run.block * (p->cost_ps + 100), run_range, &run);
}

#define COMPUTE(t, unused) \
  DVP_COMPUTE(program_##t##_compute) { run_program(call, state, &table_##t); }
DVP_SINGLES(COMPUTE, )

static const dvp_kernel program_rows[] = {DVP_SINGLES(DVP_ROW, program)};
DVP_DEFINE_SET(program, "T", dvp_program_create, free, program_rows);
