// How an entry point says that it is not implemented yet: code UNIMPLEMENTED, its own name, and what to do instead.
// tools/abi/generate.py counts the uses of DVT_UNIMPLEMENTED in src/; the count only ever falls.
#ifndef DVT_CAPI_UNIMPLEMENTED_H_
#define DVT_CAPI_UNIMPLEMENTED_H_

#include "tensorflow/c/tf_status.h"

// Marks the entry point whose whole answer is UNIMPLEMENTED; gives its name as text.
#define DVT_UNIMPLEMENTED(function) #function

// Logs and, where there is a status, sets "FUNCTION is not implemented; REMEDY".
void dvt_answer_unimplemented(const char *function, const char *remedy, TF_Status *status);

#endif  // DVT_CAPI_UNIMPLEMENTED_H_
