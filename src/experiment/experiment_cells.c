/* SPDX-License-Identifier: Apache-2.0
 *
 * The grid: every entry of `cells:` crossed with a value of every axis, each resolved into the
 * settings of a run. Impossible settings are reported with their line.
 */
#include "experiment/experiment_parts.h"

#include "base/memory.h"
#include "base/settings/json_text.h"
#include "base/settings/options_internal.h"

#include <stdlib.h>
#include <string.h>

/* The parts of the grid, and the cell being made. */
typedef struct {
    ig_experiment_settings base, set; /* set: of a command line, over all */
    ig_cell_entry *entry;
    int n_entry; /* 0: no `cells` */
    ig_axis *axis;
    int n_axis;
    const ig_yaml *seeds, *set_seeds;
    const char *data_root;
    ig_run_config base_config;
    const ig_yaml *root;
    const ig_experiment_tree *tree;
    bool any_set;
} grid;

/* Sets base, cell and axes, without the settings derived from them. */
static ig_code put_settings(ig_run_config *c, const grid *g, const ig_cell_entry *entry,
                            const int *choice, ig_err *err)
{
    IG_TRY(ig_options_default(&ig_run_options, c, err));
    c->reported = true;
    IG_TRY(ig_experiment_settings_apply(&g->base, c, g->data_root, err));
    if (entry != NULL)
        IG_TRY(ig_experiment_settings_apply(&entry->settings, c, g->data_root, err));
    for (int i = 0; choice != NULL && i < g->n_axis; i++)
        IG_TRY(ig_experiment_settings_apply(&g->axis[i].value[choice[i]].settings, c, g->data_root,
                                            err));
    return ig_experiment_settings_apply(&g->set, c, g->data_root, err);
}

static int option_of(const char *name)
{
    return ig_option_find(&ig_run_options, name);
}

static const ig_yaml *base_key(const grid *g, int option)
{
    return option >= 0 ? g->base.key[option] : NULL;
}

/* The node that sets an option, the nearest to the cell first. */
static const ig_yaml *who_sets(const grid *g, const ig_cell_entry *entry, const int *choice,
                               int option)
{
    if (option < 0)
        return NULL;
    const ig_yaml *key = g->set.key[option];
    for (int i = 0; i < g->n_axis && key == NULL; i++)
        key = g->axis[i].value[choice[i]].settings.key[option];
    if (key == NULL && entry != NULL)
        key = entry->settings.key[option];
    return key != NULL ? key : base_key(g, option);
}

/* Returns whether one does; the nearest decides, and null is none. */
static bool is_set(const grid *g, const ig_cell_entry *entry, const int *choice, int option)
{
    const ig_yaml *value = g->set.value[option];
    for (int i = 0; i < g->n_axis && value == NULL; i++)
        value = g->axis[i].value[choice[i]].settings.value[option];
    if (value == NULL && entry != NULL)
        value = entry->settings.value[option];
    if (value == NULL)
        value = g->base.value[option];
    return value != NULL && !ig_yaml_is_null(value);
}

/* A contradiction between settings, at the line that decides it. */
static ig_code contradiction(const grid *g, const ig_cell_entry *entry, const int *choice,
                             const char *name, const ig_err *why, ig_err *err)
{
    const ig_yaml *at = who_sets(g, entry, choice, option_of(why->where));
    bool length = strcmp(why->where, "epochs") == 0;
    if (length) {
        /* The one nearer to the cell is shown. */
        const ig_yaml *updates = who_sets(g, entry, choice, option_of("updates"));
        bool epochs_of_base = at == base_key(g, option_of("epochs"));
        length = !epochs_of_base || updates != base_key(g, option_of("updates"));
        at = epochs_of_base ? updates : at;
    }
    if (at == NULL)
        at = entry != NULL ? entry->key : g->root;
    const char *colon = why->where[0] != '\0' ? ": " : "";
    ig_yaml_fail(at, err, "cell '%.60s': %.80s%s%.200s", name, why->where, colon, why->msg);
    if (length)
        ig_hint(err, "take the base's back in the cell: `updates: null` or `epochs: null`");
    else if (why->hint[0] != '\0')
        ig_hint(err, "%.200s", why->hint);
    return IG_ERR_USAGE;
}

