// Loading plugins: probe the file, make sure that its references to the C ABI bind to this library, dlopen,
// call the entry points, and keep all of it or nothing. elf.c does the probing, binding.c the second,
// autoload.c finds the standard plugins, unload.c takes them back.
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/catch.h"
#include "base/debug.h"
#include "base/log.h"
#include "plugin/binding.h"
#include "plugin/elf.h"
#include "plugin/plugin.h"
#include "plugin/record.h"
#include "plugin/unload.h"

static pthread_once_t mutex_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex;  // recursive
static _Atomic(dvt_plugin *) first;
static dvt_plugin *loading;  // innermost first, linked by `next`; under the mutex

static void init_mutex(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attr);
  pthread_mutexattr_destroy(&attr);
}

void dvt_plugin_lock(void) {
  pthread_once(&mutex_once, init_mutex);
  pthread_mutex_lock(&mutex);
}

bool dvt_plugin_try_lock(void) {
  pthread_once(&mutex_once, init_mutex);
  return pthread_mutex_trylock(&mutex) == 0;
}

void dvt_plugin_unlock(void) { pthread_mutex_unlock(&mutex); }

const dvt_plugin *dvt_plugin_first(void) { return first; }

void dvt_plugin_note_error(dvt_status status) {
  dvt_load *load = dvt_load_current();
  dvt_plugin *plugin = load ? load->plugin : NULL;
  if (status && plugin && !plugin->registration_error) plugin->registration_error = dvt_status_clone(status);
}

static dvt_plugin *find_loaded(const char *path, void *handle) {
  for (dvt_plugin *plugin = first; plugin; plugin = plugin->next)
    if ((path && strcmp(plugin->path, path) == 0) || (handle && plugin->handle == handle)) return plugin;
  return NULL;
}

static bool is_loading(const char *path) {
  for (const dvt_plugin *plugin = loading; plugin; plugin = plugin->next)
    if (strcmp(plugin->path, path) == 0) return true;
  return false;
}

bool dvt_plugin_is_loading(const char *path) {
  char resolved[PATH_MAX];
  return loading && is_loading(realpath(path, resolved) ? resolved : path);
}

static void plugin_free(dvt_plugin *plugin) {
  if (!plugin) return;
  dvt_status_free(plugin->registration_error);
  dvt_free(plugin->path);
  dvt_free(plugin->name);
  dvt_free(plugin->op_list);
  dvt_free(plugin);
}

static dvt_plugin *plugin_new(const char *path) {
  const char *slash = strrchr(path, '/');
  dvt_str name = dvt_str_from(slash ? slash + 1 : path);
  if (name.len > 3 && memcmp(name.data + name.len - 3, ".so", 3) == 0) name.len -= 3;
  dvt_plugin *plugin = dvt_calloc(1, sizeof *plugin);
  if (!plugin) return NULL;
  plugin->copy_fd = -1;
  plugin->path = dvt_strndup(dvt_str_from(path));
  plugin->name = dvt_strndup(name);
  if (plugin->path && plugin->name) return plugin;
  plugin_free(plugin);
  return NULL;
}

static bool is_own(void *handle, void *symbol) {
  struct link_map *map = NULL;
  Dl_info info;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && dladdr(symbol, &info) && info.dli_fname &&
         strcmp(info.dli_fname, map->l_name) == 0;
}

void *dvt_plugin_symbol(const dvt_plugin *plugin, const char *name) {
  void *symbol = dvt_library_symbol(plugin->handle, name);
  return symbol && is_own(plugin->handle, symbol) ? symbol : NULL;
}

typedef struct entry_call {
  void (*entry)(void);
} entry_call;

static void run_entry(void *arg) { ((entry_call *)arg)->entry(); }

static dvt_status call_entry_points(const dvt_plugin *plugin) {
  static const char *const entry_points[] = {"TF_InitKernel", "InitPlugin"};
  for (size_t i = 0; i < DVT_COUNT_OF(entry_points); i++) {
    void *symbol = dvt_plugin_symbol(plugin, entry_points[i]);
    entry_call call;
    memcpy(&call.entry, &symbol, sizeof call.entry);  // ISO C has no cast between the two kinds of pointer
    if (!call.entry) continue;
    DVT_RETURN_IF_ERROR(dvt_exception_status(dvt_catch_call(run_entry, &call), entry_points[i]));
  }
  return NULL;
}

static dvt_status account(dvt_plugin *plugin, const dvt_load *load) {
  dvt_buf list = {0};
  dvt_op_registry_list_load(load, &list);
  if (list.failed) {
    dvt_buf_deinit(&list);
    return dvt_error_out_of_memory(list.len);
  }
  plugin->op_count = load->op_count;
  plugin->kernel_count = load->kernel_count;
  plugin->op_list_bytes = list.len;
  plugin->op_list = dvt_buf_release(&list);
  return NULL;
}

typedef struct code_search {
  const struct link_map *map;
  uintptr_t begin, end;
} code_search;

static int find_segments(struct dl_phdr_info *info, size_t bytes, void *arg) {
  code_search *search = arg;
  (void)bytes;
  if (info->dlpi_addr != search->map->l_addr || strcmp(info->dlpi_name, search->map->l_name) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    search->begin = search->begin ? DVT_MIN(search->begin, begin) : begin;
    search->end = DVT_MAX(search->end, begin + info->dlpi_phdr[i].p_memsz);
  }
  return 1;
}

// From here on what the plugin makes is accounted to it; what its constructors made is not.
static dvt_status find_code(dvt_plugin *plugin) {
  code_search search = {0};
  struct link_map *map = NULL;
  if (dlinfo(plugin->handle, RTLD_DI_LINKMAP, &map) != 0) return NULL;
  search.map = map;
  dl_iterate_phdr(find_segments, &search);
  plugin->code = dvt_code_owner_add((void *)search.begin, (void *)search.end);
  return plugin->code ? NULL : dvt_error_out_of_memory(sizeof(void *));
}

