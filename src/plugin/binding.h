// Which library a plugin's references to the C ABI bind to, and what to say when they bind to none.
#ifndef DVT_PLUGIN_BINDING_H_
#define DVT_PLUGIN_BINDING_H_

#include "plugin/elf.h"

// Before dlopen. Makes this library's symbols global (a plugin without DT_NEEDED finds them even if this
// library was itself opened RTLD_LOCAL) and has the stock library names that the plugin needs answered by
// this library's compat names. FAILED_PRECONDITION when another TensorFlow in the process would get the
// plugin's calls, or when running its code would end the process: it needs a later CPU, or a sanitizer that
// the process was not started with.
dvt_status dvt_binding_prepare(const char *path, const dvt_elf *elf) DVT_NODISCARD;
// NOT_FOUND with the loader's text and what to do about it. `loader_text` may be NULL.
dvt_status dvt_binding_explain(const char *path, const dvt_elf *elf, const char *loader_text) DVT_NODISCARD;

#endif  // DVT_PLUGIN_BINDING_H_
