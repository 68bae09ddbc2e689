/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of points in the plane, with lines between points of two groups, and names where there is
 * room for them.
 */
#include "base/memory.h"
#include "report/figure/palette.h"
#include "report/figure/plot.h"

#include <math.h>

typedef struct {
    double x, y, points; /* middle of the data; points on the page a unit */
    ig_box in;
    int64_t n; /* finite points */
} view;

static void find_ranges(const ig_plot_scatter *s, ig_range *rx, ig_range *ry)
{
    for (int g = 0; g < s->n_group; g++)
        for (int64_t i = 0; i < s->group[g].n; i++) {
            const double *p = s->group[g].xy + 2 * i;
            if (!isfinite(p[0]) || !isfinite(p[1]))
                continue;
            ig_range_add(rx, IG_SCALE_LINEAR, p[0]);
            ig_range_add(ry, IG_SCALE_LINEAR, p[1]);
        }
}

static void find_view(view *v, const ig_plot_scatter *s)
{
    ig_range rx = {0}, ry = {0};
    find_ranges(s, &rx, &ry);
    v->n = rx.n;
    v->x = rx.low / 2 + rx.high / 2;
    v->y = ry.low / 2 + ry.high / 2;
    /* The greater share of the field that either side takes. */
    double w = rx.high - rx.low, h = ry.high - ry.low;
    double by_w = (v->in.w - 12) / w, by_h = (v->in.h - 12) / h;
    v->points = fmin(w > 0 ? by_w : 1e300, h > 0 ? by_h : 1e300);
    if (!(v->points < 1e300) || !(v->points > 0))
        v->points = 1;
}

static bool to_page(const view *v, const double *p, double out[2])
{
    out[0] = v->in.x + v->in.w / 2 + (p[0] - v->x) * v->points;
    out[1] = v->in.y + v->in.h / 2 - (p[1] - v->y) * v->points;
    return isfinite(out[0]) && isfinite(out[1]);
}

/* Height of the field for a width: that of the data, within limits. */
static double field_height(const ig_plot_scatter *s, double width)
{
    ig_range rx = {0}, ry = {0};
    find_ranges(s, &rx, &ry);
    double shape = (ry.high - ry.low) / (rx.high - rx.low);
    return width * (isfinite(shape) ? fmin(fmax(shape, 0.55), 0.95) : 0.7);
}

double ig_scatter_height(const ig_panel *p, double width)
{
    const ig_plot_scatter *s = &p->as.scatter;
    return (p->title != NULL ? IG_TITLE_HEIGHT : 0) +
           field_height(s, width - (s->y_label != NULL ? IG_LINE_HEIGHT : 0)) +
           (s->x_label != NULL ? IG_LINE_HEIGHT : 0) + 2;
}

/* --- names ----------------------------------------------------------------------------------- */

typedef struct {
    ig_box *box; /* taken: marks of named points and names placed so far */
    int64_t n, have;
} taken;

static bool free_of(const taken *k, const ig_box *b)
{
    for (int64_t i = 0; i < k->n; i++) {
        const ig_box *o = &k->box[i];
        if (b->x < o->x + o->w && o->x < b->x + b->w && b->y < o->y + o->h && o->y < b->y + b->h)
            return false;
    }
    return true;
}

static ig_code take(taken *k, const ig_box *b, ig_err *err)
{
    IG_TRY(ig_grow(&k->box, &k->have, k->n + 1, sizeof *k->box, "figure", err));
    k->box[k->n++] = *b;
    return IG_ERR_OK;
}

/* Draws nothing where the group has no point i, it has no name, or the name does not fit. */
static ig_code draw_name(ig_canvas *c, const view *v, taken *k, const ig_plot_group *o, int64_t i,
                         ig_err *err)
{
    /* Right, left, above, below, and the corners: the middle of the name. */
    static const double side[8][2] = {{1, 0},  {-1, 0}, {0, -1},  {0, 1},
                                      {1, -1}, {1, 1},  {-1, -1}, {-1, 1}};
    double at[2];
    if (o->label == NULL || i >= o->n || o->label[i] == NULL || !to_page(v, o->xy + 2 * i, at))
        return IG_ERR_OK;
    char name[IG_TEXT_MAX];
    ig_text_style style = ig_style_text(IG_SIZE_SMALL, IG_ALIGN_MIDDLE, ig_style_ink(o->style));
    style.halo = true;
    ig_type_fit(name, o->label[i], &style, 0.4 * v->in.w);
    double w = ig_type_width(name, &style), h = style.size * 0.95;
    for (int s = 0; s < 8; s++) {
        double x = at[0] + side[s][0] * (w / 2 + (side[s][1] < 0 || side[s][1] > 0 ? 1.2 : 3));
        double y = at[1] + side[s][1] * (h / 2 + (side[s][0] < 0 || side[s][0] > 0 ? 1.2 : 2.6));
        const ig_box b = {x - w / 2, y - h / 2, w, h};
        if (b.x < v->in.x || b.x + w > v->in.x + v->in.w || b.y < v->in.y ||
            b.y + h > v->in.y + v->in.h || !free_of(k, &b))
            continue;
        /* The name touches its point for any width of the viewer's font. */
        style.align = side[s][0] > 0   ? IG_ALIGN_LEFT
                      : side[s][0] < 0 ? IG_ALIGN_RIGHT
                                       : IG_ALIGN_MIDDLE;
        ig_canvas_text(c, x - side[s][0] * w / 2, y + 0.35 * style.size, name, &style);
        return take(k, &b, err);
    }
    return IG_ERR_OK;
}

