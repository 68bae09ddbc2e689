/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of normalize.h, and the iteration over words. Rules after `tokenizers` 0.23, observed
 * there for every code point (docs/tokenizer.md, tools/check_tokenizer_parity.py):
 *
 *  * clean: U+0000, U+FFFD and categories Cc, Cf, Co are deleted, but TAB, LF, CR are white space
 *  * cjk: ideographs of eight blocks get a space on either side
 *  * accents: NFD, then category Mn is deleted
 *  * lower: each character gets its one-to-one lower case; U+0130 gets two characters
 *  * cut: at White_Space, and around ASCII punctuation and category P*
 *
 * All but the order of combining marks is done character by character. That order matters only for
 * the few marks that are not Mn: they are inserted where NFD's stable sort by combining class puts
 * them.
 */
#include "text/normalize.h"

#include "base/assert.h"
#include "base/memory.h"
#include "text/utf8.h"

#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

/* Kinds of characters. An entry of the table is kind << 24 | value. */
enum {
    WORD,    /* part of a word, as the code point `value` (0: as itself) */
    SPACE,   /* ends a word */
    ALONE,   /* a word of its own (punctuation, ideographs), as `value` (0: as itself) */
    DROP,    /* deleted */
    BREAK,   /* deleted, but marks are not sorted across it (Mn of combining class 0) */
    MARK,    /* part of a word, sorted: pool[value] is the code point, pool[value + 1] its class */
    SEVERAL, /* pool[value] entries follow it in the pool */
    HANGUL   /* a syllable: two or three jamo */
};
#define ENTRY(kind, value) ((uint32_t)(kind) << 24 | (uint32_t)(value))
#define KIND(e) ((e) >> 24)
#define VALUE(e) ((e)&0xFFFFFFu)

enum {
    N_PAGE = 0x110000 >> 8,
    UNICODE_CATEGORIES = 8,
    UNICODE_NFD = 9,
    UNICODE_LOWER = 15,
    DOTTED_I = 0x130
};

/* Classes of bytes, so that ASCII needs no table; bytes from 0x80 are OTHER. A PLAIN byte is part
 * of a word, unchanged. */
enum { PLAIN, BLANK, PUNCT, OTHER };

struct ig_chars {
    uint8_t ascii[256];
    uint16_t page_of[N_PAGE];
    uint32_t (*page)[256];
    int64_t n_page, have_page;
    uint32_t *pool;
    int64_t n_pool, have_pool;
    ig_chars_rules rules;
    const UNormalizer2 *nfd; /* while the table is built */
};

/* Returns whether a character was assigned in Unicode `version`.0 or before. */
static bool age_at_most(UChar32 c, int version)
{
    UVersionInfo v;
    u_charAge(c, v);
    return v[0] > 0 && (v[0] < version || (v[0] == version && v[1] == 0));
}

/* Returns the general category in Unicode 8.0: later characters are unassigned, and six have
 * changed their category since. */
static int category(UChar32 c)
{
    switch (c) {
    case 0x166D:
    case 0x111C9:
        return U_OTHER_PUNCTUATION;
    case 0x1734:
        return U_NON_SPACING_MARK;
    case 0x1885:
    case 0x1886:
        return U_OTHER_LETTER;
    case 0xA9BD:
        return U_COMBINING_SPACING_MARK;
    default:
        return age_at_most(c, UNICODE_CATEGORIES) ? u_charType(c) : U_UNASSIGNED;
    }
}

/* Lower case added by Unicode 15.1 to 17.0, listed here for older versions of ICU. */
static const struct {
    UChar32 first, last, to;
} late_lower[] = {
    {0x1C89, 0x1C89, 0x1C8A},    {0xA7CB, 0xA7CB, 0x0264}, {0xA7CC, 0xA7CC, 0xA7CD},
    {0xA7CE, 0xA7CE, 0xA7CF},    {0xA7D2, 0xA7D2, 0xA7D3}, {0xA7D4, 0xA7D4, 0xA7D5},
    {0xA7DA, 0xA7DA, 0xA7DB},    {0xA7DC, 0xA7DC, 0x019B}, {0x10D50, 0x10D65, 0x10D70},
    {0x16EA0, 0x16EB8, 0x16EBB},
};

