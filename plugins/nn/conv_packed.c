// The f32 convolution with a packed filter: a product whose left-hand rows are lists of pointers into the
// image, or into zeros where the window sticks out. A batch normalisation is multiplied into the packed
// filter. Windows over few channels take a row of the window as one run, of an image with its borders written
// out.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv.h"

// Channels from which on a run of one pixel is long enough.
#define RUN 16
// Of a multiplication where there is a group per channel.
#define PS_PER_TAP 60

typedef struct filter_form {
  const dvp_packed_code *code;
  int64_t k, n;
  const float *plain, *scale;
  bool depthwise;
} filter_form;

typedef struct pack_run {
  const filter_form *form;
  float *data;
  atomic_bool infinite;
} pack_run;

static void pack_rows(void *arg, int64_t begin, int64_t end) {
  pack_run *run = arg;
  const filter_form *f = run->form;
  bool finite = true;
  if (!f->depthwise) {
    finite = f->code->pack(f->plain, f->n, 1, f->k, f->n, f->scale, run->data, begin, end);
  } else {
    for (int64_t i = begin * f->n; i < end * f->n; i++) {
      run->data[i] = f->scale ? f->plain[i] * f->scale[i % f->n] : f->plain[i];
      finite &= run->data[i] - run->data[i] == 0;
    }
  }
  if (!finite) atomic_store(&run->infinite, true);
}

// The filter in the order that the loops want, scaled unless that would not be finite; returns whether it is
// what was asked for.
static bool fill(dvp_call *call, filter_form form, float *data) {
  pack_run run = {.form = &form, .data = data};
  int64_t row_ps = DVP_MIN(form.n, INT64_C(1) << 40) * 300;
  dvp_parallel(call, form.k, row_ps, pack_rows, &run);
  if (!form.scale || !atomic_load(&run.infinite)) return true;
  form.scale = NULL;
  dvp_parallel(call, form.k, row_ps, pack_rows, &run);
  return false;
}

static bool make_kept(dvp_call *call, void *arg, dvp_kept *kept) {
  kept->flag = fill(call, *(const filter_form *)arg, kept->data);
  return true;
}

// A filter in its packed form, kept or in scratch memory.
typedef struct packed_filter {
  const float *data;
  bool is_scaled;
  dvp_kept *kept;
  TF_Tensor *scratch;
} packed_filter;

// What the filter is multiplied by comes from scale and variance alone: the offset, and the mean, from which
// the plan may take a bias at each step, do not make it another one.
static bool open_filter(dvp_call *call, dvp_keeper *keeper, const filter_form *form, packed_filter *out) {
  static const int inputs[] = {1, 2, 5};  // filter, scale, variance
  int count = form->scale ? 3 : 1;
  int64_t floats = form->depthwise ? form->k * form->n : dvp_packed_floats(form->k, form->n);
  *out = (packed_filter){.is_scaled = form->scale != NULL};
  if (form->depthwise && !form->scale) {
    out->data = form->plain;
    return true;
  }
  if (dvp_inputs_are_stable(call, inputs, count)) {
    const int64_t dims[2] = {form->k, form->n};
    out->kept = dvp_keeper_get(call, keeper, inputs, count, dims, floats, make_kept, (void *)(uintptr_t)form);
    if (!out->kept) return false;
    out->data = out->kept->data;
    out->is_scaled = form->scale && out->kept->flag;
    return true;
  }
  float *data = dvp_temp(call, (size_t)floats * sizeof(float), &out->scratch);
  if (!data) return false;
  out->is_scaled = fill(call, *form, data) && form->scale;
  out->data = data;
  return true;
}

static void close_filter(packed_filter *filter) {
  dvp_kept_release(filter->kept);
  dvp_free_temp(filter->scratch);
}

typedef struct conv_run {
  const dvp_packed_code *code;
  dvp_window w;
  const float *in, *filter, *zeros;  // zeros: as many as a run is long
  float *out;
  int64_t pixels, taps_y, taps_x, run_length;  // runs of a window, and their length
  bool is_plain;                               // a pixel of the result sees the same one of the image
  dvp_packed_cut cut;
  dvp_packed_end end;
  const dvp_epilogue *rest;  // NULL: none
  dvp_epilogue_apply apply;
  atomic_bool out_of_memory;
} conv_run;

// The runs that window row and column (ky, kx) gives to `count` pixels from `pixel` on, all of one image row.
static void fill_row(const conv_run *run, int64_t pixel, int64_t count, int64_t ky, int64_t kx,
                     const float **rows) {
  const dvp_window *w = &run->w;
  int64_t line = pixel / w->out[1], v = pixel % w->out[1];
  int64_t y = line % w->out[0] * w->stride[0] - w->before[0] + ky * w->dilation[0];
  int64_t x = v * w->stride[1] - w->before[1] + kx * w->dilation[1];
  if (y < 0 || y >= w->in[0]) {
    for (int64_t i = 0; i < count; i++) rows[i] = run->zeros;
    return;
  }
  const float *from = run->in + (line / w->out[0] * w->in[0] + y) * w->in[1] * w->channels;
  for (int64_t i = 0; i < count; i++, x += w->stride[1])
    rows[i] = x >= 0 && x < w->in[1] ? from + x * w->channels : run->zeros;
}

