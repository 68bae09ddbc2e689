/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides claims by the intervals of their comparisons (results_claims.h).
 */
#include "report/results/results_claims.h"
#include "base/strings/time_text.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <stdio.h>
#include <string.h>

const char *ig_verdict_name(ig_verdict v)
{
    static const char *const name[] = {"supported",      "contradicted",      "partly",
                                       "undecided",      "not testable here", "at floor",
                                       "not comparable", "not measured"};
    return name[v];
}

const char *ig_on_paper_name(ig_on_paper p)
{
    static const char *const name[] = {"not in a paper", "no numbers", "holds", "fails", "vacuous"};
    return name[p];
}

const char *ig_claim_role_name(ig_claim_role r)
{
    static const char *const name[] = {"statement", "premise", "control"};
    return name[r];
}

bool ig_verdict_is_open(ig_verdict v)
{
    return v == IG_CLAIM_PARTLY || v == IG_CLAIM_UNDECIDED || v == IG_CLAIM_NOT_MEASURED;
}

/* --- comparisons ------------------------------------------------------------------------------ */

static void decide(ig_claimed *c, double level)
{
    c->verdict = !(c->tested.p_adjusted < .05) ? IG_CLAIM_UNDECIDED
                 : c->tested.mean > 0          ? IG_CLAIM_SUPPORTED
                                               : IG_CLAIM_CONTRADICTED;
    if (c->verdict == IG_CLAIM_UNDECIDED)
        c->seeds_needed = ig_result_seeds_needed(&c->tested, level);
    if (c->seeds_needed > IG_CLAIM_SEEDS_AT_MOST)
        c->seeds_needed = -1;
}

/* A premise stands by itself: its interval is one of 95 %. One seed has no interval, so nothing
 * that a verdict could follow from: it is not measured yet. The seeds that would decide it are
 * those of the next look, whose interval is wider. */
static ig_code compare(ig_claimed *c, const ig_claim *claim, const ig_claim_comparison *what,
                       const ig_results *r, ig_claim_results *out, ig_err *err)
{
    const bool adjusted = what->role != IG_CLAIM_PREMISE;
    const int n_once = adjusted ? out->family * claim->n_part : 1;
    const int n_test = adjusted ? n_once * (1 + claim->earlier_looks) : 1;
    const int n_next = adjusted ? n_once + n_test : 1;
    *c = (ig_claimed){.what = what, .verdict = IG_CLAIM_NOT_MEASURED, .seeds_needed = -1};
    IG_TRY(ig_claim_contrast(&c->tested, &c->missing, r, what, n_test, &out->pool, err));
    if (c->missing == NULL && c->tested.n >= 2)
        decide(c, .05 / n_next);
    return IG_ERR_OK;
}

/* --- claims ----------------------------------------------------------------------------------- */

/* Verdict on comparisons joined by `and`: those of a part, or of a role other than the statement's.
 * A contradicted one decides, then one that is not measured. None: supported. */
static ig_verdict all_of(const ig_claim_result *c, ig_claim_role role, int part, int64_t *seeds)
{
    int count[IG_N_VERDICT] = {0};
    *seeds = 0;
    for (int i = 0; i < c->claim->n_comparison; i++) {
        const ig_claimed *x = &c->compared[i];
        if (x->what->role != role || x->what->part != part)
            continue;
        count[x->verdict]++;
        if (x->verdict == IG_CLAIM_UNDECIDED && *seeds >= 0)
            *seeds = x->seeds_needed < 0 ? -1 : x->seeds_needed > *seeds ? x->seeds_needed : *seeds;
    }
    return count[IG_CLAIM_CONTRADICTED] > 0   ? IG_CLAIM_CONTRADICTED
           : count[IG_CLAIM_NOT_MEASURED] > 0 ? IG_CLAIM_NOT_MEASURED
           : count[IG_CLAIM_UNDECIDED] == 0   ? IG_CLAIM_SUPPORTED
           : count[IG_CLAIM_SUPPORTED] > 0    ? IG_CLAIM_PARTLY
                                              : IG_CLAIM_UNDECIDED;
}

/* Verdict on parts joined by `or`: a supported one decides, then an open one. A claim without a
 * statement is not measured. */
