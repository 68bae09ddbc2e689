/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts results to the data of figures. Nothing is averaged or compared here.
 */
#include "report/shown/results_figure.h"

#include "base/memory.h"
#include "report/shown/row_names.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_layers = 128 };

enum { LINE_MAX_BYTES = 400 };

typedef struct {
    ig_figure *f;
    const ig_results *r;
    const ig_figure_spec *spec;
    const ig_reference *reference; /* NULL: none */
    const ig_result_cell **cell;   /* [n] those that are shown */
    int n;
    ig_row_names names; /* of them */
    ig_err *err;
} drawing;

static ig_code choose(drawing *d)
{
    IG_TRY(ig_pool_alloc(&d->f->pool, &d->cell, d->r->n_cell, sizeof *d->cell, d->err));
    for (int i = 0; i < d->r->n_cell; i++)
        if (ig_cell_matches(d->r->cell[i].name, d->spec->cell, d->spec->n_cell))
            d->cell[d->n++] = &d->r->cell[i];
    return ig_row_names_make(&d->names, d->r, d->cell, d->n, d->err);
}

static ig_code cell_name(const char **out, const drawing *d, int i)
{
    char line[LINE_MAX_BYTES];
    ig_row_name_line(line, sizeof line, &d->names, i, -1);
    return ig_pool_print(&d->f->pool, out, d->err, "%s", line);
}

/* "ρ, layer 8", "perplexity, train": layer −1: none or several. */
static ig_code quantity_name(const char **out, const drawing *d, const ig_quantity *q, int layer)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    char at[32] = "";
    const char *which = q->layer == IG_LAYER_LOW    ? ", lower layer"
                        : q->layer == IG_LAYER_HIGH ? ", upper layer"
                                                    : "";
    if (layer >= 0 && task != NULL && task->kind == IG_STORE_TASK_LAYERED) {
        snprintf(at, sizeof at, ", layer %d", layer);
        which = at;
    }
    bool has_split =
        q->split[0] != '\0' && (task == NULL || !task->pair || ig_quantity_text(q) != NULL);
    const char *split = q->split;
    /* Taken on the training text as well as on the development text: which of them is said. */
    if (!has_split && task != NULL && !task->pair && strcmp(task->split, "dev") == 0) {
        has_split = true;
        split = task->split;
    }
    return ig_pool_print(&d->f->pool, out, d->err, "%s%s%s%s%s%s",
                         task != NULL ? task->symbol : q->task, which, has_split ? ", " : "",
                         has_split ? split : "", q->languages[0] != '\0' ? ", " : "", q->languages);
}

/* --- curves ---------------------------------------------------------------------------------- */

/* Room for n points of a series. */
static ig_code new_points(ig_plot_series *s, double *v[4], const drawing *d, int64_t n)
{
    for (int i = 0; i < 4; i++)
        IG_TRY(ig_pool_alloc(&d->f->pool, &v[i], n, sizeof *v[i], d->err));
    s->x = v[0];
    s->y = v[1];
    s->low = v[2];
    s->high = v[3];
    return IG_ERR_OK;
}

/* A point without a value shall not part the line. */
static void add_point(ig_plot_series *s, double *const v[4], double x, double y, ig_interval band)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    v[0][s->n] = x;
    v[1][s->n] = y;
    v[2][s->n] = band.low;
    v[3][s->n++] = band.high;
}

static ig_code take_curve(ig_plot_series *s, const drawing *d, const ig_result_curve *c)
{
    double *v[4];
    bool band = false;
    IG_TRY(new_points(s, v, d, c->n));
    for (int64_t i = 0; i < c->n; i++) {
        add_point(s, v, c->step[i], c->mean[i], (ig_interval){c->low[i], c->high[i], .95});
        band = band || (isfinite(c->low[i]) && isfinite(c->high[i]));
    }
    s->low = band ? s->low : NULL;
    s->high = band ? s->high : NULL;
    if (d->spec->onset && c->onset_all.n > 0) {
        s->onset = c->onset_all.mean;
        s->onset_low = c->onset_interval.low;
        s->onset_high = c->onset_interval.high;
    }
    return IG_ERR_OK;
}