// The runs of `count` pixels from `first` on.
static void fill_rows(const conv_run *run, int64_t first, int64_t count, const float **rows) {
  if (run->is_plain) {
    for (int64_t i = 0; i < count; i++) rows[i] = run->in + (first + i) * run->w.channels;
    return;
  }
  for (int64_t ky = 0; ky < run->taps_y; ky++)
    for (int64_t kx = 0; kx < run->taps_x; kx++)
      for (int64_t i = 0, n; i < count; i += n, rows += n) {
        n = DVP_MIN(count - i, run->w.out[1] - (first + i) % run->w.out[1]);
        fill_row(run, first + i, n, ky, kx, rows);
      }
}

static void run_unit(const conv_run *run, int64_t unit, const float **rows) {
  int64_t n = run->w.out_channels, first, end;
  dvp_packed_cut_rows(&run->cut, run->pixels, unit, &first, &end);
  dvp_packed_job job = {.rows = rows,
                        .row_count = end - first,
                        .segments = run->taps_y * run->taps_x,
                        .length = run->run_length,
                        .packed = run->filter,
                        .n = n,
                        .out = run->out + first * n,
                        .end = run->end};
  dvp_packed_cut_columns(&run->cut, n, unit, &job.n0, &job.n1);
  if (job.n0 == job.n1) return;
  if (job.end.side) job.end.side += first * n;
  fill_rows(run, first, job.row_count, rows);
  run->code->multiply(&job);
  if (run->rest) run->apply(run->rest, run->out, first, first + job.row_count, job.n0, job.n1);
}

static void run_units(void *arg, int64_t begin, int64_t end) {
  conv_run *run = arg;
  const float **rows = malloc((size_t)(run->cut.rows * run->taps_y * run->taps_x) * sizeof(*rows));
  if (!rows) {
    atomic_store(&run->out_of_memory, true);
    return;
  }
  for (int64_t unit = begin; unit < end; unit++) run_unit(run, unit, rows);
  free((void *)rows);
}

static void multiply(dvp_call *call, conv_run *run) {
  run->cut = dvp_packed_cut_for(run->pixels, run->taps_y * run->taps_x * run->run_length, run->w.out_channels,
                                dvt_num_threads(call->ctx));
  dvp_parallel(call, run->cut.units, run->cut.unit_ps, run_units, run);
  if (atomic_load(&run->out_of_memory))
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory in a convolution");
}

// ---- a group per channel ----

#define MAX_TAPS 128

// The image's lines that a line of the result sees; NULL where the window sticks out.
static void find_lines(const conv_run *run, int64_t line, const float **lines) {
  const dvp_window *w = &run->w;
  int64_t image = line / w->out[0], y = line % w->out[0] * w->stride[0] - w->before[0];
  for (int64_t ky = 0; ky < w->k[0]; ky++, y += w->dilation[0])
    lines[ky] = y < 0 || y >= w->in[0] ? NULL : run->in + (image * w->in[0] + y) * w->in[1] * w->channels;
}

// The taps of `count` pixels from column v on.
static void fill_taps(const conv_run *run, const float *const *lines, int64_t v, int64_t count,
                      const float **taps) {
  const dvp_window *w = &run->w;
  int64_t left = v * w->stride[1] - w->before[1], step = w->stride[1] * w->channels;
  for (int64_t ky = 0; ky < w->k[0]; ky++)
    for (int64_t kx = 0, x = left; kx < w->k[1]; kx++, x += w->dilation[1], taps += count) {
      bool inside = x >= 0 && x + (count - 1) * w->stride[1] < w->in[1];
      if (lines[ky] && inside) {
        const float *from = lines[ky] + x * w->channels;
        for (int64_t i = 0; i < count; i++) taps[i] = from + i * step;
        continue;
      }
      for (int64_t i = 0; i < count; i++) {
        int64_t at = x + i * w->stride[1];
        taps[i] = lines[ky] && at >= 0 && at < w->in[1] ? lines[ky] + at * w->channels : run->zeros;
      }
    }
}

