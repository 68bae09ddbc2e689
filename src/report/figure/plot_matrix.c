/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix as coloured cells, with labels, blocks, framed and dotted cells, numbers where they fit,
 * and the scale of the colours beside it.
 */
#include "base/memory.h"
#include "report/figure/palette.h"
#include "report/figure/plot.h"

#include <math.h>
#include <stdio.h>

enum { most_rectangles = 2500 }; /* more cells than that are an image */

/* Where everything lies, from the width alone. */
typedef struct {
    double label_w, block_w, title_w; /* left of the matrix */
    double label_h, block_h, title_h; /* above it */
    double cell_w, cell_h, row_size, col_size;
    double bar_w; /* right of it */
    bool upright; /* column labels stand */
    double low, high;
} layout;

static double widest(const char *const *label, int n, const ig_text_style *s)
{
    double w = 0;
    for (int i = 0; i < n && label != NULL; i++)
        w = fmax(w, ig_type_width(label[i], s));
    return w;
}

static void find_range(const ig_plot_matrix *m, double *low, double *high)
{
    ig_range r = {0};
    for (int64_t i = 0; i < (int64_t)m->rows * m->cols; i++)
        ig_range_add(&r, IG_SCALE_LINEAR, m->value[i]);
    *low = isfinite(m->low) ? m->low : r.n > 0 ? r.low : 0;
    *high = isfinite(m->high) ? m->high : r.n > 0 ? r.high : 1;
    if (m->map == IG_MAP_DIVERGING && !isfinite(m->low) && !isfinite(m->high)) {
        *high = fmax(fabs(*low), fabs(*high));
        *low = -*high;
    }
    if (!(*low < *high)) {
        double v = *low;
        *low = v - 0.5;
        *high = v + 0.5;
    }
}

/* Widest text of the colour scale's ticks. */
static double bar_text_width(double low, double high)
{
    const ig_axis a = {.low = low, .high = high, .from = 0, .to = 1};
    const ig_text_style s = ig_style_text(IG_SIZE_SMALL, IG_ALIGN_LEFT, IG_INK);
    ig_tick tick[IG_TICK_MAX];
    int n = ig_axis_ticks(&a, 4, tick);
    double w = 0;
    for (int i = 0; i < n; i++)
        w = fmax(w, ig_type_width(tick[i].text, &s));
    return w;
}

static layout arrange(const ig_plot_matrix *m, double width)
{
    layout l = {.row_size = IG_SIZE_TEXT, .col_size = IG_SIZE_TEXT};
    const ig_text_style s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_LEFT, IG_INK);
    int rows = m->rows > 0 ? m->rows : 1, cols = m->cols > 0 ? m->cols : 1;
    find_range(m, &l.low, &l.high);
    l.bar_w = 6 + 5 + 3 + bar_text_width(l.low, l.high);
    l.label_w = fmin(widest(m->row_label, m->rows, &s), 0.38 * width);
    l.label_w += l.label_w > 0 ? 3 : 0;
    l.block_w = m->n_row_block > 0 ? IG_LINE_HEIGHT : 0;
    l.title_w = m->row_title != NULL ? IG_LINE_HEIGHT : 0;
    double room = width - l.label_w - l.block_w - l.title_w - l.bar_w;
    if (m->digits >= 0) {
        l.cell_w = fmin(room / cols, 32);
        l.cell_h = fmin(fmax(l.cell_w, 9), 13);
    } else {
        bool large = rows > 40 || cols > 40;
        l.cell_w = fmin(fmin(room / cols, large ? 1e9 : 13), 1.7 * width / rows);
        l.cell_h = l.cell_w;
    }
    /* Labels of cells lower than a line of text are set smaller, as far as they can be read. */
    l.row_size =
        m->thin_labels ? IG_SIZE_SMALL : fmax(fmin(IG_SIZE_TEXT, l.cell_h * 0.92), IG_SIZE_LEAST);
    double w = widest(m->col_label, m->cols, &s);
    l.upright = w > l.cell_w - 2 && !m->thin_labels;
    l.col_size = m->thin_labels ? IG_SIZE_SMALL
                 : l.upright    ? fmax(fmin(IG_SIZE_TEXT, l.cell_w * 0.92), IG_SIZE_LEAST)
                                : IG_SIZE_TEXT;
    l.label_h = w > 0 ? l.upright ? fmin(w, 70) + 4 : IG_LINE_HEIGHT : 0;
    l.block_h = m->n_col_block > 0 ? IG_LINE_HEIGHT : 0;
    l.title_h = m->col_title != NULL ? IG_LINE_HEIGHT : 0;
    return l;
}

double ig_matrix_height(const ig_panel *p, double width)
{
    const ig_plot_matrix *m = &p->as.matrix;
    layout l = arrange(m, width);
    double cells = m->rows > 0 && m->cols > 0 ? l.cell_h * m->rows : 30;
    return (p->title != NULL ? IG_TITLE_HEIGHT : 0) + l.title_h + l.block_h + l.label_h +
           fmax(cells, 24) + 3 + (m->bar_label != NULL ? IG_LINE_HEIGHT : 0);
}

