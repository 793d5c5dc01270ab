// What is read of ConfigProto and RunOptions. Field numbers are those of the public config.proto.
#include "base/wire.h"
#include "exec/session.h"

static dvt_status unparseable(const char *message) {
  return dvt_error(TF_INVALID_ARGUMENT, "Unparseable %s proto: the bytes are no well-formed message",
                   message);
}

// optimizer_options.opt_level and RewriterConfig's toggles.
enum { OPT_LEVEL_OFF = -1, TOGGLE_OFF = 2 };

typedef struct switches {
  bool level_off, meta_off, folding_off, remapping_off, sharing_off;
} switches;

static void parse_rewrite_options(dvt_str proto, switches *off) {
  dvt_wire w = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&w, &field)) {
    if (field.type != DVT_WIRE_VARINT) continue;
    if (field.number == 3) off->folding_off = field.value == TOGGLE_OFF;
    if (field.number == 14) off->remapping_off = field.value == TOGGLE_OFF;
    if (field.number == 24) off->sharing_off = field.value == TOGGLE_OFF;
    if (field.number == 19) off->meta_off = field.value != 0;
  }
}

// Stock folds constants in two places: opt_level L0 switches one off, rewrite_options (constant_folding or
// disable_meta_optimizer) the other. Fusing is the remapper's.
static dvt_status parse_graph_options(dvt_str proto, switches *off) {
  dvt_wire w = dvt_wire_open(proto);
  dvt_field field, inner;
  while (dvt_wire_next(&w, &field)) {
    if (field.type != DVT_WIRE_BYTES) continue;
    if (field.number == 3 && dvt_wire_find(field.bytes, 3, DVT_WIRE_VARINT, &inner))
      off->level_off = (int32_t)inner.value == OPT_LEVEL_OFF;
    if (field.number == 10) parse_rewrite_options(field.bytes, off);
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
  switches off = {0};
  dvt_wire w = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&w, &field)) {
    if (field.type == DVT_WIRE_VARINT) {
      if (field.number == 2) config.intra_op_threads = clamp_threads(field.value);
      if (field.number == 5) config.inter_op_threads = clamp_threads(field.value);
      if (field.number == 11) config.timeout_ms = (int64_t)field.value;
    } else if (field.type == DVT_WIRE_BYTES) {
      if (field.number == 10) DVT_RETURN_IF_ERROR(parse_graph_options(field.bytes, &off));
      if (field.number == 16) config.single_threaded = is_single_threaded(field.bytes);
    }
  }
  if (w.bad) return unparseable("ConfigProto");
  config.fold_constants = !(off.level_off && (off.meta_off || off.folding_off));
  config.share = !(off.level_off || off.meta_off || off.sharing_off);
  config.fuse = !(off.level_off || off.meta_off || off.remapping_off);
  config.fuse_batch_norm = config.fuse_elementwise = config.fuse;
  *out_config = config;
  return NULL;
}

dvt_status dvt_session_config_limit(dvt_str text, dvt_session_config *config) {
  static const char *const words[] = {"fold", "share", "fuse", "batch_norm", "elementwise"};
  enum { FOLD, SHARE, FUSE, BATCH_NORM, ELEMENTWISE, COUNT };
  bool on[COUNT] = {false};
  if (text.len == 0) return NULL;
  for (dvt_str rest = text; rest.len > 0;) {
    size_t length = dvt_str_find(rest, ',');
    dvt_str word = {rest.data, length};
    rest = dvt_str_drop(rest, DVT_MIN(length + 1, rest.len));
    bool all = dvt_str_is(word, "all"), known = all || dvt_str_is(word, "none");
    for (int i = 0; i < COUNT; i++) {
      bool named = all || dvt_str_is(word, words[i]);
      on[i] |= named;
      known |= named;
    }
    if (!known)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "DOVETAIL_OPTIMIZE is '" DVT_STR_FMT "', but '" DVT_STR_FMT
                       "' is no optimisation; it takes 'all', 'none', or some of fold, share, fuse, "
                       "batch_norm, elementwise with commas between",
                       DVT_STR_ARG(text), DVT_STR_ARG(word));
  }
  config->fold_constants &= on[FOLD];
  config->share &= on[SHARE];
  config->fuse &= on[FUSE] || on[BATCH_NORM] || on[ELEMENTWISE];
  config->fuse_batch_norm &= on[BATCH_NORM];
  config->fuse_elementwise &= on[ELEMENTWISE];
  return NULL;
}

dvt_status dvt_run_options_parse(dvt_str proto, dvt_run_options *out_options) {
  dvt_run_options options = {0};
  dvt_wire w = dvt_wire_open(proto);
  dvt_field field;
  while (dvt_wire_next(&w, &field)) {
    if (field.type != DVT_WIRE_VARINT) continue;
    if (field.number == 1)
      options.trace = (int32_t)field.value > 0;  // all levels: the CPU has one kind of trace
    if (field.number == 2) options.timeout_ms = (int64_t)field.value;
    if (field.number == 3) options.inter_op_thread_pool = (int32_t)field.value;
  }
  if (w.bad) return unparseable("RunOptions");
  *out_options = options;
  return NULL;
}
