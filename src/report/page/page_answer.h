/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums up the claims of an experiment, or of a paper: how many of them hold, and some of
 * those that do and that do not, each with its number.
 */
#pragma once

#include "report/results/results_claims.h"

/* A verdict of ig_verdict, and one more: experiments contradict each other. */
enum { IG_PAGE_MIXED = IG_N_VERDICT, IG_PAGE_N_VERDICT };
const char *ig_page_verdict_name(int verdict);
/* The order in which verdicts are listed: [IG_PAGE_N_VERDICT]. */
extern const int ig_page_verdict_order[];

typedef struct {
    const ig_claim_result *result; /* of one test of it */
    int verdict;                   /* of all of them */
    int n_test;                    /* how many there are */
    const char *link;              /* borrowed; NULL */
} ig_page_claim;

/* {"claims": "40 claims", "counts": [{"verdict", "number", "n", "are"}, …] without zeros, "held",
 * "failed": [{"text", "link", "estimate", "first"}, …], the two with most tests}; null without
 * claims. */
json_t *ig_page_answer(const ig_page_claim *claim, int n);
