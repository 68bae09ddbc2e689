/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of a cooccurrence table in blocks, in memory or in a temporary file.
 */
#pragma once

#include "embed/train/glove/glove.h"

typedef struct {
    int32_t i, j;
    float log_x, weight; /* log x; min(1, (x / x_max)^alpha) */
} ig_glove_cell;

/* Word w is in part w % parts; block (p, q) has the cells of rows of part p and columns of part q,
 * from start[p · parts + q] on, in random order. Freed with ig_glove_cells_free. */
typedef struct {
    ig_glove_cell *cell;
    int64_t n, *start;
    int parts;
    bool mapped;
} ig_glove_cells;

ig_code ig_glove_cells_count(ig_glove_cells *out, const ig_text_ids *text,
                             const ig_glove_options *o, ig_team *team, ig_err *err);
void ig_glove_cells_free(ig_glove_cells *c);
