// What both walkers do around a step: setting up dvt_step, deadlines, and the text of errors.
#include <time.h>

#include "exec/run.h"

int64_t dvt_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// Kernels may ask for the functions of the graph as a FunctionDefLibrary.
static dvt_status function_library(void *arg, dvt_buf *out) { return dvt_session_function_library(arg, out); }

void dvt_step_init(dvt_step *step, TF_Session *session) {
  step->device = session->device;
  step->pool = session->pool;
  step->resources = session->resources;
  step->config_proto = session->config_proto;
  step->function_library = function_library;
  step->function_library_arg = session;
  step->session_handle = dvt_str_from(session->handle);
  step->wants_start = &session->wants_start;
}

void dvt_step_begin(dvt_step *step, const dvt_run *run) {
  step->id = run->step_id;
  step->deadline_ns = run->deadline_ns;
  step->caller = run->caller;
  step->depth = run->caller ? run->caller->depth + 1 : 0;
  step->in_caller = run->in_caller;
  step->profile = run->profile;
  bool timed = atomic_load_explicit(step->wants_start, memory_order_relaxed);
  step->start_ns = DVT_UNLIKELY(timed) ? dvt_now_ns() : 0;
}

dvt_status dvt_closed_error(void) { return dvt_error(TF_CANCELLED, "Session has been closed."); }

dvt_status dvt_deadline_error(void) {
  return dvt_error(TF_DEADLINE_EXCEEDED,
                   "the step ran longer than its time limit (RunOptions.timeout_in_ms or "
                   "ConfigProto.operation_timeout_in_ms) and was stopped");
}

// step->cancelled tells kernels; the walkers ask the session itself.
dvt_status dvt_step_check(dvt_step *step, TF_Session *session) {
  if (DVT_UNLIKELY(dvt_session_is_closed(session)))
    return dvt_error(TF_CANCELLED, "the session was closed while the step ran; the step was stopped");
  if (DVT_UNLIKELY(step->deadline_ns && dvt_now_ns() > step->deadline_ns)) return dvt_deadline_error();
  return NULL;
}

dvt_status dvt_step_reason(dvt_step *step, TF_Session *session, dvt_status status) {
  if (DVT_LIKELY(dvt_status_code(status) != TF_CANCELLED)) return status;
  dvt_status reason = dvt_step_check(step, session);
  if (!reason) return status;
  dvt_status_free(status);
  return reason;
}

static void describe_inputs(TF_Tensor *const *inputs, int32_t count, dvt_buf *out) {
  enum { SHOWN = 16 };
  for (int32_t i = 0; i < count && i < SHOWN; i++) {
    if (i) dvt_buf_append_str(out, DVT_STR(", "));
    if (inputs[i] && !dvt_tensor_is_empty(inputs[i]))
      dvt_tensor_describe(inputs[i], 0, out);
    else
      dvt_buf_append_str(out, DVT_STR("(none)"));  // forwarded to an output, or dead
  }
  if (count > SHOWN) dvt_buf_printf(out, " and %d more", (int)(count - SHOWN));
  if (count == 0) dvt_buf_append_str(out, DVT_STR("no inputs"));
}

static bool ends_with(const char *message, dvt_str end) {
  size_t len = strlen(message);
  return len >= end.len && memcmp(message + len - end.len, end.data, end.len) == 0;
}

dvt_status dvt_node_failed(dvt_status status, const dvt_session_node *node, TF_Tensor *const *inputs,
                           int32_t input_count) {
  if (!status) return NULL;
  dvt_buf text = {0};
  dvt_buf_append_str(&text, DVT_STR("\n\t [[{{node "));
  dvt_session_node_name(node, &text);
  dvt_buf_append_str(&text, DVT_STR("}}]]"));
  // The getters of a construction context name node and op, too.
  if (!text.failed && strstr(dvt_status_message(status), text.data)) dvt_buf_clear(&text);
  size_t op = text.len;
  dvt_buf_printf(&text, "\n\t in op '" DVT_STR_FMT "'", DVT_STR_ARG(node->op->def.op->name));
  if (op == 0 && !text.failed && ends_with(dvt_status_message(status), dvt_buf_str(&text)))
    dvt_buf_clear(&text);
  dvt_str plugin = dvt_session_node_plugin(node);
  if (plugin.len) dvt_buf_printf(&text, " of plugin " DVT_STR_FMT, DVT_STR_ARG(plugin));
  if (node->fused_names.len)
    dvt_buf_printf(&text, ", fused from " DVT_STR_FMT, DVT_STR_ARG(node->fused_names));
  if (inputs) {
    dvt_buf_append_str(&text, DVT_STR(", given "));
    describe_inputs(inputs, input_count, &text);
  }
  if (!text.failed) status = dvt_status_annotate(status, DVT_STR_FMT, DVT_STR_ARG(dvt_buf_str(&text)));
  dvt_buf_deinit(&text);
  return status;
}
