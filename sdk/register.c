// The functions that register, counted on their way to the host: a plugin that registers nothing is told so
// (plugin.c).
#include <stdatomic.h>

#include "binding.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

DVT_OWN_TRAMPOLINE(TF_RegisterOpDefinition);
DVT_OWN_TRAMPOLINE(TF_RegisterKernelBuilder);
DVT_OWN_TRAMPOLINE(TF_RegisterKernelBuilderWithKernelDef);

static void missing_op(TF_OpDefinitionBuilder *builder, TF_Status *status);
static void missing_kernel(const char *name, TF_KernelBuilder *builder, TF_Status *status);
static void missing_kernel_def(const char *def, const char *name, TF_KernelBuilder *builder,
                               TF_Status *status);

#define RECORD(function, missing)                \
  __attribute__((section("dvt_bindings"), used)) \
  dvt_binding dvt_binding_##function = {#function, missing, NULL, missing}
RECORD(TF_RegisterOpDefinition, missing_op);
RECORD(TF_RegisterKernelBuilder, missing_kernel);
RECORD(TF_RegisterKernelBuilderWithKernelDef, missing_kernel_def);

static atomic_int count;

int dvt_registered_count(void) { return count; }

static void missing_op(TF_OpDefinitionBuilder *builder, TF_Status *status) {
  (void)builder;
  dvt_binding_missing(&dvt_binding_TF_RegisterOpDefinition, status);
}

static void missing_kernel(const char *name, TF_KernelBuilder *builder, TF_Status *status) {
  (void)name, (void)builder;
  dvt_binding_missing(&dvt_binding_TF_RegisterKernelBuilder, status);
}

static void missing_kernel_def(const char *def, const char *name, TF_KernelBuilder *builder,
                               TF_Status *status) {
  (void)def, (void)name, (void)builder;
  dvt_binding_missing(&dvt_binding_TF_RegisterKernelBuilderWithKernelDef, status);
}

static void count_if_ok(const TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) atomic_fetch_add(&count, 1);
}

void TF_RegisterOpDefinition(TF_OpDefinitionBuilder *builder, TF_Status *status) {
  ((__typeof__(TF_RegisterOpDefinition) *)dvt_binding_TF_RegisterOpDefinition.address)(builder, status);
  count_if_ok(status);
}

void TF_RegisterKernelBuilder(const char *name, TF_KernelBuilder *builder, TF_Status *status) {
  ((__typeof__(TF_RegisterKernelBuilder) *)dvt_binding_TF_RegisterKernelBuilder.address)(name, builder,
                                                                                         status);
  count_if_ok(status);
}

void TF_RegisterKernelBuilderWithKernelDef(const char *def, const char *name, TF_KernelBuilder *builder,
                                           TF_Status *status) {
  ((__typeof__(TF_RegisterKernelBuilderWithKernelDef) *)
       dvt_binding_TF_RegisterKernelBuilderWithKernelDef.address)(def, name, builder, status);
  count_if_ok(status);
}
