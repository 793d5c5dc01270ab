// Schema tables of options and statistics: ConfigProto, RunOptions, RunMetadata and their parts. One row a field: name,
// number, kind, as in the public .proto files.
#include "base/schema_tables.h"

TABLE(map_string_int32, "map_string_int32", ONE("key", 1, STRING), ONE("value", 2, INT32))
TABLE(map_int32_string, "map_int32_string", ONE("key", 1, INT32), ONE("value", 2, STRING))
TABLE(map_uint32_string, "map_uint32_string", ONE("key", 1, UINT32), ONE("value", 2, STRING))

TABLE(config_proto, "ConfigProto",
      MAP("device_count", 1, map_string_int32), ONE("intra_op_parallelism_threads", 2, INT32),
      ONE("placement_period", 3, INT32), LIST("device_filters", 4, STRING),
      ONE("inter_op_parallelism_threads", 5, INT32), MESSAGE("gpu_options", 6, gpu_options),
      ONE("allow_soft_placement", 7, BOOL), ONE("log_device_placement", 8, BOOL),
      ONE("use_per_session_threads", 9, BOOL), MESSAGE("graph_options", 10, graph_options),
      ONE("operation_timeout_in_ms", 11, INT64),
      MESSAGES("session_inter_op_thread_pool", 12, thread_pool_option_proto),
      MESSAGE("rpc_options", 13, rpc_options), MESSAGE("cluster_def", 14, cluster_def),
      ONE("isolate_session_state", 15, BOOL), MESSAGE("experimental", 16, config_proto_experimental),
      ONE("share_cluster_devices_in_session", 17, BOOL), MESSAGE("pluggable_device_options", 18, gpu_options))
TABLE(thread_pool_option_proto, "ThreadPoolOptionProto",
      ONE("num_threads", 1, INT32), ONE("global_name", 2, STRING))
TABLE(gpu_options, "GPUOptions",
      ONE("per_process_gpu_memory_fraction", 1, DOUBLE), ONE("allocator_type", 2, STRING),
      ONE("deferred_deletion_bytes", 3, INT64), ONE("allow_growth", 4, BOOL), ONE("visible_device_list", 5, STRING),
      ONE("polling_active_delay_usecs", 6, INT32), ONE("polling_inactive_delay_msecs", 7, INT32),
      ONE("force_gpu_compatible", 8, BOOL), MESSAGE("experimental", 9, gpu_options_experimental))
TABLE(gpu_options_experimental, "GPUOptions.Experimental",
      MESSAGES("virtual_devices", 1, gpu_options_experimental_virtual_devices), ONE("use_unified_memory", 2, BOOL),
      ONE("num_dev_to_dev_copy_streams", 3, INT32), ONE("collective_ring_order", 4, STRING),
      ONE("timestamped_allocator", 5, BOOL), ONE("kernel_tracker_max_interval", 7, INT32),
      ONE("kernel_tracker_max_bytes", 8, INT32), ONE("kernel_tracker_max_pending", 9, INT32),
      ONE("internal_fragmentation_fraction", 10, DOUBLE), ONE("use_cuda_malloc_async", 11, BOOL),
      ONE("disallow_retry_on_allocation_failure", 12, BOOL), ONE("gpu_host_mem_limit_in_mb", 13, FLOAT),
      ONE("gpu_host_mem_disallow_growth", 14, BOOL), ONE("num_virtual_devices_per_gpu", 15, INT32),
      ONE("gpu_system_memory_size_in_mb", 16, INT32), ONE("populate_pjrt_gpu_client_creation_info", 17, BOOL),
      ONE("node_id", 18, INT32), MESSAGE("stream_merge_options", 19, gpu_options_experimental_stream_merge_options))
TABLE(gpu_options_experimental_virtual_devices, "GPUOptions.Experimental.VirtualDevices",
      PACKED("memory_limit_mb", 1, FLOAT), PACKED("priority", 2, INT32), PACKED("device_ordinal", 3, INT32))
TABLE(gpu_options_experimental_stream_merge_options, "GPUOptions.Experimental.StreamMergeOptions",
      ONE("merge_host_to_device_stream", 1, BOOL), ONE("merge_device_to_host_stream", 2, BOOL),
      ONE("merge_device_to_device_stream", 3, BOOL))
TABLE(graph_options, "GraphOptions",
      ONE("enable_recv_scheduling", 2, BOOL), MESSAGE("optimizer_options", 3, optimizer_options),
      ONE("build_cost_model", 4, INT64), ONE("infer_shapes", 5, BOOL), ONE("place_pruned_graph", 6, BOOL),
      ONE("enable_bfloat16_sendrecv", 7, BOOL), ONE("timeline_step", 8, INT32),
      ONE("build_cost_model_after", 9, INT64), MESSAGE("rewrite_options", 10, rewriter_config))
