/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of a run: see run_dir.h. Everything appears by rename; what is taken away is first
 * renamed to a name with a dot, so that no half-removed checkpoint is ever taken for a whole one.
 */
#include "run/run_dir.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "run/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 64 };

static ig_code system_error(ig_err *err, const char *path, const char *what)
{
    return ig_fail(err, IG_ERR_IO, path, 0, "%s: %s", what, strerror(errno));
}

/* What a killed process may leave behind. */
static bool is_left_over(const char *name)
{
    return strstr(name, ".tmp-") != NULL || strncmp(name, ".step-", 6) == 0 ||
           strncmp(name, ".old-", 5) == 0;
}

/* Whether the folder holds anything but the lock. */
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

/* Whether the file behind fd is still the one of that name: a process that gives its run up takes
 * the name away. */
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
    char *lock, *record;
    IG_TRY(ig_path_join(&lock, dir, "lock", err));
    ig_code code = ig_path_join(&record, dir, "run.json", err);
    if (code == IG_ERR_OK) {
        bool used = false;
        if (!ig_file_exists(record))
            code = holds_files(&used, dir, err);
        if (used) {
            /* A run that was stopped before its record was written has only left dotted or
             * temporary names. */
            code = ig_fail(err, IG_ERR_USAGE, dir, 0, "the folder holds files, but no run.json");
            ig_hint(err, "choose a new or empty folder");
        }
        ig_free(record);
    }
    IG_THEN(code, take_lock(fd, busy, lock, err));
    ig_free(lock);
    return code;
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
    char *path;
    if (ig_path_join(&path, dir, "lock", NULL) != IG_ERR_OK)
        return false;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ig_free(path);
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

static ig_code clean_folder(const char *dir, ig_err *err)
{
    DIR *d = opendir(dir);
    if (d == NULL)
        return errno == ENOENT ? IG_ERR_OK : system_error(err, dir, "cannot open folder");
    ig_code code = IG_ERR_OK;
    const struct dirent *e;
    while (code == IG_ERR_OK && (e = readdir(d)) != NULL) {
        if (!is_left_over(e->d_name))
            continue;
        char *path;
        code = ig_path_join(&path, dir, e->d_name, err);
        if (code != IG_ERR_OK)
            break;
        if (ig_dir_exists(path))
            code = ig_dir_remove(path, err);
        else if (unlink(path) != 0)
            code = system_error(err, path, "cannot remove");
        ig_free(path);
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
    IG_TRY(clean_folder(dir, err));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path;
        IG_TRY(ig_path_join(&path, dir, folders[i], err));
        /* Data behind a link are shared with other runs, and somebody else's to clean. */
        ig_code code = is_link(path) ? IG_ERR_OK : clean_folder(path, err);
        ig_free(path);
        IG_TRY(code);
    }
    return IG_ERR_OK;
}

void ig_run_dir_empty(const char *dir)
{
    static const char *const files[] = {"run.json", "log.jsonl", "neighbours"};
    char *path;
    if (ig_path_join(&path, dir, "data", NULL) == IG_ERR_OK) {
        (void)ig_dir_remove(path, NULL);
        ig_free(path);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (ig_path_join(&path, dir, files[i], NULL) == IG_ERR_OK) {
            unlink(path);
            ig_free(path);
        }
}

void ig_run_dir_abandon(const char *dir, bool made)
{
    char *path;
    ig_run_dir_empty(dir);
    if (ig_path_join(&path, dir, "lock", NULL) == IG_ERR_OK) {
        unlink(path);
        ig_free(path);
    }
    if (made)
        rmdir(dir);
}

/* DIR/checkpoints/NAME */
static ig_code inside(char **path, const char *dir, const char *name, ig_err *err)
{
    char *folder;
    IG_TRY(ig_path_join(&folder, dir, "checkpoints", err));
    ig_code code = ig_path_join(path, folder, name, err);
    ig_free(folder);
    return code;
}

ig_code ig_run_checkpoint_path(char **path, const char *dir, int64_t step, ig_err *err)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "step-%08lld", (long long)step);
    return inside(path, dir, name, err);
}

