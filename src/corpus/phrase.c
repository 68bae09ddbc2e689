/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences as lists of words, each with the ranges of the text that it covers.
 */
#include "corpus/phrase.h"

#include "base/memory.h"
#include "text/normalize.h"

#include <string.h>

void ig_phrase_free(ig_phrase *p)
{
    IG_FREE(p->text, p->start, p->node, p->first, p->stretch, p->tree);
    *p = (ig_phrase){0};
}

ig_code ig_phrase_clear(ig_phrase *p, ig_err *err)
{
    p->n = p->n_node = 0;
    IG_TRY(ig_grow(&p->start, &p->have_start, 1, sizeof *p->start, "words", err));
    IG_TRY(ig_grow(&p->first, &p->have_first, 1, sizeof *p->first, "words", err));
    p->start[0] = 0;
    p->first[0] = 0;
    return IG_ERR_OK;
}

ig_code ig_phrase_like(ig_phrase *p, const ig_phrase *from, ig_err *err)
{
    IG_TRY(ig_phrase_clear(p, err));
    IG_TRY(ig_grow(&p->tree, &p->have_tree, from->n_node + 1, sizeof *p->tree, "tree", err));
    if (from->n_node > 0)
        memcpy(p->tree, from->tree, (size_t)from->n_node * sizeof *p->tree);
    p->n_node = from->n_node;
    return IG_ERR_OK;
}

ig_code ig_phrase_add(ig_phrase *p, const char *word, int64_t n, ig_err *err)
{
    const int32_t i = p->n;
    const int64_t at = p->start[i];
    IG_TRY(ig_grow(&p->text, &p->have_text, at + n + 1, 1, "words", err));
    IG_TRY(ig_grow(&p->start, &p->have_start, i + 2, sizeof *p->start, "words", err));
    IG_TRY(ig_grow(&p->node, &p->have_node, i + 1, sizeof *p->node, "words", err));
    IG_TRY(ig_grow(&p->first, &p->have_first, i + 2, sizeof *p->first, "words", err));
    memcpy(p->text + at, word, (size_t)n);
    p->text[at + n] = '\0';
    p->start[i + 1] = at + n + 1;
    p->first[i + 1] = p->first[i];
    p->node[i] = -1;
    p->n++;
    return IG_ERR_OK;
}

ig_code ig_phrase_cover_units(ig_phrase *p, int32_t from, int32_t to, ig_err *err)
{
    const int32_t k = p->first[p->n];
    if (from >= to)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&p->stretch, &p->have_stretch, k + 1, sizeof *p->stretch, "words", err));
    p->stretch[k] = (ig_stretch){from, to};
    p->first[p->n]++;
    return IG_ERR_OK;
}

/* Writes part k of `of` of contiguous ranges to out[n] and returns the number of ranges. If there
 * are fewer units than parts, parts share them. */
static int32_t divide(const ig_stretch *s, int32_t n, int64_t k, int64_t of, ig_stretch *out)
{
    int64_t total = 0, before = 0;
    int32_t n_out = 0;
    for (int32_t j = 0; j < n; j++)
        total += s[j].to - s[j].from;
    int64_t from = total * k / of, to = total * (k + 1) / of;
    if (to == from)
        to++;
    for (int32_t j = 0; j < n; j++) {
        const int64_t size = s[j].to - s[j].from;
        const int64_t a = from > before ? from - before : 0;
        const int64_t b = to < before + size ? to - before : size;
        if (a < b)
            out[n_out++] = (ig_stretch){(int32_t)(s[j].from + a), (int32_t)(s[j].from + b)};
        before += size;
    }
    return n_out;
}

ig_code ig_phrase_cover(ig_phrase *p, const ig_phrase *from, int32_t i, int32_t k, int32_t of,
                        ig_err *err)
{
    const int32_t n = from->first[i + 1] - from->first[i], at = p->first[p->n];
    IG_TRY(ig_grow(&p->stretch, &p->have_stretch, at + n, sizeof *p->stretch, "words", err));
    if (n > 0)
        p->first[p->n] += divide(from->stretch + from->first[i], n, k, of, p->stretch + at);
    if (p->node[p->n - 1] < 0)
        p->node[p->n - 1] = from->node[i];
    return IG_ERR_OK;
}

