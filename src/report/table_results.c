/* SPDX-License-Identifier: Apache-2.0
 *
 * See table_results.h. The layout follows Table 1 of Dufter & Schütze 2020: shares with two digits,
 * columns of one layer under one heading. Which digits other numbers have follows from their sd, of
 * which two digits are told.
 */
#include "report/table_results.h"
#include "base/memory.h"
#include "report/html.h"
#include "report/table_parts.h"
#include "store/task.h"

#include <math.h>
#include <string.h>

const char *ig_result_stars(double p)
{
    return p < .001 ? "***" : p < .01 ? "**" : p < .05 ? "*" : "";
}

/* One seed says nothing of how far another would fall, so its value is the best of nothing. */
enum { BEST_SEEDS = 2 };

/* The best mean of a column; NaN where none is better than another or there is but one. */
static double best_of(const ig_result_table *t, int column)
{
    const ig_column *c = &t->spec->column[column];
    int sign = c->higher_is_better ? 1 : c->lower_is_better ? -1 : 0, n = 0;
    double best = (double)NAN;
    for (int r = 0; r < t->n_row && sign != 0; r++) {
        const ig_summary *of = &t->number[r * t->n_column + column].summary;
        const double x = of->mean;
        if (isfinite(x) && of->n >= BEST_SEEDS) {
            n++;
            best = n == 1 || sign * (x - best) > 0 ? x : best;
        }
    }
    return n > 1 ? best : (double)NAN;
}

/* Means that look the same in the column's digits are all the best; of a column that goes by
 * another, that one's. */
static bool is_best(const ig_table_builder *b, int row, int column)
{
    column = b->t->bold_by[column];
    const ig_column *c = &b->t->spec->column[column];
    const ig_result_number *x = ig_builder_number(b, row, column);
    double scale = pow(10, ig_result_digits(c, x)) * ig_result_unit(c);
    return x->summary.n >= BEST_SEEDS &&
           round(x->summary.mean * scale) == round(b->best[column] * scale);
}

/* All that is known of a number, for who points at it. */
static const char *tell(ig_table_builder *b, const ig_result_number *n, const char *base)
{
    char text[1200];
    size_t used = 0;
    text[0] = '\0';
#define ADD(...)                                                                                   \
    do {                                                                                           \
        int k = snprintf(text + used, sizeof text - used, __VA_ARGS__);                            \
        if (k > 0)                                                                                 \
            used = used + (size_t)k < sizeof text ? used + (size_t)k : sizeof text - 1;            \
    } while (0)
    ADD("mean %.4g over %lld seed%s", n->summary.mean, (long long)n->summary.n,
        n->summary.n == 1 ? "" : "s");
    if (n->summary.n > 1)
        ADD(", sd %.2g, 95 %% [%.4g, %.4g]; single runs", n->summary.sd, n->interval.low,
            n->interval.high);
    for (int i = 0; i < n->n_value && n->summary.n > 1 && n->n_value <= 12; i++)
        if (isfinite(n->value[i].value))
            ADD(" %.4g", n->value[i].value);
    if (n->summary.n > 1 && n->n_value > 12)
        ADD(" %.4g to %.4g", n->summary.min, n->summary.max);
    if (isfinite(n->reference))
        ADD("; the paper's %.4g", n->reference);
    if (n->paired.n > 0 && base != NULL)
        ADD("; minus cell %s: %+.3g over %lld shared seeds, p %.2g, after Holm %.2g", base,
            n->paired.mean, (long long)n->paired.n, n->paired.p, n->paired.p_holm);
#undef ADD
    return ig_table_keep(b->out, "%s", text);
}

/* A link to a cell's runs, written as ig_html_id writes fragments. */
static const char *link_to(ig_table_builder *b, const char *cell)
{
    char id[512];
    FILE *fp = fmemopen(id, sizeof id - 1, "w");
    if (fp == NULL)
        return NULL;
    memset(id, 0, sizeof id);
    ig_html_id(fp, "#cell-", cell);
    fclose(fp);
    return ig_table_keep(b->out, "%s", id);
}

static int64_t seeds_of(const ig_table_builder *b, int row)
{
    int64_t most = 0;
    for (int c = 0; c < b->t->n_column; c++) {
        int64_t n = ig_builder_number(b, row, c)->summary.n;
        most = n > most ? n : most;
    }
    return most;
}

