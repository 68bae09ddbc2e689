/* SPDX-License-Identifier: Apache-2.0
 *
 * Tries the starts of a map in turn, until one is not degenerate. The order of AUTO and its figures
 * are explained in docs/mapping.md; none of the papers tries several starts.
 */
#include "embed/judge/map_ladder.h"

#include "embed/judge/map_view.h"
#include "base/log.h"
#include "base/memory.h"
#include "embed/map/map_seed.h"

#include <math.h>

const char *const ig_map_start_names[] = {"annealing", "random", "similarity", "auto", NULL};

/* Inputs that the steps of all attempts share. */
typedef struct {
    ig_ladder *out;
    const ig_map_spaces *s;
    const ig_ladder_options *o;
} ladder;

void ig_ladder_free(ig_ladder *l)
{
    ig_map_pairs_free(&l->pairs);
    ig_map_result_free(&l->result);
    ig_map_random_free(&l->random);
    for (int i = 0; i < 2; i++)
        ig_free(l->mapped[i]);
}

static int64_t anneal_words(const ig_ladder_options *o, int part)
{
    return o->anneal.words / part > 2 ? o->anneal.words / part : 2;
}

/* Annealing uses part of its words, and is as many times slower. */
static ig_code first_pairs(const ladder *l, ig_map_start start, int part, ig_err *err)
{
    const ig_ladder_options *o = l->o;
    ig_anneal_options anneal = o->anneal;
    if (start == IG_MAP_SIMILARITY)
        return ig_map_seed_similarity(&l->out->pairs, l->s, o->init_words, o->map.k, o->steps, err);
    anneal.words = anneal_words(o, part);
    anneal.factor = pow(o->anneal.factor, 1. / part);
    anneal.random = start == IG_MAP_RANDOM;
    return ig_map_seed_annealed(&l->out->pairs, l->s, &anneal, o->steps, err);
}

static ig_map_spaces mapped_spaces(const ladder *l)
{
    ig_map_spaces mapped = *l->s;
    mapped.x = l->out->mapped[0];
    mapped.z = l->out->mapped[1];
    mapped.d = l->out->result.d_out;
    return mapped;
}

/* Finds the mutual pairs of the first words in the mapped spaces. */
static ig_code pairs_of_map(ig_map_view *v, const ladder *l, ig_err *err)
{
    const ig_map_spaces mapped = mapped_spaces(l);
    const int64_t most = l->o->chance.most, n = mapped.n_x < most ? mapped.n_x : most,
                  m = mapped.n_z < most ? mapped.n_z : most, least = n < m ? n : m;
    IG_TRY(ig_map_view_new(v, &mapped, n, m, l->o->map.k < least ? l->o->map.k : (int)least, err));
    return ig_map_view_induce(v, err);
}

/* Measures the spaces before the map. */
static ig_code judge_spaces(const ladder *l, const ig_map_options *map, ig_err *err)
{
    const ig_map_pairs *pairs = &l->out->result.pairs;
    ig_map_view v = {0};
    const ig_ladder_options *o = l->o;
    ig_chance_options chance = o->chance;
    /* Random pairs reach furthest with dropout, so they have it even where the map's own pairs,
     * after annealing, do without. */
    ig_map_options learn = *map;
    learn.patience = learn.patience < o->chance_patience ? learn.patience : o->chance_patience;
    if (o->map.keep == 0)
        learn.keep = 0.1;
    chance.learn = map->learn ? &learn : NULL;
    if (o->isometry_words > 2 && l->out->isometry.n == 0)
        IG_TRY(ig_isometry_measure(&l->out->isometry, l->s, o->isometry_words, 10, err));
    if (chance.most == 0)
        return IG_ERR_OK;
    /* Fewer pairs than dimensions leave an orthogonal map open: what they lead to is seen from the
     * words that their own map pairs. */
    ig_code code = IG_ERR_OK;
    if (!map->learn && pairs->n < l->s->d) {
        code = pairs_of_map(&v, l, err);
        pairs = v.pairs.n > pairs->n ? &v.pairs : pairs;
    }
    IG_THEN(code,
            ig_map_chance_measure(&l->out->chance, &l->out->random, l->s, pairs, &chance, err));
    ig_map_view_free(&v);
    return code;
}

