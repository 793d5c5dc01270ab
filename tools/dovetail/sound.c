// .wav files (libsndfile reads more formats; by extension only .wav is offered). Rules in the help of `run`.
#include <inttypes.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

#define MAX_SAMPLES ((int64_t)1 << 30)
#define BLOCK_FRAMES 65536

// Shape of `frames` x `channels` for the input; false with *status set.
static bool choose_shape(const dvt_tensor_info *info, int64_t frames, int channels, int64_t *dims,
                         int *out_rank, TF_Status *status) {
  int rank = info->rank < 0 ? (channels == 1 ? 1 : 2) : info->rank;
  *out_rank = rank;
  if (rank == 1 && channels == 1) {
    dims[0] = frames;
  } else if (rank == 2 && (info->rank < 0 || info->dims[1] == channels)) {
    dims[0] = frames;
    dims[1] = channels;
  } else if (rank == 2 && channels == 1 && (info->dims[0] == 1 || info->dims[0] < 0)) {
    dims[0] = 1;
    dims[1] = frames;
  } else if (rank == 3) {
    dims[0] = 1;
    dims[1] = frames;
    dims[2] = channels;
  } else {
    char text[DTYPE_TEXT_BYTES];
    return cli_fail(status, TF_INVALID_ARGUMENT,
                    "a sound with %d channel%s fits [samples] (one channel), [1,samples] (one channel), "
                    "[samples,channels] or [1,samples,channels], not %s",
                    channels, channels == 1 ? "" : "s",
                    dtype_text(info->dtype, info->dims, info->rank, text));
  }
  for (int d = 0; info->rank >= 0 && d < rank; ++d)
    if (info->dims[d] >= 0 && info->dims[d] != dims[d]) {
      char text[DTYPE_TEXT_BYTES];
      return cli_fail(
          status, TF_INVALID_ARGUMENT,
          "it has %" PRId64 " samples of %d channel%s, the model wants %s; cut or pad it to that length",
          frames, channels, channels == 1 ? "" : "s", dtype_text(info->dtype, info->dims, info->rank, text));
    }
  return true;
}

// All samples, interleaved, as float, or as int16/int32 for inputs of those dtypes. The frame count in a
// file's header may be wrong, so memory grows with what is really there.
static char *read_samples(SNDFILE *file, int channels, TF_DataType dtype, int64_t *out_frames,
                          TF_Status *status) {
  size_t frame_bytes = (size_t)channels * TF_DataTypeSize(dtype), capacity = 0;
  char *samples = NULL;
  int64_t frames = 0;
  for (;;) {
    if ((frames + BLOCK_FRAMES) * channels > MAX_SAMPLES) {
      cli_fail(status, TF_INVALID_ARGUMENT, "it is longer than can be read at once");
      break;
    }
    if ((size_t)(frames + BLOCK_FRAMES) > capacity) {
      capacity = (size_t)(frames + BLOCK_FRAMES) * 2;
      char *grown = realloc(samples, capacity * frame_bytes);
      if (!grown) {
        cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        break;
      }
      samples = grown;
    }
    void *to = samples + (size_t)frames * frame_bytes;
    sf_count_t got = dtype == TF_INT16   ? sf_readf_short(file, to, BLOCK_FRAMES)
                     : dtype == TF_INT32 ? sf_readf_int(file, to, BLOCK_FRAMES)
                                         : sf_readf_float(file, to, BLOCK_FRAMES);
    if (got <= 0) {
      *out_frames = frames;
      return samples;
    }
    frames += got;
  }
  free(samples);
  return NULL;
}

static TF_Tensor *to_tensor(SNDFILE *file, const SF_INFO *format, const dvt_tensor_info *info,
                            TF_Status *status) {
  TF_DataType dtype = info->dtype == TF_INT16 || info->dtype == TF_INT32 ? info->dtype : TF_FLOAT;
  if (dtype == TF_FLOAT && info->dtype && dtype_kind_of(info->dtype) != KIND_FLOAT) {
    cli_fail(status, TF_INVALID_ARGUMENT,
             "a sound fits inputs of floating point (-1 to 1), int16 or int32, not %s",
             dtype_name(info->dtype));
    return NULL;
  }
  int64_t frames = 0, dims[3];
  int rank;
  char *samples = read_samples(file, format->channels, dtype, &frames, status);
  TF_Tensor *tensor = NULL;
  if (samples && choose_shape(info, frames, format->channels, dims, &rank, status)) {
    size_t bytes = (size_t)frames * (size_t)format->channels * TF_DataTypeSize(dtype);
    tensor = TF_AllocateTensor(dtype, dims, rank, bytes);
    if (tensor && bytes) memcpy(TF_TensorData(tensor), samples, bytes);
    if (!tensor) cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  }
  free(samples);
  return convert_tensor(tensor, info->dtype, status);
}

// Whether the RIFF header promises more bytes than there are. Writers to a pipe leave the size at 0 or at
// about the most that fits; it says nothing then. libsndfile reads a cut file without a word.
static bool is_cut_off(const char *path) {
  unsigned char head[8];
  FILE *file = fopen(path, "rb");
  bool read = file && fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "RIFF", 4) == 0 &&
              fseeko(file, 0, SEEK_END) == 0;
  int64_t there = read ? (int64_t)ftello(file) : 0;
  int64_t promised = read ? head[4] | head[5] << 8 | head[6] << 16 | (int64_t)head[7] << 24 : 0;
  if (file) fclose(file);
  return promised > 0 && promised < 0x7fff0000 && promised + 8 > there;
}

TF_Tensor *sound_read(const char *path, const dvt_tensor_info *info, TF_Status *status) {
  SF_INFO format = {0};
  SNDFILE *file = sf_open(path, SFM_READ, &format);
  if (!file) {
    const char *reason = sf_strerror(NULL);
    int len = (int)strlen(reason);
    while (len > 0 && reason[len - 1] == '.') --len;  // the sentence goes on
    cli_fail(status, TF_INVALID_ARGUMENT, "it is not a readable sound file: %.*s", len, reason);
    return NULL;
  }
  TF_Tensor *tensor = NULL;
  if (is_cut_off(path))
    cli_fail(status, TF_INVALID_ARGUMENT, "it is cut off: its header promises more samples");
  else
    tensor = to_tensor(file, &format, info, status);
  sf_close(file);
  return tensor;
}
