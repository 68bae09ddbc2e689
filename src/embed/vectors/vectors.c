/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects the format of a file of vectors and calls its reader or writer.
 */
#include "embed/vectors/vectors.h"

#include "base/strings/encoding.h"
#include "corpus/read/whole_file.h"
#include "embed/vectors/fasttext_model.h"
#include "embed/vectors/vectors_formats.h"
#include "text/utf8.h"

#include <math.h>
#include <string.h>

const char *const ig_vec_format_names[] = {"auto", "text", "plain", "binary", "fasttext", NULL};

/* Returns whether a word and a space, then text, follow the header; other bytes than text mean a
 * binary file. */
static bool first_row_is_text(const ig_vec_source *s, int64_t d, int64_t at)
{
    int64_t n = 4 * d;
    while (at < s->size && s->data[at] == '\n')
        at++;
    const char *space = memchr(s->data + at, ' ', (size_t)(s->size - at));
    const char *tab = memchr(s->data + at, '\t', (size_t)(s->size - at));
    if (space == NULL || (tab != NULL && tab < space))
        space = tab;
    if (space == NULL)
        return true; /* the reader of text reports what is wrong */
    space++;
    if (n > s->data + s->size - space)
        n = s->data + s->size - space;
    /* A row of text ends with a line; the start of the next one is not checked. */
    const char *lf = memchr(space, '\n', (size_t)n);
    if (lf != NULL && lf - space >= 2 * d - 1)
        n = lf - space;
    int64_t bad = ig_utf8_check((const uint8_t *)space, n);
    if (bad >= 0 && bad < n - 3) /* the last character may be cut here */
        return false;
    for (int64_t i = 0; i < n; i++)
        if ((uint8_t)space[i] < 0x20 && strchr("\t\n\r", space[i]) == NULL)
            return false;
    return memchr(space, '\0', (size_t)n) == NULL;
}

