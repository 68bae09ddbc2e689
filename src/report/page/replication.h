/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of a replication: every claim of many experiments, its verdict, the intervals that it
 * rests on, and how to measure what nobody has. One HTML file that needs no network and no script.
 */
#pragma once

#include "report/page/page_answer.h"
#include "report/results/results_claims.h"

#include <stdio.h>

/* An experiment, as its file is or as variants and settings make it, with its claims decided. */
typedef struct {
    const char *folder;  /* of the experiments of one paper */
    const char *paper;   /* what the folder is about */
    const char *name;    /* of the experiment, with variants and settings */
    const char *readme;  /* link to its tables; NULL */
    const char *run;     /* the command that measures it */
    const char *id;      /* of its tables on the page */
    const char *figure;  /* a drawing of it, as a link; NULL */
    const char *picture; /* SVG; the first of a folder stands for it on the first screen; NULL */
    const char *caption; /* of the picture, escaped; NULL */
    bool natural;        /* on natural text, which goes before generated text */
    double size;         /* of layers, hidden sizes, updates and batches: larger goes first */
    ig_table *const *table;
    int n_table; /* 0: nothing was measured */
    const ig_claim_results *claims;
} ig_replication_part;

/* Length of the authors and the year of "Authors 2020, Title"; else of the whole. */
int ig_paper_name_length(const char *paper);
/* Parts are of folders, in order. A claim that several parts have, by text and source, is written
 * once, where it occurs first. */
ig_code ig_replication_write(FILE *fp, const ig_replication_part *part, int n, ig_err *err);
/* Counts the claims of papers by their verdict over all parts: n_verdict[IG_PAGE_N_VERDICT]. */
ig_code ig_replication_count(int n_verdict[IG_PAGE_N_VERDICT], const ig_replication_part *part,
                             int n, ig_err *err);
