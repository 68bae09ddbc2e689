/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of an experiment: what its file and the store say, gathered for report/page/page.h.
 */
#include "base/file.h"
#include "base/number_text.h"
#include "base/settings/json_text.h"
#include "base/memory.h"
#include "base/pool.h"
#include "lab/report/lab_report_parts.h"
#include "lab/runs/lab_list.h"
#include "report/page/page.h"
#include "run/run_folder.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const ig_lab_report *r;
    ig_pool pool;
    json_t *experiment; /* ig_experiment_json */
    ig_page page;
    ig_page_cell *cell;
    ig_table **table, *claims;
    const ig_result_table **value;
} gathering;

/* --- commands --------------------------------------------------------------------------------- */

static ig_code command(gathering *g, const char **out, const char *what, const char *only,
                       ig_err *err)
{
    char *text = NULL;
    IG_TRY(ig_lab_report_command(&text, g->r, what, only, err));
    ig_code code = ig_pool_text(&g->pool, out, text, strlen(text), err);
    ig_free(text);
    return code;
}

/* --- settings --------------------------------------------------------------------------------- */

static ig_code value_text(gathering *g, const char **out, const json_t *x, ig_err *err)
{
    if (json_is_string(x))
        return ig_pool_text(&g->pool, out, json_string_value(x), json_string_length(x), err);
    if (json_is_array(x)) { /* a list of words or numbers */
        const char *all = "";
        size_t i;
        const json_t *one;
        json_array_foreach(x, i, one)
        {
            const char *next;
            IG_TRY(value_text(g, &next, one, err));
            IG_TRY(ig_pool_print(&g->pool, &all, err, "%s%s%s", all, i > 0 ? ", " : "", next));
        }
        *out = all;
        return IG_ERR_OK;
    }
    char *text = ig_json_text(x, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "report", 0, "not enough memory for a setting");
    ig_code code = ig_pool_text(&g->pool, out, strcmp(text, "null") == 0 ? "none" : text,
                                strcmp(text, "null") == 0 ? 4 : strlen(text), err);
    free(text);
    return code;
}

/* The settings but the seed: those whose value is not the default, and the others. */
static ig_code facts(gathering *g, const json_t *config, const json_t *defaults, ig_err *err)
{
    ig_page_fact *f[2];
    int n[2] = {0, 0};
    const char *key;
    json_t *x;
    for (int i = 0; i < 2; i++)
        IG_TRY(ig_pool_alloc(&g->pool, &f[i], (int64_t)json_object_size(config), sizeof **f, err));
    json_object_foreach((json_t *)(uintptr_t)config, key, x)
    {
        const json_t *y = json_object_get(defaults, key);
        const bool normal = y != NULL && json_equal(x, y);
        if (strcmp(key, "seed") == 0)
            continue;
        f[normal][n[normal]].key = key;
        IG_TRY(value_text(g, &f[normal][n[normal]++].value, x, err));
    }
    g->page.setting = f[false];
    g->page.n_setting = n[false];
    g->page.normal = f[true];
    g->page.n_normal = n[true];
    return IG_ERR_OK;
}

/* The settings all cells have in common, for an experiment without a base cell. */
static json_t *in_common(const json_t *cells)
{
    json_t *common = json_deep_copy(json_object_get(json_array_get(cells, 0), "config"));
    size_t i;
    const json_t *c;
    json_array_foreach(cells, i, c)
    {
        const json_t *config = json_object_get(c, "config");
        const char *key;
        json_t *x;
        void *next;
        json_object_foreach_safe(common, next, key, x)
        {
            if (!json_equal(x, json_object_get(config, key)))
                json_object_del(common, key);
        }
    }
    return common;
}

/* Settings by name from a list, for a cell's differences. */
static ig_code differences(gathering *g, ig_page_cell *out, const json_t *cell, ig_err *err)
{
    const json_t *keys = json_object_get(cell, "differs"),
                 *config = json_object_get(cell, "config");
    ig_page_fact *f;
    size_t i;
    const json_t *k;
    IG_TRY(ig_pool_alloc(&g->pool, &f, (int64_t)json_array_size(keys), sizeof *f, err));
    json_array_foreach(keys, i, k)
    {
        char key[64];
        ig_option_key(key, sizeof key, json_string_value(k));
        const json_t *x = json_object_get(config, key);
        if (x == NULL)
            continue;
        f[out->n_fact].key = json_string_value(k);
        IG_TRY(value_text(g, &f[out->n_fact].value, x, err));
        out->n_fact++;
    }
    out->fact = f;
    return IG_ERR_OK;
}

