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

/* A field of a description and the words that set it, by the value they give it. */
enum { N_VALUE = 6 };
static const struct {
    size_t offset;
    const char *word[N_VALUE];
} fields[] = {
    {offsetof(ig_world_language, order), {"SVO", "SOV", "VSO", "VOS", "OVS", "OSV"}},
    {offsetof(ig_world_language, adj_first), {"noun-adj", "adj-noun"}},
    {offsetof(ig_world_language, gen_first), {"noun-gen", "gen-noun"}},
    {offsetof(ig_world_language, rel_first), {"noun-rel", "rel-noun"}},
    {offsetof(ig_world_language, num_first), {"noun-num", "num-noun"}},
    {offsetof(ig_world_language, det_first), {"noun-det", "det-noun"}},
    {offsetof(ig_world_language, prepositions), {"post", "prep"}},
    {offsetof(ig_world_language, number), {"no-number", "number"}},
    {offsetof(ig_world_language, verb_agrees), {"no-agree", "agree"}},
    {offsetof(ig_world_language, adj_agrees), {"no-adj-agree", "adj-agree"}},
    {offsetof(ig_world_language, cases), {"no-case", "case"}},
    {offsetof(ig_world_language, local_cases), {"no-local-case", "local-case"}},
    {offsetof(ig_world_language, article), {"no-articles", "articles", "def-affix"}},
    {offsetof(ig_world_language, tense), {"no-tense", "tense-aux", "tense"}},
    {offsetof(ig_world_language, negation), {NULL, "neg", "neg-affix"}},
    {offsetof(ig_world_language, neg_first), {"verb-neg", "neg-verb"}},
    {offsetof(ig_world_language, question), {"no-q", "q"}},
    {offsetof(ig_world_language, question_first), {"q-last", "q-first"}},
    {offsetof(ig_world_language, prefixes), {"suffix", "prefix"}},
    {offsetof(ig_world_language, fusional), {"agglutinative", "fusional"}},
    {offsetof(ig_world_language, pro_drop), {"no-pro-drop", "pro-drop"}},
    {offsetof(ig_world_language, relative_pronoun), {"no-relpro", "relpro"}},
    {offsetof(ig_world_language, copula), {"no-copula", "copula"}},
    {offsetof(ig_world_language, capitals), {"no-capitals", "capitals"}},
    {offsetof(ig_world_language, punctuation), {"no-punct", "punct"}},
    {offsetof(ig_world_language, script), {"latin", "cyrillic", "greek"}},
};
enum { N_FIELD = sizeof fields / sizeof *fields };
_Static_assert(sizeof(bool) == 1 && IG_MARK_WORD == 1 && IG_MARK_AFFIX == 2 && IG_OSV == 5 &&
                   IG_GREEK == 2,
               "every field is a byte, and its values are the places of their words");

static uint8_t *field_of(ig_world_language *l, int field)
{
    return (uint8_t *)l + fields[field].offset;
}

/* Finds the field that a word sets, and its value. */
static bool find_word(const char *word, int *field, int *value)
{
    for (*field = 0; *field < N_FIELD; ++*field)
        for (*value = 0; *value < N_VALUE; ++*value) {
            const char *own = fields[*field].word[*value];
            if (own != NULL && strcmp(word, own) == 0)
                return true;
        }
    return false;
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

static ig_code held_out_read(ig_world_language *l, const char *word, ig_err *err)
{
    int share = -1, n = 0;
    if (sscanf(word, "held-out-%3d%n", &share, &n) < 1 || word[n] != '\0' || share < 1 ||
        share > 100)
        return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                       "found '%s', expected held-out-SHARE, 1 to 100 of a hundred words", word);
    l->held_out = (uint8_t)share;
    return IG_ERR_OK;
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
    const char *names[N_FIELD * N_VALUE + N_PROFILES];
    char like[N_PROFILES][16];
    int n = 0;
    for (int i = 0; i < N_FIELD * N_VALUE; i++)
        if (fields[i / N_VALUE].word[i % N_VALUE] != NULL)
            names[n++] = fields[i / N_VALUE].word[i % N_VALUE];
    for (int i = 0; i < N_PROFILES; i++) {
        snprintf(like[i], sizeof like[i], "like-%s", profiles[i].name);
        names[n++] = like[i];
    }
    const char *near = ig_nearest(word, names, n);
    ig_fail(err, IG_ERR_USAGE, "languages", 0,
            "found '%s', expected an option of a language such as SOV, noun-adj, post or case",
            word);
    if (near != NULL)
        return ig_hint(err, "did you mean '%s'?", near), IG_ERR_USAGE;
    return ig_hint(err, "like-NAME starts from a profile: eng, tur, arb, …"), IG_ERR_USAGE;
}

/* cognates-30 or cognates-30-2: a share of a hundred, and a distance. */
static ig_code cognates_read(ig_world_language *l, const char *word, ig_err *err)
{
    int share = -1, distance = 2, first = 0, all = 0;
    const int n = (int)strlen(word);
    if (sscanf(word, "cognates-%3d%n-%1d%n", &share, &first, &distance, &all) < 1 ||
        (first != n && all != n) || share < 1 || share > 100 || distance < 1 || distance > 4)
        return ig_fail(
            err, IG_ERR_USAGE, "languages", 0,
            "found '%s', expected cognates-SHARE or cognates-SHARE-DISTANCE, 1 to 100 of "
            "a hundred stems and 1 to 4 phonemes",
            word);
    l->cognates = (uint8_t)share;
    l->distance = (uint8_t)distance;
    return IG_ERR_OK;
}

static ig_code options_apply(ig_world_language *l, const char *p, const char *end, ig_err *err)
{
    char given[N_FIELD][32] = {""}; /* the word that set a field */
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
        if (strncmp(word, "cognates", 8) == 0) {
            IG_TRY(cognates_read(l, word, err));
            continue;
        }
        if (strncmp(word, "held-out", 8) == 0) {
            IG_TRY(held_out_read(l, word, err));
            continue;
        }
        int field, value;
        if (!find_word(word, &field, &value))
            return option_unknown(word, err);
        if (given[field][0] != '\0')
            return ig_fail(err, IG_ERR_USAGE, "languages", 0,
                           "'%s' of '%s' was already set by '%s'", word, l->name, given[field]);
        memcpy(given[field], word, sizeof word);
        *field_of(l, field) = (uint8_t)value;
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
    for (int i = 0; i < N_FIELD && at < size; i++)
        at += snprintf(out + at, (size_t)(size - at), "%s%s", i > 0 ? "," : "",
                       fields[i].word[*field_of(&of, i)]);
    if (l->cognates > 0 && at < size)
        at += snprintf(out + at, (size_t)(size - at), ",cognates-%d-%d", l->cognates, l->distance);
    if (l->held_out > 0 && at < size)
        snprintf(out + at, (size_t)(size - at), ",held-out-%d", l->held_out);
}