static void body_row(ig_table_builder *b, int row)
{
    const ig_result_cell *cell = b->t->row[row];
    int64_t r = ig_table_add_row(b->out, IG_ROW_BODY, NULL), n = seeds_of(b, row);
    ig_table_text(b->out, r, b->id, cell->name);
    ig_table_text(b->out, r, b->label, cell->label);
    ig_table_number(b->out, r, b->n, (double)n, 0);
    const char *link = b->show->link ? link_to(b, cell->name) : NULL;
    ig_table_at(b->out, r, b->id)->link = link;
    for (int c = 0; c < b->t->n_column; c++) {
        const ig_result_number *x = ig_builder_number(b, row, c);
        const ig_column *col = &b->t->spec->column[c];
        ig_table_cell *y = ig_table_at(b->out, r, b->first + c);
        y->value = x->summary.mean * ig_result_unit(col);
        y->sd = x->summary.sd * ig_result_unit(col);
        y->digits = ig_result_digits(col, x);
        y->best = is_best(b, row, c);
        y->n = x->summary.n > 0 && x->summary.n < n ? x->summary.n : 0;
        y->mark = ig_result_stars(x->paired.n > 0 ? x->paired.p_holm : (double)NAN);
        y->link = b->show->tell ? link : NULL;
        if (b->show->tell)
            y->title = x->summary.n > 0
                           ? tell(b, x, b->t->base != NULL ? b->t->base->name : NULL)
                           : (x->missing != NULL ? ig_table_keep(b->out, "%s", x->missing) : NULL);
    }
}

typedef enum {
    LINE_INTERVAL,
    LINE_PAPER,
    LINE_DIFFERENCE,
    LINE_BASE,
    LINE_P,
    LINE_SEEDS,
    N_LINE
} line_kind;

static const char *const line_keys[] = {"interval", "paper",   "difference",
                                        "compare",  "compare", "compare"};

/* What a line has for a number; false: nothing. */
static bool line_cell(ig_table_builder *b, ig_table_cell *y, line_kind kind,
                      const ig_result_number *x, const ig_column *col)
{
    y->digits = ig_result_digits(col, x);
    switch (kind) {
    case LINE_INTERVAL:
        y->low = x->interval.low * ig_result_unit(col);
        y->high = x->interval.high * ig_result_unit(col);
        return isfinite(y->low) && isfinite(y->high);
    case LINE_PAPER:
        y->value = x->reference * ig_result_unit(col);
        y->sd = x->reference_sd * ig_result_unit(col);
        return isfinite(y->value);
    case LINE_DIFFERENCE:
        y->value = x->difference * ig_result_unit(col);
        y->sign = true;
        return isfinite(y->value);
    case LINE_BASE:
        y->value = x->paired.n > 0 ? x->paired.mean * ig_result_unit(col) : (double)NAN;
        y->sign = true;
        return isfinite(y->value);
    case LINE_P:
        if (x->paired.n > 0 && isfinite(x->paired.p_holm))
            y->text =
                ig_table_keep(b->out, x->paired.p_holm < .001 ? "%.1e" : "%.3f", x->paired.p_holm);
        return y->text != NULL;
    case LINE_SEEDS:
        if (x->paired.n > 0 && x->seeds_needed >= 0)
            y->text = ig_table_keep(b->out, "%lld", (long long)x->seeds_needed);
        return y->text != NULL;
    default:
        return false;
    }
}

static const ig_table_cell no_cell = {
    .value = (double)NAN, .sd = (double)NAN, .low = (double)NAN, .high = (double)NAN};

static bool line_asked(const ig_table_builder *b, line_kind kind)
{
    return kind == LINE_INTERVAL ? b->show->interval
                                 : (kind <= LINE_DIFFERENCE ? b->show->paper : b->show->compare);
}

static void lines_below(ig_table_builder *b, int row)
{
    const char *base = b->t->base != NULL ? b->t->base->name : "";
    for (line_kind kind = 0; kind < N_LINE; kind++) {
        bool any = false;
        for (int c = 0; c < b->t->n_column && line_asked(b, kind); c++) {
            ig_table_cell y = no_cell;
            any =
                any || line_cell(b, &y, kind, ig_builder_number(b, row, c), &b->t->spec->column[c]);
        }
        if (!any)
            continue;
        int64_t r = ig_table_add_row(b->out, IG_ROW_SUB, line_keys[kind]);
        ig_table_cell *label = ig_table_at(b->out, r, b->label);
        label->text = kind == LINE_INTERVAL     ? "95 % interval"
                      : kind == LINE_PAPER      ? "the paper"
                      : kind == LINE_DIFFERENCE ? "ours \xE2\x88\x92 the paper"
                      : kind == LINE_BASE       ? ig_table_keep(b->out, "minus cell %s", base)
                      : kind == LINE_P          ? "p, Holm"
                                                : "seeds that would show it";
        ig_table_at(b->out, r, b->n)->absent = true;
        for (int c = 0; c < b->t->n_column; c++) {
            ig_table_cell *y = ig_table_at(b->out, r, b->first + c);
            if (!line_cell(b, y, kind, ig_builder_number(b, row, c), &b->t->spec->column[c])) {
                *y = no_cell;
                y->absent = true;
            }
        }
    }
}

