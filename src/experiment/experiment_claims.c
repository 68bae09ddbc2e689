/* SPDX-License-Identifier: Apache-2.0
 *
 * `claims:` of an experiment file: what is claimed, by whom, and the statement that decides it
 * (report/table/claim.h), held against the cells and what is measured of them. A mapping by name,
 * so that a variant changes or takes out one of them.
 */
#include "experiment/experiment_parts.h"
#include "base/memory.h"

#include <string.h>

static ig_code read_text(char **out, const ig_yaml *map, const char *key, bool needed, ig_err *err)
{
    const ig_yaml *v = ig_yaml_get(map, key);
    const char *text;
    if ((v == NULL || ig_yaml_is_null(v)) && !needed)
        return IG_ERR_OK;
    if (v == NULL)
        return ig_yaml_fail(map, err, "the claim has no %s, expected one", key);
    IG_TRY(ig_yaml_text(&text, v, key, err));
    return ig_experiment_copy(out, text, err);
}

/* The cell is there, and the quantity is measured of it. */
static ig_code check_side(const ig_claim_side *s, ig_experiment *e, const ig_yaml *at, ig_err *err)
{
    char name[160];
    ig_quantity q;
    bool known = false;
    if (s->cell == NULL)
        return IG_ERR_OK;
    for (int i = 0; i < e->n_cell; i++)
        known = known || strcmp(e->cell[i].name, s->cell) == 0;
    if (!known) {
        ig_yaml_fail(at, err, "statement: found cell '%.60s', expected one of the file", s->cell);
        ig_experiment_hint_cell(err, e, s->cell);
        return IG_ERR_USAGE;
    }
    ig_quantity_format(name, sizeof name, &s->q);
    ig_yaml v = *at;
    v.text = name;
    return ig_experiment_read_quantity(&q, e, &v,
                                       &(ig_quantity_place){"statement", &s->cell, 1, false}, err);
}

static ig_code read_claim(ig_claim *c, ig_experiment *e, const char *id, const ig_yaml *map,
                          ig_err *err)
{
    static const char *const keys[] = {"text", "source", "statement", "proxy", "needs"};
    const char *statement;
    IG_TRY(ig_experiment_copy(&c->id, id, err));
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, id, err));
    IG_TRY(ig_yaml_keys(map, keys, 5, "claim", err));
    IG_TRY(read_text(&c->text, map, "text", true, err));
    IG_TRY(read_text(&c->source, map, "source", false, err));
    IG_TRY(read_text(&c->proxy, map, "proxy", false, err));
    IG_TRY(read_text(&c->needs, map, "needs", false, err));
    const ig_yaml *v = ig_yaml_get(map, "statement");
    const bool none = v == NULL || ig_yaml_is_null(v);
    if (none != (c->needs != NULL))
        return ig_yaml_fail(map, err, "the claim has %s, expected one of them",
                            none ? "neither statement nor needs" : "statement and needs");
    if (none)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_text(&statement, v, "statement", err));
    IG_TRY(ig_claim_parse(c, statement, v->file, v->line, err));
    for (int i = 0; i < c->n_comparison; i++) {
        IG_TRY(check_side(&c->comparison[i].more, e, v, err));
        IG_TRY(check_side(&c->comparison[i].less, e, v, err));
    }
    return IG_ERR_OK;
}

ig_code ig_experiment_read_claims(ig_experiment *e, const ig_experiment_tree *t, ig_err *err)
{
    const ig_yaml *map = ig_experiment_section(t, "claims");
    if (map == NULL)
        return IG_ERR_OK;
    IG_TRY(ig_yaml_is(map, IG_YAML_MAP, "claims", err));
    IG_TRY(ig_alloc(&e->claim, map->n, sizeof *e->claim, "claims", err));
    for (int i = 0; i < map->n; i++) {
        if (map->item[i]->removed || ig_yaml_is_null(map->item[i]))
            continue;
        IG_TRY(read_claim(&e->claim[e->n_claim++], e, map->key[i]->text, map->item[i], err));
    }
    return IG_ERR_OK;
}
