// Graphs: building nodes, asking them, changing them, exporting: rules 70, 71 and the graph part of c_api.h.
#include "conformance.h"

static void see_graph_def(const char *label, TF_Graph *graph) {
  TF_Buffer *b = TF_NewBuffer();
  TF_GraphToGraphDef(graph, b, st);
  if (TF_GetCode(st) != TF_OK) see_status(text("%s status", label), NULL);
  see_buffer(label, "GraphDef", b);
}

static void see_node_def(const char *label, TF_Operation *oper) {
  TF_Buffer *b = TF_NewBuffer();
  TF_OperationToNodeDef(oper, b, st);
  if (TF_GetCode(st) != TF_OK) see_status(text("%s status", label), NULL);
  see_buffer(label, "NodeDef", b);
}

static void see_versions(const char *label, TF_Graph *graph) {
  TF_Buffer *b = TF_NewBuffer();
  TF_GraphVersions(graph, b, st);
  see_status(text("%s status", label), NULL);
  see_buffer(label, "VersionDef", b);
}

// Everything that can be asked of an operation without naming an attribute.
static void see_operation(const char *label, TF_Operation *oper) {
  see(text("%s names", label), "'%s' '%s' '%s'", TF_OperationName(oper), TF_OperationOpType(oper),
      TF_OperationDevice(oper));
  int inputs = TF_OperationNumInputs(oper), outputs = TF_OperationNumOutputs(oper);
  see(text("%s counts", label), "inputs %d outputs %d control inputs %d control outputs %d attrs %d", inputs,
      outputs, TF_OperationNumControlInputs(oper), TF_OperationNumControlOutputs(oper),
      TF_OperationGetNumAttrs(oper));
  for (int i = 0; i < inputs; i++) {
    TF_Output from = TF_OperationInput((TF_Input){oper, i});
    see(text("%s input %d", label, i), "type %d from %s:%d", (int)TF_OperationInputType((TF_Input){oper, i}),
        TF_OperationName(from.oper), from.index);
  }
  for (int i = 0; i < outputs; i++) {
    TF_Input consumers[8];
    int count = TF_OperationOutputConsumers((TF_Output){oper, i}, consumers, 8);
    char list[256] = "";
    for (int k = 0; k < count; k++)
      sprintf(list + strlen(list), " %s:%d", TF_OperationName(consumers[k].oper), consumers[k].index);
    see(text("%s output %d", label, i), "type %d consumers %d:%s",
        (int)TF_OperationOutputType((TF_Output){oper, i}),
        TF_OperationOutputNumConsumers((TF_Output){oper, i}), list);
  }
  TF_Operation *others[8];
  int count = TF_OperationGetControlInputs(oper, others, 8);
  for (int k = 0; k < count; k++)
    see(text("%s control input %d", label, k), "%s", TF_OperationName(others[k]));
  count = TF_OperationGetControlOutputs(oper, others, 8);
  for (int k = 0; k < count; k++)
    see(text("%s control output %d", label, k), "%s", TF_OperationName(others[k]));
}

