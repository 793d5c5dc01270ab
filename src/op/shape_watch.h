// Debug mode's watch over a shape function that does not return: see decision 0015.
#ifndef DVT_OP_SHAPE_WATCH_H_
#define DVT_OP_SHAPE_WATCH_H_

#include "op/shape_inference.h"

// ThreadSanitizer holds signals back until a function of the C library is called.
#if defined(__SANITIZE_THREAD__)
#define DVT_SHAPE_WATCH_OFF 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DVT_SHAPE_WATCH_OFF 1
#endif
#endif
#ifndef DVT_SHAPE_WATCH_OFF
#define DVT_SHAPE_WATCH_OFF 0
#endif

// Calls the shape function in a frame that C++ exceptions do not leave (shape_inference.c).
dvt_status dvt_shape_fn_call(TF_ShapeInferenceContext *ctx, dvt_shape_fn shape_fn,
                             TF_Status *status) DVT_NODISCARD;
// Calls the shape function for the context, whose number (`call`) must not be 0, and stops it in its
// own code once DOVETAIL_SHAPE_FN_SECONDS (10) have passed: DEADLINE_EXCEEDED, and what the function has
// allocated stays behind. Functions of Dovetail itself are called as they are.
dvt_status dvt_shape_watch(TF_ShapeInferenceContext *ctx, dvt_shape_fn shape_fn,
                           TF_Status *status) DVT_NODISCARD;

#endif  // DVT_OP_SHAPE_WATCH_H_
