/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of an evaluation as JSON. Keys are a contract (docs/measures.md); a measure that
 * was not taken has no row.
 */
#include "measure/measure.h"
#include "measure/measure_list.h"
#include "measure/missing.h"

json_t *ig_measure_names_json(ig_measure_set what)
{
    json_t *names = json_array();
    for (int i = 0; i < IG_MEASURE_N; i++)
        if (ig_measure_requested(what, i))
            json_array_append_new(names, json_string(ig_measure_names[i]));
    return names;
}

static const char *variant_name(ig_variant v)
{
    static const char *const names[] = {"fixed", "paper-text", "paper-code"};
    return names[v];
}

json_t *ig_measure_json(const ig_measure_result *r)
{
    const ig_measure_options *o = &r->options;
    json_t *languages = json_array();
    for (int i = 0; i < r->n_language && languages != NULL; i++)
        json_array_append_new(languages, json_string(r->language[i]));
    json_t *j = json_pack(
        "{s:o, s:o, s:[i,i], s:I, s:I, s:I, s:s, s:s, s:b, s:I, s:s}", "rows",
        ig_row_set_json(&r->rows), "languages", languages, "mu_layers", r->mu_layer[0],
        r->mu_layer[1], "n_sentences", (json_int_t)r->n_sentence, "n_words", (json_int_t)r->n_word,
        "n_special_words", (json_int_t)r->n_special, "perplexity_mean",
        o->perplexity == IG_VARIANT_PAPER_CODE ? "exp of the unweighted mean of the batches' means"
                                               : "exp of the mean over masked tokens",
        "translation_words", variant_name(o->translation), "pad_attend",
        (int)o->batching.pad_attend, "eval_seed", (json_int_t)o->seed, "tie_rule",
        "an equally similar candidate with a lower index comes first");
    if (j != NULL && o->pooling != IG_POOL_MEAN)
        json_object_set_new(j, "pooling",
                            json_string(o->pooling == IG_POOL_LAST ? "last" : "weighted"));
    if (j != NULL && ig_measure_has_distinct(r))
        json_object_set_new(j, "n_distinct_words", json_integer((json_int_t)r->n_distinct));
    ig_measure_missing missing;
    ig_measure_missing_of(&missing, r);
    json_t *why = ig_measure_missing_json(&missing);
    if (j != NULL && why != NULL)
        json_object_set(j, "missing", why);
    json_decref(why);
    if (j != NULL && r->of_pairs != NULL)
        json_object_set(j, "missing_of_pairs", r->of_pairs);
    return j;
}
