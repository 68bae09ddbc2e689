/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `anc`: average neuron-wise correlation (Del & Fishel 2022, "Cross-lingual Similarity
 * of Multilingual Representations Revisited", §4), as their program has it: the mean over the
 * columns of the sentence vectors of Pearson's correlation, with its sign, of a column in one
 * language with the same column in the other over parallel sentences. A column that does not vary
 * in a language counts as 0.
 */
#include "measure/measure_list.h"

#include <math.h>

static double correlation(const ig_vector_pair *v, int column)
{
    const double n = (double)v->n_gold;
    double mean[2] = {0}, square[2] = {0}, product = 0;
    for (int64_t i = 0; i < v->n_gold; i++)
        for (int k = 0; k < 2; k++)
            mean[k] += (double)v->x[k][i * v->d + column];
    for (int k = 0; k < 2; k++) /* of a column that does not vary exactly what it has */
        mean[k] /= n;
    for (int64_t i = 0; i < v->n_gold; i++) {
        const double a = (double)v->x[0][i * v->d + column] - mean[0],
                     b = (double)v->x[1][i * v->d + column] - mean[1];
        square[0] += a * a;
        square[1] += b * b;
        product += a * b;
    }
    return square[0] > 0 && square[1] > 0 ? product / sqrt(square[0] * square[1]) : 0;
}

static ig_code anc(const ig_measure_out *out, const ig_vector_pair *v,
                   const ig_retrieval_with *with, ig_err *err)
{
    double sum = 0;
    (void)with;
    if (v->n_gold < 2)
        return IG_ERR_OK;
    for (int k = 0; k < v->d; k++)
        sum += correlation(v, k);
    return ig_measure_put(out, "anc", v->n_gold, sum / v->d, err);
}

const ig_store_task ig_numbers_anc[] = {
    {"anc", "ANC", "mean correlation of equal columns of both languages' sentences",
     .kind = IG_STORE_TASK_LAYERED, .version = 2, .split = "dev", .pair = true, .below_zero = true,
     .better = 1},
    {0}};

const ig_measure_kind ig_measure_kind_anc = {
    .sentence_means = anc, .number = ig_numbers_anc, .n_shown = 1};
