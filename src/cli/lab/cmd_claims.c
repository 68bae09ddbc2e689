/* SPDX-License-Identifier: Apache-2.0
 *
 * isoglot claims: what experiments claim, and what their runs say of it; and for isoglot run, which
 * runs would decide claims that are open.
 */
#include "cli/lab/run_claims.h"

#include "base/file.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/lab/lab_options.h"
#include "cli/print/print.h"
#include "lab/report/lab_on_paper.h"
#include "lab/report/lab_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ig_lab_place place;
    ig_text_list results;
    ig_table_form format;
    bool json, on_paper;
} claims_config;

static const ig_option options[] = {
    IG_TABLE_FORM_OPTIONS(claims_config, format, json, "how claims are written"),
    {IG_TEXTS(
        claims_config, "results", results, "FILE",
        "read results that isoglot export wrote, of any of the FILEs, in place of a store; may "
        "be given more than once")},
    {IG_FLAG(claims_config, "on-paper", on_paper, NULL,
             "evaluate the statements on the numbers that the paper prints (the reference files of "
             "the tables) instead of runs; one that is false there, or vacuous, is an error")},
    IG_LAB_PLACE_OPTIONS(claims_config, place),
};

/* A file's claims. */
typedef struct {
    ig_experiment e;
    ig_lab_report r;
} claims_of_file;

/* Selects the given results of this experiment; n_file: the number of files. */
static ig_code choose(const char **path, int *n, const ig_experiment *e, const ig_text_list *given,
                      int n_file, ig_err *err)
{
    *n = 0;
    for (int i = 0; i < given->n; i++) {
        bool any = true; /* a missing one is reported by the report */
        if (n_file > 1)
            IG_TRY(ig_lab_results_has(&any, given->text[i], e, err));
        if (any)
            path[(*n)++] = given->text[i];
    }
    return *n > 0 || given->n == 0
               ? IG_ERR_OK
               : ig_fail(err, IG_ERR_INPUT, e->path, 0,
                         "found no results of %.100s in the files of --results, expected some",
                         e->name);
}

static ig_code open_file(claims_of_file *f, const claims_config *c, const char *file, int n_file,
                         ig_err *err)
{
    const char *path[IG_TEXT_LIST_MAX];
    ig_lab_report_options o = {.results = path};
    IG_TRY(ig_lab_place_read(&f->e, file, &c->place, err));
    IG_TRY(choose(path, &o.n_results, &f->e, &c->results, n_file, err));
    const char *store = ig_lab_store(c->place.store);
    const ig_code code = ig_lab_report_open(&f->r, &f->e, store, &o, err);
    return code == IG_ERR_IO && o.n_results == 0 && !ig_dir_exists(store)
               ? ig_lab_place_no_store(&f->e, code, err)
               : code;
}

/* Where claims are put, experiment by experiment: printed, or gathered in `all`. */
typedef struct {
    const claims_config *c;
    json_t *all; /* NULL: they are printed */
    bool first;
    int n_false; /* of a paper's numbers */
} printing;

static ig_code put_claims(void *user, const ig_experiment *e, const ig_claim_results *of,
                          ig_err *err)
{
    printing *p = user;
    const ig_table_form form = p->c->format;
    ig_table *t;
    if (p->all != NULL) {
        json_array_append_new(p->all, json_pack("{s:s, s:s, s:o}", "experiment", e->name, "file",
                                                e->path, "claims", ig_claim_results_json(of)));
        return IG_ERR_OK;
    }
    if (of->n_claim == 0)
        return IG_ERR_OK;
    IG_TRY(ig_claim_results_table(&t, of, err));
    if (!p->first && form != IG_FORM_CSV)
        putchar('\n');
    if (form != IG_FORM_CSV)
        printf(form == IG_FORM_MARKDOWN ? "%s\n\n"
               : form == IG_FORM_LATEX  ? "%% %s\n"
                                        : "%s\n",
               e->name);
    const bool first = p->first;
    p->first = false;
    return ig_table_put(stdout, t, form, first, err);
}

