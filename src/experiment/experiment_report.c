/* SPDX-License-Identifier: Apache-2.0
 *
 * `report:` of an experiment file: tables and figures as report/table/spec.h has them, held against
 * the cells, the measures and the reference files that they name.
 */
#include "experiment/experiment_parts.h"

#include "base/settings/options.h"
#include "base/strings/append.h"
#include "report/table/reference.h"
#include "store/store_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names become names of files and anchors of a page; each is there once. */
static ig_code read_name(const char **out, const ig_yaml *map, const char *what, ig_err *err)
{
    const ig_yaml *v = ig_experiment_value(map, "name");
    const char *text;
    if (v == NULL) {
        ig_yaml_fail(map, err, "%s has no name, expected one", what);
        return ig_hint(err, "{name: NAME, …}");
    }
    IG_TRY(ig_yaml_text(&text, v, "name", err));
    if (strlen(text) > 40 || text[0] == '.' || text[0] == '-' || !ig_experiment_is_name(text))
        return ig_yaml_fail(v, err, "name: found '%.60s', expected at most 40 of a-z A-Z 0-9 . _ -",
                            text);
    *out = text;
    return IG_ERR_OK;
}

/* A list of shell patterns that each match a cell. */
static ig_code read_patterns(char ***out, int *n, const ig_experiment *e, const ig_yaml *v,
                             const char *key, ig_err *err)
{
    *n = 0;
    *out = NULL;
    if (v == NULL)
        return IG_ERR_OK;
    bool list = v->kind == IG_YAML_LIST;
    if (list && v->n == 0)
        return ig_yaml_wrong(v, key, "patterns of cells; without the key it is all of them", err);
    IG_TRY(ig_pool_alloc(e->pool, out, list ? v->n : 1, sizeof **out, err));
    for (int i = 0; i < (list ? v->n : 1); i++) {
        const ig_yaml *item = list ? v->item[i] : v;
        const char *text;
        int n_match = 0;
        IG_TRY(ig_yaml_text(&text, item, key, err));
        (*out)[(*n)++] = (char *)(uintptr_t)text;
        for (int c = 0; c < e->n_cell; c++)
            n_match += ig_cell_matches(e->cell[c].name, &(*out)[i], 1);
        if (n_match == 0) {
            ig_yaml_fail(item, err, "%s: '%.60s' fits no cell", key, text);
            return ig_experiment_hint_cell(err, e, text);
        }
    }
    return IG_ERR_OK;
}

/* Returns which way the measure itself is better (store/store_task.h). */
static const char *own_better(const ig_quantity *q)
{
    const ig_store_task *task = ig_store_task_find(q->task);
    const int better = task != NULL ? task->better : 0;
    return better > 0 ? "higher" : better < 0 ? "lower" : "none";
}

static ig_code set_better(ig_column *c, const char *better, const ig_yaml *value, ig_err *err)
{
    c->higher_is_better = strcmp(better, "higher") == 0;
    c->lower_is_better = strcmp(better, "lower") == 0;
    if (!c->higher_is_better && !c->lower_is_better && strcmp(better, "none") != 0)
        return ig_yaml_wrong(value, "better", "higher, lower or none", err);
    return IG_ERR_OK;
}

static ig_code read_column(ig_column *c, ig_experiment *e, const ig_table_spec *t, const ig_yaml *v,
                           ig_err *err)
{
    static const char *const keys[] = {"value", "title", "digits", "better"};
    c->digits = -1;
    if (v->kind == IG_YAML_SCALAR) {
        IG_TRY(ig_experiment_read_quantity(
            &c->q, e, v, &(ig_quantity_place){"columns", t->row, t->n_row, false}, err));
        return set_better(c, own_better(&c->q), NULL, err);
    }
    const ig_yaml *value;
    const char *better;
    IG_TRY(ig_yaml_keys(v, keys, 4, "columns", err));
    if ((value = ig_experiment_value(v, "value")) == NULL)
        return ig_yaml_fail(v, err, "columns: no value, expected {value: QUANTITY, …}");
    IG_TRY(ig_experiment_read_quantity(
        &c->q, e, value, &(ig_quantity_place){"value", t->row, t->n_row, false}, err));
    IG_TRY(ig_experiment_text(&c->title, v, "title", err));
    if ((value = ig_experiment_value(v, "digits")) != NULL) {
        int64_t digits;
        IG_TRY(ig_yaml_int(&digits, value, "digits", 0, 9, err));
        c->digits = (int)digits;
    }
    better = own_better(&c->q);
    if ((value = ig_experiment_value(v, "better")) != NULL)
        IG_TRY(ig_yaml_text(&better, value, "better", err));
    return set_better(c, better, value, err);
}

