/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicts the remaining time from finished and running runs.
 */
#include "lab/estimate/lab_estimate.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "lab/runs/lab_list.h"
#include "lab/work/lab_tuning.h"

#include <math.h>
#include <stdlib.h>

static ig_code make_arrays(ig_lab_estimate *t, int n, ig_err *err)
{
    IG_TRY(ig_alloc(&t->shape, n, sizeof *t->shape, "estimate", err));
    IG_TRY(ig_alloc(&t->weight, n, sizeof *t->weight, "estimate", err));
    IG_TRY(ig_alloc(&t->tuning, n, sizeof *t->tuning, "estimate", err));
    IG_TRY(ig_alloc(&t->trained, n, sizeof *t->trained, "estimate", err));
    IG_TRY(ig_alloc(&t->finished, n, sizeof *t->finished, "estimate", err));
    IG_TRY(ig_alloc(&t->running, n, sizeof *t->running, "estimate", err));
    IG_TRY(ig_alloc(&t->n_finished, n, sizeof *t->n_finished, "estimate", err));
    return ig_alloc(&t->n_running, n, sizeof *t->n_running, "estimate", err);
}

static double tuning_weight(const ig_experiment *e, const ig_run_config *c)
{
    double weight = 0;
    for (int i = 0; i < e->n_task; i++)
        for (int k = 0; k < e->task[i].n_tuning; k++)
            weight +=
                e->task[i].n_seed * ig_lab_tuning_weight(c, &e->task[i], &e->task[i].tuning[k]);
    return weight;
}

/* Runs of one cell have one shape, and cells of equal keys too, if they were trained before alike.
 */
static ig_code number_shapes(ig_lab_estimate *t, const ig_lab_list *l, const ig_experiment *e,
                             ig_err *err)
{
    json_t *known = json_object();
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < l->n && code == IG_ERR_OK; i++) {
        const ig_run_config *c = &e->cell[l->item[i].cell].config;
        const ig_lab_kind *kind = ig_lab_kind_of(c);
        json_t *shape = kind->shape(c);
        if (shape != NULL && t->trained[i])
            json_object_set_new(shape, "trained", json_true());
        char *text = shape != NULL ? ig_json_text(shape, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
        json_decref(shape);
        if (text == NULL) {
            code = ig_fail(err, IG_ERR_MEMORY, "", 0, "not enough memory for an estimate");
            break;
        }
        const json_t *number = json_object_get(known, text);
        if (number == NULL) {
            t->shape[i] = t->n_shape++;
            json_object_set_new(known, text, json_integer(t->shape[i]));
        } else
            t->shape[i] = (int)json_integer_value(number);
        t->weight[i] = kind->weight(c);
        t->tuning[i] = i > 0 && l->item[i].cell == l->item[i - 1].cell ? t->tuning[i - 1]
                                                                       : tuning_weight(e, c);
        free(text);
    }
    json_decref(known);
    return code;
}

ig_code ig_lab_estimate_new(ig_lab_estimate *t, const ig_lab_list *l, const ig_experiment *e,
                            const bool *trained, ig_err *err)
{
    *t = (ig_lab_estimate){.n = l->n};
    ig_code code = make_arrays(t, l->n, err);
    for (int i = 0; code == IG_ERR_OK && trained != NULL && i < l->n; i++)
        t->trained[i] = trained[i];
    IG_THEN(code, number_shapes(t, l, e, err));
    if (code != IG_ERR_OK)
        ig_lab_estimate_free(t);
    return code;
}

void ig_lab_estimate_free(ig_lab_estimate *t)
{
    IG_FREE(t->shape, t->weight, t->tuning, t->trained, t->finished, t->running, t->n_finished,
            t->n_running);
    *t = (ig_lab_estimate){0};
}

void ig_lab_estimate_finished(ig_lab_estimate *t, int i, double seconds)
{
    t->finished[t->shape[i]] += seconds;
    t->n_finished[t->shape[i]]++;
}

void ig_lab_estimate_clear(ig_lab_estimate *t)
{
    for (int i = 0; i < t->n_shape; i++) {
        t->running[i] = 0;
        t->n_running[i] = 0;
    }
}

/* Checkpoints measured in (from, to]; from < 0: the untrained model too. */
static int64_t measured_between(const ig_measure_plan *plan, int64_t from, int64_t to)
{
    /* _count counts the last one always. */
    int64_t upto = ig_measure_plan_count(plan, to + 1) - 1;
    int64_t before = from < 0 ? 0 : ig_measure_plan_count(plan, from + 1) - 1;
    return upto > before ? upto - before : 0;
}

