// Attributes of operations: every TF_SetAttr* with what every TF_OperationGetAttr* makes of it.
#include "conformance.h"

static void see_metadata(const char *label, TF_Operation *oper, const char *attr) {
  TF_AttrMetadata m = TF_OperationGetAttrMetadata(oper, attr, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s metadata status", label), fine ? "" : attr);
  bool sized = m.type == TF_ATTR_STRING || m.type == TF_ATTR_SHAPE;
  if (fine)
    see(text("%s metadata", label), "list %d size %lld type %d total %lld", m.is_list, (long long)m.list_size,
        (int)m.type, sized ? (long long)m.total_size : -77);
}

static void see_strings(const char *label, TF_Operation *oper, const char *attr, int max, size_t room) {
  void *values[8] = {0};
  size_t lengths[8] = {0};
  char storage[64], out[200] = "";
  memset(storage, '#', sizeof storage);
  TF_OperationGetAttrStringList(oper, attr, values, lengths, max, storage, room, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s strings %d %zu status", label, max, room), NULL);
  for (int i = 0; fine && i < max && values[i]; i++)
    sprintf(out + strlen(out), "%zu:%.*s at %d,", lengths[i], (int)lengths[i], (char *)values[i],
            (int)((char *)values[i] - storage));
  if (fine) see(text("%s strings %d %zu", label, max, room), "%s", out);
}

static void see_shapes(const char *label, TF_Operation *oper, const char *attr, int max, int room) {
  int64_t *dims[8] = {0}, storage[32];
  int ranks[8] = {-9, -9, -9, -9, -9, -9, -9, -9};
  char out[300] = "";
  TF_OperationGetAttrShapeList(oper, attr, dims, ranks, max, storage, room, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s shapes %d %d status", label, max, room), NULL);
  for (int i = 0; fine && i < max && ranks[i] != -9; i++) {
    sprintf(out + strlen(out), "%d(", ranks[i]);
    for (int k = 0; k < ranks[i]; k++) sprintf(out + strlen(out), "%lld,", (long long)dims[i][k]);
    strcat(out, ") ");
  }
  if (fine) see(text("%s shapes %d %d", label, max, room), "%s", out);
}

// Asks one attribute in every way there is.
static void see_attr(const char *label, TF_Operation *oper, const char *attr) {
  see_metadata(label, oper, attr);
  char bytes[16];
  for (int max = 0; max <= 9; max += 3) {
    memset(bytes, '.', sizeof bytes);
    TF_OperationGetAttrString(oper, attr, bytes, (size_t)max, st);
    bool fine = TF_GetCode(st) == TF_OK;
    see_status(text("%s string %d status", label, max), NULL);
    if (fine) see(text("%s string %d", label, max), "%.12s", bytes);
  }
  see_strings(label, oper, attr, 0, 0);
  see_strings(label, oper, attr, 2, 64);
  see_strings(label, oper, attr, 8, 64);
  see_strings(label, oper, attr, 8, 5);
  int64_t i = -77, is[6] = {-77, -77, -77, -77, -77, -77};
  TF_OperationGetAttrInt(oper, attr, &i, st);
  see_status(text("%s int status", label), NULL);
  see(text("%s int", label), "%lld", (long long)i);
  TF_OperationGetAttrIntList(oper, attr, is, 2, st);
  see_status(text("%s int list 2 status", label), NULL);
  TF_OperationGetAttrIntList(oper, attr, is + 2, 4, st);
  see_status(text("%s int list status", label), NULL);
  see(text("%s int list", label), "%lld %lld, %lld %lld %lld %lld", (long long)is[0], (long long)is[1],
      (long long)is[2], (long long)is[3], (long long)is[4], (long long)is[5]);
  float f = -77, fs[4] = {-77, -77, -77, -77};
  TF_OperationGetAttrFloat(oper, attr, &f, st);
  see_status(text("%s float status", label), NULL);
  TF_OperationGetAttrFloatList(oper, attr, fs, 4, st);
  see_status(text("%s float list status", label), NULL);
  see(text("%s float", label), "%g, %g %g %g %g", (double)f, (double)fs[0], (double)fs[1], (double)fs[2],
      (double)fs[3]);
  unsigned char b = 77, bs[4] = {77, 77, 77, 77};
  TF_OperationGetAttrBool(oper, attr, &b, st);
  see_status(text("%s bool status", label), NULL);
  TF_OperationGetAttrBoolList(oper, attr, bs, 4, st);
  see_status(text("%s bool list status", label), NULL);
  see(text("%s bool", label), "%d, %d %d %d %d", b, bs[0], bs[1], bs[2], bs[3]);
  TF_DataType t = (TF_DataType)77,
              ts[4] = {(TF_DataType)77, (TF_DataType)77, (TF_DataType)77, (TF_DataType)77};
  TF_OperationGetAttrType(oper, attr, &t, st);
  see_status(text("%s type status", label), NULL);
  TF_OperationGetAttrTypeList(oper, attr, ts, 4, st);
  see_status(text("%s type list status", label), NULL);
  see(text("%s type", label), "%d, %d %d %d %d", (int)t, (int)ts[0], (int)ts[1], (int)ts[2], (int)ts[3]);
  for (int rank = 0; rank <= 4; rank++) {
    int64_t dims[4] = {-77, -77, -77, -77};
    TF_OperationGetAttrShape(oper, attr, dims, rank, st);
    bool fine = TF_GetCode(st) == TF_OK;
    see_status(text("%s shape %d status", label, rank), NULL);
    if (fine)
      see(text("%s shape %d", label, rank), "%lld %lld %lld %lld", (long long)dims[0], (long long)dims[1],
          (long long)dims[2], (long long)dims[3]);
  }
  see_shapes(label, oper, attr, 0, 0);
  see_shapes(label, oper, attr, 2, 32);
  see_shapes(label, oper, attr, 8, 32);
  see_shapes(label, oper, attr, 8, 2);
  TF_Buffer *buffer = TF_NewBuffer();
  TF_OperationGetAttrTensorShapeProto(oper, attr, buffer, st);
  see_status(text("%s shape proto status", label), NULL);
  see_buffer(text("%s shape proto", label), "TensorShapeProto", buffer);
  TF_Buffer *buffers[4] = {0};
  TF_OperationGetAttrTensorShapeProtoList(oper, attr, buffers, 4, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(text("%s shape protos status", label), NULL);
  for (int k = 0; fine && k < 4; k++)
    if (buffers[k]) see_buffer(text("%s shape protos %d", label, k), "TensorShapeProto", buffers[k]);
  TF_Tensor *tensor = NULL, *tensors[4] = {0};
  TF_OperationGetAttrTensor(oper, attr, &tensor, st);
  see_status(text("%s tensor status", label), NULL);
  see_tensor(text("%s tensor", label), tensor);
  TF_DeleteTensor(tensor);
  TF_OperationGetAttrTensorList(oper, attr, tensors, 4, st);
  see_status(text("%s tensor list status", label), NULL);
  for (int k = 0; k < 4; k++)
    if (tensors[k]) see_tensor(text("%s tensor list %d", label, k), tensors[k]), TF_DeleteTensor(tensors[k]);
  buffer = TF_NewBuffer();
  TF_OperationGetAttrValueProto(oper, attr, buffer, st);
  see_status(text("%s proto status", label), NULL);
  see_buffer(text("%s proto", label), "AttrValue", buffer);
}

// One op with an attribute of every kind; `v` is what the node is given.
static const char *const kinds[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};

static void define_kinds(void) {
  for (int i = 0; i < COUNT(kinds); i++) {
    define_op(text("Kind%d", i), shape_unknown, text("attr v: %s", kinds[i]));
    define_op(text("Kinds%d", i), shape_unknown, text("attr v: list(%s)", kinds[i]));
  }
}

// Adds a node of op `op` with attribute v set by `set`, and asks everything about it.
static void see_node(const char *label, const char *op, void (*set)(TF_OperationDescription *desc)) {
  ISOLATED(label) {
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *desc = TF_NewOperation(graph, op, "n");
    set(desc);
    if (TF_GetCode(st) != TF_OK) see_status(text("%s set", label), NULL);
    TF_Operation *oper = TF_FinishOperation(desc, st);
    see_status(text("%s node", label), NULL);
    if (oper) see_attr(text("%s,", label), oper, "v");
    if (oper && !strcmp(label, "int")) see_attr("missing,", oper, "missing");
  }
}

#define SETTER(name, ...) \
  static void name(TF_OperationDescription *d) { __VA_ARGS__; }

SETTER(set_string, TF_SetAttrString(d, "v", "bunny", 5))
SETTER(set_string_zero, TF_SetAttrString(d, "v", "a\0b", 3))
SETTER(set_string_empty, TF_SetAttrString(d, "v", "", 0))
SETTER(set_strings,
       TF_SetAttrStringList(d, "v", (const void *const[]){"bugs", "", "duck"}, (size_t[]){4, 0, 4}, 3))
SETTER(set_strings_none, TF_SetAttrStringList(d, "v", NULL, NULL, 0))
SETTER(set_int, TF_SetAttrInt(d, "v", 1099511627776))
SETTER(set_int_negative, TF_SetAttrInt(d, "v", -31415))
SETTER(set_ints, TF_SetAttrIntList(d, "v", (int64_t[]){1, -2, INT64_MAX}, 3))
SETTER(set_ints_none, TF_SetAttrIntList(d, "v", NULL, 0))
SETTER(set_float, TF_SetAttrFloat(d, "v", 2.718f))
SETTER(set_floats, TF_SetAttrFloatList(d, "v", (float[]){1.414f, -2.718f, 3e38f}, 3))
SETTER(set_bool, TF_SetAttrBool(d, "v", 1))
SETTER(set_bool_odd, TF_SetAttrBool(d, "v", 7))
SETTER(set_bools, TF_SetAttrBoolList(d, "v", (unsigned char[]){0, 1, 5, 0}, 4))
SETTER(set_type, TF_SetAttrType(d, "v", TF_COMPLEX128))
SETTER(set_type_odd, TF_SetAttrType(d, "v", (TF_DataType)77))
SETTER(set_type_ref, TF_SetAttrType(d, "v", (TF_DataType)101))
SETTER(set_types, TF_SetAttrTypeList(d, "v", (TF_DataType[]){TF_FLOAT, TF_STRING, TF_BOOL}, 3))
SETTER(set_shape, TF_SetAttrShape(d, "v", (int64_t[]){1, -1, 3}, 3))
SETTER(set_shape_scalar, TF_SetAttrShape(d, "v", NULL, 0))
SETTER(set_shape_unknown, TF_SetAttrShape(d, "v", NULL, -1))
SETTER(set_shape_zero, TF_SetAttrShape(d, "v", (int64_t[]){0, 2}, 2))
SETTER(set_shape_low, TF_SetAttrShape(d, "v", (int64_t[]){-5, 2}, 2))
SETTER(set_shapes,
       TF_SetAttrShapeList(d, "v",
                           (const int64_t *const[]){(int64_t[]){1, 3}, NULL, (int64_t[]){2, -1, 6}, NULL},
                           (int[]){2, -1, 3, 0}, 4))
SETTER(set_shapes_none, TF_SetAttrShapeList(d, "v", NULL, NULL, 0))
SETTER(set_shape_proto, TF_SetAttrTensorShapeProto(d, "v", "\x12\x02\x08\x04\x12\x02\x08\x05", 8, st))
SETTER(set_shape_proto_bad, TF_SetAttrTensorShapeProto(d, "v", "\x12\x12\x12", 3, st))
SETTER(set_shape_protos,
       TF_SetAttrTensorShapeProtoList(d, "v", (const void *const[]){"\x12\x02\x08\x04", "\x18\x01"},
                                      (size_t[]){4, 2}, 2, st))
SETTER(set_shape_protos_bad,
       TF_SetAttrTensorShapeProtoList(d, "v", (const void *const[]){"\x12\x02\x08\x04", "\x12"},
                                      (size_t[]){4, 1}, 2, st))
static void set_tensor(TF_OperationDescription *d) {
  TF_Tensor *t = int_vector(3, (int32_t[]){5, 7, 9});
  TF_SetAttrTensor(d, "v", t, st);
  TF_DeleteTensor(t);
}
static void set_tensor_string(TF_OperationDescription *d) {
  TF_Tensor *t = string_scalar("a string that does not fit in the small form");
  TF_SetAttrTensor(d, "v", t, st);
  TF_DeleteTensor(t);
}
static void set_tensor_same(TF_OperationDescription *d) {
  TF_Tensor *t = float_vector(6, (float[]){4, 4, 4, 4, 4, 4});
  TF_SetShape(t, (int64_t[]){2, 3}, 2);
  TF_SetAttrTensor(d, "v", t, st);
  TF_DeleteTensor(t);
}
static void set_tensor_empty(TF_OperationDescription *d) {
  TF_Tensor *t = float_vector(0, NULL);
  TF_SetAttrTensor(d, "v", t, st);
  TF_DeleteTensor(t);
}
static void set_tensors(TF_OperationDescription *d) {
  TF_Tensor *t[2] = {float_scalar(1.5f), int_vector(2, (int32_t[]){1, 2})};
  TF_SetAttrTensorList(d, "v", t, 2, st);
  TF_DeleteTensor(t[0]);
  TF_DeleteTensor(t[1]);
}
SETTER(set_func, TF_SetAttrFuncName(d, "v", "fn", 2))
SETTER(set_value_int, TF_SetAttrValueProto(d, "v", "\x18\x05", 2, st))
SETTER(set_value_list, TF_SetAttrValueProto(d, "v", "\x0a\x03\x1a\x01\x05", 5, st))
SETTER(set_value_func,
       TF_SetAttrValueProto(d, "v", "\x52\x0f\x0a\x01g\x12\x0a\x0a\x01n\x12\x05\x0a\x03\x1a\x01\x05", 17, st))
SETTER(set_value_bad, TF_SetAttrValueProto(d, "v", "\x0a\x03\x1a", 3, st))
SETTER(set_value_empty, TF_SetAttrValueProto(d, "v", "", 0, st))
SETTER(set_nothing, (void)d)

void case_attrs(void) {
  define_kinds();
  static const struct {
    const char *name, *op;
    void (*set)(TF_OperationDescription *desc);
  } nodes[] = {{"string", "Kind0", set_string},
               {"string with zero", "Kind0", set_string_zero},
               {"string empty", "Kind0", set_string_empty},
               {"strings", "Kinds0", set_strings},
               {"strings none", "Kinds0", set_strings_none},
               {"int", "Kind1", set_int},
               {"int negative", "Kind1", set_int_negative},
               {"ints", "Kinds1", set_ints},
               {"ints none", "Kinds1", set_ints_none},
               {"float", "Kind2", set_float},
               {"floats", "Kinds2", set_floats},
               {"bool", "Kind3", set_bool},
               {"bool odd", "Kind3", set_bool_odd},
               {"bools", "Kinds3", set_bools},
               {"type", "Kind4", set_type},
               {"type odd", "Kind4", set_type_odd},
               {"type ref", "Kind4", set_type_ref},
               {"types", "Kinds4", set_types},
               {"shape", "Kind5", set_shape},
               {"shape scalar", "Kind5", set_shape_scalar},
               {"shape unknown", "Kind5", set_shape_unknown},
               {"shape zero", "Kind5", set_shape_zero},
               {"shape low", "Kind5", set_shape_low},
               {"shapes", "Kinds5", set_shapes},
               {"shapes none", "Kinds5", set_shapes_none},
               {"shape proto", "Kind5", set_shape_proto},
               {"shape proto bad", "Kind5", set_shape_proto_bad},
               {"shape protos", "Kinds5", set_shape_protos},
               {"shape protos bad", "Kinds5", set_shape_protos_bad},
               {"tensor", "Kind6", set_tensor},
               {"tensor string", "Kind6", set_tensor_string},
               {"tensor of equals", "Kind6", set_tensor_same},
               {"tensor empty", "Kind6", set_tensor_empty},
               {"tensors", "Kinds6", set_tensors},
               {"func", "Kind7", set_func},
               {"value int", "Kind1", set_value_int},
               {"value ints", "Kinds1", set_value_list},
               {"value func", "Kind7", set_value_func},
               {"value bad", "Kind1", set_value_bad},
               {"value empty", "Kind1", set_value_empty},
               {"nothing set", "Kind1", set_nothing}};
  for (int i = 0; i < COUNT(nodes); i++) see_node(nodes[i].name, nodes[i].op, nodes[i].set);
}

// Every setter on an op of every kind: which combinations a node may have.
void case_attr_kinds(void) {
  define_kinds();
  static const struct {
    const char *name;
    void (*set)(TF_OperationDescription *desc);
  } setters[] = {{"string", set_string},   {"strings", set_strings}, {"no strings", set_strings_none},
                 {"int", set_int},         {"ints", set_ints},       {"no ints", set_ints_none},
                 {"float", set_float},     {"floats", set_floats},   {"bool", set_bool},
                 {"bools", set_bools},     {"type", set_type},       {"types", set_types},
                 {"shape", set_shape},     {"shapes", set_shapes},   {"tensor", set_tensor},
                 {"tensors", set_tensors}, {"func", set_func},       {"nothing", set_nothing}};
  for (int k = 0; k < COUNT(kinds); k++)
    for (int list = 0; list < 2; list++)
      for (int s = 0; s < COUNT(setters); s++) {
        TF_Graph *graph = TF_NewGraph();
        TF_OperationDescription *desc = TF_NewOperation(graph, text(list ? "Kinds%d" : "Kind%d", k), "n");
        setters[s].set(desc);
        TF_FinishOperation(desc, st);
        see_status(text("%s %s = %s", list ? "list of" : "one", kinds[k], setters[s].name), NULL);
        TF_DeleteGraph(graph);
      }
}
