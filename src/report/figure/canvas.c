/* SPDX-License-Identifier: Apache-2.0
 *
 * The canvas: every call goes either to SVG (canvas_svg.c) or to cairo. PDF and PNG come from cairo
 * with text set by pango, embedded in PDF as text with its letters.
 */
#include "report/figure/canvas.h"

#include "base/assert.h"
#include "base/memory.h"
#include "report/figure/canvas_svg.h"
#include "report/figure/palette.h"
#include "report/figure/pango.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ig_canvas {
    ig_figure_output o;
    ig_typesetter *type;
    double width, height, scale; /* scale: pixels a point */
    ig_svg svg;
    cairo_surface_t *surface;
    cairo_t *cr;
    FILE *fp; /* a stream of memory: what the figure is so far */
    char *bytes;
    size_t n;
    ig_code code;
    ig_err err;
    bool clipped;
};

static cairo_status_t take_bytes(void *fp, const unsigned char *data, unsigned int n)
{
    return fwrite(data, 1, n, fp) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}

static void begin_cairo(ig_canvas *c, const char *title)
{
    if (c->o.format == IG_FIGURE_PDF) {
        c->surface = cairo_pdf_surface_create_for_stream(take_bytes, c->fp, c->width, c->height);
        /* The date of writing is no part of the figure. */
        cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                       "2020-01-01T00:00:00Z");
        char clean[IG_TEXT_MAX];
        ig_type_clean(clean, title);
        cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE, clean);
    } else {
        c->scale = (c->o.dpi > 0 ? c->o.dpi : 300) / 72;
        c->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(c->width * c->scale),
                                                (int)ceil(c->height * c->scale));
    }
    c->cr = cairo_create(c->surface);
    cairo_scale(c->cr, c->scale, c->scale);
    cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    if (!c->o.transparent && c->o.format == IG_FIGURE_PNG) {
        cairo_set_source_rgb(c->cr, 1, 1, 1);
        cairo_paint(c->cr);
    }
}

ig_code ig_canvas_new(ig_canvas **out, const ig_figure_output *o, ig_typesetter *type,
                      const double size[2], const char *title, ig_err *err)
{
    IG_TRY(ig_alloc(out, 1, sizeof **out, "canvas", err));
    ig_canvas *c = *out;
    c->o = *o;
    c->type = type;
    c->width = size[0];
    c->height = size[1];
    c->scale = 1;
    c->fp = c->svg.fp = open_memstream(&c->bytes, &c->n);
    if (c->fp == NULL) {
        ig_free(c);
        *out = NULL;
        return ig_fail(err, IG_ERR_MEMORY, "figure", 0, "not enough memory to draw it");
    }
    if (o->format == IG_FIGURE_SVG)
        ig_svg_begin(&c->svg, o->id != NULL ? o->id : "figure", size, o->transparent, title);
    else
        begin_cairo(c, title != NULL ? title : "");
    return IG_ERR_OK;
}

ig_typesetter *ig_canvas_type(ig_canvas *c)
{
    return c->type;
}

ig_code ig_canvas_finish(ig_canvas *c, ig_code code, char **bytes, int64_t *n, ig_err *err)
{
    if (c->cr != NULL) {
        cairo_status_t status = cairo_status(c->cr);
        if (status == CAIRO_STATUS_SUCCESS && c->o.format == IG_FIGURE_PNG)
            status = cairo_surface_write_to_png_stream(c->surface, take_bytes, c->fp);
        cairo_destroy(c->cr);
        cairo_surface_finish(c->surface);
        if (status == CAIRO_STATUS_SUCCESS)
            status = cairo_surface_status(c->surface);
        cairo_surface_destroy(c->surface);
        if (status != CAIRO_STATUS_SUCCESS && c->code == IG_ERR_OK)
            c->code = ig_fail(&c->err, status == CAIRO_STATUS_NO_MEMORY ? IG_ERR_MEMORY : IG_ERR_IO,
                              "figure", 0, "cannot be drawn: %s", cairo_status_to_string(status));
    } else {
        fputs("</svg>\n", c->fp);
    }
    if (!ig_memstream_close(c->fp) && c->code == IG_ERR_OK)
        c->code = ig_fail(&c->err, IG_ERR_MEMORY, "figure", 0, "not enough memory to draw it");
    if (code == IG_ERR_OK && c->code != IG_ERR_OK && err != NULL)
        *err = c->err;
    code = code == IG_ERR_OK ? c->code : code;
    if (code == IG_ERR_OK) {
        *bytes = c->bytes;
        *n = (int64_t)c->n;
    } else {
        ig_free(c->bytes);
    }
    ig_free(c);
    return code;
}

