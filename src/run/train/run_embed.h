/* SPDX-License-Identifier: Apache-2.0
 *
 * Static vectors of the word pieces of a run's data: the training of a cell with `trainer:
 * word2vec`, `fasttext` or `glove`. The text is that of all languages, one after another, in the
 * pieces that a BERT on the same data would see; sentences are whole. Settings without an option
 * are as in the original programs (docs/embeddings.md).
 */
#pragma once

#include "embed/vectors/vectors.h"
#include "run/data/setup.h"

typedef struct {
    int64_t n_pass;  /* over the text; of GloVe over the cells */
    int64_t n_token; /* of the text */
    int64_t n_piece; /* with a vector */
    int dim, window;
    double loss;    /* mean over the last pass */
    double seconds; /* of the training */
} ig_run_embed_result;

/* Returns how often the trainer goes over the text. */
int64_t ig_run_embed_passes(ig_trainer_kind trainer, const ig_run_vectors *v);

typedef struct {
    ig_trainer_kind trainer;
    ig_run_vectors vectors;
    int dim;
    uint64_t seed;
    const ig_setup *setup;
    int64_t most;       /* sentences of each language, the first; 0: all */
    const char *folder; /* where GloVe spills to */
    ig_team *team;
} ig_run_embed_job;

/* Freed with ig_vectors_free; words are the pieces of ig_setup_pieces. */
ig_code ig_run_embed(ig_vectors *out, ig_run_embed_result *r, const ig_run_embed_job *job,
                     ig_err *err);
