/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the contrast of a comparison (report/table/claim.h): for each cell the sum of its terms
 * by seed, of finished models, steps of training, and correlations over the cells of a seed; then
 * the sum of the cells' means, as of independent samples.
 */
#include "base/memory.h"
#include "base/order.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer cells than this have no order to speak of. */
enum { CORRELATED_LEAST = 3 };

ig_code ig_claim_correlate(double *out, const ig_claim_term *t, const double *x, const double *y,
                           int64_t n, ig_err *err)
{
    ig_kendall tau;
    *out = (double)NAN;
    if (n < CORRELATED_LEAST)
        return IG_ERR_OK;
    if (t->kind == IG_CLAIM_SPEARMAN)
        return ig_spearman(out, x, y, n, err);
    IG_TRY(ig_kendall_tau(&tau, x, y, n, err));
    *out = tau.tau_b;
    return IG_ERR_OK;
}

typedef struct {
    const ig_results *r;
    ig_pool *pool;
    const char **missing; /* why there is nothing, one line */
    ig_err *err;
} values;

static void add(ig_seed_values *v, int64_t seed, double value)
{
    if (!isfinite(value))
        return;
    v->value[v->n++] = (ig_result_value){.seed = seed, .value = value};
}

static ig_code new_values(ig_seed_values *v, int64_t room, const values *w)
{
    *v = (ig_seed_values){0};
    return ig_pool_alloc(w->pool, &v->value, room, sizeof *v->value, w->err);
}

/* --- of one cell ------------------------------------------------------------------------------ */

static double of_run(const values *w, const ig_result_cell *c, const ig_store_entry *e,
                     const ig_quantity *q)
{
    return ig_result_value_of(w->r, c, e, q, -1).value;
}

static ig_code of_cell(ig_seed_values *v, const values *w, const ig_claim_term *t,
                       const ig_result_cell *c)
{
    IG_TRY(ig_seed_values_of(v, w->pool, w->r, c, &t->q, -1, w->err));
    const int64_t n = v->n;
    v->n = 0;
    for (int64_t i = 0; i < n; i++)
        add(v, v->value[i].seed, v->value[i].value);
    return IG_ERR_OK;
}

/* The last step with a value, or the one with the best. */
static double step_of(const ig_result_curve *c, int seed, bool best, bool falls)
{
    double step = (double)NAN, most = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const double x = (falls ? -1 : 1) * c->value[seed * c->n + i];
        if (!isfinite(x) || (best && isfinite(step) && x <= most))
            continue;
        most = x;
        step = c->step[i];
    }
    return step;
}

/* The step at which the curve first is as good as `goal`, between two points by a straight line
 * over the logarithm of the step; never: the last. */
static double step_reached(const ig_result_curve *c, int seed, double goal, bool falls)
{
    double before = (double)NAN, last = (double)NAN;
    for (int64_t i = 0; i < c->n; i++) {
        const double sign = falls ? -1 : 1, x = sign * c->value[seed * c->n + i], y = sign * goal;
        if (!isfinite(x))
            continue;
        if (x >= y && isfinite(before) && x > before && last > 0)
            return last * pow(c->step[i] / last, (y - before) / (x - before));
        if (x >= y)
            return c->step[i];
        before = x;
        last = c->step[i];
    }
    return last;
}

/* When a cell's runs have what those of another cell, of the same seed, end with. */
static ig_code reach(ig_seed_values *v, const values *w, const ig_claim_term *t,
                     const ig_result_curve *curve, bool falls)
{
    const ig_result_cell *other = ig_results_cell(w->r, t->other);
    ig_seed_values goal = {0};
    if (other == NULL || other->mixed != NULL)
        return IG_ERR_OK;
    IG_TRY(of_cell(&goal, w, t, other));
    for (int s = 0; s < curve->n_seed; s++)
        for (int64_t g = 0; g < goal.n; g++)
            if (goal.value[g].seed == curve->seed[s])
                add(v, curve->seed[s], step_reached(curve, s, goal.value[g].value, falls));
    return IG_ERR_OK;
}

/* A run in which it does not start counts with its last step: it does not start before. */
static ig_code over_training(ig_seed_values *v, const values *w, const ig_claim_term *t,
                             const ig_result_cell *c)
{
    ig_result_curve curve;
    const ig_store_task *task = ig_store_task_find(t->q.task);
    const bool falls = task != NULL && task->better < 0, best = t->kind == IG_CLAIM_BEST;
    const ig_onset_rule rule = {t->share, IG_ONSET_LEAST};
    ig_code code = ig_result_curve_make(&curve, w->r, c, &t->q,
                                        t->kind == IG_CLAIM_ONSET ? &rule : NULL, w->err);
    IG_THEN(code, new_values(v, curve.n_seed, w));
    if (code == IG_ERR_OK && t->kind == IG_CLAIM_REACH)
        code = reach(v, w, t, &curve, falls);
    else
        for (int s = 0; code == IG_ERR_OK && s < curve.n_seed; s++)
            add(v, curve.seed[s],
                !best && isfinite(curve.onset[s]) ? curve.onset[s]
                                                  : step_of(&curve, s, best, falls));
    ig_result_curve_free(&curve);
    return code;
}

