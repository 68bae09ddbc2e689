/* SPDX-License-Identifier: Apache-2.0
 *
 * An axis: maps values to points on the page, and places its ticks.
 */
#pragma once

#include "report/figure/figure.h"

enum { IG_TICK_MAX = 64 };
typedef struct {
    ig_plot_scale scale;
    double low, high;       /* values at the ends; low < high, both finite */
    double from, to;        /* points on the page */
    double at[IG_TICK_MAX]; /* [n_at] positions of ticks, ascending */
    int n_at;               /* 0: at round numbers */
} ig_axis;

typedef struct {
    double value;
    char text[24]; /* "": a small tick between two others */
} ig_tick;

/* The range of finite values (positive ones on a logarithmic axis), widened so that nothing lies on
 * the frame; what the caller fixed is left alone. False when there is nothing to show: then 0 … 1.
 */
typedef struct {
    double low, high;
    int64_t n;
} ig_range;
void ig_range_add(ig_range *r, ig_plot_scale scale, double v);
bool ig_axis_set(ig_axis *a, const ig_plot_axis *plot, const ig_range *r, double margin);

/* NaN for a value that the scale does not have. */
double ig_axis_at(const ig_axis *a, double value);
/* Ticks at these values, ascending, rather than at round numbers; no more than IG_TICK_MAX. */
void ig_axis_tick_at(ig_axis *a, const double *value, int n);
/* About `wanted` ticks with text, ascending; returns their number. */
int ig_axis_ticks(const ig_axis *a, int wanted, ig_tick tick[IG_TICK_MAX]);
/* Writes 0.25, 12, 3k, 1.5M or 10⁻⁵ with the digits that distinguish steps of this size. */
void ig_axis_number(char *out, size_t size, double v, double step);
