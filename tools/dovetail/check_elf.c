// See check_elf.h. The loader's view counts: tables are found by the dynamic section, as it finds them. The
// section table serves for the number of symbols and for those that only the file has.
#include "check_elf.h"

#include <elf.h>

#include "plugin/elf_notes.h"

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#elif defined(__riscv)
#define HOST_MACHINE EM_RISCV
#else
#define HOST_MACHINE EM_NONE
#endif
#define HOST_DATA (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

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

// The NUL-terminated text at `offset`; empty when it does not end inside the table.
static dvt_str text_at(dvt_str table, uint64_t offset) {
  if (offset >= table.len) return (dvt_str){0};
  dvt_str rest = dvt_str_drop(table, (size_t)offset);
  size_t len = dvt_str_find(rest, '\0');
  return len < rest.len ? dvt_str_make(rest.data, len) : (dvt_str){0};
}

// ---- the header ----

static const char *machine_name(unsigned machine) {
  static const struct {
    unsigned number;
    const char *name;
  } machines[] = {{EM_X86_64, "x86-64"},   {EM_AARCH64, "aarch64"}, {EM_RISCV, "RISC-V"},
                  {EM_PPC64, "ppc64"},     {EM_S390, "s390x"},      {EM_386, "x86 (32 bit)"},
                  {EM_ARM, "ARM (32 bit)"}};
  for (size_t i = 0; i < DVT_COUNT_OF(machines); i++)
    if (machines[i].number == machine) return machines[i].name;
  return "another machine";
}

static const char *other_format(dvt_str bytes) {
  static const struct {
    dvt_str magic;
    const char *what;
  } formats[] = {{DVT_STR("MZ"), "it is a Windows library"},
                 {DVT_STR("\xcf\xfa\xed\xfe"), "it is a macOS library"},
                 {DVT_STR("\xce\xfa\xed\xfe"), "it is a 32-bit macOS library"},
                 {DVT_STR("\xca\xfe\xba\xbe"), "it is a macOS library for several machines"},
                 {DVT_STR("!<arch>"), "it is a static archive; link its objects with -shared"},
                 {DVT_STR("#!"), "it is a script"},
                 {DVT_STR("PK\x03\x04"), "it is a zip file or a Python wheel; check the .so inside of it"}};
  if (bytes.len == 0) return "it is empty";
  for (size_t i = 0; i < DVT_COUNT_OF(formats); i++)
    if (dvt_str_starts_with(bytes, formats[i].magic)) return formats[i].what;
  return "it does not begin with an ELF header";
}

static bool truncated(dvt_str bytes, const char *part, TF_Status *status) {
  return cli_fail(status, TF_INVALID_ARGUMENT, "it is truncated: its %s lies beyond the end of its %zu bytes",
                  part, bytes.len);
}

static bool check_header(dvt_str bytes, Elf64_Ehdr *header, TF_Status *status) {
  if (!dvt_str_starts_with(bytes, DVT_STR(ELFMAG)))
    return cli_fail(status, TF_INVALID_ARGUMENT, "it is no shared library for Linux: %s",
                    other_format(bytes));
  if (bytes.len < EI_NIDENT) return truncated(bytes, "header", status);
  const unsigned char *ident = (const unsigned char *)bytes.data;
  if (ident[EI_CLASS] != ELFCLASS64)
    return cli_fail(status, TF_INVALID_ARGUMENT, "it is a %s library; the hosts are 64-bit programs",
                    ident[EI_CLASS] == ELFCLASS32 ? "32-bit" : "garbled");
  if (ident[EI_DATA] != HOST_DATA)
    return cli_fail(status, TF_INVALID_ARGUMENT, "it has the other byte order (%s-endian)",
                    ident[EI_DATA] == ELFDATA2MSB ? "big" : "little");
  if (!read_entry(bytes, 0, header, sizeof *header)) return truncated(bytes, "header", status);
  if (header->e_machine != HOST_MACHINE)
    return cli_fail(status, TF_INVALID_ARGUMENT,
                    "it was built for %s (machine %d); this dovetail knows the hosts for %s",
                    machine_name(header->e_machine), header->e_machine, machine_name(HOST_MACHINE));
  if (header->e_type == ET_DYN) return true;
  return cli_fail(status, TF_INVALID_ARGUMENT, "it is no shared library but %s; link it with -shared",
                  header->e_type == ET_REL    ? "an object file"
                  : header->e_type == ET_EXEC ? "a program"
                  : header->e_type == ET_CORE ? "a core dump"
                                              : "an ELF file of another kind");
}

