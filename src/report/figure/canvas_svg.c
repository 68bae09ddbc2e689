/* SPDX-License-Identifier: Apache-2.0
 *
 * SVG 1.1 (W3C Recommendation, second edition 2011), the parts a figure needs; inside an HTML page
 * as well as in a file.
 */
#include "report/figure/canvas_svg.h"

#include "base/memory.h"
#include "report/figure/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(ig_svg *s, const char *text, int64_t n)
{
    if (s->code == IG_ERR_OK)
        s->code = ig_grow(&s->text, &s->have, s->n + n + 1, 1, "figure", &s->err);
    if (s->code != IG_ERR_OK)
        return;
    memcpy(s->text + s->n, text, (size_t)n);
    s->n += n;
    s->text[s->n] = '\0';
}

static void put_text(ig_svg *s, const char *text)
{
    put(s, text, (int64_t)strlen(text));
}

static void put_escaped(ig_svg *s, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            put_text(s, "&amp;");
        else if (*text == '<')
            put_text(s, "&lt;");
        else if (*text == '>')
            put_text(s, "&gt;");
        else if (*text == '"')
            put_text(s, "&quot;");
        else
            put(s, text, 1);
    }
}

static void put_number(ig_svg *s, double v)
{
    char b[40];
    long long hundredths = llround((v < -1e9 ? -1e9 : v > 1e9 ? 1e9 : v) * 100);
    const char *sign = hundredths < 0 ? "-" : "";
    unsigned long long a = (unsigned long long)(hundredths < 0 ? -hundredths : hundredths);
    if (a % 100 == 0)
        snprintf(b, sizeof b, "%s%llu", sign, a / 100);
    else if (a % 10 == 0)
        snprintf(b, sizeof b, "%s%llu.%llu", sign, a / 100, a / 10 % 10);
    else
        snprintf(b, sizeof b, "%s%llu.%02llu", sign, a / 100, a % 100);
    put_text(s, b);
}

/* name="number" with a space before it */
static void put_attribute(ig_svg *s, const char *name, double v)
{
    put_text(s, " ");
    put_text(s, name);
    put_text(s, "=\"");
    put_number(s, v);
    put_text(s, "\"");
}

static void put_colour(ig_svg *s, const char *name, int64_t rgb)
{
    char b[64];
    if (rgb < 0)
        snprintf(b, sizeof b, " %s=\"none\"", name);
    else
        snprintf(b, sizeof b, " %s=\"#%06llx\"", name, (unsigned long long)rgb & 0xffffff);
    put_text(s, b);
}

static void put_stroke(ig_svg *s, const ig_stroke *k)
{
    put_colour(s, "stroke", k->colour);
    put_attribute(s, "stroke-width", k->width);
    if (k->opacity > 0 && k->opacity < 1)
        put_attribute(s, "stroke-opacity", k->opacity);
    int n;
    const double *dash = ig_dash(k->dash, &n);
    for (int i = 0; i < n; i++) {
        put_text(s, i == 0 ? " stroke-dasharray=\"" : " ");
        put_number(s, dash[i] * k->width);
    }
    if (n > 0)
        put_text(s, "\"");
}

static void put_point(ig_svg *s, char command, double x, double y)
{
    put(s, &command, 1);
    put_number(s, x);
    put_text(s, " ");
    put_number(s, y);
}

void ig_svg_begin(ig_svg *s, const char *id, double width, double height, bool transparent,
                  const char *title)
{
    /* An id may hold any letter in HTML, but a CSS selector or a url(#…) wants a plain one. */
    size_t n = 0;
    for (const char *p = id; *p != '\0' && n + 1 < sizeof s->id; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= '0' && *p <= '9') || *p == '-' || *p == '_';
        s->id[n++] = plain ? *p : '_';
    }
    put_text(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    put_number(s, width);
    put_text(s, "pt\" height=\"");
    put_number(s, height);
    put_text(s, "pt\" viewBox=\"0 0 ");
    put_number(s, width);
    put_text(s, " ");
    put_number(s, height);
    put_text(s, "\" role=\"img\" font-family=\"");
    put_escaped(s, ig_typeset_families);
    put_text(s, "\"");
    if (title != NULL && *title != '\0') {
        char clean[IG_TEXT_MAX];
        ig_type_clean(clean, title);
        put_text(s, " aria-labelledby=\"");
        put_text(s, s->id);
        put_text(s, "-title\">\n<title id=\"");
        put_text(s, s->id);
        put_text(s, "-title\">");
        put_escaped(s, clean);
        put_text(s, "</title>\n");
    } else {
        put_text(s, ">\n");
    }
    if (!transparent)
        ig_svg_rect(s, (ig_box){0, 0, width, height}, IG_WHITE, NULL);
}

