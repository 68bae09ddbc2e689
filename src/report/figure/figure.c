/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates figures and writes their files. draw.c lays them out.
 */
#include "report/figure/figure.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/settings/json_text.h"

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
    char *bytes;
    int64_t n;
    IG_TRY(ig_figure_format_of(&o.format, path, err));
    IG_TRY(ig_figure_render(&bytes, &n, f, &o, err));
    ig_code code = ig_file_write(path, bytes, n, err);
    ig_free(bytes);
    return code;
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
