/* SPDX-License-Identifier: Apache-2.0
 *
 * Word order by Kendall's τ. The distance of Birch & Osborne 2011 (Reordering metrics for MT, §3):
 * d = √(Σ z_ij / Z) with z_ij = 1 where i < j and π(i) > π(j), Z = (n² − n)/2; τ here is 1 − d, as
 * in Dufter & Schütze 2020. Words that go to one place are in no pair of other order, so z is the
 * number of discordant pairs of (i, π(i)), which base/statistics counts.
 */
#include "analyse/links/word_order.h"

#include "base/memory.h"

#include <math.h>

/* The points of a sentence into x, y; their number. */
static ig_code take_points(ig_word_order *w, const ig_word_links *s, int64_t *n, ig_err *err)
{
    int32_t last = s->n > 0 ? s->link[s->n - 1].a : -1;
    int64_t n_word = s->n_a >= 0 ? s->n_a : (int64_t)last + 1; /* unknown: up to the last link */
    int64_t most = s->n > n_word ? s->n : n_word;
    IG_TRY(ig_grow(&w->x, &w->have_x, most, sizeof *w->x, "word order", err));
    IG_TRY(ig_grow(&w->y, &w->have_y, most, sizeof *w->y, "word order", err));
    *n = 0;
    int64_t word = 0;
    double at = -1; /* where the word before went */
    for (int32_t k = 0; k < s->n; k++) {
        const ig_word_link *l = &s->link[k];
        if (l->possible && !w->possible)
            continue;
        w->n_link++;
        bool first = *n == 0 || w->x[*n - 1] != (double)l->a;
        if (w->variant != IG_VARIANT_FIXED && !first)
            continue;
        for (; w->variant == IG_VARIANT_PAPER_TEXT && word < l->a; word++, ++*n) {
            w->x[*n] = (double)word;
            w->y[*n] = at;
        }
        word = (int64_t)l->a + 1;
        at = (double)l->b;
        w->x[*n] = (double)l->a;
        w->y[*n] = at;
        ++*n;
    }
    for (; w->variant == IG_VARIANT_PAPER_TEXT && *n > 0 && word < n_word; word++, ++*n) {
        w->x[*n] = (double)word;
        w->y[*n] = at;
    }
    return IG_ERR_OK;
}

ig_code ig_word_order_add(ig_word_order *w, const ig_word_links *s, ig_err *err)
{
    int64_t n;
    ig_kendall k;
    w->n_sentence++;
    IG_TRY(take_points(w, s, &n, err));
    if (n < 2)
        return IG_ERR_OK;
    IG_TRY(ig_kendall_tau(&k, w->x, w->y, n, err));
    double pairs = (double)n * (double)(n - 1) / 2;
    double tau = w->variant == IG_VARIANT_FIXED ? k.tau_b : 1 - sqrt((double)k.discordant / pairs);
    if (!isfinite(tau))
        return IG_ERR_OK;
    IG_TRY(ig_grow(&w->value, &w->have, w->n + 1, sizeof *w->value, "word order", err));
    w->value[w->n++] = tau;
    w->concordant += k.concordant;
    w->discordant += k.discordant;
    w->tied += n * (n - 1) / 2 - k.concordant - k.discordant;
    return IG_ERR_OK;
}

void ig_word_order_free(ig_word_order *w)
{
    IG_FREE(w->value, w->x, w->y);
    *w = (ig_word_order){.variant = w->variant, .possible = w->possible};
}

ig_word_order_score ig_word_order_get(const ig_word_order *w)
{
    const ig_summary tau = ig_summarise(w->value, w->n);
    /* τ lies between −1 and 1: a share's interval of (1 + τ)/2. */
    const ig_summary half = {.n = tau.n, .mean = (1 + tau.mean) / 2, .sd = tau.sd / 2};
    ig_interval i = ig_interval_of_mean(&half, IG_RANGE_SHARE, 0.95);
    i.low = 2 * i.low - 1;
    i.high = 2 * i.high - 1;
    return (ig_word_order_score){tau, i};
}
