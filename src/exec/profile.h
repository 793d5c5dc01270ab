// dvt_profile: what the nodes of a step did: when each ran and on which thread, what it allocated and what
// came out, and the spans that its kernel named. One recording serves RunMetadata.step_stats
// (profile_metadata.c), Chrome's trace format (profile_chrome.c) and the times that `dovetail run --profile`
// prints.
//
// Recording copies numbers only; names are looked up when the profile is read. So a profile must be read
// before its session goes. Steps, and asynchronous kernels that outlast theirs, hold references; what they
// record after dvt_profile_end is dropped, and from then on a profile never changes.
#ifndef DVT_EXEC_PROFILE_H_
#define DVT_EXEC_PROFILE_H_

#include <pthread.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "kernel/kernel.h"

typedef struct dvt_plan dvt_plan;

typedef struct dvt_profile_entry {
  const dvt_plan *plan;
  int32_t node;                            // in plan->nodes
  int32_t thread;                          // 0: the caller's; else worker of the pool
  int64_t scheduled_ns, start_ns, end_ns;  // dvt_profile_now; once the profile has ended, the monotonic clock
  int64_t called_ns;  // of that, the time of functions the node called, whose nodes have entries too
  int64_t output_bytes, temp_bytes;  // asked for by TF_AllocateOutput and TF_AllocateTemp
  size_t first_word;                 // its outputs, see dvt_profile_next_output
  int32_t output_count;              // outputs that have a value
  bool is_async, has_failed;
  bool is_unfinished;  // an asynchronous kernel that was at work when the step was given up
} dvt_profile_entry;

// A tensor as it was when its node had run.
typedef struct dvt_profile_output {
  int32_t slot, dtype, rank;
  bool has_single_reference;
  int64_t bytes;
  uint64_t address;
  const int64_t *dims;
} dvt_profile_output;

#define DVT_SPAN_NUMBERS 4
typedef struct dvt_profile_span {
  const dvt_plan *plan;
  int32_t node, thread;
  int64_t start_ns, end_ns;  // end 0: never ended
  dvt_str name;
  int32_t number_count;
  struct {
    dvt_str name;
    int64_t value;
  } numbers[DVT_SPAN_NUMBERS];
} dvt_profile_span;

typedef struct dvt_profile {
  atomic_int refs;
  pthread_mutex_t lock;  // of everything below, until the profile has ended
  bool has_ended, has_failed;
  const dvt_plan *plan;        // the step's own
  dvt_profile_entry *entries;  // in the order in which the nodes finished
  size_t count, capacity;
  dvt_profile_span *spans;  // in the order in which they began
  size_t span_count, span_capacity;
  int64_t *words;  // of the entries' outputs; first of all those of the feeds
  size_t word_count, word_capacity;
  int32_t feed_count;
  bool by_counter;           // times are the processor's counter until the profile ends
  int64_t start_count;       // that counter at start_ns
  size_t lost;               // entries that memory was too short for
  int64_t start_ns, end_ns;  // the whole step
  int64_t start_unix_us;
  dvt_arena arena;  // names of spans
} dvt_profile;

dvt_profile *dvt_profile_new(void) DVT_NODISCARD;  // NULL when out of memory
dvt_profile *dvt_profile_retain(dvt_profile *profile);
void dvt_profile_release(dvt_profile *profile);  // NULL is fine

// Starts the clock of a step of `plan` that is fed `feeds`. Once.
void dvt_profile_begin(dvt_profile *profile, const dvt_plan *plan, TF_Tensor *const *feeds);
void dvt_profile_end(dvt_profile *profile, bool has_failed);

// The time for entries and spans: of the processor's counter where it is steady, since the clock takes twice
// as long to read, which shows in nodes of 30 ns.
int64_t dvt_now_ns(void);
static inline int64_t dvt_profile_now(const dvt_profile *profile) {
#if defined(__x86_64__)
  if (DVT_LIKELY(profile->by_counter)) return (int64_t)__builtin_ia32_rdtsc();
#endif
  (void)profile;
  return dvt_now_ns();
}

// Adds the entry, with the outputs that have a value. Any thread.
void dvt_profile_add(dvt_profile *profile, const dvt_profile_entry *entry, const dvt_kernel_output *outputs,
                     int32_t output_count);

// Named spans of the kernel that `trace` belongs to. Begin gives a positive number, 0 when there is none to
// give; the others are false when it is not one of this node that is still open. Any thread.
int64_t dvt_profile_span_begin(const dvt_node_trace *trace, dvt_str name, int32_t thread);
bool dvt_profile_span_number(const dvt_node_trace *trace, int64_t span, dvt_str name, int64_t value);
bool dvt_profile_span_end(const dvt_node_trace *trace, int64_t span);

// ---- reading; only of a profile that has ended ----

// The output at *word, which moves on to the next one; an entry's begin at entry->first_word, the feeds' at
// 0.
dvt_profile_output dvt_profile_next_output(const dvt_profile *profile, size_t *word);

dvt_profile_output dvt_profile_describe(int32_t slot, const TF_Tensor *tensor);  // which is not empty

// Appends a serialised RunMetadata with the profile as step_stats of the one device. Rows are named as in
// stock: the feeds and fetches (_arg_x_0_0, _retval_y_0_0), the constants, which take no time, and what ran.
void dvt_profile_to_run_metadata(const dvt_profile *profile, dvt_buf *out);
// Appends JSON in Chrome's trace event format, which Perfetto reads too.
void dvt_profile_to_chrome(const dvt_profile *profile, dvt_buf *out);

#endif  // DVT_EXEC_PROFILE_H_
