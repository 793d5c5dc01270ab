// The string ops with which saving names its files: ShardedFilename, StringJoin, StaticRegexFullMatch.
#include <inttypes.h>
#include <regex.h>
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

// ---- StringJoin: inputs of one shape, or scalars ----

typedef struct join_state {
  char *separator;
  size_t separator_bytes;
} join_state;

static void *join_create(TF_OpKernelConstruction *ctx) {
  join_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) state->separator = dvp_attr_string_new(ctx, "separator", &state->separator_bytes);
  return state;
}
static void join_destroy(void *arg) {
  join_state *state = arg;
  if (state) free(state->separator);
  free(state);
}

typedef struct operand {
  const TF_TString *data;
  int64_t step;  // 0 for scalars
} operand;

static void join_element(dvp_call *call, const join_state *join, const operand *operands, int count,
                         int64_t i, TF_TString *out) {
  size_t bytes = 0, at = 0;
  for (int k = 0; k < count; k++)
    bytes += TF_StringGetSize(&operands[k].data[i * operands[k].step]) + (k ? join->separator_bytes : 0);
  char *text = malloc(bytes + 1);
  if (!text) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory while joining strings of %zu bytes", bytes);
    return;
  }
  for (int k = 0; k < count; k++) {
    const TF_TString *s = &operands[k].data[i * operands[k].step];
    if (k) memcpy(text + at, join->separator, join->separator_bytes), at += join->separator_bytes;
    memcpy(text + at, TF_StringGetDataPointer(s), TF_StringGetSize(s));
    at += TF_StringGetSize(s);
  }
  TF_StringCopy(out, text, bytes);
  free(text);
}

DVP_COMPUTE(string_join_compute) {
  int count = TF_NumInputs(call->ctx);
  dvp_view in, shape = {.rank = 0, .count = 1};
  char ta[DVP_SHAPE_TEXT], tb[DVP_SHAPE_TEXT];
  operand *operands = malloc((size_t)DVP_MAX(count, 1) * sizeof(*operands));
  if (!operands) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
    return;
  }
  bool fine = true;
  for (int i = 0; fine && i < count; i++) {
    if (!(fine = dvp_input(call, i, &in))) break;
    operands[i] = (operand){in.data, in.rank > 0};
    if (in.rank == 0) continue;
    if (shape.rank == 0)
      shape = in;
    else if (!dvp_same_shape(&shape, &in))
      fine = dvp_fail(call, TF_INVALID_ARGUMENT, "Input shapes do not match: %s vs. %s",
                      dvp_shape_text(shape.dims, shape.rank, ta), dvp_shape_text(in.dims, in.rank, tb));
  }
  TF_TString *out = fine ? dvp_output(call, 0, shape.dims, shape.rank) : NULL;
  for (int64_t i = 0; out && i < shape.count; i++) join_element(call, state, operands, count, i, &out[i]);
  free(operands);
}
DVP_DEFINE_ANY(string_join, join_create, join_destroy, string_join_compute);

// ---- StaticRegexFullMatch ----
// Patterns that POSIX extended syntax writes as RE2 does. What POSIX lacks (\d, non-greedy, (?:) is refused
// by name.

typedef struct regex_state {
  regex_t regex;
  bool compiled;
} regex_state;

static const char *unsupported(const char *pattern) {
  for (const char *p = pattern; *p; p++) {
    if (*p == '\\' && p[1] && strchr("dDsSwWbBAzZpPQECnrtfvax0123456789", p[1])) return p;
    if (*p == '(' && p[1] == '?') return p;
    if ((*p == '*' || *p == '+' || *p == '?' || *p == '}') && p[1] == '?') return p;
    if (*p == '\\' && p[1]) p++;
  }
  return NULL;
}

static void *regex_create(TF_OpKernelConstruction *ctx) {
  regex_state *state = dvp_state_new(ctx, sizeof(*state));
  size_t bytes = 0;
  char *pattern = dvp_attr_string_new(ctx, "pattern", &bytes), *whole = NULL, message[128];
  if (state && pattern) {
    const char *bad = unsupported(pattern);
    whole = malloc(bytes + 8);
    if (whole) snprintf(whole, bytes + 8, "^(%s)$", pattern);
    if (bad) {
      dvp_create_fail(ctx, TF_UNIMPLEMENTED,
                      "The pattern '%s' uses '%.3s', which is beyond POSIX extended expressions", pattern,
                      bad);
    } else if (!whole) {
      dvp_create_fail(ctx, TF_RESOURCE_EXHAUSTED, "Out of memory");
    } else {
      int error = regcomp(&state->regex, whole, REG_EXTENDED | REG_NOSUB);
      state->compiled = error == 0;
      if (error) {
        regerror(error, &state->regex, message, sizeof(message));
        dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Invalid pattern: %s, error: %s", pattern, message);
      }
    }
  }
  free(whole);
  free(pattern);
  return state;
}
static void regex_destroy(void *arg) {
  regex_state *state = arg;
  if (state && state->compiled) regfree(&state->regex);
  free(state);
}

DVP_COMPUTE(static_regex_full_match_compute) {
  const regex_state *match = state;
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  uint8_t *out = dvp_output(call, 0, in.dims, in.rank);
  const TF_TString *strings = in.data;
  for (int64_t i = 0; out && i < in.count; i++) {
    char *text = strndup(TF_StringGetDataPointer(&strings[i]), TF_StringGetSize(&strings[i]));
    if (!text) {
      dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
      return;
    }
    out[i] = regexec(&match->regex, text, 0, NULL, 0) == 0;
    free(text);
  }
}
DVP_DEFINE_ANY(static_regex_full_match, regex_create, regex_destroy, static_regex_full_match_compute);
