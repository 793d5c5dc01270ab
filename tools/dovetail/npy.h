// .npy files, NumPy's format for one array: all three versions of the header, both byte orders, C and Fortran
// order. Byte strings ('S') and text ('U') become TF_STRING tensors, text as UTF-8; object arrays (pickles)
// are refused.
#ifndef DVT_TOOLS_NPY_H_
#define DVT_TOOLS_NPY_H_

#include <stddef.h>

#include "cli.h"

// The array in the `len` bytes of a file; NULL with *status set. Raw elements (V1, V2: how bfloat16 and 8-bit
// floats are saved) become `raw_dtype` if that has their size.
TF_Tensor *npy_parse(const char *bytes, size_t len, TF_DataType raw_dtype, TF_Status *status);

// Writes the tensor; false with *status set. Strings become 'S' arrays as wide as the longest.
bool npy_write(const char *path, const TF_Tensor *tensor, TF_Status *status);

#endif  // DVT_TOOLS_NPY_H_