void ig_svg_end(ig_svg *s)
{
    put_text(s, "</svg>\n");
}

void ig_svg_line(ig_svg *s, const double *xy, int64_t n, const ig_stroke *k)
{
    put_text(s, "<path d=\"");
    for (int64_t i = 0; i < n; i++)
        put_point(s, i == 0 ? 'M' : 'L', xy[2 * i], xy[2 * i + 1]);
    put_text(s, n > 2 ? "\" fill=\"none\" stroke-linejoin=\"round\"" : "\"");
    put_stroke(s, k);
    put_text(s, "/>\n");
}

void ig_svg_area(ig_svg *s, const double *xy, int64_t n, uint32_t colour, double opacity)
{
    put_text(s, "<path d=\"");
    for (int64_t i = 0; i < n; i++)
        put_point(s, i == 0 ? 'M' : 'L', xy[2 * i], xy[2 * i + 1]);
    put_text(s, "Z\"");
    put_colour(s, "fill", colour);
    put_attribute(s, "fill-opacity", opacity);
    put_text(s, "/>\n");
}

static void put_box(ig_svg *s, const char *element, ig_box box)
{
    put_text(s, element);
    put_attribute(s, "x", box.x);
    put_attribute(s, "y", box.y);
    put_attribute(s, "width", box.w);
    put_attribute(s, "height", box.h);
}

void ig_svg_rect(ig_svg *s, ig_box box, int64_t fill, const ig_stroke *outline)
{
    put_box(s, "<rect", box);
    put_colour(s, "fill", fill);
    if (outline != NULL)
        put_stroke(s, outline);
    put_text(s, "/>\n");
}

int ig_mark_corners(ig_mark mark, double xy[8])
{
    static const double square[] = {-.89, -.89, .89, -.89, .89, .89, -.89, .89},
                        triangle[] = {0, -1.25, 1.1, .75, -1.1, .75},
                        diamond[] = {0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0},
                        down[] = {0, 1.25, 1.1, -.75, -1.1, -.75},
                        cross[] = {-.9, -.9, .9, .9, -.9, .9, .9, -.9};
    const double *from = mark == IG_MARK_SQUARE     ? square
                         : mark == IG_MARK_TRIANGLE ? triangle
                         : mark == IG_MARK_DIAMOND  ? diamond
                         : mark == IG_MARK_DOWN     ? down
                         : mark == IG_MARK_CROSS    ? cross
                                                    : NULL;
    if (from == NULL)
        return 0;
    int n = mark == IG_MARK_TRIANGLE || mark == IG_MARK_DOWN ? 3 : 4;
    memcpy(xy, from, 2 * (size_t)n * sizeof *xy);
    return n;
}

