/* SPDX-License-Identifier: Apache-2.0
 *
 * Two walks over the products: the k largest of every row and column, then, with their means as
 * penalties, the best of each. VecMap makes the products four times.
 *
 * A round much like the one before it needs one walk only. The best score of a query i is that of
 * the largest s_ij − p_j, but the penalties p (half the means of the k largest products) are only
 * known when all products have been made. The penalties q of the round before take their place: the
 * walk keeps the k largest products of every query, and the LIST largest s_ij − q_j among the pairs
 * that dropout keeps. Then p is known, and with it the true score of those in the list; of all
 * others the score is at most the last of the list's estimates plus the largest q_j − p_j. Where
 * the best in the list is above that, it is the best of all. The other queries are searched again,
 * alone. So the answer is the same, bit for bit; only the time depends on how far the penalties
 * have moved.
 */
#include "embed/induce/map_induce.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { LIST = 6 };

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
        ig_retrieve_want *l = &s->list[i];
        l->k = LIST;
        IG_TRY(ig_alloc(&l->answer, size[i] * LIST, sizeof *l->answer, "similarities", err));
        IG_TRY(ig_alloc(&l->score, size[i] * LIST, sizeof *l->score, "similarities", err));
        IG_TRY(ig_alloc(&l->product, size[i] * LIST, sizeof *l->product, "similarities", err));
        IG_TRY(ig_alloc(&s->again[i], size[i], sizeof(int32_t), "dictionary", err));
    }
    return IG_ERR_OK;
}

void ig_induce_free(ig_induce *s)
{
    IG_FREE(s->forward, s->backward);
    for (int i = 0; i < 2; i++)
        IG_FREE(s->near[i], s->near_at[i], s->mean[i], s->penalty[i], s->score[i], s->before[i],
                s->list[i].answer, s->list[i].score, s->list[i].product, s->again[i]);
    *s = (ig_induce){0};
}

/* Means, penalties and the objective of a side from its nearest. */
static void penalties(ig_induce *s, int side)
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
    const ig_retrieve_want near[2] = {{k, NULL, s->near_at[0], s->near[0], NULL},
                                      {k, NULL, s->near_at[1], s->near[1], NULL}};
    IG_TRY(ig_retrieve_top(&a, &b, near, NULL, s->with, err));
    for (int side = 0; side < 2; side++)
        penalties(s, side);
    /* The source's answers use the targets' penalties, and the other way round. */
    const ig_retrieve_want best[2] = {{1, s->penalty[1], s->forward, s->score[0], NULL},
                                      {1, s->penalty[0], s->backward, s->score[1], NULL}};
    return ig_retrieve_top(&a, &b, best, drop, s->with, err);
}

/* The largest q_j − p_j. */
static float largest_fall(const float *before, const float *now, int64_t n)
{
    float most = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        most = fmaxf(most, before[i] - now[i]);
    return most;
}

/* Chooses the best of each list where it is certain; the other rows' numbers go to again[]. */
static int64_t settle(const ig_retrieve_want *list, int32_t *choice, int64_t n,
                      const float *penalty, float fall, int32_t *again)
{
    int64_t n_again = 0;
    /* Differences of float32 cosines and means: a few roundings of numbers below 2. */
    const float slack = 1e-6f;
    for (int64_t i = 0; i < n; i++) {
        const int64_t end = (i + 1) * LIST;
        float best = -INFINITY;
        choice[i] = -1;
        for (int64_t q = i * LIST; q < end && list->answer[q] >= 0; q++) {
            const int32_t a = list->answer[q];
            const float score = list->product[q] - penalty[a];
            if (score > best || (score == best && a < choice[i])) {
                best = score;
                choice[i] = a;
            }
        }
        if (!(best > list->score[end - 1] + fall + slack))
            again[n_again++] = (int32_t)i;
    }
    return n_again;
}

/* Searches again for the rows left uncertain, with the exact penalties. */
static ig_code search_again(ig_induce *s, int side, const float *x, const float *z,
                            const ig_retrieve_dropout *drop, ig_err *err)
{
    const int64_t n = s->n_again[side];
    int32_t *choice = side == 0 ? s->forward : s->backward,
            *found = s->list[side].answer; /* used up */
    const ig_retrieve_side asks = {side == 0 ? x : z, s->again[side], n},
                           answers = {side == 0 ? z : x, NULL, side == 0 ? s->m : s->n};
    const ig_retrieve_want want[2] = {{1, s->penalty[1 - side], found, s->score[side], NULL}, {0}};
    ig_retrieve_dropout same = drop != NULL ? *drop : (ig_retrieve_dropout){.keep = 1};
    same.back = side == 1;
    if (n == 0)
        return IG_ERR_OK;
    IG_TRY(ig_retrieve_top(&asks, &answers, want, &same, s->with, err));
    for (int64_t i = 0; i < n; i++)
        choice[s->again[side][i]] = found[i];
    return IG_ERR_OK;
}

static ig_code walk_once(ig_induce *s, const float *x, const float *z,
                         const ig_retrieve_dropout *drop, ig_err *err)
{
    const ig_retrieve_side a = {x, NULL, s->n}, b = {z, NULL, s->m};
    const ig_retrieve_want near[2] = {{s->k, NULL, s->near_at[0], s->near[0], NULL},
                                      {s->k, NULL, s->near_at[1], s->near[1], NULL}};
    const ig_retrieve_question both[2] = {{near, NULL, NULL}, {s->list, drop, NULL}};
    s->list[0].penalty = s->before[1];
    s->list[1].penalty = s->before[0];
    return ig_retrieve_ask(&a, &b, both, 2, s->with, err);
}

ig_code ig_induce_next(ig_induce *s, const float *x, const float *z,
                       const ig_retrieve_dropout *drop, ig_err *err)
{
    const int64_t size[2] = {s->n, s->m};
    if (!s->has_before || s->k == 0) {
        IG_TRY(ig_induce_run(s, x, z, drop, err));
        s->n_again[0] = s->n;
        s->n_again[1] = s->m;
    } else {
        IG_TRY(walk_once(s, x, z, drop, err));
        for (int side = 0; side < 2; side++)
            penalties(s, side);
        for (int side = 0; side < 2; side++) {
            const int o = 1 - side;
            s->n_again[side] = settle(
                &s->list[side], side == 0 ? s->forward : s->backward, size[side], s->penalty[o],
                largest_fall(s->before[o], s->penalty[o], size[o]), s->again[side]);
            IG_TRY(search_again(s, side, x, z, drop, err));
        }
    }
    for (int side = 0; side < 2; side++)
        memcpy(s->before[side], s->penalty[side], (size_t)size[side] * sizeof(float));
    s->has_before = true;
    return IG_ERR_OK;
}
