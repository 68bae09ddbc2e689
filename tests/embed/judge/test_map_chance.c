/* SPDX-License-Identifier: Apache-2.0
 *
 * Chance of a map from nothing searches as well as the map did: of unrelated spaces with clusters,
 * which annealing lays on each other well, random pairs alone found less, and the maps were not
 * called degenerate.
 */
#include "embed/judge/map_diagnose.h"
#include "embed/map/map_anneal.h"
#include "map_fixture.h"
#include "test.h"

#include <math.h>

/* Each seed takes the same path, so sanitizers see one; the verdicts of more are the release
 * build's. */
enum {
    N = SANITIZED ? 250 : 500,
    D = 50,
    CLUSTERS = 20,
    UNRELATED = SANITIZED ? 1 : 3,
    COPIES = 1
};

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

/* Whether the annealed map is called degenerate. */
static bool degenerate(float *x, float *z, ig_map_chance *chance)
{
    const ig_steps steps = {3, {IG_STEP_UNIT, IG_STEP_CENTER, IG_STEP_UNIT}};
    const ig_anneal_options anneal = {
        .words = N, .k = 10, .from = .4, .to = .02, .factor = .98, .frequency = 1};
    ig_map_options o = fixture_options();
    char verdict[IG_VERDICT_SIZE];
    ig_map_pairs first = {0};
    ig_map_random random = {0};
    ig_map_result map;
    ig_map_health health;
    ig_err err;
    fixture_normalise(x, N, D);
    fixture_normalise(z, N, D);
    const ig_map_spaces s = {.x = x, .z = z, .n_x = N, .n_z = N, .d = D, .ops = ig_ops_best()};
    o.keep = 1;
    o.patience = 10;
    assert_ok(ig_map_seed_annealed(&first, &s, &anneal, &steps, &err), &err);
    assert_ok(ig_map_run(&map, &s, &first, &o, &err), &err);
    o.keep = .1;
    const ig_chance_options c = {.most = N, .learn = &o, .anneal = &anneal, .k = 10, .seed = 1};
    assert_ok(ig_map_chance_measure(chance, &random, &s, &map.pairs, &c, &err), &err);
    /* A start that leads to the same map, the best of all, does not count as chance. */
    ig_map_chance again;
    random.start[0].objective = 1;
    random.start[0].pairs.n = 0;
    for (int32_t i = 0; i < map.pairs.n; i++)
        assert_ok(ig_map_pairs_add(&random.start[0].pairs, map.pairs.source[i], map.pairs.target[i],
                                   &err),
                  &err);
    assert_ok(ig_map_chance_measure(&again, &random, &s, &map.pairs, &c, &err), &err);
    assert_true(again.agree > .3 && again.same == chance->same + 1);
    assert_true(again.objective[1] < 1);
    /* And it leads further, so it is the one to go on with. */
    assert_int_equal(again.better, 0);
    float *to = calloc(N * D, sizeof *to);
    assert_ok(ig_map_apply(to, x, N, (ig_map_matrix){map.a_x, D}, ig_map_with(&s), &err), &err);
    ig_map_spaces mapped = s;
    float *of = calloc(N * D, sizeof *of);
    assert_ok(ig_map_apply(of, z, N, (ig_map_matrix){map.a_z, D}, ig_map_with(&s), &err), &err);
    mapped.x = to;
    mapped.z = of;
    const ig_diagnose_options d = {.blind = true, .most = N, .k = 10, .seed = 1};
    assert_ok(ig_map_diagnose(&health, &mapped, &d, &err), &err);
    const bool bad = ig_map_verdict(verdict, &health, chance);
    print_message("%s\n", verdict);
    free(to);
    free(of);
    ig_map_random_free(&random);
    ig_map_result_free(&map);
    ig_map_pairs_free(&first);
    return bad;
}

/* Further than the map leads a start only where another finds the same: one alone is luck. */
static void a_start_that_leads_further(void **state)
{
    static float x[N * D], z[N * D];
    static const struct {
        double by;    /* of 1 − objective */
        bool confirm; /* by another start, further away than the map */
        int better;
    } each[] = {{.05, true, 1}, {.05, false, -1}, {.005, true, -1}};
    ig_map_options o = fixture_options();
    ig_map_pairs first = {0};
    ig_err err;
    (void)state;
    clusters(x, 11);
    turn(z, x, .1, 1);
    fixture_normalise(x, N, D);
    fixture_normalise(z, N, D);
    const ig_map_spaces s = {.x = x, .z = z, .n_x = N, .n_z = N, .d = D, .ops = ig_ops_best()};
    for (int32_t i = 0; i < N; i++)
        assert_ok(ig_map_pairs_add(&first, i, i, &err), &err);
    o.max_round = 2;
    const ig_chance_options c = {.most = N, .learn = &o, .k = 10, .seed = 1};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        ig_map_chance chance;
        ig_map_random random = {.starts = 3};
        for (int k = 0; k < 3; k++) {
            random.start[k].objective = -1;
            /* At most starts 1 and 2 have the same pairs; none has the map's. */
            for (int32_t w = 0; w < N; w++)
                assert_ok(ig_map_pairs_add(&random.start[k].pairs, w,
                                           (w + (k > 0 && each[i].confirm ? 9 : 5 + k)) % N, &err),
                          &err);
        }
        assert_ok(ig_map_chance_measure(&chance, &random, &s, &first, &c, &err), &err);
        assert_int_equal(chance.better, -1);
        random.start[1].objective = 1 - (1 - each[i].by) * (1 - chance.objective[0]);
        assert_ok(ig_map_chance_measure(&chance, &random, &s, &first, &c, &err), &err);
        assert_int_equal(chance.better, each[i].better);
        assert_int_equal(chance.same, 0);
        ig_map_random_free(&random);
    }
    ig_map_pairs_free(&first);
}

static void clusters_that_fit_are_no_map(void **state)
{
    static float x[N * D], z[N * D];
    ig_map_chance chance;
    (void)state;
    for (uint32_t seed = 1; seed <= UNRELATED; seed++) {
        clusters(x, 10 + seed);
        clusters(z, 20 + seed);
        assert_true(degenerate(x, z, &chance));
        assert_int_equal(chance.starts, IG_CHANCE_STARTS);
        assert_int_equal(chance.same, 0);
    }
}

static void a_blurred_copy_is_one(void **state)
{
    static float x[N * D], z[N * D];
    ig_map_chance chance;
    (void)state;
    for (uint32_t seed = 1; seed <= COPIES; seed++) {
        clusters(x, 10 + seed);
        turn(z, x, .25, seed);
        assert_false(degenerate(x, z, &chance));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clusters_that_fit_are_no_map),
                                       cmocka_unit_test(a_blurred_copy_is_one),
                                       cmocka_unit_test(a_start_that_leads_further)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