void ig_svg_marks(ig_svg *s, const double *xy, int64_t n, const ig_marker *look)
{
    const ig_mark mark = look->mark;
    const double size = look->size;
    double corner[8];
    int m = ig_mark_corners(mark, corner);
    bool dots = mark == IG_MARK_DISC && !look->hollow;
    put_text(s, "<path d=\"");
    for (int64_t i = 0; i < n; i++) {
        double x = xy[2 * i], y = xy[2 * i + 1];
        if (dots) { /* a line of no length with round ends is a disc, and short to write */
            put_point(s, 'M', x, y);
            put_text(s, "h0");
        } else if (mark == IG_MARK_DISC) {
            put_point(s, 'M', x - size / 2, y);
            for (int half = 0; half < 2; half++) {
                put_text(s, "a");
                put_number(s, size / 2);
                put_text(s, " ");
                put_number(s, size / 2);
                put_text(s, " 0 1 0 ");
                put_number(s, half == 0 ? size : -size);
                put_text(s, " 0");
            }
            put_text(s, "Z");
        } else {
            for (int k = 0; k < m; k++) {
                const double *q = corner + 2 * k;
                if (k == 0 || (mark == IG_MARK_CROSS && k == 2))
                    put_point(s, 'M', x + q[0] * size / 2, y + q[1] * size / 2);
                else /* steps are shorter to write than places */
                    put_point(s, 'l', (q[0] - q[-2]) * size / 2, (q[1] - q[-1]) * size / 2);
            }
            if (mark != IG_MARK_CROSS)
                put_text(s, "Z");
        }
    }
    put_text(s, "\"");
    if (dots) {
        put_text(s, " fill=\"none\" stroke-linecap=\"round\"");
        put_stroke(s, &(ig_stroke){look->colour, size, look->opacity, 0});
    } else if (mark == IG_MARK_CROSS) {
        put_text(s, " fill=\"none\"");
        put_stroke(s, &(ig_stroke){look->colour, size / 4, look->opacity, 0});
    } else {
        put_colour(s, "fill", look->hollow ? IG_WHITE : look->colour);
        if (look->hollow)
            put_stroke(s, &(ig_stroke){.colour = look->colour, .width = size / 5});
        else if (look->opacity < 1)
            put_attribute(s, "fill-opacity", look->opacity);
    }
    put_text(s, "/>\n");
}

static void put_base64(ig_svg *s, const unsigned char *b, int64_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)b[i] << 16 | (i + 1 < n ? (uint32_t)b[i + 1] << 8 : 0) |
                     (i + 2 < n ? b[i + 2] : 0);
        char out[4];
        for (int k = 0; k < 4; k++)
            out[k] = i + k > n ? '=' : digit[v >> (18 - 6 * k) & 63];
        put(s, out, 4);
    }
}

void ig_svg_image(ig_svg *s, ig_box box, const char *png, int64_t n)
{
    put_box(s, "<image", box);
    put_text(s, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                "href=\"data:image/png;base64,");
    put_base64(s, (const unsigned char *)png, n);
    put_text(s, "\"/>\n");
}

void ig_svg_text(ig_svg *s, const double at[2], const char *text, const ig_text_style *t, bool rtl,
                 const char *families)
{
    static const char *const anchor[] = {"start", "middle", "end"};
    /* The anchor's sides are those of the direction; ours are left and right. */
    int side = rtl ? 2 - (int)t->align : (int)t->align;
    put_text(s, "<text");
    put_attribute(s, "x", at[0]);
    put_attribute(s, "y", at[1]);
    put_attribute(s, "font-size", t->size);
    put_colour(s, "fill", t->colour);
    if (t->bold)
        put_text(s, " font-weight=\"600\"");
    if (side != 0) {
        put_text(s, " text-anchor=\"");
        put_text(s, anchor[side]);
        put_text(s, "\"");
    }
    if (rtl)
        put_text(s, " direction=\"rtl\"");
    if (t->halo)
        put_text(s, " stroke=\"#ffffff\" stroke-width=\"1.6\" stroke-linejoin=\"round\" "
                    "paint-order=\"stroke\"");
    if (t->angle < 0 || t->angle > 0) {
        put_text(s, " transform=\"rotate(");
        put_number(s, -t->angle);
        put_text(s, " ");
        put_number(s, at[0]);
        put_text(s, " ");
        put_number(s, at[1]);
        put_text(s, ")\"");
    }
    if (families != NULL) {
        put_text(s, " font-family=\"");
        put_escaped(s, families);
        put_text(s, ",");
        put_escaped(s, ig_typeset_families);
        put_text(s, "\"");
    }
    put_text(s, strstr(text, "  ") != NULL ? " xml:space=\"preserve\">" : ">");
    put_escaped(s, text);
    put_text(s, "</text>\n");
}

void ig_svg_clip(ig_svg *s, ig_box box)
{
    char name[96];
    snprintf(name, sizeof name, "%s-clip%d", s->id, ++s->n_clip);
    put_text(s, "<clipPath id=\"");
    put_text(s, name);
    put_text(s, "\">");
    ig_svg_rect(s, box, 0, NULL);
    put_text(s, "</clipPath>\n<g clip-path=\"url(#");
    put_text(s, name);
    put_text(s, ")\">\n");
}

void ig_svg_unclip(ig_svg *s)
{
    put_text(s, "</g>\n");
}
