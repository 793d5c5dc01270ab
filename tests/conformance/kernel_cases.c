// Kernel registration, lookup and life: rules 94 to 117.
#include "conformance.h"

static int created, deleted, computed;
static void *last_deleted;

static void *create_seven(TF_OpKernelConstruction *ctx) {
  (void)ctx;
  created++;
  return (void *)7;
}

static void set_marker(TF_OpKernelContext *ctx, float marker) {
  TF_Status *s = TF_NewStatus();
  TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, NULL, 0, sizeof(float), s);
  if (y) *(float *)TF_TensorData(y) = marker;
  TF_DeleteTensor(y);
  TF_DeleteStatus(s);
  computed++;
}

static void compute_one(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  set_marker(ctx, 1);
}
static void compute_two(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  set_marker(ctx, 2);
}
static void compute_three(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  set_marker(ctx, 3);
}
static void compute_kernel(void *kernel, TF_OpKernelContext *ctx) {
  set_marker(ctx, (float)(uintptr_t)kernel);
}

static void delete_count(void *kernel) {
  deleted++;
  last_deleted = kernel;
}

static compute_fn *const markers[] = {compute_one, compute_two, compute_three};

static void see_kernels(const char *label, const char *op) {
  TF_Buffer *b = TF_GetRegisteredKernelsForOp(op, st);
  see_status(text("%s kernels status", label), NULL);
  see_buffer(text("%s kernels", label), "KernelList", b);
}

// ---- registration ----

void case_kernel_register(void) {
  define_op("Registered", shape_unknown, "in x: T|out y: float|attr T: type");
  see_kernels("rule-111 none", "Registered");
  see_kernels("rule-111 unknown op", "NobodyKnows");
  TF_KernelBuilder *b = TF_NewKernelBuilder("Registered", "CPU", NULL, compute_one, NULL);
  TF_RegisterKernelBuilder("a name", b, st);
  see_status("rule-096 registered", NULL);
  b = TF_NewKernelBuilder("Registered", "CPU", create_seven, compute_one, delete_count);
  TF_RegisterKernelBuilder(NULL, b, st);
  see_status("rule-096 duplicate without name", NULL);
  b = TF_NewKernelBuilder("NobodyKnows", "XPU", NULL, compute_one, NULL);
  TF_RegisterKernelBuilder("x", b, st);
  see_status("rule-096 unknown op and device", NULL);
  b = TF_NewKernelBuilder("Registered", "GPU", NULL, compute_one, NULL);
  TF_KernelBuilder_TypeConstraint(b, "T", TF_FLOAT, st);
  see_status("rule-103 constraint", NULL);
  TF_KernelBuilder_TypeConstraint(b, "Nope", TF_INT32, st);
  see_status("rule-105 constraint on an unknown attr", NULL);
  TF_KernelBuilder_HostMemory(b, "x");
  TF_KernelBuilder_HostMemory(b, "nope");
  TF_KernelBuilder_Priority(b, 7);
  TF_KernelBuilder_Label(b, "special");
  TF_RegisterKernelBuilder("y", b, st);
  see_status("rule-096 everything set", NULL);
  see_kernels("rule-111", "Registered");
  see_kernels("rule-111 of unknown op", "NobodyKnows");
  TF_DeleteKernelBuilder(TF_NewKernelBuilder("Registered", "CPU", NULL, compute_one, NULL));
  for (int type = -1; type <= 40; type++) {
    b = TF_NewKernelBuilder("Registered", "CPU", NULL, compute_one, NULL);
    TF_KernelBuilder_TypeConstraint(b, "T", (TF_DataType)type, st);
    bool fine = TF_GetCode(st) == TF_OK;
    see_status(text("rule-106 constraint to type %d", type), fine ? "" : text("%d", type));
    TF_DeleteKernelBuilder(b);
  }
  static const struct {
    const char *name, *bytes;
  } defs[] = {{"NULL", NULL},
              {"empty", ""},
              {"op and device",
               "\x0a\x0aRegistered\x12\x03"
               "CPU"},
              {"label and priority", "\x2a\x02lb\x30\x05"},
              {"constraint", "\x1a\x0a\x0a\x01T\x12\x05\x0a\x03\x32\x01\x03"},
              {"host memory", "\x22\x01x"},
              {"garbage", "\xff\xff"},
              {"truncated", "\x0a\x7f"},
              {"other op", "\x0a\x05Other\x12\x03XPU"}};
  for (int i = 0; i < COUNT(defs); i++) {
    define_op(text("WithDef%d", i), shape_unknown, "in x: T|out y: float|attr T: type");
    b = TF_NewKernelBuilder(text("WithDef%d", i), "CPU", NULL, compute_one, NULL);
    TF_RegisterKernelBuilderWithKernelDef(defs[i].bytes, "name", b, st);
    see_status(text("rule-098 def %s", defs[i].name), NULL);
    see_kernels(text("rule-098 def %s", defs[i].name), text("WithDef%d", i));
  }
}

