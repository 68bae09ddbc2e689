/* SPDX-License-Identifier: Apache-2.0
 *
 * A table in Markdown with pipes (GitHub Flavored Markdown, "Tables"): one line a row, columns
 * padded so that the source can be read too. A label is shown as it is: what would be markup in it
 * is escaped.
 */
#include "base/memory.h"
#include "report/table/table_format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Classes of characters as CommonMark 0.31 has them for emphasis; bytes beyond ASCII count as
 * letters. */
static bool is_blank(unsigned char c)
{
    return c <= ' ' || c == 0x7F;
}

static bool is_punctuation(unsigned char c)
{
    return c < 0x80 && ispunct(c);
}

/* Returns whether emphasis may begin, or end, with the run of `*`, `_` or `~` at `at`. */
static bool may_flank(const char *s, size_t at, bool begin)
{
    size_t from = at, to = at;
    while (from > 0 && s[from - 1] == s[at])
        from--;
    while (s[to] == s[at])
        to++;
    const unsigned char before = from > 0 ? (unsigned char)s[from - 1] : ' ';
    const unsigned char after = s[to] != '\0' ? (unsigned char)s[to] : ' ';
    const unsigned char in = begin ? after : before, out = begin ? before : after;
    if (is_blank(in) || (is_punctuation(in) && !is_blank(out) && !is_punctuation(out)))
        return false;
    return s[at] != '_' || is_blank(out) || is_punctuation(out);
}

/* Returns whether the run at `at` is one end of emphasis. */
static bool is_delimiter(const char *s, size_t at)
{
    bool other = false;
    for (size_t i = 0; s[i] != '\0' && !other; i++)
        other = s[i] == s[at] && ((i > at && may_flank(s, at, true) && may_flank(s, i, false)) ||
                                  (i < at && may_flank(s, at, false) && may_flank(s, i, true)));
    return other;
}

/* Where a text stands: within a line, within emphasis that the writer makes, or at the beginning of
 * a line. */
typedef enum { WITHIN, EMPHASISED, FIRST } text_place;

/* Returns whether Markdown reads this character as anything but itself. */
static bool is_markup(const char *s, size_t at, text_place place)
{
    const char c = s[at], next = s[at + 1];
    switch (c) {
    case '|':
    case '`':
        return true;
    case '*':
    case '_':
    case '~':
        return place == EMPHASISED || is_delimiter(s, at) ||
               (place == FIRST && at == 0 && is_blank((unsigned char)s[strspn(s, "*_~")]));
    case '\\':
        return is_punctuation((unsigned char)next) || next == '\0';
    case '[': /* a footnote */
        return next == '^';
    case ']': /* a link, or what one is called */
        return next == '(' || next == '[' || next == ':';
    case '$': /* a formula */
        return strchr(s, '$') != strrchr(s, '$');
    case '<': /* a tag */
        return next == '/' || next == '!' || next == '?' || isalpha((unsigned char)next);
    case '&': { /* a character by name */
        const size_t n = strspn(s + at + 1, "#0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "abcdefghijklmnopqrstuvwxyz");
        return n > 0 && s[at + 1 + n] == ';';
    }
    case '#': /* a heading, a quotation, a list, a rule; so are stars before white space */
    case '>':
    case '-':
    case '+':
    case '=':
        return place == FIRST && at == 0;
    default:
        return false;
    }
}

/* Text as it is shown; only what would be markup is escaped. */
static void put_text(FILE *fp, const char *s, text_place place)
{
    for (size_t i = 0; s[i] != '\0'; i++) {
        const unsigned char c = (unsigned char)s[i];
        if (is_markup(s, i, place)) {
            if (c == '<') { /* a renderer that knows no backslash must not see a tag */
                fputs("&lt;", fp);
                continue;
            }
            fputc('\\', fp);
        }
        fputc(c < 0x20 || c == 0x7F ? ' ' : c, fp);
    }
}

static void put_escaped(FILE *fp, const char *s)
{
    put_text(fp, s, WITHIN);
}

static void put_cell(FILE *fp, const ig_table *t, int64_t r, int c)
{
    const ig_table_cell *x = &t->cell[r * t->n_column + c];
    bool sub = t->row[r].kind != IG_ROW_BODY && t->column[c].row_head;
    ig_number_parts p;
    ig_table_number_parts(&p, x);
    if (x->text != NULL && x->text[0] != '\0') {
        fputs(sub ? "*" : "", fp);
        put_text(fp, x->text, sub ? EMPHASISED : WITHIN);
        fputs(sub ? "*" : "", fp);
        return;
    }
    if (x->text != NULL || !p.shown) {
        if (x->text == NULL && !x->absent && !t->column[c].row_head)
            fputs("\xE2\x80\x93", fp);
        return;
    }
    if (p.interval) {
        ig_interval_put(fp, &p, "[", "]");
        return;
    }
    fputs(x->best ? "**" : "", fp);
    ig_number_put(fp, p.whole, p.part);
    fputs(x->best ? "**" : "", fp);
    if (p.sd_whole[0] != '\0')
        fprintf(fp, " \xC2\xB1 %s%s", p.sd_whole, p.sd_part);
    if (x->mark != NULL) {
        fputs(x->mark[0] != '\0' ? " " : "", fp);
        put_escaped(fp, x->mark);
    }
    if (p.count[0] != '\0')
        fprintf(fp, " %s", p.count);
}

/* Writes the group's name before the titles below it, since Markdown has no second line of heads.
 */
static void put_title(FILE *fp, const ig_table_column *c)
{
    if (c->group != NULL && c->group[0] != '\0') {
        put_escaped(fp, c->group);
        fputc(' ', fp);
    }
    put_escaped(fp, c->title);
}

/* Row −1 is the head. The text is freed with free. */
static ig_code cell_text(char **out, const ig_table *t, int64_t r, int c, ig_err *err)
{
    size_t size;
    FILE *fp = open_memstream(out, &size);
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, t->name, 0, "not enough memory for the table");
    if (r < 0)
        put_title(fp, &t->column[c]);
    else
        put_cell(fp, t, r, c);
    if (!ig_memstream_close(fp))
        return ig_fail(err, IG_ERR_MEMORY, t->name, 0, "not enough memory for the table");
    return IG_ERR_OK;
}

