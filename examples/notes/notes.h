// Parts of the `notes` example: a note, the piece that is played, sound files, finding notes, and ways to
// show them.
#ifndef NOTES_H_
#define NOTES_H_

#include <stdbool.h>
#include <stddef.h>

#define NOTE_LOWEST 21  // MIDI number of the lowest piano key, A0
#define NOTE_KEYS 88

typedef struct note {
  double start, end;  // seconds
  int pitch;          // MIDI number; 60 is C4, middle C
  int velocity;       // 1..127
} note;

typedef struct note_list {
  note *items;
  size_t count, capacity;
} note_list;

void notes_add(note_list *list, note n);
void notes_sort(note_list *list);  // by start, then pitch
void notes_free(note_list *list);
const char *note_name(int pitch, char buffer[16]);  // "C4", "F#3"

// melody.c: the piece, and a recording of it that sounds somewhat like a piano (44.1 kHz stereo).
void melody_notes(note_list *out);
bool melody_record(const char *wav_path, const note_list *notes);

// sound.c: a sound file as mono samples at `rate` (resampled if need be), and writing such samples. NULL,
// false: an error has been printed.
float *sound_load(const char *path, int rate, size_t *out_count);
bool sound_save(const char *path, const float *samples, size_t count, int rate);

// detect.c: notes from the model's two matrices of `frames` rows and NOTE_KEYS columns: how likely each key
// sounds, and how likely it was struck just then. time_of gives the time of a row.
void detect_notes(const float *sounding, const float *struck, size_t frames, double (*time_of)(size_t frame),
                  note_list *out);

// show.c
void show_table(const note_list *found, const note_list *played);  // `played` may be NULL
bool write_midi(const char *path, const note_list *notes);
bool write_piano_roll(const char *path, const note_list *found, const note_list *played);  // PNG; roll.c
// Which of `found` hits played[i] (same pitch, start within 50 ms); fills hit_of_found and hit_of_played if
// not NULL.
size_t match_notes(const note_list *found, const note_list *played, bool *hit_of_found, bool *hit_of_played);

#endif  // NOTES_H_
