/* SPDX-License-Identifier: Apache-2.0
 *
 * A table on a terminal, in the manner of printed ones: rules above, below the head and at the end,
 * none between. Numbers are aligned at the point, and spreads follow them. A table wider than the
 * terminal is cut into blocks of columns, each with the row heads in front.
 */
#include "base/memory.h"
#include "report/table/table_format.h"

#include <math.h>
#include <string.h>

enum { GAP = 3, ROW_HEAD_GAP = 2, LEAST_ROW_HEAD = 12 };

/* Widths of the parts of a column's numbers. */
typedef struct {
    int total;
    int whole, part, sd_whole, sd_part, mark, count;
    bool sd, best, interval;
} column_width;

typedef struct {
    FILE *fp;
    const ig_table *t;
    column_width *w;
    bool colour;
} printer;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static bool is_number(const ig_table_cell *c)
{
    return c->text == NULL && (!isnan(c->value) || (!isnan(c->low) && !isnan(c->high)));
}

static void spaces(FILE *fp, int n)
{
    for (int i = 0; i < n; i++)
        fputc(' ', fp);
}

static const ig_table_cell *at(const ig_table *t, int64_t r, int c)
{
    return &t->cell[r * t->n_column + c];
}

/* Width of the numbers once lined up. */
static int numbers_width(const column_width *w)
{
    int n = w->whole + w->part;
    if (n == 0)
        return 0;
    if (w->sd)
        n += 3 + w->sd_whole + w->sd_part;
    return n + (w->best ? 1 : 0) + w->mark + (w->count > 0 ? 1 + w->count : 0);
}

static int interval_width(const ig_number_parts *p)
{
    return (int)(4 + strlen(p->whole) + strlen(p->part) + strlen(p->sd_whole) + strlen(p->sd_part));
}

static column_width measure(const ig_table *t, int c, bool colour)
{
    column_width w = {0};
    int text = ig_text_width(t->column[c].title);
    for (int64_t r = 0; r < t->n_row; r++) {
        const ig_table_cell *x = at(t, r, c);
        if (!is_number(x)) {
            if (x->text != NULL)
                text = larger(text, ig_text_width(x->text));
            continue;
        }
        ig_number_parts p;
        ig_table_number_parts(&p, x);
        if (p.interval) {
            text = larger(text, interval_width(&p));
            continue;
        }
        w.whole = larger(w.whole, (int)strlen(p.whole));
        w.part = larger(w.part, (int)strlen(p.part));
        w.sd_whole = larger(w.sd_whole, (int)strlen(p.sd_whole));
        w.sd_part = larger(w.sd_part, (int)strlen(p.sd_part));
        w.sd = w.sd || p.sd_whole[0] != '\0';
        w.mark = larger(w.mark, x->mark != NULL ? ig_text_width(x->mark) : 0);
        w.count = larger(w.count, (int)strlen(p.count));
        w.best = w.best || (x->best && !colour);
    }
    w.total = larger(text, numbers_width(&w));
    return w;
}

static void put_number(printer *p, const ig_table_cell *x, const column_width *w)
{
    ig_number_parts n;
    ig_table_number_parts(&n, x);
    if (n.interval) {
        spaces(p->fp, w->total - interval_width(&n));
        ig_interval_put(p->fp, &n, "[", "]");
        return;
    }
    spaces(p->fp, w->total - numbers_width(w));
    bool bold = x->best && p->colour;
    spaces(p->fp, w->whole - (int)strlen(n.whole) + (w->best && !x->best ? 1 : 0));
    fputs(w->best && x->best ? "\xE2\x96\xB8" : "", p->fp);
    fputs(bold ? "\033[1m" : "", p->fp);
    ig_number_put(p->fp, n.whole, n.part);
    fputs(bold ? "\033[22m" : "", p->fp);
    spaces(p->fp, w->part - (int)strlen(n.part));
    if (w->sd) {
        bool has_sd = n.sd_whole[0] != '\0';
        fputs(has_sd ? " \xC2\xB1 " : "   ", p->fp);
        spaces(p->fp, w->sd_whole - (int)strlen(n.sd_whole));
        fprintf(p->fp, "%s%s", n.sd_whole, n.sd_part);
        spaces(p->fp, w->sd_part - (int)strlen(n.sd_part));
    }
    const char *mark = x->mark != NULL ? x->mark : "";
    int used = ig_text_put(p->fp, mark, w->mark);
    spaces(p->fp, w->mark - used);
    if (w->count > 0) {
        fprintf(p->fp, " %s", n.count);
        spaces(p->fp, w->count - (int)strlen(n.count));
    }
}