TABLE(optimizer_options, "OptimizerOptions",
      ONE("do_common_subexpression_elimination", 1, BOOL), ONE("do_constant_folding", 2, BOOL),
      ENUM("opt_level", 3, optimizer_options_level), ONE("do_function_inlining", 4, BOOL),
      ENUM("global_jit_level", 5, optimizer_options_global_jit_level), ONE("max_folded_constant_in_bytes", 6, INT64),
      ONE("cpu_global_jit", 7, BOOL))
TABLE(rewriter_config, "RewriterConfig",
      ENUM("layout_optimizer", 1, rewriter_config_toggle), ONE("disable_model_pruning", 2, BOOL),
      ENUM("constant_folding", 3, rewriter_config_toggle),
      ENUM("memory_optimization", 4, rewriter_config_mem_opt_type),
      MESSAGE("auto_parallel", 5, auto_parallel_options), ONE("memory_optimizer_target_node_name_scope", 6, STRING),
      ENUM("arithmetic_optimization", 7, rewriter_config_toggle),
      ENUM("dependency_optimization", 8, rewriter_config_toggle),
      ENUM("loop_optimization", 9, rewriter_config_toggle),
      ENUM("function_optimization", 10, rewriter_config_toggle), ENUM("debug_stripper", 11, rewriter_config_toggle),
      ENUM("meta_optimizer_iterations", 12, rewriter_config_num_iterations_type),
      ENUM("shape_optimization", 13, rewriter_config_toggle), ENUM("remapping", 14, rewriter_config_toggle),
      ENUM("scoped_allocator_optimization", 15, rewriter_config_toggle),
      MESSAGE("scoped_allocator_opts", 16, scoped_allocator_options), ONE("min_graph_nodes", 17, INT32),
      ENUM("pin_to_host_optimization", 18, rewriter_config_toggle), ONE("disable_meta_optimizer", 19, BOOL),
      ONE("meta_optimizer_timeout_ms", 20, INT64), ONE("fail_on_optimizer_errors", 21, BOOL),
      ENUM("implementation_selector", 22, rewriter_config_toggle),
      ENUM("auto_mixed_precision", 23, rewriter_config_toggle),
      ENUM("common_subgraph_elimination", 24, rewriter_config_toggle),
      ENUM("auto_mixed_precision_mkl", 25, rewriter_config_toggle),
      ONE("experimental_disable_compressed_tensor_optimization", 26, BOOL),
      ONE("experimental_disable_folding_quantization_emulation", 27, BOOL),
      ENUM("use_plugin_optimizers", 28, rewriter_config_toggle),
      ENUM("auto_mixed_precision_cpu", 29, rewriter_config_toggle),
      ENUM("experimental_conditional_code_motion", 30, rewriter_config_toggle),
      ENUM("auto_mixed_precision_onednn_bfloat16", 31, rewriter_config_toggle),
      ONE("disable_tfg_optimizer", 32, BOOL), ENUM("cpu_layout_conversion", 50, rewriter_config_cpu_layout),
      LIST("optimizers", 100, STRING), MESSAGES("custom_optimizers", 200, custom_graph_optimizer),
      MESSAGE("inter_optimizer_verifier_config", 300, verifier_config),
      MESSAGE("post_optimization_verifier_config", 301, verifier_config))
TABLE(auto_parallel_options, "AutoParallelOptions",
      ONE("enable", 1, BOOL), ONE("num_replicas", 2, INT32))
TABLE(scoped_allocator_options, "ScopedAllocatorOptions",
      LIST("enable_op", 1, STRING))
TABLE(custom_graph_optimizer, "RewriterConfig.CustomGraphOptimizer",
      ONE("name", 1, STRING), MAP("parameter_map", 2, map_string_attr_value))
TABLE(verifier_config, "VerifierConfig",
      ONE("verification_timeout_in_ms", 1, INT64), ENUM("structure_verifier", 2, verifier_config_toggle))
TABLE(rpc_options, "RPCOptions",
      ONE("use_rpc_for_inprocess_master", 1, BOOL), ONE("compression_algorithm", 2, STRING),
      ONE("compression_level", 3, INT32), ONE("cache_rpc_response", 4, BOOL),
      ONE("disable_session_connection_sharing", 5, BOOL), ONE("num_channels_per_target", 6, INT32))
TABLE(cluster_def, "ClusterDef",
      MESSAGES("job", 1, job_def))
TABLE(job_def, "JobDef",
      ONE("name", 1, STRING), MAP("tasks", 2, map_int32_string))
