// RegexReplace, RegexFullMatch and their forms with the pattern as an attribute.
#include <pthread.h>
#include <stdatomic.h>

#include "text/regex.h"
#include "text/text.h"

// The last pattern that came as an input, since it is nearly always the same; nodes with an attribute compile
// theirs when they are made.
typedef struct regex_state {
  dvx_regex *regex;
  dvx_text pattern;
  dvx_attr rewrite;
  bool global;
  pthread_mutex_t lock;
} regex_state;

#define SHOWN(span) (int)DVP_MIN((span).bytes, (size_t)200), (span).data

static dvx_regex *compile(dvp_call *call, dvx_span pattern) {
  dvx_text problem = {0};
  dvx_regex *regex = dvx_regex_new(pattern, &problem);
  if (!regex)
    dvp_fail(call, TF_INVALID_ARGUMENT, "Invalid pattern: %.*s, error: %.*s", SHOWN(pattern), SHOWN(problem));
  dvx_text_free(&problem);
  return regex;
}

static regex_state *new_state(TF_OpKernelConstruction *ctx) {
  regex_state *state = dvp_state_new(ctx, sizeof(*state));
  if (state) pthread_mutex_init(&state->lock, NULL);
  return state;
}

static void compile_attr(TF_OpKernelConstruction *ctx, regex_state *state) {
  dvx_attr pattern = dvx_attr_get(ctx, "pattern");
  dvx_text problem = {0};
  if (state && pattern.data) {
    state->regex = dvx_regex_new(dvx_attr_span(&pattern), &problem);
    if (!state->regex)
      dvp_create_fail(ctx, TF_INVALID_ARGUMENT, "Invalid pattern: %.*s, error: %.*s", SHOWN(pattern),
                      SHOWN(problem));
  }
  dvx_text_free(&problem);
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
  if (!dvx_input_scalar(call, 1, "Pattern", &pattern)) return b;
  b.locked = pthread_mutex_trylock(&state->lock) == 0;
  if (b.locked && state->regex && dvx_same(pattern, dvx_text_span(&state->pattern))) {
    b.regex = state->regex;
    return b;
  }
  b.regex = compile(call, pattern);
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
} matching;

static void match_range(void *arg, int64_t begin, int64_t end) {
  const matching *m = arg;
  for (int64_t i = begin; i < end; i++) m->out[i] = dvx_regex_matches(m->regex, dvx_element(m->in, i));
}

static void match_all(dvp_call *call, const dvx_regex *regex) {
  dvp_view in;
  if (!dvp_input(call, 0, &in)) return;
  matching m = {.regex = regex, .in = &in, .out = dvp_output(call, 0, in.dims, in.rank)};
  if (m.out) dvp_parallel(call, in.count, 1000000, match_range, &m);
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
  dvx_text text = {0};
  for (int64_t i = begin; !text.failed && i < end; i++) {
    text.bytes = 0;
    dvx_regex_replace(r->regex, dvx_element(r->in, i), r->rewrite, r->global, &text);
    dvx_store(&r->out[i], dvx_text_span(&text));
  }
  if (text.failed) atomic_store(&r->no_memory, true);
  dvx_text_free(&text);
}

static bool check_rewrite(dvp_call *call, const dvx_regex *regex, dvx_span rewrite) {
  dvx_text problem = {0};
  bool fine = dvx_regex_check_rewrite(regex, rewrite, &problem);
  if (!fine)
    dvp_fail(call, TF_INVALID_ARGUMENT, "Invalid rewrite: %.*s, error: %.*s", SHOWN(rewrite), SHOWN(problem));
  dvx_text_free(&problem);
  return fine;
}

static void replace_all(dvp_call *call, const regex_state *state, const dvx_regex *regex, dvx_span rewrite) {
  dvp_view in;
  if (!dvp_input(call, 0, &in) || !check_rewrite(call, regex, rewrite)) return;
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
