// From the model's posteriorgrams to notes. A note starts where its key was struck: at a peak in time of the
// onset matrix, or of a sudden rise of the other one. It lasts while the key sounds, and its bins and the
// neighbours' are used up, so that a semitone's leakage makes no second note. What still sounds after that
// are notes whose start was not noticed; they are taken from the loudest bin outwards.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"

#define STRUCK_ENOUGH 0.5f  // of an onset peak
#define SOUNDS_ENOUGH 0.3f  // for a note to go on
#define MAX_GAP 11          // frames below that may be bridged
#define MIN_FRAMES 11       // about 0.13 s

typedef struct roll {
  const float *sounding;
  float *left;  // what of it is not used up yet
  float *onset;
  size_t frames;
  double (*time_of)(size_t frame);
  note_list *out;
} roll;

#define AT(matrix, frame, key) (matrix)[(frame)*NOTE_KEYS + (size_t)(key)]

// Onsets are the model's own or where a key's loudness rises against both of the two frames before, whichever
// is stronger; rises are scaled to the strength of the model's.
static void make_onsets(roll *r, const float *struck) {
  float most_struck = 0, most_rise = 0;
  for (size_t t = 0; t < r->frames; ++t)
    for (int k = 0; k < NOTE_KEYS; ++k) {
      float now = AT(r->sounding, t, k), rise = 0;
      if (t >= 2) rise = fminf(now - AT(r->sounding, t - 1, k), now - AT(r->sounding, t - 2, k));
      AT(r->onset, t, k) = fmaxf(rise, 0);
      most_rise = fmaxf(most_rise, rise);
      most_struck = fmaxf(most_struck, AT(struck, t, k));
    }
  float scale = most_rise > 0 ? most_struck / most_rise : 0;
  for (size_t i = 0; i < r->frames * NOTE_KEYS; ++i) r->onset[i] = fmaxf(struck[i], r->onset[i] * scale);
}

static void use_up(roll *r, size_t from, size_t to, int key) {
  for (size_t t = from; t < to; ++t)
    for (int k = key - 1; k <= key + 1; ++k)
      if (k >= 0 && k < NOTE_KEYS) AT(r->left, t, k) = 0;
}

static void emit(roll *r, size_t from, size_t to, int key) {
  double sum = 0;
  for (size_t t = from; t < to; ++t) sum += AT(r->sounding, t, key);
  int velocity = (int)lround(127.0 * sum / (double)(to - from));
  notes_add(r->out, (note){r->time_of(from), r->time_of(to), key + NOTE_LOWEST, velocity < 1 ? 1 : velocity});
}

// First frame after `from` where the key has stopped sounding.
static size_t end_of(const roll *r, size_t from, int key) {
  size_t t = from + 1, gap = 0;
  for (; t + 1 < r->frames && gap < MAX_GAP; ++t) gap = AT(r->left, t, key) < SOUNDS_ENOUGH ? gap + 1 : 0;
  return t - gap;
}

static void struck_notes(roll *r) {
  // Backwards in time: a note ends where the next on its key was taken already.
  for (size_t t = r->frames - 1; t-- > 1;)
    for (int k = NOTE_KEYS - 1; k >= 0; --k) {
      float here = AT(r->onset, t, k);
      if (here < STRUCK_ENOUGH || here <= AT(r->onset, t - 1, k) || here <= AT(r->onset, t + 1, k)) continue;
      size_t end = end_of(r, t, k);
      if (end <= t + MIN_FRAMES) continue;
      use_up(r, t, end, k);
      emit(r, t, end, k);
    }
}

static size_t loudest(const roll *r) {
  size_t best = 0;
  for (size_t i = 1; i < r->frames * NOTE_KEYS; ++i)
    if (r->left[i] > r->left[best]) best = i;
  return best;
}

static void unnoticed_notes(roll *r) {
  for (size_t i = loudest(r); r->left[i] > SOUNDS_ENOUGH; i = loudest(r)) {
    size_t middle = i / NOTE_KEYS, end = middle + 1, start = middle, gap = 0;
    int key = (int)(i % NOTE_KEYS);
    AT(r->left, middle, key) = 0;
    for (; end + 1 < r->frames && gap < MAX_GAP; ++end) {
      gap = AT(r->left, end, key) < SOUNDS_ENOUGH ? gap + 1 : 0;
      use_up(r, end, end + 1, key);
    }
    end -= gap;
    for (gap = 0; start > 1 && gap < MAX_GAP;) {
      --start;
      gap = AT(r->left, start, key) < SOUNDS_ENOUGH ? gap + 1 : 0;
      use_up(r, start, start + 1, key);
    }
    start += gap;
    if (end > start + MIN_FRAMES) emit(r, start, end, key);
  }
}

void detect_notes(const float *sounding, const float *struck, size_t frames, double (*time_of)(size_t frame),
                  note_list *out) {
  size_t cells = frames * NOTE_KEYS;
  if (frames < 3) return;
  roll r = {sounding, malloc(cells * sizeof(float)), malloc(cells * sizeof(float)), frames, time_of, out};
  if (r.left && r.onset) {
    memcpy(r.left, sounding, cells * sizeof(float));
    make_onsets(&r, struck);
    struck_notes(&r);
    unnoticed_notes(&r);
  }
  free(r.left);
  free(r.onset);
  notes_sort(out);
}
