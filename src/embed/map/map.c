/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of self-learning and what comes before and after it.
 */
#include "embed/map/map.h"

#include "base/log.h"
#include "base/memory.h"
#include "embed/induce/map_induce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const ig_map_method_names[] = {"vecmap", "procrustes", NULL};
const char *const ig_map_direction_names[] = {"union", "forward", "backward", "mutual", NULL};

void ig_map_result_free(ig_map_result *r)
{
    IG_FREE(r->a_x, r->a_z, r->singular, r->round);
    ig_map_pairs_free(&r->pairs);
    *r = (ig_map_result){0};
}

typedef struct {
    ig_map_result *r;
    const ig_map_spaces *s;
    const ig_map_options *o;
    int64_t n, m; /* words below the cut-off */
    ig_induce induce;
    double *w; /* [d, d] */
    float *x;  /* [n, d] x W */
} learner;

static ig_code learner_new(learner *l, ig_err *err)
{
    const int64_t cut = l->o->cutoff > 0 ? l->o->cutoff : INT64_MAX;
    l->n = l->s->n_x < cut ? l->s->n_x : cut;
    l->m = l->s->n_z < cut ? l->s->n_z : cut;
    IG_TRY(ig_alloc(&l->w, (int64_t)l->s->d * l->s->d, sizeof *l->w, "map", err));
    IG_TRY(ig_alloc(&l->x, l->n * l->s->d, sizeof *l->x, "mapped vectors", err));
    return ig_induce_new(&l->induce, l->n, l->m, l->o->k, ig_map_with(l->s), err);
}

static void learner_free(learner *l)
{
    ig_induce_free(&l->induce);
    IG_FREE(l->w, l->x);
}

/* Replaces the pairs by the induced ones, unless dropout kept none. */
static ig_code take_pairs(learner *l, ig_map_direction direction, ig_err *err)
{
    const ig_induce *d = &l->induce;
    ig_map_pairs *p = &l->r->pairs;
    const int64_t before = p->n;
    p->n = 0;
    for (int32_t i = 0; i < l->n && direction != IG_MAP_BACKWARD; i++) {
        int32_t j = d->forward[i];
        if (j >= 0 && (direction != IG_MAP_MUTUAL || d->backward[j] == i))
            IG_TRY(ig_map_pairs_add(p, i, j, err));
    }
    for (int32_t j = 0; j < l->m && (direction == IG_MAP_BACKWARD || direction == IG_MAP_UNION);
         j++)
        if (d->backward[j] >= 0)
            IG_TRY(ig_map_pairs_add(p, d->backward[j], j, err));
    if (p->n == 0)
        p->n = before;
    return IG_ERR_OK;
}

static ig_code note(learner *l, double objective, double keep, ig_err *err)
{
    ig_map_result *r = l->r;
    char text[64];
    IG_TRY(ig_grow(&r->round, &r->have_round, r->n_round + 1, sizeof *r->round, "rounds", err));
    r->round[r->n_round++] = (ig_map_round){objective, keep, r->pairs.n};
    snprintf(text, sizeof text, "objective %.4f  keep %.2f", objective, keep);
    ig_progress(r->n_round, text);
    return IG_ERR_OK;
}

/* An orthogonal map from the pairs, then pairs from the map. */
static ig_code one_round(learner *l, double keep, ig_map_direction direction, double *objective,
                         ig_err *err)
{
    const ig_map_spaces *s = l->s;
    IG_TRY(ig_map_procrustes(l->w, s, &l->r->pairs, err));
    const ig_retrieve_dropout drop = {.keep = keep,
                                      .key = ig_rng_key_make(l->o->seed, IG_STREAM_MAP),
                                      .round = (uint32_t)l->r->n_round};
    IG_TRY(ig_map_apply(l->x, s->x, l->n, (ig_map_matrix){l->w, s->d}, ig_map_with(s), err));
    IG_TRY(ig_induce_next(&l->induce, l->x, s->z, &drop, err));
    if (direction == IG_MAP_FORWARD)
        *objective = l->induce.objective[0];
    else if (direction == IG_MAP_BACKWARD)
        *objective = l->induce.objective[1];
    else
        *objective = (l->induce.objective[0] + l->induce.objective[1]) / 2;
    if (!isfinite(*objective))
        return ig_fail(err, IG_ERR_NUMERIC, "mapping", 0,
                       "the objective is not finite in round %lld", (long long)l->r->n_round + 1);
    return take_pairs(l, direction, err);
}

