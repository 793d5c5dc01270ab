// Zeros and sums of variants. A plugin's type says how (dvt_value_type), either with arithmetic of its own
// (dvt_object_zeros_like, dvt_object_add) or with that of the kernel that asks, tensor by tensor
// (TF_ZerosLikeVariant, TF_AddNVariant of kernels_experimental.h).
#include "base/buf.h"
#include "capi/lent_tensor.h"
#include "capi/object.h"
#include "kernel/checked.h"
#include "tensorflow/c/kernels_experimental.h"

// What makes a new value: the callbacks of its type, or, where there is a `fn`, the type's map_tensors with
// it.
typedef struct arithmetic {
  TF_OpKernelContext *ctx;
  dvt_tensor_fn fn;
  void *arg;
} arithmetic;

// A variant's object as a plugin's; NULL for an element that holds nothing.
static dvt_status plugins_own(dvt_object *object, const dvt_plugin_object **out_object) {
  if (object && object->type != &dvt_plugin_object_type)
    return dvt_error(TF_UNIMPLEMENTED, "a %s has no zeros and sums", dvt_object_kind(object));
  *out_object = (const dvt_plugin_object *)object;
  return NULL;
}

// An object of what a callback returned or, if it reported an error, that; takes over the value.
static dvt_status new_object(const dvt_value_type *type, void *value, dvt_status error,
                             dvt_object **out_object) {
  if (!error && !value) error = dvt_error(TF_INTERNAL, "a %s was to be made, but is NULL", type->name);
  if (!error) return dvt_plugin_object_new(type, value, out_object);
  dvt_value_destroy(type, value);
  return error;
}

static dvt_status lacks(const dvt_value_type *type, const arithmetic *a, const char *operation,
                        const char *callback) {
  return a->fn
             ? dvt_error(TF_INTERNAL,
                         "objects of type %s cannot %s: their dvt_value_type sets neither map_tensors nor %s",
                         type->name, operation, callback)
             : dvt_error(TF_UNIMPLEMENTED, "objects of type %s cannot %s: their dvt_value_type sets no %s",
                         type->name, operation, callback);
}

// The zeros of one element; of nothing, nothing.
static dvt_status zeros_of(const arithmetic *a, dvt_object *from, dvt_object **out_object) {
  const dvt_plugin_object *source = NULL;
  void *value = NULL;
  DVT_RETURN_IF_ERROR(plugins_own(from, &source));
  if (!source) {
    *out_object = NULL;
    return NULL;
  }
  const dvt_value_type *type = source->type;
  bool maps = a->fn && DVT_VALUE_TYPE_HAS(type, map_tensors);
  if (!maps && !DVT_VALUE_TYPE_HAS(type, zeros_like)) return lacks(type, a, "be made zeros of", "zeros_like");
  TF_Status *result = TF_NewStatus();
  if (!result) return dvt_error_out_of_memory(64);
  value = maps ? type->map_tensors(a->ctx, source->value, NULL, a->fn, a->arg, result)
               : type->zeros_like(a->ctx, source->value, result);
  dvt_status error = new_object(type, value, dvt_status_from_tf(result), out_object);
  TF_DeleteStatus(result);
  return error;
}

static dvt_status sum_of(const arithmetic *a, dvt_object *x, dvt_object *y, dvt_object **out_object) {
  const dvt_plugin_object *left = NULL, *right = NULL;
  DVT_RETURN_IF_ERROR(plugins_own(x, &left));
  DVT_RETURN_IF_ERROR(plugins_own(y, &right));
  if (!left || !right)
    return dvt_error(TF_INVALID_ARGUMENT, "an element that holds no object cannot be added");
  const dvt_value_type *type = left->type;
  if (!dvt_value_type_is(type, right->type))
    return dvt_error(a->fn ? TF_INTERNAL : TF_INVALID_ARGUMENT, "a %s and a %s cannot be added", type->name,
                     right->type->name);
  bool maps = a->fn && DVT_VALUE_TYPE_HAS(type, map_tensors);
  if (!maps && !DVT_VALUE_TYPE_HAS(type, add)) return lacks(type, a, "be added", "add");
  TF_Status *result = TF_NewStatus();
  if (!result) return dvt_error_out_of_memory(64);
  void *value = maps ? type->map_tensors(a->ctx, left->value, right->value, a->fn, a->arg, result)
                     : type->add(a->ctx, left->value, right->value, result);
  dvt_status error = new_object(type, value, dvt_status_from_tf(result), out_object);
  TF_DeleteStatus(result);
  return error;
}

