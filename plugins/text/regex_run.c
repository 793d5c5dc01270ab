// Matching: all paths through the program advance over the text together, one character at a time, in the
// order of their preference; a step is taken at most once for a place in the text, so the time is linear in
// it.
#include "text/regex_internal.h"
#include "text/utf8.h"

#define SLOTS (2 * DVX_REGEX_GROUPS)
#define NOWHERE ((size_t)-1)

// The paths that wait at a place in the text: steps in the order of preference, each with what it saved.
typedef struct paths {
  int *steps, count;
  int *position;  // where a step is in `steps`, if it is there
  size_t *slots;  // SLOTS a path
} paths;

// Something to do while paths are followed: go to a step, or give a slot its old value back.
typedef struct todo {
  int step, slot;
  size_t old;
} todo;

struct dvx_matcher {
  const dvx_regex *regex;
  paths now, next;
  todo *stack;
};

// ---- making ----

dvx_regex *dvx_regex_new(dvx_span pattern, TF_Code *out_code, const char **out_problem) {
  dvx_regex *regex = calloc(1, sizeof(*regex));
  *out_code = TF_RESOURCE_EXHAUSTED;
  *out_problem = DVX_REGEX_NO_MEMORY;
  if (!regex) return NULL;
  int root = dvx_regex_parse(regex, pattern, out_code, out_problem);
  if (root >= 0 && dvx_regex_emit(regex, root)) return regex;
  if (root >= 0) {
    *out_code = TF_INVALID_ARGUMENT;
    *out_problem = "pattern too large - compile failed";
  }
  dvx_regex_free(regex);
  return NULL;
}

void dvx_regex_free(dvx_regex *regex) {
  if (!regex) return;
  for (int i = 0; i < regex->class_count; i++) free(regex->classes[i].ranges);
  free(regex->classes);
  free(regex->nodes);
  free(regex->steps);
  free(regex);
}

int dvx_regex_groups(const dvx_regex *regex) { return regex->groups; }

static bool make_paths(paths *p, size_t steps) {
  p->steps = malloc(steps * sizeof(*p->steps));
  p->position = calloc(steps, sizeof(*p->position));
  p->slots = malloc(steps * SLOTS * sizeof(*p->slots));
  return p->steps && p->position && p->slots;
}

dvx_matcher *dvx_matcher_new(const dvx_regex *regex) {
  dvx_matcher *m = calloc(1, sizeof(*m));
  if (!m) return NULL;
  size_t steps = (size_t)regex->step_count;
  m->regex = regex;
  m->stack = malloc((2 * steps + 2) * sizeof(*m->stack));
  if (make_paths(&m->now, steps) && make_paths(&m->next, steps) && m->stack) return m;
  dvx_matcher_free(m);
  return NULL;
}

static void free_paths(paths *p) {
  free(p->steps);
  free(p->position);
  free(p->slots);
}
void dvx_matcher_free(dvx_matcher *m) {
  if (!m) return;
  free_paths(&m->now);
  free_paths(&m->next);
  free(m->stack);
  free(m);
}

// ---- following paths ----

