/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals by influences cover what they are intervals of: CKA of samples from two related normal
 * vectors against that of a large sample; a ratio against its own; CKA by chance is the mean over
 * orders.
 */
#include "test.h"

#include "analyse/similarity.h"
#include "base/rng.h"
#include "evaluate/card/influence.h"

#include <string.h>

enum { D = 6, MOST = 20000 };

static ig_err err;
static float x[2][MOST * D];
static double rows[3][MOST], length[2][MOST];

static void draw(ig_rng *r, int n)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < D; c++) {
            const double common = ig_rng_normal(r) * (c < 2 ? 2 : .7);
            for (int side = 0; side < 2; side++)
                x[side][i * D + c] = (float)(common + .8 * ig_rng_normal(r));
        }
    for (int side = 0; side < 2; side++) /* without their means */
        for (int c = 0; c < D; c++) {
            double mean = 0;
            for (int i = 0; i < n; i++)
                mean += (double)x[side][i * D + c] / n;
            for (int i = 0; i < n; i++)
                x[side][i * D + c] -= (float)mean;
        }
}

static void measure(ig_card_number *biased, ig_card_number *debiased, int n)
{
    const ig_similarity_with with = {.ops = ig_ops_best()};
    const ig_vector_work work = {D, ig_ops_best(), NULL};
    const ig_centred side[] = {{x[0], n, D}, {x[1], n, D}};
    ig_space a, b;
    ig_cka cka;
    assert_ok(ig_space_new(&a, x[0], n, D, &with, &err), &err);
    assert_ok(ig_space_new(&b, x[1], n, D, &with, &err), &err);
    assert_ok(ig_similarity_cka(&cka, &a, &b, &with, &err), &err);
    ig_space_free(&a);
    ig_space_free(&b);
    assert_ok(ig_hsic_rows(rows[0], &side[0], &side[1], work, &err), &err);
    assert_ok(ig_hsic_rows(rows[1], &side[0], &side[0], work, &err), &err);
    assert_ok(ig_hsic_rows(rows[2], &side[1], &side[1], work, &err), &err);
    memset(length, 0, sizeof length);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n * D; i++)
            length[k][i / D] += (double)x[k][i] * (double)x[k][i];
    const ig_cka_rows r = {rows[0], rows[1], rows[2], length[0], length[1], n};
    assert_ok(ig_card_cka(biased, cka.biased, &r, &err), &err);
    assert_ok(ig_card_cka_debiased(debiased, cka.debiased, &r, &err), &err);
}

static void cka_covers(void **state)
{
    enum { TIMES = 400, N = 200 };
    ig_card_number all[2], of[2];
    int held[2] = {0, 0};
    (void)state;
    ig_rng r = ig_rng_make(1, IG_STREAM_TEST, 5, 0);
    draw(&r, MOST);
    measure(&all[0], &all[1], MOST);
    for (int t = 0; t < TIMES; t++) {
        draw(&r, N);
        measure(&of[0], &of[1], N);
        for (int k = 0; k < 2; k++)
            held[k] += of[k].low <= all[k].value && all[k].value <= of[k].high;
    }
    /* The biased one is above by about d / n; four standard errors of .95 are .044. */
    print_message("covered: %.3f, %.3f\n", held[0] / (double)TIMES, held[1] / (double)TIMES);
    assert_true(held[1] > .9 * TIMES && held[1] < .995 * TIMES);
    assert_true(held[0] > .85 * TIMES);
}

static void cka_by_chance(void **state)
{
    enum { TIMES = 300, N = 30 };
    static float kept[N * D];
    ig_card_number biased, debiased;
    double sum = 0;
    int32_t order[N];
    (void)state;
    ig_rng r = ig_rng_make(2, IG_STREAM_TEST, 5, 0);
    draw(&r, N);
    measure(&biased, &debiased, N);
    const double chance = biased.chance;
    memcpy(kept, x[1], sizeof kept);
    for (int t = 0; t < TIMES; t++) {
        ig_rng_permutation(&r, order, N);
        for (int i = 0; i < N; i++)
            memcpy(x[1] + i * D, kept + order[i] * D, D * sizeof(float));
        measure(&biased, &debiased, N);
        sum += biased.value / TIMES;
    }
    assert_true(fabs(sum - chance) < .01 && chance > .05);
}

static void ratios(void **state)
{
    static const double a[] = {1, 2, 0, 3}, b[] = {4, 4, 4, 4}, none[4] = {0};
    (void)state;
    const ig_card_number r = ig_card_ratio(a, b, 4, IG_RANGE_ANY);
    /* A mean of a / 4: .375 with standard error sd(a) / 4 / √4, t of 3 degrees 3.1824. */
    assert_true(fabs(r.value - .375) < 1e-12);
    assert_true(fabs(r.high - (.375 + 3.182446305284263 * sqrt(5. / 3) / 4 / 2)) < 1e-9);
    const ig_card_number z = ig_card_ratio(none, b, 4, IG_RANGE_SHARE);
    assert_true(z.low == 0 && fabs(z.high - (1 - pow(.025, .25))) < 1e-9);
    assert_true(isnan(ig_card_ratio(b, none, 4, IG_RANGE_SHARE).value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cka_covers),
        cmocka_unit_test(cka_by_chance),
        cmocka_unit_test(ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
