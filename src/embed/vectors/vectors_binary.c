/* SPDX-License-Identifier: Apache-2.0
 *
 * word2vec's binary format: "N D\n", then N times the word, a space, D little-endian float32, and a
 * newline, which word2vec writes and gensim does not.
 */
#include "base/memory.h"
#include "embed/vectors/vectors_formats.h"

#include <math.h>
#include <string.h>

static ig_code cut(const ig_vec_source *s, int32_t i, int64_t n, int64_t *at, ig_err *err)
{
    if (s->skip_bad) {
        ig_vec_skip_note(s, IG_VEC_ROW, NULL, 0, 0, i);
        *at = s->size;
        return IG_ERR_OK;
    }
    return ig_fail(err, IG_ERR_INPUT, s->where, 0,
                   "the file ends within word %d, the header says %lld words", i + 1, (long long)n);
}

/* Reads row i of n at *at, and appends its floats to the rows that are kept. */
static ig_code take(ig_vectors *out, const ig_vec_source *s, int32_t i, int64_t n, int64_t *at,
                    ig_err *err)
{
    const int d = out->d;
    float *row = out->x + (int64_t)out->words.n * d;
    bool added;
    if (*at < s->size && s->data[*at] == '\n')
        ++*at;
    const char *word = s->data + *at;
    const char *space = *at < s->size ? memchr(word, ' ', (size_t)(s->size - *at)) : NULL;
    if (space == NULL)
        return cut(s, i, n, at, err);
    *at += space - word + 1;
    if (s->size - *at < 4 * (int64_t)d)
        return cut(s, i, n, at, err);
    memcpy(row, s->data + *at, 4 * (size_t)d);
    *at += 4 * (int64_t)d;
    for (int k = 0; k < d; k++) {
        if (isfinite(row[k]))
            continue;
        if (s->skip_bad) {
            ig_vec_skip_note(s, IG_VEC_ROW, NULL, 0, 0, i);
            return IG_ERR_OK;
        }
        ig_fail(err, IG_ERR_INPUT, s->where, 0, "word %d: value %d is %f, expected a finite number",
                i + 1, k + 1, (double)row[k]);
        return ig_vec_row_hint(err);
    }
    return ig_vec_word(&out->words, s, &(ig_vec_found){word, space - word, 0, i}, &added, err);
}

ig_code ig_vec_binary_parse(ig_vectors *out, const ig_vec_source *s, ig_err *err)
{
    int64_t n, d, at;
    if (!ig_vec_header(s, &n, &d, &at))
        return ig_fail(err, IG_ERR_INPUT, s->where, 1,
                       "found no header, expected the number of words and of dimensions");
    IG_TRY(ig_vec_header_check(s, n, d, err));
    int64_t rows = n < s->max_word ? n : s->max_word;
    int64_t i = 0;
    /* A row has a word of at least a byte, a space and its floats: rows that cannot fit are not
     * allocated. */
    const int64_t fit = (s->size - at) / (4 * d + 2);
    if (fit < rows && s->skip_bad)
        rows = fit;
    else if (fit < rows)
        return ig_fail(err, IG_ERR_INPUT, s->where, 1,
                       "found %lld bytes after the header, expected at least %lld for %lld words "
                       "of %lld dimensions",
                       (long long)(s->size - at), (long long)(rows * (4 * d + 2)), (long long)rows,
                       (long long)d);
    out->d = (int)d;
    IG_TRY(ig_alloc(&out->x, rows * d, sizeof *out->x, "word vectors", err));
    while (i < n && out->words.n < rows && !(s->skip_bad && at == s->size))
        IG_TRY(take(out, s, (int32_t)i++, n, &at, err));
    if (at < s->size && s->data[at] == '\n')
        at++;
    if (s->skip_bad && i < n && at == s->size)
        ig_vec_count_log(s->where, i, n);
    if (i == n && at != s->size && !s->skip_bad)
        return ig_fail(err, IG_ERR_INPUT, s->where, 1,
                       "found %lld byte%s after the last word, the header says %lld words",
                       (long long)(s->size - at), s->size - at == 1 ? "" : "s", (long long)n);
    if (out->words.n == 0)
        return ig_fail(err, IG_ERR_INPUT, s->where, 0, "found no row that could be read");
    out->n = out->words.n;
    return IG_ERR_OK;
}

ig_code ig_vec_binary_write(const ig_vectors *v, ig_out *f, ig_err *err)
{
    char head[48];
    IG_TRY(ig_out_write(f, head, snprintf(head, sizeof head, "%d %d\n", v->n, v->d), err));
    for (int32_t i = 0; i < v->n; i++) {
        IG_TRY(ig_out_write(f, ig_lexicon_get(&v->words, i), ig_lexicon_size(&v->words, i), err));
        IG_TRY(ig_out_write(f, " ", 1, err));
        IG_TRY(ig_out_write(f, ig_vectors_row(v, i), 4 * (int64_t)v->d, err));
        IG_TRY(ig_out_write(f, "\n", 1, err));
    }
    return IG_ERR_OK;
}
