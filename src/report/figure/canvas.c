/* SPDX-License-Identifier: Apache-2.0
 *
 * SVG 1.1 (W3C Recommendation, second edition 2011), the parts a figure needs; inside an HTML page
 * as well as in a file. Images are PNG (W3C Recommendation, second edition 2003): one block of
 * pixels without a filter, compressed by zlib.
 */
#include "report/figure/canvas.h"

#include "base/assert.h"
#include "base/memory.h"
#include "report/figure/palette.h"
#include "report/table/html.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

/* The first that a viewer has is taken for each letter that it has. */
static const char first_family[] = "Noto Sans",
                  families[] = "DejaVu Sans,Helvetica,Arial,sans-serif";

struct ig_canvas {
    FILE *fp; /* a stream of memory: what the figure is so far */
    char *bytes;
    size_t n;
    char id[64];
    int n_clip;
    bool clipped;
    ig_code code;
    ig_err err;
};

static void put_number(FILE *fp, double v)
{
    long long hundredths = llround((v < -1e9 ? -1e9 : v > 1e9 ? 1e9 : v) * 100);
    const char *sign = hundredths < 0 ? "-" : "";
    unsigned long long a = (unsigned long long)(hundredths < 0 ? -hundredths : hundredths);
    if (a % 100 == 0)
        fprintf(fp, "%s%llu", sign, a / 100);
    else if (a % 10 == 0)
        fprintf(fp, "%s%llu.%llu", sign, a / 100, a / 10 % 10);
    else
        fprintf(fp, "%s%llu.%02llu", sign, a / 100, a % 100);
}

/* Each '@' of fmt is a double, everything else is written as it is. */
static void put(ig_canvas *c, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    for (const char *p = fmt; *p != '\0'; p++)
        if (*p == '@')
            put_number(c->fp, va_arg(list, double));
        else
            fputc(*p, c->fp);
    va_end(list);
}

static void put_colour(ig_canvas *c, const char *name, int64_t rgb)
{
    if (rgb < 0)
        fprintf(c->fp, " %s=\"none\"", name);
    else
        fprintf(c->fp, " %s=\"#%06llx\"", name, (unsigned long long)rgb & 0xffffff);
}

static void put_stroke(ig_canvas *c, const ig_stroke *k)
{
    put_colour(c, "stroke", k->colour);
    put(c, " stroke-width=\"@\"", k->width);
    if (k->opacity > 0 && k->opacity < 1)
        put(c, " stroke-opacity=\"@\"", k->opacity);
    int n;
    const double *dash = ig_dash(k->dash, &n);
    for (int i = 0; i < n; i++)
        put(c, i == 0 ? " stroke-dasharray=\"@" : " @", dash[i] * k->width);
    put(c, n > 0 ? "\"" : "");
}

static void begin(ig_canvas *c, const double size[2], const char *title)
{
    put(c,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"@pt\" height=\"@pt\" "
        "viewBox=\"0 0 @ @\" role=\"img\" font-family=\"",
        size[0], size[1], size[0], size[1]);
    fprintf(c->fp, "%s,%s", first_family, families);
    if (title != NULL && *title != '\0') {
        fprintf(c->fp, "\" aria-labelledby=\"%s-title\">\n<title id=\"%s-title\">", c->id, c->id);
        ig_html_text(c->fp, title);
        put(c, "</title>\n");
    } else {
        put(c, "\">\n");
    }
}

ig_code ig_canvas_new(ig_canvas **out, const ig_figure_output *o, const double size[2],
                      const char *title, ig_err *err)
{
    IG_TRY(ig_alloc(out, 1, sizeof **out, "canvas", err));
    ig_canvas *c = *out;
    c->fp = open_memstream(&c->bytes, &c->n);
    if (c->fp == NULL) {
        ig_free(c);
        *out = NULL;
        return ig_fail(err, IG_ERR_MEMORY, "figure", 0, "not enough memory to draw it");
    }
    /* An id may hold any letter in HTML, but a CSS selector or a url(#…) wants a plain one. */
    size_t n = 0;
    for (const char *p = o->id != NULL ? o->id : "figure"; *p != '\0' && n + 1 < sizeof c->id; p++)
        c->id[n++] = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                             (*p >= '0' && *p <= '9') || *p == '-'
                         ? *p
                         : '_';
    begin(c, size, title);
    if (!o->transparent && o->format != IG_FIGURE_PDF)
        ig_canvas_rect(c, (ig_box){0, 0, size[0], size[1]}, IG_WHITE, NULL);
    return IG_ERR_OK;
}

