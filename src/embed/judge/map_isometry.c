/* SPDX-License-Identifier: Apache-2.0
 *
 * A component of the filtration dies when an edge of the minimum spanning tree joins it, so the
 * diagram is the tree's lengths (Prim's algorithm on all distances). All points are born at 0, so
 * they lie on a line, where matching is a matter of sorting.
 */
#include "embed/judge/map_isometry.h"

#include "base/memory.h"
#include "base/numeric/eigen.h"
#include "base/numeric/unit_rows.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths of the edges of the minimum spanning tree of n points with cosines[n, n], rising: the
 * deaths of the components, all born at 0. length[n − 1]; distance √(2 − 2 cos). */
static ig_code tree_lengths(double *length, const float *cosines, int64_t n, ig_err *err)
{
    float *near = NULL; /* the largest cosine to the tree; −2: in it */
    if (n < 2)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&near, n, sizeof *near, "distances", err));
    memcpy(near, cosines, (size_t)n * sizeof *near);
    near[0] = -2;
    for (int64_t step = 0; step + 1 < n; step++) {
        int64_t best = -1;
        for (int64_t i = 0; i < n; i++)
            if (near[i] > -1.5f && (best < 0 || near[i] > near[best]))
                best = i;
        length[step] = sqrt(fmax(0, 2 - 2 * (double)near[best]));
        near[best] = -2;
        const float *row = cosines + best * n;
        for (int64_t i = 0; i < n; i++)
            if (near[i] > -1.5f && row[i] > near[i])
                near[i] = row[i];
    }
    qsort(length, (size_t)(n - 1), sizeof *length, ig_by_double);
    ig_free(near);
    return IG_ERR_OK;
}

/* Can all points of a further than e from the diagonal be matched with points of b within e? Greedy
 * from the left: the first free partner within reach is as good as any, as intervals are equally
 * long. If both sides can cover what they must, one matching covers both (Mendelsohn and Dulmage
 * 1958). */
static bool covers(const double *a, int64_t n_a, const double *b, int64_t n_b, double e)
{
    int64_t j = 0;
    for (int64_t i = 0; i < n_a; i++) {
        if (a[i] <= 2 * e)
            continue;
        while (j < n_b && b[j] < a[i] - e)
            j++;
        if (j == n_b || b[j] > a[i] + e)
            return false;
        j++;
    }
    return true;
}

double ig_isometry_bottleneck(const double *a, int64_t n_a, const double *b, int64_t n_b)
{
    double low = 0, high = 0;
    if (n_a > 0)
        high = fmax(high, a[n_a - 1] / 2);
    if (n_b > 0)
        high = fmax(high, b[n_b - 1] / 2);
    for (int step = 0; step < 60; step++) { /* to the last bit of a double */
        double e = (low + high) / 2;
        if (covers(a, n_a, b, n_b, e) && covers(b, n_b, a, n_a, e))
            high = e;
        else
            low = e;
    }
    return high;
}

/* Smallest number of leading values with more than nine tenths of the sum. */
static int64_t leading(const double *value, int64_t n)
{
    double sum = 0, part = 0;
    for (int64_t i = 0; i < n; i++)
        sum += value[i];
    for (int64_t i = 0; i < n; i++) {
        part += value[i];
        if (part > 0.9 * sum)
            return i + 1;
    }
    return n;
}

