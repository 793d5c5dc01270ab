// See store.h. A ring for the order of arrival, a heap by priority, an array to draw from.
#include "queue/store.h"

#include <stdlib.h>
#include <string.h>

dvq_element *dvq_element_new(dvp_call *call, int count) {
  dvq_element *e = calloc(1, sizeof(*e) + (size_t)count * sizeof(e->components[0]));
  if (!e) {
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for an element of %d components", count);
    return NULL;
  }
  e->count = count;
  return e;
}

void dvq_element_free(dvq_element *e) {
  for (int i = 0; e && i < e->count; i++) TF_DeleteTensor(e->components[i]);
  free(e);
}

static bool reserve(dvq_store *s) {
  if (s->count < s->capacity) return true;
  int64_t capacity = s->capacity * 2 + 16;
  dvq_element **elements = malloc((size_t)capacity * sizeof(*elements));
  if (!elements) return false;
  for (int64_t i = 0; i < s->count; i++) elements[i] = s->elements[(s->first + i) % s->capacity];
  free(s->elements);
  s->elements = elements;
  s->capacity = capacity;
  s->first = 0;
  return true;
}

static int64_t priority(const dvq_element *e) { return *(const int64_t *)TF_TensorData(e->components[0]); }

static void swap(dvq_store *s, int64_t a, int64_t b) {
  dvq_element *e = s->elements[a];
  s->elements[a] = s->elements[b];
  s->elements[b] = e;
}

static void rise(dvq_store *s, int64_t i) {
  for (; i > 0 && priority(s->elements[i]) < priority(s->elements[(i - 1) / 2]); i = (i - 1) / 2)
    swap(s, i, (i - 1) / 2);
}

static void sink(dvq_store *s) {
  for (int64_t i = 0, least;; i = least) {
    least = i;
    for (int64_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->count; child++)
      if (priority(s->elements[child]) < priority(s->elements[least])) least = child;
    if (least == i) return;
    swap(s, i, least);
  }
}

bool dvq_store_put(dvq_store *s, dvq_element *element) {
  if (!reserve(s)) return false;
  s->elements[(s->first + s->count++) % s->capacity] = element;
  if (s->order == DVQ_BY_PRIORITY) rise(s, s->count - 1);
  return true;
}

bool dvq_store_put_back(dvq_store *s, dvq_element *element) {
  if (s->order != DVQ_FIRST_IN) return dvq_store_put(s, element);
  if (!reserve(s)) return false;
  s->first = (s->first + s->capacity - 1) % s->capacity;
  s->elements[s->first] = element;
  s->count++;
  return true;
}

dvq_element *dvq_store_take(dvq_store *s) {
  int64_t at = s->first;
  if (s->order == DVQ_SHUFFLED) at = (int64_t)(dvp_philox_one(&s->random) % (uint64_t)s->count);
  dvq_element *element = s->elements[at];
  s->count--;
  if (s->order == DVQ_FIRST_IN) {
    s->first = (s->first + 1) % s->capacity;
  } else {
    s->elements[at] = s->elements[s->count];
    if (s->order == DVQ_BY_PRIORITY) sink(s);
  }
  return element;
}

void dvq_store_deinit(dvq_store *s) {
  while (s->count > 0) dvq_element_free(dvq_store_take(s));
  free(s->elements);
}