ig_code ig_canvas_finish(ig_canvas *c, ig_code code, char **bytes, int64_t *n, ig_err *err)
{
    put(c, "</svg>\n");
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

static void put_path(ig_canvas *c, const double *xy, int64_t n)
{
    put(c, "<path d=\"");
    for (int64_t i = 0; i < n; i++)
        put(c, i == 0 ? "M@ @" : "L@ @", xy[2 * i], xy[2 * i + 1]);
}

void ig_canvas_line(ig_canvas *c, const double *xy, int64_t n, const ig_stroke *s)
{
    if (n < 2 || !(s->width > 0) || !all_finite(xy, 2 * n))
        return;
    put_path(c, xy, n);
    put(c, n > 2 ? "\" fill=\"none\" stroke-linejoin=\"round\"" : "\"");
    put_stroke(c, s);
    put(c, "/>\n");
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
    put_path(c, xy, n);
    put(c, "Z\"");
    put_colour(c, "fill", colour);
    put(c, " fill-opacity=\"@\"/>\n", opacity);
}

static void put_box(ig_canvas *c, ig_box b)
{
    put(c, " x=\"@\" y=\"@\" width=\"@\" height=\"@\"", b.x, b.y, b.w, b.h);
}

void ig_canvas_rect(ig_canvas *c, ig_box box, int64_t fill, const ig_stroke *outline)
{
    if (!all_finite((const double[]){box.x, box.y, box.w, box.h}, 4) || box.w < 0 || box.h < 0)
        return;
    put(c, "<rect");
    put_box(c, box);
    put_colour(c, "fill", fill);
    if (outline != NULL)
        put_stroke(c, outline);
    put(c, "/>\n");
}

/* The n corners of a mark around (0, 0) with a size of 1, as closed shape; none for a disc. The
 * cross is two lines of two. */
static const double *corners_of(ig_mark mark, int *n)
{
    static const double square[] = {-.89, -.89, .89, -.89, .89, .89, -.89, .89},
                        triangle[] = {0, -1.25, 1.1, .75, -1.1, .75},
                        diamond[] = {0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0},
                        down[] = {0, 1.25, 1.1, -.75, -1.1, -.75},
                        cross[] = {-.9, -.9, .9, .9, -.9, .9, .9, -.9};
    static const double *const all[IG_N_MARK] = {NULL, square, triangle, diamond, cross, down};
    *n = all[mark] == NULL ? 0 : mark == IG_MARK_TRIANGLE || mark == IG_MARK_DOWN ? 3 : 4;
    return all[mark];
}

void ig_canvas_marks(ig_canvas *c, const double *xy, int64_t n, const ig_marker *look)
{
    const double size = look->size, r = size / 2;
    int m;
    const double *corner = corners_of(look->mark, &m);
    const bool dots = look->mark == IG_MARK_DISC && !look->hollow,
               cross = look->mark == IG_MARK_CROSS;
    if (n < 1 || !all_finite(xy, 2 * n))
        return;
    put(c, "<path d=\"");
    for (int64_t i = 0; i < n; i++) {
        const double x = xy[2 * i], y = xy[2 * i + 1];
        if (dots) /* a line of no length with round ends is a disc, and short to write */
            put(c, "M@ @h0", x, y);
        else if (m == 0)
            put(c, "M@ @a@ @ 0 1 0 @ 0a@ @ 0 1 0 @ 0Z", x - r, y, r, r, size, r, r, -size);
        for (int k = 0; k < m; k++) {
            const double *q = corner + 2 * k;
            if (k == 0 || (cross && k == 2))
                put(c, "M@ @", x + q[0] * r, y + q[1] * r);
            else /* steps are shorter to write than places */
                put(c, "l@ @", (q[0] - q[-2]) * r, (q[1] - q[-1]) * r);
        }
        put(c, m > 0 && !cross ? "Z" : "");
    }
    put(c, "\"");
    if (dots || cross) {
        put(c, dots ? " fill=\"none\" stroke-linecap=\"round\"" : " fill=\"none\"");
        put_stroke(c, &(ig_stroke){look->colour, dots ? size : size / 4, look->opacity, 0});
    } else {
        put_colour(c, "fill", look->hollow ? IG_WHITE : look->colour);
        if (look->hollow)
            put_stroke(c, &(ig_stroke){.colour = look->colour, .width = size / 5});
        else if (look->opacity < 1)
            put(c, " fill-opacity=\"@\"", look->opacity);
    }
    put(c, "/>\n");
}

/* --- images ---------------------------------------------------------------------------------- */

static unsigned char *put_word(unsigned char *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        *to++ = (unsigned char)(v >> (24 - 8 * i));
    return to;
}

/* Adds length, name, data (already there, 8 bytes after `to`) and checksum; returns the next
 * position. */
static unsigned char *close_chunk(unsigned char *to, const char *name, size_t n)
{
    memcpy(put_word(to, (uint32_t)n), name, 4);
    return put_word(to + 8 + n, (uint32_t)crc32(0, to + 4, (uInt)(n + 4)));
}

/* Writes a PNG with one pixel for each cell to `out`, which is large enough. */
static size_t make_png(unsigned char *out, uLong room, unsigned char *rows, const uint32_t *colour,
                       int n_row, int n_col)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'},
                               rgb[] = {8, 2, 0, 0, 0};
    unsigned char *p = rows, *to = out + sizeof signature;
    for (int i = 0; i < n_row; i++) {
        *p++ = 0; /* no filter */
        for (int k = 0; k < n_col; k++, colour++) {
            *p++ = (unsigned char)(*colour >> 16);
            *p++ = (unsigned char)(*colour >> 8);
            *p++ = (unsigned char)*colour;
        }
    }
    memcpy(out, signature, sizeof signature);
    put_word(put_word(to + 8, (uint32_t)n_col), (uint32_t)n_row);
    memcpy(to + 16, rgb, sizeof rgb);
    to = close_chunk(to, "IHDR", 13);
    compress2(to + 8, &room, rows, (uLong)(p - rows), 9);
    to = close_chunk(to, "IDAT", room);
    return (size_t)(close_chunk(to, "IEND", 0) - out);
}

