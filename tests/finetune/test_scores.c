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
    assert_ok(ig_finetune_scores(&j, t, &t->set[0], &p, .5, &err), &err);
    assert_true(number(j, "n") == 3 && number(j, "loss") == .5);
    assert_true(number(j, "accuracy") == 2. / 3);
    json_decref(j);
    ig_task_free(t);
}

/* A word that was not read has no label: wrong in accuracy, in no span of F1, no label's in the
 * tables. A gold label that training does not have is missed, and has a row of its own. */
static void words_without_prediction(void **state)
{
    json_t *j;
    (void)state;
    put("a", "a B-X\nb I-X\nc O\nd B-X\n");
    put("b", "a B-X\nb I-X\nc O\nd O\ne B-Y\nf I-Y\n");
    ig_task *t = read_ok("kind: tagging\ntrain: {en: a}\ntest: {en: b}\n");
    enum { BX, IX, O }; /* in the order of their bytes */
    const int32_t read[] = {BX, IX, O, O, O, O}, cut[] = {BX, IX, O, -1, -1, -1};
    for (int k = 0; k < 2; k++) {
        const ig_prediction p = {.label = (int32_t *)(uintptr_t)(k == 0 ? read : cut)};
        assert_ok(ig_finetune_scores(&j, t, &t->set[1], &p, (double)NAN, &err), &err);
        assert_true(number(j, "accuracy") == (k == 0 ? 4. / 6 : 3. / 6));
        assert_true(json_is_null(json_object_get(j, "loss")));
        static const char *const f1[] = {"f1.conlleval", "f1.strict", "f1.repair_first",
                                         "f1.repair_last"};
        for (int r = 0; r < 4; r++) /* one of two spans */
            assert_true(fabs(number(j, f1[r]) - 2. / 3) < 1e-12);
        assert_true(number(j, "precision") == 1 && number(j, "recall") == .5);
        json_decref(j);
        assert_ok(ig_finetune_detail(&j, t, &t->set[1], &p, &err), &err);
        const json_t *by = json_object_get(j, "by_label"), *y = json_object_get(by, "B-Y"),
                     *o = json_object_get(by, "O");
        assert_true(number(y, "n") == 1 && number(y, "recall") == 0);
        assert_true(number(o, "n") == 2 && number(o, "recall") == (k == 0 ? 1 : .5));
        json_decref(j);
    }
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(loss),
                                       cmocka_unit_test(words_without_prediction),
                                       cmocka_unit_test(lengths)};
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
