/* SPDX-License-Identifier: Apache-2.0
 *
 * Verses from eBible.org's verse-per-line files and from texts parallel to a list of references
 * (BibleNLP), into the form of the Parallel Bible Corpus: BBCCCVVV, tab, text, ascending. Books are
 * numbered in the order of the Protestant canon, 01–66; editions order them in several ways, so
 * verses are sorted. Two lines of one verse (a verse in parts) become one.
 */

#include "base/memory.h"

#include "corpus/read/line_reader.h"
#include "fetch/convert.h"
#include "fetch/sink.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* USFM 3.0, "Book Identifiers". */
static const char books[66][4] = {
    "GEN", "EXO", "LEV", "NUM", "DEU", "JOS", "JDG", "RUT", "1SA", "2SA", "1KI",
    "2KI", "1CH", "2CH", "EZR", "NEH", "EST", "JOB", "PSA", "PRO", "ECC", "SNG",
    "ISA", "JER", "LAM", "EZK", "DAN", "HOS", "JOL", "AMO", "OBA", "JON", "MIC",
    "NAM", "HAB", "ZEP", "HAG", "ZEC", "MAL", "MAT", "MRK", "LUK", "JHN", "ACT",
    "ROM", "1CO", "2CO", "GAL", "EPH", "PHP", "COL", "1TH", "2TH", "1TI", "2TI",
    "TIT", "PHM", "HEB", "JAS", "1PE", "2PE", "1JN", "2JN", "3JN", "JUD", "REV"};
/* Where eBible.org's verse-per-line files write another code. */
static const struct {
    char code[4];
    int book;
} other[] = {{"SOL", 22}, {"SON", 22}, {"EZE", 26}, {"JOE", 29}, {"OBD", 31},
             {"NAH", 34}, {"MAR", 41}, {"JOH", 43}, {"PHI", 50}, {"JAM", 59},
             {"1JO", 62}, {"2JO", 63}, {"3JO", 64}};

int ig_bible_book(const char *code)
{
    for (int i = 0; i < 66; i++)
        if (strcmp(books[i], code) == 0)
            return i + 1;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(other[i].code, code) == 0)
            return other[i].book;
    return 0;
}

typedef struct {
    int32_t id;
    int64_t order; /* line it was read from: sorting keeps it */
    int64_t at, n; /* of its text */
} verse;

typedef struct {
    verse *v;
    int64_t n, have;
    char *text;
    int64_t n_text, have_text;
} verses;

static bool digits(const char **p, int *out, int most)
{
    *out = 0;
    const char *begin = *p;
    for (; **p >= '0' && **p <= '9' && *p - begin < 4; ++*p)
        *out = *out * 10 + (**p - '0');
    return *p > begin && *out <= most && !(**p >= '0' && **p <= '9');
}

/* Parses "GEN 1:1" at the beginning of a line: false if there is none. *id is 0 for a book that is
 * not among the 66. A verse 1a, 1-2 or 1,2 counts as its first number. *rest is the text after
 * it. */
static bool parse_reference(const char *line, int32_t *id, const char **rest)
{
    char code[4] = "";
    const char *p = line;
    int chapter, number;
    for (int i = 0; i < 3; i++, p++) {
        if (!((*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
            return false;
        code[i] = *p;
    }
    if (*p++ != ' ' || !digits(&p, &chapter, 999) || *p++ != ':' || !digits(&p, &number, 999))
        return false;
    while (*p != '\0' && *p != ' ' && *p != '\t')
        p++;
    *rest = p;
    int book = ig_bible_book(code);
    *id = book > 0 ? book * 1000000 + chapter * 1000 + number : 0;
    return true;
}

static ig_code add(verses *all, int32_t id, int64_t order, const char *text, int64_t n, ig_err *err)
{
    while (n > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        n--;
    }
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (id == 0 || n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&all->v, &all->have, all->n + 1, sizeof *all->v, "verses", err));
    IG_TRY(ig_grow(&all->text, &all->have_text, all->n_text + n, 1, "verses", err));
    all->v[all->n++] = (verse){id, order, all->n_text, n};
    for (int64_t i = 0; i < n; i++)
        all->text[all->n_text++] = text[i] == '\t' ? ' ' : text[i];
    return IG_ERR_OK;
}

static int by_id(const void *a, const void *b)
{
    const verse *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static ig_code write_verses(const verses *all, const char *out, int64_t *n_line, ig_err *err)
{
    ig_sink *s;
    IG_TRY(ig_sink_open(&s, out, err));
    ig_code code = IG_ERR_OK;
    for (int64_t i = 0; i < all->n && code == IG_ERR_OK; i++) {
        const verse *v = &all->v[i];
        bool more = i > 0 && all->v[i - 1].id == v->id;
        char head[16];
        int k = more ? snprintf(head, sizeof head, " ")
                     : snprintf(head, sizeof head, "%s%08d\t", i > 0 ? "\n" : "", v->id);
        code = ig_sink_write(s, head, k, err);
        IG_THEN(code, ig_sink_write(s, all->text + v->at, v->n, err));
        *n_line += !more;
    }
    IG_THEN(code, ig_sink_write(s, "\n", 1, err));
    return ig_sink_close(s, code, err);
}

/* Reads one line, and with a list of references (ref, else NULL) the line of the same number
 * there. */
static ig_code next_verse(verses *all, ig_line_reader *ref, ig_line_reader *r, bool *end,
                          ig_err *err)
{
    char *a = NULL, *b;
    int64_t na, nb;
    int32_t id;
    const char *rest;
    if (ref != NULL)
        IG_TRY(ig_line_next(ref, &a, &na, err));
    IG_TRY(ig_line_next(r, &b, &nb, err));
    *end = b == NULL;
    if (ref != NULL && *end != (a == NULL))
        return ig_line_fail(*end ? r : ref, err, "ends here, expected as many lines as %.160s has",
                            ig_line_where(*end ? ref : r));
    if (*end || (ref == NULL && nb == 0))
        return IG_ERR_OK;
    const char *line = ref != NULL ? a : b;
    if (!parse_reference(line, &id, &rest))
        return ig_line_fail(ref != NULL ? ref : r, err,
                            "found '%.40s', expected a verse such as 'GEN 1:1'", line);
    const char *text = ref != NULL ? b : rest;
    if (strcmp(text, "<range>") == 0)
        return IG_ERR_OK;
    return add(all, id, (int64_t)ig_line_number(r), text, nb - (text - b), err);
}

ig_code ig_convert_verses(const char *reference, const char *in, const char *out, int64_t *n_line,
                          ig_err *err)
{
    ig_line_reader *ref = NULL, *r = NULL;
    verses all = {0};
    bool end = false;
    ig_code code = reference != NULL ? ig_line_open(&ref, reference, err) : IG_ERR_OK;
    IG_THEN(code, ig_line_open(&r, in, err));
    while (code == IG_ERR_OK && !end)
        code = next_verse(&all, ref, r, &end, err);
    ig_line_close(ref);
    ig_line_close(r);
    if (code == IG_ERR_OK && all.n == 0)
        code = ig_fail(err, IG_ERR_INPUT, in, 0,
                       "found no verse of the 66 books, expected lines of 'GEN 1:1 text'");
    if (code == IG_ERR_OK) {
        qsort(all.v, (size_t)all.n, sizeof *all.v, by_id);
        code = write_verses(&all, out, n_line, err);
    }
    IG_FREE(all.v, all.text);
    return code;
}
