/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of different words that occur in one sentence pair of parallel text ("cells"),
 * and the cell of each pair of positions.
 */
#pragma once

#include "analyse/links/ibm2.h"

typedef struct {
    const ig_bitext *text;
    int from, to;
    int64_t *place;   /* [n + 1] where a sentence pair begins in `cell` */
    int32_t *cell;    /* of word j of `to` and place i of `from`, 0 for none, else its word i − 1:
                         cell[place + j (n_from + 1) + i] */
    int32_t n_source; /* words of `from`, and none, which is 0 */
    int64_t *first;   /* [n_source + 1] cells of each word of `from` */
} ig_ibm2_cells;

/* More than 2³¹ cells are IG_ERR_INPUT. Freed with ig_ibm2_cells_free, also after an error. */
ig_code ig_ibm2_cells_new(ig_ibm2_cells *c, const ig_bitext *text, int from, ig_err *err);
void ig_ibm2_cells_free(ig_ibm2_cells *c);

static inline int ig_bitext_words(const ig_bitext *t, int side, int64_t pair)
{
    return (int)(t->first[side][pair + 1] - t->first[side][pair]);
}
