/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates figures, lays their panels out in a grid and draws them, and writes their files.
 */
#include "report/figure/figure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "report/figure/plot.h"
#include "report/figure/svg_convert.h"

#include <math.h>
#include <string.h>

/* --- memory ---------------------------------------------------------------------------------- */

ig_code ig_figure_panels(ig_figure *f, ig_plot_kind kind, int n, ig_panel **first, ig_err *err)
{
    ig_panel *all = NULL;
    *first = NULL;
    if (n < 0 || n > IG_FIGURE_MAX_PANEL - f->n_panel)
        return ig_fail(err, IG_ERR_USAGE, "figure", 0, "more than %d panels", IG_FIGURE_MAX_PANEL);
    const ig_plot_axis axis = {.low = (double)NAN, .high = (double)NAN};
    IG_TRY(ig_pool_alloc(&f->pool, &all, f->n_panel + n, sizeof *all, err));
    if (f->n_panel > 0)
        memcpy(all, f->panel, (size_t)f->n_panel * sizeof *all);
    for (int i = f->n_panel; i < f->n_panel + n; i++) {
        all[i].kind = kind;
        if (kind == IG_PLOT_CURVES) {
            all[i].as.curves.x = axis;
            all[i].as.curves.y = axis;
        } else if (kind == IG_PLOT_VALUES) {
            all[i].as.values.x = axis;
        } else if (kind == IG_PLOT_MATRIX) {
            all[i].as.matrix.low = (double)NAN;
            all[i].as.matrix.high = (double)NAN;
            all[i].as.matrix.digits = -1;
        }
    }
    *first = all + f->n_panel;
    f->panel = all;
    f->n_panel += n;
    return IG_ERR_OK;
}

ig_code ig_figure_series(ig_figure *f, ig_plot_series **out, int n, ig_err *err)
{
    IG_TRY(ig_pool_alloc(&f->pool, out, n, sizeof **out, err));
    for (int i = 0; i < n; i++) {
        (*out)[i].onset = (*out)[i].onset_low = (*out)[i].onset_high = (double)NAN;
        (*out)[i].style = i;
    }
    return IG_ERR_OK;
}

void ig_figure_free(ig_figure *f)
{
    ig_pool_free(&f->pool);
    *f = (ig_figure){0};
}

/* --- drawing ---------------------------------------------------------------------------------- */

static const double point_a_mm = 72 / 25.4, panel_gap = 11, edge = 1.5;

typedef struct {
    double width, height, column; /* of all, of a panel */
    int columns, rows;
    double row[IG_FIGURE_MAX_PANEL]; /* heights */
    ig_key key[IG_MAX_KEY];
    int n_key;
    double legend;
    bool direct; /* curves carry their names */
} grid;

/* For each kind: its height at a given width, and a function that draws it into a box. */
static const struct {
    double (*height)(const ig_panel *p, double width);
    ig_code (*draw)(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err);
} plots[] = {[IG_PLOT_CURVES] = {ig_curves_height, ig_curves_draw},
             [IG_PLOT_MATRIX] = {ig_matrix_height, ig_matrix_draw},
             [IG_PLOT_SCATTER] = {ig_scatter_height, ig_scatter_draw},
             [IG_PLOT_VALUES] = {ig_values_height, ig_values_draw}};

static void make_grid(grid *g, const ig_figure *f)
{
    int n = f->n_panel;
    g->columns = f->columns > 0 ? f->columns : n <= 3 ? n : n == 4 ? 2 : n <= 9 ? 3 : 4;
    g->columns = g->columns < 1 ? 1 : g->columns > n && n > 0 ? n : g->columns;
    g->rows = n > 0 ? (n + g->columns - 1) / g->columns : 0;
    g->width = (f->width > 0 ? f->width : g->columns == 1 ? 85 : 175) * point_a_mm;
    g->column = (g->width - 2 * edge - panel_gap * (g->columns - 1)) / g->columns;
    /* A reader can distinguish eight names at the ends of lines; more need a legend. */
    g->direct = n == 1 && f->panel[0].kind == IG_PLOT_CURVES &&
                f->panel[0].as.curves.n_series > 1 && f->panel[0].as.curves.n_series <= 8;
    for (int i = 0; i < n; i++) {
        const ig_plot_curves *v = &f->panel[i].as.curves;
        bool lone = f->panel[i].kind == IG_PLOT_CURVES && n == 1 && v->n_series == 1;
        g->n_key = ig_legend_add(g->key, g->n_key, &f->panel[i], g->direct || lone);
    }
    g->legend = ig_legend_height(g->key, g->n_key, g->width - 2 * edge);
    g->height = 2 * edge + g->legend + panel_gap * (g->rows > 1 ? g->rows - 1 : 0);
    for (int i = 0; i < n; i++)
        g->row[i / g->columns] =
            fmax(g->row[i / g->columns], plots[f->panel[i].kind].height(&f->panel[i], g->column));
    for (int r = 0; r < g->rows; r++)
        g->height += g->row[r];
    if (n == 0)
        g->height += 30;
}

static ig_code draw(ig_canvas *c, const ig_figure *f, const grid *g, ig_err *err)
{
    double y = edge + g->legend;
    ig_legend_draw(c, g->key, g->n_key, edge, edge, g->width - 2 * edge);
    for (int r = 0; r < g->rows; r++) {
        for (int k = 0; k < g->columns && r * g->columns + k < f->n_panel; k++) {
            const ig_panel *p = &f->panel[r * g->columns + k];
            const ig_box box = {edge + k * (g->column + panel_gap), y, g->column, g->row[r]};
            IG_TRY(plots[p->kind].draw(c, p, box, g->direct, err));
        }
        y += g->row[r] + panel_gap;
    }
    if (f->n_panel == 0)
        ig_plot_nothing(c, &(ig_box){edge, edge, g->width - 2 * edge, 30});
    return IG_ERR_OK;
}

