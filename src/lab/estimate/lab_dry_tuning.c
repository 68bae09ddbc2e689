/* SPDX-License-Identifier: Apache-2.0
 *
 * See lab_dry_tuning.h. The updates are those of finetune/finetune_dry.h.
 */
#include "lab/estimate/lab_dry_tuning.h"
#include "base/file.h"
#include "finetune/finetune_dry.h"
#include "finetune/run_task.h"
#include "lab/work/lab_tuning.h"
#include "run/train/run_train.h"
#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <time.h>

int ig_lab_tunings_missing(const ig_experiment_task *t, const ig_experiment_tuning *way,
                           const char *dir)
{
    int n = 0;
    for (int i = 0; i < t->n_seed; i++) {
        char path[4300];
        snprintf(path, sizeof path, "%s/tasks/%s/seed-%lld.json", dir, way->key,
                 (long long)t->seed[i]);
        n += !ig_file_exists(path);
    }
    return n;
}

/* What a child works on. */
typedef struct {
    const ig_lab_dry_tuning *dry;
    const ig_lab_tuned_shape *shape;
    const ig_experiment_task *task;
    const ig_experiment_tuning *way;
} piece;

static ig_code time_in(const piece *p, const char *dir, ig_finetune_cost *cost, ig_err *err)
{
    char model[4300], task[4300], yaml[4400], data[4300] = "";
    ig_finetune_config c;
    snprintf(model, sizeof model, "%s/model", dir);
    snprintf(task, sizeof task, "%s/task", dir);
    snprintf(yaml, sizeof yaml, "%s/TASK.yaml", task);
    const bool is_static = p->shape->config->trainer != IG_TRAINER_BERT;
    if (is_static && p->shape->folder != NULL)
        snprintf(data, sizeof data, "%s/data", p->shape->folder);
    if (p->shape->folder != NULL && !is_static)
        snprintf(model, sizeof model, "%s", p->shape->folder);
    else
        IG_TRY(ig_run_untrained(p->shape->config, data[0] != '\0' ? data : p->shape->data, model,
                                err));
    IG_TRY(ig_run_task_write(p->shape->config, p->task->file, p->task->root, &p->task->world, task,
                             err));
    const ig_lab_tuning_at at = {.model = model, .task = yaml};
    IG_TRY(ig_lab_tuning_config(&c, p->way, &at, err));
    c.threads = p->shape->config->threads;
    if (is_static)
        c.keep_layers = 0; /* as on the vectors, which are not there yet */
    const ig_code code = ig_finetune_dry(cost, &c, p->way->given, err);
    ig_lab_tuning_config_free(&c);
    return code;
}

/* In a child. */
static ig_code time_child(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                          ig_err *err)
{
    const piece *p = arg;
    char dir[4200];
    ig_finetune_cost cost = {0};
    (void)stop; /* it is killed */
    snprintf(dir, sizeof dir, "%s/tuning-%ld", p->dry->scratch, (long)getpid());
    setenv("TMPDIR", p->dry->scratch, 1);
    IG_TRY(ig_dir_make(dir, err));
    const ig_code code = time_in(p, dir, &cost, err);
    if (code != IG_ERR_OK)
        return code;
    slot->number[0] = cost.seconds;
    slot->number[1] = (double)cost.memory;
    slot->number[2] = (double)cost.n_parameter;
    return ig_dir_remove(dir, err); /* there may be many models */
}

ig_code ig_lab_tuning_time(ig_lab_tuning_cost *out, const ig_lab_dry_tuning *d,
                           const ig_lab_tuned_shape *s, const ig_experiment_task *t,
                           const ig_experiment_tuning *way, ig_err *err)
{
    piece p = {d, s, t, way};
    *out = (ig_lab_tuning_cost){.seconds = (double)NAN};
    const double weight = ig_lab_tuning_weight(s->config, t, way);
    if ((s->data != NULL || s->folder != NULL) && !ig_lab_late(&d->clock, 1)) {
        ig_lab_timed timed;
        IG_TRY(ig_lab_time_at_once(&timed, time_child, &p, d->jobs, &d->clock, err));
        out->why = timed.why;
        out->timed = timed.in_time && timed.why.code == IG_ERR_OK;
        out->seconds = timed.seconds;
        out->memory = timed.memory;
        out->n_parameter = timed.n_parameter;
    }
    if (!out->timed)
        out->seconds = s->rate * weight;
    return IG_ERR_OK;
}

/* --- in as many processes as jobs ------------------------------------------------------------- */

bool ig_lab_late(const ig_lab_clock *c, double share)
{
    return c->answer_seconds > 0 && ig_clock() - c->begun > share * c->answer_seconds;
}

ig_code ig_lab_nap(const ig_lab_clock *c, ig_err *err)
{
    const struct timespec short_time = {0, 10 * 1000 * 1000};
    nanosleep(&short_time, NULL);
    if (c->stop != NULL && *c->stop != 0)
        return ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped; nothing was written");
    return IG_ERR_OK;
}

/* Waits for the processes; all they do is thrown away, so a stop does not wait for them. */
static ig_code gather(ig_lab_timed *out, ig_lab_process *p, int n, const ig_lab_clock *clock,
                      ig_err *err)
{
    for (int k = 0; k < n; k++) {
        int killed;
        while (!ig_lab_process_ended(&p[k], false, &killed)) {
            IG_TRY(ig_lab_nap(clock, err));
            if (ig_lab_late(clock, 1))
                return IG_ERR_OK;
        }
        if (p[k].slot->err.code != IG_ERR_OK && out->why.code == IG_ERR_OK)
            out->why = p[k].slot->err;
    }
    out->in_time = true;
    return IG_ERR_OK;
}

static void sum_up(ig_lab_timed *out, const ig_lab_process *p, int n)
{
    for (int k = 0; k < n; k++) {
        const double *x = p[k].slot->number;
        out->seconds += x[0] / n;
        out->memory = out->memory < (int64_t)x[1] ? (int64_t)x[1] : out->memory;
        out->n_parameter = out->n_parameter < (int64_t)x[2] ? (int64_t)x[2] : out->n_parameter;
    }
    snprintf(out->said, sizeof out->said, "%s", p[0].slot->said);
}

ig_code ig_lab_time_at_once(ig_lab_timed *out, ig_lab_child_fn *fn, void *arg, int jobs,
                            const ig_lab_clock *clock, ig_err *err)
{
    ig_lab_process *p;
    int n = 0;
    *out = (ig_lab_timed){0};
    IG_TRY(ig_alloc(&p, jobs, sizeof *p, "jobs", err));
    ig_code code = IG_ERR_OK;
    while (n < jobs && code == IG_ERR_OK) {
        code = ig_lab_process_start(&p[n], fn, arg, err);
        n += code == IG_ERR_OK;
    }
    IG_THEN(code, gather(out, p, n, clock, err));
    if (code == IG_ERR_OK && out->in_time && out->why.code == IG_ERR_OK)
        sum_up(out, p, n);
    for (int k = 0; k < n; k++)
        ig_lab_process_close(&p[k]);
    ig_free(p);
    return code;
}
