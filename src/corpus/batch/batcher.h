/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches for masked and causal language modelling. The batch of a step is a pure function of
 * corpus, options, seed and step: resuming needs no state, and a change of one option leaves the
 * other draws (order, which tokens are masked) unchanged.
 */
#pragma once

#include "corpus/batch/batch_options.h"
#include "isoglot/corpus.h"
#include "isoglot/head_config.h"

typedef struct ig_batcher ig_batcher;

/* Returns the options with a sentence for a sequence, for measures of sentences. */
ig_batch_options ig_batch_of_sentences(const ig_batch_options *options);

/* Borrows the corpus. Sequences: all of language 0, then of 1, …, then those of two languages; a
 * new order each epoch. */
ig_code ig_batcher_new(ig_batcher **out, const ig_corpus *c, const ig_batch_options *options,
                       uint64_t seed, ig_err *err);
void ig_batcher_free(ig_batcher *b);

int64_t ig_batcher_steps_per_epoch(const ig_batcher *b);
int64_t ig_batcher_n_sequence(const ig_batcher *b);
/* Returns the number of a language's first sequence; for the number of languages: of the first
 * after all of them. */
int64_t ig_batcher_first(const ig_batcher *b, int language);
/* Returns an upper bound of n_tok over all batches and all ranges of up to `batch` sequences, for
 * buffers. */
int32_t ig_batcher_max_tokens(const ig_batcher *b);

/* Makes the batch of a step (≥ 0, over the whole training). *out points into the batcher until the
 * next call. */
ig_code ig_batcher_get(ig_batcher *b, int64_t step, ig_batch *out, ig_err *err);

/* For evaluation: makes the sequences from..to−1 in order (language 0 first), 0 ≤ from < to ≤
 * n_sequence, masked (IG_STREAM_EVAL) with the options' shares if `mask`, otherwise unchanged with
 * no predictions. A sequence gets the same masks in every range. */
ig_code ig_batcher_get_range(ig_batcher *b, int64_t from, int64_t to, bool mask, ig_batch *out,
                             ig_err *err);
