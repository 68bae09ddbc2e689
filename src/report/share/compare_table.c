/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a comparison of two sets of results as tables and as JSON.
 */
#include "base/settings/json_text.h"
#include "report/results/results_contrast.h"
#include "report/share/compare.h"
#include "report/shown/table_results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { A = 2, B, TESTED, NAME = 160, LIST = 400 };

static void cell_name(char out[NAME], const ig_compared_cells *c)
{
    const bool same = strcmp(c->a->name, c->b->name) == 0;
    snprintf(out, NAME, "%s%s%s", c->a->name, same ? "" : " → ", same ? "" : c->b->name);
}

static void put_mean(ig_table *t, int64_t row, int column, const ig_summary *s, int digits)
{
    ig_table_number(t, row, column, s->mean, digits);
    ig_table_at(t, row, column)->sd = s->sd;
}

static void add_row(ig_table *t, const ig_compared *c)
{
    char name[NAME];
    const int64_t row = ig_table_add_row(t, IG_ROW_BODY, NULL);
    const ig_contrast *p = &c->tested;
    const int digits = ig_contrast_digits(p->sd > 0 ? p->sd : fabs(c->a.mean));
    cell_name(name, c->cells);
    ig_table_text(t, row, 0, name);
    ig_quantity_format(name, sizeof name, c->q);
    ig_table_text(t, row, 1, name);
    ig_contrast_cells(t, row, TESTED, p, digits, c->seeds_needed);
    if (c->missing != NULL) {
        ig_table_at(t, row, A)->absent = ig_table_at(t, row, B)->absent = true;
        ig_table_add_note(t, "%s of %s: %s", name, c->cells->a->name, c->missing);
        return;
    }
    put_mean(t, row, A, &c->a, digits);
    put_mean(t, row, B, &c->b, digits);
    ig_table_at(t, row, TESTED + IG_CONTRAST_DIFFERENCE)->mark = ig_result_stars(p->p_adjusted);
}

/* Adds a name to a list, and "…" instead of those that do not fit. */
static void join(char list[LIST], const char *name)
{
    const size_t used = strlen(list), n = strlen(name);
    if (used + n + 8 < LIST)
        snprintf(list + used, LIST - used, "%s%s", used > 0 ? ", " : "", name);
    else if (used < 3 || strcmp(list + used - 3, "…") != 0)
        snprintf(list + used, LIST - used, ", …");
}

/* "config.updates: 500 → 1000 (all cells)" */
static void note_setting(ig_table *t, const ig_comparison *c, const ig_compared_setting *s)
{
    char cells[LIST] = "", name[NAME];
    for (int i = 0; i < s->n_cells && s->n_cells < c->n_cells; i++) {
        cell_name(name, s->cells[i]);
        join(cells, name);
    }
    ig_table_add_note(t, "%s: %s → %s (%s)", s->key, s->a[0] != '\0' ? s->a : "none",
                      s->b[0] != '\0' ? s->b : "none", cells[0] != '\0' ? cells : "all cells");
}

static void note_only(ig_table *t, const char *const *name, int n, const char *side)
{
    char list[LIST] = "";
    for (int i = 0; i < n; i++)
        join(list, name[i]);
    if (n > 0)
        ig_table_add_note(t, "only in %s: %s", side, list);
}

static void add_notes(ig_table *t, const ig_comparison *c, const char *a, const char *b)
{
    ig_table_add_note(t, "A %s; B %s", a, b);
    for (int i = 0; i < c->n_setting; i++)
        note_setting(t, c, &c->setting[i]);
    if (c->n_unknown_settings > 0)
        ig_table_add_note(
            t,
            "The settings in which %d cell%s differ%s are not known: files of results "
            "do not have them",
            c->n_unknown_settings, c->n_unknown_settings == 1 ? "" : "s",
            c->n_unknown_settings == 1 ? "s" : "");
    else if (c->n_setting == 0 && c->n_cells > 0)
        ig_table_add_note(t, "The settings are the same");
    note_only(t, c->only[0], c->n_only[0], "A");
    note_only(t, c->only[1], c->n_only[1], "B");
    ig_table_add_note(t,
                      "Two-sided t tests of unequal spreads over seeds; intervals and p adjusted "
                      "for the cells of a quantity (Bonferroni); seeds that would show it: "
                      "power .8");
}

ig_code ig_comparison_table(ig_table **out, const ig_comparison *c, const char *a, const char *b,
                            ig_err *err)
{
    IG_TRY(ig_table_new(out, "comparison", "Comparison", NULL, err));
    ig_table_add_row_head(*out, "cell", "cell");
    ig_table_add_row_head(*out, "quantity", "quantity");
    ig_table_add_column(*out, "a", "A", NULL, IG_TABLE_NUMBER);
    ig_table_add_column(*out, "b", "B", NULL, IG_TABLE_NUMBER);
    ig_contrast_columns(*out, "B − A", "seeds that would show it");
    for (int i = 0; i < c->n_cells * c->n_quantity; i++)
        if (!c->value[i].neither)
            add_row(*out, &c->value[i]);
    add_notes(*out, c, a, b);
    return IG_ERR_OK;
}

/* --- for programs ----------------------------------------------------------------------------- */

static json_t *value_json(const ig_compared *c)
{
    char name[NAME];
    ig_quantity_format(name, sizeof name, c->q);
    if (c->missing != NULL)
        return json_pack("{s:s, s:s, s:s, s:s}", "cell_a", c->cells->a->name, "cell_b",
                         c->cells->b->name, "quantity", name, "missing", c->missing);
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "cell_a", c->cells->a->name, "cell_b",
                  c->cells->b->name, "quantity", name, "n", (json_int_t)c->tested.n, "mean_a",
                  ig_json_number(c->a.mean), "sd_a", ig_json_number(c->a.sd), "mean_b",
                  ig_json_number(c->b.mean), "sd_b", ig_json_number(c->b.sd));
    ig_contrast_json(j, &c->tested, c->seeds_needed);
    json_object_set_new(j, "missing", json_null());
    return j;
}

static json_t *setting_json(const ig_compared_setting *s)
{
    json_t *cells = json_array();
    for (int i = 0; i < s->n_cells; i++)
        json_array_append_new(cells, json_string(s->cells[i]->a->name));
    return json_pack("{s:s, s:s, s:s, s:o}", "key", s->key, "a", s->a, "b", s->b, "cells", cells);
}

json_t *ig_comparison_json(const ig_comparison *c, const char *a, const char *b)
{
    json_t *settings = json_array(), *values = json_array();
    for (int i = 0; i < c->n_setting; i++)
        json_array_append_new(settings, setting_json(&c->setting[i]));
    for (int i = 0; i < c->n_cells * c->n_quantity; i++)
        if (!c->value[i].neither)
            json_array_append_new(values, value_json(&c->value[i]));
    return json_pack("{s:i, s:s, s:s, s:o, s:i, s:o, s:o, s:o}", "isoglot_compare", 1, "a", a, "b",
                     b, "settings", settings, "settings_untold", c->n_unknown_settings, "only_a",
                     ig_json_texts(c->only[0], c->n_only[0]), "only_b",
                     ig_json_texts(c->only[1], c->n_only[1]), "comparisons", values);
}
