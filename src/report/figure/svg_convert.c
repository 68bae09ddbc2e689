/* SPDX-License-Identifier: Apache-2.0
 *
 * librsvg draws on cairo, which it brings along; text is set by pango with the fonts of this
 * machine, in PDF as text. The few functions are declared here, as their interface is fixed, so
 * that isoglot is built without their headers: librsvg 2.46 (Rsvg-2.0), cairo 1.16.
 */
#include "report/figure/svg_convert.h"

#include "base/memory.h"
#include "base/on_demand.h"

#include <math.h>
#include <stdio.h>

typedef struct RsvgHandle RsvgHandle;
typedef struct cairo_t cairo_t;
typedef struct cairo_surface_t cairo_surface_t;
typedef int write_fn(void *closure, const unsigned char *data, unsigned int n);
typedef struct {
    double x, y, width, height;
} RsvgRectangle;
enum { argb32 = 0, success = 0, no_memory = 1, write_error = 11, pdf_title = 0, pdf_date = 5 };

RsvgHandle *rsvg_handle_new_from_data(const unsigned char *data, size_t n, void **error);
int rsvg_handle_render_document(RsvgHandle *h, cairo_t *cr, const RsvgRectangle *r, void **error);
void g_object_unref(void *object);
cairo_surface_t *cairo_pdf_surface_create_for_stream(write_fn *f, void *to, double w, double h);
void cairo_pdf_surface_set_metadata(cairo_surface_t *s, int which, const char *text);
cairo_surface_t *cairo_image_surface_create(int format, int w, int h);
int cairo_surface_write_to_png_stream(cairo_surface_t *s, write_fn *f, void *to);
void cairo_surface_finish(cairo_surface_t *s);
int cairo_surface_status(cairo_surface_t *s);
void cairo_surface_destroy(cairo_surface_t *s);
cairo_t *cairo_create(cairo_surface_t *s);
void cairo_scale(cairo_t *cr, double x, double y);
void cairo_destroy(cairo_t *cr);
const char *cairo_status_to_string(int status);

static const char *const files[] = {"librsvg-2.so.2", "librsvg-2.2.dylib", NULL};
static ig_on_demand rsvg = {
    .file = files, .what = "figures in PDF or PNG", .install = "librsvg (Debian: librsvg2-2)"};
#define rsvg_handle_new_from_data IG_ON_DEMAND(rsvg, rsvg_handle_new_from_data)
#define rsvg_handle_render_document IG_ON_DEMAND(rsvg, rsvg_handle_render_document)
#define g_object_unref IG_ON_DEMAND(rsvg, g_object_unref)
#define cairo_pdf_surface_create_for_stream IG_ON_DEMAND(rsvg, cairo_pdf_surface_create_for_stream)
#define cairo_pdf_surface_set_metadata IG_ON_DEMAND(rsvg, cairo_pdf_surface_set_metadata)
#define cairo_image_surface_create IG_ON_DEMAND(rsvg, cairo_image_surface_create)
#define cairo_surface_write_to_png_stream IG_ON_DEMAND(rsvg, cairo_surface_write_to_png_stream)
#define cairo_surface_finish IG_ON_DEMAND(rsvg, cairo_surface_finish)
#define cairo_surface_status IG_ON_DEMAND(rsvg, cairo_surface_status)
#define cairo_surface_destroy IG_ON_DEMAND(rsvg, cairo_surface_destroy)
#define cairo_create IG_ON_DEMAND(rsvg, cairo_create)
#define cairo_scale IG_ON_DEMAND(rsvg, cairo_scale)
#define cairo_destroy IG_ON_DEMAND(rsvg, cairo_destroy)
#define cairo_status_to_string IG_ON_DEMAND(rsvg, cairo_status_to_string)

static int take_bytes(void *fp, const unsigned char *data, unsigned int n)
{
    return fwrite(data, 1, n, fp) == n ? success : write_error;
}

/* Draws onto the surface, which it ends; cairo's status, or −1: librsvg cannot read the drawing. */
static int render(cairo_surface_t *s, const ig_drawing *d, double scale, bool png, FILE *fp)
{
    RsvgHandle *h = rsvg_handle_new_from_data((const unsigned char *)d->svg, (size_t)d->n, NULL);
    cairo_t *cr = cairo_create(s);
    cairo_scale(cr, scale, scale);
    const RsvgRectangle page = {0, 0, d->size[0], d->size[1]};
    const bool drawn = h != NULL && rsvg_handle_render_document(h, cr, &page, NULL);
    cairo_destroy(cr);
    if (h != NULL)
        g_object_unref(h);
    int status = cairo_surface_status(s);
    if (status == success && png)
        status = cairo_surface_write_to_png_stream(s, take_bytes, fp);
    cairo_surface_finish(s);
    status = status == success ? cairo_surface_status(s) : status;
    return status == success && !drawn ? -1 : status;
}

ig_code ig_svg_convert_begin(ig_err *err)
{
    return ig_on_demand_load(&rsvg, err);
}

ig_code ig_svg_convert(char **out, int64_t *n, const ig_drawing *d, const ig_figure_output *o,
                       ig_err *err)
{
    char *bytes = NULL;
    size_t size = 0;
    const bool png = o->format == IG_FIGURE_PNG;
    const double scale = png ? (o->dpi > 0 ? o->dpi : 300) / 72 : 1;
    IG_TRY(ig_svg_convert_begin(err));
    FILE *fp = open_memstream(&bytes, &size);
    if (fp == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "figure", 0, "not enough memory to draw it");
    cairo_surface_t *s =
        png ? cairo_image_surface_create(argb32, (int)ceil(d->size[0] * scale),
                                         (int)ceil(d->size[1] * scale))
            : cairo_pdf_surface_create_for_stream(take_bytes, fp, d->size[0], d->size[1]);
    if (!png) { /* the date of writing is no part of the figure */
        cairo_pdf_surface_set_metadata(s, pdf_date, "2020-01-01T00:00:00Z");
        cairo_pdf_surface_set_metadata(s, pdf_title, d->title != NULL ? d->title : "");
    }
    int status = render(s, d, scale, png, fp);
    cairo_surface_destroy(s);
    if (!ig_memstream_close(fp))
        status = no_memory;
    if (status == success) {
        *out = bytes;
        *n = (int64_t)size;
        return IG_ERR_OK;
    }
    ig_free(bytes);
    return ig_fail(err, status == no_memory ? IG_ERR_MEMORY : IG_ERR_IO, "figure", 0,
                   "cannot be drawn: %s",
                   status < 0 ? "librsvg does not read it" : cairo_status_to_string(status));
}