static void see_lists(const char *label, TF_Operation *oper, const char *arg) {
  int length = TF_OperationInputListLength(oper, arg, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s input list %s status", label, arg), fine ? NULL : arg);
  see(text("%s input list %s", label, arg), "%d", length);
  length = TF_OperationOutputListLength(oper, arg, st);
  fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s output list %s status", label, arg), fine ? NULL : arg);
  see(text("%s output list %s", label, arg), "%d", length);
}

static void define_lists(void) {
  define_op("Lists", shape_unknown,
            "in a: float|in b: N*T|in c: L|out x: N*T|out y: L|out z: int32|attr N: int >= 0|attr T: "
            "type|attr L: list(type) >= 0");
}

static TF_Output lists_node(TF_Graph *graph, const char *name, TF_Output a, int n, const TF_Output *b, int l,
                            const TF_Output *c) {
  TF_OperationDescription *desc = TF_NewOperation(graph, "Lists", name);
  TF_AddInput(desc, a);
  TF_AddInputList(desc, b, n);
  TF_AddInputList(desc, c, l);
  if (!n) TF_SetAttrType(desc, "T", TF_FLOAT);
  return finish(desc);
}

void case_graph_basics(void) {
  TF_Graph *graph = TF_NewGraph();
  see_graph_def("empty graph", graph);
  see_versions("empty versions", graph);
  define_lists();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), i = feed_point(graph, "i", TF_INT32),
            k = constant(graph, "k", float_vector(3, (float[]){1, 2, 2}));
  TF_Output id = node(graph, "Identity", "scope/id", INPUTS(x)),
            sum = node(graph, "AddV2", "sum", INPUTS(id, k)),
            product = node(graph, "MatMul", "product", INPUTS(x, x));
  TF_Output lists = lists_node(graph, "lists", x, 2, (TF_Output[]){i, i}, 3, (TF_Output[]){x, i, k});
  TF_Output none = lists_node(graph, "none", x, 0, NULL, 0, NULL);
  TF_OperationDescription *desc = TF_NewOperation(graph, "NoOp", "after");
  TF_AddControlInput(desc, sum.oper);
  TF_AddControlInput(desc, x.oper);
  TF_AddControlInput(desc, sum.oper);
  TF_SetDevice(desc, "/device:CPU:0");
  TF_Output after = finish(desc);
  const TF_Output all[] = {x, i, k, id, sum, product, lists, none, after};
  for (int n = 0; n < COUNT(all); n++) {
    if (!all[n].oper) continue;
    see_operation(text("node %d", n), all[n].oper);
    see_node_def(text("node %d proto", n), all[n].oper);
  }
  static const char *const args[] = {"a", "b", "c", "x", "y", "z", "bogus", "N", ""};
  for (int n = 0; n < COUNT(args); n++) see_lists("lists", lists.oper, args[n]);
  see_graph_def("whole graph", graph);
  size_t position = 0;
  TF_Operation *next;
  char order[200] = "";
  while ((next = TF_GraphNextOperation(graph, &position)))
    sprintf(order + strlen(order), "%s ", TF_OperationName(next));
  see("order", "%s", order);
  static const char *const names[] = {"x", "scope/id", "scope", "id", "x:0", "^x", "nope", ""};
  for (int n = 0; n < COUNT(names); n++) {
    TF_Operation *found = TF_GraphOperationByName(graph, names[n]);
    see(text("by name '%s'", names[n]), "%s", found ? TF_OperationName(found) : "NULL");
  }
  TF_Output inputs[4] = {{0}};
  TF_OperationAllInputs(sum.oper, inputs, 4);
  see("all inputs", "%s %s %d", TF_OperationName(inputs[0].oper), TF_OperationName(inputs[1].oper),
      inputs[2].oper != NULL);
  TF_Input one[1];
  see("consumers, room for one", "%d of %d", TF_OperationOutputConsumers(x, one, 1),
      TF_OperationOutputNumConsumers(x));
  see("consumers, no room", "%d", TF_OperationOutputConsumers(x, one, 0));
  TF_Operation *controls[1];
  see("control inputs, room for one", "%d", TF_OperationGetControlInputs(after.oper, controls, 1));

  ISOLATED("input out of range")
  see("input out of range", "%d", TF_OperationInput((TF_Input){sum.oper, 7}).oper != NULL);
  ISOLATED("input type out of range")
  see("input type out of range", "%d", (int)TF_OperationInputType((TF_Input){sum.oper, 7}));
  ISOLATED("output type out of range")
  see("output type out of range", "%d", (int)TF_OperationOutputType((TF_Output){sum.oper, 7}));
  ISOLATED("consumers out of range")
  see("consumers out of range", "%d", TF_OperationOutputNumConsumers((TF_Output){sum.oper, 7}));
  ISOLATED("attr name out of range") {
    char name[64] = "";
    TF_OperationGetAttrName(sum.oper, 99, name, st);
    see_status("attr name out of range", NULL);
    see("attr name length out of range", "%d", TF_OperationGetAttrNameLength(sum.oper, 99));
  }
  for (int n = 0; n < TF_OperationGetNumAttrs(product.oper); n++) {  // in any order
    char name[64] = "";
    TF_OperationGetAttrName(product.oper, n, name, st);
    see(text("attr name %s", name), "length %d", TF_OperationGetAttrNameLength(product.oper, n));
  }
  TF_DeleteGraph(graph);
}

