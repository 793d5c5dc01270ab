// notes MODEL OUT_DIR [SOUND_FILE]
//
// Turns a recording into notes with the trained network of the basic-pitch package, run by Dovetail. Without
// SOUND_FILE it records a piece itself (melody.c), so that the notes found can be compared with those really
// played. Writes OUT_DIR/notes.mid, OUT_DIR/notes.png and OUT_DIR/window.wav, the first piece of sound as the
// model sees it.
//
// Compile in the project's folder after `make`:
//   L=$PWD/build/release/lib
//   gcc -O2 -Iinclude examples/notes/*.c -L$L -Wl,-rpath,$L -ldovetail -lsndfile -lpng -lm -o notes
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dovetail/dovetail.h"
#include "notes.h"

// What the network was trained for: windows of 43,844 samples at 22,050 Hz give 172 frames, 256 samples
// apart. Windows overlap by 30 frames, of which the outer half is dropped on each side: near its edges a
// window does not know what comes before or after.
#define RATE 22050
#define HOP 256
#define WINDOW 43844
#define FRAMES 172
#define DROPPED 15
#define KEPT (FRAMES - 2 * DROPPED)
#define STEP (WINDOW - 2 * DROPPED * HOP)

static double time_of(size_t row) {
  return ((double)(row / KEPT) * STEP + (double)(row % KEPT) * HOP) / RATE;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int failed(const char *what, const TF_Status *status) {
  fprintf(stderr, "notes: %s: %s\n", what, TF_Message(status));
  return 1;
}

// ---- which plugin ran which op ----

typedef struct op_row {
  char op[64], plugin[32];
  long long nodes, ns;
} op_row;

typedef struct op_table {
  op_row rows[256];
  size_t count;
} op_table;

static void add_times(op_table *table, dvt_model *model) {
  dvt_op_time *times;
  int count = dvt_model_profile(model, &times);
  for (int i = 0; i < count; ++i) {
    size_t at = 0;
    while (at < table->count && (strcmp(table->rows[at].op, times[i].op) != 0 ||
                                 strcmp(table->rows[at].plugin, times[i].plugin) != 0))
      ++at;
    if (at == sizeof table->rows / sizeof table->rows[0]) continue;
    op_row *row = &table->rows[at];
    if (at == table->count) {
      ++table->count;
      snprintf(row->op, sizeof row->op, "%s", times[i].op);
      snprintf(row->plugin, sizeof row->plugin, "%s", times[i].plugin);
    }
    row->nodes += times[i].count;
    row->ns += times[i].own_ns;
  }
  dvt_op_times_free(times);
}

static int slowest_first(const void *a, const void *b) {
  long long x = ((const op_row *)a)->ns, y = ((const op_row *)b)->ns;
  return (x < y) - (x > y);
}

static void print_times(op_table *table, int windows) {
  qsort(table->rows, table->count, sizeof table->rows[0], slowest_first);
  printf("\n  %-24s %-14s %10s %12s\n", "op", "run by plugin", "runs", "ms a window");
  for (size_t i = 0; i < table->count; ++i) {
    const op_row *row = &table->rows[i];
    printf("  %-24s %-14s %10lld %12.3f\n", row->op, row->plugin[0] ? row->plugin : "(runtime)", row->nodes,
           (double)row->ns * 1e-6 / windows);
  }
}

// ---- running the model ----

typedef struct posteriorgram {
  float *sounding, *struck;  // rows of NOTE_KEYS
  size_t rows;
} posteriorgram;

// One window through the model; its middle rows are copied to the end of `out`.
static bool run_window(dvt_model *model, const float *samples, posteriorgram *out, TF_Status *status) {
  const int64_t dims[] = {1, WINDOW, 1};
  const char *inputs[] = {"input_2"}, *outputs[] = {"note", "onset"};
  TF_Tensor *in = TF_AllocateTensor(TF_FLOAT, dims, 3, WINDOW * sizeof(float)), *results[2] = {NULL, NULL};
  memcpy(TF_TensorData(in), samples, WINDOW * sizeof(float));
  dvt_model_run(model, NULL, inputs, &in, 1, outputs, results, 2, status);
  TF_DeleteTensor(in);
  if (TF_GetCode(status) != TF_OK) return false;
  size_t from = DROPPED * NOTE_KEYS, to = out->rows * NOTE_KEYS, bytes = KEPT * NOTE_KEYS * sizeof(float);
  bool fits = TF_TensorByteSize(results[0]) == FRAMES * NOTE_KEYS * sizeof(float) &&
              TF_TensorByteSize(results[1]) == FRAMES * NOTE_KEYS * sizeof(float);
  if (fits) {
    memcpy(out->sounding + to, (const float *)TF_TensorData(results[0]) + from, bytes);
    memcpy(out->struck + to, (const float *)TF_TensorData(results[1]) + from, bytes);
    out->rows += KEPT;
  } else {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "the model is not basic-pitch: its outputs have other sizes");
  }
  TF_DeleteTensor(results[0]);
  TF_DeleteTensor(results[1]);
  return fits;
}

