/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a run (run.json): its resolved settings, written once, read for resuming or
 * measuring the run. Two runs are the same if every key that affects the result is equal; files
 * are compared by their bytes, not by name.
 */
#include "run/run_config.h"

#include "apply/folder/run_dir.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_file.h"
#include "base/settings/json_text.h"
#include "base/sha256.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_VERSION = 1 };

/* The keys whose value is the name of a file. */
static const struct {
    const char *name; /* as in the option table */
    size_t offset;
} file_keys[] = {{"text", offsetof(ig_run_config, data.text)},
                 {"dev-text", offsetof(ig_run_config, data.dev_text)},
                 {"vocab", offsetof(ig_run_config, tokens.vocab)},
                 {"knn-vectors", offsetof(ig_run_config, objective.knn_vectors)},
                 {"from", offsetof(ig_run_config, model.from)}};
enum { N_FILE_KEY = (int)(sizeof file_keys / sizeof *file_keys) };

/* File i of a run, by keys and then by name, under the name that the record has; NULL: not given.
 */
static const char *file_at(char record[IG_NAMED_FILE + 8], const ig_run_config *c, int i)
{
    const char *path;
    if (i >= N_FILE_KEY) {
        const ig_named_file *f = &c->data.named.file[i - N_FILE_KEY];
        snprintf(record, IG_NAMED_FILE + 8, "files %s", f->name);
        return f->path;
    }
    strcpy(record, file_keys[i].name);
    memcpy(&path, (const char *)c + file_keys[i].offset, sizeof path);
    return path;
}

/* {"text": hash, …}. What cannot be read is left out: whoever opens it will say why. */
static json_t *file_hashes(const ig_run_config *c)
{
    json_t *files = json_object();
    for (int i = 0; i < N_FILE_KEY + c->data.named.n; i++) {
        char name[IG_NAMED_FILE + 8], hex[IG_SHA256_HEX];
        const char *path = file_at(name, c, i);
        if (path != NULL && strcmp(path, "-") != 0 &&
            ig_folder_sha256(hex, path, NULL) == IG_ERR_OK)
            json_object_set_new(files, name, json_string(hex));
    }
    return files;
}

/* Returns whether a file of the record is one that an option names. */
static bool is_of(const char *record, const char *option)
{
    return strcmp(option, "files") == 0 ? strncmp(record, "files ", 6) == 0
                                        : strcmp(record, option) == 0;
}

ig_code ig_run_config_save(const ig_run_config *c, const char *path, ig_err *err)
{
    json_t *config = ig_options_json(&ig_run_options, c);
    json_t *j = config != NULL ? json_pack("{s:i, s:o, s:o}", "isoglot_run", RECORD_VERSION,
                                           "config", config, "files", file_hashes(c))
                               : NULL;
    return ig_json_write(j, path, 17, err);
}

/* The folder of a record is the run's, wherever it was when the record was written. */
static ig_code folder_of(ig_run_config *c, const char *path, ig_err *err)
{
    char dir[IG_PATH];
    const char *slash = strrchr(path, '/');
    snprintf(dir, sizeof dir, "%.*s", slash != NULL ? (int)(slash - path) : 1,
             slash != NULL ? path : ".");
    ig_free(c->out);
    return ig_copy_text(&c->out, dir, "path", err);
}