static bool all_finite(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static void set_colour(ig_canvas *c, uint32_t rgb, double opacity)
{
    cairo_set_source_rgba(c->cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                          (rgb & 255) / 255.0, opacity);
}

static void do_stroke(ig_canvas *c, const ig_stroke *s)
{
    double length[8];
    int n;
    const double *dash = ig_dash(s->dash, &n);
    for (int i = 0; i < n; i++)
        length[i] = dash[i] * s->width;
    set_colour(c, s->colour, s->opacity > 0 ? s->opacity : 1);
    cairo_set_line_width(c->cr, s->width);
    cairo_set_dash(c->cr, length, n, 0);
    cairo_stroke(c->cr);
    cairo_set_dash(c->cr, NULL, 0, 0);
}

static void add_path(ig_canvas *c, const double *xy, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (i == 0)
            cairo_move_to(c->cr, xy[0], xy[1]);
        else
            cairo_line_to(c->cr, xy[2 * i], xy[2 * i + 1]);
}

void ig_canvas_line(ig_canvas *c, const double *xy, int64_t n, const ig_stroke *s)
{
    if (n < 2 || !(s->width > 0) || !all_finite(xy, 2 * n))
        return;
    if (c->cr == NULL) {
        ig_svg_line(&c->svg, xy, n, s);
        return;
    }
    add_path(c, xy, n);
    do_stroke(c, s);
}

void ig_canvas_segment(ig_canvas *c, double x0, double y0, double x1, double y1, const ig_stroke *s)
{
    const double xy[] = {x0, y0, x1, y1};
    ig_canvas_line(c, xy, 2, s);
}

void ig_canvas_area(ig_canvas *c, const double *xy, int64_t n, uint32_t colour, double opacity)
{
    if (n < 3 || !all_finite(xy, 2 * n))
        return;
    if (c->cr == NULL) {
        ig_svg_area(&c->svg, xy, n, colour, opacity);
        return;
    }
    add_path(c, xy, n);
    cairo_close_path(c->cr);
    set_colour(c, colour, opacity);
    cairo_fill(c->cr);
}

void ig_canvas_rect(ig_canvas *c, ig_box box, int64_t fill, const ig_stroke *outline)
{
    if (!all_finite((const double[]){box.x, box.y, box.w, box.h}, 4) || box.w < 0 || box.h < 0)
        return;
    if (c->cr == NULL) {
        ig_svg_rect(&c->svg, box, fill, outline);
        return;
    }
    cairo_rectangle(c->cr, box.x, box.y, box.w, box.h);
    if (fill >= 0) {
        set_colour(c, (uint32_t)fill, 1);
        cairo_fill_preserve(c->cr);
    }
    if (outline != NULL)
        do_stroke(c, outline);
    cairo_new_path(c->cr);
}

static void cairo_marks(ig_canvas *c, const double *xy, int64_t n, const ig_marker *look)
{
    const ig_mark mark = look->mark;
    const double size = look->size;
    double corner[8];
    int m = ig_mark_corners(mark, corner);
    for (int64_t i = 0; i < n; i++) {
        double x = xy[2 * i], y = xy[2 * i + 1];
        if (m == 0) {
            cairo_new_sub_path(c->cr);
            cairo_arc(c->cr, x, y, size / 2, 0, 2 * 3.14159265358979323846);
            cairo_close_path(c->cr);
        }
        for (int k = 0; k < m; k++) {
            double px = x + corner[2 * k] * size / 2, py = y + corner[2 * k + 1] * size / 2;
            if (k == 0 || (mark == IG_MARK_CROSS && k == 2))
                cairo_move_to(c->cr, px, py);
            else
                cairo_line_to(c->cr, px, py);
        }
        if (m > 0 && mark != IG_MARK_CROSS)
            cairo_close_path(c->cr);
    }
    if (mark == IG_MARK_CROSS) {
        do_stroke(c, &(ig_stroke){look->colour, size / 4, look->opacity, 0});
        return;
    }
    set_colour(c, look->hollow ? IG_WHITE : look->colour, look->hollow ? 1 : look->opacity);
    cairo_fill_preserve(c->cr);
    if (look->hollow)
        do_stroke(c, &(ig_stroke){.colour = look->colour, .width = size / 5});
    cairo_new_path(c->cr);
}

void ig_canvas_marks(ig_canvas *c, const double *xy, int64_t n, const ig_marker *m)
{
    if (n < 1 || !all_finite(xy, 2 * n))
        return;
    if (c->cr == NULL)
        ig_svg_marks(&c->svg, xy, n, m);
    else
        cairo_marks(c, xy, n, m);
}

/* An image of a pixel a cell. */
static cairo_surface_t *cell_image(const uint32_t *colour, int rows, int cols)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, cols, rows);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS)
        return image;
    cairo_surface_flush(image);
    unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int i = 0; i < rows; i++)
        memcpy(data + (size_t)i * (size_t)stride, colour + (size_t)i * (size_t)cols,
               (size_t)cols * sizeof *colour);
    cairo_surface_mark_dirty(image);
    return image;
}