// ---- finding the tables ----

// The file's bytes from a place in memory on, to the end of what its segment has in the file.
static dvt_str from_address(const check_elf *elf, uint64_t address) {
  Elf64_Phdr segment;
  dvt_str bytes;
  for (size_t i = 0; read_entry(elf->segments, i, &segment, sizeof segment); i++)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz &&
        part_of(elf->bytes, segment.p_offset, segment.p_filesz, &bytes))
      return dvt_str_drop(bytes, (size_t)(address - segment.p_vaddr));
  return (dvt_str){0};
}

static dvt_str table_of(const check_elf *elf, int64_t tag, int64_t size_tag) {
  uint64_t address, size;
  if (!check_elf_value(elf, tag, &address)) return (dvt_str){0};
  dvt_str bytes = from_address(elf, address);
  if (check_elf_value(elf, size_tag, &size) && size < bytes.len) bytes.len = (size_t)size;
  return bytes;
}

static bool read_segments(check_elf *elf, const Elf64_Ehdr *header, TF_Status *status) {
  Elf64_Phdr segment;
  dvt_str bytes;
  if (header->e_phentsize != sizeof segment || header->e_phnum == 0)
    return cli_fail(status, TF_INVALID_ARGUMENT, "it has no program headers: nothing in it can be loaded");
  if (!part_of(elf->bytes, header->e_phoff, (uint64_t)header->e_phnum * sizeof segment, &elf->segments))
    return truncated(elf->bytes, "program header table", status);
  for (size_t i = 0; read_entry(elf->segments, i, &segment, sizeof segment); i++) {
    bool is_there = part_of(elf->bytes, segment.p_offset, segment.p_filesz, &bytes);
    if (segment.p_type == PT_LOAD) {
      if (!is_there) return truncated(elf->bytes, "code or data", status);
      if ((segment.p_flags & (PF_W | PF_X)) == (PF_W | PF_X)) elf->writable_code = true;
    } else if (segment.p_type == PT_GNU_STACK) {
      elf->stack_is_told = true;
      elf->executable_stack = (segment.p_flags & PF_X) != 0;
    } else if (segment.p_type == PT_GNU_PROPERTY && is_there) {
      elf->isa_level = dvt_note_isa_level(bytes);
    } else if (segment.p_type == PT_DYNAMIC && is_there) {
      elf->dynamic = bytes;
    }
  }
  return true;
}

static void read_bindings(check_elf *elf, dvt_str name, const Elf64_Shdr *section) {
  static const char *const sections[] = {"dvt_bindings", "dvt_own_bindings"};
  for (size_t i = 0; i < DVT_COUNT_OF(sections); i++)
    if (dvt_str_is(name, sections[i]) &&
        part_of(elf->bytes, section->sh_offset, section->sh_size, &elf->bindings[i]))
      elf->binding_addresses[i] = section->sh_addr;
}

