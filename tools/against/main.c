// dovetail-against LIBDIR [CONFIG [RUN_OPTIONS]]: runs a model on the libtensorflow_cc.so.2 of a folder for
// `dovetail bench --against` and for bench/, which start it and talk to it over standard input and output
// (pipe.h). A program of its own, because two libraries with the same symbols do not fit into one process. It
// links to neither and uses the stock C API alone. CONFIG is a ConfigProto and RUN_OPTIONS a RunOptions, in
// hexadecimal; what CONFIG says wins over the number of threads that comes over the pipe.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../measure.h"
#include "pipe.h"
#include "tensorflow/c/c_api.h"

#define FUNCTIONS(X)                                                                                     \
  X(TF_Version)                                                                                          \
  X(TF_NewStatus)                                                                                        \
  X(TF_GetCode)                                                                                          \
  X(TF_Message)                                                                                          \
  X(TF_NewGraph)                                                                                         \
  X(TF_NewSessionOptions) X(TF_SetConfig) X(TF_NewSession) X(TF_LoadSessionFromSavedModel)               \
      X(TF_NewImportGraphDefOptions) X(TF_GraphImportGraphDef) X(TF_NewBufferFromString) X(TF_NewBuffer) \
          X(TF_GraphOperationByName) X(TF_AllocateTensor) X(TF_TensorData) X(TF_TensorByteSize)          \
              X(TF_TensorType) X(TF_NumDims) X(TF_Dim) X(TF_DeleteTensor) X(TF_SessionRun)

#define MAX_ENDS 256

static struct {
#define X(name) __typeof__(name) *name;
  FUNCTIONS(X)
#undef X
} tf;

typedef struct job {
  against_link link;
  TF_Status *status;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output inputs[MAX_ENDS], outputs[MAX_ENDS];
  TF_Tensor *values[MAX_ENDS], *results[MAX_ENDS];
  char *input_names[MAX_ENDS], *output_names[MAX_ENDS], *tags[MAX_ENDS];
  int input_count, output_count, tag_count, kind, threads;
  char *path;
  unsigned char config[256];
  size_t config_len;
  TF_Buffer *run_options;  // NULL: none
  char error[2048];
} job;

static bool fail(job *j, const char *what, const char *why) {
  snprintf(j->error, sizeof j->error, "%s%s%s", what, why[0] ? ": " : "", why);
  return false;
}

static bool load(job *j, const char *folder) {
  static const char *const names[] = {"libtensorflow_framework.so.2", "libtensorflow_cc.so.2"};
  char path[4096];
  void *handle = NULL;
  for (int i = 0; i < 2; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) return fail(j, "the library cannot be loaded", dlerror());
  }
