/* SPDX-License-Identifier: Apache-2.0
 *
 * Static vectors of the word pieces of a run's data: what a cell with `trainer: word2vec`,
 * `fasttext`, `glove` or `svd` trains. The text is that of all languages, one behind another, in
 * the pieces that a BERT on the same data would see; sentences are whole. What has no option is as
 * in the original programs (docs/embeddings.md).
 */
#ifndef IG_RUN_TRAIN_RUN_EMBED_H
#define IG_RUN_TRAIN_RUN_EMBED_H

#include "embed/vectors/vectors.h"
#include "run/data/setup.h"

typedef struct {
    int64_t n_pass;  /* over the text; of GloVe over the cells, of SVD of subspace iteration */
    int64_t n_token; /* of the text */
    int64_t n_piece; /* with a vector */
    int dim, window;
    double loss;    /* mean over the last pass; SVD: the share of the table that is not explained */
    double seconds; /* of the training */
} ig_run_embed_result;

/* How often the trainer goes over the text. */
int64_t ig_run_embed_passes(const ig_run_config *c);

/* Of each language the first `most` sentences (0: all). `folder`: where GloVe spills to. Freed with
 * ig_vectors_free; words are the pieces of ig_setup_pieces. */
ig_code ig_run_embed(ig_vectors *out, ig_run_embed_result *r, const ig_run_config *c,
                     const ig_setup *s, int64_t most, const char *folder, ig_team *team,
                     ig_err *err);

#endif
