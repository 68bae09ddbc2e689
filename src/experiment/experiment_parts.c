/* SPDX-License-Identifier: Apache-2.0
 *
 * Helpers shared by the readers of an experiment file.
 */
#include "experiment/experiment_parts.h"

#include "apply/edit/edit_units.h"
#include "base/settings/nearest.h"
#include "base/settings/options.h"
#include "base/settings/options_internal.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <string.h>

const ig_yaml *ig_experiment_value(const ig_yaml *map, const char *key)
{
    const ig_yaml *v = ig_yaml_get(map, key);
    return v == NULL || ig_yaml_is_null(v) ? NULL : v;
}

ig_code ig_experiment_text(const char **out, const ig_yaml *map, const char *key, ig_err *err)
{
    const ig_yaml *v = ig_experiment_value(map, key);
    return v != NULL ? ig_yaml_text(out, v, key, err) : IG_ERR_OK;
}

ig_code ig_experiment_read_text(char **out, const ig_yaml *map, const char *key, ig_err *err)
{
    const char *text = NULL;
    IG_TRY(ig_experiment_text(&text, map, key, err));
    return text != NULL ? ig_copy_text(out, text, "experiment", err) : IG_ERR_OK;
}

int ig_experiment_folder(const char *file, const char *path)
{
    const char *slash = path[0] != '/' ? strrchr(file, '/') : NULL;
    return slash != NULL ? (int)(slash - file) + 1 : 0;
}

