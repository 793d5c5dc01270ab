// What a node's kernel made from inputs that do not change (a packed filter, the factors of a batch
// normalisation), for the steps that follow. It holds handles to those inputs, which keeps their memory as it
// is: it is good for as long as the inputs have the same data pointers. Steps that run side by side share it.
#ifndef DOVETAIL_PLUGINS_COMMON_KEPT_H_
#define DOVETAIL_PLUGINS_COMMON_KEPT_H_

#include <pthread.h>
#include <stdatomic.h>

#include "common/call.h"

#define DVP_KEPT_INPUTS 5

typedef struct dvp_kept {
  atomic_int users;
  int input_count;
  int64_t dims[2];  // what else it was made for
  TF_Tensor *inputs[DVP_KEPT_INPUTS];
  bool flag;  // the maker's to use
  TF_Tensor *memory;
  float *data;  // of memory
} dvp_kept;

typedef struct dvp_keeper {
  pthread_mutex_t lock;
  dvp_kept *kept;
} dvp_keeper;

void dvp_keeper_init(dvp_keeper *keeper);
void dvp_keeper_deinit(dvp_keeper *keeper);

// Are all these inputs of the node constants or values of variables?
bool dvp_inputs_are_stable(dvp_call *call, const int *inputs, int count);

// What was made from these inputs, which must be stable, for `dims`; made now by `make`, into `data` of this
// many floats at 64 bytes, when it is not there. With one reference for the caller. NULL after the call has
// failed.
dvp_kept *dvp_keeper_get(dvp_call *call, dvp_keeper *keeper, const int *inputs, int count,
                         const int64_t dims[2], int64_t floats,
                         bool (*make)(dvp_call *call, void *arg, dvp_kept *kept), void *arg);
void dvp_kept_release(dvp_kept *kept);

#endif  // DOVETAIL_PLUGINS_COMMON_KEPT_H_
