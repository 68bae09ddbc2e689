/* SPDX-License-Identifier: Apache-2.0
 *
 * Curves with bands. Alone in a figure they carry their names at their right ends, which spares the
 * reader the way to a legend; side by side they share one.
 */
#include "base/memory.h"
#include "report/figure/palette.h"
#include "report/figure/plot.h"

#include <math.h>
#include <string.h>

enum { most_marked = 24, most_ticks = 16 };

double ig_curves_height(const ig_panel *p, double width)
{
    return (p->title != NULL ? IG_TITLE_HEIGHT : 0) +
           (p->as.curves.y.label != NULL ? IG_LINE_HEIGHT : 0) + 0.55 * width +
           ig_plot_x_height(p->as.curves.x.label);
}

/* Few values of x are all ticks: a reader sees at what was measured. */
static void tick_measured(ig_axis *x, const ig_plot_curves *v)
{
    double at[most_ticks];
    int n = 0;
    for (int i = 0; i < v->n_series; i++)
        for (int64_t k = 0; k < v->series[i].n; k++) {
            const double value = v->series[i].x[k];
            int place = 0;
            if (!isfinite(value) || !isfinite(v->series[i].y[k]))
                continue;
            while (place < n && at[place] < value)
                place++;
            if (place < n && at[place] == value)
                continue;
            if (n == most_ticks)
                return;
            memmove(at + place + 1, at + place, (size_t)(n - place) * sizeof *at);
            at[place] = value;
            n++;
        }
    ig_axis_tick_at(x, at, n);
}

static void find_axes(const ig_plot_curves *v, ig_axis *x, ig_axis *y, bool *any)
{
    ig_range rx = {0}, ry = {0};
    for (int i = 0; i < v->n_series; i++) {
        const ig_plot_series *s = &v->series[i];
        for (int64_t k = 0; k < s->n; k++) {
            if (!isfinite(s->x[k]) || (v->x.scale == IG_SCALE_LOG && !(s->x[k] > 0)))
                continue;
            int64_t before = ry.n;
            ig_range_add(&ry, v->y.scale, s->y[k]);
            if (s->low != NULL && s->high != NULL) {
                ig_range_add(&ry, v->y.scale, s->low[k]);
                ig_range_add(&ry, v->y.scale, s->high[k]);
            }
            if (ry.n > before)
                ig_range_add(&rx, v->x.scale, s->x[k]);
        }
    }
    bool have_x = ig_axis_set(x, &v->x, &rx, v->x.scale == IG_SCALE_LINEAR ? 0.015 : 0);
    bool have_y = ig_axis_set(y, &v->y, &ry, 0.04);
    *any = have_x && have_y && rx.n > 0;
    if (*any)
        tick_measured(x, v);
}

/* The stretch of points from `from` on that can be joined: [*first, end). */
static int64_t stretch(const double *xy, int64_t n, int64_t from, int64_t *first)
{
    int64_t i = from;
    while (i < n && !(isfinite(xy[2 * i]) && isfinite(xy[2 * i + 1])))
        i++;
    *first = i;
    while (i < n && isfinite(xy[2 * i]) && isfinite(xy[2 * i + 1]))
        i++;
    return i;
}

/* Points of the page; those too near to the one before to be seen are left out. */
static int64_t place(double *out, const ig_plot_series *s, const double *value, const ig_axis *x,
                     const ig_axis *y)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double px = ig_axis_at(x, s->x[i]), py = ig_axis_at(y, value[i]);
        if (n > 0 && i + 1 < s->n && fabs(px - out[2 * n - 2]) < 0.2 &&
            fabs(py - out[2 * n - 1]) < 0.2)
            continue;
        out[2 * n] = px;
        out[2 * n++ + 1] = py;
    }
    return n;
}

static void draw_band(ig_canvas *c, const ig_plot_series *s, const ig_axis *x, const ig_axis *y,
                      double *xy, double *edge)
{
    for (int64_t i = 0; i < s->n; i++) {
        bool whole = isfinite(s->low[i]) && isfinite(s->high[i]);
        /* A lower edge that a logarithmic axis does not have lies below the frame. */
        double low = s->low[i];
        if (y->scale == IG_SCALE_LOG && !(low > 0))
            low = y->low * 1e-3;
        xy[2 * i] = ig_axis_at(x, s->x[i]);
        xy[2 * i + 1] = whole ? ig_axis_at(y, low) : (double)NAN;
    }
    for (int64_t i = 0, first; i < s->n;) {
        int64_t end = stretch(xy, s->n, i, &first), m = 0;
        for (int64_t k = first; k < end; k++, m++) {
            edge[2 * m] = xy[2 * k];
            edge[2 * m + 1] = ig_axis_at(y, s->high[k]);
        }
        for (int64_t k = end - 1; k >= first; k--, m++) {
            edge[2 * m] = xy[2 * k];
            edge[2 * m + 1] = xy[2 * k + 1];
        }
        ig_canvas_area(c, edge, m, ig_style_colour(s->style), 0.18);
        i = end;
    }
}

