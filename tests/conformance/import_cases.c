// Importing GraphDefs: options in all combinations, wrong graphs, versions, functions.
#include "conformance.h"

// ---- a small writer of GraphDef bytes ----

typedef struct message {
  char bytes[4096];
  size_t length;
} message;

static void put_varint(message *m, uint64_t value) {
  do {
    m->bytes[m->length++] = (char)((value & 127) | (value > 127 ? 128 : 0));
    value >>= 7;
  } while (value);
}

static void put_bytes(message *m, int field, const void *data, size_t length) {
  put_varint(m, (uint64_t)field << 3 | 2);
  put_varint(m, length);
  memcpy(m->bytes + m->length, data, length);
  m->length += length;
}

static void put_text(message *m, int field, const char *value) { put_bytes(m, field, value, strlen(value)); }

static void put_int(message *m, int field, uint64_t value) {
  put_varint(m, (uint64_t)field << 3);
  put_varint(m, value);
}

// attr[name] = {type: dtype}; field 5 of NodeDef.
static void put_type_attr(message *node, const char *name, int dtype) {
  message value = {.length = 0}, entry = {.length = 0};
  put_int(&value, 6, (uint64_t)dtype);
  put_text(&entry, 1, name);
  put_bytes(&entry, 2, value.bytes, value.length);
  put_bytes(node, 5, entry.bytes, entry.length);
}

// attr[name] = raw AttrValue bytes.
static void put_attr(message *node, const char *name, const void *value, size_t length) {
  message entry = {.length = 0};
  put_text(&entry, 1, name);
  put_bytes(&entry, 2, value, length);
  put_bytes(node, 5, entry.bytes, entry.length);
}

// A node as text: "name = Op(input, ^control) T" where T is a dtype number for attribute T, 0 for none; dtype
// for Placeholder is set from the same number; "@device" at the end sets the device.
static void put_node(message *graph, const char *line) {
  char name[64] = "", op[64] = "", inputs[256] = "", device[64] = "";
  int type = 0;
  if (sscanf(line, "%63[^=] = %63[^(](%255[^)]) %d @%63s", name, op, inputs, &type, device) < 3)
    sscanf(line, "%63[^=] = %63[^(]() %d @%63s", name, op, &type, device);
  name[strcspn(name, " ")] = 0;
  message node = {.length = 0};
  put_text(&node, 1, name);
  put_text(&node, 2, op);
  for (char *save = NULL, *in = strtok_r(inputs, ", ", &save); in; in = strtok_r(NULL, ", ", &save))
    put_text(&node, 3, in);
  if (*device) put_text(&node, 4, device);
  if (type) put_type_attr(&node, !strcmp(op, "Placeholder") ? "dtype" : "T", type);
  put_bytes(graph, 1, node.bytes, node.length);
}

static void put_versions(message *graph, int producer, int min_consumer) {
  message versions = {.length = 0};
  if (producer) put_int(&versions, 1, (uint64_t)producer);
  if (min_consumer) put_int(&versions, 2, (uint64_t)min_consumer);
  put_bytes(graph, 4, versions.bytes, versions.length);
}

// Lines divided by ';' are nodes.
static message graph_of(const char *lines) {
  message graph = {.length = 0};
  char copy[2048];
  snprintf(copy, sizeof copy, "%s", lines);
  for (char *save = NULL, *line = strtok_r(copy, ";", &save); line; line = strtok_r(NULL, ";", &save)) {
    while (*line == ' ') line++;
    if (*line) put_node(&graph, line);
  }
  return graph;
}

static void see_graph_def(const char *label, TF_Graph *graph) {
  TF_Buffer *b = TF_NewBuffer();
  TF_GraphToGraphDef(graph, b, st);
  if (TF_GetCode(st) != TF_OK) see_status(text("%s status", label), NULL);
  see_buffer(label, "GraphDef", b);
}

static TF_ImportGraphDefResults *import(TF_Graph *graph, const message *m,
                                        const TF_ImportGraphDefOptions *options) {
  TF_Buffer *b = TF_NewBufferFromString(m->bytes, m->length);
  TF_ImportGraphDefResults *results = TF_GraphImportGraphDefWithResults(graph, b, options, st);
  TF_DeleteBuffer(b);
  return results;
}

// Imports into an empty graph with default options.
static void see_import(const char *label, const message *m, const char *phrases) {
  ISOLATED(label) {
    TF_Graph *graph = TF_NewGraph();
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_ImportGraphDefResults *results = import(graph, m, options);
    bool fine = TF_GetCode(st) == TF_OK;
    see_status(text("%s status", label), fine ? "" : phrases);
    see(text("%s results", label), "%s", results ? "results" : "NULL");
    see_graph_def(text("%s graph", label), graph);
    TF_DeleteImportGraphDefResults(results);
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteGraph(graph);
  }
}

