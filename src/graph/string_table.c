// Reading and writing of sorted string tables. Every length met in a file is compared with what is left
// before it is used, and what prefix compression may expand to is limited, so that a small hostile file stays
// cheap to refuse.
#include "graph/string_table.h"

#include "graph/crc32c.h"
#include "graph/snappy.h"

#define TABLE_MAGIC 0xdb4775248b80fb57ull
#define TRAILER_BYTES 5  // block type, masked checksum
#define BLOCK_BYTES 262144
#define RESTART_INTERVAL 16

typedef struct cursor {
  const uint8_t *next, *end;
} cursor;

static bool take_varint(cursor *c, uint64_t *out) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && c->next < c->end; shift += 7) {
    uint8_t byte = *c->next++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out = value;
      return true;
    }
  }
  return false;
}

static uint32_t load32(const void *bytes) {
  const uint8_t *p = bytes;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t load64(const void *bytes) {
  return load32(bytes) | (uint64_t)load32((const uint8_t *)bytes + 4) << 32;
}

bool dvt_table_has_footer(dvt_str file) {
  return file.len >= DVT_TABLE_FOOTER_BYTES && load64(file.data + file.len - 8) == TABLE_MAGIC;
}

static dvt_status damaged(const char *what, const char *detail) {
  return dvt_error(TF_DATA_LOSS,
                   "%s is damaged: %s. Copy the file again from where it was written; if it was written just "
                   "now, write it "
                   "again.",
                   what, detail);
}

typedef struct reader {
  dvt_str file;
  const char *what;
  bool check_crc;
  dvt_table *table;
} reader;

// The contents of the block at (offset, size): checked and, if it is compressed, expanded into the table's
// arena.
static dvt_status read_block(reader *r, uint64_t offset, uint64_t size, dvt_str *out) {
  uint64_t limit = r->file.len - DVT_TABLE_FOOTER_BYTES;
  if (offset > limit || size > limit - offset || limit - offset - size < TRAILER_BYTES)
    return damaged(r->what, "a block lies outside of the file");
  dvt_str block = {r->file.data + offset, (size_t)size};
  const char *trailer = block.data + block.len;
  if (r->check_crc) {
    uint32_t crc = dvt_crc32c_extend(0, block.data, block.len + 1);
    if (dvt_crc32c_mask(crc) != load32(trailer + 1))
      return damaged(r->what, "the checksum of a block does not match");
  }
  if (trailer[0] == 0) {
    *out = block;
    return NULL;
  }
  if (trailer[0] != 1) return damaged(r->what, "a block has an unknown compression type");
  size_t expanded;
  if (!dvt_snappy_length(block, &expanded))
    return damaged(r->what, "a compressed block has an impossible length");
  char *bytes = dvt_arena_alloc(&r->table->arena, expanded);
  if (!bytes) return dvt_error_out_of_memory(expanded);
  if (!dvt_snappy_decode(block, bytes, expanded))
    return damaged(r->what, "a compressed block cannot be expanded");
  *out = dvt_str_make(bytes, expanded);
  return NULL;
}

// Walks the entries of one block.
typedef struct block_iter {
  cursor c;
  dvt_str key;  // of the current entry, in the arena
} block_iter;

static bool block_open(dvt_str block, block_iter *out) {
  if (block.len < 4) return false;
  uint64_t restarts = load32(block.data + block.len - 4);
  if (restarts > (block.len - 4) / 4) return false;
  const uint8_t *p = (const uint8_t *)block.data;
  *out = (block_iter){.c = {p, p + block.len - 4 - restarts * 4}};
  return true;
}

// Next entry with its key copied into the arena. NULL status and *out_done at the end.
static dvt_status block_next(reader *r, block_iter *it, dvt_str *out_value, bool *out_done) {
  *out_done = it->c.next >= it->c.end;
  if (*out_done) return NULL;
  uint64_t shared, fresh, value_len;
  if (!take_varint(&it->c, &shared) || !take_varint(&it->c, &fresh) || !take_varint(&it->c, &value_len))
    return damaged(r->what, "an entry is cut short");
  uint64_t left = (uint64_t)(it->c.end - it->c.next);
  if (shared > it->key.len || fresh > left || value_len > left - fresh)
    return damaged(r->what, "an entry is longer than its block");
  size_t key_len = (size_t)(shared + fresh);
  // Sharing prefixes saves a small factor in real indexes; far more than that is an attack on memory.
  r->table->key_bytes += key_len;
  if (r->table->key_bytes / 64 > r->file.len + 16384)
    return damaged(r->what, "its names expand beyond reason");
  char *key = dvt_arena_alloc(&r->table->arena, key_len + 1);
  if (!key) return dvt_error_out_of_memory(key_len);
  if (shared) memcpy(key, it->key.data, (size_t)shared);
  if (fresh) memcpy(key + shared, it->c.next, (size_t)fresh);
  key[key_len] = '\0';
  it->key = dvt_str_make(key, key_len);
  *out_value = dvt_str_make((const char *)it->c.next + fresh, (size_t)value_len);
  it->c.next += fresh + value_len;
  return NULL;
}

static dvt_status read_data_block(reader *r, dvt_str block) {
  dvt_table *table = r->table;
  block_iter it;
  if (!block_open(block, &it)) return damaged(r->what, "a block is shorter than its restart list");
  for (;;) {
    dvt_str value;
    bool done;
    DVT_RETURN_IF_ERROR(block_next(r, &it, &value, &done));
    if (done) return NULL;
    if (table->count && dvt_str_compare(table->entries[table->count - 1].key, it.key) >= 0)
      return damaged(r->what, "its entries are not in order");
    if (!dvt_grow((void **)&table->entries, &table->capacity, table->count + 1, sizeof *table->entries))
      return dvt_error_out_of_memory((table->count + 1) * sizeof *table->entries);
    table->entries[table->count++] = (dvt_table_entry){it.key, value};
  }
}

static dvt_status read_all(reader *r) {
  if (!dvt_table_has_footer(r->file))
    return damaged(r->what,
                   r->file.len < DVT_TABLE_FOOTER_BYTES ? "it is too short" : "it does not end like a table");
  const uint8_t *footer = (const uint8_t *)r->file.data + r->file.len - DVT_TABLE_FOOTER_BYTES;
  cursor c = {footer, footer + 40};
  uint64_t meta_offset, meta_size, offset, size;
  if (!take_varint(&c, &meta_offset) || !take_varint(&c, &meta_size) || !take_varint(&c, &offset) ||
      !take_varint(&c, &size))
    return damaged(r->what, "its footer is malformed");
  dvt_str meta, index;  // the meta block says nothing about entries; it only must be whole
  DVT_RETURN_IF_ERROR(read_block(r, meta_offset, meta_size, &meta));
  DVT_RETURN_IF_ERROR(read_block(r, offset, size, &index));
  block_iter it;
  if (!block_open(index, &it)) return damaged(r->what, "its index is shorter than its restart list");
  uint64_t last_end = 0;
  for (;;) {
    dvt_str handle, block;
    bool done;
    DVT_RETURN_IF_ERROR(block_next(r, &it, &handle, &done));
    if (done) return NULL;
    c = (cursor){(const uint8_t *)handle.data, (const uint8_t *)handle.data + handle.len};
    if (!take_varint(&c, &offset) || !take_varint(&c, &size))
      return damaged(r->what, "a block handle is malformed");
    // Blocks lie one after the other; a table that names one block many times could make the work quadratic.
    if (offset < last_end) return damaged(r->what, "its blocks overlap");
    DVT_RETURN_IF_ERROR(read_block(r, offset, size, &block));
    last_end = offset + size;
    DVT_RETURN_IF_ERROR(read_data_block(r, block));
  }
}

dvt_status dvt_table_read(dvt_str file, const char *what, bool check_crc, dvt_table *out_table) {
  reader r = {file, what, check_crc, out_table};
  dvt_status status = read_all(&r);
  if (status) dvt_table_deinit(out_table);
  return status;
}

void dvt_table_deinit(dvt_table *table) {
  dvt_free(table->entries);
  dvt_arena_deinit(&table->arena);
  *table = (dvt_table){0};
}

const dvt_table_entry *dvt_table_find(const dvt_table *table, dvt_str key) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = dvt_str_compare(table->entries[middle].key, key);
    if (order == 0) return &table->entries[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// ---- writing ----

static void put32(dvt_buf *out, uint32_t value) {
  char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)};
  dvt_buf_append(out, bytes, sizeof bytes);
}

