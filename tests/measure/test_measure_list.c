/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of measures: rows that nothing else could tell apart, numbers that every reader finds,
 * and that what experiment files, the store and manifests call a measure is the table's name.
 */
#include "test.h"

#include "lab/runs/lab_list.h"
#include "measure/measure_list.h"
#include "report/table/spec.h"

#include <string.h>

static void rows_are_whole(void **state)
{
    (void)state;
    for (int k = 0; k < IG_MEASURE_N; k++) {
        const ig_measure_kind *kind = ig_measure_kinds[k];
        int n = 0;
        assert_int_equal(ig_measure_find(ig_measure_names[k]), k);
        assert_true(strlen(ig_measure_helps[k]) > 10);
        assert_non_null(kind->number);
        for (const ig_store_task *t = kind->number; t->name != NULL; t++, n++) {
            assert_int_equal(ig_measure_of_task(t->name), k);
            assert_true(ig_store_task_find(t->name) == t); /* of no other list */
        }
        assert_true(n > 0 && kind->n_shown <= n);
        /* Somebody computes it. */
        assert_true(kind->sentence_means != NULL || kind->sentences != NULL ||
                    kind->words != NULL || kind->words_apart != NULL || kind->weights != NULL ||
                    kind->mapped != NULL || kind->text != NULL || kind->counts ||
                    k == IG_MEASURE_perplexity || /* measure.c */
                    k == IG_MEASURE_words ||      /* run/measure/word_retrieval.c */
                    k == IG_MEASURE_lexicon);     /* run/measure/word_retrieval.c */
    }
    assert_int_equal(ig_measure_find("alignments"), -1);
    assert_int_equal(ig_measure_of_task("mu"), -1);
    assert_int_equal(ig_measure_by_default(),
                     IG_MEASURE_BIT(alignment) | IG_MEASURE_BIT(retrieval) |
                         IG_MEASURE_BIT(translation) | IG_MEASURE_BIT(perplexity));
}

static void numbers_have_all_that_is_told_of_them(void **state)
{
    (void)state;
    ig_err err;
    const ig_store_task *t;
    for (int i = 0; (t = ig_store_task_at(i)) != NULL; i++) {
        ig_quantity q;
        assert_true(t->symbol != NULL && t->what != NULL && t->split != NULL && t->version >= 1);
        assert_true(t->version_listed == 0 || t->version_listed > t->version);
        for (int k = 0; k < i; k++)
            if (strcmp(ig_store_task_at(k)->name, t->name) == 0)
                fail_msg("%s is there twice", t->name);
        assert_ok(ig_quantity_parse(&q, t->name, "", 0, &err), &err);
    }
    assert_true(ig_store_task_find("tau_mapped")->version_listed == 2);
}

/* Each measure alone must be covered by a finished run that requested it. */
static void coverage_knows_each(void **state)
{
    (void)state;
    const ig_measure_languages languages = {0};
    for (int k = 0; k < IG_MEASURE_N; k++) {
        const ig_measure_plan one = {.what = (ig_measure_set)1 << k}, none = {0};
        json_t *j = ig_lab_plan_json(&one, &languages, 10, 2);
        const json_t *what = json_object_get(j, "what");
        assert_int_equal(json_array_size(what), 1);
        assert_string_equal(json_string_value(json_array_get(what, 0)), ig_measure_names[k]);
        for (int i = 0; i < IG_MEASURE_N; i++) {
            const ig_measure_plan want = {.what = (ig_measure_set)1 << i};
            assert_int_equal(ig_lab_covers((char[IG_LAB_WHY]){0}, j, &want, &languages, 10, 2),
                             i == k ? IG_LAB_COVERED : IG_LAB_MEASURE_END);
        }
        assert_int_equal(ig_lab_plan_union(j, &none, 2).what, one.what);
        json_decref(j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_whole),
                                       cmocka_unit_test(numbers_have_all_that_is_told_of_them),
                                       cmocka_unit_test(coverage_knows_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
