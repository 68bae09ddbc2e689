/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of a layer's weights.
 */
#pragma once

#include "isoglot/bert.h"

/* The weights of a layer (0: the embeddings, l: block l), those of all languages, as a new model of
 * this shape and seed has them. */
ig_code ig_edit_reinit(ig_bert *m, int layer, uint64_t seed, ig_err *err);
/* Opens the other model of an edit, a run's newest or any folder's; one without a tensor of layers
 * `first` to `last` is IG_ERR_INPUT. Freed with ig_bert_free. */
ig_code ig_edit_other_model(ig_bert **out, const char *model, int first, int last, ig_err *err);
/* As another model has them; one without such tensors, or with some of another shape, is
 * IG_ERR_INPUT. */
ig_code ig_edit_swap(ig_bert *m, int layer, const char *model, ig_err *err);
