/* SPDX-License-Identifier: Apache-2.0
 *
 * Two walks over the products: the k largest of every row and column, then, with their means as
 * penalties, the best of each. VecMap makes the products four times.
 */
#include "embed/induce/map_induce.h"

#include "base/memory.h"

ig_code ig_induce_new(ig_induce *s, int64_t n, int64_t m, int k, ig_vector_work with, ig_err *err)
{
    const int64_t size[2] = {n, m}, keep = k > 0 ? k : 1;
    *s = (ig_induce){.n = n, .m = m, .k = k, .with = with};
    IG_TRY(ig_alloc(&s->forward, n, sizeof *s->forward, "dictionary", err));
    IG_TRY(ig_alloc(&s->backward, m, sizeof *s->backward, "dictionary", err));
    for (int i = 0; i < 2; i++) {
        IG_TRY(ig_alloc(&s->near[i], size[i] * keep, sizeof(float), "similarities", err));
        IG_TRY(ig_alloc(&s->near_at[i], size[i] * keep, sizeof(int32_t), "similarities", err));
        IG_TRY(ig_alloc(&s->mean[i], size[i], sizeof(float), "similarities", err));
        IG_TRY(ig_alloc(&s->penalty[i], size[i], sizeof(float), "similarities", err));
        IG_TRY(ig_alloc(&s->score[i], size[i], sizeof(float), "similarities", err));
        IG_TRY(ig_alloc(&s->before[i], size[i], sizeof(float), "similarities", err));
        IG_TRY(ig_alloc(&s->list[i], size[i], sizeof *s->list[i], "similarities", err));
        IG_TRY(ig_alloc(&s->again[i], size[i], sizeof(int32_t), "dictionary", err));
    }
    return IG_ERR_OK;
}

void ig_induce_free(ig_induce *s)
{
    IG_FREE(s->forward, s->backward);
    for (int i = 0; i < 2; i++)
        IG_FREE(s->near[i], s->near_at[i], s->mean[i], s->penalty[i], s->score[i], s->before[i],
                s->list[i], s->again[i]);
    *s = (ig_induce){0};
}

void ig_induce_penalties(ig_induce *s, int side)
{
    const int64_t n = side == 0 ? s->n : s->m;
    const int k = s->k > 0 ? s->k : 1;
    double sum = 0;
    if (s->k > 0)
        ig_retrieve_list_means(s->mean[side], s->near[side], n, k);
    for (int64_t i = 0; i < n; i++) {
        sum += (double)s->near[side][i * k];
        s->penalty[side][i] = s->mean[side][i] / 2;
    }
    s->objective[side] = n > 0 ? sum / (double)n : 0;
}

ig_code ig_induce_run(ig_induce *s, const float *x, const float *z, const ig_retrieve_dropout *drop,
                      ig_err *err)
{
    const ig_retrieve_side a = {x, NULL, s->n}, b = {z, NULL, s->m};
    const int k = s->k > 0 ? s->k : 1;
    const ig_retrieve_want near[2] = {{k, NULL, s->near_at[0], s->near[0]},
                                      {k, NULL, s->near_at[1], s->near[1]}};
    IG_TRY(ig_retrieve_top(&a, &b, near, NULL, s->with, err));
    for (int side = 0; side < 2; side++)
        ig_induce_penalties(s, side);
    /* The source asks with the targets' penalties, and the other way round. */
    const ig_retrieve_want best[2] = {{1, s->penalty[1], s->forward, s->score[0]},
                                      {1, s->penalty[0], s->backward, s->score[1]}};
    return ig_retrieve_top(&a, &b, best, drop, s->with, err);
}
