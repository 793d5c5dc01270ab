// Programs of _DovetailElementwise: steps over the inputs' elements, written "Sigmoid 0;Mul 0 1", where a
// number below the number of inputs is that input and a larger one the result of an earlier step. program.c
// reads them, program_loops.c runs them block by block.
#ifndef DOVETAIL_PLUGINS_MATH_PROGRAM_H_
#define DOVETAIL_PLUGINS_MATH_PROGRAM_H_

#include "common/call.h"

#define DVP_MAX_STEPS 32
#define DVP_PROGRAM_INPUTS 8  // at most; dvp_broadcast takes as many

typedef enum dvp_step_op {
  // One operand.
  DVP_STEP_NEG,
  DVP_STEP_ABS,
  DVP_STEP_SQUARE,
  DVP_STEP_SQRT,
  DVP_STEP_RSQRT,
  DVP_STEP_RECIPROCAL,
  DVP_STEP_RELU,
  DVP_STEP_RELU6,
  DVP_STEP_SOFTSIGN,
  DVP_STEP_EXP,
  DVP_STEP_EXPM1,
  DVP_STEP_LOG,
  DVP_STEP_LOG1P,
  DVP_STEP_SIN,
  DVP_STEP_COS,
  DVP_STEP_TANH,
  DVP_STEP_SIGMOID,
  DVP_STEP_ERF,
  DVP_STEP_ERFC,
  // Two operands.
  DVP_STEP_ADD,
  DVP_STEP_SUB,
  DVP_STEP_MUL,
  DVP_STEP_REAL_DIV,
  DVP_STEP_MAXIMUM,
  DVP_STEP_MINIMUM,
  DVP_STEP_SQUARED_DIFFERENCE,
  DVP_STEP_POW,
  DVP_STEP_COUNT
} dvp_step_op;

typedef struct dvp_program_step {
  dvp_step_op op;
  int a, b;    // values: inputs, then results of steps; b as a for one operand
  int buffer;  // where the result is kept while it is needed; -1: it is the program's
} dvp_program_step;

typedef struct dvp_program {
  int inputs, step_count, buffers;
  int64_t cost_ps;  // of an element
  dvp_program_step steps[DVP_MAX_STEPS];
} dvp_program;

// The program of the node's attributes `program` and `N`; NULL after the construction has failed. Freed with
// free.
void *dvp_program_create(TF_OpKernelConstruction *ctx);

#endif  // DOVETAIL_PLUGINS_MATH_PROGRAM_H_
