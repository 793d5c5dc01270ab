// What the optimisers share: reading variables, scalars and gradients, locking, and running over elements or
// over the rows that indices name. The typed steps are in optimise_loops.c.
#ifndef DOVETAIL_PLUGINS_TRAIN_OPTIMISE_H_
#define DOVETAIL_PLUGINS_TRAIN_OPTIMISE_H_

#include "common/call.h"

#define DVR_MAX_VARIABLES 4
#define DVR_MAX_SCALARS 6

// The state of the kernels, freed with free: the attributes that an op has.
typedef struct dvr_options {
  bool nesterov, update_slots, multiply_linear_by_lr;
} dvr_options;
void *dvr_options_create(TF_OpKernelConstruction *ctx);

// One step. Tensors are of the gradient's dtype; variables that an op does not have are the first once more.
typedef struct dvr_step {
  const dvr_options *options;
  void *variables[DVR_MAX_VARIABLES];
  const void *scalars[DVR_MAX_SCALARS];
  int64_t global_step;
  const void *gradient;
} dvr_step;
// Elements at .. at + n of the variables take what the gradient has from `from` on.
typedef void (*dvr_range)(const dvr_step *step, int64_t at, int64_t from, int64_t n);

// The inputs of an op: its variables, then one for each letter of `rest`: s a scalar, p one above zero, z one
// above zero or zero, m one below zero or zero, n the global step, g the gradient, i the indices of rows.
typedef struct dvr_inputs {
  int variables;
  const char *rest;
} dvr_inputs;

void dvr_optimise(TF_OpKernelContext *ctx, const dvr_options *options, const dvr_inputs *inputs,
                  dvr_range range);

#endif  // DOVETAIL_PLUGINS_TRAIN_OPTIMISE_H_
