/* SPDX-License-Identifier: Apache-2.0
 *
 * The measure `maps` where it is exact by construction: two models that share nothing in one, the
 * second the first one's copy with its hidden dimensions in another order, over a text and its
 * shifted copy. Rows, words and words in context are found without a mistake, whatever the layer;
 * a second model that was drawn anew is not found.
 */
#include "two_models_fixture.h"

#include <stdlib.h>

enum { ROW, WORD, CONTEXT, N_LEVEL, PAIRS = 2 * N_LEVEL };

/* Number i of the measure at the k-th layer. */
static double number(const ig_measure_result *r, int k, int i)
{
    return at(r, ig_numbers_maps[i].name, k);
}

static ig_measure_result measure_maps(lab *l, int64_t max_sentence)
{
    ig_measure_options o = plain();
    o.what = IG_MEASURE_BIT(maps);
    o.n_layer = 3;
    o.layer[0] = 0;
    o.layer[1] = 2;
    o.layer[2] = 3;
    o.max_sentence = max_sentence;
    return measure(l, &o);
}

static void a_rotation_is_undone(void **state)
{
    (void)state;
    lab l = open_two(true, 2);
    const ig_measure_result r = measure_maps(&l, 0);
    for (int k = 0; k < 3; k++) {
        for (int level = 0; level < N_LEVEL; level++)
            for (int by = 0; by < 2; by++) {
                const double p1 = number(&r, k, by * N_LEVEL + level);
                assert_true(level == ROW && k > 0 ? isnan(p1) : p1 == 1);
            }
        assert_true(number(&r, k, PAIRS) ==
                    (VOCAB - 5) / 2); /* every second word; [UNK] and others are none */
        const double pairs = number(&r, k, PAIRS + 1);
        assert_true(pairs > (VOCAB - 5) * .9 && pairs <= VOCAB - 5);
    }
    lab_close(&l);
}

static void another_model_is_not_found(void **state)
{
    (void)state;
    lab l = open_two(false, 1);
    const ig_measure_result r = measure_maps(&l, 0);
    bool differ = false;
    for (int k = 0; k < 3; k++) {
        double v[PAIRS];
        for (int i = 0; i < PAIRS; i++)
            v[i] = number(&r, k, i);
        assert_true(v[WORD] < .2 && v[CONTEXT] < .3);
        assert_true(k > 0 || v[ROW] < .1);
        for (int level = 0; level < N_LEVEL; level++) /* by CSLS, by cosine */
            differ = differ || (!isnan(v[level]) && v[level] != v[N_LEVEL + level]);
    }
    assert_true(differ);
    lab_close(&l);
}

/* Any team gives the same bits; without sentences on both sides of the halves there are no numbers.
 */
static void any_team_any_number(void **state)
{
    (void)state;
    lab one = open_two(false, 0), more = open_two(false, 3);
    const ig_measure_result r = measure_maps(&one, 0), s = measure_maps(&more, 0),
                            none = measure_maps(&one, 1);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < PAIRS + 2; i++) {
            const double a = number(&r, k, i), b = number(&s, k, i);
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
        assert_true(isnan(at(&none, ig_numbers_maps[WORD].name, k)));
    }
    lab_close(&one);
    lab_close(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rotation_is_undone),
                                       cmocka_unit_test(another_model_is_not_found),
                                       cmocka_unit_test(any_team_any_number)};
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