TABLE(config_proto_experimental, "ConfigProto.Experimental",
      ONE("collective_group_leader", 1, STRING), ONE("executor_type", 3, STRING),
      ONE("recv_buf_max_chunk", 4, INT32), ONE("use_numa_affinity", 5, BOOL),
      ONE("collective_deterministic_sequential_execution", 6, BOOL), ONE("collective_nccl", 7, BOOL),
      ONE("share_session_state_in_clusterspec_propagation", 8, BOOL), ONE("disable_thread_spinning", 9, BOOL),
      ONE("share_cluster_devices_in_session", 10, BOOL), MESSAGE("session_metadata", 11, session_metadata),
      ONE("optimize_for_static_graph", 12, BOOL), ONE("enable_mlir_bridge", 13, BOOL),
      ONE("disable_output_partition_graphs", 14, BOOL), ONE("xla_fusion_autotuner_thresh", 15, INT64),
      ONE("enable_mlir_graph_optimization", 16, BOOL),
      ENUM("mlir_bridge_rollout", 17, config_proto_experimental_mlir_bridge_rollout), ONE("use_tfrt", 18, BOOL),
      ONE("disable_functional_ops_lowering", 21, BOOL), ONE("xla_prefer_single_graph_cluster", 22, BOOL),
      MESSAGE("coordination_config", 23, coordination_service_config),
      ONE("disable_optimize_for_static_graph", 24, BOOL), ONE("disable_eager_executor_streaming_enqueue", 26, BOOL),
      ONE("enable_multi_host", 27, BOOL), ONE("backend_server_port", 28, INT32), ONE("target_tpu", 29, BOOL),
      ONE("target_gpu", 30, BOOL), ONE("stream_merge_threshold", 31, INT32), ONE("tfrt_use_ifrt", 32, BOOL),
      ONE("finalize_function_library_runtime", 33, BOOL), ONE("finalize_resource_manager", 34, BOOL),
      ONE("tf2xla_dump_dir", 35, STRING), ONE("online_cost_analysis", 36, BOOL))
TABLE(session_metadata, "SessionMetadata",
      ONE("name", 1, STRING), ONE("version", 2, INT64))
TABLE(coordination_service_config, "CoordinationServiceConfig",
      ONE("service_type", 1, STRING), ONE("service_leader", 2, STRING), ONE("enable_health_check", 3, BOOL),
      ONE("cluster_register_timeout_in_ms", 4, INT64), ONE("heartbeat_timeout_in_ms", 5, INT64),
      ONE("shutdown_barrier_timeout_in_ms", 7, INT64), ONE("agent_destruction_without_shutdown", 8, BOOL),
      LIST("recoverable_jobs", 9, STRING), MESSAGES("coordinated_job_list", 10, coordinated_job),
      ONE("allow_new_incarnation_to_reconnect", 11, BOOL), ONE("force_disable", 12, BOOL),
      ONE("poll_for_error_from_service_at_startup", 13, BOOL), ONE("cluster_register_with_barrier", 14, BOOL))
TABLE(coordinated_job, "CoordinatedJob",
      ONE("name", 1, STRING), ONE("num_tasks", 2, INT32))
TABLE(run_options, "RunOptions",
      ENUM("trace_level", 1, run_options_trace_level), ONE("timeout_in_ms", 2, INT64),
      ONE("inter_op_thread_pool", 3, INT32), ONE("output_partition_graphs", 5, BOOL),
      MESSAGE("debug_options", 6, debug_options), ONE("report_tensor_allocations_upon_oom", 7, BOOL),
      MESSAGE("experimental", 8, run_options_experimental))
TABLE(debug_options, "DebugOptions",
      MESSAGES("debug_tensor_watch_opts", 4, debug_tensor_watch), ONE("global_step", 10, INT64),
      ONE("reset_disk_byte_usage", 11, BOOL))
TABLE(debug_tensor_watch, "DebugTensorWatch",
      ONE("node_name", 1, STRING), ONE("output_slot", 2, INT32), LIST("debug_ops", 3, STRING),
      LIST("debug_urls", 4, STRING), ONE("tolerate_debug_op_creation_failures", 5, BOOL))
TABLE(run_options_experimental, "RunOptions.Experimental",
      ONE("collective_graph_key", 1, INT64), ONE("use_run_handler_pool", 2, BOOL),
      MESSAGE("run_handler_pool_options", 3, run_options_experimental_run_handler_pool_options))
TABLE(run_options_experimental_run_handler_pool_options, "RunOptions.Experimental.RunHandlerPoolOptions",
      ONE("priority", 1, INT64))
TABLE(run_metadata, "RunMetadata",
      MESSAGE("step_stats", 1, step_stats), MESSAGE("cost_graph", 2, cost_graph_def),
      MESSAGES("partition_graphs", 3, graph_def), MESSAGES("function_graphs", 4, run_metadata_function_graphs),
      MESSAGE("session_metadata", 5, session_metadata))
TABLE(step_stats, "StepStats",
      MESSAGES("dev_stats", 1, device_step_stats))
