// What `dovetail bench --against` and the program that drives the other library say to each other: whole
// numbers and runs of bytes over two pipes. Both ends are of the same build, so the machine's own byte order
// will do.
#ifndef DVT_TOOLS_AGAINST_PIPE_H_
#define DVT_TOOLS_AGAINST_PIPE_H_

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAINST_PROGRAM "dovetail-against"

// Said once, by the command: the model's kind and path, tags, threads, inputs (tensor name, tensor), outputs
// (tensor name). Answered by a status; after AGAINST_OK version, milliseconds to load, open and run first,
// and the outputs. Then, as often as it likes, the command says how many runs it wants and gets the
// milliseconds of each; 0 runs are answered with the peak of memory in bytes and end it.
enum { AGAINST_SAVED_MODEL = 1, AGAINST_GRAPH_DEF = 2 };
enum { AGAINST_OK = 0, AGAINST_FAILED = 1 };

typedef struct against_link {
  int in, out;  // file descriptors
  bool failed;  // sticky: what is read then is 0
} against_link;

static inline void link_write(against_link *l, const void *bytes, size_t len) {
  const char *at = (const char *)bytes;
  while (len > 0 && !l->failed) {
    ssize_t n = write(l->out, at, len);
    if (n < 0 && errno == EINTR) continue;
    l->failed = n <= 0;
    if (n <= 0) return;
    at += n;
    len -= (size_t)n;
  }
}

static inline void link_read(against_link *l, void *bytes, size_t len) {
  char *at = (char *)bytes;
  if (l->failed) memset(bytes, 0, len);
  while (len > 0 && !l->failed) {
    ssize_t n = read(l->in, at, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      l->failed = true;
      memset(at, 0, len);
      return;
    }
    at += n;
    len -= (size_t)n;
  }
}

static inline void link_put_int(against_link *l, int64_t value) { link_write(l, &value, sizeof value); }
static inline void link_put_real(against_link *l, double value) { link_write(l, &value, sizeof value); }
static inline void link_put_bytes(against_link *l, const void *bytes, size_t len) {
  link_put_int(l, (int64_t)len);
  link_write(l, bytes, len);
}
static inline void link_put_text(against_link *l, const char *text) { link_put_bytes(l, text, strlen(text)); }

static inline int64_t link_get_int(against_link *l) {
  int64_t value;
  link_read(l, &value, sizeof value);
  return value;
}
static inline double link_get_real(against_link *l) {
  double value;
  link_read(l, &value, sizeof value);
  return value;
}
// malloc'ed and ended with NUL; NULL when the link fails.
static inline char *link_get_bytes(against_link *l, size_t *out_len) {
  int64_t len = link_get_int(l);
  char *bytes = l->failed || len < 0 ? NULL : (char *)malloc((size_t)len + 1);
  if (!bytes) {
    l->failed = true;
    return NULL;
  }
  link_read(l, bytes, (size_t)len);
  bytes[len] = '\0';
  if (out_len) *out_len = (size_t)len;
  if (!l->failed) return bytes;
  free(bytes);
  return NULL;
}
static inline char *link_get_text(against_link *l) { return link_get_bytes(l, NULL); }

#endif  // DVT_TOOLS_AGAINST_PIPE_H_
