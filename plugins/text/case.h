// The tables of letter case, for StringLower, StringUpper and regular expressions that ignore case.
#ifndef DOVETAIL_PLUGINS_TEXT_CASE_H_
#define DOVETAIL_PLUGINS_TEXT_CASE_H_

#include <stdbool.h>
#include <stdint.h>

// Characters first, first + step, ..., last become themselves plus `delta`.
typedef struct dvx_case_run {
  int32_t first, last, step, delta;
} dvx_case_run;

// The runs of characters that have an upper (lower) case of one character; their number.
int dvx_case_runs(bool upper, const dvx_case_run **out);

#endif  // DOVETAIL_PLUGINS_TEXT_CASE_H_
