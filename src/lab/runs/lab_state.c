/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the state of a run's folder: DONE first, then failed.json, then the lock, then whether it
 * has any files: a finished or failed run needs no further reads.
 */
#include "base/file.h"

#include "apply/folder/run_dir.h"
#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "isoglot/version.h"
#include "lab/runs/lab_aside.h"
#include "lab/runs/lab_list.h"
#include "lab/runs/run_files.h"
#include "run/train/run_measures.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

ig_code ig_lab_file_json(json_t **out, const char *dir, const char *name, ig_err *err)
{
    char hex[IG_SHA256_HEX], path[IG_PATH];
    *out = NULL;
    if (!ig_folder_has(dir, name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(path, dir, err, "%s", name));
    IG_TRY(ig_sha256_file(hex, path, err));
    *out = json_pack("{s:s, s:s}", "path", name, "sha256", hex);
    return IG_ERR_OK;
}

struct timespec ig_lab_file_time(const char *dir, const char *name)
{
    char path[IG_PATH];
    struct stat st = {0};
    if (ig_folder_path(path, dir, NULL, "%s", name) == IG_ERR_OK)
        (void)stat(path, &st);
    return st.st_mtim;
}

ig_lab_done ig_lab_folder_done(const char *dir)
{
    char path[IG_PATH], *text;
    int64_t size;
    ig_lab_done d = {.finished = ig_lab_file_time(dir, "DONE").tv_sec};
    if (d.finished <= 0)
        d.finished = ig_folder_has(dir, "DONE");
    if (ig_folder_path(path, dir, NULL, "DONE") != IG_ERR_OK ||
        ig_file_read(&text, &size, path, IG_SHA256_HEX, NULL) != IG_ERR_OK)
        return d;
    if (size == IG_SHA256_HEX && text[size - 1] == '\n')
        snprintf(d.manifest_sha256, sizeof d.manifest_sha256, "%.*s", (int)size - 1, text);
    ig_free(text);
    return d;
}

bool ig_lab_same_result(const ig_lab_done *d, int64_t finished, const char *manifest_sha256)
{
    return d->finished > 0 && d->finished == finished &&
           (manifest_sha256 == NULL || manifest_sha256[0] == '\0' ||
            strcmp(d->manifest_sha256, manifest_sha256) == 0);
}

void ig_lab_remove_in(const char *dir, const char *name)
{
    char path[IG_PATH];
    if (ig_folder_path(path, dir, NULL, "%s", name) != IG_ERR_OK)
        return;
    if (ig_dir_exists(path))
        (void)ig_dir_remove(path, NULL);
    else
        unlink(path);
}

ig_code ig_lab_write_failure(const char *dir, const ig_err *why, int64_t step, const char *task,
                             ig_err *err)
{
    return ig_folder_json_write(
        json_pack("{s:i, s:i, s:s, s:s, s:I, s:s, s:s, s:I, s:I, s:s, s:s, s:s*}", "isoglot_failed",
                  1, "code", (int)why->code, "reason", ig_code_text(why->code), "where", why->where,
                  "line", (json_int_t)why->line, "message", why->msg, "hint", why->hint, "step",
                  (json_int_t)step, "time", (json_int_t)time(NULL), "version", ig_version(),
                  "commit", ig_commit(), "task", task[0] != '\0' ? task : NULL),
        dir, "failed.json", 17, err);
}

bool ig_lab_has_failed(const char *dir, const ig_measure_plan *want)
{
    json_auto_t *j = NULL;
    if (!ig_folder_has(dir, "failed.json"))
        return false;
    if (want == NULL || ig_folder_json(&j, dir, "failed.json", NULL) != IG_ERR_OK)
        return true;
    const char *task = json_string_value(json_object_get(j, "task"));
    bool wanted = task == NULL;
    for (int i = 0; i < want->n_task && !wanted; i++)
        wanted = strcmp(want->task[i].key, task) == 0;
    return wanted;
}

void ig_lab_message(char *out, size_t room, const char *where, uint64_t line, const char *message)
{
    char number[24] = "";
    if (line > 0)
        snprintf(number, sizeof number, ":%llu", (unsigned long long)line);
    snprintf(out, room, "%s%s%s%s", where, where[0] != '\0' ? number : "",
             where[0] != '\0' ? ": " : "", message);
}

/* As the program would have said it. */
static void failure_text(char *out, size_t room, const char *dir)
{
    json_t *j;
    snprintf(out, room, "failed");
    if (ig_folder_json(&j, dir, "failed.json", NULL) != IG_ERR_OK)
        return;
    const char *where = json_string_value(json_object_get(j, "where"));
    const char *message = json_string_value(json_object_get(j, "message"));
    const json_int_t line = json_integer_value(json_object_get(j, "line"));
    ig_lab_message(out, room, where != NULL ? where : "", line > 0 ? (uint64_t)line : 0,
                   message != NULL ? message : "");
    json_decref(j);
}

/* The step of the log's last whole line. */
static int64_t last_logged(const char *dir)
{
    char path[IG_PATH], text[4096];
    int64_t step = 0;
    if (ig_folder_path(path, dir, NULL, "log.jsonl") != IG_ERR_OK)
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    off_t size = lseek(fd, 0, SEEK_END), from = size > 4095 ? size - 4095 : 0;
    ssize_t n = pread(fd, text, sizeof text - 1, from);
    close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    char *end = strrchr(text, '\n');
    if (end == NULL)
        return 0;
    *end = '\0';
    const char *line = strrchr(text, '\n'), *key = strstr(line != NULL ? line : text, "\"step\":");
    if (key != NULL)
        step = strtoll(key + 7, NULL, 10);
    return step < 0 ? 0 : step;
}

/* Returns the seconds since the run's settings were written, which is the first step of a run. */
static double since_start(const char *dir)
{
    const time_t written = ig_lab_file_time(dir, "run.json").tv_sec;
    return written != 0 ? difftime(time(NULL), written) : (double)NAN;
}

/* Counts results of fine-tunings: DIR/tasks/TASK/seed-N.json. */
static int tuned(const char *dir, const char *name, bool of_task)
{
    char path[IG_PATH];
    int n = 0;
    if (ig_folder_path(path, dir, NULL, "%s", name) != IG_ERR_OK)
        return 0;
    DIR *d = opendir(path);
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        const char *end = strrchr(e->d_name, '.'); /* not of a file that is being written */
        if (of_task && strncmp(e->d_name, "step-", 5) == 0)
            n += tuned(path, e->d_name, true); /* of a checkpoint */
        else if (of_task)
            n += strncmp(e->d_name, "seed-", 5) == 0 && end != NULL && strcmp(end, ".json") == 0;
        else if (e->d_name[0] != '.')
            n += tuned(path, e->d_name, true);
    }
    if (d != NULL)
        closedir(d);
    return n;
}