static ig_code name_cell(const char **out, const grid *g, const ig_cell_entry *entry,
                         const int *choice, ig_err *err)
{
    *out = entry != NULL ? entry->key->text : NULL;
    for (int i = 0; i < g->n_axis; i++)
        IG_TRY(ig_pool_print(g->tree->pool, out, err, "%s%s%s", *out != NULL ? *out : "",
                             *out != NULL ? "/" : "", g->axis[i].value[choice[i]].name));
    if (*out == NULL)
        *out = "base";
    return IG_ERR_OK;
}

static ig_code make_cell(ig_experiment *e, ig_cell *cell, const grid *g, const ig_cell_entry *entry,
                         const int *choice, ig_err *err)
{
    ig_err why = {0};
    const ig_yaml *seeds = g->set_seeds;
    for (int i = 0; i < g->n_axis && seeds == NULL; i++)
        seeds = g->axis[i].value[choice[i]].seeds;
    if (seeds == NULL && entry != NULL)
        seeds = entry->seeds;
    if (seeds == NULL)
        seeds = g->seeds;
    IG_TRY(name_cell(&cell->name, g, entry, choice, err));
    const ig_yaml *at = entry != NULL ? entry->key : g->root;
    cell->file = at->file;
    cell->line = (uint32_t)at->line;
    cell->needs = entry != NULL ? entry->needs : 0;
    cell->title = entry != NULL ? entry->title : NULL;
    IG_TRY(ig_experiment_read_seeds(&cell->seed, &cell->n_seed, e, seeds, IG_EXPERIMENT_MAX_SEED,
                                    err));
    IG_TRY(put_settings(&cell->config, g, entry, choice, err));
    cell->config.optimisation.seed = cell->seed[0];
    cell->config.model.causal_given = is_set(g, entry, choice, option_of("causal-share"));
    ig_code code = ig_run_config_resolve(&cell->config, &why);
    if (code == IG_ERR_MEMORY) {
        if (err != NULL)
            *err = why;
        return code;
    }
    if (code != IG_ERR_OK)
        return contradiction(g, entry, choice, cell->name, &why, err);
    return ig_experiment_label(cell, &g->base_config, e, err);
}

/* One key of a cell and of a value of an axis. */
static ig_code both_set(const ig_yaml *of_cell, const ig_yaml *of_axis, const ig_cell_entry *entry,
                        const ig_axis *axis, const char *key, ig_err *err)
{
    if (of_cell == NULL || of_axis == NULL)
        return IG_ERR_OK;
    ig_yaml_fail(of_cell, err, "cell '%.40s' and axis '%.40s' both set %s, expected one of them to",
                 entry->key->text, axis->key->text, key);
    return ig_hint(err, "cells are crossed with every value of every axis");
}

static ig_code cell_and_axis(const grid *g, const ig_cell_entry *entry, ig_err *err)
{
    for (int a = 0; a < g->n_axis; a++)
        for (int i = 0; i < g->axis[a].n_value; i++) {
            const ig_axis_value *v = &g->axis[a].value[i];
            for (int o = 0; o < ig_run_options.n; o++)
                IG_TRY(both_set(entry->settings.key[o], v->settings.key[o], entry, &g->axis[a],
                                ig_run_options.row[o].name, err));
            IG_TRY(both_set(entry->seeds, v->seeds, entry, &g->axis[a], "seeds", err));
        }
    return IG_ERR_OK;
}

typedef struct {
    char *settings;
    int cell;
} same_run;

static int by_settings(const void *a, const void *b)
{
    const same_run *x = a, *y = b;
    int order = strcmp(x->settings, y->settings);
    return order != 0 ? order : x->cell - y->cell;
}

