/* SPDX-License-Identifier: Apache-2.0
 *
 * BLEU-1 against numbers of sacrebleu 2.6 (max_ngram_order 1, tokenize none, smooth_method none) on
 * sentences of a generator that is easy to write anywhere, and against a count of each unit;
 * convert rate and gold accuracy against their definitions.
 */
#include "test.h"

#include "apply/edit/translation_score.h"

#include <math.h>

enum { N_UNIT = 12, MOST = 20, N_SENTENCE = 20 };

static ig_err err;
static uint32_t state_of = 1;

/* x ← 1103515245 x + 12345 mod 2³¹, and its bits from the eighth on. */
static int32_t draw(uint32_t n)
{
    state_of = (uint32_t)((state_of * 1103515245ull + 12345) % 0x80000000u);
    return (int32_t)((state_of >> 8) % n);
}

static int sentence(int32_t *unit, int more)
{
    const int n = draw(9) + more + 1;
    for (int i = 0; i < n; i++)
        unit[i] = draw(N_UNIT);
    return n;
}

static void sacrebleu(void **state)
{
    static const int more[] = {0, 1, 3, 8};
    static const double want[] = {24.958406749099627, 24.203749555401544, 24.976615283518015,
                                  14.418428641189854};
    (void)state;
    for (int q = 0; q < 4; q++) {
        ig_translation_count c = {0};
        ig_bleu_buffers room = {0};
        int64_t n_match = 0;
        for (int i = 0; i < N_SENTENCE; i++) {
            int32_t out[MOST], ref[MOST];
            const int n = sentence(out, 0), m = sentence(ref, more[q]);
            assert_ok(
                ig_bleu1_add(&c, (ig_bleu_units){out, n}, (ig_bleu_units){ref, m}, &room, &err),
                &err);
            for (int u = 0; u < N_UNIT; u++) {
                int in[2] = {0, 0};
                for (int k = 0; k < n; k++)
                    in[0] += out[k] == u;
                for (int k = 0; k < m; k++)
                    in[1] += ref[k] == u;
                n_match += in[0] < in[1] ? in[0] : in[1];
            }
        }
        assert_int_equal(c.n_match, n_match);
        assert_true(fabs(100 * ig_bleu1(&c) - want[q]) < 1e-10);
        ig_bleu_buffers_free(&room);
    }
}

static void convert(void **state)
{
    const bool source[N_UNIT] = {true, true, true, true}, target[N_UNIT] = {[2] = true, true, true};
    /* 0 and 1 are the source's, 2 and 3 common, 4 the target's, 5 of neither. */
    const int32_t y[] = {0, 2, 4, 4, 5, 3, 4, 1};
    ig_translation_count c = {0};
    (void)state;
    assert_true(isnan(ig_convert_rate(&c)) && isnan(ig_bleu1(&c)) && isnan(ig_gold_accuracy(&c)));
    ig_convert_rate_add(&c, y, 3, source, target);
    ig_convert_rate_add(&c, y + 3, 5, source, target);
    assert_true(ig_convert_rate(&c) == 3.0 / 6);
    c = (ig_translation_count){0};
    ig_convert_rate_add(&c, y + 1, 1, source, target);
    assert_true(isnan(ig_convert_rate(&c)));
    c.n_gold = 4;
    c.n_right = 3;
    assert_true(ig_gold_accuracy(&c) == .75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sacrebleu), cmocka_unit_test(convert)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