void case_import_graphs(void) {
  define_op("TwoOut", shape_unknown, "in x: T|out a: T|out b: T|attr T: type");
  define_op("NeedsAttr", shape_unknown, "in x: float|out y: float|attr r: int|attr d: string = 'x'");
  static const struct {
    const char *name, *nodes, *phrases;
  } graphs[] = {
      {"empty", "", NULL},
      {"chain", "a = Placeholder() 1; b = Identity(a) 1; c = AddV2(a, b) 1", NULL},
      {"reverse order", "c = AddV2(a, b) 1; b = Identity(a) 1; a = Placeholder() 1", NULL},
      {"output names", "a = Placeholder() 1; t = TwoOut(a) 1; b = AddV2(t, t:1) 1; c = AddV2(t:0, a:0) 1",
       NULL},
      {"control", "a = Placeholder() 1; b = Identity(a, ^a) 1; n = NoOp(^b, ^a)", NULL},
      {"control twice", "a = Placeholder() 1; n = NoOp(^a, ^a)", NULL},
      {"control before data", "a = Placeholder() 1; b = Identity(^a, a) 1", "b"},
      {"unknown op", "a = Nope()", "Nope"},
      {"two unknown ops", "a = Nope(); b = Nada(a)", "Nope"},
      {"missing input", "b = Identity(a) 1", "b"},
      {"missing control input", "b = NoOp(^a)", "b"},
      {"missing output", "a = Placeholder() 1; b = Identity(a:1) 1", "a"},
      {"self loop", "b = Identity(b) 1", "cycle"},
      {"cycle", "a = Identity(b) 1; b = Identity(a) 1", NULL},
      {"control cycle", "a = NoOp(^b); b = NoOp(^a)", NULL},
      {"duplicate names", "a = NoOp(); a = NoOp()", "a"},
      {"empty name", " = NoOp()", NULL},
      {"too few inputs", "a = Placeholder() 1; b = AddV2(a) 1", "b"},
      {"too many inputs", "a = Placeholder() 1; b = Identity(a, a) 1", "b"},
      {"no inputs", "b = Identity() 1", "b"},
      {"wrong type", "a = Placeholder() 3; b = Identity(a) 1", "b"},
      {"missing T", "a = Placeholder() 1; b = Identity(a)", "T"},
      {"missing attr", "a = Placeholder() 1; b = NeedsAttr(a)", "r"},
      {"default filled", "a = Placeholder() 1", NULL},
      {"device", "a = Placeholder() 1 @/device:CPU:0; b = Identity(a) 1 @bogus", NULL},
      {"bad input text", "a = Placeholder() 1; b = Identity(a:x) 1", "b"},
      {"empty input text", "a = Placeholder() 1; b = Identity(:0) 1", "b"},
      {"negative output", "a = Placeholder() 1; b = Identity(a:-1) 1", "b"},
      {"name with slash", "a/b/c = Placeholder() 1; a/b = Identity(a/b/c) 1", NULL},
      {"bad name", "a b = NoOp()", NULL},
      {"bad name 2", "-a = NoOp()", NULL},
      {"bad name 3", "a:0 = NoOp()", NULL},
      {"bad name 4", "^a = NoOp()", NULL},
      {"private name", "_a = NoOp()", NULL},
      {"dots", ".a = NoOp(); a.b = NoOp()", NULL},
  };
  for (int i = 0; i < COUNT(graphs); i++) {
    message m = graph_of(graphs[i].nodes);
    see_import(graphs[i].name, &m, graphs[i].phrases);
  }
  message m = {.length = 0};
  memcpy(m.bytes, "\x0a\x05\x0a", m.length = 3);
  see_import("truncated", &m, NULL);
  memcpy(m.bytes, "\xff\xff\xff\xff", m.length = 4);
  see_import("garbage", &m, NULL);
  memcpy(m.bytes, "\0\0\0\0", m.length = 4);
  see_import("zeros", &m, NULL);

  message node = {.length = 0};
  m.length = 0;
  put_text(&node, 1, "a");
  put_text(&node, 2, "NoOp");
  put_attr(&node, "unknown_attr", "\x18\x05", 2);
  put_attr(&node, "_private", "\x12\x01x", 3);
  put_bytes(&m, 1, node.bytes, node.length);
  see_import("rule-070 unknown attr", &m, NULL);
  static const struct {
    const char *name;
    int producer, min_consumer;
  } versions[] = {{"producer 1", 1, 0},
                  {"producer 10", 10, 0},
                  {"producer 2474", 2474, 0},
                  {"producer future", 99999, 0},
                  {"min consumer", 20, 2475},
                  {"min consumer far", 20, 999999},
                  {"min consumer over producer", 5, 9}};
  for (int i = 0; i < COUNT(versions); i++) {
    m = graph_of("a = Placeholder() 1; b = Identity(a) 1");
    put_versions(&m, versions[i].producer, versions[i].min_consumer);
    see_import(text("version %s", versions[i].name), &m, NULL);
  }
  m = graph_of("a = Placeholder() 1");
  message bad = {.length = 0};
  put_int(&bad, 1, 20);
  put_int(&bad, 3, 2474);
  put_bytes(&m, 4, bad.bytes, bad.length);
  see_import("version bad consumer", &m, NULL);
  m = graph_of("a = Placeholder() 1");
  put_int(&m, 3, 12);
  see_import("version old field", &m, NULL);

  // A library with one function without a body.
  for (int version = 0; version <= 30; version += 30) {
    message arg = {.length = 0}, signature = {.length = 0}, function = {.length = 0}, library = {.length = 0};
    put_text(&arg, 1, "x");
    put_int(&arg, 3, TF_FLOAT);
    put_text(&signature, 1, "Fn");
    put_bytes(&signature, 2, arg.bytes, arg.length);
    put_bytes(&function, 1, signature.bytes, signature.length);
    put_bytes(&library, 1, function.bytes, function.length);
    m = graph_of("a = Placeholder() 1; f = Fn(a)");
    put_bytes(&m, 2, library.bytes, library.length);
    put_versions(&m, 1000, version);
    see_import(text("function library, min consumer %d", version), &m, NULL);
  }
}

