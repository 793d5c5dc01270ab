// What the cases share: printing observations, children, small ops, kernels, nodes, tensors, sessions.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

TF_Status *st;

const char *text(const char *format, ...) {
  static char ring[64][512];
  static int next;
  char *out = ring[next++ & 63];
  va_list args;
  va_start(args, format);
  vsnprintf(out, sizeof ring[0], format, args);
  va_end(args);
  return out;
}

// A value is one line of printable characters.
static void print_escaped(const char *data, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)data[i];
    if (c == '\n')
      fputs("\\n", stdout);
    else if (c < 32 || c > 126)
      printf("\\x%02x", c);
    else
      putchar(c);
  }
}

void see(const char *label, const char *format, ...) {
  char value[8192];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(value, sizeof value, format, args);
  va_end(args);
  print_escaped(label, strlen(label));
  putchar('\t');
  print_escaped(value, (size_t)length < sizeof value ? (size_t)length : sizeof value - 1);
  putchar('\n');
  fflush(stdout);
}

const char *code_name(TF_Code code) {
  static const char *const names[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return (unsigned)code < COUNT(names) ? names[code] : text("code %d", (int)code);
}

void see_other_status(const char *label, TF_Status *status, const char *phrases) {
  char value[1024];
  size_t used = (size_t)snprintf(value, sizeof value, "%s", code_name(TF_GetCode(status)));
  const char *message = TF_Message(status);
  while (phrases && *phrases) {
    size_t length = strcspn(phrases, "|");
    char phrase[256];
    snprintf(phrase, sizeof phrase, "%.*s", (int)length, phrases);
    if (!strstr(message, phrase) && used < sizeof value)
      used += (size_t)snprintf(value + used, sizeof value - used, ", lacks \"%s\"", phrase);
    phrases += length + (phrases[length] == '|');
  }
  see(label, "%s", value);
  if (*message) {
    fputs("# ", stdout);
    print_escaped(message, strlen(message));
    putchar('\n');
    fflush(stdout);
  }
}

void see_status(const char *label, const char *phrases) {
  see_other_status(label, st, phrases);
  TF_SetStatus(st, TF_OK, "");
}

static size_t append_element(char *out, size_t room, const TF_Tensor *tensor, int64_t i) {
  const void *data = TF_TensorData(tensor);
  int length = 0;
  switch (TF_TensorType(tensor)) {
    case TF_FLOAT:
      length = snprintf(out, room, "%.9g", (double)((const float *)data)[i]);
      break;
    case TF_DOUBLE:
      length = snprintf(out, room, "%.17g", ((const double *)data)[i]);
      break;
    case TF_INT32:
      length = snprintf(out, room, "%d", ((const int32_t *)data)[i]);
      break;
    case TF_INT64:
      length = snprintf(out, room, "%lld", (long long)((const int64_t *)data)[i]);
      break;
    case TF_BOOL:
      length = snprintf(out, room, "%d", ((const unsigned char *)data)[i]);
      break;
    case TF_STRING: {
      const TF_TString *s = (const TF_TString *)data + i;
      length = snprintf(out, room, "'%.*s'", (int)TF_StringGetSize(s), TF_StringGetDataPointer(s));
      break;
    }
    default: {
      size_t size = TF_DataTypeSize(TF_TensorType(tensor));
      for (size_t k = 0; k < size && room > (size_t)length + 2; k++)
        length += snprintf(out + length, room - (size_t)length, "%02x",
                           ((const unsigned char *)data)[(size_t)i * size + k]);
    }
  }
  return (size_t)length;
}

void see_tensor(const char *label, const TF_Tensor *tensor) {
  if (!tensor) {
    see(label, "NULL");
    return;
  }
  char value[4096];
  size_t used = (size_t)snprintf(value, sizeof value, "dtype %d [", (int)TF_TensorType(tensor));
  for (int i = 0; i < TF_NumDims(tensor) && used < 2000; i++)
    used += (size_t)snprintf(value + used, sizeof value - used, "%s%lld", i ? "," : "",
                             (long long)TF_Dim(tensor, i));
  used += (size_t)snprintf(value + used, sizeof value - used, "]");
  for (int64_t i = 0; i < TF_TensorElementCount(tensor) && i < 64 && used < 3500; i++) {
    value[used++] = ' ';
    used += append_element(value + used, sizeof value - used, tensor, i);
  }
  see(label, "%s", value);
}

void see_proto(const char *label, const char *message, const void *data, size_t length) {
  print_escaped(label, strlen(label));
  printf("\t@%s ", message);
  for (size_t i = 0; i < length; i++) printf("%02x", ((const unsigned char *)data)[i]);
  putchar('\n');
  fflush(stdout);
}

void see_buffer(const char *label, const char *message, TF_Buffer *buffer) {
  if (buffer)
    see_proto(label, message, buffer->data, buffer->length);
  else
    see(label, "NULL");
  TF_DeleteBuffer(buffer);
}

static const char *isolated_label;

bool isolate_begin(const char *label) {
  static char kept[512];
  snprintf(kept, sizeof kept, "%s", label);
  isolated_label = kept;
  fflush(stdout);
  const char *inside = getenv("CONFORMANCE_INSIDE");  // for a debugger: this block runs in the process itself
  if (inside) return !strcmp(inside, label);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    return true;
  }
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) < 0) {
    see(text("%s ends", label), "no child");
    exit(1);
  }
  if (WIFSIGNALED(state))
    see(text("%s ends", label), WTERMSIG(state) == SIGALRM ? "hangs" : "dies");
  else if (WEXITSTATUS(state))
    see(text("%s ends", label), "exits %d", WEXITSTATUS(state));
  else
    see(text("%s ends", label), "returns");
  return false;
}

