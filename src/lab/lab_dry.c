/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run of an experiment: what would be run, and how long it would take. First the data of all
 * shapes of run are prepared, then each shape is timed for a few updates and two small
 * measurements, then each way of fine-tuning (lab_dry_tuning.h), in as many processes at once as
 * there will be jobs, since they share the memory's bandwidth. Who wants an answer within a time
 * gets it: what was not timed by then is computed from what was, by weight. Nothing is written but
 * into a temporary folder, and what was expected into the user's cache (lab_foretold.h).
 */
#include "base/file.h"

#include "apply/folder/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "lab/estimate/lab_dry_tuning.h"
#include "lab/estimate/lab_estimate.h"
#include "lab/estimate/lab_foretold.h"
#include "lab/laboratory.h"
#include "lab/work/lab_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double data_share = 0.6; /* of the time for an answer */

/* State of a shape. */
typedef enum { SHAPE_NONE, SHAPE_LATE, SHAPE_FAILED, SHAPE_READY, SHAPE_TIMED } shape_state;

typedef struct {
    shape_state state;
    bool wanted;  /* of a run that is missing, or needs fine-tunings */
    int first, n; /* first such run; how many are to be trained */
    double weight, seconds;
    ig_run_config config;
    char address[IG_ADDRESS]; /* of its data */
    char *data;               /* their folder */
    ig_err err;               /* why it failed */
} shape;

/* State of a run. */
typedef struct {
    int shape;
    bool missing; /* to be worked on */
    bool trained; /* and measured: at most fine-tunings are missing */
    bool fails;   /* as far as is known */
    double tuning_seconds;
} dry_run;

typedef struct {
    const ig_experiment *experiment;
    const ig_lab_options *options;
    ig_lab_plan *plan;
    ig_lab_list list;
    ig_hash_cache *cache;
    char *scratch[2]; /* stores that are thrown away: of whole texts, and below it of samples */
    ig_lab_clock clock;
    shape *shape;
    int n_shape;
    dry_run *run;
} timing;

/* The work of a child. */
typedef struct {
    const timing *timing;
    const shape *shape;
} part_of_it;

/* Data of the first sentences only are useless for a run that needs all. */
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
    (void)stop; /* it is killed */
    /* Its temporary files are removed with the rest. */
    setenv("TMPDIR", p->timing->scratch[0], 1);
    return ig_lab_kind_of(c)->time(&slot->cost, c, &p->timing->experiment->measure, p->shape->data,
                                   err);
}

/* ---- data ---- */

/* Whether they are there by now. */
static ig_code find_data(shape *s, const timing *t, ig_err *err)
{
    IG_TRY(ig_lab_data_find(&s->data, t->options->store, s->address, err));
    if (s->data == NULL)
        IG_TRY(ig_lab_data_find(&s->data, scratch_of(t, s), s->address, err));
    s->state = s->data != NULL ? SHAPE_READY : SHAPE_LATE;
    return IG_ERR_OK;
}

static bool same_data(const timing *t, const shape *a, const shape *b)
{
    return b->n > 0 && strcmp(a->address, b->address) == 0 && scratch_of(t, a) == scratch_of(t, b);
}

/* Makes the data that are not there, each once. */
static ig_code make_missing(timing *t, part_of_it *work, ig_lab_timed *made, ig_err *err)
{
    int n = 0;
    for (int i = 0; i < t->n_shape; i++) {
        bool listed = t->shape[i].state != SHAPE_LATE;
        for (int k = 0; k < n; k++)
            listed = listed || same_data(t, work[k].shape, &t->shape[i]);
        if (!listed)
            work[n++] = (part_of_it){t, &t->shape[i]};
    }
    IG_TRY(ig_lab_do_all(
        made, &(ig_lab_pieces){make_data, work, sizeof *work, n, t->plan->jobs, data_share},
        &t->clock, err));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < t->n_shape && made[k].in_time; i++) {
            shape *s = &t->shape[i];
            if (!same_data(t, work[k].shape, s))
                continue;
            IG_TRY(find_data(s, t, err));
            s->err = made[k].why;
            s->state = s->err.code != IG_ERR_OK ? SHAPE_FAILED : s->state;
        }
    return IG_ERR_OK;
}

