// The hosts that `dovetail check` knows: what their libraries export (abi/symbols.def), and the systems with
// the versions of their C and C++ libraries.
#include "check.h"

typedef struct row {
  const char *name;
  uint8_t framework, cc, dovetail;
} row;

static const row rows[] = {
#define S(name, framework, cc, dovetail) {#name, framework, cc, dovetail},
#include "../../abi/symbols.def"
#undef S
};

static const struct {
  const char *name;
  unsigned release;
} hosts[CHECK_HOST_COUNT] = {
#define X(bit, name, release) [bit] = {name, release},
    CHECK_HOSTS(X)
#undef X
};

const char *check_host_name(int bit) { return hosts[bit].name; }

int check_host_find(const char *name) {
  for (int i = 0; i < CHECK_HOST_COUNT; i++)
    if (strcmp(hosts[i].name, name) == 0) return i;
  return -1;
}

static int compare(dvt_str a, const char *z) {
  size_t len = strlen(z);
  int order = memcmp(a.data, z, DVT_MIN(a.len, len));
  return order ? order : a.len < len ? -1 : a.len > len;
}

check_exports check_exports_of(dvt_str name) {
  check_exports found = {0};
  size_t low = 0, high = DVT_COUNT_OF(rows);
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = compare(name, rows[middle].name);
    if (order < 0) {
      high = middle;
    } else if (order > 0) {
      low = middle + 1;
    } else {
      const row *r = &rows[middle];
      found.known = true;
      if (!r->dovetail) found.missing |= CHECK_DOVETAIL;
      for (int i = 1; i < CHECK_HOST_COUNT; i++) {
        if (!((r->framework | r->cc) & hosts[i].release)) found.missing |= 1u << i;
        if (!(r->framework & hosts[i].release) && (r->cc & hosts[i].release)) found.only_cc |= 1u << i;
      }
      return found;
    }
  }
  return found;
}

// Versions of glibc, and x of GLIBCXX_3.4.x, that come with the system.
static const struct {
  const char *name;
  check_system has;
} systems[] = {
    {"CentOS 7 (manylinux2014)", {2017, 19}},
    {"Amazon Linux 2", {2026, 24}},
    {"Ubuntu 18.04", {2027, 25}},
    {"RHEL 8", {2028, 25}},
    {"Debian 10", {2028, 25}},
    {"Ubuntu 20.04", {2031, 28}},
    {"Debian 11", {2031, 28}},
    {"RHEL 9", {2034, 29}},
    {"Amazon Linux 2023", {2034, 29}},
    {"Ubuntu 22.04", {2035, 30}},
    {"Debian 12", {2036, 30}},
    {"Ubuntu 24.04", {2039, 33}},
    {"RHEL 10", {2039, 33}},
    {"Debian 13", {2041, 33}},
};

void check_distributions(check_system needed, bool have, FILE *out) {
  const char *comma = "";
  for (size_t i = 0; i < DVT_COUNT_OF(systems); i++) {
    bool has = systems[i].has.glibc >= needed.glibc && systems[i].has.glibcxx >= needed.glibcxx;
    if (has != have) continue;
    fprintf(out, "%s%s", comma, systems[i].name);
    comma = ", ";
  }
}