double ig_lab_estimate_running(ig_lab_estimate *t, int i, const ig_lab_slot *slot, double elapsed,
                               const ig_measure_plan *plan)
{
    const int64_t step = atomic_load(&slot->step), n = atomic_load(&slot->n_step),
                  first = atomic_load(&slot->first_step);
    const double trained = atomic_load(&slot->train_seconds);
    if (step - first < 2 || trained <= 0 || n <= 0)
        return (double)NAN;
    const double update = trained / (double)(step - first);
    const double other = elapsed > trained ? elapsed - trained : 0;
    const double seen = 1 + (double)measured_between(plan, first > 0 ? first : -1, step);
    const double ahead = 1 + (double)measured_between(plan, step, n - 1);
    const double tuning = update * (double)n * t->tuning[i] / t->weight[i];
    /* Once it is trained, the time that went on anything else was spent on fine-tunings too. */
    const double left = step == n && tuning > 0
                            ? fmax(tuning - other, 0)
                            : update * (double)(n - step) + other / seen * ahead + tuning;
    /* The time of work by an earlier process is not known in seconds of this one. */
    const int s = t->shape[i];
    t->running[s] += elapsed + left + update * (double)first;
    t->n_running[s]++;
    return left;
}

static double of_shape(const ig_lab_estimate *t, int s)
{
    if (t->n_finished[s] > 0)
        return t->finished[s] / t->n_finished[s];
    if (t->n_running[s] > 0)
        return t->running[s] / t->n_running[s];
    return (double)NAN;
}

static double whole_weight(const ig_lab_estimate *t, int i)
{
    return (t->trained[i] ? 0 : t->weight[i]) + t->tuning[i];
}

double ig_lab_estimate_whole(const ig_lab_estimate *t, int i)
{
    const double known = of_shape(t, t->shape[i]);
    if (!isnan(known))
        return known;
    double seconds = 0, weight = 0;
    for (int k = 0; k < t->n; k++) {
        const double other = of_shape(t, t->shape[k]);
        if (!isnan(other)) {
            seconds += other;
            weight += whole_weight(t, k);
        }
    }
    return weight > 0 ? seconds / weight * whole_weight(t, i) : (double)NAN;
}

/* --- what is left, from the folders alone ----------------------------------------------------- */

static double share_left(const ig_lab_state *s)
{
    return s->n_step > 0 && s->step > 0 ? 1 - (double)s->step / (double)s->n_step : 1;
}

/* Returns the seconds of a whole resumed run, from its progress since this process started it. */
static double whole_of(const ig_lab_state *s)
{
    const double done = 1 - share_left(s);
    return s->seconds > 0 && done > 0 ? s->seconds / done : (double)NAN;
}

static double sum_up(ig_lab_estimate *t, const ig_lab_state *s, int n, const ig_experiment *e)
{
    double sum = 0, longest = 0;
    int running = 0;
    for (int i = 0; i < n; i++)
        if (s[i].status == IG_RUN_DONE && s[i].seconds > 0)
            ig_lab_estimate_finished(t, i, s[i].seconds);
    for (int i = 0; i < n; i++) {
        const bool goes_on = s[i].status == IG_RUN_RUNNING;
        running += goes_on;
        if (s[i].status == IG_RUN_DONE || s[i].status == IG_RUN_FAILED ||
            (!goes_on && (e->cell[s[i].cell].needs & IG_NEEDS_GPU) != 0))
            continue;
        double whole = ig_lab_estimate_whole(t, i);
        for (int k = 0; k < n && isnan(whole); k++)
            if (s[k].status == IG_RUN_RUNNING && !isnan(whole_of(&s[k])))
                whole = whole_of(&s[k]) * whole_weight(t, i) / whole_weight(t, k);
        double left = s[i].trained ? whole : whole * share_left(&s[i]);
        if (goes_on && left <= 0) /* trained; what follows is as long as in other runs */
            left = fmax(whole - s[i].seconds, 0);
        sum += left;
        longest = goes_on && left > longest ? left : longest;
    }
    sum /= running > 1 ? running : 1;
    return sum < longest ? longest : sum;
}

ig_code ig_lab_time_left(double *seconds, const ig_lab_state *s, int n, const ig_experiment *e,
                         ig_err *err)
{
    ig_lab_estimate t;
    ig_lab_list l = {.n = n};
    bool *trained = NULL;
    *seconds = n > 0 ? (double)NAN : 0;
    if (n == 0)
        return IG_ERR_OK;
    ig_code code = ig_alloc(&l.item, n, sizeof *l.item, "estimate", err);
    IG_THEN(code, ig_alloc(&trained, n, sizeof *trained, "estimate", err));
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        l.item[i].cell = s[i].cell;
        trained[i] = s[i].trained;
    }
    IG_THEN(code, ig_lab_estimate_new(&t, &l, e, trained, err));
    if (code == IG_ERR_OK) {
        *seconds = sum_up(&t, s, n, e);
        ig_lab_estimate_free(&t);
    }
    IG_FREE(l.item, trained);
    return code;
}