/* Returns the settings that identify a cell's runs, as text. */
static char *settings_text(const ig_cell *c)
{
    ig_run_config plain = c->config; /* shallow */
    plain.optimisation.seed = 0;
    json_auto_t *j = ig_options_json(&ig_run_options, &plain);
    for (int i = 0; i < ig_run_options.n; i++) {
        char key[64];
        ig_option_key(key, sizeof key, ig_run_options.row[i].name);
        if (!ig_run_option_counts(i, &c->config))
            json_object_del(j, key);
    }
    char parent[IG_FROM_CELL];
    if (!c->config.model.causal_given && ig_run_from_cell(parent, c->config.model.from))
        json_object_del(j, "causal_share"); /* that cell's, which is not known yet */
    if (c->config.trainer != IG_TRAINER_BERT)
        json_object_set_new(j, "embed_dim", json_integer(ig_run_config_dim(&c->config)));
    return j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
}

/* Who makes two cells the same: the later entry of `cells:`, or, in one entry, the axes. */
static const ig_yaml *who_repeats(const grid *g, const ig_experiment *e, int cell, int other)
{
    const int of_entry = g->n_entry == 0 ? e->n_cell : e->n_cell / g->n_entry;
    if (cell / of_entry == other / of_entry && g->n_axis > 0)
        return g->axis[0].key;
    return g->n_entry == 0 ? g->root : g->entry[cell / of_entry].key;
}

/* Refuses two cells that are one run, or whose labels are equal. */
static ig_code check_same(const ig_experiment *e, const grid *g, ig_err *err)
{
    IG_OWNED same_run *s = NULL;
    IG_TRY(ig_alloc(&s, e->n_cell, sizeof *s, "cells", err));
    ig_code code = IG_ERR_OK;
    for (int i = 0; i < e->n_cell && code == IG_ERR_OK; i++) {
        s[i] = (same_run){settings_text(&e->cell[i]), i};
        if (s[i].settings == NULL)
            code = ig_fail(err, IG_ERR_MEMORY, e->path, 0, "not enough memory for the cells");
    }
    if (code == IG_ERR_OK)
        qsort(s, (size_t)e->n_cell, sizeof *s, by_settings);
    for (int i = 1; i < e->n_cell && code == IG_ERR_OK; i++)
        if (strcmp(s[i - 1].settings, s[i].settings) == 0) {
            code = ig_yaml_fail(who_repeats(g, e, s[i].cell, s[i - 1].cell), err,
                                "cells '%.60s' and '%.60s' are the same run (%.100s)",
                                e->cell[s[i - 1].cell].name, e->cell[s[i].cell].name,
                                e->cell[s[i].cell].label);
            if (g->any_set)
                ig_hint(err, "--set overrides base, cells and axes");
            else
                ig_hint(err, "give one of them a difference, or leave it out");
        }
    for (int i = 0; i < e->n_cell; i++)
        free(s[i].settings);
    return code;
}

/* ---- keys without effect ---- */

/* Returns whether to check a key: one of the named file, read without variants, since keys of an
 * extended file may be meant for others, and variants are combined. A default removes a setting and
 * is not checked. */
static bool is_checked(const grid *g, int option, const ig_yaml *key, const ig_yaml *value)
{
    const ig_experiment_tree *t = g->tree;
    ig_option_value now = {0}, def = {0};
    const ig_option *o = &ig_run_options.row[option];
    if (key == NULL || value == NULL || ig_yaml_is_null(value))
        return false;
    if (strcmp(key->file, "--set") == 0)
        return true;
    if (strcmp(key->file, t->path) != 0 || t->n_variant > 0)
        return false;
    if (t->n_file == 1)
        return true;
    const bool is_default = ig_option_reset(o, &def, NULL) == IG_ERR_OK &&
                            ig_option_put_yaml(o, &now, value, g->data_root, NULL) == IG_ERR_OK &&
                            ig_option_same(o, &now, &def);
    ig_option_clear(o, &now);
    ig_option_clear(o, &def);
    return !is_default;
}

