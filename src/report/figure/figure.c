/* SPDX-License-Identifier: Apache-2.0
 *
 * A figure: its memory, its grid of panels, its ways out.
 */
#include "report/figure/figure.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "report/figure/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double point_a_mm = 72 / 25.4, panel_gap = 11, edge = 1.5;

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct owned {
    struct owned *next;
    char pad[IG_ALIGN - sizeof(void *)];
} owned;

ig_code ig_figure_alloc(ig_figure *f, void *out, int64_t count, size_t size, ig_err *err)
{
    owned *block = NULL;
    void *p = NULL;
    memcpy(out, &p, sizeof p);
    if (count < 0 || (size > 0 && (uint64_t)count > (INT64_MAX - sizeof *block) / size))
        return ig_fail(err, IG_ERR_MEMORY, "figure", 0, "%lld × %zu bytes", (long long)count, size);
    IG_TRY(ig_alloc(&block, (int64_t)sizeof *block + count * (int64_t)size, 1, "figure", err));
    block->next = f->memory;
    f->memory = block;
    p = block + 1;
    memcpy(out, &p, sizeof p);
    return IG_ERR_OK;
}

ig_code ig_figure_text(ig_figure *f, const char **out, ig_err *err, const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    *out = NULL;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        return ig_fail(err, IG_ERR_INPUT, "figure", 0, "a text that cannot be formatted");
    IG_TRY(ig_figure_alloc(f, &text, (int64_t)n + 1, 1, err));
    va_start(args, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    *out = text;
    return IG_ERR_OK;
}

ig_code ig_figure_panels(ig_figure *f, ig_plot_kind kind, int n, ig_panel **first, ig_err *err)
{
    ig_panel *all = NULL;
    *first = NULL;
    if (n < 0 || n > IG_FIGURE_MAX_PANEL - f->n_panel)
        return ig_fail(err, IG_ERR_USAGE, "figure", 0, "more than %d panels", IG_FIGURE_MAX_PANEL);
    const ig_plot_axis axis = {.low = (double)NAN, .high = (double)NAN};
    IG_TRY(ig_figure_alloc(f, &all, f->n_panel + n, sizeof *all, err));
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
    IG_TRY(ig_figure_alloc(f, out, n, sizeof **out, err));
    for (int i = 0; i < n; i++) {
        (*out)[i].onset = (*out)[i].onset_low = (*out)[i].onset_high = (double)NAN;
        (*out)[i].style = i;
    }
    return IG_ERR_OK;
}

void ig_figure_free(ig_figure *f)
{
    for (owned *block = f->memory, *next; block != NULL; block = next) {
        next = block->next;
        ig_free(block);
    }
    *f = (ig_figure){0};
}

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

static double panel_height(const ig_panel *p, ig_typesetter *t, double width)
{
    switch (p->kind) {
    case IG_PLOT_CURVES:
        return ig_curves_height(p, t, width);
    case IG_PLOT_MATRIX:
        return ig_matrix_height(p, t, width);
    case IG_PLOT_SCATTER:
        return ig_scatter_height(p, t, width);
    case IG_PLOT_VALUES:
        break;
    }
    return ig_values_height(p, t, width);
}

static ig_code panel_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err)
{
    switch (p->kind) {
    case IG_PLOT_CURVES:
        return ig_curves_draw(c, p, box, direct, err);
    case IG_PLOT_MATRIX:
        return ig_matrix_draw(c, p, box, err);
    case IG_PLOT_SCATTER:
        return ig_scatter_draw(c, p, box, err);
    case IG_PLOT_VALUES:
        break;
    }
    return ig_values_draw(c, p, box, err);
}

