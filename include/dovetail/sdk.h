// The SDK: what a plugin that is linked with libdovetail_sdk.a may ask about its host. Such a plugin needs no
// library of TensorFlow or Dovetail: when it is loaded it finds the host in the process and binds the
// functions that it uses to it, before any other code of it runs. One binary so works in Dovetail and in
// stock TensorFlow. docs/sdk.md tells how to build one.
//
// These functions are part of the plugin itself, not of the host.
#ifndef DOVETAIL_SDK_H_
#define DOVETAIL_SDK_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

// "Dovetail" or "TensorFlow"; "" when neither is in the process: the plugin then does nothing.
// Owner: static. Threads: any.
const char *dvt_host_name(void);

// The host's version, "2.21.0"; "" when it does not tell.
// Owner: the host. Threads: any.
const char *dvt_host_version(void);

// How long finding the host and binding to it took, in nanoseconds.
// Threads: any.
int64_t dvt_host_bind_ns(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif  // DOVETAIL_SDK_H_