static ig_code judge_map(const ladder *l, ig_err *err)
{
    ig_ladder *out = l->out;
    const ig_map_spaces mapped = mapped_spaces(l);
    ig_diagnose_options diagnose = l->o->diagnose;
    diagnose.original = l->s;
    IG_TRY(ig_map_diagnose(&out->health, &mapped, &diagnose, err));
    out->degenerate =
        ig_map_verdict(out->verdict, &out->health, out->chance.n > 0 ? &out->chance : NULL);
    return IG_ERR_OK;
}

static ig_code apply(const ladder *l, ig_err *err)
{
    const ig_map_spaces *s = l->s;
    const ig_map_result *r = &l->out->result;
    for (int i = 0; i < 2; i++) {
        const int64_t n = i == 0 ? s->n_x : s->n_z;
        float **y = &l->out->mapped[i];
        IG_TRY(ig_alloc(y, n * r->d_out, sizeof **y, "mapped vectors", err));
        const ig_map_matrix by = {i == 0 ? r->a_x : r->a_z, r->d_out};
        IG_TRY(ig_map_apply(*y, i == 0 ? s->x : s->z, n, by, ig_map_with(s), err));
    }
    return IG_ERR_OK;
}

/* Resets the result of an attempt; what is known of the spaces stays. */
static void take_back(ig_ladder *out)
{
    for (int i = 0; i < 2; i++) {
        ig_free(out->mapped[i]);
        out->mapped[i] = NULL;
    }
    ig_map_result_free(&out->result);
    out->pairs.n = 0;
}

/* Makes one map from its first pairs (`pairs` or those of `start`) and judges it. */
static ig_code attempt(const ladder *l, ig_map_start start, const ig_map_pairs *pairs, int part,
                       bool judge, ig_err *err)
{
    const ig_ladder_options *o = l->o;
    ig_ladder *out = l->out;
    ig_map_options map = o->map;
    if (map.keep == 0)
        map.keep = o->given == NULL && start <= IG_MAP_RANDOM ? 1 : 0.1;
    double clock = ig_clock();
    IG_TRY(pairs != NULL ? ig_map_pairs_copy(&out->pairs, pairs, INT32_MAX, INT32_MAX, err)
                         : first_pairs(l, start, part, err));
    out->seconds[0] += ig_clock() - clock;
    clock = ig_clock();
    IG_TRY(ig_map_run(&out->result, l->s, &out->pairs, &map, err));
    out->seconds[1] += ig_clock() - clock;
    clock = ig_clock();
    IG_TRY(apply(l, err));
    if (judge) {
        IG_TRY(judge_spaces(l, &map, err));
        IG_TRY(judge_map(l, err));
    }
    out->seconds[2] += ig_clock() - clock;
    const int64_t n_round = out->result.n_round;
    if (o->given == NULL)
        out->tried[out->n_start++] = (ig_map_tried){
            .start = start,
            .words = start != IG_MAP_SIMILARITY ? anneal_words(o, part) : o->init_words,
            .n_round = n_round,
            .objective = n_round > 0 ? out->result.round[n_round - 1].objective : 0,
            .judged = judge,
            .degenerate = out->degenerate};
    return IG_ERR_OK;
}

ig_code ig_ladder_run(ig_ladder *out, const ig_map_spaces *s, const ig_ladder_options *o,
                      ig_err *err)
{
    const ladder l = {out, s, o};
    *out = (ig_ladder){0};
    if (o->given != NULL || o->start != IG_MAP_AUTO)
        return attempt(&l, o->start, o->given, 1, o->judge, err);
    IG_TRY(attempt(&l, IG_MAP_ANNEALING, NULL, 1, true, err));
    if (out->chance.n > 0 && out->chance.better >= 0) {
        const ig_map_pairs *found = &out->random.start[out->chance.better].pairs;
        take_back(out);
        IG_TRY(attempt(&l, IG_MAP_RANDOM, found, 1, true, err));
    }
    if (out->degenerate) {
        take_back(out);
        IG_TRY(attempt(&l, IG_MAP_ANNEALING, NULL, 2, true, err));
    }
    if (out->degenerate) {
        take_back(out);
        IG_TRY(attempt(&l, IG_MAP_SIMILARITY, NULL, 1, o->judge, err));
    }
    return IG_ERR_OK;
}

void ig_ladder_take(ig_ladder *l, int side, ig_vectors *v)
{
    ig_free(v->x);
    v->x = l->mapped[side];
    v->d = l->result.d_out;
    l->mapped[side] = NULL;
}
