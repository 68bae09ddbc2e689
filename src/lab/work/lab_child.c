/* SPDX-License-Identifier: Apache-2.0
 *
 * One run in its own process. The folder's lock is held from before the first look at it to after
 * DONE, so a process that gets it finds a run that is done, failed, or to be resumed.
 */
#include "base/file.h"
#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/ranks/lifeline.h"
#include "base/ranks/ranks.h"
#include "base/strings/append.h"
#include "lab/runs/lab_aside.h"
#include "lab/runs/run_files.h"
#include "lab/work/lab_data.h"
#include "lab/work/lab_kind.h"
#include "lab/work/lab_tasks.h"
#include "lab/work/program.h"
#include "model/device/device_name.h"
#include "train/rank_model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const ig_lab_kind *ig_lab_kind_of(const ig_run_config *c)
{
    return c->trainer == IG_TRAINER_BERT ? &ig_lab_pretrain : &ig_lab_embed;
}

/* A finished run that is damaged: what it has left is not to be trusted. DONE goes first, so that a
 * kill leaves a run that is not done; settings and data are checked by who uses them. */
static void start_over(const char *dir)
{
    static const char *const made[] = {
        "DONE",          "manifest.json",  "model",      "checkpoints", "log.jsonl",
        "measures.json", "measures.jsonl", "words.json", "size.json",   "vectors.bin",
        "tasks.json",    "tasks",          "longer.json"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        ig_lab_remove_in(dir, made[i]);
}

static double time_of(const char *dir, const char *name)
{
    const struct timespec t = ig_lab_file_time(dir, name);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Decides without starting the work: *go, or an outcome. The folder is this process's, so a
 * finished run that will be measured or fine-tuned is "running". */
static ig_code look(bool *go, int *outcome, const ig_lab_job *job, ig_err *err)
{
    const char *dir = job->item->dir;
    *go = true;
    if (ig_folder_has(dir, "DONE")) {
        ig_lab_state s = {0};
        IG_TRY(ig_lab_folder_state(&s, dir, &job->experiment->measure, job->retry, err));
        if (s.status == IG_RUN_FAILED && job->retry && time_of(dir, "DONE") < job->retry_before) {
            ig_lab_aside a;
            if (!ig_lab_aside_find(&a, dir, &job->experiment->measure))
                start_over(dir);
            else /* the run itself has other measures, and is measured again */
                IG_TRY(ig_lab_aside_drop(&a, dir, err));
            return IG_ERR_OK;
        }
        *go = s.status != IG_RUN_DONE && s.status != IG_RUN_FAILED;
        if (!*go) {
            *outcome = s.status == IG_RUN_DONE ? IG_LAB_OUT_WAS_DONE : IG_LAB_OUT_WAS_FAILED;
            return IG_ERR_OK;
        }
    }
    const bool failed = ig_lab_has_failed(dir, &job->experiment->measure);
    if (!failed || (job->retry && time_of(dir, "failed.json") < job->retry_before)) {
        ig_lab_remove_in(dir, "failed.json");
        return IG_ERR_OK;
    }
    *outcome = IG_LAB_OUT_WAS_FAILED;
    *go = false;
    return IG_ERR_OK;
}

/* --- going on from a shorter run -------------------------------------------------------------- */

/* It is found by addresses: with this run's updates its settings must have this run's address. Its
 * files are linked, not copied: no file of a run is written in place. */
#define RECORD "longer.json"

typedef struct {
    const ig_lab_work *work;
    int64_t updates;
    char address[IG_ADDRESS]; /* ""; or the longest so far */
    ig_err *err;
} search;

/* Returns whether its run, with as many updates, is this one. */
static bool same_but_longer(const search *s, ig_run_config *c)
{
    const ig_run_config *own = &s->work->config;
    const int64_t updates = c->optimisation.updates;
    char address[IG_ADDRESS];
    if (c->trainer != own->trainer || c->optimisation.schedule != own->optimisation.schedule ||
        c->optimisation.seed != own->optimisation.seed || updates <= s->updates ||
        updates >= own->optimisation.updates)
        return false;
    c->optimisation.updates = own->optimisation.updates;
    const bool same = ig_run_address(address, c, s->work->job->cache, NULL) == IG_ERR_OK &&
                      strcmp(address, s->work->job->item->address) == 0;
    c->optimisation.updates = updates;
    return same;
}

static ig_code look_at(void *arg, const char *runs, const char *name)
{
    search *s = arg;
    char dir[IG_PATH], state[IG_PATH];
    ig_run_config c = {0};
    IG_TRY(ig_folder_path(dir, runs, s->err, "%s", name));
    if (strlen(name) != IG_ADDRESS - 1 || !ig_folder_has(dir, "DONE") ||
        ig_run_config_load_in(&c, dir, NULL) != IG_ERR_OK)
        return IG_ERR_OK;
    snprintf(state, sizeof state, "checkpoints/step-%08lld/trainer.state",
             (long long)c.optimisation.updates);
    if (ig_folder_has(dir, state) && same_but_longer(s, &c)) {
        s->updates = c.optimisation.updates;
        memcpy(s->address, name, IG_ADDRESS);
    }
    ig_run_config_free(&c);
    return IG_ERR_OK;
}

/* Into which folder. */
typedef struct {
    const char *to;
    ig_err *err;
} linking;

static ig_code link_file(void *arg, const char *dir, const char *name)
{
    const linking *l = arg;
    char from[IG_PATH], to[IG_PATH];
    IG_TRY(ig_folder_path(from, dir, l->err, "%s", name));
    IG_TRY(ig_folder_path(to, l->to, l->err, "%s", name));
    if (link(from, to) == 0)
        return IG_ERR_OK;
    return ig_fail(l->err, IG_ERR_IO, to, 0, "cannot link: %s", strerror(errno));
}

/* log.jsonl grows, so it is a copy. */
static ig_code copy_log(const char *to, const char *from, ig_err *err)
{
    char a[IG_PATH], b[IG_PATH], *text;
    int64_t size;
    IG_TRY(ig_folder_path(a, from, err, "log.jsonl"));
    IG_TRY(ig_folder_path(b, to, err, "log.jsonl"));
    IG_TRY(ig_file_read(&text, &size, a, (int64_t)1 << 30, err));
    const ig_code code = ig_file_write(b, text, size, err);
    ig_free(text);
    return code;
}

static ig_code take_over(const search *s, ig_err *err)
{
    const char *to = s->work->job->item->dir;
    char from[IG_PATH], checkpoint[IG_PATH], tmp[IG_PATH];
    IG_TRY(ig_folder_path(from, s->work->job->store, err, "runs/%s", s->address));
    IG_TRY(copy_log(to, from, err));
    IG_TRY(ig_run_checkpoint_path(checkpoint, from, s->updates, err));
    IG_TRY(ig_run_checkpoint_begin(tmp, to, s->updates, err));
    IG_TRY(ig_lab_each_name(checkpoint, link_file, &(linking){tmp, err}, err));
    IG_TRY(ig_folder_json_write(
        json_pack("{s:s, s:I}", "run", s->address, "updates", (json_int_t)s->updates), to, RECORD,
        17, err));
    return ig_run_checkpoint_commit(tmp, to, s->updates, err);
}

/* Gives a run that has not begun the last checkpoint and the log of the longest finished run that
 * differs from it in fewer updates alone, where a longer run has the rates of a shorter one
 * (schedules constant and inverse-sqrt) and nothing is measured or kept on the way: so it has the
 * bits of a run from the start. longer.json says from which run. Nothing that fits: nothing is
 * done. */
static ig_code go_on(const ig_lab_work *w, ig_err *err)
{
    const ig_measure_plan *plan = &w->job->experiment->measure;
    char runs[IG_PATH];
    search s = {.work = w, .err = err};
    if (w->config.trainer != IG_TRAINER_BERT || w->job->item->parent[0] != '\0' ||
        w->config.optimisation.schedule == IG_SCHEDULE_LINEAR ||
        plan->at.kind != IG_CHECKPOINTS_END || plan->n_kept > 0 ||
        ig_folder_has(w->job->item->dir, "checkpoints"))
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(runs, w->job->store, err, "runs"));
    IG_TRY(ig_lab_each_name(runs, look_at, &s, err));
    if (s.address[0] == '\0' || take_over(&s, NULL) == IG_ERR_OK)
        return IG_ERR_OK;
    static const char *const made[] = {"checkpoints", "log.jsonl", RECORD};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        ig_lab_remove_in(w->job->item->dir, made[i]); /* it is trained from the start */
    return IG_ERR_OK;
}

/* {"run": ADDRESS, "updates": N} of a run that went on; NULL: it did not. */
static json_t *went_on(const char *dir)
{
    json_t *j = NULL;
    return ig_folder_has(dir, RECORD) && ig_folder_json(&j, dir, RECORD, NULL) == IG_ERR_OK ? j
                                                                                            : NULL;
}

/* --- the work --------------------------------------------------------------------------------- */

static ig_code write_manifest(json_t *manifest, const ig_lab_work *w, double start,
                              const char *start_text, ig_err *err)
{
    char host[256] = "", now[32];
    const time_t t = time(NULL);
    struct tm tm;
    gethostname(host, sizeof host - 1);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
    json_t *config = ig_options_json(&ig_run_options, &w->config);
    if (w->job->item->parent[0] !=
        '\0') /* the cell, as every seed has it, in place of its run's folder */
        json_object_set_new(
            config, "from",
            json_string(w->job->experiment->cell[w->job->item->cell].config.model.from));
    json_t *more = json_pack(
        "{s:i, s:s, s:I, s:o, s:s, s:o, s:I, s:{s:s, s:s, s:I, s:f}, s:I}", "isoglot_manifest", 1,
        "address", w->job->item->address, "seed", (json_int_t)w->job->item->seed, "config", config,
        "host", host, "program", ig_program_json((ig_precision)w->config.optimisation.precision),
        "threads", (json_int_t)w->config.threads, "time", "begun", start_text, "finished", now,
        "finished_unix", (json_int_t)t, "seconds", ig_clock() - start, "peak_memory",
        (json_int_t)ig_peak_memory());
    if (more == NULL || manifest == NULL || json_object_update_missing(manifest, more) != 0) {
        json_decref(manifest);
        manifest = NULL;
    }
    json_decref(more);
    if (manifest != NULL && w->job->together > 1)
        json_object_set_new(manifest, "together", json_integer(w->job->together));
    const ig_code code =
        manifest != NULL ? ig_run_files_put(manifest, w->job->item->dir, err) : IG_ERR_OK;
    if (code != IG_ERR_OK) {
        json_decref(manifest);
        return code;
    }
    return ig_folder_json_write(manifest, w->job->item->dir, "manifest.json", 17, err);
}

/* Record and data, then the work itself, then what says that it is finished. */
static ig_code train(ig_lab_work *w, ig_err *err)
{
    const char *dir = w->job->item->dir;
    const double start = ig_clock();
    const time_t t = time(NULL);
    struct tm tm;
    char text[32], address[IG_ADDRESS], record[IG_PATH];
    json_t *manifest = NULL;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
    IG_TRY(ig_run_dir_clean(dir, err));
    IG_TRY(ig_folder_path(record, dir, err, "run.json"));
    /* First of all files: a folder without one is taken for somebody else's. */
    if (!ig_file_exists(record))
        IG_TRY(ig_run_config_save(&w->config, record, err));
    IG_TRY(go_on(w, err));
    IG_TRY(ig_lab_data_make(address, &w->config, w->job->store, w->job->cache, w->stop, err));
    IG_TRY(ig_lab_data_link(dir, address, err));
    IG_TRY(ig_lab_kind_of(&w->config)->work(w, &manifest, err));
    json_t *data;
    const ig_code code = ig_lab_data_json(&data, w->job->store, address, err);
    if (code != IG_ERR_OK) {
        json_decref(manifest);
        return code;
    }
    json_object_set_new(manifest, "data", data);
    json_t *shorter = went_on(dir);
    if (shorter != NULL)
        json_object_set_new(manifest, "went_on_from", shorter);
    IG_TRY(write_manifest(manifest, w, start, text, err));
    IG_TRY(ig_run_files_done(dir, err));
    ig_lab_remove_in(dir, "measuring.json"); /* the manifest says it now */
    return IG_ERR_OK;
}

/* Trains, unless only fine-tunings are missing; then fine-tunes. */
static ig_code work(ig_lab_work *w, ig_err *err)
{
    const char *dir = w->job->item->dir;
    ig_lab_cover cover = IG_LAB_TRAIN_AGAIN;
    if (ig_folder_has(dir, "DONE")) {
        IG_TRY(ig_lab_folder_covers(&cover, dir, &w->job->experiment->measure, err));
        IG_TRY(ig_lab_set_aside(dir, &w->job->experiment->measure, err));
    }
    if (cover == IG_LAB_TUNE)
        atomic_store(&w->slot->first_step, 1); /* no measure of how long a run takes */
    else
        IG_TRY(train(w, err));
    IG_TRY(ig_lab_folder_covers(&cover, dir, &w->job->experiment->measure, err));
    if (cover != IG_LAB_TUNE)
        return IG_ERR_OK;
    IG_TRY(ig_lab_tasks_run(w, err));
    return ig_run_files_done(dir, err);
}

/* The address was taken when the command began, and the data are made of the files as they are now:
 * an edit between the two would put one text's results under another's name. */
static ig_code same_files(const ig_lab_work *w, ig_err *err)
{
    char address[IG_ADDRESS];
    IG_TRY(ig_run_address(address, &w->config, w->job->cache, err));
    if (strcmp(address, w->job->item->address) == 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_INPUT,
            w->config.data.text != NULL ? w->config.data.text : w->job->item->dir, 0,
            "a text or vocabulary of this run was changed after the command began");
    return ig_hint(err, "the same command, given again, trains on what is there now");
}

/* The folder of the run that this one starts from, in place of its address. */
static ig_code start_from(ig_lab_work *w, ig_err *err)
{
    char dir[IG_PATH];
    IG_TRY(ig_folder_path(dir, w->job->store, err, "runs/%s", w->job->item->parent));
    ig_free(w->config.model.from);
    w->config.model.from = NULL;
    IG_TRY(ig_copy_text(&w->config.model.from, dir, "path", err));
    return ig_run_config_parse(&w->config, err);
}

/* The other processes of a run of several; on a GPU one does all. */
static ig_code start_ranks(const ig_lab_work *w, ig_err *err)
{
    const int n = (int)w->config.ranks;
    int card = -1;
    if (w->config.device != NULL)
        IG_TRY(ig_device_card(&card, w->config.device, err));
    if (n < 2 || card >= 0 || w->config.trainer != IG_TRAINER_BERT)
        return IG_ERR_OK;
    ig_lifeline_killed(); /* a lost rank is no failure of the run: it is tried again */
    return ig_rank_start(n, ig_rank_threads(n, (int)w->config.threads), err);
}

static ig_code locked(const ig_lab_job *job, int lock, ig_lab_slot *slot,
                      const volatile sig_atomic_t *stop, ig_err *err)
{
    ig_lab_work w = {.job = job, .lock = lock, .stop = stop, .slot = slot};
    bool go;
    IG_TRY(look(&go, &slot->outcome, job, err));
    if (!go)
        return IG_ERR_OK;
    atomic_store(&slot->claimed, ig_folder_has(job->item->dir, "checkpoints") ? 2 : 1);
    IG_TRY(ig_experiment_config(&w.config, job->experiment, job->item->cell, job->item->seed, err));
    ig_free(w.config.out);
    w.config.out = NULL;
    w.config.threads = job->threads;
    ig_code code = ig_copy_text(&w.config.out, job->item->dir, "path", err);
    if (job->device != NULL)
        IG_THEN(code, ig_copy_text(&w.config.device, job->device, "device", err));
    if (job->item->parent[0] != '\0')
        IG_THEN(code, ig_lab_from_run(&w.config, job->item->parent, err));
    IG_THEN(code, same_files(&w, err));
    if (job->item->parent[0] != '\0')
        IG_THEN(code, start_from(&w, err));
    IG_THEN(code, start_ranks(&w, err));
    IG_THEN(code, work(&w, err));
    ig_ranks_leave(code);
    if (code == IG_ERR_OK)
        slot->outcome = IG_LAB_OUT_DONE;
    ig_run_config_free(&w.config);
    return code;
}

ig_code ig_lab_child(void *arg, ig_lab_slot *slot, const volatile sig_atomic_t *stop, ig_err *err)
{
    const ig_lab_job *job = arg;
    int lock = -1;
    bool busy = false;
    ig_code code = ig_run_dir_try_lock(&lock, &busy, job->item->dir, err);
    if (code == IG_ERR_OK && busy) {
        slot->outcome = IG_LAB_OUT_BUSY;
        return IG_ERR_OK;
    }
    IG_THEN(code, locked(job, lock, slot, stop, err));
    if (code == IG_ERR_STOPPED)
        slot->outcome = IG_LAB_OUT_STOPPED;
    else if (code != IG_ERR_OK && ig_is_no_space(err))
        slot->outcome = IG_LAB_OUT_NO_ROOM;
    else if (code != IG_ERR_OK) {
        slot->outcome = IG_LAB_OUT_FAILED;
        if (lock >= 0)
            (void)ig_lab_write_failure(job->item->dir, err, atomic_load(&slot->step), slot->task,
                                       NULL);
    }
    ig_run_dir_unlock(lock);
    return code;
}
