// Plugin files as bytes: any answer, no access beyond the input; what is found must be readable.
#include "plugin/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dvt_elf elf;
  dvt_status status = dvt_elf_parse("fuzz.so", dvt_str_make((const char *)data, size), &elf);
  if (status) {
    dvt_status_free(status);
    return 0;
  }
  size_t cursor = 0, bytes = 0;
  dvt_str name;
  while (dvt_elf_next_undefined(&elf, &cursor, &name)) bytes += strlen(name.data);
  cursor = 0;
  while (dvt_elf_next_needed(&elf, &cursor, &name)) bytes += strlen(name.data);
  return dvt_elf_defines(&elf, "TF_InitKernel") && bytes == SIZE_MAX;
}
