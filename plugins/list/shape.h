// Shape functions of the ops in this plugin. What a list knows of its elements travels with the value, not
// with the shapes of a graph, so results have the shape that the node itself tells.
#ifndef DOVETAIL_PLUGINS_LIST_SHAPE_H_
#define DOVETAIL_PLUGINS_LIST_SHAPE_H_

#include "dovetail/shape.h"

#define DVL_SHAPE_FN(name) void dvl_shape_fn_##name(TF_ShapeInferenceContext *ctx, TF_Status *status)

DVL_SHAPE_FN(make_list);     // a list; input 0 is the shape of its elements
DVL_SHAPE_FN(scatter_list);  // the same, input 2
DVL_SHAPE_FN(from_tensor);   // the same, input 1, which the rows of input 0 fit
DVL_SHAPE_FN(split_list);    // the same for the lengths of input 2
DVL_SHAPE_FN(scatter_into_list);
DVL_SHAPE_FN(resize_list);
DVL_SHAPE_FN(push_back_batch);
DVL_SHAPE_FN(concat_lists);
DVL_SHAPE_FN(pop_back);
DVL_SHAPE_FN(get_item);  // input 2
DVL_SHAPE_FN(stack);     // attribute num_elements, then input 1
DVL_SHAPE_FN(gather);    // the indices, then input 2
DVL_SHAPE_FN(concat);    // attribute element_shape
DVL_SHAPE_FN(concat_v2);

DVL_SHAPE_FN(array);  // a handle and a flow
DVL_SHAPE_FN(array_read);
DVL_SHAPE_FN(array_write);
DVL_SHAPE_FN(array_gather);
DVL_SHAPE_FN(array_scatter);
DVL_SHAPE_FN(array_concat);
DVL_SHAPE_FN(array_split);
DVL_SHAPE_FN(array_close);
DVL_SHAPE_FN(new_stack);
DVL_SHAPE_FN(push);

#endif  // DOVETAIL_PLUGINS_LIST_SHAPE_H_