/* Returns why an option has no effect in every given cell (NULL: in all, for the base, which may
 * describe a BERT beside cells of static vectors): the reason in the last one. */
static const char *no_effect_in(const ig_experiment *e, int option, const bool *on)
{
    const char *why = NULL;
    for (int i = 0; i < e->n_cell; i++) {
        const ig_run_config *c = &e->cell[i].config;
        if (on != NULL && !on[i])
            continue;
        why = ig_run_option_no_effect(option, c);
        const bool of_bert = c->trainer != IG_TRAINER_BERT && !ig_run_option_counts(option, c);
        if (why == NULL || (on == NULL && of_bert))
            return NULL;
    }
    return why;
}

static ig_code check_settings(const ig_experiment *e, const grid *g,
                              const ig_experiment_settings *s, const ig_yaml *map, const bool *on,
                              ig_err *err)
{
    for (int o = 0; o < ig_run_options.n; o++) {
        const ig_yaml *key = s->key[o];
        if (!is_checked(g, o, key, s->value[o]))
            continue;
        /* A cell with `like` answers for its own keys only. */
        const int at = map != NULL ? ig_yaml_find(map, key->text) : -1;
        if (map != NULL && (at < 0 || map->key[at] != key))
            continue;
        const char *why = no_effect_in(e, o, on);
        if (why != NULL)
            return ig_yaml_fail(key, err, "%s has no effect: %s", ig_run_options.row[o].name, why);
    }
    return IG_ERR_OK;
}

static ig_code check_effects(const ig_experiment *e, const grid *g, ig_err *err)
{
    IG_OWNED bool *on = NULL;
    const int of_entry = g->n_entry == 0 ? e->n_cell : e->n_cell / g->n_entry;
    int n_key = 0, n_allowed = 0;
    IG_TRY(check_settings(e, g, &g->set, NULL, NULL, err));
    for (int o = 0; o < ig_run_options.n; o++) {
        const char *why;
        n_key += g->base.key[o] != NULL;
        n_allowed += ig_experiment_option_allowed(ig_run_options.row[o].name, &why);
    }
    if (n_key < n_allowed) /* else it is the record of a run, which has every key */
        IG_TRY(check_settings(e, g, &g->base, NULL, NULL, err));
    IG_TRY(ig_alloc(&on, e->n_cell, sizeof *on, "cells", err));
    for (int k = 0; k < g->n_entry; k++) {
        for (int i = 0; i < e->n_cell; i++)
            on[i] = i / of_entry == k;
        IG_TRY(check_settings(e, g, &g->entry[k].settings, g->entry[k].map, on, err));
    }
    int below = of_entry; /* cells from one value of an axis to the same one again */
    for (int a = 0; a < g->n_axis; a++) {
        const int n = g->axis[a].n_value, step = below / n;
        for (int v = 0; v < n; v++) {
            for (int i = 0; i < e->n_cell; i++)
                on[i] = i / step % n == v;
            IG_TRY(check_settings(e, g, &g->axis[a].value[v].settings, NULL, on, err));
        }
        below = step;
    }
    return IG_ERR_OK;
}

/* The number of cells, or a message that it is too large. */
static ig_code count(int *n, const grid *g, ig_err *err)
{
    int64_t total = g->n_entry > 0 ? g->n_entry : 1;
    for (int i = 0; i < g->n_axis; i++)
        total *= g->axis[i].n_value; /* the axes alone make at most IG_EXPERIMENT_MAX_CELL */
    *n = (int)total;
    if (total <= IG_EXPERIMENT_MAX_CELL)
        return IG_ERR_OK;
    ig_yaml_fail(g->entry[0].key, err,
                 "%d entries and the axes make %lld cells, expected at most %d", g->n_entry,
                 (long long)total, IG_EXPERIMENT_MAX_CELL);
    return ig_hint(err, "cells are crossed with every value of every axis; split the file");
}

