// DepthToSpace, SpaceToDepth, SpaceToBatchND and BatchToSpaceND: boxes of pixels moved between dims.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "common/strided.h"

// ---- between depth and space ----

typedef struct depth_state {
  int64_t block;
  bool channels_first;
} depth_state;

static void *depth_create(TF_OpKernelConstruction *ctx) {
  depth_state *state = dvp_state_new(ctx, sizeof(*state));
  char format[16];
  if (!state) return NULL;
  state->block = dvp_attr_int(ctx, "block_size");
  dvp_attr_string(ctx, "data_format", format, sizeof(format));
  state->channels_first = strcmp(format, "NCHW") == 0;
  if (!state->channels_first && strcmp(format, "NHWC") != 0)
    dvp_create_fail(ctx, TF_UNIMPLEMENTED, "data_format %s is not supported on the CPU; use NHWC or NCHW",
                    format);
  if (state->block < 2 || state->block > INT32_MAX)
    dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Block size should be > 1, but was: %" PRId64, state->block);
  return state;
}
static void depth_destroy(void *state) { free(state); }

// The deep tensor is [n, h, w, block, block, c], the wide one [n, h, block, w, block, c]; channels first,
// [n, block, block, c, h, w] and [n, c, h, block, w, block].
static void depth_box(const depth_state *s, int64_t n, int64_t h, int64_t w, int64_t c, bool to_space,
                      dvp_box *box) {
  int64_t b = s->block, plane = h * w, row = w * b;
  bool first = s->channels_first;
  int64_t dims[6] = {n, h, w, b, b, c};
  int64_t deep[6] = {plane * b * b * c,     first ? w : w * b * b * c,
                     first ? 1 : b * b * c, first ? b * c * plane : b * c,
                     first ? c * plane : c, first ? plane : 1};
  int64_t wide[6] = {plane * b * b * c, first ? b * row : b * row * c,
                     first ? b : b * c, first ? row : row * c,
                     first ? 1 : c,     first ? b * b * plane : 1};
  // Contiguous runs last.
  static const int orders[2][6] = {{0, 1, 3, 2, 4, 5}, {0, 5, 1, 3, 2, 4}};
  box->rank = 0;
  for (int k = 0; k < 6; k++) {
    int i = orders[first][k];
    dvp_box_add(box, dims[i], to_space ? deep[i] : wide[i], to_space ? wide[i] : deep[i]);
  }
}

static void move_depth(dvp_call *call, const depth_state *s, bool to_space) {
  dvp_view in;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input(call, 0, &in)) return;
  if (in.rank != 4) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "Input rank should be: 4 instead of: %d", in.rank);
    return;
  }
  int at_h = s->channels_first ? 2 : 1, at_c = s->channels_first ? 1 : 3;
  int64_t h = in.dims[at_h], w = in.dims[at_h + 1], c = in.dims[at_c], b = s->block, dims[4] = {in.dims[0]};
  bool fits = to_space ? c % (b * b) == 0 : h % b == 0 && w % b == 0;
  if (!fits) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             to_space ? "Input depth dimension of %s should be divisible by the square of block_size %" PRId64
                      : "Image width and height of %s should be divisible by block_size %" PRId64,
             dvp_shape_text(in.dims, 4, text), b);
    return;
  }
  if (to_space) {
    c /= b * b;
  } else {
    h /= b;
    w /= b;
  }
  // Products of the input's own elements, but for empty inputs, whose other dims may be anything.
  bool overflow =
      to_space ? __builtin_mul_overflow(h, b, &dims[at_h]) || __builtin_mul_overflow(w, b, &dims[at_h + 1])
               : __builtin_mul_overflow(c, b * b, &dims[at_c]);
  if (overflow) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The result's dimensions do not fit in 64 bits");
    return;
  }
  if (to_space) {
    dims[at_c] = c;
  } else {
    dims[at_h] = h;
    dims[at_h + 1] = w;
  }
  void *out = dvp_output(call, 0, dims, 4);
  if (!out || in.count == 0) return;
  dvp_box box;
  depth_box(s, in.dims[0], h, w, c, to_space, &box);
  dvp_box_copy(call, &box, in.dtype, in.data, out);
}
DVP_COMPUTE(depth_to_space_compute) { move_depth(call, state, true); }
DVP_COMPUTE(space_to_depth_compute) { move_depth(call, state, false); }
DVP_DEFINE_ANY(depth_to_space, depth_create, depth_destroy, depth_to_space_compute);
DVP_DEFINE_ANY(space_to_depth, depth_create, depth_destroy, space_to_depth_compute);

