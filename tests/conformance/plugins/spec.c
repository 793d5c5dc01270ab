// A plugin that registers one op, written in the environment variable CONFORMANCE_SPEC as parts divided by "
// | ".
#include <string.h>

#include "tensorflow/c/ops.h"

static void add(TF_OpDefinitionBuilder *b, const char *part) {
  if (!strncmp(part, "in ", 3)) TF_OpDefinitionBuilderAddInput(b, part + 3);
  if (!strncmp(part, "out ", 4)) TF_OpDefinitionBuilderAddOutput(b, part + 4);
  if (!strncmp(part, "attr ", 5)) TF_OpDefinitionBuilderAddAttr(b, part + 5);
  if (!strncmp(part, "stateful=", 9)) TF_OpDefinitionBuilderSetIsStateful(b, part[9] == '1');
  if (!strncmp(part, "commutative=", 12)) TF_OpDefinitionBuilderSetIsCommutative(b, part[12] == '1');
  if (!strncmp(part, "aggregate=", 10)) TF_OpDefinitionBuilderSetIsAggregate(b, part[10] == '1');
  if (!strncmp(part, "uninitialized=", 14))
    TF_OpDefinitionBuilderSetAllowsUninitializedInput(b, part[14] == '1');
  if (!strncmp(part, "deprecated ", 11)) {
    char *rest;
    int version = (int)strtol(part + 11, &rest, 10);
    TF_OpDefinitionBuilderDeprecated(b, version, rest + (*rest == ' '));
  }
}

__attribute__((constructor)) static void register_op(void) {
  char spec[4096], *rest = spec, *part;
  const char *wanted = getenv("CONFORMANCE_SPEC");
  if (!wanted) return;
  strncpy(spec, wanted, sizeof spec - 1);
  spec[sizeof spec - 1] = 0;
  const char *name = "Probe";
  if (!strncmp(spec, "op ", 3)) {
    name = spec + 3;
    char *end = strstr(spec, " | ");
    rest = end ? end + 3 : spec + strlen(spec);
    if (end) *end = 0;
  }
  TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(name);
  while (*rest) {
    part = rest;
    char *end = strstr(rest, " | ");
    rest = end ? end + 3 : rest + strlen(rest);
    if (end) *end = 0;
    add(b, part);
  }
  TF_Status *status = TF_NewStatus();
  TF_RegisterOpDefinition(b, status);
  TF_DeleteStatus(status);
}
