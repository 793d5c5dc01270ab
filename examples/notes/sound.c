// Sound files through libsndfile. Resampling is a windowed sinc: for every output sample the inputs around
// its place in time are weighted; its cut-off lies below half of the lower rate. The weights come from a
// table.
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>

#include "notes.h"

#define ZERO_CROSSINGS 24
#define TABLE_STEPS 512
#define PI 3.14159265358979323846

// Weights at distances of 0 to ZERO_CROSSINGS zero crossings, TABLE_STEPS to one, and a zero at the end.
static float *make_table(void) {
  size_t count = ZERO_CROSSINGS * TABLE_STEPS;
  float *table = calloc(count + 2, sizeof *table);
  for (size_t i = 0; table && i < count; ++i) {
    double x = (double)i / TABLE_STEPS, window = 0.5 + 0.5 * cos(PI * x / ZERO_CROSSINGS);
    table[i] = (float)(window * (i == 0 ? 1.0 : sin(PI * x) / (PI * x)));
  }
  return table;
}

static float *resample(const float *in, size_t in_count, double from, double to, size_t *out_count) {
  double step = from / to, cutoff = 0.96 * (to < from ? to / from : 1.0), half = ZERO_CROSSINGS / cutoff;
  size_t count = (size_t)((double)in_count / step);
  float *out = malloc((count + 1) * sizeof *out), *table = make_table();
  for (size_t i = 0; out && table && i < count; ++i) {
    double place = (double)i * step, sum = 0;
    long first = (long)ceil(place - half), last = (long)floor(place + half);
    for (long k = first < 0 ? 0 : first; k <= last && k < (long)in_count; ++k) {
      double at = fabs((double)k - place) * cutoff * TABLE_STEPS;
      size_t left = (size_t)at;
      sum += in[k] * (table[left] + (at - (double)left) * (table[left + 1] - table[left]));
    }
    out[i] = (float)(sum * cutoff);
  }
  free(table);
  *out_count = out ? count : 0;
  return out;
}

// All frames with their channels averaged.
static float *read_mono(SNDFILE *file, int channels, size_t *out_count) {
  enum { BLOCK = 4096 };
  size_t count = 0, capacity = 0;
  float *samples = NULL, *block = malloc(sizeof *block * BLOCK * (size_t)channels);
  sf_count_t got = 0;
  while (block && (got = sf_readf_float(file, block, BLOCK)) > 0) {
    if (count + BLOCK > capacity) {
      capacity = (count + BLOCK) * 2;
      float *grown = realloc(samples, capacity * sizeof *samples);
      if (!grown) break;
      samples = grown;
    }
    for (sf_count_t i = 0; i < got; ++i) {
      float sum = 0;
      for (int c = 0; c < channels; ++c) sum += block[i * channels + c];
      samples[count++] = sum / (float)channels;
    }
  }
  free(block);
  *out_count = count;
  return samples;
}

float *sound_load(const char *path, int rate, size_t *out_count) {
  SF_INFO format = {0};
  SNDFILE *file = sf_open(path, SFM_READ, &format);
  if (!file) {
    fprintf(stderr, "notes: %s cannot be read: %s\n", path, sf_strerror(NULL));
    return NULL;
  }
  float *samples = read_mono(file, format.channels, out_count);
  sf_close(file);
  if (!samples) fprintf(stderr, "notes: %s holds no sound\n", path);
  if (!samples || format.samplerate == rate) return samples;
  float *resampled = resample(samples, *out_count, format.samplerate, rate, out_count);
  free(samples);
  return resampled;
}

bool sound_save(const char *path, const float *samples, size_t count, int rate) {
  SF_INFO format = {.samplerate = rate, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT};
  SNDFILE *file = sf_open(path, SFM_WRITE, &format);
  bool ok = file && sf_writef_float(file, samples, (sf_count_t)count) == (sf_count_t)count;
  if (!ok) fprintf(stderr, "notes: %s cannot be written: %s\n", path, sf_strerror(file));
  if (file) sf_close(file);
  return ok;
}
