/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts of claims for people and for programs: see results_claims.h.
 */
#include "report/results/results_claims.h"
#include "report/table/table_format.h"

#include <math.h>

enum { CLAIM, VERDICT, DIFFERENCE, INTERVAL, SEEDS, P, HOLM, NEEDED };

static int digits_of(double sd)
{
    if (!(sd > 0))
        return 2;
    const int n = 1 - (int)floor(log10(sd));
    return n < 0 ? 0 : n > 4 ? 4 : n;
}

static void leave_out(ig_table *t, int64_t row, int from, int to)
{
    for (int k = from; k <= to; k++)
        ig_table_at(t, row, 1 + k)->absent = true;
}

static void set_needed(ig_table *t, int64_t row, int64_t seeds)
{
    if (seeds >= 0)
        ig_table_number(t, row, 1 + NEEDED, (double)seeds, 0);
    else
        leave_out(t, row, NEEDED, NEEDED);
}

static void add_claim(ig_table *t, const ig_claim_result *c)
{
    const ig_claim *of = c->claim;
    const int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, row, 0, of->id);
    ig_table_text(t, row, 1 + CLAIM,
                  ig_table_keep(t, "%s%s%s%s%s%s", of->text, of->source != NULL ? " (" : "",
                                of->source != NULL ? of->source : "", of->source != NULL ? ")" : "",
                                of->proxy != NULL ? "; here a proxy for " : "",
                                of->proxy != NULL ? of->proxy : ""));
    ig_table_text(t, row, 1 + VERDICT, ig_verdict_name(c->verdict));
    leave_out(t, row, DIFFERENCE, HOLM);
    set_needed(t, row, c->seeds_needed);
}

static void add_needs(ig_table *t, const char *needs)
{
    const int64_t row = ig_table_add_row(t, IG_ROW_SUB, "needs");
    ig_table_text(t, row, 1 + CLAIM, ig_table_keep(t, "needs %s", needs));
    leave_out(t, row, VERDICT, NEEDED);
}

static void add_comparison(ig_table *t, const ig_claimed *c)
{
    const int64_t row = ig_table_add_row(t, IG_ROW_SUB, "comparison");
    const ig_paired *p = &c->paired;
    const int digits = digits_of(p->sd);
    ig_table_text(t, row, 1 + CLAIM, c->what->text);
    ig_table_text(t, row, 1 + VERDICT,
                  c->missing != NULL ? c->missing : ig_verdict_name(c->verdict));
    if (c->missing != NULL) {
        leave_out(t, row, DIFFERENCE, NEEDED);
        return;
    }
    ig_table_number(t, row, 1 + DIFFERENCE, p->mean, digits);
    ig_table_at(t, row, 1 + DIFFERENCE)->sign = true;
    ig_table_cell *interval = ig_table_at(t, row, 1 + INTERVAL);
    interval->low = p->interval.low;
    interval->high = p->interval.high;
    interval->digits = digits;
    ig_table_number(t, row, 1 + SEEDS, (double)p->n, 0);
    ig_table_number(t, row, 1 + P, p->p, 4);
    ig_table_number(t, row, 1 + HOLM, p->p_holm, 4);
    set_needed(t, row, c->seeds_needed);
}

ig_code ig_claim_results_table(ig_table **out, const ig_claim_results *c, ig_err *err)
{
    static const struct {
        const char *key, *title;
        ig_table_align align;
    } column[] = {{"claim", "claim", IG_TABLE_LEFT},
                  {"verdict", "verdict", IG_TABLE_LEFT},
                  {"difference", "more − less", IG_TABLE_NUMBER},
                  {"interval", "95 %", IG_TABLE_NUMBER},
                  {"n", "n", IG_TABLE_RIGHT},
                  {"p", "p", IG_TABLE_NUMBER},
                  {"p_holm", "Holm", IG_TABLE_NUMBER},
                  {"seeds_needed", "seeds that would decide", IG_TABLE_RIGHT}};
    IG_TRY(ig_table_new(out, "claims", "Claims", NULL, err));
    ig_table_add_row_head(*out, "id", "ID");
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        ig_table_add_column(*out, column[i].key, column[i].title, NULL, column[i].align);
    for (int i = 0; i < c->n_claim; i++) {
        add_claim(*out, &c->claim[i]);
        if (c->claim[i].claim->needs != NULL)
            add_needs(*out, c->claim[i].claim->needs);
        for (int k = 0; k < c->claim[i].claim->n_comparison; k++)
            add_comparison(*out, &c->claim[i].compared[k]);
    }
    ig_table_add_note(*out,
                      "%d claim%s: %d supported, %d contradicted, %d undecided, %d not measured",
                      c->n_claim, c->n_claim == 1 ? "" : "s", c->n_verdict[IG_CLAIM_SUPPORTED],
                      c->n_verdict[IG_CLAIM_CONTRADICTED], c->n_verdict[IG_CLAIM_UNDECIDED],
                      c->n_verdict[IG_CLAIM_NOT_MEASURED]);
    if (c->data != NULL)
        ig_table_add_note(*out, "On %s", c->data);
    for (int i = 0; i < c->n_claim; i++) {
        char cost[IG_CLAIM_COST_TEXT];
        if (ig_claim_cost(cost, c, &c->claim[i])[0] != '\0')
            ig_table_add_note(*out, "%s: at most %s would decide it", c->claim[i].claim->id, cost);
    }
    ig_table_add_note(*out, "Paired sign-flip tests over shared seeds, two-sided; Holm over all "
                            "comparisons; decided below .05");
    return IG_ERR_OK;
}

/* --- for programs ----------------------------------------------------------------------------- */

static json_t *number(double x, bool known)
{
    return known && isfinite(x) ? json_real(x) : json_null();
}

static json_t *seeds(int64_t n)
{
    return n >= 0 ? json_integer((json_int_t)n) : json_null();
}

static json_t *comparison_json(const ig_claimed *c)
{
    const ig_paired *p = &c->paired;
    const bool known = p->n > 0;
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}", "text", c->what->text,
                     "verdict", ig_verdict_name(c->verdict), "n", (json_int_t)p->n, "difference",
                     number(p->mean, known), "low", number(p->interval.low, known), "high",
                     number(p->interval.high, known), "p", number(p->p, known), "p_holm",
                     number(p->p_holm, known), "seeds_needed", seeds(c->seeds_needed), "missing",
                     c->missing);
}

json_t *ig_claim_results_json(const ig_claim_results *c)
{
    json_t *all = json_array();
    for (int i = 0; i < c->n_claim; i++) {
        const ig_claim_result *x = &c->claim[i];
        json_t *comparisons = json_array();
        for (int k = 0; k < x->claim->n_comparison; k++)
            json_array_append_new(comparisons, comparison_json(&x->compared[k]));
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s, s:s?, s:o, s:o, s:o}", "id",
                           x->claim->id, "text", x->claim->text, "source", x->claim->source,
                           "statement", x->claim->statement, "proxy", x->claim->proxy, "needs",
                           x->claim->needs, "verdict", ig_verdict_name(x->verdict), "data", c->data,
                           "seeds_needed", seeds(x->seeds_needed), "operations",
                           number(x->operations, x->operations > 0), "comparisons", comparisons));
    }
    return all;
}