bool isolate_end(void) {
  fflush(stdout);
  _exit(0);
}

// ---- ops and kernels ----

void shape_unknown(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

void shape_first(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  for (int i = 0; TF_GetCode(status) == TF_OK; i++) TF_ShapeInferenceContextSetOutput(ctx, i, shape, status);
  TF_SetStatus(status, TF_OK, "");
  TF_DeleteShapeHandle(shape);
}

static void add_spec(TF_OpDefinitionBuilder *builder, const char *spec) {
  if (!strncmp(spec, "in ", 3))
    TF_OpDefinitionBuilderAddInput(builder, spec + 3);
  else if (!strncmp(spec, "out ", 4))
    TF_OpDefinitionBuilderAddOutput(builder, spec + 4);
  else if (!strncmp(spec, "attr ", 5))
    TF_OpDefinitionBuilderAddAttr(builder, spec + 5);
  else if (!strcmp(spec, "stateful"))
    TF_OpDefinitionBuilderSetIsStateful(builder, true);
  else if (*spec)
    see("harness: unknown spec", "%s", spec);
}

void define_op(const char *name, shape_fn *shape, const char *specs) {
  TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
  while (*specs) {
    char spec[512];
    size_t length = strcspn(specs, "|");
    snprintf(spec, sizeof spec, "%.*s", (int)length, specs);
    add_spec(builder, spec);
    specs += length + (specs[length] == '|');
  }
  if (shape) TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, shape);
  TF_RegisterOpDefinition(builder, st);
  if (TF_GetCode(st) != TF_OK) see_status(text("define_op %s", name), NULL);
}

void define_kernel(const char *op, create_fn *create, compute_fn *compute, delete_fn *destroy) {
  TF_RegisterKernelBuilder(NULL, TF_NewKernelBuilder(op, "CPU", create, compute, destroy), st);
  if (TF_GetCode(st) != TF_OK) see_status(text("define_kernel %s", op), NULL);
}

// ---- nodes ----

