/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the input that a command trains embeddings on: texts, cut into words or into the pieces of
 * a vocabulary, or token shards.
 */
#pragma once

#include "embed/train/text_ids.h"

typedef struct {
    ig_sentence_options text;
    ig_text_ids_options words;
    const char *vocab; /* vocab.txt; NULL: words; of a shard: the one in the shard's folder */
} ig_embed_input_options;

/* Reads the files one after another. A file with a shard's first bytes, or a run's folder (its
 * data/train.shard), must be the only one. */
ig_code ig_embed_input(ig_text_ids *out, const char *const *path, int n_path,
                       const ig_embed_input_options *o, ig_err *err);
