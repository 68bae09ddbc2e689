/* SPDX-License-Identifier: Apache-2.0
 *
 * Means of scores over the seeds of fine-tuning, of which a run has a row each
 * (lab/runs/lab_scores.h), and the choice of the way of a grid that a quantity means.
 */
#include "base/settings/options.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <string.h>

enum { WAYS = 64, WAY = 80 };

typedef struct {
    const ig_row *row; /* [n] of the run */
    int64_t n;
    int64_t step; /* of a checkpoint; −1: of the finished model */
    const ig_quantity *q;
    const char *measure; /* whose values are meant: the quantity's, or the one whose spread it is */
    bool any_part;       /* scores of other lengths and labels than the quantity's, too */
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

/* Returns whether a row is of the model that the quantity selects: without select=, and of
 * baselines, the one that the fine-tuning has chosen. */
static bool is_selected(const ig_row *m, const ig_quantity *q)
{
    size_t n, k;
    const char *want = ig_store_task_is_guess(m->task) ? NULL : ig_tag_find(q->tags, "select", &n),
               *has = ig_tag_find(
                   m->tags, want != NULL && !has_tag(m->tags, "select") ? "by" : "select", &k);
    return want == NULL ? has == NULL : has != NULL && n == k && memcmp(want, has, n) == 0;
}

/* Returns whether a row of a score, or (on) of one of development data, belongs to a way. */
static bool is_of(const tuned *t, const ig_row *m, const char *way, bool on)
{
    char own[WAY];
    if (strcmp(m->split, t->q->split) != 0 || !has_tag(ig_row_tags(m), "tuning") ||
        has_tag(m->tags, "on") != on || !is_selected(m, t->q) ||
        (!on && !t->any_part &&
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
        if (strcmp(m->task, measure) != 0 || (t->step < 0 ? !m->last : m->step != t->step) ||
            !is_of(t, m, way, on) || ((!on || own) && strcmp(m->languages, t->q->languages) != 0))
            continue;
        if (on && !own && (ig_tag_find(m->tags, "on", &size), size == strlen("dev")))
            continue; /* of another language than the source */
        x[k++] = m->value;
        *n = m->n;
    }
    return ig_summarise(x, k);
}

/* The main score of the task: that of trees or spans where it has them. It is of all lengths and
 * labels, also where the quantity is of one. */
static const char *main_score(const tuned *t)
{
    const char *of = "accuracy";
    const tuned whole = {.q = t->q, .any_part = true};
    for (int64_t i = 0; i < t->n; i++)
        if (is_of(&whole, &t->row[i], NULL, false)) {
            if (strcmp(t->row[i].task, "las") == 0)
                return "las";
            if (strcmp(t->row[i].task, "f1.strict") == 0)
                of = "f1.conlleval";
        }
    return of;
}

const char *ig_result_main_score(const ig_results *r, const ig_store_entry *e, const ig_quantity *q)
{
    return main_score(&(tuned){.row = ig_store_rows(r->store, e), .n = e->n_metric, .q = q});
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

/* Returns whether ways are chosen by the development data of the quantity's own language. */
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
 * false: there is no such score. */
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

ig_result_value ig_result_tuned_value(ig_result_value v, const ig_results *r,
                                      const ig_store_entry *e, const ig_quantity *q, int64_t step)
{
    char way[WAYS][WAY], of[40] = "";
    const char *best[2] = {way[0], NULL};
    size_t size = 0;
    tuned t = {.row = ig_store_rows(r->store, e),
               .n = e->n_metric,
               .step = step,
               .q = q,
               .measure = q->task};
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
