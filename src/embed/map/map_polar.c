/* SPDX-License-Identifier: Apache-2.0
 *
 * Y ← Y p(YᵀY): a polynomial of the singular values that leaves the vectors as they are. First one
 * of degree 5 that more than trebles small values and keeps large ones between 0.7 and 1.2 (its
 * three numbers as in Jordan et al., "Muon", 2024), then Newton and Schulz's (3 σ − σ³) / 2
 * (Björck, Bowie, SIAM J. Numer. Anal. 1971; Higham, Functions of Matrices, §8.3), which doubles
 * the digits.
 */
#include "embed/map/map_polar.h"

#include "base/memory.h"

#include <math.h>

enum { ROWS = 64, GROWING = 10, POLISHING = 4 };

typedef struct {
    const ig_ops *ops;
    ig_team *team;
    ig_scratch *scratch;
    float *packed;
    int d;
    const float *a;
    bool a_trans;
    float *c;
} product;

static void product_task(void *arg, int64_t task, int i_thread)
{
    const product *p = arg;
    const int d = p->d, from = (int)task * ROWS, m = d - from < ROWS ? d - from : ROWS;
    p->ops->gemm(&(ig_gemm){.m = m,
                            .n = d,
                            .k = d,
                            .a = p->a_trans ? p->a + from : p->a + (int64_t)from * d,
                            .lda = d,
                            .a_trans = p->a_trans,
                            .b = p->packed,
                            .b_form = IG_B_PACKED,
                            .c = p->c + (int64_t)from * d,
                            .ldc = d},
                 &p->scratch[i_thread]);
}

/* c = a b or aᵀ b. */
static void multiply(product *p, float *c, const float *a, bool a_trans, const float *b)
{
    p->a = a;
    p->a_trans = a_trans;
    p->c = c;
    p->ops->pack_b(p->packed, b, p->d, IG_B_ROWS, p->d, p->d);
    ig_team_for(p->team, (p->d + ROWS - 1) / ROWS, product_task, p);
}

/* y ← one y + three y yᵀy + five y (yᵀy)²; s and t are room. */
static void step(product *p, float *y, float *s, float *t, float one, float three, float five)
{
    const int64_t square = (int64_t)p->d * p->d;
    multiply(p, s, y, true, y);
    if (five != 0) {
        multiply(p, t, s, false, s);
        for (int64_t i = 0; i < square; i++)
            s[i] = three * s[i] + five * t[i];
    } else
        for (int64_t i = 0; i < square; i++)
            s[i] *= three;
    multiply(p, t, y, false, s);
    for (int64_t i = 0; i < square; i++)
        y[i] = one * y[i] + t[i];
}

ig_code ig_map_polar(double *w, const double *c, int d, const ig_ops *ops, ig_team *team,
                     ig_err *err)
{
    const int64_t square = (int64_t)d * d;
    const int n_thread = ig_team_size(team);
    product p = {.ops = ops, .team = team, .d = d};
    float *y = NULL;
    double sum = 0;
    for (int64_t i = 0; i < square; i++)
        sum += c[i] * c[i];
    if (!isfinite(sum))
        return ig_fail(err, IG_ERR_NUMERIC, "mapping", 0, "a number of the products is not finite");
    ig_code code = ig_alloc(&y, 3 * square, sizeof *y, "map", err);
    IG_THEN(code, ig_alloc(&p.packed, ops->pack_size(d, d), sizeof *p.packed, "map", err));
    IG_THEN(code, ig_alloc(&p.scratch, n_thread, sizeof *p.scratch, "scratch", err));
    if (code == IG_ERR_OK) {
        const double scale = sum > 0 ? 1 / sqrt(sum) : 0;
        for (int64_t i = 0; i < square; i++)
            y[i] = (float)(scale * c[i]);
        for (int i = 0; i < GROWING; i++)
            step(&p, y, y + square, y + 2 * square, 3.4445f, -4.7750f, 2.0315f);
        for (int i = 0; i < POLISHING; i++)
            step(&p, y, y + square, y + 2 * square, 1.5f, -0.5f, 0);
        for (int64_t i = 0; i < square; i++)
            w[i] = (double)y[i];
    }
    for (int i = 0; p.scratch != NULL && i < n_thread; i++)
        ig_scratch_free(&p.scratch[i]);
    ig_free(p.scratch);
    ig_free(p.packed);
    ig_free(y);
    return code;
}
