// The level of x86-64 that a file needs, as its linker noted it (-z x86-64-v3, or from objects built with
// -mneeded), against the CPU. A library without the note loads: its code may look for itself what there is.
#include <elf.h>

#include "plugin/elf.h"

// <elf.h> of older systems has no names for these.
#define PROPERTY_ISA_NEEDED 0xc0008002u

static uint32_t read_u32(dvt_str bytes, size_t at) {
  uint32_t value = 0;
  if (at <= bytes.len && bytes.len - at >= sizeof value) memcpy(&value, bytes.data + at, sizeof value);
  return value;
}

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// Bit 0 is the baseline, bit 1 v2, ...; the highest one counts.
static int level_of_bits(uint32_t bits) {
  int level = 0;
  for (int i = 0; i < 4; i++)
    if (bits & (1u << i)) level = i + 1;
  return level;
}

// Pairs of type and size, each followed by its data in whole words.
static int level_of_properties(dvt_str properties) {
  int level = 0;
  while (properties.len >= 8) {
    size_t bytes = read_u32(properties, 4);
    if (bytes > properties.len - 8) break;
    if (read_u32(properties, 0) == PROPERTY_ISA_NEEDED && bytes >= 4)
      level = DVT_MAX(level, level_of_bits(read_u32(properties, 8)));
    properties = dvt_str_drop(properties, DVT_MIN(round_up(8 + bytes, sizeof(void *)), properties.len));
  }
  return level;
}

int dvt_elf_isa_of_notes(dvt_str notes) {
  static const size_t header = sizeof(Elf64_Nhdr);
  int level = 0;
  while (notes.len >= header) {
    size_t name = round_up(read_u32(notes, 0), 4), bytes = read_u32(notes, 4);
    if (name > notes.len - header || bytes > notes.len - header - name) break;
    if (read_u32(notes, 8) == NT_GNU_PROPERTY_TYPE_0 &&
        dvt_str_starts_with(dvt_str_drop(notes, header), DVT_STR("GNU\0")))
      level = DVT_MAX(level, level_of_properties(dvt_str_make(notes.data + header + name, bytes)));
    notes = dvt_str_drop(notes, DVT_MIN(header + name + round_up(bytes, sizeof(void *)), notes.len));
  }
  return level;
}

int dvt_elf_isa_of_cpu(void) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt") ||
      !__builtin_cpu_supports("ssse3"))
    return 1;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("fma"))
    return 2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl"))
    return 3;
#endif
  return 4;
}

dvt_status dvt_elf_check_isa(const char *path, const dvt_elf *elf, int cpu_level) {
  if (elf->isa_level <= cpu_level) return NULL;
  return dvt_error(
      TF_FAILED_PRECONDITION,
      "%s was built for CPUs of level x86-64-v%d; this one has level %d, so its code would stop the "
      "process. Build it for -march=x86-64-v%d, or run it on a newer CPU",
      path, elf->isa_level, cpu_level, cpu_level);
}
