/* SPDX-License-Identifier: Apache-2.0
 *
 * Paired comparisons over shared seeds: the differences, the test of their mean
 * (base/numeric/statistics_permutation.c), its interval; and Holm's correction over several
 * comparisons (Holm 1979, A simple sequentially rejective multiple test procedure).
 */
#include "base/numeric/statistics.h"

#include "base/memory.h"
#include "base/numeric/statistics_internal.h"

#include <math.h>
#include <stdlib.h>

static const double level = 0.95;

/* Computes everything except p, and the differences. */
static ig_code describe(ig_paired *out, double *d, const ig_pairs *p, ig_err *err)
{
    const double nan = (double)NAN;
    double size = 0;
    *out = (ig_paired){.n = p->n,
                       .mean = nan,
                       .sd = nan,
                       .interval = {nan, nan, level},
                       .p = nan,
                       .exact = p->n <= IG_EXACT_PAIRS,
                       .effect = nan,
                       .p_holm = nan};
    IG_TRY(ig_check_finite(p->a, p->n, "first side of a comparison", err));
    IG_TRY(ig_check_finite(p->b, p->n, "second side of a comparison", err));
    for (int64_t i = 0; i < p->n; i++) {
        d[i] = p->a[i] - p->b[i];
        size = fmax(size, fmax(fabs(p->a[i]), fabs(p->b[i])));
    }
    ig_summary s = ig_summarise(d, p->n);
    /* Differences that are equal up to the rounding of a − b have no variance. */
    s.sd = s.sd <= 1e-14 * size ? 0 : s.sd;
    out->mean = s.mean;
    out->sd = s.sd;
    out->interval = ig_interval_of_mean(&s, IG_RANGE_ANY, level);
    if (out->sd > 0)
        out->effect = out->mean / out->sd;
    return IG_ERR_OK;
}

/* The inputs and memory of compare_all. */
typedef struct {
    double *d; /* differences of all comparisons */
    ig_sample *sample;
    double *p;
} work;

static ig_code compare_in(work *w, ig_paired *out, const ig_pairs *p, int n, uint64_t seed,
                          ig_err *err)
{
    int64_t total = 0;
    for (int i = 0; i < n; i++)
        total += p[i].n;
    IG_TRY(ig_alloc(&w->d, total, sizeof *w->d, "paired comparison", err));
    IG_TRY(ig_alloc(&w->sample, n, sizeof *w->sample, "paired comparison", err));
    IG_TRY(ig_alloc(&w->p, n, sizeof *w->p, "paired comparison", err));
    double *d = w->d;
    for (int i = 0; i < n; i++) {
        IG_TRY(describe(&out[i], d, &p[i], err));
        w->sample[i] = (ig_sample){d, p[i].n};
        d += p[i].n;
    }
    IG_TRY(ig_sign_flip_p(w->p, w->sample, n, seed, err));
    for (int i = 0; i < n; i++)
        out[i].p = out[i].p_holm = w->p[i];
    return IG_ERR_OK;
}

ig_code ig_paired_compare_all(ig_paired *out, const ig_pairs *p, int n, uint64_t seed, ig_err *err)
{
    work w = {0};
    ig_code code = compare_in(&w, out, p, n, seed, err);
    IG_FREE(w.d, w.sample, w.p);
    return code;
}

typedef struct {
    double p;
    int at;
} ranked;

static int by_p(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

ig_code ig_holm(ig_paired *c, int n, ig_err *err)
{
    ranked *r;
    int m = 0;
    IG_TRY(ig_alloc(&r, n, sizeof *r, "Holm's correction", err));
    for (int i = 0; i < n; i++) {
        c[i].p_holm = c[i].p;
        if (!isnan(c[i].p))
            r[m++] = (ranked){c[i].p, i};
    }
    qsort(r, (size_t)m, sizeof *r, by_p);
    double so_far = 0;
    for (int i = 0; i < m; i++) {
        so_far = fmax(so_far, fmin(1, (m - i) * r[i].p));
        c[r[i].at].p_holm = so_far;
    }
    ig_free(r);
    return IG_ERR_OK;
}
