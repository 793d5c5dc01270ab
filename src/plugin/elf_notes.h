// The level of x86-64 that a file needs, as its linker noted it (-z x86-64-v3, or from objects built with
// -mneeded): the notes of a PT_GNU_PROPERTY segment. Header-only, for elf_isa.c and for `dovetail check`.
#ifndef DVT_PLUGIN_ELF_NOTES_H_
#define DVT_PLUGIN_ELF_NOTES_H_

#include <elf.h>

#include "base/str.h"

// <elf.h> of older systems has no name for this.
#define DVT_PROPERTY_ISA_NEEDED 0xc0008002u

static inline uint32_t dvt_note_u32(dvt_str bytes, size_t at) {
  uint32_t value = 0;
  if (at <= bytes.len && bytes.len - at >= sizeof value) memcpy(&value, bytes.data + at, sizeof value);
  return value;
}

static inline size_t dvt_note_round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// Bit 0 is the baseline, bit 1 v2, ...; the highest one counts.
static inline int dvt_note_level_of_bits(uint32_t bits) {
  int level = 0;
  for (int i = 0; i < 4; i++)
    if (bits & (1u << i)) level = i + 1;
  return level;
}

// Pairs of type and size, each followed by its data in whole words.
static inline int dvt_note_level_of_properties(dvt_str properties) {
  int level = 0;
  while (properties.len >= 8) {
    size_t bytes = dvt_note_u32(properties, 4);
    if (bytes > properties.len - 8) break;
    if (dvt_note_u32(properties, 0) == DVT_PROPERTY_ISA_NEEDED && bytes >= 4)
      level = DVT_MAX(level, dvt_note_level_of_bits(dvt_note_u32(properties, 8)));
    size_t step = dvt_note_round_up(8 + bytes, sizeof(void *));
    properties = dvt_str_drop(properties, DVT_MIN(step, properties.len));
  }
  return level;
}

// 1 to 4 (x86-64-v2 is 2, ...); 0 when the notes say nothing.
static inline int dvt_note_isa_level(dvt_str notes) {
  static const size_t header = sizeof(Elf64_Nhdr);
  int level = 0;
  while (notes.len >= header) {
    size_t name = dvt_note_round_up(dvt_note_u32(notes, 0), 4), bytes = dvt_note_u32(notes, 4);
    if (name > notes.len - header || bytes > notes.len - header - name) break;
    if (dvt_note_u32(notes, 8) == NT_GNU_PROPERTY_TYPE_0 &&
        dvt_str_starts_with(dvt_str_drop(notes, header), DVT_STR("GNU\0")))
      level = DVT_MAX(level, dvt_note_level_of_properties(dvt_str_make(notes.data + header + name, bytes)));
    size_t step = header + name + dvt_note_round_up(bytes, sizeof(void *));
    notes = dvt_str_drop(notes, DVT_MIN(step, notes.len));
  }
  return level;
}

#endif  // DVT_PLUGIN_ELF_NOTES_H_
