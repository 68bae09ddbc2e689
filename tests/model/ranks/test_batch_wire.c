/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch comes out of a message as it went in, with the arrays that it has and no others.
 */
#include "model/ranks/batch_wire.h"

#include "test.h"

static void same(const int32_t *a, const int32_t *b, int n)
{
    assert_true((a == NULL) == (b == NULL));
    if (a != NULL)
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

static void a_batch_is_the_same_behind_a_message(void **state)
{
    (void)state;
    static const int32_t start[] = {0, 2, 5}, x[] = {7, 8, 9, 10, 11}, row[] = {1, 3, 4},
                         language[] = {0, 1};
    const ig_batch b = {.n_seq = 2,
                        .n_tok = 5,
                        .seq_start = start,
                        .id = x,
                        .pos = x + 0,
                        .seg = x,
                        .language = language,
                        .causal = true,
                        .target = {[IG_HEAD_MASKED] = {.n = 3, .row = row, .label = row},
                                   [IG_HEAD_PARSER] = {.n = 2, .row = row, .head = row + 1}}};
    const int64_t mark = 0x1234;
    ig_wire w = {0};
    ig_batch got;
    ig_err err;
    for (int turn = 0; turn < 2; turn++) {
        int64_t end;
        ig_wire_clear(&w);
        assert_ok(ig_batch_put(&w, &b, &err), &err);
        assert_ok(ig_wire_put(&w, &mark, sizeof mark, &err), &err);
        ig_batch_take(&got, &w);
        ig_wire_take(&w, &end, sizeof end);
        assert_int_equal(end, mark);
        assert_null(ig_wire_at(&w, 1));
    }
    assert_int_equal(got.n_tok, 5);
    assert_true(got.causal);
    same(got.seq_start, start, 3);
    same(got.id, x, 5);
    same(got.pos, x, 5);
    same(got.seg, x, 5);
    same(got.language, language, 2);
    for (int h = 0; h < IG_N_HEAD; h++) {
        const ig_targets *t = &got.target[h], *want = &b.target[h];
        assert_int_equal(t->n, want->n);
        same(t->row, want->row, t->n);
        same(t->label, want->label, t->n);
        same(t->head, want->head, t->n);
    }
    ig_wire_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_the_same_behind_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