static void read_sections(check_elf *elf, const Elf64_Ehdr *header) {
  Elf64_Shdr section, names;
  dvt_str table, section_names = {0};
  if (header->e_shentsize != sizeof section ||
      !part_of(elf->bytes, header->e_shoff, (uint64_t)header->e_shnum * sizeof section, &table))
    return;
  if (read_entry(table, header->e_shstrndx, &names, sizeof names) &&
      !part_of(elf->bytes, names.sh_offset, names.sh_size, &section_names))
    section_names = (dvt_str){0};
  for (size_t i = 0; read_entry(table, i, &section, sizeof section); i++) {
    if (section.sh_type == SHT_PROGBITS)
      read_bindings(elf, text_at(section_names, section.sh_name), &section);
    if (section.sh_type == SHT_DYNSYM && section.sh_size < elf->symbols.len)
      elf->symbols.len = (size_t)section.sh_size;
    if (section.sh_type == SHT_SYMTAB && read_entry(table, section.sh_link, &names, sizeof names) &&
        !(part_of(elf->bytes, section.sh_offset, section.sh_size, &elf->file_symbols) &&
          part_of(elf->bytes, names.sh_offset, names.sh_size, &elf->file_names)))
      elf->file_symbols = elf->file_names = (dvt_str){0};
  }
}

// Positions come from offsets in the file, which a garbled one may lead in circles: the limit ends that.
static void read_needs(check_elf *elf) {
  dvt_str table = table_of(elf, DT_VERNEED, DT_NULL), entry;
  Elf64_Verneed need;
  Elf64_Vernaux aux;
  uint64_t at = 0;
  do {
    if (!part_of(table, at, sizeof need, &entry)) return;
    memcpy(&need, entry.data, sizeof need);
    uint64_t aux_at = at + need.vn_aux;
    for (unsigned k = 0; k < need.vn_cnt && elf->need_count < CHECK_MAX_NEEDS; k++) {
      if (!part_of(table, aux_at, sizeof aux, &entry)) break;
      memcpy(&aux, entry.data, sizeof aux);
      elf->needs[elf->need_count++] =
          (check_need){text_at(elf->names, need.vn_file), text_at(elf->names, aux.vna_name), aux.vna_other};
      if (aux.vna_next == 0) break;
      aux_at += aux.vna_next;
    }
    at += need.vn_next;
  } while (need.vn_next && need.vn_cnt && elf->need_count < CHECK_MAX_NEEDS);
}

bool check_elf_parse(dvt_str bytes, check_elf *out, TF_Status *status) {
  Elf64_Ehdr header;
  *out = (check_elf){.bytes = bytes};
  if (!check_header(bytes, &header, status) || !read_segments(out, &header, status)) return false;
  if (!out->dynamic.len)
    return cli_fail(status, TF_INVALID_ARGUMENT, "it has no dynamic section: nothing in it can be looked up");
  uint64_t strings, symbols;
  out->names = table_of(out, DT_STRTAB, DT_STRSZ);
  out->symbols = table_of(out, DT_SYMTAB, DT_NULL);
  out->versions = table_of(out, DT_VERSYM, DT_NULL);
  read_needs(out);
  // Linkers put the strings behind the symbols, whose number is told nowhere else but in hash tables.
  if (check_elf_value(out, DT_STRTAB, &strings) && check_elf_value(out, DT_SYMTAB, &symbols) &&
      strings > symbols && strings - symbols < out->symbols.len)
    out->symbols.len = (size_t)(strings - symbols);
  read_sections(out, &header);
  return true;
}

// ---- walking ----

bool check_elf_value(const check_elf *elf, int64_t tag, uint64_t *out) {
  Elf64_Dyn entry;
  for (size_t i = 0; read_entry(elf->dynamic, i, &entry, sizeof entry) && entry.d_tag != DT_NULL; i++)
    if (entry.d_tag == tag) {
      *out = entry.d_un.d_val;
      return true;
    }
  return false;
}

bool check_elf_next_string(const check_elf *elf, int64_t tag, size_t *cursor, dvt_str *out) {
  Elf64_Dyn entry;
  while (read_entry(elf->dynamic, (*cursor)++, &entry, sizeof entry) && entry.d_tag != DT_NULL) {
    if (entry.d_tag != tag) continue;
    *out = text_at(elf->names, entry.d_un.d_val);
    if (out->len) return true;
  }
  return false;
}