// ---- lookup ----

typedef struct registration {
  const char *device, *label, *attr;
  int priority, type, type2;  // dtype of constraints on `attr`, 0: none
} registration;

static void define_lookup(const char *op, int count, const registration *kernels) {
  define_op(op, shape_unknown,
            "in x: T|out y: float|attr T: type|attr L: list(type) = [DT_FLOAT, DT_INT32]|attr i: int = 3");
  for (int i = 0; i < count; i++) {
    if (!kernels[i].device) continue;
    TF_KernelBuilder *b = TF_NewKernelBuilder(op, kernels[i].device, NULL, markers[i], NULL);
    if (kernels[i].label) TF_KernelBuilder_Label(b, kernels[i].label);
    if (kernels[i].priority) TF_KernelBuilder_Priority(b, kernels[i].priority);
    if (kernels[i].type)
      TF_KernelBuilder_TypeConstraint(b, kernels[i].attr, (TF_DataType)kernels[i].type, st);
    if (kernels[i].type2)
      TF_KernelBuilder_TypeConstraint(b, kernels[i].attr, (TF_DataType)kernels[i].type2, st);
    TF_RegisterKernelBuilder(NULL, b, st);
    if (TF_GetCode(st) != TF_OK) see_status(text("registration of %s", op), NULL);
  }
}

static void see_lookup(const char *label, const char *op, const char *kernel_label) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT);
  TF_OperationDescription *desc = TF_NewOperation(graph, op, "n");
  TF_AddInput(desc, x);
  if (kernel_label) TF_SetAttrString(desc, "_kernel", kernel_label, strlen(kernel_label));
  TF_Output y = finish(desc);
  if (y.oper) see_run(label, graph, &x, float_scalar(5), &y, NULL);
  TF_DeleteGraph(graph);
}

#define CPU .device = "CPU"

