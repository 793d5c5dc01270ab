// What several verbs do: loading plugins, opening a model, telling what takes long.
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

bool cli_load_plugins(const cli_options *options) {
  TF_Status *status = TF_NewStatus();
  bool ok = true;
  for (int i = 0; ok && i < options->plugin_count; ++i) {
    ok = dvt_load_plugin(options->plugins[i], status) != NULL;
    if (!ok) cli_error(CLI_BAD_PLUGIN, "--plugin %s: %s", options->plugins[i], TF_Message(status));
  }
  TF_DeleteStatus(status);
  return ok;
}

dvt_model *cli_open_model(const cli_options *options, const char *path, bool describe_only, int *out_exit) {
  dvt_model *model = NULL;
  if (!cli_load_plugins(options)) {
    *out_exit = CLI_BAD_PLUGIN;
    return NULL;
  }
  dvt_model_options how = {.struct_size = sizeof how,
                           .tags = options->tags,
                           .tag_count = options->tag_count,
                           .threads = options->threads,
                           .describe_only = describe_only};
  TF_Status *status = TF_NewStatus();
  cli_stage(options, "opening %s", path);
  dvt_model_open(path, &how, &model, status);
  cli_stage(options, NULL);
  if (!model) *out_exit = cli_error(CLI_BAD_MODEL, "%s", TF_Message(status));
  TF_DeleteStatus(status);
  return model;
}

// ---- progress ----

#define QUIET_SECONDS 1.0     // shorter stages say nothing
#define TERMINAL_SECONDS 0.2  // how often the line is rewritten
#define PLAIN_SECONDS 10.0    // how often a plain line is added

static struct {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  pthread_t thread;
  bool running;
  char text[512];
} stage = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Waits until the stage ends or `seconds` have passed; true when it has ended. The lock is held.
static bool wait_for_end(double seconds) {
  double until = seconds_now() + seconds;
  struct timespec when = {(time_t)until, (long)((until - (double)(time_t)until) * 1e9)};
  int code = 0;
  while (stage.running && code == 0) code = pthread_cond_timedwait(&stage.ended, &stage.lock, &when);
  return !stage.running;
}

static void *watch(void *arg) {
  (void)arg;
  bool terminal = isatty(STDERR_FILENO) != 0;
  double begin = seconds_now();
  pthread_mutex_lock(&stage.lock);
  bool ended = wait_for_end(QUIET_SECONDS), shown = false;
  while (!ended) {
    double elapsed = seconds_now() - begin;
    fprintf(stderr, terminal ? "\r%s ... %.1f s\x1b[K" : "%s ... %.0f s\n", stage.text, elapsed);
    shown = true;
    ended = wait_for_end(terminal ? TERMINAL_SECONDS : PLAIN_SECONDS);
  }
  if (shown && terminal) fputs("\r\x1b[K", stderr);
  pthread_mutex_unlock(&stage.lock);
  return NULL;
}

static void end_stage(void) {
  pthread_mutex_lock(&stage.lock);
  bool was = stage.running;
  stage.running = false;
  pthread_cond_signal(&stage.ended);
  pthread_mutex_unlock(&stage.lock);
  if (was) pthread_join(stage.thread, NULL);
}

void cli_stage(const cli_options *options, const char *format, ...) {
  if (options->json) return;
  end_stage();
  if (!format) return;
  va_list args;
  va_start(args, format);
  vsnprintf(stage.text, sizeof stage.text, format, args);
  va_end(args);
  stage.running = true;
  if (pthread_create(&stage.thread, NULL, watch, NULL) != 0) stage.running = false;
}
