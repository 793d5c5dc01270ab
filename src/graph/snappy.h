// Expanding Snappy-compressed blocks (the raw format: a length, then literals and back references). Some
// writers compress the index of a checkpoint; Dovetail itself never does.
#ifndef DVT_GRAPH_SNAPPY_H_
#define DVT_GRAPH_SNAPPY_H_

#include "base/str.h"

// The length that `in` says it expands to; false when it is more than the format can reach from so few bytes.
bool dvt_snappy_length(dvt_str in, size_t *out_len);
// Expands into exactly `len` bytes; false when the stream is malformed or has another length.
bool dvt_snappy_decode(dvt_str in, char *out, size_t len);

#endif  // DVT_GRAPH_SNAPPY_H_
