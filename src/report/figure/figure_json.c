/* SPDX-License-Identifier: Apache-2.0
 *
 * A figure's numbers for programs: see figure_json.h.
 */
#include "report/figure/figure_json.h"

#include <math.h>

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *numbers(const double *v, int64_t n)
{
    json_t *j = v != NULL ? json_array() : json_null();
    for (int64_t i = 0; v != NULL && i < n; i++)
        json_array_append_new(j, number(v[i]));
    return j;
}

static json_t *text(const char *s)
{
    return s != NULL ? json_string(s) : json_null();
}

static json_t *texts(const char *const *s, int64_t n)
{
    json_t *j = s != NULL ? json_array() : json_null();
    for (int64_t i = 0; s != NULL && i < n; i++)
        json_array_append_new(j, text(s[i]));
    return j;
}

static void add_curves(json_t *list, const char *title, const ig_plot_curves *v)
{
    for (int i = 0; i < v->n_series; i++) {
        const ig_plot_series *s = &v->series[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "panel",
                                        text(title != NULL ? title : v->y.label), "name",
                                        text(s->name), "x", numbers(s->x, s->n), "y",
                                        numbers(s->y, s->n), "low", numbers(s->low, s->n), "high",
                                        numbers(s->high, s->n), "onset", number(s->onset)));
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
            json_array_append_new(list,
                                  json_pack("{s:o, s:o, s:o, s:o}", "panel", text(p->title), "name",
                                            text(m->row_label != NULL ? m->row_label[i] : NULL),
                                            "columns", texts(m->col_label, m->cols), "values",
                                            numbers(m->value + (int64_t)i * m->cols, m->cols)));
        const ig_plot_scatter *s = &p->as.scatter;
        for (int i = 0; p->kind == IG_PLOT_SCATTER && i < s->n_group; i++)
            json_array_append_new(list, json_pack("{s:o, s:o, s:I}", "panel", text(p->title),
                                                  "name", text(s->group[i].name), "n",
                                                  (json_int_t)s->group[i].n));
        const ig_plot_values *v = &p->as.values;
        for (int i = 0; p->kind == IG_PLOT_VALUES && i < v->n_value; i++)
            json_array_append_new(
                list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "panel",
                                text(p->title != NULL ? p->title : v->x.label), "name",
                                text(v->value[i].name), "value", number(v->value[i].value), "low",
                                number(v->value[i].low), "high", number(v->value[i].high),
                                "reference", number(v->value[i].reference)));
    }
    return list;
}
