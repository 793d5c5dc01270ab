// Ready-made shape functions: convolutions, pooling, normalisation and their kin.
#include "op/shape_fn.h"

// Where batch, channels and the spatial dims stand in an image tensor.
typedef struct image_format {
  dvt_str name;
  int rank;
  int channel;  // batch is always first
  int spatial;  // first of rank - 2 spatial dims
} image_format;

// Attr `data_format`; absent it is channels last. `rank` 4 or, for formats with a D, 5.
static dvt_status read_format(const TF_ShapeInferenceContext *c, image_format *out_format) {
  static const image_format formats[] = {
      {{"NHWC", 4}, 4, 3, 1}, {{"NCHW", 4}, 4, 1, 2}, {{"NDHWC", 5}, 5, 4, 1}, {{"NCDHW", 5}, 5, 1, 2}};
  dvt_str name = DVT_STR("NHWC");
  if (dvt_fn_has_attr(c, "data_format")) DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "data_format", &name));
  for (size_t i = 0; i < DVT_COUNT_OF(formats); i++) {
    if (!dvt_str_eq(name, formats[i].name)) continue;
    *out_format = formats[i];
    return NULL;
  }
  return dvt_error(TF_INVALID_ARGUMENT, "Invalid data format string: " DVT_STR_FMT, DVT_STR_ARG(name));
}

static dvt_status read_image_format(const TF_ShapeInferenceContext *c, image_format *out_format) {
  DVT_RETURN_IF_ERROR(read_format(c, out_format));
  if (out_format->rank == 4) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Invalid data format string: " DVT_STR_FMT "; this op takes NHWC or NCHW",
                   DVT_STR_ARG(out_format->name));
}

typedef struct window_attrs {
  image_format format;
  int64_t strides[5], dilations[5], pads[10];  // by position in the tensor
  dvt_padding padding;
} window_attrs;

static dvt_status read_four(const TF_ShapeInferenceContext *c, const char *name, int64_t values[4]) {
  int count;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_ints(c, name, values, 4, &count));
  if (count == 4) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   DVT_STR_FMT " requires the %s attribute to contain 4 values, but got: %d",
                   DVT_STR_ARG(c->node->op->name), name, count);
}

dvt_status dvt_padding_of_name(dvt_str name, dvt_padding *out_padding) {
  static const dvt_str names[] = {{"VALID", 5}, {"SAME", 4}, {"EXPLICIT", 8}};  // by dvt_padding
  for (size_t i = 0; i < DVT_COUNT_OF(names); i++) {
    if (!dvt_str_eq(name, names[i])) continue;
    *out_padding = (dvt_padding)i;
    return NULL;
  }
  return dvt_error(TF_INVALID_ARGUMENT, "padding must be VALID, SAME or EXPLICIT, not '" DVT_STR_FMT "'",
                   DVT_STR_ARG(name));
}

