// Loading the library, the engine and the thread limit: see onednn.h.
#include "common/onednn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include <oneapi/dnnl/dnnl_version.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
// The interface is that of the headers' major version.
#define LIBRARY "libdnnl.so." TEXT(DNNL_VERSION_MAJOR)

dvp_dnnl_functions dvp_dnnl;
static bool is_there;
static dnnl_engine_t engine;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *out_function) {
  void *symbol = dlsym(library, name);
  memcpy(out_function, &symbol, sizeof(symbol));
  return symbol != NULL;
}

#ifdef DVP_LINKED_IN  // a program that is linked statically opens no library
static void load(void) { (void)find; }
#else
static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return;
  bool found = find(library, "omp_get_max_threads", &dvp_dnnl.omp_get_max_threads) &&
               find(library, "omp_set_num_threads", &dvp_dnnl.omp_set_num_threads);
#define FIND(name) found = found && find(library, "dnnl_" #name, &dvp_dnnl.name);
  DVP_DNNL_FUNCTIONS(FIND)
  is_there = found;
  if (!found || dvp_dnnl.engine_create(&engine, dnnl_cpu, 0) != dnnl_success) engine = NULL;
}
#endif

bool dvp_dnnl_is_there(void) {
  pthread_once(&once, load);
  return is_there;
}

dnnl_engine_t dvp_dnnl_engine(void) {
  pthread_once(&once, load);
  return engine;
}

int dvp_dnnl_serial_begin(void) {
  if (!dvp_dnnl_is_there()) return 1;
  int saved = dvp_dnnl.omp_get_max_threads();
  if (saved != 1) dvp_dnnl.omp_set_num_threads(1);
  return saved;
}

void dvp_dnnl_serial_end(int saved) {
  if (saved != 1) dvp_dnnl.omp_set_num_threads(saved);
}
