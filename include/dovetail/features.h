// What hosts differ in, by names that a plugin can ask about (dvt_host_supports) or declare that it needs
// (DVT_PLUGIN, both in dovetail/sdk.h). Every Dovetail of this version has all of them; docs/sdk.md says
// which TensorFlow has which.
#ifndef DOVETAIL_FEATURES_H_
#define DOVETAIL_FEATURES_H_

#define DVT_FEATURE_SHAPES "shapes"                  // computing with shapes beyond ops.h: dovetail/shape.h
#define DVT_FEATURE_SHAPE_ATTRS "shape-attrs"        // shape functions read attributes other than types
#define DVT_FEATURE_SHAPE_VALUES "shape-values"      // shape functions see values of constant inputs
#define DVT_FEATURE_SHAPE_HANDLES "shape-handles"    // shapes behind resources and variants
#define DVT_FEATURE_ATTRS "attrs"                    // attributes of any kind at construction
#define DVT_FEATURE_INPUTS_BY_NAME "inputs-by-name"  // TF_GetInputByName and its kin
#define DVT_FEATURE_PARALLEL "parallel"              // dvt_parallel_for, dvt_num_threads
#define DVT_FEATURE_LOGGING "logging"                // TF_Log, TF_VLog
#define DVT_FEATURE_STRINGS "strings"                // the functions TF_String...
#define DVT_FEATURE_VARIABLES "variables"            // kernels_experimental.h: assigning variables
#define DVT_FEATURE_RESOURCES "resources"            // resources of a plugin's own types: dvt_resource_...
#define DVT_FEATURE_OBJECTS "objects"            // values of a plugin's own types in variants: dvt_object_...
#define DVT_FEATURE_FUNCTIONS "functions"        // kernels that call functions: dovetail/function.h
#define DVT_FEATURE_CANCELLATION "cancellation"  // TF_OpKernelContext_IsCancelled, ...RegisterCancellation
#define DVT_FEATURE_TRACE "trace"                // spans in traces: dovetail/trace.h

// X(name, a function that a host with the feature has, whether the SDK brings it to hosts without)
#define DVT_FEATURES(X)                                                            \
  X(DVT_FEATURE_SHAPES, "TF_ShapeInferenceContext_MakeShape", 1)                   \
  X(DVT_FEATURE_SHAPE_ATTRS, "TF_ShapeInferenceContext_GetAttrInt", 0)             \
  X(DVT_FEATURE_SHAPE_VALUES, "TF_ShapeInferenceContext_InputTensor", 0)           \
  X(DVT_FEATURE_SHAPE_HANDLES, "TF_ShapeInferenceContext_NumInputHandleShapes", 0) \
  X(DVT_FEATURE_ATTRS, "TF_OpKernelConstruction_GetAttrValueProto", 1)             \
  X(DVT_FEATURE_INPUTS_BY_NAME, "TF_GetInputByName", 1)                            \
  X(DVT_FEATURE_PARALLEL, "dvt_parallel_for", 1)                                   \
  X(DVT_FEATURE_LOGGING, "TF_Log", 1)                                              \
  X(DVT_FEATURE_STRINGS, "TF_StringInit", 1)                                       \
  X(DVT_FEATURE_VARIABLES, "TF_AssignVariable", 0)                                 \
  X(DVT_FEATURE_RESOURCES, "dvt_resource_handle", 0)                               \
  X(DVT_FEATURE_OBJECTS, "dvt_object_set", 0)                                      \
  X(DVT_FEATURE_FUNCTIONS, "dvt_callable_find", 0)                                 \
  X(DVT_FEATURE_CANCELLATION, "TF_OpKernelContext_IsCancelled", 0)                 \
  X(DVT_FEATURE_TRACE, "dvt_trace_begin", 0)

#endif  // DOVETAIL_FEATURES_H_
