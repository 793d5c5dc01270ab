// Clocks, threads and shared libraries of env.h. Files, directories and listings are in env_files.c.
#include "tensorflow/c/env.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <time.h>

#include "base/alloc.h"
#include "base/code_owner.h"
#include "base/library.h"
#include "base/log.h"

static uint64_t now_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t TF_NowNanos(void) { return now_nanos(); }
uint64_t TF_NowMicros(void) { return now_nanos() / 1000u; }
uint64_t TF_NowSeconds(void) { return now_nanos() / 1000000000u; }

void TF_DefaultThreadOptions(TF_ThreadOptions *options) {
  if (options) *options = (TF_ThreadOptions){0, 0, -1};
}

struct TF_Thread {
  pthread_t thread;
  void (*work)(void *);
  void *param;
  dvt_owned_kind *accounted;  // of the plugin that the work is in
};

static dvt_owned_kind *account(void (*work)(void *)) {
  static const char threads[] = "threads that were not joined";
  const void *code;
  DVT_CODE_ADDRESS(work, &code);
  return dvt_owned_take(dvt_code_owner_find(code), threads, threads, NULL);
}

static void *thread_main(void *p) {
  const TF_Thread *thread = p;
  thread->work(thread->param);
  return NULL;
}

// The system refuses stacks below its minimum; a request for one gets the minimum.
static void apply_options(pthread_attr_t *attr, const TF_ThreadOptions *options) {
  if (!options) return;
  if (options->stack_size) {
    size_t page = 4096, least = (size_t)PTHREAD_STACK_MIN;
    size_t bytes = DVT_MAX(options->stack_size, least);
    if (bytes <= SIZE_MAX - page) pthread_attr_setstacksize(attr, (bytes + page - 1) & ~(page - 1));
  }
  if (options->guard_size) pthread_attr_setguardsize(attr, options->guard_size);
}

TF_Thread *TF_StartThread(const TF_ThreadOptions *options, const char *thread_name, void (*work_func)(void *),
                          void *param) {
  pthread_attr_t attr;
  if (!work_func || pthread_attr_init(&attr) != 0) return NULL;
  apply_options(&attr, options);
  TF_Thread *thread = dvt_malloc(sizeof *thread);
  int error = ENOMEM;
  if (thread) {
    *thread = (TF_Thread){.work = work_func, .param = param, .accounted = account(work_func)};
    error = pthread_create(&thread->thread, &attr, thread_main, thread);
  }
  pthread_attr_destroy(&attr);
  if (error) {
    dvt_log(DVT_ERROR, "TF_StartThread: thread %s could not be started (error %d)",
            thread_name ? thread_name : "", error);
    if (thread) dvt_owned_drop(thread->accounted);
    dvt_free(thread);
    return NULL;
  }
  if (thread_name) {
    char name[16];  // the system's limit, with the NUL
    size_t len = DVT_MIN(strlen(thread_name), sizeof name - 1);
    memcpy(name, thread_name, len);
    name[len] = '\0';
    pthread_setname_np(thread->thread, name);
  }
  return thread;
}

void TF_JoinThread(TF_Thread *thread) {
  if (!thread) return;
  pthread_join(thread->thread, NULL);
  dvt_owned_drop(thread->accounted);
  dvt_free(thread);
}

void *TF_LoadSharedLibrary(const char *library_filename, TF_Status *status) {
  void *handle = NULL;
  dvt_status_to_tf(dvt_library_open(library_filename, &handle), status);
  return handle;
}

void *TF_GetSymbolFromLibrary(void *handle, const char *symbol_name, TF_Status *status) {
  if (!handle || !symbol_name) {
    const char *what = handle ? "its name is NULL" : "the library handle is NULL";
    dvt_status_to_tf(
        dvt_error(TF_NOT_FOUND, "symbol %s cannot be found: %s", symbol_name ? symbol_name : "", what),
        status);
    return NULL;
  }
  dlerror();
  void *symbol = dlsym(handle, symbol_name);
  const char *reason = symbol ? NULL : dlerror();
  dvt_status_to_tf(symbol ? NULL : dvt_error(TF_NOT_FOUND, "%s", reason ? reason : symbol_name), status);
  return symbol;
}