static void put_varint(dvt_buf *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) dvt_buf_append_byte(out, (char)(value | 0x80));
  dvt_buf_append_byte(out, (char)value);
}

typedef struct block_writer {
  dvt_buf bytes, restarts;
  uint32_t restart_count;
  int since_restart, interval;
  dvt_str last_key;
} block_writer;

static void block_add(block_writer *w, dvt_str key, dvt_str value) {
  size_t shared = 0;
  if (w->since_restart == w->interval || w->restart_count == 0) {
    put32(&w->restarts, (uint32_t)w->bytes.len);
    ++w->restart_count;
    w->since_restart = 0;
  } else {
    size_t most = DVT_MIN(w->last_key.len, key.len);
    while (shared < most && w->last_key.data[shared] == key.data[shared]) ++shared;
  }
  put_varint(&w->bytes, shared);
  put_varint(&w->bytes, key.len - shared);
  put_varint(&w->bytes, value.len);
  dvt_buf_append_str(&w->bytes, dvt_str_drop(key, shared));
  dvt_buf_append_str(&w->bytes, value);
  w->last_key = key;
  ++w->since_restart;
}

// Ends the block, appends it with its trailer to *out and stores its handle into *handle.
static void block_flush(block_writer *w, dvt_buf *out, dvt_buf *handle) {
  if (w->restart_count == 0) {
    put32(&w->restarts, 0);
    w->restart_count = 1;
  }
  size_t offset = out->len;
  dvt_buf_append_str(out, dvt_buf_str(&w->bytes));
  dvt_buf_append_str(out, dvt_buf_str(&w->restarts));
  put32(out, w->restart_count);
  put_varint(handle, offset);
  put_varint(handle, out->len - offset);
  dvt_buf_append_byte(out, 0);
  if (!out->failed) put32(out, dvt_crc32c_mask(dvt_crc32c_extend(0, out->data + offset, out->len - offset)));
  out->failed |= w->bytes.failed || w->restarts.failed || handle->failed;
  dvt_buf_clear(&w->bytes);
  dvt_buf_clear(&w->restarts);
  w->restart_count = 0;
  w->since_restart = 0;
}

