// What a plugin's file tells about where it loads: undefined symbols and what it exports are judged here, its
// sections and what it needs of the system in check_build.c.
#include <elf.h>
#include <stdarg.h>
#include <stdlib.h>

#include "check_rules.h"

void check_add(check_report *report, check_level level, const char *code, unsigned hosts, const char *format,
               ...) {
  if (report->count == CHECK_MAX_FINDINGS) return;
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  char *copy = strdup(text);
  if (copy) report->findings[report->count++] = (check_finding){level, code, copy, hosts};
}

void check_report_free(check_report *report) {
  for (int i = 0; i < report->count; i++) free(report->findings[i].text);
  report->count = 0;
}

// ---- lists of symbols that share a verdict ----

enum { MAX_SHOWN = 6, MAX_GROUPS = 32 };

typedef struct group {
  unsigned hosts;
  const char *library;
  int count;
  char shown[MAX_SHOWN][256];
} group;

static void remember(group *groups, unsigned hosts, const char *library, const char *name) {
  for (int i = 0; i < MAX_GROUPS; i++) {
    group *g = &groups[i];
    if (g->count && (g->hosts != hosts || g->library != library)) continue;
    for (int k = 0; k < g->count && k < MAX_SHOWN; k++)
      if (strcmp(g->shown[k], name) == 0) return;
    g->hosts = hosts;
    g->library = library;
    if (g->count < MAX_SHOWN) snprintf(g->shown[g->count], sizeof g->shown[0], "%s", name);
    g->count++;
    return;
  }
}

static const char *list_of(const group *g, char out[1024]) {
  size_t at = 0;
  out[0] = '\0';
  for (int i = 0; i < g->count && i < MAX_SHOWN && at < 1024; i++)
    at += (size_t)snprintf(out + at, 1024 - at, "%s%.150s", i ? ", " : "", g->shown[i]);
  if (g->count > MAX_SHOWN && at < 1024) snprintf(out + at, 1024 - at, " and %d more", g->count - MAX_SHOWN);
  return out;
}

static void plain_name(dvt_str name, char out[256]) {
  if (!check_demangle(name, out))
    snprintf(out, 256, DVT_STR_FMT, (int)DVT_MIN(name.len, (size_t)200), name.data);
}

// ---- undefined symbols ----

typedef struct undefined {
  group missing[MAX_GROUPS];  // of the C API, by the hosts that lack it
  group unknown[MAX_GROUPS];  // names like the C API's that no host has
  group leaked[MAX_GROUPS];   // C++ of TensorFlow and its kin
  group nowhere[MAX_GROUPS];  // that no needed library can define
  group python[MAX_GROUPS];
  group only_cc[MAX_GROUPS];
  int host_functions;
} undefined;

static bool begins(dvt_str name, const char *prefix) {
  return dvt_str_starts_with(name, dvt_str_from(prefix));
}

static bool is_c_api_name(dvt_str name) {
  static const char *const prefixes[] = {"TF_", "TFE_", "TSL_", "TP_", "SE_", "dvt_"};
  for (size_t i = 0; i < DVT_COUNT_OF(prefixes); i++)
    if (begins(name, prefixes[i])) return true;
  return false;
}

static bool is_sanitizer_name(dvt_str name) {
  static const char *const prefixes[] = {"__asan_",  "__tsan_",      "__msan_", "__hwasan_",
                                         "__ubsan_", "__sanitizer_", "__lsan_"};
  for (size_t i = 0; i < DVT_COUNT_OF(prefixes); i++)
    if (begins(name, prefixes[i])) return true;
  return false;
}

static void judge_undefined(undefined *u, const check_symbol *symbol, bool others_needed, bool needs_cc) {
  char name[256];
  plain_name(symbol->name, name);
  check_exports exports = check_exports_of(symbol->name);
  const char *library = check_cxx_library(symbol->name);
  if (exports.known) {
    u->host_functions++;
    if (exports.missing) remember(u->missing, exports.missing, NULL, name);
    if (exports.only_cc && !needs_cc) remember(u->only_cc, exports.only_cc, NULL, name);
  } else if (is_c_api_name(symbol->name)) {
    remember(u->unknown, CHECK_ALL, NULL, name);
  } else if (library && !(symbol->version.len && begins(symbol->version, "GLIBC"))) {
    remember(u->leaked, CHECK_ALL, library, name);
  } else if (begins(symbol->name, "Py") || begins(symbol->name, "_Py")) {
    remember(u->python, CHECK_ALL, NULL, name);
  } else if (!symbol->version.len && !others_needed && !is_sanitizer_name(symbol->name)) {
    remember(u->nowhere, CHECK_ALL, NULL, name);
  }
}

