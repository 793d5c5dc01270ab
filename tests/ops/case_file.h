// Reader of the case files that make_cases.py writes: graphs with what to feed and what stock TensorFlow
// answered. Little-endian; a string is u32 length and bytes; a tensor is u32 dtype, u32 rank, i64 dims, u64
// bytes and the data, strings one after the other as strings.
#ifndef DOVETAIL_TESTS_OPS_CASE_FILE_H_
#define DOVETAIL_TESTS_OPS_CASE_FILE_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tensorflow/c/c_api.h"

#define MAX_TENSORS 64

typedef struct case_tensor {
  char *node;  // name of the operation
  int index;   // its output
  TF_Tensor *value;
  double relative, absolute;  // tolerance of an expected value
  int static_rank;            // shape that stock infers: -1 unknown rank, -2 not recorded
  int64_t static_dims[16];
} case_tensor;

typedef struct test_case {
  char *name;
  TF_Buffer *graph;
  bool fails;  // stock refuses to run it
  int feed_count, fetch_count;
  case_tensor feeds[MAX_TENSORS], fetches[MAX_TENSORS];
} test_case;

// The number of cases, or -1 when the file is not one.
int case_file_open(const char *path, FILE **out_file);
// Reads the next case; false at a damaged one. Free with case_free.
bool case_read(FILE *file, test_case *out);
void case_free(test_case *c);

#endif  // DOVETAIL_TESTS_OPS_CASE_FILE_H_
