// What the last profiled run of a model did: times added up by node, and the whole as a trace.
#include <stdlib.h>

#include "capi/buffer.h"
#include "capi/model.h"
#include "exec/plan_names.h"

void dvt_model_set_profiling(dvt_model *model, bool on) {
  if (model) atomic_store_explicit(&model->profiling, on, memory_order_relaxed);
}

void dvt_model_take_profile(dvt_model *model, dvt_profile *profile) {
  pthread_mutex_lock(&model->lock);
  dvt_profile *old = model->profile;
  model->profile = profile;
  pthread_mutex_unlock(&model->lock);
  dvt_profile_release(old);
}

// With the lock: other threads may replace it.
static dvt_profile *hold_profile(dvt_model *model) {
  pthread_mutex_lock(&model->lock);
  dvt_profile *profile = model->profile ? dvt_profile_retain(model->profile) : NULL;
  pthread_mutex_unlock(&model->lock);
  return profile;
}

typedef struct sum {
  dvt_str node, op, plugin;
  int64_t total_ns, own_ns, count;
} sum;

static int by_node(const void *a, const void *b) {
  return dvt_str_compare(((const sum *)a)->node, ((const sum *)b)->node);
}

static int slowest_first(const void *a, const void *b) {
  int64_t x = ((const sum *)a)->total_ns, y = ((const sum *)b)->total_ns;
  return x == y ? by_node(a, b) : x < y ? 1 : -1;
}

// Adds up entries of the same node in place; returns how many are left.
static size_t add_up(sum *sums, size_t count) {
  size_t kept = 0;
  qsort(sums, count, sizeof *sums, by_node);
  for (size_t i = 0; i < count; ++i) {
    if (kept && by_node(&sums[kept - 1], &sums[i]) == 0) {
      sums[kept - 1].total_ns += sums[i].total_ns;
      sums[kept - 1].own_ns += sums[i].own_ns;
      ++sums[kept - 1].count;
    } else {
      sums[kept++] = sums[i];
    }
  }
  qsort(sums, kept, sizeof *sums, slowest_first);
  return kept;
}

static const char *put_text(char **at, dvt_str s) {
  char *text = *at;
  if (s.len) memcpy(text, s.data, s.len);
  text[s.len] = '\0';
  *at += s.len + 1;
  return text;
}

// One block: the array, then its text.
static dvt_op_time *to_times(const sum *sums, size_t count) {
  size_t bytes = count * sizeof(dvt_op_time);
  for (size_t i = 0; i < count; ++i) bytes += sums[i].node.len + sums[i].op.len + sums[i].plugin.len + 3;
  dvt_op_time *times = dvt_malloc(bytes);
  if (!times) return NULL;
  char *text = (char *)(times + count);
  for (size_t i = 0; i < count; ++i) {
    times[i].node = put_text(&text, sums[i].node);
    times[i].op = put_text(&text, sums[i].op);
    times[i].plugin = put_text(&text, sums[i].plugin);
    times[i].total_ns = sums[i].total_ns;
    times[i].own_ns = sums[i].own_ns;
    times[i].count = sums[i].count;
  }
  return times;
}

// The calls of kernels; names are copied to `arena`.
static size_t list_calls(const dvt_profile *profile, dvt_arena *arena, sum *sums) {
  size_t count = 0;
  dvt_buf name = {0};
  for (size_t i = 0; i < profile->count; ++i) {
    const dvt_profile_entry *e = &profile->entries[i];
    const dvt_plan_node *node = &e->plan->nodes[e->node];
    if (dvt_plan_node_kind(node) != DVT_NODE_KERNEL) continue;
    sum *s = &sums[count];
    int64_t ns = e->end_ns - e->start_ns;
    *s = (sum){.total_ns = ns, .own_ns = DVT_MAX(ns - e->called_ns, 0), .count = 1};
    s->op = dvt_plan_node_def(node)->op->name;
    s->plugin = dvt_session_node_plugin(node->session_node);
    dvt_buf_clear(&name);
    dvt_plan_node_name(e->plan, e->node, &name);
    if (!name.failed && dvt_arena_copy_str(arena, dvt_buf_str(&name), &s->node)) ++count;
  }
  dvt_buf_deinit(&name);
  return count;
}

int dvt_model_profile(dvt_model *model, dvt_op_time **out_times) {
  dvt_op_time *times = NULL;
  dvt_arena names = {0};
  size_t count = 0;
  dvt_profile *profile = model ? hold_profile(model) : NULL;
  sum *sums = profile ? dvt_calloc(profile->count + 1, sizeof *sums) : NULL;
  if (sums) count = add_up(sums, list_calls(profile, &names, sums));
  if (count) times = to_times(sums, count);
  dvt_free(sums);
  dvt_arena_deinit(&names);
  dvt_profile_release(profile);
  *out_times = times;
  return times ? (int)count : 0;
}

void dvt_op_times_free(dvt_op_time *times) { dvt_free(times); }

static dvt_status trace(dvt_model *model, TF_Buffer *out_json) {
  if (!model || !out_json)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_model_trace: the %s is NULL", model ? "buffer" : "model");
  if (out_json->data) return dvt_error(TF_INVALID_ARGUMENT, "dvt_model_trace: the buffer is not empty");
  dvt_profile *profile = hold_profile(model);
  if (!profile)
    return dvt_error(TF_FAILED_PRECONDITION,
                     "no run of the model %s was traced; call dvt_model_set_profiling before it runs",
                     model->info.path);
  dvt_buf json = {0};
  dvt_profile_to_chrome(profile, &json);
  dvt_profile_release(profile);
  dvt_status status = json.failed ? dvt_error_out_of_memory(json.len) : dvt_buf_to_tf_buffer(&json, out_json);
  dvt_buf_deinit(&json);
  return status;
}

void dvt_model_trace(dvt_model *model, TF_Buffer *out_json, TF_Status *status) {
  dvt_status_to_tf(trace(model, out_json), status);
}
