/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval after what could be done to vectors, held out: learned from the sentences of even
 * numbers and tested on those of odd ones, and the other way round.
 */
#pragma once

#include "evaluate/card/card_vectors.h"

/* Fills the pair's hits at a layer: cosine, CSLS, centred. */
ig_code ig_held_layer(const ig_card_job *j, int pair, int layer, ig_err *err);
/* After all layers: the numbers at the last and the best layer, LEACE, the rotation, the probes; of
 * the sentence row the first two. */
ig_code ig_held_pairs(const ig_card_job *j, ig_err *err);

/* The layer whose sentences of fold `fold` (0, 1; −1: all) are found best, over the pairs that
 * `use` has (NULL: all); the last of equal ones. */
typedef struct {
    ig_held held;
    ig_card_of which;
    const bool *use;
} ig_held_choice;
int ig_held_best_layer(const ig_diagnosis *d, const ig_held_choice *by, int fold);
