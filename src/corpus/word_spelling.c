/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of how words are written: "codepoints" (the Fake-English of K et al. 2020, §3: every
 * code point moves by 200 000), "cipher" (a substitution cipher over the letters of the text),
 * "affix" (endings that nothing in the text calls for).
 */
#include "corpus/word_step.h"

#include "base/memory.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>

enum { FAR = 200000, LAST = 0x10FFFF, N_AFFIX_MAX = 64 };

/* ---- codepoints ---- */

static uint32_t moved(uint32_t c)
{
    return c <= LAST - FAR ? c + FAR : c;
}

/* Appends the word with every code point moved; n bytes grow to at most 4 · n. */
static ig_code put_moved(ig_phrase *out, const char *word, int64_t n, ig_err *err)
{
    uint8_t *text;
    IG_TRY(ig_alloc(&text, 4 * n + 1, 1, "word", err));
    const uint8_t *p = (const uint8_t *)word, *end = p + n;
    int64_t at = 0;
    while (p < end) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c, NULL);
        at += ig_utf8_put(text + at, moved(c));
    }
    ig_code code = ig_phrase_add(out, (const char *)text, at, err);
    ig_free(text);
    return code;
}

static ig_code codepoints_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                                ig_phrase *out, ig_err *err)
{
    (void)sentence;
    for (int32_t i = 0; i < in->n; i++) {
        const char *word = ig_phrase_word(in, i);
        if (ig_word_step_unit(s, word, 0) < s->number[0])
            IG_TRY(put_moved(out, word, ig_phrase_length(in, i), err));
        else
            IG_TRY(ig_phrase_add(out, word, ig_phrase_length(in, i), err));
        IG_TRY(ig_phrase_cover(out, in, i, 0, 1, err));
    }
    return IG_ERR_OK;
}

static bool map_chars(const char *word, char *out, uint32_t (*become)(const void *, uint32_t),
                      const void *arg)
{
    const uint8_t *p = (const uint8_t *)word, *end = p + strlen(word);
    size_t at = 0;
    while (p < end) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c, NULL);
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
        if (piece) /* whether it moves depends on the word */
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
    .arg = {{IG_WORD_SHARE, "SHARE", 1, 0, 1}},
    .apply = codepoints_apply,
    .map = codepoints_map,
};

/* ---- cipher ---- */

/* The letters of the training text, each class ascending, and what they become. */
typedef struct {
    uint32_t *letter, *image;
    int32_t n;
    int64_t have;
    bool *seen; /* [LAST + 1] */
} cipher;

static ig_code cipher_begin(ig_word_step *s, const ig_file_finder *files, ig_err *err)
{
    cipher *c;
    (void)files;
    IG_TRY(ig_alloc(&c, 1, sizeof *c, "cipher", err));
    s->state = c;
    return ig_alloc(&c->seen, LAST + 1, sizeof *c->seen, "cipher", err);
}

static ig_code cipher_see(ig_word_step *s, const ig_phrase *in, ig_err *err)
{
    cipher *c = s->state;
    (void)err;
    for (int32_t i = 0; i < in->n; i++) {
        const uint8_t *p = (const uint8_t *)ig_phrase_word(in, i),
                      *end = p + ig_phrase_length(in, i);
        while (p < end) {
            uint32_t x;
            p += ig_utf8_next(p, end, &x, NULL);
            c->seen[x] = true;
        }
    }
    return IG_ERR_OK;
}

/* Lower case that comes back from upper case: "ß" does not. */
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

/* Letters with case are exchanged in their lower form, the upper one follows; letters without among
 * themselves. */