/* The claims of all experiments below a folder, by the results beside them. */
static ig_code folder_claims(printing *p, const char *dir, ig_err *err)
{
    int n[IG_PAGE_N_VERDICT], all = 0;
    const ig_lab_place *place = &p->c->place;
    const char *beside = p->c->results.n > 0      ? "--results"
                         : place->variant != NULL ? "--variant"
                         : place->set.n > 0       ? "--set"
                         : place->store != NULL   ? "--store"
                                                  : NULL;
    if (beside != NULL)
        return ig_fail(err, IG_ERR_USAGE, dir, 0,
                       "found a folder and %s, expected a file, or the folder alone, whose "
                       "results lie beside its files",
                       beside);
    IG_TRY(ig_lab_replication_claims(dir, put_claims, p, n, err));
    if (p->c->format != IG_FORM_TEXT && p->c->format != IG_FORM_MARKDOWN)
        return IG_ERR_OK;
    for (int v = 0; v < IG_PAGE_N_VERDICT; v++)
        all += n[v];
    printf("\n%d claim%s of papers, each over all its experiments:", all, ig_s(all));
    for (int v = 0, put = 0; v < IG_PAGE_N_VERDICT; v++)
        if (n[ig_page_verdict_order[v]] > 0)
            printf("%s %d %s", put++ > 0 ? "," : "", n[ig_page_verdict_order[v]],
                   ig_page_verdict_name(ig_page_verdict_order[v]));
    putchar('\n');
    return IG_ERR_OK;
}

/* --- on the paper's numbers ------------------------------------------------------------------- */

static ig_code print_on_paper(const claims_config *c, const ig_experiment *e,
                              const ig_paper_claims *p, bool first, ig_err *err)
{
    ig_table *t;
    if (p->n_claim == 0)
        return IG_ERR_OK;
    IG_TRY(ig_paper_claims_table(&t, p, err));
    if (c->format == IG_FORM_TEXT || c->format == IG_FORM_MARKDOWN)
        printf("%s%s\n%s", first ? "" : "\n", e->name, c->format == IG_FORM_TEXT ? "" : "\n");
    return ig_table_put(stdout, t, c->format, first, err);
}

/* Adds the file's to all, or prints them; n_false: the statements that fail. */
static ig_code file_on_paper(void *user, const char *file, ig_err *err)
{
    printing *to = user;
    const claims_config *c = to->c;
    ig_experiment e = {0};
    ig_paper_claims p = {0};
    ig_code code = ig_lab_place_read(&e, file, &c->place, err);
    IG_THEN(code, ig_paper_claims_make(&p, &e, err));
    if (code == IG_ERR_OK && to->all != NULL)
        json_array_append_new(to->all, json_pack("{s:s, s:s, s:o}", "experiment", e.name, "file",
                                                 e.path, "claims", ig_paper_claims_json(&p)));
    else if (code == IG_ERR_OK) {
        code = print_on_paper(c, &e, &p, to->first, err);
        to->first = to->first && p.n_claim == 0;
    }
    to->n_false += p.n_verdict[IG_ON_PAPER_FAILS] + p.n_verdict[IG_ON_PAPER_VACUOUS];
    ig_paper_claims_free(&p);
    ig_experiment_free(&e);
    return code;
}

static ig_code on_paper(printing *p, int n_arg, char *const *arg, ig_err *err)
{
    if (p->c->results.n > 0)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found --on-paper and --results, expected one");
    for (int i = 0; i < n_arg; i++)
        IG_TRY(ig_dir_exists(arg[i]) ? ig_lab_replication_files(arg[i], file_on_paper, p, err)
                                     : file_on_paper(p, arg[i], err));
    return IG_ERR_OK;
}

static ig_code check_paper(const printing *p, const char *file, ig_err *err)
{
    return p->n_false == 0 ? IG_ERR_OK
                           : ig_fail(err, IG_ERR_INPUT, file, 0,
                                     "found %d claim%s false on the paper's own numbers, or "
                                     "vacuous, expected none",
                                     p->n_false, ig_s(p->n_false));
}

/* --- the command ------------------------------------------------------------------------------ */

