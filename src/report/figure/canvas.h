/* SPDX-License-Identifier: Apache-2.0
 *
 * Canvas of the plots: lines, shapes, an image of cells and text, in points, y downwards, as SVG
 * (svg_convert.h makes PDF and PNG of it). Text stays text, and the ids of two figures do not clash
 * in one page. Numbers have at most two decimals, in no locale. ig_canvas_finish returns the first
 * error.
 */
#pragma once

#include "report/figure/figure.h"
#include "report/figure/typeset.h"

typedef struct ig_canvas ig_canvas;

/* A dash of 0: a whole line; see palette.h for the others. */
typedef struct {
    uint32_t colour; /* 0xRRGGBB */
    double width;    /* 0: none */
    double opacity;  /* 0 counts as 1 */
    int dash;
} ig_stroke;

typedef enum {
    IG_MARK_DISC,
    IG_MARK_SQUARE,
    IG_MARK_TRIANGLE,
    IG_MARK_DIAMOND,
    IG_MARK_CROSS,
    IG_MARK_DOWN,
    IG_N_MARK
} ig_mark;

typedef struct {
    ig_mark mark;
    double size;
    uint32_t colour;
    double opacity;
    bool hollow; /* white inside */
} ig_marker;

typedef struct {
    double x, y, w, h;
} ig_box;

ig_code ig_canvas_new(ig_canvas **out, const ig_figure_output *o, const double size[2],
                      const char *title, ig_err *err);
/* The bytes when all has gone well (`code` IG_ERR_OK); frees it. Returns the first error. */
ig_code ig_canvas_finish(ig_canvas *c, ig_code code, char **bytes, int64_t *n, ig_err *err);

/* Coordinates that are not finite draw nothing. */
void ig_canvas_line(ig_canvas *c, const double *xy, int64_t n, const ig_stroke *s);
void ig_canvas_segment(ig_canvas *c, double x0, double y0, double x1, double y1,
                       const ig_stroke *s);
void ig_canvas_area(ig_canvas *c, const double *xy, int64_t n, uint32_t colour, double opacity);
/* fill may be −1: none; outline NULL: none. */
void ig_canvas_rect(ig_canvas *c, ig_box box, int64_t fill, const ig_stroke *outline);
void ig_canvas_marks(ig_canvas *c, const double *xy, int64_t n, const ig_marker *m);
/* cols × rows cells of colour [rows, cols], stretched over the box, with sharp edges. */
void ig_canvas_cells(ig_canvas *c, ig_box box, const uint32_t *colour, int rows, int cols);
/* (x, y): on the baseline, at the text's left end, middle or right end. */
void ig_canvas_text(ig_canvas *c, double x, double y, const char *text, const ig_text_style *s);
/* The text, or as much of it as `most` points hold. */
void ig_canvas_fit(ig_canvas *c, double x, double y, const char *text, const ig_text_style *s,
                   double most);
/* Until _unclip, nothing is drawn outside; not nested. */
void ig_canvas_clip(ig_canvas *c, ig_box box);
void ig_canvas_unclip(ig_canvas *c);
