/* SPDX-License-Identifier: Apache-2.0
 *
 * Interface that the kinds of plots share: sizes, legends, and two calls, which return the height
 * at a given width and draw into a box.
 */
#pragma once

#include "report/figure/axis.h"
#include "report/figure/canvas.h"

/* Points. What is printed at 85 mm is read at arm's length: nothing below 5.5. */
#define IG_SIZE_TITLE 8.0
#define IG_SIZE_TEXT 7.0
#define IG_SIZE_EACH 2.2
#define IG_SIZE_SMALL 6.2
#define IG_SIZE_LEAST 5.5
#define IG_TITLE_HEIGHT 12.0
#define IG_LINE_HEIGHT 9.5

typedef enum {
    IG_KEY_LINE,
    IG_KEY_MARK,
    IG_KEY_LINK,
    IG_KEY_HOLLOW,
    IG_KEY_EACH,
    IG_KEY_INTERVAL
} ig_key_kind;
typedef struct {
    ig_key_kind kind;
    int style;
    const char *name;
} ig_key;

enum { IG_MAX_KEY = 64 };
/* Adds what a panel needs explained and is not there yet; returns the new number. `direct`: curves
 * carry their names themselves. */
int ig_legend_add(ig_key *key, int n, const ig_panel *p, bool direct);
double ig_legend_height(const ig_key *key, int n, double width);
void ig_legend_draw(ig_canvas *c, const ig_key *key, int n, double x, double y, double width);

/* The title's line and, for axes, their parts. */
ig_text_style ig_style_text(double size, ig_align align, uint32_t colour);
/* Draws the panel's title into the top of the box and takes its height off. */
void ig_plot_title(ig_canvas *c, const char *title, ig_box *box);
/* The horizontal axis at the bottom of the box `in` (the field of the data): line, ticks, label. */
void ig_plot_x_axis(ig_canvas *c, const ig_axis *x, const ig_box *in, const char *label);
/* Height below the field that it needs. */
double ig_plot_x_height(const char *label);
/* Draws a note where there are no data. */
void ig_plot_nothing(ig_canvas *c, const ig_box *in);

double ig_curves_height(const ig_panel *p, double width);
ig_code ig_curves_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err);
double ig_matrix_height(const ig_panel *p, double width);
ig_code ig_matrix_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err);
double ig_scatter_height(const ig_panel *p, double width);
ig_code ig_scatter_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err);
double ig_values_height(const ig_panel *p, double width);
ig_code ig_values_draw(ig_canvas *c, const ig_panel *p, ig_box box, bool direct, ig_err *err);