static void draw_line(ig_canvas *c, const ig_plot_series *s, const ig_axis *x, const ig_axis *y,
                      double *xy, bool many)
{
    uint32_t colour = ig_style_colour(s->style);
    const ig_stroke line = {
        .colour = colour, .width = s->n > 200 ? 0.9 : 1.25, .dash = many ? s->style : 0};
    int64_t n = place(xy, s, s->y, x, y);
    for (int64_t i = 0, first; i < n;) {
        int64_t end = stretch(xy, n, i, &first);
        ig_canvas_line(c, xy + 2 * first, end - first, &line);
        if (n <= most_marked || end - first == 1)
            ig_canvas_marks(c, xy + 2 * first, end - first,
                            &(ig_marker){ig_style_mark(s->style), 3.4, colour, 1, false});
        i = end;
    }
}

static void draw_onset(ig_canvas *c, const ig_plot_series *s, const ig_axis *x, const ig_box *in)
{
    double at = ig_axis_at(x, s->onset), bottom = in->y + in->h;
    if (!isfinite(at) || at < in->x - 0.5 || at > in->x + in->w + 0.5)
        return;
    uint32_t colour = ig_style_colour(s->style);
    const ig_stroke line = {.colour = colour, .width = 0.7, .opacity = 0.8, .dash = 2};
    ig_canvas_segment(c, at, in->y, at, bottom, &line);
    double from = ig_axis_at(x, s->onset_low), to = ig_axis_at(x, s->onset_high);
    if (isfinite(from) && isfinite(to)) {
        double y = bottom - 2.2 - 2.4 * (s->style % 4);
        from = fmax(from, in->x);
        to = fmin(to, in->x + in->w);
        const ig_stroke spread = {.colour = colour, .width = 1.6, .opacity = 0.7};
        ig_canvas_segment(c, from, y, to, y, &spread);
    }
    const double tip[] = {at, bottom - 2.4};
    ig_canvas_marks(c, tip, 1, &(ig_marker){IG_MARK_DOWN, 4.2, colour, 1, false});
}

typedef struct {
    double want, y, x_end, y_end;
    int series;
} end_label;

/* Names at the right ends, moved apart where they would touch. */
static void draw_names(ig_canvas *c, const ig_plot_curves *v, const ig_axis *x, const ig_axis *y,
                       const ig_box *in, double room)
{
    const double height = 7.8;
    end_label l[IG_MAX_KEY];
    int n = 0;
    for (int i = 0; i < v->n_series && n < IG_MAX_KEY; i++) {
        const ig_plot_series *s = &v->series[i];
        int64_t k = s->n - 1;
        while (k >= 0 && !(isfinite(ig_axis_at(x, s->x[k])) && isfinite(ig_axis_at(y, s->y[k]))))
            k--;
        if (k < 0 || s->name == NULL)
            continue;
        double at = ig_axis_at(y, s->y[k]);
        at = fmin(fmax(at, in->y), in->y + in->h);
        end_label e = {at, at, ig_axis_at(x, s->x[k]), at, i};
        int j = n++;
        for (; j > 0 && l[j - 1].want > at; j--)
            l[j] = l[j - 1];
        l[j] = e;
    }
    double low = in->y + 2, high = in->y + in->h - 1;
    for (int i = 0; i < n; i++)
        l[i].y = fmax(l[i].y, i > 0 ? l[i - 1].y + height : low);
    for (int i = n - 1; i >= 0; i--)
        l[i].y = fmin(l[i].y, i < n - 1 ? l[i + 1].y - height : high);
    for (int i = 0; i < n; i++) {
        const ig_plot_series *s = &v->series[l[i].series];
        const ig_text_style t = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_LEFT, ig_style_ink(s->style));
        double right = in->x + in->w;
        if (fabs(l[i].y - l[i].want) > 1.5 || right - l[i].x_end > 2) {
            const ig_stroke lead = {
                .colour = ig_style_colour(s->style), .width = 0.5, .opacity = 0.6};
            ig_canvas_segment(c, fmin(l[i].x_end, right) + 1, l[i].y_end, right + 4, l[i].y, &lead);
        }
        ig_canvas_fit(c, right + 5, l[i].y + 2.5, s->name, &t, room - 5);
    }
}

