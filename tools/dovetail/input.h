// Input files: what FILE of --input NAME=FILE becomes. input.c picks the format by the file's extension and
// fits the values to what the model wants; image.c, sound.c, text.c and npy.c read; convert.c changes dtypes.
#ifndef DVT_TOOLS_INPUT_H_
#define DVT_TOOLS_INPUT_H_

#include "cli.h"
#include "dtype.h"

// The tensor for the input described by `info`; NULL with *status set.
TF_Tensor *input_read(const char *path, const dvt_tensor_info *info, TF_Status *status);

// A whole file; NULL with *status set. The caller frees it.
char *file_read(const char *path, size_t *out_len, TF_Status *status);

// A picture: rows from the top, `channels` of 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA), `bits` 8 or 16
// (native).
typedef struct picture {
  int64_t height, width;
  int channels, bits;
  void *pixels;  // malloc'ed
} picture;
bool png_parse(const char *bytes, size_t len, picture *out, TF_Status *status);
bool jpeg_parse(const char *bytes, size_t len, picture *out, TF_Status *status);
TF_Tensor *picture_to_tensor(const picture *p, const dvt_tensor_info *info, TF_Status *status);

TF_Tensor *sound_read(const char *path, const dvt_tensor_info *info, TF_Status *status);
TF_Tensor *text_parse(const char *bytes, size_t len, const dvt_tensor_info *info, TF_Status *status);

// `tensor` (consumed) with its values as `dtype`; NULL with *status set when a value would change: see
// convert.c.
TF_Tensor *convert_tensor(TF_Tensor *tensor, TF_DataType dtype, TF_Status *status);

#endif  // DVT_TOOLS_INPUT_H_