static void put_text(printer *p, const char *s, int width, ig_table_align align)
{
    int has = ig_text_width(s);
    int pad = has < width ? width - has : 0;
    if (align != IG_TABLE_LEFT)
        spaces(p->fp, pad);
    int used = ig_text_put(p->fp, s, width);
    if (align == IG_TABLE_LEFT)
        spaces(p->fp, width - used);
}

static void put_cell(printer *p, int64_t r, int c)
{
    const ig_table_cell *x = at(p->t, r, c);
    const column_width *w = &p->w[c];
    if (is_number(x))
        put_number(p, x, w);
    else if (x->text != NULL)
        put_text(p, x->text, w->total, p->t->column[c].align);
    else
        put_text(p, x->absent || p->t->column[c].row_head ? "" : "\xE2\x80\x93", w->total,
                 p->t->column[c].align);
}

static void rule(FILE *fp, int width)
{
    for (int i = 0; i < width; i++)
        fputs("\xE2\x94\x80", fp);
    fputc('\n', fp);
}

static int gap(const ig_table *t, int c)
{
    return t->column[c].row_head ? ROW_HEAD_GAP : GAP;
}

/* Headings over groups, where this block has any. */
static void put_groups(printer *p, const int *show, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++)
        any = any || p->t->column[show[i]].group != NULL;
    if (!any)
        return;
    for (int i = 0; i < n;) {
        int k = i + 1, width = p->w[show[i]].total;
        for (; k < n && show[k] == show[k - 1] + 1 && ig_table_same_group(p->t, show[k]); k++)
            width += gap(p->t, show[k - 1]) + p->w[show[k]].total;
        const char *g = p->t->column[show[i]].group;
        g = g != NULL ? g : "";
        int has = ig_text_width(g), left = has < width ? (width - has) / 2 : 0;
        spaces(p->fp, left);
        left += ig_text_put(p->fp, g, width);
        spaces(p->fp, width - left);
        if (k < n)
            spaces(p->fp, gap(p->t, show[k - 1]));
        i = k;
    }
    fputc('\n', p->fp);
}

static void put_block(printer *p, const int *show, int n, int width)
{
    rule(p->fp, width);
    put_groups(p, show, n);
    for (int i = 0; i < n; i++) {
        put_text(p, p->t->column[show[i]].title, p->w[show[i]].total, p->t->column[show[i]].align);
        if (i + 1 < n)
            spaces(p->fp, gap(p->t, show[i]));
    }
    fputc('\n', p->fp);
    rule(p->fp, width);
    for (int64_t r = 0; r < p->t->n_row; r++) {
        ig_row_kind kind = p->t->row[r].kind;
        if (kind == IG_ROW_FOOT && (r == 0 || p->t->row[r - 1].kind != IG_ROW_FOOT))
            rule(p->fp, width);
        bool dim = p->colour && kind == IG_ROW_SUB;
        fputs(dim ? "\033[2m" : "", p->fp);
        for (int i = 0; i < n; i++) {
            put_cell(p, r, show[i]);
            if (i + 1 < n)
                spaces(p->fp, gap(p->t, show[i]));
        }
        fputs(dim ? "\033[22m" : "", p->fp);
        fputc('\n', p->fp);
    }
    rule(p->fp, width);
}

/* Text in lines of at most `width` cells, broken at spaces. */
static void put_lines(FILE *fp, const char *s, int width)
{
    int used = 0;
    while (*s != '\0') {
        size_t n = strcspn(s, " ");
        int w = ig_text_width_of(s, n);
        if (used > 0 && width > 0 && used + 1 + w > width) {
            fputc('\n', fp);
            used = 0;
        } else if (used > 0) {
            fputc(' ', fp);
            used++;
        }
        ig_text_put_of(fp, s, n);
        used += w;
        s += n;
        s += strspn(s, " ");
    }
    fputc('\n', fp);
}

