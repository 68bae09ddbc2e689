/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one induction on copies of the rows; samples are drawn from the seed again each time.
 */
#include "embed/judge/map_view.h"

#include "base/memory.h"
#include "base/numeric/statistics.h"
#include "base/numeric/sums.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 20000, DRAW_SAMPLES = 0x40000001 };

void ig_map_view_free(ig_map_view *v)
{
    ig_induce_free(&v->induce);
    ig_map_pairs_free(&v->pairs);
    ig_free(v->rows);
}

ig_code ig_map_view_new(ig_map_view *v, const ig_map_spaces *s, int64_t n, int64_t m, int k,
                        ig_err *err)
{
    *v = (ig_map_view){.s = *s};
    IG_TRY(ig_alloc(&v->rows, (n + m) * s->d, sizeof *v->rows, "vectors", err));
    memcpy(v->rows, s->x, (size_t)(n * s->d) * sizeof *v->rows);
    memcpy(v->rows + n * s->d, s->z, (size_t)(m * s->d) * sizeof *v->rows);
    v->s.x = v->rows;
    v->s.z = v->rows + n * s->d;
    v->s.n_x = n;
    v->s.n_z = m;
    IG_TRY(ig_unit_rows(v->rows, n, s->d, "mapped source", err));
    IG_TRY(ig_unit_rows(v->rows + n * s->d, m, s->d, "mapped target", err));
    return ig_induce_new(&v->induce, n, m, k, ig_map_with(s), err);
}

ig_code ig_map_view_induce(ig_map_view *v, ig_err *err)
{
    IG_TRY(ig_induce_run(&v->induce, v->s.x, v->s.z, NULL, err));
    for (int32_t i = 0; i < v->s.n_x; i++) {
        int32_t j = v->induce.forward[i];
        if (j >= 0 && v->induce.backward[j] == i)
            IG_TRY(ig_map_pairs_add(&v->pairs, i, j, err));
    }
    return IG_ERR_OK;
}

static double cosine(const float *x, int32_t a, int32_t b, int d)
{
    return ig_dot_floats(x + (int64_t)a * d, x + (int64_t)b * d, d);
}

ig_code ig_map_view_relational(double *out, const ig_map_view *v, uint64_t seed, ig_err *err)
{
    const ig_map_pairs *p = &v->pairs;
    ig_rng r = ig_rng_make(seed, IG_STREAM_MAP, DRAW_SAMPLES, 0);
    IG_OWNED double *value = NULL;
    *out = (double)NAN;
    if (p->n < 3)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&value, 2 * SAMPLES, sizeof *value, "cosines", err));
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t a = ig_rng_below(&r, (uint32_t)p->n), b = ig_rng_below(&r, (uint32_t)p->n - 1);
        b += b >= a;
        value[i] = cosine(v->s.x, p->source[a], p->source[b], v->s.d);
        value[SAMPLES + i] = cosine(v->s.z, p->target[a], p->target[b], v->s.d);
    }
    *out = ig_pearson(value, value + SAMPLES, SAMPLES);
    return IG_ERR_OK;
}