// ---- options ----

static void see_results(const char *label, TF_ImportGraphDefResults *results) {
  if (!results) return;
  int count;
  TF_Output *outputs;
  TF_ImportGraphDefResultsReturnOutputs(results, &count, &outputs);
  for (int i = 0; i < count; i++)
    see(text("%s output %d", label, i), "%s:%d", TF_OperationName(outputs[i].oper), outputs[i].index);
  TF_Operation **opers;
  TF_ImportGraphDefResultsReturnOperations(results, &count, &opers);
  for (int i = 0; i < count; i++) see(text("%s oper %d", label, i), "%s", TF_OperationName(opers[i]));
  const char **names;
  int *indexes;
  TF_ImportGraphDefResultsMissingUnusedInputMappings(results, &count, &names, &indexes);
  for (int i = 0; i < count; i++) see(text("%s unused %d", label, i), "%s:%d", names[i], indexes[i]);
}

// Every combination of eight options on a graph that has one of the names already, with B also a prefixed
// one.
void case_import_options(void) {
  message m = graph_of(
      "a = Placeholder() 1; b = Identity(a, ^c) 1; c = Placeholder() 1; d = AddV2(b, c) 1; e = NoOp(^a)");
  for (int bits = 0; bits < 512; bits++) {
    const char *label =
        text("options %c%c%c%c%c%c%c%c%c", bits & 256 ? 'B' : '-', bits & 1 ? 'P' : '-', bits & 2 ? 'N' : '-',
             bits & 4 ? 'X' : '-', bits & 8 ? 'M' : '-', bits & 16 ? 'R' : '-', bits & 32 ? 'C' : '-',
             bits & 64 ? 'D' : '-', bits & 128 ? 'T' : '-');
    TF_Graph *graph = TF_NewGraph();
    TF_Output a = feed_point(graph, "a", TF_FLOAT),
              taken = feed_point(graph, bits & 256 ? "pre/b" : "pre_b", TF_FLOAT),
              other = feed_point(graph, "o", TF_FLOAT);
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    if (bits & 1) TF_ImportGraphDefOptionsSetPrefix(options, "pre");
    if (bits & 2) TF_ImportGraphDefOptionsSetUniquifyNames(options, 1);
    if (bits & 4) TF_ImportGraphDefOptionsSetUniquifyPrefix(options, 1);
    if (bits & 8) {
      TF_ImportGraphDefOptionsAddInputMapping(options, "a", 0, other);
      TF_ImportGraphDefOptionsAddInputMapping(options, "nobody", 3, other);
    }
    if (bits & 16) TF_ImportGraphDefOptionsRemapControlDependency(options, "c", other.oper);
    if (bits & 32) {
      TF_ImportGraphDefOptionsAddControlDependency(options, taken.oper);
      TF_ImportGraphDefOptionsAddControlDependency(options, a.oper);
    }
    if (bits & 64) TF_ImportGraphDefOptionsSetDefaultDevice(options, "/device:CPU:0");
    if (bits & 128) {
      TF_ImportGraphDefOptionsAddReturnOutput(options, "d", 0);
      TF_ImportGraphDefOptionsAddReturnOutput(options, "a", 0);
      TF_ImportGraphDefOptionsAddReturnOperation(options, "e");
      see(text("%s asked", label), "%d %d", TF_ImportGraphDefOptionsNumReturnOutputs(options),
          TF_ImportGraphDefOptionsNumReturnOperations(options));
    }
    TF_ImportGraphDefResults *results = import(graph, &m, options);
    see_status(label, NULL);
    see_results(label, results);
    see_graph_def(text("%s graph", label), graph);
    TF_DeleteImportGraphDefResults(results);
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteGraph(graph);
  }
}

