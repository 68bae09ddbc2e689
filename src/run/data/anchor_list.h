/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of the pieces that may stay common to two vocabularies (`anchors=FILE` of a language): a
 * piece a line, up to a tab.
 */
#pragma once

#include "isoglot/error.h"
#include "isoglot/tokenizer.h"

/* same[pieces of t]: the piece of the other vocabulary, −1 none; those that are not listed become
 * −1. IG_ERR_INPUT: none is left. */
ig_code ig_anchor_list_keep(int32_t *same, const ig_tokenizer *t, const char *path, ig_err *err);
