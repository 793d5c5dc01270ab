// Sorted string tables in the LevelDB file format, which checkpoint indexes use: blocks of prefix-compressed
// entries, each followed by a type byte and a masked CRC-32C, an index block of block handles, a 48-byte
// footer. The whole table is decoded at once (indexes are small). checkpoint.c gives the entries their
// meaning.
#ifndef DVT_GRAPH_STRING_TABLE_H_
#define DVT_GRAPH_STRING_TABLE_H_

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"

typedef struct dvt_table_entry {
  dvt_str key, value;
} dvt_table_entry;

typedef struct dvt_table {
  dvt_table_entry *entries;  // strictly increasing keys
  size_t count, capacity;
  dvt_arena arena;  // keys, and values of compressed blocks
  size_t key_bytes;
} dvt_table;

#define DVT_TABLE_FOOTER_BYTES 48

// Decodes `file`, which must outlive the table (values point into it). `what` names it in errors. DATA_LOSS
// for anything malformed; `check_crc` false skips checksums (fuzzing). *out_table must be zeroed; it is empty
// after a failure.
dvt_status dvt_table_read(dvt_str file, const char *what, bool check_crc, dvt_table *out_table) DVT_NODISCARD;
void dvt_table_deinit(dvt_table *table);
const dvt_table_entry *dvt_table_find(const dvt_table *table, dvt_str key);  // NULL when absent

// True when the last bytes are a table's footer.
bool dvt_table_has_footer(dvt_str file);

// Appends a table file holding `entries`, which must have strictly increasing keys, to *out (empty before).
void dvt_table_write(const dvt_table_entry *entries, size_t count, dvt_buf *out);

#endif  // DVT_GRAPH_STRING_TABLE_H_
