// The engine and the thread limit: see onednn.h.
#include "common/onednn.h"

#include <pthread.h>
#include <stddef.h>

// From the OpenMP runtime that oneDNN itself is linked to; its header belongs to one compiler only.
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);

static dnnl_engine_t engine;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_engine(void) {
  if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) engine = NULL;
}

dnnl_engine_t dvp_dnnl_engine(void) {
  pthread_once(&once, make_engine);
  return engine;
}

int dvp_dnnl_serial_begin(void) {
  int saved = omp_get_max_threads();
  if (saved != 1) omp_set_num_threads(1);
  return saved;
}

void dvp_dnnl_serial_end(int saved) {
  if (saved != 1) omp_set_num_threads(saved);
}
