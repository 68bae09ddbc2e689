/* SPDX-License-Identifier: Apache-2.0
 *
 * Translates an expression and runs it. In Oniguruma's syntax for UTF-8 \s is White_Space, \d is Nd
 * and \w has letters, marks, digits and connectors, outside a set also the six numbers of Latin-1
 * (its table of the first 256 characters says so); ICU's own are others. What both read
 * but differently ("^" and "$" at lines, ".", "{n,m}+", sets in sets) is refused.
 */
#include "text/text_regex.h"

#include "base/memory.h"
#include "text/byte_text.h"

#include <stdio.h>
#include <string.h>
#include <unicode/uregex.h>
#include <unicode/utext.h>

#define WORD "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
#define LATIN "\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE"

struct ig_text_regex {
    URegularExpression *compiled; /* cloned for each text: a matcher has a state */
};

typedef struct {
    const char *at;
    const char *bad; /* what is not read; NULL: nothing */
    ig_byte_text out;
    bool in_set;
    ig_err *err;
} translation;

static ig_code put(translation *t, const char *text)
{
    return ig_byte_text_add(&t->out, text, (int64_t)strlen(text), t->err);
}

static ig_code copy(translation *t, size_t n)
{
    const char *from = t->at;
    t->at += n;
    return ig_byte_text_add(&t->out, from, (int64_t)n, t->err);
}

