// The three hash functions whose values models were trained with.
#ifndef DOVETAIL_PLUGINS_TEXT_HASH_H_
#define DOVETAIL_PLUGINS_TEXT_HASH_H_

#include "text/text.h"

// FarmHash's Fingerprint64.
uint64_t dvx_fingerprint64(dvx_span s);
// SipHash-2-4 with a key of two words.
uint64_t dvx_siphash(dvx_span s, const uint64_t key[2]);
// MurmurHash64A with the seed of stock's Hash64.
uint64_t dvx_hash64(dvx_span s);

#endif  // DOVETAIL_PLUGINS_TEXT_HASH_H_
