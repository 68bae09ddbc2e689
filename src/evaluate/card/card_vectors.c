/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of a report card.
 */
#include "evaluate/card/card_vectors.h"

#include "base/numeric/unit_rows.h"

#include <string.h>

void ig_card_vectors_free(ig_card_vectors *v)
{
    for (int k = 0; k < IG_DIAGNOSE_LANGUAGES; k++)
        ig_text_vectors_free(&v->sentence[k]);
    for (int x = 0; x < 2; x++)
        ig_text_vectors_free(&v->word[x]);
    ig_gold_pairs_free(&v->gold);
}

void ig_card_centre(float *x, int64_t n, int d)
{
    for (int i = 0; i < d; i++) {
        double mean = 0;
        for (int64_t s = 0; s < n; s++)
            mean += (double)x[s * d + i] / (double)n;
        for (int64_t s = 0; s < n; s++)
            x[s * d + i] = (float)((double)x[s * d + i] - mean);
    }
}

ig_code ig_card_unit(float *out, const ig_card_vectors *of, int k, int l, bool centre, ig_err *err)
{
    const ig_text_vectors *v = &of->sentence[k];
    memcpy(out, v->x[l], (size_t)(v->n * v->d) * sizeof *out);
    if (centre)
        ig_card_centre(out, v->n, v->d);
    return ig_unit_rows(out, v->n, v->d, "sentence vectors", err);
}
