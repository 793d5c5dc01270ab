// Ready-made shape functions: general ones, and those of state and control ops.
#include "op/shape_fn.h"
#include "tensor/dtype.h"
#include "tensor/tstring.h"

DVT_SHAPE_FN(unknown, 0, 0) {
  for (int i = 0; i < c->node->output_count; i++) c->outputs[i] = NULL;
  return NULL;
}

DVT_SHAPE_FN(no_outputs, 0, 0) { return infer_unknown(c); }

DVT_SHAPE_FN(scalar, 0, 0) {
  for (int i = 0; i < c->node->output_count; i++) DVT_RETURN_IF_ERROR(dvt_fn_set(c, i, NULL, 0));
  return NULL;
}

DVT_SHAPE_FN(unchanged, 1, 1) {
  c->outputs[0] = c->inputs[0];
  dvt_fn_pass_handle(c, 0, 0);
  return NULL;
}

DVT_SHAPE_FN(unchanged_vector, 1, 1) { return dvt_fn_rank(c, 0, 1, &c->outputs[0]); }

DVT_SHAPE_FN(unchanged_rank_at_least_1, 1, 1) {
  return dvt_shape_with_rank_at_least(c->inputs[0], 1, &c->outputs[0]);
}

DVT_SHAPE_FN(unchanged_rank_at_least_2, 1, 1) {
  return dvt_shape_with_rank_at_least(c->inputs[0], 2, &c->outputs[0]);
}

DVT_SHAPE_FN(unchanged_rank_at_least_3, 1, 1) {
  return dvt_shape_with_rank_at_least(c->inputs[0], 3, &c->outputs[0]);
}

DVT_SHAPE_FN(unchanged_rank_at_most_1, 1, 1) {
  return dvt_shape_with_rank_at_most(c->inputs[0], 1, &c->outputs[0]);
}

DVT_SHAPE_FN(unchanged_matrix, 1, 1) { return dvt_fn_rank(c, 0, 2, &c->outputs[0]); }

DVT_SHAPE_FN(explicit_shape, 0, 1) { return dvt_fn_attr_shape(c, "shape", &c->outputs[0]); }

DVT_SHAPE_FN(explicit_shapes, 0, 0) {
  dvt_str value, proto;
  dvt_attr_list list;
  int count = 0;
  DVT_RETURN_IF_ERROR(dvt_node_attr_or_error(c->node, DVT_STR("shapes"), &value));
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_SHAPE, &list));
  for (; count < c->node->output_count && dvt_attr_list_next(&list, NULL, &proto); count++)
    DVT_RETURN_IF_ERROR(dvt_shape_of_proto(c->arena, proto, &c->outputs[count]));
  if (count == c->node->output_count && !dvt_attr_list_next(&list, NULL, NULL)) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "`shapes` must have one shape for each of the %d outputs",
                   c->node->output_count);
}

DVT_SHAPE_FN(merge_inputs, 1, 1) { return dvt_fn_merge_inputs(c, &c->outputs[0]); }

DVT_SHAPE_FN(identity_list, 0, 0) {
  if (c->node->input_count != c->node->output_count)
    return dvt_error(TF_INVALID_ARGUMENT, "dvt_shape_fn_identity_list: %d inputs but %d outputs",
                     c->node->input_count, c->node->output_count);
  for (int i = 0; i < c->node->output_count; i++) {
    c->outputs[i] = c->inputs[i];
    dvt_fn_pass_handle(c, i, i);
  }
  return NULL;
}

DVT_SHAPE_FN(output_shapes, 0, 0) {
  dvt_str value, proto;
  dvt_attr_info info;
  dvt_attr_list list;
  const char *name = dvt_fn_has_attr(c, "output_shapes") ? "output_shapes" : "_output_shapes";
  if (!dvt_node_attr(c->node, dvt_str_from(name), &value)) return NULL;
  DVT_RETURN_IF_ERROR(dvt_attr_list_open(value, TF_ATTR_SHAPE, &list));
  DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  if (info.list_size == 0) return NULL;
  if (info.list_size != c->node->output_count)
    return dvt_error(TF_INVALID_ARGUMENT, "`%s` has %lld shapes but the node has %d outputs", name,
                     (long long)info.list_size, c->node->output_count);
  for (int i = 0; dvt_attr_list_next(&list, NULL, &proto); i++)
    DVT_RETURN_IF_ERROR(dvt_shape_of_proto(c->arena, proto, &c->outputs[i]));
  return NULL;
}

DVT_SHAPE_FN(iterator_get_next, 1, 0) {
  dvt_shape handle;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 0, &handle));
  return infer_output_shapes(c);
}

