/* SPDX-License-Identifier: Apache-2.0
 *
 * Lays out a table of results. A line of the table is a cell; in a pivot it is the cells that
 * differ in the spread axis alone. Seeds can be spread instead of an axis, each cell's mean before
 * them.
 */
#include "report/shown/table_results.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "report/shown/table_parts.h"
#include "report/table/html.h"
#include "store/store_task.h"

#include <math.h>
#include <string.h>

const char *ig_result_stars(double p)
{
    return p < .001 ? "***" : p < .01 ? "**" : p < .05 ? "*" : "";
}

/* One seed says nothing of how far another would fall, so its value is the best of nothing. */
enum { BEST_SEEDS = 2 };

/* The best mean of a column; NaN where none is better than another or there is but one. */
static double best_of(const ig_table_builder *b, int shown)
{
    const ig_column *c = ig_builder_column(b, shown);
    int sign = c->higher_is_better ? 1 : c->lower_is_better ? -1 : 0, n = 0;
    double best = (double)NAN;
    for (int line = 0; line < b->n_line && sign != 0 && !ig_builder_is_seed(b, shown); line++) {
        const ig_result_number *x = ig_builder_number(b, line, shown);
        if (x == NULL || !isfinite(x->summary.mean) || x->summary.n < BEST_SEEDS)
            continue;
        n++;
        best = n == 1 || sign * (x->summary.mean - best) > 0 ? x->summary.mean : best;
    }
    return n > 1 ? best : (double)NAN;
}

/* Means that look the same in the column's digits are all the best; of a column ranked by another,
 * that one's means count. */
static bool is_best(const ig_table_builder *b, int line, int shown)
{
    shown = b->t->bold_by[shown / b->n_across] * b->n_across + shown % b->n_across;
    const ig_result_number *x = ig_builder_number(b, line, shown);
    const double scale =
        pow(10, b->digits[shown / b->n_across]) * ig_result_unit(ig_builder_column(b, shown));
    return x->summary.n >= BEST_SEEDS &&
           round(x->summary.mean * scale) == round(b->best[shown] * scale);
}

