// How a plugin's file was built: what its loader, its system and its CPU must have.
#include <elf.h>
#include <stdlib.h>

#include "check_rules.h"

// ---- libraries ----

// Those whose every symbol has a version, with what is told of them; others' names end the list.
static bool is_system_library(dvt_str soname) {
  static const char *const names[] = {
      "libc.so.6",    "libm.so.6",     "libdl.so.2",           "libpthread.so.0",
      "librt.so.1",   "libgcc_s.so.1", "libstdc++.so.6",       "ld-linux-x86-64.so.2",
      "libmvec.so.1", "libgomp.so.1",  "ld-linux-aarch64.so.1"};
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++)
    if (dvt_str_is(soname, names[i])) return true;
  return false;
}

static bool begins(dvt_str text, const char *prefix) {
  return dvt_str_starts_with(text, dvt_str_from(prefix));
}

static bool is_host_library(dvt_str soname) {
  return begins(soname, "libtensorflow") || begins(soname, "libdovetail") ||
         begins(soname, "_pywrap_tensorflow");
}

bool check_needs_library(const check_elf *elf, const char *wanted) {
  dvt_str soname;
  size_t cursor = 0;
  while (check_elf_next_string(elf, DT_NEEDED, &cursor, &soname))
    if (dvt_str_is(soname, wanted)) return true;
  return false;
}

bool check_needs_other_library(const check_elf *elf) {
  dvt_str soname;
  size_t cursor = 0;
  while (check_elf_next_string(elf, DT_NEEDED, &cursor, &soname))
    if (!is_system_library(soname) && !is_host_library(soname)) return true;
  return false;
}

static bool judge_host_library(dvt_str name, check_report *r) {
  if (dvt_str_is(name, "libtensorflow_framework.so.2") || dvt_str_is(name, "libtensorflow_cc.so.2"))
    return true;
  if (begins(name, "libdovetail"))
    check_add(
        r, CHECK_ERROR, "needs-dovetail", CHECK_STOCK,
        "is linked to " DVT_STR_FMT
        ", which is not there with TensorFlow, and where it is, would be a second "
        "runtime in the process. Link the plugin with the SDK (dovetail_add_plugin) or to no host at all",
        DVT_STR_ARG(name));
  else if (begins(name, "libtensorflow.so.2") || begins(name, "_pywrap_tensorflow"))
    check_add(r, CHECK_WARNING, "host-library", CHECK_STOCK,
              "is linked to " DVT_STR_FMT
              ", which not every installation of TensorFlow has. Link the plugin with the "
              "SDK, or to libtensorflow_framework.so.2",
              DVT_STR_ARG(name));
  else if (begins(name, "libtensorflow"))
    check_add(r, CHECK_ERROR, "host-library", CHECK_ALL,
              "is linked to " DVT_STR_FMT ", which no release from 2.15 on has", DVT_STR_ARG(name));
  else
    return false;
  return true;
}

static void check_libraries(const check_elf *elf, check_report *r) {
  dvt_str name;
  size_t cursor = 0;
  while (check_elf_next_string(elf, DT_NEEDED, &cursor, &name)) {
    if (is_system_library(name) || judge_host_library(name, r)) continue;
    if (begins(name, "libasan") || begins(name, "libtsan") || begins(name, "libhwasan")) continue;
    if (begins(name, "libubsan"))
      check_add(
          r, CHECK_WARNING, "sanitizer", CHECK_ALL,
          "was built with UndefinedBehaviorSanitizer: it needs the compiler's runtime for that (" DVT_STR_FMT
          "). Build what you ship without -fsanitize=undefined",
          DVT_STR_ARG(name));
    else if (dvt_str_is(name, "libc.so") || begins(name, "libc.musl"))
      check_add(r, CHECK_ERROR, "musl", CHECK_ALL, "was built for musl (" DVT_STR_FMT "): hosts use glibc",
                DVT_STR_ARG(name));
    else if (dvt_str_find(name, '/') < name.len)
      check_add(r, CHECK_ERROR, "absolute-library", CHECK_ALL,
                "needs " DVT_STR_FMT
                " by its path, which other machines do not have. Give that library a soname",
                DVT_STR_ARG(name));
    else
      check_add(r, CHECK_NOTE, "needs-library", CHECK_ALL,
                "needs " DVT_STR_FMT
                ", which hosts do not bring: ship it beside the plugin (RUNPATH $ORIGIN), link it "
                "statically, or tell users to install it",
                DVT_STR_ARG(name));
  }
}

