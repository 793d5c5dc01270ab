// DLPack in and out (dovetail/dlpack.h). An export is one block: the struct to hand out, a reference to the
// buffer, shape and strides. An import adopts compact aligned memory and copies everything else.
#include "dovetail/dlpack.h"

#include "base/code_owner.h"
#include "tensor/tensor.h"

// X(dtype, type code, bits)
#define DL_TYPES(X)                                      \
  X(TF_FLOAT, DVT_DL_FLOAT, 32)                          \
  X(TF_DOUBLE, DVT_DL_FLOAT, 64)                         \
  X(TF_HALF, DVT_DL_FLOAT, 16)                           \
  X(TF_BFLOAT16, DVT_DL_BFLOAT, 16)                      \
  X(TF_INT8, DVT_DL_INT, 8)                              \
  X(TF_INT16, DVT_DL_INT, 16)                            \
  X(TF_INT32, DVT_DL_INT, 32)                            \
  X(TF_INT64, DVT_DL_INT, 64)                            \
  X(TF_UINT8, DVT_DL_UINT, 8)                            \
  X(TF_UINT16, DVT_DL_UINT, 16)                          \
  X(TF_UINT32, DVT_DL_UINT, 32)                          \
  X(TF_UINT64, DVT_DL_UINT, 64)                          \
  X(TF_BOOL, DVT_DL_BOOL, 8)                             \
  X(TF_COMPLEX64, DVT_DL_COMPLEX, 64)                    \
  X(TF_COMPLEX128, DVT_DL_COMPLEX, 128)                  \
  X(TF_FLOAT8_E5M2, DVT_DL_FLOAT8_E5M2, 8)               \
  X(TF_FLOAT8_E4M3FN, DVT_DL_FLOAT8_E4M3FN, 8)           \
  X(TF_FLOAT8_E4M3FNUZ, DVT_DL_FLOAT8_E4M3FNUZ, 8)       \
  X(TF_FLOAT8_E4M3B11FNUZ, DVT_DL_FLOAT8_E4M3B11FNUZ, 8) \
  X(TF_FLOAT8_E5M2FNUZ, DVT_DL_FLOAT8_E5M2FNUZ, 8)       \
  X(TF_INT4, DVT_DL_INT, 4)                              \
  X(TF_UINT4, DVT_DL_UINT, 4)                            \
  X(TF_INT2, DVT_DL_INT, 2)                              \
  X(TF_UINT2, DVT_DL_UINT, 2)                            \
  X(TF_FLOAT4_E2M1FN, DVT_DL_FLOAT4_E2M1FN, 4)

static const struct {
  int dtype;
  uint8_t code, bits;
} dl_types[] = {
#define ROW(dtype, code, bits) {dtype, code, bits},
    DL_TYPES(ROW)
#undef ROW
};

/* ---- export ---- */

// What both forms of an export share; the dims follow.
typedef struct exported {
  union {
    dvt_dl_managed plain;
    dvt_dl_managed_versioned versioned;
  } managed;
  dvt_buffer *buffer;
  int64_t dims[];  // shape, then strides
} exported;

static void exported_free(exported *e) {
  dvt_buffer_release(e->buffer);
  dvt_free(e);
}
static void delete_plain(dvt_dl_managed *self) { exported_free(self->manager_ctx); }
static void delete_versioned(dvt_dl_managed_versioned *self) { exported_free(self->manager_ctx); }

static dvt_status type_to_dl(int dtype, dvt_dl_type *out_type) {
  for (size_t i = 0; i < DVT_COUNT_OF(dl_types); i++) {
    if (dl_types[i].dtype != dtype) continue;
    *out_type = (dvt_dl_type){dl_types[i].code, dl_types[i].bits, 1};
    return NULL;
  }
  return dvt_error(TF_UNIMPLEMENTED, "dvt_dlpack_export: DLPack has no type for a tensor of dtype %s",
                   dvt_dtype_name(dtype));
}