/* The label of the y axis, above the curves: the box that is left. */
static ig_box draw_y_label(ig_canvas *c, const char *label, ig_box box)
{
    const ig_text_style s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_LEFT, IG_INK_SOFT);
    if (label == NULL)
        return box;
    ig_canvas_fit(c, box.x, box.y + 6, label, &s, box.w);
    return (ig_box){box.x, box.y + IG_LINE_HEIGHT, box.w, box.h - IG_LINE_HEIGHT};
}

/* Draws a line and a number for each tick that fits. */
static void draw_grid(ig_canvas *c, const ig_axis *y, const ig_tick *tick, int n_tick,
                      const ig_box *in)
{
    const ig_text_style small = ig_style_text(IG_SIZE_SMALL, IG_ALIGN_RIGHT, IG_INK);
    const ig_stroke grid = {.colour = IG_GRID, .width = 0.5};
    double free_above = 1e9;
    for (int i = 0; i < n_tick; i++) {
        double at = ig_axis_at(y, tick[i].value);
        if (tick[i].text[0] == '\0' || at + 3 > free_above)
            continue;
        ig_canvas_segment(c, in->x, at, in->x + in->w, at, &grid);
        ig_canvas_text(c, in->x - 2.5, at + 2.2, tick[i].text, &small);
        free_above = at - 3.5;
    }
}

ig_code ig_curves_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err)
{
    const ig_plot_curves *v = &p->as.curves;
    ig_axis x, y;
    bool any;
    int64_t most = 1;
    double *edge = NULL, room = 5;
    IG_OWNED double *xy = NULL;
    find_axes(v, &x, &y, &any);
    for (int i = 0; i < v->n_series; i++)
        most = v->series[i].n > most ? v->series[i].n : most;
    IG_TRY(ig_alloc(&xy, 2 * most, sizeof *xy, "figure", err));
    ig_code code = ig_alloc(&edge, 4 * most, sizeof *edge, "figure", err);
    if (code != IG_ERR_OK)
        return code;

    ig_plot_title(c, p->title, &box);
    box = draw_y_label(c, v->y.label, box);
    ig_box in = {box.x, box.y + 3, 0, box.h - 3 - ig_plot_x_height(v->x.label)};
    y.from = in.y + in.h;
    y.to = in.y;
    ig_tick tick[IG_TICK_MAX];
    int n_tick = ig_axis_ticks(&y, (int)(in.h / 22), tick);
    const ig_text_style small = ig_style_text(IG_SIZE_SMALL, IG_ALIGN_RIGHT, IG_INK);
    double margin = 4;
    for (int i = 0; i < n_tick; i++)
        margin = fmax(margin, ig_type_width(tick[i].text, &small) + 3);
    if (direct)
        for (int i = 0; i < v->n_series; i++)
            room =
                fmax(room,
                     ig_type_width(v->series[i].name, &small) * (IG_SIZE_TEXT / IG_SIZE_SMALL) + 6);
    room = fmin(room, 0.36 * box.w);
    in.x += margin;
    in.w = box.w - margin - room;
    x.from = in.x;
    x.to = in.x + in.w;

    draw_grid(c, &y, tick, n_tick, &in);
    ig_plot_x_axis(c, &x, &in, v->x.label);
    if (!any)
        ig_plot_nothing(c, &in);
    ig_canvas_clip(c, (ig_box){in.x - 2, in.y - 2, in.w + 4, in.h + 4});
    for (int i = 0; i < v->n_series && any; i++)
        if (v->series[i].low != NULL && v->series[i].high != NULL)
            draw_band(c, &v->series[i], &x, &y, xy, edge);
    for (int i = 0; i < v->n_series && any; i++)
        draw_onset(c, &v->series[i], &x, &in);
    for (int i = 0; i < v->n_series && any; i++)
        draw_line(c, &v->series[i], &x, &y, xy, v->n_series > 1);
    ig_canvas_unclip(c);
    if (direct && any)
        draw_names(c, v, &x, &y, &in, room);
    ig_free(edge);
    return IG_ERR_OK;
}
