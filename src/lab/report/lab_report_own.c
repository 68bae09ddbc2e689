/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of an experiment without tables: all its measures; the same on the texts of
 * `measure:`; scores after fine-tuning. Which numbers a text or a task has is known of the results.
 */
#include "base/memory.h"
#include "lab/report/lab_report_parts.h"
#include "measure/position_cosines.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RESULTS, TEXTS, TASKS, N_LAYER = 2, NAME = 120 };
static const char *const layers[N_LAYER] = {"low", "high"};

static bool asks(const ig_measure_plan *m, int kind)
{
    return ig_measure_requested(m->what, kind);
}

ig_code ig_lab_report_column(ig_column *c, const char *quantity, const char *where, ig_err *err)
{
    IG_TRY(ig_quantity_parse(&c->q, quantity, where, 0, err));
    const ig_store_task *task = ig_store_task_find(c->q.task);
    c->digits = -1;
    c->higher_is_better = task != NULL && task->better > 0;
    c->lower_is_better = task != NULL && task->better < 0;
    return IG_ERR_OK;
}

static ig_code add(ig_lab_report *r, int table, const char *quantity, ig_err *err)
{
    ig_table_spec *s = &r->own_spec[table];
    return ig_lab_report_column(&r->own_column[table][s->n_column++], quantity, "report", err);
}

static int64_t most_columns(void)
{
    int64_t n = 10 + IG_POSITION_NUMBERS;
    for (int k = 0; k < IG_MEASURE_N; k++)
        n += N_LAYER * ig_measure_kinds[k]->n_shown;
    return n;
}

/* Adds what the plan measures; `text`: "text=NAME" of those on a text, "" on the development text.
 * (τ distinct appears if words are shared: lab_report_shared.c.) */
static ig_code add_measured(ig_lab_report *r, int table, const char *text, ig_err *err)
{
    const ig_measure_plan *m = &r->experiment->measure;
    const bool own = text[0] == '\0';
    char name[NAME];
    const struct {
        const char *task, *where;
        bool on;
    } of[] = {{"mu", "", asks(m, IG_MEASURE_retrieval) && asks(m, IG_MEASURE_translation)},
              {"f1", "low", asks(m, IG_MEASURE_alignment)},
              {"rho", "low", asks(m, IG_MEASURE_retrieval)},
              {"tau", "low", asks(m, IG_MEASURE_translation)},
              {"rho", "high", asks(m, IG_MEASURE_retrieval)},
              {"tau", "high", asks(m, IG_MEASURE_translation)},
              {"perplexity", "train", own && asks(m, IG_MEASURE_perplexity)},
              {"perplexity", "dev", own && asks(m, IG_MEASURE_perplexity)},
              {"mrr", "low", asks(m, IG_MEASURE_words)},
              {"mrr", "high", asks(m, IG_MEASURE_words)}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        snprintf(name, sizeof name, own && of[i].where[0] == '\0' ? "%s" : "%s[%s%s%s]", of[i].task,
                 text, own || of[i].where[0] == '\0' ? "" : ",", of[i].where);
        if (of[i].on)
            IG_TRY(add(r, table, name, err));
    }
    for (int l = 0; l < N_LAYER; l++)
        for (int k = 0; k < IG_MEASURE_N; k++)
            for (int i = 0; i < ig_measure_kinds[k]->n_shown; i++) {
                snprintf(name, sizeof name, "%s[%s%s%s]", ig_measure_kinds[k]->number[i].name, text,
                         own ? "" : ",", layers[l]);
                if (asks(m, k) && k != IG_MEASURE_distinct)
                    IG_TRY(add(r, table, name, err));
            }
    for (int i = 0; i < IG_POSITION_NUMBERS && own && asks(m, IG_MEASURE_positions); i++)
        IG_TRY(add(r, table, ig_numbers_positions[i].name, err));
    return IG_ERR_OK;
}

static void begin(ig_lab_report *r, int *n, const char *name, const char *title)
{
    r->own_spec[(*n)++] = (ig_table_spec){
        .name = (char *)(uintptr_t)name, .title = (char *)(uintptr_t)title, .given = -1};
}

ig_code ig_lab_report_own(int *n, ig_lab_report *r, bool one, ig_err *err)
{
    const ig_experiment *e = r->experiment;
    *n = 0;
    begin(r, n, "results", "Results");
    IG_TRY(ig_alloc(&r->own_column[0], most_columns(), sizeof **r->own_column, "columns", err));
    r->own_spec[0].column = r->own_column[0];
    IG_TRY(add_measured(r, 0, "", err));
    if (e->measure.n_text > 0 && !one)
        begin(r, n, "texts", "Results on other texts");
    if (e->n_task > 0 && !one)
        begin(r, n, "tasks", "Scores after fine-tuning");
    return IG_ERR_OK;
}

