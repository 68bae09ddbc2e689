/* SPDX-License-Identifier: Apache-2.0
 *
 * From run folders to the store, and the states of an experiment's runs. Only a process that
 * reports or schedules calls this: workers write folders. What the store has of a run can always be
 * made again from its folder (docs/results.md).
 */
#include "base/file.h"

#include "apply/folder/run_folder.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/named_files.h"
#include "base/settings/options_internal.h"
#include "base/strings/append.h"
#include "lab/laboratory.h"
#include "lab/runs/lab_aside.h"
#include "lab/runs/lab_clean.h"
#include "lab/runs/lab_scores.h"
#include "lab/runs/run_files.h"
#include "run/train/run_measures.h"

#include <stdlib.h>
#include <string.h>

/* All runs; where the texts are not there, those that the store knows, and the error of the texts
 * where it knows none. */
static ig_code list_runs(ig_lab_list *l, const ig_experiment *e, const char *store, ig_err *err)
{
    ig_store *s = NULL;
    const ig_code code = ig_experiment_check(e, err);
    if (code == IG_ERR_OK)
        return ig_lab_list_make(l, e, &(ig_lab_listed){.store = store, .order = IG_LAB_FILE_ORDER},
                                NULL, err);
    if (ig_store_open(&s, store, false, NULL) == IG_ERR_OK)
        (void)ig_lab_list_known(l, e, store, s, NULL);
    ig_store_close(s);
    return l->n > 0 ? IG_ERR_OK : code;
}

bool ig_lab_may_finish(const ig_experiment *e, const ig_lab_state *s, int n)
{
    for (int i = 0; i < n; i++)
        if (s[i].status == IG_RUN_RUNNING ||
            ((s[i].status == IG_RUN_MISSING || s[i].status == IG_RUN_STOPPED) &&
             (e->cell[s[i].cell].needs & IG_NEEDS_GPU) == 0))
            return true;
    return false;
}

ig_code ig_lab_status(ig_lab_state **state, int *n, const ig_experiment *e, const char *store,
                      ig_err *err)
{
    ig_lab_list l = {0};
    *state = NULL;
    *n = 0;
    ig_code code = list_runs(&l, e, store, err);
    IG_THEN(code, ig_alloc(state, l.n, sizeof **state, "states", err));
    for (int i = 0; i < l.n && code == IG_ERR_OK; i++) {
        ig_lab_state *s = &(*state)[i];
        s->cell = l.item[i].cell;
        s->seed = l.item[i].seed;
        memcpy(s->address, l.item[i].address, sizeof s->address);
        code = ig_lab_folder_state(s, l.item[i].dir, &e->measure, false, err);
    }
    if (code == IG_ERR_OK)
        *n = l.n;
    else {
        ig_free(*state);
        *state = NULL;
    }
    ig_lab_list_free(&l);
    return code;
}

/* "NAME=FILE; …" with only the last name of each file. */
static json_t *last_names(const char *files)
{
    ig_named_files f;
    json_t *out = json_object();
    if (ig_named_files_parse(&f, files, "files", NULL) != IG_ERR_OK)
        return out;
    for (int i = 0; i < f.n; i++) {
        const char *slash = strrchr(f.file[i].path, '/');
        json_object_set_new(out, f.file[i].name,
                            json_string(slash != NULL ? slash + 1 : f.file[i].path));
    }
    ig_named_files_free(&f);
    return out;
}

/* Returns the trainer of a run; for one from before there was a choice, a BERT. */
static int trainer_of(const json_t *config)
{
    const char *name = json_string_value(json_object_get(config, "trainer"));
    const int at = ig_option_find(&ig_run_options, "trainer");
    for (int i = 0; name != NULL && at >= 0 && ig_run_options.row[at].names[i] != NULL; i++)
        if (strcmp(ig_run_options.row[at].names[i], name) == 0)
            return i;
    return IG_TRAINER_BERT;
}

/* Returns whether an option is left out: the words to retrieve, and the limit of an alphabet, at
 * their default, and how micro-batches are summed if it is unchanged, so that runs from before
 * these options are the same runs (as with their addresses: experiment/address.c). */
