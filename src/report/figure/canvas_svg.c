/* SPDX-License-Identifier: Apache-2.0
 *
 * SVG 1.1 (W3C Recommendation, second edition 2011), the parts a figure needs; inside an HTML page
 * as well as in a file.
 */
#include "report/figure/canvas_svg.h"

#include "report/figure/palette.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

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
static void put(ig_svg *s, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    for (const char *p = fmt; *p != '\0'; p++)
        if (*p == '@')
            put_number(s->fp, va_arg(list, double));
        else
            fputc(*p, s->fp);
    va_end(list);
}

static void put_escaped(ig_svg *s, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            fputs("&amp;", s->fp);
        else if (*text == '<')
            fputs("&lt;", s->fp);
        else if (*text == '>')
            fputs("&gt;", s->fp);
        else if (*text == '"')
            fputs("&quot;", s->fp);
        else
            fputc(*text, s->fp);
    }
}

static void put_colour(ig_svg *s, const char *name, int64_t rgb)
{
    if (rgb < 0)
        fprintf(s->fp, " %s=\"none\"", name);
    else
        fprintf(s->fp, " %s=\"#%06llx\"", name, (unsigned long long)rgb & 0xffffff);
}

static void put_stroke(ig_svg *s, const ig_stroke *k)
{
    put_colour(s, "stroke", k->colour);
    put(s, " stroke-width=\"@\"", k->width);
    if (k->opacity > 0 && k->opacity < 1)
        put(s, " stroke-opacity=\"@\"", k->opacity);
    int n;
    const double *dash = ig_dash(k->dash, &n);
    for (int i = 0; i < n; i++)
        put(s, i == 0 ? " stroke-dasharray=\"@" : " @", dash[i] * k->width);
    put(s, n > 0 ? "\"" : "");
}

void ig_svg_begin(ig_svg *s, const char *id, const double size[2], bool transparent,
                  const char *title)
{
    /* An id may hold any letter in HTML, but a CSS selector or a url(#…) wants a plain one. */
    size_t n = 0;
    for (const char *p = id; *p != '\0' && n + 1 < sizeof s->id; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= '0' && *p <= '9') || *p == '-' || *p == '_';
        s->id[n++] = plain ? *p : '_';
    }
    put(s,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"@pt\" height=\"@pt\" "
        "viewBox=\"0 0 @ @\" role=\"img\" font-family=\"",
        size[0], size[1], size[0], size[1]);
    put_escaped(s, ig_typeset_families);
    if (title != NULL && *title != '\0') {
        char clean[IG_TEXT_MAX];
        ig_type_clean(clean, title);
        fprintf(s->fp, "\" aria-labelledby=\"%s-title\">\n<title id=\"%s-title\">", s->id, s->id);
        put_escaped(s, clean);
        put(s, "</title>\n");
    } else {
        put(s, "\">\n");
    }
    if (!transparent)
        ig_svg_rect(s, (ig_box){0, 0, size[0], size[1]}, IG_WHITE, NULL);
}

static void put_path(ig_svg *s, const double *xy, int64_t n)
{
    put(s, "<path d=\"");
    for (int64_t i = 0; i < n; i++)
        put(s, i == 0 ? "M@ @" : "L@ @", xy[2 * i], xy[2 * i + 1]);
}

void ig_svg_line(ig_svg *s, const double *xy, int64_t n, const ig_stroke *k)
{
    put_path(s, xy, n);
    put(s, n > 2 ? "\" fill=\"none\" stroke-linejoin=\"round\"" : "\"");
    put_stroke(s, k);
    put(s, "/>\n");
}

void ig_svg_area(ig_svg *s, const double *xy, int64_t n, uint32_t colour, double opacity)
{
    put_path(s, xy, n);
    put(s, "Z\"");
    put_colour(s, "fill", colour);
    put(s, " fill-opacity=\"@\"/>\n", opacity);
}

static void put_box(ig_svg *s, ig_box b)
{
    put(s, " x=\"@\" y=\"@\" width=\"@\" height=\"@\"", b.x, b.y, b.w, b.h);
}