// All windows. The sound starts with DROPPED frames of silence, so that the first kept row is at time 0.
static bool run_all(dvt_model *model, const float *sound, size_t count, const char *window_path,
                    posteriorgram *out, TF_Status *status) {
  size_t lead = DROPPED * HOP, total = lead + count, windows = (total + STEP - 1) / STEP;
  float *padded = calloc((windows - 1) * STEP + WINDOW, sizeof *padded);
  out->sounding = malloc(windows * KEPT * NOTE_KEYS * sizeof(float));
  out->struck = malloc(windows * KEPT * NOTE_KEYS * sizeof(float));
  bool ok = padded && out->sounding && out->struck;
  if (!ok) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  if (ok) memcpy(padded + lead, sound, count * sizeof *sound);
  if (ok) ok = sound_save(window_path, padded, WINDOW, RATE);
  op_table table = {.count = 0};
  dvt_model_set_profiling(model, true);
  double first_ms = 0, begin = now_ms();
  for (size_t w = 0; ok && w < windows; ++w) {
    ok = run_window(model, padded + w * STEP, out, status);
    if (w == 0) first_ms = now_ms() - begin;
    add_times(&table, model);
  }
  double rest_ms = now_ms() - begin - first_ms;
  if (ok) {
    printf("%zu windows of %.2f s: the first took %.1f ms (planning), the others %.1f ms each\n", windows,
           (double)WINDOW / RATE, first_ms, windows > 1 ? rest_ms / (double)(windows - 1) : 0.0);
    print_times(&table, (int)windows);
  }
  free(padded);
  return ok;
}

static int transcribe(const char *model_path, const char *folder, const char *sound_path,
                      const note_list *played) {
  char path[1024];
  TF_Status *status = TF_NewStatus();
  dvt_model *model = NULL;
  size_t count = 0;
  float *sound = sound_load(sound_path, RATE, &count);
  if (!sound) {
    TF_DeleteStatus(status);
    return 1;
  }
  double begin = now_ms();
  dvt_model_open(model_path, NULL, &model, status);
  if (!model) {
    free(sound);
    int code = failed("the model cannot be opened", status);
    TF_DeleteStatus(status);
    return code;
  }
  printf("%s: %.1f s of sound; model opened in %.0f ms\n", sound_path, (double)count / RATE,
         now_ms() - begin);
  posteriorgram p = {0};
  snprintf(path, sizeof path, "%s/window.wav", folder);
  int code = run_all(model, sound, count, path, &p, status) ? 0 : failed("the model failed", status);
  if (code == 0) {
    note_list found = {0};
    while (p.rows > 0 && time_of(p.rows - 1) > (double)count / RATE) --p.rows;
    detect_notes(p.sounding, p.struck, p.rows, time_of, &found);
    show_table(&found, played);
    snprintf(path, sizeof path, "%s/notes.mid", folder);
    bool written = write_midi(path, &found);
    if (written) printf("MIDI file:  %s\n", path);
    snprintf(path, sizeof path, "%s/notes.png", folder);
    written = write_piano_roll(path, &found, played) && written;
    if (written) printf("piano roll: %s%s\n", path, played ? " (bars: found, outlines: played)" : "");
    code = written ? 0 : 1;
    notes_free(&found);
  }
  free(p.sounding);
  free(p.struck);
  free(sound);
  dvt_model_close(model);
  TF_DeleteStatus(status);
  return code;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    fputs("usage: notes MODEL OUT_DIR [SOUND_FILE]\n", stderr);
    return 2;
  }
  if (argc == 4) return transcribe(argv[1], argv[2], argv[3], NULL);
  char path[1024];
  note_list played = {0};
  snprintf(path, sizeof path, "%s/melody.wav", argv[2]);
  melody_notes(&played);
  int code = melody_record(path, &played) ? transcribe(argv[1], argv[2], path, &played) : 1;
  notes_free(&played);
  return code;
}
