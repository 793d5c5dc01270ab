// `dovetail check --suite`: a process for each kernel, what it tells line by line, what it leaves on stderr,
// and how it ends; the table and the JSON.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "suite.h"

enum { FINE = 0, FINDINGS = 1, UNREADABLE = 2 };
enum { MAX_KEPT = 24, MAX_OF_A_CODE = 2, MAX_ENDS = 6, SILENT_SECONDS = 90, LINE_BYTES = 8192 };

typedef struct kept {
  check_level level;
  char code[40], *text;
  int count;  // of findings of the code, with those that are not kept
} kept;

typedef struct row {
  char *op, *constraints, *skip, *refusal;  // refusal: the first error of a case
  int cases, accepted, ends;                // ends: of processes that did not come to theirs
  kept findings[MAX_KEPT];
  int finding_count;
} row;

typedef struct suite {
  const cli_options *options;
  json_value *inputs;
  row *rows;  // the last one holds findings of the plugin itself
  int row_count, capacity;
  char *unloadable;
} suite;

// ---- findings ----

static void keep(row *r, check_level level, const char *code, const char *text) {
  int same = 0;
  for (int i = 0; i < r->finding_count; i++) {
    kept *f = &r->findings[i];
    if (strcmp(f->code, code) != 0) continue;
    if (strcmp(f->text, text) == 0 || ++same == MAX_OF_A_CODE) {
      f->count++;
      return;
    }
  }
  if (r->finding_count == MAX_KEPT) return;
  kept *f = &r->findings[r->finding_count++];
  *f = (kept){.level = level, .text = strdup(text), .count = 1};
  snprintf(f->code, sizeof f->code, "%s", code);
}

static check_level worst_of(const row *r) {
  check_level worst = CHECK_NOTE;
  for (int i = 0; i < r->finding_count; i++) worst = DVT_MAX(worst, r->findings[i].level);
  return worst;
}

static row *row_add(suite *s, const char *op, const char *constraints) {
  if (s->row_count == s->capacity) {
    int capacity = s->capacity ? 2 * s->capacity : 64;
    row *grown = realloc(s->rows, (size_t)capacity * sizeof *grown);
    if (!grown) return NULL;
    s->rows = grown;
    s->capacity = capacity;
  }
  row *r = &s->rows[s->row_count++];
  *r = (row){.op = strdup(op), .constraints = strdup(constraints)};
  return r;
}

static void suite_free(suite *s) {
  for (int i = 0; i < s->row_count; i++) {
    row *r = &s->rows[i];
    for (int k = 0; k < r->finding_count; k++) free(r->findings[k].text);
    free(r->op);
    free(r->constraints);
    free(r->skip);
    free(r->refusal);
  }
  free(s->rows);
  free(s->unloadable);
  json_free(s->inputs);
}

// ---- the processes ----

typedef struct child {
  pid_t pid;
  int from;
  FILE *errors;  // what it wrote to stderr
} child;

static bool child_start(suite *s, int index, int first, child *out) {
  int ends[2];
  fflush(NULL);
  out->errors = tmpfile();
  if (!out->errors || pipe(ends) != 0) return false;
  out->from = ends[0];
  out->pid = fork();
  if (out->pid == 0) {
    close(ends[0]);
    FILE *to = fdopen(ends[1], "w");
    FILE *null = freopen("/dev/null", "w", stdout);
    if (!to || !null || dup2(fileno(out->errors), STDERR_FILENO) < 0) _exit(1);
    suite_child(s->options, s->inputs, index, first, to);
  }
  close(ends[1]);
  return out->pid > 0;
}

// The next line without its end; false at the end of the pipe, or when the process was silent for too long.
static bool next_line(child *c, char *line, bool *out_silent) {
  size_t len = 0;
  *out_silent = false;
  for (;;) {
    struct pollfd wait = {.fd = c->from, .events = POLLIN};
    int ready = poll(&wait, 1, SILENT_SECONDS * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) *out_silent = true;
    char byte;
    if (ready <= 0 || read(c->from, &byte, 1) != 1) return false;
    if (byte == '\n') {
      line[len] = '\0';
      return true;
    }
    if (len + 1 < LINE_BYTES) line[len++] = byte;
  }
}

