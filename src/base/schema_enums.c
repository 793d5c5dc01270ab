// The enums of the schema tables: name and number of every value, as in the public .proto files.
#include "base/schema_tables.h"

#define ENUM_TABLE(id, ...) const dvt_schema_enum dvt_enum_##id[] = {__VA_ARGS__, {NULL, 0}};

ENUM_TABLE(data_type,
           {"DT_INVALID", 0}, {"DT_FLOAT", 1}, {"DT_DOUBLE", 2}, {"DT_INT32", 3}, {"DT_UINT8", 4}, {"DT_INT16", 5},
           {"DT_INT8", 6}, {"DT_STRING", 7}, {"DT_COMPLEX64", 8}, {"DT_INT64", 9}, {"DT_BOOL", 10}, {"DT_QINT8", 11},
           {"DT_QUINT8", 12}, {"DT_QINT32", 13}, {"DT_BFLOAT16", 14}, {"DT_QINT16", 15}, {"DT_QUINT16", 16},
           {"DT_UINT16", 17}, {"DT_COMPLEX128", 18}, {"DT_HALF", 19}, {"DT_RESOURCE", 20}, {"DT_VARIANT", 21},
           {"DT_UINT32", 22}, {"DT_UINT64", 23}, {"DT_FLOAT8_E5M2", 24}, {"DT_FLOAT8_E4M3FN", 25},
           {"DT_FLOAT8_E4M3FNUZ", 26}, {"DT_FLOAT8_E4M3B11FNUZ", 27}, {"DT_FLOAT8_E5M2FNUZ", 28}, {"DT_INT4", 29},
           {"DT_UINT4", 30}, {"DT_INT2", 31}, {"DT_UINT2", 32}, {"DT_FLOAT4_E2M1FN", 33}, {"DT_FLOAT_REF", 101},
           {"DT_DOUBLE_REF", 102}, {"DT_INT32_REF", 103}, {"DT_UINT8_REF", 104}, {"DT_INT16_REF", 105},
           {"DT_INT8_REF", 106}, {"DT_STRING_REF", 107}, {"DT_COMPLEX64_REF", 108}, {"DT_INT64_REF", 109},
           {"DT_BOOL_REF", 110}, {"DT_QINT8_REF", 111}, {"DT_QUINT8_REF", 112}, {"DT_QINT32_REF", 113},
           {"DT_BFLOAT16_REF", 114}, {"DT_QINT16_REF", 115}, {"DT_QUINT16_REF", 116}, {"DT_UINT16_REF", 117},
           {"DT_COMPLEX128_REF", 118}, {"DT_HALF_REF", 119}, {"DT_RESOURCE_REF", 120}, {"DT_VARIANT_REF", 121},
           {"DT_UINT32_REF", 122}, {"DT_UINT64_REF", 123}, {"DT_FLOAT8_E5M2_REF", 124},
           {"DT_FLOAT8_E4M3FN_REF", 125}, {"DT_FLOAT8_E4M3FNUZ_REF", 126}, {"DT_FLOAT8_E4M3B11FNUZ_REF", 127},
           {"DT_FLOAT8_E5M2FNUZ_REF", 128}, {"DT_INT4_REF", 129}, {"DT_UINT4_REF", 130}, {"DT_INT2_REF", 131},
           {"DT_UINT2_REF", 132}, {"DT_FLOAT4_E2M1FN_REF", 133})
ENUM_TABLE(full_type_id,
           {"TFT_UNSET", 0}, {"TFT_VAR", 1}, {"TFT_ANY", 2}, {"TFT_PRODUCT", 3}, {"TFT_NAMED", 4},
           {"TFT_FOR_EACH", 20}, {"TFT_CALLABLE", 100}, {"TFT_TENSOR", 1000}, {"TFT_ARRAY", 1001},
           {"TFT_OPTIONAL", 1002}, {"TFT_LITERAL", 1003}, {"TFT_ENCODED", 1004}, {"TFT_SHAPE_TENSOR", 1005},
           {"TFT_BOOL", 200}, {"TFT_UINT8", 201}, {"TFT_UINT16", 202}, {"TFT_UINT32", 203}, {"TFT_UINT64", 204},
           {"TFT_INT8", 205}, {"TFT_INT16", 206}, {"TFT_INT32", 207}, {"TFT_INT64", 208}, {"TFT_HALF", 209},
           {"TFT_FLOAT", 210}, {"TFT_DOUBLE", 211}, {"TFT_BFLOAT16", 215}, {"TFT_COMPLEX64", 212},
           {"TFT_COMPLEX128", 213}, {"TFT_STRING", 214}, {"TFT_DATASET", 10102}, {"TFT_RAGGED", 10103},
           {"TFT_ITERATOR", 10104}, {"TFT_MUTEX_LOCK", 10202}, {"TFT_LEGACY_VARIANT", 10203})
