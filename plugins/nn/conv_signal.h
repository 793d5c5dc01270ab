// The f32 convolution of one channel with long filters, accumulated in f64: resampling and filter banks over
// signals. Their results are small differences of large sums, and spectra are looked at in logarithms, so
// that the rounding of an f32 accumulator becomes visible; and they are a small part of a network's work.
#ifndef DOVETAIL_PLUGINS_NN_CONV_SIGNAL_H_
#define DOVETAIL_PLUGINS_NN_CONV_SIGNAL_H_

#include "nn/conv.h"

#ifdef DVP_ISA_V3
#define DVP_SIGNAL dvp_conv_signal_avx2
#define DVP_IS_SIGNAL dvp_conv_is_signal_avx2
#else
#define DVP_SIGNAL dvp_conv_signal
#define DVP_IS_SIGNAL dvp_conv_is_signal
#endif

// Whether the function below takes this geometry.
bool DVP_IS_SIGNAL(const dvp_window *w);
// False after the call has failed.
bool DVP_SIGNAL(dvp_call *call, const dvp_window *w, const void *in, const void *filter, void *out);

#endif  // DOVETAIL_PLUGINS_NN_CONV_SIGNAL_H_