static ig_code make_all(ig_experiment *e, const grid *g, int n, ig_err *err)
{
    int *choice;
    int64_t n_run = 0;
    IG_TRY(ig_pool_alloc(e->pool, &e->cell, n, sizeof *e->cell, err));
    IG_TRY(ig_alloc(&choice, g->n_axis + 1, sizeof *choice, "cells", err));
    ig_code code = IG_ERR_OK;
    e->base = -1;
    for (int i = 0; i < n && code == IG_ERR_OK; i++) {
        int rest = i;
        for (int a = g->n_axis - 1; a >= 0; a--) {
            choice[a] = rest % g->axis[a].n_value;
            rest /= g->axis[a].n_value;
        }
        ig_cell *cell = &e->cell[e->n_cell++];
        code = make_cell(e, cell, g, g->n_entry > 0 ? &g->entry[rest] : NULL, choice, err);
        if (code == IG_ERR_OK && cell->n_key == 0 && e->base < 0)
            e->base = i;
        n_run += cell->n_seed;
    }
    ig_free(choice);
    IG_TRY(code);
    if (n_run > IG_EXPERIMENT_MAX_RUN)
        return ig_yaml_fail(g->seeds != NULL ? g->seeds : g->root, err,
                            "%lld runs, expected at most %d", (long long)n_run,
                            IG_EXPERIMENT_MAX_RUN);
    IG_TRY(check_effects(e, g, err));
    return check_same(e, g, err);
}

/* The command line's updates replace the epochs, and its epochs the updates. */
static ig_code read_set(grid *g, const ig_experiment_tree *t, ig_err *err)
{
    static const char *const seeds[] = {"seeds"};
    static const char *const length[] = {"updates", "epochs"};
    static const ig_yaml none = {
        .kind = IG_YAML_SCALAR, .plain = true, .file = "--set", .text = "null"};
    if (t->set == NULL)
        return IG_ERR_OK;
    g->any_set = true;
    g->set_seeds = ig_yaml_get(t->set, "seeds");
    IG_TRY(ig_experiment_settings_read(&g->set, t->set, seeds, 1, "--set", err));
    for (int i = 0; i < 2; i++) {
        const int given = option_of(length[i]), other = option_of(length[1 - i]);
        if (g->set.value[given] != NULL && !ig_yaml_is_null(g->set.value[given]) &&
            g->set.key[other] == NULL) {
            g->set.key[other] = &none;
            g->set.value[other] = &none;
        }
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_read_cells(ig_experiment *e, const ig_experiment_tree *t,
                                 const char *data_root, ig_err *err)
{
    IG_OWNED grid *g = NULL;
    const ig_yaml *base = ig_experiment_section(t, "base");
    IG_TRY(ig_alloc(&g, 1, sizeof *g, "cells", err));
    g->seeds = ig_experiment_section(t, "seeds");
    g->data_root = data_root;
    g->root = t->root;
    g->tree = t;
    ig_code code = read_set(g, t, err);
    if (code == IG_ERR_OK && base != NULL)
        code = ig_experiment_settings_read(&g->base, base, NULL, 0, "base", err);
    IG_THEN(code, ig_experiment_axes_read(&g->axis, &g->n_axis, t, err));
    IG_THEN(code, ig_experiment_entries_read(&g->entry, &g->n_entry, t, err));
    int n = 0;
    IG_THEN(code, count(&n, g, err));
    for (int i = 0; i < g->n_entry && code == IG_ERR_OK; i++)
        code = cell_and_axis(g, &g->entry[i], err);
    IG_THEN(code, put_settings(&g->base_config, g, NULL, NULL, err));
    if (code == IG_ERR_OK) {
        /* Derived settings are no difference. A base that only its cells complete is compared as it
         * is written. */
        (void)ig_run_config_resolve(&g->base_config, NULL);
        code = make_all(e, g, n, err);
    }
    ig_run_config_free(&g->base_config);
    return code;
}
