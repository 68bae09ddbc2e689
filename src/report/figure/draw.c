/* SPDX-License-Identifier: Apache-2.0
 *
 * A figure drawn: its grid of panels, and ig_figure_render (figure.h).
 */
#include "report/figure/figure.h"

#include "base/memory.h"
#include "report/figure/plot.h"
#include "report/figure/svg_convert.h"

#include <math.h>

static const double point_a_mm = 72 / 25.4, panel_gap = 11, edge = 1.5;

/* --- the grid -------------------------------------------------------------------------------- */

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

/* --- ways out -------------------------------------------------------------------------------- */

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