static ig_code no_value(const values *w, const ig_claim_term *t, const ig_result_cell *c)
{
    char name[160];
    if (c->n_status[IG_RUN_DONE] == 0)
        return ig_pool_print(w->pool, w->missing, w->err, "cell %s: %s", t->cell,
                             c->incomplete != NULL ? c->incomplete : "no run is finished");
    ig_quantity_format(name, sizeof name, &t->q);
    return ig_pool_print(w->pool, w->missing, w->err, "cell %s: no %s%s", t->cell, name,
                         ig_claim_over_training(t) ? " over training" : "");
}

static ig_code one_cell(ig_seed_values *v, const values *w, const ig_claim_term *t)
{
    const ig_result_cell *c = ig_results_cell(w->r, t->cell);
    if (c == NULL)
        return ig_pool_print(w->pool, w->missing, w->err, "cell %s: no run is finished", t->cell);
    if (c->mixed != NULL)
        return ig_pool_print(w->pool, w->missing, w->err, "cell %s: %s", t->cell, c->mixed);
    IG_TRY(ig_claim_over_training(t) ? over_training(v, w, t, c) : of_cell(v, w, t, c));
    return v->n > 0 ? IG_ERR_OK : no_value(w, t, c);
}

/* --- over cells ------------------------------------------------------------------------------- */

/* Input of a correlation: the cells, and the paper's numbers. */
typedef struct {
    const ig_claim_term *what;
    const ig_reference *reference; /* NULL: none */
    int proxy;                     /* −1: none */
    double *x, *y;                 /* [cells] */
    bool tied;                     /* some seed has enough cells, but one value in all of them */
} correlation;

/* The other variable of the correlation; a proxy's with the sign that makes better what is better
 * of the quantity. */
static double other_side(const correlation *k, const values *w, const ig_result_cell *c,
                         const ig_store_entry *e)
{
    const ig_claim_term *t = k->what;
    if (t->axis != NULL)
        return ig_cell_axis(c->name, t->axis);
    if (k->reference == NULL)
        return of_run(w, c, e, &t->with);
    if (k->proxy >= 0) {
        const ig_reference_value *p = ig_reference_find_proxy(k->reference, c->name, k->proxy);
        return p != NULL
                   ? p->mean * k->reference->proxy[k->proxy].better * ig_store_task_sign(t->q.task)
                   : (double)NAN;
    }
    const ig_reference_value *p = ig_reference_find(k->reference, c->name, &t->q);
    return p != NULL ? p->mean : (double)NAN;
}

static ig_code correlate(double *out, correlation *k, const values *w, int64_t seed)
{
    int64_t n = 0;
    for (int i = 0; i < w->r->n_cell + w->r->n_hidden; i++) {
        const ig_result_cell *c = &w->r->cell[i];
        if (c->mixed != NULL || !ig_cell_matches(c->name, k->what->pattern, k->what->n_pattern))
            continue;
        for (int64_t e = 0; e < c->n_entry; e++) {
            if (c->entry[e].cell.seed != seed)
                continue;
            k->x[n] = of_run(w, c, &c->entry[e], &k->what->q);
            if (k->what->has_less)
                k->x[n] -= of_run(w, c, &c->entry[e], &k->what->less);
            k->y[n] = other_side(k, w, c, &c->entry[e]);
            n += isfinite(k->x[n]) && isfinite(k->y[n]);
        }
    }
    const ig_code code = ig_claim_correlate(out, k->what, k->x, k->y, n, w->err);
    k->tied = k->tied || (n >= CORRELATED_LEAST && !isfinite(*out));
    return code;
}

/* Seeds of all runs, ascending, each once. */
static ig_code all_seeds(int64_t **seed, int64_t *n, const values *w)
{
    int64_t all = 0;
    for (int i = 0; i < w->r->n_cell + w->r->n_hidden; i++)
        all += w->r->cell[i].n_entry;
    IG_TRY(ig_pool_alloc(w->pool, seed, all, sizeof **seed, w->err));
    all = *n = 0;
    for (int i = 0; i < w->r->n_cell + w->r->n_hidden; i++)
        for (int64_t e = 0; e < w->r->cell[i].n_entry; e++)
            (*seed)[all++] = w->r->cell[i].entry[e].cell.seed;
    qsort(*seed, (size_t)all, sizeof **seed, ig_by_int64);
    for (int64_t i = 0; i < all; i++)
        if (*n == 0 || (*seed)[*n - 1] != (*seed)[i])
            (*seed)[(*n)++] = (*seed)[i];
    return IG_ERR_OK;
}