/* The quantity is the panel's title, or what a single one's y axis is called. */
static ig_code name_curves(const drawing *d, ig_panel *p, const ig_quantity *q, int layer)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    IG_TRY(quantity_name(d->spec->n_quantity > 1 ? &p->title : &p->as.curves.y.label, d, q, layer));
    if (task != NULL && task->share && !task->below_zero)
        p->as.curves.y.low = 0;
    return IG_ERR_OK;
}

static ig_code curve_panel(const drawing *d, ig_panel *p, const ig_quantity *q)
{
    ig_err *err = d->err;
    ig_plot_curves *v = &p->as.curves;
    int layer = -1;
    double first = (double)INFINITY;
    IG_TRY(ig_figure_series(d->f, &v->series, d->n, err));
    for (int i = 0; i < d->n; i++) {
        ig_plot_series *s = &v->series[v->n_series];
        ig_result_curve curve;
        ig_code code = ig_result_curve_make(&curve, d->r, d->cell[i], q, NULL, err);
        IG_THEN(code, take_curve(s, d, &curve));
        IG_THEN(code, cell_name(&s->name, d, i));
        if (code == IG_ERR_OK && s->n > 0) {
            layer = v->n_series == 0 || layer == curve.layer ? curve.layer : -1;
            first = s->x[0] < first ? s->x[0] : first;
            s->style = i; /* a cell looks the same in every panel */
            v->n_series++;
        }
        ig_result_curve_free(&curve);
        IG_TRY(code);
    }
    v->x.label = "updates";
    v->x.scale = !d->spec->log_x ? IG_SCALE_LINEAR : first < 1 ? IG_SCALE_SYMLOG : IG_SCALE_LOG;
    if (ig_store_task_find(q->task) != NULL && strncmp(q->task, "perplexity", 10) == 0)
        v->y.scale = IG_SCALE_LOG;
    return name_curves(d, p, q, layer);
}

/* --- curves over an axis of the experiment ---------------------------------------------------- */

/* The position of a cell in a figure over an axis. */
typedef struct {
    char name[LINE_MAX_BYTES]; /* of its curve */
    double x;
    int row, style;
} placed;

static int by_curve(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->style != q->style)
        return p->style < q->style ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

/* Appends the cells of a curve in the order of x; curves are in the order of their first cells. */
static int place_cells(placed *p, const ig_result_table *t, const ig_row_names *names,
                       const char *axis)
{
    int n_curve = 0, without = -1;
    for (int i = 0; i < names->n_axis; i++)
        without = strcmp(names->axis[i], axis) == 0 ? i : without;
    for (int i = 0; i < t->n_row; i++) {
        ig_row_name_line(p[i].name, sizeof p[i].name, names, i, without);
        p[i].x = ig_cell_axis(t->row[i]->name, axis);
        p[i].row = i;
        p[i].style = -1;
        for (int k = 0; k < i && p[i].style < 0; k++)
            if (strcmp(p[k].name, p[i].name) == 0)
                p[i].style = p[k].style;
        if (p[i].style < 0)
            p[i].style = n_curve++;
    }
    qsort(p, (size_t)t->n_row, sizeof *p, by_curve);
    return n_curve;
}

static ig_code put_point(const drawing *d, ig_plot_series *s, double *v[4], const placed *p,
                         const ig_result_number *n)
{
    if (s->x == NULL) {
        IG_TRY(new_points(s, v, d, d->r->n_cell));
        IG_TRY(ig_pool_print(&d->f->pool, &s->name, d->err, "%s",
                             p->name[0] != '\0' ? p->name : "all"));
        s->style = p->style;
    }
    add_point(s, v, p->x, n->summary.mean, n->interval);
    return IG_ERR_OK;
}

static ig_code over_panel(const drawing *d, ig_panel *p, const ig_result_table *t,
                          const placed *place, int n_curve, int column)
{
    const ig_figure_spec *spec = d->spec;
    ig_plot_curves *v = &p->as.curves;
    double *of[4] = {NULL};
    IG_TRY(ig_figure_series(d->f, &v->series, n_curve, d->err));
    for (int i = 0; i < t->n_row; i++) {
        const ig_result_number *n = &t->number[place[i].row * t->n_column + column];
        IG_TRY(put_point(d, &v->series[place[i].style], of, &place[i], n));
    }
    v->n_series = n_curve;
    IG_TRY(ig_pool_print(&d->f->pool, &v->x.label, d->err, "%s", spec->over));
    v->x.scale = spec->log_x ? IG_SCALE_LOG : IG_SCALE_LINEAR;
    return name_curves(d, p, &spec->quantity[column], -1);
}

