// What the plugins share of oneDNN: the library, loaded when it is first needed, since that takes
// milliseconds; one engine; and running it in the calling thread only. oneDNN is built on OpenMP, whose
// threads would compete with the host's pool; so parallel work is cut up here and each piece runs serially.
#ifndef DOVETAIL_PLUGINS_COMMON_ONEDNN_H_
#define DOVETAIL_PLUGINS_COMMON_ONEDNN_H_

#include <stdbool.h>

#include <oneapi/dnnl/dnnl.h>

// The functions that are used, without their prefix dnnl_.
#define DVP_DNNL_FUNCTIONS(X)              \
  X(dilated_convolution_forward_desc_init) \
  X(engine_create)                         \
  X(memory_create)                         \
  X(memory_desc_equal)                     \
  X(memory_desc_get_size)                  \
  X(memory_desc_init_by_tag)               \
  X(memory_destroy)                        \
  X(post_ops_append_eltwise)               \
  X(post_ops_append_sum)                   \
  X(post_ops_create)                       \
  X(post_ops_destroy)                      \
  X(primitive_attr_create)                 \
  X(primitive_attr_destroy)                \
  X(primitive_attr_set_post_ops)           \
  X(primitive_attr_set_scratchpad_mode)    \
  X(primitive_create)                      \
  X(primitive_desc_create)                 \
  X(primitive_desc_destroy)                \
  X(primitive_desc_query)                  \
  X(primitive_desc_query_md)               \
  X(primitive_destroy)                     \
  X(primitive_execute)                     \
  X(reorder_primitive_desc_create)         \
  X(sgemm)                                 \
  X(stream_create)                         \
  X(stream_destroy)                        \
  X(stream_wait)

typedef struct dvp_dnnl_functions {
#define DVP_DNNL_POINTER(name) __typeof__(dnnl_##name) *name;
  DVP_DNNL_FUNCTIONS(DVP_DNNL_POINTER)
#undef DVP_DNNL_POINTER
  // Of the OpenMP runtime that oneDNN itself is linked to; its header belongs to one compiler only.
  int (*omp_get_max_threads)(void);
  void (*omp_set_num_threads)(int threads);
} dvp_dnnl_functions;

// To be called through after dvp_dnnl_is_there or dvp_dnnl_engine found the library.
extern dvp_dnnl_functions dvp_dnnl;
bool dvp_dnnl_is_there(void);

// The CPU engine, made on first use and kept; NULL without the library or when it cannot make one.
dnnl_engine_t dvp_dnnl_engine(void);

// Between the two calls OpenMP loops of this thread run serially. begin returns what end restores.
int dvp_dnnl_serial_begin(void);
void dvp_dnnl_serial_end(int saved);

#endif  // DOVETAIL_PLUGINS_COMMON_ONEDNN_H_
