/* SPDX-License-Identifier: Apache-2.0
 *
 * `measure:` of an experiment file: which measures, on which layers, after which updates, on how
 * many sentences; its `what:` is read in experiment_parts.c, its texts in experiment_texts.c.
 */
#include "experiment/experiment_parts.h"

#include "run/measure/measure_pairs.h"

#include <stdio.h>
#include <string.h>

/* Ascending, each at least `min`. */
static ig_code read_list(ig_int_list *list, const ig_yaml *v, const char *key, int64_t max,
                         ig_err *err)
{
    if (v->n == 0 || v->n > IG_INT_LIST_MAX)
        return ig_yaml_fail(v, err, "%s: found %d, expected 1 to %d of them", key, v->n,
                            IG_INT_LIST_MAX);
    list->n = 0;
    for (int i = 0; i < v->n; i++) {
        int64_t x;
        IG_TRY(ig_yaml_int(&x, v->item[i], key, 0, max, err));
        if (i > 0 && x <= list->v[i - 1])
            return ig_yaml_fail(v->item[i], err, "%s: %lld after %lld, expected ascending", key,
                                (long long)x, (long long)list->v[i - 1]);
        list->v[list->n++] = x;
    }
    return IG_ERR_OK;
}

static ig_code read_layers(ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    ig_measure_plan *m = &e->measure;
    m->all_layers = v->kind == IG_YAML_SCALAR && strcmp(v->text, "all") == 0;
    if (v->kind == IG_YAML_SCALAR && (m->all_layers || strcmp(v->text, "mu") == 0))
        return IG_ERR_OK;
    if (v->kind != IG_YAML_LIST)
        return ig_yaml_wrong(v, "layers", "mu, all or a list of layers", err);
    IG_TRY(read_list(&m->layers, v, "layers", 1000, err));
    for (int i = 0; i < v->n; i++)
        IG_TRY(ig_experiment_check_layer(e, m->layers.v[i], v->item[i], "layers",
                                         (ig_cell_patterns){NULL, 0}, err));
    return IG_ERR_OK;
}

ig_code ig_experiment_read_checkpoints(ig_checkpoints *at, const ig_experiment *e, const ig_yaml *v,
                                       const ig_checkpoints *all, ig_err *err)
{
    const char *expected = all != NULL ? "end, log, all, a list of updates or {every: N}"
                                       : "end, log, a list of updates or {every: N}";
    static const char *const keys[] = {"every"};
    if (v->kind == IG_YAML_SCALAR) {
        if (strcmp(v->text, "end") == 0)
            at->kind = IG_CHECKPOINTS_END;
        else if (strcmp(v->text, "log") == 0)
            at->kind = IG_CHECKPOINTS_LOG;
        else if (all != NULL && strcmp(v->text, "all") == 0)
            *at = *all;
        else
            return ig_yaml_wrong(v, "checkpoints", expected, err);
        return IG_ERR_OK;
    }
    if (v->kind == IG_YAML_MAP) {
        const ig_yaml *every;
        IG_TRY(ig_yaml_keys(v, keys, 1, "checkpoints", err));
        if ((every = ig_yaml_get(v, "every")) == NULL)
            return ig_yaml_wrong(v, "checkpoints", expected, err);
        at->kind = IG_CHECKPOINTS_EVERY;
        return ig_yaml_int(&at->every, every, "every", 1, (int64_t)1e12, err);
    }
    at->kind = IG_CHECKPOINTS_LIST;
    IG_TRY(read_list(&at->step, v, "checkpoints", (int64_t)1e12, err));
    int64_t longest = 0, last = at->step.v[at->step.n - 1];
    for (int i = 0; i < e->n_cell; i++) {
        if (e->cell[i].config.optimisation.updates == 0 &&
            e->cell[i].config.trainer == IG_TRAINER_BERT)
            return IG_ERR_OK; /* by epochs: the text says how many updates */
        if (longest < e->cell[i].config.optimisation.updates)
            longest = e->cell[i].config.optimisation.updates;
    }
    if (last > longest)
        return ig_yaml_fail(v->item[v->n - 1], err,
                            "checkpoints: no run comes to update %lld, the longest has %lld",
                            (long long)last, (long long)longest);
    return IG_ERR_OK;
}

/* Finds whether the languages of a cell have the pair; *swapped: they have it the other way round.
 */
static void find_pair(bool *found, bool *swapped, bool *first, const ig_cell *c, const char *name)
{
    int column[2];
    const bool any = ig_measure_columns_find(column, name, &c->config.languages);
    *swapped = any && column[0] > column[1];
    *found = any && !*swapped;
    *first = *found && column[0] == 0 && column[1] == 1;
}

