// Tensors and strings in them: rules 15 to 41.
#include "conformance.h"

static int calls;
static void *last_data, *last_arg;
static size_t last_length;

static void count_free(void *data, size_t length, void *arg) {
  calls++;
  last_data = data;
  last_length = length;
  last_arg = arg;
}

static void see_new(const char *label, TF_DataType type, const int64_t *dims, int rank, void *data,
                    size_t length) {
  calls = 0;
  TF_Tensor *t = TF_NewTensor(type, dims, rank, data, length, count_free, &calls);
  see(text("%s made", label), "%s, calls %d", t ? "tensor" : "NULL", calls);
  if (!t) return;
  see(text("%s state", label), "type %d rank %d count %lld bytes %zu adopted %d aligned %d",
      (int)TF_TensorType(t), TF_NumDims(t), (long long)TF_TensorElementCount(t), TF_TensorByteSize(t),
      TF_TensorData(t) == data, TF_TensorIsAligned(t));
  see(text("%s maybe move", label), "%s", TF_TensorMaybeMove(t) == t ? "itself" : "NULL");
  TF_DeleteTensor(t);
  see(text("%s deleted", label), "calls %d length %zu arg %d", calls, last_length,
      last_arg == (void *)&calls);
}

void case_tensor_new(void) {
  _Alignas(64) static char memory[512];
  const int64_t d23[] = {2, 3}, d0[] = {0}, d203[] = {2, 0, 3}, big[] = {1LL << 32, 1LL << 32};
  see_new("rule-019 aligned", TF_FLOAT, d23, 2, memory, 24);
  see_new("rule-019 longer", TF_FLOAT, d23, 2, memory, 64);
  see_new("rule-019 resource", TF_RESOURCE, NULL, 0, memory + 8, 64);
  see_new("rule-019 variant", TF_VARIANT, NULL, 0, memory + 8, 64);
  for (int offset = 1; offset <= 32; offset *= 2)
    see_new(text("rule-020 offset %d", offset), TF_FLOAT, d23, 2, memory + offset, 24);
  see_new("rule-020 bool off by one", TF_BOOL, d23, 2, memory + 1, 6);
  see_new("rule-020 longer, off", TF_FLOAT, d23, 2, memory + 4, 64);
  see_new("rule-021 too short", TF_FLOAT, d23, 2, memory, 23);
  see_new("rule-021 too short, off", TF_FLOAT, d23, 2, memory + 4, 23);
  see_new("rule-021 empty", TF_FLOAT, d23, 2, memory, 0);
  see_new("rule-022 scalar", TF_FLOAT, NULL, 0, memory, 4);
  see_new("rule-022 scalar short", TF_FLOAT, NULL, 0, memory, 3);
  see_new("rule-022 scalar NULL", TF_FLOAT, NULL, 0, NULL, 0);
  see_new("rule-022 zero elements", TF_FLOAT, d0, 1, NULL, 0);
  see_new("rule-022 zero elements with data", TF_FLOAT, d203, 3, memory, 0);
  see_new("rule-022 zero elements off", TF_FLOAT, d203, 3, memory + 4, 4);
  see_new("rule-025 string, no elements", TF_STRING, d0, 1, memory + 8, 0);
  see_new("rule-025 string", TF_STRING, NULL, 0, memory + 8, 24);
  see_new("rule-033 two strings", TF_STRING, (int64_t[]){2}, 1, memory + 40, 48);
  ISOLATED("rule-023 NULL deallocator") {
    TF_Tensor *t = TF_NewTensor(TF_FLOAT, d23, 2, memory, 24, NULL, NULL);
    TF_DeleteTensor(t);
  }
  ISOLATED("rule-028 overflow")
  see("rule-028 overflow", "%s",
      TF_NewTensor(TF_FLOAT, big, 2, memory, 24, count_free, NULL) ? "tensor" : "NULL");
  ISOLATED("rule-028 negative") {
    see("rule-028 negative", "%s",
        TF_NewTensor(TF_FLOAT, (int64_t[]){-1}, 1, memory, 24, count_free, NULL) ? "tensor" : "NULL");
  }

  // Handles that share memory: an adopted buffer and one of the library.
  float values[6] = {1, 2, 3, 4, 5, 6};
  TF_Tensor *own = float_vector(6, values);
  see("rule-024 own", "%s", TF_TensorMaybeMove(own) == own ? "itself" : "NULL");
  TF_Tensor *other = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
  TF_TensorBitcastFrom(own, TF_INT32, other, (int64_t[]){6}, 1, st);
  see_status("rule-024 bitcast", "");
  see("rule-024 shared", "%s %s", TF_TensorMaybeMove(own) ? "itself" : "NULL",
      TF_TensorMaybeMove(other) ? "itself" : "NULL");
  TF_DeleteTensor(own);
  see("rule-024 shared no more", "%s", TF_TensorMaybeMove(other) == other ? "itself" : "NULL");
  TF_DeleteTensor(other);
  ISOLATED("rule-024 NULL") see("rule-024 NULL", "%s", TF_TensorMaybeMove(NULL) ? "tensor" : "NULL");
}

