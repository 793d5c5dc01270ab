// Finds the host that loads this plugin and fills the records of binding.h, in a constructor that runs before
// all others of the plugin. Three hosts can be in one process, each opened globally or privately: Dovetail
// says whether it is loading a plugin on this thread; stock TensorFlow is found under its library names,
// which works for privately opened libraries, too; a host without those names (linked statically) is found in
// the global scope. What only Dovetail has is not looked up in stock, where looking in vain takes ten times
// as long as finding.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "binding.h"
#include "dovetail/sdk.h"

// The linker makes these four, because sections of these names exist: the two records below see to that.
#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN dvt_binding __start_dvt_bindings[], __stop_dvt_bindings[];
extern HIDDEN dvt_binding __start_dvt_own_bindings[], __stop_dvt_own_bindings[];

__attribute__((section("dvt_bindings"), used)) static dvt_binding stock_version = {"TF_Version", NULL, NULL,
                                                                                   NULL};
__attribute__((section("dvt_own_bindings"), used)) static dvt_binding own_version = {"dvt_version", NULL,
                                                                                     NULL, NULL};

static dvt_host host;
static bool is_bound;

typedef union function {
  void *symbol;
  bool (*is_loading)(void);
  const char *(*version)(void);
} function;

static void add_library(void *handle) {
  if (handle && host.library_count < (int)(sizeof host.libraries / sizeof host.libraries[0]))
    host.libraries[host.library_count++] = handle;
}

// The library that defines `symbol`. The program itself has no name.
static void *library_of(void *symbol) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1(symbol, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return NULL;
  return map->l_name[0] ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : dlopen(NULL, RTLD_LAZY);
}

static bool try_loading_dovetail(void *scope) {
  function f = {.symbol = dlsym(scope, "dvt_host_is_loading")};
  if (!f.symbol || !f.is_loading()) return false;
  add_library(library_of(f.symbol));
  if (host.library_count) host.kind = DVT_HOST_DOVETAIL;
  host.is_loading = host.library_count > 0;
  return host.library_count > 0;
}

// Hosts by their file names, as they lie in the list of loaded libraries. (dlopen of a bare name would search
// folders.)
typedef enum candidate { DOVETAIL, FRAMEWORK, CC, WHOLE, CANDIDATE_COUNT } candidate;

static int find_candidates(struct dl_phdr_info *info, size_t bytes, void *arg) {
  static const char *const names[CANDIDATE_COUNT] = {"libdovetail.so", "libtensorflow_framework.so",
                                                     "libtensorflow_cc.so", "libtensorflow.so"};
  const char **paths = arg;
  const char *slash = strrchr(info->dlpi_name, '/'), *file = slash ? slash + 1 : info->dlpi_name;
  (void)bytes;
  if (strncmp(file, "lib", 3) != 0) return 0;
  for (int i = 0; i < CANDIDATE_COUNT; i++)
    if (!paths[i] && strncmp(file, names[i], strlen(names[i])) == 0) paths[i] = info->dlpi_name;
  return 0;
}

static void add_path(const char *path) {
  void *handle = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!handle) return;
  add_library(handle);
  // A library under one of stock's names may be Dovetail.
  if (host.kind == DVT_HOST_NONE)
    host.kind = dlsym(handle, "dvt_version") ? DVT_HOST_DOVETAIL : DVT_HOST_TENSORFLOW;
}

static void find_host(void) {
  if (try_loading_dovetail(RTLD_DEFAULT)) return;
  const char *paths[CANDIDATE_COUNT] = {NULL};
  dl_iterate_phdr(find_candidates, paths);
  void *dovetail = paths[DOVETAIL] ? dlopen(paths[DOVETAIL], RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (dovetail && try_loading_dovetail(dovetail)) return;
  for (int i = FRAMEWORK; i < CANDIDATE_COUNT; i++) add_path(paths[i]);
  if (host.kind == DVT_HOST_NONE) add_path(paths[DOVETAIL]);
  if (host.kind != DVT_HOST_NONE || !dlsym(RTLD_DEFAULT, "TF_NewKernelBuilder")) return;
  add_library(dlopen(NULL, RTLD_LAZY));
  host.kind = dlsym(RTLD_DEFAULT, "dvt_version") ? DVT_HOST_DOVETAIL : DVT_HOST_TENSORFLOW;
}

void *dvt_binding_find(const char *name) {
  for (int i = 0; i < host.library_count; i++) {
    void *symbol = dlsym(host.libraries[i], name);
    if (symbol) return symbol;
  }
  return NULL;
}

static bool has_polyfill(const dvt_binding *begin, const dvt_binding *end, const char *name) {
  for (const dvt_binding *binding = begin; binding < end; binding++)
    if (binding->polyfill && strcmp(binding->name, name) == 0) return true;
  return false;
}

bool dvt_binding_has(const char *name) {
  return dvt_binding_find(name) || has_polyfill(__start_dvt_bindings, __stop_dvt_bindings, name) ||
         has_polyfill(__start_dvt_own_bindings, __stop_dvt_own_bindings, name);
}

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void fill(dvt_binding *begin, const dvt_binding *end, bool may_be_there) {
  for (dvt_binding *binding = begin; binding < end; binding++) {
    void *symbol = may_be_there ? dvt_binding_find(binding->name) : NULL;
    binding->address = symbol ? symbol : binding->polyfill ? binding->polyfill : binding->missing;
  }
}

// Constructors of one library run one after another on the thread that loads it, so this needs no lock.
__attribute__((constructor(101))) static void bind_host(void) {
  if (is_bound) return;
  is_bound = true;
  int64_t begin = now_ns();
  find_host();
  fill(__start_dvt_bindings, __stop_dvt_bindings, true);
  fill(__start_dvt_own_bindings, __stop_dvt_own_bindings, host.kind == DVT_HOST_DOVETAIL);
  dlerror();  // what was looked for in vain is nobody's error
  host.bind_ns = now_ns() - begin;
  if (host.kind != DVT_HOST_NONE) return;
  Dl_info info;
  fprintf(
      stderr,
      "%s: there is neither Dovetail nor TensorFlow in this process; the plugin does nothing. Load it with "
      "TF_LoadLibrary, tf.load_op_library or dvt_load_plugin\n",
      dladdr(&host, &info) && info.dli_fname ? info.dli_fname : "plugin");
}

const dvt_host *dvt_binding_host(void) {
  bind_host();
  return &host;
}

const char *dvt_host_name(void) {
  static const char *const names[] = {"", "Dovetail", "TensorFlow"};
  return names[dvt_binding_host()->kind];
}

const char *dvt_host_version(void) {
  function f = {.symbol = dvt_binding_host()->kind == DVT_HOST_DOVETAIL ? own_version.address
                                                                        : stock_version.address};
  return f.symbol ? f.version() : "";
}

bool dvt_host_supports(const char *feature) {
  static const struct {
    const char *name, *function;
    bool is_brought;
  } features[] = {
#define FEATURE(name, function, is_brought) {name, function, is_brought},
      DVT_FEATURES(FEATURE)
#undef FEATURE
  };
  if (!feature || dvt_binding_host()->kind == DVT_HOST_NONE) return false;
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
    if (strcmp(features[i].name, feature) == 0)
      return features[i].is_brought || dvt_binding_find(features[i].function);
  return (strncmp(feature, "TF_", 3) == 0 || strncmp(feature, "dvt_", 4) == 0) && dvt_binding_has(feature);
}

int64_t dvt_host_bind_ns(void) { return dvt_binding_host()->bind_ns; }
