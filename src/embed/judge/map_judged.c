/* SPDX-License-Identifier: Apache-2.0
 *
 * First pairs, map, judgement: the steps in turn, and the time of each.
 */
#include "embed/judge/map_judged.h"

#include "base/log.h"
#include "base/memory.h"
#include "embed/judge/map_view.h"
#include "embed/map/map_seed.h"

void ig_judged_map_free(ig_judged_map *m)
{
    ig_map_pairs_free(&m->pairs);
    ig_map_result_free(&m->result);
    IG_FREE(m->mapped[0], m->mapped[1]);
}

static ig_code apply(ig_judged_map *m, const ig_map_spaces *s, ig_err *err)
{
    const ig_map_result *r = &m->result;
    for (int i = 0; i < 2; i++) {
        const int64_t n = i == 0 ? s->n_x : s->n_z;
        const ig_map_matrix by = {i == 0 ? r->a_x : r->a_z, r->d_out};
        IG_TRY(ig_alloc(&m->mapped[i], n * r->d_out, sizeof *m->mapped[i], "mapped vectors", err));
        IG_TRY(ig_map_apply(m->mapped[i], i == 0 ? s->x : s->z, n, by, ig_map_with(s), err));
    }
    return IG_ERR_OK;
}

/* Finds the mutual pairs of the first words in the mapped spaces. */
static ig_code pairs_of_map(ig_map_view *v, const ig_map_spaces *mapped, const ig_judged_options *o,
                            ig_err *err)
{
    const int64_t most = o->chance.most, n = mapped->n_x < most ? mapped->n_x : most,
                  m = mapped->n_z < most ? mapped->n_z : most, least = n < m ? n : m;
    IG_TRY(ig_map_view_new(v, mapped, n, m, o->map.k < least ? o->map.k : (int)least, err));
    return ig_map_view_induce(v, err);
}

/* Measures what chance reaches. Fewer pairs than dimensions leave an orthogonal map open: what they
 * lead to is seen from the words that their own map pairs. */
static ig_code measure_chance(ig_judged_map *m, const ig_map_spaces *s, const ig_map_spaces *mapped,
                              const ig_judged_options *o, ig_err *err)
{
    ig_chance_options chance = o->chance;
    ig_map_options learn = o->map;
    const ig_map_pairs *pairs = &m->result.pairs;
    IG_SCOPED(ig_map_view_free) ig_map_view v = {0};
    learn.patience = learn.patience < o->chance_patience ? learn.patience : o->chance_patience;
    chance.learn = o->map.learn ? &learn : NULL;
    if (!o->map.learn && pairs->n < s->d) {
        IG_TRY(pairs_of_map(&v, mapped, o, err));
        pairs = v.pairs.n > pairs->n ? &v.pairs : pairs;
    }
    return ig_map_chance_measure(&m->chance, s, pairs, &chance, err);
}

static ig_code judge(ig_judged_map *m, const ig_map_spaces *s, const ig_judged_options *o,
                     ig_err *err)
{
    ig_diagnose_options diagnose = o->diagnose;
    ig_map_spaces mapped = *s;
    mapped.x = m->mapped[0];
    mapped.z = m->mapped[1];
    mapped.d = m->result.d_out;
    if (o->chance.most > 0)
        IG_TRY(measure_chance(m, s, &mapped, o, err));
    diagnose.original = s;
    IG_TRY(ig_map_diagnose(&m->health, &mapped, &diagnose, err));
    m->degenerate = ig_map_verdict(m->verdict, &m->health, m->chance.n > 0 ? &m->chance : NULL);
    return IG_ERR_OK;
}

ig_code ig_judged_map_make(ig_judged_map *out, const ig_map_spaces *s, const ig_judged_options *o,
                           ig_err *err)
{
    *out = (ig_judged_map){0};
    const double start = ig_clock();
    IG_TRY(o->given != NULL
               ? ig_map_pairs_copy(&out->pairs, o->given, INT32_MAX, INT32_MAX, err)
               : ig_map_seed_similarity(&out->pairs, s, o->init_words, o->map.k, o->steps, err));
    const double paired = ig_clock();
    IG_TRY(ig_map_run(&out->result, s, &out->pairs, &o->map, err));
    IG_TRY(apply(out, s, err));
    const double mapped = ig_clock();
    if (o->judge)
        IG_TRY(judge(out, s, o, err));
    out->seconds[0] = paired - start;
    out->seconds[1] = mapped - paired;
    out->seconds[2] = ig_clock() - mapped;
    return IG_ERR_OK;
}

void ig_judged_map_take(ig_judged_map *m, int side, ig_vectors *v)
{
    ig_free(v->x);
    v->x = m->mapped[side];
    v->d = m->result.d_out;
    m->mapped[side] = NULL;
}
