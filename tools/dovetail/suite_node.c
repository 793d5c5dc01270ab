// The graph of a case: placeholders, what makes their values over where that is asked, and the node itself
// with its attributes.
#include <stdlib.h>

#include "suite.h"

// ---- types of arguments ----

typedef struct arg_type {
  TF_DataType fixed;
  int type_attr, list_attr, number_attr;  // -1: none
  bool is_ref;
} arg_type;

static arg_type arg_type_of(const suite_op *op, const char *text) {
  arg_type out = {0, -1, -1, -1, strncmp(text, "Ref(", 4) == 0};
  char name[128];
  const char *star = strstr(text, " * ");
  if (star) {
    snprintf(name, sizeof name, "%.*s", (int)(star - text), text);
    out.number_attr = suite_attr_find(op, name);
    text = star + 3;
  }
  int attr = suite_attr_find(op, text);
  if (attr < 0)
    out.fixed = suite_dtype(text, strlen(text));
  else if (strcmp(op->attrs[attr].type, "list(type)") == 0)
    out.list_attr = attr;
  else
    out.type_attr = attr;
  return out;
}

// ---- attributes ----

static int64_t plain_int(const suite_attr *attr) {
  return attr->has_minimum && attr->minimum > 1 ? attr->minimum : 1;
}

static TF_DataType first_dtype(const char *allowed) {
  TF_DataType list[32];
  int count = suite_dtype_list(allowed, list);
  for (int i = 0; i < count; i++)
    if (list[i] == TF_FLOAT) return TF_FLOAT;
  return count ? list[0] : TF_FLOAT;
}

static int64_t list_length(const suite_attr *attr, const json_value *given, int64_t otherwise) {
  if (given && given->kind == JSON_ARRAY) return given->count;
  return attr->has_minimum && attr->minimum > otherwise ? attr->minimum : otherwise;
}

static TF_DataType dtype_at(const suite_attr *attr, const json_value *given, int64_t i) {
  const json_value *item = given ? given->first : NULL;
  while (item && i-- > 0) item = item->next;
  return item && item->text ? suite_dtype(item->text, strlen(item->text)) : first_dtype(attr->allowed);
}

static int64_t number_of(const suite_case *c, int attr) {
  const json_value *given = c->given[attr];
  if (given && given->kind == JSON_NUMBER) return given->integer;
  const suite_attr *a = &c->op->attrs[attr];
  return a->has_minimum && a->minimum > 2 ? a->minimum : 2;
}

bool suite_case_slots(suite_case *c, const char **out_reason) {
  const suite_op *op = c->op;
  c->slot_count = 0;
  for (int i = 0; i < op->input_count; i++) {
    arg_type type = arg_type_of(op, op->inputs[i].type);
    int64_t count = 1;
    if (type.number_attr >= 0) count = number_of(c, type.number_attr);
    if (type.list_attr >= 0) count = list_length(&op->attrs[type.list_attr], c->given[type.list_attr], 2);
    *out_reason = type.is_ref ? "takes a reference" : "has too many inputs";
    if (type.is_ref || count < 0 || c->slot_count + count > SUITE_MAX_SLOTS) return false;
    c->arg_sizes[i] = (int)count;
    for (int64_t k = 0; k < count; k++) {
      TF_DataType dtype = type.fixed;
      if (type.type_attr >= 0) dtype = c->types[type.type_attr];
      if (type.list_attr >= 0) dtype = dtype_at(&op->attrs[type.list_attr], c->given[type.list_attr], k);
      *out_reason = dtype == TF_RESOURCE  ? "takes a resource"
                    : dtype == TF_VARIANT ? "takes a variant"
                                          : "takes a dtype that cannot be made up";
      if (!suite_value_can_be_made(dtype)) return false;
      c->slots[c->slot_count++] = (suite_slot){.arg = i, .dtype = dtype};
    }
  }
  return true;
}

// Do the inputs tell the attribute?
static bool is_inferred(const suite_case *c, int attr) {
  for (int i = 0; i < c->op->input_count; i++) {
    arg_type type = arg_type_of(c->op, c->op->inputs[i].type);
    if (type.type_attr == attr || type.list_attr == attr || type.number_attr == attr) return true;
  }
  return false;
}

