/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the shorter run by addresses: with this run's updates its settings must have this run's
 * address. Its files are linked, not copied: no file of a run is written in place.
 */
#include "lab/work/lab_longer.h"

#include "apply/folder/run_dir.h"
#include "base/file.h"
#include "base/memory.h"
#include "lab/runs/run_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RECORD "longer.json"

typedef struct {
    const ig_lab_work *work;
    int64_t updates;
    char address[IG_ADDRESS]; /* ""; or the longest so far */
    ig_err *err;
} search;

/* Whether its run, with as many updates, is this one. */
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
    const bool same = ig_run_address(address, c, s->work->cache, NULL) == IG_ERR_OK &&
                      strcmp(address, s->work->item->address) == 0;
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
    const char *to = s->work->item->dir;
    char from[IG_PATH], checkpoint[IG_PATH], tmp[IG_PATH];
    IG_TRY(ig_folder_path(from, s->work->store, err, "runs/%s", s->address));
    IG_TRY(copy_log(to, from, err));
    IG_TRY(ig_run_checkpoint_path(checkpoint, from, s->updates, err));
    IG_TRY(ig_run_checkpoint_begin(tmp, to, s->updates, err));
    IG_TRY(ig_lab_each_name(checkpoint, link_file, &(linking){tmp, err}, err));
    IG_TRY(ig_folder_json_write(
        json_pack("{s:s, s:I}", "run", s->address, "updates", (json_int_t)s->updates), to, RECORD,
        17, err));
    return ig_run_checkpoint_commit(tmp, to, s->updates, err);
}

ig_code ig_lab_go_on(const ig_lab_work *w, ig_err *err)
{
    const ig_measure_plan *plan = &w->experiment->measure;
    char runs[IG_PATH];
    search s = {.work = w, .err = err};
    if (w->config.trainer != IG_TRAINER_BERT || w->item->parent[0] != '\0' ||
        w->config.optimisation.schedule == IG_SCHEDULE_LINEAR ||
        plan->at.kind != IG_CHECKPOINTS_END || plan->n_kept > 0 ||
        ig_folder_has(w->item->dir, "checkpoints"))
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(runs, w->store, err, "runs"));
    IG_TRY(ig_lab_each_name(runs, look_at, &s, err));
    if (s.address[0] == '\0' || take_over(&s, NULL) == IG_ERR_OK)
        return IG_ERR_OK;
    static const char *const made[] = {"checkpoints", "log.jsonl", RECORD};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        ig_lab_remove_in(w->item->dir, made[i]); /* it is trained from the start */
    return IG_ERR_OK;
}

json_t *ig_lab_went_on(const char *dir)
{
    json_t *j = NULL;
    return ig_folder_has(dir, RECORD) && ig_folder_json(&j, dir, RECORD, NULL) == IG_ERR_OK ? j
                                                                                            : NULL;
}
