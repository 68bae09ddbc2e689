/* SPDX-License-Identifier: Apache-2.0
 *
 * Colours that people with any colour vision can distinguish, each with a dash and a mark of its
 * own, so that a figure also works printed in grey; and maps from numbers to colours.
 */
#pragma once

#include "report/figure/canvas.h"

enum {
    IG_N_STYLE = 8,
    IG_INK = 0x262626,
    IG_INK_SOFT = 0x666666,
    IG_GRID = 0xe4e4e4,
    IG_MISSING = 0xd9d9d9,
    IG_WHITE = 0xffffff
};

uint32_t ig_style_colour(int style);
/* The style's colour, dark enough for small text on white (contrast 4.5 : 1, WCAG 2.1, 1.4.3). */
uint32_t ig_style_ink(int style);
ig_mark ig_style_mark(int style);

/* Lengths of on and off in widths of the line, n of them (0: a whole line). */
enum { IG_N_DASH = 6 };
const double *ig_dash(int dash, int *n);

/* t in [0, 1] (outside: the ends). */
uint32_t ig_map_colour(ig_plot_map map, double t);
/* Relative luminance, 0 black to 1 white. */
double ig_colour_luminance(uint32_t rgb);
