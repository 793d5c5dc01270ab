// Keeping what was made from unchanged inputs: see kept.h.
#include "common/kept.h"

#include <stdlib.h>
#include <string.h>

void dvp_keeper_init(dvp_keeper *keeper) {
  pthread_mutex_init(&keeper->lock, NULL);
  keeper->kept = NULL;
}

void dvp_keeper_deinit(dvp_keeper *keeper) {
  dvp_kept_release(keeper->kept);
  pthread_mutex_destroy(&keeper->lock);
}

void dvp_kept_release(dvp_kept *kept) {
  if (!kept || atomic_fetch_sub(&kept->users, 1) > 1) return;
  for (int i = 0; i < kept->input_count; i++) TF_DeleteTensor(kept->inputs[i]);
  TF_DeleteTensor(kept->memory);
  free(kept);
}

bool dvp_inputs_are_stable(dvp_call *call, const int *inputs, int count) {
  for (int i = 0; i < count; i++)
    if (!dvt_input_is_stable(call->ctx, inputs[i])) return false;
  return true;
}

static bool is_for(dvp_call *call, const dvp_kept *kept, const int *inputs, int count,
                   const int64_t dims[2]) {
  if (!kept || memcmp(kept->dims, dims, sizeof(kept->dims)) != 0) return false;
  bool same = true;
  for (int i = 0; same && i < count; i++) {
    TF_Tensor *now = NULL;
    TF_GetInput(call->ctx, inputs[i], &now, call->status);
    same = TF_GetCode(call->status) == TF_OK && TF_TensorData(now) == TF_TensorData(kept->inputs[i]);
    TF_DeleteTensor(now);
  }
  return same;
}

static dvp_kept *make_new(dvp_call *call, const int *inputs, int count, const int64_t dims[2], int64_t floats,
                          bool (*make)(dvp_call *call, void *arg, dvp_kept *kept), void *arg) {
  dvp_kept *kept = calloc(1, sizeof(*kept));
  size_t bytes;
  if (kept && !__builtin_mul_overflow((size_t)floats, sizeof(float), &bytes))
    kept->memory = dvt_allocate_lasting(bytes);
  if (!kept || !kept->memory) {
    free(kept);
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory for %lld numbers made from constant inputs",
             (long long)floats);
    return NULL;
  }
  kept->data = TF_TensorData(kept->memory);
  atomic_init(&kept->users, 1);
  memcpy(kept->dims, dims, sizeof(kept->dims));
  bool fine = true;
  for (int i = 0; fine && i < count; i++) {
    TF_GetInput(call->ctx, inputs[i], &kept->inputs[i], call->status);
    fine = dvp_ok(call);
    if (fine) kept->input_count++;
  }
  if (fine && make(call, arg, kept)) return kept;
  dvp_kept_release(kept);
  return NULL;
}

static dvp_kept *find(dvp_call *call, dvp_keeper *keeper, const int *inputs, int count,
                      const int64_t dims[2]) {
  pthread_mutex_lock(&keeper->lock);
  dvp_kept *kept = is_for(call, keeper->kept, inputs, count, dims) ? keeper->kept : NULL;
  if (kept) atomic_fetch_add(&kept->users, 1);
  pthread_mutex_unlock(&keeper->lock);
  return kept;
}

// `make` may compute on the pool, whose threads may meanwhile run another step of the same node: the lock is
// not held. Steps that start together may each make their own.
dvp_kept *dvp_keeper_get(dvp_call *call, dvp_keeper *keeper, const int *inputs, int count,
                         const int64_t dims[2], int64_t floats,
                         bool (*make)(dvp_call *call, void *arg, dvp_kept *kept), void *arg) {
  dvp_kept *kept = find(call, keeper, inputs, count, dims);
  if (kept) return kept;
  kept = make_new(call, inputs, count, dims, floats, make, arg);
  if (!kept) return NULL;
  atomic_fetch_add(&kept->users, 1);
  pthread_mutex_lock(&keeper->lock);
  dvp_kept *old = keeper->kept;
  keeper->kept = kept;
  pthread_mutex_unlock(&keeper->lock);
  dvp_kept_release(old);
  return kept;
}