static ig_code put_row(FILE *fp, const ig_table *t, int64_t r, const int *width, ig_err *err)
{
    for (int c = 0; c < t->n_column; c++) {
        char *s;
        IG_TRY(cell_text(&s, t, r, c, err));
        int pad = width[c] - ig_text_width(s);
        bool left = t->column[c].align == IG_TABLE_LEFT;
        fprintf(fp, "| %*s%s%*s ", left ? 0 : pad, "", s, left ? pad : 0, "");
        free(s);
    }
    fputs("|\n", fp);
    return IG_ERR_OK;
}

static ig_code put_table(FILE *fp, const ig_table *t, int *width, ig_err *err)
{
    for (int64_t r = -1; r < t->n_row; r++)
        for (int c = 0; c < t->n_column; c++) {
            char *s;
            IG_TRY(cell_text(&s, t, r, c, err));
            int w = ig_text_width(s);
            width[c] = w > width[c] ? w : width[c] > 3 ? width[c] : 3;
            free(s);
        }
    IG_TRY(put_row(fp, t, -1, width, err));
    for (int c = 0; c < t->n_column; c++) {
        bool left = t->column[c].align == IG_TABLE_LEFT;
        fputs(left ? "|:" : "|-", fp);
        for (int i = 0; i < width[c]; i++)
            fputc('-', fp);
        fputs(left ? "-" : ":", fp);
    }
    fputs("|\n", fp);
    for (int64_t r = 0; r < t->n_row; r++)
        IG_TRY(put_row(fp, t, r, width, err));
    return IG_ERR_OK;
}

ig_code ig_table_markdown(FILE *fp, const ig_table *t, ig_err *err)
{
    IG_TRY(ig_table_check(t, err));
    int *width = NULL;
    IG_TRY(ig_alloc(&width, t->n_column, sizeof *width, "widths", err));
    if (t->title != NULL && t->title[0] != '\0') {
        fputs("**", fp);
        put_text(fp, t->title, EMPHASISED);
        fputs("**", fp);
        if (t->caption != NULL && t->caption[0] != '\0') {
            fputs(" ", fp);
            put_escaped(fp, t->caption);
        }
        fputs("\n\n", fp);
    }
    ig_code code = put_table(fp, t, width, err);
    ig_free(width);
    for (int i = 0; i < t->n_note; i++) {
        fputs("\n", fp);
        put_text(fp, t->note[i], FIRST);
        fputs("\n", fp);
    }
    return code;
}
