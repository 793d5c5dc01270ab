// Schema tables of a SavedModel file: meta graphs, signatures, the object graph and the structured values in it.
// One row a field: name, number, kind, as in the public .proto files.
#include "base/schema_tables.h"

TABLE(map_string_collection_def, "map_string_collection_def",
      ONE("key", 1, STRING), MESSAGE("value", 2, collection_def))
TABLE(map_string_signature_def, "map_string_signature_def",
      ONE("key", 1, STRING), MESSAGE("value", 2, signature_def))
TABLE(map_string_tensor_info, "map_string_tensor_info",
      ONE("key", 1, STRING), MESSAGE("value", 2, tensor_info))
TABLE(map_string_structured_value, "map_string_structured_value",
      ONE("key", 1, STRING), MESSAGE("value", 2, structured_value))
TABLE(map_string_tensor_proto, "map_string_tensor_proto",
      ONE("key", 1, STRING), MESSAGE("value", 2, tensor_proto))
TABLE(map_string_saveable_object, "map_string_saveable_object",
      ONE("key", 1, STRING), MESSAGE("value", 2, saveable_object))
TABLE(map_string_saved_concrete_function, "map_string_saved_concrete_function",
      ONE("key", 1, STRING), MESSAGE("value", 2, saved_concrete_function))

TABLE(saved_model, "SavedModel",
      ONE("saved_model_schema_version", 1, INT64), MESSAGES("meta_graphs", 2, meta_graph_def))
TABLE(meta_graph_def, "MetaGraphDef",
      MESSAGE("meta_info_def", 1, meta_info_def), MESSAGE("graph_def", 2, graph_def),
      MESSAGE("saver_def", 3, saver_def), MAP("collection_def", 4, map_string_collection_def),
      MAP("signature_def", 5, map_string_signature_def), MESSAGES("asset_file_def", 6, asset_file_def),
      MESSAGE("object_graph_def", 7, saved_object_graph))
TABLE(meta_info_def, "MetaGraphDef.MetaInfoDef",
      ONE("meta_graph_version", 1, STRING), MESSAGE("stripped_op_list", 2, op_list), MESSAGE("any_info", 3, any),
      LIST("tags", 4, STRING), ONE("tensorflow_version", 5, STRING), ONE("tensorflow_git_version", 6, STRING),
      ONE("stripped_default_attrs", 7, BOOL), MAP("function_aliases", 8, map_string_string))
TABLE(any, "google.protobuf.Any",
      ONE("type_url", 1, STRING), ONE("value", 2, BYTES))
TABLE(saver_def, "SaverDef",
      ONE("filename_tensor_name", 1, STRING), ONE("save_tensor_name", 2, STRING), ONE("restore_op_name", 3, STRING),
      ONE("max_to_keep", 4, INT32), ONE("sharded", 5, BOOL), ONE("keep_checkpoint_every_n_hours", 6, FLOAT),
      ENUM("version", 7, saver_def_checkpoint_format_version))
TABLE(collection_def, "CollectionDef",
      MESSAGE("node_list", 1, collection_def_node_list), MESSAGE("bytes_list", 2, collection_def_bytes_list),
      MESSAGE("int64_list", 3, collection_def_int64_list), MESSAGE("float_list", 4, collection_def_float_list),
      MESSAGE("any_list", 5, collection_def_any_list))
TABLE(collection_def_node_list, "CollectionDef.NodeList",
      LIST("value", 1, STRING))
TABLE(collection_def_bytes_list, "CollectionDef.BytesList",
      LIST("value", 1, BYTES))
TABLE(collection_def_int64_list, "CollectionDef.Int64List",
      PACKED("value", 1, INT64))
TABLE(collection_def_float_list, "CollectionDef.FloatList",
      PACKED("value", 1, FLOAT))
TABLE(collection_def_any_list, "CollectionDef.AnyList",
      MESSAGES("value", 1, any))
TABLE(signature_def, "SignatureDef",
      MAP("inputs", 1, map_string_tensor_info), MAP("outputs", 2, map_string_tensor_info),
      ONE("method_name", 3, STRING), MAP("defaults", 4, map_string_tensor_proto))
TABLE(tensor_info, "TensorInfo",
      ONE("name", 1, STRING), ENUM("dtype", 2, data_type), MESSAGE("tensor_shape", 3, tensor_shape),
      MESSAGE("coo_sparse", 4, tensor_info_coo_sparse), MESSAGE("composite_tensor", 5, tensor_info_composite_tensor))
TABLE(tensor_info_coo_sparse, "TensorInfo.CooSparse",
      ONE("values_tensor_name", 1, STRING), ONE("indices_tensor_name", 2, STRING),
      ONE("dense_shape_tensor_name", 3, STRING))
TABLE(tensor_info_composite_tensor, "TensorInfo.CompositeTensor",
      MESSAGE("type_spec", 1, type_spec_proto), MESSAGES("components", 2, tensor_info))
TABLE(type_spec_proto, "TypeSpecProto",
      ENUM("type_spec_class", 1, type_spec_proto_type_spec_class), MESSAGE("type_state", 2, structured_value),
      ONE("type_spec_class_name", 3, STRING), ONE("num_flat_components", 4, INT32))
