// What `run` shows and writes of an output.
#ifndef DVT_TOOLS_OUTPUT_H_
#define DVT_TOOLS_OUTPUT_H_

#include "cli.h"
#include "json.h"

typedef struct output {
  const dvt_tensor_info *info;
  TF_Tensor *tensor;
  char file[256];  // name within the folder; "" when not written
} output;

// Writes all as .npy files into `folder`, which is made with its parents if need be, and the list
// outputs.json.
bool outputs_write(const char *folder, output *outputs, int count, TF_Status *status);
void output_print(const output *o, const char *folder);
// One object: name, tensor, file, dtype, shape; with `values` also min, max, mean, or the first strings.
void output_json(json *j, const output *o, bool values);

#endif  // DVT_TOOLS_OUTPUT_H_
