// Convolution by oneDNN's just-in-time kernels. The output is cut into bands of rows, one a thread; each band
// is a convolution of its own, with the input rows it needs and what is left of the padding, run in the
// thread that takes it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/onednn.h"
#include "nn/conv.h"

// A geometry is worth a second thread from about this many multiplications on.
#define BAND_MACS (1 << 20)
// Geometries remembered per node; when more are seen, those of the table are kept.
#define CACHE_SIZE 32
// Arguments of a primitive at most.
#define MAX_ARGS 5

// A band: one image's rows, or all of them.
typedef struct band {
  int64_t in_rows, out_rows, before, after;
} band;

// A filter in oneDNN's order, with the handle that keeps the plain one from changing. Steps that run side by
// side share it.
typedef struct packed_filter {
  atomic_int users;
  TF_Tensor *plain;
  void *data;
} packed_filter;

static void packed_release(packed_filter *packed) {
  if (!packed || atomic_fetch_sub(&packed->users, 1) > 1) return;
  TF_DeleteTensor(packed->plain);
  free(packed->data);
  free(packed);
}

// What the primitive does of an epilogue, and what is left. A node's geometries have the same.
typedef struct steps {
  bool bias, sum;
  dvp_activation activation;  // NONE, RELU, RELU6 or LEAKY_RELU
  float alpha;
  bool has_rest;
  dvp_epilogue rest;
} steps;

// Post-ops that are exact; other activations are left to the epilogue, which is as accurate as the ops
// themselves.
static steps divide(const dvp_epilogue *after) {
  steps s = {.has_rest = after != NULL};
  if (!after) return s;
  s.rest = *after;
  if (after->scale) return s;
  s.bias = after->shift != NULL;
  s.sum = after->side != NULL;
  s.rest.shift = s.rest.side = NULL;
  if (after->activation == DVP_ACT_RELU || after->activation == DVP_ACT_RELU6 ||
      after->activation == DVP_ACT_LEAKY_RELU) {
    s.activation = after->activation;
    s.alpha = after->alpha;
    s.rest.activation = DVP_ACT_NONE;
  }
  s.has_rest = s.rest.activation != DVP_ACT_NONE;
  return s;
}

typedef struct entry {
  dvp_window w;                    // with in, out, before, after of the band
  dnnl_primitive_t conv, reorder;  // conv NULL: oneDNN is not suited
  dnnl_memory_desc_t plain, packed, src, dst, bias;
  size_t packed_bytes, scratch_bytes, reorder_scratch_bytes;
  packed_filter *kept;  // of a filter that does not change
} entry;

struct dvp_conv_cache {
  pthread_mutex_t lock;
  int count;
  entry *entries[CACHE_SIZE];
};

dvp_conv_cache *dvp_conv_cache_new(void) {
  dvp_conv_cache *cache = calloc(1, sizeof(*cache));
  if (cache) pthread_mutex_init(&cache->lock, NULL);
  return cache;
}

static void entry_delete(entry *e) {
  if (!e) return;
  if (e->conv) dvp_dnnl.primitive_destroy(e->conv);
  if (e->reorder) dvp_dnnl.primitive_destroy(e->reorder);
  packed_release(e->kept);
  free(e);
}

void dvp_conv_cache_delete(dvp_conv_cache *cache) {
  if (!cache) return;
  for (int i = 0; i < cache->count; i++) entry_delete(cache->entries[i]);
  pthread_mutex_destroy(&cache->lock);
  free(cache);
}

// oneDNN's padding is limited to the kernel's reach; its direct kernels are the ones named jit or brg.
static bool is_optimised(const char *implementation) {
  return strncmp(implementation, "jit", 3) == 0 || strncmp(implementation, "brg", 3) == 0;
}

static bool is_depthwise(const dvp_window *w) {
  return w->groups > 1 && w->groups == w->channels && w->out_channels == w->channels;
}

// Filters of a group per channel have a dim for it.
static int filter_dims(const dvp_window *w, dnnl_dims_t out) {
  int groups = is_depthwise(w) ? 1 : 0;
  if (groups) out[0] = w->groups;
  out[groups] = w->out_channels / w->groups;
  out[groups + 1] = w->group_channels;
  out[groups + 2] = w->k[0];
  out[groups + 3] = w->k[1];
  return groups + 4;
}

