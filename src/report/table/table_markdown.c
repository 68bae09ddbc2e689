/* SPDX-License-Identifier: Apache-2.0
 *
 * A table in Markdown with pipes (GitHub Flavored Markdown, "Tables"): one line a row, columns
 * padded so that the source can be read too. Text is escaped, so that a label is shown as it is.
 */
#include "base/memory.h"
#include "report/table/table_format.h"

#include <stdlib.h>
#include <string.h>

static void put_escaped(FILE *fp, const char *s)
{
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (strchr("\\`*_[]|~$#", c) != NULL)
            fputc('\\', fp);
        if (c == '<')
            fputs("&lt;", fp);
        else if (c == '>')
            fputs("&gt;", fp);
        else if (c == '&')
            fputs("&amp;", fp);
        else if (c < 0x20 || c == 0x7F)
            fputc(' ', fp);
        else
            fputc(c, fp);
    }
}

static void put_cell(FILE *fp, const ig_table *t, int64_t r, int c)
{
    const ig_table_cell *x = &t->cell[r * t->n_column + c];
    bool sub = t->row[r].kind != IG_ROW_BODY && t->column[c].row_head;
    ig_number_parts p;
    ig_table_number_parts(&p, x);
    if (x->text != NULL && x->text[0] != '\0') {
        fputs(sub ? "*" : "", fp);
        put_escaped(fp, x->text);
        fputs(sub ? "*" : "", fp);
        return;
    }
    if (x->text != NULL || !p.shown) {
        if (x->text == NULL && !x->absent && !t->column[c].row_head)
            fputs("\xE2\x80\x93", fp);
        return;
    }
    if (p.interval) {
        ig_interval_put(fp, &p, "\\[", "\\]");
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
        put_escaped(fp, t->title);
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
        put_escaped(fp, t->note[i]);
        fputs("\n", fp);
    }
    return code;
}