typedef void option_fn(TF_ImportGraphDefOptions *options, TF_Output a);

static void prefix_empty(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetPrefix(o, "");
}
static void prefix_slash(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetPrefix(o, "p/");
}
static void prefix_deep(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetPrefix(o, "p/q");
}
static void prefix_bad(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetPrefix(o, "~p");
}
static void prefix_space(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetPrefix(o, "p q");
}
static void prefix_taken(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetPrefix(o, "held");
}
static void prefix_taken_unique(TF_ImportGraphDefOptions *o, TF_Output a) {
  prefix_taken(o, a);
  TF_ImportGraphDefOptionsSetUniquifyPrefix(o, 1);
}
static void map_control(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddInputMapping(o, "x", -1, (TF_Output){a.oper, -1});
}
static void map_control_to_data(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddInputMapping(o, "x", -1, a);
}
static void map_data_to_control(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddInputMapping(o, "x", 0, (TF_Output){a.oper, -1});
}
static void map_data(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddInputMapping(o, "x", 0, a);
}
static void map_twice(TF_ImportGraphDefOptions *o, TF_Output a) { map_data(o, a), map_data(o, a); }
static void map_bad_index(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddInputMapping(o, "x", 0, (TF_Output){a.oper, 4});
}
static void map_unused(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddInputMapping(o, "x", 7, a);
}
static void map_outside(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddInputMapping(o, "outside", 0, a);
}
static void return_output(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsAddReturnOutput(o, "y", 0);
}
static void return_no_output(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsAddReturnOutput(o, "y", 5);
}
static void return_no_node(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsAddReturnOutput(o, "nope", 0);
}
static void return_no_oper(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsAddReturnOperation(o, "nope");
}
static void return_mapped(TF_ImportGraphDefOptions *o, TF_Output a) {
  map_data(o, a), TF_ImportGraphDefOptionsAddReturnOutput(o, "x", 0);
}
static void return_prefixed(TF_ImportGraphDefOptions *o, TF_Output a) {
  prefix_deep(o, a), return_output(o, a);
}
static void device_default(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetDefaultDevice(o, "/device:CPU:7");
}
static void control_none(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsAddControlDependency(o, a.oper);
}
static void control_and_map(TF_ImportGraphDefOptions *o, TF_Output a) { control_none(o, a), map_data(o, a); }
static void remap_unknown(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsRemapControlDependency(o, "zz", a.oper);
}
static void remap_x(TF_ImportGraphDefOptions *o, TF_Output a) {
  TF_ImportGraphDefOptionsRemapControlDependency(o, "x", a.oper);
}
static void unique_names(TF_ImportGraphDefOptions *o, TF_Output a) {
  (void)a, TF_ImportGraphDefOptionsSetUniquifyNames(o, 1);
}
static void unique_prefixed(TF_ImportGraphDefOptions *o, TF_Output a) {
  unique_names(o, a), prefix_taken(o, a);
}
static void nothing(TF_ImportGraphDefOptions *o, TF_Output a) { (void)o, (void)a; }

