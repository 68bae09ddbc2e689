/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run of an experiment: what would be run, and how long it would take. First the data of all
 * shapes of run are prepared, then each shape is timed for a few updates and two small
 * measurements, in as many processes at once as there will be jobs, since they share the memory's
 * bandwidth. Who wants an answer within a time gets it: what was not timed by then is computed from
 * what was, by weight. Nothing is written but into a temporary folder, and what was expected into
 * the user's cache (lab_foretold.h).
 */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "lab/work/lab_data.h"
#include "lab/estimate/lab_estimate.h"
#include "lab/estimate/lab_foretold.h"
#include "lab/lab_jobs.h"
#include "lab/laboratory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of a shape. The data are those of another shape where that has the same. */
typedef enum { SHAPE_NONE, SHAPE_LATE, SHAPE_FAILED, SHAPE_READY, SHAPE_TIMED } shape_state;

typedef struct {
    shape_state state;
    int first, n; /* first run that is missing, and how many are */
    int data_of;  /* shape whose child makes the data; itself: its own */
    double weight, seconds;
    ig_run_config config;
    char address[IG_ADDRESS]; /* of its data */
    char *data;               /* their folder */
    ig_err err;               /* why it failed */
} shape;

typedef struct {
    const ig_experiment *experiment;
    const ig_lab_options *options;
    ig_hash_cache *cache;
    char *scratch[2]; /* stores that are thrown away: of whole texts, and below it of samples */
    double begun;
    shape *shape;
    int n_shape;
} timing;

/* What a child works on. */
typedef struct {
    const timing *timing;
    const shape *shape;
} part_of_it;

/* What is made of the first sentences only is nothing for a run that needs all. */
static const char *scratch_of(const timing *t, const shape *s)
{
    return t->scratch[ig_run_config_data(&s->config).sample > 0];
}

/* In a child: makes the data in the scratch store. */
static ig_code make_data(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                         ig_err *err)
{
    const part_of_it *p = arg;
    char address[IG_ADDRESS];
    (void)slot;
    setenv("TMPDIR", p->timing->scratch[0], 1);
    return ig_lab_data_make(address, &p->shape->config, scratch_of(p->timing, p->shape),
                            p->timing->cache, stop, err);
}

/* In a child: times the run. */
static ig_code time_child(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                          ig_err *err)
{
    const part_of_it *p = arg;
    const ig_run_config *c = &p->shape->config;
    ig_lab_cost cost;
    (void)stop; /* it is killed: gather */
    /* What it leaves then is thrown away with the rest. */
    setenv("TMPDIR", p->timing->scratch[0], 1);
    IG_TRY(ig_lab_kind_of(c)->time(&cost, c, &p->timing->experiment->measure, p->shape->data, err));
    slot->number[0] = cost.seconds;
    slot->number[1] = (double)cost.memory;
    slot->number[2] = (double)cost.n_parameter;
    memcpy(slot->said, cost.no_mu, sizeof slot->said);
    return IG_ERR_OK;
}

/* Whether `share` of the time for an answer is over. */
static bool late(const timing *t, double share)
{
    const double answer = t->options->answer_seconds;
    return answer > 0 && ig_clock() - t->begun > share * answer;
}

static ig_code nap(const timing *t, ig_err *err)
{
    const struct timespec short_time = {0, 10 * 1000 * 1000};
    nanosleep(&short_time, NULL);
    if (t->options->stop != NULL && *t->options->stop != 0)
        return ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped; nothing was written");
    return IG_ERR_OK;
}

/* ---- data ---- */

static ig_code find_data(shape *s, const timing *t, ig_err *err)
{
    IG_TRY(ig_lab_data_find(&s->data, t->options->store, s->address, err));
    if (s->data == NULL)
        IG_TRY(ig_lab_data_find(&s->data, scratch_of(t, s), s->address, err));
    return IG_ERR_OK;
}

/* Fills in what is there, and who makes the rest: the first shape that has the same. */
static ig_code plan_data(timing *t, ig_err *err)
{
    for (int i = 0; i < t->n_shape; i++) {
        shape *s = &t->shape[i];
        s->data_of = i;
        if (s->n == 0)
            continue;
        IG_TRY(ig_data_address(s->address, &s->config, t->cache, err));
        IG_TRY(find_data(s, t, err));
        s->state = s->data != NULL ? SHAPE_READY : SHAPE_LATE;
        for (int k = 0; k < i && s->data == NULL && s->data_of == i; k++)
            if (t->shape[k].n > 0 && strcmp(t->shape[k].address, s->address) == 0 &&
                scratch_of(t, &t->shape[k]) == scratch_of(t, s))
                s->data_of = t->shape[k].data_of;
    }
    return IG_ERR_OK;
}