// ---- include/dovetail/object.h ----

static dvt_status variant_element(const TF_Tensor *tensor, int64_t index, dvt_object ***out_element) {
  DVT_RETURN_IF_ERROR(dvt_object_element(tensor, index, out_element));
  if (tensor->dtype == TF_VARIANT) return NULL;
  return dvt_error(TF_INVALID_ARGUMENT, "a tensor of type %s has no zeros and sums; variant has",
                   dvt_dtype_name(tensor->dtype));
}

static void replace(dvt_object **element, dvt_object *object) {
  dvt_object_release(*element);
  *element = object;
}

static dvt_status put_zeros(const arithmetic *a, TF_Tensor *to, int64_t index, const TF_Tensor *from,
                            int64_t from_index) {
  dvt_object **target = NULL, **source = NULL, *zeros = NULL;
  DVT_RETURN_IF_ERROR(variant_element(to, index, &target));
  DVT_RETURN_IF_ERROR(variant_element(from, from_index, &source));
  DVT_RETURN_IF_ERROR(zeros_of(a, *source, &zeros));
  replace(target, zeros);
  return NULL;
}

void dvt_object_zeros_like(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *from,
                           int64_t from_index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_status_to_tf(put_zeros(&(arithmetic){ctx, NULL, NULL}, to, index, from, from_index), status);
}

static dvt_status put_sum(const arithmetic *arithmetic, TF_Tensor *to, int64_t index, const TF_Tensor *a,
                          int64_t a_index, const TF_Tensor *b, int64_t b_index) {
  dvt_object **target = NULL, **left = NULL, **right = NULL, *sum = NULL;
  DVT_RETURN_IF_ERROR(variant_element(to, index, &target));
  DVT_RETURN_IF_ERROR(variant_element(a, a_index, &left));
  DVT_RETURN_IF_ERROR(variant_element(b, b_index, &right));
  DVT_RETURN_IF_ERROR(sum_of(arithmetic, *left, *right, &sum));
  replace(target, sum);
  return NULL;
}

void dvt_object_add(TF_OpKernelContext *ctx, TF_Tensor *to, int64_t index, const TF_Tensor *a,
                    int64_t a_index, const TF_Tensor *b, int64_t b_index, TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  dvt_status_to_tf(put_sum(&(arithmetic){ctx, NULL, NULL}, to, index, a, a_index, b, b_index), status);
}

// ---- the kernel's own arithmetic ----

// The callback of the kernel, for the tensors in values.
typedef struct kernel_callback {
  void (*add)(TF_OpKernelContext *ctx, TF_Tensor *a, TF_Tensor *b, TF_Tensor *out);
  void (*zeros)(TF_OpKernelContext *ctx, TF_Tensor *input, TF_Tensor *out);
} kernel_callback;

static dvt_status fits(const TF_Tensor *a, const TF_Tensor *b) {
  if (!b || (a->dtype == b->dtype && dvt_same_shape(a, b))) return NULL;
  dvt_buf x = {0}, y = {0};
  dvt_tensor_describe(a, 0, &x);
  dvt_tensor_describe(b, 0, &y);
  dvt_status status = dvt_error(TF_INVALID_ARGUMENT,
                                "the tensors in two variants cannot be added: " DVT_STR_FMT
                                " and " DVT_STR_FMT " differ in dtype or shape",
                                DVT_STR_ARG(dvt_buf_str(&x)), DVT_STR_ARG(dvt_buf_str(&y)));
  dvt_buf_deinit(&x);
  dvt_buf_deinit(&y);
  return status;
}

