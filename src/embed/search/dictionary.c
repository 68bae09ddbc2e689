/* SPDX-License-Identifier: Apache-2.0
 *
 * MUSE's format of dictionaries, and that of a world's A-B.dict, where a count of how often the
 * words translate each other follows. MUSE and VecMap read theirs with Python's split() and skip
 * (or count as unknown) what does not fit; here a line that is no pair is an error.
 */
#include "embed/search/dictionary.h"

#include "base/id_pairs.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "corpus/read/line_reader.h"
#include "text/lowercase.h"

#include <string.h>

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **p, const char **end)
{
    while (*p < *end && blank(**p))
        ++*p;
    while (*end > *p && blank((*end)[-1]))
        --*end;
}

typedef struct {
    const char *text;
    int64_t n;
} field;

static bool is_number(const field *f)
{
    char text[64];
    double x;
    if (f->n >= (int64_t)sizeof text)
        return false;
    memcpy(text, f->text, (size_t)f->n);
    text[f->n] = '\0';
    return ig_number_read(&x, text);
}

/* The two words of a trimmed line, between tabs if there is one, else between blanks; a number (a
 * count or a probability) and further fields may follow. False: the line is no pair. */
static bool split(const char *p, const char *end, field f[2])
{
    const bool tabs = memchr(p, '\t', (size_t)(end - p)) != NULL;
    field third = {NULL, 0};
    int n = 0;
    while (p < end && n < 3) {
        const char *from = p;
        while (p < end && (tabs ? *p != '\t' : !blank(*p)))
            p++;
        const char *to = p;
        trim(&from, &to);
        *(n < 2 ? &f[n] : &third) = (field){from, to - from};
        n++;
        p += p < end;
        while (p < end && blank(*p))
            p++;
    }
    return n >= 2 && f[0].n > 0 && f[1].n > 0 && (n == 2 || is_number(&third));
}

typedef struct {
    ig_dictionary *out;
    ig_line_reader *lines;
    ig_lowercase *lower; /* NULL: words stay as they are */
    ig_lexicon seen;     /* pairs, as the bytes of their numbers */
    int64_t have;
} reader;

static ig_code add_line(reader *r, const char *line, int64_t size, ig_err *err)
{
    ig_dictionary *d = r->out;
    const char *end = line + size, *p = line;
    field f[2];
    int32_t id[2], known = r->seen.n, at;
    trim(&p, &end);
    if (p == end)
        return IG_ERR_OK;
    const bool is_pair = split(p, end, f);
    /* A pair of words that both start with the comment sign ("# #") is a pair, no comment. */
    if (ig_line_is_comment(line) && !(is_pair && f[1].text[0] == '#'))
        return IG_ERR_OK;
    if (!is_pair)
        return ig_line_fail(
            r->lines, err,
            "found '%.*s', expected a word and its translation, with a blank or a tab "
            "between them",
            (int)(end - p < 60 ? end - p : 60), p);
    for (int s = 0; s < 2; s++) {
        if (r->lower != NULL)
            IG_TRY(ig_lowercase_text(r->lower, &f[s].text, &f[s].n, err));
        IG_TRY(ig_lexicon_add(&d->word[s], f[s].text, f[s].n, &id[s], err));
    }
    IG_TRY(ig_lexicon_add(&r->seen, (const char *)id, sizeof id, &at, err));
    if (at < known) {
        d->n_repeated++;
        return IG_ERR_OK;
    }
    IG_TRY(ig_grow(&d->pair, &r->have, 2 * (d->n_pair + 1), sizeof *d->pair, "dictionary", err));
    memcpy(d->pair + 2 * d->n_pair++, id, sizeof id);
    return IG_ERR_OK;
}

static ig_code read_lines(reader *r, const char *path, bool lowercase, ig_err *err)
{
    char *line;
    int64_t size;
    IG_TRY(ig_line_open(&r->lines, path, err));
    if (lowercase)
        IG_TRY(ig_lowercase_new(&r->lower, err));
    for (;;) {
        IG_TRY(ig_line_next(r->lines, &line, &size, err));
        if (line == NULL)
            break;
        IG_TRY(add_line(r, line, size, err));
    }
    if (r->out->n_pair == 0)
        return ig_fail(err, IG_ERR_INPUT, path, 0,
                       "found no lines, expected a pair of words in each");
    return IG_ERR_OK;
}