ig_code ig_phrase_replace(ig_phrase *p, const ig_phrase *from, int32_t i, const char *word,
                          int64_t n, ig_err *err)
{
    IG_TRY(ig_phrase_add(p, word, n, err));
    return ig_phrase_cover(p, from, i, 0, 1, err);
}

ig_code ig_phrase_keep(ig_phrase *p, const ig_phrase *from, int32_t i, ig_err *err)
{
    return ig_phrase_replace(p, from, i, ig_phrase_word(from, i), ig_phrase_length(from, i), err);
}

ig_code ig_phrase_read(ig_phrase *p, const struct ig_chars *chars, const char *text, int64_t n,
                       ig_err *err)
{
    IG_OWNED uint8_t *buffer = NULL;
    const int64_t limit = IG_WORDS_CHARS(n);
    IG_TRY(ig_alloc(&buffer, IG_WORDS_BUFFER(limit), 1, "words", err));
    ig_words w = ig_words_make(chars, text, n, buffer, limit);
    while (ig_words_next(&w)) {
        const int32_t at = p->n * IG_TRACE_UNIT;
        if (p->n >= INT32_MAX / IG_TRACE_UNIT - 1)
            return ig_fail(err, IG_ERR_INPUT, "text", 0, "a sentence of more than %d words",
                           INT32_MAX / IG_TRACE_UNIT - 1);
        IG_TRY(ig_phrase_add(p, (const char *)w.word, w.n, err));
        IG_TRY(ig_phrase_cover_units(p, at, at + IG_TRACE_UNIT, err));
    }
    return IG_ERR_OK;
}

ig_code ig_phrase_text(const ig_phrase *p, char **out, int64_t *have, int64_t *n, ig_err *err)
{
    *n = p->n > 0 ? p->start[p->n] - 1 : 0;
    IG_TRY(ig_grow(out, have, *n + 1, 1, "text", err));
    if (*n > 0)
        memcpy(*out, p->text, (size_t)*n);
    for (int32_t i = 1; i < p->n; i++)
        (*out)[p->start[i] - 1] = ' ';
    (*out)[*n] = '\0';
    return IG_ERR_OK;
}

void ig_pieces_free(ig_pieces *p)
{
    IG_FREE(p->id, p->link);
    *p = (ig_pieces){0};
}

ig_code ig_phrase_pieces(const ig_phrase *p, const ig_tokenizer *t, ig_pieces *out, ig_err *err)
{
    const int spaced = ig_tokenizer_has_own_split(t);
    IG_OWNED char *joined = NULL;
    int64_t have = 0, n_joined;
    out->n_id = out->n_link = 0;
    if (spaced)
        IG_TRY(ig_phrase_text(p, &joined, &have, &n_joined, err));
    const char *text = spaced ? joined : p->text;
    for (int32_t i = 0; i < p->n; i++) {
        const int64_t before = out->n_id;
        const int space = i > 0 ? spaced : 0;
        IG_TRY(ig_tokenizer_encode(t, text + p->start[i] - space, ig_phrase_length(p, i) + space,
                                   &out->id, &out->n_id, &out->have_id, err));
        const int64_t n = out->n_id - before;
        const int32_t n_stretch = p->first[i + 1] - p->first[i];
        ig_stretch *part;
        IG_TRY(ig_alloc(&part, n_stretch, sizeof *part, "links", err));
        ig_code code = IG_ERR_OK;
        for (int64_t k = 0; k < n && code == IG_ERR_OK && n_stretch > 0; k++) {
            const int32_t n_part = divide(p->stretch + p->first[i], n_stretch, k, n, part);
            code = ig_grow(&out->link, &out->have_link, out->n_link + n_part, sizeof *out->link,
                           "links", err);
            for (int32_t j = 0; j < n_part && code == IG_ERR_OK; j++)
                out->link[out->n_link++] =
                    (ig_trace_link){(int32_t)(before + k), part[j].from, part[j].to};
        }
        ig_free(part);
        IG_TRY(code);
    }
    if (out->n_id > 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&out->id, &out->have_id, 1, sizeof *out->id, "pieces", err));
    out->id[out->n_id++] = ig_tokenizer_special(t, IG_TOKENIZER_UNK);
    return IG_ERR_OK;
}
