// TensorBundle checkpoints: PREFIX.index (a sorted string table in LevelDB table format holding
// BundleHeaderProto and BundleEntryProto) and PREFIX.data-NNNNN-of-MMMMM. Reading (CRC-checked) and
// writing. An open checkpoint may be read from any number of threads.
#ifndef DVT_GRAPH_CHECKPOINT_H_
#define DVT_GRAPH_CHECKPOINT_H_

#include "dovetail/checkpoint.h"
#include "tensor/tensor.h"

typedef struct dvt_checkpoint dvt_checkpoint;
dvt_status dvt_checkpoint_open(const char *prefix, dvt_checkpoint **out_checkpoint) DVT_NODISCARD;
// The same from bytes that outlive the checkpoint; `data` is its only data file. Checksums are optional so
// that tests can reach what lies behind them.
dvt_status dvt_checkpoint_open_memory(dvt_str index, dvt_str data, bool check_crc,
                                      dvt_checkpoint **out_checkpoint) DVT_NODISCARD;
void dvt_checkpoint_close(dvt_checkpoint *checkpoint);
size_t dvt_checkpoint_count(const dvt_checkpoint *checkpoint);
dvt_str dvt_checkpoint_name(const dvt_checkpoint *checkpoint, size_t index);  // sorted; NUL-terminated
bool dvt_checkpoint_has(const dvt_checkpoint *checkpoint, dvt_str name);
// dtype and shape; NOT_FOUND with the nearest names when absent.
dvt_status dvt_checkpoint_describe(const dvt_checkpoint *checkpoint, dvt_str name, int *out_dtype,
                                   int64_t *out_dims, int capacity, int *out_rank) DVT_NODISCARD;
// *out must be empty. Tensors that were saved in slices are put together.
dvt_status dvt_checkpoint_read(const dvt_checkpoint *checkpoint, dvt_str name, TF_Tensor *out) DVT_NODISCARD;
// Writes PREFIX.index and PREFIX.data-00000-of-00001, the index last. Names must not be empty, and unique but for
// those of slices. The folder is made if only its last level is missing. slices[i] NULL: tensor i is whole;
// `slices` NULL: all are.
dvt_status dvt_checkpoint_write(const char *prefix, const dvt_str *names, const TF_Tensor *const *tensors,
                                const dvt_checkpoint_slice *const *slices, size_t count) DVT_NODISCARD;

#endif  // DVT_GRAPH_CHECKPOINT_H_
