// The registration RFC's example, whole: the op Bitcast, which looks at the bytes of a tensor as elements of
// another dtype, with its shape function and its kernel. Stock functions only: the same file serves stock
// TensorFlow.
//
// float[2,3] as uint8 is uint8[2,3,4], and uint8[2,3,4] as float is float[2,3]: a last dimension comes or
// goes where the sizes of the dtypes differ.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tensor.h"

#define DTYPES                                                                                 \
  "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, " \
  "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"

enum { MAX_RANK = 254 };

// ---- shapes ----

// The shape of the result, where it has another number of dimensions: [..., n] becomes [...], [...] becomes
// [..., n].
static void change_rank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, size_t from, size_t to,
                        TF_Status *status) {
  if (from > to) {
    TF_ShapeHandle *last = TF_ShapeInferenceContextVectorFromSize(ctx, from / to);
    TF_ShapeInferenceContextConcatenateShapes(ctx, shape, last, shape, status);
    TF_DeleteShapeHandle(last);
    return;
  }
  TF_DimensionHandle *last = TF_NewDimensionHandle();
  TF_ShapeInferenceContextWithRankAtLeast(ctx, shape, 1, shape, status);
  if (TF_GetCode(status) == TF_OK) {
    TF_ShapeInferenceContextDim(ctx, shape, -1, last);
    if (TF_DimensionHandleValueKnown(last) && TF_DimensionHandleValue(last) != (int64_t)(to / from))
      TF_SetStatus(status, TF_INVALID_ARGUMENT,
                   "Bitcast to a larger dtype: the last dimension must hold the bytes of one element");
    else
      TF_ShapeInferenceContextSubshape(ctx, shape, 0, -1, shape, status);
  }
  TF_DeleteDimensionHandle(last);
}

static void InferBitcastShape(TF_ShapeInferenceContext *ctx, TF_Status *status) {
  TF_DataType from = TF_FLOAT, to = TF_FLOAT;
  TF_ShapeInferenceContext_GetAttrType(ctx, "T", &from, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContext_GetAttrType(ctx, "type", &to, status);
  if (TF_GetCode(status) != TF_OK) return;
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK && TF_ShapeInferenceContextRankKnown(ctx, shape) &&
      TF_DataTypeSize(from) != TF_DataTypeSize(to))
    change_rank(ctx, shape, TF_DataTypeSize(from), TF_DataTypeSize(to), status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

// ---- kernel ----

typedef struct bitcast_kernel {
  TF_DataType type;
  size_t from_bytes, to_bytes;  // of one element
} bitcast_kernel;

static void *Bitcast_Create(TF_OpKernelConstruction *ctx) {
  TF_Status *status = TF_NewStatus();
  TF_DataType from = TF_FLOAT;
  bitcast_kernel *k = calloc(1, sizeof *k);
  if (!k) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Bitcast: out of memory");
  if (k) TF_OpKernelConstruction_GetAttrType(ctx, "T", &from, status);
  if (TF_GetCode(status) == TF_OK) TF_OpKernelConstruction_GetAttrType(ctx, "type", &k->type, status);
  if (TF_GetCode(status) == TF_OK) {
    k->from_bytes = TF_DataTypeSize(from);
    k->to_bytes = TF_DataTypeSize(k->type);
  } else {
    TF_OpKernelConstruction_Failure(ctx, status);
  }
  TF_DeleteStatus(status);
  return k;
}

// Dims of the result; -1 for a tensor whose last dim does not hold the bytes of one element.
static int result_dims(const bitcast_kernel *k, const TF_Tensor *input, int64_t *dims) {
  int rank = TF_NumDims(input);
  for (int i = 0; i < rank; i++) dims[i] = TF_Dim(input, i);
  if (k->from_bytes > k->to_bytes) {
    if (rank == MAX_RANK) return -1;
    dims[rank++] = (int64_t)(k->from_bytes / k->to_bytes);
  } else if (k->from_bytes < k->to_bytes) {
    if (rank == 0 || dims[rank - 1] != (int64_t)(k->to_bytes / k->from_bytes)) return -1;
    rank--;
  }
  return rank;
}

static void Bitcast_Compute(void *state, TF_OpKernelContext *ctx) {
  const bitcast_kernel *k = state;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *input = NULL, *output = NULL;
  int64_t dims[MAX_RANK];
  int rank = -1;
  TF_GetInput(ctx, 0, &input, status);
  if (TF_GetCode(status) == TF_OK && (rank = result_dims(k, input, dims)) < 0)
    TF_SetStatus(status, TF_INVALID_ARGUMENT,
                 "Bitcast: the last dimension does not hold the bytes of one element");
  if (rank >= 0) output = TF_AllocateTensor(k->type, NULL, 0, k->to_bytes);
  if (rank >= 0 && !output) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "Bitcast: out of memory");
  // The result shares the memory of the input.
  if (output) TF_TensorBitcastFrom(input, k->type, output, dims, rank, status);
  if (output && TF_GetCode(status) == TF_OK) TF_SetOutput(ctx, 0, output, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(input);
  TF_DeleteTensor(output);
  TF_DeleteStatus(status);
}

static void Bitcast_Delete(void *k) { free(k); }

// ---- registration ----

void InitPlugin(void) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Bitcast");
  TF_OpDefinitionBuilderAddInput(op, "input: T");
  TF_OpDefinitionBuilderAddOutput(op, "output: type");
  TF_OpDefinitionBuilderAddAttr(op, "T: " DTYPES);
  TF_OpDefinitionBuilderAddAttr(op, "type: " DTYPES);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, InferBitcastShape);
  TF_RegisterOpDefinition(op, status);
  if (TF_GetCode(status) == TF_OK) {
    TF_KernelBuilder *kernel =
        TF_NewKernelBuilder("Bitcast", "CPU", Bitcast_Create, Bitcast_Compute, Bitcast_Delete);
    TF_RegisterKernelBuilder("Bitcast", kernel, status);
  }
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "bitcast plugin: %s\n", TF_Message(status));
  TF_DeleteStatus(status);
}
