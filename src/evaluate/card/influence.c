/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals by influences. Linear CKA is ‖XᵀY‖² / (‖XᵀX‖ ‖YᵀY‖) on vectors without their mean; of
 * ‖XᵀY‖² = Σ_ij (x_i·x_j)(y_i·y_j) the sum over j is row i's part, twice which is its influence
 * (to first order the means' own change has none). CKA's follows by the chain rule.
 */
#include "evaluate/card/influence.h"

#include "base/memory.h"
#include "base/numeric/sums.h"
#include "embed/map/map_linear.h"

#include <math.h>

ig_card_number ig_card_none(void)
{
    const double none = (double)NAN;
    return (ig_card_number){none, none, none, none, none, 0};
}

ig_card_number ig_card_share(double share, int64_t n, double chance)
{
    const ig_interval i = ig_interval_of_count(share * (double)n, (double)n, .95);
    return (ig_card_number){share, i.low, i.high, chance, (double)NAN, n};
}

ig_card_number ig_card_by_influence(double value, const double *influence, int64_t n,
                                    ig_value_range range, double chance)
{
    ig_summary s = ig_summarise(influence, n);
    s.mean = value;
    ig_interval i = {(double)NAN, (double)NAN, .95};
    if (isfinite(value) && isfinite(s.sd))
        i = ig_interval_of_mean(&s, range, .95);
    return (ig_card_number){value, i.low, i.high, chance, (double)NAN, n};
}

ig_card_number ig_card_ratio(const double *a, const double *b, int64_t n, ig_value_range range)
{
    ig_card_number out = ig_card_none();
    double sum_a = 0, sum_b = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        sum_a += a[i];
        sum_b += b[i];
    }
    if (!(sum_b > 0))
        return out;
    const double r = sum_a / sum_b;
    if (range == IG_RANGE_SHARE && (r <= 0 || r >= 1))
        return ig_card_share(r, n, (double)NAN);
    for (int64_t i = 0; i < n; i++) { /* (a − r b) / mean of b, whose sum is 0 */
        const double f = (a[i] - r * b[i]) / (sum_b / (double)n);
        square += f * f;
    }
    const ig_summary s = {
        .n = n, .mean = r, .sd = n > 1 ? sqrt(square / (double)(n - 1)) : (double)NAN};
    const ig_interval i = ig_interval_of_mean(&s, range, .95);
    return (ig_card_number){r, i.low, i.high, (double)NAN, (double)NAN, n};
}

/* --- CKA */

ig_code ig_hsic_rows(double *out, const ig_centred *x, const ig_centred *y, ig_vector_work with,
                     ig_err *err)
{
    const int64_t d = x->d;
    IG_OWNED double *cross = NULL;
    IG_OWNED float *mapped = NULL;
    IG_TRY(ig_alloc(&cross, d * y->d, sizeof *cross, "products", err));
    IG_TRY(ig_alloc(&mapped, x->n * y->d, sizeof *mapped, "products", err));
    IG_TRY(ig_map_cross(cross, (ig_retrieve_side){x->x, NULL, x->n},
                        (ig_retrieve_side){y->x, NULL, y->n}, with, err));
    IG_TRY(ig_map_apply(mapped, x->x, x->n, (ig_map_matrix){cross, y->d}, with, err));
    for (int64_t i = 0; i < x->n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < y->d; c++)
            sum += (double)mapped[i * y->d + c] * (double)y->x[i * y->d + c];
        out[i] = sum;
    }
    return IG_ERR_OK;
}

ig_code ig_card_cka(ig_card_number *out, double cka, const ig_cka_rows *r, ig_err *err)
{
    const double n = (double)r->n, xy = ig_sum(r->xy, r->n), xx = ig_sum(r->xx, r->n),
                 yy = ig_sum(r->yy, r->n);
    IG_OWNED double *f = NULL;
    *out = ig_card_none();
    if (!isfinite(cka) || !(xx > 0) || !(yy > 0))
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&f, r->n, sizeof *f, "influences", err));
    for (int64_t i = 0; i < r->n; i++)
        f[i] =
            (xy > 0 ? 2 * cka * n * r->xy[i] / xy : 0) - cka * n * (r->xx[i] / xx + r->yy[i] / yy);
    /* E over permutations of <K, L> for K and L without means: tr K tr L / (n − 1). */
    const double chance =
        ig_sum(r->length_x, r->n) * ig_sum(r->length_y, r->n) / (n - 1) / sqrt(xx * yy);
    *out = ig_card_by_influence(cka, f, r->n, IG_RANGE_SHARE, chance);
    return IG_ERR_OK;
}

ig_code ig_card_cka_debiased(ig_card_number *out, double cka, const ig_cka_rows *r, ig_err *err)
{
    const double n = (double)r->n;
    double xx = 0, yy = 0, *f;
    *out = ig_card_none();
    for (int64_t i = 0; i < r->n; i++) {
        xx += r->xx[i] - r->length_x[i] * r->length_x[i];
        yy += r->yy[i] - r->length_y[i] * r->length_y[i];
    }
    if (!isfinite(cka))
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&f, r->n, sizeof *f, "influences", err));
    for (int64_t i = 0; i < r->n && xx > 0 && yy > 0; i++)
        f[i] = 2 * n * (r->xy[i] - r->length_x[i] * r->length_y[i]) / sqrt(xx * yy) -
               cka * n *
                   ((r->xx[i] - r->length_x[i] * r->length_x[i]) / xx +
                    (r->yy[i] - r->length_y[i] * r->length_y[i]) / yy);
    *out = ig_card_by_influence(cka, f, r->n, IG_RANGE_ANY, 0);
    if (!(xx > 0) || !(yy > 0))
        out->low = out->high = (double)NAN;
    ig_free(f);
    return IG_ERR_OK;
}

/* --- several languages */

ig_code ig_card_of_languages(ig_card_number *out, double value, const ig_language_influence *f,
                             const double *weight, ig_value_range range, ig_err *err)
{
    double square = 0, *sum;
    int64_t least = f->n[0];
    for (int k = 1; k < f->n_language; k++)
        least = f->n[k] < least ? f->n[k] : least;
    *out = ig_card_none();
    IG_TRY(ig_alloc(&sum, least, sizeof *sum, "influences", err));
    for (int k = 0; k < f->n_language; k++) {
        const double sd = ig_summarise(f->of[k], f->n[k]).sd;
        square += weight[k] * weight[k] * sd * sd / (double)f->n[k];
        for (int64_t i = 0; i < least; i++)
            sum[i] += weight[k] * f->of[k][i];
    }
    if (f->parallel) {
        *out = ig_card_by_influence(value, sum, least, range, (double)NAN);
    } else if (isfinite(value) && isfinite(square)) {
        const ig_summary s = {.n = least, .mean = value, .sd = sqrt(square * (double)least)};
        const ig_interval i = ig_interval_of_mean(&s, range, .95);
        *out = (ig_card_number){value, i.low, i.high, (double)NAN, (double)NAN, least};
    }
    ig_free(sum);
    return IG_ERR_OK;
}
