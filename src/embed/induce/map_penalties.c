/* SPDX-License-Identifier: Apache-2.0
 *
 * The hubness penalties of CSLS (map_induce.h), from the nearest of each word.
 */
#include "embed/induce/map_induce.h"

#include "embed/search/retrieve.h"

void ig_induce_penalties(ig_induce *s, int side)
{
    const int64_t n = side == 0 ? s->n : s->m;
    const int k = s->k > 0 ? s->k : 1;
    double sum = 0;
    if (s->k > 0)
        ig_retrieve_list_means(s->mean[side], s->near[side], n, k);
    for (int64_t i = 0; i < n; i++) {
        sum += (double)s->near[side][i * k];
        s->penalty[side][i] = s->mean[side][i] / 2;
    }
    s->objective[side] = n > 0 ? sum / (double)n : 0;
}
