// A batch of products of matrices with strides, cut into tiles for the pool; a right side that does not
// change is packed once and kept with the kernel.
#ifndef DOVETAIL_PLUGINS_LINALG_PRODUCT_H_
#define DOVETAIL_PLUGINS_LINALG_PRODUCT_H_

#include "common/call.h"
#include "linalg/gemm.h"

// The packed form of one matrix that did not change since it was made; any number of steps may use it at
// once.
typedef struct dvp_pack_cache dvp_pack_cache;
dvp_pack_cache *dvp_pack_cache_new(void);  // NULL when out of memory: nothing is then kept
void dvp_pack_cache_delete(dvp_pack_cache *cache);

typedef struct dvp_products {
  const dvp_gemm_kernel *kernel;
  dvp_gemm g;
  const char *a, *b;
  char *c;
  const int64_t *a_offsets, *b_offsets, *c_offsets;  // elements, per product; NULL: one product
  const dvp_epilogue *after;                         // NULL: none
  dvp_pack_cache *cache;                             // NULL: nothing is kept
  int b_input;                                       // the input of the node whose memory b is
} dvp_products;

// Computes `count` products. Failures are reported to the call.
void dvp_products_run(dvp_call *call, const dvp_products *products, int64_t count);

#endif  // DOVETAIL_PLUGINS_LINALG_PRODUCT_H_