void ig_canvas_cells(ig_canvas *c, ig_box box, const uint32_t *colour, int rows, int cols)
{
    if (rows < 1 || cols < 1 || c->code != IG_ERR_OK)
        return;
    cairo_surface_t *image = cell_image(colour, rows, cols);
    if (c->cr != NULL) {
        cairo_save(c->cr);
        cairo_translate(c->cr, box.x, box.y);
        cairo_scale(c->cr, box.w / cols, box.h / rows);
        cairo_set_source_surface(c->cr, image, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(c->cr), CAIRO_FILTER_NEAREST);
        cairo_rectangle(c->cr, 0, 0, cols, rows);
        cairo_fill(c->cr);
        cairo_restore(c->cr);
    } else {
        char *png = NULL;
        size_t n;
        FILE *fp = open_memstream(&png, &n);
        cairo_status_t status = fp != NULL
                                    ? cairo_surface_write_to_png_stream(image, take_bytes, fp)
                                    : CAIRO_STATUS_NO_MEMORY;
        if (fp != NULL && !ig_memstream_close(fp))
            status = CAIRO_STATUS_NO_MEMORY;
        if (status == CAIRO_STATUS_SUCCESS)
            ig_svg_image(&c->svg, box, png, (int64_t)n);
        else
            c->code = ig_fail(&c->err, IG_ERR_MEMORY, "figure", 0,
                              "cannot make an image of %d x %d cells: %s", rows, cols,
                              cairo_status_to_string(status));
        free(png);
    }
    cairo_surface_destroy(image);
}

void ig_canvas_text(ig_canvas *c, double x, double y, const char *text, const ig_text_style *s)
{
    if (text == NULL || *text == '\0' || !isfinite(x) || !isfinite(y))
        return;
    char clean[IG_TEXT_MAX];
    ig_type_clean(clean, text);
    ig_type_check(c->type, clean, s);
    if (c->cr == NULL) {
        char families[IG_TEXT_MAX];
        bool more = ig_type_families(c->type, families, clean, s);
        ig_svg_text(&c->svg, (const double[]){x, y}, clean, s, ig_type_is_rtl(c->type, clean, s),
                    more ? families : NULL);
        return;
    }
    double width = ig_type_width(c->type, clean, s);
    PangoLayout *layout = ig_type_layout(c->type, clean, s);
    PangoLayoutLine *line = pango_layout_get_line_readonly(layout, 0);
    cairo_save(c->cr);
    cairo_translate(c->cr, x, y);
    cairo_rotate(c->cr, -s->angle * 3.14159265358979323846 / 180);
    cairo_move_to(c->cr, -width * (int)s->align / 2, 0);
    if (s->halo) {
        pango_cairo_layout_line_path(c->cr, line);
        do_stroke(c, &(ig_stroke){.colour = IG_WHITE, .width = 1.6});
        cairo_move_to(c->cr, -width * (int)s->align / 2, 0);
    }
    set_colour(c, s->colour, 1);
    pango_cairo_show_layout_line(c->cr, line);
    cairo_restore(c->cr);
    cairo_new_path(c->cr);
}

void ig_canvas_fit(ig_canvas *c, double x, double y, const char *text, const ig_text_style *s,
                   double most)
{
    char fitting[IG_TEXT_MAX];
    ig_type_fit(c->type, fitting, text, s, most);
    ig_canvas_text(c, x, y, fitting, s);
}

void ig_canvas_clip(ig_canvas *c, ig_box box)
{
    IG_ASSERT(!c->clipped);
    c->clipped = true;
    if (c->cr == NULL) {
        ig_svg_clip(&c->svg, box);
        return;
    }
    cairo_save(c->cr);
    cairo_rectangle(c->cr, box.x, box.y, box.w, box.h);
    cairo_clip(c->cr);
}

void ig_canvas_unclip(ig_canvas *c)
{
    IG_ASSERT(c->clipped);
    c->clipped = false;
    if (c->cr == NULL)
        fputs("</g>\n", c->fp);
    else
        cairo_restore(c->cr);
}
