/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes a text by a pipeline. The order of the steps, and which added token is found, follow
 * Hugging Face `tokenizers` 0.23: first the tokens that are searched for in the raw text, then in
 * each of the remaining parts those that are searched for in the normalized text; the leftmost
 * first, of several there the longest.
 */
#include "text/tokenizer/pipeline.h"

#include "base/memory.h"
#include "text/tokenizer/tokenizer_internal.h"

#include <stdlib.h>
#include <unicode/uchar.h>

void ig_text_pipeline_free(ig_text_pipeline *p)
{
    if (p == NULL)
        return;
    ig_text_steps_free(&p->normalizers);
    ig_split_steps_free(&p->splits);
    for (int i = 0; i < p->n_added; i++)
        ig_free(p->added[i].text);
    IG_FREE(p->added, p->source, p);
}

ig_code ig_text_pipeline_keep(ig_text_pipeline *p, const char *data, int64_t n, ig_err *err)
{
    IG_TRY(ig_alloc(&p->source, n, 1, "tokenizer", err));
    memcpy(p->source, data, (size_t)n);
    p->n_source = n;
    return IG_ERR_OK;
}

static int longer_first(const void *x, const void *y)
{
    const ig_added_token *a = x, *b = y;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

ig_code ig_text_pipeline_prepare(ig_text_pipeline *p, ig_err *err)
{
    ig_byte_text text = {0}, spare = {0};
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < p->n_added && code == IG_ERR_OK; i++) {
        ig_added_token *a = &p->added[i];
        if (!a->normalized)
            continue;
        bool kept = false;
        text.n = 0;
        code = ig_byte_text_add(&text, a->text, a->n, err);
        IG_THEN(code, ig_text_steps_apply(&p->normalizers, &text, &spare, &kept, err));
        if (code == IG_ERR_OK) {
            ig_free(a->text);
            a->text = (char *)text.text;
            a->n = text.n;
            text = (ig_byte_text){0};
        }
    }
    IG_FREE(text.text, spare.text);
    if (p->n_added > 0)
        qsort(p->added, (size_t)p->n_added, sizeof *p->added, longer_first);
    for (int i = 0; i < p->n_added; i++)
        if (p->added[i].n > 0)
            p->begins[p->added[i].normalized][(uint8_t)p->added[i].text[0]] = true;
    return code;
}

/* --- added tokens in a text */

static bool stands_alone(const uint8_t *text, int64_t from, int64_t to, int64_t n)
{
    uint32_t before = ' ', after = ' ';
    if (from > 0)
        ig_utf8_before(text, text + from, &before);
    if (to < n)
        ig_utf8_next(text + to, text + n, &after);
    return !ig_char_is_word(before) && !ig_char_is_word(after);
}

typedef struct {
    const ig_added_token *token; /* NULL: none */
    int64_t from, to;            /* with white space that belongs to it */
    int64_t next;                /* its own end, where the next one may begin */
} found_token;

/* Finds the first added token at or after `next`; it takes nothing of what is before `at`, which is
 * later where the one before took white space. */
static found_token find_added(const ig_text_pipeline *p, bool normalized, const uint8_t *text,
                              int64_t n, int64_t at, int64_t next)
{
    for (int64_t i = next, step; i < n; i += step) {
        step = 1;
        for (int k = 0; k < p->n_added && p->begins[normalized][text[i]]; k++) {
            const ig_added_token *a = &p->added[k];
            if (a->normalized != normalized || a->n == 0 || a->n > n - i ||
                memcmp(text + i, a->text, (size_t)a->n) != 0)
                continue;
            /* One that may not occur here hides the others, too. */
            if (a->word && !stands_alone(text, i, i + a->n, n)) {
                step = a->n;
                break;
            }
            found_token f = {a, i > at ? i : at, i + a->n, i + a->n};
            uint32_t c;
            while (a->left && f.from > at) {
                const int length = ig_utf8_before(text, text + f.from, &c);
                if (!u_isUWhiteSpace((UChar32)c))
                    break;
                f.from -= length;
            }
            while (a->right && f.to < n) {
                const int length = ig_utf8_next(text + f.to, text + n, &c);
                if (!u_isUWhiteSpace((UChar32)c))
                    break;
                f.to += length;
            }
            if (a->left && f.from >= f.to)
                f.token = NULL; /* the one before took all of it */
            return f;
        }
    }
    return (found_token){NULL, n, n, n};
}

/* --- a text through the pipeline */

typedef struct {
    const ig_tokenizer *t;
    ig_byte_text text[2];
    ig_text_parts parts[2];
    ig_word_buffer room;
    ig_ids *out;
} walk;

static ig_code cut_parts(walk *w, const ig_split_text *text, ig_err *err)
{
    if (text->n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_split_steps_apply(&w->t->pipeline->splits, text, &w->parts[0], &w->parts[1], err));
    const ig_text_parts *p = &w->parts[0];
    for (int64_t i = 0, from = 0; i < p->n; from = p->end[i++])
        IG_TRY(ig_word_cut(w->t, p->text.text + from, p->end[i] - from, &w->room, w->out, err));
    return IG_ERR_OK;
}