static void report_undefined(const undefined *u, check_report *r) {
  char list[1024];
  for (int i = 0; i < MAX_GROUPS && u->missing[i].count; i++)
    check_add(r, CHECK_ERROR, "undefined-symbols", u->missing[i].hosts,
              "needs %s, which these hosts do not export. Link the plugin with the SDK, which asks the host "
              "for each "
              "function and goes on without those that are missing, or use others",
              list_of(&u->missing[i], list));
  for (int i = 0; i < MAX_GROUPS && u->unknown[i].count; i++)
    check_add(r, CHECK_ERROR, "unknown-symbols", CHECK_ALL, "needs %s, which no host known here exports",
              list_of(&u->unknown[i], list));
  for (int i = 0; i < MAX_GROUPS && u->leaked[i].count; i++) {
    const group *g = &u->leaked[i];
    bool own = strcmp(g->library, "TensorFlow") == 0;
    check_add(
        r, CHECK_ERROR, "cxx-symbols", CHECK_ALL,
        "needs C++ symbols of %s: %s. They change with every release and compiler: at best the file loads in "
        "the "
        "release that it was built with, never in another or in Dovetail. %s",
        g->library, list_of(g, list),
        own ? "Compile the sources against Dovetail's headers, which give the same classes without symbols"
            : "Link that library into the plugin, hidden");
    r->unsure |= CHECK_STOCK;
  }
  for (int i = 0; i < MAX_GROUPS && u->nowhere[i].count; i++)
    check_add(r, CHECK_ERROR, "undefined-symbols", CHECK_ALL,
              "needs %s, which neither a host nor a library that it needs defines. Add the missing source or "
              "library to "
              "the link; -Wl,-z,defs would have told when linking with the SDK",
              list_of(&u->nowhere[i], list));
  for (int i = 0; i < MAX_GROUPS && u->python[i].count; i++)
    check_add(r, CHECK_WARNING, "python", CHECK_ALL, "calls Python (%s): it loads only in Python processes",
              list_of(&u->python[i], list));
  for (int i = 0; i < MAX_GROUPS && u->only_cc[i].count; i++)
    check_add(r, CHECK_NOTE, "needs-cc", u->only_cc[i].hosts,
              "%s: in libtensorflow_cc.so.2 only, which the plugin does not name. Python has it open; "
              "programs must be "
              "linked to it. Link the plugin with the SDK, or to that library too",
              list_of(&u->only_cc[i], list));
}

static void check_undefined(const check_elf *elf, check_report *r) {
  undefined *u = calloc(1, sizeof *u);
  check_symbol symbol;
  size_t cursor = 0;
  if (!u) return;
  bool others = check_needs_other_library(elf), cc = check_needs_library(elf, "libtensorflow_cc.so.2");
  while (check_elf_next_symbol(elf, &cursor, &symbol))
    if (!symbol.defined && !symbol.weak) judge_undefined(u, &symbol, others, cc);
  report_undefined(u, r);
  bool names_host = cc || check_needs_library(elf, "libtensorflow_framework.so.2") ||
                    check_needs_library(elf, "libtensorflow.so.2") ||
                    check_needs_library(elf, "libdovetail.so.0");
  if (u->host_functions && !names_host)
    check_add(
        r, CHECK_NOTE, "no-host-library", CHECK_STOCK,
        "needs %d functions of its host and names no library that has them: it loads where TensorFlow's "
        "symbols "
        "are global (programs linked to it), and not where the host opened its library for itself. Link the "
        "plugin with the SDK, or to libtensorflow_framework.so.2",
        u->host_functions);
  free(u);
}

// ---- exported symbols ----

static bool is_entry_point(dvt_str name) {
  static const char *const names[] = {"TF_InitKernel", "InitPlugin",      "SE_InitPlugin",    "TF_InitGraph",
                                      "TF_InitPlugin", "TF_InitProfiler", "TF_InitFilesystem"};
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++)
    if (dvt_str_is(name, names[i])) return true;
  return false;
}

// Templates of the C++ library are in many files, the same in each.
static bool is_of_std(dvt_str name) {
  static const char *const prefixes[] = {"_ZSt",   "_ZNSt",  "_ZNKSt",  "_ZZNSt",  "_ZZNKSt", "_ZTVSt",
                                         "_ZTISt", "_ZTSSt", "_ZTVNSt", "_ZTINSt", "_ZTSNSt"};
  for (size_t i = 0; i < DVT_COUNT_OF(prefixes); i++)
    if (begins(name, prefixes[i])) return true;
  return false;
}

