/* SPDX-License-Identifier: Apache-2.0
 *
 * A planted rotation through noise: Z = X Q + σ N. To first order the map found is (I + A) Q, in
 * the eigenvectors of XᵀX = V diag(s) Vᵀ the antisymmetric A with A_ij = σ (E_ij − E_ji) / (s_i +
 * s_j), where E_ij = (XᵀN)_ij has variance s_i. So E ‖W − Q‖² = Σ_{i ≠ j} σ² / (s_i + s_j), which
 * falls as 1/n and grows as σ² (perturbation of the polar factor: Higham 2008, §8.1).
 */
#include "base/numeric/eigen.h"
#include "base/rng.h"
#include "map_fixture.h"
#include "test.h"

enum { D = 8, N_MAX = 1600, DRAWS = 150 };
static ig_err err;

static double expected_error(const float *x, int n, double noise)
{
    double gram[D * D] = {0}, value[D], sum = 0;
    for (int r = 0; r < n; r++)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                gram[i * D + j] += (double)x[r * D + i] * (double)x[r * D + j];
    assert_ok(ig_eigen_symmetric(gram, value, D, &err), &err);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            sum += i == j ? 0 : noise * noise / (value[i] + value[j]);
    return sum;
}

/* ‖W − Q‖² with a draw of the noise. */
static double one_error(const float *x, const float *turned, const double *q, int n, double noise,
                        ig_rng *r)
{
    static float z[N_MAX * D];
    double w[D * D], cross[D * D], sum = 0;
    for (int i = 0; i < n * D; i++)
        z[i] = turned[i] + (float)(noise * ig_rng_normal(r));
    assert_ok(ig_map_cross(cross, (ig_retrieve_side){x, NULL, n}, (ig_retrieve_side){z, NULL, n},
                           (ig_vector_work){D, ig_ops_ref(), NULL}, &err),
              &err);
    assert_ok(ig_map_orthogonal(w, cross, D, &err), &err);
    for (int i = 0; i < D * D; i++)
        sum += (w[i] - q[i]) * (w[i] - q[i]);
    return sum;
}

/* The mean over draws lies within four standard errors of the theory; the next order in σ²/s is
 * below 1 % of it. */
static void as_theory_has_it(int n, double noise)
{
    static float x[N_MAX * D], turned[N_MAX * D];
    double q[D * D], sum = 0, square = 0;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, (uint32_t)n, (uint32_t)(1000 * noise));
    fixture_rotation(q, D, 5);
    for (int i = 0; i < n * D; i++)
        x[i] = (float)(ig_rng_normal(&r) / (1 + i % D)); /* dimensions of different weight */
    assert_ok(ig_map_apply(turned, x, n, (ig_map_matrix){q, D},
                           (ig_vector_work){D, ig_ops_ref(), NULL}, &err),
              &err);
    for (int k = 0; k < DRAWS; k++) {
        const double e = one_error(x, turned, q, n, noise, &r);
        sum += e / DRAWS;
        square += e * e / DRAWS;
    }
    const double theory = expected_error(x, n, noise), error = sqrt((square - sum * sum) / DRAWS);
    if (!(fabs(sum - theory) <= 4 * error + .01 * theory))
        fail_msg("%d rows, noise %g: %.6g, theory %.6g ± %.2g", n, noise, sum, theory, error);
}

static void rate_of_theory(void **state)
{
    (void)state;
    as_theory_has_it(400, .01);
    as_theory_has_it(400, .04);
    as_theory_has_it(N_MAX, .01);
    as_theory_has_it(N_MAX, .04);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rate_of_theory)};
    return exit_status(cmocka_run_group_tests(tests, NULL, NULL));
}
