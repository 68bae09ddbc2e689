/* SPDX-License-Identifier: Apache-2.0
 *
 * Chance searches as well as the map did: a map of unrelated spaces with clusters, which
 * self-learning lays on each other well, is no better than what random pairs lead to; that of a
 * blurred copy is, and a start that finds the copy again does not count as chance.
 */
#include "embed/judge/map_diagnose.h"
#include "embed/map/map_seed.h"
#include "map_fixture.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Each seed takes the same path, so sanitizers see one; the verdicts of more are the release
 * build's. */
enum { N = SANITIZED ? 250 : 500, D = 50, CLUSTERS = 20, UNRELATED = SANITIZED ? 1 : 3 };

/* Around normal centers, the later dimensions narrower; the words in no order. */
static void clusters(float *x, uint32_t seed)
{
    static double center[CLUSTERS * D];
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 5, 0);
    for (int i = 0; i < CLUSTERS * D; i++)
        center[i] = ig_rng_normal(&r);
    for (int i = 0; i < N; i++) {
        const int of = (int)ig_rng_below(&r, CLUSTERS);
        for (int c = 0; c < D; c++)
            x[i * D + c] =
                (float)((center[of * D + c] + .5 * ig_rng_normal(&r)) * exp(-c / (D / 4.)));
    }
}

static void turn(float *z, const float *x, double noise, uint32_t seed)
{
    static double w[D * D];
    ig_rng r = ig_rng_make(seed, IG_STREAM_TEST, 6, 0);
    fixture_rotation(w, D, seed);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++) {
            double sum = noise * ig_rng_normal(&r);
            for (int c = 0; c < D; c++)
                sum += (double)x[i * D + c] * w[c * D + k];
            z[i * D + k] = (float)sum;
        }
}

/* Whether the map from `first` pairs is called degenerate. */
static bool degenerate(float *x, float *z, bool copy, ig_map_chance *chance)
{
    const ig_steps steps = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};
    ig_map_options o = fixture_options();
    char verdict[IG_VERDICT_SIZE];
    ig_map_pairs first = {0};
    ig_map_result map;
    ig_map_health health;
    ig_err err;
    fixture_normalise(x, N, D);
    fixture_normalise(z, N, D);
    const ig_map_spaces s = {.x = x, .z = z, .n_x = N, .n_z = N, .d = D, .ops = ig_ops_best()};
    o.patience = 10;
    if (copy)
        for (int32_t i = 0; i < N; i++)
            assert_ok(ig_map_pairs_add(&first, i, i, &err), &err);
    else
        assert_ok(ig_map_seed_similarity(&first, &s, N, 10, &steps, &err), &err);
    assert_ok(ig_map_run(&map, &s, &first, &o, &err), &err);
    const ig_chance_options c = {.most = N, .learn = &o, .k = 10, .seed = 1};
    assert_ok(ig_map_chance_measure(chance, &s, &map.pairs, &c, &err), &err);
    float *to = calloc(N * D, sizeof *to);
    float *of = calloc(N * D, sizeof *of);
    assert_ok(ig_map_apply(to, x, N, (ig_map_matrix){map.a_x, D}, ig_map_with(&s), &err), &err);
    assert_ok(ig_map_apply(of, z, N, (ig_map_matrix){map.a_z, D}, ig_map_with(&s), &err), &err);
    ig_map_spaces mapped = s;
    mapped.x = to;
    mapped.z = of;
    const ig_diagnose_options d = {.blind = true, .most = N, .k = 10, .seed = 1};
    assert_ok(ig_map_diagnose(&health, &mapped, &d, &err), &err);
    const bool bad = ig_map_verdict(verdict, &health, chance);
    print_message("%s\n", verdict);
    free(to);
    free(of);
    ig_map_result_free(&map);
    ig_map_pairs_free(&first);
    return bad;
}

static void clusters_that_fit_are_no_map(void **state)
{
    static float x[N * D], z[N * D];
    ig_map_chance chance;
    (void)state;
    for (uint32_t seed = 1; seed <= UNRELATED; seed++) {
        clusters(x, 10 + seed);
        clusters(z, 20 + seed);
        assert_true(degenerate(x, z, false, &chance));
        assert_int_equal(chance.starts, 3);
        assert_int_equal(chance.same, 0);
    }
}

static void a_blurred_copy_is_one(void **state)
{
    static float x[N * D], z[N * D];
    ig_map_chance chance;
    (void)state;
    clusters(x, 11);
    turn(z, x, .25, 1);
    assert_false(degenerate(x, z, true, &chance));
}

/* Of few words one start finds the copy again. */
static void the_same_map_again_is_no_chance(void **state)
{
    enum { FEW = 8, WORDS = 60 };
    static float x[WORDS * FEW];
    ig_map_options o = fixture_options();
    ig_map_pairs first = {0};
    ig_map_chance chance;
    ig_err err;
    (void)state;
    float *space = fixture_space(WORDS, FEW, 4);
    memcpy(x, space, sizeof x);
    fixture_normalise(x, WORDS, FEW);
    const ig_map_spaces s = {
        .x = x, .z = x, .n_x = WORDS, .n_z = WORDS, .d = FEW, .ops = ig_ops_best()};
    for (int32_t i = 0; i < WORDS; i++)
        assert_ok(ig_map_pairs_add(&first, i, i, &err), &err);
    const ig_chance_options c = {.most = WORDS, .learn = &o, .k = 5, .seed = 1};
    assert_ok(ig_map_chance_measure(&chance, &s, &first, &c, &err), &err);
    assert_true(chance.same > 0 && chance.agree > .5);
    assert_true(chance.same == chance.starts ? isnan(chance.objective[1])
                                             : chance.objective[1] < chance.objective[0]);
    ig_map_pairs_free(&first);
    free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clusters_that_fit_are_no_map),
                                       cmocka_unit_test(a_blurred_copy_is_one),
                                       cmocka_unit_test(the_same_map_again_is_no_chance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
