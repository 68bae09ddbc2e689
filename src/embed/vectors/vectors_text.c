/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors as text: a word and D decimals a line, separated by single spaces or tabs; a space before
 * the line end (word2vec, fastText) and CR LF are taken. With a header it is word2vec's and
 * fastText's format, without one GloVe's.
 *
 * Lines are found first; then blocks of them are parsed independently, and the words are added in
 * order. So the first line that is wrong is the one reported, for any number of threads.
 */
#include "embed/vectors/vectors_formats.h"

#include "base/memory.h"
#include "embed/vectors/decimal.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128 }; /* rows of a task */

typedef struct {
    const ig_vec_source *s;
    int64_t *line; /* [n + 1] where line i begins; the last: behind the last LF */
    int64_t n;
    uint64_t first; /* number of line 0 in the file */
    int d;
    float *x;
    int32_t *word_size; /* [n] */
    int64_t *bad;       /* [tasks] first line of a block that is wrong, −1 */
} text_job;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int64_t line_end(const text_job *j, int64_t i)
{
    int64_t end = j->line[i + 1] - 1; /* its LF */
    if (end > j->line[i] && j->s->data[end - 1] == '\r')
        end--;
    while (end > j->line[i] && is_blank(j->s->data[end - 1]))
        end--;
    return end;
}

/* Values behind the word of line from..end. */
static int64_t count_values(const char *from, const char *end)
{
    int64_t n = 0;
    for (const char *p = from; p < end; p++)
        n += is_blank(*p) && p + 1 < end && !is_blank(p[1]);
    return n;
}

static bool is_nan_text(const char *p, int64_t n)
{
    char low[10] = "";
    if (n > 0 && (*p == '-' || *p == '+')) {
        p++;
        n--;
    }
    for (int64_t i = 0; i < n && i < 9; i++)
        low[i] = (char)(p[i] | 0x20);
    return strcmp(low, "nan") == 0 || strcmp(low, "inf") == 0 || strcmp(low, "infinity") == 0;
}

/* Parses line i into its row. With `err`, says what is wrong; without, only that. */
static ig_code parse_line(const text_job *j, int64_t i, ig_err *err)
{
    const char *from = j->s->data + j->line[i], *end = j->s->data + line_end(j, i), *p = from;
    uint64_t number = j->first + (uint64_t)i;
    float *row = j->x + i * j->d;
    while (p < end && !is_blank(*p))
        p++;
    j->word_size[i] = p - from < INT32_MAX ? (int32_t)(p - from) : INT32_MAX;
    for (int k = 0; k < j->d; k++) {
        if (p == end)
            return ig_fail(err, IG_ERR_INPUT, j->s->where, number,
                           "found %d values behind the word, expected %d", k, j->d);
        const char *value = ++p, *stop = p;
        if (ig_decimal_read(&p, &row[k]) && (p == end || is_blank(*p)) && isfinite(row[k]))
            continue;
        while (stop < end && !is_blank(*stop))
            stop++;
        int size = stop - value < 40 ? (int)(stop - value) : 40;
        if (is_nan_text(value, stop - value) || (p == stop && p > value))
            return ig_fail(err, IG_ERR_INPUT, j->s->where, number,
                           "value %d is %.*s, expected a finite number", k + 1, size, value);
        return ig_fail(err, IG_ERR_INPUT, j->s->where, number,
                       "value %d is '%.*s', expected a number", k + 1, size, value);
    }
    if (p != end)
        return ig_fail(err, IG_ERR_INPUT, j->s->where, number,
                       "found %lld values behind the word, expected %d",
                       (long long)count_values(from, end), j->d);
    return IG_ERR_OK;
}

static void parse_block(void *arg, int64_t i_task, int i_thread)
{
    text_job *j = arg;
    int64_t end = (i_task + 1) * BLOCK < j->n ? (i_task + 1) * BLOCK : j->n;
    (void)i_thread;
    j->bad[i_task] = -1;
    for (int64_t i = i_task * BLOCK; i < end; i++)
        if (parse_line(j, i, NULL) != IG_ERR_OK) {
            j->bad[i_task] = i;
            return;
        }
}

/* Finds at most max_line lines from `at` on. *rest: bytes behind the last LF, in no line. */
static ig_code find_lines(text_job *j, int64_t at, int64_t max_line, int64_t *rest, ig_err *err)
{
    int64_t have = 0;
    const char *data = j->s->data;
    IG_TRY(ig_grow(&j->line, &have, 1024, sizeof *j->line, "lines", err));
    j->line[0] = at;
    for (j->n = 0; j->n < max_line; j->n++) {
        const char *lf =
            at < j->s->size ? memchr(data + at, '\n', (size_t)(j->s->size - at)) : NULL;
        if (lf == NULL)
            break;
        at = lf - data + 1;
        IG_TRY(ig_grow(&j->line, &have, j->n + 2, sizeof *j->line, "lines", err));
        j->line[j->n + 1] = at;
    }
    *rest = j->n < max_line ? j->s->size - at : 0;
    return IG_ERR_OK;
}

/* A last line without LF may be half a number, whatever it looks like. */
static ig_code cut(const text_job *j, int64_t rest, ig_err *err)
{
    const char *end = j->s->data + j->s->size;
    ig_fail(err, IG_ERR_INPUT, j->s->where, j->first + (uint64_t)j->n,
            "the file ends within this line (%lld of %d values, no line end)",
            (long long)count_values(end - rest, end), j->d);
    ig_hint(err, "was it copied in full? every writer ends the last line");
    return IG_ERR_INPUT;
}

