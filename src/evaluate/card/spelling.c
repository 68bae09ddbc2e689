/* SPDX-License-Identifier: Apache-2.0
 *
 * Spellings and words by ICU: case mapping, normalization (UAX #15), word boundaries (UAX #29).
 */
#include "evaluate/card/spelling.h"

#include "base/memory.h"
#include "text/utf8.h"
#include "text/white_space.h"

#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>

static ig_code icu(UErrorCode e, ig_err *err)
{
    return U_SUCCESS(e)
               ? IG_ERR_OK
               : ig_fail(err, e == U_MEMORY_ALLOCATION_ERROR ? IG_ERR_MEMORY : IG_ERR_INPUT, "text",
                         0, "%s", u_errorName(e));
}

/* --- spellings */

struct ig_speller {
    const UNormalizer2 *nfc, *nfd;
    UChar *a, *b;
    char *text;
    int64_t have_a, have_b, have_text;
};

ig_code ig_speller_new(ig_speller **out, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    IG_TRY(ig_alloc(out, 1, sizeof **out, "spelling", err));
    (*out)->nfc = unorm2_getNFCInstance(&e);
    (*out)->nfd = unorm2_getNFDInstance(&e);
    return icu(e, err);
}

void ig_speller_free(ig_speller *s)
{
    if (s != NULL)
        IG_FREE(s->a, s->b, s->text, s);
}

/* a[n] becomes its normal form, in place. */
static ig_code normalise(ig_speller *s, const UNormalizer2 *form, int32_t *n, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    *n = unorm2_normalize(form, s->a, *n, s->b, (int32_t)s->have_b, &e);
    IG_TRY(icu(e, err));
    memcpy(s->a, s->b, (size_t)*n * sizeof *s->a);
    return IG_ERR_OK;
}

/* Marks beyond the basic plane, of scripts without accents, stay. */
static int32_t without_marks(UChar *a, int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++)
        if (u_charType(a[i]) != U_NON_SPACING_MARK)
            a[kept++] = a[i];
    return kept;
}

ig_code ig_respell(ig_speller *s, ig_spelling as, const char *text, const char **out, ig_err *err)
{
    /* A unit of UTF-16 grows to 18 in NFD at most, to 3 in lower case or NFC (UAX #15, §9). */
    enum { grow = 18 };
    const int64_t size = (int64_t)strlen(text);
    UErrorCode e = U_ZERO_ERROR;
    int32_t n = 0;
    IG_TRY(ig_grow(&s->a, &s->have_a, grow * size + 1, sizeof *s->a, "text", err));
    IG_TRY(ig_grow(&s->b, &s->have_b, grow * size + 1, sizeof *s->b, "text", err));
    u_strFromUTF8WithSub(s->a, (int32_t)s->have_a, &n, text, (int32_t)size, 0xFFFD, NULL, &e);
    IG_TRY(icu(e, err));
    if (as == IG_SPELLED_LOWER || as == IG_SPELLED_BOTH) {
        n = u_strToLower(s->b, (int32_t)s->have_b, s->a, n, "", &e);
        IG_TRY(icu(e, err));
        memcpy(s->a, s->b, (size_t)n * sizeof *s->a);
    }
    if (as == IG_SPELLED_PLAIN || as == IG_SPELLED_BOTH) {
        IG_TRY(normalise(s, s->nfd, &n, err));
        n = without_marks(s->a, n);
    }
    if (as != IG_SPELLED_LOWER)
        IG_TRY(normalise(s, s->nfc, &n, err));
    IG_TRY(ig_grow(&s->text, &s->have_text, 3 * (int64_t)n + 1, 1, "text", err));
    int32_t length = 0;
    u_strToUTF8(s->text, (int32_t)s->have_text, &length, s->a, n, &e);
    IG_TRY(icu(e, err));
    s->text[length] = '\0';
    *out = s->text;
    return IG_ERR_OK;
}

/* --- words */

struct ig_word_breaker {
    UBreakIterator *icu;
    UText text;
    const char *p;
    int64_t from;
};

ig_code ig_word_breaker_new(ig_word_breaker **out, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    IG_TRY(ig_alloc(out, 1, sizeof **out, "words", err));
    (*out)->text = (UText)UTEXT_INITIALIZER;
    (*out)->icu = ubrk_open(UBRK_WORD, "", NULL, 0, &e);
    return icu(e, err);
}

void ig_word_breaker_free(ig_word_breaker *b)
{
    if (b == NULL)
        return;
    ubrk_close(b->icu);
    utext_close(&b->text);
    ig_free(b);
}

ig_code ig_word_breaker_set(ig_word_breaker *b, const char *text, int64_t n, ig_err *err)
{
    UErrorCode e = U_ZERO_ERROR;
    b->p = text;
    utext_openUTF8(&b->text, text, n, &e);
    ubrk_setUText(b->icu, &b->text, &e);
    IG_TRY(icu(e, err));
    b->from = ubrk_first(b->icu);
    return IG_ERR_OK;
}

const char *ig_word_breaker_next(ig_word_breaker *b, int64_t *n)
{
    for (int32_t to; (to = ubrk_next(b->icu)) != UBRK_DONE;) {
        const int64_t from = b->from;
        b->from = to;
        if (ubrk_getRuleStatus(b->icu) >= UBRK_WORD_NONE_LIMIT) {
            *n = to - from;
            return b->p + from;
        }
    }
    return NULL;
}

static bool has_no_blanks(uint32_t c)
{
    static const UScriptCode script[] = {USCRIPT_HAN,     USCRIPT_HIRAGANA, USCRIPT_KATAKANA,
                                         USCRIPT_THAI,    USCRIPT_LAO,      USCRIPT_KHMER,
                                         USCRIPT_MYANMAR, USCRIPT_TIBETAN};
    UErrorCode e = U_ZERO_ERROR;
    const UScriptCode of = uscript_getScript((UChar32)c, &e);
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        if (script[i] == of)
            return true;
    return false;
}

void ig_count_characters(const char *text, int64_t n, double *character, double *spaceless)
{
    const uint8_t *p = (const uint8_t *)text, *const end = p + n;
    while (p < end) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c);
        if (ig_is_white_space(c))
            continue;
        (*character)++;
        *spaceless += c >= 0x80 && has_no_blanks(c);
    }
}
