// TF_SessionOptions, the helpers that write ConfigProto and RunOptions, and the version of the ABI.
#include "base/handles.h"
#include "base/log.h"
#include "base/wire.h"
#include "exec/session.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_experimental.h"

// Programs compare this with the releases they know, so it names the release whose ABI is offered.
const char *TF_Version(void) { return "2.21.0"; }

TF_SessionOptions *TF_NewSessionOptions(void) {
  TF_SessionOptions *options = dvt_calloc(1, sizeof *options);
  dvt_handle_made(options, DVT_HANDLE_SESSION_OPTIONS);
  return options;
}

void TF_DeleteSessionOptions(TF_SessionOptions *options) {
  if (!options || !dvt_handle_may_delete(options, DVT_HANDLE_SESSION_OPTIONS, "TF_DeleteSessionOptions"))
    return;
  dvt_free(options->target);
  dvt_free((char *)(uintptr_t)options->config.data);
  dvt_free(options);
}

void TF_SetTarget(TF_SessionOptions *options, const char *target) {
  char *copy = options && target ? dvt_strndup(dvt_str_from(target)) : NULL;
  if (!copy) {
    dvt_log(DVT_ERROR,
            "TF_SetTarget: options or target is NULL, or memory is out; the target stays what it was");
    return;
  }
  dvt_free(options->target);
  options->target = copy;
}

static dvt_status set_config(TF_SessionOptions *options, dvt_str proto) {
  dvt_session_config config;
  if (!options || (proto.len && !proto.data))
    return dvt_error(TF_INVALID_ARGUMENT, "TF_SetConfig: options or the ConfigProto's bytes are NULL");
  DVT_RETURN_IF_ERROR(dvt_session_config_parse(proto, &config));
  char *copy = dvt_strndup(proto);
  if (!copy) return dvt_error_out_of_memory(proto.len);
  dvt_free((char *)(uintptr_t)options->config.data);
  options->config = dvt_str_make(copy, proto.len);
  return NULL;
}

void TF_SetConfig(TF_SessionOptions *options, const void *proto, size_t proto_len, TF_Status *status) {
  dvt_status_to_tf(set_config(options, dvt_str_make(proto, proto_len)), status);
}

// ConfigProto.graph_options.optimizer_options.global_jit_level: 1 is ON_1, -1 OFF.
static void put_jit_level(dvt_buf *out, bool on) {
  size_t graph_options = dvt_wire_begin(out, 10);
  size_t optimizer_options = dvt_wire_begin(out, 3);
  dvt_wire_put_varint(out, 5, on ? 1 : (uint64_t)-1);
  dvt_wire_end(out, optimizer_options);
  dvt_wire_end(out, graph_options);
}

// Of a field that occurs twice in a message the last value counts, so the level is appended.
void TF_EnableXLACompilation(TF_SessionOptions *options, unsigned char enable) {
  dvt_buf config = {0};
  if (options) dvt_buf_append_str(&config, options->config);
  put_jit_level(&config, enable != 0);
  dvt_status status =
      config.failed ? dvt_error_out_of_memory(config.len) : set_config(options, dvt_buf_str(&config));
  if (status) dvt_log(DVT_ERROR, "TF_EnableXLACompilation: %s", dvt_status_message(status));
  dvt_status_free(status);
  dvt_buf_deinit(&config);
}

static TF_Buffer *to_buffer(dvt_buf *proto) {
  TF_Buffer *buffer =
      proto->failed ? NULL : TF_NewBufferFromString(proto->len ? proto->data : "", proto->len);
  dvt_buf_deinit(proto);
  return buffer;
}

TF_Buffer *TF_CreateConfig(unsigned char enable_xla_compilation, unsigned char gpu_memory_allow_growth,
                           unsigned int num_cpu_devices) {
  dvt_buf config = {0};
  size_t device_count = dvt_wire_begin(&config, 1);  // map entry
  dvt_wire_put_bytes(&config, 1, DVT_STR("CPU"));
  dvt_wire_put_varint(&config, 2, num_cpu_devices);
  dvt_wire_end(&config, device_count);
  if (gpu_memory_allow_growth) {
    size_t gpu_options = dvt_wire_begin(&config, 6);
    dvt_wire_put_varint(&config, 4, 1);
    dvt_wire_end(&config, gpu_options);
  }
  put_jit_level(&config, enable_xla_compilation != 0);
  return to_buffer(&config);
}

TF_Buffer *TF_CreateRunOptions(unsigned char enable_full_trace) {
  enum { FULL_TRACE = 3 };
  dvt_buf options = {0};
  if (enable_full_trace) dvt_wire_put_varint(&options, 1, FULL_TRACE);
  return to_buffer(&options);
}
