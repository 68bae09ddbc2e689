/* SPDX-License-Identifier: Apache-2.0
 *
 * The demo, a few updates long: four runs from nothing but their options, measured; the second call
 * finds them and comes to the same; what needs no training is as the paper has it.
 */
#include "test.h"
#include "measured_fixture.h"

#include "base/file.h"
#include "base/memory.h"
#include "lab/demo.h"

#include <stdlib.h>
#include <string.h>

static void short_demo(void **state)
{
    (void)state;
    ig_err err;
    char dir[] = "/tmp/isoglot-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    ig_demo_result *r, *again;
    assert_ok(ig_alloc(&r, 1, sizeof *r, "result", &err), &err);
    assert_ok(ig_alloc(&again, 1, sizeof *again, "result", &err), &err);
    const ig_demo_options o = {.out = dir, .seed = 3, .threads = 2, .scale = 0.001};
    assert_ok(ig_demo_run(r, &o, &err), &err);
    for (int k = 0; k < IG_DEMO_N_RUN; k++) {
        assert_true(r->run[k].finished && r->run[k].measured);
        assert_int_equal(r->run[k].update, k == IG_DEMO_UNTRAINED ? 1 : 3);
        assert_int_equal(r->run[k].measure.options.n_layer, 2);
        assert_true(ig_measure_perplexity(&r->run[k].measure, "dev") > 100);
    }
    /* Table 1 of the paper, ID 18: shared positions alone align words (.97). */
    assert_true(at(&r->run[IG_DEMO_UNTRAINED].measure, "f1", 0) > 0.9);
    /* Apart, chance is left: about one in the length of a sentence, here 5 to 10 words. */
    assert_true(at(&r->run[IG_DEMO_SEPARATE].measure, "f1", 0) < 0.4);
    assert_true(ig_measure_value(&r->run[IG_DEMO_UNTRAINED].measure, "mu", -1) < 0.02);

    size_t n = strlen(r->sample[0]);
    assert_true(n > 10 && r->sample[0][n - 1] == r->sample[1][strlen(r->sample[1]) - 1]);
    assert_int_equal(strncmp(r->sample[1], "::", 2), 0);

    assert_ok(ig_demo_run(again, &o, &err), &err);
    for (int k = 0; k < IG_DEMO_N_RUN; k++) {
        assert_int_equal(again->run[k].resumed_from, r->run[k].update);
        assert_true(ig_measure_value(&again->run[k].measure, "mu", -1) ==
                    ig_measure_value(&r->run[k].measure, "mu", -1));
        assert_true(ig_measure_perplexity(&again->run[k].measure, "dev") ==
                    ig_measure_perplexity(&r->run[k].measure, "dev"));
    }
    /* Nothing was trained the second time, and all that was counts. */
    assert_true(r->seconds > 0 && again->seconds >= r->seconds * 0.999);
    json_t *j = ig_demo_json(r);
    assert_true(in_json(json_object_get(j, "separate"), "mu", "dev",
                        r->run[IG_DEMO_SEPARATE].measure.pair,
                        -1) == ig_measure_value(&r->run[IG_DEMO_SEPARATE].measure, "mu", -1));
    json_decref(j);
    ig_demo_free(r);
    ig_demo_free(again);
    ig_free(r);
    ig_free(again);
    assert_ok(ig_dir_remove(dir, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_demo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