// ---- between batch and space ----

// The batched tensor has, for each offset in a block, one image of every block'th pixel; the spread one has
// all pixels. `dims` are those of the spread tensor with `before` and `after` cut away or padded.
typedef struct blocks {
  int count;  // of blocked dims
  int64_t block[DVP_MAX_RANK], before[DVP_MAX_RANK], after[DVP_MAX_RANK], product;
  int64_t batch;  // of the spread tensor
  int64_t spread[DVP_MAX_RANK], batched[DVP_MAX_RANK];
  int64_t rest;  // elements of what follows
} blocks;

static bool read_blocks(dvp_call *call, const dvp_view *in, const char *what, blocks *b) {
  int64_t pads[2 * DVP_MAX_RANK];
  int rank, pad_count;
  dvp_view pad_view;
  char text[DVP_SHAPE_TEXT];
  if (!dvp_input_ints(call, 1, "block_shape", b->block, DVP_MAX_RANK, &rank, &b->count)) return false;
  if (rank != 1) return dvp_fail(call, TF_INVALID_ARGUMENT, "block shape should be a vector, not a scalar");
  if (in->rank < 1 + b->count)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "input rank should be >= %d instead of %d", 1 + b->count,
                    in->rank);
  if (!dvp_input(call, 2, &pad_view)) return false;
  if (pad_view.rank != 2 || pad_view.dims[0] != b->count || pad_view.dims[1] != 2)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "%s should have shape [%d, 2] instead of %s", what, b->count,
                    dvp_shape_text(pad_view.dims, pad_view.rank, text));
  if (!dvp_input_flat_ints(call, 2, what, pads, 2 * DVP_MAX_RANK, &pad_count)) return false;
  b->product = 1;
  for (int i = 0; i < b->count; i++) {
    b->before[i] = pads[2 * i];
    b->after[i] = pads[2 * i + 1];
    if (b->before[i] < 0 || b->after[i] < 0)
      return dvp_fail(call, TF_INVALID_ARGUMENT, "%s must be non-negative", what);
    if (b->block[i] < 1)
      return dvp_fail(call, TF_INVALID_ARGUMENT,
                      "All values in block_shape must be positive, got value, %" PRId64 " at index %d.",
                      b->block[i], i);
    if (__builtin_mul_overflow(b->product, b->block[i], &b->product))
      return dvp_fail(call, TF_INVALID_ARGUMENT, "Product of block sizes must not overflow");
  }
  b->rest = dvp_product(in->dims, 1 + b->count, in->rank);
  return true;
}

// One offset in the block: the box of pixels that both tensors have.
static void copy_offset(dvp_call *call, const blocks *b, const int64_t *offset, int64_t image, bool to_batch,
                        TF_DataType dtype, size_t bytes, char *spread, char *batched) {
  dvp_box box = {.rank = 0};
  int64_t spread_stride[DVP_MAX_RANK + 1], batched_stride[DVP_MAX_RANK + 1];
  int64_t s = b->rest, t = b->rest;
  for (int i = b->count - 1; i >= 0; i--) {
    spread_stride[i] = s;
    batched_stride[i] = t;
    s *= b->spread[i];
    t *= b->batched[i];
  }
  int64_t from = 0, to = image * b->batch * t;
  dvp_box_add(&box, b->batch, to_batch ? s : t, to_batch ? t : s);
  for (int i = 0; i < b->count; i++) {
    // Pixel x of the batched tensor is pixel x * block + start of the spread one.
    int64_t start = offset[i] - b->before[i], size = b->block[i];
    int64_t x0 = start >= 0 ? 0 : (-start + size - 1) / size;
    int64_t x1 = start >= b->spread[i] ? 0 : (b->spread[i] - start + size - 1) / size;
    x1 = DVP_MIN(x1, b->batched[i]);
    if (x1 <= x0) return;
    from += (x0 * size + start) * spread_stride[i];
    to += x0 * batched_stride[i];
    int64_t wide = size * spread_stride[i];
    dvp_box_add(&box, x1 - x0, to_batch ? wide : batched_stride[i], to_batch ? batched_stride[i] : wide);
  }
  dvp_box_add(&box, b->rest, 1, 1);
  spread += (size_t)from * bytes;
  batched += (size_t)to * bytes;
  dvp_box_copy(call, &box, dtype, to_batch ? spread : batched, to_batch ? batched : spread);
}