static void check_paths(const check_elf *elf, check_report *r) {
  static const struct {
    int64_t tag;
    const char *name;
  } tags[] = {{DT_RPATH, "RPATH"}, {DT_RUNPATH, "RUNPATH"}};
  dvt_str path;
  for (size_t i = 0; i < DVT_COUNT_OF(tags); i++) {
    size_t cursor = 0;
    while (check_elf_next_string(elf, tags[i].tag, &cursor, &path)) {
      bool local = true;
      for (size_t at = 0; at < path.len;) {
        dvt_str part = dvt_str_drop(path, at);
        part.len = dvt_str_find(part, ':');
        if (!begins(part, "$ORIGIN") && !begins(part, "${ORIGIN}")) local = false;
        at += part.len + 1;
      }
      check_add(r, local ? CHECK_NOTE : CHECK_WARNING, "rpath", CHECK_ALL,
                local ? "looks for libraries in its %s " DVT_STR_FMT ", beside itself"
                      : "looks for libraries in its %s " DVT_STR_FMT
                        ": folders of the machine that built it. Whoever "
                        "can write there has code in the process. Link without -rpath, with CMake: "
                        "BUILD_WITH_INSTALL_RPATH",
                tags[i].name, DVT_STR_ARG(path));
    }
  }
}

// ---- the system ----

// "2.34" after the prefix as 2034; 0 when it is not like that.
static int version_after(dvt_str version, const char *prefix, bool with_major) {
  if (!begins(version, prefix)) return 0;
  char text[32];
  dvt_str rest = dvt_str_drop(version, strlen(prefix));
  snprintf(text, sizeof text, DVT_STR_FMT, (int)DVT_MIN(rest.len, sizeof text - 1), rest.data);
  char *end;
  long major = strtol(text, &end, 10), minor = *end == '.' ? strtol(end + 1, &end, 10) : 0;
  if (major < 0 || major > 99 || minor < 0 || minor > 999) return 0;
  return (int)(with_major ? major * 1000 + minor : major);
}

static void check_system_versions(const check_elf *elf, check_report *r) {
  for (int i = 0; i < elf->need_count; i++) {
    dvt_str version = elf->needs[i].version;
    r->needed.glibc = DVT_MAX(r->needed.glibc, version_after(version, "GLIBC_", true));
    r->needed.glibcxx = DVT_MAX(r->needed.glibcxx, version_after(version, "GLIBCXX_3.4.", false));
    if (dvt_str_is(version, "GLIBC_ABI_DT_RELR")) r->needed.glibc = DVT_MAX(r->needed.glibc, 2036);
    if (dvt_str_is(version, "GLIBC_PRIVATE"))
      check_add(r, CHECK_WARNING, "glibc-private", CHECK_ALL,
                "uses a part of glibc that is private to it: another version may lack it");
  }
}

static void check_cpu(const check_elf *elf, check_report *r) {
  static const char *const cpus[] = {"", "", "SSE4.2: all CPUs since about 2009",
                                     "AVX2: Intel since 2013, AMD since 2015", "AVX-512: few CPUs of users"};
  int level = elf->isa_level;
  if (level < 2 || level > 4) return;
  check_add(
      r, level == 2 ? CHECK_NOTE : CHECK_WARNING, "isa-level", CHECK_ALL,
      "needs CPUs of level x86-64-v%d (%s). On others Dovetail refuses it, stock TensorFlow is ended by its "
      "first "
      "such instruction. Build with -march=x86-64 or -march=x86-64-v2, and choose faster code at run time",
      level, cpus[level]);
}

