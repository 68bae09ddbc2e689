/* SPDX-License-Identifier: Apache-2.0
 *
 * A slice ends at the first piece that begins at or after its share of the block.
 */
#include "model/ranks/slices.h"

void ig_slices_make(int64_t *bound, int n, const ig_bert *model)
{
    const ig_bert_param *p = ig_bert_params(model);
    const int64_t all = ig_bert_n_weight(model);
    int r = 1;
    bound[0] = 0;
    for (int i = 0; i < ig_bert_n_param(model); i++) {
        const int64_t size = (int64_t)p[i].rows * p[i].cols;
        for (int64_t from = 0; from < size; from += IG_PIECE)
            while (r < n && p[i].offset + from >= all / n * r)
                bound[r++] = p[i].offset + from;
    }
    while (r <= n)
        bound[r++] = all;
}
