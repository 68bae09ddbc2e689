/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `xsim`: the error of finding a sentence's translation by the margin, as LASER has it
 * (Artetxe & Schwenk 2019, eq. 2, ratio with k = 4; NLLB Team 2022, §5.1, xsim), by direction.
 */
#include "measure/measure_list.h"
#include "measure/nearest/sentence_neighbours.h"

static ig_code xsim(const ig_measure_out *out, const ig_vector_pair *v,
                    const ig_retrieval_with *with, ig_err *err)
{
    ig_neighbour_scores s;
    if (v->n_gold < 2)
        return IG_ERR_OK;
    IG_TRY(ig_neighbour_scores_run(&s, &(ig_sentence_rows){v->x, v->n_gold, v->d, NULL, NULL}, with,
                                   err));
    IG_TRY(ig_measure_put(out, "xsim", v->n_gold, 1 - s.margin, err));
    IG_TRY(ig_measure_put(out, "xsim_forward", v->n_gold, 1 - s.margin_way[0], err));
    return ig_measure_put(out, "xsim_backward", v->n_gold, 1 - s.margin_way[1], err);
}

#define ERROR                                                                                      \
    .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true, .better = -1,       \
    .share = true

const ig_store_task ig_numbers_xsim[] = {
    {"xsim", "xsim", "sentences whose translation the margin misses, mean both ways", ERROR},
    {"xsim_forward", "xsim→", "the same from the first language", ERROR},
    {"xsim_backward", "xsim←", "the same from the second language", ERROR},
    {0}};

const ig_measure_kind ig_measure_kind_xsim = {
    .sentences = xsim, .number = ig_numbers_xsim, .n_shown = 3};
