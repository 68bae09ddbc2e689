/* SPDX-License-Identifier: Apache-2.0
 *
 * The figures of an experiment file: those of results (report/shown/results_figure.h) and those of
 * a cell's finished model (lab/report/run_figure.h).
 */
#include "base/file.h"

#include "apply/folder/run_folder.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/strings/append.h"
#include "lab/report/lab_report_parts.h"
#include "lab/report/run_figure.h"
#include "report/figure/svg_convert.h"
#include "report/shown/results_figure.h"

#include <string.h>

static bool shows_results(ig_figure_kind kind)
{
    return kind == IG_FIG_CURVES || kind == IG_FIG_LAYERS || kind == IG_FIG_BARS;
}

static void leave_out(char left_out[IG_LEFT_OUT], const ig_result_cell *c, int64_t seed)
{
    ig_append(left_out, IG_LEFT_OUT, "%scell %s has no finished run",
              left_out[0] != '\0' ? "; " : "", c->name);
    if (seed >= 0)
        ig_append(left_out, IG_LEFT_OUT, " of seed %lld", (long long)seed);
}

/* `name` begins the titles. */
static ig_code add_model(ig_figure *f, const ig_lab_report *r, const ig_figure_spec *s,
                         const ig_result_cell *c, const char *name, ig_err *err)
{
    ig_run_figure_options o = ig_run_figure_defaults();
    char dir[IG_PATH];
    if (r->dir == NULL)
        return ig_fail(err, IG_ERR_INPUT, s->name, 0,
                       "found results without models, expected a store");
    o.name = name;
    o.step = s->step;
    o.count = s->count;
    if (s->layer != IG_LAYER_NONE) {
        o.layer[0] = s->layer;
        o.n_layer = 1;
    }
    IG_TRY(ig_folder_path(dir, r->dir, err, "runs/%.20s",
                          ig_result_finished(c, s->seed)->cell.address));
    return ig_run_figure_add(f, s->kind, dir, &o, err);
}

/* A figure of models, a panel for each cell: the patterns', or the base cell. */
static ig_code of_models(ig_figure *f, char left_out[IG_LEFT_OUT], const ig_lab_report *r,
                         const ig_figure_spec *s, ig_err *err)
{
    int n = 0, shown = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < r->results.n_cell; i++) {
            const ig_result_cell *c = &r->results.cell[i];
            const bool shown_here = s->n_cell > 0 ? ig_cell_matches(c->name, s->cell, s->n_cell)
                                    : r->base_name != NULL ? strcmp(c->name, r->base_name) == 0
                                                           : i == 0;
            if (!shown_here)
                continue;
            if (pass == 0) {
                n++;
                continue;
            }
            if (ig_result_finished(c, s->seed) == NULL) {
                leave_out(left_out, c, s->seed);
                continue;
            }
            IG_TRY(add_model(f, r, s, c, n > 1 ? c->label : NULL, err));
            shown++;
        }
    if (shown == 0)
        return ig_fail(err, IG_ERR_INPUT, s->name, 0, "%.300s",
                       left_out[0] != '\0' ? left_out : "no cell is called as its patterns say");
    return IG_ERR_OK;
}

ig_code ig_lab_report_figure(ig_figure *f, char left_out[IG_LEFT_OUT], const ig_lab_report *r,
                             int i, ig_err *err)
{
    const ig_figure_spec *s = &r->experiment->report.figure[i];
    *f = (ig_figure){0};
    left_out[0] = '\0';
    if (!shows_results(s->kind)) {
        IG_TRY(of_models(f, left_out, r, s, err));
    } else {
        const ig_reference *reference = NULL;
        for (int t = 0; t < r->n_table && reference == NULL; t++)
            reference = r->table[t].reference;
        IG_TRY(ig_result_figure(f, &r->results, s, reference, err));
    }
    if (f->title == NULL)
        f->title = s->title != NULL ? s->title : s->name;
    return IG_ERR_OK;
}

