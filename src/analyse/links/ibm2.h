/* SPDX-License-Identifier: Apache-2.0
 *
 * Word alignments learned from parallel text alone: IBM Model 2 whose prior prefers the diagonal
 * (Dyer, Chahuneau, Smith, "A simple, fast, and effective reparameterization of IBM Model 2",
 * NAACL 2013: fast_align). Every word of the one sentence comes from a word of the other, or from
 * none; which word means what, and how near the diagonal they lie, is learned together.
 */
#pragma once

#include "base/strings/lexicon.h"
#include "base/threads/team.h"

#include <signal.h>
#include <stdbool.h>

/* Sentence pairs, as words. Zeroed: none. Freed with ig_bitext_free. */
typedef struct {
    int64_t n;
    int64_t *first[2]; /* [n + 1] of the words of each sentence */
    int32_t *word[2];  /* [first[n]] of the lexicon */
    ig_lexicon lexicon[2];
    int64_t have_first[2], have_word[2];
} ig_bitext;
/* One pair, cut at white space. A sentence without words is allowed: it gets no links. */
ig_code ig_bitext_add(ig_bitext *t, const char *const text[2], ig_err *err);
/* A sentence of n numbers, each a word: of a pair side 0, then side 1. */
ig_code ig_bitext_add_numbers(ig_bitext *t, int side, const int32_t *number, int32_t n,
                              ig_err *err);
/* The number that a word of such a side is. */
int32_t ig_bitext_number(const ig_bitext *t, int side, int32_t word);
void ig_bitext_free(ig_bitext *t);

enum { IG_IBM2_MAX = 100 };
typedef struct {
    int iterations; /* 1 … IG_IBM2_MAX; 5 there */
    double alpha;   /* of the Dirichlet prior of a word's translations, variational Bayes; .01
                       there; 0: none, the most likely ones */
    double none;    /* probability that a word comes from none; .08 there */
    double tension; /* λ of exp(−λ |i/m − j/n|), to begin with; 4 there */
    bool fixed_tension;
    const volatile sig_atomic_t *stop; /* polled between iterations; NULL: never */
} ig_ibm2_options;

typedef struct {
    double log_likelihood[IG_IBM2_MAX]; /* of the words, before each update; with alpha 0 it never
                                           falls */
    double tension;                     /* at the end */
    int64_t n_cell;                     /* pairs of words that occur in one sentence pair */
} ig_ibm2_report;

typedef struct {
    const ig_bitext *text;
    int from;
} ig_ibm2_task;
/* Learns to say side 1 − from by side `from`, and links: partner[w] of the w-th word of side 1 −
 * from is the place in its pair of the likeliest word of side `from` (the nearest to the diagonal
 * first, of equals), or −1. The same bits for any team. Memory: four bytes for each pair of words
 * that stand together, 20 for each such pair of different words. A text without pairs of words is
 * IG_ERR_INPUT. */
ig_code ig_ibm2_align(int32_t *partner, ig_ibm2_report *r, const ig_ibm2_task *task,
                      const ig_ibm2_options *o, ig_team *team, ig_err *err);
/* Both ways with the numbers that are there: partner[x][w] of the w-th word of side x, the
 * caller's. */
ig_code ig_ibm2_both(int32_t *partner[2], const ig_bitext *t, ig_team *team, ig_err *err);
/* The word of side 1 that word w of side 0, in pair i, is linked with both ways; −1: none. Words
 * are counted through all pairs. */
int64_t ig_ibm2_linked(const ig_bitext *t, int32_t *const partner[2], int64_t i, int64_t w);
