/* SPDX-License-Identifier: Apache-2.0
 *
 * Retrieval among the vectors of a layer as measures: of parallel sentences (ρ), of the words of a
 * dictionary (τ), and of those of them that are not one piece in both languages (Dufter & Schütze
 * 2020, §2.2.1, A.1; docs/measures.md).
 */
#include "measure/measure_list.h"
#include "base/settings/json_text.h"

static ig_code sentences(ig_measure_layer *out, const ig_vector_pair *v,
                         const ig_retrieval_with *with, ig_err *err)
{
    return ig_retrieval_run(&out->sentence, v, with, err);
}

const ig_store_task ig_numbers_retrieval[] = {
    IG_RETRIEVAL_NUMBERS("rho", "ρ", "retrieval", 0, "sentence retrieval", "sentence retrieval"),
    {0}};
const ig_measure_kind ig_measure_kind_retrieval = {
    .sentences = sentences, .in_place = true, .number = ig_numbers_retrieval};

static ig_code words(ig_measure_layer *out, const ig_vector_pair *v, const ig_retrieval_with *with,
                     ig_err *err)
{
    return ig_retrieval_run(&out->word, v, with, err);
}

const ig_store_task ig_numbers_translation[] = {
    IG_RETRIEVAL_NUMBERS("tau", "τ", "translation", 2, "word translation", "word translation"),
    {0}};
const ig_measure_kind ig_measure_kind_translation = {
    .words = words, .in_place = true, .number = ig_numbers_translation};

static ig_code apart(ig_measure_layer *out, const ig_vector_pair *v, const ig_retrieval_with *with,
                     ig_err *err)
{
    return ig_retrieval_run(&out->distinct_word, v, with, err);
}

static void distinct_json(json_t *layer, const ig_measure_layer *l)
{
    json_object_set_new(layer, "tau_distinct", ig_json_number(l->distinct_word.mean));
    json_object_set_new(layer, "distinct_translation", ig_retrieval_json(&l->distinct_word));
}

const ig_store_task ig_numbers_distinct[] = {
    IG_RETRIEVAL_NUMBERS("tau_distinct", "τ distinct", "distinct_translation", 2,
                         "word translation without words that are one piece in both languages",
                         "tau_distinct"),
    {0}};
const ig_measure_kind ig_measure_kind_distinct = {
    .words_apart = apart, .json = distinct_json, .number = ig_numbers_distinct, .n_shown = 1};
