/* SPDX-License-Identifier: Apache-2.0
 *
 * The precompiled character map of SentencePiece's models, as tokenizer.json keeps it.
 */
#pragma once

#include "text/byte_text.h"

typedef struct ig_charsmap ig_charsmap;

/* Decodes base64. IG_ERR_INPUT if the text is not base64 or its parts do not fit. Freed with
 * ig_charsmap_free. */
ig_code ig_charsmap_new(ig_charsmap **out, const char *base64, const char *where, ig_err *err);
void ig_charsmap_free(ig_charsmap *m);

/* Maps n bytes of well-formed UTF-8 and appends the result. */
ig_code ig_charsmap_apply(const ig_charsmap *m, const uint8_t *text, int64_t n, ig_byte_text *out,
                          ig_err *err);
