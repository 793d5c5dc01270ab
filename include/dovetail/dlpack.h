// Tensors from and to other frameworks without a copy, by the DLPack protocol. The structs have the layout of the public
// DLPack specification (major version 1, and the unversioned struct that came before it) under names of their own, so
// that this header and dlpack.h can be included together; pointers are cast between the two.
#ifndef DOVETAIL_DLPACK_H_
#define DOVETAIL_DLPACK_H_

#include <stdint.h>

#include "dovetail/export.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where the bytes are. Only kinds that the CPU can read are imported.
typedef enum dvt_dl_device_type {
  DVT_DL_CPU = 1,
  DVT_DL_CUDA = 2,
  DVT_DL_CUDA_HOST = 3,  // pinned host memory
  DVT_DL_ROCM = 10,
  DVT_DL_ROCM_HOST = 11
} dvt_dl_device_type;

typedef struct dvt_dl_device {
  int32_t device_type;  // dvt_dl_device_type, or another number of the specification
  int32_t device_id;
} dvt_dl_device;

typedef enum dvt_dl_type_code {
  DVT_DL_INT = 0,
  DVT_DL_UINT = 1,
  DVT_DL_FLOAT = 2,
  DVT_DL_OPAQUE = 3,
  DVT_DL_BFLOAT = 4,
  DVT_DL_COMPLEX = 5,  // `bits` counts both parts
  DVT_DL_BOOL = 6,
  DVT_DL_FLOAT8_E3M4 = 7,
  DVT_DL_FLOAT8_E4M3 = 8,
  DVT_DL_FLOAT8_E4M3B11FNUZ = 9,
  DVT_DL_FLOAT8_E4M3FN = 10,
  DVT_DL_FLOAT8_E4M3FNUZ = 11,
  DVT_DL_FLOAT8_E5M2 = 12,
  DVT_DL_FLOAT8_E5M2FNUZ = 13,
  DVT_DL_FLOAT8_E8M0FNU = 14,
  DVT_DL_FLOAT6_E2M3FN = 15,
  DVT_DL_FLOAT6_E3M2FN = 16,
  DVT_DL_FLOAT4_E2M1FN = 17
} dvt_dl_type_code;

typedef struct dvt_dl_type {
  uint8_t code;  // dvt_dl_type_code
  uint8_t bits;  // of one element (of one lane)
  uint16_t lanes;
} dvt_dl_type;

typedef struct dvt_dl_tensor {
  void *data;
  dvt_dl_device device;
  int32_t ndim;
  dvt_dl_type dtype;
  int64_t *shape;
  int64_t *strides;      // in elements; NULL means compact, row-major
  uint64_t byte_offset;  // from data to the first element
} dvt_dl_tensor;

typedef struct dvt_dl_managed {
  dvt_dl_tensor tensor;
  void *manager_ctx;
  void (*deleter)(struct dvt_dl_managed *self);  // may be NULL
} dvt_dl_managed;

typedef struct dvt_dl_version {
  uint32_t major;
  uint32_t minor;
} dvt_dl_version;

#define DVT_DL_FLAG_READ_ONLY ((uint64_t)1)
#define DVT_DL_FLAG_IS_COPIED ((uint64_t)2)
#define DVT_DL_FLAG_SUBBYTE_PADDED ((uint64_t)4)  // elements under 8 bits take a byte each

typedef struct dvt_dl_managed_versioned {
  dvt_dl_version version;
  void *manager_ctx;
  void (*deleter)(struct dvt_dl_managed_versioned *self);  // may be NULL
  uint64_t flags;
  dvt_dl_tensor tensor;
} dvt_dl_managed_versioned;

// Shares the tensor's memory as an unversioned DLPack tensor; NULL on failure.
// Owner: the receiver calls the result's deleter once; `tensor` may be deleted before that.
// Threads: any while nobody changes `tensor`; the deleter may run on any thread.
// Errors: UNIMPLEMENTED for dtypes DLPack lacks (string, resource, variant, quantized) and, in this form, for elements
// under 8 bits; INVALID_ARGUMENT when the buffer is smaller than the shape. Since: dovetail
DVT_EXPORT dvt_dl_managed *dvt_dlpack_export(const TF_Tensor *tensor, TF_Status *status);

// Shares the tensor's memory as a versioned DLPack tensor; NULL on failure.
// Owner: as for dvt_dlpack_export. Threads: as for dvt_dlpack_export.
// Errors: as for dvt_dlpack_export, but elements under 8 bits are exported padded. Since: dovetail
DVT_EXPORT dvt_dl_managed_versioned *dvt_dlpack_export_versioned(const TF_Tensor *tensor, TF_Status *status);

// Makes a tensor of an unversioned DLPack tensor; NULL on failure. Compact, 64-byte aligned memory is used in place, any
// other layout is copied into memory of the runtime.
// Owner: takes over `managed` on success (its deleter runs with the last reference, at once after a copy); on failure it
// stays the caller's. The caller deletes the result.
// Threads: any; the deleter may run on any thread.
// Errors: UNIMPLEMENTED for devices the CPU cannot read and dtypes without a TF_DataType, INVALID_ARGUMENT for malformed
// structs. Since: dovetail
DVT_EXPORT TF_Tensor *dvt_dlpack_import(dvt_dl_managed *managed, TF_Status *status);

// Makes a tensor of a versioned DLPack tensor; NULL on failure. Memory marked read-only is used in place too: the runtime
// never writes into memory that it did not allocate.
// Owner: as for dvt_dlpack_import. Threads: as for dvt_dlpack_import.
// Errors: as for dvt_dlpack_import; UNIMPLEMENTED for major versions other than 1 and packed elements under 8 bits.
// Since: dovetail
DVT_EXPORT TF_Tensor *dvt_dlpack_import_versioned(dvt_dl_managed_versioned *managed, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_DLPACK_H_