ig_code ig_dictionary_read(ig_dictionary *out, const char *path, bool lowercase, ig_err *err)
{
    reader r = {.out = out};
    *out = (ig_dictionary){0};
    ig_code code = read_lines(&r, path, lowercase, err);
    ig_line_close(r.lines);
    ig_lowercase_free(r.lower);
    ig_lexicon_free(&r.seen);
    if (code != IG_ERR_OK)
        ig_dictionary_free(out);
    return code;
}

void ig_dictionary_free(ig_dictionary *d)
{
    ig_lexicon_free(&d->word[0]);
    ig_lexicon_free(&d->word[1]);
    ig_free(d->pair);
    *d = (ig_dictionary){0};
}

void ig_dictionary_say(const char *name, int64_t pieces, int64_t all)
{
    enum { FEW = 10 };
    if (pieces >= FEW)
        ig_log(IG_LOG_NORMAL, "%s: both words of %lld of %lld pairs are one piece", name,
               (long long)pieces, (long long)all);
    else if (pieces > 0)
        ig_warn_once("%s: both words of %lld of %lld pairs are one piece; τ and μ rest on so few",
                     name, (long long)pieces, (long long)all);
}

/* Numbers of the dictionary's words in a vocabulary, −1: not there. */
static ig_code look_up(int32_t **out, const ig_lexicon *words, const ig_lexicon *in, ig_err *err)
{
    IG_TRY(ig_alloc(out, words->n, sizeof **out, "dictionary", err));
    for (int32_t i = 0; i < words->n; i++)
        (*out)[i] = ig_lexicon_find(in, ig_lexicon_get(words, i), ig_lexicon_size(words, i));
    return IG_ERR_OK;
}

ig_code ig_dictionary_rows_of(ig_dictionary_rows *out, const int32_t *pair, int64_t n, ig_err *err)
{
    *out = (ig_dictionary_rows){.n_pair = n, .all_pair = n};
    ig_code code = ig_alloc(&out->pair, 2 * n, sizeof *out->pair, "dictionary", err);
    IG_THEN(code, ig_alloc(&out->query, n, sizeof *out->query, "dictionary", err));
    IG_THEN(code, ig_alloc(&out->start, n + 1, sizeof *out->start, "dictionary", err));
    IG_THEN(code, ig_alloc(&out->answer, n, sizeof *out->answer, "dictionary", err));
    if (code != IG_ERR_OK) {
        ig_dictionary_rows_free(out);
        return code;
    }
    for (int64_t i = 0; i < n; i++) {
        out->pair[2 * i] = pair[2 * i];
        out->pair[2 * i + 1] = out->answer[i] = pair[2 * i + 1];
        if (i == 0 || pair[2 * i] != pair[2 * i - 2]) {
            out->start[out->n_query] = i;
            out->query[out->n_query++] = pair[2 * i];
        }
    }
    out->start[out->n_query] = n;
    out->all_query = out->n_query;
    return IG_ERR_OK;
}

ig_code ig_dictionary_find(ig_dictionary_rows *out, const ig_dictionary *d,
                           const ig_lexicon *source, const ig_lexicon *target, ig_err *err)
{
    int32_t *id[2] = {NULL, NULL}, *pair = NULL;
    int64_t n = 0;
    *out = (ig_dictionary_rows){0};
    ig_code code = look_up(&id[0], &d->word[0], source, err);
    IG_THEN(code, look_up(&id[1], &d->word[1], target, err));
    IG_THEN(code, ig_alloc(&pair, 2 * d->n_pair, sizeof *pair, "dictionary", err));
    for (int64_t i = 0; i < d->n_pair && code == IG_ERR_OK; i++) {
        pair[2 * n] = id[0][d->pair[2 * i]];
        pair[2 * n + 1] = id[1][d->pair[2 * i + 1]];
        n += pair[2 * n] >= 0 && pair[2 * n + 1] >= 0;
    }
    IG_THEN(code, ig_dictionary_rows_of(out, pair, ig_id_pairs_unique(pair, n), err));
    if (code == IG_ERR_OK) {
        out->all_pair = d->n_pair;
        out->all_query = d->word[0].n;
        for (int32_t i = 0; i < d->word[0].n; i++)
            out->unknown_source += id[0][i] < 0;
        out->unknown_target = out->all_query - out->unknown_source - out->n_query;
    }
    IG_FREE(id[0], id[1], pair);
    return code;
}

void ig_dictionary_rows_free(ig_dictionary_rows *r)
{
    IG_FREE(r->pair, r->query, r->start, r->answer);
    *r = (ig_dictionary_rows){0};
}
