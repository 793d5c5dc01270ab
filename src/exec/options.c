// What is read of ConfigProto and RunOptions. Field numbers are those of the public config.proto.
#include "base/wire.h"
#include "exec/session.h"

static dvt_status unparseable(const char *message) {
  return dvt_error(TF_INVALID_ARGUMENT, "Unparseable %s proto: the bytes are no well-formed message",
                   message);
}

enum { OPT_LEVEL_OFF = -1 };

// graph_options.optimizer_options.opt_level L0 switches one of stock's constant folders off, rewrite_options'
// disable_meta_optimizer the other.
static dvt_status parse_graph_options(dvt_str proto, bool *level_off, bool *meta_off) {
  dvt_wire w = dvt_wire_open(proto);
  dvt_field field, inner;
  while (dvt_wire_next(&w, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == 3 && dvt_wire_find(field.bytes, 3, DVT_WIRE_VARINT, &inner))
      *level_off = (int32_t)inner.value == OPT_LEVEL_OFF;
    if (field.number == 10 && dvt_wire_find(field.bytes, 19, DVT_WIRE_VARINT, &inner))
      *meta_off = inner.value != 0;
  }
  return w.bad ? unparseable("ConfigProto") : NULL;
}

static bool is_single_threaded(dvt_str experimental) {
  dvt_field field;
  return dvt_wire_find(experimental, 3, DVT_WIRE_BYTES, &field) &&
         dvt_str_is(field.bytes, "SINGLE_THREADED_EXECUTOR");
}

static int clamp_threads(uint64_t value) {
  int32_t threads = (int32_t)value;
  return threads < 0 ? 1 : DVT_MIN(threads, 1024);  // negative: all in the caller's thread
}

dvt_status dvt_session_config_parse(dvt_str proto, dvt_session_config *out_config) {
  dvt_session_config config = {0};
  bool level_off = false, meta_off = false;
  dvt_wire w = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&w, &field)) {
    if (field.type == DVT_WIRE_VARINT) {
      if (field.number == 2) config.intra_op_threads = clamp_threads(field.value);
      if (field.number == 5) config.inter_op_threads = clamp_threads(field.value);
      if (field.number == 11) config.timeout_ms = (int64_t)field.value;
    } else if (field.type == DVT_WIRE_BYTES) {
      if (field.number == 10) DVT_RETURN_IF_ERROR(parse_graph_options(field.bytes, &level_off, &meta_off));
      if (field.number == 16) config.single_threaded = is_single_threaded(field.bytes);
    }
  }
  if (w.bad) return unparseable("ConfigProto");
  config.fold_constants = !(level_off && meta_off);
  *out_config = config;
  return NULL;
}

dvt_status dvt_run_options_parse(dvt_str proto, dvt_run_options *out_options) {
  dvt_run_options options = {0};
  dvt_wire w = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&w, &field)) {
    if (field.type != DVT_WIRE_VARINT) continue;
    if (field.number == 1) options.trace = field.value != 0;
    if (field.number == 2) options.timeout_ms = (int64_t)field.value;
    if (field.number == 3) options.inter_op_thread_pool = (int32_t)field.value;
  }
  if (w.bad) return unparseable("RunOptions");
  *out_options = options;
  return NULL;
}
