// The f32 product by oneDNN's sgemm, one tile at a time in the calling thread.
#include "common/onednn.h"
#include "linalg/gemm.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))

bool dvp_gemm_f32_is_there(void) { return dvp_dnnl_is_there(); }

bool dvp_gemm_f32(const dvp_gemm *g, const void *a, const void *b, void *c, int64_t m0, int64_t m1,
                  int64_t n0, int64_t n1) {
  const float *pa = (const float *)a + m0 * g->a_row, *pb = (const float *)b + n0 * g->b_col;
  float *pc = (float *)c + m0 * g->c_row + n0;
  bool a_transposed = g->a_col != 1, b_transposed = g->b_col != 1;
  // A matrix of one row is walked by its columns only; oneDNN still wants a leading dimension no shorter than
  // the row.
  int64_t lda = a_transposed ? g->a_col : MAX(g->a_row, g->k),
          ldb = b_transposed ? g->b_col : MAX(g->b_row, n1 - n0);
  int saved = dvp_dnnl_serial_begin();
  dnnl_status_t status = dvp_dnnl.sgemm(a_transposed ? 'T' : 'N', b_transposed ? 'T' : 'N', m1 - m0, n1 - n0,
                                        g->k, 1.0f, pa, lda, pb, ldb, 0.0f, pc, g->c_row);
  dvp_dnnl_serial_end(saved);
  return status == dnnl_success;
}
