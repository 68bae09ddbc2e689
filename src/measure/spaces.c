/* SPDX-License-Identifier: Apache-2.0
 *
 * See spaces.h. Kornblith, Norouzi, Lee, Hinton, "Similarity of neural network representations
 * revisited" (ICML 2019), eq. 3 with linear kernels in the form of features; Schönemann 1966 for
 * the map, Zhang et al. 2019 for the normalisation before it, as Conneau et al. 2020 have them.
 */
#include "measure/spaces.h"

#include "base/memory.h"
#include "base/unit_rows.h"
#include "embed/map_linear.h"
#include "embed/map_normalise.h"

#include <math.h>
#include <string.h>

/* ---- CKA ---- */

typedef struct {
    const float *x, *y;
    const double *mean_x, *mean_y;
    int dx, dy;
    int64_t n;
    double *square; /* [dx] Σ_j c[i, j]² */
    double *row;    /* [dx, dy] a task's own line of sums */
} cross;

/* A line of centered YᵀX: column i of x with all columns of y. */
static void cross_task(void *arg, int64_t i, int i_thread)
{
    const cross *c = arg;
    double *row = c->row + i * c->dy, sum = 0;
    (void)i_thread;
    for (int j = 0; j < c->dy; j++)
        row[j] = 0;
    for (int64_t k = 0; k < c->n; k++) {
        const double x = (double)c->x[k * c->dx + i] - c->mean_x[i];
        const float *y = c->y + k * c->dy;
        for (int j = 0; j < c->dy; j++)
            row[j] += x * ((double)y[j] - c->mean_y[j]);
    }
    for (int j = 0; j < c->dy; j++)
        sum += row[j] * row[j];
    c->square[i] = sum;
}

static void column_means(double *mean, const float *x, int d, int64_t n)
{
    for (int j = 0; j < d; j++)
        mean[j] = 0;
    for (int64_t k = 0; k < n; k++)
        for (int j = 0; j < d; j++)
            mean[j] += (double)x[k * d + j];
    for (int j = 0; j < d; j++)
        mean[j] /= (double)n;
}

/* ‖YᵀX‖²_F */
static double norm_of(cross *c, ig_team *team)
{
    double sum = 0;
    ig_team_for(team, c->dx, cross_task, c);
    for (int i = 0; i < c->dx; i++)
        sum += c->square[i];
    return sum;
}

ig_code ig_cka_linear(double *out, const float *x, int dx, const float *y, int dy, int64_t n,
                      ig_team *team, ig_err *err)
{
    const int d = dx > dy ? dx : dy;
    double *mean_x = NULL, *mean_y = NULL, *square = NULL, *row = NULL;
    *out = (double)NAN;
    if (n < 2)
        return IG_ERR_OK;
    ig_code code = ig_alloc(&mean_x, dx, sizeof(double), "means", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&mean_y, dy, sizeof(double), "means", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&square, d, sizeof(double), "sums", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&row, (int64_t)d * d, sizeof(double), "sums", err);
    if (code == IG_ERR_OK) {
        column_means(mean_x, x, dx, n);
        column_means(mean_y, y, dy, n);
        cross xy = {x, y, mean_x, mean_y, dx, dy, n, square, row},
              xx = {x, x, mean_x, mean_x, dx, dx, n, square, row},
              yy = {y, y, mean_y, mean_y, dy, dy, n, square, row};
        const double both = norm_of(&xy, team), own = norm_of(&xx, team),
                     other = norm_of(&yy, team);
        if (own > 0 && other > 0)
            *out = both / (sqrt(own) * sqrt(other));
    }
    ig_free(mean_x);
    ig_free(mean_y);
    ig_free(square);
    ig_free(row);
    return code;
}

/* ---- maps ---- */

/* The pairs of every second row of a that has any are learned from, the others asked about. */
static ig_code part_pairs(ig_map_pairs *learn, int32_t *ask, int64_t *n_ask, const int32_t *gold,
                          int64_t n_gold, ig_err *err)
{
    int64_t turn = -1;
    for (int64_t k = 0; k < n_gold; k++) {
        const int32_t i = gold != NULL ? gold[2 * k] : (int32_t)k,
                      j = gold != NULL ? gold[2 * k + 1] : (int32_t)k;
        turn += k == 0 || gold == NULL || i != gold[2 * k - 2];
        if (turn % 2 == 0) {
            IG_TRY(ig_map_pairs_add(learn, i, j, err));
            continue;
        }
        ask[2 * *n_ask] = i;
        ask[2 * *n_ask + 1] = j;
        ++*n_ask;
    }
    return IG_ERR_OK;
}

static ig_code map_and_ask(ig_retrieval_score *out, float *a, int64_t na, float *b, int64_t nb,
                           int d, const ig_map_pairs *learn, const int32_t *ask, int64_t n_ask,
                           const ig_ops *ops, ig_team *team, const ig_stop *stop, ig_err *err)
{
    const ig_steps steps = {.n = 1, .step = {IG_STEP_ITERATIVE}};
    const ig_map_spaces s = {
        .x = a, .z = b, .n_x = na, .n_z = nb, .d = d, .ops = ops, .team = team};
    double *w = NULL;
    float *mapped = NULL;
    IG_TRY(ig_steps_apply(&steps, a, na, d, NULL, team, err));
    IG_TRY(ig_steps_apply(&steps, b, nb, d, NULL, team, err));
    ig_code code = ig_alloc(&w, (int64_t)d * d, sizeof *w, "map", err);
    if (code == IG_ERR_OK)
        code = ig_alloc(&mapped, na * d, sizeof *mapped, "mapped vectors", err);
    if (code == IG_ERR_OK)
        code = ig_map_procrustes(w, &s, learn, err);
    if (code == IG_ERR_OK)
        code = ig_map_apply(mapped, a, na, d, w, d, ops, team, err);
    if (code == IG_ERR_OK)
        code = ig_unit_rows(mapped, na, d, "mapped vectors", err);
    if (code == IG_ERR_OK)
        code = ig_unit_rows(b, nb, d, "vectors", err);
    if (code == IG_ERR_OK)
        code = ig_retrieval_run(out, mapped, na, b, nb, d, ask, n_ask, ops, team, stop, err);
    ig_free(w);
    ig_free(mapped);
    return code;
}

ig_code ig_mapped_retrieval(ig_retrieval_score *out, float *a, int64_t na, float *b, int64_t nb,
                            int d, const int32_t *gold, int64_t n_gold, const ig_ops *ops,
                            ig_team *team, const ig_stop *stop, ig_err *err)
{
    ig_map_pairs learn = {0};
    int32_t *ask = NULL;
    int64_t n_ask = 0;
    IG_TRY(ig_stop_check(stop, "retrieval", err));
    IG_TRY(ig_alloc(&ask, 2 * n_gold, sizeof *ask, "pairs", err));
    ig_code code = part_pairs(&learn, ask, &n_ask, gold, n_gold, err);
    if (code == IG_ERR_OK && n_ask == 0) {
        *out = (ig_retrieval_score){.mean = (double)NAN};
        for (int way = 0; way < 2; way++)
            for (int k = 0; k < IG_RETRIEVAL_N_K; k++)
                out->way[way].p[k] = (double)NAN;
    } else if (code == IG_ERR_OK) {
        code = map_and_ask(out, a, na, b, nb, d, &learn, ask, n_ask, ops, team, stop, err);
    }
    ig_map_pairs_free(&learn);
    ig_free(ask);
    return code;
}
