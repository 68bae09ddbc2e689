/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run of an experiment: which runs are missing, and how long they will take. A shape of runs
 * that has finished ones takes as long as those did; each other one prepares its data and times a
 * few updates and two small measurements, in as many processes at once as there will be jobs, since
 * they share the memory's bandwidth. Fine-tunings, and what is not timed before the answer is due,
 * are computed by operations. Nothing is written but into a temporary folder.
 */
#include "base/file.h"

#include "apply/folder/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "base/threads/team.h"
#include "lab/estimate/cost.h"
#include "lab/laboratory.h"
#include "lab/runs/results_beside.h"
#include "lab/work/lab_data.h"
#include "report/results/results_file.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct dry dry;

/* A shape that no finished run has. */
typedef struct {
    const dry *dry;
    int first;            /* run that is missing; −1: none, or only its fine-tunings are */
    ig_run_config config; /* of that run */
    int n_timed;
    double seconds; /* sum of n_timed */
    ig_err why;     /* code IG_ERR_OK: it did not fail */
} probe;

struct dry {
    const ig_experiment *experiment;
    const ig_lab_options *options;
    ig_lab_plan *plan;
    ig_lab_list list;
    ig_lab_state *state; /* [list.n] */
    bool *missing, *trained, *fails;
    ig_hash_cache *cache;
    ig_costs costs;
    probe *probe;     /* [costs.n_shape] */
    char *scratch[2]; /* stores that are thrown away: of whole texts, and below it of samples */
    double start;
};

static bool late(const dry *d)
{
    return d->options->answer_seconds > 0 && ig_clock() - d->start > d->options->answer_seconds;
}

/* --- what there is ---------------------------------------------------------------------------- */

static ig_code count_runs(dry *d, ig_err *err)
{
    ig_lab_plan *plan = d->plan;
    const ig_measure_plan *want = &d->experiment->measure;
    int n = 0;
    plan->n_cell = d->list.n_cell;
    plan->n_run = d->list.n;
    plan->n_skipped = d->list.n_skipped;
    for (int i = 0; i < d->list.n; i++) {
        ig_lab_state *s = &d->state[i];
        ig_lab_cover cover = IG_LAB_TRAIN_AGAIN;
        IG_TRY(ig_lab_folder_state(s, d->list.item[i].dir, want, false, err));
        plan->n_done += s->status == IG_RUN_DONE;
        plan->n_failed += s->status == IG_RUN_FAILED;
        d->missing[i] =
            s->status != IG_RUN_DONE && (s->status != IG_RUN_FAILED || d->options->retry);
        n += d->missing[i];
        if (ig_folder_has(d->list.item[i].dir, "DONE"))
            (void)ig_lab_folder_covers(&cover, d->list.item[i].dir, want, NULL);
        d->trained[i] = d->missing[i] && (cover == IG_LAB_TUNE || cover == IG_LAB_COVERED);
    }
    plan->jobs = d->options->jobs;
    plan->threads = d->options->threads;
    ig_lab_jobs(&plan->jobs, &plan->threads,
                &(ig_lab_asked){.ranks = ig_lab_ranks(d->experiment),
                                .n_missing = n,
                                .gpu = ig_lab_on_gpu(d->options)});
    return IG_ERR_OK;
}

static void is_largest(ig_lab_plan *plan, int64_t n_parameter, int64_t memory)
{
    plan->memory = plan->memory < memory ? memory : plan->memory;
    if (plan->largest_parameters < n_parameter)
        plan->largest_parameters = n_parameter;
}

/* Returns whether some run of the shape is missing. */
static bool is_wanted(const dry *d, int shape)
{
    for (int i = 0; i < d->list.n; i++)
        if (d->missing[i] && d->costs.shape[i] == shape)
            return true;
    return false;
}

