// One case in all ways: against its shape function, again, with other numbers of threads, in several steps at
// once, with memory from elsewhere, with one input for all arguments, with inputs that may be taken over.
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "suite.h"

enum { MAX_OUTPUTS = 64, CALLERS = 4, CALLS = 6, SECONDS = 5 };

typedef struct result {
  TF_Status *status;
  TF_Tensor *outputs[MAX_OUTPUTS];
  int count;
} result;

// ---- telling ----

void suite_case_print(const suite_case *c, FILE *out) {
  const char *comma = "";
  fprintf(out, "%s(", c->op->name);
  for (int i = 0; i < c->slot_count; i++, comma = ", ") {
    fprintf(out, "%s%s", comma, suite_dtype_name(c->slots[i].dtype));
    suite_shape_print(&c->slots[i].shape, out);
  }
  for (int i = 0; i < c->op->attr_count; i++) {
    const json_value *given = c->given[i];
    bool is_type = strcmp(c->op->attrs[i].type, "type") == 0;
    if (!given && !(is_type && c->types[i])) continue;
    fprintf(out, "%s%s=", comma, c->op->attrs[i].name);
    comma = ", ";
    if (is_type)
      fputs(suite_dtype_name(c->types[i]), out);
    else if (given->kind == JSON_BOOL)
      fputs(given->truth ? "true" : "false", out);
    else if (given->text)
      fputs(given->text, out);
    else
      fputs("[...]", out);
  }
  fprintf(out, ")%s", c->mode == SUITE_EXTREME ? " of extreme values" : "");
}

// One line, whatever the texts hold.
static void put_line(const char *text, FILE *out) {
  for (; *text; text++) fputc(*text == '\n' || *text == '\t' ? ' ' : *text, out);
}

void suite_tell(suite_tally *tally, check_level level, const char *code, const suite_case *c,
                const char *format, ...) {
  char text[1500];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(tally->out, "finding %d %s ", level, code);
  if (c) suite_case_print(c, tally->out);
  fputs(c ? ": " : "", tally->out);
  put_line(text, tally->out);
  fputc('\n', tally->out);
  fflush(tally->out);
}

// ---- running ----

static void result_free(result *r) {
  for (int i = 0; i < r->count; i++) TF_DeleteTensor(r->outputs[i]);
  TF_DeleteStatus(r->status);
  *r = (result){0};
}

static TF_Session *session_of(const suite_graph *g, int threads, TF_Status *status) {
  // ConfigProto: 2 intra_op_parallelism_threads, 5 inter_op_parallelism_threads.
  const unsigned char config[] = {0x10, (unsigned char)threads, 0x28, (unsigned char)threads};
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, config, sizeof config, status);
  TF_Session *session = TF_NewSession(g->graph, options, status);
  TF_DeleteSessionOptions(options);
  return session;
}

static result run_step(TF_Session *session, const suite_graph *g, const suite_case *c,
                       TF_Tensor *const *inputs) {
  const unsigned char limit[] = {0x10, 0x88, 0x27};  // RunOptions.timeout_in_ms = 5000
  TF_Buffer options = {limit, sizeof limit, NULL};
  TF_Output fetches[MAX_OUTPUTS], feeds[SUITE_MAX_SLOTS];
  TF_Tensor *fed[SUITE_MAX_SLOTS];
  int feed_count = 0;
  result r = {.status = TF_NewStatus(), .count = DVT_MIN(TF_OperationNumOutputs(g->node), MAX_OUTPUTS)};
  for (int i = 0; i < r.count; i++) fetches[i] = (TF_Output){g->node, i};
  for (int i = 0; i < c->slot_count; i++) {
    if (!g->feeds[i].oper) continue;
    feeds[feed_count] = g->feeds[i];
    fed[feed_count++] = inputs[i];
  }
  const TF_Operation *targets[] = {g->node};
  TF_SessionRun(session, &options, feeds, fed, feed_count, fetches, r.outputs, r.count, targets, 1, NULL,
                r.status);
  return r;
}

static void close_session(TF_Session *session) {
  TF_Status *status = TF_NewStatus();
  if (session) {
    TF_CloseSession(session, status);
    TF_DeleteSession(session, status);
  }
  TF_DeleteStatus(status);
}