/* Shortens names of rows, the widest first, until they fit `room`. */
static void narrow_row_heads(printer *p, int room)
{
    for (;;) {
        int all = 0, widest = -1;
        for (int c = 0; c < p->t->n_column; c++) {
            if (!p->t->column[c].row_head)
                continue;
            all += p->w[c].total + ROW_HEAD_GAP;
            if (widest < 0 || p->w[c].total > p->w[widest].total)
                widest = c;
        }
        if (widest < 0 || all <= room || p->w[widest].total <= LEAST_ROW_HEAD)
            return;
        int to = larger(p->w[widest].total - (all - room), LEAST_ROW_HEAD);
        p->w[widest].total = to < p->w[widest].total ? to : p->w[widest].total - 1;
    }
}

/* The width of the two widest columns of numbers, so that a block has at least two of them beside
 * the names. */
static int two_columns(const printer *p)
{
    int first = 0, second = 0;
    for (int c = 0; c < p->t->n_column; c++) {
        const int w = p->t->column[c].row_head ? 0 : p->w[c].total + GAP;
        second = w > first ? first : larger(second, w);
        first = larger(first, w);
    }
    return first + second;
}

/* A heading over several columns is not cut for want of numbers below it. */
static void widen_groups(printer *p)
{
    const ig_table *t = p->t;
    for (int c = 0; c < t->n_column; c++) {
        if (t->column[c].group == NULL || (c > 0 && ig_table_same_group(t, c)))
            continue;
        int width = p->w[c].total, end = c + 1;
        for (; end < t->n_column && ig_table_same_group(t, end); end++)
            width += gap(t, end - 1) + p->w[end].total;
        const int less = ig_text_width(t->column[c].group) - width;
        for (int k = 0; k < less; k++)
            p->w[c + k % (end - c)].total++;
    }
}

static int shown_width(const printer *p, const int *show, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += p->w[show[i]].total + (i + 1 < n ? gap(p->t, show[i]) : 0);
    return all;
}

static void put_blocks(printer *p, int *show, int width)
{
    const ig_table *t = p->t;
    int n_head = 0, rest = 0;
    for (int c = 0; c < t->n_column; c++)
        if (t->column[c].row_head)
            show[n_head++] = c;
        else
            rest += p->w[c].total + GAP;
    if (width > 0 && shown_width(p, show, n_head) + ROW_HEAD_GAP + rest > width)
        narrow_row_heads(p, width - two_columns(p) + GAP);
    bool started = false;
    for (int c = 0; c < t->n_column || (n_head == t->n_column && !started);) {
        int n = n_head;
        while (c < t->n_column) {
            if (!t->column[c].row_head) {
                show[n] = c;
                if (n > n_head && width > 0 && shown_width(p, show, n + 1) > width)
                    break;
                n++;
            }
            c++;
        }
        if (started)
            fputc('\n', p->fp);
        put_block(p, show, n, shown_width(p, show, n));
        started = true;
    }
}

ig_code ig_table_terminal(FILE *fp, const ig_table *t, const ig_table_terminal_options *o,
                          ig_err *err)
{
    IG_TRY(ig_table_check(t, err));
    printer p = {.fp = fp, .t = t, .colour = o->colour};
    int *show = NULL;
    ig_code code = ig_alloc(&p.w, t->n_column, sizeof *p.w, "widths", err);
    IG_THEN(code, ig_alloc(&show, t->n_column, sizeof *show, "columns", err));
    if (code == IG_ERR_OK) {
        for (int c = 0; c < t->n_column; c++)
            p.w[c] = measure(t, c, o->colour);
        widen_groups(&p);
        if (t->title != NULL && t->title[0] != '\0') {
            fputs(o->colour ? "\033[1m" : "", fp);
            put_lines(fp, t->title, o->width);
            fputs(o->colour ? "\033[22m" : "", fp);
        }
        if (t->caption != NULL && t->caption[0] != '\0')
            put_lines(fp, t->caption, o->width);
        put_blocks(&p, show, o->width);
        for (int i = 0; i < t->n_note; i++)
            put_lines(fp, t->note[i], o->width);
    }
    IG_FREE(show, p.w);
    return code;
}
