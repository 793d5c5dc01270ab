// Strided copies: dims are merged and ordered, then rows, or tiles of a transposition, are copied in
// parallel.
#include "common/strided.h"

#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/tf_tstring.h"

void dvp_strides(const int64_t *dims, int rank, int64_t *out_strides) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; i--) {
    out_strides[i] = stride;
    stride *= dims[i];
  }
}

size_t dvp_element_bytes(dvp_call *call, TF_DataType dtype) {
  size_t bytes = dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
  if (bytes == 0)
    dvp_fail(call, TF_UNIMPLEMENTED, "Elements of dtype %d (resource or variant) cannot be copied by this op",
             dtype);
  return bytes;
}

// Copies n elements; strides in elements. One function per element kind.
typedef void (*row_copy)(const char *src, int64_t src_stride, char *dst, int64_t dst_stride, int64_t n);
typedef struct block16 {
  uint64_t words[2];
} block16;

#define ROW_COPY(name, type)                                                                          \
  static void name(const char *psrc, int64_t src_stride, char *pdst, int64_t dst_stride, int64_t n) { \
    const type *src = (const type *)psrc;                                                             \
    type *dst = (type *)pdst;                                                                         \
    if (src_stride == 1 && dst_stride == 1) {                                                         \
      memcpy(dst, src, (size_t)n * sizeof(type));                                                     \
    } else if (src_stride == 0 && dst_stride == 1) {                                                  \
      const type value = *src;                                                                        \
      for (int64_t i = 0; i < n; i++) dst[i] = value;                                                 \
    } else {                                                                                          \
      for (int64_t i = 0; i < n; i++) dst[i * dst_stride] = src[i * src_stride];                      \
    }                                                                                                 \
  }
ROW_COPY(copy_1, uint8_t)
ROW_COPY(copy_2, uint16_t)
ROW_COPY(copy_4, uint32_t)
ROW_COPY(copy_8, uint64_t)
ROW_COPY(copy_16, block16)

static void copy_strings(const char *psrc, int64_t src_stride, char *pdst, int64_t dst_stride, int64_t n) {
  const TF_TString *src = (const TF_TString *)psrc;
  TF_TString *dst = (TF_TString *)pdst;
  for (int64_t i = 0; i < n; i++, src += src_stride, dst += dst_stride)
    TF_StringCopy(dst, TF_StringGetDataPointer(src), TF_StringGetSize(src));
}

// Square tiles of a transposition: both sides stay within few cache lines.
#define TILE 16
typedef void (*tile_copy)(const char *src, int64_t src_row, char *dst, int64_t dst_row, int64_t rows,
                          int64_t cols);
// dst[r][c] = src[c][r]: dst is contiguous along c, src along r.
#define TILE_COPY(name, type)                                                                    \
  static void name(const char *psrc, int64_t src_row, char *pdst, int64_t dst_row, int64_t rows, \
                   int64_t cols) {                                                               \
    const type *src = (const type *)psrc;                                                        \
    type *dst = (type *)pdst;                                                                    \
    for (int64_t r0 = 0; r0 < rows; r0 += TILE)                                                  \
      for (int64_t c0 = 0; c0 < cols; c0 += TILE)                                                \
        for (int64_t r = r0; r < DVP_MIN(rows, r0 + TILE); r++)                                  \
          for (int64_t c = c0; c < DVP_MIN(cols, c0 + TILE); c++)                                \
            dst[r * dst_row + c] = src[c * src_row + r];                                         \
  }
TILE_COPY(tile_1, uint8_t)
TILE_COPY(tile_2, uint16_t)
TILE_COPY(tile_4, uint32_t)
TILE_COPY(tile_8, uint64_t)
TILE_COPY(tile_16, block16)

typedef struct copy_run {
  const dvp_box *box;
  const char *src;
  char *dst;
  int64_t bytes;
  int outer;  // dims of the box that are walked; the rest is copied by `row` or `tile`
  row_copy row;
  tile_copy tile;
} copy_run;

static void copy_range(void *arg, int64_t begin, int64_t end) {
  const copy_run *run = arg;
  const dvp_box *box = run->box;
  int last = run->outer - 1, inner = box->rank - 1;
  int64_t index[DVP_MAX_RANK], rest = begin, src = 0, dst = 0;
  for (int d = last; d >= 0; d--) {
    index[d] = rest % box->dims[d];
    rest /= box->dims[d];
    src += index[d] * box->src[d];
    dst += index[d] * box->dst[d];
  }
  for (int64_t i = begin; i < end; i++) {
    const char *from = run->src + src * run->bytes;
    char *to = run->dst + dst * run->bytes;
    if (run->tile)
      run->tile(from, box->src[inner], to, box->dst[inner - 1], box->dims[inner - 1], box->dims[inner]);
    else
      run->row(from, box->src[inner], to, box->dst[inner], box->dims[inner]);
    for (int d = last; d >= 0; d--) {
      src += box->src[d];
      dst += box->dst[d];
      if (++index[d] < box->dims[d]) break;
      src -= box->dims[d] * box->src[d];
      dst -= box->dims[d] * box->dst[d];
      index[d] = 0;
    }
  }
}

