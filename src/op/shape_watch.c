// Stops shape functions that do not return (contract: shape_watch.h). A timer of the calling thread sends it
// a signal once the limit has passed, and then every millisecond. Where the signal finds the thread in the
// code of the library (or program) that the function belongs to, nothing of Dovetail or of the C library is
// at work, and the handler jumps back to the call; elsewhere it waits for the next signal.
#include "op/shape_watch.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/log.h"
#include "base/number.h"

#define DEFAULT_SECONDS 10.0
#define MIN_SECONDS 0.001
#define MAX_SECONDS 1e6
enum { NANOSECONDS_BETWEEN = 1000000, TRIES_BEFORE_TELLING = 1000 };

// The machine code of the library or program around an address; empty when it lies in none.
typedef struct code_range {
  uintptr_t begin, end;
} code_range;

typedef struct shape_watch {
  struct shape_watch *outer;  // of a function that adds nodes to a graph of its own
  uint32_t number;            // which signals carry
  code_range code;
  int tries;
  sigjmp_buf back;
  char waiting[256];  // what the handler tells when the function waits elsewhere
} shape_watch;

static _Thread_local shape_watch *current __attribute__((tls_model("initial-exec")));

// ---- where the thread is ----

static bool contains(code_range range, uintptr_t at) { return at >= range.begin && at < range.end; }

typedef struct code_search {
  uintptr_t address;
  code_range found;
} code_search;

static int search_module(struct dl_phdr_info *info, size_t size, void *arg) {
  code_search *search = arg;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    code_range range = {info->dlpi_addr + segment->p_vaddr, 0};
    range.end = range.begin + segment->p_memsz;
    if (!contains(range, search->address)) continue;
    search->found = range;
    return 1;
  }
  return 0;
}

static code_range code_around(uintptr_t address) {
  code_search search = {.address = address};
  dl_iterate_phdr(search_module, &search);
  return search.found;
}

// 0 on machines where it is not known how the kernel tells.
static uintptr_t program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

// ---- the signal ----

static void on_signal(int signal, siginfo_t *info, void *context) {
  shape_watch *watch = current;
  int saved = errno;
  (void)signal;
  if (watch && info->si_code == SI_TIMER && (uint32_t)info->si_value.sival_int == watch->number) {
    if (contains(watch->code, program_counter(context))) siglongjmp(watch->back, 1);
    if (++watch->tries == TRIES_BEFORE_TELLING &&
        write(STDERR_FILENO, watch->waiting, strlen(watch->waiting)) < 0)
      watch->tries = 0;  // told later
  }
  errno = saved;
}

static int watch_signal;  // 0: none could be had

// The highest real-time signal that nobody handles; the very last one is taken by debuggers' tools.
static void install_handler(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK},
                   now;
  sigemptyset(&action.sa_mask);
  for (int candidate = SIGRTMAX - 1; candidate >= SIGRTMIN && !watch_signal; candidate--)
    if (sigaction(candidate, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL &&
        sigaction(candidate, &action, NULL) == 0)
      watch_signal = candidate;
}

// ---- the limit ----

static double limit_seconds;

static void read_limit(void) {
  const char *text = getenv("DOVETAIL_SHAPE_FN_SECONDS");
  limit_seconds = DEFAULT_SECONDS;
  if (!text || !*text) return;
  double seconds;
  if (dvt_number_parse_double(dvt_str_from(text), &seconds) && seconds >= MIN_SECONDS &&
      seconds <= MAX_SECONDS)
    limit_seconds = seconds;
  else
    dvt_log(
        DVT_ERROR,
        "the environment variable DOVETAIL_SHAPE_FN_SECONDS is '%s', wanted is a number of seconds from %g "
        "to %.0f; %g is used. Correct or unset it",
        text, MIN_SECONDS, MAX_SECONDS, DEFAULT_SECONDS);
}

static void prepare(void) {
  read_limit();
  install_handler();
}

static bool timer_begin(const shape_watch *watch, timer_t *out_timer) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = watch_signal};
  event.sigev_value.sival_int = (int)watch->number;
  event._sigev_un._tid = gettid();
  struct itimerspec when = {.it_interval.tv_nsec = NANOSECONDS_BETWEEN};
  when.it_value.tv_sec = (time_t)limit_seconds;
  when.it_value.tv_nsec = (long)((limit_seconds - (double)when.it_value.tv_sec) * 1e9);
  if (!watch_signal || timer_create(CLOCK_MONOTONIC, &event, out_timer) != 0) return false;
  if (timer_settime(*out_timer, 0, &when, NULL) == 0) return true;
  timer_delete(*out_timer);
  return false;
}

// ---- the call ----

// False when the function was stopped. Nothing between the timer's start and its end may be lost by a jump.
static bool call(shape_watch *watch, dvt_shape_fn shape_fn, TF_ShapeInferenceContext *ctx, TF_Status *status,
                 dvt_status *out_thrown) {
  if (sigsetjmp(watch->back, 0) != 0) return false;
  *out_thrown = dvt_shape_fn_call(ctx, shape_fn, status);
  return true;
}

static void begin(shape_watch *watch, const TF_ShapeInferenceContext *ctx, code_range code) {
  *watch = (shape_watch){.outer = current, .number = ctx->call, .code = code};
  snprintf(
      watch->waiting, sizeof watch->waiting,
      "The shape function of node '%.*s' (op '%.*s') has not returned after %g s and waits outside of its "
      "own code, where it cannot be stopped.\n",
      (int)DVT_MIN(ctx->node->name.len, 60), ctx->node->name.data, (int)DVT_MIN(ctx->node->op->name.len, 60),
      ctx->node->op->name.data, limit_seconds);
}

dvt_status dvt_shape_watch(TF_ShapeInferenceContext *ctx, dvt_shape_fn shape_fn, TF_Status *status) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  code_range code = code_around((uintptr_t)shape_fn);
  if (DVT_SHAPE_WATCH_OFF || contains(code, (uintptr_t)dvt_shape_watch)) {
    return dvt_shape_fn_call(ctx, shape_fn, status);
  }
  pthread_once(&once, prepare);
  shape_watch watch;
  timer_t timer;
  sigset_t ours, before;
  begin(&watch, ctx, code);
  sigemptyset(&ours);
  if (watch_signal) sigaddset(&ours, watch_signal);
  pthread_sigmask(SIG_UNBLOCK, &ours, &before);
  current = &watch;
  bool has_timer = timer_begin(&watch, &timer);
  dvt_status thrown = NULL;
  bool returned = call(&watch, shape_fn, ctx, status, &thrown);
  current = watch.outer;  // a signal that is still under way carries a number that is nobody's
  if (has_timer) timer_delete(timer);
  pthread_sigmask(sigismember(&before, watch_signal) == 1 ? SIG_BLOCK : SIG_UNBLOCK, &ours, NULL);
  if (returned) return thrown;
  return dvt_error(
      TF_DEADLINE_EXCEEDED,
      "The shape function did not return within %g s (DOVETAIL_SHAPE_FN_SECONDS) and was stopped",
      limit_seconds);
}
