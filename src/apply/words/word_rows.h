/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a model's word embeddings: vectors of words of one piece without a context.
 */
#pragma once

#include "isoglot/bert.h"

typedef struct {
    int language;
    const int32_t *id;
    int64_t n;
} ig_word_ids;
/* *out [n, *d] of the table that a language reads, id[n] of the model's vocabulary; the caller's.
 */
ig_code ig_word_rows(float **out, int *d, const ig_bert *m, ig_word_ids of, ig_err *err);
