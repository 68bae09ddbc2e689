/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells that start from the weights of another cell, `from: {cell: NAME}`: the run of a seed from
 * the other's run of that seed. Finds them, and refuses circles, seeds that the other lacks and
 * models of another shape, before anything is trained.
 */
#include "experiment/experiment_parts.h"

#include <stdio.h>
#include <string.h>

static int cell_named(const ig_experiment *e, const char *name)
{
    for (int k = 0; k < e->n_cell; k++)
        if (strcmp(e->cell[k].name, name) == 0)
            return k;
    return -1;
}

/* The cell of this name, or else the one with it and the child's values of the axes. */
static int find_parent(const ig_experiment *e, const char *name, const ig_cell *child)
{
    char full[512];
    const char *axes = strchr(child->name, '/');
    const int k = cell_named(e, name);
    if (k >= 0 || axes == NULL)
        return k;
    snprintf(full, sizeof full, "%s%s", name, axes);
    return cell_named(e, full);
}

static ig_code check_seeds(const ig_experiment *e, const ig_cell *c, ig_err *err)
{
    const ig_cell *parent = &e->cell[c->parent];
    for (int s = 0; s < c->n_seed; s++) {
        bool found = false;
        for (int i = 0; i < parent->n_seed; i++)
            found = found || parent->seed[i] == c->seed[s];
        if (!found)
            return ig_fail(err, IG_ERR_USAGE, c->file, c->line,
                           "cell '%.60s': from: cell '%.60s' has no seed %lld", c->name,
                           parent->name, (long long)c->seed[s]);
    }
    return IG_ERR_OK;
}

/* Settings of blocks that no tensor's shape shows: the parent's hold, so that others had no effect.
 */
static ig_code check_blocks(const ig_experiment *e, const ig_cell *c, const ig_bert_config *a,
                            const ig_bert_config *b, ig_err *err)
{
    const ig_run_model *to = &c->config.model, *from = &e->cell[c->parent].config.model;
    const struct {
        const char *name;
        bool differs;
    } own[] = {
        {"architecture", to->architecture != from->architecture},
        {"heads", a->num_attention_heads != b->num_attention_heads},
        {"pre-norm", a->block != b->block},
        {"position-type", a->position != b->position},
        {"tied", a->untied != b->untied},
        {"transform", a->no_transform != b->no_transform},
        {"gelu-tanh", a->gelu_tanh != b->gelu_tanh},
        {"layer-norm-eps", a->layer_norm_eps != b->layer_norm_eps},
        {"local-attention", a->local_window != b->local_window},
        {"global-every", a->local_window > 0 && to->global_every != from->global_every},
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].differs)
            return ig_fail(err, IG_ERR_USAGE, c->file, c->line,
                           "cell '%.60s': from: cell '%.60s' has another %s, expected the same",
                           c->name, e->cell[c->parent].name, own[i].name);
    return IG_ERR_OK;
}

/* Checks whether all tensors that are taken over are there and mean the same, as far as the
 * settings tell: a hidden size that follows from a number of parameters depends on the vocabulary.
 */
static ig_code check_shape(const ig_experiment *e, const ig_cell *c, ig_err *err)
{
    const ig_cell *parent = &e->cell[c->parent];
    const ig_run_model *to = &c->config.model, *from = &parent->config.model;
    if (to->parameters > 0 || from->parameters > 0 || from->from != NULL)
        return IG_ERR_OK;
    const ig_bert_config a = ig_run_config_model(&parent->config, 16, 0),
                         b = ig_run_config_model(&c->config, 16, 0);
    const struct {
        const char *name;
        int32_t found, expected;
    } size[] = {
        {"hidden", a.hidden_size, b.hidden_size},
        {"ffn", a.intermediate_size, b.intermediate_size},
        {"segments", a.type_vocab_size, b.type_vocab_size},
        {"max-positions", a.max_position_embeddings, b.max_position_embeddings},
        {"layers", a.num_hidden_layers, b.num_hidden_layers}, /* may be fewer */
    };
    const size_t n = sizeof size / sizeof *size;
    IG_TRY(check_blocks(e, c, &a, &b, err));
    for (size_t i = 0; i < n && to->reinit == NULL; i++)
        if (i + 1 < n ? size[i].found != size[i].expected : size[i].found < size[i].expected) {
            ig_fail(err, IG_ERR_USAGE, c->file, c->line,
                    "cell '%.60s': from: cell '%.60s' has %s %d, expected %d", c->name,
                    parent->name, size[i].name, (int)size[i].found, (int)size[i].expected);
            return ig_hint(err, "reinit gives parts new weights");
        }
    return IG_ERR_OK;
}

/* Takes the share of causal batches from the cell that a cell starts from, unless it is given. */
static ig_code take_causal(ig_experiment *e, int cell, ig_err *err)
{
    int at = cell;
    ig_err why = {0};
    ig_run_config *c = &e->cell[cell].config;
    while (e->cell[at].parent >= 0 && !e->cell[at].config.model.causal_given)
        at = e->cell[at].parent;
    c->objective.batching.causal_share = e->cell[at].config.objective.batching.causal_share;
    if (ig_run_instances_check(&c->objective, &c->model.parts, &why) == IG_ERR_OK)
        return IG_ERR_OK;
    return ig_fail(err, why.code, e->path, e->cell[cell].line, "cell '%.60s': %.80s: %.200s",
                   e->cell[cell].name, why.where, why.msg);
}

ig_code ig_experiment_find_parents(ig_experiment *e, ig_err *err)
{
    char name[IG_FROM_CELL];
    for (int k = 0; k < e->n_cell; k++) {
        ig_cell *c = &e->cell[k];
        c->parent = -1;
        if (!ig_run_from_cell(name, c->config.model.from))
            continue;
        c->parent = find_parent(e, name, c);
        if (c->parent < 0) {
            ig_fail(err, IG_ERR_USAGE, c->file, c->line, "cell '%.60s': from: unknown cell '%.60s'",
                    c->name, name);
            return ig_experiment_hint_cell(err, e, name);
        }
        IG_TRY(check_seeds(e, c, err));
        IG_TRY(check_shape(e, c, err));
    }
    for (int k = 0; k < e->n_cell; k++) {
        int n = 0;
        for (int at = k; at >= 0; at = e->cell[at].parent)
            if (n++ > e->n_cell)
                return ig_fail(err, IG_ERR_USAGE, e->cell[k].file, e->cell[k].line,
                               "cell '%.60s': from: the cells start from each other in a circle",
                               e->cell[k].name);
    }
    for (int k = 0; k < e->n_cell; k++)
        IG_TRY(take_causal(e, k, err));
    return IG_ERR_OK;
}