// The first of "'SAME', 'VALID'".
static const char *first_text(const char *allowed, char out[128]) {
  const char *begin = strpbrk(allowed, "'\""), *end = begin ? strchr(begin + 1, *begin) : NULL;
  out[0] = '\0';
  if (end) snprintf(out, 128, "%.*s", (int)(end - begin - 1), begin + 1);
  return out;
}

static bool set_list(TF_OperationDescription *desc, const suite_attr *attr, const json_value *given) {
  int64_t ints[64], dims[64][SUITE_MAX_RANK];
  float floats[64];
  unsigned char bools[64];
  const void *texts[64];
  size_t lengths[64];
  TF_DataType types[64];
  const int64_t *shapes[64];
  int ranks[64];
  char plain[128];
  int count = (int)DVT_MIN(list_length(attr, given, 1), (int64_t)64);
  const json_value *item = given ? given->first : NULL;
  first_text(attr->allowed, plain);
  for (int i = 0; i < count; i++, item = item ? item->next : NULL) {
    suite_shape shape = {1, {1}};
    if (item && item->kind == JSON_ARRAY) {
      shape.rank = 0;
      for (const json_value *d = item->first; d && shape.rank < SUITE_MAX_RANK; d = d->next)
        shape.dims[shape.rank++] = d->integer;
    }
    ints[i] = item ? item->integer : 1;
    floats[i] = item ? (float)item->number : 1;
    bools[i] = item ? item->truth : 1;
    texts[i] = item && item->text ? item->text : plain;
    lengths[i] = strlen(texts[i]);
    types[i] = dtype_at(attr, given, i);
    memcpy(dims[i], shape.dims, sizeof dims[i]);
    shapes[i] = dims[i];
    ranks[i] = shape.rank;
  }
  const char *of = attr->type + strlen("list(");
  if (strncmp(of, "int", 3) == 0)
    TF_SetAttrIntList(desc, attr->name, ints, count);
  else if (strncmp(of, "float", 5) == 0)
    TF_SetAttrFloatList(desc, attr->name, floats, count);
  else if (strncmp(of, "bool", 4) == 0)
    TF_SetAttrBoolList(desc, attr->name, bools, count);
  else if (strncmp(of, "string", 6) == 0)
    TF_SetAttrStringList(desc, attr->name, texts, lengths, count);
  else if (strncmp(of, "type", 4) == 0)
    TF_SetAttrTypeList(desc, attr->name, types, count);
  else if (strncmp(of, "shape", 5) == 0)
    TF_SetAttrShapeList(desc, attr->name, shapes, ranks, count);
  else
    return false;
  return true;
}

static bool set_tensor(TF_OperationDescription *desc, const suite_case *c, const suite_attr *attr,
                       const json_value *given, TF_Status *status) {
  suite_shape shape = {0};
  const json_value *dtype = json_member(given, "dtype");
  int type_attr = suite_attr_find(c->op, "dtype");
  TF_DataType type = dtype && dtype->text ? suite_dtype(dtype->text, strlen(dtype->text)) : TF_FLOAT;
  if (!dtype && type_attr >= 0 && c->types[type_attr]) type = c->types[type_attr];
  suite_spec_shape(given, &shape);
  TF_Tensor *value = suite_value(type, &shape, SUITE_ORDINARY, 1, given);
  if (value) TF_SetAttrTensor(desc, attr->name, value, status);
  TF_DeleteTensor(value);
  return value != NULL;
}

