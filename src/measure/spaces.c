/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures the similarity of two languages' spaces. Kornblith et al. 2019 for CKA
 * (analyse/similarity.h); Schönemann 1966 for the map, Zhang et al. 2019 for the normalisation
 * before it, as used by Conneau et al. 2020.
 */
#include "measure/spaces.h"

#include "analyse/similarities.h"
#include "base/memory.h"
#include "measure/measure_list.h"
#include "measure/nearest/space_map.h"

#include <string.h>

/* ---- maps ---- */

/* The pairs of a map, split into training and test pairs. */
typedef struct {
    ig_map_pairs learn;
    int32_t *test; /* [n_test, 2] */
    int64_t n_test;
} parted;

/* Pairs of every second row of x[0] that has any are training pairs, the others test pairs. */
static ig_code part_pairs(parted *p, const ig_vector_pair *v, ig_err *err)
{
    const int32_t *gold = v->gold;
    int64_t turn = -1;
    IG_TRY(ig_alloc(&p->test, 2 * v->n_gold, sizeof *p->test, "pairs", err));
    for (int64_t k = 0; k < v->n_gold; k++) {
        const int32_t i = gold != NULL ? gold[2 * k] : (int32_t)k,
                      j = gold != NULL ? gold[2 * k + 1] : (int32_t)k;
        turn += k == 0 || gold == NULL || i != gold[2 * k - 2];
        if (turn % 2 == 0) {
            IG_TRY(ig_map_pairs_add(&p->learn, i, j, err));
            continue;
        }
        p->test[2 * p->n_test] = i;
        p->test[2 * p->n_test + 1] = j;
        ++p->n_test;
    }
    return IG_ERR_OK;
}

ig_code ig_mapped_retrieval(ig_retrieval_score *out, const ig_vector_pair *v,
                            const ig_retrieval_with *with, ig_err *err)
{
    parted p = {0};
    float *own[2] = {NULL, NULL};
    IG_TRY(ig_stop_check(with->stop, "retrieval", err));
    ig_code code = part_pairs(&p, v, err);
    if (code == IG_ERR_OK && p.n_test == 0)
        *out = ig_retrieval_none();
    for (int x = 0; x < 2 && code == IG_ERR_OK && p.n_test > 0; x++) {
        code = ig_alloc(&own[x], v->n[x] * v->d, sizeof *own[x], "vectors", err);
        if (code == IG_ERR_OK)
            memcpy(own[x], v->x[x], (size_t)(v->n[x] * v->d) * sizeof *own[x]);
    }
    if (code == IG_ERR_OK && p.n_test > 0) {
        code = ig_rotate_first(own, v->n, v->d, &p.learn, with, err);
        const ig_vector_pair tested = {
            {own[0], own[1]}, {v->n[0], v->n[1]}, v->d, p.test, p.n_test};
        IG_THEN(code, ig_retrieval_run(out, &tested, with, err));
    }
    for (int x = 0; x < 2; x++)
        ig_free(own[x]);
    ig_map_pairs_free(&p.learn);
    ig_free(p.test);
    return code;
}

/* ---- the measure `spaces` ---- */

/* Linear CKA of the first v->n_gold rows of both sides, which belong together in their order: NaN
 * where a side does not vary or there are fewer than two rows. */
static ig_code cka(const ig_measure_out *out, const ig_vector_pair *v,
                   const ig_retrieval_with *with, ig_err *err)
{
    ig_similarity_room room = {0};
    const ig_similarity_with how = {with->ops, with->team, &room};
    ig_space x = {0}, y = {0};
    ig_cka got;
    if (v->n_gold < 2)
        return IG_ERR_OK;
    ig_code code = ig_space_new(&x, v->x[0], v->n_gold, v->d, &how, err);
    IG_THEN(code, ig_space_new(&y, v->x[1], v->n_gold, v->d, &how, err));
    IG_THEN(code, ig_similarity_cka(&got, &x, &y, &how, err));
    IG_THEN(code, ig_measure_put(out, "cka", 0, got.biased, err));
    ig_space_free(&x);
    ig_space_free(&y);
    ig_free(room.block);
    return code;
}

static ig_code put_mapped(const ig_measure_out *out, const char *measure, const ig_vector_pair *v,
                          const ig_retrieval_with *with, ig_err *err)
{
    ig_retrieval_score s;
    IG_TRY(ig_mapped_retrieval(&s, v, with, err));
    return ig_measure_put(out, measure, s.way[0].n_candidate, s.mean, err);
}

static ig_code mapped_sentences(const ig_measure_out *out, const ig_vector_pair *v,
                                const ig_retrieval_with *with, ig_err *err)
{
    return put_mapped(out, "rho_mapped", v, with, err);
}

static ig_code mapped_words(const ig_measure_out *out, const ig_vector_pair *v,
                            const ig_retrieval_with *with, ig_err *err)
{
    return put_mapped(out, "tau_mapped", v, with, err);
}

const ig_store_task ig_numbers_spaces[] = {
    {"cka", "CKA", "linear CKA of the two languages' sentence vectors", IG_LAYER_SHARE},
    {"rho_mapped", "ρ mapped", "sentence retrieval after an orthogonal map, mean of P@1 both ways",
     IG_LAYER_SHARE},
    {"tau_mapped", "τ mapped", "word translation after an orthogonal map, mean of P@1 both ways",
     IG_LAYER_SHARE, .version_listed = 2},
    {0}};
const ig_measure_kind ig_measure_kind_spaces = {.sentence_means = cka,
                                                .sentences = mapped_sentences,
                                                .words = mapped_words,
                                                .number = ig_numbers_spaces,
                                                .n_shown = 3};

/* ---- the measure `similarity`: numbers besides linear CKA ---- */

static ig_code between(double *out, const ig_vector_pair *v, const ig_similarity_with *with,
                       ig_err *err)
{
    ig_space side[2] = {{0}, {0}};
    ig_code code = IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        code = ig_space_new(&side[x], v->x[x], v->n_gold, v->d, with, err);
        IG_THEN(code, ig_space_axes(&side[x], with, err));
    }
    IG_THEN(code, ig_similarities(out, &side[0], &side[1], with, err));
    ig_space_free(&side[0]);
    ig_space_free(&side[1]);
    return code;
}

static ig_code similarity(const ig_measure_out *out, const ig_vector_pair *v,
                          const ig_retrieval_with *with, ig_err *err)
{
    const ig_similarity_with how = {.ops = with->ops, .team = with->team};
    double all[IG_SIMILARITY_N];
    if (v->n_gold < 2)
        return IG_ERR_OK;
    IG_TRY(ig_stop_check(with->stop, "similarity", err));
    IG_TRY(between(all, v, &how, err));
    for (int i = 1; i < IG_SIMILARITY_N; i++) /* but CKA */
        IG_TRY(ig_measure_put(out, ig_numbers_similarity[i - 1].name, 0, all[i], err));
    return IG_ERR_OK;
}

#define NUMBER(id, key, title, says, below)                                                        \
    {#key, title, says, IG_LAYER_SHARE, .below_zero = below},
const ig_store_task ig_numbers_similarity[] = {IG_SIMILARITIES_BUT_CKA(NUMBER){0}};
const ig_measure_kind ig_measure_kind_similarity = {
    .sentence_means = similarity, .number = ig_numbers_similarity, .n_shown = 6};
