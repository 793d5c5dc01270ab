// TF_ShapeAndTypeList: lists of shapes and dtypes for inferring one op's shapes. The structs are public; the
// items of a list and their dims belong to the list.
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "tensor/tensor.h"
#include "tensorflow/c/c_api_experimental.h"

TF_ShapeAndTypeList *TF_NewShapeAndTypeList(int num_shapes) {
  if (num_shapes < 0) {
    dvt_log(DVT_ERROR, "TF_NewShapeAndTypeList: number of shapes is %d, want 0 or more", num_shapes);
    return NULL;
  }
  TF_ShapeAndTypeList *list = dvt_calloc(1, sizeof *list);
  if (!list) return NULL;
  list->items = dvt_calloc((size_t)num_shapes, sizeof *list->items);
  if (!list->items && num_shapes > 0) {
    dvt_free(list);
    return NULL;
  }
  list->num_items = num_shapes;
  for (int i = 0; i < num_shapes; i++) list->items[i].num_dims = -1;
  return list;
}

static TF_ShapeAndType *item_at(TF_ShapeAndTypeList *list, int index, const char *function) {
  if (list && index >= 0 && index < list->num_items) return &list->items[index];
  dvt_log(DVT_ERROR, "%s: index %d is out of range for a list of %d shapes", function, index,
          list ? list->num_items : 0);
  return NULL;
}

void TF_ShapeAndTypeListSetShape(TF_ShapeAndTypeList *shape_list, int index, const int64_t *dims,
                                 int num_dims) {
  TF_ShapeAndType *item = item_at(shape_list, index, "TF_ShapeAndTypeListSetShape");
  if (!item) return;
  if (num_dims < 0 || num_dims > DVT_MAX_RANK) {
    dvt_log(DVT_ERROR, "TF_ShapeAndTypeListSetShape: rank is %d, want 0 to %d", num_dims, DVT_MAX_RANK);
    return;
  }
  int64_t *copy = dvt_malloc(sizeof(int64_t) * (size_t)DVT_MAX(num_dims, 1));
  if (!copy) {
    dvt_log(DVT_ERROR, "TF_ShapeAndTypeListSetShape: out of memory for %d dims", num_dims);
    return;
  }
  if (num_dims > 0) memcpy(copy, dims, sizeof(int64_t) * (size_t)num_dims);
  dvt_free(item->dims);
  item->dims = copy;
  item->num_dims = num_dims;
}

void TF_ShapeAndTypeListSetUnknownShape(TF_ShapeAndTypeList *shape_list, int index) {
  TF_ShapeAndType *item = item_at(shape_list, index, "TF_ShapeAndTypeListSetUnknownShape");
  if (!item) return;
  dvt_free(item->dims);
  item->dims = NULL;
  item->num_dims = -1;
}

void TF_ShapeAndTypeListSetDtype(TF_ShapeAndTypeList *shape_list, int index, TF_DataType dtype) {
  TF_ShapeAndType *item = item_at(shape_list, index, "TF_ShapeAndTypeListSetDtype");
  if (item) item->dtype = dtype;
}

void TF_DeleteShapeAndTypeList(TF_ShapeAndTypeList *shape_list) {
  if (!shape_list) return;
  for (int i = 0; i < shape_list->num_items; i++) dvt_free(shape_list->items[i].dims);
  dvt_free(shape_list->items);
  dvt_free(shape_list);
}

void TF_DeleteShapeAndTypeListArray(TF_ShapeAndTypeList **shape_list_array, int num_items) {
  if (!shape_list_array) return;
  for (int i = 0; i < num_items; i++) TF_DeleteShapeAndTypeList(shape_list_array[i]);
  dvt_free(shape_list_array);
}