static dnnl_primitive_attr_t make_attr(const steps *s) {
  dnnl_primitive_attr_t attr;
  dnnl_post_ops_t ops;
  if (dvp_dnnl.primitive_attr_create(&attr) != dnnl_success) return NULL;
  bool fine = dvp_dnnl.primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user) == dnnl_success &&
              dvp_dnnl.post_ops_create(&ops) == dnnl_success;
  if (fine) {
    if (s->sum) fine = dvp_dnnl.post_ops_append_sum(ops, 1) == dnnl_success;
    if (fine && s->activation == DVP_ACT_RELU6)
      fine = dvp_dnnl.post_ops_append_eltwise(ops, 1, dnnl_eltwise_clip, 0, 6) == dnnl_success;
    else if (fine && s->activation != DVP_ACT_NONE)
      fine = dvp_dnnl.post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu,
                                              s->activation == DVP_ACT_LEAKY_RELU ? s->alpha : 0,
                                              0) == dnnl_success;
    fine = fine && dvp_dnnl.primitive_attr_set_post_ops(attr, ops) == dnnl_success;
    dvp_dnnl.post_ops_destroy(ops);
  }
  if (fine) return attr;
  dvp_dnnl.primitive_attr_destroy(attr);
  return NULL;
}

static dnnl_primitive_desc_t describe(const dvp_window *w, const steps *s) {
  dnnl_dims_t src = {w->batch, w->channels, w->in[0], w->in[1]},
              dst = {w->batch, w->out_channels, w->out[0], w->out[1]}, bias = {w->out_channels}, weights;
  dnnl_dims_t strides = {w->stride[0], w->stride[1]}, dilates = {w->dilation[0] - 1, w->dilation[1] - 1};
  dnnl_dims_t before = {w->before[0], w->before[1]}, after = {w->after[0], w->after[1]};
  dnnl_memory_desc_t src_md, weights_md, bias_md, dst_md;
  dnnl_convolution_desc_t desc;
  dnnl_primitive_desc_t pd = NULL;
  int filter_rank = filter_dims(w, weights);
  if (dvp_dnnl.memory_desc_init_by_tag(&src_md, 4, src, dnnl_f32, dnnl_nhwc) != dnnl_success ||
      dvp_dnnl.memory_desc_init_by_tag(&weights_md, filter_rank, weights, dnnl_f32, dnnl_format_tag_any) !=
          dnnl_success ||
      dvp_dnnl.memory_desc_init_by_tag(&bias_md, 1, bias, dnnl_f32, dnnl_a) != dnnl_success ||
      dvp_dnnl.memory_desc_init_by_tag(&dst_md, 4, dst, dnnl_f32, dnnl_nhwc) != dnnl_success ||
      dvp_dnnl.dilated_convolution_forward_desc_init(&desc, dnnl_forward_inference, dnnl_convolution_direct,
                                                     &src_md, &weights_md, s->bias ? &bias_md : NULL, &dst_md,
                                                     strides, dilates, before, after) != dnnl_success)
    return NULL;
  dnnl_primitive_attr_t attr = make_attr(s);
  if (!attr) return NULL;
  if (dvp_dnnl.primitive_desc_create(&pd, &desc, attr, dvp_dnnl_engine(), NULL) != dnnl_success) pd = NULL;
  dvp_dnnl.primitive_attr_destroy(attr);
  return pd;
}

static size_t scratch_bytes(const_dnnl_primitive_desc_t pd) {
  const dnnl_memory_desc_t *md = dvp_dnnl.primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  return md ? dvp_dnnl.memory_desc_get_size(md) : 0;
}

// The reorder of a filter, height x width x in x out, to what the convolution wants.
static bool make_reorder(entry *e) {
  dnnl_dims_t dims;
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t pd = NULL;
  int rank = filter_dims(&e->w, dims);
  if (dvp_dnnl.memory_desc_init_by_tag(&e->plain, rank, dims, dnnl_f32, rank == 5 ? dnnl_hwigo : dnnl_hwio) !=
          dnnl_success ||
      dvp_dnnl.primitive_attr_create(&attr) != dnnl_success)
    return false;
  dvp_dnnl.primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
  bool fine = dvp_dnnl.reorder_primitive_desc_create(&pd, &e->plain, dvp_dnnl_engine(), &e->packed,
                                                     dvp_dnnl_engine(), attr) == dnnl_success &&
              dvp_dnnl.primitive_create(&e->reorder, pd) == dnnl_success;
  if (fine) e->reorder_scratch_bytes = scratch_bytes(pd);
  if (pd) dvp_dnnl.primitive_desc_destroy(pd);
  dvp_dnnl.primitive_attr_destroy(attr);
  return fine;
}

