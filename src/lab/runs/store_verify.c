/* SPDX-License-Identifier: Apache-2.0
 *
 * Verifies a store. Manifests have the SHA-256 of model, vectors, words, the table of neighbours
 * and its sources, measures, scores and log, and DONE that of the manifest; data.json that of
 * every file of its folder, and each manifest repeats it, so that data changed together with their
 * data.json are found, too.
 */
#include "lab/runs/store_verify.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_folder.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "lab/runs/lab_scores.h"
#include "lab/runs/run_files.h"
#include "run/train/run_measures.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    ig_store_verified *r;
    const char *store;
    ig_err *err;
} verifying;

ig_code ig_store_verified_add(ig_store_verified *r, const char *path, const char *message,
                              ig_err *err)
{
    return json_array_append_new(r->damaged,
                                 json_pack("{s:s, s:s}", "path", path, "message", message)) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_MEMORY, path, 0, "not enough memory for a list of damage");
}

/* Adds a damage; an error that is none of a file's (memory) is one. */
static ig_code add(const verifying *v, const char *path, ig_code code, const ig_err *why,
                   ig_err *err)
{
    const size_t n = strlen(v->store);
    if (code == IG_ERR_OK)
        return IG_ERR_OK;
    if (code == IG_ERR_MEMORY)
        return ig_fail(err, code, why->where, why->line, "%s", why->msg);
    if (strncmp(path, v->store, n) == 0 && path[n] == '/')
        path += n + 1;
    return ig_store_verified_add(v->r, path, why->msg, err);
}

static ig_code compare(const verifying *v, const char *dir, const char *name, const char *sha256,
                       ig_err *err)
{
    char path[IG_PATH];
    ig_err why = {0};
    IG_TRY(ig_folder_path(path, dir, err, "%s", name));
    v->r->n_file++;
    return add(v, path, ig_manifest_compare(path, sha256, &why), &why, err);
}

/* A member of the manifest with a path below the run, and what it was made of. */
static ig_code compare_member(const verifying *v, const char *dir, const json_t *manifest,
                              const char *kind, ig_err *err)
{
    char *name, embed[IG_PATH];
    const char *sha256, *file;
    json_t *made_of = json_object_get(json_object_get(manifest, kind), "made_of"), *sum;
    IG_TRY(ig_manifest_file(&name, &sha256, manifest, kind, err));
    ig_code code = name != NULL ? compare(v, dir, name, sha256, err) : IG_ERR_OK;
    ig_free(name);
    IG_TRY(code);
    IG_TRY(ig_folder_path(embed, dir, err, "data/embed"));
    json_object_foreach(made_of, file, sum)
    {
        if (code == IG_ERR_OK && json_is_string(sum))
            code = compare(v, embed, file, json_string_value(sum), err);
    }
    return code;
}

/* Compares a manifest's hashes of its data with the files. */
static ig_code same_data(const verifying *v, const char *dir, const json_t *manifest, ig_err *err)
{
    const json_t *data = json_object_get(manifest, "data");
    const char *address = json_string_value(json_object_get(data, "address"));
    json_t *now = NULL;
    char folder[IG_PATH];
    ig_err why = {0};
    if (address == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(folder, v->store, err, "data/%.100s", address));
    ig_code code = ig_folder_json(&now, folder, "data.json", &why);
    if (code == IG_ERR_OK &&
        !json_equal(json_object_get(now, "files"), json_object_get(data, "files")))
        code = ig_fail(&why, IG_ERR_INPUT, folder, 0,
                       "data/%.40s is not what the run was trained on", address);
    code = add(v, dir, code, &why, err);
    json_decref(now);
    return code;
}

/* Reads the marker that a folder is complete. A marker that cannot be read, or is not a file, is
 * damage: the folder does not count as unfinished. */
static ig_code marker(bool *there, const verifying *v, const char *dir, const char *name,
                      ig_err *err)
{
    char path[IG_PATH];
    struct stat st;
    ig_err why = {0};
    *there = false;
    IG_TRY(ig_folder_path(path, dir, err, "%s", name));
    if (lstat(path, &st) != 0 && errno == ENOENT)
        return IG_ERR_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!file)
        ig_fail(&why, IG_ERR_IO, path, 0, "%s",
                fd < 0 ? strerror(errno) : "is no file, expected one");
    if (fd >= 0)
        close(fd);
    *there = file;
    return add(v, path, file ? IG_ERR_OK : IG_ERR_IO, &why, err);
}

/* DONE has the SHA-256 of the manifest, unless an earlier version wrote it. */
static ig_code same_manifest(const verifying *v, const char *dir, ig_err *err)
{
    char path[IG_PATH], *text;
    int64_t size;
    ig_err why = {0};
    IG_TRY(ig_folder_path(path, dir, err, "DONE"));
    ig_code code = ig_file_read(&text, &size, path, IG_SHA256_HEX, &why);
    if (code != IG_ERR_OK)
        return add(v, path, code, &why, err);
    if (size == IG_SHA256_HEX && text[size - 1] == '\n') {
        text[size - 1] = '\0';
        code = compare(v, dir, "manifest.json", text, err);
    } else if (size > 0) {
        code = ig_fail(&why, IG_ERR_INPUT, path, 0, "found other bytes than a SHA-256");
        code = add(v, path, code, &why, err);
    }
    ig_free(text);
    return code;
}