// Tensors of variants in a value: the callback gets what lies within, as stock does for zeros.
static dvt_status make_nested(const arithmetic *within, const TF_Tensor *a, const TF_Tensor *b,
                              TF_Tensor *out) {
  int64_t count = dvt_tensor_count(a);
  for (int64_t i = 0; i < count; i++)
    DVT_RETURN_IF_ERROR(b ? put_sum(within, out, i, a, i, b, i) : put_zeros(within, out, i, a, i));
  return NULL;
}

static dvt_status call_back(TF_OpKernelContext *ctx, const kernel_callback *callback, const TF_Tensor *a,
                            const TF_Tensor *b, const TF_Tensor *out) {
  dvt_lent_tensor x = {0}, y = {0}, z = {0};
  dvt_status status = dvt_tensor_lend(a, &x);
  if (!status && b) status = dvt_tensor_lend(b, &y);
  if (!status) status = dvt_tensor_lend(out, &z);
  if (!status && b) callback->add(ctx, x.handle, y.handle, z.handle);
  if (!status && !b) callback->zeros(ctx, x.handle, z.handle);
  dvt_tensor_take_back(ctx, &x);
  dvt_tensor_take_back(ctx, &y);
  dvt_tensor_take_back(ctx, &z);
  return status ? status : dvt_context_failure(ctx);
}

// A dvt_tensor_fn.
static TF_Tensor *make_tensor(TF_OpKernelContext *ctx, void *arg, const TF_Tensor *a, const TF_Tensor *b,
                              TF_Status *status) {
  TF_Tensor *out = NULL;
  dvt_status error = fits(a, b);
  if (!error) error = dvt_context_allocate_temp(ctx, a->dtype, dvt_tensor_dims(a), a->rank, &out);
  if (!error)
    error = a->dtype == TF_VARIANT ? make_nested(&(arithmetic){ctx, make_tensor, arg}, a, b, out)
                                   : call_back(ctx, arg, a, b, out);
  if (error) {
    dvt_tensor_handle_delete(out);
    out = NULL;
  }
  dvt_status_to_tf(error, status);
  return out;
}

static dvt_status variant_input(TF_OpKernelContext *ctx, int i, const char *function,
                                const TF_Tensor **out_tensor) {
  const TF_Tensor *input = i < ctx->input_count ? ctx->inputs[i] : NULL;
  if (!input || dvt_tensor_is_empty(input) || !dvt_tensor_holds_objects(input) || input->dtype != TF_VARIANT)
    return dvt_error(TF_INVALID_ARGUMENT, "%s wants variants, but input %d of {{node " DVT_STR_FMT "}} is %s",
                     function, i, DVT_STR_ARG(ctx->kernel->node->name),
                     input && !dvt_tensor_is_empty(input) ? dvt_dtype_name(input->dtype) : "missing");
  if (input->rank > 0)
    return dvt_error(TF_INVALID_ARGUMENT,
                     "%s is for scalars, but input %d of {{node " DVT_STR_FMT "}} has rank %d", function, i,
                     DVT_STR_ARG(ctx->kernel->node->name), (int)input->rank);
  *out_tensor = input;
  return NULL;
}

// Output 0 becomes a scalar variant with the object, whose reference is taken over.
static dvt_status output_variant(TF_OpKernelContext *ctx, dvt_object *object) {
  TF_Tensor out = {0};
  dvt_status status = dvt_tensor_init_allocate(&out, TF_VARIANT, NULL, 0);
  if (status) {
    dvt_object_release(object);
    return status;
  }
  *(dvt_object **)out.data = object;
  status = dvt_context_set_output_value(ctx, 0, &out);
  dvt_tensor_reset(&out);
  return status;
}

