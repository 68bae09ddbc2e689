/* SPDX-License-Identifier: Apache-2.0
 *
 * Going back in UTF-8, and checking it.
 */
#include "text/utf8.h"

int ig_utf8_before(const uint8_t *begin, const uint8_t *p, uint32_t *c)
{
    const uint8_t *const from = p - begin > 4 ? p - 4 : begin;
    int32_t i = (int32_t)(p - from);
    UChar32 code;
    U8_PREV_OR_FFFD(from, 0, i, code);
    *c = (uint32_t)code;
    return (int)(p - from) - i;
}

int64_t ig_utf8_check(const uint8_t *p, int64_t n)
{
    for (int64_t i = 0; i < n;) {
        const int64_t from = i;
        UChar32 c;
        U8_NEXT(p, i, n, c);
        if (c < 0)
            return from;
    }
    return -1;
}
