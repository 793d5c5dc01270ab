// What few steps need and no step pays for that does not: callbacks for cancellation, the rendezvous, the
// name of the step's container. Made when a kernel first asks and kept with the step's memory;
// dvt_step_finish empties it. Internal to this layer: cancel.c, cancel_watch.c, rendezvous.c and step.c.
#ifndef DVT_KERNEL_STEP_EXTRAS_H_
#define DVT_KERNEL_STEP_EXTRAS_H_

#include <pthread.h>

#include "kernel/kernel.h"

typedef struct dvt_cancel_callback {
  int64_t token;
  void (*fn)(void *arg);
  void *arg;
  struct dvt_cancel_callback *next;
} dvt_cancel_callback;

typedef struct dvt_rendezvous_entry dvt_rendezvous_entry;

typedef struct dvt_step_extras {
  dvt_step *step;
  pthread_mutex_t lock;
  pthread_cond_t changed;  // `is_running` has ended
  dvt_cancel_callback *callbacks;
  bool is_running;          // a thread runs the callbacks that there were
  int64_t token_in_caller;  // of this step's callback in the calling step; 0: none
  // Guarded by the watch (cancel_watch.c).
  bool is_watched;
  struct dvt_step_extras *next_watched;
  char container[DVT_STEP_CONTAINER_BYTES];  // empty until asked for
  dvt_status failure;                        // of dvt_step_fail
  // rendezvous.c
  dvt_rendezvous_entry *entries;
  dvt_status abort_reason;  // sends and receives fail with it
} dvt_step_extras;

// NULL when out of memory.
dvt_step_extras *dvt_step_extras_get(dvt_step *step) DVT_NODISCARD;

// End of a step: callbacks that are still registered run, as in stock; nothing is registered afterwards.
void dvt_cancel_end(dvt_step_extras *extras);
// The step is cancelled when its time limit passes, from a thread of its own; a kernel that blocks the thread
// that would look at the clock is then woken. RESOURCE_EXHAUSTED when there is no such thread to be had.
dvt_status dvt_cancel_watch(dvt_step_extras *extras) DVT_NODISCARD;
// Returns when that thread has let go of the step.
void dvt_cancel_unwatch(dvt_step_extras *extras);

// Receivers that wait get `reason` (consumed), as does everybody who comes later.
void dvt_rendezvous_abort(dvt_step_extras *extras, dvt_status reason);
// End of a step: receivers that still wait get an error, values that nobody took are dropped.
void dvt_rendezvous_end(dvt_step_extras *extras);

#endif  // DVT_KERNEL_STEP_EXTRAS_H_
