/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptions of languages: profiles and the line that the user writes, "eng; x:SOV,post,case".
 * The profiles are sketches after Greenberg's universals (J. Greenberg, "Some universals of
 * grammar", 1963: object before verb goes with postpositions, and so on) and WALS; their names give
 * the language that they resemble; they have no word of it.
 */
#include "base/settings/options.h"

#include "corpus/world/world.h"
#include "corpus/world/world_language.h"

#include <stdio.h>
#include <string.h>

const char *const ig_world_profile_names[] = {"eng", "spa", "deu", "rus", "ell", "tur", "jap",
                                              "hin", "arb", "swa", "zho", "fij", NULL};

/* A word of a description sets one field. */
typedef struct {
    const char *word;
    size_t offset;
    uint8_t value;
} setting;
_Static_assert(sizeof(bool) == 1, "every field is a byte");

#define SET(word, field, value)                                                                    \
    {                                                                                              \
        word, offsetof(ig_world_language, field), value                                            \
    }
static const setting settings[] = {
    SET("SVO", order, IG_SVO),
    SET("SOV", order, IG_SOV),
    SET("VSO", order, IG_VSO),
    SET("VOS", order, IG_VOS),
    SET("OVS", order, IG_OVS),
    SET("OSV", order, IG_OSV),
    SET("adj-noun", adj_first, 1),
    SET("noun-adj", adj_first, 0),
    SET("gen-noun", gen_first, 1),
    SET("noun-gen", gen_first, 0),
    SET("rel-noun", rel_first, 1),
    SET("noun-rel", rel_first, 0),
    SET("num-noun", num_first, 1),
    SET("noun-num", num_first, 0),
    SET("det-noun", det_first, 1),
    SET("noun-det", det_first, 0),
    SET("prep", prepositions, 1),
    SET("post", prepositions, 0),
    SET("number", number, 1),
    SET("no-number", number, 0),
    SET("agree", verb_agrees, 1),
    SET("no-agree", verb_agrees, 0),
    SET("adj-agree", adj_agrees, 1),
    SET("no-adj-agree", adj_agrees, 0),
    SET("case", cases, 1),
    SET("no-case", cases, 0),
    SET("local-case", local_cases, 1),
    SET("no-local-case", local_cases, 0),
    SET("articles", article, IG_MARK_WORD),
    SET("def-affix", article, IG_MARK_AFFIX),
    SET("no-articles", article, IG_MARK_NONE),
    SET("tense", tense, IG_MARK_AFFIX),
    SET("tense-aux", tense, IG_MARK_WORD),
    SET("no-tense", tense, IG_MARK_NONE),
    SET("neg", negation, IG_MARK_WORD),
    SET("neg-affix", negation, IG_MARK_AFFIX),
    SET("neg-verb", neg_first, 1),
    SET("verb-neg", neg_first, 0),
    SET("q", question, IG_MARK_WORD),
    SET("no-q", question, IG_MARK_NONE),
    SET("q-first", question_first, 1),
    SET("q-last", question_first, 0),
    SET("prefix", prefixes, 1),
    SET("suffix", prefixes, 0),
    SET("fusional", fusional, 1),
    SET("agglutinative", fusional, 0),
    SET("pro-drop", pro_drop, 1),
    SET("no-pro-drop", pro_drop, 0),
    SET("relpro", relative_pronoun, 1),
    SET("no-relpro", relative_pronoun, 0),
    SET("copula", copula, 1),
    SET("no-copula", copula, 0),
    SET("capitals", capitals, 1),
    SET("no-capitals", capitals, 0),
    SET("punct", punctuation, 1),
    SET("no-punct", punctuation, 0),
    SET("latin", script, IG_LATIN),
    SET("cyrillic", script, IG_CYRILLIC),
    SET("greek", script, IG_GREEK),
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

static uint8_t *field_of(ig_world_language *l, const setting *s)
{
    return (uint8_t *)l + s->offset;
}

/* The profile `eng`; the other profiles are differences from it. */
static const ig_world_language base = {
    .order = IG_SVO,
    .adj_first = true,
    .gen_first = false,
    .rel_first = false,
    .num_first = true,
    .det_first = true,
    .prepositions = true,
    .number = true,
    .article = IG_MARK_WORD,
    .tense = IG_MARK_AFFIX,
    .negation = IG_MARK_WORD,
    .neg_first = true,
    .question = IG_MARK_WORD,
    .question_first = true,
    .relative_pronoun = true,
    .copula = true,
    .punctuation = true,
};
static const struct {
    const char *name, *difference;
} profiles[] = {
    {"eng", ""},
    {"spa", "noun-adj,agree,adj-agree,pro-drop,fusional,no-q"},
    {"deu", "SOV,case,agree,adj-agree,fusional,verb-neg,no-q"},
    {"rus", "case,agree,adj-agree,fusional,no-articles,no-copula,cyrillic,no-q"},
    {"ell", "case,agree,adj-agree,fusional,pro-drop,greek,no-q"},
    {"tur",
     "SOV,post,gen-noun,rel-noun,case,local-case,agree,no-articles,neg-affix,q-last,pro-drop,"
     "no-relpro,no-copula"},
    {"jap", "SOV,post,gen-noun,rel-noun,case,no-number,no-articles,neg-affix,q-last,no-relpro"},
    {"hin", "SOV,post,gen-noun,agree,adj-agree,fusional,no-articles,tense-aux,no-q"},
    {"arb", "VSO,noun-adj,agree,adj-agree,case,def-affix,prefix,no-copula"},
    {"swa", "noun-adj,noun-num,noun-det,no-articles,agree,adj-agree,prefix,pro-drop,neg-affix"},
    {"zho", "gen-noun,rel-noun,no-number,no-articles,no-tense,q-last,no-relpro"},
    {"fij", "VOS,noun-adj,no-number,tense-aux,no-copula"},
};
enum { N_PROFILES = sizeof profiles / sizeof profiles[0] };
_Static_assert(N_PROFILES + 1 == sizeof ig_world_profile_names / sizeof ig_world_profile_names[0],
               "every profile has a name");

int ig_world_word_space(const char *name)
{
    for (int i = 0; i < N_PROFILES; i++)
        if (strcmp(name, profiles[i].name) == 0)
            return i;
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (const char *p = name; *p != '\0'; p++)
        h = (h ^ (uint8_t)*p) * 1099511628211u;
    return N_PROFILES + (int)((h ^ h >> 32) % (IG_WORD_SPACES - N_PROFILES));
}

static ig_code options_apply(ig_world_language *l, const char *p, const char *end, ig_err *err);

static bool profile_apply(ig_world_language *l, const char *name)
{
    for (int i = 0; i < N_PROFILES; i++)
        if (strcmp(name, profiles[i].name) == 0) {
            char keep[sizeof l->name];
            memcpy(keep, l->name, sizeof keep);
            *l = base;
            memcpy(l->name, keep, sizeof keep);
            const char *d = profiles[i].difference;
            return options_apply(l, d, d + strlen(d), NULL) == IG_ERR_OK;
        }
    return false;
}

/* Reads the word at *p up to a separator or end, without blanks around it; false when it does not
 * fit. */
static bool word_take(const char **p, const char *end, char separator, char *out, size_t size)
{
    const char *a = *p, *b = a;
    while (b < end && *b != separator)
        b++;
    *p = b < end ? b + 1 : end;
    while (a < b && (*a == ' ' || *a == '\t' || *a == '\n'))
        a++;
    while (b > a && (b[-1] == ' ' || b[-1] == '\t' || b[-1] == '\n'))
        b--;
    size_t n = (size_t)(b - a);
    if (n >= size)
        return false;
    memcpy(out, a, n);
    out[n] = '\0';
    return true;
}

static ig_code option_unknown(const char *word, ig_err *err)
{
    const char *names[N_SETTINGS + N_PROFILES];
    char like[N_PROFILES][16];
    for (int i = 0; i < N_SETTINGS; i++)
        names[i] = settings[i].word;
    for (int i = 0; i < N_PROFILES; i++) {
        snprintf(like[i], sizeof like[i], "like-%s", profiles[i].name);
        names[N_SETTINGS + i] = like[i];
    }
    const char *near = ig_nearest(word, names, N_SETTINGS + N_PROFILES);
    ig_fail(err, IG_ERR_USAGE, "languages", 0,
            "found '%s', expected an option of a language such as SOV, noun-adj, post or case",
            word);
    if (near != NULL)
        return ig_hint(err, "did you mean '%s'?", near), IG_ERR_USAGE;
    return ig_hint(err, "like-NAME starts from a profile: eng, tur, arb, …"), IG_ERR_USAGE;
}

static ig_code options_apply(ig_world_language *l, const char *p, const char *end, ig_err *err)
{
    const setting *given[N_SETTINGS];
    int n_given = 0;
    for (bool first = true; p < end; first = false) {
        char word[32];
        if (!word_take(&p, end, ',', word, sizeof word))
            return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                           "an option of '%s' is longer than any there is", l->name);
        if (word[0] == '\0')
            return ig_fail(err, IG_ERR_USAGE, "languages", 0, "an option of '%s' is empty",
                           l->name);
        if (strncmp(word, "like-", 5) == 0) {
            if (!first)
                return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                               "'%s' of '%s' is after another option, expected it first", word,
                               l->name);
            if (!profile_apply(l, word + 5))
                return option_unknown(word, err);
            continue;
        }
        const setting *s = NULL;
        for (int i = 0; i < N_SETTINGS && s == NULL; i++)
            if (strcmp(word, settings[i].word) == 0)
                s = &settings[i];
        if (s == NULL)
            return option_unknown(word, err);
        for (int i = 0; i < n_given; i++)
            if (given[i]->offset == s->offset)
                return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                               "'%s' of '%s' was already set by '%s'", word, l->name,
                               given[i]->word);
        given[n_given++] = s;
        *field_of(l, s) = s->value;
    }
    return IG_ERR_OK;
}

