// The process of one kernel: which cases there are. Each is announced before it runs, so that the parent
// knows what ended the process; it then starts another one at the next case.
#include <stdlib.h>

#include "suite.h"

enum { MAX_HANGS = 2, MAX_COMBINATIONS = 24, MAX_SWEPT = 400, MAX_MIXED = 10, MAX_VARIANTS = 6 };

static const suite_shape shapes[] = {{0, {0}},    {1, {1}},       {1, {7}},          {2, {7, 13}},  {1, {0}},
                                     {2, {0, 3}}, {3, {3, 5, 7}}, {4, {2, 3, 4, 5}}, {2, {64, 129}}};
static const suite_shape mixed[] = {
    {0, {0}},          {1, {1}},          {1, {2}},          {1, {7}},
    {1, {13}},         {2, {7, 13}},      {2, {13, 7}},      {2, {2, 3}},
    {2, {3, 2}},       {2, {4, 4}},       {4, {1, 4, 4, 1}}, {4, {2, 2, 1, 1}},
    {4, {2, 8, 8, 3}}, {4, {3, 3, 3, 4}}, {3, {2, 7, 13}},   {3, {2, 13, 7}}};

typedef struct walk {
  suite_case c;
  suite_tally tally;
  const json_value *entry;  // of the op in the inputs file; NULL: none
  int number, first;        // of the next case; where to start
} walk;

// ---- cases ----

static bool announce(walk *w) {
  if (w->number++ < w->first || w->tally.hangs >= MAX_HANGS) return false;
  fprintf(w->tally.out, "case %d ", w->number - 1);
  suite_case_print(&w->c, w->tally.out);
  fputc('\n', w->tally.out);
  fflush(w->tally.out);
  return true;
}

static void run_case(walk *w, bool with_threads) {
  if (!announce(w)) return;
  suite_tally before = w->tally;
  suite_case_run(&w->c, &w->tally, with_threads);
  fprintf(w->tally.out, "done %d %d\n", w->tally.cases - before.cases, w->tally.accepted - before.accepted);
  fflush(w->tally.out);
}

static const json_value *spec_of(const json_value *entry, const char *input) {
  return json_member(json_member(entry, "inputs"), input);
}

// Gives each argument what the file says of it; else the shape that `of` has for it. True when any was free.
static bool set_shapes(walk *w, const json_value *entry, const suite_shape *of[]) {
  bool any_free = false;
  for (int i = 0; i < w->c.slot_count; i++) {
    suite_slot *slot = &w->c.slots[i];
    const char *name = w->c.op->inputs[slot->arg].name;
    slot->spec = spec_of(entry, name);
    if (!slot->spec) slot->spec = spec_of(w->entry, name);
    if (suite_spec_shape(slot->spec, &slot->shape)) continue;
    slot->shape = *of[slot->arg];
    any_free = true;
  }
  return any_free;
}

static bool set_same(walk *w, const suite_shape *shape) {
  const suite_shape *of[SUITE_MAX_ARGS];
  for (int i = 0; i < SUITE_MAX_ARGS; i++) of[i] = shape;
  return set_shapes(w, NULL, of);
}

static void run_same_shapes(walk *w) {
  static const suite_mode modes[] = {SUITE_ORDINARY, SUITE_EXTREME, SUITE_ONES};
  for (size_t m = 0; m < DVT_COUNT_OF(modes); m++) {
    size_t count = modes[m] == SUITE_ORDINARY ? DVT_COUNT_OF(shapes) : 4;
    w->c.mode = modes[m];
    for (size_t i = 0; i < count; i++) {
      bool any_free = set_same(w, &shapes[i]);
      run_case(w, modes[m] == SUITE_ORDINARY && (i == 3 || i == 8));
      if (!any_free) break;
    }
  }
  w->c.mode = SUITE_ORDINARY;
}

static bool is_accepted(const suite_case *c) {
  suite_graph g;
  TF_Status *status = TF_NewStatus();
  bool good = suite_graph_build(c, SUITE_KNOWN, &g, status);
  suite_graph_free(&g);
  TF_DeleteStatus(status);
  return good;
}

typedef struct sweep {
  int accepted, refused;
} sweep;

// False when there is nothing to vary, or enough has been run.
static bool run_swept(walk *w, sweep *s, const suite_shape *of[]) {
  if (!set_shapes(w, NULL, of)) return false;
  int *count = is_accepted(&w->c) ? &s->accepted : &s->refused;
  if (*count < MAX_MIXED) {
    ++*count;
    run_case(w, false);
  }
  return s->accepted < MAX_MIXED || s->refused < MAX_MIXED;
}

