// Folding constants into a filter: out = conv(x, filter) * factor + summand per channel, where factor and
// summand gather all affine links in double precision.
#include <math.h>

#include "exec/fuse.h"

static double element(const TF_Tensor *t, int64_t i) {
  return t->dtype == TF_DOUBLE ? ((const double *)t->data)[i] : (double)((const float *)t->data)[i];
}

// False when the value would not be finite; NaN and infinities stay what the unfused nodes make of them.
static bool put(TF_Tensor *t, int64_t i, double value) {
  if (t->dtype == TF_DOUBLE) {
    ((double *)t->data)[i] = value;
    return isfinite(value);
  }
  ((float *)t->data)[i] = (float)value;
  return isfinite((float)value);
}

static bool has_channels(const dvt_fuser *f, const dvt_chain *chain, dvt_source source) {
  const TF_Tensor *t = dvt_fuser_constant(f, source);
  return t && t->dtype == chain->dtype && dvt_tensor_count(t) == chain->channels;
}

// factor[c] and summand[c] after all the links.
static bool gather(const dvt_fuser *f, const dvt_recipe *r, double *factor, double *summand) {
  const dvt_chain *chain = r->chain;
  for (int64_t c = 0; c < chain->channels; c++) {
    factor[c] = 1;
    summand[c] = 0;
  }
  for (int i = 0; i < r->link_count && chain->links[i].kind <= DVT_LINK_NORM; i++) {
    const dvt_link *link = &chain->links[i];
    bool norm = link->kind == DVT_LINK_NORM;
    for (int k = 0; k < (norm ? 4 : 1); k++)
      if (!has_channels(f, chain, norm ? link->norm[k] : link->operand)) return false;
    for (int64_t c = 0; c < chain->channels; c++) {
      double scale = 1, shift = 0;
      if (norm) {
        double v[4];
        for (int k = 0; k < 4; k++) v[k] = element(dvt_fuser_constant(f, link->norm[k]), c);
        scale = v[0] / sqrt(v[3] + (double)link->epsilon);
        shift = v[1] - v[2] * scale;
      } else if (link->kind == DVT_LINK_SCALE) {
        scale = element(dvt_fuser_constant(f, link->operand), c);
      } else {
        shift = element(dvt_fuser_constant(f, link->operand), c);
      }
      factor[c] *= scale;
      summand[c] = summand[c] * scale + shift;
    }
  }
  return true;
}

static bool transposes_filter(const dvt_fuser *f, const dvt_chain *chain) {
  dvt_str value;
  bool transposed = false;
  if (chain->root_kind == DVT_ROOT_MATMUL &&
      dvt_node_attr(&dvt_fuser_node(f, chain->root)->op->def, DVT_STR("transpose_b"), &value))
    dvt_status_free(dvt_attr_get_bool(value, &transposed));
  return transposed;
}

// The usual case: channels last, float.
static bool scale_rows(float *x, int64_t rows, int64_t channels, const double *factor) {
  bool finite = true;
  for (int64_t r = 0; r < rows; r++, x += channels)
    for (int64_t c = 0; c < channels; c++) {
      x[c] = (float)((double)x[c] * factor[c]);
      finite &= x[c] - x[c] == 0;
    }
  return finite;
}

// Channels are the last dims of a filter, but the first of a transposed matrix.
static bool scale_filter(const dvt_fuser *f, const dvt_chain *chain, const double *factor,
                         TF_Tensor *filter) {
  int64_t count = dvt_tensor_count(filter);
  if (count == 0 || count % chain->channels != 0) return false;
  int64_t run = transposes_filter(f, chain) ? count / chain->channels : 1;
  if (run == 1 && filter->dtype == TF_FLOAT)
    return scale_rows(filter->data, count / chain->channels, chain->channels, factor);
  bool finite = true;
  for (int64_t i = 0; i < count; i += chain->channels * run) {
    int64_t at = i;
    for (int64_t c = 0; c < chain->channels; c++)
      for (int64_t k = 0; k < run; k++, at++) finite &= put(filter, at, element(filter, at) * factor[c]);
  }
  return finite;
}

bool dvt_fold_weights(const dvt_fuser *f, const dvt_recipe *recipe, TF_Tensor *out_filter,
                      TF_Tensor *out_bias) {
  const dvt_chain *chain = recipe->chain;
  dvt_source filter = dvt_fuser_input(f, chain->root, 1);
  double *factor = dvt_malloc(2 * (size_t)chain->channels * sizeof *factor);
  if (!factor) return false;
  dvt_status status =
      dvt_session_node_copy_constant(dvt_fuser_node(f, filter.node), filter.index, out_filter);
  if (!status) status = dvt_tensor_init_allocate(out_bias, chain->dtype, &chain->channels, 1);
  bool fine = !status && out_filter->dtype == chain->dtype &&
              gather(f, recipe, factor, factor + chain->channels) &&
              scale_filter(f, chain, factor, out_filter);
  for (int64_t c = 0; fine && c < chain->channels; c++)
    fine = isfinite(factor[c]) && put(out_bias, c, factor[chain->channels + c]);
  dvt_status_free(status);
  dvt_free(factor);
  if (fine) return true;
  dvt_tensor_reset(out_filter);
  dvt_tensor_reset(out_bias);
  return false;
}