/* The seconds of finished runs, and of trainings that only lack fine-tunings. */
static void add_recorded(dry *d)
{
    for (int i = 0; i < d->list.n; i++) {
        const ig_lab_state *s = &d->state[i];
        const int shape = d->costs.shape[i];
        json_t *m;
        if (!(s->seconds > 0) || !(s->status == IG_RUN_DONE || d->trained[i]))
            continue;
        if (d->trained[i])
            ig_costs_training(&d->costs, i, s->seconds);
        else
            ig_costs_finished(&d->costs, i, s->seconds);
        if (!is_wanted(d, shape) ||
            ig_folder_json(&m, d->list.item[i].dir, "manifest.json", NULL) != IG_ERR_OK)
            continue;
        d->plan->n_recorded++;
        is_largest(d->plan, json_integer_value(json_object_get(m, "parameters")),
                   json_integer_value(json_object_get(m, "peak_memory")));
        json_decref(m);
    }
}

/* The parameters of the model that `c` trains, with a vocabulary of vocab_size entries. */
static int64_t parameters_of(const ig_run_config *c)
{
    const ig_bert_config m = ig_run_config_model(c, (int32_t)c->tokens.vocab_size, 0);
    return c->trainer == IG_TRAINER_BERT ? ig_bert_config_n_value(&m) : 0;
}

/* Adds the seconds that a file of results beside the experiment's recorded, on whatever machine, of
 * runs with the settings of today, to shapes that could not be timed here. */
static ig_code add_file(void *arg, const char *path, ig_err *err)
{
    dry *d = arg;
    const ig_experiment *e = d->experiment;
    IG_SCOPED(ig_lab_list_free) ig_lab_list named = {0};
    IG_SCOPED(ig_result_file_free) ig_result_file f = {0};
    int at = 0, i;
    IG_TRY(ig_result_file_read(&f, path, err));
    IG_TRY(ig_lab_list_make(&named, e, &(ig_lab_listed){.order = IG_LAB_FILE_ORDER}, NULL, err));
    for (int64_t k = 0; k < f.stored.n_entry; k++) {
        const ig_store_entry *x = &f.stored.entry[k];
        if (!ig_experiment_is_named(e, x->cell.experiment) || !(x->run.seconds > 0) ||
            x->run.settings == NULL || (at = ig_lab_run_of(&named, e, &x->cell, at)) < 0 ||
            strcmp(named.item[at].address, x->run.settings) != 0 ||
            (i = ig_lab_run_of(&d->list, e, &x->cell, at)) < 0)
            continue;
        const probe *p = &d->probe[d->costs.shape[i]];
        if (p->first < 0 || p->n_timed > 0)
            continue;
        is_largest(d->plan, parameters_of(&p->config), x->run.peak_memory);
        ig_costs_training(&d->costs, i, x->run.seconds);
    }
    return IG_ERR_OK;
}

/* --- what fails ------------------------------------------------------------------------------- */

/* The run itself will say it too, and not stop the others. */
static void impossible(dry *d, int item, const ig_err *why)
{
    ig_lab_plan *plan = d->plan;
    if (plan->n_impossible == 0) {
        const int cell = d->list.item[item].cell;
        char message[700];
        ig_lab_message(message, sizeof message, why->where, why->line, why->msg);
        snprintf(plan->problem, sizeof plan->problem, "%.80s: %s", d->experiment->cell[cell].name,
                 message);
        plan->why = *why;
        ig_experiment_at_cell(d->experiment, cell, &plan->why);
    }
    plan->n_impossible += !d->fails[item];
    d->fails[item] = true;
}

/* Those of one model, in a folder "tasks/%s" or of a checkpoint below it. */
static int model_missing(const ig_experiment_task *t, const char *dir, const char *below)
{
    int n = 0;
    for (int w = 0; w < t->n_tuning; w++)
        for (int i = 0; i < t->n_seed; i++) {
            char path[IG_PATH];
            n += ig_folder_path(path, dir, NULL, "tasks/%s/%sseed-%lld.json", t->tuning[w].key,
                                below, (long long)t->seed[i]) != IG_ERR_OK ||
                 !ig_file_exists(path);
        }
    return n;
}

