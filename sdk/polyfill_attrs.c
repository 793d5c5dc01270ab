// Attributes that stock's construction functions cannot read, or no longer can: they are taken from the
// node's serialised NodeDef, which every host gives. Only the message fields that this needs are known here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "dovetail/kernel_construction.h"
#include "tensorflow/c/kernels_experimental.h"

// Field numbers of NodeDef, of an entry of its map, of AttrValue (a list's elements have the same but for
// func), of shapes.
enum { NODE_ATTR = 5, ENTRY_KEY = 1, ENTRY_VALUE = 2, VALUE_LIST = 1, VALUE_SHAPE = 7, LIST_FUNC = 9 };
enum { SHAPE_DIM = 2, SHAPE_UNKNOWN_RANK = 3, DIM_SIZE = 1 };

typedef struct bytes {
  const unsigned char *data;
  size_t size;
} bytes;

typedef struct field {
  int number;
  uint64_t value;  // of a varint
  bytes content;   // of a field with a length
} field;

static bool read_varint(bytes *in, uint64_t *out_value) {
  *out_value = 0;
  for (int shift = 0; shift < 64 && in->size; shift += 7) {
    unsigned char byte = *in->data++;
    in->size--;
    *out_value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

// The next field; false at the end and where the bytes are no message.
static bool next_field(bytes *in, field *out) {
  uint64_t tag, length;
  *out = (field){0};
  if (!in->size || !read_varint(in, &tag)) return false;
  out->number = (int)(tag >> 3);
  if ((tag & 7) == 0) return read_varint(in, &out->value);
  if ((tag & 7) == 2 && !read_varint(in, &length)) return false;
  if ((tag & 7) != 2) length = (tag & 7) == 1 ? 8 : (tag & 7) == 5 ? 4 : SIZE_MAX;
  if (length > in->size) return false;
  out->content = (bytes){in->data, (size_t)length};
  in->data += length;
  in->size -= (size_t)length;
  return true;
}

static bool find_field(bytes in, int number, field *out) {
  while (next_field(&in, out))
    if (out->number == number) return true;
  return false;
}

static void fail(TF_Status *status, TF_Code code, const char *attr, const char *what) {
  char text[256];
  snprintf(text, sizeof text, "attribute '%s' %s", attr, what);
  TF_SetStatus(status, code, text);
}

// The AttrValue of an attribute, a part of *out_node, which the caller deletes. NOT_FOUND without it.
static bool find_attr(TF_OpKernelConstruction *ctx, const char *name, TF_Buffer **out_node, bytes *out_value,
                      TF_Status *status) {
  *out_node = TF_OpKernelConstruction_GetNodeDef(ctx, status);
  if (!*out_node || TF_GetCode(status) != TF_OK) return false;
  bytes in = {(*out_node)->data, (*out_node)->length};
  field entry, key, value;
  while (next_field(&in, &entry)) {
    if (entry.number != NODE_ATTR || !find_field(entry.content, ENTRY_KEY, &key)) continue;
    if (key.content.size != strlen(name) || memcmp(key.content.data, name, key.content.size) != 0) continue;
    *out_value = find_field(entry.content, ENTRY_VALUE, &value) ? value.content : (bytes){NULL, 0};
    return true;
  }
  fail(status, TF_NOT_FOUND, name, "is not in the node");
  return false;
}

// Stores at most `room` sizes and returns the rank, -1 for an unknown one.
static int read_shape(bytes shape, int64_t *dims, int room) {
  int rank = 0;
  field f, size;
  bool is_unknown = find_field(shape, SHAPE_UNKNOWN_RANK, &f) && f.value;
  while (!is_unknown && next_field(&shape, &f)) {
    if (f.number != SHAPE_DIM) continue;
    if (rank < room) dims[rank] = find_field(f.content, DIM_SIZE, &size) ? (int64_t)size.value : 0;
    rank++;
  }
  return is_unknown ? -1 : rank;
}

enum { RANKS = 255 };

static bool is_known(const int64_t *dims, int rank) {
  for (int i = 0; i < rank; i++)
    if (dims[i] < 0) return false;
  return rank >= 0;
}

// The one shape of an attribute, into an array of RANKS; -2 with an error.
static int shape_attr(TF_OpKernelConstruction *ctx, const char *name, int64_t *dims, TF_Status *status) {
  TF_Buffer *node;
  bytes value;
  field shape;
  int rank = -2;
  if (find_attr(ctx, name, &node, &value, status)) {
    if (!find_field(value, VALUE_SHAPE, &shape))
      fail(status, TF_INVALID_ARGUMENT, name, "is not a shape");
    else if ((rank = read_shape(shape.content, dims, RANKS)) > RANKS - 1)
      fail(status, TF_INVALID_ARGUMENT, name, "has more than 254 dimensions"), rank = -2;
  }
  TF_DeleteBuffer(node);
  return rank;
}

void DVT_POLYFILL(TF_OpKernelConstruction_GetAttrTensorShape)(TF_OpKernelConstruction *ctx,
                                                              const char *attr_name, int64_t *dims,
                                                              size_t num_dims, TF_Status *status) {
  int64_t sizes[RANKS];
  int rank = shape_attr(ctx, attr_name, sizes, status);
  if (rank < -1) return;
  if (!is_known(sizes, rank))
    fail(status, TF_INVALID_ARGUMENT, attr_name, "is a shape that is not known as a whole");
  else if ((size_t)rank != num_dims)
    fail(status, TF_INVALID_ARGUMENT, attr_name, "has another rank than was asked for");
  else if (rank > 0)
    memcpy(dims, sizes, (size_t)rank * sizeof *dims);
}

void DVT_POLYFILL(TF_OpKernelConstruction_GetAttrPartialShape)(TF_OpKernelConstruction *ctx,
                                                               const char *attr_name, int64_t *dims,
                                                               int max_dims, int *rank, TF_Status *status) {
  int64_t sizes[RANKS];
  int found = shape_attr(ctx, attr_name, sizes, status);
  if (found < -1) return;
  if (found > max_dims) {
    fail(status, TF_INVALID_ARGUMENT, attr_name, "has more dimensions than there is room for");
    return;
  }
  if (found > 0) memcpy(dims, sizes, (size_t)found * sizeof *dims);
  *rank = found;
}

// ---- lists ----

typedef struct shape_room {
  int64_t **dims;
  int *ranks;
  int max_shapes;
  int64_t *storage;
  int storage_size;
  bool must_be_known;
} shape_room;

// NULL, or what is wrong. With `store` false it only checks.
static const char *walk_shapes(bytes list, const shape_room *room, bool store) {
  field f;
  int count = 0, used = 0;
  while (count < room->max_shapes && next_field(&list, &f)) {
    int64_t sizes[RANKS];
    if (f.number != VALUE_SHAPE) return "is not a list of shapes";
    int rank = read_shape(f.content, sizes, RANKS);
    if (rank >= RANKS) return "has a shape of more than 254 dimensions";
    if (room->must_be_known && !is_known(sizes, rank)) return "has a shape that is not known as a whole";
    int stored = rank < 0 ? 0 : rank;
    if (stored > room->storage_size - used) return "has more dimensions than there is room for";
    if (store) {
      if (stored) memcpy(room->storage + used, sizes, (size_t)stored * sizeof *sizes);
      room->dims[count] = room->storage + used;
      room->ranks[count] = rank;
    }
    used += stored;
    count++;
  }
  return NULL;
}

static void shape_list(TF_OpKernelConstruction *ctx, const char *name, const shape_room *room,
                       TF_Status *status) {
  TF_Buffer *node;
  bytes value;
  field list;
  if (find_attr(ctx, name, &node, &value, status)) {
    const char *problem = find_field(value, VALUE_LIST, &list) ? NULL : "is not a list";
    if (!problem) problem = walk_shapes(list.content, room, false);
    if (problem)
      fail(status, TF_INVALID_ARGUMENT, name, problem);
    else
      walk_shapes(list.content, room, true);
  }
  TF_DeleteBuffer(node);
}

void DVT_POLYFILL(TF_OpKernelConstruction_GetAttrPartialShapeList)(TF_OpKernelConstruction *ctx,
                                                                   const char *attr_name, int64_t **dims,
                                                                   int *ranks, int max_shapes,
                                                                   int64_t *storage, int storage_size,
                                                                   TF_Status *status) {
  shape_room room = {dims, ranks, max_shapes, storage, storage_size, false};
  shape_list(ctx, attr_name, &room, status);
}

void DVT_POLYFILL(TF_OpKernelConstruction_GetAttrTensorShapeList)(TF_OpKernelConstruction *ctx,
                                                                  const char *attr_name, int64_t **dims,
                                                                  int *ranks, int max_shapes,
                                                                  int64_t *storage, int storage_size,
                                                                  TF_Status *status) {
  shape_room room = {dims, ranks, max_shapes, storage, storage_size, true};
  shape_list(ctx, attr_name, &room, status);
}

// ---- serialised values ----

TF_Buffer *DVT_POLYFILL(TF_OpKernelConstruction_GetAttrValueProto)(TF_OpKernelConstruction *ctx,
                                                                   const char *attr_name, TF_Status *status) {
  TF_Buffer *node, *copy = NULL;
  bytes value;
  if (find_attr(ctx, attr_name, &node, &value, status)) copy = TF_NewBufferFromString(value.data, value.size);
  TF_DeleteBuffer(node);
  return copy;
}

static int copy_functions(bytes list, TF_Buffer **vals, int max_vals) {
  field f;
  int count = 0;
  while (count < max_vals && next_field(&list, &f)) {
    if (f.number != LIST_FUNC) return -1;
    if (vals) vals[count] = TF_NewBufferFromString(f.content.data, f.content.size);
    count++;
  }
  return count;
}

void DVT_POLYFILL(TF_OpKernelConstruction_GetAttrFunctionList)(TF_OpKernelConstruction *ctx,
                                                               const char *attr_name, TF_Buffer **vals,
                                                               int max_vals, TF_Status *status) {
  TF_Buffer *node;
  bytes value;
  field list;
  if (find_attr(ctx, attr_name, &node, &value, status)) {
    if (!find_field(value, VALUE_LIST, &list) || copy_functions(list.content, NULL, max_vals) < 0)
      fail(status, TF_INVALID_ARGUMENT, attr_name, "is not a list of functions");
    else
      copy_functions(list.content, vals, max_vals);
  }
  TF_DeleteBuffer(node);
}
