/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks whether a model can run a batch.
 */
#pragma once

#include "isoglot/bert.h"

/* IG_ERR_INPUT: an id, a position, a segment, a label or a language that the model has no row for,
 * or a sequence longer than its positions. Where languages have their own parts, sequences of one
 * language must be adjacent. */
ig_code ig_batch_check(const ig_bert_config *c, const ig_batch *b, ig_err *err);