/* A child has ended. */
static ig_code data_made(shape *s, ig_lab_process *p, const timing *t, ig_err *err)
{
    if (p->slot->err.code != IG_ERR_OK) {
        s->state = SHAPE_FAILED;
        s->err = p->slot->err;
        return IG_ERR_OK;
    }
    IG_TRY(find_data(s, t, err));
    s->state = s->data != NULL ? SHAPE_READY : SHAPE_LATE;
    return IG_ERR_OK;
}

/* Makes the data of all shapes, as many at once as there are jobs. */
static ig_code prepare_data(const ig_lab_plan *plan, timing *t, ig_err *err)
{
    const double share = 0.6; /* of the time */
    ig_lab_process *p;
    part_of_it *work = NULL;
    int *of = NULL, next = 0, n_on = 0;
    ig_code code = ig_alloc(&p, plan->jobs, sizeof *p, "jobs", err);
    IG_TRY(code);
    code = ig_alloc(&of, plan->jobs, sizeof *of, "jobs", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&work, t->n_shape, sizeof *work, "jobs", err);
    for (int j = 0; j < plan->jobs && code == IG_ERR_OK; j++)
        of[j] = -1;
    while (code == IG_ERR_OK && !late(t, share)) {
        for (int j = 0; j < plan->jobs && code == IG_ERR_OK; j++) {
            int killed;
            if (of[j] >= 0 && ig_lab_process_ended(&p[j], false, &killed)) {
                code = data_made(&t->shape[of[j]], &p[j], t, err);
                ig_lab_process_close(&p[j]);
                of[j] = -1;
                n_on--;
            }
            while (of[j] < 0 && next < t->n_shape && code == IG_ERR_OK) {
                const shape *s = &t->shape[next];
                if (s->n > 0 && s->data == NULL && s->data_of == next) {
                    work[next] = (part_of_it){t, s};
                    code = ig_lab_process_start(&p[j], make_data, &work[next], err);
                    of[j] = code == IG_ERR_OK ? next : -1;
                    n_on += code == IG_ERR_OK;
                }
                next++;
            }
        }
        if (n_on == 0)
            break;
        if (code == IG_ERR_OK)
            code = nap(t, err);
    }
    for (int j = 0; j < plan->jobs && of != NULL; j++)
        if (of[j] >= 0)
            ig_lab_process_close(&p[j]);
    ig_free(work);
    ig_free(of);
    ig_free(p);
    for (int i = 0; i < t->n_shape && code == IG_ERR_OK; i++) {
        shape *s = &t->shape[i];
        const shape *maker = &t->shape[s->data_of];
        if (maker->state == SHAPE_FAILED) {
            s->state = SHAPE_FAILED;
            s->err = maker->err;
        } else if (maker != s && maker->data != NULL) {
            code = find_data(s, t, err);
            s->state = SHAPE_READY;
        }
    }
    return code;
}

/* ---- time ---- */

/* Waits for the processes; the first error is the result. All they do is thrown away, so a stop
 * does not wait for them. *in_time: they all ended before the answer is due. */
static ig_code gather(bool *in_time, ig_lab_process *p, int n, const timing *t, ig_err *why,
                      ig_err *err)
{
    *in_time = true;
    for (int k = 0; k < n; k++) {
        int killed;
        while (!ig_lab_process_ended(&p[k], false, &killed)) {
            IG_TRY(nap(t, err));
            if (late(t, 1)) {
                *in_time = false;
                return IG_ERR_OK;
            }
        }
        if (p[k].slot->err.code != IG_ERR_OK && why->code == IG_ERR_OK)
            *why = p[k].slot->err;
    }
    return IG_ERR_OK;
}

