// The piece: the first eight bars of Beethoven's "Ode to Joy" (1824, in the public domain) with chords, and
// its recording. A tone is a sum of decaying partials, slightly stretched as those of a stiff string are,
// with a short knock at the start.
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>

#include "notes.h"

#define RATE 44100
#define BEAT 0.5  // seconds
#define TAIL 1.5  // silence after the last note
#define PARTIALS 16
#define PI 3.14159265358979323846

typedef struct tone {
  const char *pitches;  // "C3 E3 G3"
  double beats;
} tone;

static const tone right_hand[] = {
    {"E4", 1}, {"E4", 1}, {"F4", 1}, {"G4", 1},   {"G4", 1},   {"F4", 1},   {"E4", 1}, {"D4", 1},
    {"C4", 1}, {"C4", 1}, {"D4", 1}, {"E4", 1},   {"E4", 1.5}, {"D4", 0.5}, {"D4", 2}, {"E4", 1},
    {"E4", 1}, {"F4", 1}, {"G4", 1}, {"G4", 1},   {"F4", 1},   {"E4", 1},   {"D4", 1}, {"C4", 1},
    {"C4", 1}, {"D4", 1}, {"E4", 1}, {"D4", 1.5}, {"C4", 0.5}, {"C4", 2},
};
static const tone left_hand[] = {
    {"C3 E3 G3", 2}, {"C3 E3 G3", 2}, {"B2 D3 G3", 2}, {"B2 D3 G3", 2}, {"C3 E3 G3", 2}, {"C3 E3 G3", 2},
    {"C3 G3", 2},    {"B2 D3 G3", 2}, {"C3 E3 G3", 2}, {"C3 E3 G3", 2}, {"B2 D3 G3", 2}, {"B2 D3 G3", 2},
    {"A2 C3 E3", 2}, {"A2 C3 E3", 2}, {"B2 D3 G3", 2}, {"C3 E3 G3", 2},
};

static int pitch_of(const char *name) {
  static const int steps[] = {9, 11, 0, 2, 4, 5, 7};  // A to G above C
  return 12 * (name[1] - '0' + 1) + steps[name[0] - 'A'];
}

// A key is let go a little before the next is struck, at the latest after `longest` beats.
static void play(note_list *out, const tone *tones, size_t count, int velocity, double longest) {
  double beat = 0;
  for (size_t i = 0; i < count; ++i) {
    double end = beat + fmin(tones[i].beats - 0.1, longest);
    for (const char *p = tones[i].pitches; *p; p += p[2] == ' ' ? 3 : 2)
      notes_add(out, (note){0.5 + beat * BEAT, 0.5 + end * BEAT, pitch_of(p), velocity});
    beat += tones[i].beats;
  }
}

void melody_notes(note_list *out) {
  play(out, right_hand, sizeof right_hand / sizeof right_hand[0], 100, 2.0);
  play(out, left_hand, sizeof left_hand / sizeof left_hand[0], 70, 0.7);
  notes_sort(out);
}

// One partial, added to `tone`. Its phase advances by a rotation and its two decays by factors, so that a
// sample costs a few multiplications.
static void add_partial(float *tone, size_t count, int k, double base) {
  double frequency = k * base * sqrt(1.0 + 0.0004 * k * k), step = 2 * PI * frequency / RATE,
         strength = pow(k, -1.3);
  double x = cos(k), y = sin(k), turn_x = cos(step), turn_y = sin(step);
  double fast = 0.75 * strength, slow = 0.25 * strength;
  double fast_factor = exp(-(1.0 + 0.6 * k) / RATE), slow_factor = exp(-(0.3 + 0.1 * k) / RATE);
  if (frequency > RATE / 2.5) return;
  for (size_t i = 0; i < count; ++i) {
    double turned = x * turn_x - y * turn_y;
    tone[i] += (float)((fast + slow) * y);
    y = x * turn_y + y * turn_x;
    x = turned;
    fast *= fast_factor;
    slow *= slow_factor;
  }
}

static bool add_tone(float *frames, size_t frame_count, const note *n) {
  double base = 440.0 * pow(2.0, (n->pitch - 69) / 12.0), loud = 0.25 * n->velocity / 127.0;
  double right = 0.3 + 0.4 * (n->pitch - NOTE_LOWEST) / NOTE_KEYS;  // low keys sound from the left
  size_t begin = (size_t)(n->start * RATE), count = (size_t)((n->end - n->start + 0.5) * RATE);
  float *tone = calloc(count, sizeof *tone);
  if (!tone) return false;
  for (int k = 1; k <= PARTIALS; ++k) add_partial(tone, count, k, base);
  unsigned noise = 12345u + (unsigned)n->pitch;
  for (size_t i = 0; i < count && begin + i < frame_count; ++i) {
    double t = (double)i / RATE, after = t - (n->end - n->start);
    noise = noise * 1664525u + 1013904223u;
    double knock = t < 0.05 ? 0.3 * exp(-t * 200.0) * ((double)(noise >> 8) / (1 << 23) - 1.0) : 0.0;
    double value =
        loud * (tone[i] + knock) * (t < 0.002 ? t / 0.002 : 1.0) * (after > 0 ? exp(-after * 30.0) : 1.0);
    frames[2 * (begin + i)] += (float)(value * (1.0 - right));
    frames[2 * (begin + i) + 1] += (float)(value * right);
  }
  free(tone);
  return true;
}

bool melody_record(const char *wav_path, const note_list *notes) {
  double last = 0;
  for (size_t i = 0; i < notes->count; ++i) last = fmax(last, notes->items[i].end);
  size_t frame_count = (size_t)((last + TAIL) * RATE);
  float *frames = calloc(frame_count * 2, sizeof *frames);
  SF_INFO format = {.samplerate = RATE, .channels = 2, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
  bool made = frames != NULL;
  for (size_t i = 0; made && i < notes->count; ++i) made = add_tone(frames, frame_count, &notes->items[i]);
  SNDFILE *file = made ? sf_open(wav_path, SFM_WRITE, &format) : NULL;
  bool ok = file && sf_writef_float(file, frames, (sf_count_t)frame_count) == (sf_count_t)frame_count;
  if (!ok) fprintf(stderr, "notes: %s cannot be written: %s\n", wav_path, sf_strerror(file));
  if (file) sf_close(file);
  free(frames);
  return ok;
}
