// Beam search in float and in double: decisions depend on rounding, so each is made in the type of its input.
#include "sparse/ctc_beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REAL float
#define NAMED(name) name##_f32
#define EXP expf
#define LOG logf
#include "sparse/ctc_beam.inc"
#undef REAL
#undef NAMED
#undef EXP
#undef LOG

#define REAL double
#define NAMED(name) name##_f64
#define EXP exp
#define LOG log
#include "sparse/ctc_beam.inc"
