// Which plugin ran which op and how long it took, added up by op; and the trace of the run as a file.
#ifndef DVT_TOOLS_PROFILE_H_
#define DVT_TOOLS_PROFILE_H_

#include "cli.h"
#include "json.h"

void profile_print(dvt_model *model);
void profile_json(json *j, dvt_model *model);  // key "profile": a list of {op, plugin, nodes, ms}
// False with an error in `status` when nothing was traced or the file cannot be written.
bool profile_write_trace(dvt_model *model, const char *path, TF_Status *status);

#endif  // DVT_TOOLS_PROFILE_H_