/* \p{Name} */
static ig_code property(translation *t)
{
    size_t n = 3;
    if (t->at[2] == '{')
        n += strspn(t->at + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
    if (n == 3 || t->at[n] != '}') {
        t->bad = t->at;
        return IG_ERR_OK;
    }
    return copy(t, n + 1);
}

static ig_code escape(translation *t)
{
    const struct {
        char letter;
        const char *means;
    } of[] = {{'s', "\\p{White_Space}"},
              {'S', "\\P{White_Space}"},
              {'d', "\\p{Nd}"},
              {'D', "\\P{Nd}"},
              {'w', t->in_set ? "[" WORD "]" : "[" WORD LATIN "]"},
              {'W', t->in_set ? "[^" WORD "]" : "[^" WORD LATIN "]"}};
    const char c = t->at[1];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (c == of[i].letter) {
            t->at += 2;
            return put(t, of[i].means);
        }
    if (c == 'p' || c == 'P')
        return property(t);
    if (c != '\0' && strchr("rnt!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ", c) != NULL)
        return copy(t, 2);
    t->bad = t->at;
    return IG_ERR_OK;
}

/* A character of a set, after "[" and "^". */
static ig_code in_set(translation *t)
{
    const char *p = t->at;
    if (p[0] == '\\')
        return escape(t);
    if (p[0] == ']')
        t->in_set = false;
    if (p[0] == '[' || (p[0] == p[1] && (p[0] == '&' || p[0] == '-'))) {
        t->bad = p;
        return IG_ERR_OK;
    }
    if (strchr("{}$&#", p[0]) != NULL) /* operators in ICU's sets */
        IG_TRY(put(t, "\\"));
    return copy(t, 1);
}

static ig_code group(translation *t)
{
    static const char *const begin[] = {"(?i:", "(?:", "(?!", "(?=", "(?<!", "(?<=", "(?>"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(t->at, begin[i], strlen(begin[i])) == 0)
            return copy(t, strlen(begin[i]));
    if (t->at[1] == '?' || t->at[1] == '*')
        t->bad = t->at;
    return copy(t, 1);
}

/* {n}, {n,}, {n,m} */
static ig_code repetition(translation *t)
{
    const size_t first = strspn(t->at + 1, "0123456789");
    size_t n = 1 + first;
    if (t->at[n] == ',')
        n += 1 + strspn(t->at + n + 1, "0123456789");
    if (first == 0 || first > 3 || t->at[n] != '}' || t->at[n + 1] == '+') {
        t->bad = t->at;
        return IG_ERR_OK;
    }
    return copy(t, n + 1);
}

static ig_code translate(translation *t, const char *pattern)
{
    t->at = pattern;
    while (*t->at != '\0' && t->bad == NULL) {
        if (t->in_set) {
            IG_TRY(in_set(t));
        } else if (*t->at == '\\') {
            IG_TRY(escape(t));
        } else if (*t->at == '(') {
            IG_TRY(group(t));
        } else if (*t->at == '{') {
            IG_TRY(repetition(t));
        } else if (*t->at == '[') {
            t->in_set = true;
            IG_TRY(copy(t, t->at[1] == '^' ? 2 : 1));
            t->bad = *t->at == ']' ? t->at : t->bad;
        } else {
            t->bad = strchr("^$.}]", *t->at) != NULL ? t->at : NULL;
            IG_TRY(copy(t, 1));
        }
    }
    return IG_ERR_OK;
}

static ig_code refuse(const char *pattern, const char *bad, const char *key, const char *where,
                      ig_err *err)
{
    return ig_fail(err, IG_ERR_INPUT, where, 0,
                   "%s is the expression %.120s, which is not read at '%.20s', expected "
                   "characters, sets, \\s \\S \\d \\D \\w \\W \\p{…}, groups, repetitions",
                   key, pattern, bad);
}

static ig_code compile(ig_text_regex *r, const ig_byte_text *t, const char *pattern,
                       const char *key, const char *where, ig_err *err)
{
    enum { MOST_STEPS = 1000 }; /* ten million saved states a match; a hostile expression ends */
    UErrorCode status = U_ZERO_ERROR;
    UParseError at;
    UText *text = utext_openUTF8(NULL, (const char *)t->text, t->n, &status);
    r->compiled = uregex_openUText(text, UREGEX_ERROR_ON_UNKNOWN_ESCAPES, &at, &status);
    utext_close(text);
    if (r->compiled != NULL)
        uregex_setTimeLimit(r->compiled, MOST_STEPS, &status);
    return U_SUCCESS(status) ? IG_ERR_OK : refuse(pattern, u_errorName(status), key, where, err);
}

ig_code ig_text_regex_new(ig_text_regex **out, const char *pattern, const char *key,
                          const char *where, ig_err *err)
{
    ig_text_regex *r;
    translation t = {.err = err};
    *out = NULL;
    IG_TRY(ig_alloc(&r, 1, sizeof *r, "expression", err));
    ig_code code = translate(&t, pattern);
    if (code == IG_ERR_OK && (t.bad != NULL || t.in_set || t.out.n == 0))
        code = refuse(pattern, t.bad != NULL ? t.bad : "its end", key, where, err);
    IG_THEN(code, compile(r, &t.out, pattern, key, where, err));
    ig_free(t.out.text);
    IG_RETURN_NEW(code, out, r, ig_text_regex_free);
}

void ig_text_regex_free(ig_text_regex *r)
{
    if (r == NULL)
        return;
    if (r->compiled != NULL)
        uregex_close(r->compiled);
    ig_free(r);
}

ig_code ig_text_spans_add(ig_text_spans *s, int64_t from, int64_t to, bool match, ig_err *err)
{
    IG_TRY(ig_grow(&s->span, &s->have, s->n + 1, sizeof *s->span, "parts", err));
    s->span[s->n++] = (ig_text_span){from, to, match};
    return IG_ERR_OK;
}

/* A match of nothing right after a match is none. */
static ig_code find_all(URegularExpression *re, int64_t n, ig_text_spans *out, UErrorCode *status,
                        ig_err *err)
{
    int64_t end = 0;
    bool any = false;
    while (U_SUCCESS(*status) && uregex_findNext(re, status)) {
        const int64_t from = uregex_start64(re, 0, status), to = uregex_end64(re, 0, status);
        if (U_FAILURE(*status))
            break;
        if (from == to && any && from == end)
            continue;
        if (from > end)
            IG_TRY(ig_text_spans_add(out, end, from, false, err));
        IG_TRY(ig_text_spans_add(out, from, to, true, err));
        end = to;
        any = true;
    }
    return end < n ? ig_text_spans_add(out, end, n, false, err) : IG_ERR_OK;
}

ig_code ig_text_regex_spans(const ig_text_regex *r, const uint8_t *text, int64_t n,
                            ig_text_spans *out, ig_err *err)
{
    UErrorCode status = U_ZERO_ERROR;
    URegularExpression *re = uregex_clone(r->compiled, &status);
    UText *bytes = utext_openUTF8(NULL, (const char *)text, n, &status);
    out->n = 0;
    uregex_setUText(re, bytes, &status);
    ig_code code = U_SUCCESS(status) ? find_all(re, n, out, &status, err) : IG_ERR_OK;
    if (code == IG_ERR_OK && U_FAILURE(status))
        code = ig_fail(err, status == U_MEMORY_ALLOCATION_ERROR ? IG_ERR_MEMORY : IG_ERR_INPUT,
                       "text", 0, "the tokenizer's expression failed: %s", u_errorName(status));
    utext_close(bytes);
    if (re != NULL)
        uregex_close(re);
    return code;
}
