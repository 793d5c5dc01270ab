// `dovetail check PLUGIN.so`: where a plugin will load, read from its file; the table and the JSON.
#include <elf.h>
#include <stdlib.h>

#include "check.h"
#include "input.h"

enum { FINE = 0, FINDINGS = 1, UNREADABLE = 2 };

static const char *const level_names[] = {"note", "warning", "error"};

// The hosts of --host, all of them without.
static bool chosen_hosts(const cli_options *options, unsigned *out) {
  unsigned chosen = 0;
  for (int i = 0; i < options->host_count; i++) {
    int bit = check_host_find(options->hosts[i]);
    if (bit < 0) {
      fprintf(stderr, "dovetail: --host %s is not known here. Known are", options->hosts[i]);
      for (int k = 0; k < CHECK_HOST_COUNT; k++) fprintf(stderr, "%s %s", k ? "," : "", check_host_name(k));
      fputs(".\n", stderr);
      return false;
    }
    chosen |= 1u << bit;
  }
  *out = chosen ? chosen : CHECK_ALL;
  return true;
}

// What the findings make of a host: the worst that counts for it.
static const char *verdict_of(const check_report *r, int bit) {
  bool fails = false, by_cxx_alone = true;
  for (int i = 0; i < r->count; i++) {
    const check_finding *f = &r->findings[i];
    if (f->level != CHECK_ERROR || !(f->hosts & (1u << bit))) continue;
    fails = true;
    if (strcmp(f->code, "cxx-symbols") != 0) by_cxx_alone = false;
  }
  if (!fails) return "loads";
  return by_cxx_alone && (r->unsure & (1u << bit)) ? "only if built with this very release" : "does not load";
}

static bool is_fine(const check_report *r) {
  for (int i = 0; i < r->count; i++)
    if (r->findings[i].level > CHECK_NOTE && (r->findings[i].hosts & r->only)) return false;
  return true;
}

// ---- text ----

static void print_hosts(unsigned hosts, unsigned of) {
  const char *comma = "";
  hosts &= of;
  if (hosts == of) return;
  fputs(" [", stdout);
  if (hosts == (CHECK_STOCK & of)) {
    fputs("tensorflow, all releases", stdout);
  } else {
    for (int i = 0; i < CHECK_HOST_COUNT; i++) {
      if (!(hosts & (1u << i))) continue;
      printf("%s%s", comma, check_host_name(i));
      comma = ", ";
    }
  }
  fputs("]", stdout);
}

static void print_system(check_system needed) {
  check_system oldest = {2017, 19};
  fputs("  needs ", stdout);
  if (needed.glibc) printf("glibc %d.%d", needed.glibc / 1000, needed.glibc % 1000);
  if (needed.glibcxx) printf("%sGLIBCXX_3.4.%d", needed.glibc ? " and " : "", needed.glibcxx);
  if (needed.glibc <= oldest.glibc && needed.glibcxx <= oldest.glibcxx) {
    puts(", which every system of the last ten years has");
    return;
  }
  fputs("\n  runs on     ", stdout);
  check_distributions(needed, true, stdout);
  fputs("\n  too new for ", stdout);
  check_distributions(needed, false, stdout);
  puts("");
}

void check_print_wrapped(const char *text, int indent) {
  int column = indent;
  while (*text) {
    size_t len = strcspn(text, " ");
    if (column + (int)len > 104 && column > indent) {
      printf("\n%*s", indent, "");
      column = indent;
    }
    printf("%.*s", (int)len, text);
    column += (int)len + 1;
    text += len;
    if (*text) {
      text++;
      if (column + (int)strcspn(text, " ") <= 104) putchar(' ');
    }
  }
}

static void print_text(const char *path, const check_report *r) {
  printf("%s", path);
  if (r->name)
    printf("  (%s %s, %s)", r->name, r->version ? r->version : "",
           r->licence && r->licence[0] ? r->licence : "no licence");
  puts("");
  if (r->needed.glibc || r->needed.glibcxx) print_system(r->needed);
  puts("");
  for (int i = 0; i < CHECK_HOST_COUNT; i++)
    if (r->only & (1u << i)) printf("  %-16s %s\n", check_host_name(i), verdict_of(r, i));
  for (int level = CHECK_ERROR; level >= CHECK_NOTE; level--)
    for (int i = 0; i < r->count; i++) {
      const check_finding *f = &r->findings[i];
      if ((int)f->level != level || !(f->hosts & r->only)) continue;
      printf("\n  %-8s  ", level_names[level]);
      check_print_wrapped(f->text, 12);
      print_hosts(f->hosts, r->only);
      puts("");
    }
  puts(is_fine(r) ? "\nNothing found against shipping it." : "");
}

// ---- JSON ----

static void json_distributions(json *j, const char *key, check_system needed) {
  char *text = NULL;
  size_t len = 0;
  FILE *stream = open_memstream(&text, &len);
  if (!stream) return;
  check_distributions(needed, true, stream);
  fclose(stream);
  json_open(j, key, '[');
  for (char *name = text, *next; name && *name; name = next) {
    next = strstr(name, ", ");
    if (next) {
      *next = '\0';
      next += 2;
    }
    json_string(j, NULL, name);
  }
  json_close(j, ']');
  free(text);
}

