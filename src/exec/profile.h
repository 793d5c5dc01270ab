// dvt_profile: when each node of a step ran, for RunMetadata.step_stats and for `dovetail run`, which tells
// which plugin ran which op and how long each took.
#ifndef DVT_EXEC_PROFILE_H_
#define DVT_EXEC_PROFILE_H_

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"

typedef struct dvt_profile_entry {
  dvt_str node;  // full name, with the names of the calls it was inlined from: "call/inner"
  dvt_str op;
  dvt_str plugin;            // file name without ".so"; empty: registered by the program itself
  int64_t start_ns, end_ns;  // monotonic clock
  int64_t called_ns;         // of that, the time of functions the node called, whose nodes have entries too
  int32_t thread;            // 0 = the caller's thread
} dvt_profile_entry;

// Zero-initialise before use; text belongs to `arena`.
typedef struct dvt_profile {
  dvt_profile_entry *entries;  // in the order in which the nodes finished
  size_t count, capacity;
  int64_t start_ns, end_ns;  // the whole step
  int64_t start_unix_us;
  dvt_arena arena;
} dvt_profile;

void dvt_profile_deinit(dvt_profile *profile);
// Appends a serialised RunMetadata with the profile as step_stats of the one device.
void dvt_profile_to_run_metadata(const dvt_profile *profile, dvt_str device, dvt_buf *out);

#endif  // DVT_EXEC_PROFILE_H_