static bool is_unsaid(const ig_option *o, const json_t *value, const json_t *config)
{
    if (strcmp(o->name, "accum-mean") == 0) {
        const char *mean = json_string_value(value);
        return json_integer_value(json_object_get(config, "accum")) == 1 ||
               (mean != NULL && strcmp(mean, "paper-code") == 0);
    }
    if (strncmp(o->name, "words-", 6) != 0 && strcmp(o->name, "limit-alphabet") != 0)
        return false;
    return json_is_boolean(value) ? json_is_true(value) == (strcmp(o->def, "true") == 0)
                                  : json_integer_value(value) == strtoll(o->def, NULL, 10);
}

/* Returns the settings that affect the result, as in the store. A file is represented by its last
 * name: its folder on a machine has no effect, and hashes are in the manifest. */
static json_t *deciding(const json_t *config)
{
    json_t *out = json_object();
    const ig_run_config kind = {.trainer = trainer_of(config)};
    for (int i = 0; i < ig_run_options.n; i++) {
        char key[64];
        if (!ig_run_option_decides(i) || !ig_run_option_counts(i, &kind))
            continue;
        ig_option_key(key, sizeof key, ig_run_options.row[i].name);
        json_t *value = json_object_get(config, key);
        if (is_unsaid(&ig_run_options.row[i], value, config))
            continue;
        const char *path =
            ig_run_options.row[i].kind == IG_OPT_PATH ? json_string_value(value) : NULL;
        if (ig_run_options.row[i].kind == IG_OPT_FILES && json_is_string(value)) {
            json_object_set_new(out, key, last_names(json_string_value(value)));
            continue;
        }
        const char *slash = path != NULL ? strrchr(path, '/') : NULL;
        if (slash != NULL)
            json_object_set_new(out, key, json_string(slash + 1));
        else if (value != NULL)
            json_object_set(out, key, value);
    }
    return out;
}

static ig_code put_metrics(ig_store *s, const ig_lab_item *it, const json_t *config, ig_err *err)
{
    IG_SCOPED(ig_row_set_free) ig_row_set m = {0};
    IG_TRY(ig_lab_run_metrics(&m, it->dir, config, err));
    return ig_store_put_rows(s, it->address, m.row, m.n, err);
}

/* A run that is done: everything its folder has. DONE is read before what it stands for. */
static ig_code put_finished(ig_store *s, const ig_lab_item *it, ig_err *err)
{
    const ig_lab_done done = ig_lab_folder_done(it->dir);
    json_auto_t *m = NULL;
    IG_TRY(ig_folder_json(&m, it->dir, "manifest.json", err));
    IG_TRY(ig_run_files_there(m, it->dir, err));
    json_auto_t *config = deciding(json_object_get(m, "config"));
    char *text = ig_json_text(config, JSON_COMPACT | JSON_REAL_PRECISION(17)),
         *all = ig_json_text(m, JSON_COMPACT | JSON_REAL_PRECISION(17));
    const json_t *training = json_object_get(m, "training");
    const ig_store_run r = {
        .address = it->address,
        .status = IG_RUN_DONE,
        .seed = it->seed,
        .config = text,
        .manifest = all,
        .seconds = json_number_value(json_object_get(training, "seconds")),
        .tokens_per_second = json_number_value(json_object_get(training, "tokens_per_second")),
        .updates = json_integer_value(json_object_get(m, "updates")),
        .tokens = json_integer_value(json_object_get(m, "tokens")),
        .peak_memory = json_integer_value(json_object_get(m, "peak_memory")),
        .finished = done.finished,
        .manifest_sha256 = done.manifest_sha256[0] != '\0' ? done.manifest_sha256 : NULL};
    ig_code code = text == NULL || all == NULL
                       ? ig_fail(err, IG_ERR_MEMORY, it->dir, 0, "not enough memory")
                       : ig_store_put_run(s, &r, err);
    IG_THEN(code, put_metrics(s, it, json_object_get(m, "config"), err));
    free(text);
    free(all);
    return code;
}