/* --- by the results --------------------------------------------------------------------------- */

static bool has_value(const ig_lab_report *r, const ig_quantity *q)
{
    for (int i = 0; i < r->results.n_cell; i++) {
        const ig_result_cell *c = &r->results.cell[i];
        for (int64_t k = 0; k < c->n_entry; k++)
            if (isfinite(ig_result_value_of(&r->results, c, &c->entry[k], q, -1).value))
                return true;
    }
    return false;
}

/* Adds each text's numbers of which some cell has a value. */
static ig_code text_columns(ig_lab_report *r, ig_err *err)
{
    const ig_measure_plan *m = &r->experiment->measure;
    ig_table_spec *s = &r->own_spec[TEXTS];
    IG_TRY(ig_alloc(&r->own_column[TEXTS], m->n_text * most_columns(), sizeof **r->own_column,
                    "columns", err));
    for (int i = 0; i < m->n_text; i++) {
        char text[NAME / 2];
        int kept = s->n_column;
        const int first = kept;
        snprintf(text, sizeof text, "text=%s", m->text[i].name);
        IG_TRY(add_measured(r, TEXTS, text, err));
        for (int k = first; k < s->n_column; k++)
            if (has_value(r, &r->own_column[TEXTS][k].q))
                r->own_column[TEXTS][kept++] = r->own_column[TEXTS][k];
        s->n_column = kept;
    }
    return IG_ERR_OK;
}

static bool is_task_of(const ig_experiment *e, const char *split)
{
    bool is = false;
    for (int i = 0; i < e->n_task; i++)
        is = is || strcmp(e->task[i].name, split) == 0;
    return is;
}

/* Adds the main score of each task and language. */
static ig_code task_quantities(ig_quantity_list *to, const ig_lab_report *r, ig_err *err)
{
    for (int64_t i = 0; i < r->stored.n_entry; i++) {
        const ig_row *row = ig_store_rows(&r->stored, &r->stored.entry[i]);
        for (int64_t k = 0; k < r->stored.entry[i].n_metric; k++) {
            const ig_store_task *task = ig_store_task_find(row[k].task);
            ig_quantity q = ig_quantity_of(&row[k]);
            if (task == NULL || !task->tuned || !is_task_of(r->experiment, row[k].split))
                continue;
            q.layer = IG_LAYER_NONE;
            q.tags[0] = '\0';
            snprintf(q.task, sizeof q.task, "%s",
                     ig_result_main_score(&r->results, &r->stored.entry[i], &q));
            if (has_value(r, &q))
                IG_TRY(ig_quantity_list_add(to, &q, err));
        }
    }
    return IG_ERR_OK;
}

static ig_code task_columns(ig_lab_report *r, ig_err *err)
{
    const ig_experiment *e = r->experiment;
    ig_quantity_list all = {0};
    char name[256];
    ig_code code = task_quantities(&all, r, err);
    IG_THEN(code, ig_alloc(&r->own_column[TASKS], all.n, sizeof **r->own_column, "columns", err));
    for (int t = 0; t < e->n_task; t++) /* in the file's order */
        for (int i = 0; i < all.n && code == IG_ERR_OK; i++)
            if (strcmp(all.q[i].split, e->task[t].name) == 0) {
                ig_quantity_format(name, sizeof name, &all.q[i]);
                code = add(r, TASKS, name, err);
            }
    ig_free(all.q);
    return code;
}

ig_code ig_lab_report_own_columns(ig_lab_report *r, ig_err *err)
{
    int kept = 0;
    for (int i = 0; i < r->n_table; i++) {
        ig_table_spec *s = &r->spec[i];
        const int own = strcmp(s->name, "texts") == 0   ? TEXTS
                        : strcmp(s->name, "tasks") == 0 ? TASKS
                                                        : RESULTS;
        if (own != RESULTS) {
            IG_TRY((own == TEXTS ? text_columns : task_columns)(r, err));
            s->column = r->own_column[own];
            s->n_column = r->own_spec[own].n_column;
        }
        /* The last columns, the numbers of positions, go where no cell has any of its languages'
         * own. */
        while (s->n_column > 0 &&
               ig_measure_of_task(s->column[s->n_column - 1].q.task) == IG_MEASURE_positions &&
               !has_value(r, &s->column[s->n_column - 1].q))
            s->n_column--;
        if (own == RESULTS || s->n_column > 0 || r->n_table == 1)
            r->spec[kept++] = *s;
    }
    r->n_table = kept;
    return IG_ERR_OK;
}
