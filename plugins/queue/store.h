// What a queue holds and in what order it gives it away: first in first out, by priority, or drawn at random.
// No locks and no waiting; that is queue.h's.
#ifndef DOVETAIL_PLUGINS_QUEUE_STORE_H_
#define DOVETAIL_PLUGINS_QUEUE_STORE_H_

#include "common/call.h"
#include "random/philox.h"

typedef enum dvq_order { DVQ_FIRST_IN, DVQ_BY_PRIORITY, DVQ_SHUFFLED } dvq_order;

// An element: a tensor for each component. Of a priority queue the first component is the priority.
typedef struct dvq_element {
  int count;
  TF_Tensor *components[];
} dvq_element;

dvq_element *dvq_element_new(dvp_call *call, int count);  // NULL, after a failure, when out of memory
void dvq_element_free(dvq_element *element);              // accepts NULL

typedef struct dvq_store {
  dvq_order order;
  dvp_philox_stream random;  // of a shuffled one
  int64_t count, capacity;   // capacity of the memory
  int64_t first;             // the oldest, in a ring; 0 but for DVQ_FIRST_IN
  dvq_element **elements;
} dvq_store;

// Takes over the element; false when out of memory, and the element is still the caller's.
bool dvq_store_put(dvq_store *store, dvq_element *element);
// Puts an element back where it was taken from: in front of all, where there is an order of arrival.
bool dvq_store_put_back(dvq_store *store, dvq_element *element);
dvq_element *dvq_store_take(dvq_store *store);  // the store holds one
void dvq_store_deinit(dvq_store *store);

#endif  // DOVETAIL_PLUGINS_QUEUE_STORE_H_
