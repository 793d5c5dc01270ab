// CRC-32C (Castagnoli), the checksum of table blocks and tensors in checkpoints. Stored values are "masked"
// (rotated and offset), so that a checksum over bytes that contain checksums stays meaningful.
#ifndef DVT_GRAPH_CRC32C_H_
#define DVT_GRAPH_CRC32C_H_

#include "base/base.h"

// Checksum of the bytes seen so far (`crc`, 0 at the start) followed by these.
uint32_t dvt_crc32c_extend(uint32_t crc, const void *bytes, size_t len);
// The same without the processor's CRC instruction; what machines without one use.
uint32_t dvt_crc32c_extend_portable(uint32_t crc, const void *bytes, size_t len);

static inline uint32_t dvt_crc32c_mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
static inline uint32_t dvt_crc32c_unmask(uint32_t masked) {
  uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

#endif  // DVT_GRAPH_CRC32C_H_
