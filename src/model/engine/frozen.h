/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors that are not trained: products for gradients of their weights are left out, and the
 * backward pass ends at the lowest block that has a tensor to train. Trained tensors get the same
 * bits.
 */
#pragma once

#include "base/order.h"
#include "model/bert_params.h"

#include <stdlib.h>

typedef struct {
    int n;
    int64_t *from; /* [n] their offsets in the block, rising */
    int *floor; /* [languages] the lowest block that the backward pass runs through; −1: and the
                 * embeddings; the number of layers: none; NULL: −1 for all */
    bool *said; /* [parameters] the input that this was made of */
} ig_frozen;

/* Zeroed: nothing is frozen. frozen[ig_bert_n_param] (in addition to the tensors that the model
 * fixes). Freed with ig_frozen_free, also after an error. */
ig_code ig_frozen_set(ig_frozen *f, const ig_bert *model, const bool *frozen, ig_err *err);
void ig_frozen_free(ig_frozen *f);

/* Returns whether the tensor at this offset is frozen. */
static inline bool ig_frozen_at(const ig_frozen *f, int64_t offset)
{
    return f->n > 0 &&
           bsearch(&offset, f->from, (size_t)f->n, sizeof *f->from, ig_by_int64) != NULL;
}
