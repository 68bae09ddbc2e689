/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the notes below a table of results: the meaning of its marks, the source of the numbers
 * beside ours, and the rows with missing runs.
 */
#include "base/strings/append.h"
#include "report/shown/table_parts.h"

#include <math.h>
#include <string.h>

static void proxy_note(ig_table_builder *b)
{
    const char *all = "";
    for (int i = 0; i < b->t->n_proxy; i++)
        all = ig_table_keep(b->out, "%s%s%s (%s)", all, i > 0 ? "; " : "",
                            b->t->proxy[i].what->name, b->t->proxy[i].what->what);
    if (b->t->n_proxy > 0)
        ig_table_add_note(
            b->out,
            "Proxy: our columns represent what the paper measured, and only the order of "
            "rows is compared: %s",
            all);
}

/* Notes on the comparisons of `rows` rows with the base. */
static void test_notes(ig_table_builder *b, bool marks, int64_t rows)
{
    const char *base = b->t->base->name;
    if (marks)
        ig_table_add_note(
            b->out,
            "*, **, ***: differs from cell %s with p < .05, .01, .001 (times the %lld "
            "row%s compared): t test of unequal spreads",
            base, (long long)rows, rows == 1 ? "" : "s");
    else
        ig_table_add_note(b->out,
                          "No row differs from cell %s with p < .05 (times the %lld row%s "
                          "compared): t test of unequal spreads",
                          base, (long long)rows, rows == 1 ? "" : "s");
}

static void correlation_note(ig_table_builder *b)
{
    const ig_result_table *t = b->t;
    bool interval = false;
    for (int i = 0; i < t->spec->n_correlate * t->n_column; i++)
        interval =
            interval || (t->correlation[i].n > 0 && isfinite(t->correlation[i].interval.low));
    if (ig_builder_is_spread(b))
        ig_table_add_note(b->out, "No correlations: columns are side by side; without pivot they "
                                  "are shown");
    else if (interval)
        ig_table_add_note(b->out, "Spearman's \xCF\x81: over the rows' means, with its 95 %% "
                                  "interval (percentile bootstrap over the rows)");
    else
        ig_table_add_note(b->out, "Spearman's \xCF\x81: over the rows' means; of fewer than four "
                                  "rows without an interval");
}

/* Notes on the marks. */
void ig_builder_notes(ig_table_builder *b)
{
    const ig_result_table *t = b->t;
    bool compared = false, marks = false, best = false;
    int64_t rows = 0, seeds = 0;
    for (int c = 0; c < t->n_column * b->n_across; c++)
        best = best || isfinite(b->best[c]);
    for (int i = 0; i < t->n_row * t->n_column; i++) {
        const ig_result_number *x = &t->number[i];
        seeds = x->summary.n > seeds ? x->summary.n : seeds;
        compared = compared || isfinite(x->against.p);
        marks = marks || (isfinite(x->against.p) && x->against.p_adjusted < .05);
    }
    for (int c = 0; c < t->n_column; c++) {
        int64_t n = 0;
        for (int r = 0; r < t->n_row; r++)
            n += t->number[r * t->n_column + c].against.n > 0;
        rows = n > rows ? n : rows;
    }
    if (b->names.common[0] != '\0')
        ig_table_add_note(b->out, "All rows: %s", b->names.common);
    if (b->pivot >= 0 && t->n_column > 1)
        ig_table_add_note(b->out, "Side by side: %s", b->names.axis[b->pivot]);
    const char *marked = best ? "; the best of a column, of two seeds or more, is marked" : "";
    const char *ordered = t->reference != NULL && !ig_builder_is_spread(b)
                              ? "; order: Kendall's \317\204 (rows compared)"
                              : "";
    if (seeds == 1)
        ig_table_add_note(b->out, "One seed each: no spread, and no row is marked as the best%s",
                          ordered);
    else if (seeds > 1)
        ig_table_add_note(b->out, "Mean \xC2\xB1 sd (divisor n \xE2\x88\x92 1) over n seeds%s%s",
                          marked, ordered);
    if (t->reference != NULL)
        ig_table_add_note(b->out, "The paper: %s%s", t->reference->source,
                          t->reference->verified ? "" : " (unverified)");
    proxy_note(b);
    if (compared)
        test_notes(b, marks, rows);
    for (int i = 0; i < t->n_note; i++)
        ig_table_add_note(b->out, "%s", t->note[i]);
    if (t->spec->n_correlate > 0)
        correlation_note(b);
}

/* Lists rows that miss runs, those with the same text in one line. */
void ig_builder_incomplete(ig_table_builder *b)
{
    enum { MOST = 12 };
    for (int r = 0; r < b->t->n_row; r++) {
        const char *why = b->t->row[r]->incomplete;
        bool before = false;
        for (int k = 0; k < r && why != NULL; k++)
            before = before || (b->t->row[k]->incomplete != NULL &&
                                strcmp(b->t->row[k]->incomplete, why) == 0);
        if (why == NULL || before)
            continue;
        char names[600] = "";
        int same = 0, n_named = 0;
        for (int k = r; k < b->t->n_row; k++) {
            const char *name = b->t->row[k]->name;
            if (b->t->row[k]->incomplete == NULL || strcmp(b->t->row[k]->incomplete, why) != 0)
                continue;
            same++;
            /* Names are whole, as many as fit. */
            if (n_named + 1 < same || n_named == MOST ||
                strlen(names) + strlen(name) + 3 > sizeof names)
                continue;
            ig_append_name(names, sizeof names, name);
            n_named++;
        }
        if (same == b->t->n_row && same > 1)
            ig_table_add_note(b->out, "All %d cells: %s", same, why);
        else if (n_named < same)
            ig_table_add_note(b->out, "%d cells (%s, \xE2\x80\xA6): %s", same, names, why);
        else
            ig_table_add_note(b->out, "%s: %s", names, why);
    }
}