/* The mean time of `jobs` of them at once, and the memory of the largest. */
static ig_code time_shape(ig_lab_plan *plan, int64_t *largest, shape *s, const char *cell,
                          const timing *t, ig_err *err)
{
    ig_lab_process *p;
    part_of_it work = {t, s};
    ig_err why = {0};
    bool in_time = false;
    IG_TRY(ig_alloc(&p, plan->jobs, sizeof *p, "jobs", err));
    ig_code code = IG_ERR_OK;
    int n = 0;
    for (; n < plan->jobs && code == IG_ERR_OK; n++)
        code = ig_lab_process_start(&p[n], time_child, &work, err);
    if (code != IG_ERR_OK && n > 0)
        n--;
    if (code == IG_ERR_OK)
        code = gather(&in_time, p, n, t, &why, err);
    if (why.code != IG_ERR_OK) {
        s->state = SHAPE_FAILED;
        s->err = why;
    } else if (code == IG_ERR_OK && in_time)
        s->state = SHAPE_TIMED;
    const int room = (int)(sizeof plan->no_mu / sizeof *plan->no_mu);
    if (s->state == SHAPE_TIMED && p[0].slot->said[0] != '\0' && plan->n_no_mu < room) {
        const int at = plan->n_no_mu++;
        snprintf(plan->no_mu[at].cell, sizeof plan->no_mu[at].cell, "%.79s", cell);
        snprintf(plan->no_mu[at].why, sizeof plan->no_mu[at].why, "%s", p[0].slot->said);
    }
    for (int k = 0; k < n; k++) {
        const double *x = p[k].slot->number;
        if (s->state == SHAPE_TIMED) {
            s->seconds += x[0] / n;
            *largest = *largest < (int64_t)x[1] ? (int64_t)x[1] : *largest;
            if (plan->largest_parameters < (int64_t)x[2])
                plan->largest_parameters = (int64_t)x[2];
        }
        ig_lab_process_close(&p[k]);
    }
    ig_free(p);
    return code;
}

/* The run itself will say it too, and not stop the others. */
static void impossible(ig_lab_plan *plan, const shape *s, const timing *t, const ig_lab_list *l)
{
    if (plan->n_impossible == 0) {
        const int cell = l->item[s->first].cell;
        const ig_err *why = &s->err;
        snprintf(plan->problem, sizeof plan->problem, "%.80s: %s%s%.300s",
                 t->experiment->cell[cell].name, why->where, why->where[0] != '\0' ? ": " : "",
                 why->msg);
        plan->why = *why;
        ig_experiment_at_cell(t->experiment, cell, &plan->why);
    }
    plan->n_impossible += s->n;
}

/* The heaviest first, then the lightest, which stand best for the others if these are not reached;
 * then as they come. */
static void put_in_order(int *order, const timing *t)
{
    int heavy = 0, light = 0, n = 0;
    for (int k = 0; k < t->n_shape; k++) {
        heavy = t->shape[k].weight > t->shape[heavy].weight ? k : heavy;
        light = t->shape[k].weight < t->shape[light].weight ? k : light;
    }
    for (int k = 0; k < t->n_shape; k++)
        if (k != heavy && k != light)
            order[2 + n++ - (heavy == light)] = k;
    order[0] = heavy;
    if (heavy != light)
        order[1] = light;
}

static ig_code time_all(ig_lab_plan *plan, timing *t, const ig_lab_list *l, ig_err *err)
{
    double sum = 0, longest = 0, seconds = 0, weight = 0;
    int64_t largest = 0;
    int *order;
    IG_TRY(ig_alloc(&order, t->n_shape + 1, sizeof *order, "shapes", err));
    put_in_order(order, t);
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n_shape && code == IG_ERR_OK; i++) {
        shape *s = &t->shape[order[i]];
        if (s->state == SHAPE_READY && !late(t, 1))
            code = time_shape(plan, &largest, s, t->experiment->cell[l->item[s->first].cell].name,
                              t, err);
    }
    ig_free(order);
    IG_TRY(code);
    for (int i = 0; i < t->n_shape; i++) {
        const shape *s = &t->shape[i];
        if (s->state == SHAPE_TIMED) {
            plan->n_shape++;
            seconds += s->seconds;
            weight += s->weight;
        }
    }
    for (int i = 0; i < t->n_shape; i++) {
        const shape *s = &t->shape[i];
        if (s->n == 0)
            continue;
        if (s->state == SHAPE_FAILED) {
            impossible(plan, s, t, l);
            continue;
        }
        plan->n_untimed += s->state != SHAPE_TIMED;
        const double x = s->state == SHAPE_TIMED ? s->seconds
                         : weight > 0            ? seconds / weight * s->weight
                                                 : (double)NAN;
        sum += x * s->n;
        longest = x > longest ? x : longest;
    }
    plan->memory = largest * plan->jobs;
    plan->core_seconds = sum * plan->threads;
    plan->seconds = sum / plan->jobs < longest ? longest : sum / plan->jobs;
    return IG_ERR_OK;
}

