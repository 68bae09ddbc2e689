/* SPDX-License-Identifier: Apache-2.0
 *
 * Which runs would decide claims: see run_claims.h.
 */
#include "cli/lab/run_claims.h"

#include "base/file.h"
#include "base/memory.h"
#include "lab/report/lab_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_open(const ig_claim_result *c)
{
    return c->claim->n_comparison > 0 && ig_verdict_is_open(c->verdict);
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
    decided d;
    int best = -1;
    double least = 0;
    *selector = NULL;
    ig_code code = open_claims(&d, e, store, err);
    for (int i = 0; i < e->n_claim && code == IG_ERR_OK; i++) {
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
        code = select_cells(selector, &d, e, best, err);
    }
    close_claims(&d);
    return code;
}

ig_code ig_run_claims_all(char **selector, const ig_experiment *e, const char *store, ig_err *err)
{
    decided d;
    ig_code code = open_claims(&d, e, store, err);
    IG_THEN(code, select_cells(selector, &d, e, -1, err));
    close_claims(&d);
    return code;
}

ig_code ig_run_claims_left(const ig_experiment *e, const char *store, ig_err *err)
{
    decided d;
    const ig_code code = open_claims(&d, e, store, err);
    for (int i = 0; i < e->n_claim && code == IG_ERR_OK; i++) {
        const ig_claim_result *c = &d.claims->claim[i];
        if (!is_open(c) || missing(&d, e, c->claim) > 0)
            continue;
        printf("%s: %s with all seeds of the file", c->claim->id, ig_verdict_name(c->verdict));
        if (c->seeds_needed >= 0)
            printf("; about %lld would decide it: more in seeds:", (long long)c->seeds_needed);
        putchar('\n');
    }
    close_claims(&d);
    return code;
}
