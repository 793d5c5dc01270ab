// Beam search over sequences of labels, as CTCBeamSearchDecoder does it. Exists for float and double, from
// ctc_beam.inc.
#ifndef DOVETAIL_PLUGINS_SPARSE_CTC_BEAM_H_
#define DOVETAIL_PLUGINS_SPARSE_CTC_BEAM_H_

#include <stdbool.h>
#include <stdint.h>

// One search: log probabilities [steps] of `classes` each, `stride` elements apart; the last class is the
// blank.
typedef struct dvs_search {
  const void *logits;
  int64_t steps, stride;
  int classes, width;
} dvs_search;

// A found sequence; labels are malloc'ed, log_probability is of the search's type.
typedef struct dvs_path {
  int64_t *labels;
  int64_t length;
} dvs_path;

// The best `count` sequences, the best first, and their log probabilities in `scores`. 0: done; 1: out of
// memory; 2: fewer than `count` sequences were left. With `merge_repeated` runs of a label come out as one.
int dvs_beam_search_f32(const dvs_search *search, int count, bool merge_repeated, dvs_path *paths,
                        float *scores);
int dvs_beam_search_f64(const dvs_search *search, int count, bool merge_repeated, dvs_path *paths,
                        double *scores);

#endif  // DOVETAIL_PLUGINS_SPARSE_CTC_BEAM_H_
