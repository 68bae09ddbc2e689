/* SPDX-License-Identifier: Apache-2.0
 *
 * Text in several variants of a language, -{zh-hans:…; zh-hant:…}-, after MediaWiki's
 * LanguageConverter and ConverterRule, for a reader who selected no variant: the language's own,
 * else the first of its fallbacks that is given, else the first. Words that a rule declares for
 * the rest of a page (A, H) are not replaced there, as no variant is selected.
 */
#include "base/memory.h"

#include "corpus/read/format/wikitext_steps.h"

#include <string.h>
#include <strings.h>

enum { DEEPEST = 10 }; /* rules within one another, as MediaWiki */

/* Languages with variants, and their order of preference. */
static const struct {
    const char *language, *order;
} known[] = {{"zh", "zh zh-hans zh-hant zh-cn zh-tw zh-hk zh-sg zh-mo zh-my"},
             {"gan", "gan gan-hans gan-hant"},
             {"wuu", "wuu wuu-hans wuu-hant"},
             {"sr", "sr sr-ec sr-cyrl sr-el sr-latn"},
             {"sh", "sh sh-latn sh-cyrl"},
             {"kk", "kk kk-cyrl kk-kz kk-latn kk-tr kk-arab kk-cn"},
             {"ku", "ku ku-latn ku-arab"},
             {"crh", "crh crh-latn crh-cyrl"},
             {"iu", "iu iu-cans ike-cans iu-latn ike-latn"},
             {"shi", "shi shi-latn shi-tfng"},
             {"tg", "tg tg-cyrl tg-latn"},
             {"tly", "tly tly-latn tly-cyrl"},
             {"uz", "uz uz-latn uz-cyrl"},
             {"ban", "ban ban-latn ban-bali"},
             {"mni", "mni mni-mtei mni-beng"},
             {"zgh", "zgh zgh-tfng zgh-latn"}};
enum { N_KNOWN = sizeof known / sizeof *known };

typedef struct {
    const char *at;
    int64_t n;
} span;

static span trimmed(const char *at, int64_t n)
{
    while (n > 0 && (*at == ' ' || *at == '\n' || *at == '\t')) {
        at++;
        n--;
    }
    while (n > 0 && (at[n - 1] == ' ' || at[n - 1] == '\n' || at[n - 1] == '\t'))
        n--;
    return (span){at, n};
}

static bool is_name(span s, const char *name, size_t n)
{
    return s.n == (int64_t)n && strncasecmp(s.at, name, n) == 0;
}

/* Returns the rank of a variant in its language's order, from 0; unlisted ones are last. −1: it is
 * not a variant of `language` (−1: of any). */
static int rank_of(span code, int language)
{
    for (int k = language < 0 ? 0 : language; k < (language < 0 ? N_KNOWN : language + 1); k++) {
        int rank = 0;
        for (const char *p = known[k].order; *p != '\0'; rank++) {
            const size_t m = strcspn(p, " ");
            if (is_name(code, p, m))
                return rank;
            p += m + (p[m] == ' ');
        }
        const size_t m = strlen(known[k].language);
        if (code.n > (int64_t)m + 1 && code.n < 20 && code.at[m] == '-' &&
            strncasecmp(code.at, known[k].language, m) == 0 &&
            memchr(code.at, ' ', (size_t)code.n) == NULL)
            return rank;
    }
    return -1;
}

/* One variant's text in a rule, as "zh-hans: text" or "word => zh-hans: text". */
typedef struct {
    span code, text;
    bool one_way; /* => */
} choice;

/* Returns false for any other form. */
static bool read_choice(const char *at, int64_t n, choice *c)
{
    const char *colon = memchr(at, ':', (size_t)n);
    if (colon == NULL)
        return false;
    c->text = trimmed(colon + 1, at + n - colon - 1);
    c->one_way = false;
    const char *from = at;
    for (const char *p = at; p + 1 < colon && !c->one_way; p++)
        if (p[0] == '=' && p[1] == '>') {
            c->one_way = true;
            from = p + 2;
        }
    c->code = trimmed(from, colon - from);
    return true;
}

