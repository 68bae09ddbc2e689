/* SPDX-License-Identifier: Apache-2.0
 *
 * Y ← Y p(YᵀY): a polynomial of degree 5 of the singular values that leaves the vectors as they
 * are. One more than trebles small values and keeps large ones between 0.7 and 1.2 (its three
 * numbers as in Jordan et al., "Muon", 2024), then Newton and Schulz's (Björck, Bowie, SIAM J.
 * Numer. Anal. 1971; Higham, Functions of Matrices, §8.3) trebles the digits.
 */
#include "embed/map/map_polar.h"

#include "base/memory.h"
#include "base/rng.h"
#include "embed/map/map_linear.h"

#include <math.h>

enum { ROWS = 64, POWERS = 8, ROUNDS = 4, GROW = 4, POLISH = 3 };

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

/* A polynomial: coefficients of y, y yᵀy and y (yᵀy)². */
typedef struct {
    float one, three, five;
} polynomial;
static const polynomial growing = {3.4445f, -4.7750f, 2.0315f},
                        polishing = {15 / 8.0f, -10 / 8.0f, 3 / 8.0f};

/* n times y ← the polynomial of y; two matrices after y are buffers. */
static void iterate(product *p, float *y, polynomial by, int n)
{
    const int64_t square = (int64_t)p->d * p->d;
    float *s = y + square, *t = s + square;
    for (; n > 0; n--) {
        multiply(p, s, y, true, y, true);
        multiply(p, t, s, false, s, true);
        for (int64_t i = 0; i < square; i++)
            s[i] = by.three * s[i] + by.five * t[i];
        multiply(p, t, y, false, s, false);
        for (int64_t i = 0; i < square; i++)
            y[i] = by.one * y[i] + t[i];
    }
}

/* Returns how far Wᵀ W v is from v, in parts of v, for a random v. A direction that the iteration
 * left short of length 1 shows in any such v by its share of it, some 1/√d. v[2d] is a buffer. */
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

/* One growing step takes singular values of .2 to 1 into .65 to 1.2, and three polishing ones do
 * the rest; smaller ones take more rounds. */
static bool find_rotation(product *p, double *w, float *y, double *v)
{
    const double most = 1e-5; /* float32's products round by 1e-6 at d = 768 */
    bool found = false;
    scale_largest(y, p->d, v);
    for (int round = 0; round < ROUNDS && !found; round++) {
        iterate(p, y, growing, round > 0 ? GROW : 1);
        iterate(p, y, polishing, POLISH);
        for (int64_t i = 0; i < (int64_t)p->d * p->d; i++)
            w[i] = (double)y[i];
        found = off_rotation(w, p->d, v) <= most;
    }
    return found;
}

ig_code ig_map_rotation(double *w, const double *cross, int d, const ig_ops *ops, ig_team *team,
                        ig_err *err)
{
    const int n_thread = ig_team_size(team);
    const int64_t square = (int64_t)d * d;
    product p = {.ops = ops, .team = team, .d = d};
    float *y = NULL;
    double *v = NULL, sum = 0;
    bool found = false;
    for (int64_t i = 0; i < square; i++)
        sum += cross[i] * cross[i];
    if (!isfinite(sum))
        return ig_fail(err, IG_ERR_NUMERIC, "mapping", 0, "a number of the products is not finite");
    ig_code code = ig_alloc(&y, 3 * square, sizeof *y, "map", err);
    IG_THEN(code, ig_alloc(&p.packed, ops->pack_size(d, d), sizeof *p.packed, "map", err));
    IG_THEN(code, ig_alloc(&p.scratch, n_thread, sizeof *p.scratch, "scratch", err));
    IG_THEN(code, ig_alloc(&v, 2 * (int64_t)d, sizeof *v, "rotation", err));
    if (code == IG_ERR_OK) {
        const double scale = sum > 0 ? 1 / sqrt(sum) : 0;
        for (int64_t i = 0; i < square; i++)
            y[i] = (float)(scale * cross[i]);
        found = find_rotation(&p, w, y, v);
        code = ig_scratches_check(p.scratch, n_thread, err);
    }
    ig_scratches_free(p.scratch, n_thread);
    IG_FREE(p.packed, y, v);
    return code == IG_ERR_OK && !found ? ig_map_orthogonal(w, cross, d, err) : code;
}