static ig_code base_settings(gathering *g, ig_err *err)
{
    const json_t *cells = json_object_get(g->experiment, "cells");
    const ig_experiment *e = g->r->experiment;
    ig_run_config *normal;
    IG_TRY(ig_alloc(&normal, 1, sizeof *normal, "settings", err));
    ig_code code = ig_options_default(ig_run_options, IG_RUN_N_OPTION, normal, err);
    json_t *defaults = ig_options_json(ig_run_options, IG_RUN_N_OPTION, normal);
    json_t *base =
        e->base >= 0
            ? json_deep_copy(json_object_get(json_array_get(cells, (size_t)e->base), "config"))
            : in_common(cells);
    ig_run_config_free(normal);
    ig_free(normal);
    /* Keys are borrowed from the experiment's JSON: keep this object as long. */
    json_object_set_new(g->experiment, "base_settings", base);
    IG_THEN(code, facts(g, base, defaults, err));
    json_decref(defaults);
    return code;
}

static ig_code sentences(gathering *g, const char **out, int64_t n, ig_err *err)
{
    return n == 0 ? ig_pool_text(&g->pool, out, "all", 3, err)
                  : ig_pool_print(&g->pool, out, err, "%lld", (long long)n);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static ig_code measured_text(gathering *g, const char **out, const ig_measure_text *t, ig_err *err)
{
    const ig_measure_plan *m = &g->r->experiment->measure;
    const char *of = t->own && t->ids[0] == '\0' ? "further sentences of the world"
                     : t->own                    ? "the development texts"
                                                 : file_name(t->path),
               *take;
    if (t->edit[0] != '\0')
        return ig_pool_print(&g->pool, out, err, "the development text on an edited model, %s",
                             t->edit);
    for (int i = 0; i < t->n_file; i++) {
        const ig_measure_file *f = &m->file[t->first_file + i];
        IG_TRY(ig_pool_print(&g->pool, &of, err, "%s%s%s of %s", i > 0 ? of : "", i > 0 ? ", " : "",
                             file_name(f->path), f->pair));
    }
    IG_TRY(sentences(g, &take, t->take, err));
    return ig_pool_print(&g->pool, out, err, "%s%s%s, sentences: %s%s%s", of,
                         t->ids[0] != '\0' ? ", verses " : "", t->ids, take,
                         t->learn[0] != '\0' ? ", maps learned on " : "", t->learn);
}

static ig_code measures(gathering *g, ig_err *err)
{
    const ig_measure_plan *m = &g->r->experiment->measure;
    const json_t *j = json_object_get(g->experiment, "measure");
    static const char *const keys[][2] = {
        {"what", "measures"}, {"layers", "layers"}, {"checkpoints", "checkpoints"}};
    ig_page_fact *f;
    int n = 0;
    IG_TRY(ig_pool_alloc(&g->pool, &f, 5 + m->n_text, sizeof *f, err));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++, n++) {
        f[n].key = keys[i][1];
        IG_TRY(value_text(g, &f[n].value, json_object_get(j, keys[i][0]), err));
    }
    f[n].key = "sentences of a language";
    IG_TRY(sentences(g, &f[n++].value, m->max_sentences, err));
    if (m->checkpoints != IG_CHECKPOINTS_END && m->curve_max_sentences > 0) {
        f[n].key = "before the last update";
        IG_TRY(sentences(g, &f[n++].value, m->curve_max_sentences, err));
    }
    for (int i = 0; i < m->n_text; i++, n++) {
        IG_TRY(ig_pool_print(&g->pool, &f[n].key, err, "text %s", m->text[i].name));
        IG_TRY(measured_text(g, &f[n].value, &m->text[i], err));
    }
    g->page.measured = f;
    g->page.n_measured = n;
    return IG_ERR_OK;
}

/* --- cells, tables ---------------------------------------------------------------------------- */

/* The store's cells are the experiment's, in the same order unless the file was changed behind its
 * back; they are matched by name. */
static ig_code cells(gathering *g, ig_err *err)
{
    const ig_results *r = &g->r->results;
    const ig_experiment *e = g->r->experiment;
    const json_t *list = json_object_get(g->experiment, "cells");
    IG_TRY(ig_pool_alloc(&g->pool, &g->cell, r->n_cell, sizeof *g->cell, err));
    for (int i = 0, k = 0; i < r->n_cell; i++) {
        k = ig_lab_cell_of(e, r->cell[i].name, k);
        if (k < 0)
            continue;
        ig_page_cell *c = &g->cell[i];
        c->title = e->cell[k].title;
        c->note = ig_lab_report_needs(&e->cell[k]);
        IG_TRY(differences(g, c, json_array_get(list, (size_t)k), err));
        IG_TRY(command(g, &c->command, "run", e->cell[k].name, err));
    }
    g->page.cell = g->cell;
    return IG_ERR_OK;
}