/* Returns how many of a run's fine-tunings for a task are missing; all of them: *n_all. */
static int tunings_missing(int *n_all, const dry *d, int task, int item)
{
    const ig_experiment_task *t = &d->experiment->task[task];
    const char *dir = d->list.item[item].dir;
    const ig_run_config *c = &d->experiment->cell[d->list.item[item].cell].config;
    json_t *steps = ig_lab_steps_json(&d->experiment->measure.task[task].at,
                                      c->trainer == IG_TRAINER_BERT ? c->optimisation.updates : 0),
           *x;
    int n = model_missing(t, dir, "");
    size_t i;
    json_array_foreach(steps, i, x)
    {
        char below[40];
        snprintf(below, sizeof below, "step-%08lld/", (long long)json_integer_value(x));
        n += model_missing(t, dir, below);
    }
    *n_all = t->n_tuning * t->n_seed * (1 + (int)json_array_size(steps));
    json_decref(steps);
    return n;
}

/* Runs whose task cannot be read. */
static void check_tasks(dry *d)
{
    for (int t = 0; t < d->experiment->n_task; t++) {
        const ig_experiment_task *of = &d->experiment->task[t];
        ig_task *task = NULL;
        ig_err why = {0};
        int n_all;
        if (of->file == NULL || ig_task_read(of->file, of->root, &task, &why) == IG_ERR_OK) {
            ig_task_free(task);
            continue;
        }
        for (int i = 0; i < d->list.n; i++)
            if (d->missing[i] && tunings_missing(&n_all, d, t, i) > 0)
                impossible(d, i, &why);
    }
}

/* --- timing ----------------------------------------------------------------------------------- */

/* In a child: the data, unless they are there, then a few updates. Data of the first sentences only
 * are useless for a run that needs all. */
static ig_code time_child(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop,
                          ig_err *err)
{
    const probe *p = *(probe *const *)arg;
    const ig_run_config *c = &p->config;
    const char *scratch = p->dry->scratch[ig_run_config_data(c).sample > 0];
    char address[IG_ADDRESS], *data = NULL;
    setenv("TMPDIR", p->dry->scratch[0], 1); /* removed with the rest */
    IG_TRY(ig_data_address(address, c, p->dry->cache, err));
    IG_TRY(ig_lab_data_find(&data, p->dry->options->store, address, err));
    if (data == NULL) {
        IG_TRY(ig_lab_data_make(address, c, scratch, p->dry->cache, stop, err));
        IG_TRY(ig_lab_data_find(&data, scratch, address, err));
    }
    const ig_code code =
        ig_lab_kind_of(c)->time(&slot->cost, c, &p->dry->experiment->measure, data, err);
    ig_free(data);
    return code;
}

/* They run on processors, whatever the runs will. */
static int probes_at_once(const dry *d)
{
    const int jobs = d->plan->jobs, cpus = ig_cpu_count();
    return ig_lab_on_gpu(d->options) && jobs > cpus ? cpus : jobs;
}

static void take(probe *p, const ig_lab_slot *s)
{
    ig_lab_plan *plan = p->dry->plan;
    const int room = (int)(sizeof plan->no_mu / sizeof *plan->no_mu), at = plan->n_no_mu;
    const bool first = p->n_timed == 0;
    if (s->err.code != IG_ERR_OK) {
        p->why = s->err;
        return;
    }
    p->seconds += s->cost.seconds;
    p->n_timed++;
    is_largest(plan, s->cost.n_parameter, s->cost.memory);
    if (plan->device_memory < s->cost.device_memory)
        plan->device_memory = s->cost.device_memory;
    if (!first || s->cost.no_mu[0] == '\0' || at == room)
        return;
    snprintf(plan->no_mu[at].cell, sizeof plan->no_mu[at].cell, "%.79s",
             p->dry->experiment->cell[p->dry->list.item[p->first].cell].name);
    snprintf(plan->no_mu[at].why, sizeof plan->no_mu[at].why, "%s", s->cost.no_mu);
    plan->n_no_mu++;
}

/* Works on the probes, `jobs` at once, until the answer is due. All that they do is thrown away, so
 * a stop does not wait for them. */
