// .png (libpng) and .jpg (libjpeg) files, and fitting a picture to an input. The rules are in the help of
// `run`.
#include <stdio.h>

#include <inttypes.h>
#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

#define MAX_PIXEL_BYTES ((size_t)1 << 31)

static bool allocate(picture *out, TF_Status *status) {
  size_t bytes = (size_t)out->channels * (size_t)(out->bits / 8);
  if (!dvt_size_mul(bytes, (size_t)out->width, &bytes) || !dvt_size_mul(bytes, (size_t)out->height, &bytes) ||
      bytes > MAX_PIXEL_BYTES || bytes == 0)
    return cli_fail(status, TF_INVALID_ARGUMENT,
                    "its size of %" PRId64 " x %" PRId64 " pixels is not one that can be read", out->width,
                    out->height);
  out->pixels = calloc(1, bytes);
  return out->pixels ||
         cli_fail(status, TF_RESOURCE_EXHAUSTED, "there is no memory for its %zu bytes", bytes);
}

// ---- png ----

typedef struct png_source {
  const char *next;
  size_t left;
  char message[256];
} png_source;

static void png_take(png_structp png, png_bytep out, size_t len) {
  png_source *source = png_get_io_ptr(png);
  if (len > source->left) png_error(png, "the file is cut off");
  memcpy(out, source->next, len);
  source->next += len;
  source->left -= len;
}

static void png_failed(png_structp png, png_const_charp message) {
  png_source *source = png_get_error_ptr(png);
  snprintf(source->message, sizeof source->message, "%s", message);
  png_longjmp(png, 1);
}

static void png_warned(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

// Everything becomes 1 to 4 channels of 8 or 16 bits.
static void png_set_up(png_structp png, png_infop info, picture *out) {
  png_read_info(png, info);
  png_set_expand(png);
  if (png_get_bit_depth(png, info) == 16) png_set_swap(png);  // to little-endian
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  out->width = png_get_image_width(png, info);
  out->height = png_get_image_height(png, info);
  out->channels = png_get_channels(png, info);
  out->bits = png_get_bit_depth(png, info);
}

bool png_parse(const char *bytes, size_t len, picture *out, TF_Status *status) {
  png_source source = {bytes, len, ""};
  png_bytep *volatile rows = NULL;
  volatile bool ok = true;
  *out = (picture){0};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, png_failed, png_warned);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_read_struct(&png, NULL, NULL);
    return cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  }
  if (setjmp(png_jmpbuf(png)) == 0) {
    png_set_read_fn(png, &source, png_take);
    png_set_up(png, info, out);
    ok = allocate(out, status);
    if (ok) rows = calloc((size_t)out->height, sizeof *rows);
    size_t stride = (size_t)out->width * (size_t)out->channels * (size_t)(out->bits / 8);
    for (int64_t y = 0; rows && y < out->height; ++y) rows[y] = (png_bytep)out->pixels + (size_t)y * stride;
    if (rows) png_read_image(png, rows);
    if (rows) png_read_end(png, NULL);
    if (ok && !rows) ok = cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
  } else {
    ok = cli_fail(status, TF_INVALID_ARGUMENT, "it is not a readable PNG picture: %s", source.message);
  }
  png_destroy_read_struct(&png, &info, NULL);
  free(rows);
  if (!ok) free(out->pixels);
  return ok;
}

// ---- jpeg ----

typedef struct jpeg_errors {
  struct jpeg_error_mgr base;
  jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
} jpeg_errors;

static void jpeg_failed(j_common_ptr info) {
  jpeg_errors *errors = (jpeg_errors *)info->err;
  info->err->format_message(info, errors->message);
  longjmp(errors->escape, 1);
}

static void jpeg_message(j_common_ptr info) { (void)info; }

// A warning means that data is damaged or cut off, and pixels were made up: that is an error here.
static void jpeg_emit(j_common_ptr info, int level) {
  if (level < 0) jpeg_failed(info);
}

bool jpeg_parse(const char *bytes, size_t len, picture *out, TF_Status *status) {
  struct jpeg_decompress_struct info;
  jpeg_errors errors;
  volatile bool ok = true;
  *out = (picture){0};
  memset(&info, 0, sizeof info);
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = jpeg_failed;
  errors.base.output_message = jpeg_message;
  errors.base.emit_message = jpeg_emit;
  if (setjmp(errors.escape) == 0) {
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, (const unsigned char *)bytes, len);
    jpeg_read_header(&info, TRUE);
    if (info.num_components == 4) {
      ok = cli_fail(status, TF_INVALID_ARGUMENT, "it is a CMYK picture; save it as RGB");
    } else {
      info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_start_decompress(&info);
      *out = (picture){info.output_height, info.output_width, info.output_components, 8, NULL};
      ok = allocate(out, status);
      size_t stride = (size_t)out->width * (size_t)out->channels;
      while (ok && info.output_scanline < info.output_height) {
        JSAMPROW row = (JSAMPROW)out->pixels + info.output_scanline * stride;
        jpeg_read_scanlines(&info, &row, 1);
      }
      if (ok) jpeg_finish_decompress(&info);
    }
  } else {
    ok = cli_fail(status, TF_INVALID_ARGUMENT, "it is not a readable JPEG picture: %s", errors.message);
  }
  jpeg_destroy_decompress(&info);
  if (!ok) free(out->pixels);
  return ok;
}

