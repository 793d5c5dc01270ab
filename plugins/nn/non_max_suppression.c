// NonMaxSuppression and its versions V2 to V5: boxes by falling score, without those that overlap a better
// one too much, or, with a sigma, with their scores lowered by how much they do.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/dtype.h"
#include "common/plugin.h"

typedef struct nms_state {
  int version;
  bool pad;
  float overlap;  // version 1
} nms_state;

static void *create(TF_OpKernelConstruction *ctx, int version) {
  nms_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->version = version;
  state->pad = version >= 4 && dvp_attr_bool(ctx, "pad_to_max_output_size");
  return state;
}
static void *create_v1(TF_OpKernelConstruction *ctx) {
  nms_state *state = create(ctx, 1);
  if (state) state->overlap = dvp_attr_float(ctx, "iou_threshold");
  return state;
}
static void *create_v2(TF_OpKernelConstruction *ctx) { return create(ctx, 2); }
static void *create_v3(TF_OpKernelConstruction *ctx) { return create(ctx, 3); }
static void *create_v4(TF_OpKernelConstruction *ctx) { return create(ctx, 4); }
static void *create_v5(TF_OpKernelConstruction *ctx) { return create(ctx, 5); }
static void nms_destroy(void *state) { free(state); }

typedef struct candidate {
  float score;
  int32_t box;
  int32_t compared;  // selected boxes that it was compared with
} candidate;

typedef struct nms {
  TF_DataType dtype;
  const void *boxes;
  candidate *heap;  // the best first
  int64_t size;
  int32_t *selected;
  float *scores;
  int64_t count, most;
  float overlap, least, sigma;
} nms;

static float value(TF_DataType dtype, const void *data, int64_t i) {
  return dtype == TF_HALF ? dvp_f16_load(((const dvp_f16 *)data)[i]) : ((const float *)data)[i];
}
// Halves are rounded after each operation, as in stock, so that the same boxes are on either side of a limit.
static float rounded(const nms *m, float x) {
  return m->dtype == TF_HALF ? dvp_f16_load(dvp_f16_store(x)) : x;
}

static bool better(const candidate *a, const candidate *b) {
  return a->score > b->score || (a->score == b->score && a->box < b->box);
}

static void sift_down(nms *m, int64_t at) {
  candidate moved = m->heap[at];
  for (int64_t child; (child = 2 * at + 1) < m->size; at = child) {
    if (child + 1 < m->size && better(&m->heap[child + 1], &m->heap[child])) child++;
    if (!better(&m->heap[child], &moved)) break;
    m->heap[at] = m->heap[child];
  }
  m->heap[at] = moved;
}

// Corners in order: top, left, bottom, right.
static void corners(const nms *m, int32_t box, float out[4]) {
  for (int i = 0; i < 2; i++) {
    float a = value(m->dtype, m->boxes, 4 * (int64_t)box + i),
          b = value(m->dtype, m->boxes, 4 * (int64_t)box + i + 2);
    out[i] = b < a ? b : a;
    out[i + 2] = a < b ? b : a;
  }
}

static float area(const nms *m, const float c[4]) {
  return rounded(m, rounded(m, c[2] - c[0]) * rounded(m, c[3] - c[1]));
}

// Area of the intersection over that of the union.
static float overlap(const nms *m, int32_t i, int32_t j) {
  float a[4], b[4], both[4];
  corners(m, i, a);
  corners(m, j, b);
  float area_a = area(m, a), area_b = area(m, b);
  if (area_a <= 0 || area_b <= 0) return 0;
  for (int k = 0; k < 2; k++) {
    both[k] = a[k] < b[k] ? b[k] : a[k];
    both[k + 2] = b[k + 2] < a[k + 2] ? b[k + 2] : a[k + 2];
  }
  float height = rounded(m, both[2] - both[0]), width = rounded(m, both[3] - both[1]);
  float shared = rounded(m, (height > 0 ? height : 0) * (width > 0 ? width : 0));
  return rounded(m, shared / rounded(m, rounded(m, area_a + area_b) - shared));
}

// Lowers the score of the best candidate by the selected boxes it was not yet compared with; returns whether
// it is out for good.
static bool suppress(nms *m, candidate *c) {
  for (int64_t j = m->count - 1; j >= c->compared; j--) {
    float similarity = overlap(m, c->box, m->selected[j]);
    if (m->sigma == 0 && similarity > m->overlap) return true;
    if (m->sigma > 0) {
      float power = rounded(m, rounded(m, rounded(m, -0.5f / m->sigma) * similarity) * similarity);
      c->score = rounded(m, c->score * rounded(m, expf(power)));
    }
    if (c->score <= m->least) break;
  }
  c->compared = (int32_t)m->count;
  return false;
}

static void select_boxes(nms *m) {
  for (int64_t i = m->size / 2 - 1; i >= 0; i--) sift_down(m, i);
  while (m->count < m->most && m->size > 0) {
    candidate *top = &m->heap[0];
    float before = top->score;
    bool out = suppress(m, top);
    if (!out && top->score != before && top->score > m->least) {
      sift_down(m, 0);
      continue;
    }
    if (!out && top->score == before) {
      m->selected[m->count] = top->box;
      m->scores[m->count++] = top->score;
    }
    m->heap[0] = m->heap[--m->size];
    if (m->size > 0) sift_down(m, 0);
  }
}

