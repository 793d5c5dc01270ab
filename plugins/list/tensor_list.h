// The value of a list in a variant tensor, and how kernels get at it: read it from an input, or hand one on
// that they may change.
#ifndef DOVETAIL_PLUGINS_LIST_TENSOR_LIST_H_
#define DOVETAIL_PLUGINS_LIST_TENSOR_LIST_H_

#include "dovetail/object.h"
#include "list/element.h"

typedef struct dvl_list {
  TF_DataType dtype;
  int64_t max_count;  // -1: any
  int64_t count, capacity;
  dvl_item **items;  // NULL: not set
  int rank;          // of the elements; -1: unknown
  int64_t dims[];
} dvl_list;

extern const dvt_value_type dvl_list_type;

// A list of `count` elements that are not set. NULL after a failure.
dvl_list *dvl_list_new(dvp_call *call, TF_DataType dtype, const int64_t *dims, int rank, int64_t count);
void dvl_list_free(void *list);
void dvl_list_shape(const dvl_list *list, dvl_shape *out);
// Element shape from input `index` merged with what the list knows.
bool dvl_list_shape_input(dvp_call *call, const dvl_list *list, int index, dvl_shape *out);
// New elements are not set.
bool dvl_list_resize(dvp_call *call, dvl_list *list, int64_t count);
// Takes over the item, or NULL; `i` is in range.
void dvl_list_put(dvl_list *list, int64_t i, dvl_item *item);
bool dvl_list_push(dvp_call *call, dvl_list *list, dvl_item *item);

// The list in scalar input `index`, to be read only.
const dvl_list *dvl_list_input(dvp_call *call, int index);
// The same with the dtype the op is for.
const dvl_list *dvl_list_input_of(dvp_call *call, int index, TF_DataType dtype);
// Output `output` becomes the list of scalar input `input`, ready to be changed: the same object if nobody
// else has it, else a copy.
dvl_list *dvl_list_output_over(dvp_call *call, int input, int output);
// The same for element `i` of two tensors of variants.
dvl_list *dvl_list_editable(dvp_call *call, TF_Tensor *to, int64_t i, const TF_Tensor *from);
// A scalar output; takes over the list, also on failure.
bool dvl_list_output(dvp_call *call, int index, dvl_list *list);

#endif  // DOVETAIL_PLUGINS_LIST_TENSOR_LIST_H_
