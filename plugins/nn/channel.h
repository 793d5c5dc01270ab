// Per-channel parameters repeated to a pattern, so that loops over the last dim stay long when there are few
// channels.
#ifndef DOVETAIL_PLUGINS_NN_CHANNEL_H_
#define DOVETAIL_PLUGINS_NN_CHANNEL_H_

#include <stdint.h>

// Patterns are repeated to at least this many elements.
#define DVP_PATTERN 512

// Length of the pattern for this many channels: a multiple of it.
static inline int64_t dvp_pattern_length(int64_t channels) {
  return channels >= DVP_PATTERN ? channels : DVP_PATTERN / channels * channels;
}

#endif  // DOVETAIL_PLUGINS_NN_CHANNEL_H_