void case_graph_names(void) {
  static const char *const names[] = {"a",    "A",        "a1",   "1a",   "a_b",  "_a",  "a/b", "a.b", "a-b",
                                      ".a",   "-a",       "/a",   "a/",   "a//b", "a b", " a",  "a ",  "a:0",
                                      "a:",   "^a",       "a\\b", "a>b",  ">a",   "a,b", "a@b", "$a",  "",
                                      "a\nb", "\xc3\xa4", "a/_b", "a/.b", "a/-b", "0",   "a*"};
  TF_Graph *graph = TF_NewGraph();
  for (int i = 0; i < COUNT(names); i++) {
    TF_Operation *oper = TF_FinishOperation(TF_NewOperation(graph, "NoOp", names[i]), st);
    see_status(text("name '%s'", names[i]), NULL);
    see(text("name '%s' node", names[i]), "%s", oper ? "made" : "NULL");
  }
  see_graph_def("graph of names", graph);
  TF_FinishOperation(TF_NewOperation(graph, "NoOp", "a"), st);
  see_status("duplicate name", "a");
  TF_FinishOperation(TF_NewOperation(graph, "NoOp", "a"), st);
  see_status("duplicate name again", "a");
  TF_FinishOperation(TF_NewOperation(graph, "Nope", "new"), st);
  see_status("unknown op", "Nope");
  TF_FinishOperation(TF_NewOperation(graph, "", "new"), st);
  see_status("empty op", NULL);
  TF_FinishOperation(TF_NewOperation(graph, "NoOp", "new"), st);
  see_status("name of a refused node", NULL);
  static const char *const devices[] = {
      "",      "/device:CPU:0", "/cpu:0",        "CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0",
      "bogus", "/device:XPU:0", "/device:CPU:99"};
  for (int i = 0; i < COUNT(devices); i++) {
    TF_OperationDescription *desc = TF_NewOperation(graph, "NoOp", text("device%d", i));
    TF_SetDevice(desc, devices[i]);
    TF_Operation *oper = TF_FinishOperation(desc, st);
    see_status(text("device '%s' status", devices[i]), NULL);
    if (oper) see(text("device '%s'", devices[i]), "'%s'", TF_OperationDevice(oper));
  }
  TF_DeleteGraph(graph);
}

// ---- nodes that do not fit their op ----

typedef void prepare_fn(TF_OperationDescription *desc, TF_Output f, TF_Output i);

static void in_none(TF_OperationDescription *d, TF_Output f, TF_Output i) { (void)d, (void)f, (void)i; }
static void in_one(TF_OperationDescription *d, TF_Output f, TF_Output i) { (void)i, TF_AddInput(d, f); }
static void in_two(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)i, TF_AddInput(d, f), TF_AddInput(d, f);
}
static void in_three(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  in_two(d, f, i), TF_AddInput(d, f);
}
static void in_mixed(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  TF_AddInput(d, f), TF_AddInput(d, i);
}
static void in_ints(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, TF_AddInput(d, i), TF_AddInput(d, i);
}
static void in_list(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)i, TF_AddInputList(d, (TF_Output[]){f, f}, 2);
}
static void in_list_mixed(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  TF_AddInputList(d, (TF_Output[]){f, i}, 2);
}
static void in_list_empty(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, (void)i, TF_AddInputList(d, NULL, 0);
}
static void in_bad_index(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  in_one(d, (TF_Output){f.oper, 5}, i);
}
static void in_no_node(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, in_one(d, (TF_Output){NULL, 0}, i);
}
static void t_float(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  in_one(d, f, i), TF_SetAttrType(d, "T", TF_FLOAT);
}
static void t_int(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  in_one(d, f, i), TF_SetAttrType(d, "T", TF_INT32);
}
static void t_string(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  in_one(d, f, i), TF_SetAttrString(d, "T", "x", 1);
}
static void n_wrong(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  in_list(d, f, i), TF_SetAttrInt(d, "N", 3);
}
static void n_right(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  in_list(d, f, i), TF_SetAttrInt(d, "N", 2);
}
static void control_only(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)i, TF_AddControlInput(d, f.oper);
}
static void control_first(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  control_only(d, f, i), in_one(d, f, i);
}

