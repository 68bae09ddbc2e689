/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts wiki markup to running text. Templates, whose text is not in a dump, are not expanded;
 * otherwise the text is the one that MediaWiki shows, without parts that are not running text
 * (tables, references, files, categories, headings). The steps are in the order of
 * Parser::internalParse.
 */
#include "corpus/read/format/wikitext.h"

#include "corpus/read/format/html_entities.h"
#include "corpus/read/format/wikitext_steps.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicode/uchar.h>

/* ---- links to other sites ---- */

/* Replaces [http://… text] by the text, up to the first ] of the line. */
static int64_t show_external(char *text, int64_t n)
{
    int64_t to = 0, none = 0; /* no ] before there */
    for (int64_t i = 0; i < n;) {
        const int64_t m =
            i >= none && text[i] == '[' ? ig_wiki_address(text + i + 1, n - i - 1) : 0;
        int64_t from = i + 1 + m, end = from;
        while (m > 0 && end < n && text[end] != ']' && text[end] != '\n')
            end++;
        if (m == 0 || end == n || text[end] != ']') {
            none = m > 0 ? end : none;
            text[to++] = text[i++];
            continue;
        }
        while (from < end && text[from] == ' ')
            from++;
        memmove(text + to, text + from, (size_t)(end - from));
        to += end - from;
        i = end + 1;
    }
    return to;
}

/* ---- lines ---- */

static int32_t number(const char *text, int64_t n)
{
    char digits[12];
    char *end;
    if (n < 1 || n >= (int64_t)sizeof digits)
        return 0;
    memcpy(digits, text, (size_t)n);
    digits[n] = '\0';
    const bool hex = digits[0] == 'x' || digits[0] == 'X';
    if (digits[hex] == '\0' || strchr("0123456789abcdefABCDEF", digits[hex]) == NULL)
        return 0;
    const long c = strtol(digits + hex, &end, hex ? 16 : 10);
    if (c == '\n' || c == '\t' || c == '\r')
        return *end == '\0' ? ' ' : 0;
    const bool good = *end == '\0' && c >= 32 && c != 127 && c <= 0x10FFFF && c != 0xFFFE &&
                      c != 0xFFFF && !(c >= 0xD800 && c < 0xE000);
    return good ? (int32_t)c : 0;
}

/* Decodes the character reference at text[0] = '&' and its length; 0: there is none. White space
 * becomes a blank. */
static int32_t character(const char *text, int64_t n, int64_t *length)
{
    const int64_t most = n < 14 ? n : 14;
    const char *semicolon = memchr(text, ';', (size_t)most);
    if (semicolon == NULL)
        return 0;
    const int64_t m = semicolon - text - 1;
    *length = m + 2;
    const int32_t c =
        m > 1 && text[1] == '#' ? number(text + 2, m - 1) : ig_html_entity(text + 1, m);
    return c > 0 && u_isUWhiteSpace(c) ? ' ' : c;
}

/* Returns whether a letter is in capitals, in a script that has them. */
static bool is_capital(uint32_t c)
{
    const uint32_t mask = U_GET_GC_MASK((UChar32)c);
    return (mask & (U_GC_LU_MASK | U_GC_LO_MASK | U_GC_LM_MASK | U_GC_M_MASK)) != 0;
}

static int64_t underscores(const char *text, int64_t n)
{
    static const char wide[] = "\xEF\xBC\xBF\xEF\xBC\xBF"; /* in Japanese */
    return ig_wiki_starts(text, n, "__") ? 2 : ig_wiki_starts(text, n, wide) ? 6 : 0;
}

/* Returns the length of a magic word, __NOTOC__ in any language; 0: there is none. */
static int64_t magic_word(const char *text, int64_t n)
{
    static const char english[] =
        "notoc forcetoc toc noeditsection nogallery newsectionlink index noindex nocontentconvert "
        "notitleconvert nocc notc hiddencat disambig nonewsectionlink expectunusedcategory "
        "staticredirect";
    const int64_t mark = underscores(text, n);
    if (mark == 0)
        return 0;
    for (const char *word = english; *word != '\0'; word += strspn(word, " ")) {
        const int64_t m = (int64_t)strcspn(word, " "), all = m + 4;
        if (n >= all && memcmp(text, "__", 2) == 0 && memcmp(text + m + 2, "__", 2) == 0 &&
            strncasecmp(text + 2, word, (size_t)m) == 0)
            return all;
        word += m;
    }
    for (int64_t i = mark; i < n && i < 100;) {
        uint32_t c;
        const int64_t end = i > mark ? underscores(text + i, n - i) : 0;
        if (end > 0)
            return i + end;
        const int m = ig_utf8_next((const uint8_t *)text + i, (const uint8_t *)text + n, &c);
        if (!is_capital(c) && !(c == '_' && i > mark))
            return 0;
        i += m;
    }
    return 0;
}

