/* SPDX-License-Identifier: Apache-2.0
 *
 * A quantity over the checkpoints of a cell's runs: value by seed and step, mean and band over the
 * seeds at each step, and the step at which it starts.
 */
#include "report/results/results.h"
#include "base/order.h"
#include "report/results/results_internal.h"
#include "store/store_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_result_curve *out;
    const ig_results *r;
    const ig_result_cell *c;
    const ig_quantity *q;
    ig_onset_rule rule;
    ig_err *err;
} work;

/* Steps at which any run of the cell has a metric of this task, ascending, each once. */
static ig_code gather_steps(double **out, int64_t *n, const work *w)
{
    const ig_result_cell *c = w->c;
    int64_t most = 0;
    for (int64_t k = 0; k < c->n_entry; k++)
        most += c->entry[k].n_metric;
    IG_TRY(ig_pool_alloc(&w->out->pool, out, most, sizeof **out, w->err));
    *n = 0;
    for (int64_t k = 0; k < c->n_entry; k++) {
        const ig_store_entry *e = &c->entry[k];
        const ig_store_metric *m = ig_result_metrics(w->r->store, e);
        for (int64_t i = 0; i < e->n_metric; i++)
            if (strcmp(m[i].task, w->q->task) == 0)
                (*out)[(*n)++] = (double)m[i].step;
    }
    if (*n == 0)
        return IG_ERR_OK;
    qsort(*out, (size_t)*n, sizeof **out, ig_by_double);
    int64_t kept = 1;
    for (int64_t i = 1; i < *n; i++)
        if ((*out)[i] != (*out)[kept - 1])
            (*out)[kept++] = (*out)[i];
    *n = kept;
    return IG_ERR_OK;
}

typedef struct {
    double *step, *mean, *sd, *low, *high, *value, *onset;
    int64_t *count, *seed;
} arrays;

static ig_code room(arrays *a, ig_pool *pool, int64_t n, int64_t n_seed, ig_err *err)
{
    double **const over_steps[] = {&a->mean, &a->sd, &a->low, &a->high};
    for (int i = 0; i < 4; i++)
        IG_TRY(ig_pool_alloc(pool, over_steps[i], n, sizeof(double), err));
    IG_TRY(ig_pool_alloc(pool, &a->count, n, sizeof *a->count, err));
    IG_TRY(ig_pool_alloc(pool, &a->value, n * n_seed, sizeof *a->value, err));
    IG_TRY(ig_pool_alloc(pool, &a->onset, n_seed, sizeof *a->onset, err));
    return ig_pool_alloc(pool, &a->seed, n_seed, sizeof *a->seed, err);
}

/* Mean and band at all steps. x[n_seed]: working memory. */
static void over_seeds(arrays *a, double *x, int64_t n, int64_t n_seed, ig_value_range range)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = 0;
        for (int64_t s = 0; s < n_seed; s++)
            if (isfinite(a->value[s * n + i]))
                x[k++] = a->value[s * n + i];
        const ig_summary sum = ig_summarise(x, k);
        const ig_interval band = ig_interval_of_mean(&sum, range, 0.95);
        a->count[i] = k;
        a->mean[i] = sum.mean;
        a->sd[i] = sum.sd;
        a->low[i] = band.low;
        a->high[i] = band.high;
    }
}

/* Of the points that a seed has. scratch[2 n]. */
static double onset_of(const arrays *a, int64_t seed, int64_t n, bool falls,
                       const ig_onset_rule *rule, double *scratch)
{
    int64_t k = 0;
    double *step = scratch, *value = scratch + n;
    for (int64_t i = 0; i < n; i++) {
        const double v = a->value[seed * n + i];
        if (!isfinite(v) || (falls && v <= 0))
            continue;
        step[k] = a->step[i];
        value[k++] = falls ? -log(v) : v;
    }
    return ig_onset(step, value, k, rule->fraction, rule->least);
}