// ---- to a tensor ----

static unsigned sample(const picture *p, int64_t pixel, int channel) {
  size_t at = (size_t)pixel * (size_t)p->channels + (size_t)channel;
  return p->bits == 8 ? ((const uint8_t *)p->pixels)[at] : ((const uint16_t *)p->pixels)[at];
}

static bool is_opaque(const picture *p) {
  unsigned full = p->bits == 8 ? 255 : 65535;
  for (int64_t i = 0; i < p->height * p->width; ++i)
    if (sample(p, i, p->channels - 1) != full) return false;
  return true;
}

// How many channels the input gets, 0 with *status set when the picture does not fit.
static int choose_channels(const picture *p, int64_t wanted, TF_Status *status) {
  static const char *const names[] = {"", "grey", "grey with transparency", "RGB", "RGB with transparency"};
  bool alpha = p->channels == 2 || p->channels == 4;
  if (wanted == p->channels) return p->channels;
  if (alpha && !is_opaque(p)) {
    cli_fail(status, TF_INVALID_ARGUMENT, "it has transparent parts; save it without transparency");
    return 0;
  }
  int plain = alpha ? p->channels - 1 : p->channels;
  if (wanted < 0 || wanted == plain) return plain;
  if (wanted == 3 && plain == 1) return 3;
  cli_fail(status, TF_INVALID_ARGUMENT,
           "it is %s, and the last dimension of the input wants %" PRId64 " channels%s", names[p->channels],
           wanted, wanted == 1 ? "; save it as a grey picture" : "");
  return 0;
}

static void store_sample(TF_DataType dtype, unsigned value, unsigned full, int64_t at, void *out) {
  if (dtype == TF_UINT8)
    ((uint8_t *)out)[at] = (uint8_t)value;
  else if (dtype == TF_UINT16)
    ((uint16_t *)out)[at] = (uint16_t)value;
  else
    ((float *)out)[at] = (float)value / (float)full;
}

TF_Tensor *picture_to_tensor(const picture *p, const dvt_tensor_info *info, TF_Status *status) {
  int rank = info->rank < 0 ? 4 : info->rank;
  if (rank != 3 && rank != 4) {
    char text[DTYPE_TEXT_BYTES];
    cli_fail(status, TF_INVALID_ARGUMENT,
             "a picture fits inputs of shape [1,height,width,channels] or "
             "[height,width,channels]; this one is %s",
             dtype_text(info->dtype, info->dims, info->rank, text));
    return NULL;
  }
  const int64_t *want = info->rank < 0 ? NULL : info->dims + (rank - 3);
  int channels = choose_channels(p, want ? want[2] : -1, status);
  if (!channels) return NULL;
  if (want && ((want[0] >= 0 && want[0] != p->height) || (want[1] >= 0 && want[1] != p->width))) {
    char text[DTYPE_TEXT_BYTES];
    cli_fail(status, TF_INVALID_ARGUMENT,
             "it is %" PRId64 " pixels high and %" PRId64 " wide, the model wants %s; resize it first",
             p->height, p->width, dtype_text(info->dtype, info->dims, info->rank, text));
    return NULL;
  }
  unsigned full = p->bits == 8 ? 255 : 65535;
  TF_DataType dtype = info->dtype == TF_UINT8 || info->dtype == TF_UINT16 ? info->dtype : TF_FLOAT;
  bool exact = p->bits == (dtype == TF_UINT8 ? 8 : 16) || dtype == TF_FLOAT;
  if (!exact || (dtype == TF_FLOAT && info->dtype && dtype_kind_of(info->dtype) != KIND_FLOAT)) {
    cli_fail(status, TF_INVALID_ARGUMENT,
             "its samples have %d bits, and an input of dtype %s takes no such picture (uint8 "
             "for 8 bits, uint16 for 16 bits, floating point for both)",
             p->bits, dtype_name(info->dtype));
    return NULL;
  }
  const int64_t dims[] = {1, p->height, p->width, channels};
  size_t count = (size_t)(p->height * p->width) * (size_t)channels;
  TF_Tensor *tensor = TF_AllocateTensor(dtype, dims + (4 - rank), rank, count * TF_DataTypeSize(dtype));
  if (!tensor) {
    cli_fail(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  for (int64_t i = 0; i < p->height * p->width; ++i)
    for (int c = 0; c < channels; ++c)
      store_sample(dtype, sample(p, i, p->channels <= 2 ? (channels == 2 ? c : 0) : c), full,
                   i * channels + c, TF_TensorData(tensor));
  return convert_tensor(tensor, info->dtype, status);
}