TABLE(device_step_stats, "DeviceStepStats",
      ONE("device", 1, STRING), MESSAGES("node_stats", 2, node_exec_stats),
      MAP("thread_names", 3, map_uint32_string))
TABLE(node_exec_stats, "NodeExecStats",
      ONE("node_name", 1, STRING), ONE("all_start_micros", 2, INT64), ONE("op_start_rel_micros", 3, INT64),
      ONE("op_end_rel_micros", 4, INT64), ONE("all_end_rel_micros", 5, INT64),
      MESSAGES("memory", 6, allocator_memory_used), MESSAGES("output", 7, node_output),
      ONE("timeline_label", 8, STRING), ONE("scheduled_micros", 9, INT64), ONE("thread_id", 10, UINT32),
      MESSAGES("referenced_tensor", 11, allocation_description), MESSAGE("memory_stats", 12, memory_stats),
      ONE("all_start_nanos", 13, INT64), ONE("op_start_rel_nanos", 14, INT64), ONE("op_end_rel_nanos", 15, INT64),
      ONE("all_end_rel_nanos", 16, INT64), ONE("scheduled_nanos", 17, INT64))
TABLE(allocator_memory_used, "AllocatorMemoryUsed",
      ONE("allocator_name", 1, STRING), ONE("total_bytes", 2, INT64), ONE("peak_bytes", 3, INT64),
      ONE("live_bytes", 4, INT64), ONE("allocator_bytes_in_use", 5, INT64),
      MESSAGES("allocation_records", 6, allocation_record))
TABLE(allocation_record, "AllocationRecord",
      ONE("alloc_micros", 1, INT64), ONE("alloc_bytes", 2, INT64))
TABLE(node_output, "NodeOutput",
      ONE("slot", 1, INT32), MESSAGE("tensor_description", 3, tensor_description))
TABLE(tensor_description, "TensorDescription",
      ENUM("dtype", 1, data_type), MESSAGE("shape", 2, tensor_shape),
      MESSAGE("allocation_description", 4, allocation_description))
TABLE(allocation_description, "AllocationDescription",
      ONE("requested_bytes", 1, INT64), ONE("allocated_bytes", 2, INT64), ONE("allocator_name", 3, STRING),
      ONE("allocation_id", 4, INT64), ONE("has_single_reference", 5, BOOL), ONE("ptr", 6, UINT64))
TABLE(memory_stats, "MemoryStats",
      ONE("temp_memory_size", 1, INT64), ONE("device_temp_memory_size", 2, INT64),
      ONE("persistent_memory_size", 3, INT64), ONE("device_persistent_memory_size", 4, INT64),
      PACKED("persistent_tensor_alloc_ids", 5, INT64), PACKED("device_persistent_tensor_alloc_ids", 6, INT64))
TABLE(cost_graph_def, "CostGraphDef",
      MESSAGES("node", 1, cost_graph_def_node), MESSAGES("cost", 2, cost_graph_def_aggregated_cost))
TABLE(cost_graph_def_node, "CostGraphDef.Node",
      ONE("name", 1, STRING), ONE("device", 2, STRING), ONE("id", 3, INT32),
      MESSAGES("input_info", 4, cost_graph_def_node_input_info),
      MESSAGES("output_info", 5, cost_graph_def_node_output_info), ONE("temporary_memory_size", 6, INT64),
      ONE("is_final", 7, BOOL), PACKED("control_input", 8, INT32), ONE("compute_cost", 9, INT64),
      ONE("host_temp_memory_size", 10, INT64), ONE("device_temp_memory_size", 11, INT64),
      ONE("persistent_memory_size", 12, INT64), ONE("compute_time", 14, INT64), ONE("memory_time", 15, INT64),
      ONE("device_persistent_memory_size", 16, INT64), ONE("inaccurate", 17, BOOL))
TABLE(cost_graph_def_node_input_info, "CostGraphDef.Node.InputInfo",
      ONE("preceding_node", 1, INT32), ONE("preceding_port", 2, INT32))
TABLE(cost_graph_def_node_output_info, "CostGraphDef.Node.OutputInfo",
      ONE("size", 1, INT64), ONE("alias_input_port", 2, INT64), MESSAGE("shape", 3, tensor_shape),
      ENUM("dtype", 4, data_type))
TABLE(cost_graph_def_aggregated_cost, "CostGraphDef.AggregatedCost",
      ONE("cost", 1, FLOAT), ONE("dimension", 2, STRING))
TABLE(run_metadata_function_graphs, "RunMetadata.FunctionGraphs",
      MESSAGES("partition_graphs", 1, graph_def), MESSAGE("pre_optimization_graph", 2, graph_def),
      MESSAGE("post_optimization_graph", 3, graph_def))