static void check_sanitizers(const check_elf *elf, check_report *r) {
  static const struct {
    const char *symbol, *name, *option;
  } sanitizers[] = {{"__asan_init", "AddressSanitizer", "address"},
                    {"__tsan_init", "ThreadSanitizer", "thread"},
                    {"__msan_init", "MemorySanitizer", "memory"},
                    {"__hwasan_init", "HWAddressSanitizer", "hwaddress"}};
  const char *told = "";
  check_symbol symbol;
  size_t cursor = 0;
  while (check_elf_next_symbol(elf, &cursor, &symbol))
    for (size_t i = 0; i < DVT_COUNT_OF(sanitizers); i++) {
      if (symbol.defined || !dvt_str_is(symbol.name, sanitizers[i].symbol) ||
          strcmp(told, sanitizers[i].name) == 0)
        continue;
      told = sanitizers[i].name;
      check_add(
          r, CHECK_ERROR, "sanitizer", CHECK_ALL,
          "was built with %s: it loads only in a process that has its runtime. Build what you ship without "
          "-fsanitize=%s",
          told, sanitizers[i].option);
    }
}

// ---- code ----

static void check_initialisers(const check_elf *elf, check_report *r) {
  uint64_t bytes = 0;
  if (!check_elf_value(elf, DT_INIT_ARRAYSZ, &bytes) || bytes / sizeof(uint64_t) < 2) return;
  // The first one is the compiler's own (frame_dummy of its start-up file).
  r->initialisers = (int)DVT_MIN(bytes / sizeof(uint64_t) - 1, (uint64_t)INT32_MAX);
  check_add(r, CHECK_NOTE, "static-initialisers", CHECK_ALL,
            "%d function%s run%s when it is loaded, before any host can catch an error or an exception. That "
            "is how "
            "REGISTER_OP and DVT_PLUGIN register; more than that belongs into create functions",
            r->initialisers, r->initialisers == 1 ? "" : "s", r->initialisers == 1 ? "s" : "");
}

static void check_code(const check_elf *elf, check_report *r) {
  uint64_t value, flags = 0, flags_1 = 0;
  if (!elf->stack_is_told || elf->executable_stack)
    check_add(r, CHECK_WARNING, "executable-stack", CHECK_ALL,
              "%s. The loader then makes all stacks of the process executable; glibc 2.41 and hardened "
              "systems refuse "
              "the file. Assembly sources want .section .note.GNU-stack,\"\",@progbits; -Wl,-z,noexecstack "
              "for the rest",
              elf->stack_is_told ? "asks for an executable stack"
                                 : "does not say that its stack need not be executable");
  check_elf_value(elf, DT_FLAGS, &flags);
  check_elf_value(elf, DT_FLAGS_1, &flags_1);
  if ((flags & DF_TEXTREL) || check_elf_value(elf, DT_TEXTREL, &value))
    check_add(
        r, CHECK_WARNING, "text-relocations", CHECK_ALL,
        "has relocations in its code: the code is copied and made writable, which hardened systems refuse. "
        "Compile everything with -fPIC");
  if (elf->writable_code)
    check_add(r, CHECK_WARNING, "writable-code", CHECK_ALL,
              "has a segment that is both writable and executable, which hardened systems refuse");
  if (flags & DF_STATIC_TLS)
    check_add(
        r, CHECK_NOTE, "static-tls", CHECK_ALL,
        "has thread-local variables of the static kind, of which a process has little room: loading may fail "
        "late in a big program. Compile without -ftls-model=initial-exec");
  if (flags_1 & DF_1_NODELETE)
    check_add(r, CHECK_NOTE, "nodelete", CHECK_ALL, "was linked with -z nodelete: it stays loaded for good");
}

void check_build(const check_elf *elf, check_report *r) {
  check_libraries(elf, r);
  check_paths(elf, r);
  check_system_versions(elf, r);
  check_cpu(elf, r);
  check_sanitizers(elf, r);
  check_initialisers(elf, r);
  check_code(elf, r);
}
