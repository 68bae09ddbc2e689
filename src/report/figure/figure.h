/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures from plain data: curves with bands, matrices, scatters with links, values with intervals,
 * alone or as panels in a grid; as SVG, PDF or PNG. These structs hold all data of a figure, and do
 * not know where the numbers come from. Sizes are in points (1/72 inch) but for the width in
 * millimetres. The same figure gives the same bytes with the same fonts installed.
 *
 * Strings and arrays of the structs belong to the figure: they are made in its pool (or in memory
 * that outlives it), which ig_figure_free gives back.
 * docs/figures.md shows the kinds.
 */
#pragma once

#include "base/pool.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { IG_PLOT_CURVES, IG_PLOT_MATRIX, IG_PLOT_SCATTER, IG_PLOT_VALUES } ig_plot_kind;

/* Symlog is linear up to 1 and logarithmic beyond, so that step 0 can be drawn. A logarithmic axis
 * leaves out values that are not positive. */
typedef enum { IG_SCALE_LINEAR, IG_SCALE_LOG, IG_SCALE_SYMLOG } ig_plot_scale;

/* low and high may be NaN: taken from the data. */
typedef struct {
    const char *label;
    ig_plot_scale scale;
    double low, high;
} ig_plot_axis;

/* Points in the order they are joined; one that is not finite parts the line. */
typedef struct {
    const char *name;
    int64_t n;
    const double *x, *y;          /* [n] */
    const double *low, *high;     /* [n] band; NULL: none */
    double onset;                 /* x of the mark; NaN: none */
    double onset_low, onset_high; /* its spread; NaN: none */
    int style; /* colour, dash and marker; two series of one style look the same */
} ig_plot_series;

typedef struct {
    ig_plot_axis x, y;
    ig_plot_series *series;
    int n_series;
} ig_plot_curves;

/* Sequential: light to dark. Diverging: white is the middle of the range. */
typedef enum { IG_MAP_SEQUENTIAL, IG_MAP_DIVERGING } ig_plot_map;

/* Rows (columns) from `from` on are called `name`; a line parts them from those before. */
typedef struct {
    int from;
    const char *name;
} ig_plot_block;

typedef struct {
    int rows, cols;
    const double *value; /* [rows, cols]; what is not finite is drawn as missing */
    const char *const *row_label, *const *col_label; /* NULL, or NULL entries: none */
    const char *row_title, *col_title;
    const ig_plot_block *row_block, *col_block;
    int n_row_block, n_col_block;
    ig_plot_map map;
    double low, high; /* range of the colours; NaN: of the data */
    const char *bar_label;
    int digits;       /* of the numbers in cells, where these fit; −1: none */
    bool thin_labels; /* labels are a sequence, so that every k-th may represent all */
} ig_plot_matrix;

typedef struct {
    const char *name;
    int64_t n;
    const double *xy;         /* [n, 2]; points that are not finite are left out */
    const char *const *label; /* [n] or NULL, NULL entries: none; left out where they do not fit */
    int style;
} ig_plot_group;

typedef struct {
    int32_t group_a, point_a, group_b, point_b;
} ig_plot_link;

/* Both axes have one unit, as distances are what is to be seen. */
typedef struct {
    const char *x_label, *y_label;
    ig_plot_group *group;
    int n_group;
    const ig_plot_link *link;
    int64_t n_link;
    const char *link_name; /* for the legend; NULL: not in it */
} ig_plot_scatter;

/* A row per name: a dot for the value, a line for the interval, a hollow mark for a number to
 * compare with (a paper's), and below these a small ring for each of the values that it is the mean
 * of. All of these may be NaN. */
typedef struct {
    const char *name;
    double value, low, high, reference;
    const double *each; /* [n_each] */
    int n_each;
    int style;
} ig_plot_value;

typedef struct {
    ig_plot_axis x;
    ig_plot_value *value;
    int n_value;
    const char *value_name, *each_name, *reference_name; /* for the legend; NULL: not in it */
} ig_plot_values;

typedef struct {
    ig_plot_kind kind;
    const char *title; /* NULL: none */
    union {
        ig_plot_curves curves;
        ig_plot_matrix matrix;
        ig_plot_scatter scatter;
        ig_plot_values values;
    } as;
} ig_panel;

typedef struct {
    const char *title; /* text for readers who cannot see it; not drawn */
    ig_panel *panel;
    int n_panel;
    int columns;  /* of the grid; 0: chosen */
    double width; /* mm; 0: 85 for one panel or one column, 175 for more */
    ig_pool pool; /* of its strings and arrays */
} ig_figure;

enum { IG_FIGURE_MAX_PANEL = 64 };

/* n more panels, zeroed but for ranges (NaN), digits (−1). *first points at the first of them until
 * the next call. More than IG_FIGURE_MAX_PANEL in all: IG_ERR_USAGE. */
ig_code ig_figure_panels(ig_figure *f, ig_plot_kind kind, int n, ig_panel **first, ig_err *err);
/* n series, zeroed but for onsets (NaN) and styles (0, 1, …). */
ig_code ig_figure_series(ig_figure *f, ig_plot_series **out, int n, ig_err *err);
void ig_figure_free(ig_figure *f);

typedef enum { IG_FIGURE_SVG, IG_FIGURE_PDF, IG_FIGURE_PNG } ig_figure_format;

typedef struct {
    ig_figure_format format;
    const char *id;   /* SVG: begins every id, so that figures can share a page; NULL: "figure" */
    bool transparent; /* no white ground */
    double dpi;       /* PNG; 0: 300 */
} ig_figure_output;

/* The figure as bytes, NUL-terminated, freed with ig_free. A matrix whose size does not fit its
 * panel's kind is a mistake of the caller; data that are empty or not finite are drawn as such. PDF
 * and PNG need librsvg (IG_ERR_IO). */
ig_code ig_figure_render(char **out, int64_t *n, const ig_figure *f, const ig_figure_output *o,
                         ig_err *err);
/* SVG for a page: transparent, ids begin with `id`. */
ig_code ig_figure_svg(char **out, const ig_figure *f, const char *id, ig_err *err);
/* A file that appears complete or not at all; the format by its suffix (.svg, .pdf, .png), another
 * one is IG_ERR_USAGE. */
ig_code ig_figure_write(const ig_figure *f, const char *path, double dpi, ig_err *err);
/* The format that a path's suffix names. */
ig_code ig_figure_format_of(ig_figure_format *format, const char *path, ig_err *err);

/* The data of a figure as JSON: an object a curve {"panel", "name", "x", "y", "low", "high",
 * "onset"}, a row of a matrix {"panel", "name", "columns", "values"}, a group of points {"panel",
 * "name", "n"}, or a value {"panel", "name", "value", "low", "high", "reference", "each"}; null if
 * not finite. Owned by the caller; NULL: out of memory. */
json_t *ig_figure_json(const ig_figure *f);
