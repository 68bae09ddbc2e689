/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot compare, export: two experiments, stores or variants, cell by cell; the results of
 * experiments as data, out of a store.
 */
#include "base/file.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/lab/lab_options.h"
#include "cli/print/print.h"
#include "lab/report/lab_report.h"
#include "lab/report/lab_source.h"
#include "report/share/compare.h"
#include "store/store_task.h"

#include <stdio.h>
#include <string.h>

/* --- compare ---------------------------------------------------------------------------------- */

typedef struct {
    ig_lab_place place;
    ig_text_list measure, cell;
    ig_table_form format;
    bool json, all;
} compare_config;

static const ig_option compare_options[] = {
    {IG_TEXTS(compare_config, "measure", measure, "QUANTITY",
              "compare this, as tables name it: mu  'rho[high]'  'perplexity[dev]'; may be given "
              "more than once"),
     .group = "What is compared"},
    {IG_FLAG(compare_config, "all", all, NULL, "compare all that was measured of finished models")},
    {IG_TEXTS(compare_config, "cell", cell, "NAME[=NAME]",
              "compare this cell, with the cell of another name of B; none: all that have the same "
              "name; may be given more than once")},
    IG_TABLE_FORM_OPTIONS(compare_config, format, json, "how the comparison is written"),
    IG_LAB_PLACE_OPTIONS(compare_config, place),
};

/* --- the two sides ---------------------------------------------------------------------------- */

typedef struct {
    const char *given;
    ig_experiment e; /* of an experiment file */
    ig_lab_report r;
    ig_lab_source source; /* of a store or a file of results */
    const ig_results *results;
} side;

/* Returns whether a quantity of a checkpoint is asked for, as "mu[step=500]" does. */
static bool at_steps(const compare_config *c)
{
    bool any = false;
    for (int i = 0; i < c->measure.n; i++)
        any = any || strstr(c->measure.text[i], "step=") != NULL;
    return any;
}

/* PATH, or PATH#WHAT: of an experiment file its variants, else the name of the experiment. */
static ig_code open_side(side *s, const compare_config *c, const char *given, ig_err *err)
{
    const char *hash = ig_file_exists(given) ? NULL : strrchr(given, '#');
    const size_t n = hash != NULL ? (size_t)(hash - given) : strlen(given);
    char *path;
    ig_lab_place place = c->place;
    const ig_lab_report_options o = {.steps = at_steps(c) ? IG_LAB_ALL_STEPS : IG_LAB_FINISHED};
    s->given = given;
    IG_TRY(ig_alloc(&path, (int64_t)n + 1, 1, "a name", err));
    memcpy(path, given, n);
    if (ig_lab_is_source(path)) {
        const ig_code code =
            ig_lab_source_open(&s->source, path, hash != NULL ? hash + 1 : NULL, !at_steps(c), err);
        ig_free(path);
        s->results = &s->source.results;
        return code;
    }
    if (hash != NULL)
        place.variant = (char *)(uintptr_t)(hash + 1);
    ig_code code = ig_lab_place_read(&s->e, path, &place, err);
    ig_free(path);
    IG_THEN(code, ig_lab_report_open(&s->r, &s->e, ig_lab_store(c->place.store), &o, err));
    s->results = &s->r.results;
    return code;
}

static void close_side(side *s)
{
    ig_lab_report_close(&s->r);
    ig_experiment_free(&s->e);
    ig_lab_source_close(&s->source);
}

/* --- quantities to compare -------------------------------------------------------------------- */

/* Returns whether a quantity is compared by default: multilinguality and its components,
 * perplexity, scores after fine-tuning. */
static bool usual(const ig_quantity *q)
{
    static const char *const of[] = {"mu", "f1", "rho", "tau", "perplexity", NULL};
    for (const char *const *t = of; *t != NULL; t++)
        if (strcmp(*t, q->task) == 0)
            return q->languages[0] == '\0';
    return ig_store_task_find(q->task)->tuned;
}