// Never fails but for lack of memory: what oneDNN cannot do well is an entry without a primitive.
static entry *make_entry(const dvp_window *w, const steps *s) {
  entry *e = calloc(1, sizeof(*e));
  if (!e) return NULL;
  e->w = *w;
  dnnl_primitive_desc_t pd = dvp_dnnl_engine() ? describe(w, s) : NULL;
  const char *implementation = "";
  if (!pd) return e;
  dvp_dnnl.primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &implementation);
  if (is_optimised(implementation)) {
    e->packed = *dvp_dnnl.primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    e->src = *dvp_dnnl.primitive_desc_query_md(pd, dnnl_query_src_md, 0);
    e->dst = *dvp_dnnl.primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    if (s->bias) e->bias = *dvp_dnnl.primitive_desc_query_md(pd, dnnl_query_weights_md, 1);
    e->packed_bytes = dvp_dnnl.memory_desc_get_size(&e->packed);
    e->scratch_bytes = scratch_bytes(pd);
    if (!make_reorder(e) || dvp_dnnl.primitive_create(&e->conv, pd) != dnnl_success) e->conv = NULL;
  }
  dvp_dnnl.primitive_desc_destroy(pd);
  return e;
}

static bool same_window(const dvp_window *a, const dvp_window *b) { return memcmp(a, b, sizeof(*a)) == 0; }

// The entry of a geometry, made when it is new. NULL when out of memory or the table is full.
static entry *find(dvp_conv_cache *cache, const dvp_window *w, const steps *s) {
  entry *found = NULL;
  pthread_mutex_lock(&cache->lock);
  for (int i = 0; i < cache->count && !found; i++)
    if (same_window(&cache->entries[i]->w, w)) found = cache->entries[i];
  if (!found && cache->count < CACHE_SIZE) {
    // A primitive is made for as many threads as OpenMP would use now.
    int saved = dvp_dnnl_serial_begin();
    found = make_entry(w, s);
    dvp_dnnl_serial_end(saved);
    if (found) cache->entries[cache->count++] = found;
  }
  pthread_mutex_unlock(&cache->lock);
  return found;
}

// Runs a primitive in this thread on plain pointers.
static bool execute(dnnl_primitive_t primitive, int count, const int *args,
                    const dnnl_memory_desc_t *const *descs, void *const *data) {
  dnnl_exec_arg_t list[MAX_ARGS];
  dnnl_stream_t stream;
  int made = 0;
  if (dvp_dnnl.stream_create(&stream, dvp_dnnl_engine(), dnnl_stream_default_flags) != dnnl_success)
    return false;
  bool fine = true;
  for (; fine && made < count; made++) {
    list[made].arg = args[made];
    fine = dvp_dnnl.memory_create(&list[made].memory, descs[made], dvp_dnnl_engine(), data[made]) ==
           dnnl_success;
    if (!fine) break;
  }
  int saved = dvp_dnnl_serial_begin();
  fine = fine && dvp_dnnl.primitive_execute(primitive, stream, count, list) == dnnl_success &&
         dvp_dnnl.stream_wait(stream) == dnnl_success;
  dvp_dnnl_serial_end(saved);
  for (int i = 0; i < made; i++) dvp_dnnl.memory_destroy(list[i].memory);
  dvp_dnnl.stream_destroy(stream);
  return fine;
}

static dnnl_memory_desc_t bytes_desc(size_t bytes) {
  dnnl_memory_desc_t md;
  dnnl_dims_t dims = {(dnnl_dim_t)bytes};
  dvp_dnnl.memory_desc_init_by_tag(&md, 1, dims, dnnl_u8, dnnl_a);
  return md;
}

static bool pack(dvp_call *call, entry *e, const void *filter, void *packed) {
  TF_Tensor *scratch = NULL;
  dnnl_memory_desc_t md = bytes_desc(e->reorder_scratch_bytes);
  void *temp = e->reorder_scratch_bytes ? dvp_temp(call, e->reorder_scratch_bytes, &scratch) : NULL;
  if (e->reorder_scratch_bytes && !temp) return false;
  bool fine =
      execute(e->reorder, temp ? 3 : 2, (const int[]){DNNL_ARG_FROM, DNNL_ARG_TO, DNNL_ARG_SCRATCHPAD},
              (const dnnl_memory_desc_t *const[]){&e->plain, &e->packed, &md},
              (void *const[]){(void *)filter, packed, temp});
  dvp_free_temp(scratch);
  return fine || dvp_fail(call, TF_INTERNAL, "oneDNN could not reorder a filter");
}

