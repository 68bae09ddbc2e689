/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes the `measure:` of an experiment file.
 */
#include "run/measure/measure_plan.h"

#include "apply/folder/run_dir.h"

#include <string.h>

bool ig_checkpoints_due(const ig_checkpoints *p, int64_t step)
{
    switch (p->kind) {
    case IG_CHECKPOINTS_END:
        return false;
    case IG_CHECKPOINTS_LOG:
        return ig_run_log_spaced(step);
    case IG_CHECKPOINTS_LIST:
        for (int i = 0; i < p->step.n; i++)
            if (p->step.v[i] == step)
                return true;
        return false;
    case IG_CHECKPOINTS_EVERY:
        return p->every > 0 && step % p->every == 0;
    }
    return false;
}

int64_t ig_checkpoints_count(const ig_checkpoints *p, int64_t n_update)
{
    int64_t n = 1;
    if (p->kind == IG_CHECKPOINTS_EVERY)
        return p->every > 0 ? (n_update - 1) / p->every + 2 : 1;
    if (p->kind == IG_CHECKPOINTS_LIST) {
        for (int i = 0; i < p->step.n; i++)
            n += p->step.v[i] < n_update;
        return n;
    }
    if (p->kind == IG_CHECKPOINTS_LOG) {
        static const int64_t digit[] = {1, 2, 5};
        n += n_update > 0;
        for (int64_t ten = 1; ten < n_update; ten *= 10)
            for (int i = 0; i < 3; i++)
                n += digit[i] * ten < n_update;
    }
    return n;
}

bool ig_measure_plan_keeps(const ig_measure_plan *p, int64_t step)
{
    for (int i = 0; i < p->n_kept; i++)
        if (ig_checkpoints_due(&p->kept[i], step))
            return true;
    return false;
}

static bool same_checkpoints(const ig_checkpoints *a, const ig_checkpoints *b)
{
    return a->kind == b->kind && a->every == b->every && a->step.n == b->step.n &&
           memcmp(a->step.v, b->step.v, (size_t)a->step.n * sizeof *a->step.v) == 0;
}

bool ig_measure_plan_keep(ig_measure_plan *p, const ig_checkpoints *c)
{
    for (int i = 0; i < p->n_kept; i++)
        if (same_checkpoints(&p->kept[i], c))
            return true;
    if (c->kind == IG_CHECKPOINTS_END || p->n_kept == IG_MEASURE_KEPT_MAX)
        return c->kind == IG_CHECKPOINTS_END;
    p->kept[p->n_kept++] = *c;
    return true;
}

static bool listed(const ig_int_list *list, int64_t layer)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i] == layer)
            return true;
    return false;
}

ig_code ig_measure_plan_options(ig_measure_options *o, const ig_measure_plan *p,
                                int num_hidden_layers, bool last, ig_err *err)
{
    int mu[2], n = 0;
    ig_measure_mu_layers(num_hidden_layers, mu);
    o->n_layer = 0; /* the pair of μ */
    for (int l = 0; l <= num_hidden_layers && (p->all_layers || p->layers.n > 0); l++) {
        if (!p->all_layers && l != mu[0] && l != mu[1] && !listed(&p->layers, l))
            continue;
        if (n == IG_MEASURE_MAX_LAYER)
            return ig_fail(err, IG_ERR_USAGE, "layers", 0,
                           "more layers than the %d that are measured at once",
                           IG_MEASURE_MAX_LAYER);
        o->layer[n++] = l;
    }
    if (p->layers.n > 0 && !p->all_layers && p->layers.v[p->layers.n - 1] > num_hidden_layers)
        return ig_fail(err, IG_ERR_USAGE, "layers", 0,
                       "no layer %lld: the model has 0 (embeddings) to %d",
                       (long long)p->layers.v[p->layers.n - 1], num_hidden_layers);
    o->n_layer = n;
    o->what = p->what;
    o->max_sentence =
        !last && p->curve_max_sentences > 0 ? p->curve_max_sentences : p->max_sentences;
    return IG_ERR_OK;
}

ig_measure_options ig_measure_text_options(const ig_measure_options *o, const ig_measure_text *t)
{
    ig_measure_options own = *o;
    if (t->what != 0)
        own.what &= t->what;
    return own;
}