bool ig_experiment_pair_measured(const ig_experiment *e, const ig_cell *c, const char *name)
{
    const ig_measure_plan *m = &e->measure;
    bool found, swapped, first;
    find_pair(&found, &swapped, &first, c, name);
    bool yes = found && (first || m->all_pairs);
    for (int i = 0; i < m->n_pair && found; i++)
        yes = yes || strcmp(m->pair[i], name) == 0;
    return yes;
}

static ig_code read_pair(ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    ig_measure_plan *m = &e->measure;
    const char *name;
    IG_TRY(ig_yaml_text(&name, v, "pairs", err));
    for (int i = 0; i < e->n_cell; i++) {
        bool found, swapped, first;
        find_pair(&found, &swapped, &first, &e->cell[i], name);
        if (found)
            continue;
        ig_yaml_fail(v, err, "pairs: cell '%.40s' has no pair of languages '%.60s'%s",
                     e->cell[i].name, name, swapped ? " in this order" : "");
        return ig_hint(err, "its languages are: %.200s", e->cell[i].config.languages.spec);
    }
    for (int i = 0; i < m->n_pair; i++)
        if (strcmp(m->pair[i], name) == 0)
            return ig_yaml_fail(v, err, "pairs: %.60s is there twice", name);
    snprintf(m->pair[m->n_pair++], IG_MEASURE_PAIR, "%s", name);
    return IG_ERR_OK;
}

static ig_code read_pairs(ig_experiment *e, const ig_yaml *v, ig_err *err)
{
    ig_measure_plan *m = &e->measure;
    m->all_pairs = v->kind == IG_YAML_SCALAR && strcmp(v->text, "all") == 0;
    if (v->kind == IG_YAML_SCALAR && (m->all_pairs || strcmp(v->text, "first") == 0))
        return IG_ERR_OK;
    if (v->kind != IG_YAML_LIST)
        return ig_yaml_wrong(v, "pairs", "first, all or a list of pairs, as in [en-de, en-ru]",
                             err);
    if (v->n == 0 || v->n > IG_MEASURE_PAIRS_MAX)
        return ig_yaml_fail(v, err, "pairs: found %d, expected 1 to %d of them", v->n,
                            IG_MEASURE_PAIRS_MAX);
    for (int i = 0; i < v->n; i++)
        IG_TRY(read_pair(e, v->item[i], err));
    return IG_ERR_OK;
}

static ig_code read_section(ig_experiment *e, const ig_yaml *map, ig_err *err)
{
    static const char *const keys[] = {"what",       "layers", "checkpoints", "take",
                                       "curve_take", "pairs",  "text"};
    enum { N = sizeof keys / sizeof *keys };
    ig_measure_plan *m = &e->measure;
    const ig_yaml *v[N];
    IG_TRY(ig_yaml_keys(map, keys, N, "measure", err));
    for (int i = 0; i < N; i++)
        v[i] = ig_experiment_value(map, keys[i]);
    if (v[0] != NULL)
        IG_TRY(ig_experiment_read_what(&m->what, v[0], err));
    if (v[1] != NULL)
        IG_TRY(read_layers(e, v[1], err));
    if (v[2] != NULL)
        IG_TRY(ig_experiment_read_checkpoints(&m->at, e, v[2], NULL, err));
    if (v[3] != NULL)
        IG_TRY(ig_yaml_int(&m->max_sentences, v[3], keys[3], 0, (int64_t)1e12, err));
    if (v[4] != NULL)
        IG_TRY(ig_yaml_int(&m->curve_max_sentences, v[4], keys[4], 0, (int64_t)1e12, err));
    if (v[5] != NULL)
        IG_TRY(read_pairs(e, v[5], err));
    return v[6] != NULL ? ig_experiment_read_texts(e, v[6], err) : IG_ERR_OK;
}

ig_code ig_experiment_read_measure(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "measure");
    e->measure = (ig_measure_plan){.what = ig_measure_by_default()};
    if (map != NULL)
        IG_TRY(read_section(e, map, err));
    for (int i = 0; i < e->n_cell; i++)
        if (e->cell[i].config.trainer != IG_TRAINER_BERT &&
            !ig_measure_requested(e->measure.what, IG_MEASURE_words)) {
            ig_fail(err, IG_ERR_USAGE, e->cell[i].file, e->cell[i].line,
                    "cell '%.60s' has static vectors, of which nothing is measured",
                    e->cell[i].name);
            return ig_hint(err, "measure: {what: [words]}");
        }
    for (int i = 0; i < e->n_cell; i++)
        if (e->measure.all_layers && ig_cell_depth(&e->cell[i]) >= IG_MEASURE_MAX_LAYER)
            return ig_yaml_fail(map, err,
                                "layers: cell '%.60s' has %d layers, at most %d are measured at "
                                "once",
                                e->cell[i].name, ig_cell_depth(&e->cell[i]) + 1,
                                IG_MEASURE_MAX_LAYER);
    return IG_ERR_OK;
}
