/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of languages in an epoch: against the definition, and in the batches that come of them.
 */
#include "corpus_fixture.h"

#include "corpus/batch/batcher.h"
#include "corpus/batch/language_sampling.h"
#include "isoglot/batch.h"

#include <math.h>

static void parts_are_the_largest_remainders(void **state)
{
    (void)state;
    const int64_t size[] = {1000, 100, 10};
    int64_t part[4];
    ig_sampling_parts(part, size, NULL, 3, 1, 1110);
    assert_int_equal(part[1], 1000);
    assert_int_equal(part[2], 1100);
    assert_int_equal(part[3], 1110);
    ig_sampling_parts(part, size, NULL, 3, 0, 100); /* 33⅓ each, the odd one to the first */
    assert_int_equal(part[1], 34);
    assert_int_equal(part[2], 67);
    assert_int_equal(part[3], 100);
    for (int a = 0; a <= 10; a++) {
        double p[3], sum = 0;
        for (int k = 0; k < 3; k++)
            sum += p[k] = pow((double)size[k], a / 10.0);
        ig_sampling_parts(part, size, NULL, 3, a / 10.0, 5000);
        assert_int_equal(part[3], 5000);
        for (int k = 0; k < 3; k++)
            assert_true(fabs((double)(part[k + 1] - part[k]) - p[k] / sum * 5000) < 1);
    }
    const double share[] = {1, 1, 4};
    ig_sampling_parts(part, size, share, 3, 0, 60);
    assert_int_equal(part[3] - part[2], 40);
    /* Nobody is left out while there is room. */
    ig_sampling_parts(part, (const int64_t[]){1000000, 1, 1}, NULL, 3, 1, 10);
    assert_int_equal(part[1], 8);
    assert_int_equal(part[2], 9);
}

static ig_batcher *make(ig_batcher **b, const ig_corpus *c, ig_batch_languages languages,
                        double alpha, int64_t epoch)
{
    ig_err err = {0};
    ig_batch_options o = {.batch = 16,
                          .mask_prob = .5,
                          .mask_share = 1,
                          .languages = languages,
                          .sampled = true,
                          .alpha = alpha,
                          .epoch_size = epoch,
                          .share = {1, 1}};
    assert_ok(ig_batcher_new(b, c, &o, 4, &err), &err);
    return *b;
}

/* Every sentence of a language is met before one is met again, over the borders of epochs; a
 * sentence that is met again has other masks; a language has its part of every epoch. */
static void epochs_go_on_where_they_were(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_shard *s = fixture_shard("s.shard", 200, 20, 50, 4);
    ig_corpus *c;
    ig_corpus_options o = fixture_options(50, 32);
    const ig_language_spec spec[] = {{.name = "a", .pipeline = "", .source = s},
                                     {.name = "b", .pipeline = "take:30 | shift", .source = s}};
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    for (int how = 0; how < 3; how++) {
        static const ig_batch_languages all[] = {IG_BATCH_MIXED, IG_BATCH_GROUPED, IG_BATCH_SINGLE};
        ig_batcher *b = make(&b, c, all[how], 0, 96), *again = make(&again, c, all[how], 0, 96);
        assert_int_equal(ig_batcher_steps_per_epoch(b), 6);
        int64_t seen[2] = {0};
        for (int64_t step = 0; step < 60; step++) {
            ig_batch x, y;
            assert_ok(ig_batcher_get(b, step, &x, &err), &err);
            assert_true(x.n_tok <= ig_batcher_max_tokens(b));
            for (int32_t q = 0; q < x.n_seq; q++) {
                seen[x.language[q]]++;
                assert_true(all[how] != IG_BATCH_SINGLE || x.language[q] == x.language[0]);
            }
            if (step % 6 == 5) {
                assert_int_equal(seen[0], 48 * (step / 6 + 1));
                assert_int_equal(seen[1], 48 * (step / 6 + 1));
            }
            /* Any step may be asked for first. */
            if (step % 7 != 0)
                continue;
            int32_t n = x.n_tok, *id = malloc((size_t)n * sizeof *id + 1);
            memcpy(id, x.id, (size_t)n * sizeof *id);
            assert_ok(ig_batcher_get(again, step, &y, &err), &err);
            assert_int_equal(y.n_tok, n);
            assert_memory_equal(y.id, id, (size_t)n * sizeof *id);
            free(id);
        }
        ig_batcher_free(b);
        ig_batcher_free(again);
    }
    ig_corpus_free(c);
    ig_shard_close(s);
}

static void passes_are_permutations(void **state)
{
    (void)state;
    int64_t out[25];
    int32_t work[10], count[10] = {0}, other = 0;
    for (int64_t epoch = 0; epoch < 8; epoch++) { /* 200 draws of 10: 20 passes */
        ig_sampling_draw(out, &(ig_sampling_share){25, 10, epoch, 1, 0}, work);
        for (int i = 0; i < 25; i++) {
            const int64_t place = epoch * 25 + i;
            assert_int_equal(out[i] >> 32, place / 10);
            count[out[i] & 0xFFFFFFFF]++;
            other += (out[i] & 0xFFFFFFFF) != place % 10;
            if (place % 10 == 9)
                for (int k = 0; k < 10; k++)
                    assert_int_equal(count[k], place / 10 + 1);
        }
    }
    assert_true(other > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_largest_remainders),
        cmocka_unit_test(epochs_go_on_where_they_were),
        cmocka_unit_test(passes_are_permutations),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