static ig_code language_parse(ig_world_language *l, const char *item, const char *end, ig_err *err)
{
    *l = base;
    const char *p = item;
    char name[sizeof l->name];
    if (!word_take(&p, end, ':', name, sizeof name))
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "a name is longer than %zu letters: '%.40s'", sizeof name - 1, item);
    if (name[0] == '\0')
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "a language without a name, expected NAME or NAME:OPTION,…");
    for (const char *c = name; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '_'))
            return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                           "the name '%s' is also a file's, expected letters, digits and _", name);
    memcpy(l->name, name, sizeof name);
    profile_apply(l, name);
    IG_TRY(options_apply(l, p, end, err));
    if (l->pro_drop && !l->verb_agrees) {
        ig_fail(err, IG_ERR_USAGE, "languages", 0,
                "'%s' drops pronouns (pro-drop) but its verbs do not agree", name);
        return ig_hint(err, "add agree, or no-pro-drop"), IG_ERR_USAGE;
    }
    return IG_ERR_OK;
}

ig_code ig_world_languages_check(const ig_world_language *l, int n, ig_err *err)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            if (strcmp(l[i].name, l[j].name) == 0)
                return ig_fail(err, IG_ERR_USAGE, "languages", 0, "'%s' is there twice", l[i].name);
            if (l[i].script == l[j].script &&
                ig_world_word_space(l[i].name) == ig_world_word_space(l[j].name)) {
                ig_fail(err, IG_ERR_USAGE, "languages", 0,
                        "'%s' and '%s' would draw on the same part of the space of words",
                        l[j].name, l[i].name);
                return ig_hint(err, "rename one of them, or give it another script"), IG_ERR_USAGE;
            }
        }
    return IG_ERR_OK;
}