/* Mean and band of all steps; none of a mixed cell. */
static void bands(ig_result_curve *out, arrays *a, double *x, const ig_result_cell *c,
                  ig_value_range range)
{
    const int64_t n = out->n, n_seed = out->n_seed;
    if (c->mixed == NULL)
        over_seeds(a, x, n, n_seed, range);
    for (int64_t i = 0; i < n && c->mixed != NULL; i++) {
        a->mean[i] = a->sd[i] = a->low[i] = a->high[i] = (double)NAN;
        for (int64_t s = 0; s < n_seed; s++)
            a->count[i] += isfinite(a->value[s * n + i]);
    }
    out->mean = a->mean;
    out->sd = a->sd;
    out->low = a->low;
    out->high = a->high;
    out->count = a->count;
}

static ig_code make(const work *w)
{
    ig_result_curve *out = w->out;
    ig_pool *pool = &out->pool;
    const ig_result_cell *c = w->c;
    ig_err *err = w->err;
    arrays a = {0};
    double *values, *points;
    int64_t n, n_seed = 0, n_onset = 0;
    bool any = false;
    IG_TRY(gather_steps(&a.step, &n, w));
    IG_TRY(room(&a, pool, n, c->n_entry, err));
    IG_TRY(ig_pool_alloc(pool, &values, c->n_entry, sizeof *values, err));
    IG_TRY(ig_pool_alloc(pool, &points, 2 * n, sizeof *points, err));
    out->layer = -1;
    for (int64_t k = 0; k < c->n_entry; k++) {
        bool has = false;
        for (int64_t i = 0; i < n; i++) {
            const ig_result_value v =
                ig_result_value_of(w->r, c, &c->entry[k], w->q, (int64_t)a.step[i]);
            a.value[n_seed * n + i] = v.value;
            if (!isfinite(v.value))
                continue;
            out->layer = !any || out->layer == v.layer ? v.layer : -1;
            any = has = true;
        }
        if (has)
            a.seed[n_seed++] = c->entry[k].cell.seed;
    }
    /* Steps of another split or layer of the task have no value here. */
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        bool has = false;
        for (int64_t s = 0; s < n_seed; s++)
            has = has || isfinite(a.value[s * n + i]);
        if (!has)
            continue;
        a.step[kept] = a.step[i];
        for (int64_t s = 0; s < n_seed; s++)
            a.value[s * n + kept] = a.value[s * n + i];
        kept++;
    }
    for (int64_t s = 1; s < n_seed; s++)
        memmove(a.value + s * kept, a.value + s * n, (size_t)kept * sizeof *a.value);
    const ig_store_task *task = ig_store_task_find(w->q->task);
    const bool falls = task != NULL && task->better < 0;
    for (int64_t s = 0; s < n_seed; s++) {
        a.onset[s] = onset_of(&a, s, kept, falls, &w->rule, points);
        if (isfinite(a.onset[s]))
            values[n_onset++] = a.onset[s];
    }
    out->onset_all = ig_summarise(values, n_onset);
    out->onset_interval = ig_interval_of_mean(&out->onset_all, IG_RANGE_POSITIVE, 0.95);
    out->n = kept;
    out->n_seed = (int)n_seed;
    out->step = a.step;
    out->seed = a.seed;
    out->value = a.value;
    out->onset = a.onset;
    bands(out, &a, values, c, ig_store_task_range(w->q->task));
    return IG_ERR_OK;
}

ig_code ig_result_curve_make(ig_result_curve *out, const ig_results *r, const ig_result_cell *c,
                             const ig_quantity *q, const ig_onset_rule *rule, ig_err *err)
{
    const ig_onset_rule usual = {IG_ONSET_FRACTION, IG_ONSET_LEAST};

    *out = (ig_result_curve){.cell = c, .quantity = *q, .layer = -1};
    return make(&(work){out, r, c, q, rule != NULL ? *rule : usual, err});
}

void ig_result_curve_free(ig_result_curve *c)
{
    if (c == NULL)
        return;
    ig_pool_free(&c->pool);
    *c = (ig_result_curve){0};
}