static ig_code tables(gathering *g, ig_err *err)
{
    const ig_lab_report *r = g->r;
    /* So many runs: what a number tells when pointed at, and the lines below, are left to --json.
     */
    bool many = r->results.store->n_entry > IG_PAGE_MANY_RUNS;
    const ig_result_lines lines = {
        .interval = !many, .paper = true, .compare = !many, .link = true, .tell = !many};
    IG_TRY(ig_pool_alloc(&g->pool, &g->table, r->n_table, sizeof *g->table, err));
    IG_TRY(ig_pool_alloc(&g->pool, &g->value, r->n_table, sizeof *g->value, err));
    for (int i = 0; i < r->n_table; i++) {
        IG_TRY(ig_table_of_results(&g->table[i], &r->table[i], &lines, err));
        g->value[i] = &r->table[i];
        g->page.n_table++;
    }
    if (r->claims.n_claim > 0)
        IG_TRY(ig_claim_results_table(&g->claims, &r->claims, err));
    g->page.claims = g->claims;
    g->page.table = (const ig_table *const *)g->table;
    g->page.value = g->value;
    return IG_ERR_OK;
}

/* --- figures ---------------------------------------------------------------------------------- */

/* Whether a drawing is wider than half the page: its width attribute, in points. */
static bool is_wide(const char *svg)
{
    const char *w = strstr(svg, " width=\"");
    double width;
    return w != NULL && ig_number_parse(&width, w + 8, NULL) && width > 300;
}

static ig_code draw(gathering *g, ig_page_figure *out, const ig_figure *f, ig_err *err)
{
    char *svg = NULL, id[80];
    snprintf(id, sizeof id, "drawing-%.60s", out->name);
    IG_TRY(ig_figure_svg(&svg, f, id, err));
    out->wide = is_wide(svg);
    ig_code code = ig_pool_text(&g->pool, &out->alt, f->title, strlen(f->title), err);
    if (code == IG_ERR_OK)
        code = ig_pool_text(&g->pool, &out->svg, svg, strlen(svg), err);
    ig_free(svg);
    return code;
}

/* What cannot be drawn is said where it would stand. */
static ig_code figures(gathering *g, ig_err *err)
{
    const ig_report_spec *s = &g->r->experiment->report;
    ig_page_figure *out;
    IG_TRY(ig_pool_alloc(&g->pool, &out, s->n_figure, sizeof *out, err));
    for (int i = 0; i < s->n_figure; i++) {
        char left_out[IG_LEFT_OUT];
        ig_figure f;
        ig_err why = {0};
        out[i] = (ig_page_figure){.name = s->figure[i].name,
                                  .title = s->figure[i].title,
                                  .caption = s->figure[i].caption};
        ig_code code = ig_lab_report_figure(&f, left_out, g->r, i, &why);
        IG_THEN(code, draw(g, &out[i], &f, &why));
        ig_figure_free(&f);
        char *onset = ig_lab_report_onset(g->r, i);
        const ig_code kept = onset == NULL
                                 ? IG_ERR_OK
                                 : ig_pool_text(&g->pool, &out[i].onset, onset, strlen(onset), err);
        free(onset);
        IG_TRY(kept);
        const char *told = code != IG_ERR_OK ? why.msg : left_out;
        if (told[0] != '\0')
            IG_TRY(ig_pool_text(&g->pool, &out[i].missing, told, strlen(told), err));
    }
    g->page.figure = out;
    g->page.n_figure = s->n_figure;
    return IG_ERR_OK;
}

static ig_code gather(gathering *g, ig_err *err)
{
    const ig_experiment *e = g->r->experiment;
    g->experiment = ig_experiment_json(e);
    if (g->experiment == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "report", 0, "not enough memory for the page");
    g->page = (ig_page){.name = e->name,
                        .title = e->title,
                        .question = e->question,
                        .paper = e->paper,
                        .note = e->note,
                        .file = e->path,
                        .store = g->r->dir,
                        .results = &g->r->results};
    IG_TRY(command(g, &g->page.run_command, "run", NULL, err));
    IG_TRY(command(g, &g->page.report_command, "report", g->r->only, err));
    IG_TRY(base_settings(g, err));
    IG_TRY(measures(g, err));
    IG_TRY(cells(g, err));
    IG_TRY(tables(g, err));
    return figures(g, err);
}

ig_code ig_lab_report_page(const ig_lab_report *r, const char *dir, ig_err *err)
{
    gathering g = {.r = r};
    ig_out out = {0};
    IG_TRY(ig_out_try_in(dir, "index.html", err));
    ig_code code = gather(&g, err);
    IG_THEN(code, ig_dir_make(dir, err));
    IG_THEN(code, ig_out_open_in(&out, dir, "index.html", err));
    IG_THEN(code, ig_out_close(&out, ig_page_write(out.fp, &g.page, err), err));
    for (int i = 0; i < g.page.n_table; i++)
        ig_table_free(g.table[i]);
    ig_table_free(g.claims);
    ig_pool_free(&g.pool);
    json_decref(g.experiment);
    return code;
}
