// SaveV2 and MergeV2Checkpoints: checkpoints from tensors and from other checkpoints.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/plugin.h"
#include "dovetail/checkpoint.h"
#include "state/slice.h"
#include "state/text.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/env.h"
#include "tensorflow/c/tf_tstring.h"

// Names and handles of what a checkpoint will hold.
typedef struct contents {
  int count, capacity;
  char **names;
  TF_Tensor **tensors;
  // SaveV2 only: by tensor, NULL for a whole one.
  const dvt_checkpoint_slice **slices;
} contents;

static void release(contents *c) {
  for (int i = 0; i < c->count; i++) {
    free(c->names[i]);
    TF_DeleteTensor(c->tensors[i]);
    if (c->slices) free((void *)c->slices[i]);
  }
  free(c->slices);
  free(c->names);
  free(c->tensors);
}

// Takes both over, also on failure.
static bool add(dvp_call *call, contents *c, char *name, TF_Tensor *tensor) {
  if (name && tensor && c->count == c->capacity) {
    int capacity = c->capacity ? 2 * c->capacity : 64;
    char **names = realloc(c->names, (size_t)capacity * sizeof(*names));
    if (names) c->names = names;
    TF_Tensor **tensors = realloc(c->tensors, (size_t)capacity * sizeof(*tensors));
    if (tensors) c->tensors = tensors;
    if (names && tensors) c->capacity = capacity;
  }
  if (!name || !tensor || c->count == c->capacity) {
    free(name);
    TF_DeleteTensor(tensor);
    return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  }
  c->names[c->count] = name;
  c->tensors[c->count++] = tensor;
  return true;
}

static bool save(dvp_call *call, const char *prefix, const contents *c) {
  dvt_checkpoint_save_slices(prefix, (const char *const *)c->names, (const TF_Tensor *const *)c->tensors,
                             c->slices, c->count, call->status);
  return dvp_ok(call);
}

// A slice and its text in one block, for free().
typedef struct parsed {
  dvt_checkpoint_slice slice;
  dvs_slice spec;
} parsed;

static bool add_slice(dvp_call *call, contents *c, const dvp_view *slices, int i) {
  char *text = dvp_text_of(slices, i);
  parsed *p = text && *text ? malloc(sizeof(*p)) : NULL;
  bool fine = text && (!*text || p);
  if (!fine) dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  if (p) {
    fine = dvs_slice_parse(call, text, c->names[i], &p->spec);
    p->slice = (dvt_checkpoint_slice){p->spec.rank, p->spec.dims, p->spec.begin, p->spec.size};
    c->slices[i] = &p->slice;
  }
  free(text);
  return fine;
}

static bool collect(dvp_call *call, contents *c, const dvp_view *names, const dvp_view *slices) {
  c->slices = calloc((size_t)names->count + 1, sizeof(*c->slices));
  if (!c->slices) return dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  for (int i = 0; i < names->count; i++) {
    TF_Tensor *tensor = NULL;
    TF_GetInput(call->ctx, 3 + i, &tensor, call->status);
    if (!dvp_ok(call) || !add(call, c, dvp_text_of(names, i), tensor) || !add_slice(call, c, slices, i))
      return false;
  }
  return true;
}

DVP_COMPUTE(save_v2_compute) {
  (void)state;
  dvp_view prefix, names, slices;
  contents c = {0};
  int count = TF_NumInputs(call->ctx) - 3;
  if (!dvp_input(call, 0, &prefix) || !dvp_input(call, 1, &names) || !dvp_input(call, 2, &slices)) return;
  if (prefix.count != 1 || names.rank != 1 || slices.rank != 1 || names.count != count ||
      slices.count != count) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "SaveV2 wants one prefix and as many tensor names and slices as tensors (%d), but got %" PRId64
             ", %" PRId64 " and %" PRId64,
             count, prefix.count, names.count, slices.count);
    return;
  }
  char *path = dvp_text_of(&prefix, 0);
  if (!path)
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  else if (collect(call, &c, &names, &slices))
    save(call, path, &c);
  release(&c);
  free(path);
}
DVP_DEFINE_ANY(save_v2, NULL, NULL, save_v2_compute);

// ---- merging ----

typedef struct merge_state {
  bool delete_old, allow_missing;
} merge_state;