/* The figure's cells and quantities as a table. Freed with ig_result_table_free, also after an
 * error. */
static ig_code table_of(ig_result_table *t, const drawing *d)
{
    const ig_figure_spec *spec = d->spec;
    ig_column *column;
    *t = (ig_result_table){0};
    IG_TRY(ig_pool_alloc(&d->f->pool, &column, spec->n_quantity, sizeof *column, d->err));
    for (int k = 0; k < spec->n_quantity; k++)
        column[k] = (ig_column){.q = spec->quantity[k], .digits = -1};
    const ig_table_spec want = {.name = spec->name,
                                .row = spec->cell,
                                .n_row = spec->n_cell,
                                .column = column,
                                .n_column = spec->n_quantity};
    return ig_result_table_make(t, d->r, &want, NULL, d->reference, d->err);
}

static ig_code over_panels(const drawing *d, ig_panel *p)
{
    ig_result_table t;
    placed *place;
    IG_TRY(ig_pool_alloc(&d->f->pool, &place, d->r->n_cell, sizeof *place, d->err));
    ig_code code = table_of(&t, d);
    const int n_curve = code == IG_ERR_OK ? place_cells(place, &t, &d->names, d->spec->over) : 0;
    for (int k = 0; k < d->spec->n_quantity && code == IG_ERR_OK; k++)
        code = over_panel(d, &p[k], &t, place, n_curve, k);
    ig_result_table_free(&t);
    return code;
}

/* --- layers ---------------------------------------------------------------------------------- */