/* All that is known of a number, for who points at it. */
static const char *tooltip(ig_table_builder *b, const ig_result_number *n, const char *base)
{
    char text[1200] = "";
#define ADD(...) ig_append(text, sizeof text, __VA_ARGS__)
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
        ADD("; the paper's %.*f", n->reference_digits >= 0 ? n->reference_digits : 4, n->reference);
    if (n->against.n > 0 && base != NULL)
        ADD("; minus cell %s: %+.3g [%.3g, %.3g], adjusted p %.2g", base, n->against.mean,
            n->against.interval.low, n->against.interval.high, n->against.p_adjusted);
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

static int n_shown(const ig_table_builder *b)
{
    return b->t->n_column * b->n_across;
}

/* Columns of proxies, where the paper's numbers have columns. */
static int n_proxy(const ig_table_builder *b)
{
    return b->t->n_proxy * b->n_across;
}

static int64_t seeds_of(const ig_table_builder *b, int line)
{
    int64_t most = 0;
    for (int c = 0; c < n_shown(b); c++) {
        const ig_result_number *x = ig_builder_number(b, line, c);
        most = x != NULL && x->summary.n > most ? x->summary.n : most;
    }
    return most;
}

/* The name of a line, linked to its runs. */
static void name_line(ig_table_builder *b, int64_t r, int line)
{
    const int row = ig_builder_first_row(b, line);
    const ig_row_name *name = &b->names.row[row];
    int column = 0;
    if (b->names.has_id)
        ig_table_text(b->out, r, column++, name->id);
    if (b->names.has_words)
        ig_table_text(b->out, r, column++, name->words);
    for (int i = 0; i < b->names.n_axis; i++)
        if (i != b->pivot)
            ig_table_text(b->out, r, column++, name->value[i]);
    if (b->show->link && column > 0)
        ig_table_at(b->out, r, 0)->link = link_to(b, b->t->row[row]->name);
}

/* One seed's value; false: it has none. */
static bool seed_cell(const ig_table_builder *b, ig_table_cell *y, const ig_result_number *x,
                      int shown)
{
    for (int i = 0; i < x->n_value; i++)
        if (x->value[i].seed == b->seed[shown % b->n_across])
            y->value = x->value[i].value * ig_result_unit(ig_builder_column(b, shown));
    y->digits = b->digits[shown / b->n_across];
    return isfinite(y->value);
}

static int64_t body_row(ig_table_builder *b, int line)
{
    int64_t r = ig_table_add_row(b->out, IG_ROW_BODY, NULL), n = seeds_of(b, line);
    name_line(b, r, line);
    ig_table_number(b->out, r, b->n, (double)n, 0);
    for (int c = 0; c < n_shown(b); c++) {
        const ig_result_number *x = ig_builder_number(b, line, c);
        const ig_column *col = ig_builder_column(b, c);
        ig_table_cell *y = ig_table_at(b->out, r, b->at[c]);
        if (x == NULL) {
            y->absent = true;
            continue;
        }
        if (ig_builder_is_seed(b, c)) {
            y->absent = !seed_cell(b, y, x, c);
            continue;
        }
        y->value = x->summary.mean * ig_result_unit(col);
        y->sd = x->summary.sd * ig_result_unit(col);
        y->digits = b->digits[c / b->n_across];
        y->best = is_best(b, line, c);
        y->n = x->summary.n > 0 && x->summary.n < n ? x->summary.n : 0;
        y->mark = ig_result_stars(x->against.n > 0 ? x->against.p_adjusted : (double)NAN);
        if (!b->show->tooltip)
            continue;
        y->link = link_to(b, b->t->row[ig_builder_row(b, line, c)]->name);
        y->title = x->summary.n > 0
                       ? tooltip(b, x, b->t->base != NULL ? b->t->base->name : NULL)
                       : (x->missing != NULL ? ig_table_keep(b->out, "%s", x->missing) : NULL);
    }
    return r;
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

/* The line's field for a number; false: it is empty. */
static bool line_cell(ig_table_builder *b, ig_table_cell *y, line_kind kind, int line, int shown)
{
    const ig_result_number *x = ig_builder_number(b, line, shown);
    const ig_column *col = ig_builder_column(b, shown);
    if (x == NULL || ig_builder_is_seed(b, shown))
        return false;
    y->digits = b->digits[shown / b->n_across];
    switch (kind) {
    case LINE_INTERVAL:
        y->low = x->interval.low * ig_result_unit(col);
        y->high = x->interval.high * ig_result_unit(col);
        return isfinite(y->low) && isfinite(y->high);
    case LINE_PAPER:
        y->value = x->reference * ig_result_unit(col);
        y->sd = x->reference_sd * ig_result_unit(col);
        y->digits = x->reference_digits >= 0 ? x->reference_digits : y->digits;
        y->sd_digits = x->reference_sd_digits;
        return isfinite(y->value);
    case LINE_DIFFERENCE:
        y->value = x->difference * ig_result_unit(col);
        y->sign = true;
        return isfinite(y->value);
    case LINE_BASE:
        y->value = x->against.n > 0 ? x->against.mean * ig_result_unit(col) : (double)NAN;
        y->sign = true;
        return isfinite(y->value);
    case LINE_P:
        if (x->against.n > 0 && isfinite(x->against.p_adjusted))
            y->text = ig_table_keep(b->out, x->against.p_adjusted < .001 ? "%.1e" : "%.3f",
                                    x->against.p_adjusted);
        return y->text != NULL;
    case LINE_SEEDS:
        if (x->against.n > 0 && x->seeds_needed >= 0)
            y->text = ig_table_keep(b->out, "%lld", (long long)x->seeds_needed);
        return y->text != NULL;
    default:
        return false;
    }
}

static bool line_requested(const ig_table_builder *b, line_kind kind)
{
    return kind == LINE_INTERVAL     ? b->show->interval
           : kind <= LINE_DIFFERENCE ? b->show->paper && !b->show->beside
                                     : b->show->compare;
}

/* A row below another, or at the foot, with nothing in it yet. */
static int64_t add_row(ig_table_builder *b, ig_row_kind kind, const char *key, const char *label)
{
    const int64_t r = ig_table_add_row(b->out, kind, key);
    ig_table_at(b->out, r, b->label)->text = label;
    for (int c = b->n; c < b->out->n_column; c++)
        ig_table_at(b->out, r, c)->absent = true;
    return r;
}

static void lines_below(ig_table_builder *b, int line)
{
    const char *base = b->t->base != NULL ? b->t->base->name : "";
    for (line_kind kind = 0; kind < N_LINE; kind++) {
        int64_t r = -1;
        for (int c = 0; c < n_shown(b) && line_requested(b, kind); c++) {
            ig_table_cell y = ig_table_no_cell;
            if (!line_cell(b, &y, kind, line, c))
                continue;
            if (r < 0)
                r = add_row(b, IG_ROW_SUB, line_keys[kind],
                            kind == LINE_INTERVAL     ? "95 % interval"
                            : kind == LINE_PAPER      ? "the paper"
                            : kind == LINE_DIFFERENCE ? "ours \xE2\x88\x92 the paper"
                            : kind == LINE_BASE       ? ig_table_keep(b->out, "minus cell %s", base)
                            : kind == LINE_P          ? "adjusted p"
                                                      : "seeds that would show it");
            *ig_table_at(b->out, r, b->at[c]) = y;
        }
    }
}

/* The number that the paper measured and isoglot does not; NULL: of this line it says nothing. i: a
 * proxy, and in a pivot a value of the axis. */
static const ig_reference_value *proxy_value(const ig_table_builder *b, int line, int i)
{
    const int row = b->place[line * b->n_across + i % b->n_across];
    return row < 0 || ig_builder_is_seed(b, i % b->n_across)
               ? NULL
               : b->t->proxy[i / b->n_across].value[row];
}

/* The paper's numbers that are not measured here: they have no column, so they are written in
 * words. */
static void proxy_lines(ig_table_builder *b, int line)
{
    for (int i = 0; i < n_proxy(b) && b->show->paper && !b->show->beside; i++) {
        const ig_result_proxy *p = &b->t->proxy[i / b->n_across];
        const ig_reference_value *v = proxy_value(b, line, i);
        char of[80] = "", mean[40], sd[40] = "";
        if (v == NULL)
            continue;
        if (b->pivot >= 0)
            snprintf(of, sizeof of, " at %.60s", b->across[i % b->n_across]);
        ig_reference_text(mean, sizeof mean, v->mean, v->digits);
        if (isfinite(v->sd)) {
            memcpy(sd, " \xC2\xB1 ", sizeof " \xC2\xB1 ");
            ig_reference_text(sd + 4, sizeof sd - 4, v->sd, v->sd_digits);
        }
        add_row(b, IG_ROW_SUB, "paper",
                ig_table_keep(b->out, "the paper's %s%s: %s%s%s", p->what->name, of, mean, sd,
                              b->t->reference->verified ? "" : " (unverified)"));
    }
}

/* The paper's numbers in the columns that they have. */
static void fill_beside(ig_table_builder *b, int64_t r, int line)
{
    for (int c = 0; c < n_shown(b) + n_proxy(b); c++) {
        const int of = c < n_shown(b) ? b->paper[c] : b->at[c];
        ig_table_cell y = ig_table_no_cell;
        if (of < 0)
            continue;
        if (c < n_shown(b))
            y.absent = !line_cell(b, &y, LINE_PAPER, line, c);
        else {
            const ig_reference_value *v = proxy_value(b, line, c - n_shown(b));
            y.absent = v == NULL;
            if (v != NULL) {
                y.value = v->mean;
                y.digits = v->digits;
                y.sd = v->sd;
                y.sd_digits = v->sd_digits;
            }
        }
        *ig_table_at(b->out, r, of) = y;
    }
}

/* Adds to the foot a row that is the paper's alone: no cell stands for it. */
static void only_row(ig_table_builder *b, const char *name)
{
    int64_t r = -1;
    for (int c = 0; c < b->t->n_column; c++) {
        const ig_column *col = ig_builder_column(b, c);
        const ig_reference_value *v = ig_reference_find(b->t->reference, name, &col->q);
        if (v == NULL)
            continue;
        if (r < 0)
            r = add_row(b, IG_ROW_FOOT, "paper", ig_table_keep(b->out, "the paper's %s", name));
        const int at = b->show->beside && b->paper[c] >= 0 ? b->paper[c] : b->at[c];
        ig_table_cell *y = ig_table_at(b->out, r, at);
        y->absent = false;
        y->value = v->mean * ig_result_unit(col);
        y->sd = v->sd * ig_result_unit(col);
        y->digits = v->digits >= 0 ? v->digits : b->digits[c];
        y->sd_digits = v->sd_digits;
    }
}

static void only_rows(ig_table_builder *b)
{
    if (b->t->reference == NULL || ig_builder_is_spread(b) || !b->show->paper)
        return;
    for (int i = 0; i < b->t->reference->n_only; i++)
        only_row(b, b->t->reference->only[i]);
}

/* Two digits, with a typographic minus. */
static const char *signed_text(ig_table_builder *b, double x)
{
    return ig_table_keep(b->out, "%s%.2f", x <= -.005 ? "\xE2\x88\x92" : "", fabs(x));
}

/* Adds to the foot whether our rows are in the paper's order. */
static void order_row(ig_table_builder *b, const char *label, const ig_kendall *order)
{
    int64_t r = -1;
    for (int c = 0; c < b->t->n_column; c++) {
        const ig_kendall *k = &order[c];
        if (!isfinite(k->tau_b))
            continue;
        if (r < 0)
            r = add_row(b, IG_ROW_FOOT, "order", label);
        ig_table_cell *y = ig_table_at(b->out, r, b->at[c]);
        y->absent = false;
        y->text = ig_table_keep(b->out, "%s (%lld)", signed_text(b, k->tau_b), (long long)k->n);
    }
}

static void correlation_row(ig_table_builder *b, int i, bool partial)
{
    const ig_table_spec *s = b->t->spec;
    char name[IG_RESULT_NAME], given[IG_RESULT_NAME] = "";
    int64_t r = -1;
    ig_result_title(name, sizeof name, b->t, s->correlate[i]);
    if (partial)
        ig_result_title(given, sizeof given, b->t, s->given);
    for (int c = 0; c < b->t->n_column; c++) {
        const ig_rank_correlation *x = &b->t->correlation[i * b->t->n_column + c];
        const double rho = partial ? x->partial : x->rho;
        const ig_interval of = partial ? x->partial_interval : x->interval;
        if (x->n == 0 || !isfinite(rho))
            continue;
        if (r < 0)
            r = add_row(b, IG_ROW_FOOT, "correlation",
                        ig_table_keep(b->out, "Spearman \317\201 with %s%s%s", name,
                                      partial ? ", given " : "", given));
        ig_table_cell *y = ig_table_at(b->out, r, b->at[c]);
        y->absent = false;
        const char *at = signed_text(b, rho);
        y->text = isfinite(of.low) ? ig_table_keep(b->out, "%s [%s, %s]", at,
                                                   signed_text(b, of.low), signed_text(b, of.high))
                                   : at;
    }
}

/* Adds to the foot the correlations over the rows. */
static void correlation_rows(ig_table_builder *b)
{
    for (int i = 0; i < b->t->spec->n_correlate && !ig_builder_is_spread(b); i++) {
        correlation_row(b, i, false);
        if (b->t->spec->given >= 0)
            correlation_row(b, i, true);
    }
}

/* (The rows of a pivot's column are not those whose order is compared.) */
static void order_rows(ig_table_builder *b)
{
    if (b->t->reference == NULL || ig_builder_is_spread(b) || !b->show->paper)
        return;
    order_row(b, "order as the paper's, Kendall \317\204", b->t->order);
    for (int i = 0; i < b->t->n_proxy; i++)
        order_row(b,
                  ig_table_keep(b->out, "proxy: order as the paper's %s, Kendall \317\204",
                                b->t->proxy[i].what->name),
                  b->t->proxy[i].order);
}

/* --- columns ------------------------------------------------------------------------------------
 */

/* Columns that name a row: its cell, in what it differs, one for each axis. */
static void head_columns(ig_table_builder *b)
{
    b->id = b->label = -1;
    if (b->names.has_id)
        b->id = b->label = ig_table_add_row_head(b->out, "cell", "ID");
    if (b->names.has_words)
        b->label = ig_table_add_row_head(b->out, "label", "difference from the base");
    for (int i = 0; i < b->names.n_axis; i++)
        if (i != b->pivot) {
            const int c = ig_table_add_row_head(b->out, b->names.axis[i], b->names.axis[i]);
            b->label = b->label < 0 ? c : b->label;
        }
    if (b->label < 0) /* a pivot of all there is */
        b->label = ig_table_add_row_head(b->out, "label", "");
}

static void one_column(ig_table_builder *b, int shown)
{
    const ig_result_table *t = b->t;
    const int c = shown / b->n_across;
    const ig_quantity *q = &t->spec->column[c].q;
    char title[IG_RESULT_NAME], group[2 * IG_RESULT_NAME], key[IG_RESULT_NAME];
    const bool inside = ig_result_in_group(t, c), alone = t->n_column == 1;
    int k;
    ig_quantity_format(key, sizeof key, q);
    if (ig_builder_is_seed(b, shown)) {
        const char *seed = b->across[shown % b->n_across];
        ig_result_title(group, sizeof group, t, c);
        k = ig_table_add_column(b->out, ig_table_keep(b->out, "%s/seed=%s", key, seed),
                                ig_table_keep(b->out, "seed %s", seed), alone ? NULL : group,
                                IG_TABLE_NUMBER);
    } else if (b->seed != NULL) {
        ig_result_title(group, sizeof group, t, c);
        k = ig_table_add_column(b->out, key, alone ? group : "mean", alone ? NULL : group,
                                IG_TABLE_NUMBER);
    } else if (b->pivot >= 0) {
        const char *value = b->across[shown % b->n_across], *axis = b->names.axis[b->pivot];
        ig_result_title(title, sizeof title, t, c);
        snprintf(group, sizeof group, alone ? "%s by %s" : "%s", title, axis);
        k = ig_table_add_column(b->out, ig_table_keep(b->out, "%s/%s=%s", key, axis, value), value,
                                group, IG_TABLE_NUMBER);
    } else {
        ig_result_group(group, t, c);
        ig_result_title_in(title, sizeof title, t, c, inside);
        k = ig_table_add_column(b->out, key, title, inside ? group : NULL, IG_TABLE_NUMBER);
    }
    const ig_store_task *task = ig_store_task_find(q->task);
    if (task != NULL && ig_table_check(b->out, NULL) == IG_ERR_OK)
        b->out->column[k].note = task->what;
    b->at[shown] = k;
    b->best[shown] = best_of(b, shown);
}

/* The paper's number beside ours, if it has one for any row. */
static void paper_column(ig_table_builder *b, int shown)
{
    bool any = false;
    for (int line = 0; line < b->n_line && b->show->paper && b->show->beside; line++) {
        ig_table_cell y = ig_table_no_cell;
        any = any || line_cell(b, &y, LINE_PAPER, line, shown);
    }
    b->paper[shown] = -1;
    if (!any)
        return;
    const ig_table_column *ours = &b->out->column[b->at[shown]];
    b->paper[shown] = ig_table_add_column(b->out, ig_table_keep(b->out, "%s/paper", ours->key),
                                          ig_table_keep(b->out, "%s, paper", ours->title),
                                          ours->group, IG_TABLE_NUMBER);
}

/* A column of what the paper measured and isoglot does not, after the one that stands for it. */
static void proxy_column(ig_table_builder *b, int i)
{
    const char *name = b->t->proxy[i / b->n_across].what->name,
               *across = b->pivot >= 0 ? b->across[i % b->n_across] : "";
    const int shown = n_shown(b) + i;
    b->at[shown] = -1;
    for (int line = 0; line < b->n_line && b->at[shown] < 0 && b->show->paper && b->show->beside;
         line++)
        if (proxy_value(b, line, i) != NULL)
            b->at[shown] = ig_table_add_column(
                b->out, ig_table_keep(b->out, "%s%s/paper", name, across),
                ig_table_keep(b->out, "%s%s%s, paper", name, across[0] != '\0' ? " " : "", across),
                NULL, IG_TABLE_NUMBER);
}

static ig_code lay_out(ig_table_builder *b, ig_err *err)
{
    const ig_table_spec *s = b->t->spec;
    IG_TRY(ig_row_names_make(&b->names, b->t->results, b->t->row, b->t->n_row, err));
    IG_TRY(ig_table_new(&b->out, s->name, s->title != NULL ? s->title : s->name, s->caption, err));
    IG_TRY(ig_builder_spread(b, err));
    IG_TRY(ig_alloc(&b->best, n_shown(b), sizeof *b->best, "best values", err));
    IG_TRY(ig_alloc(&b->at, n_shown(b) + n_proxy(b), sizeof *b->at, "columns", err));
    IG_TRY(ig_alloc(&b->paper, n_shown(b), sizeof *b->paper, "columns", err));
    IG_TRY(ig_alloc(&b->digits, b->t->n_column, sizeof *b->digits, "digits", err));
    for (int c = 0; c < b->t->n_column; c++)
        b->digits[c] = ig_result_column_digits(b->t, c);
    b->names.has_words = b->names.has_words && !(b->show->ids && b->names.has_id);
    head_columns(b);
    b->n = ig_table_add_column(b->out, "n", "n", NULL, IG_TABLE_RIGHT);
    for (int c = 0; c < n_shown(b); c++) {
        one_column(b, c);
        paper_column(b, c);
    }
    for (int i = 0; i < n_proxy(b); i++)
        proxy_column(b, i);
    for (int line = 0; line < b->n_line; line++) {
        const int64_t r = body_row(b, line);
        if (b->show->paper && b->show->beside)
            fill_beside(b, r, line);
        lines_below(b, line);
        proxy_lines(b, line);
    }
    only_rows(b);
    order_rows(b);
    correlation_rows(b);
    ig_builder_incomplete(b);
    ig_builder_notes(b);
    return ig_table_check(b->out, err);
}

ig_code ig_table_of_results(ig_table **out, const ig_result_table *t, const ig_result_lines *show,
                            ig_err *err)
{
    ig_table_builder b = {.t = t, .show = show};
    const ig_code code = lay_out(&b, err);
    ig_row_names_free(&b.names);
    IG_FREE(b.across, b.seed, b.place, b.digits, b.best, b.at, b.paper);
    if (code != IG_ERR_OK) {
        ig_table_free(b.out);
        b.out = NULL;
    }
    *out = b.out;
    return code;
}
