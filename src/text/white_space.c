/* SPDX-License-Identifier: Apache-2.0
 *
 * White space by ICU, and with the four separators of ASCII that Python's str.split() adds.
 */
#include "text/white_space.h"

#include "text/utf8.h"

#include <unicode/uchar.h>

bool ig_is_white_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
    return u_isUWhiteSpace((UChar32)c);
}

/* Returns the first position from p on that is white space, or is not; `end` if there is none. */
static const char *find(const char *p, const char *end, bool space)
{
    while (p < end) {
        uint32_t c;
        const int n = ig_utf8_next((const uint8_t *)p, (const uint8_t *)end, &c);
        if (ig_is_white_space(c) == space)
            break;
        p += n;
    }
    return p;
}

const char *ig_next_word(const char **at, const char *end, int64_t *n)
{
    const char *word = find(*at, end, false);
    *at = find(word, end, true);
    *n = *at - word;
    return *n > 0 ? word : NULL;
}

int64_t ig_n_words(const char *text, int64_t n)
{
    int64_t n_word = 0, size;
    for (const char *at = text; ig_next_word(&at, text + n, &size) != NULL;)
        n_word++;
    return n_word;
}

bool ig_is_blank(const char *text, int64_t n)
{
    return find(text, text + n, false) == text + n;
}
