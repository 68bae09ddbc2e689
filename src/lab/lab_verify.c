/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole store against its own hashes. Manifests have the SHA-256 of model, vectors, words, the
 * table of neighbours and its sources, measures, scores and log, and DONE that of the manifest;
 * data.json that of every file of its folder, and each manifest repeats it, so that data changed
 * together with their data.json are found, too. Then the rows of its index against the folders: a
 * report shows rows, and reads a folder again only where its DONE is another.
 */
#include "base/file.h"

#include "apply/folder/manifest.h"
#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "lab/laboratory.h"
#include "lab/runs/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    ig_store_verified *r;
    const char *store;
    ig_store_result rows; /* of one experiment */
    ig_err *err;
} verifying;

static ig_code add_damage(const verifying *v, const char *path, const char *message)
{
    return json_array_append_new(v->r->damaged,
                                 json_pack("{s:s, s:s}", "path", path, "message", message)) == 0
               ? IG_ERR_OK
               : ig_fail(v->err, IG_ERR_MEMORY, path, 0, "not enough memory for a list of damage");
}

/* Adds a damage unless code is IG_ERR_OK; an error that is none of a file's (memory) is one. */
static ig_code add(const verifying *v, const char *path, ig_code code, const ig_err *why)
{
    const size_t n = strlen(v->store);
    if (code == IG_ERR_OK)
        return IG_ERR_OK;
    if (code == IG_ERR_MEMORY)
        return ig_fail(v->err, code, why->where, why->line, "%s", why->msg);
    if (strncmp(path, v->store, n) == 0 && path[n] == '/')
        path += n + 1;
    return add_damage(v, path, why->msg);
}

/* --- files ------------------------------------------------------------------------------------ */

static ig_code compare(const verifying *v, const char *dir, const char *name, const char *sha256)
{
    char path[IG_PATH];
    ig_err why = {0};
    IG_TRY(ig_folder_path(path, dir, v->err, "%s", name));
    v->r->n_file++;
    return add(v, path, ig_manifest_compare(path, sha256, &why), &why);
}

/* {NAME: SHA-256} of files in a folder. */
static ig_code compare_all(const verifying *v, const char *dir, json_t *files)
{
    const char *name;
    json_t *sum;
    ig_code code = IG_ERR_OK;
    json_object_foreach(files, name, sum)
    {
        const char *sha256 = json_string_value(sum);
        IG_THEN(code, compare(v, dir, name, sha256 != NULL ? sha256 : ""));
    }
    return code;
}

/* A member of the manifest with a path below the run, and what it was made of. */
static ig_code compare_member(const verifying *v, const char *dir, const json_t *manifest,
                              const char *kind)
{
    char *name, embed[IG_PATH];
    const char *sha256;
    IG_TRY(ig_manifest_file(&name, &sha256, manifest, kind, v->err));
    ig_code code = name != NULL ? compare(v, dir, name, sha256) : IG_ERR_OK;
    ig_free(name);
    IG_TRY(code);
    IG_TRY(ig_folder_path(embed, dir, v->err, "data/embed"));
    return compare_all(v, embed, json_object_get(json_object_get(manifest, kind), "made_of"));
}

/* Compares a manifest's hashes of its data with the files. */
static ig_code same_data(const verifying *v, const char *dir, const json_t *manifest)
{
    const json_t *data = json_object_get(manifest, "data");
    const char *address = json_string_value(json_object_get(data, "address"));
    json_auto_t *now = NULL;
    char folder[IG_PATH];
    ig_err why = {0};
    if (address == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(folder, v->store, v->err, "data/%.100s", address));
    ig_code code = ig_folder_json(&now, folder, "data.json", &why);
    if (code == IG_ERR_OK &&
        !json_equal(json_object_get(now, "files"), json_object_get(data, "files")))
        code = ig_fail(&why, IG_ERR_INPUT, folder, 0,
                       "data/%.40s is not what the run was trained on", address);
    else if (code == IG_ERR_IO)
        ig_fail(&why, code, folder, 0, "data/%.40s, its data, cannot be read", address);
    return add(v, dir, code, &why);
}

/* Reads the marker that a folder is complete. A marker that cannot be read, or is not a file, is
 * damage: the folder does not count as unfinished. */
static ig_code marker(bool *there, const verifying *v, const char *dir, const char *name)
{
    char path[IG_PATH];
    struct stat st;
    ig_err why = {0};
    *there = false;
    IG_TRY(ig_folder_path(path, dir, v->err, "%s", name));
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
    return add(v, path, file ? IG_ERR_OK : IG_ERR_IO, &why);
}

