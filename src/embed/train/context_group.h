/* SPDX-License-Identifier: Apache-2.0
 *
 * One group of words of context.h: its rows, its products, and the gradients with the rows they
 * belong to.
 */
#pragma once

#include "base/rng.h"
#include "embed/train/context.h"
#include "embed/train/word_sampling.h"
#include "tensor/ops.h"

enum { IG_GROUP_PARTS = 16 }; /* rows of a table are added by their number modulo this */

/* Data and options that all groups of a training share. */
typedef struct {
    const ig_context_options *o;
    const ig_ops *ops;
    const ig_context_features *features;
    int ld;
    float *in, *out;
    ig_alias negatives;
    ig_rng_key key;
    int group, n_negative; /* words of a group; negatives that it shares */
    /* The kept words of the current piece of text. */
    int32_t *word; /* numbers */
    int32_t *line; /* number of the line */
    int32_t *raw;  /* position in the piece before subsampling */
    int64_t n;
    int64_t raw0; /* position of the piece in the text */
    uint32_t epoch;
    float lr;
    /* Skip-gram with a long window: a step uses only the contexts whose position is `part` modulo
     * `parts` (0 and 1: all). */
    int parts, part;
} ig_context_shared;

/* Gradient i goes to row row[i]; place[part] .. place[part + 1] − 1 are those of one part. */
typedef struct {
    float *grad;     /* [·, ld] */
    int32_t *row;    /* as found */
    int32_t *of;     /* index of the gradient */
    int32_t *sorted; /* by part, else in order: indices into row and of */
    int64_t n;
    int64_t place[IG_GROUP_PARTS + 1];
} ig_group_rows;

typedef struct {
    int n_span;              /* space for words of the group and of the windows at its ends */
    int n_column;            /* space for output rows */
    float *h, *dh;           /* [group, ld] hidden vectors */
    float *f, *df;           /* [n_span, ld] CBOW: sums of a word's rows */
    float *o;                /* [n_column, ld] output rows */
    float *x;                /* [group, ld_x] scores, then gradients */
    float *positive, *total; /* [group, ld_x] weights of label 1, of both labels */
    int ld_x;
    int32_t *column; /* output row of each column */
    int32_t *negative, *hit;
    int *from, *to; /* [group] windows, as positions in the kept words, both included */
    int lo, hi;     /* the first and last position of all of them, and of the group's words */
    ig_group_rows in, out;
    ig_scratch scratch;
    double loss, weight;
    int64_t n_trained;
} ig_group;

ig_code ig_group_new(ig_group *g, const ig_context_shared *s, int32_t n_word, ig_err *err);
void ig_group_free(ig_group *g);
/* Computes the gradients of words first .. first + n − 1 of the kept ones; n ≤ group. Reads the
 * tables, writes only g. With `loss`, g->loss and g->weight become its sum and the number of pairs
 * (CBOW: of words). */
void ig_group_run(ig_group *g, const ig_context_shared *s, int64_t first, int n, bool loss);
/* Adds the gradients of one part to the tables. */
void ig_group_add(const ig_group *g, const ig_context_shared *s, int part);
