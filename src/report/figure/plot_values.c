/* SPDX-License-Identifier: Apache-2.0
 *
 * Values with intervals, a row each, and a number to compare with: dots rather than bars, so that
 * the axis need not begin at 0 (W. S. Cleveland, The Elements of Graphing Data, 1985).
 */
#include "report/figure/palette.h"
#include "report/figure/plot.h"

#include <math.h>

static const double row_height = 10.5, each_below = 3;

double ig_values_height(const ig_panel *p, double width)
{
    (void)width;
    int n = p->as.values.n_value;
    return (p->title != NULL ? IG_TITLE_HEIGHT : 0) + row_height * (n > 2 ? n : 2) + 5 +
           ig_plot_x_height(p->as.values.x.label);
}

ig_code ig_values_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err)
{
    (void)direct;
    (void)err;
    const ig_plot_values *v = &p->as.values;
    ig_text_style s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_RIGHT, IG_INK);
    ig_range r = {0};
    double margin = 4;
    ig_axis x;
    for (int i = 0; i < v->n_value; i++) {
        const ig_plot_value *a = &v->value[i];
        const double all[] = {a->value, a->low, a->high, a->reference};
        for (int k = 0; k < 4; k++)
            ig_range_add(&r, v->x.scale, all[k]);
        for (int k = 0; k < a->n_each; k++)
            ig_range_add(&r, v->x.scale, a->each[k]);
        margin = fmax(margin, ig_type_width(a->name, &s) + 5);
    }
    bool any = ig_axis_set(&x, &v->x, &r, 0.04) && r.n > 0;
    margin = fmin(margin, 0.6 * box.w);
    ig_plot_title(c, p->title, &box);
    ig_box in = {box.x + margin, box.y + 2, box.w - margin - 6,
                 box.h - 4 - ig_plot_x_height(v->x.label)};
    x.from = in.x;
    x.to = in.x + in.w;
    ig_tick tick[IG_TICK_MAX];
    int n_tick = ig_axis_ticks(&x, (int)(in.w / 30), tick);
    const ig_stroke grid = {.colour = IG_GRID, .width = 0.5};
    for (int i = 0; i < n_tick; i++) {
        double at = ig_axis_at(&x, tick[i].value);
        if (tick[i].text[0] != '\0')
            ig_canvas_segment(c, at, in.y, at, in.y + in.h, &grid);
    }
    ig_plot_x_axis(c, &x, &in, v->x.label);
    if (!any)
        ig_plot_nothing(c, &in);
    for (int i = 0; i < v->n_value; i++)
        ig_canvas_fit(c, in.x - 4, in.y + (i + 0.5) * in.h / v->n_value + 2.4, v->value[i].name, &s,
                      margin - 5);
    ig_canvas_clip(c, (ig_box){in.x - 3, in.y, in.w + 6, in.h});
    for (int i = 0; i < v->n_value; i++) {
        const ig_plot_value *a = &v->value[i];
        double y = in.y + (i + 0.5) * in.h / v->n_value;
        uint32_t colour = ig_style_colour(a->style);
        const ig_stroke line = {.colour = colour, .width = 1.3};
        const double dot[] = {ig_axis_at(&x, a->value), y},
                     ref[] = {ig_axis_at(&x, a->reference), y};
        for (int k = 0; k < a->n_each; k++) {
            const double at[] = {ig_axis_at(&x, a->each[k]), y + each_below};
            ig_canvas_marks(c, at, 1, &(ig_marker){IG_MARK_DISC, IG_SIZE_EACH, colour, 1, true});
        }
        ig_canvas_segment(c, ig_axis_at(&x, a->low), y, ig_axis_at(&x, a->high), y, &line);
        ig_canvas_marks(c, ref, 1, &(ig_marker){IG_MARK_DIAMOND, 4.4, ig_style_colour(4), 1, true});
        ig_canvas_marks(c, dot, 1, &(ig_marker){IG_MARK_DISC, 4, colour, 1, false});
    }
    ig_canvas_unclip(c);
    return IG_ERR_OK;
}
