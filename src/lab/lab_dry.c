/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run of an experiment: what would be run, and how long it would take. Each shape of run is
 * timed for a few updates and two small measurements, in as many processes at once as there will be
 * jobs, since they share the memory's bandwidth. Nothing is written but into a temporary folder,
 * and what was expected into the user's cache (lab_foretold.h).
 */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "lab/lab_data.h"
#include "lab/lab_estimate.h"
#include "lab/lab_foretold.h"
#include "lab/lab_jobs.h"
#include "lab/laboratory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const ig_experiment *experiment;
    const ig_lab_options *options;
    ig_hash_cache *cache;
    const char *scratch; /* a store that is thrown away */
    ig_run_config config;
    const char *data; /* NULL: to be made */
} timing;

/* In a child: makes the data in the scratch store. */
static ig_code make_data(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                         ig_err *err)
{
    const timing *t = arg;
    char address[IG_ADDRESS];
    (void)slot;
    return ig_lab_data_make(address, &t->config, t->scratch, t->cache, stop, err);
}

/* In a child: times the run. */
static ig_code time_child(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                          ig_err *err)
{
    const timing *t = arg;
    ig_lab_cost cost;
    (void)stop; /* it is killed: gather */
    /* What it leaves then is thrown away with the rest. */
    setenv("TMPDIR", t->scratch, 1);
    IG_TRY(
        ig_lab_kind_of(&t->config)->time(&cost, &t->config, &t->experiment->measure, t->data, err));
    slot->number[0] = cost.seconds;
    slot->number[1] = (double)cost.memory;
    slot->number[2] = (double)cost.n_parameter;
    memcpy(slot->said, cost.no_mu, sizeof slot->said);
    return IG_ERR_OK;
}

static bool asked_to_stop(const timing *t)
{
    return t->options->stop != NULL && *t->options->stop != 0;
}

/* Waits for `n` processes; the first error is the result. All they do is thrown away, so a stop
 * does not wait for them. */
static ig_code gather(ig_lab_process *p, int n, const timing *t, ig_err *err)
{
    const struct timespec nap = {0, 10 * 1000 * 1000};
    ig_code code = IG_ERR_OK;
    for (int k = 0; k < n; k++) {
        int killed;
        while (!ig_lab_process_ended(&p[k], false, &killed)) {
            if (asked_to_stop(t))
                return ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped; nothing was written");
            nanosleep(&nap, NULL);
        }
        if (p[k].slot->err.code != IG_ERR_OK && code == IG_ERR_OK) {
            code = p[k].slot->err.code;
            if (err != NULL)
                *err = p[k].slot->err;
        }
    }
    if (code == IG_ERR_OK && asked_to_stop(t))
        code = ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped; nothing was written");
    return code;
}

static ig_code find_data(char **data, timing *t, ig_err *err)
{
    char address[IG_ADDRESS];
    IG_TRY(ig_data_address(address, &t->config, t->cache, err));
    IG_TRY(ig_lab_data_find(data, t->options->store, address, err));
    if (*data == NULL)
        IG_TRY(ig_lab_data_find(data, t->scratch, address, err));
    if (*data != NULL)
        return IG_ERR_OK;
    ig_lab_process p = {0};
    ig_code code = ig_lab_process_start(&p, make_data, t, err);
    if (code == IG_ERR_OK)
        code = gather(&p, 1, t, err);
    ig_lab_process_close(&p);
    return code == IG_ERR_OK ? ig_lab_data_find(data, t->scratch, address, err) : code;
}