static ig_code cut_normalized(walk *w, const uint8_t *text, int64_t n, bool first, ig_err *err)
{
    const ig_text_pipeline *p = w->t->pipeline;
    w->text[0].n = 0;
    IG_TRY(ig_byte_text_add(&w->text[0], text, n, err));
    IG_TRY(ig_text_steps_apply(&p->normalizers, &w->text[0], &w->text[1], &first, err));
    const ig_byte_text *now = &w->text[0];
    for (int64_t at = 0, next = 0; next < now->n;) {
        const found_token f = find_added(p, true, now->text, now->n, at, next);
        const ig_split_text part = {now->text + at, f.from - at, first && at == 0};
        IG_TRY(cut_parts(w, &part, err));
        if (f.token != NULL)
            IG_TRY(ig_ids_add(w->out, f.token->id, err));
        at = f.to;
        next = f.next;
    }
    return IG_ERR_OK;
}

/* Copies the text with U+FFFD for ill-formed bytes. */
static ig_code well_formed(ig_byte_text *out, const uint8_t *text, int64_t n, ig_err *err)
{
    if (ig_utf8_check(text, n) < 0)
        return ig_byte_text_add(out, text, n, err);
    for (int64_t i = 0; i < n;) {
        uint32_t c;
        i += ig_utf8_next(text + i, text + n, &c);
        IG_TRY(ig_byte_text_put(out, c, err));
    }
    return IG_ERR_OK;
}

static ig_code encode(walk *w, const ig_byte_text *raw, ig_err *err)
{
    for (int64_t at = 0, next = 0; next < raw->n;) {
        const found_token f = find_added(w->t->pipeline, false, raw->text, raw->n, at, next);
        IG_TRY(cut_normalized(w, raw->text + at, f.from - at, at == 0, err));
        if (f.token != NULL)
            IG_TRY(ig_ids_add(w->out, f.token->id, err));
        at = f.to;
        next = f.next;
    }
    return IG_ERR_OK;
}

ig_code ig_text_pipeline_encode(const ig_tokenizer *t, const char *text, int64_t n, ig_ids *out,
                                ig_err *err)
{
    walk w = {.t = t, .out = out};
    ig_byte_text raw = {0};
    ig_code code = well_formed(&raw, (const uint8_t *)text, n, err);
    IG_THEN(code, encode(&w, &raw, err));
    ig_free(raw.text);
    for (int i = 0; i < 2; i++)
        IG_FREE(w.text[i].text, w.parts[i].text.text, w.parts[i].end);
    ig_free(w.room.work);
    return code;
}

bool ig_text_pipeline_continues(const ig_tokenizer *t, int32_t id)
{
    const ig_text_pipeline *p = t->pipeline;
    const char *piece = t->vocab.text + t->vocab.start[id];
    for (int i = 0; i < p->n_added; i++)
        if (p->added[i].id == id)
            return false;
    const size_t n_prefix = strlen(t->prefix);
    if (n_prefix > 0)
        return strncmp(piece, t->prefix, n_prefix) == 0 && piece[n_prefix] != '\0';
    for (int i = 0; i < p->splits.n; i++) {
        const ig_split_step *s = &p->splits.step[i];
        if (s->kind == IG_SPLIT_METASPACE)
            return strncmp(piece, s->mark, strlen(s->mark)) != 0;
        if (s->kind == IG_SPLIT_BYTES)
            return strncmp(piece, "\xC4\xA0", 2) != 0; /* Ġ, a space */
    }
    return false;
}

static ig_code add_byte_characters(ig_byte_text *out, const char *piece, ig_err *err)
{
    const uint8_t *p = (const uint8_t *)piece, *end = p + strlen(piece);
    while (p < end) {
        uint32_t c;
        int b = 0;
        p += ig_utf8_next(p, end, &c);
        while (b < 256 && ig_byte_character((uint8_t)b) != c)
            b++;
        const uint8_t byte = (uint8_t)b;
        IG_TRY(b < 256 ? ig_byte_text_add(out, &byte, 1, err) : ig_byte_text_put(out, c, err));
    }
    return IG_ERR_OK;
}

/* The piece after a mark that it begins with. */
static const char *after(const char *piece, const char *mark)
{
    const size_t n = strlen(mark);
    return n > 0 && strncmp(piece, mark, n) == 0 ? piece + n : piece;
}

ig_code ig_tokenizer_piece_text(ig_byte_text *out, const ig_tokenizer *t, int32_t id, ig_err *err)
{
    const ig_text_pipeline *p = t->pipeline;
    const char *piece = t->vocab.text + t->vocab.start[id];
    const int64_t from = out->n;
    bool bytes = false, added = false;
    for (int i = 0; p != NULL && i < p->n_added; i++)
        added = added || p->added[i].id == id;
    if (!added && t->kind == IG_TOKENIZER_UNIGRAM && p == NULL)
        piece = after(piece, "\xE2\x96\x81");
    else if (!added && strcmp(piece, t->prefix) != 0)
        piece = after(piece, t->prefix);
    for (int i = 0; p != NULL && !added && i < p->splits.n; i++) {
        const ig_split_step *s = &p->splits.step[i];
        piece = s->kind == IG_SPLIT_METASPACE ? after(piece, s->mark) : piece;
        bytes = bytes || s->kind == IG_SPLIT_BYTES;
    }
    if (!bytes)
        return ig_byte_text_add(out, piece, (int64_t)strlen(piece), err);
    IG_TRY(add_byte_characters(out, piece, err));
    if (out->n > from && out->text[from] == ' ')
        memmove(out->text + from, out->text + from + 1, (size_t)(--out->n - from));
    return IG_ERR_OK;
}