ENUM_TABLE(saver_def_checkpoint_format_version,
           {"LEGACY", 0}, {"V1", 1}, {"V2", 2})
ENUM_TABLE(type_spec_proto_type_spec_class,
           {"UNKNOWN", 0}, {"SPARSE_TENSOR_SPEC", 1}, {"INDEXED_SLICES_SPEC", 2}, {"RAGGED_TENSOR_SPEC", 3},
           {"TENSOR_ARRAY_SPEC", 4}, {"DATA_DATASET_SPEC", 5}, {"DATA_ITERATOR_SPEC", 6}, {"OPTIONAL_SPEC", 7},
           {"PER_REPLICA_SPEC", 8}, {"VARIABLE_SPEC", 9}, {"ROW_PARTITION_SPEC", 10}, {"REGISTERED_TYPE_SPEC", 12},
           {"EXTENSION_TYPE_SPEC", 13})
ENUM_TABLE(function_spec_jit_compile,
           {"DEFAULT", 0}, {"ON", 1}, {"OFF", 2})
ENUM_TABLE(variable_synchronization,
           {"VARIABLE_SYNCHRONIZATION_AUTO", 0}, {"VARIABLE_SYNCHRONIZATION_NONE", 1},
           {"VARIABLE_SYNCHRONIZATION_ON_WRITE", 2}, {"VARIABLE_SYNCHRONIZATION_ON_READ", 3})
ENUM_TABLE(variable_aggregation,
           {"VARIABLE_AGGREGATION_NONE", 0}, {"VARIABLE_AGGREGATION_SUM", 1}, {"VARIABLE_AGGREGATION_MEAN", 2},
           {"VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA", 3})
ENUM_TABLE(optimizer_options_level,
           {"L1", 0}, {"L0", -1})
ENUM_TABLE(optimizer_options_global_jit_level,
           {"DEFAULT", 0}, {"OFF", -1}, {"ON_1", 1}, {"ON_2", 2})
ENUM_TABLE(rewriter_config_cpu_layout,
           {"NO_CONVERSION_ON_CPU", 0}, {"NCHW_TO_NHWC", 1}, {"NHWC_TO_NCHW", 2})
ENUM_TABLE(rewriter_config_toggle,
           {"DEFAULT", 0}, {"ON", 1}, {"OFF", 2}, {"AGGRESSIVE", 3}, {"EXPERIMENTAL_MLIR", 4},
           {"EXPERIMENTAL_BOTH", 5})
ENUM_TABLE(rewriter_config_num_iterations_type,
           {"DEFAULT_NUM_ITERS", 0}, {"ONE", 1}, {"TWO", 2})
ENUM_TABLE(rewriter_config_mem_opt_type,
           {"DEFAULT_MEM_OPT", 0}, {"NO_MEM_OPT", 1}, {"MANUAL", 2}, {"SWAPPING_HEURISTICS", 4},
           {"RECOMPUTATION_HEURISTICS", 5}, {"SCHEDULING_HEURISTICS", 6}, {"HEURISTICS", 3})
ENUM_TABLE(verifier_config_toggle,
           {"DEFAULT", 0}, {"ON", 1}, {"OFF", 2})
ENUM_TABLE(config_proto_experimental_mlir_bridge_rollout,
           {"MLIR_BRIDGE_ROLLOUT_UNSPECIFIED", 0}, {"MLIR_BRIDGE_ROLLOUT_ENABLED", 1},
           {"MLIR_BRIDGE_ROLLOUT_DISABLED", 2})
ENUM_TABLE(run_options_trace_level,
           {"NO_TRACE", 0}, {"SOFTWARE_TRACE", 1}, {"HARDWARE_TRACE", 2}, {"FULL_TRACE", 3})
