/* SPDX-License-Identifier: Apache-2.0
 *
 * Cleaning and sentence breaking with ICU. The papers used NLTK's Punkt, which ends a sentence at
 * every ? and ! before white space, and at a full stop unless it follows a known abbreviation; UAX
 * #29 (https://unicode.org/reports/tr29, rules SB6 to SB11) does so too, but does not end it at a
 * full stop followed by a lower-case word.
 */
#include "text/sentence.h"

#include "base/memory.h"
#include "text/white_space.h"

#include <stdio.h>
#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uloc.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

static bool is_deleted(UChar32 c)
{
    return c == 0x201D || c == 0x2019 || c == 0x2018 || c == 0x201C || c == '(' || c == ')';
}

int64_t ig_text_clean(char *out, const char *text, int64_t n, bool strip_quotes)
{
    const uint8_t *p = (const uint8_t *)text;
    int64_t at = 0;
    bool space = false;
    for (int64_t i = 0; i < n;) {
        int64_t from = i;
        UChar32 c;
        U8_NEXT_OR_FFFD(p, i, n, c);
        if (ig_is_white_space((uint32_t)c)) {
            space = true;
            continue;
        }
        if (strip_quotes && is_deleted(c))
            continue;
        if (space && at > 0)
            out[at++] = ' ';
        space = false;
        memmove(out + at, text + from, (size_t)(i - from));
        at += i - from;
    }
    return at;
}

struct ig_sentence_breaker {
    UBreakIterator *icu;
    UText text;
    bool clauses;
    const char *p;   /* the text */
    int64_t at, end; /* rest of the current sentence, which may contain breaks of clauses */
};

static ig_code icu_error(ig_err *err, const char *what, UErrorCode e)
{
    return ig_fail(err, e == U_MEMORY_ALLOCATION_ERROR ? IG_ERR_MEMORY : IG_ERR_INPUT, "", 0,
                   "%s: %s", what, u_errorName(e));
}

ig_code ig_sentence_breaker_new(ig_sentence_breaker **out, const char *locale, bool abbreviations,
                                bool clauses, ig_err *err)
{
    ig_sentence_breaker *b;
    char name[64];
    UErrorCode e = U_ZERO_ERROR;
    *out = NULL;
    if (locale == NULL)
        locale = "en";
    int len = snprintf(name, sizeof name, "%s%s", locale, abbreviations ? "@ss=standard" : "");
    if (len < 0 || len >= (int)sizeof name || strchr(locale, '@') != NULL)
        return ig_fail(err, IG_ERR_USAGE, "locale", 0,
                       "found '%.32s', expected a name like en or pt-BR", locale);
    /* For an unknown language ICU would use the rules of the root. */
    if (uloc_getISO3Language(locale)[0] == '\0')
        return ig_fail(err, IG_ERR_USAGE, "locale", 0,
                       "found '%.32s', expected a language that ICU knows, such as en or pt-BR",
                       locale);
    IG_TRY(ig_alloc(&b, 1, sizeof *b, "sentence breaker", err));
    b->clauses = clauses;
    b->text = (UText)UTEXT_INITIALIZER;
    b->icu = ubrk_open(UBRK_SENTENCE, name, NULL, 0, &e);
    if (U_FAILURE(e)) {
        ig_sentence_breaker_free(b);
        return icu_error(err, "ICU has no sentence breaks", e);
    }
    *out = b;
    return IG_ERR_OK;
}

void ig_sentence_breaker_free(ig_sentence_breaker *b)
{
    if (b == NULL)
        return;
    if (b->icu != NULL)
        ubrk_close(b->icu);
    utext_close(&b->text);
    ig_free(b);
}

ig_code ig_sentence_begin(ig_sentence_breaker *b, const char *text, int64_t n, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    if (n >= INT32_MAX)
        return ig_fail(err, IG_ERR_INPUT, "", 0, "text of %lld bytes, expected less than %d",
                       (long long)n, INT32_MAX);
    utext_openUTF8(&b->text, text, n, &e);
    ubrk_setUText(b->icu, &b->text, &e);
    if (U_FAILURE(e))
        return icu_error(err, "ICU cannot break this text", e);
    b->p = text;
    b->at = b->end = ubrk_first(b->icu);
    return IG_ERR_OK;
}

static bool is_space_at(const ig_sentence_breaker *b, int64_t i, int64_t *next)
{
    UChar32 c;
    const uint8_t *p = (const uint8_t *)b->p;
    U8_NEXT_OR_FFFD(p, i, b->end, c);
    *next = i;
    return ig_is_white_space((uint32_t)c);
}

/* Returns the end of the clause that begins at b->at: after the mark, or at the sentence's end. */
static int64_t clause_end(const ig_sentence_breaker *b)
{
    const uint8_t *p = (const uint8_t *)b->p;
    for (int64_t i = b->at; i < b->end && b->clauses;) {
        UChar32 c;
        int64_t after;
        U8_NEXT_OR_FFFD(p, i, b->end, c);
        if (c == 0xFF1B || c == 0xFF1A)
            return i;
        if ((c == ';' || c == ':' || c == 0x061B) && i < b->end && is_space_at(b, i, &after))
            return i;
    }
    return b->end;
}

bool ig_sentence_next(ig_sentence_breaker *b, const char **sentence, int64_t *n)
{
    for (;;) {
        if (b->at == b->end) {
            int32_t end = ubrk_next(b->icu);
            if (end == UBRK_DONE)
                return false;
            b->end = end;
        }
        int64_t next;
        while (b->at < b->end && is_space_at(b, b->at, &next))
            b->at = next;
        if (b->at == b->end)
            continue;
        int64_t from = b->at, to = clause_end(b), last = from;
        b->at = to;
        for (int64_t i = from; i < to; i = next)
            if (!is_space_at(b, i, &next))
                last = next;
        *sentence = b->p + from;
        *n = last - from;
        return true;
    }
}
