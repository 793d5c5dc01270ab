// What DVT_PLUGIN starts. Stock's TF_LoadLibrary calls no function of a plugin, so there a constructor
// registers, and TF_InitKernel, which TF_LoadPluggableDeviceLibrary calls later, has nothing left to do.
// Dovetail calls TF_InitKernel, where errors reach the caller; it checks the plugin's record itself before
// that (src/plugin/record.c). Stock checks nothing, so the constructor does, and speaks on stderr: that host
// gives a plugin no other way.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"
#include "dovetail/sdk.h"

const char dvt_sdk_abi_1 = 1;

static bool is_registered;

static const char *path_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "plugin";
}

// The first needed feature that the host lacks; its length is 0 when there is none.
static size_t find_lacking(const char **out_feature) {
  for (const char *word = dvt_sdk_plugin.needs; *word;) {
    size_t length = strcspn(word, " ");
    char feature[64];
    snprintf(feature, sizeof feature, "%.*s", (int)length, word);
    if (length && !dvt_host_supports(feature)) {
      *out_feature = word;
      return length;
    }
    word += length + (word[length] == ' ');
  }
  return 0;
}

typedef struct twin {
  const char *path, *version;
} twin;

static const char *record_field(const char *record, const char *key) {
  size_t length = strlen(key);
  for (; *record; record += strlen(record) + 1)
    if (strncmp(record, key, length) == 0) return record + length;
  return "";
}

// Another file in the process that declares a plugin of the same name.
static int find_twin(struct dl_phdr_info *info, size_t bytes, void *arg) {
  (void)bytes;
  twin *found = arg;
  if (!info->dlpi_name[0]) return 0;
  void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  const char *record = library ? dlsym(library, "dvt_plugin_record") : NULL;
  bool is_twin = record && strcmp(path_of(record), info->dlpi_name) == 0 &&
                 strcmp(path_of(&dvt_sdk_plugin), info->dlpi_name) != 0 &&
                 strcmp(record, "dovetail-plugin") == 0 &&
                 strcmp(record_field(record, "name="), dvt_sdk_plugin.name) == 0;
  if (library) dlclose(library);
  if (!is_twin) return 0;
  *found = (twin){info->dlpi_name, record_field(record, "version=")};
  return 1;
}

static bool may_register(void) {
  const char *feature, *path = path_of(&dvt_sdk_plugin);
  size_t length = find_lacking(&feature);
  if (length) {
    fprintf(stderr,
            "plugin %s %s registers nothing: it needs \"%.*s\", which %s %s does not have. Run it in "
            "Dovetail, or do "
            "without: ask dvt_host_supports(\"%.*s\") where it is used, and take it out of DVT_PLUGIN (%s)\n",
            dvt_sdk_plugin.name, dvt_sdk_plugin.version, (int)length, feature, dvt_host_name(),
            dvt_host_version(), (int)length, feature, path);
    return false;
  }
  twin found;
  if (!dl_iterate_phdr(find_twin, &found)) return true;
  fprintf(stderr,
          "plugin %s %s registers nothing: version %s of it is loaded from %s. Load only one of the two, or "
          "give them "
          "different names in DVT_PLUGIN, and their ops, too (%s)\n",
          dvt_sdk_plugin.name, dvt_sdk_plugin.version, found.version, found.path, path);
  return false;
}

static void register_once(void) {
  if (is_registered) return;
  is_registered = true;
  if (!may_register()) return;
  if (dvt_sdk_plugin.init) dvt_sdk_plugin.init();
  if (dvt_registered_count() > 0) return;
  fprintf(stderr,
          "plugin %s %s registers nothing: neither the function that DVT_PLUGIN names nor a constructor "
          "registered an op "
          "or a kernel with success. Look at the status of TF_RegisterOpDefinition and "
          "TF_RegisterKernelBuilder (%s)\n",
          dvt_sdk_plugin.name, dvt_sdk_plugin.version, path_of(&dvt_sdk_plugin));
}

// Without a priority, and in an archive, which stands behind the plugin's own files for the linker: it runs
// after all constructors of the plugin.
__attribute__((constructor)) static void register_where_nobody_asks(void) {
  const dvt_host *host = dvt_binding_host();
  if (host->kind != DVT_HOST_NONE && !host->is_loading) register_once();
}

// Dovetail calls TF_InitKernel each time it loads the plugin: code that could not leave the process registers
// anew.
void dvt_sdk_enter(dvt_sdk_entry entry) {
  const dvt_host *host = dvt_binding_host();
  if (host->is_loading && entry == DVT_SDK_INIT_KERNEL && dvt_sdk_plugin.init) dvt_sdk_plugin.init();
}