/* The sections that cells are made of; NULL: the file has none. */
typedef struct {
    const ig_yaml *cells, *axes;
} sections;

static bool is_map(const ig_yaml *v)
{
    return v != NULL && v->kind == IG_YAML_MAP;
}

/* Returns whether a row of a reference file is a cell of the experiment, or an entry of `cells:`
 * that an axis has multiplied or that this file has taken out, or a value of an axis that it has
 * taken out. */
static bool known_row(const ig_experiment *e, const sections *s, const char *row)
{
    for (int i = 0; i < e->n_cell; i++)
        if (strcmp(e->cell[i].name, row) == 0)
            return true;
    for (int i = 0; is_map(s->cells) && i < s->cells->n; i++)
        if (strcmp(s->cells->key[i]->text, row) == 0)
            return true;
    for (int i = 0; is_map(s->axes) && i < s->axes->n; i++) {
        const char *axis = s->axes->key[i]->text;
        const size_t n = strlen(axis);
        for (int k = 0; is_map(s->axes->item[i]) && k < s->axes->item[i]->n; k++)
            if (strncmp(row, axis, n) == 0 && row[n] == '=' &&
                strcmp(row + n + 1, s->axes->item[i]->key[k]->text) == 0)
                return true;
    }
    return false;
}

static ig_code read_reference(ig_table_spec *t, const ig_experiment *e, const sections *of,
                              const ig_yaml *v, ig_err *err)
{
    const char *text;
    ig_reference r = {0};
    IG_TRY(ig_yaml_text(&text, v, "reference", err));
    IG_TRY(ig_pool_print(e->pool, &t->reference, err, "%.*s%s", ig_experiment_folder(v->file, text),
                         v->file, text));
    ig_code code = ig_reference_read(&r, t->reference, err);
    if (code == IG_ERR_IO && err != NULL) {
        char why[200];
        snprintf(why, sizeof why, "%.199s", err->msg);
        ig_fail(err, IG_ERR_IO, v->file, v->line, "reference: %.140s: %s", t->reference, why);
        ig_hint(err, "the path is relative to the file that names it");
    }
    for (int i = 0; i < r.n_value + r.n_proxy_value && code == IG_ERR_OK; i++) {
        const ig_reference_value *row = i < r.n_value ? &r.value[i] : &r.proxy_value[i - r.n_value];
        if (!ig_reference_is_only(&r, row->cell) && !known_row(e, of, row->cell)) {
            code =
                ig_fail(err, IG_ERR_USAGE, t->reference, row->line,
                        "unknown cell '%.60s': %.120s has none of that name", row->cell, e->name);
            ig_experiment_hint_cell(err, e, row->cell);
        }
    }
    ig_reference_free(&r);
    return code;
}

/* The place of a column that a key names. */
static ig_code read_place(int *out, const ig_table_spec *t, const ig_yaml *v, const char *key,
                          ig_err *err)
{
    const char *text;
    ig_quantity q;
    IG_TRY(ig_yaml_text(&text, v, key, err));
    IG_TRY(ig_quantity_parse(&q, text, v->file, v->line, err));
    for (*out = 0; *out < t->n_column; ++*out)
        if (ig_quantity_same(&t->column[*out].q, &q))
            return IG_ERR_OK;
    return ig_yaml_fail(v, err, "%s: '%.60s' is no column of table '%s'", key, text, t->name);
}

static ig_code read_correlations(ig_table_spec *t, const ig_experiment *e, const ig_yaml *map,
                                 ig_err *err)
{
    const ig_yaml *of = ig_experiment_value(map, "correlate"),
                  *given = ig_experiment_value(map, "given");
    t->given = -1;
    if (of == NULL)
        return given == NULL ? IG_ERR_OK
                             : ig_yaml_fail(given, err, "given: expected correlate: [QUANTITY, …]");
    IG_TRY(ig_yaml_is(of, IG_YAML_LIST, "correlate", err));
    IG_TRY(ig_pool_alloc(e->pool, &t->correlate, of->n, sizeof *t->correlate, err));
    for (; t->n_correlate < of->n; t->n_correlate++)
        IG_TRY(read_place(&t->correlate[t->n_correlate], t, of->item[t->n_correlate], "correlate",
                          err));
    return given == NULL ? IG_ERR_OK : read_place(&t->given, t, given, "given", err);
}