/* Returns whether all words have the same vector: then no pair is better than another, and the
 * search for the nearest would not end. */
static bool all_alike(const float *x, int64_t n, int d)
{
    for (int64_t i = 1; i < n; i++)
        for (int c = 0; c < d; c++)
            if (x[i * d + c] != x[c])
                return false;
    return true;
}

static ig_code self_learning(learner *l, ig_err *err)
{
    const ig_map_options *o = l->o;
    double keep = o->keep, best = -100, objective;
    int64_t last = 0;
    for (int64_t round = 1; o->max_round == 0 || round <= o->max_round; round++) {
        if (round - last > o->patience) {
            if (keep >= 1) {
                l->r->converged = true;
                return IG_ERR_OK;
            }
            keep = fmin(1, keep * o->keep_factor);
            last = round;
        }
        IG_TRY(one_round(l, keep, o->direction, &objective, err));
        if (objective - best >= o->threshold) {
            last = round;
            best = objective;
        }
        IG_TRY(note(l, objective, keep, err));
    }
    return IG_ERR_OK;
}

static ig_code refine(learner *l, ig_err *err)
{
    double objective;
    for (int64_t round = 0; round < l->o->refine; round++) {
        IG_TRY(one_round(l, 1, l->o->refine_direction, &objective, err));
        IG_TRY(note(l, objective, 1, err));
    }
    return IG_ERR_OK;
}

static void identity(double *a, int d)
{
    memset(a, 0, (size_t)d * (size_t)d * sizeof *a);
    for (int i = 0; i < d; i++)
        a[(int64_t)i * d + i] = 1;
}

static ig_code last_map(learner *l, ig_err *err)
{
    ig_map_result *r = l->r;
    const ig_map_options *o = l->o;
    const int d = l->s->d;
    if (o->method == IG_MAP_MULTI_STEP)
        return ig_map_multi_step(&(ig_multi_step){r->a_x, r->a_z, &r->d_out, r->singular}, l->s,
                                 &r->pairs, &o->steps, err);
    r->d_out = d;
    identity(r->a_z, d);
    return ig_map_procrustes(r->a_x, l->s, &r->pairs, err);
}

ig_code ig_map_run(ig_map_result *out, const ig_map_spaces *s, const ig_map_pairs *seed,
                   const ig_map_options *o, ig_err *err)
{
    const int64_t square = (int64_t)s->d * s->d;
    learner l = {.r = out, .s = s, .o = o};
    *out = (ig_map_result){.d = s->d, .converged = !o->learn};
    if (seed->n < 1)
        return ig_fail(err, IG_ERR_INPUT, "mapping", 0,
                       "found no pair of words to start from, expected at least one");
    ig_code code = ig_alloc(&out->a_x, square, sizeof *out->a_x, "map", err);
    IG_THEN(code, ig_alloc(&out->a_z, square, sizeof *out->a_z, "map", err));
    IG_THEN(code, ig_alloc(&out->singular, s->d, sizeof *out->singular, "map", err));
    IG_THEN(code, ig_map_pairs_copy(&out->pairs, seed, s->n_x, s->n_z, err));
    if (code == IG_ERR_OK && (o->learn || o->refine > 0))
        code = learner_new(&l, err);
    const bool nothing = (s->n_x > 1 && all_alike(s->x, s->n_x, s->d)) ||
                         (s->n_z > 1 && all_alike(s->z, s->n_z, s->d));
    out->converged = out->converged || nothing;
    ig_progress_begin("mapping", o->learn ? 0 : o->refine);
    if (code == IG_ERR_OK && o->learn && !nothing)
        code = self_learning(&l, err);
    if (code == IG_ERR_OK && !nothing)
        code = refine(&l, err);
    IG_THEN(code, last_map(&l, err));
    ig_progress_end();
    learner_free(&l);
    return code;
}
