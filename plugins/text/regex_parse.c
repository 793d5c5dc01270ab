// Patterns become trees: a recursive descent over RE2's syntax with Perl's classes, flags and lazy
// repetitions.
#include "text/regex_internal.h"
#include "text/utf8.h"

#define MAX_DEPTH 1000
#define MAX_REPEAT 1000

enum { FLAG_FOLD = 1, FLAG_LINES = 2, FLAG_DOT_ALL = 4, FLAG_LAZY = 8 };

typedef struct parser {
  dvx_regex *regex;
  const char *at, *end;
  int flags, depth;
  TF_Code code;
  const char *problem;
} parser;

static int parse_choice(parser *p);

static int fail(parser *p, TF_Code code, const char *problem) {
  if (!p->problem) {
    p->code = code;
    p->problem = problem;
  }
  return -1;
}
static int wrong(parser *p, const char *problem) { return fail(p, TF_INVALID_ARGUMENT, problem); }

static size_t left(const parser *p) { return (size_t)(p->end - p->at); }
static bool sees(const parser *p, const char *text) {
  size_t bytes = strlen(text);
  return left(p) >= bytes && memcmp(p->at, text, bytes) == 0;
}
static bool take(parser *p, const char *text) {
  if (!sees(p, text)) return false;
  p->at += strlen(text);
  return true;
}
static int32_t take_character(parser *p) {
  int32_t c;
  p->at += dvx_utf8_decode((dvx_span){p->at, left(p)}, &c);
  return c;
}

// ---- nodes ----

static int add_node(parser *p, dvx_node_kind kind, int index) {
  dvx_regex *r = p->regex;
  if (r->node_count == r->node_capacity) {
    int capacity = r->node_capacity * 2 + 16;
    dvx_node *nodes = realloc(r->nodes, (size_t)capacity * sizeof(*nodes));
    if (!nodes) return fail(p, TF_RESOURCE_EXHAUSTED, DVX_REGEX_NO_MEMORY);
    r->nodes = nodes;
    r->node_capacity = capacity;
  }
  r->nodes[r->node_count] =
      (dvx_node){.kind = kind, .index = index, .child = -1, .last_child = -1, .next = -1};
  return r->node_count++;
}

static void add_child(parser *p, int parent, int child) {
  dvx_node *nodes = p->regex->nodes;
  if (nodes[parent].last_child < 0)
    nodes[parent].child = child;
  else
    nodes[nodes[parent].last_child].next = child;
  nodes[parent].last_child = child;
}

// A node that matches the characters of `c`, which it takes over.
static int add_class(parser *p, dvx_class *c, bool negate) {
  dvx_regex *r = p->regex;
  if (p->flags & FLAG_FOLD) dvx_class_fold(c);
  dvx_class_finish(c, negate);
  if (r->class_count == r->class_capacity && !c->failed) {
    int capacity = r->class_capacity * 2 + 16;
    dvx_class *classes = realloc(r->classes, (size_t)capacity * sizeof(*classes));
    c->failed = !classes;
    if (classes) {
      r->classes = classes;
      r->class_capacity = capacity;
    }
  }
  if (c->failed) {
    free(c->ranges);
    return fail(p, TF_RESOURCE_EXHAUSTED, DVX_REGEX_NO_MEMORY);
  }
  r->classes[r->class_count] = *c;
  return add_node(p, NODE_CLASS, r->class_count++);
}

static int add_literal(parser *p, int32_t character) {
  dvx_class c = {0};
  dvx_class_add(&c, character, character);
  return add_class(p, &c, false);
}

// ---- escapes ----

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int32_t hex_escape(parser *p) {
  int32_t value = 0;
  if (take(p, "{")) {
    int digits = 0;
    for (; left(p) > 0 && hex_digit(*p->at) >= 0; p->at++, digits++) {
      value = value * 16 + hex_digit(*p->at);
      if (value > DVX_MAX_CODE_POINT) return wrong(p, "invalid escape sequence: \\x{...} beyond 10FFFF");
    }
    return digits > 0 && take(p, "}") ? value : wrong(p, "invalid escape sequence: \\x{ without its end");
  }
  for (int i = 0; i < 2; i++, p->at++) {
    if (left(p) == 0 || hex_digit(*p->at) < 0)
      return wrong(p, "invalid escape sequence: \\x wants two digits");
    value = value * 16 + hex_digit(*p->at);
  }
  return value;
}

