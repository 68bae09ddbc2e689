/* SPDX-License-Identifier: Apache-2.0
 *
 * Rotates one space of states onto another. The means are those of all rows, as the program of
 * Zhang et al. has them of the whole vocabulary: they need no translation pairs.
 */
#include "measure/nearest/space_map.h"

#include "base/memory.h"
#include "base/numeric/sums.h"
#include "base/numeric/unit_rows.h"
#include "embed/map/map_normalise.h"
#include "embed/map/map_polar.h"

#include <math.h>
#include <string.h>

static void take_rows(float *to, const float *from, int64_t n, const ig_space_pair *p)
{
    const int64_t step = p->step > 0 ? p->step : 1;
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * p->d, from + i * step * p->d, (size_t)p->d * sizeof *to);
}

/* x[n_learn + n_judge, d]. */
static ig_code normalised(float **x, const ig_space_pair *p, int side, ig_team *team, ig_err *err)
{
    static const ig_steps steps = {.n = 1, .step = {IG_STEP_ITERATIVE}};
    const int64_t learn = p->n_learn * p->d, judge = p->n_judge * p->d;
    IG_TRY(ig_alloc(x, learn + judge, sizeof **x, "states", err));
    take_rows(*x, p->learn[side], p->n_learn, p);
    take_rows(*x + learn, p->judge[side], p->n_judge, p);
    return ig_steps_apply(&steps, (ig_map_side){*x, p->n_learn + p->n_judge, p->d}, NULL, team,
                          err);
}

/* ‖C‖² is the sum of the squared singular values. */
static void add_ridge(double *c, int d, double ridge)
{
    const double square = ig_dot(c, c, (int64_t)d * d);
    for (int64_t i = 0; i < d; i++)
        c[i * d + i] += ridge * sqrt(square / d);
}

/* Rotates the test rows of x[0] by a map learned from the training rows. */
static ig_code rotate(float *out, float *const x[2], const ig_space_pair *p,
                      const ig_retrieval_with *with, ig_err *err)
{
    const int d = p->d;
    IG_OWNED double *cross = NULL;
    IG_TRY(ig_alloc(&cross, 2 * (int64_t)d * d, sizeof *cross, "rotation", err));
    double *w = cross + (int64_t)d * d;
    const ig_vector_work by = {d, with->ops, with->team};
    IG_TRY(ig_map_cross(cross, (ig_retrieve_side){x[0], NULL, p->n_learn},
                        (ig_retrieve_side){x[1], NULL, p->n_learn}, by, err));
    if (p->ridge > 0)
        add_ridge(cross, d, p->ridge);
    IG_TRY(ig_map_rotation(w, cross, d, with->ops, with->team, err));
    IG_TRY(ig_map_apply(out, x[0] + p->n_learn * d, p->n_judge, (ig_map_matrix){w, d}, by, err));
    return ig_unit_rows(out, p->n_judge, d, "mapped states", err);
}

ig_code ig_space_map_judge(ig_neighbour_scores *out, const ig_space_pair *p,
                           const ig_retrieval_with *with, ig_err *err)
{
    float *x[2] = {NULL, NULL}, *mapped = NULL;
    ig_code code = normalised(&x[0], p, 0, with->team, err);
    IG_THEN(code, normalised(&x[1], p, 1, with->team, err));
    IG_THEN(code, ig_alloc(&mapped, p->n_judge * p->d, sizeof *mapped, "mapped states", err));
    IG_THEN(code, rotate(mapped, x, p, with, err));
    if (code == IG_ERR_OK)
        code = ig_neighbour_scores_run(
            out,
            &(ig_sentence_rows){(const float *const[]){mapped, x[1] + p->n_learn * p->d},
                                p->n_judge, p->d, NULL, p->answer},
            with, err);
    IG_FREE(mapped, x[0], x[1]);
    return code;
}

ig_code ig_rotate_first(float *x[2], const int64_t n[2], int d, const ig_map_pairs *learn,
                        const ig_retrieval_with *with, ig_err *err)
{
    const ig_steps steps = {.n = 1, .step = {IG_STEP_ITERATIVE}};
    const ig_map_spaces s = {.x = x[0],
                             .z = x[1],
                             .n_x = n[0],
                             .n_z = n[1],
                             .d = d,
                             .ops = with->ops,
                             .team = with->team};
    double *w = NULL;
    float *mapped = NULL;
    for (int k = 0; k < 2; k++)
        IG_TRY(ig_steps_apply(&steps, (ig_map_side){x[k], n[k], d}, NULL, with->team, err));
    ig_code code = ig_alloc(&w, (int64_t)d * d, sizeof *w, "map", err);
    IG_THEN(code, ig_alloc(&mapped, n[0] * d, sizeof *mapped, "mapped vectors", err));
    IG_THEN(code, ig_map_procrustes(w, &s, learn, err));
    IG_THEN(code, ig_map_apply(mapped, x[0], n[0], (ig_map_matrix){w, d}, ig_map_with(&s), err));
    IG_THEN(code, ig_unit_rows(mapped, n[0], d, "mapped vectors", err));
    IG_THEN(code, ig_unit_rows(x[1], n[1], d, "vectors", err));
    IG_FREE(w, x[0]);
    x[0] = mapped;
    return code;
}