TF_Output finish(TF_OperationDescription *desc) {
  TF_Output out = {TF_FinishOperation(desc, st), 0};
  if (!out.oper) see_status("node refused", NULL);
  return out;
}

TF_Output placeholder(TF_Graph *graph, const char *name, TF_DataType type, int rank, const int64_t *dims) {
  TF_OperationDescription *desc = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(desc, "dtype", type);
  TF_SetAttrShape(desc, "shape", dims, rank);
  return finish(desc);
}

TF_Output feed_point(TF_Graph *graph, const char *name, TF_DataType type) {
  return placeholder(graph, name, type, -1, NULL);
}

TF_Output constant(TF_Graph *graph, const char *name, TF_Tensor *value) {
  TF_OperationDescription *desc = TF_NewOperation(graph, "Const", name);
  TF_SetAttrType(desc, "dtype", TF_TensorType(value));
  TF_SetAttrTensor(desc, "value", value, st);
  TF_DeleteTensor(value);
  return finish(desc);
}

TF_Output node(TF_Graph *graph, const char *op, const char *name, int input_count, const TF_Output *inputs) {
  TF_OperationDescription *desc = TF_NewOperation(graph, op, name);
  for (int i = 0; i < input_count; i++) TF_AddInput(desc, inputs[i]);
  return finish(desc);
}

// ---- tensors ----

static TF_Tensor *filled(TF_DataType type, const int64_t *dims, int rank, const void *data, size_t bytes) {
  TF_Tensor *tensor = TF_AllocateTensor(type, dims, rank, bytes);
  if (bytes) memcpy(TF_TensorData(tensor), data, bytes);
  return tensor;
}

TF_Tensor *float_scalar(float value) { return filled(TF_FLOAT, NULL, 0, &value, sizeof value); }
TF_Tensor *int_scalar(int32_t value) { return filled(TF_INT32, NULL, 0, &value, sizeof value); }

TF_Tensor *float_vector(int count, const float *values) {
  return filled(TF_FLOAT, (int64_t[]){count}, 1, values, (size_t)count * sizeof *values);
}

TF_Tensor *int_vector(int count, const int32_t *values) {
  return filled(TF_INT32, (int64_t[]){count}, 1, values, (size_t)count * sizeof *values);
}

TF_Tensor *string_scalar(const char *value) {
  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(TF_TString));
  TF_StringInit(
      TF_TensorData(tensor));  // stock may hand out memory of an earlier tensor, whatever rule 18 says
  TF_StringCopy(TF_TensorData(tensor), value, strlen(value));
  return tensor;
}

// ---- sessions ----

TF_Session *open_session(TF_Graph *graph) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options, st);
  TF_DeleteSessionOptions(options);
  if (!session) see_status("no session", NULL);
  return session;
}

void close_session(TF_Session *session) {
  TF_CloseSession(session, st);
  TF_DeleteSession(session, st);
  if (TF_GetCode(st) != TF_OK) see_status("closing the session", NULL);
}

TF_Tensor *run(TF_Session *session, const TF_Output *feed, TF_Tensor *value, const TF_Output *fetch) {
  TF_Tensor *result = NULL;
  TF_SessionRun(session, NULL, feed, &value, feed ? 1 : 0, fetch, &result, 1, NULL, 0, NULL, st);
  TF_DeleteTensor(value);
  return result;
}

void see_run(const char *label, TF_Graph *graph, const TF_Output *feed, TF_Tensor *value,
             const TF_Output *fetch, const char *phrases) {
  TF_Session *session = open_session(graph);
  TF_Tensor *result = run(session, feed, value, fetch);
  see_status(text("%s status", label), phrases);
  see_tensor(text("%s result", label), result);
  TF_DeleteTensor(result);
  close_session(session);
}

const char *plugin_path(const char *file) {
  const char *folder = getenv("CONFORMANCE_PLUGINS");
  return text("%s/%s", folder ? folder : ".", file);
}
