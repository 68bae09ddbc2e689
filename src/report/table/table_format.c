/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as parts that line up at the point, and text by display cells: grapheme clusters (UAX
 * #29) through ICU, each as wide as its widest character by East Asian Width (UAX #11).
 */
#include "report/table/table_format.h"

#include <math.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

/* "-3.142" as "-3" and ".142"; a zero that was only rounded to has no sign. */
static void split(char *whole, char *part, double x, int digits, bool sign)
{
    char s[IG_NUMBER_PART];
    if (!isfinite(x)) {
        snprintf(whole, IG_NUMBER_PART, "%s", isnan(x) ? "" : x > 0 ? "inf" : "-inf");
        part[0] = '\0';
        return;
    }
    int n = snprintf(s, sizeof s, fabs(x) < 1e15 ? "%.*f" : "%.*e", digits, x);
    if (n < 0 || (size_t)n >= sizeof s)
        snprintf(s, sizeof s, "%g", x);
    const char *from = s;
    if (s[0] == '-' && strspn(s + 1, "0.") == strlen(s + 1))
        from = s + 1;
    bool zero = strspn(from, "0.") == strlen(from);
    const char *point = strchr(from, '.');
    size_t cut = point != NULL ? (size_t)(point - from) : strlen(from);
    snprintf(whole, IG_NUMBER_PART, "%s%.*s", sign && !zero && from[0] != '-' ? "+" : "", (int)cut,
             from);
    snprintf(part, IG_NUMBER_PART, "%s", from + cut);
}

void ig_table_number_parts(ig_number_parts *p, const ig_table_cell *c)
{
    memset(p, 0, sizeof *p);
    if (!isnan(c->value)) {
        p->shown = true;
        split(p->whole, p->part, c->value, c->digits, c->sign);
        split(p->sd_whole, p->sd_part, c->sd, c->sd_digits >= 0 ? c->sd_digits : c->digits, false);
    } else if (!isnan(c->low) && !isnan(c->high)) {
        p->shown = p->interval = true;
        split(p->whole, p->part, c->low, c->digits, c->sign);
        split(p->sd_whole, p->sd_part, c->high, c->digits, c->sign);
    }
    if (p->shown && c->n > 0)
        snprintf(p->count, sizeof p->count, "(%lld)", (long long)c->n);
}

void ig_number_put(FILE *fp, const char *whole, const char *part)
{
    bool minus = whole[0] == '-';
    fprintf(fp, "%s%s%s", minus ? "\xE2\x88\x92" : "", whole + (minus ? 1 : 0), part);
}

void ig_interval_put(FILE *fp, const ig_number_parts *p, const char *open, const char *close)
{
    fputs(open, fp);
    ig_number_put(fp, p->whole, p->part);
    fputs(", ", fp);
    ig_number_put(fp, p->sd_whole, p->sd_part);
    fputs(close, fp);
}

/* The character as it is shown: itself, or U+FFFD for controls, broken bytes and marks that would
 * change the direction of the text around it. */
static UChar32 shown(UChar32 c)
{
    int8_t type = u_charType(c);
    bool bidi = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E ||
                c == 0x200F || c == 0x061C;
    if (c < 0 || type == U_CONTROL_CHAR || type == U_SURROGATE || c == 0x2028 || c == 0x2029 ||
        bidi)
        return 0xFFFD;
    return c;
}

static int cells_of(UChar32 c)
{
    int8_t type = u_charType(c);
    if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR)
        return 0;
    int ea = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
    return ea == U_EA_WIDE || ea == U_EA_FULLWIDTH ? 2 : 1;
}

/* One grapheme: its first character and what joins it (extending marks, joiner sequences, regional
 * pairs, Hangul jamo). Returns the offset after it. */
int32_t ig_text_grapheme(const char *s, int32_t at, int32_t size, int *width)
{
    const uint8_t *u = (const uint8_t *)s;
    UChar32 c, next;
    U8_NEXT(u, at, size, c);
    c = shown(c);
    *width = cells_of(c);
    bool regional = u_hasBinaryProperty(c, UCHAR_REGIONAL_INDICATOR) != 0, joined = false;
    if (regional)
        *width = 2;
    while (at < size) {
        int32_t to = at;
        U8_NEXT(u, to, size, next);
        if (next < 0 || shown(next) != next)
            break;
        int kind = u_getIntPropertyValue(next, UCHAR_GRAPHEME_CLUSTER_BREAK);
        bool extends = kind == U_GCB_EXTEND || kind == U_GCB_SPACING_MARK || kind == U_GCB_ZWJ;
        bool pair = regional && kind == U_GCB_REGIONAL_INDICATOR;
        bool jamo = kind == U_GCB_V || kind == U_GCB_T;
        if (!extends && !pair && !jamo && !joined)
            break;
        if (kind == U_GCB_SPACING_MARK)
            *width += cells_of(next);
        else if (next == 0xFE0F) /* asks for the emoji, which is wide */
            *width = 2;
        joined = kind == U_GCB_ZWJ && *width == 2;
        regional = false;
        at = to;
    }
    return at;
}

int ig_text_width_of(const char *s, size_t n)
{
    int32_t size = (int32_t)n, at = 0;
    int all = 0, w;
    while (at < size) {
        at = ig_text_grapheme(s, at, size, &w);
        all += w;
    }
    return all;
}

int ig_text_width(const char *s)
{
    return ig_text_width_of(s, strlen(s));
}

static void put_range(FILE *fp, const char *s, int32_t from, int32_t to)
{
    const uint8_t *u = (const uint8_t *)s;
    while (from < to) {
        int32_t start = from;
        UChar32 c;
        U8_NEXT(u, from, to, c);
        if (shown(c) == c)
            fwrite(s + start, 1, (size_t)(from - start), fp);
        else
            fputs("\xEF\xBF\xBD", fp);
    }
}

void ig_text_put_of(FILE *fp, const char *s, size_t size)
{
    put_range(fp, s, 0, (int32_t)size);
}

int ig_text_put(FILE *fp, const char *s, int width)
{
    int all = ig_text_width(s), used = 0, w;
    if (all <= width) {
        ig_text_put_of(fp, s, strlen(s));
        return all;
    }
    if (width <= 0)
        return 0;
    int32_t size = (int32_t)strlen(s), at = 0;
    for (int32_t to; at < size; at = to) {
        to = ig_text_grapheme(s, at, size, &w);
        if (used + w >= width) /* a cell is kept for the mark of the cut */
            break;
        used += w;
    }
    put_range(fp, s, 0, at);
    fputs("\xE2\x80\xA6", fp);
    return used + 1;
}

bool ig_table_same_group(const ig_table *t, int c)
{
    const char *a = c > 0 ? t->column[c - 1].group : NULL, *b = t->column[c].group;
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}