static ig_code put_other(ig_store *s, const ig_lab_item *it, const ig_lab_state *state,
                         const ig_run_config *c, ig_err *err)
{
    json_auto_t *all = ig_options_json(&ig_run_options, c), *config = deciding(all);
    char *text = ig_json_text(config, JSON_COMPACT | JSON_REAL_PRECISION(17));
    const ig_store_run r = {.address = it->address,
                            .status = state->status,
                            .seed = it->seed,
                            .config = text,
                            .message = state->message[0] != '\0' ? state->message : NULL,
                            .updates = state->step};
    ig_code code = text == NULL ? ig_fail(err, IG_ERR_MEMORY, it->dir, 0, "not enough memory")
                                : ig_store_put_run(s, &r, err);
    IG_THEN(code, ig_store_put_rows(s, it->address, NULL, 0, err));
    free(text);
    return code;
}

/* If the store has the run with its earlier measures, and these were set aside, other experiments
 * get them from there. (This one gets them if it requests them: show_aside.) */
static ig_code keep_for_others(ig_store *s, const ig_experiment *e, const ig_lab_item *it,
                               ig_err *err)
{
    char *text, dir[IG_PATH];
    ig_lab_item aside = *it;
    if (!ig_folder_has(it->dir, "measured"))
        return IG_ERR_OK;
    IG_TRY(ig_store_manifest(&text, s, it->address, err));
    json_t *manifest = text != NULL ? json_loads(text, 0, NULL) : NULL,
           *measure = json_object_get(manifest, "measure");
    ig_free(text);
    ig_code code = ig_lab_aside_address(aside.address, it->address, measure, err);
    json_decref(manifest);
    const int n = (int)(strlen(it->dir) - strlen(it->address));
    if (code != IG_ERR_OK || snprintf(dir, sizeof dir, "%.*s%s", n, it->dir, aside.address) < n ||
        !ig_folder_has(dir, "DONE"))
        return code;
    aside.dir = dir;
    ig_err why = {0};
    code = put_finished(s, &aside, &why);
    if (code == IG_ERR_INPUT || code == IG_ERR_IO)
        return IG_ERR_OK; /* damaged: they are told so */
    if (code != IG_ERR_OK)
        return ig_fail(err, code, why.where, why.line, "%s", why.msg);
    return ig_store_move_cells(s, it->address, aside.address, e->name, err);
}

/* Returns whether the folder still has what the store knows of a run: DONE alone does not tell, as
 * a file may have been damaged since. */
static bool is_known(const ig_lab_item *it, const ig_lab_done *done, const ig_store_known *have)
{
    json_auto_t *m = NULL;
    return have->status == IG_RUN_DONE &&
           ig_lab_same_result(done, have->finished, have->manifest_sha256) &&
           ig_folder_json(&m, it->dir, "manifest.json", NULL) == IG_ERR_OK &&
           ig_run_manifest_same(it->dir, done->manifest_sha256) &&
           ig_folder_has(it->dir, ig_run_measures_name(it->dir)) &&
           ig_folder_has(it->dir, "log.jsonl") && ig_run_files_same(m, it->dir);
}

static ig_code put_run(ig_store *s, const ig_experiment *e, const ig_lab_item *it, bool rebuild,
                       ig_err *err)
{
    ig_store_known have;
    ig_lab_state state = {0};
    const ig_lab_done done = ig_lab_folder_done(it->dir);
    IG_TRY(ig_store_find(&have, s, it->address, err));
    if (!rebuild && is_known(it, &done, &have))
        return IG_ERR_OK;
    if (have.status == IG_RUN_DONE)
        IG_TRY(keep_for_others(s, e, it, err));
    /* The general state of a folder is read only if its results cannot be read. */
    ig_err why = {0};
    const ig_code code = done.finished > 0 ? put_finished(s, it, &why) : IG_ERR_INPUT;
    if (code == IG_ERR_OK)
        return IG_ERR_OK;
    /* A file that is damaged, or not there: what the other runs have found is not lost with it. */
    if (done.finished > 0 &&
        ((code != IG_ERR_INPUT && code != IG_ERR_IO) || strstr(why.where, it->address) == NULL)) {
        if (err != NULL)
            *err = why;
        return code;
    }
    IG_TRY(ig_lab_folder_state(&state, it->dir, NULL, false, err));
    if (state.status == IG_RUN_MISSING && have.status == IG_RUN_MISSING)
        return IG_ERR_OK;
    if (state.status == IG_RUN_DONE && done.finished == 0) /* this very moment */
        return put_finished(s, it, err);
    if (state.status == IG_RUN_DONE)
        ig_lab_damaged(&state, it->dir, &why);
    return put_other(s, it, &state, &e->cell[it->cell].config, err);
}

