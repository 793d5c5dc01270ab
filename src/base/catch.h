// Calls into plugins that may throw C++ exceptions. A C program cannot write a catch clause, but its frames
// can have what the unwinder asks: a personality function that says "handled here". dvt_catch_call is such a
// frame; whatever a function under it throws ends there. It costs a call and a return when nothing is thrown,
// and nothing in the functions between (docs/decisions/0015). Frames in between are left without any
// clean-up, so they must not hold locks while plugins run.
#ifndef DVT_BASE_CATCH_H_
#define DVT_BASE_CATCH_H_

#include "base/status.h"

typedef struct dvt_exception dvt_exception;

// Runs fn(arg). NULL when it returned; else what was thrown, to be given to dvt_exception_end. Ends of
// threads (pthread_exit, cancellation) pass through.
dvt_exception *dvt_catch_call(void (*fn)(void *), void *arg) DVT_NODISCARD;
// Frees the exception after describing it: "std::runtime_error: what it said", or less where the C++ library
// cannot be asked.
#define DVT_EXCEPTION_TEXT_BYTES 320
void dvt_exception_end(dvt_exception *thrown, char *out_text) DVT_COLD;
// INTERNAL "<call> threw a C++ exception (<name>)..."; as above frees it. NULL stays NULL.
dvt_status dvt_exception_status(dvt_exception *thrown, const char *call) DVT_NODISCARD;

#endif  // DVT_BASE_CATCH_H_
