/* SPDX-License-Identifier: Apache-2.0
 *
 * An experiment as resolved JSON, for readers of `--dry-run --json` and of the page. A cell's
 * "config" is a valid `base:` of an experiment file.
 */
#include "experiment/experiment.h"

#include "base/number_text.h"
#include "base/settings/json_text.h"
#include "corpus/read/text_source.h"
#include "experiment/experiment_parts.h"
#include "finetune/input/finetune_config.h"
#include "task/task.h"

#include <string.h>

static json_t *integers(const int64_t *v, int n)
{
    json_t *a = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(a, json_integer((json_int_t)v[i]));
    return a;
}

static json_t *settings(const ig_run_config *c)
{
    json_t *j = ig_options_json(&ig_run_options, c);
    for (int i = 0; i < ig_run_options.n; i++) {
        const char *name = ig_run_options.row[i].name, *why;
        char key[64];
        ig_option_key(key, sizeof key, name);
        if (!ig_experiment_option_allowed(name, &why))
            json_object_del(j, key);
    }
    return j;
}

static json_t *cell(const ig_cell *c)
{
    json_t *needs = json_array();
    if ((c->needs & IG_NEEDS_GPU) != 0)
        json_array_append_new(needs, json_string("gpu"));
    if ((c->needs & IG_NEEDS_EMBED) != 0)
        json_array_append_new(needs, json_string("embed"));
    return json_pack("{s:s, s:s, s:s?, s:o, s:o, s:o, s:o}", "name", c->name, "label", c->label,
                     "title", c->title, "needs", needs, "seeds", integers(c->seed, c->n_seed),
                     "differs", ig_json_texts((const char *const *)c->key, c->n_key), "config",
                     settings(&c->config));
}

static json_t *measured_text(const ig_measure_plan *m, const ig_measure_text *t)
{
    json_t *what = t->what != 0 ? ig_measure_names_json(t->what) : NULL;
    if (t->edit[0] != '\0')
        return json_pack("{s:s, s:o*}", "edit", t->edit, "what", what);
    json_t *j =
        json_pack("{s:s?, s:s?, s:s, s:I, s:o*}", "text", t->path[0] != '\0' ? t->path : NULL,
                  "ids", t->ids[0] != '\0' ? t->ids : NULL, "format", ig_text_kind_names[t->format],
                  "take", (json_int_t)t->take, "what", what);
    if (t->n_file > 0)
        json_object_set_new(j, "pairs", json_object());
    for (int i = t->first_file; i < t->first_file + t->n_file; i++)
        json_object_set_new(json_object_get(j, "pairs"), m->file[i].pair,
                            json_pack("s?", m->file[i].path));
    if (t->learn[0] != '\0')
        json_object_set_new(j, "learn", json_string(t->learn));
    return j;
}

static json_t *measure(const ig_measure_plan *m)
{
    json_t *checkpoints, *layers = m->all_layers      ? json_string("all")
                                   : m->layers.n == 0 ? json_string("mu")
                                                      : integers(m->layers.v, m->layers.n);
    switch (m->at.kind) {
    case IG_CHECKPOINTS_LOG:
        checkpoints = json_string("log");
        break;
    case IG_CHECKPOINTS_LIST:
        checkpoints = integers(m->at.step.v, m->at.step.n);
        break;
    case IG_CHECKPOINTS_EVERY:
        checkpoints = json_pack("{s:I}", "every", (json_int_t)m->at.every);
        break;
    case IG_CHECKPOINTS_END:
    default:
        checkpoints = json_string("end");
    }
    json_t *tasks = json_object();
    for (int i = 0; i < m->n_task; i++)
        json_object_set_new(tasks, m->task[i].name, json_string(m->task[i].key));
    json_t *pairs = m->all_pairs     ? json_string("all")
                    : m->n_pair == 0 ? json_string("first")
                                     : json_array();
    for (int i = 0; i < m->n_pair; i++)
        json_array_append_new(pairs, json_string(m->pair[i]));
    json_t *texts = json_object();
    for (int i = 0; i < m->n_text; i++)
        json_object_set_new(texts, m->text[i].name, measured_text(m, &m->text[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "what",
                     ig_measure_names_json(m->what), "layers", layers, "tasks", tasks, "pairs",
                     pairs, "text", texts, "checkpoints", checkpoints, "max_sentences",
                     (json_int_t)m->max_sentences, "curve_max_sentences",
                     (json_int_t)m->curve_max_sentences);
}

static json_t *quantity(const ig_quantity *q)
{
    char name[160];
    ig_quantity_format(name, sizeof name, q);
    return json_string(name);
}

static json_t *table(const ig_table_spec *t)
{
    json_t *columns = json_array();
    for (int i = 0; i < t->n_column; i++) {
        const ig_column *c = &t->column[i];
        json_array_append_new(columns, json_pack("{s:o, s:s?, s:i, s:s}", "value", quantity(&c->q),
                                                 "title", c->title, "digits", c->digits, "better",
                                                 c->higher_is_better  ? "higher"
                                                 : c->lower_is_better ? "lower"
                                                                      : "none"));
    }
    return json_pack("{s:s, s:s?, s:s?, s:o, s:o, s:s?, s:s?}", "name", t->name, "title", t->title,
                     "caption", t->caption, "rows",
                     ig_json_texts((const char *const *)t->row, t->n_row), "columns", columns,
                     "base", t->base, "reference", t->reference);
}

static json_t *figure(const ig_figure_spec *f)
{
    json_t *values = json_array();
    json_t *layer = f->layer == IG_LAYER_NONE   ? json_null()
                    : f->layer == IG_LAYER_LOW  ? json_string("low")
                    : f->layer == IG_LAYER_HIGH ? json_string("high")
                                                : json_integer(f->layer);
    for (int i = 0; i < f->n_quantity; i++)
        json_array_append_new(values, quantity(&f->quantity[i]));
    return json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:o, s:I, s:o, s:I, s:I, s:b, s:b, s:s?}", "name",
                     f->name, "kind", ig_figure_kind_names[f->kind], "title", f->title, "caption",
                     f->caption, "cells", ig_json_texts((const char *const *)f->cell, f->n_cell),
                     "values", values, "seed", (json_int_t)f->seed, "layer", layer, "step",
                     (json_int_t)f->step, "count", (json_int_t)f->count, "log_x", (int)f->log_x,
                     "onset", (int)f->onset, "over", f->over);
}

