// Pictures, sounds and text as inputs: what becomes of them, and what is refused. The files are written here
// with libpng, libjpeg and libsndfile.
#include <stdio.h>

#include <jpeglib.h>
#include <png.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "input.h"

static dvt_tensor_info wants(TF_DataType dtype, int rank, const int64_t *dims) {
  return (dvt_tensor_info){"x", "x:0", dtype, rank, dims};
}

static char folder[] = "/tmp/dvt_media_XXXXXX";

static const char *path_of(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static TF_Tensor *read_ok(const char *name, dvt_tensor_info info) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *t = input_read(path_of(name), &info, status);
  if (!t) fail_msg("%s", TF_Message(status));
  TF_DeleteStatus(status);
  return t;
}

static void assert_refused(const char *name, dvt_tensor_info info, const char *part) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *t = input_read(path_of(name), &info, status);
  assert_null(t);
  if (!strstr(TF_Message(status), part)) fail_msg("got: %s", TF_Message(status));
  TF_DeleteStatus(status);
}

static void write_png(const char *name, int format, int width, int height, const void *pixels) {
  png_image image = {.version = PNG_IMAGE_VERSION, .format = (png_uint_32)format};
  image.width = (png_uint_32)width;
  image.height = (png_uint_32)height;
  assert_int_not_equal(png_image_write_to_file(&image, path_of(name), 0, pixels, 0, NULL), 0);
}

static void write_jpeg(const char *name, int width, int height, const unsigned char *rgb) {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  FILE *file = fopen(path_of(name), "wb");
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, file);
  info.image_width = (JDIMENSION)width;
  info.image_height = (JDIMENSION)height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < height; ++y) {
    JSAMPROW row = (JSAMPROW)rgb + y * width * 3;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  fclose(file);
}

static const unsigned char rgb[] = {255, 0,  0,  0,  255, 0,  0,  0,  255,
                                    10,  20, 30, 40, 50,  60, 70, 80, 90};  // 3 wide, 2 high