static bool set_attr(TF_OperationDescription *desc, const suite_case *c, int index, TF_Status *status) {
  const suite_attr *attr = &c->op->attrs[index];
  const json_value *given = c->given[index];
  char plain[128];
  bool done = true;
  if (is_inferred(c, index)) return true;
  if (strcmp(attr->type, "type") == 0) {
    if (c->types[index]) TF_SetAttrType(desc, attr->name, c->types[index]);
    return true;
  }
  if (!given && attr->default_value) return true;
  if (strncmp(attr->type, "list(", 5) == 0) {
    done = set_list(desc, attr, given);
  } else if (strcmp(attr->type, "int") == 0) {
    TF_SetAttrInt(desc, attr->name, given ? given->integer : plain_int(attr));
  } else if (strcmp(attr->type, "float") == 0) {
    TF_SetAttrFloat(desc, attr->name, given ? (float)given->number : 1);
  } else if (strcmp(attr->type, "bool") == 0) {
    TF_SetAttrBool(desc, attr->name, given ? given->truth : 1);
  } else if (strcmp(attr->type, "string") == 0) {
    const char *text = given && given->text ? given->text : first_text(attr->allowed, plain);
    TF_SetAttrString(desc, attr->name, text, strlen(text));
  } else if (strcmp(attr->type, "shape") == 0) {
    suite_shape shape = {1, {2}};
    if (given && given->kind == JSON_ARRAY) {
      shape.rank = 0;
      for (const json_value *d = given->first; d && shape.rank < SUITE_MAX_RANK; d = d->next)
        shape.dims[shape.rank++] = d->integer;
    }
    TF_SetAttrShape(desc, attr->name, shape.dims, shape.rank);
  } else if (strcmp(attr->type, "tensor") == 0) {
    done = set_tensor(desc, c, attr, given, status);
  } else {
    done = false;
  }
  if (!done)
    cli_fail(status, TF_UNIMPLEMENTED, "no value can be made up for the attribute '%s' (%s)", attr->name,
             attr->type);
  return done;
}

// ---- the graph ----

static TF_Operation *placeholder(TF_Graph *graph, const suite_slot *slot, int index, bool known,
                                 TF_Status *status) {
  char name[32];
  snprintf(name, sizeof name, "input_%d", index);
  TF_OperationDescription *desc = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(desc, "dtype", slot->dtype);
  if (known) TF_SetAttrShape(desc, "shape", slot->shape.dims, slot->shape.rank);
  return TF_FinishOperation(desc, status);
}

// A node whose output is all its own: the kernel after it may take its memory over.
static TF_Operation *made_over(TF_Graph *graph, TF_Output from, int index, TF_Status *status) {
  char name[32];
  snprintf(name, sizeof name, "fresh_%d", index);
  TF_OperationDescription *desc = TF_NewOperation(graph, "OnesLike", name);
  TF_AddInput(desc, from);
  return TF_FinishOperation(desc, status);
}

bool suite_graph_build(const suite_case *c, suite_wiring wiring, suite_graph *out, TF_Status *status) {
  TF_Output ends[SUITE_MAX_SLOTS];
  *out = (suite_graph){.graph = TF_NewGraph()};
  for (int i = 0; i < c->slot_count; i++) {
    int from = wiring == SUITE_SAME ? 0 : i;
    if (from == i) {
      TF_Operation *node = placeholder(out->graph, &c->slots[i], i, wiring == SUITE_KNOWN, status);
      if (!node) return false;
      out->feeds[i] = ends[i] = (TF_Output){node, 0};
      if (wiring == SUITE_FRESH && !(node = made_over(out->graph, ends[i], i, status))) return false;
      ends[i] = (TF_Output){node, 0};
    }
    ends[i] = ends[from];
  }
  TF_OperationDescription *desc = TF_NewOperation(out->graph, c->op->name, "tested");
  for (int i = 0, at = 0; i < c->op->input_count; at += c->arg_sizes[i++]) {
    arg_type type = arg_type_of(c->op, c->op->inputs[i].type);
    if (type.number_attr >= 0 || type.list_attr >= 0)
      TF_AddInputList(desc, ends + at, c->arg_sizes[i]);
    else
      TF_AddInput(desc, ends[at]);
  }
  bool good = true;
  for (int i = 0; i < c->op->attr_count && good; i++) good = set_attr(desc, c, i, status);
  if (c->kernel->label[0]) TF_SetAttrString(desc, "_kernel", c->kernel->label, strlen(c->kernel->label));
  TF_Status *finish = TF_NewStatus();
  out->node = TF_FinishOperation(desc, finish);
  if (good && !out->node) TF_SetStatus(status, TF_GetCode(finish), TF_Message(finish));
  TF_DeleteStatus(finish);
  return good && out->node;
}

void suite_graph_free(suite_graph *graph) {
  if (graph->graph) TF_DeleteGraph(graph->graph);
  *graph = (suite_graph){0};
}
