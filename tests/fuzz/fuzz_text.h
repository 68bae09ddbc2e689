/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads all sentences of a file of any bytes and checks each of them.
 */
#pragma once

#include "fuzz_file.h"

#include "corpus/read/sentences.h"

#include <string.h>

static inline void fuzz_text(const uint8_t *data, size_t size, ig_text_kind kind, const char *ids,
                             int switches)
{
    ig_err err = {0};
    const char *path = fuzz_file(data, size), *text;
    ig_sentences *s;
    int64_t n;
    ig_sentence_options o = {.kind = kind,
                             .strip_quotes = (switches & 1) != 0,
                             .clauses = (switches & 2) != 0,
                             .abbreviations = (switches & 4) != 0};
    IG_ASSERT(ig_verse_set_parse(&o.verses, ids, "ids", &err) == IG_ERR_OK);
    IG_ASSERT(ig_sentences_open(&s, &path, 1, &o, &err) == IG_ERR_OK);
    ig_code code;
    while ((code = ig_sentences_next(s, &text, &n, &err)) == IG_ERR_OK && text != NULL)
        IG_ASSERT(n > 0 && text[0] != ' ' && text[n - 1] != ' ' &&
                  memchr(text, '\n', (size_t)n) == NULL);
    IG_ASSERT(code == IG_ERR_OK || (err.msg[0] != '\0' && strcmp(err.where, path) == 0));
    ig_sentences_close(s);
    unlink(path);
}
