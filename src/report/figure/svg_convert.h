/* SPDX-License-Identifier: Apache-2.0
 *
 * A drawing as PDF or PNG, by librsvg, which is loaded when it is first needed (base/on_demand.h).
 */
#pragma once

#include "report/figure/figure.h"

typedef struct {
    const char *svg;
    int64_t n;         /* bytes */
    double size[2];    /* points */
    const char *title; /* NULL: none */
} ig_drawing;

/* Loads librsvg; IG_ERR_IO where there is none. */
ig_code ig_svg_convert_begin(ig_err *err);
/* The bytes, freed with ig_free; IG_ERR_IO where there is no librsvg. Neither has a date. */
ig_code ig_svg_convert(char **out, int64_t *n, const ig_drawing *d, const ig_figure_output *o,
                       ig_err *err);