static ig_code prepare_data(timing *t, ig_err *err)
{
    part_of_it *work = NULL;
    ig_lab_timed *made = NULL;
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n_shape && code == IG_ERR_OK; i++) {
        shape *s = &t->shape[i];
        if (s->n == 0)
            continue;
        code = ig_data_address(s->address, &s->config, t->cache, err);
        IG_THEN(code, find_data(s, t, err));
    }
    IG_THEN(code, ig_alloc(&work, t->n_shape, sizeof *work, "data", err));
    IG_THEN(code, ig_alloc(&made, t->n_shape, sizeof *made, "data", err));
    IG_THEN(code, make_missing(t, work, made, err));
    IG_FREE(work, made);
    return code;
}

/* ---- time ---- */

static void is_largest(ig_lab_plan *plan, const ig_lab_cost *c)
{
    plan->memory = plan->memory < c->memory ? c->memory : plan->memory;
    if (plan->largest_parameters < c->n_parameter)
        plan->largest_parameters = c->n_parameter;
}

/* The mean time of `jobs` of them at once, and the memory of the largest. */
static ig_code time_shape(const timing *t, shape *s, ig_err *err)
{
    ig_lab_plan *plan = t->plan;
    part_of_it work = {t, s};
    ig_lab_timed timed;
    IG_TRY(ig_lab_time_at_once(&timed, time_child, &work, plan->jobs, &t->clock, err));
    s->state = timed.why.code != IG_ERR_OK ? SHAPE_FAILED : timed.in_time ? SHAPE_TIMED : s->state;
    s->err = timed.why;
    if (s->state != SHAPE_TIMED)
        return IG_ERR_OK;
    s->seconds = timed.cost.seconds;
    is_largest(plan, &timed.cost);
    const int room = (int)(sizeof plan->no_mu / sizeof *plan->no_mu);
    if (timed.cost.no_mu[0] != '\0' && plan->n_no_mu < room) {
        const int at = plan->n_no_mu++;
        snprintf(plan->no_mu[at].cell, sizeof plan->no_mu[at].cell, "%.79s",
                 t->experiment->cell[t->list.item[s->first].cell].name);
        snprintf(plan->no_mu[at].why, sizeof plan->no_mu[at].why, "%s", timed.cost.no_mu);
    }
    return IG_ERR_OK;
}

