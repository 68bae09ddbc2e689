/* SPDX-License-Identifier: Apache-2.0
 *
 * A map from short strings to strings: bytes of a double array (darts-clone's units of 32 bits),
 * then the targets, each NUL-terminated and addressed by byte. It is applied as Hugging Face
 * `tokenizers` does (Precompiled), since ids must be equal to theirs: text is processed by
 * extended grapheme clusters (UAX #29). If a cluster of fewer than six bytes begins with an entry,
 * the whole cluster becomes the target of the shortest such entry; otherwise each character is
 * looked up.
 *
 * Only those rules of UAX #29 are implemented whose clusters can have fewer than six bytes. Hangul
 * syllables (GB6–8), flags (GB12–13) and Indic conjuncts (GB9c) always have six or more, and are
 * looked up character by character with these rules or without.
 */
#include "text/charsmap.h"

#include "base/memory.h"

#include <openssl/evp.h>
#include <unicode/uchar.h>

struct ig_charsmap {
    uint8_t *bytes;
    int64_t n_unit, n_target;
    const uint8_t *unit; /* [n_unit] little-endian 32 bits, not aligned */
    const uint8_t *target;
};

/* Returns the number of bytes; −1 or less: the text is not base64. */
static int64_t decode(uint8_t *out, const char *text, size_t n)
{
    const int size =
        n <= INT32_MAX ? EVP_DecodeBlock(out, (const unsigned char *)text, (int)n) : -1;
    return size - (n > 0 && text[n - 1] == '=') - (n > 1 && text[n - 2] == '=');
}

static uint32_t little(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

ig_code ig_charsmap_new(ig_charsmap **out, const char *base64, const char *where, ig_err *err)
{
    const size_t n = strlen(base64);
    ig_charsmap *m;
    *out = NULL;
    IG_TRY(ig_alloc(&m, 1, sizeof *m, "character map", err));
    ig_code code = ig_alloc(&m->bytes, (int64_t)n + 8, 1, "character map", err);
    if (code == IG_ERR_OK) {
        const int64_t size = decode(m->bytes, base64, n);
        const int64_t trie = size >= 4 ? (int64_t)little(m->bytes) : -1;
        if (size < 4 || trie < 4 || trie % 4 != 0 || trie > size - 4)
            code = ig_fail(err, IG_ERR_INPUT, where, 0,
                           "normalizer.precompiled_charsmap is damaged, expected base64 of a "
                           "double array and its strings");
        m->n_unit = trie / 4;
        m->unit = m->bytes + 4;
        m->target = m->bytes + 4 + trie;
        m->n_target = size - 4 - trie;
    }
    IG_RETURN_NEW(code, out, m, ig_charsmap_free);
}

void ig_charsmap_free(ig_charsmap *m)
{
    if (m == NULL)
        return;
    IG_FREE(m->bytes, m);
}

static uint64_t offset_of(uint32_t unit)
{
    return (uint64_t)(unit >> 10) << ((unit & 1u << 9) >> 6);
}

/* Returns the target of the shortest entry that the bytes begin with; −1: none. */
static int64_t look_up(const ig_charsmap *m, const uint8_t *text, int64_t n)
{
    uint64_t at = offset_of(little(m->unit));
    for (int64_t i = 0; i < n && text[i] != 0; i++) {
        at ^= text[i];
        if (at >= (uint64_t)m->n_unit)
            return -1;
        const uint32_t unit = little(m->unit + 4 * at);
        if ((unit & (1u << 31 | 0xFFu)) != text[i])
            return -1;
        at ^= offset_of(unit);
        if ((unit >> 8 & 1u) == 0)
            continue;
        if (at >= (uint64_t)m->n_unit)
            return -1;
        const uint32_t value = little(m->unit + 4 * at) & ~(1u << 31);
        return (int64_t)value < m->n_target ? (int64_t)value : -1;
    }
    return -1;
}

/* Appends the target of the entry that the n bytes begin with; sets *found to false if there is
 * none. */
static ig_code map_bytes(bool *found, const ig_charsmap *m, const uint8_t *text, int64_t n,
                         ig_byte_text *out, ig_err *err)
{
    const int64_t at = look_up(m, text, n);
    *found = at >= 0;
    if (at < 0)
        return IG_ERR_OK;
    const uint8_t *end = memchr(m->target + at, 0, (size_t)(m->n_target - at));
    const int64_t size = end != NULL ? end - (m->target + at) : m->n_target - at;
    return ig_byte_text_add(out, m->target + at, size, err);
}

/* State of the rules GB9 to GB11. */
typedef struct {
    int32_t before;
    bool pictograph,
        joined; /* an emoji with its extending characters; the same, followed by a joiner */
} cluster;

static bool breaks(cluster *k, uint32_t c)
{
    const int32_t now = u_getIntPropertyValue((UChar32)c, UCHAR_GRAPHEME_CLUSTER_BREAK),
                  before = k->before;
    const bool emoji = u_hasBinaryProperty((UChar32)c, UCHAR_EXTENDED_PICTOGRAPHIC);
    const bool after_join = k->joined && emoji;
    k->before = now;
    k->joined = k->pictograph && now == U_GCB_ZWJ;
    k->pictograph = emoji || (k->pictograph && now == U_GCB_EXTEND);
    if (before == U_GCB_CR && now == U_GCB_LF)
        return false;
    if (before == U_GCB_CONTROL || before == U_GCB_CR || before == U_GCB_LF ||
        now == U_GCB_CONTROL || now == U_GCB_CR || now == U_GCB_LF)
        return true;
    return !(now == U_GCB_EXTEND || now == U_GCB_ZWJ || now == U_GCB_SPACING_MARK ||
             before == U_GCB_PREPEND || after_join);
}

/* Returns the size in bytes of the cluster that n > 0 bytes begin with. */
static int64_t cluster_size(const uint8_t *text, int64_t n)
{
    uint32_t c;
    int64_t i = ig_utf8_next(text, text + n, &c);
    if (i == n || (c < 0x80 && c != '\r' && text[i] < 0x80))
        return i;
    cluster k = {0};
    (void)breaks(&k, c);
    while (i < n) {
        const int length = ig_utf8_next(text + i, text + n, &c);
        if (breaks(&k, c))
            break;
        i += length;
    }
    return i;
}

ig_code ig_charsmap_apply(const ig_charsmap *m, const uint8_t *text, int64_t n, ig_byte_text *out,
                          ig_err *err)
{
    enum { whole_below = 6 };
    bool found;
    for (int64_t i = 0, size; i < n; i += size) {
        size = cluster_size(text + i, n - i);
        found = false;
        if (size < whole_below)
            IG_TRY(map_bytes(&found, m, text + i, size, out, err));
        for (int64_t j = 0, length; j < size && !found; j += length) {
            uint32_t c;
            bool one;
            length = ig_utf8_next(text + i + j, text + i + size, &c);
            IG_TRY(map_bytes(&one, m, text + i + j, length, out, err));
            if (!one)
                IG_TRY(ig_byte_text_add(out, text + i + j, length, err));
        }
    }
    return IG_ERR_OK;
}