static ig_code choose(ig_quantity_list *l, const compare_config *c, const side *s, ig_err *err)
{
    for (int i = 0; i < c->measure.n; i++) {
        ig_quantity q;
        IG_TRY(ig_quantity_parse(&q, c->measure.text[i], "--measure", 0, err));
        IG_TRY(ig_quantity_list_add(l, &q, err));
    }
    if (c->measure.n > 0)
        return IG_ERR_OK;
    IG_TRY(ig_lab_measured(l, s->results->store, err));
    int kept = 0;
    for (int i = 0; i < l->n; i++)
        if (c->all || usual(&l->q[i]))
            l->q[kept++] = l->q[i];
    l->n = kept;
    return IG_ERR_OK;
}

/* --- the command ------------------------------------------------------------------------------ */

static ig_code print(const compare_config *c, const ig_comparison *of, const side s[2], ig_err *err)
{
    ig_table *t;
    if (c->format == IG_FORM_JSON || c->json)
        return ig_json_print(ig_comparison_json(of, s[0].given, s[1].given), err);
    IG_TRY(ig_comparison_table(&t, of, s[0].given, s[1].given, err));
    return ig_table_put(stdout, t, c->format, true, err);
}

/* Its quantities are those that are compared. */
static ig_code check_finished(const side *s, ig_err *err)
{
    int64_t n = 0;
    for (int i = 0; i < s->results->n_cell; i++)
        n += s->results->cell[i].n_status[IG_RUN_DONE];
    if (n > 0)
        return IG_ERR_OK;
    ig_fail(err, IG_ERR_IO, s->given, 0, "no run is finished, expected some to compare");
    return ig_hint(err, "--store names another folder of results than the default");
}

static ig_code compare(const compare_config *c, const side s[2], ig_err *err)
{
    ig_quantity_list l = {0};
    ig_comparison out = {0};
    ig_code code = check_finished(&s[0], err);
    IG_THEN(code, choose(&l, c, &s[0], err));
    IG_THEN(code, ig_comparison_make(&out,
                                     &(ig_comparison_of){s[0].results, s[1].results, l.q, l.n,
                                                         c->cell.text, c->cell.n},
                                     err));
    if (code == IG_ERR_OK && out.n_cells == 0) {
        ig_fail(err, IG_ERR_INPUT, s[1].given, 0, "found no cell that %.100s has, expected one",
                s[0].given);
        code = ig_hint(err, "--cell NAME=NAME compares cells of other names");
    }
    IG_THEN(code, print(c, &out, s, err));
    ig_comparison_free(&out);
    ig_free(l.q);
    return code;
}

static ig_code run_compare(void *config, int n_arg, char *const *arg, ig_err *err)
{
    const compare_config *c = config;
    IG_OWNED side *s = NULL;
    (void)n_arg;
    IG_TRY(ig_alloc(&s, 2, sizeof *s, "two experiments", err));
    ig_code code = open_side(&s[0], c, arg[0], err);
    IG_THEN(code, open_side(&s[1], c, arg[1], err));
    IG_THEN(code, compare(c, s, err));
    close_side(&s[0]);
    close_side(&s[1]);
    return code;
}

const ig_command ig_cmd_compare = {
    .name = "compare",
    .summary = "compare two experiments, stores or variants: tests, differing settings",
    .args = "A B",
    .details =
        "A and B are each an experiment file, a store's folder, or results that `isoglot export` "
        "wrote (.jsonl). After '#' follow the variants of an experiment file, or the name of one "
        "experiment of a store or of results. For every cell and quantity that both have: both "
        "means over seeds, B - A with its interval and p, both adjusted for the number of cells; "
        "then the settings that differ.\n"
        "Examples:\n"
        "  isoglot compare 'mini.yaml#world' 'mini.yaml#world,rotary'\n"
        "  isoglot compare isoglot-store ../colleague/isoglot-store --measure mu\n"
        "  isoglot compare a.jsonl b.jsonl --cell 0=base --json",
    IG_COMMAND_OPTIONS(compare_options, compare_config),
    .run = run_compare,
};

/* --- export ----------------------------------------------------------------------------------- */

/* ig_export_format */
static const char *const formats[] = {"jsonl", "csv", "tensorboard", NULL};

typedef struct {
    ig_lab_place place;
    ig_text_list results;
    char *only;
    ig_lab_export_options what;
} export_config;