/* The run itself will say it too, and not stop the others. */
static void impossible(timing *t, int item, const ig_err *why)
{
    ig_lab_plan *plan = t->plan;
    if (plan->n_impossible == 0) {
        const int cell = t->list.item[item].cell;
        char line[24] = "";
        if (why->line > 0)
            snprintf(line, sizeof line, ":%llu", (unsigned long long)why->line);
        snprintf(plan->problem, sizeof plan->problem, "%.80s: %s%s%s%.300s",
                 t->experiment->cell[cell].name, why->where, line,
                 why->where[0] != '\0' ? ": " : "", why->msg);
        plan->why = *why;
        ig_experiment_at_cell(t->experiment, cell, &plan->why);
    }
    plan->n_impossible += !t->run[item].fails;
    t->run[item].fails = true;
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

/* Fills in .seconds of every shape that is not impossible; *rate: seconds by weight, NaN: none was
 * timed. */
static ig_code time_shapes(double *rate, timing *t, ig_err *err)
{
    ig_lab_plan *plan = t->plan;
    double seconds = 0, weight = 0;
    int *order;
    IG_TRY(ig_alloc(&order, t->n_shape + 1, sizeof *order, "shapes", err));
    put_in_order(order, t);
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < t->n_shape && code == IG_ERR_OK; i++) {
        shape *s = &t->shape[order[i]];
        if (s->state == SHAPE_READY && !ig_lab_late(&t->clock, 1))
            code = time_shape(t, s, err);
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
    *rate = weight > 0 ? seconds / weight : (double)NAN;
    for (int i = 0; i < t->n_shape; i++) {
        shape *s = &t->shape[i];
        if (s->n == 0 || s->state == SHAPE_FAILED)
            continue;
        plan->operations += ig_lab_operations(&s->config) * s->n;
        if (s->state == SHAPE_TIMED)
            continue;
        plan->n_untimed++;
        s->seconds = *rate * s->weight;
    }
    return IG_ERR_OK;
}

/* A finished run of a shape, whose model is there. */
static const char *finished_run(const timing *t, int number)
{
    for (int i = 0; i < t->list.n; i++)
        if (t->run[i].shape == number && t->run[i].trained)
            return t->list.item[i].dir;
    return NULL;
}

/* One way of fine-tuning the runs of a shape. */
static ig_code time_tuning(timing *t, int number, double rate, const ig_experiment_task *task,
                           const ig_experiment_tuning *way, ig_err *err)
{
    ig_lab_plan *plan = t->plan;
    const ig_lab_list *l = &t->list;
    const shape *s = &t->shape[number];
    const ig_lab_dry_tuning dry = {t->clock, t->scratch[0], plan->jobs};
    const ig_lab_tuned_shape of = {&s->config, s->data, finished_run(t, number), rate};
    ig_lab_timed timed;
    bool any = false;
    for (int i = 0; i < l->n; i++)
        any = any || (t->run[i].shape == number && t->run[i].missing &&
                      ig_lab_tunings_missing(task, way, l->item[i].dir) > 0);
    if (!any)
        return IG_ERR_OK;
    IG_TRY(ig_lab_tuning_time(&timed, &dry, &of, task, way, err));
    plan->n_tuning_shape += timed.in_time;
    is_largest(plan, &timed.cost);
    for (int i = 0; i < l->n; i++) {
        dry_run *r = &t->run[i];
        if (r->shape != number || !r->missing)
            continue;
        const int n = ig_lab_tunings_missing(task, way, l->item[i].dir);
        plan->n_tuning += n;
        r->tuning_seconds += n > 0 ? n * timed.cost.seconds : 0;
        if (n > 0 && timed.why.code != IG_ERR_OK)
            impossible(t, i, &timed.why);
    }
    return IG_ERR_OK;
}

static ig_code time_tunings(timing *t, double rate, ig_err *err)
{
    const ig_experiment *e = t->experiment;
    for (int k = 0; k < t->n_shape; k++) {
        const shape *s = &t->shape[k];
        if (s->state == SHAPE_FAILED || !s->wanted)
            continue;
        for (int i = 0; i < e->n_task; i++)
            for (int w = 0; w < e->task[i].n_tuning; w++)
                IG_TRY(time_tuning(t, k, rate, &e->task[i], &e->task[i].tuning[w], err));
    }
    return IG_ERR_OK;
}

static ig_code time_all(timing *t, ig_err *err)
{
    ig_lab_plan *plan = t->plan;
    const ig_lab_list *l = &t->list;
    double sum = 0, longest = 0, tunings = 0, rate;
    IG_TRY(time_shapes(&rate, t, err));
    for (int i = 0; i < l->n; i++)
        if (t->run[i].missing && t->shape[t->run[i].shape].state == SHAPE_FAILED)
            impossible(t, i, &t->shape[t->run[i].shape].err);
    IG_TRY(time_tunings(t, rate, err));
    for (int i = 0; i < l->n; i++) {
        const dry_run *r = &t->run[i];
        if (!r->missing || r->fails)
            continue;
        const double x = (r->trained ? 0 : t->shape[r->shape].seconds) + r->tuning_seconds;
        sum += x;
        tunings += r->tuning_seconds;
        longest = x > longest ? x : longest;
    }
    plan->memory *= plan->jobs;
    plan->core_seconds = sum * plan->threads;
    plan->tuning_core_seconds = tunings * plan->threads;
    plan->seconds = sum / plan->jobs < longest ? longest : sum / plan->jobs;
    return IG_ERR_OK;
}

/* The shapes of what is missing. */
static ig_code list_shapes(timing *t, const ig_lab_estimate *shapes, ig_err *err)
{
    const ig_lab_list *l = &t->list;
    IG_TRY(ig_alloc(&t->shape, shapes->n_shape, sizeof *t->shape, "shapes", err));
    t->n_shape = shapes->n_shape;
    for (int i = l->n - 1; i >= 0; i--) {
        dry_run *r = &t->run[i];
        r->shape = shapes->shape[i];
        shape *s = &t->shape[r->shape];
        s->first = r->missing ? i : s->first;
        s->wanted = s->wanted || r->missing;
        s->n += r->missing && !r->trained;
        s->weight = shapes->weight[i];
    }
    for (int i = 0; i < t->n_shape; i++) {
        shape *s = &t->shape[i];
        const ig_lab_item *it = &l->item[s->first];
        if (!s->wanted)
            continue;
        IG_TRY(ig_experiment_config(&s->config, t->experiment, it->cell, it->seed, err));
        s->config.threads = t->plan->threads;
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

/* Counts what there is, and says what is to be run. */
static ig_code look(timing *t, ig_err *err)
{
    ig_lab_plan *plan = t->plan;
    const ig_lab_list *l = &t->list;
    const ig_measure_plan *want = &t->experiment->measure;
    int n = 0;
    plan->n_cell = l->n_cell;
    plan->n_run = l->n;
    plan->n_skipped = l->n_skipped;
    for (int i = 0; i < l->n; i++) {
        ig_lab_state s = {0};
        dry_run *r = &t->run[i];
        ig_lab_cover cover = IG_LAB_TRAIN_AGAIN;
        IG_TRY(ig_lab_folder_state(&s, l->item[i].dir, want, err));
        plan->n_done += s.status == IG_RUN_DONE;
        plan->n_failed += s.status == IG_RUN_FAILED;
        r->missing = s.status != IG_RUN_DONE && (s.status != IG_RUN_FAILED || t->options->retry);
        n += r->missing;
        if (ig_folder_has(l->item[i].dir, "DONE"))
            (void)ig_lab_folder_covers(&cover, l->item[i].dir, want, NULL);
        r->trained = cover == IG_LAB_TUNE || cover == IG_LAB_COVERED;
    }
    plan->jobs = t->options->jobs;
    plan->threads = t->options->threads;
    ig_lab_jobs(&plan->jobs, &plan->threads, n);
    return IG_ERR_OK;
}

ig_code ig_lab_dry(ig_lab_plan *p, const ig_experiment *e, const ig_lab_options *o, ig_err *err)
{
    timing t = {.experiment = e,
                .options = o,
                .plan = p,
                .clock = {ig_clock(), o->answer_seconds, o->stop}};
    ig_lab_list *l = &t.list;
    ig_lab_estimate shapes = {0};
    bool *missing = NULL;
    *p = (ig_lab_plan){0};
    ig_code code = ig_hash_cache_new(&t.cache, err);
    IG_THEN(code, ig_lab_list_make(l, e, &(ig_lab_listed){o->store, o->selector, IG_LAB_WORK_ORDER},
                                   t.cache, err));
    IG_THEN(code, ig_alloc(&t.run, l->n, sizeof *t.run, "runs", err));
    IG_THEN(code, ig_alloc(&missing, l->n, sizeof *missing, "runs", err));
    IG_THEN(code, look(&t, err));
    IG_THEN(code, ig_lab_estimate_new(&shapes, l, e, NULL, err));
    IG_THEN(code, list_shapes(&t, &shapes, err));
    IG_THEN(code, ig_dir_temporary(&t.scratch[0], "isoglot", err));
    IG_THEN(code, ig_path_join(&t.scratch[1], t.scratch[0], "sample", err));
    IG_THEN(code, prepare_data(&t, err));
    IG_THEN(code, time_all(&t, err));
    if (t.scratch[0] != NULL) {
        ig_code removed = ig_dir_remove(t.scratch[0], code == IG_ERR_OK ? err : NULL);
        code = code != IG_ERR_OK ? code : removed;
    }
    for (int i = 0; i < l->n && missing != NULL; i++)
        missing[i] = t.run[i].missing;
    const ig_lab_foretold now = {o->store, &e->measure, l, missing, p->jobs, p->threads};
    if (code == IG_ERR_OK && p->seconds > 0)
        ig_lab_foretold_keep(&now, p->seconds);
    free_shapes(&t);
    IG_FREE(t.scratch[0], t.scratch[1], missing, t.run);
    ig_lab_estimate_free(&shapes);
    ig_lab_list_free(l);
    ig_hash_cache_free(t.cache);
    return code;
}