/* *record is owned by the caller, also the configuration; neither after an error. */
static ig_code load(json_t **record, ig_run_config *c, const char *path, ig_err *err)
{
    char *text;
    int64_t size;
    IG_TRY(ig_file_read(&text, &size, path, 1 << 24, err));
    json_error_t why;
    json_t *j;
    ig_code code = ig_json_load(&j, text, size, JSON_REJECT_DUPLICATES, &why, path, err);
    ig_free(text);
    if (code == IG_ERR_INPUT)
        ig_fail(err, code, path, (uint64_t)(why.line > 0 ? why.line : 0),
                "not the record of a run: %s", why.text);
    IG_TRY(code);
    const json_t *version = json_object_get(j, "isoglot_run"),
                 *config = json_object_get(j, "config");
    if (json_object_get(j, "isoglot_finetune") != NULL) {
        ig_fail(err, IG_ERR_INPUT, path, 0,
                "found the record of a fine-tuning, expected that of a run");
        code = ig_hint(err, "isoglot predict labels texts with the model; isoglot eval "
                            "--text LANGUAGE=FILE, once for each language, measures its encoder");
    } else if (!json_is_integer(version) || !json_is_object(config))
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "not the record of a run: no \"isoglot_run\" and \"config\"");
    else if (json_integer_value(version) != RECORD_VERSION)
        code = ig_fail(err, IG_ERR_INPUT, path, 0, "record version %lld, expected %d",
                       (long long)json_integer_value(version), RECORD_VERSION);
    else {
        code = ig_options_default(&ig_run_options, c, err);
        IG_THEN(code, ig_options_from_json(&ig_run_options, c, config, path, err));
        /* Until the key was there, accumulation took the mean of the micro-batches' means. */
        if (json_object_get(config, "accum_mean") == NULL)
            c->accum_mean = IG_VARIANT_PAPER_CODE;
        IG_THEN(code, folder_of(c, path, err));
        IG_THEN(code, ig_run_config_parse(c, err));
        if (code != IG_ERR_OK)
            ig_run_config_free(c);
    }
    if (code != IG_ERR_OK) {
        json_decref(j);
        j = NULL;
    }
    *record = j;
    return code;
}

ig_code ig_run_config_load(ig_run_config *c, const char *path, ig_err *err)
{
    json_auto_t *record = NULL;
    IG_TRY(load(&record, c, path, err));
    return IG_ERR_OK;
}

ig_code ig_run_config_load_in(ig_run_config *c, const char *dir, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, dir, err, "run.json"));
    return ig_run_config_load(c, path, err);
}

/* The two runs to compare, as JSON, and their files. */
typedef struct {
    const json_t *was, *files; /* that of the record */
    json_t *now, *now_files;
    const ig_run_config *want;
    const char *dir;
} pair;

/* Returns whether an option's files are as many as the record knows, each with the bytes that were
 * there.
 */
static bool same_files(const pair *p, const char *option)
{
    int n = 0, n_was = 0;
    bool same = true;
    const char *name;
    json_t *hash;
    json_object_foreach(p->now_files, name, hash) if (is_of(name, option))
    {
        same = same && json_equal(hash, json_object_get(p->files, name));
        n++;
    }
    json_object_foreach((json_t *)(uintptr_t)p->files, name, hash) n_was += is_of(name, option);
    return same && n > 0 && n == n_was;
}

/* No file that is there, under the name that the record has, has other bytes. One that is gone is
 * none: what was made of it is in the run's folder. */
static ig_code unchanged(const pair *p, const char *option, ig_err *err)
{
    for (int i = 0; i < N_FILE_KEY + p->want->data.named.n; i++) {
        char name[IG_NAMED_FILE + 8];
        const char *path = file_at(name, p->want, i),
                   *known = json_string_value(json_object_get(p->files, name)),
                   *hex = json_string_value(json_object_get(p->now_files, name));
        if (!is_of(name, option) || known == NULL || hex == NULL || strcmp(hex, known) == 0)
            continue;
        ig_fail(err, IG_ERR_USAGE, p->dir, 0,
                "%.40s: %.200s has changed since the run was begun: SHA-256 %.12s… then, %.12s… "
                "now",
                name, path, known, hex);
        return ig_hint(err, "choose another --out, or put the file back as it was to resume");
    }
    return IG_ERR_OK;
}

static bool is_length(const char *option)
{
    return strcmp(option, "updates") == 0 || strcmp(option, "epochs") == 0;
}

/* Returns whether the run is to be longer than the record has it, and may be: the rate of an update
 * does not depend on how many there are, so that it is the run that was long from the start. */
static bool is_longer(const pair *p, const char *option, const json_t *was, const json_t *now)
{
    return is_length(option) && p->want->optimisation.schedule != IG_SCHEDULE_LINEAR &&
           json_integer_value(was) > 0 && json_integer_value(now) > json_integer_value(was);
}

