// What the files of schema tables share: the row macros, and the tables that refer to each other across files.
#ifndef DVT_BASE_SCHEMA_TABLES_H_
#define DVT_BASE_SCHEMA_TABLES_H_

#include "base/schema.h"

#define ONE(name, number, kind) {name, number, DVT_KIND_##kind, false, false, NULL, NULL}
#define LIST(name, number, kind) {name, number, DVT_KIND_##kind, true, false, NULL, NULL}
#define PACKED(name, number, kind) {name, number, DVT_KIND_##kind, true, true, NULL, NULL}
#define ENUM(name, number, id) {name, number, DVT_KIND_ENUM, false, false, NULL, dvt_enum_##id}
#define ENUMS(name, number, id) {name, number, DVT_KIND_ENUM, true, true, NULL, dvt_enum_##id}
#define MESSAGE(name, number, id) {name, number, DVT_KIND_MESSAGE, false, false, &dvt_schema_##id, NULL}
#define MESSAGES(name, number, id) {name, number, DVT_KIND_MESSAGE, true, false, &dvt_schema_##id, NULL}
#define MAP(name, number, id) {name, number, DVT_KIND_MAP, true, false, &dvt_schema_##id, NULL}

#define TABLE(id, name, ...)                                     \
  static const dvt_schema_field id##_fields[] = {__VA_ARGS__};    \
  const dvt_schema dvt_schema_##id = {name, id##_fields, DVT_COUNT_OF(id##_fields)};

extern const dvt_schema dvt_schema_tensor_shape_dim, dvt_schema_resource_handle_proto,
    dvt_schema_resource_handle_proto_dtype_and_shape, dvt_schema_variant_tensor_data_proto, dvt_schema_attr_list,
    dvt_schema_node_debug_info, dvt_schema_full_type_def, dvt_schema_version_def, dvt_schema_arg_def,
    dvt_schema_attr_def, dvt_schema_op_deprecation, dvt_schema_arg_attrs, dvt_schema_gradient_def,
    dvt_schema_registered_gradient, dvt_schema_graph_debug_info, dvt_schema_graph_debug_info_file_line_col,
    dvt_schema_graph_debug_info_stack_trace, dvt_schema_attr_constraint, dvt_schema_meta_info_def, dvt_schema_any,
    dvt_schema_saver_def, dvt_schema_collection_def, dvt_schema_collection_def_node_list,
    dvt_schema_collection_def_bytes_list, dvt_schema_collection_def_int64_list, dvt_schema_collection_def_float_list,
    dvt_schema_collection_def_any_list, dvt_schema_tensor_info, dvt_schema_tensor_info_coo_sparse,
    dvt_schema_tensor_info_composite_tensor, dvt_schema_type_spec_proto, dvt_schema_structured_value,
    dvt_schema_none_value, dvt_schema_tensor_spec_proto, dvt_schema_bounded_tensor_spec_proto, dvt_schema_list_value,
    dvt_schema_tuple_value, dvt_schema_dict_value, dvt_schema_named_tuple_value, dvt_schema_pair_value,
    dvt_schema_asset_file_def, dvt_schema_saved_object_graph, dvt_schema_saved_object, dvt_schema_object_reference,
    dvt_schema_slot_variable_reference, dvt_schema_saved_user_object, dvt_schema_saved_asset,
    dvt_schema_saved_function, dvt_schema_function_spec, dvt_schema_saved_variable,
    dvt_schema_saved_bare_concrete_function, dvt_schema_saved_constant, dvt_schema_saved_resource,
    dvt_schema_captured_tensor, dvt_schema_saveable_object, dvt_schema_saved_concrete_function,
    dvt_schema_thread_pool_option_proto, dvt_schema_gpu_options, dvt_schema_gpu_options_experimental,
    dvt_schema_gpu_options_experimental_virtual_devices, dvt_schema_gpu_options_experimental_stream_merge_options,
    dvt_schema_graph_options, dvt_schema_optimizer_options, dvt_schema_rewriter_config,
    dvt_schema_auto_parallel_options, dvt_schema_scoped_allocator_options, dvt_schema_custom_graph_optimizer,
    dvt_schema_verifier_config, dvt_schema_rpc_options, dvt_schema_cluster_def, dvt_schema_job_def,
    dvt_schema_config_proto_experimental, dvt_schema_session_metadata, dvt_schema_coordination_service_config,
    dvt_schema_coordinated_job, dvt_schema_debug_options, dvt_schema_debug_tensor_watch,
    dvt_schema_run_options_experimental, dvt_schema_run_options_experimental_run_handler_pool_options,
    dvt_schema_device_step_stats, dvt_schema_node_exec_stats, dvt_schema_allocator_memory_used,
    dvt_schema_allocation_record, dvt_schema_node_output, dvt_schema_tensor_description,
    dvt_schema_allocation_description, dvt_schema_memory_stats, dvt_schema_cost_graph_def,
    dvt_schema_cost_graph_def_node, dvt_schema_cost_graph_def_node_input_info,
    dvt_schema_cost_graph_def_node_output_info, dvt_schema_cost_graph_def_aggregated_cost,
    dvt_schema_run_metadata_function_graphs, dvt_schema_map_string_attr_value, dvt_schema_map_uint32_arg_attrs,
    dvt_schema_map_uint32_uint32, dvt_schema_map_string_string,
    dvt_schema_map_fixed64_graph_debug_info_file_line_col, dvt_schema_map_fixed64_graph_debug_info_stack_trace,
    dvt_schema_map_string_graph_debug_info_stack_trace, dvt_schema_map_string_fixed64,
    dvt_schema_map_string_collection_def, dvt_schema_map_string_signature_def, dvt_schema_map_string_tensor_info,
    dvt_schema_map_string_structured_value, dvt_schema_map_string_tensor_proto,
    dvt_schema_map_string_saveable_object, dvt_schema_map_string_saved_concrete_function,
    dvt_schema_map_string_int32, dvt_schema_map_int32_string, dvt_schema_map_uint32_string;

extern const dvt_schema_enum dvt_enum_data_type[], dvt_enum_full_type_id[],
    dvt_enum_saver_def_checkpoint_format_version[], dvt_enum_type_spec_proto_type_spec_class[],
    dvt_enum_function_spec_jit_compile[], dvt_enum_variable_synchronization[], dvt_enum_variable_aggregation[],
    dvt_enum_optimizer_options_level[], dvt_enum_optimizer_options_global_jit_level[],
    dvt_enum_rewriter_config_cpu_layout[], dvt_enum_rewriter_config_toggle[],
    dvt_enum_rewriter_config_num_iterations_type[], dvt_enum_rewriter_config_mem_opt_type[],
    dvt_enum_verifier_config_toggle[], dvt_enum_config_proto_experimental_mlir_bridge_rollout[],
    dvt_enum_run_options_trace_level[];

#endif  // DVT_BASE_SCHEMA_TABLES_H_