static void copy_blocks(dvp_call *call, const blocks *b, bool to_batch, TF_DataType dtype, size_t bytes,
                        char *spread, char *batched) {
  int64_t offset[DVP_MAX_RANK] = {0};
  for (int64_t image = 0; image < b->product; image++) {
    copy_offset(call, b, offset, image, to_batch, dtype, bytes, spread, batched);
    for (int i = b->count - 1; i >= 0 && ++offset[i] == b->block[i]; i--) offset[i] = 0;
  }
}

DVP_COMPUTE(space_to_batch_compute) {
  (void)state;
  dvp_view in;
  blocks b;
  int64_t dims[DVP_MAX_RANK];
  if (!dvp_input(call, 0, &in) || !read_blocks(call, &in, "paddings", &b)) return;
  memcpy(dims, in.dims, sizeof(dims));
  b.batch = in.dims[0];
  bool overflow = __builtin_mul_overflow(b.batch, b.product, &dims[0]);
  for (int i = 0; i < b.count && !overflow; i++) {
    int64_t padded;
    overflow = __builtin_add_overflow(in.dims[i + 1], b.before[i], &padded) ||
               __builtin_add_overflow(padded, b.after[i], &padded);
    if (!overflow && padded % b.block[i] != 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "padded_shape[%d]=%" PRId64 " is not divisible by block_shape[%d]=%" PRId64, i, padded, i,
               b.block[i]);
      return;
    }
    b.spread[i] = in.dims[i + 1];
    dims[i + 1] = b.batched[i] = overflow ? 0 : padded / b.block[i];
  }
  if (overflow) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "The result's dimensions do not fit in 64 bits");
    return;
  }
  size_t bytes = dvp_element_bytes(call, in.dtype);
  char *out = bytes ? dvp_output(call, 0, dims, in.rank) : NULL;
  int64_t count = out ? dvp_product(dims, 0, in.rank) : 0;
  if (count == 0) return;
  if (in.dtype != TF_STRING) memset(out, 0, (size_t)count * bytes);
  if (in.count > 0) copy_blocks(call, &b, true, in.dtype, bytes, in.data, out);
}
DVP_DEFINE_ANY(space_to_batch_nd, NULL, NULL, space_to_batch_compute);

DVP_COMPUTE(batch_to_space_compute) {
  (void)state;
  dvp_view in;
  blocks b;
  int64_t dims[DVP_MAX_RANK];
  if (!dvp_input(call, 0, &in) || !read_blocks(call, &in, "crops", &b)) return;
  memcpy(dims, in.dims, sizeof(dims));
  if (in.dims[0] % b.product != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "Input batch dimension (%" PRId64 ") is not divisible by product of block sizes (%" PRId64 ")",
             in.dims[0], b.product);
    return;
  }
  dims[0] = b.batch = in.dims[0] / b.product;
  for (int i = 0; i < b.count; i++) {
    int64_t all;
    b.batched[i] = in.dims[i + 1];
    if (__builtin_mul_overflow(in.dims[i + 1], b.block[i], &all) ||
        __builtin_sub_overflow(all, b.before[i], &all) || __builtin_sub_overflow(all, b.after[i], &all) ||
        all < 0) {
      dvp_fail(call, TF_INVALID_ARGUMENT,
               "cropped_shape[%d] must be non-negative and fit in 64 bits: dimension %" PRId64
               ", block %" PRId64 ", crops %" PRId64 " and %" PRId64,
               i, in.dims[i + 1], b.block[i], b.before[i], b.after[i]);
      return;
    }
    dims[i + 1] = b.spread[i] = all;
  }
  size_t bytes = dvp_element_bytes(call, in.dtype);
  char *out = bytes ? dvp_output(call, 0, dims, in.rank) : NULL;
  if (out && dvp_product(dims, 0, in.rank) > 0) copy_blocks(call, &b, false, in.dtype, bytes, out, in.data);
}
DVP_DEFINE_ANY(batch_to_space_nd, NULL, NULL, batch_to_space_compute);
