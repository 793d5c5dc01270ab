// The piano roll as a picture: time runs to the right, keys upwards; found notes are bars, darker the louder,
// played notes are outlines. Missed notes stay empty outlines, extra ones bars without.
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"

#define KEY_PIXELS 11
#define SECOND_PIXELS 64
#define LEFT 34
#define TOP 6
#define BOTTOM 16

typedef struct canvas {
  int width, height, low, high;  // keys shown
  uint8_t *rgb;
} canvas;

typedef struct color {
  uint8_t r, g, b;
} color;

static void fill(canvas *c, int x0, int y0, int x1, int y1, color k) {
  for (int y = y0 < 0 ? 0 : y0; y < y1 && y < c->height; ++y)
    for (int x = x0 < 0 ? 0 : x0; x < x1 && x < c->width; ++x)
      memcpy(c->rgb + ((size_t)y * (size_t)c->width + (size_t)x) * 3, &k, 3);
}

static void outline(canvas *c, int x0, int y0, int x1, int y1, color k) {
  fill(c, x0, y0, x1, y0 + 1, k);
  fill(c, x0, y1 - 1, x1, y1, k);
  fill(c, x0, y0, x0 + 1, y1, k);
  fill(c, x1 - 1, y0, x1, y1, k);
}

// 3 x 5 dots a character, a row each in octal.
static void text(canvas *c, int x, int y, const char *s, color k) {
  static const struct {
    char c;
    uint8_t rows[5];
  } font[] = {{'0', {7, 5, 5, 5, 7}}, {'1', {2, 6, 2, 2, 7}}, {'2', {7, 1, 7, 4, 7}}, {'3', {7, 1, 7, 1, 7}},
              {'4', {5, 5, 7, 1, 1}}, {'5', {7, 4, 7, 1, 7}}, {'6', {7, 4, 7, 5, 7}}, {'7', {7, 1, 2, 2, 2}},
              {'8', {7, 5, 7, 5, 7}}, {'9', {7, 5, 7, 1, 7}}, {'A', {2, 5, 7, 5, 5}}, {'B', {6, 5, 6, 5, 6}},
              {'C', {7, 4, 4, 4, 7}}, {'D', {6, 5, 5, 5, 6}}, {'E', {7, 4, 6, 4, 7}}, {'F', {7, 4, 6, 4, 4}},
              {'G', {7, 4, 5, 5, 7}}, {'s', {0, 3, 6, 1, 6}}};
  for (; *s; ++s, x += 8)
    for (size_t i = 0; i < sizeof font / sizeof font[0]; ++i)
      for (int row = 0; font[i].c == *s && row < 5; ++row)
        for (int column = 0; column < 3; ++column)
          if (font[i].rows[row] >> (2 - column) & 1)
            fill(c, x + column * 2, y + row * 2, x + column * 2 + 2, y + row * 2 + 2, k);
}

static int x_of(double seconds) { return LEFT + (int)lround(seconds * SECOND_PIXELS); }
static int y_of(const canvas *c, int pitch) { return TOP + (c->high - pitch) * KEY_PIXELS; }

static void draw_grid(canvas *c, double seconds) {
  static const bool black[] = {0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0};
  fill(c, 0, 0, c->width, c->height, (color){255, 255, 255});
  for (int pitch = c->low; pitch <= c->high; ++pitch) {
    int y = y_of(c, pitch);
    char name[16];
    if (black[pitch % 12]) fill(c, LEFT, y, c->width, y + KEY_PIXELS, (color){240, 241, 244});
    fill(c, 0, y, LEFT - 4, y + KEY_PIXELS - 1,
         black[pitch % 12] ? (color){60, 60, 66} : (color){250, 250, 250});
    fill(c, LEFT, y + KEY_PIXELS - 1, c->width, y + KEY_PIXELS, (color){228, 229, 233});
    if (!black[pitch % 12]) text(c, 4, y + 1, note_name(pitch, name), (color){110, 110, 120});
  }
  for (int s = 0; s <= (int)seconds + 1; ++s) {
    char label[16];
    fill(c, x_of(s), TOP, x_of(s) + 1, c->height - BOTTOM, (color){205, 207, 214});
    snprintf(label, sizeof label, "%ds", s);
    if (x_of(s) + 24 < c->width) text(c, x_of(s) + 2, c->height - BOTTOM + 4, label, (color){110, 110, 120});
  }
}

static void draw_notes(canvas *c, const note_list *found, const note_list *played) {
  for (size_t i = 0; i < found->count; ++i) {
    const note *n = &found->items[i];
    double light = 1.0 - n->velocity / 127.0;
    color k = {(uint8_t)(24 + 130 * light), (uint8_t)(104 + 90 * light), (uint8_t)(178 + 50 * light)};
    fill(c, x_of(n->start), y_of(c, n->pitch) + 2, x_of(n->end), y_of(c, n->pitch) + KEY_PIXELS - 2, k);
  }
  for (size_t i = 0; played && i < played->count; ++i) {
    const note *n = &played->items[i];
    outline(c, x_of(n->start), y_of(c, n->pitch), x_of(n->end), y_of(c, n->pitch) + KEY_PIXELS,
            (color){214, 92, 20});
  }
}

static void widen(const note_list *list, int *low, int *high, double *seconds) {
  for (size_t i = 0; list && i < list->count; ++i) {
    if (list->items[i].pitch < *low) *low = list->items[i].pitch;
    if (list->items[i].pitch > *high) *high = list->items[i].pitch;
    *seconds = fmax(*seconds, list->items[i].end);
  }
}

bool write_piano_roll(const char *path, const note_list *found, const note_list *played) {
  int low = 127, high = 0;
  double seconds = 1;
  widen(found, &low, &high, &seconds);
  widen(played, &low, &high, &seconds);
  if (low > high) low = high = 60;
  canvas c = {.low = low - 2, .high = high + 2};
  c.width = x_of(seconds + 0.5);
  c.height = TOP + (c.high - c.low + 1) * KEY_PIXELS + BOTTOM;
  c.rgb = malloc((size_t)c.width * (size_t)c.height * 3);
  bool ok = c.rgb != NULL;
  if (ok) {
    draw_grid(&c, seconds);
    draw_notes(&c, found, played);
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    image.width = (png_uint_32)c.width;
    image.height = (png_uint_32)c.height;
    ok = png_image_write_to_file(&image, path, 0, c.rgb, 0, NULL) != 0;
  }
  if (!ok) fprintf(stderr, "notes: %s cannot be written\n", path);
  free(c.rgb);
  return ok;
}