// Has a case told of it already? Its text then begins somewhere like the report.
static bool is_kept(const row *r, const char *report) {
  char begin[64];
  snprintf(begin, sizeof begin, "%s", report);
  for (int i = 0; i < r->finding_count; i++)
    if (strcmp(r->findings[i].code, "internal") == 0 && strstr(r->findings[i].text, begin)) return true;
  return false;
}

// Errors that no call could be told of are logged: "DATE TIME: E text". NULL for other lines.
static const char *logged_error(const char *line) {
  const char *level = strstr(line, ": E ");
  return level && level - line < 40 ? level + strlen(": E ") : NULL;
}

// What debug mode and sanitizers wrote; the last line of all else is told with a crash.
static void read_errors(child *c, row *r, char *last, size_t bytes) {
  char line[2048];
  rewind(c->errors);
  last[0] = '\0';
  while (fgets(line, sizeof line, c->errors)) {
    line[strcspn(line, "\n")] = '\0';
    char *debug = strstr(line, "DOVETAIL_DEBUG: "), *report = strstr(line, "ERROR: ");
    bool sanitizer = strstr(line, "runtime error: ") || (report && strstr(report, "Sanitizer"));
    if (debug && !is_kept(r, debug + strlen("DOVETAIL_DEBUG: ")))
      keep(r, strstr(debug, "while it was loaded") ? CHECK_NOTE : CHECK_ERROR,
           strstr(debug, "never deleted") ? "leak" : "memory", debug + strlen("DOVETAIL_DEBUG: "));
    else if (!debug && logged_error(line))
      keep(r, CHECK_ERROR, "logged", logged_error(line));
    else if (sanitizer)
      keep(r, CHECK_ERROR, strstr(line, "LeakSanitizer") ? "leak" : "sanitizer", line);
    if (line[0] && (sanitizer || !strstr(last, "Sanitizer"))) snprintf(last, bytes, "%s", line);
  }
}

static void read_line(suite *s, int index, char *line, int *current, char *description) {
  row *r = &s->rows[index];
  char code[40];
  int level, cases, accepted, at = 0;
  if (sscanf(line, "finding %d %39s %n", &level, code, &at) == 2 && at)
    keep(r, (check_level)level, code, line + at);
  else if (sscanf(line, "done %d %d", &cases, &accepted) == 2) {
    r->cases += cases;
    r->accepted += accepted;
  } else if (sscanf(line, "case %d %n", current, &at) == 1 && at) {
    snprintf(description, LINE_BYTES, "%s", line + at);
  } else if (strncmp(line, "skip ", 5) == 0 && !r->skip) {
    r->skip = strdup(line + 5);
  } else if (strncmp(line, "refused ", 8) == 0 && !r->refusal) {
    r->refusal = strdup(line + 8);
  }
}

// How the process ended, if that was not its end.
static void tell_end(row *r, int status, bool silent, const char *description, const char *last) {
  char text[4096];
  if (silent)
    snprintf(text, sizeof text, "%s: nothing came of it in %d seconds", description, SILENT_SECONDS);
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "%s: the process was ended by %s%s%s", description,
             strsignal(WTERMSIG(status)), last[0] ? ": " : "", last);
  else
    snprintf(text, sizeof text, "%s: the process ended with exit code %d%s%s", description,
             WEXITSTATUS(status), last[0] ? ": " : "", last);
  keep(r, CHECK_ERROR, silent ? "hang" : "crash", text);
}

// Runs the kernel's cases from `first` on; returns the case to go on with, -1 when all are done.
static int run_some(suite *s, int index, int first) {
  static char line[LINE_BYTES], description[LINE_BYTES];
  child c;
  int current = first, status = 0;
  bool ended = false, silent;
  char last[2048];
  row *r = &s->rows[index];
  snprintf(description, sizeof description, "before its first case");
  if (!child_start(s, index, first, &c)) {
    keep(r, CHECK_ERROR, "no-process", "no process can be made for it");
    return -1;
  }
  while (next_line(&c, line, &silent)) {
    if (strcmp(line, "end") == 0)
      ended = true;
    else
      read_line(s, index, line, &current, description);
  }
  if (silent) kill(c.pid, SIGKILL);
  close(c.from);
  waitpid(c.pid, &status, 0);
  read_errors(&c, r, last, sizeof last);
  fclose(c.errors);
  bool clean = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || strstr(last, "Sanitizer"));
  if (ended && !clean) tell_end(r, status, false, "at its end", last);
  if (ended) return -1;
  tell_end(r, status, silent, description, last);
  return ++r->ends < MAX_ENDS && current >= first ? current + 1 : -1;
}

