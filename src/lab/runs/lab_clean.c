/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes the files of killed processes. A run is cleaned under its lock; data are shared, and
 * only files of dead processes are removed from them (base/output/leftover.h).
 */
#include "lab/runs/lab_clean.h"

#include "apply/folder/run_dir.h"
#include "base/file.h"
#include "base/output/leftover.h"
#include "lab/runs/run_files.h"

#include <string.h>
#include <sys/stat.h>

typedef struct {
    const ig_experiment *tasks;
    bool unrequested; /* the fine-tuning that is looked at, whose folders go whatever they hold */
    int64_t *n;
    ig_err *err;
} cleaning;

static ig_code remove_folder(const cleaning *c, const char *dir, const char *name)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, dir, c->err, "%s", name));
    if (!ig_dir_exists(path))
        return IG_ERR_OK;
    ++*c->n;
    return ig_dir_remove(path, c->err);
}

/* --- fine-tunings ----------------------------------------------------------------------------- */

/* tuning-N of scores that are there: the process was killed between the two. */
static ig_code clean_tuning(void *arg, const char *dir, const char *name)
{
    const cleaning *c = arg;
    static const char begin[] = "tuning-";
    char scores[IG_PATH];
    if (strncmp(name, "step-", 5) == 0) { /* of a checkpoint */
        IG_TRY(ig_folder_path(scores, dir, c->err, "%s", name));
        return ig_lab_each_name(scores, clean_tuning, arg, c->err);
    }
    if (strncmp(name, begin, sizeof begin - 1) != 0)
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(scores, dir, c->err, "seed-%s.json", name + sizeof begin - 1));
    return c->unrequested || ig_file_exists(scores) ? remove_folder(c, dir, name) : IG_ERR_OK;
}

/* Returns whether the experiment fine-tunes with this key, or its key is unknown. */
static bool is_requested(const ig_experiment *e, const char *key)
{
    for (int i = 0; i < e->n_task; i++)
        for (int k = 0; k < e->task[i].n_tuning; k++)
            if (e->task[i].tuning[k].key[0] == '\0' || strcmp(e->task[i].tuning[k].key, key) == 0)
                return true;
    return false;
}

/* tasks/KEY, tasks/task-KEY with the task's files, tasks/model. */
static ig_code clean_task(void *arg, const char *dir, const char *name)
{
    cleaning c = *(const cleaning *)arg;
    char path[IG_PATH];
    const bool files = strncmp(name, "task-", 5) == 0;
    IG_TRY(ig_folder_path(path, dir, c.err, "%s", name));
    if (!ig_dir_exists(path))
        return IG_ERR_OK;
    if (strcmp(name, "model") == 0) /* made again by a fine-tuning */
        return remove_folder(&c, dir, name);
    c.unrequested = c.tasks != NULL && !is_requested(c.tasks, files ? name + 5 : name);
    if (files)
        return c.unrequested ? remove_folder(&c, dir, name) : IG_ERR_OK;
    return ig_lab_each_name(path, clean_tuning, &c, c.err);
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Cleans a folder and its subfolders, but follows no links. */
static ig_code clean_tree(void *arg, const char *dir, const char *name)
{
    const cleaning *c = arg;
    char path[IG_PATH];
    struct stat st;
    IG_TRY(ig_folder_path(path, dir, c->err, "%s", name));
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return IG_ERR_OK;
    IG_TRY(ig_run_dir_clean_in(c->n, path, c->err));
    return ig_lab_each_name(path, clean_tree, arg, c->err);
}

static ig_code clean_locked(const cleaning *c, const char *dir)
{
    char path[IG_PATH];
    IG_TRY(clean_tree((void *)(uintptr_t)c, dir, "."));
    IG_TRY(ig_folder_path(path, dir, c->err, "tasks"));
    return ig_lab_each_name(path, clean_task, (void *)(uintptr_t)c, c->err);
}

ig_code ig_lab_clean_run(int64_t *n, const char *dir, const ig_experiment *tasks, ig_err *err)
{
    int lock = -1;
    bool busy = false;
    const cleaning c = {.tasks = tasks, .n = n, .err = err};
    /* A folder without a lock is nobody's to work in. */
    if (!ig_folder_has(dir, "lock") || ig_run_dir_try_lock(&lock, &busy, dir, NULL) != IG_ERR_OK ||
        busy)
        return IG_ERR_OK;
    const ig_code code = clean_locked(&c, dir);
    ig_run_dir_unlock(lock);
    return code;
}

/* --- the store -------------------------------------------------------------------------------- */

typedef struct {
    cleaning c;
    const ig_experiment *e;
    const ig_lab_list *own;
} sweep;

static ig_code sweep_run(void *arg, const char *dir, const char *name)
{
    const sweep *s = arg;
    char path[IG_PATH];
    bool own = false;
    IG_TRY(ig_folder_path(path, dir, s->c.err, "%s", name));
    for (int i = 0; s->own != NULL && i < s->own->n && !own; i++)
        own = strcmp(s->own->item[i].address, name) == 0;
    return ig_lab_clean_run(s->c.n, path, own ? s->e : NULL, s->c.err);
}

static ig_code sweep_data(void *arg, const char *dir, const char *name)
{
    const sweep *s = arg;
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, dir, s->c.err, "%s", name));
    if (ig_dir_exists(path))
        *s->c.n += ig_leftovers_in(path);
    return IG_ERR_OK;
}

ig_code ig_lab_clean_store(int64_t *n, const char *store, const ig_experiment *e,
                           const ig_lab_list *own, ig_err *err)
{
    char path[IG_PATH];
    sweep s = {.c = {.n = n, .err = err}, .e = e, .own = own};
    if (!ig_file_exists(store) && e != NULL)
        return IG_ERR_OK; /* nothing was run yet */
    if (!ig_dir_exists(store))
        return ig_fail(err, IG_ERR_IO, store, 0, "no such folder, expected a store of results");
    *n += ig_leftovers_in(store);
    IG_TRY(ig_folder_path(path, store, err, "data"));
    *n += ig_leftovers_in(path);
    IG_TRY(ig_lab_each_name(path, sweep_data, &s, err));
    IG_TRY(ig_folder_path(path, store, err, "runs"));
    return ig_lab_each_name(path, sweep_run, &s, err);
}
