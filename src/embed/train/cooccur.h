/* SPDX-License-Identifier: Apache-2.0
 *
 * How often words stand near each other, a row of the symmetric table at a time. Instead of adding
 * up pairs in the order of the text (and sorting and merging them where they do not fit), the
 * places of each word are looked up and its row is added up by itself: rows are independent, need
 * memory for one of them, and each sum has the order of the text for any number of threads.
 */
#pragma once

#include "base/threads/team.h"
#include "embed/train/text_ids.h"

typedef struct {
    int window;     /* words on each side, not beyond the line */
    bool left_only; /* else both sides */
    bool weighted;  /* a pair at distance k counts 1/k, else 1 */
} ig_cooccur_options;

/* Freed with ig_cooccur_free; the text is borrowed. */
typedef struct {
    const ig_text_ids *text;
    ig_cooccur_options o;
    int64_t *start; /* [words + 1] */
    int64_t *place; /* [tokens] places of word i: start[i] .. start[i + 1] − 1, ascending */
    int32_t *line;  /* [tokens] words between the token and the begin of its line, at most window */
    int32_t *rest;  /* [tokens] the same to its end */
} ig_cooccur;

ig_code ig_cooccur_new(ig_cooccur *out, const ig_text_ids *text, const ig_cooccur_options *o,
                       ig_err *err);
void ig_cooccur_free(ig_cooccur *c);

/* One row. Zeroed before the first use; freed with ig_cooccur_row_free. */
typedef struct {
    double *sum;   /* [words] of the words in `word`; 0 elsewhere */
    int32_t *word; /* [n] in the order in which they first occur */
    int32_t n;
} ig_cooccur_row;

ig_code ig_cooccur_row_new(ig_cooccur_row *r, int32_t n_word, ig_err *err);
void ig_cooccur_row_free(ig_cooccur_row *r);
/* Fills r with the row of a word (what r held is forgotten). */
void ig_cooccur_take(const ig_cooccur *c, int32_t word, ig_cooccur_row *r);

/* Words cut into runs of about equal work: run i is first[i] .. first[i + 1] − 1. `first` has
 * IG_COOCCUR_RUNS + 1 places. */
enum { IG_COOCCUR_RUNS = 256 };
void ig_cooccur_runs(const ig_cooccur *c, int32_t *first);