static ig_code is_json(const verifying *v, const char *dir, const char *name, ig_err *err)
{
    json_t *j = NULL;
    ig_err why = {0};
    const ig_code code = ig_folder_json(&j, dir, name, &why);
    json_decref(j);
    return add(v, why.where, code, &why, err);
}

/* For manifests from before they had hashes: checks that files can be read. */
static ig_code readable(const verifying *v, const char *dir, ig_err *err)
{
    json_t *scores, *path;
    size_t i;
    ig_err why = {0};
    ig_run_measures m;
    const ig_code measured = ig_run_measures_read(&m, dir, false, &why);
    ig_run_measures_free(&m);
    IG_TRY(add(v, why.where, measured, &why, err));
    if (!ig_folder_has(dir, "log.jsonl")) {
        const ig_code code = ig_fail(&why, IG_ERR_INPUT, dir, 0, "log.jsonl is missing");
        IG_TRY(add(v, dir, code, &why, err));
    }
    const ig_code found = ig_lab_score_files(&scores, dir, &why);
    ig_code code = add(v, why.where, found, &why, err);
    json_array_foreach(scores, i, path)
    {
        IG_THEN(code, is_json(v, dir, json_string_value(path), err));
    }
    json_decref(scores);
    return code;
}

/* Measures, scores, log and settings, all that a report reads. */
static ig_code compare_files(const verifying *v, const char *dir, const json_t *manifest,
                             ig_err *err)
{
    const char *name;
    json_t *files = json_object_get(manifest, "files"), *sum;
    if (!json_is_object(files))
        return readable(v, dir, err);
    ig_code code = IG_ERR_OK;
    json_object_foreach(files, name, sum)
    {
        const char *sha256 = json_string_value(sum);
        IG_THEN(code, compare(v, dir, name, sha256 != NULL ? sha256 : "", err));
    }
    return code;
}

static ig_code verify_run(void *arg, const char *parent, const char *name)
{
    const verifying *v = arg;
    ig_err *err = v->err;
    char dir[IG_PATH];
    static const char *const kinds[] = {"model", "vectors", "words", "neighbours"};
    json_t *m = NULL;
    ig_err why = {0};
    bool done;
    const size_t before = json_array_size(v->r->damaged);
    IG_TRY(ig_folder_path(dir, parent, err, "%s", name));
    if (!ig_dir_exists(dir))
        return IG_ERR_OK;
    IG_TRY(marker(&done, v, dir, "DONE", err));
    if (!done) {
        v->r->n_unfinished += json_array_size(v->r->damaged) == before;
        return IG_ERR_OK;
    }
    v->r->n_run++;
    IG_TRY(same_manifest(v, dir, err));
    ig_code code = ig_folder_json(&m, dir, "manifest.json", &why);
    if (code != IG_ERR_OK) /* said by its SHA-256, where there is one */
        return json_array_size(v->r->damaged) > before ? IG_ERR_OK
                                                       : add(v, why.where, code, &why, err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && code == IG_ERR_OK; i++)
        code = compare_member(v, dir, m, kinds[i], err);
    IG_THEN(code, same_data(v, dir, m, err));
    IG_THEN(code, compare_files(v, dir, m, err));
    json_decref(m);
    return code;
}

static ig_code verify_data(void *arg, const char *parent, const char *name)
{
    const verifying *v = arg;
    ig_err *err = v->err;
    char dir[IG_PATH];
    json_t *data = NULL, *sum;
    const char *file;
    ig_err why = {0};
    bool complete;
    IG_TRY(ig_folder_path(dir, parent, err, "%s", name));
    if (!ig_dir_exists(dir))
        return IG_ERR_OK;
    IG_TRY(marker(&complete, v, dir, "data.json", err));
    if (!complete)
        return IG_ERR_OK;
    v->r->n_data++;
    ig_code code = ig_folder_json(&data, dir, "data.json", &why);
    code = add(v, why.where, code, &why, err);
    json_object_foreach(json_object_get(data, "files"), file, sum)
    {
        if (code == IG_ERR_OK && json_is_string(sum))
            code = compare(v, dir, file, json_string_value(sum), err);
    }
    json_decref(data);
    return code;
}

ig_code ig_store_verify(ig_store_verified *r, const char *store, ig_err *err)
{
    verifying v = {.r = r, .store = store, .err = err};
    char path[IG_PATH];
    *r = (ig_store_verified){.damaged = json_array()};
    if (!ig_dir_exists(store))
        return ig_fail(err, IG_ERR_IO, store, 0, "no such folder, expected a store of results");
    IG_TRY(ig_folder_path(path, store, err, "data"));
    IG_TRY(ig_lab_each_name(path, verify_data, &v, err));
    IG_TRY(ig_folder_path(path, store, err, "runs"));
    return ig_lab_each_name(path, verify_run, &v, err);
}