ig_code ig_world_languages_parse(ig_world_language *out, int *n, const char *spec, ig_err *err)
{
    *n = 0;
    const char *p = spec, *end = spec + strlen(spec);
    while (p < end) {
        const char *item_end = strchr(p, ';');
        if (item_end == NULL)
            item_end = end;
        const char *c = p;
        while (c < item_end && (*c == ' ' || *c == '\n' || *c == '\t'))
            c++;
        if (c == item_end && item_end == end)
            break; /* a ; at the very end */
        if (*n == IG_WORLD_LANGUAGES)
            return ig_fail(err, IG_ERR_USAGE, "languages", 0, "more than %d languages",
                           IG_WORLD_LANGUAGES);
        ig_world_language *l = &out[*n];
        IG_TRY(language_parse(l, c, item_end, err));
        ++*n;
        p = item_end < end ? item_end + 1 : end;
    }
    if (*n == 0)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "no language found, expected NAME or NAME:OPTION,…; …");
    return ig_world_languages_check(out, *n, err);
}

void ig_world_language_print(const ig_world_language *l, char *out, int size)
{
    ig_world_language of = *l;
    int at = snprintf(out, (size_t)size, "%s:", l->name);
    bool first = true;
    for (int i = 0; i < N_SETTINGS && at < size; i++)
        if (*field_of(&of, &settings[i]) == settings[i].value) {
            at +=
                snprintf(out + at, (size_t)(size - at), "%s%s", first ? "" : ",", settings[i].word);
            first = false;
        }
}
