/* SPDX-License-Identifier: Apache-2.0
 *
 * Alias tables (Walker 1977, in Vose's linear-time form), and subsampling.
 */
#include "embed/train/word_sampling.h"

#include "base/memory.h"

#include <math.h>

void ig_alias_free(ig_alias *a)
{
    IG_FREE(a->keep, a->other);
    *a = (ig_alias){0};
}

/* share[i] is n times the probability of i; small and large are work space. */
static void fill(ig_alias *a, double *share, int32_t *small, int32_t *large)
{
    int32_t n_small = 0, n_large = 0;
    for (int32_t i = 0; i < a->n; i++)
        if (share[i] < 1)
            small[n_small++] = i;
        else
            large[n_large++] = i;
    while (n_small > 0 && n_large > 0) {
        int32_t s = small[--n_small], l = large[n_large - 1];
        a->keep[s] = (uint32_t)fmin(share[s] * 0x1p32, 0x1p32 - 1);
        a->other[s] = l;
        share[l] -= 1 - share[s];
        if (share[l] < 1) {
            n_large--;
            small[n_small++] = l;
        }
    }
    /* The remainder is 1 up to rounding. */
    while (n_small + n_large > 0) {
        int32_t i = n_small > 0 ? small[--n_small] : large[--n_large];
        a->keep[i] = UINT32_MAX;
        a->other[i] = i;
    }
}

ig_code ig_alias_new(ig_alias *out, const int64_t *count, int32_t n, double exponent, ig_err *err)
{
    ig_alias a = {.n = n};
    double *share = NULL, sum = 0;
    int32_t *small = NULL, *large = NULL;
    *out = (ig_alias){0};
    ig_code code = ig_alloc(&a.keep, n, sizeof *a.keep, "table of negatives", err);
    IG_THEN(code, ig_alloc(&a.other, n, sizeof *a.other, "table of negatives", err));
    IG_THEN(code, ig_alloc(&share, n, sizeof *share, "table of negatives", err));
    IG_THEN(code, ig_alloc(&small, n, sizeof *small, "table of negatives", err));
    IG_THEN(code, ig_alloc(&large, n, sizeof *large, "table of negatives", err));
    if (code == IG_ERR_OK) {
        for (int32_t i = 0; i < n; i++)
            sum += share[i] = pow((double)count[i], exponent);
        for (int32_t i = 0; i < n; i++)
            share[i] *= n / sum;
        fill(&a, share, small, large);
    }
    IG_FREE(share, small, large);
    if (code != IG_ERR_OK)
        ig_alias_free(&a);
    *out = a;
    return code;
}

void ig_keep_shares(uint64_t *keep, const int64_t *count, int32_t n, double t)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += (double)count[i];
    for (int32_t i = 0; i < n; i++) {
        double r = t * sum / (double)count[i], p = t > 0 ? sqrt(r) + r : 1;
        keep[i] = p >= 1 ? (uint64_t)1 << 32 : (uint64_t)(p * 0x1p32);
    }
}
