/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the verdicts of claims as a table and as JSON.
 */
#include "base/settings/json_text.h"
#include "report/results/results_claims.h"
#include "report/results/results_contrast.h"

enum { CLAIM = 1, VERDICT, TESTED };

static void add_claim(ig_table *t, const ig_claim_result *c)
{
    const ig_claim *of = c->claim;
    const int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    ig_table_text(t, row, 0, of->id);
    ig_table_text(t, row, CLAIM,
                  ig_table_keep(t, "%s%s%s%s%s%s", of->text, of->source != NULL ? " (" : "",
                                of->source != NULL ? of->source : "", of->source != NULL ? ")" : "",
                                of->proxy != NULL ? "; here a proxy for " : "",
                                of->proxy != NULL ? of->proxy : ""));
    ig_table_text(t, row, VERDICT, ig_verdict_name(c->verdict));
    ig_contrast_cells(t, row, TESTED, &(ig_contrast){0}, 0, c->seeds_needed);
}

/* A line below a claim: "needs …". */
static void add_line(ig_table *t, const char *key, const char *text)
{
    if (text == NULL)
        return;
    const int64_t row = ig_table_add_row(t, IG_ROW_SUB, key);
    ig_table_text(t, row, CLAIM, ig_table_keep(t, "%s %s", key, text));
    ig_table_at(t, row, VERDICT)->absent = true;
    ig_contrast_cells(t, row, TESTED, &(ig_contrast){0}, 0, -1);
}

static void add_comparison(ig_table *t, const ig_claimed *c)
{
    const int64_t row = ig_table_add_row(t, IG_ROW_SUB, "comparison");
    const ig_claim_role role = c->what->role;
    ig_table_text(t, row, CLAIM,
                  role == IG_CLAIM_STATEMENT
                      ? c->what->text
                      : ig_table_keep(t, "%s: %s", ig_claim_role_name(role), c->what->text));
    ig_table_text(t, row, VERDICT, c->missing != NULL ? c->missing : ig_verdict_name(c->verdict));
    ig_contrast_cells(t, row, TESTED, &c->tested, ig_contrast_digits(c->tested.sd),
                      c->seeds_needed);
}

/* "118 claims: 24 supported, 8 contradicted"; those in no paper in a line of their own. */
static void note_counts(ig_table *t, const ig_claim_results *c, bool ours)
{
    int n = 0, shown = 0;
    for (int v = 0; v < IG_N_VERDICT; v++)
        n += ours ? c->n_ours[v] : c->n_verdict[v] - c->n_ours[v];
    if (n == 0)
        return;
    const char *text =
        ig_table_keep(t, "%d claim%s%s", n, n == 1 ? "" : "s", ours ? " of no paper" : "");
    for (int v = 0; v < IG_N_VERDICT; v++) {
        const int of = ours ? c->n_ours[v] : c->n_verdict[v] - c->n_ours[v];
        if (of > 0)
            text = ig_table_keep(t, "%s%s %d %s", text, shown++ == 0 ? ":" : ",", of,
                                 ig_verdict_name((ig_verdict)v));
    }
    ig_table_add_note(t, "%s", text);
}

