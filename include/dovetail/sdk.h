// The SDK: what a plugin that is linked with libdovetail_sdk.a may ask about its host. Such a plugin needs no
// library of TensorFlow or Dovetail: when it is loaded it finds the host in the process and binds the
// functions that it uses to it, before any other code of it runs. One binary so works in Dovetail and in
// stock TensorFlow. docs/sdk.md tells how to build one.
//
//   #include "dovetail/sdk.h"
//   static void register_all(void) { ... TF_RegisterOpDefinition, TF_RegisterKernelBuilder ... }
//   DVT_PLUGIN("my_ops", "1.0.0", "Apache-2.0", DVT_FEATURE_SHAPE_ATTRS, register_all)
//
// The functions here are part of the plugin itself, not of the host.
#ifndef DOVETAIL_SDK_H_
#define DOVETAIL_SDK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dovetail/features.h"

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

// Whether the host has a feature, of its own or through the SDK: a DVT_FEATURE_ name, or the name of any
// public function. Threads: any.
bool dvt_host_supports(const char *feature);

// ---- what DVT_PLUGIN consists of ----

// How header, archive and record fit together. A plugin whose parts differ in it does not link.
#define DVT_SDK_ABI 1
extern const char dvt_sdk_abi_1;

typedef struct dvt_sdk_declaration {
  const char *abi, *name, *version, *needs;
  void (*init)(void);
} dvt_sdk_declaration;
extern const dvt_sdk_declaration dvt_sdk_plugin;

typedef enum dvt_sdk_entry { DVT_SDK_INIT_KERNEL, DVT_SDK_INIT_PLUGIN } dvt_sdk_entry;
void dvt_sdk_enter(dvt_sdk_entry entry);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#define DVT_SDK_BEGIN extern "C" {
#define DVT_SDK_END }
#else
#define DVT_SDK_BEGIN
#define DVT_SDK_END
#endif
#define DVT_SDK_EXPORTED __attribute__((visibility("default")))

// Declares a plugin, once in one of its files and outside of any function. `needs` names the features, with
// blanks between, without which it is no use: a host that lacks one gets a message in place of the plugin.
// `init` registers ops and kernels; NULL when constructors do (REGISTER_OP and REGISTER_KERNEL_BUILDER of
// C++). The others are texts. It defines what hosts call or look for, TF_InitKernel, InitPlugin and a
// constructor, so that `init` runs exactly once in each, and `dvt_plugin_record`, which tells the above from
// the file: texts that end with a zero, the last one empty.
#define DVT_PLUGIN(plugin_name, plugin_version, plugin_licence, plugin_needs, plugin_init)                 \
  DVT_SDK_BEGIN                                                                                            \
  extern const char dvt_plugin_record[] DVT_SDK_EXPORTED;                                                  \
  const char dvt_plugin_record[] = "dovetail-plugin\0sdk=1\0name=" plugin_name "\0version=" plugin_version \
                                   "\0"                                                                    \
                                   "licence=" plugin_licence "\0needs=" plugin_needs "\0";                 \
  const dvt_sdk_declaration dvt_sdk_plugin = {&dvt_sdk_abi_1, plugin_name, plugin_version, plugin_needs,   \
                                              plugin_init};                                                \
  void TF_InitKernel(void) DVT_SDK_EXPORTED;                                                               \
  void TF_InitKernel(void) { dvt_sdk_enter(DVT_SDK_INIT_KERNEL); }                                         \
  void InitPlugin(void) DVT_SDK_EXPORTED;                                                                  \
  void InitPlugin(void) { dvt_sdk_enter(DVT_SDK_INIT_PLUGIN); }                                            \
  DVT_SDK_END

#endif  // DOVETAIL_SDK_H_
