// RegexReplace, RegexFullMatch and their forms with the pattern as an attribute.
#include <pthread.h>
#include <stdatomic.h>

#include "text/regex.h"
#include "text/utf8.h"

// The last pattern that came as an input, since it is nearly always the same; nodes with an attribute compile
// theirs when they are made.
typedef struct regex_state {
  dvx_regex *regex;
  dvx_text pattern;
  dvx_attr rewrite;
  bool global;
  pthread_mutex_t lock;
} regex_state;

static void report_pattern(dvp_call *call, dvx_span pattern, TF_Code code, const char *problem) {
  dvp_fail(call, code, "Invalid pattern: %.*s, error: %s", (int)DVP_MIN(pattern.bytes, (size_t)200),
           pattern.data, problem);
}

static regex_state *new_state(TF_OpKernelConstruction *ctx) {
  regex_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) pthread_mutex_init(&state->lock, NULL);
  return state;
}

static void compile_attr(TF_OpKernelConstruction *ctx, regex_state *state) {
  dvx_attr pattern = dvx_attr_get(ctx, "pattern");
  TF_Code code;
  const char *problem;
  if (state && pattern.data) {
    state->regex = dvx_regex_new(dvx_attr_span(&pattern), &code, &problem);
    if (!state->regex) dvp_create_fail(ctx, code, "Invalid pattern: %s, error: %s", pattern.data, problem);
  }
  free(pattern.data);
}

static void *match_create(TF_OpKernelConstruction *ctx) { return new_state(ctx); }
static void *static_match_create(TF_OpKernelConstruction *ctx) {
  regex_state *state = new_state(ctx);
  compile_attr(ctx, state);
  return state;
}
static void *replace_create(TF_OpKernelConstruction *ctx) {
  regex_state *state = new_state(ctx);
  if (state) state->global = dvp_attr_bool(ctx, "replace_global");
  return state;
}
static void *static_replace_create(TF_OpKernelConstruction *ctx) {
  regex_state *state = replace_create(ctx);
  compile_attr(ctx, state);
  if (state) state->rewrite = dvx_attr_get(ctx, "rewrite");
  return state;
}
static void regex_destroy(void *arg) {
  regex_state *state = arg;
  if (!state) return;
  dvx_regex_free(state->regex);
  dvx_text_free(&state->pattern);
  free(state->rewrite.data);
  pthread_mutex_destroy(&state->lock);
  free(state);
}

// The regex of the pattern in input 1: the one that the state holds, or a new one that is *out_owned. The
// lock is held while the caller uses the state's; steps that meet there compile their own.
typedef struct borrowed {
  dvx_regex *regex;
  bool owned, locked;
} borrowed;

static borrowed borrow(dvp_call *call, regex_state *state) {
  borrowed b = {0};
  dvx_span pattern;
  TF_Code code;
  const char *problem;
  if (!dvx_input_scalar(call, 1, "Pattern", &pattern)) return b;
  b.locked = pthread_mutex_trylock(&state->lock) == 0;
  if (b.locked && state->regex && dvx_same(pattern, dvx_text_span(&state->pattern))) {
    b.regex = state->regex;
    return b;
  }
  b.regex = dvx_regex_new(pattern, &code, &problem);
  if (!b.regex) report_pattern(call, pattern, code, problem);
  b.owned = true;
  if (b.regex && b.locked) {
    state->pattern.bytes = 0;
    dvx_text_add(&state->pattern, pattern);
    dvx_regex_free(state->regex);
    state->regex = state->pattern.failed ? NULL : b.regex;
    b.owned = state->pattern.failed;
  }
  return b;
}
static void give_back(regex_state *state, borrowed b) {
  if (b.owned) dvx_regex_free(b.regex);
  if (b.locked) pthread_mutex_unlock(&state->lock);
}

// ---- matching ----

typedef struct matching {
  const dvx_regex *regex;
  const dvp_view *in;
  uint8_t *out;
  atomic_bool no_memory;
} matching;

static void match_range(void *arg, int64_t begin, int64_t end) {
  matching *m = arg;
  dvx_matcher *matcher = dvx_matcher_new(m->regex);
  if (!matcher) atomic_store(&m->no_memory, true);
  for (int64_t i = begin; matcher && i < end; i++)
    m->out[i] = dvx_matches_whole(matcher, dvx_element(m->in, i));
  dvx_matcher_free(matcher);
}

static void match_all(dvp_call *call, const dvx_regex *regex) {
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  matching m = {.regex = regex, .in = &in, .out = dvp_output(call, 0, in.dims, in.rank)};
  if (!m.out) return;
  dvp_parallel(call, in.count, 1000000, match_range, &m);
  if (atomic_load(&m.no_memory)) dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
}

DVP_COMPUTE(static_regex_full_match_compute) { match_all(call, ((const regex_state *)state)->regex); }
DVP_DEFINE_ANY(static_regex_full_match, static_match_create, regex_destroy, static_regex_full_match_compute);