static void see_allocate(const char *label, TF_DataType type, const int64_t *dims, int rank, size_t length) {
  TF_Tensor *t = TF_AllocateTensor(type, dims, rank, length);
  if (!t) {
    see(label, "NULL");
    return;
  }
  see(label, "type %d rank %d count %lld bytes %zu data %d aligned %d by 64 %d", (int)TF_TensorType(t),
      TF_NumDims(t), (long long)TF_TensorElementCount(t), TF_TensorByteSize(t), TF_TensorData(t) != NULL,
      TF_TensorIsAligned(t), (int)((uintptr_t)TF_TensorData(t) % 64 == 0));
  TF_DeleteTensor(t);
}

void case_tensor_allocate(void) {
  see("rule-015 alignment", "%zu", TF_TensorDefaultAlignment());
  const int64_t d23[] = {2, 3}, d0[] = {0}, d203[] = {2, 0, 3};
  see_allocate("rule-016 fits", TF_FLOAT, d23, 2, 24);
  see_allocate("rule-016 longer", TF_FLOAT, d23, 2, 100);
  see_allocate("rule-016 short", TF_FLOAT, d23, 2, 23);
  see_allocate("rule-016 zero length", TF_FLOAT, d23, 2, 0);
  ISOLATED("rule-017 short string") {  // the elements past the end are nobody's, so it is not deleted
    see("rule-017 short string", "%s", TF_AllocateTensor(TF_STRING, d23, 2, 24) ? "tensor" : "NULL");
  }
  ISOLATED("rule-017 unknown type") see_allocate("rule-017 unknown type", (TF_DataType)77, d23, 2, 24);
  see_allocate("rule-022 scalar", TF_FLOAT, NULL, 0, 4);
  see_allocate("rule-022 scalar short", TF_FLOAT, NULL, 0, 0);
  see_allocate("rule-032 zero elements", TF_FLOAT, d0, 1, 0);
  see_allocate("rule-032 zero elements, rank 3", TF_FLOAT, d203, 3, 0);
  see_allocate("rule-032 zero elements with bytes", TF_FLOAT, d203, 3, 16);
  int64_t ones[300];
  for (int i = 0; i < 300; i++) ones[i] = 1;
  see_allocate("rule-028 rank 254", TF_FLOAT, ones, 254, 4);
  ISOLATED("rule-028 rank 255") see_allocate("rule-028 rank 255", TF_FLOAT, ones, 255, 4);
  ISOLATED("rule-028 negative dimension")
  see_allocate("rule-028 negative dimension", TF_FLOAT, (int64_t[]){-2}, 1, 400);
  ISOLATED("rule-028 negative rank") see_allocate("rule-028 negative rank", TF_FLOAT, d23, -1, 400);
  ISOLATED("rule-028 overflow")
  see_allocate("rule-028 overflow", TF_FLOAT, (int64_t[]){1LL << 62, 4}, 2, 400);
  ISOLATED("rule-028 overflow of bytes")
  see_allocate("rule-028 overflow of bytes", TF_DOUBLE, (int64_t[]){1LL << 61}, 1, 400);
  ISOLATED("rule-028 overflow times zero") {
    see_allocate("rule-028 overflow times zero", TF_FLOAT, (int64_t[]){0, 1LL << 62, 4}, 3, 400);
  }
  see_allocate("rule-031 float8", (TF_DataType)24, d23, 2, 6);
  see_allocate("rule-031 int4", TF_INT4, d23, 2, 6);
  see_allocate("rule-031 float4", TF_FLOAT4_E2M1FN, d23, 2, 6);
}

