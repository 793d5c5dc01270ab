// What the reader, the slice assembler and the writer of checkpoints share: the struct and decoded index
// entries. Field numbers are those of the public tensor_bundle.proto and tensor_slice.proto.
#ifndef DVT_GRAPH_CHECKPOINT_INTERNAL_H_
#define DVT_GRAPH_CHECKPOINT_INTERNAL_H_

#include <pthread.h>

#include "base/library.h"
#include "base/wire.h"
#include "graph/checkpoint.h"
#include "graph/string_table.h"

enum { BUNDLE_NUM_SHARDS = 1, BUNDLE_ENDIANNESS = 2, BUNDLE_VERSION = 3 };
enum { VERSION_PRODUCER = 1, VERSION_MIN_CONSUMER = 2 };
enum {
  ENTRY_DTYPE = 1,
  ENTRY_SHAPE = 2,
  ENTRY_SHARD = 3,
  ENTRY_OFFSET = 4,
  ENTRY_SIZE = 5,
  ENTRY_CRC32C = 6,
  ENTRY_SLICES = 7,
};
#define BUNDLE_FORMAT_VERSION 1
enum { SLICE_EXTENT = 1 };
enum { EXTENT_START = 1, EXTENT_LENGTH = 2 };
#define FULL_EXTENT (-1)  // length of an extent that takes the whole dimension

// One data file.
typedef struct dvt_shard {
  bool is_open;
  int fd;              // -1: in memory
  const char *memory;  // its bytes then
  uint64_t bytes;
} dvt_shard;

struct dvt_checkpoint {
  char *prefix;   // "memory" when opened from memory
  dvt_buf index;  // the file's bytes, unless opened from memory
  dvt_table table;
  const dvt_table_entry **variables;  // entries of whole tensors, sorted by name
  size_t variable_count;
  bool check_crc;
  pthread_mutex_t lock;  // guards opening of shards
  dvt_shard *shards;
  int32_t shard_count;
};

typedef struct dvt_bundle_entry {
  dvt_str name;
  int dtype, rank;
  int64_t dims[DVT_MAX_RANK];
  int32_t shard;
  uint64_t offset, size;
  uint32_t crc;  // masked
  int32_t slice_count;
  dvt_str proto;
} dvt_bundle_entry;

dvt_status dvt_bundle_entry_parse(const dvt_checkpoint *checkpoint, const dvt_table_entry *from,
                                  dvt_bundle_entry *out_entry) DVT_NODISCARD;
// Do the entry's bytes lie within their data file? Opens it.
dvt_status dvt_bundle_entry_locate(const dvt_checkpoint *checkpoint,
                                   const dvt_bundle_entry *entry) DVT_NODISCARD;
uint64_t dvt_bundle_opened_bytes(const dvt_checkpoint *checkpoint);  // of all data files opened so far
// The tensor that lies in one piece at `entry`.
dvt_status dvt_bundle_entry_read(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry,
                                 TF_Tensor *out) DVT_NODISCARD;
// The tensor whose slices lie under keys of their own.
dvt_status dvt_bundle_slices_read(const dvt_checkpoint *checkpoint, const dvt_bundle_entry *entry,
                                  TF_Tensor *out) DVT_NODISCARD;
// Appends the key that a slice of the tensor lies under; lengths may be FULL_EXTENT.
void dvt_bundle_slice_key(dvt_str name, int rank, const int64_t *start, const int64_t *length, dvt_buf *key);
dvt_status dvt_checkpoint_damaged(const dvt_checkpoint *checkpoint, dvt_str name,
                                  const char *detail) DVT_NODISCARD;

#endif  // DVT_GRAPH_CHECKPOINT_INTERNAL_H_
