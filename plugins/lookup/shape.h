// Shape functions of the ops in this plugin. What is behind the handle of a mutable table is told as two
// shapes, that of a key and that of a value; of other tables nothing is told, as in stock.
#ifndef DOVETAIL_PLUGINS_LOOKUP_SHAPE_H_
#define DOVETAIL_PLUGINS_LOOKUP_SHAPE_H_

#include "dovetail/shape.h"

#define DVK_SHAPE_FN(name) void dvk_shape_fn_##name(TF_ShapeInferenceContext *ctx, TF_Status *status)

DVK_SHAPE_FN(mutable);     // a handle to a table of scalars
DVK_SHAPE_FN(of_tensors);  // a handle to a table with values of attribute value_shape
DVK_SHAPE_FN(dense);       // the same, with keys of the shape of input 0
DVK_SHAPE_FN(find);        // the shape of the keys without that of a key, then that of a value
DVK_SHAPE_FN(change);      // no outputs; the handle is a scalar
DVK_SHAPE_FN(pairs);       // the same; keys and values are vectors of one length
DVK_SHAPE_FN(import);      // the same; keys are a vector
DVK_SHAPE_FN(file);        // the same; the name of the file is a scalar
DVK_SHAPE_FN(size);        // a scalar; the handle is one
DVK_SHAPE_FN(export);      // as many keys as values

// The first versions, whose handles are references to two strings.
DVK_SHAPE_FN(ref);         // a handle
DVK_SHAPE_FN(ref_find);    // nothing is told
DVK_SHAPE_FN(ref_change);  // no outputs
DVK_SHAPE_FN(ref_pairs);   // the same; keys and values are vectors of one length
DVK_SHAPE_FN(ref_file);    // the same; the name of the file is a scalar
DVK_SHAPE_FN(ref_size);    // a scalar
DVK_SHAPE_FN(ref_export);  // a vector of keys

#endif  // DOVETAIL_PLUGINS_LOOKUP_SHAPE_H_
