// The other side of `dovetail bench --against`: the program dovetail-against, which runs the same model on
// another libtensorflow, driven over pipes.
#ifndef DVT_TOOLS_AGAINST_H_
#define DVT_TOOLS_AGAINST_H_

#include "cli.h"

typedef struct against against;

typedef struct against_facts {
  const char *version;
  double load_ms, open_ms, first_ms;
} against_facts;

// Starts it and has it run the model once. inputs[i] goes into input_infos[i]. NULL with *status set:
// UNIMPLEMENTED for inputs of strings, NOT_FOUND when the program or the library is not there.
against *against_start(const cli_options *options, const dvt_model *model,
                       const dvt_tensor_info *const *input_infos, TF_Tensor *const *inputs, int input_count,
                       const dvt_tensor_info *const *output_infos, int output_count, TF_Status *status);
const against_facts *against_get_facts(const against *a);
// Output `index` of its first run; NULL for strings. Belongs to it.
const TF_Tensor *against_output(const against *a, int index);
// Runs `count` times; false when it failed.
bool against_run(against *a, int count, double *out_ms);
// Ends the process, once all has run; returns its peak of memory in bytes.
int64_t against_stop(against *a);
void against_free(against *a);  // ends it if need be; NULL is fine

#endif  // DVT_TOOLS_AGAINST_H_
