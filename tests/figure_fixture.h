/* SPDX-License-Identifier: Apache-2.0
 *
 * A figure of each kind from made-up data, with the difficulties real ones have: missing values,
 * step 0, labels of every script, more labels than there is room for.
 */
#pragma once

#include "report/figure/figure.h"

#include <math.h>

/* "house" or a word near it; in Arabic, Devanagari, Thai, Chinese, Japanese, Korean, Greek,
 * Russian, Hebrew, Bengali, Tamil, Georgian. */
static const char *const figure_scripts[] = {
    "house",
    "\331\205\331\220\331\206\331\222 \330\250\331\212\330\252",
    "\340\244\230\340\244\260\340\245\215",
    "\340\270\232\340\271\211\340\270\262\340\270\231",
    "\346\210\277\345\255\220",
    "\343\201\204\343\201\210",
    "\354\247\221",
    "\316\277\316\257\316\272\316\277\317\202",
    "\320\264\320\276\320\274",
    "\327\221\327\231\327\252",
    "\340\246\230\340\246\260",
    "\340\256\265\340\257\200\340\256\237\340\257\201",
    "\341\203\241\341\203\220\341\203\256\341\203\232\341\203\230"};
enum { FIGURE_N_SCRIPT = sizeof figure_scripts / sizeof *figure_scripts };

/* Curves of four runs over steps 0, 1, 2, 5, …, the third with a hole. */
static ig_code figure_curves(ig_figure *f, int n_panel, ig_err *err)
{
    static const char *const name[] = {"original", "lang-pos", "shift-special", "inverted"};
    static const double step[] = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 13500};
    enum { n = sizeof step / sizeof *step };
    ig_panel *p;
    IG_TRY(ig_figure_panels(f, IG_PLOT_CURVES, n_panel, &p, err));
    f->title = "Multilinguality over training";
    for (int k = 0; k < n_panel; k++) {
        ig_plot_curves *v = &p[k].as.curves;
        p[k].title = n_panel > 1 ? "seed 0 & <others>" : NULL;
        v->x.label = "updates";
        v->x.scale = IG_SCALE_SYMLOG;
        v->y.label = "multilinguality \316\274";
        v->y.low = 0;
        v->n_series = 4;
        IG_TRY(ig_figure_series(f, &v->series, 4, err));
        for (int i = 0; i < 4; i++) {
            double *y[3];
            for (int j = 0; j < 3; j++)
                IG_TRY(ig_pool_alloc(&f->pool, &y[j], n, sizeof **y, err));
            for (int j = 0; j < n; j++) {
                double at = 0.7 / (1 + exp(2.5 * (2 + 0.3 * i + 0.1 * k - log10(step[j] + 1)))) *
                            (i == 3 ? 0.05 : 1 - 0.2 * i);
                y[0][j] = i == 2 && j == 9 ? (double)NAN : at;
                y[1][j] = at - 0.1 * at;
                y[2][j] = at + 0.1 * at;
            }
            v->series[i].name = name[i];
            v->series[i].n = n;
            v->series[i].x = step;
            v->series[i].y = y[0];
            v->series[i].low = y[1];
            v->series[i].high = y[2];
        }
        v->series[0].onset = 80;
        v->series[0].onset_low = 55;
        v->series[0].onset_high = 140;
        v->series[1].onset = 220;
    }
    return IG_ERR_OK;
}

/* Cosines of n positions of two languages. */
static ig_code figure_positions(ig_figure *f, int n, ig_err *err)
{
    ig_panel *p;
    double *v;
    const char **label;
    ig_plot_block *block;
    IG_TRY(ig_figure_panels(f, IG_PLOT_MATRIX, 1, &p, err));
    IG_TRY(ig_pool_alloc(&f->pool, &v, (int64_t)n * n, sizeof *v, err));
    IG_TRY(ig_pool_alloc(&f->pool, &label, n, sizeof *label, err));
    IG_TRY(ig_pool_alloc(&f->pool, &block, 2, sizeof *block, err));
    for (int i = 0; i < n; i++) {
        IG_TRY(ig_pool_print(&f->pool, &label[i], err, "%d", i));
        for (int j = 0; j < n; j++) {
            double d = i % (n / 2) - j % (n / 2);
            bool same = (i < n / 2) == (j < n / 2);
            v[(int64_t)i * n + j] = (same ? 1 : 0.6) * exp(-d * d / 40) - 0.2;
        }
    }
    block[0] = (ig_plot_block){0, "en"};
    block[1] = (ig_plot_block){n / 2, "fake"};
    p->as.matrix = (ig_plot_matrix){.rows = n,
                                    .cols = n,
                                    .value = v,
                                    .row_label = label,
                                    .col_label = label,
                                    .row_block = block,
                                    .col_block = block,
                                    .n_row_block = 2,
                                    .n_col_block = 2,
                                    .map = IG_MAP_DIVERGING,
                                    .low = -1,
                                    .high = 1,
                                    .bar_label = "cosine similarity",
                                    .digits = -1,
                                    .thin_labels = true};
    return IG_ERR_OK;
}