// The character that an escape stands for, `at` being behind the backslash; -1 after an error.
static int32_t parse_escape(parser *p) {
  if (left(p) == 0) return wrong(p, "trailing \\ at end of regexp");
  int32_t c = take_character(p);
  if (c < 0x80 && (c == '_' || !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))))
    return c;
  static const char letters[] = "afnrtv", values[] = "\a\f\n\r\t\v";
  const char *letter = c < 0x80 ? strchr(letters, (char)c) : NULL;
  if (letter) return values[letter - letters];
  if (c == 'x') return hex_escape(p);
  if (c < '0' || c > '7' || (c != '0' && (left(p) == 0 || *p->at < '0' || *p->at > '7')))
    return wrong(p, "invalid escape sequence");
  int32_t value = c - '0';
  for (int i = 0; i < 2 && left(p) > 0 && *p->at >= '0' && *p->at <= '7'; i++)
    value = value * 8 + (*p->at++ - '0');
  return value;
}

// ---- classes ----

// [:name:]; false when it is none.
static bool parse_posix(parser *p, dvx_class *c) {
  if (!sees(p, "[:")) return false;
  const char *end = memmem(p->at + 2, left(p) - 2, ":]", 2);
  if (!end) return false;
  if (!dvx_class_add_posix(c, (dvx_span){p->at + 2, (size_t)(end - p->at - 2)}))
    wrong(p, "invalid character class range: an unknown [:name:]");
  p->at = end + 2;
  return true;
}

static bool sees_perl(const parser *p) {
  return left(p) >= 2 && p->at[0] == '\\' && p->at[1] && strchr("dDsSwW", p->at[1]);
}
static bool sees_unicode(const parser *p) {
  return left(p) >= 2 && p->at[0] == '\\' && (p->at[1] == 'p' || p->at[1] == 'P');
}

static int32_t class_character(parser *p) {
  if (left(p) == 0) return wrong(p, "missing ]");
  return take(p, "\\") ? parse_escape(p) : take_character(p);
}

static void class_range(parser *p, dvx_class *c) {
  int32_t first = class_character(p), last = first;
  if (left(p) >= 2 && p->at[0] == '-' && p->at[1] != ']') {
    p->at++;
    last = class_character(p);
  }
  if (p->problem) return;
  if (last < first)
    wrong(p, "invalid character class range");
  else
    dvx_class_add(c, first, last);
}

// `at` is behind the opening bracket.
static int parse_class(parser *p) {
  dvx_class c = {0};
  bool negate = take(p, "^");
  for (bool first = true; !p->problem && (first || !sees(p, "]")); first = false) {
    if (left(p) == 0) {
      wrong(p, "missing ]");
    } else if (sees_unicode(p)) {
      fail(p, TF_UNIMPLEMENTED, "classes of Unicode, \\p{...}, are not supported");
    } else if (sees_perl(p)) {
      dvx_class_add_perl(&c, p->at[1]);
      p->at += 2;
    } else if (!parse_posix(p, &c)) {
      class_range(p, &c);
    }
  }
  if (p->problem) {
    free(c.ranges);
    return -1;
  }
  p->at++;
  return add_class(p, &c, negate);
}

// ---- what is repeated ----

static int add_assert(parser *p, int lines, int text) {
  return add_node(p, NODE_ASSERT, p->flags & FLAG_LINES ? lines : text);
}

// `at` is behind the backslash.
static int parse_backslash(parser *p) {
  if (take(p, "A")) return add_node(p, NODE_ASSERT, ASSERT_TEXT_BEGIN);
  if (take(p, "z")) return add_node(p, NODE_ASSERT, ASSERT_TEXT_END);
  if (take(p, "b")) return add_node(p, NODE_ASSERT, ASSERT_WORD);
  if (take(p, "B")) return add_node(p, NODE_ASSERT, ASSERT_NO_WORD);
  if (sees(p, "C")) return fail(p, TF_UNIMPLEMENTED, "single bytes, \\C, are not supported");
  p->at--;
  if (sees_unicode(p)) return fail(p, TF_UNIMPLEMENTED, "classes of Unicode, \\p{...}, are not supported");
  if (sees_perl(p)) {
    dvx_class c = {0};
    dvx_class_add_perl(&c, p->at[1]);
    p->at += 2;
    return add_class(p, &c, false);
  }
  p->at++;
  int32_t c = parse_escape(p);
  return p->problem ? -1 : add_literal(p, c);
}

