/* SPDX-License-Identifier: Apache-2.0
 *
 * The report card as JSON; its keys are in docs/diagnose.md.
 */
#include "base/settings/json_text.h"
#include "evaluate/findings.h"

#include <stdio.h>

/* Numbers from .. to − 1 of a layer or of a pair at it. */
static json_t *numbers_json(const double *value, int from, int to)
{
    json_t *j = json_object();
    for (int i = from; i < to; i++)
        json_object_set_new(j, ig_diagnose_numbers[i].key, ig_json_number(value[i]));
    return j;
}

static json_t *layers_json(const ig_diagnosis *d)
{
    json_t *layers = json_object();
    for (int l = 0; l < d->n_layer; l++) {
        json_t *of = numbers_json(ig_diagnose_at(d, l, -1), 0, IG_DIAGNOSE_N_OF_LAYER),
               *pairs = json_object();
        char name[2 * IG_DIAGNOSE_NAME + 1];
        for (int k = 0; k < d->n_pair; k++) {
            ig_diagnose_pair_name(name, sizeof name, d, k);
            json_object_set_new(
                pairs, name,
                numbers_json(ig_diagnose_at(d, l, k), IG_DIAGNOSE_N_OF_LAYER, IG_DIAGNOSE_N));
        }
        json_object_set_new(of, "pairs", pairs);
        snprintf(name, sizeof name, "%d", l);
        json_object_set_new(layers, name, of);
    }
    return layers;
}

/* A number that states from files do not have. */
static json_t *count_json(int64_t n, bool known)
{
    return known ? json_integer((json_int_t)n) : json_null();
}

static json_t *languages_json(const ig_diagnosis *d)
{
    const bool model = !d->of_files;
    json_t *languages = json_object();
    for (int k = 0; k < d->n_language; k++) {
        const ig_diagnose_language *l = &d->language[k];
        json_object_set_new(
            languages, l->name,
            json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "sentences",
                      (json_int_t)l->n_sentence, "cut", count_json(l->n_cut, model), "words",
                      count_json(l->n_word, model || l->n_word > 0), "pieces",
                      count_json(l->unknown.n_piece, model), "unknown",
                      ig_json_number(ig_diagnose_unknown(l)), "pieces_per_word",
                      ig_json_number(ig_diagnose_pieces_per_word(l)), "bytes_per_piece",
                      ig_json_number(ig_diagnose_bytes_per_piece(l)), "perplexity",
                      ig_json_number(l->perplexity), "masked", count_json(l->n_masked, model)));
    }
    return languages;
}

static json_t *best_json(const ig_diagnosis *d)
{
    json_t *best = json_object();
    for (int u = 0; u < IG_DIAGNOSE_USES; u++) {
        const int l = ig_diagnose_best_layer(d, (ig_diagnose_use)u);
        json_object_set_new(best, ig_diagnose_use_names[u], l < 0 ? json_null() : json_integer(l));
    }
    return best;
}

static json_t *findings_json(const ig_diagnosis *d, const char *model)
{
    ig_findings f;
    json_t *list = json_array();
    if (ig_findings_make(&f, d, model, NULL) != IG_ERR_OK)
        return NULL;
    for (int i = 0; i < f.n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s?}", "finding", f.finding[i].text,
                                              "command", f.finding[i].command));
    ig_findings_free(&f);
    return list;
}

json_t *ig_diagnosis_json(const ig_diagnosis *d, const char *model)
{
    return json_pack("{s:s, s:b, s:i, s:i, s:I, s:I, s:f, s:o, s:o, s:o, s:o}", "model", model,
                     "parallel", (int)d->parallel, "n_layers", d->n_layer - 1, "hidden", d->d,
                     "dictionary_pairs", (json_int_t)d->n_word_pair, "gold_pairs",
                     (json_int_t)d->n_gold_pair, "seconds", d->seconds, "languages",
                     languages_json(d), "layers", layers_json(d), "best_layer", best_json(d),
                     "findings", findings_json(d, model));
}