// Shapes that differ from argument to argument: some that the shape function takes, some that it refuses.
// First scalars, vectors and matrices in every order, then what chance brings.
static void run_mixed_shapes(walk *w) {
  static const int plain[] = {0, 2, 3};  // in `shapes`
  const suite_shape *of[SUITE_MAX_ARGS];
  sweep s = {0};
  int args = w->c.op->input_count;
  uint32_t state = 99, orders = 1;
  if (args < 2) return;
  for (int k = 0; k < args && k < 5; k++) orders *= DVT_COUNT_OF(plain);
  for (uint32_t i = 0; i < orders; i++) {
    uint32_t order = i;
    for (int k = 0; k < args; k++, order /= DVT_COUNT_OF(plain))
      of[k] = &shapes[plain[order % DVT_COUNT_OF(plain)]];
    if (!run_swept(w, &s, of)) return;
  }
  for (int i = 0; i < MAX_SWEPT; i++) {
    for (int k = 0; k < args; k++) {
      state = state * 1664525u + 1013904223u;
      of[k] = &mixed[(state >> 10) % DVT_COUNT_OF(mixed)];
    }
    if (!run_swept(w, &s, of)) return;
  }
}

// ---- attributes ----

static void run_variant(walk *w, int attr, const json_value *value) {
  const json_value *kept = w->c.given[attr];
  const char *reason;
  w->c.given[attr] = value;
  if (suite_case_slots(&w->c, &reason)) {
    for (size_t i = 3; i <= 7; i += 3) {  // [7,13], [3,5,7]
      set_same(w, &shapes[i]);
      run_case(w, false);
    }
  }
  w->c.given[attr] = kept;
  suite_case_slots(&w->c, &reason);
}

static void run_texts(walk *w, int attr) {
  const char *at = w->c.op->attrs[attr].allowed, *begin;
  char text[128];
  while ((begin = strpbrk(at, "'\""))) {
    const char *end = strchr(begin + 1, *begin);
    if (!end) return;
    snprintf(text, sizeof text, "%.*s", (int)(end - begin - 1), begin + 1);
    run_variant(w, attr, &(json_value){.kind = JSON_STRING, .text = text});
    at = end + 1;
  }
}

static void run_numbers(walk *w, int attr) {
  static const int64_t numbers[] = {0, 1, 2, 5, -1, INT64_MAX};
  const suite_attr *a = &w->c.op->attrs[attr];
  for (size_t i = 0; i < DVT_COUNT_OF(numbers); i++) {
    char text[32];
    if (a->has_minimum && numbers[i] < a->minimum) continue;
    snprintf(text, sizeof text, "%lld", (long long)numbers[i]);
    run_variant(w, attr,
                &(json_value){
                    .kind = JSON_NUMBER, .text = text, .integer = numbers[i], .number = (double)numbers[i]});
  }
}

static void run_variants(walk *w) {
  for (int i = 0; i < w->c.op->attr_count; i++) {
    const char *type = w->c.op->attrs[i].type;
    if (w->c.given[i] || w->c.op->attrs[i].name[0] == '_') continue;
    if (strcmp(type, "bool") == 0) {
      run_variant(w, i, &(json_value){.kind = JSON_BOOL});
      run_variant(w, i, &(json_value){.kind = JSON_BOOL, .truth = true});
    } else if (strcmp(type, "string") == 0) {
      run_texts(w, i);
    } else if (strcmp(type, "int") == 0) {
      run_numbers(w, i);
    } else if (strncmp(type, "list(", 5) == 0) {
      run_variant(w, i, &(json_value){.kind = JSON_ARRAY});  // empty
    }
  }
}

// ---- the inputs file ----

static void give_attrs(walk *w, const json_value *entry) {
  const json_value *attrs = json_member(entry, "attrs");
  for (int i = 0; i < w->c.op->attr_count; i++) {
    const json_value *given = json_member(attrs, w->c.op->attrs[i].name);
    if (!given) continue;
    if (strcmp(w->c.op->attrs[i].type, "type") == 0 && given->text)
      w->c.types[i] = suite_dtype(given->text, strlen(given->text));
    else
      w->c.given[i] = given;
  }
}

static void run_given_cases(walk *w) {
  const json_value *cases = json_member(w->entry, "cases");
  suite_case kept = w->c;
  const char *reason;
  for (const json_value *item = cases ? cases->first : NULL; item; item = item->next) {
    const suite_shape *of[SUITE_MAX_ARGS];
    for (int i = 0; i < SUITE_MAX_ARGS; i++) of[i] = &shapes[3];
    give_attrs(w, item);
    if (suite_case_slots(&w->c, &reason)) {
      set_shapes(w, item, of);
      run_case(w, true);
    }
    w->c = kept;
  }
}

// ---- dtypes ----

// The constraint's types that the op allows.
static int allowed_of(const suite_attr *a, TF_DataType types[32], int count) {
  TF_DataType allowed[32];
  int allowed_count = suite_dtype_list(a->allowed, allowed), kept = 0;
  if (allowed_count == 0) return count;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < allowed_count; k++)
      if (types[i] == allowed[k]) {
        types[kept++] = types[i];
        break;
      }
  return kept;
}

