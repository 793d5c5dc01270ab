// Recording what nodes did; see profile.h. What is here runs between the nodes of a traced step, so it copies
// numbers into arrays that have their room already, and leaves the rest to whoever reads them.
#include "exec/profile.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <time.h>

#include "exec/run.h"

// An output in `words`: slot, dtype, rank and reference in one, bytes, address, then the dims.
enum { WORD_KIND, WORD_BYTES, WORD_ADDRESS, OUTPUT_WORDS };
enum { SHIFT_RANK = 8, SHIFT_SINGLE = 16, SHIFT_SLOT = 32 };

dvt_profile *dvt_profile_new(void) {
  dvt_profile *profile = dvt_calloc(1, sizeof *profile);
  if (!profile) return NULL;
  atomic_init(&profile->refs, 1);
  pthread_mutex_init(&profile->lock, NULL);
  return profile;
}

dvt_profile *dvt_profile_retain(dvt_profile *profile) {
  atomic_fetch_add_explicit(&profile->refs, 1, memory_order_relaxed);
  return profile;
}

void dvt_profile_release(dvt_profile *profile) {
  if (!profile || atomic_fetch_sub_explicit(&profile->refs, 1, memory_order_acq_rel) > 1) return;
  dvt_free(profile->entries);
  dvt_free(profile->spans);
  dvt_free(profile->words);
  dvt_arena_deinit(&profile->arena);
  pthread_mutex_destroy(&profile->lock);
  dvt_free(profile);
}

// A counter that runs at one rate on all cores, whatever they are doing.
static bool has_steady_counter(void) {
#if defined(__x86_64__)
  enum { POWER_LEAF = 0x80000007, STEADY = 1 << 8 };
  unsigned a, b, c, d;
  return __get_cpuid(POWER_LEAF, &a, &b, &c, &d) && (d & STEADY);
#else
  return false;
#endif
}

static int64_t unix_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

dvt_profile_output dvt_profile_describe(int32_t slot, const TF_Tensor *tensor) {
  const dvt_buffer *buffer = tensor->buffer;
  return (dvt_profile_output){.slot = slot,
                              .dtype = tensor->dtype,
                              .rank = tensor->rank,
                              .has_single_reference = dvt_buffer_is_unique(buffer),
                              .bytes = (int64_t)buffer->bytes,
                              .address = (uint64_t)(uintptr_t)buffer->data,
                              .dims = dvt_tensor_dims(tensor)};
}

static bool add_output(dvt_profile *profile, int32_t slot, const TF_Tensor *tensor) {
  size_t want = profile->word_count + OUTPUT_WORDS + (size_t)tensor->rank;
  if (DVT_UNLIKELY(!dvt_array_reserve(&profile->words, &profile->word_capacity, want, sizeof(int64_t))))
    return false;
  dvt_profile_output o = dvt_profile_describe(slot, tensor);
  int64_t *word = profile->words + profile->word_count, single = o.has_single_reference;
  word[WORD_KIND] =
      (int64_t)slot << SHIFT_SLOT | single << SHIFT_SINGLE | (int64_t)o.rank << SHIFT_RANK | o.dtype;
  word[WORD_BYTES] = o.bytes;
  word[WORD_ADDRESS] = (int64_t)o.address;
  for (int32_t i = 0; i < o.rank; i++) word[OUTPUT_WORDS + i] = o.dims[i];
  profile->word_count = want;
  return true;
}

dvt_profile_output dvt_profile_next_output(const dvt_profile *profile, size_t *word) {
  const int64_t *w = profile->words + *word;
  int64_t kind = w[WORD_KIND];
  int32_t rank = (int32_t)(kind >> SHIFT_RANK & 0xff);
  *word += OUTPUT_WORDS + (size_t)rank;
  return (dvt_profile_output){.slot = (int32_t)(kind >> SHIFT_SLOT),
                              .dtype = (int32_t)(kind & 0xff),
                              .rank = rank,
                              .has_single_reference = kind >> SHIFT_SINGLE & 1,
                              .bytes = w[WORD_BYTES],
                              .address = (uint64_t)w[WORD_ADDRESS],
                              .dims = w + OUTPUT_WORDS};
}

void dvt_profile_begin(dvt_profile *profile, const dvt_plan *plan, TF_Tensor *const *feeds) {
  size_t nodes = (size_t)plan->node_count;
  profile->plan = plan;
  // Room for a step without loops and calls; more is made when it is needed.
  bool room = dvt_array_reserve(&profile->entries, &profile->capacity, nodes, sizeof *profile->entries) &&
              dvt_array_reserve(&profile->words, &profile->word_capacity, nodes * (OUTPUT_WORDS + 4),
                                sizeof(int64_t));
  for (int32_t i = 0; room && i < plan->feed_count && add_output(profile, i, feeds[i]); i++)
    profile->feed_count++;
  profile->by_counter = has_steady_counter();
  profile->start_unix_us = unix_us();
  profile->start_ns = dvt_now_ns();
  profile->start_count = dvt_profile_now(profile);
}

