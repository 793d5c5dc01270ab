// Reference-counted objects that tensors of dtype resource and variant hold. The concrete struct starts with a
// dvt_object; `type` names it (for errors and checked casts by pointer equality).
#ifndef DVT_TENSOR_OBJECT_H_
#define DVT_TENSOR_OBJECT_H_

#include <stdatomic.h>

#include "base/base.h"

typedef struct dvt_object dvt_object;
typedef struct dvt_object_type {
  const char *name;                      // "Variable", "TensorList", ...
  void (*destroy)(dvt_object *object);   // called once, when the last reference is gone
} dvt_object_type;

struct dvt_object {
  atomic_int refs;  // starts at 1
  const dvt_object_type *type;
};

static inline void dvt_object_init(dvt_object *object, const dvt_object_type *type) {
  atomic_init(&object->refs, 1);
  object->type = type;
}
static inline dvt_object *dvt_object_retain(dvt_object *object) {
  if (object) atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
  return object;
}
static inline void dvt_object_release(dvt_object *object) {
  if (object && atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1) object->type->destroy(object);
}

#endif  // DVT_TENSOR_OBJECT_H_
