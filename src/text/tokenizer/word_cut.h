/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits one word into pieces by the model of a tokenizer.
 */
#pragma once

#include "isoglot/tokenizer.h"

/* A growable list of token ids; `id` is freed with ig_free. */
typedef struct {
    int32_t *id;
    int64_t n, have;
} ig_ids;
ig_code ig_ids_add(ig_ids *ids, int32_t id, ig_err *err);

/* A buffer for words of any length; zeroed at first, `work` freed with ig_free. */
typedef struct {
    char *work;
    int64_t have_work;
} ig_word_buffer;

/* Appends the ids of a word of n > 0 bytes. */
ig_code ig_word_cut(const ig_tokenizer *t, const uint8_t *word, int64_t n, ig_word_buffer *room,
                    ig_ids *out, ig_err *err);