static bool scalar(dvp_call *call, int index, const char *what, float *out) {
  dvp_view in;
  if (!dvp_input_scalar(call, index, what, &in)) return false;
  *out = value(in.dtype, in.data, 0);
  return true;
}

static bool read_inputs(dvp_call *call, const nms_state *state, dvp_view *boxes, dvp_view *scores, nms *m) {
  char text[DVP_SHAPE_TEXT];
  int64_t most;
  int rank, count;
  if (!dvp_input(call, 0, boxes) || !dvp_input(call, 1, scores) ||
      !dvp_input_ints(call, 2, "max_output_size", &most, 1, &rank, &count))
    return false;
  m->overlap = state->overlap;
  m->least = state->version <= 2 ? -INFINITY : 0;
  if (state->version >= 2 && !scalar(call, 3, "iou_threshold", &m->overlap)) return false;
  if (state->version >= 3 && !scalar(call, 4, "score_threshold", &m->least)) return false;
  if (state->version >= 5 && !scalar(call, 5, "soft_nms_sigma", &m->sigma)) return false;
  if (rank != 0) return dvp_fail(call, TF_INVALID_ARGUMENT, "max_output_size must be 0-D");
  if (!(m->overlap >= 0 && m->overlap <= 1))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "iou_threshold must be in [0, 1], got %g", m->overlap);
  if (!(m->sigma >= 0))
    return dvp_fail(call, TF_INVALID_ARGUMENT, "soft_nms_sigma_val can't be negative, got %g", m->sigma);
  if (boxes->rank != 2 || boxes->dims[1] != 4)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "boxes must have shape [n, 4], got %s",
                    dvp_shape_text(boxes->dims, boxes->rank, text));
  if (scores->rank != 1 || scores->dims[0] != boxes->dims[0])
    return dvp_fail(call, TF_INVALID_ARGUMENT, "scores has incompatible shape: %s for %" PRId64 " boxes",
                    dvp_shape_text(scores->dims, scores->rank, text), boxes->dims[0]);
  if (boxes->dims[0] > INT32_MAX)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "More than 2^31 boxes: %" PRId64, boxes->dims[0]);
  if (most < 0)
    return dvp_fail(call, TF_INVALID_ARGUMENT, "output size must be non-negative: %" PRId64, most);
  m->most = most;
  m->dtype = boxes->dtype;
  m->boxes = boxes->data;
  // Thresholds take part in the boxes' precision.
  m->overlap = rounded(m, m->overlap);
  m->least = rounded(m, m->least);
  return true;
}

static void write_results(dvp_call *call, const nms_state *state, const nms *m) {
  int64_t length = state->pad ? m->most : m->count;
  int32_t *indices = dvp_output(call, 0, &length, 1);
  if (!indices) return;
  memset(indices, 0, (size_t)length * sizeof(int32_t));
  if (m->count) memcpy(indices, m->selected, (size_t)m->count * sizeof(int32_t));
  if (state->version >= 5) {
    void *scores = dvp_output(call, 1, &length, 1);
    if (!scores) return;
    memset(scores, 0, (size_t)length * TF_DataTypeSize(m->dtype));
    for (int64_t i = 0; i < m->count; i++)
      if (m->dtype == TF_HALF)
        ((dvp_f16 *)scores)[i] = dvp_f16_store(m->scores[i]);
      else
        ((float *)scores)[i] = m->scores[i];
  }
  int32_t *valid = state->version >= 4 ? dvp_output(call, state->version - 3, NULL, 0) : NULL;
  if (valid) *valid = (int32_t)m->count;
}

DVP_COMPUTE(nms_compute) {
  dvp_view boxes, scores;
  nms m = {.count = 0};
  TF_Tensor *scratch = NULL;
  if (!read_inputs(call, state, &boxes, &scores, &m)) return;
  int64_t n = boxes.dims[0], most = DVP_MIN(n, m.most);
  m.heap = dvp_temp(
      call, (size_t)n * sizeof(candidate) + (size_t)most * (sizeof(int32_t) + sizeof(float)) + 1, &scratch);
  if (!m.heap) return;
  m.selected = (int32_t *)(m.heap + n);
  m.scores = (float *)(m.selected + most);
  for (int64_t i = 0; i < n; i++) {
    float score = value(scores.dtype, scores.data, i);
    if (score > m.least) m.heap[m.size++] = (candidate){score, (int32_t)i, 0};
  }
  select_boxes(&m);
  write_results(call, state, &m);
  dvp_free_temp(scratch);
}
static const dvp_kernel nms_rows[] = {DVP_KERNEL(TF_HALF, nms) DVP_KERNEL(TF_FLOAT, nms)};
DVP_DEFINE_ANY(non_max_suppression, create_v1, nms_destroy, nms_compute);
DVP_DEFINE_SET(non_max_suppression_v2, "T", create_v2, nms_destroy, nms_rows);
DVP_DEFINE_SET(non_max_suppression_v3, "T", create_v3, nms_destroy, nms_rows);
DVP_DEFINE_SET(non_max_suppression_v4, "T", create_v4, nms_destroy, nms_rows);
DVP_DEFINE_SET(non_max_suppression_v5, "T", create_v5, nms_destroy, nms_rows);
