// The level of x86-64 that a file needs (elf_notes.h) against the CPU. A library without the note loads: its
// code may look for itself what there is.
#include "plugin/elf.h"
#include "plugin/elf_notes.h"

int dvt_elf_isa_of_notes(dvt_str notes) { return dvt_note_isa_level(notes); }

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