// The counter runs evenly between the step's two ends, whose times both clocks give.
static void count_to_ns(const dvt_profile *profile, double ns_per_count, int64_t *time) {
  *time = profile->start_ns + (int64_t)((double)(*time - profile->start_count) * ns_per_count);
}

static void convert_times(dvt_profile *profile) {
  int64_t counted = dvt_profile_now(profile) - profile->start_count;
  double ns_per_count = counted > 0 ? (double)(profile->end_ns - profile->start_ns) / (double)counted : 0;
  for (size_t i = 0; i < profile->count; i++) {
    count_to_ns(profile, ns_per_count, &profile->entries[i].scheduled_ns);
    count_to_ns(profile, ns_per_count, &profile->entries[i].start_ns);
    count_to_ns(profile, ns_per_count, &profile->entries[i].end_ns);
  }
  for (size_t i = 0; i < profile->span_count; i++) {
    count_to_ns(profile, ns_per_count, &profile->spans[i].start_ns);
    if (profile->spans[i].end_ns) count_to_ns(profile, ns_per_count, &profile->spans[i].end_ns);
  }
}

void dvt_profile_end(dvt_profile *profile, bool has_failed) {
  pthread_mutex_lock(&profile->lock);
  profile->end_ns = dvt_now_ns();
  if (profile->by_counter) convert_times(profile);
  profile->has_failed = has_failed;
  profile->has_ended = true;
  pthread_mutex_unlock(&profile->lock);
}

static void add(dvt_profile *profile, const dvt_profile_entry *entry, const dvt_kernel_output *outputs,
                int32_t output_count) {
  if (DVT_UNLIKELY(
          !dvt_array_reserve(&profile->entries, &profile->capacity, profile->count + 1, sizeof *entry))) {
    profile->lost++;
    return;
  }
  dvt_profile_entry *to = &profile->entries[profile->count++];
  *to = *entry;
  to->first_word = profile->word_count;
  to->output_count = 0;
  for (int32_t i = 0; i < output_count; i++)
    if (outputs[i].tensor.buffer) to->output_count += add_output(profile, i, &outputs[i].tensor);
}

void dvt_profile_add(dvt_profile *profile, const dvt_profile_entry *entry, const dvt_kernel_output *outputs,
                     int32_t output_count) {
  pthread_mutex_lock(&profile->lock);
  if (!profile->has_ended) add(profile, entry, outputs, output_count);
  pthread_mutex_unlock(&profile->lock);
}

// ---- spans ----

int64_t dvt_profile_span_begin(const dvt_node_trace *trace, dvt_str name, int32_t thread) {
  dvt_profile *profile = trace->profile;
  dvt_profile_span span = {.plan = trace->plan, .node = trace->node, .thread = thread};
  int64_t number = 0;
  pthread_mutex_lock(&profile->lock);
  if (!profile->has_ended && dvt_arena_copy_str(&profile->arena, name, &span.name) &&
      dvt_array_reserve(&profile->spans, &profile->span_capacity, profile->span_count + 1, sizeof span)) {
    span.start_ns = dvt_profile_now(profile);
    profile->spans[profile->span_count++] = span;
    number = (int64_t)profile->span_count;
  }
  pthread_mutex_unlock(&profile->lock);
  return number;
}

// With the lock.
static dvt_profile_span *open_span(const dvt_node_trace *trace, int64_t span) {
  dvt_profile *profile = trace->profile;
  if (span <= 0 || (uint64_t)span > profile->span_count) return NULL;
  dvt_profile_span *found = &profile->spans[span - 1];
  return found->plan == trace->plan && found->node == trace->node && !found->end_ns ? found : NULL;
}

bool dvt_profile_span_number(const dvt_node_trace *trace, int64_t span, dvt_str name, int64_t value) {
  dvt_profile *profile = trace->profile;
  pthread_mutex_lock(&profile->lock);
  dvt_profile_span *found = open_span(trace, span);
  bool fine = found && found->number_count < DVT_SPAN_NUMBERS;
  if (fine && !profile->has_ended &&
      dvt_arena_copy_str(&profile->arena, name, &found->numbers[found->number_count].name))
    found->numbers[found->number_count++].value = value;
  pthread_mutex_unlock(&profile->lock);
  return fine;
}

bool dvt_profile_span_end(const dvt_node_trace *trace, int64_t span) {
  dvt_profile *profile = trace->profile;
  int64_t now = dvt_profile_now(profile);
  pthread_mutex_lock(&profile->lock);
  dvt_profile_span *found = open_span(trace, span);
  if (found && !profile->has_ended) found->end_ns = now;
  pthread_mutex_unlock(&profile->lock);
  return found != NULL;
}

// ---- time in called functions ----

static _Thread_local int64_t called_ns;

int64_t dvt_called_enter(void) {
  int64_t around_ns = called_ns;
  called_ns = 0;
  return around_ns;
}

int64_t dvt_called_leave(int64_t around_ns) {
  int64_t own_ns = called_ns;
  called_ns = around_ns;
  return own_ns;
}

void dvt_called_add(int64_t ns) { called_ns += ns; }