static const ig_option export_options[] = {
    {.group = "Output",
     IG_PATH(export_config, "out", what.dir, "PATH",
             "file to write (none: standard output), or the folder of tensorboard")},
    {.old = "format",
     IG_ENUM(export_config, "as", what.format, "jsonl", formats,
             "jsonl is what report --results reads; csv has all of a value in its line; "
             "tensorboard is a folder of event files")},
    {IG_TEXT(export_config, "only", only, NULL, "SELECTOR",
             "only these cells and seeds: 8  8,1?  8:0  '*:0-2'  batch=64  lang-pos")},
    {IG_FLAG(export_config, "curves", what.steps, NULL,
             "what figures show over the training, at every checkpoint; with --all, all that was "
             "measured there")},
    {IG_FLAG(export_config, "all", what.all, NULL,
             "all that was measured of finished models, not only what tables and figures show")},
    {IG_TEXTS(export_config, "results", results, "FILE",
              "read results that isoglot export wrote, in place of a store; several files, say of "
              "seeds that ran on several machines, become one")},
    IG_LAB_PLACE_OPTIONS(export_config, place),
};

static ig_code export_file(FILE *fp, const export_config *c, const char *file, ig_err *err)
{
    ig_lab_export_options all = c->what, *what = &all;
    all.store = ig_lab_store(c->place.store);
    const ig_lab_report_options o = {.only = c->only,
                                     .steps = !what->steps ? IG_LAB_FINISHED
                                              : what->all  ? IG_LAB_ALL_STEPS
                                                           : IG_LAB_FIGURES,
                                     .results = (const char *const *)c->results.text,
                                     .n_results = c->results.n};
    IG_SCOPED(ig_experiment_free) ig_experiment e = {0};
    IG_SCOPED(ig_lab_report_close) ig_lab_report r = {0};
    IG_TRY(ig_lab_place_read(&e, file, &c->place, err));
    IG_TRY(ig_lab_report_open(&r, &e, ig_lab_store(c->place.store), &o, err));
    return ig_lab_export(fp, &r, what, err);
}

/* All experiments of a store's folder, or of a file of results. */
static ig_code export_source(FILE *fp, const export_config *c, const char *path, ig_err *err)
{
    ig_lab_export_options chosen = c->what, *what = &chosen;
    ig_lab_source all;
    chosen.store = ig_dir_exists(path) ? path : NULL;
    if (c->only != NULL || c->place.variant != NULL || c->place.set.n > 0 || c->results.n > 0)
        return ig_fail(err, IG_ERR_USAGE, path, 0,
                       "--only, --variant, --set and --results are of an experiment file, found "
                       "results");
    ig_pool pool = {0};
    const char **name;
    int64_t n;
    ig_code code = ig_lab_source_experiments(&name, &n, &pool, path, err);
    for (int64_t i = 0; i < n && code == IG_ERR_OK; i++) {
        code = ig_lab_source_open(&all, path, name[i], !what->steps && ig_dir_exists(path), err);
        IG_THEN(code, ig_lab_export_source(fp, &all, what, err));
        ig_lab_source_close(&all);
    }
    ig_pool_free(&pool);
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
    .details =
        "FILE is an experiment file given to `isoglot run`. Writes what its tables and figures "
        "show of the finished runs: a line for each run and for each of its values. `isoglot "
        "report FILE --results` makes the same tables from them. STORE is a store's folder, or a "
        "file of results: all of its experiments, and all values of finished models. tensorboard "
        "has all checkpoints, a "
        "folder for each run, with the loss at every logged step and the settings as "
        "hyperparameters: tensorboard --logdir events\nExamples:\n"
        "  isoglot export mini.yaml -o results/mini.jsonl\n"
        "  isoglot export order.yaml --set precision=bfloat16 -o results/order.jsonl\n"
        "  isoglot export mini.yaml --results here.jsonl --results there.jsonl -o mini.jsonl\n"
        "  isoglot export mini.yaml --all --as csv -o mini.csv\n"
        "  isoglot export isoglot-store --as tensorboard -o events",
    IG_COMMAND_OPTIONS(export_options, export_config),
    .run = run_export,
};