static uint32_t cell_colour(const ig_plot_matrix *m, const layout *l, double v)
{
    return isfinite(v) ? ig_map_colour(m->map, (v - l->low) / (l->high - l->low))
                       : (uint32_t)IG_MISSING;
}

static ig_code draw_cells(ig_canvas *c, const ig_plot_matrix *m, const layout *l, const ig_box *in,
                          ig_err *err)
{
    int64_t n = (int64_t)m->rows * m->cols;
    if (n > most_rectangles) {
        uint32_t *colour;
        IG_TRY(ig_alloc(&colour, n, sizeof *colour, "figure", err));
        /* Rounds to as many shades as an eye can distinguish, which makes a smaller image. */
        double shade = (l->high - l->low) / 128;
        for (int64_t i = 0; i < n; i++)
            colour[i] = cell_colour(m, l, l->low + shade * round((m->value[i] - l->low) / shade));
        ig_canvas_cells(c, *in, colour, m->rows, m->cols);
        ig_free(colour);
        return IG_ERR_OK;
    }
    double gap = l->cell_w > 5 ? 0.5 : 0.15;
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->cols; j++) {
            double v = m->value[(int64_t)i * m->cols + j];
            double x = in->x + j * l->cell_w, y = in->y + i * l->cell_h;
            ig_canvas_rect(c, (ig_box){x, y, l->cell_w - gap, l->cell_h - gap},
                           cell_colour(m, l, v), NULL);
            const ig_stroke bar = {.colour = 0x8a8a8a, .width = 0.5};
            if (!isfinite(v))
                ig_canvas_segment(c, x + 1, y + l->cell_h - gap - 1, x + l->cell_w - gap - 1, y + 1,
                                  &bar);
        }
    return IG_ERR_OK;
}

static void draw_numbers(ig_canvas *c, const ig_plot_matrix *m, const layout *l, const ig_box *in)
{
    ig_text_style s = ig_style_text(IG_SIZE_SMALL, IG_ALIGN_MIDDLE, IG_INK);
    if (m->digits < 0 || l->cell_h < 8.5)
        return;
    for (int draw = 0; draw < 2; draw++) /* all fit, or none is written */
        for (int i = 0; i < m->rows; i++)
            for (int j = 0; j < m->cols; j++) {
                double v = m->value[(int64_t)i * m->cols + j];
                char text[48];
                if (!isfinite(v))
                    continue;
                snprintf(text, sizeof text, "%.*f", m->digits, v);
                for (char *p = text; *p != '\0'; p++)
                    *p = *p == ',' ? '.' : *p;
                /* .97 is as precise as 0.97 and allows larger letters. */
                bool less = fabs(v) < 1 && m->digits > 0 && text[0] == '0';
                const char *shown = less ? text + 1 : text;
                if (draw == 0 && ig_type_width(shown, &s) > l->cell_w - 1.5)
                    return;
                s.colour = ig_colour_luminance(cell_colour(m, l, v)) > 0.3 ? (uint32_t)IG_INK
                                                                           : (uint32_t)IG_WHITE;
                if (draw == 1)
                    ig_canvas_text(c, in->x + (j + 0.5) * l->cell_w - 0.25,
                                   in->y + (i + 0.5) * l->cell_h + 2, shown, &s);
            }
}

/* The distance between labels that fit. */
static int label_step(const ig_plot_matrix *m, const layout *l, bool rows)
{
    const char *const *label = rows ? m->row_label : m->col_label;
    double cell = rows ? l->cell_h : l->cell_w, size = rows ? l->row_size : l->col_size;
    ig_text_style s = ig_style_text(size, IG_ALIGN_LEFT, IG_INK);
    double need = rows || l->upright ? size * 1.05 : widest(label, m->cols, &s) + 3;
    int every = cell > 0 && label != NULL ? (int)ceil(need / cell - 0.05) : 1;
    return every > 1 ? every : 1;
}

/* Labels of a side; where two would touch, some are left out. */
static void draw_labels(ig_canvas *c, const ig_plot_matrix *m, const layout *l, const ig_box *in,
                        bool rows)
{
    const char *const *label = rows ? m->row_label : m->col_label;
    int n = rows ? m->rows : m->cols;
    double cell = rows ? l->cell_h : l->cell_w;
    ig_text_style s = ig_style_text(rows ? l->row_size : l->col_size,
                                    rows         ? IG_ALIGN_RIGHT
                                    : l->upright ? IG_ALIGN_LEFT
                                                 : IG_ALIGN_MIDDLE,
                                    IG_INK);
    s.angle = !rows && l->upright ? 90 : 0;
    if (label == NULL)
        return;
    int every = label_step(m, l, rows);
    if (m->thin_labels) { /* both sides alike, in steps that can be counted by: 2, 4, 8, … */
        int other = label_step(m, l, !rows), step = 1;
        while (step < every || step < other)
            step *= 2;
        every = step;
    }
    for (int i = 0; i < n; i += every) {
        double at = (i + 0.5) * cell;
        if (rows)
            ig_canvas_fit(c, in->x - 3, in->y + at + 0.36 * s.size, label[i], &s, l->label_w - 3);
        else if (l->upright)
            ig_canvas_fit(c, in->x + at + 0.36 * s.size, in->y - 3, label[i], &s, l->label_h - 4);
        else
            ig_canvas_text(c, in->x + at, in->y - 3, label[i], &s);
    }
}

