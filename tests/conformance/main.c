// Entry: `conformance` lists the cases, `conformance NAME` runs one.
#include "cases.h"
#include "conformance.h"

#define CASE(name) {#name, case_##name},
static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {CONFORMANCE_CASES};
#undef CASE

int main(int argc, char **argv) {
  if (argc < 2) {
    for (int i = 0; i < COUNT(cases); i++) puts(cases[i].name);
    return 0;
  }
  st = TF_NewStatus();
  for (int i = 0; i < COUNT(cases); i++) {
    if (strcmp(cases[i].name, argv[1])) continue;
    cases[i].run();
    puts("case ends\treturns");
    fflush(stdout);
    TF_DeleteStatus(st);
    return 0;
  }
  fprintf(stderr, "no case %s\n", argv[1]);
  return 2;
}
