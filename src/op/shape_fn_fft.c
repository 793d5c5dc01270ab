// Ready-made shape functions: Fourier transforms of real values, and the cross product. Transforms of complex
// values change no shape.
#include "op/shape_fn.h"

// The last `rank` dims have the lengths that input 1 gives; going forward, of the last one half and the
// middle are kept, the rest being its mirror.
static dvt_status infer_real_fft(TF_ShapeInferenceContext *c, int rank, bool forward) {
  dvt_shape out, lengths;
  dvt_dim given;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], rank, &out));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &lengths));
  DVT_RETURN_IF_ERROR(dvt_dim_with_value(lengths->dims[0], rank, &given));
  const TF_Tensor *value = dvt_shape_input_value(c, 1);
  for (int i = 0; out && i < rank; i++) {
    dvt_dim length = dvt_fn_unknown(c);
    if (value) DVT_RETURN_IF_ERROR(dvt_tensor_int_at(value, i, &length));
    if (value && length < 0)
      return dvt_error(TF_INVALID_ARGUMENT, "fft_length[%d] must not be negative, got %lld", i,
                       (long long)length);
    if (value && forward && i == rank - 1 && length > 0) length = length / 2 + 1;
    DVT_RETURN_IF_ERROR(dvt_shape_replace_dim(c->arena, out, i - rank, length, &out));
  }
  c->outputs[0] = out;
  return NULL;
}

DVT_SHAPE_FN(rfft, 2, 1) { return infer_real_fft(c, 1, true); }
DVT_SHAPE_FN(rfft2d, 2, 1) { return infer_real_fft(c, 2, true); }
DVT_SHAPE_FN(rfft3d, 2, 1) { return infer_real_fft(c, 3, true); }
DVT_SHAPE_FN(irfft, 2, 1) { return infer_real_fft(c, 1, false); }
DVT_SHAPE_FN(irfft2d, 2, 1) { return infer_real_fft(c, 2, false); }
DVT_SHAPE_FN(irfft3d, 2, 1) { return infer_real_fft(c, 3, false); }

DVT_SHAPE_FN(cross, 2, 1) {
  dvt_shape a, b;
  dvt_dim three;
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[0], 1, &a));
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(c->inputs[1], 1, &b));
  DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, a, b, &a));
  if (a) DVT_RETURN_IF_ERROR(dvt_dim_with_value(a->dims[a->rank - 1], 3, &three));
  c->outputs[0] = a;
  return NULL;
}
