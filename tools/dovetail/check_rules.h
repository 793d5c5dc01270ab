// Between check_rules.c and check_build.c.
#ifndef DVT_TOOLS_CHECK_RULES_H_
#define DVT_TOOLS_CHECK_RULES_H_

#include "check.h"

// How it was built: sections, paths, needed libraries, versions of the system, CPU, sanitizers.
void check_build(const check_elf *elf, check_report *report);
bool check_needs_library(const check_elf *elf, const char *soname);
// Does it need a library whose symbols have no versions, so that nobody knows what it defines?
bool check_needs_other_library(const check_elf *elf);

// What a plugin that is linked with the SDK declares, and which of its functions hosts lack (check_sdk.c).
void check_sdk(const check_elf *elf, check_report *report);

#endif  // DVT_TOOLS_CHECK_RULES_H_
