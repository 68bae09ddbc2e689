/* SPDX-License-Identifier: Apache-2.0
 *
 * A fastText model (.bin, version 12): arguments, dictionary, and the two matrices. The input
 * matrix has a row for each word and then one for each bucket of character n-grams; the vector of a
 * word, known or not, is the mean of its rows. fastText opens the files written here; those of
 * fastText are read, except quantised and pruned models. Byte for byte: docs/embeddings.md.
 */
#pragma once

#include "base/file.h"
#include "embed/vectors/vectors.h"

enum { IG_FASTTEXT_HS = 1, IG_FASTTEXT_NS = 2, IG_FASTTEXT_SOFTMAX = 3, IG_FASTTEXT_OVA = 4 };
enum { IG_FASTTEXT_CBOW = 1, IG_FASTTEXT_SG = 2, IG_FASTTEXT_SUP = 3 };

/* In the file's form and order. */
typedef struct {
    int32_t dim, ws, epoch, min_count, neg, word_ngrams, loss, model, bucket, minn, maxn,
        lr_update_rate;
    double t;
} ig_fasttext_args;

/* Zeroed: empty. Freed with ig_fasttext_free. */
typedef struct {
    ig_fasttext_args args;
    int64_t n_token;  /* of the training text */
    int32_t n_word;   /* words come first, then the labels of a supervised model */
    ig_lexicon words; /* both */
    int64_t *count;   /* [words.n] */
    int64_t n_in;     /* n_word + args.bucket */
    int64_t n_out;    /* words, or labels */
    float *in, *out;  /* [n_in, dim], [n_out, dim] */
} ig_fasttext;

/* Also true for a model of 2016, which the parser names and refuses. */
bool ig_fasttext_is_model(const uint8_t *data, int64_t size);
ig_code ig_fasttext_parse(ig_fasttext *out, const uint8_t *data, int64_t size, const char *where,
                          ig_err *err);
ig_code ig_fasttext_write(const ig_fasttext *m, const char *path, ig_err *err);
/* Writes into a file that is already open and stays open. */
ig_code ig_fasttext_put(const ig_fasttext *m, ig_out *out, ig_err *err);
void ig_fasttext_free(ig_fasttext *m);
/* False: entry i was left out when the file was read (vectors.h says why); its row stays. */
bool ig_fasttext_named(const ig_fasttext *m, int32_t i);

/* The rows of the input matrix that a word is made of. */
typedef struct {
    const ig_fasttext_args *args;
    int32_t n_word; /* rows of words, before those of n-grams */
    int32_t *row;   /* [n] freed with ig_free */
    int64_t n, have;
} ig_fasttext_rows;

/* Finds the word's own row (id; −1: unknown, none) and, unless it is "</s>", those of its character
 * n-grams of minn to maxn characters between '<' and '>'. */
ig_code ig_fasttext_find_rows(ig_fasttext_rows *r, const char *word, int64_t size, int32_t id,
                              ig_err *err);

/* Computes the vector of any word into out[dim]; zeros when it has no rows. */
ig_code ig_fasttext_vector(const ig_fasttext *m, const char *word, int64_t size, float *out,
                           ig_err *err);
/* Computes the vectors of the model's first max_word words (0: all). */
ig_code ig_fasttext_vectors(ig_vectors *out, const ig_fasttext *m, int64_t max_word, ig_err *err);
ig_code ig_fasttext_vectors_parse(ig_vectors *out, const uint8_t *data, int64_t size,
                                  const char *where, int64_t max_word, ig_err *err);
