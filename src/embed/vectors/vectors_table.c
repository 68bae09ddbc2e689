/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of vectors, and what the readers of all formats check alike: a header, a word.
 */
#include "embed/vectors/vectors_formats.h"

#include "base/memory.h"
#include "text/utf8.h"

#include <stdio.h>

enum { WORD_BYTES_MAX = 4096 };

ig_code ig_vectors_new(ig_vectors *out, ig_lexicon *w, int d, ig_err *err)
{
    *out = (ig_vectors){0};
    IG_TRY(ig_alloc(&out->x, (int64_t)w->n * d, sizeof *out->x, "word vectors", err));
    out->words = *w;
    out->n = w->n;
    out->d = d;
    *w = (ig_lexicon){0};
    return IG_ERR_OK;
}

void ig_vectors_free(ig_vectors *v)
{
    ig_lexicon_free(&v->words);
    ig_free(v->x);
    *v = (ig_vectors){0};
}

bool ig_vec_header(const ig_vec_source *s, int64_t *n, int64_t *d, int64_t *at)
{
    int64_t value[2], i = 0;
    for (int k = 0; k < 2; k++) {
        int64_t from = i;
        for (value[k] = 0; i < s->size && s->data[i] >= '0' && s->data[i] <= '9'; i++)
            value[k] = i - from < 18 ? value[k] * 10 + (s->data[i] - '0') : INT64_MAX;
        if (i == from)
            return false;
        if (k == 0 && (i == s->size || (s->data[i] != ' ' && s->data[i] != '\t')))
            return false;
        i += k == 0;
    }
    while (i < s->size && (s->data[i] == ' ' || s->data[i] == '\r'))
        i++;
    if (i == s->size || s->data[i] != '\n')
        return false;
    *n = value[0];
    *d = value[1];
    *at = i + 1;
    return true;
}

ig_code ig_vec_header_check(const ig_vec_source *s, int64_t n, int64_t d, ig_err *err)
{
    if (n < 1 || n >= INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, s->where, 1, "found %lld words, expected 1 to %d",
                       (long long)n, INT32_MAX - 1);
    if (d < 1 || d > IG_VECTORS_DIM_MAX)
        return ig_fail(err, IG_ERR_INPUT, s->where, 1, "found %lld dimensions, expected 1 to %d",
                       (long long)d, IG_VECTORS_DIM_MAX);
    return IG_ERR_OK;
}

ig_code ig_vec_word(ig_lexicon *w, const ig_vec_source *s, const char *word, int64_t n,
                    uint64_t line, ig_err *err)
{
    char number[32] = "";
    int32_t id, have = w->n;
    if (line == 0)
        snprintf(number, sizeof number, "word %d: ", have + 1);
    if (n < 1 || n > WORD_BYTES_MAX)
        return ig_fail(err, IG_ERR_INPUT, s->where, line,
                       "%sfound a word of %lld bytes, expected 1 to %d", number, (long long)n,
                       WORD_BYTES_MAX);
    int64_t bad = ig_utf8_check((const uint8_t *)word, n);
    for (int64_t i = 0; i < n && bad < 0; i++)
        if ((uint8_t)word[i] <= ' ')
            bad = i;
    if (bad >= 0)
        return ig_fail(err, IG_ERR_INPUT, s->where, line,
                       "%sfound byte 0x%02X at place %lld of the word, expected UTF-8 without "
                       "blanks",
                       number, (unsigned)(uint8_t)word[bad], (long long)bad + 1);
    IG_TRY(ig_lexicon_add(w, word, n, &id, err));
    if (id < have)
        return ig_fail(err, IG_ERR_INPUT, s->where, line,
                       "%sthe word '%.60s' is there twice, first as word %d", number,
                       ig_lexicon_get(w, id), id + 1);
    return IG_ERR_OK;
}
