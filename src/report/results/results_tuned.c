/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores after fine-tuning (results_ways.c takes their means): how much of their spread is between
 * pre-trainings and how much between the fine-tunings of one (base/numeric/statistics_variance.c);
 * and what the scores of no model are, which are below every such table.
 */
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The task of a score that a model has, not of a baseline, a spread or a detail. */
static bool is_score(const ig_quantity *q)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    size_t n;
    return task != NULL && task->tuned && ig_quantity_text(q) != NULL &&
           ig_tag_find(q->tags, "length", &n) == NULL &&
           ig_tag_find(q->tags, "label", &n) == NULL && !ig_store_task_is_guess(q->task) &&
           strcmp(q->task, "tuning_sd") != 0;
}

int ig_result_beside(ig_quantity out[IG_RESULT_BESIDE], const ig_quantity *q)
{
    static const char *const names[IG_RESULT_BESIDE] = {"tuning_sd", "majority", "random"};
    if (!is_score(q))
        return 0;
    for (int i = 0; i < IG_RESULT_BESIDE; i++) {
        out[i] = *q;
        snprintf(out[i].task, sizeof out[i].task, "%s", names[i]);
    }
    const size_t n = strlen(q->tags);
    snprintf(out[0].tags + n, sizeof out[0].tags - n, "%sof=%s", n > 0 ? ";" : "", q->task);
    return IG_RESULT_BESIDE;
}

ig_code ig_result_tuned_parts(ig_variance_parts *out, ig_pool *pool, const ig_results *r,
                              const ig_result_cell *c, const ig_quantity *q, ig_err *err)
{
    ig_quantity beside[IG_RESULT_BESIDE];
    double *mean, *sd;
    int64_t *size, n = 0;
    *out = (ig_variance_parts){.between = (double)NAN, .within = (double)NAN};
    if (ig_result_beside(beside, q) == 0)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(pool, &mean, c->n_entry, sizeof *mean, err));
    IG_TRY(ig_pool_alloc(pool, &sd, c->n_entry, sizeof *sd, err));
    IG_TRY(ig_pool_alloc(pool, &size, c->n_entry, sizeof *size, err));
    for (int64_t i = 0; i < c->n_entry; i++) {
        const ig_result_value v = ig_result_value_of(r, c, &c->entry[i], q, -1),
                              s = ig_result_value_of(r, c, &c->entry[i], &beside[0], -1);
        if (!isfinite(v.value))
            continue;
        mean[n] = v.value;
        sd[n] = s.value;
        size[n++] = isfinite(s.value) && s.n > 1 ? s.n : 1;
    }
    const ig_variance_parts parts = ig_variance_split(mean, sd, size, n);
    if (parts.n > parts.n_group)
        *out = parts;
    return IG_ERR_OK;
}

/* --- notes ------------------------------------------------------------------------------------ */

/* The mean of a variance over the rows of a column; NaN: none. */
static double mean_part(const ig_result_table *t, int column, bool within)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < t->n_row; i++) {
        const ig_variance_parts *p = &t->number[i * t->n_column + column].parts;
        const double x = within ? p->within : p->between;
        if (p->n > 0 && isfinite(x)) {
            sum += x;
            n++;
        }
    }
    return n > 0 ? sum / n : (double)NAN;
}

/* "accuracy tags fake 0.031 and 0.012" of every score that was fine-tuned several times. */
static ig_code note_parts(ig_result_table *t, ig_err *err)
{
    const char *all = "";
    for (int c = 0; c < t->n_column; c++) {
        char name[256], between[40] = "?";
        const double within = mean_part(t, c, true), x = mean_part(t, c, false);
        if (isnan(within))
            continue;
        ig_quantity_format(name, sizeof name, &t->spec->column[c].q);
        if (!isnan(x))
            snprintf(between, sizeof between, "%.3f", sqrt(x));
        IG_TRY(ig_pool_print(&t->pool, &all, err, "%s%s%s %s and %.3f", all,
                             all[0] != '\0' ? "; " : "", name, between, sqrt(within)));
    }
    if (all[0] == '\0')
        return IG_ERR_OK;
    return ig_pool_print(&t->pool, &t->note[t->n_note++], err,
                         "Of the spread, sd between pre-trainings and between the fine-tunings of "
                         "one (method of moments; root mean square over the rows): %s",
                         all);
}

/* The mean of a baseline over the runs of the rows. */
static double baseline_of(const ig_result_table *t, const ig_quantity *q)
{
    double sum = 0;
    int64_t n = 0;
    for (int i = 0; i < t->n_row; i++)
        for (int64_t k = 0; k < t->row[i]->n_entry; k++) {
            const ig_result_value v =
                ig_result_value_of(t->results, t->row[i], &t->row[i]->entry[k], q, -1);
            if (isfinite(v.value)) {
                sum += v.value;
                n++;
            }
        }
    return n > 0 ? sum / (double)n : (double)NAN;
}

/* Each task and language once. */
static bool counted_before(const ig_result_table *t, int column)
{
    const ig_quantity *q = &t->spec->column[column].q;
    for (int c = 0; c < column; c++) {
        const ig_quantity *o = &t->spec->column[c].q;
        if (is_score(o) && strcmp(o->split, q->split) == 0 &&
            strcmp(o->languages, q->languages) == 0)
            return true;
    }
    return false;
}

static ig_code note_baselines(ig_result_table *t, ig_err *err)
{
    const char *all = "";
    for (int c = 0; c < t->n_column; c++) {
        const ig_quantity *q = &t->spec->column[c].q;
        ig_quantity beside[IG_RESULT_BESIDE];
        if (ig_result_beside(beside, q) == 0 || counted_before(t, c))
            continue;
        const double majority = baseline_of(t, &beside[1]), random = baseline_of(t, &beside[2]);
        if (!isfinite(majority) || !isfinite(random))
            continue;
        IG_TRY(ig_pool_print(&t->pool, &all, err, "%s%s%s %s %.2f and %.2f", all,
                             all[0] != '\0' ? "; " : "", q->split, q->languages, majority, random));
    }
    if (all[0] == '\0')
        return IG_ERR_OK;
    return ig_pool_print(&t->pool, &t->note[t->n_note++], err,
                         "The most frequent label, and chance, by the task's main score: %s", all);
}

ig_code ig_result_tuned_notes(ig_result_table *t, ig_err *err)
{
    IG_TRY(note_parts(t, err));
    return note_baselines(t, err);
}