// A loop's values keep their shapes unless the attr says otherwise.
DVT_SHAPE_FN(while, 0, 0) {
  dvt_str value;
  dvt_attr_info info = {.list_size = 0};
  if (dvt_node_attr(c->node, DVT_STR("output_shapes"), &value))
    DVT_RETURN_IF_ERROR(dvt_attr_inspect(value, &info));
  if (info.list_size > 0) return infer_output_shapes(c);
  for (int32_t i = 0; i < c->node->output_count && i < c->node->input_count; i++) {
    c->outputs[i] = c->inputs[i];
    if (c->output_handles && c->node->output_types[i] == TF_RESOURCE) dvt_fn_pass_handle(c, i, i);
  }
  return NULL;
}

// Later iterations may bring other shapes, unless the value is the same in all.
DVT_SHAPE_FN(enter, 1, 1) {
  dvt_str value;
  bool is_constant = false;
  if (dvt_node_attr(c->node, DVT_STR("is_constant"), &value))
    DVT_RETURN_IF_ERROR(dvt_attr_get_bool(value, &is_constant));
  if (is_constant) c->outputs[0] = c->inputs[0];
  if (c->output_handles && c->node->output_types[0] == TF_RESOURCE) dvt_fn_pass_handle(c, 0, 0);
  return NULL;
}

DVT_SHAPE_FN(unchanged_scalar, 1, 1) { return dvt_fn_rank(c, 0, 0, &c->outputs[0]); }

DVT_SHAPE_FN(var_handle, 0, 1) {
  dvt_shape_and_type declared = {NULL, 0};
  dvt_str dtype;
  DVT_RETURN_IF_ERROR(dvt_fn_set(c, 0, NULL, 0));
  if (!c->output_handles || !dvt_fn_has_attr(c, "shape") || !dvt_node_attr(c->node, DVT_STR("dtype"), &dtype))
    return NULL;
  DVT_RETURN_IF_ERROR(dvt_fn_attr_shape(c, "shape", &declared.shape));
  DVT_RETURN_IF_ERROR(dvt_attr_get_type(dtype, &declared.dtype));
  return dvt_handle_shapes_make(c->arena, &declared, 1, &c->output_handles[0]);
}

// The shape of the variable behind handle input `input`; unknown when the handle does not tell.
static dvt_shape variable_shape(TF_ShapeInferenceContext *c, int input) {
  const dvt_handle_shapes *handle = dvt_shape_input_handle(c, input);
  return handle && handle->count ? handle->at[0].shape : NULL;
}

DVT_SHAPE_FN(read_variable, 1, 1) {
  dvt_shape handle;
  dvt_str value;
  int dtype;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 0, &handle));
  dvt_shape shape = variable_shape(c, 0);
  if (shape)  // sizes that are not declared may be others at every read
    DVT_RETURN_IF_ERROR(dvt_shape_make(c->arena, shape->dims, shape->rank, true, &c->outputs[0]));
  const dvt_handle_shapes *known = dvt_shape_input_handle(c, 0);
  if (!known || !known->count || !known->at[0].dtype || !dvt_node_attr(c->node, DVT_STR("dtype"), &value))
    return NULL;
  DVT_RETURN_IF_ERROR(dvt_attr_get_type(value, &dtype));
  if (dtype == known->at[0].dtype) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "Trying to read variable with wrong dtype. Expected %s got %s",
                   dvt_dtype_name(known->at[0].dtype), dvt_dtype_name(dtype));
}

DVT_SHAPE_FN(assign_variable, 1, 0) {
  dvt_shape handle, merged, declared = variable_shape(c, 0);
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 0, &handle));
  if (c->node->input_count > 1)
    DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, declared, c->inputs[1], &merged));
  return NULL;
}

DVT_SHAPE_FN(resource_gather, 2, 1) {
  dvt_shape handle, params = variable_shape(c, 0), indices = c->inputs[1], rest;
  int64_t batch = 0;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 0, &handle));
  if (dvt_fn_has_attr(c, "batch_dims")) DVT_RETURN_IF_ERROR(dvt_fn_attr_int(c, "batch_dims", &batch));
  if (!params || !indices) return NULL;
  if (batch < 0) batch += indices->rank;
  if (batch > DVT_MAX_RANK)
    return dvt_error(TF_INVALID_ARGUMENT, "batch_dims is %lld; the highest rank is %d", (long long)batch,
                     DVT_MAX_RANK);
  DVT_RETURN_IF_ERROR(dvt_shape_with_rank_at_least(params, batch + 1, &params));
  DVT_RETURN_IF_ERROR(dvt_shape_slice(c->arena, params, batch + 1, INT64_MAX, &rest));
  return dvt_shape_concat(c->arena, indices, rest, &c->outputs[0]);
}

