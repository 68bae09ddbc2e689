/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures how well the sentences of two languages can be separated, and the language of their
 * nearest neighbours: two measures of the report card of an encoder (`isoglot diagnose`), of every
 * model and edit; docs/measures.md.
 */
#include "analyse/language_subspace.h"
#include "analyse/moments.h"
#include "base/memory.h"
#include "measure/measure_list.h"
#include "measure/nearest/sentence_neighbours.h"

#include <string.h>

enum { LEAST = 10 }; /* sentences: a probe holds every tenth out */

/* ---- the measure `language` ---- */

/* Rounds of null-space projection until a probe is at chance, each of which takes one direction. */
static ig_code rank_of(double *out, const ig_vector_pair *v, ig_err *err)
{
    const int64_t n = v->n_gold, size = n * v->d;
    IG_OWNED float *u = NULL, *x = NULL;
    IG_OWNED int32_t *label = NULL;
    int k = 0;
    IG_TRY(ig_alloc(&x, 2 * size, sizeof *x, "vectors", err));
    IG_TRY(ig_alloc(&u, (int64_t)v->d * v->d, sizeof *u, "subspace", err));
    IG_TRY(ig_alloc(&label, 2 * n, sizeof *label, "languages", err));
    memcpy(x, v->x[0], (size_t)size * sizeof *x);
    memcpy(x + size, v->x[1], (size_t)size * sizeof *x);
    for (int64_t i = n; i < 2 * n; i++)
        label[i] = 1;
    const ig_probe_data data = {x, label, 2 * n, v->d, 2};
    IG_TRY(ig_subspace_inlp(u, &k, &data, &(ig_inlp){v->d, true, 0}, err));
    *out = k;
    return IG_ERR_OK;
}

static ig_code language(const ig_measure_out *out, const ig_vector_pair *v,
                        const ig_retrieval_with *with, ig_err *err)
{
    double probe, rank;
    const int64_t n[] = {v->n_gold, v->n_gold};
    const ig_language_vectors both = {v->x, n, 2, v->d};
    IG_SCOPED(ig_moments_free) ig_moments m = {0};
    if (v->n_gold < LEAST)
        return IG_ERR_OK;
    IG_TRY(ig_stop_check(with->stop, "language", err));
    IG_TRY(ig_moments_make(&m, &both, with->team, err));
    IG_TRY(ig_language_probe(&probe, &m, &both, with->team, err));
    IG_TRY(rank_of(&rank, v, err));
    IG_TRY(ig_measure_put(out, "probe", 0, probe, err));
    IG_TRY(ig_measure_put(out, "language_rank", 0, rank, err));
    IG_TRY(ig_measure_put(out, "constant", 0, ig_constant_share(&both), err));
    return ig_measure_put(out, "isotropy", 0, ig_isotropy(&m, &both), err);
}

#define SHARE                                                                                      \
    .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true, .share = true
#define NUMBER .kind = IG_STORE_TASK_LAYERED, .version = 1, .split = "dev", .pair = true

const ig_store_task ig_numbers_language[] = {
    {"probe", "probe", "accuracy of a linear probe that separates the two languages' sentences",
     SHARE},
    {"language_rank", "rank",
     "dimensions that null-space projection takes until a probe is at chance", NUMBER},
    {"constant", "constant", "part of the sentence vectors that is their language's mean", SHARE},
    {"isotropy", "isotropy",
     "participation ratio of the sentence vectors' variance, over the dimensions", SHARE},
    {0}};
const ig_measure_kind ig_measure_kind_language = {
    .sentence_means = language, .number = ig_numbers_language, .n_shown = 4};

/* ---- the measure `neighbours` ---- */

static ig_code neighbours(const ig_measure_out *out, const ig_vector_pair *v,
                          const ig_retrieval_with *with, ig_err *err)
{
    ig_neighbour_scores s;
    float *nearest[2] = {NULL, NULL};
    ig_code code = IG_ERR_OK;
    if (v->n_gold < 2)
        return IG_ERR_OK;
    for (int x = 0; x < 2 && code == IG_ERR_OK; x++) {
        code = ig_alloc(&nearest[x], v->n_gold, sizeof *nearest[x], "neighbours", err);
        IG_THEN(code, ig_nearest_own(nearest[x], v->x[x], v->n_gold, v->d, with, err));
    }
    const float *const own[] = {nearest[0], nearest[1]};
    IG_THEN(code, ig_neighbour_scores_run(&s, &(ig_sentence_rows){v->x, v->n_gold, v->d, own, NULL},
                                          with, err));
    IG_THEN(code, ig_measure_put(out, "own_nearest", 0, s.own, err));
    IG_THEN(code, ig_measure_put(out, "hubness", 0, s.hubness, err));
    IG_THEN(code, ig_measure_put(out, "rho_csls", 0, s.csls, err));
    IG_THEN(code, ig_measure_put(out, "rho_margin", 0, s.margin, err));
    IG_FREE(nearest[0], nearest[1]);
    return code;
}

const ig_store_task ig_numbers_neighbours[] = {
    {"own_nearest", "own", "share of sentences whose nearest other one is of their own language",
     SHARE},
    {"hubness", "hubness",
     "skewness of how often a sentence is among the 10 nearest of the other language's", NUMBER,
     .below_zero = true},
    {"rho_csls", "ρ CSLS", "sentence retrieval by CSLS, mean of P@1 both ways", IG_LAYER_SHARE},
    {"rho_margin", "ρ margin", "sentence retrieval by margin, mean of P@1 both ways",
     IG_LAYER_SHARE},
    {0}};
const ig_measure_kind ig_measure_kind_neighbours = {
    .sentences = neighbours, .number = ig_numbers_neighbours, .n_shown = 4};
