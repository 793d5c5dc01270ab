// Sound files through libsndfile. Resampling is a windowed sinc: for every output sample the inputs around
// its place in time are weighted; its cut-off lies below half of the lower rate.
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>

#include "notes.h"

#define ZERO_CROSSINGS 24
#define PI 3.14159265358979323846

static float *resample(const float *in, size_t in_count, double from, double to, size_t *out_count) {
  double step = from / to, cutoff = 0.96 * (to < from ? to / from : 1.0), half = ZERO_CROSSINGS / cutoff;
  size_t count = (size_t)((double)in_count / step);
  float *out = malloc((count + 1) * sizeof *out);
  for (size_t i = 0; out && i < count; ++i) {
    double place = (double)i * step, sum = 0;
    long first = (long)ceil(place - half), last = (long)floor(place + half);
    for (long k = first < 0 ? 0 : first; k <= last && k < (long)in_count; ++k) {
      double x = ((double)k - place) * cutoff, window = 0.5 + 0.5 * cos(PI * ((double)k - place) / half);
      sum += in[k] * window * (x == 0 ? 1.0 : sin(PI * x) / (PI * x));
    }
    out[i] = (float)(sum * cutoff);
  }
  *out_count = count;
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
