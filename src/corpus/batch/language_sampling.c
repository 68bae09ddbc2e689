/* SPDX-License-Identifier: Apache-2.0
 *
 * Divides an epoch among languages, and draws the sentences of each (Lample & Conneau 2019, §3.1).
 */
#include "corpus/batch/language_sampling.h"

#include "base/rng.h"

#include <math.h>
#include <stddef.h>

/* Above the numbers that orders of whole epochs and of batches use (corpus/batch/batcher.c). */
static const uint32_t own_order = 0x40000000u;

void ig_sampling_parts(int64_t *part, const int64_t *size, const double *share, int n_language,
                       double alpha, int64_t epoch)
{
    double sum = 0;
    for (int k = 0; k < n_language; k++)
        sum += (share != NULL ? share[k] : 1) * pow((double)size[k], alpha);
    /* Integer parts first; part[k + 1] holds language k's number until the end. */
    int64_t given = 0;
    part[0] = 0;
    for (int k = 0; k < n_language; k++) {
        const double p = (share != NULL ? share[k] : 1) * pow((double)size[k], alpha) / sum;
        part[k + 1] = (int64_t)(p * (double)epoch);
        given += part[k + 1];
    }
    while (given < epoch) {
        int best = 0;
        double most = -1;
        for (int k = 0; k < n_language; k++) {
            const double p = (share != NULL ? share[k] : 1) * pow((double)size[k], alpha) / sum;
            const double rest = p * (double)epoch - (double)part[k + 1];
            if (rest > most) {
                most = rest;
                best = k;
            }
        }
        part[best + 1]++;
        given++;
    }
    for (int k = 0; k < n_language && epoch >= n_language; k++) {
        if (part[k + 1] > 0 || (share != NULL && share[k] <= 0))
            continue;
        int from = 0;
        for (int j = 1; j < n_language; j++)
            if (part[j + 1] > part[from + 1])
                from = j;
        part[from + 1]--;
        part[k + 1]++;
    }
    for (int k = 0; k < n_language; k++)
        part[k + 1] += part[k];
}

void ig_sampling_draw(int64_t *out, const ig_sampling_share *s, int32_t *work)
{
    int64_t pass = -1;
    for (int64_t i = 0; i < s->quota; i++) {
        const int64_t at = s->epoch * s->quota + i;
        if (at / s->size != pass) {
            pass = at / s->size;
            ig_rng r = ig_rng_make(s->seed, IG_STREAM_SHUFFLE, own_order | (uint32_t)s->language,
                                   (uint32_t)pass);
            ig_rng_permutation(&r, work, (int32_t)s->size);
        }
        out[i] = (pass & 0x7FFFFFFF) << 32 | work[at % s->size];
    }
}