static int parse_dot(parser *p) {
  dvx_class c = {0};
  if (p->flags & FLAG_DOT_ALL) {
    dvx_class_add(&c, 0, DVX_MAX_CODE_POINT);
  } else {
    dvx_class_add(&c, 0, '\n' - 1);
    dvx_class_add(&c, '\n' + 1, DVX_MAX_CODE_POINT);
  }
  return add_class(p, &c, false);
}

// ---- groups ----

static bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// The name of a group, `at` being behind "<".
static void parse_name(parser *p) {
  const char *begin = p->at;
  while (left(p) > 0 && is_word(*p->at)) p->at++;
  if (p->at == begin || !take(p, ">")) wrong(p, "invalid named capture group");
}

// "i-s:" or "i-s)" behind "(?"; whether a group follows.
static bool parse_flags(parser *p) {
  static const char letters[] = "imsU";
  bool off = false, any = false;
  for (; left(p) > 0; p->at++) {
    const char *letter = *p->at ? strchr(letters, *p->at) : NULL;
    if (letter) {
      int flag = 1 << (letter - letters);
      p->flags = off ? p->flags & ~flag : p->flags | flag;
      any = true;
    } else if (*p->at == '-' && !off) {
      off = true;
      any = false;
    } else {
      break;
    }
  }
  bool group = take(p, ":");
  if ((off && !any) || (!group && !take(p, ")"))) wrong(p, "invalid perl operator");
  return group;
}

// `at` is behind the opening parenthesis. Flags without a group change those of what follows, and give an
// empty node.
static int parse_group(parser *p, bool *out_is_flags) {
  int flags = p->flags, index = 0;
  if (take(p, "?P<")) {
    parse_name(p);
    index = ++p->regex->groups;
  } else if (take(p, "?")) {
    if (!parse_flags(p)) {
      if (p->problem) return -1;
      *out_is_flags = true;
      return add_node(p, NODE_EMPTY, 0);
    }
  } else {
    index = ++p->regex->groups;
  }
  if (p->problem) return -1;
  if (++p->depth > MAX_DEPTH) return wrong(p, "expression nests too deeply");
  int inner = parse_choice(p);
  p->depth--;
  p->flags = flags;
  if (inner < 0) return -1;
  if (!take(p, ")")) return wrong(p, "missing )");
  if (index == 0) return inner;
  int group = add_node(p, NODE_GROUP, index);
  if (group >= 0) add_child(p, group, inner);
  return group;
}

// ---- repetitions ----

static bool parse_number(const char **at, const char *end, int *out) {
  const char *begin = *at;
  int value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; (*at)++)
    if (value <= MAX_REPEAT) value = value * 10 + (**at - '0');
  *out = value;
  // A leading zero makes it no number.
  return *at > begin && !(*at - begin > 1 && *begin == '0');
}

// {n}, {n,} or {n,m}; anything else in braces is literal text, and false.
static bool parse_counts(parser *p, int *min, int *max) {
  const char *at = p->at;
  if (at == p->end || *at++ != '{' || !parse_number(&at, p->end, min)) return false;
  *max = *min;
  if (at < p->end && *at == ',') {
    at++;
    *max = -1;
    if (at < p->end && *at != '}' && !parse_number(&at, p->end, max)) return false;
  }
  if (at == p->end || *at != '}') return false;
  p->at = at + 1;
  return true;
}

static bool parse_repeat(parser *p, int *min, int *max) {
  *min = 0;
  *max = -1;
  if (take(p, "*")) return true;
  if (take(p, "+")) return (*min = 1);
  if (take(p, "?")) return (*max = 1);
  return parse_counts(p, min, max);
}

