/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot export: the results of experiments as data, out of a store.
 */
#include "base/file.h"
#include "cli/commands.h"
#include "cli/lab/lab_options.h"
#include "base/memory.h"
#include "lab/laboratory.h"
#include "lab/report/lab_report.h"

#include <stdio.h>

enum { JSONL, CSV };
static const char *const formats[] = {"jsonl", "csv", NULL};

typedef struct {
    ig_lab_place place;
    char *only, *out;
    int format;
    bool all, curves;
} export_config;

#define AT(field) offsetof(export_config, field)
static const ig_option options[] = {
    {.name = "out",
     .kind = IG_OPT_PATH,
     .offset = AT(out),
     .value = "FILE",
     .help = "file to write; none: standard output",
     .group = "Output"},
    {.name = "format",
     .kind = IG_OPT_ENUM,
     .offset = AT(format),
     .def = "jsonl",
     .names = formats,
     .help = "jsonl is what report --results reads; csv has all of a value in its line"},
    {.name = "only",
     .kind = IG_OPT_STRING,
     .offset = AT(only),
     .value = "SELECTOR",
     .help = "only these cells and seeds: 8  8,1?  8:0  '*:0-2'  batch=64  lang-pos"},
    {.name = "curves",
     .kind = IG_OPT_FLAG,
     .offset = AT(curves),
     .help = "what figures show over the training, at every checkpoint"},
    {.name = "all",
     .kind = IG_OPT_FLAG,
     .offset = AT(all),
     .help = "all that was measured of finished models, not only what tables and figures show"},
    IG_LAB_PLACE_OPTIONS(export_config, place),
};

static ig_code export_file(FILE *fp, const export_config *c, const char *file, ig_err *err)
{
    const ig_lab_report_options o = {.only = c->only,
                                     .steps = c->curves ? IG_LAB_FIGURES : IG_LAB_FINISHED};
    const ig_lab_export_options what = {.csv = c->format == CSV, .all = c->all, .steps = c->curves};
    ig_experiment e = {0};
    ig_lab_report r = {0};
    ig_code code = ig_lab_place_read(&e, file, &c->place, err);
    if (code == IG_ERR_OK)
        code = ig_lab_report_open(&r, &e, ig_lab_store(c->place.store), &o, err);
    if (code == IG_ERR_OK)
        code = ig_lab_export(fp, &r, &what, err);
    ig_lab_report_close(&r);
    ig_experiment_free(&e);
    return code;
}

static ig_code run(const ig_command *self, void *config, int n_arg, char *const *arg, ig_err *err)
{
    const export_config *c = config;
    ig_out out = {0};
    (void)self;
    if (c->out != NULL)
        IG_TRY(ig_out_open(&out, c->out, err));
    FILE *fp = c->out != NULL ? out.fp : stdout;
    ig_code code = c->format == CSV ? ig_result_file_csv_begin(fp, err) : IG_ERR_OK;
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++)
        code = export_file(fp, c, arg[i], err);
    return c->out != NULL ? ig_out_close(&out, code, err) : code;
}

const ig_command ig_cmd_export = {
    .name = "export",
    .summary = "results of experiments as data, to keep and to report without a store",
    .args = "FILE…",
    .min_arg = 1,
    .max_arg = -1,
    .details = "FILE is an experiment file that `isoglot run` took. Its finished runs are written "
               "with what its tables and\n"
               "figures show: a line for each run and for each of its values. `isoglot report "
               "FILE --results` makes the\n"
               "same tables of them.\n"
               "Examples:\n"
               "  isoglot export mini.yaml -o results/mini.jsonl\n"
               "  isoglot export order.yaml --set precision=bfloat16 -o results/order.jsonl\n"
               "  isoglot export mini.yaml --all --format csv -o mini.csv",
    .options = options,
    .n_option = (int)(sizeof options / sizeof *options),
    .config_size = sizeof(export_config),
    .run = run,
};