/* Σ (a − b)² over the leading values of two falling lists, and how many these are. */
static double eigen_difference(const double *a, const double *b, int64_t n, int64_t *n_value)
{
    int64_t k_a = leading(a, n), k_b = leading(b, n);
    double sum = 0;
    *n_value = k_a < k_b ? k_a : k_b;
    for (int64_t i = 0; i < *n_value; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* Laplacian of the graph: an edge where either is among the k nearest of the other. at[n, k + 1]:
 * the nearest, a word itself (if it is there) among them. */
static void laplacian(double *l, const int32_t *at, int64_t n, int k)
{
    memset(l, 0, (size_t)(n * n) * sizeof *l);
    for (int64_t i = 0; i < n; i++)
        for (int q = 0, found = 0; q <= k && found < k; q++) {
            int64_t j = at[i * (k + 1) + q];
            if (j < 0 || j == i)
                continue;
            l[i * n + j] = l[j * n + i] = -1;
            found++;
        }
    for (int64_t i = 0; i < n; i++) {
        double degree = 0;
        for (int64_t j = 0; j < n; j++)
            degree -= l[i * n + j];
        l[i * n + i] = degree;
    }
}

/* value[n]: Laplacian eigenvalues of rows x of unit length; length[n − 1]: the tree. */
static ig_code one_side(double *value, double *length, ig_retrieve_side side, int k,
                        const ig_map_spaces *s, ig_err *err)
{
    const float *x = side.x;
    const int64_t n = side.n;
    double *l = NULL;
    float *cosines = NULL, *near = NULL;
    int32_t *at = NULL;
    const int keep = (int)(k < n - 1 ? k : n - 1);
    ig_code code = ig_alloc(&l, n * n, sizeof *l, "graph", err);
    IG_THEN(code, ig_alloc(&cosines, n * n, sizeof *cosines, "distances", err));
    IG_THEN(code, ig_alloc(&near, n * (keep + 1), sizeof *near, "neighbours", err));
    IG_THEN(code, ig_alloc(&at, n * (keep + 1), sizeof *at, "neighbours", err));
    const ig_retrieve_want want[2] = {{keep + 1, NULL, at, near, NULL}, {0}};
    IG_THEN(code, ig_retrieve_top(&side, &side, want, NULL, ig_map_with(s), err));
    if (code == IG_ERR_OK) {
        laplacian(l, at, n, keep);
        code = ig_eigenvalues_symmetric(l, value, (int)n, err);
    }
    if (code == IG_ERR_OK) {
        ig_scratch scratch = {0};
        const ig_gemm product = ig_gemm_of_rows(x, (int)n, x, (int)n, s->d, cosines);
        s->ops->gemm(&product, &scratch);
        code = ig_scratches_check(&scratch, 1, err);
        ig_scratch_free(&scratch);
        IG_THEN(code, tree_lengths(length, cosines, n, err));
    }
    IG_FREE(at, near, cosines, l);
    return code;
}

ig_code ig_isometry_measure(ig_isometry *out, const ig_map_spaces *s, int64_t n, int k, ig_err *err)
{
    double *block = NULL;
    float *rows = NULL;
    n = s->n_x < n ? s->n_x : n;
    n = s->n_z < n ? s->n_z : n;
    *out = (ig_isometry){.n = n};
    if (n < 3)
        return IG_ERR_OK;
    IG_TRY(ig_alloc(&block, 4 * n, sizeof *block, "eigenvalues", err));
    double *value_x = block, *value_z = value_x + n, *length_x = value_z + n,
           *length_z = length_x + n;
    ig_code code = ig_alloc(&rows, n * s->d, sizeof *rows, "vectors", err);
    for (int side = 0; side < 2 && code == IG_ERR_OK; side++) {
        memcpy(rows, side == 0 ? s->x : s->z, (size_t)(n * s->d) * sizeof *rows);
        code = ig_unit_rows(rows, n, s->d, side == 0 ? "source" : "target", err);
        IG_THEN(code, one_side(side == 0 ? value_x : value_z, side == 0 ? length_x : length_z,
                               (ig_retrieve_side){rows, NULL, n}, k, s, err));
    }
    if (code == IG_ERR_OK) {
        out->eigen = eigen_difference(value_x, value_z, n, &out->n_value);
        out->bottleneck = ig_isometry_bottleneck(length_x, n - 1, length_z, n - 1);
    }
    IG_FREE(rows, block);
    return code;
}