/* Mean over the seeds of a finished model; a cell that must not be averaged has none. */
static double mean_at(const ig_results *r, const ig_result_cell *c, const ig_quantity *q,
                      int64_t step)
{
    double sum = 0;
    int64_t n = 0;
    if (c->mixed != NULL)
        return (double)NAN;
    for (int64_t k = 0; k < c->n_entry; k++) {
        double v = ig_result_value_of(r, c, &c->entry[k], q, step).value;
        if (isfinite(v)) {
            sum += v;
            n++;
        }
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

static ig_code layer_panel(const drawing *d, ig_panel *p, const ig_quantity *q)
{
    ig_err *err = d->err;
    const ig_store_task *task = ig_store_task_find(q->task);
    int layer[most_layers];
    int n = ig_result_layers(layer, most_layers, d->r, d->cell, d->n, q->task);
    n = n < most_layers ? n : most_layers;
    double *value;
    const char **row, **col;
    IG_TRY(ig_pool_alloc(&d->f->pool, &value, (int64_t)d->n * n, sizeof *value, err));
    IG_TRY(ig_pool_alloc(&d->f->pool, &row, d->n, sizeof *row, err));
    IG_TRY(ig_pool_alloc(&d->f->pool, &col, n, sizeof *col, err));
    for (int k = 0; k < n; k++)
        IG_TRY(ig_pool_print(&d->f->pool, &col[k], err, "%d", layer[k]));
    for (int i = 0; i < d->n; i++) {
        IG_TRY(cell_name(&row[i], d, i));
        for (int k = 0; k < n; k++) {
            ig_quantity at = *q;
            at.layer = layer[k];
            value[i * n + k] = mean_at(d->r, d->cell[i], &at, d->spec->step);
        }
    }
    ig_quantity plain = *q;
    plain.layer = IG_LAYER_NONE;
    IG_TRY(quantity_name(&p->title, d, &plain, -1));
    ig_plot_matrix *m = &p->as.matrix;
    m->rows = d->n;
    m->cols = n;
    m->value = value;
    m->row_label = row;
    m->col_label = col;
    m->col_title = "layer";
    m->digits = 2;
    if (task != NULL && task->share && !task->below_zero) {
        m->low = 0;
        m->high = 1;
    }
    return IG_ERR_OK;
}

/* --- bars ------------------------------------------------------------------------------------ */

/* Each seed's value, of two seeds or more that may be averaged: spreads need not be bell-shaped, so
 * a mean and its interval may say little (docs/report.md). */
static ig_code each_seed(const drawing *d, ig_plot_value *v, const ig_result_number *n)
{
    double *each;
    if (n->summary.n < 2)
        return IG_ERR_OK;
    IG_TRY(ig_pool_alloc(&d->f->pool, &each, n->n_value, sizeof *each, d->err));
    for (int i = 0; i < n->n_value; i++)
        if (isfinite(n->value[i].value))
            each[v->n_each++] = n->value[i].value;
    v->each = each;
    return IG_ERR_OK;
}

static ig_code value_panels(const drawing *d, ig_panel *p)
{
    IG_SCOPED(ig_result_table_free) ig_result_table t = {0};
    IG_TRY(table_of(&t, d));
    for (int k = 0; k < d->spec->n_quantity; k++) {
        ig_plot_values *v = &p[k].as.values;
        bool ours = false, theirs = false;
        int layer = -1;
        IG_TRY(ig_pool_alloc(&d->f->pool, &v->value, t.n_row, sizeof *v->value, d->err));
        for (int i = 0; i < t.n_row; i++) {
            const ig_result_number *n = &t.number[i * t.n_column + k];
            v->value[i] = (ig_plot_value){.value = n->summary.mean,
                                          .low = n->interval.low,
                                          .high = n->interval.high,
                                          .reference = n->reference};
            layer = i == 0 || layer == n->layer ? n->layer : -1;
            ours = ours || isfinite(n->interval.low);
            theirs = theirs || isfinite(n->reference);
            IG_TRY(cell_name(&v->value[i].name, d, i));
            IG_TRY(each_seed(d, &v->value[i], n));
        }
        v->each_name = ours ? "each seed" : NULL;
        v->n_value = t.n_row;
        v->value_name = ours && theirs ? "measured, mean and 95 % interval"
                        : ours         ? "mean and 95 % interval"
                        : theirs       ? "measured"
                                       : NULL;
        v->reference_name = theirs ? "paper" : NULL;
        IG_TRY(quantity_name(&v->x.label, d, &d->spec->quantity[k], layer));
    }
    return IG_ERR_OK;
}

static ig_code draw_panels(drawing *d)
{
    const ig_figure_spec *spec = d->spec;
    const ig_plot_kind kind = spec->kind == IG_FIG_CURVES   ? IG_PLOT_CURVES
                              : spec->kind == IG_FIG_LAYERS ? IG_PLOT_MATRIX
                                                            : IG_PLOT_VALUES;
    ig_panel *p;
    IG_TRY(choose(d));
    IG_TRY(ig_figure_panels(d->f, kind, spec->n_quantity, &p, d->err));
    if (spec->title != NULL)
        IG_TRY(ig_pool_print(&d->f->pool, &d->f->title, d->err, "%s", spec->title));
    if (kind == IG_PLOT_CURVES && spec->over != NULL)
        return over_panels(d, p);
    if (kind == IG_PLOT_VALUES)
        return value_panels(d, p);
    for (int k = 0; k < spec->n_quantity; k++)
        IG_TRY((kind == IG_PLOT_CURVES ? curve_panel : layer_panel)(d, &p[k], &spec->quantity[k]));
    return IG_ERR_OK;
}

ig_code ig_result_figure(ig_figure *f, const ig_results *r, const ig_figure_spec *spec,
                         const ig_reference *reference, ig_err *err)
{
    drawing d = {.f = f, .r = r, .spec = spec, .reference = reference, .err = err};
    if (spec->kind != IG_FIG_CURVES && spec->kind != IG_FIG_LAYERS && spec->kind != IG_FIG_BARS)
        return ig_fail(err, IG_ERR_USAGE, spec->name, 0,
                       "a figure of kind %s shows a model, not results",
                       ig_figure_kind_names[spec->kind]);
    const ig_code code = draw_panels(&d);
    ig_row_names_free(&d.names);
    return code;
}