static ig_code files_claims(printing *p, int n_arg, char *const *arg, ig_err *err)
{
    IG_OWNED claims_of_file *f = NULL;
    for (int i = 0; i < n_arg; i++)
        if (ig_dir_exists(arg[i]))
            return ig_fail(err, IG_ERR_USAGE, arg[i], 0,
                           "found a folder among %d arguments, expected it alone, or files", n_arg);
    IG_TRY(ig_alloc(&f, n_arg, sizeof *f, "claims", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++)
        code = open_file(&f[i], p->c, arg[i], n_arg, err);
    for (int i = 0; i < n_arg && code == IG_ERR_OK; i++)
        code = put_claims(p, &f[i].e, &f[i].r.claims, err);
    for (int i = 0; i < n_arg; i++) {
        ig_lab_report_close(&f[i].r);
        ig_experiment_free(&f[i].e);
    }
    return code;
}

static ig_code run_claims(void *config, int n_arg, char *const *arg, ig_err *err)
{
    claims_config c = *(claims_config *)config;
    if (c.json && c.format != IG_FORM_TEXT)
        return ig_fail(err, IG_ERR_USAGE, "", 0, "found --as and --json, expected one");
    c.format = c.json ? IG_FORM_JSON : c.format;
    printing p = {.c = &c, .all = c.format == IG_FORM_JSON ? json_array() : NULL, .first = true};
    ig_code code = c.on_paper                            ? on_paper(&p, n_arg, arg, err)
                   : n_arg == 1 && ig_dir_exists(arg[0]) ? folder_claims(&p, arg[0], err)
                                                         : files_claims(&p, n_arg, arg, err);
    if (code == IG_ERR_OK && p.all != NULL)
        code = ig_json_print(p.all, err);
    else
        json_decref(p.all);
    IG_THEN(code, check_paper(&p, arg[0], err));
    return code;
}

const ig_command ig_cmd_claims = {
    .name = "claims",
    .summary = "the claims of experiments, and whether their runs support them",
    .args = "FILE…|DIR",
    .details =
        "FILE is an experiment file with claims:; DIR is a folder of them, or of such "
        "folders, their results in results/, which then decide. Tests over seeds decide whether "
        "each claim is "
        "supported, contradicted, partly supported, undecided (with the number of seeds that would "
        "decide it) or not measured; docs/claims.md has all verdicts. The exit code is 0 whatever "
        "the verdicts, but 3 if with --on-paper a statement is false on the paper's numbers.\n"
        "Examples:\n"
        "  isoglot claims experiments/k2020/mini.yaml --results "
        "experiments/k2020/results/mini.jsonl\n"
        "  isoglot claims mini.yaml order.yaml --json\n"
        "  isoglot claims experiments\n"
        "  isoglot claims --on-paper experiments",
    IG_COMMAND_OPTIONS(options, claims_config),
    .run = run_claims,
};

/* --- runs that would decide ------------------------------------------------------------------- */

/* The claims as the store decides them; without a store nothing is measured. */
typedef struct {
    ig_lab_report r;
    ig_results none;
    ig_claim_results empty;
    const ig_claim_results *claims;
    ig_costs costs; /* of a run of each cell */
} decided;

static ig_code open_claims(decided *d, const ig_experiment *e, const char *store, ig_err *err)
{
    const ig_lab_report_options o = {.steps = IG_LAB_FINISHED};
    *d = (decided){0};
    if (ig_dir_exists(store)) {
        const ig_code code = ig_lab_report_open(&d->r, e, store, &o, err);
        if (code != IG_ERR_IO) {
            d->claims = &d->r.claims;
            return code == IG_ERR_OK ? ig_lab_cell_costs(&d->costs, e, &d->r.results, err) : code;
        }
        ig_lab_report_close(&d->r); /* a folder without a store in it */
    }
    d->claims = &d->empty;
    IG_TRY(ig_lab_claims(&d->empty, e, &d->none, err));
    return ig_lab_cell_costs(&d->costs, e, &d->none, err);
}

static void close_claims(decided *d)
{
    ig_costs_free(&d->costs);
    if (d->claims == &d->empty)
        ig_claim_results_free(&d->empty);
    else
        ig_lab_report_close(&d->r);
}

/* Returns the runs of the file's seeds that a cell still needs. */
static int64_t missing_of(const decided *d, const ig_cell *c)
{
    const ig_result_cell *got =
        d->claims == &d->empty ? NULL : ig_results_cell(&d->r.results, c->name);
    if (ig_lab_report_needs(c) != NULL)
        return 0; /* it is not run here */
    return c->n_seed - (got != NULL ? got->n_status[IG_RUN_DONE] : 0);
}

/* No run decides a claim whose design decides nothing. */
static bool is_open(const ig_claim_result *c)
{
    return c->claim->n_comparison > 0 && c->claim->caveat == NULL && ig_verdict_is_open(c->verdict);
}

/* Seconds of the runs that a claim's cells lack; 0: they lack none. */
static double missing(const decided *d, const ig_experiment *e, const ig_claim *c)
{
    double sum = 0;
    for (int i = 0; i < e->n_cell; i++)
        if (ig_claim_rests_on(c, e->cell[i].name))
            sum += (double)missing_of(d, &e->cell[i]) * ig_costs_guess(&d->costs, i);
    return sum;
}

/* Adds the claim's cells that lack runs to a selector. */
static void write_cells(FILE *fp, const decided *d, const ig_experiment *e, const ig_claim *c)
{
    for (int i = 0; i < e->n_cell; i++)
        if (ig_claim_rests_on(c, e->cell[i].name) && missing_of(d, &e->cell[i]) > 0)
            fprintf(fp, "%s%s", ftell(fp) > 0 ? "," : "", e->cell[i].name);
}

/* The selector of claim `one`, or of all that are open (−1). */
static ig_code select_cells(char **out, const decided *d, const ig_experiment *e, int one,
                            ig_err *err)
{
    char *text = NULL;
    size_t size;
    FILE *fp = open_memstream(&text, &size);
    *out = NULL;
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "claims", 0, "not enough memory for names of cells");
    for (int i = 0; i < e->n_claim; i++)
        if ((one < 0 || i == one) && is_open(&d->claims->claim[i]))
            write_cells(fp, d, e, &e->claim[i]);
    if (fclose(fp) == 0 && size > 0)
        *out = text;
    else
        free(text);
    return IG_ERR_OK;
}

