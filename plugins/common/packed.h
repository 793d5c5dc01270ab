// f32 products with a right-hand side that is packed once, and the depthwise convolution beside them: plain
// vector code that needs no preparation but the packing, so that a first step costs hardly more than a later
// one. The rows of the left-hand side are lists of pointers, so that a convolution needs no copy of its
// input.
#ifndef DOVETAIL_PLUGINS_COMMON_PACKED_H_
#define DOVETAIL_PLUGINS_COMMON_PACKED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/call.h"

#ifdef DVP_ISA_V3
#define DVP_PACKED_CODE dvp_packed_here_avx2
#else
#define DVP_PACKED_CODE dvp_packed_here
#endif

// Rows that a job should have at most: their part of the left-hand side stays in the second-level cache.
#define DVP_PACKED_ROWS 96

// What is done to a result before it is stored: summands per column and per element (NULL: none), bounds.
typedef struct dvp_packed_end {
  const float *bias;
  const float *side;  // with the result's rows; may be the result itself
  bool clamps;
  float low, high;  // NaN passes
} dvp_packed_end;

// Rows of C = A * B. Row r of A is `segments` runs of `length` numbers; run s starts at rows[s * row_count +
// r].
typedef struct dvp_packed_job {
  const float *const *rows;
  int64_t row_count, segments, length;
  const float *packed;  // B, of segments * length rows
  int64_t n;            // columns of B
  int64_t n0, n1;       // columns to compute; n0 is where a panel starts, n1 where one ends
  float *out;           // row 0, column 0
  dvp_packed_end end;
} dvp_packed_job;

// A row of an image that was convolved channel by channel: `pixels` results of `channels` each.
typedef struct dvp_depthwise_job {
  const float *const *taps;  // [tap][pixel], at most DVP_DEPTHWISE_PIXELS pixels apart
  int64_t tap_count, pixels, channels;
  const float *filter;  // [tap][channel]
  float *out;
  dvp_packed_end end;
} dvp_depthwise_job;
#define DVP_DEPTHWISE_PIXELS 4

typedef struct dvp_packed_code {
  // Rows [k0, k1) of a k x n matrix into its packed form; each column is multiplied by `scale` (NULL: 1).
  // False when a scaled number is not finite.
  bool (*pack)(const float *b, int64_t b_row, int64_t b_col, int64_t k, int64_t n, const float *scale,
               float *packed, int64_t k0, int64_t k1);
  void (*multiply)(const dvp_packed_job *job);
  void (*depthwise)(const dvp_depthwise_job *job);
} dvp_packed_code;

// NULL where oneDNN's code, made for the processor at hand, is the better one.
const dvp_packed_code *DVP_PACKED_CODE(void);

// The packed form has panels of 16 columns; where that leaves 8, the first one is of 24, or of 8 if it is the
// only one.
static inline int64_t dvp_packed_floats(int64_t k, int64_t n) { return k * ((n + 7) / 8 * 8); }
static inline int64_t dvp_packed_first_width(int64_t n) {
  int64_t eights = (n + 7) / 8;
  return eights % 2 == 0 ? 16 : eights == 1 ? 8 : 24;
}
// The start of the panel that column n0 lies in.
static inline int64_t dvp_packed_panel_start(int64_t n, int64_t n0) {
  int64_t first = dvp_packed_first_width(n);
  return n0 < first ? 0 : first + (n0 - first) / 16 * 16;
}

// How a product of this many rows is cut into units for `threads` threads: by blocks of rows while those are
// many, else by columns, so that no two threads read the same part of the packed matrix.
typedef struct dvp_packed_cut {
  int64_t rows, columns;  // of a unit, at most
  int64_t blocks, units;  // unit u has block u % blocks of the rows
  int64_t unit_ps;        // its estimated cost
} dvp_packed_cut;
// Rows are cut at multiples of this, which have no blocks of registers that are not full.
#define DVP_PACKED_STRIP 12
static inline dvp_packed_cut dvp_packed_cut_for(int64_t rows, int64_t k, int64_t n, int64_t threads) {
  int64_t strips = (rows + DVP_PACKED_STRIP - 1) / DVP_PACKED_STRIP;
  dvp_packed_cut cut = {.columns = n, .blocks = (rows + DVP_PACKED_ROWS - 1) / DVP_PACKED_ROWS};
  double macs = (double)rows * (double)n * (double)k;
  if (macs < 1 << 19) threads = 1;
  if (threads > 1 && n >= 64 * threads && rows < 2 * DVP_PACKED_ROWS)
    cut.columns = ((n + threads - 1) / threads + 15) / 16 * 16;
  else if (threads > 1)
    cut.blocks =
        rows < 2 * threads * DVP_PACKED_ROWS ? 2 * threads : (cut.blocks + threads - 1) / threads * threads;
  if (cut.blocks > strips) cut.blocks = strips;
  cut.rows = (strips + cut.blocks - 1) / cut.blocks * DVP_PACKED_STRIP;
  cut.units = cut.blocks * ((n + cut.columns - 1) / cut.columns);
  double cost = macs / (double)cut.units * 22;
  cut.unit_ps = cost < 1e15 ? (int64_t)cost : (int64_t)1e15;
  return cut;
}
// The rows [*m0, *m1) of unit u: as many as other units have, up to a strip.
static inline void dvp_packed_cut_rows(const dvp_packed_cut *cut, int64_t rows, int64_t unit, int64_t *m0,
                                       int64_t *m1) {
  int64_t strips = (rows + DVP_PACKED_STRIP - 1) / DVP_PACKED_STRIP, block = unit % cut->blocks;
  *m0 = dvp_part(strips, cut->blocks, block) * DVP_PACKED_STRIP;
  *m1 = DVP_MIN(rows, dvp_part(strips, cut->blocks, block + 1) * DVP_PACKED_STRIP);
}
// The columns [*n0, *n1) of unit u, at bounds of panels.
static inline void dvp_packed_cut_columns(const dvp_packed_cut *cut, int64_t n, int64_t unit, int64_t *n0,
                                          int64_t *n1) {
  int64_t begin = unit / cut->blocks * cut->columns, end = begin + cut->columns;
  *n0 = dvp_packed_panel_start(n, begin);
  *n1 = end >= n ? n : dvp_packed_panel_start(n, end);
}

#endif  // DOVETAIL_PLUGINS_COMMON_PACKED_H_