// How often the innermost part under a node is written out; RE2 limits it.
static int copies_under(const dvx_regex *r, int at) {
  const dvx_node *node = &r->nodes[at];
  int most = 1;
  for (int child = node->child; child >= 0; child = r->nodes[child].next)
    most = DVP_MAX(most, copies_under(r, child));
  int times = node->kind == NODE_REPEAT ? DVP_MAX(node->max, node->min) : 1;
  return times > 1 ? DVP_MIN(most * times, MAX_REPEAT + 1) : most;
}

// `atom` followed by its repetition, if there is one.
static int parse_suffix(parser *p, int atom) {
  int min, max;
  const char *begin = p->at;
  if (!parse_repeat(p, &min, &max)) return atom;
  bool counted = *begin == '{';
  if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && max < min))
    return wrong(p, "invalid repetition size");
  bool lazy = take(p, "?");
  begin = p->at;
  int again_min, again_max;
  if (parse_repeat(p, &again_min, &again_max)) return wrong(p, "bad repetition operator");
  int repeat = add_node(p, NODE_REPEAT, 0);
  if (repeat < 0) return -1;
  dvx_node *node = &p->regex->nodes[repeat];
  node->min = min;
  node->max = max;
  node->greedy = lazy == ((p->flags & FLAG_LAZY) != 0);
  add_child(p, repeat, atom);
  if (counted && copies_under(p->regex, repeat) > MAX_REPEAT) return wrong(p, "bad repetition operator");
  return repeat;
}

static int parse_atom(parser *p, bool *out_is_flags) {
  if (take(p, "(")) return parse_group(p, out_is_flags);
  if (take(p, "[")) return parse_class(p);
  if (take(p, ".")) return parse_dot(p);
  if (take(p, "^")) return add_assert(p, ASSERT_LINE_BEGIN, ASSERT_TEXT_BEGIN);
  if (take(p, "$")) return add_assert(p, ASSERT_LINE_END, ASSERT_TEXT_END);
  if (take(p, "\\")) return parse_backslash(p);
  int min, max;
  if (parse_repeat(p, &min, &max)) return wrong(p, "no argument for repetition operator");
  return add_literal(p, take_character(p));
}

// Literal text up to \E; a repetition behind it is one of its last character.
static bool parse_quoted(parser *p, int list) {
  bool ends = take(p, "\\E");
  while (!ends && left(p) > 0) {
    int atom = add_literal(p, take_character(p));
    ends = take(p, "\\E");
    if (ends && atom >= 0) atom = parse_suffix(p, atom);
    if (atom < 0) return false;
    add_child(p, list, atom);
  }
  return true;
}

static int parse_list(parser *p) {
  int list = add_node(p, NODE_LIST, 0);
  while (list >= 0 && left(p) > 0 && !sees(p, "|") && !sees(p, ")")) {
    bool is_flags = false;
    if (take(p, "\\Q")) {
      if (!parse_quoted(p, list)) return -1;
      continue;
    }
    int atom = parse_atom(p, &is_flags);
    if (atom >= 0 && !is_flags) atom = parse_suffix(p, atom);
    if (atom < 0) return -1;
    add_child(p, list, atom);
  }
  return list;
}

static int parse_choice(parser *p) {
  int choice = add_node(p, NODE_CHOICE, 0);
  do {
    int list = choice >= 0 ? parse_list(p) : -1;
    if (list < 0) return -1;
    add_child(p, choice, list);
  } while (take(p, "|"));
  return choice;
}

static bool is_utf8(dvx_span s) {
  while (s.bytes > 0) {
    int32_t c;
    s = dvx_part(s, dvx_utf8_decode(s, &c), s.bytes);
    if (c < 0) return false;
  }
  return true;
}

int dvx_regex_parse(dvx_regex *regex, dvx_span pattern, TF_Code *out_code, const char **out_problem) {
  parser p = {.regex = regex, .at = pattern.data, .end = pattern.data + pattern.bytes};
  int root = is_utf8(pattern) ? parse_choice(&p) : wrong(&p, "invalid UTF-8");
  if (root >= 0 && left(&p) > 0) root = wrong(&p, "unexpected )");
  *out_code = p.code;
  *out_problem = p.problem;
  return root;
}