static void compact_strides(const int64_t *shape, int rank, int64_t *out_strides) {
  uint64_t stride = 1;  // wraps around only in shapes without elements
  for (int i = rank - 1; i >= 0; i--) {
    out_strides[i] = (int64_t)stride;
    if (shape[i] > 1) stride *= (uint64_t)shape[i];
  }
}

static dvt_status export_tensor(const TF_Tensor *t, exported **out_exported, dvt_dl_tensor *out_tensor) {
  if (!t || !t->buffer)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_dlpack_export: the tensor is NULL or has no value");
  dvt_dl_type type;
  DVT_RETURN_IF_ERROR(type_to_dl(t->dtype, &type));
  DVT_RETURN_IF_ERROR(dvt_tensor_check_size(t));
  size_t rank = (size_t)t->rank, bytes = sizeof(exported) + 2 * rank * sizeof(int64_t);
  exported *e = dvt_calloc(1, bytes);
  if (!e) return dvt_error_out_of_memory(bytes);
  if (rank) memcpy(e->dims, dvt_tensor_dims(t), rank * sizeof(int64_t));
  compact_strides(e->dims, t->rank, e->dims + rank);
  e->buffer = dvt_buffer_retain(t->buffer);
  *out_tensor = (dvt_dl_tensor){.data = t->data,
                                .device = {DVT_DL_CPU, 0},
                                .ndim = t->rank,
                                .dtype = type,
                                .shape = e->dims,
                                .strides = e->dims + rank};
  *out_exported = e;
  return NULL;
}

dvt_dl_managed *dvt_dlpack_export(const TF_Tensor *tensor, TF_Status *status) {
  exported *e = NULL;
  dvt_dl_tensor dl = {0};
  dvt_status error = export_tensor(tensor, &e, &dl);
  if (!error && dl.dtype.bits < 8) {
    exported_free(e);
    error = dvt_error(
        TF_UNIMPLEMENTED,
        "dvt_dlpack_export: elements of %s take a byte each, which only versioned DLPack tensors can "
        "say; use dvt_dlpack_export_versioned",
        dvt_dtype_name(tensor->dtype));
  }
  bool ok = !error;
  dvt_status_to_tf(error, status);
  if (!ok) return NULL;
  e->managed.plain = (dvt_dl_managed){.tensor = dl, .manager_ctx = e, .deleter = delete_plain};
  return &e->managed.plain;
}

dvt_dl_managed_versioned *dvt_dlpack_export_versioned(const TF_Tensor *tensor, TF_Status *status) {
  exported *e = NULL;
  dvt_dl_tensor dl = {0};
  dvt_status error = export_tensor(tensor, &e, &dl);
  bool ok = !error;
  dvt_status_to_tf(error, status);
  if (!ok) return NULL;
  e->managed.versioned =
      (dvt_dl_managed_versioned){.version = {1, 1},
                                 .manager_ctx = e,
                                 .deleter = delete_versioned,
                                 .flags = dl.dtype.bits < 8 ? DVT_DL_FLAG_SUBBYTE_PADDED : 0,
                                 .tensor = dl};
  return &e->managed.versioned;
}

/* ---- import ---- */

static dvt_status type_from_dl(dvt_dl_type type, bool is_padded, int *out_dtype) {
  if (type.lanes != 1)
    return dvt_error(TF_UNIMPLEMENTED, "dvt_dlpack_import: vector elements (%d lanes) have no TF_DataType",
                     type.lanes);
  if (type.bits < 8 && !is_padded)
    return dvt_error(TF_UNIMPLEMENTED,
                     "dvt_dlpack_import: packed elements of %d bits cannot be used; one byte each can",
                     type.bits);
  for (size_t i = 0; i < DVT_COUNT_OF(dl_types); i++) {
    if (dl_types[i].code != type.code || dl_types[i].bits != type.bits) continue;
    *out_dtype = dl_types[i].dtype;
    return NULL;
  }
  return dvt_error(TF_UNIMPLEMENTED, "dvt_dlpack_import: DLPack type code %d with %d bits has no TF_DataType",
                   type.code, type.bits);
}

