/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of the spelling of words: "codepoints" (the Fake-English of K et al. 2020, §3: every
 * code point is shifted by 200 000), "cipher" (a substitution cipher over the letters of the
 * text), "affix" (endings that are independent of the text). The last two keep scripts apart: a
 * letter becomes a letter of its own script (ICU's Script property), and a word gets an ending in
 * its own.
 */
#include "corpus/words/word_step.h"

#include "base/memory.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

static UScriptCode script_of(uint32_t c)
{
    UErrorCode e = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript((UChar32)c, &e);
    return U_SUCCESS(e) ? script : USCRIPT_UNKNOWN;
}

enum { FAR = 200000, LAST = 0x10FFFF, N_AFFIX_MAX = 64, AFFIX_LETTERS = 3 };

/* ---- codepoints ---- */

static uint32_t moved(uint32_t c)
{
    return c <= LAST - FAR ? c + FAR : c;
}

/* Replaces the word by itself with every code point shifted; n bytes grow to at most 4 · n. */
static ig_code codepoints_word(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                               ig_phrase *out, ig_err *err)
{
    IG_OWNED uint8_t *text = NULL;
    const int64_t n = ig_phrase_length(in, i);
    const uint8_t *p = (const uint8_t *)ig_phrase_word(in, i), *end = p + n;
    int64_t at = 0;
    (void)r;
    if (ig_word_step_unit(s, ig_phrase_word(in, i), 0) >= s->number[0])
        return ig_phrase_keep(out, in, i, err);
    IG_TRY(ig_alloc(&text, 4 * n + 1, 1, "word", err));
    for (uint32_t c; p < end; at += ig_utf8_put(text + at, moved(c)))
        p += ig_utf8_next(p, end, &c);
    return ig_phrase_replace(out, in, i, (const char *)text, at, err);
}

static bool map_chars(const char *word, char *out, uint32_t (*become)(const void *, uint32_t),
                      const void *arg)
{
    const uint8_t *p = (const uint8_t *)word, *end = p + strlen(word);
    size_t at = 0;
    while (p < end) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c);
        if (at + 5 > IG_WORD_BYTES)
            return false;
        at += (size_t)ig_utf8_put((uint8_t *)out + at, become(arg, c));
    }
    out[at] = '\0';
    return true;
}

static uint32_t become_moved(const void *arg, uint32_t c)
{
    (void)arg;
    return moved(c);
}

static bool codepoints_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    if (s->number[0] < 1) {
        if (piece) /* whether it is shifted depends on the word */
            return false;
        if (ig_word_step_unit(s, word, 0) >= s->number[0]) {
            memcpy(out, word, strlen(word) + 1);
            return true;
        }
    }
    return map_chars(word, out, become_moved, NULL);
}

const ig_word_transform ig_word_codepoints = {
    .name = "codepoints",
    .summary = "every code point of SHARE of the words moves by 200 000",
    .arg = {{IG_ARG_SHARE, "SHARE", 1, 0, 1}},
    .word = codepoints_word,
    .map = codepoints_map,
};

/* ---- letters ---- */

/* The code points of the training text, [LAST + 1], are the first member of the state of steps that
 * count letters. */
static ig_code letters_begin(ig_word_step *s, const ig_file_finder *files, ig_err *err)
{
    bool **seen = s->state;
    (void)files;
    return ig_alloc(seen, LAST + 1, sizeof **seen, s->kind->name, err);
}

static ig_code letters_see(ig_word_step *s, const ig_phrase *in, ig_err *err)
{
    bool *const seen = *(bool *const *)s->state;
    (void)err;
    for (int32_t i = 0; i < in->n; i++) {
        const uint8_t *p = (const uint8_t *)ig_phrase_word(in, i),
                      *end = p + ig_phrase_length(in, i);
        for (uint32_t c; p < end; seen[c] = true)
            p += ig_utf8_next(p, end, &c);
    }
    return IG_ERR_OK;
}

/* ---- cipher ---- */

/* The letters of the training text, each class ascending within a script, and their
 * replacements. */
