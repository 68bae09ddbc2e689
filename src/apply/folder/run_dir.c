/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of a run: see run_dir.h. Everything appears by rename; what is taken away is first
 * renamed to a name with a dot, so that no half-removed checkpoint is ever taken for a whole one.
 */
#include "apply/folder/run_dir.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "model/weight_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static ig_code system_error(ig_err *err, const char *path, const char *what)
{
    return ig_fail(err, IG_ERR_IO, path, 0, "%s: %s", what, strerror(errno));
}

/* Recognises what a killed process may leave behind. */
static bool is_left_over(const char *name)
{
    return strstr(name, ".tmp-") != NULL || strncmp(name, ".step-", 6) == 0 ||
           strncmp(name, ".old-", 5) == 0;
}

/* Finds whether the folder holds anything but the lock. */
static ig_code holds_files(bool *out, const char *dir, ig_err *err)
{
    *out = false;
    DIR *d = opendir(dir);
    if (d == NULL)
        return system_error(err, dir, "cannot open folder");
    const struct dirent *e;
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            strcmp(e->d_name, "lock") != 0 && !is_left_over(e->d_name))
            *out = true;
    closedir(d);
    return IG_ERR_OK;
}

/* Returns whether the file behind fd is still the one of that name: a process that gives its run up
 * takes the name away. */
static bool is_at(int fd, const char *path)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static ig_code take_lock(int *fd, bool *busy, const char *path, ig_err *err)
{
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (*fd < 0)
        return system_error(err, path, "cannot create");
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0) {
        if (is_at(*fd, path))
            return IG_ERR_OK;
        errno = EWOULDBLOCK;
    }
    *busy = errno == EWOULDBLOCK;
    ig_code code = *busy ? IG_ERR_OK : system_error(err, path, "cannot lock");
    close(*fd);
    *fd = -1;
    return code;
}

ig_code ig_run_dir_try_lock(int *fd, bool *busy, const char *dir, ig_err *err)
{
    *fd = -1;
    *busy = false;
    IG_TRY(ig_dir_make(dir, err));
    char lock[IG_PATH];
    bool used = true;
    IG_TRY(ig_folder_path(lock, dir, err, "lock"));
    /* Twice, since another process may begin this run, or give it up, between the looks. */
    for (int look = 0; look < 2 && used; look++) {
        IG_TRY(holds_files(&used, dir, err));
        used = used && !ig_folder_has(dir, "run.json") && !ig_run_dir_busy(dir);
    }
    if (!used)
        return take_lock(fd, busy, lock, err);
    /* A run that was stopped before its record was written has only left dotted or temporary
     * names. */
    ig_fail(err, IG_ERR_USAGE, dir, 0, "the folder holds files, but no run.json");
    ig_hint(err, "choose a new or empty folder");
    return IG_ERR_USAGE;
}

ig_code ig_run_dir_lock(int *fd, const char *dir, ig_err *err)
{
    bool busy;
    IG_TRY(ig_run_dir_try_lock(fd, &busy, dir, err));
    return busy ? ig_fail(err, IG_ERR_USAGE, dir, 0, "another process works on this run")
                : IG_ERR_OK;
}

bool ig_run_dir_busy(const char *dir)
{
    char path[IG_PATH];
    if (ig_folder_path(path, dir, NULL, "lock") != IG_ERR_OK)
        return false;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    /* The lock is shared, so that two who look at once do not take each other for the owner. */
    bool busy = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return busy;
}

void ig_run_dir_unlock(int fd)
{
    if (fd >= 0)
        close(fd);
}

