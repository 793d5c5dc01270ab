// Reading an ELF file without running any of it: may it be loaded here, which functions does it define and
// miss, which libraries does it need. Every offset is checked against the file's size.
#ifndef DVT_PLUGIN_ELF_H_
#define DVT_PLUGIN_ELF_H_

#include "base/library.h"

typedef struct dvt_elf {
  dvt_mapped_file file;
  // Dynamic symbols, their names and the dynamic section, as parts of the file. Empty where a file has no
  // section table: then nothing is known about its symbols.
  dvt_str symbols, names, dynamic;
  int isa_level;  // of x86-64 that its linker says the code needs: 1 to 4, 0 = it says nothing
} dvt_elf;

// Maps the file and checks that this process can load it. NOT_FOUND when it is missing; INVALID_ARGUMENT
// naming file, defect and remedy for what is no shared library, is made for another machine, word size or
// byte order, or is cut off.
dvt_status dvt_elf_open(const char *path, dvt_elf *out_elf) DVT_NODISCARD;
// The same for bytes in memory, which must outlive the result; `path` is for messages. Needs no close.
dvt_status dvt_elf_parse(const char *path, dvt_str bytes, dvt_elf *out_elf) DVT_NODISCARD;
void dvt_elf_close(dvt_elf *elf);

// The level of x86-64 (x86-64-v2 is 2, ...) in the notes of a PT_GNU_PROPERTY segment; 0 when there is none.
int dvt_elf_isa_of_notes(dvt_str notes);
// The level of this machine's CPU; where there are no levels, the highest.
int dvt_elf_isa_of_cpu(void);
// FAILED_PRECONDITION when the file needs a higher level than `cpu_level`: its code would end the process.
dvt_status dvt_elf_check_isa(const char *path, const dvt_elf *elf, int cpu_level) DVT_NODISCARD;

// Does the file itself define the dynamic symbol?
bool dvt_elf_defines(const dvt_elf *elf, const char *name);
// Walks the symbols that must come from elsewhere (weak ones may be missing and are left out); start with
// *cursor 0.
bool dvt_elf_next_undefined(const dvt_elf *elf, size_t *cursor, dvt_str *out_name);
// Walks the sonames of needed libraries.
bool dvt_elf_next_needed(const dvt_elf *elf, size_t *cursor, dvt_str *out_soname);

#endif  // DVT_PLUGIN_ELF_H_