ig_code ig_run_checkpoints(int64_t **steps, int *n, const char *dir, bool with_state, ig_err *err)
{
    *steps = NULL;
    *n = 0;
    int64_t have = 0;
    char *folder;
    IG_TRY(ig_path_join(&folder, dir, "checkpoints", err));
    DIR *d = opendir(folder);
    ig_code code = IG_ERR_OK;
    if (d == NULL) {
        if (errno != ENOENT)
            code = system_error(err, folder, "cannot open folder");
        ig_free(folder);
        return code;
    }
    const struct dirent *e;
    while (code == IG_ERR_OK && (errno = 0, e = readdir(d)) != NULL) {
        if (strncmp(e->d_name, "step-", 5) != 0 || strlen(e->d_name) > 5 + 15)
            continue;
        char *end, name[NAME_MAX_BYTES], *path;
        int64_t step = strtoll(e->d_name + 5, &end, 10);
        snprintf(name, sizeof name, "step-%08lld", (long long)step);
        if (step < 0 || strcmp(name, e->d_name) != 0)
            continue;
        code = ig_path_join(&path, folder, name, err);
        if (code != IG_ERR_OK)
            break;
        if (ig_folder_has(path, "config.json") && ig_folder_has(path, "model.safetensors") &&
            (!with_state || ig_folder_has(path, "trainer.state"))) {
            code =
                ig_grow(steps, &have, (int64_t)*n + 1, sizeof **steps, "list of checkpoints", err);
            if (code == IG_ERR_OK)
                (*steps)[(*n)++] = step;
        }
        ig_free(path);
    }
    /* Else a run whose checkpoints cannot be listed would begin anew. */
    if (code == IG_ERR_OK && errno != 0)
        code = system_error(err, folder, "cannot read folder");
    closedir(d);
    ig_free(folder);
    if (*n > 0)
        qsort(*steps, (size_t)*n, sizeof **steps, ig_by_int64);
    return code;
}

ig_code ig_run_dir_begun(bool *begun, const char *dir, ig_err *err)
{
    int64_t *steps;
    int n;
    struct stat st;
    char *log;
    IG_TRY(ig_run_checkpoints(&steps, &n, dir, false, err));
    ig_free(steps);
    IG_TRY(ig_path_join(&log, dir, "log.jsonl", err));
    *begun = n > 0 || (stat(log, &st) == 0 && st.st_size > 0);
    ig_free(log);
    return IG_ERR_OK;
}

ig_code ig_run_dir_check(const char *dir, ig_err *err)
{
    if (ig_dir_exists(dir))
        return IG_ERR_OK;
    return ig_fail(err, IG_ERR_IO, dir, 0, "%s",
                   ig_file_exists(dir) ? "found a file, expected a folder" : "no such folder");
}

ig_code ig_run_latest(char **path, const char *dir, ig_err *err)
{
    IG_TRY(ig_run_dir_check(dir, err));
    if (ig_folder_has(dir, "config.json")) {
        const size_t room = strlen(dir) + 1;
        IG_TRY(ig_alloc(path, (int64_t)room, 1, "path", err));
        memcpy(*path, dir, room);
        return IG_ERR_OK;
    }
    int64_t *steps;
    int n;
    IG_TRY(ig_run_checkpoints(&steps, &n, dir, false, err));
    int64_t last = n > 0 ? steps[n - 1] : -1;
    ig_free(steps);
    if (last < 0)
        return ig_fail(err, IG_ERR_IO, dir, 0,
                       "found neither a model (config.json) nor a run with checkpoints");
    return ig_run_checkpoint_path(path, dir, last, err);
}

