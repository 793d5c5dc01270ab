// Distributions over the generator's numbers, in groups: a group has the values that one counter gives, or,
// for a distribution that may reject numbers, those of a reserved range of counters. So groups can be made in
// any order and in parallel.
#ifndef DOVETAIL_PLUGINS_RANDOM_DISTRIBUTION_H_
#define DOVETAIL_PLUGINS_RANDOM_DISTRIBUTION_H_

#include "common/call.h"
#include "random/philox.h"

typedef enum dvp_distribution {
  DVP_UNIFORM,           // floats in [0, 1)
  DVP_NORMAL,            // floats
  DVP_TRUNCATED_NORMAL,  // floats, within two standard deviations
  DVP_UNIFORM_INT,       // integers in [low, low + range)
  DVP_FULL_INT,          // all integers
} dvp_distribution;

typedef struct dvp_limits {
  uint64_t low, range;  // of DVP_UNIFORM_INT
} dvp_limits;

// Fills `count` elements of `dtype`, which the distribution has, over the pool.
void dvp_random_fill(dvp_call *call, dvp_distribution kind, TF_DataType dtype, dvp_philox generator,
                     dvp_limits limits, void *out, int64_t count);

// The shape that input `index` spells, and the output with it. *out_count elements; NULL after a failure.
void *dvp_random_output(dvp_call *call, int index, int64_t *out_count);

// Inputs `index` and index + 1 as the scalars minval and maxval, checked. The dtype is int32 or int64, signed
// or not.
bool dvp_random_limits(dvp_call *call, int index, dvp_limits *out);

// A float in [0, 1) of two numbers.
double dvp_random_double(uint32_t high, uint32_t low);

#endif  // DOVETAIL_PLUGINS_RANDOM_DISTRIBUTION_H_