/* Similarities of words of every script on both sides. */
static ig_code figure_similarities(ig_figure *f, ig_err *err)
{
    enum { n = FIGURE_N_SCRIPT };
    ig_panel *p;
    double *v;
    IG_TRY(ig_figure_panels(f, IG_PLOT_MATRIX, 1, &p, err));
    IG_TRY(ig_pool_alloc(&f->pool, &v, n * n, sizeof *v, err));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            v[i * n + j] = i == j ? 0.9 : 0.1 + 0.05 * ((3 * i + 5 * j) % 7);
    v[5 * n + 7] = (double)NAN;
    p->as.matrix = (ig_plot_matrix){.rows = n,
                                    .cols = n,
                                    .value = v,
                                    .row_label = figure_scripts,
                                    .col_label = figure_scripts,
                                    .row_title = "en",
                                    .col_title = "fake",
                                    .map = IG_MAP_SEQUENTIAL,
                                    .low = (double)NAN,
                                    .high = (double)NAN,
                                    .bar_label = "cosine similarity, layer 8",
                                    .digits = -1};
    return IG_ERR_OK;
}

/* Cells × layers with numbers. */
static ig_code figure_layers(ig_figure *f, int rows, int cols, ig_err *err)
{
    static const char *const name[] = {"original", "lang-pos; shift-special", "inverted",
                                       "no-random"};
    ig_panel *p;
    double *v;
    const char **row, **col;
    IG_TRY(ig_figure_panels(f, IG_PLOT_MATRIX, 1, &p, err));
    IG_TRY(ig_pool_alloc(&f->pool, &v, (int64_t)rows * cols, sizeof *v, err));
    IG_TRY(ig_pool_alloc(&f->pool, &row, rows, sizeof *row, err));
    IG_TRY(ig_pool_alloc(&f->pool, &col, cols, sizeof *col, err));
    for (int i = 0; i < rows; i++)
        row[i] = name[i % 4];
    for (int j = 0; j < cols; j++)
        IG_TRY(ig_pool_print(&f->pool, &col[j], err, "%d", j));
    for (int i = 0; i < rows * cols; i++)
        v[i] = i == 4 ? (double)NAN : fabs(sin(0.37 * i));
    p->title = "Sentence retrieval \317\201";
    p->as.matrix = (ig_plot_matrix){.rows = rows,
                                    .cols = cols,
                                    .value = v,
                                    .row_label = row,
                                    .col_label = col,
                                    .col_title = "layer",
                                    .low = 0,
                                    .high = 1,
                                    .digits = 2};
    return IG_ERR_OK;
}

/* n words of two languages, each linked with its translation. */
static ig_code figure_scatter(ig_figure *f, int n, bool names, ig_err *err)
{
    ig_panel *p;
    IG_TRY(ig_figure_panels(f, IG_PLOT_SCATTER, 1, &p, err));
    ig_plot_scatter *s = &p->as.scatter;
    ig_plot_link *link;
    IG_TRY(ig_pool_alloc(&f->pool, &s->group, 2, sizeof *s->group, err));
    IG_TRY(ig_pool_alloc(&f->pool, &link, n, sizeof *link, err));
    for (int g = 0; g < 2; g++) {
        double *xy;
        const char **label;
        IG_TRY(ig_pool_alloc(&f->pool, &xy, 2 * n, sizeof *xy, err));
        IG_TRY(ig_pool_alloc(&f->pool, &label, n, sizeof *label, err));
        for (int i = 0; i < n; i++) {
            double u = fmod(0.618034 * i, 1), w = fmod(0.754877 * i + 0.3 * u, 1);
            xy[2 * i] = 6 * (u - 0.5) + 0.25 * g;
            xy[2 * i + 1] = 4 * (w - 0.5) - 0.2 * g + 0.1 * sin(i);
            label[i] = figure_scripts[i % FIGURE_N_SCRIPT];
            link[i] = (ig_plot_link){0, i, 1, i};
        }
        s->group[g] = (ig_plot_group){
            .name = g ? "fake" : "en", .n = n, .xy = xy, .label = names ? label : NULL, .style = g};
    }
    s->n_group = 2;
    if (names) {
        s->link = link;
        s->n_link = n;
        s->link_name = "translation";
    }
    s->x_label = "PC 1 (23 %)";
    s->y_label = "PC 2 (11 %)";
    return IG_ERR_OK;
}

static ig_code figure_values(ig_figure *f, ig_err *err)
{
    static const char *const name[] = {"0  original", "1  lang-pos", "2  shift-special",
                                       "3  inv-order", "8  all three"};
    static const double each[] = {0.69, (double)NAN, 0.66, 0.12};
    ig_panel *p;
    IG_TRY(ig_figure_panels(f, IG_PLOT_VALUES, 1, &p, err));
    ig_plot_values *v = &p->as.values;
    IG_TRY(ig_pool_alloc(&f->pool, &v->value, 5, sizeof *v->value, err));
    for (int i = 0; i < 5; i++)
        v->value[i] = (ig_plot_value){.name = name[i],
                                      .value = 0.7 - 0.15 * i,
                                      .low = 0.7 - 0.15 * i - 0.03,
                                      .high = 0.7 - 0.15 * i + 0.05,
                                      .reference = i == 2 ? (double)NAN : 0.68 - 0.14 * i,
                                      .each = i == 0 ? each : NULL,
                                      .n_each = i == 0 ? 4 : 0};
    v->n_value = 5;
    v->x.label = "\316\274";
    v->value_name = "measured, 95 % interval";
    v->each_name = "each seed";
    v->reference_name = "paper";
    return IG_ERR_OK;
}