static dvt_status read_padding(const TF_ShapeInferenceContext *c, window_attrs *w) {
  dvt_str name;
  int count = 0;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "padding", &name));
  DVT_RETURN_IF_ERROR(dvt_padding_of_name(name, &w->padding));
  if (dvt_fn_has_attr(c, "explicit_paddings"))
    DVT_RETURN_IF_ERROR(dvt_fn_attr_ints(c, "explicit_paddings", w->pads, 10, &count));
  if (w->padding != DVT_PADDING_EXPLICIT) {
    if (count == 0) return NULL;
    return dvt_error(TF_INVALID_ARGUMENT,
                     "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  int wanted = 2 * w->format.rank;
  if (count != wanted)
    return dvt_error(TF_INVALID_ARGUMENT, "explicit_paddings attribute must contain %d values, but got: %d",
                     wanted, count);
  for (int i = 0; i < wanted; i++) {
    if (w->pads[i] < 0)
      return dvt_error(TF_INVALID_ARGUMENT, "All elements of explicit_paddings must be nonnegative");
    if ((i / 2 == 0 || i / 2 == w->format.channel) && w->pads[i] != 0)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Nonzero explicit padding in the batch or depth dimensions is not supported");
  }
  return NULL;
}

static dvt_status read_window_attrs(const TF_ShapeInferenceContext *c, window_attrs *w) {
  *w = (window_attrs){.dilations = {1, 1, 1, 1}};
  DVT_RETURN_IF_ERROR(read_image_format(c, &w->format));
  DVT_RETURN_IF_ERROR(read_four(c, "strides", w->strides));
  if (dvt_fn_has_attr(c, "dilations")) DVT_RETURN_IF_ERROR(read_four(c, "dilations", w->dilations));
  return read_padding(c, w);
}

dvt_status dvt_dim_windows(dvt_shape_arena *arena, dvt_dim input, dvt_dim filter, dvt_window window,
                           dvt_dim *out_dim) {
  dvt_dim size;
  int64_t stride = window.stride, pads = 0;
  if (stride <= 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Stride must be > 0, but got %lld", (long long)stride);
  if (window.dilation < 1)
    return dvt_error(TF_INVALID_ARGUMENT, "Dilation rate must be >= 1, but got %lld",
                     (long long)window.dilation);
  if (window.padding == DVT_PADDING_SAME) {
    DVT_RETURN_IF_ERROR(dvt_dim_add(arena, input, stride - 1, &size));
    return dvt_dim_divide(arena, size, stride, false, out_dim);
  }
  if (window.padding == DVT_PADDING_EXPLICIT && __builtin_add_overflow(window.before, window.after, &pads))
    return dvt_error(TF_INVALID_ARGUMENT, "explicit paddings of %lld and %lld overflow",
                     (long long)window.before, (long long)window.after);
  if (filter == 1 && stride == 1 && pads == 0) {
    *out_dim = input;  // the very dimension, known or not
    return NULL;
  }
  DVT_RETURN_IF_ERROR(dvt_dim_add(arena, input, pads, &input));
  if (window.dilation > 1) {
    DVT_RETURN_IF_ERROR(dvt_dim_subtract(arena, filter, 1, &filter));
    DVT_RETURN_IF_ERROR(dvt_dim_multiply(arena, filter, window.dilation, &filter));
    DVT_RETURN_IF_ERROR(dvt_dim_add(arena, filter, 1, &filter));
  }
  DVT_RETURN_IF_ERROR(dvt_dim_subtract(arena, input, filter, &size));
  DVT_RETURN_IF_ERROR(dvt_dim_add(arena, size, stride, &size));
  return dvt_dim_divide(arena, size, stride, false, out_dim);
}

// Number of positions of a window of `filter` elements on dim `position` of the tensor.
static dvt_status window_output(TF_ShapeInferenceContext *c, const window_attrs *w, int position,
                                dvt_dim input, dvt_dim filter, dvt_dim *out_dim) {
  dvt_window window = {w->strides[position], w->dilations[position], w->pads[2 * position],
                       w->pads[2 * position + 1], w->padding};
  return dvt_dim_windows(c->arena, input, filter, window, out_dim);
}

DVT_SHAPE_FN(bias_add, 2, 1) {
  image_format format;
  dvt_shape input, bias;
  dvt_dim channels;
  DVT_RETURN_IF_ERROR(read_format(c, &format));
  bool channels_first = format.channel == 1;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], channels_first ? 3 : 2, &input));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &bias));
  if (!input) return NULL;
  int at = channels_first ? 1 : input->rank - 1;
  DVT_RETURN_IF_ERROR(dvt_dim_merge(input->dims[at], bias->dims[0], &channels));
  return dvt_shape_replace_dim(c->arena, input, at, channels, &c->outputs[0]);
}

// The number of groups that an attribute gives.
static dvt_status check_groups(int64_t groups, dvt_dim input, dvt_dim output) {
  if (groups <= 0)
    return dvt_error(TF_INVALID_ARGUMENT, "groups attribute should be a positive integer, got %lld",
                     (long long)groups);
  if (dvt_dim_known(input) && input % groups != 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Number of groups should divide input depth, got %lld and %lld",
                     (long long)groups, (long long)input);
  if (dvt_dim_known(output) && output % groups != 0)
    return dvt_error(TF_INVALID_ARGUMENT, "Number of groups should divide output depth, got %lld and %lld",
                     (long long)groups, (long long)output);
  return NULL;
}

