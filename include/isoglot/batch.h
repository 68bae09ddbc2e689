/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch as the model sees it: sequences packed one behind another, without padding.
 */
#ifndef ISOGLOT_BATCH_H
#define ISOGLOT_BATCH_H

#include <stdint.h>

/* Sequences packed one behind another. Borrowed by the calls below. */
typedef struct {
    int32_t n_seq;
    int32_t n_tok;                 /* N = seq_start[n_seq] */
    const int32_t *seq_start;      /* [n_seq + 1] */
    const int32_t *id, *pos, *seg; /* [N] input ids (already masked), positions, segments */
    const int32_t *language;       /* [n_seq] whose separate parts a sequence takes, those of one
                                    * language together; NULL: language 0's */
    int32_t n_pred;                /* masked positions */
    const int32_t *pred_row;       /* [n_pred] rows, ascending */
    const int32_t *pred_label;     /* [n_pred] original ids */
    const int32_t *next; /* [n_seq] next-sentence labels: 0 the second part follows the first, 1 it
                          * is a random one, −1 no pair; NULL: no pairs */
} ig_batch;

#endif
