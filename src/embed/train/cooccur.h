/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts how often words occur near each other, one row of the symmetric table at a time. Instead
 * of adding up pairs in the order of the text (and sorting and merging them where they do not fit),
 * the positions of each word are looked up and its row is added up by itself: rows are independent,
 * need memory for one of them, and each sum has the order of the text for any number of threads.
 */
#pragma once

#include "base/threads/team.h"
#include "embed/train/text_ids.h"

typedef struct {
    int window;     /* words on each side, not beyond the line */
    bool left_only; /* else both sides */
    bool weighted;  /* a pair at distance k counts 1/k, else 1 */
} ig_cooccur_options;

/* A row. */
typedef struct {
    double *sum;   /* [words] of the words in `word`; 0 elsewhere */
    int32_t *word; /* [n] in the order in which they first occur */
    int32_t n;
} ig_cooccur_row;

enum { IG_COOCCUR_RUNS = 256 };

/* Freed with ig_cooccur_free; text and team are borrowed. */
typedef struct {
    const ig_text_ids *text;
    ig_cooccur_options o;
    ig_team *team;
    int64_t *start; /* [words + 1] */
    int64_t *place; /* [tokens] positions of word i: start[i] .. start[i + 1] − 1, ascending */
    int64_t *line;  /* [tokens] the line of each */
    ig_cooccur_row *row;                /* [threads] */
    int32_t first[IG_COOCCUR_RUNS + 1]; /* words cut into runs of about equal work */
} ig_cooccur;

ig_code ig_cooccur_new(ig_cooccur *out, const ig_text_ids *text, const ig_cooccur_options *o,
                       ig_team *team, ig_err *err);
void ig_cooccur_free(ig_cooccur *c);

/* Calls fn with the row of every word, from several threads at once. */
typedef void ig_cooccur_fn(void *arg, int32_t word, const ig_cooccur_row *r);
void ig_cooccur_each(const ig_cooccur *c, ig_cooccur_fn *fn, void *arg);