#define X(name)                              \
  *(void **)&tf.name = dlsym(handle, #name); \
  if (!tf.name) return fail(j, "the library has no " #name, "");
  FUNCTIONS(X)
#undef X
  j->status = tf.TF_NewStatus();
  return true;
}

static bool ok(job *j, const char *what) {
  return tf.TF_GetCode(j->status) == TF_OK || fail(j, what, tf.TF_Message(j->status));
}

// ---- what the command says ----

static bool read_tensor(job *j, int index) {
  int64_t dims[254], type = link_get_int(&j->link), rank = link_get_int(&j->link);
  size_t len = 0;
  if (rank < 0 || rank > 254) return fail(j, "an input has a bad rank", "");
  for (int64_t d = 0; d < rank; ++d) dims[d] = link_get_int(&j->link);
  char *bytes = link_get_bytes(&j->link, &len);
  if (!bytes) return fail(j, "the command went away", "");
  j->values[index] = tf.TF_AllocateTensor((TF_DataType)type, dims, (int)rank, len);
  bool fits = j->values[index] && tf.TF_TensorByteSize(j->values[index]) == len;
  if (fits && len) memcpy(tf.TF_TensorData(j->values[index]), bytes, len);
  free(bytes);
  return fits || fail(j, "an input cannot be allocated", "");
}

static bool read_job(job *j) {
  against_link *l = &j->link;
  j->kind = (int)link_get_int(l);
  j->path = link_get_text(l);
  j->tag_count = (int)link_get_int(l);
  for (int i = 0; i < j->tag_count && i < MAX_ENDS; ++i) j->tags[i] = link_get_text(l);
  j->threads = (int)link_get_int(l);
  j->input_count = (int)link_get_int(l);
  for (int i = 0; i < j->input_count && i < MAX_ENDS; ++i) {
    j->input_names[i] = link_get_text(l);
    if (!read_tensor(j, i)) return false;
  }
  j->output_count = (int)link_get_int(l);
  for (int i = 0; i < j->output_count && i < MAX_ENDS; ++i) j->output_names[i] = link_get_text(l);
  return !l->failed || fail(j, "the command went away", "");
}

// ---- the model ----

static void unmap(void *data, size_t length) { munmap(data, length); }

// The file is not copied: what opening a model costs the library is asked, not what reading a file costs.
static TF_Buffer *map_file(const char *path) {
  struct stat info;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool fine = file >= 0 && fstat(file, &info) == 0 && info.st_size > 0;
  void *data = fine ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  if (file >= 0) close(file);
  TF_Buffer *buffer = data != MAP_FAILED ? tf.TF_NewBuffer() : NULL;
  if (buffer) *buffer = (TF_Buffer){data, (size_t)info.st_size, unmap};
  return buffer;
}

// ConfigProto: intra_op_parallelism_threads (2) and inter_op_parallelism_threads (5), both varints below 128.
// Later fields win over earlier ones, so what was given goes last.
static void add_threads(job *j) {
  unsigned char threads[] = {2 << 3, (unsigned char)j->threads, 5 << 3, (unsigned char)j->threads};
  if (j->threads < 1 || j->threads > 127 || j->config_len > sizeof j->config - sizeof threads) return;
  memmove(j->config + sizeof threads, j->config, j->config_len);
  memcpy(j->config, threads, sizeof threads);
  j->config_len += sizeof threads;
}

static bool open_model(job *j) {
  add_threads(j);
  TF_SessionOptions *options = tf.TF_NewSessionOptions();
  j->graph = tf.TF_NewGraph();
  if (j->config_len) tf.TF_SetConfig(options, j->config, j->config_len, j->status);
  if (!ok(j, "setting the threads")) return false;
  if (j->kind == AGAINST_SAVED_MODEL) {
    j->session = tf.TF_LoadSessionFromSavedModel(options, NULL, j->path, (const char *const *)j->tags,
                                                 j->tag_count, j->graph, NULL, j->status);
    return ok(j, "loading the SavedModel");
  }
  TF_Buffer *graph_def = map_file(j->path);
  if (!graph_def) return fail(j, "the graph cannot be read", j->path);
  tf.TF_GraphImportGraphDef(j->graph, graph_def, tf.TF_NewImportGraphDefOptions(), j->status);
  if (!ok(j, "importing the graph")) return false;
  j->session = tf.TF_NewSession(j->graph, options, j->status);
  return ok(j, "making the session");
}

// "node:1" or "node" in the graph.
static bool find(job *j, char *name, TF_Output *out) {
  char *colon = strrchr(name, ':');
  out->index = colon ? atoi(colon + 1) : 0;
  if (colon) *colon = '\0';
  out->oper = tf.TF_GraphOperationByName(j->graph, name);
  return out->oper || fail(j, "the graph has no node", name);
}

static bool find_all(job *j) {
  for (int i = 0; i < j->input_count; ++i)
    if (!find(j, j->input_names[i], &j->inputs[i])) return false;
  for (int i = 0; i < j->output_count; ++i)
    if (!find(j, j->output_names[i], &j->outputs[i])) return false;
  return true;
}

static bool run_once(job *j, double *out_ms) {
  for (int i = 0; i < j->output_count; ++i) {
    if (j->results[i]) tf.TF_DeleteTensor(j->results[i]);
    j->results[i] = NULL;
  }
  double begin = now_ms();
  tf.TF_SessionRun(j->session, j->run_options, j->inputs, j->values, j->input_count, j->outputs, j->results,
                   j->output_count, NULL, 0, NULL, j->status);
  *out_ms = now_ms() - begin;
  return ok(j, "running the model");
}

// ---- answers ----

static void send_results(job *j) {
  for (int i = 0; i < j->output_count; ++i) {
    const TF_Tensor *t = j->results[i];
    bool text = tf.TF_TensorType(t) == TF_STRING;
    link_put_int(&j->link, tf.TF_TensorType(t));
    link_put_int(&j->link, tf.TF_NumDims(t));
    for (int d = 0; d < tf.TF_NumDims(t); ++d) link_put_int(&j->link, tf.TF_Dim(t, d));
    link_put_bytes(&j->link, text ? "" : tf.TF_TensorData(t), text ? 0 : tf.TF_TensorByteSize(t));
  }
}

static void serve(job *j) {
  int64_t count;
  double ms;
  while ((count = link_get_int(&j->link)) > 0) {
    for (int64_t i = 0; i < count; ++i) {
      if (!run_once(j, &ms)) ms = -1;
      link_put_real(&j->link, ms);
    }
  }
  link_put_int(&j->link, peak_bytes());
}

// False when the text is not hexadecimal or too long.
static bool from_hex(const char *text, unsigned char *out, size_t capacity, size_t *out_len) {
  size_t len = strlen(text) / 2;
  bool good = len <= capacity && strlen(text) % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == 2 * len;
  for (size_t i = 0; good && i < len; ++i) {
    char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
    out[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
  *out_len = good ? len : 0;
  return good;
}

static bool read_settings(job *j, int argc, char **argv) {
  unsigned char options[64];
  size_t len = 0;
  if (argc > 2 && !from_hex(argv[2], j->config, sizeof j->config, &j->config_len))
    return fail(j, "CONFIG is not a short ConfigProto in hexadecimal", "");
  if (argc > 3 && !from_hex(argv[3], options, sizeof options, &len))
    return fail(j, "RUN_OPTIONS is not a short RunOptions in hexadecimal", "");
  if (len) j->run_options = tf.TF_NewBufferFromString(options, len);
  return true;
}

int main(int argc, char **argv) {
  // Whatever the library prints must not get between the answers.
  static job j;
  j.link = (against_link){.in = dup(STDIN_FILENO), .out = dup(STDOUT_FILENO)};
  if (argc < 2 || argc > 4 || j.link.in < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    fputs("dovetail-against is started by dovetail bench --against.\n", stderr);
    return 2;
  }
  double begin = now_ms(), load_ms = 0, open_ms = 0, first_ms = 0;
  bool good = load(&j, argv[1]) && read_settings(&j, argc, argv);
  load_ms = now_ms() - begin;
  if (good) good = read_job(&j);
  begin = now_ms();
  if (good) good = open_model(&j) && find_all(&j);
  open_ms = now_ms() - begin;
  if (good) good = run_once(&j, &first_ms);
  link_put_int(&j.link, good ? AGAINST_OK : AGAINST_FAILED);
  link_put_text(&j.link, good ? tf.TF_Version() : j.error);
  if (!good) return 1;
  link_put_real(&j.link, load_ms);
  link_put_real(&j.link, open_ms);
  link_put_real(&j.link, first_ms);
  send_results(&j);
  serve(&j);
  return 0;
}
