// In the place of image.c and sound.c where the command is linked statically: it reads no pictures and
// sounds.
#include "input.h"

static bool refuse(TF_Status *status) {
  return cli_fail(status, TF_UNIMPLEMENTED,
                  "this build of the command reads no pictures and sounds; give the values as .npy");
}

bool png_parse(const char *bytes, size_t len, picture *out, TF_Status *status) {
  (void)bytes, (void)len, (void)out;
  return refuse(status);
}

bool jpeg_parse(const char *bytes, size_t len, picture *out, TF_Status *status) {
  (void)bytes, (void)len, (void)out;
  return refuse(status);
}

TF_Tensor *picture_to_tensor(const picture *p, const dvt_tensor_info *info, TF_Status *status) {
  (void)p, (void)info;
  refuse(status);
  return NULL;
}

TF_Tensor *sound_read(const char *path, const dvt_tensor_info *info, TF_Status *status) {
  (void)path, (void)info;
  refuse(status);
  return NULL;
}