static int make_files(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  write_png("rgb.png", PNG_FORMAT_RGB, 3, 2, rgb);
  write_png("grey.png", PNG_FORMAT_GRAY, 3, 2, rgb);
  const unsigned char opaque[] = {1, 2, 3, 255, 4, 5, 6, 255}, clear[] = {1, 2, 3, 255, 4, 5, 6, 0};
  write_png("opaque.png", PNG_FORMAT_RGBA, 2, 1, opaque);
  write_png("clear.png", PNG_FORMAT_RGBA, 2, 1, clear);
  unsigned char flat[16 * 16 * 3];
  for (size_t i = 0; i < sizeof flat; ++i) flat[i] = (unsigned char)(100 + i % 3 * 50);
  write_jpeg("flat.jpg", 16, 16, flat);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static void test_png(void **state) {
  (void)state;
  const int64_t any[] = {-1, -1, -1, 3}, fixed[] = {2, 3, 3}, other[] = {1, 224, 224, 3},
                one[] = {1, 2, 3, 1};
  TF_Tensor *t = read_ok("rgb.png", wants(TF_UINT8, 4, any));
  assert_true(TF_NumDims(t) == 4 && TF_Dim(t, 0) == 1 && TF_Dim(t, 1) == 2 && TF_Dim(t, 2) == 3 &&
              TF_Dim(t, 3) == 3);
  assert_memory_equal(TF_TensorData(t), rgb, sizeof rgb);
  TF_DeleteTensor(t);
  t = read_ok("rgb.png", wants(TF_FLOAT, 3, fixed));
  assert_int_equal(TF_NumDims(t), 3);
  for (size_t i = 0; i < sizeof rgb; ++i)
    assert_true(((float *)TF_TensorData(t))[i] == (float)rgb[i] / 255.0f);
  TF_DeleteTensor(t);
  t = read_ok("grey.png", wants(TF_UINT8, 3, fixed));  // grey becomes RGB
  assert_true(((unsigned char *)TF_TensorData(t))[0] == 255 && ((unsigned char *)TF_TensorData(t))[2] == 255);
  assert_true(((unsigned char *)TF_TensorData(t))[3] == 0);
  TF_DeleteTensor(t);
  t = read_ok("grey.png", wants(TF_HALF, 4, one));
  assert_int_equal(TF_TensorType(t), TF_HALF);
  assert_int_equal(((uint16_t *)TF_TensorData(t))[0], 0x3c00);  // 1.0
  TF_DeleteTensor(t);
  assert_refused("rgb.png", wants(TF_FLOAT, 4, other), "224");
  assert_refused("rgb.png", wants(TF_UINT8, 4, one), "wants 1 channels");
  assert_refused("rgb.png", wants(TF_INT32, 4, any), "int32");
  assert_refused("rgb.png", wants(TF_FLOAT, 2, any), "this one is float32[?,?]");
}

static void test_transparency(void **state) {
  (void)state;
  const int64_t three[] = {-1, -1, 3}, four[] = {-1, -1, 4};
  TF_Tensor *t = read_ok("opaque.png", wants(TF_UINT8, 3, three));
  assert_memory_equal(TF_TensorData(t), "\1\2\3\4\5\6", 6);
  TF_DeleteTensor(t);
  t = read_ok("clear.png", wants(TF_UINT8, 3, four));
  assert_memory_equal(TF_TensorData(t), "\1\2\3\xff\4\5\6\0", 8);
  TF_DeleteTensor(t);
  assert_refused("clear.png", wants(TF_UINT8, 3, three), "transparent");
}

static void test_jpeg(void **state) {
  (void)state;
  const int64_t any[] = {1, -1, -1, -1};
  TF_Tensor *t = read_ok("flat.jpg", wants(TF_UINT8, 4, any));
  const unsigned char *p = TF_TensorData(t);
  assert_true(TF_Dim(t, 1) == 16 && TF_Dim(t, 3) == 3);
  for (int c = 0; c < 3; ++c) assert_true(abs(p[c] - (100 + c * 50)) <= 2);
  TF_DeleteTensor(t);
  t = read_ok("flat.jpg", wants(TF_STRING, 0, NULL));  // such models decode pictures themselves
  assert_memory_equal(TF_TString_GetDataPointer(TF_TensorData(t)), "\xff\xd8", 2);
  TF_DeleteTensor(t);
}

static void test_damaged_pictures(void **state) {
  (void)state;
  static const char *const names[] = {"rgb.png", "flat.jpg"};
  for (size_t k = 0; k < 2; ++k) {
    TF_Status *status = TF_NewStatus();
    size_t len;
    char *bytes = file_read(path_of(names[k]), &len, status);
    for (size_t cut = 0; cut < len; cut += k ? 7 : 1) {
      char *part = malloc(cut + 1);
      memcpy(part, bytes, cut);
      picture p;
      bool ok = k == 0 ? png_parse(part, cut, &p, status) : jpeg_parse(part, cut, &p, status);
      if (ok) free(p.pixels);
      // A JPEG may lack its two closing bytes.
      if (ok && cut + 2 < len) fail_msg("%s cut at %zu of %zu was read", names[k], cut, len);
      free(part);
    }
    for (size_t i = 0; i < len; ++i) {
      bytes[i] ^= 0x55;
      picture p;
      if (k == 0 ? png_parse(bytes, len, &p, status) : jpeg_parse(bytes, len, &p, status)) free(p.pixels);
      bytes[i] ^= 0x55;
    }
    free(bytes);
    TF_DeleteStatus(status);
  }
}

static void write_wav(const char *name, int channels, const short *samples, int frames) {
  SF_INFO format = {.samplerate = 8000, .channels = channels, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
  SNDFILE *file = sf_open(path_of(name), SFM_WRITE, &format);
  assert_non_null(file);
  sf_writef_short(file, samples, frames);
  sf_close(file);
}

static void test_wav(void **state) {
  (void)state;
  const short samples[] = {0, 16384, -32768, 8192};
  const int64_t batch[] = {-1, 4, 1}, rows[] = {1, -1}, longer[] = {1, 5, 1}, stereo[] = {-1, 2},
                flat[] = {4};
  write_wav("mono.wav", 1, samples, 4);
  write_wav("stereo.wav", 2, samples, 2);
  TF_Tensor *t = read_ok("mono.wav", wants(TF_FLOAT, 3, batch));
  const float expected[] = {0, 0.5f, -1, 0.25f};
  assert_true(TF_NumDims(t) == 3 && TF_Dim(t, 0) == 1 && TF_Dim(t, 1) == 4 && TF_Dim(t, 2) == 1);
  assert_memory_equal(TF_TensorData(t), expected, sizeof expected);
  TF_DeleteTensor(t);
  t = read_ok("mono.wav", wants(TF_INT16, 2, rows));
  assert_true(TF_Dim(t, 0) == 1 && TF_Dim(t, 1) == 4);
  assert_memory_equal(TF_TensorData(t), samples, sizeof samples);
  TF_DeleteTensor(t);
  t = read_ok("stereo.wav", wants(TF_FLOAT, 2, stereo));
  assert_true(TF_Dim(t, 0) == 2 && TF_Dim(t, 1) == 2);
  TF_DeleteTensor(t);
  t = read_ok("mono.wav", wants(TF_DOUBLE, 1, flat));
  assert_true(((double *)TF_TensorData(t))[1] == 0.5);
  TF_DeleteTensor(t);
  assert_refused("mono.wav", wants(TF_FLOAT, 3, longer), "cut or pad");
  assert_refused("stereo.wav", wants(TF_FLOAT, 1, flat), "2 channels");
  assert_refused("mono.wav", wants(TF_UINT8, 1, flat), "uint8");
}

static void test_text(void **state) {
  (void)state;
  const int64_t two[] = {-1}, three[] = {3}, column[] = {-1, 1};
  FILE *file = fopen(path_of("a.txt"), "wb");
  fputs("first\r\nsecond line\n", file);
  fclose(file);
  TF_Tensor *t = read_ok("a.txt", wants(TF_STRING, 1, two));
  TF_TString *s = TF_TensorData(t);
  assert_int_equal(TF_Dim(t, 0), 2);
  assert_true(TF_TString_GetSize(&s[0]) == 5 && TF_TString_GetSize(&s[1]) == 11);
  TF_DeleteTensor(t);
  t = read_ok("a.txt", wants(TF_STRING, 0, NULL));
  assert_int_equal(TF_TString_GetSize(TF_TensorData(t)), 18);
  TF_DeleteTensor(t);
  t = read_ok("a.txt", wants(TF_STRING, 2, column));
  assert_true(TF_Dim(t, 0) == 2 && TF_Dim(t, 1) == 1);
  TF_DeleteTensor(t);
  assert_refused("a.txt", wants(TF_STRING, 1, three), "2 lines");
  assert_refused("a.txt", wants(TF_FLOAT, 1, two), "numpy.save");
  assert_refused("none.txt", wants(TF_STRING, 1, two), "cannot be opened");
  assert_refused("a.bin", wants(TF_STRING, 1, two), "extension");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_png),  cmocka_unit_test(test_transparency),
      cmocka_unit_test(test_jpeg), cmocka_unit_test(test_wav),
      cmocka_unit_test(test_text), cmocka_unit_test(test_damaged_pictures),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