static bool is_ok(const result *r) { return TF_GetCode(r->status) == TF_OK; }

static bool same(const result *a, const result *b) {
  if (TF_GetCode(a->status) != TF_GetCode(b->status)) return false;
  for (int i = 0; i < a->count && is_ok(a); i++)
    if (!suite_value_equal(a->outputs[i], b->outputs[i])) return false;
  return true;
}

// ---- several steps at once ----

typedef struct caller {
  pthread_t thread;
  TF_Session *session;
  const suite_graph *graph;
  const suite_case *c;
  TF_Tensor *const *inputs;
  const result *wanted;
  bool differs, started;
} caller;

static void *call_often(void *arg) {
  caller *me = arg;
  for (int i = 0; i < CALLS && !me->differs; i++) {
    result r = run_step(me->session, me->graph, me->c, me->inputs);
    me->differs = !same(&r, me->wanted);
    result_free(&r);
  }
  return NULL;
}

static bool differs_at_once(TF_Session *session, const suite_graph *g, const suite_case *c,
                            TF_Tensor *const *inputs, const result *wanted) {
  caller callers[CALLERS];
  bool differs = false;
  for (int i = 0; i < CALLERS; i++) {
    callers[i] = (caller){.session = session, .graph = g, .c = c, .inputs = inputs, .wanted = wanted};
    callers[i].started = pthread_create(&callers[i].thread, NULL, call_often, &callers[i]) == 0;
  }
  for (int i = 0; i < CALLERS; i++) {
    if (callers[i].started) pthread_join(callers[i].thread, NULL);
    differs = differs || callers[i].differs;
  }
  return differs;
}

// ---- what the results tell ----

static void judge_error(const suite_case *c, const result *r, suite_tally *tally) {
  const char *message = TF_Message(r->status);
  if (TF_GetCode(r->status) == TF_INTERNAL)
    suite_tell(tally, CHECK_ERROR, strstr(message, "exception") ? "exception" : "internal", c, "%s", message);
  else if (TF_GetCode(r->status) == TF_DEADLINE_EXCEEDED && ++tally->hangs)
    suite_tell(tally, CHECK_ERROR, "hang", c, "no answer within %d seconds: %s", SECONDS, message);
}

static void judge_shapes(const suite_graph *g, const suite_case *c, const result *r, suite_tally *tally) {
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < r->count; i++) {
    TF_Output output = {g->node, i};
    int64_t dims[254];
    int rank = TF_GraphGetTensorNumDims(g->graph, output, status), actual = TF_NumDims(r->outputs[i]);
    if (TF_GetCode(status) != TF_OK || rank < 0 || rank > 254) continue;
    TF_GraphGetTensorShape(g->graph, output, dims, rank, status);
    if (rank != actual)
      suite_tell(tally, CHECK_ERROR, "shape-function", c, "output %d has rank %d, its shape function says %d",
                 i, actual, rank);
    for (int d = 0; d < rank && rank == actual; d++)
      if (dims[d] >= 0 && dims[d] != TF_Dim(r->outputs[i], d))
        suite_tell(tally, CHECK_ERROR, "shape-function", c,
                   "dimension %d of output %d is %" PRId64 ", its shape function says %" PRId64, d, i,
                   TF_Dim(r->outputs[i], d), dims[d]);
  }
  TF_DeleteStatus(status);
}

// ---- the ways ----

typedef struct ways {
  const suite_case *c;
  suite_tally *tally;
  TF_Tensor *inputs[SUITE_MAX_SLOTS], *before[SUITE_MAX_SLOTS], *elsewhere[SUITE_MAX_SLOTS];
  result first;
} ways;

// A graph of another wiring, or another session of the same one, must give the same.
static void try_wiring(ways *w, suite_wiring wiring, int threads, TF_Tensor *const *inputs,
                       const result *wanted, check_level level, const char *code, const char *what) {
  suite_graph g;
  TF_Status *status = TF_NewStatus();
  if (suite_graph_build(w->c, wiring, &g, status)) {
    TF_Session *session = session_of(&g, threads, status);
    if (session) {
      result r = run_step(session, &g, w->c, inputs);
      judge_error(w->c, &r, w->tally);
      if (!same(&r, wanted) && TF_GetCode(r.status) != TF_INTERNAL)
        suite_tell(w->tally, level, code, w->c, "%s%s%s", what, is_ok(&r) ? "" : ": ", TF_Message(r.status));
      result_free(&r);
    }
    close_session(session);
  }
  suite_graph_free(&g);
  TF_DeleteStatus(status);
}