void case_tensor_shape(void) {
  TF_Tensor *t = float_vector(3, (float[]){1, 2, 3});
  see("rule-027 bytes", "%zu", TF_TensorByteSize(t));
  TF_SetShape(t, (int64_t[]){1000}, 1);
  see("rule-026 larger", "rank %d dim %lld count %lld bytes %zu", TF_NumDims(t), (long long)TF_Dim(t, 0),
      (long long)TF_TensorElementCount(t), TF_TensorByteSize(t));
  TF_SetShape(t, NULL, 0);
  see("rule-026 scalar", "rank %d count %lld", TF_NumDims(t), (long long)TF_TensorElementCount(t));
  TF_SetShape(t, (int64_t[]){3, 0}, 2);
  see("rule-026 zero", "rank %d count %lld", TF_NumDims(t), (long long)TF_TensorElementCount(t));
  ISOLATED("rule-026 negative") {
    TF_SetShape(t, (int64_t[]){-1}, 1);
    see("rule-026 negative", "rank %d", TF_NumDims(t));
  }
  for (int i = -1; i <= 2; i += 3)
    ISOLATED(text("rule-028 dim %d", i)) see(text("rule-028 dim %d", i), "%lld", (long long)TF_Dim(t, i));
  TF_DeleteTensor(t);
  t = float_scalar(5);
  see("rule-029 scalar", "%lld", (long long)TF_TensorElementCount(t));
  see("rule-033 aligned", "%d", TF_TensorIsAligned(t));
  TF_DeleteTensor(t);
}

static void see_bitcast(const char *label, TF_DataType type, const int64_t *dims, int rank, bool self) {
  TF_Tensor *from = float_vector(6, (float[]){1, 2, 3, 4, 5, 6});
  TF_Tensor *to = self ? from : float_scalar(0);
  TF_TensorBitcastFrom(from, type, to, dims, rank, st);
  bool fine = TF_GetCode(st) == TF_OK;
  see_status(label, fine ? "" : NULL);
  see(text("%s result", label), "type %d rank %d count %lld bytes %zu shared %d", (int)TF_TensorType(to),
      TF_NumDims(to), (long long)TF_TensorElementCount(to), TF_TensorByteSize(to),
      TF_TensorData(to) == TF_TensorData(from));
  if (!self) TF_DeleteTensor(to);
  TF_DeleteTensor(from);
}

void case_tensor_bitcast(void) {
  see_bitcast("rule-030 reshape", TF_FLOAT, (int64_t[]){2, 3}, 2, false);
  see_bitcast("rule-030 int32", TF_INT32, (int64_t[]){6}, 1, false);
  see_bitcast("rule-030 int64", TF_INT64, (int64_t[]){3}, 1, false);
  see_bitcast("rule-030 uint8", TF_UINT8, (int64_t[]){24}, 1, false);
  see_bitcast("rule-030 self", TF_FLOAT, (int64_t[]){3, 2}, 2, true);
  see_bitcast("rule-030 self other type", TF_DOUBLE, (int64_t[]){3}, 1, true);
  see_bitcast("rule-030 mismatch", TF_FLOAT, (int64_t[]){5}, 1, false);
  see_bitcast("rule-030 type mismatch", TF_INT64, (int64_t[]){6}, 1, false);
  see_bitcast("rule-030 string", TF_STRING, (int64_t[]){1}, 1, false);
  see_bitcast("rule-030 resource", TF_RESOURCE, (int64_t[]){1}, 1, false);
  see_bitcast("rule-030 negative", TF_FLOAT, (int64_t[]){-6}, 1, false);
  see_bitcast("rule-030 two negative", TF_FLOAT, (int64_t[]){-2, -3}, 2, false);
  see_bitcast("rule-030 unknown type", (TF_DataType)77, (int64_t[]){6}, 1, false);
  see_bitcast("rule-030 overflow", TF_FLOAT, (int64_t[]){1LL << 62, 16}, 2, false);
  see_bitcast("rule-030 scalar", TF_FLOAT, NULL, 0, false);
}

