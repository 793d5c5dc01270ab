// The weights manifest: groups of files and of the weights that lie in them one behind the other, across file
// borders. Everything is checked against the bytes that are there before it is used.
#include <math.h>

#include "base/number.h"
#include "graph/tfjs_internal.h"
#include "tensor/tensor.h"

typedef struct group {
  dvt_buf *bytes;
  dvt_buf names;  // of its files, for errors
  size_t first_weight;
} group;

static const struct {
  const char *name;
  int dtype;
} weight_dtypes[] = {
    {"float32", TF_FLOAT},       {"int32", TF_INT32}, {"bool", TF_BOOL},     {"string", TF_STRING},
    {"complex64", TF_COMPLEX64}, {"uint8", TF_UINT8}, {"uint16", TF_UINT16}, {"float16", TF_HALF},
};

static const struct {
  const char *name;
  tfjs_code code;
} quantised_dtypes[] = {{"uint8", TFJS_UINT8}, {"uint16", TFJS_UINT16}, {"float16", TFJS_FLOAT16}};

// ---- scalars ----

static dvt_status take_number(tfjs_reader *r, const char *what, double *out) {
  size_t at = (dvt_json_peek(&r->json), r->json.at);
  if (dvt_number_parse_double(dvt_json_take_number(&r->json), out) && isfinite(*out)) return NULL;
  return dvt_json_error(&r->json, at, "expected a finite number for %s", what);
}

static dvt_status take_text(tfjs_reader *r, dvt_str *out) {
  DVT_RETURN_IF_ERROR(dvt_json_take_string(&r->json, &r->json.scratch));
  return dvt_arena_copy_str(&r->arena, dvt_buf_str(&r->json.scratch), out)
             ? NULL
             : dvt_error_out_of_memory(r->json.scratch.len);
}

static dvt_status take_dtype(tfjs_reader *r, tfjs_weight *w) {
  size_t at = (dvt_json_peek(&r->json), r->json.at);
  DVT_RETURN_IF_ERROR(dvt_json_take_string(&r->json, &r->json.scratch));
  for (size_t i = 0; i < DVT_COUNT_OF(weight_dtypes); ++i)
    if (dvt_str_is(dvt_buf_str(&r->json.scratch), weight_dtypes[i].name)) w->dtype = weight_dtypes[i].dtype;
  if (w->dtype) return NULL;
  return dvt_json_error(
      &r->json, at,
      "a weight has the unknown dtype \"%.40s\"; float32, int32, bool, string, complex64, uint8, "
      "uint16 and float16 are known",
      r->json.scratch.data);
}

static dvt_status take_shape(tfjs_reader *r, tfjs_weight *w) {
  int64_t dims[DVT_MAX_RANK];
  bool first = true, more;
  double value;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '[', "the shape of a weight"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_item(&r->json, &first, &more));
    if (!more) break;
    size_t at = (dvt_json_peek(&r->json), r->json.at);
    DVT_RETURN_IF_ERROR(take_number(r, "a dimension", &value));
    if (value < 0 || value != floor(value) || value > 0x1p53 || w->rank == DVT_MAX_RANK)
      return dvt_json_error(&r->json, at, "a shape has at most %d dimensions, each a whole number from 0 on",
                            DVT_MAX_RANK);
    dims[w->rank++] = (int64_t)value;
  }
  int64_t *kept = dvt_arena_alloc(&r->arena, (size_t)w->rank * sizeof *kept);
  if (!kept) return dvt_error_out_of_memory((size_t)w->rank * sizeof *kept);
  if (w->rank) memcpy(kept, dims, (size_t)w->rank * sizeof *kept);
  w->dims = kept;
  return NULL;
}

// ---- one weight ----

typedef struct quantisation {
  bool has_dtype, has_scale, has_min;
} quantisation;

static dvt_status take_code(tfjs_reader *r, tfjs_weight *w) {
  size_t at = (dvt_json_peek(&r->json), r->json.at);
  DVT_RETURN_IF_ERROR(dvt_json_take_string(&r->json, &r->json.scratch));
  for (size_t i = 0; i < DVT_COUNT_OF(quantised_dtypes); ++i) {
    if (!dvt_str_is(dvt_buf_str(&r->json.scratch), quantised_dtypes[i].name)) continue;
    w->code = quantised_dtypes[i].code;
    return NULL;
  }
  return dvt_json_error(
      &r->json, at,
      "a weight is quantised to the unknown dtype \"%.40s\"; uint8, uint16 and float16 are known",
      r->json.scratch.data);
}

