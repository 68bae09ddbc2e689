/* SPDX-License-Identifier: Apache-2.0
 *
 * Rank correlation of two quantities over some units, also with a third held fixed: Spearman's ρ;
 * the partial ρ (Kendall 1942, Partial rank correlation, by the formula for product-moment
 * correlations, applied to ranks); 95 % of both by the percentile bootstrap over units (Efron
 * 1979).
 */
#include "base/memory.h"

#include "base/numeric/statistics_internal.h"
#include "base/order.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 1000, FEWEST = 4 }; /* fewer units are too few for the bootstrap */

/* Computes it from the three correlations of two sides and a third; NaN if the third determines
 * one. */
static double partial_correlation(double xy, double xz, double yz)
{
    const double left = (1 - xz * xz) * (1 - yz * yz);
    return left > 1e-12 ? (xy - xz * yz) / sqrt(left) : (double)NAN;
}

/* Computes ρ and the partial ρ; NaN if a side is constant, or the third determines one. */
static ig_code point(double rho[2], double *const v[3], int64_t n, ig_err *err)
{
    double xz, yz;
    rho[1] = (double)NAN;
    IG_TRY(ig_spearman(&rho[0], v[0], v[1], n, err));
    if (v[2] == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_spearman(&xz, v[0], v[2], n, err));
    IG_TRY(ig_spearman(&yz, v[1], v[2], n, err));
    rho[1] = partial_correlation(rho[0], xz, yz);
    return IG_ERR_OK;
}

/* Returns the middle 95 % of the finite values; all NaN if fewer than half are. */
static ig_interval middle(double *x, int64_t n)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            x[m++] = x[i];
    if (2 * m < n)
        return (ig_interval){(double)NAN, (double)NAN, .95};
    qsort(x, (size_t)m, sizeof *x, ig_by_double);
    const int64_t cut = m / 40;
    return (ig_interval){x[cut], x[m - 1 - cut], .95};
}

static ig_code bootstrap(ig_rank_correlation *out, const double *const v[3], int64_t n,
                         uint64_t seed, double *memory, ig_err *err)
{
    double *of[2] = {memory, memory + DRAWS};
    double *const drawn[3] = {memory + 2 * DRAWS, memory + 2 * DRAWS + n,
                              v[2] != NULL ? memory + 2 * DRAWS + 2 * n : NULL};
    ig_rng r = ig_rng_make(seed, IG_STREAM_STATS, 2, 0);
    for (int b = 0; b < DRAWS; b++) {
        double rho[2];
        for (int64_t i = 0; i < n; i++) {
            const uint32_t at = ig_rng_below(&r, (uint32_t)n);
            for (int k = 0; k < 3 && drawn[k] != NULL; k++)
                drawn[k][i] = v[k][at];
        }
        IG_TRY(point(rho, drawn, n, err));
        of[0][b] = rho[0];
        of[1][b] = rho[1];
    }
    out->interval = middle(of[0], DRAWS);
    out->partial_interval = middle(of[1], DRAWS);
    return IG_ERR_OK;
}

ig_code ig_correlate_ranks(ig_rank_correlation *out, const double *const v[3], int64_t n,
                           uint64_t seed, ig_err *err)
{
    const ig_interval none = {(double)NAN, (double)NAN, .95};
    double rho[2], *memory;
    *out = (ig_rank_correlation){n, (double)NAN, (double)NAN, none, none};
    double *const own[3] = {(double *)(uintptr_t)v[0], (double *)(uintptr_t)v[1],
                            (double *)(uintptr_t)v[2]};
    IG_TRY(point(rho, own, n, err));
    out->rho = rho[0];
    out->partial = rho[1];
    if (n < FEWEST)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&memory, 2 * DRAWS + 3 * n, sizeof *memory, "bootstrap", err));
    const ig_code code = bootstrap(out, v, n, seed, memory, err);
    ig_free(memory);
    return code;
}
