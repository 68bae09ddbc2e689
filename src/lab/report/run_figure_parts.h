/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations shared by the figures of a model: the opened run, the vectors of its content
 * tokens.
 */
#pragma once

#include "lab/report/run_figure.h"
#include "run/measure/open_run.h"

typedef struct {
    ig_figure *f;
    const ig_run_figure_options *o;
    const char *name;
    json_t *numbers;
    ig_open_run run;
    const ig_language *language[2]; /* a and b */
    const ig_corpus *corpus;        /* the development text's */
} ig_look;

/* The title of a panel: the name, what else it is, both or none. */
ig_code ig_look_title(ig_look *l, const char **out, ig_err *err, const char *more);
/* Takes an object over; NULL, or an array that is not wanted, is fine. */
ig_code ig_look_numbers(ig_look *l, json_t *numbers, ig_err *err);
/* Returns whether an id is a word or a piece of one; else a special token, shared or of a block. */
bool ig_look_is_content(const ig_look *l, int language, int32_t id);
/* Rows of one or two groups, x [n[0] + n[1], d], the second group after the first. */
typedef struct {
    const float *x;
    int d, n_group;
    int64_t n[2];
    const char *const *label; /* [n[0] + n[1]] of the rows; NULL: none */
    const char *name[2];      /* of the groups */
    /* Numbers shown in the panel: */
    double share[2]; /* of the first two components; 0: there is none */
    double between;  /* ig_between_share of two groups */
} ig_cloud;
/* Adds a panel of their first two principal components. */
ig_code ig_cloud_panel(ig_figure *f, ig_panel **out, ig_cloud *c, ig_err *err);
/* Links row i of the first group of such a panel to row i of the second, for n of them. */
ig_code ig_cloud_link(ig_figure *f, ig_panel *p, int64_t n, ig_err *err);
/* Returns the i-th of `wanted` ranks among n words, from the most frequent (0) to the rarest in
 * equal factors, each after the previous (−1: none). */
int64_t ig_sample_rank(int64_t i, int64_t wanted, int64_t n, int64_t before);
