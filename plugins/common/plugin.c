// Turns the rows of a plugin's table into op definitions and kernel registrations, through the public C API
// only.
#include "common/plugin.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "tensorflow/c/logging.h"

#define SPEC_BYTES 512

// Calls add(builder, spec) for each ';'-separated spec.
static void add_specs(TF_OpDefinitionBuilder *builder, const char *specs,
                      void (*add)(TF_OpDefinitionBuilder *, const char *)) {
  char spec[SPEC_BYTES];
  while (*specs) {
    while (*specs == ' ') specs++;
    size_t bytes = strcspn(specs, ";");
    if (bytes >= sizeof(spec)) bytes = sizeof(spec) - 1;
    memcpy(spec, specs, bytes);
    spec[bytes] = 0;
    add(builder, spec);
    specs += bytes;
    if (*specs == ';') specs++;
  }
}

static bool report(const char *what, const char *op, TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return true;
  TF_Log(TF_ERROR, "%s %s: %s", what, op, TF_Message(status));
  return false;
}

static void register_op(const dvp_op *op, TF_Status *status) {
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(op->name);
  add_specs(builder, op->inputs, TF_OpDefinitionBuilderAddInput);
  add_specs(builder, op->outputs, TF_OpDefinitionBuilderAddOutput);
  add_specs(builder, op->attrs, TF_OpDefinitionBuilderAddAttr);
  // Stock releases set a flag whatever the argument is, so a flag that is off is not mentioned.
  if (op->flags & DVP_COMMUTATIVE) TF_OpDefinitionBuilderSetIsCommutative(builder, true);
  if (op->flags & DVP_AGGREGATE) TF_OpDefinitionBuilderSetIsAggregate(builder, true);
  if (op->flags & DVP_STATEFUL) TF_OpDefinitionBuilderSetIsStateful(builder, true);
  if (op->flags & DVP_UNINITIALIZED_INPUT) TF_OpDefinitionBuilderSetAllowsUninitializedInput(builder, true);
  if (op->shape) TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, op->shape);
  TF_RegisterOpDefinition(builder, status);
  report("registering op", op->name, status);
}

static void register_kernels(const char *op, const dvp_kernel_set *set, TF_Status *status) {
  for (int i = 0; i < set->count; i++) {
    const dvp_kernel *kernel = &set->kernels[i];
    TF_KernelBuilder *builder =
        set->compute_async
            ? TF_NewAsyncKernelBuilder(op, "CPU", set->create, set->compute_async, set->destroy)
            : TF_NewKernelBuilder(op, "CPU", set->create, kernel->compute, set->destroy);
    TF_SetStatus(status, TF_OK, "");
    if (set->attr) TF_KernelBuilder_TypeConstraint(builder, set->attr, kernel->dtype, status);
    if (!report("constraining a kernel of", op, status)) {
      TF_DeleteKernelBuilder(builder);
      continue;
    }
    TF_RegisterKernelBuilder(kernel->class_name, builder, status);
    report("registering a kernel of", op, status);
  }
}

// DOVETAIL_ISA=baseline keeps to the kernels for any CPU, so that they can be tested and compared.
static bool cpu_is_v3(void) {
#if defined(__x86_64__)
  const char *wanted = getenv("DOVETAIL_ISA");
  if (wanted && strcmp(wanted, "baseline") == 0) return false;
  unsigned a, b, c, d;
  bool f16c = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
  __builtin_cpu_init();
  return f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

void dvp_plugin_register(const dvp_op *ops, int count) {
  TF_Status *status = TF_NewStatus();
  bool v3 = cpu_is_v3();
  for (int i = 0; i < count; i++) {
    register_op(&ops[i], status);
    const dvp_kernel_set *set = v3 && ops[i].v3 ? ops[i].v3 : ops[i].base;
    if (set) register_kernels(ops[i].name, set, status);
  }
  TF_DeleteStatus(status);
}