typedef struct {
    bool *seen;
    uint32_t *letter, *image;
    int32_t n;
    int64_t have;
} cipher;

/* Returns whether a lower-case letter is recovered from its upper case: "ß" is not. */
static bool has_case(uint32_t c)
{
    const UChar32 x = (UChar32)c;
    return u_toupper(x) != x && u_tolower(u_toupper(x)) == x;
}

static bool is_caseless_letter(uint32_t c)
{
    const UChar32 x = (UChar32)c;
    return u_isalpha(x) && u_toupper(x) == x && u_tolower(x) == x;
}

static ig_code add_letter(cipher *c, uint32_t letter, ig_err *err)
{
    int64_t have = c->have;
    IG_TRY(ig_grow(&c->letter, &have, c->n + 1, sizeof *c->letter, "cipher", err));
    IG_TRY(ig_grow(&c->image, &c->have, c->n + 1, sizeof *c->image, "cipher", err));
    c->letter[c->n++] = letter;
    return IG_ERR_OK;
}

typedef struct {
    uint32_t letter;
    int script;
} written;

static int by_script(const void *a, const void *b)
{
    const written *x = a, *y = b;
    if (x->script != y->script)
        return x->script < y->script ? -1 : 1;
    return (x->letter > y->letter) - (x->letter < y->letter);
}

/* Collects the letters of a kind in the text, by script. *out is freed with ig_free. */
static ig_code letters_of(const bool *seen, bool (*is)(const bool *seen, uint32_t x), written **out,
                          int32_t *n, ig_err *err)
{
    int64_t have = 0;
    *out = NULL;
    *n = 0;
    for (uint32_t x = 0; x <= LAST; x++) {
        if (!is(seen, x))
            continue;
        IG_TRY(ig_grow(out, &have, *n + 1, sizeof **out, "letters", err));
        (*out)[(*n)++] = (written){x, script_of(x)};
    }
    if (*n > 0)
        qsort(*out, (size_t)*n, sizeof **out, by_script);
    return IG_ERR_OK;
}

static bool seen_with_case(const bool *seen, uint32_t x)
{
    return has_case(x) && (seen[x] || seen[u_toupper((UChar32)x)]);
}

static bool seen_caseless(const bool *seen, uint32_t x)
{
    return seen[x] && is_caseless_letter(x);
}

/* Permutes the n letters of one script. */
static ig_code exchange(cipher *c, const written *letter, int32_t n, ig_rng *r, ig_err *err)
{
    const int32_t first = c->n;
    IG_OWNED int32_t *order = NULL;
    for (int32_t i = 0; i < n; i++)
        IG_TRY(add_letter(c, letter[i].letter, err));
    IG_TRY(ig_alloc(&order, n, sizeof *order, "cipher", err));
    ig_rng_permutation(r, order, n);
    for (int32_t i = 0; i < n; i++)
        c->image[first + i] = c->letter[first + order[i]];
    return IG_ERR_OK;
}

/* Letters with case are permuted in their lower form, and the upper one follows; letters without
 * case among themselves; no letter leaves its script. */
static ig_code cipher_ready(ig_word_step *s, ig_err *err)
{
    cipher *c = s->state;
    ig_rng r = {.key = s->key, .hi = s->own, .lo = 0xFFFFFFFFu};
    ig_code code = IG_ERR_OK;
    for (int class = 0; class < 2 && code == IG_ERR_OK; class ++) {
        written *letter;
        int32_t n;
        code = letters_of(c->seen, class == 0 ? seen_with_case : seen_caseless, &letter, &n, err);
        for (int32_t from = 0, to = 0; from < n && code == IG_ERR_OK; from = to) {
            while (to < n && letter[to].script == letter[from].script)
                to++;
            code = exchange(c, letter + from, to - from, &r, err);
        }
        ig_free(letter);
        if (class == 1)
            break;
        const int32_t lower = c->n; /* the upper forms, after the lower */
        for (int32_t i = 0; i < lower && code == IG_ERR_OK; i++) {
            code = add_letter(c, (uint32_t)u_toupper((UChar32)c->letter[i]), err);
            if (code == IG_ERR_OK)
                c->image[c->n - 1] = (uint32_t)u_toupper((UChar32)c->image[i]);
        }
    }
    ig_free(c->seen);
    c->seen = NULL;
    return code;
}

