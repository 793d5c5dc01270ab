// Reading the text of a slice.
#include "state/slice.h"

#include <stdlib.h>
#include <string.h>

static bool parse(const char *text, dvs_slice *out) {
  out->rank = 0;
  char *end;
  while (true) {
    const char *space = strchr(text, ' ');
    if (!space) break;
    if (out->rank == DVP_MAX_RANK) return false;
    out->dims[out->rank++] = strtoll(text, &end, 10);
    if (end != space || out->dims[out->rank - 1] < 0) return false;
    text = space + 1;
  }
  for (int i = 0; i < out->rank; i++) {
    if (*text == '-') {
      out->begin[i] = 0;
      out->size[i] = out->dims[i];
      text++;
    } else {
      out->begin[i] = strtoll(text, &end, 10);
      if (end == text || *end != ',') return false;
      text = end + 1;
      out->size[i] = strtoll(text, &end, 10);
      if (end == text) return false;
      text = end;
      if (out->begin[i] < 0 || out->size[i] < 0 || out->begin[i] > out->dims[i] - out->size[i]) return false;
    }
    if (i < out->rank - 1 && *text++ != ':') return false;
  }
  return *text == 0;
}

bool dvs_slice_parse(dvp_call *call, const char *text, const char *tensor, dvs_slice *out) {
  return parse(text, out) ||
         dvp_fail(call, TF_INVALID_ARGUMENT,
                  "'%s' is not a slice of tensor %s: expected dims and 'begin,length' or '-' each", text,
                  tensor);
}