static ig_code another_run(const pair *p, const char *option, const json_t *was, const json_t *now,
                           ig_err *err)
{
    const size_t how = JSON_ENCODE_ANY | JSON_REAL_PRECISION(9);
    const bool linear = is_length(option) && p->want->optimisation.schedule == IG_SCHEDULE_LINEAR;
    char *had = ig_json_text(was, how), *has = ig_json_text(now, how);
    ig_fail(err, IG_ERR_USAGE, p->dir, 0, "the folder holds another run: %s is %s there, %s here%s",
            option, had != NULL ? had : "none", has != NULL ? has : "none",
            linear ? "; its rate is 0 after the last one (schedule linear)" : "");
    free(had);
    free(has);
    return ig_hint(err, linear ? "choose another --out: with --from it starts from this run's "
                                 "weights; runs of schedule constant or inverse-sqrt take more"
                               : "choose another --out, or give the run's own settings to go on "
                                 "with it");
}

static ig_code compare(const pair *p, bool *longer, ig_err *err)
{
    *longer = false;
    for (int i = 0; i < ig_run_options.n; i++) {
        const char *name = ig_run_options.row[i].name;
        if (!ig_run_option_decides(i) || !ig_run_option_counts(i, p->want))
            continue;
        /* Without pairs it means nothing, and its default was another. */
        if (strcmp(name, "document") == 0 &&
            p->want->objective.batching.instances != IG_INSTANCES_PAIRS)
            continue;
        if (strcmp(name, "accum-mean") == 0 && p->want->optimisation.accum == 1)
            continue;
        const json_t *x = ig_options_json_get(p->was, &ig_run_options.row[i]),
                     *y = ig_options_json_get(p->now, &ig_run_options.row[i]);
        if (x == y || json_equal(x, y)) {
            IG_TRY(unchanged(p, name, err));
            continue;
        }
        if (same_files(p, name))
            continue;
        if (!is_longer(p, name, x, y))
            return another_run(p, name, x, y, err);
        *longer = true;
    }
    return IG_ERR_OK;
}

ig_code ig_run_config_check(const char *path, const ig_run_config *want, const char *dir,
                            bool *longer, ig_err *err)
{
    json_auto_t *record = NULL;
    ig_run_config have = {0};
    IG_TRY(load(&record, &have, path, err));
    json_auto_t *was = ig_options_json(&ig_run_options, &have);
    const pair p = {was,
                    json_object_get(record, "files"),
                    ig_options_json(&ig_run_options, want),
                    file_hashes(want),
                    want,
                    dir};
    ig_code code = was == NULL || p.now == NULL ? ig_fail(err, IG_ERR_MEMORY, dir, 0,
                                                          "not enough memory to compare two runs")
                                                : compare(&p, longer, err);
    json_decref(p.now);
    json_decref(p.now_files);
    ig_run_config_free(&have);
    return code;
}

/* Nothing says any longer that the run is finished, and its record has the new length, and those of
 * before. */
static ig_code make_longer(const ig_run_config *c, const char *path, ig_err *err)
{
    static const char *const last[] = {"model", "eval.json"};
    static const char key[] = "finished_with";
    char file[IG_PATH];
    json_t *record;
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        IG_TRY(ig_folder_path(file, c->out, err, "%s", last[i]));
        unlink(file);
    }
    IG_TRY(ig_json_read(&record, path, err));
    const json_t *was = json_object_get(record, "config");
    if (json_object_get(record, key) == NULL)
        json_object_set_new(record, key, json_array());
    json_array_append_new(json_object_get(record, key),
                          json_pack("{s:O?, s:O?}", "updates", json_object_get(was, "updates"),
                                    "epochs", json_object_get(was, "epochs")));
    json_object_set_new(record, "config", ig_options_json(&ig_run_options, c));
    return ig_json_write(record, path, 17, err);
}

ig_code ig_run_config_claim(const ig_run_config *c, bool *is_new, ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_folder_path(path, c->out, err, "run.json"));
    ig_code code = IG_ERR_OK;
    bool longer = false;
    *is_new = !ig_file_exists(path);
    if (!*is_new && (code = ig_run_config_check(path, c, c->out, &longer, err)) == IG_ERR_USAGE) {
        bool started = true;
        if (ig_run_dir_begun(&started, c->out, NULL) == IG_ERR_OK && !started) {
            ig_run_dir_empty(c->out);
            *is_new = true;
            code = IG_ERR_OK;
        }
    }
    if (code == IG_ERR_OK && longer)
        return make_longer(c, path, err);
    return code == IG_ERR_OK && *is_new ? ig_run_config_save(c, path, err) : code;
}
