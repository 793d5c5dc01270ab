// Times of the last profiled run of a model, added up by node.
#include <stdlib.h>

#include "capi/model.h"

void dvt_model_set_profiling(dvt_model *model, bool on) {
  if (model) atomic_store_explicit(&model->profiling, on, memory_order_relaxed);
}

void dvt_model_take_profile(dvt_model *model, dvt_profile *profile) {
  pthread_mutex_lock(&model->lock);
  dvt_profile old = model->profile;
  bool had = model->has_profile;
  model->profile = *profile;
  model->has_profile = true;
  pthread_mutex_unlock(&model->lock);
  *profile = (dvt_profile){0};
  if (had) dvt_profile_deinit(&old);
}

typedef struct sum {
  const dvt_profile_entry *entry;
  int64_t total_ns, own_ns, count;
} sum;

static int by_node(const void *a, const void *b) {
  return dvt_str_compare(((const sum *)a)->entry->node, ((const sum *)b)->entry->node);
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
  for (size_t i = 0; i < count; ++i)
    bytes += sums[i].entry->node.len + sums[i].entry->op.len + sums[i].entry->plugin.len + 3;
  dvt_op_time *times = dvt_malloc(bytes);
  if (!times) return NULL;
  char *text = (char *)(times + count);
  for (size_t i = 0; i < count; ++i) {
    times[i].node = put_text(&text, sums[i].entry->node);
    times[i].op = put_text(&text, sums[i].entry->op);
    times[i].plugin = put_text(&text, sums[i].entry->plugin);
    times[i].total_ns = sums[i].total_ns;
    times[i].own_ns = sums[i].own_ns;
    times[i].count = sums[i].count;
  }
  return times;
}

int dvt_model_profile(dvt_model *model, dvt_op_time **out_times) {
  dvt_op_time *times = NULL;
  size_t count = 0;
  if (!model) {
    *out_times = NULL;
    return 0;
  }
  pthread_mutex_lock(&model->lock);
  size_t entries = model->has_profile ? model->profile.count : 0;
  sum *sums = entries ? dvt_calloc(entries, sizeof *sums) : NULL;
  if (sums) {
    for (size_t i = 0; i < entries; ++i) {
      const dvt_profile_entry *e = &model->profile.entries[i];
      int64_t ns = e->end_ns - e->start_ns;
      sums[i] = (sum){e, ns, DVT_MAX(ns - e->called_ns, 0), 1};
    }
    count = add_up(sums, entries);
    times = to_times(sums, count);
  }
  pthread_mutex_unlock(&model->lock);
  dvt_free(sums);
  *out_times = times;
  return times ? (int)count : 0;
}

void dvt_op_times_free(dvt_op_time *times) { dvt_free(times); }
