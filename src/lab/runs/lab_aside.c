/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets measures aside. The folder is made under a temporary name within the run's, so that a kill
 * leaves the run unchanged and a folder that the next process removes.
 */
#include "lab/runs/lab_aside.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "lab/runs/run_files.h"
#include "run/measure/measure_texts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what is lost ----------------------------------------------------------------------------- */

/* Every element of a list is in the other one, which may be "all". */
static bool list_within(const json_t *list, const json_t *in)
{
    size_t i, k;
    const json_t *x, *y;
    if (json_is_string(list) || json_is_string(in))
        return json_is_string(in);
    json_array_foreach(list, i, x)
    {
        bool there = false;
        json_array_foreach(in, k, y)
        {
            there = there || json_equal(x, y);
        }
        if (!there)
            return false;
    }
    return true;
}

/* Every key of an object has the same value in the other one. */
static bool keys_within(json_t *object, const json_t *in)
{
    const char *key;
    json_t *x;
    json_object_foreach(object, key, x)
    {
        if (!json_equal(x, json_object_get(in, key)))
            return false;
    }
    return true;
}

/* Returns whether measures by the plan `now` include all of those of `before` ("measure" of a
 * manifest, both). */
static bool has_all(const json_t *now, const json_t *before)
{
    static const char *const lists[] = {"what", "layers", "steps", "pairs"},
                             *const objects[] = {"text", "tasks"},
                             *const sizes[] = {"max_sentences", "curve_max_sentences"};
    const bool curve = json_array_size(json_object_get(before, "steps")) > 0;
    bool all = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const json_t *list = json_object_get(before, lists[i]);
        all = all && (list == NULL || list_within(list, json_object_get(now, lists[i])));
    }
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        all = all &&
              keys_within(json_object_get(before, objects[i]), json_object_get(now, objects[i]));
    for (int i = 0; i < (curve ? 2 : 1); i++)
        all = all && json_integer_value(json_object_get(before, sizes[i])) ==
                         json_integer_value(json_object_get(now, sizes[i]));
    return all;
}

/* "measure" of the manifest that the run is going to have. */
static json_t *plan_of(const char *dir, const json_t *manifest, const ig_measure_plan *want)
{
    char data[IG_PATH];
    ig_measure_plan *p;
    const json_t *before = json_object_get(manifest, "measure");
    const int layers = (int)json_integer_value(json_object_get(manifest, "layers"));
    const ig_measure_languages languages =
        ig_measure_languages_json(json_object_get(manifest, "config"));
    if (ig_alloc(&p, 1, sizeof *p, "measures", NULL) != IG_ERR_OK)
        return NULL;
    *p = ig_lab_plan_union(before, want, layers);
    if (ig_folder_path(data, dir, NULL, "data") == IG_ERR_OK)
        ig_measure_texts_keep(p, data);
    json_t *now =
        json_is_true(json_object_get(before, "static"))
            ? ig_lab_plan_static_json(want)
            : ig_lab_plan_json(p, &languages,
                               json_integer_value(json_object_get(manifest, "updates")), layers);
    ig_free(p);
    json_t *tasks = json_object();
    json_object_update(tasks, json_object_get(before, "tasks"));
    for (int i = 0; i < want->n_task; i++)
        if (want->task[i].key[0] != '\0')
            json_object_set_new(tasks, want->task[i].name, json_string(want->task[i].key));
    json_object_set_new(now, "tasks", tasks);
    return now;
}

/* --- the folder ------------------------------------------------------------------------------- */

ig_code ig_lab_aside_address(char out[IG_ADDRESS], const char *address, const json_t *measured,
                             ig_err *err)
{
    char hex[IG_SHA256_HEX];
    json_t *j = json_pack("{s:s, s:O?}", "run", address, "measure", measured);
    IG_OWNED char *text = ig_json_text(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, address, 0, "not enough memory");
    IG_TRY(ig_sha256_of(hex, text, (int64_t)strlen(text), err));
    snprintf(out, IG_ADDRESS, "%.16s", hex);
    return IG_ERR_OK;
}

/* The name of a run's folder, which is its address. */
static const char *name_of(const char *dir)
{
    const char *slash = strrchr(dir, '/');
    return slash != NULL ? slash + 1 : dir;
}

/* RUNS/<address>, beside the folder of a run. */
static ig_code beside(char out[IG_PATH], const char *dir, const char *address, ig_err *err)
{
    const int n = snprintf(out, IG_PATH, "%.*s%s", (int)(name_of(dir) - dir), dir, address);
    return n > 0 && n < IG_PATH ? IG_ERR_OK
                                : ig_fail(err, IG_ERR_IO, dir, 0, "the path is too long");
}

static ig_code copy_file(const char *to, const char *from, const char *name, ig_err *err)
{
    enum { MOST = 1 << 30 };
    char a[IG_PATH], b[IG_PATH], *text;
    int64_t size;
    if (!ig_folder_has(from, name))
        return IG_ERR_OK;
    IG_TRY(ig_folder_path(a, from, err, "%s", name));
    IG_TRY(ig_folder_path(b, to, err, "%s", name));
    IG_TRY(ig_file_read(&text, &size, a, MOST, err));
    const ig_code code = ig_file_write(b, text, size, err);
    ig_free(text);
    return code;
}

