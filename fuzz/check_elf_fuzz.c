// Plugin files as `dovetail check` reads them: any answer, no access beyond the input.
#include "../tools/dovetail/check.h"

#include <elf.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TF_Status *status = TF_NewStatus();
  check_elf *elf = calloc(1, sizeof *elf);
  check_report *report = calloc(1, sizeof *report);
  if (elf && report && check_elf_parse(dvt_str_make((const char *)data, size), elf, status)) {
    report->only = CHECK_ALL;
    check_rules(elf, report);
    for (int i = 0; i < report->count; i++)
      if (!strlen(report->findings[i].text)) abort();
    check_report_free(report);
  }
  free(report);
  free(elf);
  TF_DeleteStatus(status);
  return 0;
}
