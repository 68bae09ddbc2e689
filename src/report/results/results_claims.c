/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides claims by tests over seeds, with Holm's correction.
 */
#include "report/results/results_claims.h"
#include "base/strings/time_text.h"
#include "report/results/results_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double alpha = 0.05, power = 0.8;
static const char no_shared[] = "its cells have no seed in common";

const char *ig_verdict_name(ig_verdict v)
{
    static const char *const name[] = {"supported", "contradicted", "undecided", "not measured"};
    return name[v];
}

typedef struct {
    ig_pool *pool;
    const ig_results *r;
    ig_claimed *compared; /* [n] of all claims, in order */
    ig_pairs *pairs;      /* [n] */
    int n;
    ig_err *err;
} work;

/* --- values ----------------------------------------------------------------------------------- */

/* `side` as a number of all seeds of `other`. */
static ig_code number_of(ig_seed_values *side, double number, const ig_seed_values *other, work *w)
{
    *side = *other;
    IG_TRY(ig_pool_alloc(w->pool, &side->value, side->n, sizeof *side->value, w->err));
    for (int64_t i = 0; i < side->n; i++)
        side->value[i] = (ig_result_value){.seed = other->value[i].seed, .value = number};
    return IG_ERR_OK;
}

static ig_code gather(work *w, int at, const ig_claim_comparison *what)
{
    ig_claimed *c = &w->compared[at];
    ig_seed_values more, less;
    *c = (ig_claimed){.what = what, .verdict = IG_CLAIM_NOT_MEASURED, .seeds_needed = -1};
    IG_TRY(ig_claim_values_make(&more, &c->missing, w->r, &what->more, w->pool, w->err));
    IG_TRY(ig_claim_values_make(&less, &c->missing, w->r, &what->less, w->pool, w->err));
    if (c->missing != NULL)
        return IG_ERR_OK;
    if (what->more.n_term == 0)
        IG_TRY(number_of(&more, what->more.plus, &less, w));
    if (what->less.n_term == 0)
        IG_TRY(number_of(&less, what->less.plus, &more, w));
    IG_TRY(ig_seed_values_pair(&w->pairs[at], w->pool, &more, &less, w->err));
    return w->pairs[at].n > 0
               ? IG_ERR_OK
               : ig_pool_text(w->pool, &c->missing, no_shared, strlen(no_shared), w->err);
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* Fewest pairs whose smallest p, 2^(1 − n), is below `level`. */
static int64_t least_pairs(double level)
{
    int64_t n = 2;
    while (ldexp(1, 1 - (int)n) >= level && n < 1000)
        n++;
    return n;
}

static void decide(ig_claimed *c, int n_tested)
{
    const ig_paired *p = &c->paired;
    if (p->p_holm < alpha) {
        c->verdict = p->mean > 0 ? IG_CLAIM_SUPPORTED : IG_CLAIM_CONTRADICTED;
        return;
    }
    c->verdict = IG_CLAIM_UNDECIDED;
    const double level = alpha / n_tested;
    c->seeds_needed = ig_seeds_needed(p->mean, p->sd, level, power);
    const int64_t least = least_pairs(level) > p->n ? least_pairs(level) : p->n + 1;
    if (c->seeds_needed >= 0 && c->seeds_needed < least)
        c->seeds_needed = least;
    if (c->seeds_needed > IG_CLAIM_SEEDS_AT_MOST)
        c->seeds_needed = -1;
}

static ig_code test(work *w)
{
    ig_paired *paired;
    int n = 0;
    IG_TRY(ig_result_test(&paired, w->pool, w->pairs, w->n, w->err));
    for (int i = 0; i < w->n; i++)
        n += paired[i].n > 0;
    for (int i = 0; i < w->n; i++) {
        w->compared[i].paired = paired[i];
        if (paired[i].n > 0)
            decide(&w->compared[i], n);
    }
    return IG_ERR_OK;
}

/* Verdict on comparisons joined by `and`: a contradicted one decides, then one that is not
 * measured. */
static ig_verdict all_of(const ig_claim_result *c, int part, int64_t *seeds)
{
    int count[IG_CLAIM_NOT_MEASURED + 1] = {0};
    *seeds = 0;
    for (int i = 0; i < c->claim->n_comparison; i++) {
        const ig_claimed *x = &c->compared[i];
        if (x->what->part != part)
            continue;
        count[x->verdict]++;
        if (x->verdict == IG_CLAIM_UNDECIDED && *seeds >= 0)
            *seeds = x->seeds_needed < 0 ? -1 : x->seeds_needed > *seeds ? x->seeds_needed : *seeds;
    }
    return count[IG_CLAIM_CONTRADICTED] > 0   ? IG_CLAIM_CONTRADICTED
           : count[IG_CLAIM_NOT_MEASURED] > 0 ? IG_CLAIM_NOT_MEASURED
           : count[IG_CLAIM_UNDECIDED] > 0    ? IG_CLAIM_UNDECIDED
                                              : IG_CLAIM_SUPPORTED;
}

/* Verdict on parts joined by `or`: a supported one decides, then an undecided one. A claim without
 * a statement is not measured. */
static void sum_up(ig_claim_result *c)
{
    int count[IG_CLAIM_NOT_MEASURED + 1] = {0};
    c->seeds_needed = -1;
    for (int part = 0; part < c->claim->n_part; part++) {
        int64_t seeds;
        const ig_verdict v = all_of(c, part, &seeds);
        count[v]++;
        if (v == IG_CLAIM_UNDECIDED && seeds >= 0 &&
            (c->seeds_needed < 0 || seeds < c->seeds_needed))
            c->seeds_needed = seeds;
    }
    c->verdict = count[IG_CLAIM_SUPPORTED] > 0   ? IG_CLAIM_SUPPORTED
                 : count[IG_CLAIM_UNDECIDED] > 0 ? IG_CLAIM_UNDECIDED
                 : count[IG_CLAIM_CONTRADICTED] > 0 && count[IG_CLAIM_NOT_MEASURED] == 0
                     ? IG_CLAIM_CONTRADICTED
                     : IG_CLAIM_NOT_MEASURED;
    if (c->verdict != IG_CLAIM_UNDECIDED)
        c->seeds_needed = -1;
}

ig_code ig_claim_results_make(ig_claim_results *out, const ig_results *r, const ig_claim *claim,
                              int n_claim, ig_err *err)
{
    *out = (ig_claim_results){.n_claim = n_claim};
    work w = {.pool = &out->pool, .r = r, .err = err};
    for (int i = 0; i < n_claim; i++)
        w.n += claim[i].n_comparison;
    IG_TRY(ig_pool_alloc(w.pool, &out->claim, n_claim, sizeof *out->claim, err));
    IG_TRY(ig_pool_alloc(w.pool, &w.compared, w.n, sizeof *w.compared, err));
    IG_TRY(ig_pool_alloc(w.pool, &w.pairs, w.n, sizeof *w.pairs, err));
    for (int i = 0, at = 0; i < n_claim; i++) {
        out->claim[i] = (ig_claim_result){.claim = &claim[i], .compared = &w.compared[at]};
        for (int k = 0; k < claim[i].n_comparison; k++)
            IG_TRY(gather(&w, at++, &claim[i].comparison[k]));
    }
    IG_TRY(test(&w));
    for (int i = 0; i < n_claim; i++) {
        sum_up(&out->claim[i]);
        out->n_verdict[out->claim[i].verdict]++;
    }
    return IG_ERR_OK;
}

void ig_claim_results_free(ig_claim_results *c)
{
    ig_pool_free(&c->pool);
    *c = (ig_claim_results){0};
}

ig_code ig_claim_results_measured_on(ig_claim_results *c, const char *data, ig_err *err)
{
    return ig_pool_text(&c->pool, &c->data, data, strlen(data), err);
}

const char *ig_claim_cost(char out[IG_CLAIM_COST_TEXT], const ig_claim_results *c,
                          const ig_claim_result *of)
{
    char core[IG_TIME_TEXT];
    out[0] = '\0';
    if (of->operations > 0)
        snprintf(out, IG_CLAIM_COST_TEXT, "%s of one core at %.0f GFLOP/s%s",
                 ig_time_text(core, of->operations / IG_CLAIM_OPERATIONS_A_SECOND),
                 IG_CLAIM_OPERATIONS_A_SECOND * 1e-9, c->tuned ? ", without fine-tuning" : "");
    return out;
}
