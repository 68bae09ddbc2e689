/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of verse ids as lists of ranges.
 */
#include "corpus/read/verse_ids.h"

#include <string.h>

/* Reads a number of 1 or 2 digits as a book, of 5 as a chapter, of 8 as a verse, and writes the ids
 * from..to that it covers. Returns the number of digits left open (6, 3, 0), −1 for any other
 * number. */
static int covers(const char *p, size_t n, int32_t *from, int32_t *to)
{
    int32_t v = 0, rest = 1;
    for (size_t i = 0; i < n && i < 9; i++) {
        if (p[i] < '0' || p[i] > '9')
            return -1;
        v = v * 10 + (p[i] - '0');
    }
    int open = n == 1 || n == 2 ? 6 : n == 5 ? 3 : n == 8 ? 0 : -1;
    for (int i = 0; i < open; i++)
        rest *= 10;
    *from = v * rest;
    *to = *from + rest - 1;
    return open;
}

static bool add_item(ig_verse_set *s, const char *p, size_t n)
{
    int32_t *r = s->range[s->n];
    int32_t skip;
    if (n == 2 && (memcmp(p, "OT", 2) == 0 || memcmp(p, "NT", 2) == 0)) {
        r[0] = *p == 'O' ? 1000000 : 40000000;
        r[1] = *p == 'O' ? 39999999 : 66999999;
    } else if (n >= 2 && n <= 8 && p[n - 1] == '*') {
        char digits[8];
        memset(digits, '0', sizeof digits);
        memcpy(digits, p, n - 1);
        if (covers(digits, 8, &r[0], &skip) < 0)
            return false;
        memset(digits, '9', sizeof digits);
        memcpy(digits, p, n - 1);
        covers(digits, 8, &skip, &r[1]);
    } else {
        const char *dash = memchr(p, '-', n);
        size_t k = dash != NULL ? (size_t)(dash - p) : n;
        int open = covers(p, k, &r[0], &r[1]);
        if (open < 0 || (dash != NULL && covers(dash + 1, n - k - 1, &skip, &r[1]) != open))
            return false;
    }
    s->n++;
    return r[0] <= r[1];
}

ig_code ig_verse_set_parse(ig_verse_set *out, const char *text, const char *where, ig_err *err)
{
    *out = (ig_verse_set){0};
    if (text == NULL || *text == '\0')
        return IG_ERR_OK;
    for (const char *p = text;;) {
        size_t n = strcspn(p, ",");
        if (out->n == IG_VERSE_RANGE_MAX)
            return ig_fail(err, IG_ERR_USAGE, where, 0, "more than %d ranges", IG_VERSE_RANGE_MAX);
        if (!add_item(out, p, n)) {
            ig_fail(err, IG_ERR_USAGE, where, 0,
                    "found '%.*s', expected NT, OT, books (40-66), chapters (40001), verses "
                    "(40001001-40001017) or first digits (4*)",
                    n < 40 ? (int)n : 40, p);
            return IG_ERR_USAGE;
        }
        if (p[n] == '\0')
            return IG_ERR_OK;
        p += n + 1;
    }
}

bool ig_verse_set_has(const ig_verse_set *s, int32_t id)
{
    for (int i = 0; i < s->n; i++)
        if (id >= s->range[i][0] && id <= s->range[i][1])
            return true;
    return s->n == 0;
}