static json_t *claims(const ig_experiment *e)
{
    json_t *all = json_array();
    for (int i = 0; i < e->n_claim; i++) {
        const ig_claim *c = &e->claim[i];
        json_array_append_new(all, json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?}", "id", c->id,
                                             "text", c->text, "source", c->source, "statement",
                                             c->statement, "proxy", c->proxy, "needs", c->needs));
    }
    return all;
}

json_t *ig_experiment_json(const ig_experiment *e)
{
    json_t *cells = json_array(), *tables = json_array(), *figures = json_array();
    for (int i = 0; i < e->n_cell; i++)
        json_array_append_new(cells, cell(&e->cell[i]));
    for (int i = 0; i < e->report.n_table; i++)
        json_array_append_new(tables, table(&e->report.table[i]));
    for (int i = 0; i < e->report.n_figure; i++)
        json_array_append_new(figures, figure(&e->report.figure[i]));
    return json_pack(
        "{s:i, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:{s:o, s:o}, s:o}",
        "isoglot_experiment", 1, "name", e->name, "file", e->path, "title", e->title, "question",
        e->question, "paper", e->paper, "note", e->note, "base",
        e->base >= 0 ? e->cell[e->base].name : NULL, "variants",
        ig_json_texts((const char *const *)e->variant, e->n_variant), "cells", cells, "measure",
        measure(&e->measure), "report", "tables", tables, "figures", figures, "claims", claims(e));
}

/* The settings of a way of fine-tuning: the file's, else the recipe's, else the defaults; of a task
 * whose file cannot be read (kind NULL) without the recipe's. */
static json_t *way_json(const ig_experiment_tuning *way, const ig_task_kind *kind)
{
    static const char *const other[] = {"model", "task",    "out",      "seed",      "config",
                                        "json",  "threads", "max_time", "log_every", "save_every"};
    json_t *j = ig_options_json(&ig_finetune_options, &way->config);
    for (int i = 0; i < ig_finetune_options.n && j != NULL; i++) {
        const ig_option *o = &ig_finetune_options.row[i];
        char key[64], text[IG_RECIPE_TEXT];
        ig_option_key(key, sizeof key, o->name);
        const char *value = way->given[i] == 0 && kind != NULL
                                ? ig_recipe_value(text, &way->config, *kind, o->name)
                                : NULL;
        double number;
        if (value != NULL)
            json_object_set_new(j, key,
                                ig_number_read(&number, value)
                                    ? o->kind == IG_OPT_INT ? json_integer((json_int_t)number)
                                                            : json_real(number)
                                : strcmp(value, "true") == 0  ? json_true()
                                : strcmp(value, "false") == 0 ? json_false()
                                                              : json_string(value));
        if (json_is_null(json_object_get(j, key)))
            json_object_del(j, key);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        json_object_del(j, other[i]);
    return j;
}

static const ig_task_kind world_kind[IG_N_WORLD_TASK] = {
    [IG_WORLD_TAGS] = IG_TASK_TAGGING,    [IG_WORLD_ENTITIES] = IG_TASK_TAGGING,
    [IG_WORLD_TREES] = IG_TASK_PARSING,   [IG_WORLD_ENTAILMENT] = IG_TASK_PAIR,
    [IG_WORLD_MINIMAL] = IG_TASK_MINIMAL,
};

json_t *ig_experiment_tasks_json(const ig_experiment *e)
{
    json_t *all = json_object();
    for (int i = 0; i < e->n_task; i++) {
        const ig_experiment_task *t = &e->task[i];
        ig_task *task = NULL;
        json_t *seeds = json_array(), *ways = json_array();
        if (t->file != NULL && ig_task_read_names(t->file, t->root, &task, NULL) != IG_ERR_OK)
            task = NULL;
        const ig_task_kind *kind = task != NULL      ? &task->kind
                                   : t->file == NULL ? &world_kind[t->world.kind]
                                                     : NULL;
        for (int k = 0; k < t->n_seed; k++)
            json_array_append_new(seeds, json_integer((json_int_t)t->seed[k]));
        for (int k = 0; k < t->n_tuning; k++)
            json_array_append_new(ways, json_pack("{s:s, s:o}", "name", t->tuning[k].name,
                                                  "settings", way_json(&t->tuning[k], kind)));
        json_object_set_new(all, t->name,
                            json_pack("{s:s, s:o, s:o}", "file",
                                      t->file != NULL ? t->file : "of the run's own world", "seeds",
                                      seeds, "ways", ways));
        ig_task_free(task);
    }
    return all;
}