/* DONE has the SHA-256 of the manifest, unless an earlier version wrote it. */
static ig_code same_manifest(const verifying *v, const char *dir)
{
    char path[IG_PATH], *text;
    int64_t size;
    ig_err why = {0};
    IG_TRY(ig_folder_path(path, dir, v->err, "DONE"));
    ig_code code = ig_file_read(&text, &size, path, IG_SHA256_HEX, &why);
    if (code != IG_ERR_OK)
        return add(v, path, code, &why);
    if (size == IG_SHA256_HEX && text[size - 1] == '\n') {
        text[size - 1] = '\0';
        code = compare(v, dir, "manifest.json", text);
    } else if (size > 0) {
        code = ig_fail(&why, IG_ERR_INPUT, path, 0, "found other bytes than a SHA-256");
        code = add(v, path, code, &why);
    }
    ig_free(text);
    return code;
}

static ig_code verify_run(void *arg, const char *parent, const char *name)
{
    static const char *const kinds[] = {"model", "vectors", "words", "neighbours"};
    const verifying *v = arg;
    char dir[IG_PATH];
    json_t *m = NULL;
    ig_err why = {0};
    bool done;
    const size_t before = json_array_size(v->r->damaged);
    IG_TRY(ig_folder_path(dir, parent, v->err, "%s", name));
    if (!ig_dir_exists(dir))
        return IG_ERR_OK;
    IG_TRY(marker(&done, v, dir, "DONE"));
    if (!done) {
        v->r->n_unfinished += json_array_size(v->r->damaged) == before;
        return IG_ERR_OK;
    }
    v->r->n_run++;
    IG_TRY(same_manifest(v, dir));
    ig_code code = ig_folder_json(&m, dir, "manifest.json", &why);
    if (code != IG_ERR_OK) /* said by its SHA-256, where there is one */
        return json_array_size(v->r->damaged) > before ? IG_ERR_OK : add(v, why.where, code, &why);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && code == IG_ERR_OK; i++)
        code = compare_member(v, dir, m, kinds[i]);
    IG_THEN(code, same_data(v, dir, m));
    json_t *files = json_object_get(m, "files"); /* measures, scores, log and settings */
    IG_THEN(code, compare_all(v, dir, files));
    ig_lab_state s = {0};
    if (files == NULL) /* from before manifests had their hashes */
        IG_THEN(code, ig_lab_folder_state(&s, dir, NULL, true, v->err));
    if (s.status == IG_RUN_FAILED)
        code = add(v, dir, ig_fail(&why, IG_ERR_INPUT, dir, 0, "%s", s.message), &why);
    json_decref(m);
    return code;
}

static ig_code verify_data(void *arg, const char *parent, const char *name)
{
    const verifying *v = arg;
    char dir[IG_PATH];
    json_auto_t *data = NULL;
    ig_err why = {0};
    bool complete;
    IG_TRY(ig_folder_path(dir, parent, v->err, "%s", name));
    if (!ig_dir_exists(dir))
        return IG_ERR_OK;
    IG_TRY(marker(&complete, v, dir, "data.json"));
    if (!complete)
        return IG_ERR_OK;
    v->r->n_data++;
    ig_code code = ig_folder_json(&data, dir, "data.json", &why);
    code = add(v, why.where, code, &why);
    IG_THEN(code, compare_all(v, dir, json_object_get(data, "files")));
    return code;
}

/* --- the index -------------------------------------------------------------------------------- */

static int by_metric(const void *a, const void *b)
{
    return ig_row_compare(a, b);
}

static bool same_metric(const ig_row *a, const ig_row *b)
{
    return ig_row_compare(a, b) == 0 && a->task_version == b->task_version && a->last == b->last &&
           a->n == b->n && a->value >= b->value && a->value <= b->value;
}

/* Returns how many rows are not those of the folder, or lack. */
static int64_t count_others(ig_row_set *m, const ig_row *row, int64_t n)
{
    int64_t kept = 0, same = 0;
    for (int64_t i = 0; i < m->n; i++)
        if (!isnan(m->row[i].value))
            m->row[kept++] = m->row[i];
    if (kept > 0)
        qsort(m->row, (size_t)kept, sizeof *m->row, by_metric);
    for (int64_t i = 0, k = 0; i < kept && k < n;) {
        const int order = ig_row_compare(&m->row[i], &row[k]);
        same += order == 0 && same_metric(&m->row[i], &row[k]);
        i += order <= 0;
        k += order >= 0;
    }
    return (kept > n ? kept : n) - same;
}