DVT_SHAPE_FN(variable_shape, 1, 1) {
  dvt_shape variable = variable_shape(c, 0);
  dvt_dim rank = variable ? variable->rank : dvt_fn_unknown(c);
  return dvt_fn_set(c, 0, &rank, 1);
}

// A reference and its new value, which may have another shape where attr `validate_shape` is false.
DVT_SHAPE_FN(assign, 2, 1) {
  bool validate = true;
  if (dvt_fn_has_attr(c, "validate_shape"))
    DVT_RETURN_IF_ERROR(dvt_fn_attr_bool(c, "validate_shape", &validate));
  c->outputs[0] = c->inputs[1];
  return validate ? dvt_shape_merge(c->arena, c->inputs[0], c->inputs[1], &c->outputs[0]) : NULL;
}

// A non-negative number at *at; false when there is none or it overflows.
static bool scan_number(const char **at, const char *end, int64_t *out) {
  const char *p = *at;
  int64_t value = 0;
  while (p < end && *p >= '0' && *p <= '9')
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *p++ - '0', &value))
      return false;
  if (p == *at) return false;
  *at = p;
  *out = value;
  return true;
}

// One element of shape_and_slices: "d0 d1 ... slice", where slice has for each dim "-" (all of it) or
// "start,length", divided by ':'. An empty text says nothing.
static dvt_status parse_slice_spec(TF_ShapeInferenceContext *c, dvt_str spec, dvt_shape *out_shape) {
  int64_t dims[DVT_MAX_RANK];
  const char *at = spec.data, *end = spec.data + spec.len, *last_space = NULL;
  int rank = 0, i = 0;
  if (spec.len == 0) {
    *out_shape = NULL;
    return NULL;
  }
  for (const char *p = at; p < end; p++)
    if (*p == ' ') last_space = p;
  bool ok = true;
  while (ok && last_space && at < last_space) {
    ok = rank < DVT_MAX_RANK && scan_number(&at, last_space, &dims[rank++]) &&
         (at == last_space || *at == ' ');
    if (ok && at < last_space) at++;
  }
  if (last_space) at = last_space + 1;
  for (; ok && at < end; i++) {
    int64_t start;
    if (*at == '-')
      at++;
    else
      ok = i < rank && scan_number(&at, end, &start) && at < end && *at++ == ',' &&
           scan_number(&at, end, &dims[i]);
    if (ok && at < end) ok = *at++ == ':';
  }
  if (!ok || i != rank)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "Could not parse shape_and_slice '" DVT_STR_FMT "'; it looks like \"4 5 0,2:-\"",
                     DVT_STR_ARG(spec));
  return dvt_shape_make(c->arena, dims, rank, false, out_shape);
}

DVT_SHAPE_FN(restore, 3, 0) {
  dvt_shape names, specs;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 0, 0, &names));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 1, &names));
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 2, 1, &specs));
  DVT_RETURN_IF_ERROR(dvt_shape_merge(c->arena, names, specs, &names));
  const TF_Tensor *value = dvt_shape_input_value(c, 2);
  if (!value || value->dtype != TF_STRING) return NULL;
  int64_t count = DVT_MIN(dvt_tensor_count(value), c->node->output_count);
  for (int64_t i = 0; i < count; i++)
    DVT_RETURN_IF_ERROR(
        parse_slice_spec(c, dvt_tstring_view((const TF_TString *)value->data + i), &c->outputs[i]));
  return NULL;
}

DVT_SHAPE_FN(switch, 2, 2) {
  dvt_shape predicate;
  DVT_RETURN_IF_ERROR(dvt_fn_rank(c, 1, 0, &predicate));
  c->outputs[0] = c->outputs[1] = c->inputs[0];
  dvt_fn_pass_handle(c, 0, 0);
  dvt_fn_pass_handle(c, 0, 1);
  return NULL;
}

DVT_SHAPE_FN(merge, 1, 2) {
  dvt_shape common = c->inputs[0];
  for (int i = 1; common && i < c->node->input_count; i++) {
    dvt_shape other = c->inputs[i];
    dvt_dim dims[DVT_MAX_RANK];
    if (other == common) continue;
    if (!other || other->rank != common->rank) {
      common = NULL;
      break;
    }
    for (int d = 0; d < common->rank; d++)
      dims[d] = common->dims[d] == other->dims[d] ? common->dims[d] : dvt_fn_unknown(c);
    DVT_RETURN_IF_ERROR(dvt_shape_make(c->arena, dims, common->rank, false, &common));
  }
  c->outputs[0] = common;
  return dvt_fn_set(c, 1, NULL, 0);
}