// A packed copy of the filter, input 1 of the node, with one reference for the caller.
static packed_filter *pack_new(dvp_call *call, entry *e) {
  packed_filter *packed = calloc(1, sizeof(*packed));
  void *data = packed ? aligned_alloc(64, (e->packed_bytes + 63) / 64 * 64) : NULL;
  if (!data) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for a packed filter of %zu bytes", e->packed_bytes);
    free(packed);
    return NULL;
  }
  packed->data = data;
  atomic_init(&packed->users, 1);
  TF_GetInput(call->ctx, 1, &packed->plain, call->status);
  if (dvp_ok(call) && pack(call, e, TF_TensorData(packed->plain), data)) return packed;
  packed_release(packed);
  return NULL;
}

// The packed form of a filter that does not change, made when it is another than last time.
static packed_filter *keep_packed(dvp_call *call, dvp_conv_cache *cache, entry *e, const void *filter) {
  pthread_mutex_lock(&cache->lock);
  if (!e->kept || TF_TensorData(e->kept->plain) != filter) {
    packed_release(e->kept);
    e->kept = pack_new(call, e);
  }
  packed_filter *packed = e->kept;
  if (packed) atomic_fetch_add(&packed->users, 1);
  pthread_mutex_unlock(&cache->lock);
  return packed;
}

typedef struct piece {
  entry *e;
  const float *in;
  int64_t pixel0, pixels;  // of the result
} piece;

typedef struct pieces_run {
  const piece *pieces;
  const steps *steps;
  const dvp_epilogue *after;
  dvp_epilogue_apply apply;
  void *weights;
  float *out;
  int64_t channels;
  char *scratch;
  size_t scratch_step;
  bool failed;
} pieces_run;

static bool run_piece(const pieces_run *run, int64_t i) {
  const piece *p = &run->pieces[i];
  float *out = run->out + p->pixel0 * run->channels;
  dnnl_memory_desc_t md = bytes_desc(p->e->scratch_bytes);
  int args[MAX_ARGS] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}, count = 3;
  const dnnl_memory_desc_t *descs[MAX_ARGS] = {&p->e->src, &p->e->packed, &p->e->dst};
  void *data[MAX_ARGS] = {(void *)p->in, run->weights, out};
  if (run->steps->bias) {
    args[count] = DNNL_ARG_BIAS;
    descs[count] = &p->e->bias;
    data[count++] = (void *)run->after->shift;
  }
  if (p->e->scratch_bytes) {
    args[count] = DNNL_ARG_SCRATCHPAD;
    descs[count] = &md;
    data[count++] = run->scratch + (size_t)i * run->scratch_step;
  }
  if (run->steps->sum && run->after->side != run->out)
    memcpy(out, (const float *)run->after->side + p->pixel0 * run->channels,
           (size_t)(p->pixels * run->channels) * sizeof(float));
  if (!execute(p->e->conv, count, args, descs, data)) return false;
  if (run->steps->has_rest)
    run->apply(&run->steps->rest, run->out, p->pixel0, p->pixel0 + p->pixels, 0, run->channels);
  return true;
}

static void run_pieces(void *arg, int64_t begin, int64_t end) {
  pieces_run *run = arg;
  for (int64_t i = begin; i < end; i++)
    if (!run_piece(run, i)) __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
}

// Rows [r0, r1) of the output as a window over the input rows they need, which start at *out_in_row.
static dvp_window band_of(const dvp_window *w, int64_t images, int64_t r0, int64_t r1, int64_t *out_in_row) {
  int64_t first = r0 * w->stride[0] - w->before[0];
  int64_t last = (r1 - 1) * w->stride[0] - w->before[0] + (w->k[0] - 1) * w->dilation[0] + 1;
  dvp_window b = *w;
  b.batch = images;
  b.before[0] = DVP_MAX(0, -first);
  b.after[0] = DVP_MAX(0, last - w->in[0]);
  *out_in_row = DVP_MAX(0, first);
  b.in[0] = DVP_MIN(w->in[0], last) - *out_in_row;
  b.out[0] = r1 - r0;
  return b;
}