/* A link as the run has it, or to what the run has. */
static ig_code make_link(const char *to, const char *from, const char *name, ig_err *err)
{
    char path[IG_PATH], target[IG_PATH];
    IG_TRY(ig_folder_path(path, from, err, "%s", name));
    const ssize_t n = strcmp(name, "data") == 0 ? readlink(path, target, sizeof target - 1) : -1;
    if (n >= 0)
        target[n] = '\0';
    else if (access(path, F_OK) != 0)
        return IG_ERR_OK;
    else if (snprintf(target, sizeof target, "../%s/%s", name_of(from), name) >= IG_PATH)
        return ig_fail(err, IG_ERR_IO, from, 0, "the path is too long");
    IG_TRY(ig_folder_path(path, to, err, "%s", name));
    return symlink(target, path) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, path, 0, "cannot link: %s", strerror(errno));
}

static ig_code fill(const char *to, const char *dir, json_t *manifest, ig_err *err)
{
    static const char *const files[] = {"run.json",   "size.json",     "log.jsonl",
                                        "words.json", "measures.json", "measures.jsonl",
                                        "tasks.json"},
                             *const links[] = {"data",        "model",      "checkpoints",
                                               "vectors.bin", "neighbours", "tasks"};
    IG_TRY(ig_dir_remove(to, err));
    IG_TRY(ig_dir_make(to, err));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        IG_TRY(copy_file(to, dir, files[i], err));
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        IG_TRY(make_link(to, dir, links[i], err));
    IG_TRY(ig_folder_json_write(json_incref(manifest), to, "manifest.json", 17, err));
    return ig_run_files_done(to, err);
}

static ig_code keep(const char *dir, json_t *manifest, ig_err *err)
{
    char address[IG_ADDRESS], to[IG_PATH], tmp[IG_PATH], mark[IG_PATH];
    IG_TRY(ig_lab_aside_address(address, name_of(dir), json_object_get(manifest, "measure"), err));
    IG_TRY(beside(to, dir, address, err));
    IG_TRY(ig_folder_path(tmp, dir, err, "aside.tmp-%ld", (long)getpid()));
    IG_TRY(ig_folder_path(mark, dir, err, "measured"));
    IG_TRY(ig_dir_make(mark, err));
    IG_TRY(ig_folder_path(mark, dir, err, "measured/%s", address));
    if (!ig_dir_exists(to)) {
        json_object_set_new(manifest, "address", json_string(address));
        ig_code code = fill(tmp, dir, manifest, err);
        IG_THEN(code, ig_rename(tmp, to, err));
        if (code != IG_ERR_OK) {
            (void)ig_dir_remove(tmp, NULL);
            return code;
        }
    }
    return ig_file_exists(mark) ? IG_ERR_OK : ig_file_write(mark, "", 0, err);
}

ig_code ig_lab_set_aside(const char *dir, const ig_measure_plan *want, ig_err *err)
{
    json_auto_t *m = NULL;
    IG_TRY(ig_folder_json(&m, dir, "manifest.json", err));
    json_auto_t *now = plan_of(dir, m, want);
    if (now == NULL)
        return ig_fail(err, IG_ERR_MEMORY, dir, 0, "not enough memory");
    if (!has_all(now, json_object_get(m, "measure")))
        IG_TRY(keep(dir, m, err));
    return IG_ERR_OK;
}

/* The finished run in a folder has what is wanted. */
static bool has_wanted(const char *dir, const ig_measure_plan *want)
{
    char why[IG_LAB_WHY];
    json_t *m = NULL;
    if (!ig_folder_has(dir, "DONE") || ig_folder_json(&m, dir, "manifest.json", NULL) != IG_ERR_OK)
        return false;
    const bool yes = ig_lab_manifest_covers(why, m, want) == IG_LAB_COVERED;
    json_decref(m);
    return yes;
}

bool ig_lab_aside_find(ig_lab_aside *a, const char *dir, const ig_measure_plan *want)
{
    bool found = false;
    if (!ig_folder_has(dir, "measured") || has_wanted(dir, want) ||
        ig_folder_path(a->dir, dir, NULL, "measured") != IG_ERR_OK)
        return false;
    DIR *d = opendir(a->dir);
    for (const struct dirent *e; d != NULL && !found && (e = readdir(d)) != NULL;) {
        found = strlen(e->d_name) == IG_ADDRESS - 1 &&
                beside(a->dir, dir, e->d_name, NULL) == IG_ERR_OK && has_wanted(a->dir, want);
        if (found)
            memcpy(a->address, e->d_name, IG_ADDRESS);
    }
    if (d != NULL)
        closedir(d);
    return found;
}

ig_code ig_lab_aside_drop(const ig_lab_aside *a, const char *dir, ig_err *err)
{
    char mark[IG_PATH];
    IG_TRY(ig_folder_path(mark, dir, err, "measured/%s", a->address));
    IG_TRY(ig_dir_remove(a->dir, err));
    return unlink(mark) == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_IO, mark, 0, "cannot remove: %s", strerror(errno));
}