bool ig_experiment_is_name(const char *name)
{
    return name[strspn(
               name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] == '\0';
}

ig_code ig_experiment_read_split(char name[IG_MEASURE_TEXT_NAME], const ig_yaml *key,
                                 const char *what, ig_err *err)
{
    const size_t n = strlen(key->text);
    if (n == 0 || n >= IG_MEASURE_TEXT_NAME || !ig_experiment_is_name(key->text))
        return ig_yaml_fail(key, err,
                            "%s: found '%.60s', expected a name of at most %d of a-z A-Z 0-9 . _ -",
                            what, key->text, IG_MEASURE_TEXT_NAME - 1);
    if (strcmp(key->text, "dev") == 0 || strcmp(key->text, "train") == 0)
        return ig_yaml_fail(key, err, "%s: '%s' is the run's own, expected another name", what,
                            key->text);
    memcpy(name, key->text, n + 1);
    return IG_ERR_OK;
}

bool ig_experiment_seed_range(int64_t *first, int64_t *last, const char *text)
{
    char low[24];
    size_t n = strcspn(text, "-");
    if (n >= sizeof low)
        return false;
    memcpy(low, text, n);
    low[n] = '\0';
    return ig_option_parse_int(low, first) &&
           ig_option_parse_int(text[n] == '-' ? text + n + 1 : low, last) && *first >= 0 &&
           *last >= *first && *last <= IG_EXPERIMENT_HIGHEST_SEED;
}

/* A list of seeds and of ranges of them, "11-19". */
static ig_code listed_seeds(int64_t *seed, int *n, const ig_yaml *v, int most, ig_err *err)
{
    for (int i = 0; i < v->n; i++) {
        int64_t first, last;
        const ig_yaml *item = v->item[i];
        if (item->kind != IG_YAML_SCALAR || !item->plain ||
            !ig_experiment_seed_range(&first, &last, item->text))
            return ig_yaml_wrong(item, "seeds", "a seed or a range of seeds, 11-19", err);
        if (last - first >= most - *n)
            return ig_yaml_fail(item, err, "seeds: more than %d of them", most);
        for (int64_t next = first; next <= last; next++) {
            for (int k = 0; k < *n; k++)
                if (seed[k] == next)
                    return ig_yaml_fail(item, err, "seeds: %lld is there twice", (long long)next);
            seed[(*n)++] = next;
        }
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_read_seeds(int64_t **seed, int *n, ig_experiment *e, const ig_yaml *v,
                                 int most, ig_err *err)
{
    int64_t count = 1;
    *n = 0;
    if (v != NULL && v->kind == IG_YAML_LIST) {
        if (v->n == 0)
            return ig_yaml_fail(v, err, "seeds: a list of 0, expected 1 to %d of them", most);
        int64_t all[IG_EXPERIMENT_MAX_SEED];
        IG_TRY(listed_seeds(all, n, v, most, err));
        IG_TRY(ig_pool_alloc(e->pool, seed, *n, sizeof **seed, err));
        memcpy(*seed, all, (size_t)*n * sizeof *all);
        return IG_ERR_OK;
    }
    if (v != NULL) {
        ig_code code = ig_yaml_int(&count, v, "seeds", 1, most, err);
        if (code != IG_ERR_OK)
            return ig_hint(err, "a number N stands for seeds 0 to N - 1; a list names them");
    }
    IG_TRY(ig_pool_alloc(e->pool, seed, count, sizeof **seed, err));
    for (int64_t i = 0; i < count; i++)
        (*seed)[i] = i;
    *n = (int)count;
    return IG_ERR_OK;
}

/* "a, b, c, …" of the cells' names, as long as there is room. */
static void list_cells(char *out, int size, const ig_experiment *e)
{
    int used = snprintf(out, (size_t)size, "cells are ");
    for (int i = 0; i < e->n_cell; i++) {
        int n = (int)strlen(e->cell[i].name);
        if (used + n + 8 > size) {
            snprintf(out + used, (size_t)(size - used), "%s…", i > 0 ? ", " : "");
            return;
        }
        used += sprintf(out + used, "%s%s", i > 0 ? ", " : "", e->cell[i].name);
    }
}

ig_code ig_experiment_hint_cell(ig_err *err, const ig_experiment *e, const char *name)
{
    enum { most = 512 };
    const char *known[most];
    int n = e->n_cell < most ? e->n_cell : most;
    char list[210];
    for (int i = 0; i < n; i++)
        known[i] = e->cell[i].name;
    list_cells(list, sizeof list, e);
    return ig_hint_nearest_or(err, name, known, n, list);
}

int ig_cell_depth(const ig_cell *c)
{
    return ig_run_config_model(&c->config, 16, 0).num_hidden_layers;
}

/* Returns whether the file gives the shape of a cell's model: one that is started from a folder has
 * its. */
static bool has_shape(const ig_cell *c)
{
    char cell[IG_FROM_CELL];
    const char *from = c->config.model.from;
    return c->config.trainer == IG_TRAINER_BERT && (from == NULL || ig_run_from_cell(cell, from));
}

ig_code ig_experiment_check_layer(const ig_experiment *e, int64_t layer, const ig_yaml *at,
                                  const char *key, ig_cell_patterns of, ig_err *err)
{
    for (int i = 0; i < e->n_cell; i++) {
        const ig_cell *c = &e->cell[i];
        if (!has_shape(c) || layer <= ig_cell_depth(c) ||
            !ig_cell_matches(c->name, of.pattern, of.n))
            continue;
        ig_yaml_fail(at, err, "%s: no layer %lld in cell '%.60s': it has 0 (embeddings) to %d", key,
                     (long long)layer, c->name, ig_cell_depth(c));
        return ig_hint(err, "low and high are the layers of μ at any depth");
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_check_edit(const ig_experiment *e, const ig_edit_spec *s, const ig_yaml *at,
                                 ig_err *err)
{
    IG_TRY(ig_experiment_check_layer(e, s->layer, at, "edit", (ig_cell_patterns){NULL, 0}, err));
    for (int i = 0; i < e->n_cell && ig_edit_of_units(s); i++) {
        const ig_cell *c = &e->cell[i];
        const ig_bert_config m = ig_run_config_model(&c->config, 16, 0);
        ig_err why;
        if (has_shape(c) && ig_edit_units_check(s, &m, &why) != IG_ERR_OK)
            return ig_yaml_fail(at, err, "edit: cell '%.60s': %s", c->name, why.msg);
    }
    return IG_ERR_OK;
}

/* "alignment, retrieval, … or distinct". */
static void known_measures(char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < IG_MEASURE_N && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 k == 0                  ? ""
                                 : k == IG_MEASURE_N - 1 ? " or "
                                                         : ", ",
                                 ig_measure_names[k]);
}

ig_code ig_experiment_read_what(ig_measure_set *what, const ig_yaml *v, ig_err *err)
{
    int n = v->kind == IG_YAML_LIST ? v->n : 1;
    *what = 0;
    if (n == 0)
        return ig_yaml_fail(v, err, "what: found nothing, expected what to measure");
    for (int i = 0; i < n; i++) {
        const ig_yaml *e = v->kind == IG_YAML_LIST ? v->item[i] : v;
        const int k = ig_measure_find(e->text);
        if (k < 0) {
            char known[400];
            known_measures(known, sizeof known);
            ig_yaml_wrong(e, "what", known, err);
            return e->kind == IG_YAML_SCALAR
                       ? ig_hint_nearest(err, e->text, ig_measure_names, IG_MEASURE_N)
                       : IG_ERR_USAGE;
        }
        if (ig_measure_requested(*what, k))
            return ig_yaml_fail(e, err, "what: %s is there twice", ig_measure_names[k]);
        *what |= (ig_measure_set)1 << k;
    }
    return IG_ERR_OK;
}
