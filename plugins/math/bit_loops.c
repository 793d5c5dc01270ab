// Bitwise ops and shifts on integers. A shift amount is clamped to the type's width minus one.
#include "common/elementwise.h"

DVP_BINARY_OP(bitwise_and, DVP_INTS, DVP_CHEAP, a &b)
DVP_BINARY_OP(bitwise_or, DVP_INTS, DVP_CHEAP, a | b)
DVP_BINARY_OP(bitwise_xor, DVP_INTS, DVP_CHEAP, a ^ b)
DVP_UNARY_OP(invert, DVP_INTS, DVP_CHEAP, ~a)

static inline int amount(int shift, int most) { return shift < 0 ? 0 : shift > most ? most : shift; }
#define AMOUNT(b) amount((b) > 63 ? 63 : (int)(b), (int)sizeof(b) * 8 - 1)

DVP_BINARY_OP(left_shift, DVP_INTS, DVP_CHEAP, (uint64_t)a << AMOUNT(b))
DVP_BINARY_OP(right_shift, DVP_INTS, DVP_CHEAP, a >> AMOUNT(b))
