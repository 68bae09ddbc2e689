/* SPDX-License-Identifier: Apache-2.0
 *
 * Says why a measure cannot be computed. Word translation needs a dictionary, which languages of
 * one text have by themselves; sentence retrieval needs sentences that both languages have.
 */
#include "measure/missing.h"

#include "base/memory.h"
#include "measure/measure_list.h"

#include <math.h>
#include <stdio.h>

/* Names what ρ and τ are missing, in these words or those of a run's settings. `listed`: there is a
 * dictionary. */
static void say(ig_measure_missing *m, const char *a, const char *b, bool tau, bool rho,
                bool listed, const ig_measure_options *words)
{
    if (tau && words != NULL && words->need_tau != NULL)
        snprintf(m->tau, sizeof m->tau, "%s", words->need_tau);
    else if (tau && listed)
        snprintf(m->tau, sizeof m->tau,
                 "needs words that are one piece: no pair of the dictionary %.31s–%.31s is", a, b);
    else if (tau)
        snprintf(m->tau, sizeof m->tau, "needs a dictionary %.31s–%.31s: gold=FILE", a, b);
    if (rho && words != NULL && words->need_rho != NULL)
        snprintf(m->rho, sizeof m->rho, "%s", words->need_rho);
    else if (rho)
        snprintf(m->rho, sizeof m->rho,
                 "needs sentences that %.31s and %.31s both have: dev=FILE of verses, or "
                 "dev-parallel",
                 a, b);
    snprintf(m->mu, sizeof m->mu, "%s%s%s", m->tau, tau && rho ? "; " : "", m->rho);
}

void ig_measure_missing_of(ig_measure_missing *m, const ig_measure_result *r)
{
    const ig_measure_options *o = &r->options;
    const bool both = ig_measure_requested(o->what, IG_MEASURE_translation) &&
                      ig_measure_requested(o->what, IG_MEASURE_retrieval),
               tau = r->n_word == 0, rho = r->n_sentence == 0;
    *m = (ig_measure_missing){0};
    if (o->need_perplexity != NULL)
        snprintf(m->perplexity, sizeof m->perplexity, "%s", o->need_perplexity);
    if (r->no_gradients != NULL)
        snprintf(m->gradients, sizeof m->gradients, "%s", r->no_gradients);
    if (r->no_shift != NULL)
        snprintf(m->shift, sizeof m->shift, "%s", r->no_shift);
    if (ig_measure_requested(o->what, IG_MEASURE_positions) &&
        (r->n_language < 2 || r->no_positions[0] != '\0'))
        snprintf(m->positions, sizeof m->positions, "%s",
                 r->n_language < 2 ? "needs two languages" : r->no_positions);
    if (isfinite(ig_measure_value(r, "mu", -1)) || !both)
        return;
    if (r->n_language < 2)
        snprintf(m->mu, sizeof m->mu, "needs two languages");
    else if (tau || rho)
        say(m, r->language[o->a], r->language[o->b], tau, rho, r->listed, o);
    else
        snprintf(m->mu, sizeof m->mu, "needs layers %d and %d", r->mu_layer[0], r->mu_layer[1]);
}

ig_code ig_measure_missing_in(ig_measure_missing *m, const ig_corpus *dev, ig_err *err)
{
    int32_t *pairs;
    int64_t n_pair;
    *m = (ig_measure_missing){0};
    if (ig_corpus_n_language(dev) < 2) {
        snprintf(m->mu, sizeof m->mu, "needs two languages");
        return IG_ERR_OK;
    }
    IG_TRY(ig_corpus_gold_dictionary(dev, 0, 1, &pairs, &n_pair, err));
    ig_free(pairs);
    say(m, ig_corpus_language(dev, 0)->name, ig_corpus_language(dev, 1)->name, n_pair == 0,
        ig_measure_parallel(&(ig_measure_options){.b = 1}, dev) == 0,
        ig_corpus_gold_listed(dev, 0, 1), NULL);
    return IG_ERR_OK;
}

json_t *ig_measure_missing_json(const ig_measure_missing *m)
{
    const struct {
        const char *key, *text;
    } of[] = {{"mu", m->mu},
              {"rho", m->rho},
              {"tau", m->tau},
              {"perplexity", m->perplexity},
              {"positions", m->positions},
              {"gradients", m->gradients},
              {"shift", m->shift}};
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].text[0] != '\0')
            json_object_set_new(j, of[i].key, json_string(of[i].text));
    if (json_object_size(j) > 0)
        return j;
    json_decref(j);
    return NULL;
}
