/* SPDX-License-Identifier: Apache-2.0
 *
 * √(X Xᵀ) = U S Uᵀ of X = U S Vᵀ is X (XᵀX)^-½ Xᵀ: a product of n × d matrices, no decomposition of
 * n × n is made.
 */
#include "embed/map/map_seed.h"

#include "base/memory.h"
#include "embed/induce/map_induce.h"

#include <stdlib.h>
#include <string.h>

ig_code ig_map_seed_identical(ig_map_pairs *p, const ig_lexicon *source, const ig_lexicon *target,
                              ig_err *err)
{
    for (int32_t i = 0; i < source->n; i++) {
        int32_t j = ig_lexicon_find(target, ig_lexicon_get(source, i), ig_lexicon_size(source, i));
        if (j >= 0)
            IG_TRY(ig_map_pairs_add(p, i, j, err));
    }
    return IG_ERR_OK;
}

ig_code ig_map_seed_numerals(ig_map_pairs *p, const ig_lexicon *source, const ig_lexicon *target,
                             ig_err *err)
{
    for (int32_t i = 0; i < source->n; i++) {
        const char *word = ig_lexicon_get(source, i);
        const int64_t n = ig_lexicon_size(source, i);
        int32_t j =
            (int64_t)strspn(word, "0123456789") == n ? ig_lexicon_find(target, word, n) : -1;
        if (j >= 0)
            IG_TRY(ig_map_pairs_add(p, i, j, err));
    }
    return IG_ERR_OK;
}

typedef struct {
    float *out; /* [n, n] */
    int64_t n;
} similarities;

static int falling(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static void sort_task(void *arg, int64_t row, int i_thread)
{
    const similarities *s = arg;
    (void)i_thread;
    qsort(s->out + row * s->n, (size_t)s->n, sizeof *s->out, falling);
}

/* out[n, n]: the sorted rows of X (XᵀX)^-½ Xᵀ. */
static ig_code sorted_similarity(float *out, const float *x, int64_t n, const ig_map_spaces *s,
                                 ig_err *err)
{
    const int d = s->d;
    const ig_retrieve_side side = {x, NULL, n};
    IG_OWNED double *gram = NULL;
    int rank = n < d ? (int)n : d;
    IG_OWNED float *left = NULL;
    IG_TRY(ig_alloc(&gram, 2 * (int64_t)d * d, sizeof *gram, "products", err));
    IG_TRY(ig_alloc(&left, n * d, sizeof *left, "vectors", err));
    IG_TRY(ig_map_cross(gram, side, side, ig_map_with(s), err));
    IG_TRY(ig_map_power(gram + (int64_t)d * d, gram, -0.5, d, &rank, err));
    IG_TRY(
        ig_map_apply(left, x, n, (ig_map_matrix){gram + (int64_t)d * d, d}, ig_map_with(s), err));
    IG_TRY(
        ig_retrieve_products(out, &(ig_retrieve_side){left, NULL, n}, &side, ig_map_with(s), err));
    ig_team_for(s->team, n, sort_task, &(similarities){out, n});
    return IG_ERR_OK;
}

/* The best of each row of x among those of z by CSLS with k neighbours, and of each row of z. */
static ig_code add_best(ig_map_pairs *p, const float *x, const float *z, int64_t n, int k,
                        const ig_map_spaces *s, ig_err *err)
{
    IG_SCOPED(ig_induce_free) ig_induce best = {0};
    IG_TRY(ig_induce_new(&best, n, n, k, (ig_vector_work){(int)n, s->ops, s->team}, err));
    IG_TRY(ig_induce_run(&best, x, z, NULL, err));
    for (int32_t i = 0; i < n; i++)
        IG_TRY(ig_map_pairs_add(p, i, best.forward[i], err));
    for (int32_t j = 0; j < n; j++)
        IG_TRY(ig_map_pairs_add(p, best.backward[j], j, err));
    return IG_ERR_OK;
}

ig_code ig_map_seed_similarity(ig_map_pairs *p, const ig_map_spaces *s, int64_t n, int k,
                               const ig_steps *steps, ig_err *err)
{
    IG_OWNED float *x = NULL;
    n = s->n_x < n ? s->n_x : n;
    n = s->n_z < n ? s->n_z : n;
    IG_TRY(ig_alloc(&x, 2 * n * n, sizeof *x, "similarities", err));
    float *z = x + n * n;
    IG_TRY(sorted_similarity(x, s->x, n, s, err));
    IG_TRY(sorted_similarity(z, s->z, n, s, err));
    IG_TRY(ig_steps_apply(steps, (ig_map_side){x, n, (int)n}, NULL, s->team, err));
    IG_TRY(ig_steps_apply(steps, (ig_map_side){z, n, (int)n}, NULL, s->team, err));
    return add_best(p, x, z, n, k, s, err);
}
