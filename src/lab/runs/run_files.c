/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens files of finished runs and compares their hashes.
 */
#include "lab/runs/run_files.h"

#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "lab/runs/lab_scores.h"
#include "run/train/run_measures.h"

#include <stdio.h>

static ig_code put(json_t *files, const char *dir, const char *name, ig_err *err)
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
    ig_lab_score_file *score;
    int n;
    IG_TRY(ig_lab_score_files(&score, &n, dir, err));
    json_t *files = json_object();
    ig_code code = IG_ERR_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && code == IG_ERR_OK; i++)
        code = put(files, dir, names[i], err);
    for (int i = 0; i < n && code == IG_ERR_OK; i++)
        code = put(files, dir, score[i].path, err);
    ig_free(score);
    if (code == IG_ERR_OK && json_object_set(manifest, "files", files) != 0)
        code = ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory for a manifest");
    json_decref(files);
    return code;
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
