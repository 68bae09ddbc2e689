/* SPDX-License-Identifier: Apache-2.0
 *
 * Training word vectors from the words around them: skip-gram and CBOW of word2vec and fastText,
 * with negative sampling, deterministic for any number of threads.
 *
 * The text is cut into groups of consecutive words. A group is one mini-batch: its hidden vectors
 * (one for each word) times its output rows is a small matrix product, its negatives are shared by
 * all its words and weighted so that each word has in expectation what the original draws for it. A
 * block is a fixed number of groups from places far apart in the text; they are computed in
 * parallel against the same tables, and then their gradients are added in the order of the groups.
 * Where a word has so many pairs that one step would be too far, its window is taken in parts, a
 * step each.
 * experiments/embeddings compares this with the originals.
 */
#pragma once

#include "base/threads/team.h"
#include "embed/train/text_ids.h"

typedef enum { IG_CONTEXT_SKIPGRAM, IG_CONTEXT_CBOW } ig_context_model;

typedef struct {
    ig_context_model model;
    int dim, window, negative, epochs;
    double lr, min_lr;  /* linear from lr to min_lr over the words read */
    double sample;      /* threshold t of subsampling; 0: none */
    double ns_exponent; /* negatives in proportion to count^this */
    double init;        /* input vectors begin uniform in ±init / dim */
    uint64_t seed;
    int shared;        /* negatives that a group shares; 0: 64, CBOW 32 */
    int group, groups; /* words of a group, groups of a block; 0: chosen from the data */
} ig_context_options;

/* Word i is made of the rows row[start[i]] .. row[start[i + 1] − 1] of the input table; start NULL:
 * of row i alone. */
typedef struct {
    const int64_t *start;
    const int32_t *row;
} ig_context_features;

typedef struct {
    int64_t n_word;    /* read, over all epochs */
    int64_t n_trained; /* left after subsampling */
    double loss; /* mean over (word, context) pairs, CBOW: words, sampled over the last epoch */
    int shared, group, groups, parts; /* as used; a window is processed in `parts` steps */
} ig_context_report;

/* Floats from row to row of the tables: dim rounded up; the rest of a row is 0 and stays 0. */
int ig_context_stride(int dim);
/* Rows first .. first + n − 1 of an input table, uniform in ±range; a function of seed and row. */
void ig_context_init(float *x, int64_t first, int64_t n, int dim, double range, uint64_t seed);

typedef struct {
    float *in;    /* [n_in, stride] */
    int64_t n_in; /* rows of the features */
    float *out;   /* [words, stride] */
    ig_context_features features;
} ig_context_tables;
/* Trains both tables. IG_ERR_NUMERIC when a value is not finite in the end. */
ig_code ig_context_train(const ig_context_tables *tables, const ig_text_ids *text,
                         const ig_context_options *o, ig_team *team, ig_context_report *report,
                         ig_err *err);
