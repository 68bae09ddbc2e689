/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot export: the results of experiments as data, out of a store.
 */
#include "base/file.h"

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/lab/lab_options.h"
#include "lab/laboratory.h"
#include "lab/report/lab_report.h"

#include <stdio.h>

/* ig_export_format */
static const char *const formats[] = {"jsonl", "csv", "tensorboard", NULL};

typedef struct {
    ig_lab_place place;
    char *only;
    ig_lab_export_options what;
} export_config;

static const ig_option options[] = {
    {.group = "Output",
     IG_PATH(export_config, "out", what.dir, "PATH",
             "file to write (none: standard output), or the folder of tensorboard")},
    {IG_ENUM(export_config, "format", what.format, "jsonl", formats,
             "jsonl is what report --results reads; csv has all of a value in its line; "
             "tensorboard is a folder of event files")},
    {IG_TEXT(export_config, "only", only, NULL, "SELECTOR",
             "only these cells and seeds: 8  8,1?  8:0  '*:0-2'  batch=64  lang-pos")},
    {IG_FLAG(export_config, "curves", what.steps, NULL,
             "what figures show over the training, at every checkpoint")},
    {IG_FLAG(export_config, "all", what.all, NULL,
             "all that was measured of finished models, not only what tables and figures show")},
    IG_LAB_PLACE_OPTIONS(export_config, place),
};

static ig_code export_file(FILE *fp, const export_config *c, const char *file, ig_err *err)
{
    const ig_lab_export_options *what = &c->what;
    const ig_lab_report_options o = {.only = c->only,
                                     .steps = what->steps ? IG_LAB_FIGURES : IG_LAB_FINISHED};
    ig_experiment e = {0};
    ig_lab_report r = {0};
    ig_code code = ig_lab_place_read(&e, file, &c->place, err);
    IG_THEN(code, ig_lab_report_open(&r, &e, ig_lab_store(c->place.store), &o, err));
    IG_THEN(code, ig_lab_export(fp, &r, what, err));
    ig_lab_report_close(&r);
    ig_experiment_free(&e);
    return code;
}

/* All experiments of a store's folder, or of a file of results. */
static ig_code export_source(FILE *fp, const export_config *c, const char *path, ig_err *err)
{
    const ig_lab_export_options *what = &c->what;
    ig_lab_source all;
    if (c->only != NULL || c->place.variant != NULL || c->place.set.n > 0)
        return ig_fail(err, IG_ERR_USAGE, path, 0,
                       "--only, --variant and --set are of an experiment file, found results");
    char **name;
    int64_t n;
    IG_TRY(ig_lab_source_experiments(&name, &n, path, err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        code = ig_lab_source_open(&all, path, name[i], !what->steps && ig_dir_exists(path), err);
        IG_THEN(code, ig_lab_export_source(fp, &all, what, err));
        ig_lab_source_close(&all);
    }
    ig_free(name);
    return code;
}

static ig_code export_all(FILE *fp, const export_config *c, char *const *arg, int n_arg,
                          ig_err *err)
{
    ig_code code =
        c->what.format == IG_EXPORT_CSV ? ig_result_file_csv(fp, NULL, NULL, 0, err) : IG_ERR_OK;
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++)
        code = ig_lab_is_source(arg[i]) ? export_source(fp, c, arg[i], err)
                                        : export_file(fp, c, arg[i], err);
    return code;
}

static ig_code run_export(void *config, int n_arg, char *const *arg, ig_err *err)
{
    export_config *c = config;
    const char *path = c->what.dir;
    ig_out out;
    if (c->what.format == IG_EXPORT_EVENTS) {
        c->what.steps = true;
        return path != NULL ? export_all(NULL, c, arg, n_arg, err)
                            : ig_fail(err, IG_ERR_USAGE, "--out", 0,
                                      "tensorboard needs a folder to write into");
    }
    IG_TRY(ig_out_new(&out, path, err));
    return ig_out_close(&out, export_all(out.fp, c, arg, n_arg, err), err);
}

const ig_command ig_cmd_export = {
    .name = "export",
    .summary = "export results of experiments as data, to report without a store",
    .args = "FILE…|STORE…",
    .min_arg = 1,
    .max_arg = -1,
    .details =
        "FILE is an experiment file given to `isoglot run`. Writes what its tables and figures "
        "show of the finished runs: a line for each run and for each of its values. `isoglot "
        "report FILE --results` makes the same tables from them. STORE is a store's folder, or a "
        "file of results: all of its experiments and values. tensorboard has all checkpoints, a "
        "folder for each run: tensorboard --logdir events\nExamples:\n"
        "  isoglot export mini.yaml -o results/mini.jsonl\n"
        "  isoglot export order.yaml --set precision=bfloat16 -o results/order.jsonl\n"
        "  isoglot export mini.yaml --all --format csv -o mini.csv\n"
        "  isoglot export isoglot-store --format tensorboard -o events",
    IG_COMMAND_OPTIONS(options, export_config),
    .run = run_export,
};