static void depthwise_lines(void *arg, int64_t begin, int64_t end) {
  conv_run *run = arg;
  const dvp_window *w = &run->w;
  const float *taps[MAX_TAPS * DVP_DEPTHWISE_PIXELS], *lines[MAX_TAPS];
  for (int64_t line = begin; line < end; line++) {
    find_lines(run, line, lines);
    for (int64_t v = 0, n; v < w->out[1]; v += n) {
      int64_t at = (line * w->out[1] + v) * w->channels;
      n = DVP_MIN(DVP_DEPTHWISE_PIXELS, w->out[1] - v);
      fill_taps(run, lines, v, n, taps);
      dvp_depthwise_job job = {.taps = taps,
                               .tap_count = w->k[0] * w->k[1],
                               .pixels = n,
                               .channels = w->channels,
                               .filter = run->filter,
                               .out = run->out + at,
                               .end = run->end};
      if (job.end.side) job.end.side += at;
      run->code->depthwise(&job);
    }
    if (run->rest) run->apply(run->rest, run->out, line * w->out[1], (line + 1) * w->out[1], 0, w->channels);
  }
}

static void depthwise(dvp_call *call, conv_run *run) {
  const dvp_window *w = &run->w;
  double cost = (double)(w->out[1] * w->channels) * (double)(run->taps_y * run->taps_x) * PS_PER_TAP;
  dvp_parallel(call, w->batch * w->out[0], cost < 1e15 ? (int64_t)cost : (int64_t)1e15, depthwise_lines, run);
}

// ---- what comes after ----

// What of an epilogue goes into the loops; the rest is left in *rest. A scale is in the filter, or nothing of
// the epilogue is in the loops.
static void divide(const dvp_epilogue *after, bool is_scaled, dvp_epilogue *rest, conv_run *run) {
  if (!after) return;
  *rest = *after;
  if (!after->scale || is_scaled) {
    run->end.bias = after->shift;
    run->end.side = after->side;
    run->end.clamps = after->activation == DVP_ACT_RELU || after->activation == DVP_ACT_RELU6;
    run->end.high = after->activation == DVP_ACT_RELU6 ? 6 : __builtin_inff();
    rest->scale = rest->shift = rest->side = NULL;
    if (run->end.clamps) rest->activation = DVP_ACT_NONE;
    if (rest->activation == DVP_ACT_NONE) return;
  }
  run->rest = rest;
}

static bool is_depthwise(const dvp_window *w) {
  return w->groups > 1 && w->groups == w->channels && w->out_channels == w->channels;
}

static bool is_suited(const dvp_window *w) {
  if (is_depthwise(w)) return w->channels >= 8 && w->k[0] <= MAX_TAPS && w->k[0] * w->k[1] <= MAX_TAPS;
  return w->groups == 1 && w->out_channels >= 8;
}

// The geometry as runs. False after the call has failed.
static bool set_runs(dvp_call *call, conv_run *run, TF_Tensor **out_padded, TF_Tensor **out_zeros) {
  dvp_window *w = &run->w;
  run->pixels = w->batch * w->out[0] * w->out[1];
  run->taps_y = w->k[0];
  run->taps_x = w->k[1];
  run->run_length = w->channels;
  bool has_border = w->before[0] || w->after[0] || w->before[1] || w->after[1];
  if (w->groups == 1 && w->channels < RUN && w->k[1] > 1 && w->dilation[1] == 1) {
    run->taps_x = 1;
    run->run_length = w->k[1] * w->channels;
    if (has_border) run->in = dvp_pad_image(call, w, run->in, out_padded);
    return run->in != NULL;
  }
  run->is_plain = !has_border && w->k[0] == 1 && w->k[1] == 1 && w->stride[0] == 1 && w->stride[1] == 1;
  if (!has_border) return true;
  size_t bytes = (size_t)w->channels * sizeof(float);
  void *zeros = dvp_temp(call, bytes, out_zeros);
  run->zeros = zeros ? memset(zeros, 0, bytes) : NULL;
  return zeros != NULL;
}

dvp_conv_answer dvp_conv_packed(dvp_call *call, dvp_keeper *keeper, const dvp_packed_code *code,
                                const dvp_window *w, const void *in, const void *filter,
                                const dvp_epilogue *after, dvp_epilogue_apply apply, void *out) {
  if (!is_suited(w)) return DVP_CONV_NOT_SUITED;
  TF_Tensor *padded = NULL, *zeros = NULL;
  packed_filter packed = {.data = NULL};
  dvp_epilogue rest;
  conv_run run = {.code = code, .w = *w, .in = in, .out = out, .apply = apply};
  const filter_form form = {.code = code,
                            .k = w->k[0] * w->k[1] * w->group_channels,
                            .n = w->out_channels,
                            .plain = filter,
                            .scale = after ? after->scale : NULL,
                            .depthwise = is_depthwise(w)};
  bool fine = set_runs(call, &run, &padded, &zeros) && open_filter(call, keeper, &form, &packed);
  if (fine) {
    run.filter = packed.data;
    divide(after, packed.is_scaled, &rest, &run);
    (form.depthwise ? depthwise : multiply)(call, &run);
    fine = !atomic_load(&run.out_of_memory);
  }
  close_filter(&packed);
  dvp_free_temp(padded);
  dvp_free_temp(zeros);
  return fine ? DVP_CONV_DONE : DVP_CONV_FAILED;
}
