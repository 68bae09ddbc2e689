/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of an evaluation as JSON. Keys are a contract (docs/measures.md); a measure that was
 * not taken is null, never 0.
 */
#include "measure/measure.h"
#include "measure/missing.h"

#include <math.h>
#include <stdio.h>

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *way(const ig_retrieval_way *w)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "p@1", number(w->p[0]), "p@5",
                     number(w->p[1]), "p@10", number(w->p[2]), "n_queries", (json_int_t)w->n_query,
                     "n_candidates", (json_int_t)w->n_candidate, "ties", (json_int_t)w->n_tie);
}

static json_t *both_ways(const ig_retrieval_score *s)
{
    return json_pack("{s:o, s:o}", "forward", way(&s->way[0]), "backward", way(&s->way[1]));
}

/* Keys of ig_measure_options.spaces, only where it was asked for. */
static void add_spaces(json_t *j, const ig_measure_layer *l)
{
    json_object_set_new(j, "cka", number(l->cka));
    json_object_set_new(j, "rho_mapped", number(l->mapped_sentence.mean));
    json_object_set_new(j, "tau_mapped", number(l->mapped_word.mean));
    json_object_set_new(j, "mapped_retrieval", both_ways(&l->mapped_sentence));
    json_object_set_new(j, "mapped_translation", both_ways(&l->mapped_word));
}

static json_t *layer(const ig_measure_layer *l, const ig_measure_options *o, bool distinct)
{
    json_t *j = json_pack("{s:o, s:o, s:o, s:{s:o, s:o, s:I, s:I, s:I}, s:o, s:o}", "f1",
                          number(l->alignment.f1), "rho", number(l->sentence.mean), "tau",
                          number(l->word.mean), "alignment", "precision",
                          number(l->alignment.precision), "recall", number(l->alignment.recall),
                          "n_predicted", (json_int_t)l->edges.n_predicted, "n_gold",
                          (json_int_t)l->edges.n_gold, "n_right", (json_int_t)l->edges.n_right,
                          "retrieval", both_ways(&l->sentence), "translation", both_ways(&l->word));
    if (j != NULL && o->spaces)
        add_spaces(j, l);
    if (j != NULL && distinct) {
        json_object_set_new(j, "tau_distinct", number(l->distinct_word.mean));
        json_object_set_new(j, "distinct_translation", both_ways(&l->distinct_word));
    }
    return j;
}

static json_t *perplexity(const ig_perplexity *p)
{
    return json_pack("{s:o, s:o, s:I, s:I}", "by_token", number(ig_perplexity_by_token(p)),
                     "by_batch", number(ig_perplexity_by_batch(p)), "n_tokens",
                     (json_int_t)p->n_token, "n_batches", (json_int_t)p->n_batch);
}

static const char *variant_name(ig_variant v)
{
    static const char *const names[] = {"fixed", "paper-text", "paper-code"};
    return names[v];
}

json_t *ig_measure_json(const ig_measure_result *r)
{
    json_t *layers = json_object(), *languages = json_object();
    int bad = layers == NULL || languages == NULL;
    for (int i = 0; i < r->n_layer && !bad; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", r->layer[i].layer);
        bad = json_object_set_new(layers, key,
                                  layer(&r->layer[i], &r->options, ig_measure_has_distinct(r)));
    }
    for (int i = 0; i < r->n_language && !bad; i++)
        bad =
            json_object_set_new(languages, r->language[i].name,
                                json_pack("{s:o, s:o}", "train", perplexity(&r->language[i].train),
                                          "dev", perplexity(&r->language[i].dev)));
    if (bad) {
        json_decref(layers);
        json_decref(languages);
        return NULL;
    }
    const ig_measure_options *o = &r->options;
    bool by_batch = o->perplexity == IG_VARIANT_PAPER_CODE;
    json_t *j =
        json_pack("{s:o, s:o, s:[i,i], s:{s:o, s:o, s:s, s:o, s:o, s:o}, s:I, s:I, s:I, s:s, "
                  "s:b, s:I, s:s}",
                  "layers", layers, "mu", number(r->mu), "mu_layers", r->mu_layer[0],
                  r->mu_layer[1], "perplexity", "train", number(r->perplexity_train), "dev",
                  number(r->perplexity_dev), "mean",
                  by_batch ? "exp of the unweighted mean of the batches' means"
                           : "exp of the mean over masked tokens",
                  "pooled_train", perplexity(&r->train), "pooled_dev", perplexity(&r->dev),
                  "languages", languages, "n_sentences", (json_int_t)r->n_sentence, "n_words",
                  (json_int_t)r->n_word, "n_special_words", (json_int_t)r->n_special,
                  "translation_words", variant_name(o->translation), "pad_attend",
                  (int)o->batching.pad_attend, "eval_seed", (json_int_t)o->seed, "tie_rule",
                  "an equally similar candidate with a lower index comes first");
    if (j != NULL && ig_measure_has_distinct(r)) {
        json_object_set_new(j, "mu_distinct", number(r->mu_distinct));
        json_object_set_new(j, "n_distinct_words", json_integer((json_int_t)r->n_distinct));
        json_object_set_new(j, "identical_share", number(ig_measure_identical(r)));
    }
    ig_measure_missing missing;
    ig_measure_missing_of(&missing, r);
    json_t *why = ig_measure_missing_json(&missing);
    if (j != NULL && why != NULL)
        json_object_set(j, "missing", why);
    json_decref(why);
    /* Before all of a file's translations counted this was not said. */
    if (j != NULL && r->listed)
        json_object_set_new(j, "translations", json_string("all"));
    return j;
}
