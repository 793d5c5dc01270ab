// Checking what a plugin declares before its entry points run. The record is data of a stranger: it is read
// no further than its symbol is long.
#include "plugin/record.h"

#include <dlfcn.h>
#include <link.h>

#include "base/log.h"
#include "dovetail/features.h"

enum { OLDEST_ABI = 1, NEWEST_ABI = 1 };

typedef struct record {
  dvt_str abi, name, version, needs;
} record;

static size_t symbol_bytes(void *symbol) {
  Dl_info info;
  const ElfW(Sym) *entry = NULL;
  bool is_known =
      dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) && entry && info.dli_saddr == symbol;
  return is_known ? entry->st_size : 0;
}

// False when the plugin has no record.
static bool read_record(const dvt_plugin *plugin, record *out_record) {
  static const char magic[] = "dovetail-plugin";
  const char *text = dvt_plugin_symbol(plugin, "dvt_plugin_record");
  size_t bytes = text ? symbol_bytes((void *)text) : 0;
  if (bytes < sizeof magic || memcmp(text, magic, sizeof magic) != 0) return false;
  *out_record = (record){DVT_STR(""), DVT_STR(""), DVT_STR(""), DVT_STR("")};
  const struct {
    dvt_str key;
    dvt_str *value;
  } fields[] = {{DVT_STR("sdk="), &out_record->abi},
                {DVT_STR("name="), &out_record->name},
                {DVT_STR("version="), &out_record->version},
                {DVT_STR("needs="), &out_record->needs}};
  for (size_t at = sizeof magic; at < bytes && text[at];) {
    dvt_str word = {text + at, strnlen(text + at, bytes - at)};
    for (size_t i = 0; i < DVT_COUNT_OF(fields); i++)
      if (dvt_str_starts_with(word, fields[i].key))
        *fields[i].value = (dvt_str){word.data + fields[i].key.len, word.len - fields[i].key.len};
    at += word.len + 1;
  }
  return true;
}

static bool is_feature(dvt_str name) {
#define FEATURE(feature, function, is_brought) \
  if (dvt_str_is(name, feature)) return true;
  DVT_FEATURES(FEATURE)
#undef FEATURE
  return false;
}

static dvt_status check_abi(const dvt_plugin *plugin, const record *r) {
  int abi = 0;
  for (size_t i = 0; i < DVT_MIN(r->abi.len, 9u) && r->abi.data[i] >= '0' && r->abi.data[i] <= '9'; i++)
    abi = abi * 10 + (r->abi.data[i] - '0');
  if (abi >= OLDEST_ABI && abi <= NEWEST_ABI) return NULL;
  return dvt_error(TF_FAILED_PRECONDITION,
                   "plugin %s (" DVT_STR_FMT ", version " DVT_STR_FMT ") was built with version " DVT_STR_FMT
                   " of the SDK's ABI; Dovetail " DVT_VERSION " knows versions %d to %d. %s",
                   plugin->path, DVT_STR_ARG(r->name), DVT_STR_ARG(r->version), DVT_STR_ARG(r->abi),
                   OLDEST_ABI, NEWEST_ABI,
                   abi > NEWEST_ABI
                       ? "Use the Dovetail that the SDK belongs to or a later one, or build the plugin "
                         "with the SDK of this one"
                       : "Build the plugin with the SDK of this Dovetail");
}

static dvt_status check_needs(const dvt_plugin *plugin, const record *r) {
  for (size_t at = 0; at < r->needs.len;) {
    const char *blank = memchr(r->needs.data + at, ' ', r->needs.len - at);
    dvt_str word = {r->needs.data + at, blank ? (size_t)(blank - r->needs.data) - at : r->needs.len - at};
    if (word.len && !is_feature(word))
      return dvt_error(
          TF_FAILED_PRECONDITION,
          "plugin %s (" DVT_STR_FMT ", version " DVT_STR_FMT ") needs \"" DVT_STR_FMT
          "\", which Dovetail " DVT_VERSION
          " does not have. Use a later Dovetail, or do without: ask dvt_host_supports(\"" DVT_STR_FMT
          "\") where it is used, and take it out of DVT_PLUGIN",
          plugin->path, DVT_STR_ARG(r->name), DVT_STR_ARG(r->version), DVT_STR_ARG(word), DVT_STR_ARG(word));
    at += word.len + 1;
  }
  return NULL;
}

static dvt_status check_twin(const dvt_plugin *plugin, const record *r) {
  for (const dvt_plugin *other = dvt_plugin_first(); other; other = atomic_load(&other->next)) {
    record found;
    if (dvt_plugin_is_gone(other) || !read_record(other, &found) || !dvt_str_eq(found.name, r->name))
      continue;
    return dvt_error(
        TF_ALREADY_EXISTS,
        "plugin %s is version " DVT_STR_FMT " of " DVT_STR_FMT ", whose version " DVT_STR_FMT
        " is loaded from %s. Unload that one before (dvt_unload_plugin), or load only one of the two; if "
        "they are different plugins, give them different names in DVT_PLUGIN",
        plugin->path, DVT_STR_ARG(r->version), DVT_STR_ARG(r->name), DVT_STR_ARG(found.version), other->path);
  }
  return NULL;
}

dvt_status dvt_record_check(const dvt_plugin *plugin) {
  record r;
  if (!read_record(plugin, &r)) return NULL;
  DVT_RETURN_IF_ERROR(check_abi(plugin, &r));
  DVT_RETURN_IF_ERROR(check_needs(plugin, &r));
  return check_twin(plugin, &r);
}

dvt_status dvt_record_check_registered(const dvt_plugin *plugin) {
  if (plugin->op_count || plugin->kernel_count) return NULL;
  record r;
  if (read_record(plugin, &r))
    return dvt_error(
        TF_FAILED_PRECONDITION,
        "plugin %s (" DVT_STR_FMT ", version " DVT_STR_FMT
        ") registers nothing. The function that DVT_PLUGIN names must call TF_RegisterOpDefinition or "
        "TF_RegisterKernelBuilder; where it does, look whether a condition in it is not met here",
        plugin->path, DVT_STR_ARG(r.name), DVT_STR_ARG(r.version));
  static const char *const entries[] = {"TF_InitKernel", "InitPlugin", "SE_InitPlugin", "TF_InitGraph",
                                        "TF_InitProfiler"};
  for (size_t i = 0; i < DVT_COUNT_OF(entries); i++)
    if (dvt_plugin_symbol(plugin, entries[i])) return NULL;
  dvt_log(DVT_WARNING,
          "plugin %s registers no op and no kernel: it exports neither TF_InitKernel nor InitPlugin, and no "
          "constructor of it registered anything. Export one of them; -fvisibility=hidden hides it without "
          "__attribute__((visibility(\"default\")))",
          plugin->path);
  return NULL;
}