ig_code ig_run_dir_clean_in(int64_t *n, const char *dir, ig_err *err)
{
    DIR *d = opendir(dir);
    if (d == NULL)
        return errno == ENOENT ? IG_ERR_OK : system_error(err, dir, "cannot open folder");
    ig_code code = IG_ERR_OK;
    const struct dirent *e;
    while (code == IG_ERR_OK && (e = readdir(d)) != NULL) {
        if (!is_left_over(e->d_name))
            continue;
        char path[IG_PATH];
        code = ig_folder_path(path, dir, err, "%s", e->d_name);
        if (code == IG_ERR_OK && ig_dir_exists(path))
            code = ig_dir_remove(path, err);
        else if (code == IG_ERR_OK && unlink(path) != 0)
            code = system_error(err, path, "cannot remove");
        *n += code == IG_ERR_OK;
    }
    closedir(d);
    return code;
}

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

ig_code ig_run_dir_clean(const char *dir, ig_err *err)
{
    static const char *const folders[] = {"data", "checkpoints"};
    int64_t n = 0;
    IG_TRY(ig_run_dir_clean_in(&n, dir, err));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[IG_PATH];
        IG_TRY(ig_folder_path(path, dir, err, "%s", folders[i]));
        /* Data behind a link are shared with other runs, and somebody else's to clean. */
        if (!is_link(path))
            IG_TRY(ig_run_dir_clean_in(&n, path, err));
    }
    return IG_ERR_OK;
}

void ig_run_dir_empty(const char *dir)
{
    static const char *const files[] = {"run.json", "log.jsonl", "neighbours"};
    char path[IG_PATH];
    if (ig_folder_path(path, dir, NULL, "data") == IG_ERR_OK)
        (void)ig_dir_remove(path, NULL);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (ig_folder_path(path, dir, NULL, "%s", files[i]) == IG_ERR_OK)
            unlink(path);
}

void ig_run_dir_abandon(const char *dir, bool made)
{
    char path[IG_PATH];
    ig_run_dir_empty(dir);
    if (ig_folder_path(path, dir, NULL, "lock") == IG_ERR_OK)
        unlink(path);
    if (made)
        rmdir(dir);
}

ig_code ig_run_checkpoint_path(char path[IG_PATH], const char *dir, int64_t step, ig_err *err)
{
    return ig_folder_path(path, dir, err, "checkpoints/step-%08lld", (long long)step);
}

ig_code ig_run_checkpoints(int64_t **steps, int *n, const char *dir, bool with_state, ig_err *err)
{
    *steps = NULL;
    *n = 0;
    int64_t have = 0;
    char folder[IG_PATH];
    IG_TRY(ig_folder_path(folder, dir, err, "checkpoints"));
    DIR *d = opendir(folder);
    ig_code code = IG_ERR_OK;
    if (d == NULL)
        return errno == ENOENT ? IG_ERR_OK : system_error(err, folder, "cannot open folder");
    const struct dirent *e;
    while (code == IG_ERR_OK && (errno = 0, e = readdir(d)) != NULL) {
        if (strncmp(e->d_name, "step-", 5) != 0 || strlen(e->d_name) > 5 + 15)
            continue;
        char *end, path[IG_PATH];
        int64_t step = strtoll(e->d_name + 5, &end, 10);
        code = ig_run_checkpoint_path(path, dir, step, err);
        if (code != IG_ERR_OK || step < 0 || strcmp(strrchr(path, '/') + 1, e->d_name) != 0)
            continue;
        if (ig_folder_has(path, "config.json") && ig_folder_has(path, "model.safetensors") &&
            (!with_state || ig_folder_has(path, "trainer.state"))) {
            code =
                ig_grow(steps, &have, (int64_t)*n + 1, sizeof **steps, "list of checkpoints", err);
            if (code == IG_ERR_OK)
                (*steps)[(*n)++] = step;
        }
    }
    /* Else a run whose checkpoints cannot be listed would start from the beginning. */
    if (code == IG_ERR_OK && errno != 0)
        code = system_error(err, folder, "cannot read folder");
    closedir(d);
    if (*n > 0)
        qsort(*steps, (size_t)*n, sizeof **steps, ig_by_int64);
    return code;
}

