/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates the width of text. A grapheme is as wide as its letter, in hundredths of the size;
 * marks beside the letter count, those above and below do not.
 */
#include "report/figure/typeset.h"

#include "report/table/table_format.h"

#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

/* Noto Sans, U+0020 to U+007E. */
static const unsigned char ascii[] = {
    26, 27, 41, 65, 57, 83, 73, 22, 30, 30, 55, 57, 27, 32, 27, 37, 57, 57, 57, 57, 57, 57, 57, 57,
    57, 57, 27, 27, 57, 57, 57, 43, 90, 64, 65, 63, 73, 56, 52, 73, 74, 34, 27, 62, 52, 91, 76, 78,
    60, 78, 62, 55, 56, 73, 60, 93, 59, 57, 57, 33, 37, 33, 57, 44, 28, 56, 62, 48, 62, 56, 34, 62,
    62, 26, 26, 53, 26, 94, 62, 60, 62, 62, 41, 48, 36, 62, 51, 79, 53, 51, 47, 38, 55, 38, 57};
enum { wide = 100, dots = 79, upper = 70, lower = 63, other = 70, tamil = 100, beside = 50 };

/* Means of Noto's fonts over the letters of Greek and Cyrillic; over the other scripts, rounded up.
 */
static int letter(UChar32 c)
{
    if (c >= 0x20 && c < 0x7F)
        return ascii[c - 0x20];
    switch (u_charType(c)) {
    case U_UPPERCASE_LETTER:
        return upper;
    case U_LOWERCASE_LETTER: /* to Cyrillic */
        return c < 0x530 ? lower : other;
    case U_OTHER_LETTER: /* Tamil to Sinhala are the widest */
        return c >= 0xB80 && c < 0xE00 ? tamil : other;
    case U_OTHER_NUMBER:
        return 35; /* superscripts */
    default:
        return c == 0x2026 ? dots : c == 0xB7 || (c >= 0x2018 && c <= 0x201F) ? 36 : 57;
    }
}

static bool is_wide(UChar32 c)
{
    const int width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
    return width == U_EA_WIDE || width == U_EA_FULLWIDTH;
}

/* The grapheme at `at`; returns where the next one begins. */
static int32_t measure(const char *s, int32_t at, int32_t size, int *width)
{
    int cells;
    const int32_t end = ig_text_grapheme(s, at, size, &cells);
    int32_t i = at;
    UChar32 c;
    U8_NEXT((const uint8_t *)s, i, size, c);
    *width = cells == 0 ? 0 : is_wide(c) ? wide : letter(c) + (cells - 1) * beside;
    return end;
}

static double points(int64_t hundredths, const ig_text_style *s)
{
    return (double)hundredths / 100 * s->size * (s->bold ? 1.06 : 1);
}

double ig_type_width(const char *text, const ig_text_style *s)
{
    const int32_t size = text == NULL ? 0 : (int32_t)strlen(text);
    int64_t all = 0;
    int w;
    for (int32_t at = 0; at < size; all += w)
        at = measure(text, at, size, &w);
    return points(all, s);
}

void ig_type_fit(char out[IG_TEXT_MAX], const char *text, const ig_text_style *s, double most)
{
    static const char mark[] = "\342\200\246";
    const int32_t size = text == NULL ? 0 : (int32_t)strlen(text);
    int32_t at = 0, cut = 0, end;
    int64_t all = 0;
    int w;
    for (; at < size; at = end, all += w) {
        end = measure(text, at, size, &w);
        if (points(all + w, s) > most || end >= IG_TEXT_MAX)
            break;
        if (points(all + w + dots, s) <= most && (size_t)end + sizeof mark <= IG_TEXT_MAX)
            cut = end;
    }
    const int32_t n = at < size ? cut : size;
    memcpy(out, text != NULL ? text : "", (size_t)n);
    memcpy(out + n, at < size ? mark : "", at < size ? sizeof mark : 1);
}

bool ig_type_is_rtl(const char *text)
{
    const int32_t size = (int32_t)strlen(text);
    UChar32 c;
    for (int32_t at = 0; at < size;) {
        U8_NEXT((const uint8_t *)text, at, size, c);
        const UCharDirection d = c < 0 ? U_OTHER_NEUTRAL : u_charDirection(c);
        if (d == U_LEFT_TO_RIGHT)
            return false;
        if (d == U_RIGHT_TO_LEFT || d == U_RIGHT_TO_LEFT_ARABIC)
            return true;
    }
    return false;
}

bool ig_type_script(char out[64], const char *text)
{
    const int32_t size = (int32_t)strlen(text);
    UChar32 c;
    for (int32_t at = 0; at < size;) {
        U8_NEXT((const uint8_t *)text, at, size, c);
        const int script = c < 0x530 ? USCRIPT_LATIN : u_getIntPropertyValue(c, UCHAR_SCRIPT);
        const char *name = u_getPropertyValueName(UCHAR_SCRIPT, script, U_LONG_PROPERTY_NAME);
        if (!u_isalpha(c) || is_wide(c) || name == NULL || strlen(name) > 63 ||
            script == USCRIPT_LATIN || script == USCRIPT_GREEK || script == USCRIPT_CYRILLIC ||
            script == USCRIPT_COMMON)
            continue;
        strcpy(out, name);
        for (char *p = out; *p != '\0'; p++)
            *p = *p == '_' ? ' ' : *p;
        return true;
    }
    return false;
}
