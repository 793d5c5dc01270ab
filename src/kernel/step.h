// dvt_step: what all nodes of one running step share. Its life is that of the step: until the last async
// kernel is done and nothing is deferred any more. Executors keep the memory for the next step.
#ifndef DVT_KERNEL_STEP_H_
#define DVT_KERNEL_STEP_H_

#include "device/device.h"
#include "kernel/resource.h"

struct dvt_profile;
typedef struct dvt_step {
  int64_t id;  // TF_StepId: sessions count from 1
  const dvt_device *device;
  dvt_pool *pool;  // for loops inside kernels; NULL: run in place
  dvt_resource_manager *resources;
  dvt_str config_proto;    // serialised ConfigProto of the session; may be empty
  dvt_str session_handle;  // unique in this process; may be empty
  // Serialised FunctionDefLibrary on demand (rarely asked); may be NULL.
  dvt_status (*function_library)(void *arg, dvt_buf *out);
  void *function_library_arg;
  atomic_bool cancelled;        // see dvt_step_cancel; false again when the step has ended
  int64_t deadline_ns;          // monotonic clock; 0 = none
  int64_t start_ns;             // monotonic clock; 0 unless `wants_start` was set
  atomic_bool *wants_start;     // set by kernels that ask for the time: the next steps take it; may be NULL
  atomic_int deferred_ops;      // TF_IncNumDeferredOps without its TF_DecNumDeferredOps
  atomic_bool has_temporaries;  // something was put into the step's container
  // Of a function that a kernel calls: that kernel's step, which ends later; else NULL.
  struct dvt_step *caller;
  int32_t depth;                             // of such calls
  bool in_caller;                            // no node on another thread
  struct dvt_profile *profile;               // receives what nodes do; may be NULL
  _Atomic(struct dvt_step_extras *) extras;  // step_extras.h
} dvt_step;

// After the last node: waits for deferred ops, ends what kernels registered with the step, and drops its
// temporary variables. Cheap when there are none. What the step ends with: `status` (consumed), or instead of
// NULL and CANCELLED the error of dvt_step_fail.
dvt_status dvt_step_finish(dvt_step *step, dvt_status status) DVT_NODISCARD;
// Work that was deferred has failed: the step is cancelled and ends with this error (consumed), the first of
// several.
void dvt_step_fail(dvt_step *step, dvt_status error) DVT_COLD;
void dvt_step_deinit(dvt_step *step);   // after dvt_step_finish, when the memory goes
void dvt_step_defer(dvt_step *step);    // one more deferred op
void dvt_step_undefer(dvt_step *step);  // one less; ignored with a log line when there is none
// The step has put something into its container, which the outermost step drops.
void dvt_step_note_temporary(dvt_step *step);
static inline dvt_step *dvt_step_outermost(dvt_step *step) {
  while (step->caller) step = step->caller;
  return step;
}
// Name of the resource container that lives as long as the step, written to `buffer`.
#define DVT_STEP_CONTAINER_BYTES 40
dvt_str dvt_step_container(const dvt_step *step, char *buffer);
// The same with the text kept until the step ends; something will be put there. Empty when out of memory.
dvt_str dvt_step_use_container(dvt_step *step);

// Cancellation, in cancel.c; any thread may call. Sets `cancelled` and runs, in this thread, the callbacks
// that are registered; the caller holds no lock that they need.
void dvt_step_cancel(dvt_step *step);
bool dvt_step_is_cancelled(const dvt_step *step);  // it or a step that called it
// fn(arg) runs once, in whatever thread, when the step is cancelled or at its end, unless it is taken back by
// the token before. CANCELLED when the step is cancelled already.
dvt_status dvt_step_on_cancel(dvt_step *step, void (*fn)(void *arg), void *arg,
                              int64_t *out_token) DVT_NODISCARD;
// Takes it back: true, and fn never runs. False: it has run, or runs now; `wait` for the end of that (but for
// a callback of the same step).
bool dvt_step_off_cancel(dvt_step *step, int64_t token, bool wait);

// Values passed between kernels of a step under a name, in rendezvous.c: a send meets a receive. The
// outermost step has the values. Any thread may call.
// The receiver: `error` and `value` are lent for the call; `value` is NULL beside an error or when dead.
typedef void (*dvt_receive_fn)(void *arg, dvt_status error, const TF_Tensor *value, bool is_dead);
// Hands a reference to `value` (NULL only when dead) to the longest waiting receiver of the name, or keeps it
// for the next one.
dvt_status dvt_rendezvous_send(dvt_step *step, dvt_str key, const TF_Tensor *value,
                               bool is_dead) DVT_NODISCARD;
// fn runs once: now, from a later send, or with an error when the step is cancelled or ends.
void dvt_rendezvous_receive(dvt_step *step, dvt_str key, dvt_receive_fn fn, void *arg);
void dvt_rendezvous_abort_step(dvt_step *step, dvt_status reason);  // consumes `reason`

#endif  // DVT_KERNEL_STEP_H_