static ig_code put_image(ig_canvas *c, ig_box box, const uint32_t *colour, int rows, int cols,
                         ig_err *err)
{
    const int64_t n = (int64_t)rows * (3 * (int64_t)cols + 1);
    const uLong room = compressBound((uLong)n);
    unsigned char *raw, *png = NULL, *text = NULL;
    ig_code code = ig_alloc(&raw, n, 1, "image", err);
    IG_THEN(code, ig_alloc(&png, (int64_t)room + 100, 1, "image", err));
    IG_THEN(code, ig_alloc(&text, (int64_t)(room + 100) / 3 * 4 + 8, 1, "image", err));
    if (code == IG_ERR_OK) {
        EVP_EncodeBlock(text, png, (int)make_png(png, room, raw, colour, rows, cols));
        put(c, "<image");
        put_box(c, box);
        fprintf(c->fp,
                " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                "href=\"data:image/png;base64,%s\"/>\n",
                (char *)text);
    }
    IG_FREE(raw, png, text);
    return code;
}

void ig_canvas_cells(ig_canvas *c, ig_box box, const uint32_t *colour, int rows, int cols)
{
    if (rows > 0 && cols > 0 && c->code == IG_ERR_OK)
        c->code = put_image(c, box, colour, rows, cols, &c->err);
}

/* --- text ------------------------------------------------------------------------------------ */

void ig_canvas_text(ig_canvas *c, double x, double y, const char *text, const ig_text_style *s)
{
    static const char *const anchor[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    if (text == NULL || *text == '\0' || !isfinite(x) || !isfinite(y))
        return;
    const bool rtl = ig_type_is_rtl(text);
    char script[64];
    put(c, "<text x=\"@\" y=\"@\" font-size=\"@\"", x, y, s->size);
    put_colour(c, "fill", s->colour);
    put(c, s->bold ? " font-weight=\"600\"" : "");
    /* The anchor's sides are those of the direction; ours are left and right. */
    put(c, anchor[rtl ? 2 - (int)s->align : (int)s->align]);
    put(c, rtl ? " direction=\"rtl\"" : "");
    if (s->halo)
        put(c, " stroke=\"#ffffff\" stroke-width=\"1.6\" stroke-linejoin=\"round\" "
               "paint-order=\"stroke\"");
    if (s->angle < 0 || s->angle > 0)
        put(c, " transform=\"rotate(@ @ @)\"", -s->angle, x, y);
    /* Viewers that look for a font by themselves may part a letter from its marks. */
    if (ig_type_script(script, text))
        fprintf(c->fp, " font-family=\"%s,%s %s,%s\"", first_family, first_family, script,
                families);
    put(c, strstr(text, "  ") != NULL ? " xml:space=\"preserve\">" : ">");
    ig_html_text(c->fp, text);
    put(c, "</text>\n");
}

void ig_canvas_fit(ig_canvas *c, double x, double y, const char *text, const ig_text_style *s,
                   double most)
{
    char fitting[IG_TEXT_MAX];
    ig_type_fit(fitting, text, s, most);
    ig_canvas_text(c, x, y, fitting, s);
}

void ig_canvas_clip(ig_canvas *c, ig_box box)
{
    IG_ASSERT(!c->clipped);
    c->clipped = true;
    fprintf(c->fp, "<clipPath id=\"%s-clip%d\">", c->id, ++c->n_clip);
    ig_canvas_rect(c, box, 0, NULL);
    fprintf(c->fp, "</clipPath>\n<g clip-path=\"url(#%s-clip%d)\">\n", c->id, c->n_clip);
}

void ig_canvas_unclip(ig_canvas *c)
{
    IG_ASSERT(c->clipped);
    c->clipped = false;
    put(c, "</g>\n");
}