static uint32_t become_image(const void *arg, uint32_t x)
{
    const cipher *c = arg;
    for (int32_t i = 0; i < c->n; i++)
        if (c->letter[i] == x)
            return c->image[i];
    return x;
}

static bool cipher_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    (void)piece;
    return map_chars(word, out, become_image, s->state);
}

static ig_code cipher_word(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                           ig_phrase *out, ig_err *err)
{
    char text[IG_WORD_BYTES];
    (void)r;
    return map_chars(ig_phrase_word(in, i), text, become_image, s->state)
               ? ig_phrase_replace(out, in, i, text, (int64_t)strlen(text), err)
               : ig_phrase_keep(out, in, i, err);
}

static void cipher_free(ig_word_step *s)
{
    cipher *c = s->state;
    IG_FREE(c->letter, c->image, c->seen);
}

const ig_word_transform ig_word_cipher = {
    .name = "cipher",
    .summary = "the letters of each script in the text are exchanged among themselves, capitals "
               "alike",
    .state_size = sizeof(cipher),
    .begin = letters_begin,
    .see = letters_see,
    .ready = cipher_ready,
    .word = cipher_word,
    .map = cipher_map,
    .free = cipher_free,
};

/* ---- affix ---- */

/* The letters of endings in other scripts than Latin: those of the training text. */
typedef struct {
    bool *seen;
    struct {
        int script;
        char ending[N_AFFIX_MAX][4 * AFFIX_LETTERS + 1];
    } * of; /* [n], Latin the first */
    int64_t n, have;
} affixes;

/* Makes Latin ending k: consonant, vowel, consonant; different for different k < 64. */
static void latin_ending(const ig_word_step *s, int k, char out[4])
{
    static const char consonant[] = "bdfgklmnprstvxyz", vowel[] = "aeiou";
    int32_t order[N_AFFIX_MAX];
    ig_rng r = {.key = s->key, .hi = s->own, .lo = 0xFFFFFFFEu};
    ig_rng_permutation(&r, order, N_AFFIX_MAX);
    out[0] = consonant[order[k] % 16];
    out[1] = vowel[order[k] / 16];
    out[2] = consonant[(order[k] * 7 + 3) % 16];
    out[3] = '\0';
}

/* Makes endings of three of n letters; different for different k as long as n³ allows it. */
static void endings_of(const ig_word_step *s, int script, const written *letter, int32_t n,
                       char (*out)[4 * AFFIX_LETTERS + 1])
{
    ig_rng r = {.key = s->key, .hi = s->own, .lo = 0xFFFFFFFDu - (uint32_t)script};
    const int64_t all = (int64_t)n * n * n;
    for (int k = 0; k < N_AFFIX_MAX; k++)
        for (bool again = true; again;) {
            size_t at = 0;
            for (int j = 0; j < AFFIX_LETTERS; j++)
                at += (size_t)ig_utf8_put((uint8_t *)out[k] + at,
                                          letter[ig_rng_below(&r, (uint32_t)n)].letter);
            out[k][at] = '\0';
            again = false;
            for (int j = 0; j < k && k < all; j++)
                again = again || strcmp(out[j], out[k]) == 0;
        }
}

static ig_code add_script(const ig_word_step *s, int script, const written *letter, int32_t n,
                          ig_err *err)
{
    affixes *a = s->state;
    IG_TRY(ig_grow(&a->of, &a->have, a->n + 1, sizeof *a->of, "endings", err));
    a->of[a->n].script = script;
    if (script == USCRIPT_LATIN)
        for (int k = 0; k < N_AFFIX_MAX; k++)
            latin_ending(s, k, a->of[a->n].ending[k]);
    else
        endings_of(s, script, letter, n, a->of[a->n].ending);
    a->n++;
    return IG_ERR_OK;
}

