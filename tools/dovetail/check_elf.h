// Reading a plugin's file for `dovetail check`: all that its loader would look at, and nothing of it is run.
// Every offset is checked against the file's size, so that any bytes may come. Only 64-bit files of the
// machine's own architecture get past the header.
#ifndef DVT_TOOLS_CHECK_ELF_H_
#define DVT_TOOLS_CHECK_ELF_H_

#include "base/str.h"
#include "cli.h"

enum { CHECK_MAX_NEEDS = 512 };

// A version that the file needs of a library.
typedef struct check_need {
  dvt_str library, version;
  unsigned number;
} check_need;

typedef struct check_elf {
  dvt_str bytes, segments;
  dvt_str dynamic, names;             // the dynamic section and its strings
  dvt_str symbols, versions;          // of the loader, and their versions' numbers
  check_need needs[CHECK_MAX_NEEDS];  // of other libraries
  int need_count;
  dvt_str bindings[2];  // of the SDK: dvt_bindings, dvt_own_bindings (sdk/binding.h)
  uint64_t binding_addresses[2];
  dvt_str file_symbols, file_names;  // also local ones; empty when the file is stripped
  int isa_level;                     // of x86-64, 0 when the file says nothing
  bool stack_is_told, executable_stack, writable_code;
} check_elf;

// One symbol. `version` is what it wants of a library ("GLIBC_2.34"), empty when it wants none.
typedef struct check_symbol {
  dvt_str name, version;
  bool defined, weak, local, hidden, unique;
} check_symbol;

// `bytes` must outlive the result. False with *status set: INVALID_ARGUMENT with what the file is instead.
bool check_elf_parse(dvt_str bytes, check_elf *out, TF_Status *status);

// Walks; start with *cursor 0.
bool check_elf_next_symbol(const check_elf *elf, size_t *cursor, check_symbol *out);
bool check_elf_next_file_symbol(const check_elf *elf, size_t *cursor, check_symbol *out);
// The next string of the dynamic section with this tag (DT_NEEDED, DT_RUNPATH...).
bool check_elf_next_string(const check_elf *elf, int64_t tag, size_t *cursor, dvt_str *out);
// The value of a tag; false when there is none.
bool check_elf_value(const check_elf *elf, int64_t tag, uint64_t *out);

// The bytes of a symbol that the file defines, up to its size; false when it does not.
bool check_elf_data(const check_elf *elf, const char *symbol, dvt_str *out);

// Walks the functions that the SDK binds when the plugin is loaded. *out_replaced: the SDK does without the
// host's function where that is missing.
bool check_elf_next_binding(const check_elf *elf, size_t *cursor, dvt_str *out_name, bool *out_replaced);

#endif  // DVT_TOOLS_CHECK_ELF_H_