static dvt_status check_tensor(const dvt_dl_tensor *dl, int64_t *out_count) {
  int32_t device = dl->device.device_type;
  if (device != DVT_DL_CPU && device != DVT_DL_CUDA_HOST && device != DVT_DL_ROCM_HOST)
    return dvt_error(TF_UNIMPLEMENTED,
                     "dvt_dlpack_import: the memory is on device type %d, which the CPU cannot read; "
                     "copy it to the host first",
                     (int)device);
  DVT_RETURN_IF_ERROR(dvt_shape_count(dl->shape, dl->ndim, out_count));
  if (*out_count && !dl->data)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_dlpack_import: the data pointer is NULL");
  return NULL;
}

// Dimensions of size 1 may have any stride, and so may all when there is no element.
static bool is_compact(const dvt_dl_tensor *dl, int64_t count) {
  int64_t stride = 1;
  for (int i = dl->ndim - 1; count && dl->strides && i >= 0; i--) {
    if (dl->shape[i] != 1 && dl->strides[i] != stride) return false;
    stride *= dl->shape[i];
  }
  return true;
}

// Element by element in row-major order; strides may be zero or negative.
static dvt_status copy_strided(const dvt_dl_tensor *dl, const char *from, char *to, size_t size,
                               int64_t count) {
  int64_t *index = dvt_calloc((size_t)dl->ndim, sizeof *index), offset = 0;
  if (!index) return dvt_error_out_of_memory((size_t)dl->ndim * sizeof *index);
  for (int64_t n = 0; n < count; n++, to += size) {
    memcpy(to, from + offset * (int64_t)size, size);
    for (int i = dl->ndim - 1; i >= 0; i--) {
      offset += dl->strides[i];
      if (++index[i] < dl->shape[i]) break;
      offset -= index[i] * dl->strides[i];
      index[i] = 0;
    }
  }
  dvt_free(index);
  return NULL;
}

// The two forms of a managed tensor behind one face.
typedef struct import_source {
  const dvt_dl_tensor *tensor;
  bool is_padded;
  void *managed;
  dvt_deallocator deallocator;  // runs the deleter of the form
  const void *code;             // where that lies
} import_source;

static dvt_status import_copy(const import_source *source, int dtype, const char *data, int64_t count,
                              TF_Tensor *out) {
  const dvt_dl_tensor *dl = source->tensor;
  size_t size = dvt_dtype_size(dtype);
  DVT_RETURN_IF_ERROR(dvt_tensor_init_allocate(out, dtype, dl->shape, dl->ndim));
  dvt_status status = NULL;
  if (!is_compact(dl, count))
    status = copy_strided(dl, data, out->data, size, count);
  else if (count)
    memcpy(out->data, data, (size_t)count * size);
  if (status) {
    dvt_tensor_reset(out);
    return status;
  }
  source->deallocator(NULL, 0, source->managed);
  return NULL;
}

// The struct stays the caller's until nothing can fail any more, so the deallocator is set last.
static dvt_status import_adopt(const import_source *source, int dtype, char *data, size_t bytes,
                               TF_Tensor *out) {
  const dvt_dl_tensor *dl = source->tensor;
  dvt_buffer *buffer = dvt_buffer_adopt(data, bytes, NULL, NULL);
  if (!buffer) return dvt_error_out_of_memory(sizeof *buffer);
  DVT_RETURN_IF_ERROR(dvt_tensor_init_with_buffer(out, dtype, dl->shape, dl->ndim, buffer));
  buffer->deallocator = source->deallocator;
  buffer->deallocator_arg = source->managed;
  return NULL;
}