/* The row of the run: what decides coverage and averages. */
static bool is_row_of(const json_t *manifest, const char *text)
{
    json_auto_t *row = text != NULL ? json_loads(text, 0, NULL) : NULL;
    return row != NULL && json_equal(row, manifest);
}

/* Something of the folder is damaged: its rows may be what is right. */
static bool is_damaged(const ig_store_verified *r, const char *address)
{
    char path[64];
    size_t i;
    const json_t *d;
    const int n = snprintf(path, sizeof path, "runs/%.16s/", address);
    json_array_foreach(r->damaged, i, d)
    {
        const char *of = json_string_value(json_object_get(d, "path"));
        if (of != NULL && strncmp(of, path, (size_t)n) == 0)
            return true;
    }
    return false;
}

static ig_code verify_entry(const verifying *v, const ig_store_entry *e, ig_err *err)
{
    char dir[IG_PATH], message[200];
    json_auto_t *m = NULL;
    ig_row_set of = {0};
    IG_TRY(ig_folder_path(dir, v->store, err, "runs/%.16s", e->cell.address));
    const ig_lab_done done = ig_lab_folder_done(dir);
    if (e->run.status != IG_RUN_DONE ||
        !ig_lab_same_result(&done, e->run.finished, e->run.manifest_sha256) ||
        is_damaged(v->r, e->cell.address))
        return IG_ERR_OK;
    ig_err why = {0};
    ig_code code = ig_folder_json(&m, dir, "manifest.json", &why);
    IG_THEN(code, ig_lab_run_metrics(&of, dir, json_object_get(m, "config"), &why));
    if (code == IG_ERR_OK) {
        const int64_t n = count_others(
            &of, v->rows.metric + (e->n_metric > 0 ? e->first_metric : 0), e->n_metric);
        if (n > 0 || !is_row_of(m, e->run.manifest)) {
            snprintf(message, sizeof message,
                     "%.40s:%lld: %lld values%s are not those of runs/%.16s; without this file "
                     "the next report makes it again",
                     e->cell.cell, (long long)e->cell.seed, (long long)n,
                     n > 0 ? "" : ", but its manifest,", e->cell.address);
            code = add_damage(v, "store.sqlite", message);
        }
    } else
        code = code == IG_ERR_MEMORY ? ig_fail(err, code, dir, 0, "%s", why.msg)
                                     : IG_ERR_OK; /* said of the folder */
    ig_row_set_free(&of);
    return code;
}

static ig_code verify_rows(verifying *v, ig_store *s, ig_err *err)
{
    ig_pool pool = {0};
    const char **name;
    int64_t n;
    ig_code code = ig_store_experiments(&name, &n, &pool, s, err);
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        code = ig_store_read(&v->rows, s, name[i], false, err);
        for (int64_t k = 0; k < v->rows.n_entry && code == IG_ERR_OK; k++)
            code = verify_entry(v, &v->rows.entry[k], err);
        ig_store_result_free(&v->rows);
    }
    ig_pool_free(&pool);
    return code;
}

static ig_code verify_index(verifying *v, ig_err *err)
{
    ig_store *s = NULL;
    char path[IG_PATH];
    ig_err why = {0};
    IG_TRY(ig_folder_path(path, v->store, err, "store.sqlite"));
    if (!ig_file_exists(path))
        return IG_ERR_OK; /* the next report makes it */
    ig_code code = ig_store_open(&s, v->store, false, &why);
    IG_THEN(code, verify_rows(v, s, &why));
    ig_store_close(s);
    return add(v, path, code, &why);
}

ig_code ig_lab_verify(ig_store_verified *r, const char *store, ig_err *err)
{
    verifying v = {.r = r, .store = store, .err = err};
    char path[IG_PATH];
    *r = (ig_store_verified){.damaged = json_array()};
    if (!ig_dir_exists(store))
        return ig_fail(err, IG_ERR_IO, store, 0, "no such folder, expected a store of results");
    IG_TRY(ig_folder_path(path, store, err, "data"));
    IG_TRY(ig_lab_each_name(path, verify_data, &v, err));
    IG_TRY(ig_folder_path(path, store, err, "runs"));
    IG_TRY(ig_lab_each_name(path, verify_run, &v, err));
    return verify_index(&v, err);
}
