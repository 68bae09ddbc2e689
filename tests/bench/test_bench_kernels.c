/* SPDX-License-Identifier: Apache-2.0
 *
 * The benchmark of products runs every kind of shape on every table, and the BLAS beside them.
 */
#include "bench/bench_kernels.h"
#include "ops_tables.h"

static void rates_are_rates(void **state)
{
    (void)state;
    static const ig_bench_shape shapes[] = {
        {"packed", 24, 64, 32, false, false, IG_B_PACKED, false, IG_EPI_BIAS_GELU},
        {"transposed", 24, 33, 32, false, true, IG_B_ROWS, true, IG_EPI_NONE},
    };
    ig_err err;
    double rate;
    ig_team *team;
    assert_ok(ig_team_new(&team, 2, &err), &err);
    for (int i = 0; i < 2; i++) {
        ig_bench_shape s = shapes[i];
        s.large = true; /* few tries */
        FOR_EACH_TABLE(t)
        {
            assert_ok(ig_bench_product(&rate, &s, t, i == 0 ? team : NULL, i == 0, &err), &err);
            assert_true(rate > 0.001 && rate < 1e6);
        }
        assert_ok(ig_bench_product(&rate, &s, NULL, NULL, true, &err), &err);
        assert_true(rate > 0.001 && rate < 1e6);
    }
    ig_team_free(team);
    assert_int_equal(ig_bench_blas_process(&rate, "Haswell", 1, false, "/nowhere/isoglot", &err),
                     IG_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