/* The paper's numbers of what is not measured here: no column is theirs, so they stand in words. */
static void proxy_lines(ig_table_builder *b, int row)
{
    for (int i = 0; i < b->t->n_proxy && b->show->paper; i++) {
        const ig_result_proxy *p = &b->t->proxy[i];
        char sd[32] = "";
        if (p->value[row] == NULL)
            continue;
        int64_t r = ig_table_add_row(b->out, IG_ROW_SUB, "paper");
        if (isfinite(p->value[row]->sd))
            snprintf(sd, sizeof sd, " \xC2\xB1 %.4g", p->value[row]->sd);
        ig_table_at(b->out, r, b->label)->text =
            ig_table_keep(b->out, "the paper's %s: %.6g%s%s", p->what->name, p->value[row]->mean,
                          sd, b->t->reference->verified ? "" : " (unverified)");
        ig_table_at(b->out, r, b->n)->absent = true;
        for (int c = 0; c < b->t->n_column; c++) {
            ig_table_cell *y = ig_table_at(b->out, r, b->first + c);
            *y = no_cell;
            y->absent = true;
        }
    }
}

/* At the foot: whether our rows stand in the paper's order. */
static void order_row(ig_table_builder *b, const char *label, const ig_kendall *order)
{
    bool any = false;
    for (int c = 0; c < b->t->n_column; c++)
        any = any || isfinite(order[c].tau_b);
    if (!any)
        return;
    int64_t r = ig_table_add_row(b->out, IG_ROW_FOOT, "order");
    ig_table_text(b->out, r, b->label, label);
    ig_table_at(b->out, r, b->n)->absent = true;
    for (int c = 0; c < b->t->n_column; c++) {
        ig_table_cell *y = ig_table_at(b->out, r, b->first + c);
        const ig_kendall *k = &order[c];
        bool minus = k->tau_b <= -.005; /* typographic, as of every number */
        if (isfinite(k->tau_b))
            y->text = ig_table_keep(b->out, "%s%.2f (%lld)", minus ? "\xE2\x88\x92" : "",
                                    fabs(k->tau_b), (long long)k->n);
        y->absent = y->text == NULL;
    }
}

static void order_rows(ig_table_builder *b)
{
    if (b->t->reference == NULL)
        return;
    order_row(b, "order as the paper's, Kendall \317\204", b->t->order);
    for (int i = 0; i < b->t->n_proxy; i++)
        order_row(b,
                  ig_table_keep(b->out, "proxy: order as the paper's %s, Kendall \317\204",
                                b->t->proxy[i].what->name),
                  b->t->proxy[i].order);
}

static void columns(ig_table_builder *b)
{
    const ig_result_table *t = b->t;
    b->id = ig_table_add_row_head(b->out, "cell", "ID");
    b->label = ig_table_add_row_head(b->out, "label", "difference from the base");
    b->n = ig_table_add_column(b->out, "n", "n", NULL, IG_TABLE_RIGHT);
    for (int c = 0; c < t->n_column; c++) {
        const ig_quantity *q = &t->spec->column[c].q;
        char title[IG_RESULT_NAME], group[IG_RESULT_NAME], key[IG_RESULT_NAME];
        bool inside = ig_result_in_group(t, c);
        ig_result_group(group, t, c);
        ig_result_title_in(title, sizeof title, t, c, inside);
        ig_quantity_format(key, sizeof key, q);
        int k = ig_table_add_column(b->out, key, title, inside ? group : NULL, IG_TABLE_NUMBER);
        const ig_task *task = ig_task_find(q->task);
        if (task != NULL && ig_table_check(b->out, NULL) == IG_ERR_OK)
            b->out->column[k].note = task->what;
        b->first = c == 0 ? k : b->first;
        b->best[c] = best_of(t, c);
    }
}

ig_code ig_table_of_results(ig_table **out, const ig_result_table *t, const ig_result_lines *show,
                            ig_err *err)
{
    const ig_table_spec *s = t->spec;
    ig_table_builder b = {.t = t, .show = show};
    ig_code code = ig_alloc(&b.best, t->n_column, sizeof *b.best, "best values", err);
    if (code == IG_ERR_OK)
        code =
            ig_table_new(&b.out, s->name, s->title != NULL ? s->title : s->name, s->caption, err);
    if (code == IG_ERR_OK) {
        columns(&b);
        for (int r = 0; r < t->n_row; r++) {
            body_row(&b, r);
            lines_below(&b, r);
            proxy_lines(&b, r);
        }
        order_rows(&b);
        ig_builder_lacking(&b);
        ig_builder_notes(&b);
        code = ig_table_check(b.out, err);
    }
    ig_free(b.best);
    if (code != IG_ERR_OK) {
        ig_table_free(b.out);
        b.out = NULL;
    }
    *out = b.out;
    return code;
}
