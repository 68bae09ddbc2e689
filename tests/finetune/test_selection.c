/* SPDX-License-Identifier: Apache-2.0
 *
 * Which model of a fine-tuning counts, with scores that are given: the source's development texts
 * alone decide for the source, each target's for itself, the first of equals stays, and waiting is
 * counted from the last one that was better.
 */
#include "test.h"

#include "finetune/selection.h"

#include <string.h>

enum { STEPS = 5, SETS = 5 };
static ig_task_set sets[SETS] = {{.language = "en", .split = IG_SPLIT_TRAIN},
                                 {.language = "en", .split = IG_SPLIT_DEV},
                                 {.language = "de", .split = IG_SPLIT_DEV},
                                 {.language = "en", .split = IG_SPLIT_TEST},
                                 {.language = "de", .split = IG_SPLIT_TEST}};
/* Scores on development texts by evaluation; their mean would select the third. */
static const double dev_en[STEPS] = {.5, .7, .7, .6, .65}, dev_de[STEPS] = {.3, .1, .8, .8, .2};

typedef struct {
    int step, n_test;
} scorer;

static ig_code score(void *of, json_t *scores, const ig_task_set *set, ig_err *err)
{
    scorer *s = of;
    const bool en = strcmp(set->language, "en") == 0;
    json_t *language = json_object_get(scores, set->language);
    (void)err;
    assert_int_not_equal(set->split, IG_SPLIT_TRAIN);
    if (language == NULL) {
        json_object_set_new(scores, set->language, json_object());
        language = json_object_get(scores, set->language);
    }
    if (json_object_get(language, ig_split_names[set->split]) != NULL)
        return IG_ERR_OK;
    s->n_test += set->split == IG_SPLIT_TEST;
    /* A test's score names the evaluation that it is of. */
    const double value = set->split == IG_SPLIT_TEST ? s->step : (en ? dev_en : dev_de)[s->step];
    json_object_set_new(language, ig_split_names[set->split],
                        json_pack("{s:f}", "accuracy", value));
    return IG_ERR_OK;
}

static double get(const json_t *scores, const char *language, const char *split)
{
    return json_number_value(
        json_object_get(json_object_get(json_object_get(scores, language), split), "accuracy"));
}

static void steps(void **state)
{
    static const bool source[STEPS] = {true, true}, target[STEPS] = {true, false, true};
    static const int64_t waited[STEPS] = {0, 0, 1, 2, 3};
    static const struct {
        ig_select_kind kind;
        int update; /* -1: one for each language */
        int en, de; /* the evaluations that the test scores are of */
    } want[] = {
        {IG_SELECT_LAST, 50, 4, 4}, {IG_SELECT_SOURCE, 20, 1, 1}, {IG_SELECT_TARGET, -1, 1, 2}};
    ig_err err = {0};
    scorer of = {0};
    const ig_task task = {.set = sets, .n_set = SETS};
    const ig_selection_source from = {score, &of, &task, "accuracy"};
    json_t *s = ig_selection_new();
    (void)state;
    for (of.step = 0; of.step < STEPS; of.step++) {
        ig_selection_news news;
        const bool last = of.step == STEPS - 1;
        of.n_test = 0;
        assert_ok(ig_selection_step(s, &from, 10 * (of.step + 1), last, &news, &err), &err);
        assert_int_equal(news.source, source[of.step]);
        assert_int_equal(news.target, target[of.step]);
        assert_int_equal(ig_selection_waited(s), waited[of.step]);
        /* Texts to test on are scored where something is better, and at the end. */
        assert_int_equal(of.n_test, of.step < 2 || last ? 2 : of.step == 2 ? 1 : 0);
    }
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        json_t *scores, *j = ig_selection_json(s, want[i].kind, &scores);
        assert_string_equal(json_string_value(json_object_get(j, "by")),
                            ig_select_names[want[i].kind]);
        if (want[i].update >= 0)
            assert_int_equal(json_integer_value(json_object_get(j, "update")), want[i].update);
        assert_true(get(scores, "en", "test") == want[i].en);
        assert_true(get(scores, "de", "test") == want[i].de);
        json_decref(scores);
        json_decref(j);
    }
    json_decref(s);
}

/* Without development texts of a language that is trained in, the last one alone can be chosen. */
static void possible(void **state)
{
    const ig_task none = {.set = sets, .n_set = 1}, target = {.set = sets + 2, .n_set = 3},
                  both = {.set = sets, .n_set = SETS};
    (void)state;
    for (int kind = 0; kind < IG_N_SELECT; kind++) {
        assert_int_equal(ig_selection_possible(&none, (ig_select_kind)kind),
                         kind == IG_SELECT_LAST);
        assert_true(ig_selection_possible(&both, (ig_select_kind)kind));
    }
    assert_false(ig_selection_possible(&target, IG_SELECT_SOURCE));
    assert_true(ig_selection_possible(&target, IG_SELECT_TARGET));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(possible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