/* An axis that all rows have, or the seeds. */
static ig_code read_pivot(ig_table_spec *t, const ig_experiment *e, const ig_yaml *map, ig_err *err)
{
    const ig_yaml *v = ig_experiment_value(map, "pivot");
    IG_TRY(ig_experiment_text(&t->pivot, map, "pivot", err));
    if (t->pivot != NULL && strcmp(t->pivot, IG_PIVOT_SEED) == 0)
        return IG_ERR_OK;
    for (int i = 0; i < e->n_cell && t->pivot != NULL; i++)
        if (ig_cell_matches(e->cell[i].name, t->row, t->n_row) &&
            !ig_cell_has_axis(e->cell[i].name, t->pivot)) {
            ig_yaml_fail(v, err, "pivot: cell '%.60s' has no axis '%.40s'", e->cell[i].name,
                         t->pivot);
            return ig_hint(err, "axes: {%.40s: [A, B]}; rows: says which cells are shown",
                           t->pivot);
        }
    return IG_ERR_OK;
}

static ig_code read_table(ig_table_spec *t, ig_experiment *e, const sections *of,
                          const ig_yaml *map, ig_err *err)
{
    static const char *const keys[] = {"name", "title",     "caption", "rows",      "columns",
                                       "base", "reference", "pivot",   "correlate", "given"};
    const ig_yaml *v;
    IG_TRY(ig_yaml_keys(map, keys, 10, "table", err));
    IG_TRY(read_name(&t->name, map, "the table", err));
    IG_TRY(ig_experiment_text(&t->title, map, "title", err));
    IG_TRY(ig_experiment_text(&t->caption, map, "caption", err));
    IG_TRY(read_patterns(&t->row, &t->n_row, e, ig_experiment_value(map, "rows"), "rows", err));
    IG_TRY(read_pivot(t, e, map, err));
    if ((v = ig_experiment_value(map, "columns")) == NULL ||
        (v->kind == IG_YAML_LIST && v->n == 0)) {
        ig_yaml_fail(v != NULL ? v : map, err, "table '%s' has no columns, expected a list of them",
                     t->name);
        return ig_hint(err, "columns: [mu, \"rho[low]\", \"perplexity[dev]\"]");
    }
    IG_TRY(ig_yaml_is(v, IG_YAML_LIST, "columns", err));
    IG_TRY(ig_pool_alloc(e->pool, &t->column, v->n, sizeof *t->column, err));
    for (int i = 0; i < v->n; i++) {
        t->n_column++;
        IG_TRY(read_column(&t->column[i], e, t, v->item[i], err));
        for (int k = 0; k < i; k++)
            if (ig_quantity_same(&t->column[k].q, &t->column[i].q)) {
                char name[120];
                ig_quantity_format(name, sizeof name, &t->column[i].q);
                ig_yaml_fail(v->item[i], err, "columns: '%s' is there twice", name);
                return ig_hint(err, "a table has each quantity once; leave one of them out");
            }
    }
    IG_TRY(read_correlations(t, e, map, err));
    if ((v = ig_experiment_value(map, "base")) != NULL) {
        int at = 0;
        IG_TRY(ig_experiment_text(&t->base, map, "base", err));
        while (at < e->n_cell && strcmp(e->cell[at].name, t->base) != 0)
            at++;
        if (at == e->n_cell) {
            ig_yaml_fail(v, err, "base: unknown cell '%.60s'", t->base);
            return ig_experiment_hint_cell(err, e, t->base);
        }
    }
    if ((v = ig_experiment_value(map, "reference")) != NULL)
        return read_reference(t, e, of, v, err);
    return IG_ERR_OK;
}

