/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact search: the cosines of all words in double.
 */
#include "embed/search/neighbours.h"

#include <math.h>

void ig_neighbour_offer(ig_neighbour *best, int *n, int k, ig_neighbour x)
{
    int at = *n;
    if (at == k && x.cosine <= best[k - 1].cosine)
        return;
    at -= at == k;
    for (; at > 0 && best[at - 1].cosine < x.cosine; at--)
        best[at] = best[at - 1];
    best[at] = x;
    *n += *n < k;
}

ig_code ig_neighbours(ig_neighbour *out, int *n, const ig_vectors *v, const ig_neighbour_query *q,
                      ig_err *err)
{
    double norm = 0;
    *n = 0;
    for (int k = 0; k < v->d; k++)
        norm += (double)q->vector[k] * (double)q->vector[k];
    if (!(norm > 0))
        return ig_fail(err, IG_ERR_INPUT, "", 0, "the vector is zero, so nothing is near it");
    norm = sqrt(norm);
    for (int32_t i = 0; i < v->n; i++) {
        const float *x = ig_vectors_row(v, i);
        double dot = 0, square = 0;
        for (int k = 0; k < v->d; k++) {
            dot += (double)x[k] * (double)q->vector[k];
            square += (double)x[k] * (double)x[k];
        }
        if (i != q->but && square > 0)
            ig_neighbour_offer(out, n, q->k, (ig_neighbour){i, dot / (sqrt(square) * norm)});
    }
    return IG_ERR_OK;
}
