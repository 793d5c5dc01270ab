// Schema tables of what a graph is made of: GraphDef, NodeDef, AttrValue, TensorProto, OpDef, FunctionDef,
// KernelDef and their parts. One row a field: name, number, kind, as in the public .proto files.
#include "base/schema_tables.h"

TABLE(map_string_attr_value, "map_string_attr_value", ONE("key", 1, STRING), MESSAGE("value", 2, attr_value))
TABLE(map_uint32_arg_attrs, "map_uint32_arg_attrs", ONE("key", 1, UINT32), MESSAGE("value", 2, arg_attrs))
TABLE(map_uint32_uint32, "map_uint32_uint32", ONE("key", 1, UINT32), ONE("value", 2, UINT32))
TABLE(map_string_string, "map_string_string", ONE("key", 1, STRING), ONE("value", 2, STRING))
TABLE(map_fixed64_graph_debug_info_file_line_col, "map_fixed64_graph_debug_info_file_line_col",
      ONE("key", 1, FIXED64), MESSAGE("value", 2, graph_debug_info_file_line_col))
TABLE(map_fixed64_graph_debug_info_stack_trace, "map_fixed64_graph_debug_info_stack_trace",
      ONE("key", 1, FIXED64), MESSAGE("value", 2, graph_debug_info_stack_trace))
TABLE(map_string_graph_debug_info_stack_trace, "map_string_graph_debug_info_stack_trace",
      ONE("key", 1, STRING), MESSAGE("value", 2, graph_debug_info_stack_trace))
TABLE(map_string_fixed64, "map_string_fixed64", ONE("key", 1, STRING), ONE("value", 2, FIXED64))

TABLE(graph_def, "GraphDef",
      MESSAGES("node", 1, node_def), MESSAGE("library", 2, function_library), ONE("version", 3, INT32),
      MESSAGE("versions", 4, version_def), MESSAGE("debug_info", 5, graph_debug_info))
TABLE(node_def, "NodeDef",
      ONE("name", 1, STRING), ONE("op", 2, STRING), LIST("input", 3, STRING), ONE("device", 4, STRING),
      MAP("attr", 5, map_string_attr_value), MESSAGE("experimental_debug_info", 6, node_debug_info),
      MESSAGE("experimental_type", 7, full_type_def))
TABLE(attr_value, "AttrValue",
      MESSAGE("list", 1, attr_list), ONE("s", 2, BYTES), ONE("i", 3, INT64), ONE("f", 4, FLOAT), ONE("b", 5, BOOL),
      ENUM("type", 6, data_type), MESSAGE("shape", 7, tensor_shape), MESSAGE("tensor", 8, tensor_proto),
      ONE("placeholder", 9, STRING), MESSAGE("func", 10, name_attr_list))
TABLE(tensor_shape, "TensorShapeProto",
      MESSAGES("dim", 2, tensor_shape_dim), ONE("unknown_rank", 3, BOOL))
TABLE(tensor_shape_dim, "TensorShapeProto.Dim",
      ONE("size", 1, INT64), ONE("name", 2, STRING))
TABLE(tensor_proto, "TensorProto",
      ENUM("dtype", 1, data_type), MESSAGE("tensor_shape", 2, tensor_shape), ONE("version_number", 3, INT32),
      ONE("tensor_content", 4, BYTES), PACKED("float_val", 5, FLOAT), PACKED("double_val", 6, DOUBLE),
      PACKED("int_val", 7, INT32), LIST("string_val", 8, BYTES), PACKED("scomplex_val", 9, FLOAT),
      PACKED("int64_val", 10, INT64), PACKED("bool_val", 11, BOOL), PACKED("dcomplex_val", 12, DOUBLE),
      PACKED("half_val", 13, INT32), MESSAGES("resource_handle_val", 14, resource_handle_proto),
      MESSAGES("variant_val", 15, variant_tensor_data_proto), PACKED("uint32_val", 16, UINT32),
      PACKED("uint64_val", 17, UINT64), ONE("float8_val", 18, BYTES))
TABLE(resource_handle_proto, "ResourceHandleProto",
      ONE("device", 1, STRING), ONE("container", 2, STRING), ONE("name", 3, STRING), ONE("hash_code", 4, UINT64),
      ONE("maybe_type_name", 5, STRING), MESSAGES("dtypes_and_shapes", 6, resource_handle_proto_dtype_and_shape))
TABLE(resource_handle_proto_dtype_and_shape, "ResourceHandleProto.DtypeAndShape",
      ENUM("dtype", 1, data_type), MESSAGE("shape", 2, tensor_shape))
TABLE(variant_tensor_data_proto, "VariantTensorDataProto",
      ONE("type_name", 1, STRING), ONE("metadata", 2, BYTES), MESSAGES("tensors", 3, tensor_proto))
TABLE(attr_list, "AttrValue.ListValue",
      LIST("s", 2, BYTES), PACKED("i", 3, INT64), PACKED("f", 4, FLOAT), PACKED("b", 5, BOOL),
      ENUMS("type", 6, data_type), MESSAGES("shape", 7, tensor_shape), MESSAGES("tensor", 8, tensor_proto),
      MESSAGES("func", 9, name_attr_list))
