/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens settings, corpora and model from a run's folder, or from one of its checkpoints.
 */
#include "run/measure/open_run.h"

#include "apply/folder/manifest.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/data/data_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ig_code ig_run_find(char run[IG_PATH], const char *dir, ig_err *err)
{
    char model[IG_PATH];
    IG_TRY(ig_run_dir_check(dir, err));
    if (ig_folder_has(dir, "run.json")) {
        snprintf(run, IG_PATH, "%s", dir);
        return IG_ERR_OK;
    }
    IG_TRY(ig_folder_path(run, dir, err, "../.."));
    if (ig_folder_has(run, "run.json"))
        return IG_ERR_OK;
    if (ig_run_latest(model, dir, NULL) == IG_ERR_OK) {
        ig_fail(err, IG_ERR_IO, dir, 0,
                "found a model without the record of a run (run.json), which says what languages "
                "and texts to measure it on");
        return ig_hint(err, "isoglot eval takes texts: --text LANGUAGE=FILE for each");
    }
    ig_fail(err, IG_ERR_IO, dir, 0, "no run.json here: not the folder of a run");
    return ig_hint(err, "isoglot train --out DIR makes one");
}

static ig_code check_file(const char *data, const ig_run_languages *l, int k, ig_data_file which,
                          ig_err *err)
{
    char path[IG_PATH];
    IG_TRY(ig_data_file_path(path, data, l, k, which, err));
    return path[0] == '\0' || ig_file_exists(path)
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, path, 0, "is missing: the run's data are not complete");
}

/* An evaluation reads the run's training data and never makes them again. */
static ig_code check_data(const char *run, const ig_run_config *c, ig_err *err)
{
    static const ig_data_file needed[] = {IG_DATA_VOCABULARY, IG_DATA_TRAIN, IG_DATA_TRAIN_TRACE,
                                          IG_DATA_DEV, IG_DATA_DEV_TRACE};
    const ig_run_languages *l = &c->languages;
    /* A shared text without a development text is measured on itself. */
    const bool itself =
        !ig_run_languages_have_texts(l) && c->data.dev_text == NULL && c->data.text != NULL;
    char data[IG_PATH];
    IG_TRY(ig_folder_path(data, run, err, "data"));
    for (int k = 0; k < l->n; k++)
        for (int i = 0; i < (itself ? 3 : 5); i++)
            IG_TRY(check_file(data, l, k, needed[i], err));
    return IG_ERR_OK;
}

int64_t ig_run_model_step(const char *model)
{
    IG_OWNED char *full = realpath(model, NULL);
    const char *name = full != NULL ? strrchr(full, '/') : NULL;
    int64_t step = -1;
    if (name != NULL && strncmp(name, "/step-", 6) == 0 && name[6] >= '0' && name[6] <= '9')
        step = strtoll(name + 6, NULL, 10);
    return step;
}

static ig_code find_model(char model[IG_PATH], const char *run, const char *dir, int64_t step,
                          ig_err *err)
{
    if (step < 0)
        return ig_run_latest(model, dir, err);
    IG_TRY(ig_run_checkpoint_path(model, run, step, err));
    if (ig_dir_exists(model))
        return IG_ERR_OK;
    IG_OWNED int64_t *steps = NULL;
    int n = 0;
    ig_fail(err, IG_ERR_USAGE, model, 0, "no checkpoint of update %lld", (long long)step);
    ig_err other;
    if (ig_run_checkpoints(&steps, &n, run, false, &other) == IG_ERR_OK && n > 0)
        ig_hint(err, "there are %d, from update %lld to %lld", n, (long long)steps[0],
                (long long)steps[n - 1]);
    return IG_ERR_USAGE;
}

static ig_code load_model(ig_bert **model, const char *path, ig_err *err)
{
    ig_bert_report report = {0};
    *model = NULL;
    IG_TRY(ig_manifest_check(path, err));
    ig_code code = ig_bert_load(model, path, &report, err);
    if (code == IG_ERR_OK && report.n_missing > 0) {
        code = ig_fail(err, IG_ERR_INPUT, path, 0,
                       "%d tensors of the model are missing, the first is %s", report.n_missing,
                       report.missing[0]);
        ig_bert_free(*model);
        *model = NULL;
    }
    ig_bert_report_free(&report);
    return code;
}

ig_code ig_open_run_corpora(ig_open_run *o, const char *dir, ig_err *err)
{
    *o = (ig_open_run){.step = -1};
    IG_TRY(ig_run_find(o->run, dir, err));
    IG_TRY(ig_run_config_load_in(&o->config, o->run, err));
    IG_TRY(check_data(o->run, &o->config, err));
    return ig_setup_open_in(&o->setup, &o->config, o->run, err);
}

ig_code ig_open_run_open(ig_open_run *o, const char *dir, int64_t step, ig_err *err)
{
    IG_TRY(ig_open_run_corpora(o, dir, err));
    IG_TRY(find_model(o->model_path, o->run, dir, step, err));
    IG_TRY(load_model(&o->model, o->model_path, err));
    o->step = ig_run_model_step(o->model_path);
    return IG_ERR_OK;
}

void ig_open_run_close(ig_open_run *o)
{
    ig_bert_free(o->model);
    ig_setup_close(&o->setup);
    ig_run_config_free(&o->config);
    *o = (ig_open_run){0};
}
