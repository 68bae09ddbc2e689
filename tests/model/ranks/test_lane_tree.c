/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of lanes is the same wherever the lanes are: sums that processes make of theirs, and
 * then of what remains, have the bits of one process that has all.
 */
#include "model/ranks/lane_tree.h"

#include "base/rng.h"
#include "model/engine/shards.h"
#include "test.h"

/* One number for each lane. */
static void draw(float *x, int n, uint64_t seed)
{
    ig_rng r = ig_rng_make(seed, IG_STREAM_INIT, 0, 0);
    for (int i = 0; i < n; i++)
        x[i] = (float)ig_rng_normal(&r);
}

/* As op add_lanes has it. */
static float by_steps(const float *x, int n)
{
    float v[IG_LANES_MAX];
    for (int i = 0; i < n; i++)
        v[i] = x[i];
    for (int step = 1; step < n; step *= 2)
        for (int k = 0; k + step < n; k += 2 * step)
            v[k] += v[k + step];
    return v[0];
}

/* Pushes b on a stack of sums, and adds what the tree adds. */
static void push(ig_lane_sum *stack, int *have, ig_lane_sum b, int n)
{
    stack[(*have)++] = b;
    while (*have > 1 && ig_lane_tree_joins(&stack[*have - 2], &stack[*have - 1], n)) {
        *stack[*have - 2].at += *stack[*have - 1].at;
        stack[*have - 2].to = stack[*have - 1].to;
        (*have)--;
    }
}

static void any_ranks_have_the_bits_of_one(void **state)
{
    (void)state;
    for (int n = 1; n <= IG_LANES_MAX; n++)
        for (int ranks = 1; ranks <= 9; ranks++) {
            ig_lane_sum own[IG_LANES_MAX], all[IG_LANES_MAX], expected[IG_LANES_MAX];
            float x[IG_LANES_MAX];
            int have = 0;
            draw(x, n, (uint64_t)n);
            const float want = by_steps(x, n);
            for (int r = 0; r < ranks; r++) {
                const int from = n * r / ranks, to = n * (r + 1) / ranks;
                int mine = 0, most, deepest = 0;
                for (int k = from; k < to; k++) {
                    push(own, &mine, (ig_lane_sum){k, k + 1, &x[k]}, n);
                    deepest = mine + 1 > deepest ? mine + 1 : deepest;
                }
                assert_int_equal(ig_lane_tree_sums(expected, from, to, n, &most), mine);
                assert_true(most <= deepest && most >= mine && most <= 8 + 6);
                for (int i = 0; i < mine; i++) {
                    assert_int_equal(own[i].from, expected[i].from);
                    assert_int_equal(own[i].to, expected[i].to);
                    push(all, &have, own[i], n);
                }
            }
            assert_int_equal(have, 1);
            assert_memory_equal(all[0].at, &want, sizeof want);
        }
}

static void a_process_that_has_all_needs_few_gradients(void **state)
{
    (void)state;
    ig_lane_sum sum[IG_LANES_MAX];
    for (int n = 1, log = 0; n <= IG_LANES_MAX; n++) {
        int most;
        while (1 << log < n)
            log++;
        assert_int_equal(ig_lane_tree_sums(sum, 0, n, n, &most), 1);
        assert_true(most <= log + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_ranks_have_the_bits_of_one),
        cmocka_unit_test(a_process_that_has_all_needs_few_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