static dvt_status import_value(const import_source *source, TF_Tensor *out) {
  const dvt_dl_tensor *dl = source->tensor;
  int64_t count = 0;
  int dtype = 0;
  size_t bytes;
  DVT_RETURN_IF_ERROR(check_tensor(dl, &count));
  DVT_RETURN_IF_ERROR(type_from_dl(dl->dtype, source->is_padded, &dtype));
  DVT_RETURN_IF_ERROR(dvt_shape_bytes(dtype, dl->shape, dl->ndim, &bytes));
  char *data = dl->data ? (char *)dl->data + dl->byte_offset : NULL;
  if (is_compact(dl, count) && (uintptr_t)data % DVT_TENSOR_ALIGNMENT == 0)
    return import_adopt(source, dtype, data, bytes, out);
  return import_copy(source, dtype, data, count, out);
}

// A plugin stays as long as a tensor that it exported will call it.
static const char accounted[] = "DLPack tensors with its deleter";

static TF_Tensor *import(const import_source *source, TF_Status *status) {
  TF_Tensor *handle = dvt_tensor_handle_new();
  dvt_owned_kind *kind = dvt_owned_take(dvt_code_owner_find(source->code), accounted, accounted, NULL);
  dvt_status error = handle ? import_value(source, handle) : dvt_error_out_of_memory(sizeof *handle);
  if (error) {
    dvt_owned_drop(kind);
    dvt_tensor_handle_delete(handle);
    handle = NULL;
  }
  dvt_status_to_tf(error, status);
  return handle;
}

static const void *code_of_plain(const dvt_dl_managed *managed) {
  const void *code;
  DVT_CODE_ADDRESS(managed->deleter, &code);
  return code;
}
static const void *code_of_versioned(const dvt_dl_managed_versioned *managed) {
  const void *code;
  DVT_CODE_ADDRESS(managed->deleter, &code);
  return code;
}

static void release_plain(void *data, size_t bytes, void *arg) {
  (void)data, (void)bytes;
  dvt_dl_managed *managed = arg;
  dvt_owned_kind *kind = dvt_owned_find(dvt_code_owner_find(code_of_plain(managed)), accounted);
  if (managed->deleter) managed->deleter(managed);
  dvt_owned_drop(kind);
}
static void release_versioned(void *data, size_t bytes, void *arg) {
  (void)data, (void)bytes;
  dvt_dl_managed_versioned *managed = arg;
  dvt_owned_kind *kind = dvt_owned_find(dvt_code_owner_find(code_of_versioned(managed)), accounted);
  if (managed->deleter) managed->deleter(managed);
  dvt_owned_drop(kind);
}

TF_Tensor *dvt_dlpack_import(dvt_dl_managed *managed, TF_Status *status) {
  if (!managed) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "dvt_dlpack_import: the DLPack tensor is NULL");
    return NULL;
  }
  import_source source = {&managed->tensor, false, managed, release_plain, code_of_plain(managed)};
  return import(&source, status);
}

TF_Tensor *dvt_dlpack_import_versioned(dvt_dl_managed_versioned *managed, TF_Status *status) {
  dvt_status error = NULL;
  if (!managed)
    error = dvt_error(TF_INVALID_ARGUMENT, "dvt_dlpack_import_versioned: the DLPack tensor is NULL");
  else if (managed->version.major != 1)
    error = dvt_error(TF_UNIMPLEMENTED,
                      "dvt_dlpack_import_versioned: DLPack version %u.%u was given, 1.x can be read",
                      (unsigned)managed->version.major, (unsigned)managed->version.minor);
  if (error) {
    dvt_status_to_tf(error, status);
    return NULL;
  }
  import_source source = {&managed->tensor, (managed->flags & DVT_DL_FLAG_SUBBYTE_PADDED) != 0, managed,
                          release_versioned, code_of_versioned(managed)};
  return import(&source, status);
}