void case_tensor_types(void) {
  for (int type = -1; type <= 140; type++)
    see(text("rule-034 size of %d", type), "%zu", TF_DataTypeSize((TF_DataType)type));
  for (int type = 0; type <= 36; type++) {
    TF_Tensor *t = TF_AllocateTensor((TF_DataType)type, (int64_t[]){2}, 1, 512);
    see(text("rule-031 tensor of %d", type), "%s %d", t ? "tensor" : "NULL", t ? (int)TF_TensorType(t) : -1);
    if (type != TF_VARIANT && type != TF_RESOURCE) TF_DeleteTensor(t);
  }
}

static void copy_free(void *data, size_t length, void *arg) {
  (void)arg;
  see("rule-025 user strings", "type %d length %zu", (int)TF_StringGetType(data), length);
  TF_StringDealloc(data);
}

void case_tensor_strings(void) {
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, (int64_t[]){3}, 1, 3 * sizeof(TF_TString));
  TF_TString *s = TF_TensorData(t);
  static const char zero[3 * sizeof(TF_TString)];
  see("rule-018 zero-filled", "%d", !memcmp(s, zero, sizeof zero));
  see("rule-018 element", "type %d size %zu", (int)TF_StringGetType(&s[1]), TF_StringGetSize(&s[1]));
  TF_StringCopy(&s[0], "a string longer than twenty-two bytes", 37);
  TF_StringCopy(&s[1], "short", 5);
  TF_StringAssignView(&s[2], "view", 4);
  see_tensor("rule-041 strings", t);
  TF_DeleteTensor(t);

  TF_TString *mine = calloc(1, sizeof *mine);
  TF_StringCopy(mine, "a string longer than twenty-two bytes", 37);
  t = TF_NewTensor(TF_STRING, NULL, 0, mine, sizeof *mine, copy_free, NULL);
  see("rule-025 adopted", "%d", TF_TensorData(t) == mine);
  TF_DeleteTensor(t);
  free(mine);
}

static void see_from_proto(const char *label, const void *bytes, size_t length) {
  TF_Tensor *t = float_scalar(9);
  TF_Buffer *b = TF_NewBufferFromString(bytes, length);
  TF_TensorFromProto(b, t, st);
  see_status(text("%s status", label), NULL);
  see_tensor(label, t);
  TF_DeleteBuffer(b);
  TF_DeleteTensor(t);
}

#define FROM_PROTO(label, bytes) see_from_proto(label, bytes, sizeof(bytes) - 1)

