// What a kernel's create function may ask: rules 118 to 134.
#include "conformance.h"

// Every getter on attribute `attr`; values are printed whether or not the call succeeded, so that "untouched"
// shows.
static void ask(TF_OpKernelConstruction *ctx, const char *attr) {
  TF_Status *s = TF_NewStatus();
#define CALL(rule, what, ...)                                         \
  do {                                                                \
    TF_SetStatus(s, TF_OK, "");                                       \
    __VA_ARGS__;                                                      \
    bool fine = TF_GetCode(s) == TF_OK;                               \
    see_other_status(text("%s %s of %s status", rule, what, attr), s, \
                     fine || strcmp(attr, "missing") ? NULL : attr);  \
  } while (0)
  see(text("rule-132 has %s", attr), "%d", TF_OpKernelConstruction_HasAttr(ctx, attr, s));
  int32_t list_size = -77, total_size = -77;
  CALL("rule-127", "size", TF_OpKernelConstruction_GetAttrSize(ctx, attr, &list_size, &total_size, s));
  see(text("rule-127 size of %s", attr), "%d %d", list_size, total_size);
  TF_SetStatus(s, TF_ABORTED, "before");
  TF_OpKernelConstruction_GetAttrSize(ctx, attr, &list_size, &total_size, s);
  see(text("rule-129 size of %s after an error", attr), "%d %d %s", list_size, total_size,
      code_name(TF_GetCode(s)));
  TF_DataType type = (TF_DataType)77;
  CALL("rule-119", "type", TF_OpKernelConstruction_GetAttrType(ctx, attr, &type, s));
  see(text("rule-119 type of %s", attr), "%d", (int)type);
  int32_t i32 = -77;
  CALL("rule-119", "int32", TF_OpKernelConstruction_GetAttrInt32(ctx, attr, &i32, s));
  see(text("rule-119 int32 of %s", attr), "%d", i32);
  int64_t i64 = -77;
  CALL("rule-119", "int64", TF_OpKernelConstruction_GetAttrInt64(ctx, attr, &i64, s));
  see(text("rule-119 int64 of %s", attr), "%lld", (long long)i64);
  float f = -77;
  CALL("rule-119", "float", TF_OpKernelConstruction_GetAttrFloat(ctx, attr, &f, s));
  see(text("rule-119 float of %s", attr), "%g", (double)f);
  TF_Bool b = 77;
  CALL("rule-119", "bool", TF_OpKernelConstruction_GetAttrBool(ctx, attr, &b, s));
  see(text("rule-119 bool of %s", attr), "%d", b);
  for (size_t room = 0; room <= 9; room += 3) {
    char bytes[16] = "###############";
    CALL("rule-125", text("string %zu", room),
         TF_OpKernelConstruction_GetAttrString(ctx, attr, bytes, room, s));
    see(text("rule-125 string %zu of %s", room, attr), "%.12s", bytes);
  }
  TF_Tensor *tensor = (TF_Tensor *)&tensor;
  CALL("rule-119", "tensor", TF_OpKernelConstruction_GetAttrTensor(ctx, attr, &tensor, s));
  if (tensor == (TF_Tensor *)&tensor)
    see(text("rule-119 tensor of %s", attr), "untouched");
  else
    see_tensor(text("rule-119 tensor of %s", attr), tensor), TF_DeleteTensor(tensor);
  TF_Buffer *function = NULL;
  CALL("rule-131", "function", function = TF_OpKernelConstruction_GetAttrFunction(ctx, attr, s));
  see_buffer(text("rule-131 function of %s", attr), "NameAttrList", function);
  static const int maxima[] = {-1, 0, 2, 4};
  for (int k = 0; k < COUNT(maxima); k++) {
    int max = maxima[k];
    TF_DataType types[5] = {(TF_DataType)77, (TF_DataType)77, (TF_DataType)77, (TF_DataType)77,
                            (TF_DataType)77};
    CALL("rule-120", text("types %d", max),
         TF_OpKernelConstruction_GetAttrTypeList(ctx, attr, types, max, s));
    see(text("rule-123 types %d of %s", max, attr), "%d %d %d %d", (int)types[0], (int)types[1],
        (int)types[2], (int)types[3]);
    int32_t i32s[5] = {-77, -77, -77, -77, -77};
    CALL("rule-120", text("int32s %d", max),
         TF_OpKernelConstruction_GetAttrInt32List(ctx, attr, i32s, max, s));
    see(text("rule-122 int32s %d of %s", max, attr), "%d %d %d %d", i32s[0], i32s[1], i32s[2], i32s[3]);
    int64_t i64s[5] = {-77, -77, -77, -77, -77};
    CALL("rule-120", text("int64s %d", max),
         TF_OpKernelConstruction_GetAttrInt64List(ctx, attr, i64s, max, s));
    see(text("rule-123 int64s %d of %s", max, attr), "%lld %lld %lld %lld", (long long)i64s[0],
        (long long)i64s[1], (long long)i64s[2], (long long)i64s[3]);
    float fs[5] = {-77, -77, -77, -77, -77};
    CALL("rule-120", text("floats %d", max), TF_OpKernelConstruction_GetAttrFloatList(ctx, attr, fs, max, s));
    see(text("rule-123 floats %d of %s", max, attr), "%g %g %g %g", (double)fs[0], (double)fs[1],
        (double)fs[2], (double)fs[3]);
    TF_Bool bs[5] = {77, 77, 77, 77, 77};
    CALL("rule-120", text("bools %d", max), TF_OpKernelConstruction_GetAttrBoolList(ctx, attr, bs, max, s));
    see(text("rule-123 bools %d of %s", max, attr), "%d %d %d %d", bs[0], bs[1], bs[2], bs[3]);
    if (max < 0) continue;
    TF_Tensor *tensors[5] = {0};
    CALL("rule-121", text("tensors %d", max),
         TF_OpKernelConstruction_GetAttrTensorList(ctx, attr, tensors, max, s));
    for (int t = 0; t < 5; t++)
      if (tensors[t])
        see_tensor(text("rule-130 tensors %d of %s, %d", max, attr, t), tensors[t]),
            TF_DeleteTensor(tensors[t]);
    for (size_t room = 0; room <= 20; room += 10) {
      char *values[5] = {0}, storage[32] = {0};
      size_t lengths[5] = {77, 77, 77, 77, 77};
      CALL("rule-126", text("strings %d %zu", max, room),
           TF_OpKernelConstruction_GetAttrStringList(ctx, attr, values, lengths, max, storage, room, s));
      char out[200] = "";
      for (int t = 0; t < max; t++) {
        sprintf(out + strlen(out), " %zu", lengths[t]);
        if (values[t] && lengths[t] < 20) sprintf(out + strlen(out), " at %d", (int)(values[t] - storage));
      }
      see(text("rule-126 strings %d %zu of %s", max, room, attr), "%s '%.20s'", out, storage);
    }
  }
#undef CALL
  TF_DeleteStatus(s);
}

