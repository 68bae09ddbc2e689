/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures of what distinguishes two languages, on planted differences: none or one direction;
 * neighbours of two languages that are apart or coincide. (Hubness and retrieval by brute force:
 * tests/evaluate/card/test_diagnose.c.)
 */
#include "test.h"

#include "base/memory.h"
#include "base/numeric/unit_rows.h"
#include "base/rng.h"
#include "measure/measure_list.h"
#include "measure/nearest/sentence_neighbours.h"

#include <math.h>
#include <string.h>

enum { N = 400, D = 12 };

static float x[2][N * D];
static ig_err err;

/* Normal vectors, the second language's the first's and a little; from 0 `far` apart in one
 * direction. */
static void plant(float far)
{
    ig_rng r = ig_rng_make(6, IG_STREAM_TEST, 0, 0);
    for (int i = 0; i < N * D; i++) {
        x[0][i] = (float)ig_rng_normal(&r);
        x[1][i] = x[0][i] + .3f * (float)ig_rng_normal(&r);
    }
    for (int i = 0; i < N; i++) {
        x[0][i * D] += far;
        x[1][i * D] -= far;
    }
}

static ig_row_set rows;

static void measure(void)
{
    const ig_vector_pair v = {{x[0], x[1]}, {N, N}, D, NULL, N};
    const ig_retrieval_with with = {.ops = ig_ops_best()};
    const ig_measure_out out = {.rows = &rows, .split = "dev", .languages = "a-b", .layer = 0};
    ig_row_set_free(&rows);
    assert_ok(ig_measure_kinds[IG_MEASURE_language]->sentence_means(&out, &v, &with, &err), &err);
    for (int side = 0; side < 2; side++)
        assert_ok(ig_unit_rows(x[side], N, D, "rows", &err), &err);
    assert_ok(ig_measure_kinds[IG_MEASURE_neighbours]->sentences(&out, &v, &with, &err), &err);
}

static double number(const char *name)
{
    for (int64_t i = 0; i < rows.n; i++)
        if (strcmp(rows.row[i].task, name) == 0)
            return rows.row[i].value;
    fail_msg("no row of '%s'", name);
    return 0;
}

static void language_is_where_it_was_planted(void **state)
{
    (void)state;
    plant(0);
    measure();
    /* Four standard errors of 800 fair coins. */
    assert_true(fabs(number("probe") - .5) < 4 * sqrt(.25 / (2 * N)));
    assert_true(number("language_rank") == 0);
    assert_true(number("constant") < .02);
    assert_true(number("isotropy") > .9);
    assert_true(number("own_nearest") < .1); /* the translation is nearest */
    plant(6);
    measure();
    assert_true(number("probe") == 1);
    /* One direction; a probe's is not quite that one, so it takes a few. */
    assert_true(number("language_rank") > 1 && number("language_rank") <= 4);
    assert_true(number("own_nearest") > .99);
    /* 36 of 36 + 12, and of 36 + 12 · 1.09. */
    assert_true(fabs(number("constant") - .742) < .02);
    /* All but a direction of the variance is taken: 1/12 and a little. */
    assert_true(number("isotropy") < .3);
}

/* Each number of the measure is the score of its name. */
static void neighbours_by_name(void **state)
{
    (void)state;
    static float nearest[2][N];
    const float *sides[] = {x[0], x[1]}, *own[] = {nearest[0], nearest[1]};
    const ig_retrieval_with with = {.ops = ig_ops_best()};
    ig_neighbour_scores s;
    plant(.5f);
    for (int i = 0; i < N * D; i++)
        x[1][i] +=
            (i % D < 4 ? 2.f : .5f) * x[0][(i + 5 * D) % (N * D)]; /* so that criteria differ */
    measure();
    for (int k = 0; k < 2; k++)
        assert_ok(ig_nearest_own(nearest[k], x[k], N, D, &with, &err), &err);
    assert_ok(ig_neighbour_scores_run(&s, &(ig_sentence_rows){sides, N, D, own, NULL}, &with, &err),
              &err);
    assert_true(number("own_nearest") == s.own && number("hubness") == s.hubness);
    assert_true(number("rho_csls") == s.csls && number("rho_margin") == s.margin);
    assert_true(s.csls != s.margin);
}

static void few_sentences_have_no_probe(void **state)
{
    (void)state;
    const ig_vector_pair v = {{x[0], x[1]}, {9, 9}, D, NULL, 9};
    const ig_retrieval_with with = {.ops = ig_ops_best()};
    const ig_measure_out out = {.rows = &rows, .split = "dev", .languages = "a-b", .layer = 0};
    ig_row_set_free(&rows);
    assert_ok(ig_measure_kinds[IG_MEASURE_language]->sentence_means(&out, &v, &with, &err), &err);
    assert_int_equal(rows.n, 0);
}

static int forget(void **state)
{
    (void)state;
    ig_row_set_free(&rows);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(language_is_where_it_was_planted),
        cmocka_unit_test(neighbours_by_name),
        cmocka_unit_test(few_sentences_have_no_probe),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