void case_tensor_proto(void) {
  FROM_PROTO("proto float", "\x08\x01\x12\x04\x12\x02\x08\x02\x2a\x08\x00\x00\x80\x3f\x00\x00\x00\x40");
  FROM_PROTO("proto content", "\x08\x01\x12\x04\x12\x02\x08\x01\x22\x04\x00\x00\x80\x3f");
  FROM_PROTO("proto filled", "\x08\x03\x12\x04\x12\x02\x08\x03\x3a\x02\x05\x06");
  FROM_PROTO("proto too many", "\x08\x03\x12\x04\x12\x02\x08\x01\x3a\x02\x05\x06");
  FROM_PROTO("proto none", "\x08\x03\x12\x04\x12\x02\x08\x03");
  FROM_PROTO("proto string", "\x08\x07\x12\x00\x42\x02hi");
  FROM_PROTO("proto scalar bool", "\x08\x0a\x5a\x01\x01");
  FROM_PROTO("proto int64", "\x08\x09\x52\x01\x07");
  FROM_PROTO("proto half", "\x08\x13\x6a\x02\x80\x78");
  FROM_PROTO("proto empty", "");
  FROM_PROTO("proto dtype only", "\x08\x01");
  FROM_PROTO("proto short content", "\x08\x01\x12\x04\x12\x02\x08\x02\x22\x04\x00\x00\x80\x3f");
  FROM_PROTO("proto negative dim", "\x08\x01\x12\x0d\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  FROM_PROTO("proto unknown rank", "\x08\x01\x12\x02\x18\x01");
  FROM_PROTO("proto unknown dtype", "\x08\x4d\x12\x00");
  FROM_PROTO("proto garbage", "\xff\xff\xff");
  FROM_PROTO("proto zero elements", "\x08\x01\x12\x04\x12\x02\x08\x00");
}

static void see_string(const char *label, const TF_TString *s) {
  see(label, "type %d size %zu capacity %zu '%.*s'", (int)TF_StringGetType(s), TF_StringGetSize(s),
      TF_StringGetCapacity(s), (int)TF_StringGetSize(s), TF_StringGetDataPointer(s));
}

void case_tstring(void) {
  TF_TString s;
  see("rule-035 size", "%zu", sizeof s);
  memset(&s, 0xff, sizeof s);
  TF_StringInit(&s);
  see_string("rule-035 init", &s);
  char filler[5000];
  memset(filler, 'f', sizeof filler);
  static const int sizes[] = {0, 1, 21, 22, 23, 24, 30, 31, 32, 33, 47, 48, 100, 1000, 4096};
  for (int i = 0; i < COUNT(sizes); i++) {
    TF_TString fresh;
    TF_StringInit(&fresh);
    TF_StringCopy(&fresh, filler, (size_t)sizes[i]);
    see(text("rule-036 copy %d", sizes[i]), "type %d size %zu capacity %zu nul %d",
        (int)TF_StringGetType(&fresh), TF_StringGetSize(&fresh), TF_StringGetCapacity(&fresh),
        TF_StringGetDataPointer(&fresh)[sizes[i]] == 0);
    TF_StringDealloc(&fresh);
  }
  TF_StringCopy(&s, filler, 100);
  const char *before = TF_StringGetDataPointer(&s);
  TF_StringCopy(&s, filler, 50);
  see("rule-036 smaller large", "capacity %zu reused %d", TF_StringGetCapacity(&s),
      before == TF_StringGetDataPointer(&s));
  TF_StringCopy(&s, filler, 111);
  see("rule-036 up to capacity", "capacity %zu", TF_StringGetCapacity(&s));
  TF_StringCopy(&s, "tiny", 4);
  see_string("rule-036 back to small", &s);
  TF_StringDealloc(&s);
  see_string("rule-037 dealloc small", &s);
  TF_StringAssignView(&s, "the view", 8);
  see_string("rule-038 view", &s);
  TF_StringDealloc(&s);
  see_string("rule-037 dealloc view", &s);
  TF_StringCopy(&s, filler, 30);
  TF_StringAssignView(&s, "again", 5);
  see_string("rule-038 view over large", &s);
  TF_StringCopy(&s, "copied", 6);
  see_string("rule-038 copy over view", &s);
  TF_StringDealloc(&s);

  ISOLATED("rule-039 garbage owner") {
    TF_TString view;
    TF_StringInit(&view);
    TF_StringAssignView(&view, "old view", 8);
    memset((char *)&view + 16, 0x5a, 8);
    TF_StringDealloc(&view);
    see("rule-039 garbage owner", "type %d size %zu", (int)TF_StringGetType(&view), TF_StringGetSize(&view));
  }
}
