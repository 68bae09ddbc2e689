/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of an SVG document as it grows. Numbers are written with at most two decimals, by no locale.
 */
#pragma once

#include "report/figure/canvas.h"

#include <stdio.h>

typedef struct {
    FILE *fp;
    char id[64];
    int n_clip;
} ig_svg;

void ig_svg_begin(ig_svg *s, const char *id, const double size[2], bool transparent,
                  const char *title);
void ig_svg_line(ig_svg *s, const double *xy, int64_t n, const ig_stroke *k);
void ig_svg_area(ig_svg *s, const double *xy, int64_t n, uint32_t colour, double opacity);
void ig_svg_rect(ig_svg *s, ig_box box, int64_t fill, const ig_stroke *outline);
void ig_svg_marks(ig_svg *s, const double *xy, int64_t n, const ig_marker *m);
/* png: bytes of an image. */
void ig_svg_image(ig_svg *s, ig_box box, const char *png, int64_t n);
/* text: clean (ig_type_clean); rtl: it runs from right to left; families: fonts to take before the
 * usual ones, NULL: none. */
void ig_svg_text(ig_svg *s, const double at[2], const char *text, const ig_text_style *t, bool rtl,
                 const char *families);
void ig_svg_clip(ig_svg *s, ig_box box);

/* Corners of a mark around (0, 0) with a size of 1, as closed shape; 0 for a disc. The cross is two
 * lines of two. */
int ig_mark_corners(ig_mark mark, double xy[8]);
