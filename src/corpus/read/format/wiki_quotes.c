/* SPDX-License-Identifier: Apache-2.0
 *
 * Apostrophes: two are italics, three bold, five both; the rules of MediaWiki's Parser::doQuotes
 * decide which of a run are characters of the text.
 */
#include "corpus/read/format/wikitext_steps.h"

#include <string.h>

typedef struct {
    int64_t at, n;     /* the run */
    int64_t shown;     /* how many of them are text */
    int64_t marks;     /* the others: 2, 3 or 5 */
    int64_t text_from; /* where the text before it begins */
} run;

/* Finds the next run of two or more from i on; false: there is none. */
static bool next_run(const char *line, int64_t i, int64_t n, run *r)
{
    r->text_from = i;
    for (; i + 1 < n; i++) {
        if (line[i] != '\'' || line[i + 1] != '\'')
            continue;
        int64_t end = i;
        while (end < n && line[end] == '\'')
            end++;
        r->at = i;
        r->n = end - i;
        r->shown = r->n == 4 ? 1 : r->n > 5 ? r->n - 5 : 0;
        r->marks = r->n - r->shown;
        return true;
    }
    return false;
}

/* The text before a bold mark: a word of one letter, another word, a space. */
enum { ONE_LETTER, WORD, SPACE, N_BEFORE };

static int before(const char *line, const run *r)
{
    const int64_t n = r->at - r->text_from + r->shown;
    const char last = r->shown > 0 ? '\'' : n > 0 ? line[r->at - 1] : '\0';
    if (last == ' ')
        return SPACE;
    /* A text of one character has that one as its second last, as with PHP's substr(). */
    return n >= 2 && line[r->at - 2 + r->shown] == ' ' ? ONE_LETTER : WORD;
}

/* If bold and italics are both left open, returns the position of the bold mark that is an
 * apostrophe and italics; −1: none. */
static int64_t unbalanced(const char *line, int64_t n)
{
    int64_t bold = 0, italics = 0, first[N_BEFORE] = {-1, -1, -1};
    run r;
    for (int64_t i = 0; next_run(line, i, n, &r); i = r.at + r.n) {
        italics += r.marks != 3;
        bold += r.marks != 2;
        const int kind = before(line, &r);
        if (r.marks == 3 && first[kind] < 0)
            first[kind] = r.at;
    }
    if (bold % 2 == 0 || italics % 2 == 0)
        return -1;
    return first[ONE_LETTER] >= 0 ? first[ONE_LETTER]
           : first[WORD] >= 0     ? first[WORD]
                                  : first[SPACE];
}

/* Writes one line without its marks to `out`, which is not after the line. */
static int64_t drop_in_line(char *out, const char *line, int64_t n)
{
    const int64_t odd = unbalanced(line, n);
    int64_t to = 0, i = 0;
    for (run r; next_run(line, i, n, &r); i = r.at + r.n) {
        memmove(out + to, line + i, (size_t)(r.at - i));
        to += r.at - i;
        for (int64_t k = r.shown + (r.at == odd); k > 0; k--)
            out[to++] = '\'';
    }
    memmove(out + to, line + i, (size_t)(n - i));
    return to + n - i;
}

int64_t ig_wiki_drop_quotes(char *text, int64_t n)
{
    int64_t to = 0;
    for (int64_t i = 0; i < n;) {
        const char *lf = memchr(text + i, '\n', (size_t)(n - i));
        const int64_t end = lf != NULL ? lf - text : n;
        to += drop_in_line(text + to, text + i, end - i);
        if (lf != NULL)
            text[to++] = '\n';
        i = end + 1;
    }
    return to;
}
