// The shape function of Einsum. Every label of the equation stands for one dim, which all its places share;
// an ellipsis stands for the dims that have no label, which broadcast.
#include "op/shape_fn.h"

enum { LABELS = 256, MAX_OPERANDS = 2 };

typedef struct equation {
  dvt_str inputs[MAX_OPERANDS], output;
  int input_count;
} equation;

static dvt_status parse(dvt_str text, equation *e) {
  size_t arrow = 0;
  *e = (equation){.input_count = 0};
  while (arrow + 1 < text.len && (text.data[arrow] != '-' || text.data[arrow + 1] != '>')) arrow++;
  if (arrow + 1 >= text.len)
    return dvt_error(TF_INVALID_ARGUMENT, "Expecting exactly one '->' in einsum equation: " DVT_STR_FMT,
                     DVT_STR_ARG(text));
  dvt_str left = dvt_str_make(text.data, arrow);
  e->output = dvt_str_drop(text, arrow + 2);
  if (dvt_str_find(e->output, '>') < e->output.len)
    return dvt_error(TF_INVALID_ARGUMENT, "Expecting exactly one '->' in einsum equation: " DVT_STR_FMT,
                     DVT_STR_ARG(text));
  for (bool more = true; more;) {
    size_t n = dvt_str_find(left, ',');
    if (e->input_count == MAX_OPERANDS)
      return dvt_error(TF_INVALID_ARGUMENT, "Expecting 1 or 2 input subscripts in equation '" DVT_STR_FMT "'",
                       DVT_STR_ARG(text));
    e->inputs[e->input_count++] = dvt_str_make(left.data, n);
    more = n < left.len;
    if (more) left = dvt_str_drop(left, n + 1);
  }
  return NULL;
}

// Position of the ellipsis, or -1. Periods anywhere else are an error.
static dvt_status find_ellipsis(dvt_str labels, int *out_at) {
  int periods = 0, first = -1;
  for (size_t i = 0; i < labels.len; i++) {
    if (labels.data[i] != '.') continue;
    if (periods++ == 0) first = (int)i;
  }
  *out_at = first;
  if (periods == 0 || (periods == 3 && labels.data[first + 1] == '.' && labels.data[first + 2] == '.'))
    return NULL;
  return dvt_error(TF_INVALID_ARGUMENT,
                   "Periods found outside of one ellipsis (...) in subscript: " DVT_STR_FMT,
                   DVT_STR_ARG(labels));
}

// The dims of the labels seen so far.
typedef struct label_dims {
  bool seen[LABELS];
  dvt_dim dim[LABELS];
} label_dims;

// Merges what operand `i` tells of its labels; *out_rest are the dims its ellipsis stands for.
static dvt_status take_operand(TF_ShapeInferenceContext *c, dvt_str labels, int i, label_dims *known,
                               dvt_shape *out_rest) {
  dvt_shape shape = c->inputs[i];
  int ellipsis, named;
  DVT_RETURN_IF_ERROR(find_ellipsis(labels, &ellipsis));
  named = (int)labels.len - (ellipsis < 0 ? 0 : 3);
  if (shape && ellipsis < 0) DVT_RETURN_IF_ERROR(dvt_shape_with_rank(c->arena, shape, named, &shape));
  if (shape) DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(shape, named, &shape));
  int rest = shape ? shape->rank - named : 0;
  for (int at = 0, axis = 0; at < (int)labels.len; at++) {
    if (at == ellipsis) {
      at += 2;
      axis += rest;
      continue;
    }
    unsigned char label = (unsigned char)labels.data[at];
    dvt_dim dim = shape ? shape->dims[axis] : dvt_fn_unknown(c);
    if (known->seen[label]) DVT_RETURN_IF_ERROR(dvt_dim_merge(known->dim[label], dim, &dim));
    known->seen[label] = true;
    known->dim[label] = dim;
    axis++;
  }
  if (ellipsis < 0) return dvt_shape_make(c->arena, NULL, 0, false, out_rest);
  *out_rest = NULL;
  return shape ? dvt_shape_make(c->arena, shape->dims + ellipsis, rest, false, out_rest) : NULL;
}

static dvt_status make_output(TF_ShapeInferenceContext *c, const equation *e, const label_dims *known,
                              dvt_shape rest) {
  dvt_dim dims[DVT_MAX_RANK];
  int ellipsis, rank = 0;
  DVT_RETURN_IF_ERROR(find_ellipsis(e->output, &ellipsis));
  if (ellipsis < 0) {
    dvt_status status = dvt_shape_with_rank_at_most(rest, 0, &rest);
    if (status)
      return dvt_status_annotate(
          status,
          " for an einsum equation without ellipsis (...) in the output subscripts where "
          "input(s) have non-empty broadcasting shape");
  } else if (!rest) {
    return NULL;
  }
  for (int at = 0; at < (int)e->output.len; at++) {
    unsigned char label = (unsigned char)e->output.data[at];
    int count = at == ellipsis ? rest->rank : 1;
    if (rank + count > DVT_MAX_RANK)
      return dvt_error(TF_INVALID_ARGUMENT, "the einsum's result has a rank above %d", DVT_MAX_RANK);
    if (at == ellipsis) {
      memcpy(dims + rank, rest->dims, sizeof dims[0] * (size_t)count);
      at += 2;
    } else if (!known->seen[label]) {
      return dvt_error(TF_INVALID_ARGUMENT, "Einsum output subscripts have label '%c', which no input has",
                       label);
    } else {
      dims[rank] = known->dim[label];
    }
    rank += count;
  }
  return dvt_fn_set(c, 0, dims, rank);
}

DVT_SHAPE_FN(einsum, 1, 1) {
  dvt_str text;
  equation e;
  label_dims known = {.seen = {false}};
  dvt_shape rest[MAX_OPERANDS];
  DVT_RETURN_IF_ERROR(dvt_fn_attr_string(c, "equation", &text));
  DVT_RETURN_IF_ERROR(parse(text, &e));
  if (c->node->input_count != e.input_count)
    return dvt_error(TF_INVALID_ARGUMENT, "Expected %d inputs for equation " DVT_STR_FMT " but got: %d",
                     e.input_count, DVT_STR_ARG(text), c->node->input_count);
  for (int i = 0; i < e.input_count; i++) {
    dvt_status status = take_operand(c, e.inputs[i], i, &known, &rest[i]);
    if (status)
      return dvt_status_annotate(status, " for input %d and equation " DVT_STR_FMT, i, DVT_STR_ARG(text));
  }
  if (e.input_count == 2) DVT_RETURN_IF_ERROR(dvt_shape_broadcast(c->arena, rest[0], rest[1], &rest[0]));
  return make_output(c, &e, &known, rest[0]);
}
