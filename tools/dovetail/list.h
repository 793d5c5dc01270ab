// One op or kernel as text or JSON, for `ops`, `kernels` and `inspect PLUGIN`.
#ifndef DVT_TOOLS_LIST_H_
#define DVT_TOOLS_LIST_H_

#include "cli.h"
#include "json.h"

void list_op_text(const dvt_op_info *op);
void list_op_json(json *j, const dvt_op_info *op);
void list_kernel_text(const dvt_kernel_info *kernel);
void list_kernel_json(json *j, const dvt_kernel_info *kernel);

// `dovetail kernels why MODEL NODE`.
int list_why(const cli_options *options);

#endif  // DVT_TOOLS_LIST_H_