void case_kernel_lookup(void) {
  static const struct {
    const char *name;
    registration kernels[3];
    const char *label;
  } tries[] = {
      {"one", {{CPU}}, NULL},
      {"none", {{0}}, NULL},
      {"rule-099 label", {{CPU, .label = "l"}}, "l"},
      {"rule-099 label not asked", {{CPU, .label = "l"}}, NULL},
      {"rule-099 label not there", {{CPU}}, "l"},
      {"rule-099 other label", {{CPU, .label = "l"}}, "m"},
      {"rule-099 both, asked", {{CPU}, {CPU, .label = "l"}}, "l"},
      {"rule-099 both, not asked", {{CPU}, {CPU, .label = "l"}}, NULL},
      {"rule-099 empty label", {{CPU}}, ""},
      {"rule-101 priority", {{CPU}, {CPU, .priority = 2}, {CPU, .priority = 1}}, NULL},
      {"rule-101 negative priority", {{CPU, .priority = -5}, {CPU, .priority = -4}}, NULL},
      {"rule-101 tie", {{CPU}, {CPU}}, NULL},
      {"rule-101 tie below the top", {{CPU}, {CPU}, {CPU, .priority = 1}}, NULL},
      {"rule-101 tie at the top", {{CPU, .priority = 1}, {CPU, .priority = 1}, {CPU}}, NULL},
      {"rule-102 default", {{.device = "DEFAULT"}}, NULL},
      {"rule-102 default and CPU", {{.device = "DEFAULT", .priority = 5}, {CPU}}, NULL},
      {"rule-102 default, CPU does not match",
       {{.device = "DEFAULT"}, {CPU, .attr = "T", .type = TF_INT32}},
       NULL},
      {"rule-102 two defaults", {{.device = "DEFAULT"}, {.device = "DEFAULT"}}, NULL},
      {"rule-102 two defaults of two priorities",
       {{.device = "DEFAULT", .priority = 1}, {.device = "DEFAULT"}},
       NULL},
      {"rule-102 default with label", {{.device = "DEFAULT", .label = "l"}}, "l"},
      {"rule-103 matches", {{CPU, .attr = "T", .type = TF_FLOAT}}, NULL},
      {"rule-103 does not match", {{CPU, .attr = "T", .type = TF_INT32}}, NULL},
      {"rule-103 two types",
       {{CPU, .attr = "T", .type = TF_INT32}, {CPU, .attr = "T", .type = TF_FLOAT}},
       NULL},
      {"rule-103 constrained and not", {{CPU}, {CPU, .attr = "T", .type = TF_FLOAT}}, NULL},
      {"rule-103 list", {{CPU, .attr = "L", .type = TF_FLOAT}}, NULL},
      {"rule-104 two constraints", {{CPU, .attr = "T", .type = TF_FLOAT, .type2 = TF_INT32}}, NULL},
      {"rule-104 same constraint twice", {{CPU, .attr = "T", .type = TF_FLOAT, .type2 = TF_FLOAT}}, NULL},
      {"rule-105 unknown attr", {{CPU, .attr = "Nope", .type = TF_FLOAT}}, NULL},
      {"rule-105 attr of another kind", {{CPU, .attr = "i", .type = TF_FLOAT}}, NULL},
      {"rule-105 unknown attr on another kernel", {{CPU, .attr = "Nope", .type = TF_FLOAT}, {CPU}}, NULL},
      {"rule-108 other device", {{.device = "GPU"}}, NULL},
      {"rule-108 other device and label", {{.device = "GPU"}, {CPU, .label = "l"}}, NULL},
  };
  for (int i = 0; i < COUNT(tries); i++) {
    define_lookup(text("Lookup%d", i), 3, tries[i].kernels);
    ISOLATED(tries[i].name) see_lookup(tries[i].name, text("Lookup%d", i), tries[i].label);
  }
}

// What TF_AttrBuilder says about kernels.
void case_kernel_can_run(void) {
  define_lookup("CanRun", 2,
                (registration[]){{CPU, .attr = "T", .type = TF_FLOAT},
                                 {.device = "GPU", .attr = "T", .type = TF_INT32}});
  static const struct {
    const char *op, *device;
    int type;
  } asked[] = {{"CanRun", "CPU", TF_FLOAT},  {"CanRun", "CPU", TF_INT32}, {"CanRun", "GPU", TF_INT32},
               {"CanRun", "XPU", TF_FLOAT},  {"CanRun", "CPU", 0},        {"Nope", "CPU", TF_FLOAT},
               {"Identity", "CPU", TF_FLOAT}};
  for (int i = 0; i < COUNT(asked); i++) ISOLATED(text("can run %d", i)) {
      TF_AttrBuilder *b = TF_NewAttrBuilder(asked[i].op);
      if (asked[i].type) TF_AttrBuilderSetType(b, "T", (TF_DataType)asked[i].type);
      TF_AttrBuilderCheckCanRunOnDevice(b, asked[i].device, st);
      see_status(text("can run %d", i), NULL);
      TF_DeleteAttrBuilder(b);
    }
}

// ---- life ----

static void *create_failing(TF_OpKernelConstruction *ctx) {
  created++;
  TF_Status *s = TF_NewStatus();
  TF_OpKernelConstruction_Failure(ctx, s);  // OK does nothing
  TF_SetStatus(s, TF_DATA_LOSS, "first failure");
  TF_OpKernelConstruction_Failure(ctx, s);
  TF_SetStatus(s, TF_ABORTED, "second failure");
  TF_OpKernelConstruction_Failure(ctx, s);
  TF_DeleteStatus(s);
  return (void *)9;
}

static void *create_name(TF_OpKernelConstruction *ctx) {
  TF_StringView name = TF_OpKernelConstruction_GetName(ctx);
  see("rule-133 name", "%.*s", (int)name.len, name.data);
  return NULL;
}

