// Runs a fuzz target without libFuzzer, so that every compiler and every test run exercises it:
//   X_fuzz_replay [FILE or DIRECTORY]...
// Each file is an input; then come mutations of the files from fixed seeds, the same in every run, until
// 20,000 inputs or about two seconds are over. The input that crashes is written to crash.input in the
// working directory first.
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_SEEDS 256
#define MAX_BYTES 8192
#define MUTATIONS 20000
#define SECONDS 2.0

typedef struct input {
  uint8_t *bytes;
  size_t size;
} input;

static input seeds[MAX_SEEDS];
static size_t seed_count;
static input current;

static uint64_t random_state = 0x9e3779b97f4a7c15u;
static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}
static size_t below(size_t n) { return n ? (size_t)(next_random() % n) : 0; }

static void save_current(void) {
  FILE *file = fopen("crash.input", "wb");
  if (!file) return;
  fwrite(current.bytes, 1, current.size, file);
  fclose(file);
}

// The input goes into a block of exactly its size, so that sanitizers see reads past its end.
static void run(const uint8_t *bytes, size_t size) {
  current.bytes = malloc(size ? size : 1);
  if (!current.bytes) exit(2);
  memcpy(current.bytes, bytes, size);
  current.size = size;
  LLVMFuzzerTestOneInput(current.bytes, size);
  free(current.bytes);
  current = (input){0};
}

static void add_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || seed_count == MAX_SEEDS) {
    if (file) fclose(file);
    return;
  }
  uint8_t *bytes = malloc(MAX_BYTES);
  if (!bytes) exit(2);
  size_t size = fread(bytes, 1, MAX_BYTES, file);
  fclose(file);
  seeds[seed_count++] = (input){bytes, size};
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_path(const char *path) {
  struct stat info;
  struct dirent **entries;
  if (stat(path, &info) != 0) return;
  if (!S_ISDIR(info.st_mode)) {
    add_file(path);
    return;
  }
  int count = scandir(path, &entries, NULL, by_name);
  for (int i = 0; i < count; i++) {
    char child[4096];
    snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
    if (stat(child, &info) == 0 && S_ISREG(info.st_mode)) add_file(child);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

static const uint8_t interesting[] = {0,    1,   2,    7,   8,   9,   0x7f, 0x80, 0xff,
                                      0xfe, '"', '\\', '{', '}', '[', ']',  ':',  '-'};

static void insert(uint8_t *bytes, size_t *size, size_t at, const uint8_t *from, size_t count) {
  uint8_t copy[64];
  if (count > sizeof copy) count = sizeof copy;
  if (*size + count > MAX_BYTES) return;
  memcpy(copy, from, count);
  memmove(bytes + at + count, bytes + at, *size - at);
  memcpy(bytes + at, copy, count);
  *size += count;
}

static void mutate_once(uint8_t *bytes, size_t *size) {
  const input *other = &seeds[below(seed_count)];
  size_t at = below(*size), from = below(other->size), n;
  switch (below(8)) {
    case 0:
      if (*size) bytes[at] ^= (uint8_t)(1u << below(8));
      break;
    case 1:
      if (*size) bytes[at] = interesting[below(sizeof interesting)];
      break;
    case 2:
      if (*size) bytes[at] = (uint8_t)next_random();
      break;
    case 3:
      *size = at;
      break;
    case 4:
      n = below(*size - at < 32 ? *size - at + 1 : 32);
      memmove(bytes + at, bytes + at + n, *size - at - n);
      *size -= n;
      break;
    case 5:  // a run of the input again, elsewhere
      n = *size - at < 64 ? *size - at : 64;
      insert(bytes, size, below(*size + 1), bytes + at, below(n + 1));
      break;
    case 6:  // a run of another seed
      n = other->size - from < 64 ? other->size - from : 64;
      insert(bytes, size, below(*size + 1), other->bytes + from, below(n + 1));
      break;
    default: {
      uint64_t value = next_random() >> below(64);
      insert(bytes, size, below(*size + 1), (const uint8_t *)&value, 1 + below(8));
    }
  }
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void on_abort(int signal_number) {
  save_current();
  _exit(128 + signal_number);
}

int main(int argc, char **argv) {
  static const uint8_t none[1];
  static uint8_t bytes[MAX_BYTES];
  signal(SIGABRT, on_abort);
  for (int i = 1; i < argc; i++) add_path(argv[i]);
  if (!seed_count) seeds[seed_count++] = (input){calloc(1, 1), 0};
  run(none, 0);
  for (size_t i = 0; i < seed_count; i++) run(seeds[i].bytes, seeds[i].size);
  double end = seconds_now() + SECONDS;
  size_t done = 0;
  for (; done < MUTATIONS && (done % 64 || seconds_now() < end); done++) {
    const input *seed = &seeds[below(seed_count)];
    size_t size = seed->size;
    memcpy(bytes, seed->bytes, size);
    for (size_t n = 1 + below(6); n > 0; n--) mutate_once(bytes, &size);
    run(bytes, size);
  }
  printf("%zu seeds and %zu mutations ran\n", seed_count, done);
  for (size_t i = 0; i < seed_count; i++) free(seeds[i].bytes);
  return 0;
}
