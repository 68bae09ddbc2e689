/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run's measures are to cover when it was measured before: all of what was, of every kind,
 * and what is wanted now.
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_measured_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