static ig_code read_kind(ig_figure_spec *f, const ig_yaml *map, ig_err *err)
{
    const ig_yaml *v = ig_experiment_value(map, "kind");
    const char *text;
    char list[160] = "";
    for (int i = 0; i < IG_N_FIG; i++)
        ig_append_name(list, sizeof list, ig_figure_kind_names[i]);
    if (v == NULL)
        return ig_yaml_fail(map, err, "figure '%s' has no kind, expected one of %s", f->name, list);
    IG_TRY(ig_yaml_text(&text, v, "kind", err));
    for (int i = 0; i < IG_N_FIG; i++)
        if (strcmp(text, ig_figure_kind_names[i]) == 0) {
            f->kind = (ig_figure_kind)i;
            return IG_ERR_OK;
        }
    ig_yaml_fail(v, err, "kind: found '%.60s', expected one of %s", text, list);
    return ig_hint_nearest(err, text, ig_figure_kind_names, IG_N_FIG);
}

/* Kinds that look into one model instead of comparing measures of cells. */
static bool one_model(const ig_figure_spec *f)
{
    return f->kind != IG_FIG_CURVES && f->kind != IG_FIG_LAYERS && f->kind != IG_FIG_BARS;
}

static ig_code read_values(ig_figure_spec *f, ig_experiment *e, const ig_yaml *map, ig_err *err)
{
    const ig_yaml *v = ig_experiment_value(map, "values");
    const char *kind = ig_figure_kind_names[f->kind];
    const bool none = one_model(f);
    if (none && v != NULL)
        return ig_yaml_fail(v, err, "values: a figure of kind %s shows one model, expected none",
                            kind);
    if (none)
        return IG_ERR_OK;
    if (v == NULL || (v->kind == IG_YAML_LIST && v->n == 0)) {
        ig_yaml_fail(v != NULL ? v : map, err, "figure '%s' of kind %s has no values, expected %s",
                     f->name, kind, "quantities");
        return ig_hint(err, f->kind == IG_FIG_LAYERS ? "values: [rho, tau]"
                                                     : "values: [mu, \"rho[low]\"]");
    }
    bool list = v->kind == IG_YAML_LIST;
    int n = list ? v->n : 1;
    IG_TRY(ig_pool_alloc(e->pool, &f->quantity, n, sizeof *f->quantity, err));
    for (int i = 0; i < n; i++) {
        IG_TRY(ig_experiment_read_quantity(
            &f->quantity[i], e, list ? v->item[i] : v,
            &(ig_quantity_place){"values", f->cell, f->n_cell, f->kind == IG_FIG_LAYERS}, err));
        f->n_quantity++;
    }
    return IG_ERR_OK;
}

/* Checks that the measures a kind of figure needs are requested. */
static ig_code check_measures(const ig_figure_spec *f, ig_experiment *e, const ig_yaml *map,
                              const ig_yaml *measure, ig_err *err)
{
    for (int i = 0; i < f->n_quantity && f->kind == IG_FIG_CURVES && f->over == NULL; i++) {
        bool task;
        if (ig_experiment_over_training(&task, e, &f->quantity[i]))
            continue;
        ig_yaml_fail(map, err, "figure '%s': curves, but only the finished models are %s", f->name,
                     task ? "fine-tuned" : "measured");
        return ig_hint(err, "%s: {checkpoints: log}",
                       task ? ig_quantity_text(&f->quantity[i]) : "measure");
    }
    if (f->kind != IG_FIG_LAYERS || e->measure.all_layers)
        return IG_ERR_OK;
    const ig_yaml *layers = measure != NULL ? ig_experiment_value(measure, "layers") : NULL;
    if (layers == NULL || layers->kind == IG_YAML_LIST) {
        e->measure.all_layers = layers == NULL;
        return IG_ERR_OK;
    }
    ig_yaml_fail(map, err, "figure '%s' shows layers, but only those of μ are measured", f->name);
    return ig_hint(err, "measure: {layers: all}");
}

/* The cells that a figure shows: without patterns all, or the base cell where it shows one model.
 */
static void shown_cells(char ***pattern, int *n, const ig_figure_spec *f, const ig_experiment *e)
{
    *pattern = f->cell;
    *n = f->n_cell;
    if (f->n_cell == 0 && one_model(f) && e->base >= 0) {
        *pattern = (char **)(uintptr_t)&e->cell[e->base].name;
        *n = 1;
    }
}