TABLE(structured_value, "StructuredValue",
      MESSAGE("none_value", 1, none_value), ONE("float64_value", 11, DOUBLE), ONE("int64_value", 12, SINT64),
      ONE("string_value", 13, STRING), ONE("bool_value", 14, BOOL), MESSAGE("tensor_shape_value", 31, tensor_shape),
      ENUM("tensor_dtype_value", 32, data_type), MESSAGE("tensor_spec_value", 33, tensor_spec_proto),
      MESSAGE("type_spec_value", 34, type_spec_proto),
      MESSAGE("bounded_tensor_spec_value", 35, bounded_tensor_spec_proto), MESSAGE("list_value", 51, list_value),
      MESSAGE("tuple_value", 52, tuple_value), MESSAGE("dict_value", 53, dict_value),
      MESSAGE("named_tuple_value", 54, named_tuple_value), MESSAGE("tensor_value", 55, tensor_proto),
      MESSAGE("numpy_value", 56, tensor_proto))
const dvt_schema dvt_schema_none_value = {"NoneValue", NULL, 0};
TABLE(tensor_spec_proto, "TensorSpecProto",
      ONE("name", 1, STRING), MESSAGE("shape", 2, tensor_shape), ENUM("dtype", 3, data_type))
TABLE(bounded_tensor_spec_proto, "BoundedTensorSpecProto",
      ONE("name", 1, STRING), MESSAGE("shape", 2, tensor_shape), ENUM("dtype", 3, data_type),
      MESSAGE("minimum", 4, tensor_proto), MESSAGE("maximum", 5, tensor_proto))
TABLE(list_value, "ListValue",
      MESSAGES("values", 1, structured_value))
TABLE(tuple_value, "TupleValue",
      MESSAGES("values", 1, structured_value))
TABLE(dict_value, "DictValue",
      MAP("fields", 1, map_string_structured_value))
TABLE(named_tuple_value, "NamedTupleValue",
      ONE("name", 1, STRING), MESSAGES("values", 2, pair_value))
TABLE(pair_value, "PairValue",
      ONE("key", 1, STRING), MESSAGE("value", 2, structured_value))
TABLE(asset_file_def, "AssetFileDef",
      MESSAGE("tensor_info", 1, tensor_info), ONE("filename", 2, STRING))
TABLE(saved_object_graph, "SavedObjectGraph",
      MESSAGES("nodes", 1, saved_object), MAP("concrete_functions", 2, map_string_saved_concrete_function))
TABLE(saved_object, "SavedObject",
      MESSAGES("children", 1, object_reference), MESSAGES("slot_variables", 3, slot_variable_reference),
      MESSAGE("user_object", 4, saved_user_object), MESSAGE("asset", 5, saved_asset),
      MESSAGE("function", 6, saved_function), MESSAGE("variable", 7, saved_variable),
      MESSAGE("bare_concrete_function", 8, saved_bare_concrete_function), MESSAGE("constant", 9, saved_constant),
      MESSAGE("resource", 10, saved_resource), MAP("saveable_objects", 11, map_string_saveable_object),
      MESSAGE("captured_tensor", 12, captured_tensor), ONE("registered_name", 13, STRING),
      MESSAGE("serialized_user_proto", 14, any), MESSAGES("dependencies", 15, object_reference),
      ONE("registered_saver", 16, STRING))
TABLE(object_reference, "TrackableObjectGraph.TrackableObject.ObjectReference",
      ONE("node_id", 1, INT32), ONE("local_name", 2, STRING))
TABLE(slot_variable_reference, "TrackableObjectGraph.TrackableObject.SlotVariableReference",
      ONE("original_variable_node_id", 1, INT32), ONE("slot_name", 2, STRING),
      ONE("slot_variable_node_id", 3, INT32))
TABLE(saved_user_object, "SavedUserObject",
      ONE("identifier", 1, STRING), MESSAGE("version", 2, version_def), ONE("metadata", 3, STRING))
TABLE(saved_asset, "SavedAsset",
      ONE("asset_file_def_index", 1, INT32))
TABLE(saved_function, "SavedFunction",
      LIST("concrete_functions", 1, STRING), MESSAGE("function_spec", 2, function_spec))
TABLE(function_spec, "FunctionSpec",
      MESSAGE("fullargspec", 1, structured_value), ONE("is_method", 2, BOOL),
      MESSAGE("input_signature", 5, structured_value), ENUM("jit_compile", 6, function_spec_jit_compile))
TABLE(saved_variable, "SavedVariable",
      ENUM("dtype", 1, data_type), MESSAGE("shape", 2, tensor_shape), ONE("trainable", 3, BOOL),
      ENUM("synchronization", 4, variable_synchronization), ENUM("aggregation", 5, variable_aggregation),
      ONE("name", 6, STRING), ONE("device", 7, STRING),
      MESSAGES("experimental_distributed_variable_components", 8, saved_variable))
TABLE(saved_bare_concrete_function, "SavedBareConcreteFunction",
      ONE("concrete_function_name", 1, STRING), LIST("argument_keywords", 2, STRING),
      ONE("allowed_positional_arguments", 3, INT64), MESSAGE("function_spec", 4, function_spec))
TABLE(saved_constant, "SavedConstant",
      ONE("operation", 1, STRING))
TABLE(saved_resource, "SavedResource",
      ONE("device", 1, STRING))
TABLE(captured_tensor, "CapturedTensor",
      ONE("name", 1, STRING), ONE("concrete_function", 2, STRING))
TABLE(saveable_object, "SaveableObject",
      ONE("save_function", 2, INT32), ONE("restore_function", 3, INT32))
TABLE(saved_concrete_function, "SavedConcreteFunction",
      PACKED("bound_inputs", 2, INT32), MESSAGE("canonicalized_input_signature", 3, structured_value),
      MESSAGE("output_signature", 4, structured_value))
