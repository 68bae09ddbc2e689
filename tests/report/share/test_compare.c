/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparing two sets of results: means and contrasts; which cells are compared; which settings are
 * said to differ.
 */
#include "results_fixture.h"

#include "report/share/compare.h"

#include <math.h>
#include <string.h>

/* Values of mu in A and B, by cell and seed. */
enum { SEEDS = 5, CELLS = 3 };
static const double in_a[CELLS][SEEDS] = {{.40, .42, .37, .45, .41}, {.1, .2, .3, .1, .2}, {.5}};
static const double in_b[CELLS][SEEDS] = {{.51, .50, .49, .52, .47}, {.2, .1, .3, .2, .4}, {.6}};
static const char *const name[] = {"0", "1", "batch=64"};

typedef struct {
    lab l;
    ig_store_result stored;
    ig_results results;
} one_side;

static void make_side(one_side *s, const double value[CELLS][SEEDS], int updates, int first_seed,
                      const char *more)
{
    ig_err err = {0};
    lab_open(&s->l);
    for (int c = 0; c < CELLS; c++)
        for (int i = 0; i < (c < 2 ? SEEDS : 1); i++) {
            char config[200];
            snprintf(config, sizeof config,
                     "{\"updates\":%d,\"batch\":%d,\"languages\":\"en; de\",\"seed\":%d}", updates,
                     c < 2 ? 32 : 64 + updates, i + first_seed);
            lab_run(&s->l, name[c], i + first_seed, IG_RUN_DONE, config,
                    lab_manifest("d1", "0.1", "a"), NULL);
            lab_metrics(&s->l, &(ig_row){"mu", "dev", "", "", 1, -1, true, 500, 9, value[c][i], 0},
                        1);
        }
    if (more != NULL)
        lab_run(&s->l, more, 0, IG_RUN_DONE, "{}", lab_manifest("d1", "0.1", "a"), NULL);
    lab_read(&s->stored, &s->l, true);
    assert_ok(ig_results_make(&s->results, &s->stored, true, &err), &err);
}

static void free_side(one_side *s)
{
    ig_results_free(&s->results);
    ig_store_result_free(&s->stored);
    lab_close(&s->l);
}

static void test_values(void **state)
{
    (void)state;
    static one_side a, b;
    ig_comparison c;
    ig_err err = {0};
    const ig_quantity q[] = {quantity("mu"), quantity("rho[low]")};
    make_side(&a, in_a, 500, 0, "alone");
    make_side(&b, in_b, 500, 2, NULL); /* seeds 2 to 6: cells are independent samples */
    assert_ok(
        ig_comparison_make(
            &c, &(ig_comparison_of){.a = &a.results, .b = &b.results, .q = q, .n_q = 2}, &err),
        &err);
    assert_int_equal(c.n_cells, 3);
    assert_int_equal(c.n_only[0], 1);
    assert_string_equal(c.only[0][0], "alone");
    assert_int_equal(c.n_only[1], 0);
    for (int k = 0; k < 2; k++) {
        const ig_compared *x = &c.value[k * 2];
        ig_summary s[] = {ig_summarise(in_b[k], 5), ig_summarise(in_a[k], 5)};
        assert_true(c.value[k * 2 + 1].neither);
        assert_null(x->missing);
        assert_true(x->b.mean == s[0].mean && x->a.mean == s[1].mean && x->a.sd == s[1].sd);
        s[1].mean = -s[1].mean;
        const ig_contrast want = ig_contrast_of(s, 2, 0, 3);
        assert_true(x->tested.n == 5 && fabs(x->tested.mean - want.mean) < 1e-15);
        assert_true(fabs(x->tested.p_adjusted - want.p_adjusted) < 1e-15);
    }
    assert_int_equal(c.value[4].tested.n, 1); /* one seed has no spread */
    assert_true(isnan(c.value[4].tested.p) && c.value[4].seeds_needed == -1);
    ig_comparison_free(&c);
    free_side(&a);
    free_side(&b);
}

/* A quantity that one side alone has: the line names the other. */
static void measured_on_one_side(void **state)
{
    (void)state;
    static one_side a, b;
    char one[] = "0=empty", two[] = "alone=0", *const pair[] = {one, two};
    ig_comparison c;
    ig_err err = {0};
    const ig_quantity q[] = {quantity("mu")};
    make_side(&a, in_a, 500, 0, "alone");
    make_side(&b, in_b, 500, 0, "empty");
    const ig_comparison_of of = {
        .a = &a.results, .b = &b.results, .q = q, .n_q = 1, .pair = pair, .n_pair = 2};
    assert_ok(ig_comparison_make(&c, &of, &err), &err);
    assert_string_equal(c.value[0].missing, "not measured in B");
    assert_string_equal(c.value[1].missing, "not measured in A");
    ig_comparison_free(&c);
    free_side(&a);
    free_side(&b);
}

static void test_settings(void **state)
{
    (void)state;
    static one_side a, b;
    ig_comparison c;
    ig_err err = {0};
    const ig_quantity q[] = {quantity("mu")};
    make_side(&a, in_a, 500, 0, NULL);
    make_side(&b, in_b, 700, 0, NULL);
    ig_comparison_of of = {.a = &a.results, .b = &b.results, .q = q, .n_q = 1};
    assert_ok(ig_comparison_make(&c, &of, &err), &err);
    assert_int_equal(c.n_setting, 2); /* and neither seed nor host */
    for (int i = 0; i < 2; i++) {
        const bool updates = strcmp(c.setting[i].key, "config.updates") == 0;
        assert_string_equal(c.setting[i].key, updates ? "config.updates" : "config.batch");
        assert_string_equal(c.setting[i].a, updates ? "500" : "564");
        assert_string_equal(c.setting[i].b, updates ? "700" : "764");
        assert_int_equal(c.setting[i].n_cells, updates ? 3 : 1);
        assert_string_equal(c.setting[i].cells[0]->a->name, updates ? "0" : "batch=64");
    }
    assert_int_equal(c.n_unknown_settings, 0);
    json_t *j = ig_comparison_json(&c, "a", "b");
    assert_int_equal(json_array_size(json_object_get(j, "comparisons")), 3);
    json_decref(j);
    ig_comparison_free(&c);

    /* Cells of other names; a name with '=' is whole where there is such a cell. */
    char *pair[] = {(char *)(uintptr_t) "0=1", (char *)(uintptr_t) "batch=64",
                    (char *)(uintptr_t) "batch=64=0"};
    of.pair = pair;
    of.n_pair = 3;
    assert_ok(ig_comparison_make(&c, &of, &err), &err);
    static const char *const want[][2] = {{"0", "1"}, {"batch=64", "batch=64"}, {"batch=64", "0"}};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(c.cells[i].a->name, want[i][0]);
        assert_string_equal(c.cells[i].b->name, want[i][1]);
    }
    ig_comparison_free(&c);
    pair[0] = (char *)(uintptr_t) "0=2";
    assert_int_equal(ig_comparison_make(&c, &of, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "the second has no cell '2'");
    ig_comparison_free(&c);
    free_side(&a);
    free_side(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(measured_on_one_side),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
