/* SPDX-License-Identifier: Apache-2.0
 *
 * Learns maps of the first words from nothing, each from another random start. A map must be better
 * than the best of these.
 */
#include "embed/judge/map_chance.h"

#include "base/memory.h"
#include "base/rng.h"
#include "embed/judge/map_view.h"

#include <math.h>
#include <string.h>

enum {
    MANY_PRODUCTS = 500000000, /* above this, fewer starts have to do */
    DRAW_CHANCE = 0x40000002
};

/* Refines the pairs; gives the objective and the figure of the mutual pairs reached, which v holds
 * with what was induced. */
static ig_code end_of(double *objective, double *relation, ig_map_view *v,
                      const ig_map_pairs *pairs, const ig_map_options *o, ig_err *err)
{
    ig_map_result map = {0};
    float *x = NULL;
    const float *before = v->s.x;
    ig_code code = ig_map_run(&map, &v->s, pairs, o, err);
    IG_THEN(code, ig_alloc(&x, v->s.n_x * v->s.d, sizeof *x, "mapped vectors", err));
    IG_THEN(code, ig_map_apply(x, v->s.x, v->s.n_x, (ig_map_matrix){map.a_x, v->s.d},
                               ig_map_with(&v->s), err));
    if (code == IG_ERR_OK) {
        v->s.x = x;
        v->pairs.n = 0;
        code = ig_map_view_induce(v, err);
        *objective = (v->induce.objective[0] + v->induce.objective[1]) / 2;
    }
    IG_THEN(code, ig_map_view_relational(relation, v, o->seed, err));
    v->s.x = before;
    ig_map_result_free(&map);
    ig_free(x);
    return code;
}

static ig_code random_pairs(ig_map_pairs *p, int64_t n, uint64_t seed, uint32_t start, ig_err *err)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_MAP, DRAW_CHANCE, start);
    IG_OWNED int32_t *order = NULL;
    IG_TRY(ig_alloc(&order, n, sizeof *order, "pairs", err));
    ig_rng_permutation(&r, order, (int32_t)n);
    for (int32_t i = 0; i < n; i++)
        IG_TRY(ig_map_pairs_add(p, i, order[i], err));
    return IG_ERR_OK;
}

/* (tr C)² / tr C² of the covariance C of the first n rows. */
static ig_code directions(double *out, const float *x, int64_t n, const ig_map_spaces *s,
                          ig_err *err)
{
    const int d = s->d;
    double *gram = NULL, trace = 0, square = 0;
    IG_TRY(ig_alloc(&gram, (int64_t)d * (d + 1), sizeof *gram, "products", err));
    double *mean = gram + (int64_t)d * d;
    const ig_retrieve_side rows = {x, NULL, n};
    ig_code code = ig_map_cross(gram, rows, rows, ig_map_with(s), err);
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < d; c++)
            mean[c] += (double)x[i * d + c];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            const double v = gram[(int64_t)i * d + j] - mean[i] * mean[j] / (double)n;
            trace += i == j ? v : 0;
            square += v * v;
        }
    *out = square > 0 ? trace * trace / square : 0;
    ig_free(gram);
    return code;
}

/* Share of the pairs that are among the answers. */
static double share_of(const ig_map_pairs *p, const int32_t *forward)
{
    int64_t same = 0;
    for (int64_t i = 0; i < p->n; i++)
        same += forward[p->source[i]] == p->target[i];
    return p->n > 0 ? (double)same / (double)p->n : 0;
}

/* Learns a map from each of some random permutations, and keeps the best that is not the map again:
 * a start that reached its pairs is no chance result. forward[n]: the map's answers. */
static ig_code learn_random(ig_map_chance *out, ig_map_view *v, const ig_map_options *o,
                            const int32_t *forward, ig_err *err)
{
    const int64_t n = v->s.n_x, m = v->s.n_z;
    out->starts = n * m * v->s.d >= MANY_PRODUCTS ? 1 : 3;
    for (int i = 0; i < out->starts; i++) {
        ig_map_pairs first = {0};
        double objective = 0, relational = 0;
        ig_code code = random_pairs(&first, n < m ? n : m, o->seed, (uint32_t)i, err);
        IG_THEN(code, end_of(&objective, &relational, v, &first, o, err));
        ig_map_pairs_free(&first);
        IG_TRY(code);
        const double agree = share_of(&v->pairs, forward);
        const bool same = agree >= IG_CHANCE_AGREE;
        out->agree = fmax(out->agree, agree);
        out->same += same;
        if (!same && !(objective <= out->objective[1])) {
            out->objective[1] = objective;
            out->relational[1] = relational;
        }
    }
    return IG_ERR_OK;
}

ig_code ig_map_chance_measure(ig_map_chance *out, const ig_map_spaces *original,
                              const ig_map_pairs *pairs, const ig_chance_options *c, ig_err *err)
{
    const int64_t n = original->n_x < c->most ? original->n_x : c->most,
                  m = original->n_z < c->most ? original->n_z : c->most, least = n < m ? n : m;
    ig_map_options o = {.method = IG_MAP_ORTHOGONAL,
                        .k = c->k < least ? c->k : (int)least,
                        .refine = IG_CHANCE_REFINE,
                        .refine_direction = IG_MAP_UNION,
                        .seed = c->seed};
    ig_map_options r = o;
    IG_SCOPED(ig_map_view_free) ig_map_view v = {0};
    IG_SCOPED(ig_map_pairs_free) ig_map_pairs own = {0};
    IG_OWNED int32_t *forward = NULL;
    *out = (ig_map_chance){.n = n, .m = m, .d = original->d};
    out->objective[1] = out->relational[1] = (double)NAN;
    if (c->learn != NULL) {
        r.learn = true;
        r.direction = IG_MAP_UNION;
        r.keep = c->learn->keep;
        r.keep_factor = c->learn->keep_factor;
        r.patience = c->learn->patience;
        r.threshold = c->learn->threshold;
        r.max_round = c->learn->max_round;
    }
    IG_TRY(ig_map_view_new(&v, original, n, m, o.k, err));
    IG_TRY(ig_alloc(&forward, n, sizeof *forward, "pairs", err));
    IG_TRY(directions(&out->directions[0], original->x, n, original, err));
    IG_TRY(directions(&out->directions[1], original->z, m, original, err));
    IG_TRY(ig_map_pairs_copy(&own, pairs, n, m, err));
    if (own.n == 0) {
        *out = (ig_map_chance){0};
        return IG_ERR_OK;
    }
    IG_TRY(end_of(&out->objective[0], &out->relational[0], &v, &own, &o, err));
    memcpy(forward, v.induce.forward, (size_t)n * sizeof *forward);
    return learn_random(out, &v, &r, forward, err);
}
