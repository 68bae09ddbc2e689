/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that vectors are normalised by: what they are called, and what holds after them.
 */
#include "map_fixture.h"
#include "test.h"

static void steps_are_parsed_and_hold(void **state)
{
    (void)state;
    enum { A = 200, DIM = 6 };
    ig_steps s;
    ig_err err;
    float *x = fixture_space(A, DIM, 6);
    double mean = 0;
    ig_steps_done done = {0};
    assert_int_equal(ig_steps_parse(&s, "unit,centre", "--normalise", &err), IG_ERR_USAGE);
    assert_non_null(strstr(err.hint, "center"));
    assert_int_equal(ig_steps_parse(&s, "", "--normalise", &err), IG_ERR_USAGE);
    assert_ok(ig_steps_parse(&s, "none", "--normalise", &err), &err);
    assert_int_equal(s.n, 0);
    assert_ok(ig_steps_parse(&s, "iterative", "--normalise", &err), &err);
    assert_ok(ig_steps_apply(&s, (ig_map_side){x, A, DIM}, &done, NULL, &err), &err);
    for (int i = 0; i < A; i++) {
        double sum = 0;
        for (int k = 0; k < DIM; k++)
            sum += (double)x[i * DIM + k] * (double)x[i * DIM + k];
        assert_true(fabs(sum - 1) < 1e-6);
    }
    for (int k = 0; k < DIM; k++) {
        double sum = 0;
        for (int i = 0; i < A; i++)
            sum += (double)x[i * DIM + k];
        mean += sum / A * sum / A;
    }
    assert_true(sqrt(mean) < 1e-5);
    assert_true(done.n > 2 && done.step[0] == IG_STEP_UNIT && done.step[1] == IG_STEP_CENTER);
    ig_steps_done_free(&done);
    free(x);
}

/* Dimensions of length 1 over the words, each by its own factor. */
static void unit_dimensions(void **state)
{
    (void)state;
    enum { WORDS = 700, DIMS = 5 };
    static float x[WORDS * DIMS], was[WORDS * DIMS];
    const ig_steps steps = {.n = 1, .step = {IG_STEP_UNIT_DIMENSIONS}};
    ig_err err;
    ig_rng r = ig_rng_make(6, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < WORDS * DIMS; i++)
        was[i] = x[i] = (float)((1 + i % DIMS) * ig_rng_normal(&r));
    assert_ok(ig_steps_apply(&steps, (ig_map_side){x, WORDS, DIMS}, NULL, NULL, &err), &err);
    for (int k = 0; k < DIMS; k++) {
        double sum = 0, before = 0;
        for (int i = 0; i < WORDS; i++) {
            sum += (double)x[i * DIMS + k] * (double)x[i * DIMS + k];
            before += (double)was[i * DIMS + k] * (double)was[i * DIMS + k];
        }
        assert_true(fabs(sum - 1) < 1e-5);
        for (int i = 0; i < WORDS; i++)
            assert_true(fabs((double)x[i * DIMS + k] * sqrt(before) - (double)was[i * DIMS + k]) <
                        1e-5 * (k + 1) * 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_parsed_and_hold),
                                       cmocka_unit_test(unit_dimensions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