static ig_code put_runs(ig_store *s, const ig_experiment *e, const ig_lab_list *l, bool rebuild,
                        ig_err *err)
{
    for (int i = 0; i < l->n; i++)
        if (l->item[i].dir != NULL)
            IG_TRY(put_run(s, e, &l->item[i], rebuild, err));
    return IG_ERR_OK;
}

static ig_code put_cells(ig_store *s, const ig_experiment *e, const ig_lab_list *l, ig_err *err)
{
    IG_OWNED ig_store_cell *c = NULL;
    IG_TRY(ig_alloc(&c, l->n, sizeof *c, "cells", err));
    for (int i = 0; i < l->n; i++) {
        const ig_lab_item *it = &l->item[i];
        c[i] = (ig_store_cell){.experiment = e->name,
                               .cell = e->cell[it->cell].name,
                               .label = e->cell[it->cell].label,
                               .order = it->cell,
                               .seed = it->seed,
                               .address = it->address};
    }
    return ig_store_put_cells(s, e->name, c, l->n, err);
}

/* If the requested measures of a run were set aside, uses those for the experiment. */
static ig_code show_aside(ig_lab_list *l, const ig_experiment *e, ig_err *err)
{
    for (int i = 0; i < l->n; i++) {
        ig_lab_aside a;
        ig_lab_item *it = &l->item[i];
        if (it->dir == NULL || !ig_lab_aside_find(&a, it->dir, &e->measure))
            continue;
        memcpy(it->address, a.address, sizeof it->address);
        ig_free(it->dir);
        it->dir = NULL;
        IG_TRY(ig_copy_text(&it->dir, a.dir, "path", err));
    }
    return IG_ERR_OK;
}

ig_code ig_lab_collect(ig_store *s, const ig_experiment *e, const char *store, bool rebuild,
                       ig_err *err)
{
    ig_lab_list l = {0};
    ig_code code = ig_lab_list_make(
        &l, e, &(ig_lab_listed){.store = store, .order = IG_LAB_FILE_ORDER}, NULL, err);
    IG_THEN(code, show_aside(&l, e, err));
    IG_THEN(code, ig_store_begin(s, err));
    if (code == IG_ERR_OK) {
        code = put_runs(s, e, &l, rebuild, err);
        IG_THEN(code, put_cells(s, e, &l, err));
        code = ig_store_end(s, code, err);
    }
    ig_lab_list_free(&l);
    return code;
}

ig_code ig_lab_collect_known(int *n, ig_store *s, const ig_experiment *e, const char *store,
                             ig_err *err)
{
    ig_lab_list l;
    *n = 0;
    IG_TRY(ig_lab_list_known(&l, e, store, s, err));
    ig_code code = show_aside(&l, e, err);
    IG_THEN(code, ig_store_begin(s, err));
    if (code == IG_ERR_OK) {
        code = put_runs(s, e, &l, false, err);
        if (l.n > 0)
            IG_THEN(code, put_cells(s, e, &l, err));
        code = ig_store_end(s, code, err);
    }
    *n = l.n;
    ig_lab_list_free(&l);
    return code;
}

ig_code ig_lab_clean(int64_t *n, const ig_experiment *e, const char *store, ig_err *err)
{
    IG_SCOPED(ig_lab_list_free) ig_lab_list l = {0};
    *n = 0;
    if (e == NULL)
        return ig_lab_clean_store(n, store, NULL, NULL, err);
    IG_TRY(list_runs(&l, e, store, err));
    return ig_lab_clean_store(n, store, e, &l, err);
}
