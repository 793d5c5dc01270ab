// Reading the program of a node of _DovetailElementwise: see program.h.
#include "program.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/elementwise.h"

static const struct {
  const char *name;
  int operands, cost_ps;
} ops[DVP_STEP_COUNT] = {
    [DVP_STEP_NEG] = {"Neg", 1, 50},
    [DVP_STEP_ABS] = {"Abs", 1, 50},
    [DVP_STEP_SQUARE] = {"Square", 1, 50},
    [DVP_STEP_SQRT] = {"Sqrt", 1, DVP_CHEAP},
    [DVP_STEP_RSQRT] = {"Rsqrt", 1, DVP_CHEAP},
    [DVP_STEP_RECIPROCAL] = {"Reciprocal", 1, DVP_CHEAP},
    [DVP_STEP_RELU] = {"Relu", 1, 50},
    [DVP_STEP_RELU6] = {"Relu6", 1, 50},
    [DVP_STEP_SOFTSIGN] = {"Softsign", 1, DVP_CHEAP},
    [DVP_STEP_EXP] = {"Exp", 1, DVP_MEDIUM},
    [DVP_STEP_EXPM1] = {"Expm1", 1, DVP_COSTLY},
    [DVP_STEP_LOG] = {"Log", 1, DVP_MEDIUM},
    [DVP_STEP_LOG1P] = {"Log1p", 1, DVP_COSTLY},
    [DVP_STEP_SIN] = {"Sin", 1, DVP_COSTLY},
    [DVP_STEP_COS] = {"Cos", 1, DVP_COSTLY},
    [DVP_STEP_TANH] = {"Tanh", 1, DVP_COSTLY},
    [DVP_STEP_SIGMOID] = {"Sigmoid", 1, DVP_MEDIUM},
    [DVP_STEP_ERF] = {"Erf", 1, DVP_COSTLY},
    [DVP_STEP_ERFC] = {"Erfc", 1, DVP_COSTLY},
    [DVP_STEP_ADD] = {"AddV2", 2, 50},
    [DVP_STEP_SUB] = {"Sub", 2, 50},
    [DVP_STEP_MUL] = {"Mul", 2, 50},
    [DVP_STEP_REAL_DIV] = {"RealDiv", 2, DVP_CHEAP},
    [DVP_STEP_MAXIMUM] = {"Maximum", 2, 50},
    [DVP_STEP_MINIMUM] = {"Minimum", 2, 50},
    [DVP_STEP_SQUARED_DIFFERENCE] = {"SquaredDifference", 2, 50},
    [DVP_STEP_POW] = {"Pow", 2, 2 * DVP_COSTLY},
};

// Reads a value that is known before step `step`; -1 when there is none.
static int read_value(const dvp_program *p, const char **text) {
  if (**text != ' ' || !isdigit((unsigned char)(*text)[1])) return -1;
  char *end;
  long value = strtol(*text + 1, &end, 10);
  *text = end;
  return value < p->inputs + p->step_count ? (int)value : -1;
}

// Reads one step and the semicolon behind it.
static bool read_step(dvp_program *p, const char **text) {
  size_t length = strcspn(*text, " ;");
  int op = 0;
  while (op < DVP_STEP_COUNT && (strlen(ops[op].name) != length || memcmp(ops[op].name, *text, length) != 0))
    op++;
  if (op == DVP_STEP_COUNT || p->step_count == DVP_MAX_STEPS) return false;
  *text += length;
  dvp_program_step *step = &p->steps[p->step_count];
  step->op = (dvp_step_op)op;
  step->a = step->b = read_value(p, text);
  if (ops[op].operands == 2 && step->a >= 0) step->b = read_value(p, text);
  p->step_count++;
  p->cost_ps += ops[op].cost_ps;
  if (**text == ';') ++*text;
  return step->a >= 0 && step->b >= 0;
}

// Buffers for the results; one is free again after the last step that reads it.
static void place_results(dvp_program *p) {
  int last_use[DVP_MAX_STEPS] = {0}, holder[DVP_MAX_STEPS];
  for (int i = 0; i < p->step_count; i++) {
    if (p->steps[i].a >= p->inputs) last_use[p->steps[i].a - p->inputs] = i;
    if (p->steps[i].b >= p->inputs) last_use[p->steps[i].b - p->inputs] = i;
  }
  for (int i = 0; i < p->step_count - 1; i++) {
    int buffer = 0;
    while (buffer < p->buffers && last_use[holder[buffer]] > i) buffer++;
    if (buffer == p->buffers) p->buffers++;
    holder[buffer] = i;
    p->steps[i].buffer = buffer;
  }
  p->steps[p->step_count - 1].buffer = -1;
}

void *dvp_program_create(TF_OpKernelConstruction *ctx) {
  dvp_program *p = dvp_state_new(ctx, sizeof *p);
  if (!p) return NULL;
  size_t bytes = 0;
  int64_t inputs = dvp_attr_int(ctx, "N");
  char *text = dvp_attr_string_new(ctx, "program", &bytes);
  const char *at = text;
  p->inputs = (int)DVP_MIN(inputs, DVP_PROGRAM_INPUTS);
  bool fine = text && inputs == p->inputs && *at;
  while (fine && *at) fine = read_step(p, &at);
  if (fine) {
    place_results(p);
  } else if (text) {
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT,
                    "program '%.*s' over %" PRId64
                    " inputs is no list of at most %d steps as \"Sigmoid 0;Mul 0 1\" over at most %d inputs",
                    200, text, inputs, DVP_MAX_STEPS, DVP_PROGRAM_INPUTS);
  }
  free(text);
  if (fine) return p;
  free(p);
  return NULL;
}
