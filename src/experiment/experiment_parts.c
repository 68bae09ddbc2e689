/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers of an experiment file share: copies of texts, the list of its cells in messages.
 */
#include "experiment/experiment_parts.h"

#include "base/settings/options.h"
#include "base/settings/nearest.h"
#include "base/strings/append.h"

#include <stdio.h>
#include <string.h>

ig_code ig_experiment_copy(char **out, const char *text, ig_err *err)
{
    return ig_copy_text(out, text, "experiment", err);
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

ig_code ig_experiment_check_layer(const ig_experiment *e, int64_t layer, const ig_yaml *at,
                                  const char *key, ig_cell_patterns of, ig_err *err)
{
    for (int i = 0; i < e->n_cell; i++) {
        const ig_cell *c = &e->cell[i];
        if (c->config.trainer != IG_TRAINER_BERT || layer <= ig_cell_depth(c) ||
            !ig_cell_matches(c->name, of.pattern, of.n))
            continue;
        ig_yaml_fail(at, err, "%s: no layer %lld in cell '%.60s': it has 0 (embeddings) to %d", key,
                     (long long)layer, c->name, ig_cell_depth(c));
        return ig_hint(err, "low and high are the layers of μ at any depth");
    }
    return IG_ERR_OK;
}