void ig_svg_rect(ig_svg *s, ig_box box, int64_t fill, const ig_stroke *outline)
{
    put(s, "<rect");
    put_box(s, box);
    put_colour(s, "fill", fill);
    if (outline != NULL)
        put_stroke(s, outline);
    put(s, "/>\n");
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
    put(s, "<path d=\"");
    for (int64_t i = 0; i < n; i++) {
        double x = xy[2 * i], y = xy[2 * i + 1], r = size / 2;
        if (dots) /* a line of no length with round ends is a disc, and short to write */
            put(s, "M@ @h0", x, y);
        else if (mark == IG_MARK_DISC)
            put(s, "M@ @a@ @ 0 1 0 @ 0a@ @ 0 1 0 @ 0Z", x - r, y, r, r, size, r, r, -size);
        for (int k = 0; k < m; k++) {
            const double *q = corner + 2 * k;
            if (k == 0 || (mark == IG_MARK_CROSS && k == 2))
                put(s, "M@ @", x + q[0] * size / 2, y + q[1] * size / 2);
            else /* steps are shorter to write than places */
                put(s, "l@ @", (q[0] - q[-2]) * size / 2, (q[1] - q[-1]) * size / 2);
        }
        put(s, m > 0 && mark != IG_MARK_CROSS ? "Z" : "");
    }
    put(s, "\"");
    if (dots) {
        put(s, " fill=\"none\" stroke-linecap=\"round\"");
        put_stroke(s, &(ig_stroke){look->colour, size, look->opacity, 0});
    } else if (mark == IG_MARK_CROSS) {
        put(s, " fill=\"none\"");
        put_stroke(s, &(ig_stroke){look->colour, size / 4, look->opacity, 0});
    } else {
        put_colour(s, "fill", look->hollow ? IG_WHITE : look->colour);
        if (look->hollow)
            put_stroke(s, &(ig_stroke){.colour = look->colour, .width = size / 5});
        else if (look->opacity < 1)
            put(s, " fill-opacity=\"@\"", look->opacity);
    }
    put(s, "/>\n");
}

static void put_base64(FILE *fp, const unsigned char *b, int64_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)b[i] << 16 | (i + 1 < n ? (uint32_t)b[i + 1] << 8 : 0) |
                     (i + 2 < n ? b[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            fputc(i + k > n ? '=' : digit[v >> (18 - 6 * k) & 63], fp);
    }
}

void ig_svg_image(ig_svg *s, ig_box box, const char *png, int64_t n)
{
    put(s, "<image");
    put_box(s, box);
    put(s, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
           "href=\"data:image/png;base64,");
    put_base64(s->fp, (const unsigned char *)png, n);
    put(s, "\"/>\n");
}

void ig_svg_text(ig_svg *s, const double at[2], const char *text, const ig_text_style *t, bool rtl,
                 const char *families)
{
    static const char *const anchor[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    put(s, "<text x=\"@\" y=\"@\" font-size=\"@\"", at[0], at[1], t->size);
    put_colour(s, "fill", t->colour);
    put(s, t->bold ? " font-weight=\"600\"" : "");
    /* The anchor's sides are those of the direction; ours are left and right. */
    put(s, anchor[rtl ? 2 - (int)t->align : (int)t->align]);
    put(s, rtl ? " direction=\"rtl\"" : "");
    if (t->halo)
        put(s, " stroke=\"#ffffff\" stroke-width=\"1.6\" stroke-linejoin=\"round\" "
               "paint-order=\"stroke\"");
    if (t->angle < 0 || t->angle > 0)
        put(s, " transform=\"rotate(@ @ @)\"", -t->angle, at[0], at[1]);
    if (families != NULL) {
        put(s, " font-family=\"");
        put_escaped(s, families);
        put(s, ",");
        put_escaped(s, ig_typeset_families);
        put(s, "\"");
    }
    put(s, strstr(text, "  ") != NULL ? " xml:space=\"preserve\">" : ">");
    put_escaped(s, text);
    put(s, "</text>\n");
}

void ig_svg_clip(ig_svg *s, ig_box box)
{
    fprintf(s->fp, "<clipPath id=\"%s-clip%d\">", s->id, ++s->n_clip);
    ig_svg_rect(s, box, 0, NULL);
    fprintf(s->fp, "</clipPath>\n<g clip-path=\"url(#%s-clip%d)\">\n", s->id, s->n_clip);
}