static UChar32 lower(UChar32 c)
{
    for (size_t i = 0; i < sizeof late_lower / sizeof late_lower[0]; i++)
        if (c >= late_lower[i].first && c <= late_lower[i].last)
            return late_lower[i].to + (c - late_lower[i].first);
    UChar32 to = u_tolower(c);
    return to != c && age_at_most(c, UNICODE_LOWER) ? to : c;
}

uint32_t ig_char_lower(uint32_t c)
{
    return (uint32_t)lower((UChar32)c);
}

bool ig_char_is_mark(uint32_t c)
{
    if (c == 0x1CF2 || c == 0x1CF3) /* letters since Unicode 12.0 */
        return true;
    return age_at_most((UChar32)c, UNICODE_NFD) && (U_GET_GC_MASK((UChar32)c) & U_GC_M_MASK) != 0;
}

static bool is_ideograph(UChar32 c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

static bool is_punctuation(UChar32 c)
{
    if (c < 0x80)
        return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
               (c >= 123 && c <= 126);
    switch (category(c)) {
    case U_DASH_PUNCTUATION:
    case U_START_PUNCTUATION:
    case U_END_PUNCTUATION:
    case U_CONNECTOR_PUNCTUATION:
    case U_OTHER_PUNCTUATION:
    case U_INITIAL_PUNCTUATION:
    case U_FINAL_PUNCTUATION:
        return true;
    default:
        return false;
    }
}

bool ig_char_is_punctuation(uint32_t c)
{
    return is_punctuation((UChar32)c);
}

static bool is_dropped(UChar32 c)
{
    if (c == 0 || c == (UChar32)IG_UTF8_BAD)
        return true;
    if (c == '\t' || c == '\n' || c == '\r')
        return false;
    int k = category(c);
    return k == U_CONTROL_CHAR || k == U_FORMAT_CHAR || k == U_PRIVATE_USE_CHAR;
}

static ig_code pool_add(ig_chars *t, uint32_t x, ig_err *err)
{
    IG_TRY(
        ig_grow(&t->pool, &t->have_pool, t->n_pool + 1, sizeof *t->pool, "character table", err));
    t->pool[t->n_pool++] = x;
    return IG_ERR_OK;
}

/* Makes the entry of a character that is not, or no longer, decomposed. */
static ig_code single(ig_chars *t, uint32_t *out, UChar32 from, UChar32 c, ig_err *err)
{
    if (t->rules.strip_accents && category(c) == U_NON_SPACING_MARK) {
        bool starter = !age_at_most(c, UNICODE_NFD) || u_getCombiningClass(c) == 0;
        *out = ENTRY(starter ? BREAK : DROP, 0);
        return IG_ERR_OK;
    }
    UChar32 to = t->rules.lowercase ? lower(c) : c;
    uint32_t value = to == from ? 0 : (uint32_t)to;
    if (u_isUWhiteSpace(to)) {
        *out = ENTRY(SPACE, 0);
    } else if (is_punctuation(to)) {
        *out = ENTRY(ALONE, value);
    } else if (t->rules.strip_accents && u_getCombiningClass(c) != 0 &&
               age_at_most(c, UNICODE_NFD)) {
        *out = ENTRY(MARK, t->n_pool);
        IG_TRY(pool_add(t, (uint32_t)to, err));
        IG_TRY(pool_add(t, u_getCombiningClass(c), err));
    } else {
        *out = ENTRY(WORD, value);
    }
    return IG_ERR_OK;
}

static bool is_alone(const ig_chars *t, UChar32 c)
{
    return !t->rules.join_ideographs && is_ideograph(c);
}

/* Makes the entry of the one character whose lower case is two: i and a dot above. */
static ig_code dotted_i(ig_chars *t, uint32_t *out, ig_err *err)
{
    *out = ENTRY(SEVERAL, t->n_pool);
    IG_TRY(pool_add(t, 2, err));
    IG_TRY(pool_add(t, ENTRY(WORD, 'i'), err));
    return pool_add(t, ENTRY(WORD, 0x307), err);
}

static ig_code entry_of(ig_chars *t, uint32_t *out, UChar32 c, ig_err *err)
{
    UChar d16[32];
    UErrorCode status = U_ZERO_ERROR;
    *out = 0;
    if (!t->rules.keep_controls && is_dropped(c)) {
        *out = ENTRY(DROP, 0);
        return IG_ERR_OK;
    }
    int n16 = -1;
    if (t->rules.strip_accents && c >= 0xC0 && age_at_most(c, UNICODE_NFD))
        n16 = unorm2_getDecomposition(t->nfd, c, d16, 32, &status);
    if (n16 < 0) {
        if (c == DOTTED_I && t->rules.lowercase)
            return dotted_i(t, out, err);
        IG_TRY(single(t, out, c, c, err));
        if (is_alone(t, c))
            *out = ENTRY(ALONE, 0);
        return IG_ERR_OK;
    }
    if (c >= 0xAC00 && c <= 0xD7A3) {
        *out = ENTRY(HANGUL, 0);
        return IG_ERR_OK;
    }
    uint32_t part[32];
    UChar32 d[32];
    int32_t n_d = 0;
    int n = 0;
    u_strToUTF32(d, 32, &n_d, d16, n16, &status);
    IG_ASSERT(U_SUCCESS(status));
    for (int i = 0; i < n_d; i++) {
        IG_TRY(single(t, &part[n], 0, d[i], err));
        if (KIND(part[n]) != DROP)
            n++;
    }
    if (n <= 1) {
        *out = n == 0 ? ENTRY(DROP, 0) : part[0];
        if (is_alone(t, c))
            *out = ENTRY(ALONE, VALUE(part[0]));
        return IG_ERR_OK;
    }
    *out = ENTRY(SEVERAL, t->n_pool);
    IG_TRY(pool_add(t, (uint32_t)n, err));
    for (int i = 0; i < n; i++) {
        /* No canonical decomposition of several characters has a space or punctuation among those
         * that stay, so a character never splits the word that it is in. */
        IG_ASSERT(KIND(part[i]) == WORD || KIND(part[i]) == BREAK || KIND(part[i]) == MARK);
        IG_TRY(pool_add(t, part[i], err));
    }
    return IG_ERR_OK;
}

/* Returns whether all characters of a page of 256 are like its first one: ideographs and other
 * letters without case, syllables, private use, unassigned. */
static bool like_the_one_before(int i_page)
{
    static const int alike[][2] = {{0x34, 0x4C},   {0x4E, 0x9E},   {0xAC, 0xD6},
                                   {0xE0, 0xF8},   {0x200, 0x2A5}, {0x2A7, 0x2B7},
                                   {0x2BA, 0x2CD}, {0x2CF, 0x2F7}, {0x2FB, 0xDFF},
                                   {0xE02, 0xEFF}, {0xF00, 0xFFE}, {0x1000, 0x10FE}};
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        if (i_page > alike[i][0] && i_page <= alike[i][1])
            return true;
    return false;
}

static ig_code fill(ig_chars *t, ig_err *err)
{
    for (int i_page = 0; i_page < N_PAGE; i_page++) {
        uint32_t page[256];
        if (like_the_one_before(i_page)) {
            t->page_of[i_page] = t->page_of[i_page - 1];
            continue;
        }
        for (int i = 0; i < 256; i++)
            IG_TRY(entry_of(t, &page[i], i_page << 8 | i, err));
        if (t->n_page == 0 || memcmp(t->page[t->n_page - 1], page, sizeof page) != 0) {
            IG_TRY(ig_grow(&t->page, &t->have_page, t->n_page + 1, sizeof page, "character table",
                           err));
            memcpy(t->page[t->n_page++], page, sizeof page);
        }
        t->page_of[i_page] = (uint16_t)(t->n_page - 1);
    }
    for (int c = 0; c < 256; c++) {
        uint32_t e = t->page[t->page_of[0]][c];
        t->ascii[c] = OTHER;
        if (c < 0x80 && KIND(e) == SPACE)
            t->ascii[c] = BLANK;
        else if (c < 0x80 && KIND(e) == ALONE)
            t->ascii[c] = PUNCT;
        else if (c < 0x80 && e == ENTRY(WORD, 0))
            t->ascii[c] = PLAIN;
    }
    return IG_ERR_OK;
}

ig_code ig_chars_new(ig_chars **out, const ig_chars_rules *rules, ig_err *err)
{
    UErrorCode status = U_ZERO_ERROR;
    ig_chars *t;
    *out = NULL;
    IG_TRY(ig_alloc(&t, 1, sizeof *t, "character table", err));
    t->rules = *rules;
    t->nfd = unorm2_getNFDInstance(&status);
    ig_code code = IG_ERR_OK;
    if (U_FAILURE(status))
        code = ig_fail(err, IG_ERR_IO, "ICU", 0, "no normalization data: %s", u_errorName(status));
    IG_THEN(code, fill(t, err));
    IG_RETURN_NEW(code, out, t, ig_chars_free);
}

void ig_chars_free(ig_chars *t)
{
    if (t == NULL)
        return;
    IG_FREE(t->page, t->pool, t);
}

static inline uint32_t lookup(const ig_chars *t, uint32_t c)
{
    return t->page[t->page_of[c >> 8]][c & 0xFF];
}

ig_words ig_words_make(const ig_chars *chars, const char *text, int64_t n, uint8_t *buffer,
                       int64_t limit)
{
    const uint8_t *p = (const uint8_t *)text;
    return (ig_words){
        .chars = chars, .p = p, .end = p + n, .buffer = buffer, .limit = limit, .special_id = -1};
}

static void push(ig_words *w, uint32_t c)
{
    if (w->n_char++ < w->limit)
        w->n += ig_utf8_put(w->buffer + w->n, c);
}

/* Inserts a mark after those of the run (from byte `run` on) that do not have a higher class. */
static void push_mark(ig_words *w, int64_t run, uint32_t c, uint32_t class)
{
    if (w->n_char++ >= w->limit)
        return;
    int64_t at = w->n;
    while (at > run) {
        uint32_t other;
        const int length = ig_utf8_before(w->buffer, w->buffer + at, &other);
        if (w->chars->pool[VALUE(lookup(w->chars, other)) + 1] <= class)
            break;
        at -= length;
    }
    uint8_t bytes[4];
    int len = ig_utf8_put(bytes, c);
    memmove(w->buffer + at + len, w->buffer + at, (size_t)(w->n - at));
    memcpy(w->buffer + at, bytes, (size_t)len);
    w->n += len;
}

/* Appends one part of a word. *run is the start of the marks that the next mark may be sorted
 * among. */
static void push_entry(ig_words *w, int64_t *run, uint32_t c, uint32_t e)
{
    const uint32_t *pool = w->chars->pool;
    switch (KIND(e)) {
    case WORD:
        push(w, VALUE(e) != 0 ? VALUE(e) : c);
        *run = w->n;
        break;
    case BREAK:
        *run = w->n;
        break;
    case MARK:
        push_mark(w, *run, pool[VALUE(e)], pool[VALUE(e) + 1]);
        break;
    case SEVERAL:
        for (uint32_t i = 1; i <= pool[VALUE(e)]; i++)
            push_entry(w, run, c, pool[VALUE(e) + i]);
        break;
    case HANGUL: { /* The Unicode Standard, §3.12 */
        uint32_t s = c - 0xAC00, tail = s % 28;
        push(w, 0x1100 + s / 588);
        push(w, 0x1161 + s % 588 / 28);
        if (tail != 0)
            push(w, 0x11A7 + tail);
        *run = w->n;
        break;
    }
    default:
        break;
    }
}

static bool special_here(ig_words *w)
{
    for (int i = 0; i < w->n_special; i++) {
        const ig_special *s = &w->special[i];
        if (w->end - w->p >= s->n && memcmp(w->p, s->text, (size_t)s->n) == 0) {
            w->special_id = s->id;
            w->p += s->n;
            return true;
        }
    }
    return false;
}

/* Reads a word that is not all PLAIN, or may be special; its first `n_read` bytes are before p. It
 * is a function of its own because the loop over words is faster without a frame for locals whose
 * addresses are taken. */
static __attribute__((noinline)) bool next_mixed(ig_words *w, const uint8_t *begin)
{
    const ig_chars *t = w->chars;
    int64_t n_read = w->p - begin;
    w->n_char = n_read;
    w->n = n_read < w->limit ? n_read : w->limit;
    memcpy(w->buffer, begin, (size_t)w->n);
    w->word = w->buffer;
    int64_t run = w->n;
    while (w->p < w->end) {
        uint32_t c = *w->p;
        int len = 1;
        if (c >= 0x80)
            len = ig_utf8_next(w->p, w->end, &c);
        uint32_t e = lookup(t, c);
        switch (KIND(e)) {
        case SPACE:
            w->p += len;
            if (w->n_char > 0)
                return true;
            break;
        case ALONE:
            if (w->n_char > 0)
                return true;
            if (c == '[' && special_here(w))
                return true;
            w->p += len;
            push(w, VALUE(e) != 0 ? VALUE(e) : c);
            return true;
        default:
            push_entry(w, &run, c, e);
            w->p += len;
        }
    }
    return w->n_char > 0;
}

bool ig_words_next(ig_words *w)
{
    const uint8_t *class = w->chars->ascii;
    const uint8_t *p = w->p, *end = w->end;
    w->special_id = -1;
    while (p < end && class[*p] == BLANK)
        p++;
    const uint8_t *begin = p;
    while (p < end && class[*p] == PLAIN)
        p++;
    w->p = p;
    if (p > begin && (p == end || class[*p] != OTHER)) {
        w->word = begin;
        w->n = w->n_char = p - begin;
        return true;
    }
    if (p == end)
        return false;
    if (p == begin && class[*p] == PUNCT && *p != '[') {
        w->word = p;
        w->n = w->n_char = 1;
        w->p = p + 1;
        return true;
    }
    return next_mixed(w, begin);
}

/* --- the text before words are cut */

/* Appends the normalized form of a character that is part of a word or deleted: at most 8
 * characters. */
static ig_code normalize_part(ig_words *w, int64_t *run, uint32_t c, uint32_t e, ig_byte_text *out,
                              ig_err *err)
{
    IG_TRY(ig_grow(&out->text, &out->have, out->n + 33, 1, "text", err));
    w->buffer = out->text;
    w->n = out->n;
    push_entry(w, run, c, e);
    out->n = w->n;
    return IG_ERR_OK;
}

ig_code ig_chars_normalize(const ig_chars *t, const uint8_t *text, int64_t n, ig_byte_text *out,
                           ig_err *err)
{
    ig_words w = ig_words_make(t, (const char *)text, n, NULL, INT64_MAX);
    int64_t run = out->n;
    for (const uint8_t *p = text, *end = text + n; p < end;) {
        uint32_t c;
        p += ig_utf8_next(p, end, &c);
        const uint32_t e = lookup(t, c);
        const bool alone = KIND(e) == ALONE, apart = alone && is_alone(t, (UChar32)c);
        if (!alone && KIND(e) != SPACE) {
            IG_TRY(normalize_part(&w, &run, c, e, out, err));
            continue;
        }
        if (apart)
            IG_TRY(ig_byte_text_put(out, ' ', err));
        const uint32_t as = alone && VALUE(e) != 0            ? VALUE(e)
                            : alone || t->rules.keep_controls ? c
                                                              : ' ';
        IG_TRY(ig_byte_text_put(out, as, err));
        if (apart)
            IG_TRY(ig_byte_text_put(out, ' ', err));
        run = out->n;
    }
    return IG_ERR_OK;
}