static bool all_slots_alike(const suite_case *c) {
  for (int i = 1; i < c->slot_count; i++)
    if (c->slots[i].dtype != c->slots[0].dtype || c->slots[i].spec != c->slots[0].spec ||
        memcmp(&c->slots[i].shape, &c->slots[0].shape, sizeof c->slots[0].shape) != 0)
      return false;
  return c->slot_count > 1;
}

static bool all_numbers(const suite_case *c) {
  for (int i = 0; i < c->slot_count; i++)
    if (c->slots[i].dtype == TF_STRING || c->slots[i].spec) return false;
  return c->slot_count > 0;
}

// The same values in one tensor for all inputs, and in one tensor each.
static void try_aliased(ways *w) {
  TF_Tensor *inputs[SUITE_MAX_SLOTS];
  suite_graph g;
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < w->c->slot_count; i++) {
    const suite_slot *s = &w->c->slots[i];
    inputs[i] = suite_value(s->dtype, &s->shape, w->c->mode, 7, s->spec);
    if (!inputs[i]) cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  }
  if (TF_GetCode(status) == TF_OK && suite_graph_build(w->c, SUITE_UNKNOWN, &g, status)) {
    TF_Session *session = session_of(&g, 2, status);
    if (session) {
      result apart = run_step(session, &g, w->c, inputs);
      try_wiring(w, SUITE_SAME, 2, inputs, &apart, CHECK_ERROR, "aliased",
                 "another result when all inputs are one tensor");
      result_free(&apart);
    }
    close_session(session);
    suite_graph_free(&g);
  }
  for (int i = 0; i < w->c->slot_count; i++) TF_DeleteTensor(inputs[i]);
  TF_DeleteStatus(status);
}

// Ones that are fed, and ones that a node before makes, whose memory the kernel may take over.
static void try_fresh(ways *w) {
  TF_Tensor *ones[SUITE_MAX_SLOTS];
  suite_graph g;
  TF_Status *status = TF_NewStatus();
  bool good = true;
  for (int i = 0; i < w->c->slot_count; i++) {
    ones[i] = suite_value(w->c->slots[i].dtype, &w->c->slots[i].shape, SUITE_ONES, 1, NULL);
    good = good && ones[i];
  }
  if (good && suite_graph_build(w->c, SUITE_UNKNOWN, &g, status)) {
    TF_Session *session = session_of(&g, 2, status);
    if (session) {
      result fed = run_step(session, &g, w->c, ones);
      try_wiring(w, SUITE_FRESH, 2, ones, &fed, CHECK_ERROR, "forwarded",
                 "another result when its inputs' memory may be taken over");
      result_free(&fed);
    }
    close_session(session);
    suite_graph_free(&g);
  }
  for (int i = 0; i < w->c->slot_count; i++) TF_DeleteTensor(ones[i]);
  TF_DeleteStatus(status);
}

static void check_inputs(ways *w) {
  for (int i = 0; i < w->c->slot_count; i++)
    if (!suite_value_equal(w->inputs[i], w->before[i]))
      suite_tell(w->tally, CHECK_ERROR, "changes-input", w->c, "input %d was changed", i);
}