static void temporary_name(char *out, size_t room, const char *prefix, int64_t step)
{
    snprintf(out, room, ".%s-%08lld", prefix, (long long)step);
}

ig_code ig_run_checkpoint_begin(char **tmp, const char *dir, int64_t step, ig_err *err)
{
    char name[NAME_MAX_BYTES];
    temporary_name(name, sizeof name, "step", step);
    IG_TRY(inside(tmp, dir, name, err));
    ig_code code = ig_dir_remove(*tmp, err);
    IG_THEN(code, ig_dir_make(*tmp, err));
    if (code != IG_ERR_OK) {
        ig_free(*tmp);
        *tmp = NULL;
    }
    return code;
}

/* Out of the way under a name with a dot, then gone. */
static ig_code remove_checkpoint(const char *dir, int64_t step, ig_err *err)
{
    char name[NAME_MAX_BYTES], *from, *to = NULL;
    temporary_name(name, sizeof name, "old", step);
    IG_TRY(ig_run_checkpoint_path(&from, dir, step, err));
    ig_code code = inside(&to, dir, name, err);
    if (code == IG_ERR_OK && ig_dir_exists(from)) {
        code = ig_dir_remove(to, err);
        IG_THEN(code, ig_rename(from, to, err));
        IG_THEN(code, ig_dir_remove(to, err));
    }
    IG_FREE(from, to);
    return code;
}

ig_code ig_run_checkpoint_commit(const char *tmp, const char *dir, int64_t step, ig_err *err)
{
    char *path;
    /* One of the same step without its state: the new one is the same model, with the state. */
    IG_TRY(remove_checkpoint(dir, step, err));
    IG_TRY(ig_run_checkpoint_path(&path, dir, step, err));
    ig_code code = ig_rename(tmp, path, err);
    ig_free(path);
    return code;
}

ig_code ig_run_checkpoint_put_aside(const char *dir, int64_t step, ig_err *err)
{
    char name[NAME_MAX_BYTES], *from, *to = NULL;
    snprintf(name, sizeof name, "damaged-%08lld", (long long)step);
    IG_TRY(ig_run_checkpoint_path(&from, dir, step, err));
    ig_code code = inside(&to, dir, name, err);
    IG_THEN(code, ig_dir_remove(to, err));
    IG_THEN(code, ig_rename(from, to, err));
    IG_FREE(from, to);
    return code;
}

bool ig_run_log_spaced(int64_t step)
{
    while (step >= 10 && step % 10 == 0)
        step /= 10;
    return step == 0 || step == 1 || step == 2 || step == 5;
}

static ig_code drop_state(const char *dir, int64_t step, ig_err *err)
{
    char *folder, *path = NULL;
    IG_TRY(ig_run_checkpoint_path(&folder, dir, step, err));
    ig_code code = ig_path_join(&path, folder, "trainer.state", err);
    if (code == IG_ERR_OK && unlink(path) != 0 && errno != ENOENT)
        code = system_error(err, path, "cannot remove");
    IG_FREE(folder, path);
    return code;
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
        if (k->log_spaced && ig_run_log_spaced(steps[i]))
            code = drop_state(dir, steps[i], err);
        else
            code = remove_checkpoint(dir, steps[i], err);
    }
    ig_free(steps);
    return code;
}

ig_code ig_run_dir_link(const char *dir, int64_t step, ig_err *err)
{
    char target[NAME_MAX_BYTES], *tmp, *path = NULL;
    snprintf(target, sizeof target, "checkpoints/step-%08lld", (long long)step);
    IG_TRY(ig_path_join(&tmp, dir, "model.tmp-link", err));
    ig_code code = ig_path_join(&path, dir, "model", err);
    if (code == IG_ERR_OK) {
        unlink(tmp);
        if (symlink(target, tmp) != 0)
            code = system_error(err, path, "cannot link");
        else
            code = ig_rename(tmp, path, err);
    }
    IG_FREE(tmp, path);
    return code;
}
