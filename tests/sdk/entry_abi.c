// A plugin as an SDK of years to come may build it.
#include "dovetail/sdk.h"

extern const char dvt_plugin_record[] DVT_SDK_EXPORTED;
const char dvt_plugin_record[] = "dovetail-plugin\0sdk=99\0name=abi\0version=3.0\0needs=\0";

void TF_InitKernel(void) DVT_SDK_EXPORTED;
void TF_InitKernel(void) { __builtin_trap(); }
