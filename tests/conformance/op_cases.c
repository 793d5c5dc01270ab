// Op registration: the grammar (op_specs.txt) and what TF_LoadLibrary reports, rules 42 to 69.
#include "conformance.h"

static void see_spec(const char *section, const char *spec, const char *phrases) {
  const char *label = text("%s, %s", section, spec);
  ISOLATED(label) {
    setenv("CONFORMANCE_SPEC", spec, 1);
    TF_Library *library = TF_LoadLibrary(plugin_path("spec.so"), st);
    see_status(text("%s status", label), phrases);
    if (library) {
      TF_Buffer ops = TF_GetOpList(library);
      see_proto(text("%s op", label), "OpList", ops.data, ops.length);
    }
  }
}

// Every line of the file is "section<TAB>spec<TAB>phrases".
void case_op_specs(void) {
  TF_DeleteBuffer(TF_GetAllOpList());  // sets up the registry once, before the children are made
  const char *path = getenv("CONFORMANCE_SPECS");
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) {
    see("op_specs", "no file");
    return;
  }
  char line[4096];
  while (fgets(line, sizeof line, file)) {
    char *spec = strchr(line, '\t'), *phrases = spec ? strchr(spec + 1, '\t') : NULL;
    if (!phrases) continue;
    *spec++ = 0;
    *phrases++ = 0;
    phrases[strcspn(phrases, "\n")] = 0;
    see_spec(line, spec, phrases);
  }
  fclose(file);
}

// ---- loading (rules 44 to 48, 194) ----

static void see_load(const char *label, const char *file, const char *phrases) {
  TF_Library *library = TF_LoadLibrary(file, st);
  see_status(text("%s status", label), phrases);
  see(text("%s handle", label), "%s", library ? "handle" : "NULL");
  if (!library) return;
  TF_Buffer ops = TF_GetOpList(library);
  see_proto(text("%s ops", label), "OpList", ops.data, ops.length);
  TF_DeleteLibraryHandle(library);
}

static void see_op_known(const char *label, const char *op) {
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer *b = TF_NewBuffer();
  TF_GraphGetOpDef(graph, op, b, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s %s", label, op), NULL);
  if (fine) see_proto(text("%s %s definition", label, op), "OpDef", b->data, b->length);
  TF_DeleteBuffer(b);
  TF_DeleteGraph(graph);
}

void case_load(void) {
  ISOLATED("rule-194 good") {
    see_load("rule-194 good", plugin_path("good.so"), NULL);
    see_load("rule-047 good again", plugin_path("good.so"), NULL);
    see_op_known("rule-194", "GoodOp");
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "GoodOp", "y", INPUTS(x));
    see_run("rule-194 run", graph, &x, float_vector(3, (float[]){1, 2, 3}), &y, NULL);
  }
  ISOLATED("rule-194 two ops") {
    see_load("rule-194 two ops", plugin_path("two_ops.so"), NULL);
    see_load("rule-194 another", plugin_path("good.so"), NULL);
  }
  ISOLATED("rule-194 empty") see_load("rule-194 empty", plugin_path("empty.so"), NULL);
  ISOLATED("rule-045 twice") {
    see_load("rule-045 twice", plugin_path("twice.so"), "TwiceOp");
    see_op_known("rule-045 kept", "TwiceOp");
  }
  ISOLATED("rule-045 bad half") {
    see_load("rule-045 bad half", plugin_path("half_bad.so"), "bad half");
    see_op_known("rule-045 good half", "GoodHalf");
  }
  ISOLATED("rule-046 existing") {
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = feed_point(graph, "x", TF_FLOAT);
    node(graph, "Identity", "i", INPUTS(x));
    see_load("rule-046 existing", plugin_path("existing.so"), NULL);
    see_op_known("rule-046", "BesideIdentity");
  }
  ISOLATED("rule-194 TF_InitKernel only") {
    see_load("rule-194 TF_InitKernel only", plugin_path("init_kernel.so"), NULL);
    see_op_known("rule-194 TF_InitKernel only", "InitKernelOp");
  }
  ISOLATED("rule-195 pluggable") {
    TF_Library *library = TF_LoadPluggableDeviceLibrary(plugin_path("init_kernel.so"), st);
    see_status("rule-195 TF_InitKernel", NULL);
    see("rule-195 handle", "%s", library ? "handle" : "NULL");
    see_op_known("rule-195", "InitKernelOp");
    TF_DeletePluggableDeviceLibraryHandle(library);
  }
  ISOLATED("rule-195 pluggable, constructor") {
    TF_Library *library = TF_LoadPluggableDeviceLibrary(plugin_path("good.so"), st);
    see_status("rule-195 pluggable, constructor", NULL);
    see("rule-195 constructor handle", "%s", library ? "handle" : "NULL");
    see_op_known("rule-195 constructor", "GoodOp");
  }
  ISOLATED("rule-195 pluggable, nothing in it") {
    TF_LoadPluggableDeviceLibrary(plugin_path("empty.so"), st);
    see_status("rule-195 pluggable, nothing in it", NULL);
  }
  ISOLATED("rule-195 pluggable, no file") {
    TF_LoadPluggableDeviceLibrary("/nowhere/no.so", st);
    see_status("rule-195 pluggable, no file", NULL);
  }
  ISOLATED("rule-194 no file") see_load("rule-194 no file", "/nowhere/no.so", "/nowhere/no.so");
  ISOLATED("rule-194 a folder") see_load("rule-194 a folder", "/tmp", NULL);
  ISOLATED("rule-194 no library") see_load("rule-194 no library", "/proc/self/status", NULL);
  ISOLATED("rule-194 empty name") see_load("rule-194 empty name", "", NULL);
  ISOLATED("rule-194 missing symbol") {
    see_load("rule-194 missing symbol", plugin_path("missing.so"), "TF_NobodyDefinesThis");
    see_op_known("rule-194 missing symbol", "NeverSeen");
  }
}

