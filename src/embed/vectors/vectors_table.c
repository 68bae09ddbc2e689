/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the table of vectors, and has the checks of headers and words that the readers of all
 * formats share.
 */
#include "base/log.h"
#include "base/memory.h"
#include "embed/vectors/vectors_formats.h"
#include "text/utf8.h"

#include <stdio.h>
#include <string.h>

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
        const int64_t blank = i;
        while (i < s->size && (s->data[i] == ' ' || s->data[i] == '\t'))
            i++;
        if (k == 0 && i == blank)
            return false;
    }
    i += i < s->size && s->data[i] == '\r';
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

/* Appends "line 3" or "'word' (line 3)" while it fits. */
static void name(char text[IG_VEC_NAMED_BYTES], const char *word, int64_t n, uint64_t line,
                 int64_t row)
{
    const size_t used = strlen(text), left = IG_VEC_NAMED_BYTES - used;
    const char *const sign = used > 0 ? ", " : "", *const unit = line > 0 ? "line" : "word";
    const unsigned long long number = line > 0 ? line : (unsigned long long)row + 1;
    const int written = word != NULL ? snprintf(text + used, left, "%s'%.*s' (%s %llu)", sign,
                                                n < 40 ? (int)n : 40, word, unit, number)
                                     : snprintf(text + used, left, "%s%s %llu", sign, unit, number);
    if (written < 0 || (size_t)written >= left)
        text[used] = '\0';
}

void ig_vec_skip_note(const ig_vec_source *s, ig_vec_skip why, const char *word, int64_t n,
                      uint64_t line, int64_t row)
{
    ig_vec_skipped *k = s->skipped;
    if (k->n[why]++ < IG_VEC_NAMED)
        name(k->named[why], word, n, line, row);
}

void ig_vec_skipped_log(const ig_vec_skipped *k, const char *where)
{
    static const char *const why[IG_VEC_SKIP_N] = {
        "the word is there already", "the word is not UTF-8",
        "the word has control characters or blanks", "the word is empty or too long", "damaged"};
    for (int i = 0; i < IG_VEC_SKIP_N; i++)
        if (k->n[i] > 0)
            ig_log(IG_LOG_NORMAL, "warning: %s: left out %lld row%s, %s: %s%s", where,
                   (long long)k->n[i], k->n[i] == 1 ? "" : "s", why[i], k->named[i],
                   k->n[i] > IG_VEC_NAMED ? ", …" : "");
}

void ig_vec_count_log(const char *where, int64_t rows, int64_t header)
{
    ig_log(IG_LOG_NORMAL, "warning: %s: %lld row%s read, the header says %lld", where,
           (long long)rows, rows == 1 ? " was" : "s were", (long long)header);
}

ig_code ig_vec_row_hint(ig_err *err)
{
    return ig_hint(err, "--skip-bad leaves out and names such rows");
}

ig_code ig_vec_word(ig_lexicon *w, const ig_vec_source *s, const ig_vec_found *f, bool *added,
                    ig_err *err)
{
    const int64_t n = f->n;
    const int32_t have = w->n;
    int32_t id;
    *added = false;
    if (n < 1 || n > WORD_BYTES_MAX) {
        ig_vec_skip_note(s, IG_VEC_LENGTH, NULL, 0, f->line, f->row);
        return IG_ERR_OK;
    }
    if (ig_utf8_check((const uint8_t *)f->text, n) >= 0) {
        ig_vec_skip_note(s, IG_VEC_ILL, NULL, 0, f->line, f->row);
        return IG_ERR_OK;
    }
    for (int64_t i = 0; i < n; i++)
        if ((uint8_t)f->text[i] < ' ' || (f->text[i] == ' ' && f->line == 0)) {
            ig_vec_skip_note(s, IG_VEC_CONTROL, NULL, 0, f->line, f->row);
            return IG_ERR_OK;
        }
    IG_TRY(ig_lexicon_add(w, f->text, n, &id, err));
    *added = id == have;
    if (!*added)
        ig_vec_skip_note(s, IG_VEC_TWICE, f->text, n, f->line, f->row);
    return IG_ERR_OK;
}
