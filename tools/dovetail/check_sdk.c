// Plugins that are linked with the SDK: they load everywhere, and go without what a host lacks. DVT_PLUGIN's
// record tells the features that they do not go without; the SDK's table tells all functions that they use.
#include <stdlib.h>

#include "check_rules.h"
#include "dovetail/features.h"

// "name=..." in the record, texts that end with a zero.
static const char *field_of(dvt_str record, const char *key) {
  size_t len = strlen(key);
  while (record.len) {
    size_t end = dvt_str_find(record, '\0');
    if (end == record.len) return NULL;
    if (end > len && memcmp(record.data, key, len) == 0 && record.data[len] == '=')
      return record.data + len + 1;
    record = dvt_str_drop(record, end + 1);
  }
  return NULL;
}

static void check_feature(dvt_str feature, check_report *r) {
  static const struct {
    const char *name, *function;
    bool brought;
  } features[] = {
#define X(name, function, brought) {name, function, brought},
      DVT_FEATURES(X)
#undef X
  };
  const char *function = NULL;
  for (size_t i = 0; i < DVT_COUNT_OF(features); i++) {
    if (!dvt_str_is(feature, features[i].name)) continue;
    if (features[i].brought) return;
    function = features[i].function;
  }
  // A feature may also be the name of a function.
  check_exports exports = check_exports_of(function ? dvt_str_from(function) : feature);
  if (!exports.known)
    check_add(r, CHECK_WARNING, "unknown-feature", CHECK_ALL,
              "declares that it needs the feature '" DVT_STR_FMT "', which this dovetail does not know",
              DVT_STR_ARG(feature));
  else if (exports.missing)
    check_add(r, CHECK_ERROR, "needs-feature", exports.missing,
              "declares that it needs the feature '" DVT_STR_FMT
              "', which these hosts lack: it registers nothing "
              "there. Ask dvt_host_supports when the feature is used, if the plugin is of use without it",
              DVT_STR_ARG(feature));
}

static void check_record(const check_elf *elf, check_report *r) {
  dvt_str record;
  if (!check_elf_data(elf, "dvt_plugin_record", &record)) return;
  r->name = field_of(record, "name");
  r->version = field_of(record, "version");
  r->licence = field_of(record, "licence");
  r->needs = field_of(record, "needs");
  for (const char *at = r->needs; at && *at;) {
    size_t len = strcspn(at, " ");
    if (len) check_feature(dvt_str_make(at, len), r);
    at += len + (at[len] == ' ');
  }
}

// The functions by the hosts that lack them: one note for each set of hosts.
static void check_bindings(const check_elf *elf, check_report *r) {
  enum { MOST = 16, BYTES = 400 };
  struct {
    unsigned hosts;
    int count;
    char names[BYTES];
  } groups[MOST] = {0};
  size_t cursor = 0;
  dvt_str name;
  bool replaced;
  while (check_elf_next_binding(elf, &cursor, &name, &replaced)) {
    check_exports exports = check_exports_of(name);
    unsigned hosts = exports.known ? exports.missing : CHECK_ALL;
    if (replaced || hosts == 0) continue;
    int i = 0;
    while (i < MOST - 1 && groups[i].count && groups[i].hosts != hosts) i++;
    groups[i].hosts |= hosts;
    groups[i].count++;
    size_t len = strlen(groups[i].names);
    if (len + name.len + 3 < BYTES)
      snprintf(groups[i].names + len, BYTES - len, "%s" DVT_STR_FMT, len ? ", " : "", DVT_STR_ARG(name));
  }
  for (int i = 0; i < MOST && groups[i].count; i++)
    check_add(r, CHECK_NOTE, "not-on-every-host", groups[i].hosts,
              "uses what these hosts lack, where it answers UNIMPLEMENTED: %s", groups[i].names);
}

void check_sdk(const check_elf *elf, check_report *r) {
  check_record(elf, r);
  check_bindings(elf, r);
}
