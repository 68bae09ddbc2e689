/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the verdicts on claims, and chooses the ones that are reported first: those that most
 * experiments test.
 */
#include "report/page/page_answer.h"
#include "base/strings/append.h"
#include "report/page/page_template.h"

#include <math.h>

const char *ig_page_verdict_name(int v)
{
    return v == IG_PAGE_MIXED ? "mixed" : ig_verdict_name((ig_verdict)v);
}

const int ig_page_verdict_order[IG_PAGE_N_VERDICT] = {
    IG_CLAIM_SUPPORTED, IG_CLAIM_PARTLY,         IG_CLAIM_CONTRADICTED,
    IG_PAGE_MIXED,      IG_CLAIM_UNDECIDED,      IG_CLAIM_NOT_TESTABLE,
    IG_CLAIM_AT_FLOOR,  IG_CLAIM_NOT_COMPARABLE, IG_CLAIM_NOT_MEASURED};

static json_t *counts(const ig_page_claim *claim, int n)
{
    json_t *all = json_array();
    for (int v = 0; v < IG_PAGE_N_VERDICT; v++) {
        const int verdict = ig_page_verdict_order[v];
        int of = 0;
        for (int i = 0; i < n; i++)
            of += claim[i].verdict == verdict;
        if (of > 0)
            json_array_append_new(all, json_pack("{s:s, s:i, s:i, s:b, s:s}", "verdict",
                                                 ig_page_verdict_name(verdict), "number", verdict,
                                                 "n", of, "are", json_array_size(all) == 0, "is",
                                                 of == 1 ? "is" : "are"));
    }
    return all;
}

/* Two significant digits, and no more than a unit's. */
static void put_number(char *out, size_t size, double x, bool sign)
{
    const double a = fabs(x);
    const int digits = a >= 10 ? 0 : a >= 1 ? 1 : a >= .1 || !(a > 0) ? 2 : 3;
    ig_append(out, size, "%s%.*f", x < 0 ? "\xE2\x88\x92" : sign ? "+" : "", digits, a);
}

/* "+0.35 [0.32, 0.37], n 12" of the comparison that decides it; null: it has no numbers. */
static json_t *estimate(const ig_claim_result *r, ig_verdict v)
{
    for (int i = 0; i < r->claim->n_comparison; i++) {
        const ig_claimed *c = &r->compared[i];
        if (c->missing == NULL && c->what->role == IG_CLAIM_STATEMENT && c->verdict == v &&
            isfinite(c->tested.mean)) {
            char text[120] = "";
            put_number(text, sizeof text, c->tested.mean, true);
            ig_append(text, sizeof text, " [");
            put_number(text, sizeof text, c->tested.interval.low, false);
            ig_append(text, sizeof text, ", ");
            put_number(text, sizeof text, c->tested.interval.high, false);
            ig_append(text, sizeof text, "], n %lld", (long long)c->tested.n);
            return json_string(text);
        }
    }
    return json_null();
}

/* Claims of a paper go before one's own, then those that more experiments test, then the earlier.
 */
static bool goes_before(const ig_page_claim *c, int i, int k)
{
    const bool a = c[i].result->claim->source != NULL, b = c[k].result->claim->source != NULL;
    if (a != b)
        return a;
    return c[i].n_test != c[k].n_test ? c[i].n_test > c[k].n_test : i < k;
}

static json_t *some(const ig_page_claim *claim, int n, ig_verdict v)
{
    enum { MOST = 2 };
    json_t *all = json_array();
    for (int last = -1, next; json_array_size(all) < MOST; last = next) {
        next = -1;
        for (int i = 0; i < n; i++)
            if (claim[i].verdict == (int)v && (last < 0 || goes_before(claim, last, i)) &&
                i != last && (next < 0 || goes_before(claim, i, next)))
                next = i;
        if (next < 0)
            break;
        json_t *one =
            ig_page_texts("text", claim[next].result->claim->text, "link", claim[next].link, NULL);
        json_object_set_new(one, "estimate", estimate(claim[next].result, v));
        json_object_set_new(one, "first", json_boolean(last < 0));
        json_array_append_new(all, one);
    }
    return all;
}

json_t *ig_page_answer(const ig_page_claim *claim, int n)
{
    if (n == 0)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "claims",
                     json_sprintf("%d claim%s", n, n == 1 ? "" : "s"), "counts", counts(claim, n),
                     "held", some(claim, n, IG_CLAIM_SUPPORTED), "failed",
                     some(claim, n, IG_CLAIM_CONTRADICTED));
}
