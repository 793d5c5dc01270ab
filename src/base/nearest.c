// Edit distance with one row of the usual table, cut off at a limit, and the short list that it fills.
#include "base/nearest.h"

uint32_t dvt_str_distance(dvt_str a, dvt_str b, uint32_t limit) {
  size_t difference = a.len > b.len ? a.len - b.len : b.len - a.len;
  if (a.len > 255 || b.len > 255 || difference > limit) return UINT32_MAX;
  uint32_t row[256];
  for (uint32_t j = 0; j <= b.len; ++j) row[j] = j;
  for (uint32_t i = 1; i <= a.len; ++i) {
    uint32_t diagonal = row[0], least = i;
    row[0] = i;
    for (uint32_t j = 1; j <= b.len; ++j) {
      uint32_t replace = diagonal + (a.data[i - 1] != b.data[j - 1]);
      diagonal = row[j];
      row[j] = DVT_MIN(replace, DVT_MIN(row[j], row[j - 1]) + 1);
      least = DVT_MIN(least, row[j]);
    }
    if (least > limit) return UINT32_MAX;
  }
  return row[b.len] > limit ? UINT32_MAX : row[b.len];
}

void dvt_nearest_offer(dvt_nearest *nearest, dvt_str name) {
  uint32_t limit = (uint32_t)DVT_MIN(nearest->wanted.len / 3 + 1, (size_t)255);
  uint32_t distance = dvt_str_distance(nearest->wanted, name, limit);
  if (distance == UINT32_MAX) return;
  int at = nearest->count;
  while (at > 0 && nearest->distances[at - 1] > distance) --at;
  if (at == DVT_NEAREST_MAX) return;
  if (nearest->count < DVT_NEAREST_MAX) ++nearest->count;
  for (int i = nearest->count - 1; i > at; --i) {
    nearest->names[i] = nearest->names[i - 1];
    nearest->distances[i] = nearest->distances[i - 1];
  }
  nearest->names[at] = name;
  nearest->distances[at] = distance;
}

void dvt_nearest_print(const dvt_nearest *nearest, dvt_buf *out) {
  for (int i = 0; i < nearest->count; ++i) {
    const char *before = i == 0 ? " Did you mean " : i + 1 == nearest->count ? " or " : ", ";
    dvt_buf_printf(out, "%s'" DVT_STR_FMT "'", before, DVT_STR_ARG(nearest->names[i]));
  }
  if (nearest->count) dvt_buf_append_byte(out, '?');
}
