// What the plugins share of oneDNN: one engine, and running it in the calling thread only. oneDNN is built on
// OpenMP, whose threads would compete with the host's pool; so parallel work is cut up here and each piece
// runs serially.
#ifndef DOVETAIL_PLUGINS_COMMON_ONEDNN_H_
#define DOVETAIL_PLUGINS_COMMON_ONEDNN_H_

#include <stdbool.h>

#include <oneapi/dnnl/dnnl.h>

// The CPU engine, made on first use and kept; NULL when oneDNN cannot make one.
dnnl_engine_t dvp_dnnl_engine(void);

// Between the two calls OpenMP loops of this thread run serially. begin returns what end restores.
int dvp_dnnl_serial_begin(void);
void dvp_dnnl_serial_end(int saved);

#endif  // DOVETAIL_PLUGINS_COMMON_ONEDNN_H_
