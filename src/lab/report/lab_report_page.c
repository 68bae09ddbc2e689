/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of an experiment: what its file and the store say, gathered for report/page/page.h.
 */
#include "base/file.h"

#include "base/memory.h"
#include "base/number_text.h"
#include "lab/report/lab_report_parts.h"
#include "lab/runs/lab_list.h"
#include "report/page/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const ig_lab_report *r;
    json_t *experiment; /* ig_experiment_json */
    ig_page page;
} gathering;

/* --- commands --------------------------------------------------------------------------------- */

/* Puts the command under a key of the object. */
static ig_code add_command(json_t *to, const char *key, const gathering *g, const char *what,
                           const char *only, ig_err *err)
{
    char *text = NULL;
    IG_TRY(ig_lab_report_command(&text, g->r, what, only, err));
    json_object_set_new(to, key, ig_page_text(text));
    ig_free(text);
    return IG_ERR_OK;
}

/* --- settings --------------------------------------------------------------------------------- */

/* The settings but the seed: those whose value is not the default, and the others. */
static void add_settings(json_t *about, const json_t *config, const json_t *defaults)
{
    json_t *setting = json_object(), *normal = json_object(), *x;
    const char *key;
    json_object_foreach((json_t *)(uintptr_t)config, key, x)
    {
        const json_t *y = json_object_get(defaults, key);
        if (strcmp(key, "seed") != 0)
            ig_page_fact(y != NULL && json_equal(x, y) ? normal : setting, key, ig_page_value(x));
    }
    json_object_set_new(about, "setting", setting);
    if (json_object_size(normal) > 0)
        json_object_set(about, "normal", normal);
    json_decref(normal);
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

/* The settings in which a cell differs from the base. */
static void add_differences(json_t *to, const json_t *cell)
{
    size_t i;
    const json_t *k;
    json_array_foreach(json_object_get(cell, "differs"), i, k)
    {
        char key[64];
        ig_option_key(key, sizeof key, json_string_value(k));
        const json_t *x = json_object_get(json_object_get(cell, "config"), key);
        if (x != NULL)
            ig_page_fact(to, json_string_value(k), ig_page_value(x));
    }
}

static ig_code base_settings(gathering *g, ig_err *err)
{
    const json_t *cells = json_object_get(g->experiment, "cells");
    const ig_experiment *e = g->r->experiment;
    ig_run_config *normal;
    IG_TRY(ig_alloc(&normal, 1, sizeof *normal, "settings", err));
    ig_code code = ig_options_default(&ig_run_options, normal, err);
    json_auto_t *defaults = ig_options_json(&ig_run_options, normal),
                *base = e->base >= 0 ? json_deep_copy(json_object_get(
                                           json_array_get(cells, (size_t)e->base), "config"))
                                     : in_common(cells);
    ig_run_config_free(normal);
    ig_free(normal);
    add_settings(g->page.about, base, defaults);
    return code;
}

static json_t *sentences(int64_t n)
{
    return n == 0 ? json_string("all") : json_sprintf("%lld", (long long)n);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static json_t *measured_text(const ig_measure_plan *m, const ig_measure_text *t)
{
    const char *of = t->own && t->ids[0] == '\0' ? "further sentences of the world"
                     : t->own                    ? "the development texts"
                     : t->n_file > 0             ? ""
                                                 : file_name(t->path);
    if (t->edit[0] != '\0')
        return json_sprintf("the development text on an edited model, %s", t->edit);
    json_t *text = ig_page_text(of), *take = sentences(t->take);
    for (int i = 0; i < t->n_file; i++) {
        const ig_measure_file *f = &m->file[t->first_file + i];
        ig_page_append(text, "%s%s of %s", i > 0 ? ", " : "", file_name(f->path), f->pair);
    }
    ig_page_append(text, "%s%s, sentences: %s%s%s", t->ids[0] != '\0' ? ", verses " : "", t->ids,
                   json_string_value(take), t->learn[0] != '\0' ? ", maps learned on " : "",
                   t->learn);
    json_decref(take);
    return text;
}

/* Appends "KEY VALUE, KEY VALUE" of an object, after `before`. */
static void append_members(json_t *text, const char *before, json_t *object)
{
    const char *key;
    json_t *x;
    json_object_foreach(object, key, x)
    {
        json_t *value = ig_page_value(x);
        if (json_is_string(value))
            ig_page_append(text, "%s%s %s", before, key, json_string_value(value));
        json_decref(value);
        before = ", ";
    }
}

/* "entities.yaml: recipe bert, lr 2e-5, …; seeds 0, 1; examples read: en train 6000, …" */
static json_t *tuned_text(const json_t *task, const json_t *way)
{
    json_t *text = ig_page_text(file_name(json_string_value(json_object_get(task, "file"))));
    json_auto_t *seeds = ig_page_value(json_object_get(task, "seeds"));
    append_members(text, ": ", json_object_get(way, "settings"));
    ig_page_append(text, "; seeds %s", json_is_string(seeds) ? json_string_value(seeds) : "");
    append_members(text, "; examples read: ", json_object_get(way, "examples"));
    return text;
}

static json_t *measured(const gathering *g)
{
    const ig_measure_plan *m = &g->r->experiment->measure;
    const json_t *j = json_object_get(g->experiment, "measure");
    json_t *facts = json_object();
    ig_page_fact(facts, "measures", ig_page_value(json_object_get(j, "what")));
    ig_page_fact(facts, "layers", ig_page_value(json_object_get(j, "layers")));
    ig_page_fact(facts, "checkpoints", ig_page_value(json_object_get(j, "checkpoints")));
    ig_page_fact(facts, "sentences of a language", sentences(m->max_sentences));
    if (m->at.kind != IG_CHECKPOINTS_END && m->curve_max_sentences > 0)
        ig_page_fact(facts, "before the last update", sentences(m->curve_max_sentences));
    for (int i = 0; i < m->n_text; i++) {
        json_t *key = json_sprintf("text %s", m->text[i].name);
        ig_page_fact(facts, json_string_value(key), measured_text(m, &m->text[i]));
        json_decref(key);
    }
    json_t *tasks = ig_lab_report_tasks(g->r), *task, *way;
    const char *name;
    size_t i;
    json_object_foreach(tasks, name, task)
    {
        json_array_foreach(json_object_get(task, "ways"), i, way)
        {
            const char *of = json_string_value(json_object_get(way, "name"));
            json_t *key = json_sprintf("task %s%s%s", name, of[0] != '\0' ? " " : "", of),
                   *text = tuned_text(task, way);
            ig_page_fact(facts, json_string_value(key), text);
            json_decref(key);
        }
    }
    json_decref(tasks);
    return facts;
}

/* --- cells, tables ---------------------------------------------------------------------------- */

/* Adds the store's cells, which are the experiment's, in the same order unless the file was changed
 * meanwhile; they are matched by name. */
static ig_code add_cells(gathering *g, ig_err *err)
{
    const ig_results *r = &g->r->results;
    const ig_experiment *e = g->r->experiment;
    const json_t *list = json_object_get(g->experiment, "cells");
    json_t *cells = json_array(), *c;
    json_object_set_new(g->page.about, "cells", cells);
    for (int i = 0, k = 0; i < r->n_cell; i++) {
        k = ig_lab_cell_of(e, r->cell[i].name, k);
        const ig_cell *of = k >= 0 ? &e->cell[k] : NULL;
        c = ig_page_texts("title", of != NULL ? of->title : NULL, "note",
                          of != NULL ? ig_lab_report_needs(of) : NULL, "command", NULL, NULL);
        json_object_set_new(c, "facts", json_array());
        json_array_append_new(cells, c);
        if (of == NULL)
            continue;
        add_differences(c, json_array_get(list, (size_t)k));
        IG_TRY(add_command(c, "command", g, "run", e->cell[k].name, err));
    }
    return IG_ERR_OK;
}

/* --- figures ---------------------------------------------------------------------------------- */

/* Returns whether a drawing is wider than half the page: its width attribute, in points. */
static bool is_wide(const char *svg)
{
    const char *w = strstr(svg, " width=\"");
    double width;
    return w != NULL && ig_number_parse(&width, w + 8, NULL) && width > 300;
}

static ig_code draw(json_t *out, const ig_figure *f, const char *name, ig_err *err)
{
    char *svg, id[80];
    snprintf(id, sizeof id, "drawing-%.60s", name);
    IG_TRY(ig_figure_svg(&svg, f, id, err));
    json_object_set_new(out, "svg", ig_page_text(svg));
    json_object_set_new(out, "wide", json_boolean(is_wide(svg)));
    json_object_set_new(out, "alt", ig_page_text(f->title));
    ig_free(svg);
    return IG_ERR_OK;
}

/* In place of a figure that cannot be drawn, the reason is shown. */
static json_t *figure(const gathering *g, int i)
{
    const ig_figure_spec *s = &g->r->experiment->report.figure[i];
    char left_out[IG_LEFT_OUT], *onset = ig_lab_report_onset(g->r, i);
    ig_figure f;
    ig_err why = {0};
    json_t *out = ig_page_texts("name", s->name, "title", s->title, "caption", s->caption, "svg",
                                NULL, "onset", onset, NULL);
    ig_code code = ig_lab_report_figure(&f, left_out, g->r, i, &why);
    IG_THEN(code, draw(out, &f, s->name, &why));
    ig_figure_free(&f);
    free(onset);
    const char *missing = code != IG_ERR_OK ? why.msg : left_out;
    json_object_set_new(out, "missing", ig_page_text(missing[0] != '\0' ? missing : NULL));
    return out;
}

/* The loss of each run, where the results are of a store. */
static ig_code add_loss(json_t *figures, const gathering *g, ig_err *err)
{
    IG_SCOPED(ig_figure_free) ig_figure f = {0};
    int n = 0;
    IG_TRY(ig_lab_report_loss(&f, &n, g->r, err));
    if (n > 0) {
        json_t *out = ig_page_texts("name", "loss-of-runs", "title", f.title, "caption",
                                    "As their logs have it; a colour is a cell", "svg", NULL,
                                    "missing", NULL, NULL);
        json_array_append_new(figures, out);
        IG_TRY(draw(out, &f, "loss-of-runs", err));
    }
    return IG_ERR_OK;
}

static ig_code gather(gathering *g, ig_err *err)
{
    const ig_experiment *e = g->r->experiment;
    json_t *figures = json_array();
    g->experiment = ig_experiment_json(e);
    if (g->experiment == NULL)
        return ig_fail(err, IG_ERR_MEMORY, "report", 0, "not enough memory for the page");
    g->page = (ig_page){NULL, &g->r->results, g->r->table, g->r->n_table, &g->r->claims};
    g->page.about =
        ig_page_texts("name", e->name, "title", e->title, "question", e->question, "paper",
                      e->paper, "note", e->note, "file", e->path, "store", g->r->dir, NULL);
    json_object_set_new(g->page.about, "measured", measured(g));
    json_object_set_new(g->page.about, "figures", figures);
    IG_TRY(add_command(g->page.about, "run_command", g, "run", NULL, err));
    IG_TRY(add_command(g->page.about, "report_command", g, "report", g->r->only, err));
    IG_TRY(base_settings(g, err));
    IG_TRY(add_cells(g, err));
    for (int i = 0; i < e->report.n_figure; i++)
        json_array_append_new(figures, figure(g, i));
    if (g->r->live > 0)
        json_object_set_new(g->page.about, "refresh", json_sprintf("%d", g->r->live));
    return add_loss(figures, g, err);
}

ig_code ig_lab_report_page(const ig_lab_report *r, const char *dir, ig_err *err)
{
    gathering g = {.r = r};
    ig_out out = {0};
    const bool there = ig_dir_exists(dir);
    IG_TRY(ig_out_try_in(dir, "index.html", err));
    ig_code code = gather(&g, err);
    IG_THEN(code, ig_dir_make(dir, err));
    IG_THEN(code, ig_out_open_in(&out, dir, "index.html", err));
    IG_THEN(code, ig_out_close(&out, ig_page_write(out.fp, &g.page, err), err));
    if (code != IG_ERR_OK && !there)
        rmdir(dir); /* which is empty */
    json_decref(g.page.about);
    json_decref(g.experiment);
    return code;
}