/* Returns the end of the choice at `at`: before a semicolon followed by a variant or nothing. */
static int64_t choice_end(const char *at, int64_t n, int language)
{
    for (int64_t i = 0; i < n; i++) {
        if (at[i] != ';')
            continue;
        choice next;
        const char *stop = memchr(at + i + 1, ';', (size_t)(n - i - 1));
        const int64_t m = stop != NULL ? stop - at - i - 1 : n - i - 1;
        if ((stop == NULL && trimmed(at + i + 1, m).n == 0) ||
            (read_choice(at + i + 1, m, &next) && rank_of(next.code, language) >= 0))
            return i;
    }
    return n;
}

/* Returns the text shown for the rules; all of it if there are no rules. */
static span choose(const char *at, int64_t n, int language)
{
    span best = {at, n};
    int least = 1000;
    for (int64_t i = 0; i < n;) {
        choice c;
        const int64_t end = i + choice_end(at + i, n - i, language);
        const bool good = read_choice(at + i, end - i, &c);
        const int rank = good ? rank_of(c.code, language) : -1;
        if (good && rank < 0)
            return (span){at, n};
        if (good && rank + 100 * c.one_way < least) {
            least = rank + 100 * c.one_way;
            best = c.text;
        }
        i = end + 1;
    }
    return best;
}

/* The flags before the bar: letters, or the variants that the text is for. */
typedef struct {
    bool raw, hidden;
} flags;

static flags read_flags(const char *at, int64_t n, int language)
{
    bool has[128] = {false};
    flags f = {0};
    for (int64_t i = 0; i < n;) {
        const char *semicolon = memchr(at + i, ';', (size_t)(n - i));
        const int64_t end = semicolon != NULL ? semicolon - at : n;
        const span s = trimmed(at + i, end - i);
        if (s.n == 1 && s.at[0] > 0)
            has[(int)s.at[0]] = true;
        f.raw = f.raw || (s.n > 1 && rank_of(s, language) >= 0);
        i = end + 1;
    }
    f.raw = f.raw || has['R'];
    f.hidden = !has['R'] && (has['N'] || has['-'] || has['H'] || has['T'] || has['D']);
    return f;
}

/* Returns the text shown for a rule's n bytes. */
static span shown(const char *at, int64_t n, int language)
{
    const char *bar = memchr(at, '|', (size_t)n);
    const flags f = bar != NULL ? read_flags(at, bar - at, language) : (flags){0};
    if (bar != NULL) {
        n -= bar + 1 - at;
        at = bar + 1;
    }
    if (f.hidden)
        return (span){at, 0};
    return f.raw ? (span){at, n} : choose(at, n, language);
}

/* Returns the index of the site's language; −1: unknown, N_KNOWN: it has no variants. */
static int language_of(const ig_wiki_site *site)
{
    const char *language = ig_wiki_site_language(site);
    int k = 0;
    if (*language == '\0')
        return -1;
    while (k < N_KNOWN && strcmp(known[k].language, language) != 0)
        k++;
    return k;
}

ig_code ig_wiki_choose_variants(const ig_wiki_site *site, char *text, int64_t *n, ig_err *err)
{
    const int language = language_of(site);
    ig_wiki_stack rules = {0};
    int64_t to = 0;
    ig_code code = IG_ERR_OK;
    if (language == N_KNOWN)
        return IG_ERR_OK;
    for (int64_t i = 0; i < *n && code == IG_ERR_OK;) {
        const bool two = i + 1 < *n;
        if (two && text[i] == '-' && text[i + 1] == '{') {
            code = ig_wiki_push(&rules, '-', to + 2, 2, err);
        } else if (two && text[i] == '}' && text[i + 1] == '-' && rules.n > 0) {
            const int64_t from = rules.open[--rules.n].from;
            if (rules.n < DEEPEST) {
                const span s = shown(text + from, to - from, language);
                memmove(text + from - 2, s.at, (size_t)s.n);
                to = from - 2 + s.n;
                i += 2;
                continue;
            }
        } else {
            text[to++] = text[i++];
            continue;
        }
        text[to++] = text[i++];
        text[to++] = text[i++];
    }
    ig_free(rules.open);
    *n = to;
    return code;
}
