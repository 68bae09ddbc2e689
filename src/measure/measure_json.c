/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of an evaluation as JSON. Keys are a contract (docs/measures-json.md); a measure that
 * was not taken is null, never 0.
 */
#include "measure/measure.h"
#include "base/settings/json_text.h"
#include "measure/missing.h"
#include "measure/measure_list.h"

#include <stdio.h>

json_t *ig_measure_names_json(ig_measure_set what)
{
    json_t *names = json_array();
    for (int i = 0; i < IG_MEASURE_N; i++)
        if (ig_measure_asks(what, i))
            json_array_append_new(names, json_string(ig_measure_names[i]));
    return names;
}

static json_t *way(const ig_retrieval_way *w)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "p@1", ig_json_number(w->p[0]), "p@5",
                     ig_json_number(w->p[1]), "p@10", ig_json_number(w->p[2]), "n_queries",
                     (json_int_t)w->n_query, "n_candidates", (json_int_t)w->n_candidate, "ties",
                     (json_int_t)w->n_tie);
}

json_t *ig_retrieval_json(const ig_retrieval_score *s)
{
    return json_pack("{s:o, s:o}", "forward", way(&s->way[0]), "backward", way(&s->way[1]));
}

static void numbers_of(json_t *layer, const ig_measure_layer *l, int kind)
{
    const ig_store_task *t = ig_measure_kinds[kind]->number;
    for (int i = 0; t[i].name != NULL && i < IG_MEASURE_NUMBERS; i++)
        json_object_set_new(layer, t[i].name, ig_json_number(l->value[kind][i]));
}

json_t *ig_measure_layer_json(const ig_measure_layer *l, ig_measure_set what)
{
    json_t *j = json_pack(
        "{s:o, s:o, s:o, s:{s:o, s:o, s:I, s:I, s:I}, s:o, s:o}", "f1",
        ig_json_number(l->alignment.f1), "rho", ig_json_number(l->sentence.mean), "tau",
        ig_json_number(l->word.mean), "alignment", "precision",
        ig_json_number(l->alignment.precision), "recall", ig_json_number(l->alignment.recall),
        "n_predicted", (json_int_t)l->edges.n_predicted, "n_gold", (json_int_t)l->edges.n_gold,
        "n_right", (json_int_t)l->edges.n_right, "retrieval", ig_retrieval_json(&l->sentence),
        "translation", ig_retrieval_json(&l->word));
    for (int k = 0; k < IG_MEASURE_N && j != NULL; k++) {
        const ig_measure_kind *kind = ig_measure_kinds[k];
        if (!ig_measure_asks(what, k) || kind->in_place)
            continue;
        if (kind->json != NULL)
            kind->json(j, l);
        else
            numbers_of(j, l, k);
    }
    return j;
}

static json_t *perplexity(const ig_perplexity *p)
{
    return json_pack("{s:o, s:o, s:I, s:I}", "by_token", ig_json_number(ig_perplexity_by_token(p)),
                     "by_batch", ig_json_number(ig_perplexity_by_batch(p)), "n_tokens",
                     (json_int_t)p->n_token, "n_batches", (json_int_t)p->n_batch);
}

static const char *variant_name(ig_variant v)
{
    static const char *const names[] = {"fixed", "paper-text", "paper-code"};
    return names[v];
}

static json_t *positions(const ig_position_cosines *p)
{
    double x[IG_POSITION_NUMBERS];
    ig_position_values(x, p);
    return json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "n", p->n, "n_frequent",
                     p->n_frequent, "n_rare", p->n - p->n_frequent, "nearest", ig_json_number(x[0]),
                     "diagonal", ig_json_number(x[1]), "order", ig_json_number(x[2]),
                     "nearest_rare", ig_json_number(x[3]), "diagonal_rare", ig_json_number(x[4]));
}

json_t *ig_measure_json(const ig_measure_result *r)
{
    json_t *layers = json_object(), *languages = json_object();
    ig_measure_set what = r->options.what;
    if (ig_measure_has_distinct(r))
        what |= IG_MEASURE_BIT(distinct);
    int bad = layers == NULL || languages == NULL;
    for (int i = 0; i < r->n_layer && !bad; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", r->layer[i].layer);
        bad = json_object_set_new(layers, key, ig_measure_layer_json(&r->layer[i], what));
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
                  "layers", layers, "mu", ig_json_number(r->mu), "mu_layers", r->mu_layer[0],
                  r->mu_layer[1], "perplexity", "train", ig_json_number(r->perplexity_train), "dev",
                  ig_json_number(r->perplexity_dev), "mean",
                  by_batch ? "exp of the unweighted mean of the batches' means"
                           : "exp of the mean over masked tokens",
                  "pooled_train", perplexity(&r->train), "pooled_dev", perplexity(&r->dev),
                  "languages", languages, "n_sentences", (json_int_t)r->n_sentence, "n_words",
                  (json_int_t)r->n_word, "n_special_words", (json_int_t)r->n_special,
                  "translation_words", variant_name(o->translation), "pad_attend",
                  (int)o->batching.pad_attend, "eval_seed", (json_int_t)o->seed, "tie_rule",
                  "an equally similar candidate with a lower index comes first");
    if (j != NULL && ig_measure_has_distinct(r)) {
        json_object_set_new(j, "mu_distinct", ig_json_number(r->mu_distinct));
        json_object_set_new(j, "n_distinct_words", json_integer((json_int_t)r->n_distinct));
        json_object_set_new(j, "identical_share", ig_json_number(ig_measure_identical(r)));
    }
    if (j != NULL && ig_measure_asks(what, IG_MEASURE_positions))
        json_object_set_new(j, "positions", positions(&r->positions));
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