// `given_groups`: how many there must be; 0 where they follow from the depths.
static dvt_status check_depths(dvt_dim input, dvt_dim filter_input, dvt_dim output, int64_t given_groups) {
  if (!dvt_dim_known(input) || !dvt_dim_known(filter_input)) return NULL;
  if (filter_input == 0) return dvt_error(TF_INVALID_ARGUMENT, "Depth of filter must not be 0");
  if (input % filter_input != 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Depth of input (%lld) is not a multiple of input depth of filter (%lld)",
                     (long long)input, (long long)filter_input);
  int64_t groups = input / filter_input;
  if (groups == 0 && dvt_dim_known(output))
    return dvt_error(TF_INVALID_ARGUMENT, "Number of groups must not be 0");
  if (given_groups > 0 && groups != given_groups)
    return dvt_error(
        TF_INVALID_ARGUMENT,
        "Input depth divided by filter input depth, %lld, does not match the groups parameter (%lld)",
        (long long)groups, (long long)given_groups);
  if (groups > 1 && dvt_dim_known(output) && output % groups != 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Depth of output (%lld) is not a multiple of the number of groups (%lld)",
                     (long long)output, (long long)groups);
  return NULL;
}

// Where a filter has its spatial dims, its input depth and its output depth.
typedef struct filter_format {
  int spatial, input, output;
  bool has_vector;  // the last dim is the inner part of the input depth
} filter_format;

// Attr `filter_format`; absent it is HWIO.
static dvt_status read_filter_format(const TF_ShapeInferenceContext *c, filter_format *out_format) {
  dvt_str name = DVT_STR("HWIO");
  if (dvt_fn_has_attr(c, "filter_format")) DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "filter_format", &name));
  bool has_vector = dvt_str_is(name, "OIHW_VECT_I");
  if (dvt_str_is(name, "HWIO"))
    *out_format = (filter_format){0, 2, 3, false};
  else if (dvt_str_is(name, "OIHW") || has_vector)
    *out_format = (filter_format){2, 1, 0, has_vector};
  else
    return dvt_error(TF_INVALID_ARGUMENT, "Invalid filter format string: " DVT_STR_FMT, DVT_STR_ARG(name));
  return NULL;
}

static dvt_status conv_output(TF_ShapeInferenceContext *c, const window_attrs *w, filter_format f,
                              int spatial) {
  dvt_shape input, filter;
  dvt_dim out[5];
  int rank = spatial + 2;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, rank, &input));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, rank, &filter));
  DVT_RETURN_IF_ERROR(
      check_depths(input->dims[w->format.channel], filter->dims[f.input], filter->dims[f.output], 0));
  for (int i = 0; i < spatial; i++) {
    int at = w->format.spatial + i;
    DVT_RETURN_IF_ERROR(window_output(c, w, at, input->dims[at], filter->dims[f.spatial + i], &out[at]));
  }
  out[0] = input->dims[0];
  out[w->format.channel] = filter->dims[f.output];
  return dvt_fn_set(c, 0, out, rank);
}

static bool has_format(const TF_ShapeInferenceContext *c, const char *wanted) {
  dvt_str name = DVT_STR("");
  if (dvt_fn_has_attr(c, "data_format")) dvt_status_free(dvt_fn_attr_string(c, "data_format", &name));
  return dvt_str_is(name, wanted);
}

static dvt_status check_vector(dvt_dim size) {
  if (!dvt_dim_known(size) || size == 4 || size == 32) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "VECT_C dimension must be 4 or 32, but is %lld", (long long)size);
}

// NCHW_VECT_C: the channels are dims 1 and 4, the inner of which is 4 or 32; attributes are as for NCHW.
static dvt_status read_vect_c(TF_ShapeInferenceContext *c, window_attrs *w, dvt_shape *out_input) {
  *w = (window_attrs){.format = {{"NCHW_VECT_C", 11}, 4, 1, 2}, .dilations = {1, 1, 1, 1}};
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 5, out_input));
  DVT_RETURN_IF_ERROR(check_vector((*out_input)->dims[4]));
  DVT_RETURN_IF_ERROR(read_four(c, "strides", w->strides));
  if (dvt_fn_has_attr(c, "dilations")) DVT_RETURN_IF_ERROR(read_four(c, "dilations", w->dilations));
  return read_padding(c, w);
}