static void check_exported(const check_elf *elf, check_report *r) {
  group clash[MAX_GROUPS] = {0}, taken[MAX_GROUPS] = {0}, unique[1] = {0}, others[1] = {0};
  check_symbol symbol;
  size_t cursor = 0;
  char name[256], list[1024];
  while (check_elf_next_symbol(elf, &cursor, &symbol)) {
    if (!symbol.defined || symbol.hidden) continue;
    const char *library = check_cxx_library(symbol.name);
    plain_name(symbol.name, name);
    if (is_entry_point(symbol.name))
      r->has_entry_point = true;
    else if (dvt_str_is(symbol.name, "dvt_plugin_record"))
      continue;
    else if (check_exports_of(symbol.name).known)
      remember(taken, CHECK_ALL, NULL, name);
    else if (library)
      remember(clash, CHECK_ALL, library, name);
    else if (!begins(symbol.name, "_") || (begins(symbol.name, "_Z") && !is_of_std(symbol.name)))
      remember(others, CHECK_ALL, NULL, name);
    if (symbol.unique) remember(unique, CHECK_ALL, NULL, name);
  }
  for (int i = 0; i < MAX_GROUPS && taken[i].count; i++)
    check_add(r, CHECK_ERROR, "exports-host-functions", CHECK_ALL,
              "defines functions of the host itself: %s. The process may use these for its own. Do not link "
              "a host's "
              "library into the plugin; -fvisibility=hidden hides the rest",
              list_of(&taken[i], list));
  for (int i = 0; i < MAX_GROUPS && clash[i].count; i++)
    check_add(r, CHECK_WARNING, "exports-cxx", CHECK_ALL,
              "exports C++ symbols of %s: %s. A host that has the same names may use these, or give the "
              "plugin its own "
              "of another version. Compile with -fvisibility=hidden -fvisibility-inlines-hidden, link "
              "archives with "
              "-Wl,--exclude-libs,ALL",
              clash[i].library, list_of(&clash[i], list));
  if (unique->count)
    check_add(
        r, CHECK_NOTE, "unique-symbols", CHECK_ALL,
        "%s: one in the whole process (STB_GNU_UNIQUE), so the file stays loaded for good. Compile with "
        "-fvisibility=hidden or -fno-gnu-unique",
        list_of(unique, list));
  if (others->count)
    check_add(r, CHECK_NOTE, "exports", CHECK_ALL,
              "exports names of its own that no host asks for: %s. -fvisibility=hidden keeps them from "
              "meeting those "
              "of others",
              list_of(others, list));
}

// ---- entry points ----

// An entry point that the file has and the loader does not see.
static bool find_hidden_entry(const check_elf *elf, char out[64]) {
  check_symbol symbol;
  size_t cursor = 0;
  while (check_elf_next_file_symbol(elf, &cursor, &symbol)) {
    bool mangled =
        dvt_str_is(symbol.name, "_Z13TF_InitKernelv") || dvt_str_is(symbol.name, "_Z10InitPluginv");
    if (!symbol.defined || !(mangled || is_entry_point(symbol.name))) continue;
    snprintf(out, 64, DVT_STR_FMT, DVT_STR_ARG(symbol.name));
    return true;
  }
  return false;
}

static bool has_device_entry(const check_elf *elf) {
  check_symbol symbol;
  size_t cursor = 0;
  while (check_elf_next_symbol(elf, &cursor, &symbol))
    if (symbol.defined && !symbol.hidden && dvt_str_is(symbol.name, "SE_InitPlugin")) return true;
  return false;
}

static void check_entry(const check_elf *elf, check_report *r) {
  char name[64];
  if (r->has_entry_point) {
    if (has_device_entry(elf))
      check_add(r, CHECK_ERROR, "device-plugin", CHECK_DOVETAIL,
                "brings a device (SE_InitPlugin), which this version of Dovetail does not take");
    else if (r->initialisers == 0)
      check_add(r, CHECK_WARNING, "entry-point-alone", CHECK_STOCK,
                "registers in an entry point only. TF_LoadLibrary and tf.load_op_library call none: they "
                "open the file and "
                "its ops are not there, without an error; only TF_LoadPluggableDeviceLibrary calls it. "
                "DVT_PLUGIN of "
                "dovetail/sdk.h, or a constructor, registers in every host");
    return;
  }
  if (find_hidden_entry(elf, name))
    check_add(r, CHECK_ERROR, "hidden-entry-point", CHECK_ALL,
              "has %s, but hidden or under a C++ name: no host finds it. Give it extern \"C\" and "
              "__attribute__((visibility(\"default\"))); look also at the linker's version script",
              name);
  else if (r->initialisers == 0)
    check_add(
        r, CHECK_ERROR, "no-entry-point", CHECK_ALL,
        "registers nothing: it has neither TF_InitKernel nor code that runs when it is loaded. DVT_PLUGIN of "
        "dovetail/sdk.h gives it both");
}

void check_rules(const check_elf *elf, check_report *r) {
  check_build(elf, r);
  check_undefined(elf, r);
  check_exported(elf, r);
  check_entry(elf, r);
  check_sdk(elf, r);
}
