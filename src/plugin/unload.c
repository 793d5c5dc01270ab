// Closing plugins and opening their files again. The loader knows what it has loaded by path and by inode,
// and some code never leaves the process (C++ with unique symbols, -z nodelete, another library's
// dependency): a rebuilt file at the same place would then bring back the old code. Such a file is copied
// into memory and the copy is loaded.
#include "plugin/unload.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/library.h"
#include "base/log.h"
#include "plugin/binding.h"

static dvt_plugin *gone;  // those that were unloaded, linked by older_gone; under the plugin lock

// Is the file at `path`, or what was there before, still in the process although its plugin was unloaded?
static bool is_left_behind(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (!handle) {
    dlerror();
    return false;
  }
  bool found = false;
  for (const dvt_plugin *plugin = gone; plugin && !found; plugin = plugin->older_gone)
    found = plugin->handle == handle || strcmp(plugin->path, path) == 0;
  for (const dvt_plugin *plugin = dvt_plugin_first(); plugin && found; plugin = plugin->next)
    found = plugin->handle != handle;
  dlclose(handle);
  return found;
}

static bool write_all(int fd, dvt_str bytes) {
  while (bytes.len) {
    ssize_t written = write(fd, bytes.data, bytes.len);
    if (written <= 0) return false;
    bytes = dvt_str_drop(bytes, (size_t)written);
  }
  return true;
}

// The copy's name ends with its descriptor, which stays open so that no later copy gets the same name.
static dvt_status open_copy(dvt_plugin *plugin, const dvt_elf *elf) {
  char name[64];
  int fd = memfd_create(plugin->name, MFD_CLOEXEC);
  if (fd < 0 || !write_all(fd, elf->file.bytes)) {
    if (fd >= 0) close(fd);
    return dvt_error(
        TF_RESOURCE_EXHAUSTED,
        "plugin %s was unloaded, but its old code cannot leave the process, and there is no memory "
        "for a copy of the %zu bytes of the new file beside it. Restart the process",
        plugin->path, elf->file.bytes.len);
  }
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  plugin->copy_fd = fd;
  plugin->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return plugin->handle ? NULL : dvt_binding_explain(plugin->path, elf, dlerror());
}

static bool identify(const char *path, uint64_t *out_inode, int64_t *out_modified_ns) {
  struct stat file;
  if (stat(path, &file) != 0) return false;
  *out_inode = file.st_ino;
  *out_modified_ns = file.st_mtim.tv_sec * INT64_C(1000000000) + file.st_mtim.tv_nsec;
  return true;
}

bool dvt_plugin_is_outdated(const dvt_plugin *plugin) {
  uint64_t inode;
  int64_t modified_ns;
  return plugin->inode && identify(plugin->path, &inode, &modified_ns) &&
         (inode != plugin->inode || modified_ns != plugin->modified_ns);
}

dvt_status dvt_plugin_open(dvt_plugin *plugin, const dvt_elf *elf) {
  identify(plugin->path, &plugin->inode, &plugin->modified_ns);
  if (gone && elf->file.bytes.len && is_left_behind(plugin->path)) return open_copy(plugin, elf);
  plugin->handle = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
  return plugin->handle ? NULL : dvt_binding_explain(plugin->path, elf, dlerror());
}

// A copy that stays in the process keeps its descriptor, and with it its name.
void dvt_plugin_close(dvt_plugin *plugin) {
  char name[64];
  dvt_library_close(plugin->handle);
  if (plugin->copy_fd < 0) return;
  snprintf(name, sizeof name, "/proc/self/fd/%d", plugin->copy_fd);
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle) {
    dlclose(handle);
    return;
  }
  dlerror();
  close(plugin->copy_fd);
  plugin->copy_fd = -1;
}

void dvt_plugin_remove(dvt_plugin *plugin) {
  dvt_kernel_registry_remove_load(plugin->load);
  dvt_op_registry_remove_load(plugin->load);
  dvt_plugin_unlink(plugin);
  dvt_plugin_close(plugin);
  dvt_code_owner_remove(plugin->code);
  plugin->older_gone = gone;
  gone = plugin;
  dvt_plugin_autoload_again(plugin);
}

dvt_status dvt_plugin_find(const char *name_or_path, dvt_plugin **out_plugin) {
  const char *wanted = name_or_path ? name_or_path : "";
  char *resolved = strchr(wanted, '/') ? realpath(wanted, NULL) : NULL;
  dvt_plugin *found = NULL;
  dvt_buf names = {0};
  dvt_plugin_lock();
  for (const dvt_plugin *plugin = dvt_plugin_first(); plugin; plugin = plugin->next) {
    if (strcmp(plugin->name, wanted) == 0 || strcmp(plugin->path, resolved ? resolved : wanted) == 0)
      found = (dvt_plugin *)plugin;
    dvt_buf_printf(&names, "%s%s", names.len ? ", " : "", plugin->name);
  }
  dvt_plugin_unlock();
  free(resolved);
  dvt_status status = NULL;
  if (!found)
    status = dvt_error(TF_NOT_FOUND, "no plugin '%s' is loaded. Loaded are: " DVT_STR_FMT, wanted,
                       DVT_STR_ARG(names.len ? dvt_buf_str(&names) : DVT_STR("none")));
  else
    *out_plugin = found;
  dvt_buf_deinit(&names);
  return status;
}
