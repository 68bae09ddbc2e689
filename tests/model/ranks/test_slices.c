/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices cover the block of parameters without gaps, in nearly equal parts, and cut no piece of
 * the optimizer's.
 */
#include "model/ranks/slices.h"

#include "test.h"

static void slices_cover_the_block_and_cut_no_piece(void **state)
{
    (void)state;
    ig_bert_config c = ig_bert_config_small(3000);
    ig_bert *m;
    ig_err err;
    assert_ok(ig_bert_new(&m, &c, 1, &err), &err);
    for (int n = 1; n <= 64; n += n < 8 ? 1 : 14) {
        int64_t bound[65];
        ig_slices_make(bound, n, m);
        assert_int_equal(bound[0], 0);
        assert_int_equal(bound[n], ig_bert_n_weight(m));
        for (int r = 0; r < n; r++) {
            assert_true(bound[r] <= bound[r + 1]);
            assert_true(bound[r + 1] - bound[r] <= ig_bert_n_weight(m) / n + IG_PIECE + 64);
        }
        for (int i = 0; i < ig_bert_n_param(m); i++) {
            const ig_bert_param *p = &ig_bert_params(m)[i];
            const int64_t end = p->offset + (int64_t)p->rows * p->cols;
            for (int r = 1; r < n; r++)
                if (bound[r] > p->offset && bound[r] < end)
                    assert_int_equal((bound[r] - p->offset) % IG_PIECE, 0);
        }
    }
    ig_bert_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_cover_the_block_and_cut_no_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