DVP_COMPUTE(regex_full_match_compute) {
  borrowed b = borrow(call, state);
  if (b.regex) match_all(call, b.regex);
  give_back(state, b);
}
DVP_DEFINE_ANY(regex_full_match, match_create, regex_destroy, regex_full_match_compute);

// ---- replacing ----

// The highest group that a rewrite names; -1 when a backslash is followed by neither a digit nor a backslash.
static int highest_group(dvx_span rewrite) {
  int highest = 0;
  for (size_t i = 0; i < rewrite.bytes; i++) {
    if (rewrite.data[i] != '\\') continue;
    char c = ++i < rewrite.bytes ? rewrite.data[i] : 0;
    if (c >= '0' && c <= '9')
      highest = DVP_MAX(highest, c - '0');
    else if (c != '\\')
      return -1;
  }
  return highest;
}

static void add_rewrite(dvx_text *out, dvx_span rewrite, const dvx_span groups[DVX_REGEX_GROUPS]) {
  for (size_t i = 0; i < rewrite.bytes; i++) {
    if (rewrite.data[i] != '\\') {
      dvx_text_add_char(out, rewrite.data[i]);
    } else if (rewrite.data[++i] == '\\') {
      dvx_text_add_char(out, '\\');
    } else {
      dvx_text_add(out, groups[rewrite.data[i] - '0']);
    }
  }
}

static void replace(dvx_matcher *matcher, dvx_span in, dvx_span rewrite, bool global, dvx_text *out) {
  dvx_span groups[DVX_REGEX_GROUPS];
  size_t at = 0, last_end = (size_t)-1;
  while (at <= in.bytes && dvx_find(matcher, in, at, groups)) {
    size_t begin = (size_t)(groups[0].data - in.data), end = begin + groups[0].bytes;
    dvx_text_add(out, dvx_part(in, at, begin));
    at = begin;
    if (begin == end && begin == last_end) {
      // No empty match right behind the last one: go on after a character.
      int32_t c;
      if (at == in.bytes) return;
      size_t bytes = dvx_utf8_decode(dvx_part(in, at, in.bytes), &c);
      if (c < 0) bytes = 1;
      dvx_text_add(out, dvx_part(in, at, at + bytes));
      at += bytes;
      continue;
    }
    add_rewrite(out, rewrite, groups);
    at = last_end = end;
    if (!global) break;
  }
  if (at < in.bytes) dvx_text_add(out, dvx_part(in, at, in.bytes));
}

typedef struct replacing {
  const dvx_regex *regex;
  dvx_span rewrite;
  bool global;
  const dvp_view *in;
  TF_TString *out;
  atomic_bool no_memory;
} replacing;

static void replace_range(void *arg, int64_t begin, int64_t end) {
  replacing *r = arg;
  dvx_matcher *matcher = dvx_matcher_new(r->regex);
  dvx_text text = {.failed = !matcher};
  for (int64_t i = begin; !text.failed && i < end; i++) {
    text.bytes = 0;
    replace(matcher, dvx_element(r->in, i), r->rewrite, r->global, &text);
    dvx_store(&r->out[i], dvx_text_span(&text));
  }
  if (text.failed) atomic_store(&r->no_memory, true);
  dvx_text_free(&text);
  dvx_matcher_free(matcher);
}

static void replace_all(dvp_call *call, const regex_state *state, const dvx_regex *regex, dvx_span rewrite) {
  dvp_view in;
  int highest = highest_group(rewrite);
  if (!dvp_input(call, 0, &in)) return;
  if (highest < 0 || highest > dvx_regex_groups(regex)) {
    dvp_fail(
        call, TF_INVALID_ARGUMENT,
        "Invalid rewrite '%.*s': a backslash stands before another one or the number of one of the %d groups",
        (int)DVP_MIN(rewrite.bytes, (size_t)200), rewrite.data, dvx_regex_groups(regex));
    return;
  }
  replacing r = {.regex = regex, .rewrite = rewrite, .global = state->global, .in = &in};
  r.out = dvp_output(call, 0, in.dims, in.rank);
  if (!r.out) return;
  dvp_parallel(call, in.count, 2000000, replace_range, &r);
  if (atomic_load(&r.no_memory)) dvp_fail(call, TF_RESOURCE_EXHAUSTED, DVX_NO_MEMORY);
}

DVP_COMPUTE(static_regex_replace_compute) {
  const regex_state *s = state;
  replace_all(call, s, s->regex, dvx_attr_span(&s->rewrite));
}
DVP_DEFINE_ANY(static_regex_replace, static_replace_create, regex_destroy, static_regex_replace_compute);

DVP_COMPUTE(regex_replace_compute) {
  dvx_span rewrite;
  if (!dvx_input_scalar(call, 2, "Rewrite", &rewrite)) return;
  borrowed b = borrow(call, state);
  if (b.regex) replace_all(call, state, b.regex, rewrite);
  give_back(state, b);
}
DVP_DEFINE_ANY(regex_replace, replace_create, regex_destroy, regex_replace_compute);