/* Parses all lines and collects the words. */
static ig_code parse_rows(text_job *j, ig_lexicon *w, ig_team *team, ig_err *err)
{
    int64_t n_task = (j->n + BLOCK - 1) / BLOCK;
    ig_team_for(team, n_task, parse_block, j);
    for (int64_t t = 0; t < n_task; t++) {
        int64_t end = (t + 1) * BLOCK < j->n ? (t + 1) * BLOCK : j->n;
        for (int64_t i = t * BLOCK; i < end; i++) {
            if (i == j->bad[t])
                return parse_line(j, i, err);
            IG_TRY(ig_vec_word(w, j->s, j->s->data + j->line[i], j->word_size[i],
                               j->first + (uint64_t)i, err));
        }
    }
    return IG_ERR_OK;
}

/* A row has at least two bytes a value: with fewer in all, some row is short, and the block of
 * floats need not be allocated to say which. */
static ig_code check_size(const text_job *j, ig_err *err)
{
    if (j->line[j->n] - j->line[0] >= j->n * 2 * (int64_t)j->d)
        return IG_ERR_OK;
    for (int64_t i = 0; i < j->n; i++) {
        int64_t n = count_values(j->s->data + j->line[i], j->s->data + line_end(j, i));
        if (n != j->d)
            return ig_fail(err, IG_ERR_INPUT, j->s->where, j->first + (uint64_t)i,
                           "found %lld values behind the word, expected %d", (long long)n, j->d);
    }
    return IG_ERR_OK;
}

static ig_code wrong_count(const text_job *j, int64_t n, bool more, ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, j->s->where, 1, "found %s%lld rows, the header says %lld",
                   more ? "more than " : "", (long long)j->n, (long long)n);
}

static ig_code parse(text_job *j, ig_vectors *out, bool header, int64_t max_word, ig_team *team,
                     ig_err *err)
{
    int64_t n = -1, d = 0, at = 0, rest;
    if (header && !ig_vec_header(j->s, &n, &d, &at))
        return ig_fail(err, IG_ERR_INPUT, j->s->where, 1,
                       "found no header, expected the number of words and of dimensions");
    j->first = header ? 2 : 1;
    if (header)
        IG_TRY(ig_vec_header_check(j->s, n, d, err));
    int64_t limit = header && n < max_word ? n : max_word;
    IG_TRY(find_lines(j, at, limit, &rest, err));
    if (!header) {
        const char *end = j->s->data + (j->n > 0 ? line_end(j, 0) : j->s->size);
        d = count_values(j->s->data, end);
        if (d < 1 || d > IG_VECTORS_DIM_MAX)
            return ig_fail(err, IG_ERR_INPUT, j->s->where, 1,
                           "found %lld values behind the word, expected 1 to %d", (long long)d,
                           IG_VECTORS_DIM_MAX);
    }
    j->d = (int)d;
    IG_TRY(check_size(j, err));
    IG_TRY(ig_alloc(&j->word_size, j->n, sizeof *j->word_size, "word vectors", err));
    IG_TRY(ig_alloc(&j->bad, j->n / BLOCK + 1, sizeof *j->bad, "word vectors", err));
    IG_TRY(ig_alloc(&j->x, j->n * d, sizeof *j->x, "word vectors", err));
    IG_TRY(parse_rows(j, &out->words, team, err));
    if (rest > 0)
        return cut(j, rest, err);
    if (header && j->n < limit)
        return wrong_count(j, n, false, err);
    if (header && limit == n && j->line[j->n] != j->s->size)
        return wrong_count(j, n, true, err);
    out->x = j->x;
    j->x = NULL;
    out->n = out->words.n;
    out->d = j->d;
    return IG_ERR_OK;
}

ig_code ig_vec_text_parse(ig_vectors *out, const ig_vec_source *s, bool header, int64_t max_word,
                          ig_team *team, ig_err *err)
{
    text_job j = {.s = s};
    ig_code code = parse(&j, out, header, max_word, team, err);
    IG_FREE(j.line, j.word_size, j.bad, j.x);
    return code;
}

ig_code ig_vec_text_write(const ig_vectors *v, ig_out *f, bool header, ig_err *err)
{
    char *row, head[48];
    if (header) {
        int n = snprintf(head, sizeof head, "%d %d\n", v->n, v->d);
        IG_TRY(ig_out_write(f, head, n, err));
    }
    IG_TRY(ig_alloc(&row, (int64_t)v->d * (IG_DECIMAL_MAX + 1) + 1, 1, "row", err));
    ig_code code = IG_ERR_OK;
    for (int32_t i = 0; i < v->n && code == IG_ERR_OK; i++) {
        const float *x = ig_vectors_row(v, i);
        char *p = row;
        for (int k = 0; k < v->d; k++) {
            *p++ = ' ';
            p += ig_decimal_write(p, x[k]);
        }
        *p++ = '\n';
        code = ig_out_write(f, ig_lexicon_get(&v->words, i), ig_lexicon_size(&v->words, i), err);
        IG_THEN(code, ig_out_write(f, row, p - row, err));
    }
    ig_free(row);
    return code;
}