static ig_code time_all(dry *d, probe **work, int n, ig_err *err)
{
    const struct timespec pause = {0, 10 * 1000 * 1000};
    const volatile sig_atomic_t *stop = d->options->stop;
    IG_OWNED ig_lab_process *p = NULL;
    int started = 0, running = 0, killed;
    IG_TRY(ig_alloc(&p, n, sizeof *p, "jobs", err));
    ig_code code = IG_ERR_OK;
    while (code == IG_ERR_OK && (started < n || running > 0) && !late(d)) {
        for (int i = 0; i < started; i++) {
            if (p[i].slot == NULL || !ig_lab_process_ended(&p[i], false, &killed))
                continue;
            take(work[i], p[i].slot);
            ig_lab_process_close(&p[i]);
            running--;
        }
        for (; running < probes_at_once(d) && started < n && code == IG_ERR_OK;
             started++, running++)
            code = ig_lab_process_start(&p[started], 1, time_child, &work[started], err);
        nanosleep(&pause, NULL);
        if (code == IG_ERR_OK && stop != NULL && *stop != 0)
            code = ig_fail(err, IG_ERR_STOPPED, "", 0, "stopped; nothing was written");
    }
    for (int i = 0; i < started; i++)
        ig_lab_process_close(&p[i]);
    return code;
}

/* The heaviest first, then the lightest, which stand best for the others if these are not reached;
 * then as they come, and all again until every job has work. */
static int put_in_order(probe **work, dry *d)
{
    int heavy = -1, light = -1, n = 0;
    for (int k = 0; k < d->costs.n_shape; k++) {
        const ig_cost_shape *s = d->costs.of;
        if (d->probe[k].first < 0)
            continue;
        heavy = heavy < 0 || s[k].operations > s[heavy].operations ? k : heavy;
        light = light < 0 || s[k].operations < s[light].operations ? k : light;
    }
    if (heavy < 0)
        return 0;
    work[n++] = &d->probe[heavy];
    if (light != heavy)
        work[n++] = &d->probe[light];
    for (int k = 0; k < d->costs.n_shape; k++)
        if (d->probe[k].first >= 0 && k != heavy && k != light)
            work[n++] = &d->probe[k];
    for (int i = 0; n < probes_at_once(d); i++)
        work[n++] = work[i];
    return n;
}

/* Finds which shapes are to be timed. */
static ig_code choose_probes(dry *d, ig_err *err)
{
    IG_TRY(ig_alloc(&d->probe, d->costs.n_shape, sizeof *d->probe, "shapes", err));
    for (int k = 0; k < d->costs.n_shape; k++)
        d->probe[k] = (probe){.dry = d, .first = -1};
    for (int i = d->list.n - 1; i >= 0; i--)
        if (d->missing[i] && !d->trained[i] && d->costs.of[d->costs.shape[i]].n_finished == 0)
            d->probe[d->costs.shape[i]].first = i;
    for (int k = 0; k < d->costs.n_shape; k++) {
        probe *p = &d->probe[k];
        if (p->first < 0)
            continue;
        const ig_lab_item *it = &d->list.item[p->first];
        IG_TRY(ig_experiment_config(&p->config, d->experiment, it->cell, it->seed, err));
        p->config.threads = d->plan->threads;
        if (d->options->device != NULL)
            IG_TRY(ig_copy_text(&p->config.device, d->options->device, "device", err));
        p->config.quick = d->options->answer_seconds > 0;
    }
    return IG_ERR_OK;
}

static ig_code time_shapes(dry *d, ig_err *err)
{
    ig_lab_plan *plan = d->plan;
    IG_OWNED probe **work = NULL;
    IG_TRY(choose_probes(d, err));
    IG_TRY(ig_alloc(&work, d->costs.n_shape + plan->jobs, sizeof *work, "shapes", err));
    IG_TRY(time_all(d, work, put_in_order(work, d), err));
    for (int k = 0; k < d->costs.n_shape; k++) {
        const probe *p = &d->probe[k];
        if (p->first < 0)
            continue;
        for (int i = 0; i < d->list.n && p->why.code != IG_ERR_OK; i++)
            if (d->missing[i] && d->costs.shape[i] == k)
                impossible(d, i, &p->why);
        if (p->n_timed > 0)
            ig_costs_training(&d->costs, p->first, p->seconds / p->n_timed);
        plan->n_shape += p->n_timed > 0;
        plan->n_untimed += p->n_timed == 0 && p->why.code == IG_ERR_OK;
    }
    return plan->n_untimed > 0 ? ig_lab_each_beside(d->experiment, d, add_file, err) : IG_ERR_OK;
}