// Constructors run inside dlopen, on this thread; what they register belongs to the plugin.
static dvt_status open_and_call(dvt_plugin *plugin, const dvt_elf *elf, bool *out_is_new) {
  DVT_RETURN_IF_ERROR(dvt_plugin_open(plugin, elf));
  *out_is_new = !find_loaded(NULL, plugin->handle);
  if (!*out_is_new) return NULL;
  DVT_RETURN_IF_ERROR(find_code(plugin));
  DVT_RETURN_IF_ERROR(dvt_record_check(plugin));
  return dvt_status_annotate(call_entry_points(plugin), ". Plugin %s was not loaded", plugin->path);
}

static void fail_load(void *arg, const char *what) {
  dvt_status status = dvt_error(TF_INTERNAL, "%s", what);
  dvt_plugin_note_error(status);
  dvt_status_free(status);
  (void)arg;
}

static dvt_status open_and_register(dvt_plugin *plugin, const dvt_elf *elf, const dvt_load *load) {
  bool is_new = false;
  dvt_debug_call call = {.fail = fail_load}, *outer = dvt_debug_current;
  if (dvt_debug_has(DVT_DEBUG_CALLS)) {
    call.origin = dvt_debug_origin_of(dvt_str_from(plugin->name), DVT_STR(""), DVT_STR(""));
    dvt_debug_current = &call;
  }
  dvt_status status = open_and_call(plugin, elf, &is_new);
  dvt_debug_current = outer;
  if (status || !is_new) return status;
  if (plugin->registration_error)
    return dvt_error(dvt_status_code(plugin->registration_error),
                     "plugin %s was not loaded, its registration failed: %s", plugin->path,
                     dvt_status_message(plugin->registration_error));
  DVT_RETURN_IF_ERROR(account(plugin, load));
  return dvt_record_check_registered(plugin);
}

static void roll_back(dvt_plugin *plugin, dvt_load *load) {
  dvt_kernel_registry_remove_load(load);
  dvt_op_registry_remove_load(load);
  load->plugin = NULL;
  load->plugin_name = NULL;
  dvt_load_end(load, false);
  dvt_code_owner_remove(plugin->code);
  dvt_plugin_close(plugin);
  plugin_free(plugin);
}

static void append(dvt_plugin *plugin) {
  dvt_plugin *last = first;
  while (last && last->next) last = last->next;
  if (last)
    last->next = plugin;
  else
    first = plugin;
}

void dvt_plugin_unlink(dvt_plugin *plugin) {
  _Atomic(dvt_plugin *) *link = &first;
  while (*link && *link != plugin) link = &(*link)->next;
  if (*link) *link = plugin->next;
}

static dvt_status load_new(const char *path, const dvt_elf *elf, dvt_plugin **out_plugin) {
  DVT_RETURN_IF_ERROR(dvt_binding_prepare(path, elf));
  dvt_plugin *plugin = plugin_new(path);
  dvt_load *load = plugin ? dvt_load_begin(plugin) : NULL;
  if (load) load->plugin_name = plugin->name;
  if (!load) {
    plugin_free(plugin);
    return dvt_error_out_of_memory(sizeof *plugin);
  }
  plugin->next = loading;
  loading = plugin;
  dvt_status status = open_and_register(plugin, elf, load);
  loading = plugin->next;
  plugin->next = NULL;
  // The same file under another name (a hard link): the loader hands out what is there.
  dvt_plugin *same = status ? NULL : find_loaded(NULL, plugin->handle);
  if (status || same) {
    roll_back(plugin, load);
    if (!status) *out_plugin = same;
    return status;
  }
  plugin->load = load;
  append(plugin);
  dvt_load_end(load, true);
  *out_plugin = plugin;
  return NULL;
}

// A bare name is taken from the current directory if it is there, else searched for by the loader, as dlopen
// does.
static dvt_status load_locked(const char *path, dvt_plugin **out_plugin) {
  char resolved[PATH_MAX];
  const char *canonical = realpath(path, resolved);
  if (!canonical && strchr(path, '/'))
    return dvt_error(
        TF_NOT_FOUND,
        "%s: cannot open shared object file: No such file or directory. Check the path of the plugin", path);
  if (!canonical) canonical = path;
  *out_plugin = find_loaded(canonical, NULL);
  if (*out_plugin) {
    if (dvt_plugin_is_outdated(*out_plugin))
      dvt_log(
          DVT_WARNING,
          "plugin %s is loaded as it was before its file was built anew. Call dvt_reload_plugin for the new "
          "one",
          canonical);
    return NULL;
  }
  if (is_loading(canonical))
    return dvt_error(TF_FAILED_PRECONDITION,
                     "plugin %s is loaded by its own loading: it, or a plugin that it loads, asks for it. "
                     "Leave out that call",
                     canonical);
  dvt_elf elf = {0};
  if (canonical != path) DVT_RETURN_IF_ERROR(dvt_elf_open(canonical, &elf));
  dvt_status status = load_new(canonical, &elf, out_plugin);
  dvt_elf_close(&elf);
  return status;
}

dvt_status dvt_plugin_load(const char *path, dvt_plugin **out_plugin) {
  if (!path || !*path) return dvt_error(TF_NOT_FOUND, "the path of the plugin to load is empty");
  dvt_plugin *plugin = NULL;
  dvt_plugin_lock();
  dvt_status status = load_locked(path, &plugin);
  dvt_plugin_unlock();
  if (!status) *out_plugin = plugin;
  return status;
}