static bool is_mark(char c)
{
    return c == IG_WIKI_NOTHING || c == IG_WIKI_TEMPLATE;
}

/* Narrows a line to its text, without the marks of lists, rules and white space around it; a
 * heading becomes empty. */
static void trim_line(const char *line, int64_t *from, int64_t *to)
{
    int64_t i = *from, n = *to;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == IG_WIKI_TEMPLATE))
        i++;
    if (n - i >= 4 && memcmp(line + i, "----", 4) == 0)
        while (i < n && line[i] == '-')
            i++;
    while (i < n && (strchr("*#:; \t", line[i]) != NULL || line[i] == IG_WIKI_TEMPLATE) &&
           line[i] != '\0')
        i++;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || is_mark(line[i])))
        i++;
    while (n > i && (line[n - 1] == ' ' || line[n - 1] == '\t' || line[n - 1] == '\r' ||
                     is_mark(line[n - 1])))
        n--;
    *from = i;
    *to = i < n && line[i] == '=' && line[n - 1] == '=' ? i : n;
}

/* Writes the text of one line to out; returns its length, 0 if it is not running text. `out` is not
 * after `line`. */
static int64_t plain_line(char *out, const char *line, int64_t n)
{
    int64_t i = 0, to = 0, length;
    bool letter = false;
    trim_line(line, &i, &n);
    while (i < n) {
        length = 0;
        const int32_t c = line[i] == '&' ? character(line + i, n - i, &length) : 0;
        const int64_t magic = magic_word(line + i, n - i);
        if (c > 0 && c != ' ') {
            letter = letter || c >= 0x80 || u_isalpha(c);
            to += ig_utf8_put((uint8_t *)out + to, (uint32_t)c);
            i += length;
            continue;
        }
        const char plain = c > 0 ? ' ' : ig_wiki_unprotected(line[i]);
        i += c > 0 ? length : magic > 0 ? magic : 1;
        if (magic > 0 || is_mark(plain))
            continue;
        letter = letter || (unsigned char)plain >= 0x80 || (plain >= 'a' && plain <= 'z') ||
                 (plain >= 'A' && plain <= 'Z');
        if (plain != ' ' || (to > 0 && out[to - 1] != ' '))
            out[to++] = plain;
    }
    while (to > 0 && out[to - 1] == ' ')
        to--;
    return letter ? to : 0;
}

static int64_t plain_lines(char *text, int64_t n)
{
    int64_t to = 0;
    for (int64_t from = 0; from < n;) {
        const char *lf = memchr(text + from, '\n', (size_t)(n - from));
        const int64_t end = lf != NULL ? lf - text : n;
        const int64_t m = plain_line(text + to, text + from, end - from);
        if (m > 0) {
            to += m;
            if (to < n)
                text[to++] = '\n';
        }
        from = end + 1;
    }
    return to > 0 && text[to - 1] == '\n' ? to - 1 : to;
}

ig_code ig_wikitext_plain(const ig_wiki_site *site, char *text, int64_t *n, ig_err *err)
{
    IG_TRY(ig_wiki_drop_templates(text, n, err));
    ig_wiki_split_terms(text, *n);
    IG_TRY(ig_wiki_drop_tags(text, n, err));
    IG_TRY(ig_wiki_drop_tables(text, n, err));
    *n = ig_wiki_show_links(site, text, *n);
    *n = ig_wiki_drop_quotes(text, *n);
    *n = show_external(text, *n);
    IG_TRY(ig_wiki_choose_variants(site, text, n, err));
    *n = plain_lines(text, *n);
    return IG_ERR_OK;
}

bool ig_wikitext_is_redirect(const char *text, int64_t n)
{
    int64_t i = 0, letters = 0;
    while (i < n && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
        i++;
    if (i == n || text[i++] != '#')
        return false;
    if (ig_wiki_starts(text + i, n - i, "redirect"))
        return true;
    while (i < n && letters < 40) {
        uint32_t c;
        const int m = ig_utf8_next((const uint8_t *)text + i, (const uint8_t *)text + n, &c);
        if (!u_isalpha((UChar32)c) && c != '_' && (U_GET_GC_MASK((UChar32)c) & U_GC_M_MASK) == 0)
            break;
        i += m;
        letters++;
    }
    while (i < n && (text[i] == ' ' || text[i] == ':'))
        i++;
    const char *lf = memchr(text + i, '\n', (size_t)(n - i));
    int64_t end = lf != NULL ? lf - text : n;
    if (letters < 2 || !ig_wiki_starts(text + i, end - i, "[["))
        return false;
    while (end > i && (text[end - 1] == ' ' || text[end - 1] == '\r'))
        end--;
    /* An item of a list is followed by others. */
    const int64_t more = lf != NULL ? lf + 1 - text : n;
    return text[end - 1] == ']' && text[end - 2] == ']' && (more >= n || text[more] != '#');
}