/* Length of a byte-order mark at the start, which all readers of text skip. */
static int64_t mark(const uint8_t *data, int64_t size)
{
    return size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

ig_vec_format ig_vectors_detect(const uint8_t *data, int64_t size)
{
    int64_t n, d, at;
    const int64_t skip = mark(data, size);
    const ig_vec_source s = {.data = (const char *)data + skip, .size = size - skip, .where = ""};
    if (ig_fasttext_is_model(data, size))
        return IG_VEC_FASTTEXT;
    if (s.size == 0)
        return IG_VEC_TEXT;
    if (!ig_vec_header(&s, &n, &d, &at))
        return IG_VEC_PLAIN;
    if (d < 1 || d > IG_VECTORS_DIM_MAX || first_row_is_text(&s, d, at))
        return IG_VEC_TEXT;
    return IG_VEC_BINARY;
}

/* Text in UTF-16 has zero bytes in its first line, or a mark. */
static ig_code check_first_line(const ig_vec_source *s, ig_err *err)
{
    const char *lf = memchr(s->data, '\n', (size_t)s->size);
    return ig_check_text(s->data, lf != NULL ? lf - s->data : s->size, s->where, err);
}

ig_code ig_vectors_parse(ig_vectors *out, const ig_vec_memory *file, ig_vec_how how, ig_team *team,
                         ig_err *err)
{
    const uint8_t *data = file->data;
    const int64_t size = file->size;
    const char *where = file->where;
    const int64_t skip = mark(data, size);
    ig_vec_skipped skipped = {0};
    const ig_vec_source s = {.data = (const char *)data + skip,
                             .size = size - skip,
                             .where = where,
                             .skip_bad = how.skip_bad,
                             .max_word = how.max_word > 0 ? how.max_word : INT32_MAX,
                             .skipped = &skipped};
    *out = (ig_vectors){0};
    if (s.size == 0)
        return ig_fail(err, IG_ERR_INPUT, where, 0, "found an empty file, expected word vectors");
    const ig_vec_format format =
        how.format == IG_VEC_AUTO ? ig_vectors_detect(data, size) : how.format;
    ig_code code;
    if (format == IG_VEC_TEXT || format == IG_VEC_PLAIN)
        IG_TRY(check_first_line(&s, err));
    if (format == IG_VEC_FASTTEXT)
        code = ig_fasttext_vectors_parse(out, data, size, where, s.max_word, err);
    else if (format == IG_VEC_BINARY)
        code = ig_vec_binary_parse(out, &s, err);
    else
        code = ig_vec_text_parse(out, &s, format == IG_VEC_TEXT, team, err);
    if (code == IG_ERR_OK)
        ig_vec_skipped_log(&skipped, where);
    else
        ig_vectors_free(out);
    return code;
}

ig_code ig_vectors_read(ig_vectors *out, const char *path, ig_vec_how how, ig_team *team,
                        ig_err *err)
{
    ig_whole file;
    *out = (ig_vectors){0};
    IG_TRY(ig_whole_open(&file, path, err));
    ig_code code =
        ig_vectors_parse(out, &(ig_vec_memory){file.data, file.size, path}, how, team, err);
    ig_whole_close(&file);
    return code;
}

static ig_vec_format format_of_name(const char *path)
{
    size_t n = strlen(path);
    if (n >= 4 && strcmp(path + n - 4, ".bin") == 0)
        return IG_VEC_BINARY;
    return n >= 4 && strcmp(path + n - 4, ".txt") == 0 ? IG_VEC_PLAIN : IG_VEC_TEXT;
}

ig_code ig_vectors_check(const ig_vectors *v, const char *where, ig_err *err)
{
    for (int32_t i = 0; i < v->n; i++)
        for (int k = 0; k < v->d; k++)
            if (!isfinite(ig_vectors_row(v, i)[k]))
                return ig_fail(err, IG_ERR_NUMERIC, where, 0,
                               "value %d of the word '%.60s' is %s, expected finite numbers; "
                               "nothing was written",
                               k + 1, ig_lexicon_get(&v->words, i),
                               isnan(ig_vectors_row(v, i)[k]) ? "not a number" : "infinite");
    return IG_ERR_OK;
}

ig_code ig_vectors_fit(const ig_vectors *v, const char *path, ig_vec_format format, ig_err *err)
{
    if ((format == IG_VEC_AUTO ? format_of_name(path) : format) != IG_VEC_BINARY)
        return IG_ERR_OK;
    for (int32_t i = 0; i < v->n; i++)
        if (memchr(ig_lexicon_get(&v->words, i), ' ', (size_t)ig_lexicon_size(&v->words, i)) !=
            NULL) {
            ig_fail(err, IG_ERR_INPUT, path, 0,
                    "the word '%.60s' has a blank, which the binary format cannot hold",
                    ig_lexicon_get(&v->words, i));
            return ig_hint(err, "--as text can");
        }
    return IG_ERR_OK;
}

ig_code ig_vectors_put(const ig_vectors *v, ig_out *out, ig_vec_format format, ig_err *err)
{
    if (format == IG_VEC_AUTO)
        format = format_of_name(out->path);
    if (format == IG_VEC_FASTTEXT)
        return ig_fail(err, IG_ERR_USAGE, out->path, 0,
                       "vectors alone make no fastText model, expected text, plain or binary");
    IG_TRY(ig_vectors_check(v, out->path, err));
    IG_TRY(ig_vectors_fit(v, out->path, format, err));
    if (format == IG_VEC_BINARY)
        return ig_vec_binary_write(v, out, err);
    return ig_vec_text_write(v, out, format == IG_VEC_TEXT, err);
}

ig_code ig_vectors_write(const ig_vectors *v, const char *path, ig_vec_format format, ig_err *err)
{
    ig_out out;
    IG_TRY(ig_out_open(&out, path, err));
    return ig_out_close(&out, ig_vectors_put(v, &out, format, err), err);
}
