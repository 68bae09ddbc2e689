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
#include "base/rng.h"
#include "embed/map/map_linear.h"

#include <math.h>

enum { ROWS = 64, GROWING = 10, POLISHING = 4, POWERS = 8 };

typedef struct {
    const ig_ops *ops;
    ig_team *team;
    ig_scratch *scratch;
    float *packed;
    int d;
    const float *a;
    bool a_trans;
    bool symmetric; /* c is symmetric: only the tiles up to its diagonal are computed */
    float *c;
} product;

static void product_task(void *arg, int64_t task, int i_thread)
{
    const product *p = arg;
    const int d = p->d, from = (int)task * ROWS, m = d - from < ROWS ? d - from : ROWS;
    p->ops->gemm(&(ig_gemm){.m = m,
                            .n = p->symmetric ? from + m : d,
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

/* Rows above the diagonal from the columns below it, in squares that stay in the first level. */
static void mirror(float *c, int d)
{
    enum { SIDE = 32 };
    for (int r0 = 0; r0 < d; r0 += SIDE)
        for (int c0 = 0; c0 <= r0; c0 += SIDE)
            for (int i = r0; i < d && i < r0 + SIDE; i++)
                for (int j = c0; j < i && j < c0 + SIDE; j++)
                    c[(int64_t)j * d + i] = c[(int64_t)i * d + j];
}

/* c = a b or aᵀ b. A symmetric one has the bits of the whole product: each pair of elements is the
 * same sum in the same order. */
static void multiply(product *p, float *c, const float *a, bool a_trans, const float *b,
                     bool symmetric)
{
    p->a = a;
    p->a_trans = a_trans;
    p->symmetric = symmetric;
    p->c = c;
    p->ops->pack_b(p->packed, b, p->d, IG_B_ROWS, p->d, p->d);
    ig_team_for(p->team, (p->d + ROWS - 1) / ROWS, product_task, p);
    if (symmetric)
        mirror(c, p->d);
}

/* The polynomials: coefficients of y, y yᵀy and y (yᵀy)². */
typedef struct {
    float one, three, five;
} polynomial;
static const polynomial growing = {3.4445f, -4.7750f, 2.0315f}, polishing = {1.5f, -0.5f, 0},
                        polishing_fifth = {15 / 8.0f, -10 / 8.0f, 3 / 8.0f};

/* y ← the polynomial of y; s and t are buffers. */
static void step(product *p, float *y, float *s, float *t, polynomial by)
{
    const int64_t square = (int64_t)p->d * p->d;
    multiply(p, s, y, true, y, true);
    if (by.five != 0) {
        multiply(p, t, s, false, s, true);
        for (int64_t i = 0; i < square; i++)
            s[i] = by.three * s[i] + by.five * t[i];
    } else
        for (int64_t i = 0; i < square; i++)
            s[i] *= by.three;
    multiply(p, t, y, false, s, false);
    for (int64_t i = 0; i < square; i++)
        y[i] = by.one * y[i] + t[i];
}

/* Allocates the matrices of an iteration: y[d, d], then its buffers. */
static ig_code begin(product *p, float **y, const double *c, ig_err *err)
{
    const int64_t square = (int64_t)p->d * p->d;
    double sum = 0;
    for (int64_t i = 0; i < square; i++)
        sum += c[i] * c[i];
    if (!isfinite(sum))
        return ig_fail(err, IG_ERR_NUMERIC, "mapping", 0, "a number of the products is not finite");
    IG_TRY(ig_alloc(y, 3 * square, sizeof **y, "map", err));
    IG_TRY(ig_alloc(&p->packed, p->ops->pack_size(p->d, p->d), sizeof *p->packed, "map", err));
    IG_TRY(ig_alloc(&p->scratch, ig_team_size(p->team), sizeof *p->scratch, "scratch", err));
    const double scale = sum > 0 ? 1 / sqrt(sum) : 0;
    for (int64_t i = 0; i < square; i++)
        (*y)[i] = (float)(scale * c[i]);
    return IG_ERR_OK;
}

static void iterate(product *p, float *y, polynomial by, int n)
{
    const int64_t square = (int64_t)p->d * p->d;
    for (int i = 0; i < n; i++)
        step(p, y, y + square, y + 2 * square, by);
}

static ig_code end(product *p, float *y, ig_code code, ig_err *err)
{
    const int n_thread = ig_team_size(p->team);
    IG_THEN(code, ig_scratches_check(p->scratch, n_thread, err));
    ig_scratches_free(p->scratch, n_thread);
    IG_FREE(p->packed, y);
    return code;
}

ig_code ig_map_polar(double *w, const double *c, int d, const ig_ops *ops, ig_team *team,
                     ig_err *err)
{
    product p = {.ops = ops, .team = team, .d = d};
    float *y = NULL;
    ig_code code = begin(&p, &y, c, err);
    if (code == IG_ERR_OK) {
        iterate(&p, y, growing, GROWING);
        iterate(&p, y, polishing, POLISHING);
        for (int64_t i = 0; i < (int64_t)d * d; i++)
            w[i] = (double)y[i];
    }
    return end(&p, y, code, err);
}

/* How far Wᵀ W v is from v, in parts of v, for a random v. A direction that the iteration left
 * short of length 1 shows in any such v by its share of it, some 1/√d. v[2d] is a buffer. */
static double off_rotation(const double *w, int d, double *v)
{
    double *wv = v + d, size = 0, off = 0;
    ig_rng r = ig_rng_make(0, IG_STREAM_MAP, 0, 0);
    for (int i = 0; i < d; i++) {
        v[i] = ig_rng_normal(&r);
        size += v[i] * v[i];
    }
    for (int i = 0; i < d; i++) {
        wv[i] = 0;
        for (int j = 0; j < d; j++)
            wv[i] += w[(int64_t)i * d + j] * v[j];
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            v[j] -= w[(int64_t)i * d + j] * wv[i];
    for (int j = 0; j < d; j++)
        off += v[j] * v[j];
    return sqrt(off / size);
}

/* Divides y by its largest singular value, estimated by power iteration from below, with a
 * twentieth added for its error. Steps only need it below 1.3. v[2d] is a buffer. */
static void scale_largest(float *y, int d, double *v)
{
    double *yv = v + d, largest = 0;
    ig_rng r = ig_rng_make(0, IG_STREAM_MAP, 0, 1);
    for (int i = 0; i < d; i++)
        v[i] = ig_rng_normal(&r);
    for (int power = 0; power < POWERS; power++) {
        double size = 0, image = 0;
        for (int i = 0; i < d; i++) {
            size += v[i] * v[i];
            yv[i] = 0;
            for (int j = 0; j < d; j++)
                yv[i] += (double)y[(int64_t)i * d + j] * v[j];
            image += yv[i] * yv[i];
        }
        if (!(size > 0))
            return; /* all of y is 0 */
        largest = sqrt(image / size);
        for (int j = 0; j < d; j++)
            v[j] = 0;
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                v[j] += (double)y[(int64_t)i * d + j] * yv[i];
    }
    const float scale = largest > 0 ? (float)(1 / (1.05 * largest)) : 0;
    for (int64_t i = 0; i < (int64_t)d * d; i++)
        y[i] *= scale;
}

/* One growing step takes singular values of .2 to 1 into .65 to 1.2, and three of Newton and
 * Schulz's of degree 5 (Higham, §8.3), which trebles the digits, do the rest; smaller ones take
 * more rounds.
 */
ig_code ig_map_rotation(double *w, const double *cross, int d, const ig_ops *ops, ig_team *team,
                        ig_err *err)
{
    enum { ROUNDS = 4, GROW = 4, POLISH = 3 };
    const double most = 1e-5; /* float32's products round by 1e-6 at d = 768 */
    product p = {.ops = ops, .team = team, .d = d};
    float *y = NULL;
    double *v = NULL;
    bool found = false;
    ig_code code = begin(&p, &y, cross, err);
    IG_THEN(code, ig_alloc(&v, 2 * (int64_t)d, sizeof *v, "rotation", err));
    if (code == IG_ERR_OK)
        scale_largest(y, d, v);
    for (int round = 0; round < ROUNDS && code == IG_ERR_OK && !found; round++) {
        iterate(&p, y, growing, round > 0 ? GROW : 1);
        iterate(&p, y, polishing_fifth, POLISH);
        for (int64_t i = 0; i < (int64_t)d * d; i++)
            w[i] = (double)y[i];
        found = off_rotation(w, d, v) <= most;
    }
    code = end(&p, y, code, err);
    ig_free(v);
    if (code == IG_ERR_OK && !found)
        code = ig_map_orthogonal(w, cross, d, err);
    return code;
}