// ---- registration by the program itself ----

static void register_spec(const char *label, const char *name, const char *attr) {
  TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(name);
  if (attr) TF_OpDefinitionBuilderAddAttr(b, attr);
  TF_RegisterOpDefinition(b, st);
  see_status(label, NULL);
}

void case_op_register(void) {
  ISOLATED("rule-042 deleted builder") {
    TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder("Dropped");
    TF_OpDefinitionBuilderAddAttr(b, "a: nonsense");
    TF_DeleteOpDefinitionBuilder(b);
    see_op_known("rule-042 deleted builder", "Dropped");
  }
  ISOLATED("rule-043 good") {
    register_spec("rule-043 good", "Registered", "a: int = 3");
    see_op_known("rule-043 good", "Registered");
  }
  ISOLATED("rule-043 bad before first use")
  register_spec("rule-043 bad before first use", "Bad", "a: nonsense");
  ISOLATED("rule-044 bad before first use, used") {
    register_spec("rule-044 bad before first use, used 1", "Bad", "a: nonsense");
    TF_DeleteBuffer(TF_GetAllOpList());
    see("rule-044 bad before first use, used 2", "alive");
  }
  ISOLATED("rule-044 bad after first use") {
    TF_DeleteBuffer(TF_GetAllOpList());
    register_spec("rule-044 bad after first use", "Bad", "a: nonsense");
  }
  ISOLATED("rule-044 same name, another definition") {
    register_spec("rule-044 same name 1", "Same", NULL);
    TF_DeleteBuffer(TF_GetAllOpList());
    register_spec("rule-044 same name, another definition", "Same", "a: int");
  }
  ISOLATED("rule-044 same definition again") {
    register_spec("rule-044 same definition 1", "Same", NULL);
    TF_DeleteBuffer(TF_GetAllOpList());
    register_spec("rule-044 same definition again", "Same", NULL);
  }
  ISOLATED("rule-044 existing op") {
    TF_DeleteBuffer(TF_GetAllOpList());
    register_spec("rule-044 existing op", "NoOp", NULL);
  }
  ISOLATED("rule-069 list") {
    define_op("ListedOp", NULL, "in x: T|out y: T|attr T: {float, int32} = DT_FLOAT|stateful");
    TF_Buffer *list = TF_GetAllOpList();
    see("rule-069 list", "data %d deallocator %d", list->length > 0, list->data_deallocator != NULL);
    TF_DeleteBuffer(list);
    see_op_known("rule-069", "ListedOp");
  }
  see_op_known("rule-069 standard", "Placeholder");
  see_op_known("rule-069 standard", "Const");
  see_op_known("rule-069 standard", "Identity");
  see_op_known("rule-069 standard", "NoOp");
  see_op_known("rule-069 standard", "AddV2");
  see_op_known("rule-069 standard", "MatMul");
  see_op_known("rule-069 standard", "Nope");
}

// An op that graphs of a later version must not use (rule 68).
void case_op_deprecated(void) {
  static const int versions[] = {1, 8, 1000, 2474, 2475, 100000};
  for (int i = 0; i < COUNT(versions); i++) {
    TF_OpDefinitionBuilder *b = TF_NewOpDefinitionBuilder(text("Deprecated%d", versions[i]));
    TF_OpDefinitionBuilderAddOutput(b, "y: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(b, shape_unknown);
    TF_OpDefinitionBuilderDeprecated(b, versions[i], "Use something else.");
    TF_RegisterOpDefinition(b, st);
    TF_Graph *graph = TF_NewGraph();
    TF_FinishOperation(TF_NewOperation(graph, text("Deprecated%d", versions[i]), "n"), st);
    bool fine = TF_GetCode(st) == TF_OK;
    see_status(text("rule-068 node of version %d", versions[i]),
               fine ? "" : text("Deprecated%d|%d|Use something else.", versions[i], versions[i]));
    TF_DeleteGraph(graph);
  }
}

// What the small questions about ops say.
void case_op_questions(void) {
  define_op("ListIn", shape_unknown, "in a: float|in b: N*T|out c: T|attr N: int|attr T: type|stateful");
  static const struct {
    const char *op;
    int index;
  } asked[] = {{"ListIn", 0}, {"ListIn", 1}, {"ListIn", 2}, {"ListIn", -1}, {"Nope", 0}, {"Identity", 0}};
  for (int i = 0; i < COUNT(asked); i++) {
    const char *name = TF_GetNumberAttrForOpListInput(asked[i].op, asked[i].index, st);
    see(text("number attr of %s %d", asked[i].op, asked[i].index), "%s", name ? name : "NULL");
    see_status(text("number attr of %s %d status", asked[i].op, asked[i].index), NULL);
  }
  static const char *const ops[] = {"ListIn", "Identity", "NoOp", "Nope"};
  for (int i = 0; i < COUNT(ops); i++) {
    int stateful = TF_OpIsStateful(ops[i], st);
    see_status(text("stateful %s status", ops[i]), NULL);
    if (strcmp(ops[i], "Nope")) see(text("stateful %s", ops[i]), "%d", stateful);
  }
}
