// The f32 convolution for results of few channels and for geometries that oneDNN has no good code for.
#ifndef DOVETAIL_PLUGINS_NN_CONV_NARROW_H_
#define DOVETAIL_PLUGINS_NN_CONV_NARROW_H_

#include "nn/conv.h"

#ifdef DVP_ISA_V3
#define DVP_NARROW dvp_conv_narrow_avx2
#else
#define DVP_NARROW dvp_conv_narrow
#endif

// One group. False after the call has failed.
bool DVP_NARROW(dvp_call *call, const dvp_window *w, const void *in, const void *filter, void *out);

#endif  // DOVETAIL_PLUGINS_NN_CONV_NARROW_H_