static dvt_status take_quantisation(tfjs_reader *r, tfjs_weight *w, quantisation *q) {
  bool first = true, more;
  dvt_str name;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '{', "the quantization of a weight"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_member(&r->json, &first, &more, &name));
    if (!more) return NULL;
    if (dvt_str_is(name, "dtype")) {
      q->has_dtype = true;
      DVT_RETURN_IF_ERROR(take_code(r, w));
    } else if (dvt_str_is(name, "scale")) {
      q->has_scale = true;
      DVT_RETURN_IF_ERROR(take_number(r, "the scale", &w->scale));
    } else if (dvt_str_is(name, "min")) {
      q->has_min = true;
      DVT_RETURN_IF_ERROR(take_number(r, "the min", &w->min));
    } else {
      DVT_RETURN_IF_ERROR(dvt_json_skip(&r->json));
    }
  }
}

static dvt_status check_quantisation(const tfjs_reader *r, const tfjs_weight *w, const quantisation *q) {
  const char *name = w->name.data;
  if (!q->has_dtype) return tfjs_error(r, "weight '%s': its quantization has no \"dtype\"", name);
  if (w->code == TFJS_FLOAT16)
    return w->dtype == TF_FLOAT
               ? NULL
               : tfjs_error(r, "weight '%s': only float32 can be stored as float16, it is %s", name,
                            dvt_dtype_name(w->dtype));
  if (w->dtype != TF_FLOAT && w->dtype != TF_INT32)
    return tfjs_error(r, "weight '%s': only float32 and int32 can be quantised, it is %s", name,
                      dvt_dtype_name(w->dtype));
  if (!q->has_scale || !q->has_min)
    return tfjs_error(r, "weight '%s': its quantization has no \"%s\"", name, q->has_scale ? "min" : "scale");
  return w->scale >= 0 ? NULL : tfjs_error(r, "weight '%s': its quantization has a negative scale", name);
}

static dvt_status weight_members(tfjs_reader *r, tfjs_weight *w, quantisation *q, bool *quantised) {
  bool first = true, more;
  dvt_str name;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '{', "a weight"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_member(&r->json, &first, &more, &name));
    if (!more) return NULL;
    if (dvt_str_is(name, "name")) {
      DVT_RETURN_IF_ERROR(take_text(r, &w->name));
    } else if (dvt_str_is(name, "dtype")) {
      DVT_RETURN_IF_ERROR(take_dtype(r, w));
    } else if (dvt_str_is(name, "shape") && !w->dims) {
      DVT_RETURN_IF_ERROR(take_shape(r, w));
    } else if (dvt_str_is(name, "quantization")) {
      *quantised = true;
      DVT_RETURN_IF_ERROR(take_quantisation(r, w, q));
    } else {
      DVT_RETURN_IF_ERROR(dvt_json_skip(&r->json));
    }
  }
}

static dvt_status take_weight(tfjs_reader *r) {
  quantisation q = {0};
  bool quantised = false;
  tfjs_weight *w = dvt_arena_calloc(&r->arena, 1, sizeof *w);
  if (!w || !dvt_grow((void **)&r->weights, &r->weight_capacity, r->weight_count + 1, sizeof *r->weights))
    return dvt_error_out_of_memory(sizeof *w);
  size_t at = (dvt_json_peek(&r->json), r->json.at);
  DVT_RETURN_IF_ERROR(weight_members(r, w, &q, &quantised));
  if (!w->name.len || !w->dtype || !w->dims)
    return dvt_json_error(&r->json, at, "a weight of the manifest has no \"%s\"",
                          !w->name.len ? "name"
                          : !w->dtype  ? "dtype"
                                       : "shape");
  if (quantised) DVT_RETURN_IF_ERROR(check_quantisation(r, w, &q));
  dvt_status status = dvt_shape_count(w->dims, w->rank, &w->count);
  if (status) return dvt_status_annotate(status, " (weight '%s' of %s)", w->name.data, r->path);
  if (dvt_map_get(&r->by_name, w->name))
    return dvt_json_error(&r->json, at, "the manifest has two weights named '%s'", w->name.data);
  if (!dvt_map_put(&r->by_name, w->name, w)) return dvt_error_out_of_memory(sizeof(dvt_map_slot));
  r->weights[r->weight_count++] = w;
  return NULL;
}

// ---- groups ----

