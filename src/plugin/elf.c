// ELF files as bytes: header checks before anything is loaded, and walks over dynamic symbols and needed
// libraries. Only files of the host's own word size and byte order get past the header, so the structs of
// <elf.h> fit.
#include "plugin/elf.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;
typedef ElfW(Dyn) elf_dynamic;

#define HOST_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
#define HOST_DATA (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)
#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#elif defined(__riscv)
#define HOST_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define HOST_MACHINE EM_PPC64
#elif defined(__s390x__)
#define HOST_MACHINE EM_S390
#elif defined(__i386__)
#define HOST_MACHINE EM_386
#elif defined(__arm__)
#define HOST_MACHINE EM_ARM
#else
#error "add the machine number of this architecture"
#endif

static const char *machine_name(unsigned machine, char *buffer, size_t bytes) {
  static const struct {
    unsigned number;
    const char *name;
  } machines[] = {{EM_X86_64, "x86-64"},   {EM_AARCH64, "aarch64"}, {EM_RISCV, "RISC-V"},
                  {EM_PPC64, "ppc64"},     {EM_S390, "s390x"},      {EM_386, "x86 (32 bit)"},
                  {EM_ARM, "ARM (32 bit)"}};
  for (size_t i = 0; i < DVT_COUNT_OF(machines); i++)
    if (machines[i].number == machine) return machines[i].name;
  snprintf(buffer, bytes, "machine number %u", machine);
  return buffer;
}

static bool part_of(dvt_str file, uint64_t offset, uint64_t bytes, dvt_str *out) {
  if (offset > file.len || bytes > file.len - offset) return false;
  *out = dvt_str_make(file.data + offset, (size_t)bytes);
  return true;
}

// Element `index` of a table; the file's bytes need not be aligned.
static bool read_entry(dvt_str table, size_t index, void *out, size_t bytes) {
  if (index >= table.len / bytes) return false;
  memcpy(out, table.data + index * bytes, bytes);
  return true;
}

static dvt_status not_a_library(const char *path, dvt_str bytes) {
  const char *what = "it does not begin with an ELF header";
  if (bytes.len == 0)
    what = "the file is empty";
  else if (dvt_str_starts_with(bytes, DVT_STR("MZ")))
    what = "it is a Windows library";
  else if (dvt_str_starts_with(bytes, DVT_STR("\xcf\xfa\xed\xfe")))
    what = "it is a macOS library";
  else if (dvt_str_starts_with(bytes, DVT_STR("!<arch>")))
    what = "it is a static archive; link its objects with -shared";
  return dvt_error(TF_INVALID_ARGUMENT,
                   "%s is not a shared library: %s. Give a plugin built with -shared -fPIC", path, what);
}

static dvt_status truncated(const char *path, dvt_str bytes, const char *part) {
  return dvt_error(
      TF_INVALID_ARGUMENT,
      "%s is truncated: its %s lies beyond the end of the file's %zu bytes. Copy or build the plugin again",
      path, part, bytes.len);
}

static dvt_status check_identity(const char *path, const unsigned char *ident) {
  if (ident[EI_CLASS] != HOST_CLASS)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "%s is a %s-bit library, this process is %zu-bit. Use the plugin's build for this architecture", path,
        ident[EI_CLASS] == ELFCLASS32   ? "32"
        : ident[EI_CLASS] == ELFCLASS64 ? "64"
                                        : "unknown",
        sizeof(void *) * 8);
  if (ident[EI_DATA] != HOST_DATA)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "%s has the other byte order (%s-endian). Use the plugin's build for this architecture",
                     path, ident[EI_DATA] == ELFDATA2MSB ? "big" : "little");
  return NULL;
}

static dvt_status check_header(const char *path, const elf_header *header) {
  char name[32];
  if (header->e_machine != HOST_MACHINE)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "%s was built for %s, this process runs on %s. Use the plugin's build for this architecture", path,
        machine_name(header->e_machine, name, sizeof name), machine_name(HOST_MACHINE, NULL, 0));
  if (header->e_type == ET_DYN) return NULL;
  const char *what = header->e_type == ET_REL    ? "an object file"
                     : header->e_type == ET_EXEC ? "a program"
                     : header->e_type == ET_CORE ? "a core dump"
                                                 : "an ELF file of another kind";
  return dvt_error(TF_INVALID_ARGUMENT, "%s is not a shared library but %s. Link the plugin with -shared",
                   path, what);
}

