// See against.h.
#include "against.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../against/pipe.h"

struct against {
  against_link link;
  pid_t pid;
  char graph[4096];  // a GraphDef made for it; "" when there is none
  char *version;
  against_facts facts;
  TF_Tensor *outputs[CLI_MAX_LIST];
  int output_count;
};

// ---- starting ----

// "DIR/dovetail-against", DIR being where this command lies.
static bool program_path(char *out, size_t capacity, TF_Status *status) {
  ssize_t len = readlink("/proc/self/exe", out, capacity - 1);
  char *slash = len > 0 ? (out[len] = '\0', strrchr(out, '/')) : NULL;
  if (!slash || (size_t)(slash - out) + sizeof AGAINST_PROGRAM + 1 > capacity)
    return cli_fail(status, TF_NOT_FOUND, "the folder of this command cannot be found out");
  strcpy(slash + 1, AGAINST_PROGRAM);
  return access(out, X_OK) == 0 || cli_fail(status, TF_NOT_FOUND, "there is no program %s", out);
}

static bool start_program(against *a, const char *folder, TF_Status *status) {
  char program[4096];
  int to[2], from[2];
  if (!program_path(program, sizeof program, status)) return false;
  if (pipe(to) != 0) return cli_fail(status, TF_RESOURCE_EXHAUSTED, "no pipe can be made");
  if (pipe(from) != 0) {
    close(to[0]);
    close(to[1]);
    return cli_fail(status, TF_RESOURCE_EXHAUSTED, "no pipe can be made");
  }
  a->pid = fork();
  if (a->pid == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    close(to[1]);
    close(from[0]);
    setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);
    execl(program, program, folder, (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  a->link = (against_link){.in = from[0], .out = to[1]};
  return a->pid > 0 || cli_fail(status, TF_RESOURCE_EXHAUSTED, "no process can be made");
}

// Stock reads SavedModels itself, and of all else the GraphDef that Dovetail makes of it.
static bool write_graph(against *a, const dvt_model *model, TF_Status *status) {
  const char *folder = getenv("TMPDIR");
  snprintf(a->graph, sizeof a->graph, "%s/dovetail-XXXXXX.pb", folder && folder[0] ? folder : P_tmpdir);
  int fd = mkstemps(a->graph, 3);
  if (fd < 0) {
    a->graph[0] = '\0';
    return cli_fail(status, TF_UNKNOWN, "no temporary file can be made");
  }
  close(fd);
  dvt_model_save_graph(model, a->graph, status);
  return TF_GetCode(status) == TF_OK;
}

// ---- talking ----

static void put_tags(against_link *l, const cli_options *options, const char *tags) {
  char text[1024];
  const char *list[CLI_MAX_LIST];
  int count = 0;
  snprintf(text, sizeof text, "%s", tags);
  for (char *tag = strtok(text, ","); tag && count < CLI_MAX_LIST; tag = strtok(NULL, ","))
    list[count++] = tag;
  bool given = options->tag_count > 0;
  link_put_int(l, given ? options->tag_count : count);
  for (int i = 0; i < (given ? options->tag_count : count); ++i)
    link_put_text(l, given ? options->tags[i] : list[i]);
}

static void put_input(against_link *l, const dvt_tensor_info *info, const TF_Tensor *t) {
  link_put_text(l, info->tensor);
  link_put_int(l, TF_TensorType(t));
  link_put_int(l, TF_NumDims(t));
  for (int d = 0; d < TF_NumDims(t); ++d) link_put_int(l, TF_Dim(t, d));
  link_put_bytes(l, TF_TensorData(t), TF_TensorByteSize(t));
}

static TF_Tensor *get_tensor(against_link *l) {
  int64_t dims[254], type = link_get_int(l), rank = link_get_int(l);
  size_t len = 0;
  TF_Tensor *tensor = NULL;
  if (rank < 0 || rank > 254) l->failed = true;
  for (int64_t d = 0; d < rank && !l->failed; ++d) dims[d] = link_get_int(l);
  char *bytes = link_get_bytes(l, &len);
  if (bytes && type != TF_STRING) tensor = TF_AllocateTensor((TF_DataType)type, dims, (int)rank, len);
  if (tensor && len) memcpy(TF_TensorData(tensor), bytes, len);
  free(bytes);
  return tensor;
}

static bool read_answer(against *a, TF_Status *status) {
  int64_t code = link_get_int(&a->link);
  a->version = link_get_text(&a->link);
  if (a->link.failed) return cli_fail(status, TF_INTERNAL, "%s ended before it answered", AGAINST_PROGRAM);
  if (code != AGAINST_OK) return cli_fail(status, TF_UNKNOWN, "%s", a->version);
  a->facts.version = a->version;
  a->facts.load_ms = link_get_real(&a->link);
  a->facts.open_ms = link_get_real(&a->link);
  a->facts.first_ms = link_get_real(&a->link);
  for (int i = 0; i < a->output_count; ++i) a->outputs[i] = get_tensor(&a->link);
  return !a->link.failed || cli_fail(status, TF_INTERNAL, "%s ended while it answered", AGAINST_PROGRAM);
}

static bool begin(against *a, const cli_options *options, const dvt_model *model,
                  const dvt_tensor_info *const *input_infos, TF_Tensor *const *inputs, int input_count,
                  const dvt_tensor_info *const *output_infos, TF_Status *status) {
  const dvt_model_info *info = dvt_model_describe(model);
  bool saved_model = strcmp(info->format, "SavedModel") == 0;
  for (int i = 0; i < input_count; ++i)
    if (TF_TensorType(inputs[i]) == TF_STRING)
      return cli_fail(status, TF_UNIMPLEMENTED, "--against takes no inputs of strings, '%s' is one",
                      input_infos[i]->name);
  if (!saved_model && !write_graph(a, model, status)) return false;
  if (!start_program(a, options->against, status)) return false;
  against_link *l = &a->link;
  link_put_int(l, saved_model ? AGAINST_SAVED_MODEL : AGAINST_GRAPH_DEF);
  link_put_text(l, saved_model ? info->path : a->graph);
  put_tags(l, options, info->tags);
  link_put_int(l, options->threads);
  link_put_int(l, input_count);
  for (int i = 0; i < input_count; ++i) put_input(l, input_infos[i], inputs[i]);
  link_put_int(l, a->output_count);
  for (int i = 0; i < a->output_count; ++i) link_put_text(l, output_infos[i]->tensor);
  l->failed = false;  // if it ended early, its answer says why
  return read_answer(a, status);
}

against *against_start(const cli_options *options, const dvt_model *model,
                       const dvt_tensor_info *const *input_infos, TF_Tensor *const *inputs, int input_count,
                       const dvt_tensor_info *const *output_infos, int output_count, TF_Status *status) {
  against *a = calloc(1, sizeof *a);
  if (!a) {
    cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  a->output_count = output_count;
  signal(SIGPIPE, SIG_IGN);
  if (begin(a, options, model, input_infos, inputs, input_count, output_infos, status)) return a;
  against_free(a);
  return NULL;
}

// ---- using ----

const against_facts *against_get_facts(const against *a) { return &a->facts; }

const TF_Tensor *against_output(const against *a, int index) { return a->outputs[index]; }

bool against_run(against *a, int count, double *out_ms) {
  link_put_int(&a->link, count);
  bool good = true;
  for (int i = 0; i < count; ++i) {
    out_ms[i] = link_get_real(&a->link);
    good = good && out_ms[i] >= 0;
  }
  return good && !a->link.failed;
}

int64_t against_stop(against *a) {
  if (a->pid <= 0) return 0;
  link_put_int(&a->link, 0);
  int64_t peak = link_get_int(&a->link);
  close(a->link.in);
  close(a->link.out);
  waitpid(a->pid, NULL, 0);
  a->pid = 0;
  return peak;
}

void against_free(against *a) {
  if (!a) return;
  against_stop(a);
  if (a->graph[0]) unlink(a->graph);
  for (int i = 0; i < a->output_count; ++i) TF_DeleteTensor(a->outputs[i]);
  free(a->version);
  free(a);
}