static void draw_blocks(ig_canvas *c, const ig_plot_matrix *m, const layout *l, const ig_box *in,
                        bool rows)
{
    const ig_plot_block *b = rows ? m->row_block : m->col_block;
    int n = rows ? m->n_row_block : m->n_col_block, size = rows ? m->rows : m->cols;
    double cell = rows ? l->cell_h : l->cell_w;
    const ig_stroke line = {.colour = IG_INK, .width = 0.8};
    ig_text_style s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_MIDDLE, IG_INK);
    s.angle = rows ? 90 : 0;
    for (int i = 0; i < n; i++) {
        double from = b[i].from * cell, to = (i + 1 < n ? b[i + 1].from : size) * cell;
        if (i > 0 && rows)
            ig_canvas_segment(c, in->x, in->y + from, in->x + in->w, in->y + from, &line);
        else if (i > 0)
            ig_canvas_segment(c, in->x + from, in->y, in->x + from, in->y + in->h, &line);
        double x = rows ? in->x - l->label_w - 3 : in->x + (from + to) / 2,
               y = rows ? in->y + (from + to) / 2 : in->y - l->label_h - 3;
        ig_canvas_fit(c, x, y, b[i].name, &s, to - from);
    }
}

static void draw_bar(ig_canvas *c, const ig_plot_matrix *m, const layout *l, const ig_box *in)
{
    enum { steps = 64 };
    uint32_t colour[steps];
    double x = in->x + in->w + 6, h = fmin(fmax(in->h, 24), 110);
    for (int i = 0; i < steps; i++)
        colour[i] = ig_map_colour(m->map, 1 - (i + 0.5) / steps);
    ig_canvas_cells(c, (ig_box){x, in->y, 5, h}, colour, steps, 1);
    const ig_axis a = {.low = l->low, .high = l->high, .from = in->y + h, .to = in->y};
    const ig_text_style s = ig_style_text(IG_SIZE_SMALL, IG_ALIGN_LEFT, IG_INK);
    ig_tick tick[IG_TICK_MAX];
    int n = ig_axis_ticks(&a, h > 60 ? 4 : 2, tick);
    const ig_stroke ink = {.colour = IG_INK, .width = 0.5};
    for (int i = 0; i < n; i++) {
        double at = ig_axis_at(&a, tick[i].value);
        ig_canvas_segment(c, x + 5, at, x + 6.4, at, &ink);
        ig_canvas_text(c, x + 8, fmin(fmax(at + 2.2, in->y + 4), in->y + h + 1), tick[i].text, &s);
    }
    const ig_text_style t = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_RIGHT, IG_INK_SOFT);
    ig_canvas_fit(c, in->x + in->w + l->bar_w, in->y + fmax(in->h, 24) + IG_LINE_HEIGHT,
                  m->bar_label, &t, in->w + l->bar_w);
}

ig_code ig_matrix_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err)
{
    (void)direct;
    const ig_plot_matrix *m = &p->as.matrix;
    layout l = arrange(m, box.w);
    ig_plot_title(c, p->title, &box);
    double left = l.label_w + l.block_w + l.title_w, top = l.label_h + l.block_h + l.title_h;
    ig_box in = {box.x + left, box.y + top, l.cell_w * m->cols, l.cell_h * m->rows};
    if (m->rows < 1 || m->cols < 1) {
        in.w = box.w - left;
        in.h = 30;
        ig_plot_nothing(c, &in);
        return IG_ERR_OK;
    }
    IG_TRY(draw_cells(c, m, &l, &in, err));
    draw_numbers(c, m, &l, &in);
    draw_labels(c, m, &l, &in, true);
    draw_labels(c, m, &l, &in, false);
    draw_blocks(c, m, &l, &in, true);
    draw_blocks(c, m, &l, &in, false);
    draw_bar(c, m, &l, &in);
    ig_text_style s = ig_style_text(IG_SIZE_TEXT, IG_ALIGN_MIDDLE, IG_INK_SOFT);
    char text[IG_TEXT_MAX];
    if (m->col_title != NULL) {
        ig_type_fit(text, m->col_title, &s, in.w + left);
        double half = ig_type_width(text, &s) / 2;
        ig_canvas_text(c, fmax(in.x + in.w / 2, box.x + half), box.y + 6.5, text, &s);
    }
    if (m->row_title != NULL) {
        s.angle = 90;
        ig_type_fit(text, m->row_title, &s, fmax(in.h + top, 40));
        double half = ig_type_width(text, &s) / 2;
        ig_canvas_text(c, box.x + 6.5, fmax(in.y + in.h / 2, box.y + half), text, &s);
    }
    return IG_ERR_OK;
}
