/* SPDX-License-Identifier: Apache-2.0
 *
 * τ of word order against a literal reading of its definitions, and on sentences whose order is
 * known; the best assignment against all permutations.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "analyse/links/assignment.h"
#include "analyse/links/word_order.h"
#include "test.h"

/* In double; NaN is near nothing. */
#define assert_near(got, want, tolerance) assert_true(fabs((got) - (want)) <= (tolerance))

enum { most = 24 };

/* One sentence's τ; NaN when it is left out. */
static double tau_of(ig_variant variant, const ig_word_link *link, int32_t n, int32_t n_a)
{
    ig_word_order w = {.variant = variant};
    ig_word_links s = {.link = link, .n = n, .n_a = n_a, .n_b = -1};
    ig_err err = {0};
    assert_ok(ig_word_order_add(&w, &s, &err), &err);
    double tau = w.n == 1 ? w.value[0] : (double)NAN;
    assert_int_equal(w.n_sentence, 1);
    ig_word_order_free(&w);
    return tau;
}

static void test_known(void **state)
{
    (void)state;
    static const ig_word_link same[] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}},
                              turned[] = {{0, 3, 0}, {1, 2, 0}, {2, 1, 0}, {3, 0, 0}},
                              one[] = {{0, 1, 0}}, fan[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}},
                              /* a-0 b-2 c-1 d- e-3; d has no link */
        gap[] = {{0, 0, 0}, {1, 2, 0}, {2, 1, 0}, {4, 3, 0}},
                              /* one word to two, two to one */
        many[] = {{0, 3, 0}, {0, 4, 0}, {1, 0, 0}, {2, 0, 0}};
    for (int v = 0; v < 3; v++) {
        assert_near(tau_of((ig_variant)v, same, 4, 4), 1, 1e-15);
        assert_near(tau_of((ig_variant)v, turned, 4, 4), v == 0 ? -1 : 0, 1e-15);
        assert_true(isnan(tau_of((ig_variant)v, one, 0, 3)));
    }
    assert_true(isnan(tau_of(IG_VARIANT_FIXED, one, 1, 4)));
    assert_true(isnan(tau_of(IG_VARIANT_FIXED, fan, 3, 4)));
    assert_true(isnan(tau_of(IG_VARIANT_PAPER_CODE, fan, 3, 4)));
    assert_near(tau_of(IG_VARIANT_PAPER_TEXT, fan, 3, 4), 1, 0);
    /* 4 points, 1 of 6 pairs discordant: τ-b = 4/6; 1 − √(1/6). With d, 5 words: d stands at c's
     * place 1, so b-d is discordant, too: 2 of 10. */
    assert_near(tau_of(IG_VARIANT_FIXED, gap, 4, 5), 4.0 / 6, 1e-15);
    assert_near(tau_of(IG_VARIANT_PAPER_CODE, gap, 4, 5), 1 - sqrt(1.0 / 6), 1e-15);
    assert_near(tau_of(IG_VARIANT_PAPER_TEXT, gap, 4, 5), 1 - sqrt(2.0 / 10), 1e-15);
    /* Points (0,3) (0,4) (1,0) (2,0): 4 discordant, one pair tied in x, one in y, τ-b = −4/5.
     * By first links 3 0 0: 2 of 3. */
    assert_near(tau_of(IG_VARIANT_FIXED, many, 4, 3), -4.0 / 5, 1e-15);
    assert_near(tau_of(IG_VARIANT_PAPER_CODE, many, 4, 3), 1 - sqrt(2.0 / 3), 1e-15);
    /* Words after the last link are known only where the sentence is. */
    assert_near(tau_of(IG_VARIANT_PAPER_TEXT, many, 4, 3), 1 - sqrt(2.0 / 3), 1e-15);
    assert_near(tau_of(IG_VARIANT_PAPER_TEXT, many, 4, -1), 1 - sqrt(2.0 / 3), 1e-15);
    assert_near(tau_of(IG_VARIANT_PAPER_TEXT, many, 4, 4), 1 - sqrt(3.0 / 6), 1e-15);
}

/* The definitions read word by word. */
static double literal(ig_variant variant, const ig_word_link *link, int32_t n, int32_t n_a)
{
    double x[most * most], y[most * most];
    int32_t m = 0;
    if (variant == IG_VARIANT_FIXED) {
        for (int32_t i = 0; i < n; i++, m++) {
            x[m] = link[i].a;
            y[m] = link[i].b;
        }
    } else {
        double before = -1;
        for (int32_t a = 0; a < n_a; a++) {
            int32_t first = -1;
            for (int32_t i = n - 1; i >= 0; i--)
                if (link[i].a == a)
                    first = link[i].b;
            if (first < 0 && variant == IG_VARIANT_PAPER_CODE)
                continue;
            before = first >= 0 ? first : before;
            x[m] = a;
            y[m++] = before;
        }
        if (n == 0)
            m = 0;
    }
    double c = 0, d = 0, tie_x = 0, tie_y = 0;
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = i + 1; j < m; j++) {
            double p = (x[i] - x[j]) * (y[i] - y[j]);
            c += p > 0;
            d += p < 0;
            tie_x += x[i] == x[j];
            tie_y += y[i] == y[j];
        }
    double pairs = m * (m - 1) / 2.0;
    if (m < 2)
        return (double)NAN;
    if (variant == IG_VARIANT_FIXED)
        return (c - d) / sqrt((pairs - tie_x) * (pairs - tie_y));
    return 1 - sqrt(d / pairs);
}

