// Variables: a tensor that outlives steps. Readers share its buffer; whoever writes in place makes the buffer
// unique first. See resource.h for the two locks.
#include <errno.h>
#include <sched.h>

#include "base/buf.h"
#include "kernel/resource.h"

static void variable_destroy(dvt_object *object) {
  dvt_variable *variable = (dvt_variable *)object;
  dvt_tensor_reset(&variable->value);
  pthread_mutex_destroy(&variable->value_lock);
  pthread_rwlock_destroy(&variable->lock);
  dvt_free(variable->name);
  dvt_free(variable);
}

const dvt_object_type dvt_variable_type = {"Variable", variable_destroy};

dvt_status dvt_variable_create(dvt_str name, int dtype, dvt_object **out_object) {
  dvt_variable *variable = dvt_calloc(1, sizeof *variable);
  if (!variable) return dvt_error_out_of_memory(sizeof *variable);
  variable->name = dvt_strndup(name);
  if (!variable->name) {
    dvt_free(variable);
    return dvt_error_out_of_memory(name.len + 1);
  }
  dvt_object_init(&variable->object, &dvt_variable_type);
  pthread_rwlock_init(&variable->lock, NULL);
  pthread_mutex_init(&variable->value_lock, NULL);
  variable->dtype = dtype;
  *out_object = &variable->object;
  return NULL;
}

bool dvt_variable_lock(dvt_variable *variable, bool exclusive) {
  int result;
  do {
    result = exclusive ? pthread_rwlock_wrlock(&variable->lock) : pthread_rwlock_rdlock(&variable->lock);
    if (result == EAGAIN) sched_yield();  // more readers than the lock can count
  } while (result == EAGAIN);
  return result != EDEADLK;
}

static dvt_status uninitialized(const dvt_variable *variable) {
  return dvt_error(
      TF_FAILED_PRECONDITION,
      "variable %s is uninitialized: assign it first (run the model's initializer or restore a checkpoint)",
      variable->name);
}

dvt_status dvt_variable_read(dvt_variable *variable, TF_Tensor *out) {
  bool locked = dvt_variable_lock(variable, false);
  pthread_mutex_lock(&variable->value_lock);
  dvt_status status = dvt_tensor_is_empty(&variable->value) ? uninitialized(variable)
                                                            : dvt_tensor_init_copy(out, &variable->value);
  pthread_mutex_unlock(&variable->value_lock);
  dvt_variable_unlock(variable, locked);
  return status;
}

bool dvt_variable_has_value(dvt_variable *variable) {
  bool locked = dvt_variable_lock(variable, false);
  pthread_mutex_lock(&variable->value_lock);
  bool is_set = !dvt_tensor_is_empty(&variable->value);
  pthread_mutex_unlock(&variable->value_lock);
  dvt_variable_unlock(variable, locked);
  return is_set;
}

void dvt_variable_clear(dvt_variable *variable) {
  TF_Tensor old = {0};
  bool locked = dvt_variable_lock(variable, true);
  pthread_mutex_lock(&variable->value_lock);
  dvt_tensor_move(&old, &variable->value);
  pthread_mutex_unlock(&variable->value_lock);
  dvt_variable_unlock(variable, locked);
  dvt_tensor_reset(&old);
}

static dvt_status wrong_shape(const dvt_variable *variable, const TF_Tensor *value) {
  dvt_buf have = {0}, got = {0};
  dvt_tensor_describe(&variable->value, 0, &have);
  dvt_tensor_describe(value, 0, &got);
  dvt_status status =
      dvt_error(TF_INVALID_ARGUMENT,
                "Trying to assign to variable with tensor with wrong shape. Variable %s holds " DVT_STR_FMT
                ", the value is " DVT_STR_FMT,
                variable->name, DVT_STR_ARG(dvt_buf_str(&have)), DVT_STR_ARG(dvt_buf_str(&got)));
  dvt_buf_deinit(&have);
  dvt_buf_deinit(&got);
  return status;
}

dvt_status dvt_variable_assign(dvt_variable *variable, const TF_Tensor *value, bool validate_shape) {
  if (!value || dvt_tensor_is_empty(value))
    return dvt_error(TF_INVALID_ARGUMENT, "variable %s: the value to assign is missing", variable->name);
  if (variable->dtype && variable->dtype != value->dtype)
    return dvt_error(TF_INVALID_ARGUMENT, "Trying to assign variable %s with wrong dtype. Expected %s got %s",
                     variable->name, dvt_dtype_name(variable->dtype), dvt_dtype_name(value->dtype));
  TF_Tensor fresh = {0}, old = {0};
  DVT_RETURN_IF_ERROR(value->buffer->owned ? dvt_tensor_init_copy(&fresh, value)
                                           : dvt_tensor_clone(value, &fresh));
  dvt_status status = NULL;
  bool locked = dvt_variable_lock(variable, true);
  pthread_mutex_lock(&variable->value_lock);
  if (validate_shape && !dvt_tensor_is_empty(&variable->value) && !dvt_same_shape(&variable->value, value)) {
    status = wrong_shape(variable, value);
  } else {
    dvt_tensor_move(&old, &variable->value);
    dvt_tensor_move(&variable->value, &fresh);
  }
  pthread_mutex_unlock(&variable->value_lock);
  dvt_variable_unlock(variable, locked);
  dvt_tensor_reset(&old);
  dvt_tensor_reset(&fresh);
  return status;
}

// Replaces the value by a copy of its own.
static dvt_status split(dvt_variable *variable, dvt_copy_fn copy, void *arg) {
  TF_Tensor *value = &variable->value, fresh = {0};
  if (!copy) {
    DVT_RETURN_IF_ERROR(dvt_tensor_clone(value, &fresh));
  } else {
    DVT_RETURN_IF_ERROR(dvt_tensor_init_allocate(&fresh, value->dtype, dvt_tensor_dims(value), value->rank));
    copy(arg, value, &fresh);
  }
  dvt_tensor_reset(value);
  dvt_tensor_move(value, &fresh);
  return NULL;
}

dvt_status dvt_variable_unshare(dvt_variable *variable, dvt_copy_fn copy, void *arg, TF_Tensor *out) {
  pthread_mutex_lock(&variable->value_lock);
  dvt_status status = NULL;
  if (dvt_tensor_is_empty(&variable->value))
    status = uninitialized(variable);
  else if (!variable->value.buffer->owned || !dvt_buffer_is_unique(variable->value.buffer))
    status = split(variable, copy, arg);
  if (!status) status = dvt_tensor_init_copy(out, &variable->value);
  pthread_mutex_unlock(&variable->value_lock);
  return status;
}