static void try_all(ways *w, TF_Session *session, const suite_graph *g, bool with_threads) {
  bool repeats = !w->c->op->is_stateful, has_elsewhere = true;
  judge_shapes(g, w->c, &w->first, w->tally);
  if (!repeats || w->tally->hangs) return;
  result again = run_step(session, g, w->c, w->inputs);
  if (!same(&again, &w->first))
    suite_tell(
        w->tally, CHECK_ERROR, "not-repeatable", w->c,
        "the same inputs gave another result. An op that draws random numbers or keeps state is stateful");
  result_free(&again);
  try_wiring(w, SUITE_UNKNOWN, 1, w->inputs, &w->first, CHECK_WARNING, "threads",
             "another result with one thread than with four, or when shapes were not known before");
  for (int i = 0; i < w->c->slot_count; i++) has_elsewhere = has_elsewhere && w->elsewhere[i];
  if (has_elsewhere && w->c->slot_count)
    try_wiring(w, SUITE_KNOWN, 2, w->elsewhere, &w->first, CHECK_ERROR, "unaligned",
               "another result with inputs in memory of the program, behind an odd offset");
  if (with_threads && differs_at_once(session, g, w->c, w->inputs, &w->first))
    suite_tell(w->tally, CHECK_ERROR, "concurrent", w->c,
               "another result when %d steps run at once: what compute changes in the kernel needs a lock",
               CALLERS);
  if (w->c->mode != SUITE_ORDINARY) return;
  if (all_slots_alike(w->c)) try_aliased(w);
  if (all_numbers(w->c)) try_fresh(w);
}

// What the shape function refuses, the kernel must refuse too: it is not always asked.
static void run_refused(ways *w, const char *refusal) {
  fputs("refused ", w->tally->out);
  put_line(refusal, w->tally->out);
  fputc('\n', w->tally->out);
  suite_graph g;
  TF_Status *status = TF_NewStatus();
  if (suite_graph_build(w->c, SUITE_UNKNOWN, &g, status)) {
    TF_Session *session = session_of(&g, 2, status);
    if (session) {
      w->first = run_step(session, &g, w->c, w->inputs);
      judge_error(w->c, &w->first, w->tally);
      if (is_ok(&w->first))
        suite_tell(
            w->tally, CHECK_NOTE, "shape-function-refuses", w->c,
            "computed when shapes are known only in the step, though its shape function refuses them: %s",
            refusal);
    }
    close_session(session);
  }
  suite_graph_free(&g);
  TF_DeleteStatus(status);
}

static void run_known(ways *w, const suite_graph *g, bool with_threads) {
  TF_Status *status = TF_NewStatus();
  TF_Session *session = session_of(g, 4, status);
  if (session) {
    w->first = run_step(session, g, w->c, w->inputs);
    judge_error(w->c, &w->first, w->tally);
    if (!is_ok(&w->first)) {
      fputs("refused ", w->tally->out);
      put_line(TF_Message(w->first.status), w->tally->out);
      fputc('\n', w->tally->out);
    } else {
      w->tally->accepted++;
      try_all(w, session, g, with_threads);
    }
  }
  close_session(session);
  TF_DeleteStatus(status);
}

void suite_case_run(const suite_case *c, suite_tally *tally, bool with_threads) {
  ways w = {.c = c, .tally = tally};
  suite_graph g = {0};
  TF_Status *status = TF_NewStatus();
  bool made = true;
  for (int i = 0; i < c->slot_count; i++) {
    const suite_slot *s = &c->slots[i];
    w.inputs[i] = suite_value(s->dtype, &s->shape, c->mode, (uint32_t)i * 977 + 1, s->spec);
    w.before[i] = suite_value(s->dtype, &s->shape, c->mode, (uint32_t)i * 977 + 1, s->spec);
    made = made && w.inputs[i] && w.before[i];
    w.elsewhere[i] = w.inputs[i] ? suite_value_elsewhere(w.inputs[i]) : NULL;
  }
  if (made) {
    tally->cases++;
    if (suite_graph_build(c, SUITE_KNOWN, &g, status)) {
      run_known(&w, &g, with_threads);
    } else {
      if (TF_GetCode(status) == TF_INTERNAL)
        suite_tell(tally, CHECK_ERROR, "shape-function", c, "%s", TF_Message(status));
      run_refused(&w, TF_Message(status));
    }
    check_inputs(&w);
  }
  suite_graph_free(&g);
  if (w.first.status) result_free(&w.first);
  for (int i = 0; i < c->slot_count; i++) {
    TF_DeleteTensor(w.inputs[i]);
    TF_DeleteTensor(w.before[i]);
    TF_DeleteTensor(w.elsewhere[i]);
  }
  TF_DeleteStatus(status);
}
