/* SPDX-License-Identifier: Apache-2.0
 *
 * The scores of a split as JSON: what a loss is a mean over, and how long a text is.
 */
#include "finetune/scores.h"
#include "task/task_fixture.h"

static double number(const json_t *j, const char *key)
{
    return json_number_value(json_object_get(j, key));
}

/* A word without a label is not scored, nor is it in the mean of the loss. */
static void loss(void **state)
{
    json_t *j;
    (void)state;
    put("a", "one\tX\ntwo\t_\nthree\tY\n\nfour\tX\n\n");
    ig_task *t = read_ok("kind: tagging\nscheme: plain\nlabels: [X, Y]\ntest: {en: a}\n");
    const int32_t label[] = {0, 0, 0, 0};
    const ig_prediction p = {.label = (int32_t *)(uintptr_t)label};
    assert_ok(ig_finetune_scores(&j, t, &t->set[0], &p, 1.5, &err), &err);
    assert_true(number(j, "n") == 3 && number(j, "loss") == .5);
    assert_true(number(j, "accuracy") == 2. / 3);
    json_decref(j);
    ig_task_free(t);
}

/* Texts have no words of their own: five characters, not bytes, count as one. */
static void lengths(void **state)
{
    json_t *j;
    char rows[600] = "";
    (void)state;
    for (int i = 0; i < 45; i++) /* nine words */
        strcat(rows, "\xc3\xa4");
    strcat(rows, "\tx\n");
    for (int i = 0; i < 55; i++) /* eleven */
        strcat(rows, "a");
    strcat(rows, "\ty\n");
    put("b", rows);
    ig_task *t = read_ok("kind: single\nlabels: [x, y]\ntest: {en: b}\n");
    const int32_t label[] = {0, 0};
    const ig_prediction p = {.label = (int32_t *)(uintptr_t)label};
    assert_ok(ig_finetune_detail(&j, t, &t->set[0], &p, &err), &err);
    const json_t *by = json_object_get(j, "by_length");
    for (size_t k = 0; k < json_array_size(by); k++) {
        const json_t *x = json_array_get(by, k);
        assert_true(number(x, "n") == (k < 2));
        if (k < 2)
            assert_true(number(x, "accuracy") == (k == 0));
    }
    json_decref(j);
    ig_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loss), cmocka_unit_test(lengths)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
