// The list of all cases, in the order of the facts they cover.
#ifndef DVT_TESTS_CONFORMANCE_CASES_H_
#define DVT_TESTS_CONFORMANCE_CASES_H_

#define CONFORMANCE_CASES \
  CASE(status)            \
  CASE(status_errno)      \
  CASE(buffer)            \
  CASE(null_release)      \
  CASE(tensor_new)        \
  CASE(tensor_allocate)   \
  CASE(tensor_shape)      \
  CASE(tensor_bitcast)    \
  CASE(tensor_types)      \
  CASE(tensor_strings)    \
  CASE(tensor_proto)      \
  CASE(tstring)           \
  CASE(op_specs)          \
  CASE(op_register)       \
  CASE(op_deprecated)     \
  CASE(op_questions)      \
  CASE(load)              \
  CASE(shape_functions)   \
  CASE(shape_in_graph)    \
  CASE(shape_random)

#define CASE(name) void case_##name(void);
CONFORMANCE_CASES
#undef CASE

#endif