ig_code ig_run_dir_begun(bool *begun, const char *dir, ig_err *err)
{
    int64_t *steps;
    int n;
    struct stat st;
    char log[IG_PATH];
    IG_TRY(ig_run_checkpoints(&steps, &n, dir, false, err));
    ig_free(steps);
    IG_TRY(ig_folder_path(log, dir, err, "log.jsonl"));
    *begun = n > 0 || (stat(log, &st) == 0 && st.st_size > 0);
    return IG_ERR_OK;
}

ig_code ig_run_dir_check(const char *dir, ig_err *err)
{
    if (ig_dir_exists(dir))
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_IO, dir, 0, "%s",
                   ig_file_exists(dir) ? "found a file, expected a folder" : "no such folder");
}

/* A training has its data beside its record, a fine-tuning has not. */
static ig_code no_model(const char *dir, ig_err *err)
{
    const bool run = ig_folder_has(dir, "run.json"), tuning = run && !ig_folder_has(dir, "data");
    ig_fail(
        err, IG_ERR_IO, dir, 0,
        tuning && ig_folder_has(dir, "scores.json")
            ? "found scores alone: minimal pairs train no model, expected the one that they are of"
        : ig_folder_has(dir, "modules.json")
            ? "found modules.json without a model (config.json) beside it, expected the folder of "
              "its Transformer, as 0_Transformer"
        : run ? "the run has not finished, and has no checkpoint yet"
              : "found neither a model (config.json) nor a run with checkpoints");
    return tuning && !ig_folder_has(dir, "scores.json")
               ? ig_hint(err, "the command that began it resumes it; of minimal pairs there are "
                              "scores alone")
               : IG_ERR_IO;
}

ig_code ig_run_latest(char path[IG_PATH], const char *dir, ig_err *err)
{
    IG_TRY(ig_run_dir_check(dir, err));
    if (ig_folder_has(dir, "config.json")) {
        snprintf(path, IG_PATH, "%s", dir);
        return IG_ERR_OK;
    }
    int64_t *steps;
    int n;
    IG_TRY(ig_run_checkpoints(&steps, &n, dir, false, err));
    int64_t last = n > 0 ? steps[n - 1] : -1;
    ig_free(steps);
    if (last < 0)
        return no_model(dir, err);
    IG_TRY(ig_run_checkpoint_path(path, dir, last, err));
    /* Checkpoints of a fine-tuning have no tokenizer, and who opens one says why it cannot. */
    if (!ig_folder_has(dir, "model") &&
        (ig_folder_has(path, "vocab.txt") || ig_folder_has(path, "tokenizer.json")))
        ig_log(IG_LOG_NORMAL,
               "%s: the run has not finished; this is its checkpoint after update %lld", dir,
               (long long)last);
    return IG_ERR_OK;
}

ig_code ig_folder_sha256(char hex[IG_SHA256_HEX], const char *path, ig_err *err)
{
    char dir[IG_PATH];
    if (!ig_dir_exists(path))
        return ig_sha256_file(hex, path, err);
    IG_TRY(ig_run_latest(dir, path, err));
    return ig_weights_sha256(hex, dir, err);
}

ig_code ig_model_files(char ***path, int *n, const char *dir, ig_err *err)
{
    ig_weights_files f;
    *path = NULL;
    *n = 0;
    ig_code code = ig_weights_find(&f, dir, err);
    IG_THEN(code, ig_alloc(path, (int64_t)f.n + 1, sizeof **path, "files", err));
    if (code == IG_ERR_OK) {
        memcpy(*path + 1, f.path, (size_t)f.n * sizeof *f.path);
        *n = f.n + 1;
        f.n = 0; /* the paths are the caller's now */
        code = ig_path_join(*path, dir, "config.json", err);
        if (code != IG_ERR_OK)
            ig_free_list(*path, *n);
    }
    ig_weights_files_free(&f);
    return code;
}