// Every loadable segment must lie in the file: the loader would map what is missing and the process die at
// its use.
static dvt_status check_segments(const char *path, dvt_str bytes, const elf_header *header,
                                 int *out_isa_level) {
  dvt_str table, segment_bytes;
  if (header->e_phentsize != sizeof(elf_segment) || header->e_phnum == 0)
    return dvt_error(TF_INVALID_ARGUMENT, "%s has no program headers: nothing in it can be loaded", path);
  if (!part_of(bytes, header->e_phoff, (uint64_t)header->e_phnum * sizeof(elf_segment), &table))
    return truncated(path, bytes, "program header table");
  elf_segment segment;
  for (size_t i = 0; read_entry(table, i, &segment, sizeof segment); i++) {
    bool is_there = part_of(bytes, segment.p_offset, segment.p_filesz, &segment_bytes);
    if (segment.p_type == PT_LOAD && !is_there) return truncated(path, bytes, "code or data");
    if (segment.p_type == PT_GNU_PROPERTY && is_there) *out_isa_level = dvt_elf_isa_of_notes(segment_bytes);
  }
  return NULL;
}

// Finds the dynamic symbols with their names and the dynamic section; leaves them empty when the table is
// unusable.
static void find_sections(dvt_elf *elf, dvt_str bytes, const elf_header *header) {
  dvt_str table, symbols, names;
  if (header->e_shentsize != sizeof(elf_section) ||
      !part_of(bytes, header->e_shoff, (uint64_t)header->e_shnum * sizeof(elf_section), &table))
    return;
  elf_section section, strings;
  for (size_t i = 0; read_entry(table, i, &section, sizeof section); i++) {
    if (section.sh_type == SHT_DYNAMIC) {
      if (!part_of(bytes, section.sh_offset, section.sh_size, &elf->dynamic)) elf->dynamic = (dvt_str){0};
    } else if (section.sh_type == SHT_DYNSYM &&
               read_entry(table, section.sh_link, &strings, sizeof strings) &&
               part_of(bytes, section.sh_offset, section.sh_size, &symbols) &&
               part_of(bytes, strings.sh_offset, strings.sh_size, &names)) {
      elf->symbols = symbols;
      elf->names = names;
    }
  }
}

dvt_status dvt_elf_parse(const char *path, dvt_str bytes, dvt_elf *out_elf) {
  if (!dvt_str_starts_with(bytes, DVT_STR(ELFMAG))) return not_a_library(path, bytes);
  if (bytes.len < EI_NIDENT) return truncated(path, bytes, "header");
  DVT_RETURN_IF_ERROR(check_identity(path, (const unsigned char *)bytes.data));
  elf_header header;
  if (!read_entry(bytes, 0, &header, sizeof header)) return truncated(path, bytes, "header");
  DVT_RETURN_IF_ERROR(check_header(path, &header));
  int isa_level = 0;
  DVT_RETURN_IF_ERROR(check_segments(path, bytes, &header, &isa_level));
  *out_elf = (dvt_elf){.isa_level = isa_level};
  find_sections(out_elf, bytes, &header);
  return NULL;
}

dvt_status dvt_elf_open(const char *path, dvt_elf *out_elf) {
  dvt_mapped_file file;
  DVT_RETURN_IF_ERROR(dvt_file_map(path, &file));
  dvt_status status = dvt_elf_parse(path, file.bytes, out_elf);
  if (status)
    dvt_file_unmap(&file);
  else
    out_elf->file = file;
  return status;
}

void dvt_elf_close(dvt_elf *elf) {
  dvt_file_unmap(&elf->file);
  *elf = (dvt_elf){0};
}

// The NUL-terminated name at `offset`; empty when it does not end inside the table.
static dvt_str name_at(const dvt_elf *elf, uint64_t offset) {
  if (offset >= elf->names.len) return (dvt_str){0};
  dvt_str rest = dvt_str_drop(elf->names, (size_t)offset);
  size_t len = dvt_str_find(rest, '\0');
  return len < rest.len ? dvt_str_make(rest.data, len) : (dvt_str){0};
}

bool dvt_elf_defines(const dvt_elf *elf, const char *name) {
  elf_symbol symbol;
  for (size_t i = 0; read_entry(elf->symbols, i, &symbol, sizeof symbol); i++)
    if (symbol.st_shndx != SHN_UNDEF && dvt_str_is(name_at(elf, symbol.st_name), name)) return true;
  return false;
}

bool dvt_elf_next_undefined(const dvt_elf *elf, size_t *cursor, dvt_str *out_name) {
  elf_symbol symbol;
  while (read_entry(elf->symbols, (*cursor)++, &symbol, sizeof symbol)) {
    if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_WEAK) continue;
    *out_name = name_at(elf, symbol.st_name);
    if (out_name->len) return true;
  }
  return false;
}

bool dvt_elf_next_needed(const dvt_elf *elf, size_t *cursor, dvt_str *out_soname) {
  elf_dynamic entry;
  while (read_entry(elf->dynamic, (*cursor)++, &entry, sizeof entry)) {
    if (entry.d_tag == DT_NULL) return false;
    if (entry.d_tag != DT_NEEDED) continue;
    *out_soname = name_at(elf, entry.d_un.d_val);
    if (out_soname->len) return true;
  }
  return false;
}