/* Returns whether a letter may be in an ending: lower case, or of a script without case. */
static bool ends_words(const bool *seen, uint32_t x)
{
    const UScriptCode script = script_of(x);
    return (seen_with_case(seen, x) || seen_caseless(seen, x)) && script != USCRIPT_LATIN &&
           script != USCRIPT_COMMON && script != USCRIPT_INHERITED;
}

static ig_code affix_ready(ig_word_step *s, ig_err *err)
{
    affixes *a = s->state;
    written *letter = NULL;
    int32_t n = 0;
    ig_code code = add_script(s, USCRIPT_LATIN, NULL, 0, err);
    IG_THEN(code, letters_of(a->seen, ends_words, &letter, &n, err));
    for (int32_t from = 0, to = 0; from < n && code == IG_ERR_OK; from = to) {
        while (to < n && letter[to].script == letter[from].script)
            to++;
        code = add_script(s, letter[from].script, letter + from, to - from, err);
    }
    IG_FREE(letter, a->seen);
    a->seen = NULL;
    return code;
}

/* Returns ending k in the script of the word's last letter; for a script that the training text
 * does not have, the Latin one. */
static const char *ending_for(const affixes *a, const char *word, int64_t n, int k)
{
    const uint8_t *p = (const uint8_t *)word, *end = p + n;
    UScriptCode script = USCRIPT_LATIN;
    while (p < end) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c);
        const UScriptCode own = script_of(c);
        if (u_isalpha((UChar32)c) && own != USCRIPT_COMMON && own != USCRIPT_INHERITED)
            script = own;
    }
    for (int64_t i = 0; i < a->n; i++)
        if (a->of[i].script == (int)script)
            return a->of[i].ending[k];
    return a->of[0].ending[k];
}

static bool gets_ending(const char *word, int64_t n)
{
    uint32_t c;
    ig_utf8_next((const uint8_t *)word, (const uint8_t *)word + n, &c);
    return n > 0 && u_isalpha((UChar32)c);
}

static ig_code affix_word(const ig_word_step *s, ig_rng *r, const ig_phrase *in, int32_t i,
                          ig_phrase *out, ig_err *err)
{
    const double chosen = ig_rng_unit(r);
    const int k = (int)ig_rng_below(r, (uint32_t)s->number[0]);
    const char *word = ig_phrase_word(in, i);
    const int64_t n = ig_phrase_length(in, i);
    if (!gets_ending(word, n) || chosen >= s->number[1])
        return ig_phrase_keep(out, in, i, err);
    const char *ending = ending_for(s->state, word, n, k);
    const size_t m = strlen(ending);
    IG_OWNED char *text = NULL;
    IG_TRY(ig_alloc(&text, n + (int64_t)m + 1, 1, "word", err));
    memcpy(text, word, (size_t)n);
    memcpy(text + n, ending, m + 1);
    return ig_phrase_replace(out, in, i, text, n + (int64_t)m, err);
}

/* A word that every token gets an ending of does not occur; with its only ending it does. */
static bool affix_map(const ig_word_step *s, const char *word, bool piece, char *out)
{
    const size_t n = strlen(word);
    const bool always = !piece && s->number[1] >= 1 && gets_ending(word, (int64_t)n);
    const char *ending = always ? ending_for(s->state, word, (int64_t)n, 0) : "";
    if ((always && s->number[0] > 1) || n + strlen(ending) >= IG_WORD_BYTES)
        return false;
    memcpy(out, word, n);
    strcpy(out + n, ending);
    return true;
}

static void affix_free(ig_word_step *s)
{
    affixes *a = s->state;
    IG_FREE(a->seen, a->of);
}

const ig_word_transform ig_word_affix = {
    .name = "affix",
    .summary = "RATE of the tokens that are words get one of COUNT endings of their script, any of "
               "them alike",
    .arg = {{IG_ARG_COUNT, "COUNT", 4, 1, N_AFFIX_MAX}, {IG_ARG_SHARE, "RATE", 0.5, 0, 1}},
    .state_size = sizeof(affixes),
    .begin = letters_begin,
    .see = letters_see,
    .ready = affix_ready,
    .word = affix_word,
    .map = affix_map,
    .free = affix_free,
};
