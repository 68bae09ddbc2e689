/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `mexa`: the share of parallel sentences whose vectors are strictly more similar to
 * each other than either is to any other sentence of the other language, in the row and in the
 * column of the matrix of cosines (Kargaran et al. 2025, MEXA, §3).
 */
#include "measure/measure_list.h"

static ig_code mexa(const ig_measure_out *out, const ig_vector_pair *v,
                    const ig_retrieval_with *with, ig_err *err)
{
    ig_retrieval_score s;
    IG_TRY(ig_retrieval_run(&s, v, with, err));
    return ig_measure_put(out, out->number[0].name, v->n_gold, s.strict, err);
}

const ig_store_task ig_numbers_mexa[] = {
    {"mexa", "MEXA", "sentences strictly nearest to their translation, both ways", IG_LAYER_SHARE},
    {0}};

const ig_measure_kind ig_measure_kind_mexa = {
    .sentences = mexa, .number = ig_numbers_mexa, .n_shown = 1};
