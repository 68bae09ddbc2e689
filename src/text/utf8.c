/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 decoding by the table of well-formed byte sequences (The Unicode Standard 15.0, table 3-7):
 * the lead byte fixes the length and the range of the second byte; every later byte is 80..BF.
 */
#include "text/utf8.h"

int ig_utf8_next(const uint8_t *p, const uint8_t *end, uint32_t *c, bool *ok)
{
    uint32_t lead = p[0];
    uint32_t low = 0x80, high = 0xBF, value;
    int need;
    if (lead < 0x80) {
        *c = lead;
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        need = 1;
        value = lead & 0x1F;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        need = 2;
        value = lead & 0x0F;
        if (lead == 0xE0)
            low = 0xA0; /* shorter forms exist */
        else if (lead == 0xED)
            high = 0x9F; /* surrogates */
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        need = 3;
        value = lead & 0x07;
        if (lead == 0xF0)
            low = 0x90;
        else if (lead == 0xF4)
            high = 0x8F; /* above U+10FFFF */
    } else {
        need = -1;
        value = 0;
    }
    int n = 1;
    for (; n <= need && p + n < end && p[n] >= low && p[n] <= high; n++) {
        value = value << 6 | (p[n] & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    if (n == need + 1) {
        *c = value;
        return n;
    }
    *c = IG_UTF8_BAD;
    if (ok != NULL)
        *ok = false;
    return n;
}

int64_t ig_utf8_check(const uint8_t *p, int64_t n)
{
    bool ok = true;
    int64_t i = 0;
    while (i < n) {
        uint32_t c;
        int len = ig_utf8_next(p + i, p + n, &c, &ok);
        if (!ok)
            return i;
        i += len;
    }
    return -1;
}
