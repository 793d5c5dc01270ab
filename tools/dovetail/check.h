// `dovetail check`: what its files share. check.c is the verb and prints; check_elf.c reads the file;
// check_rules.c turns what it reads into findings, each with the hosts that it counts for; check_hosts.c
// knows the hosts and distributions; check_names.c reads C++ names; check_suite.c runs kernels.
#ifndef DVT_TOOLS_CHECK_H_
#define DVT_TOOLS_CHECK_H_

#include "check_elf.h"
#include "json.h"

// ---- hosts ----

// X(bit, name, release bit in abi/symbols.def). Release 2.18 exports what 2.17 does.
#define CHECK_HOSTS(X)         \
  X(0, "dovetail", 0)          \
  X(1, "tensorflow-2.15", 0x1) \
  X(2, "tensorflow-2.17", 0x2) \
  X(3, "tensorflow-2.18", 0x2) \
  X(4, "tensorflow-2.19", 0x4) \
  X(5, "tensorflow-2.20", 0x8) \
  X(6, "tensorflow-2.21", 0x10)

enum {
  CHECK_HOST_COUNT = 7,
  CHECK_DOVETAIL = 1u,
  CHECK_ALL = 0x7f,
  CHECK_STOCK = CHECK_ALL & ~CHECK_DOVETAIL
};

const char *check_host_name(int bit);
// "tensorflow-2.19" -> its bit; -1 for a name that is none.
int check_host_find(const char *name);

// Which hosts export a function of the C API, and where. `known` is false for names that none of them has.
typedef struct check_exports {
  bool known;
  unsigned missing;  // hosts that lack it
  unsigned only_cc;  // hosts that have it in libtensorflow_cc.so.2 alone
} check_exports;
check_exports check_exports_of(dvt_str name);

// Versions as 1000 * major + minor, of GLIBCXX_3.4.x: x. 0 = none needed.
typedef struct check_system {
  int glibc, glibcxx;
} check_system;
// "Debian 11, Ubuntu 20.04..." that have both, or have not.
void check_distributions(check_system needed, bool have, FILE *out);

// ---- names ----

// The qualified name of a mangled C++ symbol without arguments ("tensorflow::OpKernel::Compute"); false when
// it is no nested name. `out` holds 256 bytes.
bool check_demangle(dvt_str name, char out[256]);
// The library whose C++ names these are ("TensorFlow", "Abseil", "Protocol Buffers"...); NULL for others.
const char *check_cxx_library(dvt_str name);

// ---- findings ----

typedef enum check_level {
  CHECK_NOTE,     // good to know
  CHECK_WARNING,  // loads, but will make trouble
  CHECK_ERROR,    // does not load, or does nothing
} check_level;

typedef struct check_finding {
  check_level level;
  const char *code;  // "undefined-symbols": stable, for scripts
  char *text;
  unsigned hosts;  // that it counts for
} check_finding;

enum { CHECK_MAX_FINDINGS = 128 };

typedef struct check_report {
  check_finding findings[CHECK_MAX_FINDINGS];
  int count;
  unsigned only;    // hosts asked for
  unsigned unsure;  // hosts where nobody can tell from the file
  check_system needed;
  int initialisers;  // static ones, without those of the compiler's own start-up files
  bool has_entry_point;
  // Of DVT_PLUGIN, in the file's bytes; NULL when it has none.
  const char *name, *version, *licence, *needs;
} check_report;

void check_add(check_report *report, check_level level, const char *code, unsigned hosts, const char *format,
               ...) DVT_PRINTF(5, 6);
// Fills the report from the file. Free with check_report_free.
void check_rules(const check_elf *elf, check_report *report);
void check_report_free(check_report *report);

// Breaks the text into lines of about 100 columns behind an indentation, which is there already.
void check_print_wrapped(const char *text, int indent);

// ---- the suite ----

int check_suite(const cli_options *options);

#endif  // DVT_TOOLS_CHECK_H_
