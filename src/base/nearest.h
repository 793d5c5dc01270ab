// "Did you mean ...?": keeps the few names closest to a wanted one, by edit distance, for error messages.
#ifndef DVT_BASE_NEAREST_H_
#define DVT_BASE_NEAREST_H_

#include "base/buf.h"

#define DVT_NEAREST_MAX 3

typedef struct dvt_nearest {
  dvt_str wanted;
  dvt_str names[DVT_NEAREST_MAX];  // closest first; borrowed from the offers
  uint32_t distances[DVT_NEAREST_MAX];
  int count;
} dvt_nearest;

// Start with {.wanted = name}. Names that differ in more than about a third of their bytes are not kept.
void dvt_nearest_offer(dvt_nearest *nearest, dvt_str name);
// Appends " Did you mean 'a', 'b' or 'c'?", or nothing when no name was close.
void dvt_nearest_print(const dvt_nearest *nearest, dvt_buf *out);
// Bytes to insert, delete or replace to turn a into b; UINT32_MAX when that is more than `limit` or a name is
// longer than 255 bytes.
uint32_t dvt_str_distance(dvt_str a, dvt_str b, uint32_t limit);

#endif  // DVT_BASE_NEAREST_H_