TABLE(name_attr_list, "NameAttrList",
      ONE("name", 1, STRING), MAP("attr", 2, map_string_attr_value))
TABLE(node_debug_info, "NodeDef.ExperimentalDebugInfo",
      LIST("original_node_names", 1, STRING), LIST("original_func_names", 2, STRING))
TABLE(full_type_def, "FullTypeDef",
      ENUM("type_id", 1, full_type_id), MESSAGES("args", 2, full_type_def), ONE("s", 3, STRING), ONE("i", 4, INT64))
TABLE(version_def, "VersionDef",
      ONE("producer", 1, INT32), ONE("min_consumer", 2, INT32), PACKED("bad_consumers", 3, INT32))
TABLE(function_library, "FunctionDefLibrary",
      MESSAGES("function", 1, function_def), MESSAGES("gradient", 2, gradient_def),
      MESSAGES("registered_gradients", 3, registered_gradient))
TABLE(function_def, "FunctionDef",
      MESSAGE("signature", 1, op_def), MESSAGES("node_def", 3, node_def), MAP("ret", 4, map_string_string),
      MAP("attr", 5, map_string_attr_value), MAP("control_ret", 6, map_string_string),
      MAP("arg_attr", 7, map_uint32_arg_attrs), MAP("resource_arg_unique_id", 8, map_uint32_uint32))
TABLE(op_def, "OpDef",
      ONE("name", 1, STRING), MESSAGES("input_arg", 2, arg_def), MESSAGES("output_arg", 3, arg_def),
      MESSAGES("attr", 4, attr_def), ONE("summary", 5, STRING), ONE("description", 6, STRING),
      MESSAGE("deprecation", 8, op_deprecation), ONE("is_aggregate", 16, BOOL), ONE("is_stateful", 17, BOOL),
      ONE("is_commutative", 18, BOOL), ONE("allows_uninitialized_input", 19, BOOL),
      LIST("control_output", 20, STRING), ONE("is_distributed_communication", 21, BOOL))
TABLE(arg_def, "OpDef.ArgDef",
      ONE("name", 1, STRING), ONE("description", 2, STRING), ENUM("type", 3, data_type), ONE("type_attr", 4, STRING),
      ONE("number_attr", 5, STRING), ONE("type_list_attr", 6, STRING),
      MESSAGES("handle_data", 7, resource_handle_proto_dtype_and_shape), ONE("is_ref", 16, BOOL),
      MESSAGE("experimental_full_type", 17, full_type_def))
TABLE(attr_def, "OpDef.AttrDef",
      ONE("name", 1, STRING), ONE("type", 2, STRING), MESSAGE("default_value", 3, attr_value),
      ONE("description", 4, STRING), ONE("has_minimum", 5, BOOL), ONE("minimum", 6, INT64),
      MESSAGE("allowed_values", 7, attr_value))
TABLE(op_deprecation, "OpDeprecation",
      ONE("version", 1, INT32), ONE("explanation", 2, STRING))
TABLE(arg_attrs, "FunctionDef.ArgAttrs",
      MAP("attr", 1, map_string_attr_value))
TABLE(gradient_def, "GradientDef",
      ONE("function_name", 1, STRING), ONE("gradient_func", 2, STRING))
TABLE(registered_gradient, "RegisteredGradient",
      ONE("gradient_func", 1, STRING), ONE("registered_op_type", 2, STRING))
TABLE(graph_debug_info, "GraphDebugInfo",
      LIST("files", 1, STRING), MAP("traces", 2, map_string_graph_debug_info_stack_trace),
      MAP("frames_by_id", 4, map_fixed64_graph_debug_info_file_line_col),
      MAP("name_to_trace_id", 5, map_string_fixed64),
      MAP("traces_by_id", 6, map_fixed64_graph_debug_info_stack_trace))
TABLE(graph_debug_info_file_line_col, "GraphDebugInfo.FileLineCol",
      ONE("file_index", 1, INT32), ONE("line", 2, INT32), ONE("col", 3, INT32), ONE("func", 4, STRING),
      ONE("code", 5, STRING))
TABLE(graph_debug_info_stack_trace, "GraphDebugInfo.StackTrace",
      MESSAGES("file_line_cols", 1, graph_debug_info_file_line_col), PACKED("frame_id", 2, FIXED64))
TABLE(op_list, "OpList",
      MESSAGES("op", 1, op_def))
TABLE(kernel_list, "KernelList",
      MESSAGES("kernel", 1, kernel_def))
TABLE(kernel_def, "KernelDef",
      ONE("op", 1, STRING), ONE("device_type", 2, STRING), MESSAGES("constraint", 3, attr_constraint),
      LIST("host_memory_arg", 4, STRING), ONE("label", 5, STRING), ONE("priority", 6, INT32))
TABLE(attr_constraint, "KernelDef.AttrConstraint",
      ONE("name", 1, STRING), MESSAGE("allowed_values", 2, attr_value))
