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
    int32_t *order = NULL;
    ig_code code = ig_alloc(&order, n, sizeof *order, "pairs", err);
    if (code == IG_ERR_OK)
        ig_rng_permutation(&r, order, (int32_t)n);
    for (int32_t i = 0; i < n && code == IG_ERR_OK; i++)
        code = ig_map_pairs_add(p, i, order[i], err);
    ig_free(order);
    return code;
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

void ig_map_random_free(ig_map_random *r)
{
    for (int i = 0; i < IG_CHANCE_STARTS; i++)
        ig_map_pairs_free(&r->start[i].pairs);
    *r = (ig_map_random){0};
}

/* Learns one start: annealing of random soft pairs, or random pairs. */
static ig_code learn_one(ig_map_random_start *out, ig_map_view *v, const ig_map_options *o,
                         const ig_anneal_options *anneal, int start, ig_err *err)
{
    const int64_t n = v->s.n_x, m = v->s.n_z;
    ig_map_pairs first = {0};
    ig_map_options learn = *o;
    ig_code code;
    if (anneal == NULL)
        code = random_pairs(&first, n < m ? n : m, o->seed, (uint32_t)start, err);
    else {
        ig_anneal_options a = *anneal;
        a.random = true;
        a.seed = o->seed;
        a.draw = (uint32_t)start;
        learn.keep = 1;
        code = ig_map_seed_annealed(&first, &v->s, &a, NULL, err);
    }
    IG_THEN(code, end_of(&out->objective, &out->relational, v, &first, &learn, err));
    IG_THEN(code, ig_map_pairs_copy(&out->pairs, &v->pairs, n, m, err));
    ig_map_pairs_free(&first);
    return code;
}

/* Learns all starts. Without annealing all are random pairs; with it one is. */
static ig_code learn_random(ig_map_random *out, ig_map_view *v, const ig_map_options *o,
                            const ig_anneal_options *anneal, ig_err *err)
{
    const bool many = v->s.n_x * v->s.n_z * v->s.d >= MANY_PRODUCTS;
    const int starts = anneal == NULL ? (many ? 1 : 3) : many ? 3 : IG_CHANCE_STARTS;
    for (int i = 0; i < starts; i++)
        IG_TRY(learn_one(&out->start[i], v, o, i == 0 ? NULL : anneal, i, err));
    out->starts = starts;
    return IG_ERR_OK;
}

/* Share of the pairs that are among the answers. */
static double share_of(const ig_map_pairs *p, const int32_t *forward)
{
    int64_t same = 0;
    for (int64_t i = 0; i < p->n; i++)
        same += forward[p->source[i]] == p->target[i];
    return p->n > 0 ? (double)same / (double)p->n : 0;
}

/* Whether another start leads to the same map. answer[n]: room. */
static bool found_again(const ig_map_random *random, int start, int32_t *answer, int64_t n)
{
    for (int i = 0; i < random->starts; i++) {
        const ig_map_pairs *p = &random->start[i].pairs;
        if (i == start)
            continue;
        for (int64_t w = 0; w < n; w++)
            answer[w] = -1;
        for (int64_t w = 0; w < p->n; w++)
            answer[p->source[w]] = p->target[w];
        if (share_of(&random->start[start].pairs, answer) >= IG_CHANCE_AGREE)
            return true;
    }
    return false;
}

/* Counts the starts that agree with the map; one that reached the map's pairs is no chance result,
 * as it found the same map again. forward[n]: the map's answers; answer[n]: a buffer. */
static void compare(ig_map_chance *out, const ig_map_random *random, const int32_t *forward,
                    int32_t *answer)
{
    double most = 1 - 0.99 * (1 - out->objective[0]);
    out->starts = random->starts;
    out->objective[1] = out->relational[1] = (double)NAN;
    for (int i = 0; i < random->starts; i++) {
        const ig_map_random_start *r = &random->start[i];
        const double agree = share_of(&r->pairs, forward);
        const bool same = agree >= IG_CHANCE_AGREE;
        out->agree = fmax(out->agree, agree);
        out->same += same;
        if (!same && !(r->objective <= out->objective[1])) {
            out->objective[1] = r->objective;
            out->relational[1] = r->relational;
        }
        if (r->objective > most && (same || found_again(random, i, answer, out->n))) {
            most = r->objective;
            out->better = i;
        }
    }
}

ig_code ig_map_chance_measure(ig_map_chance *out, ig_map_random *random,
                              const ig_map_spaces *original, const ig_map_pairs *pairs,
                              const ig_chance_options *c, ig_err *err)
{
    const int64_t n = original->n_x < c->most ? original->n_x : c->most,
                  m = original->n_z < c->most ? original->n_z : c->most, least = n < m ? n : m;
    ig_map_options o = {.method = IG_MAP_ORTHOGONAL,
                        .k = c->k < least ? c->k : (int)least,
                        .refine = IG_CHANCE_REFINE,
                        .refine_direction = IG_MAP_UNION,
                        .seed = c->seed};
    ig_map_view v = {0};
    ig_map_pairs own = {0};
    int32_t *answer = NULL;
    *out = (ig_map_chance){.n = n, .m = m, .d = original->d, .better = -1};
    ig_code code = ig_map_view_new(&v, original, n, m, o.k, err);
    IG_THEN(code, ig_alloc(&answer, n, sizeof *answer, "pairs", err));
    IG_THEN(code, directions(&out->directions[0], original->x, n, original, err));
    IG_THEN(code, directions(&out->directions[1], original->z, m, original, err));
    IG_THEN(code, ig_map_pairs_copy(&own, pairs, n, m, err));
    if (code == IG_ERR_OK && own.n == 0) { /* nothing to compare */
        *out = (ig_map_chance){.better = -1};
        goto done;
    }
    if (code == IG_ERR_OK && random->starts == 0) {
        ig_map_options r = o;
        if (c->learn != NULL) {
            r.learn = true;
            r.direction = IG_MAP_UNION;
            r.keep = c->learn->keep;
            r.keep_factor = c->learn->keep_factor;
            r.patience = c->learn->patience;
            r.threshold = c->learn->threshold;
            r.max_round = c->learn->max_round;
        }
        code = learn_random(random, &v, &r, c->anneal, err);
    }
    IG_THEN(code, end_of(&out->objective[0], &out->relational[0], &v, &own, &o, err));
    if (code == IG_ERR_OK)
        compare(out, random, v.induce.forward, answer);
done:
    ig_map_view_free(&v);
    ig_map_pairs_free(&own);
    ig_free(answer);
    return code;
}