void dvt_table_write(const dvt_table_entry *entries, size_t count, dvt_buf *out) {
  block_writer data = {.interval = RESTART_INTERVAL}, index = {.interval = 1};
  dvt_buf handle = {0}, footer = {0};
  for (size_t i = 0; i < count; ++i) {
    block_add(&data, entries[i].key, entries[i].value);
    if (data.bytes.len < BLOCK_BYTES && i + 1 < count) continue;
    dvt_buf_clear(&handle);
    block_flush(&data, out, &handle);
    block_add(&index, entries[i].key, dvt_buf_str(&handle));
  }
  block_writer meta = {.interval = 1};
  block_flush(&meta, out, &footer);
  block_flush(&index, out, &footer);
  while (footer.len < 40 && !footer.failed) dvt_buf_append_byte(&footer, 0);
  put32(&footer, (uint32_t)(TABLE_MAGIC & 0xffffffffu));
  put32(&footer, (uint32_t)(TABLE_MAGIC >> 32));
  dvt_buf_append_str(out, dvt_buf_str(&footer));
  out->failed |= footer.failed;
  block_writer *writers[] = {&data, &index, &meta};
  for (size_t i = 0; i < DVT_COUNT_OF(writers); ++i) {
    dvt_buf_deinit(&writers[i]->bytes);
    dvt_buf_deinit(&writers[i]->restarts);
  }
  dvt_buf_deinit(&handle);
  dvt_buf_deinit(&footer);
}