void case_kernel_life(void) {
  define_op("Life", shape_unknown, "in x: float|out y: float|stateful");
  define_kernel("Life", create_seven, compute_kernel, delete_count);
  define_op("NullLife", shape_unknown, "in x: float|out y: float|stateful");
  define_kernel("NullLife", NULL, compute_kernel, NULL);
  define_op("FailLife", shape_unknown, "in x: float|out y: float|stateful");
  define_kernel("FailLife", create_failing, compute_kernel, delete_count);
  define_op("NameLife", shape_unknown, "in x: float|out y: float|stateful");
  define_kernel("NameLife", create_name, compute_kernel, NULL);
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), a = node(graph, "Life", "a", INPUTS(x)),
            b = node(graph, "Life", "b", INPUTS(x)), null = node(graph, "NullLife", "null", INPUTS(x)),
            bad = node(graph, "FailLife", "bad", INPUTS(x)),
            named = node(graph, "NameLife", "scope/named", INPUTS(x));
  TF_Session *session = open_session(graph);
  for (int i = 0; i < 3; i++) {
    TF_Tensor *result = run(session, &x, float_scalar(1), &a);
    see_status(text("rule-114 run %d", i), NULL);
    see_tensor(text("rule-114 run %d result", i), result);
    see(text("rule-114 created after run %d", i), "%d deleted %d", created, deleted);
    TF_DeleteTensor(result);
  }
  TF_DeleteTensor(run(session, &x, float_scalar(1), &b));
  see("rule-114 created with two nodes", "%d deleted %d", created, deleted);
  TF_Tensor *result = run(session, &x, float_scalar(1), &null);
  see_status("rule-094 no create", NULL);
  see_tensor("rule-094 no create result", result);
  TF_DeleteTensor(result);
  TF_DeleteTensor(run(session, &x, float_scalar(1), &named));
  close_session(session);
  see("rule-115 after the session", "created %d deleted %d last %d", created, deleted,
      (int)(intptr_t)last_deleted);
  created = deleted = computed = 0;
  session = open_session(graph);
  for (int i = 0; i < 2; i++) {
    result = run(session, &x, float_scalar(1), &bad);
    see_status(text("rule-116 failing create, run %d", i), "first failure");
    see(text("rule-116 counts after run %d", i), "created %d deleted %d computed %d last %d", created,
        deleted, computed, (int)(intptr_t)last_deleted);
    TF_DeleteTensor(result);
  }
  close_session(session);
  TF_DeleteGraph(graph);
}

// ---- host memory ----

static void compute_host(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  static const int indices[] = {-1, 0, 1, 2, 3, 4};
  for (int i = 0; i < COUNT(indices); i++) {
    bool host = TF_IsHostMemoryInput(ctx, indices[i], st);
    see(text("rule-150 input %d", indices[i]), "%d", host);
    see_status(text("rule-149 input %d", indices[i]), NULL);
    host = TF_IsHostMemoryOutput(ctx, indices[i], st);
    see(text("rule-150 output %d", indices[i]), "%d", host);
    see_status(text("rule-149 output %d", indices[i]), NULL);
  }
  set_marker(ctx, 4);
}

void case_kernel_host_memory(void) {
  static const char *const ops[] = {"HostNone", "HostSome", "HostWrong"};
  for (int i = 0; i < 3; i++) {
    define_op(ops[i], shape_unknown, "in x: float|in l: N*float|out y: float|attr N: int|stateful");
    TF_KernelBuilder *b = TF_NewKernelBuilder(ops[i], "CPU", NULL, compute_host, NULL);
    if (i == 1) TF_KernelBuilder_HostMemory(b, "l");
    if (i == 1) TF_KernelBuilder_HostMemory(b, "y");
    if (i == 2) TF_KernelBuilder_HostMemory(b, "nope");
    TF_RegisterKernelBuilder(NULL, b, st);
    ISOLATED(ops[i]) {
      TF_Graph *graph = TF_NewGraph();
      TF_Output x = feed_point(graph, "x", TF_FLOAT);
      TF_OperationDescription *desc = TF_NewOperation(graph, ops[i], "n");
      TF_AddInput(desc, x);
      TF_AddInputList(desc, (TF_Output[]){x, x}, 2);
      TF_Output y = finish(desc);
      see_run(text("rule-110 %s", ops[i]), graph, &x, float_scalar(1), &y, i == 2 ? "nope" : NULL);
    }
  }
}
