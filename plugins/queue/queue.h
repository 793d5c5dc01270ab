// Queues of tuples of tensors, for asynchronous kernels: who finds no room, or nothing to take, waits as an
// attempt in a line; whoever changes the queue goes on with the attempts that can go on. A step that is
// cancelled takes its attempts out of the line.
#ifndef DOVETAIL_PLUGINS_QUEUE_QUEUE_H_
#define DOVETAIL_PLUGINS_QUEUE_QUEUE_H_

#include "common/call.h"
#include "common/plugin.h"
#include "queue/store.h"

typedef struct dvq_shape {
  int rank;                    // -1: unknown
  int64_t dims[DVP_MAX_RANK];  // -1: unknown
} dvq_shape;

typedef struct dvq_options {
  const char *kind;  // "FIFOQueue", ...: for messages and to tell kinds apart
  dvq_order order;
  bool pads;                  // batches of elements of different shapes are padded
  int64_t capacity;           // elements
  int64_t min_after_dequeue;  // what stays in a shuffled queue that is not closed
  int64_t seeds[2];
  int count;  // of components
  const TF_DataType *types;
  const dvq_shape *shapes;  // one for each component; NULL: not given
} dvq_options;

typedef struct dvq_queue dvq_queue;

// A handle to the queue container/name of the session, made if it does not exist; an existing one must be
// like `options`. NULL after a failure.
TF_Tensor *dvq_queue_handle(dvp_call *call, const char *container, size_t container_bytes, const char *name,
                            size_t name_bytes, const dvq_options *options);
// The queue behind input 0.
dvq_queue *dvq_queue_input(dvp_call *call);
const dvq_options *dvq_queue_options(const dvq_queue *queue);
int64_t dvq_queue_size(dvq_queue *queue);
bool dvq_queue_is_closed(dvq_queue *queue);

// The following run `done` exactly once, now or later, on any thread; what fails is then in the context.
// Puts the elements, which it takes over together with the array, one after the other.
void dvq_queue_enqueue(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, dvq_queue *queue,
                       dvq_element **elements, int64_t count);
// Takes `count` elements, or with `up_to` what is left of a queue that is closed; `output` makes them the
// outputs of the context of `call`, and does not own them.
void dvq_queue_dequeue(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, dvq_queue *queue, int64_t count,
                       bool up_to,
                       void (*output)(dvp_call *call, const dvq_options *options,
                                      dvq_element *const *elements, int64_t count));
// Closes the queue behind the enqueues that wait, or, with `cancel`, instead of them.
void dvq_queue_close(dvp_call *call, TF_AsyncOpKernelDoneCallback *done, dvq_queue *queue, bool cancel);

#endif  // DOVETAIL_PLUGINS_QUEUE_QUEUE_H_