/* --- together --------------------------------------------------------------------------------- */

static void sum_up(dry *d)
{
    ig_lab_plan *plan = d->plan;
    double sum = 0, longest = 0, tunings = 0;
    for (int i = 0; i < d->list.n; i++) {
        int n = 0, n_all = 0, all;
        for (int t = 0; t < d->experiment->n_task && d->missing[i]; t++, n_all += all)
            n += tunings_missing(&all, d, t, i);
        plan->n_tuning += n;
        if (!d->missing[i] || d->fails[i])
            continue;
        const ig_costs *c = &d->costs;
        const double whole = ig_costs_whole(c, i),
                     tune = n_all > 0 ? whole * (c->tune[i] / c->of[c->shape[i]].operations) : 0,
                     left = n_all > 0 ? tune * ((double)n / n_all) : 0, x = whole - tune + left;
        plan->operations +=
            (d->trained[i] ? 0 : c->train[i]) + (n_all > 0 ? c->tune[i] * n / n_all : 0);
        sum += x;
        tunings += left;
        longest = x > longest ? x : longest;
    }
    plan->memory *= plan->jobs;
    plan->core_seconds = sum * plan->threads;
    plan->tuning_core_seconds = tunings * plan->threads;
    plan->seconds = sum / plan->jobs < longest ? longest : sum / plan->jobs;
}

static ig_code estimate(dry *d, ig_err *err)
{
    const ig_lab_options *o = d->options;
    IG_TRY(ig_hash_cache_new(&d->cache, err));
    IG_TRY(ig_lab_list_make(
        &d->list, d->experiment,
        &(ig_lab_listed){o->store, o->selector, IG_LAB_WORK_ORDER, ig_lab_on_gpu(o)}, d->cache,
        err));
    IG_TRY(ig_alloc(&d->state, d->list.n, sizeof *d->state, "runs", err));
    IG_TRY(ig_alloc(&d->missing, d->list.n, sizeof *d->missing, "runs", err));
    IG_TRY(ig_alloc(&d->trained, d->list.n, sizeof *d->trained, "runs", err));
    IG_TRY(ig_alloc(&d->fails, d->list.n, sizeof *d->fails, "runs", err));
    IG_TRY(count_runs(d, err));
    IG_TRY(ig_costs_new(&d->costs, &d->list, d->experiment, d->trained, err));
    add_recorded(d);
    check_tasks(d);
    IG_TRY(ig_dir_temporary(&d->scratch[0], "isoglot", err));
    IG_TRY(ig_path_join(&d->scratch[1], d->scratch[0], "sample", err));
    IG_TRY(time_shapes(d, err));
    sum_up(d);
    return IG_ERR_OK;
}

ig_code ig_lab_dry(ig_lab_plan *p, const ig_experiment *e, const ig_lab_options *o, ig_err *err)
{
    dry d = {.experiment = e, .options = o, .plan = p, .start = ig_clock()};
    *p = (ig_lab_plan){0};
    ig_code code = estimate(&d, err);
    if (d.scratch[0] != NULL) {
        const ig_code removed = ig_dir_remove(d.scratch[0], code == IG_ERR_OK ? err : NULL);
        code = code != IG_ERR_OK ? code : removed;
    }
    for (int k = 0; k < d.costs.n_shape && d.probe != NULL; k++)
        ig_run_config_free(&d.probe[k].config);
    IG_FREE(d.probe, d.scratch[0], d.scratch[1], d.state, d.missing, d.trained, d.fails);
    ig_costs_free(&d.costs);
    ig_lab_list_free(&d.list);
    ig_hash_cache_free(d.cache);
    return code;
}