static void keep_not_exercised(row *r) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "none of the inputs that were made up suits the op; give some in the inputs file (--inputs). The first "
      "answer was: %s",
      r->refusal ? r->refusal : "none");
  keep(r, CHECK_WARNING, "not-exercised", text);
}

static void run_kernel(suite *s, int index) {
  row *r = &s->rows[index];
  for (int next = 0; next >= 0;) next = run_some(s, index, next);
  if (r->ends == MAX_ENDS)
    keep(r, CHECK_NOTE, "given-up", "it ended so many processes that the rest was left out");
  if (r->cases > 0 && r->accepted == 0 && worst_of(r) < CHECK_ERROR) keep_not_exercised(r);
}

// ---- what the plugin has ----

static bool is_wanted(const cli_options *options, const char *op) {
  bool wanted = options->positional_count == 1;
  for (int i = 1; i < options->positional_count; i++)
    wanted = wanted || strcmp(options->positional[i], op) == 0;
  return wanted;
}

// The rows, with findings of the plugin itself in *about. False when it cannot be loaded.
static bool list_kernels(suite *s, row *about) {
  static char line[LINE_BYTES];
  child c;
  bool silent, ended = false;
  int level, at, status = 0;
  char code[40], last[2048];
  if (!child_start(s, -1, 0, &c)) return false;
  while (next_line(&c, line, &silent)) {
    at = 0;
    if (strncmp(line, "kernel ", 7) == 0) {
      char *op = line + 7, *space = strchr(op, ' ');
      if (space) *space = '\0';
      row_add(s, op, space ? space + 1 : "");
    } else if (sscanf(line, "finding %d %39s %n", &level, code, &at) == 2 && at) {
      keep(about, (check_level)level, code, line + at);
    } else if (strncmp(line, "unloadable ", 11) == 0) {
      s->unloadable = strdup(line + 11);
    }
    ended = ended || strcmp(line, "end") == 0;
  }
  if (silent) kill(c.pid, SIGKILL);
  close(c.from);
  waitpid(c.pid, &status, 0);
  read_errors(&c, about, last, sizeof last);
  fclose(c.errors);
  if (!ended) tell_end(about, status, silent, "when it was loaded", last);
  return true;
}

// False with the error printed when an op was asked for that no kernel is of.
static bool names_are_known(const suite *s) {
  for (int i = 1; i < s->options->positional_count; i++) {
    bool known = false;
    for (int k = 0; k < s->row_count; k++)
      known = known || strcmp(s->rows[k].op, s->options->positional[i]) == 0;
    if (known) continue;
    cli_error(UNREADABLE, "%s has no kernel of the op '%s'; dovetail inspect lists them.",
              s->options->positional[0], s->options->positional[i]);
    return false;
  }
  return true;
}

// ---- printing ----

static const char *const level_names[] = {"note", "warning", "error"};

static const char *verdict_of(const row *r, char out[128]) {
  static const char *const verdicts[] = {"fine", "warnings", "errors"};
  if (!r->skip || r->finding_count) return verdicts[worst_of(r)];
  snprintf(out, 128, "not run: %s", r->skip);
  return out;
}

static void print_finding(const kept *f) {
  char text[4200];
  snprintf(text, sizeof text, "%s: %s", f->code, f->text);
  printf("  %-8s  ", level_names[f->level]);
  check_print_wrapped(text, 12);
  if (f->count > 1) printf(" (and %d more like it)", f->count - 1);
  puts("");
}

typedef struct widths {
  int op, constraints;
} widths;

static widths print_header(const suite *s) {
  widths w = {2, 6};
  for (int i = 0; i < s->row_count; i++) {
    if (!is_wanted(s->options, s->rows[i].op)) continue;
    w.op = DVT_MAX(w.op, (int)DVT_MIN(strlen(s->rows[i].op), (size_t)40));
    w.constraints = DVT_MAX(w.constraints, (int)DVT_MIN(strlen(s->rows[i].constraints), (size_t)40));
  }
  printf("%-*s  %-*s  %6s  %8s\n", w.op, "op", w.constraints, "kernel", "cases", "computed");
  return w;
}

