/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors as text: a word and D decimals a line, separated by spaces or tabs; blanks before the
 * line end (word2vec, fastText) and CR LF are taken. With a header it is word2vec's and fastText's
 * format, without one GloVe's. The last D fields are the vector, so that a word may have blanks in
 * it ("at name@domain.com" in GloVe's 840B), unless what follows its first field is all numbers:
 * then the row is too long. Without a header D is what most of the first lines have.
 *
 * The last line may lack its line end (programs in Python write and read such files): with fewer
 * than D values it is cut off, else it is read, with a warning. Blank lines at the end are ignored.
 *
 * Lines are found first; then blocks of them are parsed independently, and the words are added in
 * order. So the first line that is wrong is the one reported, for any number of threads.
 */
#include "base/log.h"
#include "base/memory.h"
#include "embed/vectors/decimal.h"
#include "embed/vectors/vectors_formats.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128, LOOK_AT = 200, SKIP_FLOATS = 1 << 23 };
/* rows of a task; lines that D is detected from */

typedef struct {
    const ig_vec_source *s;
    int64_t *line; /* [n + 1] where line i starts; the last: after the last LF */
    int64_t n, have_line;
    char *tail; /* a copy of what follows the last LF, with one: numbers need a byte after them */
    int64_t tail_at; /* where it starts; the size where the file ends with LF */
    uint64_t first;  /* number of line 0 in the file */
    int d;
    float *x; /* rows of the lines, the kept words' first */
    int64_t n_kept, have_x;
    int32_t *word_size; /* [n]; −1: the line is wrong */
} text_job;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *line_start(const text_job *j, int64_t i)
{
    return j->line[i] == j->tail_at ? j->tail : j->s->data + j->line[i];
}

static const char *line_end(const text_job *j, int64_t i)
{
    const char *from = line_start(j, i);
    const char *end = from + (j->line[i + 1] - j->line[i] - 1); /* its LF */
    if (end > from && end[-1] == '\r')
        end--;
    while (end > from && is_blank(end[-1]))
        end--;
    return end;
}

/* Counts the fields of from..end. */
static int64_t count_fields(const char *from, const char *end)
{
    int64_t n = 0;
    for (const char *p = from; p < end; p++)
        n += !is_blank(*p) && (p == from || is_blank(p[-1]));
    return n;
}

/* Counts the values after the word, which is empty where a blank comes first. */
static int64_t count_values(const char *from, const char *end)
{
    const int64_t n = count_fields(from, end);
    return n > 0 && !is_blank(*from) ? n - 1 : n;
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

/* Reads a value at *p, up to a blank or the end. */
static bool value(const char **p, const char *end, float *out)
{
    return ig_decimal_read(p, out) && (*p == end || is_blank(**p)) && isfinite(*out);
}

static bool looks_numeric(const char *from, const char *end)
{
    float x;
    const char *p = from;
    return is_nan_text(from, end - from) || (ig_decimal_read(&p, &x) && p == end);
}

/* Finds where the last d fields start, or NULL: there are fewer. *at: the end of the text before
 * them. */
static const char *last_fields(const char *from, const char *end, int64_t d, const char **at)
{
    const char *p = end;
    for (int64_t k = 0; k < d; k++) {
        while (p > from && is_blank(p[-1]))
            p--;
        if (p == from)
            return NULL;
        while (p > from && !is_blank(p[-1]))
            p--;
    }
    const char *word = p;
    while (word > from && is_blank(word[-1]))
        word--;
    *at = word;
    return p;
}

/* Returns whether a word of several fields is a word: a field after the first is no number. */
static bool is_word(const char *from, const char *end)
{
    const char *p = from;
    while (p < end && !is_blank(*p))
        p++;
    bool many = false;
    while (p < end) {
        while (p < end && is_blank(*p))
            p++;
        const char *field = p;
        while (p < end && !is_blank(*p))
            p++;
        if (!looks_numeric(field, p))
            return true;
        many = true;
    }
    return !many;
}

static ig_code wrong_number(const text_job *j, int64_t i, const char *from, const char *end,
                            ig_err *err)
{
    const int64_t n = count_values(from, end);
    ig_fail(err, IG_ERR_INPUT, j->s->where, j->first + (uint64_t)i,
            "found %lld value%s after the word, expected %d", (long long)n, n == 1 ? "" : "s",
            j->d);
    return ig_vec_row_hint(err);
}

/* Parses line i into its row. With `err`, reports what is wrong; without, only that. */
static ig_code parse_line(const text_job *j, int64_t i, ig_err *err)
{
    const char *from = line_start(j, i), *end = line_end(j, i), *word = from;
    const char *p = last_fields(from, end, j->d, &word);
    float *row = j->x + (j->n_kept + i) * j->d;
    j->word_size[i] = -1;
    if (p == NULL || p == from || !is_word(from, word))
        return wrong_number(j, i, from, end, err);
    for (int k = 0; k < j->d; k++) {
        while (p < end && is_blank(*p))
            p++;
        const char *field = p, *stop = p;
        if (value(&p, end, &row[k]))
            continue;
        while (stop < end && !is_blank(*stop))
            stop++;
        int size = stop - field < 40 ? (int)(stop - field) : 40;
        const bool endless = looks_numeric(field, stop);
        ig_fail(err, IG_ERR_INPUT, j->s->where, j->first + (uint64_t)i,
                endless ? "value %d is %.*s, expected a finite number"
                        : "value %d is '%.*s', expected a number",
                k + 1, size, field);
        return ig_vec_row_hint(err);
    }
    j->word_size[i] = word - from < INT32_MAX ? (int32_t)(word - from) : INT32_MAX;
    return IG_ERR_OK;
}

static void parse_block(void *arg, int64_t i_task, int i_thread)
{
    text_job *j = arg;
    int64_t end = (i_task + 1) * BLOCK < j->n ? (i_task + 1) * BLOCK : j->n;
    (void)i_thread;
    for (int64_t i = i_task * BLOCK; i < end; i++)
        parse_line(j, i, NULL);
}

/* Copies the last line where it has no line end. */
static ig_code copy_tail(text_job *j, ig_err *err)
{
    const char *data = j->s->data;
    j->tail_at = j->s->size;
    while (j->tail_at > 0 && data[j->tail_at - 1] != '\n')
        j->tail_at--;
    const int64_t n = j->s->size - j->tail_at;
    if (n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&j->tail, n + 1, 1, "the last line", err));
    memcpy(j->tail, data + j->tail_at, (size_t)n);
    j->tail[n] = '\n';
    return IG_ERR_OK;
}

/* Returns whether the last line is there without its line end, whole. */
static bool ends_in_tail(const text_job *j)
{
    return j->tail != NULL && count_values(j->tail, j->tail + (j->s->size - j->tail_at)) >= j->d;
}

/* Finds at most max_line lines from `at` on. *rest: bytes of a cut line, in no line. */
static ig_code find_lines(text_job *j, int64_t at, int64_t max_line, int64_t *rest, ig_err *err)
{
    const char *data = j->s->data;
    IG_TRY(ig_grow(&j->line, &j->have_line, 1024, sizeof *j->line, "lines", err));
    j->line[0] = at;
    for (j->n = 0; j->n < max_line; j->n++) {
        const char *lf =
            at < j->s->size ? memchr(data + at, '\n', (size_t)(j->s->size - at)) : NULL;
        if (lf == NULL && (at >= j->s->size || !ends_in_tail(j)))
            break;
        at = lf != NULL ? lf - data + 1 : j->s->size + 1;
        IG_TRY(ig_grow(&j->line, &j->have_line, j->n + 2, sizeof *j->line, "lines", err));
        j->line[j->n + 1] = at;
    }
    *rest = j->n < max_line && at < j->s->size ? j->s->size - at : 0;
    return IG_ERR_OK;
}

static ig_code cut(const text_job *j, int64_t rest, ig_err *err)
{
    const char *end = j->s->data + j->s->size;
    if (j->s->skip_bad) {
        ig_vec_skip_note(j->s, IG_VEC_ROW, NULL, 0, j->first + (uint64_t)j->n, 0);
        return IG_ERR_OK;
    }
    ig_fail(err, IG_ERR_INPUT, j->s->where, j->first + (uint64_t)j->n,
            "the file ends within this line (%lld of %d values, no line end)",
            (long long)count_values(end - rest, end), j->d);
    return ig_hint(err, "was it copied in full?");
}

/* The number of values that most of the first lines have; the earlier one on ties. */
static int64_t usual_values(const text_job *j)
{
    int64_t values[LOOK_AT], best = 0, most = 0;
    const int64_t n = j->n < LOOK_AT ? j->n : LOOK_AT;
    for (int64_t i = 0; i < n; i++)
        values[i] = count_values(line_start(j, i), line_end(j, i));
    for (int64_t i = 0; i < n; i++) {
        int64_t same = 0;
        for (int64_t k = 0; k < n; k++)
            same += values[k] == values[i];
        if (same > most) {
            most = same;
            best = values[i];
        }
    }
    return best;
}

/* Parses all lines and collects the words; the rows of kept words are moved together. */
static ig_code parse_rows(text_job *j, ig_lexicon *w, ig_team *team, ig_err *err)
{
    const int64_t before = j->n_kept;
    ig_team_for(team, (j->n + BLOCK - 1) / BLOCK, parse_block, j);
    for (int64_t i = 0; i < j->n; i++) {
        const uint64_t number = j->first + (uint64_t)i;
        bool added = false;
        if (j->word_size[i] < 0 && !j->s->skip_bad) {
            j->n_kept = before;
            return parse_line(j, i, err);
        }
        const char *word = line_start(j, i);
        for (; j->word_size[i] > 0 && is_blank(*word); word++) /* blanks before it */
            j->word_size[i]--;
        if (j->word_size[i] < 0)
            ig_vec_skip_note(j->s, IG_VEC_ROW, NULL, 0, number, 0);
        else
            IG_TRY(ig_vec_word(w, j->s, &(ig_vec_found){word, j->word_size[i], number, 0}, &added,
                               err));
        if (added && j->n_kept < before + i)
            memcpy(j->x + j->n_kept * j->d, j->x + (before + i) * j->d,
                   (size_t)j->d * sizeof *j->x);
        j->n_kept += added;
    }
    return IG_ERR_OK;
}

/* A row has at least two bytes a value: with fewer in all, some row is short, and the block of
 * floats need not be allocated to report which. */
static ig_code check_size(const text_job *j, ig_err *err)
{
    if (j->line[j->n] - j->line[0] >= j->n * 2 * (int64_t)j->d)
        return IG_ERR_OK;
    for (int64_t i = 0; i < j->n; i++) {
        const char *from = line_start(j, i), *end = line_end(j, i);
        if (count_values(from, end) < j->d)
            return wrong_number(j, i, from, end, err);
    }
    return IG_ERR_OK;
}

static ig_code wrong_count(const text_job *j, int64_t rows, int64_t n, bool more, ig_err *err)
{
    ig_fail(err, IG_ERR_INPUT, j->s->where, 1, "found %s%lld row%s, the header says %lld",
            more ? "more than " : "", (long long)rows, rows == 1 ? "" : "s", (long long)n);
    return ig_hint(err, "--skip-bad reads the rows that there are");
}

/* Reads the header or the first lines: the number of rows in the header (−1: none), D, where the
 * rows start. */
static ig_code begin(text_job *j, bool header, int64_t *n, int64_t *at, ig_err *err)
{
    int64_t d = 0, rest;
    *n = -1;
    *at = 0;
    j->first = header ? 2 : 1;
    if (memchr(j->s->data, '\0', j->s->size < 64 ? (size_t)j->s->size : 64) != NULL)
        return ig_fail(err, IG_ERR_INPUT, j->s->where, 0,
                       "found bytes that are no text, expected word vectors of a format of "
                       "docs/embeddings.md");
    if (header && !ig_vec_header(j->s, n, &d, at))
        return ig_fail(err, IG_ERR_INPUT, j->s->where, 1,
                       "found no header, expected the number of words and of dimensions");
    if (header) {
        j->d = (int)d;
        return ig_vec_header_check(j->s, *n, d, err);
    }
    IG_TRY(find_lines(j, 0, LOOK_AT, &rest, err));
    d = j->n > 0 ? usual_values(j) : count_values(j->s->data, j->s->data + j->s->size);
    if (d < 1 || d > IG_VECTORS_DIM_MAX)
        return ig_fail(err, IG_ERR_INPUT, j->s->where, 1,
                       "found %lld values after the word, expected 1 to %d", (long long)d,
                       IG_VECTORS_DIM_MAX);
    j->d = (int)d;
    return IG_ERR_OK;
}

static ig_code parse(text_job *j, ig_vectors *out, bool header, ig_team *team, ig_err *err)
{
    int64_t n, at, rest = 0, rows = 0, want = j->s->max_word;
    IG_TRY(begin(j, header, &n, &at, err));
    const int64_t all = header && !j->s->skip_bad ? n : INT32_MAX;
    /* Reads as many lines as words are needed, then as many as were left out. Damaged rows may be
     * many and short: with skip_bad memory for some thousand at a time. */
    while (rows < all && j->n_kept < want) {
        int64_t left = want - j->n_kept;
        if (j->s->skip_bad && left > SKIP_FLOATS / j->d)
            left = SKIP_FLOATS / j->d;
        IG_TRY(find_lines(j, at, left < all - rows ? left : all - rows, &rest, err));
        if (rows == 0 && !j->s->skip_bad)
            IG_TRY(check_size(j, err));
        if (j->s->skip_bad)
            IG_TRY(ig_grow(&j->x, &j->have_x, (j->n_kept + j->n) * j->d, sizeof *j->x,
                           "word vectors", err));
        else if (j->x == NULL)
            IG_TRY(ig_alloc(&j->x, j->n * j->d, sizeof *j->x, "word vectors", err));
        ig_free(j->word_size);
        IG_TRY(ig_alloc(&j->word_size, j->n, sizeof *j->word_size, "word vectors", err));
        IG_TRY(parse_rows(j, &out->words, team, err));
        rows += j->n;
        at = j->line[j->n] < j->s->size ? j->line[j->n] : j->s->size;
        if (rest > 0)
            IG_TRY(cut(j, rest, err));
        j->first += (uint64_t)j->n;
        if (j->n == 0 || at == j->s->size || rest > 0)
            break;
    }
    if (header && !j->s->skip_bad && rows < n && j->n_kept < want)
        return wrong_count(j, rows, n, false, err);
    if (header && !j->s->skip_bad && rows == n && at != j->s->size)
        return wrong_count(j, rows, n, true, err);
    if (header && j->s->skip_bad && rows != n && at == j->s->size)
        ig_vec_count_log(j->s->where, rows, n);
    if (j->line[j->n] > j->s->size)
        ig_log(IG_LOG_NORMAL, "warning: %s: the last line has no line end: was it copied in full?",
               j->s->where);
    if (j->n_kept == 0)
        return ig_fail(err, IG_ERR_INPUT, j->s->where, 0, "found no row that could be read");
    out->x = j->x;
    j->x = NULL;
    out->n = out->words.n;
    out->d = j->d;
    return IG_ERR_OK;
}

/* The size without blank lines at the end. */
static int64_t size_of(const ig_vec_source *s)
{
    int64_t size = s->size, end = size;
    while (end > 0 &&
           (is_blank(s->data[end - 1]) || s->data[end - 1] == '\r' || s->data[end - 1] == '\n')) {
        size = s->data[end - 1] == '\n' ? end : size;
        end--;
    }
    return end > 0 ? size : s->size;
}

ig_code ig_vec_text_parse(ig_vectors *out, const ig_vec_source *s, bool header, ig_team *team,
                          ig_err *err)
{
    ig_vec_source rows = *s;
    rows.size = size_of(s);
    text_job j = {.s = &rows};
    ig_code code = copy_tail(&j, err);
    IG_THEN(code, parse(&j, out, header, team, err));
    IG_FREE(j.line, j.word_size, j.x, j.tail);
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
