/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch as the model sees it: sequences packed one after another, without padding, and the
 * targets of its heads.
 */
#ifndef ISOGLOT_BATCH_H
#define ISOGLOT_BATCH_H

#include "isoglot/head_config.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The targets of one head: the label of each of these rows. */
typedef struct {
    int32_t n;
    const int32_t *row;   /* [n] tokens of the batch, ascending; for a head that classifies
                           * sequences their first ones */
    const int32_t *label; /* [n]; NULL: the head is not evaluated */
    /* [n] PARSER only. The first target of a sequence is its first token, which represents ROOT
     * (label and head −1), the others are its words: 0 where ROOT is the head, else the position of
     * the head among them, from 1. */
    const int32_t *head;
} ig_targets;

/* Sequences packed one after another. Borrowed by the calls below. */
struct ig_batch {
    int32_t n_seq;
    int32_t n_tok;                 /* N = seq_start[n_seq] */
    const int32_t *seq_start;      /* [n_seq + 1] */
    const int32_t *id, *pos, *seg; /* [N] input ids (already masked), positions, segments */
    const int32_t *language;       /* [n_seq] the language whose separate parts a sequence uses,
                                    * those of one language adjacent; NULL: language 0's */
    bool causal;                   /* a token attends to none after it, whatever the model's
                                    * configuration says */
    ig_targets target[IG_N_HEAD];
};

#ifdef __cplusplus
}
#endif

#endif
