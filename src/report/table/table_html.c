/* SPDX-License-Identifier: Apache-2.0
 *
 * A table in HTML. A body row and the lines that belong to it are one <tbody>, so that a script
 * that sorts moves them together; data-v holds what to sort by. Without a script it is a plain
 * table with scoped heads.
 */
#include "report/table/html.h"
#include "report/table/table_format.h"

#include <math.h>
#include <string.h>

static const char *class_of(const ig_table_column *c)
{
    return c->align == IG_TABLE_LEFT ? "s" : "n";
}

static void put_head_cell(FILE *fp, const ig_table *t, int c, int rowspan)
{
    const ig_table_column *col = &t->column[c];
    fprintf(fp, "<th scope=\"col\" class=\"%s\"", class_of(col));
    if (rowspan > 1)
        fprintf(fp, " rowspan=\"%d\"", rowspan);
    if (col->note != NULL)
        ig_html_put(fp, " title=\"%s\"", col->note);
    fprintf(fp, " data-c=\"%d\">", c);
    ig_html_put(fp, "%s</th>", col->title);
}

static void put_head(FILE *fp, const ig_table *t)
{
    bool groups = false;
    for (int c = 0; c < t->n_column; c++)
        groups = groups || t->column[c].group != NULL;
    fputs("<thead>\n<tr>", fp);
    for (int c = 0, k; c < t->n_column; c = k) {
        for (k = c + 1; k < t->n_column && ig_table_same_group(t, k);)
            k++;
        if (t->column[c].group == NULL) {
            put_head_cell(fp, t, c, groups ? 2 : 1);
            continue;
        }
        fprintf(fp, "<th scope=\"colgroup\" class=\"g\" colspan=\"%d\">", k - c);
        ig_html_put(fp, "%s</th>", t->column[c].group);
    }
    if (groups) {
        fputs("</tr>\n<tr>", fp);
        for (int c = 0; c < t->n_column; c++)
            if (t->column[c].group != NULL)
                put_head_cell(fp, t, c, 1);
    }
    fputs("</tr>\n</thead>\n", fp);
}

static void put_number(FILE *fp, const ig_table_cell *x)
{
    ig_number_parts p;
    ig_table_number_parts(&p, x);
    if (p.interval) {
        ig_interval_put(fp, &p, "[", "]");
        return;
    }
    fputs(x->best ? "<b>" : "", fp);
    ig_number_put(fp, p.whole, p.part);
    fputs(x->best ? "</b>" : "", fp);
    if (p.sd_whole[0] != '\0')
        fprintf(fp, "<span class=\"sd\"> \xC2\xB1 %s%s</span>", p.sd_whole, p.sd_part);
    if (x->mark != NULL && x->mark[0] != '\0')
        ig_html_put(fp, "<sup>%s</sup>", x->mark);
    if (p.count[0] != '\0')
        fprintf(fp, " <span class=\"k\">%s</span>", p.count);
}

static void put_cell(FILE *fp, const ig_table *t, int64_t r, int c, int head, bool brief)
{
    const ig_table_cell *x = &t->cell[r * t->n_column + c];
    const char *tag = c == head ? "th" : "td";
    bool number = x->text == NULL && (!isnan(x->value) || (!isnan(x->low) && !isnan(x->high)));
    fprintf(fp, "<%s%s", tag, c == head ? " scope=\"row\"" : "");
    if (!brief || t->column[c].row_head)
        fprintf(fp, " class=\"%s\"", class_of(&t->column[c]));
    if (number && !brief && t->row[r].kind == IG_ROW_BODY && isfinite(x->value))
        fprintf(fp, " data-v=\"%.7g\"", x->value);
    if (x->title != NULL && x->title[0] != '\0')
        ig_html_put(fp, " title=\"%s\"", x->title);
    fputc('>', fp);
    bool empty = !number && (x->text == NULL || x->text[0] == '\0');
    if (x->link != NULL && !empty)
        ig_html_put(fp, "<a href=\"%s\">", x->link);
    if (number)
        put_number(fp, x);
    else if (x->text != NULL)
        ig_html_text(fp, x->text);
    else if (!x->absent && !t->column[c].row_head)
        fputs("\xE2\x80\x93", fp);
    if (x->link != NULL && !empty)
        fputs("</a>", fp);
    fprintf(fp, "</%s>", tag);
}

/* The row head that names the rows for those who hear the table: the last one. */
static int row_head(const ig_table *t)
{
    int head = -1;
    for (int c = 0; c < t->n_column; c++)
        if (t->column[c].row_head)
            head = c;
    return head;
}

static void put_row(FILE *fp, const ig_table *t, int64_t r, int head, bool brief)
{
    fputs("<tr", fp);
    if (t->row[r].key != NULL && t->row[r].key[0] != '\0') {
        fputs(t->row[r].kind == IG_ROW_BODY ? " id=\"" : " class=\"l ", fp);
        ig_html_put(fp, "%s\"", t->row[r].key);
    }
    fputc('>', fp);
    for (int c = 0; c < t->n_column; c++)
        put_cell(fp, t, r, c, head, brief);
    fputs("</tr>\n", fp);
}

ig_code ig_table_html(FILE *fp, const ig_table *t, bool brief, ig_err *err)
{
    IG_TRY(ig_table_check(t, err));
    int head = row_head(t);
    bool groups = false;
    for (int64_t r = 0; r < t->n_row; r++)
        groups = groups || t->row[r].kind == IG_ROW_SUB;
    fputs(groups ? "<table class=\"lines\">\n" : "<table>\n", fp);
    if (t->title != NULL && t->title[0] != '\0') {
        ig_html_put(fp, "<caption><strong>%s</strong>", t->title);
        if (t->caption != NULL && t->caption[0] != '\0')
            ig_html_put(fp, ". %s", t->caption);
        fputs("</caption>\n", fp);
    }
    put_head(fp, t);
    const char *open = NULL;
    for (int64_t r = 0; r < t->n_row; r++) {
        ig_row_kind kind = t->row[r].kind;
        bool foot = kind == IG_ROW_FOOT;
        bool begins =
            open == NULL || (foot && strcmp(open, "tfoot") != 0) || (kind == IG_ROW_BODY && groups);
        if (begins) {
            if (open != NULL)
                fprintf(fp, "</%s>\n", open);
            open = foot ? "tfoot" : "tbody";
            fprintf(fp, "<%s>\n", open);
        }
        put_row(fp, t, r, head, brief);
    }
    if (open != NULL)
        fprintf(fp, "</%s>\n", open);
    fputs("</table>\n", fp);
    return IG_ERR_OK;
}