static void json_strings(json *j, const char *key, const check_elf *elf, int64_t tag) {
  dvt_str text;
  size_t cursor = 0;
  json_open(j, key, '[');
  while (check_elf_next_string(elf, tag, &cursor, &text)) json_string(j, NULL, text.data);
  json_close(j, ']');
}

static void print_json(const char *path, const check_elf *elf, const check_report *r) {
  json j = {.file = stdout};
  char version[32];
  json_open(&j, NULL, '{');
  json_string(&j, "plugin", path);
  json_bool(&j, "fine", is_fine(r));
  json_string(&j, "name", r->name);
  json_string(&j, "version", r->version);
  json_string(&j, "licence", r->licence);
  json_open(&j, "hosts", '{');
  for (int i = 0; i < CHECK_HOST_COUNT; i++)
    if (r->only & (1u << i)) json_string(&j, check_host_name(i), verdict_of(r, i));
  json_close(&j, '}');
  json_open(&j, "findings", '[');
  for (int i = 0; i < r->count; i++) {
    const check_finding *f = &r->findings[i];
    if (!(f->hosts & r->only)) continue;
    json_open(&j, NULL, '{');
    json_string(&j, "level", level_names[f->level]);
    json_string(&j, "code", f->code);
    json_string(&j, "text", f->text);
    json_open(&j, "hosts", '[');
    for (int k = 0; k < CHECK_HOST_COUNT; k++)
      if (f->hosts & r->only & (1u << k)) json_string(&j, NULL, check_host_name(k));
    json_close(&j, ']');
    json_close(&j, '}');
  }
  json_close(&j, ']');
  snprintf(version, sizeof version, "%d.%d", r->needed.glibc / 1000, r->needed.glibc % 1000);
  json_string(&j, "glibc", r->needed.glibc ? version : NULL);
  snprintf(version, sizeof version, "GLIBCXX_3.4.%d", r->needed.glibcxx);
  json_string(&j, "libstdcxx", r->needed.glibcxx ? version : NULL);
  json_distributions(&j, "distributions", r->needed);
  json_int(&j, "isa_level", elf->isa_level);
  json_int(&j, "static_initialisers", r->initialisers);
  json_bool(&j, "entry_point", r->has_entry_point);
  json_strings(&j, "needed", elf, DT_NEEDED);
  json_strings(&j, "runpath", elf, DT_RUNPATH);
  json_close(&j, '}');
}

// ---- the verb ----

static int check_file(const cli_options *options, const char *path, check_report *report) {
  size_t len = 0;
  TF_Status *status = TF_NewStatus();
  check_elf *elf = calloc(1, sizeof *elf);
  char *bytes = elf ? file_read(path, &len, status) : NULL;
  int exit_code = UNREADABLE;
  if (bytes && check_elf_parse(dvt_str_make(bytes, len), elf, status)) {
    check_rules(elf, report);
    if (options->json)
      print_json(path, elf, report);
    else
      print_text(path, report);
    exit_code = is_fine(report) ? FINE : FINDINGS;
  } else {
    cli_error(UNREADABLE, "%s cannot be checked: %s.", path, elf ? TF_Message(status) : "out of memory");
  }
  check_report_free(report);
  free(bytes);
  free(elf);
  TF_DeleteStatus(status);
  return exit_code;
}

static int run(const cli_options *options) {
  unsigned hosts;
  if (options->suite && options->positional_count > 0) return check_suite(options);
  if (options->positional_count != 1)
    return cli_error(UNREADABLE, "check wants one PLUGIN.so. See dovetail check --help.");
  if (!chosen_hosts(options, &hosts)) return UNREADABLE;
  check_report *report = calloc(1, sizeof *report);
  if (!report) return cli_error(UNREADABLE, "out of memory");
  report->only = hosts;
  int exit_code = check_file(options, options->positional[0], report);
  free(report);
  return exit_code;
}

const cli_verb cli_check = {
    "check",
    "PLUGIN.so [OP]...",
    "Tells where a plugin will load, or how its kernels stand the conformance suite",
    "jHSIp",
    "Without --suite, reads the file, runs nothing of it, and tells for Dovetail and each\n"
    "release of TensorFlow whether the plugin loads there, why not, and what else will trouble\n"
    "its users. With --suite, runs every kernel of the plugin (or those of the ops named) in a\n"
    "process of its own, on inputs that are made up or that the inputs file tells.\n"
    "Exit codes of check: 0 nothing found, 1 warnings or errors, 2 the file cannot be read.\n"
    "\n"
    "Examples:\n"
    "  dovetail check my_ops.so\n"
    "  dovetail check my_ops.so --host tensorflow-2.19 --host dovetail\n"
    "  dovetail check my_ops.so --json\n"
    "  dovetail check --suite my_ops.so\n"
    "  dovetail check --suite my_ops.so MyOp --inputs inputs.json\n",
    run};
