/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of an experiment: question, tables, figures, what is missing, setup, every run and the
 * command that repeats it, in one HTML file that needs no network and no script: page.html, filled
 * from data. All data are shown as text, never as markup.
 */
#pragma once

#include "report/page/page_template.h"
#include "report/results/results_claims.h"
#include "report/table/table.h"

typedef struct {
    /* Data from the experiment's file alone, by the keys of page.html: name, title, question,
     * paper, note, file, run_command, report_command, store (null: the results are of files); facts
     * refresh (seconds after which the page loads itself again, or none);
     * {key, value}: setting (of the base, not defaults), normal (the other settings that decide a
     * result), measured; figures {name, title, caption, alt, svg, wide, onset, missing (why it
     * could not be drawn, or what of it is left out)}; cells {title, facts (settings that differ
     * from the base), command, note (why it is not run here)}, in the order of the results. The
     * writer adds to it. */
    json_t *about;
    const ig_results *results;
    const ig_result_table *table; /* [n_table] */
    int n_table;
    const ig_claim_results *claims; /* NULL, or of no claim: there are none */
} ig_page;

/* More runs than this, and single runs have an address and a time but no values of their own. */
enum { IG_PAGE_MANY_RUNS = 1500 };

ig_code ig_page_write(FILE *fp, const ig_page *p, ig_err *err);

/* A table as page.html shows it: id begins its name. brief: as for ig_table_html. Owned by the
 * caller. */
ig_code ig_page_table(json_t **out, const char *id, const ig_table *t, bool brief, ig_err *err);
/* Adds what the head of a page wants beside its title; script: page.js, and that it may run. */
void ig_page_head(json_t *data, bool script);
/* Writes a part of page.html; IG_ERR_MEMORY if data could not be allocated. */
ig_code ig_page_put(FILE *fp, const char *part, const json_t *data, ig_err *err);
