/* SPDX-License-Identifier: Apache-2.0
 *
 * Scores after fine-tuning: their means over its seeds, of which a run has a row each
 * (lab/runs/lab_scores.h), and which way of a grid is meant; how much of their spread is between
 * pre-trainings and how much between the fine-tunings of one (base/numeric/statistics_variance.c);
 * and what the scores of no model are, which are below every such table.
 */
#include "base/settings/options.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The task of a score that a model has, not of a baseline, a spread or a detail. */
static bool is_score(const ig_quantity *q)
{
    static const char *const others[] = {"majority", "random", "tuning_sd"};
    const ig_store_task *task = ig_store_task_find(q->task);
    size_t n;
    bool is = task != NULL && task->tuned && ig_quantity_text(q) != NULL &&
              ig_tag_find(q->tags, "length", &n) == NULL &&
              ig_tag_find(q->tags, "label", &n) == NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is = is && strcmp(q->task, others[i]) != 0;
    return is;
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

/* --- means over the seeds of fine-tuning, and ways of a grid ---------------------------------- */

enum { WAYS = 64, WAY = 80 };

typedef struct {
    const ig_row *row; /* [n] of the run */
    int64_t n;
    const ig_quantity *q;
    const char *measure; /* whose values are meant: the quantity's, or the one whose spread it is */
} tuned;

static bool same_tag(const char *a, const char *b, const char *key)
{
    size_t n, m;
    const char *x = ig_tag_find(a, key, &n), *y = ig_tag_find(b, key, &m);
    return x == NULL || y == NULL ? x == y : n == m && memcmp(x, y, n) == 0;
}

static bool has_tag(const char *tags, const char *key)
{
    size_t n;
    return ig_tag_find(tags, key, &n) != NULL;
}

static bool is_baseline(const char *task)
{
    return strcmp(task, "majority") == 0 || strcmp(task, "random") == 0;
}

/* Whether a row is of the model that the quantity selects: without select=, and of baselines, the
 * one that the fine-tuning has chosen. */
static bool is_selected(const ig_row *m, const ig_quantity *q)
{
    size_t n, k;
    const char *want = is_baseline(m->task) ? NULL : ig_tag_find(q->tags, "select", &n),
               *has = ig_tag_find(
                   m->tags, want != NULL && !has_tag(m->tags, "select") ? "by" : "select", &k);
    return want == NULL ? has == NULL : has != NULL && n == k && memcmp(want, has, n) == 0;
}

/* Whether a row of a score, or (on) of one of development data, belongs to a way. */
static bool is_of(const tuned *t, const ig_row *m, const char *way, bool on)
{
    char own[WAY];
    if (strcmp(m->split, t->q->split) != 0 || !has_tag(ig_row_tags(m), "tuning") ||
        has_tag(m->tags, "on") != on || !is_selected(m, t->q) ||
        (!on &&
         (!same_tag(m->tags, t->q->tags, "length") || !same_tag(m->tags, t->q->tags, "label"))))
        return false;
    ig_tags_way(own, sizeof own, m->tags);
    return way == NULL || strcmp(own, way) == 0;
}

/* Over the seeds of a way: of a score in a language, or of the development data that it is chosen
 * by, which are those of the language (own) or of the one that is trained in. *n: of the last. */
static ig_summary over_seeds(const tuned *t, const char *measure, const char *way, bool on,
                             bool own, int64_t *n)
{
    double x[IG_INT_LIST_MAX];
    int64_t k = 0;
    size_t size;
    for (int64_t i = 0; i < t->n && k < IG_INT_LIST_MAX; i++) {
        const ig_row *m = &t->row[i];
        if (strcmp(m->task, measure) != 0 || !m->last || !is_of(t, m, way, on) ||
            ((!on || own) && strcmp(m->languages, t->q->languages) != 0))
            continue;
        if (on && !own && (ig_tag_find(m->tags, "on", &size), size == strlen("dev")))
            continue; /* of another language than the source */
        x[k++] = m->value;
        *n = m->n;
    }
    return ig_summarise(x, k);
}

/* The main score of the task: that of trees or spans where it has them. */
static const char *main_score(const tuned *t)
{
    const char *of = "accuracy";
    for (int64_t i = 0; i < t->n; i++)
        if (is_of(t, &t->row[i], NULL, false)) {
            if (strcmp(t->row[i].task, "las") == 0)
                return "las";
            if (strcmp(t->row[i].task, "f1.strict") == 0)
                of = "f1.conlleval";
        }
    return of;
}

/* The ways of the task, each once, in the order of their names. */
static int ways_of(char way[WAYS][WAY], const tuned *t)
{
    int n = 0;
    for (int64_t i = 0; i < t->n; i++) {
        char own[WAY];
        if (!is_of(t, &t->row[i], NULL, false))
            continue;
        ig_tags_way(own, sizeof own, ig_row_tags(&t->row[i]));
        int k = 0;
        while (k < n && strcmp(way[k], own) != 0)
            k++;
        if (k == n && n < WAYS)
            memcpy(way[n++], own, sizeof own);
    }
    return n;
}

/* Whether ways are chosen by the development data of the quantity's own language. */
static bool by_target(const tuned *t)
{
    static const char target[] = "target-dev";
    size_t n = 0;
    const char *by = ig_tag_find(t->q->tags, "select", &n);
    for (int64_t i = 0; i < t->n && by == NULL; i++)
        if (is_of(t, &t->row[i], NULL, false))
            by = ig_tag_find(t->row[i].tags, "by", &n);
    return by != NULL && n == strlen(target) && memcmp(by, target, n) == 0;
}

/* The best two ways by development data (Conneau et al. 2020, §2.4), of equals the first by name;
 * false: nothing tells. */
static bool best_two(const char *best[2], char way[WAYS][WAY], int n, const tuned *t)
{
    double score[2] = {-(double)INFINITY, -(double)INFINITY};
    const char *main_of = main_score(t);
    const bool own = by_target(t);
    int found = 0;
    for (int i = 0; i < n; i++) {
        int64_t size;
        const double x = over_seeds(t, main_of, way[i], true, own, &size).mean;
        if (isnan(x))
            continue;
        found++;
        const int at = x > score[0] ? 0 : x > score[1] ? 1 : 2;
        if (at == 0) {
            score[1] = score[0];
            best[1] = best[0];
        }
        if (at < 2) {
            score[at] = x;
            best[at] = way[i];
        }
    }
    return found > 1 || (found == 1 && n == 1);
}

ig_result_value ig_result_tuned_value(const ig_results *r, const ig_store_entry *e,
                                      const ig_quantity *q)
{
    ig_result_value v = {.seed = e->cell.seed,
                         .address = e->cell.address,
                         .status = e->run.status,
                         .value = (double)NAN,
                         .layer = -1};
    char way[WAYS][WAY], of[40] = "";
    const char *best[2] = {way[0], NULL};
    size_t size = 0;
    tuned t = {.row = ig_store_rows(r->store, e), .n = e->n_metric, .q = q, .measure = q->task};
    const bool sd = strcmp(q->task, "tuning_sd") == 0, two = has_tag(q->tags, "best");
    const char *named = ig_tag_find(q->tags, "of", &size);
    if (sd) {
        snprintf(of, sizeof of, "%.*s", (int)size, named != NULL ? named : "");
        t.measure = named != NULL ? of : main_score(&t);
    }
    ig_tags_way(way[0], WAY, q->tags);
    if (way[0][0] == '\0') {
        const int n = ways_of(way, &t);
        if (n == 0 || ((way[0][0] != '\0' || n > 1) && !best_two(best, way, n, &t)))
            return v;
    }
    const ig_summary s = over_seeds(&t, t.measure, best[0], false, true, &v.n);
    if (s.n == 0 || (two && (best[1] == NULL || sd)) || (sd && s.n < 2))
        return v;
    v.value = sd ? s.sd : s.mean;
    v.n = sd ? s.n : v.n;
    if (two) {
        int64_t n;
        v.value = (v.value + over_seeds(&t, t.measure, best[1], false, true, &n).mean) / 2;
    }
    return v;
}

bool ig_result_tuned_takes(const ig_row *m, const ig_quantity *q)
{
    const tuned t = {.q = q};
    char way[WAY];
    ig_tags_way(way, sizeof way, q->tags);
    if (is_of(&t, m, way[0] != '\0' ? way : NULL, true))
        return true;
    return is_of(&t, m, way[0] != '\0' ? way : NULL, false) &&
           (strcmp(m->task, q->task) == 0 || strcmp(q->task, "tuning_sd") == 0) &&
           strcmp(m->languages, q->languages) == 0;
}

/* --- notes ------------------------------------------------------------------------------------ */

/* The mean of a variance over the rows of a column; NaN: none. */
static double mean_part(const ig_result_table *t, int column, bool within, int *n_row)
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
    *n_row = n;
    return n > 0 ? sum / n : (double)NAN;
}

/* "accuracy tags fake 0.031 and 0.012" of every score that was fine-tuned several times. */
static ig_code note_parts(ig_result_table *t, ig_err *err)
{
    const char *all = "";
    for (int c = 0; c < t->n_column; c++) {
        char name[256], between[40] = "?";
        int n_row, n_between;
        const double within = mean_part(t, c, true, &n_row), x = mean_part(t, c, false, &n_between);
        if (n_row == 0)
            continue;
        ig_quantity_format(name, sizeof name, &t->spec->column[c].q);
        if (n_between > 0)
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
