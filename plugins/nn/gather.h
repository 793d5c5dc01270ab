// The f32 microkernel of windows over volumes, both ways: each position of `to` adds up, over the taps, the
// channels of the position of `from` that a tap leads to. Images are volumes of one plane.
#ifndef DOVETAIL_PLUGINS_NN_GATHER_H_
#define DOVETAIL_PLUGINS_NN_GATHER_H_

#include "nn/volume.h"

#ifdef DVP_ISA_V3
#define DVP_GATHER dvp_gather_avx2
#else
#define DVP_GATHER dvp_gather
#endif

// Forward: the convolution of `a`, an input. Backward: the gradient by the input, of `a`, a gradient by the
// output. The filter is [planes, rows, columns, channels, out_channels] either way. Returns false after the
// call has failed.
bool DVP_GATHER(dvp_call *call, const dvp_volume *v, bool backward, const float *a, const float *filter,
                float *out);

#endif  // DOVETAIL_PLUGINS_NN_GATHER_H_