static void attr_n3(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, (void)i, TF_SetAttrInt(d, "r", 3);
}
static void attr_low(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i), TF_SetAttrInt(d, "min", 1);
}
static void attr_unknown(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i), TF_SetAttrInt(d, "zz", 1);
}
static void attr_private(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i), TF_SetAttrInt(d, "_zz", 1);
}
static void attr_string(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i), TF_SetAttrString(d, "s", "no", 2);
}
static void attr_kind(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, (void)i, TF_SetAttrString(d, "r", "3", 1);
}
static void attr_float(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, (void)i, TF_SetAttrFloat(d, "r", 3);
}
static void attr_as_list(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, (void)i;
  TF_SetAttrIntList(d, "r", (int64_t[]){3}, 1);
}
static void attr_short(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i);
  TF_SetAttrIntList(d, "l", (int64_t[]){3}, 1);
}
static void attr_type(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i), TF_SetAttrType(d, "t", TF_BOOL);
}
static void attr_type_ok(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i), TF_SetAttrType(d, "t", TF_INT32);
}
static void attr_twice(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_low(d, f, i), TF_SetAttrInt(d, "min", 7);
}
static void attr_type_zero(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i);
  TF_SetAttrType(d, "t", (TF_DataType)0);
}
static void attr_types(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i);
  TF_SetAttrTypeList(d, "ts", (TF_DataType[]){TF_FLOAT, TF_BOOL}, 2);
}
static void attr_strings(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i);
  TF_SetAttrStringList(d, "ss", (const void *const[]){"x", "q"}, (size_t[]){1, 1}, 2);
}
static void attr_func(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  attr_n3(d, f, i), TF_SetAttrFuncName(d, "f", "fn", 2);
}
static void attr_placeholder(TF_OperationDescription *d, TF_Output f, TF_Output i) {
  (void)f, (void)i;
  TF_SetAttrPlaceholder(d, "r", "ph");
}

void case_node_errors(void) {
  define_op("Same", shape_unknown, "in a: T|in b: T|out y: T|attr T: type");
  define_op("OneT", shape_unknown, "in a: T|out y: T|attr T: {float, int32}");
  define_op("OneFloat", shape_unknown, "in a: float|out y: float");
  define_op("ListN", shape_unknown, "in a: N*T|out y: T|attr N: int >= 2|attr T: type");
  define_op("ListT", shape_unknown, "in a: T|attr T: list({float, int32}) >= 2");
  define_op("NoInput", shape_unknown, "out y: T|attr T: type");
  define_op("Attrs", shape_unknown,
            "attr r: int|attr min: int >= 5 = 6|attr s: {'x', 'y'} = 'x'|attr l: list(int) >= 2 = [1, "
            "2]|attr t: {float, int32} = "
            "DT_FLOAT|attr ts: list({float, int32}) = []|attr ss: list({'x', 'y'}) = []|attr f: func = "
            "{name: 'f'}");
  static const struct {
    const char *name, *op;
    prepare_fn *prepare;
    const char *phrases;
  } tries[] = {
      {"fits", "Same", in_two, ""},
      {"too few", "Same", in_one, NULL},
      {"no inputs", "Same", in_none, NULL},
      {"too many", "Same", in_three, NULL},
      {"types differ", "Same", in_mixed, NULL},
      {"list for single", "Same", in_list, NULL},
      {"integers", "Same", in_ints, ""},
      {"inferred", "OneT", in_one, ""},
      {"T given", "OneT", t_float, ""},
      {"T contradicts", "OneT", t_int, NULL},
      {"T of wrong kind", "OneT", t_string, NULL},
      {"wrong fixed type", "OneFloat", in_ints, NULL},
      {"bad output index", "OneFloat", in_bad_index, NULL},
      {"no node", "OneFloat", in_no_node, NULL},
      {"control only", "OneFloat", control_only, NULL},
      {"control before data", "OneFloat", control_first, NULL},
      {"list", "ListN", in_list, ""},
      {"list mixed", "ListN", in_list_mixed, NULL},
      {"list empty", "ListN", in_list_empty, NULL},
      {"single for list", "ListN", in_one, NULL},
      {"two singles for list", "ListN", in_two, NULL},
      {"N contradicts", "ListN", n_wrong, NULL},
      {"N agrees", "ListN", n_right, ""},
      {"types", "ListT", in_list_mixed, ""},
      {"types empty", "ListT", in_list_empty, NULL},
      {"T missing", "NoInput", in_none, "T"},
      {"input for none", "NoInput", in_one, NULL},
      {"required missing", "Attrs", in_none, "r"},
      {"required given", "Attrs", attr_n3, ""},
      {"below minimum", "Attrs", attr_low, "min|5"},
      {"unknown attr", "Attrs", attr_unknown, NULL},
      {"private attr", "Attrs", attr_private, ""},
      {"string not allowed", "Attrs", attr_string, "no"},
      {"wrong kind", "Attrs", attr_kind, "r"},
      {"float for int", "Attrs", attr_float, "r"},
      {"list for int", "Attrs", attr_as_list, "r"},
      {"list too short", "Attrs", attr_short, "l"},
      {"type not allowed", "Attrs", attr_type, "t"},
      {"type allowed", "Attrs", attr_type_ok, ""},
      {"type zero", "Attrs", attr_type_zero, NULL},
      {"set twice", "Attrs", attr_twice, ""},
      {"type list not allowed", "Attrs", attr_types, "ts"},
      {"string list not allowed", "Attrs", attr_strings, "ss"},
      {"func", "Attrs", attr_func, ""},
      {"placeholder", "Attrs", attr_placeholder, NULL},
  };
  for (int k = 0; k < COUNT(tries); k++) {
    const char *label = text("rule-071 %s", tries[k].name);
    ISOLATED(label) {
      TF_Graph *graph = TF_NewGraph();
      TF_Output f = feed_point(graph, "f", TF_FLOAT), i = feed_point(graph, "i", TF_INT32);
      TF_OperationDescription *desc = TF_NewOperation(graph, tries[k].op, "n");
      tries[k].prepare(desc, f, i);
      TF_Operation *oper = TF_FinishOperation(desc, st);
      see_status(label, tries[k].phrases);
      if (oper) see_node_def(text("%s node", label), oper);
      see(text("%s left", label), "%d", TF_GraphOperationByName(graph, "n") != NULL);
      TF_FinishOperation(TF_NewOperation(graph, "NoOp", "later"), st);
      see_status(text("%s graph usable", label), NULL);
    }
  }
}