static dvt_str version_of(const check_elf *elf, size_t index) {
  uint16_t number;
  if (!read_entry(elf->versions, index, &number, sizeof number) || (number &= 0x7fff) < 2)
    return (dvt_str){0};
  for (int i = 0; i < elf->need_count; i++)
    if (elf->needs[i].number == number) return elf->needs[i].version;
  return (dvt_str){0};
}

static bool read_symbol(dvt_str symbols, dvt_str names, size_t index, check_symbol *out) {
  Elf64_Sym symbol;
  if (!read_entry(symbols, index, &symbol, sizeof symbol)) return false;
  unsigned bind = ELF64_ST_BIND(symbol.st_info), visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  *out = (check_symbol){.name = text_at(names, symbol.st_name),
                        .defined = symbol.st_shndx != SHN_UNDEF,
                        .weak = bind == STB_WEAK,
                        .local = bind == STB_LOCAL,
                        .hidden = visibility == STV_HIDDEN || visibility == STV_INTERNAL,
                        .unique = bind == STB_GNU_UNIQUE};
  return true;
}

bool check_elf_next_symbol(const check_elf *elf, size_t *cursor, check_symbol *out) {
  while (read_symbol(elf->symbols, elf->names, (*cursor)++, out)) {
    if (!out->name.len || out->local) continue;
    if (!out->defined) out->version = version_of(elf, *cursor - 1);
    return true;
  }
  return false;
}

bool check_elf_next_file_symbol(const check_elf *elf, size_t *cursor, check_symbol *out) {
  while (read_symbol(elf->file_symbols, elf->file_names, (*cursor)++, out))
    if (out->name.len) return true;
  return false;
}

bool check_elf_data(const check_elf *elf, const char *wanted, dvt_str *out) {
  Elf64_Sym symbol;
  for (size_t i = 0; read_entry(elf->symbols, i, &symbol, sizeof symbol); i++) {
    if (symbol.st_shndx == SHN_UNDEF || !dvt_str_is(text_at(elf->names, symbol.st_name), wanted)) continue;
    *out = from_address(elf, symbol.st_value);
    out->len = DVT_MIN(out->len, (size_t)symbol.st_size);
    return out->len > 0;
  }
  return false;
}

// The pointer at a place in memory as the loader will have set it: by a relocation, or as the file has it.
static uint64_t pointer_at(const check_elf *elf, uint64_t address) {
  dvt_str relocations = table_of(elf, DT_RELA, DT_RELASZ), bytes = from_address(elf, address);
  Elf64_Rela r;
  uint64_t value = 0;
  for (size_t i = 0; read_entry(relocations, i, &r, sizeof r); i++)
    if (r.r_offset == address) return (uint64_t)r.r_addend;
  if (bytes.len >= sizeof value) memcpy(&value, bytes.data, sizeof value);
  return value;
}

bool check_elf_next_binding(const check_elf *elf, size_t *cursor, dvt_str *out_name, bool *out_replaced) {
  enum { RECORD = 32, POLYFILL = 16, MISSING = 24, MOST = 4096 };  // as sdk/binding.h has it
  while (*cursor < MOST) {
    size_t index = (*cursor)++, first = elf->bindings[0].len / RECORD;
    int table = index >= first;
    if (table) index -= first;
    if (index >= elf->bindings[table].len / RECORD) return false;
    uint64_t address = elf->binding_addresses[table] + index * RECORD;
    *out_name = text_at(from_address(elf, pointer_at(elf, address)), 0);
    // The SDK itself looks after those that have no answer for a host without them.
    *out_replaced = pointer_at(elf, address + POLYFILL) != 0 || pointer_at(elf, address + MISSING) == 0;
    if (out_name->len) return true;
  }
  return false;
}