/* The model of that update is kept, of each cell that is shown: for a task, or as the last one. */
static ig_code check_step(const ig_figure_spec *f, const ig_experiment *e, const ig_yaml *at,
                          const ig_cell_patterns *shown, ig_err *err)
{
    for (int i = 0; i < e->n_task; i++)
        if (ig_checkpoints_due(&e->measure.task[i].at, f->step))
            return IG_ERR_OK;
    for (int i = 0; i < e->n_cell; i++) {
        const ig_cell *c = &e->cell[i];
        const int64_t last = c->config.optimisation.updates; /* 0: the data decide it */
        if (!ig_cell_matches(c->name, shown->pattern, shown->n) || last == 0 || last == f->step)
            continue;
        ig_yaml_fail(at, err, "step: the model of update %lld of cell '%.60s' is not kept",
                     (long long)f->step, c->name);
        return ig_hint(err, "tasks: {NAME: {checkpoints: [%lld]}} keeps it", (long long)f->step);
    }
    return IG_ERR_OK;
}

static ig_code read_model(ig_figure_spec *f, const ig_experiment *e, const ig_yaml *map,
                          ig_err *err)
{
    static const char *const of_model[] = {"seed", "step", "take"};
    const ig_yaml *v;
    char **pattern;
    int n_pattern;
    for (size_t i = 0; i < sizeof of_model / sizeof *of_model && !one_model(f); i++)
        if ((v = ig_experiment_value(map, of_model[i])) != NULL)
            return ig_yaml_fail(v, err,
                                "%s: a figure of kind %s shows no single model, expected none",
                                of_model[i], ig_figure_kind_names[f->kind]);
    shown_cells(&pattern, &n_pattern, f, e);
    f->seed = -1;
    f->step = -1;
    f->layer = f->kind == IG_FIG_STATES ? IG_LAYER_HIGH : IG_LAYER_NONE;
    if ((v = ig_experiment_value(map, "seed")) != NULL) {
        IG_TRY(ig_yaml_int(&f->seed, v, "seed", 0, IG_EXPERIMENT_HIGHEST_SEED, err));
        for (int i = 0; i < e->n_cell; i++) {
            const ig_cell *c = &e->cell[i];
            int k = 0;
            while (k < c->n_seed && c->seed[k] != f->seed)
                k++;
            if (k == c->n_seed && ig_cell_matches(c->name, pattern, n_pattern))
                return ig_yaml_fail(v, err, "seed: cell '%.60s' has no seed %lld", c->name,
                                    (long long)f->seed);
        }
    }
    if ((v = ig_experiment_value(map, "step")) != NULL) {
        IG_TRY(ig_yaml_int(&f->step, v, "step", 0, (int64_t)1e12, err));
        IG_TRY(check_step(f, e, v, &(ig_cell_patterns){pattern, n_pattern}, err));
    }
    if ((v = ig_experiment_value(map, "take")) != NULL)
        IG_TRY(ig_yaml_int(&f->count, v, "take", 1, 100000, err));
    if ((v = ig_experiment_value(map, "layer")) == NULL)
        return IG_ERR_OK;
    if (f->layer == IG_LAYER_NONE)
        return ig_yaml_fail(v, err, "layer: a figure of kind %s has none",
                            ig_figure_kind_names[f->kind]);
    if (v->kind == IG_YAML_SCALAR && strcmp(v->text, "low") == 0)
        f->layer = IG_LAYER_LOW;
    else if (v->kind != IG_YAML_SCALAR || strcmp(v->text, "high") != 0) {
        int64_t layer;
        if (ig_yaml_int(&layer, v, "layer", 0, 999, err) != IG_ERR_OK)
            return ig_yaml_wrong(v, "layer", "a layer, low or high", err);
        f->layer = (int)layer;
        IG_TRY(ig_experiment_check_layer(e, layer, v, "layer",
                                         (ig_cell_patterns){pattern, n_pattern}, err));
    }
    return IG_ERR_OK;
}

/* An axis in place of steps: every cell that is shown has a number there. */
static ig_code read_over(ig_figure_spec *f, const ig_experiment *e, const ig_yaml *map,
                         const ig_yaml *v, ig_err *err)
{
    IG_TRY(ig_experiment_text(&f->over, map, "over", err));
    if (f->kind != IG_FIG_CURVES || f->onset)
        return ig_yaml_fail(v, err, "over: %s, expected curves without an onset",
                            f->onset ? "an onset is one of steps"
                                     : "a figure of another kind has no axis of steps");
    for (int i = 0; i < e->n_cell; i++) {
        const char *name = e->cell[i].name;
        if (!ig_cell_matches(name, f->cell, f->n_cell) || isfinite(ig_cell_axis(name, f->over)))
            continue;
        ig_yaml_fail(v, err, "over: cell '%.60s' has no number of an axis '%.40s'", name, f->over);
        return ig_hint(err, "axes: {%.40s: [1000, 2000]}; cells: says which cells are shown",
                       f->over);
    }
    return IG_ERR_OK;
}

