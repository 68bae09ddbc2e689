/* SPDX-License-Identifier: Apache-2.0
 *
 * Escapes text for HTML that is well-formed XML as well.
 */
#include "report/table/html.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unicode/utf8.h>

/* XML 1.0, 2.2: the characters a document may hold; C1 controls are left out too. */
static bool allowed(UChar32 c)
{
    return c == '\t' || c == '\n' || (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c <= 0xD7FF) ||
           (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

static const char *entity(UChar32 c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void ig_html_text(FILE *fp, const char *s)
{
    const uint8_t *u = (const uint8_t *)s;
    int32_t size = s != NULL ? (int32_t)strlen(s) : 0, at = 0;
    while (at < size) {
        int32_t from = at;
        UChar32 c;
        U8_NEXT(u, at, size, c);
        const char *e = entity(c);
        if (e != NULL)
            fputs(e, fp);
        else if (allowed(c))
            fwrite(s + from, 1, (size_t)(at - from), fp);
        else
            fputs("\xEF\xBF\xBD", fp);
    }
}

void ig_html_put(FILE *fp, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    for (const char *p = fmt; *p != '\0'; p++)
        if (*p != '%')
            fputc(*p, fp);
        else if (*++p == 's')
            ig_html_text(fp, va_arg(list, const char *));
        else
            fputc('%', fp);
    va_end(list);
}

void ig_html_id(FILE *fp, const char *prefix, const char *s)
{
    fputs(prefix, fp);
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.';
        if (plain)
            fputc(c, fp);
        else
            fprintf(fp, "_%02x", c);
    }
}