static void progress_of(ig_lab_state *s, const char *dir)
{
    json_t *j;
    int64_t *steps;
    int n;
    s->seconds = since_start(dir);
    s->step = last_logged(dir);
    s->n_tuned = tuned(dir, "tasks", false);
    if (s->status != IG_RUN_RUNNING &&
        ig_run_checkpoints(&steps, &n, dir, true, NULL) == IG_ERR_OK) {
        s->step = n > 0 ? steps[n - 1] : 0;
        ig_free(steps);
    }
    if (ig_folder_has(dir, "size.json") &&
        ig_folder_json(&j, dir, "size.json", NULL) == IG_ERR_OK) {
        s->n_step = json_integer_value(json_object_get(j, "updates"));
        json_decref(j);
    }
}

void ig_lab_damaged(ig_lab_state *s, const char *dir, const ig_err *why)
{
    const size_t n = strlen(dir);
    const char *where =
        strncmp(why->where, dir, n) == 0 && why->where[n] == '/' ? why->where + n + 1 : why->where;
    s->status = IG_RUN_FAILED;
    snprintf(s->message, sizeof s->message, "damaged: %.60s: %.120s; --retry makes the run again",
             where, why->msg);
}

ig_code ig_lab_folder_covers(ig_lab_cover *cover, const char *dir, const ig_measure_plan *want,
                             ig_err *err)
{
    char why[IG_LAB_WHY];
    json_auto_t *m = NULL;
    IG_TRY(ig_folder_json(&m, dir, "manifest.json", err));
    *cover = ig_lab_manifest_covers(why, m, want);
    return IG_ERR_OK;
}

