// What the programs of tools measure of their own process, in the same way.
#ifndef DVT_TOOLS_MEASURE_H_
#define DVT_TOOLS_MEASURE_H_

#include <stdint.h>
#include <stdio.h>
#include <time.h>

// Monotonic clock.
static inline double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// The most memory that was resident so far; 0 when the system does not tell.
static inline int64_t peak_bytes(void) {
  char line[256];
  long long kib = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %lld kB", &kib);
  if (file) fclose(file);
  return kib * 1024;
}

#endif  // DVT_TOOLS_MEASURE_H_