static void make_grid(grid *g, const ig_figure *f, ig_typesetter *t)
{
    int n = f->n_panel;
    g->columns = f->columns > 0 ? f->columns : n <= 3 ? n : n == 4 ? 2 : n <= 9 ? 3 : 4;
    g->columns = g->columns < 1 ? 1 : g->columns > n && n > 0 ? n : g->columns;
    g->rows = n > 0 ? (n + g->columns - 1) / g->columns : 0;
    g->width = (f->width > 0 ? f->width : g->columns == 1 ? 85 : 175) * point_a_mm;
    g->column = (g->width - 2 * edge - panel_gap * (g->columns - 1)) / g->columns;
    /* Eight names at the ends of lines can be told apart; more want a legend. */
    g->direct = n == 1 && f->panel[0].kind == IG_PLOT_CURVES &&
                f->panel[0].as.curves.n_series > 1 && f->panel[0].as.curves.n_series <= 8;
    for (int i = 0; i < n; i++) {
        const ig_plot_curves *v = &f->panel[i].as.curves;
        bool lone = f->panel[i].kind == IG_PLOT_CURVES && n == 1 && v->n_series == 1;
        g->n_key = ig_legend_add(g->key, g->n_key, &f->panel[i], g->direct || lone);
    }
    g->legend = ig_legend_height(t, g->key, g->n_key, g->width - 2 * edge);
    g->height = 2 * edge + g->legend + panel_gap * (g->rows > 1 ? g->rows - 1 : 0);
    for (int i = 0; i < n; i++)
        g->row[i / g->columns] =
            fmax(g->row[i / g->columns], panel_height(&f->panel[i], t, g->column));
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
            IG_TRY(panel_draw(c, p, box, g->direct, err));
        }
        y += g->row[r] + panel_gap;
    }
    if (f->n_panel == 0)
        ig_plot_nothing(c, &(ig_box){edge, edge, g->width - 2 * edge, 30});
    return IG_ERR_OK;
}

/* --- ways out -------------------------------------------------------------------------------- */

static void tell_missing(const ig_typesetter *t, const ig_figure_output *o)
{
    const char *first;
    int n = ig_typesetter_missing(t, &first);
    if (o->n_missing != NULL)
        *o->n_missing = n;
    if (n > 0)
        ig_log(IG_LOG_NORMAL,
               "figure: no font here has all letters of %d of the texts, the first is \"%s\" "
               "(docs/figures.md names packages)",
               n, first);
}

ig_code ig_figure_render(char **out, int64_t *n, const ig_figure *f, const ig_figure_output *o,
                         ig_err *err)
{
    ig_typesetter *t;
    ig_canvas *c;
    grid *g = NULL;
    int64_t size = 0;
    *out = NULL;
    IG_TRY(ig_typesetter_new(&t, err));
    ig_code code = ig_alloc(&g, 1, sizeof *g, "figure", err);
    if (code == IG_ERR_OK) {
        make_grid(g, f, t);
        code = ig_canvas_new(&c, o, t, g->width, g->height, f->title, err);
    }
    if (code == IG_ERR_OK) {
        code = draw(c, f, g, err);
        ig_code finished = ig_canvas_finish(c, code == IG_ERR_OK ? out : NULL, &size,
                                            code == IG_ERR_OK ? err : NULL);
        code = code == IG_ERR_OK ? finished : code;
    }
    if (code == IG_ERR_OK) {
        tell_missing(t, o);
        if (n != NULL)
            *n = size;
    }
    ig_free(g);
    ig_typesetter_free(t);
    return code;
}

ig_code ig_figure_svg(char **out, const ig_figure *f, const char *id, ig_err *err)
{
    const ig_figure_output o = {.format = IG_FIGURE_SVG, .id = id, .transparent = true};
    return ig_figure_render(out, NULL, f, &o, err);
}

ig_code ig_figure_format_of(ig_figure_format *format, const char *path, ig_err *err)
{
    static const char *const suffix[] = {".svg", ".pdf", ".png"};
    size_t n = strlen(path);
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
    char *bytes;
    int64_t n;
    IG_TRY(ig_figure_format_of(&o.format, path, err));
    IG_TRY(ig_figure_render(&bytes, &n, f, &o, err));
    ig_code code = ig_file_write(path, bytes, n, err);
    ig_free(bytes);
    return code;
}
