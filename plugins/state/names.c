// The op with which saving names its files: ShardedFilename. The other ones are in text.so.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "tensorflow/c/tf_tstring.h"

DVP_COMPUTE(sharded_filename_compute) {
  (void)state;
  dvp_view base;
  int64_t shard, shards;
  if (!dvp_input(call, 0, &base) || !dvp_input_int(call, 1, "shard", &shard) ||
      !dvp_input_int(call, 2, "num_shards", &shards))
    return;
  if (base.count != 1) {
    dvp_fail(call, TF_INVALID_ARGUMENT, "basename must be a scalar, but has %" PRId64 " elements",
             base.count);
    return;
  }
  TF_TString *out = dvp_output(call, 0, NULL, 0);
  if (!out) return;
  const TF_TString *name = base.data;
  size_t bytes = TF_StringGetSize(name);
  char *text = malloc(bytes + 64);
  if (!text) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    return;
  }
  memcpy(text, TF_StringGetDataPointer(name), bytes);
  bytes += (size_t)snprintf(text + bytes, 64, "-%05" PRId64 "-of-%05" PRId64, shard, shards);
  TF_StringCopy(out, text, bytes);
  free(text);
}
DVP_DEFINE_ANY(sharded_filename, NULL, NULL, sharded_filename_compute);