static dvt_status conv2d_vect_c(TF_ShapeInferenceContext *c, filter_format f) {
  dvt_shape input, filter;
  dvt_dim out[5], depth, filter_depth;
  window_attrs w;
  DVT_RETURN_IF_ERROR(read_vect_c(c, &w, &input));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 5, &filter));
  DVT_RETURN_IF_ERROR(check_vector(filter->dims[4]));
  DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, input->dims[1], input->dims[4], &depth));
  filter_depth = filter->dims[f.input];
  if (f.has_vector)
    DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, filter_depth, filter->dims[4], &filter_depth));
  DVT_RETURN_IF_ERROR(check_depths(depth, filter_depth, filter->dims[f.output], 0));
  for (int i = 0; i < 2; i++)
    DVT_RETURN_IF_ERROR(
        window_output(c, &w, 2 + i, input->dims[2 + i], filter->dims[f.spatial + i], &out[2 + i]));
  out[0] = input->dims[0];
  out[4] = input->dims[4];
  DVT_RETURN_IF_ERROR(dvt_dim_divide(c->arena, filter->dims[f.output], out[4], true, &out[1]));
  return dvt_fn_set(c, 0, out, 5);
}

DVT_SHAPE_FN(conv2d, 2, 1) {
  window_attrs w;
  filter_format f;
  DVT_RETURN_IF_ERROR(read_filter_format(c, &f));
  if (has_format(c, "NCHW_VECT_C")) return conv2d_vect_c(c, f);
  if (f.has_vector)
    return dvt_error(TF_INVALID_ARGUMENT, "filter format OIHW_VECT_I goes with data format NCHW_VECT_C only");
  DVT_RETURN_IF_ERROR(read_window_attrs(c, &w));
  return conv_output(c, &w, f, 2);
}

// Inputs: sizes of the result (all four, or the two spatial ones), filter, gradient of the convolution's
// output.
DVT_SHAPE_FN(conv2d_backprop_input, 3, 1) {
  dvt_shape gradient, filter, sizes;
  image_format f;
  dvt_dim out[4], unused;
  DVT_RETURN_IF_ERROR(read_image_format(c, &f));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 4, &gradient));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 4, &filter));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(gradient->dims[f.channel], filter->dims[3], &unused));
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 0, &sizes));
  if (!sizes) DVT_RETURN_IF_ERROR(dvt_shape_unknown_of_rank(c->arena, 4, &sizes));
  if (sizes->rank == 4) {
    memcpy(out, sizes->dims, sizeof out);
    DVT_RETURN_IF_ERROR(dvt_dim_merge(out[0], gradient->dims[0], &out[0]));
  } else if (sizes->rank == 2) {
    out[0] = gradient->dims[0];
    out[f.spatial] = sizes->dims[0];
    out[f.spatial + 1] = sizes->dims[1];
    out[f.channel] = filter->dims[2];
  } else {
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: %d",
                     sizes->rank);
  }
  return dvt_fn_set(c, 0, out, 4);
}

// Filter [rows, cols, input depth, multiplier].
DVT_SHAPE_FN(depthwise_conv2d, 2, 1) {
  dvt_shape input, filter;
  window_attrs w;
  dvt_dim out[4], depth;
  DVT_RETURN_IF_ERROR(read_window_attrs(c, &w));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 4, &input));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 4, &filter));
  DVT_RETURN_IF_ERROR(dvt_dim_merge(input->dims[w.format.channel], filter->dims[2], &depth));
  for (int i = 0; i < 2; i++) {
    int at = w.format.spatial + i;
    DVT_RETURN_IF_ERROR(window_output(c, &w, at, input->dims[at], filter->dims[i], &out[at]));
  }
  out[0] = input->dims[0];
  DVT_RETURN_IF_ERROR(dvt_dim_multiply(c->arena, depth, filter->dims[3], &out[w.format.channel]));
  return dvt_fn_set(c, 0, out, 4);
}

