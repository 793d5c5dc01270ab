// The list of all cases, in the order of the facts they cover.
#ifndef DVT_TESTS_CONFORMANCE_CASES_H_
#define DVT_TESTS_CONFORMANCE_CASES_H_

#define CONFORMANCE_CASES     \
  CASE(status)                \
  CASE(status_errno)          \
  CASE(buffer)                \
  CASE(null_release)          \
  CASE(tensor_new)            \
  CASE(tensor_allocate)       \
  CASE(tensor_shape)          \
  CASE(tensor_bitcast)        \
  CASE(tensor_types)          \
  CASE(tensor_strings)        \
  CASE(tensor_proto)          \
  CASE(tstring)               \
  CASE(op_specs)              \
  CASE(op_register)           \
  CASE(op_deprecated)         \
  CASE(op_questions)          \
  CASE(load)                  \
  CASE(shape_functions)       \
  CASE(shape_in_graph)        \
  CASE(shape_random)          \
  CASE(graph_basics)          \
  CASE(graph_names)           \
  CASE(node_errors)           \
  CASE(graph_colocate)        \
  CASE(graph_changes)         \
  CASE(graph_constant)        \
  CASE(attrs)                 \
  CASE(attr_kinds)            \
  CASE(import_graphs)         \
  CASE(import_options)        \
  CASE(import_option_cases)   \
  CASE(import_return_outputs) \
  CASE(import_colocation)     \
  CASE(function_make)         \
  CASE(function_names)        \
  CASE(function_control)      \
  CASE(function_library)      \
  CASE(function_call)         \
  CASE(while_loop)            \
  CASE(while_nested)          \
  CASE(while_errors)          \
  CASE(session_steps)         \
  CASE(session_grow)          \
  CASE(session_folding)       \
  CASE(session_options)       \
  CASE(session_run_options)   \
  CASE(session_partial)       \
  CASE(session_deprecated)    \
  CASE(session_threads)       \
  CASE(session_memory)        \
  CASE(session_saved_model)   \
  CASE(kernel_register)       \
  CASE(kernel_lookup)         \
  CASE(kernel_can_run)        \
  CASE(kernel_life)           \
  CASE(kernel_host_memory)    \
  CASE(construct_attrs)       \
  CASE(compute_inputs)        \
  CASE(compute_outputs)       \
  CASE(compute_forward)       \
  CASE(compute_errors)        \
  CASE(compute_context)       \
  CASE(compute_names)         \
  CASE(compute_async)         \
  CASE(compute_order)         \
  CASE(env_files)             \
  CASE(env_system)            \
  CASE(api_defs)              \
  CASE(process)               \
  CASE(random_graphs)         \
  CASE(random_functions)      \
  CASE(late_registration)     \
  CASE(graph_gradients)

#define CASE(name) void case_##name(void);
CONFORMANCE_CASES
#undef CASE

#endif