static void *merge_create(TF_OpKernelConstruction *ctx) {
  merge_state *state = dvp_state_new(ctx, sizeof(*state));
  if (!state) return NULL;
  state->delete_old = dvp_attr_bool(ctx, "delete_old_dirs");
  state->allow_missing = dvp_attr_bool(ctx, "allow_missing_files");
  return state;
}
static void merge_destroy(void *state) { free(state); }

// Adds everything in the checkpoint `prefix`.
static bool read_all(dvp_call *call, const char *prefix, bool allow_missing, contents *c) {
  TF_CheckpointReader *reader = TF_NewCheckpointReader(prefix, call->status);
  if (allow_missing && TF_GetCode(call->status) == TF_NOT_FOUND) {
    TF_SetStatus(call->status, TF_OK, "");
    return true;
  }
  if (!dvp_ok(call)) return false;
  bool fine = true;
  for (int i = 0; fine && i < TF_CheckpointReaderSize(reader); i++) {
    const char *name = TF_CheckpointReaderGetVariable(reader, i);
    TF_Tensor *tensor = TF_CheckpointReaderGetTensor(reader, name, call->status);
    fine = dvp_ok(call) && add(call, c, strdup(name), tensor);
  }
  TF_DeleteCheckpointReader(reader);
  return fine;
}

// Removes the files of a checkpoint, and its folder if it is empty then. What cannot be removed stays: the
// new checkpoint is complete without it.
static void remove_checkpoint(const char *prefix) {
  TF_Status *status = TF_NewStatus();
  const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
  char *folder = slash ? strndup(prefix, (size_t)(slash - prefix)) : strdup(".");
  TF_StringStream *children = folder ? TF_GetChildren(folder, status) : NULL;
  const char *child;
  while (children && TF_StringStreamNext(children, &child)) {
    size_t bytes = strlen(folder) + strlen(child) + 2, base_bytes = strlen(base);
    if (strncmp(child, base, base_bytes) != 0) continue;
    if (strcmp(child + base_bytes, ".index") != 0 && strncmp(child + base_bytes, ".data-", 6) != 0) continue;
    char *path = malloc(bytes);
    if (!path) break;
    snprintf(path, bytes, "%s/%s", folder, child);
    TF_DeleteFile(path, status);
    free(path);
  }
  if (children) TF_StringStreamDone(children);
  if (slash && folder) TF_DeleteDir(folder, status);
  free(folder);
  TF_DeleteStatus(status);
}

static bool merge(dvp_call *call, const merge_state *options, char **prefixes, int64_t count,
                  const char *to) {
  contents c = {0};
  bool fine = true;
  for (int64_t i = 0; fine && i < count; i++) fine = read_all(call, prefixes[i], options->allow_missing, &c);
  if (fine && c.count == 0 && count > 0)
    fine = dvp_fail(call, TF_INVALID_ARGUMENT, "none of the %" PRId64 " checkpoints to merge exists", count);
  fine = fine && save(call, to, &c);
  release(&c);
  for (int64_t i = 0; fine && options->delete_old && i < count; i++)
    if (strcmp(prefixes[i], to) != 0) remove_checkpoint(prefixes[i]);
  return fine;
}

DVP_COMPUTE(merge_compute) {
  dvp_view from, to;
  if (!dvp_input(call, 0, &from) || !dvp_input(call, 1, &to)) return;
  if (from.rank != 1 || to.rank != 0) {
    dvp_fail(call, TF_INVALID_ARGUMENT,
             "MergeV2Checkpoints wants a vector of prefixes and one destination, but got ranks %d and %d",
             from.rank, to.rank);
    return;
  }
  char **prefixes = calloc((size_t)from.count + 1, sizeof(*prefixes)), *path = dvp_text_of(&to, 0);
  bool fine = prefixes && path;
  for (int64_t i = 0; fine && i < from.count; i++) fine = (prefixes[i] = dvp_text_of(&from, i)) != NULL;
  if (fine)
    merge(call, state, prefixes, from.count, path);
  else
    dvp_fail(call, TF_RESOURCE_EXHAUSTED, "Out of memory");
  for (int64_t i = 0; prefixes && i < from.count; i++) free(prefixes[i]);
  free(prefixes);
  free(path);
}
DVP_DEFINE_ANY(merge_v2_checkpoints, merge_create, merge_destroy, merge_compute);