ig_code ig_run_claims_next(char **selector, bool *tried, const ig_experiment *e, const char *store,
                           ig_err *err)
{
    IG_SCOPED(close_claims) decided d = {0};
    int best = -1;
    double least = 0;
    *selector = NULL;
    IG_TRY(open_claims(&d, e, store, err));
    for (int i = 0; i < e->n_claim; i++) {
        if (tried[i] || !is_open(&d.claims->claim[i]))
            continue;
        const double n = missing(&d, e, &e->claim[i]);
        if (n > 0 && (best < 0 || n < least)) {
            best = i;
            least = n;
        }
    }
    if (best >= 0) {
        tried[best] = true;
        IG_TRY(select_cells(selector, &d, e, best, err));
    }
    return IG_ERR_OK;
}

ig_code ig_run_claims_all(char **selector, const ig_experiment *e, const char *store, ig_err *err)
{
    IG_SCOPED(close_claims) decided d = {0};
    IG_TRY(open_claims(&d, e, store, err));
    return select_cells(selector, &d, e, -1, err);
}

ig_code ig_run_claims_left(const ig_experiment *e, const char *store, ig_err *err)
{
    IG_SCOPED(close_claims) decided d = {0};
    IG_TRY(open_claims(&d, e, store, err));
    for (int i = 0; i < e->n_claim; i++) {
        const ig_claim_result *c = &d.claims->claim[i];
        if (!is_open(c) || missing(&d, e, c->claim) > 0)
            continue;
        printf("%s: %s with all seeds of the file", c->claim->id, ig_verdict_name(c->verdict));
        if (c->seeds_needed >= 0)
            printf("; about %lld would decide it: raise seeds: in the file",
                   (long long)c->seeds_needed);
        putchar('\n');
    }
    return IG_ERR_OK;
}