static dvt_status pool_output(TF_ShapeInferenceContext *c, const window_attrs *w, dvt_shape input,
                              const int64_t sizes[4], dvt_shape *out_shape) {
  dvt_dim out[4];
  for (int i = 0; i < 4; i++)
    if (sizes[i] <= 0)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Sliding window ksize for dimension %d must be positive, but is %lld", i,
                       (long long)sizes[i]);
  for (int i = 1; i < 4; i++) DVT_RETURN_IF_ERROR(window_output(c, w, i, input->dims[i], sizes[i], &out[i]));
  out[0] = input->dims[0];
  return dvt_shape_make(c->arena, out, 4, false, out_shape);
}

// [N, C/4, H, W, 4] or [N, C/32, H, W, 32], pooled as NCHW is.
static dvt_status pool_vect_c_output(TF_ShapeInferenceContext *c, const window_attrs *w, dvt_shape input,
                                     const int64_t sizes[4]) {
  dvt_shape outer, inner;
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, input, 0, 4, &outer));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, input, 4, 5, &inner));
  DVT_RETURN_IF_ERROR(pool_output(c, w, outer, sizes, &outer));
  return dvt_shape_concat(c->arena, outer, inner, &c->outputs[0]);
}

static dvt_status pool_vect_c(TF_ShapeInferenceContext *c) {
  dvt_shape input;
  int64_t sizes[4];
  window_attrs w;
  DVT_RETURN_IF_ERROR(read_vect_c(c, &w, &input));
  DVT_RETURN_IF_ERROR(read_four(c, "ksize", sizes));
  return pool_vect_c_output(c, &w, input, sizes);
}

DVT_SHAPE_FN(pool, 1, 1) {
  dvt_shape input;
  window_attrs w;
  int64_t sizes[4];
  if (has_format(c, "NCHW_VECT_C")) return pool_vect_c(c);
  DVT_RETURN_IF_ERROR(read_window_attrs(c, &w));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 4, &input));
  DVT_RETURN_IF_ERROR(read_four(c, "ksize", sizes));
  return pool_output(c, &w, input, sizes, &c->outputs[0]);
}

// Four integers that input `input` gives; *out_known false while they are not known.
static dvt_status four_of_input(TF_ShapeInferenceContext *c, int input, int64_t values[4], bool *out_known) {
  dvt_shape vector;
  dvt_dim four;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, input, 1, &vector));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(vector->dims[0], 4, &four));
  const TF_Tensor *tensor = dvt_shape_input_value(c, input);
  *out_known = tensor != NULL;
  for (int i = 0; tensor && i < 4; i++) DVT_RETURN_IF_ERROR(dvt_tensor_int_at(tensor, i, &values[i]));
  return NULL;
}

// The last two inputs are the sizes and the strides of the window.
DVT_SHAPE_FN(max_pool_v2, 3, 1) {
  dvt_shape input;
  window_attrs w = {.format = {{"NCHW_VECT_C", 11}, 4, 1, 2}, .dilations = {1, 1, 1, 1}};
  int64_t sizes[4];
  bool sizes_known, strides_known, has_vector = has_format(c, "NCHW_VECT_C");
  if (!has_vector) DVT_RETURN_IF_ERROR(read_image_format(c, &w.format));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, has_vector ? 5 : 4, &input));
  if (has_vector) DVT_RETURN_IF_ERROR(check_vector(input->dims[4]));
  DVT_RETURN_IF_ERROR(four_of_input(c, c->node->input_count - 2, sizes, &sizes_known));
  DVT_RETURN_IF_ERROR(four_of_input(c, c->node->input_count - 1, w.strides, &strides_known));
  DVT_RETURN_IF_ERROR(read_padding(c, &w));
  if (!sizes_known || !strides_known) return NULL;
  return has_vector ? pool_vect_c_output(c, &w, input, sizes)
                    : pool_output(c, &w, input, sizes, &c->outputs[0]);
}

// ---- Conv: any number of batch dims, two or three spatial ones ----

static dvt_status read_spatial(const TF_ShapeInferenceContext *c, const char *name, int rank,
                               int64_t *values) {
  int count;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_ints(c, name, values, rank, &count));
  if (count == rank) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   DVT_STR_FMT " requires the %s attribute to contain %d values, but got: %d",
                   DVT_STR_ARG(c->node->op->name), name, rank, count);
}

