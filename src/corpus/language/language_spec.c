/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses language specifications: NAME [(KEY=VALUE, …)] [= PIPELINE]; … Every message gives the
 * position in the whole text, from 1.
 */
#include "corpus/language/language_spec.h"

#include "base/number_text.h"
#include "base/settings/options.h"
#include "corpus/language/transform.h"
#include "corpus/world/world.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *text; /* the whole */
    const char *from, *to;
} span;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static span trimmed(span s)
{
    while (s.from < s.to && is_blank(*s.from))
        s.from++;
    while (s.from < s.to && is_blank(s.to[-1]))
        s.to--;
    return s;
}

static int place(const span *s)
{
    return ig_pipeline_n_character(s->text, s->from) + 1;
}

/* Reports a mistake at a place. */
static ig_code mistake(const span *at, ig_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static ig_code mistake(const span *at, ig_err *err, const char *fmt, ...)
{
    char text[320];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return ig_fail(err, IG_ERR_USAGE, "languages", 0, "character %d: %s", place(at), text);
}

static ig_code copy(char *out, size_t size, const span *s, const char *what, ig_err *err)
{
    const size_t n = (size_t)(s->to - s->from);
    if (n >= size)
        return mistake(s, err, "%s of %zu bytes, expected at most %zu", what, n, size - 1);
    memcpy(out, s->from, n);
    out[n] = '\0';
    return IG_ERR_OK;
}

/* The properties; the first six are names, which are kept at an offset. */
enum { WORLD = 6, SHARE, TAKE, N_KEY, N_NAME = WORLD };
static const char *const keys[N_KEY] = {"text",    "dev",   "vocab", "gold", "tags",
                                        "anchors", "world", "share", "take"};
static const size_t offset[N_NAME] = {
    offsetof(ig_language_words, text),  offsetof(ig_language_words, dev),
    offsetof(ig_language_words, vocab), offsetof(ig_language_words, gold),
    offsetof(ig_language_words, tags),  offsetof(ig_language_words, anchors)};

static ig_code wrong_value(const span *at, const char *key, const char *found, const char *expected,
                           ig_err *err)
{
    return mistake(at, err, "%s is '%.32s', expected %s", key, found, expected);
}

static bool is_name(const char *text)
{
    return text[0] != '\0' && strpbrk(text, ":;=(),| \t/") == NULL;
}

static ig_code put_property(ig_language_words *l, int key, const span *value, ig_err *err)
{
    char text[128], *end = NULL;
    IG_TRY(copy(text, sizeof text, value, keys[key], err));
    if (key < N_NAME) {
        if (!is_name(text) || strlen(text) >= IG_FILE_NAME)
            return wrong_value(value, keys[key], text, "a name", err);
        memcpy((char *)l + offset[key], text, strlen(text) + 1);
        return IG_ERR_OK;
    }
    if (key == WORLD) {
        /* Commas separate properties, so a description is written with + in their place. */
        for (char *p = text; *p != '\0'; p++)
            *p = (char)(*p == '+' ? ',' : *p);
        memcpy(l->grammar, text, strlen(text) + 1);
        l->world = true;
        return IG_ERR_OK;
    }
    if (key == TAKE) {
        long long n = text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : 0;
        if (end == NULL || *end != '\0' || n < 1)
            return wrong_value(value, "take", text, "a number of sentences", err);
        l->take = n;
        return IG_ERR_OK;
    }
    double x;
    if (!ig_number_read(&x, text) || !(x > 0) || !(x <= 1e9))
        return wrong_value(value, "share", text, "a number above 0", err);
    l->share = x;
    return IG_ERR_OK;
}

static ig_code read_properties(ig_language_words *l, span s, ig_err *err)
{
    bool seen[N_KEY] = {false};
    while (s.from < s.to) {
        const char *comma = memchr(s.from, ',', (size_t)(s.to - s.from));
        span item = {s.text, s.from, comma != NULL ? comma : s.to};
        s.from = comma != NULL ? comma + 1 : s.to;
        const char *eq = memchr(item.from, '=', (size_t)(item.to - item.from));
        const span key = trimmed((span){s.text, item.from, eq != NULL ? eq : item.to});
        const span value = trimmed((span){s.text, eq != NULL ? eq + 1 : item.to, item.to});
        char name[32];
        int k = 0;
        IG_TRY(copy(name, sizeof name, &key, "property", err));
        while (k < N_KEY && strcmp(keys[k], name) != 0)
            k++;
        if (k == N_KEY) {
            mistake(&key, err,
                    "'%.32s' is not a property of a language, expected text, dev, vocab, gold, "
                    "tags, anchors, world, share or take",
                    name);
            return ig_hint_nearest(err, name, keys, N_KEY);
        }
        if (seen[k])
            return mistake(&key, err, "%s is given twice", name);
        if (eq == NULL && k != WORLD)
            return mistake(&key, err, "%s has no value, expected %s=…", name, name);
        seen[k] = true;
        IG_TRY(put_property(l, k, &value, err));
    }
    if (l->world && (l->text[0] != '\0' || l->dev[0] != '\0'))
        return mistake(&s, err, "language '%s' has a world and a text, expected one of them",
                       l->name);
    return IG_ERR_OK;
}

/* Splits the pipeline at `tokenize`. */
static ig_code read_pipeline(ig_language_words *l, span s, ig_err *err)
{
    const char *at = s.from, *words_end = NULL, *rest = s.from;
    bool has_words = false; /* there is a step before `tokenize` */
    while (at <= s.to && words_end == NULL) {
        const char *bar = memchr(at, '|', (size_t)(s.to - at));
        const span step = trimmed((span){s.text, at, bar != NULL ? bar : s.to});
        if (step.to - step.from == 8 && memcmp(step.from, "tokenize", 8) == 0) {
            /* Without the bar before it. */
            has_words = at > s.from;
            words_end = has_words ? at - 1 : at;
            rest = bar != NULL ? bar + 1 : s.to;
            if (bar != NULL && trimmed((span){s.text, rest, s.to}).from == s.to)
                return mistake(&(span){s.text, bar, bar}, err,
                               "nothing after '|', expected a transform");
        }
        if (bar == NULL)
            break;
        at = bar + 1;
    }
    const span words = trimmed((span){s.text, s.from, words_end != NULL ? words_end : s.from});
    const span pieces = trimmed((span){s.text, rest, s.to});
    if (has_words && words.from == words.to)
        return mistake(&s, err, "nothing here, expected a transform of words");
    IG_TRY(copy(l->words, sizeof l->words, &words, "transforms", err));
    IG_TRY(copy(l->pipeline, sizeof l->pipeline, &pieces, "transforms", err));
    l->at_words = place(&words);
    l->at_pipeline = place(&pieces);
    return IG_ERR_OK;
}

static ig_code check(const ig_language_words *l, ig_err *err)
{
    ig_word_pipeline words;
    ig_pipeline pieces;
    ig_code code = ig_word_pipeline_parse(&words, l->words, l->name, l->at_words, err);
    ig_word_pipeline_free(&words);
    IG_TRY(code);
    IG_TRY(ig_pipeline_parse(&pieces, l->pipeline, l->name, l->at_pipeline, err));
    if (l->grammar[0] != '\0') {
        ig_world_language out[IG_WORLD_LANGUAGES];
        char text[192];
        int n;
        snprintf(text, sizeof text, "%s:%s", l->name, l->grammar);
        return ig_world_languages_parse(out, &n, text, err);
    }
    return IG_ERR_OK;
}

static ig_code read_language(ig_language_words *l, span s, int number, ig_err *err)
{
    *l = (ig_language_words){.share = 1};
    const char *p = s.from;
    while (p < s.to && *p != '(' && *p != '=')
        p++;
    const span name = trimmed((span){s.text, s.from, p});
    if (name.from == name.to)
        return mistake(&s, err, "language %d has no name", number);
    IG_TRY(copy(l->name, sizeof l->name, &name, "a language's name", err));
    if (p < s.to && *p == '(') {
        const char *close = memchr(p, ')', (size_t)(s.to - p));
        if (close == NULL)
            return mistake(&(span){s.text, p, p}, err,
                           "'(' without ')', expected NAME(KEY=VALUE, …)");
        IG_TRY(read_properties(l, (span){s.text, p + 1, close}, err));
        p = close + 1;
        const span rest = trimmed((span){s.text, p, s.to});
        if (rest.from < rest.to && *rest.from != '=')
            return mistake(&rest, err, "found '%.16s', expected '=' and a pipeline, or ';'",
                           rest.from);
        p = rest.from;
    }
    const span pipeline = trimmed((span){s.text, p < s.to ? p + 1 : s.to, s.to});
    IG_TRY(read_pipeline(l, pipeline, err));
    return check(l, err);
}

ig_code ig_language_spec_parse(ig_language_words *out, int *n, int most, const char *text,
                               ig_err *err)
{
    *n = 0;
    for (const char *at = text;; at++) {
        const char *stop = at + strcspn(at, ";");
        const span s = trimmed((span){text, at, stop});
        at = stop;
        if (s.from < s.to) {
            if (*n == most)
                return mistake(&s, err, "more than %d languages", most);
            IG_TRY(read_language(&out[*n], s, *n + 1, err));
            for (int i = 0; i < *n; i++)
                if (strcmp(out[i].name, out[*n].name) == 0)
                    return mistake(&s, err, "two languages are called '%s'", out[i].name);
            ++*n;
        }
        if (*at == '\0')
            break;
    }
    if (*n == 0)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "found none, expected NAME [= PIPELINE]; …");
    return IG_ERR_OK;
}

bool ig_language_words_any(const ig_language_words *l, int n)
{
    for (int i = 0; i < n; i++)
        if (l[i].words[0] != '\0' || l[i].text[0] != '\0' || l[i].dev[0] != '\0' ||
            l[i].vocab[0] != '\0' || l[i].gold[0] != '\0' || l[i].world || l[i].take > 0)
            return true;
    return false;
}