static bool is_word_at(dvx_span text, size_t at) {
  unsigned char c = at < text.bytes ? (unsigned char)text.data[at] : 0;
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool holds(int assertion, dvx_span text, size_t at) {
  switch (assertion) {
    case ASSERT_TEXT_BEGIN:
      return at == 0;
    case ASSERT_TEXT_END:
      return at == text.bytes;
    case ASSERT_LINE_BEGIN:
      return at == 0 || text.data[at - 1] == '\n';
    case ASSERT_LINE_END:
      return at == text.bytes || text.data[at] == '\n';
    default: {
      bool boundary = (at > 0 && is_word_at(text, at - 1)) != is_word_at(text, at);
      return boundary == (assertion == ASSERT_WORD);
    }
  }
}

static bool has_step(const paths *p, int step) {
  int at = p->position[step];
  return at < p->count && p->steps[at] == step;
}

// Adds the steps that wait for a character, reached from `step` at place `at` with these slots (which are
// left as they were).
static void follow(dvx_matcher *m, paths *p, int step, dvx_span text, size_t at, size_t slots[SLOTS]) {
  todo *stack = m->stack;
  int depth = 0;
  stack[depth++] = (todo){step, -1, 0};
  while (depth > 0) {
    todo work = stack[--depth];
    if (work.slot >= 0) {
      slots[work.slot] = work.old;
      continue;
    }
    for (int next = work.step; next >= 0 && !has_step(p, next);) {
      const dvx_step *s = &m->regex->steps[next];
      p->position[next] = p->count;
      p->steps[p->count++] = next;
      switch (s->kind) {
        case STEP_JUMP:
          next = s->next;
          break;
        case STEP_SPLIT:
          stack[depth++] = (todo){s->second, -1, 0};
          next = s->next;
          break;
        case STEP_ASSERT:
          next = holds(s->index, text, at) ? s->next : -1;
          break;
        case STEP_SAVE:
          stack[depth++] = (todo){0, s->index, slots[s->index]};
          slots[s->index] = at;
          next = s->next;
          break;
        case STEP_CLASS:
        case STEP_MATCH:
          memcpy(p->slots + (size_t)(p->count - 1) * SLOTS, slots, SLOTS * sizeof(*slots));
          next = -1;
          break;
      }
    }
  }
}

// One character of text. What only looks like a character (too long a spelling, a surrogate) belongs to
// classes as a surrogate does.
static size_t read_character(dvx_span text, size_t at, int32_t *out) {
  dvx_span rest = dvx_part(text, at, text.bytes);
  size_t bytes = dvx_utf8_decode(rest, out);
  if (*out >= 0) return bytes;
  unsigned char lead = (unsigned char)rest.data[0];
  size_t length = lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
  for (size_t i = 1; i < length; i++)
    if (i >= rest.bytes || !dvx_utf8_continues(rest.data[i])) return 1;
  if (length) *out = 0xD800;
  return length ? length : 1;
}

// Runs the program over text from `from`; with `whole` a match begins there and ends at the end of the text.
// The best match is in `best`.
static bool run(dvx_matcher *m, dvx_span text, size_t from, bool whole, size_t best[SLOTS]) {
  bool found = false;
  size_t none[SLOTS];
  for (int i = 0; i < SLOTS; i++) none[i] = NOWHERE;
  m->now.count = 0;
  for (size_t at = from;;) {
    if (!found && (!whole || at == from)) {
      none[0] = at;
      follow(m, &m->now, 0, text, at, none);
    }
    if (m->now.count == 0) return found;
    int32_t c = -1;
    size_t bytes = at < text.bytes ? read_character(text, at, &c) : 0;
    m->next.count = 0;
    for (int i = 0; i < m->now.count; i++) {
      const dvx_step *s = &m->regex->steps[m->now.steps[i]];
      size_t *slots = m->now.slots + (size_t)i * SLOTS;
      if (s->kind == STEP_MATCH && (!whole || at == text.bytes)) {
        memcpy(best, slots, SLOTS * sizeof(*slots));
        best[1] = at;
        found = true;
        break;  // what follows is less preferred
      }
      if (s->kind == STEP_CLASS && c >= 0 && dvx_class_has(&m->regex->classes[s->index], c))
        follow(m, &m->next, s->next, text, at + bytes, slots);
    }
    if (at == text.bytes) return found;
    paths swapped = m->now;
    m->now = m->next;
    m->next = swapped;
    at += bytes;
  }
}

bool dvx_matches_whole(dvx_matcher *m, dvx_span text) {
  size_t best[SLOTS];
  return run(m, text, 0, true, best);
}

bool dvx_find(dvx_matcher *m, dvx_span text, size_t from, dvx_span groups[DVX_REGEX_GROUPS]) {
  size_t best[SLOTS];
  if (!run(m, text, from, false, best)) return false;
  for (int i = 0; i < DVX_REGEX_GROUPS; i++) {
    bool took_part = best[2 * i] != NOWHERE && best[2 * i + 1] != NOWHERE;
    groups[i] = took_part ? dvx_part(text, best[2 * i], best[2 * i + 1]) : (dvx_span){NULL, 0};
  }
  return true;
}