// Drops dims of one and merges neighbours that both sides walk evenly. False when the box is empty.
static bool simplify(const dvp_box *box, dvp_box *out) {
  out->rank = 0;
  for (int i = 0; i < box->rank; i++) {
    if (box->dims[i] == 0) return false;
    if (box->dims[i] == 1) continue;
    int last = out->rank - 1;
    if (last >= 0 && out->src[last] == box->src[i] * box->dims[i] &&
        out->dst[last] == box->dst[i] * box->dims[i]) {
      out->dims[last] *= box->dims[i];
      out->src[last] = box->src[i];
      out->dst[last] = box->dst[i];
    } else {
      dvp_box_add(out, box->dims[i], box->src[i], box->dst[i]);
    }
  }
  if (out->rank == 0) dvp_box_add(out, 1, 1, 1);
  return true;
}

// Moves the dim that src walks contiguously next to the last one, so that the two form the tiles of a
// transposition.
static bool find_transposition(dvp_box *box) {
  int inner = box->rank - 1;
  if (box->rank < 2 || box->dst[inner] != 1 || box->src[inner] == 1 || box->src[inner] == 0) return false;
  int contiguous = -1;
  for (int i = 0; i < inner; i++)
    if (box->src[i] == 1) contiguous = i;
  if (contiguous < 0 || box->dims[contiguous] < 4 || box->dims[inner] < 4) return false;
  int64_t dim = box->dims[contiguous], src = box->src[contiguous], dst = box->dst[contiguous];
  for (int i = contiguous; i < inner - 1; i++) {
    box->dims[i] = box->dims[i + 1];
    box->src[i] = box->src[i + 1];
    box->dst[i] = box->dst[i + 1];
  }
  box->dims[inner - 1] = dim;
  box->src[inner - 1] = src;
  box->dst[inner - 1] = dst;
  return true;
}

// Cuts the largest dim in two until there are enough units for the threads.
static void split_for_threads(dvp_call *call, dvp_box *box, int *outer, int64_t bytes) {
  int threads = dvt_num_threads(call->ctx);
  int inner = *outer;
  int64_t units = dvp_product(box->dims, 0, inner), rest = dvp_product(box->dims, inner, box->rank);
  if (threads == 1 || units >= 2 * threads || units * rest * bytes < 1 << 18 || box->rank == DVP_MAX_RANK)
    return;
  int64_t dim = box->dims[inner], pieces = 1;
  for (int64_t p = 4 * threads; p >= 2 && pieces == 1; p--)
    if (dim % p == 0 && dim / p >= 16) pieces = p;
  if (pieces == 1) return;
  for (int i = box->rank; i > inner; i--) {
    box->dims[i] = box->dims[i - 1];
    box->src[i] = box->src[i - 1];
    box->dst[i] = box->dst[i - 1];
  }
  box->rank++;
  box->dims[inner] = pieces;
  box->src[inner] = box->src[inner + 1] * (dim / pieces);
  box->dst[inner] = box->dst[inner + 1] * (dim / pieces);
  box->dims[inner + 1] = dim / pieces;
  *outer = inner + 1;
}

void dvp_box_copy(dvp_call *call, const dvp_box *given, TF_DataType dtype, const void *src, void *dst) {
  dvp_box box;
  int64_t bytes = (int64_t)dvp_element_bytes(call, dtype);
  if (bytes == 0 || !simplify(given, &box)) return;
  copy_run run = {&box, src, dst, bytes, box.rank - 1, copy_1, NULL};
  tile_copy tile = NULL;
  if (dtype == TF_STRING) {
    run.row = copy_strings;
  } else {
    switch (bytes) {
      case 1:
        run.row = copy_1, tile = tile_1;
        break;
      case 2:
        run.row = copy_2, tile = tile_2;
        break;
      case 4:
        run.row = copy_4, tile = tile_4;
        break;
      case 8:
        run.row = copy_8, tile = tile_8;
        break;
      default:
        run.row = copy_16, tile = tile_16;
        break;
    }
  }
  if (tile && find_transposition(&box)) {
    run.tile = tile;
    run.outer = box.rank - 2;
  }
  split_for_threads(call, &box, &run.outer, bytes);
  int64_t units = dvp_product(box.dims, 0, run.outer), row = dvp_product(box.dims, run.outer, box.rank);
  dvp_parallel(call, units,
               2000 + row * bytes *
                          (dtype == TF_STRING ? 1000
                           : run.tile         ? 100
                                              : 50),
               copy_range, &run);
}