/* As SVG and, where they can be made, as PDF and PNG. */
static ig_code write_formats(int *n_file, const ig_figure *f, const char *dir, const char *name,
                             int n_format, ig_err *err)
{
    static const char *const suffix[] = {"svg", "pdf", "png"};
    for (int k = 0; k < n_format; k++) {
        char path[IG_PATH];
        IG_TRY(ig_folder_path(path, dir, err, "%.100s.%s", name, suffix[k]));
        IG_TRY(ig_out_try(path, err));
        IG_TRY(ig_figure_write(f, path, 300, err));
        (*n_file)++;
    }
    return IG_ERR_OK;
}

ig_code ig_lab_report_figures(int *n_file, const ig_lab_report *r, const char *dir, ig_err *err)
{
    ig_err missing = {0};
    const int n_format = ig_svg_convert_begin(&missing) == IG_ERR_OK ? 3 : 1;
    *n_file = 0;
    IG_TRY(ig_dir_make(dir, err));
    if (n_format == 1)
        ig_log(IG_LOG_NORMAL, "figures as SVG alone: %s: %s (%s)", missing.where, missing.msg,
               missing.hint);
    for (int i = 0; i < r->experiment->report.n_figure; i++) {
        const char *name = r->experiment->report.figure[i].name;
        char left_out[IG_LEFT_OUT];
        ig_figure f;
        ig_err why = {0};
        ig_code code = ig_lab_report_figure(&f, left_out, r, i, &why);
        if (code == IG_ERR_OK && left_out[0] != '\0')
            ig_log(IG_LOG_NORMAL, "%s: %s", name, left_out);
        if (code != IG_ERR_OK)
            ig_log(IG_LOG_NORMAL, "%s is not drawn: %s", name, why.msg);
        else
            code = write_formats(n_file, &f, dir, name, n_format, err);
        bool written = why.code == IG_ERR_OK;
        ig_figure_free(&f);
        if (code != IG_ERR_OK && written)
            return code;
    }
    return IG_ERR_OK;
}

/* --- the training loss of each run, as its log has it, also of runs that are at work -----------
 */

enum { MOST_RUNS = 24 }; /* of a figure that can be read */

/* A run's curve, if its log has two points; other runs of its cell look the same. */
static ig_code add_run(ig_figure *f, ig_plot_curves *v, const ig_lab_report *r,
                       const ig_store_entry *e, int style, ig_err *err)
{
    IG_SCOPED(ig_row_set_free) ig_row_set log = {0};
    double *x = NULL, *y = NULL;
    int64_t n = 0;
    IG_TRY(ig_lab_log_rows(&log, r->dir, e->cell.address, err));
    IG_TRY(ig_pool_alloc(&f->pool, &x, log.n, sizeof *x, err));
    IG_TRY(ig_pool_alloc(&f->pool, &y, log.n, sizeof *y, err));
    for (int64_t i = 0; i < log.n; i++)
        if (strcmp(log.row[i].task, "loss") == 0) {
            x[n] = (double)log.row[i].step;
            y[n++] = log.row[i].value;
        }
    if (n > 1) {
        ig_plot_series *s = &v->series[v->n_series++];
        IG_TRY(ig_pool_print(&f->pool, &s->name, err, "%s:%lld", e->cell.cell,
                             (long long)e->cell.seed));
        s->n = n;
        s->x = x;
        s->y = y;
        s->style = style;
    }
    return IG_ERR_OK;
}

ig_code ig_lab_report_loss(ig_figure *f, int *n_run, const ig_lab_report *r, ig_err *err)
{
    ig_panel *p;
    *f = (ig_figure){.title = "Training loss of each run", .width = 175};
    *n_run = 0;
    if (r->dir == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_figure_panels(f, IG_PLOT_CURVES, 1, &p, err));
    ig_plot_curves *v = &p->as.curves;
    IG_TRY(ig_figure_series(f, &v->series, MOST_RUNS, err));
    for (int i = 0; i < r->results.n_cell; i++)
        for (int64_t k = 0; k < r->results.cell[i].n_entry && v->n_series < MOST_RUNS; k++)
            IG_TRY(add_run(f, v, r, &r->results.cell[i].entry[k], i, err));
    v->x.label = "updates";
    v->y.label = "loss";
    *n_run = v->n_series;
    return IG_ERR_OK;
}