// ---- colocation, control edges, changes ----

void case_graph_colocate(void) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output a = feed_point(graph, "a", TF_FLOAT), b = feed_point(graph, "b", TF_FLOAT);
  TF_OperationDescription *desc = TF_NewOperation(graph, "Identity", "one");
  TF_AddInput(desc, a);
  TF_ColocateWith(desc, b.oper);
  TF_ColocateWith(desc, a.oper);
  TF_ColocateWith(desc, b.oper);
  TF_Output one = finish(desc);
  see_node_def("colocated", one.oper);
  desc = TF_NewOperation(graph, "Identity", "two");
  TF_AddInput(desc, a);
  TF_SetAttrStringList(desc, "_class", (const void *const[]){"loc:@a", "other"}, (size_t[]){6, 5}, 2);
  see_node_def("class set", finish(desc).oper);
  desc = TF_NewOperation(graph, "Identity", "three");
  TF_AddInput(desc, a);
  TF_ColocateWith(desc, a.oper);
  TF_SetAttrStringList(desc, "_class", (const void *const[]){"loc:@b"}, (size_t[]){6}, 1);
  see_node_def("class set after colocation", finish(desc).oper);
  desc = TF_NewOperation(graph, "Identity", "four");
  TF_AddInput(desc, a);
  TF_SetAttrStringList(desc, "_class", (const void *const[]){"loc:@b"}, (size_t[]){6}, 1);
  TF_ColocateWith(desc, a.oper);
  see_node_def("colocation after class", finish(desc).oper);
  desc = TF_NewOperation(graph, "Identity", "five");
  TF_AddInput(desc, a);
  TF_ColocateWith(desc, a.oper);
  TF_SetAttrStringList(desc, "_class", NULL, NULL, 0);
  see_node_def("class emptied", finish(desc).oper);
  desc = TF_NewOperation(graph, "Identity", "six");
  TF_AddInput(desc, a);
  TF_SetAttrString(desc, "_class", "loc:@a", 6);
  TF_FinishOperation(desc, st);
  see_status("class as string", NULL);
  TF_DeleteGraph(graph);
}

