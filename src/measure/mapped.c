/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences through a map (Conneau et al. 2020, §5.1.3, Figure 6): the rotation between two
 * languages' sentence vectors is learned on one parallel text, and the sentences of another are
 * looked for through it; docs/similarity.md.
 */
#include "measure/measure_list.h"

#include "measure/nearest/space_map.h"

#include <string.h>

static ig_code put(const ig_measure_out *out, const ig_neighbour_scores *s, int64_t n, ig_err *err)
{
    const double all[] = {s->csls,          s->csls_way[0],   s->csls_way[1], s->cosine,
                          s->cosine_way[0], s->cosine_way[1], (double)n};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        IG_TRY(ig_measure_put(out, ig_numbers_mapped[i].name, 0, all[i], err));
    return IG_ERR_OK;
}

static ig_code mapped(const ig_measure_out *out, const ig_vector_pair *v,
                      const ig_vector_pair *learn, const ig_retrieval_with *with, ig_err *err)
{
    const int64_t n = learn != NULL ? v->n_gold : v->n_gold / 2;
    ig_neighbour_scores found;
    if (n < 2 || (learn != NULL && learn->n_gold < 1))
        return IG_ERR_OK;
    ig_space_pair pair = {.judge = {v->x[0], v->x[1]}, .n_judge = n, .d = v->d};
    if (learn != NULL) {
        pair.n_learn = learn->n_gold;
        memcpy(pair.learn, learn->x, sizeof pair.learn);
    } else { /* rows with even numbers; judged by those with odd ones */
        pair.step = 2;
        pair.n_learn = v->n_gold - n;
        for (int x = 0; x < 2; x++) {
            pair.learn[x] = v->x[x];
            pair.judge[x] += v->d;
        }
    }
    IG_TRY(ig_space_map_judge(&found, &pair, with, err));
    return put(out, &found, n, err);
}

#define FOUND(task, sign, said)                                                                    \
    {                                                                                              \
        task, sign, "sentences found by " said " after an orthogonal map", IG_LAYER_SHARE          \
    }

const ig_store_task ig_numbers_mapped[] = {
    FOUND("map_sentence_csls", "sentences CSLS", "CSLS, mean of P@1 both ways,"),
    FOUND("map_sentence_csls_forward", "sentences CSLS→", "CSLS, P@1 from the first language,"),
    FOUND("map_sentence_csls_backward", "sentences CSLS←", "CSLS, P@1 from the second language,"),
    FOUND("map_sentence_cosine", "P@1 sentences", "cosine, mean of P@1 both ways,"),
    FOUND("map_sentence_cosine_forward", "P@1 sentences→", "cosine, P@1 from the first language,"),
    FOUND("map_sentence_cosine_backward", "P@1 sentences←",
          "cosine, P@1 from the second language,"),
    {"map_sentence_pairs", "pairs of sentences",
     "sentences that were looked for, among as many: P@1 by chance is one over it",
     .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true},
    {0}};
const ig_measure_kind ig_measure_kind_mapped = {
    .mapped = mapped, .number = ig_numbers_mapped, .n_shown = 1};