static ig_code read_figure(ig_figure_spec *f, ig_experiment *e, const ig_yaml *map,
                           const ig_yaml *measure, ig_err *err)
{
    static const char *const keys[] = {"name",   "title", "caption", "kind", "cells",
                                       "values", "seed",  "layer",   "step", "take",
                                       "log_x",  "onset", "over"};
    const ig_yaml *v;
    IG_TRY(ig_yaml_keys(map, keys, 13, "figure", err));
    IG_TRY(read_name(&f->name, map, "the figure", err));
    IG_TRY(ig_experiment_text(&f->title, map, "title", err));
    IG_TRY(ig_experiment_text(&f->caption, map, "caption", err));
    IG_TRY(read_kind(f, map, err));
    IG_TRY(read_patterns(&f->cell, &f->n_cell, e, ig_experiment_value(map, "cells"), "cells", err));
    if (one_model(f) && f->n_cell == 0 && e->base < 0) {
        ig_yaml_fail(map, err, "figure '%s' shows one model, but no cell is the base", f->name);
        return ig_hint(err, "name it: cells: [NAME]");
    }
    IG_TRY(read_values(f, e, map, err));
    IG_TRY(read_model(f, e, map, err));
    f->log_x = f->kind == IG_FIG_CURVES;
    if ((v = ig_experiment_value(map, "log_x")) != NULL)
        IG_TRY(ig_yaml_flag(&f->log_x, v, "log_x", err));
    if ((v = ig_experiment_value(map, "onset")) != NULL)
        IG_TRY(ig_yaml_flag(&f->onset, v, "onset", err));
    if (f->onset && f->kind != IG_FIG_CURVES)
        return ig_yaml_fail(v, err, "onset: a figure of kind %s has none, expected curves",
                            ig_figure_kind_names[f->kind]);
    if ((v = ig_experiment_value(map, "over")) != NULL)
        IG_TRY(read_over(f, e, map, v, err));
    return check_measures(f, e, map, measure, err);
}

static ig_code twice(const ig_yaml *at, const char *what, const char *name, ig_err *err)
{
    return ig_yaml_fail(at, err, "two %s are named '%s', expected different names", what, name);
}

ig_code ig_experiment_read_report(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    static const char *const keys[] = {"tables", "figures"};
    const ig_yaml *map = ig_experiment_section(t, "report"), *v;
    const ig_yaml *measure = ig_experiment_section(t, "measure");
    const sections of = {ig_experiment_section(t, "cells"), ig_experiment_section(t, "axes")};
    ig_report_spec *r = &e->report;
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_keys(map, keys, 2, "report", err));
    if ((v = ig_experiment_value(map, "tables")) != NULL) {
        IG_TRY(ig_yaml_is(v, IG_YAML_LIST, "tables", err));
        IG_TRY(ig_pool_alloc(e->pool, &r->table, v->n, sizeof *r->table, err));
        for (int i = 0; i < v->n; i++) {
            r->n_table++;
            IG_TRY(read_table(&r->table[i], e, &of, v->item[i], err));
            for (int k = 0; k < i; k++)
                if (strcmp(r->table[k].name, r->table[i].name) == 0)
                    return twice(v->item[i], "tables", r->table[i].name, err);
        }
    }
    if ((v = ig_experiment_value(map, "figures")) == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_is(v, IG_YAML_LIST, "figures", err));
    IG_TRY(ig_pool_alloc(e->pool, &r->figure, v->n, sizeof *r->figure, err));
    for (int i = 0; i < v->n; i++) {
        r->n_figure++;
        IG_TRY(read_figure(&r->figure[i], e, v->item[i], measure, err));
        for (int k = 0; k < i; k++)
            if (strcmp(r->figure[k].name, r->figure[i].name) == 0)
                return twice(v->item[i], "figures", r->figure[i].name, err);
    }
    return IG_ERR_OK;
}