static ig_code over_cells(ig_seed_values *v, const values *w, correlation *k)
{
    int64_t *seed, n;
    IG_TRY(all_seeds(&seed, &n, w));
    /* One element more than runs: the last one is written before it is known to count. */
    int64_t room = 1;
    for (int i = 0; i < w->r->n_cell + w->r->n_hidden; i++)
        room += w->r->cell[i].n_entry;
    IG_TRY(ig_pool_alloc(w->pool, &k->x, room, sizeof *k->x, w->err));
    IG_TRY(ig_pool_alloc(w->pool, &k->y, room, sizeof *k->y, w->err));
    IG_TRY(new_values(v, n, w));
    for (int64_t i = 0; i < n; i++) {
        double r;
        IG_TRY(correlate(&r, k, w, seed[i]));
        add(v, seed[i], r);
    }
    if (v->n > 0)
        return IG_ERR_OK;
    char name[160];
    ig_quantity_format(name, sizeof name, &k->what->q);
    return ig_pool_print(w->pool, w->missing, w->err,
                         k->tied ? "%s, or what it is correlated with, is the same in all cells"
                                 : "no seed has %s, and what it is correlated with, in %d cells",
                         name, CORRELATED_LEAST);
}

static ig_code correlated(ig_seed_values *v, const values *w, const ig_claim_term *t)
{
    IG_SCOPED(ig_reference_free) ig_reference paper = {0};
    correlation k = {.what = t, .proxy = -1};
    if (t->reference == NULL)
        return over_cells(v, w, &k);
    IG_TRY(ig_reference_read(&paper, t->reference, w->err));
    k.reference = &paper;
    for (int i = 0; t->proxy != NULL && i < paper.n_proxy; i++)
        if (strcmp(paper.proxy[i].name, t->proxy) == 0)
            k.proxy = i;
    return over_cells(v, w, &k);
}

/* --- a comparison ----------------------------------------------------------------------------- */

/* to += times × v, over the seeds that both have. */
static void add_term(ig_seed_values *to, const ig_seed_values *v, double times)
{
    int64_t n = 0;
    for (int64_t a = 0, b = 0; a < to->n && b < v->n;) {
        const int64_t seed = to->value[a].seed, other = v->value[b].seed;
        if (seed == other) {
            to->value[n] = to->value[a];
            to->value[n++].value += times * v->value[b].value;
        }
        a += seed <= other;
        b += other <= seed;
    }
    to->n = n;
}

/* Compares what terms are measured on: terms of one cell are of the same runs, and so are
 * correlations. */
static bool same_runs(const ig_claim_term *a, const ig_claim_term *b)
{
    return a->cell == NULL || b->cell == NULL ? a->cell == b->cell : strcmp(a->cell, b->cell) == 0;
}

enum { MOST = 2 * IG_CLAIM_TERMS_MAX };
typedef struct {
    const ig_claim_term *of[MOST];
    ig_seed_values sample[MOST];
    int n;
} samples;

/* Adds times × the term to the sample of its runs. */
static ig_code add_to_samples(samples *s, const values *w, const ig_claim_term *t, double times)
{
    ig_seed_values v = {0};
    IG_TRY(t->cell != NULL ? one_cell(&v, w, t) : correlated(&v, w, t));
    for (int i = 0; i < s->n; i++)
        if (same_runs(s->of[i], t)) {
            add_term(&s->sample[i], &v, times);
            return s->sample[i].n > 0 || *w->missing != NULL
                       ? IG_ERR_OK
                       : ig_pool_print(w->pool, w->missing, w->err,
                                       "cell %s: no seed has all of its quantities", t->cell);
        }
    for (int64_t i = 0; i < v.n; i++)
        v.value[i].value *= times;
    s->of[s->n] = t;
    s->sample[s->n++] = v;
    return IG_ERR_OK;
}

ig_code ig_claim_contrast(ig_contrast *out, const char **missing, const ig_results *r,
                          const ig_claim_comparison *c, int n_test, ig_pool *pool, ig_err *err)
{
    const values w = {r, pool, missing, err};
    const ig_claim_side *const side[] = {&c->more, &c->less};
    samples s = {.n = 0};
    ig_summary mean[MOST];
    *out = (ig_contrast){0};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < side[k]->n_term && *missing == NULL; i++)
            IG_TRY(add_to_samples(&s, &w, &side[k]->term[i],
                                  (k == 0 ? 1 : -1) * side[k]->term[i].times));
    if (*missing != NULL)
        return IG_ERR_OK;
    for (int i = 0; i < s.n; i++)
        IG_TRY(ig_seed_values_summary(&mean[i], pool, &s.sample[i], 1, err));
    *out = ig_contrast_of(mean, s.n, c->more.plus - c->less.plus, n_test);
    return IG_ERR_OK;
}