ig_code ig_figure_render(char **out, int64_t *n, const ig_figure *f, const ig_figure_output *o,
                         ig_err *err)
{
    ig_canvas *c;
    grid *g;
    char *svg;
    int64_t size = 0;
    *out = NULL;
    IG_TRY(ig_alloc(&g, 1, sizeof *g, "figure", err));
    make_grid(g, f);
    ig_code code = ig_canvas_new(&c, o, (const double[]){g->width, g->height}, f->title, err);
    if (code == IG_ERR_OK)
        code = ig_canvas_finish(c, draw(c, f, g, err), &svg, &size, err);
    if (code != IG_ERR_OK)
        goto done;
    if (o->format == IG_FIGURE_SVG) {
        *out = svg;
    } else {
        const ig_drawing d = {svg, size, {g->width, g->height}, f->title};
        code = ig_svg_convert(out, &size, &d, o, err);
        ig_free(svg);
    }
    if (n != NULL)
        *n = size;
done:
    ig_free(g);
    return code;
}

/* --- ways out -------------------------------------------------------------------------------- */

ig_code ig_figure_svg(char **out, const ig_figure *f, const char *id, ig_err *err)
{
    const ig_figure_output o = {.format = IG_FIGURE_SVG, .id = id, .transparent = true};
    return ig_figure_render(out, NULL, f, &o, err);
}

ig_code ig_figure_format_of(ig_figure_format *format, const char *path, ig_err *err)
{
    static const char *const suffix[] = {".svg", ".pdf", ".png"};
    size_t n = strlen(path);
    *format = IG_FIGURE_SVG;
    if (strcmp(path, "-") == 0)
        return IG_ERR_OK;
    for (int i = 0; i < 3; i++)
        if (n > 4 && strcmp(path + n - 4, suffix[i]) == 0) {
            *format = (ig_figure_format)i;
            return IG_ERR_OK;
        }
    return ig_fail(err, IG_ERR_USAGE, path, 0,
                   "the format of the figure is not known, expected a name in .svg, .pdf or .png");
}

ig_code ig_figure_write(const ig_figure *f, const char *path, double dpi, ig_err *err)
{
    ig_figure_output o = {.dpi = dpi};
    IG_OWNED char *bytes = NULL;
    int64_t n;
    IG_TRY(ig_figure_format_of(&o.format, path, err));
    IG_TRY(ig_figure_render(&bytes, &n, f, &o, err));
    return ig_file_write(path, bytes, n, err);
}

/* --- for programs ----------------------------------------------------------------------------- */

static json_t *numbers(const double *v, int64_t n)
{
    return v != NULL ? ig_json_numbers(v, n) : json_null();
}

static void add_curves(json_t *list, const char *title, const ig_plot_curves *v)
{
    for (int i = 0; i < v->n_series; i++) {
        const ig_plot_series *s = &v->series[i];
        json_array_append_new(list,
                              json_pack("{s:s?, s:s?, s:o, s:o, s:o, s:o, s:o}", "panel",
                                        title != NULL ? title : v->y.label, "name", s->name, "x",
                                        numbers(s->x, s->n), "y", numbers(s->y, s->n), "low",
                                        numbers(s->low, s->n), "high", numbers(s->high, s->n),
                                        "onset", ig_json_number(s->onset)));
    }
}

json_t *ig_figure_json(const ig_figure *f)
{
    json_t *list = json_array();
    for (int k = 0; k < f->n_panel && list != NULL; k++) {
        const ig_panel *p = &f->panel[k];
        if (p->kind == IG_PLOT_CURVES)
            add_curves(list, p->title, &p->as.curves);
        const ig_plot_matrix *m = &p->as.matrix;
        for (int i = 0; p->kind == IG_PLOT_MATRIX && i < m->rows; i++)
            json_array_append_new(
                list,
                json_pack("{s:s?, s:s?, s:o, s:o}", "panel", p->title, "name",
                          m->row_label != NULL ? m->row_label[i] : NULL, "columns",
                          m->col_label != NULL ? ig_json_texts(m->col_label, m->cols) : json_null(),
                          "values", numbers(m->value + (int64_t)i * m->cols, m->cols)));
        const ig_plot_scatter *s = &p->as.scatter;
        for (int i = 0; p->kind == IG_PLOT_SCATTER && i < s->n_group; i++)
            json_array_append_new(list,
                                  json_pack("{s:s?, s:s?, s:I}", "panel", p->title, "name",
                                            s->group[i].name, "n", (json_int_t)s->group[i].n));
        const ig_plot_values *v = &p->as.values;
        for (int i = 0; p->kind == IG_PLOT_VALUES && i < v->n_value; i++)
            json_array_append_new(list, json_pack("{s:s?, s:s?, s:o, s:o, s:o, s:o, s:o}", "panel",
                                                  p->title != NULL ? p->title : v->x.label, "name",
                                                  v->value[i].name, "value",
                                                  ig_json_number(v->value[i].value), "low",
                                                  ig_json_number(v->value[i].low), "high",
                                                  ig_json_number(v->value[i].high), "reference",
                                                  ig_json_number(v->value[i].reference), "each",
                                                  numbers(v->value[i].each, v->value[i].n_each)));
    }
    return list;
}