// Fills the pieces; NOT_SUITED when any of them is.
static dvp_conv_answer plan(dvp_conv_cache *cache, const dvp_window *w, const steps *s, const float *in,
                            int64_t images, int64_t bands, piece *pieces) {
  int64_t in_image = w->in[0] * w->in[1] * w->channels;
  for (int64_t i = 0; i < w->batch / images * bands; i++) {
    int64_t image = i / bands * images, k = i % bands, r0 = w->out[0] * k / bands,
            r1 = w->out[0] * (k + 1) / bands, in_row;
    dvp_window b = bands == 1 ? *w : band_of(w, images, r0, r1, &in_row);
    if (bands == 1) {
      b.batch = images;
      in_row = 0;
    }
    if (b.in[0] <= 0) return DVP_CONV_NOT_SUITED;  // a band that sees only padding
    entry *e = find(cache, &b, s);
    if (!e || !e->conv) return DVP_CONV_NOT_SUITED;
    pieces[i] = (piece){e, in + image * in_image + in_row * w->in[1] * w->channels,
                        (image * w->out[0] + r0) * w->out[1], images * (r1 - r0) * w->out[1]};
  }
  return DVP_CONV_DONE;
}

dvp_conv_answer dvp_conv_onednn(dvp_call *call, dvp_conv_cache *cache, const dvp_window *w, const void *in,
                                const void *filter, bool filter_is_stable, const dvp_epilogue *after,
                                dvp_epilogue_apply apply, void *out) {
  // Narrow results waste most of a vector there; most groups and huge dims are left to the loops.
  bool depthwise = is_depthwise(w);
  if (w->out_channels < (depthwise ? 8 : 16) || (w->groups != 1 && !depthwise) || w->in[0] > INT32_MAX ||
      w->in[1] > INT32_MAX)
    return DVP_CONV_NOT_SUITED;
  // Multiplications of a group per channel wait for memory.
  double macs = (double)w->batch * (double)(w->out[0] * w->out[1]) * (double)w->out_channels *
                (double)(w->k[0] * w->k[1] * w->group_channels) * (depthwise ? 4 : 1);
  int64_t threads = macs < 2.0 * BAND_MACS ? 1 : dvt_num_threads(call->ctx);
  int64_t images = threads == 1 ? w->batch : 1;
  int64_t bands = threads == 1 ? 1 : DVP_MIN(w->out[0], (threads + w->batch - 1) / w->batch);
  int64_t count = w->batch / images * bands;
  piece *pieces = malloc((size_t)count * sizeof(*pieces));
  if (!pieces) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    return DVP_CONV_FAILED;
  }
  steps s = divide(after);
  dvp_conv_answer answer = plan(cache, w, &s, in, images, bands, pieces);
  TF_Tensor *weights_scratch = NULL, *scratch = NULL;
  packed_filter *kept = NULL;
  pieces_run run = {
      .pieces = pieces, .steps = &s, .after = after, .apply = apply, .out = out, .channels = w->out_channels};
  if (answer == DVP_CONV_DONE) {
    for (int64_t i = 0; i < count; i++) {
      run.scratch_step = DVP_MAX(run.scratch_step, (pieces[i].e->scratch_bytes + 63) / 64 * 64);
      if (!dvp_dnnl.memory_desc_equal(&pieces[i].e->packed, &pieces[0].e->packed))
        answer = DVP_CONV_NOT_SUITED;
    }
  }
  if (answer == DVP_CONV_DONE) {
    if (filter_is_stable && (kept = keep_packed(call, cache, pieces[0].e, filter))) run.weights = kept->data;
    if (!filter_is_stable) run.weights = dvp_temp(call, pieces[0].e->packed_bytes, &weights_scratch);
    if (!filter_is_stable && run.weights && !pack(call, pieces[0].e, filter, run.weights)) run.weights = NULL;
    if (run.weights && run.scratch_step)
      run.scratch = dvp_temp(call, run.scratch_step * (size_t)count, &scratch);
    answer = run.weights && (run.scratch || !run.scratch_step) ? DVP_CONV_DONE : DVP_CONV_FAILED;
  }
  if (answer == DVP_CONV_DONE) {
    double cost = macs / (double)count * 15;
    dvp_parallel(call, count, cost < 1e15 ? (int64_t)cost : (int64_t)1e15, run_pieces, &run);
    if (run.failed) {
      dvp_fail(call, TF_INTERNAL, "oneDNN could not run a convolution");
      answer = DVP_CONV_FAILED;
    }
  }
  packed_release(kept);
  dvp_free_temp(weights_scratch);
  dvp_free_temp(scratch);
  free(pieces);
  return answer;
}
