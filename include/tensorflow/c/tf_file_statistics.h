// What TF_FileStat tells about a file.
#ifndef TENSORFLOW_C_TF_FILE_STATISTICS_H_
#define TENSORFLOW_C_TF_FILE_STATISTICS_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct TF_FileStatistics {
  int64_t length;      // bytes; -1 where unknown
  int64_t mtime_nsec;  // last change, nanoseconds since 1970
  bool is_directory;
} TF_FileStatistics;

#endif