/* The mean time of `jobs` of them at once, and the memory of the largest. */
static ig_code time_shape(ig_lab_plan *plan, double *seconds, int64_t *memory, timing *t,
                          const char *cell, ig_err *err)
{
    char *data = NULL;
    ig_lab_process *p;
    IG_TRY(find_data(&data, t, err));
    t->data = data;
    t->config.threads = plan->threads;
    ig_code code = ig_alloc(&p, plan->jobs, sizeof *p, "jobs", err);
    int n = 0;
    for (; n < plan->jobs && code == IG_ERR_OK; n++)
        code = ig_lab_process_start(&p[n], time_child, t, err);
    if (code != IG_ERR_OK && n > 0)
        n--;
    if (code == IG_ERR_OK)
        code = gather(p, n, t, err);
    *seconds = 0;
    *memory = 0;
    const int room = (int)(sizeof plan->no_mu / sizeof *plan->no_mu);
    if (code == IG_ERR_OK && n > 0 && p[0].slot->said[0] != '\0' && plan->n_no_mu < room) {
        const int at = plan->n_no_mu++;
        snprintf(plan->no_mu[at].cell, sizeof plan->no_mu[at].cell, "%.79s", cell);
        snprintf(plan->no_mu[at].why, sizeof plan->no_mu[at].why, "%s", p[0].slot->said);
    }
    for (int k = 0; k < n; k++) {
        if (code == IG_ERR_OK) {
            const double *x = p[k].slot->number;
            *seconds += x[0] / n;
            if (*memory < (int64_t)x[1])
                *memory = (int64_t)x[1];
            if (plan->largest_parameters < (int64_t)x[2])
                plan->largest_parameters = (int64_t)x[2];
        }
        ig_lab_process_close(&p[k]);
    }
    ig_free(p);
    ig_free(data);
    return code;
}

static ig_code time_all(ig_lab_plan *plan, timing *t, const ig_lab_list *l, const bool *missing,
                        const ig_lab_estimate *shapes, ig_err *err)
{
    double sum = 0, longest = 0;
    int64_t largest = 0;
    for (int s = 0; s < shapes->n_shape; s++) {
        int first = -1, n = 0;
        for (int i = 0; i < l->n; i++)
            if (shapes->shape[i] == s && missing[i]) {
                first = first < 0 ? i : first;
                n++;
            }
        if (n == 0)
            continue;
        double seconds = 0;
        int64_t memory = 0;
        const ig_lab_item *it = &l->item[first];
        IG_TRY(ig_experiment_config(&t->config, t->experiment, it->cell, it->seed, err));
        ig_code code =
            time_shape(plan, &seconds, &memory, t, t->experiment->cell[it->cell].name, err);
        ig_run_config_free(&t->config);
        if (code == IG_ERR_STOPPED)
            return code;
        if (code != IG_ERR_OK) {
            /* The run itself will say it too, and not stop the others. */
            if (plan->n_impossible == 0)
                snprintf(plan->problem, sizeof plan->problem, "%.80s: %s%s%.300s",
                         t->experiment->cell[it->cell].name, err->where,
                         err->where[0] != '\0' ? ": " : "", err->msg);
            plan->n_impossible += n;
            continue;
        }
        plan->n_shape++;
        sum += seconds * n;
        longest = seconds > longest ? seconds : longest;
        largest = memory > largest ? memory : largest;
    }
    plan->memory = largest * plan->jobs;
    plan->core_seconds = sum * plan->threads;
    plan->seconds = sum / plan->jobs > longest ? sum / plan->jobs : longest;
    return IG_ERR_OK;
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
    timing t = {.experiment = e, .options = o};
    ig_lab_list l = {0};
    ig_lab_estimate shapes = {0};
    bool *missing = NULL;
    char *scratch = NULL;
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
        code = ig_dir_temporary(&scratch, "isoglot", err);
    t.scratch = scratch;
    if (code == IG_ERR_OK)
        code = time_all(p, &t, &l, missing, &shapes, err);
    if (scratch != NULL) {
        ig_code removed = ig_dir_remove(scratch, code == IG_ERR_OK ? err : NULL);
        code = code != IG_ERR_OK ? code : removed;
    }
    const ig_lab_foretold now = {o->store, &l, missing, p->jobs, p->threads};
    if (code == IG_ERR_OK && p->seconds > 0)
        ig_lab_foretold_keep(&now, p->seconds);
    ig_free(scratch);
    ig_free(missing);
    ig_lab_estimate_free(&shapes);
    ig_lab_list_free(&l);
    ig_hash_cache_free(t.cache);
    return code;
}
