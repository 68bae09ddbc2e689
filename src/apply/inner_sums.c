/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums over what blocks compute on their way, and Tang et al.'s entropy of activation
 * probabilities: p_k of a neuron is the share of language k's tokens at which it is above 0,
 * LAPE = −Σ_k q_k log q_k with q_k = p_k / Σ_j p_j.
 */
#include "apply/inner_sums.h"

#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    ig_inner_sums *s;
    int k;
} adding;

static ig_code add_sentence(void *arg, const ig_sentence_states *x, ig_err *err)
{
    const adding *a = arg;
    const ig_inner_sums *s = a->s;
    (void)err;
    for (int l = 0; l < s->n_layer; l++) {
        double *sum = s->sum[a->k] + (int64_t)l * s->width;
        int64_t *active = s->active[a->k] + (int64_t)l * s->width;
        for (int32_t t = 0; t < x->n_token; t++) {
            const float *row = x->states[l] + (int64_t)t * s->width;
            for (int i = 0; i < s->width && !x->special[t]; i++) {
                sum[i] += (double)row[i];
                active[i] += row[i] > 0;
            }
        }
    }
    for (int32_t t = 0; t < x->n_token; t++)
        a->s->n_token[a->k] += !x->special[t];
    return IG_ERR_OK;
}

ig_code ig_inner_sums_add(ig_inner_sums *s, const ig_states_parts *parts, ig_inner which,
                          const ig_states_source *text, ig_stop stop, ig_err *err)
{
    const ig_bert_config *c = ig_bert_get_config(parts->model);
    ig_states *states;
    int *layer;
    if (s->n_language == IG_LANGUAGES_MAX)
        return ig_fail(err, IG_ERR_USAGE, text->name, 0, "more than %d languages",
                       IG_LANGUAGES_MAX);
    s->n_layer = c->num_hidden_layers;
    s->width = ig_inner_width(c, which);
    const int64_t n = (int64_t)s->n_layer * s->width;
    const int k = s->n_language++;
    IG_TRY(ig_alloc(&s->sum[k], n, sizeof *s->sum[k], "units", err));
    IG_TRY(ig_alloc(&s->active[k], n, sizeof *s->active[k], "units", err));
    IG_TRY(ig_alloc(&layer, s->n_layer, sizeof *layer, "layers", err));
    for (int l = 0; l < s->n_layer; l++)
        layer[l] = l + 1;
    const ig_states_options o = {
        .layer = layer, .n_layer = s->n_layer, .inner = which, .allow_unknown = true, .stop = stop};
    ig_code code = ig_states_over(&states, &o, parts, err);
    if (code == IG_ERR_OK) {
        adding a = {s, k};
        code = ig_states_read(states, text, add_sentence, &a, err);
        ig_states_close(states);
    }
    ig_free(layer);
    if (code == IG_ERR_OK && s->n_token[k] == 0)
        return ig_fail(err, IG_ERR_INPUT, text->name, 0, "its text has no token");
    return code;
}

void ig_inner_sums_free(ig_inner_sums *s)
{
    for (int k = 0; k < s->n_language; k++)
        IG_FREE(s->sum[k], s->active[k]);
    *s = (ig_inner_sums){0};
}

static double probability(const ig_inner_sums *s, int k, int64_t i)
{
    return (double)s->active[k][i] / (double)s->n_token[k];
}

static ig_code find_bar(double *bar, const ig_inner_sums *s, double share, ig_err *err)
{
    const int64_t n_unit = (int64_t)s->n_layer * s->width, n = n_unit * s->n_language;
    IG_OWNED double *all = NULL;
    IG_TRY(ig_alloc(&all, n, sizeof *all, "probabilities", err));
    for (int64_t i = 0; i < n; i++)
        all[i] = probability(s, (int)(i / n_unit), i % n_unit);
    qsort(all, (size_t)n, sizeof *all, ig_by_double);
    const int64_t at = llround(share * (double)n);
    *bar = all[at < 1 ? 0 : at - 1];
    return IG_ERR_OK;
}

ig_code ig_inner_specific(ig_specific *out, double *bar, const ig_inner_sums *s, double share,
                          ig_err *err)
{
    double least;
    IG_TRY(find_bar(&least, s, share, err));
    for (int64_t i = 0; i < (int64_t)s->n_layer * s->width; i++) {
        double all = 0, entropy = 0, most = -1;
        for (int k = 0; k < s->n_language; k++) {
            const double p = probability(s, k, i);
            all += p;
            if (p > most) {
                most = p;
                out[i].language = k;
            }
        }
        for (int k = 0; k < s->n_language; k++) {
            const double q = all > 0 ? probability(s, k, i) / all : 0;
            entropy -= q > 0 ? q * log(q) : 0;
        }
        out[i].entropy = most > least ? entropy : (double)INFINITY;
    }
    if (bar != NULL)
        *bar = least;
    return IG_ERR_OK;
}