static void test_random(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(7, IG_STREAM_TEST, 0, 0);
    for (int round = 0; round < 2000; round++) {
        ig_word_link link[most * most];
        int32_t n = 0, n_a = (int32_t)ig_rng_below(&r, most) + 1,
                n_b = (int32_t)ig_rng_below(&r, most) + 1;
        double density = ig_rng_unit(&r);
        density *= density;
        for (int32_t a = 0; a < n_a; a++)
            for (int32_t b = 0; b < n_b; b++)
                if (ig_rng_unit(&r) < density)
                    link[n++] = (ig_word_link){a, b, false};
        for (int v = 0; v < 3; v++) {
            double got = tau_of((ig_variant)v, link, n, n_a),
                   want = literal((ig_variant)v, link, n, n_a);
            if (isfinite(want) != isfinite(got) || (isfinite(want) && fabs(got - want) > 1e-12))
                fail_msg("round %d, variant %d: %g, expected %g", round, v, got, want);
        }
    }
}

static void test_mean(void **state)
{
    (void)state;
    static const ig_word_link up[] = {{0, 0, 0}, {1, 1, 0}}, down[] = {{0, 1, 0}, {1, 0, 0}},
                              maybe[] = {{0, 0, 0}, {1, 1, 1}};
    ig_word_order w = {.variant = IG_VARIANT_FIXED};
    ig_err err = {0};
    ig_word_order_score s;
    for (int i = 0; i < 3; i++)
        assert_ok(ig_word_order_add(&w, &(ig_word_links){.link = up, .n = 2, .n_a = 2}, &err),
                  &err);
    assert_ok(ig_word_order_add(&w, &(ig_word_links){.link = down, .n = 2, .n_a = 2}, &err), &err);
    assert_ok(ig_word_order_add(&w, &(ig_word_links){.link = maybe, .n = 2, .n_a = 2}, &err), &err);
    assert_int_equal(w.n_sentence, 5);
    assert_int_equal(w.n, 4);
    assert_int_equal(w.n_link, 9);
    assert_int_equal(w.concordant, 3);
    assert_int_equal(w.discordant, 1);
    s = ig_word_order_get(&w);
    assert_near(s.tau.mean, .5, 1e-15);
    assert_true(s.interval.low <= .5 && s.interval.high >= .5 && s.interval.high <= 1);
    ig_word_order_free(&w);
    w.possible = true;
    assert_ok(ig_word_order_add(&w, &(ig_word_links){.link = maybe, .n = 2, .n_a = 2}, &err), &err);
    assert_int_equal(w.n, 1);
    ig_word_order_free(&w);
}

/* --- the assignment
 * ---------------------------------------------------------------------------------- */

enum { side = 6 };

/* The greatest sum over all ways to give each row of the shorter side a column of its own. */
static double best(const float *sim, int ld, int na, int nb, int row, unsigned used)
{
    double found = -1e9;
    int n = na < nb ? na : nb, m = na < nb ? nb : na;
    if (row == n)
        return 0;
    for (int j = 0; j < m; j++)
        if ((used & 1u << j) == 0) {
            double s = (double)(na <= nb ? sim[row * ld + j] : sim[j * ld + row]) +
                       best(sim, ld, na, nb, row + 1, used | 1u << j);
            found = s > found ? s : found;
        }
    return found;
}

static void test_assignment(void **state)
{
    (void)state;
    ig_rng r = ig_rng_make(8, IG_STREAM_TEST, 0, 0);
    ig_assignment_memory memory = {0};
    for (int round = 0; round < 600; round++) {
        float sim[side * (side + 2)];
        int32_t pairs[2 * side], n;
        ig_err err = {0};
        int na = (int)ig_rng_below(&r, side) + 1, nb = (int)ig_rng_below(&r, side) + 1,
            ld = nb + round % 3;
        /* Few values: many ties. */
        for (int i = 0; i < na * ld; i++)
            sim[i] = round % 2 ? (float)ig_rng_below(&r, 3) : (float)ig_rng_unit(&r) * 2 - 1;
        assert_ok(ig_assignment(pairs, &n, &(ig_score_matrix){sim, ld, na, nb}, &memory, &err),
                  &err);
        assert_int_equal(n, na < nb ? na : nb);
        double sum = 0;
        unsigned seen = 0;
        for (int32_t i = 0; i < n; i++) {
            assert_true(i == 0 || pairs[2 * i] > pairs[2 * i - 2]);
            assert_true(pairs[2 * i] < na && pairs[2 * i + 1] < nb);
            assert_int_equal(seen & 1u << pairs[2 * i + 1], 0);
            seen |= 1u << pairs[2 * i + 1];
            sum += (double)sim[pairs[2 * i] * ld + pairs[2 * i + 1]];
        }
        assert_near(sum, best(sim, ld, na, nb, 0, 0), 1e-5);
    }
    ig_assignment_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_mean),
                                       cmocka_unit_test(test_assignment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
