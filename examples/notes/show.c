// Notes as a table and as a MIDI file; comparing found notes with played ones.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"

#define HIT_SECONDS 0.05

void notes_add(note_list *list, note n) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    note *grown = realloc(list->items, capacity * sizeof *grown);
    if (!grown) {
      fputs("notes: out of memory\n", stderr);
      exit(1);
    }
    list->items = grown;
    list->capacity = capacity;
  }
  list->items[list->count++] = n;
}

static int by_start(const void *a, const void *b) {
  const note *x = a, *y = b;
  return x->start != y->start ? (x->start > y->start ? 1 : -1) : x->pitch - y->pitch;
}

void notes_sort(note_list *list) {
  if (list->count) qsort(list->items, list->count, sizeof *list->items, by_start);
}

void notes_free(note_list *list) {
  free(list->items);
  *list = (note_list){0};
}

const char *note_name(int pitch, char buffer[16]) {
  static const char *const names[] = {"C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
  snprintf(buffer, 16, "%s%d", names[pitch % 12], pitch / 12 - 1);
  return buffer;
}

// Each played note takes the nearest found note that none before took.
size_t match_notes(const note_list *found, const note_list *played, bool *hit_of_found, bool *hit_of_played) {
  size_t hits = 0;
  bool *taken = calloc(found->count + 1, sizeof *taken);
  for (size_t i = 0; taken && i < played->count; ++i) {
    const note *p = &played->items[i];
    size_t best = found->count;
    double least = HIT_SECONDS;
    for (size_t j = 0; j < found->count; ++j) {
      double distance = fabs(found->items[j].start - p->start);
      if (taken[j] || found->items[j].pitch != p->pitch || distance > least) continue;
      least = distance;
      best = j;
    }
    bool hit = best < found->count;
    if (hit) taken[best] = true;
    if (hit_of_played) hit_of_played[i] = hit;
    hits += hit;
  }
  if (taken && hit_of_found) memcpy(hit_of_found, taken, found->count * sizeof *taken);
  free(taken);
  return hits;
}

static void show_score(const note_list *found, const note_list *played, const bool *hit_of_played) {
  size_t hits = match_notes(found, played, NULL, NULL);
  printf(
      "\n%zu notes were played, %zu found: %zu hits (same key, start within %.0f ms), %zu missed, %zu "
      "extra\n",
      played->count, found->count, hits, HIT_SECONDS * 1e3, played->count - hits, found->count - hits);
  for (size_t i = 0; i < played->count; ++i) {
    char name[16];
    if (!hit_of_played[i])
      printf("  missed: %s at %.2f s\n", note_name(played->items[i].pitch, name), played->items[i].start);
  }
}

void show_table(const note_list *found, const note_list *played) {
  bool *hit = calloc(found->count + 1, sizeof *hit),
       *played_hit = calloc(played ? played->count + 1 : 1, sizeof *hit);
  if (!hit || !played_hit) exit(1);
  if (played) match_notes(found, played, hit, played_hit);
  printf("\n  note   start s   end s  velocity%s\n", played ? "  played" : "");
  for (size_t i = 0; i < found->count; ++i) {
    const note *n = &found->items[i];
    char name[16];
    printf("  %-4s  %8.3f %7.3f  %8d%s\n", note_name(n->pitch, name), n->start, n->end, n->velocity,
           !played  ? ""
           : hit[i] ? "  yes"
                    : "  no");
  }
  if (played) show_score(found, played, played_hit);
  free(hit);
  free(played_hit);
}

// ---- MIDI: one track, 480 ticks a quarter, 120 quarters a minute ----

#define TICKS_PER_SECOND 960.0

typedef struct event {
  uint32_t tick;
  uint8_t status, pitch, velocity;
} event;

static int by_tick(const void *a, const void *b) {  // at one tick keys are let go before others are struck
  const event *x = a, *y = b;
  return x->tick != y->tick ? (x->tick > y->tick ? 1 : -1) : x->status - y->status;
}

static size_t put_length(uint8_t *out, uint32_t value) {
  uint8_t bytes[5];
  size_t count = 0, done = 0;
  do bytes[count++] = value & 0x7f;
  while ((value >>= 7) != 0);
  while (count > 0) {
    --count;
    out[done++] = (uint8_t)(bytes[count] | (count ? 0x80 : 0));
  }
  return done;
}

bool write_midi(const char *path, const note_list *notes) {
  static const uint8_t tempo[] = {0, 0xff, 0x51, 3, 0x07, 0xa1, 0x20};  // 500,000 us a quarter
  static const uint8_t end[] = {0, 0xff, 0x2f, 0};
  size_t count = notes->count * 2, len = 0;
  event *events = calloc(count + 1, sizeof *events);
  uint8_t *track = malloc(count * 8 + 32);
  FILE *file = fopen(path, "wb");
  bool ok = events && track && file;
  for (size_t i = 0; ok && i < notes->count; ++i) {
    const note *n = &notes->items[i];
    events[2 * i] =
        (event){(uint32_t)lround(n->start * TICKS_PER_SECOND), 0x90, (uint8_t)n->pitch, (uint8_t)n->velocity};
    events[2 * i + 1] = (event){(uint32_t)lround(n->end * TICKS_PER_SECOND), 0x80, (uint8_t)n->pitch, 0};
  }
  if (ok) {
    qsort(events, count, sizeof *events, by_tick);
    memcpy(track, tempo, sizeof tempo);
    len = sizeof tempo;
    uint32_t now = 0;
    for (size_t i = 0; i < count; ++i) {
      len += put_length(track + len, events[i].tick - now);
      now = events[i].tick;
      track[len++] = events[i].status;
      track[len++] = events[i].pitch;
      track[len++] = events[i].velocity;
    }
    memcpy(track + len, end, sizeof end);
    len += sizeof end;
    const uint8_t header[] = {'M',
                              'T',
                              'h',
                              'd',
                              0,
                              0,
                              0,
                              6,
                              0,
                              0,
                              0,
                              1,
                              480 >> 8,
                              480 & 0xff,
                              'M',
                              'T',
                              'r',
                              'k',
                              (uint8_t)(len >> 24),
                              (uint8_t)(len >> 16),
                              (uint8_t)(len >> 8),
                              (uint8_t)len};
    ok = fwrite(header, 1, sizeof header, file) == sizeof header && fwrite(track, 1, len, file) == len;
  }
  if (file && fclose(file) != 0) ok = false;
  if (!ok) fprintf(stderr, "notes: %s cannot be written\n", path);
  free(events);
  free(track);
  return ok;
}
