// The value of a TensorArray: elements that are written once and read, under a mutex, since nodes of a step
// that no value connects may use it at the same time.
#ifndef DOVETAIL_PLUGINS_LIST_TENSOR_ARRAY_H_
#define DOVETAIL_PLUGINS_LIST_TENSOR_ARRAY_H_

#include "dovetail/object.h"
#include "list/element.h"

typedef struct dvl_array dvl_array;

typedef struct dvl_array_options {
  TF_DataType dtype;
  dvl_shape shape;  // of the elements
  bool is_dynamic;  // writes behind the end make it longer
  bool clears;      // an element can be read once
  bool identical;   // the first element that is written gives all their shape
  bool adds_up;     // what is written to an element again is added to it: arrays of gradients
  const char *name;
} dvl_array_options;

// A handle of its own for a new array. NULL after a failure.
TF_Tensor *dvl_array_handle(dvp_call *call, const dvl_array_options *options, int64_t count);
// The array in input 0, to be used while the kernel runs. NULL after a failure.
dvl_array *dvl_array_input(dvp_call *call);
// The same with the dtype the op is for.
dvl_array *dvl_array_input_of(dvp_call *call, TF_DataType dtype);

TF_DataType dvl_array_dtype(const dvl_array *array);
bool dvl_array_is_dynamic(const dvl_array *array);
bool dvl_array_size(dvp_call *call, dvl_array *array, int64_t *out_count);
// What the array knows of its elements' shape; merges `more` into it first.
bool dvl_array_shape(dvp_call *call, dvl_array *array, const dvl_shape *more, dvl_shape *out);
// Takes over the item, also on failure.
bool dvl_array_write(dvp_call *call, dvl_array *array, int64_t index, dvl_item *item);
// Elements indices[0..count), or the first `count` without indices, all or none of them: items for the caller
// to release.
bool dvl_array_read(dvp_call *call, dvl_array *array, const int32_t *indices, int64_t count, dvl_item **out);
void dvl_array_close(dvl_array *array);
// The handle of the array of gradients that `source` names, made at the first call: as long, each element of
// the shape that the array's own has behind `leading`. From then on the array grows no more. The handle is
// the array's. NULL after a failure.
TF_Tensor *dvl_array_gradient(dvp_call *call, dvl_array *array, const char *source, const dvl_shape *leading);

#endif  // DOVETAIL_PLUGINS_LIST_TENSOR_ARRAY_H_
