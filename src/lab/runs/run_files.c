/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens files of finished runs, compares their hashes, and reads their numbers.
 */
#include "lab/runs/run_files.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/sha256.h"
#include "lab/runs/lab_scores.h"
#include "run/train/run_measures.h"
#include "store/old_measures.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

ig_code ig_lab_each_name(const char *dir, ig_lab_visit *visit, void *arg, ig_err *err)
{
    struct dirent **entry = NULL;
    const int n = scandir(dir, &entry, NULL, alphasort);
    ig_code code = n < 0 && errno != ENOENT && errno != ENOTDIR
                       ? ig_fail(err, IG_ERR_IO, dir, 0, "cannot open folder: %s", strerror(errno))
                       : IG_ERR_OK;
    for (int i = 0; i < n; i++) {
        if (code == IG_ERR_OK && entry[i]->d_name[0] != '.')
            code = visit(arg, dir, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return code;
}

ig_code ig_lab_hash(json_t *files, const char *dir, const char *name, ig_err *err)
{
    char path[IG_PATH], hex[IG_SHA256_HEX];
    if (!ig_folder_has(dir, name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(path, dir, err, "%s", name));
    IG_TRY(ig_sha256_file(hex, path, err));
    json_object_set_new(files, name, json_string(hex));
    return IG_ERR_OK;
}

ig_code ig_run_files_put(json_t *manifest, const char *dir, ig_err *err)
{
    const char *const names[] = {"run.json", "log.jsonl", ig_run_measures_name(dir), "tasks.json"};
    json_t *scores, *files = json_object(), *path;
    size_t k;
    ig_code code = ig_lab_score_files(&scores, dir, err);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        IG_THEN(code, ig_lab_hash(files, dir, names[i], err));
    json_array_foreach(scores, k, path)
    {
        IG_THEN(code, ig_lab_hash(files, dir, json_string_value(path), err));
    }
    json_decref(scores);
    if (code == IG_ERR_OK && json_object_set(manifest, "files", files) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for a manifest");
    json_decref(files);
    return code;
}

bool ig_run_files_same(const json_t *manifest, const char *dir)
{
    char path[IG_PATH], hex[IG_SHA256_HEX];
    const char *name;
    json_t *sum;
    json_object_foreach(json_object_get(manifest, "files"), name, sum)
    {
        const char *sha256 = json_string_value(sum);
        if (sha256 == NULL || ig_folder_path(path, dir, NULL, "%s", name) != IG_ERR_OK ||
            ig_sha256_file(hex, path, NULL) != IG_ERR_OK || strcmp(hex, sha256) != 0)
            return false;
    }
    return true;
}

ig_code ig_run_files_there(const json_t *manifest, const char *dir, ig_err *err)
{
    const char *name;
    json_t *sum;
    if (!json_is_object(json_object_get(manifest, "config")))
        return ig_fail(err, IG_ERR_INPUT, dir, 0, "manifest.json has no settings, \"config\"");
    json_object_foreach(json_object_get(manifest, "files"), name, sum)
    {
        if (strchr(name, '/') == NULL && !ig_folder_has(dir, name))
            return ig_fail(err, IG_ERR_INPUT, dir, 0, "%.100s is missing", name);
    }
    return IG_ERR_OK;
}

bool ig_run_manifest_same(const char *dir, const char *sha256)
{
    char path[IG_PATH], hex[IG_SHA256_HEX];
    return sha256[0] == '\0' ||
           (ig_folder_path(path, dir, NULL, "manifest.json") == IG_ERR_OK &&
            ig_sha256_file(hex, path, NULL) == IG_ERR_OK && strcmp(hex, sha256) == 0);
}

/* Loss and accuracy of the training, from the log's lines at the steps that were measured. */
static ig_code add_log(ig_run_measures *m, const char *dir, ig_err *err)
{
    char path[IG_PATH], *text;
    int64_t size;
    ig_code code = IG_ERR_OK;
    IG_TRY(ig_folder_path(path, dir, err, "log.jsonl"));
    IG_TRY(ig_file_read(&text, &size, path, (int64_t)1 << 30, err));
    const char *p = text;
    for (int64_t i = 0; i < m->n; i++) {
        const int64_t want = m->at[i].step;
        char begin[64];
        snprintf(begin, sizeof begin, "{\"step\":%lld,\"loss\"", (long long)want);
        const char *line = strstr(p, begin), *end = line != NULL ? strchr(line, '\n') : NULL;
        if (end == NULL || code != IG_ERR_OK)
            continue;
        p = line; /* steps ascend */
        json_t *j;
        json_error_t why;
        code = ig_json_load(&j, line, end - line, 0, &why, path, err);
        if (code == IG_ERR_INPUT) /* a damaged line says nothing */
            code = IG_ERR_OK;
        IG_THEN(code, ig_training_log_read(&m->rows, j, want, m->at[i].last, err));
        json_decref(j);
    }
    ig_free(text);
    return code;
}

/* A run's own mean of perplexity, as its settings have it. */
static bool by_batch(const json_t *config)
{
    const char *mean = json_string_value(json_object_get(config, "perplexity_average"));
    return mean != NULL && strcmp(mean, "paper-code") == 0;
}

ig_code ig_lab_run_metrics(ig_row_set *m, const char *dir, const json_t *config, ig_err *err)
{
    IG_SCOPED(ig_run_measures_free) ig_run_measures all = {0};
    IG_TRY(ig_run_measures_read(&all, dir, by_batch(config), err));
    IG_TRY(add_log(&all, dir, err));
    IG_TRY(ig_lab_tasks_metrics(&all.rows, dir, all.n > 0 ? all.at[all.n - 1].step : 0, err));
    *m = all.rows;
    all.rows = (ig_row_set){0};
    return IG_ERR_OK;
}

ig_code ig_run_files_done(const char *dir, ig_err *err)
{
    char path[IG_PATH], text[IG_SHA256_HEX + 1];
    IG_TRY(ig_folder_path(path, dir, err, "manifest.json"));
    IG_TRY(ig_sha256_file(text, path, err));
    text[IG_SHA256_HEX - 1] = '\n';
    IG_TRY(ig_folder_path(path, dir, err, "DONE"));
    return ig_file_write(path, text, IG_SHA256_HEX, err);
}