// The types to try for an attribute; -1 when the kernel's are none of the op's.
static int choices_of(const walk *w, int attr, TF_DataType out[32]) {
  enum { FEW = 4 };
  const suite_attr *a = &w->c.op->attrs[attr];
  if (strcmp(a->type, "type") != 0) return 0;
  int count = suite_constraint(w->c.kernel->constraints, a->name, out);
  if (count) return (count = allowed_of(a, out, count)) ? count : -1;
  count = suite_dtype_list(a->allowed, out);
  if (count && count <= FEW) return count;
  TF_DataType chosen = a->default_value ? suite_dtype(a->default_value, strlen(a->default_value)) : 0;
  if (chosen) {
    out[0] = chosen;
    return 1;
  }
  if (count) return count;
  static const TF_DataType any[] = {TF_FLOAT, TF_INT64, TF_BOOL, TF_STRING, TF_COMPLEX128, TF_HALF};
  memcpy(out, any, sizeof any);
  return (int)DVT_COUNT_OF(any);
}

static void run_types(walk *w) {
  const char *reason = NULL;
  give_attrs(w, w->entry);
  if (!suite_case_slots(&w->c, &reason)) {
    fprintf(w->tally.out, "skip %s\n", reason);
    return;
  }
  run_given_cases(w);
  const json_value *only = json_member(w->entry, "only_cases");
  if (only && only->truth) return;
  run_same_shapes(w);
  run_mixed_shapes(w);
  run_variants(w);
}

// Every combination of the types that the kernel claims, as long as they are not too many.
static void run_combinations(walk *w) {
  TF_DataType choices[SUITE_MAX_ATTRS][32];
  int counts[SUITE_MAX_ATTRS], at[SUITE_MAX_ATTRS] = {0}, attrs = w->c.op->attr_count;
  for (int i = 0; i < attrs; i++) {
    counts[i] = choices_of(w, i, choices[i]);
    if (counts[i] >= 0) continue;
    fprintf(w->tally.out, "skip no node can have it: the op allows '%s' none of its types\n",
            w->c.op->attrs[i].name);
    return;
  }
  for (int n = 0; n < MAX_COMBINATIONS; n++) {
    for (int i = 0; i < attrs; i++) {
      w->c.types[i] = counts[i] ? choices[i][at[i]] : 0;
      w->c.given[i] = NULL;
    }
    run_types(w);
    int digit = 0;
    while (digit < attrs && (counts[digit] == 0 || ++at[digit] == counts[digit])) at[digit++] = 0;
    if (digit == attrs) return;
  }
}

// ---- the process ----

static void list_all(const suite_catalog *catalog, FILE *out) {
  for (int i = 0; i < catalog->kernel_count; i++)
    fprintf(out, "kernel %s %s\n", catalog->kernels[i].op, catalog->kernels[i].constraints);
  for (int i = 0; i < catalog->op_count; i++) {
    if (catalog->ops[i].kernel_count == 0)
      fprintf(out, "finding %d op-without-kernel %s has no kernel\n", CHECK_NOTE, catalog->ops[i].name);
    if (!catalog->ops[i].has_shape_function)
      fprintf(out,
              "finding %d no-shape-function %s has no shape function: graphs know nothing of its outputs\n",
              CHECK_NOTE, catalog->ops[i].name);
  }
  if (catalog->kernel_count + catalog->op_count == 0)
    fprintf(out, "finding %d registers-nothing the plugin registers neither ops nor kernels\n", CHECK_ERROR);
}

static void run_kernel(const suite_catalog *catalog, const json_value *inputs, walk *w) {
  suite_op op;
  const char *type = w->c.kernel->device;
  if (!suite_catalog_op(catalog, w->c.kernel->op, &op)) {
    suite_tell(&w->tally, CHECK_ERROR, "kernel-without-op", NULL,
               "a kernel of the op %s, which no plugin here registers; --plugin FILE loads one",
               w->c.kernel->op);
    return;
  }
  w->c.op = &op;
  w->entry = json_member(json_member(inputs, "ops"), op.name);
  const json_value *skip = json_member(w->entry, "skip");
  if (strcmp(type, "CPU") != 0 && strcmp(type, "DEFAULT") != 0)
    fprintf(w->tally.out, "skip for a %s\n", type);
  else if (op.is_too_big)
    fputs("skip has too many inputs or attributes\n", w->tally.out);
  else if (skip)
    fprintf(w->tally.out, "skip %s\n", skip->text ? skip->text : "the inputs file says so");
  else
    run_combinations(w);
}

_Noreturn void suite_child(const cli_options *options, const json_value *inputs, int index, int first,
                           FILE *out) {
  suite_catalog catalog;
  TF_Status *status = TF_NewStatus();
  if (!suite_catalog_load(options, &catalog, status)) {
    fputs("unloadable ", out);
    for (const char *p = TF_Message(status); *p; p++) fputc(*p == '\n' ? ' ' : *p, out);
    fputc('\n', out);
  } else if (index < 0) {
    list_all(&catalog, out);
  } else if (index < catalog.kernel_count) {
    walk w = {.tally.out = out, .first = first};
    w.c.kernel = &catalog.kernels[index];
    run_kernel(&catalog, inputs, &w);
  }
  fputs("end\n", out);
  fclose(out);
  TF_DeleteStatus(status);
  suite_catalog_free(&catalog);
  exit(0);
}
