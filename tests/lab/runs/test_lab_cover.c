/* SPDX-License-Identifier: Apache-2.0
 *
 * The measures that a run must cover if it was measured before: all earlier ones, of every kind,
 * and those requested now.
 */
#include "test.h"

#include "lab/runs/lab_list.h"

#include <jansson.h>
#include <stdbool.h>

/* The kinds that are switches, in the order of `has`. */
static const char *const kind[] = {
    "alignment",  "retrieval", "translation", "perplexity", "words",     "spaces", "distinct",
    "similarity", "language",  "neighbours",  "shift",      "positions", "maps"};
enum { KINDS = sizeof kind / sizeof *kind };

static void read_switches(const ig_measure_plan *p, bool has[KINDS])
{
    for (int i = 0; i < KINDS; i++)
        has[i] = ig_measure_requested(p->what, i);
}

static void nothing_measured_is_lost(void **state)
{
    (void)state;
    for (int before = 0; before < KINDS; before++)
        for (int now = 0; now < KINDS; now++) {
            ig_measure_plan want = {0};
            bool has[KINDS];
            want.what = (ig_measure_set)1 << now;
            json_t *measured = json_pack("{s:[s]}", "what", kind[before]);
            assert_non_null(measured);
            const ig_measure_plan all = ig_lab_plan_union(measured, &want, 2);
            read_switches(&all, has);
            for (int i = 0; i < KINDS; i++)
                if (has[i] != (i == before || i == now))
                    fail_msg("%s and %s: %s is %d", kind[before], kind[now], kind[i], has[i]);
            json_decref(measured);
        }
}

/* The layers of mu are measured beside whatever others are named. */
static void layers_of_mu_are_always_measured(void **state)
{
    (void)state;
    char why[IG_LAB_WHY];
    ig_measure_plan want = {.all_layers = true};
    const ig_measure_languages none = {0};
    json_t *measured = json_pack("{s:[i]}", "layers", 1); /* of 2: mu's are 0 and 2 */
    assert_non_null(measured);
    assert_int_equal(ig_lab_covers(why, measured, &want, &none, 10, 2), IG_LAB_COVERED);
    assert_string_equal(why, "");
    want.all_layers = false;
    assert_int_equal(ig_lab_covers(why, measured, &want, &none, 10, 2), IG_LAB_COVERED);
    want.layers = (ig_int_list){.n = 2, .v = {1, 3}};
    assert_int_equal(ig_lab_covers(why, measured, &want, &none, 10, 4), IG_LAB_COVERED);
    want.layers.v[1] = 4;
    assert_int_not_equal(ig_lab_covers(why, measured, &want, &none, 10, 4), IG_LAB_COVERED);
    assert_string_equal(why, "not at layer 4");
    json_decref(measured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_measured_is_lost),
                                       cmocka_unit_test(layers_of_mu_are_always_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