// As soon as the kernel is done: many of them take minutes.
static void print_row(const row *r, widths w) {
  char text[128];
  printf("%-*s  %-*s  %6d  %8d  %s\n", w.op, r->op, w.constraints, r->constraints, r->cases, r->accepted,
         verdict_of(r, text));
  for (int k = 0; k < r->finding_count; k++) print_finding(&r->findings[k]);
  fflush(stdout);
}

static void print_end(const suite *s, const row *about) {
  int shown = 0, skipped = 0, cases = 0, with_findings = 0;
  for (int i = 0; i < s->row_count; i++) {
    const row *r = &s->rows[i];
    if (!is_wanted(s->options, r->op)) continue;
    shown++;
    skipped += r->skip && !r->cases;
    cases += r->cases;
    with_findings += worst_of(r) > CHECK_NOTE;
  }
  for (int k = 0; k < about->finding_count; k++) print_finding(&about->findings[k]);
  printf("\n%d kernel%s, %d of them not run, %d with warnings or errors; %d cases\n", shown,
         shown == 1 ? "" : "s", skipped, with_findings, cases);
}

static void json_findings(json *j, const row *r) {
  json_open(j, "findings", '[');
  for (int i = 0; i < r->finding_count; i++) {
    json_open(j, NULL, '{');
    json_string(j, "level", level_names[r->findings[i].level]);
    json_string(j, "code", r->findings[i].code);
    json_string(j, "text", r->findings[i].text);
    json_int(j, "count", r->findings[i].count);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void print_json(const suite *s, const row *about, bool fine) {
  json j = {.file = stdout};
  json_open(&j, NULL, '{');
  json_string(&j, "plugin", s->options->positional[0]);
  json_bool(&j, "fine", fine);
  json_open(&j, "kernels", '[');
  for (int i = 0; i < s->row_count; i++) {
    const row *r = &s->rows[i];
    if (!is_wanted(s->options, r->op)) continue;
    json_open(&j, NULL, '{');
    json_string(&j, "op", r->op);
    json_string(&j, "constraints", r->constraints);
    json_string(&j, "not_run", r->skip);
    json_int(&j, "cases", r->cases);
    json_int(&j, "computed", r->accepted);
    json_findings(&j, r);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_findings(&j, about);
  json_close(&j, '}');
}

// ---- the inputs file ----

// --inputs FILE, or my_ops.check.json beside my_ops.so. False with the error printed.
static bool read_inputs(const cli_options *options, json_value **out) {
  char beside[4096];
  const char *path = options->inputs_file, *plugin = options->positional[0];
  size_t len = strlen(plugin), bytes = 0;
  if (!path) {
    if (len > 3 && strcmp(plugin + len - 3, ".so") == 0) len -= 3;
    snprintf(beside, sizeof beside, "%.*s.check.json", (int)len, plugin);
    if (access(beside, R_OK) != 0) return true;
    path = beside;
  }
  TF_Status *status = TF_NewStatus();
  char *text = file_read(path, &bytes, status);
  *out = text ? json_parse(text, bytes, status) : NULL;
  if (!*out) cli_error(UNREADABLE, "%s: %s.", path, TF_Message(status));
  free(text);
  TF_DeleteStatus(status);
  return *out != NULL;
}

int check_suite(const cli_options *options) {
  suite s = {.options = options};
  row about = {0};
  int exit_code = UNREADABLE;
  setenv("DOVETAIL_DEBUG", "1", 0);  // which is read at the first use of the runtime, here or in a child
  if (!read_inputs(options, &s.inputs)) return UNREADABLE;
  bool good = list_kernels(&s, &about);
  if (s.unloadable) {
    cli_error(UNREADABLE, "%s", s.unloadable);
  } else if (good && names_are_known(&s)) {
    bool fine = worst_of(&about) == CHECK_NOTE;
    widths w = {0};
    if (!options->json) w = print_header(&s);
    for (int i = 0; i < s.row_count; i++) {
      if (!is_wanted(options, s.rows[i].op)) continue;
      run_kernel(&s, i);
      fine = fine && worst_of(&s.rows[i]) == CHECK_NOTE;
      if (!options->json) print_row(&s.rows[i], w);
    }
    if (options->json)
      print_json(&s, &about, fine);
    else
      print_end(&s, &about);
    exit_code = fine ? FINE : FINDINGS;
  } else if (!good) {
    cli_error(UNREADABLE, "no process can be made");
  }
  for (int k = 0; k < about.finding_count; k++) free(about.findings[k].text);
  suite_free(&s);
  return exit_code;
}
