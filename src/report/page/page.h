/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of an experiment: question, tables, figures, what is missing, setup, every run and the
 * command that repeats it, in one HTML file that needs no network and no script. What stands in it
 * is in this struct; all of it is shown as text, whatever it holds.
 */
#pragma once

#include "report/results/results.h"
#include "report/table/table.h"

typedef struct {
    const char *key, *value;
} ig_page_fact;

typedef struct {
    const char *name, *title, *caption;
    const char *alt;     /* what a reader who cannot see it is told */
    const char *svg;     /* of ig_figure_svg: put in as it is */
    const char *missing; /* why it could not be drawn, or what of it is left out; NULL */
    bool wide;           /* takes the page's width */
    const char *onset;   /* when its curves set in, in words; NULL */
} ig_page_figure;

/* What the store does not know of a cell. */
typedef struct {
    const char *title;        /* the file's own words; NULL */
    const ig_page_fact *fact; /* [n_fact] settings that differ from the base */
    int n_fact;
    const char *command; /* that runs it; NULL: none does */
    const char *note;    /* why it is not run here; NULL */
} ig_page_cell;

typedef struct {
    const char *name, *title, *question, *paper, *note; /* all but name may be NULL */
    const char *file;                                   /* of the experiment */
    const char *run_command, *report_command;
    const char *store; /* folder, as it is told; NULL: the results are of files */
    const ig_results *results;
    const ig_page_cell *cell;     /* [results->n_cell] */
    const ig_table *const *table; /* [n_table], of ig_table_of_results */
    int n_table;
    const ig_result_table *const *value; /* [n_table] what the tables were made of */
    const ig_table *claims;              /* of ig_claim_results_table; NULL: there are none */
    const ig_page_figure *figure;
    int n_figure;
    const ig_page_fact *setting; /* [n_setting] of the base that are not defaults */
    int n_setting;
    const ig_page_fact *normal; /* [n_normal] the other settings that decide a result */
    int n_normal;
    const ig_page_fact *measured; /* [n_measured] what is measured */
    int n_measured;
    const char *const *caution; /* [n_caution] lines about all of it */
    int n_caution;
} ig_page;

/* More runs than this, and single runs have an address and a time but no values of their own. */
enum { IG_PAGE_MANY_RUNS = 1500 };

/* What any page begins with, up to <body>, with the style inside; `script` is the SHA-256, in
 * base64, of the one script that may run, NULL: none may. */
void ig_page_head(FILE *fp, const char *title, const char *script);

ig_code ig_page_write(FILE *fp, const ig_page *p, ig_err *err);

/* A table with its heading, id before its name, and notes; with the switches of the page `p` (NULL:
 * none). brief: as for ig_table_html. */
ig_code ig_page_table(FILE *fp, const char *id, const ig_table *t, const ig_page *p, bool brief,
                      ig_err *err);