ig_code ig_claim_results_table(ig_table **out, const ig_claim_results *c, ig_err *err)
{
    IG_TRY(ig_table_new(out, "claims", "Claims", NULL, err));
    ig_table_add_row_head(*out, "id", "ID");
    ig_table_add_column(*out, "claim", "claim", NULL, IG_TABLE_LEFT);
    ig_table_add_column(*out, "verdict", "verdict", NULL, IG_TABLE_LEFT);
    ig_contrast_columns(*out, "more − less", "seeds that would decide");
    bool again = false, paper = false;
    for (int i = 0; i < c->n_claim; i++) {
        add_claim(*out, &c->claim[i]);
        again = again || c->claim[i].claim->earlier_looks > 0;
        paper = paper || c->claim[i].claim->source != NULL;
        add_line(*out, "needs", c->claim[i].claim->needs);
        add_line(*out, "on the paper's numbers:",
                 c->claim[i].claim->n_comparison > 0 && c->claim[i].on_paper != IG_ON_PAPER_NONE &&
                         c->claim[i].on_paper != IG_ON_PAPER_HOLDS
                     ? ig_on_paper_name(c->claim[i].on_paper)
                     : NULL);
        add_line(*out, "caveat:", c->claim[i].claim->caveat);
        add_line(*out, "after results:", c->claim[i].claim->after);
        if (c->claim[i].claim->earlier_looks > 0)
            add_line(*out,
                     "looks:", ig_table_keep(*out, "%d", 1 + c->claim[i].claim->earlier_looks));
        if (c->claim[i].n_spread > 0)
            add_line(
                *out, "within the paper's spread:",
                ig_table_keep(*out, "%d of %d means", c->claim[i].n_within, c->claim[i].n_spread));
        for (int k = 0; k < c->claim[i].claim->n_comparison; k++)
            add_comparison(*out, &c->claim[i].compared[k]);
    }
    note_counts(*out, c, false);
    note_counts(*out, c, true);
    if (c->data != NULL)
        ig_table_add_note(*out, "On %s", c->data);
    for (int i = 0; i < c->n_claim; i++) {
        char cost[IG_CLAIM_COST_TEXT];
        if (ig_claim_cost(cost, c, &c->claim[i])[0] != '\0' && c->claim[i].claim->caveat == NULL)
            ig_table_add_note(*out, "%s: about %s would decide it", c->claim[i].claim->id, cost);
    }
    ig_table_add_note(
        *out,
        "Decided where the interval leaves 0 out: two-sided t tests of unequal "
        "spreads over seeds, adjusted for %d claim%s%s%s (Bonferroni); premises at 95 %%",
        c->family, c->family == 1 ? "" : "s", paper ? " of the paper" : "",
        again ? " and the looks at each" : "");
    return IG_ERR_OK;
}

/* --- for programs ----------------------------------------------------------------------------- */

static json_t *comparison_json(const ig_claimed *c)
{
    json_t *j = json_pack("{s:s, s:s, s:s, s:I}", "text", c->what->text, "role",
                          ig_claim_role_name(c->what->role), "verdict", ig_verdict_name(c->verdict),
                          "n", (json_int_t)c->tested.n);
    ig_contrast_json(j, &c->tested, c->seeds_needed);
    json_object_set_new(j, "missing", c->missing != NULL ? json_string(c->missing) : json_null());
    return j;
}

/* {"within": 3, "of": 4}; null: the paper prints no spread, or another size was measured. */
static json_t *within_json(const ig_claim_result *c)
{
    return c->n_spread > 0 ? json_pack("{s:i, s:i}", "within", c->n_within, "of", c->n_spread)
                           : json_null();
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
            all,
            json_pack(
                "{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:i, s:s, s:s?, s:s, s:o, s:i, "
                "s:o, s:o, s:o, s:o}",
                "id", x->claim->id, "text", x->claim->text, "source", x->claim->source, "statement",
                x->claim->statement, "proxy", x->claim->proxy, "needs", x->claim->needs, "caveat",
                x->claim->caveat, "after", x->claim->after, "looks", 1 + x->claim->earlier_looks,
                "verdict", ig_verdict_name(x->verdict), "data", c->data, "on_paper",
                ig_on_paper_name(x->on_paper), "within_spread", within_json(x), "family", c->family,
                "seeds_needed",
                x->seeds_needed >= 0 ? json_integer((json_int_t)x->seeds_needed) : json_null(),
                "operations", x->operations > 0 ? ig_json_number(x->operations) : json_null(),
                "seconds", x->seconds > 0 ? ig_json_number(x->seconds) : json_null(), "comparisons",
                comparisons));
    }
    return all;
}
