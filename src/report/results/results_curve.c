/* SPDX-License-Identifier: Apache-2.0
 *
 * A quantity over the checkpoints of a cell's runs: value by seed and step, mean and band over the
 * seeds at each step, and the step at which it starts.
 */
#include "base/order.h"
#include "report/results/results.h"
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
    ig_err *err;
} work;

/* Steps at which any run of the cell has a metric of this task, ascending, each once. */
static ig_code gather_steps(const work *w)
{
    ig_result_curve *out = w->out;
    int64_t most = 0;
    for (int64_t k = 0; k < w->c->n_entry; k++)
        most += w->c->entry[k].n_metric;
    IG_TRY(ig_pool_alloc(&out->pool, &out->step, most, sizeof *out->step, w->err));
    int64_t all = 0;
    for (int64_t k = 0; k < w->c->n_entry; k++) {
        const ig_store_entry *e = &w->c->entry[k];
        const ig_row *m = ig_store_rows(w->r->store, e);
        for (int64_t i = 0; i < e->n_metric; i++)
            if (strcmp(m[i].task, w->q->task) == 0)
                out->step[all++] = (double)m[i].step;
    }
    qsort(out->step, (size_t)all, sizeof *out->step, ig_by_double);
    for (int64_t i = 0; i < all; i++)
        if (out->n == 0 || out->step[i] != out->step[out->n - 1])
            out->step[out->n++] = out->step[i];
    return IG_ERR_OK;
}

static ig_code grow_buffers(const work *w)
{
    ig_result_curve *out = w->out;
    double **const over_steps[] = {&out->mean, &out->sd, &out->low, &out->high};
    const int64_t n_seed = w->c->n_entry;
    for (int i = 0; i < 4; i++)
        IG_TRY(ig_pool_alloc(&out->pool, over_steps[i], out->n, sizeof(double), w->err));
    IG_TRY(ig_pool_alloc(&out->pool, &out->count, out->n, sizeof *out->count, w->err));
    IG_TRY(ig_pool_alloc(&out->pool, &out->value, out->n * n_seed, sizeof *out->value, w->err));
    IG_TRY(ig_pool_alloc(&out->pool, &out->onset, n_seed, sizeof *out->onset, w->err));
    return ig_pool_alloc(&out->pool, &out->seed, n_seed, sizeof *out->seed, w->err);
}

/* The largest step of a file is 2^63 as a double, which no integer is. */
static int64_t step_of(double x)
{
    return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}

/* Mean and band of a step; none of a mixed cell. */
static void put_step(ig_result_curve *out, double step, const ig_seed_values *v)
{
    const double none = (double)NAN;
    const bool mixed = out->cell->mixed != NULL;
    const ig_interval band =
        ig_interval_of_mean(&v->summary, ig_store_task_range(out->quantity.task), 0.95);
    const int64_t i = out->n++;
    out->step[i] = step;
    out->count[i] = v->summary.n;
    out->mean[i] = mixed ? none : v->summary.mean;
    out->sd[i] = mixed ? none : v->summary.sd;
    out->low[i] = mixed ? none : band.low;
    out->high[i] = mixed ? none : band.high;
    out->layer = i == 0 || out->layer == v->layer ? v->layer : -1;
}

/* Steps of another split or layer of the task have no value here; nor have some seeds. */
static ig_code gather_values(const work *w)
{
    ig_result_curve *out = w->out;
    ig_seed_values *at;
    const int64_t n = out->n;
    IG_TRY(ig_pool_alloc(&out->pool, &at, n, sizeof *at, w->err));
    out->n = 0;
    for (int64_t i = 0; i < n; i++) {
        ig_seed_values *v = &at[out->n];
        IG_TRY(ig_seed_values_of(v, &out->pool, w->r, w->c, w->q, step_of(out->step[i]), w->err));
        if (v->summary.n > 0)
            put_step(out, out->step[i], v);
    }
    for (int64_t k = 0; k < w->c->n_entry; k++) {
        bool has = false;
        for (int64_t i = 0; i < out->n; i++) {
            const double x = at[i].value[k].value;
            out->value[out->n_seed * out->n + i] = x;
            has = has || isfinite(x);
        }
        if (has)
            out->seed[out->n_seed++] = w->c->entry[k].cell.seed;
    }
    return IG_ERR_OK;
}

/* The onset over the points that a seed has. scratch[2 n]. */
static double onset_of(const ig_result_curve *c, int seed, bool falls, const ig_onset_rule *rule,
                       double *scratch)
{
    int64_t k = 0;
    double *step = scratch, *value = scratch + c->n;
    for (int64_t i = 0; i < c->n; i++) {
        const double v = c->value[seed * c->n + i];
        if (!isfinite(v) || (falls && v <= 0))
            continue;
        step[k] = c->step[i];
        value[k++] = falls ? -log(v) : v;
    }
    return ig_onset(step, value, k, rule->fraction, rule->least);
}

ig_code ig_result_curve_make(ig_result_curve *out, const ig_results *r, const ig_result_cell *c,
                             const ig_quantity *q, const ig_onset_rule *rule, ig_err *err)
{
    static const ig_onset_rule usual = {IG_ONSET_FRACTION, IG_ONSET_LEAST};
    const work w = {out, r, c, q, err};
    const ig_store_task *task = ig_store_task_find(q->task);
    const bool falls = task != NULL && task->better < 0;
    double *values, *points;
    int64_t n_onset = 0;
    *out = (ig_result_curve){.cell = c, .quantity = *q, .layer = -1};
    IG_TRY(gather_steps(&w));
    IG_TRY(grow_buffers(&w));
    IG_TRY(ig_pool_alloc(&out->pool, &values, c->n_entry, sizeof *values, err));
    IG_TRY(ig_pool_alloc(&out->pool, &points, 2 * out->n, sizeof *points, err));
    IG_TRY(gather_values(&w));
    for (int s = 0; s < out->n_seed; s++) {
        out->onset[s] = onset_of(out, s, falls, rule != NULL ? rule : &usual, points);
        if (isfinite(out->onset[s]))
            values[n_onset++] = out->onset[s];
    }
    out->onset_all = ig_summarise(values, n_onset);
    out->onset_interval = ig_interval_of_mean(&out->onset_all, IG_RANGE_POSITIVE, 0.95);
    return IG_ERR_OK;
}

void ig_result_curve_free(ig_result_curve *c)
{
    ig_pool_free(&c->pool);
    *c = (ig_result_curve){0};
}