void case_graph_changes(void) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output a = placeholder(graph, "a", TF_FLOAT, 1, (int64_t[]){2}),
            b = placeholder(graph, "b", TF_FLOAT, 1, (int64_t[]){2}), i = feed_point(graph, "i", TF_INT32),
            wide = placeholder(graph, "wide", TF_FLOAT, 2, (int64_t[]){4, 4});
  TF_Output x = node(graph, "Identity", "x", INPUTS(a)), y = node(graph, "AddV2", "y", INPUTS(x, b)),
            z = node(graph, "Identity", "z", INPUTS(y));
  TF_UpdateEdge(graph, b, (TF_Input){x.oper, 0}, st);
  see_status("edge moved", NULL);
  see_operation("edge moved x", x.oper);
  see_operation("edge moved a", a.oper);
  TF_UpdateEdge(graph, i, (TF_Input){x.oper, 0}, st);
  see_status("edge of another type", NULL);
  TF_UpdateEdge(graph, wide, (TF_Input){x.oper, 0}, st);
  see_status("edge of another shape", NULL);
  TF_UpdateEdge(graph, z, (TF_Input){x.oper, 0}, st);
  see_status("edge makes a cycle", NULL);
  TF_UpdateEdge(graph, (TF_Output){a.oper, 7}, (TF_Input){x.oper, 0}, st);
  see_status("edge from no output", NULL);
  TF_UpdateEdge(graph, a, (TF_Input){x.oper, 7}, st);
  see_status("edge to no input", NULL);
  see_graph_def("graph after edges", graph);

  TF_AddOperationControlInput(graph, z.oper, a.oper);
  TF_AddOperationControlInput(graph, z.oper, i.oper);
  TF_AddOperationControlInput(graph, z.oper, a.oper);
  see_operation("control added z", z.oper);
  see_node_def("control added", z.oper);
  TF_RemoveAllControlInputs(graph, z.oper);
  see_operation("control removed z", z.oper);
  see_node_def("control removed", z.oper);
  TF_SetRequestedDevice(graph, z.oper, "/device:CPU:1");
  see("device set", "%s", TF_OperationDevice(z.oper));
  TF_Buffer *value = TF_NewBufferFromString("\x18\x05", 2);
  TF_SetAttr(graph, z.oper, "_extra", value, st);
  see_status("attr set", NULL);
  see_node_def("attr set node", z.oper);
  TF_DeleteBuffer(value);
  value = TF_NewBufferFromString("\x18", 1);
  TF_SetAttr(graph, z.oper, "_other", value, st);
  see_status("attr from bad bytes", NULL);
  TF_DeleteBuffer(value);
  TF_ClearAttr(graph, z.oper, "_extra", st);
  see_status("attr cleared", NULL);
  see_node_def("attr cleared node", z.oper);
  TF_ClearAttr(graph, z.oper, "_nope", st);
  see_status("unknown attr cleared", NULL);
  TF_DeleteGraph(graph);
}

void case_graph_constant(void) {
  define_op("Opaque", shape_unknown, "in x: T|out y: T|attr T: type|stateful");
  TF_Graph *graph = TF_NewGraph();
  TF_Output feed = feed_point(graph, "feed", TF_FLOAT), one = constant(graph, "one", float_scalar(1)),
            two = constant(graph, "two", float_vector(2, (float[]){2, 3})),
            sum = node(graph, "AddV2", "sum", INPUTS(one, two)),
            same = node(graph, "Identity", "same", INPUTS(sum)),
            mixed = node(graph, "AddV2", "mixed", INPUTS(sum, feed)),
            opaque = node(graph, "Opaque", "opaque", INPUTS(one));
  const TF_Output asked[] = {feed, one, two, sum, same, mixed, opaque};
  for (int k = 0; k < COUNT(asked); k++) {
    TF_Tensor *value = NULL;
    int done = TF_TryEvaluateConstant(graph, asked[k], &value, st);
    see_status(text("evaluate %s status", TF_OperationName(asked[k].oper)), NULL);
    see(text("evaluate %s", TF_OperationName(asked[k].oper)), "%d", done);
    if (done) see_tensor(text("evaluate %s value", TF_OperationName(asked[k].oper)), value);
    if (done) TF_DeleteTensor(value);
  }
  TF_DeleteGraph(graph);
}

void case_graph_gradients(void) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT), y = node(graph, "AddV2", "y", INPUTS(x, x)),
            dy = {NULL, -7};
  TF_AddGradients(graph, &y, 1, &x, 1, NULL, st, &dy);
  see_status("gradients", NULL);
  see("gradients output", "%s", dy.oper ? "output" : "untouched");
  TF_DeleteGraph(graph);
}
