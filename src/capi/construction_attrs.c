// include/dovetail/kernel_construction.h: attributes that the stock getters do not reach: shapes with unknown
// parts, lists of shapes and of functions, and any kind as a proto.
#include "capi/buffer.h"
#include "capi/construction.h"
#include "dovetail/kernel_construction.h"
#include "op/attr.h"
#include "tensor/tensor_proto.h"

// ---- shapes ----

static dvt_status check_known(const int64_t *dims, int rank) {
  if (rank < 0) return dvt_error(TF_INVALID_ARGUMENT, "a shape of unknown rank, wanted was a known shape");
  for (int i = 0; i < rank; i++)
    if (dims[i] < 0)
      return dvt_error(TF_INVALID_ARGUMENT, "dimension %d of a shape is unknown, wanted was a known shape",
                       i);
  return NULL;
}

static dvt_status partial_shape(const TF_OpKernelConstruction *ctx, const char *attr_name, int64_t *dims,
                                int max_dims, int *out_rank) {
  dvt_str value, proto;
  int64_t found[DVT_MAX_RANK];
  int rank;
  DVT_RETURN_IF_ERROR(dvt_construction_attr(ctx, attr_name, &value));
  DVT_RETURN_IF_ERROR(dvt_attr_get_shape(value, &proto));
  DVT_RETURN_IF_ERROR(dvt_shape_from_proto(proto, found, DVT_MAX_RANK, &rank));
  if (rank > max_dims)
    return dvt_error(TF_INVALID_ARGUMENT, "the shape has %d dimensions, more than the %d there is room for",
                     rank, max_dims);
  if (rank > 0) memcpy(dims, found, (size_t)rank * sizeof *dims);
  *out_rank = rank;
  return NULL;
}

void TF_OpKernelConstruction_GetAttrPartialShape(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                 int64_t *dims, int max_dims, int *rank, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_construction_finish(ctx, attr_name, partial_shape(ctx, attr_name, dims, max_dims, rank), status);
}

// Where the list's shapes go. Two walks, so that nothing is stored before everything is known to be good.
typedef struct shape_room {
  int64_t **dims;
  int *ranks;
  int max_shapes;
  int64_t *storage;
  int storage_size;
  bool known;  // shapes with unknown parts are refused
} shape_room;

static dvt_status walk_shapes(dvt_str value, const shape_room *room, bool store) {
  dvt_attr_list list;
  dvt_str proto;
  int64_t dims[DVT_MAX_RANK];
  int used = 0, rank;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_SHAPE, &list));
  for (int i = 0; i < room->max_shapes && dvt_attr_list_next(&list, NULL, &proto); i++) {
    DVT_RETURN_IF_ERROR(dvt_shape_from_proto(proto, dims, DVT_MAX_RANK, &rank));
    if (room->known) DVT_RETURN_IF_ERROR(check_known(dims, rank));
    int sizes = DVT_MAX(rank, 0);
    if (sizes > room->storage_size - used)
      return dvt_error(
          TF_INVALID_ARGUMENT,
          "Not enough storage to hold the requested list of shapes: shape %d needs %d sizes, %d of "
          "%d are left; TF_OpKernelConstruction_GetAttrSize tells the total",
          i, sizes, room->storage_size - used, room->storage_size);
    if (store) {
      room->dims[i] = room->storage ? room->storage + used : NULL;
      room->ranks[i] = rank;
      if (sizes) memcpy(room->dims[i], dims, (size_t)sizes * sizeof *dims);
    }
    used += sizes;
  }
  return NULL;
}

static dvt_status shape_list(const TF_OpKernelConstruction *ctx, const char *attr_name,
                             const shape_room *room) {
  dvt_str value;
  DVT_RETURN_IF_ERROR(dvt_construction_attr(ctx, attr_name, &value));
  DVT_RETURN_IF_ERROR(walk_shapes(value, room, false));
  return walk_shapes(value, room, true);
}

void TF_OpKernelConstruction_GetAttrPartialShapeList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                     int64_t **dims, int *ranks, int max_shapes,
                                                     int64_t *storage, int storage_size, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  shape_room room = {dims, ranks, max_shapes, storage, storage_size, false};
  dvt_construction_finish(ctx, attr_name, shape_list(ctx, attr_name, &room), status);
}

void TF_OpKernelConstruction_GetAttrTensorShapeList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                    int64_t **dims, int *ranks, int max_shapes,
                                                    int64_t *storage, int storage_size, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  shape_room room = {dims, ranks, max_shapes, storage, storage_size, true};
  dvt_construction_finish(ctx, attr_name, shape_list(ctx, attr_name, &room), status);
}

// ---- protos ----

static TF_Buffer *hand_out_str(dvt_str bytes, dvt_status *out_error) {
  dvt_buf buf = {0};
  dvt_buf_append_str(&buf, bytes);
  return dvt_buf_hand_out(&buf, out_error);
}

// All or none: vals[] is touched only when every buffer is made.
static dvt_status function_list(const TF_OpKernelConstruction *ctx, const char *attr_name, TF_Buffer **vals,
                                int max_vals) {
  dvt_str value, bytes;
  dvt_attr_info info;
  dvt_attr_list list;
  dvt_status error = NULL;
  int made = 0;
  DVT_RETURN_IF_ERROR(dvt_construction_attr(ctx, attr_name, &value));
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_FUNC, &list));
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  int count = (int)DVT_MIN(info.list_size, (int64_t)DVT_MAX(max_vals, 0));
  if (count <= 0) return NULL;
  TF_Buffer **buffers = dvt_malloc((size_t)count * sizeof *buffers);
  if (!buffers) return dvt_error_out_of_memory((size_t)count * sizeof *buffers);
  while (!error && made < count && dvt_attr_list_next(&list, NULL, &bytes)) {
    buffers[made] = hand_out_str(bytes, &error);
    if (!error) made++;
  }
  if (!error) memcpy(vals, buffers, (size_t)made * sizeof *vals);
  for (int i = 0; error && i < made; i++) TF_DeleteBuffer(buffers[i]);
  dvt_free(buffers);
  return error;
}

void TF_OpKernelConstruction_GetAttrFunctionList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                 TF_Buffer **vals, int max_vals, TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return;
  dvt_construction_finish(ctx, attr_name, function_list(ctx, attr_name, vals, max_vals), status);
}

TF_Buffer *TF_OpKernelConstruction_GetAttrValueProto(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                     TF_Status *status) {
  if (dvt_construction_refuses(ctx, __func__, status)) return NULL;
  dvt_str value;
  dvt_status error = dvt_construction_attr(ctx, attr_name, &value);
  TF_Buffer *buffer = error ? NULL : hand_out_str(value, &error);
  dvt_construction_finish(ctx, attr_name, error, status);
  return buffer;
}
