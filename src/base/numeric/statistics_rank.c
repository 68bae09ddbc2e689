/* SPDX-License-Identifier: Apache-2.0
 *
 * Rank correlation: Kendall's τ by Knight's merge sort (Knight 1966, A computer method for
 * calculating Kendall's tau with ungrouped data), τ-b with the correction for ties (Kendall 1945);
 * Spearman's ρ as the product-moment correlation of mid-ranks.
 */
#include "base/numeric/statistics.h"

#include "base/memory.h"
#include "base/numeric/statistics_internal.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double x, y;
} point;

static int by_x_then_y(const void *a, const void *b)
{
    const point *p = a, *q = b;
    int c = ig_by_double(&p->x, &q->x);
    return c != 0 ? c : ig_by_double(&p->y, &q->y);
}

/* Sorts y[0..n) with `spare` of the same size; returns the number of exchanges of neighbours. */
static int64_t merge_sort(double *y, double *spare, int64_t n)
{
    int64_t swaps = 0;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t from = 0; from < n; from += 2 * width) {
            int64_t mid = from + width < n ? from + width : n;
            int64_t to = mid + width < n ? mid + width : n, i = from, j = mid;
            for (int64_t k = from; k < to; k++)
                if (j == to || (i < mid && y[i] <= y[j]))
                    spare[k] = y[i++];
                else {
                    swaps += mid - i;
                    spare[k] = y[j++];
                }
        }
        memcpy(y, spare, (size_t)n * sizeof *y);
    }
    return swaps;
}

ig_code ig_kendall_tau(ig_kendall *out, const double *x, const double *y, int64_t n, ig_err *err)
{
    *out = (ig_kendall){.n = n, .tau_b = (double)NAN};
    IG_TRY(ig_check_finite(x, n, "first side of a rank correlation", err));
    IG_TRY(ig_check_finite(y, n, "second side of a rank correlation", err));
    if (n < 2)
        return IG_ERR_OK;
    IG_OWNED point *p = NULL;
    double *side;
    IG_TRY(ig_alloc(&p, n, sizeof *p, "rank correlation", err));
    ig_code code = ig_alloc(&side, 2 * n, sizeof *side, "rank correlation", err);
    if (code != IG_ERR_OK)
        return code;
    for (int64_t i = 0; i < n; i++)
        p[i] = (point){x[i], y[i]};
    qsort(p, (size_t)n, sizeof *p, by_x_then_y);
    int64_t same_x = 0, same_y = 0, same_both = 0, run_x = 0, run_both = 0, run_y = 0;
    for (int64_t i = 1; i < n; i++) {
        bool tie = p[i].x == p[i - 1].x;
        run_x = tie ? run_x + 1 : 0;
        run_both = tie && p[i].y == p[i - 1].y ? run_both + 1 : 0;
        same_x += run_x;
        same_both += run_both;
    }
    for (int64_t i = 0; i < n; i++)
        side[i] = p[i].y;
    /* Ties in x are in the order of y, so they need no exchange. */
    out->discordant = merge_sort(side, side + n, n);
    for (int64_t i = 1; i < n; i++) {
        run_y = side[i] == side[i - 1] ? run_y + 1 : 0;
        same_y += run_y;
    }
    const int64_t all = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
    out->tied_x = same_x - same_both;
    out->tied_y = same_y - same_both;
    out->tied_both = same_both;
    out->concordant = all - out->discordant - same_x - same_y + same_both;
    const double difference = (double)(out->concordant - out->discordant);
    if (same_x < all && same_y < all)
        /* One root: of a square it is exact, so two orders that agree have 1 and not 1 + 2⁻⁵². */
        out->tau_b = difference / sqrt((double)(all - same_x) * (double)(all - same_y));
    ig_free(side);
    return IG_ERR_OK;
}

typedef struct {
    double value;
    int64_t at;
} placed;

static int by_value_then_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    int c = ig_by_double(&p->value, &q->value);
    return c != 0 ? c : (p->at > q->at) - (p->at < q->at);
}

/* Gives equal values the mean of their ranks. */
static void mid_ranks(double *rank, placed *work, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        work[i] = (placed){x[i], i};
    qsort(work, (size_t)n, sizeof *work, by_value_then_place);
    for (int64_t from = 0, to; from < n; from = to) {
        to = from + 1;
        while (to < n && work[to].value == work[from].value)
            to++;
        for (int64_t i = from; i < to; i++)
            rank[work[i].at] = (double)(from + to - 1) / 2;
    }
}

ig_code ig_spearman(double *rho, const double *x, const double *y, int64_t n, ig_err *err)
{
    *rho = (double)NAN;
    IG_TRY(ig_check_finite(x, n, "first side of a rank correlation", err));
    IG_TRY(ig_check_finite(y, n, "second side of a rank correlation", err));
    if (n < 2)
        return IG_ERR_OK;
    IG_OWNED placed *work = NULL;
    IG_OWNED double *rank = NULL;
    IG_TRY(ig_alloc(&work, n, sizeof *work, "rank correlation", err));
    IG_TRY(ig_alloc(&rank, 2 * n, sizeof *rank, "rank correlation", err));
    mid_ranks(rank, work, x, n);
    mid_ranks(rank + n, work, y, n);
    *rho = ig_pearson(rank, rank + n, n);
    return IG_ERR_OK;
}
