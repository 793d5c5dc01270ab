// Binding a plugin's references to this library. Three kinds of plugin exist: without DT_NEEDED (symbols must
// be in the process' global scope), linked to libtensorflow_framework.so.2, and linked to
// libtensorflow_cc.so.2 or libtensorflow.so.2 too. The compat directory beside this library holds those names
// as links to it; this library's RUNPATH leads there, so that opening such a name from here makes the loader
// know it as a name of this library, for the plugin too.
#include "plugin/binding.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#include "base/buf.h"
#include "tensorflow/c/tf_status.h"

// Any function of the C ABI does: the address tells which library defines it.
static const void *own_function(void) {
  TF_Status *(*function)(void) = TF_NewStatus;
  void *address;
  memcpy(&address, &function, sizeof address);
  return address;
}

static void make_global(void) {
  char path[PATH_MAX];
  // Fails for a program that contains the library; its symbols are global or were left out of its dynamic
  // table.
  if (dvt_library_path_of(own_function(), path, sizeof path) &&
      !dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL))
    dlerror();
}

static bool is_stock_name(dvt_str soname) {
  static const char *const names[] = {"libtensorflow_framework.so.2", "libtensorflow_cc.so.2",
                                      "libtensorflow.so.2"};
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++)
    if (dvt_str_is(soname, names[i])) return true;
  return false;
}

static dvt_status foreign(const char *path, const char *soname, const void *address) {
  char other[PATH_MAX];
  if (!dvt_library_path_of(address, other, sizeof other)) strcpy(other, "elsewhere");
  return dvt_error(
      TF_FAILED_PRECONDITION,
      "plugin %s needs %s, which in this process is another library: %s. Its kernels would register there. "
      "Put Dovetail's lib/compat before other TensorFlow libraries on LD_LIBRARY_PATH, or load the plugin "
      "in a process without them",
      path, soname, other);
}

static dvt_status provide(const char *path, const char *soname) {
  void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    dlerror();
    return NULL;  // loading the plugin will fail with the loader's reason
  }
  // The handle stays open: the plugin needs it as long as it is loaded. Global definitions come before the
  // plugin's own dependencies.
  const void *own = own_function(), *global = dlsym(RTLD_DEFAULT, "TF_NewStatus");
  const void *found = global ? global : dlsym(handle, "TF_NewStatus");
  return found && found != own ? foreign(path, soname, found) : NULL;
}

// The runtime of a sanitizer must be in the process from its start: one that comes with a plugin ends the
// process, or misses what was allocated before.
static dvt_status check_sanitizers(const char *path, const dvt_elf *elf) {
  static const struct {
    const char *symbol, *name, *option;
  } sanitizers[] = {{"__asan_init", "AddressSanitizer", "address"},
                    {"__hwasan_init", "HWAddressSanitizer", "hwaddress"},
                    {"__tsan_init", "ThreadSanitizer", "thread"},
                    {"__msan_init", "MemorySanitizer", "memory"}};
  size_t cursor = 0;
  dvt_str symbol;
  while (dvt_elf_next_undefined(elf, &cursor, &symbol))
    for (size_t i = 0; i < DVT_COUNT_OF(sanitizers); i++)
      if (dvt_str_is(symbol, sanitizers[i].symbol) && !dlsym(RTLD_DEFAULT, sanitizers[i].symbol))
        return dvt_error(
            TF_FAILED_PRECONDITION,
            "plugin %s was built with %s (it needs %s), which this process runs without. Build the "
            "plugin without -fsanitize=%s, or start the process with the sanitizer's runtime "
            "(LD_PRELOAD, or a program built with the same option)",
            path, sanitizers[i].name, sanitizers[i].symbol, sanitizers[i].option);
  return NULL;
}

dvt_status dvt_binding_prepare(const char *path, const dvt_elf *elf) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_global);
  DVT_RETURN_IF_ERROR(dvt_elf_check_isa(path, elf, dvt_elf_isa_of_cpu()));
  DVT_RETURN_IF_ERROR(check_sanitizers(path, elf));
  size_t cursor = 0;
  dvt_str soname;
  while (dvt_elf_next_needed(elf, &cursor, &soname))
    if (is_stock_name(soname)) DVT_RETURN_IF_ERROR(provide(path, soname.data));
  return NULL;
}

// Names of the C ABI and of TensorFlow's C++ namespaces; other symbols come from libraries we know nothing
// about.
static bool is_c_api(dvt_str name) {
  return dvt_str_starts_with(name, DVT_STR("TF_")) || dvt_str_starts_with(name, DVT_STR("TFE_")) ||
         dvt_str_starts_with(name, DVT_STR("TSL_")) || dvt_str_starts_with(name, DVT_STR("dvt_"));
}

static bool is_cpp(dvt_str name) {
  return dvt_str_starts_with(name, DVT_STR("_Z")) && memmem(name.data, name.len, "10tensorflow", 12) != NULL;
}

// Lists up to eight missing functions and returns how many there are.
static int list_missing(const dvt_elf *elf, bool (*is_kind)(dvt_str), dvt_buf *out) {
  size_t cursor = 0;
  dvt_str name;
  int count = 0;
  while (dvt_elf_next_undefined(elf, &cursor, &name)) {
    if (!is_kind(name) || dlsym(RTLD_DEFAULT, name.data)) continue;
    if (count++ < 8) dvt_buf_printf(out, "%s" DVT_STR_FMT, count > 1 ? ", " : "", DVT_STR_ARG(name));
  }
  if (count > 8) dvt_buf_printf(out, " and %d more", count - 8);
  dlerror();
  return count;
}

dvt_status dvt_binding_explain(const char *path, const dvt_elf *elf, const char *loader_text) {
  dvt_buf missing = {0};
  // The loader's text is gone after the next call into it, so the message takes a copy first.
  size_t path_len = strlen(path);
  bool names_itself =
      loader_text && strncmp(loader_text, path, path_len) == 0 && loader_text[path_len] == ':';
  dvt_status status = dvt_error(TF_NOT_FOUND, "plugin %s could not be loaded: %s", path,
                                loader_text ? loader_text : "unknown reason");
  if (list_missing(elf, is_c_api, &missing) > 0) {
    status = dvt_status_annotate(status,
                                 ". Functions that this Dovetail does not have: " DVT_STR_FMT
                                 ". Use a newer Dovetail, or build the plugin without them",
                                 DVT_STR_ARG(dvt_buf_str(&missing)));
  } else if (list_missing(elf, is_cpp, &missing) > 0) {
    status = dvt_status_annotate(status,
                                 ". It uses TensorFlow's C++ symbols: " DVT_STR_FMT
                                 ". Compile its sources against Dovetail's headers",
                                 DVT_STR_ARG(dvt_buf_str(&missing)));
  } else if (strstr(dvt_status_message(status), "undefined symbol")) {
    status = dvt_status_annotate(status, ". Link the plugin to the library that defines the symbol");
  } else if (strstr(dvt_status_message(status), "position-independent executable")) {
    status = dvt_status_annotate(status, ". It is a program; build a plugin with -shared -fPIC");
  } else if (strstr(dvt_status_message(status), "cannot open shared object file")) {
    status = dvt_status_annotate(
        status, "%s",
        names_itself
            ? ". It is neither in the current folder nor where the loader searches: give the plugin's path"
            : ". Install the library it needs or add its directory to LD_LIBRARY_PATH; for libtensorflow "
              "names "
              "that is Dovetail's lib/compat");
  }
  dvt_buf_deinit(&missing);
  return status;
}