static dvt_status read_conv_attrs(const TF_ShapeInferenceContext *c, int rank, window_attrs *w,
                                  int64_t *out_batch_dims) {
  dvt_str format;
  dvt_str value;
  dvt_attr_info info = {.list_size = 0};
  DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "data_format", &format));
  bool first = dvt_str_is(format, "CHANNELS_FIRST");
  if (!first && !dvt_str_is(format, "CHANNELS_LAST"))
    return dvt_error(TF_INVALID_ARGUMENT, "Invalid data format: " DVT_STR_FMT, DVT_STR_ARG(format));
  *w = (window_attrs){.format = {format, rank, first ? 1 : rank - 1, first ? 2 : 1},
                      .dilations = {1, 1, 1, 1, 1}};
  *out_batch_dims = 1;
  if (dvt_fn_has_attr(c, "batch_dims")) DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "batch_dims", out_batch_dims));
  if (*out_batch_dims < 0 || *out_batch_dims > DVT_MAX_RANK - rank)
    return dvt_error(TF_INVALID_ARGUMENT, "batch_dims is %lld; 0 to %d are possible",
                     (long long)*out_batch_dims, DVT_MAX_RANK - rank);
  DVT_RETURN_IF_ERROR(read_spatial(c, "strides", rank, w->strides));
  if (dvt_node_attr(c->node, DVT_STR("dilations"), &value))
    DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  if (info.list_size > 0) DVT_RETURN_IF_ERROR(read_spatial(c, "dilations", rank, w->dilations));
  return read_padding(c, w);
}

DVT_SHAPE_FN(conv, 2, 1) {
  dvt_shape input, filter = c->inputs[1];
  window_attrs w;
  int64_t batch, groups = 0;
  dvt_dim out[DVT_MAX_RANK + 1];
  if (!filter || !c->inputs[0]) return NULL;
  if (filter->rank != 4 && filter->rank != 5)
    return dvt_error(TF_INVALID_ARGUMENT, "the filter must be of rank 4 or 5, but is of rank %d",
                     filter->rank);
  int rank = filter->rank, spatial = rank - 2;
  DVT_RETURN_IF_ERROR(read_conv_attrs(c, rank, &w, &batch));
  if (dvt_fn_has_attr(c, "groups")) DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "groups", &groups));
  if (spatial == 3 && w.padding == DVT_PADDING_EXPLICIT)
    return dvt_error(TF_INVALID_ARGUMENT, "Explicit padding not supported for 3D Convolution");
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, batch + spatial + 1, &input));
  int shift = (int)batch - 1;  // from a position in a tensor with one batch dim
  dvt_dim depth = input->dims[w.format.channel + shift];
  if (dvt_fn_has_attr(c, "groups"))
    DVT_RETURN_IF_ERROR(check_groups(groups, depth, filter->dims[spatial + 1]));
  DVT_RETURN_IF_ERROR(check_depths(depth, filter->dims[spatial], filter->dims[spatial + 1], groups));
  memcpy(out, input->dims, sizeof out[0] * (size_t)input->rank);
  for (int i = 0; i < spatial; i++) {
    int at = w.format.spatial + i;
    DVT_RETURN_IF_ERROR(window_output(c, &w, at, input->dims[at + shift], filter->dims[i], &out[at + shift]));
  }
  out[w.format.channel + shift] = filter->dims[spatial + 1];
  return dvt_fn_set(c, 0, out, input->rank);
}

// ---- three spatial dims: no explicit paddings ----

static dvt_status read_five(const TF_ShapeInferenceContext *c, const char *name, int64_t values[5]) {
  int count;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_ints(c, name, values, 5, &count));
  if (count == 5) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   DVT_STR_FMT " requires the %s attribute to contain 5 values, but got: %d",
                   DVT_STR_ARG(c->node->op->name), name, count);
}

static dvt_status read_volume_attrs(const TF_ShapeInferenceContext *c, window_attrs *w) {
  *w = (window_attrs){.dilations = {1, 1, 1, 1, 1}};
  DVT_RETURN_IF_ERROR(read_format(c, &w->format));
  if (w->format.rank != 5)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Invalid data format string: " DVT_STR_FMT "; this op takes NDHWC or NCDHW",
                     DVT_STR_ARG(w->format.name));
  DVT_RETURN_IF_ERROR(read_five(c, "strides", w->strides));
  if (dvt_fn_has_attr(c, "dilations")) DVT_RETURN_IF_ERROR(read_five(c, "dilations", w->dilations));
  return read_padding(c, w);
}