static const char *const attrs[] = {"s",   "i",   "big", "f",    "b",      "t",     "sh",     "su",
                                    "te",  "fn",  "ls",  "li",   "lb",     "lf",    "lo",     "lt",
                                    "lsh", "lte", "lfn", "none", "none_s", "empty", "missing"};

static void *create_asking(TF_OpKernelConstruction *ctx) {
  for (int i = 0; i < COUNT(attrs); i++) ask(ctx, attrs[i]);
  TF_Status *s = TF_NewStatus();
  TF_Buffer *def = TF_OpKernelConstruction_GetNodeDef(ctx, s);
  see_other_status("rule-133 node def status", s, NULL);
  see_buffer("rule-133 node def", "NodeDef", def);
  TF_StringView name = TF_OpKernelConstruction_GetName(ctx);
  see("rule-133 name", "%.*s", (int)name.len, name.data);
  see("rule-132 has _private", "%d", TF_OpKernelConstruction_HasAttr(ctx, "_private", s));
  see("rule-132 has empty name", "%d", TF_OpKernelConstruction_HasAttr(ctx, "", s));
  TF_DeleteStatus(s);
  return NULL;
}

static void compute_nothing(void *kernel, TF_OpKernelContext *ctx) {
  (void)kernel;
  TF_Status *s = TF_NewStatus();
  TF_DeleteTensor(TF_AllocateOutput(ctx, 0, TF_FLOAT, (int64_t[]){0}, 1, 0, s));
  TF_DeleteStatus(s);
}

void case_construct_attrs(void) {
  define_op("AsksAll", shape_unknown,
            "in x: float|out y: float|stateful|attr s: string = 'bunny'|attr i: int = 1234|attr big: int = "
            "1099511627777|"
            "attr f: float = 2.718|attr b: bool = true|attr t: type = DT_HALF|attr sh: shape = { dim { size: "
            "2 } dim { size: -1 } }|"
            "attr su: shape = { unknown_rank: true }|attr te: tensor = { dtype: DT_INT32 tensor_shape { dim "
            "{ size: 2 } } int_val: 5 "
            "int_val: 6 }|attr fn: func = { name: 'f' }|attr ls: list(string) = ['bugs', '', 'duck']|attr "
            "li: list(int) = [1, -2, "
            "1099511627777]|attr lb: list(bool) = [true, false, true]|attr lf: list(float) = [1.5, -2, "
            "3]|attr lo: list(type) = "
            "[DT_FLOAT]|attr lt: list(type) = [DT_FLOAT, DT_STRING, DT_BOOL]|attr lsh: list(shape) = [{ dim "
            "{ size: 2 } }, { "
            "unknown_rank: true }, { dim { size: 3 } dim { size: 4 } }]|attr lte: list(tensor) = [{ dtype: "
            "DT_FLOAT float_val: 1.5 }, "
            "{ dtype: DT_INT32 int_val: 7 }]|attr lfn: list(func) = [{ name: 'g' }]|attr none: list(int) = "
            "[]|attr none_s: "
            "list(string) = []|attr empty: string = ''");
  define_kernel("AsksAll", create_asking, compute_nothing, NULL);
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = feed_point(graph, "x", TF_FLOAT);
  TF_OperationDescription *desc = TF_NewOperation(graph, "AsksAll", "scope/asks");
  TF_AddInput(desc, x);
  TF_SetAttrInt(desc, "i", 4321);
  TF_SetAttrInt(desc, "_private", 1);
  TF_Output y = finish(desc);
  see_run("run", graph, &x, float_scalar(1), &y, NULL);
  TF_DeleteGraph(graph);
}
