// Numbers as text and back, the same in every locale.
#ifndef DVT_BASE_NUMBER_H_
#define DVT_BASE_NUMBER_H_

#include "base/str.h"

#define DVT_NUMBER_CHARS 40

// Decimal with optional fraction and exponent; "inf", "infinity" and "nan" in any case, with a sign. All of
// `s` must be the number. Magnitudes too large become infinite.
bool dvt_number_parse_double(dvt_str s, double *out_value);
// Decimal, 0x hexadecimal or 0 octal digits without a sign; false on overflow too.
bool dvt_number_parse_uint64(dvt_str s, uint64_t *out_value);
// The fewest digits (up to 9, or 17) that read back as the same float or double; "inf", "-inf", "nan".
// Returns the length.
size_t dvt_number_format_float(float value, char out[DVT_NUMBER_CHARS]);
size_t dvt_number_format_double(double value, char out[DVT_NUMBER_CHARS]);

#endif  // DVT_BASE_NUMBER_H_