DVT_SHAPE_FN(conv3d, 2, 1) {
  window_attrs w;
  DVT_RETURN_IF_ERROR(read_volume_attrs(c, &w));
  return conv_output(c, &w, (filter_format){0, 3, 4, false}, 3);
}

DVT_SHAPE_FN(conv3d_backprop_input, 3, 1) {
  dvt_shape sizes;
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 0, &sizes));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, sizes, 5, &c->outputs[0]));
  return NULL;
}

DVT_SHAPE_FN(pool3d, 1, 1) {
  dvt_shape input;
  window_attrs w;
  int64_t sizes[5];
  dvt_dim out[5];
  DVT_RETURN_IF_ERROR(read_volume_attrs(c, &w));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 5, &input));
  DVT_RETURN_IF_ERROR(read_five(c, "ksize", sizes));
  for (int i = 1; i < 5; i++) {
    if (sizes[i] <= 0)
      return dvt_error(TF_INVALID_ARGUMENT,
                       "Sliding window ksize for dimension %d must be positive, but is %lld", i,
                       (long long)sizes[i]);
    DVT_RETURN_IF_ERROR(window_output(c, &w, i, input->dims[i], sizes[i], &out[i]));
  }
  out[0] = input->dims[0];
  return dvt_fn_set(c, 0, out, 5);
}

DVT_SHAPE_FN(fused_batch_norm, 3, 1) {
  image_format format;
  dvt_shape x, vector;
  bool is_training;
  float average_factor = 1;
  DVT_RETURN_IF_ERROR(read_format(c, &format));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, format.rank, &x));
  DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "is_training", &is_training));
  if (dvt_fn_has_attr(c, "exponential_avg_factor"))
    DVT_RETURN_IF_ERROR(dvt_fn_attr_float(c, "exponential_avg_factor", &average_factor));
  // Scale and offset, and mean and variance where they are read.
  int vectors = is_training && average_factor == 1 ? 3 : DVT_MIN(5, c->node->input_count);
  dvt_dim channels = x->dims[format.channel];
  for (int i = 1; i < vectors; i++) {
    DVT_RETURN_IF_ERROR(dvt_fn_rank(c, i, 1, &vector));
    DVT_RETURN_IF_ERROR(dvt_dim_merge(channels, vector->dims[0], &channels));
  }
  DVT_RETURN_IF_ERROR(dvt_shape_replace_dim(c->arena, x, format.channel, channels, &c->outputs[0]));
  for (int i = 1; i < DVT_MIN(5, c->node->output_count); i++)
    DVT_RETURN_IF_ERROR(dvt_fn_set(c, i, &channels, 1));
  return NULL;
}

DVT_SHAPE_FN(resize, 2, 1) {
  dvt_shape images, size;
  dvt_dim out[4], unused;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 4, &images));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &size));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(size->dims[0], 2, &unused));
  DVT_RETURN_IF_ERROR(dvt_shape_of_input(c, 1, &size));
  out[0] = images->dims[0];
  out[1] = dvt_fn_dim(c, size, 0);
  out[2] = dvt_fn_dim(c, size, 1);
  out[3] = images->dims[3];
  return dvt_fn_set(c, 0, out, 4);
}

DVT_SHAPE_FN(top_k, 2, 2) {
  dvt_shape input, scalar;
  dvt_dim k;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 1, &input));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 0, &scalar));
  DVT_RETURN_IF_ERROR(dvt_dim_of_scalar_input(c, 1, &k));
  if (!input) return NULL;
  dvt_dim last = input->dims[input->rank - 1];
  if (dvt_dim_known(last) && dvt_dim_known(k) && last < k)
    return dvt_error(TF_INVALID_ARGUMENT, "input must have last dimension >= k = %lld but is %lld",
                     (long long)k, (long long)last);
  DVT_RETURN_IF_ERROR(dvt_shape_replace_dim(c->arena, input, -1, k, &c->outputs[0]));
  c->outputs[1] = c->outputs[0];
  return NULL;
}