static ig_code draw_names(ig_canvas *c, const view *v, const ig_plot_scatter *s, double size,
                          ig_err *err)
{
    taken k = {0};
    int64_t most = 0;
    ig_code code = IG_ERR_OK;
    for (int g = 0; g < s->n_group; g++) {
        most = s->group[g].n > most ? s->group[g].n : most;
        for (int64_t i = 0; i < s->group[g].n && code == IG_ERR_OK; i++) {
            double at[2];
            if (s->group[g].label != NULL && to_page(v, s->group[g].xy + 2 * i, at)) {
                const ig_box b = {at[0] - size / 2, at[1] - size / 2, size, size};
                code = take(&k, &b, err);
            }
        }
    }
    /* Draws the groups in turn, so that the first does not use all the space. */
    for (int64_t i = 0; i < most && code == IG_ERR_OK; i++)
        for (int g = 0; g < s->n_group && code == IG_ERR_OK; g++)
            code = draw_name(c, v, &k, &s->group[g], i, err);
    ig_free(k.box);
    return code;
}

/* --------------------------------------------------------------------------------------------- */

static bool link_ends(const view *v, const ig_plot_scatter *s, const ig_plot_link *l, double xy[4])
{
    if (l->group_a < 0 || l->group_a >= s->n_group || l->group_b < 0 || l->group_b >= s->n_group)
        return false;
    const ig_plot_group *a = &s->group[l->group_a], *b = &s->group[l->group_b];
    return l->point_a >= 0 && l->point_a < a->n && l->point_b >= 0 && l->point_b < b->n &&
           to_page(v, a->xy + 2 * (int64_t)l->point_a, xy) &&
           to_page(v, b->xy + 2 * (int64_t)l->point_b, xy + 2);
}

static ig_code draw_groups(ig_canvas *c, const view *v, const ig_plot_scatter *s, double size,
                           double opacity, ig_err *err)
{
    for (int g = 0; g < s->n_group; g++) {
        const ig_plot_group *o = &s->group[g];
        double *xy;
        int64_t n = 0;
        IG_TRY(ig_alloc(&xy, 2 * o->n, sizeof *xy, "figure", err));
        for (int64_t i = 0; i < o->n; i++)
            n += to_page(v, o->xy + 2 * i, xy + 2 * n);
        ig_canvas_marks(
            c, xy, n,
            &(ig_marker){ig_style_mark(o->style), size, ig_style_colour(o->style), opacity, false});
        ig_free(xy);
    }
    return IG_ERR_OK;
}

ig_code ig_scatter_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err)
{
    (void)direct;
    const ig_plot_scatter *s = &p->as.scatter;
    ig_plot_title(c, p->title, &box);
    double left = s->y_label != NULL ? IG_LINE_HEIGHT : 0,
           below = s->x_label != NULL ? IG_LINE_HEIGHT : 0;
    view v = {.in = {box.x + left, box.y + 1, box.w - left - 1, box.h - below - 2}};
    find_view(&v, s);
    const ig_stroke frame = {.colour = 0xcccccc, .width = 0.5};
    ig_canvas_rect(c, v.in, -1, &frame);
    ig_text_style style = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_MIDDLE, IG_INK_SOFT);
    ig_canvas_fit(c, v.in.x + v.in.w / 2, v.in.y + v.in.h + 8.5, s->x_label, &style, v.in.w);
    style.angle = 90;
    ig_canvas_fit(c, box.x + 6, v.in.y + v.in.h / 2, s->y_label, &style, v.in.h);
    if (v.n == 0) {
        ig_plot_nothing(c, &v.in);
        return IG_ERR_OK;
    }
    double size = v.n > 1500 ? 1.5 : v.n > 400 ? 2.2 : 3.2, opacity = v.n > 400 ? 0.6 : 0.9;
    const ig_stroke line = {
        .colour = 0x999999, .width = 0.6, .opacity = s->n_link > 300 ? 0.35 : 0.8};
    for (int64_t i = 0; i < s->n_link; i++) {
        double xy[4];
        if (link_ends(&v, s, &s->link[i], xy))
            ig_canvas_line(c, xy, 2, &line);
    }
    IG_TRY(draw_groups(c, &v, s, size, opacity, err));
    return draw_names(c, &v, s, size, err);
}
