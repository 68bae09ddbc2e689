/* SPDX-License-Identifier: Apache-2.0
 *
 * Masks of a sequence: which tokens are predicted, and which tokens replace them. All draws of a
 * token are determined by its key, so neither batch size, nor order, nor the way sentences are put
 * into sequences changes which words are masked.
 */
#pragma once

#include "base/rng.h"
#include "corpus/batch/batch_options.h"
#include "isoglot/corpus.h"

/* The key of a token's draws, beside seed, stream and round. */
typedef struct {
    uint32_t origin, word; /* of ig_corpus_content */
    uint32_t sequence;     /* the sentence's number in its language, and its use */
    uint32_t language;     /* the language's number, and its use */
} ig_token_key;

typedef struct ig_masking ig_masking;

/* Borrows the corpus. Shares that do not add up are IG_ERR_USAGE. */
ig_code ig_masking_new(ig_masking **out, const ig_corpus *c, const ig_batch_options *options,
                       ig_err *err);
void ig_masking_free(ig_masking *m);

/* Sets the shares of this batch of a training (from 0), which near_growth changes; −1: the options'
 * own, as at first. */
void ig_masking_set_batch(ig_masking *m, int64_t batch);
/* Returns whether the tokens of this batch predict the next ones. Causal batches are spread evenly
 * over a training; what is evaluated (−1) is causal where all batches are. */
bool ig_masking_causal(const ig_masking *m);

/* The tokens of a sequence. */
typedef struct {
    ig_rng_key key;
    uint32_t round;             /* distinguishes the masks of one epoch from those of the next */
    const ig_language *special; /* has the special tokens if they are not its languages' own */
    int32_t n, first_row;
    const ig_token_key *token;
    const int32_t *language;
    int32_t *id;          /* changed in place */
    int32_t *row, *label; /* n elements: of the chosen tokens; rows count from first_row */
} ig_masking_tokens;
/* Masks a sequence and returns the number of chosen tokens. */
int32_t ig_masking_run(const ig_masking *m, const ig_masking_tokens *of);
