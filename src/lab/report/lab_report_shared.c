/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages that share strings in a report: a word that is one piece in both, with one vector in
 * the table of words, is its own translation regardless of the model (docs/measures.md). If a row
 * of a table has such words, τ distinct and μ distinct are shown beside τ and μ, followed by the
 * share of those words.
 */
#include "base/memory.h"

#include "lab/report/lab_report_parts.h"
#include "lab/runs/lab_list.h"
#include "run/run_config.h"

#include <stdio.h>
#include <string.h>

void ig_lab_report_apart(ig_lab_report *r)
{
    for (int i = 0; i < r->results.n_cell + r->results.n_hidden; i++) {
        ig_result_cell *c = &r->results.cell[i];
        const int k = ig_lab_cell_of(r->experiment, c->name, i);
        if (k < 0)
            continue;
        const ig_run_config *config = &r->experiment->cell[k].config;
        c->apart = !ig_measure_languages_of(&config->languages, &config->model.parts).common;
    }
}

/* Returns whether a run of the rows has words that are one piece in both languages. */
static bool any_shared(const ig_lab_report *r, const ig_table_spec *spec)
{
    const ig_quantity share = {.task = "identical_share", .layer = IG_LAYER_NONE};
    for (int i = 0; i < r->results.n_cell; i++) {
        const ig_result_cell *c = &r->results.cell[i];
        if (c->apart || !ig_cell_matches(c->name, spec->row, spec->n_row))
            continue;
        for (int64_t k = 0; k < c->n_entry; k++)
            if (ig_result_value_of(&r->results, c, &c->entry[k], &share, -1).value > 0)
                return true;
    }
    return false;
}

typedef struct {
    ig_column *column;
    int n;
} list;

/* A column of another task, of the same layer, text and languages; not twice. */
static bool put(list *out, const ig_table_spec *spec, const ig_column *like, const char *task,
                int layer)
{
    ig_column c = {.q = like->q, .digits = -1, .higher_is_better = like->higher_is_better};
    snprintf(c.q.task, sizeof c.q.task, "%s", task);
    c.q.layer = layer;
    for (int i = 0; i < spec->n_column; i++)
        if (ig_quantity_same(&spec->column[i].q, &c.q))
            return false;
    for (int i = 0; i < out->n; i++)
        if (ig_quantity_same(&out->column[i].q, &c.q))
            return false;
    out->column[out->n++] = c;
    return true;
}

static bool has_tau(const ig_table_spec *s)
{
    for (int i = 0; i < s->n_column; i++)
        if (strcmp(s->column[i].q.task, "tau") == 0)
            return true;
    return false;
}

ig_code ig_lab_report_shared(ig_lab_report *r, int table, ig_err *err)
{
    enum { MOST = 5 }; /* columns that come of one */
    ig_table_spec *s = &r->spec[table];
    list out = {0};
    int last = -1;
    for (int i = 0; i < s->n_column; i++)
        if (strcmp(s->column[i].q.task, "mu") == 0 || strcmp(s->column[i].q.task, "tau") == 0)
            last = i;
    if (last < 0 || !any_shared(r, s))
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&out.column, (int64_t)s->n_column * MOST, sizeof *out.column, "columns", err));
    r->more_column[table] = out.column;
    const bool tau = has_tau(s);
    for (int i = 0; i < s->n_column; i++) {
        const ig_column *c = &s->column[i];
        out.column[out.n++] = *c;
        if (strcmp(c->q.task, "tau") == 0)
            put(&out, s, c, "tau_distinct", c->q.layer);
        if (strcmp(c->q.task, "mu") == 0) {
            put(&out, s, c, "mu_distinct", IG_LAYER_NONE);
            if (!tau) {
                put(&out, s, c, "tau_distinct", IG_LAYER_LOW);
                put(&out, s, c, "tau_distinct", IG_LAYER_HIGH);
            }
        }
        if (i == last && put(&out, s, c, "identical_share", IG_LAYER_NONE))
            out.column[out.n - 1].higher_is_better = false;
    }
    s->column = out.column;
    s->n_column = out.n;
    return IG_ERR_OK;
}
