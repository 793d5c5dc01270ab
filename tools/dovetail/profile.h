// Which plugin ran which op and how long it took, added up by op.
#ifndef DVT_TOOLS_PROFILE_H_
#define DVT_TOOLS_PROFILE_H_

#include "cli.h"
#include "json.h"

void profile_print(dvt_model *model);
void profile_json(json *j, dvt_model *model);  // key "profile": a list of {op, plugin, nodes, ms}

#endif  // DVT_TOOLS_PROFILE_H_
