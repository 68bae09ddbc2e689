/* SPDX-License-Identifier: Apache-2.0
 *
 * Times fine-tunings in processes of their own. The updates are those of finetune/finetune_dry.h.
 */
#include "lab/estimate/lab_dry_tuning.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "finetune/finetune_dry.h"
#include "finetune/run_task.h"
#include "lab/work/lab_tuning.h"
#include "run/train/run_train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* The work of a child. */
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
    slot->cost = (ig_lab_cost){cost.n_parameter, cost.memory, cost.seconds, ""};
    return ig_dir_remove(dir, err); /* there may be many models */
}

ig_code ig_lab_tuning_time(ig_lab_timed *out, const ig_lab_dry_tuning *d,
                           const ig_lab_tuned_shape *s, const ig_experiment_task *t,
                           const ig_experiment_tuning *way, ig_err *err)
{
    piece p = {d, s, t, way};
    *out = (ig_lab_timed){0};
    if ((s->data != NULL || s->folder != NULL) && !ig_lab_late(&d->clock, 1))
        IG_TRY(ig_lab_time_at_once(out, time_child, &p, d->jobs, &d->clock, err));
    out->in_time = out->in_time && out->why.code == IG_ERR_OK;
    if (!out->in_time)
        out->cost = (ig_lab_cost){.seconds = s->rate * ig_lab_tuning_weight(s->config, t, way)};
    return IG_ERR_OK;
}

/* --- in as many processes as jobs ------------------------------------------------------------- */

bool ig_lab_late(const ig_lab_clock *c, double share)
{
    return c->answer_seconds > 0 && ig_clock() - c->begun > share * c->answer_seconds;
}

/* Takes what has ended; all it did is thrown away, so a stop does not wait for the others. */
static int take_ended(ig_lab_timed *out, ig_lab_process *p, int n)
{
    int n_ended = 0, killed;
    for (int i = 0; i < n; i++) {
        if (p[i].slot == NULL || !ig_lab_process_ended(&p[i], false, &killed))
            continue;
        out[i] = (ig_lab_timed){true, p[i].slot->cost, p[i].slot->err};
        ig_lab_process_close(&p[i]);
        n_ended++;
    }
    return n_ended;
}

ig_code ig_lab_do_all(ig_lab_timed *out, const ig_lab_pieces *w, const ig_lab_clock *clock,
                      ig_err *err)
{
    const struct timespec short_time = {0, 10 * 1000 * 1000};
    ig_lab_process *p;
    int begun = 0, n_on = 0;
    memset(out, 0, (size_t)w->n * sizeof *out);
    IG_TRY(ig_alloc(&p, w->n, sizeof *p, "jobs", err));
    ig_code code = IG_ERR_OK;
    while (code == IG_ERR_OK && (begun < w->n || n_on > 0) && !ig_lab_late(clock, w->share)) {
        n_on -= take_ended(out, p, begun);
        for (; n_on < w->jobs && begun < w->n && code == IG_ERR_OK; begun++, n_on++)
            code = ig_lab_process_start(&p[begun], w->fn, (char *)w->arg + (size_t)begun * w->size,
                                        err);
        nanosleep(&short_time, NULL);
        if (code == IG_ERR_OK && clock->stop != NULL && *clock->stop != 0)
            code = ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped; nothing was written");
    }
    for (int i = 0; i < begun; i++)
        ig_lab_process_close(&p[i]);
    ig_free(p);
    return code;
}

ig_code ig_lab_time_at_once(ig_lab_timed *out, ig_lab_child_fn *fn, void *arg, int jobs,
                            const ig_lab_clock *clock, ig_err *err)
{
    ig_lab_timed *each;
    IG_TRY(ig_alloc(&each, jobs, sizeof *each, "jobs", err));
    const ig_code code =
        ig_lab_do_all(each, &(ig_lab_pieces){fn, arg, 0, jobs, jobs, 1}, clock, err);
    *out = each[0];
    out->cost.seconds = 0;
    for (int k = 0; k < jobs; k++) {
        const ig_lab_timed *x = &each[k];
        out->in_time = out->in_time && x->in_time;
        out->why = out->why.code == IG_ERR_OK ? x->why : out->why;
        out->cost.seconds += x->cost.seconds / jobs;
        if (out->cost.memory < x->cost.memory)
            out->cost.memory = x->cost.memory;
    }
    ig_free(each);
    return code;
}