/* Measured, but not as requested: it is stopped, unless that work was started. */
static void unfinished_state(ig_lab_state *s, const char *dir, const ig_measure_plan *want,
                             ig_lab_cover cover, const char *why)
{
    s->status = IG_RUN_STOPPED;
    s->trained = cover == IG_LAB_TUNE;
    snprintf(s->message, sizeof s->message, "finished, but %s (%s)",
             cover == IG_LAB_TUNE ? "not fine-tuned for all tasks of the experiment"
                                  : "measured otherwise than the experiment asks",
             why);
    if (ig_run_dir_busy(dir)) {
        s->status = IG_RUN_RUNNING;
        s->message[0] = '\0';
    } else if (ig_lab_has_failed(dir, want)) {
        s->status = IG_RUN_FAILED;
        failure_text(s->message, sizeof s->message, dir);
    }
}

/* Reads what a report reads, where a file is not the one that the manifest has: damage is seen
 * there. */
static ig_code read_changed(const json_t *manifest, const char *dir, ig_err *err)
{
    IG_SCOPED(ig_row_set_free) ig_row_set rows = {0};
    IG_TRY(ig_run_files_there(manifest, dir, err));
    if (ig_run_files_same(manifest, dir))
        return IG_ERR_OK;
    return ig_lab_run_metrics(&rows, dir, json_object_get(manifest, "config"), err);
}

static ig_code finished_state(ig_lab_state *s, const char *dir, const ig_measure_plan *want,
                              ig_err *err)
{
    json_auto_t *m = NULL;
    ig_err why = {0};
    ig_code code = ig_folder_json(&m, dir, "manifest.json", &why);
    const char *const needed[] = {ig_run_measures_name(dir), "log.jsonl"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed && code == IG_ERR_OK; i++)
        if (!ig_folder_has(dir, needed[i]))
            code = ig_fail(&why, IG_ERR_INPUT, needed[i], 0, "is missing");
    IG_THEN(code, read_changed(m, dir, &why));
    if (code == IG_ERR_MEMORY)
        return ig_fail(err, code, dir, 0, "%s", why.msg);
    if (code != IG_ERR_OK) {
        ig_lab_damaged(s, dir, &why);
        return IG_ERR_OK;
    }
    s->n_step = s->step = json_integer_value(json_object_get(m, "updates"));
    const json_t *took = json_object_get(m, "time"), *seconds = json_object_get(took, "seconds");
    s->seconds = json_is_number(seconds)
                     ? json_number_value(seconds) +
                           json_number_value(json_object_get(took, "fine_tuning_seconds"))
                     : (double)NAN;
    char reason[IG_LAB_WHY] = "";
    const ig_lab_cover cover =
        want != NULL ? ig_lab_manifest_covers(reason, m, want) : IG_LAB_COVERED;
    s->status = IG_RUN_DONE;
    if (cover != IG_LAB_COVERED)
        unfinished_state(s, dir, want, cover, reason);
    return IG_ERR_OK;
}

static ig_code folder_state(ig_lab_state *s, const char *dir, const ig_measure_plan *want,
                            ig_err *err)
{
    s->status = IG_RUN_MISSING;
    s->step = s->n_step = 0;
    s->trained = false;
    s->seconds = (double)NAN;
    s->message[0] = '\0';
    if (!ig_dir_exists(dir))
        return IG_ERR_OK;
    if (ig_folder_has(dir, "DONE"))
        return finished_state(s, dir, want, err);
    if (ig_run_dir_busy(dir))
        s->status = IG_RUN_RUNNING;
    else if (ig_folder_has(dir, "failed.json")) {
        s->status = IG_RUN_FAILED;
        failure_text(s->message, sizeof s->message, dir);
    } else if (ig_folder_has(dir, "run.json"))
        s->status = IG_RUN_STOPPED;
    else
        return IG_ERR_OK;
    progress_of(s, dir);
    return IG_ERR_OK;
}

ig_code ig_lab_folder_state(ig_lab_state *s, const char *dir, const ig_measure_plan *want,
                            bool thorough, ig_err *err)
{
    ig_run_measures m;
    ig_err why = {0};
    ig_lab_aside a;
    if (want != NULL && ig_lab_aside_find(&a, dir, want))
        dir = a.dir;
    IG_TRY(folder_state(s, dir, want, err));
    if (s->status != IG_RUN_DONE || !thorough)
        return IG_ERR_OK;
    const ig_code code = ig_run_measures_read(&m, dir, false, &why);
    ig_run_measures_free(&m);
    if (code == IG_ERR_MEMORY)
        return ig_fail(err, code, dir, 0, "%s", why.msg);
    if (code != IG_ERR_OK)
        ig_lab_damaged(s, dir, &why);
    return IG_ERR_OK;
}