// Files lie beside model.json or deeper: a model must not read what is not its own. A path is written in one
// way only, without "." and empty parts, so that the same file shows.
static bool is_inside(dvt_str path) {
  if (path.len == 0 || path.data[0] == '/' || memchr(path.data, '\0', path.len) || strstr(path.data, "://"))
    return false;
  for (const char *part = path.data; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
    if (part[strspn(part, ".")] == '/' || part[strspn(part, ".")] == '\0') return false;
  return true;
}

static dvt_status take_paths(tfjs_reader *r, group *g) {
  bool first = true, more;
  dvt_str path = {0};
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '[', "the paths of a group of weights"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_item(&r->json, &first, &more));
    if (!more) return NULL;
    size_t at = (dvt_json_peek(&r->json), r->json.at);
    DVT_RETURN_IF_ERROR(take_text(r, &path));
    if (!is_inside(path))
      return dvt_json_error(
          &r->json, at,
          "the path \"%.80s\" of a weights file does not lie beside model.json; download the file "
          "there and write its name alone",
          path.data);
    // A short list that names one large file many times would fill the memory.
    if (dvt_map_get(&r->files, path))
      return dvt_json_error(&r->json, at, "the manifest names the file \"%.80s\" twice", path.data);
    if (!dvt_map_put(&r->files, path, r)) return dvt_error_out_of_memory(sizeof(dvt_map_slot));
    dvt_buf_printf(&g->names, "%s%s", g->names.len ? ", " : "", path.data);
    dvt_status status = r->read(r->arg, path, g->bytes);
    if (status)
      return dvt_status_annotate(
          status, " (the manifest of %s names it; all files of the model must lie where it says)", r->path);
  }
}

static dvt_status take_weights(tfjs_reader *r) {
  bool first = true, more;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '[', "the weights of a group"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_item(&r->json, &first, &more));
    if (!more) return NULL;
    DVT_RETURN_IF_ERROR(take_weight(r));
  }
}

static dvt_status share_out(tfjs_reader *r, const group *g) {
  dvt_str rest = dvt_buf_str(g->bytes);
  for (size_t i = g->first_weight; i < r->weight_count; ++i) {
    tfjs_weight *w = r->weights[i];
    size_t bytes;
    dvt_status status = tfjs_weight_size(r, w, rest, &bytes);
    if (status)
      return dvt_status_annotate(
          status,
          " (%zu of the %zu bytes of %s belong to weights before it). The file was cut short, or "
          "belongs to another model.json; copy all files of the model again.",
          g->bytes->len - rest.len, g->bytes->len, g->names.data ? g->names.data : "no file");
    w->bytes = dvt_str_make(rest.data, bytes);
    if (bytes) rest = dvt_str_drop(rest, bytes);
  }
  if (rest.len == 0) return NULL;
  return tfjs_error(
      r,
      "%zu of the %zu bytes of %s belong to no weight of the manifest. The files belong to another "
      "model.json, or one is named twice; copy all files of the model again.",
      rest.len, g->bytes->len, g->names.data ? g->names.data : "");
}

static dvt_status group_members(tfjs_reader *r, group *g) {
  bool first = true, more, has_paths = false, has_weights = false;
  dvt_str name;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '{', "a group of weights"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_member(&r->json, &first, &more, &name));
    if (!more) return NULL;
    if (dvt_str_is(name, "paths") && !has_paths) {
      has_paths = true;
      DVT_RETURN_IF_ERROR(take_paths(r, g));
    } else if (dvt_str_is(name, "weights") && !has_weights) {
      has_weights = true;
      DVT_RETURN_IF_ERROR(take_weights(r));
    } else if (dvt_str_is(name, "paths") || dvt_str_is(name, "weights")) {
      return dvt_json_error(&r->json, r->json.at, "a group of weights has two lists of one kind");
    } else {
      DVT_RETURN_IF_ERROR(dvt_json_skip(&r->json));
    }
  }
}

static dvt_status take_group(tfjs_reader *r) {
  if (!dvt_grow((void **)&r->groups, &r->group_capacity, r->group_count + 1, sizeof *r->groups))
    return dvt_error_out_of_memory(sizeof *r->groups);
  r->groups[r->group_count] = (dvt_buf){0};
  group g = {.bytes = &r->groups[r->group_count++], .first_weight = r->weight_count};
  dvt_status status = group_members(r, &g);
  if (!status && g.bytes->failed) status = dvt_error_out_of_memory(g.bytes->len);
  if (!status) status = share_out(r, &g);
  dvt_buf_deinit(&g.names);
  return status;
}

dvt_status tfjs_manifest_read(tfjs_reader *r) {
  bool first = true, more;
  DVT_RETURN_IF_ERROR(dvt_json_open(&r->json, '[', "weightsManifest"));
  for (;;) {
    DVT_RETURN_IF_ERROR(dvt_json_next_item(&r->json, &first, &more));
    if (!more) return NULL;
    DVT_RETURN_IF_ERROR(take_group(r));
  }
}