void case_import_option_cases(void) {
  static const struct {
    const char *name;
    option_fn *set;
  } tries[] = {{"nothing", nothing},
               {"prefix empty", prefix_empty},
               {"prefix slash", prefix_slash},
               {"prefix deep", prefix_deep},
               {"prefix bad", prefix_bad},
               {"prefix space", prefix_space},
               {"prefix taken", prefix_taken},
               {"prefix taken, unique", prefix_taken_unique},
               {"map control", map_control},
               {"map control to data", map_control_to_data},
               {"map data to control", map_data_to_control},
               {"map data", map_data},
               {"map twice", map_twice},
               {"map to bad index", map_bad_index},
               {"map unused", map_unused},
               {"map outside", map_outside},
               {"return output", return_output},
               {"return no output", return_no_output},
               {"return no node", return_no_node},
               {"return no operation", return_no_oper},
               {"return mapped", return_mapped},
               {"return prefixed", return_prefixed},
               {"default device", device_default},
               {"control", control_none},
               {"control and map", control_and_map},
               {"remap unknown", remap_unknown},
               {"remap", remap_x},
               {"unique names", unique_names},
               {"unique and prefix", unique_prefixed}};
  static const char *const graphs[] = {
      "x = Placeholder() 1; y = Identity(x, ^x) 1; z = NoOp(^y) 0 @/device:CPU:1", "y = Identity(outside) 1",
      "held = Placeholder() 1; held_1 = Identity(held) 1; y = Identity(held_1) 1"};
  for (int g = 0; g < COUNT(graphs); g++)
    for (int i = 0; i < COUNT(tries); i++) {
      const char *label = text("graph %d, %s", g, tries[i].name);
      ISOLATED(label) {
        message m = graph_of(graphs[g]);
        TF_Graph *graph = TF_NewGraph();
        TF_Output a = feed_point(graph, "held", TF_FLOAT);
        TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
        tries[i].set(options, a);
        TF_ImportGraphDefResults *results = import(graph, &m, options);
        see_status(label, NULL);
        see_results(label, results);
        see_graph_def(text("%s graph", label), graph);
        if (results) {
          TF_DeleteImportGraphDefResults(import(graph, &m, options));
          see_status(text("%s again", label), NULL);
          see_graph_def(text("%s twice", label), graph);
        }
      }
    }
}

void case_import_return_outputs(void) {
  message m = graph_of("x = Placeholder() 1; y = Identity(x) 1");
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer *b = TF_NewBufferFromString(m.bytes, m.length);
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsAddReturnOutput(options, "y", 0);
  TF_Output out[2] = {{0}};
  TF_GraphImportGraphDefWithReturnOutputs(graph, b, options, out, 2, st);
  see_status("two for one", NULL);
  TF_GraphImportGraphDefWithReturnOutputs(graph, b, options, NULL, 0, st);
  see_status("none for one", NULL);
  TF_GraphImportGraphDefWithReturnOutputs(graph, b, options, out, 1, st);
  see_status("one for one", NULL);
  see("one for one", "%s:%d", out[0].oper ? TF_OperationName(out[0].oper) : "NULL", out[0].index);
  TF_DeleteImportGraphDefOptions(options);
  options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, "again");
  TF_GraphImportGraphDef(graph, b, options, st);
  see_status("plain", NULL);
  see_graph_def("both", graph);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteBuffer(b);

  // Export, import, export: the same again.
  TF_Buffer *exported = TF_NewBuffer();
  TF_GraphToGraphDef(graph, exported, st);
  TF_Graph *copy = TF_NewGraph();
  options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(copy, exported, options, st);
  see_status("round trip", NULL);
  see_graph_def("round trip", copy);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteBuffer(exported);
  TF_DeleteGraph(copy);
  TF_DeleteGraph(graph);
}

// Colocation with nodes that do or do not exist.
void case_import_colocation(void) {
  static const char *const classes[] = {"\x0a\x08\x12\x06loc:@a", "\x0a\x0b\x12\x09loc:@nope",
                                        "\x0a\x07\x12\x05other", "\x12\x06loc:@a"};
  for (int i = 0; i < COUNT(classes); i++)
    for (int validate = 0; validate < 2; validate++)
      for (int prefix = 0; prefix < 2; prefix++) {
        message m = graph_of("a = Placeholder() 1"), node = {.length = 0};
        put_text(&node, 1, "b");
        put_text(&node, 2, "NoOp");
        put_attr(&node, "_class", classes[i], strlen(classes[i]));
        put_bytes(&m, 1, node.bytes, node.length);
        TF_Graph *graph = TF_NewGraph();
        TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
        TF_ImportGraphDefOptionsSetValidateColocationConstraints(options, (unsigned char)validate);
        if (prefix) TF_ImportGraphDefOptionsSetPrefix(options, "p");
        TF_DeleteImportGraphDefResults(import(graph, &m, options));
        const char *label = text("class %d validate %d prefix %d", i, validate, prefix);
        see_status(label, NULL);
        see_graph_def(text("%s graph", label), graph);
        TF_DeleteImportGraphDefOptions(options);
        TF_DeleteGraph(graph);
      }
}
