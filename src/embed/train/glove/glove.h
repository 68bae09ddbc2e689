/* SPDX-License-Identifier: Apache-2.0
 *
 * GloVe (Pennington, Socher, Manning, EMNLP 2014): weighted least squares on the logarithms of
 * cooccurrence counts, AdaGrad. Cells are divided into P × P blocks by their two words; P blocks
 * that share neither a row nor a column are worked through at the same time, cell after cell
 * (Gemulla, Nijkamp, Haas, Sismanis, "Large-scale matrix factorization with distributed stochastic
 * gradient descent", KDD 2011): what one thread would compute, for any number of them.
 */
#pragma once

#include "base/threads/team.h"
#include "embed/train/text_ids.h"
#include "embed/vectors/vectors.h"

/* --- counts of words near each other ---------------------------------------------------------- */

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

/* ETA: biases move as in the program of 2015, at the rate of the vectors. ONE: as in today's, whose
 * bias update has no eta. */
typedef enum { IG_GLOVE_BIAS_ONE, IG_GLOVE_BIAS_ETA } ig_glove_bias;
typedef enum { IG_GLOVE_SUM, IG_GLOVE_WORD } ig_glove_result; /* W + W~, or W */

typedef struct {
    ig_cooccur_options cooccur;
    int dim, iterations;
    double eta, x_max, alpha;
    ig_glove_bias bias;
    ig_glove_result result;
    double memory;      /* bytes of cells in memory; more go to a temporary file */
    const char *folder; /* of that file */
    uint64_t seed;
} ig_glove_options;

typedef struct {
    int64_t n_cell;
    bool spilled;
    double seconds_count, seconds_train;
    double cost; /* mean over the cells, in the last iteration */
} ig_glove_report;

/* Moves the words of `text` into *out. */
ig_code ig_glove(ig_vectors *out, ig_text_ids *text, const ig_glove_options *o, ig_team *team,
                 ig_glove_report *report, ig_err *err);
