// Classes of characters; see regex_internal.h.
#include "text/case.h"
#include "text/regex_internal.h"
#include "text/utf8.h"

void dvx_class_add(dvx_class *c, int32_t first, int32_t last) {
  if (c->count == c->capacity && !c->failed) {
    int capacity = c->capacity * 2 + 8;
    dvx_range *ranges = realloc(c->ranges, (size_t)capacity * sizeof(*ranges));
    c->failed = !ranges;
    if (ranges) {
      c->ranges = ranges;
      c->capacity = capacity;
    }
  }
  if (!c->failed) c->ranges[c->count++] = (dvx_range){first, last};
}

// Adds what the characters of `range` in `run` are mapped to, or with `back` those that are mapped into
// `range`.
static void add_mapped(dvx_class *c, dvx_range range, const dvx_case_run *run, bool back) {
  int32_t shift = back ? run->delta : 0, to = back ? -run->delta : run->delta;
  int32_t first = DVP_MAX(range.first, run->first + shift), last = DVP_MIN(range.last, run->last + shift);
  if (first > last) return;
  if (run->step == 1) {
    dvx_class_add(c, first + to, last + to);
    return;
  }
  first += (run->first + shift - first) & 1;
  for (int32_t x = first; x <= last; x += run->step) dvx_class_add(c, x + to, x + to);
}

// The Turkish dotless and dotted i have a case, but folding keeps them apart from the others.
static bool is_apart(const dvx_case_run *run) { return run->first == 0x131 || run->first == 0x130; }

void dvx_class_fold(dvx_class *c) {
  // Three letters, such as K, k and the Kelvin sign, need a second round.
  for (int round = 0; round < 2; round++) {
    dvx_class_finish(c, false);
    int count = c->count;
    for (int i = 0; i < count && !c->failed; i++) {
      dvx_range range = c->ranges[i];
      for (int k = 0; k < 4; k++) {
        const dvx_case_run *runs;
        int run_count = dvx_case_runs(k & 1, &runs);
        for (int r = 0; r < run_count; r++)
          if (!is_apart(&runs[r])) add_mapped(c, range, &runs[r], k & 2);
      }
    }
  }
}

static int by_first(const void *a, const void *b) {
  const dvx_range *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

void dvx_class_finish(dvx_class *c, bool negate) {
  int kept = 0;
  if (c->count > 1) qsort(c->ranges, (size_t)c->count, sizeof(*c->ranges), by_first);
  for (int i = 0; i < c->count; i++) {
    if (kept > 0 && c->ranges[i].first <= c->ranges[kept - 1].last + 1)
      c->ranges[kept - 1].last = DVP_MAX(c->ranges[kept - 1].last, c->ranges[i].last);
    else
      c->ranges[kept++] = c->ranges[i];
  }
  c->count = kept;
  if (!negate || c->failed) return;
  dvx_class others = {0};
  int32_t next = 0;
  for (int i = 0; i < c->count; i++) {
    if (c->ranges[i].first > next) dvx_class_add(&others, next, c->ranges[i].first - 1);
    next = c->ranges[i].last + 1;
  }
  if (next <= DVX_MAX_CODE_POINT) dvx_class_add(&others, next, DVX_MAX_CODE_POINT);
  free(c->ranges);
  *c = others;
}

bool dvx_class_has(const dvx_class *c, int32_t character) {
  int low = 0, high = c->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (character > c->ranges[middle].last)
      low = middle + 1;
    else
      high = middle;
  }
  return low < c->count && character >= c->ranges[low].first;
}

// Pairs of first and last characters, in ascending order.
static void add_pairs(dvx_class *c, const char *pairs, size_t bytes, bool negate) {
  int32_t next = 0;
  for (size_t i = 0; i < bytes; i += 2) {
    int32_t first = pairs[i], last = pairs[i + 1];
    if (!negate)
      dvx_class_add(c, first, last);
    else if (first > next)
      dvx_class_add(c, next, first - 1);
    next = last + 1;
  }
  if (negate) dvx_class_add(c, next, DVX_MAX_CODE_POINT);
}

bool dvx_class_add_perl(dvx_class *c, char letter) {
  switch (letter | 0x20) {
    case 'd':
      add_pairs(c, "09", 2, letter == 'D');
      return letter == 'd' || letter == 'D';
    case 's':
      add_pairs(c, "\t\n\f\r  ", 6, letter == 'S');
      return letter == 's' || letter == 'S';
    case 'w':
      add_pairs(c, "09AZ__az", 8, letter == 'W');
      return letter == 'w' || letter == 'W';
    default:
      return false;
  }
}

bool dvx_class_add_posix(dvx_class *c, dvx_span name) {
  static const struct {
    const char *name, *pairs;
    size_t bytes;
  } classes[] = {
      {"alnum", "09AZaz", 6},
      {"alpha", "AZaz", 4},
      {"ascii", "\0\x7F", 2},
      {"blank", "\t\t  ", 4},
      {"cntrl", "\0\x1F\x7F\x7F", 4},
      {"digit", "09", 2},
      {"graph", "!~", 2},
      {"lower", "az", 2},
      {"print", " ~", 2},
      {"punct", "!/:@[`{~", 8},
      {"space", "\t\r  ", 4},
      {"upper", "AZ", 2},
      {"word", "09AZ__az", 8},
      {"xdigit", "09AFaf", 6},
  };
  bool negate = name.bytes > 0 && name.data[0] == '^';
  if (negate) name = dvx_part(name, 1, name.bytes);
  for (int i = 0; i < DVP_COUNT_OF(classes); i++) {
    if (!dvx_same(name, (dvx_span){classes[i].name, strlen(classes[i].name)})) continue;
    add_pairs(c, classes[i].pairs, classes[i].bytes, negate);
    return true;
  }
  return false;
}