static ig_verdict any_of(const ig_claim_result *c, int64_t *needed)
{
    int count[IG_N_VERDICT] = {0};
    *needed = -1;
    for (int part = 0; part < c->claim->n_part; part++) {
        int64_t seeds;
        const ig_verdict v = all_of(c, IG_CLAIM_STATEMENT, part, &seeds);
        count[v]++;
        if ((v == IG_CLAIM_UNDECIDED || v == IG_CLAIM_PARTLY) && seeds >= 0 &&
            (*needed < 0 || seeds < *needed))
            *needed = seeds;
    }
    return count[IG_CLAIM_SUPPORTED] > 0   ? IG_CLAIM_SUPPORTED
           : count[IG_CLAIM_PARTLY] > 0    ? IG_CLAIM_PARTLY
           : count[IG_CLAIM_UNDECIDED] > 0 ? IG_CLAIM_UNDECIDED
           : count[IG_CLAIM_CONTRADICTED] > 0 && count[IG_CLAIM_NOT_MEASURED] == 0
               ? IG_CLAIM_CONTRADICTED
               : IG_CLAIM_NOT_MEASURED;
}

static bool has_baseline(const ig_claim_comparison *c)
{
    const ig_claim_term *t;
    for (int i = 0; (t = ig_claim_term_at(c, i)) != NULL; i++)
        if (ig_store_task_is_guess(t->q.task))
            return true;
    return false;
}

/* Returns what a failed premise says: that the models score no better than without having learned,
 * or that there is nothing else to test. */
static ig_verdict of_premise(const ig_claim_result *c)
{
    for (int i = 0; i < c->claim->n_comparison; i++) {
        const ig_claimed *x = &c->compared[i];
        if (x->what->role == IG_CLAIM_PREMISE && x->verdict != IG_CLAIM_SUPPORTED &&
            has_baseline(x->what))
            return IG_CLAIM_AT_FLOOR;
    }
    return IG_CLAIM_NOT_TESTABLE;
}

/* The statement's verdict, unless a control is not beaten, the premise fails or the design decides
 * nothing. */
static void sum_up(ig_claim_result *c)
{
    int64_t seeds, of_control, needless;
    ig_verdict v = any_of(c, &seeds);
    const ig_verdict control = all_of(c, IG_CLAIM_CONTROL, -1, &of_control),
                     premise = all_of(c, IG_CLAIM_PREMISE, -1, &needless);
    if (v == IG_CLAIM_SUPPORTED && control != IG_CLAIM_SUPPORTED) {
        v = control == IG_CLAIM_UNDECIDED ? IG_CLAIM_PARTLY : control;
        seeds = of_control;
    }
    if (v != IG_CLAIM_NOT_MEASURED && premise == IG_CLAIM_NOT_MEASURED)
        v = IG_CLAIM_NOT_MEASURED;
    else if (v != IG_CLAIM_NOT_MEASURED && premise != IG_CLAIM_SUPPORTED)
        v = of_premise(c);
    if (v != IG_CLAIM_NOT_MEASURED && c->claim->caveat != NULL)
        v = IG_CLAIM_NOT_COMPARABLE;
    c->verdict = v;
    c->seeds_needed = v == IG_CLAIM_UNDECIDED || v == IG_CLAIM_PARTLY ? seeds : -1;
}

ig_code ig_claim_results_make(ig_claim_results *out, const ig_results *r, const ig_claim *claim,
                              int n_claim, int family, ig_err *err)
{
    ig_claimed *compared;
    int n = 0;
    *out = (ig_claim_results){.n_claim = n_claim, .family = family > 0 ? family : n_claim};
    for (int i = 0; i < n_claim; i++)
        n += claim[i].n_comparison;
    IG_TRY(ig_pool_alloc(&out->pool, &out->claim, n_claim, sizeof *out->claim, err));
    IG_TRY(ig_pool_alloc(&out->pool, &compared, n, sizeof *compared, err));
    for (int i = 0; i < n_claim; i++) {
        ig_claim_result *c = &out->claim[i];
        *c = (ig_claim_result){.claim = &claim[i], .compared = compared};
        for (int k = 0; k < claim[i].n_comparison; k++)
            IG_TRY(compare(compared++, &claim[i], &claim[i].comparison[k], r, out, err));
        sum_up(c);
        out->n_verdict[c->verdict]++;
        out->n_ours[c->verdict] += claim[i].source == NULL;
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
    if (of->seconds > 0)
        snprintf(out, IG_CLAIM_COST_TEXT, "%s of one core%s", ig_time_text(core, of->seconds),
                 c->tuned ? " (without fine-tuning)" : "");
    return out;
}