static ig_code cipher_ready(ig_word_step *s, ig_err *err)
{
    cipher *c = s->state;
    ig_rng r = {.key = s->key, .hi = s->own, .lo = 0xFFFFFFFFu};
    for (int class = 0; class < 2; class ++) {
        const int32_t first = c->n;
        for (uint32_t x = 0; x <= LAST; x++) {
            const uint32_t upper = (uint32_t)u_toupper((UChar32)x);
            if (class == 0 ? has_case(x) && (c->seen[x] || c->seen[upper])
                           : c->seen[x] && is_caseless_letter(x))
                IG_TRY(add_letter(c, x, err));
        }
        int32_t n = c->n - first, *order;
        IG_TRY(ig_alloc(&order, n, sizeof *order, "cipher", err));
        ig_rng_permutation(&r, order, n);
        for (int32_t i = 0; i < n; i++)
            c->image[first + i] = c->letter[first + order[i]];
        ig_free(order);
        if (class == 0) { /* the upper forms, behind the lower */
            const int32_t to = c->n;
            for (int32_t i = first; i < to; i++) {
                IG_TRY(add_letter(c, (uint32_t)u_toupper((UChar32)c->letter[i]), err));
                c->image[c->n - 1] = (uint32_t)u_toupper((UChar32)c->image[i]);
            }
        }
    }
    /* A table by code point: c->seen is not needed any more. */
    ig_free(c->seen);
    c->seen = NULL;
    return IG_ERR_OK;
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

static ig_code cipher_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                            ig_phrase *out, ig_err *err)
{
    char text[IG_WORD_BYTES];
    (void)sentence;
    for (int32_t i = 0; i < in->n; i++) {
        const char *word = ig_phrase_word(in, i);
        const bool fits = map_chars(word, text, become_image, s->state);
        IG_TRY(ig_phrase_add(out, fits ? text : word, (int64_t)strlen(fits ? text : word), err));
        IG_TRY(ig_phrase_cover(out, in, i, 0, 1, err));
    }
    return IG_ERR_OK;
}

static void cipher_free(ig_word_step *s)
{
    cipher *c = s->state;
    ig_free(c->letter);
    ig_free(c->image);
    ig_free(c->seen);
    ig_free(c);
}

const ig_word_transform ig_word_cipher = {
    .name = "cipher",
    .summary = "the letters of the text are exchanged among themselves, capitals alike",
    .begin = cipher_begin,
    .see = cipher_see,
    .ready = cipher_ready,
    .apply = cipher_apply,
    .map = cipher_map,
    .free = cipher_free,
};

/* ---- affix ---- */

/* Ending k of a language: consonant, vowel, consonant, different ones for different k < 64. */
static void make_affix(const ig_word_step *s, int k, char out[4])
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

static ig_code affix_apply(const ig_word_step *s, int64_t sentence, const ig_phrase *in,
                           ig_phrase *out, ig_err *err)
{
    ig_rng r = ig_word_step_rng(s, sentence);
    for (int32_t i = 0; i < in->n; i++) {
        const double chosen = ig_rng_unit(&r);
        const int k = (int)ig_rng_below(&r, (uint32_t)s->number[0]);
        const char *word = ig_phrase_word(in, i);
        const int64_t n = ig_phrase_length(in, i);
        uint32_t c;
        ig_utf8_next((const uint8_t *)word, (const uint8_t *)word + n, &c, NULL);
        if (n > 0 && u_isalpha((UChar32)c) && chosen < s->number[1]) {
            char affix[4], *text;
            make_affix(s, k, affix);
            IG_TRY(ig_alloc(&text, n + 4, 1, "word", err));
            memcpy(text, word, (size_t)n);
            memcpy(text + n, affix, 4);
            ig_code code = ig_phrase_add(out, text, n + 3, err);
            ig_free(text);
            IG_TRY(code);
        } else {
            IG_TRY(ig_phrase_add(out, word, n, err));
        }
        IG_TRY(ig_phrase_cover(out, in, i, 0, 1, err));
    }
    return IG_ERR_OK;
}

const ig_word_transform ig_word_affix = {
    .name = "affix",
    .summary = "RATE of the tokens that are words get one of COUNT endings, any of them alike",
    .arg = {{IG_WORD_COUNT, "COUNT", 4, 1, N_AFFIX_MAX}, {IG_WORD_SHARE, "RATE", 0.5, 0, 1}},
    .apply = affix_apply,
};