ig_code ig_run_checkpoint_begin(char tmp[IG_PATH], const char *dir, int64_t step, ig_err *err)
{
    IG_TRY(ig_folder_path(tmp, dir, err, "checkpoints/.step-%08lld", (long long)step));
    IG_TRY(ig_dir_remove(tmp, err));
    return ig_dir_make(tmp, err);
}

/* Out of the way under a name with a dot, then gone. */
static ig_code remove_checkpoint(const char *dir, int64_t step, ig_err *err)
{
    char from[IG_PATH], to[IG_PATH];
    IG_TRY(ig_run_checkpoint_path(from, dir, step, err));
    IG_TRY(ig_folder_path(to, dir, err, "checkpoints/.old-%08lld", (long long)step));
    if (!ig_dir_exists(from))
        return IG_ERR_OK;
    IG_TRY(ig_dir_remove(to, err));
    IG_TRY(ig_rename(from, to, err));
    return ig_dir_remove(to, err);
}

ig_code ig_run_checkpoint_commit(const char *tmp, const char *dir, int64_t step, ig_err *err)
{
    char path[IG_PATH];
    /* One of the same step without its state: the new one is the same model, with the state. */
    IG_TRY(remove_checkpoint(dir, step, err));
    IG_TRY(ig_run_checkpoint_path(path, dir, step, err));
    return ig_rename(tmp, path, err);
}

ig_code ig_run_checkpoint_put_aside(const char *dir, int64_t step, ig_err *err)
{
    char from[IG_PATH], to[IG_PATH];
    IG_TRY(ig_run_checkpoint_path(from, dir, step, err));
    IG_TRY(ig_folder_path(to, dir, err, "checkpoints/damaged-%08lld", (long long)step));
    IG_TRY(ig_dir_remove(to, err));
    return ig_rename(from, to, err);
}

bool ig_run_log_spaced(int64_t step)
{
    while (step >= 10 && step % 10 == 0)
        step /= 10;
    return step == 0 || step == 1 || step == 2 || step == 5;
}

static ig_code drop_state(const char *dir, int64_t step, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(
        ig_folder_path(path, dir, err, "checkpoints/step-%08lld/trainer.state", (long long)step));
    return unlink(path) == 0 || errno == ENOENT ? IG_ERR_OK
                                                : system_error(err, path, "cannot remove");
}

bool ig_run_keeps_model(const ig_run_keep *k, int64_t step)
{
    return (k->log_spaced && ig_run_log_spaced(step)) ||
           (k->model != NULL && k->model(k->arg, step));
}

static bool was_due(const ig_run_keep *k, int64_t step)
{
    return k->every == 0 || step % k->every == 0 || step == k->last ||
           (k->log_spaced && ig_run_log_spaced(step));
}

ig_code ig_run_checkpoint_prune(const char *dir, const ig_run_keep *k, ig_err *err)
{
    int64_t *steps, n_due = 0;
    int n;
    ig_code code = ig_run_checkpoints(&steps, &n, dir, false, err);
    for (int i = n - 1; i >= 0 && code == IG_ERR_OK; i--) {
        const bool due = was_due(k, steps[i]), kept = i == n - 1 || (due && n_due < k->keep);
        n_due += due;
        if (kept)
            continue;
        if (ig_run_keeps_model(k, steps[i]))
            code = drop_state(dir, steps[i], err);
        else
            code = remove_checkpoint(dir, steps[i], err);
    }
    ig_free(steps);
    return code;
}

ig_code ig_run_dir_link(const char *dir, int64_t step, ig_err *err)
{
    char target[64], tmp[IG_PATH], path[IG_PATH];
    snprintf(target, sizeof target, "checkpoints/step-%08lld", (long long)step);
    IG_TRY(ig_folder_path(tmp, dir, err, "model.tmp-link"));
    IG_TRY(ig_folder_path(path, dir, err, "model"));
    unlink(tmp);
    return symlink(target, tmp) == 0 ? ig_rename(tmp, path, err)
                                     : system_error(err, path, "cannot link");
}