// `to` += `from`, in an array of references.
static dvt_status accumulate(const arithmetic *a, dvt_object **to, dvt_object **from) {
  dvt_object *sum = NULL;
  DVT_RETURN_IF_ERROR(sum_of(a, *to, *from, &sum));
  replace(to, sum);
  replace(from, NULL);
  return NULL;
}

// Pairs, then pairs of sums, and so on; what is left over goes to the first. Stock's order, so that rounding
// is the same.
static dvt_status sum_in_pairs(const arithmetic *a, dvt_object **objects, int n) {
  for (int skip = 1; skip < n; skip *= 2) {
    int i = skip;
    for (; i < n; i += 2 * skip) DVT_RETURN_IF_ERROR(accumulate(a, &objects[i - skip], &objects[i]));
    if (i == n) {
      DVT_RETURN_IF_ERROR(accumulate(a, &objects[0], &objects[i - skip]));
      n -= skip;
    }
  }
  return NULL;
}

static dvt_status add_all(const arithmetic *a) {
  TF_OpKernelContext *ctx = a->ctx;
  int count = ctx->input_count;
  if (count < 1) return dvt_error(TF_INVALID_ARGUMENT, "TF_AddNVariant: the node has no inputs");
  dvt_object **objects = dvt_calloc((size_t)count, sizeof *objects);
  if (!objects) return dvt_error_out_of_memory((size_t)count * sizeof *objects);
  dvt_status status = NULL;
  for (int i = 0; i < count && !status; i++) {
    const TF_Tensor *input = NULL;
    status = variant_input(ctx, i, "TF_AddNVariant", &input);
    if (!status) objects[i] = dvt_object_retain(*(dvt_object *const *)input->data);
  }
  if (!status) status = sum_in_pairs(a, objects, count);
  if (!status) {
    status = output_variant(ctx, objects[0]);
    objects[0] = NULL;
  }
  for (int i = 0; i < count; i++) dvt_object_release(objects[i]);
  dvt_free(objects);
  return status;
}

static void answer(TF_OpKernelContext *ctx, dvt_status error, TF_Status *status) {
  dvt_context_fail(ctx, dvt_status_clone(error));
  dvt_status_to_tf(error, status);
}

void TF_AddNVariant(TF_OpKernelContext *ctx,
                    void (*binary_add_func)(TF_OpKernelContext *ctx, TF_Tensor *a, TF_Tensor *b,
                                            TF_Tensor *out),
                    TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  kernel_callback callback = {.add = binary_add_func};
  answer(ctx,
         binary_add_func ? add_all(&(arithmetic){ctx, make_tensor, &callback})
                         : dvt_error(TF_INVALID_ARGUMENT, "TF_AddNVariant: binary_add_func is NULL"),
         status);
}

static dvt_status make_zeros(const arithmetic *a) {
  const TF_Tensor *input = NULL;
  dvt_object *zeros = NULL;
  DVT_RETURN_IF_ERROR(variant_input(a->ctx, 0, "TF_ZerosLikeVariant", &input));
  DVT_RETURN_IF_ERROR(zeros_of(a, *(dvt_object *const *)input->data, &zeros));
  return output_variant(a->ctx, zeros);
}

void TF_ZerosLikeVariant(TF_OpKernelContext *ctx,
                         void (*zeros_like_func)(TF_OpKernelContext *ctx, TF_Tensor *input, TF_Tensor *out),
                         TF_Status *status) {
  if (dvt_context_refuses(ctx, __func__, status)) return;
  kernel_callback callback = {.zeros = zeros_like_func};
  answer(ctx,
         zeros_like_func ? make_zeros(&(arithmetic){ctx, make_tensor, &callback})
                         : dvt_error(TF_INVALID_ARGUMENT, "TF_ZerosLikeVariant: zeros_like_func is NULL"),
         status);
}
