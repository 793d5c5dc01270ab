// Tables from keys to values: an open-addressed index over entries that are kept one after the other. Every
// function that fails has reported to the call. The ops (make.c, use.c, text_file.c) are written in terms of
// these.
#ifndef DOVETAIL_PLUGINS_LOOKUP_TABLE_H_
#define DOVETAIL_PLUGINS_LOOKUP_TABLE_H_

#include "common/call.h"
#include "common/plugin.h"
#include "dovetail/object.h"

typedef enum dvk_kind {
  DVK_STATIC,      // filled once, then read only
  DVK_MUTABLE,     // changed at any time
  DVK_OF_TENSORS,  // the same with vectors as values
  DVK_DENSE,       // the same with vectors as keys, too, and two keys that no entry may have
} dvk_kind;

typedef struct dvk_options {
  dvk_kind kind;
  TF_DataType key, value;               // keys: int32, int64, string; values: these, float, double, bool
  int key_rank, value_rank;             // 0 or 1
  int64_t key_size, value_size;         // elements of a key, of a value
  const void *empty_key, *deleted_key;  // DVK_DENSE: what no key may be; the table keeps copies
} dvk_options;

typedef struct dvk_table dvk_table;

// A handle to the table container/name of the session, made if it does not exist; an empty name makes one of
// its own.
TF_Tensor *dvk_table_handle(dvp_call *call, const char *container, size_t container_bytes, const char *name,
                            size_t name_bytes, const dvk_options *options);
// The table that input 0, a handle or a reference, leads to.
dvk_table *dvk_table_input(dvp_call *call);
const dvk_options *dvk_table_options(const dvk_table *table);

// What to do with pairs of which there are `count`; keys and values lie one after the other.
typedef struct dvk_pairs {
  int64_t count;
  const void *keys, *values;
} dvk_pairs;

// Fills a static table; fills one that is filled already only if there are as many pairs as it has, as stock
// does. *out_was_filled (may be NULL) says that another filling was refused.
bool dvk_table_fill(dvp_call *call, dvk_table *table, const dvk_pairs *pairs, bool *out_was_filled);
// Adds pairs to a mutable table, or replaces values; with `clear` nothing of before remains, and pairs with a
// key that no entry may have are passed over.
bool dvk_table_insert(dvp_call *call, dvk_table *table, const dvk_pairs *pairs, bool clear);
bool dvk_table_remove(dvp_call *call, dvk_table *table, const void *keys, int64_t count);
// Values of `count` keys; the default is one value, or (`each`) one for every key.
bool dvk_table_find(dvp_call *call, dvk_table *table, const void *keys, int64_t count, const void *defaults,
                    bool each, void *out);
int64_t dvk_table_size(dvk_table *table);
// All entries, in the order in which they came: copies them into outputs 0 and 1.
bool dvk_table_export(dvp_call *call, dvk_table *table);

bool dvk_same_elements(TF_DataType dtype, const void *a, const void *b, int64_t count);

#endif  // DOVETAIL_PLUGINS_LOOKUP_TABLE_H_
