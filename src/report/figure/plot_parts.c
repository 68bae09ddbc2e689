/* SPDX-License-Identifier: Apache-2.0
 *
 * Titles, horizontal axes and legends of the plots.
 */
#include "report/figure/palette.h"
#include "report/figure/plot.h"

#include <string.h>

static const double key_width = 15, key_gap = 9;

ig_text_style ig_style_text(double size, ig_align align, uint32_t colour)
{
    return (ig_text_style){.size = size, .align = align, .colour = colour};
}

void ig_plot_title(ig_canvas *c, const char *title, ig_box *box)
{
    if (title == NULL)
        return;
    ig_text_style s = ig_style_text(IG_SIZE_TITLE, IG_ALIGN_LEFT, IG_INK);
    s.bold = true;
    ig_canvas_fit(c, box->x, box->y + IG_SIZE_TITLE, title, &s, box->w);
    box->y += IG_TITLE_HEIGHT;
    box->h -= IG_TITLE_HEIGHT;
}

double ig_plot_x_height(const char *label)
{
    return IG_LINE_HEIGHT + 1.5 + (label != NULL ? IG_LINE_HEIGHT : 0);
}

void ig_plot_x_axis(ig_canvas *c, const ig_axis *x, const ig_box *in, const char *label)
{
    const ig_stroke ink = {.colour = IG_INK, .width = 0.6};
    ig_text_style s = ig_style_text(IG_SIZE_SMALL, IG_ALIGN_MIDDLE, IG_INK);
    ig_tick tick[IG_TICK_MAX];
    int n = ig_axis_ticks(x, (int)(in->w / 30), tick);
    double bottom = in->y + in->h, free_from = -1e9;
    ig_canvas_segment(c, in->x, bottom, in->x + in->w, bottom, &ink);
    for (int i = 0; i < n; i++) {
        double at = ig_axis_at(x, tick[i].value), w = ig_type_width(tick[i].text, &s);
        bool room = tick[i].text[0] != '\0' && at - w / 2 > free_from;
        ig_canvas_segment(c, at, bottom, at, bottom + (room ? 2.4 : 1.4), &ink);
        if (!room)
            continue;
        ig_canvas_text(c, at, bottom + 2.6 + IG_SIZE_SMALL, tick[i].text, &s);
        free_from = at + w / 2 + 3;
    }
    s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_MIDDLE, IG_INK_SOFT);
    ig_canvas_fit(c, in->x + in->w / 2, bottom + 2 + IG_LINE_HEIGHT + IG_SIZE_TEXT, label, &s,
                  in->w);
}

void ig_plot_nothing(ig_canvas *c, const ig_box *in)
{
    ig_text_style s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_MIDDLE, IG_INK_SOFT);
    ig_canvas_text(c, in->x + in->w / 2, in->y + in->h / 2, "no data", &s);
}

static int add(ig_key *key, int n, ig_key_kind kind, int style, const char *name)
{
    if (name == NULL || *name == '\0' || n >= IG_MAX_KEY)
        return n;
    for (int i = 0; i < n; i++)
        if (key[i].kind == kind && key[i].style == style && strcmp(key[i].name, name) == 0)
            return n;
    key[n] = (ig_key){kind, style, name};
    return n + 1;
}

int ig_legend_add(ig_key *key, int n, const ig_panel *p, bool direct)
{
    switch (p->kind) {
    case IG_PLOT_CURVES:
        for (int i = 0; i < p->as.curves.n_series && !direct; i++)
            n = add(key, n, IG_KEY_LINE, p->as.curves.series[i].style, p->as.curves.series[i].name);
        break;
    case IG_PLOT_MATRIX:
        break;
    case IG_PLOT_SCATTER:
        for (int i = 0; i < p->as.scatter.n_group; i++)
            n = add(key, n, IG_KEY_MARK, p->as.scatter.group[i].style, p->as.scatter.group[i].name);
        n = add(key, n, IG_KEY_LINK, 7, p->as.scatter.link_name);
        break;
    case IG_PLOT_VALUES:
        n = add(key, n, IG_KEY_INTERVAL, 0, p->as.values.value_name);
        n = add(key, n, IG_KEY_EACH, 0, p->as.values.each_name);
        n = add(key, n, IG_KEY_HOLLOW, 4, p->as.values.reference_name);
        break;
    }
    return n;
}

/* Walks over the keys as they fill lines; draws where c is not NULL. Returns the height. */
static double flow(ig_canvas *c, const ig_key *key, int n, ig_box in)
{
    const ig_text_style s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_LEFT, IG_INK);
    double x = in.x, y = in.y;
    for (int i = 0; i < n; i++) {
        char name[IG_TEXT_MAX];
        ig_type_fit(name, key[i].name, &s, in.w - key_width);
        double w = key_width + ig_type_width(name, &s);
        if (x > in.x && x + w > in.x + in.w) {
            x = in.x;
            y += IG_LINE_HEIGHT;
        }
        if (c != NULL) {
            uint32_t colour = ig_style_colour(key[i].style);
            double middle = y + 4.6, at[2] = {x + 6, middle};
            ig_mark mark = ig_style_mark(key[i].style);
            const ig_stroke line = {.colour = key[i].kind == IG_KEY_LINK ? 0x999999 : colour,
                                    .width = key[i].kind == IG_KEY_LINK ? 0.7 : 1.3,
                                    .dash = key[i].kind == IG_KEY_LINE ? key[i].style : 0};
            switch (key[i].kind) {
            case IG_KEY_LINE:
            case IG_KEY_LINK:
            case IG_KEY_INTERVAL:
                ig_canvas_segment(c, x, middle, x + 12, middle, &line);
                if (key[i].kind != IG_KEY_LINK)
                    ig_canvas_marks(c, at, 1,
                                    &(ig_marker){key[i].kind == IG_KEY_LINE ? mark : IG_MARK_DISC,
                                                 3.6, colour, 1, false});
                break;
            case IG_KEY_MARK:
                ig_canvas_marks(c, at, 1, &(ig_marker){mark, 4.4, colour, 1, false});
                break;
            case IG_KEY_HOLLOW:
                ig_canvas_marks(c, at, 1, &(ig_marker){IG_MARK_DIAMOND, 4.4, colour, 1, true});
                break;
            case IG_KEY_EACH:
                ig_canvas_marks(c, at, 1,
                                &(ig_marker){IG_MARK_DISC, IG_SIZE_EACH, colour, 1, true});
                break;
            }
            ig_canvas_text(c, x + key_width, y + IG_SIZE_TEXT, name, &s);
        }
        x += w + key_gap;
    }
    return n > 0 ? y + IG_LINE_HEIGHT - in.y : 0;
}

double ig_legend_height(const ig_key *key, int n, double width)
{
    double h = flow(NULL, key, n, (ig_box){.w = width});
    return h > 0 ? h + 4 : 0;
}

void ig_legend_draw(ig_canvas *c, const ig_key *key, int n, double x, double y, double width)
{
    flow(c, key, n, (ig_box){x, y, width, 0});
}