/* The shapes of what is missing. */
static ig_code list_shapes(timing *t, const ig_lab_list *l, const bool *missing,
                           const ig_lab_estimate *shapes, int threads, ig_err *err)
{
    IG_TRY(ig_alloc(&t->shape, shapes->n_shape, sizeof *t->shape, "shapes", err));
    t->n_shape = shapes->n_shape;
    for (int i = l->n - 1; i >= 0; i--) {
        shape *s = &t->shape[shapes->shape[i]];
        s->first = missing[i] ? i : s->first;
        s->n += missing[i];
        s->weight = shapes->weight[i];
    }
    for (int i = 0; i < t->n_shape; i++) {
        shape *s = &t->shape[i];
        const ig_lab_item *it = &l->item[s->first];
        if (s->n == 0)
            continue;
        IG_TRY(ig_experiment_config(&s->config, t->experiment, it->cell, it->seed, err));
        s->config.threads = threads;
        s->config.quick = t->options->answer_seconds > 0;
    }
    return IG_ERR_OK;
}

static void free_shapes(timing *t)
{
    for (int i = 0; i < t->n_shape; i++) {
        ig_run_config_free(&t->shape[i].config);
        ig_free(t->shape[i].data);
    }
    ig_free(t->shape);
}

/* Counts what there is; missing[i]: to be run. */
static ig_code look(ig_lab_plan *plan, bool *missing, const ig_lab_list *l, const timing *t,
                    ig_err *err)
{
    int n = 0;
    plan->n_cell = l->n_cell;
    plan->n_run = l->n;
    plan->n_skipped = l->n_skipped;
    for (int i = 0; i < l->n; i++) {
        ig_lab_state s = {0};
        IG_TRY(ig_lab_folder_state(&s, l->item[i].dir, &t->experiment->measure, err));
        plan->n_done += s.status == IG_RUN_DONE;
        plan->n_failed += s.status == IG_RUN_FAILED;
        missing[i] = s.status != IG_RUN_DONE && (s.status != IG_RUN_FAILED || t->options->retry);
        n += missing[i];
    }
    plan->jobs = t->options->jobs;
    plan->threads = t->options->threads;
    ig_lab_jobs(&plan->jobs, &plan->threads, n);
    return IG_ERR_OK;
}

ig_code ig_lab_dry(ig_lab_plan *p, const ig_experiment *e, const ig_lab_options *o, ig_err *err)
{
    timing t = {.experiment = e, .options = o, .begun = ig_clock()};
    ig_lab_list l = {0};
    ig_lab_estimate shapes = {0};
    bool *missing = NULL;
    *p = (ig_lab_plan){0};
    ig_code code = ig_hash_cache_new(&t.cache, err);
    if (code == IG_ERR_OK)
        code = ig_lab_list_make(&l, e, o->store, o->selector, IG_LAB_WORK_ORDER, t.cache, err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&missing, l.n, sizeof *missing, "runs", err);
    if (code == IG_ERR_OK)
        code = look(p, missing, &l, &t, err);
    if (code == IG_ERR_OK)
        code = ig_lab_estimate_new(&shapes, &l, e, err);
    if (code == IG_ERR_OK)
        code = list_shapes(&t, &l, missing, &shapes, p->threads, err);
    if (code == IG_ERR_OK)
        code = ig_dir_temporary(&t.scratch[0], "isoglot", err);
    if (code == IG_ERR_OK)
        code = ig_path_join(&t.scratch[1], t.scratch[0], "sample", err);
    if (code == IG_ERR_OK)
        code = plan_data(&t, err);
    if (code == IG_ERR_OK)
        code = prepare_data(p, &t, err);
    if (code == IG_ERR_OK)
        code = time_all(p, &t, &l, err);
    if (t.scratch[0] != NULL) {
        ig_code removed = ig_dir_remove(t.scratch[0], code == IG_ERR_OK ? err : NULL);
        code = code != IG_ERR_OK ? code : removed;
    }
    const ig_lab_foretold now = {o->store, &l, missing, p->jobs, p->threads};
    if (code == IG_ERR_OK && p->seconds > 0)
        ig_lab_foretold_keep(&now, p->seconds);
    free_shapes(&t);
    ig_free(t.scratch[0]);
    ig_free(t.scratch[1]);
    ig_free(missing);
    ig_lab_estimate_free(&shapes);
    ig_lab_list_free(&l);
    ig_hash_cache_free(t.cache);
    return code;
}
