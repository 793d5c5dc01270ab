// Guarded buffers; see guard.h. One block: header, who made it, zone, data, zone.
#include "tensor/guard.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/debug.h"
#include "tensor/dtype.h"
#include "tensorflow/c/tf_datatype.h"

#define ZONE_BYTE 0xA5  // of guard zones
#define FRESH_BYTE \
  0xC5  // of data that nobody wrote yet: large numbers, NaN-like in no dtype, easy to recognise
#define FREED_BYTE 0xD5

#define KEPT_BLOCKS 512
#define KEPT_BYTES ((size_t)64 << 20)

typedef struct guarded {
  dvt_buffer buffer;
  _Alignas(DVT_TENSOR_ALIGNMENT) const dvt_debug_origin *origin;
  size_t bytes;
} guarded;
_Static_assert(sizeof(guarded) % DVT_TENSOR_ALIGNMENT == 0, "the zone and the data are aligned");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static guarded *kept[KEPT_BLOCKS];  // freed; a ring
static size_t kept_next, kept_bytes;

static uint8_t *front_of(guarded *g) { return (uint8_t *)(g + 1); }
static uint8_t *data_of(guarded *g) { return front_of(g) + DVT_GUARD_BYTES; }
static uint8_t *back_of(guarded *g) { return data_of(g) + g->bytes; }

dvt_buffer *dvt_guarded_new(size_t bytes, int dtype) {
  size_t total;
  if (!dvt_size_add(bytes, sizeof(guarded) + 2 * DVT_GUARD_BYTES, &total) || total > PTRDIFF_MAX) return NULL;
  guarded *g = dvt_aligned_alloc(DVT_TENSOR_ALIGNMENT, total);
  if (!g) return NULL;
  bool owning = dtype == TF_STRING || dtype == TF_RESOURCE || dtype == TF_VARIANT;
  const dvt_debug_call *call = dvt_debug_current;
  *g = (guarded){.buffer = {.bytes = bytes, .capacity = bytes, .owned = true, .guarded = true},
                 .origin = call ? call->origin : NULL,
                 .bytes = bytes};
  g->buffer.data = data_of(g);
  g->buffer.deallocator_arg = g;
  g->buffer.element_dtype = owning ? (uint8_t)dtype : 0;
  atomic_init(&g->buffer.refs, 1);
  memset(front_of(g), ZONE_BYTE, DVT_GUARD_BYTES);
  memset(data_of(g), owning ? 0 : FRESH_BYTE, bytes);
  memset(back_of(g), ZONE_BYTE, DVT_GUARD_BYTES);
  return &g->buffer;
}

// Bounds of what differs from `byte`; false when nothing does.
static bool find_written(const uint8_t *p, size_t bytes, uint8_t byte, size_t *out_first, size_t *out_last) {
  size_t first = 0, last = bytes;
  while (first < bytes && p[first] == byte) first++;
  if (first == bytes) return false;
  while (p[last - 1] == byte) last--;
  *out_first = first;
  *out_last = last - 1;
  return true;
}

static void report(const guarded *g, const char *function, size_t count, size_t distance, const char *where) {
  char made[256];
  dvt_debug_origin_text(g->origin, made, sizeof made);
  dvt_debug_report(
      function,
      "memory was written out of bounds: up to %zu bytes, from %zu bytes %s a tensor of %zu bytes "
      "that was allocated in %s",
      count, distance, where, g->bytes, made);
}

bool dvt_guard_check(dvt_buffer *buffer, const char *function) {
  if (!buffer || !buffer->guarded) return true;
  guarded *g = (guarded *)buffer;
  size_t first, last;
  bool before = find_written(front_of(g), DVT_GUARD_BYTES, ZONE_BYTE, &first, &last);
  if (before) {
    report(g, function, last - first + 1, DVT_GUARD_BYTES - first, "before the beginning of");
    memset(front_of(g), ZONE_BYTE, DVT_GUARD_BYTES);
  }
  bool after = find_written(back_of(g), DVT_GUARD_BYTES, ZONE_BYTE, &first, &last);
  if (after) {
    report(g, function, last - first + 1, first, "behind the end of");
    memset(back_of(g), ZONE_BYTE, DVT_GUARD_BYTES);
  }
  return !before && !after;
}

static void check_freed(guarded *g) {
  size_t first, last;
  if (!find_written(data_of(g), g->bytes, FREED_BYTE, &first, &last)) return;
  char made[256];
  dvt_debug_origin_text(g->origin, made, sizeof made);
  dvt_debug_report(
      "end of a tensor",
      "memory was written after it was freed: up to %zu bytes, from byte %zu of a tensor of %zu bytes "
      "that was allocated in %s",
      last - first + 1, first, g->bytes, made);
}

// Takes what must go to make room for `bytes`; NULL when there is room.
static guarded *take_oldest(size_t bytes) {
  if (kept_bytes + bytes <= KEPT_BYTES && !kept[kept_next]) return NULL;
  for (size_t i = 0; i < KEPT_BLOCKS; i++) {
    guarded **oldest = &kept[(kept_next + i) % KEPT_BLOCKS], *g = *oldest;
    if (!g) continue;
    *oldest = NULL;
    kept_bytes -= g->bytes;
    return g;
  }
  return NULL;
}

void dvt_guarded_free(dvt_buffer *buffer) {
  guarded *g = (guarded *)buffer, *old;
  dvt_guard_check(buffer, "TF_DeleteTensor");
  memset(data_of(g), FREED_BYTE, g->bytes);
  do {
    pthread_mutex_lock(&lock);
    old = take_oldest(g->bytes);
    if (!old) {
      kept[kept_next] = g;
      kept_next = (kept_next + 1) % KEPT_BLOCKS;
      kept_bytes += g->bytes;
    }
    pthread_mutex_unlock(&lock);
    if (old) check_freed(old);
    dvt_free(old);
  } while (old);
}

// What is still kept when the process ends.
__attribute__((destructor)) static void check_at_end(void) {
  for (size_t i = 0; i < KEPT_BLOCKS; i++)
    if (kept[i]) check_freed(kept[i]);
}
